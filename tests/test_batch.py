"""A whole class: the same gradebook as nbgrader's, resume, and an end half-way."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from conftest import HAS_BWRAP, needs_bwrap

from autograder.autograde import grading_config
from autograder.batch import grade_class
from autograder.course import Course, CourseError
from autograder.grade import NOT_ISOLATED, Limits
from autograder.isolation import Room
from autograder.release import release_lesson
from autograder.resume import Memory
from autograder.steps import run_nbgrader
from autograder.submission import Submission
from autograder.working import Terms

LESSON = "01_tiny"
RIGHT = "def double(x):\n    return x + x"
WORK = {
    "ada": {"double": RIGHT, "quick_1": 'answer_1 = "b"'},
    "bo": {"double": "def double(x):\n    return abs(2 * x)"},
    "cy": {"double": "def double(x:", "quick_1": 'answer_1 = "a"'},
    "di": {},
}
TABLE = """
    select a.name, s.student_id, s.timestamp, b.name, g.auto_score, g.manual_score,
           g.extra_credit, g.needs_manual_grade, n.late_submission_penalty
    from grade g
    join base_cell b on b.id = g.cell_id
    join submitted_notebook n on n.id = g.notebook_id
    join submitted_assignment s on s.id = n.assignment_id
    join assignment a on a.id = s.assignment_id
"""
COMMENTS = """
    select s.student_id, b.name, c.auto_comment, c.manual_comment
    from comment c
    join base_cell b on b.id = c.cell_id
    join submitted_notebook n on n.id = c.notebook_id
    join submitted_assignment s on s.id = n.assignment_id
"""


def rows(course, query):
    connection = sqlite3.connect(course.gradebook)
    try:
        return sorted(connection.execute(query), key=repr)
    finally:
        connection.close()


def hand_in_all(course, hand_in, work=WORK):
    return [hand_in(course, student, **answers) for student, answers in work.items()]


def test_the_gradebook_is_what_nbgrader_itself_would_write(course, hand_in):
    from nbgrader.converters import Autograde

    release_lesson(course, LESSON)
    submissions = hand_in_all(course, hand_in)
    grade_class(course, submissions)
    theirs = Course(course.root, course.root / "theirs")
    release_lesson(theirs, LESSON)
    hand_in_all(theirs, hand_in)
    for student in WORK:
        run_nbgrader(Autograde, grading_config(theirs), LESSON, student)
    assert rows(course, TABLE) == rows(theirs, TABLE)
    assert rows(course, COMMENTS) == rows(theirs, COMMENTS)
    for student in WORK:
        ours, other = (
            nbformat.read(
                c.autograded / student / LESSON / f"{LESSON}.ipynb", as_version=4
            )
            for c in (course, theirs)
        )
        assert [c.source for c in ours.cells] == [c.source for c in other.cells]
        for one, two in zip(ours.cells, other.cells, strict=True):
            assert one.metadata.get("nbgrader") == two.metadata.get("nbgrader")
            kinds = [[o.output_type for o in c.get("outputs", [])] for c in (one, two)]
            if "skip-execution" not in one.metadata.get("tags", []):
                assert one.id == "show" or kinds[0] == kinds[1]


@pytest.fixture
def ran(monkeypatch):
    """The students whose work was run, in order."""
    import autograder.batch

    students, worked = [], autograder.batch.work_through

    def note(course, todo, *rest):
        students.extend(found.student for found in todo)
        return worked(course, todo, *rest)

    monkeypatch.setattr(autograder.batch, "work_through", note)
    return students


def test_a_second_run_grades_only_what_changed(course, hand_in, ran):
    release_lesson(course, LESSON)
    first = grade_class(course, hand_in_all(course, hand_in))
    assert ran == list(WORK)
    before = rows(course, TABLE)
    ran.clear()
    changed = WORK | {"di": {"quick_1": 'answer_1 = "b"'}}
    second = grade_class(course, hand_in_all(course, hand_in, changed))
    assert ran == ["di"]
    assert second[:3] == first[:3]
    assert second[3].points == 1
    assert [row for row in rows(course, TABLE) if row[1] != "di"] == [
        row for row in before if row[1] != "di"
    ]
    ran.clear()
    grade_class(course, hand_in_all(course, hand_in, changed), fresh=True)
    assert ran == list(WORK)


def test_a_file_that_cannot_be_read_costs_only_its_author(course, hand_in):
    release_lesson(course, LESSON)
    ada = hand_in(course, "ada", **WORK["ada"])
    eve = Submission("eve", LESSON, Path("/proc/self/mem"))  # not even root reads it
    first, second = grade_class(course, [ada, eve])
    assert (first.points, second.points) == (4, 0)
    assert second.problem == (
        'The file "mem" cannot be read (Input/output error). '
        "Change its permissions, or hand in the notebook once more."
    )


@needs_bwrap
def test_what_ran_without_a_sandbox_is_graded_again_with_one(course, hand_in, ran):
    release_lesson(course, LESSON)
    work = [hand_in(course, "ada", **WORK["ada"])]
    seen = []
    for sandbox in ("none", "none", "bwrap", "none", "bwrap"):
        (result,) = grade_class(course, work, terms=Terms(sandbox))
        seen.append((len(ran), result.points, NOT_ISOLATED in result.flags))
    bare, safe = (1, 4, True), (2, 4, False)
    assert seen == [bare, bare, safe, safe, safe]


def test_with_other_limits_all_is_graded_again(course, hand_in, ran):
    release_lesson(course, LESSON)
    work = [hand_in(course, "ada", **WORK["ada"])]
    usual = Terms("bwrap" if HAS_BWRAP else "none")
    longer = replace(usual, limits=Limits(cell=60, total=240))
    larger = replace(longer, room=Room(memory=4 << 30))
    seen = []
    for terms in (usual, usual, longer, longer, larger, larger):
        grade_class(course, work, terms=terms)
        seen.append(len(ran))
    assert seen == [1, 1, 2, 2, 3, 3]


def test_a_line_that_was_cut_off_is_ignored(course, hand_in):
    course.class_dir.mkdir()
    (course.class_dir / "graded.jsonl").write_text('{"student": "ada", "less')
    assert Memory(course).known == {}


def test_a_folder_that_cannot_hold_grades_is_told_before_the_grading(course, hand_in):
    release_lesson(course, LESSON)
    work = hand_in_all(course, hand_in)
    elsewhere = Course(course.root, Path("/proc"))  # not even root writes there
    with pytest.raises(CourseError, match=r"in /proc \(.+\)\. .* with --class-dir\."):
        grade_class(elsewhere, work)


GRADE = """
import sys
from pathlib import Path
from autograder.batch import grade_class, submissions_in
from autograder.course import Course
if __name__ == "__main__":
    course = Course.at(Path(sys.argv[1]))
    grade_class(course, submissions_in(course, course.submitted, ["01_tiny"]))
"""


def started_with(mark):
    """The processes that have `mark` in their environment."""
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"RUN={mark}".encode() in file.read_bytes():
                found.append(file.parent.name)
    return found


def test_killed_half_way_and_run_again_gives_the_same_gradebook(course, hand_in):
    release_lesson(course, LESSON)
    slow = {"double": f"import time\ntime.sleep(0.5)\n{RIGHT}"}
    work = {
        f"s{n}": {**slow, "quick_1": f'answer_1 = "{"ab"[n % 2]}"'} for n in range(8)
    }
    submissions = hand_in_all(course, hand_in, work)
    script = course.root / "grade.py"
    script.write_text(GRADE)
    mark = str(course.root)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "RUN": mark}
    process = subprocess.Popen(
        [sys.executable, str(script), str(course.root)],
        env=environment,
        start_new_session=True,
    )
    log, end = course.class_dir / "graded.jsonl", time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        if log.is_file() and len(log.read_text().splitlines()) >= 3:
            break
        time.sleep(0.05)
    assert len(started_with(mark)) > 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    while started_with(mark) and time.monotonic() < end:
        time.sleep(0.05)
    assert started_with(mark) == []
    done = len(log.read_text().splitlines())
    assert 3 <= done < 8
    results = grade_class(course, submissions)
    assert [result.points for result in results] == [3, 4] * 4
    whole = Course(course.root, course.root / "whole")
    release_lesson(whole, LESSON)
    grade_class(whole, hand_in_all(whole, hand_in, work))
    assert rows(course, TABLE) == rows(whole, TABLE)
