# SPDX-License-Identifier: BSD-3-Clause
"""Count what a bulk load through the bridge costs, beside address, data and poll for every word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tools.blocks.block_bench import TOOLS, closure, run_sources

HERE = Path(__file__).parent
# Cycles of the host's own bus for a write and for a read; 250 are a PCIe read of 1 us at 250 MHz.
HOSTS = (("no cost", 0, 0), ("on-chip", 10, 20), ("PCIe", 4, 250))
EXTRA_WRITES = 1


@dataclass(frozen=True)
class Load:
    """Host accesses and cycles of one load."""

    words: int
    writes: int
    reads: int
    cycles: int


def measure(write_cycles: int, read_cycles: int) -> dict[str, Load]:
    """Simulate both ways of loading; every word is compared."""
    sources = [HERE / "bridge_load.sv", *sorted((TOOLS / "bench").glob("bench_lite_*.sv"))]
    sources += [*closure("axil_bridge"), *closure("axis_checker")]
    plusargs = (f"write={write_cycles}", f"read={read_cycles}")
    result = run_sources("bridge_load", sources, "verilator", plusargs)
    if not result.comparisons:
        raise SystemExit(result.text)
    rows = re.findall(r"^LOAD (\w+) (\d+) (\d+) (\d+) (\d+)$", result.text, re.MULTILINE)
    return {name: Load(*map(int, numbers)) for name, *numbers in rows}


def main() -> None:
    """Print the table; fail when the bridge needs more than W writes and a constant."""
    print(
        f"{'host':<10} {'way':<8} {'words':>6} {'writes':>7} {'reads':>6} {'cycles':>9} {'cycles/word':>12}"
    )
    for host, write_cycles, read_cycles in HOSTS:
        loads = measure(write_cycles, read_cycles)
        for way, load in loads.items():
            per_word = load.cycles / load.words
            counts = f"{load.words:>6} {load.writes:>7} {load.reads:>6} {load.cycles:>9}"
            print(f"{host:<10} {way:<8} {counts} {per_word:>12.1f}")
        ours = loads["bridge"]
        if ours.writes > ours.words + EXTRA_WRITES:
            raise SystemExit(f"{ours.writes} writes for {ours.words} words")
        print(f"{host:<10} ratio    {loads['plain'].cycles / ours.cycles:.1f}")


if __name__ == "__main__":
    main()
