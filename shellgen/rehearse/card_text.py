# SPDX-License-Identifier: BSD-3-Clause
"""The card of a rehearsal, as host/node/card_model reads it: its core, ports, and kernels beside the core."""

from __future__ import annotations

import re
from pathlib import Path

from shellgen.model.memory_map import MapNode, MapUnit

LOSS = 64  # of 65,536 packets between cards: a network that loses none would not let anything be sent again


def joined_streams(node: MapNode) -> set[int]:
    """Return the streams of a card that hardware joins to other cards, which has a model behind XRT only."""
    if node.bus != "xrt":
        return set()
    moved = {mover.stream for mover in node.movers}
    return {one.index for one in node.streams if one.index not in moved and not one.host}


def card_text(kind: str, node: MapNode, library: Path, network: str) -> str:
    """Return the description of a card.

    Args:
        kind: Of file that its host would load.
        node: The card.
        library: Of its core.
        network: First three numbers of the loopback addresses that stand for the network of the cards.
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
        lines += [f"network {network} {LOSS}", *_units(node)]
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
