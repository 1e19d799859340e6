"""Runs a lesson's check cells on given answers, in this process, without a notebook."""

import contextlib
import io
from functools import cache
from pathlib import Path

import nbformat
import torch

from autograder.cells import Cell
from autograder.course import Course
from autograder.lesson import read_lesson
from autograder.markers import student_source
from support.advice import Advice

# Tensors here are tiny: a second thread costs more than it brings.
torch.set_num_threads(1)
COURSE = Course.at(Path(__file__).parents[1])


@cache
def lesson_text(name):
    return read_lesson(COURSE.source(name))


@cache
def given_names(name):
    """The names after the lesson's given cells; support code is imported, once.

    The checks get their hints from the built notebook, as a learner's do.
    """
    names = {"__name__": "__main__"}
    for cell in lesson_text(name).of_kind("given"):
        _run(cell, cell.source, names)
    built = nbformat.read(COURSE.notebook(name), as_version=4)
    hints = next(cell.source for cell in built.cells if cell.id == "advice")
    exec(hints, names | {"Advice": Advice})
    return names


def _run(cell: Cell, source: str, names: dict) -> str:
    """The message of the exception that ends a cell, or "" when there is none."""
    code = compile(source, f"<{cell.id}>", "exec")
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(code, names)
        except Exception as error:
            if cell.kind != "checks":
                raise
            return f"{type(error).__name__}: {error}"
    return ""


def failures(name: str, answers: dict[str, str]) -> dict[str, str]:
    """Ids of the failed checks of lesson `name`, with their messages.

    `answers` maps exercises to sources that replace the lesson's own solutions.
    """
    lesson = lesson_text(name)
    names = dict(given_names(name))
    for memory in (names["checking"].left_traces, names["checking"].too_slow):
        memory.clear()  # of earlier answers
    failed = {}
    for cell in lesson.cells:
        if cell.is_answer:
            _run(cell, answers.get(cell.name, cell.source), names)
        elif cell.kind == "checks":
            message = _run(cell, cell.source, names)
            if message:
                failed[cell.id] = message
    return failed


def solution_names(name: str) -> dict:
    """The names after the lesson's given cells and its own solutions."""
    names = dict(given_names(name))
    for cell in lesson_text(name).cells:
        if cell.is_answer:
            _run(cell, cell.source, names)
    return names


def exercises(name: str) -> list[str]:
    """Names of the lesson's exercises, stretch exercises included."""
    return [cell.name for cell in lesson_text(name).of_kind("exercise")]


def stubs(name: str) -> dict[str, str]:
    """What a student gets in place of every answer."""
    cells = lesson_text(name).cells
    return {c.name: student_source(c.source) for c in cells if c.is_answer}


def checks_of(name: str, exercise: str) -> set[str]:
    return {cell.id for cell in lesson_text(name).checks_of(exercise)}
