# SPDX-License-Identifier: BSD-3-Clause
"""Access to registers at physical addresses, for host programs.

A bus has ``read(address)`` and ``write(address, value)``; values have 32 bits. Standard library only,
Python 3.8.
"""

import argparse
import json
import mmap
import os
import stat

MOST_FRAMES = (1 << 32) - 1  # as the core counts them
LONGEST = 10_000_000  # seconds that may be waited for anything


class HostError(Exception):
    """A program of the host stopped; the message says where and why."""


class BusError(HostError):
    """An access was answered with an error; raised by `read` and `write` of a bus."""

    def __init__(self, address, answer):
        super().__init__(f"address {address:#x} was answered with {answer}")
        self.address = address


def printable(text, most=200):
    """Return third-party text for a message: without control characters, and shortened."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:most])
    return shown if len(text) <= most else shown + "..."


def parse_json(text):
    """Return what JSON holds; ValueError if it is none, however deep or long what it says is."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def open_file(path):
    """Open a regular file for reading; a pipe or a device is refused, since it might never end, or begin."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise HostError(f"{path}: it is no file")
    return os.fdopen(handle, "rb")


class Parser(argparse.ArgumentParser):
    """A parser that reports a wrong command line in one line, as the programs report everything else."""

    def error(self, message):
        name = self.prog[:-3] if self.prog.endswith(".py") else self.prog
        self.exit(2, f"{name}: {printable(message)}; --help lists the options\n")


def positive(text):
    """Return a number of frames of the command line."""
    value = int(text)
    if not 1 <= value <= MOST_FRAMES:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to {MOST_FRAMES}")
    return value


def seconds(text):
    """Return a time of the command line."""
    value = float(text)
    if not 0 < value <= LONGEST:
        raise argparse.ArgumentTypeError(f"{text} is not above 0, and {LONGEST} at most")
    return value


class DeviceBus:
    """Accesses to registers at physical addresses through a device such as /dev/mem.

    Each access is as wide as a slot: 32 bits, or 64 where a register is the lower half of 64.

    An address that the interconnect answers with an error ends the process with SIGBUS on ARM: check the
    build id first (`Core.check` does), and use the bridge where that matters; it keeps errors in a register.
    """

    def __init__(self, path, base, span, slot_bytes=4):
        page = mmap.PAGESIZE
        self._base = base // page * page
        try:
            handle = os.open(path, os.O_RDWR | getattr(os, "O_SYNC", 0))
        except OSError as error:
            raise HostError(f"{path}: {error.strerror}") from None
        try:
            self._map = mmap.mmap(handle, base + span - self._base, offset=self._base)
        except ValueError:
            raise HostError(f"{path}: it ends before {base + span:#x}") from None
        except OSError as error:
            raise HostError(f"{path}: {error.strerror}") from None
        finally:
            os.close(handle)
        # One aligned access each, which a byte-wise copy would not be.
        self._words = memoryview(self._map).cast("Q" if slot_bytes == 8 else "I")
        self._slot_bytes = slot_bytes

    def read(self, address):
        return self._words[(address - self._base) // self._slot_bytes] & 0xFFFFFFFF

    def write(self, address, value):
        self._words[(address - self._base) // self._slot_bytes] = value


class WindowBus:
    """Several windows of the address space, each with a bus of its own.

    Args:
        windows: (base, bytes, bus) of each.
    """

    def __init__(self, windows):
        self._windows = [(base, base + size, as_bus(bus)) for base, size, bus in windows]

    def _find(self, address):
        for first, end, bus in self._windows:
            if first <= address < end:
                return bus
        raise BusError(address, "nothing: no window holds it")

    def read(self, address):
        return self._find(address).read(address)

    def write(self, address, value):
        self._find(address).write(address, value)


class _MmioBus:
    """PYNQ's MMIO, which counts from its own base."""

    def __init__(self, mmio):
        self._mmio = mmio

    def read(self, address):
        return self._mmio.read(address - self._mmio.base_addr)

    def write(self, address, value):
        self._mmio.write(address - self._mmio.base_addr, value)


def as_bus(bus):
    """Return a bus for physical addresses; PYNQ's ``MMIO``, and a driver that has one, will do."""
    mmio = getattr(bus, "mmio", bus)
    return _MmioBus(mmio) if hasattr(mmio, "base_addr") else bus
