# SPDX-License-Identifier: BSD-3-Clause
"""Clusters over VNx in the long tests: eight cards, streams that part and meet, the digits in FINN's RTL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import partition, spec
from test_vnx_cluster import FAULTS, KIND, cluster, counts, parameters, play

from shellgen.demo import demo
from shellgen.model import Edge, Endpoint, Network

pytestmark = [pytest.mark.sweep, pytest.mark.xdist_group("vnx")]
WORDS = ("UINT8", 8, 4096)


@pytest.mark.parametrize("loop", [False, True], ids=["chain", "loop"])
def test_eight_cards(loop: bool, tmp_path: Path) -> None:
    out = cluster(tmp_path / "out", 8, loop=loop, mhz=(180, 300, 250, 210, 300, 200, 300, 190))
    report = play(out, settings=parameters(**FAULTS), frames=6)
    assert counts(report, "lost") > 0


def test_streams_that_part_and_meet(tmp_path: Path) -> None:
    """One card sends to two others, and these to it: fan-out, fan-in and both directions at a cage."""
    parts = {
        "fork": partition("fork", (WORDS, WORDS), (WORDS, WORDS)),
        "left": partition("left", (WORDS,), (WORDS,)),
        "right": partition("right", (WORDS,), (WORDS,)),
        "join": partition("join", (WORDS, WORDS), (WORDS, WORDS)),
    }
    ends = (("fork", 0, "left", 0), ("fork", 1, "right", 0), ("left", 0, "join", 0), ("right", 0, "join", 1))
    edges = tuple(
        Edge(
            producer=Endpoint(partition=one, port=f"m_axis_{m}"),
            consumer=Endpoint(partition=two, port=f"s_axis_{s}"),
        )
        for one, m, two, s in ends
    )
    files = {part.sources[0].sha256: text for part, text in parts.values()}
    network = Network(tuple(part for part, _ in parts.values()), edges, files, "build")
    nodes = [
        {"name": "a", "board": "u280", "partitions": [0, 3]},
        {"name": "b", "board": "u250", "partitions": [1]},
        {"name": "c", "board": "u55c", "partitions": [2]},
    ]
    out = generate_fake(network, spec(nodes), tmp_path / "out")
    report = run(out, "verilator", frames=10, walk="none", idle_limit=100_000, settings=parameters(**FAULTS))
    assert report["passed"], report_text(report)
    assert report["full_rate"]["links"][KIND]["sent again"] > 0


def test_the_digits_on_three_cards(tmp_path: Path) -> None:
    """FINN's RTL over a network that loses packets: what `make demo-vnx` shows."""
    report: dict[str, Any] = demo(tmp_path, 3, "verilator", reference=False).document()
    assert report["passed"], report_text(report)
    assert report["accuracy"] > 0.95
    assert counts(report, "lost") > 0
    assert counts(report, "sent again") > 0
