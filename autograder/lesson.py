"""The cells of a lesson → a checked `Lesson`: the rules that every lesson keeps."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from autograder.cells import Cell, cell_fault, read_cells
from autograder.check_cells import choices_in, title_in
from autograder.course import CourseError
from autograder.markers import (
    HIDDEN,
    SOLUTION,
    MarkerError,
    fenced,
    letters_of,
    regions,
)

POINTS = 20
Found = TypeVar("Found")


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

    def has_question(self, name: str) -> bool:
        return any(cell.name == name for cell in self.of_kind("question"))

    def checks_of(self, name: str) -> list[Cell]:
        """The check cells of one exercise or question, in order."""
        return [cell for cell in self.of_kind("checks") if cell.name == name]

    def title_of(self, check: Cell) -> str:
        """What a check cell calls its check: "layer_norm: where eps stands"."""
        return ": ".join(_read(self.path, check, title_in))

    def choices_of(self, question: Cell) -> tuple[str, dict[str, str]]:
        """The right letter of a question, and every letter with its explanation.

        Raises CourseError when its hidden check does not explain these choices.
        """
        letters = _read(self.path, question, letters_of)
        for cell in self.checks_of(question.name):
            if found := _read(self.path, cell, choices_in):
                if problem := _unexplained(letters, found[1]):
                    raise cell_fault(self.path, cell.line, cell.id, problem)
                return found
        raise cell_fault(
            self.path,
            question.line,
            question.id,
            "its hidden check does not explain the choices; "
            "call check.choice(answer, right, because={…})",
        )


def _read(path: Path, cell: Cell, reader: Callable[[str], Found]) -> Found:
    """What `reader` finds in a cell's source; its MarkerError becomes a CourseError."""
    try:
        return reader(cell.source)
    except MarkerError as error:
        line = cell.line + 1 + error.line
        raise cell_fault(path, line, cell.id, str(error)) from None


def _unexplained(letters: list[str], reasons: dict[str, str]) -> str:
    """What is wrong with the reasons for the letters that @param offers, or ""."""
    if missing := [letter for letter in letters if not reasons.get(letter)]:
        return f"because= gives no reason for {', '.join(missing)}; add one"
    if more := [letter for letter in reasons if letter not in letters]:
        return f"because= explains {', '.join(more)}, which @param does not offer"
    return ""


def read_lesson(path: Path) -> Lesson:
    """Read and check the lesson in the percent-format file `path`.

    Raises CourseError for the first broken rule.
    """
    cells = read_cells(path)
    _check_unique(path, cells)
    for cell in cells:
        if cell.is_code:
            _check_python(path, cell)
            _check_regions(path, cell)
    _check_pairs(path, cells)
    _check_points(path, [cell for cell in cells if cell.kind == "checks"])
    read = Lesson(path.stem, path, tuple(cells))
    _check_titles(read)
    for question in read.of_kind("question"):
        read.choices_of(question)
    return read


def _check_points(path: Path, checks: list[Cell]) -> None:
    total = sum(cell.points for cell in checks)
    if total != POINTS:
        rows = [f"  line {cell.line}, {cell.id}: {cell.points}" for cell in checks]
        problem = f"the points of all check cells sum to {total}, not {POINTS}"
        heading = f"{path.name}: {problem}; change points=… in the check cells:"
        raise CourseError("\n".join([heading, *rows]))


def _check_unique(path: Path, cells: list[Cell]) -> None:
    seen: dict[str, int] = {}
    for cell in cells:
        if cell.id in seen:
            raise cell_fault(
                path,
                cell.line,
                cell.id,
                f"two cells of this name, the first in line {seen[cell.id]}; "
                "rename one (for text: change its heading)",
            )
        seen[cell.id] = cell.line


def _check_titles(read: Lesson) -> None:
    """The score panel and the hints know a check by its title.

    It begins with the function that the check watches: the one that the cell belongs
    to, or another one of the same exercise.
    """
    seen: set[str] = set()
    for cell in read.of_kind("checks"):
        title = read.title_of(cell)
        if title in seen:
            problem = f'two checks are called "{title}"; give one another title'
            raise cell_fault(read.path, cell.line, cell.id, problem)
        watched = title.partition(": ")[0]
        if watched not in (cell.name, *functions_in(read.answer(cell.name).source)):
            problem = f'it watches {watched}; write checking("{cell.name}", "…")'
            raise cell_fault(read.path, cell.line, cell.id, problem)
        seen.add(title)


def _check_python(path: Path, cell: Cell) -> None:
    try:
        ast.parse(cell.source)
    except SyntaxError as error:
        line = cell.line + (error.lineno or 1)
        raise cell_fault(path, line, cell.id, f"no valid Python: {error.msg}") from None


def _check_regions(path: Path, cell: Cell) -> None:
    for region in _read(path, cell, regions):
        line = cell.line + 1 + region.first
        if region.kind == HIDDEN and cell.kind != "checks":
            raise cell_fault(
                path,
                line,
                cell.id,
                "hidden checks outside a check cell; move them into one "
                f'that starts with # %% checks="{cell.name}"',
            )
        if region.kind == SOLUTION and not cell.is_answer:
            raise cell_fault(
                path, line, cell.id, "a solution outside an exercise or question cell"
            )
    hidden = fenced(cell.source, HIDDEN)
    if hidden and hidden[0].split("#")[0].strip() != "check.hidden()":
        raise cell_fault(
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
                raise cell_fault(
                    path,
                    cell.line,
                    cell.id,
                    f"no exercise or question named {cell.name} stands before it",
                )
            if answers[cell.name].stretch and cell.points:
                raise cell_fault(
                    path, cell.line, cell.id, "a stretch exercise carries 0 points"
                )
            checked.add(cell.name)
        elif cell.is_answer:
            _check_answer(path, cell)
            placed.add(cell.name)
    for name, cell in answers.items():
        if name not in checked:
            raise cell_fault(
                path,
                cell.line,
                name,
                f'no check cell; add one that starts with # %% checks="{name}"',
            )


def _check_answer(path: Path, cell: Cell) -> None:
    if not fenced(cell.source, SOLUTION):
        raise cell_fault(
            path,
            cell.line,
            cell.id,
            "no solution; put it between ### BEGIN SOLUTION and ### END SOLUTION",
        )
    if cell.kind == "exercise" and cell.name not in functions_in(cell.source):
        raise cell_fault(
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
