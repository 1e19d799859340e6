"""The figure of lesson 5: patches and tokens, its picture, words and controls."""

import itertools
from functools import cache

import ipywidgets
import numpy as np
import pytest
import torch
from lesson_runner import given_names, solution_names
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from support.figures.drawing import Arrow, Box, Photo, Words
from support.figures.patch_explorer import PatchExplorer

SIDES = {224: (8, 14, 16, 28, 32, 56, 112)}
SIDES[384] = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192)
GRIDS = [(side, patch) for side, patches in SIDES.items() for patch in patches]


def scene():
    return given_names("05_patches")["scene"]


@pytest.fixture
def figure():
    return PatchExplorer(scene())


def numbers(figure, **settings):
    return figure.numbers(**figure.settings | settings)


def texts(figure, shown):
    return [mark.text for mark in figure.drawing(shown).marks if hasattr(mark, "text")]


@pytest.mark.parametrize(("side", "patch"), GRIDS)
def test_patch_r_s_is_token_r_times_a_row_plus_s_and_its_pixels_are_a_crop(
    figure, side, patch
):
    last = side // patch - 1
    for row, column in ((0, 0), (0, last), (last, 0), (last, last), (last // 2, 1)):
        shown = numbers(figure, side=side, patch=patch, row=row, column=column)
        assert shown.token == row * (side // patch) + column
        y, x = row * patch, column * patch
        crop = shown.image[y : y + patch, x : x + patch]
        assert np.array_equal(shown.tiles[shown.token], crop)
        assert shown.right
        photos = [m for m in figure.drawing(shown).marks if isinstance(m, Photo)]
        assert np.array_equal(photos[1].pixels, crop)


def test_the_image_is_the_scene_and_a_larger_scene(figure):
    pixels = (scene()[0] * 255).round().byte().permute(1, 2, 0).numpy()
    assert np.array_equal(numbers(figure).image, pixels)
    larger = numbers(figure, side=384).image
    assert larger.shape == (384, 384, 3)
    middle = larger[6::12, 6::12].astype(int) - pixels[3::7, 3::7][:32, :32]
    assert np.median(np.abs(middle)) <= 2


@pytest.mark.parametrize(
    ("side", "patch", "tokens", "size"),
    [(224, 16, 196, 768), (384, 16, 576, 768), (224, 32, 49, 3072), (224, 8, 784, 192)],
)
def test_counts_of_tokens_numbers_and_the_attention_matrix(
    figure, side, patch, tokens, size
):
    shown = numbers(figure, side=side, patch=patch, row=0, column=0)
    assert (shown.tokens, shown.size) == (tokens, size)
    drawn = " ".join(texts(figure, shown))
    for text in (f"{tokens + 1:,} with [CLS]", f"{(tokens + 1) ** 2:,}", f"{size:,}"):
        assert text in figure.words(shown)
        assert text in drawn


@pytest.mark.parametrize(("side", "patch"), GRIDS)
def test_the_frames_stand_at_the_same_patch_in_image_and_sequence(figure, side, patch):
    last = side // patch - 1
    for row, column in ((0, 0), (last, last), (last // 2, 1)):
        shown = numbers(figure, side=side, patch=patch, row=row, column=column)
        marks = figure.drawing(shown).marks
        image, _, *tiles = [m for m in marks if isinstance(m, Photo)]
        frames = [m for m in marks if isinstance(m, Box) and m.thick == 3]
        step = image.width / (side // patch)
        assert frames[0].x + 1 == pytest.approx(image.x + column * step)
        assert frames[0].y + 1 == pytest.approx(image.y + row * step)
        assert frames[0].width - 2 == pytest.approx(step)
        (chosen,) = [tile for tile in tiles if tile.x == frames[2].x + 1]
        assert list(shown.tiles)[tiles.index(chosen)] == shown.token


def test_the_sequence_begins_with_cls_and_shows_numbered_neighbours(figure):
    shown = numbers(figure, row=9, column=2)
    assert list(shown.tiles) == list(range(124, 133))
    marks = figure.drawing(shown).marks
    line = [m for m in marks if isinstance(m, Words) and m.text.isdigit()]
    assert [m.text for m in line] == [str(n) for n in range(124, 133)]
    assert "[CLS]" in texts(figure, shown)
    assert texts(figure, shown).count("…") == 2
    assert list(numbers(figure, row=0, column=0).tiles) == list(range(9))
    assert list(numbers(figure, row=13, column=13).tiles) == list(range(187, 196))
    assert list(numbers(figure, patch=112, row=0, column=0).tiles) == [0, 1, 2, 3]
    whole = numbers(figure, patch=112, row=0, column=0)
    assert "…" not in texts(figure, whole)


@pytest.mark.parametrize(("side", "patch"), GRIDS)
def test_nothing_leaves_the_drawing_and_no_two_texts_overlap(side, patch):
    figure = PatchExplorer(scene(), lambda images, patch: torch.zeros(1))
    wrong = PatchExplorer(scene(), upside_down)
    last = side // patch - 1
    for maker, row in itertools.product((figure, wrong), (0, last)):
        shown = numbers(maker, side=side, patch=patch, row=row, column=last)
        drawing = maker.drawing(shown)
        assert (drawing.width, drawing.height) == (640, 420)
        assert "<image" in drawing.svg(maker.words(shown))
        places = [place(m) for m in drawing.marks if isinstance(m, Words)]
        for one, two in itertools.combinations(places, 2):
            apart = one[2] <= two[0] or two[2] <= one[0]
            assert apart or one[3] <= two[1] or two[3] <= one[1]
        for mark in drawing.marks:
            if isinstance(mark, (Box, Photo)):
                places.append(
                    (mark.x, mark.y, mark.x + mark.width, mark.y + mark.height)
                )
            elif isinstance(mark, Arrow):
                places.append((mark.x, mark.y, mark.to_x, mark.to_y))
        for left, top, right, bottom in places:
            assert 0 <= left <= right <= 640 and 0 <= top <= bottom <= 420


def place(mark):
    """Left, top, right, bottom of a text."""
    left, bottom, right, top = extent(mark.text, mark.size, mark.bold)
    x = mark.x - {"start": 0, "middle": 0.5, "end": 1}[mark.anchor] * (right - left)
    return x, mark.y - top, x + right - left, mark.y - bottom


@cache
def extent(text, size, bold):
    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    return TextPath((0, 0), text, size, prop=font).get_extents().extents


def upside_down(images, patch):
    """Right tokens in the order of a page read from its end."""
    return solution_names("05_patches")["patchify"](images, patch).flip(1)


def test_the_words_say_what_the_picture_shows(figure):
    words = figure.words(numbers(figure, side=384, patch=16, row=2, column=5))
    assert "384 × 384 pixels in patches of 16 × 16" in words
    assert "576 tokens, 577 with [CLS], of 768 numbers" in words
    assert "332,929" in words
    assert "row 2, column 5 is token 53." in words


def test_a_right_answer_draws_the_same_pixels(figure):
    own = PatchExplorer(scene(), solution_names("05_patches")["patchify"])
    for side, patch in GRIDS:
        here = {"side": side, "patch": patch, "row": 1, "column": 0}
        ours, yours = numbers(figure, **here), numbers(own, **here)
        assert yours.right and yours.note == "Drawn with your patchify."
        assert ours.tiles.keys() == yours.tiles.keys()
        for token, pixels in ours.tiles.items():
            assert np.array_equal(pixels, yours.tiles[token])


def test_a_wrong_order_is_drawn_and_named(figure):
    wrong = PatchExplorer(scene(), upside_down)
    shown = numbers(wrong, row=0, column=1)
    opposite = numbers(figure, row=13, column=12)
    assert np.array_equal(shown.tiles[1], opposite.tiles[194])
    assert not shown.right
    assert "token 1, whose pixels are not those in the frame." in wrong.words(shown)
    assert "pixels in the frame." in texts(wrong, shown)
    assert "pixels in the frame." not in texts(figure, opposite)


def test_numbers_outside_0_and_1_and_nan_are_drawn():
    def patchify(images, patch):
        tokens = torch.full((1, 196, 768), float("nan"), requires_grad=True)
        return tokens + torch.tensor([7.0, -7.0, float("inf")]).repeat(256)

    figure = PatchExplorer(scene(), patchify)
    shown = numbers(figure)
    assert shown.note == "Drawn with your patchify." and not shown.right
    assert figure.drawing(shown).png()


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, "returns something else"),
        ([1, 2], "returns something else"),
        (torch.zeros(1, 768, 196), "returns something else"),
        (torch.zeros(1, 196, 768, dtype=torch.int64), "returns something else"),
        (torch.zeros(1, 196, 768, device="meta"), "returns something else"),
        (torch.zeros(1, 196, 768).to_sparse(), "returns something else"),
        (NotImplementedError(), "is not written yet"),
        (RuntimeError("shape"), "raised RuntimeError"),
    ],
)
def test_an_answer_that_cannot_be_drawn_is_named(figure, result, said):
    def patchify(images, patch):
        images.mul_(0)  # and the picture stays as it is
        if isinstance(result, Exception):
            raise result
        return result

    own = PatchExplorer(scene(), patchify)
    shown = numbers(own)
    assert f"Your patchify {said}" in own.words(shown)
    assert np.array_equal(shown.tiles[shown.token], numbers(figure).tiles[shown.token])
    assert shown.right and shown.image.any()


def test_the_answer_is_asked_once_for_each_image_and_patch_side():
    asked = []

    def patchify(images, patch):
        asked.append((images.shape[-1], patch))
        return torch.zeros(1, (images.shape[-1] // patch) ** 2, 3 * patch**2)

    figure = PatchExplorer(scene(), patchify)
    for settings in ({}, {"row": 1}, {"patch": 8}, {"row": 3}, {"side": 384}):
        numbers(figure, **settings)
    assert asked == [(224, 16), (224, 8), (384, 16)]


def controls_of(figure):
    controls = figure.controls(ipywidgets)
    figure.adjust(controls)
    return controls


def test_every_patch_side_on_offer_divides_the_image(figure):
    controls = controls_of(figure)
    for side in (224, 384, 224):
        controls["side"].value = side
        figure.adjust(controls)
        assert controls["patch"].options == SIDES[side]
    assert controls["patch"].value == 16


def test_a_smaller_grid_takes_the_nearest_patch_along(figure):
    controls = controls_of(figure)
    controls["row"].value, controls["column"].value = 13, 2
    controls["patch"].value = 56
    figure.adjust(controls)
    assert (controls["row"].value, controls["column"].value) == (3, 2)
    assert controls["row"].max == controls["column"].max == 3


def test_the_buttons_step_through_the_tokens_and_stop_at_both_ends(figure):
    controls = controls_of(figure)
    row, column = controls["row"], controls["column"]
    row.value, column.value = 3, 13
    controls["Next token"].click()
    assert (row.value, column.value) == (4, 0)
    controls["Previous token"].click()
    assert (row.value, column.value) == (3, 13)
    for place, button in ((0, "Previous token"), (13, "Next token")):
        row.value = column.value = place
        controls[button].click()
        assert (row.value, column.value) == (place, place)


def test_the_figure_redraws_when_a_control_moves(figure):
    above, svg, line = figure._box().children
    side, patch, row, column, buttons = above.children
    before = svg.value
    buttons.children[1].click()
    assert svg.value != before and "row 9, column 3 is token 129" in line.value
    side.value = 384
    assert "576 tokens" in line.value
    patch.value, row.value, column.value = 192, 1, 1
    assert "row 1, column 1 is token 3" in line.value
