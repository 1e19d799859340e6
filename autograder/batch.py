"""Many submissions in worker processes: one bad file never stops the rest."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

from nbgrader.api import Gradebook

from autograder.course import Course, CourseError
from autograder.feedback import make_feedback
from autograder.grade import Result, readable
from autograder.gradebook import record, recorded_results
from autograder.release import is_current, release_lesson
from autograder.report import write_csv
from autograder.resume import Memory, with_scores
from autograder.sandbox import sandbox_kind
from autograder.steps import gradebook_of
from autograder.submission import Submission, find_submissions
from autograder.working import Terms, Work, start_worker, work_on

Progress = Callable[[int, int, str], None]
TRIES = 3  # worker processes that may end while they have one submission


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
    jobs: int = 1,
    terms: Terms | None = None,
    fresh: bool = False,
) -> list[Result]:
    """Grade submissions into the class's gradebook; one result each, in order.

    Releases a lesson first whose release is missing or old; writes a feedback page a
    submission and, at the end, the CSV file with every grade that the gradebook holds.
    What was graded before and is unchanged is not run again, unless `fresh`.
    `progress(done, total, student)` is called after each submission. Raises
    CourseError when bubblewrap is missing and `terms` do not do without it.
    """
    terms = terms or Terms()
    terms = replace(terms, sandbox=sandbox_kind(terms.sandbox))
    for name in sorted({found.lesson for found in submissions}):
        if not is_current(course, name):
            release_lesson(course, name)
    memory, results = Memory(course), {}
    scores = {(r.student, r.lesson): r for r in recorded_results(course)}
    digests = {found: memory.digest(found) for found in submissions}
    for found in [] if fresh else submissions:
        key = found.student, found.lesson
        known = memory.result(found, digests[found])
        if known and key in scores:
            results[key] = with_scores(known, scores[key])
    todo = [s for s in submissions if (s.student, s.lesson) not in results]
    progress(len(results), len(submissions), "")
    with gradebook_of(course) as gradebook:
        for found, work in _worked(course, todo, jobs, terms):
            result = _finish(course, gradebook, found, work)
            if result.checks:
                memory.add(result, digests[found])
            results[found.student, found.lesson] = result
            progress(len(results), len(submissions), found.student)
    _write_csv(course, list(results.values()))
    return [results[found.student, found.lesson] for found in submissions]


def _worked(
    course: Course, todo: Sequence[Submission], jobs: int, terms: Terms
) -> Iterator[tuple[Submission, Work | Exception]]:
    """Submissions and what became of them, in the order in which they are ready."""
    strikes = dict.fromkeys(todo, 0)
    waiting = list(reversed(todo))
    while waiting:
        pool = ProcessPoolExecutor(
            min(jobs, len(waiting)),
            mp_context=multiprocessing.get_context("spawn"),
            initializer=start_worker,
        )
        try:
            for found, work in _through(pool, course, waiting, jobs, terms):
                if isinstance(work, BrokenProcessPool):
                    strikes[found] += 1
                    if strikes[found] < TRIES:
                        waiting.append(found)
                        continue
                yield found, work
        finally:
            _end(pool)


def _through(
    pool: ProcessPoolExecutor,
    course: Course,
    waiting: list[Submission],
    jobs: int,
    terms: Terms,
) -> Iterator[tuple[Submission, Work | Exception]]:
    """Hand out what is `waiting`, from its end, as long as the pool is whole."""
    running: dict[Future, Submission] = {}
    is_whole = True
    while running or (waiting and is_whole):
        while waiting and is_whole and len(running) < jobs + 1:
            found = waiting.pop()
            running[pool.submit(work_on, course, terms, found)] = found
        ready, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in ready:
            error = future.exception()
            is_whole = is_whole and not isinstance(error, BrokenProcessPool)
            yield running.pop(future), error or future.result()


def _end(pool: ProcessPoolExecutor) -> None:
    """End the workers at once; their sandboxes end with them."""
    for worker in list((pool._processes or {}).values()):
        worker.kill()
    pool.shutdown(wait=True, cancel_futures=True)


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
        return replace(result, repairs=(*result.repairs, note))
    return result


def _write_csv(course: Course, results: Sequence[Result]) -> None:
    known = {(r.student, r.lesson): r for r in recorded_results(course)}
    known |= {(result.student, result.lesson): result for result in results}
    try:
        write_csv(list(known.values()), course.grades_csv)
    except OSError as error:
        raise CourseError(
            f"{course.grades_csv} cannot be written ({error.strerror}). Close it where "
            "it is open and run the command again; the gradebook has all grades."
        ) from None
