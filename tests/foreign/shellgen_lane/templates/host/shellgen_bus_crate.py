# SPDX-License-Identifier: BSD-3-Clause
"""The backplane of a crate: registers and frames of one board through a socket. Python 3.8 or later, numpy.

A request is REQUEST, and the data for SEND. The board answers each with ANSWER, and the data for FETCH.
"""

import socket
import struct

import numpy as np
from shellgen_bus import HostError

REQUEST, ANSWER = struct.Struct("<cQI"), struct.Struct("<I")  # operation, address or stream, value or bytes
READ, WRITE, RESET, SEND, TAKE, MOVED, FETCH = b"r", b"w", b"x", b"s", b"t", b"m", b"f"
BUSY = 0xFFFFFFFF


def open_bus(entry, device):
    """Connect to the slot of a node; ``device`` is HOST:PORT."""
    host, colon, port = (device or "").rpartition(":")
    if not colon or not port.isdigit():
        text = "{}: give --device HOST:PORT, the address of its slot; got {!r}"
        raise HostError(text.format(entry["name"], device))
    return Slot(host, int(port))


def open_board(entry, options):
    """Connect to the slot of a node and its memory."""
    return CrateBoard(open_bus(entry, options.device))


class Slot:
    """The registers of a board, see `shellgen_bus`."""

    def __init__(self, host, port):
        self._name = f"{host}:{port}"
        try:
            self._socket = socket.create_connection((host, port))
        except OSError as error:
            raise HostError(f"{self._name}: {error.strerror or error}") from None

    def ask(self, operation, at=0, value=0, data=b""):
        """Make one request; return its answer."""
        self._socket.sendall(REQUEST.pack(operation, at, value) + data)
        return ANSWER.unpack(self.receive(ANSWER.size))[0]

    def receive(self, size):
        """Return the given number of bytes."""
        data = b""
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            if not more:
                raise HostError(f"{self._name}: the board has hung up")
            data += more
        return data

    def read(self, address):
        return self.ask(READ, address)

    def write(self, address, value):
        self.ask(WRITE, address, value)


class CrateBoard:
    """A board as `shellgen_board` describes it; the crate has neither DMAs nor movers of the map."""

    def __init__(self, slot):
        self.bus = slot

    def allocate(self, size):
        return Buffer(size)

    def engine(self, entry, timeout):  # noqa: ARG002 - its transfers need no limit of their own
        return Engine(entry, self.bus)


class Buffer:
    """Memory of the program: the backplane copies it."""

    def __init__(self, size):
        self.data = np.zeros(size, np.uint8)

    def flush(self):
        pass

    invalidate = free = flush


class Engine:
    """All streams of a board that pass its backplane; see `shellgen_dma.Dmas`."""

    exact, most = False, None

    def __init__(self, entry, slot):
        self._slot = slot
        self._ports = {one["index"]: one for one in entry["streams"] if "_axis_" in one["port"]}
        self.streams = set(self._ports)

    def reset(self, core, set_batch, batch):
        core.hold()
        self._slot.ask(RESET)
        set_batch(batch)
        core.release()

    def channels(self, weights, allocate):  # noqa: ARG002 - no stream of weights passes
        return {index: Channel(self._slot, one) for index, one in self._ports.items()}

    def begin(self, core, drains):
        pass

    def stop(self, core):
        core.hold()
        self._slot.ask(RESET)
        core.release()


class Channel:
    """One stream: one transfer at a time."""

    allocate = Buffer

    def __init__(self, slot, stream):
        self._slot, self._stream, self._into = slot, stream, None

    def start(self, buffer, size):
        gives = self._stream["direction"] == "rx"
        data = buffer.data[:size].tobytes() if gives else b""
        self._into = None if gives else buffer
        self._slot.ask(SEND if gives else TAKE, self._stream["index"], size, data)

    def finished(self):
        moved = self.moved()
        if moved == BUSY:
            return False
        if self._into is not None:
            size = self._slot.ask(FETCH, self._stream["index"])
            self._into.data[:size] = np.frombuffer(self._slot.receive(size), np.uint8)
            self._into = None
        return True

    def moved(self):
        return self._slot.ask(MOVED, self._stream["index"])

    def state(self):
        return f"{self._stream['port']} {'waits' if self.moved() == BUSY else 'rests'}"
