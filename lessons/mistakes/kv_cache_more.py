"""Known wrong answers to lesson 4, second part: the loop, the counts, the stretch.

Hints for more than one exercise stand here too, and `edited`, which both parts use.
"""

from collections.abc import Callable

from mistakes import Hint, Mistake


def edited(exercise: str) -> Callable[..., Mistake]:
    """A short way to write mistakes of `exercise` as edits of the lesson's answer.

    The function takes a hint, the name of the fault, the numbers of the check cells
    that must fail, one digit each ("13" for 1 and 3), and the edits (old, new).
    """

    def mistake(hint: Hint, name: str, checks: str, *edits: tuple[str, str]) -> Mistake:
        return Mistake(exercise, name, tuple(map(int, checks)), hint, edits=edits)

    return mistake


# Hints for more than one exercise
SCALE = Hint(
    "scaled",
    "The scores are not scaled, or not by the right size: by the model's width or the "
    "number of tokens, for example, or in the wrong way.",
)
SOFTMAX_AXIS = Hint(
    "softmax",
    "The softmax runs along the wrong axis, so the weights of one query do not sum to "
    "1.",
)
MASK_AFTER = Hint(
    "after the softmax",
    "Keys are hidden only after the softmax: the weights that are left no longer sum "
    "to 1.",
)
UPSIDE_DOWN = Hint(
    "upside down",
    "The mask is upside down: it hides the tokens that may be read and shows others. "
    "Functions differ in what True means in a mask.",
)
OLD_CACHE = Hint(
    "as a whole",
    "The cache does not grow as a whole: the old one or the new rows alone are handed "
    "back, or only one of keys and values grows.",
)
KEPT = Hint(
    "remembered",
    "Caches or a count of tokens are remembered outside of what is passed in: on the "
    "block, on the model or in a default argument.",
)
WORK = Hint(
    "through the first block",
    "The values are right, but too many tokens go through the first block: the whole "
    "text runs again for every new one, or a part runs twice.",
)
LIMIT = Hint(
    "limit",
    "The limit is missing, one too large, or looks at the old or the new part of the "
    "text alone; a text that is too long goes on, or stops with another error.",
)
LIMIT_SMALL = Hint(
    "one too small",
    "The limit is one too small: a text that fills the context exactly is refused.",
)
PAST_THE_END = Hint(
    "does not fit",
    "What does not fit into the context is cut off without a word, or gets the last "
    "position or one in use. The caller should be told.",
)
ERROR_KIND = Hint(
    "kind of error",
    "The bad input is noticed, but what follows is another kind of error than the "
    "task asks for, one without a message, or none.",
)

# generate_cached
AGAIN = Hint(
    "already holds",
    "A token goes in that the cache already holds: the one before the newest, the last "
    "of the prompt, or the whole text. It then stands there twice.",
)
NOT_THE_NEWEST = Hint(
    "newest caches",
    "A pass does not get the newest caches, but those of the prompt or none: what was "
    "written since is forgotten.",
)
LOGITS = Hint(
    "other logits",
    "The new token is chosen from other logits than those of the newest token, or "
    "from these with their sign changed.",
)
COUNT = Hint(
    "one pass",
    "The loop makes one pass too many or one too few, perhaps only when nothing is "
    "to be written. The pass over the prompt gives a token too.",
)
PROMPT_LOST = Hint(
    "without the prompt",
    "The new tokens are handed back without the prompt, or without a part of it.",
)
BATCH = Hint(
    "each text of the batch",
    "Each text of the batch gets a new token of its own, in a column. Here one token "
    "serves all, as argmax without an axis gives, or they lie in a row.",
)
TEMPERATURE = Hint(
    "another temperature",
    "The draws follow another temperature than the given one: 0, 1, its inverse or "
    "its square, perhaps for the first new token only.",
)
DRAWS = Hint(
    "random numbers",
    "The random numbers differ from those of generate: they do not come from the "
    "given generator, or more are drawn than one for each new token.",
)
MODE = Hint(
    "in another mode",
    "The call leaves the model in another mode than it found it in.",
)

GRADIENTS = Hint(
    "gradient mode",
    "The call leaves torch's gradient mode changed, although only its own steps need "
    "no gradients.",
)

_generate = edited("generate_cached")
_STEP = "cached_forward(model, new, caches)"
_APPEND = "ids = torch.cat([ids, new], dim=1)"
_ARGUMENTS = "temperature, generator)"
_FULL = "ids.shape[1] + n_new > model.context"
_ERROR = 'ValueError(f"no room for {n_new} more in a context of {model.context}")'

_GENERATE = (
    _generate(
        AGAIN,
        "the newest token before the last one goes in",
        "1",
        (_APPEND, f"{_APPEND}\n            new = ids[:, -2:-1]"),
    ),
    _generate(
        AGAIN,
        "the last prompt token goes in again",
        "1",
        (
            "    with torch",
            "    if n_new:\n"
            "        _, caches = cached_forward(model, ids)\n"
            "        new = ids[:, -1:]\n"
            "    with torch",
        ),
    ),
    _generate(
        NOT_THE_NEWEST,
        "the caches of the prompt for ever",
        "1",
        (
            f"logits, caches = {_STEP}",
            f"logits, grown = {_STEP}\n            caches = caches or grown",
        ),
    ),
    _generate(
        NOT_THE_NEWEST,
        "the newest token without its past",
        "1",
        (_STEP, "cached_forward(model, new)"),
    ),
    _generate(
        AGAIN,
        "the whole text goes in on top of the cache",
        "12",
        (_APPEND, "ids = new = torch.cat([ids, new], dim=1)"),
    ),
    _generate(
        AGAIN,
        "the two newest tokens go in",
        "12",
        (_APPEND, f"{_APPEND}\n            new = ids[:, -2:]"),
    ),
    _generate(
        LOGITS, "the first row of logits", "1", ("logits[:, -1]", "logits[:, 0]")
    ),
    _generate(
        LOGITS,
        "the last row of logits but one",
        "1",
        ("logits[:, -1]", "logits[:, -2:][:, 0]"),
    ),
    _generate(
        LOGITS, "the least likely token", "1", ("sample_token(", "sample_token(-")
    ),
    _generate(COUNT, "one token too many", "1", ("range(n_new)", "range(n_new + 1)")),
    _generate(COUNT, "one token too few", "1", ("range(n_new)", "range(n_new - 1)")),
    _generate(
        COUNT, "at least one token", "1", ("range(n_new)", "range(max(n_new, 1))")
    ),
    _generate(
        PROMPT_LOST,
        "only the new tokens returned",
        "1",
        ("return ids", "return ids[:, ids.shape[1] - n_new :]"),
    ),
    _generate(
        PROMPT_LOST,
        "the first token of the prompt lost",
        "1",
        ("return ids", "return ids[:, 1:]"),
    ),
    _generate(
        KEPT,
        "caches kept between calls",
        "4",
        ("= ids, None", "= ids, getattr(model, 'kept', None)"),
        ("    return ids", "    model.kept = caches\n    return ids"),
    ),
    _generate(
        KEPT,
        "caches in a default argument",
        "4",
        ("generator=None):", "generator=None, kept=[None]):"),
        ("= ids, None", "= ids, kept[0]"),
        ("    return ids", "    kept[0] = caches\n    return ids"),
    ),
    _generate(
        WORK,
        "the text runs through the model again each time",
        "12",
        (_STEP, "cached_forward(model, ids)"),
    ),
    _generate(WORK, "the model runs uncached", "12", (_STEP, "model(ids), None")),
    _generate(
        WORK,
        "the cache is rebuilt each time",
        "12",
        (_STEP, "cached_forward(model, ids, None)"),
    ),
    _generate(
        WORK,
        "generate itself called",
        "12",
        (
            "    new, caches = ids, None",
            "    return generate(model, ids, n_new, temperature, generator)\n"
            "    new, caches = ids, None",
        ),
    ),
    _generate(
        WORK,
        "the prompt runs twice",
        "2",
        (
            "    with torch",
            "    cached_forward(model, ids)\n    with torch",
        ),
    ),
    _generate(
        BATCH,
        "one argmax for the whole batch",
        "3",
        (
            f"            {_APPEND}",
            "            if temperature == 0:\n"
            "                new = logits[:, -1].argmax() % model.vocab + 0 * new\n"
            f"            {_APPEND}",
        ),
    ),
    _generate(
        BATCH,
        "every row gets the first row's token",
        "3",
        ("[:, None]", "[:1, None].expand(len(ids), 1)"),
    ),
    _generate(
        BATCH,
        "the first row's token by item",
        "3",
        (_APPEND, f"new = torch.full_like(new, new[0].item())\n            {_APPEND}"),
    ),
    _generate(BATCH, "tokens in a row", "23", ("[:, None]", "[None]")),
    _generate(
        TEMPERATURE, "the temperature is ignored", "3", (_ARGUMENTS, "0.0, generator)")
    ),
    _generate(
        TEMPERATURE,
        "the first new token is greedy",
        "3",
        (_ARGUMENTS, "temperature * (logits.shape[1] == 1), generator)"),
    ),
    _generate(
        TEMPERATURE,
        "the temperature is always 1",
        "3",
        (_ARGUMENTS, "min(1.0, 10 * temperature), generator)"),
    ),
    _generate(
        TEMPERATURE,
        "the inverse of the temperature",
        "3",
        (_ARGUMENTS, "temperature and 1 / temperature, generator)"),
    ),
    _generate(
        TEMPERATURE,
        "the temperature applied twice",
        "3",
        (_ARGUMENTS, "temperature**2, generator)"),
    ),
    _generate(DRAWS, "the generator is not used", "3", (_ARGUMENTS, "temperature)")),
    _generate(
        DRAWS,
        "the same draws when no generator is given",
        "3",
        (
            "    new, caches = ids, None",
            "    generator = generator or torch.Generator().manual_seed(0)\n"
            "    new, caches = ids, None",
        ),
    ),
    _generate(
        DRAWS,
        "drawn twice per step",
        "3",
        (
            f"            {_APPEND}",
            "            if temperature:\n"
            "                sample_token(logits[:, -1], temperature, generator)\n"
            f"            {_APPEND}",
        ),
    ),
    _generate(
        DRAWS,
        "every row of the prompt drawn from",
        "3",
        (
            "            new = ",
            "            for row in logits[:, :-1].unbind(1):\n"
            "                sample_token(row, temperature, generator)\n"
            "            new = ",
        ),
    ),
    _generate(LIMIT, "no limit", "4", (_FULL, "False")),
    _generate(LIMIT, "the limit one too large", "4", (_FULL, f"{_FULL} + 1")),
    _generate(
        LIMIT,
        "the limit looks at the new tokens only",
        "4",
        (_FULL, "n_new > model.context"),
    ),
    _generate(
        LIMIT,
        "the limit looks at the prompt only",
        "4",
        (_FULL, "ids.shape[1] > model.context"),
    ),
    _generate(
        LIMIT_SMALL, "the limit one too small", "4", ("n_new > model", "n_new >= model")
    ),
    _generate(
        PAST_THE_END,
        "the text cut short at the context",
        "4",
        (f"raise {_ERROR}", "n_new = model.context - ids.shape[1]"),
    ),
    _generate(
        ERROR_KIND,
        "an assertion instead of a ValueError",
        "4",
        ("raise ValueError", "raise AssertionError"),
    ),
    _generate(
        ERROR_KIND,
        "a ValueError without a message",
        "4",
        (_ERROR, "ValueError"),
    ),
    _generate(
        MODE,
        "the model left in evaluation mode",
        "4",
        ("    with torch", "    model.eval()\n    with torch"),
    ),
    _generate(
        GRADIENTS,
        "gradients switched off for good",
        "1",
        (
            "    with torch.no_grad():",
            "    torch.set_grad_enabled(False)\n    if True:",
        ),
    ),
)

# kv_cache_bytes
PAIR_FACTOR = Hint(
    "counted once together",
    "This is the number when keys and values are counted once together, or each of "
    "them twice.",
)
LEFT_OUT = Hint(
    "left out",
    "One of the sizes is left out: this is the number for one text, one head, one "
    "block or one token, or for rows with a single number.",
)
COUNTED_TWICE = Hint(
    "stands twice",
    "This is the number when the same size stands twice in the product.",
)
UNIT = Hint(
    "unit",
    "This is the number in another unit than bytes: numbers, bits, megabytes or more, "
    "or bytes with another width of a number by default.",
)
OVERFLOW = Hint(
    "overflow",
    "The product is computed in a tensor or an array, whose whole numbers overflow.",
)
FLOAT = Hint("a float", "The number is right, but it is a float; a count is an int.")
WEAK_TEST = Hint(
    "gets through",
    "A size that makes no sense gets through: some sizes are not looked at, or the "
    "test lets zero, a size below zero or a fraction pass.",
)

_bytes = edited("kv_cache_bytes")
_PRODUCT = "2 * math.prod(sizes)"
_TEST = "isinstance(size, int) and size >= 1"
_RAISE = 'raise ValueError(f"each size must be an int of at least 1, not {sizes}")'

_BYTES = (
    _bytes(PAIR_FACTOR, "only the keys", "1", (_PRODUCT, "math.prod(sizes)")),
    _bytes(
        PAIR_FACTOR,
        "keys and values counted twice",
        "1",
        (_PRODUCT, "4 * math.prod(sizes)"),
    ),
    _bytes(LEFT_OUT, "the batch left out", "1", (_PRODUCT, f"{_PRODUCT} // batch")),
    _bytes(LEFT_OUT, "one head only", "1", (_PRODUCT, f"{_PRODUCT} // n_kv_heads")),
    _bytes(LEFT_OUT, "one block only", "1", (_PRODUCT, f"{_PRODUCT} // n_layers")),
    _bytes(LEFT_OUT, "the context left out", "1", (_PRODUCT, f"{_PRODUCT} // context")),
    _bytes(
        LEFT_OUT,
        "the width of a head left out",
        "1",
        (_PRODUCT, f"{_PRODUCT} // d_head"),
    ),
    _bytes(
        COUNTED_TWICE,
        "the heads counted twice",
        "1",
        (_PRODUCT, f"{_PRODUCT} * n_kv_heads"),
    ),
    _bytes(
        COUNTED_TWICE,
        "the square of the context",
        "1",
        (_PRODUCT, f"{_PRODUCT} * context"),
    ),
    _bytes(
        COUNTED_TWICE,
        "the blocks counted twice",
        "1",
        (_PRODUCT, f"{_PRODUCT} * n_layers"),
    ),
    _bytes(
        UNIT,
        "four bytes by default",
        "1",
        ("bytes_per_number=2", "bytes_per_number=4"),
    ),
    _bytes(
        UNIT,
        "numbers instead of bytes",
        "1",
        (_PRODUCT, f"{_PRODUCT} // bytes_per_number"),
    ),
    _bytes(UNIT, "bits instead of bytes", "1", (_PRODUCT, f"8 * {_PRODUCT}")),
    _bytes(UNIT, "megabytes", "1", (_PRODUCT, f"{_PRODUCT} / 1e6")),
    _bytes(UNIT, "whole gibibytes", "1", (_PRODUCT, f"{_PRODUCT} // 2**30")),
    _bytes(FLOAT, "a float", "1", (_PRODUCT, f"float({_PRODUCT})")),
    _bytes(WEAK_TEST, "no look at the sizes", "2", (_TEST, "True")),
    _bytes(WEAK_TEST, "0 is let through", "2", ("size >= 1", "size >= 0")),
    _bytes(
        WEAK_TEST, "a negative size is let through", "2", ("size >= 1", "size != 0")
    ),
    _bytes(WEAK_TEST, "2.5 is let through", "2", (_TEST, "size >= 1")),
    _bytes(
        OVERFLOW,
        "a product that overflows",
        "1",
        ("math.prod(sizes)", "int(torch.tensor(sizes).prod())"),
    ),
    _bytes(
        WEAK_TEST,
        "2.5 is rounded",
        "2",
        (_TEST, "size >= 1"),
        ("math.prod(sizes)", "math.prod(map(int, sizes))"),
    ),
    _bytes(
        WEAK_TEST,
        "only some sizes looked at",
        "2",
        ("for size in sizes", "for size in sizes[:4]"),
    ),
    _bytes(
        WEAK_TEST,
        "only the number of blocks looked at",
        "2",
        ("for size in sizes", "for size in sizes[:1]"),
    ),
    _bytes(
        WEAK_TEST,
        "one good size is enough",
        "2",
        ("not all(", "not any("),
    ),
    _bytes(ERROR_KIND, "None for a bad size", "2", (_RAISE, "return None")),
    _bytes(ERROR_KIND, "0 for a bad size", "2", (_RAISE, "return 0")),
    _bytes(
        ERROR_KIND,
        "an assertion instead of a ValueError",
        "2",
        ("raise ValueError", "raise AssertionError"),
    ),
    _bytes(ERROR_KIND, "no message", "2", (_RAISE, "raise ValueError")),
)

# token_passes
RUN_MISSING = Hint(
    "one run is missing",
    "This is the sum when one run is missing at its beginning or end.",
)
SQUARE = Hint(
    "square",
    "This is a square, whole or halved, or a product that is still to be halved. The "
    "runs grow one by one: add up a small case by hand.",
)
CASES = Hint(
    "two cases",
    "The two cases are swapped, or the same number comes out of both.",
)
ENDS = Hint(
    "at the ends",
    "This is the number when the tokens at the ends are counted in another way: the "
    "last one goes in too, or the start token does not count.",
)

_RUNS = "n_tokens * (n_tokens + 1) // 2"


def _passes(hint: Hint, name: str, cached: str, uncached: str) -> Mistake:
    edit = f"n_tokens if cached else {_RUNS}", f"{cached} if cached else {uncached}"
    return Mistake("token_passes", name, (1,), hint, edits=(edit,))


_PASSES = (
    _passes(
        RUN_MISSING, "one run too few", "n_tokens", "n_tokens * (n_tokens - 1) // 2"
    ),
    _passes(RUN_MISSING, "the first run left out", "n_tokens", f"{_RUNS} - 1"),
    _passes(SQUARE, "the square", "n_tokens", "n_tokens**2"),
    _passes(SQUARE, "the square, halved", "n_tokens", "n_tokens**2 // 2"),
    _passes(SQUARE, "not halved", "n_tokens", "n_tokens * (n_tokens + 1)"),
    _passes(FLOAT, "a float", "n_tokens", "n_tokens * (n_tokens + 1) / 2"),
    _passes(CASES, "the cases swapped", _RUNS, "n_tokens"),
    _passes(CASES, "both as with a cache", "n_tokens", "n_tokens"),
    _passes(CASES, "both as without a cache", _RUNS, _RUNS),
    _passes(
        ENDS,
        "the last token too",
        "n_tokens + 1",
        "(n_tokens + 1) * (n_tokens + 2) // 2",
    ),
    _passes(ENDS, "the last token too, with a cache", "n_tokens + 1", _RUNS),
    _passes(
        ENDS,
        "the last token too, without a cache",
        "n_tokens",
        "(n_tokens + 1) * (n_tokens + 2) // 2",
    ),
    _passes(ENDS, "the first token left out", "n_tokens - 1", _RUNS),
)

# The stretch exercises
TILED = Hint(
    "take the pairs in turns",
    "The query heads take the pairs in turns, for keys or values or both, as repeat "
    "lays them out. Neighbours should share.",
)
ONE_PAIR = Hint(
    "the same pair",
    "All query heads read the same pair, one of them or their mean.",
)
CAUSAL = Hint(
    "whatever is passed in",
    "Attention is always causal, or never, whatever is passed in.",
)
WINDOW_EDGE = Hint(
    "edge",
    "The edge of the window is off by one: a token counts among the tokens that it "
    "reads.",
)
OPEN_SIDE = Hint(
    "open",
    "One side of the window is open or too wide: later tokens are read, or all the "
    "earlier ones.",
)
EMPTY_WINDOW = Hint(
    "empty window",
    "An empty window is let through, or is widened to one token, where the caller "
    "should be told.",
)

_grouped = edited("grouped_attention")
_window = edited("window_attention")
_ROOT = " / q.shape[-1] ** 0.5"
_START = "    grouped = "
_NEAR = ".masked_fill((age < 0) | (age >= window), -math.inf)"

_STRETCH = (
    _grouped(
        TILED,
        "heads tiled instead of repeated",
        "1",
        (
            _START,
            "    k, v = (r.repeat(1, q.shape[1] // r.shape[1], 1, 1) for r in (k, v))\n"
            + _START,
        ),
    ),
    _grouped(
        TILED,
        "only the keys repeated in order",
        "1",
        (
            _START,
            "    v = v.repeat(1, q.shape[1] // v.shape[1], 1, 1)\n"
            "    k = k.repeat_interleave(q.shape[1] // k.shape[1], dim=1)\n" + _START,
        ),
    ),
    _grouped(
        TILED,
        "only the values repeated in order",
        "1",
        (
            _START,
            "    k = k.repeat(1, q.shape[1] // k.shape[1], 1, 1)\n"
            "    v = v.repeat_interleave(q.shape[1] // v.shape[1], dim=1)\n" + _START,
        ),
    ),
    _grouped(
        ONE_PAIR,
        "all heads read the first pair",
        "1",
        (_START, "    k, v = k[:, :1], v[:, :1]\n" + _START),
    ),
    _grouped(
        ONE_PAIR,
        "all heads read the mean of the pairs",
        "1",
        (
            _START,
            "    k, v = k.mean(1, keepdim=True), v.mean(1, keepdim=True)\n" + _START,
        ),
    ),
    _grouped(SCALE, "no scale", "1", (_ROOT, "")),
    _grouped(SCALE, "the scale without a root", "1", (" ** 0.5", "")),
    _grouped(
        SCALE,
        "scale by the root of the number of tokens",
        "1",
        ("q.shape[-1] **", "q.shape[-2] **"),
    ),
    _grouped(CAUSAL, "always causal", "1", ("if causal:", "if True:")),
    _grouped(CAUSAL, "never causal", "1", ("if causal:", "if False:")),
    _grouped(
        SOFTMAX_AXIS, "softmax over the queries", "1", ("softmax(-1)", "softmax(-2)")
    ),
    _grouped(UPSIDE_DOWN, "the past hidden", "1", ("triu(1)", "tril(-1)")),
    _grouped(
        MASK_AFTER,
        "mask after the softmax",
        "1",
        ("scores = scores.masked_fill(future, -math.inf)", "pass"),
        (
            "scores.softmax(-1)",
            "(scores.softmax(-1).tril() if causal else scores.softmax(-1))",
        ),
    ),
    _window(WINDOW_EDGE, "one token too many", "1", ("age >= window", "age > window")),
    _window(
        WINDOW_EDGE,
        "one token too few",
        "1",
        ("age >= window", "age >= max(1, window - 1)"),
    ),
    _window(OPEN_SIDE, "a window on both sides", "1", ("age < 0", "age <= -window")),
    _window(OPEN_SIDE, "the future not hidden", "1", ("(age < 0) | ", "")),
    _window(OPEN_SIDE, "no window", "1", (" | (age >= window)", "")),
    _window(
        UPSIDE_DOWN,
        "the window after each token",
        "1",
        ("places[:, None] - places", "places - places[:, None]"),
    ),
    _window(SCALE, "no scale", "1", (_ROOT, "")),
    _window(SCALE, "the scale without a root", "1", (" ** 0.5", "")),
    _window(
        SCALE,
        "half the width of a head instead of its root",
        "1",
        (" ** 0.5", " * 0.5"),
    ),
    _window(
        SCALE,
        "scale by the root of the window",
        "1",
        ("q.shape[-1] **", "window **"),
    ),
    _window(
        SOFTMAX_AXIS, "softmax over the queries", "1", ("softmax(-1)", "softmax(-2)")
    ),
    _window(
        EMPTY_WINDOW,
        "an empty window is let through",
        "1",
        ("if window < 1", "if False"),
    ),
    _window(
        EMPTY_WINDOW,
        "an empty window widened to one token",
        "1",
        ("if window < 1", "window = max(window, 1)\n    if False"),
    ),
    _window(
        EMPTY_WINDOW,
        "only a window below 0 refused",
        "1",
        ("if window < 1", "if window < 0"),
    ),
    _window(
        ERROR_KIND,
        "an assertion instead of a ValueError",
        "1",
        ("raise ValueError", "raise AssertionError"),
    ),
    _window(
        MASK_AFTER,
        "weights cut after the softmax",
        "1",
        (_NEAR, ""),
        ("scores.softmax(-1)", "(scores.softmax(-1) * ((age >= 0) & (age < window)))"),
    ),
)

MORE = (*_GENERATE, *_BYTES, *_PASSES, *_STRETCH)
