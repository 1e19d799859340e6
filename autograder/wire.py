"""Frames of bytes on a socket: a JSON text and raw buffers behind it.

Both ends use this module. The end of the checks believes nothing that it reads: every
size is bounded, and nothing is ever unpickled.
"""

import json
import socket
import struct
import time
from collections.abc import Sequence

LARGEST_TEXT = 16 << 20  # bytes
LARGEST_BUFFER = 256 << 20  # bytes, all buffers of a frame together
MOST_BUFFERS = 10_000
_HEAD = struct.Struct("<IIQ")  # bytes of the text, number of buffers, their bytes
_SIZE = struct.Struct("<Q")


class WireError(Exception):
    """A frame that is not what it should be."""


class Closed(WireError):
    """The other end is gone."""


def send(wire: socket.socket, message: dict, buffers: Sequence[bytes] = ()) -> None:
    """Send one frame. Raises Closed when nobody reads it."""
    text = json.dumps(message).encode()
    sizes = [len(buffer) for buffer in buffers]
    head = _HEAD.pack(len(text), len(buffers), sum(sizes))
    packed = b"".join(_SIZE.pack(size) for size in sizes)
    try:
        # in one go: each part that arrives alone would wake the other end
        wire.sendall(b"".join((head, packed, text, *buffers)))
    except (BrokenPipeError, ConnectionResetError):
        raise Closed("the other end is gone") from None


def receive(
    wire: socket.socket, deadline: float | None = None
) -> tuple[dict, list[bytearray]]:
    """One frame: its message and its buffers.

    `deadline` is a time.monotonic(). Raises TimeoutError after it, Closed when the
    other end is gone, WireError for a frame that is too large or malformed.
    """
    length, count, total = _HEAD.unpack(_read(wire, _HEAD.size, deadline))
    if length > LARGEST_TEXT or count > MOST_BUFFERS or total > LARGEST_BUFFER:
        raise WireError("a frame is too large")
    first = _SIZE.size * count
    data = memoryview(_read(wire, first + length + total, deadline))
    sizes = [size for (size,) in _SIZE.iter_unpack(data[:first])]
    if sum(sizes) != total:
        raise WireError("the buffers of a frame do not add up")
    text, start, buffers = bytes(data[first : first + length]), first + length, []
    for size in sizes:
        buffers.append(bytearray(data[start : start + size]))
        start += size
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise WireError("a frame holds no JSON") from None
    if not isinstance(message, dict):
        raise WireError("a frame holds no message")
    return message, buffers


def _read(wire: socket.socket, size: int, deadline: float | None) -> bytearray:
    data = bytearray(size)
    view, got = memoryview(data), 0
    while got < size:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            wire.settimeout(left)
        try:
            part = wire.recv_into(view[got:])
        except ConnectionResetError:
            part = 0
        if not part:
            raise Closed("the other end is gone")
        got += part
    return data
