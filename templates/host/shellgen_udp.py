# SPDX-License-Identifier: BSD-3-Clause
"""Frames between a board and a card by UDP: sources and sinks of the runner, as `shellgen_link` has by TCP.

The card's end is in hardware, so everything is in the map: addresses, ports, and what both must agree on. Who
begins first waits for the other. ``step`` goes on without waiting and must be called again and again, as what
was lost on the way is sent again from there. Standard library and numpy, Python 3.8 or later.
"""

import time
from collections import deque

import numpy as np
from shellgen_bus import HostError
from shellgen_vnx import Port, Receiver, Sender, Terms

AHEAD = 1 << 22  # bytes that are taken before the core wants them
FINISH = 60.0  # seconds for what is left at the end
HELLO, TIMEOUT = 0.05, 0.02  # seconds between two HELLO, and of silence until the card is asked
LINGER = 0.1  # seconds in which the card may still ask whether all has come
PAUSE = 0.0002


def _terms(stream):
    told = stream["program"]["terms"]
    return Terms(frame_bytes=stream["frame_bytes"], contract=int(stream["contract"], 16), **told)


def _port(end, stream):
    told = stream["program"]
    here, there = (told["address"], told["port"]), (told["peer"], told["peer_port"])
    try:
        return Port(end, here, there)
    except OSError as error:
        text = "stream {}: {}:{}: {}; this machine must have this address, and no other program the port"
        raise HostError(text.format(stream["boundary"], *here, error.strerror or error)) from None


def _after(number):
    """Return the numbers that may follow one: those of a network count in the lower 24 bits."""
    return {(number + 1) % (1 << 32), number & 0xFF << 24 | (number + 1) % (1 << 24)}


class _End:
    """Common part of both directions; ``name`` is the card's address."""

    def __init__(self, end, stream, clock):
        self._end, self._stream, self._clock = end, stream, clock
        self._port = _port(end, stream)
        self.name = "{}:{}".format(stream["program"]["peer"], stream["program"]["peer_port"])

    @property
    def open(self):
        """Whether the card has answered."""
        return self._end.open

    def _pump(self):
        """Take and send datagrams.

        Raises:
            HostError: The card was built for something else.
        """
        try:
            self._port.pump(self._clock())
        except OSError as error:
            raise HostError(f"{self.name}: {error.strerror or error}") from None
        if self._end.refused:
            text = "{}: stream {}: the card has another {}; load what was generated together"
            raise HostError(text.format(self.name, self._stream["boundary"], ", ".join(self._end.refused)))

    def close(self):
        self._port.close()


def await_cards(ends, seconds):
    """Return when the cards of all these ends have answered.

    Raises:
        HostError: One has not in the given seconds, or was built for something else.
    """
    end = time.monotonic() + seconds
    left = list(ends)
    while left:
        for one in ends:
            one.step()
        left = [one for one in left if not one.open]
        if left and time.monotonic() > end:
            text = "{}: no answer in {:g} s; set the card up (shellgen_cards.py), or give --wait more"
            raise HostError(text.format(left[0].name, seconds))
        time.sleep(PAUSE)


class UdpSource(_End):
    """Frames of one stream from a card.

    Args:
        stream: Its entry in the map.
        frames: How many come.
        clock: Tells the time in seconds.
    """

    def __init__(self, stream, frames, clock=time.monotonic):
        super().__init__(Receiver(_terms(stream)), stream, clock)
        self.frames, self._size = frames, stream["frame_bytes"]
        self._ready, self._last, self._came = deque(), None, 0
        self.marked = []  # which of them are made of frames that a card has lost

    def step(self):
        """Go on without waiting; tell whether anything has come."""
        before = self._end.counts["taken"]
        if len(self._ready) * self._size < AHEAD or not self._ready:
            while self._end.frames:
                self._keep(self._end.frames.popleft())
        self._pump()
        return self._end.counts["taken"] != before

    def _keep(self, frame):
        name = self._stream["boundary"]
        if not frame.whole:
            text = "{}: a part of frame {} of {} is missing, since the card was reset; run these frames again"
            raise HostError(text.format(self.name, frame.number, name))
        if self._last is not None and frame.number not in _after(self._last):
            text = "{}: frame {} of {} came after frame {}: the card lost what is between them in a reset"
            raise HostError(text.format(self.name, frame.number, name, self._last))
        if frame.marked:
            self.marked.append(self._came)
        self._last, self._came = frame.number, self._came + 1
        self._ready.append(frame.data)

    def drop(self):
        """Drop all that has come, also while other cards were awaited; return how many frames."""
        self._pump()
        count = len(self._ready) + len(self._end.frames)
        self._ready.clear()
        self._end.frames.clear()
        self._last, self._came = None, 0
        self.marked.clear()
        return count

    def take(self, count):
        """Return the next frames, or None as long as they have not come."""
        if len(self._ready) < count:
            self.step()
        if len(self._ready) < count:
            return None
        data = b"".join(self._ready.popleft() for _ in range(count))
        return np.frombuffer(data, np.uint8).reshape(count, -1)

    def close(self):
        """Answer the card for a moment, as the last acknowledgement may be lost; then leave."""
        end = self._clock() + LINGER
        while self._came == self.frames and self._clock() < end:
            self._port.pump(self._clock())
            time.sleep(PAUSE)
        super().close()


class UdpSink(_End):
    """Frames of one stream to a card; arguments as those of `UdpSource`."""

    def __init__(self, stream, clock=time.monotonic):
        told = stream["program"]
        super().__init__(Sender(_terms(stream), HELLO, TIMEOUT, reorder=told["reorder"]), stream, clock)
        self._left = deque()

    def expect(self, frames):
        pass

    def step(self):
        """Go on without waiting; tell whether anything has left."""
        before = self._end.counts["sent"]
        while self._left and self._end.room:
            self._end.offer(self._left.popleft())
        self._pump()
        if self._end.lost:
            text = "{}: frame {} of {} may not have arrived, since the card was reset; run these frames again"
            raise HostError(text.format(self.name, self._end.lost[0], self._stream["boundary"]))
        return self._end.counts["sent"] != before

    def room(self):
        """Send what can be sent now; tell whether all of it is on its way."""
        self.step()
        return not self._left and self._end.room

    @property
    def idle(self):
        """Whether the card has all that was put."""
        return not self._left and self._end.idle

    def put(self, data):
        self._left.extend(row.tobytes() for row in data)
        self.step()

    def finish(self):
        """Send what is left, until the card has it."""
        end = self._clock() + FINISH
        while not self.idle:
            if self._clock() > end:
                text = "{}: the card has not taken all of {} in {:g} s; look what its runner says"
                raise HostError(text.format(self.name, self._stream["boundary"], FINISH))
            self.step()
            time.sleep(PAUSE)
