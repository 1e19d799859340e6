"""Lesson 1: what torch's own layer computes in place of each answer, and test data.

Weights are the lesson's `BlockWeights`; a linear map is `x @ W + b`, so W has the
shape (n_in, n_out), the transpose of torch's.
"""

from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from support.checks import draw
from support.watching import reference

# Torch functions with one of these in their name do this lesson's work, whatever the
# device or the spelling; an answer calls none of them.
WHOLE_LAYERS = (
    *("layer_norm", "group_norm", "instance_norm", "batch_norm", "rms_norm"),
    *("scaled_dot", "multi_head_attention", "transformer_encoder"),
)


def random_weights(BlockWeights, d_model, d_ff, seed=0, dtype=torch.float64):
    """A `BlockWeights` of normal numbers: scales about 1, shifts and biases about 0.

    The matrices are large enough for scores of a few units and small enough that no
    softmax saturates.
    """
    square, vector = (d_model, d_model), (d_model,)
    shapes = dict.fromkeys(("W_q", "W_k", "W_v", "W_o"), square)
    shapes |= {"W_1": (d_model, d_ff), "W_2": (d_ff, d_model)}
    shapes |= dict.fromkeys(("b_q", "b_k", "b_v", "b_o", "b_2"), vector)
    shapes |= dict.fromkeys(("ln1_scale", "ln2_scale"), vector)
    shapes |= dict.fromkeys(("ln1_shift", "ln2_shift"), vector)
    shapes |= {"b_1": (d_ff,)}
    values = {}
    for number, (name, shape) in enumerate(shapes.items()):
        size = 1.4 * shape[0] ** -0.5 if name.startswith("W") else 0.5
        value = draw(100 * seed + number, *shape, scale=size)
        values[name] = (value + name.endswith("scale")).to(dtype)
    return BlockWeights(**values)


def plain_output(w):
    """`w` with the identity as the output map, and without the value bias.

    What attention then returns shows the weights of its heads alone.
    """
    identity = torch.eye(len(w.W_o), dtype=w.W_o.dtype)
    return replace(w, W_o=identity, b_v=0 * w.b_v, b_o=0 * w.b_o)


def _packed(w):
    """Weight (3D, D) and bias (3D,) of queries, keys and values, as torch has them."""
    maps = w.W_q.T, w.W_k.T, w.W_v.T
    return torch.cat(maps), torch.cat([w.b_q, w.b_k, w.b_v])


def torch_layer(w, n_heads, activation=F.gelu, norm_first=True):
    """torch's nn.TransformerEncoderLayer that holds the weights `w`; no dropout."""
    d_model, d_ff = w.W_1.shape
    with torch.random.fork_rng(devices=[]):  # its first weights use up random numbers
        layer = nn.TransformerEncoderLayer(
            d_model,
            n_heads,
            d_ff,
            dropout=0.0,
            activation=activation,
            batch_first=True,
            norm_first=norm_first,
            dtype=w.W_1.dtype,
        )
    weight, bias = _packed(w)
    layer.load_state_dict(
        {
            "self_attn.in_proj_weight": weight,
            "self_attn.in_proj_bias": bias,
            "self_attn.out_proj.weight": w.W_o.T,
            "self_attn.out_proj.bias": w.b_o,
            "linear1.weight": w.W_1.T,
            "linear1.bias": w.b_1,
            "linear2.weight": w.W_2.T,
            "linear2.bias": w.b_2,
            "norm1.weight": w.ln1_scale,
            "norm1.bias": w.ln1_shift,
            "norm2.weight": w.ln2_scale,
            "norm2.bias": w.ln2_shift,
        }
    )
    return layer.requires_grad_(False)


def _future(x, causal):
    """The mask that torch's layers take: True where a token must not look."""
    tokens = x.shape[1]
    return torch.ones(tokens, tokens, dtype=torch.bool).triu(1) if causal else None


@reference
def torch_layer_norm(x, scale, shift, eps=1e-5):
    """What `layer_norm` should return."""
    return F.layer_norm(x, x.shape[-1:], scale, shift, eps)


@reference
def torch_attention(x, w, n_heads, causal=False):
    """What `attention` should return; raises ValueError for heads that do not fit."""
    if n_heads < 1 or x.shape[-1] % n_heads:
        raise ValueError(f"{n_heads} heads do not divide {x.shape[-1]} features")
    texts = x.transpose(0, 1)  # torch's function takes (T, B, D)
    out, _ = F.multi_head_attention_forward(
        *(texts, texts, texts, x.shape[-1], n_heads),
        *_packed(w),
        *(None, None, False, 0.0, w.W_o.T, w.b_o),
        need_weights=False,
        attn_mask=_future(x, causal),
    )
    return out.transpose(0, 1)


@reference
def torch_mlp(x, w, activation=F.gelu):
    """What `mlp` should return."""
    return F.linear(activation(F.linear(x, w.W_1.T, w.b_1)), w.W_2.T, w.b_2)


@reference
def torch_block(x, w, n_heads, causal=False, activation=F.gelu, norm_first=True):
    """What `pre_ln_block` should return; `post_ln_block` with norm_first=False."""
    layer = torch_layer(w, n_heads, activation, norm_first)
    return layer(x, src_mask=_future(x, causal))


@reference
def torch_rms_norm(x, scale, eps=1e-6):
    """What `rms_norm` should return."""
    return F.rms_norm(x, x.shape[-1:], scale, eps)


@reference
def torch_swiglu(x, W_gate, W_up, W_down):
    """What `swiglu` should return, with torch's linear layers."""
    gate, up = F.linear(x, W_gate.T), F.linear(x, W_up.T)
    return F.linear(F.silu(gate) * up, W_down.T)


STAND_INS = {
    "layer_norm": torch_layer_norm,
    "attention": torch_attention,
    "mlp": torch_mlp,
    "pre_ln_block": torch_block,
}
