"""The score panel, and the outcomes that a lesson's checks leave for it."""

import ast
import contextlib
import xml.etree.ElementTree as ET

import pytest

from support.checks import Checker
from support.findings import CheckFailed
from support.score import AFTERWARDS, show_score

POINTS = {
    "double: rows": 2,
    "double: one <number>": 1,
    "triple: rows": 3,
    "triple: stretch": 0,
    "quick_1: the answer": 1,
}
OUTCOMES = {
    "double: rows": "passed",
    "double: one <number>": "failed",
    "triple: rows": "",
    "triple: stretch": "passed",
    "quick_1: the answer": "noted",
}


@pytest.fixture
def shown(capsys):
    """shown(outcomes, points) → the text and the HTML that were displayed."""

    def show(outcomes, points=POINTS):
        show_score(outcomes, points)
        data = ast.literal_eval(capsys.readouterr().out)
        assert set(data) == {"text/plain", "text/html"}
        return data["text/plain"], data["text/html"]

    return show


def rows_of(page):
    """The cells of the table, row by row, and the paragraph below it."""
    table, below = ET.fromstring(f"<div>{page}</div>")
    head, *rows = ([cell.text for cell in row] for row in table.iter("tr"))
    assert head == ["State", "Check", "Points"]
    return rows, "".join(below.itertext())


def test_the_text_has_a_line_for_every_check_in_order(shown):
    lines = shown(OUTCOMES)[0].splitlines()
    assert lines[:5] == [
        "✓ double: rows (passed)",
        "✗ double: one <number> (failed)",
        "○ triple: rows (not tried)",
        "✓ triple: stretch (passed)",
        "· quick_1: the answer (noted)",
    ]
    total = "2 of 7 points so far, and 1 for letters that are noted."
    assert lines[5:] == ["", total, AFTERWARDS]


def test_the_table_has_a_row_for_every_check_with_its_points(shown):
    rows, below = rows_of(shown(OUTCOMES)[1])
    assert rows == [
        ["✓ passed", "double: rows", "2"],
        ["✗ failed", "double: one <number>", "1"],
        ["○ not tried", "triple: rows", "3"],
        ["✓ passed", "triple: stretch", "–"],
        ["· noted", "quick_1: the answer", "1"],
    ]
    assert below.startswith("2 of 7 points so far, and 1 for letters that are noted. ")
    assert below.endswith(AFTERWARDS)


def test_before_the_first_check_everything_is_not_tried(shown):
    text, page = shown({})
    assert [line[0] for line in text.splitlines()[:5]] == ["○"] * 5
    assert {row[0] for row in rows_of(page)[0]} == {"○ not tried"}
    assert "0 of 7 points so far." in text and "0 of 7 points so far." in page
    assert "letters that are noted" not in text


def test_all_points_are_reached_when_every_check_passed(shown):
    text, _ = shown(dict.fromkeys(POINTS, "passed"))
    assert "7 of 7 points so far." in text


def test_stretch_exercises_change_no_total(shown):
    for state in ("passed", "failed", "noted", ""):
        text, page = shown({"triple: stretch": state})
        assert "\n0 of 7 points so far" in text
        assert ["triple: stretch", "–"] in [row[1:] for row in rows_of(page)[0]]


def test_a_check_without_a_place_in_the_notebook_is_left_out(shown):
    text, page = shown({"another: check": "passed"})
    assert "another" not in text + page
    assert "0 of 7 points so far." in text


def test_hidden_checks_are_announced(shown):
    assert "Hidden checks with other inputs are added" in AFTERWARDS
    assert all(AFTERWARDS in shown_as for shown_as in shown(OUTCOMES))


def outcome_of(checking, answer, body=None, title="rows"):
    """What a check of the function `answer` leaves in `checking.outcomes`."""
    globals()["double"] = answer
    try:
        with (
            contextlib.suppress(CheckFailed),
            checking("double", title) as check,
        ):
            (body or compare)(check)
    finally:
        del globals()["double"]
    return checking.outcomes[f"double: {title}"]


def compare(check):
    check.equal(double(2), 4, "twice two")  # noqa: F821


def letter(check):
    check.answered(double(2), "ab")  # noqa: F821


def judged(check):
    letter(check)
    check.choice(double(2), "b", because={"a": "No.", "b": "Yes."})  # noqa: F821


def stub(x):
    raise NotImplementedError


def endless(x):
    while True:
        pass


def broken(check):
    raise KeyError("key")


@pytest.mark.parametrize(
    ("answer", "body", "state"),
    [
        (lambda x: x + x, compare, "passed"),
        (lambda x: x, compare, "failed"),
        (lambda x: x / 0, compare, "failed"),
        (lambda x: None, compare, "failed"),
        (None, compare, "failed"),
        (endless, compare, "failed"),
        (lambda x: x + x, broken, "failed"),
        (stub, compare, ""),
        (lambda x: "a", letter, "noted"),
        (lambda x: "z", letter, "failed"),
        (lambda x: "b", judged, "passed"),
        (lambda x: "a", judged, "failed"),
    ],
)
def test_a_check_leaves_its_outcome(answer, body, state):
    checking = Checker(seconds=0.2)
    assert checking.outcomes == {}
    assert outcome_of(checking, answer, body) == state
    assert checking.outcomes == {"double: rows": state}


def test_an_unanswered_question_is_not_tried():
    checking = Checker()
    with contextlib.suppress(CheckFailed), checking("quick_1", "letter") as check:
        check.answered(None, "ab")
    assert checking.outcomes == {"quick_1: letter": ""}


def test_running_a_check_again_takes_the_place_of_its_outcome(shown, capsys):
    checking = Checker()
    for answer, state, reached in (
        (stub, "", 0),
        (lambda x: x, "failed", 0),
        (lambda x: x + x, "passed", 2),
        (lambda x: x, "failed", 0),
        (lambda x: x + x, "passed", 2),
        (stub, "", 0),
    ):
        assert outcome_of(checking, answer) == state
        capsys.readouterr()  # the line that a check prints
        assert f"\n{reached} of 7 points so far." in shown(checking.outcomes)[0]


def test_checks_of_one_answer_have_outcomes_of_their_own():
    checking = Checker()
    outcome_of(checking, lambda x: 2 * x, title="one")
    outcome_of(checking, lambda x: x, title="two")
    outcome_of(checking, stub, title="three")
    assert checking.outcomes == {
        "double: one": "passed",
        "double: two": "failed",
        "double: three": "",
    }


def test_outcomes_of_two_lessons_are_kept_apart():
    one, two = Checker(), Checker()
    outcome_of(one, lambda x: 2 * x)
    assert two.outcomes == {}
