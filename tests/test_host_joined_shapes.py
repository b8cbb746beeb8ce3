# SPDX-License-Identifier: BSD-3-Clause
"""Replicas, forks and joins of cards that their own network joins, in a rehearsal with faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from branch_cluster import write_cluster
from cluster_bench import Chain
from rehearsed import rehearsed
from test_joins import branches

from shellgen.api import generate

pytestmark = [pytest.mark.xdist_group("rehearse"), pytest.mark.sweep]


def test_replicas_between_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One of two replicas dies and comes back; its neighbours deal to both and gather from both."""
    chain = Chain(
        widths=(40, 6, 10, 12),
        activations="UINT3",
        folds=((3, 5, 3), (5, 3, 5), (4, 5, 4)),
        cuts=(0, 1, 2),
        nodes=(("first", "u280", (0,)), ("mid", "u280", (1,)), ("last", "u280", (2,))),
    )
    path = chain.write_inputs(tmp_path)
    path.write_text(path.read_text().replace('name = "mid"', 'name = "mid"\nreplicas = 2'))
    generate(path, tmp_path / "out")
    faults = [
        (20, 'kill = "mid_1"\naway = 4'),  # its neighbours wait for it
        (40, 'kill = "mid_0"'),
        (60, 'restart = "mid_1"'),
        (80, 'kill = "first"'),
        (100, 'kill = "last"'),
    ]
    found = rehearsed(tmp_path / "out", 240, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)


@pytest.mark.parametrize("join", ["concat", "sum"])
def test_branches_that_meet(tmp_path: Path, join: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The card of the stem sends one stream to two cards, whose results meet on a fourth."""
    branches(tmp_path, join, (6, 4) if join == "concat" else (6, 6))
    nodes = [(f"n{k}", "u280", f"[{k}]") for k in range(3)]
    links = '[[link]]\nfrom = "host"\nto = ["0", "1"]\n'
    links += f'[[link]]\nfrom = ["0", "1"]\nto = "2"\njoin = "{join}"\n'
    generate(write_cluster(tmp_path, ["b0", "b1", "head"], nodes, links), tmp_path / "out")
    faults = [(20, 'kill = "n0"'), (40, 'kill = "n2"\naway = 0.3'), (60, 'restart = "n1"')]
    found = rehearsed(tmp_path / "out", 200, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)
