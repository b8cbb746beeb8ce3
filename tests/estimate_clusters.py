# SPDX-License-Identifier: BSD-3-Clause
"""The estimate against the RTL at full rate: of a report, and of clusters drawn by a seed.

Chains, replicas, branches that join and edges that go past one; widths that divide and that do not, layers
slow beside fast ones, streams inside a board and between boards, FIFOs from tight to ample.
"""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

from branch_cluster import made_type, write_build, write_cluster
from cluster_bench import Chain, read_report

from shellgen.api import generate
from shellgen.estimate.bench import Compared, compared
from shellgen.read.output import read_plan
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.simulate.tools import Simulator

RATE, FRAME = 0.03, 0.05  # errors of frames/s, and of the cycle of a frame's last word
SEEDS = range(1, 31)
# A concat whose second input is late, frames of a few beats over a link, a burst of beats, words that come
# slower than the layer behind could take them, and a layer whose first word needs the late input of a concat.
FOUND = (46, 51, 55, 75, 82)
SHAPES = ("chain", "replicas", "join", "skip")  # in turn
DEPTHS = (2, 3, 8, 32, 256)  # of FIFOs inside a board, from tight to ample
_MOST_FOLD = 6  # of which Icarus makes a model fast
_BOARDS = ("zedboard", "zedboard", "zcu104")


def cluster(seed: int, folder: Path) -> Path:
    """Write the cluster of a seed: a chain, replicas, branches that join, or an edge past a branch."""
    draw = random.Random(seed)
    shape = SHAPES[seed % len(SHAPES)]
    folder.mkdir(parents=True, exist_ok=True)
    if shape in ("join", "skip"):
        return _graph(draw, folder, skip=shape == "skip")
    drawn = chain(seed)
    path = drawn.write_inputs(folder)
    text, partitions = path.read_text(), drawn.cuts[-1] + 1
    for one, two in pairwise(range(partitions)):
        if any({one, two} <= set(own) for _, _, own in drawn.nodes):
            text += f'[[link]]\nfrom = "{one}"\nto = "{two}"\ndepth = {draw.choice(DEPTHS)}\n'
    if shape == "replicas":
        name = draw.choice(drawn.nodes)[0]
        share = draw.choice(("", "", "share = [2, 1]\n"))
        more = f"replicas = {2 if share else draw.choice((2, 3))}\n{share}"
        text = text.replace(f'name = "{name}"\n', f'name = "{name}"\n{more}')
    path.write_text(text)
    return path


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


def _graph(draw: random.Random, folder: Path, *, skip: bool) -> Path:
    """Write two branches and a head behind their join, or a stem whose frames go past a branch as well."""
    into, out, vectors = draw.choice((8, 12, 16)), draw.choice((4, 6, 9, 12)), draw.choice((1, 3))
    outs = (out, out)
    join = "sum" if skip else draw.choice(("concat", "sum"))

    def build(name: str, widths: tuple[int, ...], taken: str) -> str:
        folds = [(draw.choice(_folds(two)), draw.choice(_folds(one))) for one, two in pairwise(widths)]
        write_build(folder / name, widths, taken, folds, vectors=vectors, seed=draw.randrange(99))
        return made_type(folder / name)

    if join == "concat":
        outs = (out, draw.choice((4, 6, 8)))
    kinds = [build("b0", (into, outs[0]), "UINT4")]
    kinds.append(build("b1", (out, out) if skip else (into, outs[1]), kinds[0] if skip else "UINT4"))
    taken = kinds[0] if join == "concat" else f"INT{max(int(kind[3:]) for kind in kinds) + 1}"
    build("head", (sum(outs) if join == "concat" else out, draw.choice((4, 10))), taken)
    places = draw.choice((("[0]", "[1]", "[2]"), ("[0, 2]", "[1]"), ("[0]", "[1, 2]"), ("[0, 1, 2]",)))
    nodes = [(f"n{number}", draw.choice(_BOARDS), place) for number, place in enumerate(places)]
    links = '[[link]]\nfrom = "0"\nto = "1"\n' if skip else '[[link]]\nfrom = "host"\nto = ["0", "1"]\n'
    links += f'[[link]]\nfrom = ["0", "1"]\nto = "2"\njoin = "{join}"\n'
    return write_cluster(folder, ["b0", "b1", "head"], nodes, links)


def _folds(size: int) -> list[int]:
    return [fold for fold in range(1, min(size, _MOST_FOLD) + 1) if size % fold == 0]


# Two partitions on one board whose FIFO holds half a frame: each waits for the other, 772 cycles a frame,
# where the slower one takes 640 alone.
COUPLED = Chain((16, 64, 10), "UINT3", ((1, 2, 1), (1, 1, 1)), (0, 1), (("n0", "zedboard", (0, 1)),))


def measured(path: Path, simulator: Simulator, frames: int = 16) -> Compared:
    """Generate a cluster, run it at full rate and return its estimate beside the run."""
    out = path.parent / "out"
    generate(path, out)
    return streamed(out, simulator, frames)


def streamed(out: Path, simulator: Simulator, frames: int) -> Compared:
    """Run what was generated at full rate over perfect links; return its estimate beside the run."""
    options = SimulateOptions(frames=frames, walk=False, control=False, stalled=False)
    report = simulate(out, simulator, options)
    assert report.full_rate
    return compared(read_plan(out), report)


def beside(out: Path, document: dict[str, Any]) -> Compared:
    """Return the estimate of a cluster beside the run at full rate of its report."""
    report = read_report(document)
    assert report.full_rate
    return compared(read_plan(out), report)


def missed(found: Compared) -> list[str]:
    """Return the goals that an estimate misses."""
    wrong = []
    if found.rate_error is None or abs(found.rate_error) > RATE:
        wrong.append(f"frames/s {found.rate_error}")
    for number, (ours, theirs) in enumerate(zip(found.arrivals, found.arrived, strict=True)):
        if abs(ours - theirs) > FRAME * theirs:
            wrong.append(f"frame {number}: {ours:,} of {theirs:,}")
            break
    return wrong
