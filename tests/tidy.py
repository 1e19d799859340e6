"""Is a drawing tidy: every mark inside it, texts large enough and apart?"""

import itertools
from functools import cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from support.figures.drawing import Arrow, Box, Words


def assert_tidy(drawing):
    lines = []
    for mark in drawing.marks:
        left, top, right, bottom = _outline(mark)
        assert left >= 0 and top >= 0, mark
        assert right <= drawing.width and bottom <= drawing.height, mark
        if isinstance(mark, Words):
            assert mark.size >= 12
            lines.append((left, top, right, bottom))
    for one, two in itertools.combinations(lines, 2):
        apart = one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1]
        assert apart or two[3] <= one[1], (one, two)


def _outline(mark):
    """Left, top, right and bottom of a mark."""
    if isinstance(mark, Box):
        return mark.x, mark.y, mark.x + mark.width, mark.y + mark.height
    if isinstance(mark, Arrow):
        (left, right), ys = sorted((mark.x, mark.to_x)), sorted((mark.y, mark.to_y))
        half = 4 if mark.head else mark.thick / 2
        return left - half, ys[0], right + half, ys[1]
    width = _width(mark.text, mark.size, mark.bold)
    left = mark.x - width * {"start": 0, "middle": 0.5, "end": 1}[mark.anchor]
    return left, mark.y - 0.8 * mark.size, left + width, mark.y + 0.2 * mark.size


@cache
def _width(text, size, bold):
    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    font.set_size(size)
    return text_to_path.get_text_width_height_descent(text, font, False)[0]
