# SPDX-License-Identifier: BSD-3-Clause
"""The words of shellgen as immutable records. Nothing here reads, decides or writes."""

from shellgen.model.artifact import Artifact
from shellgen.model.board import Board, Resources, Zynq
from shellgen.model.cluster import (
    ClusterSpec,
    LinkSpec,
    LiteSpec,
    NodeSpec,
    ReservedRange,
    StreamSpec,
    VerifySpec,
    WeightsSpec,
)
from shellgen.model.element import ElementType
from shellgen.model.partition import (
    AxiLitePort,
    Edge,
    Endpoint,
    Memory,
    Network,
    OtherPort,
    Partition,
    Registers,
    SourceFile,
    StreamPort,
    StreamRole,
)
from shellgen.model.plan import (
    Boundary,
    Crossbar,
    CrossbarPort,
    DirectPath,
    ExternalWeights,
    Golden,
    LinkPath,
    NodePlan,
    Plan,
    Window,
)

__all__ = [
    "Artifact",
    "AxiLitePort",
    "Board",
    "Boundary",
    "ClusterSpec",
    "Crossbar",
    "CrossbarPort",
    "DirectPath",
    "Edge",
    "ElementType",
    "Endpoint",
    "ExternalWeights",
    "Golden",
    "LinkPath",
    "LinkSpec",
    "LiteSpec",
    "Memory",
    "Network",
    "NodePlan",
    "NodeSpec",
    "OtherPort",
    "Partition",
    "Plan",
    "Registers",
    "ReservedRange",
    "Resources",
    "SourceFile",
    "StreamPort",
    "StreamRole",
    "StreamSpec",
    "VerifySpec",
    "WeightsSpec",
    "Window",
    "Zynq",
]
