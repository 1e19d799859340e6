"""How fast a class is graded, against nbgrader's own autograde, with the same scores?

Run it from the repository root, with the number of submissions of each lesson:
PYTHONPATH=lessons:tests .venv/bin/python benchmarks/grading.py 8 1

It makes honest submissions from the known right answers, grades them with
`autograder grade` and with nbgrader's autograde step, one after the other on the same
cores, and compares the score of every check cell. The second number is a step: with 5
nbgrader grades every fifth submission, which is enough to know its speed.
"""

import os
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path

import nbformat
from mutants import right_answers
from students import solved

from autograder.autograde import grading_config
from autograder.batch import grade_class, submissions_in
from autograder.course import Course
from autograder.gradebook import recorded_results
from autograder.reading import read_notebook
from autograder.release import release_lesson
from autograder.repair import repair
from autograder.steps import run_nbgrader


def make(folder, lesson, count):
    """Write `count` honest submissions of a lesson, each with one other style."""
    for number, right in zip(range(count), cycle(right_answers(lesson))):
        notebook = solved(lesson, **{right.exercise: right.source})
        file = folder / f"s{number:03}" / lesson / f"{lesson}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, file)


def by_nbgrader(course, submissions):
    """Grade repaired copies with nbgrader's own step; seconds that it took."""
    from nbgrader.converters import Autograde

    for found in submissions:
        released = nbformat.read(course.released(found.lesson), as_version=4)
        notebook = repair(read_notebook(found.file), released).notebook
        file = course.submitted / found.student / found.lesson / found.file.name
        file.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, file)
    start = time.monotonic()
    for found in submissions:
        run_nbgrader(Autograde, grading_config(course), found.lesson, found.student)
    return time.monotonic() - start


def scores(course):
    return {
        (result.student, result.lesson, check.check): check.points
        for result in recorded_results(course)
        for check in result.checks
    }


def by_autograder(course, submissions, cores):
    """Grade with `cores` workers; seconds in all, submissions a second once warm."""
    start, ready = time.monotonic(), []
    grade_class(
        course,
        submissions,
        lambda done, *_: ready.append((done, time.monotonic())),
        jobs=cores,
    )
    warm = [moment for done, moment in ready if done > len(submissions) // 4]
    return time.monotonic() - start, (len(warm) - 1) / (warm[-1] - warm[0])


def main():
    count, step, *lessons = sys.argv[1:]
    root, cores = Course.at(Path(__file__).parents[1]), os.cpu_count() or 1
    lessons = lessons or root.lesson_names()
    with tempfile.TemporaryDirectory() as place:
        ours, theirs = (
            Course.at(root.root, Path(place) / name) for name in ("ours", "theirs")
        )
        for lesson in lessons:
            make(Path(place) / "work", lesson, int(count))
            release_lesson(ours, lesson)
            release_lesson(theirs, lesson)
        submissions = submissions_in(ours, Path(place) / "work", lessons)
        fast, warm = by_autograder(ours, submissions, cores)
        some = submissions[:: int(step)]
        slow = by_nbgrader(theirs, some) / len(some)
        mine, other = scores(ours), scores(theirs)
    number = len(submissions)
    differ = [key for key in other if mine[key] != other[key]]
    print(f"{number} submissions, {len(some)} of them with nbgrader, {cores} cores")
    print(f"autograder: {fast:.1f} s with its start, {warm:.2f} a second once warm")
    print(f"nbgrader: {1 / slow:.3f} a second; ratio {warm * slow:.1f} once warm")
    print(f"of {len(other)} check cells {len(differ)} have another score: {differ}")
    raise SystemExit(bool(differ))


if __name__ == "__main__":
    main()
