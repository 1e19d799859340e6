"""Notebooks as students hand them in, made from the built self-study editions."""

import tempfile

import nbformat
from lesson_runner import COURSE, lesson_text
from nbclient import NotebookClient
from nbformat import NotebookNode

from autograder.course import Course
from autograder.markers import full_source


def untouched(lesson: str) -> NotebookNode:
    return nbformat.read(COURSE.notebook(lesson), as_version=4)


def solutions(lesson: str) -> dict[str, str]:
    """The course's own answer of every exercise and question."""
    cells = lesson_text(lesson).cells
    return {cell.name: full_source(cell.source) for cell in cells if cell.is_answer}


def answered(lesson: str, answers: dict[str, str]) -> NotebookNode:
    """The self-study notebook with `answers` written into its answer cells."""
    notebook = untouched(lesson)
    cells = {cell.id: cell for cell in notebook.cells}
    for name, source in answers.items():
        cells[name].source = source
    return notebook


def class_edition(course: Course, lesson: str, answers: dict[str, str]) -> NotebookNode:
    """The notebook that a class of `course` got, with `answers` written into it."""
    notebook = nbformat.read(course.released(lesson), as_version=4)
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source)
    return notebook


def solved(lesson: str, **changes: str) -> NotebookNode:
    """The self-study notebook with every right answer, but for `changes`."""
    return answered(lesson, solutions(lesson) | changes)


def execute(notebook: NotebookNode) -> NotebookNode:
    """Run a notebook alone in an empty folder, past every error."""
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            timeout=60,
            allow_errors=True,
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": folder}},
        ).execute()
    return notebook


def errors(notebook: NotebookNode) -> dict[str, str]:
    """Cell id → name of the error that its output shows."""
    return {
        cell.id: output.ename
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    }
