"""Known wrong answers of lesson 3: top-k, top-p, min-p and the repetition penalty.

They are a part of the catalogue that sampling.py puts together.
"""

from collections.abc import Callable

from mistakes import Mistake
from mistakes import sampling_hints as hints


def mistakes_in(exercise: str) -> Callable[..., Mistake]:
    """What makes the mistakes of one exercise.

    It takes a name, the number of the check that must fail or a tuple of them, a hint,
    and the edits that turn the lesson's own answer into the wrong one.
    """

    def make(name, checks, hint, *edits):
        numbers = (checks,) if isinstance(checks, int) else checks
        return Mistake(exercise, name, numbers, hint, edits=edits)

    return make


_top_k = mistakes_in("keep_top_k")
_GUARD_K = "if k < 1:"
_WRITE = "return dropped.scatter(-1, best.indices, best.values)"
_BAR_K = "return logits.masked_fill(logits {} best.values[..., -1:], -math.inf)"


def _ranked(rule: str) -> tuple[str, str]:
    """The edit that drops tokens by their rank, which counts from 0."""
    return (
        _WRITE,
        "rank = logits.sort(dim=-1, descending=True, stable=True).indices.argsort(-1)\n"
        f"    return logits.masked_fill({rule}, -math.inf)",
    )


TOP_K = (
    _top_k("the k smallest", 1, hints.TURNED, ("dim=-1", "dim=-1, largest=False")),
    _top_k("one token too many", (1, 2), hints.OFF_BY_ONE, _ranked("rank > k")),
    _top_k("one token too few", 1, hints.OFF_BY_ONE, _ranked("rank >= max(1, k - 1)")),
    _top_k("all but the k largest", 1, hints.TURNED, _ranked("rank < k")),
    _top_k(
        "the first k places of the row",
        1,
        hints.NEVER_SORTED,
        _ranked("torch.arange(logits.shape[-1]) >= k"),
    ),
    _top_k("dropped tokens get the logit 0", 1, hints.FILL, ("-math.inf", "0.0")),
    _top_k("dropped tokens get a tiny logit", 1, hints.FILL, ("-math.inf", "1e-10")),
    _top_k(
        "dropped tokens get a large negative logit",
        1,
        hints.FILL,
        ("-math.inf", "-1e9"),
    ),
    _top_k(
        "dropped tokens get the least finite number",
        1,
        hints.FILL,
        ("-math.inf", "torch.finfo(logits.dtype).min"),
    ),
    _top_k("dropped tokens get NaN", 1, hints.FILL, ("-math.inf", "math.nan")),
    _top_k(
        "the kept logits in sorted order",
        1,
        hints.SORTED,
        (_WRITE, "dropped[..., :k] = best.values\n    return dropped"),
    ),
    _top_k("the k logits alone", 1, hints.SORTED, (_WRITE, "return best.values")),
    _top_k(
        "the ids of the k largest",
        1,
        hints.IDS,
        (_WRITE, "return best.indices"),
    ),
    _top_k(
        "renormalised probabilities in place of logits",
        1,
        hints.SOFTMAXED,
        ("best.values)", "best.values).softmax(-1)"),
    ),
    _top_k(
        "renormalised logits in place of the old ones",
        1,
        hints.SOFTMAXED,
        ("best.values)", "best.values).log_softmax(-1)"),
    ),
    _top_k(
        "the first row's threshold for all rows",
        1,
        hints.FIRST_ROW,
        (
            _WRITE,
            "bar = best.values.reshape(-1, best.values.shape[-1])[0, -1]\n"
            "    return logits.masked_fill(logits < bar, -math.inf)",
        ),
    ),
    _top_k(
        "the lowest threshold for all rows",
        1,
        hints.FIRST_ROW,
        (
            _WRITE,
            "bar = best.values.min()\n"
            "    return logits.masked_fill(logits < bar, -math.inf)",
        ),
    ),
    _top_k(
        "the k largest of the whole batch",
        1,
        hints.MIXED,
        (
            "best = logits.topk(min(k, logits.shape[-1]), dim=-1)",
            "shape, logits = logits.shape, logits.flatten()\n"
            "    best = logits.topk(min(k, len(logits)))",
        ),
        ("best.values)", "best.values).reshape(shape)"),
    ),
    _top_k(
        "the k largest of each column",
        1,
        hints.MIXED,
        ("shape[-1]), dim=-1", "shape[0]), dim=0"),
        ("scatter(-1", "scatter(0"),
    ),
    _top_k("two axes only", 1, hints.COUNTED, ("scatter(-1", "scatter(1")),
    _top_k(
        "logits changed in place",
        1,
        hints.CHANGED,
        ("return dropped", "return logits.copy_(dropped"),
        ("values)", "values))"),
    ),
    _top_k(
        "the k largest in size, whatever their sign",
        1,
        hints.MAGNITUDE,
        ("logits.topk(", "logits.abs().topk("),
        ("best.values", "logits.gather(-1, best.indices)"),
    ),
    _top_k(
        "float32 whatever comes in",
        1,
        hints.DTYPE,
        ("best = ", "logits = logits.float()\n    best = "),
    ),
    _top_k(
        "a threshold that keeps all tied", 2, hints.TIES, (_WRITE, _BAR_K.format("<"))
    ),
    _top_k(
        "a threshold that keeps none of the tied",
        1,
        hints.OFF_BY_ONE,
        (_WRITE, _BAR_K.format("<=")),
    ),
    _top_k(
        "ranks by counting larger logits, so ties share a rank",
        2,
        hints.TIES,
        (
            _WRITE,
            "larger = (logits[..., None, :] > logits[..., :, None]).sum(-1)\n"
            "    return logits.masked_fill(larger >= k, -math.inf)",
        ),
    ),
    _top_k(
        "k above |V| is an error", 3, hints.K_ABOVE, ("min(k, logits.shape[-1])", "k")
    ),
    _top_k(
        "k above |V| refused",
        3,
        hints.K_ABOVE,
        (_GUARD_K, "if not 1 <= k <= logits.shape[-1]:"),
    ),
    _top_k(
        "a large k refused",
        3,
        hints.K_ABOVE,
        (_GUARD_K, "if not 1 <= k <= 50:"),
    ),
    _top_k(
        "no k refused",
        3,
        hints.RANGE,
        (_GUARD_K, "if False:"),
        ("min(k,", "min(max(k, 0),"),
    ),
    _top_k("k = 0 accepted", 3, hints.RANGE, (_GUARD_K, "if k < 0:")),
    _top_k(
        "assert in place of ValueError",
        3,
        hints.ASSERT,
        (_GUARD_K, "assert k >= 1\n    if False:"),
    ),
    _top_k(
        "k = 0 means off",
        3,
        hints.REPAIRED,
        (_GUARD_K, "if k == 0:\n        return logits.clone()\n    if k < 0:"),
    ),
    _top_k(
        "k below 1 raised to 1",
        3,
        hints.REPAIRED,
        (_GUARD_K, "k = max(k, 1)\n    if False:"),
    ),
)

_top_p = mistakes_in("keep_top_p")
_GUARD_P = "if not 0 < p <= 1:"
_SORT = "ordered, places = logits.sort(dim=-1, descending=True)"
_RULE = "(before >= p) & (p < 1)"
_KEPT = "kept = ordered.masked_fill(dropped, -math.inf)"
_BACK = "return torch.empty_like(logits).scatter(-1, places, kept)"


def _and_then(line: str) -> tuple[str, str]:
    """The edit that adds `line` after the line that finds what is dropped."""
    return (_KEPT, f"{line}\n    {_KEPT}")


TOP_P = (
    _top_p(
        "the crossing token dropped",
        1,
        hints.CROSSING,
        (_RULE, "before + share > p"),
        _and_then("dropped[..., 0] = False"),
    ),
    _top_p(
        "the crossing token dropped, without a guard",
        1,
        hints.CROSSING,
        (_RULE, "before + share > p"),
    ),
    _top_p(
        "one token too many",
        1,
        hints.TOO_MANY,
        (_RULE, "before - share.roll(1, -1) >= p"),
        _and_then("dropped[..., :2] = False"),
    ),
    _top_p(
        "the least probable tokens first",
        1,
        hints.TOO_MANY,
        ("descending=True", "descending=False"),
    ),
    _top_p(
        "a share of the number of tokens",
        1,
        hints.TOO_MANY,
        (_RULE, "torch.arange(logits.shape[-1]) >= math.ceil(p * logits.shape[-1])"),
    ),
    _top_p("a bar for each token", 1, hints.EACH_TOKEN, (_RULE, "share < p")),
    _top_p(
        "a bar for each token, and the best stays",
        1,
        hints.TOO_FEW,
        (_RULE, "share < p"),
        _and_then("dropped[..., 0] = False"),
    ),
    _top_p(
        "a running sum of logits",
        (1, 2),
        hints.RUNNING_SUM,
        ("ordered.softmax(-1)", "ordered"),
    ),
    _top_p(
        "a running sum of bare exponentials",
        1,
        hints.RUNNING_SUM,
        ("ordered.softmax(-1)", "ordered.exp()"),
    ),
    _top_p(
        "1 - p in place of p",
        1,
        hints.TOO_FEW,
        (_SORT, f"p = 1 - p if p < 1 else p\n    {_SORT}"),
    ),
    _top_p(
        "the kept dropped and the dropped kept",
        1,
        hints.INVERTED,
        (_RULE, "(before < p) & (p < 1)"),
    ),
    _top_p(
        "a minimum that trims the list at the wrong end",
        1,
        hints.TOO_MANY,
        _and_then("dropped[..., -1:] = False"),
    ),
    _top_p(
        "dropped tokens get the logit 0",
        1,
        hints.FILL,
        (_KEPT, _KEPT.replace("-math.inf", "0.0")),
    ),
    _top_p(
        "dropped tokens get a tiny logit",
        1,
        hints.FILL,
        (_KEPT, _KEPT.replace("-math.inf", "1e-10")),
    ),
    _top_p(
        "dropped tokens get a large negative logit",
        1,
        hints.FILL,
        (_KEPT, _KEPT.replace("-math.inf", "-1e9")),
    ),
    _top_p(
        "dropped tokens get NaN",
        1,
        hints.FILL,
        (_KEPT, _KEPT.replace("-math.inf", "math.nan")),
    ),
    _top_p(
        "renormalised logits in place of the old ones",
        1,
        hints.SOFTMAXED,
        ("places, kept)", "places, kept).log_softmax(-1)"),
    ),
    _top_p(
        "probabilities in place of logits",
        1,
        hints.SOFTMAXED,
        ("places, kept)", "places, kept).softmax(-1)"),
    ),
    _top_p(
        "log-probabilities in place of the kept logits",
        1,
        hints.SOFTMAXED,
        (_SORT, f"logits = logits.log_softmax(-1)\n    {_SORT}"),
    ),
    _top_p(
        "float32 whatever comes in",
        1,
        hints.DTYPE,
        (_SORT, f"logits = logits.float()\n    {_SORT}"),
    ),
    _top_p("the kept logits in sorted order", 2, hints.SORTED, (_BACK, "return kept")),
    _top_p(
        "a mask in sorted order on unsorted logits",
        2,
        hints.WAY_BACK,
        (_BACK, "return logits.masked_fill(dropped, -math.inf)"),
    ),
    _top_p(
        "gather in place of scatter",
        2,
        hints.WAY_BACK,
        (
            _BACK,
            "mask = dropped.gather(-1, places)\n"
            "    return logits.masked_fill(mask, -math.inf)",
        ),
    ),
    _top_p(
        "the kept logits read at the sorted places",
        2,
        hints.WAY_BACK,
        (_BACK, "return kept.gather(-1, places)"),
    ),
    _top_p(
        "added up in the order of the vocabulary",
        2,
        hints.NEVER_SORTED,
        ("ordered, places = logits.sort(dim=-1, descending=True)", "ordered = logits"),
        (_BACK, "return kept"),
    ),
    _top_p("two axes only", (1, 2), hints.COUNTED, ("scatter(-1", "scatter(1")),
    _top_p(
        "sorted along the first axis",
        2,
        hints.MIXED,
        ("sort(dim=-1", "sort(dim=0"),
        ("scatter(-1", "scatter(0"),
    ),
    _top_p(
        "softmax along the first axis", 2, hints.MIXED, ("softmax(-1)", "softmax(0)")
    ),
    _top_p(
        "a running sum along the first axis",
        2,
        hints.MIXED,
        ("share.cumsum(-1)", "share.cumsum(0)"),
    ),
    _top_p(
        "a running sum that goes on into the next row",
        2,
        hints.MIXED,
        ("share.cumsum(-1)", "share.flatten().cumsum(0).reshape(share.shape)"),
    ),
    _top_p(
        "a softmax over all rows together",
        2,
        hints.MIXED,
        ("ordered.softmax(-1)", "ordered.flatten().softmax(0).reshape(places.shape)"),
    ),
    _top_p(
        "the first row's cut for all rows",
        2,
        hints.FIRST_ROW,
        (
            _BACK,
            "first = kept.reshape(-1, kept.shape[-1])[0]\n"
            "    last = first[first.isfinite()].min() if p < 1 else -math.inf\n"
            "    return logits.masked_fill(logits < last, -math.inf)",
        ),
    ),
    _top_p(
        "as many tokens in all rows as in the first",
        2,
        hints.FIRST_ROW,
        _and_then(
            "dropped = dropped.reshape(-1, dropped.shape[-1])[0].expand_as(ordered)"
        ),
    ),
    _top_p(
        "the guard on the first row",
        2,
        hints.GUARD,
        _and_then("if dropped.dim() > 1:\n        dropped[0] = False"),
    ),
    _top_p(
        "an inclusive sum moved by one, with the guard on the first row",
        2,
        hints.GUARD,
        (_RULE, "(before + share > p) & (p < 1)"),
        _and_then(
            "dropped[..., 1:] = dropped[..., :-1].clone()\n    dropped[0] = False"
        ),
    ),
    _top_p(
        "no cut when there is a batch",
        2,
        hints.ONE_PATH,
        (_SORT, f"if logits.dim() > 1:\n        p = 1\n    {_SORT}"),
    ),
    _top_p(
        "logits changed in place",
        1,
        hints.CHANGED,
        (_BACK, "return logits.scatter_(-1, places, kept)"),
    ),
    _top_p(
        "p = 1 drops the last token",
        3,
        hints.ROUNDING,
        (_RULE, "(before >= p) | (before + share >= 1 - 1e-9) & (p == 1)"),
        _and_then("dropped[..., 0] = False"),
    ),
    _top_p(
        "-inf replaced by a number",
        3,
        hints.REPLACED,
        (_SORT, f"logits = logits.clamp(min=-1e9)\n    {_SORT}"),
    ),
    _top_p("no p refused", 3, hints.RANGE, (_GUARD_P, "if False:")),
    _top_p("p = 0 accepted", 3, hints.RANGE, (_GUARD_P, "if not 0 <= p <= 1:")),
    _top_p(
        "p a little above 1 accepted",
        3,
        hints.RANGE,
        (_GUARD_P, "if not 0 < p < 1.05:"),
    ),
    _top_p("any p above 0 accepted", 3, hints.RANGE, (_GUARD_P, "if not p > 0:")),
    _top_p("NaN accepted", 3, hints.COMPARISON, (_GUARD_P, "if p <= 0 or p > 1:")),
    _top_p("p = 1 refused", 3, hints.REFUSED, (_GUARD_P, "if not 0 < p < 1:")),
    _top_p(
        "assert in place of ValueError",
        3,
        hints.ASSERT,
        (_GUARD_P, "assert 0 < p <= 1\n    if False:"),
    ),
    _top_p(
        "p clamped into its range",
        3,
        hints.REPAIRED,
        (_GUARD_P, "p = min(max(p, 1e-9), 1.0)\n    if False:"),
    ),
    _top_p(
        "exponentials that overflow",
        3,
        hints.OVERFLOW,
        ("ordered.softmax(-1)", "ordered.exp() / ordered.exp().sum(-1, keepdim=True)"),
    ),
)

_min_p = mistakes_in("keep_min_p")
_BAR = "logits.amax(-1, keepdim=True) + math.log(p)"

MIN_P = (
    _min_p(
        "the bar is p itself",
        1,
        hints.EACH_TOKEN,
        ("logits < bar", "logits.softmax(-1) < p"),
    ),
    _min_p(
        "p times the largest logit",
        1,
        hints.LARGEST_LOGIT,
        (_BAR, "p * logits.amax(-1, keepdim=True)"),
    ),
    _min_p(
        "the largest logit of the batch",
        1,
        hints.MIXED,
        ("logits.amax(-1, keepdim=True)", "logits.max()"),
    ),
    _min_p(
        "the largest of the first row for all rows",
        1,
        hints.FIRST_ROW,
        (_BAR, "logits.reshape(-1, logits.shape[-1])[0].max() + math.log(p)"),
    ),
    _min_p("the largest of each column", 1, hints.MIXED, ("amax(-1", "amax(0")),
    _min_p(
        "dropped tokens get the logit 0", 1, hints.FILL, ("bar, -math.inf", "bar, 0.0")
    ),
    _min_p(
        "dropped tokens get a large negative logit",
        1,
        hints.FILL,
        ("bar, -math.inf", "bar, -1e9"),
    ),
    _min_p(
        "the improbable kept and the probable dropped",
        1,
        hints.INVERTED,
        ("logits < bar", "logits >= bar"),
    ),
    _min_p(
        "probabilities in place of logits",
        1,
        hints.SOFTMAXED,
        ("bar, -math.inf)", "bar, -math.inf).softmax(-1)"),
    ),
    _min_p(
        "a token on the bar dropped",
        1,
        hints.OFF_BY_ONE,
        ("logits < bar", "logits <= bar"),
    ),
    _min_p(
        "no p refused",
        1,
        hints.RANGE,
        (_GUARD_P, "if False:"),
        ("math.log(p)", "math.log(p or 1e-300)"),
    ),
    _min_p("NaN accepted", 1, hints.COMPARISON, (_GUARD_P, "if p <= 0 or p > 1:")),
    _min_p(
        "logits changed in place", 1, hints.CHANGED, ("masked_fill(", "masked_fill_(")
    ),
)

_repeats = mistakes_in("penalise_repeats")
_DOWN = "torch.where(logits > 0, logits / penalty, logits * penalty)"
_SEEN = "torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, True)"

REPEATS = (
    _repeats(
        "negative logits divided too", 1, hints.SIGNS, (_DOWN, "logits / penalty")
    ),
    _repeats(
        "positive logits multiplied too", 1, hints.SIGNS, (_DOWN, "logits * penalty")
    ),
    _repeats(
        "rewarded in place of penalised", 1, hints.SIGNS, ("logits > 0", "logits < 0")
    ),
    _repeats(
        "once for each time it was seen",
        1,
        hints.EACH_TIME,
        ("dtype=torch.bool).scatter", "dtype=ids.dtype).scatter_add"),
        ("ids, True)", "ids, torch.ones_like(ids))\n    penalty = penalty**seen"),
        ("where(seen,", "where(seen > 0,"),
    ),
    _repeats(
        "seen in any text of the batch", 1, hints.SEEN, (_SEEN, _SEEN + ".any(0)")
    ),
    _repeats(
        "the first text stands for all",
        1,
        hints.SEEN,
        (_SEEN, _SEEN.replace("ids", "ids[:1].expand_as(ids)")),
    ),
    _repeats("the last token alone", 1, hints.SEEN, ("-1, ids,", "-1, ids[:, -1:],")),
    _repeats("the first token alone", 1, hints.SEEN, ("-1, ids,", "-1, ids[:, :1],")),
    _repeats("the penalty subtracted", 1, hints.NO_FACTOR, (_DOWN, "logits - penalty")),
    _repeats(
        "every token penalised", 1, hints.SEEN, ("where(seen,", "where(~seen | seen,")
    ),
    _repeats(
        "the unseen penalised, the seen spared",
        1,
        hints.INVERTED,
        ("where(seen,", "where(~seen,"),
    ),
    _repeats("seen tokens ruled out", 1, hints.NO_FACTOR, (_DOWN, "-math.inf")),
    _repeats(
        "logits changed in place",
        1,
        hints.CHANGED,
        (
            "return torch.where(seen, lowered, logits)",
            "return logits.copy_(torch.where(seen, lowered, logits))",
        ),
    ),
)
