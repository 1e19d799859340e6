"""What keeps students' code apart: no network, no view of the course, hard limits.

bubblewrap gives it namespaces of its own and a file system in which it finds Python,
the packages and the few modules that run it, all read-only, and one empty
folder to write to.

"user" is for a container that serves one submission and allows no namespaces: the code
runs as nobody, and cannot read or write what root keeps to itself. It does have the
network. "none" does without any of this.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from autograder.course import CourseError

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
# The folder that students' code may write to; not the one in which Python lies.
SCRATCH = "/var/tmp" if sys.prefix.startswith("/tmp/") else "/tmp"
KINDS = ("auto", "bwrap", "user", "none")
NOBODY = 65534
AS_NOBODY: dict = {"user": NOBODY, "group": NOBODY, "extra_groups": []}  # for Popen


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
        if not _runs_for_nobody():
            raise CourseError(
                f"--sandbox user: the user nobody may not run {sys.executable}. Use a "
                "Python that lies outside root's home, such as one from apt."
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


def _runs_for_nobody() -> bool:
    command = [sys.executable, "-I", "-c", ""]
    try:
        done = subprocess.run(command, capture_output=True, check=False, **AS_NOBODY)
    except PermissionError:
        return False
    return done.returncode == 0


def _works(program: str) -> bool:
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def bwrap_command(room: Room) -> list[str]:
    """bubblewrap and its options, up to the command that it runs."""
    command = ["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent"]
    command += ["--uid", str(NOBODY), "--gid", str(NOBODY), "--cap-drop", "ALL"]
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
    for name, value in environment().items():
        command += ["--setenv", name, value]
    return command


def _of_python() -> list[str]:
    """The folders of this Python and its packages, the outer ones first."""
    paths = sysconfig.get_paths()
    folders = {sys.prefix, sys.base_prefix, paths["purelib"], paths["platlib"]}
    return sorted(folder for folder in folders if not folder.startswith("/usr/"))


def environment() -> dict[str, str]:
    """The environment of students' code."""
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
