"""What both ends know of functions and models that an argument may be.

Functions cross by an allowed name. A model crosses as the arguments it was made with,
its numbers, and the rest of its state; a dataclass of tensors in the same way. What
shares memory with their numbers does not do so on the other side.
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
FUNCTION_NAMES = {id(function): name for name, function in FUNCTIONS.items()}
STATE = {"training", "grad", "counters"}  # what `Contents.state` tells


def remember_arguments(kind: type[nn.Module]) -> None:
    """Make each new model of the class `kind` remember what it was made with."""
    make = kind.__init__

    @functools.wraps(make)
    def init(self, *args, **kwargs):
        self.__dict__.setdefault("_made_with", (type(self).__name__, args, kwargs))
        make(self, *args, **kwargs)

    kind.__init__ = init  # type: ignore[method-assign]


def has_numbers(value: object) -> bool:
    """Whether a value crosses as its class and numbers, as models do.

    So does a dataclass of tensors, unless they share memory, lie with gaps or differ in
    dtype.
    """
    if isinstance(value, nn.Module):
        return True
    if not is_data(value):
        return False
    numbers = _fields(value)
    if not all(isinstance(n, torch.Tensor) and n.is_contiguous() for n in numbers):
        return False
    places = {number.untyped_storage().data_ptr() for number in numbers}
    is_plain = len({number.dtype for number in numbers}) == 1
    return is_plain and len(places) == len(numbers)


def is_data(value: object) -> bool:
    """Whether a value is one of a dataclass."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def made_with(owner: object) -> list:
    """The name of its class, and what `make` takes to make another."""
    if not isinstance(owner, nn.Module):
        return [type(owner).__name__, [list(number.shape) for number in _fields(owner)]]
    kind, args, kwargs = owner.__dict__["_made_with"]
    return [kind, list(args), kwargs]


def make(kind: type, args: list, kwargs: Mapping[str, object] = {}) -> object:
    """A model or a dataclass of this class, with any numbers."""
    if issubclass(kind, nn.Module):
        return kind(*args, **kwargs)
    return kind(*map(torch.empty, args))


def _fields(data: object) -> list:
    return [getattr(data, field.name) for field in dataclasses.fields(data)]


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
        return {
            "training": [part.training for part in self.parts],
            "grad": [number.requires_grad for number in self.numbers],
            "counters": self._counters(),
        }

    def _counters(self) -> dict[str, int]:
        if not self.parts:
            return {}
        attributes = vars(self.owner).items()
        return {name: value for name, value in attributes if type(value) is int}

    def set_state(self, state: object) -> None:
        """Set what `state` tells. Raises WireError for anything else."""
        if not isinstance(state, dict) or set(state) != STATE:
            raise WireError("the state of an argument is malformed")
        training, grad, counters = state["training"], state["grad"], state["counters"]
        for flags, things in ((training, self.parts), (grad, self.numbers)):
            fits = isinstance(flags, list) and len(flags) == len(things)
            if not fits or not all(isinstance(flag, bool) for flag in flags):
                raise WireError("the state of an argument is malformed")
        for part, mode in zip(self.parts, training, strict=True):
            if part.training is not mode:  # setting it is slow
                part.training = mode
        for number, flag in zip(self.numbers, grad, strict=True):
            can_change = number.is_leaf and number.is_floating_point()
            if number.requires_grad != flag and can_change:
                number.requires_grad_(flag)
        if not isinstance(counters, dict):
            raise WireError("the state of an argument is malformed")
        for name in self._counters().keys() & counters.keys():
            if type(counters[name]) is not int:
                raise WireError("the state of an argument is malformed")
            setattr(self.owner, name, counters[name])
