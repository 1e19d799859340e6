"""report.html: what a teacher reads of a class, whatever its students wrote."""

import itertools
import re
import shutil
from dataclasses import replace

import pytest
from conftest import HAS_BWRAP
from html_page import Page
from test_palette import READABLE, VISIBLE, contrast

from autograder.batch import grade_class
from autograder.class_page import write_class_page
from autograder.course import CourseError
from autograder.grade import NOT_ISOLATED, CheckResult, Result
from autograder.release import release_lesson
from autograder.report import write_pages, write_reports
from autograder.resume import Memory, class_results
from autograder.steps import gradebook_of
from autograder.submission import Submission
from autograder.summary import Column, Tally, mistake, outcome, summary
from autograder.working import Terms

LESSON = "01_tiny"
CHECKS = ("Check", "Pass rate", "Submissions")  # the columns of their table
SCRIPT = "<script>alert(1)</script>"
LONG = "n" * 300
RIGHT = "def double(x):\n    return x + x"
WORK = {
    "ada": {"double": RIGHT, "quick_1": 'answer_1 = "b"'},
    "<b>bo": {"double": "def double(x):\n    return abs(2 * x)"},
    "cy": {"double": "import ctypes\ndef double(x):\n    return abs(2 * x)"},
    "di": {"double": "import os\nos._exit(0)"},
    "ed": {},
}


def result(student, points=(1, 2, 1), message="", lesson=LESSON, **more):
    ids = ("double_check_1", "double_check_2", "quick_1_check_1")
    checks = tuple(
        CheckResult(name, got, most, "" if got == most else message)
        for name, got, most in zip(ids, points, (1, 2, 1), strict=True)
    )
    return Result(student, lesson, checks, **more)


@pytest.fixture
def page(course):
    """page(result, …) → the class page of these results"""

    def write(*results):
        write_class_page(course, results)
        return Page(course.report)

    return write


@pytest.fixture(scope="module")
def graded(released, hand_in):
    """A class in which each fared differently, graded; "lise" sent no notebook."""
    submissions = [hand_in(released, name, **work) for name, work in WORK.items()]
    submissions.append(Submission("lise", LESSON, None, problem="It is a web page."))
    terms = Terms("bwrap" if HAS_BWRAP else "none")
    return released, grade_class(released, submissions, terms=terms)


def test_a_graded_class_has_a_page_of_scores_checks_and_mistakes(graded):
    course, _ = graded
    page = Page(course.report)
    assert "6 students, 6 submissions" in page.text
    assert page.rows(*CHECKS) == [
        ["double: a small number", "", "60 %: 3 passed, 1 failed, 1 not attempted"],
        ["double: other numbers", "", "20 %: 1 passed, 3 failed, 1 not attempted"],
        ["quick_1: the answer", "", "20 %: 1 passed, 4 failed"],
    ]
    mistakes = page.rows("Who", "What")
    assert [
        "<b>bo, cy",
        "double: other numbers double: other numbers failed.",
    ] in mistakes
    assert mistakes[0][1].startswith("quick_1: the answer")  # that of four students
    assert mistakes[0][0].split() == ["4", "students", "<b>bo,", "cy,", "di,", "ed"]
    assert page.section("Could not be run").endswith("lise It is a web page.")


def test_flags_of_a_graded_class_stand_on_the_page(graded):
    course, results = graded
    flags = dict(Page(course.report).rows("Student", "What was seen"))
    assert flags["cy"] == "Have a look at the cell double: it uses ctypes."
    assert flags["di"] == "The cell double ended Python and was taken out."
    assert not {"ada", "ed"} & set(flags)
    assert not any(result.repairs for result in results)


def test_the_page_is_written_anew_byte_by_byte(graded):
    course, _ = graded
    before = course.report.read_bytes(), course.grades_csv.read_bytes()
    course.report.unlink()
    course.grades_csv.unlink()
    write_reports(course)
    assert (course.report.read_bytes(), course.grades_csv.read_bytes()) == before


def test_no_line_of_a_hidden_check_is_on_the_page(graded):
    course, _ = graded
    assert "70707" in course.solution(LESSON).read_text()
    text = Page(course.report).text
    assert not any(s in text for s in ("70707", "141414", "HIDDEN", "check.hidden"))


@pytest.fixture
def changing(graded):
    """The graded class, which is put right again after the test."""
    course, _ = graded
    file = Memory(course).file
    before = file.read_bytes()
    yield course
    file.write_bytes(before)
    _score_by_hand(course, "cy", None)
    write_pages(course, write_reports(course))


def _score_by_hand(course, student, points):
    with gradebook_of(course) as gradebook:
        grade = gradebook.find_grade("double_check_2", LESSON, LESSON, student)
        grade.manual_score = points
        gradebook.db.commit()


def test_a_teachers_score_counts(changing):
    def told():
        write_reports(changing)
        page = Page(changing.report)
        return page.rows(*CHECKS)[1][2], page.rows("Who", "What")

    title = "double: other numbers"
    rate, mistakes = told()
    assert rate == "20 %: 1 passed, 3 failed, 1 not attempted"
    assert ["<b>bo, cy", f"{title} {title} failed."] in mistakes
    _score_by_hand(changing, "cy", 2)
    rate, mistakes = told()
    assert rate == "40 %: 2 passed, 2 failed, 1 not attempted"
    assert ["<b>bo", f"{title} {title} failed."] in mistakes
    assert "cy,3,3," in changing.grades_csv.read_text()


def test_the_pages_of_students_follow_a_teachers_score(changing):
    def points(student):
        page = changing.feedback / student / LESSON / f"{LESSON}.html"
        return re.search(r"[\d.]+ of 4 points", Page(page).text)[
            0
        ], page.stat().st_mtime_ns

    write_pages(changing, class_results(changing))
    kept, (before, _) = points("ada"), points("cy")
    _score_by_hand(changing, "cy", 1.5)
    write_pages(changing, class_results(changing))
    assert (before, points("cy")[0]) == ("1 of 4 points", "2.5 of 4 points")
    assert points("ada") == kept  # not written once more


def test_lost_pages_of_students_are_made_again(changing):
    pages = {p: p.read_bytes() for p in changing.feedback.rglob("*.html")}
    shutil.rmtree(changing.feedback)
    write_pages(changing, class_results(changing))
    assert {p: p.read_bytes() for p in changing.feedback.rglob("*.html")} == pages
    assert pages


def test_a_rerun_of_grade_makes_lost_pages_again(changing, hand_in):
    page = changing.feedback / "ada" / LESSON / f"{LESSON}.html"
    before = page.read_bytes()
    page.unlink()
    work = hand_in(changing, "ada", **WORK["ada"])
    grade_class(changing, [work], terms=Terms("none"))
    assert page.read_bytes() == before


def test_a_students_page_that_cannot_be_written_is_an_error_with_the_fix(changing):
    page = changing.feedback / "ada" / LESSON / f"{LESSON}.html"
    before = page.read_bytes()
    page.unlink()
    page.mkdir()
    try:
        with pytest.raises(CourseError, match=r"ada.* cannot .* autograder report"):
            write_pages(changing, class_results(changing))
    finally:
        page.rmdir()
        page.write_bytes(before)


def test_a_page_of_nbgrader_stays_where_nbgrader_graded(changing):
    Memory(changing).file.unlink()
    page = changing.feedback / "ada" / LESSON / f"{LESSON}.html"
    before = page.read_bytes()
    page.write_text("by nbgrader")
    write_pages(changing, class_results(changing))
    assert page.read_text() == "by nbgrader"
    page.write_bytes(before)


def test_what_was_not_graded_is_remembered_and_tried_again(changing, hand_in):
    work = hand_in(changing, "fay", double=RIGHT)
    lost = Result("fay", LESSON, (), "could not be graded: disk full")
    Memory(changing).add(lost, "a digest")
    assert Memory(changing).result(work, "a digest") is None
    write_reports(changing)
    page = Page(changing.report)
    assert "fay" in page.sections["Not graded"]
    assert "could not be graded: disk full" in page.sections["Not graded"]
    row = f"fay,,0,{LESSON}: could not be graded: disk full"
    assert row in changing.grades_csv.read_text().splitlines()


def test_only_what_the_gradebook_holds_is_reported(changing):
    Memory(changing).add(result("gone"), "a digest")
    assert "gone" not in [r.student for r in class_results(changing)]


def test_scores_without_messages_are_reported_too(changing):
    Memory(changing).file.unlink()  # as if nbgrader alone had graded
    write_reports(changing)
    page = Page(changing.report)
    rates = [row[2].split(":")[0] for row in page.rows(*CHECKS)]
    assert rates == ["50 %", "17 %", "17 %"]
    assert page.rows("Who", "What") == []


def test_without_grades_there_is_nothing_to_report(course):
    with pytest.raises(CourseError, match="no grades yet; run: autograder grade"):
        write_reports(course)
    assert not course.gradebook.exists()


def test_a_page_that_cannot_be_written_is_an_error_with_the_fix(graded):
    course, _ = graded
    before = course.report.read_bytes()
    course.report.unlink()
    course.report.mkdir()
    try:
        with pytest.raises(CourseError, match=r"report.html cannot .* autograder rep"):
            write_reports(course)
    finally:
        course.report.rmdir()
        course.report.write_bytes(before)


def test_work_that_ran_without_a_sandbox_is_marked(course, hand_in):
    release_lesson(course, LESSON)
    work = hand_in(course, "ada", **WORK["ada"])
    (made,) = grade_class(course, [work], terms=Terms("none"))
    assert made.flags == (NOT_ISOLATED,)
    assert "Not isolated: 1 of 1 submission ran" in Page(course.report).text
    (again,) = grade_class(course, [work], terms=Terms("none"))
    assert again == made  # also when it is remembered


def test_a_run_that_was_not_isolated_says_so_first(page):
    made = page(result("ada", flags=(NOT_ISOLATED,)), result("bo"))
    top = made.text.partition("Lesson")[0]
    assert "Not isolated: 1 of 2 submissions ran with --sandbox none" in top
    assert "Flags" not in made.sections  # it is said once, not of each
    assert "Not isolated" not in page(result("ada")).text


@pytest.mark.parametrize("hostile", [SCRIPT, "=cmd|' /C calc'!A0", LONG, "a\u202eb\0"])
def test_nothing_that_a_student_wrote_does_harm(page, hostile):
    made = page(
        result(hostile, (0, 0, 0), f"title\n  {hostile}", repairs=(hostile,)),
        result(f"{hostile}2", (0, 0, 0), hostile, problem=hostile, flags=(hostile,)),
        Result(f"{hostile}3", LESSON, (), hostile),
    )
    assert not {"script", "img", "a:"} & set(made.tags)
    assert "\u202e" not in made.source
    assert "\0" not in made.source
    assert hostile[:50].split("\u202e")[0] in made.text
    names = [row[0] for row in made.rows("Student", "What was seen")]
    assert max(map(len, names)) <= 60


def test_the_page_needs_no_network_and_no_script(graded):
    course, _ = graded
    made = Page(course.report)
    assert made.links == [f"#{LESSON}", f"#{LESSON}-flags", f"#{LESSON}-not-run"]
    assert {link[1:] for link in made.links} <= {
        v for n, v in made.attributes if n == "id"
    }
    assert "script" not in made.tags
    assert "url(" not in made.source
    assert "default-src 'none'" in made.source


def test_words_and_bars_are_seen_in_light_and_in_dark(page):
    blocks = re.findall(r":root \{(.*?)\}", page(result("ada")).source, re.DOTALL)
    assert len(blocks) == 2  # light and dark
    for block in blocks:
        colours = dict(re.findall(r"--(\w+): (#\w{6})", block))
        words = itertools.product(("text", "quiet"), ("page", "box", "alert"))
        for one, two in (*words, ("passed", "page")):  # links have the blue of a bar
            assert contrast(colours[one], colours[two]) >= READABLE, (one, two)
        for bar in ("failed", "untouched"):
            assert contrast(colours[bar], colours["page"]) >= VISIBLE, bar


def test_a_thousand_students_stay_readable(page):
    results = [
        result(
            f"student-{n:04}",
            (0, 2, 1),
            f"title\n  {'a' if n % 3 else 'b'}",
            repairs=("A copy was dropped.",),
            flags=tuple(f"flag {k}" for k in range(9)),
        )
        for n in range(1000)
    ]
    made = page(*results)
    rows = made.rows("Who", "What")
    assert [row[1].split()[-1] for row in rows] == ["a", "b", "dropped."]
    assert rows[0][0].startswith("666 students student-0001, student-0002")
    assert [row[0].count("student-") for row in rows] == [666, 334, 1000]
    assert made.tags.count("details") == 4
    flags = made.rows("Student", "What was seen")
    assert len(flags) == 200
    assert flags[0][1].endswith("and 4 more")
    assert "And 800 other students; the notes in grades.csv" in made.text
    assert len(made.source) < 200_000


def test_a_mistake_that_fails_several_checks_stands_once_with_them(page):
    said = "title\n  No doubling.\n  Largest difference {}"
    one = result("ada", (0, 0, 1), said.format(1))
    two = result("bo", (1, 0, 0), said.format(2))
    made = page(one, two)
    assert made.rows("Who", "What") == [
        ["ada, bo", "double_check_1 double_check_2 No doubling."],
        ["bo", "quick_1_check_1 No doubling."],  # another exercise
    ]
    assert [row[2] for row in made.rows(*CHECKS)] == [
        "50 %: 1 passed, 1 failed",
        "0 %: 0 passed, 2 failed",
        "50 %: 1 passed, 1 failed",
    ]


def test_many_different_mistakes_do_not_flood_the_page(page):
    made = page(*(result(f"s{n}", (0, 2, 1), f"t\n  message {n}") for n in range(99)))
    assert len(made.rows("Who", "What")) == 15
    told = made.section("Most frequent mistakes")
    assert "And 84 others, no more frequent than these, of 84 students" in told
    assert set(re.findall(r"s\d+", told)) == {f"s{n}" for n in range(99)}


def test_students_whose_names_differ_in_case_are_both_named(page):
    repairs = tuple(f"Repair {n:02}." for n in range(31))
    twins = [result(name, repairs=repairs[n:]) for n, name in ((0, "bo"), (30, "Bo"))]
    made = page(*twins, *(result(f"s{n}", repairs=repairs[:30]) for n in range(2)))
    assert "And 1 other, no more frequent than these, of Bo, bo" in made.text


@pytest.mark.parametrize(
    ("passed", "ran", "rate"),
    [
        (19, 23, 83),
        (4, 23, 17),
        (1, 8, 13),
        (0, 9, 0),
        (9, 9, 100),
        (1, 999, 1),
        (998, 999, 99),
    ],
)
def test_a_pass_rate_is_rounded_but_never_to_all_or_none(passed, ran, rate):
    assert Tally("", passed, ran - passed, 0).rate == rate
    assert Tally("", passed, 0, ran - passed).rate == rate


def test_scores_fall_into_columns():
    results = [result("a"), result("b", (0.5, 0, 0)), result("c", (1, 3, 1))]
    assert summary(LESSON, results, {}).columns == [
        Column(label, count) for label, count in zip("01234", [1, 0, 0, 0, 2], strict=1)
    ]
    check = CheckResult("a_check_1", 20, 20, "")
    other = replace(check, points=7.5)
    results = [Result("a", LESSON, (check,)), Result("b", LESSON, (other,))]
    columns = {c.label: c.count for c in summary(LESSON, results, {}).columns}
    assert list(columns)[:2] == ["0–1", "2–3"]
    assert {label for label, count in columns.items() if count} == {"6–7", "20"}


def test_the_chart_is_as_high_as_the_counts(page):
    made = page(result("a"), result("b"), result("c", (0, 0, 0)))
    label = dict(made.attributes)["aria-label"]
    assert label == "Number of submissions by points: 0 points, 1; 4 points, 2."
    assert "Median 4 of 4 points, mean 2.7; 3 submissions." in made.text
    heights = [v for n, v in made.attributes if n == "height" and "." in v]
    assert heights == ["50.00", "100.00"]


@pytest.mark.parametrize(
    ("points", "most", "message", "what"),
    [
        (1, 1, "", "passed"),
        (1, 1, "x failed.", "passed"),  # a teacher gave the points
        (0, 0, "", "passed"),
        (0, 0, "x failed.", "failed"),
        (0.5, 1, "", "failed"),
        (0, 1, "○ a: b\n  Not attempted yet.", "untouched"),
        (0, 1, "Not attempted yet.\n  The answer cell ended with Error: x", "failed"),
    ],
)
def test_a_check_passed_or_failed_or_was_not_attempted(points, most, message, what):
    assert outcome(CheckResult("a_check_1", points, most, message)) == what


def test_a_mistake_is_told_without_the_numbers_of_one_answer():
    message = (
        "✗ layer_norm: one row\n  Variance 1. The values\n  differ.\n  Which axis?\n"
        "  Right so far: mean 0.\n  Largest difference 0.167 at [0]: yours 0.8,\n"
        "  expected 1.\n  The answer cell ended with NameError: x"
    )
    assert mistake(message) == (
        "Variance 1. The values differ. Which axis? "
        "The answer cell ended with NameError: x"
    )
    raised = "✗ a: b\n  a raised ValueError: no\n  (line 3 of its cell: `q = 1`)."
    assert mistake(raised) == "a raised ValueError: no."
    assert mistake("double: one line.") == "double: one line."
