"""Models for checks, in which no parameter has a telling value."""

import torch


def random_model(kind, seed=0, dtype=torch.float64, **sizes):
    """A model in eval mode with random scales, shifts, biases and matrices.

    Shifts and biases are small and matrices large: otherwise greedy text is nearly
    constant, and wrong code gives the same text. `kind` is the class, TinyGPT or its
    Block; `sizes` are its arguments.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        model = kind(**sizes).eval()
    for name, weight in model.named_parameters():
        value = torch.randn(weight.shape, generator=generator, dtype=dtype)
        if weight.dim() == 2:
            value *= 0.5 if "embedding" in name else 4.0 * weight.shape[1] ** -0.5
        else:
            is_scale = "norm" in name and name.endswith("weight")
            value = 0.2 * value + is_scale
        weight.data = value
    return model
