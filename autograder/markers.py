"""The one parser for the markers that stand in a lesson's text.

Two kinds of marker exist. A cell marker opens a cell and names it:

    # %% exercise="attention" minutes=12

Region markers stand inside a cell and fence off what a learner must not see:

    ### BEGIN SOLUTION … ### END SOLUTION             (exercise and question cells)
    ### BEGIN HIDDEN TESTS … ### END HIDDEN TESTS     (check cells)
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

KINDS = ("given", "exercise", "checks", "question", "demo", "generated")
VOLATILE = "nbval-ignore-output"  # tag of a cell whose output differs by machine
STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")
SOLUTION = "SOLUTION"
HIDDEN = "HIDDEN TESTS"

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_REGION = re.compile(r"\s*### (BEGIN|END) (SOLUTION|HIDDEN TESTS)\s*")
_CHOICE = re.compile(r"(?P<name>\w+ = )\"\w+\"(?P<form>  # @param (?P<letters>\[.+\]))")


class MarkerError(ValueError):
    """A marker that cannot be read; `line` counts from 0 within the cell."""

    def __init__(self, problem: str, line: int = 0):
        super().__init__(problem)
        self.line = line


@dataclass(frozen=True)
class CellMarker:
    """Kind, name and options of a code cell, read from its `# %%` line."""

    kind: str
    name: str
    options: Mapping[str, object]


@dataclass(frozen=True)
class Region:
    """Lines `first` to `last` (from 0, markers included) of one fenced region."""

    kind: str
    first: int
    last: int


def cell_marker(metadata: Mapping[str, object], line: str = "# %%") -> CellMarker:
    """The marker that jupytext read from the `# %%` line `line` as cell metadata.

    Raises MarkerError when the line cannot be read, and when the cell names no kind,
    two kinds, or an unfit name.
    """
    if _UNREAD in metadata:
        raise MarkerError(
            f"cannot read {line!r}; a text stands in double quotes, a number does not, "
            'for example: # %% exercise="layer_norm" minutes=5'
        )
    kinds = [kind for kind in KINDS if kind in metadata]
    if len(kinds) != 1:
        found = " and ".join(kinds) or "none"
        raise MarkerError(
            f"a code cell needs one kind of {', '.join(KINDS)}, found {found} in "
            f'{line!r}; write for example: # %% given="setup"'
        )
    kind = kinds[0]
    name = metadata[kind]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise MarkerError(
            f"{name!r} is no cell name; use lower-case letters, digits and _, "
            f'for example: # %% {kind}="layer_norm"'
        )
    options = {k: v for k, v in metadata.items() if k not in (kind, *_JUPYTEXT)}
    return CellMarker(kind, name, options)


_JUPYTEXT = ("lines_to_next_cell", "title")
_UNREAD = "incorrectly_encoded_metadata"


def regions(source: str) -> list[Region]:
    """All fenced regions of a cell in order.

    Raises MarkerError for a region that is nested, not closed or not opened.
    """
    found: list[Region] = []
    opened: tuple[str, int] | None = None
    for number, line in enumerate(source.splitlines()):
        match = _REGION.fullmatch(line)
        if match is None:
            if "### BEGIN" in line or "### END" in line:
                raise MarkerError(f"cannot read the marker {line.strip()!r}", number)
            continue
        verb, kind = match.groups()
        if verb == "BEGIN":
            if opened:
                raise MarkerError(
                    f"### BEGIN {kind} inside an open region; "
                    f"add ### END {opened[0]} before it",
                    number,
                )
            opened = (kind, number)
        elif opened is None or opened[0] != kind:
            raise MarkerError(f"### END {kind} without its ### BEGIN {kind}", number)
        else:
            found.append(Region(kind, opened[1], number))
            opened = None
    if opened:
        raise MarkerError(
            f"### BEGIN {opened[0]} is never closed; add ### END {opened[0]}",
            opened[1],
        )
    return found


def fenced(source: str, kind: str) -> list[str]:
    """The lines between the markers of all regions of one kind."""
    lines = source.splitlines()
    return [
        line
        for region in regions(source)
        if region.kind == kind
        for line in lines[region.first + 1 : region.last]
    ]


def unfenced(source: str) -> list[str]:
    """The lines outside every region, without the markers."""
    lines = source.splitlines()
    inside = {
        number
        for region in regions(source)
        for number in range(region.first, region.last + 1)
    }
    return [line for number, line in enumerate(lines) if number not in inside]


def student_source(source: str) -> str:
    """A cell as a student gets it: stubs for solutions, no hidden checks.

    A solution region that is one form line, `answer_1 = "b"  # @param […]`, becomes
    `answer_1 = None  # @param […]`; any other becomes the stub that raises.
    """
    lines = source.splitlines()
    kept: list[str] = []
    position = 0
    for region in regions(source):
        kept += lines[position : region.first]
        if region.kind == SOLUTION:
            indent = lines[region.first][: -len(lines[region.first].lstrip())]
            kept += [indent + line for line in _stub(lines, region)]
        position = region.last + 1
    return "\n".join(kept + lines[position:]).rstrip()


def _stub(lines: list[str], region: Region) -> tuple[str, ...]:
    choice = _choice(lines[region.first + 1 : region.last])
    return (f"{choice['name']}None{choice['form']}",) if choice else STUB


def _choice(body: list[str]) -> re.Match[str] | None:
    return _CHOICE.fullmatch(body[0]) if len(body) == 1 else None


def letters_of(question: str) -> list[str]:
    """The letters that the form line of a question's source offers.

    Raises MarkerError when its solution is no such line.
    """
    choice = _choice(fenced(question, SOLUTION))
    try:
        return list(map(str, json.loads(choice["letters"])))  # type: ignore[index]
    except (TypeError, ValueError):
        raise MarkerError(
            "its solution must be one line, with double quotes and two spaces, such as "
            'answer_1 = "b"  # @param ["a", "b"]'
        ) from None


def full_source(source: str) -> str:
    """A cell with its solution but without the solution markers."""
    lines = source.splitlines()
    markers = {
        number
        for region in regions(source)
        if region.kind == SOLUTION
        for number in (region.first, region.last)
    }
    return "\n".join(line for n, line in enumerate(lines) if n not in markers)
