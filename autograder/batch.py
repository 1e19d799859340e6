"""Many submissions in worker processes: one bad file never stops the rest."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from nbgrader.api import Gradebook

from autograder.course import Course, CourseError
from autograder.feedback import make_feedback
from autograder.folders import make_folder
from autograder.grade import Result, readable
from autograder.gradebook import record, recorded_results
from autograder.isolation import sandbox_kind
from autograder.reading import lesson_named
from autograder.release import is_current, release_lesson
from autograder.report import write_pages, write_reports
from autograder.resume import Memory
from autograder.steps import gradebook_of
from autograder.submission import Submission, find_submissions
from autograder.workers import work_through
from autograder.working import Terms, Work

Progress = Callable[[int, int, str], None]


def submissions_in(
    course: Course, folder: Path, lessons: Sequence[str]
) -> list[Submission]:
    """The submissions of `lessons` in `folder`.

    Raises CourseError when there is none, when the course or its class lies in the
    folder, and when no file tells whose it is.
    """
    place = folder.resolve()
    for what, own in (("course", course.root), ("class", course.class_dir.resolve())):
        if own.is_relative_to(place):
            raise CourseError(
                f"{folder} holds the {what} itself. Give the folder of the "
                "submissions, such as class/submitted."
            )
    found = find_submissions(folder, course.lesson_names())
    chosen = [submission for submission in found if submission.lesson in lessons]
    if not chosen:
        raise CourseError(
            f"{folder} holds no submissions of {', '.join(lessons)}. "
            "Expected: STUDENT/LESSON/LESSON.ipynb, or files with the lesson's name."
        )
    if all(lesson_named(found.student, [found.lesson]) for found in chosen):
        raise CourseError(
            f"No file in {folder} tells whose it is. If it is one student's folder, "
            "give the folder above it, or one notebook alone."
        )
    return chosen


def grade_class(
    course: Course,
    submissions: Sequence[Submission],
    progress: Progress = lambda done, total, student: None,
    jobs: int = 1,
    terms: Terms | None = None,
    fresh: bool = False,
    start: Callable[[int], Executor] | None = None,
) -> list[Result]:
    """Grade submissions into the class's gradebook; one result each, in order.

    Releases a lesson first whose release is missing or old; writes a feedback page a
    submission and, at the end, the reports with every grade that the gradebook holds.
    What is unchanged since it was graded with the same limits is run only if `fresh`.
    `progress(done, total, student)` is called after each submission. `start(number)`
    starts each of the `jobs` workers; they are processes of this machine if it is left
    out. Raises CourseError when bubblewrap is missing and `terms` do not do without it,
    and when the class's folder cannot be written to.
    """
    terms = terms or Terms()
    terms = replace(terms, sandbox=sandbox_kind(terms.sandbox))
    make_folder(course.class_dir, "--class-dir")
    for name in sorted({found.lesson for found in submissions}):
        if not is_current(course, name):
            release_lesson(course, name)
    memory = Memory(course, terms.sandbox != "none", (terms.limits, terms.room))
    digests = {found: memory.digest(found) for found in submissions}
    results = {} if fresh else _known(course, memory, digests)
    todo = [s for s in submissions if (s.student, s.lesson) not in results]
    progress(len(results), len(submissions), "")
    with gradebook_of(course) as gradebook:
        for found, work in work_through(course, todo, terms, jobs, start):
            result = _finish(course, gradebook, found, work)
            memory.add(result, digests[found])
            results[found.student, found.lesson] = result
            progress(len(results), len(submissions), found.student)
    all_results = write_reports(course)
    with suppress(CourseError):  # a flag told of it when the work was graded
        write_pages(course, all_results)
    return [results[found.student, found.lesson] for found in submissions]


def _known(
    course: Course, memory: Memory, digests: Mapping[Submission, str]
) -> dict[tuple[str, str], Result]:
    """What was graded before and is unchanged, with the scores that count now."""
    recorded = {(r.student, r.lesson): r for r in recorded_results(course)}
    known = {}
    for found, digest in digests.items():
        key = found.student, found.lesson
        result = memory.result(found, digest)
        if result and key in recorded:
            known[key] = result.with_points(recorded[key].scores)
    return known


def _finish(
    course: Course, gradebook: Gradebook, found: Submission, work: Work | Exception
) -> Result:
    """One result, whatever happens: a failure must not cost the others theirs."""
    try:
        if isinstance(work, Exception):
            raise work
        result = record(course, gradebook, work)
    except CourseError:
        raise
    except Exception as error:
        problem = f"could not be graded: {type(error).__name__}: {error}"
        return Result(found.student, found.lesson, (), readable(problem))
    try:
        make_feedback(course, result)
    except Exception as error:
        note = f"no feedback page: {type(error).__name__}: {error}"
        return replace(result, flags=(*result.flags, note))
    return result
