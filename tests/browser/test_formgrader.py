"""nbgrader's formgrader, in a browser, on a class that we graded."""

import re

import pytest
from playwright.sync_api import Page, expect
from servers import LAB, running
from test_figures import HARMLESS, SCREENSHOTS

from autograder.batch import grade_class
from autograder.steps import gradebook_of
from autograder.working import Terms

pytestmark = pytest.mark.xdist_group("formgrader")
LESSON = "01_tiny"
WORK = {
    "ada": {"double": "def double(x):\n    return x + x", "quick_1": 'answer_1 = "b"'},
    "bo": {"double": "def double(x):\n    return abs(x) * 2\nprint('<b>bold</b>')"},
    "cy": {},
}
CHECKS = 3  # in a notebook of the lesson
SCORES = {"ada": "4 / 4", "bo": "1 / 4", "cy": "0 / 4"}
MESSAGE = "double: other numbers failed."
# MathJax comes from the network, which the tests do without.
EXPECTED = re.compile(HARMLESS.pattern + "|MathJax is not defined")


@pytest.fixture(scope="module")
def graded(released, hand_in):
    submissions = [hand_in(released, who, **work) for who, work in WORK.items()]
    grade_class(released, submissions, terms=Terms("none"))
    return released


@pytest.fixture(scope="module")
def formgrader(graded):
    """The address of formgrader, in a JupyterLab that was started in the course."""
    with running(LAB, graded.root) as address:
        yield f"{address}/formgrader"


@pytest.fixture
def page(browser):
    """A page on which nothing may go wrong."""
    page, wrong = browser.new_page(viewport={"width": 1100, "height": 1000}), []

    def note(answer):
        if answer.status >= 400:
            wrong.append(f"{answer.status}: {answer.url}")

    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("response", note)
    yield page
    text = page.content()
    page.close()
    assert "Traceback (most recent call last)" not in text
    assert [text for text in wrong if not EXPECTED.search(text)] == []


def shown(page: Page, name: str) -> None:
    page.screenshot(path=SCREENSHOTS / f"formgrader-{name}.png", full_page=True)


def rows(page: Page) -> list[list[str]]:
    """The words of a table's rows, once they have come from the server."""
    expect(page.get_by_text("Loading, please wait")).to_have_count(0)
    found = page.locator("#main-table tr").all()
    return [row.locator("td").all_inner_texts() for row in found]


def open_work(page: Page, formgrader: str, student: str) -> None:
    """Open a student's notebook as a teacher does: from the list of submissions.

    The page shows its boxes at once, but listens to them only when the scores have come
    from the server. Their placeholders are written then.
    """
    page.goto(f"{formgrader}/gradebook/{LESSON}/{LESSON}")
    assert len(rows(page)) == len(WORK)  # only names that are there can be shown
    page.get_by_text("Show All Names").click()
    page.get_by_role("link", name=student, exact=True).click()
    expect(page.locator("input.score[placeholder]")).to_have_count(CHECKS)


def test_the_lesson_is_listed_with_its_submissions(page, formgrader):
    page.goto(formgrader)
    (row,) = rows(page)
    shown(page, "assignments")
    assert row[0] == LESSON
    assert row[8] == "3"  # submissions


def test_every_submission_is_listed_with_its_score(page, formgrader):
    page.goto(f"{formgrader}/manage_submissions/{LESSON}")
    found = {row[1]: (row[3], row[4]) for row in rows(page)}
    shown(page, "submissions")
    assert found == {who: ("graded", score) for who, score in SCORES.items()}


def test_a_notebook_opens_with_its_scores_and_messages(page, formgrader):
    open_work(page, formgrader, "bo")
    for check, score in (("double_check_1", "1"), ("double_check_2", "0")):
        box = page.locator(f"#{check}")
        expect(box).to_have_attribute("placeholder", score)
    expect(page.get_by_text(MESSAGE)).to_be_visible()
    expect(page.get_by_text("return abs(x) * 2")).to_be_visible()
    expect(page.locator("b", has_text="bold")).to_have_count(0)
    shown(page, "notebook")


def test_a_score_that_a_teacher_types_is_kept(page, formgrader, graded, hand_in):
    open_work(page, formgrader, "cy")
    box = page.locator("#double_check_2")
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        box.fill("1.5")
        box.press("Tab")
    work = hand_in(graded, "cy", quick_1='answer_1 = "b"')  # handed in once more
    (result,) = grade_class(graded, [work], terms=Terms("none"))
    assert [check.points for check in result.checks] == [0, 1.5, 1]
    with gradebook_of(graded) as gradebook:
        assert gradebook.find_submission(LESSON, "cy").score == 2.5
