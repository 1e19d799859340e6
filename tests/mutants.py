"""Every known wrong answer and every right one in another style, against the checks.

Run it from the repository root: make mutants
or for one lesson, with every message that a learner would read:
PYTHONPATH=lessons:tests .venv/bin/python tests/mutants.py 01_block --messages

A wrong answer must fail at its own checks and cost no other exercise a point; its
message should name the fault; a right answer must get everything. One warm process
forks for each answer, so that none can disturb the next.
"""

import importlib
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from answers import Right
from lesson_runner import COURSE, checks_of, failures, lesson_text
from rich.console import Console
from rich.progress import track
from rich.table import Table

from autograder.markers import full_source
from mistakes import Mistake, mistakes_of

SHOW = "--messages"
IN_HIDDEN = "a hidden check of this part"  # how a message of such a check begins
NAMED_SHARE = 0.9  # of the wrong answers must be named by the message, see checks.md


@dataclass(frozen=True)
class Outcome:
    """What the checks of a lesson say of one answer."""

    lesson: str
    entry: Mistake | Right
    failed: dict[str, str]  # check id → message
    faults: tuple[str, ...] = field(default=())

    @property
    def is_mistake(self) -> bool:
        return isinstance(self.entry, Mistake)

    @property
    def is_named(self) -> bool:
        """Does a message of a visible check name what the mistake's hint is about?"""
        subject = self.entry.hint.subject.lower()
        shown = (" ".join(text.split()) for text in self.failed.values())
        return any(
            subject in text.lower() and IN_HIDDEN not in text.lower() for text in shown
        )


def right_answers(lesson: str) -> tuple[Right, ...]:
    return tuple(importlib.import_module(f"right_answers.{lesson[3:]}").RIGHT)


def judge(lesson: str, entry: Mistake | Right) -> Outcome:
    """Run all checks of the lesson with this one answer in place of its own."""
    if isinstance(entry, Right):
        failed = failures(lesson, {entry.exercise: entry.source})
        faults = tuple(f"costs points at {check}" for check in failed)
        return Outcome(lesson, entry, failed, faults)
    solution = full_source(lesson_text(lesson).answer(entry.exercise).source)
    failed = failures(lesson, {entry.exercise: entry.answer(solution)})
    faults = [f"{check} passes" for check in sorted(entry.check_ids - set(failed))]
    others = set(failed) - checks_of(lesson, entry.exercise)
    faults += [f"also costs points at {check}" for check in sorted(others)]
    return Outcome(lesson, entry, failed, tuple(faults))


def outcomes(lessons: list[str]) -> Iterator[Outcome]:
    """The outcomes of all entries of `lessons`, in no particular order."""
    jobs = []
    for lesson in lessons:
        entries = (*mistakes_of(lesson), *right_answers(lesson))
        jobs += [(lesson, entry) for entry in entries]
    return judged(jobs)


def judged(jobs: list[tuple[str, Mistake | Right]]) -> Iterator[Outcome]:
    """The outcomes of lessons with one answer each, in no particular order."""
    for lesson in sorted({lesson for lesson, _ in jobs}):
        assert failures(lesson, {}) == {}, f"{lesson}: its own answers fail"  # warms up
    fork = multiprocessing.get_context("fork")
    with fork.Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        results = pool.imap_unordered(_judge, jobs)
        yield from track(results, total=len(jobs), transient=True)


def _judge(job: tuple[str, Mistake | Right]) -> Outcome:
    return judge(*job)


def table(found: list[Outcome]) -> Table:
    """Caught, named and accepted answers per lesson."""
    sheet = Table("lesson", "wrong", "caught", "named", "right", "accepted")
    for lesson in [*sorted({outcome.lesson for outcome in found}), "all"]:
        mine = [o for o in found if lesson in (o.lesson, "all")]
        wrong = [o for o in mine if o.is_mistake]
        right = [o for o in mine if not o.is_mistake]
        counts = (
            len(wrong),
            sum(not o.faults for o in wrong),
            sum(o.is_named for o in wrong),
            len(right),
            sum(not o.faults for o in right),
        )
        sheet.add_row(lesson, *map(str, counts))
    return sheet


def show_messages(console: Console, outcome: Outcome) -> None:
    """Print what a learner reads who gives this wrong answer."""
    entry = outcome.entry
    named = "named" if outcome.is_named else "NOT NAMED"
    console.print(f"## {entry.exercise}: {entry.name} [{named}]")
    console.print(f"hint: {entry.hint.text} (subject: {entry.hint.subject})")
    for message in outcome.failed.values():
        console.print(message)


def main(arguments: list[str]) -> int:
    """Print the table and every fault; 0 when all goals are reached."""
    lessons = [name for name in arguments if name != SHOW] or COURSE.lesson_names()
    started = time.monotonic()
    found = list(outcomes(lessons))
    console = Console(soft_wrap=True, markup=False, highlight=False)
    if SHOW in arguments:
        for outcome in filter(lambda outcome: outcome.is_mistake, found):
            show_messages(console, outcome)
    for outcome in found:
        name = getattr(outcome.entry, "name", None) or outcome.entry.style
        for fault in outcome.faults:
            console.print(
                f"✗ {outcome.lesson}, {outcome.entry.exercise}, {name}: {fault}"
            )
    console.print(table(found))
    wrong = [outcome for outcome in found if outcome.is_mistake]
    named = sum(outcome.is_named for outcome in wrong)
    console.print(f"{len(found)} answers in {time.monotonic() - started:.0f} s")
    if named < NAMED_SHARE * len(wrong):
        console.print(f"✗ only {named} of {len(wrong)} wrong answers are named")
        return 1
    return int(any(outcome.faults for outcome in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
