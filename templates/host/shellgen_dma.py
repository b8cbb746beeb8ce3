# SPDX-License-Identifier: BSD-3-Clause
"""AXI DMA by its registers: single transfers, and one buffer over and over. Python 3.8 or later.

Caches are flushed before a transfer from memory, and invalidated after one to it. Both is harmless where
the DMA is coherent.

Source: PG021 (AXI DMA), Direct Register Mode, Scatter/Gather Mode, Cyclic DMA Mode.
"""

import struct
import time

from shellgen_bus import HostError

MM2S, S2MM = 0x00, 0x30  # where a channel's registers begin
DMACR, DMASR, CURDESC, TAILDESC, ADDRESS, LENGTH = 0x00, 0x04, 0x08, 0x10, 0x18, 0x28
RUN, RESET, CYCLIC = 1 << 0, 1 << 2, 1 << 4
HALTED, IDLE, HAS_SG = 1 << 0, 1 << 1, 1 << 3
ERRORS = (
    (1 << 4, "internal error (DMAIntErr: more bytes came than LENGTH, or LENGTH is 0)"),
    (1 << 5, "the memory answered with an error (DMASlvErr)"),
    (1 << 6, "there is no memory at the address (DMADecErr)"),
    (1 << 8, "a descriptor is wrong (SGIntErr)"),
    (1 << 9, "the memory answered a descriptor with an error (SGSlvErr)"),
    (1 << 10, "there is no memory at a descriptor's address (SGDecErr)"),
)
FIRST, LAST = 1 << 27, 1 << 26  # of a descriptor's CONTROL
DESCRIPTOR = 64
SECONDS = 1.0  # for what takes some cycles


class Dma:
    """The registers of one DMA; an entry of the map's ``dma``."""

    def __init__(self, entry, bus):
        self.entry, self._bus = entry, bus
        self.name = entry["name"]

    def read(self, offset):
        return self._bus.read(self.entry["base"] + offset)

    def write(self, offset, value):
        self._bus.write(self.entry["base"] + offset, value)

    def write_address(self, offset, address):
        self.write(offset, address & 0xFFFFFFFF)
        if self.entry["address_bits"] > 32:
            self.write(offset + 4, address >> 32)

    def reset(self):
        """Reset both channels, whatever is under way; buffers are nobody's afterwards."""
        present = [at for at, name in ((MM2S, "mm2s"), (S2MM, "s2mm")) if self.entry["channels"][name]]
        self.write(present[0] + DMACR, RESET)
        self.wait(lambda: not self.read(present[0] + DMACR) & RESET, "its reset does not end")
        status = self.read(present[0] + DMASR)
        if bool(status & HAS_SG) != self.entry["cyclic"]:
            raise HostError(f"{self.name}: DMASR is {status:#x}: it is not the DMA of the map")

    def wait(self, condition, what):
        """Wait for what takes the hardware some cycles."""
        end = time.monotonic() + SECONDS
        while not condition():
            if time.monotonic() > end:
                raise HostError(f"{self.name}: {what}; is this the bitstream of the map, and its clock on?")

    def run(self, channel, more=0):
        """Let a channel run."""
        self.write(channel + DMACR, RUN | more)
        self.wait(lambda: not self.read(channel + DMASR) & HALTED, "it does not leave its reset")

    def status(self, channel):
        """Return DMASR; raise HostError if it tells an error."""
        found = self.read(channel + DMASR)
        said = [text for bit, text in ERRORS if found & bit]
        if said:
            name = "MM2S" if channel == MM2S else "S2MM"
            raise HostError(f"{self.name} {name}: {'; '.join(said)}; DMASR is {found:#x}")
        return found

    def check(self, address, size):
        """Refuse a buffer that the DMA does not reach, or not as a whole."""
        ranges = [(each["base"], each["base"] + each["size"]) for each in self.entry["memory"]]
        if not any(first <= address and address + size <= end for first, end in ranges):
            told = ", ".join(f"{first:#x} to {end - 1:#x}" for first, end in ranges)
            text = "{}: a buffer of {} bytes was allocated at {:#x}; the DMA reaches {}"
            raise HostError(text.format(self.name, size, address, told))
        if address % self.entry["align"]:
            text = "{}: a buffer was allocated at {:#x}, which is not a multiple of {}"
            raise HostError(text.format(self.name, address, self.entry["align"]))


class Dmas:
    """All DMAs of a node: an engine, which moves frames between memory and the core.

    An engine has ``streams``, the numbers of those that it serves; ``exact``, if no more frames may be moved
    than are asked for; ``most``, frames of a transfer, if it says; ``reset(core, set_batch, batch)``, which
    sets these frames; ``channels(weights, allocate)``, by stream, which starts those of weights;
    ``begin(core, drains)``, after which nothing of an earlier run is left; and ``stop(core)``, after which
    no buffer is used.
    """

    exact, most = False, None

    def __init__(self, entry, board):
        self._board = board
        self._dmas = [Dma(each, board.bus) for each in entry["dma"]]
        places = [place for each in entry["dma"] for place in each["channels"].values() if place]
        self.streams = {place["stream"] for place in places}

    def reset(self, core, set_batch, batch):
        # In this order: what a sender of the core offers is withdrawn, and its DMA must not see half of it.
        core.hold()
        for dma in self._dmas:
            dma.reset()
        # Now, because a layer that pads begins a frame before any has come.
        set_batch(batch)
        core.release()

    def channels(self, weights, allocate):
        found = {}
        for dma in self._dmas:
            for way, direction in (("mm2s", "rx"), ("s2mm", "tx")):
                place = dma.entry["channels"][way]
                if place and dma.entry["cyclic"]:
                    repeat(dma, weights(place["stream"]), allocate)
                elif place:
                    found[place["stream"]] = Channel(dma, direction, self._board.allocate)
                    found[place["stream"]].run()
        return found

    def begin(self, core, drains):
        pass

    def stop(self, core):
        core.hold()
        for dma in self._dmas:
            dma.reset()
        core.release()


class Channel:
    """One direction of a DMA in direct register mode: one transfer at a time."""

    def __init__(self, dma, direction, allocate):
        self._dma, self.allocate = dma, allocate
        self._at = MM2S if direction == "rx" else S2MM

    def run(self):
        """Let it run, after a reset of the DMA."""
        self._dma.run(self._at)

    def start(self, buffer, size):
        """Begin a transfer; the channel must be idle."""
        self._dma.check(buffer.address, size)
        self._dma.write_address(self._at + ADDRESS, buffer.address)
        self._dma.write(self._at + LENGTH, size)  # this starts it

    def finished(self):
        """Tell whether the transfer is over; raise HostError if it failed."""
        return bool(self._dma.status(self._at) & IDLE)

    def moved(self):
        """Return the bytes that a finished transfer to memory has brought."""
        return self._dma.read(self._at + LENGTH) & self._dma.entry["max_bytes"]

    def state(self):
        """Describe it for a message."""
        return f"{self._dma.name} DMASR {self._dma.read(self._at + DMASR):#x}"


def repeat(dma, data, allocate):
    """Send one frame over and over, without the processor, until the DMA is reset.

    Args:
        dma: With scatter-gather, reset before.
        data: Bytes of the frame.
        allocate: Returns a buffer of the given number of bytes, see `shellgen_board`.

    Returns:
        Its buffers, which must live as long as it runs.
    """
    frame, ring = allocate(len(data)), allocate(2 * DESCRIPTOR)
    frame.data[: len(data)] = data
    for buffer, size in ((frame, len(data)), (ring, 2 * DESCRIPTOR)):
        dma.check(buffer.address, size)
    first = ring.address
    control = len(data) | FIRST | LAST
    words = b""
    for following in (first + DESCRIPTOR, first):
        words += struct.pack("<QQQQ32x", following, frame.address, 0, control)
    ring.data[: len(words)] = memoryview(words)
    frame.flush()
    ring.flush()
    dma.write_address(MM2S + CURDESC, first)
    dma.run(MM2S, CYCLIC)
    # Any address that no descriptor has: the ring never comes to its end.
    dma.write_address(MM2S + TAILDESC, first + 2 * DESCRIPTOR)
    return frame, ring
