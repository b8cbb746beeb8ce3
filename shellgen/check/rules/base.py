# SPDX-License-Identifier: BSD-3-Clause
"""Declaration and registry of rules about the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps

from shellgen.model import NodePlan, Plan
from shellgen.model.memory_map import MemoryMap
from vivado_check.report import Message
from vivado_check.rules import base
from vivado_check.rules.base import RULES, Rule

from ..expected import expectation_of

__all__ = ["RULES", "Context", "all_rules", "rule"]


@dataclass(frozen=True)
class Context(base.Context):
    """Facts that a rule about the plan may use besides those of every rule.

    Attributes:
        node: Name of the node in plan.json that the scripts belong to; empty for a foreign script.
        plan: plan.json, or None for a foreign script; likewise memory_map.json, of the whole cluster.
        hdl: Whether what takes seconds was asked for.
    """

    node: str = ""
    plan: Plan | None = None
    memory_map: MemoryMap | None = None
    hdl: bool = False

    def __post_init__(self) -> None:
        if self.plan is not None and self.expected is None:
            object.__setattr__(self, "expected", expectation_of(self.plan, self.node))

    @property
    def planned_node(self) -> NodePlan:
        """Return the node of the plan; only for a generated folder."""
        assert self.plan is not None
        return self.plan.node(self.node)


Judge = Callable[[Context], Iterable[Message]]


def rule(name: str, *, scope: str, source: str, ours: bool = False) -> Callable[[Judge], Judge]:
    """Register a rule; ``ours`` limits it to generated folders, which have a plan.

    Args:
        ours: Whether it asks for the plan without looking whether there is one.
    """

    def register(judge: Judge) -> Judge:
        @wraps(judge)
        def judged(context: base.Context) -> Iterable[Message]:
            return judge(context) if isinstance(context, Context) else ()

        base.rule(name, scope=scope, source=source, ours=ours)(judged)
        return judge

    return register


def all_rules() -> tuple[Rule, ...]:
    """Return every rule, those about the plan among them, by name."""
    base.load(__package__)
    return base.all_rules()
