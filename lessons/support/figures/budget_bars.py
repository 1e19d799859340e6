"""Figure of lesson 2: which parts of a GPT hold its parameters and cost its FLOPs."""

import math
from functools import cache

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from support.figures.drawing import GREY, Arrow, Box, Drawing, Words, ink
from support.figures.figure import Figure, Own
from support.plots import COLOURS
from support.watching import reference

_PRESETS = {
    "GPT-2 small": (768, 12, 50257, 1024, True),
    "GPT-2 medium": (1024, 24, 50257, 1024, True),
    "GPT-2 large": (1280, 36, 50257, 1024, True),
    "GPT-2 XL": (1600, 48, 50257, 1024, True),
    "Sizes of Llama 2 7B": (4096, 32, 32000, 4096, False),
    "Sizes of ViT-B/16": (768, 12, 1000, 197, False),
}
_ABOUT = {  # these two have other parts than a GPT
    "Sizes of Llama 2 7B": "Counted as a GPT. Llama itself has 6,738,415,616: three "
    "narrower matrices in an MLP, no biases, no table of positions.",
    "Sizes of ViT-B/16": "Counted as a GPT with 1,000 classes for a vocabulary. ViT "
    "itself has 86,567,656: a map of patches takes the place of the token table.",
}
_VOCABS = (1000, 2000, 4000, 8000, 16000, 32000, 50257, 64000, 100000, 130000)
_CONTEXTS = {2**n for n in range(6, 18)} | {3 * 2**n for n in range(7, 16)}
_SLIDERS = {
    "d_model": ("Width D", range(64, 8193, 64)),
    "n_layers": ("Blocks L", range(1, 97)),
    "vocab": ("Vocabulary |V|", _VOCABS),
    "context": ("Context T", sorted(_CONTEXTS | {197, 4608, 7680, 9600})),
}
_SIZES = (*_SLIDERS, "tied")
_FILLS = COLOURS | {"unembedding": COLOURS["embedding"], "MLP": COLOURS["mlp"]}
_FILLS["attention matrix"] = "#7FB8D8"  # a lighter shade of attention
_LEFT, _WIDE = 20, 600  # where bars start, and how long they can be


@cache
def _linear(n, m, bias=True):
    return nn.Linear(n, m, bias=bias, device="meta")  # a shape without numbers


def _held(*layers):
    return sum(weight.numel() for layer in layers for weight in layer.parameters())


@cache
def _flops(run, *shape):
    with FlopCounterMode(display=False) as counter:
        run(torch.empty(shape, device="meta"))
    return counter.get_total_flops()


def _pairs(x):  # two products with the shapes of those in attention
    return (x @ x.mT) @ x


@reference
def _count(D, L, V, T, tied):
    """Numbers held, and forward FLOPs for one of T tokens, by part, as torch counts."""
    tables = [nn.Embedding(rows, D, device="meta") for rows in (V, T)]
    unembedding, norm = _linear(D, V, False), nn.LayerNorm(D, device="meta")
    block = {"attention": [_linear(D, D)] * 4}
    block["MLP"] = [_linear(D, 4 * D), _linear(4 * D, D)]
    holds = {"embedding": _held(*tables) + (0 if tied else _held(unembedding))}
    costs = {"unembedding": _flops(unembedding, 1, D)}
    for part, layers in block.items():
        holds[part] = L * _held(*layers)
        costs[part] = L * sum(_flops(layer, 1, layer.in_features) for layer in layers)
    holds["norm"] = L * _held(norm, norm) + _held(norm)
    costs["attention matrix"] = L * _flops(_pairs, T, D) // T
    return holds, costs


def _usable(number):
    return type(number) is int and 0 < number < 10**13


def _total(parts, said):
    total = sum(parts.values())
    return f"{said:,}" + ("" if said == total else f" (sum of the parts: {total:,})")


def _bar(y, title, parts, said):
    """A stacked bar on an axis, a mark where `said` is, and a legend."""
    total = sum(parts.values())
    tops = (step * 10**zeros for zeros in range(14) for step in (1, 2, 5))
    top = next(number for number in tops if number >= max(total, said))
    marks, x = [Words(_LEFT, y, f"{title}: {_total(parts, said)}")], _LEFT
    for n, (part, number) in enumerate(parts.items()):
        wide, fill = _WIDE * number / top, _FILLS[part]
        marks.append(Box(x, y + 8, wide, 28, fill))
        if wide > 9 * len(part):
            marks.append(Words(x + wide / 2, y + 27, part, 13, "middle", ink(fill)))
        x += wide
        column, row = _LEFT + n % 2 * _WIDE / 2, y + 72 + n // 2 * 18
        text = f"{part} {number:,} ({number / total:.1%})"
        marks.append(Box(column, row - 11, 12, 12, fill))
        marks.append(Words(column + 18, row, text, 12))
    for n, side in enumerate(("start", "middle", "end")):
        text = f"{n * top / 2 / 10**6:,.10g} million"
        marks.append(Words(_LEFT + n * _WIDE / 2, y + 51, text, 12, side))
    x = _LEFT + _WIDE * said / top
    mark = Arrow(x, y + 4, x, y + 40, thick=3, head=False)
    return [*marks, Box(_LEFT, y + 8, _WIDE, 28, None, GREY), mark]


def _scale(y, T, equal, crossover):
    """The context T, and the one of equal costs, on an axis of doublings."""

    def at(tokens):
        return _LEFT + _WIDE * min(1, max(0, math.log2(tokens / 64) / 11))

    def label(tokens, row, text, size=13):
        half = 0.33 * size * len(text)  # keeps it on the page
        x = min(_LEFT + _WIDE - half, max(_LEFT + half, at(tokens)))
        return Words(x, row, text, size, "middle")

    now, split = at(T), at(equal)
    marks = [Box(split, y, _LEFT + _WIDE - split, 16, _FILLS["attention matrix"])]
    marks += [Box(_LEFT, y, _WIDE, 16, None, GREY), Arrow(now, y - 14, now, y)]
    marks += [label(n, y + 31, f"{n:,}", 12) for n in (64, 512, 4096, 32768, 131072)]
    marks.append(Arrow(split, y, split, y + 16, thick=3, head=False))
    text = f"weights cost more ← {crossover} → matrix costs more"
    return [*marks, label(T, y - 18, f"T = {T:,} tokens"), label(equal, y + 50, text)]


class BudgetBars(Figure):
    """Parameters and FLOPs of a GPT by part, and its context on a scale.

    Totals and crossover are those of the learner's functions, if they are given:
    gpt_parameters, forward_flops_per_token and attention_crossover.
    """

    def __init__(self, parameters=None, flops=None, crossover=None):
        sizes = dict(zip(_SIZES, _PRESETS["GPT-2 small"], strict=True))
        super().__init__(preset="GPT-2 small", **sizes)
        self.yours = parameters, flops, crossover

    def numbers(self, preset, d_model, n_layers, vocab, context, tied):
        D, L, V, T = d_model, n_layers, vocab, context
        holds, costs = _count(D, L, V, T, tied)
        matrix, weights = costs["attention matrix"], costs["attention"] + costs["MLP"]
        ours = sum(holds.values()), sum(costs.values()), math.ceil(weights * T / matrix)
        asked = (V, T, D, L, tied), (V, D, L, T), (D,)
        said, notes = [], [_ABOUT.get(preset, "")]
        for number, sizes, yours in zip(ours, asked, self.yours, strict=True):
            own = Own(lambda *_, number=number: number, yours, _usable)
            said.append(own(*sizes))
            notes.append(own.note)
        numbers = {"parameters": (holds, said[0]), "FLOPs": (costs, said[1])}
        numbers |= {"preset": preset, "T": T, "equal": said[2]}
        numbers["crossover"] = f"{said[2]:,} = {round(said[2] / D, 2):,.12g}·D"
        return numbers | {"ratio": matrix / weights, "notes": [*filter(None, notes)]}

    def drawing(self, numbers):
        holds, costs = numbers["parameters"], numbers["FLOPs"]
        most = [max(parts, key=parts.get) for parts, _ in (holds, costs)]
        title = f"Most parameters: {most[0]}. Most FLOPs: {most[1]}."
        marks = [Words(_LEFT, 22, title, 15, bold=True)]
        marks += _bar(50, f"Parameters ({numbers['preset']})", *holds)
        marks += _bar(166, "FLOPs per token, forward", *costs)
        text = f"The attention matrix costs {numbers['ratio']:.3g} times what the"
        marks.append(Words(_LEFT, 284, text + " weights of the blocks cost"))
        marks += _scale(328, numbers["T"], numbers["equal"], numbers["crossover"])
        return Drawing(640, 390, tuple(marks))

    def words(self, numbers):
        T, equal, bars = numbers["T"], numbers["equal"], []
        for parts, said in (numbers["parameters"], numbers["FLOPs"]):
            total = sum(parts.values())
            shares = ", ".join(f"{part} {n / total:.0%}" for part, n in parts.items())
            bars += [_total(parts, said), shares]
        side = "below" if T < equal else "above" if T > equal else "on"
        text = "{}: {} parameters ({}); one token costs {} FLOPs forward ({})."
        text = text.format(numbers["preset"], *bars)
        text += f" T = {T:,} tokens is {side} the crossover at "
        text += f"{numbers['crossover']}: the attention matrix costs "
        text += f"{numbers['ratio']:.3g} times what the weights of the blocks cost."
        return " ".join([text, *numbers["notes"]])

    def controls(self, widgets):
        look = {"style": {"description_width": "110px"}}
        look["layout"] = widgets.Layout(width="95%", max_width="520px")
        models = [*_PRESETS, "Own sizes"]
        # Buttons, as JupyterLab takes the arrow keys away from a drop-down list.
        model = widgets.ToggleButtons(options=models, description="Model")
        model.style = look["style"] | {"button_width": "auto"}
        controls = {"preset": model}
        for name, (text, sizes) in _SLIDERS.items():
            slider = {"options": [(f"{size:,}", size) for size in sizes]}
            slider |= {"value": self.settings[name], "description": text}
            controls[name] = widgets.SelectionSlider(**slider, **look)
        text = "Tied: unembedding = embedding"
        tied = {"indent": False, "layout": look["layout"]}
        controls["tied"] = widgets.Checkbox(True, description=text, **tied)
        # Never shown: tells a model that was chosen from a slider that was moved.
        controls["before"] = widgets.HTML(model.value)
        return controls

    def adjust(self, controls):
        model, before = controls["preset"], controls["before"]
        sizes = _PRESETS.get(model.value, ())
        if model.value != before.value:
            for name, size in zip(_SIZES, sizes, strict=False):
                controls[name].value = size
        elif sizes and sizes != tuple(controls[name].value for name in _SIZES):
            model.value = "Own sizes"
        before.value = model.value

    def arrange(self, widgets, controls):
        return widgets.VBox([controls[name] for name in ("preset", *_SIZES)])
