# SPDX-License-Identifier: BSD-3-Clause
"""Peers of a kernel's streams: VNx's UDP stack at each QSFP, a data mover for each host stream."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from shellgen.links import link_registry
from shellgen.model import Attachment, MemoryPort, NodePlan, Pin
from shellgen.platforms.vitis.facts import HOST, SOCKETS, facts_of, options_of
from shellgen.platforms.vitis.network import FULL_PACKET


@dataclass(frozen=True)
class Network:
    """A QSFP that a node uses.

    Attributes:
        qsfp: Its number: that of the interface in VNx.
        pins: The kernel's interfaces.
        packet_bytes: Payload of a full packet.
        sockets: Rows of the socket table that the host will find.
    """

    qsfp: int
    pins: tuple[Pin, ...]
    packet_bytes: int
    sockets: int


@dataclass(frozen=True)
class Mover:
    """One of VNx's data movers.

    Attributes:
        kernel: ``krnl_mm2s`` for what the host sends, ``krnl_s2mm`` for what it receives.
        index: Among those of its kernel.
        pin: The kernel's interface.
        bank: Memory that it reaches.
    """

    kernel: str
    index: int
    pin: Pin
    bank: str

    @property
    def name(self) -> str:
        """Name of the compute unit."""
        return f"{self.kernel}_{self.index}"

    @property
    def stream(self) -> str:
        """Its own interface, by VNx's name."""
        return "k2n" if self.pin.direction == "in" else "n2k"


def networks(node: NodePlan) -> tuple[Network, ...]:
    """Return the QSFPs that a node uses, ascending."""
    found = [
        Network(
            qsfp=one.slot,
            pins=one.pins,
            packet_bytes=link_registry()[one.link].packet_bytes(one) or FULL_PACKET,
            sockets=max((dict(unit.counts).get("SOCKETS", 0) for unit in one.units), default=0) or SOCKETS,
        )
        for one in _at(node, "udp")
    ]
    return tuple(sorted(found, key=lambda network: network.qsfp))


def kept(node: NodePlan) -> tuple[tuple[MemoryPort, str], ...]:
    """Return the kernel's own masters, for streams in memory, each with its bank.

    Those in memory of the card go on in turn behind the movers. Where cluster.toml names no banks, each takes
    the next one of HBM, whose banks have a controller anyway; another bank of DDR would need one of its own.
    """
    asked, facts = options_of(node).memory, facts_of(node)
    kind, number = facts.memory.rstrip("]").split("[")
    if asked:
        banks, first = asked, len(movers(node))
    elif kind == "HBM":
        banks, first = tuple(f"HBM[{index}]" for index in range(facts.banks["HBM"])), int(number) + 1
    else:
        banks, first = (facts.memory,), 0
    places = count(first)
    return tuple(
        (port, HOST if port.host else banks[next(places) % len(banks)]) for port in node.memory_ports
    )


def movers(node: NodePlan) -> tuple[Mover, ...]:
    """Return the movers of a node, in the order of the kernel's interfaces."""
    banks = options_of(node).memory or (facts_of(node).memory,)
    pins = [pin for one in _at(node, "mover") for pin in one.pins]
    found: list[Mover] = []
    for place, pin in enumerate(pins):
        kernel = "krnl_mm2s" if pin.direction == "in" else "krnl_s2mm"
        index = sum(one.kernel == kernel for one in found)
        found.append(Mover(kernel, index, pin, banks[place % len(banks)]))
    return tuple(found)


def _at(node: NodePlan, dock: str) -> list[Attachment]:
    return [one for one in node.attachments if one.dock == dock]
