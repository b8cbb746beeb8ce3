# SPDX-License-Identifier: BSD-3-Clause
"""What a link kind must answer. Nobody outside the class asks which kind it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shellgen.errors import Problem
from shellgen.model import Board, Boundary, DirectPath, LinkPath, Usage


class Link(ABC):
    """What carries a stream between two nodes, or between a node and its host.

    Attributes:
        kind: The word used in cluster.toml, and the folder ``templates/links/<kind>/`` with
            ``rx.v.j2`` and ``tx.v.j2`` (what the core holds) and ``hop.v.j2`` (the bench's model
            between two cores).
        blocks: Modules of ``ip/`` that the templates instantiate.
        models: Modules of ``sim/`` that the bench template instantiates.
        about: What it is, in a sentence; for `shellgen list links`, as the next two.
        needs: What boards must have.
        options: What cluster.toml can say about it.
    """

    kind: ClassVar[str]
    blocks: ClassVar[tuple[str, ...]]
    models: ClassVar[tuple[str, ...]]
    about: ClassVar[str] = ""
    needs: ClassVar[str] = ""
    options: ClassVar[str] = ""

    @abstractmethod
    def link_bits(self, board: Board, word_bits: int) -> int:
        """Return the TDATA width of the core's link port for partition words of ``word_bits`` bits."""

    def most_frames(self, boundary: Boundary) -> int:  # noqa: ARG002 - a link without transfers
        """Return how many frames one transfer can carry: what the host may set at run time, 1 to 65535."""
        return 1

    @abstractmethod
    def check(self, boundary: Boundary, boards: tuple[Board, ...]) -> list[Problem]:
        """Return every reason why this link cannot carry the boundary between these boards."""

    def rx_usage(self, path: LinkPath) -> Usage:  # noqa: ARG002 - other links answer
        """Return what the core holds to receive a stream."""
        return Usage()

    def tx_usage(self, path: LinkPath) -> Usage:  # noqa: ARG002 - other links answer
        """Return what the core holds to send a stream."""
        return Usage()

    def direct_usage(self, path: DirectPath) -> Usage:  # noqa: ARG002 - other links answer
        """Return what the core holds between two partitions of one node."""
        return Usage()
