# SPDX-License-Identifier: BSD-3-Clause
"""Waits for the boards that send to this one, and rejects other clients. Standard library, Python 3.8.

Any host in the network may connect, send anything or nothing, and leave, which costs a line on stderr. A
client that is no runner of a board before this one gets an error and is disconnected; a client has SILENT
seconds to identify itself.
"""

import json
import select
import socket
import sys
import time

from shellgen_bus import MOST_FRAMES, HostError, printable
from shellgen_link import LINE, SocketSource, address_of, read_hello

HERE = "127.0.0.1"
GUESTS = 64  # that may say who they are at the same time
SILENT = 10.0  # seconds for it
LOOK = 0.2  # seconds between looks at those who have been let in
NOTES = 20  # lines about others


class _Guest:
    """Somebody who has connected and not said yet who it is."""

    def __init__(self, peer, name):
        peer.setblocking(False)
        self.peer, self.name, self.end = peer, name, time.monotonic() + SILENT
        self._line = b""

    def line(self):
        """Return the first line when it is whole, else None; what follows it stays in the socket.

        Raises:
            ValueError: It is no line of a runner.
        """
        try:
            seen = self.peer.recv(LINE, socket.MSG_PEEK)
            at = seen.find(b"\n") + 1
            self._line += self.peer.recv(at or len(seen))
        except (BlockingIOError, InterruptedError):
            return None
        except OSError as error:
            raise ValueError(error.strerror or error) from None
        if not seen:
            raise ValueError("it has closed the connection")
        if len(self._line) > LINE:
            raise ValueError("it sends no line that ends")
        return self._line if at else None


class Listener:
    """Waits for the boards that send to this one.

    Args:
        text: ``[HOST:]PORT``; without a host, only programs of this machine can connect.
        streams: Entries of the map that are to be fed.
        sources: Where their sources go, by the index of the stream.
    """

    def __init__(self, text, streams, sources):
        host, port = address_of(text, HERE)
        self._text, self._notes, self._guests = text, 0, []
        self._last = ""
        self._streams = {stream["boundary"]: stream for stream in streams}
        self.sources = sources
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            self._server = socket.socket(family)
            self._server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._server.bind((host, port))
            self._server.listen()
            self._server.setblocking(False)
            self.address = self._server.getsockname()[:2]
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise HostError(f"--listen {printable(text)}: {why}") from None
        if ":" not in text:
            self._note(f"only programs of this machine can connect; give --listen ADDRESS:{port} for others")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for guest in self._guests:
            guest.peer.close()
        self._server.close()

    @property
    def missing(self):
        """The streams that nobody sends yet, by their boundary."""
        return {name: one for name, one in self._streams.items() if one["index"] not in self.sources}

    def wait(self, end):
        """Wait until one more stream has a source; then return.

        Args:
            end: When to give up (monotonic).

        Raises:
            HostError: None has come until then.
        """
        count = len(self.sources)
        while len(self.sources) <= count:
            left = end - time.monotonic()
            if left <= 0:
                names, last = ", ".join(sorted(self.missing)), f" ({self._last})" if self._last else ""
                text = "--listen {}: nobody has sent {}{}; give --wait more"
                raise HostError(text.format(self._text, names, last))
            heard = [self._server, *(guest.peer for guest in self._guests)]
            ready = select.select(heard, [], [], min(left, LOOK))[0]
            if self._server in ready:
                self._let_in()
            for guest in [one for one in self._guests if one.peer in ready]:
                self._hear(guest)
            for guest in [one for one in self._guests if time.monotonic() > one.end]:
                self._refuse(guest, "it has not said who it is")
            count = min(count, self._forget())

    def _let_in(self):
        try:
            peer, address = self._server.accept()
        except OSError:  # it has gone already, or there are no more sockets for now
            return
        self._guests.append(_Guest(peer, address[0]))
        if len(self._guests) > GUESTS:
            self._refuse(self._guests[0], "too many have connected")

    def _hear(self, guest):
        try:
            line = guest.line()
            if line is None:
                return
            boundary, contract, frames, size = read_hello(line)
        except ValueError as error:
            self._refuse(guest, f"it is no runner of shellgen: {error}")
            return
        wrong = self._wrong(boundary, contract, frames, size)
        if wrong:
            self._refuse(guest, wrong)
        elif self._answer(guest, ""):
            self._guests.remove(guest)
            stream = self._streams[boundary]
            self.sources[stream["index"]] = SocketSource(guest.peer, guest.name, stream, frames)
        else:
            self._refuse(guest, "it has closed the connection")

    def _wrong(self, boundary, contract, frames, size):
        """Return what does not fit, empty if all does."""
        awaited = self.missing
        if boundary not in awaited:
            return f"it sends {boundary[:80]!r}; awaited is {', '.join(sorted(awaited))}"
        agreed, wanted = awaited[boundary]["contract"], awaited[boundary]["frame_bytes"]
        if contract != agreed:
            return (
                f"its frames of {boundary} are packed by contract {contract[:16]!r}, and here by {agreed!r}"
            )
        if not 1 <= frames <= MOST_FRAMES or size != wanted:
            told = printable(str(frames), 20), printable(str(size), 20)
            return f"it sends {told[0]} frames of {told[1]} bytes; they have {wanted} bytes here"
        return ""

    def _answer(self, guest, wrong):
        """Send a client the reason; return whether it could be sent."""
        try:
            guest.peer.sendall(json.dumps(wrong).encode() + b"\n")
        except OSError:
            return False
        return True

    def _refuse(self, guest, wrong):
        self._answer(guest, wrong)
        self._guests.remove(guest)
        guest.peer.close()
        self._last = printable(f"{guest.name}: {wrong}")
        self._note(f"{self._last}; it is left out")

    def _forget(self):
        """Drop sources that have gone before the run began; return how many are left."""
        own = [one["index"] for one in self._streams.values() if one["index"] in self.sources]
        for index in [at for at in own if self.sources[at].lost]:
            source = self.sources.pop(index)
            source.close()
            self._note(f"{source.name}: it has gone before the run began; another may take its place")
        return len(self.sources)

    def _note(self, text):
        self._notes += 1
        if self._notes <= NOTES:
            more = "; further clients are not listed" if self._notes == NOTES else ""
            print(f"--listen {printable(self._text)}: {text}{more}", file=sys.stderr, flush=True)
