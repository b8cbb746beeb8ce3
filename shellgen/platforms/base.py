# SPDX-License-Identifier: BSD-3-Clause
"""What a platform must answer: the board project around a node's core."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shellgen.errors import Problem
from shellgen.model import Artifact, NodePlan, Plan, Usage
from shellgen.model.memory_map import MapDma, MapInterruptController


class Platform(ABC):
    """How a core becomes a bitstream on one family of boards. Nobody outside the class asks which.

    Attributes:
        kind: The word in ``platform`` of a board file.
        about: What it is, in a sentence; for `shellgen list platforms`, as the next two.
        needs: What it takes to build.
        options: What cluster.toml can say about it.
    """

    kind: ClassVar[str]
    about: ClassVar[str] = ""
    needs: ClassVar[str] = ""
    options: ClassVar[str] = ""

    @abstractmethod
    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:
        """Return every reason why this node cannot be built on its board."""

    @abstractmethod
    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return the board project.

        Args:
            plan: The whole plan.
            node: The node to build; `check` found nothing.
            files: The core and all its sources, relative to the node's folder, in the order in which
                a compiler must read them.
        """

    def usage(self, node: NodePlan) -> Usage | None:  # noqa: ARG002 - other platforms answer
        """Return what the project puts around the core of a checked node, or None if nobody knows."""
        return None

    def dma(self, node: NodePlan) -> tuple[MapDma, ...]:  # noqa: ARG002 - a platform may have none
        """Return what moves frames between the host's memory and the core, ascending by address."""
        return ()

    def interrupt_controller(self, node: NodePlan) -> MapInterruptController | None:  # noqa: ARG002 - as above
        """Return what collects the interrupts of these, where the FPGA has one."""
        return None
