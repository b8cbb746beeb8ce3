# SPDX-License-Identifier: BSD-3-Clause
"""The interfaces of a partition: its streams, its AXI-Lite slaves and what lies behind them, other ports."""

from __future__ import annotations

from math import prod
from typing import Literal

from shellgen.model.base import Frozen
from shellgen.model.element import ElementType
from shellgen.model.names import DataType, Line, Name

StreamRole = Literal["data", "weights"]


class StreamPort(Frozen):
    """One AXI4-Stream port of a partition.

    A word carries ``elements_per_word`` elements of ``element_bits`` bits, element 0 in the least
    significant bits, padded with zero to ``tdata_bits``. ``datatype`` and the shapes are None only
    when the build has no ONNX and cluster.toml does not state them; planning then refuses.

    Attributes:
        name: Interface name, e.g. ``s_axis_0``.
        direction: ``in`` for a slave port, ``out`` for a master port, seen from the partition.
        tdata_bits: Width of TDATA in bits (a whole number of bytes).
        ports: Verilog port by upper-case AXI signal: TDATA, TVALID, TREADY and, if present, TLAST, TKEEP.
        datatype: QONNX name of the element type.
        normal_shape: Tensor shape of one frame, innermost last.
        folded_shape: The same elements with the innermost dimension split into (fold, elements per word).
        role: ``weights`` for a port that takes the weights of a layer (FINN: mem_mode external) from memory;
            its frame is one pass over all of them, word by word as a weight memory would hold them.
        passes: How often its frame repeats for one inference: 1, but for weights once for every input vector
            of the layer.
        layer: Node of the ONNX at this port; empty if the build does not tell. For messages only.

    Source: folded shapes and packing of FINN's operators.
    """

    name: Name
    direction: Literal["in", "out"]
    tdata_bits: int
    ports: dict[Name, Name]
    datatype: DataType | None = None
    normal_shape: tuple[int, ...] | None = None
    folded_shape: tuple[int, ...] | None = None
    role: StreamRole = "data"
    passes: int = 1
    layer: Line = ""

    @property
    def carries_weights(self) -> bool:
        """Memory sends one frame of weights again and again; otherwise each frame is data of its own."""
        return self.role == "weights"

    @property
    def marked(self) -> bool:
        """Whether the partition has a TLAST input for the last word of a frame."""
        return self.direction == "in" and "TLAST" in self.ports

    @property
    def element(self) -> ElementType:
        """Element type; only after planning has checked that it is known."""
        assert self.datatype is not None
        return ElementType.parse(self.datatype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Folded shape; only after planning has checked that it is known."""
        assert self.folded_shape is not None
        return self.folded_shape

    @property
    def elements_per_word(self) -> int:
        """Elements in one stream word (FINN: PE or SIMD)."""
        return self.shape[-1]

    @property
    def words_per_frame(self) -> int:
        """Stream words of one frame."""
        return prod(self.shape[:-1])

    @property
    def elements_per_frame(self) -> int:
        """Elements of one frame."""
        return prod(self.shape)

    @property
    def payload_bits(self) -> int:
        """Bits of a word that carry data; the rest of TDATA is padding."""
        return self.element.bits * self.elements_per_word


class Memory(Frozen):
    """The memory behind an AXI-Lite slave of a partition, as FINN lays it out.

    Word ``i`` occupies ``lanes`` 32-bit registers from byte ``4 * lanes * i``, least significant
    first; bits above ``word_bits`` are padding. Thresholds are spaced by powers of two, so some words
    have no storage: word ``i`` has if ``i % row_words < row_used`` and
    ``i // row_words % group_rows < group_used``.

    Attributes:
        layer: FINN node name.
        op_type: FINN operator, e.g. ``MVAU_rtl``.
        kind: ``weights`` (memstream) or ``thresholds``.
        word_bits: Payload bits of one memory word.
        element_bits: Bits of one weight or threshold.
        pe: Output channels of a word, channel 0 in the least significant bits.
        simd: Elements of a word per output channel, element 0 lowest (for thresholds: steps).
        words: Number of words, those without storage included.
        lanes: 32-bit registers per word, a power of two.
        row_words: Words of a row (for thresholds: of a channel).
        row_used: Those of them with storage, from the first.
        group_rows: Rows of a group (for thresholds: the channels of one fold).
        group_used: Those of them with storage, from the first.

    Source: FINN's memstream and Thresholding_rtl.
    """

    layer: Line
    op_type: Line
    kind: Literal["weights", "thresholds"]
    word_bits: int
    element_bits: int
    pe: int
    simd: int
    words: int
    lanes: int
    row_words: int = 1
    row_used: int = 1
    group_rows: int = 1
    group_used: int = 1


class AxiLitePort(Frozen):
    """One AXI-Lite slave of a partition.

    Attributes:
        name: Interface name, e.g. ``s_axilite_0``.
        addr_bits: Width of AWADDR, so the window is ``2**addr_bits`` bytes.
        data_bits: 32 or 64.
        ports: Verilog port by upper-case AXI signal (AWADDR, AWPROT, ...); AWPROT/ARPROT may be absent.
        memory: What lies behind it, when the ONNX tells.
    """

    name: Name
    addr_bits: int
    data_bits: int
    ports: dict[Name, Name]
    memory: Memory | None = None


class OtherPort(Frozen):
    """A port that belongs to no interface: an input is tied to zero, an output is left open."""

    name: Name
    direction: Literal["in", "out"]
    bits: int
