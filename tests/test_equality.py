"""Honest work gets the same scores and messages here and from `nbgrader autograde`.

Our grader takes each submission in the edition in which its student worked; nbgrader
gets the class edition, as it would collect it, and no repair.
"""

import ast
import os
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from conftest import HAS_BWRAP, needs_bwrap
from lesson_runner import COURSE
from mutants import right_answers
from nbformat import NotebookNode
from proxied import compare
from students import answered, class_edition, solutions

from autograder.batch import grade_class, submissions_in
from autograder.course import Course
from autograder.grade import check_messages
from autograder.gradebook import graded_file, recorded_results
from autograder.release import release_lesson
from autograder.working import Terms
from mistakes import mistakes_of

LESSONS = COURSE.lesson_names()
WORKERS = 2
NOISE = """
import sys, warnings
print("at work")
warnings.warn("this is old")
sys.stderr.write("50 %\\r")
"""


def in_other_styles(lesson: str) -> dict[str, str]:
    """Every exercise in one of the other styles that the tests know."""
    by_exercise = defaultdict(list)
    for right in right_answers(lesson):
        by_exercise[right.exercise].append(right.source)
    choose = random.Random(lesson).choice
    return solutions(lesson) | {k: choose(v) for k, v in by_exercise.items()}


def wrong(lesson: str, seed: int) -> dict[str, str]:
    """Every exercise with one mistake of the catalogue, and letter a throughout."""
    by_exercise, right = defaultdict(list), solutions(lesson)
    for mistake in mistakes_of(lesson):
        by_exercise[mistake.exercise].append(mistake.answer(right[mistake.exercise]))
    choose = random.Random(f"{lesson} {seed}").choice
    letters = {n: f'answer_{n[-1]} = "a"' for n in right if n.startswith("quick_")}
    return right | letters | {k: choose(v) for k, v in by_exercise.items()}


def some_of(answers: dict[str, str], start: int) -> dict[str, str]:
    """Every second answer; the other cells stay as they were handed out."""
    return dict(list(answers.items())[start::2])


def noisy(answers: dict[str, str]) -> dict[str, str]:
    """The same answers, which print and warn when they are run and when called."""
    loud = {}
    for name, source in answers.items():
        tree = ast.parse(source)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                node.body[1:1] = ast.parse(NOISE).body  # behind the docstring
        loud[name] = f"{NOISE}\n{ast.unparse(tree)}"
    return loud


# Student → answers. Those whose name ends with 2 work in the self-study edition.
STUDENTS = {
    "all_right": solutions,
    "other_styles": lambda lesson: in_other_styles(lesson),
    "half_done": lambda lesson: some_of(solutions(lesson), 0),
    "half_done_2": lambda lesson: some_of(wrong(lesson, 1), 1),
    "wrong": lambda lesson: wrong(lesson, 3),
    "wrong_2": lambda lesson: wrong(lesson, 4),
    "wrong_with_noise": lambda lesson: noisy(wrong(lesson, 5)),
    "noise_2": lambda lesson: noisy(solutions(lesson)),
}


def without_demos(notebook: NotebookNode) -> NotebookNode:
    """A notebook without what no grade and no hint needs: half of nbgrader's time."""
    notebook.cells = [
        cell
        for cell in notebook.cells
        if cell.metadata.course.kind != "demo" or cell.id == "figures"  # Advice too
    ]
    notebook.cells = [c for c in notebook.cells if c.id not in ("score", "cards")]
    return notebook


def hand_in(course: Course, student: str, lesson: str, notebook: NotebookNode) -> None:
    file = course.submitted / student / lesson / f"{lesson}.ipynb"
    file.parent.mkdir(parents=True)
    nbformat.write(notebook, file)


def make_course(root: Path) -> Course:
    """The course with all lessons released to a class of its own."""
    root.mkdir()
    for name in ("lessons", "solutions"):
        (root / name).symlink_to(COURSE.root / name)
    shutil.copy(COURSE.root / "nbgrader_config.py", root)
    course = Course.at(root)
    for lesson in LESSONS:
        release_lesson(course, lesson)
    return course


def autograde(course: Course, lesson: str, settings: Path) -> None:
    """Grade one lesson of a course with nbgrader's own command."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", lesson],
        cwd=course.root,
        env={**os.environ, "JUPYTER_CONFIG_DIR": str(settings), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def found(course: Course) -> dict[tuple[str, str, str], tuple[float, str]]:
    """(student, lesson, check) → score in the gradebook, and message of the check."""
    told = {}
    for result in recorded_results(course):
        file = graded_file(course, result.lesson, result.student)
        messages = check_messages(nbformat.read(file, as_version=4))
        for check in result.checks:
            key = result.student, result.lesson, check.check
            told[key] = check.points, messages[check.check]
    return told


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    return graded_by_both(tmp_path_factory.mktemp("both"))


def graded_by_both(place: Path) -> tuple[dict, dict]:
    """The scores and messages of all checks: ours, and nbgrader's."""
    ours = make_course(place / "ours")
    # each nbgrader at work has a gradebook of its own, so that none waits for another
    theirs = []
    for number in range(WORKERS):
        shutil.copytree(ours.root, place / f"theirs-{number}", symlinks=True)
        theirs.append(Course.at(place / f"theirs-{number}"))
    for number, (student, make) in enumerate(STUDENTS.items()):
        for lesson in LESSONS:
            answers = make(lesson)
            collected = class_edition(ours, lesson, answers)
            if student != "all_right":
                collected = without_demos(collected)
            hand_in(theirs[number % WORKERS], student, lesson, collected)
            is_alone = student.endswith("2")
            mine = answered(lesson, answers) if is_alone else collected
            hand_in(ours, student, lesson, mine)
    submissions = submissions_in(ours, ours.submitted, LESSONS)
    terms = Terms("bwrap" if HAS_BWRAP else "none")
    grade_class(ours, submissions, jobs=WORKERS, terms=terms)

    def grade_all(course):
        for lesson in LESSONS:
            autograde(course, lesson, place / "settings")
        return found(course)

    with ThreadPoolExecutor(WORKERS) as pool:
        parts = list(pool.map(grade_all, theirs))
        return found(ours), parts[0] | parts[1]


def differing(ours: dict, theirs: dict) -> dict:
    """What is not the same on both sides."""
    assert set(ours) == set(theirs)
    return {k: (ours[k], theirs[k]) for k in ours if ours[k] != theirs[k]}


def test_every_check_has_the_score_that_nbgrader_gives(both):
    ours, theirs = ({key: score for key, (score, _) in side.items()} for side in both)
    assert len({(student, lesson) for student, lesson, _ in theirs}) >= 40
    assert differing(ours, theirs) == {}


def test_every_check_says_what_it_says_under_nbgrader(both):
    ours, theirs = ({key: text for key, (_, text) in side.items()} for side in both)
    assert differing(ours, theirs) == {}


def test_the_work_is_of_every_kind(both):
    """So that equal scores do not come from work that is all right or all wrong."""
    ours, _ = both
    points = defaultdict(float)
    for (student, lesson, _), (score, _) in ours.items():
        points[student, lesson] += score
    for lesson in LESSONS:
        for student in ("all_right", "other_styles", "noise_2"):
            assert points[student, lesson] == 20, (student, lesson)
        for student in ("half_done", "half_done_2", "wrong", "wrong_2"):
            assert 0 < points[student, lesson] < 20, (student, lesson)
        assert points["wrong_with_noise", lesson] < 20


@needs_bwrap
def test_an_answer_fails_at_the_same_checks_in_the_sandbox_and_in_one_process():
    """A few of them; `make proxied` compares all."""
    assert compare("01_block", 60) == compare("05_patches", 60) == []
