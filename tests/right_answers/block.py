"""Right answers to lesson 1 that look different from the solution."""

from answers import Right

RIGHT = [
    Right(
        "layer_norm",
        "var with correction=0",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    variance = x.var(-1, correction=0, keepdim=True)
    return (x - x.mean(-1, True)) * torch.rsqrt(variance + eps) * scale + shift
""",
    ),
    Right(
        "layer_norm",
        "var_mean",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(shift, (x - mean) / torch.sqrt(variance + eps), scale)
""",
    ),
    Right(
        "layer_norm",
        "centring matrix",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    D = x.shape[-1]
    centred = x @ (torch.eye(D, dtype=x.dtype) - 1 / D)
    return centred * (centred.square().mean(-1, True) + eps).rsqrt() * scale + shift
""",
    ),
    Right(
        "layer_norm",
        "row by row in a loop",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    rows = []
    for row in x.reshape(-1, x.shape[-1]):
        d = row - row.sum() / len(row)
        rows.append(d / ((d * d).sum() / len(row) + eps) ** 0.5)
    return torch.stack(rows).reshape(x.shape) * scale + shift
""",
    ),
    Right(
        "layer_norm",
        "einsum and linalg norm",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    D = x.size(-1)
    c = x - torch.einsum("...d->...", x)[..., None] / D
    root = torch.sqrt(torch.linalg.vector_norm(c, dim=-1, keepdim=True) ** 2 / D + eps)
    return scale * (c / root) + shift
""",
    ),
    Right(
        "layer_norm",
        "a helper and keyword arguments",
        """\
def mean_of(y):
    return torch.mean(y, dim=-1, keepdim=True)


def layer_norm(x, scale, shift, eps=1e-5):
    print("norm of", x.shape)
    y = x.clone()
    y -= mean_of(x)
    y /= (mean_of(y**2) + eps).sqrt()
    return y.mul_(scale).add_(shift)
""",
    ),
    Right(
        "attention",
        "einsum, no transpose",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    W_q, W_k, W_v = (W.reshape(D, n_heads, d_k) for W in (w.W_q, w.W_k, w.W_v))
    b_q, b_k, b_v = (b.reshape(n_heads, 1, d_k) for b in (w.b_q, w.b_k, w.b_v))
    q = torch.einsum("btd,dhe->bhte", x, W_q) + b_q
    k = torch.einsum("btd,dhe->bhte", x, W_k) + b_k
    v = torch.einsum("btd,dhe->bhte", x, W_v) + b_v
    s = torch.einsum("bhqe,bhke->bhqk", q, k) / math.sqrt(d_k)
    if causal:
        s = s + torch.full((T, T), -math.inf, dtype=x.dtype).triu(1)
    p = torch.softmax(s, dim=-1)
    W_o = w.W_o.reshape(n_heads, d_k, D)
    return torch.einsum("bhqk,bhke,hed->bqd", p, v, W_o) + w.b_o
""",
    ),
    Right(
        "attention",
        "fused projection, chunk, lowest number as the mask",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    qkv = x @ torch.cat([w.W_q, w.W_k, w.W_v], 1) + torch.cat([w.b_q, w.b_k, w.b_v])
    q, k, v = qkv.reshape(B, T, 3, n_heads, d_k).permute(2, 0, 3, 1, 4)
    s = (q * d_k**-0.5) @ k.transpose(-2, -1)
    if causal:
        keep = torch.arange(T)[:, None] >= torch.arange(T)
        s = torch.where(keep, s, torch.finfo(s.dtype).min)
    return torch.softmax(s, -1).matmul(v).permute(0, 2, 1, 3).flatten(2) @ w.W_o + w.b_o
""",
    ),
    Right(
        "attention",
        "a loop over heads, columns sliced",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    outs = []
    for h in range(n_heads):
        cut = slice(h * d_k, (h + 1) * d_k)
        q = x @ w.W_q[:, cut] + w.b_q[cut]
        k = x @ w.W_k[:, cut] + w.b_k[cut]
        v = x @ w.W_v[:, cut] + w.b_v[cut]
        s = q @ k.transpose(1, 2) / d_k**0.5
        if causal:
            s = s.masked_fill(~torch.ones(T, T).tril().bool(), float("-inf"))
        outs.append(s.softmax(2) @ v)
    return torch.cat(outs, dim=2) @ w.W_o + w.b_o
""",
    ),
    Right(
        "attention",
        "each head times its rows of W_o, then summed",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    out = w.b_o.expand(B, T, D)
    matrices = (W.split(d_k, dim=1) for W in (w.W_q, w.W_k, w.W_v))
    vectors = (b.split(d_k) for b in (w.b_q, w.b_k, w.b_v, w.W_o))
    heads = zip(*matrices, *vectors, strict=True)
    for W_q, W_k, W_v, b_q, b_k, b_v, W_o in heads:
        s = (x @ W_q + b_q) @ (x @ W_k + b_k).mT / math.sqrt(d_k)
        if causal:
            s = s - torch.ones(T, T, dtype=x.dtype).triu(1) * 1e30
        out = out + s.softmax(-1) @ (x @ W_v + b_v) @ W_o
    return out
""",
    ),
    Right(
        "attention",
        "heads folded into the batch, baddbmm",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    def fold(y):
        return y.view(B, T, n_heads, d_k).transpose(1, 2).reshape(B * n_heads, T, d_k)

    q, k, v = fold(x @ w.W_q + w.b_q), fold(x @ w.W_k + w.b_k), fold(x @ w.W_v + w.b_v)
    mask = torch.zeros(T, T, dtype=x.dtype)
    if causal:
        mask = mask.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), -math.inf)
    p = torch.baddbmm(mask, q, k.mT, alpha=d_k**-0.5).softmax(-1)
    o = torch.bmm(p, v).view(B, n_heads, T, d_k).transpose(1, 2).reshape(B, T, D)
    return F.linear(o, w.W_o.T, w.b_o)
""",
    ),
    Right(
        "attention",
        "own softmax by exp and tril",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    q, k, v = ((x @ W + b).reshape(B, T, n_heads, d_k).transpose(1, 2)
               for W, b in ((w.W_q, w.b_q), (w.W_k, w.b_k), (w.W_v, w.b_v)))
    e = (q @ k.mT / d_k**0.5).exp()
    if causal:
        e = e.tril()
    p = e / e.sum(-1, keepdim=True)
    return (p @ v).transpose(1, 2).flatten(2) @ w.W_o + w.b_o
""",
    ),
    Right(
        "attention",
        "own softmax with the maximum taken off",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    q, k, v = (F.linear(x, W.mT, b).unflatten(-1, (n_heads, d_k)).transpose(1, 2)
               for W, b in ((w.W_q, w.b_q), (w.W_k, w.b_k), (w.W_v, w.b_v)))
    s = torch.einsum("bhqe,bhke->bhqk", q, k) / d_k**0.5
    if causal:
        s[..., torch.ones(T, T).triu(1) > 0] = -math.inf
    e = (s - s.amax(-1, keepdim=True)).exp()
    o = (e / e.sum(-1, keepdim=True)) @ v
    return o.transpose(1, 2).flatten(2) @ w.W_o + w.b_o
""",
    ),
    Right(
        "attention",
        "no mask: each query reads a slice",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    q, k, v = ((x @ W + b).reshape(B, T, n_heads, d_k).permute(0, 2, 1, 3)
               for W, b in ((w.W_q, w.b_q), (w.W_k, w.b_k), (w.W_v, w.b_v)))
    rows = []
    for t in range(T):
        end = t + 1 if causal else T
        s = q[:, :, t : t + 1] @ k[:, :, :end].mT / d_k**0.5
        rows.append(s.softmax(-1) @ v[:, :, :end])
    return torch.cat(rows, 2).transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Right(
        "attention",
        "value bias after the weighted sum, mask after the softmax with a new sum",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    q, k, v = ((x @ W + b).reshape(B, T, n_heads, d_k).transpose(1, 2)
               for W, b in ((w.W_q, w.b_q), (w.W_k, w.b_k), (w.W_v, 0)))
    p = (q @ k.mT / d_k**0.5).softmax(-1)
    if causal:
        p = p.tril() / p.tril().sum(-1, keepdim=True)
    return ((p @ v).transpose(1, 2).reshape(B, T, D) + w.b_v) @ w.W_o + w.b_o
""",
    ),
    Right(
        "attention",
        "running softmax over the keys",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    q, k, v = ((x @ W + b).reshape(B, T, n_heads, d_k).transpose(1, 2)
               for W, b in ((w.W_q, w.b_q), (w.W_k, w.b_k), (w.W_v, w.b_v)))
    top = torch.full((B, n_heads, T, 1), -math.inf, dtype=x.dtype)
    total, out = torch.zeros_like(top), torch.zeros_like(q)
    for s in range(T):
        score = q @ k[:, :, s : s + 1].mT / d_k**0.5
        if causal:
            score = torch.where(torch.arange(T)[:, None] >= s, score, -math.inf)
        new = torch.maximum(top, score)
        old, now = (top - new).exp(), (score - new).exp()
        total, out = total * old + now, out * old + now * v[:, :, s : s + 1]
        top = new
    return (out / total).transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Right(
        "attention",
        "one sequence at a time",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads != 0:
        raise ValueError(f"{n_heads} heads for {D} features")
    d_k = D // n_heads
    def one(y):
        q, k, v = (z.view(T, n_heads, d_k).swapaxes(0, 1) for z in
                   (y @ w.W_q + w.b_q, y @ w.W_k + w.b_k, y @ w.W_v + w.b_v))
        s = torch.bmm(q, k.transpose(1, 2)).div(d_k**0.5)
        if causal:
            s = s.masked_fill_(torch.triu(torch.ones_like(s), 1).bool(), -1e9)
        return torch.bmm(s.softmax(-1), v).swapaxes(0, 1).reshape(T, D) @ w.W_o + w.b_o

    return torch.stack([one(y) for y in x])
""",
    ),
    Right(
        "mlp",
        "linear with transposed weights",
        """\
def mlp(x, w, activation=F.gelu):
    return F.linear(activation(F.linear(x, w.W_1.T, w.b_1)), w.W_2.T, w.b_2)
""",
    ),
    Right(
        "mlp",
        "a convolution of width 1",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = activation(F.conv1d(x.mT, w.W_1.T[..., None], w.b_1))
    return F.conv1d(hidden, w.W_2.T[..., None], w.b_2).mT
""",
    ),
    Right(
        "mlp",
        "GELU by erf",
        """\
def gelu(z):
    return 0.5 * z * (1 + torch.erf(z / 2**0.5))


def mlp(x, w, activation=gelu):
    return activation(x.matmul(w.W_1).add(w.b_1)).matmul(w.W_2).add(w.b_2)
""",
    ),
    Right(
        "mlp",
        "GELU by erfc",
        """\
def mlp(x, w, activation=lambda z: 0.5 * z * torch.erfc(-z / math.sqrt(2))):
    return torch.einsum("btf,fd->btd", activation(x @ w.W_1 + w.b_1), w.W_2) + w.b_2
""",
    ),
    Right(
        "mlp",
        "GELU by ndtr",
        """\
def mlp(x, w, activation=lambda z: z * torch.special.ndtr(z)):
    return activation(x @ w.W_1 + w.b_1) @ w.W_2 + w.b_2
""",
    ),
    Right(
        "mlp",
        "GELU by the normal distribution",
        """\
def mlp(x, w, activation=None):
    if activation is None:
        normal = torch.distributions.Normal(0.0, 1.0)
        activation = lambda z: z * normal.cdf(z)  # noqa: E731
    return activation(x @ w.W_1 + w.b_1) @ w.W_2 + w.b_2
""",
    ),
    Right(
        "mlp",
        "token by token",
        """\
def mlp(x, w, activation=F.gelu):
    rows = [activation(row @ w.W_1 + w.b_1) @ w.W_2 + w.b_2 for row in x.flatten(0, 1)]
    return torch.stack(rows).view(x.shape)
""",
    ),
    Right(
        "pre_ln_block",
        "two named steps",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    normed = layer_norm(x, w.ln1_scale, w.ln1_shift)
    middle = x + attention(normed, w, n_heads, causal=causal)
    normed = layer_norm(middle, w.ln2_scale, w.ln2_shift)
    return middle + mlp(normed, w, activation=activation)
""",
    ),
    Right(
        "pre_ln_block",
        "sums in place in a copy",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    stream = x.clone()
    normed = layer_norm(x, scale=w.ln1_scale, shift=w.ln1_shift)
    stream += attention(normed, w, n_heads, causal)
    stream += mlp(layer_norm(stream, w.ln2_scale, w.ln2_shift), w, activation)
    return stream
""",
    ),
    Right(
        "pre_ln_block",
        "nothing borrowed from the other exercises",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    B, T, D = x.shape

    def norm(y, scale, shift):
        var, mean = torch.var_mean(y, -1, correction=0, keepdim=True)
        return (y - mean) * (var + 1e-5).rsqrt() * scale + shift

    h = norm(x, w.ln1_scale, w.ln1_shift)
    q, k, v = (
        (h @ W + b).reshape(B, T, n_heads, -1).transpose(1, 2)
        for W, b in ((w.W_q, w.b_q), (w.W_k, w.b_k), (w.W_v, w.b_v))
    )
    s = q @ k.mT / (D // n_heads) ** 0.5
    if causal:
        s = s.masked_fill(torch.ones(T, T).triu(1).bool(), -torch.inf)
    x = x + (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
    h = norm(x, w.ln2_scale, w.ln2_shift)
    return x + activation(h @ w.W_1 + w.b_1) @ w.W_2 + w.b_2
""",
    ),
    Right(
        "pre_ln_block",
        "a loop over the two steps",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    steps = (
        (w.ln1_scale, w.ln1_shift, lambda h: attention(h, w, n_heads, causal)),
        (w.ln2_scale, w.ln2_shift, lambda h: mlp(h, w, activation)),
    )
    for scale, shift, part in steps:
        x = torch.add(x, part(layer_norm(x, scale, shift)))
    return x
""",
    ),
    Right(
        "block_shapes",
        "shapes of torch",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1:
        raise ValueError("at least one head")
    d_k, rest = divmod(d_model, n_heads)
    if rest:
        raise ValueError("n_heads has to divide d_model")
    x = torch.empty(batch, tokens, d_model)
    heads = torch.empty(batch, n_heads, tokens, d_k)
    return dict(
        output=x.shape,
        ln=x.shape,
        queries=heads.shape,
        attention_weights=(heads @ heads.mT).shape,
        mlp_hidden=torch.Size([batch, tokens, d_ff]),
    )
""",
    ),
    Right(
        "block_shapes",
        "lists, and a named leading part",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads <= 0 or d_model // n_heads * n_heads != d_model:
        raise ValueError("the heads do not fit")
    rows, heads = [batch, tokens], [batch, n_heads, tokens]
    shapes = {"ln": rows + [d_model], "queries": heads + [d_model // n_heads]}
    shapes["attention_weights"] = heads + [tokens]
    shapes["mlp_hidden"] = rows + [d_ff]
    shapes["output"] = shapes["ln"]
    return shapes
""",
    ),
    Right(
        "block_shapes",
        "meta tensors",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads not in range(1, d_model + 1) or d_model % n_heads > 0:
        raise ValueError(f"d_model {d_model} is no multiple of n_heads {n_heads}")
    x = torch.empty(batch, tokens, d_model, device="meta")
    q = x.view(batch, tokens, n_heads, -1).transpose(1, 2)
    hidden = x @ torch.empty(d_model, d_ff, device="meta")
    found = {"ln": x, "queries": q, "attention_weights": q @ q.mT}
    found |= {"mlp_hidden": hidden, "output": x}
    return {name: tuple(value.shape) for name, value in found.items()}
""",
    ),
    Right(
        "post_ln_block",
        "in two lines",
        """\
def post_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    x = layer_norm(x + attention(x, w, n_heads, causal), w.ln1_scale, w.ln1_shift)
    return layer_norm(x + mlp(x, w, activation), w.ln2_scale, w.ln2_shift)
""",
    ),
    Right(
        "rms_norm",
        "norms, rsqrt and sigmoid",
        """\
def rms_norm(x, scale, eps=1e-6):
    return scale * x * torch.rsqrt(torch.mean(x**2, -1, True) + eps)


def swiglu(x, W_gate, W_up, W_down):
    gate = F.linear(x, W_gate.T)
    return F.linear(gate * torch.sigmoid(gate) * F.linear(x, W_up.T), W_down.T)
""",
    ),
]
