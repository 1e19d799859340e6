"""What both ends know of functions and models that an argument may be.

Functions cross by an allowed name. A model crosses as the arguments it was made with,
its numbers, and the rest of its state.
"""

import functools
import inspect

import torch
import torch.nn.functional as F
from torch import nn

from autograder.wire import WireError

FUNCTIONS = {
    f"{place}.{name}": function
    for place, module in (("torch", torch), ("F", F))
    for name, function in vars(module).items()
    if callable(function) and not inspect.isclass(function) and name[0] != "_"
}
FUNCTION_NAMES = {id(function): name for name, function in FUNCTIONS.items()}


def remember_arguments(kind: type[nn.Module]) -> None:
    """Make each new model of the class `kind` remember what it was made with."""
    make = kind.__init__

    @functools.wraps(make)
    def init(self, *args, **kwargs):
        self.__dict__.setdefault("_made_with", (type(self).__name__, args, kwargs))
        make(self, *args, **kwargs)

    kind.__init__ = init  # type: ignore[method-assign]


def parts_of(model: nn.Module) -> list[nn.Module]:
    """A model and all modules in it, each once; quicker than `modules()`."""
    parts, known = [model], {id(model)}
    for part in parts:  # it grows meanwhile
        for inner in part._modules.values():
            if inner is not None and id(inner) not in known:
                known.add(id(inner))
                parts.append(inner)
    return parts


def numbers_of(model: nn.Module) -> list[torch.Tensor]:
    """All parameters and buffers of a model, each once."""
    found = {}
    for part in parts_of(model):
        for number in (*part._parameters.values(), *part._buffers.values()):
            if number is not None:
                found[id(number)] = number
    return list(found.values())


def state_of(model: nn.Module) -> dict:
    """What a call may change in a model besides its numbers."""
    return {
        "training": [part.training for part in parts_of(model)],
        "grad": [number.requires_grad for number in numbers_of(model)],
        "counters": {k: v for k, v in vars(model).items() if type(v) is int},
    }


def set_state(model: nn.Module, state: object) -> None:
    """Set what `state_of` tells. Raises WireError for anything else."""
    numbers, parts = numbers_of(model), parts_of(model)
    if not isinstance(state, dict) or set(state) != {"training", "grad", "counters"}:
        raise WireError("the state of a model is malformed")
    training, grad, counters = state["training"], state["grad"], state["counters"]
    for flags, things in ((training, parts), (grad, numbers)):
        fits = isinstance(flags, list) and len(flags) == len(things)
        if not fits or not all(isinstance(flag, bool) for flag in flags):
            raise WireError("the state of a model is malformed")
    for part, mode in zip(parts, training, strict=True):
        if part.training is not mode:  # setting it is slow
            part.training = mode
    for number, flag in zip(numbers, grad, strict=True):
        if number.requires_grad != flag and number.is_floating_point():
            number.requires_grad_(flag)
    known = {name for name, value in vars(model).items() if type(value) is int}
    if not isinstance(counters, dict) or known - set(counters):
        raise WireError("the state of a model is malformed")
    for name in known:
        if type(counters[name]) is not int:
            raise WireError("the state of a model is malformed")
        setattr(model, name, counters[name])
