# SPDX-License-Identifier: BSD-3-Clause
"""What a platform must answer: the board project around a node's core."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shellgen.errors import Problem
from shellgen.model import Artifact, Board, NodePlan, Plan


class Platform(ABC):
    """How a core becomes a bitstream on one family of boards. Nobody outside the class asks which.

    Attributes:
        kind: The word in ``platform`` of a board file.
    """

    kind: ClassVar[str]

    @abstractmethod
    def link_bits_max(self, board: Board) -> int:
        """Return the widest TDATA, in bits, that the board can give a link port of the core."""

    @abstractmethod
    def stream_bits(self, board: Board, word_bits: int) -> int:
        """Return the TDATA, in bits, that suits partition words of ``word_bits`` bits."""

    @abstractmethod
    def frame_limit_bytes(self, board: Board) -> int:
        """Return the largest frame, in bytes, that one transfer carries."""

    @abstractmethod
    def lite_limit_bytes(self, board: Board) -> int:
        """Return how many bytes of address space the core's AXI-Lite slave may take."""

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
