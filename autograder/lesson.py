"""Percent text of a lesson → a checked `Lesson`.

The rules that every lesson keeps are checked here, once; an error names the file,
the line, the cell and the fix.
"""

import ast
from dataclasses import dataclass
from pathlib import Path

import jupytext

from autograder.course import CourseError
from autograder.markers import (
    HIDDEN,
    SOLUTION,
    CellMarker,
    MarkerError,
    cell_marker,
    fenced,
    regions,
)

POINTS = 20
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


@dataclass(frozen=True)
class Lesson:
    """A lesson that keeps all rules: `name` is the file's stem, such as "01_block"."""

    name: str
    path: Path
    cells: tuple[Cell, ...]

    def of_kind(self, kind: str) -> list[Cell]:
        return [cell for cell in self.cells if cell.kind == kind]

    def answer(self, name: str) -> Cell:
        """The exercise or question of that name."""
        return next(cell for cell in self.cells if cell.is_answer and cell.name == name)

    def checks_of(self, name: str) -> list[Cell]:
        """The check cells of one exercise or question, in order."""
        return [cell for cell in self.of_kind("checks") if cell.name == name]


def read_lesson(path: Path) -> Lesson:
    """Read and check the lesson in the percent-format file `path`.

    Raises CourseError for the first broken rule.
    """
    cells = _cells(path)
    _check_unique(path, cells)
    for cell in cells:
        if cell.is_code:
            _check_python(path, cell)
            _check_regions(path, cell)
    _check_pairs(path, cells)
    total = sum(cell.points for cell in cells)
    if total != POINTS:
        raise CourseError(
            f"{path.name}: the points of all check cells sum to {total}, not {POINTS}; "
            "change points=… in the check cells."
        )
    return Lesson(path.stem, path, tuple(cells))


def _fault(path: Path, line: int, cell: str, problem: str) -> CourseError:
    return CourseError(f"{path.name}, line {line}, cell {cell}: {problem}.")


def _cells(path: Path) -> list[Cell]:
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
            raise _fault(path, start, f"number {len(cells) + 1}", str(error)) from None
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
            raise _fault(path, line, cell_id, f"points={points!r}; use 0, 1, 2 or 3")
    elif points:
        raise _fault(path, line, cell_id, "points belong to check cells; move them")
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
        raise _fault(path, line, cell_id, f"unknown option {', '.join(options)}")
    return cell


def _check_unique(path: Path, cells: list[Cell]) -> None:
    seen: dict[str, int] = {}
    for cell in cells:
        if cell.id in seen:
            raise _fault(
                path,
                cell.line,
                cell.id,
                f"two cells of this name, the first in line {seen[cell.id]}; "
                "rename one (for text: change its heading)",
            )
        seen[cell.id] = cell.line


def _check_python(path: Path, cell: Cell) -> None:
    try:
        ast.parse(cell.source)
    except SyntaxError as error:
        line = cell.line + (error.lineno or 1)
        raise _fault(path, line, cell.id, f"no valid Python: {error.msg}") from None


def _check_regions(path: Path, cell: Cell) -> None:
    try:
        found = regions(cell.source)
    except MarkerError as error:
        line = cell.line + 1 + error.line
        raise _fault(path, line, cell.id, str(error)) from None
    for region in found:
        line = cell.line + 1 + region.first
        if region.kind == HIDDEN and cell.kind != "checks":
            raise _fault(
                path,
                line,
                cell.id,
                "hidden checks outside a check cell; move them into one "
                f'that starts with # %% checks="{cell.name}"',
            )
        if region.kind == SOLUTION and not cell.is_answer:
            raise _fault(
                path, line, cell.id, "a solution outside an exercise or question cell"
            )
    hidden = fenced(cell.source, HIDDEN)
    if hidden and hidden[0].split("#")[0].strip() != "check.hidden()":
        raise _fault(
            path,
            cell.line,
            cell.id,
            "hidden checks must begin with check.hidden(), so that their messages "
            "show no expected numbers",
        )


def _check_pairs(path: Path, cells: list[Cell]) -> None:
    """Every exercise and question has a solution and checks, and comes before them."""
    answers = {cell.name: cell for cell in cells if cell.is_answer}
    placed: set[str] = set()
    checked: set[str] = set()
    for cell in cells:
        if cell.kind == "checks":
            if cell.name not in placed:
                raise _fault(
                    path,
                    cell.line,
                    cell.id,
                    f"no exercise or question named {cell.name} stands before it",
                )
            if answers[cell.name].stretch and cell.points:
                raise _fault(
                    path, cell.line, cell.id, "a stretch exercise carries 0 points"
                )
            checked.add(cell.name)
        elif cell.is_answer:
            _check_answer(path, cell)
            placed.add(cell.name)
    for name, cell in answers.items():
        if name not in checked:
            raise _fault(
                path,
                cell.line,
                name,
                f'no check cell; add one that starts with # %% checks="{name}"',
            )


def _check_answer(path: Path, cell: Cell) -> None:
    if not fenced(cell.source, SOLUTION):
        raise _fault(
            path,
            cell.line,
            cell.id,
            "no solution; put it between ### BEGIN SOLUTION and ### END SOLUTION",
        )
    if cell.kind == "exercise" and cell.name not in functions_in(cell.source):
        raise _fault(
            path,
            cell.line,
            cell.id,
            f"it defines no function {cell.name}; an exercise is named after "
            "its function",
        )


def functions_in(source: str) -> list[str]:
    """Names of the functions that a cell's source defines at its top level."""
    body = ast.parse(source).body
    return [node.name for node in body if isinstance(node, ast.FunctionDef)]
