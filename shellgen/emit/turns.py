# SPDX-License-Identifier: BSD-3-Clause
"""The registers that take replicas out, and the nets from them to deals and gathers."""

from __future__ import annotations

from shellgen.emit.instance import SHELL, Instance, compute_domain
from shellgen.emit.lite import SlaveNets
from shellgen.model import NodePlan, Partition, Plan
from shellgen.render import bit_range

_BITS = 16  # of each deal or gather, in ip/shell_turns


def turns_instances(node: NodePlan, nets: SlaveNets) -> list[Instance]:
    """Return the block and, if the partitions have a clock of their own, the crossing of its levels.

    They change in a reset of the partitions only, so that each bit may arrive by itself.
    """
    window = next((one for one in node.windows if one.name == "turns" and one.kind == "block"), None)
    if window is None:
        return []
    count = dict(window.counts)["N"]
    bits, net = _BITS * count, "turns_absent"
    compute = compute_domain(node)
    wires = [f"wire {bit_range(bits)} {net};", f"wire turns_unused = &{{1'b0, {net}}};"]
    found = [
        Instance(
            module="shell_turns",
            name="u_turns",
            comment="replicas that are out, and the number of the board",
            wires=tuple(wires),
            parameters=(("N", str(count)),),
            connections=(
                *SHELL.clocked,
                *((pin, f"turns_axil_{pin.removeprefix('s_axil_')}") for pin, _ in nets.own(window)),
                ("inner_aresetn", SHELL.inner),
                ("absent", net),
            ),
        )
    ]
    if node.apart:
        found.append(
            Instance(
                module="shell_sync",
                name="u_turns_sync",
                comment="the same for the clock of the partitions",
                wires=(
                    f"wire {bit_range(bits)} {net}_here;",
                    f"wire turns_here_unused = &{{1'b0, {net}_here}};",
                ),
                parameters=(("W", str(bits)),),
                connections=(*compute.clocked, ("levels", net), ("levels_here", f"{net}_here")),
            )
        )
    return found


def absent_net(plan: Plan, node: NodePlan, partition: Partition, bits: int) -> str:
    """Return the bits of a deal or gather: they are numbered in the order of the node's partitions."""
    number = taking_turns(plan, node).index(partition.name)
    return f"turns_absent{'_here' if node.apart else ''}{bit_range(bits, _BITS * number)}"


def taking_turns(plan: Plan, node: NodePlan) -> list[str]:
    """Return the deals and gathers of a node, by the number of their register."""
    return [name for name in node.partitions if plan.partition(name).takes_turns]
