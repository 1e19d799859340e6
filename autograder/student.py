"""One submission's process in the sandbox: its cells, its calls, and what ends it."""

import signal
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from autograder.grade import Limits
from autograder.proxy import Answer, Outcome, Told, opaque
from autograder.sandbox import Sandbox
from autograder.sending import Sender, rng_state
from autograder.values import Decoder, bytes_of, text_of
from autograder.wire import Closed, WireError, receive, send

GRACE = 1.0  # seconds for an interrupted cell or call to give up by itself
EARLIER = 0.05  # seconds before the alarm of a check at which a call should give up
TIMEOUT = "CellTimeoutError"
FORKS = 40  # of one submission; each runs its cells again
TAKEN_OUT = "this cell ended Python and was taken out"
TOO_SLOW = "this cell took too long and was taken out"
FORGED = "this cell sent data that no answer sends and was taken out"


class CellTimeoutError(BaseException):
    """A call took the whole time of a cell; named as nbclient names it."""


@dataclass(frozen=True)
class Ran:
    """What a student's cell printed, as (stream, text), and its error: name, text."""

    printed: Sequence[tuple[str, str]] = ()
    error: tuple[str, str] | None = None


class Student:
    """One submission's process in the sandbox.

    `names` maps the names that checks may ask for to the ids of their answer cells;
    their values are kept up to date in `space`, the names of the checks. When the
    process is lost, another runs the cells again, without those that were fatal.
    `fatal` tells what is raised in place of such a cell. `given` are the ids and
    sources of the lesson's own cells: an error may come from a line of theirs.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        names: Mapping[str, str],
        space: dict,
        limits: Limits,
        given: Sequence[tuple[str, str]] = (),
    ):
        self.sandbox, self.names, self.space = sandbox, names, space
        self.limits, self.end = limits, time.monotonic() + limits.total
        self.sources = dict(given)
        self.log: list[dict] = []
        self.fatal: dict[str, str] = {}
        self.wire: socket.socket | None = None
        self.forks = 0

    def seconds(self) -> float:
        """The time that a cell may take now."""
        late = time.monotonic() > self.end
        return self.limits.late_cell if late else self.limits.cell

    def given(self, cell: str) -> None:
        """Put the names in place that a given cell of the lesson defines."""
        self._next({"do": "given", "cell": cell})

    def run(self, cell: str, source: str) -> Ran:
        """Run one of the student's cells."""
        self.sources[cell] = source
        return self._next({"do": "run", "cell": cell, "source": source})

    def ensure(self) -> None:
        """Have a process that has run all cells so far."""
        while self.wire is None:
            self.forks += 1
            if self.forks > FORKS:
                raise WireError("The notebook ended Python too often.")
            self.wire, self.sender = self.sandbox.session(), Sender()
            self.rng: torch.Tensor | None = None
            for step in self.log:
                self._step(step)
                if self.wire is None:
                    break

    def lose(self) -> None:
        """Give up the process; everything of it is removed."""
        if self.wire is not None:
            self.wire.close()
            self.wire = None
            self.sandbox.end_session()

    def _next(self, step: dict) -> Ran:
        self.ensure()
        self.log.append(step)
        ran = self._step(step)
        self.ensure()  # also after a fatal cell the names of the others are there
        return ran

    def _step(self, step: dict) -> Ran:
        """Do one step; a cell that loses the process is fatal from then on."""
        cell, limit = step["cell"], self.seconds()
        message = step | {"seconds": limit}
        if cell in self.fatal and step["do"] == "run":
            message["source"] = f"raise SystemError({self.fatal[cell]!r})"
        try:
            send(self.wire, message)
            reply, buffers = receive(self.wire, time.monotonic() + limit + GRACE)
            return self._read(reply, buffers)
        except TimeoutError:
            self.lose()
            self._blame(step, TOO_SLOW)
            return Ran(error=(TIMEOUT, "A cell timed out"))
        except WireError as error:
            self.lose()
            why = self._blame(step, _why(error))
            return Ran(error=("SystemError", why))

    def _blame(self, step: dict, why: str) -> str:
        """Make a cell fatal: that of `step`, or one before it that did the damage."""
        done = self.log[: self.log.index(step) + 1]
        cells = [s["cell"] for s in done if s["do"] == "run"]
        for cell in reversed(cells):
            if cell not in self.fatal:
                self.fatal[cell] = why
                return why
        raise WireError("The notebook cannot be run.")

    def _read(self, reply: dict, buffers: Sequence[bytearray]) -> Ran:
        decoder, found = Decoder(buffers, opaque), reply.get("names")
        if not isinstance(found, dict):
            raise WireError("a reply is malformed")
        for name in self.names:
            self.space.pop(name, None)
            if name in found and found[name] == ["answer"]:
                self.space[name] = Answer(name, self.call, self.space, self.sources)
            elif name in found:
                self.space[name] = decoder.value(found[name])
        printed, error = reply.get("printed", []), reply.get("error")
        whole = isinstance(printed, list) and all(isinstance(p, list) for p in printed)
        if not whole:
            raise WireError("a reply is malformed")
        texts = [tuple(text_of(t, 110_000) for t in part) for part in printed[:1000]]
        streams = [t for t in texts if len(t) == 2 and t[0] in ("stdout", "stderr")]
        told = Told.read(error) if error is not None else None
        return Ran(tuple(streams), told and (told.name, told.text))

    def call(self, name: str, args: tuple, kwargs: dict) -> Outcome:
        """Call the student's function `name`; what `Answer` does."""
        self.ensure()
        try:
            message, buffers, sent = self._packed(name, args, kwargs)
        except BaseException:  # then nobody knows what the sandbox has
            self.lose()
            raise
        left, _ = signal.getitimer(signal.ITIMER_REAL)
        limit = left - EARLIER if left else self.seconds()
        message["seconds"] = limit
        try:
            send(self.wire, message, buffers)
            reply, buffers = receive(self.wire, time.monotonic() + limit + GRACE)
            if reply.get("late") is not True:
                return self._outcome(Decoder(buffers, opaque, sent), reply)
        except WireError as error:
            self.lose()
            self.fatal[self.names[name]] = why = _why(error)
            return Outcome(error=Told("SystemError", ("SystemError",), why, "", 0))
        except BaseException:  # most often the alarm of the check
            self.lose()
            raise
        self.sender.forget()
        time.sleep(EARLIER + GRACE if left else 0)  # the alarm of the check comes now
        raise CellTimeoutError("A cell timed out")

    def _packed(self, name: str, args: tuple, kwargs: dict) -> tuple[dict, list, list]:
        """The message of a call, its buffers, and the objects in it by number."""
        encoder = self.sender.encoder()
        message = {"do": "call", "name": name, "swap": self._stand_ins()}
        message |= {"args": encoder.node(args), "kwargs": encoder.node(kwargs)}
        message |= {"grad": torch.is_grad_enabled(), "rng": None}
        now = torch.get_rng_state()
        if self.rng is None or not torch.equal(now, self.rng):
            self.rng, message["rng"] = now, encoder.buffer(bytes_of(now))
        return message, encoder.buffers(), encoder.objects

    def _stand_ins(self) -> list[str]:
        """The names under which a stand-in of the checks stands at present."""
        stand_ins = getattr(self.space.get("checking"), "stand_ins", {})
        return [
            name
            for name, function in stand_ins.items()
            if getattr(self.space.get(name), "__wrapped__", None) is function
        ]

    def _outcome(self, decoder: Decoder, reply: dict) -> Outcome:
        """Read the reply to a call, and write back what the call changed."""
        result = decoder.value(reply.get("result"))
        self.sender.write_back(decoder, reply.get("changes"))
        torch.set_grad_enabled(reply.get("grad") is True)
        if reply.get("rng") is not None:
            self.rng = rng_state(decoder.raw, reply["rng"])
            torch.set_rng_state(self.rng)
        seen = reply.get("seen")
        if not isinstance(seen, list):
            raise WireError("a reply is malformed")
        told = Told.read(reply["error"]) if reply.get("error") is not None else None
        return Outcome(result, told, tuple(text_of(name, 200) for name in seen[:1]))


def _why(error: WireError) -> str:
    return TAKEN_OUT if isinstance(error, Closed) else FORGED
