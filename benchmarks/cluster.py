"""Two hundred submissions on a Dask cluster of this machine: the same grades, how fast?

Run it from the repository root, with the number of submissions and a lesson:
PYTHONPATH=lessons:tests .venv/bin/python benchmarks/cluster.py 200 05_patches

It grades the same submissions with two processes, then with one and two Dask workers,
and compares all three gradebooks.
"""

import logging
import sys
import tempfile
import time
from itertools import chain
from pathlib import Path

import dask
from distributed import LocalCluster
from grading import ROOT, make

from autograder.batch import grade_class, submissions_in
from autograder.cluster import cluster_at
from autograder.course import Course
from autograder.gradebook import recorded_results
from autograder.release import release_lesson


def graded(place, lesson, jobs, start=None):
    """Grade the work in `place` into a class of its own: its results, and seconds."""
    course = Course.at(ROOT.root, Path(place) / f"class-{time.monotonic()}")
    release_lesson(course, lesson)
    submissions = submissions_in(course, Path(place) / "work", [lesson])
    began = time.monotonic()
    grade_class(course, submissions, jobs=jobs, start=start)
    return recorded_results(course), time.monotonic() - began


def on_cluster(place, lesson, workers):
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        cluster_at(cluster.scheduler_address, ROOT) as (jobs, start),
    ):
        return graded(place, lesson, jobs, start)


def main():
    count, lesson = int(sys.argv[1]), sys.argv[2]
    dask.config.set({"distributed.worker.daemon": False})
    logging.getLogger("distributed").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as place:
        course = Course.at(ROOT.root, Path(place) / "class")
        release_lesson(course, lesson)
        make(Path(place) / "work", course, lesson, count, hostile_every=10)
        here, seconds = graded(place, lesson, 2)
        one, alone = on_cluster(place, lesson, 1)
        two, together = on_cluster(place, lesson, 2)
    checks = len(list(chain(*(result.checks for result in here))))
    print(f"{count} submissions, {len(here)} results, {checks} scores")
    print(f"two processes {seconds:.0f} s")
    print(f"one Dask worker {alone:.0f} s, two {together:.0f} s")
    print(f"from one worker to two: {alone / together:.2f} times as fast")
    same = here == one == two
    print("the same gradebook" if same else "the gradebooks differ")
    raise SystemExit(not same)


if __name__ == "__main__":
    main()
