"""Wrong answers to lesson 3, most of them seen in real projects."""

from answers import Wrong


def _wrong(exercise: str, arguments: str, fault: str, *checks: str, body: str) -> Wrong:
    """The answer with this body; `checks` are the numbers of the checks that fail."""
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    ids = tuple(f"{exercise}_check_{number}" for number in checks)
    source = f"def {exercise}({arguments}):\n{lines}\n"
    return Wrong(exercise, fault, ids if len(ids) > 1 else ids[0], source)


def _probabilities(fault: str, *checks: str, body: str, guard: bool = True) -> Wrong:
    refuse = "if not 0 <= temperature < math.inf:\n    raise ValueError('bad')\n"
    body = (refuse if guard else "") + body.strip("\n")
    arguments = "logits, temperature=1.0"
    return _wrong("token_probabilities", arguments, fault, *checks, body=body)


_GREEDY = """\
if temperature == 0:
    best = logits.argmax(-1, keepdim=True)
    return torch.zeros_like(logits).scatter(-1, best, 1.0)
"""

PROBABILITIES = [
    _probabilities(
        "softmax along the first axis",
        "1",
        body=_GREEDY + "return (logits / temperature).softmax(0)",
    ),
    _probabilities(
        "softmax along axis 1",
        "1",
        body=_GREEDY + "return (logits / temperature).softmax(1)",
    ),
    _probabilities(
        "softmax over all rows together",
        "1",
        body=_GREEDY
        + "z = logits / temperature\n"
        + "return z.flatten().softmax(0).reshape(z.shape)",
    ),
    _probabilities(
        "logarithms of probabilities",
        "1",
        body=_GREEDY + "return (logits / temperature).log_softmax(-1)",
    ),
    _probabilities(
        "softmax twice",
        "1",
        body=_GREEDY + "return (logits / temperature).softmax(-1).softmax(-1)",
    ),
    _probabilities(
        "exponentials that are not divided by their sum",
        "1",
        body=_GREEDY + "return (logits / temperature).exp()",
    ),
    _probabilities(
        "float32 whatever comes in",
        "1",
        body=_GREEDY + "return (logits.float() / temperature).softmax(-1)",
    ),
    _probabilities(
        "default temperature of 0",
        "1",
        body=_GREEDY + "return (logits / temperature).softmax(-1)",
    ),
    _probabilities(
        "multiplied by the temperature",
        "2",
        body=_GREEDY + "return (logits * temperature).softmax(-1)",
    ),
    _probabilities(
        "temperature ignored",
        "2",
        body=_GREEDY + "return logits.softmax(-1)",
    ),
    _probabilities(
        "temperature applied twice",
        "2",
        body=_GREEDY + "return (logits / temperature / temperature).softmax(-1)",
    ),
    _probabilities(
        "temperature applied to the probabilities",
        "2",
        body=_GREEDY
        + "p = logits.softmax(-1) / temperature\n"
        + "return p / p.sum(-1, keepdim=True)",
    ),
    _probabilities(
        "probabilities to the power of the temperature",
        "2",
        body=_GREEDY
        + "p = logits.softmax(-1) ** temperature\n"
        + "return p / p.sum(-1, keepdim=True)",
    ),
    _probabilities(
        "division by 0",
        "3",
        body="return (logits / temperature).softmax(-1)",
    ),
    _probabilities(
        "a tiny temperature in place of 0",
        "3",
        body="return (logits / max(temperature, 1e-5)).softmax(-1)",
    ),
    _probabilities(
        "a 1 at every tied logit",
        "3",
        body="""
if temperature == 0:
    return (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
return (logits / temperature).softmax(-1)
""",
    ),
    _probabilities(
        "tied logits share the 1",
        "3",
        body="""
if temperature == 0:
    best = (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
    return best / best.sum(-1, keepdim=True)
return (logits / temperature).softmax(-1)
""",
    ),
    _probabilities(
        "whole numbers at temperature 0",
        "3",
        body="""
if temperature == 0:
    return F.one_hot(logits.argmax(-1), logits.shape[-1])
return (logits / temperature).softmax(-1)
""",
    ),
    _probabilities(
        "one best token for the whole batch",
        "3",
        body="""
if temperature == 0:
    p = torch.zeros_like(logits)
    p[..., logits.argmax() % logits.shape[-1]] = 1
    return p
return (logits / temperature).softmax(-1)
""",
    ),
    _probabilities(
        "the id of the best token at temperature 0",
        "3",
        body="""
if temperature == 0:
    return logits.argmax(-1)
return (logits / temperature).softmax(-1)
""",
    ),
    _probabilities(
        "uniform at temperature 0",
        "3",
        body="""
if temperature == 0:
    return torch.full_like(logits, 1 / logits.shape[-1])
return (logits / temperature).softmax(-1)
""",
    ),
    _probabilities(
        "exponentials without the maximum taken off",
        "4",
        body=_GREEDY
        + "e = (logits / temperature).exp()\n"
        + "return e / e.sum(-1, keepdim=True)",
    ),
    _probabilities(
        "the maximum of the whole batch taken off",
        "4",
        body=_GREEDY
        + "e = ((logits - logits.max()) / temperature).exp()\n"
        + "return e / e.sum(-1, keepdim=True)",
    ),
    _probabilities(
        "small temperatures treated as 0",
        "4",
        body=_GREEDY.replace("== 0", "< 0.01")
        + "return (logits / temperature).softmax(-1)",
    ),
    _probabilities(
        "-inf replaced by 0",
        "4",
        body=_GREEDY
        + "z = logits.masked_fill(logits == -math.inf, 0.0)\n"
        + "return (z / temperature).softmax(-1)",
    ),
    _probabilities(
        "overflow covered up by nan_to_num",
        "4",
        body=_GREEDY
        + "e = (logits / temperature).exp()\n"
        + "return (e / e.sum(-1, keepdim=True)).nan_to_num(0.0)",
    ),
    _probabilities(
        "-inf replaced by a large negative number",
        "4",
        body=_GREEDY
        + "z = logits.nan_to_num(neginf=-1e3)\n"
        + "return (z / temperature).softmax(-1)",
    ),
    _probabilities(
        "small temperatures raised to 0.1",
        "4",
        body=_GREEDY + "return (logits / max(temperature, 0.1)).softmax(-1)",
    ),
    _probabilities(
        "a small number added to every probability",
        "1",
        body=_GREEDY
        + "p = (logits / temperature).softmax(-1) + 1e-9\n"
        + "return p / p.sum(-1, keepdim=True)",
    ),
    _probabilities(
        "logits clamped to a few units",
        "4",
        body=_GREEDY + "return (logits.clamp(-50, 50) / temperature).softmax(-1)",
    ),
    _probabilities(
        "logits brought to mean 0, which -inf spoils",
        "4",
        body=_GREEDY
        + "z = logits - logits.mean(-1, keepdim=True)\n"
        + "return (z / temperature).softmax(-1)",
    ),
    _probabilities(
        "no temperature refused",
        "5",
        guard=False,
        body=_GREEDY + "return (logits / temperature).softmax(-1)",
    ),
    _probabilities(
        "NaN accepted",
        "5",
        guard=False,
        body="if temperature < 0 or temperature == math.inf:\n"
        + "    raise ValueError('bad')\n"
        + _GREEDY
        + "return (logits / temperature).softmax(-1)",
    ),
    _probabilities(
        "infinity accepted",
        "5",
        guard=False,
        body="if not temperature >= 0:\n    raise ValueError('bad')\n"
        + _GREEDY
        + "return (logits / temperature).softmax(-1)",
    ),
    _probabilities(
        "assert in place of ValueError",
        "5",
        guard=False,
        body="assert 0 <= temperature < math.inf, 'bad'\n"
        + _GREEDY
        + "return (logits / temperature).softmax(-1)",
    ),
    _probabilities(
        "the sign of the temperature dropped",
        "5",
        guard=False,
        body="temperature = abs(temperature)\n"
        + "if not temperature < math.inf:\n    raise ValueError('bad')\n"
        + _GREEDY
        + "return (logits / temperature).softmax(-1)",
    ),
    _probabilities(
        "logits divided in place",
        "1",
        body=_GREEDY + "logits /= 2\nreturn (logits * 2 / temperature).softmax(-1)",
    ),
]
PROBABILITIES[7] = Wrong(
    "token_probabilities",
    "default temperature of 0",
    "token_probabilities_check_1",
    PROBABILITIES[7].source.replace("temperature=1.0", "temperature=0.0"),
)


def _sample(fault: str, *checks: str, body: str) -> Wrong:
    arguments = "logits, temperature=1.0, generator=None"
    return _wrong("sample_token", arguments, fault, *checks, body=body)


_ROWS = """\
p = token_probabilities(logits, temperature)
rows = p.reshape(-1, p.shape[-1])
"""
_SHAPED = ".reshape(logits.shape[:-1])"

SAMPLES = [
    _sample(
        "an axis of size 1 left at the end",
        "1",
        body=_ROWS + "ids = torch.multinomial(rows, 1, generator=generator)\n"
        "return ids.reshape(*logits.shape[:-1], 1)",
    ),
    _sample(
        "two axes only",
        "1",
        body="p = token_probabilities(logits, temperature)\n"
        "return torch.multinomial(p, 1, generator=generator)[:, 0]",
    ),
    _sample(
        "a list of numbers",
        "1",
        body=_ROWS
        + "return torch.multinomial(rows, 1, generator=generator)[:, 0].tolist()",
    ),
    _sample(
        "ids as float numbers",
        "1",
        body=_ROWS
        + f"ids = torch.multinomial(rows, 1, generator=generator){_SHAPED}\n"
        + "return ids.to(logits.dtype)",
    ),
    _sample(
        "ids as int32",
        "1",
        body=_ROWS
        + f"ids = torch.multinomial(rows, 1, generator=generator){_SHAPED}\n"
        + "return ids.int()",
    ),
    _sample(
        "a rank after sorting in place of the id",
        "1",
        body="p = token_probabilities(logits, temperature)\n"
        "ordered = p.sort(-1, descending=True).values\n"
        "rows = ordered.reshape(-1, p.shape[-1])\n"
        f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "a token for each column",
        "1",
        body="p = token_probabilities(logits, temperature)\n"
        "p = p.transpose(0, -1).reshape(p.shape[-1], -1)\n"
        "return torch.multinomial(p, 1, generator=generator)[:, 0]",
    ),
    _sample(
        "the given generator not used",
        "2",
        body=_ROWS + f"return torch.multinomial(rows, 1){_SHAPED}",
    ),
    _sample(
        "a new generator without a seed",
        "2",
        body=_ROWS + "generator = torch.Generator()\n"
        f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "the generator seeded again at each call",
        "2",
        body=_ROWS + "if generator is not None:\n    generator.manual_seed(0)\n"
        f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "a copy of the generator",
        "2",
        body=_ROWS
        + "mine = torch.Generator()\n"
        + "if generator is not None:\n    mine.set_state(generator.get_state())\n"
        + f"return torch.multinomial(rows, 1, generator=mine){_SHAPED}",
    ),
    _sample(
        "torch seeded with the generator's seed",
        "2",
        body=_ROWS
        + "if generator is not None:\n    torch.manual_seed(generator.initial_seed())\n"
        + f"return torch.multinomial(rows, 1){_SHAPED}",
    ),
    _sample(
        "a fixed seed when no generator is given",
        "2",
        body=_ROWS
        + "if generator is None:\n    generator = torch.Generator().manual_seed(0)\n"
        + f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "the generator not used for one row alone",
        "2",
        body=_ROWS
        + "if logits.dim() == 1:\n    generator = None\n"
        + f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "torch seeded from the generator",
        "2",
        body=_ROWS
        + "if generator is not None:\n"
        + "    seed = torch.randint(2**31, (), generator=generator)\n"
        + "    torch.manual_seed(int(seed))\n"
        + f"return torch.multinomial(rows, 1){_SHAPED}",
    ),
    _sample(
        "a new generator with any seed when none is given",
        "2",
        body=_ROWS
        + "if generator is None:\n"
        + "    generator = torch.Generator()\n    generator.seed()\n"
        + f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "a little probability for every token",
        "3",
        body=_ROWS
        + f"return torch.multinomial(rows + 1e-4, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "random numbers shared by neighbours",
        "3",
        body=_ROWS
        + "u = torch.rand(len(rows) // 2 + 1, 1, generator=generator)\n"
        + "u = u.repeat_interleave(2, 0)[: len(rows)]\n"
        + "ids = (rows.cumsum(-1) < u).sum(-1).clamp(max=rows.shape[-1] - 1)\n"
        + f"return ids{_SHAPED}",
    ),
    _sample(
        "small temperatures treated as 0",
        "4",
        body="if temperature < 0.01:\n    return logits.argmax(-1)\n"
        + _ROWS
        + f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "always the most probable token",
        "3",
        body="return logits.argmax(-1)",
    ),
    _sample(
        "one random number for all rows",
        "3",
        body="p = token_probabilities(logits, temperature)\n"
        "u = torch.rand(1, generator=generator).to(p.dtype)\n"
        "return (p.cumsum(-1) < u).sum(-1).clamp(max=p.shape[-1] - 1)",
    ),
    _sample(
        "one random number for each place, shared by the batch",
        "1",
        body="p = token_probabilities(logits, temperature)\n"
        "u = torch.rand(logits.shape[-2:-1], generator=generator).to(p.dtype)\n"
        "u = u[..., None]\n"
        "return (p.cumsum(-1) < u).sum(-1).clamp(max=p.shape[-1] - 1)",
    ),
    _sample(
        "the first row's probabilities for all rows",
        "3",
        body=_ROWS
        + "rows = rows[:1].expand_as(rows)\n"
        + f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "uniform among the possible tokens",
        "3",
        body="p = (token_probabilities(logits, temperature) > 0).float()\n"
        "rows = p.reshape(-1, p.shape[-1])\n"
        f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "Gumbel noise added to probabilities",
        "3",
        body="p = token_probabilities(logits, temperature)\n"
        "u = torch.rand(p.shape, generator=generator, dtype=p.dtype)\n"
        "return (p - (-u.log()).log()).argmax(-1)",
    ),
    _sample(
        "softmax twice",
        "3",
        body="p = token_probabilities(logits, temperature).softmax(-1)\n"
        "rows = p.reshape(-1, p.shape[-1])\n"
        f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "normal noise in place of Gumbel noise",
        "3",
        body="noise = torch.randn(logits.shape, generator=generator)\n"
        "return (logits + temperature * noise).argmax(-1)",
    ),
    _sample(
        "temperature ignored",
        "4",
        body=_ROWS.replace(", temperature", "")
        + f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "temperature applied twice",
        "4",
        body=_ROWS.replace("(logits,", "(logits / max(temperature, 1e-9),")
        + f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "multiplied by the temperature",
        "4",
        body="rows = (logits * temperature).softmax(-1).reshape(-1, logits.shape[-1])\n"
        f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "no case for temperature 0",
        "4",
        body="rows = (logits / temperature).softmax(-1).reshape(-1, logits.shape[-1])\n"
        f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
    _sample(
        "exponentials that overflow",
        "4",
        body="if temperature == 0:\n    return logits.argmax(-1)\n"
        "rows = (logits / temperature).exp().reshape(-1, logits.shape[-1])\n"
        f"return torch.multinomial(rows, 1, generator=generator){_SHAPED}",
    ),
]


def _top_k(fault: str, *checks: str, body: str, guard: bool = True) -> Wrong:
    refuse = "if k < 1:\n    raise ValueError('k is below 1')\n" if guard else ""
    body = refuse + body.strip("\n")
    return _wrong("keep_top_k", "logits, k", fault, *checks, body=body)


_BEST = """\
best = logits.topk(min(k, logits.shape[-1]), dim=-1)
dropped = torch.full_like(logits, -math.inf)
"""

TOP_K = [
    _top_k(
        "the k smallest",
        "1",
        body=_BEST.replace("dim=-1", "dim=-1, largest=False")
        + "return dropped.scatter(-1, best.indices, best.values)",
    ),
    _top_k(
        "one token too many",
        "1",
        body="""
order = logits.sort(dim=-1, descending=True, stable=True).indices
rank = order.argsort(-1)
return logits.masked_fill(rank > k, -math.inf)
""",
    ),
    _top_k(
        "one token too few",
        "1",
        body="""
order = logits.sort(dim=-1, descending=True, stable=True).indices
rank = order.argsort(-1)
return logits.masked_fill(rank >= max(1, k - 1), -math.inf)
""",
    ),
    _top_k(
        "dropped tokens get the logit 0",
        "1",
        body=_BEST.replace("-math.inf", "0.0")
        + "return dropped.scatter(-1, best.indices, best.values)",
    ),
    _top_k(
        "dropped tokens get a tiny logit",
        "1",
        body=_BEST.replace("-math.inf", "1e-10")
        + "return dropped.scatter(-1, best.indices, best.values)",
    ),
    _top_k(
        "dropped tokens get a large negative logit",
        "1",
        body=_BEST.replace("-math.inf", "-1e9")
        + "return dropped.scatter(-1, best.indices, best.values)",
    ),
    _top_k(
        "the kept logits in sorted order",
        "1",
        body="""
ordered = logits.sort(-1, descending=True).values
ordered[..., k:] = -math.inf
return ordered
""",
    ),
    _top_k(
        "the k logits alone",
        "1",
        body="return logits.topk(min(k, logits.shape[-1])).values",
    ),
    _top_k(
        "the ids of the k largest",
        "1",
        body="return logits.topk(min(k, logits.shape[-1])).indices",
    ),
    _top_k(
        "renormalised probabilities in place of logits",
        "1",
        body=_BEST
        + "return dropped.scatter(-1, best.indices, best.values).softmax(-1)",
    ),
    _top_k(
        "the first row's threshold for all rows",
        "1",
        body="""
rows = logits.reshape(-1, logits.shape[-1])
bar = rows[0].topk(min(k, rows.shape[-1])).values[-1]
return logits.masked_fill(logits < bar, -math.inf)
""",
    ),
    _top_k(
        "the k largest of the whole batch",
        "1",
        body="""
flat = logits.reshape(-1)
best = flat.topk(min(k, len(flat)))
dropped = torch.full_like(flat, -math.inf)
return dropped.scatter(-1, best.indices, best.values).reshape(logits.shape)
""",
    ),
    _top_k(
        "two axes only",
        "1",
        body=_BEST + "return dropped.scatter(1, best.indices, best.values)",
    ),
    _top_k(
        "logits changed in place",
        "1",
        body=_BEST + "logits.copy_(dropped.scatter(-1, best.indices, best.values))\n"
        "return logits",
    ),
    _top_k(
        "the k largest in size, whatever their sign",
        "1",
        body="""
places = logits.abs().topk(min(k, logits.shape[-1])).indices
dropped = torch.full_like(logits, -math.inf)
return dropped.scatter(-1, places, logits.gather(-1, places))
""",
    ),
    _top_k(
        "dropped tokens get NaN",
        "1",
        body=_BEST.replace("-math.inf", "math.nan")
        + "return dropped.scatter(-1, best.indices, best.values)",
    ),
    _top_k(
        "a threshold that keeps all tied",
        "2",
        body="""
bar = logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]
return logits.masked_fill(logits < bar, -math.inf)
""",
    ),
    _top_k(
        "a threshold that keeps none of the tied",
        "1",
        body="""
bar = logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]
return logits.masked_fill(logits <= bar, -math.inf)
""",
    ),
    _top_k(
        "ranks by counting larger logits, so ties share a rank",
        "2",
        body="""
larger = (logits[..., None, :] > logits[..., :, None]).sum(-1)
return logits.masked_fill(larger >= k, -math.inf)
""",
    ),
    _top_k(
        "k above |V| is an error",
        "3",
        body=_BEST.replace("min(k, logits.shape[-1])", "k")
        + "return dropped.scatter(-1, best.indices, best.values)",
    ),
    _top_k(
        "no k refused",
        "3",
        guard=False,
        body=_BEST.replace("min(k", "min(max(k, 0)")
        + "return dropped.scatter(-1, best.indices, best.values)",
    ),
    _top_k(
        "k = 0 means off",
        "3",
        guard=False,
        body="if k < 0:\n    raise ValueError('k is negative')\n"
        "if k == 0:\n    return logits\n"
        + _BEST
        + "return dropped.scatter(-1, best.indices, best.values)",
    ),
    _top_k(
        "k below 1 raised to 1",
        "3",
        guard=False,
        body="k = max(k, 1)\n"
        + _BEST
        + "return dropped.scatter(-1, best.indices, best.values)",
    ),
]


def _top_p(fault: str, *checks: str, body: str, guard: bool = True) -> Wrong:
    refuse = "if not 0 < p <= 1:\n    raise ValueError('bad p')\n" if guard else ""
    body = refuse + body.strip("\n")
    return _wrong("keep_top_p", "logits, p", fault, *checks, body=body)


_SORT = """\
ordered, places = logits.sort(dim=-1, descending=True)
share = ordered.softmax(-1)
total = share.cumsum(-1)
"""
_BACK = """\
kept = ordered.masked_fill(dropped, -math.inf)
return torch.empty_like(logits).scatter(-1, places, kept)
"""
_RULE = "dropped = (total - share >= p) & (p < 1)\n"

TOP_P = [
    _top_p(
        "the crossing token dropped",
        "1",
        body=_SORT + "dropped = total > p\ndropped[..., 0] = False\n" + _BACK,
    ),
    _top_p(
        "the crossing token dropped, without a guard",
        "1",
        body=_SORT + "dropped = total > p\n" + _BACK,
    ),
    _top_p(
        "one token too many",
        "1",
        body=_SORT + "dropped = total - share - share.roll(1, -1) >= p\n"
        "dropped[..., :2] = False\n" + _BACK,
    ),
    _top_p(
        "a bar for each token",
        "1",
        body="return logits.masked_fill(logits.softmax(-1) < p, -math.inf)",
    ),
    _top_p(
        "the least probable tokens first",
        "1",
        body=_SORT.replace("True", "False") + _RULE + _BACK,
    ),
    _top_p(
        "a running sum of logits",
        "1",
        body=_SORT.replace("ordered.softmax(-1)", "ordered") + _RULE + _BACK,
    ),
    _top_p(
        "dropped tokens get the logit 0",
        "1",
        body=_SORT + _RULE + _BACK.replace("-math.inf", "0.0"),
    ),
    _top_p(
        "dropped tokens get a large negative logit",
        "1",
        body=_SORT + _RULE + _BACK.replace("-math.inf", "-1e9"),
    ),
    _top_p(
        "a share of the number of tokens",
        "1",
        body=_SORT
        + "n = math.ceil(p * logits.shape[-1])\n"
        + "dropped = torch.arange(logits.shape[-1]) >= n\n"
        + _BACK,
    ),
    _top_p(
        "renormalised logits in place of the old ones",
        "1",
        body=_SORT + _RULE + _BACK.rstrip() + ".log_softmax(-1)",
    ),
    _top_p(
        "probabilities in place of logits",
        "1",
        body=_SORT + _RULE + _BACK.rstrip() + ".softmax(-1)",
    ),
    _top_p(
        "the kept logits in sorted order",
        "2",
        body=_SORT + _RULE + "return ordered.masked_fill(dropped, -math.inf)",
    ),
    _top_p(
        "a mask in sorted order on unsorted logits",
        "2",
        body=_SORT + _RULE + "return logits.masked_fill(dropped, -math.inf)",
    ),
    _top_p(
        "gather in place of scatter",
        "2",
        body=_SORT + _RULE + "mask = dropped.gather(-1, places)\n"
        "return logits.masked_fill(mask, -math.inf)",
    ),
    _top_p(
        "two axes only",
        "1",
        "2",
        body=_SORT + _RULE + _BACK.replace("scatter(-1", "scatter(1"),
    ),
    _top_p(
        "the first row's cut for all rows",
        "2",
        body="""
rows = logits.reshape(-1, logits.shape[-1])
ordered = rows[0].sort(descending=True).values
share = ordered.softmax(-1)
last = ordered[int((share.cumsum(-1) - share < p).sum()) - 1]
return logits.masked_fill(logits < last, -math.inf)
""",
    ),
    _top_p(
        "the guard on the first row",
        "2",
        body=_SORT
        + "dropped = (total - share >= p) & (p < 1)\n"
        + "if dropped.dim() > 1:\n    dropped[0] = False\n"
        + _BACK,
    ),
    _top_p(
        "softmax along the first axis",
        "2",
        body=_SORT.replace("softmax(-1)", "softmax(0)") + _RULE + _BACK,
    ),
    _top_p(
        "a running sum that goes on into the next row",
        "2",
        body=_SORT.replace("share.cumsum(-1)", "share.flatten().cumsum(0)")
        + "total = total.reshape(share.shape)\n"
        + _RULE
        + _BACK,
    ),
    _top_p(
        "logits changed in place",
        "1",
        body=_SORT
        + _RULE
        + _BACK.replace("return ", "return logits.copy_(")[:-1]
        + ")",
    ),
    _top_p(
        "p = 1 drops the last token",
        "3",
        body=_SORT
        + "dropped = total - share >= p\n"
        + "if p == 1:\n    dropped = total >= 1 - 1e-9\n    dropped[..., 0] = False\n"
        + _BACK,
    ),
    _top_p(
        "-inf replaced by a number",
        "3",
        body="logits = logits.clamp(min=-1e9)\n" + _SORT + _RULE + _BACK,
    ),
    _top_p(
        "no p refused",
        "3",
        guard=False,
        body=_SORT + _RULE + _BACK,
    ),
    _top_p(
        "NaN accepted",
        "3",
        guard=False,
        body="if p <= 0 or p > 1:\n    raise ValueError('bad p')\n"
        + _SORT
        + _RULE
        + _BACK,
    ),
    _top_p(
        "p = 0 accepted",
        "3",
        guard=False,
        body="if not 0 <= p <= 1:\n    raise ValueError('bad p')\n"
        + _SORT
        + _RULE
        + _BACK,
    ),
    _top_p(
        "p = 1 refused",
        "3",
        guard=False,
        body="if not 0 < p < 1:\n    raise ValueError('bad p')\n"
        + _SORT
        + _RULE
        + _BACK,
    ),
    _top_p(
        "p a little above 1 accepted",
        "3",
        guard=False,
        body="if not 0 < p < 1.05:\n    raise ValueError('bad p')\n"
        + _SORT
        + _RULE
        + _BACK,
    ),
    _top_p(
        "1 - p in place of p",
        "1",
        body="p = 1 - p if p < 1 else p\n" + _SORT + _RULE + _BACK,
    ),
    _top_p(
        "log-probabilities in place of the kept logits",
        "1",
        body="logits = logits.log_softmax(-1)\n" + _SORT + _RULE + _BACK,
    ),
    _top_p(
        "p clamped into its range",
        "3",
        guard=False,
        body="p = min(max(p, 1e-9), 1.0)\n" + _SORT + _RULE + _BACK,
    ),
    _top_p(
        "exponentials that overflow",
        "3",
        body=_SORT.replace(
            "ordered.softmax(-1)", "ordered.exp() / ordered.exp().sum(-1, keepdim=True)"
        )
        + _RULE
        + _BACK,
    ),
]


def _generate(fault: str, *checks: str, body: str, guard: bool = True) -> Wrong:
    refuse = "if n_new < 0:\n    raise ValueError('n_new is negative')\n"
    body = (refuse if guard else "") + body.strip("\n")
    arguments = "model, ids, n_new, temperature=1.0, generator=None"
    return _wrong("generate", arguments, fault, *checks, body=body)


_LOOP = """\
for _ in range(n_new):
    with torch.no_grad():
        logits = model(ids[:, -model.context :])
    new = sample_token(logits[:, -1], temperature, generator)
    ids = torch.cat([ids, new[:, None]], dim=1)
return ids
"""

GENERATE = [
    _generate(
        "only the new tokens",
        "1",
        body="T = ids.shape[1]\n" + _LOOP.replace("return ids", "return ids[:, T:]"),
    ),
    _generate(
        "one token too few",
        "1",
        body=_LOOP.replace("range(n_new)", "range(n_new - 1)"),
    ),
    _generate(
        "one token too many",
        "1",
        body=_LOOP.replace("range(n_new)", "range(n_new + 1)"),
    ),
    _generate(
        "n_new as the length of the result",
        "1",
        body=_LOOP.replace("range(n_new)", "range(n_new - ids.shape[1])"),
    ),
    _generate(
        "new tokens in front",
        "1",
        body=_LOOP.replace("[ids, new[:, None]]", "[new[:, None], ids]"),
    ),
    _generate(
        "the first text of the batch alone",
        "1",
        body="ids = ids[:1]\n" + _LOOP,
    ),
    _generate("a negative n_new accepted", "1", guard=False, body=_LOOP),
    _generate(
        "n_new = 0 refused",
        "1",
        guard=False,
        body="if n_new < 1:\n    raise ValueError('n_new is too small')\n" + _LOOP,
    ),
    _generate(
        "nothing returned for n_new = 0",
        "1",
        body="for _ in range(n_new):\n"
        "    with torch.no_grad():\n"
        "        logits = model(ids[:, -model.context :])\n"
        "    new = sample_token(logits[:, -1], temperature, generator)\n"
        "    ids = torch.cat([ids, new[:, None]], dim=1)\n"
        "    out = ids\n"
        "return out",
    ),
    _generate(
        "the prompt cut to the context",
        "2",
        body=_LOOP.replace(
            "    with torch", "    ids = ids[:, -model.context :]\n    with torch", 1
        ),
    ),
    _generate(
        "the first row of logits",
        "2",
        body=_LOOP.replace("[:, -1]", "[:, 0]"),
    ),
    _generate(
        "the row before the last",
        "2",
        body=_LOOP.replace("[:, -1]", "[:, max(0, logits.shape[1] - 2)]"),
    ),
    _generate(
        "the row of the prompt's last token in every step",
        "2",
        body="T = ids.shape[1]\n"
        + _LOOP.replace("[:, -1]", "[:, min(T, model.context) - 1]"),
    ),
    _generate(
        "the last text of the batch in place of the last token",
        "1",
        "2",
        body=_LOOP.replace("[:, -1]", "[-1]"),
    ),
    _generate(
        "the prompt read again and again",
        "2",
        body="prompt = ids\n" + _LOOP.replace("model(ids[", "model(prompt["),
    ),
    _generate(
        "the whole text beyond the context",
        "2",
        body=_LOOP.replace("ids[:, -model.context :]", "ids"),
    ),
    _generate(
        "the first tokens of a long text",
        "2",
        body=_LOOP.replace("-model.context :", ": model.context"),
    ),
    _generate(
        "a window one token too short",
        "2",
        body=_LOOP.replace("-model.context :", "-max(1, model.context - 1) :"),
    ),
    _generate(
        "the last token alone",
        "2",
        body=_LOOP.replace("-model.context :", "-1:"),
    ),
    _generate(
        "window jumps: the text starts afresh when the context is full",
        "2",
        body=_LOOP.replace(
            "-model.context :", "(ids.shape[1] - 1) // model.context * model.context :"
        ),
    ),
    _generate(
        "temperature not handed on",
        "2",
        "3",
        body=_LOOP.replace("temperature, generator", "generator=generator"),
    ),
    _generate(
        "always greedy",
        "3",
        body=_LOOP.replace("temperature, generator", "0.0"),
    ),
    _generate(
        "generator not handed on",
        "3",
        body=_LOOP.replace(", generator)", ")"),
    ),
    _generate(
        "the generator seeded again at each step",
        "3",
        body=_LOOP.replace(
            "    new =",
            "    if generator is not None:\n"
            "        generator.manual_seed(generator.initial_seed())\n    new =",
        ),
    ),
    _generate(
        "one draw for all texts",
        "3",
        body=_LOOP.replace("[:, None]", ".flatten()[:1].expand(len(ids), 1)").replace(
            "logits[:, -1]", "logits[:1, -1]"
        ),
    ),
    _generate(
        "temperature applied twice",
        "3",
        body=_LOOP.replace("[:, -1],", "[:, -1] / (temperature or 1),"),
    ),
    _generate(
        "top-k slipped in",
        "3",
        body=_LOOP.replace(
            "    new =",
            "    logits = logits.masked_fill(\n"
            "        logits < logits.topk(2).values[..., -1:], -math.inf)\n    new =",
        ),
    ),
    # The checks name what a call leaves changed in the first check that sees it.
    _generate(
        "the prompt changed in place",
        "1",
        body="ids.clamp_(max=0)\n" + _LOOP,
    ),
    _generate(
        "the model always left in train mode",
        "1",
        body="model.eval()\n"
        + _LOOP.replace("return ids", "model.train()\nreturn ids"),
    ),
    _generate(
        "gradients switched off for good",
        "1",
        body="torch.set_grad_enabled(False)\n" + _LOOP,
    ),
    _generate(
        "gradients always switched on at the end",
        "2",
        body="torch.set_grad_enabled(False)\n"
        + _LOOP.replace("return ids", "torch.set_grad_enabled(True)\nreturn ids"),
    ),
    _generate(
        "the parameters frozen for good",
        "4",
        body="model.requires_grad_(False)\n" + _LOOP,
    ),
    _generate(
        "the model turned into float32",
        "1",
        body="model.float()\n" + _LOOP,
    ),
    _generate(
        "torch seeded anew in every call",
        "3",
        body="torch.manual_seed(0)\n" + _LOOP,
    ),
    _generate(
        "it stops at token 0, as if that meant the end",
        "1",
        body=_LOOP.replace(
            "return ids", "    if (new == 0).all():\n        break\nreturn ids"
        ),
    ),
    _generate(
        "every new token chosen after the prompt alone",
        "2",
        body="with torch.no_grad():\n"
        "    logits = model(ids[:, -model.context :])[:, -1]\n"
        "for _ in range(n_new):\n"
        "    new = sample_token(logits, temperature, generator)\n"
        "    ids = torch.cat([ids, new[:, None]], dim=1)\n"
        "return ids",
    ),
    _generate(
        "a text padded in front to the length of the context",
        "2",
        body=_LOOP.replace("model(ids[", "model(F.pad(ids, (model.context, 0))["),
    ),
    _generate(
        "the model left in eval mode",
        "4",
        body="model.eval()\n" + _LOOP,
    ),
]


def _min_p(fault: str, body: str) -> Wrong:
    return _wrong("keep_min_p", "logits, p", fault, "1", body=body)


_BAR = "if not 0 < p <= 1:\n    raise ValueError('bad p')\n"

MIN_P = [
    _min_p(
        "the bar is p itself",
        _BAR + "return logits.masked_fill(logits.softmax(-1) < p, -math.inf)",
    ),
    _min_p(
        "p times the largest logit",
        _BAR + "bar = p * logits.amax(-1, keepdim=True)\n"
        "return logits.masked_fill(logits < bar, -math.inf)",
    ),
    _min_p(
        "the largest logit of the batch",
        _BAR + "bar = logits.max() + math.log(p)\n"
        "return logits.masked_fill(logits < bar, -math.inf)",
    ),
    _min_p(
        "the largest of each column",
        _BAR + "bar = logits.amax(0, keepdim=True) + math.log(p)\n"
        "return logits.masked_fill(logits < bar, -math.inf)",
    ),
    _min_p(
        "dropped tokens get the logit 0",
        _BAR + "bar = logits.amax(-1, keepdim=True) + math.log(p)\n"
        "return logits.masked_fill(logits < bar, 0.0)",
    ),
    _min_p(
        "no p refused",
        "q = logits.softmax(-1)\n"
        "return logits.masked_fill(q < p * q.amax(-1, keepdim=True), -math.inf)",
    ),
]


def _repeats(fault: str, body: str) -> Wrong:
    arguments = "logits, ids, penalty"
    return _wrong("penalise_repeats", arguments, fault, "1", body=body)


_SEEN = "seen = torch.zeros_like(logits).bool().scatter(-1, ids, True)\n"

REPEATS = [
    _repeats(
        "negative logits divided too",
        _SEEN + "return torch.where(seen, logits / penalty, logits)",
    ),
    _repeats(
        "rewarded in place of penalised",
        _SEEN + "up = torch.where(logits > 0, logits * penalty, logits / penalty)\n"
        "return torch.where(seen, up, logits)",
    ),
    _repeats(
        "once for each time it was seen",
        "counts = torch.zeros_like(logits).scatter_add(\n"
        "    -1, ids, torch.ones_like(ids, dtype=logits.dtype))\n"
        "r = penalty ** counts\n"
        "return torch.where(logits > 0, logits / r, logits * r)",
    ),
    _repeats(
        "seen in any text of the batch",
        "seen = torch.zeros(logits.shape[-1], dtype=torch.bool)\n"
        "seen[ids.flatten()] = True\n"
        "down = torch.where(logits > 0, logits / penalty, logits * penalty)\n"
        "return torch.where(seen, down, logits)",
    ),
    _repeats(
        "the penalty subtracted",
        _SEEN + "return torch.where(seen, logits - penalty, logits)",
    ),
    _repeats(
        "the last token alone",
        "ids = ids[:, -1:]\n"
        + _SEEN
        + "down = torch.where(logits > 0, logits / penalty, logits * penalty)\n"
        + "return torch.where(seen, down, logits)",
    ),
    _repeats(
        "logits changed in place",
        _SEEN + "down = torch.where(logits > 0, logits / penalty, logits * penalty)\n"
        "return logits.copy_(torch.where(seen, down, logits))",
    ),
]


def _gumbel(fault: str, body: str) -> Wrong:
    arguments = "logits, temperature=1.0, generator=None"
    return _wrong("sample_gumbel", arguments, fault, "1", body=body)


_NOISE = "noise = torch.empty_like(logits).exponential_(generator=generator)\n"

GUMBEL = [
    _gumbel(
        "the sign of the noise",
        _NOISE + "return (logits + temperature * noise.log()).argmax(-1)",
    ),
    _gumbel(
        "exponential noise without the logarithm",
        _NOISE + "return (logits + temperature * noise).argmax(-1)",
    ),
    _gumbel(
        "added to probabilities",
        _NOISE + "return (logits.softmax(-1) - noise.log()).argmax(-1)",
    ),
    _gumbel(
        "temperature ignored",
        _NOISE + "return (logits - noise.log()).argmax(-1)",
    ),
    _gumbel(
        "logits multiplied by the temperature",
        _NOISE + "return (logits * temperature - noise.log()).argmax(-1)",
    ),
    _gumbel(
        "one noise for all rows",
        "noise = torch.empty(logits.shape[-1]).exponential_(generator=generator)\n"
        "return (logits - temperature * noise.log()).argmax(-1)",
    ),
    _gumbel(
        "the generator not used",
        _NOISE.replace("generator=generator", "")
        + "return (logits - temperature * noise.log()).argmax(-1)",
    ),
    _gumbel(
        "division by a temperature of 0",
        _NOISE + "return (logits / temperature - noise.log()).argmax(-1)",
    ),
]

WRONG = [
    *PROBABILITIES,
    *SAMPLES,
    *TOP_K,
    *TOP_P,
    *GENERATE,
    *MIN_P,
    *REPEATS,
    *GUMBEL,
]
