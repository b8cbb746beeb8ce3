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
from shellgen_bus import HostError

LINE = 4096  # bytes of a line at most
CHUNK = 1 << 18
AHEAD = 1 << 22  # bytes that are taken before the core wants them
RETRY = 0.2  # seconds until the next attempt to connect


def address_of(text, host=None):
    """Return (host, port) of ``HOST:PORT``, or of ``PORT`` where a host is given."""
    name, colon, port = text.rpartition(":")
    if (not name and (colon or host is None)) or not port.isdigit() or not 0 <= int(port) < 1 << 16:
        raise HostError(f"{text}: give it as HOST:PORT")
    return name.strip("[]") or host, int(port)


class Listener:
    """Waits for the boards that send to this one.

    Args:
        text: ``[HOST:]PORT``.
        streams: Entries of the map that are to be fed.
    """

    def __init__(self, text, streams):
        host, port = address_of(text, "0.0.0.0")  # noqa: S104 - the other boards are to reach it
        self._text = text
        self.missing = {stream["boundary"]: stream for stream in streams}
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            self._server = socket.socket(family)
            self._server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._server.bind((host, port))
            self._server.listen()
            self.address = self._server.getsockname()[:2]
        except OSError as error:
            raise HostError(f"--listen {text}: {error.strerror or error}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.close()

    def accept(self, end):
        """Return the index of a stream and its source; HostError if none comes until ``end`` (monotonic)."""
        try:
            self._server.settimeout(max(0.01, end - time.monotonic()))
            peer, address = self._server.accept()
            peer.settimeout(max(0.01, end - time.monotonic()))
            stream, frames = self._greet(peer, address[0])
        except socket.timeout:  # noqa: UP041 - no TimeoutError before Python 3.10
            names = ", ".join(sorted(self.missing))
            raise HostError(f"--listen {self._text}: nobody has sent {names}; give --wait more") from None
        return stream["index"], SocketSource(peer, address[0], stream, frames)

    def _greet(self, peer, name):
        line = _read_line(peer, name)
        try:
            told = json.loads(line)
            contract, boundary = str(told["contract"]), str(told["stream"])
            frames, size = int(told["frames"]), int(told["frame_bytes"])
        except (ValueError, KeyError, TypeError):
            raise HostError(f"{name}: what connected is no runner of shellgen") from None
        wrong = ""
        if boundary not in self.missing:
            wrong = f"it sends {boundary[:200]!r}; awaited is {', '.join(sorted(self.missing))}"
        elif contract != self.missing[boundary]["contract"]:
            agreed = self.missing[boundary]["contract"]
            wrong = f"its frames of {boundary} are packed by contract {contract[:16]}, and here by {agreed}"
        elif frames < 1 or size != self.missing[boundary]["frame_bytes"]:
            wrong = f"it sends {frames} frames of {size} bytes"
        peer.sendall(json.dumps(wrong).encode() + b"\n")
        if wrong:
            raise HostError(f"{name}: {wrong}")
        return self.missing.pop(boundary), frames


def connect(address, stream, frames, seconds):
    """Return a connection on which frames may follow; the other board need not listen yet.

    Raises:
        HostError: Nobody answers in time, or the other board wants something else.
    """
    name, end = f"{address[0]}:{address[1]}", time.monotonic() + seconds
    while True:
        try:
            peer = socket.create_connection(address, timeout=max(0.01, end - time.monotonic()))
            break
        except OSError as error:
            if time.monotonic() + RETRY > end:
                raise HostError(
                    f"{name}: {error.strerror or error}; is its runner waiting with --listen?"
                ) from None
            time.sleep(RETRY)
    told = {"contract": stream["contract"], "stream": stream["boundary"]}
    told.update({"frames": frames, "frame_bytes": stream["frame_bytes"]})
    try:
        peer.settimeout(max(0.01, end - time.monotonic()))
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.sendall(json.dumps(told).encode() + b"\n")
        wrong = json.loads(_read_line(peer, name))
    except (OSError, ValueError):
        raise HostError(f"{name}: it closed the connection, or is no runner of shellgen") from None
    if wrong:
        raise HostError(f"{name} refused: {str(wrong)[:LINE]}")
    return peer


def _read_line(peer, name):
    line = b""
    while not line.endswith(b"\n"):
        byte = peer.recv(1)
        if not byte or len(line) == LINE:
            raise HostError(f"{name}: what connected is no runner of shellgen")
        line += byte
    return line


class SocketSource:
    """Frames of one stream from another board."""

    def __init__(self, peer, name, stream, frames):
        self._peer, self._name, self.frames = peer, name, frames
        self._size, self._stream = stream["frame_bytes"], stream["boundary"]
        self._left = frames * self._size
        self._data = bytearray()
        peer.setblocking(False)

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
                    f"{self._name}: {error.strerror or error}, while {self._stream} came"
                ) from None
            if not got:
                raise HostError(f"{self._name}: it ended {self._left} bytes before the end of {self._stream}")
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
        self._peer.settimeout(60.0)
        try:
            self._peer.sendall(self._data)
        except OSError as error:
            raise HostError(f"{self._name}: {error.strerror or error}; look what it says there") from None

    def close(self):
        self._peer.close()
