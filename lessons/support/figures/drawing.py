"""Drawings as lists of marks, shown as SVG text or as a PNG.

Lengths are pixels from the top left corner. A mark without a colour takes the page's
text colour, so that a drawing fits a light and a dark theme; the PNG is black on white.
"""

import base64
import io
from dataclasses import dataclass
from html import escape

import numpy as np
from matplotlib.figure import Figure as Canvas
from matplotlib.image import imsave
from matplotlib.patches import Rectangle

# The page's own colours where it has names for them, else black on white.
PAGE = "var(--jp-layout-color0, #fff)"
TEXT = "var(--jp-content-font-color1, #000)"
GREY = "#8C8C8C"  # what is left out; seen on black and on white
FONT = "DejaVu Sans, Verdana, sans-serif"


@dataclass(frozen=True)
class Box:
    """A rectangle, filled with `fill` and framed in `line`; None leaves it out."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    line: str | None = None
    thick: float = 1.0

    def svg(self):
        line = f'stroke="{self.line}" stroke-width="{self.thick}"' if self.line else ""
        return (
            f'<rect x="{self.x:.1f}" y="{self.y:.1f}" width="{self.width:.1f}" '
            f'height="{self.height:.1f}" fill="{self.fill or "none"}" {line}/>'
        )

    def plot(self, axes):
        line = _on_paper(self.line) if self.line else "none"
        shape = (self.x, self.y), self.width, self.height
        look = {"facecolor": _on_paper(self.fill or "none"), "edgecolor": line}
        axes.add_patch(Rectangle(*shape, **look, linewidth=0.7 * self.thick))


@dataclass(frozen=True)
class Words:
    """A line of text; `y` is its baseline, `anchor` start, middle or end."""

    x: float
    y: float
    text: str
    size: float = 13
    anchor: str = "start"
    colour: str = "currentColor"
    bold: bool = False

    def svg(self):
        bold = ' font-weight="bold"' if self.bold else ""
        return (
            f'<text x="{self.x:.1f}" y="{self.y:.1f}" font-size="{self.size:g}" '
            f'text-anchor="{self.anchor}" fill="{self.colour}"{bold}>'
            f"{escape(self.text)}</text>"
        )

    def plot(self, axes):
        side = {"start": "left", "middle": "center", "end": "right"}[self.anchor]
        text = self.text.replace("$", r"\$")
        look = {"color": _on_paper(self.colour), "ha": side, "va": "baseline"}
        weight = "bold" if self.bold else "normal"
        axes.text(
            self.x, self.y, text, fontsize=0.72 * self.size, weight=weight, **look
        )


@dataclass(frozen=True)
class Arrow:
    """A straight line from (x, y) to (to_x, to_y), with a head when `head` is set."""

    x: float
    y: float
    to_x: float
    to_y: float
    colour: str = "currentColor"
    thick: float = 1.5
    head: bool = True

    def svg(self):
        line = (
            f'<line x1="{self.x:.1f}" y1="{self.y:.1f}" x2="{self.to_x:.1f}" '
            f'y2="{self.to_y:.1f}" stroke="{self.colour}" stroke-width="{self.thick}"/>'
        )
        if not self.head:
            return line
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in self._tip())
        return f'{line}<polygon points="{corners}" fill="{self.colour}"/>'

    def plot(self, axes):
        ends = (self.x, self.to_x), (self.y, self.to_y)
        axes.plot(*ends, color=_on_paper(self.colour), linewidth=0.7 * self.thick)
        if self.head:
            axes.fill(*zip(*self._tip(), strict=True), color=_on_paper(self.colour))

    def _tip(self):
        """The three corners of the head."""
        along = np.array([self.to_x - self.x, self.to_y - self.y])
        along = along / max(1e-9, np.hypot(*along))
        end, across = np.array([self.to_x, self.to_y]), along[::-1] * (1, -1)
        return [end, end - 7 * along + 4 * across, end - 7 * along - 4 * across]


@dataclass(frozen=True)
class Photo:
    """An image; `pixels` is (rows, columns, 3) of uint8."""

    x: float
    y: float
    width: float
    height: float
    pixels: np.ndarray

    def svg(self):
        file = io.BytesIO()
        imsave(file, self.pixels, format="png")
        data = base64.b64encode(file.getvalue()).decode()
        return (
            f'<image x="{self.x:.1f}" y="{self.y:.1f}" width="{self.width:.1f}" '
            f'height="{self.height:.1f}" preserveAspectRatio="none" '
            f'style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>'
        )

    def plot(self, axes):
        across, down = (self.x, self.x + self.width), (self.y + self.height, self.y)
        axes.imshow(self.pixels, extent=(*across, *down), aspect="auto")


@dataclass(frozen=True)
class Drawing:
    """Marks on a page of fixed size; later marks lie on top."""

    width: int
    height: int
    marks: tuple[Box | Words | Arrow | Photo, ...]

    def svg(self, alt):
        """An <svg> element as text; `alt` is what a screen reader says."""
        return (
            f'<svg role="img" aria-label="{escape(alt)}" '
            f'viewBox="0 0 {self.width} {self.height}" font-family="{FONT}" '
            f'style="display:block;width:100%;max-width:{self.width}px;'
            f'background:{PAGE};color:{TEXT}">'
            + "".join(mark.svg() for mark in self.marks)
            + "</svg>"
        )

    def png(self):
        """The same picture as the bytes of a PNG."""
        canvas = Canvas(figsize=(self.width / 100, self.height / 100), dpi=100)
        axes = canvas.add_axes((0, 0, 1, 1))
        for mark in self.marks:
            mark.plot(axes)
        axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        axes.axis("off")
        for place, artist in enumerate(axes.get_children()):
            artist.set_zorder(place)  # or lines would lie on boxes, and text on both
        file = io.BytesIO()
        canvas.savefig(file, format="png", metadata={"Software": None})
        return file.getvalue()


def ink(fill):
    """Black or white, whichever reads better on the colour `fill` ("#RRGGBB")."""
    light = luminance(fill)
    return "#000000" if (light + 0.05) / 0.05 > 1.05 / (light + 0.05) else "#FFFFFF"


def luminance(colour):
    """Relative luminance of "#RRGGBB" as WCAG 2 defines it: 0 is black, 1 white."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _on_paper(colour):
    return "#000000" if colour == "currentColor" else colour
