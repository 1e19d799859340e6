"""Figure of lesson 4: a cache that grows by a row for each token that is written."""

import copy
import functools
import itertools
import math
from dataclasses import dataclass
from unittest.mock import patch

import torch
import torch.nn.functional as F

from support.caching import heads_of, moved_forward
from support.figures.drawing import GREY, Arrow, Box, Drawing, Words
from support.figures.figure import Figure, Own
from support.plots import COLOURS

_LONGEST, _CELLS = 16, 5  # tokens written; numbers shown of a key or value
_MASKS = {"causal (decoder)": "causal mask", "none (encoder)": "no mask"}


@dataclass(frozen=True)
class _Step:
    """The cache when t tokens are written: it has t rows, the last token has none."""

    letters: str  # the start token and t more
    told: str  # the settings
    blocks: list  # (number, first numbers of keys and values, which rows are wrong)
    weights: list  # attention of the newest row, the mean of the heads of a block
    likely: list  # (letter, probability) of the token that was written last
    seen: list  # tokens through the model after each step, with a cache and without
    note: str


class CacheStepper(Figure):
    """Steps through a text that `model` writes after a line break.

    `encode` and `decode` are those of the model; your `cached_forward` of exercise
    4.2 makes the cache, if it is given.
    """

    def __init__(self, model, encode, decode, cached_forward=None):
        self.model = copy.deepcopy(model).double()  # the lesson's meter stays as it is
        self.start, self.decode = encode("\n")[None], decode
        yours = cached_forward and self._writer(cached_forward)
        own = Own(self._writer(moved_forward), yours, lambda run: run is not None)
        whole = self._writer(lambda model, ids, caches: (model(ids), ()), cached=False)
        heats = (0.0, 0.5, 1.0, 1.5, 2.0)
        self.runs = {heat: (own(heat), whole(heat), own.note) for heat in heats}
        super().__init__(tokens=6, temperature=0.0, mask=next(iter(_MASKS)))

    def controls(self, widgets):
        look = {"style": {"description_width": "initial"}, "layout": {"width": "95%"}}
        heat = {"description": "Temperature τ", "options": list(self.runs)}
        count = widgets.IntSlider(max=_LONGEST, description="Tokens written", **look)
        wide = {"layout": {"width": "auto"}}
        more = widgets.Button(description="Write the next token", **wide)
        again = widgets.Button(description="Start again", **wide)
        more.on_click(lambda _: count.set_trait("value", count.value + 1))
        again.on_click(lambda _: count.set_trait("value", 0))
        found = {
            "buttons": widgets.HBox([more, again]),
            "tokens": count,
            "temperature": widgets.SelectionSlider(**heat, **look),
            "mask": widgets.ToggleButtons(description="Mask", options=list(_MASKS)),
        }
        for name, value in self.settings.items():
            found[name].value = value
        return found

    def _writer(self, forward, cached=True):
        """A function of the temperature: ids and steps of a text, None if unusable."""
        layers, H = self.model.n_layers * cached, self.model.n_heads
        d_k, vocab = self.model.d_model // H, self.model.vocab

        @functools.wraps(forward)
        @torch.no_grad()
        def write(temperature):
            random, meter = torch.Generator().manual_seed(4), self.model.tokens_seen
            ids, caches, steps = self.start, None, [(0, None, None)]
            for T in range(1, _LONGEST + 1):
                new = (ids[:, -1:] if cached else ids).clone()
                result = forward(self.model, new, caches)
                if not isinstance(result, (tuple, list)) or len(result) != 2:
                    return None
                z, caches = result[0][0, -1].double(), result[1]
                # copied, so that nothing that comes later can change it
                kept = [torch.stack(tuple(pair)).double() for pair in caches]
                shapes = [tuple(x.shape) for x in (z, *kept) if x.isfinite().all()]
                if shapes != [(vocab,), *[(2, 1, H, T, d_k)] * layers]:
                    return None
                p = F.one_hot(z.argmax(), vocab).double()  # greedy
                p = (z / temperature).softmax(-1) if temperature else p
                new = torch.multinomial(p, 1, generator=random)
                ids = torch.cat([ids, new[None]], 1)
                steps.append((self.model.tokens_seen - meter, p, kept))
            return ids, steps

        return write

    def numbers(self, tokens, temperature, mask):
        (ids, steps), (other, other_steps), note = self.runs[temperature]
        last, weights, likely = self.model.n_layers - 1, [], []
        blocks = {n: (n + 1, ([], []), []) for n in (0, last)}
        if tokens:
            _, p, caches = steps[tokens]
            truth = self._heads(ids[:, :tokens], mask)
            for n in blocks:
                gap = (caches[n] - torch.stack(truth[n][1:])).abs().amax((0, 1, 2, 4))
                cells = caches[n][:, 0, 0, :, :_CELLS].tolist()
                blocks[n] = (n + 1, cells, (gap > 1e-6).tolist())
            query, keys = truth[last][0][:, :, -1:], caches[last][0]
            one = torch.eye(tokens).double().expand(*keys.shape[:2], -1, -1)
            read = F.scaled_dot_product_attention(query, keys, one)  # the weights
            best = p.argsort(descending=True)[:5]
            weights = read.mean((0, 1, 2)).tolist()
            likely = [*zip(_seen(self.decode(best)), p[best].tolist(), strict=True)]
        if not torch.equal(ids, other):
            text = _seen(self.decode(other[0, 1:]))
            note = f"{note} Without a cache the text is “{text}”."
        letters, told = _seen(self.decode(ids[0, : tokens + 1])), _MASKS[mask]
        told = f"τ {temperature:g}, {told}"
        seen = [[step[0] for step in run[: tokens + 1]] for run in (steps, other_steps)]
        return _Step(letters, told, [*blocks.values()], weights, likely, seen, note)

    @torch.no_grad()
    def _heads(self, ids, mask):
        """Queries, keys and values of each block over a whole text ids (1, T)."""
        found, causal = [], _MASKS[mask] == "causal mask"

        def attention(block, x):
            found.append(heads_of(block, x))
            read = F.scaled_dot_product_attention(*found[-1], is_causal=causal)
            return block.out(read.transpose(1, 2).flatten(2))

        with patch.object(type(self.model.blocks[0]), "attention", attention):
            self.model(ids)
        return found

    def drawing(self, numbers):
        n, (last, _, wrong) = numbers, numbers.blocks[-1]
        title = f"{n.seen[0][-1]} tokens computed, {n.seen[1][-1]} without a cache"
        if any(wrong):
            title = f"{sum(wrong)} of {len(wrong)} rows of block {last} are now wrong"
        below = f"shades: the first {_CELLS} numbers of each; ✗ and grey: now wrong"
        marks = [
            Words(20, 22, f"{title} ({n.told})", 15, bold=True),
            *(Words(20, 48, f"text: {n.letters}"), Words(20, 414, below, 12)),
            *(Words(345, 72, "attention of", 12), Words(490, 90, "next token", 12)),
            Words(345, 90, f"{n.letters[-2:-1] or 'nothing'}, block {last}", 12),
        ]
        for row, weight in enumerate(n.weights):
            marks += _bar(345, row, weight, COLOURS["attention"])
        for row, (letter, p) in enumerate(n.likely):
            bold = letter == n.letters[-1]
            marks.append(Words(496, 109 + 18 * row, letter, 14, "middle", bold=bold))
            marks += _bar(510, row, p, COLOURS["embedding"])
        marks += _cache(n.letters, n.blocks) + _curves(*n.seen)
        return Drawing(640, 420, tuple(marks))

    def words(self, numbers):
        n, t = numbers, len(numbers.weights)
        if not t:
            return f"Nothing is written yet and the cache is empty. {n.note}".strip()
        most = max(range(t), key=n.weights.__getitem__)
        wrong = ", ".join(f"{sum(rows)} of {t} in block {b}" for b, _, rows in n.blocks)
        return (
            f"Tokens written: {t}, “{n.letters[1:]}” ({n.told}); {n.seen[0][-1]} went "
            f"through the model, without a cache {n.seen[1][-1]}. The newest row, "
            f"{n.letters[-2]}, reads mostly place {most}, {n.letters[most]} "
            f"({n.weights[most]:.0%}, mean of the heads of block {n.blocks[-1][0]}). "
            f"Rows that differ from those of the whole text: {wrong}. {n.note}"
        ).strip()


def _cache(letters, blocks):
    """A row for each cached token: where it stands, its keys and its values."""
    marks, t = [], len(letters) - 1
    for row, letter in enumerate(letters):
        marks.append(Words(26, 109 + 18 * row, str(row), 12, "end"))
        marks.append(Words(44, 109 + 18 * row, letter, 14, "middle"))
    marks.append(Words(64, 109 + 18 * t, "written, not in the cache yet", 12))
    for x, (block, cells, wrong) in zip((64, 208), blocks, strict=False):
        marks.append(Words(x + 58, 72, f"block {block}", 12, "middle"))
        parts = zip(("keys", "values"), (x, x + 62), cells, strict=True)
        for name, left, rows in parts:
            marks.append(Words(left + 27, 90, name, 12, "middle"))
            for row, place in itertools.product(range(t), range(_CELLS)):
                shade = round(128 + 127 * math.tanh(rows[row][place]))
                fill = (GREY if wrong[row] else COLOURS["attention"]) + f"{shade:02X}"
                marks.append(Box(left + 11 * place, 97 + 18 * row, 10, 15, fill))
        marks += [Words(x + 120, 109 + 18 * n, "✗") for n in range(t) if wrong[n]]
    frame = Box(8, 77 + 18 * t, 324, 19, line="currentColor", thick=2)
    return [*marks, frame] if t else marks


def _curves(cached, whole):
    """Tokens through the model against tokens written."""
    marks = [Words(490, 214, "tokens computed", 12), Box(500, 270, 128, 110, line=GREY)]
    kinds = ("with a cache", "attention", cached), ("without", "other", whole)
    for line, (name, part, seen) in enumerate(kinds):
        marks.append(Box(490, 222 + 18 * line, 11, 11, COLOURS[part]))
        marks.append(Words(506, 232 + 18 * line, f"{name}: {seen[-1]}", 12))
        ends = [(500 + 8 * x, 380 - 110 * min(1, y / 136)) for x, y in enumerate(seen)]
        for start, end in itertools.pairwise(ends):
            marks.append(Arrow(*start, *end, COLOURS[part], 2.5, head=False))
    ticks = (473, 275, "136"), (497, 396, "0"), (541, 396, "written"), (615, 396, "16")
    return [*marks, *(Words(x, y, text, 12) for x, y, text in ticks)]


def _bar(x, row, share, fill):
    box = Box(x, 97 + 18 * row, 80 * share, 15, fill)
    return [box, Words(x + 4 + 80 * share, 109 + 18 * row, f"{share:.0%}", 12)]


def _seen(text):
    return text.replace(" ", "␣").replace("\n", "↵")
