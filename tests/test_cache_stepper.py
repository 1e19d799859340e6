"""The figure of lesson 4: what the cache holds, what is read, what it saves."""

import itertools

import ipywidgets
import pytest
import torch
from lesson_runner import solution_names
from tidy import assert_tidy

from support.caching import heads_of, moved_forward, padded_attention
from support.figures.cache_stepper import CacheStepper
from support.figures.drawing import GREY, Arrow, Box
from support.plots import COLOURS
from support.training import letter_codec, train

CAUSAL, NONE = "causal (decoder)", "none (encoder)"
STEPS = range(17)
HEATS = (0.0, 0.5, 1.0, 1.5, 2.0)


@pytest.fixture(scope="module")
def lesson():
    """The lesson's names, with a writer that learned for a moment."""
    names = solution_names("04_kv_cache")
    encode, decode, vocab = letter_codec(names["corpus"])
    sizes = {"context": 20, "d_model": 32, "n_heads": 4, "n_layers": 2}
    writer = names["TinyGPT"](vocab, **sizes)
    train(writer, encode(names["corpus"]), steps=60)
    return names | {"writer": writer, "encode": encode, "decode": decode}


@pytest.fixture(scope="module")
def figure(lesson):
    return make(lesson)


def make(lesson, cached_forward=None, **changed):
    parts = [(lesson | changed)[name] for name in ("writer", "encode", "decode")]
    return CacheStepper(*parts, cached_forward)


def shown(figure, tokens=6, temperature=0.0, mask=CAUSAL):
    return figure.numbers(tokens, temperature, mask)


def wrong_rows(numbers):
    return [rows for _, _, rows in numbers.blocks]


def seen(text):
    return text.replace(" ", "␣").replace("\n", "↵")


@pytest.mark.parametrize("tokens", STEPS)
def test_the_counters_are_t_and_the_sum_of_the_first_t_numbers(figure, tokens):
    for temperature in HEATS:
        cached, whole = shown(figure, tokens, temperature).seen
        assert cached == list(range(tokens + 1))
        assert whole == [t * (t + 1) // 2 for t in range(tokens + 1)]


@pytest.mark.parametrize("tokens", STEPS[1:])
def test_the_attention_of_the_newest_token_sums_to_1(figure, tokens):
    for temperature, mask in itertools.product(HEATS, (CAUSAL, NONE)):
        weights = shown(figure, tokens, temperature, mask).weights
        assert len(weights) == tokens and min(weights) >= 0
        assert sum(weights) == pytest.approx(1)


def test_the_weights_are_those_of_the_lessons_attention(lesson, figure):
    numbers, model = shown(figure, 9), figure.model
    inputs = []
    hook = model.blocks[1].norm1.register_forward_hook(
        lambda norm, args, out: inputs.append(out)
    )
    with torch.no_grad():
        text = numbers.letters[:9].replace("␣", " ").replace("↵", "\n")
        model(lesson["encode"](text)[None])
        q, k, _ = heads_of(model.blocks[1], inputs[0])
    hook.remove()
    scores = (q[0, :, -1:] @ k[0].mT / q.shape[-1] ** 0.5).softmax(-1)
    assert numbers.weights == pytest.approx(scores.mean((0, 1)).tolist())


@pytest.mark.parametrize("tokens", STEPS[1:])
def test_with_the_causal_mask_no_cached_row_changes(figure, tokens):
    for temperature in HEATS:
        numbers = shown(figure, tokens, temperature)
        assert wrong_rows(numbers) == [[False] * tokens] * 2
        before = shown(figure, tokens - 1, temperature)
        for (_, now, _), (_, then, _) in zip(
            numbers.blocks, before.blocks, strict=True
        ):
            assert [part[: tokens - 1] for part in now] == list(then)


@pytest.mark.parametrize("tokens", STEPS[1:])
def test_without_a_mask_all_but_the_newest_row_of_block_2_change(figure, tokens):
    for temperature in HEATS:
        first, second = wrong_rows(shown(figure, tokens, temperature, NONE))
        assert first == [False] * tokens
        assert second == [True] * (tokens - 1) + [False]


def test_in_an_encoder_of_three_blocks_the_newest_row_of_the_last_is_wrong_too(lesson):
    sizes = {"context": 20, "d_model": 16, "n_heads": 2, "n_layers": 3}
    model = lesson["TinyGPT"](28, **sizes)
    torch.nn.init.normal_(model.position_embedding.weight)
    numbers = shown(make(lesson, writer=model), 5, mask=NONE)
    assert [number for number, _, _ in numbers.blocks] == [1, 3]
    assert wrong_rows(numbers) == [[False] * 5, [True] * 5]


def test_a_model_of_one_block_has_one_part_in_the_picture(lesson):
    model = lesson["TinyGPT"](28, context=20, d_model=16, n_heads=2, n_layers=1)
    figure = make(lesson, writer=model)
    numbers = shown(figure, 5, mask=NONE)
    assert wrong_rows(numbers) == [[False] * 5]
    assert_tidy(figure.drawing(numbers))


@pytest.mark.parametrize("temperature", HEATS)
def test_the_text_is_what_generate_writes(lesson, figure, temperature):
    source = torch.Generator().manual_seed(4)
    start = lesson["encode"]("\n")[None]
    ids = lesson["generate"](figure.model, start, 16, temperature, source)[0]
    text = seen(lesson["decode"](ids))
    for tokens in STEPS:
        assert shown(figure, tokens, temperature).letters == text[: tokens + 1]


def test_the_next_token_has_its_probability_at_the_temperature(lesson, figure):
    numbers = shown(figure, 4, 0.5)
    text = numbers.letters[:-1].replace("␣", " ").replace("↵", "\n")
    with torch.no_grad():
        z = figure.model(lesson["encode"](text)[None])[0, -1]
    p = (z / 0.5).softmax(-1)
    best = p.topk(5)
    assert [share for _, share in numbers.likely] == pytest.approx(best.values.tolist())
    letters = "".join(letter for letter, _ in numbers.likely)
    assert letters == seen(lesson["decode"](best.indices))
    greedy = shown(figure, 4, 0.0)
    assert greedy.likely[0] == (greedy.letters[-1], 1.0)


def test_the_cells_are_the_first_numbers_of_keys_and_values(lesson, figure):
    ids = lesson["encode"](shown(figure, 3).letters[:3].replace("↵", "\n"))[None]
    with torch.no_grad():
        _, caches = moved_forward(figure.model, ids)
    for (_, cells, _), pair in zip(shown(figure, 3).blocks, caches, strict=True):
        for rows, part in zip(cells, pair, strict=True):
            assert rows == [pytest.approx(row) for row in part[0, 0, :, :5].tolist()]


def test_the_lessons_model_and_its_meter_are_left_alone(lesson):
    writer = lesson["writer"]
    before = writer.tokens_seen, writer.training, torch.get_rng_state()
    shown(make(lesson), 16, 2.0, NONE)
    assert (writer.tokens_seen, writer.training) == before[:2]
    assert torch.equal(torch.get_rng_state(), before[2])
    assert next(writer.parameters()).dtype == torch.float32
    assert writer.blocks[0].attention.__func__ is type(writer.blocks[0]).attention


def test_the_words_tell_text_counts_the_row_read_most_and_wrong_rows(figure):
    numbers = shown(figure, 7, 0.5, NONE)
    said = figure.words(numbers)
    assert f"Tokens written: 7, “{numbers.letters[1:]}” (τ 0.5, no mask)" in said
    assert "7 went through the model, without a cache 28" in said
    most = numbers.weights.index(max(numbers.weights))
    letter, share = numbers.letters[most], f"{max(numbers.weights):.0%}"
    assert f"reads mostly place {most}, {letter} ({share}, mean of the heads of" in said
    assert "whole text: 0 of 7 in block 1, 6 of 7 in block 2." in said
    said = figure.words(shown(figure, 7, 0.5))
    assert "whole text: 0 of 7 in block 1, 0 of 7 in block 2." in said
    assert "the cache is empty" in figure.words(shown(figure, 0))


def test_wrong_rows_are_grey_and_marked_and_the_title_counts_them(figure):
    right, wrong = (figure.drawing(shown(figure, 8, mask=m)) for m in (CAUSAL, NONE))

    def greys(drawing):
        marks = [m for m in drawing.marks if isinstance(m, Box) and m.fill]
        return sum(m.fill.startswith(GREY) for m in marks)

    def crosses(drawing):
        return sum(getattr(m, "text", "") == "✗" for m in drawing.marks)

    assert (greys(right), crosses(right)) == (0, 0)
    assert (greys(wrong), crosses(wrong)) == (7 * 2 * 5, 7)
    assert right.marks[0].text.startswith("8 tokens computed, 36 without a cache")
    assert wrong.marks[0].text.startswith("7 of 8 rows of block 2 are now wrong")


def test_there_is_a_row_for_each_cached_token_and_a_frame_for_the_newest(figure):
    for tokens in (1, 9, 16):
        marks = figure.drawing(shown(figure, tokens)).marks
        cells = [m for m in marks if isinstance(m, Box) and m.width == 10]
        assert len(cells) == tokens * 2 * 2 * 5
        (frame,) = (m for m in marks if isinstance(m, Box) and m.line == "currentColor")
        newest = max(cell.y for cell in cells)
        assert frame.y < newest and newest + 15 < frame.y + frame.height
        assert {cell.y for cell in cells if cell.y > frame.y} == {newest}


def test_the_curve_without_a_cache_ends_at_the_sum_of_all_runs(figure):
    marks = figure.drawing(shown(figure, 16)).marks
    lines = [mark for mark in marks if isinstance(mark, Arrow)]
    whole = [mark for mark in lines if mark.colour == COLOURS["other"]]
    cached = [mark for mark in lines if mark.colour == COLOURS["attention"]]
    assert (len(whole), len(cached)) == (16, 16)
    assert (whole[-1].to_y, cached[-1].to_y) == (270, 380 - 110 * 16 / 136)
    rises = [mark.y - mark.to_y for mark in whole]
    assert rises == sorted(rises) and rises[-1] == pytest.approx(16 * rises[0])


@pytest.mark.parametrize("tokens", (0, 1, 2, 15, 16))
def test_marks_lie_inside_and_texts_do_not_overlap(figure, tokens):
    for temperature, mask in itertools.product((0.0, 2.0), (CAUSAL, NONE)):
        numbers = shown(figure, tokens, temperature, mask)
        assert_tidy(figure.drawing(numbers))
        assert figure.words(numbers)


def test_a_right_answer_draws_what_the_course_draws(lesson, figure):
    own = make(lesson, lesson["cached_forward"])
    for now in ((6, 0.0, CAUSAL), (16, 2.0, NONE)):
        mine, ours = own.numbers(*now), figure.numbers(*now)
        assert (mine.letters, mine.seen) == (ours.letters, ours.seen)
        assert mine.weights == pytest.approx(ours.weights)
        assert wrong_rows(mine) == wrong_rows(ours)
        assert own.words(mine).endswith("Drawn with your cached_forward.")
        assert "Drawn with" not in figure.words(ours)
    assert "Drawn with your cached_forward." in own.words(shown(own, 0))


def test_positions_that_start_at_0_make_wrong_rows_with_the_causal_mask_too(lesson):
    def cached_forward(model, ids, caches=None):
        x, grown = model.token_embedding(ids) + model.position_embedding.weight[0], []
        for n, block in enumerate(model.blocks):
            out, pair = padded_attention(block, block.norm1(x), caches and caches[n])
            x = x + out
            x = x + block.mlp(block.norm2(x))
            grown.append(pair)
        return model.unembedding(model.final_norm(x)), grown

    own = make(lesson, cached_forward)
    numbers = shown(own, 8)
    assert wrong_rows(numbers) == [[False] + [True] * 7] * 2
    assert "Drawn with your cached_forward." in numbers.note
    assert own.drawing(numbers).marks[0].text.startswith("7 of 8 rows of block 2")


def test_another_text_than_the_loops_is_drawn_and_both_are_told(lesson, figure):
    def cached_forward(model, ids, caches=None):
        logits, caches = moved_forward(model, ids, caches)
        return -logits, caches

    own = make(lesson, cached_forward)
    numbers, text = shown(own, 16), shown(figure, 16).letters
    assert numbers.letters[1] != text[1]
    assert f"“{numbers.letters[1:]}”" in own.words(numbers)
    assert numbers.note == (
        f"Drawn with your cached_forward. Without a cache the text is “{text[1:]}”."
    )


def test_a_forward_that_runs_the_whole_text_again_is_counted(lesson):
    texts = {}

    def cached_forward(model, ids, caches=None):
        past = texts.get(id(caches), ids[:, :0]) if caches else ids[:, :0]
        text = torch.cat([past, ids], 1)
        logits, caches = moved_forward(model, text)
        texts[id(caches)] = text
        kept.append(caches)
        return logits[:, -1:], caches

    kept = []  # so that no id comes twice
    own = make(lesson, cached_forward)
    assert shown(own, 9).seen[0] == shown(own, 9).seen[1]
    title = own.drawing(shown(own, 9)).marks[0].text
    assert title.startswith("45 tokens computed, 45 without a cache")


def test_changing_its_inputs_in_place_does_not_change_the_text(lesson, figure):
    def cached_forward(model, ids, caches=None):
        result = moved_forward(model, ids.clone(), caches)
        for pair in caches or ():
            for part in pair:
                part.zero_()
        ids.zero_()
        return result

    own = make(lesson, cached_forward)
    for now in ((6, 0.0, CAUSAL), (16, 1.0, NONE)):
        mine, ours = own.numbers(*now), figure.numbers(*now)
        assert (mine.letters, wrong_rows(mine)) == (ours.letters, wrong_rows(ours))


def _spoilt(change):
    return lambda model, ids, caches: change(*moved_forward(model, ids, caches))


USELESS = {
    "None": lambda *args: None,
    "a number": lambda *args: 7,
    "logits alone": _spoilt(lambda logits, caches: logits),
    "three results": _spoilt(lambda logits, caches: (logits, caches, 0)),
    "one row of logits": _spoilt(lambda logits, caches: (logits[..., :5], caches)),
    "NaN": _spoilt(lambda logits, caches: (logits * torch.nan, caches)),
    "infinite keys": _spoilt(
        lambda logits, caches: (logits, [(k / 0, v) for k, v in caches])
    ),
    "one block": _spoilt(lambda logits, caches: (logits, caches[:1])),
    "no caches": _spoilt(lambda logits, caches: (logits, [])),
    "only the newest row": _spoilt(
        lambda logits, caches: (
            logits,
            [[part[:, :, -1:].repeat(1, 1, 40, 1) for part in p] for p in caches],
        )
    ),
}


@pytest.mark.parametrize("result", USELESS)
def test_a_useless_result_is_named_and_the_courses_cache_is_drawn(
    lesson, figure, result
):
    def broken(model, ids, caches=None):
        return USELESS[result](model, ids, caches)

    own = make(lesson, broken)
    said = own.words(shown(own))
    assert "Your broken returns something else than expected here" in said
    assert own.drawing(shown(own)) == figure.drawing(shown(figure))


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
    def broken(model, ids, caches=None):
        if caches or error is NotImplementedError:
            raise error
        return moved_forward(model, ids)

    own = make(lesson, broken)
    assert note in own.words(shown(own))
    assert own.drawing(shown(own)) == figure.drawing(shown(figure))


def test_buttons_write_a_token_and_start_again(figure):
    top, picture, line = figure._box().children
    buttons, tokens, *_ = top.children
    more, again = buttons.children
    for count in (7, 8):
        more.click()
        assert tokens.value == count
        assert line.value.count(f"Tokens written: {count},") == 1
    tokens.value = 16
    full = picture.value
    more.click()
    assert (tokens.value, picture.value) == (16, full)
    again.click()
    assert tokens.value == 0 and "the cache is empty" in line.value


def test_controls_are_described_and_each_one_redraws(figure):
    controls = figure.controls(ipywidgets)
    assert {name: controls[name].value for name in figure.settings} == figure.settings
    assert all(controls[name].description for name in figure.settings)
    top, picture, line = figure._box().children
    for control, value in zip(top.children[1:], (11, 1.5, NONE), strict=True):
        before = picture.value + line.value
        control.value = value
        assert picture.value + line.value != before
    numbers = figure.numbers(11, 1.5, NONE)
    assert picture.value == figure.drawing(numbers).svg(figure.words(numbers))
