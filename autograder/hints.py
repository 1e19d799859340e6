"""The catalogue of mistakes → a table with which a notebook knows a mistake again.

Every wrong answer runs on the inputs of the visible checks. What it returned up to the
expectation that failed is summed up in a few numbers, a fingerprint. The notebook
carries fingerprints and hints, so it can name a mistake without holding its code.
"""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from autograder.course import Course, CourseError
from autograder.fingerprints import Numbers, Seen, fingerprints
from autograder.lesson import Lesson
from autograder.lifetime import die_with_parent

MOST_HINTS = 3  # that one message gives


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
    with ProcessPoolExecutor(1, spawn, initializer=die_with_parent) as process:
        found = process.submit(fingerprints, str(course.root), read).result()
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
