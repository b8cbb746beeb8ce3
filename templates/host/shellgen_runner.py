# SPDX-License-Identifier: BSD-3-Clause
"""One node and its DMAs or data movers: all frames of some sources to some sinks. Python 3.8, numpy."""

import time
from contextlib import suppress
from pathlib import Path

import numpy as np
from shellgen_bus import HostError
from shellgen_core import Core, find_node
from shellgen_dma import Dmas
from shellgen_mover import Movers
from shellgen_pump import Drain, Feed
from shellgen_ring import Rings
from shellgen_turns import Turns

BATCH_BYTES = 1 << 20  # of a buffer, where --batch does not say
MARKED = 1 << 3  # of FLAGS, as in registers.json of shell_status
PAUSE = 0.0002  # seconds between two looks when nothing moves


class Runner:
    """One node, ready to move frames.

    Args:
        memory_map: As `read_map` returns it.
        name: Of the node.
        board: See `shellgen_board`.
        folder: Holds the files that the map names.
        timeout: Seconds without any movement that end a run.
        absent: Replicas that get no frames, nodes beside this one.

    Raises:
        HostError: No deal or gather of the node leads to one of them, or one would be left without any.
    """

    def __init__(self, memory_map, name, board, folder, timeout=10.0, absent=()):  # noqa: PLR0913 - of a run
        self.entry, self._board, self._timeout = find_node(memory_map, name), board, timeout
        self.core = Core(self.entry, board.bus)
        self._folder, self._buffers = Path(folder), []
        self._rings = Rings(self.entry, board.bus)
        self.marked = []  # what the core says of results that are not what they should be
        self.turns = Turns(self.entry, board.bus, absent)
        if self.entry["movers"]:
            self._engine = Movers(self.entry, board, timeout)
        else:
            self._engine = Dmas(self.entry, board) if self.entry["dma"] else board.engine(self.entry, timeout)

    def run(self, sources, sinks, batch=None, frames=None, served=()):
        """Move all frames of the sources to the sinks.

        Args:
            sources: By the index of the data streams that enter; all with as many frames, or their share.
            sinks: By the index of the streams that leave.
            batch: Frames of a transfer; chosen if left out.
            frames: How many come, where no stream enters.
            served: Those of them whose ``step`` is to be called all the time.

        Returns:
            Seconds that it took, transfers, files and sockets included.

        Raises:
            HostError: Another build, a transfer that failed, a framing error, or nothing moved for too long.
        """
        frames = self._total(sources, frames)
        for index, sink in sinks.items():
            sink.expect(self.turns.share(index, frames))
        batch = self._batch(frames, batch)
        self.core.check()
        try:
            self._rings.arm(self.core, self._keep)
            self.turns.take_out()
            self._engine.reset(self.core, self._set_batch, batch)
            drains, feeds = self._start(sources, sinks, batch, frames)
            self._engine.begin(self.core, drains)
            self.turns.check_out()
            began = time.monotonic()
            self._move(drains + feeds, served)
            seconds = time.monotonic() - began
            self._verify(batch * -(-frames // batch))
        except BaseException:
            with suppress(HostError):  # report the first error
                self._stop()
            raise
        self._stop()
        return seconds

    def _total(self, sources, frames):
        """Return the frames of the node, of which each source has its share."""
        told = {index: source.frames for index, source in sources.items()}
        total = self.turns.total(told) if told else frames
        shares = {index: self.turns.share(index, total) for index in told}
        if told == shares:
            return total
        if not self.turns.shared & told.keys():
            counts = sorted(set(told.values()))
            raise HostError(f"{self.core.name}: the inputs have different numbers of frames: {counts}")
        index = next(index for index in told if told[index] != shares[index])
        text = "stream {}: {} frames come, and of the {} of node {} it has {}; begin with all boards at once"
        name = self.entry["streams"][index]["boundary"]
        raise HostError(text.format(name, told[index], total, self.core.name, shares[index]))

    def streams(self, direction):
        """Return the map's entries of the data that enters ("rx") or leaves ("tx") by the host's memory.

        Those of replicas that are out are left out.
        """
        return [
            each
            for each in self.entry["streams"]
            if each["direction"] == direction
            and each["role"] == "data"
            and each["index"] in self._engine.streams
            and each["index"] not in self.turns.away
        ]

    def _batch(self, frames, asked):
        """Return the frames of a transfer: equal for all transfers, to move few unused frames."""
        streams = [*self.streams("rx"), *self.streams("tx")]
        most = self._engine.most or min(each["most_frames"] for each in streams)
        if self.turns.shared & {each["index"] for each in streams}:
            most = 1  # a gather waits for one replica while another holds back a transfer
        if asked is not None and not 1 <= asked <= most:
            raise HostError(f"--batch {asked}: node {self.core.name} takes 1 to {most} frames in a transfer")
        fits = max(1, BATCH_BYTES // max(each["memory_bytes"] for each in streams))
        batch = min(frames, most, asked or fits)
        if self._engine.exact and asked is not None and frames % batch:
            text = "--batch {}: of {} frames it leaves {}; node {} takes what divides them"
            raise HostError(text.format(asked, frames, frames % batch, self.core.name))
        if self._engine.exact:
            return max(size for size in range(1, batch + 1) if not frames % size)
        return -(-frames // -(-frames // batch))

    def _set_batch(self, batch):
        for stream in (*self.streams("rx"), *self.streams("tx")):
            self.core.write("FRAMES_PER_TRANSFER", batch, stream["index"])
            found = self.core.read("FRAMES_PER_TRANSFER", stream["index"])
            if found != batch:
                text = "stream {}: FRAMES_PER_TRANSFER is {} after {} was written"
                raise HostError(text.format(stream["boundary"], found, batch))

    def _allocate(self, size):
        self._buffers.append(self._board.allocate(size))
        return self._buffers[-1]

    def _keep(self, ring):
        size = ring["bytes"] + ring["align"]
        if not ring["bank"]:
            return self._allocate(size)
        self._buffers.append(self._board.bus.take(ring["bank"], size))
        return self._buffers[-1]

    def _start(self, sources, sinks, batch, frames):
        """Start the streams of weights and all channels; return the pumps, those that take first."""
        channels = self._engine.channels(self._weights, self._allocate)

        def ends(direction, kind, given):
            for stream in self.streams(direction):
                channel = channels[stream["index"]]
                yield kind(stream, channel, self._buffer(channel), batch, *given(stream["index"]))

        drains = list(ends("tx", Drain, lambda at: (self.turns.share(at, frames), sinks[at])))
        return drains, list(ends("rx", Feed, lambda at: (sources[at],)))

    def _buffer(self, channel):
        def allocate(size):
            self._buffers.append(channel.allocate(size))
            return self._buffers[-1]

        return allocate

    def _weights(self, index):
        stream = self.entry["streams"][index]
        if not stream["weights"]:
            text = "stream {}: its weights were not known to shellgen generate; give them in [[weights]]"
            raise HostError(text.format(stream["boundary"]))
        path = self._folder / stream["weights"]
        try:
            data = np.fromfile(path, np.uint8)
        except OSError as error:
            raise HostError(f"{path}: {error.strerror}; it belongs to the folder of the map") from None
        if len(data) != stream["frame_bytes"]:
            raise HostError(f"{path}: it has {len(data)} bytes, and the stream takes {stream['frame_bytes']}")
        return data

    def _move(self, pumps, served):
        last = time.monotonic()
        while not all(pump.done for pump in pumps):
            if sum(one.step() for one in (*pumps, *served)):
                last = time.monotonic()
            elif time.monotonic() - last > self._timeout:
                raise HostError(self._standstill(pumps))
            else:
                time.sleep(PAUSE)

    def _standstill(self, pumps):
        told = "; ".join(pump.told() for pump in pumps)
        counted = ", ".join(
            f"{stream['boundary']} {self.core.read('FRAMES', stream['index'])}"
            for stream in self.entry["streams"]
        )
        words = range(self.core.count("ERRORS"))
        errors = sum(self.core.read("ERRORS", word) << 32 * word for word in words)
        return (
            f"{self.core.name}: nothing moved for {self._timeout:g} s. {told}. "
            f"The core has counted frames: {counted}; ERRORS is {errors:#x}. "
            "If the network is only slow, give --timeout more"
        )

    def _verify(self, frames):
        """Raise HostError if the core has seen a framing error, or counted other frames than their share."""
        flags = {each["boundary"]: self.core.read("FLAGS", each["index"]) for each in self.entry["streams"]}
        wrong = [f"{name} (flags {found:#x})" for name, found in flags.items() if found & ~MARKED]
        if wrong:
            raise HostError(f"{self.core.name}: the core saw framing errors: {', '.join(wrong)}")
        self._rings.check()
        end = time.monotonic() + self._timeout
        for stream in (*self.streams("rx"), *self.streams("tx")):
            sent = self.turns.share(stream["index"], frames)
            found = self.core.read("FRAMES", stream["index"])
            while found < sent and time.monotonic() < end:  # beats that are taken are not yet a frame
                found = self.core.read("FRAMES", stream["index"])
            if found != sent:
                text = "stream {}: the core counted {} frames, and {} were moved"
                raise HostError(text.format(stream["boundary"], found, sent))
        self.marked = [text for stream in self.streams("tx") for text in self._marked(stream)]

    def _marked(self, stream):
        """Yield what the core says of results that are not what they should be."""
        if self.core.read("FLAGS", stream["index"]) & MARKED:
            first, last = (self.core.read(name, stream["index"]) for name in ("FIRST_MARKED", "LAST_MARKED"))
            which = f"frame {first} is" if first == last else f"some of the frames {first} to {last} are"
            yield (
                f"stream {stream['boundary']}: {which} made of frames that a card has lost in a reset; "
                "run these frames again"
            )

    def _stop(self):
        """Let nobody use a buffer any more; then give them back."""
        self._engine.stop(self.core)
        self._rings.disarm()
        while self._buffers:
            self._buffers.pop().free()
