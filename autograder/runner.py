"""The first process in the sandbox: torch loaded, a lesson's cells run, then forks.

It reads requests from a control socket: a lesson to make ready, or the socket of a
session. For each session it forks; the fork serves it and never sees the control
socket. When the submission is done, all of its processes and files are removed.
"""

import contextlib
import ctypes
import gc
import os
import resource
import select
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

from autograder.wire import Closed, receive, send

LESSON = b"l"  # the request that a lesson follows; any other comes with a session
DUMPABLE = 4  # prctl
PROCESSES = 64  # of one submission, threads not counted
PAUSE = 0.05  # seconds between two looks at the processes


def main(control_number: int) -> None:
    """Serve lessons and submissions until the control socket is closed."""
    control, stage = socket.socket(fileno=control_number), None
    order, _ = receive(control)
    # else everybody's processes would be killed, and everybody's files removed
    alone = os.getpid() == 1 and is_own(order["scratch"])
    if alone:
        # Nobody in the sandbox may look into this process or trace it.
        ctypes.CDLL(None).prctl(DUMPABLE, 0, 0, 0, 0)
    # This takes two seconds; a failure is told on standard error. Layers on the meta
    # device and the masks of torch.nn.attention need the second module: a submission
    # that uses them would load it for itself.
    import torch
    import torch._dynamo

    torch.set_num_threads(1)  # before the first operation: then a fork is safe
    from autograder.stage import Stage

    silence()
    while True:
        word, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not word:
            return
        if word == LESSON:
            stage = None  # the lesson before is not needed any more
            try:
                stage = Stage(*receive(control))
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
                send(control, {"ready": False, "problem": problem})
                return
            freeze()
            send(control, {"ready": True})
        else:
            session = socket.socket(fileno=descriptors[0])
            ended = run(session, control, stage, order["limits"], alone)
            if alone and not tidy(order["scratch"]):
                return  # something stayed behind: the next one gets a new sandbox
            send(control, {"ended": ended})


def run(
    session: socket.socket, control: socket.socket, stage, limits: dict, alone: bool
) -> str:
    """Serve a session in a fork until it ends or must end; why it ended."""
    child = os.fork()
    if child == 0:
        control.close()
        serve(session, stage, limits)
    session.close()
    reason = watch(child, control, limits, alone)
    end_all(child, alone)
    return reason


def freeze() -> None:
    """Collect now; a fork that collects would copy all pages."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def silence() -> None:
    """Standard input, output and error lead nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)


def serve(session: socket.socket, stage, limits: dict) -> None:
    """Serve one session in a process of its own; never returns."""
    os.setsid()
    confine(limits)
    try:
        while True:
            message, buffers = receive(session)
            reply, more = stage.answer(message, buffers)
            send(session, reply, more)
    except Closed:
        os._exit(0)
    finally:
        os._exit(1)


def confine(limits: dict) -> None:
    """Limits on memory, file size and processes for this process and its children."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    memory = pages * os.sysconf("SC_PAGE_SIZE") + limits["memory"]
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, limits["file"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_NPROC, 4096),  # of the user; `watch` counts our own
    ):
        resource.setrlimit(kind, (most, most))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write then fails with an error
    sys.setrecursionlimit(3000)


def watch(child: int, control: socket.socket, limits: dict, alone: bool) -> str:
    """Wait until the child ends, has too many processes, or must end; why it ended."""
    while True:
        readable, _, _ = select.select([control], [], [], PAUSE)
        if readable:
            control.recv(1)
            return "told to end"
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            control.recv(1)
            return f"ended by itself: {status}"
        if alone:
            count, memory = usage()
            if count > PROCESSES or memory > limits["memory"] + (1 << 30):
                end_all(child, alone)


def usage() -> tuple[int, int]:
    """Number of other processes in the sandbox, and the bytes that they hold."""
    count = pages = 0
    for name in os.listdir("/proc"):
        if name.isdigit() and name != "1":
            count += 1
            with contextlib.suppress(OSError):
                statm = Path(f"/proc/{name}/statm").read_text().split()
                pages += int(statm[1]) - int(statm[2])  # resident, not of a file
    return count, pages * os.sysconf("SC_PAGE_SIZE")


def end_all(child: int, alone: bool) -> None:
    """Kill the submission's processes, all at once, and collect them."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if alone:
            os.kill(-1, signal.SIGKILL)  # everything in the sandbox but this process
        else:
            os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    end = time.monotonic() + 10
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < end:
            if alone:
                os.waitpid(-1, 0)
            elif os.waitpid(child, 0):
                return


def is_own(folder: str) -> bool:
    """Whether a folder is a file system of this sandbox, as bubblewrap makes it."""
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    return any(mount.split()[1:3] == [folder, "tmpfs"] for mount in mounts)


def tidy(scratch: str) -> bool:
    """Empty the one folder that can be written to; whether nothing stayed behind."""
    for entry in Path(scratch).iterdir():
        with contextlib.suppress(OSError):
            if entry.is_dir() and not entry.is_symlink():
                entry.chmod(0o700)
                for folder, inner, _ in os.walk(entry):  # looks into them afterwards
                    for path in (Path(folder, name) for name in inner):
                        if not path.is_symlink():
                            path.chmod(0o700)
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink()
    shared = (Path("/proc/sysvipc") / kind for kind in ("shm", "msg", "sem"))
    left = any(len(table.read_text().splitlines()) > 1 for table in shared)
    return not left and not os.listdir(scratch) and usage()[0] == 0
