"""Where a solved notebook was saved changes the score of no check."""

import json
import shutil

import nbformat
import pytest
from conftest import HAS_BWRAP
from lesson_runner import COURSE
from nbformat import NotebookNode
from shapes import SHAPES
from students import class_edition, solutions, solved

from autograder.course import Course
from autograder.release import release_lesson
from autograder.submission import Submission
from autograder.working import Terms, Worker

LESSONS = COURSE.lesson_names()
# Half of the shapes get the class's edition, half the self-study one.
OF_THE_CLASS = ("Colab 4.0", "Kaggle")


@pytest.fixture(scope="module", params=LESSONS)
def lesson(request, tmp_path_factory):
    """A lesson's name, and what its worker makes of a notebook in a file's text."""
    name, root = request.param, tmp_path_factory.mktemp("shapes")
    (root / "lessons").mkdir()
    course = Course.at(root)
    course.solution(name).parent.mkdir(parents=True)
    shutil.copy(COURSE.solution(name), course.solution(name))
    release_lesson(course, name)
    with Worker(course, Terms("bwrap" if HAS_BWRAP else "none")) as worker:

        def grade(notebook: dict):
            file = root / f"{name}.ipynb"
            file.write_text(json.dumps(notebook), encoding="utf-8")
            return worker.work(Submission("ada", name, file)).result()

        yield course, name, grade


@pytest.fixture(scope="module")
def plain(lesson):
    _, name, grade = lesson
    result = grade(as_json(solved(name)))
    assert (result.points, result.max_points) == (20, 20)
    return result.scores


def as_json(notebook: NotebookNode) -> dict:
    return json.loads(nbformat.writes(notebook))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_check_has_the_score_of_the_plain_notebook(lesson, plain, shape):
    course, name, grade = lesson
    if shape in OF_THE_CLASS:
        notebook = class_edition(course, name, solutions(name))
    else:
        notebook = solved(name)
    saved = SHAPES[shape](as_json(notebook))
    result = grade(saved)
    assert result.scores == plain
    assert result.problem == ""
    assert [flag for flag in result.flags if "isolation" not in flag] == []


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_what_its_site_saves(shape):
    saved = SHAPES[shape](as_json(solved(LESSONS[0])))
    code = [cell for cell in saved["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] and cell["execution_count"] for cell in code)
    assert {"id" in cell for cell in saved["cells"]} == {saved["nbformat_minor"] == 5}
    nbformat.validate(saved)
