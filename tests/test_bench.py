"""Lessons made ready one after another in one sandbox."""

import copy
import os
import sys

import nbformat
import pytest
from conftest import HAS_BWRAP, LESSON, change_letter

from autograder import bench as bench_module
from autograder.bench import Bench, CannotMark
from autograder.course import CourseError
from autograder.grade import Limits
from autograder.isolation import sandbox_kind
from autograder.markers import VOLATILE
from autograder.release import release_lesson
from autograder.sandbox import Sandbox, SandboxFailed
from autograder.working import Terms, Worker


@pytest.fixture(scope="module")
def sandbox():
    sandbox = Sandbox("bwrap" if HAS_BWRAP else "none")
    yield sandbox
    sandbox.close()


@pytest.fixture
def solution(course):
    return nbformat.read(course.solution(LESSON), as_version=4)


def with_given(solution, source, volatile=False):
    """The lesson with one more given cell before its exercise."""
    cell = copy.deepcopy(solution.cells[1])
    cell.id = cell.metadata.nbgrader.grade_id = "more"
    cell.source = source
    cell.metadata.tags = [VOLATILE] if volatile else []
    solution.cells.insert(2, cell)
    return solution


def points(bench, solution, double):
    """The points of each check when `double` is the student's answer."""
    notebook = copy.deepcopy(solution)
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.checksum = ""  # as the release sets it
        if cell.id == "double":
            cell.source = double
    scored, _ = bench.mark(notebook, Limits())
    return {check.check: check.points for check in scored.checks}


def test_one_process_serves_lesson_after_lesson(course, sandbox):
    read = lambda: nbformat.read(course.solution(LESSON), as_version=4)  # noqa: E731
    first, second = with_given(read(), "here = 1\nhere"), read()
    answer = "def double(x):\n    return 2 * x if {} else 0"
    bench = Bench(first, sandbox)
    process = sandbox.process
    assert points(bench, first, answer.format("here"))["double_check_1"] == 1
    bench, left = Bench(second, sandbox), "'here' in globals() or len(In) > 1"
    assert points(bench, second, answer.format(left)) == {
        "double_check_1": 0,
        "double_check_2": 0,
        "quick_1_check_1": 1,
    }
    assert sandbox.process is process


def test_what_the_meta_device_needs_is_loaded_once_for_all(solution, sandbox):
    loaded = "'torch._dynamo' in sys.modules"
    answer = f"import sys\ndef double(x):\n    return 2 * x if {loaded} else 0"
    assert points(Bench(solution, sandbox), solution, answer)["double_check_1"] == 1


def test_a_worker_keeps_what_it_made_ready(released, worker, hand_in):
    kept = []
    for student in ("ada", "ben"):
        worker.work(hand_in(released, student))
        kept.append((worker.bench, worker.sandbox.process))
    assert kept[0] == kept[1]
    assert all(kept[0])


def test_a_worker_takes_a_lesson_that_was_changed(course, hand_in):
    release_lesson(course, LESSON)
    work = hand_in(course, "ada", quick_1='answer_1 = "b"')
    seen = []
    with Worker(course, Terms("bwrap" if HAS_BWRAP else "none")) as worker:
        for right in "ba":
            change_letter(course, right)
            seen.append(worker.work(work).result().points)
    assert seen == [1, 0]


def test_what_a_volatile_cell_defines_is_the_same_on_both_sides(sandbox, solution):
    number = "number = [{'process': __import__('os').getpid()}]"
    for cell in solution.cells:
        if cell.id == "double_check_1":
            cell.source = cell.source.replace(", 4)", ", number[0]['process'])")
        if cell.id == "double":
            cell.source = "def double(x):\n    return number[0]['process']"
    solution.cells = [c for c in solution.cells if c.id != "double_check_2"]
    answer = "def double(x):\n    return number[0]['process']"
    for is_volatile in (False, True):
        lesson = with_given(copy.deepcopy(solution), number, is_volatile)
        found = points(Bench(lesson, sandbox), lesson, answer)
        assert found["double_check_1"] == is_volatile


def test_a_sandbox_that_is_gone_is_started_again(sandbox, solution):
    bench, right = Bench(solution, sandbox), "def double(x):\n    return 2 * x"
    for lose in (sandbox.close, lambda: sandbox.process.kill()):
        lose()
        assert sum(points(bench, solution, right).values()) == 4


def test_a_given_cell_that_fails_is_told_with_its_name(sandbox, solution):
    with pytest.raises(SandboxFailed, match="cell more: ZeroDivisionError"):
        sandbox.prepare({"given": [("more", "1 / 0")], "known": {}, "names": []})
        sandbox.wait()
    assert sandbox.process is None


def test_a_lesson_that_fails_leaves_no_answer_for_the_next(sandbox, solution):
    for cell in (broken := copy.deepcopy(solution)).cells:
        if cell.id == "double":
            cell.source = "def double(x):\n    return 0"
    with pytest.raises(CourseError, match="own answer fails at double_check_1"):
        Bench(broken, sandbox)
    assert sandbox.process is None
    right = "def double(x):\n    return 2 * x"
    assert sum(points(Bench(solution, sandbox), solution, right).values()) == 4


@pytest.mark.skipif(os.getuid() != 0, reason="only root can start code as nobody")
def test_a_python_that_nobody_may_not_run_is_told(tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\n")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(CourseError, match=f"nobody may not run {python}"):
        sandbox_kind("user")


def test_a_fault_of_the_grader_is_called_so(sandbox, solution, monkeypatch):
    bench = Bench(solution, sandbox)
    monkeypatch.setattr(bench_module, "mark", lambda *_: 1 / 0)
    with pytest.raises(CannotMark, match="The grader itself failed: ZeroDivision"):
        bench.mark(solution, Limits())
