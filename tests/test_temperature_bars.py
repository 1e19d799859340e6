"""The figure of lesson 3: what comes next, what is cut, what is written."""

import itertools
import math

import ipywidgets
import pytest
import torch
from lesson_runner import solution_names
from tidy import assert_tidy

from support.figures.drawing import GREY, Box
from support.figures.temperature_bars import TemperatureBars
from support.plots import COLOURS

FUNCTIONS = ("token_probabilities", "keep_top_k", "keep_top_p")
LONG = "M" * 40 + "the old man looks at the mmmmmmmmmmmmmmmmmmmmmmmmmmmmm"
EXTREMES = list(itertools.product(("", LONG), (0.0, 0.05, 3.0), (1, 28), (0.05, 1.0)))


@pytest.fixture(scope="module")
def lesson():
    return solution_names("03_sampling")


@pytest.fixture
def figure(lesson):
    return make(lesson)


def make(lesson, **functions):
    return TemperatureBars(
        *(lesson[n] for n in ("model", "encode", "decode")), **functions
    )


def shown(figure, **settings):
    return figure.numbers(**figure.settings | settings)


def uncut(figure, **settings):
    return shown(figure, **{"top_k": 28, "top_p": 1.0} | settings)


def boxes(figure, numbers, fill):
    marks = figure.drawing(numbers).marks
    return [m for m in marks if isinstance(m, Box) and m.fill == fill and m.width == 31]


def test_greedy_leaves_one_bar_of_probability_1_and_three_equal_texts(figure):
    numbers = uncut(figure, temperature=0.0)
    assert (numbers.after[0], numbers.kept, numbers.bits) == (1.0, 1, 0.0)
    assert set(numbers.after[1:]) == {0.0}
    assert len(set(numbers.texts)) == 1
    assert "1 of 28 characters can come next" in figure.words(numbers)
    tall = [box for box in boxes(figure, numbers, COLOURS["embedding"]) if box.height]
    assert [box.height for box in tall] == [160]


@pytest.mark.parametrize("temperature", [0.05, 0.7, 3.0])
@pytest.mark.parametrize(
    "cuts", [{"top_k": 4}, {"top_p": 0.6}, {"top_k": 6, "top_p": 0.5}]
)
def test_what_is_kept_sums_to_1_in_its_old_proportions_the_rest_is_0(
    figure, temperature, cuts
):
    numbers = uncut(figure, temperature=temperature, **cuts)
    assert sum(numbers.after) == pytest.approx(1)
    assert sum(numbers.before) == pytest.approx(1)
    assert set(numbers.after[numbers.kept :]) == {0.0}
    share = sum(numbers.before[: numbers.kept])
    kept = [p / share for p in numbers.before[: numbers.kept]]
    assert numbers.after[: numbers.kept] == pytest.approx(kept)


def test_the_entropy_nears_its_maximum_as_the_temperature_grows(figure):
    bits = [uncut(figure, temperature=t).bits for t in (0.0, 0.5, 1.0, 3.0, 1e6)]
    assert bits == sorted(bits) and bits[0] == 0
    assert bits[-1] == pytest.approx(math.log2(28), abs=1e-6)
    p = uncut(figure, temperature=1.0).before
    assert bits[2] == pytest.approx(-sum(x * math.log2(x) for x in p))


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_top_k_keeps_the_k_most_probable(figure, temperature):
    for k in (1, 2, 9, 27):
        numbers = uncut(figure, temperature=temperature, top_k=k)
        assert numbers.kept == sum(p > 0 for p in numbers.after[:k]) == k
    assert list(numbers.before) == sorted(numbers.before, reverse=True)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_top_p_keeps_the_smallest_set_that_reaches_p(figure, temperature):
    for p in (0.05, 0.3, 0.55, 0.8, 0.95):
        numbers = uncut(figure, temperature=temperature, top_p=p)
        assert all(numbers.after[: numbers.kept])
        assert sum(numbers.before[: numbers.kept]) >= p
        assert sum(numbers.before[: numbers.kept - 1]) < p


def test_a_higher_temperature_lets_top_p_keep_more_and_top_k_the_same(figure):
    cold, hot = ({"temperature": t} for t in (0.5, 2.0))
    p_cold, p_hot = (uncut(figure, top_p=0.8, **t).kept for t in (cold, hot))
    k_cold, k_hot = (uncut(figure, top_k=5, **t) for t in (cold, hot))
    assert p_cold < p_hot
    assert k_cold.letters[:5] == k_hot.letters[:5]


def test_before_the_cuts_stand_the_models_own_probabilities(lesson, figure):
    ids = lesson["encode"]("the girl looks at the ")[None]
    with torch.no_grad():
        p = lesson["model"](ids)[0, -1].double().softmax(-1)
    best = p.argsort(descending=True)
    numbers = uncut(figure)
    assert numbers.before == pytest.approx(p[best].tolist())
    assert "".join(numbers.letters) == lesson["decode"](best).translate(
        str.maketrans({" ": "␣", "\n": "↵"})
    )


def test_the_picture_is_a_function_of_the_settings(figure):
    torch.manual_seed(0)
    once = shown(figure, temperature=1.5)
    torch.manual_seed(1)
    assert shown(figure, temperature=1.5) == once
    assert len(set(once.texts)) == 3
    assert {len(text) for text in once.texts} == {24}


def test_a_redraw_runs_the_model_25_times(lesson):
    calls = []
    hook = lesson["model"].register_forward_hook(lambda *args: calls.append(1))
    shown(make(lesson))
    hook.remove()
    assert len(calls) == 25


def test_texts_hold_only_characters_that_were_kept(figure):
    numbers = shown(figure, prompt="the ", temperature=3.0, top_k=3, top_p=1.0)
    kept = {letter.replace("␣", "\u00a0") for letter in numbers.letters[:3]}
    assert {text[0] for text in numbers.texts} <= kept


def test_unknown_characters_are_named_and_left_out(figure):
    numbers = shown(figure, prompt="tHe girl! looks at the ")
    assert "The model knows no ! H (left out)." in figure.words(numbers)
    assert numbers.before == shown(figure, prompt="te girl looks at the ").before
    many = figure.words(shown(figure, prompt="ABCDEFGH"))
    assert "knows no A B C D E F … (left out)." in many


def test_markup_in_a_prompt_stays_text(figure):
    numbers = shown(figure, prompt="<b>&")
    assert "<b>" not in figure.drawing(numbers).svg(figure.words(numbers))


def test_an_empty_prompt_starts_on_a_new_line(figure):
    empty = shown(figure, prompt="")
    assert "Nothing to read: the text starts on a new line." in figure.words(empty)
    assert empty.before == shown(figure, prompt="\n").before
    assert "Nothing to read" not in figure.words(shown(figure))


def test_only_the_last_characters_of_the_context_are_read(figure):
    prompt = "in the morning the old man walks to the "
    long, short = (shown(figure, prompt=text) for text in (prompt, prompt[-32:]))
    assert (long.before, long.texts) == (short.before, short.texts)
    assert "Only the last 32 characters are read." in figure.words(long)
    assert "Only the last" not in figure.words(short)


def test_the_words_tell_settings_counts_entropy_and_texts(figure):
    numbers = shown(figure, temperature=2.0, top_k=10, top_p=0.9)
    said = figure.words(numbers)
    assert said.startswith("With τ 2.00, then top-k 10, then top-p 0.9, ")
    assert (
        f"{numbers.kept} of 28 characters can come next; {numbers.letters[0]}" in said
    )
    assert f"the entropy is {numbers.bits:.2f} of 4.81 bits" in said
    for text in numbers.texts:
        assert f"“{text}”".replace("\u00a0", " ") in said
    assert figure.words(uncut(figure)).startswith("With τ 1.00, 28 of 28 ")


def test_kept_bars_show_what_they_have_and_dropped_ones_what_they_had(figure):
    numbers = shown(figure, temperature=2.0, top_k=5, top_p=1.0)
    kept = boxes(figure, numbers, COLOURS["embedding"])
    dropped = boxes(figure, numbers, GREY)
    assert [box.height / 160 for box in kept] == pytest.approx(numbers.after[:5])
    assert [box.height / 160 for box in dropped] == pytest.approx(numbers.before[5:14])
    texts = [
        mark.text for mark in figure.drawing(numbers).marks if hasattr(mark, "text")
    ]
    assert texts.count("0%") == 1 + len(dropped)  # and the axis


@pytest.mark.parametrize("settings", EXTREMES)
def test_at_every_extreme_marks_lie_inside_and_texts_do_not_overlap(figure, settings):
    numbers = figure.numbers(*settings)
    assert_tidy(figure.drawing(numbers))
    assert figure.words(numbers)


def test_the_widest_letters_and_the_oddest_probabilities_fit_too(lesson):
    def only_m(logits, temperature=1.0):
        return lesson["encode"]("m" * len(logits)).eq(torch.arange(28)[:, None]).T * 1.0

    def all_certain(logits, temperature=1.0):
        return torch.ones_like(logits)

    for odd in (only_m, all_certain):
        figure = make(lesson, token_probabilities=odd)
        numbers = uncut(figure, prompt=LONG)
        assert "Drawn with your" in numbers.note
        assert_tidy(figure.drawing(numbers))


def test_right_answers_draw_what_the_course_draws(lesson, figure):
    own = make(lesson, **{name: lesson[name] for name in FUNCTIONS})
    for now in ({}, {"temperature": 0.0}, {"temperature": 3.0, "top_k": 7}):
        mine, theirs = shown(own, **now), shown(figure, **now)
        assert mine.after == pytest.approx(theirs.after)
        assert (mine.letters, mine.texts) == (theirs.letters, theirs.texts)
    said = own.words(shown(own, top_k=7))
    assert [f"Drawn with your {name}." in said for name in FUNCTIONS] == [True] * 3
    assert "Drawn with" not in figure.words(shown(figure))


def test_only_functions_in_use_are_named(lesson):
    own = make(lesson, **{name: lesson[name] for name in FUNCTIONS})
    assert uncut(own).note == "Drawn with your token_probabilities."
    assert "keep_top_k" in uncut(own, top_k=3).note
    assert "keep_top_p" not in uncut(own, top_k=3).note


def test_the_learners_own_numbers_are_drawn(lesson, figure):
    def token_probabilities(logits, temperature=1.0):
        return (logits * temperature).softmax(-1)  # a common mistake

    def keep_top_k(logits, k):
        return torch.where(
            logits < logits.topk(k + 2).values[:, -1:], -math.inf, logits
        )

    wrong = make(lesson, token_probabilities=token_probabilities)
    flat = uncut(figure, temperature=0.5).before
    assert uncut(wrong, temperature=2.0).before == pytest.approx(flat)
    more = make(lesson, keep_top_k=keep_top_k)
    numbers = uncut(more, top_k=3)
    assert numbers.kept == 5
    assert len(boxes(more, numbers, COLOURS["embedding"])) == 5


USELESS = {
    "None": lambda z, n: None,
    "a number": lambda z, n: 3,
    "a list": lambda z, n: z.tolist(),
    "one row": lambda z, n: z[0],
    "too wide": lambda z, n: torch.cat([z, z], -1),
    "huge": lambda z, n: torch.zeros(3, 200, 300),
    "NaN": lambda z, n: z * math.nan,
    "infinite": lambda z, n: torch.full_like(z, math.inf),
    "all dropped": lambda z, n: torch.full_like(z, -math.inf),
}


@pytest.mark.parametrize("result", USELESS)
def test_a_useless_result_is_named_and_the_courses_numbers_are_drawn(
    lesson, figure, result
):
    def broken(logits, size):
        return USELESS[result](logits, size)

    own = make(lesson, **dict.fromkeys(FUNCTIONS, broken))
    mine, ours = shown(own, top_k=5), shown(figure, top_k=5)
    assert mine.note.count("Your broken returns something else than expected") == 3
    assert own.drawing(mine) == figure.drawing(ours)


@pytest.mark.parametrize("part", [1.5, -0.1, 0.0])
def test_what_cannot_be_a_probability_is_not_drawn(lesson, figure, part):
    def token_probabilities(logits, temperature=1.0):
        return torch.full_like(logits, part)

    own = make(lesson, token_probabilities=token_probabilities)
    assert "returns something else than expected" in uncut(own).note
    assert own.drawing(uncut(own)) == figure.drawing(uncut(figure))


@pytest.mark.parametrize(
    ("error", "note"),
    [
        (NotImplementedError, "Your broken is not written yet"),
        (ZeroDivisionError, "Your broken raised ZeroDivisionError"),
    ],
)
def test_a_function_that_raises_is_named_and_breaks_nothing(
    lesson, figure, error, note
):
    def broken(logits, size):
        raise error

    own = make(lesson, **dict.fromkeys(FUNCTIONS, broken))
    mine = shown(own, top_k=5)
    assert mine.note.count(note) == 3
    assert own.drawing(mine) == figure.drawing(shown(figure, top_k=5))


def test_the_model_stays_in_its_mode_and_torch_in_its_gradient_mode(lesson, figure):
    mode = lesson["model"].training
    with torch.enable_grad():
        shown(figure)
        assert torch.is_grad_enabled() and lesson["model"].training == mode


def test_controls_are_described_and_each_one_redraws(figure):
    controls = figure.controls(ipywidgets)
    assert {name: controls[name].value for name in controls} == figure.settings
    assert all(control.description for control in controls.values())
    box, picture, line = figure._box().children
    steps = {"temperature": 0.0, "top_k": 1, "top_p": 1.0, "prompt": "there is a "}
    for control, value in zip(box.children, (steps[n] for n in controls), strict=True):
        before = picture.value + line.value
        control.value = value
        assert picture.value + line.value != before
    assert picture.value == figure.drawing(figure.numbers(**steps)).svg(
        figure.words(figure.numbers(**steps))
    )
