# SPDX-License-Identifier: BSD-3-Clause
"""Crossings between the clocks of a shell and of its partitions: AXI-Lite, resets, time limits."""

from __future__ import annotations

from shellgen.emit.instance import SHELL, Instance, compute_domain, wire
from shellgen.model import NodePlan
from shellgen.model.axilite import CHANNELS

# Cycles until a silent slave is answered SLVERR (ip/axil_root). A tree has one timer, at its root.
TIMEOUT = 1024
# Additional cycles of an access: the root's own and, if there is one, the crossing's.
MARGIN = 64
# Posted writes of a bridge (ip/axil_bridge). A host access waits for all of them at worst, each of which may
# meet a dead slave.
POSTED = 16
# Cycles of ip/shell_reset: the reset, and the time for slaves to come up.
RESET, OPEN = 64, 16
# The maximum deviation of a clock that platforms accept.
SLACK_PERCENT = 125


def shell_cycles(node: NodePlan, cycles: int) -> int:
    """Convert cycles of the partitions' clock to cycles of the shell's clock."""
    if not node.apart:
        return cycles
    return -(-cycles * node.clock_hz * SLACK_PERCENT // (100 * node.compute.hz)) + MARGIN


def near_timeout(node: NodePlan) -> int:
    """Return the time limit of the host's tree: above the worst case of everything behind it."""
    behind = shell_cycles(node, TIMEOUT + MARGIN)
    if node.bridge:
        return (POSTED + 4) * behind
    return behind if node.crossing else TIMEOUT


def reset_parameters(node: NodePlan) -> tuple[tuple[str, str], ...]:
    """Return the duration of a reset, if the partitions' clock makes it longer."""
    if not node.apart:
        return ()
    cycles, opening = _reset_times(node)
    return (("CYCLES", str(cycles)), ("OPEN", str(opening)))


def reset_cycles(node: NodePlan) -> int:
    """Return the maximum duration of a reset of an idle core, in cycles of the shell's clock."""
    return sum(_reset_times(node)) + MARGIN


def _reset_times(node: NodePlan) -> tuple[int, int]:
    """Return the duration of a reset and of the slaves' start, in cycles of the shell's clock."""
    return max(RESET, shell_cycles(node, RESET)), max(OPEN, shell_cycles(node, OPEN))


def sync_instances(node: NodePlan) -> list[Instance]:
    """Return the synchronisers of the host's resets to the partitions' clock."""
    if not node.apart:
        return []
    compute = compute_domain(node)
    return [
        Instance(
            module="shell_sync",
            name="u_compute_sync",
            comment="the resets of the host for the clock of the partitions",
            # Without slaves, the shut signal is not needed.
            wires=() if node.far_crossbars else (f"wire compute_unused = &{{1'b0, {compute.shut}}};",),
            parameters=(("W", "2"), ("INIT", "2'b00")),
            connections=(
                *compute.clocked,
                ("levels", f"{{{SHELL.shut}, {SHELL.inner}}}"),
                ("levels_here", f"{{{compute.shut}, {compute.inner}}}"),
            ),
        )
    ]


def lite_crossing(node: NodePlan, upstream: list[tuple[str, str]], addr_bits: int, prefix: str) -> Instance:
    """Return the crossing of AXI-Lite.

    Args:
        node: Node whose partitions have their own clock.
        upstream: Connections of its slave port.
        addr_bits: Address bits.
        prefix: Prefix of the nets at its master port.
    """
    compute = compute_domain(node)
    return Instance(
        module="axil_cdc",
        name="u_crossing",
        comment="AXI-Lite to the clock of the partitions",
        wires=tuple(wire(bits or addr_bits, f"{prefix}_{signal}") for signal, bits, _ in CHANNELS),
        parameters=(("ADDR_W", str(addr_bits)), ("DATA_W", "32")),
        connections=(
            ("s_axil_aclk", SHELL.clock),
            ("s_axil_aresetn", SHELL.reset),
            *upstream,
            ("m_axil_aclk", compute.clock),
            ("m_axil_aresetn", compute.reset),
            *((f"m_axil_{signal}", f"{prefix}_{signal}") for signal, _, _ in CHANNELS),
        ),
    )
