"""The page of a student: what passed, what failed and why; no hidden check, no flag."""

from dataclasses import replace

import pytest
from conftest import grade_submission
from html_page import Page

from autograder.feedback import make_feedback
from autograder.grade import CheckResult, Result
from autograder.gradebook import graded_file
from autograder.submission import Submission

LESSON = "01_tiny"
ALL = {"double": "def double(x):\n    return x + x", "quick_1": 'answer_1 = "b"'}
POINTS = ("Exercise", "Share of the points", "Points")
HIDDEN = ["70707", "141414", "HIDDEN TESTS", "check.hidden()"]


def checks(first="", second="", third=""):
    found = [("double_check_1", 1, first), ("double_check_2", 2, second)]
    found.append(("quick_1_check_1", 1, third))
    return tuple(
        CheckResult(name, 0 if message else most, most, message)
        for name, most, message in found
    )


@pytest.fixture(scope="module")
def graded(released, hand_in, worker):
    """graded("ada", double=…) → the result of this work, and its page"""

    def grade(student, **answers):
        work = hand_in(released, student, **answers)
        result = grade_submission(released, work, worker)
        return result, Page(make_feedback(released, result))

    return grade


@pytest.fixture(scope="module")
def wrong(graded):
    """One whose answer fails only the hidden check, and prints what it can."""
    answer = (
        "def double(x):\n    return abs(x) * 2\n"
        "print('<script>alert(1)</script>')\n"
        "from IPython.display import HTML, display\n"
        "display(HTML('<b>mine</b>'))"
    )
    return graded("wrong", double=answer, quick_1='answer_1 = "a"\nprint(In[-2])')


@pytest.fixture
def page(released):
    """page(result) → the page of a result of which no notebook is kept"""
    return lambda result: Page(make_feedback(released, result))


def test_the_page_tells_points_what_passed_and_what_failed(wrong):
    _, page = wrong
    assert f"{LESSON}: 1 of 4 points" in page.sections
    assert page.rows(*POINTS) == [["double", "", "1 of 3"], ["quick_1", "", "0 of 1"]]
    failed = page.sections["double: other numbers (0 of 2)"].strip()
    assert failed == "double: other numbers failed."
    assert page.section("Passed") == "double: a small number (1 of 1)"
    assert "Not attempted" not in page.sections
    assert "return abs(x) * 2" in page.sections["What was graded"]
    assert "Your answer" in page.sections["What was graded"]


def test_the_bars_are_as_long_as_the_points(wrong):
    _, page = wrong
    widths = [value for name, value in page.attributes if name == "width"]
    assert widths == ["33.33"]  # none for 0 points


def test_untouched_exercises_are_named_as_such(graded):
    _, page = graded("untouched")
    assert page.section("Not attempted") == (
        "double: a small number (0 of 1) double: other numbers (0 of 2)"
    )
    assert "Passed" not in page.sections


def test_the_page_shows_no_hidden_check(released, wrong, graded):
    kept = graded_file(released, LESSON, "wrong").read_text()
    assert all(text in kept for text in ["70707", "HIDDEN TESTS", "check.hidden()"])
    for _, page in (wrong, graded("right", **ALL)):
        assert "check.equal(double(3), 6)" in page.text
        assert not any(text in page.text for text in HIDDEN)


def test_a_message_that_quotes_a_hidden_check_is_withheld(released, graded):
    result, _ = graded("quotes", **ALL)
    quote = "double raised Error: check.equal(double(-70707), -141414)"
    page = Page(make_feedback(released, replace(result, checks=checks(first=quote))))
    assert not any(text in page.text for text in HIDDEN)
    assert (
        "it quotes a hidden check" in page.sections["double: a small number (0 of 1)"]
    )


def test_hidden_checks_are_looked_for_once_a_page(released, graded, monkeypatch):
    import autograder.feedback

    result, page = graded("once", **ALL)
    looked = []

    def secrets(notebook, known=autograder.feedback._secrets):
        looked.append(notebook)
        return known(notebook)

    monkeypatch.setattr(autograder.feedback, "_secrets", secrets)
    assert Page(make_feedback(released, result)).source == page.source
    assert len(looked) == 1


def test_the_page_runs_and_loads_nothing(wrong):
    _, page = wrong
    assert "<script>alert(1)</script>" in page.text
    assert not {"script", "b", "img", "link", "iframe"} & set(page.tags)
    assert page.links == []
    assert "url(" not in page.source
    assert "default-src 'none'" in page.source


def test_the_same_result_gives_the_same_bytes(graded, wrong):
    before = wrong[1].source
    answers = {"double": "def double(x):\n    return abs(x)"}
    assert graded("again", **answers)[1].source == graded("again", **answers)[1].source
    assert graded("again", **answers)[1].source != before


def test_repairs_are_told_and_flags_are_not(page):
    told = page(Result("ada", LESSON, checks(), "", ("A copy.",) * 21, ("It peeks.",)))
    assert told.sections["What had to be repaired"].count("A copy.") == 20
    assert "and 1 more" in told.sections["What had to be repaired"]
    assert "peeks" not in told.source


def test_a_message_keeps_its_lines_and_drops_its_title(page, graded, released):
    message = "✗ double: a small number\n  Two is odd.\n  Read on.\n\n    like = this"
    result, _ = graded("lines", **ALL)
    told = Page(make_feedback(released, replace(result, checks=checks(first=message))))
    shown = told.sections["double: a small number (0 of 1)"]
    assert shown.strip() == "Two is odd.\nRead on.\n\n  like = this"
    assert ".message { white-space: pre-wrap" in told.source
    told = page(Result("ada", LESSON, checks(first=message)))  # a title it cannot know
    assert "✗ double: a small number" in told.sections["double_check_1 (0 of 1)"]


def test_points_that_a_teacher_took_need_no_message(page):
    first, second, third = checks()
    told = page(Result("ada", LESSON, (first, replace(second, points=0.5), third)))
    assert "given by hand" in told.sections["double_check_2 (0.5 of 2)"]
    assert told.rows(*POINTS)[0] == ["double", "", "1.5 of 3"]


def test_exercises_without_points_have_no_bar(page):
    told = page(Result("ada", LESSON, (CheckResult("more_check_1", 0, 0, ""),)))
    assert told.rows(*POINTS) == [["more", "", "no points"]]
    assert "rect" not in told.tags
    assert "more_check_1 (no points)" in told.section("Passed")


def test_what_is_no_notebook_is_told_the_reason_once(released, worker):
    reason = "<script>alert(1)</script> is no notebook."
    work = Submission("broken", LESSON, None, reason)
    page = Page(make_feedback(released, grade_submission(released, work, worker)))
    assert page.text.count(reason) == 1
    assert "script" not in page.tags
    assert page.rows(*POINTS) == [["double", "", "0 of 3"], ["quick_1", "", "0 of 1"]]


def test_a_huge_answer_is_cut(graded):
    _, page = graded("huge", **ALL | {"double": f"{ALL['double']}\n'{'x' * 999_999}'"})
    assert len(page.source) < 100_000
    assert "… cut here" in page.text


@pytest.mark.parametrize("character", ["\u202e", "\x1b", "\udc80", "\0"])
def test_characters_that_could_rule_the_page_are_left_out(page, character):
    hostile = f"a{character}b"
    told = page(Result("ada", LESSON, checks(hostile, hostile), "", (hostile,)))
    assert character not in told.source
    assert told.text.count("a b") == 3
