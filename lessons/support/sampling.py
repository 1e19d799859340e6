"""Lesson 3: what torch computes in place of each answer, and a test of draws."""

import math

import torch

from support.watching import reference


@reference
def torch_probabilities(logits, temperature=1.0):
    """What `token_probabilities` should return; float64 inside."""
    z = logits.double() - logits.double().amax(-1, keepdim=True)
    return torch.log_softmax(z / (temperature or 1e-300), -1).exp().to(logits.dtype)


@reference
def torch_draw(logits, temperature=1.0, generator=None):
    """A draw as `sample_token` makes it, by steps along the running sum."""
    steps = torch_probabilities(logits.double(), temperature).cumsum(-1)
    point = torch.rand(steps[..., :1].shape, generator=generator, dtype=steps.dtype)
    return (steps < point * steps[..., -1:]).sum(-1)


def odd_counts(ids, probabilities):
    """What is odd about the counts of drawn `ids` (any shape), or "".

    Bernstein: n draws of a token of probability p give a count further than
    t = a/3 + sqrt(a²/9 + 2·a·n·p·(1 − p)) from n·p with a chance below 2·exp(−a).
    With a = 28.4 that is under 1e-12, in this lesson's 300 counts under 1e-9. A token
    of probability 0 must not come at all.
    """
    n, a = ids.numel(), 28.4
    counts = torch.bincount(ids.flatten().long(), minlength=len(probabilities)).tolist()
    if len(counts) > len(probabilities):
        return f"Id {len(counts) - 1} is outside the vocabulary."
    for token, p in enumerate(probabilities.tolist()):
        far = (a / 3 + math.sqrt(a * a / 9 + 2 * a * n * p * (1 - p))) if p else 0
        if abs(counts[token] - n * p) > far:
            share = f"{counts[token] / n:.1%} of {n:,} draws"
            return f"Outcome {token} is {share}; its probability is {p:.1%}."
    return ""


STAND_INS = {"token_probabilities": torch_probabilities, "sample_token": torch_draw}
