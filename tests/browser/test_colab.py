"""The notebooks alone in an empty folder, with the versions that Colab has."""

import os
import resource
import subprocess

import nbformat
import pytest
from lesson_runner import COURSE
from servers import COLAB
from students import errors, solved, untouched

SECONDS = 20  # from top to bottom on two cores, see style.md
each_lesson = pytest.mark.parametrize("lesson", COURSE.lesson_names())


def executed(notebook, folder):
    """`notebook` after a run of all cells with Colab's packages and nothing of ours."""
    file = folder / "lesson.ipynb"
    nbformat.write(notebook, file)
    command = [COLAB / "bin" / "jupyter-execute", "--inplace", "--allow-errors", file]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    clean |= {"HOME": str(folder), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    subprocess.run(command, cwd=folder, env=clean, check=True, capture_output=True)
    return nbformat.read(file, as_version=4)


@each_lesson
def test_a_solved_notebook_passes_every_check_in_time(lesson, tmp_path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    notebook = executed(solved(lesson), tmp_path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    assert worked < SECONDS  # of work: what else the machine does is not ours
    assert errors(notebook) == {}


@each_lesson
def test_an_untouched_notebook_says_that_nothing_was_tried(lesson, tmp_path):
    notebook = executed(untouched(lesson), tmp_path)
    assert set(errors(notebook).values()) == {"NotAttempted"}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr", cell.id
