# SPDX-License-Identifier: BSD-3-Clause
"""The board that a runner runs on: its registers, and memory that its DMAs reach. Python 3.8 or later.

A board has a ``bus`` and ``allocate(bytes)``. If the map lists neither DMAs nor movers, it also has
``engine(entry, timeout)``, which returns what moves the frames (see `shellgen_dma.Dmas`). A buffer has
``address`` (physical), ``data`` (bytes that can be written), ``flush()`` (what was written reaches the
memory), ``invalidate()`` (what the memory got is read) and ``free()``.
"""

import mmap
import os
from pathlib import Path

import numpy as np
from shellgen_bus import DeviceBus, HostError, WindowBus
from shellgen_core import slot_bytes


def windows(entry):
    """Return base, bytes and slot of all windows of a node's registers."""
    own = [(entry["base"], entry["span"], slot_bytes(entry))]
    return own + [(dma["base"], dma["size"], 4) for dma in entry["dma"]]


class PynqBoard:
    """PYNQ: buffers of its contiguous memory, and a bitstream if one is given.

    Args:
        entry: Of the node in the map.
        bitstream: ``.bit`` with its ``.hwh`` beside it; None leaves the FPGA as it is.
    """

    def __init__(self, entry, bitstream):
        try:
            import pynq  # noqa: PLC0415 - other boards have none
        except ImportError:
            raise HostError("PYNQ is not there; without it, give --buffers /dev/udmabuf0") from None
        self._pynq = pynq
        # Loading it is what sets the clocks of the programmable logic, too.
        self._overlay = pynq.Overlay(str(bitstream)) if bitstream else None
        self.bus = WindowBus([(base, size, pynq.MMIO(base, size)) for base, size, _ in windows(entry)])

    def allocate(self, size):
        """Return a buffer, on pages of its own."""
        return _PynqBuffer(self._pynq.allocate(shape=(size,), dtype="u1"))


class _PynqBuffer:
    def __init__(self, array):
        self._array = array
        self.address = int(array.physical_address)
        self.data = np.asarray(array)
        self.flush, self.invalidate = array.flush, array.invalidate
        self.free = array.freebuffer


class DeviceBoard:
    """Any Linux: registers by /dev/mem, buffers by one of u-dma-buf.

    Args:
        entry: Of the node in the map.
        device: /dev/mem.
        buffers: Device of u-dma-buf, opened without cache; sysfs has its address.
        sysfs: Where its class lies.
    """

    def __init__(self, entry, device, buffers, sysfs="/sys/class/u-dma-buf"):
        bus = [(base, size, DeviceBus(device, base, size, slot)) for base, size, slot in windows(entry)]
        self.bus = WindowBus(bus)
        told = Path(sysfs) / Path(buffers).name
        try:
            self._next = int((told / "phys_addr").read_text(), 0)
            size = int((told / "size").read_text(), 0)
        except (OSError, ValueError) as error:
            raise HostError(f"{buffers}: {told} does not tell its address and size: {error}") from None
        handle = os.open(buffers, os.O_RDWR | getattr(os, "O_SYNC", 0))
        try:
            self._map = np.frombuffer(mmap.mmap(handle, size), np.uint8)
        except ValueError:
            raise HostError(f"{buffers}: it is smaller than the {size} bytes that {told} tells") from None
        finally:
            os.close(handle)
        self._first, self._name = self._next, buffers

    def allocate(self, size):
        """Return the next piece, a multiple of 64 bytes; pieces are not given back."""
        at = (self._next + 63) // 64 * 64
        end = at + (size + 63) // 64 * 64
        if end - self._first > len(self._map):
            text = "{}: {} bytes are too few; give it more, or --batch less"
            raise HostError(text.format(self._name, len(self._map)))
        self._next = end
        return _Piece(at, self._map[at - self._first : at - self._first + size])


class _Piece:
    """Not cached: there is nothing to flush."""

    def __init__(self, address, data):
        self.address, self.data = address, data

    def flush(self):
        pass

    invalidate = free = flush
