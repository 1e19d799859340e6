"""The workers of a Dask cluster, as executors that work like processes of this machine.

On each machine the course lies under the same path, in a shared folder. Only the
process that started the run writes to the gradebook.
"""

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from autograder.course import Course, CourseError
from autograder.workers import end, process

if TYPE_CHECKING:
    from distributed import Client

ANSWERS_WITHIN = 10  # seconds
# of a Dask worker: one for each of its threads, by run and number
_processes: dict[tuple[str, int], Executor] = {}
_ended: set[str] = set()  # runs
_lock = threading.Lock()


@contextmanager
def workers_at(
    scheduler: str, course: Course, jobs: int
) -> Iterator[tuple[int, Callable[[int], Executor] | None]]:
    """How many submissions at a time, and what starts each worker.

    Without a `scheduler` they are `jobs` processes of this machine.
    """
    if scheduler:
        with cluster_at(scheduler, course) as workers:
            yield workers
    else:
        yield jobs, None


@contextmanager
def cluster_at(
    address: str, course: Course
) -> Iterator[tuple[int, Callable[[int], Executor]]]:
    """How many submissions a cluster takes at a time, and what starts each worker.

    `address` is that of the scheduler, such as tcp://10.0.0.1:8786. No process of the
    run outlives it. Raises CourseError when Dask is missing, nobody answers, or a
    machine does not see the course.
    """
    run = uuid4().hex
    with _client(address) as client:
        known = client.scheduler_info(n_workers=-1)["workers"]
        places = [at for at, told in known.items() for _ in range(told["nthreads"])]
        if not places:
            raise CourseError(
                f"The scheduler at {address} has no workers. "
                "Start some: DASK_DISTRIBUTED__WORKER__DAEMON=False "
                f"dask worker {address}"
            )
        sees = client.run(_sees, str(course.root))
        if blind := [at for at, is_there in sees.items() if not is_there]:
            raise CourseError(
                f"{course.root} is missing on {', '.join(sorted(blind))}. "
                "The course must lie under the same path on every machine."
            )

        def start(number: int) -> Executor:
            # "allow": what a lost worker had goes to another
            at = {"workers": places[number], "allow_other_workers": True}
            return _Slot(client.get_executor(pure=False, **at), (run, number))

        try:
            yield len(places), start
        finally:
            with suppress(OSError):  # the scheduler may be gone
                client.run(_end_run, run, on_error="ignore")


def _client(address: str) -> "Client":
    try:
        from distributed import Client
    except ImportError:
        raise CourseError(
            '--scheduler needs Dask. Install it: pip install "dask[distributed]"'
        ) from None
    try:
        return Client(address, timeout=ANSWERS_WITHIN)
    except (OSError, ValueError) as error:
        raise CourseError(
            f"No Dask scheduler answers at {address} ({error}). "
            "Start one: dask scheduler"
        ) from None


class _Slot(Executor):
    """One thread of a Dask worker; what it gets is done in a process of its own."""

    def __init__(self, executor: Executor, slot: tuple[str, int]):
        self.executor, self.slot = executor, slot

    def submit(self, task: Callable, /, *args: object) -> Future:
        return self.executor.submit(_relay, self.slot, task, *args)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.executor.shutdown(wait=False)


def _sees(root: str) -> bool:
    return (Path(root) / "lessons").is_dir()


def _relay(slot: tuple[str, int], task: Callable, *args: object) -> object:
    """Do a task in a process beside this Dask worker, which has threads: no forks here.

    Raises BrokenExecutor when that process ends, or the run has.
    """
    if multiprocessing.current_process().daemon:
        raise CourseError(
            "A Dask worker may not start processes by default. Start the workers with "
            "DASK_DISTRIBUTED__WORKER__DAEMON=False in their environment."
        )
    run, number = slot
    with _lock:
        if run in _ended:
            raise BrokenExecutor("The run has ended.")
        if slot not in _processes:
            _processes[slot] = process(number)
        executor = _processes[slot]
    try:
        return executor.submit(task, *args).result()
    except BrokenExecutor:
        with _lock:
            _processes.pop(slot, None)
        raise


def _end_run(run: str) -> None:
    """End the processes of a run beside this Dask worker."""
    with _lock:
        _ended.add(run)
        ours = [_processes.pop(slot) for slot in list(_processes) if slot[0] == run]
    for executor in ours:
        end(executor)
