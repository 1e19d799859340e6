"""The bundled class, graded: the table of scores, bad files, and a second run."""

import csv
import html
import re
import sqlite3

import pytest
import sample_class

from autograder.batch import grade_class, submissions_in
from autograder.course import Course

BLOCK = "01_block"
OTHERS = ["02_counting", "03_sampling", "04_kv_cache", "05_patches"]
SCORES = {
    **{("ada", lesson): 20 for lesson in [BLOCK, *OTHERS]},  # every answer right
    **{("blaise", lesson): 20 for lesson in [BLOCK, *OTHERS]},  # in other styles
    ("carl", BLOCK): 10,  # the first two exercises and the first question of each
    ("carl", "02_counting"): 5,
    ("carl", "03_sampling"): 10,
    ("carl", "04_kv_cache"): 12,
    ("carl", "05_patches"): 11,
    ("dora", BLOCK): 0,  # untouched
    ("emmy", BLOCK): 19,  # variance divided by D - 1
    ("emmy", "02_counting"): 18,  # the tied matrix counted twice
    ("emmy", "03_sampling"): 19,  # top-p drops the token that crosses
    ("emmy", "04_kv_cache"): 18,  # positions forgotten once there is a cache
    ("emmy", "05_patches"): 19,  # corners aligned
    ("felix", BLOCK): 17,  # post-LN: three checks of pre_ln_block
    ("grace", BLOCK): 18,  # heads merged without a transpose: two of attention
    ("hedy", BLOCK): 20,  # saved by Colab
    ("ivan", BLOCK): 20,  # a check cell deleted
    ("julia", BLOCK): 20,  # metadata stripped
    ("kurt", BLOCK): 14,  # an endless loop in attention
    ("lise", BLOCK): 0,  # a web page under the notebook's name
    ("maria", BLOCK): 20,  # renamed by a browser, a check cell copied
}


def submissions(course, lessons):
    return submissions_in(course, sample_class.FOLDER, lessons)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    course = Course.at(sample_class.COURSE.root, tmp_path_factory.mktemp("class"))
    results = grade_class(course, submissions(course, course.lesson_names()))
    return course, {(r.student, r.lesson): r for r in results}


def gradebook(course):
    """Every score in nbgrader's database, by student and check."""
    query = """
        select a.name, s.student_id, b.name, g.auto_score, g.needs_manual_grade
        from grade g
        join base_cell b on b.id = g.cell_id
        join submitted_notebook n on n.id = g.notebook_id
        join submitted_assignment s on s.id = n.assignment_id
        join assignment a on a.id = s.assignment_id
    """
    with sqlite3.connect(course.gradebook) as connection:
        rows = sorted(connection.execute(query))
    connection.close()
    return rows


def test_the_committed_class_is_what_the_builder_makes(tmp_path):
    sample_class.make(tmp_path)
    made = {f.relative_to(tmp_path): f.read_bytes() for f in files(tmp_path)}
    committed = {
        f.relative_to(sample_class.FOLDER): f.read_bytes()
        for f in files(sample_class.FOLDER)
    }
    assert made == committed, "run: make sample"


def files(folder):
    return [file for file in folder.rglob("*") if file.is_file()]


def test_every_submission_has_the_expected_score(graded):
    _, results = graded
    assert {key: result.points for key, result in results.items()} == SCORES
    assert all(result.max_points == 20 for result in results.values())


def test_bad_files_and_repairs_are_explained(graded):
    _, results = graded
    assert "is a web page" in results["lise", BLOCK].problem
    assert "attention_check_2 was missing" in results["ivan", BLOCK].repairs[0]
    assert "copy of the check cell" in " ".join(results["maria", BLOCK].repairs)
    assert results["ada", BLOCK].repairs == ()
    assert results["hedy", BLOCK].repairs == ()


def test_an_endless_loop_costs_only_its_own_exercise(graded):
    _, results = graded
    lost = {
        check.check: check.message
        for check in results["kurt", BLOCK].checks
        if check.points < check.max_points
    }
    assert set(lost) == {f"attention_check_{n}" for n in range(1, 7)}
    assert "No answer after" in lost["attention_check_1"]


def test_the_csv_has_one_row_a_student(graded):
    course, _ = graded
    with course.grades_csv.open(newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert set(rows) == {student for student, _ in SCORES}
    assert float(rows["emmy"]["total"]) == 93
    assert float(rows["emmy"][BLOCK]) == 19
    assert rows["maria"]["05_patches"] == ""


def words_of(page):
    """The text of an HTML page: pygments puts every token into a tag of its own."""
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text()))


def test_feedback_pages_show_no_hidden_check(graded):
    course, _ = graded
    pages = files(course.feedback)
    assert len(pages) == len(SCORES)
    for page in pages:
        text = words_of(page)
        assert "HIDDEN TESTS" not in text
        assert "check.hidden()" not in text
        assert "check.choice" not in text
        assert "check.close" in text or page.parts[-3] == "lise" or "02" in page.stem


def test_a_second_run_gives_the_same_gradebook(graded):
    course, _ = graded
    before = gradebook(course)
    assert len(before) >= len(SCORES)
    grade_class(course, submissions(course, [BLOCK]))
    assert gradebook(course) == before
