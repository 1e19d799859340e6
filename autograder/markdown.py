"""Results → the summary of a job on GitHub, in which a student's text stays text.

Whatever a student wrote stands in code, in which there is no markup, no link and no
mention.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from autograder.grade import NOT_ISOLATED, CheckResult, Result, readable
from autograder.summary import exercises, outcome

# GitHub shows no summary above 1 MiB; with these, five lessons stay below half of it.
LONGEST = 1000  # characters of one message
LONGEST_LINE = 200  # of a file name, or of one thing that was repaired
MOST_LINES = 20  # of a list

Titles = Mapping[str, Mapping[str, str]]  # lesson → check → title


def markdown(results: Sequence[Result], titles: Titles) -> str:
    """The points of each lesson, then what was wrong in each."""
    total = sum(result.points for result in results)
    most = sum(result.max_points for result in results)
    rows = [(f"`{r.lesson}`", _points(r)) for r in results]
    parts = [f"# {total:g} of {most:g} points", _table(("lesson", "points"), rows)]
    for result in results:
        parts += _lesson(result, titles.get(result.lesson, {}))
    if any(NOT_ISOLATED in result.flags for result in results):
        parts.append(f"⚠ {NOT_ISOLATED}")
    return "\n\n".join(parts) + "\n"


def fenced(text: str) -> str:
    """A block of code; its fence is longer than any run of ` in the text."""
    short = _cut(readable(text), LONGEST)
    fence = "`" * max(3, _longest_run(short) + 1)
    return f"{fence}text\n{short}\n{fence}"


def listed(texts: Iterable[str]) -> str:
    """A list with a line of code for each text, and how many more there are."""
    lines = [f"- {_span(text)}" for text in texts]
    more = [f"- and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return "\n".join(lines[:MOST_LINES] + more)


def _lesson(result: Result, titles: Mapping[str, str]) -> list[str]:
    parts = [f"## `{result.lesson}`: {_points(result)}"]
    if result.problem:
        why = "It could not be run, so every check has 0 points:"
        return [*parts, why, fenced(result.problem)]
    by_outcome = {
        name: list(found)
        for name, found in groupby(sorted(result.checks, key=outcome), key=outcome)
    }
    if set(by_outcome) == {"untouched"}:
        return [*parts, "Nothing is answered yet."]
    rows = [(f"`{e.name}`", _points(e)) for e in exercises(result)]
    parts.append(_table(("exercise", "points"), rows))
    if failed := by_outcome.get("failed"):
        parts.append("### What is not right yet")
        for check in failed:
            parts += [f"{_points(check)}:", fenced(_told(check, titles))]
    if untouched := by_outcome.get("untouched"):
        parts += ["### Not attempted", listed(_title(c, titles) for c in untouched)]
    if result.repairs:
        told = "These cost no points. Please check that nothing of yours is missing."
        parts += ["### What had to be repaired", told, listed(result.repairs)]
    return parts


def _title(check: CheckResult, titles: Mapping[str, str]) -> str:
    return titles.get(check.check) or check.check


def _told(check: CheckResult, titles: Mapping[str, str]) -> str:
    """The message, below the title of the check, which most messages begin with."""
    title = _title(check, titles)
    first = check.message.partition("\n")[0].lstrip("✗○ ")
    return check.message if first == title else f"✗ {title}\n  {check.message}"


def _points(of: Result | CheckResult) -> str:
    if not of.max_points:
        return "no points"
    unit = "point" if of.max_points == 1 else "points"
    return f"{of.points:g} of {of.max_points:g} {unit}"


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = [head, ("---", "---:"), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _span(text: str) -> str:
    """Code within a line; its fence is longer than any run of ` in the text."""
    line = _cut(" ".join(readable(text).split()), LONGEST_LINE)
    fence = "`" * (_longest_run(line) + 1)
    return f"{fence} {line} {fence}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + " …"
