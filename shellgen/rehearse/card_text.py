# SPDX-License-Identifier: BSD-3-Clause
"""The card of a rehearsal, as host/node/card_model reads it: its core, ports, and kernels beside the core."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shellgen.model.memory_map import MapNode, MapUnit, MemoryMap

LOSS = 64  # of 65,536 packets between cards: a network that loses none would not let anything be sent again


def joined_streams(node: MapNode) -> set[int]:
    """Return the streams of a card that only its network passes, which has a model behind XRT only."""
    if node.bus != "xrt":
        return set()
    moved = {mover.stream for mover in node.movers}
    return {one.index for one in node.streams if one.index not in moved and (one.program or not one.host)}


def has_gateway(found: MemoryMap) -> bool:
    """Tell whether the host is an end of streams in the network of cards, for which it has a server."""
    return any(stream.host and stream.program for node in found.nodes for stream in node.streams)


@dataclass(frozen=True)
class CardNetwork:
    """Loopback addresses in place of the network of the cards.

    Attributes:
        first: First three numbers of its loopback addresses.
        boards: Addresses of boards in it, whose systems answer there for themselves.
        orders: Address for orders to disturb packets, by card, if there will be some.
    """

    first: str
    boards: Sequence[str]
    orders: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, found: MemoryMap, first: str, orders: Mapping[str, str]) -> CardNetwork:
        """Return that of a cluster."""
        programs = {one.program.address for node in found.nodes for one in node.streams if one.program}
        return cls(first, sorted(programs), orders)


def card_text(kind: str, node: MapNode, library: Path, network: CardNetwork) -> str:
    """Return the description of a card.

    Args:
        kind: Of file that its host would load.
        node: The card.
        library: Of its core.
        network: Of the cards.
    """
    pins = {stream.index: (stream.port, stream.direction == "rx") for stream in node.streams}
    ports = [(mover.ip, *pins[mover.stream]) for mover in node.movers]
    ports += [
        (f"{'in' if enters else 'out'}{one.dest}", port, enters)
        for one in node.channels
        for port, enters in (pins[one.stream],)
    ]
    lines = [f"{kind} of shellgen rehearse", f"core {node.ip or 'core'} {library}"]
    lines += [f"port {name} {port} {'in' if enters else 'out'}" for name, port, enters in ports]
    if joined_streams(node):
        orders = network.orders.get(node.name)
        lines += [f"network {network.first} {LOSS}", *([f"orders {orders}"] if orders else [])]
        lines += [f"board {address.rpartition('.')[2]}" for address in network.boards]
        lines += _units(node)
    return "\n".join(lines) + "\n"


def _units(node: MapNode) -> list[str]:
    """Return the kernels beside the core, by the number of the port that they serve, with its most rows."""
    numbers = {unit.name: _number(unit) for unit in node.units}
    rows = {
        numbers[unit.name]: register.count or 1
        for unit in node.units
        for register in unit.registers
        if register.name == "THEIR_IP"
    }
    return [
        f"unit {unit.ip} {unit.block} {numbers[unit.name]} {rows[numbers[unit.name]]}" for unit in node.units
    ]


def _number(unit: MapUnit) -> int:
    found = re.search(r"\d+$", unit.name)
    assert found
    return int(found[0])
