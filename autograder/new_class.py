"""An instructor's folder for one class, in the layout that nbgrader expects.

It holds the solutions, so that nbgrader needs nothing of the course's own folder but
this package; students get the release.
"""

import re
import shutil
import tempfile
from pathlib import Path
from shlex import quote

import jinja2
from traitlets.config import Config

from autograder.course import Course, CourseError
from autograder.feedback import nbgrader_config
from autograder.release import release_lesson
from autograder.steps import find_tools

COURSE_ID = re.compile(r"\w[\w.-]*", re.ASCII)
ROSTER = "id,first_name,last_name,email\n"
TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("autograder"),
    undefined=jinja2.StrictUndefined,
    keep_trailing_newline=True,
)


def make_class(course: Course, folder: Path, course_id: str | None = None) -> Path:
    """Make `folder` with everything that a class needs; returns it.

    Nothing is left behind when something goes wrong. Raises CourseError when the
    folder holds something, when a lesson is not built, and when the folder or the
    course id has a name that nbgrader cannot work with.
    """
    folder = folder.resolve()
    course_id = course_id or folder.name
    _refuse(folder, course_id)
    lessons = course.lesson_names()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as part:
            made = Path(part) / "class"
            made.mkdir()
            _fill(course, made, lessons)
            names = {"course_id": course_id, "lessons": lessons}
            names |= {"folder": quote(str(folder)), "course": quote(str(course.root))}
            for name in ("README.md", "nbgrader_config.py"):
                text = TEMPLATES.get_template(name).render(names)
                (made / name).write_text(text, encoding="utf-8")
            made.replace(folder)
    except OSError as error:
        raise CourseError(
            f"{folder} cannot be made ({error.strerror}). Choose another folder."
        ) from None
    return folder


def class_config(folder: Path, course_id: str) -> Config:
    """nbgrader's settings for a class's folder; its nbgrader_config.py reads them."""
    folder = folder.resolve()
    find_tools()
    config = nbgrader_config(Course(folder, folder))
    config.CourseDirectory.course_id = course_id
    return config


def _refuse(folder: Path, course_id: str) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(
            f"{folder} is there and is not empty. Give a new or an empty folder."
        )
    if re.search(r"[][*?]", str(folder)):
        raise CourseError(
            f"The path {folder} holds one of [ ] * ?, which nbgrader takes for a "
            "pattern. Choose another name."
        )
    if not COURSE_ID.fullmatch(course_id):
        raise CourseError(
            f'"{course_id}" is no course id: use letters, digits and . _ - only, as in '
            "--course-id transformer-2027."
        )


def _fill(course: Course, made: Path, lessons: list[str]) -> None:
    """The solutions, their releases, and a roster without students."""
    here = Course(course.root, made)
    theirs = Course(made, made)
    for lesson in lessons:
        release_lesson(here, lesson)
        theirs.solution(lesson).parent.mkdir(parents=True)
        shutil.copyfile(course.solution(lesson), theirs.solution(lesson))
    theirs.submitted.mkdir()
    (made / "roster.csv").write_text(ROSTER, encoding="utf-8")
