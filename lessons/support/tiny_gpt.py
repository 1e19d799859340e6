"""The one model of the series: a small GPT that you can read in a minute.

Attention is plain matrix products, so that FLOPs can be counted and parts can be
called on their own.
"""

import math

import torch
from torch import nn


class Block(nn.Module):
    """A causal pre-LN block: (B, T, D) → (B, T, D)."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.norm1 = nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)  # rows in the order q, k, v
        self.out = nn.Linear(d_model, d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(
            nn.Linear(d_model, 4 * d_model),
            nn.GELU(),
            nn.Linear(4 * d_model, d_model),
        )

    def attention(self, x):
        B, T, D = x.shape
        heads = self.qkv(x).view(B, T, 3, self.n_heads, D // self.n_heads)
        q, k, v = heads.permute(2, 0, 3, 1, 4)  # each (B, H, T, d_k)
        scores = q @ k.mT / math.sqrt(D // self.n_heads)  # (B, H, T, T)
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(future, -math.inf).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(B, T, D))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class TinyGPT(nn.Module):
    """Token ids (B, T) → logits (B, T, vocab); T is at most `context`."""

    def __init__(self, vocab, context, d_model, n_heads, n_layers, tied=True):
        super().__init__()
        self.vocab, self.context, self.d_model = vocab, context, d_model
        self.n_heads, self.n_layers = n_heads, n_layers
        self.token_embedding = nn.Embedding(vocab, d_model)
        self.position_embedding = nn.Embedding(context, d_model)
        self.blocks = nn.ModuleList(Block(d_model, n_heads) for _ in range(n_layers))
        self.final_norm = nn.LayerNorm(d_model)
        self.unembedding = nn.Linear(d_model, vocab, bias=False)
        if tied:
            self.unembedding.weight = self.token_embedding.weight
        for weight in self.parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02)
        self.tokens_seen = 0  # tokens that went through the first block's mlp
        self.blocks[0].mlp.register_forward_hook(self._count)

    def _count(self, mlp, inputs, output):
        self.tokens_seen += output.shape[:-1].numel()

    def forward(self, ids):
        T = ids.shape[1]
        if T > self.context:
            raise ValueError(f"{T} tokens do not fit into a context of {self.context}")
        positions = torch.arange(T, device=ids.device)
        x = self.token_embedding(ids) + self.position_embedding(positions)
        for block in self.blocks:
            x = block(x)
        return self.unembedding(self.final_norm(x))
