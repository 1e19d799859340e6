"""Arguments on their way to a student's function; works beside the checks.

Objects of a call are numbered in the order in which they are met, so that a change can
be told by number. A model crosses once, and so does a dataclass of tensors; later calls
tell what is new in it.
"""

import dataclasses
from collections.abc import Sequence

import torch

from autograder.cargo import FUNCTION_NAMES, Contents, has_numbers, is_data, made_with
from autograder.values import Decoder, Encoder, bytes_of, flat_tensor
from autograder.wire import WireError


class Sender:
    """Packs the arguments of calls to one student, and writes changes back."""

    def __init__(self) -> None:
        self.owners: dict[int, tuple[object, int]] = {}  # id → model or data, its key
        self.sent: dict[int, tuple | None] = {}  # key → versions of its numbers

    def encoder(self) -> Encoder:
        return Encoder(self._node)

    def _node(self, encoder: Encoder, value: object) -> list:
        if has_numbers(value):
            return self._owner(encoder, value)
        if isinstance(value, torch.Generator):
            encoder.number(value)
            return ["generator", encoder.buffer(bytes_of(value.get_state()))]
        if is_data(value):
            encoder.number(value)
            names = [field.name for field in dataclasses.fields(value)]
            parts = [[name, encoder.node(getattr(value, name))] for name in names]
            return ["data", type(value).__name__, parts]
        if id(value) in FUNCTION_NAMES:
            return ["function", FUNCTION_NAMES[id(value)]]
        raise WireError(f"a {type(value).__name__} cannot be handed to an answer")

    def _owner(self, encoder: Encoder, owner: object) -> list:
        encoder.number(owner)
        contents, place, made = Contents(owner), None, None
        numbers = contents.numbers
        if len({number.dtype for number in numbers}) > 1:
            raise WireError(f"a {type(owner).__name__} has numbers of two types")
        if id(owner) not in self.owners:
            self.owners[id(owner)] = owner, len(self.owners)
            made = made_with(owner)
        key = self.owners[id(owner)][1]
        versions = tuple((id(n), n._version, n.data_ptr(), n.dtype) for n in numbers)
        if self.sent.get(key) != versions:
            self.sent[key] = versions
            flat = torch.cat([number.detach().reshape(-1) for number in numbers])
            name = str(flat.dtype).removeprefix("torch.")
            shapes = [list(number.shape) for number in numbers]
            place = [name, encoder.buffer(bytes_of(flat)), shapes]
        return ["owner", key, made, place, contents.state()]

    def forget(self) -> None:
        """Send all numbers again: those on the other side are not known any more."""
        self.sent.clear()

    def write_back(self, decoder: Decoder, changes: object) -> None:
        """Apply the changes of a call. Raises WireError for malformed ones."""
        objects = list(decoder.objects)
        if not isinstance(changes, list):
            raise WireError("changes are malformed")
        found = []
        for change in changes:
            whole = isinstance(change, list) and len(change) == 2
            if not whole or type(change[0]) is not int:
                raise WireError("changes are malformed")
            if not 0 <= change[0] < len(objects):
                raise WireError("changes are malformed")
            found.append((objects[change[0]], decoder, change[1]))
        for thing, *news in found:
            self._write(thing, *news)

    def _write(self, thing: object, decoder: Decoder, news: object) -> None:
        if id(thing) in self.owners:
            if not isinstance(news, list) or len(news) != 2:
                raise WireError("changes of an argument are malformed")
            contents = Contents(thing)
            if news[0] is not None:
                self.sent[self.owners[id(thing)][1]] = None
                fresh, numbers = decoder.value(news[0]), contents.numbers
                if not isinstance(fresh, list) or len(fresh) != len(numbers):
                    raise WireError("changes of an argument are malformed")
                for number, new in zip(numbers, fresh, strict=True):
                    write_tensor(number, new)
            contents.set_state(news[1])
        elif isinstance(thing, torch.Generator):
            thing.set_state(rng_state(decoder.raw, news))
        elif isinstance(thing, torch.Tensor):
            write_tensor(thing, decoder.value(news))
        elif isinstance(thing, (list, dict)):
            items = decoder.value(news)
            if type(items) is not type(thing):
                raise WireError("changes are malformed")
            thing.clear()
            thing.extend(items) if isinstance(thing, list) else thing.update(items)
        else:
            raise WireError("changes are malformed")


def rng_state(buffers: Sequence[bytearray], place: object) -> torch.Tensor:
    """The state of a generator in a buffer. Raises WireError when it is none."""
    if type(place) is not int or not 0 <= place < len(buffers):
        raise WireError("a generator is malformed")
    state = flat_tensor(buffers[place], torch.uint8)
    try:
        torch.Generator().set_state(state)
    except (RuntimeError, TypeError):
        raise WireError("a generator is malformed") from None
    return state


def write_tensor(old: torch.Tensor, new: object) -> None:
    """Give `old` the numbers of `new`; also shape and dtype where they differ."""
    if not isinstance(new, torch.Tensor) or new.device != old.device:
        raise WireError("the changes of a tensor are malformed")
    if old.requires_grad and not (new.is_floating_point() or new.is_complex()):
        raise WireError("the changes of a tensor are malformed")
    with torch.no_grad():
        same = old.shape == new.shape and old.dtype == new.dtype
        if same and (old.numel() < 2 or 0 not in old.stride()):
            old.copy_(new)  # its version tells that it is to be sent again
        else:
            old.data = new.detach().clone()
