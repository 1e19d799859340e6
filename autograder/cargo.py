"""What both ends know of functions and models that an argument may be.

Functions cross by an allowed name. A model crosses as the arguments it was made with,
its numbers, and the rest of its state; a dataclass of tensors in the same way.
"""

import dataclasses
import functools
import inspect
from collections.abc import Mapping

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
STATE = {"training", "grad", "counters"}
FUNCTION_NAMES = {id(function): name for name, function in FUNCTIONS.items()}


def remember_arguments(kind: type[nn.Module]) -> None:
    """Make each new model of the class `kind` remember what it was made with."""
    make = kind.__init__

    @functools.wraps(make)
    def init(self, *args, **kwargs):
        self.__dict__.setdefault("_made_with", (type(self).__name__, args, kwargs))
        make(self, *args, **kwargs)

    kind.__init__ = init  # type: ignore[method-assign]


def is_model(value: object) -> bool:
    """Whether it crosses as a model does: as a class and its numbers."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return all(isinstance(number, torch.Tensor) for number in _fields(value))
    return isinstance(value, nn.Module)


def made_with(model: object) -> list:
    """The name of its class, and what `make` takes to make another."""
    if not isinstance(model, nn.Module):
        return [type(model).__name__, [list(number.shape) for number in _fields(model)]]
    kind, args, kwargs = model.__dict__["_made_with"]
    return [kind, list(args), kwargs]


def make(kind: type, args: list, kwargs: Mapping[str, object] = {}) -> object:
    """A model of this class, with any numbers."""
    if issubclass(kind, nn.Module):
        return kind(*args, **kwargs)
    return kind(*map(torch.empty, args))


def _fields(data: object) -> list[torch.Tensor]:
    return list(vars(data).values())


class Contents:
    """The modules of a model, itself first, and its numbers, as they are just now.

    `numbers` are its parameters and buffers, each once. A dataclass of tensors has no
    modules; its numbers are its fields.
    """

    def __init__(self, owner: object):
        self.owner, self.parts = owner, []
        self.numbers: list[torch.Tensor] = []
        if isinstance(owner, nn.Module):
            self._look_through(owner)
        else:
            self.numbers += _fields(owner)

    def _look_through(self, model: nn.Module) -> None:
        self.parts.append(model)
        known = {id(model)}
        for part in self.parts:  # it grows meanwhile
            for inner in part._modules.values():
                if inner is not None and id(inner) not in known:
                    known.add(id(inner))
                    self.parts.append(inner)
            for numbers in (part._parameters, part._buffers):
                for number in numbers.values():
                    if number is not None and id(number) not in known:
                        known.add(id(number))
                        self.numbers.append(number)

    def state(self) -> dict:
        """What a call may change besides the numbers."""
        counters = vars(self.owner).items()
        return {
            "training": [part.training for part in self.parts],
            "grad": [number.requires_grad for number in self.numbers],
            "counters": {name: value for name, value in counters if type(value) is int},
        }

    def set_state(self, state: object) -> None:
        """Set what `state` tells. Raises WireError for anything else."""
        if not isinstance(state, dict) or set(state) != STATE:
            raise WireError("the state of a model is malformed")
        training, grad, counters = state["training"], state["grad"], state["counters"]
        for flags, things in ((training, self.parts), (grad, self.numbers)):
            fits = isinstance(flags, list) and len(flags) == len(things)
            if not fits or not all(isinstance(flag, bool) for flag in flags):
                raise WireError("the state of a model is malformed")
        for part, mode in zip(self.parts, training, strict=True):
            if part.training is not mode:  # setting it is slow
                part.training = mode
        for number, flag in zip(self.numbers, grad, strict=True):
            if number.requires_grad != flag and number.is_floating_point():
                number.requires_grad_(flag)
        known = {n for n, value in vars(self.owner).items() if type(value) is int}
        if not isinstance(counters, dict) or known - set(counters):
            raise WireError("the state of a model is malformed")
        for name in known:
            if type(counters[name]) is not int:
                raise WireError("the state of a model is malformed")
            setattr(self.owner, name, counters[name])
