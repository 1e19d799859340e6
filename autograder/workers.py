"""Submissions handed out to workers: each keeps to one lesson as long as it can.

To make a lesson ready takes seconds. So a worker stays at its lesson, then goes to one
that has no worker yet, and only then joins another at a lesson where much is left.
"""

import contextlib
import multiprocessing
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from dataclasses import dataclass, field
from functools import partial

from autograder.course import Course
from autograder.submission import Submission
from autograder.working import Terms, Work, start_worker, work_on

AHEAD = 2  # submissions at a worker: one at work and one that waits
MUCH = 8  # submissions of a lesson for which another worker makes it ready
TRIES = 3  # workers that may end while they have one submission

Ready = tuple[Submission, Work | Exception]


@dataclass
class Station:
    """A worker's place: its executor, its lesson, and what it has, oldest first."""

    executor: Executor
    lesson: str = ""
    running: dict[Future, Submission] = field(default_factory=dict)


class Queue:
    """What waits to be graded, by lesson."""

    def __init__(self, todo: Sequence[Submission]):
        self.waiting: dict[str, deque[Submission]] = defaultdict(deque)
        for found in todo:
            self.waiting[found.lesson].append(found)

    def next(self, lesson: str, taken: Sequence[str]) -> Submission | None:
        """The next one of `lesson`, else of one that needs a worker; None if none.

        `taken` are the lessons of all workers.
        """
        if not self.waiting[lesson]:
            left = {
                name: (name not in taken, len(queue) / (1 + taken.count(name)))
                for name, queue in self.waiting.items()
                if len(queue) > (MUCH if name in taken else 0)
            }
            lesson = max(left, key=left.__getitem__, default=lesson)
        return self.waiting[lesson].popleft() if self.waiting[lesson] else None

    def put_back(self, found: Submission) -> None:
        self.waiting[found.lesson].appendleft(found)


def work_through(
    course: Course,
    todo: Sequence[Submission],
    terms: Terms,
    jobs: int,
    start: Callable[[int], Executor] | None = None,
) -> Iterator[Ready]:
    """Submissions and what became of them, in the order in which they are ready.

    `start(number)` gives an executor that does one thing at a time; without it, each is
    a process. When one breaks, what it was at is tried again by a new one.
    """
    start, task = start or process, partial(work_on, course, terms)
    queue, strikes = Queue(todo), dict.fromkeys(todo, 0)
    workers = [Station(start(number)) for number in range(min(jobs, len(todo)))]
    try:
        while True:
            for worker in workers:
                _hand_out(worker, workers, queue, task)
            running = [future for worker in workers for future in worker.running]
            if not running:
                return
            wait(running, return_when=FIRST_COMPLETED)
            for number, worker in enumerate(workers):
                broken = yield from _collect(worker)
                if not broken:
                    continue
                end(worker.executor)
                workers[number] = Station(start(number))
                (found, error), *innocent = broken
                strikes[found] += 1
                for other, _ in reversed(innocent):
                    queue.put_back(other)
                if strikes[found] < TRIES:
                    queue.put_back(found)
                else:
                    yield found, error
    finally:
        for worker in workers:
            end(worker.executor)


def _hand_out(
    worker: Station,
    workers: Sequence[Station],
    queue: Queue,
    task: Callable[[Submission], Work],
) -> None:
    while len(worker.running) < AHEAD:
        taken = [other.lesson for other in workers if other.running]
        found = queue.next(worker.lesson, taken)
        if found is None:
            return
        if worker.running and found.lesson != worker.lesson:
            queue.put_back(found)  # first finish here; another may be sooner there
            return
        worker.lesson = found.lesson
        try:
            worker.running[worker.executor.submit(task, found)] = found
        except BrokenExecutor as error:  # it ended while it had nothing to do
            failed: Future = Future()
            failed.set_exception(error)
            worker.running[failed] = found


def _collect(worker: Station) -> Iterator[Ready]:
    """Yield what is ready; return what it still had when the worker broke, if it did.

    The first of these is what it was at.
    """
    for future in [future for future in worker.running if future.done()]:
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            return [(found, error) for found in worker.running.values()]
        yield worker.running.pop(future), error or future.result()
    return []


def process(_: int) -> Executor:
    """A process of this machine that does one thing at a time."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=context, initializer=start_worker)


def end(executor: Executor) -> None:
    """End a worker at once; its sandboxes end with it."""
    processes = getattr(executor, "_processes", None) or {}
    for process in list(processes.values()):
        with contextlib.suppress(Exception):
            process.kill()
    executor.shutdown(wait=bool(processes))
