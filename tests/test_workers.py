"""Who gets which submission, and what happens when a worker ends; without processes."""

from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from itertools import pairwise

import pytest

from autograder.submission import Submission
from autograder.workers import AHEAD, MUCH, TRIES, Queue, work_through


def work(lesson, count):
    return [Submission(f"{lesson}{n:02}", lesson, None) for n in range(count)]


class Fake(Executor):
    """Does at once what it gets; the work of a `fatal` student ends it."""

    def __init__(self, done, fatal):
        self.done, self.fatal, self.is_broken = done, fatal, False

    def submit(self, task, /, found):
        if self.is_broken:
            raise BrokenProcessPool("it ended before")
        future: Future = Future()
        self.is_broken = self.is_broken or found.student in self.fatal
        if self.is_broken:
            future.set_exception(BrokenProcessPool("ended"))
        else:
            self.done.append(found.student)
            future.set_result(found.student)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        pass


def run(todo, jobs, fatal=()):
    """(student → what came of it, who was done by which worker in which order)"""
    started = []

    def start(number):
        started.append((number, []))
        return Fake(started[-1][1], fatal)

    found = {}
    for submission, result in work_through(None, todo, None, jobs, start):
        assert submission.student not in found
        found[submission.student] = result
    return found, started


def test_each_submission_comes_back_once():
    todo = work("a", 7) + work("b", 5)
    found, started = run(todo, 3)
    assert found == {s.student: s.student for s in todo}
    assert len(started) == 3


def test_no_more_workers_than_submissions():
    assert len(run(work("a", 2), 9)[1]) == 2


def test_a_worker_keeps_to_its_lesson():
    _, started = run(work("a", 6) + work("b", 6), 2)
    for _, students in started:
        lessons = [student[0] for student in students]
        changes = sum(one != two for one, two in pairwise(lessons))
        assert changes <= 1


def test_the_fatal_one_alone_gets_the_blame_after_some_tries():
    todo = work("a", 6)
    found, started = run(todo, 1, fatal={"a02"})
    error = found.pop("a02")
    assert isinstance(error, BrokenProcessPool)
    assert found == {s.student: s.student for s in todo if s.student != "a02"}
    assert len(started) == 1 + TRIES  # a new worker after each end
    assert AHEAD == 2  # so that one waited behind the fatal one each time


@pytest.mark.parametrize(
    ("lesson", "taken", "expected"),
    [
        ("a", ["a"], "a"),  # its own first
        ("", ["a"], "b"),  # then one without a worker, however little is left there
        ("", ["a", "b"], "a"),  # then where most is left for each worker
    ],
)
def test_what_a_worker_gets_next(lesson, taken, expected):
    queue = Queue(work("a", MUCH + 1) + work("b", 1))
    assert queue.next(lesson, taken).lesson == expected


def test_nobody_joins_a_lesson_that_is_nearly_done():
    assert Queue(work("a", MUCH)).next("", ["a"]) is None
    assert Queue(work("a", MUCH)).next("a", ["a"]).student == "a00"
