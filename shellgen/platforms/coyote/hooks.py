# SPDX-License-Identifier: BSD-3-Clause
"""Hooks of the runs of Coyote's project, which source Tcl scripts of the user."""

from __future__ import annotations

from collections.abc import Iterator

from shellgen.model import Artifact, NodePlan, Plan, Script
from shellgen.model.hooks import Moment
from shellgen.platforms.coyote.facts import KIND, options_of
from shellgen.platforms.hooks import hook_script

NO_DESIGN = "the user logic of a vFPGA is no block design"
MOMENTS: tuple[Moment, ...] = ("synthesis", "bitstream")


def run_hooks(plan: Plan, node: NodePlan) -> Iterator[Artifact]:
    """Yield a hook for each moment that has scripts."""
    options = options_of(node)
    for moment in MOMENTS:
        if options.at(moment):
            yield hook_script(plan, node, f"{node.name}/{KIND}/before_{moment}.tcl", moment, options)


def run_scripts(node: NodePlan) -> tuple[Script, ...]:
    """Return the same for `shellgen check`: Coyote starts the runs, so no generated script reaches them."""
    options, part = options_of(node), node.board.part
    return tuple(
        Script(file=f"{KIND}/before_{moment}.tcl", opened=part) for moment in MOMENTS if options.at(moment)
    )
