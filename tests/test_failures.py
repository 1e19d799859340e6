"""What notebooks do by accident: every other check keeps its points."""

import time

import pytest
from conftest import needs_bwrap

from autograder.grade import Limits
from autograder.gradebook import grade_submission
from autograder.sandbox import Room
from autograder.working import Terms, Worker

RIGHT = "def double(x):\n    return x + x"
QUESTION = 'answer_1 = "b"'
OTHERS = [0, 0, 1]  # all but the checks of `double`
EVERYTHING = [1, 2, 1]

pytestmark = needs_bwrap


@pytest.fixture(scope="module")
def worker(released):
    room = Room(memory=1 << 30, file=4 << 20, disk=16 << 20)
    with Worker(released, Terms("bwrap", room, Limits(cell=3))) as worker:
        yield worker


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
        pytest.param("open('/tmp/a', 'w').write('a' * 10**9)", id="a huge file"),
        pytest.param(
            "try:\n    for n in range(99): open(f'/tmp/{n}', 'w').write('a' * 10**6)\n"
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
    import nbformat

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
