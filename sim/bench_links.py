# SPDX-License-Identifier: BSD-3-Clause
"""Counters of links in a run: of their models in the bench, and of their blocks in the cores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench_lite import NodeLite
from bench_records import Bench, Counter
from bench_run import Watch
from bench_session import Session
from bench_verdict import Verdict

# By node, block and register: what it shows, what the model has counted, and whether that goes on.
Meters = dict[tuple[str, str, str], tuple[int, int, bool]]
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
                for name in _registers(node, one):
                    total += await lite.read(name)
            before = since[link.kind][one.text] if since else 0
            counts[one.text] = (total - before) % (1 << 32)
        found[link.kind] = counts
    return found


def _registers(node: dict[str, Any], counter: Counter) -> Iterator[str]:
    """Yield the registers of a node that have a counter, by the names that `NodeLite` has for them."""
    for block in node["blocks"]:
        for register in block["registers"] if block["block"] == counter.block else ():
            if register["name"] == counter.counter:
                name = f"{block['name']}_{counter.counter}".lower()
                count = register["count"]
                yield from [f"{name}_{k}" for k in range(count)] if count else [name]


def complaints(dut: Any, bench: Bench) -> list[Verdict]:
    """Return what the models of links have found wrong since the reset of the bench."""
    found = int(dut.link_errors.value)
    return [
        Verdict(link.kind, 1, 1, link.fault, proof="status")
        for bit, link in enumerate(bench.links)
        if found >> bit & 1
    ]


async def link_meters(dut: Any, session: Session, watch: Watch) -> Meters:
    """Return what registers of links' blocks show, and what models have counted; nothing may be under way."""
    shown: dict[tuple[str, str, str], int] = {}
    for link in session.bench.links:
        for node in session.maps["nodes"]:
            lite = NodeLite(dut, node)
            for block in node["blocks"]:
                for register in link.metered.get(block["block"], ()):
                    place = node["name"], block["name"], register
                    shown[place] = await lite.read(f"{block['name']}_{register}".lower())
    if not shown:
        return {}
    await watch.probe()
    own: dict[tuple[str, str, str], tuple[int, bool]] = {}
    for node_name, block_name in {place[:2] for place in shown}:
        for line in Path(f"{node_name}_{block_name}_meter.txt").read_text().splitlines():
            register, counted, goes_on = line.split()
            own[node_name, block_name, register] = int(counted), goes_on == "1"
    return {place: (value, *own[place]) for place, value in shown.items()}


def mismetered_links(before: Meters, after: Meters) -> list[Verdict]:
    """Compare what registers of links' blocks have counted in a run with what the models have."""
    faults = []
    for (node, block, register), (now, own_now, goes_on) in after.items():
        was, own_was, went_on = before[node, block, register]
        counted, wanted = (now - was) % (1 << 32), (own_now - own_was) % (1 << 32)
        if counted != wanted and not (goes_on or went_on):
            text = f"{register} counted {counted:,} of {wanted:,}"
            verdict = Verdict(f"{block} of {node}", wanted, max(1, abs(counted - wanted)), text)
            faults.append(verdict.about("status", ""))
    return faults


def _written(kind: str) -> dict[str, int]:
    path = _file(kind)
    if not path.exists():
        return {}
    rows = [line.rsplit(maxsplit=1) for line in path.read_text().splitlines()]
    return {text: int(number) for text, number in rows}


def _file(kind: str) -> Path:
    return Path(f"{kind}_counts.txt")
