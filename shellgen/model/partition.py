# SPDX-License-Identifier: BSD-3-Clause
"""A FINN-built partition as the rest of shellgen sees it, and the network that partitions form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from pydantic import NonNegativeInt

from shellgen.model.base import Frozen
from shellgen.model.flow import Course, Flow, Pace
from shellgen.model.names import Line, Name
from shellgen.model.port import AxiLitePort, OtherPort, StreamPort
from shellgen.model.source import DspLayer, MissingModule, PackagedIp, SourceFile
from shellgen.model.usage import Estimate

LayerSource = Literal["measured", "report", "estimate", "formula", "unknown"]
JunctionKind = Literal["relay", "broadcast", "concat", "sum", "deal", "gather"]
JoinKind = Literal["concat", "sum"]
Registers = Callable[[], list[int] | None]
ABSENT = "absent"  # input of a deal or a gather: a bit for each replica that is out


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
        layer_cycles: Cycles of a frame for each of ``layers``; None where neither the build nor its folding
            tells.
        layer_sources: The source of each.
        flows: Words and cycles from each input of data to each output, if the build tells of its layers.
        course: Need curves by its steps, if all its layers are RTL of known kinds.
        pace: Cycles from frame to frame where all of its layers are of a known kind, and not too large.
        part: Xilinx part that it was built for, if the build tells.
        dsp_layers: Layers that only devices with one kind of DSP slice can have.
        lost_weights: Layers whose memories hold noise, because neither their files nor a model are there.
        uram_weights: Layers whose weights lie in URAM, which starts with zeros: the host loads them first.
        takes: What it takes of a device, if a report of FINN's tells.
        slr: Super logic region in which FINN's floorplan has it, if the build tells.
        junction: Why shellgen generated it: ``relay`` forwards a stream through a node, ``broadcast`` copies
            one to several consumers, ``concat`` joins streams along the channels, ``sum`` element by element,
            ``deal`` hands whole frames to replicas in turn, ``gather`` takes them from replicas in turn; None
            of a partition of the network.
        pattern: Of a deal or gather, the stream of each frame in turn, by its number among those of its side.
        copy_of: The partition of a node's first replica that it is a copy of.
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
    layer_cycles: tuple[NonNegativeInt | None, ...] = ()
    layer_sources: tuple[LayerSource, ...] = ()
    flows: tuple[Flow, ...] = ()
    course: Course | None = None
    pace: Pace | None = None
    part: Line | None = None
    dsp_layers: tuple[DspLayer, ...] = ()
    missing: tuple[MissingModule, ...] = ()
    lost_weights: tuple[Line, ...] = ()
    uram_weights: tuple[Line, ...] = ()
    packaged: PackagedIp | None = None
    takes: Estimate | None = None
    slr: NonNegativeInt | None = None
    junction: JunctionKind | None = None
    pattern: tuple[NonNegativeInt, ...] = ()
    copy_of: Name | None = None
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
    def slowest_cycles(self) -> int | None:
        """Cycles of the slowest layer, as far as they are known: with many frames in flight, the period."""
        return max(filter(None, self.layer_cycles), default=None)

    @property
    def summed_cycles(self) -> int:
        """Cycles of all layers one after the other, as far as they are known: no frame takes longer alone."""
        return sum(filter(None, self.layer_cycles))

    @property
    def takes_turns(self) -> bool:
        """Whether replicas have their turns here, and one of them may be out."""
        return self.junction in ("deal", "gather")

    @property
    def merges(self) -> bool:
        """Whether a gather has no pattern, since the numbers of its frames are compared in front of it."""
        return self.junction == "gather" and not self.pattern

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes for the user: unconnected ports, and why it cannot be simulated."""
        tied = [one.name for one in self.others if one.direction == "in" and self.junction is None]
        left = [port.name for port in self.others if port.direction == "out"]
        told = [f"inputs tied to 0: {', '.join(tied)}"] if tied else []
        told += [f"outputs left open: {', '.join(left)}"] if left else []
        waiting = ", ".join(self.uram_weights)
        told += [f"URAM starts with zeros, so load the weights of {waiting} first"] if waiting else []
        return (*told, f"no simulator can run it: {self.black_box}") if self.black_box else tuple(told)

    def short(self, layer: str) -> str:
        """Return the name of a layer without that of the partition, which FINN puts in front."""
        return layer.removeprefix(f"{self.name}_")

    @property
    def timed(self) -> tuple[str, ...]:
        """Layers that have cycles; a partition whose layers nothing describes is one, with its own name."""
        return self.layers or (self.name,)

    def full(self, layer: str) -> str:
        """Return the name of a layer behind that of the partition, which no other layer of a plan has."""
        return f"{self.name}_{self.short(layer)}"

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
    """A stream from a producer's master port to a consumer's slave port.

    Attributes:
        producer: Master port.
        consumer: Slave port.
        join: How the consumer's streams are joined in front of it, in the order of their edges.
    """

    producer: Endpoint
    consumer: Endpoint
    join: JoinKind | None = None


class Network:
    """The result of `shellgen.read`.

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
        tensors: The model's name of each stream that the host sends or receives, in the model's order; empty
            if no ONNX tells.
        builds: Names of the partitions of each build, if there are several.
        models: By partition, the stitched graph (`shellgen.read.finn_onnx.FinnModel`) that its sources were
            made from, or a sentence why there is none to be believed.
        host_models: Operators of the model that no board executes, as ONNX by file name.
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
        tensors: Mapping[Endpoint, str] | None = None,
        builds: tuple[tuple[str, ...], ...] = (),
        host_models: Mapping[str, bytes] | None = None,
    ) -> None:
        self.host_models = dict(host_models or {})
        self.partitions = partitions
        self.edges = edges
        self.files = files
        self.origin = origin
        self.registers = registers or {}
        self.weights = weights or {}
        self.models = models or {}
        self.tensors = tensors or {}
        self.builds = builds or (tuple(one.name for one in partitions),)
