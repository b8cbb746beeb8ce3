# SPDX-License-Identifier: BSD-3-Clause
"""The formulas of `shellgen plan` against what Yosys makes of whole generated cores.

What Yosys found is recorded by the content of core and blocks; one that changed is synthesised again.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster_bench import generate_fake
from drawn_plans import drawn, drawn_cluster

from shellgen.demo import Example, demo_boards
from shellgen.read.output import read_plan
from tools.blocks.core_cost import GOAL, found, nodes, subject, told

# Cores that are synthesised in seconds: with a ring in memory, with replicas, with streams in a loop.
FEW = ((8, "n0"), (11, "n1_0"), (39, "n0"))
EXAMPLES: tuple[tuple[Example, int, str], ...] = (
    ("digits", 2, ""),
    ("digits", 6, ""),
    ("residual", 3, ""),
    ("out-of-order", 2, ""),
    ("replicas", 3, ""),
    ("branches", 3, ""),
    ("transformer", 2, ""),
    ("digits", 3, "vitis"),
    ("digits", 2, "vitis"),
    ("loop", 3, ""),
    ("digits", 2, "coyote"),
)


def check(out: Path, only: str = "") -> None:
    """Compare the cores of what was generated."""
    plan = read_plan(out)
    wrong = []
    for node in nodes(plan):
        if only not in ("", node.name):
            continue
        ours, theirs = told(plan, node), found(plan, node, out)
        said = f"{node.name}: {ours.lut} of {theirs.lut} LUT, {ours.ff} of {theirs.ff} FF"
        if max(abs(ours.lut / theirs.lut - 1), abs(ours.ff / theirs.ff - 1)) > GOAL:
            wrong.append(said)
        if abs(ours.bram18 - 2 * theirs.bram) > 1:
            wrong.append(f"{node.name}: {ours.bram18} of {2 * theirs.bram:g} BRAM18")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("seed", "node"), FEW)
def test_cores_of_drawn_clusters(seed: int, node: str, tmp_path: Path) -> None:
    check(generate_fake(*drawn_cluster(seed), tmp_path), node)


def test_the_few_have_what_cores_have() -> None:
    assert set().union(*(drawn(seed)[1] for seed, _ in FEW)) == {"replicas", "join", "loop", "ring"}


def test_partitions_are_empty_modules(tmp_path: Path) -> None:
    out = generate_fake(*drawn_cluster(FEW[0][0]), tmp_path)
    plan = read_plan(out)
    node = plan.nodes[0]
    boxes, *_, core = subject(plan, node, out).sources
    assert core.name == f"{node.name}_core.v"
    assert "assign" not in boxes.read_text()
    assert boxes.read_text().count("(* blackbox *)") == len({plan.partition(p).top for p in node.partitions})


@pytest.mark.sweep
@pytest.mark.finn
@pytest.mark.xdist_group("stitch_finn")
@pytest.mark.parametrize(("example", "boards", "platform"), EXAMPLES)
def test_cores_of_the_examples(example: Example, boards: int, platform: str, tmp_path: Path) -> None:
    check(demo_boards(tmp_path, boards, example=example, platform=platform))
