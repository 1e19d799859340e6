"""A failed check names the cause of a common mistake, and where to read again."""

import pytest

from support.advice import Advice
from support.checks import Checker, draw
from support.findings import CheckFailed, NotAttempted
from support.recognising import Trace

X = draw(1, 2, 3)
HINTS = ("The first axis was read as the last.", "One was added.")
SECTION = "2. Twice as much"
TITLES = "double: rows", "double: one number"


def forgets_an_axis(x):
    return x.flip(0) + x


def adds_one(x):
    return 2 * x + 1


def unknown_mistake(x):
    return 3 * x


def right(x):
    return x + x


def trace_of(answer, *inputs):
    trace = Trace()
    for x in inputs:
        trace.add(answer(x))
    return trace


def known(hint, answer, *inputs):
    return [hint, *trace_of(answer, *inputs).fingerprint()]


def advice(**sections):
    return Advice(
        HINTS,
        {
            TITLES[0]: [known(0, forgets_an_axis, X), known(1, adds_one, X)],
            TITLES[1]: [known(1, adds_one, 2.0)],
        },
        sections or {"double": SECTION},
    )


def failure(answer, body=None, title="rows", given=None):
    """How a check of `answer` ends with the advice `given`; None when it passes."""
    checking = Checker()
    checking.advice = given
    globals()["double"] = answer
    try:
        with checking("double", title) as check:
            (body or compare)(check)
    except CheckFailed as error:
        return error
    finally:
        del globals()["double"]
    return None


def message(answer, body=None, title="rows", given=None):
    """The message in one line, by default with the advice of this module."""
    failed = failure(answer, body, title, given or advice())
    return " ".join(str(failed).split())


def compare(check):
    check.close(double(X), X + X, "two rows", "Add it to itself.")  # noqa: F821


def one_number(check):
    check.equal(double(2.0), 4.0, "one number", "Add it to itself.")  # noqa: F821


def in_hiding(check):
    check.hidden()
    compare(check)


def test_a_known_mistake_is_named_by_its_cause():
    assert HINTS[0] in message(forgets_an_axis)
    assert HINTS[1] in message(adds_one)


def test_the_cause_takes_the_place_of_the_general_hint_and_nothing_else_changes():
    without = " ".join(str(failure(forgets_an_axis)).split())
    assert "Add it to itself. Largest difference" in without
    with_cause = without.replace("Add it to itself.", HINTS[0])
    assert message(forgets_an_axis) == f"{with_cause} Read again: “{SECTION}”"


def test_an_unknown_mistake_keeps_the_general_hint():
    said = message(unknown_mistake)
    assert "Add it to itself." in said
    assert not any(hint in said for hint in HINTS)


def test_a_mistake_is_known_at_the_checks_of_its_own_title_only():
    assert HINTS[1] in message(adds_one, one_number, "one number")
    assert HINTS[1] not in message(adds_one, one_number, "another title")
    assert HINTS[1] not in message(adds_one, one_number, "rows")


def test_a_mistake_that_raises_is_known_by_its_error():
    def raises(x):
        raise IndexError("no rows")

    trace = Trace()
    trace.add(IndexError("no rows"))
    hints = Advice(HINTS, {TITLES[0]: [[1, *trace.fingerprint()]]}, {})
    assert HINTS[1] in message(raises, given=hints)

    def raises_another(x):
        raise IndexError("no columns")

    assert HINTS[1] not in message(raises_another, given=hints)


def test_a_mistake_is_known_by_all_it_returned_until_the_check_ended():
    def two_calls(check):
        check.close(double(X[:1]), 2 * X[:1], "one row")  # noqa: F821
        compare(check)

    row = known(0, forgets_an_axis, X[:1], X)
    hints = Advice(HINTS, {TITLES[0]: [row]}, {})
    assert HINTS[0] in message(forgets_an_axis, two_calls, given=hints)
    assert HINTS[0] not in message(forgets_an_axis, given=hints)


def test_every_failure_says_where_to_read_again():
    for answer in (forgets_an_axis, unknown_mistake, lambda x: None, lambda: 1):
        assert message(answer).endswith(f"Read again: “{SECTION}”")


def test_a_title_without_a_section_has_nothing_to_read_again():
    given = advice(triple="3. Three times as much")
    assert HINTS[0] in message(forgets_an_axis, given=given)
    assert "Read again" not in message(forgets_an_axis, given=given)


def test_a_hidden_part_names_no_cause_and_still_says_where_to_read():
    said = message(forgets_an_axis, in_hiding)
    assert "A hidden check of this part" in said and "Add it to itself." in said
    assert not any(hint in said for hint in HINTS)
    assert said.endswith(f"Read again: “{SECTION}”")


@pytest.mark.parametrize("body", [compare, in_hiding])
def test_a_right_answer_gets_no_hint(body, capsys):
    # Even if its numbers are in the table of mistakes.
    given = Advice(HINTS, {TITLES[0]: [known(0, right, X)]}, {"double": SECTION})
    assert failure(right, body, given=given) is None
    assert capsys.readouterr().out == "✓ double: rows\n"


def test_a_stub_gets_no_hint():
    def stub(x):
        raise NotImplementedError

    assert isinstance(failure(stub, given=advice()), NotAttempted)
    assert message(stub) == "○ double: rows Not attempted yet."


def test_a_check_without_advice_gives_its_own_hint_and_nothing_to_read():
    assert Checker().advice is None
    lines = str(failure(adds_one)).splitlines()
    assert lines[:2] == ["✗ double: rows", "  Two rows. The values differ."]
    assert lines[2] == "  Add it to itself."
    assert lines[3].startswith("  Largest difference 1 at ")
    assert "Read again" not in str(failure(adds_one))


def test_lines_of_advice_are_short():
    row = known(0, adds_one, X)
    sections = {"double": "A heading of many words " * 6}
    given = Advice(["Look here. " * 20], {TITLES[0]: [row]}, sections)
    lines = str(failure(adds_one, given=given)).splitlines()
    assert sum("Look here." in line for line in lines) > 1
    assert sum("of many" in line for line in lines) > 1
    assert max(map(len, lines)) <= 80


def test_the_closest_row_that_matches_gives_the_cause():
    calls, *sums = trace_of(adds_one, X).fingerprint()
    near = [number * (1 + 1e-8) for number in sums]
    both = Advice(HINTS, {"t": [[0, calls, *near], [1, calls, *sums]]}, {})
    assert both.cause("t", trace_of(adds_one, X)) == HINTS[1]
    assert both.cause("t", trace_of(right, X)) == ""
    assert both.cause("another", trace_of(adds_one, X)) == ""


def test_a_section_belongs_to_the_first_word_of_a_title():
    given = advice()
    assert given.where_to_read("double: rows") == f"Read again: “{SECTION}”"
    assert given.where_to_read("doubles: rows") == ""
