# SPDX-License-Identifier: BSD-3-Clause
"""Tcl scripts and constraints of the user, as a platform takes them."""

from __future__ import annotations

from collections.abc import Mapping

from shellgen.errors import Problem
from shellgen.model import Artifact, NodePlan, Plan
from shellgen.model.hooks import FOLDER, HookOptions, Moment
from shellgen.render import render

# Inputs of every stage of a vendor build that reads them.
HOOK_INPUTS = (f"{FOLDER}/*",)


def hook_problems(node: NodePlan, options: HookOptions, absent: Mapping[Moment, str]) -> list[Problem]:
    """Return the scripts for moments that the platform's flow does not have.

    Args:
        node: The node.
        options: Its options.
        absent: Why there is no such moment, by moment.
    """
    where = f"node {node.name}.options.{node.platform}.tcl"
    remedy = f"Remove it; there is {' and '.join(_others(absent)) or 'constraints'}"
    return [Problem(f"{where}.{moment}", why, remedy) for moment, why in absent.items() if options.at(moment)]


def _others(absent: Mapping[Moment, str]) -> list[str]:
    moments: tuple[Moment, ...] = ("block_design", "synthesis", "bitstream")
    return [f"tcl.{moment}" for moment in moments if moment not in absent]


def hook_script(  # noqa: PLR0913 - what it says and does
    plan: Plan,
    node: NodePlan,
    path: str,
    moment: Moment,
    options: HookOptions,
    *,
    first: str = "",
    marker: str = "",
) -> Artifact:
    """Return a script in a folder of the node that sources scripts of the user.

    Args:
        plan: The plan.
        node: The node.
        path: Of the script, relative to the output; its folder is in the folder of the node.
        moment: The moment.
        options: Of the node.
        first: Script beside it that is sourced before them.
        marker: Line that it prints at its end.
    """
    answers = {"moment": moment, "hooks": options.at(moment), "first": first, "marker": marker}
    return Artifact.text(path, render("tcl/hooks.tcl.j2", plan=plan, node=node, board=node.board, **answers))
