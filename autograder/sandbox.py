"""A process for students' code: no network, no view of the course, hard limits.

bubblewrap gives it namespaces of its own and a file system in which it finds Python,
the packages and the few modules that run it, all read-only, and one empty
folder to write to.

"user" is for a container that serves one submission and allows no namespaces: the code
runs as nobody, and cannot read or write what root keeps to itself. It does have the
network. "none" does without any of this.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.course import CourseError
from autograder.runner import LESSON
from autograder.wire import WireError, receive, send

PACKAGE = Path(__file__).parent
INSIDE = Path("/grader/autograder")
MODULES = (
    "__init__",
    "wire",
    "values",
    "cargo",
    "receiving",
    "shell",
    "stage",
    "runner",
)
START = (
    "import sys; sys.path.insert(0, {place!r}); "
    "from autograder.runner import main; main({number})"
)
# The folder that students' code may write to; not the one in which Python lies.
SCRATCH = "/var/tmp" if sys.prefix.startswith("/tmp/") else "/tmp"
READY_WITHIN = 300  # seconds, for a machine under load
KINDS = ("auto", "bwrap", "user", "none")
NOBODY = 65534


class SandboxFailed(Exception):
    """The sandbox did not start, or broke; another one may do."""


@dataclass(frozen=True)
class Room:
    """What one submission may use: bytes of memory, of a file, of all its files."""

    memory: int = 3 << 30
    file: int = 64 << 20
    disk: int = 128 << 20


def sandbox_kind(wanted: str = "auto") -> str:
    """What "auto" is here. Raises CourseError when what is wanted cannot be had."""
    if wanted not in KINDS:
        raise CourseError(f"--sandbox {wanted}: use one of {', '.join(KINDS)}.")
    if wanted == "none":
        return wanted
    if wanted == "user":
        if os.getuid() != 0:
            raise CourseError(
                "--sandbox user: only root can start another user's code."
            )
        return wanted
    program = shutil.which("bwrap")
    if program and _works(program):
        return "bwrap"
    if program:
        problem = "bubblewrap is installed, but may not make namespaces here"
        fix = (
            "Allow it (Ubuntu: sudo sysctl -w "
            "kernel.apparmor_restrict_unprivileged_userns=0), or leave the container"
        )
    else:
        problem = "Students' code runs in bubblewrap, which is not installed"
        fix = "Install it: sudo apt-get install bubblewrap"
    raise CourseError(
        f"{problem}. {fix}. To grade without isolation, which lets students' code do "
        "all that you can do, add --sandbox none."
    )


def _works(program: str) -> bool:
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def bwrap_command(room: Room, inherited: int) -> list[str]:
    """bubblewrap and its options, up to the command that it runs."""
    command = ["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent"]
    command += ["--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"]
    command += ["--new-session", "--as-pid-1", "--clearenv", "--hostname", "grader"]
    for folder in ("/lib", "/lib32", "/lib64", "/bin", "/sbin"):
        if Path(folder).is_symlink():
            command += ["--symlink", os.readlink(folder), folder]
        elif Path(folder).is_dir():
            command += ["--ro-bind", folder, folder]
    for place in ("/usr", "/etc/ld.so.cache", "/etc/fonts", *_of_python()):
        command += ["--ro-bind-try", place, place]
    for module in MODULES:
        file = f"{module}.py"
        command += ["--ro-bind", str(PACKAGE / file), str(INSIDE / file)]
    command += ["--proc", "/proc", "--dev", "/dev"]
    command += ["--size", str(room.disk), "--tmpfs", SCRATCH]
    command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH]
    for name, value in _environment().items():
        command += ["--setenv", name, value]
    return command


def _of_python() -> list[str]:
    """The folders of this Python and its packages, the outer ones first."""
    paths = sysconfig.get_paths()
    folders = {sys.prefix, sys.base_prefix, paths["purelib"], paths["platlib"]}
    return sorted(folder for folder in folders if not folder.startswith("/usr/"))


def _environment() -> dict[str, str]:
    return {
        "HOME": SCRATCH,
        "TMPDIR": SCRATCH,
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": f"{SCRATCH}/matplotlib",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "USER": "student",
    }


class Sandbox:
    """A warm process; first a lesson is made ready in it, then come its submissions.

    It may be closed and started again. `kind` is one of KINDS; raises CourseError when
    it cannot be had.
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
        environment = {**os.environ, "MPLBACKEND": "agg"}
        another: dict = {}
        if self.kind == "bwrap":
            command = [*bwrap_command(self.room, number), *command]
        elif self.kind == "user":
            another = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            environment = _environment()
        self.process = subprocess.Popen(
            command,
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
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
