# SPDX-License-Identifier: BSD-3-Clause
"""What links have counted in a run: their models in the bench, and their blocks in the cores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench_lite import NodeLite
from bench_records import Bench
from bench_session import Session

Counts = dict[str, dict[str, int]]


def forget(bench: Bench) -> None:
    """Remove what models have written in a run before."""
    for link in bench.links:
        _file(link.kind).unlink(missing_ok=True)


async def count(dut: Any, session: Session, since: Counts | None = None) -> Counts:
    """Return, by kind of link and words, what was counted.

    Args:
        dut: The bench top.
        session: Has the map.
        since: What was counted before, to be subtracted: registers are not cleared between runs. Models
            begin with each run and write at its end, so what they have written is left out without it.
    """
    found: Counts = {}
    for link in session.bench.links:
        counts = _written(link.kind) if since else {}
        for one in link.counters:
            total = 0
            for node in session.maps["nodes"]:
                lite = NodeLite(dut, node)
                for block in node["blocks"]:
                    if block["block"] == one.block:
                        total += await lite.read(f"{block['name']}_{one.counter}".lower())
            before = since[link.kind][one.text] if since else 0
            counts[one.text] = (total - before) % (1 << 32)
        found[link.kind] = counts
    return found


def _written(kind: str) -> dict[str, int]:
    path = _file(kind)
    if not path.exists():
        return {}
    rows = [line.rsplit(maxsplit=1) for line in path.read_text().splitlines()]
    return {text: int(number) for text, number in rows}


def _file(kind: str) -> Path:
    return Path(f"{kind}_counts.txt")
