# %% [markdown]
# # Lesson 4: the KV cache
#
# **You make a GPT write the very same text for a fraction of the work, and you know
# why not one number of it changes.**
#
# - Time: about 40 minutes.
# - Points: 20, in five exercises and two quick checks.
# - Know before: queries, keys, values and the causal mask (lesson 1), and the loop
#   that writes text token by token (lesson 3).
#
# Run the cells in order. A check that fails says what is right so far and where
# to look next.

# %% given="setup" collapsed=true
# @title Set-up: run this cell first
import math
import time
from pathlib import Path

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

from support.caching import (
    STAND_INS,
    expect_rows,
    head_by_head,
    heads_of,
    mild_block,
    mild_model,
    query_by_query,
    random_ids,
)
from support.checks import Checker, draw
from support.training import letter_codec, train

checking = Checker(STAND_INS)
standing_in, demo = checking.standing_in, checking.demo
torch.manual_seed(4)
torch.set_num_threads(1)  # for small products more threads only wait for each other

# %% demo="figures" collapsed=true
# @title Set-up of figures, cards and score: run this cell too
from support.advice import Advice  # noqa: E402, F401
from support.cards import Cards  # noqa: E402, F401
from support.figures.cache_stepper import CacheStepper  # noqa: E402
from support.plots import COLOURS, show  # noqa: E402
from support.quiz import Choices  # noqa: E402, F401
from support.score import show_score  # noqa: E402, F401

# %% generated="advice" collapsed=true

# %% [markdown]
# ## Predict first
#
# Guess before you read on; nothing here is graded. You find the answers near the end.
#
# **1.** A causal GPT has read six tokens. You replace the sixth by another one. In
# how many blocks do the keys and values of the *first five* tokens change?
#
# - a) In all.
# - b) In all but the first.
# - c) In none.
#
# **2.** The usual loop runs the whole text again for each new token. From a single
# start token it writes 100 tokens. How many tokens go through the model, all runs
# added up?
#
# - a) 100.
# - b) 5,050.
# - c) 10,000.

# %% demo="predict"
prediction_1 = None  # @param ["a", "b", "c"]
prediction_2 = None  # @param ["a", "b", "c"]

# %% [markdown]
# ## The model
#
# This is the GPT of the series, read-only. You will call its parts yourself, so look
# at their names: `token_embedding`, `position_embedding`, `blocks`, `final_norm` and
# `unembedding`; in a block `norm1`, `qkv`, `out`, `norm2` and `mlp`.
#
# Letters for shapes: $B$ sequences in a batch, $T$ tokens, width $D$, $H$ heads of
# $d_k = D/H$ numbers, $L$ blocks.
#
# `tokens_seen` counts the tokens that pass through the first block. It will be your
# meter for work.

# %% given="model"
from support.tiny_gpt import Block, TinyGPT  # noqa: E402

# %% [markdown]
# ## The loop that forgets
#
# Below is the loop of lesson 3 in its shortest form. `sample_token` chooses one token
# per row of logits: the largest at temperature 0, a draw otherwise. `generate` appends
# tokens one by one.
#
# Note the line with `model(ids)`. It runs the **whole text**, every time, and
# keeps only the last row of logits.


# %% given="loop"
def sample_token(logits, temperature=0.0, generator=None):
    """Logits (B, vocab) → one token id per row, (B,)."""
    if temperature == 0:
        return logits.argmax(-1)
    probabilities = (logits / temperature).softmax(-1)
    return torch.multinomial(probabilities, 1, generator=generator)[:, 0]


@torch.no_grad()
def generate(model, ids, n_new, temperature=0.0, generator=None):
    """Prompt ids (B, T) → (B, T + n_new), with a run over the whole text per token."""
    for _ in range(n_new):
        last = model(ids)[:, -1]  # (B, vocab)
        token = sample_token(last, temperature, generator)
        ids = torch.cat((ids, token.unsqueeze(1)), dim=1)
    return ids


# %% demo="waste"
model = mild_model(TinyGPT, context=101)
start = random_ids(1, 1, 1)  # one sequence of one token
for n_new in (1, 2, 3, 100):
    before = model.tokens_seen
    generate(model, start, n_new)
    print(f"{n_new} new tokens: {model.tokens_seen - before} through the model")

# %% [markdown]
# ### Where the work goes
#
# From one start token, the first new token takes a run over 1 token, the second a run
# over 2, the third a run over 3. For $T$ new tokens the sum is
#
# $$1 + 2 + \dots + T = \frac{T(T+1)}{2}$$
#
# Twice the text, four times the work. Yet each run differs from the one before by a
# single token at its end. What is computed again that was known already?

# %% [markdown]
# ## Old keys and values never change
#
# **Claim.** With causal masks, the vector of token $j$ in every block depends only on
# the tokens $1, \dots, j$.
#
# Go through the model and ask of each part which rows it lets row $j$ read:
#
# - embedding and position: row $j$ alone;
# - norm, MLP, residual sum, and the maps to $q$, $k$, $v$: row $j$ alone;
# - attention: rows $\le j$, because the mask hides the rest.
#
# So if the rows $\le j$ that enter a block depend only on tokens $\le j$, the rows
# that leave it do too. It holds before block 1, hence after it, hence after block 2,
# and so on up to $L$.

# %% [markdown]
# ### What follows from the claim
#
# The key and the value of token $j$ are made from the vector of token $j$. A token
# that arrives *later* cannot change them. So you may compute them once and keep them.
# The store of all keys and values is the **KV cache**.
#
# The query of an old token is not kept. It was used once, for the output of its own
# token, and no later token asks for it.
#
# Without a mask the argument breaks at attention: row $j$ reads the new token too,
# and its vector changes.

# %% [markdown]
# ### The experiment
#
# Six tokens, then the same with another sixth token. We compare keys and values of the
# first five, block by block, **to the bit**: once with the causal mask, once without a
# mask, as in an encoder.


# %% demo="experiment"
def unmasked_attention(block, x):
    """A block's attention as an encoder has it: every token reads every token."""
    B, T, D = x.shape
    split = block.qkv(x).view(B, T, 3, block.n_heads, -1).permute(2, 0, 3, 1, 4)
    read = F.scaled_dot_product_attention(split[0], split[1], split[2])
    return block.out(read.permute(0, 2, 1, 3).reshape(B, T, D))


def kv_of_blocks(model, ids, causal):
    """Keys and values of each block side by side: L tensors (B, T, 2D)."""
    rows = model.token_embedding(ids) + model.position_embedding.weight[: ids.shape[1]]
    found = []
    for block in model.blocks:
        normed = block.norm1(rows)
        found.append(block.qkv(normed)[..., model.d_model :])
        read = block.attention(normed) if causal else unmasked_attention(block, normed)
        rows = rows + read
        rows = rows + block.mlp(block.norm2(rows))
    return found


one = random_ids(2, 1, 6)
other = one.clone()
other[0, 5] = (one[0, 5] + 1) % 19
for name, causal in (("causal mask", True), ("no mask", False)):
    pairs = zip(
        *(kv_of_blocks(model, ids, causal) for ids in (one, other)), strict=True
    )
    same = [torch.equal(a[:, :5], b[:, :5]) for a, b in pairs]
    print(f"{name}: first five the same in block 1, 2, 3, 4: {same}")

# %% [markdown]
# ### Reading the result
#
# With the mask nothing moves, not even in the last bit. Without it, only block 1 keeps
# its keys and values: they are made from the embeddings, before any token has read
# another. From block 2 on, all are stale.
#
# That is why GPT has a KV cache, and an encoder such as BERT has none.

# %% [markdown]
# ## One step with a cache
#
# A new token arrives. In each block:
#
# 1. compute *its* query $q$, key $k$ and value $v$, for this one row;
# 2. append $k$ and $v$ to the cached $K$ and $V$;
# 3. let $q$ read the whole store; the head's output is $o$:
#
# $$o = \operatorname{softmax}\!\left(\frac{q K^\top}{\sqrt{d_k}}\right) V$$
#
# The scores are one row of numbers, not a square. No mask is needed for a single
# token: everything in the store is its past, or itself.

# %% [markdown]
# ### A step by hand
#
# One head, $d_k = 1$, so keys and values are plain numbers. Two tokens are cached:
# keys $0$ and $0.693$, values $8$ and $4$. A third comes with $q = 1$, $k = 0$,
# $v = 0$. (Note that $0.693 = \ln 2$.)
#
# - Store: keys $(0, 0.693, 0)$, values $(8, 4, 0)$.
# - Scores $q\,k$: $(0, 0.693, 0)$. Their exponentials: $(1, 2, 1)$.
# - Weights: $(\tfrac14, \tfrac12, \tfrac14)$. Output: $2 + 2 + 0 = 4$.
#
# A fourth comes with $q = 0$, $k = 0$, $v = 12$. All four scores are $0$, all weights
# $\tfrac14$, and the output is $(8 + 4 + 0 + 12)/4 = 6$. The old rows were read, not
# computed.

# %% demo="by_hand"
keys = torch.tensor([0, math.log(2), 0, 0])
values = torch.tensor([8.0, 4.0, 0.0, 12.0])
third = torch.softmax(1 * keys[:3], dim=0) @ values[:3]
fourth = torch.softmax(0 * keys, dim=0) @ values
print(f"third token: {third:.2f}, fourth token: {fourth:.2f}")

# %% [markdown]
# ### Several new tokens at once
#
# The prompt is known from the start, so its tokens can come in one go, or in a few
# **chunks**. Now the third and fourth token of the example arrive together. Four keys
# are in the store, two queries read it. The third token must not read the fourth: with
# weights $(\tfrac15, \tfrac25, \tfrac15, \tfrac15)$ its output would be $5.6$, not $4$.
#
# So a chunk needs a mask. It is not square: a row for each **new** token, a
# column for each key, **old and new**. With $T_{\text{past}}$ cached rows, new token
# $i$ (counted from 0) has the place $T_{\text{past}} + i$ in the text.

# %% demo="masks" collapsed=true
# @title Picture: the masks of the two phases
whole = torch.ones(6, 6).tril()
cases = {
    "Prompt: 6 new, 0 cached": whole,
    "Chunk: 3 new, 3 cached": whole[3:],
    "Step: 1 new, 5 cached": whole[5:],
}
figure, axes = plt.subplots(1, 3, figsize=(7.2, 2.9), layout="constrained")
palette = plt.matplotlib.colors.ListedColormap(["#E0E0E0", COLOURS["attention"]])
for axis, (title, rows) in zip(axes, cases.items(), strict=True):
    edges = torch.arange(7), torch.arange(6 - len(rows), 7)
    axis.pcolormesh(*edges, rows, cmap=palette, vmin=0, vmax=1, ec="white", lw=1.5)
    axis.set(xlim=(0, 6), ylim=(6, 0), aspect="equal", xlabel="key (place in the text)")
    axis.set_xticks([n + 0.5 for n in range(6)], range(6))
    axis.set_yticks([n + 0.5 for n in range(6)], range(6))
    axis.set_title(title, fontsize=9)
axes[0].set_ylabel("query (place in the text)")
figure.suptitle(
    "A chunk's mask is the lower part of the whole mask (blue: read, grey: hidden)"
)
show(
    figure,
    "Three masks over six keys, blue where a query may read. Prompt: the full lower "
    "triangle. Chunk of three: its last three rows. One step: its last row, all blue.",
)

# %% [markdown]
# ### Exercise 4.1: cached_attention
#
# Write the attention of one `block` for the new tokens only.
#
# - `x`: $(B, T_{\text{new}}, D)$, already normalised
# - `cache`: `None`, or a pair (keys, values) of shape
#   $(B, H, T_{\text{past}}, d_k)$, rows in token order; $T_{\text{past}}$ may be 0
# - result: `out` like `x`, with the output projection and without the residual, and
#   the grown cache, a new pair with $T_{\text{past}} + T_{\text{new}}$ rows
# - The tensors of the old cache stay as they are.
# - About 10 minutes · hard · 6 points
#
# It must be right for one new token and for many, with and without a past. torch's
# fused attention is allowed here; watch how it lines up its mask.


# %% exercise="cached_attention" minutes=10
def cached_attention(block, x, cache):
    """Attention of `block` for new tokens x (B, T_new, D) that also read a cache.

    cache: None or (keys, values), each (B, H, T_past, d_k), rows in token order.
    Returns out (B, T_new, D) and the pair with T_past + T_new rows.
    """

    ### BEGIN SOLUTION
    def heads(part):  # (B, T_new, D) → (B, H, T_new, d_k)
        return part.unflatten(-1, (block.n_heads, -1)).transpose(1, 2)

    q, k, v = map(heads, block.qkv(x).chunk(3, dim=-1))
    if cache is not None:
        k = torch.cat([cache[0], k], dim=2)
        v = torch.cat([cache[1], v], dim=2)
    T_new, T = q.shape[2], k.shape[2]
    hidden = torch.ones(T_new, T, dtype=torch.bool).triu(1 + T - T_new).to(x.device)
    scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(hidden, -math.inf)
    mixed = scores.softmax(-1) @ v  # (B, H, T_new, d_k)
    return block.out(mixed.transpose(1, 2).flatten(2)), (k, v)
    ### END SOLUTION


# %% checks="cached_attention" points=1
with checking("cached_attention", "a first token") as check:
    block = mild_block(Block, seed=1, n_heads=1)
    x = draw(1, 1, 1, 12)
    result = cached_attention(block, x, None)
    two = isinstance(result, (tuple, list)) and len(result) == 2
    hint = "Return out first, then the pair of keys and values."
    check.true(two, "two results", "It should return two things.", hint)
    hint = (
        "With one token the output is block.out of its value. x is already "
        "normalised, and is not added here. Which third of block.qkv is the value?"
    )
    check.close(result[0], block.attention(x), "one token, one head", hint, like=x)
    block, x = mild_block(Block, seed=1), draw(1, 2, 1, 12)
    hint = "Cut each third of block.qkv into heads, and join them in the same order."
    out, _ = cached_attention(block, x, None)
    check.close(out, block.attention(x), "two texts, three heads", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    block = mild_block(Block, 2, torch.float32, n_heads=2)
    x = draw(2, 3, 1, 12, dtype=torch.float32)
    out, _ = cached_attention(block, x, None)
    check.close(out, block.attention(x), "two heads, float32", hint, like=x)
    ### END HIDDEN TESTS

# %% checks="cached_attention" points=1
with checking("cached_attention", "a prompt without a past") as check:
    block, x = mild_block(Block, seed=3, n_heads=1), draw(3, 2, 5, 12)
    same = x[:, :1].expand(2, 5, 12)
    out, want = cached_attention(block, same, None)[0], block.attention(same)
    hint = "The weights of each query sum to 1 over the keys that it may read."
    check.close(out, want, "one token five times, one head", hint)
    out, want = cached_attention(block, x, None)[0], block.attention(x)
    hint = "It may read only itself: is the future hidden when nothing is cached?"
    check.close(out[:, :1], want[:, :1], "the first of five unlike tokens", hint)
    hint = "Is each score a query (rows) times a key (columns)? By what is it divided?"
    check.close(out, want, "all five", hint, like=x)
    block.n_heads = 3
    out, want = cached_attention(block, x, None)[0], block.attention(x)
    hint = "Look at how heads are cut and joined, and at the width in the scale."
    check.close(out, want, "three heads", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for B, T, sizes in ((1, 15, {"d_model": 16, "n_heads": 2}), (3, 4, {"n_heads": 1})):
        block = mild_block(Block, seed=4, **sizes)
        x = draw(4, B, block.qkv.in_features, T).mT  # not contiguous
        out, _ = cached_attention(block, x, None)
        check.close(out, block.attention(x), f"{T} tokens", hint)
    ### END HIDDEN TESTS

# %% checks="cached_attention" points=1
with checking("cached_attention", "what the cache holds") as check:
    block = mild_block(Block, seed=5)
    x = draw(5, 2, 5, 12)
    cache, want = cached_attention(block, x, None)[1], heads_of(block, x)[1:]
    hint = "The second result is the pair (keys, values)."
    check.equal(len(cache), 2, "a pair", hint)
    hint = "The axes are batch, heads, tokens, width of a head: here 2, 3, 5, 4."
    check.equal(tuple(cache[0].shape), (2, 3, 5, 4), "shape of the keys", hint)
    hint = "Keys come first in the pair, as block.qkv gives them, in token order."
    check.close(cache[0], want[0], "five rows of keys", hint, like=x)
    hint = "Values come second in the pair, as block.qkv gives them, in token order."
    check.close(cache[1], want[1], "five rows of values", hint, like=x)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    block = mild_block(Block, 6, torch.float32, n_heads=6)
    x = draw(6, 1, 3, 12, dtype=torch.float32)
    cache, want = cached_attention(block, x, None)[1], heads_of(block, x)[1:]
    for got, rows in zip(cache, want, strict=True):
        check.close(got, rows, "float32", "Keep the rows as they are.", like=x)
    ### END HIDDEN TESTS

# %% checks="cached_attention" points=1
with checking("cached_attention", "one new token, five cached") as check:
    block = mild_block(Block, seed=7)
    x = draw(7, 2, 6, 12)
    past, want = heads_of(block, x[:, :5])[1:], heads_of(block, x)[1:]
    out, grown = cached_attention(block, x[:, 5:], past)
    hint = "The new key goes behind the cached keys; return the longer pair."
    check.equal(tuple(grown[0].shape), (2, 3, 6, 4), "six rows of keys", hint)
    check.close(grown[0], want[0], "keys in token order", hint)
    hint = "Grow the values exactly like the keys."
    check.close(grown[1], want[1], "values in token order", hint)
    hint = "Its one query may read all six keys, and weighs all six values."
    what = "out of the sixth token"
    expect_rows(check, cached_attention, block, x, 5, out, what, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for T_past, n_heads, dtype in ((1, 1, torch.float32), (8, 4, torch.float64)):
        block = mild_block(Block, 8, dtype, n_heads=n_heads)
        x = draw(8, 3, T_past + 1, 12, dtype=dtype)
        past = heads_of(block, x[:, :T_past])[1:]
        past = tuple(rows.mT.contiguous().mT for rows in past)  # not contiguous
        out, _ = cached_attention(block, x[:, T_past:], past)
        expect_rows(check, cached_attention, block, x, T_past, out, "one more", hint)
    ### END HIDDEN TESTS

# %% checks="cached_attention" points=1
with checking("cached_attention", "a chunk on a cache") as check:
    block = mild_block(Block, seed=9)
    x = draw(9, 2, 7, 12)
    out, _ = cached_attention(block, x[:, 4:], heads_of(block, x[:, :4])[1:])
    hint = "It is the last token of the text so far: it may read all seven keys."
    what = "3 new, 4 cached: the last one"
    expect_rows(check, cached_attention, block, x, 6, out[:, 2:], what, hint)
    hint = (
        "A new token may read the cached ones and itself, not later ones of its chunk."
    )
    for T_past in (4, 2):
        past = heads_of(block, x[:, :T_past])[1:]
        out, _ = cached_attention(block, x[:, T_past:], past)
        what = f"{7 - T_past} new, {T_past} cached: all"
        expect_rows(check, cached_attention, block, x, T_past, out, what, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for seed, (T_past, T, scale) in enumerate(((0, 3, 1), (3, 6, 3), (9, 14, 1)), 10):
        block = mild_block(Block, seed, n_heads=2)
        x = scale * draw(seed, 3, T, 12)
        past = heads_of(block, x[:, :T_past])[1:]
        out, _ = cached_attention(block, x[:, T_past:], past)
        expect_rows(check, cached_attention, block, x, T_past, out, "chunk", hint)
    past = [torch.cat([-rows[:, :, :1], rows[:, :, 1:]], 2) for rows in past]
    other, _ = cached_attention(block, x[:, T_past:], past)
    problem = "With nine cached the last token does not read the first."
    check.true(not torch.equal(out[:, -1], other[:, -1]), "", problem, hint)
    ### END HIDDEN TESTS

# %% checks="cached_attention" points=1
with checking("cached_attention", "one text in any pieces") as check:
    block = mild_block(Block, seed=13)
    x = draw(13, 2, 8, 12)
    for pieces in ((8,), (5, 1, 1, 1), (1,) * 8, (2, 4, 2)):
        outs, cache = [], None
        for piece in x.split(pieces, dim=1):
            out, cache = cached_attention(block, piece, cache)
            outs.append(out)
        what = "pieces of " + ", ".join(map(str, pieces))
        hint = "Each call reads the cache that it is given, and remembers nothing else."
        out = torch.cat(outs, 1)
        expect_rows(check, cached_attention, block, x, 0, out, what, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    left, right = x[:, :4], x[:, 4:] + 1
    _, past = cached_attention(block, left, None)
    for piece in (x[:, 4:], right, x[:, 4:]):  # one past, two ways to go on
        out, grown = cached_attention(block, piece, past)
        text = torch.cat([left, piece], 1)
        expect_rows(check, cached_attention, block, text, 4, out, "a branch", hint)
        check.close(grown[0], heads_of(block, text)[1], "its keys", hint)
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: start from what you have</summary>
#
# Read `Block.attention` above. Queries, keys and values of the *new* tokens are made
# in the same way. Two things change after that: what the queries read, and the mask.
#
# </details>
#
# <details><summary>Hint 2: growing the cache</summary>
#
# Join old and new rows along the axis of tokens. In $(B, H, T, d_k)$ that is not the
# last axis. Make a new tensor: the caller may still need the old one.
#
# </details>
#
# <details><summary>Hint 3: the mask of a chunk</summary>
#
# Imagine the square mask of the whole text, past and new. Which of its rows belong
# to the new tokens? `triu` and `tril` take a second argument that shifts the
# diagonal.
#
# </details>

# %% [markdown]
# ## The whole model
#
# Attention was the one part that reads other rows. The rest of the model treats each
# row alone, so it can run on new tokens as it is. Two things need care:
#
# - **One cache per block.** Keys of block 1 mean nothing to block 2.
# - **True positions.** A token's row in `position_embedding` is its place in the text,
#   not in the chunk. With five tokens cached, the next has place 5, counted from 0.
#
# A wrong position raises no error. The text still looks plausible, which makes
# this a fault that is easy to miss.

# %% [markdown]
# ### Positions by hand
#
# A prompt of 5 tokens comes in chunks of 3 and 2, then two single tokens follow:
#
# | call | cached before | new | places |
# |---|---|---|---|
# | 1 | 0 | 3 | 0, 1, 2 |
# | 2 | 3 | 2 | 3, 4 |
# | 3 | 5 | 1 | 5 |
# | 4 | 6 | 1 | 6 |
#
# How many tokens are cached can be read from the cache itself: it is a size of any of
# its tensors. You need no counter of your own, and nothing to reset.

# %% [markdown]
# ### Exercise 4.2: cached_forward
#
# Run a whole `TinyGPT` on new tokens.
#
# - `ids`: $(B, T_{\text{new}})$; `caches`: `None` at the start, afterwards what the
#   last call returned, a list or tuple of $L$ pairs
# - result: logits $(B, T_{\text{new}}, |V|)$ of the new tokens ($|V|$ is the size of
#   the vocabulary), and the $L$ grown pairs
# - Old caches stay as they are.
# - More than `model.context` tokens, cached and new together: a ValueError with a
#   message that says what is wrong
# - About 8 minutes · medium · 5 points
#
# Use your `cached_attention`. The checks put a right one in its place, so a fault
# there does not count twice.


# %% exercise="cached_forward" minutes=8
def cached_forward(model, ids, caches=None):
    """Logits of new tokens ids (B, T_new) that follow the cached ones.

    caches: None or L pairs (keys, values). Returns logits (B, T_new, vocab) and the
    L grown pairs. Raises ValueError past model.context.
    """
    ### BEGIN SOLUTION
    past = 0 if caches is None else caches[0][0].shape[2]
    end = past + ids.shape[1]
    if end > model.context:
        raise ValueError(f"{end} tokens are more than the context of {model.context}")
    places = model.position_embedding(torch.arange(past, end, device=ids.device))
    x, grown = model.token_embedding(ids) + places, []
    for layer, block in enumerate(model.blocks):
        cache = None if caches is None else caches[layer]
        mixed, cache = cached_attention(block, block.norm1(x), cache)
        x = x + mixed
        x = x + block.mlp(block.norm2(x))
        grown.append(cache)
    return model.unembedding(model.final_norm(x)), grown
    ### END SOLUTION


# %% checks="cached_forward" points=1
with (
    checking("cached_forward", "a prompt, nothing cached") as check,
    standing_in("cached_attention"),
):
    ends = "Embedding plus position at the start; final norm, unembedding at the end."
    second = "The second half of a block: the stream, plus the MLP of its norm."
    first = "The first half of a block: the stream, plus attention of its norm."
    steps = (  # tokens, parts of the block that are set to 0
        (1, ("out", "mlp"), "one token, a block that adds nothing", ends),
        (5, ("out", "mlp"), "five tokens, a block that adds nothing", ends),
        (5, ("out",), "an MLP that adds", second),
        (5, (), "attention that adds too", first),
    )
    for T, silent, what, hint in steps:
        model, ids = mild_model(TinyGPT, seed=1), random_ids(1, 2, T)
        for part in silent:
            for weight in getattr(model.blocks[0], part).parameters():
                weight.zero_()
        check.close(cached_forward(model, ids, None)[0], model(ids), what, hint)
    model = mild_model(TinyGPT, seed=1, n_layers=4)
    hint = "A block's output goes into the next."
    check.close(cached_forward(model, ids, None)[0], model(ids), "four blocks", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    sizes = {"vocab": 31, "d_model": 16, "n_heads": 2, "n_layers": 5, "tied": False}
    for seed, dtype in enumerate((torch.float32, torch.float64), 2):
        model = mild_model(TinyGPT, seed, dtype, **sizes)
        ids = random_ids(seed, 7, 3, 31).T  # not contiguous
        check.close(cached_forward(model, ids, None)[0], model(ids), "other", hint)
    ### END HIDDEN TESTS

# %% checks="cached_forward" points=1
with (
    checking("cached_forward", "one cache per block") as check,
    standing_in("cached_attention"),
):
    model = mild_model(TinyGPT, seed=4, n_layers=4)
    ids = random_ids(4, 2, 7)
    caches = cached_forward(model, ids[:, :6], None)[1]
    grown = cached_forward(model, ids[:, 6:], caches)[1]
    hint = "Collect the pair that each block gives back, in the order of the blocks."
    for what, got, T in (("at the start", caches, 6), ("one token later", grown, 7)):
        check.equal(len(got), 4, f"4 pairs {what}", hint)
        shapes = [tuple(got[layer][0].shape) for layer in range(4)]
        check.equal(shapes, [(2, 3, T, 4)] * 4, f"{T} rows of keys {what}", hint)
    x = model.token_embedding(ids[:, :6]) + model.position_embedding.weight[:6]
    for layer, block in enumerate(model.blocks):
        _, *want = heads_of(block, block.norm1(x))
        for part, name in enumerate(("keys", "values")):
            what = f"{name} of block {layer + 1}"
            check.close(caches[layer][part], want[part], what, hint)
            kept = grown[layer][part][:, :, :6]
            check.close(kept, want[part], what + ", one token later", hint)
        x = block(x)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    model = mild_model(TinyGPT, seed=5)
    caches = cached_forward(model, ids[:, :3], None)[1]
    check.equal(len(cached_forward(model, ids[:, 3:], caches)[1]), 1, "1 block", hint)
    ### END HIDDEN TESTS

# %% checks="cached_forward" points=1
with (
    checking("cached_forward", "token by token") as check,
    standing_in("cached_attention"),
):
    model = mild_model(TinyGPT, seed=6, n_layers=2)
    ids = random_ids(6, 2, 7)
    want, caches, before = model(ids), None, model.tokens_seen
    start_hint = "Nothing is cached yet: the first check says which part differs."
    position_hint = "Which position is added to a token when this many are cached?"
    for n in range(7):
        logits, caches = cached_forward(model, ids[:, n : n + 1], caches)
        hint = position_hint if n else start_hint
        check.close(logits, want[:, n : n + 1], f"{n} cached", hint)
    passed = (model.tokens_seen - before) // len(ids)
    problem = f"{passed} tokens per text went through the first block for 7 new ones."
    once = "Run the new tokens only; the caches hold the rest."
    check.true(passed <= 7, "each token once", problem, once)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for seed, B, T_prompt, n_layers in ((7, 1, 3, 2), (8, 3, 2, 2), (9, 2, 5, 1)):
        model = mild_model(TinyGPT, seed, n_layers=n_layers, n_heads=2)
        ids = random_ids(seed, B, 9)
        want = model(ids)
        _, caches = cached_forward(model, ids[:, :T_prompt], None)
        for n in range(T_prompt, 9):
            logits, caches = cached_forward(model, ids[:, n : n + 1], caches)
            check.close(logits, want[:, n : n + 1], f"{n} cached", hint)
    ### END HIDDEN TESTS

# %% checks="cached_forward" points=1
with (
    checking("cached_forward", "two texts in turns, and chunks") as check,
    standing_in("cached_attention"),
):
    model = mild_model(TinyGPT, seed=10, context=30, n_layers=2)
    texts, memory = [random_ids(10, 2, 9), random_ids(11, 2, 9)], [None, None]
    wants = [model(text) for text in texts]
    hint = "All that is remembered must be in the caches that are passed in."
    for n in range(4):
        for turn, text in enumerate(texts):
            past = (memory[turn],) if n else ()  # at the start caches is left out
            logits, memory[turn] = cached_forward(model, text[:, n : n + 1], *past)
            what = f"text {turn + 1} of two, {n} cached"
            check.close(logits, wants[turn][:, n : n + 1], what, hint)
    hint = "Every token of a chunk has a place of its own in the text, and a mask."
    for pieces in ((2, 7), (3, 1, 5), (1, 2, 4, 2)):
        outs, caches = [], None
        for piece in texts[0].split(pieces, dim=1):
            logits, caches = cached_forward(model, piece, caches)
            outs.append(logits)
        check.close(torch.cat(outs, 1), wants[0], f"chunks of {pieces}", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    _, past = cached_forward(model, texts[1][:, :4])
    for seed in (12, 13, 12):  # one past, two ways to go on
        rest = random_ids(seed, 2, 4)
        logits, _ = cached_forward(model, rest, past)
        want = model(torch.cat([texts[1][:, :4], rest], 1))[:, 4:]
        check.close(logits, want, "a branch", "Leave the old caches as they are.")
    ### END HIDDEN TESTS

# %% checks="cached_forward" points=1
with (
    checking("cached_forward", "the end of the context") as check,
    standing_in("cached_attention"),
):
    model = mild_model(TinyGPT, seed=12, context=6)
    ids = random_ids(12, 2, 7)
    _, five = cached_forward(model, ids[:, :5], None)
    hint, what = "Six tokens fit into a context of six.", "the sixth of six fits"
    logits, six = check.runs(
        lambda: cached_forward(model, ids[:, 5:6], five), what, hint
    )
    rows = "Logits of the new tokens: (B, T_new, vocab)."
    check.equal(tuple(logits.shape), (2, 1, 19), "its row of logits", rows)
    check.raises(lambda: cached_forward(model, ids[:, 6:], six), "one more than fits")
    check.raises(lambda: cached_forward(model, ids[:, 5:], five), "two, one fits")
    check.raises(lambda: cached_forward(model, ids, None), "seven at once")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    logits, _ = check.runs(
        lambda: cached_forward(model, ids[:, :6], None), "all six", hint
    )
    check.equal(tuple(logits.shape), (2, 6, 19), "six at once", rows)
    model = mild_model(TinyGPT, seed=13, context=2)
    _, two = cached_forward(model, ids[:, :2], None)
    check.raises(lambda: cached_forward(model, ids[:, 2:], two), "five more")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: the skeleton</summary>
#
# Write `TinyGPT.forward` and `Block.forward` into one function, with a loop over the
# blocks. Check that the result is right with nothing cached before you go on.
#
# </details>
#
# <details><summary>Hint 2: the past</summary>
#
# Find the number of cached tokens before the loop grows anything. All blocks hold
# the same number, so ask the first one.
#
# </details>
#
# <details><summary>Hint 3: where the limit stands</summary>
#
# Cached and new tokens share one table of positions. Compare their sum with its
# length, and raise the error before you look anything up.
#
# </details>

# %% [markdown]
# ## Prefill and decode
#
# Writing with a cache has two phases:
#
# - **Prefill**: the whole prompt in one pass. Many rows share each weight that is
#   read, so the processor computes at full speed.
# - **Decode**: one new token per pass. All weights and the whole cache are read
#   from memory to process a single row. With few sequences at a time, memory
#   bandwidth sets the pace.
#
# A long prompt may be cut into chunks, so that other users' decode steps fit in
# between: *chunked prefill*. That is where your mask for chunks is used.
#
# The last row of logits after prefill already gives the first new token.

# %% [markdown]
# ### The loop by hand
#
# A prompt of 4 tokens, 3 new ones:
#
# | pass | goes in | cached after | comes out |
# |---|---|---|---|
# | prefill | 4 prompt tokens | 4 | token 5 |
# | decode | token 5 | 5 | token 6 |
# | decode | token 6 | 6 | token 7 |
#
# Token 7 need not go in: nobody asks what follows it. So $4 + 3 - 1 = 6$ tokens pass
# through the model. The loop without a cache passes $4 + 5 + 6 = 15$.

# %% [markdown]
# ### Exercise 4.3: generate_cached
#
# Write `generate` again, with a cache.
#
# - `ids`: $(B, T)$; result: $(B, T + n_{\text{new}})$, the same ids as `generate`
#   gives, greedy (temperature 0) or drawn with `sample_token` from the same generator
# - Each token passes through the blocks once; the last one may stay outside.
# - The model is left as it was, and the next call starts from nothing.
# - $T + n_{\text{new}}$ above `model.context`: a ValueError with a message that says
#   what is wrong
# - About 6 minutes · medium · 4 points


# %% exercise="generate_cached" minutes=6
def generate_cached(model, ids, n_new, temperature=0.0, generator=None):
    """Prompt ids (B, T) → (B, T + n_new); each token passes the blocks once.

    Same ids as `generate`. Raises ValueError when T + n_new > model.context.
    """
    ### BEGIN SOLUTION
    if ids.shape[1] + n_new > model.context:
        raise ValueError(f"no room for {n_new} more in a context of {model.context}")
    new, caches = ids, None  # new: what no block has seen yet
    with torch.no_grad():
        for _ in range(n_new):
            logits, caches = cached_forward(model, new, caches)
            new = sample_token(logits[:, -1], temperature, generator)[:, None]
            ids = torch.cat([ids, new], dim=1)
    return ids
    ### END SOLUTION


# %% checks="generate_cached" points=1
with (
    checking("generate_cached", "one greedy text") as check,
    standing_in("cached_attention", "cached_forward"),
):
    ids = random_ids(2, 1, 4)
    hints = {
        0: "Nothing to write: return the prompt.",
        1: "The last row of logits of the prompt gives the first new token.",
        2: "What goes in after the prompt, and which cache goes with it?",
        9: "Each pass takes the newest token and the newest caches.",
    }
    for n_new, hint in hints.items():
        model = mild_model(TinyGPT, seed=1)
        got, seen = generate_cached(model, ids, n_new), model.tokens_seen
        check.close(got, generate(model, ids, n_new), f"new tokens: {n_new}", hint)
    problem = f"{seen} tokens went through the blocks for a text of 13."
    hint = "Do not run the old text again: its keys and values are in the caches."
    check.true(seen <= 2 * 13, "a cache at work", problem, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for seed in (2, 3):
        model = mild_model(TinyGPT, seed, vocab=40, context=16)
        ids = random_ids(seed, 1, 1 + seed % 3, vocab=40)
        got, want = generate_cached(model, ids, 13), generate(model, ids, 13)
        check.close(got, want, "13 new tokens", "Look at the newest token.")
    ### END HIDDEN TESTS

# %% checks="generate_cached" points=1
with (
    checking("generate_cached", "each token once") as check,
    standing_in("cached_attention", "cached_forward"),
):
    for B, T, n_new in ((1, 4, 8), (2, 3, 5)):
        model = mild_model(TinyGPT, seed=11)
        before = model.tokens_seen
        text = generate_cached(model, random_ids(11, B, T), n_new)
        seen = (model.tokens_seen - before) / B
        what = f"prompt {T}, new {n_new}, batch {B}"
        check.equal(tuple(text.shape), (B, T + n_new), f"length, {what}")
        problem = f"{seen:g} tokens per sequence passed through the first block's mlp."
        hint = f"Aim at {T + n_new - 1} or {T + n_new}: each token once."
        check.true(T + n_new - 1 <= seen <= T + n_new, what, problem, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    model = mild_model(TinyGPT, seed=12, context=31)
    before = model.tokens_seen
    generate_cached(model, random_ids(12, 1, 12), 18)
    seen = model.tokens_seen - before
    check.true(29 <= seen <= 30, "long", f"{seen} tokens passed for a text of 30.")
    ### END HIDDEN TESTS

# %% checks="generate_cached" points=1
with (
    checking("generate_cached", "batches and draws") as check,
    standing_in("cached_attention", "cached_forward"),
):
    ids = random_ids(13, 5, 3)
    hints = {
        0.0: "Each row chooses a token of its own.",
        0.7: "One draw of sample_token for each new token, with all its arguments.",
        1.5: "Pass the temperature on unchanged.",
    }
    for temperature, hint in hints.items():
        model = mild_model(TinyGPT, seed=13)
        seeds = [torch.Generator().manual_seed(5) for _ in range(2)]
        got = generate_cached(model, ids, 6, temperature, seeds[0])
        want = generate(model, ids, 6, temperature, seeds[1])
        check.close(got, want, f"five rows, temperature {temperature}", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    ids = random_ids(14, 3, 9, vocab=50).T  # not contiguous
    for temperature in (0.0, 1.0):
        model = mild_model(TinyGPT, seed=14, vocab=50)
        seeds = [torch.Generator().manual_seed(6) for _ in range(2)]
        got = generate_cached(model, ids, 6, temperature, generator=seeds[0])
        want = generate(model, ids, 6, temperature, seeds[1])
        check.close(got, want, "nine rows", hint)
    one, two = (generate_cached(model, ids, 3, 1.0) for _ in range(2))
    hint = "Without a generator each call draws anew."
    check.true(not torch.equal(one, two), "", "Two calls draw the same.", hint)
    ### END HIDDEN TESTS

# %% checks="generate_cached" points=1
with (
    checking("generate_cached", "the next call, and the limit") as check,
    standing_in("cached_attention", "cached_forward"),
):
    model = mild_model(TinyGPT, seed=15, context=40)
    first, second = random_ids(15, 2, 5), random_ids(16, 2, 3)
    want = [generate(model, ids, 3) for ids in (first, second)]
    hint = "Start each call without a cache; nothing may stay on the model."
    for turn, ids in enumerate((first, second, first)):
        got = generate_cached(model, ids, 3)
        check.close(got, want[turn % 2], f"call {turn + 1} on one model", hint)
    model.train()
    generate_cached(model, first, 2)
    check.true(model.training, "a model in training mode stays in it", "It did not.")
    model = mild_model(TinyGPT, seed=15, context=9)
    hint = "A text that fills the context exactly is allowed."
    got = check.runs(lambda: generate_cached(model, first, 4), "a full context", hint)
    hint = "The last token that fits is written like the others."
    check.close(got, generate(model, first, 4), "the text that fills it", hint)
    check.raises(lambda: generate_cached(model, first, 5), "one token too many")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    full = random_ids(17, 1, 9)
    hint = "A prompt that fills the context is allowed, when nothing is added."
    got = check.runs(lambda: generate_cached(model, full, 0), "a full prompt", hint)
    check.close(got, full, "a full prompt", hint)
    check.raises(lambda: generate_cached(model, full, 1), "no room")
    check.raises(lambda: generate_cached(model, full[:, :1], 300), "far too many")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: one variable for what is new</summary>
#
# Keep two things apart: the text so far, and the tokens that have not gone through the
# blocks yet. Before the first pass these are the whole prompt, afterwards one column.
#
# </details>
#
# <details><summary>Hint 2: shapes</summary>
#
# `sample_token` returns shape $(B,)$, one id per row. The model wants $(B, 1)$.
#
# </details>

# %% [markdown]
# ## A text from your own cache
#
# A small GPT learns letters from a story for a few seconds: 64 letters of context, two
# blocks. Then it writes, once with the given loop and once with yours. Both start from
# the same seed, so both draw the same letters.
#
# The comparison runs in float64. There both ways differ by less than
# a billionth, and no draw changes.

# %% given="corpus" collapsed=true
# @title The corpus: data/corpus.txt, carried in this notebook
corpus = Path("data/corpus.txt").read_text()

# %% demo="writer" volatile=true
encode, decode, vocab = letter_codec(corpus)
writer = TinyGPT(vocab, context=64, d_model=64, n_heads=4, n_layers=2)
losses = train(writer, encode(corpus), steps=340, batch=6)
print(f"loss per letter: {losses[0]:.1f} at the start, {losses[-1]:.1f} at the end")

# %% demo="story" volatile=true
with demo("generate_cached"):
    writer, prompt = writer.double(), encode("the dog ")[None]
    texts = [
        write(writer, prompt, 56, 0.5, torch.Generator().manual_seed(2))
        for write in (generate, generate_cached)
    ]
    print(decode(texts[1][0]))
    print("The same text as without a cache:", torch.equal(*texts))

# %% [markdown]
# ### Touch it: one row a token
#
# Each press of the first button runs *your* `cached_forward` on one token. It starts
# from a line break, ↵.
#
# - Which token of the text has no row yet, and why does nobody miss it?
# - Write on to 8, then to 16 tokens. How do the two counts grow?
# - Take the mask away. Which rows become wrong with the next token, in which block, and
#   why does the newest row stay right?

# %% demo="explore_cache" volatile=true
CacheStepper(writer, encode, decode, cached_forward)

# %% [markdown]
# ## What you have gained
#
# First the exact count: tokens through the blocks, by `tokens_seen`, with your
# function and without. The curve bends like $T^2/2$; the line grows like $T$.

# %% demo="tokens_plot" collapsed=true
# @title Picture: tokens through the model
model = mild_model(TinyGPT, context=129)
lengths, seen = (8, 16, 32, 64, 128), {generate: []}
start = random_ids(1, 1, 1)
with demo("generate_cached"):
    seen[generate_cached] = []
    for write, counts in seen.items():
        for n_new in lengths:
            before = model.tokens_seen
            write(model, start, n_new)
            counts.append(model.tokens_seen - before)
    print(f"128 new tokens: {seen[generate][-1]} without, {counts[-1]} with a cache")
    figure, axis = plt.subplots(figsize=(6, 3.2))
    axis.plot(lengths, seen[generate], "o-", color=COLOURS["other"], label="no cache")
    axis.plot(lengths, counts, "s-", color=COLOURS["attention"], label="KV cache")
    axis.set(xlabel="tokens written", ylabel="tokens through the model")
    axis.set_title("Without a cache the work grows with the square of the length")
    axis.legend(frameon=False)
    show(
        figure,
        "Tokens through the model against tokens written. Without a cache the curve "
        "bends upwards, above 8,000 for 128 tokens; with a cache it is nearly flat.",
    )

# %% [markdown]
# ### The clock
#
# Now the time for *one* new token, against the length of the text before it. The model
# here is larger, so that its work outweighs Python's. Read the shapes of the curves;
# the milliseconds are those of your machine.
#
# Should the blue line rise too? Yes: the new query reads all cached keys and values,
# and `torch.cat` copies the cache. At this length both are too small to see. The
# reading stays the smaller part of the work while the text is shorter than $6D$ tokens
# (lesson 2; here $6 \cdot 128 = 768$).


# %% demo="stopwatch"
def shortest(run, times=5):
    """The shortest of a few runs, in milliseconds."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        run()
        taken.append(1000 * (time.perf_counter() - begin))
    return min(taken)


# %% demo="clock" collapsed=true
# @title Picture: time for one more token
with demo("cached_forward"), torch.no_grad():
    model = TinyGPT(vocab=65, context=256, d_model=128, n_heads=4, n_layers=4)
    text, lengths = random_ids(3, 1, 256, vocab=65), range(32, 257, 32)
    whole, steps = [], []
    for t in lengths:
        _, past = cached_forward(model, text[:, : t - 1])
        newest, so_far = text[:, t - 1 : t], text[:, :t]
        steps.append(
            shortest(lambda new=newest, old=past: cached_forward(model, new, old))
        )
        whole.append(shortest(lambda ids=so_far: model(ids)))
    faster = whole[-1] > 2 * steps[-1]
    print("At 256 tokens a step with the cache is more than twice as fast:", faster)
    figure, axis = plt.subplots(figsize=(6, 3.2))
    axis.plot(lengths, whole, "o-", color=COLOURS["other"], label="no cache")
    axis.plot(lengths, steps, "s-", color=COLOURS["attention"], label="KV cache")
    axis.set(xlabel="tokens in the text", ylabel="time for one new token (ms)")
    axis.set_ylim(0)
    axis.set_title("With a cache a late token costs about as much as an early one")
    axis.legend(frameon=False)
    show(
        figure,
        "Time for one new token against the length of the text. Without a cache it "
        "rises with the length, on some machines in jumps; with a cache it stays low "
        "and nearly level.",
    )

# %% [markdown]
# ## What the cache costs
#
# Speed is paid for with memory. Each token leaves a key and a value of $D$ numbers in
# each of $L$ blocks:
#
# $$\text{numbers} = 2 \cdot L \cdot T \cdot D = 2 \cdot L \cdot T \cdot H \cdot d_k$$
#
# **By hand**, GPT-2 small: $L = 12$, $T = 1024$, $D = 768$. That is
# $2 \cdot 12 \cdot 1024 \cdot 768 = 18{,}874{,}368$ numbers. With 2 bytes each
# (fp16) they take 37.7 MB, for *one* sequence. The weights take 249 MB, once for all
# sequences. With 32 sequences at a time the caches need 1.2 GB, five times the weights.

# %% [markdown]
# ### Sharing keys and values
#
# Queries are used once and dropped; only keys and values fill the memory. So several
# query heads may share one key-value head:
#
# - **MQA** (multi-query attention): all heads share one;
# - **GQA** (grouped-query attention): each group of heads shares one, $H_{kv}$ in all.
#
# $$\text{numbers} = 2 \cdot L \cdot T \cdot H_{kv} \cdot d_k$$
#
# LLaMA-2 70B has 80 blocks and 64 query heads of 128 numbers, but $H_{kv} = 8$. At
# 4096 tokens its cache takes 1.34 GB; with 64 it would take 10.7 GB.
#
# Other ways to save: fewer bits per number, a sliding window that drops old tokens,
# and *paged* memory, handed out in small pages as texts grow.

# %% [markdown]
# ### Exercise 4.4: kv_cache_bytes
#
# Count the bytes of a full cache.
#
# - All arguments are sizes: ints of at least 1. Anything else, such as 0, $-2$ or
#   2.5, raises a ValueError with a message that says what is wrong.
# - result: an int, the bytes of keys and values of all blocks, for `batch` sequences of
#   `context` tokens
# - About 3 minutes · warm-up · 2 points


# %% exercise="kv_cache_bytes" minutes=3
def kv_cache_bytes(n_layers, context, n_kv_heads, d_head, batch=1, bytes_per_number=2):
    """Bytes of a full KV cache, an int. Raises ValueError for a size below 1."""
    ### BEGIN SOLUTION
    sizes = (n_layers, context, n_kv_heads, d_head, batch, bytes_per_number)
    if not all(isinstance(size, int) and size >= 1 for size in sizes):
        raise ValueError(f"each size must be an int of at least 1, not {sizes}")
    return 2 * math.prod(sizes)
    ### END SOLUTION


# %% checks="kv_cache_bytes" points=1
with checking("kv_cache_bytes", "sizes") as check:
    hint = "Each head keeps two rows for a token: which two?"
    check.equal(kv_cache_bytes(1, 1, 1, 1, 1, 1), 2, "one of everything", hint)
    hint = "A number takes bytes_per_number bytes, 2 unless it is given."
    check.equal(kv_cache_bytes(1, 1, 1, 1), 4, "two bytes by default", hint)
    hint = "Every size multiplies the whole: blocks, tokens, heads, width, batch."
    check.equal(kv_cache_bytes(2, 3, 5, 7, 11, 13), 60060, "all sizes different", hint)
    check.equal(kv_cache_bytes(12, 1024, 12, 64), 37748736, "GPT-2 small", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.equal(kv_cache_bytes(80, 4096, 8, 128), 1342177280, "70B", hint)
    got = kv_cache_bytes(80, 4096, 64, 128, batch=3, bytes_per_number=4)
    check.equal(got, 64424509440, "64 heads, three texts", hint)
    huge = kv_cache_bytes(10**4, 10**6 + 3, 10**3, 10**4 + 7, 10**4 + 9)
    hint = "Stay with Python's ints, which do not overflow."
    check.equal(huge, 4 * 10**7 * 1000003 * 10007 * 10009, "a huge cache", hint)
    ### END HIDDEN TESTS

# %% checks="kv_cache_bytes" points=1
with checking("kv_cache_bytes", "sizes that make no sense") as check:
    check.runs(lambda: kv_cache_bytes(1, 2, 3, 4), "good sizes", "These are fine.")
    check.raises(lambda: kv_cache_bytes(0, 1024, 12, 64), "0 blocks")
    check.raises(lambda: kv_cache_bytes(12, -1024, 12, 64), "-1024 tokens")
    check.raises(lambda: kv_cache_bytes(12, 1024, 2.5, 64), "2.5 heads")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for place in range(6):
        for bad in (0, -3, 2.5):
            sizes = [12, 1024, 12, 64, 1, 2]
            sizes[place] = bad
            check.raises(lambda sizes=sizes: kv_cache_bytes(*sizes), "a bad size")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: count rows first</summary>
#
# How many rows does one head of one block keep for one token? Each row has `d_head`
# numbers. All other sizes say how often that happens.
#
# </details>
#
# <details><summary>Hint 2: six sizes, one test</summary>
#
# Put the arguments into a tuple. Then one test can look at all of them.
#
# </details>

# %% [markdown]
# ### Exercise 4.5: token_passes
#
# How many tokens go through the model to write `n_tokens` tokens, starting from an
# empty prompt? As in the first demonstration, a single start token stands before
# the text, and the last token written need not go in.
#
# - `cached`: True or False; result: an int
# - About 2 minutes · warm-up · 1 point


# %% exercise="token_passes" minutes=2
def token_passes(n_tokens, cached):
    """Tokens through the model to write n_tokens after one start token, an int."""
    ### BEGIN SOLUTION
    return n_tokens if cached else n_tokens * (n_tokens + 1) // 2
    ### END SOLUTION


# %% checks="token_passes" points=1
with checking("token_passes", "both loops") as check:
    for n in (1, 2, 3, 100):
        hint = (
            "With a cache each token goes in once; the start token replaces the last."
        )
        check.equal(token_passes(n, cached=True), n, f"{n} with a cache", hint)
    model = mild_model(TinyGPT, seed=1)
    for n in (1, 2, 3, 10):
        before = model.tokens_seen
        generate(model, random_ids(1, 1, 1), n)
        want = model.tokens_seen - before
        hint = "Add up the lengths of all runs: the first has one token."
        check.equal(token_passes(n, cached=False), want, f"{n} without a cache", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.equal(token_passes(2047, False), 2096128, "2047 without", hint)
    check.equal(token_passes(2047, True), 2047, "2047 with", hint)
    check.equal(token_passes(10**6, False), 500000500000, "a million", hint)
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: small cases</summary>
#
# Write 3 tokens with pencil and paper. Without a cache the runs have 1, 2 and 3 tokens.
#
# </details>
#
# <details><summary>Hint 2: a count is an int</summary>
#
# One of two neighbouring numbers is even, so halving their product leaves no
# remainder. Use the division that gives an int.
#
# </details>

# %% [markdown]
# ## Quick checks
#
# **Quick check 1.** A GPT has 24 blocks of width 1024 and 16 heads. How much memory
# does the KV cache of one text of 2048 tokens take in fp16?
#
# - a) about 8.4 MB
# - b) about 101 MB
# - c) about 201 MB
# - d) about 3.2 GB

# %% generated="quick_1_choices" collapsed=true

# %% question="quick_1"
# Choose one letter.
### BEGIN SOLUTION
answer_1 = "c"  # @param ["a", "b", "c", "d"]
### END SOLUTION

# %% checks="quick_1" points=1
with checking("quick_1", "the size of a cache") as check:
    check.answered(answer_1, "abcd")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.choice(
        answer_1,
        "c",
        because={
            "a": "That is one block. Each of the 24 blocks keeps its own keys and "
            "values.",
            "b": "That is only the keys, or one byte per number. Values take as much "
            "again.",
            "c": "2 · 24 · 2048 · 1024 numbers of 2 bytes are 201,326,592 bytes.",
            "d": "That counts the heads twice: 16 heads of 64 numbers are the width "
            "of 1024.",
        },
    )
    ### END HIDDEN TESTS

# %% [markdown]
# **Quick check 2.** A word is added at the end of a text that an encoder such as BERT
# has read. Why can the old keys and values not be used again?
#
# - a) An encoder has no keys and values, only queries.
# - b) Every token reads the new one, so their vectors change from the first block's
#   output on, and keys and values with them.
# - c) The positions of the old tokens move by one.
# - d) They could; it is not done because encoders are small.

# %% generated="quick_2_choices" collapsed=true

# %% question="quick_2"
# Choose one letter.
### BEGIN SOLUTION
answer_2 = "b"  # @param ["a", "b", "c", "d"]
### END SOLUTION

# %% checks="quick_2" points=1
with checking("quick_2", "an encoder") as check:
    check.answered(answer_2, "abcd")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.choice(
        answer_2,
        "b",
        because={
            "a": "Its attention has all three, as in a GPT; only the mask is missing.",
            "b": "Without a causal mask the past depends on the future. In the "
            "experiment only the first block's keys and values survived.",
            "c": "A word at the end moves no earlier position.",
            "d": "The numbers would be wrong, whatever the size of the model.",
        },
    )
    ### END HIDDEN TESTS

# %% [markdown]
# ## Stretch: fewer rows in the cache
#
# Two ways to shrink a cache, written as attention over whole texts. They carry no
# points, but they have checks.
#
# In **grouped-query attention** there are fewer key-value heads than query heads.
# With $H = 6$ and $H_{kv} = 2$ the query heads 0, 1, 2 read pair 0, and 3, 4, 5 read
# pair 1: neighbours share.
#
# With a **sliding window** of $w$ tokens each token reads itself and the $w - 1$ tokens
# before it. Older rows can be dropped from the cache.

# %% [markdown]
# ### Stretch exercise: grouped_attention
#
# - `q`: $(B, H, T, d_k)$; `k` and `v`: $(B, H_{kv}, T, d_k)$, where $H_{kv}$ divides
#   $H$; result like `q`
# - with `causal=False` every token reads every token
# - About 6 minutes · hard · no points


# %% exercise="grouped_attention" minutes=6 stretch=true
def grouped_attention(q, k, v, causal=True):
    """Attention of q (B, H, T, d_k) over shared k, v (B, H_kv, T, d_k) → like q."""
    ### BEGIN SOLUTION
    grouped = q.unflatten(1, (k.shape[1], -1))  # (B, H_kv, H / H_kv, T, d_k)
    scores = grouped @ k.unsqueeze(2).mT / q.shape[-1] ** 0.5
    if causal:
        future = torch.ones_like(scores, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -math.inf)
    return (scores.softmax(-1) @ v.unsqueeze(2)).flatten(1, 2)
    ### END SOLUTION


# %% checks="grouped_attention"
with checking("grouped_attention", "shared keys and values") as check:
    hints = {
        6: "Each query head has a pair of its own: this is plain attention.",
        1: "All query heads read the one pair.",
        2: "Neighbours share: heads 0, 1, 2 read pair 0, heads 3, 4, 5 read pair 1.",
    }
    q = draw(1, 2, 6, 5, 4)
    for n_kv, hint in hints.items():
        k, v = draw(2, 2, n_kv, 5, 4), draw(3, 2, n_kv, 5, 4)
        for causal, mask in ((True, "causal"), (False, "no mask")):
            got = grouped_attention(q, k, v, causal=causal)
            what = f"6 heads on {n_kv}, {mask}"
            check.close(got, head_by_head(q, k, v, causal), what, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    q, k, v = (draw(n, 1, 7, H, 3).transpose(1, 2) for n, H in ((4, 8), (5, 2), (6, 2)))
    for T in (7, 1):
        short = [part[:, :, :T].float() for part in (q, k, v)]
        want = head_by_head(*short, causal=True)
        check.close(grouped_attention(*short), want, "8 heads on 2", hint)
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: an axis for the group</summary>
#
# Give the queries one more axis: pair, then member of the group. Keys and values get
# an axis of size 1 in its place, and torch stretches it in the product.
#
# </details>

# %% [markdown]
# ### Stretch exercise: window_attention
#
# - `q`, `k`, `v`: $(B, H, T, d_k)$; `window`: an int; result like `q`
# - causal; a token reads at most `window` tokens, itself among them
# - `window` below 1: a ValueError with a message that says what is wrong
# - About 4 minutes · medium · no points


# %% exercise="window_attention" minutes=4 stretch=true
def window_attention(q, k, v, window):
    """Causal attention (B, H, T, d_k) in which a token reads `window` tokens.

    Itself among them. Raises ValueError when window is below 1.
    """
    ### BEGIN SOLUTION
    if window < 1:
        raise ValueError(f"a window of {window} tokens leaves nothing to read")
    places = torch.arange(q.shape[2], device=q.device)
    age = places[:, None] - places  # of each key, seen from each query
    scores = q @ k.mT / q.shape[-1] ** 0.5
    scores = scores.masked_fill((age < 0) | (age >= window), -math.inf)
    return scores.softmax(-1) @ v
    ### END SOLUTION


# %% checks="window_attention"
with checking("window_attention", "only the newest keys") as check:
    q, k, v = (draw(seed, 2, 3, 7, 5) for seed in (1, 2, 3))
    hints = {
        9: "A window longer than the text hides only the future.",
        1: "A token that reads itself alone gets its own value.",
        3: "A token reads itself and the two before it.",
    }
    for window, hint in hints.items():
        got, want = window_attention(q, k, v, window), query_by_query(q, k, v, window)
        check.close(got, want, f"window {window}", hint)
    check.raises(lambda: window_attention(q, k, v, 0), "window 0")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    q, k, v = (draw(seed, 1, 1, 7, 6).float() for seed in (4, 5, 6))
    for window in (2, 6, 7):
        got, want = window_attention(q, k, v, window), query_by_query(q, k, v, window)
        check.close(got, want, "other windows", hint)
    check.raises(lambda: window_attention(q, k, v, -2), "window -2")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: two conditions for a window</summary>
#
# Subtract the place of the key from the place of the query. The difference must not be
# negative, and it must stay below something.
#
# </details>

# %% [markdown]
# ## Common mistakes
#
# - **Positions that start at 0 in every call.** No error, and a text that looks fine.
# - **A causal mask lined up at the top left.** A single query then reads only key 0.
#   torch's `is_causal=True` does this when there are more keys than queries.
# - **No mask as soon as there is a cache.** Right for single tokens, wrong for chunks.
# - **One list of caches that two texts share**, such as a mutable default argument.
# - **The old cache handed back**: right for two tokens, then the model forgets.
# - **A KV cache for an encoder.**
# - **A test that compares only greedy text.** It often agrees although logits differ.
#   Compare logits at each step.

# %% [markdown]
# ## Check yourself
#
# Answer aloud, then unfold.
#
# <details><summary>Why are queries not cached?</summary>
#
# A query serves only the output of its own token. Later tokens bring their own.
#
# </details>
#
# <details><summary>Does a cache make the cost of a token constant?</summary>
#
# Nearly. Projections and MLP cost the same for each token, but the query reads all
# cached keys and values, so attention grows with the length.
#
# </details>
#
# <details><summary>Cached and uncached logits differ in the seventh digit. Is there a
# fault?</summary>
#
# In float32 that is rounding: sums run in another order for other shapes. Compare in
# float64 to be sure. In half precision greedy texts may part at a near tie.
#
# </details>

# %% [markdown]
# ### Your predictions
#
# <details><summary>1. The sixth token changes: the answer</summary>
#
# c). With a causal mask the first five tokens never read the sixth, in no block. In an
# encoder b) would be right, as the experiment showed.
#
# </details>
#
# <details><summary>2. A hundred tokens without a cache: the answer</summary>
#
# b). $1 + 2 + \dots + 100 = 100 \cdot 101 / 2 = 5{,}050$, which is what `tokens_seen`
# counted at the start. With a cache it is 100.
#
# </details>

# %% [markdown]
# ## Interview angle
#
# Try each in under a minute, then check yourself against the lesson.
#
# - Prove that a KV cache does not change the output. Where does the proof use the mask?
# - Why is decoding limited by memory bandwidth, and prefill not? What does a larger
#   batch change?
# - Estimate the cache of a model from its configuration. What do MQA and GQA change?
# - What goes wrong when a prompt is prefilled in two chunks with the mask of one?
# - How would you test a cache so that a fault in positions cannot hide?

# %% [markdown]
# ## Recall cards
#
# Say the answer aloud, then turn the card. Turn them again tomorrow and in a week:
# what you have recalled three times stays.

# %% generated="cards" collapsed=true

# %% [markdown]
# ## Reading
#
# - *Attention Is All You Need* (2017), arXiv 1706.03762, section 3.2.3: the mask that
#   makes the cache exact.
# - *Fast Transformer Decoding: One Write-Head is All You Need* (2019), arXiv
#   1911.02150: why decoding waits for memory, and MQA.
# - *GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
#   Checkpoints* (2023), arXiv 2305.13245.
# - *Efficient Memory Management for Large Language Model Serving with PagedAttention*
#   (2023), arXiv 2309.06180.
# - *Transformer Inference Arithmetic*, a blog post by Kipply (2022): costs of prefill
#   and decode by hand.

# %% [markdown]
# ## Your score
#
# Every check of this notebook, and your points so far. Run the cell again after you
# have changed an answer and run its checks.

# %% generated="score" collapsed=true
