"""Small changes to a lesson's own answers that its checks do not notice.

Run it from the repository root: make survivors LESSON=04_kv_cache
or for one exercise:
PYTHONPATH=lessons:tests .venv/bin/python tests/survivors.py 04_kv_cache token_passes

Cosmic Ray makes the changes: another operator, a number one more or less, a condition
turned round. Each answer that still passes is printed, as a diff; so is one that costs
another exercise a point. Many are as right as the answer, or change only the text of an
error. Each of the others is a check that is missing.
"""

import difflib
import sys
from collections.abc import Iterator
from itertools import count

from answers import Right
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from lesson_runner import COURSE, checks_of, exercises, lesson_text
from mutants import Outcome, judged

from autograder.markers import full_source


def changed(source: str) -> Iterator[tuple[str, str]]:
    """What was changed in `source`, as a diff, and the source with this change."""
    seen = {source}
    for name in sorted(operator_names()):
        kind = get_operator(name)
        if kind.arguments():  # these want a choice of ours
            continue
        for number in count():
            other = mutate_code(source, kind(), number)
            if other is None:
                break
            if other not in seen:
                seen.add(other)
                yield _diff(source, other), other


def _diff(old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in list(lines)[2:] if line[:2] != "@@")


def outcomes(lesson: str, names: list[str]) -> Iterator[Outcome]:
    """What the checks of a lesson say of each change to the answers `names`."""
    jobs = []
    for name in names:
        own = full_source(lesson_text(lesson).answer(name).source)
        jobs += [(lesson, Right(name, *change)) for change in changed(own)]
    return judged(jobs)


def fault(outcome: Outcome) -> str:
    """Why this change needs a look; "" when only its own checks notice it."""
    own = checks_of(outcome.lesson, outcome.entry.exercise)
    failed = set(outcome.failed)
    if failed - own:
        return f"costs points at {', '.join(sorted(failed - own))}"
    return "" if failed else "passes"


def main(lesson: str = "", *names: str) -> None:
    """Print the changes to a lesson, or to all, that need a look, and how many."""
    for name in [lesson] if lesson else COURSE.lesson_names():
        found = list(outcomes(name, list(names) or exercises(name)))
        faults = [(outcome.entry, fault(outcome)) for outcome in found]
        faults = sorted((e.exercise, told, e.style) for e, told in faults if told)
        for exercise, told, diff in faults:
            print(f"{exercise}: {told}\n{diff}\n")
        print(f"{name}: {len(found)} changes, {len(faults)} to look at", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
