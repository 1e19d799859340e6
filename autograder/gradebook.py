"""Submissions → nbgrader's gradebook, through nbgrader's own autograde step.

Nothing that a student hands in stops a class: what cannot be run scores 0 for every
check, and the reason is kept in the gradebook and told to the student.
"""

import shutil
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import SubmittedAssignment
from nbgrader.utils import parse_utc

from autograder.autograde import Limits, autograde
from autograder.course import Course, CourseError
from autograder.grade import (
    CheckResult,
    Result,
    check_ids,
    check_messages,
    readable,
)
from autograder.reading import lesson_told
from autograder.steps import NbgraderFailed, gradebook_of
from autograder.submission import (
    NotANotebook,
    Submission,
    read_notebook,
    repair,
)


def grade_submission(
    course: Course, submission: Submission, limits: Limits | None = None
) -> Result:
    """Grade one submission into the class's gradebook; a second run changes nothing.

    What cannot be run scores 0, with the reason in `Result.problem`. Raises
    CourseError when the lesson is not released, and what the database raises when even
    the 0 cannot be written.
    """
    lesson, student = submission.lesson, submission.student
    if not course.released(lesson).is_file():
        raise CourseError(f"{lesson} is not released; run: autograder release {lesson}")
    released = nbformat.read(course.released(lesson), as_version=4)
    for folder in (course.repaired, course.autograded, course.feedback):
        shutil.rmtree(folder / student / lesson, ignore_errors=True)
    timestamp, notes = _timestamp(submission)
    notes = (*submission.notes, *notes)
    try:
        notebook, repairs = _repaired(submission, released)
        notes += repairs
        _hand_over(course, submission, notebook, timestamp)
        notes += autograde(course, lesson, student, limits or Limits())
    except Exception as error:  # whatever a file does, the class goes on
        problem = _problem(error)
        _record_zero(course, submission, problem, timestamp)
        return _result(course, submission, check_ids(released), {}, problem, notes)
    graded = nbformat.read(graded_file(course, lesson, student), as_version=4)
    messages = check_messages(graded)
    return _result(course, submission, check_ids(released), messages, "", notes)


def recorded_results(course: Course) -> list[Result]:
    """The points of every submission that the gradebook holds, whenever graded."""
    with gradebook_of(course) as gradebook:
        return [
            Result(
                submission.student.id,
                submission.assignment.name,
                tuple(
                    CheckResult(grade.name, grade.score, grade.max_score, "")
                    for grade in notebook.grades
                ),
            )
            for submission in gradebook.db.query(SubmittedAssignment)
            for notebook in submission.notebooks
        ]


def graded_file(course: Course, lesson: str, student: str) -> Path:
    """The notebook with outputs that nbgrader's autograde step leaves."""
    return course.autograded / student / lesson / f"{lesson}.ipynb"


def _timestamp(submission: Submission) -> tuple[str | None, tuple[str, ...]]:
    """When the work was handed in, as text that nbgrader can read, and notes."""
    file = submission.file and submission.file.parent / "timestamp.txt"
    if file is None or not file.is_file():
        return None, ()
    try:
        with file.open(encoding="utf-8") as text:
            return parse_utc(text.read(100).strip()).isoformat(), ()
    except Exception:  # the date parser raises many things on odd text
        return None, ("timestamp.txt is no date and was ignored.",)


def _repaired(
    submission: Submission, released: NotebookNode
) -> tuple[NotebookNode, tuple[str, ...]]:
    if submission.problem or submission.file is None:
        raise NotANotebook(submission.problem or "There is no notebook.")
    notebook = read_notebook(submission.file)
    lesson = lesson_told(notebook)
    if lesson not in (None, submission.lesson):
        raise NotANotebook(
            f"This is the notebook {lesson}, handed in as {submission.lesson}."
        )
    fixed = repair(notebook, released)
    return fixed.notebook, fixed.repairs


def _hand_over(
    course: Course,
    submission: Submission,
    notebook: NotebookNode,
    timestamp: str | None,
) -> None:
    """Write what nbgrader takes as the submitted notebook."""
    folder = course.repaired / submission.student / submission.lesson
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{submission.lesson}.ipynb")
    if timestamp:
        (folder / "timestamp.txt").write_text(timestamp, encoding="utf-8")


def _problem(error: Exception) -> str:
    if isinstance(error, NbgraderFailed) and "DeadKernelError" in str(error):
        return (
            "Python ended while the notebook ran. Look for exit calls such as "
            "os._exit, and for arrays that are too large."
        )
    if isinstance(error, NotANotebook):
        return readable(str(error))
    return readable(
        f"The notebook could not be graded: {error or type(error).__name__}"
    )


def _record_zero(
    course: Course, submission: Submission, reason: str, timestamp: str | None
) -> None:
    lesson, student = submission.lesson, submission.student
    shutil.rmtree(course.autograded / student / lesson, ignore_errors=True)
    when = {"timestamp": timestamp} if timestamp else {}
    with gradebook_of(course) as gradebook:
        gradebook.update_or_create_student(student)
        gradebook.update_or_create_submission(lesson, student, **when)
        notebook = gradebook.find_submission_notebook(lesson, lesson, student)
        for grade in notebook.grades:
            grade.auto_score = 0
            # As nbgrader does: a score that a teacher gave is to be looked at again.
            grade.needs_manual_grade = grade.manual_score is not None
        for comment in notebook.comments:
            comment.auto_comment = reason
        gradebook.db.commit()


def _result(
    course: Course,
    submission: Submission,
    checks: list[str],
    messages: dict[str, str],
    problem: str,
    notes: tuple[str, ...],
) -> Result:
    lesson, student = submission.lesson, submission.student
    with gradebook_of(course) as gradebook:
        notebook = gradebook.find_submission_notebook(lesson, lesson, student)
        scores = {
            grade.name: (grade.score, grade.max_score) for grade in notebook.grades
        }
    results = tuple(
        CheckResult(check, *scores[check], messages.get(check, problem))
        for check in checks
    )
    return Result(student, lesson, results, problem, tuple(map(readable, notes)))
