"""One notebook of a learner, graded apart from any class."""

import shutil
import tempfile
from pathlib import Path

import nbformat
from nbgrader.utils import is_solution

from autograder.course import Course, CourseError
from autograder.definitions import names_at_a_glance
from autograder.grade import Result
from autograder.reading import NotANotebook, lesson_of, read_notebook
from autograder.release import release_lesson
from autograder.submission import Submission
from autograder.working import Terms, Worker


def refuse_archive(file: Path) -> None:
    """Raises CourseError for a ZIP, as an LMS hands out the work of a class."""
    if file.suffix.lower() == ".zip":
        raise CourseError(
            f"{file} is a ZIP archive. Unpack it and grade the folder: "
            "autograder grade FOLDER"
        )


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
    """The lesson that a file tells, or else the one whose answers it holds."""
    names = course.lesson_names()
    try:
        return lesson_of(file, names)
    except CourseError:
        functions = _functions(file)
        shared = {name: len(_answers(course, name) & functions) for name in names}
        best = max(names, key=shared.__getitem__, default="")
        if not shared.get(best):
            raise
        return best


def _functions(file: Path) -> set[str]:
    """The functions that a notebook defines; none if it is no notebook."""
    try:
        cells = read_notebook(file).cells
    except NotANotebook:
        return set()
    text = "\n".join(cell.source for cell in cells)
    return {name for kind, name in names_at_a_glance(text) if kind == "function"}


def _answers(course: Course, lesson: str) -> set[str]:
    if not course.solution(lesson).is_file():
        return set()
    notebook = nbformat.read(course.solution(lesson), as_version=4)
    cells = filter(is_solution, notebook.cells)
    return {cell.metadata.nbgrader.grade_id for cell in cells}
