# SPDX-License-Identifier: BSD-3-Clause
"""FINN's packaged IP in place of a partition's sources, where Vivado finds it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from shellgen.model import NodePlan, PackagedIp, Plan

RTL = ("verilog", "systemverilog")


@dataclass(frozen=True)
class PackagedPartition:
    """A partition packaged as IP, for the build script.

    Attributes:
        module: Module that the core instantiates; the IP gets this name.
        ip: Its entry in the catalogue.
        sources: RTL that the IP replaces, relative to the node's folder; no other partition there uses it.
    """

    module: str
    ip: PackagedIp
    sources: tuple[str, ...]


def packaged_partitions(plan: Plan, node: NodePlan) -> tuple[PackagedPartition, ...]:
    """Return the partitions of a node that may come from a catalogue, in network order.

    Two partitions of one name are left out: a catalogue holds one of them, and FINN calls all its stitched IP
    ``finn_design`` by default.
    """
    partitions = [plan.partition(name) for name in node.partitions]
    users = Counter(source.name for one in partitions for source in one.sources if source.kind in RTL)
    names = Counter(one.packaged.vlnv for one in partitions if one.packaged)
    return tuple(
        PackagedPartition(
            one.top,
            one.packaged,
            tuple(
                f"partition/{source.name}"
                for source in one.sources
                if source.kind in RTL and users[source.name] == 1
            ),
        )
        for one in partitions
        if one.packaged and names[one.packaged.vlnv] == 1
    )
