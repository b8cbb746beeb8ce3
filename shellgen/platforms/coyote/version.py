# SPDX-License-Identifier: BSD-3-Clause
"""Interface of a version of Coyote; no code outside the class tests for a version."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shellgen.errors import Problem
from shellgen.model import Artifact, NodePlan, Plan, Script, Stage
from shellgen.platforms.block_design import PlannedDesign
from shellgen.platforms.commands import Commands
from shellgen.platforms.coyote.facts import VersionName
from shellgen.platforms.settings import ToolSettings


class Version(ABC):
    """The way from a core to the user logic of one version of Coyote.

    Attributes:
        name: The word in cluster.toml.
        streams: Most host streams that a vFPGA has (N_STRM_AXI).
    """

    name: ClassVar[VersionName]
    streams: ClassVar[int]

    def first(self, node: NodePlan) -> int:  # noqa: ARG002 - a version may take some itself
        """Return the first host stream that the core may take."""
        return 0

    @abstractmethod
    def problems(self, plan: Plan, node: NodePlan) -> list[Problem]:
        """Return what this version cannot do for a node, besides what no version can."""

    def advice(self, node: NodePlan) -> list[str]:  # noqa: ARG002 - most versions know of nothing
        """Return what is known to go wrong on such a card, though it builds."""
        return []

    @abstractmethod
    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return the application of a checked node; ``files`` are as of `Platform.artifacts`."""

    def designs(self, node: NodePlan) -> tuple[PlannedDesign, ...]:  # noqa: ARG002 - a version may make none
        """Return what the scripts make of block designs."""
        return ()

    @abstractmethod
    def commands(self, node: NodePlan) -> Commands:
        """Return what the Makefile runs."""

    def settings(self, node: NodePlan) -> ToolSettings:  # noqa: ARG002 - a version may have none
        """Return as `Platform.settings`."""
        return ToolSettings()

    @abstractmethod
    def stages(self, node: NodePlan) -> tuple[Stage, ...]:
        """Return what `shellgen build` runs after the core has been packaged."""

    @abstractmethod
    def scripts(self, node: NodePlan) -> tuple[Script, ...]:
        """Return what `shellgen check` runs after what packages the core."""
