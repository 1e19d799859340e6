"""Wrong answers to lesson 1, the transformer block.

Many come from real projects, where they ran for months without an error; the others
are their relatives, one small change away from them or from the right answer.
"""

from mistakes import block_hints as hints
from mistakes.block_more import MORE, answers

# LayerNorm

_CENTRED = "x - x.mean(-1, keepdim=True)"
_VARIANCE = "centred.square().mean(-1, keepdim=True)"
_ROOT = "(variance + eps).sqrt()"
_NORMED = f"centred / {_ROOT} * scale + shift"


def _axis(axis: str) -> tuple[str, str]:
    return "mean(-1, keepdim", f"mean({axis}, keepdim"


LAYER_NORM = answers(
    "def layer_norm(x, scale, shift, eps=1e-5):",
    {
        (hints.VARIANCE, 1): {
            "unbiased variance": (_VARIANCE, "x.var(-1, keepdim=True)"),
            "squares divided by D - 1 by hand": (
                _VARIANCE,
                "centred.square().sum(-1, keepdim=True) / (x.shape[-1] - 1)",
            ),
        },
        (hints.VARIANCE, 1, 2): {
            "unbiased standard deviation, eps outside": (
                _ROOT,
                "(x.std(-1, keepdim=True) + eps)",
            ),
            "unbiased standard deviation, no eps": (_ROOT, "x.std(-1, keepdim=True)"),
        },
        (hints.SUMMED, 1): {
            "squares summed up": (_VARIANCE, "centred.square().sum(-1, keepdim=True)"),
            "rows of length 1": (_ROOT, "(centred.norm(dim=-1, keepdim=True) + eps)"),
        },
        (hints.SPREAD, 1): {
            "no root": (_ROOT, "(variance + eps)"),
            "mean distance instead of the root of squares": (
                _ROOT,
                "(centred.abs().mean(-1, keepdim=True) + eps)",
            ),
        },
        (hints.SCALE_OF_1, 1): {
            "one is added to the scale": ("* scale", "* (1 + scale)"),
        },
        (hints.EPS_PLACE, 2): {
            "eps added to the standard deviation": (_ROOT, "(variance.sqrt() + eps)"),
            "eps added to the standard deviation of torch": (
                _ROOT,
                "(x.std(-1, correction=0, keepdim=True) + eps)",
            ),
        },
        (hints.EPS_SIZE, 2): {
            "eps of 1e-3 by default": ("eps=1e-5", "eps=1e-3"),
            "eps of 1e-6 by default": ("eps=1e-5", "eps=1e-6"),
            "eps of 1e-8 by default": ("eps=1e-5", "eps=1e-8"),
            "eps of 1e-12 by default": ("eps=1e-5", "eps=1e-12"),
        },
        (hints.EPS_FIXED, 2): {
            "eps written into the body": ("variance + eps", "variance + 1e-5"),
        },
        (hints.EPS_NONE, 2): {
            "no eps": (_ROOT, "variance.sqrt()"),
        },
        (hints.EPS_FLOOR, 2): {
            "eps as a floor of the variance": (_ROOT, "variance.clamp(min=eps).sqrt()"),
        },
        (hints.OTHER_TOKENS, 3): {
            "mean and variance over tokens and features": _axis("(-2, -1)"),
            "axis 1 instead of the last axis": _axis("1"),
            "over all axes": _axis("tuple(range(x.dim()))"),
            "one variance for all tokens": (_VARIANCE, "centred.square().mean()"),
            "one mean for all tokens": (_CENTRED, "x - x.mean()"),
        },
        (hints.OTHER_TOKENS, 1, 3): {
            "axis 0 instead of the last axis": _axis("0"),
            "over the token axis": _axis("-2"),
        },
        (hints.CENTRE, 1): {
            "the mean is not subtracted": ("return centred", "return x"),
            "the variance of numbers that are not centred": (
                _VARIANCE,
                "x.square().mean(-1, keepdim=True)",
            ),
            "the root mean square, as in RMSNorm": (_CENTRED, "x"),
        },
        (hints.FAR, 3): {
            "mean of squares minus square of the mean": (
                _VARIANCE,
                "x.square().mean(-1, True) - x.mean(-1, True).square()",
            ),
            "mean of squares minus square of the mean, at least 0": (
                _VARIANCE,
                "(x.square().mean(-1, True) - x.mean(-1, True).square()).relu()",
            ),
        },
        (hints.AFFINE, 1): {
            "shift before scale": (_NORMED, f"(centred / {_ROOT} + shift) * scale"),
            "scale and shift swapped": ("* scale + shift", "* shift + scale"),
            "scale and shift before the norm": (
                ("centred = ", "x = x * scale + shift\n    centred = "),
                (_NORMED, f"centred / {_ROOT}"),
            ),
        },
        (hints.NO_SHIFT, 1): {
            "shift forgotten": ("* scale + shift", "* scale"),
        },
        (hints.NO_SCALE, 1): {
            "scale forgotten": ("* scale + shift", "+ shift"),
            "scale and shift forgotten": (" * scale + shift", ""),
        },
        (hints.KEEPDIM, 3): {
            "means without keepdim": (", keepdim=True", ""),
        },
        (hints.FLOAT32, 1): {
            "always float32 inside": ("centred = ", "x = x.float()\n    centred = "),
            "the variance in float32": (_VARIANCE, f"{_VARIANCE}.float()"),
        },
        (hints.FLOAT64, 3): {
            "always float64 outside": ("centred = ", "x = x.double()\n    centred = "),
        },
        (hints.IN_PLACE, 1): {
            "changes its input": (
                f"centred = {_CENTRED}",
                "x -= x.mean(-1, keepdim=True)\n    centred = x",
            ),
            "changes its input by sub_": (_CENTRED, "x.sub_(x.mean(-1, keepdim=True))"),
        },
        (hints.VIEW, 3): {
            "flattened by view": (
                "centred = ",
                "x = x.view(-1, x.shape[-1]).view(x.shape)\n    centred = ",
            ),
        },
        (hints.READY_MADE, 1): {
            "torch does the work": """
                return F.layer_norm(x, x.shape[-1:], scale, shift, eps)
            """,
            "a module of torch does the work": """
                norm = nn.LayerNorm(x.shape[-1], eps, dtype=x.dtype)
                return norm(x).detach() * scale + shift
            """,
            "group norm with one group": """
                flat = x.reshape(-1, x.shape[-1])
                return F.group_norm(flat, 1, scale, shift, eps).reshape(x.shape)
            """,
            "a private batch norm does the work": """
                rows = x.reshape(1, -1, x.shape[-1])
                norm = torch._native_batch_norm_legit
                y, _, _ = norm(rows, None, None, True, 0.0, eps)
                return y.reshape(x.shape) * scale + shift
            """,
            "the reference of the checks does the work": """
                return torch_layer_norm(x, scale, shift, eps)
            """,
        },
    },
)

# Attention

_ATTENTION = "def attention(x, w, n_heads, causal=False):"
_LINES = {  # the lines of the lesson's answer that an edit replaces
    "cut": ".reshape(B, T, n_heads, d_k).transpose(1, 2)",
    "maps": "split(w.W_q, w.b_q), split(w.W_k, w.b_k), split(w.W_v, w.b_v)",
    "scores": "q @ k.mT / math.sqrt(d_k)",
    "later": "torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)",
    "fill": "scores.masked_fill(later, -math.inf)",
    "weights": "scores.softmax(-1)",
    "merge": "heads.transpose(1, 2).reshape(B, T, D)",
    "output": "heads.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o",
}
_WORDS = 'f"{D} features cannot be cut into {n_heads} equal heads"'
_MASK = "".join(
    f"    {line}\n"
    for line in (
        "if causal:",
        f"    later = {_LINES['later']}",
        f"    scores = {_LINES['fill']}",
    )
)


def _line(name: str, new: str) -> tuple[str, str]:
    """Replace a line of the lesson's attention; {} in `new` is the line itself."""
    return _LINES[name], new.replace("{}", _LINES[name])


def _maps(q: str = "q", k: str = "k", v: str = "v") -> tuple[str, str]:
    """Let queries, keys and values come from other weights."""
    return _line("maps", ", ".join(f"split(w.W_{n}, w.b_{n})" for n in (q, k, v)))


def _flat(calls: str) -> str:
    """Attention that `calls` compute from heads that are cut as they should be."""
    return f"""
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError("n_heads does not divide D")
    q, k, v = x @ w.W_q + w.b_q, x @ w.W_k + w.b_k, x @ w.W_v + w.b_v
    q, k, v = (y.reshape(B, T, n_heads, -1).transpose(1, 2) for y in (q, k, v))
    {calls}
    return o.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
    """


HEADS = answers(
    _ATTENTION,
    {
        (hints.SPLIT_BY_VIEW, 4): {
            "heads by one view, no transpose": _line(
                "cut", ".reshape(B, n_heads, T, d_k)"
            ),
            "heads split and merged by one view": (
                _line("cut", ".reshape(B, n_heads, T, d_k)"),
                _line("merge", "heads.reshape(B, T, D)"),
            ),
            "only the values cut by one view": _line(
                "scores", "{}\n    v = (x @ w.W_v + w.b_v).reshape(B, n_heads, T, d_k)"
            ),
            "queries and keys cut by one view": _line(
                "scores",
                "(x @ w.W_q + w.b_q).reshape(B, n_heads, T, d_k) @ "
                "(x @ w.W_k + w.b_k).reshape(B, n_heads, T, d_k).mT / math.sqrt(d_k)",
            ),
        },
        (hints.MERGE, 4): {
            "merged without a transpose": _line("merge", "heads.reshape(B, T, D)"),
            "merged with features before heads": _line(
                "merge", "heads.permute(0, 2, 3, 1).reshape(B, T, D)"
            ),
            "heads joined in reverse order": _line(
                "merge", "heads.flip(1).transpose(1, 2).reshape(B, T, D)"
            ),
        },
        (hints.INTERLEAVED, 4): {
            "features interleaved between heads": (
                _line("cut", ".reshape(B, T, d_k, n_heads).permute(0, 3, 1, 2)"),
                _line("merge", "heads.permute(0, 2, 3, 1).reshape(B, T, D)"),
            ),
            "features interleaved between heads by the split alone": _line(
                "cut", ".reshape(B, T, d_k, n_heads).permute(0, 3, 1, 2)"
            ),
            "roles packed head by head": _line(
                "scores",
                "torch.cat([y.transpose(1, 2).flatten(2) for y in (q, k, v)], -1)\n"
                "    packed = scores.reshape(B, T, n_heads, 3, d_k)\n"
                "    q, k, v = packed.permute(3, 0, 2, 1, 4)\n"
                "    scores = {}",
            ),
        },
        (hints.OVER_HEADS, 4): {
            "attention over the heads": (
                _line("cut", ".reshape(B, T, n_heads, d_k)"),
                ("torch.ones(T, T,", "torch.ones(n_heads, n_heads,"),
                _line("merge", "heads.reshape(B, T, D)"),
            ),
        },
        (hints.OVER_HEADS, 6): {
            "attention across the batch": (
                ("B, T, D = x.shape", "x = x.transpose(0, 1)\n    B, T, D = x.shape"),
                _line("output", "({}).transpose(0, 1)"),
            ),
        },
        (hints.SHARED_MAPS, 4): {
            "the first head's maps for all heads": (
                f"(x @ W + b){_LINES['cut']}",
                f"x{_LINES['cut']} @ W[:d_k, :d_k] + b[:d_k]",
            ),
            "the first head's values for all heads": (" @ v", " @ v[:, :1]"),
            "the mean of the heads for every head": _line(
                "merge",
                "heads.mean(1, True).expand_as(heads).transpose(1, 2).reshape(B, T, D)",
            ),
        },
        (hints.SHARED_MAPS, 5): {
            "the first head's weights for all heads": (
                "scores.softmax",
                "scores[:, :1].softmax",
            ),
        },
        (hints.ONE_HEAD, 5): {
            "one head, whatever n_heads says": ("d_k = D", "n_heads = 1\n    d_k = D"),
        },
        (hints.ONE_HEAD, 2): {
            "n_heads taken for the width of a head": (
                "d_k = D // n_heads",
                "d_k, n_heads = n_heads, D // n_heads",
            ),
        },
        (hints.MANY_HEADS, 1): {
            "output bias once for each head": ("+ w.b_o", "+ n_heads * w.b_o"),
            "output bias once for each head, in a loop": """
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
                    out = out + scores.softmax(-1) @ v @ w.W_o[cut] + w.b_o
                return out
            """,
            "the first head's value bias for all heads": (
                "split(w.W_v, w.b_v)",
                "split(w.W_v, w.b_v[:d_k].repeat(n_heads))",
            ),
            "no output map when there are several heads": _line(
                "output", f"{{}} if n_heads == 1 else {_LINES['merge']}"
            ),
            "output matrix transposed when there are several heads": (
                "@ w.W_o",
                "@ (w.W_o if n_heads == 1 else w.W_o.T)",
            ),
        },
        (hints.BATCH, 6): {
            "batch and heads swapped when unfused": _line(
                "merge",
                "heads.reshape(n_heads, B, T, -1).permute(1, 2, 0, 3).reshape(B, T, D)",
            ),
            "all sequences as one long one": (
                (
                    "B, T, D = x.shape",
                    "shape, x = x.shape, x.reshape(1, -1, x.shape[-1])\n"
                    "    B, T, D = x.shape",
                ),
                _line("output", "({}).reshape(shape)"),
            ),
            "only the first sequence of a batch": (
                "B, T, D = x.shape",
                "x = x[:1].expand(x.shape)\n    B, T, D = x.shape",
            ),
            "the mask only for a batch of one": ("if causal:", "if causal and B == 1:"),
            "the mask only for the first sequence": _line(
                "fill",
                "torch.cat([scores[:1].masked_fill(later, -math.inf), scores[1:]])",
            ),
        },
    },
)

SCORES = answers(
    _ATTENTION,
    {
        (hints.WHOLE_WIDTH, 5): {
            "scores divided by the root of D": ("sqrt(d_k)", "sqrt(D)"),
        },
        (hints.NO_DIVISION, 2): {
            "no division of the scores": (" / math.sqrt(d_k)", ""),
            "divided by the root of the number of heads": (
                "sqrt(d_k)",
                "sqrt(n_heads)",
            ),
        },
        (hints.WRONG_ROOT, 2): {
            "divided by d_k without a root": ("math.sqrt(d_k)", "d_k"),
            "queries and keys both divided by the root": _line(
                "scores", "(q / math.sqrt(d_k)) @ (k / math.sqrt(d_k)).mT"
            ),
            "divided by D without a root": ("math.sqrt(d_k)", "D"),
            "multiplied by the root": ("/ math.sqrt", "* math.sqrt"),
        },
        (hints.OTHER_SIZE, 2): {
            "scale of one half for every size": ("/ math.sqrt(d_k)", "* 0.5"),
            "scale of one eighth for every size": ("/ math.sqrt(d_k)", "/ 8"),
            "divided by the root of T": ("sqrt(d_k)", "sqrt(q.shape[-2])"),
        },
        (hints.SUM_OF_KEY, 2): {
            "softmax over the queries": ("softmax(-1)", "softmax(-2)"),
            "weights transposed": ("softmax(-1)", "softmax(-1).mT"),
        },
        (hints.SOFTMAX_AXIS, 1): {
            "softmax over the heads": ("softmax(-1)", "softmax(1)"),
            "softmax over the batch": ("softmax(-1)", "softmax(0)"),
            "softmax over queries and keys together": _line(
                "weights", "scores.flatten(-2).softmax(-1).view_as(scores)"
            ),
        },
        (hints.NO_SOFTMAX, 1): {
            "scores without a softmax": (".softmax(-1)", ""),
            "a sigmoid in place of the softmax": ("softmax(-1)", "sigmoid()"),
            "exponentials without their sum": ("softmax(-1)", "exp()"),
            "log_softmax": (".softmax(-1)", ".log_softmax(-1)"),
            "divided after the softmax": (
                (" / math.sqrt(d_k)", ""),
                ("scores.softmax(-1)", "(scores.softmax(-1) / math.sqrt(d_k))"),
            ),
        },
        (hints.NO_SOFTMAX, 2): {
            "softmax twice": (".softmax(-1)", ".softmax(-1).softmax(-1)"),
        },
        (hints.ROLES_SWAPPED, 2): {
            "keys ask and queries answer": ("q @ k.mT", "k @ q.mT"),
            "weights read in the order k, q, v": _maps("k", "q"),
        },
        (hints.ROLES_SHARED, 2): {
            "queries from the key weights": _maps(q="k"),
            "keys from the query weights": _maps(k="q"),
            "the input itself as keys": ("split(w.W_k, w.b_k)", "x" + _LINES["cut"]),
            "the input itself as queries": ("split(w.W_q, w.b_q)", "x" + _LINES["cut"]),
        },
        (hints.ROLES_SHARED, 1): {
            "values from the key weights": _maps(v="k"),
            "values from the query weights": _maps(v="q"),
            "weights read in the order q, v, k": _maps(k="v", v="k"),
            "the input itself as values": ("split(w.W_v, w.b_v)", "x" + _LINES["cut"]),
        },
        (hints.TRANSPOSED, 1): {
            "matrices transposed, as torch stores them": (
                ("x @ W +", "x @ W.T +"),
                ("w.W_o", "w.W_o.T"),
            ),
            "only the output matrix transposed": ("w.W_o", "w.W_o.T"),
            "only W_v transposed": ("w.W_v,", "w.W_v.T,"),
        },
        (hints.TRANSPOSED, 2): {
            "only W_q transposed": ("w.W_q,", "w.W_q.T,"),
            "only W_k transposed": ("w.W_k,", "w.W_k.T,"),
        },
        (hints.NO_BIAS, 2): {
            "query bias forgotten": ("w.b_q)", "0 * w.b_q)"),
        },
        (hints.NO_BIAS, 1): {
            "value bias forgotten": ("w.b_v)", "0 * w.b_v)"),
            "output bias forgotten": (" + w.b_o", ""),
            "all biases forgotten": (("x @ W + b", "x @ W"), (" + w.b_o", "")),
            "output bias before the output map": _line(
                "output", f"({_LINES['merge']} + w.b_o) @ w.W_o"
            ),
        },
        (hints.NO_LAST_MAP, 1): {
            "output projection forgotten": (" @ w.W_o + w.b_o", ""),
            "only the output bias, without its matrix": (" @ w.W_o", ""),
        },
        (hints.ACTIVATION_PLACE, 1): {
            "an activation after the output map": _line("output", "F.relu({})"),
        },
        (hints.BLOCKS_TASK, 1): {
            "the residual is added here": _line("output", "x + {}"),
            "the input is normed here": (
                "d_k = D",
                "x = layer_norm(x, w.ln1_scale, w.ln1_shift)\n    d_k = D",
            ),
        },
        (hints.DROPOUT, 1): {
            "dropout that never stops": _line("weights", "F.dropout({}, 0.1)"),
        },
    },
)

MASK = answers(
    _ATTENTION,
    {
        (hints.MASK_AFTER, 3): {
            "mask after the softmax, no new sum": (
                (_MASK, ""),
                _line("weights", "({}.tril() if causal else {})"),
            ),
        },
        (hints.MASK_ZERO, 3): {
            "masked scores set to 0": ("-math.inf", "0.0"),
            "masked scores set to 1e-9": ("-math.inf", "1e-9"),
            "masked scores set to -1e-9": ("-math.inf", "-1e-9"),
            "scores multiplied by a 0/1 mask": _line("fill", "scores * ~later"),
            "the upper triangle of the scores cut off": _line("fill", "scores.tril()"),
        },
        (hints.MASK_ADDED, 3): {
            "a 0/1 mask is added to the scores": _line(
                "fill", "scores + (~later).to(x.dtype)"
            ),
            "a 0/1 mask is taken off the scores": _line(
                "fill", "scores - later.to(x.dtype)"
            ),
        },
        (hints.MASK_FINITE, 3): {
            "masked scores set to -10": ("-math.inf", "-10.0"),
            "masked scores set to -100": ("-math.inf", "-100.0"),
        },
        (hints.MASK_LATE, 3): {
            "mask one diagonal late": ("triu(1)", "triu(2)"),
        },
        (hints.MASK_HEADS, 3): {
            "the mask only when there is one head": (
                "if causal:",
                "if causal and n_heads == 1:",
            ),
            "the mask only for the first head": _line(
                "fill",
                "torch.cat([scores[:, :1].masked_fill(later, -math.inf), "
                "scores[:, 1:]], 1)",
            ),
        },
        (hints.MASK_SELF, 3): {
            "the diagonal is masked as well": ("triu(1)", "triu(0)"),
        },
        (hints.MASK_TURNED, 3): {
            "the past is masked": ("triu(1)", "tril(-1)"),
            "a keep mask is filled": ("triu(1)", "tril()"),
        },
        (hints.MASK_NAN, 3): {
            "minus infinity times a 0/1 mask": _line(
                "fill", "scores + later * -math.inf"
            ),
            "masked scores set to plus infinity": ("-math.inf", "math.inf"),
        },
        (hints.MASK_SIZE, 3): {
            "a mask of fixed size": ("torch.ones(T, T,", "torch.ones(8, 8,"),
            "a mask cut from too small a buffer": (
                ("torch.ones(T, T,", "torch.ones(4, 4,"),
                ("triu(1)", "triu(1)[:T, :T]"),
            ),
            "a mask cut from a buffer of nine tokens": (
                ("torch.ones(T, T,", "torch.ones(9, 9,"),
                ("triu(1)", "triu(1)[:T, :T]"),
            ),
            "a mask as wide as the model": ("torch.ones(T, T,", "torch.ones(D, D,"),
        },
        (hints.NOT_CAUSAL, 3): {
            "causal is ignored": (_MASK, ""),
            "the masked scores are thrown away": (
                "        scores = scores.masked",
                "        scores.masked",
            ),
        },
        (hints.ALWAYS_CAUSAL, 2): {
            "always causal": ("if causal:", "if True:"),
            "causal by default": ("causal=False", "causal=True"),
        },
        (hints.CAUSAL_TURNED, 2, 3): {
            "causal read the other way round": ("if causal:", "if not causal:"),
        },
        (hints.FLOAT32, 3): {
            "a mask in float32 turns the result": (
                _line("fill", "scores.float() + later.float() * -1e30"),
                _line("weights", "{}.to(v.dtype)"),
            ),
        },
        (hints.FLOAT64, 6): {
            "a mask in float64 turns float32 into float64": (
                _line("fill", "scores + (~later).double().log()"),
                (" @ v", " @ v.to(scores.dtype)"),
                ("@ w.W_o", "@ w.W_o.to(heads.dtype)"),
            ),
        },
    },
)

OTHER_ATTENTION = answers(
    _ATTENTION,
    {
        (hints.BAD_HEADS, 6): {
            "no look at n_heads": ("if n_heads < 1 or D % n_heads", "if False"),
            "n_heads of 0 divides by 0": ("n_heads < 1 or ", ""),
            "only a number below 1 is looked for": (" or D % n_heads", ""),
            "fewer than no heads": ("n_heads < 1", "n_heads == 0"),
            "half a head is cut off": (
                "    if n_heads < 1",
                "    n_heads = int(n_heads)\n    if n_heads < 1",
            ),
            "an AssertionError for bad heads": (
                "raise ValueError(",
                "raise AssertionError(",
            ),
            "a warning printed, then one head": (
                "raise ValueError(",
                "n_heads = 1\n        print(",
            ),
            "a ValueError without a word": (_WORDS, ""),
        },
        (hints.VIEW, 6): {
            "view on a transposed tensor": (
                "d_k = D",
                "x = x.view(B * T, D).view(B, T, D)\n    d_k = D",
            ),
        },
        (hints.TUPLE, 1): {
            "the weights come back as well": _line("output", "{}, scores.softmax(-1)"),
        },
        (hints.READY_MADE, 1): {
            "torch does the work": _flat(
                "o = F.scaled_dot_product_attention(q, k, v, is_causal=causal)"
            ),
            "a private function of torch does the work": _flat(
                "o, _ = torch._scaled_dot_product_attention_math("
                "q, k, v, is_causal=causal)"
            ),
            "torch's flash attention does the work": _flat(
                "o, _ = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu("
                "q, k, v, is_causal=causal)"
            ),
            "an inverted mask handed to torch": _flat(
                "o = F.scaled_dot_product_attention(q, k, v, "
                "torch.ones(T, T).triu(1).bool() if causal else None)"
            ),
            "a module of torch does the work": """
                layer = nn.MultiheadAttention(
                    x.shape[-1], n_heads, batch_first=True, dtype=x.dtype
                )
                return layer(x, x, x)[0].detach() @ w.W_o + w.b_o
            """,
            "the reference of the checks does the work": """
                return torch_attention(x, w, n_heads, causal)
            """,
        },
    },
)

MISTAKES = (*LAYER_NORM, *HEADS, *SCORES, *MASK, *OTHER_ATTENTION, *MORE)
