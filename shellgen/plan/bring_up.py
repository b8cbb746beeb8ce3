# SPDX-License-Identifier: BSD-3-Clause
"""What the host does before the first frame, as the links of a plan ask for it."""

from __future__ import annotations

from shellgen.errors import PlanError, Problem
from shellgen.links import LINKS_FAULT, link_registry
from shellgen.model import NodePlan, Plan, Step, Window
from shellgen.registers import map_block, register_at


def with_bring_up(plan: Plan) -> Plan:
    """Return the plan with the steps of all its links, kind by kind as they appear on the nodes.

    Raises:
        PlanError: A step for a register that is not there.
    """
    kinds = dict.fromkeys(attachment.link for node in plan.nodes for attachment in node.attachments)
    steps = tuple((kind, step) for kind in kinds for step in link_registry()[kind].bring_up(plan))
    problems = [problem for kind, step in steps for problem in _problems(plan, kind, step)]
    if problems:
        raise PlanError(*problems)
    return plan.model_copy(update={"bring_up": tuple(step for _, step in steps)})


def _problems(plan: Plan, kind: str, step: Step) -> list[Problem]:
    if step.op == "barrier":
        return []
    where = f"link {kind}: bring_up"
    node = next((node for node in plan.nodes if node.name == step.node), None)
    if node is None:
        return [Problem(where, f"there is no node {step.node}", LINKS_FAULT)]
    windows = [window for window in node.windows if window.kind != "partition"]
    window = next((window for window in windows if window.name == step.unit), None)
    if window is None:
        known = ", ".join(window.name for window in windows)
        return [Problem(where, f"node {node.name} has no window {step.unit}; it has {known}", LINKS_FAULT)]
    found = _missing(node, window, step)
    return [Problem(where, found, LINKS_FAULT)] if found else []


def _missing(node: NodePlan, window: Window, step: Step) -> str:
    """Say why a step cannot be done to the registers of a window; empty if it can."""
    if step.offset >= window.size:
        return f"offset {step.offset:#x} lies beyond the {window.size} bytes of {step.unit} of {node.name}"
    if window.block is None:
        return ""
    found = register_at(map_block(node, window), step.offset * node.lite_scale)
    if found is None:
        return f"{window.block} has no register at {step.offset:#x}, and {step.unit} of {node.name} is one"
    name, register = found
    if step.op == "write" and "w" not in register.access:
        return f"{name} of {window.block} is written, and it can only be read"
    if step.op == "until" and "r" not in register.access:
        return f"{name} of {window.block} is waited for, and it cannot be read"
    return ""
