"""Lesson 2: counts of torch's own layers in place of each answer, and a hint in units.

The layers are on torch's "meta" device.
"""

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from support.watching import reference

_META = {"device": "meta", "batch_first": True}


def _refuse(*sizes):
    if not all(isinstance(size, int) and size >= 1 for size in sizes):
        raise ValueError(f"a size in {sizes} is no whole number of at least 1")


@reference
def torch_count(like, *modules):
    """Numbers in the parameters of modules; a tensor comes first, so that it shows."""
    return sum(weight.numel() for part in modules for weight in part.parameters())


def torch_block_parameters(d_model, d_ff=None, bias=True):
    """What `block_parameters` should return: an nn.TransformerEncoderLayer."""
    d_ff = 4 * d_model if d_ff is None else d_ff
    _refuse(d_model, d_ff)
    layer = nn.TransformerEncoderLayer(d_model, 1, d_ff, bias=bias, **_META)
    return torch_count(torch.empty(0), layer)


def torch_decoder_parameters(d_model):
    """What `decoder_block_parameters` should return: an nn.TransformerDecoderLayer."""
    layer = nn.TransformerDecoderLayer(d_model, 1, 4 * d_model, **_META)
    return torch_count(torch.empty(0), layer)


def torch_gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    """What `gpt_parameters` should return, counted module by module."""
    _refuse(vocab, context, d_model, n_layers)
    with torch.device("meta"):
        tables = [nn.Embedding(rows, d_model) for rows in (vocab, context)]
        head = [] if tied else [nn.Linear(d_model, vocab, bias=False)]
        outside = torch_count(torch.empty(0), *tables, nn.LayerNorm(d_model), *head)
    return outside + n_layers * torch_block_parameters(d_model)


@reference
def torch_flops(x, vocab):
    """FLOPs of one block and of the unembedding for x (1, T, D), as torch counts."""
    width = x.shape[-1]
    layer = nn.TransformerEncoderLayer(width, 1, 4 * width, **_META)
    head = nn.Linear(width, vocab, bias=False, device="meta")
    with FlopCounterMode(display=False) as block:
        layer.self_attn(x, x, x, need_weights=True)  # unfused, so that all is counted
        layer.linear2(layer.linear1(x))
    with FlopCounterMode(display=False) as last:
        head(x)
    return block.get_total_flops(), last.get_total_flops()


def torch_forward_flops(vocab, d_model, n_layers, context):
    """What `forward_flops_per_token` should return, from two counts."""
    _refuse(vocab, d_model, n_layers, context)
    block, head = torch_flops(torch.empty(1, context, d_model, device="meta"), vocab)
    return (n_layers * block + head) // context


def whole(number):
    """A float without a fraction as an int: another check asks for the type."""
    return int(number) if isinstance(number, float) and number % 1 == 0 else number


def off_by(got, want, units, hint):
    """`hint` with how far a count is off before it: "Yours is 2·D too small."

    units: names and sizes, such as {"D²": 49, "D": 7}; the largest that fits is named.
    """
    if not isinstance(got, int) or got == want:
        return hint
    for factor in (2, 3, 4, 6):
        if got == factor * want:
            return f"Yours is {factor} times the count. {hint}"
        if got * factor == want:
            return f"Yours is 1/{factor} of the count. {hint}"
    side, gap = "large" if got > want else "small", abs(got - want)
    for name, unit in sorted(units.items(), key=lambda item: -item[1]):
        if gap % unit == 0 and gap // unit < 100:
            times = "" if gap == unit else f"{gap // unit}·"
            return f"Yours is {times}{name} too {side}. {hint}"
    return hint


STAND_INS = {
    "block_parameters": torch_block_parameters,
    "gpt_parameters": torch_gpt_parameters,
    "forward_flops_per_token": torch_forward_flops,
}
