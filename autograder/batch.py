"""Many submissions, one after another: one bad file never stops the rest."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.course import Course, CourseError
from autograder.feedback import make_feedback
from autograder.grade import Result
from autograder.gradebook import grade_submission, recorded_results
from autograder.release import is_current, release_lesson
from autograder.report import write_csv
from autograder.submission import Submission, find_submissions

Progress = Callable[[int, int, str], None]


def submissions_in(
    course: Course, folder: Path, lessons: Sequence[str]
) -> list[Submission]:
    """The submissions of `lessons` in `folder`.

    Raises CourseError when there is none, and when the course lies in the folder.
    """
    if course.root.is_relative_to(folder.resolve()):
        raise CourseError(
            f"{folder} holds the course itself. Give the folder of the submissions, "
            "such as class/submitted."
        )
    found = find_submissions(folder, course.lesson_names())
    chosen = [submission for submission in found if submission.lesson in lessons]
    if not chosen:
        raise CourseError(
            f"{folder} holds no submissions of {', '.join(lessons)}. "
            "Expected: STUDENT/LESSON/LESSON.ipynb, or files with the lesson's name."
        )
    return chosen


def grade_class(
    course: Course,
    submissions: Sequence[Submission],
    progress: Progress = lambda done, total, student: None,
) -> list[Result]:
    """Grade submissions into the class's gradebook; one result each, in order.

    Releases a lesson first whose release is missing or old; writes a feedback page a
    submission and, at the end, the CSV file with every grade that the gradebook holds.
    `progress(done, total, student)` is called before each submission.
    """
    for name in sorted({found.lesson for found in submissions}):
        if not is_current(course, name):
            release_lesson(course, name)
    results = []
    for done, found in enumerate(submissions):
        progress(done, len(submissions), found.student)
        results.append(_grade_one(course, found))
    progress(len(submissions), len(submissions), "")
    known = {(r.student, r.lesson): r for r in recorded_results(course)}
    known |= {(result.student, result.lesson): result for result in results}
    try:
        write_csv(list(known.values()), course.grades_csv)
    except OSError as error:
        raise CourseError(
            f"{course.grades_csv} cannot be written ({error.strerror}). Close it where "
            "it is open and run the command again; the gradebook has all grades."
        ) from None
    return results


def _grade_one(course: Course, submission: Submission) -> Result:
    """One result, whatever happens: a failure must not cost the others theirs."""
    try:
        result = grade_submission(course, submission)
    except CourseError:
        raise
    except Exception as error:
        problem = f"could not be graded: {type(error).__name__}: {error}"
        return Result(submission.student, submission.lesson, (), problem)
    try:
        make_feedback(course, submission.lesson, submission.student)
    except Exception as error:
        note = f"no feedback page: {type(error).__name__}: {error}"
        return replace(result, repairs=(*result.repairs, note))
    return result
