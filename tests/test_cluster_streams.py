# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of reference partitions are bit-exact on both simulators, and weights are reached by the map."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import FRAMES, MIXED, Chain, bench_of, generate_fake, run, streams_only
from fake_network import chain, one_each, partition, spec

pytestmark = pytest.mark.recorded

# Four bits, padded to bytes at every word; the boards differ in family.
PADDED = Chain(
    widths=(6, 9, 4),
    activations="UINT4",
    folds=((3, 2, 3), (2, 3, 1)),
    cuts=(0, 1),
    nodes=(("pynq", "pynq-z2", (0,)), ("ultra", "ultra96-v2", (1,))),
    packing="finn",
    writeable=(1,),
)
# Each with its model; the largest is the sweep's.
CASES = [
    pytest.param("mixed", marks=[pytest.mark.xdist_group("mixed"), pytest.mark.sweep]),
    pytest.param("padded", marks=[pytest.mark.xdist_group("padded"), pytest.mark.sweep]),
    pytest.param("two_streams", marks=pytest.mark.xdist_group("two_streams")),
]


def two_streams(out: Path) -> Path:
    """A residual pair: 3-bit elements, and 13-bit ones that leave by four and arrive by two."""
    makes = (("UINT3", 1, 10), ("INT13", 4, 16))
    takes = (("UINT3", 1, 10), ("INT13", 2, 16))
    network = chain(partition("a", makes, makes), partition("b", takes, takes))
    network.edges = ()
    links = [{"from": f"a.m_axis_{i}", "to": f"b.s_axis_{i}"} for i in (0, 1)]
    return generate_fake(network, one_each(network, link=links), out)


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "two_streams":
        return request.param, two_streams(folder)
    return request.param, (MIXED if request.param == "mixed" else PADDED).generate(folder)


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_bit_exact(case: tuple[str, Path], simulator: str) -> None:
    name, out = case
    report = run(out, simulator)
    assert report["passed"], report["problem"]
    assert report["tests"] == 8
    boundaries = bench_of(out)["boundaries"]
    for section in ("stalled", "full_rate"):
        assert report[section]["arrived"]
        words = {v["name"]: v["words"] for v in report[section]["verdicts"]}
        assert {v["mismatches"] for v in report[section]["verdicts"]} == {0}
        for boundary in boundaries:
            end = boundary.get("made") or boundary["taken"]
            assert words[boundary["name"]] == (FRAMES + 1) * end["words"] > 0
        outputs = sum(boundary["received"] is not None for boundary in boundaries)
        assert sum(proof.startswith("monolith") for proof in words) == outputs
        assert ("golden" in words) == (name != "two_streams")
    assert report["stalled"]["cycles"] >= report["full_rate"]["cycles"]
    assert len(report["flight"]) >= 2
    memories = {r["name"]: r["memory"] for n in memory_map(out)["nodes"] for r in n["regions"]}
    walked = {f["region"]: f["words"] for f in report["weights"]}
    assert walked == {name: stored(memory) for name, memory in memories.items()}
    assert len(walked) == {"mixed": 3, "padded": 1, "two_streams": 0}[name]


def memory_map(out: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((out / "memory_map.json").read_text())
    return read


def stored(memory: dict[str, Any]) -> int:
    """Words of a memory with storage behind them."""
    rows = memory["words"] // memory["row_words"]
    groups = rows // memory["group_rows"]
    return int(groups * memory["group_used"] * memory["row_used"])


def test_what_crosses_is_what_was_planned(case: tuple[str, Path]) -> None:
    """Dense bits, padded words; links as wide as the boards give."""
    name, out = case
    plan = json.loads((out / "plan.json").read_text())
    frames = [(b["link"], b["wire_word_bits"], b["frame_bytes"]) for b in plan["boundaries"]]
    links = {
        node["name"]: [end["link_bits"] for one in node["attachments"] for end in one["ends"]]
        for node in plan["nodes"]
    }
    if name == "mixed":
        # 24 x 3 bits, 12 x 3 bits, 24 x 3 bits; FINN rounds the last accumulator up to bytes.
        assert frames[:3] == [("tcp_dma", 12, 9), (None, 9, 5), ("tcp_dma", 36, 9)]
        assert links["zed"] == [32, 64]
        assert links["zcu"][0] == 128
    elif name == "padded":
        assert frames[:2] == [("tcp_dma", 8, 3), ("tcp_dma", 16, 6)]
    else:
        assert sorted(frames[2:4]) == [("tcp_dma", 3, 4), ("tcp_dma", 52, 26)]
    for boundary in plan["boundaries"]:
        assert boundary["elements_per_frame"] == prod(boundary["normal_shape"])


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
@pytest.mark.parametrize("kind", ["BIPOLAR", "INT3", "UINT4", "UINT5", "INT8"])
@pytest.mark.parametrize("stall", [16, 128, 220])
def test_types_and_stalls(tmp_path: Path, simulator: str, kind: str, stall: int) -> None:
    out = replace(MIXED, activations=kind).generate(tmp_path)
    report = run(out, simulator, stall=stall, frames=9, idle_limit=20_000)
    assert report["passed"], report["problem"]


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three partitions with TLAST and TKEEP at every stream: one direct stream, one hop of padded words.

    What crosses the hop begins with words that need no input.
    """
    wide, narrow, longer = (("INT13", 4, 16),), (("INT13", 2, 16),), (("INT13", 2, 24),)
    parts = [
        partition("a", takes=wide, makes=wide, sidebands=True),
        partition("b", takes=narrow, makes=longer, sidebands=True, lead=4),
        partition("c", takes=longer, makes=longer, sidebands=True),
    ]
    nodes: list[dict[str, object]] = [
        {"name": "n0", "board": "zedboard", "partitions": [0, 1]},
        {"name": "n1", "board": "zedboard", "partitions": [2]},
    ]
    hop = {"from": "b", "to": "c", "packing": "finn"}
    return generate_fake(chain(*parts), spec(nodes, link=[hop]), tmp_path_factory.mktemp("marked"))


@pytest.mark.sweep
def test_tlast_and_tkeep_of_a_partition_are_driven(marked: Path) -> None:
    """These partitions stop for good at a word whose TLAST is not that of its place in the frame."""
    report = run(marked, "icarus", walk=False)
    assert report["passed"], report["problem"]
    ahead = {v["name"]: v["detail"] for v in report["stalled"]["verdicts"] if v["name"].startswith("ahead")}
    assert ahead["ahead of b_to_c"] == "8 elements of the next frame are there already"
    assert len(report["flight"]) >= 2, "each reset lets b hand out these words once more"


def test_a_mark_that_is_missing_would_stop_them(marked: Path, tmp_path: Path) -> None:
    copy = tmp_path / "out"
    shutil.copytree(marked, copy)
    core = copy / "n1" / "n1_core.v"
    text = core.read_text()
    assert ".s_axis_0_tlast(c_s_axis_0_tlast)" in text
    core.write_text(text.replace(".s_axis_0_tlast(c_s_axis_0_tlast)", ".s_axis_0_tlast(1'b0)"))
    assert not streams_only(copy, "icarus")["passed"]
