"""A student's cells and functions at work; runs inside the sandbox.

The lesson's own given cells run once, before any student's. What each of them defines
is put in place when its turn comes, so that the order of the cells is as in Jupyter.
"""

import contextlib
import dataclasses
import traceback
from collections.abc import Iterator, Sequence

import torch
from torch import nn

from autograder.receiving import Receiver
from autograder.shell import LONGEST_OUTPUT, Shell, TimeUp, alarm, captured
from autograder.values import Encoder, bytes_of, flat_tensor
from autograder.wire import WireError

TIMEOUT = "CellTimeoutError"
_OF_IPYTHON = {"_", "__", "___", "_i", "_ii", "_iii", "_ih", "_oh", "_dh", "In", "Out"}


def plain_node(encoder: Encoder, value: object) -> list:
    """The node of a result that is no plain value: its number, or just its type."""
    kind = type(value)
    if issubclass(kind, (bool, int, float, str)) or hasattr(value, "dtype"):
        for plain in (bool, int, float, str):
            if issubclass(kind, plain):
                return plain(value)  # type: ignore[return-value]
        if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            number = value.item()
            if type(number) in (bool, int, float):
                return number
    return ["other", kind.__name__]


class Stage:
    """The names of a notebook, and the cells and calls that work with them.

    `lesson` holds under "given" the ids and sources of the lesson's own cells, under
    "known" what some of them define, as nodes of values that `buffers` belong to, and
    under "names" those that checks may ask for. Raises RuntimeError when a cell fails.
    """

    def __init__(self, lesson: dict, buffers: Sequence[bytearray]):
        self.shell, self.names = Shell(), tuple(lesson["names"])
        self.space = self.shell.space
        self.bindings: dict[str, dict[str, object]] = {}
        self.support: dict[str, object] = {}
        self.receiver = Receiver({})
        clean, known = dict(self.space), Receiver(self.receiver.classes)
        for cell, source in lesson["given"]:
            if cell in lesson["known"]:
                new = known.decoder(buffers).value(lesson["known"][cell])
                self.space.update(new)
            else:
                new = self._defined_by(cell, source, clean)
            self.bindings[cell] = new
            self.support |= new
            self.receiver.classes |= {
                name: kind
                for name, kind in new.items()
                if isinstance(kind, type)
                and (dataclasses.is_dataclass(kind) or issubclass(kind, nn.Module))
            }
        self.judge = next((c for c, n in self.bindings.items() if "_Watch" in n), "")
        self.space.clear()
        self.space.update(clean)
        self.rng = torch.get_rng_state()

    def _defined_by(self, cell: str, source: str, clean: dict) -> dict[str, object]:
        """Run one of the lesson's own cells; the names that it defines."""
        before = dict(self.space)
        with captured() as printed:
            error = self.shell.run(cell, source)
        if error is not None:
            raise RuntimeError(f"cell {cell}: {error!r} {printed}")
        return {
            name: value
            for name, value in self.space.items()
            if name not in _OF_IPYTHON and before.get(name, clean) is not value
        }

    def answer(self, message: dict, buffers: Sequence[bytearray]):
        """Do what a message asks for; the reply and its buffers."""
        if message["do"] == "given":
            self.space.update(self.bindings[message["cell"]])
            return self._with_names({})
        if message["do"] == "run":
            return self._run(message["cell"], message["source"], message["seconds"])
        return self._call(message, buffers)

    def _with_names(self, reply: dict):
        """`reply` with what now stands under the names that checks may ask for."""
        encoder, found = Encoder(plain_node), {}
        for name in self.names:
            if name in self.space:
                value = self.space[name]
                found[name] = ["answer"] if callable(value) else _node(encoder, value)
        return reply | {"names": found}, encoder.buffers()

    def _run(self, cell: str, source: str, seconds: float):
        with captured() as printed:
            try:
                with alarm(seconds):
                    error = self.shell.run(cell, source)
            except TimeUp as late:
                error = late
        reply = {"printed": printed, "error": None}
        if isinstance(error, TimeUp):
            reply["error"] = {"name": TIMEOUT, "text": "A cell timed out", "cell": ""}
        elif error is not None:
            reply["error"] = _told(error, self.judge)
        return self._with_names(reply)

    def _call(self, message: dict, buffers: Sequence[bytearray]):
        decoder = self.receiver.decoder(buffers)
        args, kwargs = decoder.value(message["args"]), decoder.value(message["kwargs"])
        if message["rng"] is not None:
            torch.set_rng_state(flat_tensor(buffers[message["rng"]], torch.uint8))
            self.rng = torch.get_rng_state()
        before = self.receiver.snapshot(decoder.objects)
        torch.set_grad_enabled(message["grad"])
        reply: dict = {"late": False, "error": None, "result": None, "seen": []}
        function, result = self.space[message["name"]], None
        try:
            watched = self._watched(message["swap"], reply)
            with watched, captured(), alarm(message["seconds"]):
                result = function(*args, **kwargs)
        except TimeUp:
            return {"late": True}, []
        except BaseException as error:
            reply["error"] = _told(error, self.judge)
        reply["grad"] = torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        encoder = Encoder(plain_node, decoder.objects)
        reply["result"] = _node(encoder, result)
        changes = self.receiver.changes(encoder, decoder.objects, before)
        reply["changes"], reply["rng"] = changes, None
        now = torch.get_rng_state()
        if not torch.equal(now, self.rng):
            self.rng, reply["rng"] = now, encoder.buffer(bytes_of(now))
        return reply, encoder.buffers()

    @contextlib.contextmanager
    def _watched(self, swap: Sequence[str], reply: dict) -> Iterator[None]:
        """The lesson's own watch over a call, and its stand-ins in place."""
        checker, watch = self.support.get("checking"), self.support.get("_Watch")
        if watch is None or checker is None:
            yield
            return
        functions = {n: checker._borrowed(checker.stand_ins[n]) for n in swap}
        watching = watch(checker)
        try:
            with self.support["_swapped"](self.space, functions), watching:
                yield
        finally:
            reply["seen"] = watching.seen[:1]


def _node(encoder: Encoder, value: object) -> object:
    try:
        node = encoder.node(value)
        if type(value) is int and value.bit_length() > 10_000:
            raise WireError("a number is too long")
        return node
    except Exception:
        return ["other", type(value).__name__]


def _told(error: BaseException, judge: str) -> dict:
    """An exception as text, and its line, in a cell other than that of the checks."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    cell, line = "", 0
    for frame, number in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if file.startswith("<cell ") and file[6:-1] != judge:
            cell, line = file[6:-1], number
    kinds = [kind.__name__ for kind in type(error).__mro__]
    return {
        "name": type(error).__name__,
        "kinds": kinds[:20],
        "text": text[:LONGEST_OUTPUT],
        "cell": cell,
        "line": line,
    }
