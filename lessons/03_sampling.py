# %% [markdown]
# # Lesson 3: from probabilities to text
#
# **You train a small GPT in a few seconds, then write everything that turns its
# numbers into text: temperature, top-k, top-p and the loop.**
#
# - Time: about 35 minutes.
# - Points: 20, in five exercises and one quick check.
# - Know before: shapes of torch tensors, softmax, the causal block of lesson 1.
#
# Run the cells in order. A check that fails says what is right so far and where
# to look next.

# %% given="setup" collapsed=true
# @title Set-up: run this cell first
import math
import os
import re
from pathlib import Path

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F  # noqa: F401

from support.checks import Checker, draw
from support.models import random_model
from support.sampling import STAND_INS, odd_counts, torch_probabilities
from support.training import letter_codec, train

checking = Checker(STAND_INS)
standing_in, demo = checking.standing_in, checking.demo
PARTS = ("sample_token", "token_probabilities")  # what the loop is built from
SEED = 1000 * int(os.environ.get("CHECK_SEED", "0"))  # shifts what the checks draw
torch.set_num_threads(1)  # tensors are small: more threads only wait for each other
torch.manual_seed(3)
torch.set_printoptions(precision=3, sci_mode=False)


def seeded(number):
    """A fresh source of random numbers; the same number, the same draws."""
    return torch.Generator().manual_seed(SEED + number)


def by_default(function, *args):
    """Ids that it gives without a temperature and at temperature 1, from one seed."""
    ids = []
    for t in ((), (1.0,)):
        with torch.random.fork_rng(devices=[]):  # torch's own generator, put back after
            torch.manual_seed(SEED + 48)  # for an answer that draws from it
            ids.append(function(*args, *t, generator=seeded(48)).tolist())
    return ids


def doubles(*numbers):
    """A float64 tensor of numbers, or of rows of numbers."""
    return torch.tensor(numbers, dtype=torch.float64)


# %% demo="figures" collapsed=true
# @title Set-up of figures, cards and score: run this cell too
from support.advice import Advice  # noqa: E402, F401
from support.cards import Cards  # noqa: E402, F401
from support.figures.temperature_bars import TemperatureBars  # noqa: E402
from support.plots import COLOURS, show  # noqa: E402
from support.quiz import Choices  # noqa: E402, F401
from support.score import show_score  # noqa: E402, F401

# %% generated="advice" collapsed=true

# %% [markdown]
# ## Predict first
#
# Guess before you read on. Nothing here is graded; the answers stand near the end.
#
# **1.** A trained GPT always writes the letter that it finds most probable. What do
# 600 letters look like?
#
# - a) Its best text.
# - b) Sooner or later the same sentences, again and again.
# - c) Letters without sense.
#
# **2.** Four tokens have the probabilities 0.4, 0.3, 0.2 and 0.1. *Top-p* with $p =
# 0.8$ keeps the likely ones. How many?
#
# - a) 2.
# - b) 3.
# - c) 4.

# %% demo="predict"
prediction_1 = None  # @param ["a", "b", "c"]
prediction_2 = None  # @param ["a", "b", "c"]

# %% [markdown]
# ## Text in, probabilities out
#
# A GPT reads token numbers and answers, for every place in the text, "what comes
# next?". The steps, for one text of $T$ tokens:
#
# 1. each id picks its row of the embedding $E$; the row of its position is added;
# 2. $L$ causal pre-LN blocks follow, then a last LayerNorm;
# 3. a product with the unembedding $W_U$ gives **logits**: $T$ rows of $|V|$ numbers;
# 4. a softmax turns each row into probabilities.
#
# $|V|$ is the size of the vocabulary, the set of all tokens. Here a token is one
# character, so $|V|$ is small and you can read everything.

# %% [markdown]
# ### The text
#
# Our training text was written for this course: short sentences about a girl, a
# cat, a lake. It has about a hundred different words. The next cell is long because
# it holds the whole text; no file is needed.

# %% given="corpus" collapsed=true
# @title The corpus: data/corpus.txt, carried in this notebook
corpus = Path("data/corpus.txt").read_text()

# %% given="letters"
encode, decode, vocab = letter_codec(corpus)
words_of_corpus = set(re.findall("[a-z]+", corpus))

print(f"{len(corpus)} characters, {vocab} different ones")
print(f"{len(words_of_corpus)} different words")
print("encode('a cat') is", encode("a cat").tolist())
print("and back:", decode(encode("a cat")))

# %% [markdown]
# ### The model
#
# `TinyGPT` is a whole GPT, the same one in lessons 2, 3 and 4. Read it from the
# bottom up: `forward` is the first three steps above; the softmax is left to you. The
# attention in `Block` is the one of lesson 1.
#
# Two names matter in this lesson: `model(ids)` takes ids of shape $(B, T)$ and
# returns logits of shape $(B, T, |V|)$, and `model.context` is $T_\text{max}$, the
# largest $T$ that it accepts.

# %% given="tiny_gpt"
from support.tiny_gpt import Block, TinyGPT  # noqa: E402, F401

# %% [markdown]
# ### Many predictions in one pass
#
# To train, we show the model a piece of text and ask for the same piece, shifted
# by one. For "a cat" there are four questions:
#
# - after "a", what comes? A space.
# - after "a ", what comes? "c".
# - after "a c": "a". After "a ca": "t".
#
# The causal mask lets row $t$ see only the letters up to $t$, so one pass answers
# all four honestly. The model always reads the *true* text, also after a wrong
# guess. This is called **teacher forcing**.

# %% demo="shifted_by_one"
piece = encode("a cat")
inputs, targets = piece[:-1], piece[1:]
for t in range(len(inputs)):
    print(
        f"reads {decode(inputs[: t + 1])!r:8} should say {decode(targets[t : t + 1])!r}"
    )

# %% [markdown]
# ### The loss to start from
#
# The loss is the **cross-entropy**: the mean of $-\ln p$, where $p$ is the
# probability that the model gave to the letter that really came. Its unit is the
# *nat* per letter; the name comes from the natural logarithm.
#
# A model that knows nothing gives every letter the same $p = 1/|V|$. Its loss is
#
# $$-\ln\frac{1}{|V|} = \ln |V| = \ln 28 \approx 3.33$$
#
# So you know the start of the curve before you train. If a first loss is far above
# $\ln |V|$, something is wrong.

# %% given="training" volatile=true
model = TinyGPT(vocab, context=32, d_model=64, n_heads=4, n_layers=2)
losses = train(model, encode(corpus), steps=400)

parameters = sum(weight.numel() for weight in model.parameters())
print(f"{parameters:,} parameters")
print(f"first loss {losses[0]:.2f}, ln |V| = {math.log(vocab):.2f}")
print(f"last loss {sum(losses[-20:]) / 20:.2f} (mean of 20 steps)")

# %% demo="loss_curve" collapsed=true
# @title Picture: the loss while training
figure, axis = plt.subplots(figsize=(6, 3))
axis.plot(range(1, len(losses) + 1), losses, color=COLOURS["stream"], lw=1)
axis.axhline(math.log(vocab), color=COLOURS["other"], ls="--")
axis.text(len(losses), math.log(vocab), "ln |V|", ha="right", va="top")
axis.set(xlabel="training step", ylabel="loss (nats per letter)", ylim=(0, None))
axis.set_title("The loss starts near ln |V| and falls as words are learned")
show(
    figure,
    "Loss against training step: it starts at the dashed line ln |V|, falls steeply "
    "in the first hundred steps and flattens well below 1 nat per letter.",
)

# %% [markdown]
# ## Temperature
#
# Probabilities are not yet a letter: we have to choose. There are two ways. *Greedy*
# takes the most probable token every time. *Sampling* rolls a die that is loaded with
# the probabilities.
#
# The **temperature** $\tau$ (tau) says how bold the die is. Divide the logits $z$ by
# it before the softmax:
#
# $$p_i = \frac{e^{z_i/\tau}}{\sum_j e^{z_j/\tau}}$$
#
# - $\tau < 1$: the differences between logits grow, the distribution is sharper;
# - $\tau = 1$: the model's own probabilities;
# - $\tau > 1$: the differences shrink, the distribution is flatter.

# %% [markdown]
# ### Temperature by hand
#
# Take three tokens with $z = (2, 1, 0)$.
#
# - $\tau = 1$: the exponentials are $7.39, 2.72, 1$, their sum is $11.11$. The
#   probabilities are $(0.665, 0.245, 0.090)$.
# - $\tau = 0.5$: divide first, $(4, 2, 0)$. Exponentials $54.6, 7.39, 1$, so
#   $(0.867, 0.117, 0.016)$.
# - $\tau = 2$: $(1, 0.5, 0)$, so $(0.506, 0.307, 0.186)$.
#
# As $\tau \to 0$ all probability moves to the largest logit, if there is one largest:
# greedy. $\tau = 0$ itself cannot be divided by, so it is *defined* as that limit.

# %% [markdown]
# ### Exercise 3.1: token_probabilities
#
# Turn logits into probabilities at a temperature.
#
# - `logits`: (…, |V|), any number of leading axes; result: like `logits`, in shape
#   and dtype
# - the last axis of the result sums to 1
# - $\tau = 0$: 1 at the largest logit, 0 elsewhere. If several are largest, one of
#   them gets the 1; you choose which.
# - a logit of $-\infty$ stays at probability 0; logits of $\pm 10^4$ and $\tau =
#   10^{-4}$ give no NaN
# - $\tau$ below 0, NaN or infinite: a `ValueError` that says so
# - About 6 minutes · warm-up with traps · 5 points


# %% exercise="token_probabilities" minutes=6
def token_probabilities(logits, temperature=1.0):
    """Probabilities of the next token at a temperature; 0 means greedy.

    logits: (..., V), may hold -inf. Returns a new tensor like logits whose last axis
    sums to 1. Raises ValueError unless the temperature is finite and at least 0.
    """
    ### BEGIN SOLUTION
    if not 0 <= temperature < math.inf:  # false for NaN too
        raise ValueError(f"temperature {temperature} is not finite and at least 0")
    if temperature == 0:
        best = logits.argmax(-1, keepdim=True)
        return torch.zeros_like(logits).scatter(-1, best, 1.0)
    below_best = logits - logits.amax(-1, keepdim=True)  # at most 0: no overflow
    return (below_best / temperature).softmax(-1)
    ### END SOLUTION


# %% checks="token_probabilities" points=1
with checking("token_probabilities", "temperature 1, along the right axis") as check:
    z = doubles(2.0, 1.0, 0.0)
    by_hand = doubles(math.e**2, math.e, 1.0)
    by_hand = by_hand / by_hand.sum()
    hint = "Temperature 1 leaves the logits alone; what makes probabilities of them?"
    check.close(token_probabilities(z), by_hand, "the logits (2, 1, 0)", hint)
    rows = torch.stack([z, 3 * z.flip(0) - 5])  # (2, 3)
    hint = "Which axis holds the tokens of the vocabulary?"
    p = check.runs(lambda: token_probabilities(rows), "a batch of two rows", hint)
    check.close(p.sum(-1), doubles(1.0, 1.0), "each row of a batch sums to 1", hint)
    alone = token_probabilities(rows[1])
    check.close(p[1], alone, "a row in a batch as alone", "Rows do not meet.")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    z = draw(SEED + 1, 4, 3, 7)
    want = torch_probabilities(z)
    hint = "Count axes from the end."
    check.close(token_probabilities(z), want, "three axes", hint)
    turned = z.transpose(0, 1)
    check.close(token_probabilities(turned), want.transpose(0, 1), "turned", hint)
    check.close(token_probabilities(z.float()), want, "float32", hint, like=z.float())
    check.close(token_probabilities(z[0, 0, :1]), want[0, 0, :1] * 0 + 1, "one token")
    ### END HIDDEN TESTS

# %% checks="token_probabilities" points=1
with checking("token_probabilities", "below 1 sharper, above 1 flatter") as check:
    z = doubles(2.0, 1.0, 0.0)
    cold = doubles(math.e**4, math.e**2, 1.0)
    p = token_probabilities(z, 0.5)
    check.true(
        p[0] > 0.67,
        "temperature 0.5 makes the best token more probable",
        f"Its probability is {p[0]:.3f}; at temperature 1 it is 0.665.",
        "A small temperature makes differences between logits larger.",
    )
    hint = "Follow the example by hand: what acts on (2, 1, 0), when, and how often?"
    check.close(p, cold / cold.sum(), "temperature 0.5", hint)
    hot = doubles(math.e, math.e**0.5, 1.0)
    check.close(token_probabilities(z, 2), hot / hot.sum(), "temperature 2", hint)
    p = token_probabilities(z, 1e6)
    flat = (p - 1 / 3).abs().max() < 1e-5
    check.true(flat, "almost uniform when very hot", "The probabilities differ.")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    z = draw(SEED + 2, 9, scale=3.0)
    for t in (0.3, 1.7, 4.0):
        hint = "The temperature acts once, on the logits."
        check.close(token_probabilities(z, t), torch_probabilities(z, t), "", hint)
        small = z.float()
        want = torch_probabilities(small.double(), t)
        check.close(token_probabilities(small, t), want, "", hint, like=small)
    ### END HIDDEN TESTS

# %% checks="token_probabilities" points=1
with checking("token_probabilities", "temperature 0 is greedy") as check:
    z = doubles([0.5, -1.0, 2.0, 1.9], [-3.0, -2.0, -9.0, -4.0])
    want = doubles([0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0])
    hint = "Treat 0 on its own: all probability goes to the largest logit of a row."
    p = check.runs(lambda: token_probabilities(z, 0.0), "0 is a temperature", hint)
    check.close(p, want, "two rows", hint)
    tied = doubles(3.0, 7.0, 7.0, 1.0)
    p = token_probabilities(tied, 0.0)
    want = doubles(0.0, 0.0, 0.0, 1.0)
    hint = "Find one place of the largest logit, not all places that hold its value."
    check.close(p.sort().values, want, "two tied: one of them gets the 1", hint)
    check.true(p[1:3].sum() == 1, "one of the tied", "Another token got the 1.")
    close_call = doubles(1.0, 1.0 + 1e-9, 0.5)
    p = token_probabilities(close_call, 0.0)
    hint = "A tiny temperature in place of 0 is not yet greedy."
    check.close(p, doubles(0.0, 1.0, 0.0), "logits that are almost equal", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    z = draw(SEED + 3, 3, 2, 6).float()
    z[0, 0, 1] = -math.inf
    want = (z == z.amax(-1, keepdim=True)).float()
    hint = "Try one axis and three, and a logit of -inf."
    check.close(token_probabilities(z, 0), want, "three axes", hint)
    check.close(token_probabilities(z[1, 1], 0.0), want[1, 1], "one axis", hint)
    far = torch.tensor([-1e4, -math.inf, 1e4])
    check.close(token_probabilities(far, 0.0), (far == 1e4).float(), "", hint)
    ### END HIDDEN TESTS

# %% checks="token_probabilities" points=1
with checking("token_probabilities", "large logits and −inf") as check:
    z = doubles(1.0, -math.inf, 3.0, 1.0)
    want = doubles(1.0, 0.0, math.e**2, 1.0)
    hint = "A token that was ruled out keeps probability 0."
    p = check.runs(lambda: token_probabilities(z), "-inf is a logit", hint)
    check.close(p, want / want.sum(), "it has probability 0", hint)
    far = doubles([1e4 - 1, 1e4, 1e4 - 2], [-1e4, -1e4 - 1, -1e4 - 1])
    want = doubles([1.0, 2.0, 0.0], [1.0, 0.0, 0.0]).exp()
    want = want / want.sum(-1, keepdim=True)
    hint = "Along the right axis? Then: exponentials overflow; what helps beforehand?"
    check.close(token_probabilities(far), want, "two rows far from 0", hint)
    near = doubles(0.0, 1e-4, -2e-4)
    want = doubles(0.0, 1.0, -2.0).softmax(-1)
    hint = "1e-4 is a temperature like any other, no zero."
    check.close(token_probabilities(near, 1e-4), want, "temperature 1e-4", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    z = torch.tensor([[1e4, -1e4, 9e3], [-1e4, -math.inf, 1e4]])
    for t in (1e-4, 1.0):
        for logits in (z, z.double(), z[1]):
            want = (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
            check.close(token_probabilities(logits, t), want, "", "Look for overflow.")
    z = draw(SEED + 4, 2, 8)
    z[:, 3] = -math.inf
    for t in (0.5, 2.0, 1e4):
        p, hint = token_probabilities(z, t), "-inf has probability 0."
        check.close(p, torch_probabilities(z, t), "", hint)
        check.true((p[:, 3] == 0).all(), "", "It has another one.", hint)
    ### END HIDDEN TESTS

# %% checks="token_probabilities" points=1
with checking("token_probabilities", "temperatures without meaning") as check:
    z, hint = torch.tensor([2.0, 1.0, 0.0]), "Refuse only what makes no sense."
    check.runs(lambda: token_probabilities(z, 0.5), "a temperature of 0.5", hint)
    check.raises(lambda: token_probabilities(z, -1.0), "temperature −1")
    check.raises(lambda: token_probabilities(z, math.nan), "temperature NaN")
    check.raises(lambda: token_probabilities(z, math.inf), "an infinite temperature")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.raises(lambda: token_probabilities(z, -1e-9), "")
    check.raises(lambda: token_probabilities(z, -math.inf), "")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: three cases</summary>
#
# First refuse what makes no sense, then treat 0, then everything else. NaN is
# neither below nor above any number, so ask which temperatures you *accept*.
#
# </details>
#
# <details><summary>Hint 2: temperature 0</summary>
#
# `argmax` gives one place in each row, also when there are ties. Start from zeros
# and write a 1 there; `scatter` does this for all rows at once.
#
# </details>
#
# <details><summary>Hint 3: numbers that overflow</summary>
#
# Adding the same number to all logits of a row changes no probability. torch's
# `softmax` knows this; your own exponentials would need it.
#
# </details>

# %% [markdown]
# ### See it: one row of logits at four temperatures
#
# The bars below are drawn with *your* function, for the three logits of the example.
# Compare the heights with the numbers that you know.

# %% demo="temperature_bars" collapsed=true
# @title Picture: one row of logits at four temperatures
z = torch.tensor([2.0, 1.0, 0.0])
with demo("token_probabilities"):
    figure, axes = plt.subplots(1, 4, figsize=(7, 2.4), sharey=True)
    for axis, t in zip(axes, (0.0, 0.5, 1.0, 2.0), strict=True):
        p = token_probabilities(z, t)
        axis.bar(["2", "1", "0"], p, color=COLOURS["embedding"])
        axis.set(title=f"τ = {t:g}", xlabel="logit", ylim=(0, 1))
    axes[0].set_ylabel("probability")
    figure.suptitle("The hotter, the flatter; the order never changes", y=1.06)
    show(
        figure,
        "Probabilities of the logits 2, 1 and 0 as bars. At temperature 0 the first "
        "bar has everything; at 0.5, 1 and 2 the bars come closer, in the same order.",
    )

# %% demo="next_letter"
prompt = "the girl looks at the "
with torch.no_grad():
    next_logits = model(encode(prompt)[None])[0, -1]  # (V,)
names = ["↵" if letter == "\n" else letter for letter in decode(torch.arange(vocab))]
names[names.index(" ")] = "␣"
with demo("token_probabilities"):
    figure, axes = plt.subplots(3, 1, figsize=(7, 4.6), sharex=True, sharey=True)
    for axis, t in zip(axes, (0.5, 1.0, 2.0), strict=True):
        p = token_probabilities(next_logits, t)
        axis.bar(range(vocab), p, color=COLOURS["embedding"])
        axis.set_ylabel("probability")
        axis.text(0.02, 0.75, f"τ = {t:g}", transform=axis.transAxes)
    axes[-1].set_xticks(range(vocab), names)
    axes[-1].set_xlabel(f"next letter after “{prompt}”")
    axes[0].set_title("The trained model: a few letters are likely, most are not")
    show(
        figure,
        "Probability of each of the 28 characters after the prompt, at temperatures "
        "0.5, 1 and 2: a few tall bars that get lower, and small ones that grow.",
    )

# %% [markdown]
# ## Drawing a token
#
# A computer rolls a loaded die with one uniform number $u$ between 0 and 1. Put the
# probabilities end to end and see where $u$ falls.
#
# By hand: probabilities $(0.665, 0.245, 0.090)$ and $u = 0.8$. The first token
# covers $0$ to $0.665$, the second $0.665$ to $0.910$. So we draw the second
# token, id 1.
#
# `torch.multinomial` draws for you, and there are other ways. Any of them is
# welcome here.

# %% [markdown]
# ### Where randomness comes from
#
# A **generator** is torch's source of random numbers. It has a state that moves on
# with every draw. Two generators with the same seed give the same numbers, one after
# the other.
#
# A function that takes a `generator` must draw from *that one* and from nothing
# else. Then a caller can repeat a result, and two parts of a program do not disturb
# each other. `None` means torch's own, global one.

# %% demo="two_generators"
one, other = torch.Generator().manual_seed(5), torch.Generator().manual_seed(5)
first = torch.rand(3, generator=one)
print("same seed, same numbers:", torch.equal(first, torch.rand(3, generator=other)))
print("next draw, same again:  ", torch.equal(first, torch.rand(3, generator=one)))

# %% [markdown]
# ### Exercise 3.2: sample_token
#
# Draw one token for every row of logits.
#
# - `logits`: (…, |V|); result: ids (…), int64. One row alone, of shape $(|V|,)$,
#   gives one id of shape $()$.
# - each row is drawn on its own, from its probabilities at `temperature`; a logit of
#   $-\infty$ is never drawn
# - all randomness comes from `generator`: the same seed gives the same ids, the next
#   call gives new ones, and torch's global generator is left alone
# - `generator=None` draws from torch's global one
# - About 5 minutes · medium · 4 points
#
# You may call your `token_probabilities`. The checks lend a right one, so a mistake
# there costs nothing here.


# %% exercise="sample_token" minutes=5
def sample_token(logits, temperature=1.0, generator=None):
    """Draw one token per row; temperature 0 takes the largest logit.

    logits: (..., V), may hold -inf. Returns int64 ids of shape (...). All random
    numbers come from `generator`, or from torch's global one if it is None.
    """
    ### BEGIN SOLUTION
    p = token_probabilities(logits, temperature)
    rows = p.reshape(-1, p.shape[-1])  # multinomial takes one or two axes
    ids = torch.multinomial(rows, 1, generator=generator)
    return ids.reshape(logits.shape[:-1])
    ### END SOLUTION


# %% checks="sample_token" points=1
with (
    checking("sample_token", "one id for every row") as check,
    standing_in("token_probabilities"),
):
    z = draw(SEED + 10, 4, 6)
    ids = sample_token(z, 1.0, seeded(11))
    hint = "One id a row, without an axis of size 1 at the end."
    check.equal(tuple(ids.shape), (4,), "shape for four rows", hint)
    check.equal(str(ids.dtype), "torch.int64", "dtype", "Ids are whole numbers.")
    hint = "Drop the last axis of the logits, and no other."
    ids = check.runs(lambda: sample_token(z[0], 1.0, seeded(12)), "one row alone", hint)
    check.equal(tuple(ids.shape), (), "its shape", hint)
    certain = torch.full((3, 5), -math.inf).double()
    certain[0, 2], certain[1, 4], certain[2, 0] = 3.0, -8.0, 0.5
    ids = sample_token(certain, 1.0, seeded(13)).tolist()
    hint = "Each row has one possible token: its place in the row, as given, is the id."
    check.equal(ids, [2, 4, 0], "rows with one possible token", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    hint = "Try three axes, and one token a row."
    z = draw(SEED + 14, 3, 2, 7)
    for logits in (z, z.transpose(0, 1), z[:1, :1], z.float()):
        ids = sample_token(logits, 1.0, seeded(15))
        check.equal(tuple(ids.shape), tuple(logits.shape[:-1]), "", hint)
    ids = sample_token(torch.zeros(2, 60, 7), 1.0, seeded(16))
    check.true(0 <= ids.min() and ids.max() < 7, "", "An id is not in 0 to 6.")
    own = not torch.equal(ids[0], ids[1])
    check.true(own, "", "Rows share a random number: each needs its own.")
    ### END HIDDEN TESTS

# %% checks="sample_token" points=1
with (
    checking("sample_token", "the given generator, and it moves on") as check,
    standing_in("token_probabilities"),
):
    z = draw(SEED + 20, 80, 9)  # 80 rows: equal by chance once in 1e40
    first, again = (sample_token(z, 1.0, seeded(21)).tolist() for _ in range(2))
    hint = "Hand the generator on to the function that draws."
    problem = "Two generators with the same seed led to different ids."
    check.true(again == first, "the same seed gives the same ids", problem, hint)
    generator, before = seeded(22), torch.get_rng_state()
    one, two = (sample_token(z, 1.0, generator).tolist() for _ in range(2))
    hint = "Use the generator as it is: no new one, no new seed, no copy."
    problem = "Two calls with one generator gave the same 80 ids."
    check.true(one != two, "the next draw differs", problem, hint)
    left = torch.equal(torch.get_rng_state(), before)
    problem = "A call with a generator used or seeded torch's own."
    check.true(left, "torch's global generator is left alone", problem, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    one, two = sample_token(z).tolist(), sample_token(z).tolist()
    check.true(one != two, "", "Two calls without a generator gave the same ids.")
    torch.set_rng_state(before)  # as it was when `one` was drawn
    problem = "Without a generator, torch's global one is not what it draws from."
    check.true(sample_token(z).tolist() == one, "", problem)
    z, pair = torch.zeros(50).double(), (seeded(23), seeded(23))
    one, two = ([sample_token(z, 1.0, g).tolist() for _ in range(30)] for g in pair)
    check.true(one == two, "", "One row alone does not draw from the generator.")
    check.true(one != one[:1] * 30, "", "One row alone always gave the same id.")
    ### END HIDDEN TESTS

# %% [markdown]
# ### How the next checks count
#
# They draw a few thousand tokens and compare how often each one came up with its
# probability. Chance alone moves such a count. *Bernstein's inequality* says how far,
# with any certainty you ask for. The checks leave so much room that a right answer
# fails in fewer than one of $10^{9}$ runs.

# %% checks="sample_token" points=1
with (
    checking("sample_token", "how often each token comes") as check,
    standing_in("token_probabilities"),
):
    z = doubles([0.2, 1.7, -0.5, 0.9], [1.5, -1.0, 0.4, 0.1])
    p = torch_probabilities(z)
    ids = sample_token(z.repeat(3000, 1), 1.0, seeded(31))  # rows 0, 1, 0, 1, …
    problem = "3,000 equal rows all got the same id."
    hint = "Is it a draw at all, and does every row get a random number of its own?"
    check.true(len(ids[::2].unique()) > 1, "equal rows, several ids", problem, hint)
    hint = "Is the draw made with the probabilities of its own row?"
    for row in (0, 1):
        odd = odd_counts(ids[row::2], p[row])
        check.true(not odd, f"counts for row {row}", odd, hint)
    pairs = 4 * ids[::2] + ids[1::2]
    odd = odd_counts(pairs, (p[0, :, None] * p[1]).flatten())
    hint = "Each row needs a random number of its own."
    check.true(not odd, "pairs of rows are independent", odd, hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    z = draw(SEED + 32, 6)
    z[4] = -math.inf
    for logits in (z, z.float(), 2 * z - 40):
        ids = sample_token(logits.expand(3000, 6), 1.0, seeded(33))
        odd = odd_counts(ids, torch_probabilities(logits.double()))
        check.true(not odd, "", odd and "The counts do not fit the probabilities.")
    z = torch.where(torch.arange(400) == 7, -3.0, -math.inf).double()
    ids = sample_token(z.expand(500, 400), 1.0, seeded(34))
    check.true((ids == 7).all(), "", "A logit of -inf was drawn.")
    ### END HIDDEN TESTS

# %% checks="sample_token" points=1
with (
    checking("sample_token", "temperature") as check,
    standing_in("token_probabilities"),
):
    z = doubles(0.2, 1.7, -0.5, 0.9)
    many = z.repeat(3000, 1)
    hint = "The temperature divides the logits, and it does so once."
    for t in (0.5, 2.0):
        odd = odd_counts(sample_token(many, t, seeded(41)), torch_probabilities(z, t))
        check.true(not odd, f"counts at temperature {t:g}", odd, hint)
    hint = "All probability lies on the largest logit of each row."
    ids = check.runs(lambda: sample_token(many[:9], 0.0, seeded(42)), "greedy", hint)
    check.equal(ids.flatten().tolist(), [1] * 9, "temperature 0 takes the best", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    far = torch.tensor([[-1e4, 1e4, 0.0], [1e4, -math.inf, -1e4]])
    for t in (0.0, 1e-4, 1.0):
        ids = sample_token(far, t, seeded(43)).flatten().tolist()
        check.equal(ids, [1, 0], "", "Try logits of 10,000.")
    z = draw(SEED + 44, 6, 5)
    best = sample_token(z, 0, seeded(46)).flatten().tolist()
    check.equal(best, z.argmax(-1).tolist(), "", "Look at τ = 0.")
    z = z[0]
    for size, t in ((1, 0.7), (1, 1.6), (1e-4, 1e-4)):
        ids = sample_token(size * z.repeat(3000, 1), t, seeded(45))
        odd = odd_counts(ids, torch_probabilities(size * z, t))
        check.true(not odd, "", odd and "The counts do not fit the temperature.")
    one, two = by_default(sample_token, many[:1000])
    check.true(one == two, "", "Look at the default temperature.")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: where to begin</summary>
#
# You have a function that gives probabilities for any shape. What is left is one draw
# for each row.
#
# </details>
#
# <details><summary>Hint 2: any number of axes</summary>
#
# `torch.multinomial` wants one axis or two. Put all rows below each other, draw, and
# give the ids the shape of `logits` without its last axis.
#
# </details>

# %% demo="draws"
with demo("token_probabilities", "sample_token"):
    z = torch.tensor([2.0, 1.0, 0.0])
    p = token_probabilities(z)
    source = torch.Generator().manual_seed(0)
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.4), sharey=True)
    for axis, n in zip(axes, (10, 100, 10_000), strict=True):
        counts = torch.bincount(sample_token(z.repeat(n, 1), 1.0, source), minlength=3)
        axis.bar(range(3), counts / n, color=COLOURS["other"], label="drawn")
        axis.plot(range(3), p, "o", color=COLOURS["embedding"], label="probability")
        axis.set(title=f"{n:,} draws", xlabel="token id", xticks=range(3))
    axes[0].set_ylabel("share of draws")
    axes[0].set_ylim(0, 1.2)
    axes[-1].legend(frameon=False, loc="upper right")
    figure.suptitle("More draws come closer to the probabilities", y=1.06)
    show(
        figure,
        "Shares of the tokens 0, 1 and 2 among 10, 100 and 10,000 draws, as bars, with "
        "the probabilities as dots. With more draws the bars come closer to the dots.",
    )

# %% [markdown]
# ## Cutting the tail: top-k
#
# A vocabulary has many tokens that do not fit here. Each is improbable, but
# together they are not: with 50,000 tokens of $10^{-6}$ each, every twentieth draw
# is nonsense, and later text builds on it.
#
# **Top-k** keeps the $k$ largest logits and sets the others to $-\infty$. The
# softmax afterwards shares all probability among those that are left.
#
# By hand, $k = 2$:
#
# $$(1.0,\ 3.0,\ 2.0,\ 0.5) \to (-\infty,\ 3.0,\ 2.0,\ -\infty)$$
#
# The softmax of that is $(0,\ 0.731,\ 0.269,\ 0)$.

# %% [markdown]
# ### Exercise 3.3: keep_top_k
#
# Keep the $k$ largest logits of every row, at their places and unchanged.
#
# - `logits`: (…, |V|); result: like `logits`, $-\infty$ for the dropped
# - **exactly** $k$ stay, with ties too; which of the tied ones stay is your choice
# - what is $-\infty$ stays so; $k$ above $|V|$ keeps all
# - $k$ below 1: a `ValueError` that says so
# - About 5 minutes · medium · 3 points


# %% exercise="keep_top_k" minutes=5
def keep_top_k(logits, k):
    """Keep the k largest logits of each row; the others become -inf.

    logits: (..., V), may hold -inf. Returns a new tensor like logits, min(k, V) logits
    of each row kept in place, with ties too. Raises ValueError when k is below 1.
    """
    ### BEGIN SOLUTION
    if k < 1:
        raise ValueError(f"k is {k}; at least one token has to stay")
    best = logits.topk(min(k, logits.shape[-1]), dim=-1)
    dropped = torch.full_like(logits, -math.inf)
    return dropped.scatter(-1, best.indices, best.values)
    ### END SOLUTION


# %% checks="keep_top_k" points=1
with checking("keep_top_k", "the k largest, in place") as check:
    low = -math.inf
    z = doubles(1.0, 3.0, 2.0, 0.5)
    y = keep_top_k(z, 2)
    hint = "k logits stay; a dropped one is -inf, for 0 or -1e9 is still a logit."
    check.equal(int(y.isfinite().sum()), 2, "two are not -inf at k = 2", hint)
    hint = "The largest stay, with the values and at the places that they had."
    check.close(y, doubles(low, 3.0, 2.0, low), "the right two, in place", hint)
    want = doubles(low, -6.0, low, low)
    check.close(keep_top_k(z - 9, 1), want, "negative logits, k = 1", hint)
    rows = torch.stack([z, 40 - z])
    want = doubles([1.0, 3.0, 2.0, low], [39.0, low, 38.0, 39.5])
    hint = "Each row has its own k largest."
    check.close(keep_top_k(rows, 3), want, "two rows of different size", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    z = draw(SEED + 50, 3, 4, 8)
    larger = (z[..., None, :] > z[..., :, None]).sum(-1)  # how many are larger
    for k in (1, 3, 7):
        want = z.masked_fill(larger >= k, low)
        check.close(keep_top_k(z, k), want, "", "Try three axes.")
        turned = z.transpose(0, 1)
        check.close(keep_top_k(turned, k), want.transpose(0, 1), "", "Try a transpose.")
        check.close(keep_top_k(z[0, 0], k), want[0, 0], "", "Try one axis.")
        check.close(keep_top_k(z.float(), k), want.float(), "", "Keep the dtype.")
    z = doubles(low, 2.0, low, 1.0)
    check.close(keep_top_k(z, 3), z, "", "What was -inf before stays so.")
    ### END HIDDEN TESTS

# %% checks="keep_top_k" points=1
with checking("keep_top_k", "ties") as check:
    z = doubles([1.0, 4.0, 4.0, 4.0, 0.0])
    hint = "A threshold keeps all that are equal to it: keep places, not values."
    y = keep_top_k(z, 2)
    check.equal(int((y == 4).sum()), 2, "two of three tied, k = 2", hint)
    y = keep_top_k(doubles([5.0, 4.0, 4.0, 4.0, 0.0]), 3)
    check.equal(int((y >= 4).sum()), 3, "one clear and two of three tied, k = 3", hint)
    check.true(y[0, 0] == 5, "the clear one is kept", "The largest logit was dropped.")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    z = torch.ones(3, 7)
    for k in (1, 4, 7):
        kept = (keep_top_k(z, k) == 1).sum(-1)
        check.equal(kept.tolist(), [k] * 3, "", "Try rows of equal logits.")
    ### END HIDDEN TESTS

# %% checks="keep_top_k" points=1
with checking("keep_top_k", "any k") as check:
    z = draw(SEED + 51, 2, 5)
    check.close(keep_top_k(z, 5), z, "all stay at k = |V|", "All tokens stay.")
    hint = "A row has no more than |V| logits to keep."
    y = check.runs(lambda: keep_top_k(z, 8), "a k above |V|", hint)
    check.close(y, z, "it keeps all", hint)
    check.raises(lambda: keep_top_k(z, 0), "a k of 0")
    check.raises(lambda: keep_top_k(z, -2), "a k of −2")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    z[:, 1:4] = -math.inf
    for k in (5, 1000):
        check.close(keep_top_k(z, k), z, "", "What was -inf before stays so.")
    check.close(keep_top_k(z[:, :1], 3), z[:, :1], "", "Try a single token.")
    check.raises(lambda: keep_top_k(z[:1], -1), "")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: places, not values</summary>
#
# `topk` returns the largest numbers *and* where they stood. With the places you
# never have to compare values, so ties do no harm.
#
# </details>
#
# <details><summary>Hint 2: writing them back</summary>
#
# Start from a tensor full of $-\infty$ and put the kept logits at their places
# along the last axis.
#
# </details>

# %% [markdown]
# ## Top-p: a tail that adapts
#
# A fixed $k$ is too many when the model is sure and too few when many tokens fit.
# **Top-p** (also *nucleus* sampling) fixes a share $p$ of the probability instead:
# keep the smallest set of tokens whose probabilities sum to **at least** $p$.
#
# By hand: probabilities $(0.4, 0.3, 0.2, 0.1)$, largest first, $p = 0.8$.
#
# - after one token: $0.4 < 0.8$, go on;
# - after two: $0.7 < 0.8$, go on;
# - after three: $0.9 \ge 0.8$, stop.
#
# Three stay. The token that *crosses* $p$ is among them: without it the set would
# hold less than $p$. Renormalised, they have $(0.444, 0.333, 0.222)$.

# %% [markdown]
# ### Exercise 3.4: keep_top_p
#
# Keep the smallest set of tokens of every row that holds at least $p$.
#
# - `logits`: (…, |V|), in any order; result: like `logits`, kept logits unchanged and
#   in place, $-\infty$ for the dropped
# - at least one token stays; $p = 1$ keeps all, but for tokens so improbable that
#   rounding hides them; what is $-\infty$ stays so
# - $p$ outside $0 < p \le 1$, or NaN: a `ValueError` that says so
# - tokens tied at the edge: as many as needed stay, whichever you like, or all of them
# - About 8 minutes · the hardest of this lesson · 3 points


# %% exercise="keep_top_p" minutes=8
def keep_top_p(logits, p):
    """Keep the fewest tokens of each row that hold at least the probability p.

    logits: (..., V), may hold -inf. Returns a new tensor like logits with -inf for
    the dropped tokens. Raises ValueError unless 0 < p <= 1.
    """
    ### BEGIN SOLUTION
    if not 0 < p <= 1:  # true for NaN too
        raise ValueError(f"p is {p}; it has to be above 0 and at most 1")
    ordered, places = logits.sort(dim=-1, descending=True)
    share = ordered.softmax(-1)
    before = share.cumsum(-1) - share  # held by all tokens that are more probable
    dropped = (before >= p) & (p < 1)  # rounding must not drop a token at p = 1
    kept = ordered.masked_fill(dropped, -math.inf)
    return torch.empty_like(logits).scatter(-1, places, kept)
    ### END SOLUTION


# %% checks="keep_top_p" points=1
with (
    checking("keep_top_p", "the token that crosses p") as check,
    standing_in("token_probabilities"),
):
    z = doubles(0.4, 0.3, 0.2, 0.1).log() + 2  # the example; + 2 moves no share
    y = keep_top_p(z, 0.8)
    hint = "Something has to go, and a dropped token gets -inf; 0 or -1e9 is a logit."
    check.true(y.min() == -math.inf, "dropped means -inf", "No logit is -inf.", hint)
    for p, n in ((0.8, 3), (0.5, 2), (0.95, 4)):
        y = keep_top_p(z, p)
        hint = "Add up the largest first; the token that reaches p belongs to the set."
        check.equal(int(y.isfinite().sum()), n, f"{n} of four at p = {p}", hint)
        want = z.masked_fill(torch.arange(4) >= n, -math.inf)
        hint = "The most probable tokens stay, with the logits that they had."
        check.close(y, want, f"the right {n}", hint)
    want = doubles(z[0], -math.inf, -math.inf, -math.inf)
    check.close(keep_top_p(z, 0.2), want, "one holds p = 0.2", "The best always stays.")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    share = doubles(0.31, 0.27, 0.19, 0.11, 0.08, 0.04)
    for p, n in ((0.3, 1), (0.32, 2), (0.57, 2), (0.6, 3), (0.9, 5), (0.97, 6)):
        for shift in (0.0, -30.0, 9.0):
            z = share.log() + shift
            want = z.masked_fill(torch.arange(6) >= n, -math.inf)
            check.close(keep_top_p(z, p), want, "", "Does the crossing token stay?")
    ### END HIDDEN TESTS

# %% checks="keep_top_p" points=1
with (
    checking("keep_top_p", "tokens in any order, rows on their own") as check,
    standing_in("token_probabilities"),
):
    z = doubles(0.4, 0.3, 0.2, 0.1).log()
    order = [3, 1, 0, 2]
    want = keep_top_p(z, 0.6)  # your own answer for the sorted logits
    y = keep_top_p(z[order], 0.6)
    check.true(not torch.equal(y, z[order]), "something is dropped", "Nothing is.")
    check.true(y[2] == z[0], "the best stays", "It was dropped, moved or changed.")
    hint = "Which tokens stay is known in sorted order; the logits are not sorted."
    check.close(y, want[order], "shuffled logits, the same tokens", hint)
    rows = torch.stack([z, doubles(0.0, 9.0, 1.0, 2.0), z[order] - 9])
    y = keep_top_p(rows, 0.6)
    hint = "Each row is sorted, summed and cut on its own, along the last axis."
    for row in range(3):
        check.close(y[row], keep_top_p(rows[row], 0.6), f"row {row} as alone", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    share = doubles(0.31, 0.27, 0.19, 0.11, 0.08, 0.04)
    order = torch.rand(4, 3, 6, generator=seeded(60)).argsort(-1)
    z = share.log()[order] + draw(SEED + 61, 4, 3, 1, scale=20.0)
    for p in (0.2, 0.5, 0.7, 0.92):
        want = keep_top_p(share.log(), p)[order]
        want = torch.where(want == share.log()[order], z, want)
        check.close(keep_top_p(z, p), want, "", "Try three axes.")
        turned = z.transpose(0, 1)
        check.close(keep_top_p(turned, p), want.transpose(0, 1), "", "Try a transpose.")
        check.close(keep_top_p(z.float(), p), want.float(), "", "Keep the dtype.")
    ### END HIDDEN TESTS

# %% checks="keep_top_p" points=1
with (
    checking("keep_top_p", "the ends: peaks, p = 1, −inf, p without meaning") as check,
    standing_in("token_probabilities"),
):
    y = keep_top_p(doubles([0.0, 30.0, -2.0], [1.0, 0.0, 50.0]), 0.5)
    stays = y[0, 1] == 30 and y[1, 2] == 50
    hint = "A token that alone has more than p is the whole set."
    check.true(stays, "a peak in each row", "It was dropped, moved or changed.", hint)
    z = doubles([0.5, -1.0, 2.0, 0.1])
    y = check.runs(lambda: keep_top_p(z, 1.0), "a p of 1", "1 is a share like 0.8.")
    check.close(y, z, "it keeps all", "At p = 1 all tokens stay.")
    gap = doubles([0.5, -math.inf, 2.0, -math.inf])
    check.close(keep_top_p(gap, 1.0), gap, "-inf stays -inf", "Look at -inf.")
    for bad in (0.0, -0.1, 1.1, math.nan):
        check.raises(lambda p=bad: keep_top_p(z, p), f"a p of {bad}")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    wide = torch.tensor([[-1e4, 1e4, 0.0], [0.0, -1e4, -math.inf]])
    y = keep_top_p(wide, 1e-3)
    stays = y[0, 1] == 1e4 and y[1, 0] == 0
    check.true(stays, "", "The most probable was dropped.", "Try logits of 10,000.")
    goes = y[0, 0] != -1e4 and y[1, 1] != -1e4
    check.true(goes, "", "An improbable one was kept.", "Try logits of 10,000.")
    check.close(keep_top_p(z[:, :1], 0.5), z[:, :1], "", "Try a single token.")
    check.close(keep_top_p(z.float(), 1), z.float(), "", "Try p = 1.")
    check.raises(lambda: keep_top_p(z, 1.001), "")
    check.raises(lambda: keep_top_p(z, math.inf), "")
    check.raises(lambda: keep_top_p(z, -math.inf), "")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: sort, then add up</summary>
#
# Sort the logits, largest first. Softmax and a running sum (`cumsum`) then tell you,
# for each token, how much probability is held up to it.
#
# </details>
#
# <details><summary>Hint 2: the token that crosses</summary>
#
# Look at the sum *before* a token, without the token itself. A token is needed as
# long as that sum has not reached $p$. For the first token it is 0.
#
# </details>
#
# <details><summary>Hint 3: back to the old order</summary>
#
# `sort` also returns where each number came from. `scatter` along the last axis puts
# numbers back to those places.
#
# </details>

# %% [markdown]
# ### See it: a sure model and an unsure one
#
# The left distribution is peaked, the right one is flat. Top-k keeps three tokens
# in both. Top-p keeps as many as it needs.

# %% demo="cut_tails" collapsed=true
# @title Picture: what top-k and top-p keep
peaked = torch.tensor([0.75, 0.15, 0.05, 0.02, 0.01, 0.01, 0.01]).log()
flat = torch.tensor([0.22, 0.19, 0.16, 0.14, 0.12, 0.1, 0.07]).log()
with demo("keep_top_k", "keep_top_p"):
    figure, axes = plt.subplots(2, 2, figsize=(6.4, 4), sharey=True, sharex=True)
    for column, z in enumerate((peaked, flat)):
        cuts = {"top-k, k = 3": keep_top_k(z, 3), "top-p, p = 0.8": keep_top_p(z, 0.8)}
        for axis, (name, kept) in zip(axes[:, column], cuts.items(), strict=True):
            stays = kept.isfinite()
            colours = [COLOURS["embedding"] if s else "lightgrey" for s in stays]
            axis.bar(range(len(z)), z.exp(), color=colours)
            axis.set_title(f"{name}: {int(stays.sum())} stay")
    for axis in axes[:, 0]:
        axis.set_ylabel("probability")
    for axis in axes[1]:
        axis.set_xlabel("token, by probability")
    figure.suptitle("Top-k keeps a number, top-p keeps a share")
    figure.tight_layout()
    show(
        figure,
        "Four bar charts of seven tokens, dropped ones grey. Top-k with k = 3 keeps "
        "three of a peaked and of a flat distribution; top-p with p = 0.8 keeps two "
        "of the peaked and five of the flat one.",
    )

# %% [markdown]
# ## The loop
#
# A GPT writes one token at a time:
#
# 1. run the model on the ids so far;
# 2. take the **last** row of logits: it answers what comes after the end;
# 3. choose a token and append it;
# 4. repeat until a limit, or until the model writes a token that means "end".
#
# By hand, with a context of 4 and the prompt "a cat" (5 letters):
#
# - the model reads " cat", the last four;
# - it gives 4 rows of logits; the last one leads to, say, " ";
# - the text is now "a cat "; next it reads "cat ".
#
# The text grows; what the model reads never exceeds its context, $T_\text{max}$.

# %% [markdown]
# ### Exercise 3.5: generate
#
# Write the loop.
#
# - `ids`: (B, T), int64, with T from 1 and maybe beyond the context; result:
#   (B, T + `n_new`), starting with `ids`
# - each step feeds the last $T_\text{max}$ tokens of the text so far, or all of them
#   while there are fewer
# - `n_new` = 0 gives the prompt back; `n_new` below 0: a `ValueError` that says so
# - leaves the model as it was (train or eval mode, parameters and their
#   `requires_grad`), and torch's gradient mode too; the result carries no graph
# - About 7 minutes · medium · 4 points
#
# Choose tokens with `sample_token`; the checks lend a right one.


# %% exercise="generate" minutes=7
def generate(model, ids, n_new, temperature=1.0, generator=None):
    """Append n_new tokens to every row of ids, one at a time.

    model: a TinyGPT; ids: (B, T) int64. Returns (B, T + n_new) int64 ids without a
    graph. Raises ValueError when n_new is below 0.
    """
    ### BEGIN SOLUTION
    if n_new < 0:
        raise ValueError(f"n_new is {n_new}; it cannot be below 0")
    for _ in range(n_new):
        with torch.no_grad():
            logits = model(ids[:, -model.context :])  # (B, T, V)
        new = sample_token(logits[:, -1], temperature, generator)
        ids = torch.cat([ids, new[:, None]], dim=1)
    return ids
    ### END SOLUTION


# %% checks="generate" points=1
with (
    checking("generate", "the prompt and what is appended") as check,
    standing_in(*PARTS),
    torch.enable_grad(),
):
    sizes = dict(vocab=9, context=8, d_model=12, n_heads=3, n_layers=1)
    toy = random_model(TinyGPT, seed=SEED + 70, **sizes)
    ids = torch.tensor([[3, 1, 4], [1, 5, 8]])
    out = generate(toy, ids, 4, 1.0, seeded(71))
    hint = "Every row gets n_new tokens at its end, the prompt stays in front."
    check.equal(tuple(out.shape), (2, 7), "shape with n_new = 4", hint)
    check.equal(out[:, :3].tolist(), ids.tolist(), "begins with the prompt", hint)
    check.equal(str(out.dtype), "torch.int64", "dtype", "Ids are int64.")
    hint = "With no new token the result is the prompt."
    out = check.runs(lambda: generate(toy, ids, 0, 1.0, seeded(72)), "zero steps", hint)
    check.equal(out.tolist(), ids.tolist(), "it gives the prompt", hint)
    check.raises(lambda: generate(toy, ids, -1, 1.0, seeded(73)), "an n_new of −1")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    generator = seeded(74)
    hint = "Each row gets n_new tokens, whichever they are."
    for batch, length, n_new in ((1, 1, 1), (3, 2, 5), (4, 1, 3), *[(1, 2, 6)] * 9):
        ids = torch.randint(9, (batch, length), generator=generator)
        out = generate(toy, ids, n_new, 1.0, generator)
        check.equal(tuple(out.shape), (batch, length + n_new), "", hint)
        check.equal(out[:, :length].tolist(), ids.tolist(), "", hint)
        in_vocab = 0 <= out.min() and out.max() < 9
        check.true(in_vocab, "", "An id is outside the vocabulary.")
    ### END HIDDEN TESTS

# %% checks="generate" points=1
with checking("generate", "greedy text") as check, standing_in(*PARTS), torch.no_grad():
    sizes = dict(vocab=13, context=6, d_model=16, n_heads=2, n_layers=2)
    toy = random_model(TinyGPT, seed=SEED + 84, **sizes)
    ids = torch.randint(13, (5, 2), generator=seeded(81))
    out = torch.cat([ids, generate(toy, ids, 4, 0.0)[:, -4:]], 1)
    best = toy(out).argmax(-1)  # what should follow each token: one pass tells
    hint = "Is the temperature handed on? Row t of the logits is about what follows t."
    check.equal(out[:, 2].tolist(), best[:, 1].tolist(), "the first new token", hint)
    hint = "Each new token has to be read in the next step."
    check.equal(out[:, 2:].tolist(), best[:, 1:-1].tolist(), "inside the context", hint)
    hint = "What the model reads is cut to the context; the text itself is not."
    new = check.runs(lambda: generate(toy, ids, 9, 0.0), "a longer text", hint)[:, -9:]
    check.equal(tuple(new.shape), (5, 9), "nine new tokens", hint)
    out = torch.cat([ids, new], 1)
    windows = out[:, :-1].unfold(1, 6, 1)  # every six tokens in a row: (5, 5, 6)
    best = toy(windows.reshape(-1, 6))[:, -1].argmax(-1).reshape(5, -1)
    hint = "Beyond the context the model reads as many of the last tokens as it can."
    check.equal(out[:, 6:].tolist(), best.tolist(), "beyond the context", hint)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    for context, length in ((4, 7), (5, 5), (1, 3)):
        sizes["context"] = context
        toy = random_model(TinyGPT, seed=SEED + 82 + context, **sizes)
        ids = torch.randint(13, (3, length), generator=seeded(83))
        out = torch.cat([ids, generate(toy, ids, 8, 0.0)[:, -8:]], 1)
        check.equal(out.shape[1], length + 8, "", "Try long prompts.")
        windows = out[:, length - context : -1].unfold(1, context, 1)
        best = toy(windows.reshape(-1, context))[:, -1].argmax(-1).reshape(3, -1)
        check.equal(out[:, length:].tolist(), best.tolist(), "", "Try long prompts.")
    ### END HIDDEN TESTS

# %% checks="generate" points=1
with checking("generate", "draws") as check, standing_in(*PARTS), torch.no_grad():
    sizes = dict(vocab=4, context=8, d_model=8, n_heads=2, n_layers=1)
    toy = random_model(TinyGPT, seed=SEED + 90, **sizes)
    many = torch.tensor([[2, 0]]).repeat(1000, 1)
    after = torch.cat([many[:4], torch.arange(4)[:, None]], 1)  # each first letter
    for t in (0.6, 2.5):
        first = torch_probabilities(toy(many[:1])[0, -1], t)
        second = torch_probabilities(toy(after)[:, -1], t)
        new = generate(toy, many, 2, t, seeded(91))[:, -2:]
        odd = odd_counts(new[:, 0], first)
        hint = "Hand the temperature on; every row draws its own token."
        check.true(not odd, f"first new token, temperature {t}", odd, hint)
        odd = odd_counts(4 * new[:, 0] + new[:, 1], (first[:, None] * second).flatten())
        hint = "The second draw needs new random numbers and the token drawn before."
        check.true(not odd, f"two new tokens, temperature {t}", odd, hint)
    one = generate(toy, many[:40], 4, 1.0, seeded(92)).tolist()
    two = generate(toy, many[:40], 4, 1.0, seeded(92)).tolist()
    problem = "Two generators with the same seed led to different texts."
    check.true(one == two, "same seed, same text", problem, "Hand the generator on.")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    generator = seeded(93)
    one, two = (generate(toy, many[:40], 4, 1.0, generator).tolist() for _ in range(2))
    check.true(one != two, "", "Two calls with one generator gave the same text.")
    one, two = (generate(toy, many[:40], 4).tolist() for _ in range(2))
    check.true(one != two, "", "Two calls without a generator gave the same text.")
    one, two = by_default(generate, toy, many, 1)
    check.true(one == two, "", "Look at the default temperature.")
    ### END HIDDEN TESTS

# %% checks="generate" points=1
with (
    checking("generate", "leaves the model and torch's mode as they were") as check,
    standing_in(*PARTS),
    torch.enable_grad(),
):
    sizes = dict(vocab=7, context=5, d_model=8, n_heads=2, n_layers=1)
    toy = random_model(TinyGPT, seed=SEED + 95, **sizes)
    ids = torch.tensor([[1, 2, 6]])
    for mode in ("eval", "train"):
        toy.train(mode == "train")
        out = generate(toy, ids, 3, 1.0, seeded(96))
        same = toy.training == (mode == "train")
        check.true(same, f"in {mode} mode", "The model's mode is another afterwards.")
    problem = "The parameters no longer take gradients, or have another dtype."
    kept = all(w.requires_grad and w.dtype == torch.float64 for w in toy.parameters())
    check.true(kept, "parameters as before", problem, "Leave the model alone.")
    check.true(torch.is_grad_enabled(), "gradients stay on", "They are off afterwards.")
    check.true(not out.requires_grad, "no graph", "The result carries a graph.")
    written = out.dim() == 2 and not torch.equal(out, ids)
    check.true(written, "tokens are added", "The result is no longer text.")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    with torch.no_grad():
        generate(toy, ids, 2, 0.0)
        check.true(not torch.is_grad_enabled(), "", "Gradients are on afterwards.")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: shapes in one step</summary>
#
# Logits are (B, T, |V|). You need (B, |V|): the row of the last token, for every text
# in the batch. `sample_token` gives (B,); to append it to (B, T) it needs a second
# axis.
#
# </details>
#
# <details><summary>Hint 2: the window</summary>
#
# A slice with a negative start, such as `ids[:, -6:]`, takes the last six columns, or
# all of them when there are fewer.
#
# </details>
#
# <details><summary>Hint 3: leaving no trace</summary>
#
# You do not have to touch the model's mode at all. For gradients use a `with` block:
# it puts the old setting back by itself.
#
# </details>

# %% [markdown]
# ## Your text
#
# Everything is there: the next cell continues "the " three times, with your
# `generate`, at temperature 0.7. All that the model has ever read is a text of 7,000
# letters, for a few seconds. It knows words and short sentences, and nothing about
# what they mean.

# %% demo="samples" volatile=true
start = encode("the ")[None]  # (1, 4)
with demo("generate", "sample_token", "token_probabilities"):
    source = torch.Generator().manual_seed(1)
    for text in generate(model, start.repeat(3, 1), 120, 0.7, source):
        print(decode(text), end="\n---\n")

# %% [markdown]
# ### Four temperatures
#
# Now 600 letters at each temperature, and two counts: the share of *real words*, those
# of the training text, and how many of the sentences differ from each other.
#
# Look at both ends. At $\tau = 0$ the words are right and the sentences come back. At
# $\tau = 2$ nothing comes back, and the words fall apart.

# %% demo="four_temperatures" volatile=true
with demo("generate", "sample_token", "token_probabilities"):
    for t in (0.0, 0.5, 1.0, 2.0):
        text = decode(generate(model, start, 600, t, source)[0])
        words = re.findall("[a-z]+", text)
        real = sum(word in words_of_corpus for word in words) / len(words)
        sentences = [part.strip() for part in text.split(".")]
        differ = f"{len(set(sentences))} of {len(sentences)} sentences differ"
        print(f"τ = {t:g}: {real:.0%} real words, {differ}")
        print(f"   …{text[-150:]!r}\n")

# %% [markdown]
# ### Your two cuts on the real model
#
# `CutGPT` is a model whose logits go through one of your cuts, so your `generate` can
# write with it. The cut comes before the temperature here. Many libraries turn the two
# around: at $\tau > 1$ top-p then keeps more tokens.
#
# Change $k$, $p$ and $\tau$, and read: the tail is where broken words come from.


# %% demo="samples_cut" volatile=true
class CutGPT(torch.nn.Module):
    """A model whose logits are cut."""

    def __init__(self, model, cut):
        super().__init__()
        self.model, self.cut, self.context = model, cut, model.context

    def forward(self, ids):
        return self.cut(self.model(ids))


cuts = {
    "no cut": lambda z: z,
    "top-k, k = 3": lambda z: keep_top_k(z, 3),
    "top-p, p = 0.8": lambda z: keep_top_p(z, 0.8),
}
with demo("generate", "sample_token", "keep_top_k", "keep_top_p"):
    for name, cut in cuts.items():
        source = torch.Generator().manual_seed(2)
        text = generate(CutGPT(model, cut), start, 150, 1.5, source)[0]
        print(f"{name}, τ = 1.5: {decode(text)}\n")

# %% [markdown]
# ### Touch it: temperature and cuts
#
# Type a prompt and move the sliders. Here $\tau$ acts first, then top-k, then top-p.
#
# - Set $p = 1$. Between which values of $\tau$ do the texts begin to fall apart, and
#   what does the entropy say there?
# - Set $p = 0.8$. How many characters stay at $\tau = 0.5$, how many at $\tau = 2$?
#   Does top-k react in the same way?
# - Try the prompt "the g" after "the ". Where is the model sure of itself?

# %% demo="explore_temperature" volatile=true
TemperatureBars(model, encode, decode, token_probabilities, keep_top_k, keep_top_p)

# %% [markdown]
# ## What other families learn
#
# Here is one language model of each family of lesson 1. All three learn from plain
# text; they differ in what they have to guess.
#
# - **BERT** (encoder): about 15 % of the tokens are chosen, most of them hidden;
#   guess them from both sides.
# - **GPT** (decoder): guess the next token from those before it.
# - **T5** (encoder and decoder): whole spans are cut out; write the missing spans.
#
# The loop of this lesson repeats the second task, so a GPT can write as soon as it is
# trained. The decoder of T5 writes its spans with the same loop. BERT was never asked
# what comes next: it has no such loop.

# %% [markdown]
# ## Stretch
#
# Three more tools that you meet in libraries. They carry no points.
#
# ### Min-p
#
# A third cut: keep each token whose probability is at least $p$ times that of the
# most probable one. With $(0.5, 0.3, 0.15, 0.05)$ and $p = 0.25$ the bar lies at
# $0.125$, so three stay.

# %% [markdown]
# ### Stretch exercise: keep_min_p
#
# - `logits`: (…, |V|); result: like `logits`, $-\infty$ for the dropped
# - $p$ outside $0 < p \le 1$, or NaN: a `ValueError` that says so
# - About 4 minutes · stretch


# %% exercise="keep_min_p" minutes=4 stretch=true
def keep_min_p(logits, p):
    """Keep tokens of at least p times the largest probability of their row.

    logits: (..., V), may hold -inf. Returns a new tensor like logits with -inf for
    the dropped tokens. Raises ValueError unless 0 < p <= 1.
    """
    ### BEGIN SOLUTION
    if not 0 < p <= 1:
        raise ValueError(f"p is {p}; it has to be above 0 and at most 1")
    bar = logits.amax(-1, keepdim=True) + math.log(p)
    return logits.masked_fill(logits < bar, -math.inf)
    ### END SOLUTION


# %% checks="keep_min_p"
with (
    checking("keep_min_p", "a bar that moves with the best token") as check,
    standing_in("token_probabilities"),
):
    low = -math.inf
    z = doubles(0.15, 0.5, 0.05, 0.3).log()
    want = doubles(z[0], z[1], low, z[3])
    hint = "The bar is p times the largest probability of the row."
    check.close(keep_min_p(z, 0.25), want, "the example, p = 0.25", hint)
    rows = torch.stack([z, doubles(0.0, 9.0, 8.0, low)])
    want = doubles([low, z[1], low, z[3]], [low, 9.0, low, low])
    check.close(keep_min_p(rows, 0.5), want, "two rows, p = 0.5", hint)
    for bad in (0.0, 1.5, math.nan):
        check.raises(lambda p=bad: keep_min_p(z, p), f"a p of {bad}")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    z = draw(SEED + 100, 3, 2, 8, scale=2.0)
    ratio = torch_probabilities(z) / torch_probabilities(z).amax(-1, keepdim=True)
    for p in (0.02, 0.3, 1.0):
        want = z.masked_fill(ratio < p * (1 - 1e-12), low)
        check.close(keep_min_p(z, p), want, "", hint)
    check.raises(lambda: keep_min_p(z, -0.1), "")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: where the bar lies</summary>
#
# The bar belongs to a row: find the largest of each row first, and keep its axis so
# that the row can be compared with it.
#
# </details>
#
# <details><summary>Hint 2: logits or probabilities</summary>
#
# Both work. Probabilities come from exponentials, so "$p$ times as probable" is a fixed
# distance between two logits. Which one?
#
# </details>

# %% [markdown]
# ### Stretch exercise: penalise_repeats
#
# Models repeat themselves. The repetition penalty $r > 1$ makes tokens that were
# already written less probable: a positive logit is divided by $r$, a negative one
# multiplied by it. Both move it down.
#
# - `logits`: (B, |V|), `ids`: (B, T), the text so far; result: like `logits`
# - how often a token was seen does not matter: it is penalised once
# - About 5 minutes · stretch


# %% exercise="penalise_repeats" minutes=5 stretch=true
def penalise_repeats(logits, ids, penalty):
    """Make tokens that are already in the text less probable.

    logits: (B, V), may hold -inf; ids: (B, T) int64. Returns a new tensor like logits.
    """
    ### BEGIN SOLUTION
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, True)
    lowered = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, lowered, logits)
    ### END SOLUTION


# %% checks="penalise_repeats"
with checking("penalise_repeats", "seen tokens go down, once") as check:
    z = doubles([3.0, -2.0, 1.0, -1.0], [4.0, 2.0, -6.0, 0.5])
    want = z.clone()
    want[0, 0], want[0, 3] = 1.5, -2.0
    hint = "Positive logits are divided, negative ones multiplied."
    got = penalise_repeats(z[:1], torch.tensor([[0, 3]]), 2.0)
    check.close(got, want[:1], "two tokens seen, penalty 2", hint)
    got = penalise_repeats(z[:1], torch.tensor([[3, 0, 0, 3, 0]]), 2.0)
    check.close(got, want[:1], "seen several times", "Several times is seen, once.")
    want[1, 2] = -12.0
    got = penalise_repeats(z, torch.tensor([[0, 3], [2, 2]]), 2.0)
    check.close(got, want, "two texts", "Each text has seen its own tokens.")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    z, ids = draw(SEED + 101, 3, 10), torch.randint(10, (3, 6), generator=seeded(102))
    z[0, 4] = -math.inf
    seen = (ids[:, :, None] == torch.arange(10)).any(1)
    for r in (1.0, 1.3, 5.0):
        want = z * r ** -(seen * z.sign())
        check.close(penalise_repeats(z, ids, r), want, "", hint)
        check.close(penalise_repeats(z.float(), ids, r), want.float(), "", hint)
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: two questions, apart</summary>
#
# Which tokens were seen? And what would each logit be if it were penalised? Answer
# both for all tokens, then choose between old and new.
#
# </details>
#
# <details><summary>Hint 2: marking what was seen</summary>
#
# Start from (B, |V|) zeros or `False`. `scatter` writes a mark at every id of its row;
# writing the same mark twice does no harm.
#
# </details>

# %% [markdown]
# ### Stretch exercise: sample_gumbel
#
# There is a way to draw without a softmax. Take noise $\varepsilon_i$ from the
# exponential distribution (mean 1), one number for each token, and choose the token
# with the largest
#
# $$z_i / \tau - \ln \varepsilon_i$$
#
# The term $-\ln \varepsilon_i$ is *Gumbel noise*. Token $i$ is then chosen with exactly
# its probability in the softmax at $\tau$. Show it: same arguments and result as
# `sample_token`, temperature 0 too, and no probabilities computed anywhere.
#
# - About 6 minutes · stretch. `exponential_` fills a tensor with such noise.


# %% exercise="sample_gumbel" minutes=6 stretch=true
def sample_gumbel(logits, temperature=1.0, generator=None):
    """Draw one token per row as the largest of logits plus Gumbel noise.

    logits: (..., V), may hold -inf. Returns int64 ids of shape (...). Temperature 0
    takes the largest logit.
    """
    ### BEGIN SOLUTION
    noise = torch.empty_like(logits).exponential_(generator=generator)
    return (logits - temperature * noise.log()).argmax(-1)
    ### END SOLUTION


# %% checks="sample_gumbel"
with checking("sample_gumbel", "the same distribution as a softmax") as check:
    z = doubles(0.2, 1.7, -math.inf, 0.9)
    many = z.repeat(10_000, 2, 1)  # (10000, 2, 4)
    for t in (1.0, 0.5, 3.0):
        p = torch_probabilities(z, t)
        ids = sample_gumbel(many, t, seeded(110))
        check.equal(tuple(ids.shape), (10_000, 2), "shape", "One id a row.")
        hint = "At τ = 1, is it right? Then look at where τ acts."
        odd = odd_counts(ids, p)
        check.true(not odd, f"counts at τ = {t:g}", odd, hint)
        odd = odd_counts(4 * ids[:, 0] + ids[:, 1], (p[:, None] * p).flatten())
        hint = "Each logit of each row needs noise of its own."
        check.true(not odd, f"pairs at τ = {t:g}", odd, hint)
    check.equal(str(ids.dtype), "torch.int64", "dtype", "Ids are whole numbers.")
    few = many[:1000]
    one, generator = sample_gumbel(few, 1.0, seeded(111)), seeded(111)
    two, three = (sample_gumbel(few, 1.0, generator) for _ in range(2))
    problem = "Two generators with the same seed led to different ids."
    check.true(torch.equal(one, two), "same seed, same ids", problem)
    problem = "Two calls with one generator gave the same ids."
    check.true(not torch.equal(two, three), "the next draw differs", problem)
    ### BEGIN HIDDEN TESTS
    check.hidden()
    best = sample_gumbel(z.expand(1, 9, 4), 0.0, seeded(112)).tolist()
    check.equal(best, [[1] * 9], "", "Temperature 0 takes the largest of each row.")
    odd = odd_counts(sample_gumbel(many.float(), 2.0), torch_probabilities(z, 2.0))
    check.true(not odd, "", odd and "The counts do not fit in float32.")
    one, two = by_default(sample_gumbel, few)
    check.true(one == two, "", "Look at the default temperature.")
    ### END HIDDEN TESTS

# %% [markdown]
# <details><summary>Hint 1: noise for every token</summary>
#
# The noise has the shape of the logits. Give the generator to the function that fills
# it.
#
# </details>
#
# <details><summary>Hint 2: temperature 0</summary>
#
# The largest stays the largest when all numbers of a row are multiplied by the same
# positive number. Multiply by $\tau$, and nothing is left to divide.
#
# </details>

# %% [markdown]
# ## Quick check
#
# **1.** You raise the temperature without limit, $\tau \to \infty$, and use no cut.
# What does the model write?
#
# - a) Its most probable token, always.
# - b) Every token of the vocabulary equally often.
# - c) What it wrote at $\tau = 1$, only more varied: probable tokens stay ahead.

# %% generated="quick_1_choices" collapsed=true

# %% question="quick_1"
### BEGIN SOLUTION
answer_1 = "b"  # @param ["a", "b", "c"]
### END SOLUTION

# %% checks="quick_1" points=1
with checking("quick_1", "a temperature without limit") as check:
    check.answered(answer_1, "abc")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.choice(
        answer_1,
        "b",
        because={
            "a": "that is the other end. As τ goes to 0 the largest logit wins.",
            "b": "all z/τ go to 0, all exponentials to 1, so each token gets 1/|V|.",
            "c": "true for every finite τ, but the lead shrinks to 0 in the limit.",
        },
    )
    ### END HIDDEN TESTS

# %% [markdown]
# ### Your predictions
#
# <details><summary>1. Always the most probable letter</summary>
#
# b). Greedy text is the same in every run. Once the letters that the model reads are
# the same as at an earlier step, all its choices are the same too, and it turns in a
# circle. The most probable *next letter* at each step does not make the most
# probable, let alone the best, text.
#
# </details>
#
# <details><summary>2. Top-p with p = 0.8</summary>
#
# b). Two tokens hold 0.7, which is less than 0.8. The third brings the sum to 0.9: it
# crosses $p$ and is kept.
#
# </details>

# %% [markdown]
# ## Common mistakes
#
# - **Multiplying by $\tau$.** The logits are divided: a high temperature makes small
#   differences.
# - **Dividing by 0.** $\tau = 0$ is a case of its own. A tiny $\tau$ in its place
#   turns ties into a coin toss.
# - **Dropping the token that crosses $p$.** The set then holds less than $p$, and may
#   be empty.
# - **Forgetting the way back from sorted order.** A rank is not a token id.
# - **A dropped logit of 0.** It gives the weight $e^0 = 1$; only $-\infty$ gives 0.
# - **Reading the first row of logits** in place of the last, or more tokens than the
#   context holds.

# %% [markdown]
# ## Check yourself
#
# <details><summary>A model with 50,257 tokens starts with a loss of 10.8. Is that
# good?</summary>
#
# It is the start: $\ln 50257 \approx 10.82$. The model knows nothing yet, as it should.
#
# </details>
#
# <details><summary>Does the temperature matter for top-k? For top-p?</summary>
#
# Dividing keeps the order, so top-k keeps the same tokens at every $\tau$. Top-p
# depends on the probabilities: a high $\tau$ before the cut keeps more tokens.
#
# </details>
#
# <details><summary>Why can training use all rows of logits and writing only the
# last?</summary>
#
# In training the next token is known at every place. In writing only the last place
# has a next token that is not known yet.
#
# </details>

# %% [markdown]
# ## In an interview
#
# **"Your chatbot repeats itself. What do you change?"**
#
# <details><summary>What a good answer holds</summary>
#
# Greedy or a very low temperature is the first suspect: sample, with $\tau$ around
# 0.7 to 1 and top-p around 0.9. Then a repetition penalty, with its cost: words that
# have to come back are punished too. Say what each knob does to the distribution,
# that $\tau$ is applied before top-p in many libraries, and that you would compare
# on real prompts.
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
# - *The Curious Case of Neural Text Degeneration* (2020), arXiv 1904.09751: why greedy
#   text goes wrong, and top-p.
# - *Attention Is All You Need* (2017), arXiv 1706.03762, §3: the model and its softmax.
# - *BERT* (2019), arXiv 1810.04805, and *T5* (2020), arXiv 1910.10683: the other two
#   tasks.
# - *Using the Output Embedding to Improve Language Models* (2017), arXiv 1608.05859:
#   why $W_U$ and $E$ may be one matrix.
#
# Next, lesson 4: your loop computes the same keys and values again at every step. A
# cache keeps them.

# %% [markdown]
# ## Your score
#
# Every check of this notebook, and your points so far. Run the cell again after you
# have changed an answer and run its checks.

# %% generated="score" collapsed=true
