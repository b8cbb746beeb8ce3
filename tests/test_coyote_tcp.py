# SPDX-License-Identifier: BSD-3-Clause
"""Streams between cards under Coyote and other boards that pass their hosts: the plan, and the bench."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import chain, partition, plan_of, spec

from shellgen.errors import PlanError
from shellgen.model import ClusterSpec
from shellgen.simulate.cluster import Injection

KIND = "tcp_xrt"
WORD = (("UINT3", 5, 1200),)  # a frame of 450 bytes, which ends inside a byte of memory's beats
FLIP = 1  # of axis_error_injector
COYOTE: dict[str, Any] = {"platform": "coyote", "options": {"coyote": {"version": "v2"}}}
CARDS: dict[str, dict[str, Any]] = {
    "zed": {"board": "zedboard"},
    "u280": {"board": "u280"},
    "coyote": {"board": "u280", **COYOTE},
}


def cluster(*boards: str) -> ClusterSpec:
    """Return cluster.toml of boards in a row, each joined to the next by their programs."""
    made = [{"name": f"n{k}", "partitions": [k], **CARDS[board]} for k, board in enumerate(boards)]
    links = [{"from": f"p{k}", "to": f"p{k + 1}", "kind": KIND} for k in range(len(boards) - 1)]
    return spec(made, link=links)


def generate(folder: Path, *boards: str) -> Path:
    network = chain(*(partition(f"p{k}", WORD, WORD) for k in range(len(boards))))
    return generate_fake(network, cluster(*boards), folder)


@pytest.mark.parametrize(
    "boards", [("zed", "coyote"), ("coyote", "u280"), ("coyote", "coyote")], ids="-".join
)
def test_the_plan_joins_their_programs(boards: tuple[str, ...]) -> None:
    """Without a kind, too, where the boards share no other."""
    asked = cluster(*boards)
    words = {"zed": "tcp_dma", "u280": "vitis_mover", "coyote": "coyote_stream"}
    network = chain(*(partition(f"p{k}", WORD, WORD) for k in range(2)))
    for one in (asked, asked.model_copy(update={"link": ()})):
        if not one.link and set(boards) == {"coyote"}:
            with pytest.raises(PlanError, match="accl"):
                plan_of(network, one)
            continue
        found = plan_of(network, one)
        assert found.boundary("p0_to_p1").link == KIND
        assert [[each.link for each in node.attachments] for node in found.nodes] == [
            [words[name]] for name in boards
        ]


@pytest.mark.sweep
@pytest.mark.parametrize("boards", [("zed", "coyote", "u280"), ("u280", "coyote", "zed")], ids="-".join)
def test_every_proof_holds_through_programs(boards: tuple[str, ...], tmp_path: Path) -> None:
    """Each board at its own clock, with the directed tests; a fault between two programs is seen."""
    made = generate(tmp_path / "out", *boards)
    settings = (f"{KIND}.latency=200",)
    report = run(made, "verilator", walk="sampled", idle_limit=100_000, seconds=1200, settings=settings)
    assert report["passed"], report_text(report)
    wrong = run(made, "verilator", walk="none", inject=Injection(boundary=1, kind=FLIP, beat=7), seconds=1200)
    assert not wrong["passed"]
