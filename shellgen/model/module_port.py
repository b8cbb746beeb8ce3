# SPDX-License-Identifier: BSD-3-Clause
"""The ports of a module of a partition, signal by signal, for all who declare or describe one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from shellgen.model.axilite import host_channels
from shellgen.model.port import AxiLitePort, OtherPort, StreamPort

Direction = Literal["in", "out"]


@dataclass(frozen=True)
class ModulePort:
    """One port of a Verilog module.

    Attributes:
        name: Its name.
        direction: Seen from the module.
        bits: Its width.
        vector: Whether it is declared with a range, as a TKEEP of one bit is, too.
    """

    name: str
    direction: Direction
    bits: int = 1
    vector: bool = False

    @property
    def keyword(self) -> str:
        """The direction in Verilog."""
        return f"{self.direction}put"

    @property
    def left(self) -> int:
        """Index of the highest bit."""
        return self.bits - 1


def stream_ports(stream: StreamPort) -> tuple[ModulePort, ...]:
    """Return the ports of an AXI4-Stream interface, in its own order."""
    keep = stream.tdata_bits // 8
    widths = {"TDATA": stream.tdata_bits, "TKEEP": keep, "TSTRB": keep}
    back: Direction = "out" if stream.direction == "in" else "in"
    return tuple(
        ModulePort(
            port, back if signal == "TREADY" else stream.direction, widths.get(signal, 1), signal in widths
        )
        for signal, port in stream.ports.items()
    )


def lite_ports(lite: AxiLitePort) -> tuple[ModulePort, ...]:
    """Return the ports of an AXI-Lite slave, in its own order."""
    channels = host_channels(lite.addr_bits, lite.data_bits // 8)
    known = {signal.upper(): (bits, driven) for signal, bits, driven in channels}
    found = []
    for signal, port in lite.ports.items():
        bits, driven = known[signal]
        found.append(ModulePort(port, "in" if driven else "out", bits, bits > 1))
    return tuple(found)


def other_ports(ports: Iterable[OtherPort]) -> tuple[ModulePort, ...]:
    """Return ports that belong to no interface."""
    return tuple(ModulePort(port.name, port.direction, port.bits, port.bits > 1) for port in ports)
