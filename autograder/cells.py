"""Percent text of a lesson → its cells, with kind, id, points and line.

An error names the file, the line, the cell and the fix.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jupytext
from nbformat import NotebookNode, ValidationError

from autograder.course import CourseError
from autograder.markers import CellMarker, MarkerError, cell_marker

PERCENT = "# %%"
# What jupytext takes for the start of a cell as well.
_ALIKE = re.compile(r"\s*#\s*(%%+(\s.*)?|<codecell>|In\[[0-9 ]*\]:?)\s*")
_INSIDE = (PERCENT + " ", "%% ")  # a marker in a string, or in uncommented text


@dataclass(frozen=True)
class Cell:
    """One cell of a lesson. `kind` is "markdown" or one of markers.KINDS.

    `id` is unique in the lesson and stays the same when the cell's text changes:
    it is the nbgrader grade id and the notebook's cell id. `line` counts from 1. The
    output of a `volatile` cell differs between machines and is not compared.
    """

    kind: str
    id: str
    name: str
    source: str
    line: int
    points: int = 0
    stretch: bool = False
    collapsed: bool = False
    volatile: bool = False
    minutes: int = 0

    @property
    def is_code(self) -> bool:
        return self.kind != "markdown"

    @property
    def is_answer(self) -> bool:
        """Is it a cell that a learner fills in for points?"""
        return self.kind in ("exercise", "question")


def cell_fault(path: Path, line: int, cell: str, problem: str) -> CourseError:
    """The error that names where in a lesson `problem` lies."""
    return CourseError(f"{path.name}, line {line}, cell {cell}: {problem}.")


def read_cells(path: Path) -> list[Cell]:
    """All cells of the lesson in the file `path`; CourseError if it cannot be read."""
    text = path.read_text(encoding="utf-8-sig")  # some editors begin with a mark
    lines = text.splitlines()
    starts = [n for n, line in enumerate(lines, 1) if _opens_cell(line)]
    try:
        notebook = _parsed(text)
    except ValidationError:
        raise _unreadable(path, lines, starts) from None
    if len(starts) != len(notebook.cells):
        raise _misread(path, lines, starts, notebook.cells)
    cells: list[Cell] = []
    heading, since, checks = "start", 0, {}
    for start, node in zip(starts, notebook.cells, strict=True):
        if node.cell_type == "markdown":
            slug = _slug(node.source)
            heading, since = (slug, 0) if slug else (heading, since + 1)
            name = f"{heading}-{since}" if since else heading
            cells.append(Cell("markdown", f"text-{name}", name, node.source, start))
            continue
        try:
            marker = cell_marker(node.metadata, lines[start - 1])
        except MarkerError as error:
            raise cell_fault(
                path, start, f"number {len(cells) + 1}", str(error)
            ) from None
        if marker.kind == "checks":
            checks[marker.name] = checks.get(marker.name, 0) + 1
        cells.append(_code_cell(path, start, marker, node.source, checks))
    return cells


def _opens_cell(line: str) -> bool:
    return line == PERCENT or line.startswith(PERCENT + " ")


def _parsed(text: str) -> NotebookNode:
    return jupytext.reads(text, fmt="py:percent")


def _unreadable(path: Path, lines: list[str], starts: list[int]) -> CourseError:
    """The error of the first '# %%' line that makes no valid cell."""

    def is_valid(start: int) -> bool:
        try:
            return bool(_parsed(lines[start - 1]))
        except ValidationError:
            return False

    number = next((n for n, start in enumerate(starts) if not is_valid(start)), 0)
    start = starts[number]
    problem = (
        f"cannot read {lines[start - 1]!r}; give each option a value: collapsed=true"
    )
    return cell_fault(path, start, f"number {number + 1}", problem)


def _misread(
    path: Path, lines: list[str], starts: list[int], cells: Sequence[NotebookNode]
) -> CourseError:
    """Why the lines that open a cell are not where jupytext begins a cell."""
    for number, line in enumerate(lines, 1):
        if _ALIKE.fullmatch(line) and not _opens_cell(line):
            before = sum(start < number for start in starts)
            problem = f"{line!r} is no marker; begin the line with '{PERCENT} '"
            return cell_fault(path, number, f"number {before + 1}", problem)
    for number, (start, cell) in enumerate(zip(starts, cells, strict=False), 1):
        if any(line.startswith(_INSIDE) for line in cell.source.splitlines()):
            problem = (
                f"it goes on over the next '{PERCENT}' line; close its string or ```"
            )
            return cell_fault(path, start, f"number {number}", problem)
    problem = f"text before the first '{PERCENT}' line; put it into a cell of its own"
    return cell_fault(path, 1, "number 1", problem)


def _slug(markdown: str) -> str:
    """The first heading as an id: "### 1.2 Why it works" → "1-2-why-it-works"."""
    first = markdown.split("\n", 1)[0]
    if not first.startswith("#"):
        return ""
    kept = "".join(c if c.isascii() and c.isalnum() else " " for c in first.lower())
    return "-".join(kept.split())[:48].rstrip("-")


_FLAGS = ("stretch", "collapsed", "volatile")


def _code_cell(
    path: Path, line: int, marker: CellMarker, source: str, checks: dict[str, int]
) -> Cell:
    options = dict(marker.options)
    points = options.pop("points", 0)
    cell_id = marker.name
    if marker.kind == "checks":
        cell_id = f"{marker.name}_check_{checks[marker.name]}"
        if type(points) is not int or not 0 <= points <= 3:
            raise cell_fault(
                path, line, cell_id, f"points={points!r}; use 0, 1, 2 or 3"
            )
    elif points:
        raise cell_fault(path, line, cell_id, "points belong to check cells; move them")
    for name, value in options.items():
        if name in _FLAGS and not isinstance(value, bool):
            raise cell_fault(
                path, line, cell_id, f"{name}={value!r}; use true or false"
            )
    minutes = options.pop("minutes", 0)
    if type(minutes) is not int or minutes < 0:
        problem = f"minutes={minutes!r}; use a whole number, such as 5"
        raise cell_fault(path, line, cell_id, problem)
    cell = Cell(
        marker.kind,
        cell_id,
        marker.name,
        source,
        line,
        points=points,
        minutes=minutes,
        **{flag: options.pop(flag, False) for flag in _FLAGS},
    )
    if options:
        raise cell_fault(path, line, cell_id, f"unknown option {', '.join(options)}")
    return cell
