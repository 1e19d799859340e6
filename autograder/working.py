"""One submission from its file to a marked notebook; done in a worker process."""

import os
import signal
from dataclasses import dataclass, field, replace
from functools import cache

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import parse_utc

from autograder.bench import Bench, CannotMark
from autograder.course import Course
from autograder.grade import NOT_ISOLATED, Limits, Result, readable
from autograder.isolation import Room
from autograder.lifetime import die_with_parent
from autograder.reading import lesson_told
from autograder.repair import Repaired
from autograder.sandbox import Sandbox
from autograder.scoring import Scored, zero
from autograder.submission import NotANotebook, Submission, read_notebook, repair
from autograder.suspects import suspects


@dataclass(frozen=True)
class Terms:
    """How submissions are run: the sandbox, its room, and limits on time."""

    sandbox: str = "auto"
    room: Room = field(default_factory=Room)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Work:
    """What became of one submission: its scores, or a problem and a 0 for each check.

    `timestamp` is text that nbgrader can read, or None; `notes` tell what was decided
    and repaired, `flags` what a teacher should look at.
    """

    submission: Submission
    scored: Scored
    timestamp: str | None = None
    notes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    problem: str = ""

    def result(self) -> Result:
        """The result with the automatic scores."""
        return Result(
            self.submission.student,
            self.submission.lesson,
            self.scored.checks,
            self.problem,
            tuple(map(readable, self.notes)),
            tuple(map(readable, self.flags)),
        )


class Worker:
    """Marks submissions of a course; keeps the bench of the lesson it is at.

    Raises CourseError when the sandbox of `terms` cannot be had.
    """

    def __init__(self, course: Course, terms: Terms):
        self.course, self.terms = course, terms
        self.sandbox = Sandbox(terms.sandbox, terms.room)
        self.bench: Bench | None = None
        self.made_from: list[bytes] = []  # the lesson's release and solution
        self.released: NotebookNode | None = None

    def work(self, submission: Submission) -> Work:
        """Read, repair and run one submission; whatever a file does, this returns."""
        timestamp, notes = _timestamp(submission)
        self._go_to(submission.lesson)
        work = Work(submission, Scored(), timestamp, (*submission.notes, *notes))
        try:
            fixed = _repaired(submission, self.released)
            flags = (NOT_ISOLATED,) if self.sandbox.kind == "none" else ()
            flags += fixed.flags + tuple(suspects(fixed.notebook))
            work = replace(work, notes=work.notes + fixed.repairs, flags=flags)
            scored, remarks = self.bench.mark(fixed.notebook, self.terms.limits)
        except (NotANotebook, CannotMark) as error:
            problem = readable(str(error))
            nothing = Scored(zero(self.released, problem))
            return replace(work, scored=nothing, problem=problem)
        return replace(work, scored=scored, flags=work.flags + remarks)

    def _go_to(self, lesson: str) -> None:
        files = self.course.released(lesson), self.course.solution(lesson)
        data = [file.read_bytes() for file in files]  # either may change during a run
        if self.made_from != data:
            self.made_from, self.bench = [], None
            self.released, solution = (
                nbformat.reads(text.decode(), as_version=4) for text in data
            )
            self.bench, self.made_from = Bench(solution, self.sandbox), data

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the sandbox; `work` starts it again."""
        self.sandbox.close()


@cache  # one for the life of a worker process
def _worker(course: Course, terms: Terms) -> Worker:
    return Worker(course, terms)


def start_worker() -> None:
    """Ctrl-C is for the process that started the workers; they end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.close(nowhere)


def work_on(course: Course, terms: Terms, submission: Submission) -> Work:
    """What a worker process does with one submission."""
    return _worker(course, terms).work(submission)


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


def _repaired(submission: Submission, released: NotebookNode) -> Repaired:
    if submission.problem or submission.file is None:
        raise NotANotebook(submission.problem or "There is no notebook.")
    notebook = read_notebook(submission.file)
    lesson = lesson_told(notebook)
    if lesson not in (None, submission.lesson):
        raise NotANotebook(
            f"This is the notebook {lesson}, handed in as {submission.lesson}. "
            f"Hand in {submission.lesson}.ipynb."
        )
    return repair(notebook, released)
