"""Marked notebooks → nbgrader's gradebook, as its own autograde step writes them.

One process writes, one transaction a submission. What could not be run scores 0 for
every check, and the reason is kept in the gradebook and told to the student.
"""

import shutil
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution

from autograder.course import Course, CourseError
from autograder.grade import (
    CheckResult,
    Result,
    check_messages,
    readable,
)
from autograder.steps import gradebook_of
from autograder.submission import Submission
from autograder.working import Work, Worker


def grade_submission(course: Course, submission: Submission, worker: Worker) -> Result:
    """Grade one submission into the class's gradebook; a second run changes nothing.

    What cannot be run scores 0, with the reason in `Result.problem`. Raises
    CourseError when the lesson is not released, and what the database raises when even
    the 0 cannot be written.
    """
    lesson = submission.lesson
    if not course.released(lesson).is_file():
        raise CourseError(f"{lesson} is not released; run: autograder release {lesson}")
    work = worker.work(submission)
    with gradebook_of(course) as gradebook:
        return record(course, gradebook, work)


def record(course: Course, gradebook: Gradebook, work: Work) -> Result:
    """Write one submission's grades and its autograded notebook; returns the result."""
    lesson, student = work.submission.lesson, work.submission.student
    folder = course.autograded / student / lesson
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(course.feedback / student / lesson, ignore_errors=True)
    when = {"timestamp": work.timestamp} if work.timestamp else {}
    commit, gradebook.db.commit = gradebook.db.commit, gradebook.db.flush
    try:
        gradebook.update_or_create_student(student)
        submission = gradebook.update_or_create_submission(lesson, student, **when)
        (notebook,) = submission.notebooks
        messages: dict[str, str] = {}
        if work.problem:
            _record_zero(notebook, work.problem)
        else:
            graded = nbformat.v4.reads(work.notebook)
            _as_nbgrader_has_it(gradebook, lesson, graded)
            _record_scores(notebook, graded)
            messages = check_messages(graded)
        gradebook.db.flush()
        gradebook.db.expire_all()  # the database computes scores
        _record_lateness(submission, notebook)
        result = _result(work, notebook, messages)
        if not work.problem:
            _write(graded, folder / f"{lesson}.ipynb", work.timestamp)
        commit()
        return result
    except BaseException:
        gradebook.db.rollback()
        raise
    finally:
        gradebook.db.commit = commit


def _as_nbgrader_has_it(
    gradebook: Gradebook, lesson: str, graded: NotebookNode
) -> None:
    """The sources and checksums of course cells as the gradebook has them."""
    cells = gradebook.find_notebook(lesson, lesson).source_cells
    known = {cell.name: cell for cell in cells}
    for cell in graded.cells:
        source = known.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if source is not None:
            cell.metadata.nbgrader["checksum"] = source.checksum
            if source.locked:
                cell.source = source.source


def _record_scores(notebook, graded: NotebookNode) -> None:
    """Scores and comments by the rules of nbgrader's SaveAutoGrades."""
    grades = {grade.name: grade for grade in notebook.grades}
    comments = {comment.name: comment for comment in notebook.comments}
    for cell in graded.cells:
        if is_grade(cell):
            grade = grades[cell.metadata.nbgrader.grade_id]
            grade.auto_score, _ = determine_grade(cell)
            # a score that a teacher gave is to be looked at again
            has_manual = grade.manual_score is not None
            grade.needs_manual_grade = has_manual or grade.auto_score is None
        if is_solution(cell):
            untouched = cell.metadata.nbgrader.checksum == compute_checksum(cell)
            comment = comments[cell.metadata.nbgrader.grade_id]
            comment.auto_comment = "No response." if untouched else None


def _record_zero(notebook, reason: str) -> None:
    for grade in notebook.grades:
        grade.auto_score = 0
        grade.needs_manual_grade = grade.manual_score is not None
    for comment in notebook.comments:
        comment.auto_comment = reason


def _record_lateness(submission, notebook) -> None:
    """The penalty of nbgrader's own plugin, which gives none unless configured."""
    notebook.late_submission_penalty = None
    late = submission.total_seconds_late
    if late > 0:
        plugin = LateSubmissionPlugin()
        student = submission.student_id
        penalty = plugin.late_submission_penalty(student, notebook.score, late)
        if penalty is not None:
            notebook.late_submission_penalty = min(max(penalty, 0), notebook.score)


def _write(graded: NotebookNode, file: Path, timestamp: str | None) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    nbformat.write(graded, part)
    part.replace(file)
    if timestamp:
        (file.parent / "timestamp.txt").write_text(timestamp, encoding="utf-8")


def _result(work: Work, notebook, messages: dict[str, str]) -> Result:
    grades = {grade.name: grade for grade in notebook.grades}
    checks = tuple(
        CheckResult(
            name,
            grades[name].score,
            grades[name].max_score,
            messages.get(name, work.problem),
        )
        for name in work.checks
    )
    notes = tuple(map(readable, work.notes))
    lesson, student = work.submission.lesson, work.submission.student
    return Result(student, lesson, checks, work.problem, notes)


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
    """The notebook with outputs that is kept of a graded submission."""
    return course.autograded / student / lesson / f"{lesson}.ipynb"
