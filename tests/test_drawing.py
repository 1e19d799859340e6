"""Drawings as SVG and PNG, and the figures that show them and follow controls."""

import base64
import html
import io
import random
import re
import xml.etree.ElementTree as ET

import ipywidgets
import numpy as np
import pytest
from matplotlib.image import imread

import support.figures.figure
from support.figures.drawing import (
    GREY,
    PAGE,
    TEXT,
    Arrow,
    Box,
    Drawing,
    Photo,
    Words,
    ink,
    luminance,
)
from support.figures.figure import WIDGET, Figure, Own, bundle, spoken
from support.plots import COLOURS

PIXELS = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 0]]], np.uint8)
BLUE = "#0000FF"
MARKS = {
    "box": Box(10, 10, 30, 20, BLUE),
    "frame": Box(10, 10, 30, 20, line=BLUE, thick=3),
    "words": Words(10, 30, "Text", 20, colour=BLUE),
    "words of the page": Words(10, 30, "Text", 20, bold=True),
    "arrow": Arrow(10, 20, 50, 20, BLUE),
    "line": Arrow(10, 20, 50, 20, BLUE, head=False),
    "photo": Photo(10, 10, 30, 20, PIXELS),
}
ODD = """<b> & "quotes" 'and' $x$, \\alpha, 100 %, 2 < 3 > 1"""


def drawn(*marks, width=60, height=40):
    return Drawing(width, height, marks)


def elements(*marks):
    """The tags within the SVG of some marks."""
    return list(ET.fromstring(drawn(*marks).svg("alt")))


def pixels(*marks, **size):
    """The PNG of some marks: (height, width, 3) of numbers from 0 to 1."""
    return imread(io.BytesIO(drawn(*marks, **size).png()))[..., :3]


def where(image, colour):
    """Left, top, right, bottom of the pixels of exactly one colour (red, green, blue).

    Edges that fall between pixels are blends, so an extent is right within one pixel.
    """
    rows, columns = np.nonzero(np.isclose(image, colour, atol=0.02).all(-1))
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


def contrast(one, two):
    """As WCAG 2 defines it: from 1 (the same) to 21 (black on white)."""
    low, high = sorted([luminance(one), luminance(two)])
    return (high + 0.05) / (low + 0.05)


def test_an_svg_is_well_formed_and_has_the_size_and_the_marks_in_order():
    svg = ET.fromstring(drawn(*MARKS.values()).svg("alt"))
    assert svg.tag == "svg"
    assert svg.get("viewBox") == "0 0 60 40"
    names = ["rect", "rect", "text", "text", "line", "polygon", "line", "image"]
    assert [element.tag for element in svg] == names


@pytest.mark.parametrize("alt", ["A plain line.", ODD, ""])
def test_the_alt_text_is_the_label_of_an_image(alt):
    svg = ET.fromstring(drawn().svg(alt))
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == alt


def test_the_page_gives_the_colours_where_a_mark_has_none():
    svg = ET.fromstring(drawn(Words(1, 2, "x"), Arrow(0, 0, 9, 9)).svg("alt"))
    style = dict(item.split(":", 1) for item in svg.get("style").split(";"))
    assert (style["background"], style["color"]) == (PAGE, TEXT)
    text, line, head = svg
    assert text.get("fill") == line.get("stroke") == head.get("fill") == "currentColor"


def test_text_is_escaped_and_says_the_same():
    (text,) = elements(Words(1, 2, ODD))
    assert text.text == ODD and len(text) == 0


def test_an_svg_has_the_places_and_looks_of_its_marks():
    box, text, line, head = elements(
        Box(1, 2, 30.25, 4, BLUE, "#FF0000", 2),
        Words(5, 6, "x", 14, "end", GREY, bold=True),
        Arrow(1, 2, 33, 4, BLUE, 2.5),
    )
    places = [box.get(name) for name in ("x", "y", "width", "height")]
    assert places == ["1.0", "2.0", "30.2", "4.0"]
    looks = [box.get(name) for name in ("fill", "stroke", "stroke-width")]
    assert looks == [BLUE, "#FF0000", "2"]
    names = "x", "y", "font-size", "text-anchor", "fill", "font-weight"
    wanted = ["5.0", "6.0", "14", "end", GREY, "bold"]
    assert [text.get(name) for name in names] == wanted
    ends = [line.get(name) for name in ("x1", "y1", "x2", "y2")]
    assert ends == ["1.0", "2.0", "33.0", "4.0"]
    assert (line.get("stroke"), line.get("stroke-width")) == (BLUE, "2.5")
    assert head.get("fill") == BLUE


def test_a_box_without_fill_or_line_leaves_them_out():
    box, frame = elements(Box(1, 2, 3, 4, BLUE), Box(1, 2, 3, 4, line=BLUE))
    assert box.get("stroke") is None
    assert frame.get("fill") == "none"


@pytest.mark.parametrize("turn", range(8))
def test_an_arrow_has_its_tip_at_the_end_and_its_corners_behind(turn):
    angle = turn * np.pi / 4
    start, along = np.array([100.0, 100.0]), np.array([np.cos(angle), np.sin(angle)])
    end = start + 50 * along
    head = elements(Arrow(*start, *end))[1]
    corners = np.array([c.split(",") for c in head.get("points").split()], float)
    assert corners[0] == pytest.approx(end, abs=0.06)
    for corner in corners[1:]:
        assert (end - corner) @ along == pytest.approx(7, abs=0.2)
        assert np.hypot(*(end - corner)) == pytest.approx(np.hypot(7, 4), abs=0.2)
    assert np.hypot(*(corners[1] - corners[2])) == pytest.approx(8, abs=0.2)


def test_an_arrow_without_length_has_no_odd_numbers():
    head = elements(Arrow(5, 5, 5, 5))[1]
    assert head.get("points") == "5.0,5.0 5.0,5.0 5.0,5.0"
    pixels(Arrow(5, 5, 5, 5))


def test_only_an_arrow_with_a_head_has_one_in_the_png():
    arrow, line = (pixels(MARKS[name])[..., 0] for name in ("arrow", "line"))
    beside = np.s_[12:18, 43:50]  # above the line, near its end
    assert (arrow[beside] < 0.5).any()
    assert line[beside].min() == 1


def test_a_photo_in_an_svg_has_the_very_pixels():
    (image,) = elements(MARKS["photo"])
    kind, data = image.get("href").split(",")
    assert kind == "data:image/png;base64"
    read = imread(io.BytesIO(base64.b64decode(data)))[..., :3]
    assert np.array_equal((read * 255).round().astype(np.uint8), PIXELS)
    assert "pixelated" in image.get("style")


@pytest.mark.parametrize(
    "size", [(640, 420), (640, 415), (640, 390), (1, 1), (29, 57), (113, 1001)]
)
def test_a_png_has_the_size_of_the_drawing(size):
    data = drawn(width=size[0], height=size[1]).png()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert imread(io.BytesIO(data)).shape[:2] == size[::-1]


@pytest.mark.parametrize("name", MARKS)
def test_every_kind_of_mark_is_seen_in_both_pictures(name):
    assert elements() == []
    assert elements(MARKS[name])
    assert pixels().min() == 1
    assert (pixels(MARKS[name]) < 0.9).any(-1).sum() > 20


def test_a_png_is_the_same_every_time():
    assert len({drawn(*MARKS.values()).png() for _ in range(2)}) == 1


def test_boxes_and_photos_stand_in_the_png_where_they_stand_in_the_svg():
    assert where(pixels(MARKS["box"]), (0, 0, 1)) == (10, 10, 40, 30)
    image = pixels(MARKS["photo"])
    assert where(image, (1, 0, 0)) == pytest.approx((10, 10, 25, 20), abs=1)
    assert where(image, (1, 1, 0)) == pytest.approx((25, 20, 40, 30), abs=1)


@pytest.mark.parametrize(
    ("anchor", "part"), [("start", 0), ("middle", 0.5), ("end", 1)]
)
def test_words_stand_on_their_baseline_left_of_right_of_or_around_x(anchor, part):
    image = pixels(Words(100, 30, "HHHH", 20, anchor), width=200)
    left, top, right, bottom = where(image, (0, 0, 0))
    assert left + part * (right - left) == pytest.approx(100, abs=3)
    assert bottom == pytest.approx(30, abs=1)
    assert bottom - top == pytest.approx(0.73 * 20, abs=1.5)  # height of capitals


def test_text_of_the_png_is_never_read_as_a_formula():
    assert (pixels(Words(5, 20, ODD, 12), width=400) < 0.5).any()
    one = pixels(Words(5, 20, "$", 12))
    two = pixels(Words(5, 20, "$$", 12))
    assert np.array_equal(one[:, :12], two[:, :12])
    assert (one < 0.5).any() and (two[:, 13:] < 0.5).any()


@pytest.mark.parametrize("name", MARKS)
def test_later_marks_lie_on_top_in_the_png_too(name):
    cover = Box(0, 0, 60, 40, "#FFFFFF")
    assert pixels(MARKS[name], cover).min() == 1
    assert pixels(cover, MARKS[name]).min() < 0.5


def random_colours():
    source = random.Random(1)
    return [f"#{source.randrange(2**24):06X}" for _ in range(2000)]


@pytest.mark.parametrize(
    "fills",
    [
        [*COLOURS.values(), GREY, "#000000", "#FFFFFF"],
        [f"#{n:02X}{n:02X}{n:02X}" for n in range(256)],
        random_colours(),
    ],
    ids=["palette", "greys", "random"],
)
def test_ink_reads_on_every_colour(fills):
    for fill in fills:
        assert ink(fill) in ("#000000", "#FFFFFF")
        assert contrast(ink(fill), fill) >= 4.5, fill


def test_luminance_is_that_of_wcag():
    assert luminance("#000000") == 0
    assert luminance("#FFFFFF") == pytest.approx(1)
    assert luminance("#FF0000") == pytest.approx(0.2126)
    assert luminance("#00FF00") == pytest.approx(0.7152)
    assert luminance("#0000FF") == pytest.approx(0.0722)
    # WCAG's own example of a grey that just passes on white
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.005)
    assert ink("#000000") == "#FFFFFF" and ink("#FFFFFF") == "#000000"


class Tower(Figure):
    """Bricks that must not be more than the most; what was asked for is noted."""

    def __init__(self, **settings):
        super().__init__(**{"bricks": 2, "most": 5} | settings)
        self.asked, self.adjusted = [], 0

    def controls(self, widgets):
        sliders = {
            name: widgets.IntSlider(value, 0, 9)
            for name, value in self.settings.items()
        }
        return sliders | {"more": widgets.Button(description="more")}

    def adjust(self, controls):
        self.adjusted += 1
        controls["bricks"].max = controls["most"].value

    def numbers(self, bricks, most):
        self.asked.append((bricks, most))
        if bricks == 7:
            raise ValueError("seven")
        return bricks

    def drawing(self, numbers):
        boxes = (Box(5, 90 - 10 * n, 20, 9, BLUE) for n in range(numbers))
        return Drawing(100, 100, tuple(boxes))

    def words(self, numbers):
        return f"{numbers} bricks & a <roof>"


@pytest.fixture
def tower():
    """The figure, its sliders, and a function that reads what is on the screen."""
    figure = Tower()
    above, picture, line = figure._box().children
    bricks, most, more = above.children
    assert isinstance(more, ipywidgets.Button)

    def seen():
        svg = ET.fromstring(picture.value)
        words = ET.fromstring(line.value).text
        assert svg.get("aria-label") == words
        return len(svg), words

    return figure, bricks, most, seen


def test_a_figure_starts_with_its_settings(tower):
    figure, _, _, seen = tower
    assert seen() == (2, "2 bricks & a <roof>")
    assert figure.asked == [(2, 5)]


def test_a_figure_redraws_when_a_control_changes(tower):
    figure, bricks, most, seen = tower
    for value in (3, 0, 5):
        bricks.value = value
        assert seen() == (value, f"{value} bricks & a <roof>")
    most.value = 8
    assert figure.asked[1:] == [(3, 5), (0, 5), (5, 5), (5, 8)]


def test_controls_are_adjusted_before_every_redraw_without_another_redraw(tower):
    figure, bricks, most, seen = tower
    bricks.value = 4
    before = len(figure.asked)
    most.value = 1  # moves the bricks, too
    assert bricks.value == 1 and seen()[0] == 1
    assert figure.asked[before:] == [(1, 1)]
    assert figure.adjusted == len(figure.asked)
    most.value = 9
    bricks.value = 9
    assert seen()[0] == 9


def test_an_error_in_a_redraw_does_not_stop_the_next_one(tower):
    _, bricks, most, seen = tower
    most.value = 9
    with pytest.raises(ValueError, match="seven"):
        bricks.value = 7
    bricks.value = 6
    assert seen()[0] == 6


def test_a_figure_shown_twice_has_two_sets_of_controls():
    figure = Tower()
    one, two = figure._box(), figure._box()
    one.children[0].children[0].value = 4
    assert "4 bricks" in one.children[2].value
    assert "2 bricks" in two.children[2].value


def test_a_figure_carries_a_widget_a_picture_and_a_text(capsys):
    figure = Tower(bricks=3)
    data, metadata = figure._repr_mimebundle_()
    assert set(data) == {WIDGET, "image/png", "text/plain"}
    assert data["text/plain"] == "3 bricks & a <roof>"
    assert metadata == {"image/png": {"alt": "3 bricks & a <roof>"}}
    assert base64.b64decode(data["image/png"]) == figure.drawing(3).png()
    assert data[WIDGET]["version_major"] == 2
    assert capsys.readouterr().out == ""


def test_a_figure_without_ipywidgets_is_a_picture_that_says_why(monkeypatch, capsys):
    monkeypatch.setattr(support.figures.figure, "ipywidgets", None)
    data, metadata = Tower()._repr_mimebundle_()
    assert set(data) == {"image/png", "text/plain"}
    assert data["text/plain"] == metadata["image/png"]["alt"] == "2 bricks & a <roof>"
    assert capsys.readouterr().out == (
        "The controls need the package ipywidgets, which is not installed here.\n"
    )


@pytest.mark.parametrize("png", [None, b"png"])
@pytest.mark.parametrize("box", [False, True])
def test_a_bundle_has_what_there_is(png, box, capsys):
    widget = ipywidgets.VBox() if box else None
    data, metadata = bundle("words", widget, png)
    assert data["text/plain"] == "words"
    assert ("image/png" in data) == ("image/png" in metadata) == (png is not None)
    assert (WIDGET in data) == box
    assert ("ipywidgets" in capsys.readouterr().out) == (not box)
    if box:
        assert data[WIDGET]["model_id"] == widget.model_id
    if png:
        assert base64.b64decode(data["image/png"]) == png


def test_spoken_words_are_escaped_and_said_again():
    line = spoken(ODD)
    assert ET.fromstring(line).text == ODD
    assert ET.fromstring(line).get("role") == "status"
    assert html.unescape(re.sub("<.*?>", "", line)) == ODD


def ours(x, extra=0):
    return x + extra


def own(yours, fits=lambda result: isinstance(result, int)):
    return Own(ours, yours, fits)


def test_without_your_function_the_courses_is_used_and_nothing_is_said():
    function = own(None)
    assert function(2, extra=1) == 3
    assert function.note == ""


def test_your_function_is_used_where_it_gives_something_usable():
    def double(x, extra=0):
        return 2 * x + extra

    function = own(double)
    assert function(5, extra=1) == 11
    assert function.note == "Drawn with your double."


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("text", "returns something else than expected here"),
        (None, "returns something else than expected here"),
        (NotImplementedError(), "is not written yet"),
        (ZeroDivisionError(), "raised ZeroDivisionError"),
        (KeyError("rows"), "raised KeyError"),
        (AssertionError(), "raised AssertionError"),
    ],
)
def test_the_courses_function_steps_in_and_the_note_says_why(end, said):
    def double(x, extra=0):
        if isinstance(end, Exception):
            raise end
        return end

    function = own(double)
    assert function(5, extra=1) == 6
    assert function.note == f"Your double {said}; drawn with the course's own numbers."


def test_a_result_that_cannot_even_be_looked_at_is_not_used():
    function = own(lambda x: x, fits=lambda result: result.shape)
    assert function(5) == 5
    assert "raised AttributeError; drawn with the course's" in function.note


def test_the_note_is_that_of_the_last_call():
    function = own(lambda x: 10 // x)
    assert (function(0), "raised ZeroDivisionError" in function.note) == (0, True)
    assert (function(5), function.note) == (2, "Drawn with your <lambda>.")


def test_stopping_by_hand_stops_a_figure():
    def stopped(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        own(stopped)(1)
