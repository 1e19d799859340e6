"""What each wrong answer of the catalogue returns in the checks that it fails.

It runs on the inputs of the visible checks. What it returned up to the expectation that
failed is summed up in a few numbers, a fingerprint.
"""

import contextlib
import importlib
import io
import multiprocessing
import os
import sys
import traceback
from dataclasses import dataclass
from typing import Any

from autograder.cells import Cell, cell_fault
from autograder.course import CourseError
from autograder.lesson import Lesson
from autograder.markers import full_source, student_source

CELL = "<cell>"  # what Python calls the file of a cell
Names = dict[str, object]
Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Seen:
    """What one mistake returned in one check that it failed.

    `is_own` tells that this check is one of those that must catch it.
    """

    mistake: str
    title: str
    hint: str
    fingerprint: Numbers
    is_own: bool


def fingerprints(root: str, read: Lesson) -> list[Seen]:
    """What all mistakes of the lesson return in the checks that they fail."""
    os.chdir(root)
    sys.path.insert(0, os.path.join(root, "lessons"))
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)  # so that a fork is safe
    names: Names = {"__name__": "__main__"}
    for cell in read.cells:
        if cell.kind == "given" or cell.is_answer:
            _run_own(read, cell, names)
    entries = _catalogue(read)
    sources = [_wrong_answer(read, entry) for entry in entries]
    _WARM.update(read=read, names=names, entries=entries, sources=sources)
    for name in {entry.exercise for entry in entries}:
        _traces(name, full_source(read.answer(name).source))  # fills caches
    fork = multiprocessing.get_context("fork")
    with fork.Pool(maxtasksperchild=1) as pool:
        rows = pool.map(_of_mistake, range(len(entries)), chunksize=1)
    return [row for found in rows for row in found]


def _run_own(read: Lesson, cell: Cell, names: Names) -> None:
    """Run a cell of the lesson's own; CourseError, with its line, when it fails."""
    try:
        _run(cell.source, names)
    except Exception as error:
        line = cell.line + _line_in_cell(error)
        raise cell_fault(
            read.path, line, cell.id, f"it fails: {_said(error)}"
        ) from None


def _catalogue(read: Lesson) -> tuple[Any, ...]:
    """The mistakes of the lesson; CourseError when their file does not run."""
    try:
        return importlib.import_module("mistakes").mistakes_of(read.name)
    except Exception as error:
        raise CourseError(
            f"{read.path.name}: its mistakes in lessons/mistakes cannot be read: "
            f"{_said(error)}."
        ) from None


def _line_in_cell(error: Exception) -> int:
    """The line, counted from 1, of the cell that was running when it failed."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno or 0 for f in frames if f.filename == CELL), 0)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".rstrip(".: ")


def _wrong_answer(read: Lesson, mistake: Any) -> str:
    """The answer cell of a mistake; CourseError when it does not fit the lesson."""
    known = {cell.id for cell in read.checks_of(mistake.exercise)}
    if missing := ", ".join(sorted(mistake.check_ids - known)):
        raise CourseError(
            f'{read.path.name}, mistake "{mistake.name}": there is no check {missing}; '
            "correct its exercise or its checks in lessons/mistakes."
        )
    try:
        source = mistake.answer(full_source(read.answer(mistake.exercise).source))
        compile(source, CELL, "exec")
    except SyntaxError as error:
        problem = f"line {error.lineno} of its answer is no Python: {error.msg}"
        raise _mistaken(read, mistake, problem) from None
    except ValueError as error:
        raise CourseError(f"{read.path.name}: {error}.") from None
    return source


def _mistaken(read: Lesson, mistake: Any, problem: str) -> CourseError:
    return CourseError(
        f'{read.path.name}, mistake "{mistake.name}" of {mistake.exercise}: {problem}; '
        "correct its source or its edits in lessons/mistakes."
    )


# What the forks of a warm process find there; a process serves one lesson only.
_WARM: dict = {}


def _of_mistake(number: int) -> list[Seen]:
    """What one mistake returns; what differs from run to run is left out."""
    read, mistake = _WARM["read"], _WARM["entries"][number]
    solution = full_source(read.answer(mistake.exercise).source)
    right, _ = _traces(mistake.exercise, solution)
    source = _WARM["sources"][number]
    try:
        first, failed = _traces(mistake.exercise, source)
        second, _ = _traces(mistake.exercise, source)
    except Exception as error:
        problem = f"its answer fails before any check: {_said(error)}"
        raise _mistaken(read, mistake, problem) from None
    found = []
    for check in failed:
        trace = first[check]
        steady = trace.distance(second[check].fingerprint()) is not None
        numbers = trace.numbers()
        same_as_right = numbers == right[check].numbers()[: len(numbers)]
        if steady and not same_as_right:
            fingerprint = tuple(float(f"{n:.12g}") for n in trace.fingerprint())
            title, text = read.title_of(check), mistake.hint.text
            own = check.id in mistake.check_ids
            found.append(Seen(mistake.name, title, text, fingerprint, own))
    return found


def _traces(exercise: str, source: str) -> tuple[dict[Cell, Any], list[Cell]]:
    """What an answer returns in each visible check, and the checks that it fails."""
    read, names = _WARM["read"], dict(_WARM["names"])
    for memory in (names["checking"].left_traces, names["checking"].too_slow):
        memory.clear()
    _run(source, names)
    traces, failed = {}, []
    for cell in read.checks_of(exercise):
        names.pop("check", None)
        try:
            _run(student_source(cell.source), names)
        except Exception as error:
            if "check" not in names:
                problem = f"it fails before its check begins: {_said(error)}"
                raise cell_fault(read.path, cell.line, cell.id, problem) from None
            failed.append(cell)
        traces[cell] = names["check"].trace
    return traces, failed


def _run(source: str, names: Names) -> None:
    """Run a cell's source without its output."""
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, CELL, "exec"), names)
