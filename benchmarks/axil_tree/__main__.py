# SPDX-License-Identifier: BSD-3-Clause
"""Area, depth and rate of the emitted AXI-Lite tree, beside the peers: ``python -m benchmarks.axil_tree``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path

from shellgen.plan.tree import depth
from tools.blocks.axil_tree import BLOCKS, module, registers, tree
from tools.blocks.block_bench import run_sources
from tools.blocks.cost import FRONTENDS, Subject, measure

COUNTS = (1, 4, 16, 64, 256, 1024)
PEERS = Path(__file__).parents[1] / "area" / "peers.toml"


def cycles(count: int, scratch: Path) -> tuple[float, float]:
    """Return cycles a read and a write, from a simulation in which they follow each other without a pause."""
    top = scratch / "rate_top.sv"
    top.write_text(f"module rate_top;\n    rate #(.N({count})) u_rate ();\nendmodule\n")
    sources = [top, Path(__file__).with_name("rate.sv"), scratch / f"tree_{count}.v", *BLOCKS]
    # Not Icarus: over the wide vectors of 1024 slaves it takes more than five minutes.
    ran = run_sources("rate_top", sources, "verilator")
    if ran.code:
        raise SystemExit(ran.text)
    lines = [line for line in ran.text.splitlines() if line.startswith(("READ ", "WRITE "))]
    figures = {line.split()[0]: [int(word) for word in line.split()[1:]] for line in lines}
    (reads, read_cycles), (writes, write_cycles) = figures["READ"], figures["WRITE"]
    return read_cycles / reads, write_cycles / writes


def main() -> int:
    """Measure and print; exit code 1 when a tree has more than 5 levels, or 4 cycles and its registers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", nargs="*", type=int, default=list(COUNTS), metavar="N")
    parser.add_argument("--seconds", type=float, default=900, help="at most for one synthesis")
    options = parser.parse_args()
    failed = False
    print(f"{'N':>5} {'':42}{'LUT':>7}{'FF':>7}{'levels':>8}{'cycles: read':>14}{'write':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for count in options.counts:
            file = Path(folder) / f"tree_{count}.v"
            file.write_text(module(count))
            subject = Subject("axil_tree", (file, *BLOCKS))
            costs = [measure(replace(subject, frontend=fe), timeout=options.seconds) for fe in FRONTENDS]
            cost = min(costs, key=lambda each: (each.lut + each.ff, each.levels))
            read, write = cycles(count, Path(folder))
            nodes = tree(count)
            name = f"shellgen, {depth(nodes)} deep, {len(nodes)} nodes ({cost.frontend})"
            figures = f"{cost.lut:7}{cost.ff:7}{cost.levels:8}{read:14.2f}{write:7.2f}"
            print(f"{count:5} {name:42}{figures}", flush=True)
            failed |= cost.levels > 5 or max(read, write) > 4 + registers(nodes)
            for peer in tomllib.loads(PEERS.read_text())["figure"]:
                if peer["row"] == f"axil {count}" and peer["correct"]:
                    figures = f"{peer['lut']:7}{peer['ff']:7}{peer['levels']:8}{1 / peer['rate']:14.2f}"
                    print(f"{'':5} {peer['peer']:42}{figures}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
