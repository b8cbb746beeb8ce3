# SPDX-License-Identifier: BSD-3-Clause
"""The node of a board without a server, by libshellgen_host."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen_host.errors import InputError, NodeError
from shellgen_host.native_calls import WORD, Bus, Calls, OwnMemory
from shellgen_host.native_library import NAME, VARIABLE, library
from shellgen_host.native_types import BARRIER, VERSION, BringUpJob, LoadJob, Options, RunJob, Stream, Value
from shellgen_host.packing import Layout


@dataclass(frozen=True)
class Loaded:
    """Memories that had a file, and their registers."""

    memories: int
    registers: int


@dataclass(frozen=True)
class Ran:
    """Results of a run.

    Attributes:
        outputs: Packed frames (frames, bytes of a frame) of each stream that leaves, by boundary.
        batch: Frames of a transfer.
        marked: What the core says of results that are not what they should be, or "".
    """

    outputs: dict[str, npt.NDArray[np.uint8]]
    batch: int
    marked: str


OPTIONS = frozenset({"registers", "buffers", "sysfs", "weights", "device", "xclbin"})


class NativeNode:
    """The core of a node, by this process itself: no server, no connection. Use it in a ``with``.

    Args:
        memory_map: memory_map.json of the node or of the cluster.
        node: Its name.
        bus: Registers of your own, instead of those of a board or card.
        memory: Memory of your own beside it, if frames are moved.
        answered: What `bus` raises when an access is answered with an error.
        options: As of shellgen-node: one of `OPTIONS` each.

    Raises:
        InputError: There is no library, or no such node or device.
    """

    def __init__(
        self,
        memory_map: Path | str,
        node: str,
        *,
        bus: Bus | None = None,
        memory: OwnMemory | None = None,
        answered: tuple[type[Exception], ...] = (OSError,),
        **options: Path | str | None,
    ) -> None:
        if unknown := sorted(options.keys() - OPTIONS):
            raise InputError(f"{unknown[0]}: there is no such option; there are {', '.join(sorted(OPTIONS))}")
        self._library, self._handle = library(), ctypes.c_void_p()
        if self._library is None:
            found = f"{NAME}: it is not there; compile it (docs/host.md) and name it by {VARIABLE}"
            raise InputError(f"{found}, or use host/run_{node}.py")
        self.name, self._calls = node, Calls(answered)
        own = self._calls.registers(bus) if bus is not None else None
        own_memory = self._calls.memory(memory) if memory is not None else None
        self._kept = own, own_memory  # ctypes would free their functions
        given = Options(
            size=ctypes.sizeof(Options),
            version=VERSION,
            map=os.fsencode(memory_map),
            node=node.encode(),
            own_registers=ctypes.pointer(own) if own else None,
            own_memory=ctypes.pointer(own_memory) if own_memory else None,
            **{name: os.fsencode(value) if value is not None else None for name, value in options.items()},
        )
        opened = self._library.shellgen_open(ctypes.byref(given), ctypes.byref(self._handle))
        if opened:
            wrong = self._error()
            self.close()
            raise InputError(wrong)
        self.streams = [self._stream(index) for index in range(self._library.shellgen_streams(self._handle))]
        self._map, self._layouts = Path(memory_map), dict[int, Layout]()

    def __enter__(self) -> NativeNode:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Give the board back."""
        if self._handle:
            self._library.shellgen_close(self._handle)
            self._handle = ctypes.c_void_p()

    def _error(self) -> str:
        return str(self._library.shellgen_error(self._handle).decode(errors="replace"))

    def _do(self, name: str, *arguments: Any) -> None:
        if not self._handle:
            raise InputError(f"node {self.name}: it is closed")
        wrong = getattr(self._library, f"shellgen_{name}")(self._handle, *arguments)
        self._calls.end()
        if wrong:
            raise NodeError(self._error())

    def _stream(self, index: int) -> Stream:
        found = Stream(size=ctypes.sizeof(Stream))
        self._do("stream", index, ctypes.byref(found))
        return found

    @property
    def builds(self) -> tuple[int, int]:
        """Builds of the map and of the core."""
        found = ctypes.c_uint64(), ctypes.c_uint64()
        self._do("build", *map(ctypes.byref, found))
        return found[0].value, found[1].value

    def check(self) -> None:
        """Raise NodeError unless the core is the build of the map."""
        self._do("check")

    def read(self, address: int) -> int:
        """Return a register."""
        found = ctypes.c_uint32()
        self._do("read", address, ctypes.byref(found))
        return found.value

    def write(self, address: int, value: int) -> None:
        """Write a register."""
        if not 0 <= value <= WORD:
            raise InputError(f"value: {value} has more than 32 bits")
        self._do("write", address, value)

    def load(
        self,
        folder: Path | str,
        *,
        check: bool = False,
        partial: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> Loaded:
        """Write the memories and read them back, or compare them only.

        Args:
            folder: Has ``<region>.dat``, or files by FINN's names.
            check: Compare only.
            partial: Not every memory needs a file.
            progress: Called with what is done, and of how much.
        """
        tell = self._calls.tell(progress)
        job = LoadJob(ctypes.sizeof(LoadJob), os.fsencode(folder), check, partial, tell, None, 0, 0)
        self._do("load", ctypes.byref(job))
        return Loaded(job.memories, job.registers)

    def share(self, frames: int, stream: int, absent: Sequence[str] = ()) -> int:
        """Return how many of the node's frames a stream has; `absent` are replicas without a turn."""
        job, _kept = _run_job(frames, absent)
        found = ctypes.c_uint64()
        self._do("share", ctypes.byref(job), stream, ctypes.byref(found))
        return found.value

    def layout(self, stream: int) -> Layout:
        """Return the packing of a stream's frames."""
        if stream in self._layouts:
            return self._layouts[stream]
        try:
            nodes = json.loads(self._map.read_bytes())["nodes"]
            streams = next(one["streams"] for one in nodes if one["name"] == self.name)
            self._layouts[stream] = Layout.of(streams[stream])
        except (ValueError, LookupError, TypeError, StopIteration, RecursionError):
            found = f"{self._map}: stream {stream} of node {self.name} has no layout"
            raise InputError(f"{found}; generate the folder again") from None
        return self._layouts[stream]

    def run(  # noqa: PLR0913 - of a run
        self,
        inputs: Mapping[str, npt.ArrayLike],
        frames: int = 0,
        *,
        batch: int = 0,
        timeout: float = 10.0,
        absent: Sequence[str] = (),
        packed: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> Ran:
        """Move frames through the core, from a reset to a rest.

        Args:
            inputs: Values (frames, *shape of a frame) by boundary or port.
            frames: Of the node; 0: as many as the first input has.
            batch: Frames of a transfer; 0: chosen.
            timeout: Seconds without movement that end it.
            absent: Replicas without a turn.
            packed: Inputs are bytes (frames, bytes of a frame).
            progress: Called with the frames that have come through all streams, and their number.
        """
        given = self._inputs(inputs, packed=packed)
        total = frames or self._frames(given, absent)
        data, outputs = self._data(given, total, absent, exact=not frames)
        job, kept = _run_job(total, absent)
        job.batch, job.timeout, job.progress = batch, timeout, self._calls.tell(progress)
        pointers = (ctypes.c_void_p * len(data))(
            *(one.ctypes.data if one is not None else None for one in data)
        )
        job.data, job.streams = ctypes.cast(pointers, ctypes.c_void_p), len(data)
        self._do("run", ctypes.byref(job))
        del kept
        return Ran(outputs, job.batch_used, self._error() if job.marked else "")

    def _inputs(
        self, inputs: Mapping[str, npt.ArrayLike], *, packed: bool
    ) -> dict[int, npt.NDArray[np.uint8]]:
        entering = {i: one for i, one in enumerate(self.streams) if one.enters and one.moved}
        found = {}
        for name, values in inputs.items():
            at = next((i for i, one in entering.items() if name in (one.name, one.port_name)), None)
            if at is None:
                known = ", ".join(one.name for one in entering.values())
                raise InputError(f"{name}: no stream of this name enters node {self.name}; it has {known}")
            layout = self.layout(at)
            array = np.asarray(values) if packed else layout.pack(layout.frames(values))
            if packed and (
                array.dtype != np.uint8 or array.ndim != 2 or array.shape[1] != layout.frame_bytes
            ):
                found_array = f"{name}: its array is {array.dtype} {array.shape}"
                raise InputError(f"{found_array}; give uint8 (frames, {layout.frame_bytes})")
            found[at] = np.ascontiguousarray(array)
        return found

    def _frames(self, given: dict[int, npt.NDArray[np.uint8]], absent: Sequence[str]) -> int:
        """Return as many as an input has that has no share of them only."""
        for index, array in given.items():
            if len(array) and self.share(len(array), index, absent) == len(array):
                return len(array)
        raise InputError(f"no stream tells how many frames enter node {self.name}: give frames")

    def _data(
        self, given: dict[int, npt.NDArray[np.uint8]], frames: int, absent: Sequence[str], *, exact: bool
    ) -> tuple[list[npt.NDArray[np.uint8] | None], dict[str, npt.NDArray[np.uint8]]]:
        data: list[npt.NDArray[np.uint8] | None] = []
        outputs = {}
        for index, stream in enumerate(self.streams):
            array, share = given.get(index), self.share(frames, index, absent)
            if array is not None and (len(array) < share or (exact and len(array) != share)):
                text = f"{stream.name}: it has {len(array)} frames, and {share} are sent"
                raise InputError(text)
            if stream.moved and not stream.enters:
                array = outputs[stream.name] = np.zeros((share, stream.frame_bytes), np.uint8)
            data.append(array)
        return data, outputs


def _run_job(frames: int, absent: Sequence[str]) -> tuple[RunJob, Any]:
    names = (ctypes.c_char_p * len(absent))(*(name.encode() for name in absent))
    job = RunJob(size=ctypes.sizeof(RunJob), frames=frames, absent_count=len(absent))
    job.absent = ctypes.cast(names, ctypes.c_void_p)
    return job, names


def bring_up(
    nodes: Iterable[NativeNode],
    given: Mapping[str, int] | None = None,
    *,
    phase: int = 0,
    timeout: float = 10.0,
    barrier: Callable[[], object] | None = None,
) -> int:
    """Do what links need before the first frame; return the number of steps.

    Args:
        nodes: Opened with the same map.
        given: Values that only you know, by name.
        phase: From 1; 0 for all.
        timeout: Seconds to wait for a register.
        barrier: Returns when all nodes of the cluster have come so far.
    """
    every = list(nodes)
    if not every:
        raise InputError("no node is given to bring up")
    first, values = every[0], given or {}
    if wrong := next((name for name, value in values.items() if not 0 <= value <= WORD), None):
        raise InputError(f"{wrong}: a value has 32 bits")
    told = (Value * len(values))(*(Value(name.encode(), value) for name, value in values.items()))
    calls = first._calls
    wait = BARRIER(lambda _: calls.attempt(barrier)) if barrier else BARRIER()
    job = BringUpJob(ctypes.sizeof(BringUpJob), told, len(values), phase, timeout, wait, None, 0)
    handles = (ctypes.c_void_p * len(every))(*(one._handle for one in every))
    result = first._library.shellgen_bring_up(handles, len(every), ctypes.byref(job))
    for one in every:
        one._calls.end()
    if result:
        raise NodeError(first._error())
    return int(job.done)
