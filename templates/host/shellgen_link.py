# SPDX-License-Identifier: BSD-3-Clause
"""Frames between two boards by TCP: one connection for each stream. Standard library, Python 3.8.

Who sends connects, and says in a line of JSON which stream, how it is packed and how many frames; who
receives answers with a line, empty if that is right. Then the frames follow, without gaps. Nothing is
encrypted: use it in a network of your own.
"""

import json
import select
import socket
import time

import numpy as np
from shellgen_bus import HostError, parse_json, printable

LINE = 4096  # bytes of a line at most
CHUNK = 1 << 18
AHEAD = 1 << 22  # bytes that are taken before the core wants them
RETRY = 0.2  # seconds until the next attempt to connect
FINISH = 60.0  # seconds for what is left at the end


def address_of(text, host=None):
    """Return (host, port) of ``HOST:PORT``, or of ``PORT`` where a host is given."""
    name, colon, port = text.rpartition(":")
    digits = port.isascii() and port.isdigit() and len(port) <= 5
    if (not name and (colon or host is None)) or not digits or int(port) >= 1 << 16:
        raise HostError(f"{printable(text)}: give it as HOST:PORT")
    return name.strip("[]") or host, int(port)


def read_hello(line):
    """Return stream, contract, frames and bytes of a frame that the first line of a sender tells.

    Raises:
        ValueError: It is no such line.
    """
    told = parse_json(line.decode("utf-8"))
    if not isinstance(told, dict):
        raise ValueError("no object")
    found = [told.get(name) for name in ("stream", "contract", "frames", "frame_bytes")]
    if [type(one) for one in found] != [str, str, int, int]:
        raise ValueError("a field is missing, or of another kind")
    return found


def connect(address, stream, frames, seconds):
    """Return a connection on which frames may follow; the other board need not listen yet.

    Raises:
        HostError: Nobody answers in time, or the other board wants something else.
    """
    name, end = f"{address[0]}:{address[1]}", time.monotonic() + seconds
    told = {"contract": stream["contract"], "stream": stream["boundary"]}
    told.update({"frames": frames, "frame_bytes": stream["frame_bytes"]})
    while True:
        try:
            peer = socket.create_connection(address, timeout=max(0.01, end - time.monotonic()))
            break
        except (OSError, UnicodeError) as error:
            if time.monotonic() + RETRY > end or isinstance(error, UnicodeError):
                why = getattr(error, "strerror", None) or error
                raise HostError(f"{name}: {why}; is its runner waiting with --listen?") from None
            time.sleep(RETRY)
    try:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.sendall(json.dumps(told).encode() + b"\n")
        wrong = _answer(peer, end)
    except socket.timeout:  # noqa: UP041 - no TimeoutError before Python 3.10
        peer.close()
        raise HostError(f"{name}: it has not answered in time; give --wait more") from None
    except (OSError, ValueError):
        peer.close()
        raise HostError(f"{name}: it closed the connection, or is no runner of shellgen") from None
    if wrong:
        peer.close()
        raise HostError(f"{name} refused: {printable(wrong)}")
    return peer


def _answer(peer, end):
    """Return the objection of the other end to this one's line; it has until ``end`` for its whole answer."""
    line = b""
    while not line.endswith(b"\n"):
        peer.settimeout(max(0.01, end - time.monotonic()))
        byte = peer.recv(1)
        if not byte or len(line) == LINE:
            raise ValueError("no line")
        line += byte
        if time.monotonic() > end:
            raise socket.timeout  # noqa: UP041 - as above
    wrong = parse_json(line.decode("utf-8"))
    if not isinstance(wrong, str):
        raise ValueError("no text")
    return wrong


class SocketSource:
    """Frames of one stream from another board."""

    def __init__(self, peer, name, stream, frames):
        self._peer, self.name, self.frames = peer, name, frames
        self._size, self._stream = stream["frame_bytes"], stream["boundary"]
        self._left = frames * self._size
        self._data = bytearray()
        peer.setblocking(False)

    @property
    def lost(self):
        """The other end has gone before it has sent anything, as far as it can be seen now."""
        try:
            return not self._data and not self._peer.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            return True

    def take(self, count):
        """Return the next frames, or None as long as they have not come."""
        want = count * self._size
        while self._left and len(self._data) < max(want, AHEAD):
            try:
                got = self._peer.recv(min(CHUNK, self._left))
            except (BlockingIOError, InterruptedError):
                break
            except OSError as error:
                raise HostError(
                    f"{self.name}: {error.strerror or error}, while {self._stream} came"
                ) from None
            if not got:
                raise HostError(f"{self.name}: it ended {self._left} bytes before the end of {self._stream}")
            self._data += got
            self._left -= len(got)
        if len(self._data) < want:
            return None
        data = np.frombuffer(bytes(self._data[:want]), np.uint8).reshape(count, -1)
        del self._data[:want]
        return data

    def close(self):
        self._peer.close()


class SocketSink:
    """Frames of one stream to another board."""

    def __init__(self, peer, name):
        self._peer, self._name = peer, name
        self._data = b""
        peer.setblocking(False)

    def expect(self, frames):
        pass

    def room(self):
        """Send what can be sent now; tell whether all of it is."""
        while self._data and select.select([], [self._peer], [], 0)[1]:
            try:
                self._data = self._data[self._peer.send(self._data[:CHUNK]) :]
            except (BlockingIOError, InterruptedError):
                break
            except OSError as error:
                raise HostError(f"{self._name}: {error.strerror or error}; look what it says there") from None
        return not self._data

    def put(self, data):
        self._data = data.tobytes()
        self.room()

    def finish(self):
        """Send what is left."""
        self._peer.settimeout(FINISH)
        try:
            self._peer.sendall(self._data)
        except OSError as error:
            raise HostError(f"{self._name}: {error.strerror or error}; look what it says there") from None

    def close(self):
        self._peer.close()
