# SPDX-License-Identifier: BSD-3-Clause
"""The core as an IP, whatever version of Coyote it goes into.

Coyote puts an application's files into one project with its own, where a name is one module.
Its hw/hdl/common has an `axis_arbiter`, and so do we. An IP is synthesised by itself.
"""

from __future__ import annotations

from shellgen.model import Artifact, NodePlan, Plan
from shellgen.platforms.sources import sort_sources
from shellgen.render import render

VENDOR, LIBRARY = "shellgen", "core"


def core_module(node: NodePlan) -> str:
    """Return the module of the core."""
    return f"{node.name}_core"


def core_ip(node: NodePlan) -> str:
    """Return the module that Vivado makes of the IP, for user logic to instantiate."""
    return f"{core_module(node)}_ip"


def core_revision(node: NodePlan) -> int:
    """Return a number that changes with the core: Vivado's cache of synthesised IP goes by it."""
    return int(node.build_id[:7], 16)


def core_artifacts(plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
    """Return the script that packages the core."""
    text = render(
        "platforms/coyote/core/package.tcl.j2",
        plan=plan,
        node=node,
        vendor=VENDOR,
        library=LIBRARY,
        revision=core_revision(node),
        top=core_module(node),
        sources=sort_sources(files),
    )
    return (Artifact.text(f"{node.name}/coyote/package.tcl", text),)
