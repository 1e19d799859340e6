"""Watching a learner's function in a check: errors, changed inputs, forbidden calls."""

import dataclasses
import functools
import operator
from types import CodeType

import torch
from torch.overrides import TorchFunctionMode, handle_torch_function, has_torch_function

from support.findings import _Finding, _NotYet, _Raised, _TimeUp, _Trespass
from support.shielding import _swapped


class _Answer:
    """The learner's function under watch, in its place while a check runs."""

    def __init__(self, name, notebook, checker, check):
        self.name, self.function = name, notebook.get(name)
        self.notebook, self.used = notebook, _names_used(self.function, notebook)
        self.checker, self.check = checker, check

    def taken(self):
        """Names that the function uses and the check has taken since, with their value.

        A check is a cell of the notebook: its `rows` replaces a learner's helper.
        """
        return {
            name: value
            for name, value in self.used.items()
            if self.notebook.get(name) is not value
            and not isinstance(self.notebook.get(name), _Answer)
            and name not in self.checker.stand_ins
        }

    def __call__(self, *args, **kwargs):
        if not callable(self.function):
            raise _Finding(
                f"{self.name} is not there.", "Run the cell that defines it."
            )
        before, watch = _Snapshot((args, kwargs)), _Watch(self.checker)
        try:
            own = _swapped(self.notebook, self.taken())
            with own, watch, self.check.trace.calling():
                result = self.function(*args, **kwargs)
        except (_Finding, _TimeUp, KeyboardInterrupt):
            raise
        except NotImplementedError:
            raise _NotYet("Not attempted yet.") from None
        except BaseException as error:
            if not watch.seen:
                self.check.trace.add(error)
                raise _Raised(self.name, error, self.function) from None
        if watch.seen:
            raise _Trespass(
                f"{self.name} calls {watch.seen[0]}, which does this exercise's work.",
                "Write it yourself, from smaller steps.",
            )
        self.check.trace.add(result)
        if result is None:
            raise _Finding(f"{self.name} returned None.", "Does it end with return?")
        return self._without_traces(result, before)

    def _without_traces(self, result, before):
        """Say what the call changed, in one check; in the others put it right."""
        change = before.change()
        if not change:
            return result
        result = _unshared(result)
        before.restore()
        title = self.check.title
        if self.checker.left_traces.setdefault(self.name, title) == title:
            raise _Trespass(
                f"{self.name} {change}.", "Leave all that you are given alone."
            )
        return result


def _names_used(function, notebook):
    """What a function uses of the notebook, by name, and what that uses in turn."""
    found, waiting = {}, [getattr(function, "__code__", None)]
    for code in waiting:  # it grows meanwhile
        if not isinstance(code, CodeType):
            continue
        for name in code.co_names:
            if name in notebook and name not in found:
                found[name] = notebook[name]
                waiting.append(getattr(notebook[name], "__code__", None))
        waiting += code.co_consts  # functions within functions
    return found


class _Snapshot:
    """All that a call could change in its arguments, and torch's gradient mode."""

    def __init__(self, value):
        self.grad_mode = torch.is_grad_enabled()
        self.tensors, self.containers, self.modes = [], [], []
        self._take(value)

    def _take(self, value):
        parts = ()
        if isinstance(value, torch.Tensor):
            self.tensors.append((value, value.detach().clone()))
        elif isinstance(value, torch.nn.Module):
            for module in value.modules():  # all in one go: models are large
                self.modes.append((module, module.training))
                parts = *parts, *module._parameters.values(), *module._buffers.values()
        elif isinstance(value, (list, dict)):
            self.containers.append((value, value.copy()))
            parts = value.values() if isinstance(value, dict) else value
        elif isinstance(value, tuple):
            parts = value
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            parts = [getattr(value, f.name) for f in dataclasses.fields(value)]
        for part in parts:
            self._take(part)

    def change(self):
        """What was changed, as the end of a sentence; "" when nothing was."""
        if torch.is_grad_enabled() != self.grad_mode:
            return "left torch's gradient mode changed"
        if any(module.training != mode for module, mode in self.modes):
            return "left the model in another mode (train or eval)"
        if all(_identical(now, old) for now, old in self.tensors) and all(
            _same_items(now, old) for now, old in self.containers
        ):
            return ""
        return "changed one of its inputs in place (as x += y does)"

    def restore(self):
        torch.set_grad_enabled(self.grad_mode)
        for module, mode in self.modes:
            module.training = mode
        for now, old in self.containers:
            now.clear()
            now.update(old) if isinstance(now, dict) else now.extend(old)
        with torch.no_grad():
            for now, old in self.tensors:
                if _identical(now, old):
                    continue  # an expanded tensor cannot be written to
                if now.shape == old.shape and now.dtype == old.dtype:
                    now.data.copy_(old)  # also where `now` is a view of another tensor
                else:
                    now.data = old


class _Watch(TorchFunctionMode):
    """Notes forbidden torch calls in every spelling: torch itself reports them."""

    def __init__(self, checker):
        super().__init__()
        self.checker, self.seen = checker, []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if not self.checker.borrowing:
            verdicts = self.checker.verdicts  # kept, as there are many calls
            if function not in verdicts:
                verdicts[function] = self._verdict(function)
            if verdicts[function]:
                self.seen.append(verdicts[function])
        return function(*args, **(kwargs or {}))

    def _verdict(self, function):
        """A name for a function that no answer may call; "" for all others."""
        name = getattr(function, "__name__", "").split(".")[0]
        if hasattr(function, "is_reference"):
            return f"{name} of the checks"
        is_forbidden = any(part in name for part in self.checker.forbidden)
        return f"torch's {name}" if is_forbidden else ""


def reference(function):
    """Mark a function of the checks, so that an answer that calls it is noticed."""

    @functools.wraps(function)
    def marked(*args, **kwargs):
        # torch's own protocol, which tells a watch (None: arguments do not matter)
        if has_torch_function((None,)):
            return handle_torch_function(marked, (), *args, **kwargs)
        return function(*args, **kwargs)

    marked.is_reference = True
    return marked


def _identical(one, two):
    """Are two tensors equal in shape and values (NaN equals NaN)?"""
    if one.shape != two.shape or one.dtype != two.dtype:
        return False
    if torch.equal(one, two):
        return True
    return bool(((one == two) | (one.isnan() & two.isnan())).all())


def _same_items(one, two):
    """Do two lists or dicts hold the very same objects?"""
    if isinstance(one, dict):
        return list(one) == list(two) and _same_items([*one.values()], [*two.values()])
    return len(one) == len(two) and all(map(operator.is_, one, two))


def _unshared(value):
    """A result whose tensors share no memory with the inputs."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)):
        kind = list if isinstance(value, list) else tuple  # also of a named tuple
        return kind(_unshared(item) for item in value)
    return value
