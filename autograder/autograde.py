"""nbgrader's own autograde step, so that no cell costs another's points."""

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
from autograder.grade import Limits
from autograder.release import release_config

LONGEST_OUTPUT = 100_000  # characters


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
