# SPDX-License-Identifier: BSD-3-Clause
"""Notes on legal decisions with unexpected costs."""

from __future__ import annotations

from shellgen.model import Plan
from shellgen.plan.depth import notable
from shellgen.plan.fit import fit_notes
from shellgen.platforms import platform_registry


def advice(plan: Plan) -> list[str]:
    """Return a sentence for each decision with a high cost."""
    streams = [
        f"stream {path.boundary}: a FIFO of {path.depth} words of {path.producer_word_bits} bits, "
        f"{path.depth * path.producer_word_bits / 8192:.0f} KiB on {node.name}, holds one frame, because its "
        f"two ends are joined by other streams too; depth in its [[link]] changes that"
        for node in plan.nodes
        for path in node.inner
        if notable(path.depth, path.producer_word_bits)
    ]
    platforms = platform_registry()
    around = [note for node in plan.nodes for note in platforms[node.platform].advice(plan, node)]
    return [*streams, *around, *fit_notes(plan)]
