# SPDX-License-Identifier: BSD-3-Clause
"""What the host does before the first frame, as the links of a plan ask for it."""

from __future__ import annotations

from shellgen.errors import PlanError, Problem
from shellgen.links import link_registry
from shellgen.model import Plan, Step

_REMEDY = "This is a fault of the link kind, not of your cluster; tell its author"


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
        return [Problem(where, f"there is no node {step.node}", _REMEDY)]
    window = next((window for window in node.windows if window.name == step.unit), None)
    if window is None:
        known = ", ".join(window.name for window in node.windows)
        return [Problem(where, f"node {node.name} has no window {step.unit}; it has {known}", _REMEDY)]
    if step.offset >= window.size:
        found = f"offset {step.offset:#x} lies beyond the {window.size} bytes of {step.unit} of {node.name}"
        return [Problem(where, found, _REMEDY)]
    return []
