# SPDX-License-Identifier: BSD-3-Clause
"""What became of builds."""

from __future__ import annotations

from dataclasses import dataclass, field

from shellgen.build.blame import Failure
from shellgen.build.scan import Counts


@dataclass
class Ran:
    """What became of a stage.

    Attributes:
        stage: Its name.
        result: ``waiting``, ``running``, ``done``, ``failed``, or ``before``: it was done already.
        seconds: What it has taken.
        counts: What the tools have said.
        memory: Bytes that it has taken at most.
    """

    stage: str
    result: str
    seconds: float = 0.0
    counts: Counts = field(default_factory=Counts)
    memory: int = 0


@dataclass(frozen=True)
class Built:
    """What became of a node.

    Attributes:
        name: The node.
        ran: Its stages.
        products: What the last has made, from the output folder; of a node that failed, nothing.
        failure: Why it failed, if it did.
    """

    name: str
    ran: tuple[Ran, ...]
    products: tuple[str, ...]
    failure: Failure | None


@dataclass(frozen=True)
class Report:
    """What became of all nodes.

    Attributes:
        nodes: Those that were asked for.
        notes: What else should be known, a sentence each.
    """

    nodes: tuple[Built, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every node is built."""
        return all(node.failure is None for node in self.nodes)
