"""Plain values ↔ nodes that JSON can hold, and raw buffers: all that crosses.

What comes from a student is decoded strictly: each part of a node is looked at, every
size is bounded, and nothing is looked up by a name that came along.
"""

import math
from collections.abc import Callable, Sequence

import torch

from autograder.wire import LARGEST_TEXT, WireError

LARGEST_TENSOR = 50_000_000  # numbers; a stretched axis needs no bytes
DEEPEST = 40
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
        *(torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
        *(torch.bool, torch.complex64, torch.complex128),
    )
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}


def text_of(value: object, longest: int = 10_000) -> str:
    """A text from a message, cut and without half surrogates; "" for anything else."""
    if not isinstance(value, str):
        return ""
    return value[:longest].encode("utf-8", "replace").decode()


class Encoder:
    """Values → nodes, which JSON can hold, and buffers.

    Tensors, lists and dicts are numbered in the order in which they are met, as the
    Decoder numbers them; a second meeting becomes ["ref", number]. `known` are
    objects that were numbered before. `other` makes a node of any other value.
    """

    def __init__(
        self,
        other: Callable[["Encoder", object], list],
        known: Sequence[object] = (),
    ):
        self.other = other
        self.objects = list(known)
        self._numbers = {id(value): n for n, value in enumerate(self.objects)}
        self._spans: dict[tuple, list] = {}  # storage → [first, end, tensor, nodes]
        self._ready: list[bytes] = []

    def node(self, value: object, depth: int = 0) -> object:
        if value is None or type(value) in (bool, int, float, str):
            return value
        if depth > DEEPEST:
            raise WireError("a value is nested too deeply")
        if id(value) in self._numbers:
            return ["ref", self._numbers[id(value)]]
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, tuple):
            return ["tuple", [self.node(item, depth + 1) for item in value]]
        if isinstance(value, list):
            self.number(value)
            return ["list", [self.node(item, depth + 1) for item in value]]
        if isinstance(value, dict):
            self.number(value)
            pairs = value.items()
            return ["dict", [[self.node(i, depth + 1) for i in pair] for pair in pairs]]
        return self.other(self, value)

    def number(self, value: object) -> int:
        """Give `value` the next number."""
        self._numbers[id(value)] = len(self.objects)
        self.objects.append(value)
        return len(self.objects) - 1

    def buffer(self, data: bytes) -> int:
        """Take a buffer along; its place among the buffers."""
        self._ready.append(data)
        return len(self._ready) - 1

    def buffers(self) -> list[bytes]:
        """All buffers; call it when every value has its node."""
        for first, end, tensor, nodes in self._spans.values():
            flat = tensor.as_strided((end - first,), (1,), first)
            place = self.buffer(bytes_of(flat))
            for node in nodes:
                node[4], node[5] = place, node[5] - first
        self._spans.clear()
        return self._ready

    def _tensor(self, tensor: torch.Tensor) -> list:
        plain = tensor.detach()
        device = plain.device.type
        if plain.layout is not torch.strided or plain.dtype not in _NAMES:
            return self.other(self, tensor)
        if device not in ("cpu", "meta") or plain.numel() > LARGEST_TENSOR:
            return self.other(self, tensor)
        plain = plain.resolve_conj().resolve_neg()
        shape, strides = list(plain.shape), list(plain.stride())
        span = _span(shape, strides)
        if span > 4 * plain.numel() + 1000:
            plain = plain.contiguous()  # a small part of something large
            strides, span = list(plain.stride()), plain.numel()
        self.number(tensor)
        node = ["tensor", _NAMES[plain.dtype], shape, strides, -1, 0]
        node.append(bool(tensor.requires_grad))
        if device == "cpu":
            first = node[5] = plain.storage_offset()
            key = plain.untyped_storage().data_ptr(), plain.dtype
            if span and key in self._spans:
                known = self._spans[key]
                known[0], known[1] = min(known[0], first), max(known[1], first + span)
                known[3].append(node)
            else:  # an empty tensor shares nothing
                key = key if span else (id(node),)
                self._spans[key] = [first, first + span, plain, [node]]
        return node


def _span(shape: Sequence[int], strides: Sequence[int]) -> int:
    """How many numbers of its storage a tensor reaches over."""
    if 0 in shape:
        return 0
    return 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))


def _are_sizes(numbers: object) -> bool:
    """Whether this is a list of whole numbers that a shape may have."""
    if not isinstance(numbers, list) or len(numbers) > 25:
        return False
    if not numbers:
        return True
    kinds = set(map(type, numbers))
    return kinds == {int} and min(numbers) >= 0 and max(numbers) < 1 << 40


def bytes_of(flat: torch.Tensor) -> bytes:
    """The bytes of a tensor (n,) without gaps."""
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


def flat_tensor(data: bytearray, dtype: torch.dtype) -> torch.Tensor:
    """The tensor (n,) with these bytes. Raises WireError when they do not fit."""
    if len(data) % dtype.itemsize:
        raise WireError("a buffer has an odd size")
    if not data:
        return torch.empty(0, dtype=dtype)
    if dtype is torch.bool:  # a byte of 2 would be a truth that is not 1
        return torch.frombuffer(data, dtype=torch.uint8) != 0
    return torch.frombuffer(data, dtype=dtype)


class Decoder:
    """Nodes and buffers → values; the other half of Encoder.

    `other` makes a value of a node with a tag that is not known here. Raises
    WireError for everything that Encoder would not have written.
    """

    def __init__(
        self,
        buffers: Sequence[bytearray],
        other: Callable[["Decoder", list], object],
        known: Sequence[object] = (),
    ):
        self.raw, self.other, self.objects = buffers, other, list(known)
        self.bases: dict[tuple[int, str], torch.Tensor] = {}

    def value(self, node: object, depth: int = 0) -> object:
        if node is None or isinstance(node, (bool, int, float)):
            return node
        if isinstance(node, str):
            return text_of(node, LARGEST_TEXT)
        if depth > DEEPEST + 2 or not isinstance(node, list) or not node:
            raise WireError("a node is malformed")
        if node[0] == "tensor":
            return self._tensor(node)
        if node[0] not in ("ref", "tuple", "list", "dict"):
            return self.other(self, node)
        if len(node) != 2:
            raise WireError("a node is malformed")
        if node[0] == "ref":
            return self._known(node[1])
        if not isinstance(node[1], list):
            raise WireError("a node is malformed")
        if node[0] == "tuple":
            return tuple(self.value(item, depth + 1) for item in node[1])
        return self._container(node, depth)

    def _known(self, number: object) -> object:
        if type(number) is not int or not 0 <= number < len(self.objects):
            raise WireError("a node refers to nothing")
        return self.objects[number]

    def _container(self, node: list, depth: int) -> list | dict:
        found: list | dict = [] if node[0] == "list" else {}
        self.objects.append(found)
        for item in node[1]:
            if isinstance(found, list):
                found.append(self.value(item, depth + 1))
            else:
                if not isinstance(item, list) or len(item) != 2:
                    raise WireError("a node is malformed")
                key, value = (self.value(part, depth + 1) for part in item)
                try:
                    found[key] = value
                except TypeError:
                    raise WireError("a key cannot be one") from None
        return found

    def _tensor(self, node: list) -> torch.Tensor:
        if len(node) != 7 or not isinstance(node[1], str) or node[1] not in DTYPES:
            raise WireError("a tensor is malformed")
        _, name, shape, strides, place, first, has_grad = node
        if not (_are_sizes(shape) and _are_sizes(strides)):
            raise WireError("a tensor is malformed")
        size = math.prod(n or 1 for n in shape)  # torch multiplies around a 0 too
        if len(shape) != len(strides) or size > LARGEST_TENSOR:
            raise WireError("a tensor is malformed")
        base = self._base(place, name)
        if type(first) is not int or first < 0:
            raise WireError("a tensor is malformed")
        if base.device.type == "meta":
            tensor = torch.empty_strided(
                shape, strides, dtype=base.dtype, device="meta"
            )
        elif 0 not in shape and first + _span(shape, strides) > base.numel():
            raise WireError("a tensor is longer than its buffer")
        else:
            tensor = base.as_strided(shape, strides, 0 if 0 in shape else first)
        if has_grad is True and (tensor.is_floating_point() or tensor.is_complex()):
            tensor.requires_grad_(True)
        self.objects.append(tensor)
        return tensor

    def _base(self, place: object, name: str) -> torch.Tensor:
        if place == -1:
            return torch.empty(0, dtype=DTYPES[name], device="meta")
        if type(place) is not int or not 0 <= place < len(self.raw):
            raise WireError("a tensor has no buffer")
        if (place, name) not in self.bases:
            self.bases[place, name] = flat_tensor(self.raw[place], DTYPES[name])
        return self.bases[place, name]
