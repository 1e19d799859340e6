"""How fast a class is graded, against nbgrader's own autograde, with the same scores?

Run it from the repository root:
PYTHONPATH=lessons:tests .venv/bin/python benchmarks/grading.py

It makes honest submissions from the known right answers: the notebook that a class
gets, filled in. In each round it grades them with `autograder grade` and a part of them
with nbgrader's autograde step, one after the other on the same cores, and compares the
score of every check cell. What the same answers and their checks take by themselves is
measured in warm processes without a sandbox, as many as there are cores; what grading
takes beyond that, once a lesson is ready, is overhead. At the end one submission in ten
is hostile.
"""

import argparse
import multiprocessing
import os
import resource
import shutil
import statistics
import tempfile
import time
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

import nbformat
import torch
from endurance import HOSTILE
from mutants import right_answers
from students import class_edition, solutions

from autograder.autograde import grading_config
from autograder.batch import grade_class, submissions_in
from autograder.checks import Checks, Lesson
from autograder.course import Course
from autograder.grade import Limits
from autograder.gradebook import recorded_results
from autograder.release import release_lesson
from autograder.steps import run_nbgrader
from autograder.working import Terms

ROOT = Course.at(Path(__file__).parents[1])
CORES = os.cpu_count() or 1


def make(folder, course, lesson, count, hostile_every=0):
    """Write `count` submissions of a lesson, each in one other style."""
    right_ones = solutions(lesson)
    styles, attacks = cycle(right_answers(lesson)), cycle(HOSTILE)
    for number in range(count):
        right = next(styles)
        answers = {right.exercise: right.source}
        if hostile_every and number % hostile_every == hostile_every - 1:
            answers["quick_1"] = f"{next(attacks)}\nanswer_1 = 'a'"
        file = folder / f"s{number:03}" / lesson / f"{lesson}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(class_edition(course, lesson, right_ones | answers), file)


def by_nbgrader(course, submissions):
    """Grade the same files with nbgrader's own step; seconds for each."""
    from nbgrader.converters import Autograde

    for found in submissions:
        place = course.submitted / found.student / found.lesson
        shutil.copytree(found.file.parent, place)
    start = time.monotonic()
    for found in submissions:
        run_nbgrader(Autograde, grading_config(course), found.lesson, found.student)
    return (time.monotonic() - start) / len(submissions)


def by_autograder(course, submissions, limits=None):
    """Grade on all cores; seconds for each, with the start and once warm."""
    start, ready = time.monotonic(), []
    results = grade_class(
        course,
        submissions,
        lambda done, *_: ready.append((done, time.monotonic())),
        jobs=CORES,
        terms=Terms(limits=limits or Limits()),
    )
    lost = [result.student for result in results if not result.checks]
    assert not lost, lost
    warm = [moment for done, moment in ready if done > len(submissions) // 4]
    each = (time.monotonic() - start) / len(submissions)
    return each, (warm[-1] - warm[0]) / (len(warm) - 1)


def by_itself(lesson, count):
    """Seconds for each of the same answers and their checks, in a process a core.

    The processes are warm, nothing is read or written, nothing isolated.
    """
    torch.set_num_threads(1)  # as the grader does
    checks = Checks(Lesson.read(nbformat.read(ROOT.solution(lesson), as_version=4)))
    checks.rehearse()
    own, styles = checks.lesson.answers, cycle(right_answers(lesson))
    answers = [own | {r.exercise: r.source} for r in islice(styles, count)]

    def work(number):
        for checks.lesson.answers in answers[number::CORES]:
            assert not checks.run_all()

    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=work, args=(number,)) for number in range(CORES)]
    start = time.monotonic()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    return (time.monotonic() - start) / count


def scores(course):
    return {
        (result.student, result.lesson, check.check): check.points
        for result in recorded_results(course)
        for check in result.checks
    }


@contextmanager
def class_of(lessons, count, hostile_every=0):
    """Two empty classes, for us and for nbgrader, and the submissions of both."""
    with tempfile.TemporaryDirectory() as place:
        names = ("ours", "theirs")
        ours, theirs = (Course.at(ROOT.root, Path(place) / name) for name in names)
        for lesson in lessons:
            release_lesson(ours, lesson)
            release_lesson(theirs, lesson)
            make(Path(place) / "work", ours, lesson, count, hostile_every)
        yield ours, theirs, submissions_in(ours, Path(place) / "work", lessons)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=40, help="of each lesson")
    parser.add_argument("--part", type=int, default=20, help="1 in PART by nbgrader")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("lessons", nargs="*", default=ROOT.lesson_names())
    told = parser.parse_args()
    ratios, all_in, differ = [], [], []
    for number in range(told.rounds):
        with class_of(told.lessons, told.count) as (ours, theirs, submissions):
            slow = by_nbgrader(theirs, some := submissions[:: told.part])
            each, warm = by_autograder(ours, submissions)
            mine, other = scores(ours), scores(theirs)
        differ += [key for key in other if mine[key] != other[key]]
        ratios.append(slow / warm)
        all_in.append(slow / each)
        print(
            f"round {number + 1}: {len(submissions)} submissions, {len(some)} of them "
            f"with nbgrader, {CORES} cores: {slow:.2f} s and {warm:.3f} s for each, "
            f"ratio {slow / warm:.1f}; {slow / each:.1f} with the start",
            flush=True,
        )
    print(
        f"median ratio {statistics.median(ratios):.1f}, "
        f"{statistics.median(all_in):.1f} with the start"
    )
    overheads = []
    for lesson in told.lessons:
        with class_of([lesson], told.count) as (ours, _, submissions):
            _, warm = by_autograder(ours, submissions)
        alone = by_itself(lesson, told.count)
        overheads.append(warm - alone)
        print(
            f"{lesson}, warm, {CORES} cores: {warm:.3f} s for each, answers and checks "
            f"alone {alone:.3f} s, overhead {warm - alone:.3f} s",
            flush=True,
        )
    print(f"overhead in the mean: {statistics.mean(overheads):.3f} s")
    with class_of(told.lessons, told.count, 10) as (ours, _, submissions):
        each, warm = by_autograder(ours, submissions, Limits(cell=3, total=12))
        print(f"one in ten hostile: {warm:.3f} s for each; none without a result")
    for who, name in (
        (resource.RUSAGE_SELF, "this process"),
        (-1, "the largest other"),
    ):
        print(f"memory of {name}: {resource.getrusage(who).ru_maxrss / 1024:.0f} MB")
    print(f"check cells with another score than nbgrader's: {differ or 'none'}")
    raise SystemExit(bool(differ))


if __name__ == "__main__":
    main()
