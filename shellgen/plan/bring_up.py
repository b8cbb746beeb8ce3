# SPDX-License-Identifier: BSD-3-Clause
"""The host's bring-up steps before the first frame, as the links of a plan define them."""

from __future__ import annotations

from shellgen.errors import PlanError, Problem
from shellgen.links import LINKS_FAULT, link_registry
from shellgen.model import NodePlan, Plan, Step
from shellgen.model.memory_map import MapBlock
from shellgen.registers import map_block, map_unit, register_at


def with_bring_up(plan: Plan) -> Plan:
    """Return the plan with the steps of all its links, by kind in the order of the nodes.

    Raises:
        PlanError: A step for a missing register.
    """
    kinds = dict.fromkeys(attachment.link for node in plan.nodes for attachment in node.attachments)
    steps = tuple((kind, step) for kind in kinds for step in link_registry()[kind].bring_up(plan))
    reached = {node.name: _reached(node) for node in plan.nodes} if steps else {}
    problems = [problem for kind, step in steps for problem in _problems(reached, kind, step)]
    every = [step for _, step in steps]
    problems += [
        Problem(
            f"link {kind}: bring_up",
            f"step {at} repeats the {step.again} steps before it: {found}",
            LINKS_FAULT,
        )
        for at, (kind, step) in enumerate(steps)
        if step.again and (found := _not_again(every, at))
    ]
    if problems:
        raise PlanError(*problems)
    return plan.model_copy(update={"bring_up": tuple(step for _, step in steps)})


def _reached(node: NodePlan) -> dict[str, tuple[MapBlock, int]]:
    """Return the windows and units of a node, by name, with the host bytes per 4 bytes of register."""
    windows = [window for window in node.windows if window.kind != "partition"]
    blocks = [(map_block(node, window), node.lite_scale) for window in windows]
    blocks += [(map_unit(node, unit), 1) for unit in node.units]
    return {block.name: (block, scale) for block, scale in blocks}


def _problems(reached: dict[str, dict[str, tuple[MapBlock, int]]], kind: str, step: Step) -> list[Problem]:
    if step.op == "barrier":
        return []
    where = f"link {kind}: bring_up"
    blocks = reached.get(step.node or "")
    if blocks is None:
        return [Problem(where, f"there is no node {step.node}", LINKS_FAULT)]
    found = blocks.get(step.unit or "")
    if found is None:
        known = ", ".join(blocks)
        return [Problem(where, f"node {step.node} has no window {step.unit}; it has {known}", LINKS_FAULT)]
    said = _missing(*found, step)
    return [Problem(where, said, LINKS_FAULT)] if said else []


def _not_again(steps: list[Step], at: int) -> str:
    """Return why the preceding steps cannot be repeated; empty if they can."""
    step = steps[at]
    if step.again > at:
        return f"there are {at}"
    before = steps[at - step.again : at]
    if any(one.op != "write" or one.node != step.node for one in before):
        return f"not all of them write to {step.node}"
    return ""


def _missing(block: MapBlock, scale: int, step: Step) -> str:
    """Return why a step is invalid for the registers of a window or unit; empty if it is valid."""
    accesses = [(step.op, step.offset)] + ([("reason", step.reason)] if step.reason is not None else [])
    for op, offset in accesses:
        if offset >= block.size // scale:
            size = block.size // scale
            return f"offset {offset:#x} lies beyond the {size} bytes of {step.unit} of {step.node}"
        if block.block is None:
            continue
        found = register_at(block, offset * scale)
        if found is None:
            return f"{block.block} has no register at {offset:#x}, and {step.unit} of {step.node} is one"
        name, register = found
        if op == "write" and "w" not in register.access:
            return f"{name} of {block.block} is written, and it can only be read"
        if op != "write" and "r" not in register.access:
            return f"{name} of {block.block} is waited for, and it cannot be read"
    return ""
