"""A learner's folder → its notebooks, graded apart from any class, and their pages.

Nobody knows who filled the folder: no link in it is followed, and nothing in it is run
outside the sandbox.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.batch import grade_class
from autograder.class_page import check_titles
from autograder.course import Course, CourseError
from autograder.folders import make_folder
from autograder.grade import Result
from autograder.reading import lesson_of
from autograder.submission import Submission
from autograder.working import Terms

LEARNER = "learner"  # the one student of the class that is made to grade a folder


@dataclass(frozen=True)
class Found:
    """Notebooks: the one to grade of each lesson, copies of it, and all others."""

    chosen: Mapping[str, Path] = field(default_factory=dict)
    copies: tuple[Path, ...] = ()
    others: tuple[Path, ...] = ()


def find_notebooks(course: Course, paths: Sequence[Path]) -> Found:
    """The notebooks of lessons among files and in folders.

    A lesson's is the one of the exact name, then the one that lies nearest to the top.
    Raises CourseError for a path that is a link or does not exist, for a folder that
    cannot be read, and when the course lies in it.
    """
    names, by_lesson, others = course.lesson_names(), {}, []
    for file in sorted(set(_notebooks(course, paths)), key=_order):
        try:
            by_lesson.setdefault(lesson_of(file, names), []).append(file)
        except CourseError:
            others.append(file)
    chosen, copies = {}, []
    for lesson, files in sorted(by_lesson.items()):
        files.sort(key=lambda file: file.name != f"{lesson}.ipynb")
        chosen[lesson] = files[0]
        copies += files[1:]
    return Found(chosen, tuple(copies), tuple(others))


def grade_notebooks(
    course: Course,
    notebooks: Mapping[str, Path],
    pages: Path | None = None,
    terms: Terms | None = None,
) -> tuple[list[Result], dict[str, dict[str, str]]]:
    """The results of lessons, and the titles of their checks by lesson.

    Writes `pages`/LESSON.html for each, if `pages` is given. The class that is made
    for it is removed again. Raises CourseError when `pages` cannot be written to.
    """
    if pages:
        make_folder(pages, "--feedback")
    submissions = [Submission(LEARNER, name, file) for name, file in notebooks.items()]
    jobs = min(len(submissions), os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as folder:
        apart = Course.at(course.root, Path(folder))
        results = grade_class(apart, submissions, jobs=jobs, terms=terms)
        titles = {name: check_titles(apart, name) for name in notebooks}
        for name in notebooks if pages else ():
            page = apart.feedback / LEARNER / name / f"{name}.html"
            if page.is_file():
                shutil.copyfile(page, pages / page.name)
    return results, titles


def _notebooks(course: Course, paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_symlink():
            raise CourseError(f"{path} is a link, and links are not followed.")
        if not path.exists():
            raise CourseError(f"{path} does not exist. Give folders or notebooks.")
        if course.root.is_relative_to(path.resolve()):
            raise CourseError(f"{path} holds the course itself. Give another folder.")
        if path.is_file():
            yield path
        else:
            yield from _notebooks_in(path)


def _notebooks_in(path: Path) -> Iterator[Path]:
    def stop(error: OSError) -> None:
        raise error

    try:
        for folder, inner, files in os.walk(path, onerror=stop):
            inner[:] = [name for name in inner if not name.startswith(".")]
            for file in (Path(folder, name) for name in files):
                is_notebook = file.suffix.lower() == ".ipynb"
                if is_notebook and file.is_file() and not file.is_symlink():
                    yield file
    except OSError as error:
        raise CourseError(
            f"{error.filename} cannot be read ({error.strerror}). "
            "Change its permissions."
        ) from None


def _order(file: Path) -> tuple[int, str]:
    return len(file.parts), str(file)
