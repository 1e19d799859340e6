"""The warm process in which students' code runs."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict

from autograder.isolation import (
    AS_NOBODY,
    INSIDE,
    PACKAGE,
    SCRATCH,
    Room,
    bwrap_command,
    environment,
    sandbox_kind,
)
from autograder.runner import LESSON
from autograder.wire import WireError, receive, send

START = (
    "import sys; sys.path.insert(0, {place!r}); "
    "from autograder.runner import main; main({number})"
)
READY_WITHIN = 300  # seconds, for a machine under load


class SandboxFailed(Exception):
    """The sandbox did not start, or broke; another one may do."""


class Sandbox:
    """A warm process; first a lesson is made ready in it, then come its submissions.

    It may be closed and started again. `kind` is one of isolation.KINDS; raises
    CourseError when it cannot be had.
    """

    def __init__(self, kind: str = "auto", room: Room | None = None):
        self.kind, self.room = sandbox_kind(kind), room or Room()
        self.process: subprocess.Popen | None = None
        self.is_busy = False

    def start(self) -> None:
        """Start the process unless it runs; it loads torch beside what else is done."""
        if self.process:
            return
        self.control, theirs = socket.socketpair()
        number = theirs.fileno()
        place = str((INSIDE if self.kind == "bwrap" else PACKAGE).parent)
        start = START.format(place=place, number=number)
        command = [sys.executable, "-I", "-c", start]
        variables = {**os.environ, "MPLBACKEND": "agg"}
        another: dict = {}
        if self.kind == "bwrap":
            command = [*bwrap_command(self.room), *command]
        elif self.kind == "user":
            another = AS_NOBODY
            variables = environment()
        self.process = subprocess.Popen(
            command,
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=variables,
            start_new_session=True,
            **another,
        )
        theirs.close()
        self.is_busy = False
        self.control.settimeout(READY_WITHIN)
        with contextlib.suppress(WireError):  # `wait` tells why it ended
            send(self.control, {"limits": asdict(self.room), "scratch": SCRATCH})

    def prepare(self, lesson: dict, buffers: Sequence[bytes] = ()) -> None:
        """Have a lesson made ready, as `stage.Stage` takes it; `wait` for it then."""
        self.start()
        with contextlib.suppress(OSError, WireError):  # `wait` tells why it ended
            self.control.sendall(LESSON)
            send(self.control, lesson, buffers)

    def wait(self) -> None:
        """Wait until the lesson is ready. Raises SandboxFailed when it will not be."""
        try:
            answer, _ = receive(self.control, time.monotonic() + READY_WITHIN)
        except (WireError, TimeoutError):
            self.process.kill()
            said = self.process.stderr.read().decode(errors="replace")[-500:]
            self.close()
            raise SandboxFailed(f"the sandbox did not start: {said}") from None
        if answer.get("ready") is not True:
            self.close()
            raise SandboxFailed(f"the sandbox did not start: {answer.get('problem')}")
        self.control.settimeout(60)

    def session(self) -> socket.socket:
        """The socket of a new session, in a fresh fork; the one before must have ended.

        Raises SandboxFailed when the sandbox is gone.
        """
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self.control, [b"f"], [theirs.fileno()])
        except OSError:
            raise SandboxFailed("the sandbox is gone") from None
        finally:
            theirs.close()
        self.is_busy = True
        return ours

    def end_session(self) -> str:
        """Remove all processes and files of the session; why its process ended."""
        if not self.is_busy:
            return ""
        try:
            self.control.sendall(b"e")
            answer, _ = receive(self.control, time.monotonic() + 30)
        except (OSError, WireError):
            raise SandboxFailed("the sandbox is gone") from None
        self.is_busy = False
        return str(answer.get("ended", ""))

    def close(self) -> None:
        """End the process with everything in it."""
        if self.process is None:
            return
        self.control.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()
        self.process = None
