# SPDX-License-Identifier: BSD-3-Clause
"""A FINN-built partition as the rest of shellgen sees it, and the network that partitions form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Literal

from shellgen.model.base import Frozen
from shellgen.model.element import ElementType
from shellgen.model.names import DataType, Digest, FileName, Line, Name
from shellgen.model.usage import Estimate

StreamRole = Literal["data", "weights"]
FileKind = Literal["verilog", "systemverilog", "header", "data", "netlist"]
Registers = Callable[[], list[int] | None]


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
    def marked(self) -> bool:
        """Whether the partition is to be told the last word of a frame."""
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


class SourceFile(Frozen):
    """A file of a partition's implementation.

    Attributes:
        name: File name in the generated project (unique within a node, no folder).
        kind: What a tool does with it. ``data`` files are read by ``$readmemh`` under exactly this name;
            ``netlist`` is what only Vivado can read (.dcp, .edf, .edn, .edif, .ngc).
        sha256: Of the bytes, and the key in `Network.files`.
        mended: Why it differs from the build's own file; empty if it does not.
    """

    name: FileName
    kind: FileKind
    sha256: Digest
    mended: tuple[Line, ...] = ()


class MissingModule(Frozen):
    """A module that a partition instantiates and none of its sources defines.

    Attributes:
        module: Its name.
        file: Source that instantiates it, by its name in the generated project.
        line: Line there.
        certain: It stands outside every branch, so it is needed whatever the parameters are.
    """

    module: Line
    file: FileName
    line: int
    certain: bool


class DspLayer(Frozen):
    """A layer that instantiates a DSP slice by name.

    Attributes:
        layer: FINN node name.
        dsp: One of `shellgen.model.device.DSP_SLICES`.
    """

    layer: Line
    dsp: Line


class PackagedIp(Frozen):
    """The IP that a partition was packaged as.

    Attributes:
        vlnv: ``<vendor>:<library>:<name>:<version>`` in Vivado's catalogue.
        created: When Vivado packaged it, as in its component.xml: the next build has another.
    """

    vlnv: Line
    created: Line


class Partition(Frozen):
    """A partition: one Verilog top with its interfaces and sources.

    Attributes:
        name: Unique in the network, e.g. ``StreamingDataflowPartition_0``; a Verilog identifier.
        top: Module to instantiate.
        clock: Clock port.
        clock2x: Port of the clock of twice the frequency, when a layer is double-pumped.
        reset: Reset port, synchronous, active low.
        streams: All stream ports, inputs first, each side in index order.
        axilite: AXI-Lite slaves in index order.
        others: Ports outside any interface.
        sources: In the order in which a compiler must read them (packages first).
        layers: FINN node names in graph order.
        black_box: Why no simulator can run it, e.g. ``conv.v is encrypted``; None if the RTL is there. Its
            ports are known all the same, so that everything around it can be made.
        cycles: Cycles that a frame spends in all layers one after the other, if the build tells.
        part: Xilinx part that it was built for, if the build tells.
        dsp_layers: Layers that only devices with one kind of DSP slice can have.
        lost_weights: Layers whose memories hold noise, because neither their files nor a model are there.
        uram_weights: Layers whose weights lie in URAM, which starts with zeros: the host loads them first.
        takes: What it takes of a device, if a report of FINN's tells.
        missing: Modules that it needs, or may need, and that none of its sources defines.
        packaged: The IP that its sources were packaged as, if its component.xml tells.
        origin: The folder or file it was read from, as the user wrote it, for messages.
    """

    name: Name
    top: Name
    clock: Name
    reset: Name
    clock2x: Name | None = None
    streams: tuple[StreamPort, ...]
    axilite: tuple[AxiLitePort, ...] = ()
    others: tuple[OtherPort, ...] = ()
    sources: tuple[SourceFile, ...]
    layers: tuple[Line, ...] = ()
    black_box: Line | None = None
    cycles: int | None = None
    part: Line | None = None
    dsp_layers: tuple[DspLayer, ...] = ()
    missing: tuple[MissingModule, ...] = ()
    lost_weights: tuple[Line, ...] = ()
    uram_weights: tuple[Line, ...] = ()
    packaged: PackagedIp | None = None
    takes: Estimate | None = None
    origin: Line

    @property
    def inputs(self) -> tuple[StreamPort, ...]:
        """Slave stream ports in index order."""
        return tuple(port for port in self.streams if port.direction == "in")

    @property
    def outputs(self) -> tuple[StreamPort, ...]:
        """Master stream ports in index order."""
        return tuple(port for port in self.streams if port.direction == "out")

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a user should know of it: ports that the shell does not serve, why no simulator runs it."""
        tied = [port.name for port in self.others if port.direction == "in"]
        left = [port.name for port in self.others if port.direction == "out"]
        told = [f"inputs tied to 0: {', '.join(tied)}"] if tied else []
        told += [f"outputs left open: {', '.join(left)}"] if left else []
        waiting = ", ".join(self.uram_weights)
        told += [f"URAM starts with zeros, so load the weights of {waiting} first"] if waiting else []
        return (*told, f"no simulator can run it: {self.black_box}") if self.black_box else tuple(told)

    def stream(self, name: str) -> StreamPort | None:
        """Return the stream port of this name."""
        return next((port for port in self.streams if port.name == name), None)


class Endpoint(Frozen):
    """One stream port of one partition."""

    partition: Name
    port: Name

    def __str__(self) -> str:
        return f"{self.partition}.{self.port}"


class Edge(Frozen):
    """A stream from a producer's master port to a consumer's slave port."""

    producer: Endpoint
    consumer: Endpoint


class Network:
    """What `shellgen.read` returns.

    Attributes:
        partitions: In network order.
        edges: From the parent ONNX; empty when the build has none (cluster.toml then states them).
        files: Content of every `SourceFile`, by sha256.
        origin: The build as the user wrote it, for messages.
        registers: By partition and interface, what returns the 32-bit registers that a host writes to load
            the model's own weights, or None if the models do not tell them. Packing takes its time, so it is
            left to those who want them.
        weights: One pass of each weights port whose values the models tell, a dense little-endian bit string
            filled up to bytes.
        models: By partition, the stitched graph (`shellgen.read.finn_onnx.FinnModel`) that its sources were
            made from, or a sentence why there is none to be believed.
    """

    def __init__(  # noqa: PLR0913 - what a build has, by keyword
        self,
        partitions: tuple[Partition, ...],
        edges: tuple[Edge, ...],
        files: dict[str, bytes],
        origin: str,
        registers: dict[tuple[str, str], Registers] | None = None,
        weights: dict[Endpoint, bytes] | None = None,
        models: Mapping[str, object] | None = None,
    ) -> None:
        self.partitions = partitions
        self.edges = edges
        self.files = files
        self.origin = origin
        self.registers = registers or {}
        self.weights = weights or {}
        self.models = models or {}
