"""Solution notebook → release folder, through nbgrader's own generate_assignment.

The stubs are ours, because nbgrader cannot make those of the question cells. A guard
then reads every file of the release: no line of an answer or hidden check may remain.
"""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

import nbformat
from nbformat import NotebookNode
from nbgrader.api import MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearOutput,
    ComputeChecksums,
    LockCells,
    NbGraderPreprocessor,
    SaveCells,
)
from nbgrader.utils import is_grade, is_solution
from traitlets.config import Config

from autograder.course import Course, CourseError
from autograder.folders import make_folder
from autograder.markers import HIDDEN, SOLUTION, fenced, student_source, unfenced
from autograder.steps import NbgraderFailed, folders_config, gradebook_of, run_nbgrader

# A shorter line, such as "return x", says too little to be an answer.
SECRET_LENGTH = 15
MARKERS = ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS")


class StudentCells(NbGraderPreprocessor):
    """Puts stubs in place of solutions and lets "run all" go on past failed checks.

    Hidden checks stay in: SaveCells stores them in the gradebook after this step, and
    ClearHiddenTests removes them after that.
    """

    def preprocess(self, nb, resources):
        nb.metadata["course"] = {
            **nb.metadata.get("course", {}),
            "solution": _digest(nb),
        }
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell, resources, cell_index):
        if is_solution(cell):
            cell.source = student_source(cell.source)
        if is_grade(cell):
            tags = cell.metadata.get("tags", [])
            cell.metadata["tags"] = sorted({*tags, "raises-exception"})
        return cell, resources


def release_config(course: Course) -> Config:
    """nbgrader's settings for the folders and for generate_assignment."""
    config = folders_config(course)
    config.GenerateAssignment.preprocessors = [
        StudentCells,  # first: it takes the digest of the solution as it is
        LockCells,
        ClearOutput,
        CheckCellMetadata,
        ComputeChecksums,
        SaveCells,
        ClearHiddenTests,
        ComputeChecksums,  # once more: the hidden checks are gone
        CheckCellMetadata,
    ]
    return config


def release_lesson(course: Course, name: str) -> Path:
    """Make class/release/`name` and save its cells in the gradebook; returns the file.

    Raises CourseError when the lesson is not built, when the class has another version
    of it in its own solutions/, when handed-in work no longer fits its cells, when the
    class's folder cannot be written to, when nbgrader refuses, and when an answer would
    reach students; nothing is released then.
    """
    solution = _solution(course, name)
    make_folder(course.class_dir, "--class-dir")
    _refuse_changed_cells(course, name, solution)
    folder = course.released(name).parent
    shutil.rmtree(folder, ignore_errors=True)
    try:
        run_nbgrader(GenerateAssignment, release_config(course), name)
    except NbgraderFailed as error:
        raise CourseError(f"{name}: nbgrader could not release it: {error}") from None
    found = leaks(folder, solution)
    if found:
        shutil.rmtree(folder)
        raise CourseError(
            f"{name} is not released, it would show answers to students. "
            f"Change these lines in lessons/{name}.py: " + "; ".join(found)
        )
    return course.released(name)


def is_current(course: Course, name: str) -> bool:
    """Whether `name` is released, from the solution notebook as it is now.

    Raises CourseError when the class has another one in its own solutions/.
    """
    file = course.released(name)
    if not file.is_file() or not course.has_gradebook:
        return False
    made_from = nbformat.read(file, as_version=4).metadata.get("course", {})
    if made_from.get("solution") != _digest(_solution(course, name)):
        return False
    with gradebook_of(course) as gradebook:
        try:
            gradebook.find_notebook(name, name)
        except MissingEntry:
            return False
    return True


def leaks(folder: Path, solution: NotebookNode) -> list[str]:
    """Places in the files of `folder` that show what `solution` keeps from students.

    A secret is a line of a solution or hidden check that stands in no public part of
    the solution's code cells. Each place is told as file, cell, line and text.
    """
    secrets = _secrets(solution)
    return [
        f"{file.relative_to(folder)}, {place}, line {number}: {line.strip()[:70]}"
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        for place, text in _texts(file)
        for number, line in enumerate(text.splitlines(), 1)
        if any(secret in line for secret in secrets)
    ]


def _solution(course: Course, name: str) -> NotebookNode:
    file = course.solution(name)
    if not file.is_file():
        raise CourseError(
            f"{name} has no solution notebook; run: autograder build {name}"
        )
    own = course.class_dir / "solutions" / name / file.name
    if own.is_file() and own.read_bytes() != file.read_bytes():
        raise CourseError(
            f"{name}: the class's own {own} differs from the course's {file}, which "
            f"alone counts here. Make a change of yours in lessons/{name}.py of the "
            f"course and run there: autograder build {name}. Then take the course's: "
            f"cp {quote(str(file))} {quote(str(own))}. Or grade with nbgrader "
            f"autograde {name}, which goes by the class's own."
        )
    return nbformat.read(file, as_version=4)


def _digest(notebook: NotebookNode) -> str:
    return hashlib.sha256(nbformat.writes(notebook).encode()).hexdigest()


def _refuse_changed_cells(course: Course, name: str, solution: NotebookNode) -> None:
    """Say no before nbgrader does, which would first delete the old release."""
    with gradebook_of(course) as gradebook:
        try:
            notebook = gradebook.find_notebook(name, name)
        except MissingEntry:
            return
        handed_in = len(notebook.submissions)
        old = {cell.name for cell in notebook.source_cells}
    ours = [cell.metadata.get("nbgrader") for cell in solution.cells]
    changed = old ^ {data["grade_id"] for data in ours if data}
    if handed_in and changed:
        cells = ", ".join(sorted(changed))
        raise CourseError(
            f"{name}: cells were added, removed or renamed ({cells}), but "
            f"the gradebook holds {handed_in} submission(s) of it. "
            "Finish this class with the old version of the lesson, or move the folder "
            f"{course.class_dir.name}/ away to begin a new class."
        )


def _secrets(solution: NotebookNode) -> set[str]:
    code = [cell.source for cell in solution.cells if cell.cell_type == "code"]
    public = "\n".join(line for source in code for line in unfenced(source))
    kept = {
        line.strip()
        for source in code
        for kind in (SOLUTION, HIDDEN)
        for line in fenced(source, kind)
    }
    long = {line for line in kept if len(line) >= SECRET_LENGTH and line not in public}
    return long | set(MARKERS)


def _texts(file: Path) -> Iterator[tuple[str, str]]:
    """All texts of a file with their places; a notebook cell's source comes first."""
    if file.suffix != ".ipynb":
        yield "text", file.read_text(encoding="utf-8", errors="replace")
        return
    notebook = nbformat.read(file, as_version=4)
    for cell in notebook.pop("cells"):
        yield f"cell {cell.id}", cell.pop("source")
        yield from ((f"cell {cell.id}, not its source", t) for t in _strings(cell))
    yield from (("metadata", text) for text in _strings(notebook))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _strings([*value.keys(), *value.values()])
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
