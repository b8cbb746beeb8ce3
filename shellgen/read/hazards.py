# SPDX-License-Identifier: BSD-3-Clause
"""Layers that are legal for FINN, and that can go wrong in hardware whatever surrounds them."""

from __future__ import annotations

from shellgen.model import Network, Partition
from shellgen.read.finn_onnx import FinnModel, Node

_MATRIX_UNIT = "mvu_vvu_axi.sv"  # FINN's; other RTL of the same layer has other faults, or none


def hazards(network: Network) -> list[str]:
    """Return a sentence for each such layer."""
    return [
        f"{partition.name}: {node.name}: {found}"
        for partition in network.partitions
        if isinstance(model := network.models.get(partition.name), FinnModel) and _has_matrix_unit(partition)
        for node in model.nodes
        if (found := _overflow(node) or _unsigned(node))
    ]


def _has_matrix_unit(partition: Partition) -> bool:
    return any(source.name.endswith(_MATRIX_UNIT) for source in partition.sources)


def _overflow(node: Node) -> str | None:
    """Find a matrix unit that can make a word in every cycle.

    What is in its pipeline when the reader stops does not fit its output queue then: the queue is as deep as
    the pipeline, and the stop is noticed a cycle late.
    """
    if node.op_type != "MVAU_rtl" or node.integer("MW") != node.integer("SIMD", 1):
        return None
    return (
        "SIMD is MW, so that it can make a word in every cycle; if what follows is slower, FINN's RTL loses "
        "words ('Overflowing output queue'). A smaller SIMD is safe"
    )


def _unsigned(node: Node) -> str | None:
    """Find weights without a sign: FINN chooses its RTL for signed ones, and minimises types after that."""
    kind = node.text("weightDataType") or ""
    if node.op_type not in ("MVAU_rtl", "VVAU_rtl") or not kind.startswith(("UINT", "BINARY")):
        return None
    return (
        f"its weights are {kind}, and FINN's RTL takes all weights for signed: those with the highest bit "
        "set count as negative. `shellgen stitch` gives such layers signed weights"
    )
