"""Wrong answers to lesson 2, and the check that must notice each."""

from answers import Wrong


def _block(body: str, fault: str, *check: str) -> Wrong:
    source = f"""\
def block_parameters(d_model, d_ff=None, bias=True):
    require_sizes(d_model=d_model)
    if d_ff is None:
        d_ff = 4 * d_model
    require_sizes(d_ff=d_ff)
    D = d_model
{body}
"""
    return Wrong(
        "block_parameters", fault, check if len(check) > 1 else check[0], source
    )


def _decoder(expression: str, fault: str) -> Wrong:
    source = f"""\
def decoder_block_parameters(d_model):
    require_sizes(d_model=d_model)
    D = d_model
    return {expression}
"""
    check = "decoder_block_parameters_check_1"
    return Wrong("decoder_block_parameters", fault, check, source)


def _gpt(expression: str, fault: str, *check: str) -> Wrong:
    source = f"""\
def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    require_sizes(vocab=vocab, context=context, d_model=d_model, n_layers=n_layers)
    V, C, D, L = vocab, context, d_model, n_layers
    block = 12 * D * D + 13 * D
    return {expression}
"""
    return Wrong("gpt_parameters", fault, check if len(check) > 1 else check[0], source)


def _flops(forward: str, training: str, fault: str, *check: str) -> Wrong:
    source = f"""\
def forward_flops_per_token(vocab, d_model, n_layers, context):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers, context=context)
    V, D, L, T = vocab, d_model, n_layers, context
    return {forward}


def training_flops(vocab, d_model, n_layers, context, n_tokens):
    require_sizes(n_tokens=n_tokens)
    V, D, L, T = vocab, d_model, n_layers, context
    forward = forward_flops_per_token(vocab, d_model, n_layers, context)
    return {training}
"""
    check = check if len(check) > 1 else check[0]
    return Wrong("forward_flops_per_token", fault, check, source)


def _crossover(expression: str, fault: str, *check: str) -> Wrong:
    source = f"""\
def attention_crossover(d_model):
    require_sizes(d_model=d_model)
    D = d_model
    return {expression}
"""
    check = check if len(check) > 1 else check[0]
    return Wrong("attention_crossover", fault, check, source)


def _budget(
    fault: str,
    check: str,
    budget: str = "6 * n_parameters * n_tokens",
    days: str = "flops / (flops_per_second * utilisation) / 86400",
    sizes: str = "require_sizes(n_parameters=n_parameters, n_tokens=n_tokens)",
    bad: str = "flops <= 0 or flops_per_second <= 0 or not 0 < utilisation <= 1",
) -> Wrong:
    source = f"""\
def budget(n_parameters, n_tokens):
    {sizes}
    return {budget}


def days(flops, flops_per_second, utilisation):
    if {bad}:
        raise ValueError("both numbers positive, utilisation above 0 and at most 1")
    return {days}
"""
    return Wrong("budget", fault, check, source)


def _llama(expression: str, fault: str) -> Wrong:
    source = f"""\
def llama_parameters(vocab, d_model, n_layers, d_ff, n_kv_heads, d_head):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers)
    require_sizes(d_ff=d_ff, n_kv_heads=n_kv_heads, d_head=d_head)
    V, D, L, F, K, h = vocab, d_model, n_layers, d_ff, n_kv_heads, d_head
    return {expression}
"""
    return Wrong("llama_parameters", fault, "llama_parameters_check_1", source)


BLOCK = (
    "block_parameters_check_1",
    "block_parameters_check_2",
    "block_parameters_check_3",
)
GPT = tuple(f"gpt_parameters_check_{number}" for number in range(6))
FLOPS = tuple(f"forward_flops_per_token_check_{number}" for number in range(6))
PLACE, EXACT = "attention_crossover_check_1", "attention_crossover_check_2"
RUN, DAYS = "budget_check_1", "budget_check_2"
FORWARD = "2 * (12 * L * D * D + D * V) + 4 * L * T * D"
GPT_SUM = "V * D + C * D + L * block + 2 * D + (0 if tied else V * D)"
LLAMA = "2 * V * D + L * (2 * D * D + 2 * D * K * h + 3 * D * F + 2 * D) + D"
SQUARE = "    linear = 4 * D * D + 2 * D * d_ff"

WRONG = [
    _block(
        f"{SQUARE} + (5 * D + d_ff if bias else 0)\n"
        "    return linear + (2 * D if bias else D)",
        "one norm instead of two",
        BLOCK[0],
    ),
    _block(
        f"{SQUARE} + (5 * D + d_ff if bias else 0)\n    return linear + 2 * D",
        "norms without shifts, as in RMSNorm",
        BLOCK[0],
    ),
    _block(
        f"{SQUARE} + (5 * D + d_ff if bias else 0)\n    return linear",
        "no norms",
        BLOCK[0],
    ),
    _block(
        f"{SQUARE} + (5 * D + d_ff if bias else 0)\n    return linear + 4 * D",
        "bias=False keeps the shifts of the norms",
        BLOCK[1],
    ),
    _block(
        "    return 12 * D * D + (13 * D if bias else 2 * D)",
        "d_ff ignored: four times D whatever is asked",
        BLOCK[1],
    ),
    _block(
        "    return 4 * D * D + 2 * D * d_ff + 9 * D + d_ff",
        "bias ignored",
        BLOCK[1],
    ),
    _block(
        f"{SQUARE} + (9 * D if bias else 0)\n    return linear + 2 * D * (1 + bias)",
        "hidden bias taken as 4D",
        BLOCK[1],
    ),
    _block(
        f"{SQUARE} + (5 * D + d_ff if bias else 0)\n    return linear if not bias else "
        "linear + 4 * D",
        "bias=False drops the norms as a whole",
        BLOCK[1],
    ),
    _block(
        "    linear = 3 * D * D + 2 * D * d_ff + (4 * D + d_ff if bias else 0)\n"
        "    return linear + (4 if bias else 2) * D",
        "no output projection",
        BLOCK[0],
    ),
    _block(
        "    linear = 4 * D * D + D * d_ff + (4 * D + d_ff if bias else 0)\n"
        "    return linear + (4 if bias else 2) * D",
        "one MLP matrix instead of two",
        BLOCK[0],
    ),
    _block(
        "    linear = 4 * D * D + 3 * D * d_ff + (5 * D + d_ff if bias else 0)\n"
        "    return linear + (4 if bias else 2) * D",
        "three MLP matrices, as in SwiGLU",
        BLOCK[0],
    ),
    _block(
        f"{SQUARE} + (5 * D + 2 * d_ff if bias else 0)\n"
        "    return linear + (4 if bias else 2) * D",
        "second MLP bias of d_ff and D",
        BLOCK[0],
    ),
    _block(
        f"{SQUARE} + (d_ff + D if bias else 0)\n"
        "    return linear + (4 if bias else 2) * D",
        "attention without biases",
        BLOCK[0],
    ),
    _block("    return 12 * D * D", "the estimate 12D²", BLOCK[0], BLOCK[1]),
    _block(
        f"{SQUARE} + (5 * D + d_ff if bias else 0)\n"
        "    return float(linear + (4 if bias else 2) * D)",
        "a float",
        BLOCK[0],
    ),
    Wrong(
        "block_parameters",
        "sizes not checked",
        "block_parameters_check_3",
        """\
def block_parameters(d_model, d_ff=None, bias=True):
    if d_ff is None:
        d_ff = 4 * d_model
    matrices = 4 * d_model**2 + 2 * d_model * d_ff
    return matrices + (9 * d_model + d_ff if bias else 2 * d_model)
""",
    ),
    Wrong(
        "block_parameters",
        "d_ff = 0 taken for None",
        "block_parameters_check_3",
        """\
def block_parameters(d_model, d_ff=None, bias=True):
    d_ff = d_ff or 4 * d_model
    require_sizes(d_model=d_model, d_ff=d_ff)
    matrices = 4 * d_model**2 + 2 * d_model * d_ff
    return matrices + (9 * d_model + d_ff if bias else 2 * d_model)
""",
    ),
    Wrong(
        "block_parameters",
        "d_ff not checked",
        "block_parameters_check_3",
        """\
def block_parameters(d_model, d_ff=None, bias=True):
    require_sizes(d_model=d_model)
    if d_ff is None:
        d_ff = 4 * d_model
    matrices = 4 * d_model**2 + 2 * d_model * d_ff
    return matrices + (9 * d_model + d_ff if bias else 2 * d_model)
""",
    ),
    Wrong(
        "block_parameters",
        "2.5 cut to 2",
        "block_parameters_check_3",
        """\
def block_parameters(d_model, d_ff=None, bias=True):
    d_model = int(d_model)
    d_ff = 4 * d_model if d_ff is None else int(d_ff)
    require_sizes(d_model=d_model, d_ff=d_ff)
    matrices = 4 * d_model**2 + 2 * d_model * d_ff
    return matrices + (9 * d_model + d_ff if bias else 2 * d_model)
""",
    ),
    _decoder("16 * D * D + 17 * D", "two norms instead of three"),
    _decoder("16 * D * D + 15 * D", "cross-attention without biases"),
    _decoder("24 * D * D + 26 * D", "a whole second block"),
    _decoder("14 * D * D + 17 * D", "cross-attention without query and output maps"),
    _decoder("15 * D * D + 18 * D", "cross-attention without output map"),
    _decoder("12 * D * D + 13 * D", "no cross-attention"),
    _decoder("16 * D * D", "the leading term alone"),
    _decoder("16 * D * D + 18 * D", "third norm without a shift"),
    _decoder("20 * D * D + 23 * D", "three attentions"),
    Wrong(
        "decoder_block_parameters",
        "sizes not checked",
        "decoder_block_parameters_check_1",
        """\
def decoder_block_parameters(d_model):
    return 16 * d_model**2 + 19 * d_model
""",
    ),
    _gpt(
        "V * D + C * D + L * (12 * D * D + 11 * D) + 2 * D + (0 if tied else V * D)",
        "one norm a block",
        GPT[1],
    ),
    _gpt(
        "V * D + C * D + L * (12 * D * D + 11 * D) + D + (0 if tied else V * D)",
        "norms without shifts",
        GPT[1],
        GPT[4],
    ),
    _gpt(
        "V * D + L * block + 2 * D + (0 if tied else V * D)",
        "positions left out",
        GPT[2],
    ),
    _gpt(
        "V * D + C + L * block + 2 * D + (0 if tied else V * D)",
        "one number for a position",
        GPT[2],
    ),
    _gpt("V * D + C * D + L * block + (0 if tied else V * D)", "no final norm", GPT[4]),
    _gpt(
        "V * D + C * D + L * block + D + (0 if tied else V * D)",
        "final norm without a shift",
        GPT[4],
    ),
    _gpt(
        "V * D + C * D + L * (block + 2 * D) + (0 if tied else V * D)",
        "a final norm in each block",
        GPT[1],
        GPT[4],
    ),
    _gpt(
        "2 * V * D + C * D + L * block + 2 * D",
        "tied matrix counted twice, as in a state dict",
        GPT[3],
    ),
    _gpt(
        "C * D + L * block + 2 * D + (0 if tied else V * D)",
        "tied matrix subtracted again",
        GPT[3],
    ),
    _gpt(
        "V * D + C * D + L * block + 2 * D + (V * D if tied else 0)",
        "tied the wrong way round",
        GPT[3],
    ),
    _gpt("V * D + C * D + L * block + 2 * D", "tied ignored", GPT[3]),
    _gpt(
        "V * D + C * D + L * block + 2 * D + (0 if tied else V * D + V)",
        "an unembedding with a bias",
        GPT[3],
    ),
    _gpt(
        "V * D + C * D + L * block + 2 * D + V + (0 if tied else V * D)",
        "a bias of the scores, tied too",
        GPT[3],
    ),
    _gpt(
        "V * D + C * D + L * block + 2 * D + (0 if tied else (V + C) * D)",
        "positions untied as well",
        GPT[2],
    ),
    _gpt("V * D + C * D + block + 2 * D + (0 if tied else V * D)", "one block", GPT[1]),
    _gpt(
        "V * D + C * D + 12 * L * D * D + 2 * D + (0 if tied else V * D)",
        "the estimate 12LD²",
        GPT[1],
    ),
    _gpt(
        "C * D + L * block + 2 * D + (0 if tied else C * D)",
        "vocabulary never used",
        GPT[3],
    ),
    _gpt(f"float({GPT_SUM})", "a float", GPT[5]),
    Wrong(
        "gpt_parameters",
        "context and vocabulary swapped when untied",
        "gpt_parameters_check_3",
        """\
def gpt_parameters(context, vocab, d_model, n_layers, tied=True):
    require_sizes(vocab=vocab, context=context, d_model=d_model, n_layers=n_layers)
    total = (vocab + context + 2) * d_model + n_layers * block_parameters(d_model)
    return total if tied else total + vocab * d_model
""",
    ),
    Wrong(
        "gpt_parameters",
        "sizes not checked",
        "gpt_parameters_check_5",
        """\
def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    total = (vocab + context + 2) * d_model
    total += n_layers * (12 * d_model**2 + 13 * d_model)
    return total if tied else total + vocab * d_model
""",
    ),
    Wrong(
        "gpt_parameters",
        "counts the entries of a state dict",
        "gpt_parameters_check_3",
        """\
def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    require_sizes(vocab=vocab, context=context, d_model=d_model, n_layers=n_layers)
    model = real_gpt(vocab, context, d_model, n_layers, tied)
    return sum(entry.numel() for entry in model.state_dict().values())
""",
    ),
    _flops(
        "(12 * L * D * D + D * V) + 2 * L * T * D",
        "3 * n_tokens * forward",
        "multiply-adds instead of FLOPs",
        *FLOPS[1:5],
    ),
    _flops(
        f"3 * ({FORWARD})",
        "n_tokens * forward",
        "training given for forward",
        *FLOPS[1:5],
    ),
    _flops(
        "2 * (12 * L * D * D + D * V) + 2 * L * T * D",
        "3 * n_tokens * forward",
        "one of the two attention products",
        FLOPS[2],
    ),
    _flops(
        "2 * (12 * L * D * D + D * V) + 2 * L * (T + 1) * D",
        "3 * n_tokens * forward",
        "halved for the mask",
        FLOPS[2],
    ),
    _flops(
        "2 * (12 * L * D * D + D * V) + 4 * T * D",
        "3 * n_tokens * forward",
        "attention matrix of one layer",
        FLOPS[2],
    ),
    _flops(
        "2 * (12 * L * D * D + D * V) + 4 * L * T * T * D",
        "3 * n_tokens * forward",
        "attention matrix of the sequence, not of a token",
        FLOPS[2],
    ),
    _flops(
        "2 * (12 * L * D * D + D * V)",
        "3 * n_tokens * forward",
        "no attention matrix",
        FLOPS[2],
    ),
    _flops(
        "2 * 12 * L * D * D + 4 * L * T * D",
        "3 * n_tokens * forward",
        "unembedding dropped because it is tied",
        FLOPS[3],
    ),
    _flops(
        "2 * (12 * L * D * D + 2 * D * V) + 4 * L * T * D",
        "3 * n_tokens * forward",
        "look-up of the token counted as a product",
        FLOPS[3],
    ),
    _flops(
        "2 * (12 * L * D * D + L * D * V) + 4 * L * T * D",
        "3 * n_tokens * forward",
        "an unembedding in each layer",
        FLOPS[3],
    ),
    _flops(
        "2 * (12 * L * D * D + D * V + T * D) + 4 * L * T * D",
        "3 * n_tokens * forward",
        "look-up of the position counted as a product",
        FLOPS[2],
    ),
    _flops(
        "2 * (12 * L * D * D + 13 * L * D + D * V) + 4 * L * T * D",
        "3 * n_tokens * forward",
        "biases and norms counted",
        FLOPS[1],
    ),
    _flops(
        "2 * (12 * L * D * D + D * V + 2 * D) + 4 * L * T * D",
        "3 * n_tokens * forward",
        "final norm counted",
        FLOPS[4],
    ),
    _flops(
        "2 * gpt_parameters(V, T, D, L) + 4 * L * T * D",
        "3 * n_tokens * forward",
        "all parameters times 2",
        FLOPS[1],
        FLOPS[2],
    ),
    _flops(
        "2 * (8 * L * D * D + D * V) + 4 * L * T * D",
        "3 * n_tokens * forward",
        "MLP alone",
        FLOPS[1],
    ),
    _flops(
        "2 * (10 * L * D * D + D * V) + 4 * L * T * D",
        "3 * n_tokens * forward",
        "attention of two maps",
        FLOPS[1],
    ),
    _flops(
        f"T * ({FORWARD})",
        "3 * n_tokens * forward",
        "a sequence instead of a token",
        *FLOPS[1:5],
    ),
    _flops(FORWARD, "2 * n_tokens * forward", "backward as dear as forward", FLOPS[5]),
    _flops(FORWARD, "n_tokens * forward", "no backward", FLOPS[5]),
    _flops(FORWARD, "4 * n_tokens * forward", "a second forward pass", FLOPS[5]),
    _flops(FORWARD, "6 * n_tokens * forward", "6N and 2N taken together", FLOPS[5]),
    _flops(FORWARD, "3 * forward", "n_tokens forgotten", FLOPS[5]),
    _flops(FORWARD, "3 * forward * n_tokens * T", "tokens times context", FLOPS[5]),
    _flops(
        FORWARD,
        "6 * (12 * L * D * D + D * V) * n_tokens",
        "training without the attention matrix",
        FLOPS[5],
    ),
    _flops(
        FORWARD,
        "6 * n_tokens * (12 * L * D * D + D * V) + 4 * L * T * D * n_tokens",
        "attention matrix forward only",
        FLOPS[5],
    ),
    _flops(FORWARD, "3.0 * forward * n_tokens", "a float", FLOPS[5]),
    _flops(f"float({FORWARD})", "3 * int(forward) * n_tokens", "floats", FLOPS[4]),
    Wrong(
        "forward_flops_per_token",
        "sizes of the forward pass not checked",
        FLOPS[4],
        """\
def forward_flops_per_token(vocab, d_model, n_layers, context):
    weights = 12 * n_layers * d_model**2 + d_model * vocab
    return 2 * weights + 4 * n_layers * context * d_model


def training_flops(vocab, d_model, n_layers, context, n_tokens):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers)
    require_sizes(context=context, n_tokens=n_tokens)
    return 3 * n_tokens * forward_flops_per_token(vocab, d_model, n_layers, context)
""",
    ),
    Wrong(
        "forward_flops_per_token",
        "number of tokens not checked",
        FLOPS[5],
        """\
def forward_flops_per_token(vocab, d_model, n_layers, context):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers, context=context)
    weights = 12 * n_layers * d_model**2 + d_model * vocab
    return 2 * weights + 4 * n_layers * context * d_model


def training_flops(vocab, d_model, n_layers, context, n_tokens):
    return 3 * n_tokens * forward_flops_per_token(vocab, d_model, n_layers, context)
""",
    ),
    _crossover("12 * D", "one attention product", PLACE),
    _crossover("3 * D", "weights as multiply-adds", PLACE),
    _crossover("4 * D", "MLP alone", PLACE),
    _crossover("2 * D", "projections of attention alone", PLACE),
    _crossover("D", "T = D", PLACE),
    _crossover("6 * D * D", "a factor D left over", PLACE),
    _crossover("24 * D", "D divided out, 4 not", PLACE),
    _crossover("4608", "right for one width", PLACE),
    _crossover("6 * D + 1", "more than, instead of at least", EXACT),
    _crossover("6 * D - 1", "the last context below", EXACT),
    _crossover("24 * D**2 / (4 * D)", "a float", EXACT),
    _crossover("(12 * D * D + 13 * D) // (2 * D)", "biases and norms too", PLACE),
    Wrong(
        "attention_crossover",
        "sizes not checked",
        EXACT,
        """\
def attention_crossover(d_model):
    return 6 * d_model
""",
    ),
    _budget("forward only", RUN, budget="2 * n_parameters * n_tokens"),
    _budget("backward only", RUN, budget="4 * n_parameters * n_tokens"),
    _budget("multiply-adds", RUN, budget="3 * n_parameters * n_tokens"),
    _budget("tokens forgotten", RUN, budget="6 * n_parameters"),
    _budget("a float", RUN, budget="6.0 * n_parameters * n_tokens"),
    _budget("through a float", RUN, budget="int(6e0 * n_parameters * n_tokens)"),
    _budget(
        "20 tokens a parameter", RUN, budget="6 * n_parameters * 20 * n_parameters"
    ),
    _budget("sizes not checked", RUN, sizes='"""No checks."""'),
    _budget("tokens not checked", RUN, sizes="require_sizes(n=n_parameters)"),
    _budget("seconds", DAYS, days="flops / (flops_per_second * utilisation)"),
    _budget("hours", DAYS, days="flops / (flops_per_second * utilisation) / 3600"),
    _budget("utilisation ignored", DAYS, days="flops / flops_per_second / 86400"),
    _budget(
        "utilisation makes it faster",
        DAYS,
        days="flops / flops_per_second * utilisation / 86400",
    ),
    _budget(
        "whole days only",
        DAYS,
        days="flops // (flops_per_second * utilisation) // 86400",
    ),
    _budget(
        "minutes for seconds",
        DAYS,
        days="flops / (flops_per_second * utilisation) / (24 * 60)",
    ),
    _budget(
        "utilisation 1 refused",
        DAYS,
        bad="flops <= 0 or flops_per_second <= 0 or not 0 < utilisation < 1",
    ),
    _budget(
        "utilisation above 1 taken",
        DAYS,
        bad="flops <= 0 or flops_per_second <= 0 or utilisation <= 0",
    ),
    _budget("numbers not checked", DAYS, bad="not 0 < utilisation <= 1"),
    _budget(
        "flops of 0 taken",
        DAYS,
        bad="flops < 0 or flops_per_second <= 0 or not 0 < utilisation <= 1",
    ),
    _budget("utilisation not checked", DAYS, bad="flops <= 0 or flops_per_second <= 0"),
    _llama(
        "2 * V * D + L * (4 * D * D + 3 * D * F + 2 * D) + D",
        "keys and values as wide as queries",
    ),
    _llama(
        "2 * V * D + D + L * (2 * D * D + 2 * D * (D // K) + 3 * D * F + 2 * D)",
        "number of key heads read as the size of a group",
    ),
    _llama(
        "2 * V * D + L * (2 * D * D + 2 * D * K * h + 2 * D * F + 2 * D) + D",
        "two MLP matrices",
    ),
    _llama("V * D + L * (2 * D * D + 2 * D * K * h + 3 * D * F + 2 * D) + D", "tied"),
    _llama(
        "2 * V * D + L * (2 * D * D + 2 * D * K * h + 3 * D * F + 4 * D) + 2 * D",
        "LayerNorms",
    ),
    _llama(
        "2 * V * D + L * (2 * D * D + 2 * D * K * h + 3 * D * F + 2 * D)",
        "no final norm",
    ),
    _llama(
        "2 * V * D + L * (2 * D * D + D * K * h + 3 * D * F + 2 * D) + D",
        "keys without values",
    ),
    _llama(
        "2 * V * D + L * (2 * D * D + 2 * D * h + 3 * D * F + 2 * D) + D",
        "one key head",
    ),
    Wrong(
        "llama_parameters",
        "sizes not checked",
        "llama_parameters_check_1",
        f"""\
def llama_parameters(vocab, d_model, n_layers, d_ff, n_kv_heads, d_head):
    V, D, L, F, K, h = vocab, d_model, n_layers, d_ff, n_kv_heads, d_head
    return {LLAMA}
""",
    ),
]
