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
_HEAD = struct.Struct("<II")  # bytes of the text, number of buffers
_SIZE = struct.Struct("<Q")


class WireError(Exception):
    """A frame that is not what it should be."""


class Closed(WireError):
    """The other end is gone."""


def send(wire: socket.socket, message: dict, buffers: Sequence[bytes] = ()) -> None:
    """Send one frame. Raises Closed when nobody reads it."""
    text = json.dumps(message).encode()
    sizes = b"".join(_SIZE.pack(len(buffer)) for buffer in buffers)
    try:
        wire.sendall(_HEAD.pack(len(text), len(buffers)) + sizes + text)
        for buffer in buffers:
            wire.sendall(buffer)
    except (BrokenPipeError, ConnectionResetError):
        raise Closed("the other end is gone") from None


def receive(
    wire: socket.socket, deadline: float | None = None
) -> tuple[dict, list[bytearray]]:
    """One frame: its message and its buffers.

    `deadline` is a time.monotonic(). Raises TimeoutError after it, Closed when the
    other end is gone, WireError for a frame that is too large or malformed.
    """
    length, count = _HEAD.unpack(_read(wire, _HEAD.size, deadline))
    if length > LARGEST_TEXT or count > 10_000:
        raise WireError("a frame is too large")
    packed = _read(wire, _SIZE.size * count, deadline)
    sizes = [size for (size,) in _SIZE.iter_unpack(packed)]
    if sum(sizes) > LARGEST_BUFFER:
        raise WireError("a frame is too large")
    text = _read(wire, length, deadline)
    buffers = [_read(wire, size, deadline) for size in sizes]
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
