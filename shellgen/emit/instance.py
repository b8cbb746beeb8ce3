# SPDX-License-Identifier: BSD-3-Clause
"""Module instances of a core as data, with their clock and resets."""

from __future__ import annotations

from dataclasses import dataclass, field

from shellgen.model import NodePlan


@dataclass(frozen=True)
class Instance:
    """One module instance; ``connections`` are (port, expression), in order."""

    module: str
    name: str
    comment: str
    connections: tuple[tuple[str, str], ...]
    parameters: tuple[tuple[str, str], ...] = ()
    wires: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Domain:
    """The nets of a clock domain of the core.

    Attributes:
        clock: The clock.
        reset: Reset of the control plane.
        inner: Reset of the logic that the host can reset.
        shut: High while that logic is in reset and its slaves start.
    """

    clock: str
    reset: str
    inner: str
    shut: str

    @property
    def clocked(self) -> tuple[tuple[str, str], ...]:
        """Connections of a block of the control plane."""
        return (("aclk", self.clock), ("aresetn", self.reset))


SHELL = Domain("aclk", "aresetn", "inner_aresetn", "shut")


def compute_domain(node: NodePlan) -> Domain:
    """Return the domain of a node's partitions: that of the shell, unless they have their own clock."""
    if not node.apart:
        return SHELL
    return Domain(node.compute.name, node.compute.reset, "compute_inner_aresetn", "compute_shut")


def wire(bits: int, name: str) -> str:
    """Declare a net."""
    return f"wire {f'[{bits - 1}:0] ' if bits > 1 else ''}{name};"
