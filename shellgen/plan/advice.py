# SPDX-License-Identifier: BSD-3-Clause
"""Notes on legal decisions with unexpected costs."""

from __future__ import annotations

from collections.abc import Iterator

from shellgen.counted import counted
from shellgen.model import Fifo, Inner, Plan
from shellgen.plan.depth import notable
from shellgen.plan.fit import fit_notes, small_rings
from shellgen.plan.numbers import order_notes
from shellgen.platforms import platform_registry


def advice(plan: Plan) -> list[str]:
    """Return a sentence for each decision with a high cost."""
    platforms = platform_registry()
    around = [note for node in plan.nodes for note in platforms[node.platform].advice(plan, node)]
    return [*_streams(plan), *order_notes(plan), *small_rings(plan), *around, *fit_notes(plan)]


def _streams(plan: Plan) -> Iterator[str]:
    """Return a note for each large FIFO, and for each that holds less than its ring may need."""
    fifos = {one.boundary: one for one in plan.fifos}
    for node in plan.nodes:
        for path in node.inner:
            fifo = fifos[path.boundary]
            if path.depth < fifo.live:
                yield (
                    f"stream {path.boundary}: depth {path.depth} of its [[link]] is less than {fifo.live} "
                    "words: the cluster locks up if the other streams between its two ends hold back more; "
                    "without depth the FIFO holds enough"
                )
            elif fifo.spilled:
                yield _in_memory(path, node.name)
            elif path.ring and fifo.memory == "host" and not path.ring.port.host:
                yield (
                    f'stream {path.boundary}: buffer = "host" is the memory of {node.name} itself, '
                    'whose server runs on the board; "ddr" says the same'
                )
            elif path.ring is None and notable(path.depth, path.producer_word_bits):
                yield f"{_large(path, node.name)}, {_reason(fifo)}"


def _in_memory(path: Inner, node: str) -> str:
    words = f"{counted(path.depth, 'word')} of {counted(path.producer_word_bits, 'bit')}"
    return (
        f"stream {path.boundary}: its FIFO, {words}, is kept in the memory of {node}; "
        'buffer = "chip" in its [[link]] keeps it in the device'
    )


def _large(path: Inner, node: str) -> str:
    kib = path.depth * path.producer_word_bits / 8192
    bits = path.producer_word_bits
    words = f"{counted(path.depth, 'word')} of {counted(bits, 'bit')}"
    return f"stream {path.boundary}: a FIFO of {words}, {kib:.0f} KiB on {node}"


def _reason(fifo: Fifo) -> str:
    if fifo.reason in ("default", "stated"):
        return "as depth in its [[link]] states"
    text = "holds one frame, because its two ends are joined by other streams too"
    if fifo.reason == "curves":
        beside = " and ".join(fifo.beside) or "other streams"
        text = f"holds what its consumer waits for beside {beside}: at least {counted(fifo.live, 'word')}"
    return f"{text}; depth in its [[link]] changes that"
