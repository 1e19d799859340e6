"""Every known wrong and right answer through the sandbox and in one process.

Run it from the repository root: make proxied
or for every tenth answer of one lesson:
PYTHONPATH=lessons:tests .venv/bin/python tests/proxied.py 10 01_block

The checks that fail must be the same, and so must their messages.
"""

import multiprocessing
import sys
import time

import nbformat
from answers import Right
from lesson_runner import COURSE, failures, lesson_text
from mutants import right_answers
from nbgrader.utils import is_grade, is_solution

from autograder.bench import Bench
from autograder.grade import Limits
from autograder.markers import full_source
from autograder.sandbox import Sandbox
from mistakes import mistakes_of


def source_of(lesson, entry):
    if isinstance(entry, Right):
        return entry.source
    return entry.answer(full_source(lesson_text(lesson).answer(entry.exercise).source))


def in_one_process(job):
    lesson, exercise, source = job
    return failures(lesson, {exercise: source})


def proxied(bench, lesson, exercise, source):
    """Ids of the failed checks, with their messages, as the grader finds them."""
    notebook = nbformat.read(COURSE.solution(lesson), as_version=4)
    for cell in notebook.cells:
        if is_solution(cell):
            cell.metadata.nbgrader["checksum"] = ""  # as if each had been filled in
            if cell.id == exercise:
                cell.source = source
        if cell.metadata.course.kind in ("demo", "generated"):
            cell.metadata.tags = ["skip-execution"]
    scored, _ = bench.mark(notebook, Limits())
    return {
        cell.id: f"{output.ename}: {output.evalue}"
        for cell in nbformat.reads(scored.notebook, as_version=4).cells
        if is_grade(cell)
        for output in cell.outputs
        if output.output_type == "error"
    }


def compare(lesson, step):
    """A text for each entry that is judged in two ways; every `step`-th is taken."""
    entries = (*mistakes_of(lesson), *right_answers(lesson))[::step]
    assert failures(lesson, {}) == {}, f"{lesson}: its own answers fail"  # warms up
    jobs = [(lesson, entry.exercise, source_of(lesson, entry)) for entry in entries]
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        want = pool.map(in_one_process, jobs, chunksize=1)
    sandbox = Sandbox()
    bench = Bench(nbformat.read(COURSE.solution(lesson), as_version=4), sandbox)
    odd, texts, start = [], 0, time.monotonic()
    for job, expected in zip(jobs, want, strict=True):
        got = proxied(bench, *job)
        if set(got) != set(expected):
            differ = sorted(set(got) ^ set(expected))
            odd.append(f"{lesson} {job[1]}: {differ}\n{job[2]}\n{expected}\n{got}")
        texts += got == expected
    sandbox.close()
    seconds = (time.monotonic() - start) / len(jobs)
    print(
        f"{lesson}: {len(jobs)} answers, {len(odd)} judged in two ways, {seconds:.2f} s"
    )
    print(f"  every message the same: {texts}", flush=True)
    return odd


def main():
    step, *lessons = sys.argv[1:] or ["1"]
    lessons = lessons or COURSE.lesson_names()
    odd = [text for lesson in lessons for text in compare(lesson, int(step))]
    print("\n\n".join(odd))
    raise SystemExit(bool(odd))


if __name__ == "__main__":
    main()
