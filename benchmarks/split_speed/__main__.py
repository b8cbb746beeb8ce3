# SPDX-License-Identifier: BSD-3-Clause
"""Time the search of `shellgen split` for 200 layers and ResNet-50; `--check` fails on a missed target."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import onnx

from shellgen.model.folding import SplitNetwork
from shellgen.read import read_board
from shellgen.split import Desk, Split, Stock, Wanted, read_limits, split
from shellgen.stitch import survey_layers

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from published_networks import resnet50
from split_networks import network

# Channels of the chain: wide, narrow and uneven layers in turn, so that foldings differ from layer to layer.
CHANNELS = (64, 48, 96, 32, 120)


def chain(part: str) -> SplitNetwork:
    """Return 100 matrix units, and thresholds behind each but the last, without FINN."""
    return network(*(CHANNELS[at % len(CHANNELS)] for at in range(101)), vectors=16, part=part)


def surveyed(part: str) -> SplitNetwork:
    """Return ResNet-50 as FINN tells of it."""
    with tempfile.TemporaryDirectory(prefix="split_speed_") as folder:
        path = Path(folder) / "resnet50.onnx"
        onnx.save(resnet50(), path)
        return survey_layers(path, part)


# Network, board, number, replicas (0: as many as there are boards), and the seconds that it may take.
CASES: tuple[tuple[str, Callable[[str], SplitNetwork], str, int, int, float], ...] = (
    ("200 layers, --replicas 1", chain, "zedboard", 16, 1, 5.0),
    ("ResNet-50, --replicas 1", surveyed, "u280", 3, 1, 60.0),
    ("ResNet-50", surveyed, "u280", 3, 0, 60.0),
    ("200 layers", chain, "zedboard", 16, 0, 5.0),
)


def told(found: Split) -> str:
    """Return what came out."""
    parts = found.found.parts
    boards = sum(part.replicas for part in parts)
    exact = "" if found.found.exact else ", some sums of resources left out"
    onto = f"{len(parts)} part{'s' * (len(parts) != 1)} on {boards} board{'s' * (boards != 1)}"
    return f"{found.estimate.frames_per_second:,.0f} frames/s, {onto}{exact}"


def main() -> int:
    """Measure, print, and with --check judge the seconds of the processors."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.split_speed", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 when a target is missed")
    args = parser.parse_args()
    missed = False
    known: dict[tuple[str, str], SplitNetwork] = {}
    for name, make, board, count, replicas, needed in CASES:
        stock = Stock(board, read_board(board, Path()), count)
        key = (make.__name__, stock.board.part)
        if key not in known:
            known[key] = make(stock.board.part)
        limits = read_limits([], [board], "split_speed")
        wanted = Wanted(limits=limits, replicas=replicas) if replicas else Wanted(limits=limits)
        began = time.process_time()
        found = split(Desk.of([stock], {stock.board.part: known[key]}, wanted))
        took = time.process_time() - began
        print(
            f"{name:24} {count:2} {board:9} {took:6.1f} s of CPU, {needed:g} s needed  {told(found)}",
            flush=True,
        )
        missed |= took > needed
    return 1 if missed and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
