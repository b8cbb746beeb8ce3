# SPDX-License-Identifier: BSD-3-Clause
"""Mapping of a core's streams to the host streams of Coyote."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import NodePlan, Pin

DOCK = "coyote_stream"
# ACCL's engine for collective communication (ccl_offload).
ENGINE = "cclo"


# Of streams in memory (shellgen/links/ddr_ring).
MEMORY = "memory"


@dataclass(frozen=True)
class RingStream:
    """A stream of a ring in memory: both ways of one of Coyote's.

    Attributes:
        number: Of the ring.
        host: It is one of the host, else of the card.
        dest: Number of that stream.
    """

    number: int
    host: bool
    dest: int


@dataclass(frozen=True)
class HostStream:
    """A stream between the core and its host.

    Attributes:
        pin: The core's interface.
        dest: Number of the host stream; what the host calls ``dest``.
    """

    pin: Pin
    dest: int

    @property
    def sends(self) -> bool:
        """Whether the host sends it."""
        return self.pin.direction == "in"


def host_streams(node: NodePlan, first: int) -> tuple[HostStream, ...]:
    """Return the host streams of a node, in the order of the core's interfaces.

    What comes in and what goes out is counted apart, since each of Coyote's host streams has both ways.

    Args:
        node: The node.
        first: First host stream that the core may take.
    """
    pins = [pin for one in node.attachments if one.dock == DOCK for pin in one.pins]
    found: list[HostStream] = []
    for pin in pins:
        found.append(HostStream(pin, first + sum(one.pin.direction == pin.direction for one in found)))
    return tuple(found)


def first_ring(node: NodePlan, first: int) -> int:
    """Return the host stream behind those that frames take, which the first ring of the host takes."""
    return max((one.dest + 1 for one in host_streams(node, first)), default=first)


def ring_streams(node: NodePlan, first: int) -> tuple[RingStream, ...]:
    """Return the streams of the rings of a node, in their order; ``first`` is as of `host_streams`."""
    behind = first_ring(node, first)
    return tuple(
        RingStream(number, port.host, port.dest + (behind if port.host else 0))
        for number, port in enumerate(node.memory_ports)
        if port.dest is not None
    )
