"""Models for checks: a TinyGPT in which no parameter has a telling value."""

import torch

from support.checks import draw


def random_model(TinyGPT, seed=0, dtype=torch.float64, **sizes):
    """A TinyGPT in eval mode with random scales, shifts, biases and matrices.

    Shifts and biases are small and matrices large: otherwise greedy text is nearly
    constant, and wrong code gives the same text. `sizes` are TinyGPT's arguments.
    """
    with torch.random.fork_rng(devices=[]):
        model = TinyGPT(**sizes).to(dtype).eval()
    with torch.no_grad():
        for number, (name, weight) in enumerate(model.named_parameters()):
            value = draw(1000 * seed + number, *weight.shape)
            if weight.dim() == 2:
                gain = 0.5 if "embedding" in name else 4.0 * weight.shape[1] ** -0.5
                value = gain * value
            else:
                is_scale = "norm" in name and name.endswith("weight")
                value = 0.2 * value + is_scale
            weight.copy_(value)
    return model
