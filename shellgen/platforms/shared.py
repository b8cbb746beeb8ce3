# SPDX-License-Identifier: BSD-3-Clause
"""Answers that several platforms give alike."""

from __future__ import annotations

from shellgen.errors import Problem
from shellgen.model import NodePlan, Plan, Setting


def jobs(default: int, tool: str = "Vivado", words: tuple[str, ...] = ("JOBS={}",)) -> Setting:
    """Return the setting for the runs that a tool makes at once."""
    about = f"runs that {tool} makes at once"
    return Setting(name="JOBS", about=about, words=words, default=str(default), neutral=True, number=True)


def double_pumped_problems(plan: Plan, node: NodePlan, why: str) -> list[Problem]:
    """Return the problem with layers on a clock of twice the frequency, on a platform without one."""
    doubled = [name for name in node.partitions if plan.partition(name).clock2x]
    if not doubled:
        return []
    found = f"{', '.join(doubled)} needs a clock of twice the frequency in step with its own, and {why}"
    remedy = "Build it with pumped_compute = 0 and pumped_memory = 0, or place it on another kind of board"
    return [Problem(f"node {node.name}.partitions", found, remedy)]
