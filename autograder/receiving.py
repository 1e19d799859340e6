"""Arguments as they arrive at a student's function, and what its call changed in them.

Works in the sandbox; numbers the objects of a call as the sender does.
"""

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import nn

from autograder.cargo import FUNCTIONS, Contents, make
from autograder.values import Decoder, Encoder, bytes_of, flat_tensor
from autograder.wire import WireError


class Receiver:
    """Unpacks the arguments of calls, and tells what each call changed in them."""

    def __init__(self, classes: Mapping[str, type]):
        self.classes = classes
        self.owners: dict[int, object] = {}  # models and data, by key
        self.keys: dict[int, int] = {}  # id of one of these → its key
        self.flats: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self.before: dict[
            int, tuple[list, dict]
        ] = {}  # layout and state of the last call

    def decoder(self, buffers: Sequence[bytearray]) -> Decoder:
        return Decoder(buffers, self._value)

    def _value(self, decoder: Decoder, node: list) -> object:
        tag, *parts = node
        if tag == "function":
            return FUNCTIONS[parts[0]]
        if tag == "generator":
            value = torch.Generator()
            value.set_state(flat_tensor(decoder.raw[parts[0]], torch.uint8))
            decoder.objects.append(value)
            return value
        if tag == "data":
            place = len(decoder.objects)
            decoder.objects.append(None)
            fields = {name: decoder.value(part) for name, part in parts[1]}
            decoder.objects[place] = self.classes[parts[0]](**fields)
            return decoder.objects[place]
        if tag == "owner":
            return self._owner(decoder, *parts)
        raise WireError(f"no value has the tag {tag}")

    def _owner(self, decoder: Decoder, key: int, made, place, state) -> object:
        if made:
            with torch.random.fork_rng(devices=[]), _no_initial_values():
                owner = make(self.classes[made[0]], *made[1:])
            self.owners[key] = owner
            self.keys[id(owner)] = key
        owner = self.owners[key]
        contents = Contents(owner)
        decoder.objects.append(owner)
        if place:
            flat = flat_tensor(decoder.raw[place[1]], getattr(torch, place[0]))
            self.flats[key], start = (flat, flat.clone()), 0
            for number, shape in zip(contents.numbers, place[2], strict=False):
                end = start + math.prod(shape)
                number.data = flat[start:end].view(shape)
                start = end
        contents.set_state(state)
        self.before[key] = _layout(contents), contents.state()
        return owner

    def snapshot(self, objects: Sequence[object]) -> list:
        """What `changes` compares the objects of a call with."""
        return [self._look(thing) for thing in objects]

    def _look(self, thing: object) -> object:
        if isinstance(thing, torch.Tensor):
            return thing.detach().clone()
        if isinstance(thing, (list, dict)):
            return thing.copy()
        if isinstance(thing, torch.Generator):
            return thing.get_state()
        return None

    def changes(self, encoder: Encoder, objects: Sequence, before: Sequence) -> list:
        """[number, news] of all objects that are not what they were."""
        found = []
        for number, (thing, old) in enumerate(zip(objects, before, strict=True)):
            if id(thing) in self.keys:
                news = self._owner_news(encoder, thing)
            else:
                news = _news(encoder, thing, old)
            if news is not None:
                found.append([number, news])
        return found

    def _owner_news(self, encoder: Encoder, owner: object) -> list | None:
        key, contents, fresh = self.keys[id(owner)], Contents(owner), None
        (flat, original), (layout, state) = self.flats[key], self.before[key]
        if _layout(contents) != layout or not torch.equal(flat, original):
            fresh = encoder.node([number.detach() for number in contents.numbers])
        now = contents.state()
        return None if now == state and fresh is None else [fresh, now]


def _layout(contents: Contents) -> list[tuple]:
    """Where the numbers lie, and how; they changed when this is another."""
    return [(n.data_ptr(), n.dtype, n.shape, n.stride()) for n in contents.numbers]


@contextlib.contextmanager
def _no_initial_values() -> Iterator[None]:
    """Layers made meanwhile draw no weights, which takes longer than all the rest."""
    kinds = nn.Linear, nn.Embedding, nn.LayerNorm
    kept, normal = [kind.reset_parameters for kind in kinds], nn.init.normal_
    try:
        for kind in kinds:
            kind.reset_parameters = lambda *_: None  # type: ignore[method-assign]
        nn.init.normal_ = lambda weight, *_, **__: weight
        yield
    finally:
        nn.init.normal_ = normal
        for kind, own in zip(kinds, kept, strict=True):
            kind.reset_parameters = own  # type: ignore[method-assign]


def _news(encoder: Encoder, thing: object, old) -> object:
    """The new content of one object; None when it is the old one."""
    if isinstance(thing, torch.Tensor):
        same = thing.shape == old.shape and thing.dtype == old.dtype
        if same and (thing.device.type == "meta" or _equal(thing.detach(), old)):
            return None
        return encoder.node(thing.detach())
    if isinstance(thing, list):
        same = len(thing) == len(old) and all(map(_is, thing, old))
        return None if same else encoder.node(list(thing))
    if isinstance(thing, dict):
        same = list(thing) == list(old) and all(map(_is, thing.values(), old.values()))
        return None if same else encoder.node(dict(thing))
    if isinstance(thing, torch.Generator):
        state = thing.get_state()
        return None if torch.equal(state, old) else encoder.buffer(bytes_of(state))
    return None


def _is(one: object, two: object) -> bool:
    return one is two


def _equal(one: torch.Tensor, two: torch.Tensor) -> bool:
    return torch.equal(one, two) or bool(
        ((one == two) | (one.isnan() & two.isnan())).all()
    )
