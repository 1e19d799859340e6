"""More wrong answers to lesson 1: the MLP, both blocks, the shapes, LLaMA's parts."""

import textwrap

from mistakes import Mistake
from mistakes import block_hints as hints


def answers(
    first_line: str, kinds: dict[tuple, dict[str, str | tuple]]
) -> tuple[Mistake, ...]:
    """The wrong answers to the exercise whose function starts with `first_line`.

    Each kind has a hint and the numbers of its checks as its key, and holds named
    answers: the lines of a body, or a replacement (old, new) in the lesson's own
    answer, or a tuple of replacements.
    """
    exercise = first_line.removeprefix("def ").partition("(")[0]
    found = []
    for (hint, *checks), named in kinds.items():
        for name, answer in named.items():
            source, edits = "", answer
            if isinstance(answer, str):
                lines = textwrap.dedent(answer).strip("\n")
                source = f"{first_line}\n{textwrap.indent(lines, '    ')}\n"
                edits = ()
            elif isinstance(answer[0], str):
                edits = (answer,)
            entry = Mistake(exercise, name, tuple(checks), hint, source, edits)
            found.append(entry)
    return tuple(found)


# MLP

_HIDDEN = "activation(x @ w.W_1 + w.b_1)"
_LAST = "hidden @ w.W_2 + w.b_2"

MLP = answers(
    "def mlp(x, w, activation=F.gelu):",
    {
        (hints.GELU_FORM, 2): {
            "tanh form of GELU": (
                "activation=F.gelu",
                'activation=lambda z: F.gelu(z, approximate="tanh")',
            ),
            "erf without the root of 2": (
                "activation=F.gelu",
                "activation=lambda z: 0.5 * z * (1 + torch.erf(z))",
            ),
            "sigmoid form of GELU": (
                "activation=F.gelu",
                "activation=lambda z: z * torch.sigmoid(1.702 * z)",
            ),
        },
        (hints.ACTIVATION_FIXED, 2): {
            "GELU whatever is asked": (_HIDDEN, "F.gelu(x @ w.W_1 + w.b_1)"),
        },
        (hints.ACTIVATION_DEFAULT, 2): {
            "ReLU whatever is asked": (_HIDDEN, "F.relu(x @ w.W_1 + w.b_1)"),
            "ReLU by default": ("F.gelu", "F.relu"),
            "SiLU by default": ("F.gelu", "F.silu"),
        },
        (hints.ACTIVATION_DEFAULT, 1, 2): {
            "tanh by default": ("F.gelu", "torch.tanh"),
        },
        (hints.NO_ACTIVATION, 2): {
            "no activation": (_HIDDEN, _HIDDEN[10:]),
        },
        (hints.ACTIVATION_PLACE, 1): {
            "activation before the first bias": (
                _HIDDEN,
                "activation(x @ w.W_1) + w.b_1",
            ),
            "an activation after the second map": (_LAST, f"activation({_LAST})"),
        },
        (hints.ACTIVATION_PLACE, 1, 2): {
            "activation before the first map": (
                _HIDDEN,
                "activation(x) @ w.W_1 + w.b_1",
            ),
            "activation only at the end": (
                (_HIDDEN, _HIDDEN[10:]),
                (_LAST, f"activation({_LAST})"),
            ),
            "softmax of the hidden layer": (
                _LAST,
                "hidden.softmax(-1) @ w.W_2 + w.b_2",
            ),
        },
        (hints.ACTIVATION_PLACE, 2): {
            "activation twice in a row": (_HIDDEN, f"activation({_HIDDEN})"),
        },
        (hints.NO_BIAS, 1): {
            "first bias forgotten": (" + w.b_1", ""),
            "second bias forgotten": (" + w.b_2", ""),
            "both biases forgotten": ((" + w.b_1", ""), (" + w.b_2", "")),
        },
        (hints.NO_LAST_MAP, 1): {
            "second map forgotten": (_LAST, "hidden"),
        },
        (hints.BLOCKS_TASK, 1): {
            "the residual is added here": (_LAST, f"x + {_LAST}"),
            "the input is normed here": (
                "(x @",
                "(layer_norm(x, w.ln2_scale, w.ln2_shift) @",
            ),
        },
        (hints.TRANSPOSED, 1): {
            "a matrix transposed": ("w.W_2 +", "w.W_2.T +"),
            "the first matrix transposed": ("w.W_1 +", "w.W_1.T +"),
            "the matrices swapped and transposed": (
                (_HIDDEN, "activation(x @ w.W_2.T + w.b_1)"),
                (_LAST, "hidden @ w.W_1.T + w.b_2"),
            ),
        },
        (hints.DROPOUT, 1): {
            "dropout that never stops": (_LAST, f"F.dropout({_LAST}, 0.5)"),
        },
        (hints.TUPLE, 1): {
            "the hidden layer comes back as well": (_LAST, f"{_LAST}, hidden"),
        },
        (hints.FLOAT32, 1): {
            "the hidden layer in float32": (_HIDDEN, f"{_HIDDEN}.float().to(x.dtype)"),
        },
        (hints.READY_MADE, 1): {
            "the reference of the checks does the work": (
                _LAST,
                "torch_mlp(x, w, activation)",
            ),
        },
    },
)

# The pre-LN block

_NORM_1 = "normed = layer_norm(x, w.ln1_scale, w.ln1_shift)"
_SUM_1 = "x = x + attention(normed, w, n_heads, causal)"
_NORM_2 = "normed = layer_norm(x, w.ln2_scale, w.ln2_shift)"
_SUM_2 = "x + mlp(normed, w, activation)"
PRE_LN = answers(
    "def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):",
    {
        (hints.POST_ORDER, 1, 2, 3): {
            "norms after the sums": """
                x = x + attention(x, w, n_heads, causal)
                x = layer_norm(x, w.ln1_scale, w.ln1_shift)
                x = x + mlp(x, w, activation)
                return layer_norm(x, w.ln2_scale, w.ln2_shift)
            """,
            "norms of what the parts return": """
                h = attention(x, w, n_heads, causal)
                x = x + layer_norm(h, w.ln1_scale, w.ln1_shift)
                h = mlp(x, w, activation)
                return x + layer_norm(h, w.ln2_scale, w.ln2_shift)
            """,
        },
        (hints.NO_RESIDUAL, 1): {
            "the stream is replaced, then doubled": (
                _SUM_1,
                "x = attention(normed, w, n_heads, causal)\n    x = x + x",
            ),
            "no residual around attention": ("= x + attention", "= attention"),
        },
        (hints.NO_RESIDUAL, 2): {
            "the result of the MLP is doubled": (
                _SUM_2,
                "2 * mlp(normed, w, activation)",
            ),
            "no residual around the MLP": ("x + mlp", "mlp"),
        },
        (hints.NO_RESIDUAL, 1, 2): {
            "no residual at all": (
                (" = x + attention", " = attention"),
                ("x + mlp", "mlp"),
            ),
        },
        (hints.LOST, 3): {
            "the second sum adds the input": (
                ("x = x + attention", "y = x + attention"),
                ("(x, w.ln2", "(y, w.ln2"),
            ),
        },
        (hints.LOST, 1): {
            "attention is computed and not used": (
                "x = x + attention",
                "y = x + attention",
            ),
        },
        (hints.LOST, 2): {
            "the MLP is computed and not used": (_SUM_2, f"x\n    {_SUM_2}"),
        },
        (hints.LOST, 5): {
            "the input is returned": (
                (f"return {_SUM_2}", "return x"),
                ("x = x + attention", "y = x + attention"),
            ),
        },
        (hints.NORMED_STREAM, 1, 2): {
            "residuals from the normed stream": (
                ("x + attention", "normed + attention"),
                ("x + mlp", "normed + mlp"),
            ),
            "the stream is normed and keeps that name": ("normed", "x"),
        },
        (hints.NORMED_STREAM, 1): {
            "the first residual from the normed stream": (
                "x + attention",
                "normed + attention",
            ),
        },
        (hints.NORMED_STREAM, 2): {
            "the second residual from the normed stream": ("x + mlp", "normed + mlp"),
        },
        (hints.RAW_STREAM, 2): {
            "the MLP reads the raw stream": ("mlp(normed", "mlp(x"),
        },
        (hints.RAW_STREAM, 1): {
            "attention reads the raw stream": ("attention(normed", "attention(x"),
        },
        (hints.RAW_STREAM, 1, 2): {
            "no norms": ("(normed", "(x"),
        },
        (hints.OLD_STREAM, 3): {
            "MLP beside attention, not after it": """
                h = layer_norm(x, w.ln1_scale, w.ln1_shift)
                g = layer_norm(x, w.ln2_scale, w.ln2_shift)
                return x + attention(h, w, n_heads, causal) + mlp(g, w, activation)
            """,
            "the MLP reads the norm of attention's result alone": (
                "(x, w.ln2",
                "(attention(normed, w, n_heads, causal), w.ln2",
            ),
            "the MLP first": """
                h = layer_norm(x, w.ln2_scale, w.ln2_shift)
                x = x + mlp(h, w, activation)
                h = layer_norm(x, w.ln1_scale, w.ln1_shift)
                return x + attention(h, w, n_heads, causal)
            """,
        },
        (hints.NORMS_MIXED, 2): {
            "the MLP reads what attention read": (_NORM_2, ""),
            "the first norm used twice": ("w.ln2_", "w.ln1_"),
        },
        (hints.NORMS_MIXED, 1): {
            "the second norm used twice": ("w.ln1_", "w.ln2_"),
        },
        (hints.NORMS_MIXED, 1, 2): {
            "the norms swapped": (
                ("w.ln1_", "w.ln_"),
                ("w.ln2_", "w.ln1_"),
                ("w.ln_", "w.ln2_"),
            ),
            "scale and shift swapped": (
                ("_shift)", "_both)"),
                ("_scale, ", "_shift, "),
                ("_both)", "_scale)"),
            ),
        },
        (hints.NORMED_STREAM, 1, 2, 3): {
            "a final norm inside the block": (
                _SUM_2,
                f"layer_norm({_SUM_2}, w.ln2_scale, w.ln2_shift)",
            ),
            "a final norm with the first norm's weights": (
                _SUM_2,
                f"layer_norm({_SUM_2}, w.ln1_scale, w.ln1_shift)",
            ),
            "a final norm without weights": (
                _SUM_2,
                f"layer_norm({_SUM_2}, w.b_o**0, 0 * w.b_o)",
            ),
        },
        (hints.SUM_COUNT, 1): {
            "attention twice": (_SUM_1, f"{_SUM_1}\n    {_SUM_1}"),
        },
        (hints.SUM_COUNT, 2): {
            "the MLP twice": (_SUM_2, f"{_SUM_2} + mlp(normed, w, activation)"),
            "the stream added twice": (_SUM_2, f"x + {_SUM_2}"),
        },
        (hints.SUM_COUNT, 1, 2): {
            "means instead of sums": (
                (_SUM_1, f"{_SUM_1}\n    x = x / 2"),
                (_SUM_2, f"({_SUM_2}) / 2"),
            ),
            "sums shrunk by the root of 2": (
                (_SUM_1, f"{_SUM_1}\n    x = x / 2**0.5"),
                (_SUM_2, f"({_SUM_2}) / 2**0.5"),
            ),
        },
        (hints.NOT_CAUSAL, 4): {
            "causal is not passed on": (", causal)", ")"),
            "causal with several heads only": (
                ", causal)",
                ", causal and n_heads > 1)",
            ),
        },
        (hints.ALWAYS_CAUSAL, 4): {
            "always causal": (", causal)", ", True)"),
            "causal by default": ("causal=False", "causal=True"),
            "the activation passed on as causal": (", causal)", ", activation)"),
        },
        (hints.CAUSAL_TURNED, 4): {
            "causal read the other way round": (", causal)", ", not causal)"),
        },
        (hints.ACTIVATION_FIXED, 4): {
            "GELU whenever causal": (
                "w, activation)",
                "w, F.gelu if causal else activation)",
            ),
            "activation is not passed on": ("(normed, w, activation)", "(normed, w)"),
        },
        (hints.ACTIVATION_DEFAULT, 2): {
            "ReLU whatever is asked": (
                "(normed, w, activation)",
                "(normed, w, F.relu)",
            ),
            "ReLU by default": ("F.gelu", "F.relu"),
        },
        (hints.ONE_HEAD, 4): {
            "one head, whatever is asked": ("w, n_heads, causal)", "w, 1, causal)"),
        },
        (hints.IN_PLACE, 1): {
            "the sums change the input": ("x = x + attention", "x += attention"),
            "both sums change the input": (
                ("x = x + attention", "x += attention"),
                (
                    "return x + mlp(normed, w, activation)",
                    "x += mlp(normed, w, activation)\n    return x",
                ),
            ),
            "add_ changes the input": (
                _SUM_1,
                "x = x.add_(attention(normed, w, n_heads, causal))",
            ),
        },
        (hints.EPS_SIZE, 1): {
            "norm with an eps of 1e-12": ("w.ln1_shift)", "w.ln1_shift, 1e-12)"),
        },
        (hints.EPS_SIZE, 1, 2): {
            "both norms with an eps of 1e-6": ("_shift)", "_shift, 1e-6)"),
            "both norms with an eps of 1e-12": ("_shift)", "_shift, 1e-12)"),
        },
        (hints.BATCH, 5): {
            "mean over the batch is removed": (
                _NORM_1,
                f"x = x - x.mean(0) * (len(x) > 2)\n    {_NORM_1}",
            ),
            "causal only for a batch of one": (
                ", causal)",
                ", causal and len(x) == 1)",
            ),
            "batch and tokens swapped for attention": (
                _SUM_1,
                "normed = normed.transpose(0, 1)\n"
                "    x = x + attention(normed, w, n_heads, causal).transpose(0, 1)",
            ),
            "all sequences as one long one": (
                _SUM_1,
                "flat = normed.reshape(1, -1, normed.shape[-1])\n"
                "    x = x + attention(flat, w, n_heads, causal).reshape(x.shape)",
            ),
        },
        (hints.DROPOUT, 1, 2): {
            "dropout that never stops": (
                (_SUM_1, _SUM_1.replace("x + ", "x + F.dropout(") + ", 0.5)"),
                (_SUM_2, _SUM_2.replace("x + ", "x + F.dropout(") + ", 0.5)"),
            ),
        },
        (hints.TUPLE, 1): {
            "the stream after attention comes back as well": (_SUM_2, f"{_SUM_2}, x"),
        },
        (hints.FLOAT32, 1, 2): {
            "the norms in float32": (
                "layer_norm(x,",
                "layer_norm(x.float().to(x.dtype),",
            ),
        },
        (hints.READY_MADE, 1): {
            "the reference of the checks does the work": (
                _SUM_2,
                "torch_block(x, w, n_heads, causal, activation)",
            ),
            "a layer of torch does the work": """
                layer = nn.TransformerEncoderLayer(
                    x.shape[-1], n_heads, len(w.b_1), 0.0, activation, batch_first=True,
                    norm_first=True, dtype=x.dtype,
                )
                return layer(x).detach()
            """,
        },
    },
)

# The shapes

_WORDS = 'f"{d_model} features cannot be cut into {n_heads} equal heads"'
_QUERIES = '"queries": (batch, n_heads, tokens, d_model // n_heads)'
_WEIGHTS = '"attention_weights": (batch, n_heads, tokens, tokens)'
_STREAM = "(batch, tokens, d_model)"


def _queries(shape: str) -> tuple[str, str]:
    return _QUERIES, f'"queries": {shape}'


def _weights(shape: str) -> tuple[str, str]:
    return _WEIGHTS, f'"attention_weights": {shape}'


def _stream(key: str, shape: str) -> tuple[str, str]:
    return f'"{key}": {_STREAM}', f'"{key}": {shape}'


def _hidden(shape: str) -> tuple[str, str]:
    return '"mlp_hidden": (batch, tokens, d_ff)', f'"mlp_hidden": {shape}'


SHAPES = answers(
    "def block_shapes(batch, tokens, d_model, n_heads, d_ff):",
    {
        (hints.QUERIES_SHAPE, 2): {
            "tokens before heads": _queries(
                "(batch, tokens, n_heads, d_model // n_heads)"
            ),
            "queries before the split": _queries("(batch, tokens, d_model)"),
            "queries of full width in each head": _queries(
                "(batch, n_heads, tokens, d_model)"
            ),
            "queries transposed": _queries(
                "(batch, n_heads, d_model // n_heads, tokens)"
            ),
            "heads before the batch": _queries(
                "(n_heads, batch, tokens, d_model // n_heads)"
            ),
            "heads in the batch": _queries(
                "(batch * n_heads, tokens, d_model // n_heads)"
            ),
            "queries of one head": _queries("(batch, tokens, d_model // n_heads)"),
            "as many heads as tokens": _queries(
                "(batch, n_heads, n_heads, d_model // n_heads)"
            ),
            "heads and width swapped": _queries(
                "(batch, d_model // n_heads, tokens, n_heads)"
            ),
        },
        (hints.WEIGHTS_SHAPE, 2): {
            "weights as wide as a head": _weights(
                "(batch, n_heads, tokens, d_model // n_heads)"
            ),
            "one attention matrix for all heads": _weights("(batch, tokens, tokens)"),
            "weights as wide as the model": _weights(
                "(batch, n_heads, tokens, d_model)"
            ),
            "weights from feature to feature": _weights(
                "(batch, n_heads, d_model, d_model)"
            ),
            "heads behind the tokens": _weights("(batch, tokens, tokens, n_heads)"),
            "heads between the tokens": _weights("(batch, tokens, n_heads, tokens)"),
            "one weight for each query": _weights("(batch, n_heads, tokens)"),
            "no batch of weights": _weights("(n_heads, tokens, tokens)"),
        },
        (hints.FLOAT_SIZE, 2): {
            "head width as a float": ("d_model // n_heads", "d_model / n_heads"),
        },
        (hints.HIDDEN_WIDTH, 1): {
            "hidden layer always 4 D wide": _hidden("(batch, tokens, 4 * d_model)"),
            "hidden layer of model width": _hidden("(batch, tokens, d_model)"),
            "hidden layer 4 times as wide as it should be": _hidden(
                "(batch, tokens, 4 * d_ff)"
            ),
            "hidden layer of both widths": _hidden("(batch, tokens, d_model + d_ff)"),
        },
        (hints.STREAM_SHAPE, 1): {
            "hidden layer turned": _hidden("(batch, d_ff, tokens)"),
            "output of hidden width": _stream("output", "(batch, tokens, d_ff)"),
            "one output for a sequence": _stream("output", "(batch, d_model)"),
            "output cut into heads": _stream(
                "output", "(batch, n_heads, tokens, d_model)"
            ),
            "output of the last token alone": _stream("output", "(batch, 1, d_model)"),
            "batch and tokens in one axis": _stream("ln", "(batch * tokens, d_model)"),
            "shape of the norm's scale": _stream("ln", "(d_model,)"),
            "one mean for each token": _stream("ln", "(batch, tokens)"),
            "a mean kept with size 1": _stream("ln", "(batch, tokens, 1)"),
            "batch and tokens swapped": (
                (_STREAM, "(tokens, batch, d_model)"),
                _hidden("(tokens, batch, d_ff)"),
            ),
        },
        (hints.BAD_HEADS, 2): {
            "no look at n_heads": ("if n_heads < 1 or d_model % n_heads:", "if False:"),
            "only a number below 1 is looked for": (" or d_model % n_heads", ""),
            "n_heads of 0 divides by 0": ("n_heads < 1 or ", ""),
            "fewer than no heads": ("n_heads < 1", "n_heads == 0"),
            "more heads than features is all that is looked for": (
                "d_model % n_heads",
                "n_heads > d_model",
            ),
            "an AssertionError for bad heads": (
                "raise ValueError(",
                "raise AssertionError(",
            ),
            "a ValueError without a word": (_WORDS, ""),
            "an empty dict for bad heads": (f"raise ValueError({_WORDS})", "return {}"),
        },
        (hints.SINGLE_HEAD, 2): {
            "no block with one head": ("n_heads < 1", "n_heads <= 1"),
        },
        (hints.KEYS, 1): {
            "a key of another name": ('"mlp_hidden"', '"hidden"'),
            "a key too few": (f'"output": {_STREAM},', ""),
            "a key too many": (
                f'"output": {_STREAM},',
                f'"output": {_STREAM}, "keys": {_STREAM},',
            ),
        },
    },
)

# The post-LN block

_STEP_1 = "x = x + attention(x, w, n_heads, causal)"
_STEP_2 = "x = x + mlp(x, w, activation)"
_LAYER_1 = "x = layer_norm(x, w.ln1_scale, w.ln1_shift)"
_LAYER_2 = "layer_norm(x, w.ln2_scale, w.ln2_shift)"

POST_LN = answers(
    "def post_ln_block(x, w, n_heads, causal=False, activation=F.gelu):",
    {
        (hints.PRE_ORDER, 1): {
            "pre-LN order": """
                h = layer_norm(x, w.ln1_scale, w.ln1_shift)
                x = x + attention(h, w, n_heads, causal)
                h = layer_norm(x, w.ln2_scale, w.ln2_shift)
                return x + mlp(h, w, activation)
            """,
            "the MLP adds to the input of the norm": (
                ("x = layer_norm", "h = layer_norm"),
                ("mlp(x", "mlp(h"),
            ),
            "norms before the parts and after the sums": (
                ("attention(x", "attention(layer_norm(x, w.ln1_scale, w.ln1_shift)"),
                ("mlp(x", "mlp(layer_norm(x, w.ln2_scale, w.ln2_shift)"),
            ),
        },
        (hints.NO_NORM, 1): {
            "no last norm": (f"return {_LAYER_2}", "return x"),
            "no first norm": (_LAYER_1, ""),
        },
        (hints.POST_STREAM, 1): {
            "the second sum adds the input": (
                (_STEP_1, f"y = x\n    {_STEP_1}"),
                ("x + mlp", "y + mlp"),
            ),
        },
        (hints.NO_RESIDUAL, 1): {
            "no residual around attention": ("= x + attention", "= attention"),
            "no residual around the MLP": ("= x + mlp", "= mlp"),
        },
        (hints.NORMS_MIXED, 1): {
            "the norms swapped": (
                ("w.ln1_", "w.ln_"),
                ("w.ln2_", "w.ln1_"),
                ("w.ln_", "w.ln2_"),
            ),
            "the first norm used twice": ("w.ln2_", "w.ln1_"),
            "the second norm used twice": ("w.ln1_", "w.ln2_"),
        },
        (hints.NOT_CAUSAL, 1): {
            "causal is not passed on": (", causal)", ")"),
        },
        (hints.ALWAYS_CAUSAL, 1): {
            "always causal": (", causal)", ", True)"),
        },
        (hints.ACTIVATION_FIXED, 1): {
            "activation is not passed on": ("mlp(x, w, activation)", "mlp(x, w)"),
        },
        (hints.ACTIVATION_DEFAULT, 1): {
            "ReLU by default": ("F.gelu", "F.relu"),
        },
        (hints.ONE_HEAD, 1): {
            "one head, whatever is asked": ("w, n_heads, causal)", "w, 1, causal)"),
        },
        (hints.IN_PLACE, 1): {
            "the first sum changes the input": ("x = x + attention", "x += attention"),
        },
        (hints.FLOAT64, 1): {
            "the output in float64": (
                f"return {_LAYER_2}",
                f"return {_LAYER_2}.double()",
            ),
        },
        (hints.READY_MADE, 1): {
            "the reference of the checks does the work": (
                f"return {_LAYER_2}",
                "return torch_block(x, w, n_heads, norm_first=False)",
            ),
        },
    },
)

# RMSNorm and SwiGLU, two functions in one cell

_SQUARES = "x.square().mean(-1, keepdim=True)"
_RMS = "(mean_square + eps).sqrt()"
_GATED = "F.silu(x @ W_gate) * (x @ W_up)"

LLAMA = answers(
    "def rms_norm(x, scale, eps=1e-6):",
    {
        (hints.RMS_SIZE, 1): {
            "squares divided by five": (
                _SQUARES,
                "x.square().sum(-1, keepdim=True) / 5",
            ),
        },
        (hints.RMS_CENTRE, 1): {
            "the mean is subtracted": (
                "return x /",
                "return (x - x.mean(-1, keepdim=True)) /",
            ),
            "the standard deviation": (
                _SQUARES,
                "x.var(-1, correction=0, keepdim=True)",
            ),
            "LayerNorm without a shift": (
                "mean_square =",
                "x = x - x.mean(-1, keepdim=True)\n    mean_square =",
            ),
        },
        (hints.SUMMED, 1): {
            "sum of squares": (".mean(-1", ".sum(-1"),
        },
        (hints.SPREAD, 1): {
            "no root": (_RMS, "(mean_square + eps)"),
            "mean size instead of the root of squares": (
                _RMS,
                "(x.abs().mean(-1, keepdim=True) + eps)",
            ),
        },
        (hints.EPS_PLACE, 1): {
            "eps outside the root": (_RMS, "(mean_square.sqrt() + eps)"),
        },
        (hints.EPS_SIZE, 1): {
            "eps of LayerNorm": ("eps=1e-6", "eps=1e-5"),
            "eps of 1e-8 by default": ("eps=1e-6", "eps=1e-8"),
        },
        (hints.EPS_FIXED, 1): {
            "eps written into the body": ("mean_square + eps", "mean_square + 1e-6"),
        },
        (hints.EPS_NONE, 1): {
            "no eps": (_RMS, "mean_square.sqrt()"),
        },
        (hints.EPS_FLOOR, 1): {
            "eps as a floor": (_RMS, "mean_square.clamp(min=eps).sqrt()"),
        },
        (hints.OTHER_TOKENS, 1): {
            "over all tokens": (_SQUARES, "x.square().mean()"),
            "over the token axis": (".mean(-1", ".mean(-2"),
        },
        (hints.NO_SCALE, 1): {
            "scale forgotten": (".sqrt() * scale", ".sqrt()"),
        },
        (hints.FLOAT32, 1): {
            "the square in float32": (_SQUARES, f"{_SQUARES}.float()"),
        },
        (hints.FLOAT64, 1): {
            "the square in float64": (_SQUARES, f"{_SQUARES}.double()"),
        },
        (hints.READY_MADE, 1): {
            "torch does the work of RMSNorm": (
                f"x / {_RMS} * scale",
                "F.rms_norm(x, x.shape[-1:], scale, eps)",
            ),
        },
        (hints.GATE, 2): {
            "gate and up swapped in SwiGLU": (
                _GATED,
                "F.silu(x @ W_up) * (x @ W_gate)",
            ),
            "sigmoid instead of SiLU in SwiGLU": (
                _GATED,
                "torch.sigmoid(x @ W_gate) * (x @ W_up)",
            ),
            "GELU instead of SiLU in SwiGLU": (
                _GATED,
                "F.gelu(x @ W_gate) * (x @ W_up)",
            ),
            "ReLU instead of SiLU in SwiGLU": (
                _GATED,
                "F.relu(x @ W_gate) * (x @ W_up)",
            ),
            "no activation in SwiGLU": (_GATED, "(x @ W_gate) * (x @ W_up)"),
            "SiLU of both maps in SwiGLU": (
                _GATED,
                "F.silu(x @ W_gate) * F.silu(x @ W_up)",
            ),
            "SiLU of the product in SwiGLU": (
                _GATED,
                "F.silu((x @ W_gate) * (x @ W_up))",
            ),
        },
        (hints.PRODUCT, 2): {
            "sum instead of product in SwiGLU": (
                _GATED,
                "F.silu(x @ W_gate) + (x @ W_up)",
            ),
            "only the gate in SwiGLU": (_GATED, "F.silu(x @ W_gate)"),
            "only the map up in SwiGLU": (_GATED, "x @ W_up"),
            "an MLP of the map up in SwiGLU": (_GATED, "F.silu(x @ W_up)"),
            "the gate squared in SwiGLU": (_GATED, "F.silu(x @ W_gate) * (x @ W_gate)"),
        },
        (hints.ACTIVATION_PLACE, 2): {
            "SiLU after the map down": (
                f"({_GATED}) @ W_down",
                f"F.silu(({_GATED}) @ W_down)",
            ),
        },
        (hints.NO_LAST_MAP, 2): {
            "no map down in SwiGLU": (f"({_GATED}) @ W_down", _GATED),
        },
        (hints.READY_MADE, 2): {
            "the reference of the checks does the work of SwiGLU": (
                f"({_GATED}) @ W_down",
                "torch_swiglu(x, W_gate, W_up, W_down)",
            ),
        },
    },
)

MORE = (*MLP, *PRE_LN, *SHAPES, *POST_LN, *LLAMA)
