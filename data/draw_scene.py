"""Draw data/scene.png: a small landscape whose 16 × 16 patches can be told apart.

    python data/draw_scene.py

It is drawn four times too large and averaged down, so that edges are smooth. Nothing
in it is random: the same Pillow draws the same bytes.
"""

from math import cos, pi, sin
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

SIDE = 224
FINE = 4  # pixels drawn for one pixel kept, along a side
HORIZON = 122
SCENE = Path(__file__).with_name("scene.png")


def main() -> None:
    image = Image.fromarray(sky_and_lake())
    pen = ImageDraw.Draw(image)
    sun(pen)
    clouds(pen)
    mountains(pen)
    meadow(pen)
    house(pen)
    tree(pen)
    boat(pen)
    flowers(pen)
    small = image.resize((SIDE, SIDE), Image.Resampling.BOX)
    small.save(SCENE, optimize=True)
    print(f"{SCENE.name}: {SCENE.stat().st_size:,} bytes")


def sky_and_lake() -> np.ndarray:
    """Sky above the horizon, water below it, as (rows, columns, 3) bytes."""
    row = np.arange(SIDE * FINE)[:, None] // FINE
    sky = blend((70, 130, 205), (252, 222, 178), row / HORIZON)
    lake = blend((126, 178, 206), (32, 92, 140), (row - HORIZON) / (SIDE - HORIZON))
    rows = np.where(row < HORIZON, sky, lake)
    picture = np.repeat(rows[:, None, :], SIDE * FINE, axis=1)
    return picture.round().astype(np.uint8)


def blend(start: tuple, end: tuple, share: np.ndarray) -> np.ndarray:
    """Colours from `start` to `end` for shares from 0 to 1."""
    share = np.clip(share, 0, 1)
    return (1 - share) * np.array(start) + share * np.array(end)


def shape(pen: ImageDraw.ImageDraw, points: list, colour: tuple) -> None:
    """A filled polygon; points are (column, row) in pixels of the finished image."""
    pen.polygon([(FINE * x, FINE * y) for x, y in points], fill=colour)


def disc(
    pen: ImageDraw.ImageDraw, x: float, y: float, rx: float, ry: float, colour: tuple
) -> None:
    """A filled ellipse around (x, y)."""
    box = [FINE * v for v in (x - rx, y - ry, x + rx, y + ry)]
    pen.ellipse(box, fill=colour)


def sun(pen: ImageDraw.ImageDraw) -> None:
    for n in range(12):
        angle = 2 * pi * n / 12
        side = angle + 0.11, angle - 0.11
        foot = [(174 + 26 * cos(a), 40 + 26 * sin(a)) for a in side]
        tip = (174 + 35 * cos(angle), 40 + 35 * sin(angle))
        shape(pen, [*foot, tip], (255, 214, 92))
    disc(pen, 174, 40, 21, 21, (255, 214, 92))
    disc(pen, 174, 40, 17, 17, (255, 236, 150))


def clouds(pen: ImageDraw.ImageDraw) -> None:
    for x, y, size in ((48, 36, 1.0), (108, 20, 0.6)):
        for dx, dy, r in ((-18, 4, 9), (-5, -2, 13), (11, 1, 11), (23, 5, 7)):
            disc(pen, x + size * dx, y + size * dy, size * r, size * r, (255, 255, 255))
        x0, x1, y1 = x - 18 * size, x + 23 * size, y + 13 * size
        shape(pen, [(x0, y), (x1, y), (x1, y1), (x0, y1)], (255, 255, 255))


def mountains(pen: ImageDraw.ImageDraw) -> None:
    peaks = (
        ((128, 74), 78, (141, 134, 170)),
        ((206, 82), 62, (128, 122, 160)),
        ((66, 58), 82, (104, 100, 142)),
    )
    for (x, y), half, colour in peaks:
        shape(pen, [(x - half, HORIZON), (x, y), (x + half, HORIZON)], colour)
        shade = tuple(int(0.82 * part) for part in colour)
        shape(pen, [(x, y), (x + half, HORIZON), (x + half * 0.3, HORIZON)], shade)
        drop = 0.3 * (HORIZON - y)
        reach = 0.3 * half
        snow = [(x - reach, y + drop), (x, y), (x + reach, y + drop)]
        snow += [(x + reach * 0.4, y + drop * 0.75), (x, y + drop * 1.15)]
        snow += [(x - reach * 0.5, y + drop * 0.75)]
        shape(pen, snow, (246, 248, 252))


def meadow(pen: ImageDraw.ImageDraw) -> None:
    for base, rise, colour in (
        (128, 0.30, (122, 172, 88)),
        (150, 0.36, (98, 154, 70)),
        (184, 0.26, (74, 132, 58)),
    ):
        edge = [(x, base + rise * x + 5 * sin(x / 23 + base)) for x in range(0, 225, 4)]
        shape(pen, [(0, SIDE), *edge, (SIDE, SIDE)], colour)


def house(pen: ImageDraw.ImageDraw) -> None:
    shape(pen, [(28, 142), (80, 142), (80, 184), (28, 184)], (244, 226, 190))
    shape(pen, [(66, 108), (74, 108), (74, 134), (66, 134)], (140, 84, 70))
    shape(pen, [(20, 144), (54, 112), (88, 144)], (190, 58, 48))
    shape(pen, [(58, 158), (72, 158), (72, 184), (58, 184)], (120, 72, 44))
    shape(pen, [(34, 152), (50, 152), (50, 168), (34, 168)], (106, 176, 214))
    shape(pen, [(41, 152), (43, 152), (43, 168), (41, 168)], (255, 255, 255))
    shape(pen, [(34, 159), (50, 159), (50, 161), (34, 161)], (255, 255, 255))


def tree(pen: ImageDraw.ImageDraw) -> None:
    shape(pen, [(118, 160), (126, 160), (128, 202), (116, 202)], (104, 70, 42))
    for x, y, r, colour in (
        (122, 140, 23, (40, 104, 52)),
        (110, 150, 16, (48, 116, 58)),
        (134, 151, 16, (34, 92, 46)),
        (118, 132, 12, (66, 136, 68)),
    ):
        disc(pen, x, y, r, r, colour)
    for x, y in ((112, 146), (126, 138), (136, 152), (120, 156), (130, 128)):
        disc(pen, x, y, 2.6, 2.6, (206, 52, 44))


def boat(pen: ImageDraw.ImageDraw) -> None:
    for x, y, reach in ((176, 136, 20), (210, 146, 12), (200, 162, 18), (160, 148, 10)):
        disc(pen, x, y, reach, 0.9, (190, 216, 228))
    shape(pen, [(186, 152), (214, 152), (208, 160), (191, 160)], (128, 52, 40))
    shape(pen, [(200, 126), (200, 149), (184, 149)], (252, 250, 244))
    shape(pen, [(202, 122), (202, 149), (215, 149)], (240, 150, 60))


def flowers(pen: ImageDraw.ImageDraw) -> None:
    colours = ((250, 214, 70), (236, 110, 150), (255, 255, 255))
    for n in range(26):
        x, y = (n * 83 + 9) % 218 + 3, 216 - (n * 37) % 22
        disc(pen, x, y, 2.4, 2.4, colours[n % 3])


if __name__ == "__main__":
    main()
