"""The twists of tests/correct_variations.py: none changes a value.

Most are texts: the body of a new function around the old one, and helpers before it.
"""

import ast

import twists

# Arguments with one row for each member of a batch, and other facts about functions.
ROWS = dict.fromkeys(("attention", "mlp", "pre_ln_block", "post_ln_block"), "x,")
ROWS |= dict.fromkeys(("layer_norm", "rms_norm", "swiglu"), "x,")
ROWS |= dict.fromkeys(("token_probabilities", "sample_token"), "logits,")
ROWS |= dict.fromkeys(("keep_top_k", "keep_top_p", "keep_min_p"), "logits,")
ROWS |= {"sample_gumbel": "logits,", "penalise_repeats": "logits, ids"}
ROWS |= {"generate": "ids,", "vit_tokens": "patch_tokens,", "unpatchify": "patches,"}
ROWS |= dict.fromkeys(("grouped_attention", "window_attention"), "q, k, v")
ROWS |= {"patchify": "images,", "embed_patches": "images,", "patchify_1d": "series,"}
PAIRS = ("cached_attention", "cached_forward")
TENSORS = (*ROWS, *PAIRS, "generate_cached", "resize_positions")
WITHOUT_MODEL = (*(name for name in ROWS if name != "generate"), "resize_positions")
COUNTS = (
    *("block_parameters", "decoder_block_parameters", "gpt_parameters"),
    *("forward_flops_per_token", "training_flops", "attention_crossover", "budget"),
    *("llama_parameters", "kv_cache_bytes", "token_passes", "vit_parameters"),
)
ALL = (*TENSORS, *COUNTS, "days", "block_shapes")
PARAMETERS = {
    "layer_norm": "x scale shift eps",
    "attention": "x w n_heads causal",
    "mlp": "x w activation",
    "block_parameters": "d_model d_ff bias",
    "gpt_parameters": "vocab context d_model n_layers tied",
    "forward_flops_per_token": "vocab d_model n_layers context",
    "token_probabilities": "logits temperature",
    "sample_token": "logits temperature generator",
    "cached_attention": "block x cache",
    "cached_forward": "model ids caches",
    "patchify": "images patch",
}
TURNED = {  # an axis turned round, and back
    "layer_norm": "old(x.flip(-1), scale.flip(-1), shift.flip(-1), eps).flip(-1)",
    "rms_norm": "old(x.flip(-1), scale.flip(-1), eps).flip(-1)",
    "swiglu": "old(x, W_gate.flip(1), W_up.flip(1), W_down.flip(0))",
    "mlp": "old(x.flip(1), w, activation).flip(1)",
    "token_probabilities": "old(logits.flip(-1), temperature).flip(-1)",
    "sample_token": "logits.shape[-1] - 1 - "
    "old(logits.flip(-1), temperature, generator)",
    "keep_top_k": "old(logits.flip(-1), k).flip(-1)",
    "keep_top_p": "old(logits.flip(-1), p).flip(-1)",
    "keep_min_p": "old(logits.flip(-1), p).flip(-1)",
    "grouped_attention": "old(q.flip(1), k.flip(1), v.flip(1), causal).flip(1)",
    "window_attention": "old(q.flip(-1), k.flip(-1), v, window)",
    "embed_patches": "old(images, weight.flip(0), bias.flip(0)).flip(-1)",
    "resize_positions": "old(positions.flip(-1), old_grid, new_grid).flip(-1)",
}

BY_ROWS = """\
if len((ROWS)[0]) < 2 or (ROWS)[0].dim() < 2:
    return old(ARGUMENTS)
"""
HALVES = """\
halves = zip(*[part.split((len(part) + 1) // 2) for part in (ROWS)])
return torch.cat([old(ARGUMENTS) for ROWS in halves])
"""
BACKWARDS = """\
ROWS = [part.flip(0) for part in (ROWS)]
return old(ARGUMENTS).flip(0)
"""
EACH_TENSOR = """\
def each_tensor(change, value):
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (tuple, list)):
        items = [each_tensor(change, item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if hasattr(value, "__dataclass_fields__"):
        parts = vars(value).items()
        return type(value)(**{name: each_tensor(change, part) for name, part in parts})
    return value


"""
IN_FLOAT64 = """\
wide, narrow = torch.float64, FIRST.dtype
values = each_tensor(lambda y: y.to(wide) if y.dtype == narrow else y, (ARGUMENTS,))
result = old(*values)
return result.to(narrow) if result.dtype == wide else result
"""
ON_COPIES = """\
values = each_tensor(torch.clone, (ARGUMENTS,))
each_tensor(lambda y: y.mul_(1).add_(0), values)
return old(*values)
"""
BAR = """\
import sys

for done in range(0, 101, 25):
    sys.stderr.write(f"\\r{done:3d}%|{'=' * (done // 10):10}|")
print(file=sys.stderr)
return old(ARGUMENTS)
"""
WARNING = """\
import logging
import warnings

warnings.warn("this may be slow")
logging.getLogger("answer").warning("%d arguments", len((ARGUMENTS,)))
return old(ARGUMENTS)
"""
PRINTS = """\
print("called with", ARGUMENTS)
result = old(ARGUMENTS)
print(result)
return result
"""
OWN_ERROR = """\
class BadInput(ValueError):
    pass


"""
RAISES_IT = """\
try:
    return old(ARGUMENTS)
except ValueError as error:
    raise BadInput(f"cannot do this: {error}") from error
"""
PRODUCT = """\
def product_of(a, b):
    if a.dim() < 2 or b.dim() < 2:
        return torch.matmul(a, b)
    return torch.einsum("...ij,...jk->...ik", a, b)


"""
TURNED_PRODUCT = """\
def turned_product(a, b):
    if a.dim() < 2 or b.dim() < 2:
        return torch.matmul(a, b)
    return torch.matmul(b.transpose(-1, -2), a.transpose(-1, -2)).transpose(-1, -2)


"""
LINEAR = """\
def linear_of(x, W, b):
    if W.dim() == 2 and isinstance(b, torch.Tensor) and b.dim() == 1:
        return torch.nn.functional.linear(x, W.T, b)
    return torch.matmul(x, W) + b


"""
SUM = """\
def sum_of(a, b):
    return a + b if isinstance(a, (str, list, tuple)) else b + a


"""
SHARES = """\
def shares_of(z):
    e = torch.exp(z - z.amax(-1, keepdim=True))
    return torch.div(e, torch.sum(e, -1, keepdim=True))


"""
TOLD = """\
class Told:
    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)


"""


def by_rows(body: str) -> twists.Twist:
    """A new function that calls the old one on rows of the batch."""
    bodies = {
        name: (BY_ROWS + body).replace("ROWS", rows) for name, rows in ROWS.items()
    }
    return twists.each_around(bodies)


def relaid(name: str, layout: str) -> twists.Twist:
    """Arguments and results that lie in memory in another way."""
    helper = f"def {name}(y):\n    return {layout} if y.dim() > 1 else y\n\n\n"
    body = f"return each_tensor({name}, old(*each_tensor({name}, (ARGUMENTS,))))"
    return twists.around(body, TENSORS, EACH_TENSOR + helper)


TWISTS = {
    "columns first": relaid("columns_first", "y.mT.contiguous().mT"),
    "every second number": relaid("spread", "torch.stack([y, y], -1)[..., 0]"),
    "batch last": relaid("last", "y.transpose(0, -1).contiguous().transpose(0, -1)"),
    "part of a longer tensor": relaid("cut", "torch.cat([y, y])[len(y) :]"),
    "numpy and back": relaid("copied", "torch.from_numpy(y.detach().numpy().copy())"),
    "changes its own copies": twists.around(ON_COPIES, TENSORS, EACH_TENSOR),
    "float64 inside": twists.around(IN_FLOAT64, WITHOUT_MODEL, EACH_TENSOR),
    "the batch in two halves": by_rows(HALVES),
    "the batch backwards": by_rows(BACKWARDS),
    "an axis turned round": twists.each_around(
        {name: f"return {text}" for name, text in TURNED.items()}
    ),
    "times 1 plus 0": twists.around("return 1 * old(ARGUMENTS) + 0", (*ROWS, *COUNTS)),
    "an int through text": twists.around("return int(str(old(ARGUMENTS)))", COUNTS),
    "remembers results": twists.decorated(
        "functools.cache", COUNTS, "import functools\n\n\n"
    ),
    "results in a list": twists.around("return list(old(ARGUMENTS))", PAIRS),
    "results in a named tuple": twists.around(
        "return namedtuple('Found', 'out cache')(*old(ARGUMENTS))",
        PAIRS,
        "from collections import namedtuple\n\n\n",
    ),
    "keys in another order": twists.around(
        "return dict(reversed(old(ARGUMENTS).items()))", ("block_shapes",)
    ),
    "called by keyword": twists.around("return old(KEYWORDS)", ALL),
    "calls by keyword": twists.by_keyword(PARAMETERS),
    "an object that is called": twists.decorated("Told", ALL, TOLD),
    "no gradients inside": twists.around(
        "with torch.no_grad():\n    return old(ARGUMENTS)", TENSORS
    ),
    "no gradients by a decorator": twists.decorated("torch.no_grad()", ALL),
    "inference mode": twists.decorated("torch.inference_mode()", TENSORS),
    "prints": twists.around(PRINTS, ALL),
    "warnings": twists.around(WARNING, ALL),
    "a bar on stderr": twists.around(BAR, ALL),
    "an error of its own": twists.around(RAISES_IT, ALL, OWN_ERROR),
    "einsum": twists.operator(ast.MatMult, "product_of", PRODUCT),
    "products transposed": twists.operator(
        ast.MatMult, "turned_product", TURNED_PRODUCT
    ),
    "F.linear": twists.linear("linear_of", LINEAR),
    "sums the other way round": twists.operator(ast.Add, "sum_of", SUM),
    "softmax by hand": twists.softmax("shares_of", SHARES),
    "axes by number": twists.transposes,
    "annotations": twists.typed,
    "other names": twists.renamed,
}
