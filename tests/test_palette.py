"""The colours of the series are told apart, and text is read on all of them."""

import itertools
import re
from functools import cache
from pathlib import Path

import jupyterlab
import numpy as np
import pytest
from lesson_runner import given_names
from matplotlib.colors import to_hex, to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from support.figures.block_explorer import BlockExplorer
from support.figures.budget_bars import BudgetBars
from support.figures.cache_stepper import CacheStepper
from support.figures.drawing import GREY, PAGE, TEXT, Box, Photo, Words, luminance
from support.figures.patch_explorer import PatchExplorer
from support.figures.temperature_bars import TemperatureBars
from support.plots import COLOURS
from support.tiny_gpt import TinyGPT
from support.training import letter_codec, train

# What linear RGB becomes for eyes without one of the three kinds of cones: Machado,
# Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", IEEE Trans. Vis. Comput. Graph. 15(6), 2009, severity 1.0.
SIGHTS = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
# sRGB to XYZ (IEC 61966-2-1); its rows sum to the white D65.
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
APART = 15.0  # in CIELAB, where about 2.3 is the least that is seen side by side
READABLE = 4.5  # WCAG 2, level AA, for text
VISIBLE = 3.0  # the same for what is no text


def linear(colour):
    """Linear RGB of a colour, each from 0 to 1."""
    parts = np.array(to_rgb(colour))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIELAB of linear RGB."""
    share = XYZ @ rgb / XYZ.sum(1)
    low = share / (3 * (6 / 29) ** 2) + 4 / 29
    f = np.where(share > (6 / 29) ** 3, np.cbrt(share), low)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def seen(colour, sight):
    return lab(np.clip(SIGHTS[sight] @ linear(colour), 0, 1))


def distance(one, two, sight):
    return np.linalg.norm(seen(one, sight) - seen(two, sight))


def contrast(one, two):
    """As WCAG 2 defines it: from 1 (the same) to 21 (black on white)."""
    low, high = sorted(luminance(to_hex(colour)) for colour in (one, two))
    return (high + 0.05) / (low + 0.05)


def test_lab_is_that_of_the_textbooks():
    assert lab(linear("#FFFFFF")) == pytest.approx([100, 0, 0], abs=0.01)
    assert lab(linear("#FF0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.02)
    assert lab(linear("#0000FF")) == pytest.approx([32.30, 79.19, -107.86], abs=0.02)


@pytest.mark.parametrize("sight", SIGHTS)
def test_no_sight_changes_greys(sight):
    for grey in ("#000000", "#808080", "#FFFFFF"):
        assert seen(grey, sight) == pytest.approx(lab(linear(grey)), abs=0.01)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("pair", [*itertools.combinations(COLOURS, 2)], ids=str)
def test_all_eyes_tell_every_pair_of_colours_apart(pair, sight):
    one, two = (COLOURS[part] for part in pair)
    assert distance(one, two, sight) >= APART


@pytest.mark.parametrize(
    ("colours", "sight"),
    [
        (("#D62728", "#2CA02C"), "deuteranopia"),  # red and green of matplotlib
        (("#FF0000", "#00A000"), "deuteranopia"),
        (("#FF7F0E", "#2CA02C"), "protanopia"),  # its orange and green
        (("#1F77B4", "#9467BD"), "protanopia"),  # its blue and purple
        (("#0072B2", "#008080"), "tritanopia"),  # blue and teal
    ],
)
def test_the_bound_notices_colours_that_some_eyes_confuse(colours, sight):
    assert distance(*colours, "all cones") >= APART
    assert distance(*colours, sight) < APART


@cache
def figures():
    """The five figures, with models that have learned for a moment."""
    corpus = given_names("04_kv_cache")["corpus"]
    encode, decode, vocab = letter_codec(corpus)
    parts = []
    for kind in (TinyGPT, given_names("04_kv_cache")["TinyGPT"]):
        model = kind(vocab, context=20, d_model=32, n_heads=4, n_layers=2)
        train(model, encode(corpus), steps=60)
        parts.append((model, encode, decode))

    def patchify(images, patch):  # wrong: goes down the columns
        grid = images.unfold(2, patch, patch).unfold(3, patch, patch)
        return grid.transpose(2, 3).permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)

    return {
        "block_explorer": BlockExplorer(),
        "budget_bars": BudgetBars(),
        "temperature_bars": TemperatureBars(*parts[0]),
        "cache_stepper": CacheStepper(*parts[1]),
        "patch_explorer": PatchExplorer(given_names("05_patches")["scene"], patchify),
    }


ORDERS, BOTH = ("pre-LN", "post-LN"), "encoder–decoder"
SETTINGS = {
    "block_explorer": [
        {},
        *({"order": order, "part": "MLP"} for order in ORDERS),
        *({"order": order, "family": BOTH, "part": "LN 3"} for order in ORDERS),
        {"family": "decoder-only", "tokens": 12, "d_model": 1024, "n_heads": 64},
    ],
    "budget_bars": [
        {},
        {"d_model": 8192, "n_layers": 96, "vocab": 130_000, "tied": False},
        {"d_model": 64, "n_layers": 1, "vocab": 1000, "context": 131_072},
        {"d_model": 1600, "n_layers": 48, "context": 64},
        *({"n_layers": n, "vocab": 32_000} for n in (2, 3, 4, 6, 8, 16, 32, 64)),
    ],
    "temperature_bars": [
        {},
        {"temperature": 0.0},
        {"temperature": 3.0, "top_k": 5},
        {"temperature": 0.3, "top_p": 0.3, "prompt": ""},
    ],
    "cache_stepper": [
        {},
        {"tokens": 0},
        {"tokens": 16, "temperature": 1.0},
        {"tokens": 16, "mask": "none (encoder)"},
    ],
    "patch_explorer": [
        {},
        {"patch": 8, "row": 27, "column": 27},
        {"side": 384, "patch": 192, "row": 0, "column": 0},
        {"patch": 112, "row": 1, "column": 1},
    ],
}
SHOWN = [(name, now) for name, settings in SETTINGS.items() for now in settings]


def marks_of(name, settings):
    """The marks of a figure, without words of no ink."""
    figure = figures()[name]
    marks = figure.drawing(figure.numbers(**figure.settings | settings)).marks
    return [m for m in marks if not isinstance(m, Words) or m.text.strip()]


@cache
def extent(text, size, bold):
    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    return TextPath((0, 0), text, size, prop=font).get_extents().extents


def place(mark):
    """Left, top, right, bottom of a mark."""
    if not isinstance(mark, Words):
        return mark.x, mark.y, mark.x + mark.width, mark.y + mark.height
    left, bottom, right, top = extent(mark.text, mark.size, mark.bold)
    x = mark.x - {"start": 0, "middle": 0.5, "end": 1}[mark.anchor] * (right - left)
    return x, mark.y - top, x + right - left, mark.y - bottom


def meet(one, two):
    (left, top, right, bottom), (x, y, to_x, to_y) = place(one), place(two)
    return left < to_x and x < right and top < to_y and y < bottom


def covers(box, words):
    (left, top, right, bottom), (x, y, to_x, to_y) = place(box), place(words)
    return left <= x and to_x <= right and top <= y and to_y <= bottom


def grounds(marks):
    """The marks that paint an area."""
    return [m for m in marks if isinstance(m, Photo) or (isinstance(m, Box) and m.fill)]


@pytest.mark.parametrize(("name", "settings"), SHOWN)
def test_text_with_a_colour_lies_on_a_box_on_which_it_reads(name, settings):
    marks = marks_of(name, settings)
    for order, words in enumerate(marks):
        if isinstance(words, Words) and words.colour != "currentColor":
            below = [m for m in grounds(marks[:order]) if meet(m, words)]
            assert below and covers(below[-1], words), words.text
            assert contrast(words.colour, below[-1].fill) >= READABLE, words.text
            assert not any(meet(m, words) for m in grounds(marks[order:])), words.text


@pytest.mark.parametrize(("name", "settings"), SHOWN)
def test_text_of_the_page_lies_on_the_page(name, settings):
    marks = marks_of(name, settings)
    texts = [m for m in marks if isinstance(m, Words) and m.colour == "currentColor"]
    assert len(texts) > 3 and len(grounds(marks)) > 1
    for words, ground in itertools.product(texts, grounds(marks)):
        assert not meet(words, ground), words.text


def test_the_figures_have_text_on_the_page_on_boxes_and_beside_photos():
    kinds = {name: set() for name in SETTINGS}
    for name, settings in SHOWN:
        for mark in marks_of(name, settings):
            own = isinstance(mark, Words) and mark.colour != "currentColor"
            kinds[name].add("text with a colour" if own else type(mark).__name__)
    with_a_colour = {name for name in kinds if "text with a colour" in kinds[name]}
    assert with_a_colour == {"block_explorer", "budget_bars", "patch_explorer"}
    assert "Photo" in kinds["patch_explorer"]


def theme_colour(theme, variable):
    """(red, green, blue, opacity) of a CSS variable of a theme of JupyterLab."""
    folder = Path(jupyterlab.__file__).parent / "themes" / "@jupyterlab"
    css = (folder / f"theme-{theme}-extension" / "index.css").read_text()
    value = re.search(rf"{variable}:\s*([^;]+);", css)[1]
    if parts := re.fullmatch(r"rgba\((.*)\)", value):
        *rgb, opacity = map(float, parts[1].split(","))
        return *(part / 255 for part in rgb), opacity
    return *to_rgb(value), 1.0


def page_of(theme):
    """The page's colour and its text's colour in a theme; "" where there is none."""
    names = (re.fullmatch(r"var\((--[\w-]+), (#\w+)\)", css) for css in (PAGE, TEXT))
    (page, white), (text, black) = (name.groups() for name in names)
    if not theme:
        return white, black
    *page, opacity = theme_colour(theme, page)
    assert opacity == 1
    *text, opacity = theme_colour(theme, text)
    return page, [
        opacity * t + (1 - opacity) * p for t, p in zip(text, page, strict=True)
    ]


@pytest.mark.parametrize("theme", ["light", "dark", ""])
def test_the_text_of_a_page_reads_on_it_and_grey_is_seen(theme):
    page, text = page_of(theme)
    assert contrast(page, text) >= READABLE
    assert contrast(page, GREY) >= VISIBLE


def test_the_themes_are_a_light_and_a_dark_one():
    light, dark = (luminance(to_hex(page_of(theme)[0])) for theme in ("light", "dark"))
    assert light == pytest.approx(1) and dark < 0.01
