"""A trace tells mistakes apart by the numbers they return, up to rounding."""

import math
from collections import namedtuple

import numpy as np
import pytest
import torch

from support.checks import draw
from support.recognising import Trace

X = draw(1, 3, 5)
COUNT = 7_087_872  # parameters of a block of GPT-2 small
Pair = namedtuple("Pair", "first second")


def matches(trace, fingerprint):
    return trace.distance(fingerprint) is not None


def traced(*results):
    trace = Trace()
    for result in results:
        trace.add(result)
    return trace


def test_a_call_within_a_call_is_not_taken_in():
    nested, plain = Trace(), traced(X)
    with nested.calling():
        nested.add(COUNT)
        with nested.calling():
            nested.add("b")
        nested.add(None)
    nested.add(X)
    assert nested.fingerprint() == plain.fingerprint()


def test_what_a_learner_changes_later_counts_as_it_was_returned():
    mine, kept = X.clone(), [X.clone()]
    trace = traced(mine, kept)
    mine += 1
    kept[0].zero_()
    assert trace.fingerprint() == traced(X, [X]).fingerprint()


def alike(one, two):
    """Do calls that return `one` pass for calls that return `two`, and back?"""
    one, two = traced(*one), traced(*two)
    answers = matches(one, two.fingerprint()), matches(two, one.fingerprint())
    assert answers[0] == answers[1]
    return answers[0]


def test_the_words_of_a_value_error_are_the_learners_own():
    assert alike([ValueError("no")], [ValueError("a size must be an int")])
    assert not alike([ValueError("no")], [KeyError("no")])
    assert not alike([TypeError("2 given")], [TypeError("3 given")])


@pytest.mark.parametrize(
    "result",
    [
        X,
        X[0, 0],
        X > 0,
        torch.arange(6),
        torch.empty(0, 4),
        COUNT,
        -1,
        0.25,
        "b",
        None,
        (2, 3),
        {"rows": 2, "weights": X},
        [X, (None, "text")],
        ValueError("below 1"),
    ],
)
def test_the_same_result_gives_the_same_fingerprint(result):
    assert traced(result).fingerprint() == traced(result).fingerprint()
    assert alike([result], [result])


def test_a_fingerprint_is_three_numbers_however_much_was_returned():
    for results in ([], [COUNT], [X] * 30, [{"a": X, "b": [1, 2]}]):
        trace = traced(*results)
        fingerprint = trace.fingerprint()
        assert len(fingerprint) == 3 and fingerprint[0] == len(results)
        assert matches(trace, [float(f"{n:.12g}") for n in fingerprint])


@pytest.mark.parametrize("count", [0, 1, COUNT, 284_812_800, 10**12])
@pytest.mark.parametrize("step", [1, -1])
def test_whole_numbers_that_differ_by_one_are_told_apart(count, step):
    assert not alike([count], [count + step])
    assert not alike([(X, count)], [(X, count + step)])
    counts = [count + 1000 * n for n in range(20)]
    for place in range(20):
        other = counts.copy()
        other[place] += step
        assert not alike(counts, other)
        assert not alike([tuple(counts)], [tuple(other)])


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (lambda x: x.softmax(-1), lambda x: x.exp() / x.exp().sum(-1, keepdim=True)),
        (lambda x: x @ x.mT, lambda x: (x.double() @ x.double().mT).float()),
        (
            lambda x: x / x.std(-1, keepdim=True),
            lambda x: x * (1 / x.std(-1)[..., None]),
        ),
    ],
)
def test_rounding_of_float32_passes_for_the_same(one, two):
    inputs = [draw(seed, 3, 4, 8, dtype=torch.float32) for seed in range(40)]
    assert sum(not torch.equal(one(x), two(x)) for x in inputs) > 20
    for x in inputs:
        assert alike([one(x)], [two(x)])


def test_rounding_passes_even_where_the_sums_of_a_trace_cancel():
    for seed in range(300):  # a few of these have sums near 0
        x = draw(seed, 5, dtype=torch.float32)
        assert alike([x], [x.nextafter(torch.tensor(9.0))])


@pytest.mark.parametrize("change", [1e-3, -1e-3])
def test_a_change_beyond_rounding_does_not(change):
    for row, column in ((0, 0), (1, 2), (2, 4)):
        other = X.clone()
        other[row, column] += change
        assert not alike([X], [other])


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (X, X.T),
        (X, X.flatten()),
        (X, X[None]),
        (X, X.flip(0)),
        (torch.ones(2, 3), torch.ones(3, 2)),
        (torch.zeros(4), torch.zeros(5)),
        (torch.empty(0, 4), torch.empty(4, 0)),
        (X, None),
        (X, 0.25),
        (2, -2),
        (2, "2"),
        (0.25, 0.5),
        (0.0, None),
        ("a", "b"),
        ((2, 3), (3, 2)),
        ((2, 3), (2, 3, 3)),
        ((2, 3), 2),
        (((2, 3), 4), (2, (3, 4))),
        ([], None),
        ((X, None), (None, X)),
        ({"rows": 2}, {"columns": 2}),
        ({"rows": 2}, {"rows": 3}),
        ({"rows": 2}, (2,)),
        ({"a": 1, "b": 2}, {"a": 2, "b": 1}),
        (None, ValueError()),
        (TypeError("one"), TypeError("two")),
        (
            RuntimeError("the number of heads is 1"),
            RuntimeError("the number of heads is 2"),
        ),
        (ValueError("below 1"), KeyError("below 1")),
        (ValueError("below 1"), "below 1"),
        (math.nan, 0.0),
        (math.nan, math.inf),
        (math.inf, -math.inf),
        (torch.tensor(math.nan), torch.tensor(math.inf)),
        (torch.tensor([math.nan, 1.0]), torch.tensor([1.0, math.nan])),
        (X, X.where(X > 0, -math.inf)),
    ],
)
def test_different_results_are_told_apart(one, two):
    assert not alike([one], [two])


def test_lists_and_tuples_are_the_same_to_a_trace_as_to_a_check():
    assert alike([[2, X]], [(2, X)])
    assert alike([Pair(2, 3)], [(2, 3)])


@pytest.mark.parametrize(
    "result",
    [
        math.nan,
        math.inf,
        -math.inf,
        torch.tensor([math.nan, math.inf, -math.inf, 1.0]),
        torch.tensor([1e308, 1e308], dtype=torch.float64),
        (math.nan, COUNT),
    ],
)
def test_nan_and_infinity_are_recognised_too(result):
    assert alike([result, X], [result, X])
    assert not alike([result, X], [result, X + 1])


def test_a_nan_hides_nothing_else():
    assert not alike([(math.nan, 2)], [(math.nan, 3)])
    with_nan = torch.cat([torch.tensor([[math.nan] * 5]), X])
    assert not alike([with_nan], [with_nan + 1])


def odd_results():
    endless = []
    endless.append(endless)

    class Unreadable(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    return {
        "endless list": endless,
        "error without text": Unreadable(),
        "huge number": 10**400,
        "half a character": "\ud800",
        "sparse": torch.eye(3).to_sparse(),
        "complex": torch.tensor([1 + 2j]),
        "tracked": torch.ones(3, requires_grad=True),
        "array": np.ones(3),
        "class": Trace,
        "function": odd_results,
        "generator": (n for n in range(3)),
        "bytes": b"text",
        "set": {1, 2},
        "complex number": 1j,
        "exit": SystemExit("bye"),
    }


@pytest.mark.filterwarnings("ignore:Casting complex")  # as checks ignore all
@pytest.mark.parametrize("name", odd_results())
def test_an_odd_result_never_raises_and_is_still_a_call(name):
    result = odd_results()[name]
    trace = traced(X, result, X)
    assert trace.fingerprint()[0] == 3
    assert matches(trace, traced(X, result, X).fingerprint())
    assert not matches(trace, traced(X, X, X).fingerprint())


def test_calls_beyond_a_hundred_are_counted_but_not_looked_at():
    many = [X] * 100
    assert not alike([*many[:-1], X], [*many[:-1], X + 1])
    assert alike([*many, X], [*many, X + 1])
    assert not alike(many, [*many, X])
    numbers = traced(*many).numbers()
    assert traced(*many, *many, X).numbers() == numbers


def test_a_long_tensor_is_looked_at_in_its_first_ten_thousand_numbers():
    long = draw(2, 20_000)
    early, late = long.clone(), long.clone()
    early[9_999] += 1
    late[10_000] += 1
    assert not alike([long], [early])
    assert alike([long], [late])


def test_the_order_and_the_number_of_calls_matter():
    assert not alike([X, X + 1], [X + 1, X])
    assert not alike([X], [X, X])
    assert not alike([], [X])
    assert alike([], [])
