# SPDX-License-Identifier: BSD-3-Clause
"""Check that a board's device has the primitives of its partitions."""

from __future__ import annotations

import logging

from shellgen.errors import Problem
from shellgen.model import Partition
from shellgen.model.device import DSP_SLICES, dsp_of
from shellgen.plan.draft import NodeDraft

_LOG = logging.getLogger("shellgen.plan")


def check_devices(node: NodeDraft, where: str) -> list[Problem]:
    """Compare the DSP slices that layers instantiate, and the parts of partitions, with a board.

    Vivado puts an older slice into a newer device (UG974 lists what it retargets), but not the reverse.

    Returns:
        A problem for each partition whose layers need a newer device. A partition that works but was built
        for another device family is a warning: FINN chose folding, clock and memories for that family.
    """
    board, problems = node.board, []
    has = dsp_of(board.part)
    for partition in node.partitions:
        older = [layer for layer in partition.dsp_layers if _is_newer(layer.dsp, has)]
        if older:
            names = ", ".join(layer.layer for layer in older)
            found = f"{names} of {partition.name} {'is' if len(older) == 1 else 'are'} made of {older[0].dsp}"
            found += f", and {board.part} of {board.name} has {has}"
            remedy = f"Build {partition.name} for {board.part}, or place it on a board with {older[0].dsp}"
            problems.append(Problem(where, found, remedy))
        elif _built_for_another(partition, has):
            text = "%s: %s was built for %s (%s), and %s has %s (%s)"
            what = partition.part or partition.dsp_layers[0].layer
            _LOG.warning(text, where, partition.name, what, _needs(partition), board.name, board.part, has)
    return problems


def _is_newer(slice_: str, has: str | None) -> bool:
    return has is not None and DSP_SLICES.index(slice_) > DSP_SLICES.index(has)


def _needs(partition: Partition) -> str | None:
    told = dsp_of(partition.part or "")
    return told or (partition.dsp_layers[0].dsp if partition.dsp_layers else None)


def _built_for_another(partition: Partition, has: str | None) -> bool:
    return None not in (has, _needs(partition)) and _needs(partition) != has
