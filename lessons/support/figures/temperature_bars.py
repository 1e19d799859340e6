"""Figure of lesson 3: what temperature, top-k and top-p leave of the next character."""

import math
from dataclasses import dataclass

import torch

from support.figures.drawing import GREY, Arrow, Box, Drawing, Words
from support.figures.figure import Figure, Own
from support.plots import COLOURS
from support.sampling import torch_draw, torch_probabilities
from support.watching import reference

_BARS, _TEXTS, _LENGTH = 14, 3, 24  # bars; texts written, characters of each


@dataclass(frozen=True)
class _Next:
    """The next character: `letters` by probability, `before` and `after` the cuts."""

    remark: str  # on the prompt
    settings: tuple[str, ...]
    letters: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    kept: int
    bits: float
    prompt: str  # its end, as it is shown
    texts: tuple[str, ...]
    note: str


class TemperatureBars(Figure):
    """Bars of the next character's probability after a prompt, and what is written.

    `encode` and `decode` are those of the trained `model`. The other arguments are
    the functions of exercises 3.1, 3.3 and 3.4.
    """

    def __init__(
        self,
        model,
        encode,
        decode,
        token_probabilities=None,
        keep_top_k=None,
        keep_top_p=None,
    ):
        self.model, self.encode, self.decode = model, encode, decode
        self.letters = decode(torch.arange(model.vocab))
        shares, logits = self._within(0, 1), self._within(-math.inf, 1e6)
        self.own = {
            "τ": Own(torch_probabilities, token_probabilities, shares),
            "top-k": Own(_enough(lambda n, held, k: n >= k), keep_top_k, logits),
            "top-p": Own(_enough(lambda n, held, p: held >= p), keep_top_p, logits),
        }
        start = {"prompt": "the girl looks at the ", "temperature": 1.0}
        super().__init__(**start, top_k=model.vocab, top_p=0.9)

    def controls(self, widgets):
        now, most = self.settings, len(self.letters)
        look = {"style": {"description_width": "initial"}, "layout": {"width": "95%"}}

        def slider(kind, name, low, high, step, text):
            size = {"min": low, "max": high, "step": step, "value": now[name]}
            return kind(**size, description=text, **look)

        whole, real = widgets.IntSlider, widgets.FloatSlider
        return {
            "prompt": widgets.Text(now["prompt"], description="Prompt", **look),
            "temperature": slider(real, "temperature", 0, 3, 0.05, "Temperature τ"),
            "top_k": slider(whole, "top_k", 1, most, 1, f"Top-k ({most}: off)"),
            "top_p": slider(real, "top_p", 0.05, 1, 0.05, "Top-p (1: off)"),
        }

    def numbers(self, prompt, temperature, top_k, top_p):
        read, remark = self._read(prompt)
        cuts = {"top-k": top_k} if top_k < len(self.letters) else {}
        cuts |= {"top-p": top_p} if top_p < 1 - 1e-9 else {}  # sliders round
        ids = self.encode(read or "\n").repeat(_TEXTS, 1)
        before, after = self._shares(ids, temperature, cuts)
        note = " ".join(filter(None, (self.own[name].note for name in ("τ", *cuts))))
        order = before[0].argsort(descending=True, stable=True)
        return _Next(
            remark=remark,
            settings=(f"τ {temperature:.2f}", *(f"{c} {cuts[c]:.3g}" for c in cuts)),
            letters=tuple(_seen(self.letters[place]) for place in order),
            before=tuple(before[0, order].tolist()),
            after=tuple(after[0, order].tolist()),
            kept=int((after[0] > 0).sum()),
            bits=torch.special.entr(after[0]).sum().item() / math.log(2),
            prompt="…" * (len(read) > 19) + _seen(read[-19:], space="\u00a0"),
            texts=self._written(ids, temperature, cuts),
            note=note,
        )

    def _read(self, prompt):
        """The characters of a prompt that the model knows, and remarks on the rest."""
        known = "".join(letter for letter in prompt if letter in self.letters)
        unknown, remarks = sorted(set(prompt) - set(known)), []
        if unknown:
            named = " ".join(unknown[:6]) + " …" * (len(unknown) > 6)
            remarks.append(f"The model knows no {named} (left out).")
        if not known:
            remarks.append("Nothing to read: the text starts on a new line.")
        if len(known) > self.model.context:
            remarks.append(f"Only the last {self.model.context} characters are read.")
        return known, " ".join(remarks)

    def _shares(self, ids, temperature, cuts):
        """Probabilities (rows, V) after ids (rows, T): before the cuts, and after."""
        with torch.no_grad():
            logits = self.model(ids[:, -self.model.context :])[:, -1].double()
        before = after = self.own["τ"](logits, temperature).double()
        for name, size in cuts.items():  # logs of probabilities are logits too
            kept = self.own[name](after.log(), size)
            after = torch_probabilities(kept.double())
        return before, after

    def _written(self, ids, temperature, cuts):
        """Texts that go on from ids (rows, T), the same ones for the same settings."""
        generator, start = torch.Generator().manual_seed(1), ids.shape[1]
        for _ in range(_LENGTH):
            after = self._shares(ids, temperature, cuts)[1]
            new = torch_draw(after.log(), 1.0, generator)
            ids = torch.cat([ids, new[:, None]], 1)
        return tuple(_seen(self.decode(text), "\u00a0") for text in ids[:, start:])

    def _within(self, least, most):
        """A test of results: rows of numbers from least to most, not all least."""

        def fits(result):
            if torch.is_tensor(result) and result.shape == (_TEXTS, len(self.letters)):
                inside = (result >= least) & (result <= most)  # false for NaN
                return bool(inside.all() and (result > least).any(-1).all())
            return False

        return fits

    def drawing(self, numbers):
        n, most = numbers, math.log2(len(numbers.letters))
        title = f"{n.kept} of {len(n.letters)} characters can come next: "
        marks = [
            Words(20, 22, title + ", ".join(n.settings), 15, bold=True),
            *_chart(n),
            Words(20, 300, "entropy"),
            Box(90, 288, 350 * min(1, n.bits / most), 15, COLOURS["other"]),
            Box(90, 288, 350, 15, line=GREY),
            Words(452, 300, f"{n.bits:.2f} of {most:.2f} bits"),
            Words(20, 332, f"Three texts that go on from here ({_LENGTH} characters)"),
        ]
        for row, text in enumerate(n.texts):
            marks.append(Words(285, 356 + 23 * row, n.prompt, 13, "end"))
            marks.append(Words(285, 356 + 23 * row, text, 13, bold=True))
        return Drawing(640, 415, tuple(marks))

    def words(self, numbers):
        n, most = numbers, math.log2(len(numbers.letters))
        best = max(range(len(n.after)), key=n.after.__getitem__)
        told = (
            f"With {', then '.join(n.settings)}, {n.kept} of {len(n.letters)} "
            f"characters can come next; {n.letters[best]} has the most, "
            f"{_share(n.after[best])}, and the entropy is {n.bits:.2f} of {most:.2f} "
            f"bits. Three texts that go on: “{'”, “'.join(n.texts)}”."
        )
        return " ".join(filter(None, (n.remark, told.replace("\u00a0", " "), n.note)))


def _chart(n):
    """The bars of the first characters, with their axes."""
    rest = f"{len(n.letters) - _BARS} more: {_share(sum(n.after[_BARS:]))}"
    marks = [
        Words(10, 47, "probability", 12),
        *(Box(130, 36, 13, 13, COLOURS["embedding"]), Words(149, 47, "kept")),
        Box(200, 36, 13, 13, GREY),
        Words(219, 47, "dropped: now 0, the height is from before the cut"),
        Words(52, 272, f"next character, the {_BARS} most probable"),
        Words(630, 272, rest, 13, "end"),
    ]
    for part in (0, 0.5, 1):
        y = 234 - 160 * part
        marks.append(Arrow(50, y, 630, y, GREY, 0.5, head=False))
        marks.append(Words(45, y + 4, f"{part:.0%}", 12, "end"))
    bars = zip(n.letters[:_BARS], n.before, n.after, strict=False)
    for place, (letter, before, after) in enumerate(bars):
        x, high = 58 + 41.2 * place, 160 * (after or before)
        fill = COLOURS["embedding"] if after else GREY
        marks.append(Box(x, 234 - high, 31, high, fill))
        marks.append(Words(x + 15, 229 - high, _share(after), 12, "middle"))
        marks.append(Words(x + 15, 252, letter, 15, "middle", bold=after > 0))
    return marks


def _enough(is_enough):
    """A cut: a row keeps its best until `is_enough(tokens, probability held, size)`."""

    @reference
    def cut(logits, size):
        rows = logits.tolist()
        for row, p in zip(rows, torch_probabilities(logits).tolist(), strict=True):
            held = 0.0
            for n, place in enumerate(sorted(range(len(p)), key=lambda i: -p[i])):
                if is_enough(n, held, size):
                    row[place] = -math.inf
                held += p[place]
        return logits.new_tensor(rows)

    return cut


def _seen(text, space="␣"):
    return text.replace(" ", space).replace("\n", "↵")


def _share(part):
    """A probability as a percentage of at most five characters."""
    return "<0.1%" if 0 < part < 0.0005 else f"{part:.{int(0 < part < 0.0995)}%}"
