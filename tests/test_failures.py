"""What notebooks do by accident: every other check keeps its points."""

import json
import time
from copy import deepcopy
from urllib.parse import unquote

import nbformat
import pytest
from conftest import LESSON, STRICT, _write_course, grade_submission, needs_bwrap

from autograder.batch import grade_class, submissions_in
from autograder.grade import Limits
from autograder.isolation import Room
from autograder.release import release_lesson
from autograder.working import Terms

RIGHT = "def double(x):\n    return x + x"
QUESTION = 'answer_1 = "b"'
OTHERS = [0, 0, 1]  # all but the checks of `double`
EVERYTHING = [1, 2, 1]

pytestmark = needs_bwrap
TERMS = STRICT


@pytest.fixture
def points(released, hand_in, worker, request):
    """points(double=…, quick_1=…) → the points of the three checks"""

    def grade(**answers):
        work = hand_in(released, request.node.name[:60], **answers)
        result = grade_submission(released, work, worker)
        assert not result.problem
        return [check.points for check in result.checks]

    return grade


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("def double(x:", id="syntax error"),
        pytest.param("x = input()\n" + RIGHT, id="input"),
        pytest.param("import no_such_package\n" + RIGHT, id="missing import"),
        pytest.param("def double(x):\n    return double(x)", id="deep recursion"),
        pytest.param("import os\ndef double(x):\n    os._exit(0)", id="os._exit"),
        pytest.param("import os\nos._exit(3)\n" + RIGHT, id="os._exit in the cell"),
        pytest.param("import ctypes\nctypes.string_at(0)", id="segfault"),
        pytest.param("def double(x):\n    return [0] * 10**10", id="out of memory"),
        pytest.param("a = b''\nwhile 1: a += b'1' * 10**8", id="memory in the cell"),
        pytest.param("while True: pass", id="loop in the cell"),
        pytest.param("def double(x):\n    while True: pass", id="endless loop"),
        pytest.param(
            "def double(x):\n    while True:\n        try:\n            while True: x\n"
            "        except BaseException: x",
            id="loop that swallows BaseException",
        ),
        pytest.param("import os\nwhile True: os.fork()", id="fork bomb"),
        pytest.param("raise KeyboardInterrupt\n" + RIGHT, id="KeyboardInterrupt"),
        pytest.param("import sys\nsys.exit()\n" + RIGHT, id="sys.exit"),
    ],
)
def test_a_failure_costs_only_its_own_checks(points, answer):
    assert points(double=answer, quick_1=QUESTION) == OTHERS


@pytest.mark.parametrize(
    "extra",
    [
        pytest.param("print('x' * 400_000_000)", id="400 MB printed"),
        pytest.param("import sys\nsys.stderr.write('w')", id="stderr"),
        pytest.param("import warnings\nwarnings.warn('old')", id="warning"),
        pytest.param("%matplotlib inline\n%time 1 + 1", id="magics"),
        pytest.param("!echo hello", id="shell line"),
        pytest.param("exit()", id="exit"),
        pytest.param("del print, len", id="names that are not there"),
        pytest.param("open('a', 'w').write('a' * 10**9)", id="a huge file"),
        pytest.param(
            "try:\n    for n in range(99): open(f'{n}', 'w').write('a' * 10**6)\n"
            "except OSError: pass",
            id="a full disk",
        ),
        pytest.param(
            "import subprocess\nsubprocess.Popen(['sleep', '1000'])", id="a daemon"
        ),
        pytest.param("import builtins\nbuiltins.print = None", id="no print"),
    ],
)
def test_what_happens_after_an_answer_costs_nothing(points, extra):
    assert points(double=f"{RIGHT}\n{extra}", quick_1=QUESTION) == EVERYTHING


def test_ten_thousand_cells_are_run(released, hand_in, worker):
    work = hand_in(released, "many", double=RIGHT, quick_1=QUESTION)
    notebook = nbformat.read(work.file, as_version=4)
    extra = [nbformat.v4.new_code_cell("1 + 1", id=f"own-{n}") for n in range(10_000)]
    notebook.cells[3:3] = extra
    nbformat.write(notebook, work.file)
    assert grade_submission(released, work, worker).points == 4


def test_a_loop_is_stopped_in_time(points):
    start = time.monotonic()
    points(double="def double(x):\n    while True: pass")
    assert time.monotonic() - start < 30


# A whole class in which most files are in disarray, graded in one go.


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if cell.id == name)


def place_of(notebook, name):
    return notebook.cells.index(cell_of(notebook, name))


def copied(name):
    def change(notebook):
        copy = deepcopy(cell_of(notebook, name))
        copy.id = "copy"
        notebook.cells.insert(place_of(notebook, name) + 1, copy)

    return change


def deleted(name):
    return lambda notebook: notebook.cells.remove(cell_of(notebook, name))


def of_type(name, kind):
    def change(notebook):
        cell = cell_of(notebook, name)
        metadata = dict(cell.metadata)
        place = place_of(notebook, name)
        make = getattr(nbformat.v4, f"new_{kind}_cell")
        notebook.cells[place] = make(cell.source, id=name, metadata=metadata)

    return change


def without_metadata(notebook):
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = nbformat.NotebookNode(), f"cell-{number}"
    notebook.metadata = nbformat.NotebookNode()


def with_changed_metadata(notebook):
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.update(points=99, grade=True, locked=False)


def with_renamed_ids(notebook):
    for number, cell in enumerate(notebook.cells):
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.grade_id = f"mine-{number}"


def without_cell_ids(notebook):
    notebook.nbformat_minor = 0
    for cell in notebook.cells:
        del cell["id"]


def in_disorder(notebook):
    """The helper that the answer needs stands last; the cells stand in reverse."""
    helper = nbformat.v4.new_code_cell("def helper(x):\n    return x + x", id="helper")
    cell_of(notebook, "double").source = "def double(x):\n    return helper(x)"
    notebook.cells = [*reversed(notebook.cells), helper]


def running_first(source):
    """The student's own cell, before all checks."""

    def change(notebook):
        own = nbformat.v4.new_code_cell(source, id="own")
        notebook.cells.insert(place_of(notebook, "double") + 1, own)

    return change


# name → what happened to the notebook of somebody who answered everything, and points
DISARRAY = {
    "copied check cell": (copied("double_check_1"), EVERYTHING),
    "copied answer cell": (copied("double"), EVERYTHING),
    "deleted check cell": (deleted("double_check_2"), EVERYTHING),
    "deleted answer cell": (deleted("double"), OTHERS),
    "metadata stripped": (without_metadata, EVERYTHING),
    "metadata changed": (with_changed_metadata, EVERYTHING),
    "grade ids renamed": (with_renamed_ids, EVERYTHING),
    "check cell turned to raw": (of_type("double_check_1", "raw"), EVERYTHING),
    "check cell turned to text": (of_type("double_check_1", "markdown"), EVERYTHING),
    "no cell ids": (without_cell_ids, EVERYTHING),
    "cells out of order": (in_disorder, EVERYTHING),
    "names deleted": (running_first("del checking, CheckFailed"), EVERYTHING),
    "names replaced": (running_first("checking = double_check_1 = 1"), EVERYTHING),
    "its own answer deleted": (running_first("del double"), OTHERS),
    "Python ended": (running_first("import os\nos._exit(0)"), EVERYTHING),
    "fork bomb": (running_first("import os\nwhile True: os.fork()"), EVERYTHING),
    "endless loop": (running_first("while True: pass"), EVERYTHING),
    "all of memory": (running_first("a = [b'1' * 10**9 for _ in '12345']"), EVERYTHING),
    "unlike Python": (running_first("%%bash\necho hello"), EVERYTHING),
}
# name → what stands in the file, none of it a notebook
NO_NOTEBOOK = {
    "empty": b"",
    "truncated": b'{"cells": [{"cell_type": "code", "sou',
    "binary": bytes(range(256)) * 100,
    "a list": b"[1, 2, 3]",
    "a web page": b"<!DOCTYPE html><title>Log in</title>",
}
TIMESTAMPS = {
    "forged, early": "0001-01-01 00:00:00 UTC",
    "forged, late": "9999-12-31 23:59:59 UTC",
    "no date": "\0'; drop table grade; --" * 100_000,
}


@pytest.fixture(scope="module")
def troubled(hand_in, tmp_path_factory):
    """Points of everybody in the class, problems, and what was touched outside."""
    course = _write_course(tmp_path_factory.mktemp("troubled") / "course")
    release_lesson(course, LESSON)

    def give(student, name=f"{LESSON}.ipynb"):
        work = hand_in(course, student, double=RIGHT, quick_1=QUESTION)
        return work.file.rename(work.file.with_name(name))

    def change(file, how):
        notebook = nbformat.read(file, as_version=4)
        how(notebook)
        file.write_text(json.dumps(notebook))  # faults and all: nbformat would mend

    for student in ("a first one", "m in between", "z the last"):
        give(student)
    for name, (how, _) in DISARRAY.items():
        change(give(name), how)
    for name, content in NO_NOTEBOOK.items():
        give(name).write_bytes(content)
    for name, text in TIMESTAMPS.items():
        (give(name).parent / "timestamp.txt").write_text(text)
    give("renamed by a browser", f"{LESSON} (1).ipynb")
    give("two notebooks").with_name(f"{LESSON}-old.ipynb").write_text("{}")
    old = nbformat.convert(nbformat.read(give("format 3"), as_version=4), 3)
    file = course.submitted / "format 3" / LESSON / f"{LESSON}.ipynb"
    file.write_text(nbformat.v3.writes_json(old))
    hand_in(course, "untouched release")
    (course.submitted / "no file" / LESSON).mkdir(parents=True)
    before = contents(course)
    room = Room(memory=1 << 30, file=4 << 20, disk=16 << 20)
    terms = Terms("bwrap", room, Limits(cell=3))
    submissions = submissions_in(course, course.submitted, [LESSON])
    results = grade_class(course, submissions, jobs=2, terms=terms)
    touched = {name for name, text in contents(course).items() if before[name] != text}
    assert len(results) == len(submissions) == len(list(course.submitted.iterdir()))
    return {unquote(result.student): result for result in results}, touched


def contents(course):
    """Every file that grading may only read → what stands in it."""
    kept = [course.root / "solutions", course.root / "lessons", course.submitted]
    files = (file for folder in kept for file in folder.rglob("*") if file.is_file())
    return {str(file): file.read_bytes() for file in files}


def told(troubled, student):
    result = troubled[0][student]
    return [check.points for check in result.checks], result


@pytest.mark.parametrize("name", ["a first one", "m in between", "z the last"])
def test_the_batch_goes_on_and_costs_others_nothing(troubled, name):
    points, result = told(troubled, name)
    assert points == EVERYTHING
    assert result.problem == ""


@pytest.mark.parametrize("name", DISARRAY)
def test_a_file_in_disarray_keeps_what_it_earned(troubled, name):
    points, result = told(troubled, name)
    assert points == DISARRAY[name][1]
    assert result.problem == ""


@pytest.mark.parametrize("name", ["renamed by a browser", "two notebooks", "format 3"])
def test_a_file_of_another_name_or_format_is_graded(troubled, name):
    assert told(troubled, name)[0] == EVERYTHING


@pytest.mark.parametrize("name", TIMESTAMPS)
def test_a_forged_timestamp_costs_nothing(troubled, name):
    assert told(troubled, name)[0] == EVERYTHING


@pytest.mark.parametrize("name", [*NO_NOTEBOOK, "no file"])
def test_what_is_no_notebook_has_0_points_and_a_reason(troubled, name):
    points, result = told(troubled, name)
    assert points == [0, 0, 0]
    assert len(result.problem) > 20


def test_an_untouched_release_has_0_points_and_no_problem(troubled):
    points, result = told(troubled, "untouched release")
    assert points == [0, 0, 0]
    assert result.problem == ""


def test_grading_touches_nothing_but_its_own_folders(troubled):
    assert troubled[1] == set()
