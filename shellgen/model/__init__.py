# SPDX-License-Identifier: BSD-3-Clause
"""The words of shellgen as immutable records. Nothing here reads, decides or writes.

Pydantic takes a third of a second to make them all, so a module is imported when one of its records is
asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shellgen.model.artifact import Artifact
    from shellgen.model.attachment import Attachment, Claim, Converter, End, Inner, Pin, Unit
    from shellgen.model.board import Board, Resources
    from shellgen.model.bring_up import Step
    from shellgen.model.cluster import (
        Buffer,
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
    from shellgen.model.estimate_spec import EstimateSpec, ServerSpec
    from shellgen.model.fifo import Fifo
    from shellgen.model.flow import Flow, Pace
    from shellgen.model.partition import Edge, Endpoint, JoinKind, JunctionKind, Network, Partition, Registers
    from shellgen.model.plain import JsonObject
    from shellgen.model.plan import (
        Boundary,
        Crossbar,
        CrossbarPort,
        ExternalWeights,
        Golden,
        GoldenVectors,
        NodePlan,
        Plan,
        Window,
    )
    from shellgen.model.platform import Clock, Dock, HostWindow
    from shellgen.model.port import AxiLitePort, Memory, OtherPort, StreamPort, StreamRole
    from shellgen.model.ring import MemoryPort, Ring, RingPort
    from shellgen.model.script import Script
    from shellgen.model.source import DspLayer, MissingModule, PackagedIp, SourceFile
    from shellgen.model.stage import OtherProducts, Setting, Stage
    from shellgen.model.usage import BoardUsage, Estimate, NodeUsage, Region, Usage

__all__ = [
    "Artifact",
    "Attachment",
    "AxiLitePort",
    "Board",
    "BoardUsage",
    "Boundary",
    "Buffer",
    "Claim",
    "Clock",
    "ClusterSpec",
    "Converter",
    "Crossbar",
    "CrossbarPort",
    "Dock",
    "DspLayer",
    "Edge",
    "ElementType",
    "End",
    "Endpoint",
    "Estimate",
    "EstimateSpec",
    "ExternalWeights",
    "Fifo",
    "Flow",
    "Golden",
    "GoldenVectors",
    "HostWindow",
    "Inner",
    "JoinKind",
    "JsonObject",
    "JunctionKind",
    "LinkSpec",
    "LiteSpec",
    "Memory",
    "MemoryPort",
    "MissingModule",
    "Network",
    "NodePlan",
    "NodeSpec",
    "NodeUsage",
    "OtherPort",
    "OtherProducts",
    "Pace",
    "PackagedIp",
    "Partition",
    "Pin",
    "Plan",
    "Region",
    "Registers",
    "ReservedRange",
    "Resources",
    "Ring",
    "RingPort",
    "Script",
    "ServerSpec",
    "Setting",
    "SourceFile",
    "Stage",
    "Step",
    "StreamPort",
    "StreamRole",
    "StreamSpec",
    "Unit",
    "Usage",
    "VerifySpec",
    "WeightsSpec",
    "Window",
]

# The records of each module.
_RECORDS = {
    "artifact": "Artifact",
    "attachment": "Attachment Claim Converter End Inner Pin Unit",
    "board": "Board Resources",
    "bring_up": "Step",
    "cluster": "Buffer ClusterSpec LinkSpec LiteSpec NodeSpec ReservedRange StreamSpec VerifySpec "
    "WeightsSpec",
    "element": "ElementType",
    "estimate_spec": "EstimateSpec ServerSpec",
    "fifo": "Fifo",
    "flow": "Flow Pace",
    "partition": "Edge Endpoint JoinKind JunctionKind Network Partition Registers",
    "plain": "JsonObject",
    "plan": "Boundary Crossbar CrossbarPort ExternalWeights Golden GoldenVectors NodePlan Plan Window",
    "platform": "Clock Dock HostWindow",
    "port": "AxiLitePort Memory OtherPort StreamPort StreamRole",
    "ring": "MemoryPort Ring RingPort",
    "script": "Script",
    "source": "DspLayer MissingModule PackagedIp SourceFile",
    "stage": "OtherProducts Setting Stage",
    "usage": "BoardUsage Estimate NodeUsage Region Usage",
}
_WHERE = {name: module for module, names in _RECORDS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import the module of a record.

    Raises:
        AttributeError: There is no such name.
    """
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    return found
