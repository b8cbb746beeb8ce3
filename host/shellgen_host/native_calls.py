# SPDX-License-Identifier: BSD-3-Clause
"""Callbacks of libshellgen_host: registers and memory of Python, and progress."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from shellgen_host.native_types import ALLOCATE, PROGRESS, READ, USE, WRITE, Buffer, Memory, Registers

WORD = (1 << 32) - 1


class Bus(Protocol):
    """Registers of your own, 32 bits each; an access that is answered with an error raises."""

    def read(self, address: int) -> int:
        """Return a register."""

    def write(self, address: int, value: int) -> None:
        """Write one."""


class OwnBuffer(Protocol):
    """Memory that DMAs reach: ``data`` for the processor, ``address`` for them."""

    address: int
    data: npt.NDArray[np.uint8]

    def flush(self) -> None:
        """Let a DMA see what the processor has written."""

    def invalidate(self) -> None:
        """Let the processor see what a DMA has written."""

    def free(self) -> None:
        """Give it back."""


class OwnMemory(Protocol):
    """A source of such buffers."""

    def allocate(self, size: int) -> OwnBuffer:
        """Return a buffer."""


class Calls:
    """Callbacks into Python; C carries no exception, so the first is kept and raised afterwards."""

    def __init__(self, answered: tuple[type[Exception], ...]) -> None:
        self._answered = answered
        self.raised: BaseException | None = None
        self._buffers: dict[int, OwnBuffer] = {}

    def attempt(self, access: Callable[[], object]) -> int:
        """Return 0, or -1 if it raised."""
        try:
            access()
        except self._answered:
            return -1
        except BaseException as error:
            self.raised = self.raised or error
            return -1
        return 0

    def registers(self, bus: Bus) -> Registers:
        """Return a bus as C sees it."""

        def read(_: Any, address: int, value: Any) -> int:
            return self.attempt(lambda: value.__setitem__(0, bus.read(address) & WORD))

        def write(_: Any, address: int, value: int) -> int:
            return self.attempt(lambda: bus.write(address, value))

        return Registers(ctypes.sizeof(Registers), None, READ(read), WRITE(write))

    def memory(self, memory: OwnMemory) -> Memory:
        """Return memory as C sees it."""

        def allocate(_: Any, size: int, buffer: Any) -> int:
            def act() -> None:
                made = memory.allocate(size)
                data = made.data.ctypes.data
                self._buffers[data] = made
                buffer[0] = Buffer(data, made.address, size)

            return self.attempt(act)

        def use(name: str, last: bool = False) -> Any:
            def act(data: int) -> None:
                found = self._buffers.pop(data) if last else self._buffers[data]
                getattr(found, name)()

            return USE(lambda _, buffer: self.attempt(lambda: act(buffer[0].data)) and None)

        size = ctypes.sizeof(Memory)
        return Memory(size, None, ALLOCATE(allocate), use("flush"), use("invalidate"), use("free", last=True))

    def tell(self, progress: Callable[[int, int], object] | None) -> Any:
        """Return the callback for progress: also where nobody asks for it, as Ctrl-C is seen there."""
        return PROGRESS(lambda _, done, of: self.attempt(lambda: progress(done, of) if progress else None))

    def end(self) -> None:
        """Raise what a callback has raised."""
        raised, self.raised = self.raised, None
        if raised:
            raise raised
