# SPDX-License-Identifier: BSD-3-Clause
"""Input of the v++ linker: compute units, placement and stream connections; VNx brings its own wiring."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import NodePlan, Plan
from shellgen.platforms.vitis.facts import facts_of, options_of
from shellgen.platforms.vitis.kernel import INSTANCE, kernel_name
from shellgen.platforms.vitis.streams import Mover, kept, movers, networks


@dataclass(frozen=True)
class LinkConfig:
    """The content of link.cfg, and what the Makefile must build first.

    Attributes:
        frequencies: MHz of the platform's scalable clocks, from 0.
        units: (kernel, names of its compute units).
        regions: (compute unit, number of its SLR).
        memories: (memory port, bank).
        network: (master, slave) between VNx's kernels.
        streams: (master, slave) at our kernel.
        strategy: Vivado's implementation strategy; empty for its defaults.
        watched: Streams that a logic analyser watches.
        qsfps: QSFPs that are used.
        sockets: Rows of the socket table at each.
        movers: VNx's data movers that are used.
    """

    frequencies: tuple[int, ...]
    units: tuple[tuple[str, tuple[str, ...]], ...]
    regions: tuple[tuple[str, int], ...]
    memories: tuple[tuple[str, str], ...]
    network: tuple[tuple[str, str], ...]
    streams: tuple[tuple[str, str], ...]
    strategy: str
    watched: tuple[str, ...]
    qsfps: tuple[int, ...]
    sockets: int
    movers: tuple[str, ...]


def link_of(plan: Plan, node: NodePlan) -> LinkConfig:
    """Decide what is linked for a node."""
    used, found, options = networks(node), movers(node), options_of(node)
    qsfps = tuple(one.qsfp for one in used)
    return LinkConfig(
        frequencies=tuple(clock.hz // 1_000_000 for clock in node.clocks),
        units=_units(node, qsfps, found),
        regions=_regions(plan, node, qsfps, found),
        memories=(
            *((f"{mover.name}.m_axi_gmem", mover.bank) for mover in found),
            *((f"{INSTANCE}.{port.name}", bank) for port, bank in kept(node)),
        ),
        network=tuple(pair for qsfp in qsfps for pair in _mac(qsfp)),
        streams=(*_sockets(node), *map(_moved, found)),
        strategy="" if options.strategy == "default" else options.strategy,
        watched=tuple(pin.name for one in node.attachments for pin in one.pins) if options.ila else (),
        qsfps=qsfps,
        sockets=max((one.sockets for one in used), default=0),
        movers=tuple(sorted({mover.kernel for mover in found})),
    )


def kernel_region(plan: Plan, node: NodePlan) -> int | None:
    """Return the SLR of the whole kernel, or None for any: as asked for, or that of all its partitions."""
    asked = options_of(node).slr
    if asked is not None:
        return asked if asked >= 0 else None
    planned = set(_planned(plan, node).values())
    return planned.pop() if len(planned) == 1 else None


def placed_partitions(plan: Plan, node: NodePlan) -> dict[str, int]:
    """Return the SLR of each partition that FINN's floorplan places, where the kernel is not in one."""
    if options_of(node).slr is not None or kernel_region(plan, node) is not None:
        return {}
    return {name: slr for name, slr in _planned(plan, node).items() if slr is not None}


def _planned(plan: Plan, node: NodePlan) -> dict[str, int | None]:
    """Return what FINN's floorplan says of its own partitions; None for any."""
    parts = [plan.partition(name) for name in node.partitions]
    return {part.name: part.slr for part in parts if part.junction is None}


def _units(
    node: NodePlan, qsfps: tuple[int, ...], found: tuple[Mover, ...]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    units: list[tuple[str, tuple[str, ...]]] = [(kernel_name(node), (INSTANCE,))]
    units += [(f"cmac_{qsfp}", (f"cmac_{qsfp}",)) for qsfp in qsfps]
    if qsfps:
        units.append(("networklayer", tuple(f"networklayer_{qsfp}" for qsfp in qsfps)))
    for kernel in sorted({mover.kernel for mover in found}):
        units.append((kernel, tuple(mover.name for mover in found if mover.kernel == kernel)))
    return tuple(units)


def _regions(
    plan: Plan, node: NodePlan, qsfps: tuple[int, ...], found: tuple[Mover, ...]
) -> tuple[tuple[str, int], ...]:
    """VNx's kernels go where VNx's own configuration has them; movers without a network where v++ likes."""
    near, own = facts_of(node).network_slr, kernel_region(plan, node)
    network = [(f"{kernel}_{qsfp}", near) for qsfp in qsfps for kernel in ("cmac", "networklayer")]
    beside = [(mover.name, near) for mover in found if qsfps]
    return (*(() if own is None else ((INSTANCE, own),)), *network, *beside)


def _mac(qsfp: int) -> tuple[tuple[str, str], ...]:
    return (
        (f"cmac_{qsfp}.M_AXIS", f"networklayer_{qsfp}.S_AXIS_eth2nl"),
        (f"networklayer_{qsfp}.M_AXIS_nl2eth", f"cmac_{qsfp}.S_AXIS"),
    )


def _sockets(node: NodePlan) -> tuple[tuple[str, str], ...]:
    pairs = []
    for network in networks(node):
        for pin in network.pins:
            own = f"{INSTANCE}.{pin.name}"
            if pin.direction == "in":
                pairs.append((f"networklayer_{network.qsfp}.M_AXIS_nl2sk", own))
            else:
                pairs.append((own, f"networklayer_{network.qsfp}.S_AXIS_sk2nl"))
    return tuple(pairs)


def _moved(mover: Mover) -> tuple[str, str]:
    own, its = f"{INSTANCE}.{mover.pin.name}", f"{mover.name}.{mover.stream}"
    return (its, own) if mover.pin.direction == "in" else (own, its)
