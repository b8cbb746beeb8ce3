# SPDX-License-Identifier: BSD-3-Clause
"""Pass 8: what only the whole system can break, and a proof of the address map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from shellgen.errors import PlanError, Problem
from shellgen.links import link_registry
from shellgen.model import Board
from shellgen.plan.address import FAR_ADDR_BITS, lite_limit
from shellgen.plan.devices import check_devices
from shellgen.plan.draft import Draft, NodeDraft
from shellgen.plan.tree import prove_tree
from shellgen.platforms import platform_registry
from shellgen.resources import clashes

RENAME = "Rename its module, since all of them may meet in one design; or remove the package"


def check_rules(draft: Draft) -> Draft:
    """Check names across the cluster, partition interfaces and clocks, then prove every address map.

    Raises:
        PlanError: Names that collide in generated Verilog; a partition on a device that cannot have it; a
            clock out of range.
    """
    problems: list[Problem] = []
    names = Counter(boundary.name for boundary in draft.boundaries)
    problems.extend(
        Problem(f"{draft.where}: link", f"two streams are both named {name}", "Rename one of the partitions")
        for name, count in names.items()
        if count > 1
    )
    for node in draft.nodes:
        problems.extend(_node_problems(draft, node))
        prove_tree(node.windows, node.crossbars, lite_limit(node))
        if node.far_windows:
            prove_tree(node.far_windows, node.far_crossbars, 1 << FAR_ADDR_BITS)
    if problems:
        raise PlanError(*problems)
    return draft


def _node_problems(draft: Draft, node: NodeDraft) -> list[Problem]:
    where = f"{draft.where}: node {node.name}"
    problems = []
    if not 1_000_000 <= node.clock_hz <= 1_000_000_000:
        found = f"clock of {node.clock_hz / 1e6:g} MHz"
        problems.append(Problem(f"{where}.clock_mhz", found, "Choose 1 to 1000 MHz"))
    tops = Counter(partition.top for partition in node.partitions)
    for top, count in tops.items():
        if count > 1:
            found = f"{count} partitions have the same top module {top}"
            problems.append(Problem(where, found, "Build them with different names"))
    return [*problems, *check_devices(node, where)]


def check_boards(boards: Mapping[str, Board]) -> None:
    """Check that platforms and links of the boards exist.

    Raises:
        PlanError: A platform or link kind of a board's file that nobody implements.
    """
    problems = [
        Problem(
            f"plug-in in {home.name}: {name}", "shellgen or another plug-in has a file of that name", RENAME
        )
        for name, home in clashes()
    ]
    for board in {board.where: board for board in boards.values()}.values():
        for field, names, registry in (
            ("platform", (board.platform,), set(platform_registry())),
            ("links", board.links, set(link_registry())),
        ):
            for name in names:
                if name not in registry:
                    remedy = f"Choose from: {', '.join(sorted(registry))}"
                    found = f"{name!r} is not known"
                    problems.append(Problem(f"{board.where}: {field}", found, remedy))
    if problems:
        raise PlanError(*problems)
