# SPDX-License-Identifier: BSD-3-Clause
"""``bench/bench.json``: what `emit` tells the bench and `simulate` of a cluster's simulation.

The bench itself runs without this package; ``sim/bench_records.py`` has the same fields for it.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from shellgen.model.base import Frozen
from shellgen.model.names import BuildId, DataType, FileName, FilePath, Line, Name, Word
from shellgen.model.port import StreamRole

Count = Annotated[int, Field(ge=0, le=1 << 40)]
Address = Annotated[int, Field(ge=0, lt=1 << 64)]
Size = Annotated[int, Field(ge=1, le=1 << 40)]
Bits = Annotated[int, Field(ge=1, le=1 << 20)]
Side = Literal["made", "taken", "inner", "received", "mono_made"]


class BenchBeats(Frozen):
    """A file of link beats: what a source sends or a sink receives; ``bits`` is TDATA."""

    file: FileName
    bits: Bits


class BenchWords(BenchBeats):
    """A file of partition words: ``words`` make a frame, each with ``word_bits`` of payload."""

    word_bits: Bits
    words: Size


class BenchEnd(Frozen):
    """The partition port at an end of a boundary.

    Attributes:
        partition: Its partition.
        port: Its port.
        layer: The layer behind it; empty if unknown.
    """

    partition: Name
    port: Name
    layer: Line


class BenchBoundary(Frozen):
    """One boundary: how an element is coded, how a frame is laid out, and the files of its streams.

    Attributes:
        name: Of the boundary.
        link: Kind of its link; None inside a node.
        element_bits: Bits of an element.
        signed: Whether it is two's complement.
        low: Lowest value; -1 with one bit is BIPOLAR.
        high: Highest value.
        shape: Tensor shape of a frame.
        elements: Elements of a frame.
        elements_per_word: Elements of a word on the wire.
        wire_word_bits: Bits of such a word, its padding included.
        frame_bytes: Bytes of a frame on the wire.
        link_beats: Beats of a frame on its link, where that is narrowest; 0 inside a node.
        link_bytes: Bytes of a beat at the receiving core; 0 where no core receives from a link.
        role: ``weights`` if one frame is repeated.
        passes: Frames of an epoch.
        places: Inferences of an epoch whose frames cross here.
        numbered: Its frames have numbers, and those of which a part is missing are marked.
        like: Index of the boundary whose frames of weights it repeats: its own, or that of the first replica.
        weights: One pass of external weights, below the output folder; None if the values are not known.
        golden: Golden vectors beside bench.json; None without.
        datatype: QONNX element type.
        producer: None for the host.
        consumer: None for the host.
        made: At the producer's pins.
        taken: At the consumer's pins.
        inner: Behind the FIFO of a stream that leaves no board.
        sent: What the host sends.
        received: What the host receives.
    """

    name: Name
    link: Word | None
    element_bits: Bits
    signed: bool
    low: int
    high: int
    shape: tuple[Size, ...]
    elements: Size
    elements_per_word: Size
    wire_word_bits: Bits
    frame_bytes: Size
    link_beats: Count
    link_bytes: Count
    role: StreamRole
    passes: Size
    places: tuple[Count, ...]
    numbered: bool = False
    like: Count
    weights: FilePath | None
    golden: FileName | None
    datatype: DataType
    producer: BenchEnd | None
    consumer: BenchEnd | None
    made: BenchWords | None = None
    taken: BenchWords | None = None
    inner: BenchWords | None = None
    sent: BenchBeats | None = None
    received: BenchBeats | None = None


class BenchJoined(BenchWords):
    """A host stream of the monolith.

    Attributes:
        boundary: Index of its boundary; with replicas, of that of the first.
        carriers: Index of the boundary that carries each frame of an epoch.
    """

    boundary: Count
    carriers: tuple[Count, ...]


class BenchMonolith(Frozen):
    """Host streams of the monolith, and the files of accesses that load its memories, by region."""

    inputs: tuple[BenchJoined, ...]
    outputs: tuple[BenchJoined, ...]
    lites: dict[Name, FileName]


class BenchTap(Frozen):
    """A sink or monitor: its name, what it watches, and its beats of an epoch."""

    name: FileName
    place: Line
    beats: Count
    side: Side
    boundary: Count


class BenchNode(Frozen):
    """A node of the bench.

    Attributes:
        name: Its name.
        base: Where the host reaches its registers.
        partitions: What is on it.
        slaves: Those behind it, by number.
        own: Its own.
        reset_cycles: Of its clock, within which a reset by CONTROL is over when nothing is under way.
        answer_cycles: Of its clock, within which any access to its registers is answered.
        memories: Addresses of the memories for its rings.
    """

    name: Name
    base: Count
    partitions: tuple[Name, ...]
    slaves: dict[Name, Count]
    own: tuple[Name, ...]
    reset_cycles: Count
    answer_cycles: Count
    memories: tuple[Address, ...] = ()


class BenchParameter(Frozen):
    """An input of the top that a run sets: by `simulate --set`, or by the test of a link.

    Attributes:
        name: ``<node>.<parameter>`` or ``<link>.<parameter>``.
        port: Of the top.
        least: Lowest value.
        most: Highest.
        drawn: From where to where the seed draws a value that is not asked for.
    """

    name: Line
    port: Name
    least: int
    most: int
    drawn: tuple[int, int]

    @property
    def bits(self) -> int:
        """Width of the port, for values from 0."""
        return self.most.bit_length()

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        if not self.least <= self.drawn[0] <= self.drawn[1] <= self.most:
            raise ValueError(f"{self.name} is drawn out of its range")
        return self


class BenchSources(Frozen):
    """HDL in compile order, below the output folder; ``shared`` are modules in cores that boards share."""

    partition: tuple[FilePath, ...]
    ours: tuple[FilePath, ...]
    vendor: tuple[FilePath, ...]
    include_dirs: tuple[FilePath, ...]
    shared: tuple[Name, ...] = ()


class BenchMissing(Frozen):
    """A module that no source defines, where it is instantiated, and whether that is certain."""

    module: Line
    place: Line
    certain: bool


class BenchBlackBox(Frozen):
    """A partition without sources, and why."""

    partition: Name
    reason: Line


class BenchBlock(Frozen):
    """A partition: top module, its name in the bench behind gates, clocks, files below the output folder."""

    top: Name
    bare: Name
    clocks: Annotated[tuple[Name, ...], Field(min_length=1)]
    sources: tuple[FilePath, ...]
    headers: tuple[FilePath, ...]


class BenchWaveGroup(Frozen):
    """A scope of the waves: its signals with their bits, in the order in which they are shown."""

    scope: Name
    title: Line
    signals: tuple[tuple[Name, Bits], ...]


class BenchWaves(Frozen):
    """The source that only a model for waves has, and what it shows."""

    file: FilePath
    groups: tuple[BenchWaveGroup, ...]


class BenchCounter(Frozen):
    """A figure of a run's report: the sum of register ``counter`` over all blocks of a kind."""

    text: Line
    block: Name
    counter: Name


class BenchLink(Frozen):
    """A kind of link, as the bench sees it.

    Attributes:
        kind: Of the link.
        fault: What it means when its model finds something wrong.
        silence: Cycles in which nothing may move after the reset of a board, and still the link goes on.
        together: Nodes that are reset together where a board is; none where each can be reset alone.
        counters: What its blocks count.
        directed_test: The module with its own test; None without.
        test_inputs: Inputs of the top that only this test moves.
        metered: Registers that count what its model counts as well, by the block they are in.
        pauses: Inputs of the top that make a frame wait, with the cycles at one stream for each one of the
            value.
        beat_pauses: Those that make each beat wait, likewise.
        sessions: Ends of streams to programs: node, register and its field, which is set while it is there.
    """

    kind: Word
    fault: Line
    silence: Count
    together: tuple[Name, ...]
    counters: tuple[BenchCounter, ...]
    directed_test: Name | None
    test_inputs: tuple[Name, ...]
    metered: dict[Name, tuple[Name, ...]]
    pauses: dict[Name, Count]
    beat_pauses: dict[Name, Count]
    sessions: tuple[tuple[Name, Name, Name], ...] = ()


class Bench(Frozen):
    """The bench of a cluster.

    Attributes:
        cluster_id: Of the plan.
        clock_hz: Of the bench's clock, which is the slowest node's.
        clock_node: That node.
        cycle_ps: Its period.
        frames: Frames for which sinks and monitors have room.
        own_frames: Frames that the bench sends beside the user's, where a run has time for them.
        epoch: Frames after which all replicas have had their turns; 1 without. Every other number of frames
            here, and in a run, is one of epochs.
        own_least: Those of them that are sent in any case.
        cycles_estimate: Cycles of a frame by FINN's reports; 0 if unknown.
        golden_frames: Frames of the golden vectors.
        golden_asked: ``[verify]`` asks for the golden proof, so a run without it does not pass.
        golden_note: Where they are from, or why there are none.
        boundaries: In network order.
        monolith: The partitions without shells.
        taps: Sinks and monitors, in the order in which the model reports them.
        ports: What stalls, in the order of `sim/bench_pressure.sv`.
        links: Kinds of links, in the order of ``link_errors``.
        nodes: In order of the plan.
        meets: Nodes on each side of where numbered frames meet, which every run resets.
        spares: Of each stage with replicas, those without whose turns a run goes on.
        parameters: Of clocks and of link models, which a run sets.
        sources: What the model is built of.
        missing: Modules that it lacks.
        black_boxes: Partitions that cannot be simulated.
        blocks: Partitions, each a model of its own.
        data: Files that memories are filled from.
        waves: What waves show.
        values: Parameters of the link models before the first frame, by name; a user may override them.
    """

    cluster_id: BuildId
    clock_hz: Size
    clock_node: Name
    cycle_ps: Size
    frames: Size
    own_frames: Count
    own_least: Count
    epoch: Size = 1
    cycles_estimate: Count
    golden_frames: Count
    golden_asked: bool
    golden_note: Line
    boundaries: tuple[BenchBoundary, ...]
    monolith: BenchMonolith
    taps: tuple[BenchTap, ...]
    ports: tuple[Line, ...]
    links: tuple[BenchLink, ...]
    nodes: tuple[BenchNode, ...]
    meets: tuple[Name, ...] = ()
    spares: tuple[tuple[Name, ...], ...] = ()
    parameters: tuple[BenchParameter, ...]
    sources: BenchSources
    missing: tuple[BenchMissing, ...]
    black_boxes: tuple[BenchBlackBox, ...]
    blocks: tuple[BenchBlock, ...]
    data: tuple[FilePath, ...]
    waves: BenchWaves
    values: dict[Name, Count]

    @model_validator(mode="after")
    def _numbers_of_boundaries(self) -> Self:
        numbers = [tap.boundary for tap in self.taps]
        numbers += [one.boundary for one in (*self.monolith.inputs, *self.monolith.outputs)]
        if max(numbers, default=-1) >= len(self.boundaries):
            raise ValueError(f"there is no boundary {max(numbers)}")
        return self
