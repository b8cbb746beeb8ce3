# SPDX-License-Identifier: BSD-3-Clause
"""The registers that take replicas out, and the nets from them to deals and gathers."""

from __future__ import annotations

from shellgen.emit.instance import SHELL, Instance, compute_domain
from shellgen.emit.lite import SlaveNets
from shellgen.model import NodePlan, Partition, Plan, Window
from shellgen.render import bit_range

_BITS = 16  # of each deal or gather, in ip/shell_turns
_NET = "turns_absent"


def turns_instances(node: NodePlan, nets: SlaveNets) -> list[Instance]:
    """Return the block and, if the partitions have a clock of their own, the crossing of its levels.

    They change in a reset of the partitions only, so that each bit may arrive by itself.
    """
    window = _window(node)
    if window is None:
        return []
    count = dict(window.counts)["N"]
    bits, compute = _BITS * count, compute_domain(node)
    found = [
        Instance(
            module="shell_turns",
            name="u_turns",
            comment="replicas that are out, and the number of the board",
            parameters=(("N", str(count)),),
            connections=(
                *SHELL.clocked,
                *((pin, f"turns_axil_{pin.removeprefix('s_axil_')}") for pin, _ in nets.own(window)),
                ("inner_aresetn", SHELL.inner),
                ("absent", _NET),
            ),
        )
    ]
    if node.apart:
        found.append(
            Instance(
                module="shell_sync",
                name="u_turns_sync",
                comment="the same for the clock of the partitions",
                parameters=(("W", str(bits)),),
                connections=(*compute.clocked, ("levels", _NET), ("levels_here", f"{_NET}_here")),
            )
        )
    return found


def turns_nets(node: NodePlan) -> list[str]:
    """Return the declarations of these nets: tags use them, and deals and gathers behind the block."""
    window = _window(node)
    if window is None:
        return []
    span = bit_range(_BITS * dict(window.counts)["N"])
    lines = ["    // replicas that are out, of each deal and gather"]
    for net in (_NET, f"{_NET}_here") if node.apart else (_NET,):
        lines += [f"    wire {span} {net};", f"    wire {net}_unused = &{{1'b0, {net}}};"]
    return ["\n".join(lines)]


def _window(node: NodePlan) -> Window | None:
    return next((one for one in node.windows if one.name == "turns" and one.kind == "block"), None)


def absent_net(plan: Plan, node: NodePlan, partition: Partition, bits: int) -> str:
    """Return the bits of a deal or gather: they are numbered in the order of the node's partitions."""
    number = taking_turns(plan, node).index(partition.name)
    return f"{_NET}{'_here' if node.apart else ''}{bit_range(bits, _BITS * number)}"


def taking_turns(plan: Plan, node: NodePlan) -> list[str]:
    """Return the deals and gathers of a node, by the number of their register."""
    return [name for name in node.partitions if plan.partition(name).takes_turns]
