"""Known wrong answers of lesson 3: temperature, draws, cuts and the loop.

Many were met in real programs; the others are their close relatives. Those about cuts
and penalties stand in sampling_more.py, what the hints say in sampling_hints.py.
"""

from mistakes import sampling_hints as hints
from mistakes.sampling_more import MIN_P, REPEATS, TOP_K, TOP_P, mistakes_in

_probabilities = mistakes_in("token_probabilities")
_GUARD_T = "if not 0 <= temperature < math.inf:"
_CASE = "if temperature == 0:"
_SPIKE = "return torch.zeros_like(logits).scatter(-1, best, 1.0)"
_SHIFT = "below_best = logits - logits.amax(-1, keepdim=True)"
_END = "return (below_best / temperature).softmax(-1)"
_OWN_SOFTMAX = (
    _END,
    "e = (below_best / temperature).exp()\n    return e / e.sum(-1, keepdim=True)",
)


def _normalised(expression: str) -> tuple[str, str]:
    """The edit that ends with `expression`, divided by its sum."""
    return (_END, f"p = {expression}\n    return p / p.sum(-1, keepdim=True)")


PROBABILITIES = (
    _probabilities(
        "softmax along the first axis", 1, hints.MIXED, ("softmax(-1)", "softmax(0)")
    ),
    _probabilities(
        "softmax along axis 1", 1, hints.COUNTED, ("softmax(-1)", "softmax(1)")
    ),
    _probabilities(
        "softmax over all rows together",
        1,
        hints.MIXED,
        ("logits.amax(-1, keepdim=True)", "logits.max()"),
        ("softmax(-1)", "flatten().softmax(0).reshape(logits.shape)"),
    ),
    _probabilities(
        "logarithms of probabilities",
        1,
        hints.LOGARITHMS,
        (".softmax(-1)", ".log_softmax(-1)"),
    ),
    _probabilities(
        "softmax twice",
        1,
        hints.SOFTMAX_TWICE,
        (".softmax(-1)", ".softmax(-1).softmax(-1)"),
    ),
    _probabilities(
        "exponentials that are not divided by their sum",
        1,
        hints.NO_SOFTMAX,
        (_END, "return (logits / temperature).exp()"),
    ),
    _probabilities(
        "exponentials below the maximum, not divided by their sum",
        1,
        hints.NO_SOFTMAX,
        (".softmax(-1)", ".exp()"),
    ),
    _probabilities(
        "a sigmoid of each logit",
        1,
        hints.NO_SOFTMAX,
        (_END, "return (logits / temperature).sigmoid()"),
    ),
    _probabilities(
        "logits divided by their sum",
        1,
        hints.NO_SOFTMAX,
        _normalised("logits / temperature"),
    ),
    _probabilities(
        "the sign turned", (1, 4), hints.TURNED, ("(below_best /", "(-logits /")
    ),
    _probabilities(
        "float32 whatever comes in",
        1,
        hints.DTYPE,
        ("(below_best /", "(below_best.float() /"),
    ),
    _probabilities(
        "default temperature of 0",
        1,
        hints.DEFAULT,
        ("temperature=1.0", "temperature=0.0"),
    ),
    _probabilities(
        "default temperature of 0.7",
        1,
        hints.DEFAULT,
        ("temperature=1.0", "temperature=0.7"),
    ),
    _probabilities(
        "a small number added to every probability",
        1,
        hints.SMALL_NUMBER,
        _normalised("(below_best / temperature).softmax(-1) + 1e-4"),
    ),
    _probabilities(
        "logits divided in place",
        1,
        hints.CHANGED,
        (_SHIFT, "logits /= 2\n    below_best = 2 * logits - 2 * logits.amax()"),
        ("logits.amax()", "logits.amax(-1, keepdim=True)"),
    ),
    _probabilities(
        "multiplied by the temperature",
        2,
        hints.MULTIPLIED,
        ("/ temperature", "* temperature"),
    ),
    _probabilities(
        "probabilities to the power of the temperature",
        2,
        hints.MULTIPLIED,
        _normalised("below_best.softmax(-1) ** temperature"),
    ),
    _probabilities("temperature ignored", 2, hints.NO_EFFECT, ("/ temperature)", ")")),
    _probabilities(
        "temperature applied to the probabilities",
        2,
        hints.NO_EFFECT,
        _normalised("below_best.softmax(-1) / temperature"),
    ),
    _probabilities(
        "temperature subtracted from the logits",
        2,
        hints.NO_EFFECT,
        ("/ temperature", "- temperature"),
    ),
    _probabilities(
        "temperature applied twice",
        (2, 4),
        hints.TWICE,
        ("/ temperature", "/ temperature / temperature"),
    ),
    _probabilities("division by 0", 3, hints.NO_CASE_0, (_CASE, "if False:")),
    _probabilities(
        "division by 0, covered up by nan_to_num",
        3,
        hints.NO_CASE_0,
        (_CASE, "if False:"),
        (_END, _END + ".nan_to_num(0.0)"),
    ),
    _probabilities(
        "a tiny temperature in place of 0",
        3,
        hints.TIED,
        (_CASE, "if False:"),
        ("/ temperature", "/ max(temperature, 1e-5)"),
    ),
    _probabilities(
        "tied logits share the 1",
        3,
        hints.TIED,
        (
            _SPIKE,
            "best = (logits == logits.gather(-1, best)).to(logits.dtype)\n"
            "        return best / best.sum(-1, keepdim=True)",
        ),
    ),
    _probabilities(
        "a 1 at every tied logit",
        3,
        hints.TIED,
        (_SPIKE, "return (logits == logits.gather(-1, best)).to(logits.dtype)"),
    ),
    _probabilities(
        "whole numbers at temperature 0",
        3,
        hints.DTYPE,
        (_SPIKE, "return F.one_hot(best[..., 0], logits.shape[-1])"),
    ),
    _probabilities(
        "one best token for the whole batch",
        3,
        hints.MIXED,
        (
            "logits.argmax(-1, keepdim=True)",
            "logits.argmax().expand(*logits.shape[:-1], 1) % logits.shape[-1]",
        ),
    ),
    _probabilities(
        "the best token of each column",
        3,
        hints.MIXED,
        (
            _SPIKE,
            "best = logits.argmax(0, keepdim=True)\n"
            "        return torch.zeros_like(logits).scatter(0, best, 1.0)",
        ),
    ),
    _probabilities(
        "the least probable token at temperature 0",
        3,
        hints.TURNED,
        ("argmax", "argmin"),
    ),
    _probabilities(
        "the id of the best token at temperature 0",
        3,
        hints.IDS,
        (_SPIKE, "return best[..., 0]"),
    ),
    _probabilities(
        "uniform at temperature 0",
        3,
        hints.SAME_FOR_ALL,
        (_SPIKE, "return torch.full_like(logits, 1 / logits.shape[-1])"),
    ),
    _probabilities(
        "temperature 0 taken for 1",
        3,
        hints.TAKEN_FOR_1,
        (_CASE, "temperature = temperature or 1.0\n    if False:"),
    ),
    _probabilities(
        "temperature 0 refused",
        3,
        hints.REFUSED,
        (_GUARD_T, "if not 0 < temperature < math.inf:"),
    ),
    _probabilities(
        "exponentials without the maximum taken off",
        4,
        hints.OVERFLOW,
        (_SHIFT, "below_best = logits"),
        _OWN_SOFTMAX,
    ),
    _probabilities(
        "the maximum of the whole batch taken off",
        4,
        hints.MIXED,
        (_SHIFT, "below_best = logits - logits.max()"),
        _OWN_SOFTMAX,
    ),
    _probabilities(
        "overflow covered up by nan_to_num",
        4,
        hints.OVERFLOW,
        (_SHIFT, "below_best = logits"),
        _OWN_SOFTMAX,
        ("keepdim=True)", "keepdim=True).nan_to_num(0.0)"),
        ("return e / e.sum(-1, keepdim=True)", "return (e / e.sum(-1, keepdim=True))"),
    ),
    _probabilities(
        "small temperatures treated as 0",
        4,
        hints.LEAST,
        (_CASE, "if temperature < 0.01:"),
    ),
    _probabilities(
        "small temperatures raised to 0.1",
        4,
        hints.LEAST,
        ("/ temperature", "/ max(temperature, 0.1)"),
    ),
    _probabilities(
        "-inf replaced by 0",
        4,
        hints.REPLACED,
        (
            _SHIFT,
            "logits = logits.masked_fill(logits == -math.inf, 0.0)\n    " + _SHIFT,
        ),
    ),
    _probabilities(
        "-inf replaced by a large negative number",
        4,
        hints.REPLACED,
        (_SHIFT, f"logits = logits.nan_to_num(neginf=-1e3)\n    {_SHIFT}"),
    ),
    _probabilities(
        "logits clamped to a few units",
        4,
        hints.REPLACED,
        (_SHIFT, f"logits = logits.clamp(-50, 50)\n    {_SHIFT}"),
    ),
    _probabilities(
        "logits brought to mean 0, which -inf spoils",
        4,
        hints.MEAN,
        (_SHIFT, "below_best = logits - logits.mean(-1, keepdim=True)"),
    ),
    _probabilities("no temperature refused", 5, hints.RANGE, (_GUARD_T, "if False:")),
    _probabilities(
        "temperatures a little below 0 accepted",
        5,
        hints.RANGE,
        (_GUARD_T, "if not -1e-6 < temperature < math.inf:"),
    ),
    _probabilities(
        "NaN accepted",
        5,
        hints.COMPARISON,
        (_GUARD_T, "if temperature < 0 or temperature == math.inf:"),
    ),
    _probabilities(
        "infinity accepted", 5, hints.RANGE, (_GUARD_T, "if not temperature >= 0:")
    ),
    _probabilities(
        "assert in place of ValueError",
        5,
        hints.ASSERT,
        (_GUARD_T, "assert 0 <= temperature < math.inf\n    if False:"),
    ),
    _probabilities(
        "a ValueError without a message",
        5,
        hints.NO_MESSAGE,
        (_GUARD_T, f"{_GUARD_T}\n        raise ValueError\n    if False:"),
    ),
    _probabilities(
        "the sign of the temperature dropped",
        5,
        hints.REPAIRED,
        (_GUARD_T, "temperature = abs(temperature)\n    " + _GUARD_T),
    ),
)

_sample = mistakes_in("sample_token")
_P = "p = token_probabilities(logits, temperature)"
_FLAT = "rows = p.reshape(-1, p.shape[-1])"
_DRAW = "ids = torch.multinomial(rows, 1, generator=generator)"
_SHAPED = "return ids.reshape(logits.shape[:-1])"


def _own_generator(when: str, *lines: str) -> tuple[str, str]:
    """The edit that runs `lines` before the draw, if the condition `when` holds."""
    block = "".join(f"\n        {line}" for line in lines)
    return (_DRAW, f"if {when}:{block}\n    {_DRAW}")


def _by_uniform(numbers: str, back: str = "") -> tuple[str, str]:
    """The edit that draws by the running sum and uniform `numbers`."""
    return (
        _DRAW,
        f"u = {numbers}\n"
        f"    ids = ((rows.cumsum(-1) < u).sum(-1){back}).clamp(max=p.shape[-1] - 1)",
    )


SAMPLES = (
    _sample(
        "an axis of size 1 left at the end",
        1,
        hints.SQUEEZE,
        (_SHAPED, "return ids.reshape(*logits.shape[:-1], 1)"),
    ),
    _sample(
        "all axes of size 1 dropped",
        1,
        hints.SQUEEZE,
        (_SHAPED, f"{_SHAPED}.squeeze()"),
    ),
    _sample(
        "two axes only",
        1,
        hints.COUNTED,
        (_FLAT, "rows = p"),
        (_SHAPED, "return ids[:, 0]"),
    ),
    _sample(
        "a list of numbers", 1, hints.CONVERTED, (_SHAPED, "return ids[:, 0].tolist()")
    ),
    _sample(
        "ids as float numbers",
        1,
        hints.CONVERTED,
        (_SHAPED, f"{_SHAPED}.to(logits.dtype)"),
    ),
    _sample(
        "default temperature of 0.9",
        4,
        hints.DEFAULT,
        ("temperature=1.0", "temperature=0.9"),
    ),
    _sample("ids as int32", 1, hints.CONVERTED, (_SHAPED, f"{_SHAPED}.int()")),
    _sample(
        "a rank after sorting in place of the id",
        1,
        hints.SORTED,
        (_P, f"{_P}.sort(-1, descending=True).values"),
    ),
    _sample(
        "the next id in place of the one drawn",
        1,
        hints.OFF_BY_ONE,
        _by_uniform(
            "torch.rand(len(rows), 1, generator=generator, dtype=p.dtype)", " + 1"
        ),
    ),
    _sample(
        "a token for each column",
        1,
        hints.MIXED,
        (_FLAT, "rows = p.transpose(0, -1).reshape(p.shape[-1], -1)"),
        (_SHAPED, "return ids[:, 0]"),
    ),
    _sample(
        "one token for the whole batch",
        1,
        hints.MIXED,
        (_FLAT, "rows = p.reshape(1, -1)"),
        (_SHAPED, "return ids[0, 0]"),
    ),
    _sample(
        "the logits as weights",
        1,
        hints.NO_SOFTMAX,
        (_P, "p = logits / (temperature or 1.0)"),
    ),
    _sample(
        "the given generator not used", 2, hints.UNUSED, (", generator=generator", "")
    ),
    _sample(
        "a new generator without a seed",
        2,
        hints.NEW_GENERATOR,
        ("generator=generator", "generator=torch.Generator()"),
    ),
    _sample(
        "the generator seeded again at each call",
        2,
        hints.SEEDED_AGAIN,
        _own_generator("generator is not None", "generator.manual_seed(0)"),
    ),
    _sample(
        "torch seeded with a fixed number",
        2,
        hints.SEEDED_AGAIN,
        (_DRAW, "torch.manual_seed(0)\n    ids = torch.multinomial(rows, 1)"),
    ),
    _sample(
        "a copy of the generator",
        2,
        hints.STAYS,
        _own_generator(
            "generator is not None",
            "state = generator.get_state()",
            "generator = torch.Generator()",
            "generator.set_state(state)",
        ),
    ),
    _sample(
        "the generator put back after the draw",
        2,
        hints.STAYS,
        (
            _DRAW,
            "state = None if generator is None else generator.get_state()\n"
            f"    {_DRAW}\n"
            "    if generator is not None:\n        generator.set_state(state)",
        ),
    ),
    _sample(
        "torch seeded with the generator's seed",
        2,
        hints.STAYS,
        _own_generator(
            "generator is not None",
            "torch.manual_seed(generator.initial_seed())",
            "generator = None",
        ),
    ),
    _sample(
        "torch seeded from the generator",
        2,
        hints.TORCH_S_OWN,
        _own_generator(
            "generator is not None",
            "seed = torch.randint(2**31, (), generator=generator)",
            "torch.manual_seed(int(seed))",
            "generator = None",
        ),
    ),
    _sample(
        "a fixed seed when no generator is given",
        2,
        hints.NEW_GENERATOR,
        _own_generator(
            "generator is None", "generator = torch.Generator().manual_seed(0)"
        ),
    ),
    _sample(
        "a new generator with any seed when none is given",
        2,
        hints.NEW_GENERATOR,
        _own_generator(
            "generator is None", "generator = torch.Generator()", "generator.seed()"
        ),
    ),
    _sample(
        "the generator not used for one row alone",
        2,
        hints.ONE_PATH,
        _own_generator("logits.dim() == 1", "generator = None"),
    ),
    _sample(
        "always the most probable token",
        3,
        hints.NOT_ITS_OWN,
        (_P, "return logits.argmax(-1)"),
    ),
    _sample(
        "a little probability for every token",
        3,
        hints.SMALL_NUMBER,
        (_FLAT, f"{_FLAT} + 1e-4"),
    ),
    _sample(
        "random numbers shared by neighbours",
        3,
        hints.NOT_ITS_OWN,
        _by_uniform(
            "torch.rand(len(rows) // 2 + 1, 1, generator=generator)"
            ".repeat_interleave(2, 0)[: len(rows)]"
        ),
    ),
    _sample(
        "one random number for all rows",
        3,
        hints.NOT_ITS_OWN,
        _by_uniform("torch.rand(1, generator=generator).to(p.dtype)"),
    ),
    _sample(
        "one random number for each place, shared by the batch",
        1,
        hints.NOT_ITS_OWN,
        (
            _DRAW,
            "u = torch.rand(p.shape[-2:-1], generator=generator).to(p.dtype)\n"
            "    ids = (p.cumsum(-1) < u[..., None]).sum(-1)",
        ),
    ),
    _sample(
        "the first row's probabilities for all rows",
        3,
        hints.FIRST_ROW,
        (_DRAW, _DRAW.replace("rows", "rows[:1].expand_as(rows)")),
    ),
    _sample(
        "uniform among all tokens",
        (1, 3),
        hints.SAME_FOR_ALL,
        (_P, "p = torch.ones_like(logits)"),
    ),
    _sample(
        "uniform among the possible tokens",
        3,
        hints.SAME_FOR_ALL,
        (_FLAT, f"{_FLAT}.sign()"),
    ),
    _sample(
        "Gumbel noise added to probabilities",
        3,
        hints.NOISE,
        (
            _DRAW,
            "u = torch.rand(rows.shape, generator=generator, dtype=p.dtype)\n"
            "    ids = (rows - (-u.log()).log()).argmax(-1)",
        ),
    ),
    _sample(
        "normal noise in place of Gumbel noise",
        3,
        hints.NOISE,
        (
            _P,
            "noise = torch.randn(logits.shape, generator=generator)\n"
            "    return (logits + temperature * noise).argmax(-1)",
        ),
    ),
    _sample("softmax twice", 3, hints.SOFTMAX_TWICE, (_P, f"{_P}.softmax(-1)")),
    _sample(
        "temperature ignored", 4, hints.NO_EFFECT, (_P, _P.replace(", temperature", ""))
    ),
    _sample(
        "temperature applied twice",
        4,
        hints.TWICE,
        (_P, _P.replace("(logits,", "(logits / (temperature or 1.0),")),
    ),
    _sample(
        "multiplied by the temperature",
        4,
        hints.MULTIPLIED,
        (_P, "p = (logits * temperature).softmax(-1)"),
    ),
    _sample(
        "no case for temperature 0",
        4,
        hints.NO_CASE_0,
        (_P, "p = (logits / temperature).softmax(-1)"),
    ),
    _sample(
        "small temperatures treated as 0",
        4,
        hints.LEAST,
        (_P, f"if temperature < 0.01:\n        return logits.argmax(-1)\n    {_P}"),
    ),
    _sample(
        "exponentials that overflow",
        4,
        hints.OVERFLOW,
        (
            _P,
            "if temperature == 0:\n        return logits.argmax(-1)\n"
            "    p = (logits / temperature).exp()",
        ),
    ),
)

_generate = mistakes_in("generate")
_GUARD_N = "if n_new < 0:"
_START = "for _ in range(n_new):"
_READ = "ids[:, -model.context :]"
_LAST = "logits[:, -1]"
_CHOOSE = "new = sample_token(logits[:, -1], temperature, generator)"
_APPEND = "ids = torch.cat([ids, new[:, None]], dim=1)"
_RETURN = "return ids"


def _before_loop(line: str) -> tuple[str, str]:
    """The edit that adds `line` before the loop."""
    return (_START, f"{line}\n    {_START}")


def _after_loop(line: str) -> tuple[str, str]:
    """The edit that adds `line` before the return."""
    return (_RETURN, f"{line}\n    {_RETURN}")


def _before_draw(*lines: str) -> tuple[str, str]:
    """The edit that adds `lines` to the loop before the draw."""
    return (_CHOOSE, "\n        ".join((*lines, _CHOOSE)))


GENERATE = (
    _generate(
        "default temperature of 0.9",
        3,
        hints.DEFAULT,
        ("temperature=1.0", "temperature=0.9"),
    ),
    _generate(
        "only the new tokens",
        1,
        hints.ONLY_NEW,
        _before_loop("T = ids.shape[1]"),
        (_RETURN, "return ids[:, T:]"),
    ),
    _generate(
        "one token too few", 1, hints.OFF_BY_ONE, ("range(n_new)", "range(n_new - 1)")
    ),
    _generate(
        "one token too many", 1, hints.OFF_BY_ONE, ("range(n_new)", "range(n_new + 1)")
    ),
    _generate(
        "n_new as the length of the result",
        1,
        hints.AS_LENGTH,
        ("range(n_new)", "range(n_new - ids.shape[1])"),
    ),
    _generate(
        "new tokens in front",
        1,
        hints.PUT_BEFORE,
        ("[ids, new[:, None]]", "[new[:, None], ids]"),
    ),
    _generate(
        "the first text of the batch alone",
        1,
        hints.BATCH_AXIS,
        _before_loop("ids = ids[:1]"),
    ),
    _generate(
        "new tokens joined along the batch axis",
        (1, 2),
        hints.BATCH_AXIS,
        (_APPEND, "ids = torch.cat([ids, new[:, None]], dim=0)"),
    ),
    _generate(
        "the last text of the batch in place of the last token",
        (1, 2),
        hints.BATCH_AXIS,
        (_LAST, "logits[-1]"),
    ),
    _generate("a negative n_new accepted", 1, hints.RANGE, (_GUARD_N, "if False:")),
    _generate("n_new = 0 refused", 1, hints.REFUSED, (_GUARD_N, "if n_new < 1:")),
    _generate(
        "nothing returned for n_new = 0",
        1,
        hints.IN_THE_LOOP,
        (_APPEND, f"{_APPEND}\n        out = ids"),
        (_RETURN, "return out"),
    ),
    _generate(
        "the prompt cut to the context",
        2,
        hints.SHORTENED,
        (_START, f"{_START}\n        ids = {_READ}"),
    ),
    _generate(
        "the first row of logits", 2, hints.FIRST_LOGITS, (_LAST, "logits[:, 0]")
    ),
    _generate(
        "the row before the last",
        2,
        hints.TOO_EARLY,
        (_LAST, "logits[:, max(0, logits.shape[1] - 2)]"),
    ),
    _generate(
        "the newest token not read",
        2,
        hints.TOO_EARLY,
        (_READ, "ids[:, : max(1, ids.shape[1] - 1)][:, -model.context :]"),
    ),
    _generate(
        "the newest token read twice",
        2,
        hints.NOT_IN_TEXT,
        (_READ, "torch.cat([ids, ids[:, -1:]], 1)[:, -model.context :]"),
    ),
    _generate(
        "the row of the prompt's last token in every step",
        2,
        hints.PROMPT_ONLY,
        _before_loop("T = ids.shape[1]"),
        (_LAST, "logits[:, min(T, model.context) - 1]"),
    ),
    _generate(
        "the prompt read again and again",
        2,
        hints.PROMPT_ONLY,
        _before_loop("prompt = ids"),
        (_READ, "prompt[:, -model.context :]"),
    ),
    _generate(
        "every new token chosen after the prompt alone",
        2,
        hints.PROMPT_ONLY,
        _before_loop("logits = None"),
        ("logits = model(", "logits = logits if logits is not None else model("),
    ),
    _generate("the whole text beyond the context", 2, hints.WHOLE_TEXT, (_READ, "ids")),
    _generate(
        "the first tokens of a long text",
        2,
        hints.WINDOW,
        (_READ, "ids[:, : model.context]"),
    ),
    _generate(
        "a window one token too short",
        2,
        hints.WINDOW,
        (_READ, "ids[:, -max(1, model.context - 1) :]"),
    ),
    _generate("the last token alone", 2, hints.WINDOW, (_READ, "ids[:, -1:]")),
    _generate(
        "a window as long as the prompt",
        2,
        hints.WINDOW,
        _before_loop("T = min(ids.shape[1], model.context)"),
        (_READ, "ids[:, -T:]"),
    ),
    _generate(
        "window jumps: the text starts afresh when the context is full",
        2,
        hints.WINDOW,
        (_READ, "ids[:, (ids.shape[1] - 1) // model.context * model.context :]"),
    ),
    _generate(
        "a text padded in front to the length of the context",
        2,
        hints.NOT_IN_TEXT,
        (_READ, "F.pad(ids, (model.context, 0))[:, -model.context :]"),
    ),
    _generate(
        "the loop left when the context is full",
        2,
        hints.EARLY_STOP,
        (
            _START,
            f"{_START}\n        if ids.shape[1] >= model.context:\n            break",
        ),
    ),
    _generate(
        "it stops at token 0, as if that meant the end",
        1,
        hints.EARLY_STOP,
        (_APPEND, f"{_APPEND}\n        if (new == 0).all():\n            break"),
    ),
    _generate(
        "temperature not handed on",
        (2, 3),
        hints.NO_EFFECT,
        ("temperature, generator)", "generator=generator)"),
    ),
    _generate(
        "always greedy", 3, hints.NOT_ITS_OWN, ("temperature, generator)", "0.0)")
    ),
    _generate(
        "the largest logit in place of a draw",
        3,
        hints.NOT_ITS_OWN,
        (_CHOOSE, "new = logits[:, -1].argmax(-1)"),
    ),
    _generate(
        "temperature applied twice",
        3,
        hints.TWICE,
        ("[:, -1],", "[:, -1] / (temperature or 1.0),"),
    ),
    _generate(
        "probabilities handed on in place of logits",
        3,
        hints.SOFTMAX_TWICE,
        ("[:, -1],", "[:, -1].softmax(-1),"),
    ),
    _generate("generator not handed on", 3, hints.UNUSED, (", generator)", ")")),
    _generate(
        "generator handed on in the first step alone",
        3,
        hints.UNUSED,
        (_APPEND, f"{_APPEND}\n        generator = None"),
    ),
    _generate(
        "the generator seeded again at each step",
        3,
        hints.SEEDED_AGAIN,
        _before_draw(
            "if generator is not None:",
            "    generator.manual_seed(generator.initial_seed())",
        ),
    ),
    _generate(
        "torch seeded anew in every call",
        3,
        hints.SEEDED_AGAIN,
        _before_loop("torch.manual_seed(0)"),
    ),
    _generate(
        "one draw for all texts",
        3,
        hints.NOT_ITS_OWN,
        (_LAST, "logits[:1, -1]"),
        ("new[:, None]", "new[:1, None].expand(len(ids), 1)"),
    ),
    _generate(
        "top-k slipped in",
        3,
        hints.UNASKED_CUT,
        _before_draw(
            "bar = logits.topk(2).values[..., -1:]",
            "logits = logits.masked_fill(logits < bar, -math.inf)",
        ),
    ),
    # What a call leaves changed is named by the first check that sees it.
    _generate(
        "the prompt changed in place",
        1,
        hints.CHANGED,
        _before_loop("ids.clamp_(max=0)"),
    ),
    _generate(
        "the model turned into float32", 1, hints.CHANGED, _before_loop("model.float()")
    ),
    _generate(
        "the parameters frozen for good",
        4,
        hints.FROZEN,
        _before_loop("model.requires_grad_(False)"),
    ),
    _generate(
        "the model left in eval mode", 4, hints.OTHER_MODE, _before_loop("model.eval()")
    ),
    _generate(
        "the model always left in train mode",
        1,
        hints.OTHER_MODE,
        _before_loop("model.eval()"),
        _after_loop("model.train()"),
    ),
    _generate(
        "gradients switched off for good",
        1,
        hints.GRADIENT_MODE,
        _before_loop("torch.set_grad_enabled(False)"),
    ),
    _generate(
        "gradients always switched on at the end",
        2,
        hints.GRADIENT_MODE,
        _after_loop("torch.set_grad_enabled(True)"),
    ),
)

_gumbel = mistakes_in("sample_gumbel")
_SUM = "logits - temperature * noise.log()"

GUMBEL = (
    _gumbel(
        "the sign of the noise", 1, hints.NOISE, ("logits - temp", "logits + temp")
    ),
    _gumbel(
        "exponential noise without the logarithm",
        1,
        hints.NOISE,
        (_SUM, "logits + temperature * noise"),
    ),
    _gumbel(
        "uniform noise",
        1,
        hints.NOISE,
        (".exponential_(", ".uniform_("),
        (_SUM, "logits + temperature * noise"),
    ),
    _gumbel(
        "normal noise",
        1,
        hints.NOISE,
        (".exponential_(", ".normal_("),
        (_SUM, "logits + temperature * noise"),
    ),
    _gumbel(
        "added to probabilities",
        1,
        hints.NOISE,
        (_SUM, "logits.softmax(-1) - noise.log()"),
    ),
    _gumbel("no noise", 1, hints.NOT_ITS_OWN, (_SUM, "logits")),
    _gumbel(
        "temperature ignored", 1, hints.NO_EFFECT, ("temperature * noise", "noise")
    ),
    _gumbel(
        "logits multiplied by the temperature",
        1,
        hints.MULTIPLIED,
        (_SUM, "logits * temperature - noise.log()"),
    ),
    _gumbel(
        "temperature applied to logits and noise",
        1,
        hints.NO_EFFECT,
        (_SUM, "(logits - noise.log()) / (temperature or 1.0)"),
    ),
    _gumbel(
        "one noise for all rows",
        1,
        hints.NOT_ITS_OWN,
        ("torch.empty_like(logits)", "torch.empty(logits.shape[-1])"),
    ),
    _gumbel("the generator not used", 1, hints.UNUSED, ("generator=generator", "")),
    _gumbel(
        "a new generator without a seed",
        1,
        hints.NEW_GENERATOR,
        ("generator=generator", "generator=torch.Generator()"),
    ),
    _gumbel("the largest of each column", 1, hints.MIXED, ("argmax(-1)", "argmax(0)")),
    _gumbel("ids as floats", 1, hints.CONVERTED, ("argmax(-1)", "argmax(-1).float()")),
    _gumbel(
        "axes of size 1 dropped",
        1,
        hints.SQUEEZE,
        ("argmax(-1)", "argmax(-1).squeeze()"),
    ),
    _gumbel(
        "default temperature of 0.9",
        1,
        hints.DEFAULT,
        ("temperature=1.0", "temperature=0.9"),
    ),
    _gumbel(
        "division by a temperature of 0",
        1,
        hints.NO_CASE_0,
        (_SUM, "logits / temperature - noise.log()"),
    ),
)

MISTAKES = (
    *PROBABILITIES,
    *SAMPLES,
    *TOP_K,
    *TOP_P,
    *GENERATE,
    *MIN_P,
    *REPEATS,
    *GUMBEL,
)
