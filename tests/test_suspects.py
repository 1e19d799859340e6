"""What is remarked on, and that no honest notebook is."""

import nbformat
import pytest
from correct_variations import variations
from lesson_runner import COURSE
from mutants import right_answers
from students import solutions

from autograder.suspects import suspects
from mistakes import mistakes_of

LESSONS = COURSE.lesson_names()


def told(source):
    """The remarks on one cell of a student."""
    cell = nbformat.v4.new_code_cell(source, id="own")
    return list(suspects(nbformat.v4.new_notebook(cells=[cell])))


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_known_answer_is_remarked_on(lesson):
    right = solutions(lesson)
    sources = [*right.values(), *(r.source for r in right_answers(lesson))]
    sources += [m.answer(right[m.exercise]) for m in mistakes_of(lesson)]
    assert len(sources) > 20
    assert [source for source in sources if told(source)] == []


def test_no_correct_variation_is_remarked_on():
    assert [r.source for _, r in variations(300) if told(r.source)] == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_cell_of_the_course_is_remarked_on(lesson):
    for file in (COURSE.notebook(lesson), COURSE.solution(lesson)):
        assert list(suspects(nbformat.read(file, as_version=4))) == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_cells_of_the_course_that_lost_their_metadata_are_no_attack(lesson):
    """Repair keeps a demo cell that it does not know again as one of the student."""
    cells = nbformat.read(COURSE.notebook(lesson), as_version=4).cells
    demos = [c for c in cells if c.metadata.get("course", {}).get("kind") == "demo"]
    assert demos
    assert [remarks for cell in demos if (remarks := told(cell.source))] == []


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("import ctypes", "ctypes"),
        ("os.kill(1, 9)", "os.kill"),
        ("open('/proc/1/mem')", "/proc"),
        ("sys._getframe(1)", "_getframe"),
        ("frame.f_back", "f_back"),
        ("gc.get_objects()", "gc.get_objects"),
        ("get_ipython().ast_transformers", "ast_transformers"),
        ("x = 1\ntorch.allclose = torch.equal = yes", "torch.allclose ="),
        ("class checking:\n    pass", "class checking"),
        ("checking  =  None", "checking ="),
        ("f = checking", "checking"),
        ("c = globals()['checking']", "'checking'"),
        ("vars(checking)", "(checking)"),
        ("checking._borrowed(f)(x)", "checking._borrowed"),
        ("c.stand_ins['mlp'](x)", ".stand_ins"),
        ("c.borrowing = True", ".borrowing"),
        ("_Watch._verdict = no", "_Watch"),
        ("import threading", "threading"),
        ("from concurrent.futures import Executor", "concurrent.futures"),
        (
            "with torch._C.DisableTorchFunction(): pass",
            "torch._C, DisableTorchFunction",
        ),
        (
            "torch.overrides._pop_mode_temporarily()",
            "torch.overrides, _pop_mode_temporarily",
        ),
        ("z.register_hook(f)", "register_hook"),
        ("class T(torch.Tensor):\n    pass", "(torch.Tensor):"),
        ("exec(code)", "exec"),
        ("import socket, socket", "socket"),
        ("def __eq__(self, other): return True", "__eq__"),
    ],
)
def test_what_attacks_are_made_of_is_named_once(source, word):
    assert told(source) == [f"Have a look at the cell own: it uses {word}."]


@pytest.mark.parametrize(
    "source",
    [
        "def f(x: torch.Tensor = None): return x",
        "model.eval()\nre.compile('a')\ntorch.compile(model)",
        "torch.backends.cudnn.deterministic = True",
        "if torch.float32 == x.dtype: pass",
        "isinstance(x, torch.Tensor)",
        "with checking('a', 'b') as check:\n    check.equal(1, 1)",
    ],
)
def test_ordinary_code_that_looks_alike_is_left_alone(source):
    assert told(source) == []
