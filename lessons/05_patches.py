# %% [markdown]
# # Lesson 5: patch embedding is a convolution
#
# **You turn a picture into a sequence that a transformer can read, see that the step
# is a convolution in disguise, and take a trained model to a larger picture.**
#
# - Time: about 35 minutes.
# - Points: 20, in five exercises and two quick checks.
# - Know before: shapes of torch tensors, matrix products, roughly what a convolution
#   does. The block itself comes from lesson 1, its parameter count from lesson 2.
#
# Run the cells in order. A check that fails says what is right so far and where
# to look next.

# %% given="setup" collapsed=true
# @title Set-up: run this cell first
import io
from pathlib import Path

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

from support.checks import Checker, draw
from support.patches import (
    CONVOLUTIONS,
    STAND_INS,
    torch_embed_patches,
    torch_patchify,
    torch_resize,
    torch_vit_tokens,
)

checking = Checker(STAND_INS, forbidden=CONVOLUTIONS)
standing_in, demo = checking.standing_in, checking.demo
torch.set_num_threads(1)  # tensors this small are faster on one core
torch.manual_seed(5)
torch.set_printoptions(precision=3, sci_mode=False)

# %% demo="figures" collapsed=true
# @title Set-up of figures, cards and score: run this cell too
from support.advice import Advice  # noqa: E402, F401
from support.cards import Cards  # noqa: E402, F401
from support.figures.patch_explorer import PatchExplorer  # noqa: E402
from support.plots import show  # noqa: E402
from support.quiz import Choices  # noqa: E402, F401
from support.score import show_score  # noqa: E402, F401

# %% generated="advice" collapsed=true

# %% [markdown]
# ## Predict first
#
# Guess before you read on. Nothing here is graded; the answers stand near the end.
#
# **1.** You cut the same picture into patches of 8 × 8 pixels instead of 16 × 16.
# How many times as many numbers does the attention matrix of one head hold?
#
# - a) About 2.
# - b) About 4.
# - c) About 16.
#
# **2.** Somebody shuffles the pixels inside every patch, in the same way for every
# patch of every picture, and trains a new vision transformer on the result. What
# happens?
#
# - a) It learns less, since pixels lost their neighbours.
# - b) It learns as well as before.
# - c) It learns as well only if the patches are shuffled too.

# %% demo="predict"
prediction_1 = None  # @param ["a", "b", "c"]
prediction_2 = None  # @param ["a", "b", "c"]

# %% [markdown]
# ## From a picture to a sequence
#
# A transformer reads a sequence of rows. A picture is a grid of pixels, with $C$
# channels (3 for red, green, blue), height $H$ and width $W$.
#
# One token per pixel would give $224 \cdot 224 = 50{,}176$ tokens, and attention
# compares each with each. So the **vision transformer** (ViT) makes tokens of
# *patches*: squares of $P \times P$ pixels that tile the picture.
#
# $$T = \frac HP \cdot \frac WP$$
#
# With $H = W = 224$ and $P = 16$ that is $14 \cdot 14 = 196$ patches.

# %% given="scene" collapsed=true
# @title The picture: data/scene.png, carried in this notebook
png = Path("data/scene.png").read_bytes()
pixels = plt.imread(io.BytesIO(png))[..., :3]  # (224, 224, 3), from 0 to 1
scene = torch.tensor(pixels).permute(2, 0, 1)[None].contiguous()  # (1, 3, 224, 224)

# %% [markdown]
# ### Two orders to agree on
#
# A batch of pictures is a tensor `images` of shape $(B, C, H, W)$.
#
# **Which patch is which token?** Row by row, from the top left. The patch in row $r$
# and column $s$ of the grid is token $r \cdot \frac WP + s$, counted from 0.
#
# **Which pixel is which number of the token?** First channel 0, row by row; then
# channel 1, row by row; and so on: the order (channel, row, column). A token
# holds $C \cdot P^2$ numbers.
#
# Any order would do, if everybody kept to it. This one is also the order in which
# torch stores the filters of a convolution.

# %% [markdown]
# ### Patches by hand
#
# One channel, $H = W = 4$, $P = 2$:
#
# $$\begin{pmatrix} 1 & 2 & 3 & 4 \\ 5 & 6 & 7 & 8 \\
# 9 & 10 & 11 & 12 \\ 13 & 14 & 15 & 16 \end{pmatrix}$$
#
# This makes 4 patches of 4 numbers. Token 0 is the patch at the top left:
# $(1, 2, 5, 6)$. Then follow $(3, 4, 7, 8)$, $(9, 10, 13, 14)$ and $(11, 12, 15, 16)$.
#
# Note the jump from 2 to 5: neighbours in a token need not be neighbours in memory.
# So one `reshape` to $(B, T, C P^2)$ gives the right shape and the wrong numbers.

# %% given="by_hand"
tiny_image = torch.arange(1.0, 17.0).reshape(1, 1, 4, 4)  # (B, C, H, W)
print("one reshape, and the first token is wrong:")
print(tiny_image.reshape(1, 4, 4)[0, 0])

# %% [markdown]
# ### Exercise 5.1: patchify
#
# Cut a batch of pictures into patches, and each patch into a row of numbers.
#
# - `images`: (B, C, H, W), also with H ≠ W; result: (B, T, C·P²), same dtype
# - `patch`: the side $P$ in pixels; one that does not divide H or W is a ValueError
#   that says so
# - About 7 minutes · medium · 6 points
#
# Convolutions of any kind are out of bounds in this lesson, since one of them is what
# you are about to rebuild. Everything else is yours to use: reshaping, unfolding,
# matrix products, loops.


# %% exercise="patchify" minutes=7
def patchify(images, patch):
    """Cut images into patches, each one a row of numbers.

    images: (B, C, H, W). Returns (B, T, C * patch**2): patches row by row, the
    numbers of a patch in the order (channel, row, column).
    Raises ValueError when patch does not divide H or W.
    """
    ### BEGIN SOLUTION
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError(f"{height} × {width} pixels do not split by {patch}")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, rows, patch, columns, patch)
    tiles = cut.permute(0, 2, 4, 1, 3, 5)  # (B, rows, columns, C, P, P)
    return tiles.reshape(batch, rows * columns, channels * patch**2)
    ### END SOLUTION


# %% checks="patchify" points=2
with checking("patchify", "inside one patch") as check:
    # One patch covers the picture, so only the order inside it counts.
    image = draw(1, 1, 1, 3, 3).float()
    hint = "Inside a patch, read row by row."
    check.close(patchify(image, 3), image.reshape(1, 1, 9), "one channel", hint)
    image = draw(2, 1, 3, 2, 2).float()
    check.close(
        patchify(image, 2),
        image.reshape(1, 1, 12),
        "three channels",
        "A token holds all of channel 0 first, then all of channel 1.",
    )
    images = draw(3, 2, 3, 4, 4).float()
    hint = "Each picture of the batch has tokens of its own: axis 0 stays in front."
    check.close(patchify(images, 4), images.reshape(2, 1, 48), "two pictures", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    images = draw(4, 3, 5, 7, 7).float()
    hint = "Compare the order inside a patch with the docstring."
    check.close(patchify(images, 7), images.reshape(3, 1, 245), "5 channels", hint)
    ### END HIDDEN TESTS

# %% checks="patchify" points=2
with checking("patchify", "which patch is which token") as check:
    # All pixels of a patch hold the number of its token: 0 at the top left.
    def numbered(rows, columns, patch):
        number = torch.arange(1.0 * rows * columns).reshape(1, 1, rows, columns)
        return number.repeat_interleave(patch, 2).repeat_interleave(patch, 3)

    def tokens(count, size):
        return torch.arange(1.0 * count)[None, :, None].expand(1, count, size)

    got = patchify(numbered(2, 2, 3), 3)
    check.equal(tuple(got.shape), (1, 4, 9), "shape", "A row per patch: (B, T, C·P²).")
    problem = "A token holds pixels of several patches."
    hint = "A pixel row runs through several patches: cut both sides, then merge."
    check.true((got == got[..., :1]).all(), "one patch per token", problem, hint)
    hint = "Number the patches like words on a page."
    check.close(got, tokens(4, 9), "a 2 × 2 grid", hint)
    hint = "Rows are H / P and columns W / P: two numbers, not one."
    check.close(patchify(numbered(2, 3, 4), 4), tokens(6, 16), "a 2 × 3 grid", hint)
    images, want = numbered(2, 3, 4).repeat(1, 3, 1, 1), tokens(6, 48)
    hint = "The grid axes come before the channels: move them there, then reshape."
    check.close(patchify(images, 4), want, "three channels", hint)
    images, want = torch.cat([images, -images]), torch.cat([want, -want])
    hint = "Tokens of one picture stay together: axis 0 is the batch."
    check.close(patchify(images, 4), want, "two pictures", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for rows, columns in ((5, 2), (1, 4), (4, 1)):
        got, want = patchify(numbered(rows, columns, 3), 3), tokens(rows * columns, 9)
        check.close(got, want, "other grids", "Try a tall grid and a single row.")
    ### END HIDDEN TESTS

# %% checks="patchify" points=1
with checking("patchify", "any picture") as check:
    images = draw(1, 2, 3, 8, 12)
    hint = "If the two checks above pass, look at how rows and columns are cut."
    check.close(patchify(images, 4), torch_patchify(images, 4), "8 × 12", hint)
    small = images.float()
    hint = "Take sizes from the tensor and keep its dtype."
    check.close(patchify(small, 2), torch_patchify(small, 2), "float32", hint)
    turned = draw(2, 2, 6, 9, 3).permute(0, 3, 1, 2)  # channels last in memory
    hint = "The tensor may lie in memory in another order: reshape copies if it must."
    check.close(patchify(turned, 3), torch_patchify(turned, 3), "channels last", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for shape, patch in (((1, 1, 5, 10), 5), ((3, 4, 2, 6), 1), ((1, 7, 9, 6), 3)):
        images = draw(3, *shape)
        want = torch_patchify(images, patch)
        hint = "Try one channel, one picture, patches of one pixel."
        check.close(patchify(images, patch), want, "other sizes", hint)
    ### END HIDDEN TESTS

# %% checks="patchify" points=1
with checking("patchify", "patches that do not fit") as check:
    hint = "Refuse only what does not fit."
    check.runs(lambda: patchify(draw(1, 1, 3, 8, 12), 4), "sides that fit", hint)
    check.raises(lambda: patchify(draw(1, 1, 3, 8, 10), 4), "W = 10, P = 4")
    check.raises(lambda: patchify(draw(1, 1, 3, 10, 8), 4), "H = 10, P = 4")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.raises(lambda: patchify(draw(1, 1, 3, 4, 9), 6), "area fits, sides do not")
    check.raises(lambda: patchify(draw(1, 2, 1, 4, 4), 8), "patch above the image")
    check.raises(lambda: patchify(draw(1, 2, 3, 6, 6), 5), "neither side")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: more axes</summary>
#
# Split the height axis into two axes, (rows, P), and the width axis into
# (columns, P). Nothing moves in memory yet: you have six axes now.
#
# </details>
#
# <details><summary>Hint 2: the order of axes</summary>
#
# Write down the six axes that you have and the six that you want. The batch comes
# first, then the two axes that name the patch, then the three that name a number
# inside it. `permute` takes you from the one list to the other.
#
# </details>
#
# <details><summary>Hint 3: the last step</summary>
#
# Merge the two grid axes into $T$ and the last three into $C P^2$. After a `permute`
# a tensor is not contiguous: `view` refuses it, `reshape` copies.
#
# </details>

# %% demo="patches_as_a_sequence" collapsed=true
# @title Picture: the scene as a sequence of patches
with demo("patchify"):
    tokens = patchify(scene, 56)[0]  # (16, 3 · 56²): large patches, to see them
    figure, (top, strip) = plt.subplots(
        2, 1, figsize=(6.8, 4.6), height_ratios=(6, 1), layout="constrained"
    )
    top.imshow(scene[0].permute(1, 2, 0))
    for number in range(16):
        row, column = divmod(number, 4)
        style = {"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"}
        top.text(56 * column + 5, 56 * row + 13, number, fontsize=8, bbox=style)
    top.set(xticks=range(0, 225, 56), yticks=range(0, 225, 56))
    top.set(xlabel="column (pixels)", ylabel="row (pixels)")
    top.grid(color="white", lw=1)
    gap = torch.ones(56, 8, 3)
    tiles = [token.reshape(3, 56, 56).permute(1, 2, 0) for token in tokens]
    strip.imshow(torch.cat([part for tile in tiles for part in (tile, gap)], 1))
    strip.set(xticks=[64 * n + 28 for n in range(16)], xticklabels=range(16))
    strip.set(yticks=[], xlabel="token")
    top.set_title("A picture of 16 patches is a sequence of 16 tokens")
    show(
        figure,
        "A landscape cut into a grid of four by four patches, and below it the same "
        "patches in one line, row after row: sky first, meadow last.",
    )

# %% [markdown]
# ## One matrix for every patch
#
# A patch of $C P^2$ raw numbers is not yet a token of width $D$. One linear map,
# the same for every patch, makes it one. With $x_t$ the flattened patch $t$, $E$ a
# matrix of shape $(C P^2, D)$ and $b$ a bias:
#
# $$z_t = x_t E + b$$
#
# This is **patch embedding**. It has $C P^2 \cdot D + D$ parameters: with $C = 3$,
# $P = 16$ and $D = 768$ that is $768 \cdot 768 + 768 = 590{,}592$.
#
# (That $C P^2$ and $D$ are both 768 in this model is an accident.)

# %% [markdown]
# ### The same thing, seen as a convolution
#
# Column $d$ of $E$ has as many numbers as a patch. Fold it back into the shape
# $(C, P, P)$ and it is a **filter**. Number $d$ of token $t$ is the dot product of
# filter $d$ and patch $t$, plus $b_d$.
#
# A convolution does this too: it lays a filter on a window, takes the dot product,
# and moves on by the *stride*. With windows of $P \times P$ and a stride of $P$ the
# windows tile the picture: each is one patch.
#
# So patch embedding **equals** `nn.Conv2d(C, D, kernel_size=P, stride=P)`, as long as
# filters and patches are flattened in the same order.

# %% [markdown]
# ### Embedding by hand
#
# Take the four patches from above, $D = 1$, the filter
# $\begin{pmatrix} 0 & 1 \\ 1 & 0 \end{pmatrix}$ and the bias $-1$. Flattened, the
# filter is $(0, 1, 1, 0)$: it adds the second and the third number.
#
# - $(1, 2, 5, 6)$ gives $2 + 5 - 1 = 6$
# - $(3, 4, 7, 8)$ gives $4 + 7 - 1 = 10$
# - $(9, 10, 13, 14)$ gives $22$ and $(11, 12, 15, 16)$ gives $26$
#
# The sequence is $6, 10, 22, 26$. The convolution gives the same numbers as a grid,
# of shape $(B, D, \text{rows}, \text{columns})$.

# %% demo="convolution_by_hand"
tiny_filter = torch.tensor([[[[0.0, 1.0], [1.0, 0.0]]]])  # (D, C, P, P)
print("torch's convolution with stride 2 gives the grid (rows, columns):")
print(F.conv2d(tiny_image, tiny_filter, torch.tensor([-1.0]), stride=2)[0, 0])

# %% [markdown]
# ### Exercise 5.2: embed_patches
#
# Do what the convolution does, without one. The weight comes in the shape in which
# `nn.Conv2d` stores it.
#
# - `images`: (B, C, H, W); `weight`: (D, C, P, P); `bias`: (D,);
#   result: (B, T, D)
# - $P$ is read from the weight; one that does not divide H or W is a ValueError with a
#   message that says what is wrong
# - About 5 minutes · medium · 4 points
#
# You may call your `patchify`. The checks put a right one in its place, so a slip in
# 5.1 costs nothing here.


# %% exercise="embed_patches" minutes=5
def embed_patches(images, weight, bias):
    """Map each patch of the images to a token of width D.

    images: (B, C, H, W); weight: (D, C, P, P); bias: (D,). Returns (B, T, D).
    Raises ValueError when P does not divide H or W.
    """
    ### BEGIN SOLUTION
    patches = patchify(images, weight.shape[-1])  # (B, T, C·P²)
    filters = weight.flatten(1)  # (D, C·P²)
    return patches @ filters.T + bias
    ### END SOLUTION


# %% checks="embed_patches" points=1
with (
    checking("embed_patches", "one patch, one dot product") as check,
    standing_in("patchify"),
):
    # One patch covers each picture.
    images, weight = draw(1, 2, 3, 4, 4).float(), draw(2, 5, 3, 4, 4).float()
    bias, no_bias = draw(3, 5).float(), torch.zeros(5)
    check.close(
        embed_patches(images, weight, no_bias),
        torch_embed_patches(images, weight, no_bias),
        "five filters without bias",
        "Multiply filter and patch number by number, both in one order, and add up.",
    )
    check.close(
        embed_patches(images, weight, bias),
        torch_embed_patches(images, weight, bias),
        "a bias for each filter",
        "Where does the bias come in?",
    )
    ### BEGIN HIDDEN TESTS
    check.hidden()
    images, weight = draw(4, 3, 2, 3, 3).float(), draw(5, 7, 2, 3, 3).float()
    bias = draw(6, 7).float()
    want = torch_embed_patches(images, weight, bias)
    hint = "Each output is the dot product of one filter and the whole patch."
    check.close(embed_patches(images, weight, bias), want, "7 filters", hint)
    ### END HIDDEN TESTS

# %% checks="embed_patches" points=1
with (
    checking("embed_patches", "tokens in the order of patches") as check,
    standing_in("patchify"),
):
    # Each filter holds one number throughout, so the order in a patch cannot matter.
    level, bias = draw(1, 5, 1, 1, 1).float(), torch.zeros(5)
    weight = level.repeat(1, 3, 2, 2)
    axes = "One row per patch, with D numbers in it: which axis comes last?"
    for shape, what, hint in (
        ((1, 3, 2, 6), "a row of patches", axes),
        ((1, 3, 4, 6), "a grid of patches", "Keep the patches in order, row by row."),
        ((2, 3, 8, 2), "two pictures", "Each picture has tokens of its own."),
    ):
        images = draw(2, *shape).float()
        want = torch_embed_patches(images, weight, bias)
        check.close(embed_patches(images, weight, bias), want, what, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    images, weight = draw(4, 3, 2, 9, 12).float(), level.repeat(1, 2, 3, 3)
    want = torch_embed_patches(images, weight, bias)
    hint = "Keep the patches in order, row by row."
    check.close(embed_patches(images, weight, bias), want, "3 × 4 grid", hint)
    ### END HIDDEN TESTS

# %% checks="embed_patches" points=1
with (
    checking("embed_patches", "the numbers of torch's convolution") as check,
    standing_in("patchify"),
):
    images, weight, bias = draw(1, 2, 3, 8, 12), draw(2, 7, 3, 4, 4), draw(3, 7)
    want = torch_embed_patches(images, weight, bias)
    hint = "Is the weight flattened in the order of a patch, one filter after another?"
    check.close(embed_patches(images, weight, bias), want, "8 × 12", hint, terms=49)
    in_32 = images.float(), weight.float(), bias.float()
    got, want = embed_patches(*in_32), torch_embed_patches(*in_32)
    check.close(got, want, "float32", "Keep the dtype.", like=in_32[0], terms=49)
    images, weight = images.permute(0, 1, 3, 2), weight.permute(0, 1, 3, 2)
    want = torch_embed_patches(images, weight, bias)
    hint = "Neither tensor need be contiguous: reshape and flatten copy if they must."
    check.close(embed_patches(images, weight, bias), want, "turned", hint, terms=49)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for channels, d_model, patch in ((1, 6, 3), (4, 1, 2), (5, 3, 1), (2, 9, 6)):
        images = draw(4, 3, channels, 6, 12)
        weight, bias = draw(5, d_model, channels, patch, patch), draw(6, d_model)
        want = torch_embed_patches(images, weight, bias)
        hint = "Try one channel, one filter, patches of one pixel."
        check.close(embed_patches(images, weight, bias), want, "sizes", hint, terms=73)
    ### END HIDDEN TESTS

# %% checks="embed_patches" points=1
with (
    checking("embed_patches", "patches that do not fit") as check,
    standing_in("patchify"),
):
    weight, bias = draw(1, 5, 3, 4, 4), draw(2, 5)
    wide, tall = draw(3, 1, 3, 8, 10), draw(3, 1, 3, 10, 8)
    fits, hint = draw(3, 1, 3, 8, 12), "Refuse only what does not fit."
    check.runs(lambda: embed_patches(fits, weight, bias), "sides that fit", hint)
    check.raises(lambda: embed_patches(wide, weight, bias), "W = 10, P = 4")
    check.raises(lambda: embed_patches(tall, weight, bias), "H = 10, P = 4")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    small = draw(4, 2, 3, 2, 2)
    check.raises(lambda: embed_patches(small, weight, bias), "patch above the image")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: two tables</summary>
#
# You need a table of patches, one row each, and a table of filters, one row each. In
# both, a row has $C P^2$ numbers in the order (channel, row, column).
#
# </details>
#
# <details><summary>Hint 2: from rows to columns</summary>
#
# `x @ W` wants the filters as *columns*. Flatten each filter to a row first, then
# transpose. A reshape to $(C P^2, D)$ has the same shape and mixes the filters.
#
# </details>

# %% [markdown]
# ### What filters look like
#
# What would be good filters? One old answer: those that describe the patches with the
# fewest numbers, the *principal components*. The cell below finds the first six for
# a grey copy of our picture ($C = 1$) and lays each over all 196 patches. In a filter
# orange is above 0 and purple below; in its answers, above and below their mean.
#
# The authors of ViT looked at the principal components of the filters that their
# model had *learned* (their Figure 7). Those look much like these: plain areas,
# edges, waves, in several directions.

# %% demo="filter_bank" collapsed=true
# @title Picture: a bank of filters
with demo("patchify", "embed_patches"):
    grey = scene.mean(1, keepdim=True)  # (1, 1, 224, 224)
    patches = patchify(grey, 16)[0]  # (196, 256)
    spread = patches - patches.mean(0)
    weight = torch.linalg.svd(spread, full_matrices=False).Vh[:6]
    weight = (weight * weight[:, -1:].sign()).reshape(6, 1, 16, 16)
    found = embed_patches(grey, weight, torch.zeros(6))[0]  # (196, 6)
    figure, axes = plt.subplots(2, 6, figsize=(7, 2.9), layout="constrained")
    for number, (above, below) in enumerate(axes.T):
        answers = found[:, number] - found[:, number].mean()
        for axis, values, side in ((above, weight[number], 16), (below, answers, 14)):
            end = values.abs().max()
            colours = {"cmap": "PuOr_r", "vmin": -end, "vmax": end}
            axis.imshow(values.reshape(side, side), **colours)
            axis.set(xticks=[], yticks=[])
        above.set_title(f"filter {number}")
    axes[0, 0].set_ylabel("16 × 16\npixels")
    axes[1, 0].set_ylabel("14 × 14\ntokens")
    figure.suptitle("Each filter gives one number per patch: a small picture")
    show(
        figure,
        "Six filters of sixteen by sixteen pixels: a plain one, edges and waves in "
        "several directions. Below each, its answers for all patches, as a coarse "
        "picture: the plain filter shows light and dark; the answers of the others are "
        "large at a few patches and near zero elsewhere.",
    )

# %% [markdown]
# ## What a ViT does with the tokens
#
# 1. Embed the patches: $T$ rows of width $D$.
# 2. Put one more row in front, the **class token** [CLS]. It is learned, the same
#    for every picture, and belongs to no patch. It collects what the answer needs.
# 3. Add **positions**: a learned table of $T + 1$ rows, one for each token, [CLS]
#    too. Without it, shuffled patches would give the same answer.
# 4. Run $L$ pre-LN blocks *without* a causal mask, then a final norm.
# 5. A linear head reads row 0, [CLS], and scores the classes. Later models often
#    average the patch rows instead, and many have no [CLS].

# %% [markdown]
# ### Why not a table of rows and columns?
#
# The table has one row per patch number: 1, 2, 3, … Nothing in it says that token 14
# lies below token 0. The authors also tried positions made of a row part and a column
# part. Those did no better (their appendix D.4). No positions at all did clearly
# worse.
#
# A model with 196 patches can learn the grid from data. In trained tables, rows of
# neighbouring patches have become alike.

# %% [markdown]
# ### Exercise 5.3: vit_tokens
#
# Make the input of the first block.
#
# - `patch_tokens`: (B, T, D); `cls_token`: (1, 1, D);
#   `positions`: (1, T + 1, D), row 0 for [CLS]; result: (B, T + 1, D)
# - A table that has not exactly $T + 1$ rows is a ValueError with a message that says
#   what is wrong: torch would stretch one with a single row without a word
# - About 3 minutes · warm-up · 2 points


# %% exercise="vit_tokens" minutes=3
def vit_tokens(patch_tokens, cls_token, positions):
    """Put the class token in front and add the positions.

    patch_tokens: (B, T, D); cls_token: (1, 1, D); positions: (1, T + 1, D).
    Returns (B, T + 1, D). Raises ValueError unless positions has T + 1 rows.
    """
    ### BEGIN SOLUTION
    batch, count, _ = patch_tokens.shape
    if positions.shape[1] != count + 1:
        raise ValueError(f"{positions.shape[1]} positions for {count} + 1 tokens")
    first = cls_token.expand(batch, -1, -1)
    return torch.cat([first, patch_tokens], dim=1) + positions
    ### END SOLUTION


# %% checks="vit_tokens" points=1
with checking("vit_tokens", "a row in front, and positions") as check:
    patches, cls_token, positions = draw(1, 2, 3, 5), draw(2, 1, 1, 5), draw(3, 1, 4, 5)
    tokens = vit_tokens(patches, cls_token, 0 * positions)
    hint = "Row 0 is [CLS], for every picture of the batch; the patches follow."
    want = torch_vit_tokens(patches, cls_token, 0 * positions)
    check.close(tokens, want, "positions of zero", hint)
    tokens = vit_tokens(0 * patches, 0 * cls_token, positions)
    hint = "The table has a row for each token, [CLS] too: which row goes where?"
    check.close(tokens, positions.repeat(2, 1, 1), "positions alone", hint)
    tokens = vit_tokens(patches, cls_token, positions)
    want = torch_vit_tokens(patches, cls_token, positions)
    check.close(tokens, want, "all three", "Add the positions once.")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for batch, count in ((1, 1), (3, 1), (1, 6)):
        parts = draw(4, batch, 7, count).mT, draw(5, 1, 1, 7), draw(6, 1, 1 + count, 7)
        want = torch_vit_tokens(*parts)
        hint = "Try one patch, one picture, tensors that are not contiguous."
        check.close(vit_tokens(*parts), want, "other sizes", hint)
        parts = [part.float() for part in parts]
        got, want = vit_tokens(*parts), torch_vit_tokens(*parts)
        check.close(got, want, "float32", "Keep the dtype.")
    ### END HIDDEN TESTS

# %% checks="vit_tokens" points=1
with checking("vit_tokens", "counts that do not fit") as check:
    patches, cls_token = draw(1, 2, 3, 5), draw(2, 1, 1, 5)
    fits, hint = draw(3, 1, 4, 5), "Refuse only counts that do not fit."
    check.runs(lambda: vit_tokens(patches, cls_token, fits), "T + 1 rows", hint)
    check.raises(lambda: vit_tokens(patches, cls_token, draw(3, 1, 3, 5)), "T rows")
    check.raises(lambda: vit_tokens(patches, cls_token, draw(3, 1, 1, 5)), "one row")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.raises(lambda: vit_tokens(patches, cls_token, draw(4, 1, 5, 5)), "T + 2")
    check.raises(lambda: vit_tokens(patches, cls_token, draw(4, 1, 9, 5)), "many")
    one = draw(5, 1, 1, 5)
    check.raises(lambda: vit_tokens(one, cls_token, draw(6, 1, 1, 5)), "T = 1")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: one class token for many pictures</summary>
#
# `torch.cat` does not broadcast. Give the class token the batch size first; `expand`
# does it without copying.
#
# </details>
#
# <details><summary>Hint 2: in which order</summary>
#
# Join first, add second. Then the table lines up with the tokens by itself.
#
# </details>

# %% [markdown]
# ## A larger picture
#
# A ViT is trained at 224 × 224 and then often **fine-tuned at a higher resolution**,
# such as 384 × 384. What changes?
#
# - The patch side $P$ stays, so the filters still fit. The grid grows from 14 × 14
#   to 24 × 24, and $T + 1$ from 197 to 577.
# - The blocks do not care how many tokens there are. No weight in them depends on $T$.
# - Only the positions do not fit: 197 rows, and 577 are needed.
#
# The work done for each token by itself (projections, MLP) grows 2.9 times, as the
# tokens do. The attention matrix grows 8.6 times: $577^2$ entries in place of $197^2$.

# %% [markdown]
# ### Resize the table as a picture
#
# Row 0 belongs to [CLS] and to no place: set it aside. The other $T$ rows belong to
# places on a grid. Lay them out as such, and the table is a small picture with $D$
# channels. Resize *that*, read it row by row again, and put row 0 back.
#
# The new values are mixed from old ones nearby. **Bicubic** resizing takes $4 \times
# 4$ neighbours for each. Three details must agree with the reference, or the numbers
# differ:
#
# - corners are *not* aligned: the grids cover the same area, edge to edge;
# - no antialiasing filter;
# - the new **size** is given, not a scale factor.

# %% [markdown]
# ### Resizing by hand
#
# To see what "not aligned" means, take a row of 2 values and ask for 4.
#
# The old cells are 1 wide, with centres at $0.5$ and $1.5$. The new cells are
# $\frac24 = 0.5$ wide, with centres at $0.25$, $0.75$, $1.25$ and $1.75$. So the first
# new value lies *outside* the old centres, and none falls on one.
#
# With aligned corners the first and last centres of both rows would coincide.
#
# Why sizes? $11 \cdot \frac{15}{11}$ is 15 on paper. In floating point it is a hair
# less, and rounded down it is 14: one row of positions is missing.

# %% demo="rounding"
print(f"11 · (15 / 11) = {11 * (15 / 11)}, rounded down: {int(11 * (15 / 11))}")

# %% [markdown]
# ### Exercise 5.4: resize_positions
#
# Take a table of positions to another grid.
#
# - `positions`: $(1, 1 + h_0 w_0, D)$, row 0 for [CLS]; `old_grid`: the pair
#   $(h_0, w_0)$, rows and columns; `new_grid`: the pair $(h, w)$; result:
#   $(1, 1 + h w, D)$
# - Bicubic, corners not aligned, no antialiasing, computed from sizes; `F.interpolate`
#   is welcome
# - An old grid that does not fit the rows of the table is a ValueError with a message
#   that says what is wrong
# - About 6 minutes · medium · 4 points
#
# Grids need not be square. Computing in float32 inside is fine; the dtype that went in
# comes out.


# %% exercise="resize_positions" minutes=6
def resize_positions(positions, old_grid, new_grid):
    """Resize a table of positions to another grid; the [CLS] row stays as it is.

    positions: (1, 1 + h0 * w0, D) for old_grid = (h0, w0), as (rows, columns).
    Returns (1, 1 + h * w, D) for new_grid = (h, w), bicubic.
    Raises ValueError when old_grid does not fit the rows of positions.
    """
    ### BEGIN SOLUTION
    rows, columns = old_grid
    if positions.shape[1] != 1 + rows * columns:
        raise ValueError(f"{positions.shape[1]} rows are not 1 + {rows} · {columns}")
    cls_row, places = positions[:, :1], positions[:, 1:]
    picture = places.mT.reshape(1, -1, rows, columns)  # (1, D, rows, columns)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    places = picture.flatten(2).mT  # (1, h·w, D)
    return torch.cat([cls_row, places], dim=1)
    ### END SOLUTION


# %% checks="resize_positions" points=1
with checking("resize_positions", "[CLS] and the way there and back") as check:
    # float32 throughout: it is fine to compute in it
    positions = draw(1, 1, 16, 7, dtype=torch.float32)
    level = positions.clone()
    level[:, 1:] = 2.0  # all places alike: resizing cannot change them
    want = torch_resize(level, (3, 5), (6, 4))
    hint = "Set row 0 aside before the table becomes a grid; put it back in front."
    check.close(resize_positions(level, (3, 5), (6, 4)), want, "[CLS] row", hint)
    square = draw(2, 1, 10, 7, dtype=torch.float32)
    got = resize_positions(square, (3, 3), (3, 3))[:, 1:]
    hint = "Axis D must move away from the places, and back: look at both reshapes."
    check.close(got, square[:, 1:], "3 × 3 to 3 × 3, same numbers", hint)
    got = resize_positions(positions, (3, 5), (3, 5))[:, 1:]
    hint = "Grids are (rows, columns), in and out, and not always square."
    check.close(got, positions[:, 1:], "3 × 5 to 3 × 5, same numbers", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    positions = draw(2, 1, 9, 5, dtype=torch.float32)
    positions[:, 0] += 9
    got = resize_positions(positions, (4, 2), (4, 2))
    check.close(got, positions, "4 × 2", "The same grid gives the same numbers.")
    got = resize_positions(positions, (4, 2), (8, 3))[:, :1]
    check.close(got, positions[:, :1], "row 0", "Row 0 stays as it is.")
    ### END HIDDEN TESTS

# %% checks="resize_positions" points=1
with checking("resize_positions", "bicubic, on the right grid") as check:
    slope = torch.arange(8.0).repeat(4)[None, :, None]  # 4 rows, each from 0 to 7
    got = resize_positions(torch.cat([slope[:, :1], slope], 1), (4, 8), (8, 16))
    middle = got[:, 1:].reshape(8, 16)[:, 2:14]  # away from the edges
    near = (middle - torch.arange(2, 14) / 2 + 0.25).abs().max().item() < 0.1
    problem = "A slope along the columns is shifted, stretched or has steps."
    check.true(near, "a slope stays", problem, "A grid, corners not aligned, blended?")
    cases = (
        ((4, 4), (6, 6), "4 × 4 to 6 × 6", "Bicubic, from sizes, no antialiasing?"),
        ((8, 8), (3, 3), "8 × 8 to 3 × 3", "No filter when it shrinks; no factors."),
        ((3, 5), (4, 7), "3 × 5 to 4 × 7", "Grids are (rows, columns), in and out."),
        ((2, 8), (4, 4), "2 × 8 to 4 × 4", "As many places, but on another grid."),
        ((4, 6), (6, 4), "4 × 6 to 6 × 4", "As many places, but on another grid."),
        ((2, 6), (2, 9), "2 × 6 to 2 × 9", "The rows stay, the columns do not."),
        ((6, 2), (9, 2), "6 × 2 to 9 × 2", "The columns stay, the rows do not."),
    )
    for old, new, what, hint in cases:
        positions = draw(1, 1, 1 + old[0] * old[1], 7, dtype=torch.float32)
        got = resize_positions(positions, old, new)[:, 1:]  # without [CLS]
        check.close(got, torch_resize(positions, old, new)[:, 1:], what, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for old, new in (((1, 6), (3, 4)), ((9, 8), (4, 3)), ((10, 13), (15, 14))):
        positions = draw(2, 1, 3, 1 + old[0] * old[1]).mT
        got = resize_positions(positions, old, new)
        hint = "Keep the dtype, and try tables that are not contiguous."
        check.true(got.dtype == positions.dtype, "dtype", "float64 went in.", hint)
        want = torch_resize(positions, old, new).float()
        check.close(got.float()[:, 1:], want[:, 1:], "other grids", hint)
    ### END HIDDEN TESTS

# %% checks="resize_positions" points=1
with checking("resize_positions", "sizes that rounding breaks") as check:
    # All rows alike, so that only the number of rows counts here.
    hint = "Give the resizing the new size itself, not a factor."
    got = resize_positions(torch.ones(1, 122, 3), (11, 11), (15, 15))[:, 1:]
    check.close(got, torch.ones(1, 225, 3), "11 × 11 to 15 × 15", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for old, new in (((2, 22), (3, 15)), ((23, 3), (13, 3)), ((14, 2), (61, 4))):
        table = torch.ones(1, 1 + old[0] * old[1], 3)
        got = resize_positions(table, old, new)[:, 1:]
        want = torch.ones(1, new[0] * new[1], 3)
        check.close(got, want, "other sizes", hint)
    ### END HIDDEN TESTS

# %% checks="resize_positions" points=1
with checking("resize_positions", "an old grid that does not fit") as check:
    table = draw(1, 1, 17, 6)  # [CLS] and 16 places
    hint = "Refuse only a grid that does not fit."
    check.runs(lambda: resize_positions(table, (4, 4), (2, 3)), "4 × 4 fits", hint)
    check.raises(lambda: resize_positions(table, (3, 5), (4, 4)), "17 rows for 3 × 5")
    check.raises(lambda: resize_positions(table, (17, 1), (4, 4)), "no row for [CLS]")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.raises(lambda: resize_positions(table, (4, 5), (4, 4)), "grid too large")
    check.raises(lambda: resize_positions(table, (2, 4), (2, 4)), "half of the grid")
    check.raises(lambda: resize_positions(table, (3, 5), (3, 5)), "same grid")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: the shape that torch wants</summary>
#
# `F.interpolate` resizes the last two axes of a tensor of shape (batch, channels,
# rows, columns). Here the batch is 1 and the channels are the $D$ features.
#
# </details>
#
# <details><summary>Hint 2: moving D</summary>
#
# In the table $D$ is the last axis, so move it *before* you cut the places into rows
# and columns. Afterwards take the same two steps back in the opposite order.
#
# </details>
#
# <details><summary>Hint 3: the arguments</summary>
#
# Look up `size` and `mode` of `F.interpolate`. Its default mode, "nearest", copies
# values and makes steps.
#
# </details>

# %% [markdown]
# ### Grid or list?
#
# The picture below shows one feature of a made-up table, a smooth wave over the grid,
# before and after resizing. On the right, somebody resized the *list* of 196 rows to
# 576, as if the places lay on one line. The shape is right. Yet values blend across
# the right edge into the next row, and one grid row fills 1.7 new ones: the wave
# is torn.

# %% demo="positions_before_and_after" collapsed=true
# @title Picture: position rows before and after resizing
with demo("resize_positions"):
    down, across = torch.meshgrid(*[torch.linspace(0, 6.28, 14)] * 2, indexing="ij")
    wave = (down * 0.7).sin() + (1.5 * across + 0.5 * down).cos()
    table = torch.cat([torch.zeros(1, 1, 1), wave.reshape(1, -1, 1)], 1)
    resized = resize_positions(table, (14, 14), (24, 24))
    as_list = F.interpolate(table[:, 1:].mT, size=576, mode="linear").mT
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.9), layout="constrained")
    for axis, values, side, title in (
        (axes[0], wave, 14, "Before: 14 × 14"),
        (axes[1], resized[:, 1:], 24, "As a grid: the same wave"),
        (axes[2], as_list, 24, "As a list: torn"),
    ):
        axis.imshow(values.reshape(side, side), cmap="PuOr_r", vmin=-2, vmax=2)
        axis.set(title=title, xlabel="column (patches)", ylabel="row (patches)")
        axis.set(xticks=(0, side - 1), yticks=(0, side - 1))
    show(
        figure,
        "One feature of a position table. Left: a smooth wave on a coarse grid. "
        "Middle: the same wave on a finer grid. Right: resized as a list, the wave is "
        "broken into slanted stripes.",
    )

# %% [markdown]
# ## What a ViT weighs
#
# Let $N_c$ be the number of classes. One pre-LN block with biases and an MLP of width
# $4D$ has $12D^2 + 13D$ parameters (lesson 2). What else is in a ViT:
#
# - patch embedding, a matrix and a bias
# - the class token: one row; positions: $T + 1$ rows
# - the final norm: a scale and a shift
# - the head: a matrix $(D, N_c)$ and a bias
#
# On paper, for CIFAR-10 (32 × 32 pixels) with $P = 4$ and $D = 192$: a patch has
# $3 \cdot 4^2 = 48$ numbers, its embedding $48 \cdot 192 + 192 = 9{,}408$ parameters.
# 65 tokens need $65 \cdot 192 = 12{,}480$ for positions.

# %% given="vit_sizes"
common = {"image": 224, "channels": 3, "n_classes": 1000}
VIT_SIZES = {
    "ViT-B/16": {**common, "patch": 16, "d_model": 768, "n_layers": 12},
    "ViT-L/16": {**common, "patch": 16, "d_model": 1024, "n_layers": 24},
    "ViT-H/14": {**common, "patch": 14, "d_model": 1280, "n_layers": 32},
}

# %% [markdown]
# ### Exercise 5.5: vit_parameters
#
# Count all parameters of a ViT for square pictures.
#
# - `image` and `patch` are sides in pixels; all arguments are whole numbers;
#   result: an int
# - A size that is not an int of at least 1, or a patch that does not divide the
#   image: a ValueError with a message that says what is wrong
# - About 4 minutes · medium · 2 points


# %% exercise="vit_parameters" minutes=4
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    """The number of parameters of a ViT, as an int.

    image, patch: sides of a square picture and its patches, in pixels. Raises
    ValueError for a size that is not an int of at least 1, and when patch does not
    divide image.
    """
    ### BEGIN SOLUTION
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size >= 1 for size in sizes):
        raise ValueError(f"sizes are whole numbers of at least 1, not {sizes}")
    if image % patch:
        raise ValueError(f"{image} pixels do not split by {patch}")
    embedding = channels * patch**2 * d_model + d_model
    tokens = 1 + (image // patch) ** 2
    cls_and_positions = d_model + tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    final_norm = 2 * d_model
    head = d_model * n_classes + n_classes
    return embedding + cls_and_positions + blocks + final_norm + head
    ### END SOLUTION


# %% checks="vit_parameters" points=1
with checking("vit_parameters", "part by part") as check:
    # How does the count change when one size grows?
    sizes = {"image": 12, "patch": 3, "channels": 2}
    sizes |= {"d_model": 10, "n_layers": 2, "n_classes": 7}

    def more(**larger):
        return vit_parameters(**sizes | larger) - vit_parameters(**sizes)

    hint = "A class adds a column to the head, and what else?"
    check.equal(more(n_classes=8), 11, "one more class", hint)
    hint = "The formula of lesson 2: two norms, attention, MLP, all with biases."
    check.equal(more(n_layers=3), 1330, "one more block", hint)
    hint = "How many numbers does one more channel bring into a patch?"
    check.equal(more(channels=3), 90, "one more channel", hint)
    hint = "Only the positions grow with the picture: one row for each new patch."
    check.equal(more(image=15), 90, "nine more patches", hint)
    hint = "Missing or double: a bias, the class token, its position, the final norm?"
    check.equal(vit_parameters(**sizes), 3127, "all together", hint)
    got = vit_parameters(**VIT_SIZES["ViT-B/16"])
    check.equal(got, 86_567_656, "ViT-B/16", "Does a part depend on D in another way?")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for sizes, want in (
        ((32, 4, 3, 192, 9, 10), 4_028_170),
        ((28, 7, 1, 48, 3, 10), 88_666),
        ((60, 12, 5, 20, 1, 7), 20_207),
        ((9, 1, 4, 10, 2, 3), 3_593),
    ):
        check.equal(vit_parameters(*sizes), want, "other sizes", "Use every size.")
    ### END HIDDEN TESTS

# %% checks="vit_parameters" points=1
with checking("vit_parameters", "sizes that make no sense") as check:
    sizes = {"image": 12, "patch": 3, "channels": 2}
    sizes |= {"d_model": 10, "n_layers": 2, "n_classes": 7}
    check.runs(lambda: vit_parameters(**sizes), "good sizes", "These are fine.")
    check.raises(lambda: vit_parameters(**sizes | {"patch": 5}), "12 pixels, P = 5")
    check.raises(lambda: vit_parameters(**sizes | {"n_layers": 0}), "no block")
    check.raises(lambda: vit_parameters(**sizes | {"d_model": -4}), "width below 0")
    check.raises(lambda: vit_parameters(**sizes | {"patch": 1.5}), "P = 1.5")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for name in sizes:
        for bad in (0, -2, 2.5):
            changed = sizes | {name: bad}
            check.raises(lambda sizes=changed: vit_parameters(**sizes), name)
    check.raises(lambda: vit_parameters(**sizes | {"image": 2}), "image below patch")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: a name for each part</summary>
#
# Write one line for each item of the list above, give each a name, and add the names
# in the last line. Then a wrong total is quick to trace.
#
# </details>
#
# <details><summary>Hint 2: what depends on what</summary>
#
# The side of the picture enters in one place only, the number of patches. The number
# of channels enters in one place only, the patch embedding.
#
# </details>

# %% demo="published_sizes"
with demo("vit_parameters"):
    for name, sizes in VIT_SIZES.items():
        side = sizes["image"] // sizes["patch"]
        count = vit_parameters(**sizes)
        print(f"{name}: {side} × {side} patches, {count:,} parameters")

# %% [markdown]
# ### What smaller patches cost
#
# Of the 86.6 million parameters of ViT-B/16, patch embedding, class token and
# positions are under 1 %. The blocks are nearly the whole model. In GPT-2 small a third
# is the token table; a ViT has no such table.
#
# The patch side hardly moves the parameter count. It decides how much *work* there
# is. Half the side means four times as many tokens, and sixteen times as many
# entries in each attention matrix.

# %% demo="cost_of_patches"
for image, patch in ((224, 32), (224, 16), (224, 8), (384, 16)):
    side = image // patch
    tokens = side * side + 1
    print(f"{image} pixels, P = {patch}: {tokens} tokens, ", end="")
    print(f"{tokens**2:,} entries per attention matrix")

# %% [markdown]
# ### Touch it: an image as a sequence
#
# Your `patchify` cuts the picture. Choose a patch by its row and column, or step from
# token to token.
#
# - Step to the right edge of the picture and once more. Where does the frame go, and
#   where in the sequence?
# - Choose the patch below. How many tokens further is it?
# - Halve $P$. Which count falls, which grows fourfold, which sixteenfold?
# - Go from 224 to 384 pixels and keep $P = 16$. Which count stays?

# %% demo="explore_patches"
PatchExplorer(scene, patchify)

# %% [markdown]
# ## What a ViT assumes
#
# A convolutional network (CNN) is built on two assumptions about pictures: nearby
# pixels belong together, and a pattern means the same wherever it stands. Assumptions
# that are built in are called **inductive bias**.
#
# A ViT assumes *less*, not nothing:
#
# - patches are cut as squares: pixels of a patch enter together;
# - one matrix serves all patches, and one MLP all tokens;
# - resized positions assume that places lie on a grid.
#
# What it does *not* assume: that pixels of a patch have an order, or that two patches
# are neighbours. The next cell shows the first.

# %% demo="shuffled_pixels"
with demo("embed_patches"):
    order = torch.randperm(16 * 16)

    def shuffle_pixels(patches):  # (…, 16, 16): one order for all
        return patches.flatten(-2)[..., order].unflatten(-1, (16, 16))

    weight, bias = draw(1, 8, 3, 16, 16), draw(2, 8)
    patch = draw(3, 1, 3, 16, 16)
    plain = embed_patches(patch, weight, bias)
    shuffled = embed_patches(shuffle_pixels(patch), shuffle_pixels(weight), bias)
    same = torch.allclose(plain, shuffled)
    print(f"Shuffled pixels and shuffled filters give the same tokens: {same}")

# %% [markdown]
# ### What that means in practice
#
# What is not assumed must be learned, and that takes pictures.
#
# - Trained on ImageNet-1k alone (1.3 million pictures), the first ViTs ended a few
#   percentage points below a ResNet (a CNN) of their size.
# - Trained first on ImageNet-21k (14 million) or JFT-300M (300 million, not public),
#   they matched or beat it.
# - DeiT (2021) showed that strong augmentation (randomly changed copies of the
#   pictures) can stand in for data: DeiT-B reaches 81.8 % top-1 (first guess right)
#   on ImageNet-1k alone, at 224 pixels.
# - Swin (2021) puts bias back: attention in local windows.

# %% [markdown]
# ### Beyond pictures
#
# Patches work wherever numbers lie on a grid.
#
# - **Time series.** Cut a series of length $T$ into pieces of $P$ steps: a `Conv1d`
#   with stride $P$. PatchTST does so; its pieces may overlap.
# - **Weather.** ClimaX cuts maps of temperature, wind and so on, and embeds each
#   variable by itself, so that it can take another set of variables later.
#
# The stretch exercises at the end take you there and back again.

# %% [markdown]
# ## Quick checks
#
# **Quick check 1.** A ViT with $P = 16$ reads colour pictures of 224 × 224 pixels.
# How many tokens enter the first block, and how many raw numbers hold one patch?
#
# - a) 196 tokens; 256 numbers per patch
# - b) 196 tokens; 768 numbers per patch
# - c) 197 tokens; 256 numbers per patch
# - d) 197 tokens; 768 numbers per patch

# %% generated="quick_1_choices" collapsed=true

# %% question="quick_1"
# Choose one letter.
### BEGIN SOLUTION
answer_1 = "d"  # @param ["a", "b", "c", "d"]
### END SOLUTION

# %% checks="quick_1" points=1
with checking("quick_1", "tokens and numbers") as check:
    check.answered(answer_1, "abcd")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.choice(
        answer_1,
        "d",
        because={
            "a": "One token belongs to no patch, and a pixel has three numbers.",
            "b": "The patches are counted right, but one token belongs to no patch.",
            "c": "The tokens are right, but each pixel has three channels.",
            "d": "14 · 14 patches and [CLS]; 16 · 16 pixels with 3 channels each.",
        },
    )
    ### END HIDDEN TESTS

# %% [markdown]
# **Quick check 2.** A ViT was trained at 224 pixels. How is it usually fine-tuned at
# 384?
#
# - a) The number of tokens stays; the patches and their filters grow.
# - b) The patch side stays; the positions, without the [CLS] row, are resized as a
#   grid.
# - c) The patch side stays; the whole list of positions is stretched to the new
#   length.
# - d) The patch side stays; the new positions are started at zero.

# %% generated="quick_2_choices" collapsed=true

# %% question="quick_2"
# Choose one letter.
### BEGIN SOLUTION
answer_2 = "b"  # @param ["a", "b", "c", "d"]
### END SOLUTION

# %% checks="quick_2" points=1
with checking("quick_2", "a larger picture") as check:
    check.answered(answer_2, "abcd")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.choice(
        answer_2,
        "b",
        because={
            "a": "Larger filters would be new filters: the trained ones fit one P.",
            "b": "Filters and blocks fit as they are; only the table is resized.",
            "c": "A list does not know where a grid row ends, and [CLS] has no place.",
            "d": "That throws away what training found out about places.",
        },
    )
    ### END HIDDEN TESTS

# %% [markdown]
# ## Stretch: there and back again
#
# `patchify` loses nothing, so it can be undone. Models that paint pictures need this:
# a masked autoencoder predicts patches, a diffusion transformer too, and in the end
# somebody wants a picture.

# %% [markdown]
# ### Stretch exercise: unpatchify
#
# Put the patches back together.
#
# - `patches`: (B, T, C·P²), as `patchify` makes them; `patch`, `height`, `width` in
#   pixels; result: (B, C, H, W)
# - The number of channels is not given: it follows from the sizes
# - About 5 minutes · medium · no points


# %% exercise="unpatchify" minutes=5 stretch=true
def unpatchify(patches, patch, height, width):
    """The images that patchify made patches of.

    patches: (B, T, C * patch**2). Returns (B, C, height, width).
    """
    ### BEGIN SOLUTION
    rows, columns = height // patch, width // patch
    grid = patches.unflatten(2, (-1, patch, patch)).unflatten(1, (rows, columns))
    grid = grid.permute(0, 3, 1, 4, 2, 5)  # (B, C, rows, P, columns, P)
    return grid.flatten(4, 5).flatten(2, 3)
    ### END SOLUTION


# %% checks="unpatchify"
with checking("unpatchify", "the picture is back") as check:
    for (batch, channels, height, width), what in (
        ((1, 1, 6, 6), "one channel"),
        ((1, 3, 6, 6), "three channels"),
        ((1, 3, 4, 10), "a wide picture"),
        ((2, 3, 8, 6), "two tall pictures"),
    ):
        images = draw(1, batch, channels, height, width)
        got = unpatchify(torch_patchify(images, 2), 2, height, width)
        hint = "Walk the steps of patchify backwards, with the axes in mind."
        check.close(got, images, what, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for shape, patch in (((2, 5, 3, 9), 3), ((1, 2, 4, 3), 1), ((3, 2, 5, 5), 5)):
        images = draw(2, *shape).float()
        patches = torch_patchify(images, patch)
        got = unpatchify(patches, patch, *shape[2:])
        check.close(got, images, "other sizes", "Try other patches and sizes.")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: undoing a reshape and a permute</summary>
#
# Cut the two long axes into five short ones; together with the batch that makes six.
# Write down where each has to go, then move all at once.
#
# </details>

# %% [markdown]
# ### Stretch exercise: patchify_1d
#
# Cut time series into patches.
#
# - `series`: (B, C, T), here with $T$ time steps; result: (B, T/P, C·P), each row in
#   the order (channel, step)
# - `patch`: the length $P$ in steps; one that does not divide T is a ValueError with a
#   message that says what is wrong
# - About 3 minutes · warm-up · no points
#
# The check multiplies your rows by the filters of a `Conv1d` and compares.


# %% exercise="patchify_1d" minutes=3 stretch=true
def patchify_1d(series, patch):
    """Cut series (B, C, T) into rows (B, T / patch, C * patch).

    Raises ValueError when patch does not divide T.
    """
    ### BEGIN SOLUTION
    if series.shape[2] % patch:
        raise ValueError(f"{series.shape[2]} steps do not split by {patch}")
    pieces = series.unflatten(2, (-1, patch))  # (B, C, T/P, P)
    return pieces.transpose(1, 2).flatten(2)
    ### END SOLUTION


# %% checks="patchify_1d"
with checking("patchify_1d", "a strided Conv1d") as check:
    series, weight, bias = draw(1, 2, 3, 20), draw(2, 7, 3, 4), draw(3, 7)
    one = series[:1, :1]
    hint = "Each row is one piece of P steps in a line."
    check.close(patchify_1d(one, 4), one.reshape(1, 5, 4), "one channel", hint)
    got = patchify_1d(series, 4) @ weight.flatten(1).mT + bias
    want = F.conv1d(series, weight, bias, stride=4).mT
    check.close(got, want, "Conv1d, three channels", "Channel first, then step.")
    check.raises(lambda: patchify_1d(series, 3), "20 steps, P = 3")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for channels, steps, patch in ((5, 6, 6), (4, 6, 1), (2, 9, 3)):
        series = draw(4, 3, steps, channels).mT.float()
        want = torch_patchify(series[:, :, None].repeat(1, 1, patch, 1), patch)
        want = want.unflatten(2, (channels, patch, patch))[:, :, :, 0].flatten(2)
        hint = "Try patches of one step, and series that are not contiguous."
        check.close(patchify_1d(series, patch), want, "other sizes", hint)
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: one axis less</summary>
#
# For a series there is one grid axis and one axis inside a patch. What stood between
# the two, and where must it go?
#
# </details>

# %% [markdown]
# ## Common mistakes
#
# - **One `reshape` from picture to tokens.** Right shape, and each "patch" is a piece
#   of a pixel row. It even trains, only worse.
# - **Two orders.** Patches flattened as (row, column, channel), filters as (channel,
#   row, column). Invisible until you load trained weights.
# - **A weight reshaped in place of transposed.** $(D, C P^2)$ to $(C P^2, D)$ by
#   `reshape` mixes the filters.
# - **A square assumed.** `int(T ** 0.5)` reads a 2 × 8 grid as 4 × 4.
# - **Another patch side for another resolution.** Then no filter fits.
# - **[CLS] forgotten** in the count, or resized with the grid.
# - **"A ViT has no inductive bias."** It has less.

# %% [markdown]
# ## Check yourself
#
# Answer aloud, then unfold.
#
# <details><summary>Why may the order inside a patch be any, if it is the same
# everywhere?</summary>
#
# A dot product is a sum, and its terms may come in any order: change the filters with
# the patches.
#
# </details>
#
# <details><summary>Which weights of a ViT depend on the size of the picture?</summary>
#
# The position table alone.
#
# </details>
#
# <details><summary>Why do table and tokens need T + 1 rows when T patches come
# in?</summary>
#
# The class token is a token like the others. It has a row, and a position.
#
# </details>
#
# <details><summary>Why is there no causal mask?</summary>
#
# A picture is known all at once; nothing is predicted from left to right.
#
# </details>

# %% [markdown]
# ### Your predictions
#
# <details><summary>1. Patches of half the side: the answer</summary>
#
# c). Half the side makes four times as many patches, 784 in place of 196. The matrix
# has one entry for each *pair* of tokens: $785^2$ against $197^2$, about 16 times.
#
# </details>
#
# <details><summary>2. Shuffled pixels: the answer</summary>
#
# b). Shuffle the filters in the same way and every token is what it was. Fresh filters
# are random numbers, so a shuffled set is as likely as the other: training starts on
# equal terms. A CNN with filters smaller than a patch would lose much.
#
# </details>

# %% [markdown]
# ## Interview angle
#
# Try each in under a minute, then check yourself against the lesson.
#
# - Show that patch embedding is a convolution. Which kernel size, which stride?
# - What changes in a ViT from 224 to 384 pixels, what stays, and what does it cost?
# - You load trained filters and the accuracy is that of guessing. No error anywhere.
#   What do you check first?
# - Halve the patch side: what happens to parameters, tokens, attention?
# - When would you prefer a CNN to a ViT?

# %% [markdown]
# ## Recall cards
#
# Say the answer aloud, then turn the card. Turn them again tomorrow and in a week:
# what you have recalled three times stays.

# %% generated="cards" collapsed=true

# %% [markdown]
# ## Reading
#
# - *An Image is Worth 16x16 Words* (2021), arXiv 2010.11929: sections 3.1 and 3.2 for
#   the model and higher resolution, 4.3 for data, appendix D.4 for positions.
# - *Training data-efficient image transformers & distillation through attention*
#   (2021), arXiv 2012.12877: DeiT.
# - *Swin Transformer* (2021), arXiv 2103.14030.
# - *A Time Series is Worth 64 Words* (2023), arXiv 2211.14730: PatchTST.
# - *ClimaX: A foundation model for weather and climate* (2023), arXiv 2301.10343.
# - *Understanding Deep Learning* (2023), chapter 12.

# %% [markdown]
# ## Your score
#
# Every check of this notebook, and your points so far. Run the cell again after you
# have changed an answer and run its checks.

# %% generated="score" collapsed=true
