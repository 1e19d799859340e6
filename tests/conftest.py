"""A small course without torch: grading one of its notebooks takes two seconds."""

import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import nbformat
import nbgrader.api
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course import Course, CourseError
from autograder.grade import Limits, Result
from autograder.gradebook import record
from autograder.isolation import Room, sandbox_kind
from autograder.release import release_lesson
from autograder.steps import gradebook_of
from autograder.submission import Submission
from autograder.working import Terms, Worker

LESSON = "01_tiny"

SETUP = """\
class CheckFailed(Exception):
    def _render_traceback_(self):
        return [str(self)]


class NotAttempted(CheckFailed):
    pass


class checking:
    def __init__(self, name, what):
        self.name, self.what, self.is_hidden = name, what, False

    def __enter__(self):
        return self

    def hidden(self):
        self.is_hidden = True

    def equal(self, got, want):
        if got != want:
            numbers = "" if self.is_hidden else f" got {got!r}, not {want!r}"
            raise CheckFailed(f"{self.name}: {self.what} failed.{numbers}")

    def __exit__(self, kind, error, trace):
        if kind is NotImplementedError or kind is NameError:
            raise NotAttempted(f"{self.name}: not attempted yet.") from None
"""
DOUBLE = '''\
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    twice_as_much = x + x
    return twice_as_much
    ### END SOLUTION'''
VISIBLE_CHECK = """\
with checking("double", "a small number") as check:
    check.equal(double(2), 4)"""
HIDDEN_CHECK = """\
with checking("double", "other numbers") as check:
    check.equal(double(3), 6)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.equal(double(-70707), -141414)
    ### END HIDDEN TESTS"""
QUESTION = """\
### BEGIN SOLUTION
answer_1 = "b"  # @param ["a", "b"]
### END SOLUTION"""
QUESTION_CHECK = """\
with checking("quick_1", "the answer") as check:
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.equal(answer_1.upper(), "B")
    ### END HIDDEN TESTS"""


def _cell(kind: str, cell_id: str, source: str, points: int | None = None):
    """A cell as the build makes it."""
    nbgrader = {
        "grade": kind == "checks",
        "solution": kind in ("exercise", "question"),
        "locked": kind not in ("exercise", "question"),
        "task": False,
        "grade_id": cell_id,
        "schema_version": 3,
        "cell_type": "code",
    }
    if points is not None:
        nbgrader["points"] = points
    metadata = {"course": {"kind": kind}, "nbgrader": nbgrader}
    return new_code_cell(source, id=cell_id, metadata=metadata)


def _tiny_solution():
    title = new_markdown_cell("# Twice", id="text-twice")
    title.metadata["course"] = {"kind": "markdown"}
    demo = new_code_cell("print('a demo')", id="show")
    demo.metadata["course"] = {"kind": "demo"}
    demo.outputs = [nbformat.v4.new_output("stream", text="a demo\n")]
    cells = [
        title,
        _cell("given", "setup", SETUP),
        _cell("exercise", "double", DOUBLE),
        _cell("checks", "double_check_1", VISIBLE_CHECK, 1),
        _cell("checks", "double_check_2", HIDDEN_CHECK, 2),
        demo,
        _cell("question", "quick_1", QUESTION),
        _cell("checks", "quick_1_check_1", QUESTION_CHECK, 1),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "course": {"lesson": LESSON}}
    return new_notebook(cells=cells, metadata=metadata)


def _write_course(root: Path) -> Course:
    (root / "lessons").mkdir(parents=True)
    (root / "lessons" / f"{LESSON}.py").touch()
    course = Course.at(root)
    course.solution(LESSON).parent.mkdir(parents=True)
    nbformat.write(_tiny_solution(), course.solution(LESSON))
    config = Path(__file__).parent.parent / "nbgrader_config.py"
    shutil.copy(config, root)
    return course


def change_letter(course: Course, right: str) -> None:
    """Make another letter the right one of the course's question, a or b."""
    solution = nbformat.read(course.solution(LESSON), as_version=4)
    for cell in solution.cells:
        cell.source = re.sub('answer_1 = "."', f'answer_1 = "{right}"', cell.source)
        upper = f'upper(), "{right.upper()}"'
        cell.source = re.sub(r'upper\(\), "."', upper, cell.source)
    nbformat.write(solution, course.solution(LESSON))


def _hand_in(course: Course, student: str, **answers: str) -> Submission:
    """Hand in the released notebook with the text of some cells replaced."""
    notebook = nbformat.read(course.released(LESSON), as_version=4)
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source)
    file = course.submitted / student / LESSON / f"{LESSON}.ipynb"
    file.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, file)
    return Submission(student, LESSON, file)


@pytest.fixture(scope="session", autouse=True)
def _version_is_asked_once():
    """nbgrader starts `alembic` for every new gradebook, for the same answer each time.

    Commands that a test starts still do so themselves.
    """
    ask = cache(nbgrader.api.get_alembic_version)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nbgrader.api, "get_alembic_version", ask)
        yield


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """The small course, built but not released."""
    return _write_course(tmp_path / "course")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The small course, released; shared by the tests of a module."""
    course = _write_course(tmp_path_factory.mktemp("course") / "course")
    release_lesson(course, LESSON)
    return course


def _has_bwrap() -> bool:
    try:
        return sandbox_kind() == "bwrap"
    except CourseError:
        return False


HAS_BWRAP = _has_bwrap()
# little room and time, for hostile work
STRICT = Terms(
    "bwrap", Room(memory=1 << 30, file=4 << 20, disk=16 << 20), Limits(cell=3)
)
needs_bwrap = pytest.mark.skipif(
    not HAS_BWRAP, reason="no bubblewrap here; sudo apt-get install bubblewrap"
)


@pytest.fixture(scope="module")
def worker(released: Course, request: pytest.FixtureRequest):
    """A worker with a warm sandbox for the small course; a module may set its TERMS."""
    usual = Terms("bwrap" if HAS_BWRAP else "none")
    with Worker(released, getattr(request.module, "TERMS", usual)) as worker:
        yield worker


def grade_submission(course: Course, submission: Submission, worker: Worker) -> Result:
    """Grade one submission into the class's gradebook, in this process."""
    work = worker.work(submission)
    with gradebook_of(course) as gradebook:
        return record(course, gradebook, work)


@pytest.fixture(scope="session")
def hand_in() -> Callable[..., Submission]:
    """hand_in(course, student, cell_id="new text", …) → Submission"""
    return _hand_in
