# SPDX-License-Identifier: BSD-3-Clause
"""Interface of a link kind; no code outside the class tests for a kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from shellgen import latencies
from shellgen.errors import Problem
from shellgen.links.figures import Figure, Figures, read_figures
from shellgen.model import Attachment, Boundary, Dock, End, NodePlan, Plan, Ring, Step, Usage
from shellgen.model.base import Frozen, NoOptions
from shellgen.model.plain import JsonObject

Reach = Literal["nodes", "host", "memory"]
# What to do where a link kind has answered what no link may.
LINKS_FAULT = "This is a fault of the link kind, not of your cluster; tell its author"


@dataclass(frozen=True)
class Shape:
    """Layout of a frame in the beats of a link.

    Attributes:
        bits: Of a beat; whole bytes.
        beats: Of a frame.
        last_bytes: Valid bytes of the last beat, 1 to bits/8.
    """

    bits: int
    beats: int
    last_bytes: int

    @classmethod
    def of(cls, bits: int, frame_bits: int) -> Shape:
        """Fill beats of this width, the last as far as the frame goes."""
        beats = -(-frame_bits // bits)
        return cls(bits, beats, (frame_bits + 7) // 8 - (beats - 1) * bits // 8)


@dataclass(frozen=True)
class Medium:
    """Bandwidth that streams of a node share beyond the pins of its core, in one direction.

    Attributes:
        name: Unique in a cluster, such as ``Ethernet out of zed0``.
        seconds: What a frame of one stream takes of it, at least.
        source: Where the figure comes from.
        network: Whether it is a port of a network, which may delay frames and lose some.
        ring: Whether it is the wait for a place in a ring, which gets shorter with more places.
        node: Whose part it is, if not of the node at whose pins the stream is.
    """

    name: str
    seconds: float
    source: str
    network: bool = False
    ring: bool = False
    node: str | None = None


@dataclass(frozen=True)
class Place:
    """An end of a stream, for the estimate.

    Attributes:
        node: Its board.
        attachment: Its link there.
        end: The end.
        dock: What the platform offers the link.
        host: Whether the far end is the host's.
        copy: Whether the frame leaves the core for another consumer, and this one gets it as well.
        far: The node at the far end of the stream, where `Link.travel` asks; None for the host.
    """

    node: NodePlan
    attachment: Attachment
    end: End
    dock: Dock
    host: bool = False
    copy: bool = False
    far: NodePlan | None = None


@dataclass(frozen=True)
class Travel:
    """Way of frames between the pins of a core and the far end of a stream, beside what media take.

    Attributes:
        gathered: Bytes of a frame that go on together, when the last of them has come; 0: each beat alone.
        seconds: From the last of these to the first beyond.
        source: Where the figure comes from.
        rest: Seconds after a frame in which the way takes no beat from its sender.
    """

    gathered: int = 0
    seconds: float = 0.0
    source: str = ""
    rest: float = 0.0

    def __add__(self, other: Travel) -> Travel:
        """Return the way through both."""
        source = "; ".join(filter(None, (self.source, other.source)))
        return Travel(
            max(self.gathered, other.gathered),
            self.seconds + other.seconds,
            source,
            max(self.rest, other.rest),
        )


@dataclass(frozen=True)
class Site:
    """One node as a link sees it.

    Attributes:
        node: Its name.
        dock: What its platform offers the link.
        ends: All boundaries of this kind at the node, what comes in first.
        boundaries: What crosses at each; their contracts are not known yet.
        peers: The node at the other side of each; None for the host.
        options: What cluster.toml asks of the link for each: records of its `Options`.
        uram: UltraRAMs of the board.
    """

    node: str
    dock: Dock
    ends: tuple[End, ...]
    boundaries: tuple[Boundary, ...]
    peers: tuple[str | None, ...]
    options: tuple[Frozen, ...]
    uram: int = 0


class Link(ABC):
    """Transport of streams between nodes, or between a node and its host.

    The templates of a kind are in ``templates/links/<kind>/``.

    ``core.v.j2`` is rendered once per attachment. Its macro ``end(nets)`` gives the logic of one end; the
    text, with ``ends`` and ``attachment``, gives the logic that all ends share. ``nets`` is an `EndNets`
    (`shellgen.emit.ends`): ``nets.end`` is the `End`, ``nets.boundary`` the boundary, ``nets.pin`` the prefix
    of the end's ports. The core declares these nets for each end, where ``<net>`` is ``nets.net``:

    - ``<net>_frame_tdata``, ``_tvalid``, ``_tready`` (prefix ``nets.beats``): the beats of the frames. An end
      that sends has ``_tlast`` at the end of a frame; an end that receives must deliver exactly
      ``nets.end.beats_per_frame`` beats for each frame, whatever arrives.
    - ``<net>_frame_done``: high for a cycle for each frame; ``<net>_error[2:0]`` (receivers only: keep, long,
      short): high for a cycle for each fault.
    - ``nets.frames``: the register of frames in a transfer. ``drain`` requests the reset by the host, and the
      template must drive ``nets.drained``: high when nothing is under way (docs/design.md).
    - All nets are on the clock of the core's ports, ``aclk``, and reset by ``inner_aresetn``, whatever clock
      the partitions have.
    - For each claim ``<name>`` of the attachment that does not leave the core, ``<name>_axil_awaddr`` and so
      on are an AXI4-Lite slave of 32 bits: the template instantiates its register block there, on ``aclk``
      and ``aresetn``. ``registers.json`` beside the block's source describes the registers.

    ``bench.sv.j2`` is rendered once for a cluster: ``streams`` are the boundaries of this kind (`Carried` in
    `shellgen.emit.bench_links`), ``attached`` its attachments with their nodes, ``parameters`` those of the
    class. It connects

    - the pins of the cores, ``<stream.source.pin>_tdata`` and so on, with all the signals that they have,
      and for a claim that leaves the core ``<node>_m_axil_<claim>_awaddr`` and so on;
    - the frames of the host, ``<stream.name>_tdata``, ``_tkeep``, ``_tlast``, ``_tvalid``, ``_tready``: beats
      as wide as the end's, with TLAST at the end of a frame;
    - ``s_axil_<node>_<unit>_awaddr`` and so on, ports of the top through which the host's program reaches a
      `Unit` beside the core: the template instantiates the model behind them, with ``aresetn_<node>`` for
      state that survives a reset by CONTROL.

    Each side is on its own clock and reset (``stream.source.clock``, ``.resetn``). The template stalls by
    ``stream.stall_in`` and ``stall_out``, injects faults by ``stream.inject_kind`` and ``inject_beat``
    (sim/axis_error_injector.sv), and drives ``<kind>_error``. On a rising edge of ``dump`` it may write its
    counts since the reset to ``<kind>_counts.txt``, words and a number in each line, for the report.

    ``tests/foreign`` in the project's repository is a package with a link that uses all of this.

    Attributes:
        numbers: Whether frames keep their numbers between two nodes. Where ``nets.numbered``, the template
            drives ``<net>_number[31:0]`` and ``<net>_taint`` of a receiver beside the beats, and
            ``<net>_mark[31:0]`` and ``<net>_mark_known``, as ``vnx_receiver`` does; a sender gets
            ``<net>_number[31:0]``, ``<net>_number_known`` and ``<net>_taint``, as ``vnx_sender`` does.
        kind: The word used in cluster.toml, and the folder of the templates: letters, digits and _.
        reach: Whether it joins nodes with each other, a node with its host, or streams inside a node with
            memory: then `keep` takes the place of `attach`, and its attachments have no ends.
        copies: Whether a program sends the frames of a stream: it reads a frame once and hands it to all
            consumers, so that one end serves all boundaries of a producer.
        by_programs: Whether a program is its end at every node, so that it joins docks that are all programs.
        isolates: Whether a stalled stream never blocks another of its attachment. Where it may, the plan
            refuses streams that wait for one another.
        whole_frames: Whether it forwards a frame only when it has all of it, for the estimate of latency:
            what `travel` says by default.
        rate_field: Field of the board file with the rate of its port, for the estimate; empty if it has one.
        peer: The block beyond the pins, for comments in the core.
        dock: The dock that a platform must offer.
        Options: Its options in cluster.toml: ``[links.<kind>]`` for all links of the kind,
            ``[node.options.<kind>]`` for those of a node, ``[[link]] options`` for one; the most specific
            value applies.
        program_files: Files of ``templates/host`` by which a runner is the end of its streams, `programs`.
        host_options: Options that only the host's programs use: no bitstream depends on them.
        stand_ins: Values of options of a node that only the user knows, one for each board: `split` plans
            with them and writes them into cluster.toml, where the user replaces them.
        about: One sentence about it; for `shellgen list links`, as the next one.
        needs: Requirements on the boards.
        fault: Meaning of ``<kind>_error``, for the report.
        silence: Longest pause without activity after the reset of a board, in cycles, while its two ends
            synchronise.
        together: Whether a reset of one board drops the state of all nodes of the link, so that all must be
            reset and brought up again; CONTROL still resets a node alone.
        parameters: Parameters of its model in the bench, with the bits of each: inputs ``<kind>_<name>`` of
            the top, set by ``shellgen simulate --set <kind>.<name>=<value>``; all are zero by default.
        pauses: Parameters that delay a frame, with the most cycles of delay at one stream for each unit of
            the value: limits of the bench grow with them.
        beat_pauses: Parameters that delay each beat, likewise.
        counters: Figures that the report of a run adds up over the cores: by their text, a block in the core
            and its register, which counts up and wraps.
        directed_test: Python files in ``sim/`` of the package, the first a module with
            ``async def directed_test(dut, session)``: a test of the bench for this kind alone, of cases that
            no frame of a run exercises. It raises on a failure, and returns its entry in the report.
        lingers: Whether its model in the bench completes what a core has begun while that core is held in
            reset, as hardware beyond the pins does on a board. It then drives ``<kind>_busy``, high as long
            as anything is under way beyond the pins; the bench's hosts hold their cores until it falls.
        test_inputs: Inputs ``<kind>_<input>`` of the top, with the bits of each, driven by the directed test
            alone; every reset of the bench makes them zero.
        metered: Counters of blocks in the core, by the block, that its model counts as well: on a rising
            edge of ``probe`` it writes ``<node>_<name of the block in the map>_meter.txt``, in each line a
            register, the count since the reset, and 1 if it is still counting at this moment, else 0.
    """

    kind: ClassVar[str]
    dock: ClassVar[str]
    Options: ClassVar[type[Frozen]] = NoOptions
    reach: ClassVar[frozenset[Reach]] = frozenset({"nodes", "host"})
    copies: ClassVar[bool] = False
    by_programs: ClassVar[bool] = False
    isolates: ClassVar[bool] = True
    numbers: ClassVar[bool] = False
    whole_frames: ClassVar[bool] = False
    rate_field: ClassVar[str] = ""
    peer: ClassVar[str] = "the link"
    program_files: ClassVar[tuple[str, ...]] = ()
    host_options: ClassVar[frozenset[str]] = frozenset()
    stand_ins: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    about: ClassVar[str] = ""
    needs: ClassVar[str] = ""
    fault: ClassVar[str] = "the link has found a fault"
    silence: ClassVar[int] = 0
    together: ClassVar[bool] = False
    parameters: ClassVar[Mapping[str, int]] = {}
    pauses: ClassVar[Mapping[str, int]] = {}
    beat_pauses: ClassVar[Mapping[str, int]] = {}
    counters: ClassVar[Mapping[str, tuple[str, str]]] = {}
    directed_test: ClassVar[tuple[str, ...]] = ()
    lingers: ClassVar[bool] = False
    test_inputs: ClassVar[Mapping[str, int]] = {}
    metered: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    @abstractmethod
    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:
        """Return the beats of a frame of ``frame_bits``, which come in words of ``word_bits``."""

    @abstractmethod
    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Return the attachments of a node; each end is in exactly one."""

    def over_program(self, options: Frozen) -> Frozen:
        """Return the options of a stream as they are where a program is one of its ends."""
        return options

    def program_problems(self, site: Site) -> list[Problem]:
        """Return every reason why a program cannot be the end of these streams at a node."""
        found = f"no program of shellgen speaks {self.kind}"
        return [Problem(f"node {site.node}", found, "Choose boards whose hardware has its dock")]

    def programs(self, plan: Plan, node: NodePlan | None) -> Mapping[str, JsonObject]:  # noqa: ARG002 - most are hardware
        """Return what the program of a node's host must know of each stream that it is the end of, by name.

        Without a node: the program of the host of the cluster, for streams of the host that do not go through
        what a platform joins to its host. The memory map has it as ``program`` of the stream.
        """
        return {}

    def keep(self, rings: tuple[Ring, ...]) -> tuple[Attachment, ...]:  # noqa: ARG002 - most keep nothing
        """Return the attachments for streams inside a node that are kept in memory."""
        return ()

    @classmethod
    def figures(cls) -> Mapping[str, Figure]:
        """Return the figures of the estimate: ``figures.toml`` beside its module, and those of its bases."""
        bases = (base.__module__ for base in reversed(cls.__mro__) if issubclass(base, Link))
        return {name: one for module in bases for name, one in read_figures(module).items()}

    def slots(self, boundary: Boundary) -> int:  # noqa: ARG002 - most take one
        """Return the slots of the dock that a stream takes at each end."""
        return 1

    def most_frames(self, boundary: Boundary, dock: Dock) -> int:  # noqa: ARG002 - a link without transfers
        """Return the most frames in a transfer, which the host sets at run time: 1 to 65535."""
        return 1

    def memory_bytes(self, boundary: Boundary) -> int:
        """Return the bytes from frame to frame in the host's memory, where the host has the other end."""
        return boundary.frame_bytes

    @abstractmethod
    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:
        """Return every reason why this link cannot carry the boundary; ``docks`` are those of its ends."""

    def bring_up(self, plan: Plan) -> tuple[Step, ...]:  # noqa: ARG002 - most need nothing
        """Return the steps of the host before the first frame, for all attachments of this kind."""
        return ()

    def values(self, plan: Plan) -> Mapping[str, int]:  # noqa: ARG002 - most have no such steps
        """Return values for the names in steps that its model in the bench needs; others are numbered."""
        return {}

    def facts(self, plan: Plan) -> JsonObject:  # noqa: ARG002 - most have no directed test
        """Return the facts that its directed test needs, which reads them from ``<kind>.json`` beside it."""
        return {}

    def silent_cycles(self, plan: Plan) -> int:  # noqa: ARG002 - most have one number
        """Return the longest pause without activity in the bench; ``silence`` unless the plan adds to it."""
        return self.silence

    def sessions(self, plan: Plan) -> tuple[tuple[str, str, str], ...]:  # noqa: ARG002 - of most
        """Return node, register and field of each end that knows whether a program is at the other."""
        return ()

    def packet_bytes(self, attachment: Attachment) -> int | None:  # noqa: ARG002 - a link without packets
        """Return the bytes of its longest packet, from the first beat to TLAST; None where there is none."""
        return None

    def hands_on(self, boundary: Boundary, options: Frozen) -> int:  # noqa: ARG002 - most forward a frame
        """Return the bytes of a frame that reach the consumer together: at most a packet or a frame."""
        return boundary.frame_bytes

    def holds(self, boundary: Boundary, options: Frozen) -> int:  # noqa: ARG002 - most forward a frame
        """Return the bytes of frames that it takes for certain while the consumer takes none."""
        return boundary.frame_bytes

    def media(self, at: Place, figures: Figures) -> tuple[Medium, ...]:  # noqa: ARG002 - none are known of most
        """Return the media beyond the pins that a frame uses; streams share media of one name."""
        return ()

    def ring_media(self, memory: str, ring: Ring, figures: Figures) -> tuple[Medium, ...]:  # noqa: ARG002 - of rings
        """Return the media that a frame uses on its way through a ring in a memory, which is named."""
        return ()

    def latency(self, attachment: Attachment, end: End) -> int:  # noqa: ARG002 - of all ends
        """Return the cycles of its logic in the core between a pin and the beats of a frame."""
        return latencies.FRAMER

    def gathered(self, attachment: Attachment, end: End) -> int:  # noqa: ARG002 - most keep nothing
        """Return the bytes of a frame that its logic in the core forwards together; 0: each beat alone."""
        return 0

    def travel(self, at: Place, figures: Figures, bench: Mapping[str, int] | None) -> Travel:  # noqa: ARG002 - of most
        """Return the way beyond the pin on the boards, or in the bench with these parameters of its model."""
        return Travel(at.end.frame_bytes if self.whole_frames else 0)

    def usage(self, attachment: Attachment) -> Usage:  # noqa: ARG002 - other links answer
        """Return the resources of its logic in the core, without width converters and FIFOs of ends."""
        return Usage()
