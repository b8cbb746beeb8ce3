# SPDX-License-Identifier: BSD-3-Clause
"""Verilog of the logic between the pins of a core and those of its partitions."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.costs import CROSSING_BEATS
from shellgen.emit.instance import SHELL, Domain, compute_domain
from shellgen.emit.link_template import told_by_file
from shellgen.errors import PluginError, Problem
from shellgen.links import link_registry
from shellgen.model import Attachment, Boundary, End, Endpoint, Inner, NodePlan, Plan, Ring
from shellgen.model.axilite import CHANNELS
from shellgen.render import bit_range, macro_and_text, render
from shellgen.resources import unknown_instances

# Bits of FRAMES_PER_TRANSFER (ip/shell_status).
FRAMES_BITS = 16


@dataclass(frozen=True)
class Cross:
    """A FIFO between the clock of the shell and that of the partitions.

    Attributes:
        name: Name of the FIFO, and prefix of the nets between it and the width converter.
        wire_bits: Bits of data.
        marked: Whether the data have an end-of-frame marker.
        source: Domain that fills it.
        sink: Domain that empties it.
        from_: Prefix of the nets that fill it.
        to: Prefix of the nets that it drives.
        data_in: Expression of its input.
        data_out: Expression of its output.
    """

    name: str
    wire_bits: int
    marked: bool
    source: Domain
    sink: Domain
    from_: str
    to: str
    data_in: str
    data_out: str
    depth: int = CROSSING_BEATS

    @property
    def bits(self) -> int:
        """Bits of a beat in the FIFO."""
        return self.wire_bits + self.marked

    @property
    def level_bits(self) -> int:
        """Bits of its fill levels."""
        return (self.depth + 1).bit_length()


@dataclass(frozen=True)
class EndNets:
    """The values that the templates of an end need.

    Attributes:
        end: The end.
        boundary: Its boundary.
        pin: Prefix of its ports at the core.
        words: Prefix of the nets at the partition.
        last: Net that marks the last word of a frame at the partition, if the partition uses it, or nothing.
        payload_bits: Bits of a word at the partition that hold elements.
        compute: Domain of the partition.
        epoch: Net with the epoch of the frames that the node's host sends, if results of older ones end here.
    """

    end: End
    boundary: Boundary
    pin: str
    words: str
    last: str
    payload_bits: int
    compute: Domain = SHELL
    epoch: str = ""

    @property
    def net(self) -> str:
        """Prefix of its own nets."""
        return self.end.net

    @property
    def beats(self) -> str:
        """Prefix of the nets of its beats."""
        return f"{self.net}_frame"

    @property
    def near(self) -> str:
        """Prefix of the beats at the width converter: behind the queue, where there is one."""
        return f"{self.net}_queue" if self.end.depth_beats else self.fed

    @property
    def numbered(self) -> bool:
        """Whether its frames have numbers."""
        return self.boundary.numbered

    @property
    def host(self) -> bool:
        """Whether the other end is the host's."""
        return self.boundary.producer is None or self.boundary.consumer is None

    @property
    def fed(self) -> str:
        """Prefix of the nets of its beats at the side of the partition."""
        return f"{self.net}_told" if self.numbered else self.beats

    @property
    def crosses_words(self) -> bool:
        """Whether the partition's words cross between clocks: if they are not wider than beats."""
        return self.compute != SHELL and self.end.word_bits <= self.end.link_bits

    @property
    def crosses_beats(self) -> bool:
        """Whether the beats cross."""
        return self.compute != SHELL and not self.crosses_words

    @property
    def width(self) -> Domain:
        """Domain of the width converter."""
        return self.compute if self.crosses_beats else SHELL

    @property
    def into(self) -> str:
        """Prefix of the nets at the converter's input."""
        if self.end.direction == "in":
            return self._crossed if self.crosses_beats else self.near
        return self._crossed if self.crosses_words else self.words

    @property
    def out(self) -> str:
        """Prefix of the nets that the converter of an outgoing end drives."""
        return self._crossed if self.crosses_beats else self.near

    @property
    def _crossed(self) -> str:
        return f"{self.net}_cross"

    @property
    def cross(self) -> Cross | None:
        """The FIFO between the clocks, if there are two."""
        if self.compute == SHELL:
            return None
        name, incoming = self._crossed, self.end.direction == "in"
        bits = self.end.word_bits if self.crosses_words else self.end.link_bits
        ways = (SHELL, self.compute) if incoming else (self.compute, SHELL)
        if incoming and self.crosses_words:
            word = f"{self.net}_word_tdata"
            data = (f"{name}_tdata", word)
            if self.last:
                data = (f"{{{name}_tlast, {name}_tdata}}", f"{{{self.last}, {word}}}")
            return Cross(name, bits, bool(self.last), *ways, name, self.words, *data)
        if incoming:
            return Cross(name, bits, False, *ways, self.near, name, f"{self.near}_tdata", f"{name}_tdata")
        if self.crosses_words:
            return Cross(name, bits, False, *ways, self.words, name, self.sent, f"{name}_tdata")
        marked_in, marked_out = (f"{{{net}_tlast, {net}_tdata}}" for net in (name, self.near))
        return Cross(name, bits, True, *ways, name, self.near, marked_in, marked_out)

    @property
    def queue_bits(self) -> int:
        """Bits of a beat in the queue: an outgoing beat includes its end marker."""
        return self.end.link_bits + (self.end.direction == "out")

    @property
    def level_bits(self) -> int:
        """Bits of the queue's fill level."""
        return (self.end.depth_beats + 1).bit_length()

    @property
    def padding(self) -> int:
        """Bits of a partition word that do not cross."""
        payload = self.payload_bits if self.end.direction == "out" else self.end.word_bits
        return self.end.tdata_bits - payload

    @property
    def sent(self) -> str:
        """Expression of the word that is sent: padding is zero, whatever the partition drives there.

        FINN's MVAU extends the sign of the last element into it.
        """
        data = f"{self.words}_tdata{bit_range(self.payload_bits)}"
        zeros = self.end.word_bits - self.payload_bits
        return f"{{{zeros}'d0, {data}}}" if zeros else data

    @property
    def frames(self) -> str:
        """Frames of a transfer, as set by the host."""
        return f"frames_per_transfer{bit_range(FRAMES_BITS, FRAMES_BITS * self.end.stream)}"

    @property
    def drained(self) -> str:
        """Net that reports an idle end."""
        return f"drained[{self.end.stream}]"


def end_texts(plan: Plan, node: NodePlan, attachment: Attachment) -> list[str]:
    """Return the text of each end of an attachment, then the shared part."""
    kind = link_registry()[attachment.link]
    nets = [_nets(plan, node, attachment, end) for end in attachment.ends]
    signals = [signal for signal, _, _ in CHANNELS]
    context = {"attachment": attachment, "ends": nets, "axil_signals": signals}
    template = f"links/{attachment.link}/core.v.j2"
    with told_by_file(template):
        calls, shared = macro_and_text(template, "end", nets, **context)
    unknown = unknown_instances("\n".join((*calls, shared)))
    if unknown:
        found = f"it instantiates {', '.join(unknown)}, of which there is no source"
        remedy = (
            "Put it into ip/<module>/<module>.sv beside the link's module, or tell the authors of the link"
        )
        raise PluginError(Problem(f"templates/{template}", found, remedy))
    texts = [
        render("verilog/end.v.j2", nets=one, end=one.end, cross=one.cross, peer=kind.peer, link=call)
        for one, call in zip(nets, calls, strict=True)
    ]
    return [*texts, shared] if shared.strip() else texts


def _nets(plan: Plan, node: NodePlan, attachment: Attachment, end: End) -> EndNets:
    mark, compute = _mark(plan, end.port), compute_domain(node)
    boundary, port = plan.boundary(end.boundary), plan.partition(end.port.partition).stream(end.port.port)
    assert port is not None
    payload = port.payload_bits
    epoch = own_epoch(plan, node) if boundary.consumer is None and boundary.numbered else ""
    pin, words = attachment.pin(end).name, stream_net(end.port)
    return EndNets(end, boundary, pin, words, mark, payload, compute, epoch)


def own_epoch(plan: Plan, node: NodePlan) -> str:
    """Return the net with the epoch of the frames that the node's host sends, or nothing."""
    sent = (end for end in node.rx if plan.boundary(end.boundary).producer is None)
    return next((f"{end.net}_now[31:24]" for end in sent if plan.boundary(end.boundary).numbered), "")


def stream_net(end: Endpoint) -> str:
    """Return the prefix of the nets at a partition's stream pins."""
    return f"{end.partition}_{end.port}"


def _mark(plan: Plan, end: Endpoint) -> str:
    port = plan.partition(end.partition).stream(end.port)
    return f"{stream_net(end)}_tlast" if port and port.marked else ""


@dataclass(frozen=True)
class RingNets:
    """Bits of a ring in the nets of its node's register block.

    Attributes:
        base_low: Lowest bit of its address.
        spare_low: Lowest bit of what its port has no address bits for.
        spare_bits: Number of these.
        level_low: Lowest bit of its level.
    """

    base_low: int
    spare_low: int
    spare_bits: int
    level_low: int

    @classmethod
    def of(cls, ring: Ring) -> RingNets:
        """Return them for a ring, of which each has 64 bits of address and 32 of level."""
        low, bits = 64 * ring.number, ring.port.addr_bits
        return cls(low, low + bits, 64 - bits, 32 * ring.number)


def inner_text(plan: Plan, node: NodePlan, index: int, inner: Inner) -> str:
    """Return the FIFO and the width converter between two partitions of one node."""
    return render(
        "verilog/inner.v.j2",
        path=inner,
        domain=compute_domain(node),
        shell=SHELL,
        ring_nets=RingNets.of(inner.ring) if inner.ring else None,
        apart=node.apart,
        kind=next((one.name for one in node.attachments if one.memories), ""),
        cross_depth=CROSSING_BEATS,
        cross_bits=(CROSSING_BEATS + 1).bit_length(),
        level_bits=(inner.depth + 1).bit_length(),
        net=f"direct_{index}",
        producer=stream_net(inner.producer),
        consumer=stream_net(inner.consumer),
        last=_mark(plan, inner.consumer),
        padding=inner.consumer_tdata_bits - inner.consumer_word_bits,
        unused=inner.producer_tdata_bits - inner.producer_word_bits,
    )
