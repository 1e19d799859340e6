"""The figure of lesson 1: its shapes and counts, its picture, words and controls."""

import itertools
from functools import cache

import ipywidgets
import pytest
from lesson_runner import solution_names
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from torch import nn

from support.figures.block_explorer import BlockExplorer
from support.figures.drawing import GREY, Arrow, Box, Words
from support.plots import COLOURS

ORDERS = ("pre-LN", "post-LN")
FAMILIES = ("encoder-only", "decoder-only", "encoder–decoder")
BLOCKS = list(itertools.product(ORDERS, FAMILIES))
SIZES = {"batch": 2, "tokens": 5, "d_model": 64, "n_heads": 4}
SHAPES = {
    "ln": (2, 5, 64),
    "queries": (2, 4, 5, 16),
    "attention_weights": (2, 4, 5, 5),
    "mlp_hidden": (2, 5, 256),
    "output": (2, 5, 64),
}


def numbers(figure=None, **settings):
    figure = figure or BlockExplorer()
    return figure.numbers(**figure.settings | settings)


def texts(shown):
    marks = BlockExplorer().drawing(shown).marks
    return [mark.text for mark in marks if isinstance(mark, Words)]


def test_the_shapes_are_those_of_the_lesson():
    shown = numbers(**SIZES)
    assert {name: shown["shapes"][name] for name in SHAPES} == SHAPES
    drawn = texts(shown)
    for text in ("Q (2, 4, 5, 16)", "A (2, 4, 5, 5)", "hidden (2, 5, 256)"):
        assert drawn.count(text) == 1
    assert drawn.count("(2, 5, 64)") == 5
    assert {"X (2, 5, 64)", "Y (2, 5, 64)"} <= set(drawn)


def test_shapes_without_a_function_are_those_of_a_right_one():
    right = solution_names("01_block")["block_shapes"]
    for sizes in ((1, 1, 8, 8), (3, 12, 768, 12), (4, 7, 1024, 1)):
        shown = numbers(**dict(zip(SIZES, sizes, strict=True)))
        want = right(*sizes, 4 * sizes[2])
        assert {name: shown["shapes"][name] for name in SHAPES} == want


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("d_model", [8, 64, 768])
@pytest.mark.parametrize(
    ("family", "kind"),
    [
        ("encoder-only", nn.TransformerEncoderLayer),
        ("decoder-only", nn.TransformerEncoderLayer),
        ("encoder–decoder", nn.TransformerDecoderLayer),
    ],
)
def test_the_parameters_of_the_parts_sum_to_those_of_torchs_layer(
    order, d_model, family, kind
):
    layer = kind(d_model, 4, 4 * d_model, norm_first=order == "pre-LN", device="meta")
    shown = numbers(order=order, family=family, d_model=d_model, n_heads=4)
    total = sum(p.numel() for p in layer.parameters())
    assert sum(weights for weights, _ in shown["counts"].values()) == total
    assert f"of {total:,} parameters" in BlockExplorer().words(shown)


def test_flops_are_twice_the_multiplications_of_the_matrix_products():
    batch, tokens, source, width = 2, 5, 7, 64
    counts = numbers(family=FAMILIES[2], **SIZES)["counts"]
    row = 2 * batch * width * width
    assert counts["MLP"][1] == row * tokens * 8
    scores = 4 * batch * tokens * width
    assert counts["self-attention"][1] == row * tokens * 4 + scores * tokens
    both_sides = row * (2 * tokens + 2 * source)
    assert counts["cross-attention"][1] == both_sides + scores * source
    rest = [flops for part, (_, flops) in counts.items() if part[:2] in ("LN", "+ ")]
    assert rest == [0] * 6


@pytest.mark.parametrize("family", FAMILIES)
def test_the_norm_comes_first_in_pre_ln_and_follows_the_sum_in_post_ln(family):
    for order, steps in (("pre-LN", ["LN", None, "+"]), ("post-LN", [None, "+", "LN"])):
        parts = list(numbers(order=order, family=family)["counts"])
        for number in range(len(parts) // 3):
            step = parts[3 * number : 3 * number + 3]
            for part, kind in zip(step, steps, strict=True):
                wanted = f"{kind} {number + 1}"
                assert part == wanted if kind else part.endswith(("attention", "MLP"))


@pytest.mark.parametrize(("order", "family"), BLOCKS)
def test_the_picture_has_the_parts_from_top_to_bottom(order, family):
    shown = numbers(order=order, family=family)
    names = ["+" if part[0] == "+" else part for part in shown["counts"]]
    marks = BlockExplorer().drawing(shown).marks
    column = [m for m in marks if isinstance(m, Words) and m.x == 110]
    assert [m.text for m in sorted(column, key=lambda m: m.y)] == names


def test_the_stream_passes_the_norm_in_pre_ln_and_meets_it_in_post_ln():
    for order, passed in (("pre-LN", True), ("post-LN", False)):
        marks = BlockExplorer().drawing(numbers(order=order)).marks
        norms = [
            m.y for m in marks if isinstance(m, Words) and m.text in ("LN 1", "LN 2")
        ]
        sides = [m for m in marks if isinstance(m, Arrow) and m.x == m.to_x == 20]
        assert len(sides) == len(norms) == 2
        for norm in norms:
            assert any(side.y < norm < side.to_y for side in sides) == passed


def test_only_the_encoder_decoder_has_cross_attention_with_its_norm_and_sum():
    parts = {family: set(numbers(family=family)["counts"]) for family in FAMILIES}
    assert parts[FAMILIES[0]] == parts[FAMILIES[1]]
    more = parts[FAMILIES[2]] - parts[FAMILIES[0]]
    assert more == {"cross-attention", "LN 3", "+ 3"}


def test_the_masks_hide_the_future_and_the_padding():
    masks = {family: numbers(family=family, tokens=5)["masks"] for family in FAMILIES}
    assert masks[FAMILIES[0]] == {"self-attention": ["rrrrp"] * 5}
    causal = ["rfffp", "rrffp", "rrrfp", "rrrrp", "rrrrp"]
    assert masks[FAMILIES[1]] == {"self-attention": causal}
    assert masks[FAMILIES[2]]["self-attention"] == causal
    assert masks[FAMILIES[2]]["cross-attention"] == ["rrrrrrp"] * 5


def test_a_mask_is_drawn_cell_by_cell():
    marks = BlockExplorer().drawing(numbers(family="decoder-only", tokens=12)).marks
    cells = [m for m in marks if isinstance(m, Box) and m.width == m.height]
    assert len(cells) == 144
    assert min(cell.width for cell in cells) >= 8
    kinds = [(cell.fill, cell.line) for cell in cells]
    assert kinds.count((COLOURS["attention"], None)) == 45 + 27
    assert kinds.count((None, GREY)) == 36
    assert kinds.count((GREY, None)) == 36


@pytest.mark.parametrize(("order", "family"), BLOCKS)
@pytest.mark.parametrize("sizes", [(1, 1, 8, 8), (4, 12, 1024, 64)])
def test_nothing_leaves_the_drawing_and_no_two_texts_overlap(order, family, sizes):
    figure = BlockExplorer(order=order, family=family)
    sizes = dict(zip(SIZES, sizes, strict=True))
    for part in numbers(figure)["counts"]:
        shown = numbers(figure, part=part, **sizes)
        drawing = figure.drawing(shown)
        assert (drawing.width, drawing.height) == (640, 420)
        assert figure.words(shown) in drawing.svg(figure.words(shown))
        places = [place(m) for m in drawing.marks if isinstance(m, Words)]
        for left, top, right, bottom in places:
            assert 0 <= left < right <= 640 and 0 <= top < bottom <= 420
        for one, two in itertools.combinations(places, 2):
            apart = one[2] <= two[0] or two[2] <= one[0]
            assert apart or one[3] <= two[1] or two[3] <= one[1]
        for mark in drawing.marks:
            if isinstance(mark, Box):
                assert 0 <= mark.x and mark.x + mark.width <= 640
                assert 0 <= mark.y and mark.y + mark.height <= 420
            elif isinstance(mark, Arrow):
                assert 0 <= min(mark.x, mark.to_x) <= max(mark.x, mark.to_x) <= 640
                assert 0 <= min(mark.y, mark.to_y) <= max(mark.y, mark.to_y) <= 420


def place(mark):
    """Left, top, right, bottom of a text."""
    left, bottom, right, top = extent(mark.text, mark.size, mark.bold)
    x = mark.x - {"start": 0, "middle": 0.5, "end": 1}[mark.anchor] * (right - left)
    return x, mark.y - top, x + right - left, mark.y - bottom


@cache
def extent(text, size, bold):
    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    return TextPath((0, 0), text, size, prop=font).get_extents().extents


def test_a_selected_part_shows_its_formula_and_counts():
    drawn = texts(numbers(part="LN 1", **SIZES))
    assert "y = γ·(x − μ)/√(σ² + ε) + β" in drawn
    assert "128 of 49,984 parameters" in drawn
    assert "0 of 995,840 FLOPs" in drawn


def test_the_words_name_the_parts_the_mask_and_the_counts():
    words = BlockExplorer().words(numbers(family="decoder-only", part="MLP", **SIZES))
    assert "pre-LN block, decoder-only: LN 1, self-attention, + 1, LN 2, MLP" in words
    assert "reads itself and earlier tokens" in words
    assert "MLP, hidden (2, 5, 256)" in words
    assert "33,088 of 49,984 parameters" in words
    assert "655,360 of 995,840 FLOPs" in words


def test_the_learners_shapes_are_drawn_even_if_wrong():
    def block_shapes(batch, tokens, d_model, n_heads, d_ff):
        return SHAPES | {"queries": (batch, tokens, n_heads, 3.5), "ln": [d_ff]}

    figure = BlockExplorer(block_shapes)
    shown = numbers(figure)
    assert {"Q (2, 5, 4, 3.5)", "(256,)"} <= set(texts(shown))
    assert "Drawn with your block_shapes." in figure.words(shown)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, "returns something else"),
        (SHAPES | {"ln": None}, "returns something else"),
        (SHAPES | {"output": "(2, 5, 64)"}, "returns something else"),
        (SHAPES | {"output": ("2", 5, 64)}, "returns something else"),
        (SHAPES | {"output": (2, 5, 10**24)}, "returns something else"),
        (SHAPES | {"output": (1,) * 1000}, "returns something else"),
        ({"ln": (2, 5, 64)}, "returns something else"),
        (NotImplementedError(), "is not written yet"),
        (KeyError("heads"), "raised KeyError"),
    ],
)
def test_an_answer_that_cannot_be_drawn_is_named(result, said):
    def block_shapes(*sizes):
        if isinstance(result, Exception):
            raise result
        return result

    figure = BlockExplorer(block_shapes)
    shown = numbers(figure)
    assert {name: shown["shapes"][name] for name in SHAPES} == SHAPES
    assert f"Your block_shapes {said}" in figure.words(shown)


def controls_of(figure):
    controls = figure.controls(ipywidgets)
    figure.adjust(controls)
    return controls


def test_heads_divide_the_width_whatever_width_is_chosen():
    figure = BlockExplorer()
    controls = controls_of(figure)
    controls["n_heads"].value = 64
    for width in (*controls["d_model"].options, 8, 768, 8, 1024):
        controls["d_model"].value = width
        figure.adjust(controls)
        assert all(width % heads == 0 for heads in controls["n_heads"].options)
        assert controls["n_heads"].value in controls["n_heads"].options


def test_the_parts_on_offer_follow_order_and_family_and_the_open_one_stays():
    figure = BlockExplorer(part="MLP")
    controls = controls_of(figure)
    for order, family in (*BLOCKS, *reversed(BLOCKS)):
        controls["order"].value, controls["family"].value = order, family
        figure.adjust(controls)
        shown = numbers(figure, order=order, family=family)
        assert controls["part"].options == tuple(shown["counts"])
        assert controls["part"].value == "MLP"
    controls["family"].value = FAMILIES[2]
    figure.adjust(controls)
    controls["part"].value = "cross-attention"
    controls["family"].value = FAMILIES[0]
    figure.adjust(controls)
    assert controls["part"].value == "self-attention"


def test_the_figure_redraws_when_a_control_moves():
    picture = BlockExplorer()._box()
    above, svg, line = picture.children
    (_, family, *_, part), before = above.children, svg.value
    part.value = "LN 2"
    assert "LN 2, has 128 of 49,984" in line.value and svg.value != before
    family.value = FAMILIES[2]
    assert "cross-attention" in line.value
    assert "cross-attention" in part.options
