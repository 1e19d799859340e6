"""A lesson made ready once, and submissions marked one after another in forks."""

import gc
import json
import os
import select
import signal
import time
from collections.abc import Callable

import torch
from nbformat import NotebookNode

from autograder.checks import Checks, Lesson
from autograder.grade import Limits
from autograder.lifetime import die_with_parent
from autograder.marking import mark
from autograder.runner import freeze
from autograder.sandbox import Sandbox, SandboxFailed
from autograder.scoring import Scored, scored
from autograder.wire import WireError

LONGEST = 900  # seconds for one notebook, whatever it does
TRIES = 2  # sandboxes that one notebook may break


class CannotMark(Exception):
    """No marks for a notebook; the message says why."""


class Bench:
    """One lesson: its checks rehearsed, made ready in the sandbox.

    Raises CourseError when the course's own answers fail, SandboxFailed when no sandbox
    starts.
    """

    def __init__(self, solution: NotebookNode, sandbox: Sandbox):
        torch.set_num_threads(1)  # before the first operation: then a fork is safe
        self.sandbox = sandbox
        try:
            sandbox.start()
            self.checks = Checks(Lesson.read(solution))
            self.ready = self.checks.for_sandbox()
            sandbox.prepare(*self.ready)
            self.checks.rehearse()
            sandbox.wait()
        except BaseException:
            sandbox.close()  # else its answer would be taken for that of another lesson
            raise
        freeze()

    def mark(
        self, notebook: NotebookNode, limits: Limits
    ) -> tuple[Scored, tuple[str, ...]]:
        """Run a gradeable notebook: its scores, and remarks on what went wrong.

        Raises CannotMark when it cannot be done.
        """
        for _ in range(TRIES):
            if self.sandbox.process is None:
                self.sandbox.prepare(*self.ready)
                self.sandbox.wait()
            answer = in_fork(lambda: self._work(notebook, limits), LONGEST)
            told = json.loads(answer) if answer else {"lost": True}
            if not told.get("is_clean"):
                self.sandbox.close()
            if "lost" in told:
                continue
            if "problem" in told:
                raise CannotMark(told["problem"])
            return Scored.read(told["scored"]), tuple(told["remarks"])
        raise CannotMark("The notebook ended the sandbox in which it ran.")

    def _work(self, notebook: NotebookNode, limits: Limits) -> bytes:
        gc.disable()  # what lives for a second need not be looked through
        try:
            marked = mark(notebook, self.checks, self.sandbox, limits)
            told = {
                "scored": scored(notebook).dict(),
                "remarks": marked.remarks,
                "is_clean": marked.is_sandbox_clean,
            }
        except SandboxFailed:
            told = {"lost": True}
        except WireError as error:
            told = {"problem": str(error)}
        except Exception as error:  # a fault of ours, which must not look like theirs
            told = {"problem": f"The grader itself failed: {error!r}"}
        return json.dumps(told).encode()


def in_fork(work: Callable[[], bytes], seconds: float) -> bytes:
    """What `work` returns in a fork; b"" when that fails or takes longer."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            die_with_parent()
            data = work()
            with os.fdopen(theirs, "wb") as pipe:
                pipe.write(data)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(theirs)
    data, end = [], time.monotonic() + seconds
    try:
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([ours], [], [], left)[0]:
                return b""
            part = os.read(ours, 1 << 20)
            if not part:
                break
            data.append(part)
    finally:
        os.close(ours)
        if time.monotonic() >= end:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    return b"".join(data) if status == 0 else b""
