# %% [markdown]
# # Lesson 2: counting parameters, FLOPs and days
#
# **From a handful of sizes you work out how many numbers a transformer holds, what
# one token costs and how long a training run takes, and you check each count against
# a real model.**
#
# - Time: about 30 minutes.
# - Points: 20, in six exercises and two quick checks.
# - Know before: the parts of a transformer block (lesson 1), shapes of matrix
#   products.
#
# You need pencil and paper more than torch. Run the cells in order.

# %% given="setup" collapsed=true
# @title Set-up: run this cell first
import json
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from support.checks import Checker
from support.counting import (
    STAND_INS,
    off_by,
    torch_block_parameters,
    torch_decoder_parameters,
    whole,
)
from support.watching import reference

checking = Checker(STAND_INS)
standing_in, demo = checking.standing_in, checking.demo
torch.manual_seed(2)
torch.set_num_threads(1)  # tensors this small are faster on one core

# %% demo="figures" collapsed=true
# @title Set-up of figures, cards and score: run this cell too
from support.advice import Advice  # noqa: E402, F401
from support.cards import Cards  # noqa: E402, F401
from support.figures.budget_bars import BudgetBars  # noqa: E402
from support.plots import COLOURS, show  # noqa: E402
from support.quiz import Choices  # noqa: E402, F401
from support.score import show_score  # noqa: E402, F401

# %% generated="advice" collapsed=true

# %% [markdown]
# ## Predict first
#
# Guess now, compare at the end. Nothing here is graded.
#
# **1.** GPT-2 small reads 1,024 tokens. Which part of a block costs the most
# arithmetic?
#
# - a) Comparing every token with every other.
# - b) The MLP.
# - c) Both about the same.
#
# **2.** You make a model twice as wide: $D$ becomes $2D$. How many times as many
# parameters does a block have?
#
# - a) 2.
# - b) About 4.
# - c) About 8.

# %% demo="predict"
prediction_1 = None  # @param ["a", "b", "c"]
prediction_2 = None  # @param ["a", "b", "c"]

# %% [markdown]
# ## The model we count
#
# A count is worth something when it agrees with the real thing. This is the small
# GPT of this series, in full. Read it once and note each layer that owns numbers:
# `Embedding`, `LayerNorm`, `Linear`.
#
# Sizes have the same names everywhere: `vocab` tokens in the vocabulary, `context`
# positions, `d_model` numbers per token, `n_heads` heads, `n_layers` blocks.

# %% given="tiny_gpt"
from support.tiny_gpt import Block, TinyGPT  # noqa: E402

# %% [markdown]
# ### A model that weighs nothing
#
# A tensor on the device `"meta"` has a shape but no numbers. So you can build GPT-2
# XL, which needs 6 GB otherwise, in a moment, and ask for its shapes. `count` adds up
# the numbers in all parameters. A matrix that two layers share is one parameter, and
# `parameters()` lists it once.


# %% given="count"
@cache  # the same sizes, the same model
def real_gpt(vocab, context, d_model, n_layers, tied=True, n_heads=1):
    """A TinyGPT with shapes but no numbers: any size costs nothing."""
    with torch.device("meta"):
        return TinyGPT(vocab, context, d_model, n_heads, n_layers, tied)


def count(model):
    """Numbers in the parameters of `model`; a shared parameter counts once."""
    return sum(weight.numel() for weight in model.parameters())


# %% [markdown]
# ### What counts as a size
#
# In this lesson a size is a whole number of at least 1. Every function that you write
# for an exercise refuses others with a `ValueError`: 0, a negative number, 2.5. This
# helper does it; call it with names, so that the message can tell which size is
# wrong: `require_sizes(rows=3, columns=0)`.


# %% given="require_sizes"
def require_sizes(**sizes):
    """Raise ValueError unless every size is an int of at least 1."""
    for name, size in sizes.items():
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"{name} is {size!r}, not a whole number of at least 1")


# %% [markdown]
# ## What a block holds
#
# Three kinds of layer own numbers:
#
# - a **linear map** from $n$ to $m$ numbers: a matrix with $nm$ numbers, and a bias
#   with $m$;
# - a **LayerNorm** of width $D$: a scale and a shift, $2D$ numbers;
# - an **embedding**: a table with one row of $D$ numbers for each entry.
#
# Softmax, GELU, masks and sums own nothing.
#
# A block has two LayerNorms, four maps from $D$ to $D$ for attention ($Q$, $K$, $V$
# and the output), and two for the MLP: from $D$ to $d_{\text{ff}}$ and back. Most
# models take $d_{\text{ff}} = 4D$.

# %% [markdown]
# ### A block of width 2, by hand
#
# Let $D = 2$ and $d_{\text{ff}} = 8$.
#
# - Attention: four matrices of $2 \times 2$ and four biases of 2 numbers.
#   $4\cdot4 + 4\cdot2 = 24$.
# - MLP: $2\cdot8 + 8$ on the way up, $8\cdot2 + 2$ on the way down. Together 42.
# - Two norms of $2 + 2$ numbers: 8.
#
# In all $24 + 42 + 8 = 74$. The number of heads appears nowhere: heads cut the $D$
# columns of $Q$, $K$ and $V$ into slices, and slices of a matrix hold what the matrix
# holds.

# %% demo="block_by_hand"
block = Block(d_model=2, n_heads=1)
for name, weight in block.named_parameters():
    print(f"{name:<13} {tuple(weight.shape)!s:<8} {weight.numel():>3}")
print("in all", count(block), "· with two heads", count(Block(2, n_heads=2)))

# %% [markdown]
# ### Exercise 2.1: block_parameters
#
# Count one block: attention, MLP and two LayerNorms.
#
# - `d_ff=None` stands for $4D$.
# - `bias=False` takes away what torch takes away: the biases of all linear maps
#   *and* the shifts of the norms. The scales stay.
# - Result: an int. A size that is not an int of at least 1: `ValueError` with a
#   message; `d_ff` too, unless it is None.
# - Here and in 2.3 you may also `count` a real model. A formula needs no torch.
# - Later cells use `count` and `require_sizes`: give your own helpers other names.
# - About 5 minutes · warm-up · 3 points


# %% exercise="block_parameters" minutes=5
def block_parameters(d_model, d_ff=None, bias=True):
    """Numbers in one block: attention, MLP, two LayerNorms.

    d_model, d_ff: sizes; d_ff=None means 4 · d_model. bias=False: no biases, no shifts.
    Returns an int. Raises ValueError for a size that is not an int of at least 1.
    """
    ### BEGIN SOLUTION
    if d_ff is None:
        d_ff = 4 * d_model
    require_sizes(d_model=d_model, d_ff=d_ff)
    attention = 4 * d_model * d_model
    mlp = 2 * d_model * d_ff
    scales = 2 * d_model
    if not bias:
        return attention + mlp + scales
    biases = 4 * d_model + d_ff + d_model
    shifts = 2 * d_model
    return attention + mlp + scales + biases + shifts
    ### END SOLUTION


# %% checks="block_parameters" points=1
with checking("block_parameters", "an MLP four times as wide as D") as check:
    for D in (47, 768, 2):
        got, want = block_parameters(D), torch_block_parameters(D)
        hint = "D² is a matrix, D a bias, a scale or a shift, 2·D a whole norm."
        hint = off_by(got, want, {"D²": D * D, "D": D}, hint)
        check.equal(got, want, f"D = {D}", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for D in (1, 3, 333, 12288):
        want = torch_block_parameters(D)
        check.equal(block_parameters(D), want, "other widths", "Try D = 1 by hand.")
    ### END HIDDEN TESTS

# %% checks="block_parameters" points=1
with checking("block_parameters", "another MLP, and no biases") as check:
    D = 47
    step = whole(block_parameters(D, d_ff=60) - block_parameters(D, d_ff=59))
    hint = "One more hidden number: one more column, one more row, one more bias."
    hint = off_by(step, 2 * D + 1, {"D": D, "1": 1}, hint)
    check.equal(step, 2 * D + 1, "an MLP one number wider", hint)
    for d_ff in (None, 59):
        got = whole(block_parameters(D, d_ff, bias=False))
        want = torch_block_parameters(D, d_ff, bias=False)
        hint = "Without biases torch's norms keep the scale and drop the shift."
        hint = off_by(got, want, {"D²": D * D, "D": D}, hint)
        check.equal(got, want, f"no biases, d_ff = {d_ff}", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for D, d_ff in ((1, 1), (5, 2), (64, 257)):
        got = whole(block_parameters(D, d_ff, False))
        want = torch_block_parameters(D, d_ff, False)
        check.equal(got, want, "other sizes", "Does every term use d_ff or D?")
        got = whole(block_parameters(D, d_ff) - block_parameters(D, d_ff + 3))
        check.equal(got, -6 * D - 3, "other sizes", "Does every term use d_ff or D?")
    ### END HIDDEN TESTS

# %% checks="block_parameters" points=1
with checking("block_parameters", "bad sizes") as check:
    check.true(block_parameters(1, 1) > 0, "sizes of 1", "1 is a size.")
    for bad in (0, -3, 2.5):
        check.raises(lambda bad=bad: block_parameters(bad), f"D = {bad}")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for bad in (0, -1, 2.5):
        check.raises(lambda bad=bad: block_parameters(8, bad), "d_ff")
        check.raises(lambda bad=bad: block_parameters(bad, 8, bias=False), "D")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: a list first</summary>
#
# Write down the twelve parameters of the table above with letters in place of
# numbers. Sort them into matrices, biases, scales and shifts.
#
# </details>
#
# <details><summary>Hint 2: the switch</summary>
#
# `bias=False` removes two of those four groups as a whole.
#
# </details>
#
# <details><summary>Hint 3: d_ff = 0</summary>
#
# `d_ff or …` treats 0 like None, and 0 has to be refused. Ask for None.
#
# </details>

# %% [markdown]
# ### Your formula
#
# With $d_{\text{ff}} = 4D$ the sum is
#
# $$\underbrace{4D^2 + 4D}_{\text{attention}} + \underbrace{8D^2 + 5D}_{\text{MLP}}
# + \underbrace{4D}_{\text{norms}} = 12D^2 + 13D$$
#
# whatever the number of heads. The MLP has twice the weights of attention. For a
# quick estimate keep $12D^2$: at $D = 768$ the rest is 0.1 %.

# %% demo="block_formula"
with demo("block_parameters"):
    D = 768
    print("your count at D = 768:", f"{block_parameters(D):,}")
    print("equal to 12·D² + 13·D:", block_parameters(D) == 12 * D**2 + 13 * D)
    print("equal to a real block:", block_parameters(D) == count(Block(D, 12)))

# %% [markdown]
# ## A decoder block with cross-attention
#
# A model that translates has a second attention in each decoder block. Its queries
# come from the decoder, its keys and values from the encoder: **cross-attention**. It
# has four maps of its own, from $D$ to $D$ with biases, and one more LayerNorm stands
# before or after it.
#
# By hand for $D = 2$: the block above has 74 numbers. Cross-attention adds
# $4\cdot4 + 4\cdot2 = 24$ and the norm 4. That makes 102.

# %% [markdown]
# ### Exercise 2.2: decoder_block_parameters
#
# Count a decoder block: two attentions, one MLP of width $4D$, three LayerNorms, all
# with biases.
#
# - Result: an int. A size that is not an int of at least 1: `ValueError` with a
#   message.
# - You may call `block_parameters`; the checks put torch's own count in its place.
# - About 2 minutes · warm-up · 1 point


# %% exercise="decoder_block_parameters" minutes=2
def decoder_block_parameters(d_model):
    """Numbers in a decoder block with cross-attention and an MLP of 4 · d_model.

    Returns an int. Raises ValueError for a size that is not an int of at least 1.
    """
    ### BEGIN SOLUTION
    require_sizes(d_model=d_model)
    cross_attention = 4 * (d_model * d_model + d_model)
    norm = 2 * d_model
    return block_parameters(d_model) + cross_attention + norm
    ### END SOLUTION


# %% checks="decoder_block_parameters" points=1
with (
    checking("decoder_block_parameters", "against torch's own") as check,
    standing_in("block_parameters"),
):
    for D in (47, 512, 2):
        got, want = decoder_block_parameters(D), torch_decoder_parameters(D)
        hint = "Beyond a block it has four maps with biases, and a norm."
        hint = off_by(got, want, {"D²": D * D, "D": D}, hint)
        check.equal(got, want, f"D = {D}", hint)
    check.raises(lambda: decoder_block_parameters(0), "D = 0")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for D in (1, 3, 1024):
        got, want = decoder_block_parameters(D), torch_decoder_parameters(D)
        check.equal(got, want, "other widths", "Try D = 1 by hand.")
    for bad in (-3, 2.5):
        check.raises(lambda bad=bad: decoder_block_parameters(bad), "a size")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: the difference</summary>
#
# Start from an ordinary block. Cross-attention holds as much as self-attention does.
#
# </details>
#
# <details><summary>Hint 2: which norm?</summary>
#
# Each of the three parts has a norm with a scale and a shift.
#
# </details>

# %% [markdown]
# **In one line:** $12D^2 + 13D$ for a block, $16D^2 + 19D$ with cross-attention.
#
# Here are models with published sizes to try that on. The transformer of 2017 has 6
# encoder blocks, 6 decoder blocks and one table for both languages and the output.
# Its positions are computed, so they own nothing. "About 37,000" tokens is all that
# the paper says of the vocabulary, so expect agreement within about 4 %.

# %% given="models"
MODELS = json.loads(Path("data/models.json").read_text())

# %% demo="transformer_2017"
with demo("block_parameters", "decoder_block_parameters"):
    for model in MODELS:
        if model["kind"] == "encoder-decoder":
            D, L = model["d_model"], model["n_layers"]
            blocks = L * (block_parameters(D) + decoder_block_parameters(D))
            total = blocks + model["vocab"] * D
            print(f"{model['name']}: {total / 1e6:.0f}M, published", model["published"])
    print("16·D² + 19·D:", decoder_block_parameters(9) == 16 * 9**2 + 19 * 9)

# %% [markdown]
# ## What a whole GPT holds
#
# Around its $L$ blocks a GPT has
#
# - a **token table** $E$: one row of $D$ numbers for each of the $|V|$ tokens;
# - a **position table**: one row for each of the $T_{\max}$ places of the context;
# - a **final LayerNorm**;
# - the **unembedding** $W_U$, which turns $D$ numbers into $|V|$ scores. It has no
#   bias.
#
# $W_U$ has the shape of $E^\top$. GPT-2 uses one matrix for both: $W_U = E^\top$. The
# weights are then **tied**, and $|V| \cdot D$ numbers are saved. LLaMA keeps two
# matrices.

# %% [markdown]
# ### A GPT by hand
#
# Take $|V| = 5$, $T_{\max} = 4$, $D = 2$ and one block.
#
# - token table: $5 \cdot 2 = 10$
# - position table: $4 \cdot 2 = 8$
# - one block of width 2: 74
# - final norm: 4
#
# Tied that makes 96. Untied, the unembedding adds $2 \cdot 5 = 10$: 106.

# %% demo="gpt_by_hand"
tied, untied = real_gpt(5, 4, 2, 1), real_gpt(5, 4, 2, 1, tied=False)
print("tied:", count(tied), "· untied:", count(untied))
entries = sum(weight.numel() for weight in tied.state_dict().values())
print("entries of state_dict:", entries, "(a shared matrix stands there twice)")

# %% [markdown]
# ### Exercise 2.3: gpt_parameters
#
# Count a GPT: tables, blocks with biases and $d_{\text{ff}} = 4D$, final norm, and the
# unembedding when it is not tied.
#
# - Result: an int. A size that is not an int of at least 1: `ValueError` with a
#   message.
# - The checks put torch's own count in the place of your `block_parameters`.
# - About 6 minutes · medium · 5 points
#
# Each check isolates one part: it asks what *one more* block, position or token adds
# to your count.


# %% exercise="gpt_parameters" minutes=6
def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
    """Numbers in a GPT whose blocks have biases and an MLP of 4 · d_model.

    tied: the unembedding is the token table. Returns an int.
    Raises ValueError for a size that is not an int of at least 1.
    """
    ### BEGIN SOLUTION
    require_sizes(vocab=vocab, context=context, d_model=d_model, n_layers=n_layers)
    tables = (vocab + context) * d_model
    blocks = n_layers * block_parameters(d_model)
    final_norm = 2 * d_model
    unembedding = 0 if tied else d_model * vocab
    return tables + blocks + final_norm + unembedding
    ### END SOLUTION


# %% checks="gpt_parameters" points=1
with (
    checking("gpt_parameters", "one more block") as check,
    standing_in("block_parameters"),
):
    for D in (47, 768):
        got = gpt_parameters(101, 31, D, 3) - gpt_parameters(101, 31, D, 2)
        want = torch_block_parameters(D)
        hint = "A block has two norms with 2·D each, maps with biases, and no table."
        hint = off_by(whole(got), want, {"D²": D * D, "D": D}, hint)
        check.equal(whole(got), want, f"what a block adds, D = {D}", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for tied in (True, False):
        got = gpt_parameters(7, 5, 6, 40, tied) - gpt_parameters(7, 5, 6, 1, tied)
        want = 39 * torch_block_parameters(6)
        check.equal(
            whole(got), want, "39 blocks more", "All blocks have the same size."
        )
    ### END HIDDEN TESTS

# %% checks="gpt_parameters" points=1
with (
    checking("gpt_parameters", "one more position") as check,
    standing_in("block_parameters"),
):
    for D, tied in ((47, True), (768, False)):
        got = gpt_parameters(101, 32, D, 2, tied) - gpt_parameters(101, 31, D, 2, tied)
        hint = "GPT-2 learns its positions: a table with a row for each."
        hint = off_by(whole(got), D, {"D": D}, hint)
        check.equal(whole(got), D, f"D = {D}, tied = {tied}", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for tied in (True, False):
        got = gpt_parameters(7, 90, 6, 1, tied) - gpt_parameters(7, 1, 6, 1, tied)
        check.equal(whole(got), 89 * 6, "89 positions more", "A row for each position.")
    ### END HIDDEN TESTS

# %% checks="gpt_parameters" points=1
with (
    checking("gpt_parameters", "one more token") as check,
    standing_in("block_parameters"),
):
    for D in (47, 768):
        one = "Tied, table and unembedding are one matrix, stored once, without a bias."
        two = "Untied, a token has a row in one matrix, a column in another, no bias."
        for tied, want, hint in ((True, D, one), (False, 2 * D, two)):
            got = gpt_parameters(102, 31, D, 2, tied)
            got = got - gpt_parameters(101, 31, D, 2, tied)
            hint = off_by(whole(got), want, {"D": D, "1": 1}, hint)
            check.equal(whole(got), want, f"D = {D}, tied = {tied}", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    saved = gpt_parameters(77, 5, 6, 3, tied=False) - gpt_parameters(77, 5, 6, 3)
    check.equal(whole(saved), 77 * 6, "what tying saves", "Tying saves one matrix.")
    ### END HIDDEN TESTS

# %% checks="gpt_parameters" points=1
with (
    checking("gpt_parameters", "what belongs to no block, position or token") as check,
    standing_in("block_parameters"),
):
    for D in (47, 768):
        total = gpt_parameters(101, 31, D, 2)
        token = gpt_parameters(102, 31, D, 2) - total
        position = gpt_parameters(101, 32, D, 2) - total
        layer = gpt_parameters(101, 31, D, 3) - total
        rest = total - 101 * token - 31 * position - 2 * layer  # by your own counts
        want = count(nn.LayerNorm(D))
        hint = "Which layer stands between the last block and the unembedding?"
        hint = off_by(whole(rest), want, {"D": D}, hint)
        check.equal(whole(rest), want, f"the rest, D = {D}", hint)

# %% checks="gpt_parameters" points=1
with (
    checking("gpt_parameters", "real models, and bad sizes") as check,
    standing_in("block_parameters"),
):
    for model in MODELS:
        if model["kind"] == "gpt":
            sizes = [model[key] for key in ("vocab", "context", "d_model", "n_layers")]
            want = count(real_gpt(*sizes))
            hint = "Which of the parts above is still off?"
            check.equal(gpt_parameters(*sizes), want, model["name"], hint)
    want = count(real_gpt(32000, 1024, 512, 8, tied=False))
    got = gpt_parameters(32000, 1024, 512, 8, tied=False)
    check.equal(got, want, "D = 512, untied", "What does tied=False add?")
    check.raises(lambda: gpt_parameters(101, 31, 47, 0), "no blocks")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for sizes in ((1, 1, 1, 1), (11, 5, 3, 2), (3, 40, 7, 1)):
        for tied in (True, False):
            got, want = gpt_parameters(*sizes, tied), count(real_gpt(*sizes, tied))
            check.equal(got, want, "other sizes", "Start with all sizes 1.")
        for place in range(4):
            bad = [*sizes[:place], (0, -2, 2.5)[place % 3], *sizes[place + 1 :]]
            check.raises(lambda bad=bad: gpt_parameters(*bad), "a size")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: the plan</summary>
#
# Four terms and one that depends on `tied`. Give each a name and add them up.
#
# </details>
#
# <details><summary>Hint 2: tied</summary>
#
# Count numbers that exist. Tied, the token table serves two purposes and exists once.
# Nothing has to be taken away again.
#
# </details>
#
# <details><summary>Hint 3: still a little short?</summary>
#
# A gap of $2D$ is one LayerNorm. Look for the one that belongs to no block.
#
# </details>

# %% [markdown]
# ### The sizes of GPT-2
#
# Your function on the published sizes. OpenAI named its four GPT-2 models after
# counts like these. (The paper's own table has other numbers; the release says that
# those were wrong.) The last row with a published size is GPT-3; its paper rounds to
# 175.0B.

# %% demo="gpt_sizes"
with demo("gpt_parameters"):
    for model in MODELS:
        if model["kind"] == "gpt":
            sizes = [model[key] for key in ("vocab", "context", "d_model", "n_layers")]
            total = gpt_parameters(*sizes)
            print(f"{model['name']:<13}{total:>16,}  published {model['published']}")
    for tied in (True, False):
        total = gpt_parameters(32000, 1024, 512, 8, tied)
        print(f"D = 512, L = 8, tied = {tied}: {total:,}")

# %% [markdown]
# ### Where the numbers sit
#
# A name tells the part to which a parameter belongs. That is enough to sort a real
# model.


# %% given="by_part"
PARTS = {
    "embedding": "embedding",
    "qkv": "attention",
    "out.": "attention",
    "mlp": "mlp",
    "norm": "norm",
}


def parameters_by_part(model):
    """Numbers in each part of a TinyGPT: {"embedding": …, "attention": …, …}."""
    parts = dict.fromkeys(PARTS.values(), 0)
    for name, weight in model.named_parameters():
        key = next(key for key in PARTS if key in name)
        parts[PARTS[key]] += weight.numel()
    return parts


# %% demo="inside_gpt_2"
small = real_gpt(50257, 1024, 768, 12)
for part, numbers in parameters_by_part(small).items():
    print(f"{part:<10}{numbers:>13,}  {numbers / count(small):4.0%}")
table = small.token_embedding.weight.numel()
print(f"the token table alone: {table:,}")
print(f"positions: {small.position_embedding.weight.numel():,}")
print(f"12 blocks: {count(small.blocks):,} · final norm: {count(small.final_norm):,}")
other = real_gpt(32000, 1024, 512, 8)
share = parameters_by_part(other)["embedding"] / count(other)
print(f"|V| = 32,000, D = 512, L = 8: embeddings are {share:.0%}")

# %% [markdown]
# **In one line:** parameters are $12LD^2$ and the tables. In a small model the tables
# weigh much, so tying saves much; in a large one the blocks are nearly everything.

# %% [markdown]
# ## FLOPs: what a product costs
#
# A **FLOP** is one addition or one multiplication of two numbers. Our convention: a
# multiply-add counts **2**.
#
# One number of $Y = XW$ is a dot product of $n$ terms: $n$ multiplications, $n$
# additions. With $X$ of shape $(B, n)$ (here $B$ counts rows: all tokens of a batch)
# and $W$ of shape $(n, m)$ there are $Bm$ such numbers:
#
# $$\text{forward} = 2Bnm$$
#
# That is 2 FLOPs for each weight and each row. Softmax, norms, biases and GELU cost
# little beside the products: we leave them out, as torch's counter does.

# %% [markdown]
# ### Backward costs twice as much
#
# Let $G$ be the gradient of the loss for $Y$, of shape $(B, m)$. The backward pass
# needs two products:
#
# $$\frac{\partial\,\text{loss}}{\partial X} = G\,W^\top \qquad
# \frac{\partial\,\text{loss}}{\partial W} = X^\top G$$
#
# Both have the same three sizes $B$, $n$, $m$, so each costs $2Bnm$ again.
#
# By hand: $B = 5$, $n = 7$, $m = 3$ gives 210 forward, 420 backward, 630 for a
# training step: $6Bnm$. `measure` asks torch, which counts the products that really
# run.


# %% given="measure"
@reference
def measure(model, x, train=False):
    """FLOPs that torch counts in model(x), by module; with train also backward."""
    with FlopCounterMode(display=False) as counter:
        y = model(x)
        if train:
            y.sum().backward()
    return counter.get_flop_counts()


def total_flops(model, x, train=False):
    """The sum of `measure` over all operations."""
    return sum(measure(model, x, train)["Global"].values())


def token_ids(context):
    """Token ids (1, context) without numbers, for a model without numbers."""
    return torch.zeros(1, context, dtype=torch.long, device="meta")


# %% demo="product_by_hand"
x = torch.ones(5, 7, requires_grad=True)
linear = nn.Linear(7, 3)
forward, step = total_flops(linear, x), total_flops(linear, x, train=True)
print("forward", forward, "· backward", step - forward, "· training step", step)

# %% [markdown]
# ### What one token costs in a GPT
#
# Two things happen to a token:
#
# 1. It is multiplied by **weights**: 2 FLOPs for each weight of a matrix product. Ask
#    of each part of the model whether it is a product. A look-up in a table is none:
#    it copies a row. A tied unembedding is stored once, yet its product is computed.
# 2. In each layer its query meets $T$ **keys**: $T$ dot products of length $D$ over
#    all heads. Then $T$ values of length $D$ are weighted and summed.
#
# We count all $T$ keys. An implementation that skips the masked half does about half
# of step 2.

# %% [markdown]
# ### One layer by hand
#
# Let $D = 2$ and $T = 3$. The six matrices of a block hold $4\cdot4 + 2\cdot16 = 48$
# weights, so one token costs 96 FLOPs there.
#
# Its query against 3 keys: $3 \cdot 2$ multiply-adds, 12 FLOPs. The weighted sum of 3
# values: again 12.
#
# With a vocabulary of 5 the unembedding adds $2 \cdot 2 \cdot 5 = 20$. One token costs
# $96 + 24 + 20 = 140$ FLOPs forward, and $3 \cdot 140 = 420$ in training.

# %% demo="flops_by_hand"
tiny = real_gpt(vocab=5, context=3, d_model=2, n_layers=1)
print("forward, 3 tokens:", total_flops(tiny, token_ids(3)), "= 3 ·", 140)
print("training, 3 tokens:", total_flops(tiny, token_ids(3), train=True), "= 3 ·", 420)

# %% [markdown]
# ### Exercise 2.4: forward_flops_per_token
#
# Write two functions in one cell.
#
# - `forward_flops_per_token`: average FLOPs for one token when a model reads a full
#   context. All `context` keys count, no halving for the mask. $d_{\text{ff}} = 4D$.
# - `training_flops`: FLOPs to train on `n_tokens` tokens, forward and backward.
# - `measure`, and `total_flops` with it, are there to check your count. An answer that
#   calls them, here or in 2.5, is refused.
# - Results: ints. A size that is not an int of at least 1: `ValueError` with a
#   message.
# - About 8 minutes · the hard one · 5 points
#
# The checks take your count apart: weights of a block, attention matrix, unembedding.


# %% exercise="forward_flops_per_token" minutes=8
def forward_flops_per_token(vocab, d_model, n_layers, context):
    """FLOPs of a GPT's forward pass for one token of a full context, as an int.

    A multiply-add is 2 FLOPs; products only; every query meets all `context` keys.
    Raises ValueError for a size that is not an int of at least 1.
    """
    ### BEGIN SOLUTION
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers, context=context)
    weights = 12 * n_layers * d_model**2 + d_model * vocab
    scores = 2 * n_layers * context * d_model
    weighted_sums = 2 * n_layers * context * d_model
    return 2 * weights + scores + weighted_sums
    ### END SOLUTION


def training_flops(vocab, d_model, n_layers, context, n_tokens):
    """FLOPs to train a GPT on n_tokens tokens, forward and backward, as an int.

    Raises ValueError for a size that is not an int of at least 1.
    """
    ### BEGIN SOLUTION
    require_sizes(n_tokens=n_tokens)
    forward = forward_flops_per_token(vocab, d_model, n_layers, context)
    return 3 * forward * n_tokens
    ### END SOLUTION


# %% [markdown]
# ### How these checks work
#
# `real_flops` builds a model and has torch count. The same probe is then put to your
# function and to the real count. A probe is a difference: two layers minus one layer
# is what a layer costs, and so on.


# %% given="real_flops"
@cache
def real_flops(vocab, d_model, n_layers, context, train=False):
    """FLOPs per token of a real model, as torch counts them; with train of a step."""
    model = real_gpt(vocab, context, d_model, n_layers)
    return total_flops(model, token_ids(context), train) // context


# %% checks="forward_flops_per_token" points=1
with (
    checking("forward_flops_per_token", "the weights of a block") as check,
    standing_in("block_parameters", "gpt_parameters"),
):
    for D in (47, 96):

        def probe(flops, D=D):
            layer = [flops(11, D, 2, T) - flops(11, D, 1, T) for T in (1, 2)]
            return 2 * layer[0] - layer[1]  # what is left when T goes to 0

        got, want = probe(forward_flops_per_token), probe(real_flops)
        hint = "Forward only; a multiply-add is 2; biases and norms are in no product."
        hint = off_by(whole(got), want, {"D²": D * D, "D": D}, hint)
        check.equal(
            whole(got), want, f"a block without its attention matrix, D = {D}", hint
        )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for D in (1, 8, 50):
        got, want = probe(forward_flops_per_token, D), probe(real_flops, D)
        check.equal(whole(got), want, "other widths", "Try D = 1 by hand.")
    ### END HIDDEN TESTS

# %% checks="forward_flops_per_token" points=1
with (
    checking("forward_flops_per_token", "the attention matrix") as check,
    standing_in("block_parameters", "gpt_parameters"),
):
    for D, L, T in ((47, 1, 1), (47, 3, 1), (8, 2, 300)):

        def probe(flops, D=D, L=L, T=T):
            return flops(11, D, L, T + 1) - flops(11, D, L, T)

        got, want = probe(forward_flops_per_token), probe(real_flops)
        hint = "In each layer a key is compared, a value summed. Positions: a look-up."
        hint = off_by(whole(got), want, {"L·D": L * D, "D": D}, hint)
        check.equal(whole(got), want, f"one more key, D = {D}, L = {L}, T = {T}", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for sizes in ((1, 1, 1), (12, 5, 40), (768, 12, 1023)):
        got, want = probe(forward_flops_per_token, *sizes), probe(real_flops, *sizes)
        check.equal(whole(got), want, "other sizes", "Every layer has its own matrix.")
    ### END HIDDEN TESTS

# %% checks="forward_flops_per_token" points=1
with (
    checking("forward_flops_per_token", "embedding and unembedding") as check,
    standing_in("block_parameters", "gpt_parameters"),
):
    for D, L in ((47, 2), (96, 1)):

        def probe(flops, V=11, D=D, L=L):
            return flops(V + 1, D, L, 5) - flops(V, D, L, 5)

        got, want = probe(forward_flops_per_token), probe(real_flops)
        hint = "A look-up is no product; the unembedding is one, tied or not, once."
        hint = off_by(whole(got), want, {"D": D}, hint)
        check.equal(
            whole(got), want, f"one more token in the vocabulary, D = {D}", hint
        )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for sizes in ((1, 1, 1), (50256, 768, 12)):
        got, want = probe(forward_flops_per_token, *sizes), probe(real_flops, *sizes)
        check.equal(whole(got), want, "other sizes", "It depends on D alone.")
    ### END HIDDEN TESTS

# %% checks="forward_flops_per_token" points=1
with (
    checking("forward_flops_per_token", "whole models, and bad sizes") as check,
    standing_in("block_parameters", "gpt_parameters"),
):
    for name, *sizes in (
        ("GPT-2 small", 50257, 768, 12, 1024),
        ("by hand", 5, 2, 1, 3),
    ):
        got, want = forward_flops_per_token(*sizes), real_flops(*sizes)
        hint = "If the probes above pass, something is added that is in no product."
        units = {"D": sizes[1], "L·D": sizes[1] * sizes[2]}
        hint = off_by(got, want, units, hint)
        check.equal(got, want, name, hint)
    check.raises(lambda: forward_flops_per_token(11, 8, 2, 0), "no context")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for sizes in ((1, 1, 1, 1), (11, 8, 3, 5), (3, 6, 2, 70)):
        got, want = forward_flops_per_token(*sizes), real_flops(*sizes)
        check.equal(got, want, "other sizes", "Start with all sizes 1.")
        for place in range(4):
            bad = [*sizes[:place], (0, -2, 2.5)[place % 3], *sizes[place + 1 :]]
            check.raises(lambda bad=bad: forward_flops_per_token(*bad), "a size")
    ### END HIDDEN TESTS

# %% checks="forward_flops_per_token" points=1
with (
    checking("forward_flops_per_token", "training", "training_flops") as check,
    standing_in("block_parameters", "gpt_parameters"),
):
    sizes = (11, 8, 3, 5)
    own = whole(3 * forward_flops_per_token(*sizes))
    step = whole(training_flops(*sizes, 1))
    real = real_flops(*sizes, train=True)
    hint = "Each product, the attention matrix too, has two more in the backward pass."
    hint = off_by(step, own, {}, hint)
    problem = f"Training on one token is {step}, your forward pass {own // 3}."
    check.true(step in (own, real), "one token", problem, hint)
    hint = "Tokens cost alike: each adds the same."
    many = whole(training_flops(*sizes, 1000))
    check.equal(many, 1000 * step, "1,000 tokens", hint)
    check.raises(lambda: training_flops(*sizes, 0), "no tokens")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    sizes, tokens = (50257, 768, 12, 1024), 10**10 + 1
    own, real = forward_flops_per_token(*sizes), real_flops(*sizes)
    got, wants = training_flops(*sizes, tokens), (3 * tokens * own, 3 * tokens * real)
    exact = isinstance(own, float) or (got in wants and not isinstance(got, float))
    check.true(exact, "a run", "A long run is off.", "Stay with ints all the way.")
    for bad in (-2, 2.5):
        check.raises(lambda bad=bad: training_flops(*sizes, bad), "tokens")
        check.raises(lambda bad=bad: training_flops(11, bad, 3, 5, 7), "a size")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: which parameters are in a product?</summary>
#
# Six matrices in each block, and the unembedding, tied or not. No bias, no norm, no
# table of positions, no look-up of tokens.
#
# </details>
#
# <details><summary>Hint 2: the attention matrix</summary>
#
# Each layer does two products with $T$ rows of length $D$ for one token. Heads change
# nothing: $H$ dot products of length $D/H$ cost what one of length $D$ costs.
#
# </details>
#
# <details><summary>Hint 3: training</summary>
#
# Backward costs twice what forward costs. Add both, then think of all tokens.
#
# </details>

# %% [markdown]
# ### Where each term is
#
# Write $N = 12LD^2 + D|V|$ for the weights that a token is multiplied by. Then
#
# $$\text{forward} = 2N + 4LTD \qquad \text{training} = 6N + 12LTD$$
#
# for one token. The table below counts a real model module by module, with 2 layers,
# $D = 48$, $T = 64$ and $|V| = 97$, and sets the term of the formula beside it.


# %% given="flops_by_part"
def flops_by_part(model, context):
    """FLOPs per token of each part of a TinyGPT that reads `context` tokens."""
    counts = measure(model, token_ids(context))
    parts = dict.fromkeys(("qkv", "out", "mlp.0", "mlp.2", "unembedding"), 0)
    for name, operations in counts.items():
        key = next((part for part in parts if name.endswith("." + part)), None)
        if key:
            parts[key] += sum(operations.values())
    rest = sum(counts["Global"].values()) - sum(parts.values())
    parts["attention matrix"] = rest  # scores and weighted sums: no module of its own
    return {part: flops // context for part, flops in parts.items()}


# %% demo="terms"
V, D, L, T = 97, 48, 2, 64
formula = {"qkv": ("2L·3D²", 6 * L * D**2), "out": ("2L·D²", 2 * L * D**2)}
formula |= dict.fromkeys(("mlp.0", "mlp.2"), ("2L·4D²", 8 * L * D**2))
formula |= {"unembedding": ("2D|V|", 2 * V * D)}
formula |= {"attention matrix": ("4LTD", 4 * T * D * L)}
print(f"{'part':<17}{'counted':>8}{'formula':>9}")
for part, flops in flops_by_part(real_gpt(V, T, D, L), T).items():
    term, value = formula[part]
    print(f"{part:<17}{flops:>8,}{term:>9}{' ✓' if flops == value else ' ✗'}")

# %% [markdown]
# ### GPT-2 small in numbers
#
# At its full context of 1,024 tokens one token costs about 285 million FLOPs forward.
# The attention matrix is 13 % of that, and 18 % of what the *blocks* cost. The rest
# is weights.

# %% demo="gpt_2_flops"
parts = flops_by_part(real_gpt(50257, 1024, 768, 12), 1024)
matrix, total = parts["attention matrix"], sum(parts.values())
blocks = total - parts["unembedding"]
print(f"counted: {total - matrix:,} + {matrix:,} = {total:,}")
print(f"N = {(total - matrix) // 2:,}")
print(f"attention matrix: {matrix / total:.0%} of all, {matrix / blocks:.0%} of blocks")
with demo("forward_flops_per_token", "training_flops"):
    print(f"your forward:  {forward_flops_per_token(50257, 768, 12, 1024):,}")
    print(f"your training: {training_flops(50257, 768, 12, 1024, 1):,} per token")
    run = training_flops(50257, 768, 12, 1024, 10**10)
    print(f"10 billion tokens: {run:.1e} FLOPs")

# %% [markdown]
# ### A counter counts what it knows
#
# Say which convention a number follows. Three common ones differ by factors: is a
# multiply-add 1 or 2? Forward or training? All $T$ keys, or half?
#
# Tools differ too. torch's `FlopCounterMode` has a formula for each operation that it
# knows. In some releases it knows none for the fused attention that runs on a CPU, and
# reports 0. That is why our model uses plain products.

# %% demo="fused_attention" volatile=true
q = torch.ones(1, 1, 64, 48)  # (B, H, T, d_k)
with FlopCounterMode(display=False) as fused:
    F.scaled_dot_product_attention(q, q, q)
with FlopCounterMode(display=False) as plain:
    (q @ q.mT).softmax(-1) @ q
print("plain products:", plain.get_total_flops())
print("fused attention, this release, CPU:", fused.get_total_flops())

# %% [markdown]
# ### Two splits of one model
#
# Twelve layers, GPT-2's vocabulary and context, seven widths: what holds the
# parameters, and what costs the FLOPs? All numbers are counted in real models. The
# first cell counts, the second draws.

# %% given="count_splits"
WIDTHS = [128, 256, 512, 768, 1024, 2048, 4096]


def shares(parts):
    """The numbers of a dict as percentages of their sum."""
    return {part: 100 * number / sum(parts.values()) for part, number in parts.items()}


def flop_shares(model, context):
    """Shares of the FLOPs, the matrices of attention and of the MLP joined."""
    parts = flops_by_part(model, context)
    return shares(
        {
            "unembedding": parts["unembedding"],
            "attention": parts["qkv"] + parts["out"],
            "attention matrix": parts["attention matrix"],
            "mlp": parts["mlp.0"] + parts["mlp.2"],
        }
    )


models = [real_gpt(50257, 1024, D, n_layers=12) for D in WIDTHS]
holds = [shares(parameters_by_part(model)) for model in models]
costs = [flop_shares(model, 1024) for model in models]

# %% demo="split_by_width" collapsed=true
# @title Picture: parameters and FLOPs by part
colours = COLOURS | {"unembedding": COLOURS["embedding"]}
colours["attention matrix"] = "#7FB8D8"  # a lighter shade of attention
figure, axes = plt.subplots(1, 2, figsize=(7.4, 3.4), sharey=True)
for axis, splits in zip(axes, (holds, costs), strict=True):
    parts = list(splits[0])
    layers = [[split[part] for split in splits] for part in parts]
    fills = [colours[part] for part in parts]
    axis.stackplot(WIDTHS, layers, colors=fills)
    below = 0
    for part, layer in zip(parts, layers, strict=True):
        if layer[2] > 5:  # room for its name at D = 512
            place = (WIDTHS[2], below + layer[2] / 2)
            letters = "white" if part == "attention" else "black"
            axis.annotate(part, place, ha="center", va="center", color=letters)
        below += layer[2]
    axis.set(xscale="log", xticks=WIDTHS[::2], xticklabels=WIDTHS[::2])
    axis.minorticks_off()
    axis.set(xlabel="width D (numbers per token)", xlim=(128, 4096), ylim=(0, 100))
axes[0].set(ylabel="share (%)", title="Parameters: the tables fade as D grows")
axes[1].set_title("FLOPs: the MLP grows most")
show(
    figure,
    "Two stacked areas against the width D from 128 to 4,096. Parameters: embeddings "
    "fall from nearly three quarters to under a tenth; the MLP holds twice as much as "
    "attention. FLOPs: unembedding and attention matrix shrink, the MLP grows to more "
    "than half.",
)

# %% [markdown]
# **In one line:** 2 FLOPs per weight and token forward, 6 in training, plus a term
# for the attention matrix that grows with the context.

# %% [markdown]
# ## When is attention the expensive part?
#
# In one layer, per token, the weights cost $24D^2$ FLOPs whatever the context. The
# attention matrix costs $4TD$, which grows with $T$. So there is a context at which
# the two are equal, and it depends on the width alone.
#
# By hand for $D = 2$: the weights cost 96, a key costs 8. Ten keys cost 80, twelve
# cost 96. The crossover is at 12 tokens.

# %% [markdown]
# ### Exercise 2.5: attention_crossover
#
# Return the smallest context at which the attention matrix costs *at least as much*
# as the weights of the block, for $d_{\text{ff}} = 4D$.
#
# - Result: an int, a number of tokens. A size that is not an int of at least 1:
#   `ValueError` with a message.
# - About 3 minutes · medium · 2 points


# %% exercise="attention_crossover" minutes=3
def attention_crossover(d_model):
    """Smallest context at which the attention matrix costs what the weights cost.

    Both per token and layer, d_ff = 4 · d_model. Returns an int, in tokens.
    Raises ValueError for a size that is not an int of at least 1.
    """
    ### BEGIN SOLUTION
    require_sizes(d_model=d_model)
    weights = 24 * d_model**2
    one_key = 4 * d_model
    return weights // one_key  # no remainder
    ### END SOLUTION


# %% checks="attention_crossover" points=1
with (
    checking("attention_crossover", "the place") as check,
    standing_in("block_parameters", "gpt_parameters", "forward_flops_per_token"),
):
    for D in (47, 2, 768, 1024):
        got = attention_crossover(D)
        layer = [real_flops(1, D, 2, T) - real_flops(1, D, 1, T) for T in (1, 2)]
        key, weights = layer[1] - layer[0], 2 * layer[0] - layer[1]
        near = abs(got * key - weights) <= key  # at most one key away; NaN is not
        problem = f"At {got} tokens the matrix costs {got * key / weights:.2f} times"
        problem += " the weights."
        hint = "Set the two costs of a layer equal: all matrices, both products."
        check.true(near, f"D = {D}", problem, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for D in (1, 333, 12288):
        near = abs(attention_crossover(D) - 6 * D) <= 1
        check.true(near, "other widths", "Another width is off.", "Use D.")
    ### END HIDDEN TESTS

# %% checks="attention_crossover" points=1
with (
    checking("attention_crossover", "an exact count") as check,
    standing_in("block_parameters", "gpt_parameters", "forward_flops_per_token"),
):
    got = attention_crossover(2)
    check.true(not isinstance(got, float), "an int", f"{got!r} is a float.", "Use //.")
    for D in (2, 47):
        got, want = attention_crossover(2 * D), 2 * attention_crossover(D)
        hint = "The costs are exactly equal at a whole number; equal is enough."
        check.equal(got, want, f"twice the width, D = {D}", hint)
    check.raises(lambda: attention_crossover(0), "D = 0")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    one = attention_crossover(1)
    check.equal(attention_crossover(12288), 12288 * one, "wide", "Stay with ints.")
    for bad in (-3, 2.5):
        check.raises(lambda bad=bad: attention_crossover(bad), "a size")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: two costs</summary>
#
# Two costs per token and layer stand above; only one grows with $T$. When are they
# equal?
#
# </details>
#
# <details><summary>Hint 2: whole tokens</summary>
#
# Is the solution a whole number for every width? Then no rounding is needed.
#
# </details>

# %% demo="crossover" collapsed=true
# @title Picture: the share of attention
contexts = [256, 512, 1024, 2048, 4096, 8192, 16384]
figure, axis = plt.subplots(figsize=(6, 3.2))
for D, line in ((768, "-"), (1024, "--")):
    matrix = []
    for T in contexts:
        split = flops_by_part(real_gpt(1, T, D, 1), T)
        split.pop("unembedding")
        matrix.append(shares(split)["attention matrix"])
    axis.plot(contexts, matrix, line, color=COLOURS["attention"], label=f"D = {D}")
with demo("attention_crossover"):
    for D, line in ((768, "-"), (1024, "--")):
        crossover = attention_crossover(D)
        print(f"your crossover for D = {D}: {crossover} tokens")
        axis.axvline(crossover, ls=line, color="grey")
        axis.annotate(f"T = {crossover}", (crossover, 3), rotation=90, ha="right")
axis.axhline(50, lw=0.8, color="grey")
axis.set(xscale="log", xticks=contexts, xticklabels=contexts, ylim=(0, 100))
axis.minorticks_off()
axis.set(xlabel="context T (tokens)", ylabel="share of a block's FLOPs (%)")
axis.set_title("The attention matrix reaches one half at T = 6D")
axis.legend(frameon=False)
show(
    figure,
    "Share of the attention matrix in a block's FLOPs against the context, for widths "
    "768 and 1,024. Both curves rise slowly, are under a fifth at 1,024 tokens, and "
    "reach one half at six times the width.",
)

# %% [markdown]
# **In one line:** below $T = 6D$ the weights cost more: 4,608 tokens for $D = 768$,
# 6,144 for $D = 1024$.

# %% [markdown]
# ### Touch it: two budgets of one model
#
# Choose a model, then move one slider at a time. Totals and crossover come from your
# functions, the parts from torch. The table of positions has $T$ rows.
#
# - GPT-2 small: raise $T$ to 4,608. Which parts grow in each bar?
# - Which slider moves the crossover, and which do not?
# - Untie GPT-2 small, then GPT-2 XL. Which total changes, and where does it matter?
# - ViT-B/16 has the blocks of GPT-2 small. Why is it a third smaller?

# %% demo="explore_budgets"
BudgetBars(gpt_parameters, forward_flops_per_token, attention_crossover)

# %% [markdown]
# ## A budget on the back of an envelope
#
# For a large model and a short context the matrix term and the tables are small. With
# $N_{\text{all}}$ for *all* parameters and $M$ for the tokens of the run, what remains
# is the **6N rule**:
#
# $$\text{training FLOPs} \approx 6\,N_{\text{all}}\,M$$
#
# $N$ above left out the tables that are only looked up, the biases and the norms; in a
# large model the two nearly agree.
#
# By hand: $N_{\text{all}} = 7\cdot10^9$ and $M = 2\cdot10^{12}$, 7 billion parameters
# and 2 trillion tokens, give
# $6 \cdot 7\cdot10^9 \cdot 2\cdot10^{12} = 8.4\cdot10^{22}$.

# %% [markdown]
# ### From FLOPs to days
#
# A chip has a **peak speed** in FLOPs per second: $3.12\cdot10^{14}$ for an A100 with
# 16-bit numbers. A real run reaches a part of it, the **utilisation** $u$; 0.3 to 0.5
# is common. A day has 86,400 seconds.
#
# $$\text{days} = \frac{\text{FLOPs}}{\text{speed} \cdot u \cdot 86400}$$
#
# By hand: $8.64\cdot10^{19}$ FLOPs at $10^{15}$ per second and $u = 0.5$ take
# 172,800 s: two days.

# %% [markdown]
# ### Exercise 2.6: budget
#
# Write two functions in one cell.
#
# - `budget`: training FLOPs by the 6N rule, an int. Both arguments are sizes, as
#   everywhere in this lesson; anything else is a `ValueError` with a message. Write
#   `7 * 10**9`, since `7e9` is a float.
# - `days`: a float. Its arguments may be floats. `flops` and `flops_per_second` must be
#   positive, and $0 <$ `utilisation` $\le 1$; otherwise a `ValueError` with a message
#   that says what is wrong.
# - About 4 minutes · warm-up · 2 points


# %% exercise="budget" minutes=4
def budget(n_parameters, n_tokens):
    """Training FLOPs by the 6N rule, as an int.

    Raises ValueError for a size that is not an int of at least 1.
    """
    ### BEGIN SOLUTION
    require_sizes(n_parameters=n_parameters, n_tokens=n_tokens)
    return 6 * n_parameters * n_tokens
    ### END SOLUTION


def days(flops, flops_per_second, utilisation):
    """Days that `flops` take at a part `utilisation` of the peak speed, as a float.

    Raises ValueError unless flops > 0, flops_per_second > 0, 0 < utilisation ≤ 1.
    """
    ### BEGIN SOLUTION
    if flops <= 0 or flops_per_second <= 0:
        raise ValueError("FLOPs and FLOPs per second must be positive")
    if not 0 < utilisation <= 1:
        raise ValueError(f"a utilisation of {utilisation} is not above 0 and up to 1")
    seconds = flops / (flops_per_second * utilisation)
    return seconds / (24 * 60 * 60)
    ### END SOLUTION


# %% checks="budget" points=1
with checking("budget", "FLOPs of a run") as check:
    got = budget(7 * 10**9, 2 * 10**12)
    hint = "One weight and one token, forward and backward: how many FLOPs? Ints only."
    hint = off_by(got, 84 * 10**21, {}, hint)
    check.equal(got, 84 * 10**21, "7 billion parameters, 2 trillion tokens", hint)
    numbers = 124_439_807, 10**10 + 1
    unit = budget(1, 1)
    hint = "Floats cannot hold so large a number exactly: stay with ints."
    check.equal(budget(*numbers), unit * numbers[0] * numbers[1], "odd numbers", hint)
    check.raises(lambda: budget(0, 5), "no parameters")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.equal(budget(3, 5), 90, "small numbers", "Multiply, no more.")
    for bad in (0, -2, 2.5):
        check.raises(lambda bad=bad: budget(bad, 7), "parameters")
        check.raises(lambda bad=bad: budget(7, bad), "tokens")
    ### END HIDDEN TESTS

# %% checks="budget" points=1
with checking("budget", "days", "days") as check:
    for speed, used, want in ((1e15, 1, 1), (1e15, 0.5, 2), (4e15, 0.25, 1)):
        run = 86_400 * 10**15, speed, used
        what = f"speed {speed:.0e}, utilisation {used}"
        hint = "FLOPs over speed are seconds; half of the peak takes twice as long."
        got = check.runs(lambda run=run: days(*run), what, hint)
        problem = f"Yours: {got} days. Expected: {want}."
        check.true(abs(got / want - 1) < 1e-9, what, problem, hint)
    check.raises(lambda: days(1e20, 1e15, 0), "utilisation 0")
    check.raises(lambda: days(1e20, 1e15, 40), "utilisation 40 (percent?)")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    right = abs(days(3e19, 2e14, 0.4) / (3e19 / 2e14 / 0.4 / 86_400) - 1) < 1e-9
    check.true(right, "a run", "Another run is off.", "Parts of a day count too.")
    right = abs(days(1, 1, 1.0) * 86_400 - 1) < 1e-9
    check.true(right, "one FLOP", "One FLOP at one per second is off.", "No rounding.")
    right = abs(days(1, 2, 1.0) * 86_400 - 0.5) < 1e-9
    check.true(right, "half a second", "Half a second is off.", "No rounding.")
    for bad in ((0, 1e15, 0.4), (-1e20, 1e15, 0.4), (1e20, 0, 0.4), (1e20, -1, 0.4)):
        check.raises(lambda bad=bad: days(*bad), "not positive")
    for used in (-0.4, 1.01):
        check.raises(lambda used=used: days(1e20, 1e15, used), "utilisation")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: units</summary>
#
# FLOPs divided by FLOPs per second are seconds. Seconds divided by seconds per day are
# days.
#
# </details>
#
# <details><summary>Hint 2: utilisation</summary>
#
# It makes the chip slower. Which of the two numbers does it belong to?
#
# </details>

# %% [markdown]
# ### Two real runs
#
# The GPT-3 paper gives $3.14\cdot10^{23}$ FLOPs for 175 billion parameters and 300
# billion tokens. The Llama 2 paper gives 184,320 hours of one A100 for its 7B model on
# 2 trillion tokens. Your functions, with a utilisation of 0.4:

# %% demo="real_runs"
with demo("budget", "days"):
    gpt_3 = budget(175 * 10**9, 300 * 10**9)
    print(f"GPT-3: {gpt_3:.2e} FLOPs, published 3.14e+23")
    llama = budget(7 * 10**9, 2 * 10**12)
    one_chip = days(llama, 312e12, 0.4)
    print(f"Llama 2 7B: {llama:.1e} FLOPs")
    print(f"one A100: {one_chip:,.0f} days, published {184_320 / 24:,.0f}")
    print(f"1,000 of them: {one_chip / 1000:.1f} days")

# %% [markdown]
# ## Stretch: Llama
#
# Llama differs from GPT-2:
#
# - no biases; norms with a scale only (RMSNorm);
# - no position table; the unembedding is not tied;
# - an MLP (SwiGLU) with **three** matrices between $D$ and $d_{\text{ff}}$.
#
# Queries and output are maps from $D$ to $D$. Keys and values have
# $n_{\text{kv}}$ heads of $d_{\text{head}}$ numbers each. In the 70B model several
# query heads share one of them, so these two maps are narrower.
#
# ### Stretch exercise: llama_parameters
#
# - Result: an int. A size that is not an int of at least 1: `ValueError` with a
#   message.
# - About 6 minutes · stretch · no points


# %% exercise="llama_parameters" minutes=6 stretch=true
def llama_parameters(vocab, d_model, n_layers, d_ff, n_kv_heads, d_head):
    """Numbers in a Llama: SwiGLU, RMSNorm, shared key heads, no biases, untied.

    Returns an int. Raises ValueError for a size that is not an int of at least 1.
    """
    ### BEGIN SOLUTION
    require_sizes(vocab=vocab, d_model=d_model, n_layers=n_layers)
    require_sizes(d_ff=d_ff, n_kv_heads=n_kv_heads, d_head=d_head)
    queries_and_output = 2 * d_model**2
    keys_and_values = 2 * d_model * n_kv_heads * d_head
    swiglu = 3 * d_model * d_ff
    norms = 2 * d_model
    block = queries_and_output + keys_and_values + swiglu + norms
    return 2 * vocab * d_model + n_layers * block + d_model
    ### END SOLUTION


# %% checks="llama_parameters"
with checking("llama_parameters", "keys, values and 7B") as check:
    wider = llama_parameters(101, 48, 1, 59, 3, 8) - llama_parameters(
        101, 48, 1, 59, 2, 8
    )
    hint = "One more head widens keys and values by d_head numbers each."
    hint = off_by(wider, 2 * 48 * 8, {"D": 48}, hint)
    check.equal(wider, 2 * 48 * 8, "one more key and value head", hint)
    for model in MODELS:
        if model["kind"] == "llama":
            names = ("vocab", "d_model", "n_layers", "d_ff", "n_kv_heads", "d_head")
            got = llama_parameters(*(model[name] for name in names))
            hint = "Seven matrices and two norms a block; two tables, one norm around."
            want = {"7B": 6_738_415_616, "70B": 68_976_648_192}[model["published"]]
            V, D, L = model["vocab"], model["d_model"], model["n_layers"]
            hint = off_by(got, want, {"V·D": V * D, "L·D": L * D, "D": D}, hint)
            check.equal(got, want, model["name"], hint)
    check.raises(lambda: llama_parameters(101, 48, 1, 59, 0, 8), "no heads")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.equal(llama_parameters(1, 1, 1, 1, 1, 1), 12, "all 1", "Try it by hand.")
    check.equal(llama_parameters(7, 6, 2, 5, 2, 3), 582, "small", "Try it by hand.")
    for place in range(6):
        bad = [8] * place + [(0, -2, 2.5)[place % 3]] + [8] * (5 - place)
        check.raises(lambda bad=bad: llama_parameters(*bad), "a size")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: one block</summary>
#
# Seven matrices and two norms. A norm with a scale only has $D$ numbers.
#
# </details>
#
# <details><summary>Hint 2: around the blocks</summary>
#
# Two tables of $|V|$ rows, and one more norm.
#
# </details>

# %% [markdown]
# ## Quick checks
#
# ### Quick check 1: one block
#
# A block has $D = 768$, an MLP of $4D$, biases and two LayerNorms. How many parameters
# does it have?
#
# - a) about 2.4 million
# - b) about 7.1 million
# - c) about 85 million

# %% generated="quick_1_choices" collapsed=true

# %% question="quick_1"
### BEGIN SOLUTION
answer_1 = "b"  # @param ["a", "b", "c"]
### END SOLUTION

# %% checks="quick_1" points=1
with checking("quick_1", "parameters of a block") as check:
    check.answered(answer_1, "abc")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.choice(
        answer_1,
        "b",
        because={
            "a": "that is attention alone, 4D² + 4D; the MLP holds twice as much.",
            "b": "12D² + 13D is 7,087,872: a third attention, two thirds MLP.",
            "c": "that is all twelve blocks of GPT-2 small together.",
        },
    )
    ### END HIDDEN TESTS

# %% [markdown]
# ### Quick check 2: the token table
#
# GPT-2 small ties its unembedding to its token table. What share of all its parameters
# is that one matrix?
#
# - a) about 5 %
# - b) about a third
# - c) about two thirds

# %% generated="quick_2_choices" collapsed=true

# %% question="quick_2"
### BEGIN SOLUTION
answer_2 = "b"  # @param ["a", "b", "c"]
### END SOLUTION

# %% checks="quick_2" points=1
with checking("quick_2", "share of the token table") as check:
    check.answered(answer_2, "abc")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.choice(
        answer_2,
        "b",
        because={
            "a": "that is its share in GPT-2 XL, where the blocks are much larger.",
            "b": "50,257 rows of 768 are 38.6 of 124.4 million, 31 %.",
            "c": "that is the share of the twelve blocks.",
        },
    )
    ### END HIDDEN TESTS

# %% [markdown]
# ## Common mistakes
#
# - **"Attention is the expensive part."** Its *matrix* is, beyond $T = 6D$. Below, the
#   weights are, and two thirds of those are the MLP.
# - **Off by 2**: multiply-adds reported as FLOPs. **Off by 3**: forward given for
#   training, or the reverse.
# - **All parameters times 2.** Tables and positions are looked up, not multiplied. A
#   tied unembedding is multiplied although it is stored once.
# - **Counting a state dict.** A tied matrix stands in it twice.
# - **Forgetting the final norm**, the positions, or the shifts of the norms. These are
#   fractions of a percent, so compare whole numbers, not rounded ones.

# %% [markdown]
# ## Check yourself
#
# <details><summary>Why does the number of heads not change the parameters?</summary>
#
# Heads cut the $D$ columns of $Q$, $K$ and $V$ into slices. The matrices stay
# $D \times D$.
#
# </details>
#
# <details><summary>Why 6 FLOPs per parameter and training token?</summary>
#
# Forward, each weight does one multiply-add per token: 2. Backward does two products
# of the same size, one for the input's gradient, one for the weight's: 4.
#
# </details>
#
# <details><summary>You double the context. What doubles?</summary>
#
# The attention matrix per token, and the position table. The weights cost the same
# per token as before.
#
# </details>
#
# <details><summary>Does tying make a model faster?</summary>
#
# No. It saves $|V| \cdot D$ stored numbers; the product is computed all the same.
#
# </details>

# %% [markdown]
# ## Interview angle
#
# *"How long would you need to train a 7B model on 2 trillion tokens with 1,000 A100s?"*
#
# Say your assumptions aloud: the 6N rule, $3.12\cdot10^{14}$ FLOPs per second at peak,
# 40 % of it in use. Then $8.4\cdot10^{22} / (1000 \cdot 1.25\cdot10^{14})$ is about
# $6.7\cdot10^5$ seconds, roughly 8 days. Then name what you left out: the attention
# matrix at long contexts, evaluation, restarts after failures.
#
# *"And for one token of output?"* About $2N$: 14 billion FLOPs, plus attention to what
# was written before.

# %% [markdown]
# ## Your predictions
#
# <details><summary>Show the answers</summary>
#
# **1: b.** At 1,024 tokens the attention matrix is 18 % of a block's FLOPs and the MLP
# more than half. The matrix would need 4,608 tokens to match all the weights.
#
# **2: b.** $12D^2$ grows with the square of the width: about four times as many.
#
# </details>

# %% [markdown]
# ## Recall cards
#
# Say the answer aloud, then turn the card. Turn them again tomorrow and in a week:
# what you have recalled three times stays.

# %% generated="cards" collapsed=true

# %% [markdown]
# ## Reading
#
# - *Attention Is All You Need* (2017), arXiv 1706.03762: §3 and table 3.
# - *Scaling Laws for Neural Language Models* (2020), arXiv 2001.08361: §2.1 counts
#   parameters and FLOPs as we do.
# - *Using the Output Embedding to Improve Language Models* (2017), arXiv 1608.05859:
#   tied weights.
# - *Language Models are Few-Shot Learners* (2020), arXiv 2005.14165: sizes and FLOPs of
#   GPT-3.
# - *Llama 2: Open Foundation and Fine-Tuned Chat Models* (2023), arXiv 2307.09288.
# - *GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
#   Checkpoints* (2023), arXiv 2305.13245: shared key and value heads.
# - *Transformer Inference Arithmetic* (2022), an article by Carol Chen.

# %% [markdown]
# ## Your score
#
# Every check of this notebook, and your points so far. Run the cell again after you
# have changed an answer and run its checks.

# %% generated="score" collapsed=true
