"""Comparing answers with references: each kind of difference has its own sentence."""

import contextlib
import operator

import torch

from support.findings import _Finding


def _look(got, want, like, hint):
    """Type, shape, dtype and device, each with a sentence of its own."""
    if not isinstance(got, torch.Tensor):
        raise _Finding(f"The result is a {type(got).__name__}, not a tensor.", hint)
    if got.shape != want.shape:
        shapes = f"{tuple(got.shape)}; it should be {tuple(want.shape)}"
        raise _Finding(f"The shape is {shapes}.", hint)
    if got.dtype != like.dtype:
        raise _Finding(
            f"The dtype is {got.dtype}; the input's is {like.dtype}.",
            "Keep the dtype of the input.",
        )
    if got.device != like.device:
        raise _Finding(f"The result is on {got.device}, not on {like.device}.")
    if (got.isnan() & ~want.isnan()).any():
        raise _Finding("The result holds NaN.", hint)


def _difference(got, want, terms):
    """The largest difference in words, or nothing when rounding explains it."""
    eps = torch.finfo(got.dtype).eps if got.is_floating_point() else 0.0
    got, want = got.detach().double(), want.detach().double()
    finite = want[want.isfinite()].abs()
    size = max(1.0, finite.max().item() if finite.numel() else 1.0)
    bound = max(8 * terms * eps, 1e-9) * size
    off = (got - want).abs()
    off = torch.where((got == want) | (got.isnan() & want.isnan()), 0.0, off)
    if not off.numel() or off.max() <= bound:
        return ""
    index = torch.unravel_index(off.argmax(), off.shape) if off.ndim else ()
    place = tuple(int(i) for i in index)
    return (
        f"Largest difference {off[place]:.3g} at {list(place)}: "
        f"yours {got[place]:.6g}, expected {want[place]:.6g}."
    )


def _plain(value):
    """Numbers, tuples and dicts without the differences that do not matter."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_plain(item) for item in value)
    with contextlib.suppress(TypeError, AttributeError):
        return operator.index(value)
    return value
