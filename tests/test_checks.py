"""What checks say to right, wrong, unfinished and hostile answers."""

import contextlib
import logging
import os
import re
import sys
import time
import warnings
from collections import namedtuple
from dataclasses import dataclass

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from support.checks import Checker, draw
from support.findings import CheckFailed, NotAttempted
from support.watching import reference

X = draw(1, 2, 3, 5)


@reference
def torch_double(x):
    return torch.add(x, x)


@reference
def torch_count(size):
    return size


checking = Checker(
    {"double": torch_double}, forbidden=("layer_norm", "softmax"), seconds=1
)


def outcome(answer, body=None, **names):
    """The message of a check of `answer`, or "" when it passes."""
    globals()["double"] = answer
    globals().update(names)
    try:
        with checking("double", "rows") as check:
            (body or compare)(check)
    except CheckFailed as failure:
        # Each part of a message starts a line; long ones are wrapped.
        return f"{type(failure).__name__}: {failure}".replace("\n  ", " ")
    finally:
        globals().pop("double", None)
    return ""


def compare(check):
    check.close(double(X), X + X, "two rows", "Add it to itself.", like=X)


def test_a_right_answer_passes_and_prints_one_line(capsys):
    assert outcome(lambda x: 2 * x) == ""
    assert capsys.readouterr().out == "✓ double: rows\n"


def test_a_stub_is_not_attempted_yet():
    def stub(x):
        raise NotImplementedError()

    assert outcome(stub) == "NotAttempted: ○ double: rows Not attempted yet."
    assert issubclass(NotAttempted, CheckFailed)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: 3 * x, "Two rows. The values differ. Add it to itself."),
        (lambda x: None, "double returned None. Does it end with return?"),
        (lambda x: x.numpy(), "The result is a ndarray, not a tensor."),
        (lambda x: (2 * x)[0], "The shape is (3, 5); it should be (2, 3, 5)."),
        (lambda x: 2 * x.float(), "The dtype is torch.float32; the input's is torch."),
        (lambda x: x / 0 * 0, "The result holds NaN."),
        (lambda x: x.add_(x), "double changed one of its inputs in place (as x += y"),
        (lambda x: x.nope, "double raised AttributeError: 'Tensor' object has no att"),
        (lambda x: sys.exit("bye"), "double raised SystemExit: bye"),
        (lambda: 1, "double raised TypeError: "),
        (5, "double is not there. Run the cell that defines it."),
        (lambda x: unknown, "double raised NameError: name 'unknown' is not defined"),
        (lambda x: torch_double(x), "calls torch_double of the checks, which does"),
        (lambda x: torch_count(1), "calls torch_count of the checks, which does"),
        (lambda x: F.layer_norm(x, (5,)), "calls torch's layer_norm, which does this"),
    ],
)
def test_each_kind_of_fault_has_a_sentence_of_its_own(answer, words):
    message = outcome(answer)
    assert message.startswith("CheckFailed: ✗ double: rows ")
    assert words in message


def test_a_missing_answer_is_named():
    with (
        pytest.raises(CheckFailed, match="double is not there"),
        checking("double", "rows"),
    ):
        double(X)


def test_a_message_names_the_line_that_raised():
    message = outcome(lambda x: x @ x)
    assert re.search(r"\(line \d+ of its cell: `message = outcome\(", message)


def test_a_failure_lists_what_is_right_so_far_and_gives_numbers():
    def body(check):
        check.close(double(X[:, :1]), X[:, :1] * 2, "one row")
        check.close(double(X[:1]), X[:1] * 2, "one sample")
        compare(check)

    def only_small(x):
        return x + x if x.numel() < 30 else x

    message = outcome(only_small, body)
    assert "Two rows. The values differ. Add it to itself. Right so far: " in message
    assert "Right so far: one row; one sample. Largest" in message
    assert re.search(
        r"Largest difference \S+ at \[\d, \d, \d\]: yours \S+, expected \S+\.$",
        message,
    )


def test_lines_of_a_message_are_short():
    def body(check):
        check.close(double(X), X + X, "rows", "Look at this. " * 20)

    globals()["double"] = lambda x: x
    try:
        with pytest.raises(CheckFailed) as caught, checking("double", "rows") as check:
            body(check)
    finally:
        del globals()["double"]
    lines = caught.value._render_traceback_()
    assert max(map(len, lines)) <= 80
    assert all(line.startswith("  ") for line in lines[1:])


def test_a_hidden_check_gives_no_numbers_and_no_case():
    def body(check):
        check.close(double(X[:1]), X[:1] * 2, "one sample")
        check.hidden()
        check.close(double(X), X * 2, "secret case", "Look again.")

    message = outcome(lambda x: x * (2 if len(x) == 1 else 3), body)
    assert "A hidden check of this part" in message
    assert "The values differ. Look again." in message
    assert "ecret" not in message and "expected" not in message


def test_notebooks_print_the_message_and_no_traceback():
    failure = CheckFailed("one\ntwo")
    assert failure._render_traceback_() == ["one", "two"]


def test_an_endless_loop_ends_with_a_message():
    def endless(x):
        while True:
            with contextlib.suppress(Exception):
                x = x + 0

    assert "No answer after 1 s." in outcome(endless)
    assert outcome(lambda x: x + x) == ""


def test_an_answer_that_ran_out_of_time_gets_one_second_the_next_time():
    patient = Checker(seconds=2)

    def seconds_until_it_fails(words):
        started = time.process_time()
        with pytest.raises(CheckFailed, match=words), patient("f", "t"):
            while True:
                pass
        return time.process_time() - started

    assert seconds_until_it_fails("No answer after 2 s.") > 1.5
    again = "No answer after 1 s; an earlier check waited 2 s in vain."
    assert seconds_until_it_fails(again) < 1.5
    with patient("f", "t"):
        pass
    assert seconds_until_it_fails("No answer after 2 s.") > 1.5


def test_an_answer_that_only_waits_is_stopped_too():
    started = time.monotonic()
    assert "No answer after 1 s." in outcome(lambda x: time.sleep(60))
    assert 2.9 < time.monotonic() - started < 30


def test_stopping_by_hand_is_not_a_wrong_answer():
    def stopped(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outcome(stopped)


def test_noise_of_an_answer_costs_nothing(capfd):
    handler = logging.StreamHandler(sys.stderr)

    def noisy(x):
        warnings.warn("a warning", stacklevel=1)
        print("to stderr", file=sys.stderr)
        handler.stream.write("to the old stream")
        os.write(2, b"to the descriptor")
        logging.getLogger("answer").warning("a log line")
        print("to stdout")
        return x + x

    assert outcome(noisy) == ""
    out, err = capfd.readouterr()
    assert err == ""
    assert out == "to stdout\n✓ double: rows\n"


def test_names_come_back_after_a_check():
    def answer(x):
        return x + x

    globals()["double"] = answer
    try:
        with checking("double", "rows"):
            assert double is not answer
        assert double is answer
    finally:
        del globals()["double"]


def test_a_stand_in_takes_the_place_of_an_earlier_answer_and_is_allowed():
    def uses_double(x):
        return double(x) + 1

    globals()["uses_double"] = uses_double
    try:
        with (
            checking("uses_double", "sum") as check,
            checking.standing_in("double"),
        ):
            check.close(uses_double(X), 2 * X + 1, "rows")
    finally:
        del globals()["uses_double"]
    assert "double" not in globals()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.softmax(x, -1),
        lambda x: x.softmax(-1),
        lambda x: F.softmax(x, -1),
        lambda x: nn.Softmax(-1)(x),
        lambda x: torch.ops.aten.softmax.int(x, -1),
        lambda x: torch._C._VariableFunctions.softmax(x, -1),
        lambda x: F.layer_norm(x, (5,)),
        lambda x: nn.LayerNorm(5, dtype=x.dtype)(x),
    ],
)
def test_a_forbidden_call_is_noticed_in_every_spelling(call):
    def hides_it(x):
        with contextlib.suppress(Exception):
            call(x)
        return x + x

    assert "which does this exercise's work" in outcome(hides_it)


def test_a_neighbour_of_a_forbidden_call_is_allowed():
    assert outcome(lambda x: x + x + 0 * F.relu(x) + 0 * torch.logsumexp(x, 0)) == ""


@dataclass(frozen=True)
class Pair:
    a: torch.Tensor
    b: list


@pytest.mark.parametrize(
    "change",
    [
        lambda pair: pair.a.mul_(2),
        lambda pair: pair.b.append(1),
        lambda pair: pair.b[0]["k"].zero_(),
        lambda pair: pair.b[0].update(z=1),
    ],
)
def test_a_change_deep_inside_an_input_is_noticed(change):
    def body(check):
        double(Pair(torch.ones(2), [{"k": torch.ones(1)}]))

    def changes(pair):
        change(pair)
        return 1

    assert "changed one of its inputs" in outcome(changes, body)
    assert outcome(lambda pair: pair, body) == ""


def test_a_changed_model_is_noticed():
    def body(check):
        double(nn.Linear(2, 2).eval())

    def zeroes(model):
        model.weight.data.zero_()
        return 1

    words = "left the model in another mode (train or eval)"
    assert words in outcome(lambda model: model.train(), body)
    assert "changed one of its inputs" in outcome(zeroes, body)
    assert outcome(lambda model: model, body) == ""


def test_a_changed_gradient_mode_is_noticed_and_put_right():
    def leaves_it_off(x):
        torch.set_grad_enabled(False)
        return x + x

    assert "left torch's gradient mode changed" in outcome(leaves_it_off)
    assert torch.is_grad_enabled()


def in_place(*parts):
    """Doubles its input in place and returns it; a list or dict is changed as well."""
    for part in parts:
        if isinstance(part, list):
            part.append(part.pop(0))
        elif isinstance(part, dict):
            part["new"] = 1
    return parts[0].mul_(2)


def test_a_change_in_place_fails_one_check_and_is_put_right_in_the_others():
    fresh = Checker()
    globals()["double"] = in_place

    def passes(title):
        x, items, table = X.clone(), [1, X], {"a": X}
        try:
            with fresh("double", title) as check:
                check.close(double(x, items, table), 2 * X, "rows")
                assert torch.equal(x, X)
                assert items[0] == 1 and items[1] is X and table == {"a": X}
        except CheckFailed as failure:
            assert "changed one of its inputs in place" in str(failure)
            return False
        return True

    try:
        assert [passes(title) for title in ("a", "b", "a", "c")] == [0, 1, 0, 1]
        globals()["double"] = lambda x, items, table: x + x
        assert passes("a")
        globals()["double"] = in_place
        assert not passes("c")
    finally:
        del globals()["double"]


def test_a_view_that_was_changed_in_place_is_put_right_in_its_base():
    fresh, base = Checker(), X.clone()
    globals()["double"] = in_place
    try:
        with pytest.raises(CheckFailed), fresh("double", "a"):
            double(base[:1])
        with fresh("double", "b") as check:
            check.close(double(base[:1]), 2 * X[:1], "rows")
        assert torch.equal(base, X)
    finally:
        del globals()["double"]


def passes_the_second_time(answer, *arguments, want):
    """Does a call that leaves traces pass in the check that does not blame them?"""
    fresh = Checker()
    globals()["double"] = answer
    try:
        with pytest.raises(CheckFailed), fresh("double", "a"):
            double(*arguments)
        with fresh("double", "b") as check:
            check.close(double(*arguments)[0], want, "rows")
        return True
    finally:
        del globals()["double"]


def test_an_expanded_input_beside_a_changed_one_is_left_alone():
    def answer(x, expanded):
        result = [x * 2 + 0 * expanded[0]]
        x.zero_()
        return result

    expanded = torch.ones(1, 5, dtype=X.dtype).expand(3, 5)
    assert passes_the_second_time(answer, X.clone(), expanded, want=2 * X)


def test_a_named_tuple_may_be_returned():
    Both = namedtuple("Both", "first second")

    def answer(x):
        return Both(x.mul_(2), x)

    assert passes_the_second_time(answer, X.clone(), want=2 * X)


def test_nan_in_an_input_does_not_count_as_a_change():
    def body(check):
        double(torch.tensor([float("nan")]))

    assert outcome(lambda x: x, body) == ""


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rounding_is_allowed_and_a_small_error_is_not(dtype):
    x = draw(2, 4, 50, dtype=dtype)
    want = x.double().cumsum(-1)

    def body(check):
        check.close(double(x), want, "sums", like=x, terms=50)

    assert outcome(lambda x: x.cumsum(-1), body) == ""
    other_order = x.flip(-1).cumsum(-1).flip(-1)
    assert outcome(lambda x: x.sum(-1, keepdim=True) - other_order + x, body) == ""
    assert "The values differ" in outcome(lambda x: x.cumsum(-1) * 1.0005, body)
    if dtype == torch.float64:
        message = outcome(lambda x: x.cumsum(-1) * (1 + 1e-7), body)
        assert "differ. The first digits agree: does a step work in float32?" in message


def test_infinite_values_must_be_the_same():
    want = torch.tensor([1.0, -torch.inf])

    def body(check):
        check.close(double(want), want, "edge")

    assert outcome(lambda x: x.clone(), body) == ""
    assert "differ" in outcome(lambda x: torch.tensor([1.0, torch.inf]), body)
    assert "differ" in outcome(lambda x: torch.tensor([1.0, -9e9]), body)


def test_a_single_number_can_be_compared():
    def body(check):
        check.close(double(X[0, 0, 0]), 2 * X[0, 0, 0], "number")

    assert outcome(lambda x: x + x, body) == ""
    assert "differ" in outcome(lambda x: x, body)


def equal_body(want):
    return lambda check: check.equal(double(1), want, "count")


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (7, 7),
        (torch.tensor(7), 7),
        ({"a": torch.Size([1, 2])}, {"a": (1, 2)}),
        ([1, (2,)], (1, (2,))),
    ],
)
def test_equal_counts_in_other_types_are_equal(got, want):
    assert outcome(lambda x: got, equal_body(want)) == ""


@pytest.mark.parametrize(
    ("got", "want", "words"),
    [
        (7.0, 7, "7.0 is a float; a count is an int."),
        (8, 7, "Yours: 8. Expected: 7."),
        ({"a": (1,)}, {"a": (2,)}, "The answer differs."),
        ({"b": 1}, {"a": 1}, "The answer differs."),
    ],
)
def test_other_answers_are_not_equal(got, want, words):
    assert words in outcome(lambda x: got, equal_body(want))


def raises_body(check):
    check.raises(lambda: double(-1), "a negative number")


def runs_body(check):
    got = check.runs(lambda: double(1), "one", "It is allowed.")
    check.equal(got, 2, "twice one")


def test_a_call_that_must_run_is_named_when_it_raises():
    assert outcome(lambda x: x + x, runs_body) == ""
    message = outcome(raiser(ValueError("no")), runs_body)
    assert "One. double raised ValueError: no" in message
    assert "It is allowed." in message


def raiser(error):
    def answer(x):
        raise error

    return answer


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            lambda x: x,
            "A negative number. Nothing was raised; it should be ValueError.",
        ),
        (raiser(ValueError()), "The ValueError has no message."),
        (raiser(TypeError("no")), "raised TypeError: no"),
        (raiser(NotImplementedError()), "Not attempted yet."),
    ],
)
def test_bad_input_must_raise_the_right_error_with_a_message(answer, words):
    assert words in outcome(answer, raises_body)


def test_a_right_error_passes():
    assert outcome(raiser(ValueError("below 1")), raises_body) == ""


def question(answer):
    def body(check):
        check.answered(answer, "ab")
        check.hidden()
        check.choice(answer, "b", because={"a": "That is the MLP.", "b": "Yes."})

    return outcome(None, body)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "Not attempted yet."),
        ("c", "'c' is none of the choices a, b."),
        (2, "2 is none of the choices"),
        ("ab", "'ab' is none of the choices"),
        ("a", "CheckFailed: ✗ double: rows Not a: That is the MLP."),
    ],
)
def test_a_wrong_choice_is_explained(answer, words):
    assert words in question(answer)


def test_the_right_choice_passes(capsys):
    assert question("b") == ""
    assert capsys.readouterr().out == "✓ double: rows\n"


def test_a_letter_that_is_not_judged_is_only_noted(capsys):
    assert outcome(None, lambda check: check.answered("a", "ab")) == ""
    assert capsys.readouterr().out == (
        '· double: rows: "a" is noted; the reasons come with the answer\n'
    )


NOTEBOOK = """
def rows(x):
    return factor * x

def double(x):
    return (lambda: rows(x))()

factor = 2
"""
CHECK = """
with checking("double", "rows") as check:
    rows, factor = 3, [4]
    check.close(double(X), X + X, "two rows")
    assert rows == 3
"""


def test_a_check_that_takes_the_name_of_a_helper_gives_it_back(capsys):
    names = {"checking": checking, "X": X}
    exec(NOTEBOOK, names)
    before = dict(names)
    exec(CHECK, names)
    assert capsys.readouterr().out == "✓ double: rows\n"
    assert [name for name in before if names[name] is not before[name]] == []


def test_a_helper_is_back_too_when_the_check_fails():
    names = {"checking": checking, "X": X}
    exec(NOTEBOOK.replace("factor = 2", "factor = 5"), names)
    helper = names["rows"]
    with pytest.raises(CheckFailed, match="The values differ"):
        exec(CHECK, names)
    assert (names["rows"], names["factor"]) == (helper, 5)


def test_a_stand_in_is_not_taken_for_a_lost_helper():
    names = {"checking": checking, "X": X}
    exec("def double(x):\n    return 0 * x\ndef more(x):\n    return double(x)", names)
    exec(
        "with checking('more', 'rows') as check, checking.standing_in('double'):\n"
        "    check.close(more(X), X + X, 'two rows')",
        names,
    )
    assert names["double"](X).eq(0).all()


def test_a_fault_in_using_the_result_is_no_traceback():
    def body(check):
        check.equal(double(1)["key"], 2, "key")

    message = outcome(lambda x: [1], body)
    assert "The result cannot be used: TypeError" in message


def test_a_demonstration_of_unwritten_functions_says_so(capsys):
    with checking.demo("double", "triple"):
        raise NotImplementedError
    with checking.demo("double"):
        raise TypeError("no")
    assert capsys.readouterr().out == (
        "This part runs once you have written double and triple.\n"
        "This part needs double, which stopped with TypeError: no\n"
    )


def test_random_numbers_are_the_same_for_one_seed():
    assert torch.equal(draw(3, 2, 2), draw(3, 2, 2))
    assert not torch.equal(draw(3, 2, 2), draw(4, 2, 2))
    assert draw(3, 2, dtype=torch.float32).dtype == torch.float32
