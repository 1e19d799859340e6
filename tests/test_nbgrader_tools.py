"""nbgrader's own commands and queries on a gradebook that we wrote."""

import csv
import html
import os
import re
import subprocess
import sys

import pytest
from conftest import HAS_BWRAP, LESSON, _write_course, grade_submission
from lesson_runner import COURSE
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from autograder.autograde import grading_config
from autograder.batch import grade_class
from autograder.course import CourseError
from autograder.release import release_lesson
from autograder.steps import gradebook_of, nbgrader_at_work
from autograder.working import Terms

ALL = {"double": "def double(x):\n    return x + x", "quick_1": 'answer_1 = "b"'}
ONLY_VISIBLE = {"double": "def double(x):\n    return abs(x) * 2"}
DUE = "2026-02-03 12:00:00 UTC"
# A plugin of the teacher: half a point for each hour that has begun.
PLUGIN = """
from nbgrader.plugins import LateSubmissionPlugin


class ByTheHour(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 0.5 * -(-total_seconds_late // 3600)


get_config().AssignLatePenalties.plugin_class = ByTheHour
"""
ZERO = "get_config().LateSubmissionPlugin.penalty_method = 'zero'\n"


def configure(course, text):
    """Put `text` at the end of the course's nbgrader_config.py as it was."""
    config = COURSE.root / "nbgrader_config.py"
    (course.root / config.name).write_text(config.read_text() + text)


def due(course):
    with gradebook_of(course) as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate=DUE)


def hand_in_at(course, hand_in, student, time, **answers):
    work = hand_in(course, student, **answers)
    (work.file.parent / "timestamp.txt").write_text(f"2026-02-03 {time} UTC")
    return work


@pytest.fixture(scope="module")
def graded(hand_in, tmp_path_factory):
    """A class of four, graded by us; two of them were late."""
    course = _write_course(tmp_path_factory.mktemp("class") / "course")
    release_lesson(course, LESSON)
    configure(course, PLUGIN)
    due(course)
    work = [
        hand_in_at(course, hand_in, "ada", "11:59:59", **ALL),
        hand_in_at(course, hand_in, "bo", "13:30:00", **ALL),
        hand_in_at(course, hand_in, "cy", "12:10:00", **ONLY_VISIBLE),
        hand_in(course, "di"),
    ]
    grade_class(course, work, terms=Terms("bwrap" if HAS_BWRAP else "none"))
    return course


def nbgrader(course, *arguments):
    """Run nbgrader's own command in the course; what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course.root,
        env={**os.environ, "JUPYTER_CONFIG_DIR": str(course.root / "settings")},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-2000:]
    assert "Traceback" not in said
    return said


def scores(course):
    """student → (score of each check, penalty), as the gradebook has them."""
    with gradebook_of(course) as gradebook:
        return {
            notebook.student.id: (
                {grade.name: grade.score for grade in notebook.grades},
                notebook.late_submission_penalty,
            )
            for notebook in gradebook.notebook_submissions(LESSON, LESSON)
        }


def test_nbgrader_exports_the_scores_and_penalties(graded, tmp_path):
    nbgrader(graded, "export", f"--to={tmp_path / 'grades.csv'}")
    with (tmp_path / "grades.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    columns = ("raw_score", "late_submission_penalty", "score", "max_score")
    numbers = {s: tuple(float(row[c]) for c in columns) for s, row in rows.items()}
    assert numbers == {
        "ada": (4, 0, 4, 4),
        "bo": (4, 1, 3, 4),  # an hour and a half late
        "cy": (1, 0.5, 0.5, 4),
        "di": (0, 0, 0, 4),
    }
    assert rows["bo"]["timestamp"] == "2026-02-03 13:30:00"
    assert {row["duedate"] for row in rows.values()} == {"2026-02-03 12:00:00"}


def test_nbgrader_writes_feedback_without_hidden_checks(graded):
    pages = {
        student: graded.feedback / student / LESSON / f"{LESSON}.html"
        for student in ("ada", "cy")
    }
    for page in pages.values():
        page.unlink()
    nbgrader(graded, "generate_feedback", LESSON, "--force")
    words = {
        student: html.unescape(re.sub(r"<[^>]*>", "", page.read_text()))
        for student, page in pages.items()
    }
    assert "Score: 4.0 / 4.0" in words["ada"]
    assert "Score: 0.5 / 4.0" in words["cy"]  # of 1 point
    assert "Late submission penalty (Score: -0.5)" in words["cy"]
    assert "double: other numbers failed." in words["cy"]
    assert "check.equal(double(3), 6)" in words["cy"]
    for text in words.values():
        assert not any(s in text for s in ("70707", "HIDDEN TESTS", "check.hidden()"))


def test_nbgrader_lists_the_students(graded):
    said = nbgrader(graded, "db", "student", "list")
    assert all(f"{student} (" in said for student in ("ada", "bo", "cy", "di"))


def test_the_gradebook_answers_nbgraders_queries(graded):
    with gradebook_of(graded) as gradebook:
        assert gradebook.average_assignment_score(LESSON) == (4 + 4 + 1 + 0) / 4
        submissions = {s["student"]: s for s in gradebook.submission_dicts(LESSON)}
        (notebook,) = (
            n
            for n in gradebook.notebook_submissions(LESSON, LESSON)
            if n.student.id == "cy"
        )
        failed = notebook.failed_tests
        students = {s["id"]: s for s in gradebook.student_dicts()}
    assert submissions["cy"]["score"] == 1
    assert submissions["cy"]["max_code_score"] == 4
    assert not any(s["needs_manual_grade"] for s in submissions.values())
    assert failed
    assert students["bo"]["score"] == 4  # the penalty stands apart


def test_formgraders_own_list_has_every_submission(graded):
    config = grading_config(graded)
    with nbgrader_at_work():
        api = NbGraderAPI(CourseDirectory(config=config), config=config)
        found = {s["student"]: s for s in api.get_submissions(LESSON)}
    assert {s: (f["autograded"], f["score"]) for s, f in found.items()} == {
        **{"ada": (True, 4), "bo": (True, 4), "cy": (True, 1), "di": (True, 0)},
    }


def test_nbgrader_grades_the_same_class_again_to_the_same(graded):
    before = scores(graded)
    assert [penalty for _, penalty in before.values()].count(None) == 2
    nbgrader(graded, "autograde", LESSON, "--force")
    assert scores(graded) == before


@pytest.fixture
def penalty(released, hand_in, worker):
    """penalty(lines of the configuration, time) → what work of that time loses"""

    def grade(text, time):
        configure(released, text)
        due(released)
        work = hand_in_at(released, hand_in, "late", time, **ALL)
        grade_submission(released, work, worker)
        return scores(released)["late"][1]

    return grade


@pytest.mark.parametrize(
    ("text", "time", "lost"),
    [
        pytest.param("", "23:00:00", None, id="no penalty by default"),
        pytest.param(PLUGIN, "12:00:00", None, id="in time"),
        pytest.param(PLUGIN, "15:00:00", 1.5, id="three hours"),
        pytest.param(PLUGIN, "23:00:00", 4, id="never more than the score"),
        pytest.param(ZERO, "12:00:01", 4, id="all points"),
        pytest.param(
            PLUGIN.replace("0.5", "-1"), "15:00:00", 0, id="never less than 0"
        ),
    ],
)
def test_lateness_costs_what_the_teachers_plugin_says(penalty, text, time, lost):
    assert penalty(text, time) == lost


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 / 0\n", "ZeroDivisionError"),
        ("get_config().AssignLatePenalties.plugin_class = 'no.Such'\n", "TraitError"),
    ],
)
def test_a_penalty_that_cannot_be_found_names_the_file(penalty, text, words):
    with pytest.raises(CourseError, match=rf"nbgrader_config.py gives .* {words}"):
        penalty(text, "15:00:00")


def test_a_broken_configuration_harms_no_work_that_is_in_time(penalty):
    assert penalty("1 / 0\n", "12:00:00") is None


def test_a_penalty_is_taken_back_with_its_lateness(penalty):
    assert penalty(PLUGIN, "13:00:00") == 0.5
    assert penalty(PLUGIN, "11:00:00") is None
