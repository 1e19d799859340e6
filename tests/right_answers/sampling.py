"""Right answers to lesson 3 that look different from the solution."""

from answers import Right


def _right(exercise: str, arguments: str, style: str, body: str) -> Right:
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    return Right(exercise, style, f"def {exercise}({arguments}):\n{lines}\n")


def _probabilities(style: str, body: str) -> Right:
    refuse = "if not 0 <= temperature < math.inf:\n    raise ValueError('bad')\n"
    body = refuse + body.strip("\n")
    return _right("token_probabilities", "logits, temperature=1.0", style, body)


PROBABILITIES = [
    _probabilities(
        "one_hot and plain division",
        """
if temperature == 0:
    return F.one_hot(logits.argmax(-1), logits.shape[-1]).to(logits.dtype)
return torch.softmax(logits / temperature, dim=-1)
""",
    ),
    _probabilities(
        "own exponentials below the maximum",
        """
if not temperature:
    best = logits.max(dim=-1).indices.unsqueeze(-1)
    return (torch.arange(logits.shape[-1]) == best).to(logits.dtype)
z = logits / temperature
e = torch.exp(z - z.max(dim=-1, keepdim=True)[0])
return e / e.sum(dim=-1, keepdim=True)
""",
    ),
    _probabilities(
        "the last of tied logits, and logsumexp",
        """
if temperature == 0:
    last = logits.shape[-1] - 1 - logits.flip(-1).argmax(-1)
    return torch.eye(logits.shape[-1], dtype=logits.dtype)[last]
z = logits / temperature
return (z - z.logsumexp(-1, keepdim=True)).exp()
""",
    ),
    _probabilities(
        "float64 inside",
        """
z = logits.double()
if temperature == 0:
    p = torch.zeros_like(z)
    p.scatter_(-1, z.topk(1).indices, 1.0)
else:
    p = z.div(temperature).softmax(-1)
return p.to(logits.dtype)
""",
    ),
    _probabilities(
        "row by row in plain Python",
        """
if logits.dim() > 1:
    return torch.stack([token_probabilities(row, temperature) for row in logits])
z = logits.tolist()
top = max(z)
if temperature == 0:
    weights = [0.0] * len(z)
    weights[z.index(top)] = 1.0
else:
    weights = [math.exp((number - top) / temperature) for number in z]
total = math.fsum(weights)
return torch.tensor([w / total for w in weights], dtype=logits.dtype)
""",
    ),
    _probabilities(
        "row by row in a loop",
        """
rows = []
for row in logits.reshape(-1, logits.shape[-1]):
    if temperature == 0:
        p = torch.zeros_like(row)
        p[row.argmax()] = 1
    else:
        p = F.softmax(row / temperature, dim=0)
    rows.append(p)
return torch.stack(rows).reshape(logits.shape)
""",
    ),
    Right(
        "token_probabilities",
        "probabilities to the power 1/temperature, in logarithms",
        """\
def token_probabilities(logits, temperature=1.0):
    if math.isnan(temperature) or math.isinf(temperature) or temperature < 0:
        raise ValueError("no such temperature")
    if temperature == 0:
        winner = logits.argmax(dim=-1, keepdim=True)
        return torch.scatter(torch.zeros_like(logits), -1, winner, 1)
    return ((1 / temperature) * logits.log_softmax(-1)).softmax(-1)
""",
    ),
]


def _sample(style: str, body: str) -> Right:
    arguments = "logits, temperature=1.0, generator=None"
    return _right("sample_token", arguments, style, body)


SAMPLES = [
    _sample(
        "Gumbel-max",
        """
u = torch.rand(logits.shape, generator=generator, dtype=torch.float64)
gumbel = -torch.log(-torch.log(u.clamp(min=1e-300)))
return (logits + temperature * gumbel).argmax(-1)
""",
    ),
    _sample(
        "inverse CDF by searchsorted",
        """
p = token_probabilities(logits.double(), temperature)
steps = p.cumsum(-1)
u = torch.rand(*p.shape[:-1], 1, generator=generator, dtype=p.dtype)
ids = torch.searchsorted(steps, u * steps[..., -1:])[..., 0]
return ids.clamp(max=p.shape[-1] - 1)
""",
    ),
    _sample(
        "exponential race",
        """
p = token_probabilities(logits, temperature)
return (p / torch.empty_like(p).exponential_(1, generator=generator)).argmax(-1)
""",
    ),
    _sample(
        "drawn in sorted order, then gathered",
        """
p = token_probabilities(logits, temperature)
ordered, places = p.sort(-1, descending=True)
rows = ordered.reshape(-1, p.shape[-1])
rank = torch.multinomial(rows, 1, generator=generator)
ids = places.reshape(-1, p.shape[-1]).gather(-1, rank)
return ids.reshape(logits.shape[:-1])
""",
    ),
    _sample(
        "weights that do not sum to 1",
        """
if temperature == 0:
    return logits.argmax(-1)
below = logits - logits.amax(-1, keepdim=True)
rows = (below / temperature).exp().reshape(-1, logits.shape[-1])
return torch.multinomial(rows, 1, generator=generator).reshape(logits.shape[:-1])
""",
    ),
    _sample(
        "one row after the other, by recursion",
        """
if logits.dim() > 1:
    return torch.stack([sample_token(row, temperature, generator) for row in logits])
return torch.multinomial(
    token_probabilities(logits, temperature), 1, generator=generator)[0]
""",
    ),
    _sample(
        "one uniform number, compared with inner edges",
        """
p = token_probabilities(logits, temperature)
u = torch.rand(*logits.shape[:-1], 1, generator=generator)
return (p.cumsum(-1)[..., :-1] <= u).long().sum(-1)
""",
    ),
    _sample(
        "a new generator, seeded from the given one",
        """
seed = torch.randint(2**62, (), generator=generator).item()
mine = torch.Generator().manual_seed(seed)
p = token_probabilities(logits, temperature)
rows = p.reshape(-1, p.shape[-1])
return torch.multinomial(rows, 1, generator=mine).reshape(p.shape[:-1])
""",
    ),
    _sample(
        "with replacement, row by row, in float64",
        """
rows = token_probabilities(logits, temperature).double()
flat = rows.reshape(-1, rows.shape[-1])
ids = [torch.multinomial(row, 1, True, generator=generator) for row in flat]
return torch.cat(ids).reshape(logits.shape[:-1])
""",
    ),
]


def _top_k(style: str, body: str) -> Right:
    body = "if k < 1:\n    raise ValueError('k is below 1')\n" + body.strip("\n")
    return _right("keep_top_k", "logits, k", style, body)


TOP_K = [
    _top_k(
        "ranks by sorting twice",
        """
rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
return torch.where(rank < k, logits, -math.inf)
""",
    ),
    _top_k(
        "a mask of kept places",
        """
n = min(k, logits.size(-1))
kept = torch.zeros_like(logits, dtype=torch.bool)
kept.scatter_(-1, torch.topk(logits, n).indices, True)
return logits.masked_fill(~kept, float("-inf"))
""",
    ),
    _top_k(
        "the smallest dropped one by one place",
        """
drop = max(0, logits.shape[-1] - k)
places = logits.sort(-1).indices[..., :drop]
return logits.clone().scatter(-1, places, -torch.inf)
""",
    ),
    _top_k(
        "a bar, and room for some of the tied",
        """
n = logits.shape[-1]
if k >= n:
    return logits
bar = logits.kthvalue(n - k + 1, dim=-1, keepdim=True).values
above, tied = logits > bar, logits == bar
room = k - above.sum(-1, keepdim=True)
keep = above | tied & (tied.cumsum(-1) <= room)
return torch.where(keep, logits, torch.tensor(-math.inf, dtype=logits.dtype))
""",
    ),
    _top_k(
        "row by row in a loop",
        """
out = torch.full(logits.shape, -math.inf, dtype=logits.dtype)
for row, new in zip(
    logits.reshape(-1, logits.shape[-1]), out.view(-1, logits.shape[-1])
):
    for place in sorted(range(len(row)), key=lambda i: -row[i])[:k]:
        new[place] = row[place]
return out
""",
    ),
    _top_k(
        "additive mask",
        """
mask = torch.full_like(logits, -math.inf)
mask = mask.scatter(-1, logits.topk(min(k, logits.shape[-1])).indices, 0.0)
return logits + mask
""",
    ),
]


def _top_p(style: str, body: str) -> Right:
    body = "if not 0 < p <= 1:\n    raise ValueError('bad p')\n" + body.strip("\n")
    return _right("keep_top_p", "logits, p", style, body)


TOP_P = [
    _top_p(
        "ascending sort, the last one kept",
        """
ordered, places = logits.sort(-1)
drop = ordered.softmax(-1).cumsum(-1) <= 1 - p
drop[..., -1] = False
return logits.masked_fill(drop.scatter(-1, places, drop), -math.inf)
""",
    ),
    _top_p(
        "inclusive sum moved right by one",
        """
ordered, places = torch.sort(logits, descending=True, dim=-1)
drop = ordered.softmax(-1).cumsum(-1) >= p
drop = torch.cat([torch.zeros_like(drop[..., :1]), drop[..., :-1]], -1)
mask = torch.zeros_like(drop).scatter(-1, places, drop)
return logits.masked_fill(mask, -math.inf)
""",
    ),
    _top_p(
        "exclusive sum and inverse places",
        """
places = logits.argsort(-1, descending=True)
share = logits.softmax(-1).gather(-1, places)
keep = share.cumsum(-1) - share < p
return torch.where(keep.gather(-1, places.argsort(-1)), logits, -math.inf)
""",
    ),
    _top_p(
        "a cut-off logit",
        """
ordered = logits.sort(-1, descending=True).values
share = ordered.softmax(-1)
n = (share.cumsum(-1) - share < p).sum(-1, keepdim=True)
return logits.masked_fill(logits < ordered.gather(-1, n - 1), -math.inf)
""",
    ),
    _top_p(
        "searchsorted, and ranks",
        """
if p == 1:
    return logits
share, places = logits.softmax(-1).sort(-1, descending=True)
held = share.cumsum(-1)
n = torch.searchsorted(held, torch.full_like(held[..., :1], p))
return torch.where(places.argsort(-1) <= n, logits, -math.inf)
""",
    ),
    _top_p(
        "pairs of tokens, no sort",
        """
share = logits.softmax(-1)
larger = logits[..., None, :] > logits[..., :, None]
before = (larger * share[..., None, :]).sum(-1)
return torch.where(before < p, logits, -math.inf)
""",
    ),
    _top_p(
        "row by row in a loop, with token_probabilities",
        """
shares = token_probabilities(logits).reshape(-1, logits.shape[-1])
out = torch.full_like(shares, -math.inf)
for share, new, old in zip(shares, out, logits.reshape(shares.shape)):
    total = 0.0
    for place in share.argsort(descending=True):
        new[place] = old[place]
        total += float(share[place])
        if total >= p and p < 1:
            break
return out.reshape(logits.shape)
""",
    ),
]


def _generate(style: str, body: str, before: str = "") -> Right:
    refuse = "if n_new < 0:\n    raise ValueError('n_new is negative')\n"
    arguments = "model, ids, n_new, temperature=1.0, generator=None"
    right = _right("generate", arguments, style, refuse + body.strip("\n"))
    return Right("generate", style, before + right.source)


GENERATE = [
    _generate(
        "no_grad as a decorator, slice from the front",
        """
for _ in range(n_new):
    start = max(0, ids.size(1) - model.context)
    logits = model(ids[:, start:])
    token = sample_token(logits[:, -1, :], temperature, generator)
    ids = torch.cat((ids, token.unsqueeze(-1)), dim=-1)
return ids
""",
        before="@torch.no_grad()\n",
    ),
    _generate(
        "inference mode",
        """
for _ in range(n_new):
    logits = model(ids[:, -model.context :])
    token = sample_token(logits[:, -1], temperature, generator)
    ids = torch.hstack([ids, token.view(-1, 1)])
return ids
""",
        before="@torch.inference_mode()\n",
    ),
    _generate(
        "eval mode and back",
        """
mode = model.training
model.eval()
with torch.no_grad():
    for _ in range(n_new):
        logits = model(ids[:, -model.context :])[:, -1]
        token = sample_token(logits, temperature, generator)
        ids = torch.cat([ids, token[:, None]], 1)
model.train(mode)
return ids
""",
    ),
    _generate(
        "room for all tokens made beforehand",
        """
B, T = ids.shape
out = torch.zeros(B, T + n_new, dtype=ids.dtype)
out[:, :T] = ids
for t in range(T, T + n_new):
    with torch.no_grad():
        logits = model(out[:, max(0, t - model.context) : t])
    out[:, t] = sample_token(logits[:, -1], temperature, generator)
return out
""",
    ),
    _generate(
        "own draw in place of sample_token",
        """
for _ in range(n_new):
    z = model(ids[:, -model.context :]).detach()[:, -1]
    if temperature == 0:
        token = z.argmax(-1, keepdim=True)
    else:
        p = (z / temperature).softmax(-1)
        token = torch.multinomial(p, 1, generator=generator)
    ids = torch.cat([ids, token], 1)
return ids
""",
    ),
    _generate(
        "one text at a time",
        """
texts = []
with torch.no_grad():
    for row in ids[:, None]:
        for _ in range(n_new):
            z = model(row[:, -model.context :])[:, -1]
            new = sample_token(z, temperature, generator)
            row = torch.cat([row, new[:, None]], 1)
        texts.append(row)
return torch.cat(texts)
""",
    ),
    _generate(
        "a token drawn at every place, the last one kept",
        """
for _ in range(n_new):
    with torch.inference_mode():
        z = model(ids[:, -model.context :])
    ids = torch.cat((ids, sample_token(z, temperature, generator)[:, -1:]), 1)
return ids
""",
    ),
    _generate(
        "recursion",
        """
if n_new == 0:
    return ids.clone()
with torch.no_grad():
    last = model(ids[:, -min(ids.shape[1], model.context) :])[:, -1]
token = sample_token(last, temperature, generator=generator)[:, None]
longer = torch.cat([ids, token], 1)
return generate(model, longer, n_new - 1, temperature, generator)
""",
    ),
]

STRETCH = [
    _right(
        "keep_min_p",
        "logits, p",
        "probabilities",
        """
if not 0 < p <= 1:
    raise ValueError("bad p")
q = logits.softmax(-1)
return torch.where(q / q.amax(-1, keepdim=True) < p * (1 - 1e-9), -math.inf, logits)
""",
    ),
    _right(
        "penalise_repeats",
        "logits, ids, penalty",
        "gather and scatter",
        """
z = logits.gather(-1, ids)
z = torch.where(z < 0, z * penalty, z / penalty)
return logits.scatter(-1, ids, z)
""",
    ),
    _right(
        "penalise_repeats",
        "logits, ids, penalty",
        "sets in a loop",
        """
out = logits.clone()
for row, seen in zip(out, ids.tolist()):
    for token in set(seen):
        row[token] = row[token] / penalty if row[token] > 0 else row[token] * penalty
return out
""",
    ),
    _right(
        "sample_gumbel",
        "logits, temperature=1.0, generator=None",
        "uniform numbers",
        """
u = torch.rand(logits.shape, generator=generator, dtype=torch.float64)
gumbel = -torch.log(-torch.log(u.clamp(min=1e-300)))
if temperature == 0:
    return logits.argmax(-1)
return (logits / temperature + gumbel).argmax(-1)
""",
    ),
]

RIGHT = [
    *PROBABILITIES,
    *SAMPLES,
    *TOP_K,
    *TOP_P,
    *GENERATE,
    *STRETCH,
]
