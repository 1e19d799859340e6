# %% [markdown]
# # Lesson 1: a transformer block by hand
#
# **You build the block that GPT, BERT and ViT are stacks of, from matrix products
# and one softmax, and watch it agree with torch's own layer.**
#
# - Time: about 35 minutes.
# - Points: 20, in five exercises and two quick checks.
# - Know before: Python functions, shapes of torch tensors, matrix products,
#   what a softmax does.
#
# Run the cells in order. A check that fails says what is right so far and where
# to look next.

# %% given="setup" collapsed=true
# @title Set-up: run this cell first
import math
from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn

from support.block import (
    STAND_INS,
    WHOLE_LAYERS,
    plain_output,
    random_weights,
    torch_attention,
    torch_block,
    torch_layer_norm,
    torch_mlp,
    torch_rms_norm,
    torch_swiglu,
)
from support.checks import Checker, draw

checking = Checker(STAND_INS, forbidden=WHOLE_LAYERS)
standing_in, demo = checking.standing_in, checking.demo
PARTS = ("layer_norm", "attention", "mlp")  # what a block is made of
torch.manual_seed(1)
torch.set_num_threads(1)  # tensors this small are faster on one core
torch.set_printoptions(precision=3, sci_mode=False)

# %% demo="figures" collapsed=true
# @title Set-up of figures, cards and score: run this cell too
from support.advice import Advice  # noqa: E402, F401
from support.cards import Cards  # noqa: E402, F401
from support.figures.block_explorer import BlockExplorer  # noqa: E402
from support.plots import COLOURS, show  # noqa: E402
from support.quiz import Choices  # noqa: E402, F401
from support.score import show_score  # noqa: E402, F401

# %% generated="advice" collapsed=true

# %% [markdown]
# ## Predict first
#
# Guess before you read on. A wrong guess that you remember teaches more than a
# right sentence that you skim. Nothing here is graded.
#
# **1.** You shuffle the tokens of a sequence, then run a block in which every token
# may read every other (no mask). What happens to its output?
#
# - a) It stays the same.
# - b) Its rows are shuffled in the same way.
# - c) All numbers change.
#
# **2.** A stack of 12 fresh blocks, first training step. In which arrangement do the
# blocks near the *output* get the larger gradients?
#
# - a) Pre-LN: a norm before each part.
# - b) Post-LN: a norm after each sum.
# - c) Both alike.

# %% demo="predict"
prediction_1 = None  # @param ["a", "b", "c"]
prediction_2 = None  # @param ["a", "b", "c"]

# %% [markdown]
# ## Two kinds of mixing
#
# A sequence enters as a matrix $X$ with one row per token and one column per
# feature. $T$ is the number of tokens, $D$ the width of the model. A batch of $B$
# sequences is a tensor `x` of shape $(B, T, D)$.
#
# Numbers can move in two directions:
#
# - **down a column**, from token to token. Only *attention* does this, with weights
#   that it computes from the data;
# - **along a row**, from feature to feature of one token. The *MLP* does this, with
#   the same weights for every token.

# %% demo="two_directions" collapsed=true
# @title Picture: two directions of mixing
figure, axes = plt.subplots(1, 2, figsize=(6.4, 2.8))
arrows = {"attention": ((2, 0), (2, 3)), "mlp": ((0, 2), (4, 2))}
for axis, (part, (start, end)) in zip(axes, arrows.items(), strict=True):
    colour = COLOURS[part]
    axis.pcolormesh([[0] * 5] * 4, cmap="Greys", edgecolors="lightgrey")
    ends = [(x + 0.5, y + 0.5) for x, y in (start, end)]
    style = {"arrowstyle": "<->", "lw": 3, "color": colour}
    axis.annotate("", ends[1], ends[0], arrowprops=style)
    axis.set(xlabel="feature (0 to D − 1)", ylabel="token (0 to T − 1)")
    axis.set(xticks=[], yticks=[], aspect="equal")
    axis.invert_yaxis()
axes[0].set_title("Attention mixes tokens", color=COLOURS["attention"])
axes[1].set_title("The MLP mixes features", color=COLOURS["mlp"])
show(
    figure,
    "Two grids of tokens (rows) by features (columns). Attention is an arrow down a "
    "column, from token to token; the MLP is an arrow along a row.",
)

# %% [markdown]
# ## The weights of a block
#
# A linear map is `x @ W + b`, with `W` of shape (numbers in, numbers out). One block
# has six matrices: three that make queries, keys and values, one for the output of
# attention, two for the MLP. $d_{\text{ff}}$ is the hidden width of the MLP, most
# often $4D$. `weights_of` reads them out of a layer of torch, so that your block can
# be compared with the real thing.


# %% given="weights"
@dataclass(frozen=True)
class BlockWeights:
    """All weights of one block; D is the model width, d_ff the MLP width."""

    W_q: torch.Tensor  # (D, D)
    W_k: torch.Tensor  # (D, D)
    W_v: torch.Tensor  # (D, D)
    W_o: torch.Tensor  # (D, D)
    b_q: torch.Tensor  # (D,)
    b_k: torch.Tensor  # (D,)
    b_v: torch.Tensor  # (D,)
    b_o: torch.Tensor  # (D,)
    ln1_scale: torch.Tensor  # (D,)
    ln1_shift: torch.Tensor  # (D,)
    ln2_scale: torch.Tensor  # (D,)
    ln2_shift: torch.Tensor  # (D,)
    W_1: torch.Tensor  # (D, d_ff)
    b_1: torch.Tensor  # (d_ff,)
    W_2: torch.Tensor  # (d_ff, D)
    b_2: torch.Tensor  # (D,)


# %% given="read_weights"
def weights_of(layer):
    """The `BlockWeights` of an `nn.TransformerEncoderLayer`.

    torch stores a matrix as (numbers out, numbers in): hence each .T.
    """
    W_q, W_k, W_v = layer.self_attn.in_proj_weight.detach().chunk(3)
    b_q, b_k, b_v = layer.self_attn.in_proj_bias.detach().chunk(3)
    out, first, second = layer.self_attn.out_proj, layer.linear1, layer.linear2
    matrices = {"W_q": W_q.T, "W_k": W_k.T, "W_v": W_v.T}
    for name, linear in {"o": out, "1": first, "2": second}.items():
        matrices["W_" + name] = linear.weight.detach().T
        matrices["b_" + name] = linear.bias.detach()
    for name, norm in {"ln1": layer.norm1, "ln2": layer.norm2}.items():
        matrices[name + "_scale"] = norm.weight.detach()
        matrices[name + "_shift"] = norm.bias.detach()
    return BlockWeights(**matrices, b_q=b_q, b_k=b_k, b_v=b_v)


# %% [markdown]
# ### An example small enough for paper
#
# Through the whole lesson we follow one block with $T = D = 2$ and one head. All
# biases are 0. $W_Q, W_K, W_V, W_O$ and $W_1$ are the identity, $W_2$ is half of it,
# and the activation is ReLU. The input is
#
# $$X = \begin{pmatrix} 2 & 0 \\ 0 & 1 \end{pmatrix}$$
#
# Two tokens, two features. Take a pencil: you can follow each step.

# %% given="by_hand"
eye, one, zero = torch.eye(2), torch.ones(2), torch.zeros(2)
tiny_x = torch.tensor([[[2.0, 0.0], [0.0, 1.0]]])  # (1, 2, 2)
tiny = BlockWeights(
    W_q=eye,
    W_k=eye,
    W_v=eye,
    W_o=eye,
    W_1=eye,
    W_2=eye / 2,
    **dict.fromkeys(("b_q", "b_k", "b_v", "b_o", "b_1", "b_2"), zero),
    **dict.fromkeys(("ln1_scale", "ln2_scale"), one),
    **dict.fromkeys(("ln1_shift", "ln2_shift"), zero),
)

# %% [markdown]
# ## LayerNorm: every token on the same footing
#
# A token's numbers may be large or small. LayerNorm brings each row to mean 0 and
# variance 1, then lets the model choose a *scale* $\gamma$ and a *shift* $\beta$ for
# each feature:
#
# $$\mu = \frac1D\sum_i x_i \qquad
# \sigma^2 = \frac1D\sum_i (x_i-\mu)^2$$
#
# $$y_i = \gamma_i\,\frac{x_i-\mu}{\sqrt{\sigma^2+\varepsilon}} + \beta_i$$
#
# Both sums run over the $D$ features of **one** token. No token sees another here.
# The small number $\varepsilon = 10^{-5}$ stands *inside* the root. It keeps a row of
# equal numbers from dividing by 0.
#
# Subtract the mean before you square: far from 0 the difference of two large squares
# loses its digits.

# %% [markdown]
# ### LayerNorm by hand
#
# The first row of $X$ is $(2, 0)$. Its mean is 1. Its distances from the mean are
# $1$ and $-1$, so the variance is $(1 + 1)/2 = 1$. The result is $(1, -1)$.
#
# The second row is $(0, 1)$: mean $0.5$, variance $(0.25 + 0.25)/2 = 0.25$, root
# $0.5$. The result is $(-1, 1)$.
#
# The two rows had different sizes; now they have the same. ($\varepsilon$ changes
# these numbers in the fifth digit.)

# %% [markdown]
# ### What every answer keeps
#
# Every answer works for float32 and float64 and for tensors that are not contiguous,
# keeps the dtype and leaves its inputs as they are.

# %% [markdown]
# ### Exercise 1.1: layer_norm
#
# Write LayerNorm for a tensor with any number of leading axes: $(D,)$, $(T, D)$ and
# $(B, T, D)$ all work. The last axis holds the features.
#
# - `x`: (…, D); `scale` and `shift`: (D,); result: like `x`
# - About 4 minutes · warm-up · 3 points
#
# torch's ready-made norms are out of bounds in this lesson, and so are its
# ready-made attentions. Everything smaller is yours to use: means, products,
# softmax, masks, activations.


# %% exercise="layer_norm" minutes=4
def layer_norm(x, scale, shift, eps=1e-5):
    """Bring the last axis to mean 0 and variance 1, then scale and shift it.

    x: (..., D); scale, shift: (D,). Returns a new tensor like x.
    """
    ### BEGIN SOLUTION
    centred = x - x.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)
    return centred / (variance + eps).sqrt() * scale + shift
    ### END SOLUTION


# %% checks="layer_norm" points=1
with checking("layer_norm", "one row of large numbers") as check:
    x = 1e5 * draw(1, 1, 6)  # so large that eps does not matter
    one, zero = torch.ones(6).double(), torch.zeros(6).double()
    y = layer_norm(x, one, zero)
    check.close(y.mean(-1), zero[:1], "mean 0", "What do you take away from the row?")
    check.close(
        y.square().mean(-1),
        one[:1],
        "variance 1",
        "A mean of squares: along which axis, divided by how many numbers? And does "
        "a scale of 1 change nothing?",
    )
    scale, shift = draw(2, 6), draw(3, 6)
    check.close(
        layer_norm(x, scale, shift),
        torch_layer_norm(x, scale, shift),
        "a scale and a shift for each feature",
        "Scale the normalised row first, then shift it.",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    x, scale, shift = 1e6 * draw(4, 1, 33), draw(5, 33), draw(6, 33)
    want = torch_layer_norm(x, scale, shift)
    check.close(layer_norm(x, scale, shift), want, "33 features", "Try other widths.")
    ### END HIDDEN TESTS

# %% checks="layer_norm" points=1
with checking("layer_norm", "where eps stands") as check:
    x = 1e-8 * draw(1, 1, 6)  # almost no spread: the result depends on eps alone
    scale, shift = 1e5 * draw(2, 6), draw(3, 6)
    check.close(
        layer_norm(x, scale, shift),
        torch_layer_norm(x, scale, shift),
        "eps of 1e-5 by default",
        "Is eps added to the variance or to its root, and how large is it?",
    )
    check.close(
        layer_norm(x, scale, shift, eps=0.1),
        torch_layer_norm(x, scale, shift, eps=0.1),
        "eps of 0.1",
        "Use the eps that is passed in.",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    x, one, zero = draw(4, 1, 9), torch.ones(9).double(), torch.zeros(9).double()
    away = x - x.mean(-1, keepdim=True)
    variance = (away / layer_norm(x, one, zero, eps=0.0)).square()  # as answered
    want = away * (variance + 0.5) ** -0.5
    hint = "eps is added to the variance, whichever of the two is larger."
    check.close(layer_norm(x, one, zero, eps=0.5), want, "eps of 0.5", hint)
    want = draw(5, 9)
    check.close(layer_norm(0 * x[0] + 3, one, want), want, "equal numbers", hint)
    ### END HIDDEN TESTS

# %% checks="layer_norm" points=1
with checking("layer_norm", "each token by itself") as check:
    x, scale, shift = draw(1, 2, 3, 5), draw(2, 5), draw(3, 5)
    y = layer_norm(x, scale, shift)
    check.true(y.std() > 0, "unlike numbers", "The output is everywhere the same.")
    check.close(
        y[1, 2:],
        layer_norm(x[1, 2:], scale, shift),
        "a token in a batch is treated as it is alone",
        "Average over the features of one token, not over other tokens.",
    )
    moved = layer_norm(x + 10 * draw(4, 2, 3, 1), scale, shift)
    hint = "Each token has a mean of its own."
    check.close(moved, y, "a constant added to a token changes nothing", hint)
    y32 = layer_norm(x.float(), scale.float(), shift.float())
    hint = "Make new tensors in the dtype of x."
    check.close(y32, y, "float32", hint, like=x.float())
    ### BEGIN HIDDEN TESTS
    check.hidden()
    turned = x.transpose(0, 1)
    want = y.transpose(0, 1)
    check.close(layer_norm(turned, scale, shift), want, "turned", "Avoid view.")
    check.close(layer_norm(x[1, 2], scale, shift), y[1, 2], "one axis", "Use axis -1.")
    far = (draw(5, 4, 5) + 1000).float()
    got = layer_norm(far, scale.float(), shift.float())
    want = layer_norm(far.double(), scale, shift)
    hint = "Far from 0 in float32: subtract the mean before you square."
    check.close(got, want, "far from 0", hint, like=far, terms=1000)
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: the axis</summary>
#
# Ask the mean for the last axis and keep that axis with size 1, so that it still
# lines up with `x` when you subtract.
#
# </details>
#
# <details><summary>Hint 2: the variance</summary>
#
# You need the differences from the mean twice: once to square and average, once
# to divide. Give them a name.
#
# </details>
#
# <details><summary>Hint 3: a trap in torch</summary>
#
# `x.var(-1)` divides by $D - 1$ unless you tell it otherwise.
# Look for `correction` in its documentation.
#
# </details>

# %% demo="layer_norm_by_hand"
with demo("layer_norm"):
    got = layer_norm(tiny_x, tiny.ln1_scale, tiny.ln1_shift)[0]
    print("by hand: [1, -1] and [-1, 1]; your function:", got, sep="\n")

# %% [markdown]
# **In one line:** LayerNorm gives every token the same mean and the same size, and
# looks at no other token while it does so.

# %% [markdown]
# ## Attention: how a token reads other tokens
#
# Each token asks a question, and each token offers an answer. Three linear maps of
# the normalised input make the roles:
#
# - a **query** $q_t$: what token $t$ looks for;
# - a **key** $k_s$: what token $s$ can be found by;
# - a **value** $v_s$: what token $s$ hands over when it is read.
#
# $$Q = XW_Q + b_Q \quad K = XW_K + b_K \quad V = XW_V + b_V$$
#
# $X$ stands here for the input of attention, one row per token. All three results
# have one row per token as well.

# %% [markdown]
# ### Scores and weights
#
# How well key $s$ answers query $t$ is their dot product, divided by the root of
# their length $d_k$:
#
# $$S_{ts} = \frac{q_t \cdot k_s}{\sqrt{d_k}} \qquad S = \frac{QK^\top}{\sqrt{d_k}}$$
#
# Row $t$ of $S$ holds the scores of query $t$ for all keys. A softmax turns that row
# into positive weights that sum to 1, and the output is the weighted mean of the
# values:
#
# $$A = \operatorname{softmax}(S) \qquad O = AV$$
#
# Why the root? A dot product of $d_k$ random terms has a spread that grows like
# $\sqrt{d_k}$. Without the division one key would get nearly all the weight, and the
# gradients through the softmax would be close to 0.

# %% [markdown]
# ### Softmax over which axis?
#
# $S$ is square, so both axes fit and no error warns you. Ask what must sum to 1: *one
# query* spreads its attention over *all keys*. Keys are the columns of $S$, so each
# **row** sums to 1.
#
# The cell below shows what the sums look like for three tokens. A test that some sum
# is 1 would pass for both axes.

# %% demo="which_axis"
S = torch.tensor([[2.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 3.0, 0.0]])
for axis, name in ((1, "over the keys"), (0, "over the queries")):
    weights = torch.softmax(S, axis)
    rows = ", ".join(f"{total:.2f}" for total in weights.sum(1))
    print(f"softmax {name}: each query's weights sum to {rows}")

# %% [markdown]
# ### Attention by hand
#
# After LayerNorm the rows are $(1,-1)$ and $(-1,1)$, and with identity matrices
# $Q = K = V$ are the same. Here $d_k = 2$.
#
# $$S = \frac{1}{\sqrt2}\begin{pmatrix} 2 & -2 \\ -2 & 2\end{pmatrix}
# = \begin{pmatrix} 1.414 & -1.414 \\ -1.414 & 1.414\end{pmatrix}$$
#
# The softmax of a row gives $0.944$ to the token itself and $0.056$ to the other.
# The first output row is
#
# $$0.944\,(1,-1) + 0.056\,(-1,1) = (0.888, -0.888)$$
#
# and the second is $(-0.888, 0.888)$.

# %% [markdown]
# ### The causal mask
#
# A model that writes text must not read the token it has to predict. So token $t$
# may read the tokens $s \le t$ and no later ones. The mask replaces the forbidden
# scores by $-\infty$ **before** the softmax, because $e^{-\infty} = 0$:
#
# $$S = \begin{pmatrix} 1.414 & -\infty \\ -1.414 & 1.414 \end{pmatrix}$$
#
# The first token is left with itself, so its weight is 1 and its output $(1, -1)$.
# Weights set to 0 *after* the softmax would sum to less than 1: the mask has to come
# first. The diagonal stays open, since a token may read itself.

# %% [markdown]
# ### Heads are slices of the features
#
# One head can follow one kind of relation at a time. So $Q$, $K$ and $V$ are cut
# along the features into $H$ slices of width $d_k = D/H$. Each slice does attention
# by itself, with its own $(T, T)$ weights.
#
# With $D = 6$ and $H = 2$, head 0 owns features 0, 1, 2 and head 1 owns features
# 3, 4, 5 of **every** token. The shape goes from $(B, T, D)$ to $(B, H, T, d_k)$:
# batch and heads lead, and the last two axes are the matrix that each head works on.

# %% demo="heads" collapsed=true
# @title Picture: a matrix cut into two heads
figure, axes = plt.subplots(1, 3, figsize=(6.4, 2.4), width_ratios=(6, 3, 3))
shades = [COLOURS["attention"], COLOURS["other"]]
for axis, features in zip(axes, (range(6), range(3), range(3, 6)), strict=True):
    for column, feature in enumerate(features):
        for token in range(4):
            box = plt.Rectangle((column, token), 1, 1, fc=shades[feature // 3])
            axis.add_patch(box).set(edgecolor="white", alpha=0.75)
            label = f"{token},{feature}"
            axis.text(column + 0.5, token + 0.5, label, ha="center", va="center")
    axis.set(xlim=(0, len(features)), ylim=(4, 0), aspect="equal")
    axis.set(xticks=[], yticks=[], xlabel="feature")
axes[0].set(title="Q: 4 tokens, D = 6", ylabel="token")
axes[1].set_title("head 0")
axes[2].set_title("head 1")
show(
    figure,
    "A matrix of four tokens by six features, cut between features 2 and 3. Head 0 "
    "gets features 0 to 2 of all tokens, head 1 features 3 to 5 of all tokens.",
)

# %% [markdown]
# ### A cut that looks right
#
# `view` keeps the order of the numbers in memory, and in memory a token's features
# lie side by side. Asking for $(H, T, d_k)$ at once gives the right *shape* and the
# wrong *content*. Watch head 0 of three tokens below: it holds token 0 twice and
# never meets token 2.

# %% demo="wrong_split"
y = torch.tensor([[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]])  # (T, D)
print("head 0 of a single view (wrong):")
print(y.view(2, 3, 2)[0])
print("what head 0 should hold:")
print(y[:, :2])

# %% [markdown]
# ### Merging the heads
#
# Each head returns $(T, d_k)$. Put the slices side by side again, in the order in
# which they were cut, and you have $(T, D)$. One last linear map lets the heads mix:
#
# $$\text{out} = \operatorname{concat}(O_1, \dots, O_H)\,W_O + b_O$$
#
# The same trap waits here in reverse: the token axis has to stand before the head
# axis when the last two axes are joined.
#
# Each head divides its scores by the root of *its own* width.

# %% [markdown]
# ### Exercise 1.2: attention
#
# Write multi-head self-attention, with the output projection and its bias. `x` is
# already normalised, and the residual is added elsewhere.
#
# - `x`: (B, T, D); `w`: a `BlockWeights`; result: (B, T, D)
# - `causal=True`: token $t$ reads tokens $0 \dots t$ only
# - `n_heads` below 1, or one that does not divide D: a ValueError with a message that
#   says so
# - About 12 minutes · the hard one · 6 points
#
# The checks climb: one token, equal scores, one head, the mask, several heads, a
# batch.


# %% exercise="attention" minutes=12
def attention(x, w, n_heads, causal=False):
    """Multi-head self-attention with the output projection, without the residual.

    x: (B, T, D), already normalised; w: BlockWeights. Returns (B, T, D).
    Raises ValueError when n_heads is below 1 or does not divide D.
    """
    ### BEGIN SOLUTION
    B, T, D = x.shape
    if n_heads < 1 or D % n_heads:
        raise ValueError(f"{D} features cannot be cut into {n_heads} equal heads")
    d_k = D // n_heads

    def split(W, b):  # (B, T, D) -> (B, H, T, d_k)
        return (x @ W + b).reshape(B, T, n_heads, d_k).transpose(1, 2)

    q, k, v = split(w.W_q, w.b_q), split(w.W_k, w.b_k), split(w.W_v, w.b_v)
    scores = q @ k.mT / math.sqrt(d_k)  # (B, H, T, T)
    if causal:
        later = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(later, -math.inf)
    heads = scores.softmax(-1) @ v  # (B, H, T, d_k)
    return heads.transpose(1, 2).reshape(B, T, D) @ w.W_o + w.b_o
    ### END SOLUTION


# %% checks="attention" points=1
with checking("attention", "values and output projection") as check:
    w = random_weights(BlockWeights, 6, 10, seed=1)
    x = draw(1, 1, 1, 6)
    check.close(
        attention(x, w, 1),
        torch_attention(x, w, 1),
        "one token",
        "With one token its weight is 1: look at the values, the output map and its "
        "bias; nothing else is added.",
    )
    x = draw(2, 1, 5, 6)
    equal = replace(w, W_q=0 * w.W_q, W_k=0 * w.W_k)  # equal queries, equal keys
    check.close(
        attention(x, equal, 1),
        torch_attention(x, equal, 1),
        "five tokens with equal scores, so each reads the mean of the values",
        "Equal scores must give equal weights that sum to 1.",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    w, x = random_weights(BlockWeights, 7, 3, seed=2), 5 * draw(3, 1, 1, 7)
    hint = "One token reads itself with weight 1, however many heads there are."
    for n_heads in (1, 7):
        want = torch_attention(x, w, n_heads)
        check.close(attention(x, w, n_heads), want, "one token", hint)
    ### END HIDDEN TESTS

# %% checks="attention" points=1
with checking("attention", "scores and weights of one head") as check:
    w, x = random_weights(BlockWeights, 6, 10, seed=3), draw(3, 1, 5, 6)
    w = plain_output(w)  # W_o is the identity, b_v and b_o are 0
    alike = replace(w, W_v=0 * w.W_v, b_v=draw(4, 6))  # every value is b_v
    check.close(
        attention(x, alike, 1),
        torch_attention(x, alike, 1),
        "equal values, so the weights must sum to 1 for each query",
        "If check 1 passes, along which axis do the keys lie?",
    )
    check.close(
        attention(x, w, 1),
        torch_attention(x, w, 1),
        "one head, no mask",
        "The weights sum to 1; compare the scores with their formula, part by part.",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for tokens, width in ((2, 3), (4, 9), (9, 4)):
        w = plain_output(random_weights(BlockWeights, width, 5, seed=width))
        x = draw(5, 1, tokens, width)
        hint = "Read the sizes from the input; the root is that of the head's width."
        want = torch_attention(x, w, 1)
        check.close(attention(x, w, 1), want, "other sizes", hint)
    ### END HIDDEN TESTS

# %% checks="attention" points=1
with checking("attention", "the causal mask") as check:
    w, x = random_weights(BlockWeights, 6, 10, seed=4), draw(5, 1, 5, 6)
    w = replace(plain_output(w), W_q=0 * w.W_q, W_k=0 * w.W_k)  # equal scores
    alike = replace(w, W_v=0 * w.W_v, b_v=draw(6, 6))  # every value is b_v
    check.close(
        attention(x, alike, 1, causal=True),
        torch_attention(x, alike, 1, causal=True),
        "equal values, so the weights left by the mask must sum to 1",
        "Does the mask come before the softmax?",
    )
    check.close(
        attention(x, w, 1, causal=True),
        torch_attention(x, w, 1, causal=True),
        "equal scores, so token t reads the mean of the values 0 to t",
        "Which keys may token 0 read, and which the last token?",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    full = torch.full((6,), 1.0).double()
    low = replace(w, b_q=10 * full, b_k=-12 * full)  # scores of -294
    for tokens in (1, 2, 8, 40):
        x = draw(6, 1, tokens, 6)
        hint = "All scores may be low: what you fill in must be lower than any of them."
        got, want = (f(x, low, 1, causal=True) for f in (attention, torch_attention))
        check.close(got, want, "low scores", hint)
    got, want = attention(x, low, 3), torch_attention(x, low, 3)
    if got.shape == want.shape and torch.allclose(got, want):  # else see check 4
        got, want = (f(x, low, 3, causal=True) for f in (attention, torch_attention))
        check.close(got, want, "three heads", "Every head needs the mask.")
    ### END HIDDEN TESTS

# %% checks="attention" points=1
with checking("attention", "splitting and merging heads") as check:
    w, x = random_weights(BlockWeights, 6, 10, seed=5), draw(7, 1, 5, 6)
    w = plain_output(w)
    equal = replace(w, W_q=0 * w.W_q, W_k=0 * w.W_k)  # equal scores
    check.close(
        attention(x, equal, 2),
        torch_attention(x, equal, 2),
        "two heads, equal scores",
        "Cut each token's features into heads, and join the same pieces again.",
    )
    other = replace(w, W_q=w.W_q * torch.tensor([1, 1, 1, 2, 2, 2]))
    check.close(
        attention(x, other, 2)[..., :3],
        attention(x, w, 2)[..., :3],
        "new queries in head 1 leave head 0 as it was",
        "Head 0 owns the first half of the features, head 1 the second.",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for tokens, n_heads in ((1, 2), (2, 3), (6, 6), (7, 3)):
        x = draw(8, 1, tokens, 6)
        want = torch_attention(x, equal, n_heads)
        hint = "Check where the axis of the heads stands when you split and merge."
        check.close(attention(x, equal, n_heads), want, "more heads", hint)
    ### END HIDDEN TESTS

# %% checks="attention" points=1
with checking("attention", "several heads with their own scores") as check:
    w, x = random_weights(BlockWeights, 6, 10, seed=6), draw(9, 1, 5, 6)
    w = plain_output(w)
    hint = "By the root of which width does each head divide its scores?"
    check.close(attention(x, w, 2), torch_attention(x, w, 2), "two heads", hint)
    check.close(attention(x, w, 3), torch_attention(x, w, 3), "three heads", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for tokens, width, n_heads in ((4, 12, 4), (9, 8, 8), (3, 10, 2)):
        w = plain_output(random_weights(BlockWeights, width, 5, seed=width))
        x = draw(10, 1, tokens, width)
        got, want = attention(x, w, n_heads), torch_attention(x, w, n_heads)
        check.close(got, want, "other sizes", "Read every size from the input.")
    ### END HIDDEN TESTS

# %% checks="attention" points=1
with checking("attention", "batches and bad input") as check:
    w, x = random_weights(BlockWeights, 6, 10, seed=7), draw(11, 3, 4, 6)
    for causal in (False, True):
        check.close(
            attention(x, w, 2, causal)[1:2],
            attention(x[1:2], w, 2, causal),
            f"a sequence in a batch is treated as it is alone, causal = {causal}",
            "Keep the batch axis first: in the split, in the mask and in the merge.",
        )
    check.raises(lambda: attention(x, w, 0), "no heads")
    check.raises(lambda: attention(x, w, 4), "four heads for six features")
    w32 = BlockWeights(**{name: value.float() for name, value in vars(w).items()})
    y32 = attention(x.float(), w32, 2, causal=True)
    y = attention(x, w, 2, causal=True)
    check.close(y32, y, "float32", "Is the mask in the dtype of x?", like=x.float())
    ### BEGIN HIDDEN TESTS
    check.hidden()
    turned = draw(12, 4, 5, 6).transpose(0, 1)
    want = attention(turned.contiguous(), w, 3)
    hint = "Some strides are unusual: reshape copies where view refuses."
    check.close(attention(turned, w, 3), want, "turned", hint)
    check.raises(lambda: attention(x, w, -2), "fewer than no heads")
    check.raises(lambda: attention(x, w, 2.5), "two and a half heads")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: a plan</summary>
#
# Check `n_heads`. Make queries, keys and values. Split each of them. Scores, mask,
# softmax, weighted sum. Merge. Output map. Start with one head and no mask: then
# splitting and merging have nothing to do.
#
# </details>
#
# <details><summary>Hint 2: shapes</summary>
#
# The split goes from $(B, T, D)$ to $(B, T, H, d_k)$ to $(B, H, T, d_k)$: first cut
# the last axis, then swap two axes. The merge takes both steps back in reverse order.
# `@` works on the last two axes and leaves batch and heads alone.
#
# </details>
#
# <details><summary>Hint 3: the mask</summary>
#
# Build a $(T, T)$ tensor of booleans that is True above the diagonal, and fill the
# scores there with minus infinity. It lines up with $(B, H, T, T)$ by itself.
#
# </details>

# %% demo="attention_by_hand"
with demo("attention"):
    normalised = torch.tensor([[[1.0, -1.0], [-1.0, 1.0]]])
    got = attention(normalised, tiny, 1)[0]
    print("by hand: [0.888, -0.888] and [-0.888, 0.888]; yours:", got, sep="\n")
    got = attention(normalised, tiny, 1, causal=True)[0]
    print("with the causal mask the first row is [1, -1]; yours:", got, sep="\n")

# %% [markdown]
# **In one line:** attention is a weighted mean of values, with weights that each
# token computes from the data, once for each head.

# %% [markdown]
# ## The MLP: how a token thinks by itself
#
# The second part works on each row $z$ alone: widen, bend, narrow.
#
# $$\operatorname{MLP}(z) = \operatorname{act}(z W_1 + b_1)\,W_2 + b_2$$
#
# The activation stands between the two maps and nowhere else. It is ReLU in the
# transformer of 2017, GELU in GPT-2, BERT and ViT. LLaMA has a gated version called
# SwiGLU, which a stretch exercise builds. GELU is a smooth ReLU:
# $\operatorname{gelu}(z) = z\,\Phi(z)$ with $\Phi$ the normal distribution function.

# %% demo="activations" collapsed=true
# @title Picture: ReLU and GELU
z = torch.linspace(-4, 4, 200)
figure, axis = plt.subplots(figsize=(5, 2.6))
axis.plot(z, F.relu(z), color=COLOURS["other"], label="ReLU (2017)")
axis.plot(z, F.gelu(z), color=COLOURS["mlp"], label="GELU (GPT-2, BERT, ViT)")
axis.set(xlabel="number in", ylabel="number out")
axis.set_title("GELU follows ReLU, without the corner at 0")
axis.legend(frameon=False)
show(
    figure,
    "ReLU and GELU from minus four to four. Both are near zero on the left and rise "
    "along the diagonal on the right; GELU is smooth and dips below zero on the left.",
)

# %% [markdown]
# ### Exercise 1.3: mlp
#
# Write the MLP for all tokens at once. No norm and no residual: they come with the
# block. Use the function that is passed in as `activation`.
#
# - `x`: (B, T, D); `w`: a `BlockWeights`; result: (B, T, D)
# - About 2 minutes · warm-up · 2 points


# %% exercise="mlp" minutes=2
def mlp(x, w, activation=F.gelu):
    """Two linear maps with an activation between them, for each token alone.

    x: (B, T, D); w: BlockWeights. Returns (B, T, D).
    """
    ### BEGIN SOLUTION
    hidden = activation(x @ w.W_1 + w.b_1)  # (B, T, d_ff)
    return hidden @ w.W_2 + w.b_2
    ### END SOLUTION


# %% checks="mlp" points=1
with checking("mlp", "two linear maps") as check:
    w, x = random_weights(BlockWeights, 5, 8, seed=1), draw(1, 2, 3, 5)
    lifted = replace(w, b_1=w.b_1 + 60)  # so positive that GELU changes nothing
    check.close(
        mlp(x, lifted),
        torch_mlp(x, lifted),
        "hidden numbers that the activation leaves alone",
        "Look at both matrices, both biases, and what comes after the second map.",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for width, d_ff in ((3, 12), (8, 2), (4, 4)):
        w = random_weights(BlockWeights, width, d_ff, seed=width)
        w = replace(w, b_1=w.b_1 + 600)
        x = draw(2, 1, 7, width)
        check.close(mlp(x, w), torch_mlp(x, w), "other sizes", "d_ff may be any size.")
    turned = draw(3, 7, 2, 4).transpose(0, 1)
    want = torch_mlp(turned, w)
    check.close(mlp(turned, w), want, "turned", "Do not count on memory order.")
    ### END HIDDEN TESTS

# %% checks="mlp" points=1
with checking("mlp", "the activation") as check:
    w, x = random_weights(BlockWeights, 5, 8, seed=2), 2 * draw(4, 2, 3, 5)
    w = replace(w, b_1=0 * w.b_1, b_2=0 * w.b_2)
    check.close(
        mlp(x, w),
        torch_mlp(x, w),
        "GELU by default",
        "Call the activation that is passed in, once, between the two maps.",
    )
    check.close(
        mlp(x, w, activation=F.relu),
        torch_mlp(x, w, activation=F.relu),
        "ReLU when asked for",
        "Which activation does your function call?",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    hint = "Any function may be passed in as activation."
    check.close(mlp(x, w, torch.tanh), torch_mlp(x, w, torch.tanh), "tanh", hint)
    w32 = BlockWeights(**{name: value.float() for name, value in vars(w).items()})
    want = torch_mlp(x, w)
    check.close(mlp(x.float(), w32), want, "float32", hint, like=x.float())
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: one step at a time</summary>
#
# Name the hidden layer: it has the shape $(B, T, d_{\text{ff}})$. The activation is a
# function; call it on the hidden layer.
#
# </details>
#
# <details><summary>Hint 2: the formula is the code</summary>
#
# Read the formula from left to right with `@` for each product. A bias of shape
# $(d_{\text{ff}},)$ lines up with the last axis by itself.
#
# </details>

# %% [markdown]
# **In one line:** the MLP treats every token alike and alone; here most of the
# weights of a block live.

# %% [markdown]
# ## The block: two steps along a stream
#
# Now join the parts. A block does not replace its input; it *adds* to it, twice. The
# sum that runs through the whole model is called the **residual stream**:
#
# $$X' = X + \operatorname{MHA}(\operatorname{LN}_1(X))$$
#
# $$Y = X' + \operatorname{MLP}(\operatorname{LN}_2(X'))$$
#
# MHA is multi-head attention. $\operatorname{LN}_1$ and $\operatorname{LN}_2$ are
# LayerNorms with weights of their own. The second step starts from $X'$, the stream
# *after* attention. Every arrow carries a $(B, T, D)$ tensor, so blocks stack like
# bricks.

# %% [markdown]
# ### The block by hand
#
# Attention gave $(0.888, -0.888)$ and $(-0.888, 0.888)$. Add the input:
#
# $$X' = \begin{pmatrix} 2.888 & -0.888 \\ -0.888 & 1.888 \end{pmatrix}$$
#
# LayerNorm turns the rows into $(1,-1)$ and $(-1,1)$ once more. ReLU leaves $(1, 0)$
# and $(0, 1)$; $W_2$ halves them to $(0.5, 0)$ and $(0, 0.5)$. Add:
#
# $$Y = \begin{pmatrix} 3.388 & -0.888 \\ -0.888 & 2.388 \end{pmatrix}$$
#
# With the causal mask the first row is $(3.5, -1)$; the second stays as it is,
# because the last token sees everything anyway.

# %% [markdown]
# ### Exercise 1.4: pre_ln_block
#
# Write the block, with calls of your three functions. Pass the options on.
#
# - `x`: (B, T, D); `w`: a `BlockWeights`; result: (B, T, D)
# - It equals `nn.TransformerEncoderLayer(…, norm_first=True)` with the same weights.
# - Leave `x` as it was: the caller still needs it.
# - About 5 minutes · medium · 5 points
#
# The checks put torch's functions in the place of your `layer_norm`, `attention` and
# `mlp`. So an earlier slip costs nothing here.


# %% exercise="pre_ln_block" minutes=5
def pre_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    """One pre-LN transformer block.

    x: (B, T, D); w: BlockWeights. Returns (B, T, D) and leaves x as it was.
    """
    ### BEGIN SOLUTION
    normed = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + attention(normed, w, n_heads, causal)
    normed = layer_norm(x, w.ln2_scale, w.ln2_shift)
    return x + mlp(normed, w, activation)
    ### END SOLUTION


# %% checks="pre_ln_block" points=1
with checking("pre_ln_block", "the attention step") as check, standing_in(*PARTS):
    w, x = random_weights(BlockWeights, 6, 10, seed=1), draw(1, 2, 1, 6)
    silent = replace(w, W_2=0 * w.W_2, b_2=0 * w.b_2)  # the MLP adds nothing
    check.close(
        pre_ln_block(x, silent, 2),
        torch_block(x, silent, 2),
        "one token, an MLP that adds nothing, so Y = X + MHA(LN1(X))",
        "Does attention read the normed input, and is its result added to x?",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for size in (1e-3, 50):
        x = size * draw(2, 3, 1, 6)
        want = torch_block(x, silent, 3)
        hint = "The stream itself stays as large or as small as it came."
        check.close(pre_ln_block(x, silent, 3), want, "other sizes of x", hint)
    ### END HIDDEN TESTS

# %% checks="pre_ln_block" points=1
with checking("pre_ln_block", "the MLP step") as check, standing_in(*PARTS):
    w, x = random_weights(BlockWeights, 6, 10, seed=2), draw(3, 2, 5, 6)
    silent = replace(w, W_o=0 * w.W_o, b_o=0 * w.b_o)  # attention adds nothing
    check.close(
        pre_ln_block(x, silent, 2),
        torch_block(x, silent, 2),
        "attention that adds nothing, so Y = X + MLP(LN2(X))",
        "Does the MLP read a stream normed with ln2, use the activation it was given, "
        "and is its result added?",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for size in (1e-3, 50):
        x = size * draw(4, 1, 1, 6)
        want = torch_block(x, silent, 1)
        hint = "The stream itself stays as large or as small as it came."
        check.close(pre_ln_block(x, silent, 1), want, "other sizes of x", hint)
    ### END HIDDEN TESTS

# %% checks="pre_ln_block" points=1
with checking("pre_ln_block", "both steps in a row") as check, standing_in(*PARTS):
    w, x = random_weights(BlockWeights, 6, 10, seed=3), draw(5, 2, 5, 6)
    check.close(
        pre_ln_block(x, w, 2),
        torch_block(x, w, 2),
        "two heads, no mask",
        "Is n_heads passed on? What does the second step start from, and what does it "
        "add to?",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for tokens, width, n_heads in ((1, 4, 2), (7, 9, 3), (2, 5, 1)):
        w = random_weights(BlockWeights, width, 11, seed=width)
        x = draw(6, 2, tokens, width)
        want = torch_block(x, w, n_heads)
        hint = "Follow the stream: both steps read it and both add to it."
        check.close(pre_ln_block(x, w, n_heads), want, "other sizes", hint)
    ### END HIDDEN TESTS

# %% checks="pre_ln_block" points=1
with checking("pre_ln_block", "the options") as check, standing_in(*PARTS):
    w, x = random_weights(BlockWeights, 6, 10, seed=4), draw(7, 1, 4, 6)
    later = x + torch.tensor([0, 0, 0, 1])[:, None] * draw(8, 6)  # a new last token
    check.close(
        pre_ln_block(later, w, 2, causal=True)[:, :3],
        pre_ln_block(x, w, 2, causal=True)[:, :3],
        "causal: a new last token changes no earlier one",
        "Pass causal on to attention.",
    )
    change = pre_ln_block(later, w, 2)[:, :3] - pre_ln_block(x, w, 2)[:, :3]
    seen = change.abs().max() > 1e-6
    check.true(seen, "no mask by default", "A new last token changes no earlier one.")
    change = pre_ln_block(x, w, 3) - pre_ln_block(x, w, 2)
    seen = change.abs().max() > 1e-6
    check.true(seen, "the number of heads", "2 and 3 heads give the same output.")
    check.close(
        pre_ln_block(x, w, 2, activation=torch.zeros_like),
        pre_ln_block(x, replace(w, W_2=0 * w.W_2), 2),
        "an activation that gives 0, so that the MLP adds b_2 alone",
        "Pass activation on to mlp.",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    hint = "Pass on each option as it is, whatever the others are."
    one, two = (pre_ln_block(z, w, 1, causal=True)[:, :3] for z in (x, later))
    check.close(two, one, "causal with one head", hint)
    got = pre_ln_block(x, w, 2, causal=True, activation=torch.zeros_like)
    want = pre_ln_block(x, replace(w, W_2=0 * w.W_2), 2, causal=True)
    check.close(got, want, "causal with another activation", hint)
    ### END HIDDEN TESTS

# %% checks="pre_ln_block" points=1
with checking("pre_ln_block", "batches and dtypes") as check, standing_in(*PARTS):
    w, x = random_weights(BlockWeights, 6, 10, seed=5), draw(9, 3, 4, 6)
    y = pre_ln_block(x, w, 2)
    works = not torch.equal(y, x) and y.std() > 0
    problem = "The output is x itself, or everywhere the same."
    check.true(works, "something happens", problem)
    for causal in (False, True):
        check.close(
            pre_ln_block(x, w, 2, causal)[1:2],
            pre_ln_block(x[1:2], w, 2, causal),
            f"a sequence in a batch is treated as it is alone, causal = {causal}",
            "No step may mix the sequences of a batch.",
        )
    w32 = BlockWeights(**{name: value.float() for name, value in vars(w).items()})
    y32 = pre_ln_block(x.float(), w32, 2)
    check.close(y32, y, "float32", "Make new tensors like x.", like=x.float())
    ### BEGIN HIDDEN TESTS
    check.hidden()
    turned = draw(10, 4, 3, 6).transpose(0, 1)
    want = pre_ln_block(turned.contiguous(), w, 2)
    hint = "Some strides are unusual: reshape copies where view refuses."
    check.close(pre_ln_block(turned, w, 2), want, "turned", hint)
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: four lines are enough</summary>
#
# Norm, attention and sum; norm, MLP and sum. Write the two equations one below the
# other and translate them part by part.
#
# </details>
#
# <details><summary>Hint 2: which names to change</summary>
#
# Give the stream after attention a name, and let everything below use that name.
# Make a new tensor for each sum: `+=` would write into the caller's tensor.
#
# </details>

# %% demo="block_by_hand"
with demo("layer_norm", "attention", "mlp", "pre_ln_block"):
    got = pre_ln_block(tiny_x, tiny, 1, activation=F.relu)[0]
    print("by hand: [3.388, -0.888] and [-0.888, 2.388]; yours:", got, sep="\n")
    got = pre_ln_block(tiny_x, tiny, 1, causal=True, activation=F.relu)[0]
    print("with the causal mask the first row is [3.5, -1]; yours:", got, sep="\n")

# %% [markdown]
# ### Your block against torch's layer
#
# Now a real size: width 64, four heads, MLP width 256, fresh weights that torch drew
# itself. The cell reads them out with `weights_of` and runs both.

# %% demo="against_torch"
layer = nn.TransformerEncoderLayer(
    64, 4, 256, dropout=0.0, activation=F.gelu, batch_first=True, norm_first=True
)
x = draw(1, 2, 10, 64, dtype=torch.float32)
with demo("layer_norm", "attention", "mlp", "pre_ln_block"), torch.no_grad():
    difference = (pre_ln_block(x, weights_of(layer), 4) - layer(x)).abs().max()
    print("Equal up to rounding (1e-5):", bool(difference < 1e-5))

# %% [markdown]
# **In one line:** a block reads the stream through a norm, computes something, and
# adds it to the stream; first across tokens, then across features.

# %% [markdown]
# ## Pre-LN or post-LN?
#
# The transformer of 2017 and BERT put the norm *after* the sum (post-LN):
#
# $$X' = \operatorname{LN}_1(X + \operatorname{MHA}(X)) \qquad
# Y = \operatorname{LN}_2(X' + \operatorname{MLP}(X'))$$
#
# GPT-2, LLaMA and ViT put it *before* each part (pre-LN), as you did. Then the path
# from $X$ to $Y$ is a plain sum, and gradients travel along it unchanged to the first
# block, at any depth. In post-LN every norm sits on that path. At the start of
# training the gradients near the output are large, so the learning rate has to be
# warmed up with care.


# %% given="stack"
def run_stack(norm_first, seed, d_model=64, depth=12):
    """One first training step of a fresh stack of torch's layers, without an update.

    Returns the gradient norm of each block and the size of the stream (root mean
    square) before the first block and after each one.
    """
    torch.manual_seed(seed)
    x = torch.randn(2, 32, d_model)
    targets = torch.randint(50, (2 * 32,))
    head = nn.Linear(d_model, 50, bias=False)
    sizes, blocks = [x.square().mean().sqrt().item()], []
    for _ in range(depth):
        block = nn.TransformerEncoderLayer(
            d_model, 4, 4 * d_model, 0.0, batch_first=True, norm_first=norm_first
        )
        for matrix in (p for p in block.parameters() if p.dim() == 2):
            nn.init.xavier_normal_(matrix)
        x = block(x)
        sizes.append(x.square().mean().sqrt().item())
        blocks.append(block)
    final = F.layer_norm(x, (d_model,)) if norm_first else x
    F.cross_entropy(head(final).flatten(0, 1), targets).backward()
    norms = [sum(p.grad.square().sum() for p in b.parameters()) ** 0.5 for b in blocks]
    return torch.stack(norms), torch.tensor(sizes)


# %% demo="gradients" collapsed=true
# @title Picture: gradient norm of each block
figure, axis = plt.subplots(figsize=(5.6, 3.2))
stream_sizes = {}
styles = {"post-LN": (COLOURS["other"], "s--"), "pre-LN": (COLOURS["norm"], "o-")}
for name, (colour, style) in styles.items():
    runs = [run_stack(norm_first=name == "pre-LN", seed=seed) for seed in range(5)]
    gradients = torch.stack([norms for norms, _ in runs]).mean(0)
    stream_sizes[name] = torch.stack([sizes for _, sizes in runs]).mean(0)
    axis.plot(range(1, 13), gradients, style, color=colour, label=name)
axis.set(xlabel="block (1 is next to the input)", ylabel="gradient norm (no unit)")
axis.set_title("Near the output, post-LN has the larger gradients")
axis.set_ylim(bottom=0)
axis.legend(frameon=False)
show(
    figure,
    "Gradient norm of each of 12 fresh blocks, mean of five starts. Post-LN rises "
    "towards the output; pre-LN falls. At the last block post-LN is far above.",
)

# %% [markdown]
# ### The price of pre-LN: a stream that grows
#
# In a pre-LN stack each block adds to the stream and nothing scales it down. So its
# numbers grow with depth, in the picture to more than twice their size. The layer
# that turns the stream into predictions would see that size. Therefore a pre-LN model
# ends with **one more LayerNorm**, after the last block. A post-LN model needs none:
# its last block ends with one.

# %% demo="stream_growth" collapsed=true
# @title Picture: the stream grows with depth
figure, axis = plt.subplots(figsize=(5.6, 3.2))
for name, (colour, style) in styles.items():
    axis.plot(stream_sizes[name], style, color=colour, label=name)
end = stream_sizes["pre-LN"][-1].item()
arrow = {"arrowstyle": "->", "color": COLOURS["stream"]}
axis.annotate("", (12.4, 1), (12.4, end), arrowprops=arrow)
axis.text(12.2, end / 2, "final\nLayerNorm", ha="right", va="center")
axis.set(xlabel="blocks passed", ylabel="size of the stream\n(root mean square)")
axis.set_title("The pre-LN stream grows until a final norm sets it to 1")
axis.set_ylim(bottom=0)
axis.legend(frameon=False)
show(
    figure,
    "Size of the residual stream after each of 12 blocks. Pre-LN grows with depth; "
    "an arrow shows the final LayerNorm bringing it back to one. Post-LN stays at one.",
)

# %% [markdown]
# ### Stretch exercise: post_ln_block
#
# Move the norms: write the block of 2017 with the same arguments. It equals
# `nn.TransformerEncoderLayer(…, norm_first=False)`.
#
# - `x`: (B, T, D); `w`: a `BlockWeights`; result: (B, T, D)
# - About 3 minutes · medium · no points


# %% exercise="post_ln_block" minutes=3 stretch=true
def post_ln_block(x, w, n_heads, causal=False, activation=F.gelu):
    """One post-LN transformer block, as in 2017.

    x: (B, T, D); w: BlockWeights. Returns (B, T, D) and leaves x as it was.
    """
    ### BEGIN SOLUTION
    x = x + attention(x, w, n_heads, causal)
    x = layer_norm(x, w.ln1_scale, w.ln1_shift)
    x = x + mlp(x, w, activation)
    return layer_norm(x, w.ln2_scale, w.ln2_shift)
    ### END SOLUTION


# %% checks="post_ln_block"
with checking("post_ln_block", "norms after the sums") as check, standing_in(*PARTS):
    w, x = random_weights(BlockWeights, 6, 10, seed=6), draw(11, 2, 5, 6)
    y = post_ln_block(x, w, 2)
    check.close(
        (y - w.ln2_shift).div(w.ln2_scale).mean(-1),
        torch.zeros(2, 5).double(),
        "the output leaves the second norm",
        "What is the very last step of a post-LN block?",
    )
    want = torch_block(x, w, 2, norm_first=False)
    hint = "Do attention and the MLP read the stream without a norm before them?"
    check.close(y, want, "two heads, no mask", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for causal, activation in ((True, F.gelu), (False, F.relu)):
        got = post_ln_block(x, w, 3, causal, activation)
        want = torch_block(x, w, 3, causal, activation, norm_first=False)
        check.close(got, want, "options", "Pass the options on.")
    w = random_weights(BlockWeights, 6, 10, seed=7, dtype=torch.float32)
    x = draw(12, 1, 1, 6, dtype=torch.float32)
    want, hint = torch_block(x, w, 2, norm_first=False), "Keep shape and dtype."
    check.close(post_ln_block(x, w, 2), want, "one token, float32", hint, like=x)
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: the order of a step</summary>
#
# Part, sum, norm. The same four calls as in `pre_ln_block`, in another order.
#
# </details>
#
# <details><summary>Hint 2: where the second step starts</summary>
#
# $X'$ is the stream *after* the first norm. The MLP reads it, and the second sum adds
# to it.
#
# </details>

# %% [markdown]
# ## Shapes through a block
#
# Follow one tensor through the block you wrote:
#
# - stream and norms: $(B, T, D)$, from the first arrow to the last;
# - queries, keys and values after the split: one $(T, d_k)$ matrix for each head;
# - attention weights: for each head, a row per query and a column per key;
# - hidden layer of the MLP: $d_{\text{ff}}$ numbers per token.
#
# Only the attention weights have two axes of tokens. They are the one part whose size
# grows with the *square* of the length.

# %% [markdown]
# ### Exercise 1.5: block_shapes
#
# Predict the shapes from the sizes, without making any tensor.
#
# - All arguments are whole numbers; the result is a dict of tuples with the keys
#   `"ln"`, `"queries"` (after the split), `"attention_weights"`, `"mlp_hidden"` and
#   `"output"`
# - `n_heads` below 1, or one that does not divide `d_model`: a ValueError with a
#   message that says so
# - About 3 minutes · medium · 2 points


# %% exercise="block_shapes" minutes=3
def block_shapes(batch, tokens, d_model, n_heads, d_ff):
    """Shapes inside one block, as a dict of tuples of int.

    Keys: "ln", "queries", "attention_weights", "mlp_hidden", "output".
    Raises ValueError when n_heads is below 1 or does not divide d_model.
    """
    ### BEGIN SOLUTION
    if n_heads < 1 or d_model % n_heads:
        raise ValueError(f"{d_model} features cannot be cut into {n_heads} equal heads")
    return {
        "ln": (batch, tokens, d_model),
        "queries": (batch, n_heads, tokens, d_model // n_heads),
        "attention_weights": (batch, n_heads, tokens, tokens),
        "mlp_hidden": (batch, tokens, d_ff),
        "output": (batch, tokens, d_model),
    }
    ### END SOLUTION


# %% checks="block_shapes" points=1
with checking("block_shapes", "the stream and the MLP") as check:
    shapes = block_shapes(batch=2, tokens=5, d_model=12, n_heads=3, d_ff=20)
    keys = ["attention_weights", "ln", "mlp_hidden", "output", "queries"]
    check.equal(sorted(shapes), keys, "the five keys", "Spell the keys as given.")
    hint = "A norm changes numbers, never the shape."
    check.equal(shapes["ln"], (2, 5, 12), "ln", hint)
    hint = "How wide is the hidden layer of the MLP?"
    check.equal(shapes["mlp_hidden"], (2, 5, 20), "mlp_hidden", hint)
    hint = "Blocks stack: what goes in comes out."
    check.equal(shapes["output"], (2, 5, 12), "output", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    shapes = block_shapes(1, 1, 7, 7, 3)
    got = shapes["ln"], shapes["mlp_hidden"], shapes["output"]
    check.equal(got, ((1, 1, 7), (1, 1, 3), (1, 1, 7)), "small", "Use every size.")
    ### END HIDDEN TESTS

# %% checks="block_shapes" points=1
with checking("block_shapes", "the heads") as check:
    shapes = block_shapes(batch=2, tokens=5, d_model=12, n_heads=3, d_ff=20)
    queries, weights = shapes.get("queries"), shapes.get("attention_weights")
    hint = "After the split: which axes lead, and how wide is a head?"
    check.equal(queries, (2, 3, 5, 4), "queries", hint)
    hint = "A row for each query, a column for each key, in each head."
    check.equal(weights, (2, 3, 5, 5), "attention_weights", hint)
    whole = not any(isinstance(size, float) for size in queries)
    check.true(whole, "whole numbers", "A size is a float.", "Divide with //.")
    check.raises(lambda: block_shapes(2, 5, 12, 5, 20), "5 heads for 12 features")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    shapes = block_shapes(1, 9, 8, 8, 5)
    got = shapes["queries"], shapes["attention_weights"]
    check.equal(got, ((1, 8, 9, 1), (1, 8, 9, 9)), "narrow heads", "Use every size.")
    shapes = block_shapes(3, 2, 6, 1, 5)
    got = shapes["queries"], shapes["attention_weights"]
    check.equal(got, ((3, 1, 2, 6), (3, 1, 2, 2)), "one head", "One head will do.")
    check.raises(lambda: block_shapes(1, 1, 4, 8, 4), "more heads than features")
    for bad in (0, -2):
        check.raises(lambda bad=bad: block_shapes(1, 1, 4, bad, 4), "heads below 1")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: where to find the shapes</summary>
#
# Print `.shape` after each step of your `attention` for a small input.
#
# </details>
#
# <details><summary>Hint 2: the order of axes</summary>
#
# After the split the batch axis comes first, then the heads. The last two axes are
# the matrix that one head works on.
#
# </details>

# %% [markdown]
# ## Three families, three masks
#
# All three families are built from the same parts. The *mask* makes the family:
#
# - **Encoder-only** (BERT, ViT): every token reads every real token, in both
#   directions. Only padding is masked. BERT learns to fill in about 15 % of the
#   tokens, chosen at random.
# - **Decoder-only** (GPT, LLaMA): causal mask and padding. It learns to predict the
#   next token.
# - **Encoder–decoder** (the original transformer, T5, Whisper): an encoder as above,
#   and a decoder with *two* attentions in each block.
#
# Padding fills short sequences of a batch up to one length. No token reads it.

# %% [markdown]
# ### Cross-attention
#
# The decoder's first attention is causal self-attention over the target. The second
# is **cross-attention**: queries come from the decoder, keys and values from the
# encoder's output. The source may have another length, so the weights are a rectangle.
#
# No causal mask here: the whole source is known before the first target token is
# written. Only the padding of the *source* is hidden.


# %% demo="masks" collapsed=true
# @title Picture: the masks of the three families
def draw_mask(axis, title, queries, keys, padding, causal):
    row, column = torch.arange(queries)[:, None], torch.arange(keys)
    colour = torch.ones(queries, keys)
    colour[(column > row) & torch.tensor(causal)] = 0.25
    colour[:, keys - padding :] = 0
    shades = ["#888888", "#E0E0E0", COLOURS["attention"]]
    palette = plt.matplotlib.colors.ListedColormap(shades)
    bounds = plt.matplotlib.colors.BoundaryNorm([0, 0.2, 0.5, 1.1], 3)
    axis.pcolormesh(colour, cmap=palette, norm=bounds, edgecolors="white", lw=1)
    axis.set(title=title, xlabel="key", ylabel="query", aspect="equal")
    axis.set(xticks=[], yticks=[], ylim=(queries, 0))


figure, axes = plt.subplots(2, 2, figsize=(6.4, 6), layout="constrained")
draw_mask(axes[0, 0], "Encoder (also of T5)", 6, 6, 1, False)
draw_mask(axes[0, 1], "Decoder-only", 6, 6, 1, True)
draw_mask(axes[1, 0], "T5: decoder, self-attention", 5, 5, 1, True)
draw_mask(axes[1, 1], "T5: cross-attention", 5, 7, 2, False)
figure.suptitle("Blue is read, light grey is the future, dark grey is padding")
show(
    figure,
    "Four masks. Encoder: all keys but the padded last one. Decoder-only and decoder "
    "self-attention: the lower triangle without padding. Cross-attention: five queries "
    "by seven keys, a full rectangle but for two padded source tokens.",
)

# %% [markdown]
# ### Touch it: a block in parts
#
# Open a part: you see its formula, its parameters and its FLOPs (the additions and
# multiplications of its matrix products). The shapes are those of your
# `block_shapes`; the last quarter of a sequence is padding.
#
# - Move $H$. Which shapes change, and does any count?
# - Double $D$. How do the parameters of the MLP grow, and how those of a norm?
# - Go from encoder-only to decoder-only. Which squares empty? What else changes?
# - Go to post-LN. Is there still a path from $X$ to $Y$ without a norm?

# %% demo="explore_block"
BlockExplorer(block_shapes)

# %% [markdown]
# ## Quick checks
#
# **Quick check 1.** In a stack of blocks without a mask, which part lets token 3
# read token 7?
#
# - a) the MLP, because its hidden layer is wider than the stream
# - b) LayerNorm, because it averages
# - c) attention
# - d) the residual sum, because it runs through the whole model

# %% generated="quick_1_choices" collapsed=true

# %% question="quick_1"
# Choose one letter.
### BEGIN SOLUTION
answer_1 = "c"  # @param ["a", "b", "c", "d"]
### END SOLUTION

# %% checks="quick_1" points=1
with checking("quick_1", "who reads whom") as check:
    check.answered(answer_1, "abcd")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.choice(
        answer_1,
        "c",
        because={
            "a": "The MLP works along one row; its width never brings in another row.",
            "b": "LayerNorm averages over the features of one token, not over tokens.",
            "c": "Attention is the one part that mixes rows.",
            "d": "The sum adds row 3 to row 3; it passes rows on without mixing them.",
        },
    )
    ### END HIDDEN TESTS

# %% [markdown]
# **Quick check 2.** A model translates German to English in padded batches. Which
# masks do the two attentions of a *decoder* block use?
#
# - a) both: causal, and the padding of the target
# - b) self-attention: causal and the padding of the target;
#   cross-attention: the padding of the source
# - c) self-attention: the padding of the target;
#   cross-attention: causal and the padding of the source
# - d) self-attention: causal and the padding of the target;
#   cross-attention: the padding of the target

# %% generated="quick_2_choices" collapsed=true

# %% question="quick_2"
# Choose one letter.
### BEGIN SOLUTION
answer_2 = "b"  # @param ["a", "b", "c", "d"]
### END SOLUTION

# %% checks="quick_2" points=1
with checking("quick_2", "masks of a translation model") as check:
    check.answered(answer_2, "abcd")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.choice(
        answer_2,
        "b",
        because={
            "a": "The keys of cross-attention are source tokens, all known from the "
            "start: nothing there lies in the future.",
            "b": "Each mask hides keys: those of self-attention are target tokens, "
            "those of cross-attention are source tokens.",
            "c": "Without a causal mask in self-attention the decoder would read the "
            "word that it should predict.",
            "d": "The keys of cross-attention are source tokens; so is their padding.",
        },
    )
    ### END HIDDEN TESTS

# %% [markdown]
# ## Stretch: the parts of LLaMA
#
# LLaMA keeps the pre-LN wiring. It changes the norm and the MLP (and how positions
# enter, which we leave out here). **RMSNorm** leaves out the mean and the shift; it
# divides by the root mean square:
#
# $$y_i = \gamma_i\,\frac{x_i}{\sqrt{\tfrac1D\sum_j x_j^2 + \varepsilon}}$$
#
# **SwiGLU** is an MLP with a gate. Two maps widen the input. The first result goes
# through SiLU and is then multiplied with the second, number by number ($\odot$):
#
# $$\bigl(\operatorname{silu}(xW_{\text{gate}}) \odot xW_{\text{up}}\bigr)
# W_{\text{down}} \qquad \operatorname{silu}(z) = \frac{z}{1+e^{-z}}$$
#
# There are no biases.

# %% [markdown]
# ### Stretch exercise: rms_norm and swiglu
#
# Write both functions in one cell.
#
# - `rms_norm`: `x` (…, D), `scale` (D,); result like `x`
# - `swiglu`: `x` (…, D), `W_gate` and `W_up` (D, d_ff), `W_down` (d_ff, D);
#   result like `x`
# - About 4 minutes · medium · no points


# %% exercise="rms_norm" minutes=4 stretch=true
def rms_norm(x, scale, eps=1e-6):
    """Divide each token by its root mean square. x: (..., D); scale: (D,)."""
    ### BEGIN SOLUTION
    mean_square = x.square().mean(-1, keepdim=True)
    return x / (mean_square + eps).sqrt() * scale
    ### END SOLUTION


def swiglu(x, W_gate, W_up, W_down):
    """The gated MLP of LLaMA. x: (..., D). Returns a tensor like x."""
    ### BEGIN SOLUTION
    return (F.silu(x @ W_gate) * (x @ W_up)) @ W_down
    ### END SOLUTION


# %% checks="rms_norm"
with checking("rms_norm", "RMSNorm") as check:
    x, scale = draw(1, 2, 3, 5), draw(2, 5)
    for size, what in (
        (1e4, "large numbers"),
        (1e-6, "numbers so small that eps counts"),
    ):
        got, want = rms_norm(size * x, scale), torch_rms_norm(size * x, scale)
        hint = "One token at a time: mean of its squares, eps, root, division."
        check.close(got, want, what, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    got, want = rms_norm(x[0, 0], scale, 0.3), torch_rms_norm(x[0, 0], scale, 0.3)
    check.close(got, want, "another eps", "Use the eps that is passed in.")
    got, want = (f(x[..., :3], scale[:3]) for f in (rms_norm, torch_rms_norm))
    check.close(got, want, "three features", "Divide by the number of features.")
    x, scale = x[:1, :1].float(), scale.float()
    got, want = rms_norm(x, scale), torch_rms_norm(x, scale)
    check.close(got, want, "one token, float32", "Keep shape and dtype.", like=x)
    ### END HIDDEN TESTS

# %% checks="rms_norm"
with checking("swiglu", "SwiGLU") as check:
    x, up = draw(3, 2, 3, 5), draw(4, 5, 8)
    gate, down = draw(5, 5, 8), draw(6, 8, 5)
    hint = "Which of the two wide maps goes through SiLU, and what joins them?"
    check.close(
        swiglu(x, gate, up, down), torch_swiglu(x, gate, up, down), "2 × 3", hint
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    x = x[0, 0].float()
    maps = gate.float(), up.float(), down.float()
    want = torch_swiglu(x, *maps)
    check.close(swiglu(x, *maps), want, "one token, float32", hint, like=x)
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: what is left of LayerNorm</summary>
#
# Start from your `layer_norm` and strike out the mean and the shift.
#
# </details>
#
# <details><summary>Hint 2: the gate</summary>
#
# Both wide tensors have the shape $(…, d_{\text{ff}})$; `*` multiplies them number by
# number. torch has SiLU ready as an activation function.
#
# </details>

# %% [markdown]
# ## Common mistakes
#
# - **A view instead of a cut.** The shape is right and the heads hold the wrong
#   tokens. No error, and training still improves a little.
# - **$\sqrt D$ instead of $\sqrt{d_k}$.** Both agree with one head, so test with two.
# - **Softmax over the queries.** Columns sum to 1 instead of rows.
# - **A mask after the softmax**, or filled with a number that is not small enough.
# - **Variance divided by $D - 1$**, the default of `torch.var`.
# - **A residual around the wrong tensor.** The second sum adds to $X'$, not to $X$.
# - **No final norm** after a pre-LN stack.
#
# All of them run without an error. That is why you compare with a reference.

# %% [markdown]
# ## Check yourself
#
# Answer aloud, then unfold.
#
# <details><summary>What are the five shapes for B = 2, T = 5, D = 64, H = 4 and an MLP
# width of 256?</summary>
#
# Norm (2, 5, 64); queries (2, 4, 5, 16); attention weights (2, 4, 5, 5); hidden layer
# (2, 5, 256); output (2, 5, 64).
#
# </details>
#
# <details><summary>Why can the value bias be added after the weighted sum?</summary>
#
# The weights of a query sum to 1, so a weighted mean of values that all contain the
# same bias contains that bias once.
#
# </details>
#
# <details><summary>How do you test that no token reads the future?</summary>
#
# Change one late token and compare the outputs of all earlier ones: none may move.
#
# </details>

# %% [markdown]
# ### Your predictions
#
# <details><summary>1. Shuffled tokens: the answer</summary>
#
# b). Without a mask nothing in a block knows the position of a row. Norm, MLP and sums
# work on each row alone, and attention is a weighted mean, whose order of terms does
# not matter. So the output rows are shuffled in the same way. This is why models add
# positions to the input (lesson 2).
#
# </details>
#
# <details><summary>2. Gradients near the output: the answer</summary>
#
# b). In the picture above post-LN rises towards the output. In pre-LN the stream grows
# with depth, so that late blocks change it by a smaller share.
#
# </details>

# %% [markdown]
# ## Interview angle
#
# Try each in under a minute, then check yourself against the lesson.
#
# - Why divide by $\sqrt{d_k}$, and what goes wrong without it?
# - Multi-head attention has as many weights for 1 head as for 16. What do more heads
#   change?
# - Pre-LN against post-LN: where do the norms stand, what does each cost?
# - BERT, GPT, T5: which masks, and which task does each one learn?
# - You find a model that trains, but worse than it should. Which silent faults in an
#   attention layer would you test for first?

# %% [markdown]
# ## Recall cards
#
# Say the answer aloud, then turn the card. Turn them again tomorrow and in a week:
# what you have recalled three times stays.

# %% generated="cards" collapsed=true

# %% [markdown]
# ## Reading
#
# - *Attention Is All You Need* (2017), arXiv 1706.03762, section 3: the original, with
#   post-LN blocks.
# - *Layer Normalization* (2016), arXiv 1607.06450.
# - *On Layer Normalization in the Transformer Architecture* (2020), arXiv 2002.04745:
#   why pre-LN needs no warm-up.
# - *Gaussian Error Linear Units (GELUs)* (2016), arXiv 1606.08415.
# - *GLU Variants Improve Transformer* (2020), arXiv 2002.05202: SwiGLU.
# - *Root Mean Square Layer Normalization* (2019), arXiv 1910.07467.
# - *BERT* (2019), arXiv 1810.04805, and *Exploring the Limits of Transfer Learning
#   with a Unified Text-to-Text Transformer* (T5, 2020), arXiv 1910.10683.
# - *Understanding Deep Learning* (2023), chapter 12, and *The Annotated Transformer*.

# %% [markdown]
# ## Your score
#
# Every check of this notebook, and your points so far. Run the cell again after you
# have changed an answer and run its checks.

# %% generated="score" collapsed=true
