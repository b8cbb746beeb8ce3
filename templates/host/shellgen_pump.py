# SPDX-License-Identifier: BSD-3-Clause
"""One stream between its DMA and a file or socket, by steps that never wait. Python 3.8 or later.

A source has ``frames`` and ``take(count)``: bytes (count, frame_bytes), or None as long as they are not
there. A sink has ``room()`` and ``put(data)``. Each pump has two buffers, so that one is filled or emptied
while the DMA works on the other. Streams do not wait for one another: a node may get back what it has sent.
"""

from pathlib import Path

import numpy as np
from shellgen_bus import HostError


class Pump:
    """Common part of both directions.

    Args:
        stream: Its entry in the map.
        channel: `shellgen_dma.Channel` or `shellgen_mover.Mover`, which runs.
        allocate: Returns a buffer of the given number of bytes.
        batch: Frames of a transfer.
        frames: How many there are; of the last transfer, what is more repeats the last.
    """

    def __init__(self, stream, channel, allocate, batch, frames):
        self.stream, self._channel, self._batch, self._frames = stream, channel, batch, frames
        self._frame = stream["frame_bytes"]
        self._size = batch * stream["memory_bytes"]
        self._transfers = -(-frames // batch)
        self.buffers = [allocate(self._size) for _ in range(min(2, self._transfers))]
        self._free, self._full, self._busy = list(self.buffers), [], None
        self._started = self._moved = 0  # transfers; frames at the other end

    @property
    def done(self):
        """All of its frames have been moved."""
        return self._moved == self._frames

    def _next(self, waiting):
        if self._busy is None and waiting and self._started < self._transfers:
            self._busy = waiting.pop(0)
            self._channel.start(self._busy, self._size)
            self._started += 1
            return True
        return False

    def told(self):
        """Say for a message how far it has come."""
        text = "{}: {} of {} frames, {}"
        return text.format(self.stream["boundary"], self._moved, self._frames, self._channel.state())


class Feed(Pump):
    """From a source to the core."""

    def __init__(self, stream, channel, allocate, batch, source):
        super().__init__(stream, channel, allocate, batch, source.frames)
        self._source = source
        self._taken = 0

    def step(self):
        """Go on without waiting; tell whether anything has moved."""
        moved = False
        if self._busy is not None and self._channel.finished():
            self._free.append(self._busy)
            self._busy, moved = None, True
            self._moved = min(self._frames, self._moved + self._batch)
        moved |= self._next(self._full)
        count = min(self._batch, self._frames - self._taken)
        data = self._source.take(count) if self._free and count else None
        if data is None:
            return moved
        buffer = self._free.pop(0)
        room = buffer.data[: self._size].reshape(self._batch, -1)
        room[:count, : self._frame] = data
        room[count:, : self._frame] = data[-1]
        room[:, self._frame :] = 0
        buffer.flush()
        self._full.append(buffer)
        self._taken += count
        self._next(self._full)
        return True


class Drain(Pump):
    """From the core to a sink."""

    def __init__(self, stream, channel, allocate, batch, frames, sink):  # noqa: PLR0913 - as its base, and a sink
        super().__init__(stream, channel, allocate, batch, frames)
        self._sink = sink

    def arm(self):
        """Begin the first transfer before anything is sent."""
        self._next(self._free)

    def step(self):
        """Go on without waiting; tell whether anything has moved."""
        moved = False
        if self._busy is not None and self._channel.finished():
            if self._channel.moved() != self._size:
                text = "stream {}: a transfer ended after {} of {} bytes: does the core have another batch?"
                name = self.stream["boundary"]
                raise HostError(text.format(name, self._channel.moved(), self._size))
            self._full.append(self._busy)
            self._busy, moved = None, True
        moved |= self._next(self._free)
        if self._full and self._sink.room():
            buffer = self._full.pop(0)
            buffer.invalidate()
            count = min(self._batch, self._frames - self._moved)
            room = np.array(buffer.data[: self._size]).reshape(self._batch, -1)
            self._sink.put(np.ascontiguousarray(room[:count, : self._frame]))
            self._moved += count
            self._free.append(buffer)
            self._next(self._free)
            moved = True
        return moved


class FileSource:
    """Frames of a ``.npy``, packed batch by batch."""

    def __init__(self, layout, path, frames=None):
        self._layout, self._path = layout, path
        self._values = layout.read(path)
        self.frames = len(self._values) if frames is None else frames
        if self.frames > len(self._values):
            raise HostError(f"{path}: it has {len(self._values)} frames, and {frames} are asked for")
        self._taken = 0

    def take(self, count):
        """Return the next frames."""
        chosen = self._values[self._taken : self._taken + count]
        self._taken += count
        return self._layout.encode(chosen, self._path)

    def close(self):
        pass


class FileSink:
    """Frames to be written to a ``.npy``, compared, or neither."""

    def __init__(self, layout, path=None, golden=None):
        self.layout, self._path = layout, path
        self._golden = layout.read(golden) if golden else None
        self._golden_path = golden
        if path and not Path(path).absolute().parent.is_dir():
            raise HostError(f"{path}: there is no folder {Path(path).parent}")
        self._parts = []

    def expect(self, frames):
        """Refuse golden vectors of another number before anything is sent."""
        if self._golden is not None and len(self._golden) < frames:
            text = "{}: it has {} frames, and {} are sent"
            raise HostError(text.format(self._golden_path, len(self._golden), frames))

    def room(self):
        return True

    def put(self, data):
        self._parts.append(self.layout.decode(data))

    def finish(self):
        """Write the file; return what differs from the golden one, None if nothing or if there is none."""
        values = np.concatenate(self._parts)
        if self._path:
            low, high = int(values.min()), int(values.max())
            kind = np.result_type(np.min_scalar_type(min(low, -1)), np.min_scalar_type(high))
            try:
                with Path(self._path).open("wb") as file:
                    np.save(file, self.layout.shaped(values).astype(kind))
            except OSError as error:
                raise HostError(f"{self._path}: {error.strerror}") from None
        if self._golden is None:
            return None
        return self.layout.difference(values, self._golden[: len(values)])

    def close(self):
        pass


class Copies:
    """Several sinks of the same frames: what the DMA has read once goes to all of them.

    A sink that has room for nothing holds up the others only when they have all that was read.
    """

    def __init__(self, sinks):
        self._sinks = sinks

    def expect(self, frames):
        for sink in self._sinks:
            sink.expect(frames)

    def room(self):
        """Let every sink send what it can; tell whether all have room."""
        found = [sink.room() for sink in self._sinks]
        return all(found)

    def put(self, data):
        for sink in self._sinks:
            sink.put(data)
