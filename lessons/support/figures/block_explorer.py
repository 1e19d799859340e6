"""Lesson 1's figure: a block as a column of parts, with shapes, counts and masks."""

from functools import cache
from itertools import pairwise

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from support.figures.drawing import GREY, Arrow, Box, Drawing, Words, ink
from support.figures.figure import Figure, Own
from support.plots import COLOURS

_SELF, _CROSS, _BOTH = "self-attention", "cross-attention", "encoder–decoder"
_READS = {  # in each family, a token reads
    "encoder-only": "all tokens",
    "decoder-only": "itself and earlier tokens",
    _BOTH: "itself, earlier tokens and the source",
}
_FINDINGS = {
    "pre-LN": "Pre-LN: the path from X to Y is a plain sum",
    "post-LN": "Post-LN: every norm sits on the path from X to Y",
}
_PARTS = {  # colour, formula, what it does
    "LN": ("norm", "y = γ·(x − μ)/√(σ² + ε) + β", "each token by itself"),
    _SELF: ("attention", "softmax(Q·Kᵀ/√dₖ)·V", "mixes tokens, in each head"),
    _CROSS: ("attention", "softmax(Q·Kᵀ/√dₖ)·V", "Q: decoder; K and V: encoder"),
    "MLP": ("mlp", "act(z·W₁ + b₁)·W₂ + b₂", "mixes features of one token"),
    "+": ("stream", "stream + part", "each token by itself"),
}


class BlockExplorer(Figure):
    """The parts of a block in data order: norms move, masks change, a part opens.

    Counts come from torch's own layer; `block_shapes` is the learner's function.
    """

    def __init__(self, block_shapes=None, **settings):
        start = {"order": "pre-LN", "family": "encoder-only", "batch": 2, "tokens": 5}
        start |= {"d_model": 64, "n_heads": 4, "part": _SELF}
        super().__init__(**start | settings)
        self.shapes = Own(lambda *sizes: _measured(*sizes)[0], block_shapes, _fits)

    def controls(self, widgets):
        """Sliders alone: a key leaves the focus on them, in every notebook."""
        now, widths = self.settings, (8, 16, 32, 64, 128, 256, 512, 768, 1024)
        controls, style = {}, {"description_width": "initial"}
        for name, label, options in (
            ("order", "Norms: before or after", tuple(_FINDINGS)),
            ("family", "Family", tuple(_READS)),
            ("batch", "B, sequences", (1, 2, 3, 4)),
            ("tokens", "T, tokens", tuple(range(1, 13))),
            ("d_model", "D, width", widths),
            ("n_heads", "H, heads", (now["n_heads"],)),
            ("part", "Open a part", (now["part"],)),
        ):
            choice = {"options": options, "value": now[name], "description": label}
            controls[name] = widgets.SelectionSlider(**choice, style=style)
            if isinstance(now[name], str):  # the picture shows it; here it is cut off
                controls[name].readout = False
        return controls

    def arrange(self, widgets, controls):
        wrap = widgets.Layout(flex_flow="row wrap")  # narrow screens
        return widgets.HBox(list(controls.values()), layout=wrap)

    def adjust(self, controls):
        """Offer heads that divide D, and the parts of this block in their order."""
        now = {name: control.value for name, control in controls.items()}
        heads = tuple(h for h in range(1, 65) if now["d_model"] % h == 0)
        parts = _column_of(now["order"], now["family"])
        part = now["part"] if now["part"] in parts else _SELF
        fewer = max(h for h in heads if h <= now["n_heads"])
        for name, options, value in (("n_heads", heads, fewer), ("part", parts, part)):
            if controls[name].options != options:
                controls[name].options = options
                controls[name].value = value

    def numbers(self, order, family, batch, tokens, d_model, n_heads, part):
        sizes = batch, tokens, d_model, n_heads, 4 * d_model
        torchs, counts = _measured(*sizes)
        counts = {name: counts[name] for name in _column_of(order, family)}
        totals = map(sum, zip(*counts.values(), strict=True))
        shares = zip(counts[part], totals, ("parameters", "FLOPs"), strict=True)
        shares = ["{:,} of {:,} {}".format(*share) for share in shares]
        shapes = {name: tuple(shape) for name, shape in self.shapes(*sizes).items()}
        beside = {
            _SELF: [f"Q {shapes['queries']}", f"A {shapes['attention_weights']}"],
            _CROSS: [f"← encoder {torchs['source']}", f"A {torchs['cross']}"],
            "MLP": [f"hidden {shapes['mlp_hidden']}"],
        }
        masks = {_SELF: _mask(tokens, tokens, family != "encoder-only")}
        if family == _BOTH:
            masks[_CROSS] = _mask(tokens, torchs["source"][1], False)
        shapes["x"], note = (batch, tokens, d_model), self.shapes.note
        block = {"order": order, "family": family, "part": part, "shapes": shapes}
        block |= {"counts": counts, "shares": shares, "masks": masks}
        return block | {"beside": beside, "note": note}

    def drawing(self, numbers):
        part, finding = numbers["part"], _FINDINGS[numbers["order"]]
        lines = *_PARTS[part.split()[0]][1:], *numbers["shares"]
        marks = [
            Words(320, 20, finding, 15, "middle", bold=True),
            Words(372, 54, part, 15, bold=True),
            *(Words(372, 80 + 22 * n, line) for n, line in enumerate(lines)),
        ]
        return Drawing(640, 420, (*marks, *_column(numbers), *_masks(numbers)))

    def words(self, numbers):
        part, family = numbers["part"], numbers["family"]
        part = ", ".join([part, *numbers["beside"].get(part, [])])
        return (
            f"A {numbers['order']} block, {family}: {', '.join(numbers['counts'])}. "
            f"A token reads {_READS[family]}, never padding; the open part, {part}, "
            f"has {' and '.join(numbers['shares'])} in matrix products. "
            f"{numbers['note']}"
        ).strip()


def _column_of(order, family):
    """The parts of a block in data order, three to a step."""
    column = []
    for number, name in enumerate([_SELF, *[_CROSS] * (family == _BOTH), "MLP"], 1):
        step, norm = [name, f"+ {number}"], [f"LN {number}"]
        column += norm + step if order == "pre-LN" else step + norm
    return tuple(column)


@cache
def _measured(batch, tokens, d_model, n_heads, d_ff):
    """Shapes, and (parameters, FLOPs) of each part: torch's layer without numbers."""
    meta, heads = {"device": "meta"}, {"average_attn_weights": False}
    layer = nn.TransformerDecoderLayer(d_model, n_heads, d_ff, batch_first=True, **meta)
    x = torch.empty(batch, tokens, d_model, **meta)
    source = torch.empty(batch, tokens + 2, d_model, **meta)  # from the encoder
    with FlopCounterMode(display=False) as count:
        weights = layer.self_attn(x, x, x, **heads)[1]
        own = count.get_total_flops()
        cross = layer.multihead_attn(x, source, source, **heads)[1]
        both = count.get_total_flops()
        hidden = layer.linear1(x)
        output = layer.linear2(hidden)
        flops = {_SELF: own, _CROSS: both - own, "MLP": count.get_total_flops() - both}
    shapes = {"ln": layer.norm1(x), "attention_weights": weights, "output": output}
    shapes |= {"mlp_hidden": hidden, "source": source, "cross": cross}
    shapes = {name: tuple(tensor.shape) for name, tensor in shapes.items()}
    shapes["queries"] = (*shapes["attention_weights"][:3], layer.self_attn.head_dim)
    names = {_SELF: "self_attn", _CROSS: "multihead_attn", "MLP": "linear"}
    names |= {f"LN {n}": f"norm{n}" for n in (1, 2, 3)}
    names |= {f"+ {n}": "none" for n in (1, 2, 3)}
    counts = {
        part: sum(p.numel() for n, p in layer.named_parameters() if n.startswith(name))
        for part, name in names.items()
    }
    return shapes, {part: (counts[part], flops.get(part, 0)) for part in counts}


def _fits(result):
    """Five short tuples of numbers under the right names?"""
    names = ("ln", "queries", "attention_weights", "mlp_hidden", "output")
    return isinstance(result, dict) and all(
        isinstance(shape := result.get(name), (tuple, list))
        and {type(size) for size in shape} <= {int, float}
        and len(str(tuple(shape))) <= 24
        for name in names
    )


def _mask(queries, keys, causal):
    """A row per query: r (read), f (future), p (padding, the last quarter)."""
    row = "r" * (keys - keys // 4) + "p" * (keys // 4)
    ends = range(1, queries + 1) if causal else [keys] * queries
    return [row[:end] + row[end:].replace("r", "f") for end in ends]


def _column(block):
    """The parts from top to bottom; the stream passes each step on the left."""
    x, high, parts, marks = 110, 22, list(block["counts"]), []
    gap = (390 - high * len(parts)) / (len(parts) + 1)
    texts = [block["shapes"]["ln" if p[0] == "L" else "output"] for p in parts]
    texts = [f"X {block['shapes']['x']}", *texts[:-1], f"Y {texts[-1]}"]
    tops = [26 + n * (gap + high) for n in range(len(texts))]
    for y, text in zip(tops, texts, strict=True):
        marks += [Arrow(x, y, x, y + gap), Words(x + 9, y + gap / 2 + 4, str(text), 12)]
    for number, part in enumerate(parts):
        y, kind, bold = tops[number] + gap, part.split()[0], part == block["part"]
        fill, wide = COLOURS[_PARTS[kind][0]], 130
        colour = ink(fill)
        if kind == "+":
            fill, wide, colour = None, 36, "currentColor"
            fork, end = tops[number - number % 3] + gap / 3, y + high / 2
            path = (x, fork), (20, fork), (20, end), (x - 19, end)
            marks += [Arrow(*a, *b, head=b == path[3]) for a, b in pairwise(path)]
        frame = x - wide / 2, y, wide, high, fill, "currentColor", 4 if bold else 1
        label = "+" if kind == "+" else part
        marks += [Box(*frame), Words(x, y + 16, label, 13, "middle", colour, bold)]
        lines = block["beside"].get(part, [])
        first = y + 22 - 6.5 * len(lines)
        marks += [Words(x + 74, first + 13 * n, s, 12) for n, s in enumerate(lines)]
    return marks


def _masks(block):
    """The mask of each attention, and what its colours mean."""
    fills = {"r": COLOURS["attention"], "f": None, "p": GREY}
    marks = [Words(372, 182, f"{block['family']}: who reads whom")]
    side = min(18, 124 / max(len(rows[0]) for rows in block["masks"].values()))
    for number, (name, rows) in enumerate(block["masks"].items()):
        x = 372 + 134 * number
        marks.append(Words(x, 206, name, 12, bold=name == block["part"]))
        for row, letters in enumerate(rows):
            for n, letter in enumerate(letters):
                place = x + side * n, 214 + side * row, side - 1, side - 1
                line = GREY if letter == "f" else None
                marks.append(Box(*place, fills[letter], line))
    lines = "rows: queries, columns: keys", "blue: read, grey: padding, empty: future"
    return [*marks, *(Words(372, 374 + 18 * n, s, 12) for n, s in enumerate(lines))]
