# SPDX-License-Identifier: BSD-3-Clause
"""The estimate against the RTL at full rate: of a report, and of clusters drawn by a seed.

Widths that divide and that do not, layers slow beside fast ones, streams inside a board and between boards.
"""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

from cluster_bench import Chain, read_report

from shellgen.estimate.bench import Compared, compared
from shellgen.read.output import read_plan
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.simulate.tools import Simulator

RATE, FRAME = 0.03, 0.05  # errors of frames/s, and of the cycle of a frame's last word
FEW_CYCLES = 40  # registers of cores and links that the estimate does not count
SEEDS = range(1, 31)
_MOST_FOLD = 6  # of which Icarus makes a model fast
_BOARDS = ("zedboard", "zedboard", "zcu104")


def chain(seed: int) -> Chain:
    """Draw two to five layers, their folding, the cuts between them and the boards."""
    draw = random.Random(seed)
    layers = draw.randint(2, 5)
    widths = [draw.choice((8, 12, 16, 24, 32)) for _ in range(layers)] + [draw.choice((4, 6, 10))]
    folds = [
        (draw.choice(_folds(out)), draw.choice(_folds(into)), draw.choice(_folds(out)))
        for into, out in pairwise(widths)
    ]
    cuts = [0]
    for _ in range(layers - 1):
        cuts.append(cuts[-1] + draw.randint(0, 1))
    nodes: list[tuple[str, str, tuple[int, ...]]] = []
    first, parts = 0, cuts[-1] + 1
    while first < parts:
        own = tuple(range(first, min(parts, first + draw.choice((1, 1, 2)))))
        first += len(own)
        nodes.append((f"n{len(nodes)}", draw.choice(_BOARDS), own))
    kind = draw.choice(("UINT3", "INT4", "UINT2"))
    return Chain(tuple(widths), kind, tuple(folds), tuple(cuts), tuple(nodes))


def _folds(size: int) -> list[int]:
    return [fold for fold in range(1, min(size, _MOST_FOLD) + 1) if size % fold == 0]


# Two partitions on one board whose FIFO holds half a frame: each waits for the other, 772 cycles a frame,
# where the slower one takes 640 alone.
COUPLED = Chain((16, 64, 10), "UINT3", ((1, 2, 1), (1, 1, 1)), (0, 1), (("n0", "zedboard", (0, 1)),))


def measured(drawn: Chain, folder: Path, simulator: Simulator, frames: int = 16) -> Compared:
    """Generate a cluster, run it at full rate and return its estimate beside the run."""
    out = drawn.generate(folder)
    options = SimulateOptions(frames=frames, walk=False, control=False, stalled=False)
    report = simulate(out, simulator, options)
    assert report.full_rate
    return compared(read_plan(out), report.full_rate, report.clock_hz)


def beside(out: Path, document: dict[str, Any]) -> Compared:
    """Return the estimate of a cluster beside the run at full rate of its report."""
    report = read_report(document)
    assert report.full_rate
    return compared(read_plan(out), report.full_rate, report.clock_hz)


def missed(found: Compared) -> list[str]:
    """Return the goals that an estimate misses."""
    wrong = []
    if found.rate_error is None or abs(found.rate_error) > RATE:
        wrong.append(f"frames/s {found.rate_error}")
    for number, (ours, theirs) in enumerate(zip(found.arrivals, found.arrived, strict=True)):
        if abs(ours - theirs) > max(FRAME * theirs, FEW_CYCLES):
            wrong.append(f"frame {number}: {ours:,} of {theirs:,}")
            break
    return wrong
