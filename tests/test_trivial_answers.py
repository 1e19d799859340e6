"""No check gives a point for an answer that does no work."""

import ast

import pytest
from answers import Right
from lesson_runner import COURSE, exercises, lesson_text
from mutants import judged

# `a` holds what the function is given; the checks of a part must ask for more.
TRIVIAL = {
    "refuses everything": "raise ValueError('no')",
    "the first argument": "return a[0]",
    "the second argument": "return a[1]",
    "zeros of its shape": "return 0 * a[0]",
    "NaN of its shape": "return a[0] * math.nan",
    "a single zero": "return torch.zeros(())",
    "0": "return 0",
}


def answer(cell, body):
    """Every function of an answer, with this body."""
    names = [n.name for n in ast.parse(cell.source).body if hasattr(n, "name")]
    make = "def {}(*a, **named):\n    a = (*a, *named.values())\n    {}\n"
    return "import math, torch\n" + "\n".join(make.format(n, body) for n in names)


@pytest.mark.parametrize("lesson", COURSE.lesson_names())
def test_an_answer_without_work_gets_no_point(lesson):
    cells = [lesson_text(lesson).answer(name) for name in exercises(lesson)]
    jobs = [
        (lesson, Right(cell.name, style, answer(cell, body)))
        for cell in cells
        for style, body in TRIVIAL.items()
    ]
    checks = {c.name: lesson_text(lesson).checks_of(c.name) for c in cells}
    gained = [
        (outcome.entry.exercise, outcome.entry.style, cell.id)
        for outcome in judged(jobs)
        for cell in checks[outcome.entry.exercise]
        if cell.points and cell.id not in outcome.failed
    ]
    assert gained == []
