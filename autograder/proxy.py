"""A student's functions and results, as the checks see them in the trusted process."""

import builtins
import linecache
from collections.abc import Callable
from dataclasses import dataclass

import torch
from IPython.core.inputtransformer2 import leading_empty_lines
from torch.overrides import handle_torch_function, has_torch_function

from autograder.values import Decoder, text_of
from autograder.wire import WireError


class Opaque:
    """A result that is no plain value: equal to nothing, and good for nothing."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return False

    def __bool__(self) -> bool:
        raise TypeError("it is neither true nor false")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def opaque(decoder: Decoder, node: list) -> Opaque:
    """The value of a node that tells only the name of a type."""
    if len(node) != 2 or node[0] != "other":
        raise WireError("a node is malformed")
    name = "".join(c for c in text_of(node[1], 60) if c.isalnum() or c == "_")
    return type(name or "object", (Opaque,), {})()


@dataclass(frozen=True)
class Told:
    """An exception of a student's code: its name, kinds, text and place."""

    name: str
    kinds: tuple[str, ...]
    text: str
    cell: str
    line: int

    @classmethod
    def read(cls, told: object) -> "Told":
        """What a reply tells. Raises WireError when it is malformed."""
        if not isinstance(told, dict) or not isinstance(told.get("kinds", []), list):
            raise WireError("an error is malformed")
        name = text_of(told.get("name"), 100)
        kinds = tuple(text_of(kind, 100) for kind in told.get("kinds", [])[:20])
        line = told.get("line", 0)
        return cls(
            name if name.isidentifier() else "Exception",
            kinds,
            text_of(told.get("text"), 100_000),
            text_of(told.get("cell"), 100),
            line if type(line) is int and line > 0 else 0,
        )

    def error(self) -> Exception:
        """An exception with this name and text, of the nearest built-in kind."""
        for kind in self.kinds:
            base = getattr(builtins, kind, None)
            if isinstance(base, type) and issubclass(base, Exception):
                break
        else:
            base = RuntimeError
        if issubclass(base, BaseExceptionGroup | UnicodeError):
            base = ValueError  # these take other arguments
        if base.__name__ == self.name and str(base(self.text)) == self.text:
            return base(self.text)
        body = {"__init__": lambda *_: None, "__str__": lambda _: self.text}
        return type(self.name, (base,), body)()


@dataclass(frozen=True)
class Outcome:
    """How one call ended: its result or an error, and forbidden calls in it."""

    result: object = None
    error: Told | None = None
    seen: tuple[str, ...] = ()


class Answer:
    """A student's function; calling it calls the real one in the sandbox.

    `space` are the names of the checks: they count as the function's globals, so that
    the support code finds the line of the answer in which an error came about.
    """

    def __init__(
        self,
        name: str,
        call: Callable[[str, tuple, dict], Outcome],
        space: dict,
        sources: dict[str, str],
    ):
        self.__name__, self.__globals__ = name, space
        self._call, self._sources = call, sources

    def __call__(self, *args: object, **kwargs: object) -> object:
        with torch._C.DisableTorchFunction():  # what packs arguments is not watched
            outcome = self._call(self.__name__, args, kwargs)
        for seen in outcome.seen:
            _report(seen)
        if outcome.error:
            self._raise(outcome.error)
        return outcome.result

    def _raise(self, told: Told) -> None:
        """Raise the error from a frame that stands in the line of the answer."""
        error, source = told.error(), self._sources.get(told.cell, "")
        # IPython, which ran the cell, counts its lines without empty ones at the top
        lines = leading_empty_lines(source.splitlines(keepends=True))
        if not 0 < told.line <= len(lines):
            raise error
        file = f"<answer {told.cell}>"
        linecache.cache[file] = (len(source), None, lines, file)
        code = compile("\n" * (told.line - 1) + "raise error", file, "exec")
        exec(code, self.__globals__, {"error": error})


def _report(seen: str) -> None:
    """Tell the watch of a check, through torch's own protocol, of a call seen there."""

    def call(*_: object) -> None:
        return None

    if seen.endswith(" of the checks"):
        call.is_reference = True  # type: ignore[attr-defined]
    call.__name__ = seen.removeprefix("torch's ").removesuffix(" of the checks")
    if has_torch_function((None,)):
        handle_torch_function(call, ())
