# SPDX-License-Identifier: BSD-3-Clause
"""What stands between the pins of a core and those of its partitions, as Verilog."""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import TemplateError

from shellgen.errors import PluginError, Problem
from shellgen.links import link_registry
from shellgen.model import Attachment, End, Endpoint, Inner, Plan
from shellgen.model.axilite import CHANNELS
from shellgen.render import bit_range, macro_and_text, render
from shellgen.resources import unknown_instances

# Bits of FRAMES_PER_TRANSFER (ip/shell_status).
FRAMES_BITS = 16


@dataclass(frozen=True)
class EndNets:
    """The answers that the templates of an end need.

    Attributes:
        end: The end.
        pin: Prefix of the core's ports through which it leaves.
        words: Prefix of the nets at the partition.
        last: Net that marks the last word of a frame at the partition, if it takes that mark, or nothing.
    """

    end: End
    pin: str
    words: str
    last: str

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
        return f"{self.net}_queue" if self.end.depth_beats else self.beats

    @property
    def queue_bits(self) -> int:
        """Bits of a beat in the queue: what leaves has its mark of the end."""
        return self.end.link_bits + (self.end.direction == "out")

    @property
    def level_bits(self) -> int:
        """Bits of the queue's level."""
        return (self.end.depth_beats + 1).bit_length()

    @property
    def padding(self) -> int:
        """Bits of a partition word that do not travel."""
        return self.end.tdata_bits - self.end.word_bits

    @property
    def frames(self) -> str:
        """What the host has set: frames of a transfer."""
        return f"frames_per_transfer{bit_range(FRAMES_BITS, FRAMES_BITS * self.end.stream)}"

    @property
    def drained(self) -> str:
        """What says that nothing is under way."""
        return f"drained[{self.end.stream}]"


def end_texts(plan: Plan, attachment: Attachment) -> list[str]:
    """Return the text of each end of an attachment, then what they share."""
    kind = link_registry()[attachment.link]
    nets = [_nets(plan, attachment, end) for end in attachment.ends]
    signals = [signal for signal, _, _ in CHANNELS]
    context = {"attachment": attachment, "ends": nets, "axil_signals": signals}
    template = f"links/{attachment.link}/core.v.j2"
    try:
        calls, shared = macro_and_text(template, "end", nets, **context)
    except TemplateError as error:
        said = f"{type(error).__name__}: {error.message or error}"
        remedy = "Correct the template, or tell the authors of the link"
        raise PluginError(Problem(f"templates/{template}", said, remedy)) from error
    unknown = unknown_instances("\n".join((*calls, shared)))
    if unknown:
        found = f"it instantiates {', '.join(unknown)}, of which there is no source"
        remedy = (
            "Put it into ip/<module>/<module>.sv beside the link's module, or tell the authors of the link"
        )
        raise PluginError(Problem(f"templates/{template}", found, remedy))
    texts = [
        render("verilog/end.v.j2", nets=one, end=one.end, peer=kind.peer, link=call)
        for one, call in zip(nets, calls, strict=True)
    ]
    return [*texts, shared] if shared.strip() else texts


def _nets(plan: Plan, attachment: Attachment, end: End) -> EndNets:
    return EndNets(end, attachment.pin(end).name, stream_net(end.port), _mark(plan, end.port))


def stream_net(end: Endpoint) -> str:
    """Return the prefix of the nets at a partition's stream pins; the bench watches them by this name."""
    return f"{end.partition}_{end.port}"


def _mark(plan: Plan, end: Endpoint) -> str:
    port = plan.partition(end.partition).stream(end.port)
    return f"{stream_net(end)}_tlast" if port and port.marked else ""


def inner_text(plan: Plan, index: int, inner: Inner) -> str:
    """Return the FIFO and the width converter between two partitions of one node."""
    return render(
        "verilog/inner.v.j2",
        path=inner,
        level_bits=(inner.depth + 1).bit_length(),
        net=f"direct_{index}",
        producer=stream_net(inner.producer),
        consumer=stream_net(inner.consumer),
        last=_mark(plan, inner.consumer),
        padding=inner.consumer_tdata_bits - inner.consumer_word_bits,
        unused=inner.producer_tdata_bits - inner.producer_word_bits,
    )
