"""One step of nbgrader on this course's folders, without its log on the screen."""

import glob
import io
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import BasePlugin
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError, SAWarning
from traitlets.config import Config, PyFileConfigLoader

from autograder.course import Course, CourseError


class NbgraderFailed(Exception):
    """A step of nbgrader failed; the message is the error in its log."""


def folders_config(course: Course) -> Config:
    """nbgrader's settings for the folders of the course and the class."""

    def place(folder: Path) -> str:
        return os.path.relpath(folder, course.root)

    # nbgrader copies whatever lies beside a solution. These patterns are spelled as
    # nbgrader spells its source folder, so they match there and nowhere else.
    beside = glob.escape(str(course.root / place(course.solutions))) + "/./*/"
    config = Config()
    config.CourseDirectory.root = str(course.root)
    config.CourseDirectory.source_directory = place(course.solutions)
    config.CourseDirectory.release_directory = place(course.release)
    config.CourseDirectory.submitted_directory = place(course.submitted)
    config.CourseDirectory.autograded_directory = place(course.autograded)
    config.CourseDirectory.feedback_directory = place(course.feedback)
    config.CourseDirectory.db_url = course.gradebook_url
    if course.database:  # a real database wants an assignment's course to exist
        config.CourseDirectory.course_id = "default_course"
    config.CourseDirectory.ignore = [
        ".ipynb_checkpoints",
        "__pycache__",
        "*.pyc",
        beside + "*",
        beside + ".*",
    ]
    return config


def late_plugin(course: Course) -> BasePlugin:
    """What gives late work its penalty: the plugin that nbgrader_config.py sets.

    A class's own file, in its folder, goes before that of the course.

    Raises CourseError when that file cannot be run, or its plugin cannot be made.
    """
    own = course.class_dir / "nbgrader_config.py"
    file = own if own.is_file() else course.root / own.name
    try:
        config = Config()
        if file.is_file():
            config = PyFileConfigLoader(file.name, str(file.parent)).load_config()
        step = AssignLatePenalties(config=config)
        step.init_plugin()
    except Exception as error:
        raise CourseError(
            f"{file} gives no penalty for late work: {type(error).__name__}: {error}. "
            "Correct the file and run the command again."
        ) from None
    return step.plugin_inst


@contextmanager
def gradebook_of(course: Course) -> Iterator[Gradebook]:
    """The class's gradebook, open for a while.

    Raises CourseError when its database cannot be reached, is damaged, or does not keep
    UTF-8.
    """
    with nbgrader_at_work():
        try:
            with Gradebook(course.gradebook_url) as gradebook:
                yield gradebook
        except (ArgumentError, DatabaseError) as error:
            raise CourseError(_unusable(course, error)) from None
        except ImportError as error:
            if not course.database:
                raise
            raise CourseError(_unusable(course, error)) from None
        except TypeError as error:  # psycopg gives bytes for text in SQL_ASCII
            if not course.database or "bytes-like" not in str(error):
                raise
            raise CourseError(
                "The gradebook cannot be opened: its database has the encoding "
                "SQL_ASCII, not UTF8. Make a new one: "
                "createdb --encoding UTF8 --template template0 NAME"
            ) from None


def _unusable(course: Course, error: Exception) -> str:
    """Why a gradebook is of no use, and what to do."""
    reason = str(getattr(error, "orig", error)).strip().splitlines()[0]
    if course.database:
        return (
            f"The gradebook cannot be opened: {reason}. --gradebook takes a URL "
            "such as postgresql://USER:PASSWORD@HOST/NAME, and PostgreSQL needs "
            '"psycopg[binary]" from pip.'
        )
    fix = "Put a copy of it back, or move it away and grade again."
    if isinstance(error, OperationalError):
        fix = "See that you can read and write it and no other program has it open."
    return f"The gradebook {course.gradebook} cannot be used: {reason}. {fix}"


def find_tools() -> None:
    """Let nbgrader find `alembic`, which it calls by name, beside this interpreter."""
    tools = str(Path(sys.executable).parent)
    if tools not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([tools, os.environ.get("PATH", "")])


@contextmanager
def nbgrader_at_work() -> Iterator[None]:
    """What nbgrader needs around every call into it.

    It calls `alembic` by name while it makes a gradebook; where PATH does not lead to
    this interpreter's own commands, a half-made gradebook stays behind. And SQLAlchemy
    warns of the order in which nbgrader puts a submission together; the rows are right.
    """
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)
            yield
    finally:
        os.environ["PATH"] = before


def run_nbgrader(
    step: type[BaseConverter], config: Config, lesson: str, student: str = "*"
) -> None:
    """Run one step of nbgrader on one lesson, without its log on the screen.

    nbgrader's converters are called, not its NbGraderAPI, which swallows Ctrl-C.
    Raises NbgraderFailed.
    """
    text = io.StringIO()
    log = logging.Logger("nbgrader", logging.ERROR)
    log.addHandler(logging.StreamHandler(text))
    folders = CourseDirectory(config=config, log=log)
    folders.assignment_id = lesson
    folders.notebook_id = lesson
    folders.student_id = student if student == "*" else glob.escape(student)
    converter = step(coursedir=folders, config=config, log=log)
    converter.force = True
    with nbgrader_at_work():
        try:
            converter.start()
        except NbGraderException as error:
            raise NbgraderFailed(_reason(text.getvalue()) or str(error)) from None


def _reason(log: str) -> str:
    """The error, "Name: text", of the last traceback in nbgrader's log."""
    lines = log[log.rfind("Traceback (most recent call last)") :].splitlines()
    named = [line for line in lines if line[:1].isalpha() and ": " in line]
    return named[0] if named else ""
