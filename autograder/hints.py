"""The catalogue of mistakes → a table with which a notebook knows a mistake again.

Every wrong answer runs on the inputs of the visible checks. What it returned up to the
expectation that failed is summed up in a few numbers, a fingerprint. The notebook
carries fingerprints and hints, so it can name a mistake without holding its code.
"""

import contextlib
import importlib
import io
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from autograder.cells import Cell
from autograder.course import Course, CourseError
from autograder.lesson import Lesson
from autograder.markers import full_source, student_source

MOST_HINTS = 3  # that one message gives
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


@dataclass(frozen=True)
class Advice:
    """What support/recognising.py needs to know; `known` rows: [hint, fingerprint…]."""

    hints: tuple[str, ...]
    known: dict[str, list[list[float]]]
    sections: dict[str, str]


def advice_of(course: Course, read: Lesson) -> Advice:
    """The hints of one lesson, made by running its catalogue of mistakes.

    Raises CourseError for a mistake that does not fit the lesson, and when too many
    that look alike have different hints.
    """
    spawn = multiprocessing.get_context("spawn")  # a process without our own torch
    with ProcessPoolExecutor(1, mp_context=spawn) as process:
        found = process.submit(_fingerprints, str(course.root), read).result()
    known = _table(read, found)
    hints = sorted({hint for rows in known.values() for _, hint in rows})
    return Advice(
        tuple(hints),
        {
            title: [[hints.index(hint), *fingerprint] for fingerprint, hint in rows]
            for title, rows in known.items()
        },
        _sections(read),
    )


def _table(read: Lesson, found: list[Seen]) -> dict[str, list[tuple[Numbers, str]]]:
    """Title of a check → fingerprints and hints, each fingerprint once.

    Mistakes that look alike at a check that must catch them share their hints: one is
    the cause or the other. Raises CourseError when there are more than MOST_HINTS.
    """
    known: dict[str, dict[Numbers, list[Seen]]] = {}
    for seen in found:
        rows = known.setdefault(seen.title, {})
        rows.setdefault(seen.fingerprint, []).append(seen)
    table: dict[str, list[tuple[Numbers, str]]] = {}
    for title, rows in sorted(known.items()):
        for fingerprint, alike in sorted(rows.items()):
            own = [seen for seen in alike if seen.is_own] or alike
            hints = sorted({seen.hint for seen in own})
            if len(hints) <= MOST_HINTS:
                row = fingerprint, " Or: ".join(hints)
                table.setdefault(title, []).append(row)
            elif own[0].is_own:
                names = " and ".join(sorted({f'"{seen.mistake}"' for seen in own}))
                raise CourseError(
                    f'{read.path.name}, check "{title}": the mistakes {names} return '
                    "the same numbers; give them one hint, true for all, or a check "
                    "that tells them apart."
                )
    return table


def _sections(read: Lesson) -> dict[str, str]:
    """First word of a check's title → the heading under which it is explained."""
    sections, heading, of_answer = {}, "", {}
    for cell in read.cells:
        if not cell.is_code and cell.source.startswith("## "):
            heading = cell.source.splitlines()[0].removeprefix("## ")
        if cell.kind == "exercise":
            of_answer[cell.name] = heading
        if cell.kind == "checks" and cell.name in of_answer:
            name = read.title_of(cell).partition(":")[0]
            sections[name] = of_answer[cell.name]
    return sections


def _fingerprints(root: str, read: Lesson) -> list[Seen]:
    """What all mistakes of the lesson return in the checks that they fail."""
    os.chdir(root)
    sys.path.insert(0, os.path.join(root, "lessons"))
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)  # so that a fork is safe
    names: Names = {"__name__": "__main__"}
    for cell in read.cells:
        if cell.kind == "given":
            _run(cell.source, names)
        elif cell.is_answer:
            _run(full_source(cell.source), names)
    entries = importlib.import_module("mistakes").mistakes_of(read.name)
    sources = [_wrong_answer(read, entry) for entry in entries]
    _WARM.update(read=read, names=names, entries=entries, sources=sources)
    for name in {entry.exercise for entry in entries}:
        _traces(name, full_source(read.answer(name).source))  # fills caches
    fork = multiprocessing.get_context("fork")
    with fork.Pool(maxtasksperchild=1) as pool:
        rows = pool.map(_of_mistake, range(len(entries)), chunksize=1)
    return [row for found in rows for row in found]


def _wrong_answer(read: Lesson, mistake: Any) -> str:
    """The answer cell of a mistake; CourseError when it does not fit the lesson."""
    known = {cell.id for cell in read.checks_of(mistake.exercise)}
    if missing := ", ".join(sorted(mistake.check_ids - known)):
        raise CourseError(
            f'{read.path.name}, mistake "{mistake.name}": there is no check {missing}; '
            "correct its exercise or its checks in lessons/mistakes."
        )
    try:
        return mistake.answer(full_source(read.answer(mistake.exercise).source))
    except ValueError as error:
        raise CourseError(f"{read.path.name}: {error}.") from None


# What the forks of a warm process find there; a process serves one lesson only.
_WARM: dict = {}


def _of_mistake(number: int) -> list[Seen]:
    """What one mistake returns; what differs from run to run is left out."""
    read, mistake = _WARM["read"], _WARM["entries"][number]
    solution = full_source(read.answer(mistake.exercise).source)
    right, _ = _traces(mistake.exercise, solution)
    source = _WARM["sources"][number]
    (first, failed), (second, _) = (_traces(mistake.exercise, source) for _ in range(2))
    found = []
    for check in failed:
        trace = first[check]
        steady = trace.distance(second[check].fingerprint()) is not None
        same_as_right = trace.numbers == right[check].numbers[: len(trace.numbers)]
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
        if _run(student_source(cell.source), names, may_fail=True):
            failed.append(cell)
        traces[cell] = names["check"].trace
    return traces, failed


def _run(source: str, names: Names, may_fail: bool = False) -> bool:
    """Run a cell's source without its output; did it fail?"""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(compile(source, "<cell>", "exec"), names)
        except Exception:
            if not may_fail:
                raise
            return True
    return False
