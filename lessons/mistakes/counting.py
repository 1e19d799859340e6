"""Known wrong answers to lesson 2, exercise by exercise.

Nearly all are the lesson's own answer with one term changed, since that is how counts
go wrong. The hints have a file of their own, counting_hints.py.
"""

from mistakes import Hint, Mistake
from mistakes import counting_hints as hints

Edit = tuple[str, str]


def _block(name: str, checks: tuple[int, ...], hint: Hint, *edits: Edit) -> Mistake:
    return Mistake("block_parameters", name, checks, hint, edits=edits)


def _decoder(name: str, hint: Hint, *edits: Edit) -> Mistake:
    return Mistake("decoder_block_parameters", name, (1,), hint, edits=edits)


def _gpt(name: str, checks: tuple[int, ...], hint: Hint, *edits: Edit) -> Mistake:
    return Mistake("gpt_parameters", name, checks, hint, edits=edits)


def _flops(name: str, checks: tuple[int, ...], hint: Hint, *edits: Edit) -> Mistake:
    return Mistake("forward_flops_per_token", name, checks, hint, edits=edits)


def _training(name: str, hint: Hint, result: str) -> Mistake:
    return _flops(name, (5,), hint, ("3 * forward * n_tokens", result))


def _crossover(name: str, checks: tuple[int, ...], hint: Hint, *edits: Edit) -> Mistake:
    return Mistake("attention_crossover", name, checks, hint, edits=edits)


def _budget(name: str, hint: Hint, *edits: Edit) -> Mistake:
    return Mistake("budget", name, (1,), hint, edits=edits)


def _days(name: str, hint: Hint, *edits: Edit) -> Mistake:
    return Mistake("budget", name, (2,), hint, edits=edits)


def _llama(name: str, hint: Hint, *edits: Edit) -> Mistake:
    return Mistake("llama_parameters", name, (1,), hint, edits=edits)


# Parts of the lesson's answers that are changed more than once.
BLOCK_SIZES = "require_sizes(d_model=d_model, d_ff=d_ff)"
WIDTH_SIZE = "require_sizes(d_model=d_model)"
DECODER_SUM = "block_parameters(d_model) + cross_attention + norm"
GPT_SIZES = (
    "require_sizes(vocab=vocab, context=context, d_model=d_model, n_layers=n_layers)"
)
GPT_SUM = "tables + blocks + final_norm + unembedding"
A_BLOCK = "block_parameters(d_model)"
FORWARD_SIZES = (
    "require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers, context=context)"
)
FORWARD_SUM = "2 * weights + scores + weighted_sums"
A_PRODUCT = "2 * n_layers * context"
UNEMBEDDING = "d_model * vocab"
QUOTIENT = "weights // one_key"
BUDGET_SIZES = "require_sizes(n_parameters=n_parameters, n_tokens=n_tokens)"
PRODUCT = "6 * n_parameters * n_tokens"
PER_DAY = "seconds / (24 * 60 * 60)"

BLOCK = (
    _block(
        "one norm instead of two",
        (1, 2),
        hints.NORM_PARTS,
        ("scales = 2", "scales = 1"),
        ("shifts = 2", "shifts = 1"),
    ),
    _block(
        "norms without shifts, as in RMSNorm",
        (1,),
        hints.NORM_PARTS,
        ("shifts = 2", "shifts = 0"),
    ),
    _block(
        "norms without scales", (1, 2), hints.NORM_PARTS, ("scales = 2", "scales = 0")
    ),
    _block(
        "no norms",
        (1, 2),
        hints.FOUR_VECTORS,
        ("scales = 2", "scales = 0"),
        ("shifts = 2", "shifts = 0"),
    ),
    _block(
        "attention without biases",
        (1,),
        hints.FOUR_VECTORS,
        ("biases = 4", "biases = 0"),
    ),
    _block(
        "no bias on the way up",
        (1, 2),
        hints.FOUR_VECTORS,
        ("+ d_ff + d_model", "+ d_model"),
    ),
    _block(
        "no bias on the way down", (1,), hints.BIASES, ("+ d_ff + d_model", "+ d_ff")
    ),
    _block("no bias of the output", (1,), hints.BIASES, ("biases = 4", "biases = 3")),
    _block("MLP without biases", (1, 2), hints.BIASES, ("+ d_ff + d_model", "")),
    _block(
        "second MLP bias of d_ff and D",
        (1,),
        hints.BIASES,
        ("+ d_ff +", "+ 2 * d_ff +"),
    ),
    _block(
        "second MLP bias of d_ff",
        (1, 2),
        hints.BIASES,
        ("+ d_ff + d_model", "+ 2 * d_ff"),
    ),
    _block(
        "first MLP bias of D",
        (1, 2),
        hints.BIASES,
        ("+ d_ff + d_model", "+ 2 * d_model"),
    ),
    _block(
        "a third norm",
        (1, 2),
        hints.EXTRA_NORM,
        ("scales = 2", "scales = 3"),
        ("shifts = 2", "shifts = 3"),
    ),
    _block(
        "no output projection",
        (1,),
        hints.ATTENTION_MAPS,
        ("attention = 4", "attention = 3"),
        ("biases = 4", "biases = 3"),
    ),
    _block(
        "no output matrix, and yet its bias",
        (1, 2),
        hints.ATTENTION_MAPS,
        ("attention = 4", "attention = 3"),
    ),
    _block(
        "one map for queries, keys and values",
        (1,),
        hints.ATTENTION_MAPS,
        ("attention = 4", "attention = 2"),
        ("biases = 4", "biases = 2"),
    ),
    _block(
        "one MLP matrix instead of two",
        (1,),
        hints.MLP_MATRICES,
        ("mlp = 2", "mlp = 1"),
        ("+ d_ff + d_model", "+ d_ff"),
    ),
    _block(
        "one MLP matrix, both biases",
        (1, 2),
        hints.MLP_MATRICES,
        ("mlp = 2", "mlp = 1"),
    ),
    _block(
        "three MLP matrices, as in SwiGLU",
        (1,),
        hints.MLP_MATRICES,
        ("mlp = 2", "mlp = 3"),
    ),
    _block(
        "three MLP matrices with biases",
        (1,),
        hints.MLP_MATRICES,
        ("mlp = 2", "mlp = 3"),
        ("+ d_ff +", "+ 2 * d_ff +"),
    ),
    _block(
        "MLP matrix from d_ff to d_ff",
        (1,),
        hints.MLP_MATRICES,
        ("mlp = 2 * d_model * d_ff", "mlp = d_model * d_ff + d_ff * d_ff"),
    ),
    _block(
        "d_ff ignored: four times D whatever is asked",
        (2,),
        hints.FIXED_MLP,
        ("attention = 4", "d_ff = 4 * d_model\n    attention = 4"),
    ),
    _block(
        "hidden bias taken as 4D",
        (2,),
        hints.FIXED_MLP,
        ("+ d_ff + d_model", "+ 5 * d_model"),
    ),
    _block(
        "way down taken as 4D wide",
        (2,),
        hints.FIXED_MLP,
        ("2 * d_model * d_ff", "d_model * d_ff + 4 * d_model * d_model"),
    ),
    _block(
        "the estimate 12D²",
        (1, 2),
        hints.LEADING_TERM,
        ("attention = 4", "return 12 * d_model * d_model\n    attention = 4"),
    ),
    _block(
        "matrices alone",
        (1, 2),
        hints.LEADING_TERM,
        ("scales = 2", "scales = 0"),
        ("+ biases + shifts", ""),
    ),
    _block("bias ignored", (2,), hints.TAKES_TOO_LITTLE, ("if not bias:", "if False:")),
    _block(
        "bias=False keeps the shifts of the norms",
        (2,),
        hints.KEEPS_SHIFTS,
        ("scales\n", "2 * scales\n"),
    ),
    _block(
        "bias=False keeps the biases of attention",
        (2,),
        hints.TAKES_TOO_LITTLE,
        ("scales\n", "scales + 4 * d_model\n"),
    ),
    _block(
        "bias=False keeps the biases of the MLP",
        (2,),
        hints.TAKES_TOO_LITTLE,
        ("scales\n", "scales + d_ff + d_model\n"),
    ),
    _block(
        "bias=False drops the norms as a whole",
        (2,),
        hints.DROPS_NORMS,
        ("+ scales\n", "\n"),
    ),
    _block("a float", (1,), hints.FLOAT, ("attention = 4", "attention = 4.0")),
    _block("sizes not checked", (3,), hints.NOT_REFUSED, (BLOCK_SIZES, "")),
    _block("d_ff not checked", (3,), hints.NOT_REFUSED, (", d_ff=d_ff)", ")")),
    _block(
        "0 refused, 2.5 taken",
        (3,),
        hints.NOT_REFUSED,
        (BLOCK_SIZES, "require_sizes(d_model=int(d_model), d_ff=int(d_ff))"),
    ),
    _block(
        "0 returned for a bad size",
        (3,),
        hints.NOT_REFUSED,
        (BLOCK_SIZES, "if min(d_model, d_ff) < 1:\n        return 0"),
    ),
    _block(
        "sizes checked by assert",
        (3,),
        hints.REFUSED_OTHERWISE,
        (BLOCK_SIZES, "assert min(d_model, d_ff) >= 1"),
    ),
    _block(
        "TypeError for a bad size",
        (3,),
        hints.REFUSED_OTHERWISE,
        (
            BLOCK_SIZES,
            "if d_model < 1 or d_model % 1:\n        raise TypeError('size')",
        ),
    ),
    _block(
        "ValueError without a message",
        (3,),
        hints.REFUSED_OTHERWISE,
        (BLOCK_SIZES, "if d_model < 1 or d_ff < 1:\n        raise ValueError"),
    ),
    _block(
        "2.5 cut to 2",
        (3,),
        hints.NOT_REFUSED,
        ("    if d_ff is", "    d_model = int(d_model)\n    if d_ff is"),
    ),
    _block(
        "d_ff = 0 taken for None", (3,), hints.NOT_REFUSED, ("d_ff is None", "not d_ff")
    ),
)

DECODER = (
    _decoder("two norms instead of three", hints.NORM_PARTS, ("norm = 2", "norm = 0")),
    _decoder("third norm without a shift", hints.NORM_PARTS, ("norm = 2", "norm = 1")),
    _decoder("norms without shifts", hints.NORM_PARTS, ("+ norm", "- d_model")),
    _decoder(
        "cross-attention without biases",
        hints.BIASES,
        ("d_model * d_model + d_model", "d_model * d_model"),
    ),
    _decoder(
        "cross-attention of matrices alone, no norm",
        hints.BIASES,
        ("d_model * d_model + d_model", "d_model * d_model"),
        ("norm = 2", "norm = 0"),
    ),
    _decoder(
        "cross-attention without query and output maps",
        hints.ATTENTION_MAPS,
        ("4 * (", "2 * ("),
    ),
    _decoder(
        "cross-attention without output map", hints.ATTENTION_MAPS, ("4 * (", "3 * (")
    ),
    _decoder("cross-attention of one map", hints.ATTENTION_MAPS, ("4 * (", "1 * (")),
    _decoder(
        "a whole second block",
        hints.MORE_THAN_CROSS,
        ("cross_attention + norm", "block_parameters(d_model)"),
    ),
    _decoder(
        "a whole second block and a norm",
        hints.MORE_THAN_CROSS,
        ("cross_attention +", "block_parameters(d_model) +"),
    ),
    _decoder("three attentions", hints.MORE_THAN_CROSS, ("4 * (", "8 * (")),
    _decoder("no cross-attention", hints.NO_CROSS, (" + cross_attention + norm", "")),
    _decoder("a third norm alone", hints.NO_CROSS, (" + cross_attention", "")),
    _decoder("four norms", hints.EXTRA_NORM, ("norm = 2", "norm = 4")),
    _decoder(
        "the leading term alone", hints.LEADING_TERM, (DECODER_SUM, "16 * d_model**2")
    ),
    _decoder("a float", hints.FLOAT, ("4 * (", "4.0 * (")),
    _decoder(
        "sizes not checked",
        hints.NOT_REFUSED,
        (WIDTH_SIZE, ""),
        ("block_parameters(d_model) +", "12 * d_model**2 + 13 * d_model +"),
    ),
    _decoder(
        "sizes checked by assert",
        hints.REFUSED_OTHERWISE,
        (WIDTH_SIZE, "assert d_model >= 1"),
    ),
)

GPT = (
    _gpt(
        "one norm a block",
        (1,),
        hints.NORM_PARTS,
        (A_BLOCK, "(block_parameters(d_model) - 2 * d_model)"),
    ),
    _gpt(
        "norms without shifts",
        (1, 4),
        hints.NORM_PARTS,
        (A_BLOCK, "(block_parameters(d_model) - 2 * d_model)"),
        ("final_norm = 2", "final_norm = 1"),
    ),
    _gpt(
        "one block", (1,), hints.BLOCK_NUMBER, ("blocks = n_layers *", "blocks = 1 *")
    ),
    _gpt(
        "last block forgotten",
        (4,),
        hints.BLOCK_NUMBER,
        ("= n_layers *", "= (n_layers - 1) *"),
    ),
    _gpt(
        "one block too many",
        (4,),
        hints.BLOCK_NUMBER,
        ("= n_layers *", "= (n_layers + 1) *"),
    ),
    _gpt(
        "the estimate 12LD²",
        (1,),
        hints.LEADING_TERM,
        (A_BLOCK, "12 * d_model**2"),
    ),
    _gpt(
        "blocks without biases",
        (1,),
        hints.OTHER_BLOCKS,
        (A_BLOCK, "block_parameters(d_model, bias=False)"),
    ),
    _gpt(
        "blocks with cross-attention",
        (1,),
        hints.OTHER_BLOCKS,
        (A_BLOCK, "(16 * d_model**2 + 19 * d_model)"),
    ),
    _gpt(
        "a final norm in each block",
        (1, 4),
        hints.IN_EVERY_BLOCK,
        ("final_norm = 2 *", "final_norm = 2 * n_layers *"),
    ),
    _gpt(
        "tables in each block",
        (1, 2, 3),
        hints.IN_EVERY_BLOCK,
        ("tables =", "tables = n_layers *"),
    ),
    _gpt("positions left out", (2,), hints.POSITIONS, ("(vocab + context)", "vocab")),
    _gpt(
        "one number for a position",
        (2,),
        hints.POSITIONS,
        ("(vocab + context) * d_model", "vocab * d_model + context"),
    ),
    _gpt(
        "a square table of positions",
        (2,),
        hints.POSITIONS,
        ("(vocab + context) * d_model", "vocab * d_model + context**2"),
    ),
    _gpt(
        "positions untied as well",
        (2,),
        hints.POSITIONS,
        ("d_model * vocab", "d_model * (vocab + context)"),
    ),
    _gpt("no final norm", (4,), hints.FINAL_NORM, ("final_norm = 2", "final_norm = 0")),
    _gpt(
        "final norm without a shift",
        (4,),
        hints.FINAL_NORM,
        ("final_norm = 2", "final_norm = 1"),
    ),
    _gpt(
        "norm after the embedding, too",
        (4,),
        hints.EXTRA_NORM,
        ("final_norm = 2", "final_norm = 4"),
    ),
    _gpt(
        "tied matrix counted twice, as in a state dict",
        (3,),
        hints.TIED_TWICE,
        ("0 if tied else ", ""),
    ),
    _gpt(
        "tied the wrong way round",
        (3,),
        hints.TIED_TWICE,
        ("0 if tied", "0 if not tied"),
    ),
    _gpt(
        "counts the entries of a state dict",
        (3,),
        hints.TIED_TWICE,
        (GPT_SUM, "sum(entry.numel() for entry in entries)"),
        (
            "    tables",
            "    model = real_gpt(vocab, context, d_model, n_layers, tied)\n    tables",
        ),
        ("    return", "    entries = model.state_dict().values()\n    return"),
    ),
    Mistake(
        "gpt_parameters",
        "tied by sharing data",
        (3,),
        hints.TIED_TWICE,
        """\
def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    require_sizes(vocab=vocab, context=context, d_model=d_model, n_layers=n_layers)
    with torch.device("meta"):
        model = TinyGPT(vocab, context, d_model, 1, n_layers, tied=False)
    if tied:
        model.unembedding.weight.data = model.token_embedding.weight.data
    return count(model)
""",
    ),
    _gpt(
        "tied matrix subtracted again",
        (3,),
        hints.TIED_SUBTRACTED,
        ("0 if tied", "-vocab * d_model if tied"),
    ),
    _gpt(
        "vocabulary never used",
        (3,),
        hints.TIED_SUBTRACTED,
        ("(vocab + context)", "context"),
        ("d_model * vocab", "d_model * context"),
    ),
    _gpt("tied ignored", (3,), hints.NOT_UNTIED, ("d_model * vocab", "0")),
    _gpt(
        "one number for an untied token",
        (3,),
        hints.NOT_UNTIED,
        ("d_model * vocab", "vocab"),
    ),
    _gpt(
        "an unembedding with a bias",
        (3,),
        hints.SCORE_BIAS,
        ("d_model * vocab", "d_model * vocab + vocab"),
    ),
    _gpt(
        "a bias of the scores, tied too",
        (3,),
        hints.SCORE_BIAS,
        ("final_norm + unembedding", "final_norm + unembedding + vocab"),
    ),
    _gpt(
        "context and vocabulary swapped when untied",
        (3,),
        hints.ARGUMENTS,
        ("(vocab, context, d_model", "(context, vocab, d_model"),
    ),
    _gpt(
        "width and layers swapped",
        (1, 2, 3),
        hints.ARGUMENTS,
        ("d_model, n_layers, tied", "n_layers, d_model, tied"),
    ),
    _gpt("a float", (5,), hints.FLOAT, ("final_norm = 2", "final_norm = 2.0")),
    _gpt(
        "sizes not checked",
        (5,),
        hints.NOT_REFUSED,
        (GPT_SIZES, ""),
        (A_BLOCK, "(12 * d_model**2 + 13 * d_model)"),
    ),
    _gpt(
        "sizes checked by assert",
        (5,),
        hints.REFUSED_OTHERWISE,
        (GPT_SIZES, "assert min(vocab, context, d_model, n_layers) > 0"),
    ),
)

FLOPS = (
    _flops(
        "multiply-adds instead of FLOPs",
        (1, 2, 3, 4),
        hints.MULTIPLY_ADDS,
        (FORWARD_SUM, "weights + scores"),
    ),
    _flops(
        "training given for forward",
        (1, 2, 3, 4),
        hints.TRAINING_COST,
        (FORWARD_SUM, f"3 * ({FORWARD_SUM})"),
        ("3 * forward", "forward"),
    ),
    _flops(
        "a sequence instead of a token",
        (1, 2, 3, 4),
        hints.SEQUENCE,
        (FORWARD_SUM, f"context * ({FORWARD_SUM})"),
    ),
    _flops("MLP alone", (1,), hints.BLOCK_WEIGHTS, ("12 *", "8 *")),
    _flops("attention alone", (1,), hints.BLOCK_WEIGHTS, ("12 *", "4 *")),
    _flops("attention of two maps", (1,), hints.BLOCK_WEIGHTS, ("12 *", "10 *")),
    _flops("attention without output", (1,), hints.BLOCK_WEIGHTS, ("12 *", "11 *")),
    _flops("three MLP matrices", (1,), hints.BLOCK_WEIGHTS, ("12 *", "16 *")),
    _flops(
        "biases and norms counted",
        (1,),
        hints.NO_PRODUCT,
        (UNEMBEDDING, "d_model * (vocab + 13 * n_layers)"),
    ),
    _flops(
        "all parameters times 2",
        (1, 2),
        hints.NO_PRODUCT,
        ("2 * weights", "2 * gpt_parameters(vocab, context, d_model, n_layers)"),
    ),
    _flops(
        "final norm counted",
        (4,),
        hints.NO_PRODUCT,
        (UNEMBEDDING, "d_model * (vocab + 2)"),
    ),
    _flops(
        "one of the two attention products",
        (2,),
        hints.HALF_MATRIX,
        ("scores + weighted_sums", "scores"),
    ),
    _flops(
        "halved for the mask",
        (2,),
        hints.HALF_MATRIX,
        (A_PRODUCT, "n_layers * (context + 1)"),
    ),
    _flops(
        "each attention product doubled",
        (2,),
        hints.DOUBLE_MATRIX,
        (A_PRODUCT, "4 * n_layers * context"),
    ),
    _flops(
        "attention matrix of one layer",
        (2,),
        hints.LITTLE_MATRIX,
        (A_PRODUCT, "2 * context"),
    ),
    _flops(
        "no attention matrix",
        (2,),
        hints.LITTLE_MATRIX,
        (" + scores + weighted_sums", ""),
    ),
    _flops(
        "one key for each query", (2,), hints.LITTLE_MATRIX, (A_PRODUCT, "2 * n_layers")
    ),
    _flops(
        "attention matrix of the sequence, not of a token",
        (2,),
        hints.SEQUENCE,
        (A_PRODUCT, "2 * n_layers * context**2"),
    ),
    _flops(
        "unembedding dropped because it is tied",
        (3,),
        hints.NO_UNEMBEDDING,
        (UNEMBEDDING, "0"),
    ),
    _flops(
        "look-up of the token counted as a product",
        (3,),
        hints.LOOK_UP,
        (UNEMBEDDING, "2 * d_model * vocab"),
    ),
    _flops(
        "look-up of the position counted as a product",
        (2,),
        hints.LOOK_UP,
        (UNEMBEDDING, "d_model * (vocab + context)"),
    ),
    _flops(
        "an unembedding in each layer",
        (3,),
        hints.LOOK_UP,
        (UNEMBEDDING, "n_layers * d_model * vocab"),
    ),
    _flops(
        "floats",
        (4,),
        hints.FLOAT,
        ("2 * weights", "2.0 * weights"),
        ("3 * forward", "3 * int(forward)"),
    ),
    _flops(
        "sizes of the forward pass not checked",
        (4,),
        hints.NOT_REFUSED,
        (FORWARD_SIZES, ""),
        ("require_sizes(n_tokens", f"{FORWARD_SIZES}\n    require_sizes(n_tokens"),
    ),
    _flops(
        "sizes of the forward pass checked by assert",
        (4,),
        hints.REFUSED_OTHERWISE,
        (FORWARD_SIZES, "assert min(vocab, d_model, n_layers, context) >= 1"),
    ),
    _flops(
        "measure does the work",
        (1, 2, 3, 4, 5),
        hints.MEASURED,
        (
            "return 2 * weights + scores + weighted_sums",
            "model = real_gpt(vocab, context, d_model, n_layers)\n"
            "    return total_flops(model, token_ids(context)) // context",
        ),
    ),
    _flops(
        "number of tokens not checked",
        (5,),
        hints.NOT_REFUSED,
        ("require_sizes(n_tokens=n_tokens)", ""),
    ),
    _flops(
        "number of tokens checked by assert",
        (5,),
        hints.REFUSED_OTHERWISE,
        ("require_sizes(n_tokens=n_tokens)", "assert n_tokens >= 1"),
    ),
    _training("no backward", hints.FORWARD_ONLY, "forward * n_tokens"),
    _training(
        "backward as dear as forward", hints.TWO_THIRDS, "2 * forward * n_tokens"
    ),
    _training("a second forward pass", hints.MORE_PASSES, "4 * forward * n_tokens"),
    _training("6N and 2N taken together", hints.RULES, "6 * forward * n_tokens"),
    _training("n_tokens forgotten", hints.TOKENS, "3 * forward"),
    _training("n_tokens added", hints.TOKENS, "3 * forward + n_tokens"),
    _training(
        "tokens times context",
        hints.TOKENS_AND_CONTEXT,
        "3 * forward * n_tokens * context",
    ),
    _training(
        "contexts instead of tokens",
        hints.TOKENS_AND_CONTEXT,
        "3 * forward * n_tokens // context",
    ),
    _training(
        "the run as one context",
        hints.TOKENS_AND_CONTEXT,
        "3 * n_tokens * forward_flops_per_token(vocab, d_model, n_layers, n_tokens)",
    ),
    _training(
        "training without the attention matrix",
        hints.MATRIX_UNTRAINED,
        "(3 * forward - 12 * n_layers * context * d_model) * n_tokens",
    ),
    _training(
        "attention matrix forward only",
        hints.MATRIX_UNTRAINED,
        "(3 * forward - 8 * n_layers * context * d_model) * n_tokens",
    ),
    _training("a float", hints.FLOAT, "3.0 * forward * n_tokens"),
    _training("through a float", hints.FLOAT, "int(3.0 * forward * n_tokens)"),
)

CROSSOVER = (
    _crossover(
        "one attention product", (1,), hints.FACTOR, ("one_key = 4", "one_key = 2")
    ),
    _crossover(
        "weights as multiply-adds",
        (1,),
        hints.DOUBLE_MATRIX,
        ("weights = 24", "weights = 12"),
    ),
    _crossover(
        "MLP alone", (1,), hints.PART_OF_BLOCK, ("weights = 24", "weights = 16")
    ),
    _crossover(
        "projections of attention alone",
        (1,),
        hints.PART_OF_BLOCK,
        ("weights = 24", "weights = 8"),
    ),
    _crossover("T = D", (1,), hints.SQUARES, (QUOTIENT, "d_model")),
    _crossover(
        "matrix of the sequence",
        (1,),
        hints.SQUARES,
        (QUOTIENT, "int((weights / one_key) ** 0.5)"),
    ),
    _crossover(
        "a factor D left over",
        (1,),
        hints.FACTOR,
        ("one_key = 4 * d_model", "one_key = 4"),
    ),
    _crossover(
        "D divided out, 4 not", (1,), hints.FACTOR, ("one_key = 4 *", "one_key = 1 *")
    ),
    _crossover("right for one width", (1,), hints.ONE_WIDTH, (QUOTIENT, "4608")),
    _crossover(
        "biases and norms too",
        (1,),
        hints.NO_PRODUCT,
        ("24 * d_model**2", "24 * d_model**2 + 26 * d_model"),
    ),
    _crossover(
        "more than, instead of at least",
        (2,),
        hints.BOUNDARY,
        (QUOTIENT, f"{QUOTIENT} + 1"),
    ),
    _crossover(
        "the last context below", (2,), hints.BOUNDARY, (QUOTIENT, f"{QUOTIENT} - 1")
    ),
    _crossover("a float", (2,), hints.FLOAT, ("weights //", "weights /")),
    _crossover(
        "width divided out twice",
        (1,),
        hints.ONE_WIDTH,
        ("one_key = 4 * d_model", "one_key = 4 * d_model**2"),
    ),
    _crossover("sizes not checked", (2,), hints.REFUSED_OTHERWISE, (WIDTH_SIZE, "")),
)

BUDGET = (
    _budget("forward only", hints.FORWARD_ONLY, ("6 *", "2 *")),
    _budget("backward only", hints.TWO_THIRDS, ("6 *", "4 *")),
    _budget("multiply-adds", hints.MULTIPLY_ADDS, ("6 *", "3 *")),
    _budget("forward twice, to save memory", hints.MORE_PASSES, ("6 *", "8 *")),
    _budget("3 times 6N", hints.RULES, ("6 *", "18 *")),
    _budget("tokens forgotten", hints.TOKENS, (" * n_tokens", "")),
    _budget("tokens added", hints.TOKENS, (PRODUCT, "6 * (n_parameters + n_tokens)")),
    _budget("20 tokens a parameter", hints.OPTIMAL, (PRODUCT, "120 * n_parameters**2")),
    _budget("a float", hints.FLOAT, ("6 *", "6.0 *")),
    _budget("through a float", hints.FLOAT, (PRODUCT, f"int(1.0 * {PRODUCT})")),
    _budget("sizes not checked", hints.NOT_REFUSED, (BUDGET_SIZES, "")),
    _budget("tokens not checked", hints.NOT_REFUSED, (", n_tokens=n_tokens)", ")")),
    _budget(
        "sizes checked by assert",
        hints.REFUSED_OTHERWISE,
        (BUDGET_SIZES, "assert n_parameters > 0 and n_tokens > 0"),
    ),
    _days("seconds", hints.TIME_UNIT, (" / (24 * 60 * 60)", "")),
    _days("hours", hints.TIME_UNIT, ("24 * 60 * 60", "60 * 60")),
    _days("minutes for seconds", hints.TIME_UNIT, ("24 * 60 * 60", "24 * 60")),
    _days("utilisation ignored", hints.UNUSED, (" * utilisation", "")),
    _days(
        "utilisation makes it faster",
        hints.WRONG_SIDE,
        ("(flops_per_second * utilisation)", "(flops_per_second / utilisation)"),
    ),
    _days(
        "utilisation in percent",
        hints.PERCENT,
        ("* utilisation)", "* utilisation / 100)"),
        ("utilisation <= 1:", "utilisation <= 100:"),
    ),
    _days("whole days only", hints.WHOLE_DAYS, ("seconds / (", "seconds // (")),
    _days(
        "whole seconds",
        hints.WHOLE_DAYS,
        (
            "flops / (flops_per_second * utilisation)",
            "int(flops / (flops_per_second * utilisation))",
        ),
    ),
    _days("rounded days", hints.WHOLE_DAYS, (PER_DAY, f"round({PER_DAY}, 1)")),
    _days(
        "utilisation 1 refused", hints.BOUNDS, ("utilisation <= 1", "utilisation < 1")
    ),
    _days(
        "utilisation above 1 taken",
        hints.BOUNDS,
        ("0 < utilisation <= 1", "0 < utilisation"),
    ),
    _days(
        "utilisation not checked", hints.BOUNDS, ("not 0 < utilisation <= 1", "False")
    ),
    _days(
        "utilisation of 0 taken", hints.BOUNDS, ("0 < utilisation", "0 <= utilisation")
    ),
    _days(
        "numbers not checked",
        hints.BOUNDS,
        ("flops <= 0 or flops_per_second <= 0", "False"),
    ),
    _days("flops of 0 taken", hints.BOUNDS, ("flops <= 0", "flops < 0")),
    _days(
        "range checked by assert",
        hints.REFUSED_OTHERWISE,
        ("if not 0 < utilisation <= 1:", "assert 0 < utilisation <= 1\n    if False:"),
    ),
)

LLAMA = (
    _llama(
        "keys and values as wide as queries",
        hints.KEYS_AND_VALUES,
        ("d_model * n_kv_heads * d_head", "d_model**2"),
    ),
    _llama(
        "number of key heads read as the size of a group",
        hints.KEYS_AND_VALUES,
        ("n_kv_heads * d_head", "(d_model // n_kv_heads)"),
    ),
    _llama("one key head", hints.KEYS_AND_VALUES, ("d_model * n_kv_heads", "d_model")),
    _llama(
        "each key head as wide as the model",
        hints.KEYS_AND_VALUES,
        ("n_kv_heads * d_head", "n_kv_heads * d_model"),
    ),
    _llama(
        "keys without values",
        hints.KEYS_AND_VALUES,
        ("keys_and_values = 2", "keys_and_values = 1"),
    ),
    _llama(
        "output as narrow as keys",
        hints.KEYS_AND_VALUES,
        ("queries_and_output = 2", "queries_and_output = 1"),
        ("keys_and_values = 2", "keys_and_values = 3"),
    ),
    _llama(
        "no output map",
        hints.ATTENTION_MAPS,
        ("queries_and_output = 2", "queries_and_output = 1"),
    ),
    _llama("two MLP matrices", hints.MLP_MATRICES, ("swiglu = 3", "swiglu = 2")),
    _llama("tied", hints.NOT_UNTIED, ("2 * vocab", "vocab")),
    _llama(
        "LayerNorms",
        hints.LLAMA_NORMS,
        ("norms = 2", "norms = 4"),
        ("block + d_model", "block + 2 * d_model"),
    ),
    _llama("one norm a block", hints.LLAMA_NORMS, ("norms = 2", "norms = 1")),
    _llama("no final norm", hints.LLAMA_NORMS, ("block + d_model", "block")),
    _llama("a float", hints.FLOAT, ("swiglu = 3", "swiglu = 3.0")),
    _llama("sizes not checked", hints.NOT_REFUSED, ("    require_sizes", "    dict")),
    _llama(
        "number of key heads not checked",
        hints.NOT_REFUSED,
        ("n_kv_heads=n_kv_heads, ", ""),
    ),
)

MISTAKES = BLOCK + DECODER + GPT + FLOPS + CROSSOVER + BUDGET + LLAMA
