"""Submissions on a Dask cluster: real worker processes, one gradebook."""

import multiprocessing
import os
import signal
import sys
import threading
import time
from concurrent.futures import BrokenExecutor

import pytest
from conftest import LESSON, change_letter, needs_bwrap

from autograder.batch import grade_class
from autograder.cluster import _end_run, _relay, cluster_at
from autograder.course import Course, CourseError
from autograder.gradebook import recorded_results
from autograder.release import release_lesson

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
RIGHT = "def double(x):\n    return x + x"
KINDS = (
    {"double": RIGHT, "quick_1": 'answer_1 = "b"'},
    {"double": "def double(x):\n    return x ** 2"},
    {"double": RIGHT, "quick_1": "import os\nos._exit(1)"},
    {"double": "import os\nos.kill(-1, 9)"},
)


def refused(why):
    return pytest.raises(CourseError, match=why)


@pytest.fixture(scope="module")
def cluster():
    with (
        dask.config.set({"distributed.worker.daemon": False}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
    ):
        yield cluster


def results(course):
    found = recorded_results(course)
    return sorted((r.student, [(c.check, c.points) for c in r.checks]) for r in found)


def hand_in_many(course, hand_in, count):
    release_lesson(course, LESSON)
    return [
        hand_in(course, f"s{number:02}", **KINDS[number % len(KINDS)])
        for number in range(count)
    ]


@needs_bwrap
def test_a_cluster_gives_the_same_gradebook(course, hand_in, cluster):
    here = Course.at(course.root, course.root / "here")
    for one in (course, here):
        work = hand_in_many(one, hand_in, 12)
        if one is here:
            told = grade_class(one, work, jobs=2)
        else:
            with cluster_at(cluster.scheduler_address, course) as (jobs, start):
                assert jobs == 2
                graded = grade_class(one, work, jobs=jobs, start=start)
    assert graded == told
    assert results(course) == results(here)
    assert len(results(here)) == 12


@needs_bwrap
def test_the_next_run_has_the_lesson_as_it_is_then(course, hand_in, cluster):
    release_lesson(course, LESSON)
    work = [hand_in(course, "ada", **KINDS[0])]
    address, seen = cluster.scheduler_address, []
    for right in "ba":
        change_letter(course, right)
        with cluster_at(address, course) as (jobs, start):
            (result,) = grade_class(course, work, jobs=jobs, start=start, fresh=True)
        with distributed.Client(cluster) as client:
            left = client.run(lambda: len(multiprocessing.active_children()))
        seen.append((result.points, sum(left.values())))
    assert seen == [(4, 0), (3, 0)]  # points, and processes that outlive the run


def test_what_comes_too_late_starts_no_process():
    _end_run("a run")
    with pytest.raises(BrokenExecutor, match="has ended"):
        _relay(("a run", 0), os.getpid)


@needs_bwrap
def test_a_worker_that_is_killed_half_way_loses_nothing(course, hand_in, cluster):
    slow = {"double": f"import time\ntime.sleep(0.3)\n{RIGHT}"}
    release_lesson(course, LESSON)
    work = [hand_in(course, f"s{number:02}", **slow) for number in range(20)]
    killed = []

    def kill(done, *_):
        if done == 5 and not killed:
            with distributed.Client(cluster) as client:
                killed.append(next(iter(client.run(os.getpid).values())))
                threading.Timer(0, os.kill, (killed[0], signal.SIGKILL)).start()

    with cluster_at(cluster.scheduler_address, course) as (jobs, start):
        graded = grade_class(course, work, kill, jobs=jobs, start=start)
    assert killed
    assert [result.points for result in graded] == [3] * 20
    assert len(results(course)) == 20
    time.sleep(0.5)
    with pytest.raises(ProcessLookupError):
        os.kill(killed[0], 0)


def test_nobody_answers(course):
    with refused("No Dask scheduler answers"), cluster_at("tcp://127.0.0.1:9", course):
        pass


def test_a_scheduler_without_workers(course):
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        refused("has no workers.*DASK_DISTRIBUTED__WORKER__DAEMON=False dask worker"),
        cluster_at(cluster.scheduler_address, course),
    ):
        pass


def test_a_machine_that_does_not_see_the_course(course, cluster, tmp_path):
    elsewhere = Course(tmp_path / "not there", tmp_path)
    address = cluster.scheduler_address
    with refused("not there is missing on tcp://"), cluster_at(address, elsewhere):
        pass


def test_workers_that_may_not_start_processes(course, hand_in):
    release_lesson(course, LESSON)
    work = [hand_in(course, "ada")]
    with (
        dask.config.set({"distributed.worker.daemon": True}),  # as it is by default
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        cluster_at(cluster.scheduler_address, course) as (jobs, start),
        refused("DASK_DISTRIBUTED__WORKER__DAEMON=False"),
    ):
        grade_class(course, work, jobs=jobs, start=start)


def test_without_dask(course, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with refused("pip install"), cluster_at("tcp://127.0.0.1:9", course):
        pass
