"""Wrong answers to lesson 1, most of them seen in real projects."""

from answers import Wrong

WRONG = [
    Wrong(
        "layer_norm",
        "unbiased variance",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "unbiased standard deviation, eps outside",
        ("layer_norm_check_1", "layer_norm_check_2"),
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / (x.std(-1, keepdim=True) + eps) * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "eps added to the standard deviation",
        "layer_norm_check_2",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance.sqrt() + eps) * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "eps of 1e-6 by default",
        "layer_norm_check_2",
        """\
def layer_norm(x, scale, shift, eps=1e-6):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "eps of 1e-12 by default",
        "layer_norm_check_2",
        """\
def layer_norm(x, scale, shift, eps=1e-12):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "eps written into the body",
        "layer_norm_check_2",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance + 1e-5).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "no eps",
        "layer_norm_check_2",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / variance.sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "eps as a floor of the variance",
        "layer_norm_check_2",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / variance.clamp(min=eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "mean and variance over tokens and features",
        "layer_norm_check_3",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean((-2, -1), keepdim=True)
    variance = (x - mean).square().mean((-2, -1), keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "axis 1 instead of the last axis",
        "layer_norm_check_3",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(1, keepdim=True)
    variance = (x - mean).square().mean(1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "over the token axis",
        ("layer_norm_check_1", "layer_norm_check_3"),
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-2, keepdim=True)
    variance = (x - mean).square().mean(-2, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "the mean is not subtracted",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return x / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "mean of squares minus square of the mean",
        "layer_norm_check_3",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = x.square().mean(-1, keepdim=True) - mean.square()
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "no root",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance + eps) * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "shift before scale",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return ((x - mean) / (variance + eps).sqrt() + shift) * scale
""",
    ),
    Wrong(
        "layer_norm",
        "shift forgotten",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale
""",
    ),
    Wrong(
        "layer_norm",
        "scale forgotten",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() + shift
""",
    ),
    Wrong(
        "layer_norm",
        "always float32 inside",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    x = x.float()
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "always float64 outside",
        "layer_norm_check_3",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    x = x.double()
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "changes its input",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    x -= x.mean(-1, keepdim=True)
    mean = 0
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "flattened by view",
        "layer_norm_check_3",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    x = x.view(-1, x.shape[-1]).view(x.shape)
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "torch does the work",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    return F.layer_norm(x, x.shape[-1:], scale, shift, eps)
""",
    ),
    Wrong(
        "layer_norm",
        "a module of torch does the work",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    norm = nn.LayerNorm(x.shape[-1], eps, dtype=x.dtype)
    return norm(x).detach() * scale + shift
""",
    ),
    Wrong(
        "layer_norm",
        "group norm with one group",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    flat = x.reshape(-1, x.shape[-1])
    return F.group_norm(flat, 1, scale, shift, eps).reshape(x.shape)
""",
    ),
    Wrong(
        "layer_norm",
        "a private batch norm does the work",
        "layer_norm_check_1",
        """\
def layer_norm(x, scale, shift, eps=1e-5):
    rows = x.reshape(1, -1, x.shape[-1])
    y, _, _ = torch._native_batch_norm_legit(rows, None, None, True, 0.0, eps)
    return y.reshape(x.shape) * scale + shift
""",
    ),
    Wrong(
        "attention",
        "heads by one view, no transpose (E1-01)",
        "attention_check_4",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, n_heads, T, d_k) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "heads split and merged by one view",
        "attention_check_4",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, n_heads, T, d_k) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "merged without a transpose (E1-02)",
        "attention_check_4",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "features interleaved between heads",
        "attention_check_4",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, d_k, n_heads).permute(0, 3, 1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.permute(0, 2, 3, 1).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "batch and heads swapped when unfused (E1-04)",
        "attention_check_6",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = (scores.softmax(-1) @ v).flatten(0, 1)
    o = o.reshape(n_heads, B, T, d_k).permute(1, 2, 0, 3)
    return o.reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "scores divided by the root of D (E1-06)",
        "attention_check_5",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / D**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "no division of the scores (E1-07)",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "divided by d_k without a root",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "scale of one half for every size (E1-09)",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT * 0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "scale of one eighth for every size (E1-09)",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / 8
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "divided by the root of T (E1-11)",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / q.shape[-2] ** 0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "divided by the root of the number of heads",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / n_heads**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "softmax over the queries (E1-12)",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-2) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "softmax over the heads",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "softmax over queries and keys together",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.flatten(-2).softmax(-1).view_as(scores) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "scores without a softmax",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "keys ask and queries answer",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = k @ q.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "values from the key weights",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_k + w.b_k
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "queries from the key weights (E1-51)",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_k + w.b_k, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "matrices transposed, as torch stores them",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q.T + w.b_q, x @ w.W_k.T + w.b_k, x @ w.W_v.T + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o.T + w.b_o
""",
    ),
    Wrong(
        "attention",
        "only the output matrix transposed",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o.T + w.b_o
""",
    ),
    Wrong(
        "attention",
        "query bias forgotten",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "value bias forgotten",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "output bias forgotten",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o
""",
    ),
    Wrong(
        "attention",
        "output projection forgotten",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D)
""",
    ),
    Wrong(
        "attention",
        "an activation after the output map (E1-49)",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return F.relu(o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o)
""",
    ),
    Wrong(
        "attention",
        "the residual is added here",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return x + o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "the input is normed here",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    x = layer_norm(x, w.ln1_scale, w.ln1_shift)
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "mask after the softmax, no new sum (E1-14)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
    weights = scores.softmax(-1)
    if causal:
        weights = weights.masked_fill(later, 0.0)
    o = weights @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "masked scores set to 0 (E1-16)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, 0.0)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "masked scores set to -1e-9 (E1-16)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -1e-9)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "masked scores set to -10 (E1-17)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -10.0)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "masked scores set to -100 (E1-17)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -100.0)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "mask one diagonal late (E1-19)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(2)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "the diagonal is masked as well",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(0)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "the past is masked (E1-21)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).tril(-1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "a keep mask is filled (E1-21)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).tril()
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "a 0/1 mask is added to the scores (E1-22)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        scores = scores + torch.ones(T, T, dtype=x.dtype).tril()
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "scores multiplied by a 0/1 mask",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        scores = scores * torch.ones(T, T, dtype=x.dtype).tril()
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "causal is ignored (E1-24)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "always causal",
        "attention_check_2",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    later = torch.ones(T, T, dtype=torch.bool).triu(1)
    scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "a mask of fixed size (E1-57)",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(8, 8, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "attention over the heads (E1-26)",
        "attention_check_4",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(n_heads, n_heads, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "attention across the batch (E1-27)",
        "attention_check_6",
        """\
def attention(x, w, n_heads, causal=False):
    x = x.transpose(0, 1)
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return (o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o).transpose(0, 1)
""",
    ),
    Wrong(
        "attention",
        "the first head's maps for all heads (E1-52)",
        "attention_check_4",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    h = x.reshape(B, T, n_heads, d_k).transpose(1, 2)
    q = h @ w.W_q[:d_k, :d_k] + w.b_q[:d_k]
    k = h @ w.W_k[:d_k, :d_k] + w.b_k[:d_k]
    v = h @ w.W_v[:d_k, :d_k] + w.b_v[:d_k]
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "one head, whatever n_heads says",
        "attention_check_5",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    n_heads = 1
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "dropout that never stops (E1-54)",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = F.dropout(scores.softmax(-1), 0.1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "no look at n_heads",
        "attention_check_6",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "n_heads of 0 divides by 0",
        "attention_check_6",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "an AssertionError for bad heads",
        "attention_check_6",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    assert n_heads >= 1 and D % n_heads == 0, "bad n_heads"
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "a ValueError without a word",
        "attention_check_6",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "a mask in float32 turns the result",
        "attention_check_3",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.float64).triu(1)
        scores = scores.float() + later.float() * -1e30
    o = scores.softmax(-1).to(v.dtype) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "a mask in float64 turns float32 into float64",
        "attention_check_6",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        keep = torch.ones(T, T, dtype=torch.float64).tril()
        scores = scores + keep.log()
    o = scores.softmax(-1) @ v.to(scores.dtype)
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o.to(o.dtype) + w.b_o
""",
    ),
    Wrong(
        "attention",
        "only the first sequence of a batch",
        "attention_check_6",
        """\
def attention(x, w, n_heads, causal=False):
    x = x[:1].expand(x.shape)
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "view on a transposed tensor",
        "attention_check_6",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    x = x.view(B * T, D).view(B, T, D)
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "torch does the work",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    o = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "the reference of the checks does the work",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    return torch_attention(x, w, n_heads, causal)
""",
    ),
    Wrong(
        "attention",
        "output bias once for each head",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + n_heads * w.b_o
""",
    ),
    Wrong(
        "attention",
        "output bias once for each head, in a loop",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    out = torch.zeros_like(x)
    for h in range(n_heads):
        cut = slice(h * d_k, (h + 1) * d_k)
        q = x @ w.W_q[:, cut] + w.b_q[cut]
        k = x @ w.W_k[:, cut] + w.b_k[cut]
        v = x @ w.W_v[:, cut] + w.b_v[cut]
        scores = q @ k.mT / d_k**0.5
        if causal:
            later = torch.ones(T, T, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -torch.inf)
        o = scores.softmax(-1) @ v
        out = out + o @ w.W_o[cut] + w.b_o
    return out
""",
    ),
    Wrong(
        "attention",
        "the first head's value bias for all heads",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    b_v = w.b_v[:d_k].repeat(n_heads)
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "no output map when there are several heads",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    o = o.transpose(1, 2).reshape(B, T, D)
    return o @ w.W_o + w.b_o if n_heads == 1 else o
""",
    ),
    Wrong(
        "attention",
        "output matrix transposed when there are several heads",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    W_o = w.W_o if n_heads == 1 else w.W_o.T
    return o.transpose(1, 2).reshape(B, T, D) @ W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "the mask only for a batch of one",
        "attention_check_6",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    scores = q @ k.mT / d_k**0.5
    if causal and B == 1:
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    o = scores.softmax(-1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "a private function of torch does the work",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    o, _ = torch._scaled_dot_product_attention_math(q, k, v, is_causal=causal)
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "attention",
        "torch's flash attention does the work",
        "attention_check_1",
        """\
def attention(x, w, n_heads, causal=False):
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    d_k = D // n_heads
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, d_k).transpose(1, 2) for y in (q, k, v))
    flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    o, _ = flash(q, k, v, is_causal=causal)
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
""",
    ),
    Wrong(
        "mlp",
        "tanh form of GELU (E1-44)",
        "mlp_check_2",
        """\
def mlp(x, w, activation=lambda z: F.gelu(z, approximate="tanh")):
    hidden = activation(x @ w.W_1 + w.b_1)
    return hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "erf without the root of 2 (E1-46)",
        "mlp_check_2",
        """\
def mlp(x, w, activation=lambda z: 0.5 * z * (1 + torch.erf(z))):
    hidden = activation(x @ w.W_1 + w.b_1)
    return hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "GELU whatever is asked (E1-47)",
        "mlp_check_2",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = F.gelu(x @ w.W_1 + w.b_1)
    return hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "ReLU whatever is asked (E1-47)",
        "mlp_check_2",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = F.relu(x @ w.W_1 + w.b_1)
    return hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "ReLU by default (E1-47)",
        "mlp_check_2",
        """\
def mlp(x, w, activation=F.relu):
    hidden = activation(x @ w.W_1 + w.b_1)
    return hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "SiLU by default",
        "mlp_check_2",
        """\
def mlp(x, w, activation=F.silu):
    hidden = activation(x @ w.W_1 + w.b_1)
    return hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "no activation",
        "mlp_check_2",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = x @ w.W_1 + w.b_1
    return hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "activation before the first bias",
        "mlp_check_1",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = activation(x @ w.W_1) + w.b_1
    return hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "an activation after the second map (E1-49)",
        "mlp_check_1",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = activation(x @ w.W_1 + w.b_1)
    return activation(hidden @ w.W_2 + w.b_2)
""",
    ),
    Wrong(
        "mlp",
        "activation only at the end",
        ("mlp_check_1", "mlp_check_2"),
        """\
def mlp(x, w, activation=F.gelu):
    hidden = x @ w.W_1 + w.b_1
    return activation(hidden @ w.W_2 + w.b_2)
""",
    ),
    Wrong(
        "mlp",
        "first bias forgotten",
        "mlp_check_1",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = activation(x @ w.W_1)
    return hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "second bias forgotten",
        "mlp_check_1",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = activation(x @ w.W_1 + w.b_1)
    return hidden @ w.W_2
""",
    ),
    Wrong(
        "mlp",
        "the residual is added here",
        "mlp_check_1",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = activation(x @ w.W_1 + w.b_1)
    return x + hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "the input is normed here",
        "mlp_check_1",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = activation(layer_norm(x, w.ln2_scale, w.ln2_shift) @ w.W_1 + w.b_1)
    return hidden @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "a matrix transposed",
        "mlp_check_1",
        """\
def mlp(x, w, activation=F.gelu):
    hidden = activation(x @ w.W_1 + w.b_1)
    return hidden @ w.W_2.T + w.b_2
""",
    ),
    Wrong(
        "mlp",
        "softmax of the hidden layer",
        ("mlp_check_1", "mlp_check_2"),
        """\
def mlp(x, w, activation=F.gelu):
    hidden = activation(x @ w.W_1 + w.b_1)
    return hidden.softmax(-1) @ w.W_2 + w.b_2
""",
    ),
    Wrong(
        "pre_ln_block",
        "norms after the sums (E1-29)",
        ("pre_ln_block_check_1", "pre_ln_block_check_2", "pre_ln_block_check_3"),
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    x = x + attention(x, w, n_heads, causal)
    x = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + mlp(x, w, activation)
    return layer_norm(x, w.ln2_scale, w.ln2_shift)
""",
    ),
    Wrong(
        "pre_ln_block",
        "the stream is replaced, then doubled (E1-31)",
        "pre_ln_block_check_1",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = attention(h, w, n_heads, causal)
    x = x + x
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "the second sum adds the input (E1-32)",
        "pre_ln_block_check_3",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    y = x + attention(h, w, n_heads, causal)
    h = layer_norm(y, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "attention is computed and not used (E1-34)",
        "pre_ln_block_check_1",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    y = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "no residual around attention",
        "pre_ln_block_check_1",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "no residual around the MLP",
        "pre_ln_block_check_2",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "residuals from the normed stream",
        ("pre_ln_block_check_1", "pre_ln_block_check_2"),
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = h + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return h + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "the MLP reads the raw stream",
        "pre_ln_block_check_2",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(x, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "attention reads the raw stream",
        "pre_ln_block_check_1",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(x, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "MLP beside attention, not after it",
        "pre_ln_block_check_3",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    g = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + attention(h, w, n_heads, causal) + mlp(g, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "the MLP first",
        "pre_ln_block_check_3",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    x = x + mlp(h, w, activation)
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    return x + attention(h, w, n_heads, causal)
""",
    ),
    Wrong(
        "pre_ln_block",
        "the first norm used twice",
        "pre_ln_block_check_2",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "the norms swapped",
        ("pre_ln_block_check_1", "pre_ln_block_check_2"),
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    x = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "a final norm inside the block",
        ("pre_ln_block_check_1", "pre_ln_block_check_2", "pre_ln_block_check_3"),
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return layer_norm(x + mlp(h, w, activation), w.ln2_scale, w.ln2_shift)
""",
    ),
    Wrong(
        "pre_ln_block",
        "causal is not passed on (E1-24)",
        "pre_ln_block_check_4",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "always causal",
        "pre_ln_block_check_4",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads, True)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "activation is not passed on (E1-47)",
        "pre_ln_block_check_4",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w)
""",
    ),
    Wrong(
        "pre_ln_block",
        "one head, whatever is asked",
        "pre_ln_block_check_4",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, 1, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "the sums change the input (E1-56)",
        "pre_ln_block_check_1",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x += attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "attention twice",
        "pre_ln_block_check_1",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads, causal)
    x = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "norm with an eps of 1e-12 (E1-41)",
        "pre_ln_block_check_1",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift, 1e-12)
    x = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "mean over the batch is removed",
        "pre_ln_block_check_5",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    x = x - x.mean(0) * (len(x) > 2)
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "pre_ln_block",
        "the input is returned",
        "pre_ln_block_check_5",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    return x
""",
    ),
    Wrong(
        "pre_ln_block",
        "causal only for a batch of one",
        "pre_ln_block_check_5",
        """\
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads, causal and len(x) == 1)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "block_shapes",
        "tokens before heads",
        "block_shapes_check_2",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, tokens, n_heads, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "queries before the split",
        "block_shapes_check_2",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, tokens, d_model),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "queries of full width in each head",
        "block_shapes_check_2",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_model),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "weights as wide as a head",
        "block_shapes_check_2",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, d_k),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "one attention matrix for all heads",
        "block_shapes_check_2",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "head width as a float",
        "block_shapes_check_2",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model / n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "hidden layer always 4 D wide",
        "block_shapes_check_1",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, 4 * d_model),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "hidden layer of model width",
        "block_shapes_check_1",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_model),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "output of hidden width",
        "block_shapes_check_1",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_ff),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "batch and tokens in one axis",
        "block_shapes_check_1",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch * tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "batch and tokens swapped",
        "block_shapes_check_1",
        """\
def block_shapes(tokens, batch, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (tokens, batch, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (tokens, batch, d_ff),
        "output": (tokens, batch, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "no look at n_heads",
        "block_shapes_check_2",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "a key of another name",
        "block_shapes_check_1",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads < 1 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "n_heads of 0 divides by 0",
        "block_shapes_check_2",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "block_shapes",
        "fewer than no heads",
        "block_shapes_check_2",
        """\
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    if n_heads == 0 or d_model % n_heads:
        raise ValueError("n_heads does not divide d_model")
    d_k = d_model // n_heads
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_k),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
""",
    ),
    Wrong(
        "post_ln_block",
        "pre-LN order",
        "post_ln_block_check_1",
        """\
def post_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(h, w, n_heads, causal)
    h = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(h, w, activation)
""",
    ),
    Wrong(
        "post_ln_block",
        "no last norm",
        "post_ln_block_check_1",
        """\
def post_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    x = x + attention(x, w, n_heads, causal)
    x = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + mlp(x, w, activation)
    return x
""",
    ),
    Wrong(
        "post_ln_block",
        "the MLP adds to the input of the norm",
        "post_ln_block_check_1",
        """\
def post_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    x = x + attention(x, w, n_heads, causal)
    h = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + mlp(h, w, activation)
    return layer_norm(x, w.ln2_scale, w.ln2_shift)
""",
    ),
    Wrong(
        "post_ln_block",
        "the norms swapped",
        "post_ln_block_check_1",
        """\
def post_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    x = x + attention(x, w, n_heads, causal)
    x = layer_norm(x, w.ln2_scale, w.ln2_shift)
    x = x + mlp(x, w, activation)
    return layer_norm(x, w.ln1_scale, w.ln1_shift)
""",
    ),
    Wrong(
        "post_ln_block",
        "causal is not passed on",
        "post_ln_block_check_1",
        """\
def post_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    x = x + attention(x, w, n_heads)
    x = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + mlp(x, w, activation)
    return layer_norm(x, w.ln2_scale, w.ln2_shift)
""",
    ),
    Wrong(
        "rms_norm",
        "the mean is subtracted",
        "rms_norm_check_1",
        """\
def rms_norm(x, scale, eps=1e-6):
    c = x - x.mean(-1, keepdim=True)
    return c / (x.square().mean(-1, keepdim=True) + eps).sqrt() * scale


def swiglu(x, W_gate, W_up, W_down):
    return (F.silu(x @ W_gate) * (x @ W_up)) @ W_down
""",
    ),
    Wrong(
        "rms_norm",
        "sum of squares",
        "rms_norm_check_1",
        """\
def rms_norm(x, scale, eps=1e-6):
    return x / (x.square().sum(-1, keepdim=True) + eps).sqrt() * scale


def swiglu(x, W_gate, W_up, W_down):
    return (F.silu(x @ W_gate) * (x @ W_up)) @ W_down
""",
    ),
    Wrong(
        "rms_norm",
        "eps outside the root",
        "rms_norm_check_1",
        """\
def rms_norm(x, scale, eps=1e-6):
    return x / (x.square().mean(-1, keepdim=True).sqrt() + eps) * scale


def swiglu(x, W_gate, W_up, W_down):
    return (F.silu(x @ W_gate) * (x @ W_up)) @ W_down
""",
    ),
    Wrong(
        "rms_norm",
        "eps of LayerNorm",
        "rms_norm_check_1",
        """\
def rms_norm(x, scale, eps=1e-5):
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * scale


def swiglu(x, W_gate, W_up, W_down):
    return (F.silu(x @ W_gate) * (x @ W_up)) @ W_down
""",
    ),
    Wrong(
        "rms_norm",
        "over all tokens",
        "rms_norm_check_1",
        """\
def rms_norm(x, scale, eps=1e-6):
    return x / (x.square().mean() + eps).sqrt() * scale


def swiglu(x, W_gate, W_up, W_down):
    return (F.silu(x @ W_gate) * (x @ W_up)) @ W_down
""",
    ),
    Wrong(
        "rms_norm",
        "gate and up swapped in SwiGLU",
        "rms_norm_check_2",
        """\
def rms_norm(x, scale, eps=1e-6):
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * scale


def swiglu(x, W_gate, W_up, W_down):
    return (F.silu(x @ W_up) * (x @ W_gate)) @ W_down
""",
    ),
    Wrong(
        "rms_norm",
        "sum instead of product in SwiGLU",
        "rms_norm_check_2",
        """\
def rms_norm(x, scale, eps=1e-6):
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * scale


def swiglu(x, W_gate, W_up, W_down):
    return (F.silu(x @ W_gate) + (x @ W_up)) @ W_down
""",
    ),
    Wrong(
        "rms_norm",
        "sigmoid instead of SiLU in SwiGLU",
        "rms_norm_check_2",
        """\
def rms_norm(x, scale, eps=1e-6):
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * scale


def swiglu(x, W_gate, W_up, W_down):
    return (torch.sigmoid(x @ W_gate) * (x @ W_up)) @ W_down
""",
    ),
    Wrong(
        "rms_norm",
        "GELU instead of SiLU in SwiGLU",
        "rms_norm_check_2",
        """\
def rms_norm(x, scale, eps=1e-6):
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * scale


def swiglu(x, W_gate, W_up, W_down):
    return (F.gelu(x @ W_gate) * (x @ W_up)) @ W_down
""",
    ),
]
