"""Lesson 5's figure: an image as a grid of patches, and the patches as a sequence."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
import torch.nn.functional as F

from support.figures.drawing import Arrow, Box, Drawing, Photo, Words, ink
from support.figures.figure import Figure, Own
from support.plots import COLOURS


@dataclass(frozen=True)
class _Patches:
    image: np.ndarray  # (side, side, 3) of uint8, as all pixels here
    patch: int
    row: int
    column: int
    across: int  # patches in a row
    token: int  # the chosen one, counted without [CLS]
    tokens: int  # how many there are, without [CLS]
    size: int  # numbers in one token
    tiles: dict  # token → its pixels, for some tokens around the chosen one
    right: bool  # does the chosen token hold the pixels in the frame?
    note: str  # whose tokens are drawn


class PatchExplorer(Figure):
    """One patch of an image: its place, its pixels, its place in the sequence.

    `scene` is a picture (1, 3, 224, 224) of numbers from 0 to 1. `patchify` is the
    learner's function, whose tokens are drawn.
    """

    def __init__(self, scene, patchify=None, **settings):
        start = {"side": 224, "patch": 16, "row": 9, "column": 2}
        super().__init__(**start | settings)
        larger = F.interpolate(scene, (384, 384), mode="bilinear")
        self.images = {scene.shape[-1]: scene, 384: larger}
        self.patchify = patchify
        self.cut = cache(self._cut)  # once for each image and patch side

    def _cut(self, side, patch):
        """The learner's tokens of an image, or None, and whose tokens are drawn."""
        image = self.images[side]
        shape = 1, (side // patch) ** 2, image[..., :patch, :patch].numel()
        own = Own(lambda *_: None, self.patchify, lambda made: _fits(made, shape))
        return own(image.clone(), patch), own.note

    def controls(self, widgets):
        """Sliders and buttons: a key leaves the focus on them, in every notebook."""
        now, style = self.settings, {"description_width": "initial"}
        controls = {}
        for name, label, options in (
            ("side", "Image, pixels a side", tuple(self.images)),
            ("patch", "P, pixels a side", (now["patch"],)),
        ):
            choice = {"options": options, "value": now[name], "description": label}
            controls[name] = widgets.SelectionSlider(**choice, style=style)
        for name, label in (("row", "Row"), ("column", "Column")):
            ends = 0, now["side"] // now["patch"] - 1
            controls[name] = widgets.IntSlider(
                now[name], *ends, description=label, style=style
            )
        for label, by in (("Previous token", -1), ("Next token", 1)):
            controls[label] = widgets.Button(description=label)
            controls[label].on_click(lambda _, by=by: _step(controls, by))
        return controls

    def arrange(self, widgets, controls):
        *sliders, back, on = controls.values()
        wrap = widgets.Layout(flex_flow="row wrap")  # narrow screens
        return widgets.HBox([*sliders, widgets.HBox([back, on])], layout=wrap)

    def adjust(self, controls):
        """Offer patch sides that divide the image, and places on its grid."""
        side, patch = controls["side"].value, controls["patch"]
        options = tuple(p for p in range(8, side // 2 + 1) if side % p == 0)
        if patch.options != options:
            nearest = min(options, key=lambda p: abs(p - patch.value))
            patch.options = options
            patch.value = nearest
        controls["row"].max = controls["column"].max = side // patch.value - 1

    def numbers(self, side, patch, row, column):
        image, across = self.images[side][0], side // patch
        token, tokens = row * across + column, across * across
        made, note = self.cut(side, patch)

        def framed(token):
            y, x = (patch * place for place in divmod(token, across))
            return image[:, y : y + patch, x : x + patch]

        def pixels(token):
            own = framed(token)
            return _pixels(own if made is None else made[0, token].reshape(own.shape))

        first = max(0, min(token - 4, tokens - 9))  # 9 fit on the page
        tiles = {n: pixels(n) for n in range(first, min(first + 9, tokens))}
        place = patch, row, column, across, token, tokens, framed(0).numel()
        right = np.array_equal(tiles[token], _pixels(framed(token)))
        return _Patches(_pixels(image), *place, tiles, right, note)

    def drawing(self, numbers):
        n = numbers.tokens
        title = f"{n:,} patches make a sequence of {n + 1:,} tokens, [CLS] first"
        marks = [Words(320, 20, title, 15, "middle", bold=True), *_grid(numbers)]
        return Drawing(640, 420, (*marks, *_chosen(numbers), *_sequence(numbers)))

    def words(self, numbers):
        n, side = numbers.tokens, len(numbers.image)
        wrong = "" if numbers.right else ", whose pixels are not those in the frame"
        return (
            f"An image of {side} × {side} pixels in patches of {numbers.patch} × "
            f"{numbers.patch}: {n:,} tokens, {n + 1:,} with [CLS], of {numbers.size:,} "
            f"numbers each; one attention matrix holds {(n + 1) ** 2:,}. The patch in "
            f"row {numbers.row}, column {numbers.column} is token {numbers.token:,}"
            f"{wrong}. {numbers.note}"
        ).strip()


def _step(controls, by):
    """Choose the next token or the one before, as far as there is one."""
    row, column = controls["row"], controls["column"]
    across = row.max + 1
    token = row.value * across + column.value + by
    if 0 <= token < across * across:
        row.value, column.value = divmod(token, across)


def _fits(made, shape):
    return (
        isinstance(made, torch.Tensor)
        and made.shape == shape
        and made.is_floating_point()
        and (made.layout, made.device.type) == (torch.strided, "cpu")
    )


def _pixels(image):
    """(3, rows, columns) of numbers from 0 to 1 → (rows, columns, 3) of uint8."""
    shades = image.detach().nan_to_num(0).clamp(0, 1) * 255
    return shades.round().byte().permute(1, 2, 0).numpy()


def _framed(x, y, wide, high):
    """A frame that shows on any picture and any page."""
    place = x - 1, y - 1, wide + 2, high + 2
    return Box(*place, line="#000000", thick=5), Box(
        *place, line=COLOURS["other"], thick=3
    )


def _grid(block):
    """The image under its grid, with the chosen patch framed."""
    x, y, side = 12, 36, 250
    step = side / block.across
    marks = [Photo(x, y, side, side, block.image)]
    for n in range(1, block.across):
        ends = (
            (x + n * step, y, x + n * step, y + side),
            (x, y + n * step, x + side, y + n * step),
        )
        marks += [Arrow(*end, "#FFFFFF", 0.6, head=False) for end in ends]
    marks += _framed(x + block.column * step, y + block.row * step, step, step)
    text = f"{len(block.image)} × {len(block.image)} pixels, P = {block.patch}"
    return [*marks, Words(x, y + side + 18, text, 12)]


def _chosen(block):
    """The chosen patch, large, and the counts."""
    n, across = block.tokens, block.across
    place = f"{block.row} · {across} + {block.column} = {block.token:,}"
    beside = [
        f"row {block.row}, column {block.column}",
        place,
        f"token {block.token:,}",
    ]
    wrong = () if block.right else ("These are not the", "pixels in the frame.")
    below = (
        f"{across} · {across} = {n:,} tokens, {n + 1:,} with [CLS]",
        f"3 · {block.patch}² = {block.size:,} numbers in a token",
        f"{n + 1:,}² = {(n + 1) ** 2:,} attention weights a head",
    )
    return [
        Photo(290, 36, 150, 150, block.tiles[block.token]),
        *_framed(290, 36, 150, 150),
        *(Words(456, 50 + 20 * i, line) for i, line in enumerate(beside)),
        *(Words(456, 130 + 18 * i, line) for i, line in enumerate(wrong)),
        *(Words(290, 220 + 22 * i, line) for i, line in enumerate(below)),
    ]


def _sequence(block):
    """[CLS] and the tokens around the chosen one, in a line."""
    y, side, fill = 334, 46, COLOURS["embedding"]
    marks = [
        Box(12, y, side, side, fill),
        Words(35, y + 28, "[CLS]", 13, "middle", ink(fill)),
    ]
    for n, (token, pixels) in enumerate(block.tiles.items()):
        x = 90 + 56 * n
        thin = max(1, len(pixels) // side)
        marks += [Photo(x, y, side, side, pixels[::thin, ::thin])]
        marks += [Words(x + 23, y + 64, f"{token:,}", 12, "middle")]
        if token == block.token:
            marks += _framed(x, y, side, side)
    first, *_, last = block.tiles
    marks += [Words(73, y + 28, "…", 15, "middle")] * (first > 0)
    return [
        *marks,
        *[Words(605, y + 28, "…", 15, "middle")] * (last < block.tokens - 1),
    ]
