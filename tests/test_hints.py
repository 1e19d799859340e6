"""Hints from a small catalogue of mistakes, with the real checks and torch."""

import json
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
import torch
from small_lesson import add_catalogue, edit, write_course
from students import errors, execute

from autograder.build import build_lesson
from autograder.course import Course, CourseError
from autograder.freshness import is_built
from autograder.hints import MOST_HINTS, advice_of
from autograder.lesson import read_lesson
from support.advice import Advice
from support.recognising import Trace

NAME = "01_small"
SQUARE, TRIPLE, SIX = "This is a square.", "This is three times.", "Six more, it seems."
SAME = "Nothing seems to be done."
# Name, checks that must catch it, hint, body of double. The checks give it 1, 3, 4, 5,
# 6, 7, one each, and the last one 8 and 9.
MISTAKES = [
    ("square", (2,), SQUARE, "return x * x  # the wrong power"),
    ("three times", (1, 2), TRIPLE, "return x + x + x"),
    ("six more", (2,), SIX, "return x + 6"),
    ("input", (1,), SAME, "return x"),
    ("input, copied", (1,), SAME, "return x + 0"),
    ("four times", (2,), "This is four times.", "return 4 * x"),
    ("power", (2,), "This is a power of two.", "return 2 ** x"),
    ("twelve more", (1,), "Twelve more, it seems.", "return x + 12"),
    ("refuses", (1,), "Nothing has to be refused.", "raise ValueError('never twice')"),
    (
        "a tensor",
        (1,),
        "A tensor that holds five.",
        "import torch; return torch.tensor(2 * x if x > 1 else 5)",
    ),
    ("only small", (2,), "Only for positive x.", "return 2 * x if x > 0 else 0"),
    (
        "differs",
        (1,),
        "It differs in each run.",
        "import secrets; return secrets.randbelow(10**9)",
    ),
    ("a float", (1,), "A float where an int is meant.", "return 2.0 * x"),
    ("stops at one", (1,), "A loop without end.", "while x == 1: pass\n    return 2*x"),
    ("stops at nine", (7,), "A late loop.", "while x == 9: pass\n    return 2 * x"),
]
LAST_CHECK = """
# %% checks="double" points=0
with checking("double", "both") as check:
    check.equal(double(8), 16, "eight")
    check.equal(double(9), 18, "nine")
"""


def write_small_course(root, mistakes):
    write_course(root)
    add_catalogue(root, mistakes)
    course = Course.at(root)
    source = course.source(NAME)
    source.write_text(source.read_text() + LAST_CHECK)
    return course


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The small course with its catalogue of mistakes, built."""
    course = write_small_course(tmp_path_factory.mktemp("course"), MISTAKES)
    assert build_lesson(course, NAME)
    return course


@pytest.fixture(scope="module")
def notebook(course):
    return nbformat.read(course.notebook(NAME), as_version=4)


@pytest.fixture(scope="module")
def advice(notebook):
    """The hints as the notebook holds them."""
    return run_advice(notebook)


def run_advice(notebook):
    class Checking:
        pass

    cell = next(cell for cell in notebook.cells if cell.id == "advice")
    names = {"Advice": Advice, "checking": Checking()}
    exec(cell.source, names)
    return names["checking"].advice


def said(advice, check, *results):
    """The hint for an answer that returned `results`, call by call, in a check."""
    trace = Trace()
    for result in results:
        trace.add(result)
    return advice.cause(f"double: {check}", trace)


def test_a_mistake_is_known_by_what_it_returns(advice):
    assert said(advice, "one", 3) == TRIPLE
    assert said(advice, "one", ValueError("never twice")) == (
        "Nothing has to be refused."
    )
    assert said(advice, "one", 3, 3) == ""
    assert said(advice, "one", 5) == ""


def test_it_is_known_at_other_checks_that_it_fails_as_well(advice):
    assert said(advice, "number 5", 25) == SQUARE
    assert said(advice, "number 7", 13) == SIX
    assert said(advice, "both", 24) == TRIPLE


def test_only_visible_checks_that_fail_are_kept(advice):
    assert said(advice, "one", 2) == ""  # two to the power of one
    assert said(advice, "more", 6) == ""
    assert said(advice, "one", torch.tensor(5)) == "A tensor that holds five."
    assert said(advice, "more", torch.tensor(6)) == ""
    assert "Only for positive x." not in advice.hints  # a hidden check catches it


@pytest.mark.parametrize(
    "hint",
    [
        "It differs in each run.",
        "A float where an int is meant.",
        "A loop without end.",
        "A late loop.",
    ],
)
def test_what_differs_or_is_right_so_far_or_never_returns_is_left_out(advice, hint):
    assert not any(hint in text for text in advice.hints)


def test_mistakes_alike_at_their_own_check_share_their_hints(advice):
    three = f"{SIX} Or: {SQUARE} Or: {TRIPLE}"
    assert said(advice, "more", 9) == three
    assert three.count("Or:") == MOST_HINTS - 1


def test_a_hint_that_two_mistakes_share_is_given_once(advice):
    assert said(advice, "more", 3) == SAME


def test_the_mistake_whose_own_check_it_is_wins(advice):
    assert said(advice, "one", 1) == SAME  # so does the square of 1


def test_mistakes_alike_at_no_check_of_theirs_share_hints_up_to_a_limit(advice):
    assert said(advice, "number 6", 12 + 6) == f"{TRIPLE} Or: Twelve more, it seems."
    assert said(advice, "number 4", 16) == ""  # four mistakes return it


def test_a_check_leads_to_the_section_of_its_exercise(advice):
    assert advice.sections == {"double": "Doubling"}


def test_too_many_hints_for_one_fingerprint_are_refused(tmp_path):
    fourth = ("nine", (2,), "Always nine.", "return 9")
    course = write_small_course(tmp_path, [*MISTAKES[:4], fourth])
    with pytest.raises(CourseError) as caught:
        advice_of(course, read_lesson(course.source(NAME)))
    assert str(caught.value).startswith(
        '01_small.py, check "double: more": the mistakes "nine" and "six more" and '
        '"square" and "three times" return the same numbers; give them one hint'
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "source='def double(x):\\n    return x\\n'",
            "edits=(('absent', 'new'),)",
            "01_small.py: mistake 'input' of double: 'absent' does not stand in",
        ),
        ("(1,)", "(9,)", '01_small.py, mistake "input": .* no check double_check_9;'),
        ("'double'", "'treble'", 'mistake "input": .* no check treble_check_1; corr'),
        (
            "    return x",
            "    return x x",
            '01_small.py, mistake "input" of double: line 2 of its answer is no '
            "Python: invalid syntax; correct its source",
        ),
        (
            "def double",
            "import torchh\\ndef double",
            'mistake "input" of double: its answer fails before any check: '
            "ModuleNotFoundError: No module named 'torchh'; correct",
        ),
        (
            "MISTAKES = (",
            "MISTAKES = = (",
            "01_small.py: its mistakes .* SyntaxError: inv",
        ),
    ],
)
def test_a_mistake_that_does_not_fit_the_lesson_is_named(tmp_path, old, new, words):
    course = write_small_course(tmp_path, [("input", (1,), SAME, "return x")])
    edit(course.lessons / "mistakes" / "small.py", old, new)
    with pytest.raises(CourseError, match=words):
        advice_of(course, read_lesson(course.source(NAME)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "from support.checks",
            "import torchh\nfrom support.checks",
            "line 6, cell setup: it fails: ModuleNotFoundError: No module named",
        ),
        (
            "    ### END SOLUTION\n\n# %% checks",
            "    ### END SOLUTION\ndouble({})\n\n# %% checks",
            r"line 25, cell double: it fails: TypeError: unsupported operand",
        ),
        (
            'checking("double", "one")',
            'open("/absent"), checking("double", "one")',
            "cell double_check_1: it fails before its check begins: FileNotFoundError",
        ),
    ],
)
def test_a_cell_of_the_lesson_that_fails_is_named(tmp_path, old, new, words):
    course = write_small_course(tmp_path, [("input", (1,), SAME, "return x")])
    edit(course.source(NAME), old, new)
    with pytest.raises(CourseError, match=f"01_small.py, .*{words}"):
        advice_of(course, read_lesson(course.source(NAME)))


BUILD = """
from autograder.build import build_lesson
from autograder.course import Course
build_lesson(Course.at(__import__("pathlib").Path.cwd()), "01_small")
"""


def test_a_killed_build_leaves_no_process_behind(tmp_path):
    course = write_small_course(tmp_path, [("input", (1,), SAME, "return x")])
    waits = 'import os, time\nos.write(1, b"started")\ntime.sleep(60)\n'
    edit(course.source(NAME), "from support.checks", f"{waits}from support.checks")
    process = subprocess.Popen(
        [sys.executable, "-c", BUILD], cwd=tmp_path, stdout=subprocess.PIPE
    )
    assert process.stdout.read(7) == b"started"
    process.kill()
    process.communicate(timeout=20)  # until nobody holds the pipe any more


def test_an_error_in_a_check_itself_is_told_as_it_is(tmp_path):
    course = write_small_course(tmp_path, [("input", (1,), SAME, "return x")])
    edit(course.source(NAME), "check.equal(double(-12345)", "check.equals(double(1)")
    words = (
        "cell double_check_2: it fails with the lesson's own answer; the cell or the "
        "answer is wrong, as it raises AttributeError: 'Check' object has no attribute"
    )
    with pytest.raises(CourseError, match=words):
        build_lesson(course, NAME)


def test_the_notebook_names_the_mistake_of_a_learner(notebook):
    notebook = nbformat.from_dict(notebook)
    cells = {cell.id: cell for cell in notebook.cells}
    cells["double"].source = "def double(number):\n    return number ** 2"
    cells["quick_1"].source = 'answer_1 = "a"'
    execute(notebook)
    failed = [f"double_check_{number}" for number in range(1, 8)]
    assert list(errors(notebook)) == failed
    message = {
        name: " ".join(cells[name].outputs[-1].evalue.split()) for name in failed
    }
    for name, hint in (("double_check_1", SAME), ("double_check_4", SQUARE)):
        assert re.search(r"Read again: .?Doubling", message[name])
        assert f"The answer differs. {hint} " in message[name]


def test_no_code_of_the_catalogue_and_no_answer_stands_in_the_notebook(notebook):
    code = "\n".join(c.source for c in notebook.cells if c.cell_type == "code")
    lines = {line.strip() for *_, body in MISTAKES for line in body.splitlines()}
    secret = lines - {"return x"}  # which support code may hold as well
    assert len(secret) > 10
    everything = json.dumps(notebook)
    assert [line for line in secret if line in everything] == ["return 2 * x"]
    assert "return 2 * x" not in code  # its only place is the folded solution
    assert [name for name, *_ in MISTAKES if f'"{name}"' in everything] == []


def test_running_the_catalogue_again_gives_the_same_bytes(course):
    before = course.solution(NAME).read_bytes(), course.notebook(NAME).read_bytes()
    assert not build_lesson(course, NAME, force=True)
    assert before == (
        course.solution(NAME).read_bytes(),
        course.notebook(NAME).read_bytes(),
    )


@pytest.mark.parametrize("file", ["__init__.py", "small.py"])
def test_a_changed_catalogue_makes_the_build_stale(course, tmp_path, file):
    copy = Course.at(shutil.copytree(course.root, tmp_path / "course"))
    assert is_built(copy, NAME)
    edit(copy.lessons / "mistakes" / file, "Mistake", "  Mistake")
    assert not is_built(copy, NAME)
