# SPDX-License-Identifier: BSD-3-Clause
"""Results of builds."""

from __future__ import annotations

from dataclasses import dataclass, field

from shellgen.build.blame import Failure
from shellgen.build.scan import Counts


@dataclass
class Ran:
    """Result of a stage.

    Attributes:
        stage: Its name.
        result: ``waiting``, ``running``, ``done``, ``failed``, or ``before``: done by an earlier run.
        seconds: Duration.
        counts: Messages of the tools.
        memory: Peak memory in bytes.
    """

    stage: str
    result: str
    seconds: float = 0.0
    counts: Counts = field(default_factory=Counts)
    memory: int = 0


@dataclass(frozen=True)
class Built:
    """Result of a node.

    Attributes:
        name: The node.
        ran: Results of its stages.
        products: Products of the last stage, relative to the output folder; empty if the node failed.
        failure: The failure, if there is one.
    """

    name: str
    ran: tuple[Ran, ...]
    products: tuple[str, ...]
    failure: Failure | None


@dataclass(frozen=True)
class Report:
    """Results of all nodes.

    Attributes:
        nodes: Results of the requested nodes.
        notes: Further notes, one sentence each.
    """

    nodes: tuple[Built, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every node is built."""
        return all(node.failure is None for node in self.nodes)
