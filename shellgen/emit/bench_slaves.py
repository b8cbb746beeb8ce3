# SPDX-License-Identifier: BSD-3-Clause
"""How the bench makes the AXI-Lite slaves of partitions fail: ports held at values, mode by mode."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.emit.taps import inner_clock
from shellgen.model import NodePlan, Plan

HEARD = ("awvalid", "wvalid", "arvalid")
TAKES = ("awready", "wready", "arready")
SAYS = ("bvalid", "rvalid")
HEARS = ("bready", "rready")
CODES = ("bresp", "rresp")
REGISTER_BITS = 32
PAYLOAD = ("awaddr", "awprot", "wdata", "wstrb", "araddr", "arprot")
WATCHED = (*PAYLOAD, *HEARD, *TAKES, *SAYS, *HEARS)


def _all(names: tuple[str, ...], value: str) -> dict[str, str]:
    return dict.fromkeys(names, value)


_DEAF = _all(HEARD, "1'b0")
# Number of a mode in the master's list (sim/axil_master.sv) -> what it is, and what its ports are held at.
MODES: dict[int, tuple[str, dict[str, str]]] = {
    1: ("silent: hears nothing, says nothing", _DEAF | _all(TAKES, "1'b0") | _all(SAYS, "1'b0")),
    2: ("SLVERR", _all(CODES, "2'd2")),
    3: ("DECERR", _all(CODES, "2'd3")),
    4: ("mute: takes all, answers nothing", _DEAF | _all(TAKES, "1'b1") | _all(SAYS, "1'b0")),
    5: (
        "late: a read that was given up is answered, once",
        {"rvalid": "1'b1", "bvalid": "1'b0"},
    ),
    6: (
        "late: a write that was given up is answered, once",
        {"bvalid": "1'b1", "rvalid": "1'b0"},
    ),
}


@dataclass(frozen=True)
class SlaveMode:
    """One way to fail: its number, what it is, and (path of a port in the bench, value) each."""

    number: int
    about: str
    forced: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class BenchSlave:
    """A slave of a partition.

    Attributes:
        number: On the node, from 1.
        region: Its name in the memory map.
        clock: The bench's net of its clock; a net inside would tick a delta cycle later.
        hears: Paths of the ports at which its answers are taken.
        ports: All that a mode holds.
        modes: Its ways to fail.
        reset: Path of its reset.
        addr_bits: Of its port.
        shift: The host's address of a register is so many bits further up.
        compared: 1 if it gets what the host sends as it is and when it does: no bridge, no second clock.
        watched: Signals that are looked at, and the path of each; the host's, where it has no such port.
    """

    number: int
    region: str
    clock: str
    hears: tuple[str, ...]
    ports: tuple[str, ...]
    modes: tuple[SlaveMode, ...]
    reset: str
    addr_bits: int
    shift: int
    compared: int
    watched: tuple[tuple[str, str], ...]


def bench_slaves(plan: Plan, node: NodePlan) -> tuple[BenchSlave, ...]:
    """Return the slaves of a node's partitions in the order of the partitions and of their ports."""
    found = []
    ports = [
        (plan.partition(name), lite) for name in node.partitions for lite in plan.partition(name).axilite
    ]
    for number, (partition, lite) in enumerate(ports, 1):
        path = f"u_{node.name}.u_{partition.name}"
        names = {signal.lower(): f"{path}.{port}" for signal, port in lite.ports.items()}
        modes = tuple(
            SlaveMode(mode, about, tuple((names[s], v) for s, v in held.items() if s in names))
            for mode, (about, held) in MODES.items()
        )
        used = tuple(dict.fromkeys(port for mode in modes for port, _ in mode.forced))
        region, clock = f"{partition.name}_{lite.name}", inner_clock(node)
        hears = tuple(names[signal] for signal in HEARS)
        watched = tuple(
            (signal, _watched(signal, names, lite.data_bits, f"{node.name}_{signal}")) for signal in WATCHED
        )
        plain = int(not (node.bridge or node.apart))
        fits = (f"{path}.{partition.reset}", lite.addr_bits, node.lite_scale.bit_length() - 1, plain, watched)
        found.append(BenchSlave(number, region, clock, hears, used, modes, *fits))
    return tuple(found)


def _watched(signal: str, names: dict[str, str], data_bits: int, host: str) -> str:
    """Return what is looked at: of 64 data bits the lower half."""
    part = {"wdata": "[31:0]", "wstrb": "[3:0]"}.get(signal, "") if data_bits != REGISTER_BITS else ""
    return names[signal] + part if signal in names else host
