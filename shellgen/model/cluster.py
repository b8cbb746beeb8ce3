# SPDX-License-Identifier: BSD-3-Clause
"""cluster.toml: which partition sits on which board, and how the boards are joined."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PositiveInt

from shellgen.model.axilite import REGISTER_BYTES
from shellgen.model.base import Frozen
from shellgen.model.board import MemoryPortName
from shellgen.model.names import Line
from shellgen.model.port import StreamRole


def _identifier(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,23}", value):
        # Vivado warns above 25 characters (BD 41-1753); the name becomes a module and a cell.
        raise ValueError("expected a Verilog identifier of at most 24 characters")
    return value


Identifier = Annotated[str, AfterValidator(_identifier)]


class ReservedRange(Frozen):
    """Bytes of a node's register window that belong to something else, from the window's first byte."""

    offset: Annotated[int, Field(ge=0)]
    bytes: PositiveInt


class LiteSpec(Frozen):
    """``[node.lite]``: how the host reaches the registers of a node.

    Attributes:
        window: Bytes that the host can reach, when fewer than the board has.
        reserved: Parts of the window that no register may take.
        access: ``direct`` gives every memory addresses of its own in the window; ``bridge`` puts the
            memories behind a bridge (page and aperture, address and data), whatever the window holds.
        slot: Bytes of the window that one 32-bit register takes. 8 is for shells whose host makes 64-bit
            accesses only, such as Coyote's: half of the window is lost. ``window`` and ``reserved`` count
            the host's bytes in either case.
    """

    window: Annotated[int, Field(ge=64)] | None = None
    reserved: tuple[ReservedRange, ...] = ()
    access: Literal["direct", "bridge"] = "direct"
    slot: Literal[4, 8] = 4

    @property
    def scale(self) -> int:
        """The host's bytes for each byte of the core's own space."""
        return self.slot // REGISTER_BYTES


Strategy = Literal["default", "performance", "area"]
Interrupts = Literal["intc", "direct", "none"]


# What validation may say and a script of ours stops at.
DesignMessage = Literal[
    "BD 41-1276", "BD 41-737", "BD 41-759", "BD 41-967", "BD 41-1347", "BD 41-1348", "BD 41-1356"
]


class VivadoSpec(Frozen):
    """``[node.vivado]``: how Vivado builds a node. Nothing here changes what the core computes.

    Attributes:
        strategy: What the runs optimise for; ``performance`` takes the settings of FINN's own Zynq builds.
        ila: Samples that a logic analyser keeps of every stream that enters or leaves the core; 0: none.
        compress: Make the bitstream smaller, so that it loads faster.
        accept: Messages about the block design that are not to stop the build, such as those that the preset
            of a board causes.
        interrupts: How those of the DMAs reach the processor: ``intc`` by an AXI interrupt controller, which
            PYNQ needs; ``direct`` each by a line of its own; ``none``.
        memory_port: Port of the processing system through which the DMAs reach memory; HPC ports look into
            the processor's caches. The board's, if left out.
    """

    strategy: Strategy = "default"
    ila: Literal[0, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072] = 0
    compress: bool = True
    accept: tuple[DesignMessage, ...] = ()
    interrupts: Interrupts = "intc"
    memory_port: MemoryPortName | None = None


class NodeSpec(Frozen):
    """``[[node]]``: one board and the partitions on it (by index in network order, or by name).

    ``fit`` says what happens when FINN's reports and the shell make more than the board has: ``check``
    refuses, ``warn`` goes on, for those who know better than an estimate.
    """

    name: Identifier
    board: Line
    partitions: tuple[int | Line, ...]
    clock_mhz: Annotated[float, Field(gt=0)] | None = None
    lite: LiteSpec = LiteSpec()
    vivado: VivadoSpec = VivadoSpec()
    fit: Literal["check", "warn"] = "check"


class LinkSpec(Frozen):
    """``[[link]]``: a stream between partitions, or how an edge of the parent ONNX is to be carried.

    ``from_`` and ``to`` are ``<partition>.<port>``; ``<partition>`` alone means its only port on that
    side. ``kind`` may be left out where the two boards share exactly one. ``depth`` is that of the FIFO of a
    stream inside a board, in the producer's words; without it, streams that part and meet again hold a frame.
    """

    from_: Line = Field(alias="from")
    to: Line
    kind: Line | None = None
    packing: Literal["dense", "finn"] | None = None
    depth: Annotated[int, Field(ge=2)] | None = None


class StreamSpec(Frozen):
    """``[[stream]]``: what a build without ONNX does not tell about one stream port.

    For a port with ``role = "weights"``, ``shape`` is that of one pass, (words, elements of a word), and
    ``passes`` the number of input vectors of its layer.
    """

    port: Line
    datatype: Annotated[Line, Field(min_length=1)]
    shape: Annotated[tuple[PositiveInt, ...], Field(min_length=1)]
    elements_per_word: PositiveInt
    role: StreamRole = "data"
    passes: PositiveInt = 1


class WeightsSpec(Frozen):
    """``[[weights]]``: the values that memory sends to a weights port.

    Attributes:
        port: ``<partition>.<port>``.
        file: ``.npy``, relative to cluster.toml: either the values, of any shape that flattens to one pass in
            the order in which a weight memory holds them (FINN's ``decoupled_npy``: MH/PE outer, MW/SIMD
            inner, then PE-major); or FINN's ``runtime_weights/<idma>.npy``, a row of bytes in which
            every word is filled up to whole bytes.
    """

    port: Line
    file: Line


def _files(value: object) -> object:
    """One name stands for the only stream on its side."""
    found = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value
    names = tuple(found.values()) if isinstance(found, dict) else found
    if not isinstance(names, tuple) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError("expected a file, a list of files, or a table of ports and their files")
    return found


Files = Annotated[tuple[Line, ...] | dict[Line, Line], BeforeValidator(_files)]


class VerifySpec(Frozen):
    """``[verify]``: vectors for the golden proof, ``.npy`` of shape (frames, *normal shape).

    Attributes:
        input: A file for each stream that the host sends, by ``<partition>.<port>`` or in network order.
        output: The same for those that it receives; what is left out is computed from the models.
    """

    input: Files
    output: Files | None = None


class ClusterSpec(Frozen):
    """The whole file.

    Attributes:
        name: Name of the cluster, used for generated file names.
        build: FINN build: a parent ONNX, or a folder that holds one folder per partition;
            relative to cluster.toml.
        packing: Default packing of all links.
    """

    name: Identifier = "cluster"
    build: Line
    packing: Literal["dense", "finn"] = "dense"
    node: tuple[NodeSpec, ...]
    link: tuple[LinkSpec, ...] = ()
    stream: tuple[StreamSpec, ...] = ()
    weights: tuple[WeightsSpec, ...] = ()
    verify: VerifySpec | None = None
