"""Percent text of a lesson → its cells, with kind, id, points and line.

An error names the file, the line, the cell and the fix.
"""

from dataclasses import dataclass
from pathlib import Path

import jupytext

from autograder.course import CourseError
from autograder.markers import CellMarker, MarkerError, cell_marker

PERCENT = "# %%"


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
    text = path.read_text(encoding="utf-8")
    notebook = jupytext.reads(text, fmt="py:percent")
    starts = [n for n, line in enumerate(text.splitlines(), 1) if _opens_cell(line)]
    if len(starts) != len(notebook.cells):
        raise CourseError(
            f"{path.name}: text before the first '{PERCENT}' line; "
            "put it into a cell of its own."
        )
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
            marker = cell_marker(node.metadata)
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


def _slug(markdown: str) -> str:
    """The first heading as an id: "### 1.2 Why it works" → "1-2-why-it-works"."""
    first = markdown.split("\n", 1)[0]
    if not first.startswith("#"):
        return ""
    kept = "".join(c if c.isascii() and c.isalnum() else " " for c in first.lower())
    return "-".join(kept.split())[:48].rstrip("-")


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
    cell = Cell(
        marker.kind,
        cell_id,
        marker.name,
        source,
        line,
        points=points,
        stretch=bool(options.pop("stretch", False)),
        collapsed=bool(options.pop("collapsed", False)),
        volatile=bool(options.pop("volatile", False)),
        minutes=int(options.pop("minutes", 0)),
    )
    if options:
        raise cell_fault(path, line, cell_id, f"unknown option {', '.join(options)}")
    return cell
