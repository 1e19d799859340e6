"""One notebook of a learner, graded apart from any class."""

import shutil
import tempfile
from pathlib import Path

import nbformat
from nbgrader.utils import is_solution

from autograder.course import Course, CourseError
from autograder.definitions import names_at_a_glance
from autograder.grade import Result
from autograder.reading import lesson_told
from autograder.release import release_lesson
from autograder.submission import NotANotebook, Submission, read_notebook
from autograder.working import Terms, Worker


def grade_file(
    course: Course,
    file: Path,
    lesson: str | None = None,
    terms: Terms | None = None,
) -> Result:
    """Grade one notebook in a class folder of its own, which is removed afterwards.

    Raises CourseError when it is not known which lesson `file` belongs to.
    """
    lesson = lesson or _lesson_of(course, file)
    with tempfile.TemporaryDirectory() as folder:
        apart = Course(Path(folder).resolve(), Path(folder).resolve() / "class")
        if not course.solution(lesson).is_file():
            raise CourseError(f"{lesson} is not built; run: autograder build {lesson}")
        apart.solution(lesson).parent.mkdir(parents=True)
        shutil.copy(course.solution(lesson), apart.solution(lesson))
        release_lesson(apart, lesson)
        with Worker(apart, terms or Terms()) as worker:
            return worker.work(Submission("learner", lesson, file)).result()


def _lesson_of(course: Course, file: Path) -> str:
    """The lesson that a notebook says it is, or its file name, or its answer cells."""
    names = course.lesson_names()
    named = [name for name in names if name in file.name]
    try:
        notebook = read_notebook(file)
    except NotANotebook as error:
        if named:
            return named[0]
        raise CourseError(f"{file.name}: {error} Say its lesson: --lesson …") from None
    told = lesson_told(notebook)
    if told in names:
        return told
    if named:
        return named[0]
    text = "\n".join(cell.source for cell in notebook.cells)
    functions = {name for kind, name in names_at_a_glance(text) if kind == "function"}
    shared = {name: len(_answers(course, name) & functions) for name in names}
    best = max(names, key=shared.__getitem__, default="")
    if not shared.get(best):
        raise CourseError(
            f"{file.name}: its lesson is not known. Say it: --lesson …, "
            f"one of {', '.join(names)}."
        )
    return best


def _answers(course: Course, lesson: str) -> set[str]:
    if not course.solution(lesson).is_file():
        return set()
    notebook = nbformat.read(course.solution(lesson), as_version=4)
    cells = filter(is_solution, notebook.cells)
    return {cell.metadata.nbgrader.grade_id for cell in cells}
