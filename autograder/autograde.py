"""nbgrader's autograde step with limits, and so that no cell costs another's points."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import nbformat
from nbformat import NotebookNode
from nbgrader.converters import Autograde
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    Execute,
    NbGraderPreprocessor,
    SaveAutoGrades,
)
from nbgrader.utils import is_grade
from traitlets.config import Config

from autograder.course import Course
from autograder.grade import answer_of
from autograder.release import release_config
from autograder.steps import NbgraderFailed, run_nbgrader

CRASHES = 3  # cells of one notebook that may end Python
TAKEN_OUT = "this cell ended Python and was taken out"
LONGEST_OUTPUT = 100_000  # characters


@dataclass(frozen=True)
class Limits:
    """Seconds for one cell, for a whole notebook, and for a cell after that."""

    cell: float = 30
    total: float = 120
    late_cell: float = 1


class ShortOutputs(NbGraderPreprocessor):
    """Cuts long text, and drops what a check cell has on stderr.

    A check fails by raising; a thread or a daemon of an answer may write to stderr
    while it runs, and nbgrader would take that for a failure.
    """

    def preprocess_cell(self, cell, resources, cell_index):
        outputs = cell.get("outputs", [])
        if is_grade(cell):
            outputs = [output for output in outputs if output.get("name") != "stderr"]
        for output in outputs:
            for part in ("text", "evalue"):
                if len(output.get(part, "")) > LONGEST_OUTPUT:
                    output[part] = output[part][:LONGEST_OUTPUT] + "\n… cut here"
        if cell.cell_type == "code":
            cell.outputs = outputs
        return cell, resources


def grading_config(course: Course) -> Config:
    """nbgrader's settings for releases and for autograde."""
    config = release_config(course)
    config.Execute.timeout = Limits.cell
    # A loop that swallows interrupts must cost its own cells, not the whole notebook.
    config.Execute.raise_on_iopub_timeout = False
    config.Execute.iopub_timeout = 1
    config.Execute.shutdown_kernel = "immediate"
    # The kernel's own warnings would stand between the lines of a progress bar.
    config.Execute.extra_arguments = [
        "--IPKernelApp.log_level=ERROR",
        # exit() in a cell would end Python, and with it every other check.
        "--IPKernelApp.exec_lines=get_ipython().ask_exit = lambda: None",
    ]
    config.Autograde.autograde_preprocessors = [
        Execute,
        ShortOutputs,  # before SaveAutoGrades, which takes stderr for a failed check
        SaveAutoGrades,
        AssignLatePenalties,
        CheckCellMetadata,
    ]
    return config


def autograde(
    course: Course, lesson: str, student: str, limits: Limits
) -> tuple[str, ...]:
    """Run nbgrader's autograde step on the repaired notebook of one student.

    A cell that ends Python (a crash, os._exit) is taken out and the step is run again,
    so that the other checks keep their points; the remarks that come back name it.
    Raises NbgraderFailed.
    """
    config = grading_config(course)
    config.CourseDirectory.submitted_directory = str(course.repaired)
    config.Execute.timeout_func = _clock(limits)
    remarks: tuple[str, ...] = ()
    while True:
        ran: list[NotebookNode] = []
        config.Execute.on_cell_execute = lambda cell, ran=ran, **_: ran.append(cell)
        try:
            run_nbgrader(Autograde, config, lesson, student)
            return remarks
        except NbgraderFailed as error:
            crashed = "DeadKernelError" in str(error) and ran
            if not crashed or len(remarks) == CRASHES:
                raise
            cell_id = _take_out(course, lesson, student, ran[-1])
            remarks += (f"The cell {cell_id} ended Python and was taken out.",)


def _take_out(course: Course, lesson: str, student: str, fatal: NotebookNode) -> str:
    """Replace the cell that ended Python, or the answer that a check called; its id."""
    file = course.repaired / student / lesson / f"{lesson}.ipynb"
    notebook = nbformat.read(file, as_version=4)
    cell_id = fatal.id
    if is_grade(fatal):
        cell_id = answer_of(fatal.metadata.nbgrader.grade_id)
    for cell in notebook.cells:
        if cell.id == cell_id:
            cell.source = f"raise SystemError({TAKEN_OUT!r})"
    nbformat.write(notebook, file)
    return cell_id


def _clock(limits: Limits) -> Callable[[NotebookNode], float]:
    end = time.monotonic() + limits.total
    return lambda cell: limits.cell if time.monotonic() < end else limits.late_cell
