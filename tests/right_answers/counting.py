"""Right answers to lesson 2 in other styles: each gets every point of its exercise."""

from answers import Right

BUDGET = """\
def budget(n_parameters, n_tokens):
    require_sizes(n_parameters=n_parameters, n_tokens=n_tokens)
    return 2 * n_parameters * n_tokens + 4 * n_parameters * n_tokens


"""

RIGHT = [
    Right(
        "block_parameters",
        "one closed form",
        """\
def block_parameters(d_model, d_ff=None, bias=True):
    f = 4 * d_model if d_ff is None else d_ff
    require_sizes(d_model=d_model, d_ff=f)
    return 2 * d_model * (2 * d_model + f + 1) + bias * (7 * d_model + f)
""",
    ),
    Right(
        "block_parameters",
        "counts torch's own layer",
        """\
def block_parameters(d_model, d_ff=None, bias=True):
    require_sizes(d_model=d_model)
    d_ff = 4 * d_model if d_ff is None else d_ff
    require_sizes(d_ff=d_ff)
    sizes = {"dim_feedforward": d_ff, "bias": bias, "device": "meta"}
    return count(nn.TransformerEncoderLayer(d_model, 1, **sizes))
""",
    ),
    Right(
        "block_parameters",
        "sums the shapes of a list of layers",
        """\
def linear_numbers(n, m, bias):
    return n * m + (m if bias else 0)


def block_parameters(d_model, d_ff=None, bias=True):
    d_ff = 4 * d_model if d_ff is None else d_ff
    require_sizes(d_model=d_model, d_ff=d_ff)
    D = d_model
    maps = [(D, 3 * D), (D, D), (D, d_ff), (d_ff, D)]
    norms = 2 * (d_model + (d_model if bias else 0))
    return sum(linear_numbers(n, m, bias) for n, m in maps) + norms
""",
    ),
    Right(
        "block_parameters",
        "own checks by raising, no helper",
        """\
def block_parameters(d_model, d_ff=None, bias=True):
    if d_ff is None:
        d_ff = 4 * d_model
    for size in (d_model, d_ff):
        if type(size) is not int or size <= 0:
            raise ValueError("a size must be a positive int")
    total = 0
    for _ in range(4):
        total += d_model**2
        if bias:
            total += d_model
    total += 2 * d_model * d_ff + 2 * d_model
    if bias:
        total += d_ff + d_model + 2 * d_model
    return total
""",
    ),
    Right(
        "block_parameters",
        "numpy numbers",
        """\
import numpy as np


def block_parameters(d_model, d_ff=None, bias=True):
    d_ff = 4 * d_model if d_ff is None else d_ff
    require_sizes(d_model=d_model, d_ff=d_ff)
    shapes = [(d_model, d_model)] * 4 + [(d_model, d_ff), (d_ff, d_model)]
    vectors = [d_model] * 2 + ([d_model] * 7 + [d_ff] if bias else [])
    return np.sum([np.prod(shape) for shape in shapes]) + np.sum(vectors)
""",
    ),
    Right(
        "decoder_block_parameters",
        "closed form",
        """\
def decoder_block_parameters(d_model):
    require_sizes(d_model=d_model)
    return d_model * (16 * d_model + 19)
""",
    ),
    Right(
        "decoder_block_parameters",
        "from a block with a wider MLP",
        """\
def decoder_block_parameters(d_model):
    narrow = block_parameters(d_model, d_ff=1)
    step = block_parameters(d_model, d_ff=2) - narrow  # 2D + 1
    without_mlp = narrow - step  # one attention, two norms, one bias
    attention = without_mlp - d_model - 4 * d_model
    return block_parameters(d_model) + attention + 2 * d_model
""",
    ),
    Right(
        "decoder_block_parameters",
        "counts torch's own layer",
        """\
def decoder_block_parameters(d_model):
    require_sizes(d_model=d_model)
    layer = nn.TransformerDecoderLayer(d_model, 1, 4 * d_model, device="meta")
    return sum(weight.numel() for weight in layer.parameters())
""",
    ),
    Right(
        "gpt_parameters",
        "closed form",
        """\
def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    require_sizes(vocab=vocab, context=context, d_model=d_model, n_layers=n_layers)
    V, C, D, L = vocab, context, d_model, n_layers
    return V * D + C * D + L * (12 * D * D + 13 * D) + 2 * D + (0 if tied else V * D)
""",
    ),
    Right(
        "gpt_parameters",
        "counts a real model",
        """\
def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    require_sizes(vocab=vocab, context=context, d_model=d_model, n_layers=n_layers)
    return count(real_gpt(vocab, context, d_model, n_layers, tied))
""",
    ),
    Right(
        "gpt_parameters",
        "unique parameters of a state dict",
        """\
def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    require_sizes(vocab=vocab, context=context, d_model=d_model, n_layers=n_layers)
    with torch.device("meta"):
        model = TinyGPT(vocab, context, d_model, 1, n_layers, tied)
    unique = {id(weight): weight for weight in model.parameters()}
    return sum(weight.numel() for weight in unique.values())
""",
    ),
    Right(
        "gpt_parameters",
        "a loop over layers, d_model left to block_parameters",
        """\
def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    require_sizes(vocab=vocab, context=context, n_layers=n_layers)
    total = sum(block_parameters(d_model) for _ in range(n_layers))
    for rows in [vocab, context] + ([] if tied else [vocab]):
        total += rows * d_model
    return total + d_model + d_model
""",
    ),
    Right(
        "gpt_parameters",
        "both tables, then the tied one taken away",
        """\
def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    sizes = (vocab, context, d_model, n_layers)
    if any(not isinstance(size, int) or size < 1 for size in sizes):
        raise ValueError(f"bad sizes: {sizes}")
    embedding = unembedding = vocab * d_model
    if tied:
        unembedding -= embedding
    blocks = block_parameters(d_model=d_model, d_ff=4 * d_model) * n_layers
    return embedding + unembedding + context * d_model + blocks + 2 * d_model
""",
    ),
    Right(
        "forward_flops_per_token",
        "a list of products",
        """\
def forward_flops_per_token(vocab, d_model, n_layers, context):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers, context=context)
    D, T = d_model, context
    block = [(D, 3 * D), (D, T), (T, D), (D, D), (D, 4 * D), (4 * D, D)]
    products = n_layers * block + [(D, vocab)]
    return sum(2 * n * m for n, m in products)


def training_flops(vocab, d_model, n_layers, context, n_tokens):
    require_sizes(n_tokens=n_tokens)
    forward = forward_flops_per_token(vocab, d_model, n_layers, context)
    return n_tokens * (forward + 2 * forward)
""",
    ),
    Right(
        "forward_flops_per_token",
        "training written out, not by the forward pass",
        """\
def forward_flops_per_token(vocab, d_model, n_layers, context):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers, context=context)
    N = 12 * n_layers * d_model**2 + d_model * vocab
    return 2 * N + 4 * n_layers * context * d_model


def training_flops(vocab, d_model, n_layers, context, n_tokens):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers)
    require_sizes(context=context, n_tokens=n_tokens)
    N = 12 * n_layers * d_model**2 + d_model * vocab
    return (6 * N + 12 * n_layers * context * d_model) * n_tokens
""",
    ),
    Right(
        "forward_flops_per_token",
        "N from gpt_parameters, less what is in no product",
        """\
def forward_flops_per_token(vocab, d_model, n_layers, context):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers, context=context)
    everything = gpt_parameters(vocab, context, d_model, n_layers)
    vectors = 13 * d_model * n_layers + 2 * d_model
    weights = everything - vectors - context * d_model
    return 2 * (weights + 2 * n_layers * context * d_model)


def training_flops(vocab, d_model, n_layers, context, n_tokens):
    require_sizes(n_tokens=n_tokens)
    return 3 * forward_flops_per_token(vocab, d_model, n_layers, context) * n_tokens
""",
    ),
    Right(
        "forward_flops_per_token",
        "weights from block_parameters without biases",
        """\
def forward_flops_per_token(vocab, d_model, n_layers, context):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers, context=context)
    matrices = block_parameters(d_model, bias=False) - 2 * d_model
    layer = 2 * matrices + 2 * context * d_model + 2 * context * d_model
    return n_layers * layer + 2 * d_model * vocab


def training_flops(vocab, d_model, n_layers, context, n_tokens):
    require_sizes(n_tokens=n_tokens)
    return forward_flops_per_token(vocab, d_model, n_layers, context) * n_tokens * 3
""",
    ),
    Right(
        "forward_flops_per_token",
        "a whole sequence divided by its tokens",
        """\
def forward_flops_per_token(vocab, d_model, n_layers, context):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers, context=context)
    T, D = context, d_model
    layer = 2 * T * D * 12 * D + 2 * T * T * D + 2 * T * T * D
    return (n_layers * layer + 2 * T * D * vocab) // T


def training_flops(vocab, d_model, n_layers, context, n_tokens):
    require_sizes(n_tokens=n_tokens)
    return n_tokens * 3 * forward_flops_per_token(vocab, d_model, n_layers, context)
""",
    ),
    Right(
        "forward_flops_per_token",
        "asks torch's counter about an own model",
        """\
def forward_flops_per_token(vocab, d_model, n_layers, context):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers, context=context)
    with torch.device("meta"):
        model = TinyGPT(vocab, context, d_model, 1, n_layers)
        ids = torch.zeros(1, context, dtype=torch.long)
    with FlopCounterMode(display=False) as counter:
        model(ids)
    return counter.get_total_flops() // context


def training_flops(vocab, d_model, n_layers, context, n_tokens):
    require_sizes(n_tokens=n_tokens)
    return 3 * n_tokens * forward_flops_per_token(vocab, d_model, n_layers, context)
""",
    ),
    Right(
        "attention_crossover",
        "the formula",
        """\
def attention_crossover(d_model):
    require_sizes(d_model=d_model)
    return 6 * d_model
""",
    ),
    Right(
        "attention_crossover",
        "the ceiling of a quotient",
        """\
import math


def attention_crossover(d_model):
    require_sizes(d_model=d_model)
    return math.ceil(24 * d_model**2 / (4 * d_model))
""",
    ),
    Right(
        "attention_crossover",
        "a search",
        """\
def attention_crossover(d_model):
    require_sizes(d_model=d_model)
    context = 1
    while 4 * context * d_model < 24 * d_model * d_model:
        context += 1
    return context
""",
    ),
    Right(
        "attention_crossover",
        "from the costs of the forward pass",
        """\
def attention_crossover(d_model):
    require_sizes(d_model=d_model)
    two = [forward_flops_per_token(1, d_model, layers, 1) for layers in (1, 2)]
    key = forward_flops_per_token(1, d_model, 1, 2) - two[0]
    weights = two[1] - two[0] - key
    return -(-weights // key)
""",
    ),
    Right(
        "attention_crossover",
        "from block_parameters without vectors",
        """\
def attention_crossover(d_model):
    require_sizes(d_model=d_model)
    matrices = block_parameters(d_model, bias=False) - 2 * d_model
    return 2 * matrices // (4 * d_model)
""",
    ),
    Right(
        "budget",
        "seconds in one step",
        BUDGET
        + """\
def days(flops, flops_per_second, utilisation):
    if not (flops > 0 and flops_per_second > 0 and 0 < utilisation <= 1):
        raise ValueError("positive numbers and a utilisation of at most 1, please")
    return flops / flops_per_second / utilisation / 3600 / 24
""",
    ),
    Right(
        "budget",
        "speed per day",
        BUDGET
        + """\
def days(flops, flops_per_second, utilisation):
    for name, value in (("flops", flops), ("flops_per_second", flops_per_second)):
        if value <= 0:
            raise ValueError(f"{name} must be positive, not {value}")
    if utilisation <= 0 or utilisation > 1:
        raise ValueError("utilisation must be above 0 and at most 1")
    per_day = 60 * 60 * 24 * flops_per_second * utilisation
    return float(flops / per_day)
""",
    ),
    Right(
        "budget",
        "numpy and timedelta",
        BUDGET
        + """\
from datetime import timedelta

import numpy as np


def days(flops, flops_per_second, utilisation):
    if min(flops, flops_per_second, utilisation) <= 0 or utilisation > 1:
        raise ValueError("an argument is out of range")
    seconds = np.float64(flops) / (np.float64(flops_per_second) * utilisation)
    return seconds / timedelta(days=1).total_seconds()
""",
    ),
    Right(
        "llama_parameters",
        "part by part",
        """\
def llama_parameters(vocab, d_model, n_layers, d_ff, n_kv_heads, d_head):
    sizes = [vocab, d_model, n_layers, d_ff, n_kv_heads, d_head]
    for number, size in enumerate(sizes):
        require_sizes(**{f"size_{number}": size})
    total = vocab * d_model
    for _ in range(n_layers):
        total += d_model + d_model * d_model + 2 * d_model * n_kv_heads * d_head
        total += d_model * d_model + d_model
        total += d_model * d_ff + d_model * d_ff + d_ff * d_model
    return total + d_model + d_model * vocab
""",
    ),
    Right(
        "llama_parameters",
        "adds up linear layers on the meta device",
        """\
def llama_parameters(vocab, d_model, n_layers, d_ff, n_kv_heads, d_head):
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers)
    require_sizes(d_ff=d_ff, n_kv_heads=n_kv_heads, d_head=d_head)
    D, kv = d_model, n_kv_heads * d_head
    shapes = [(D, D), (D, kv), (D, kv), (D, D), (D, d_ff), (D, d_ff), (d_ff, D)]
    layers = [nn.Linear(n, m, bias=False, device="meta") for n, m in shapes]
    block = sum(count(layer) for layer in layers) + 2 * D
    return n_layers * block + D + 2 * vocab * D
""",
    ),
]
