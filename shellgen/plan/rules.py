# SPDX-License-Identifier: BSD-3-Clause
"""Rules about the whole system, and the proof of the address map."""

from __future__ import annotations

from collections import Counter

from shellgen.errors import PlanError, Problem
from shellgen.plan.address import FAR_ADDR_BITS, lite_limit
from shellgen.plan.devices import check_devices
from shellgen.plan.docks import slot_problems
from shellgen.plan.draft import Draft, NodeDraft
from shellgen.plan.tree import prove_trees
from shellgen.resources import clashes

_MOST_HZ = 1_000_000_000
RENAME = "Rename its module, since all of them may meet in one design; or remove the package"


def check_rules(draft: Draft) -> Draft:
    """Check names across the cluster, partition interfaces and clocks, then prove every address map.

    Raises:
        PlanError: Names that collide in generated Verilog; more streams than a dock has slots; a partition on
            an unsuitable device; a clock out of range.
    """
    problems = slot_problems(draft)
    names = Counter(boundary.name for boundary in draft.boundaries)
    problems.extend(
        Problem(f"{draft.where}: link", f"two streams are both named {name}", "Rename one of the partitions")
        for name, count in names.items()
        if count > 1
    )
    for node in draft.nodes:
        problems.extend(_node_problems(draft, node))
        prove_trees(node, lite_limit(node), 1 << FAR_ADDR_BITS)
    if problems:
        raise PlanError(*problems)
    return draft


def _node_problems(draft: Draft, node: NodeDraft) -> list[Problem]:
    where = f"{draft.where}: node {node.name}"
    problems = []
    for clock, field in zip(node.clocks, ("clock_mhz", "compute_mhz"), strict=False):
        if not 1_000_000 <= clock.hz <= _MOST_HZ:
            found = f"clock of {clock.hz / 1e6:g} MHz"
            problems.append(Problem(f"{where}.{field}", found, "Choose 1 to 1000 MHz"))
    problems += _too_fast(node, where)
    tops = Counter(partition.top for partition in node.partitions)
    for top, count in tops.items():
        if count > 1:
            found = f"{count} partitions have the same top module {top}"
            remedy = "Put them on different nodes, or list a copy of the build's folder in build"
            problems.append(Problem(where, found, remedy))
    return [*problems, *check_devices(node, where)]


def _too_fast(node: NodeDraft, where: str) -> list[Problem]:
    """Refuse clocks that the device does not carry; double-pumped layers have one of twice the frequency."""
    most, doubled = node.board.most_clock_hz, any(one.clock2x for one in node.partitions)
    found = []
    for clock, field in zip(node.clocks, ("clock_mhz", "compute_mhz"), strict=False):
        times = 2 if doubled and clock is node.clocks[-1] else 1
        if most is None or times * clock.hz <= most or clock.hz > _MOST_HZ:
            continue
        said = f"{clock.hz / 1e6:g} MHz"
        said += (
            f", and twice that for double-pumped layers: {times * clock.hz / 1e6:g} MHz" if times > 1 else ""
        )
        limit = f"{said}; {node.board.where}: most_clock_hz says that the device carries {most / 1e6:g} MHz"
        found.append(Problem(f"{where}.{field}", limit, f"Choose at most {most / times / 1e6:g} MHz"))
    return found


def check_homes() -> None:
    """Check that files of plug-ins have unique names.

    Raises:
        PlanError: Two files with one name.
    """
    found = "shellgen or another plug-in has a file of that name"
    problems = [Problem(f"plug-in in {home.name}: {name}", found, RENAME) for name, home in clashes()]
    if problems:
        raise PlanError(*problems)
