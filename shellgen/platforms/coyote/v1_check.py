# SPDX-License-Identifier: BSD-3-Clause
"""Limits of Coyote v1 that a plan may exceed, checked before any file is written."""

from __future__ import annotations

from collections.abc import Iterator

from shellgen.errors import Problem
from shellgen.model import NodePlan
from shellgen.platforms.contract import Contract, PinRole
from shellgen.platforms.coyote.facts import CLOCK_HZ, options_of
from shellgen.platforms.coyote.streams import ENGINE, MEMORY
from shellgen.platforms.coyote.v1_design import CONTROL_BITS, KERNEL_CLOCK_HZ, accl_design
from shellgen.platforms.coyote.v1_engine import ROLES, has_engine

MEGA = 1_000_000


def v1_problems(node: NodePlan) -> list[Problem]:
    """Return every reason why v1 cannot build this node; empty if it can."""
    where = f"node {node.name}"
    return [
        *_regions(node, f"{where}.options.{node.platform}"),
        *_network(node, f"{where}.options.{node.platform}"),
        *_clock(node, where),
        *_memory(node, where),
        *_windows(node, where),
        *_pins(node),
    ]


def _regions(node: NodePlan, where: str) -> Iterator[Problem]:
    """ACCL's requests have one bit for the vFPGA, and an application has no place for user logic."""
    options = options_of(node)
    for field, count in (("regions", options.regions), ("configs", options.configs)):
        if count > 1:
            found = f"{count}; for Coyote v1 a single vFPGA with one configuration is written"
            yield Problem(
                f"{where}.{field}", found, "Leave it out, or take version v2 if the node has no ACCL"
            )


def _network(node: NodePlan, where: str) -> Iterator[Problem]:
    options = options_of(node)
    if options.network and not has_engine(node):
        found = f'"{options.network}" is what ACCL is to send through, and no link of this node uses ACCL'
        yield Problem(f"{where}.network", found, "Leave it out")
    if options.rdma:
        found = "Coyote v1 gets a network with ACCL only"
        yield Problem(
            f"{where}.rdma",
            found,
            f"Leave it out; what ACCL sends through, options.{node.platform}.network says",
        )


def _clock(node: NodePlan, where: str) -> Iterator[Problem]:
    """ACCL's kernels share the core's clock, since nothing in its design crosses to another."""
    if has_engine(node) and node.clock_hz != KERNEL_CLOCK_HZ:
        found = f"{node.clock_hz / MEGA:g} MHz; beside ACCL, whose kernels are packaged for it, the core has "
        yield Problem(f"{where}.clock_mhz", f"{found}{CLOCK_HZ // MEGA} MHz", "Leave it out")


def _memory(node: NodePlan, where: str) -> Iterator[Problem]:
    """Streams in memory need requests of user logic, which here are those of ACCL's engine."""
    for one in node.attachments:
        if one.dock == MEMORY:
            found = (
                "streams in memory are written for Coyote v2 alone; in v1 requests are those of ACCL's engine"
            )
            remedy = 'Say buffer = "chip", or take version v2 if the node has no ACCL'
            yield Problem(f"{where}: link {one.link}", found, remedy)


def _windows(node: NodePlan, where: str) -> Iterator[Problem]:
    """The one window that can leave the core is ACCL's."""
    taken = False
    for one in node.attachments:
        for claim in one.claims:
            if not claim.leaves:
                continue
            if one.dock != ENGINE or taken:
                found = (
                    f"its window {claim.name} leaves the core as m_axil_{claim.name}, and nothing takes it"
                )
                remedy = "Choose a link whose registers are in the core, or a board of another platform"
                yield Problem(f"{where}: link {one.link}", found, remedy)
            elif claim.addr_bits > CONTROL_BITS:
                found = f"its window {claim.name} has {claim.addr_bits} address bits, and ACCL {CONTROL_BITS}"
                yield Problem(f"{where}: link {one.link}", found, "Correct the link")
            taken |= one.dock == ENGINE


def _pins(node: NodePlan) -> list[Problem]:
    """A link of a plug-in may ask for what the engine does not have."""
    ports = {port.name: port for port in accl_design("rdma").ports}
    roles = (
        PinRole(
            role,
            "out" if ports[name].mode == "Slave" else "in",
            8 * ports[name].data_bytes,
            framed=False,
            single=False,
            most=1,
        )
        for role, name in ROLES.items()
    )
    return Contract(tuple(roles)).problems(ENGINE, node)
