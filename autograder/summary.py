"""Results → what the pages tell: outcomes of checks, mistakes, what to look at."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import NamedTuple

from autograder.grade import NOT_ISOLATED, CheckResult, Result, answer_of

MOST_COLUMNS = 10  # of a chart of scores, beside the one for all points
ENDED = "The answer cell ended with"  # the part of a message that names its error
# Parts of a message that tell of one answer, not of the mistake behind it.
_DETAILS = ("Right so far:", "Largest difference", "Yours:", "Read again:")
_PLACE = re.compile(r" \(line \d+ of its cell: `.*?`\)")
_TITLE = re.compile(r'checking\(\s*"([^"]*)",\s*"([^"]*)"')


class Failed(NamedTuple):
    """A check that is told of: its place in the lesson, its exercise, its title."""

    place: int = 0
    exercise: str = ""
    title: str = ""


NO_CHECK = Failed()
Said = tuple[str, str, Failed]  # a student, what is said, the check that it is about


@dataclass(frozen=True)
class Exercise:
    """The points of one exercise of a submission."""

    name: str
    points: float
    max_points: float


@dataclass(frozen=True)
class Column:
    """How many students have a score that `label` names, such as "4–5"."""

    label: str
    count: int


@dataclass(frozen=True)
class Tally:
    """How the submissions that ran did in one check."""

    title: str
    passed: int
    failed: int
    untouched: int

    @property
    def ran(self) -> int:
        return self.passed + self.failed + self.untouched

    @property
    def rate(self) -> int:
        """Percent that passed, rounded; 0 and 100 only for none and all."""
        if self.passed in (0, self.ran):
            return 100 if self.passed else 0
        return min(max(int(100 * self.passed / self.ran + 0.5), 1), 99)


@dataclass(frozen=True)
class Group:
    """Students of whom the same can be said; `titles` name the checks it is about."""

    text: str
    students: tuple[str, ...]
    titles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Remark:
    """What is to be said of one student alone."""

    student: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """One lesson of a class; what comes most often stands first."""

    lesson: str
    scores: tuple[float, ...]
    max_points: float
    checks: tuple[Tally, ...]
    mistakes: tuple[Group, ...]
    repairs: tuple[Group, ...]
    flags: tuple[Remark, ...]
    not_run: tuple[Group, ...]
    not_graded: tuple[Group, ...]

    @property
    def median(self) -> float:
        return median(self.scores) if self.scores else 0

    @property
    def mean(self) -> float:
        return round(fmean(self.scores), 1) if self.scores else 0

    @property
    def columns(self) -> list[Column]:
        """The distribution of the scores, half points rounded down."""
        most = math.ceil(self.max_points)
        width = max(1, math.ceil(most / MOST_COLUMNS))
        counts = dict.fromkeys(range(0, most + 1, width), 0)
        for score in self.scores:
            counts[int(min(max(score, 0), most)) // width * width] += 1
        ends = {start: min(start + width - 1, most) for start in counts}
        return [
            Column(f"{start}–{end}" if start < end else f"{start}", counts[start])
            for start, end in ends.items()
        ]


def title_of(source: str) -> str:
    """The title of a check cell, "attention: the causal mask"; "" without one."""
    found = _TITLE.search(source)
    return ": ".join(found.groups()) if found else ""


def exercises(result: Result) -> list[Exercise]:
    """The points of each exercise, in the order of the lesson."""
    found: dict[str, list[CheckResult]] = {}
    for check in result.checks:
        found.setdefault(answer_of(check.check), []).append(check)
    return [
        Exercise(name, sum(c.points for c in own), sum(c.max_points for c in own))
        for name, own in found.items()
    ]


def outcome(check: CheckResult) -> str:
    """ "passed", "failed" or "untouched"; a teacher's full points pass a check."""
    has_all = check.points >= check.max_points
    if has_all and (check.max_points or not check.message):
        return "passed"
    told = check.message
    is_untouched = "not attempted yet" in told.lower() and ENDED not in told
    return "untouched" if is_untouched else "failed"


def mistake(message: str) -> str:
    """What a message says of the mistake, without title and the numbers of one answer.

    The first line of several is the title of the check.
    """
    lines, kept, is_detail = message.splitlines(), [], False
    for line in map(str.strip, lines[1:] or lines):
        if line.startswith(_DETAILS):
            is_detail = True
        elif line.startswith(ENDED):
            is_detail = False
        if not is_detail:
            kept.append(line)
    return _PLACE.sub("", " ".join(kept))


def summary(
    lesson: str, results: Sequence[Result], titles: Mapping[str, str]
) -> Summary:
    """What the results of one lesson say; `titles` are its checks, in order."""
    graded = [result for result in results if result.checks]
    ran = [result for result in graded if not result.problem]
    names = list(titles) + [c.check for result in ran for c in result.checks]
    titles = {name: titles.get(name) or name for name in names}
    return Summary(
        lesson,
        tuple(sorted(result.points for result in graded)),
        max((result.max_points for result in graded), default=0),
        tuple(_tallies(ran, titles)),
        _grouped(_mistakes(ran, titles)),
        _grouped((r.student, text, NO_CHECK) for r in ran for text in r.repairs),
        _remarks((r.student, _without(r.flags)) for r in results),
        _grouped((r.student, r.problem, NO_CHECK) for r in graded if r.problem),
        _grouped((r.student, r.problem, NO_CHECK) for r in results if not r.checks),
    )


def _tallies(ran: Sequence[Result], titles: Mapping[str, str]) -> Iterator[Tally]:
    found: dict[str, list[str]] = {name: [] for name in titles}
    for result in ran:
        for check in result.checks:
            found[check.check].append(outcome(check))
    for name, ends in found.items():
        if ends:
            counts = map(ends.count, ("passed", "failed", "untouched"))
            yield Tally(titles[name], *counts)


def _mistakes(ran: Sequence[Result], titles: Mapping[str, str]) -> Iterator[Said]:
    places = {name: place for place, name in enumerate(titles)}
    for result in ran:
        for check in result.checks:
            if check.message and outcome(check) == "failed":
                place, title = places[check.check], titles[check.check]
                failed = Failed(place, answer_of(check.check), title)
                yield result.student, mistake(check.message), failed


def _grouped(found: Iterable[Said]) -> tuple[Group, ...]:
    """What is said of several students, or of several checks of an exercise, once.

    What is said of most students stands first.
    """
    students: dict[tuple[str, str], set[str]] = defaultdict(set)
    checks: dict[tuple[str, str], set[Failed]] = defaultdict(set)
    for student, text, check in found:
        students[check.exercise, text].add(student)
        checks[check.exercise, text].add(check)
    ordered = sorted(students, key=lambda k: (-len(students[k]), min(checks[k]), k))
    return tuple(
        Group(
            key[1],
            tuple(sorted(students[key])),
            tuple(check.title for check in sorted(checks[key]) if check.title),
        )
        for key in ordered
    )


def _remarks(found: Iterable[tuple[str, Sequence[str]]]) -> tuple[Remark, ...]:
    return tuple(Remark(name, tuple(texts)) for name, texts in sorted(found) if texts)


def _without(flags: Sequence[str]) -> list[str]:
    return [flag for flag in flags if flag != NOT_ISOLATED]
