"""Marked notebooks → nbgrader's gradebook, as its own autograde step writes them.

One process writes, one transaction a submission. What could not be run scores 0 for
every check, and the reason is kept in the gradebook and told to the student.
"""

import shutil
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    GradeCell,
    SubmittedAssignment,
    SubmittedNotebook,
)

from autograder.course import Course
from autograder.grade import CheckResult, Result
from autograder.steps import gradebook_of, late_plugin
from autograder.working import Work

SECRET = "submission_secret.txt"


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
        names = _names(gradebook, notebook)
        _record_scores(notebook, names, work)
        gradebook.db.flush()
        gradebook.db.expire_all()  # the database computes scores
        _record_lateness(course, submission, notebook)
        result = work.result().with_points(_scores(gradebook, notebook, names))
        if not work.problem:
            _write(work, folder / f"{lesson}.ipynb")
        commit()
        return result
    except BaseException:
        gradebook.db.rollback()
        raise
    finally:
        gradebook.db.commit = commit


def _names(gradebook: Gradebook, notebook: SubmittedNotebook) -> dict[str, str]:
    """The ids that cells have in the database → their names in the notebook."""
    cells = gradebook.db.query(BaseCell.id, BaseCell.name)
    return dict(tuple(row) for row in cells.filter_by(notebook_id=notebook.notebook_id))


def _record_scores(
    notebook: SubmittedNotebook, names: Mapping[str, str], work: Work
) -> None:
    """Scores and comments by the rules of nbgrader's SaveAutoGrades."""
    points = {check.check: check.points for check in work.scored.checks}
    for grade in notebook.grades:
        grade.auto_score = points[names[grade.cell_id]]
        # a score that a teacher gave is to be looked at again
        grade.needs_manual_grade = grade.manual_score is not None
    for comment in notebook.comments:
        is_blank = names[comment.cell_id] in work.scored.blank
        comment.auto_comment = work.problem or ("No response." if is_blank else None)


def _scores(
    gradebook: Gradebook, notebook: SubmittedNotebook, names: Mapping[str, str]
) -> dict[str, float]:
    """The score of each check as it counts: a teacher's before the automatic one."""
    grades = gradebook.db.query(Grade.cell_id, Grade.score)
    found = grades.filter(Grade.notebook_id == notebook.id)
    return {names[cell_id]: score for cell_id, score in found}


def _record_lateness(course: Course, submission, notebook) -> None:
    """The penalty of the course's own plugin; nbgrader's gives none by default."""
    notebook.late_submission_penalty = None
    late = submission.total_seconds_late
    if late > 0:
        plugin, student = late_plugin(course), submission.student_id
        penalty = plugin.late_submission_penalty(student, notebook.score, late)
        if penalty is not None:
            notebook.late_submission_penalty = min(max(penalty, 0), notebook.score)


def _write(work: Work, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(work.scored.notebook, encoding="utf-8")
    part.replace(file)
    if work.timestamp:
        (file.parent / "timestamp.txt").write_text(work.timestamp, encoding="utf-8")
    # nbgrader's exchange names a student's feedback by it
    if work.submission.file:
        copy_paper(work.submission.file.parent / SECRET, file.parent)


def copy_paper(paper: Path, folder: Path) -> None:
    """Copy what nbgrader's collect put beside a hand-in, if it did.

    A link is not followed: it could lead to a file of somebody else.
    """
    if paper.is_file() and not paper.is_symlink():
        shutil.copyfile(paper, folder / paper.name)


def recorded_results(course: Course) -> list[Result]:
    """The points of every submission that the gradebook holds, whenever graded."""
    with gradebook_of(course) as gradebook:
        student, lesson = SubmittedAssignment.student_id, Assignment.name
        check = GradeCell.name, Grade.score, GradeCell.max_score
        rows = (
            gradebook.db.query(student, lesson, *check)
            .select_from(Grade)
            .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
            .join(SubmittedNotebook.assignment)
            .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
            .join(GradeCell, Grade.cell_id == GradeCell.id)
            .order_by(lesson, student, GradeCell.name)
        )
        return [
            Result(*of, tuple(CheckResult(*row[2:], "") for row in found))
            for of, found in groupby(rows, key=lambda row: tuple(row[:2]))
        ]


def graded_file(course: Course, lesson: str, student: str) -> Path:
    """The notebook with outputs that is kept of a graded submission."""
    return course.autograded / student / lesson / f"{lesson}.ipynb"
