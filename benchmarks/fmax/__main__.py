# SPDX-License-Identifier: BSD-3-Clause
"""Clock rates and LUTs of shellgen's blocks beside the peers': python -m benchmarks.fmax [--only WORD ...].

Ours are placed and routed now, as `make fmax` does; the peers' figures are those of ../area/peers.toml,
placed with the same tools, harness and seeds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.fmax.rows import ROWS, Row
from tools.blocks.cost import best
from tools.blocks.placed import method, place

KNOWN = Path(__file__).parents[1] / "area" / "peers.toml"
FAMILIES = ("xc7", "xcup")  # LUT of 7-series and of UltraScale+
HEAD = f"{'':<40}{'MHz':>7}{'seeds from':>12}{'to':>7}{'LUT 7':>8}{'LUT U+':>8}{'MHz x':>8}"


def known() -> dict[str, list[dict[str, Any]]]:
    """Return the peers' placed figures by row."""
    content = tomllib.loads(KNOWN.read_text(encoding="ascii"))
    rows: dict[str, list[dict[str, Any]]] = {}
    for one in content["placed"]:
        rows.setdefault(one["row"], []).append(one)
    return rows


def differs() -> list[str]:
    """Return in what the tools of now differ from those that placed the peers."""
    told = tomllib.loads(KNOWN.read_text(encoding="ascii"))["method"]["placed"]
    return [f"{key} {told[key]}, now {now}" for key, now in method().items() if told.get(key, now) != now]


def line(name: str, seeds: Sequence[float], luts: Sequence[int], ratio: str) -> str:
    """Return a line of the table."""
    shown = [f"{rate:.1f}" for rate in (median(seeds), min(seeds), max(seeds))] if seeds else ["-"] * 3
    figures = f"{shown[0]:>7}{shown[1]:>12}{shown[2]:>7}"
    return f"  {name:<38}{figures}" + "".join(f"{lut or '-':>8}" for lut in luts) + f"{ratio:>8}"


def table(row: Row, peers: Sequence[Mapping[str, Any]]) -> list[str]:
    """Place one of our blocks; return its line, with the ratio to the fastest peer, and the peers."""
    with tempfile.TemporaryDirectory() as folder:
        subject = row.subject(Path(folder))
        luts = [best(subject, family).lut for family in FAMILIES]
        seeds = place(subject, row.seeds).seeds
    fastest = max((median(peer["mhz"]) for peer in peers if peer["mhz"]), default=0)
    ratio = f"{median(seeds) / fastest:.2f}" if fastest else "no peer"
    return [
        row.name,
        line(row.block, seeds, luts, ratio),
        *(line(one["peer"], one["mhz"], [one["lut"], one["lut_xcup"]], "") for one in peers),
    ]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="rows with all of these words")
    options = parser.parse_args()
    rows = [row for row in ROWS if all(word in row.name.split() for word in options.only)]
    if not rows:
        parser.error(f"no row has {' '.join(options.only)}; rows: {', '.join(row.name for row in ROWS)}")
    peers, start = known(), time.monotonic()
    print("nextpnr on ECP5, the seed in the middle; LUT by Yosys; x: ours over the fastest correct peer")
    for text in differs():
        print(f"the peers were placed with {text}")
    print(HEAD)
    for row in rows:
        print("\n".join(table(row, peers.get(row.name, []))), flush=True)
    print(f"{time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
