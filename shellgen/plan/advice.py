# SPDX-License-Identifier: BSD-3-Clause
"""Notes on legal decisions with unexpected costs."""

from __future__ import annotations

from collections.abc import Iterator

from shellgen.model import Inner, Plan
from shellgen.plan.depth import SHALLOW, notable
from shellgen.plan.fit import fit_notes
from shellgen.plan.rings import rings
from shellgen.platforms import platform_registry


def advice(plan: Plan) -> list[str]:
    """Return a sentence for each decision with a high cost."""
    platforms = platform_registry()
    around = [note for node in plan.nodes for note in platforms[node.platform].advice(plan, node)]
    return [*_streams(plan), *around, *fit_notes(plan)]


def _streams(plan: Plan) -> Iterator[str]:
    """Return a note for each large FIFO, and for each that holds less than its ring may need."""
    pairs = {
        number: (one.producer.partition, one.consumer.partition)
        for number, one in enumerate(plan.boundaries)
        if one.producer and one.consumer
    }
    ringed = {plan.boundaries[number].name for ring in rings(pairs) for number in ring}
    for node in plan.nodes:
        for path in node.inner:
            if path.boundary in ringed and path.depth < path.producer_words:
                yield (
                    f"stream {path.boundary}: depth {path.depth} of its [[link]] is less than a frame, "
                    f"{path.producer_words} words: the cluster locks up if the other streams between its "
                    f"two ends hold back more; without depth the FIFO holds a frame"
                )
            elif notable(path.depth, path.producer_word_bits):
                yield f"{_large(path, node.name)}, {_reason(path, on_ring=path.boundary in ringed)}"


def _large(path: Inner, node: str) -> str:
    kib = path.depth * path.producer_word_bits / 8192
    bits = path.producer_word_bits
    return f"stream {path.boundary}: a FIFO of {path.depth} words of {bits} bits, {kib:.0f} KiB on {node}"


def _reason(path: Inner, *, on_ring: bool) -> str:
    if not on_ring or path.depth != max(SHALLOW, path.producer_words):
        return "as depth in its [[link]] states"
    text = "holds one frame, because its two ends are joined by other streams too"
    return f"{text}; depth in its [[link]] changes that"
