# SPDX-License-Identifier: BSD-3-Clause
"""Streams between partitions that pass other boards."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import chain, partition, plan_of, spec
from test_joins import passing

from shellgen.errors import PlanError
from shellgen.links import link_registry
from shellgen.links.tcp_dma import TcpDma
from shellgen.model import ClusterSpec, Plan

LINK = {"from": "p", "to": "q"}


def ways(plan: Plan) -> list[tuple[str, str | None, str | None]]:
    return [(boundary.name, boundary.producer_node, boundary.consumer_node) for boundary in plan.boundaries]


def nodes(*boards: str, partitions: Sequence[Sequence[int]] = ()) -> list[dict[str, Any]]:
    """A node for each board, with these partitions, or one each."""
    own = partitions or [[k] for k in range(len(boards))]
    return [
        {"name": f"n{k}", "board": board, "partitions": list(part)}
        for k, (board, part) in enumerate(zip(boards, own, strict=True))
    ]


def test_a_stream_passes_boards() -> None:
    """Out of order, one of them without a partition; the ends have words of other sizes."""
    takes = (("UINT4", 4, 16),)
    network = chain(partition("p"), partition("q", takes), partition("r"), edges=False)
    made = nodes(*["zedboard"] * 4, partitions=([0], [], [2], [1]))
    links = [{**LINK, "via": ["n2", "n1"], "packing": "dense"}, {"from": "q", "to": "r"}]
    plan = plan_of(network, spec(made, link=links))
    assert ways(plan) == [
        ("host_to_p", None, "n0"),
        ("p_to_relay_0", "n0", "n2"),
        ("relay_0_to_relay_1", "n2", "n1"),
        ("relay_1_to_q", "n1", "n3"),
        ("q_to_r", "n3", "n2"),
        ("r_to_host", "n2", None),
    ]
    assert plan.node("n1").partitions == ("relay_1",)
    assert plan.partition("relay_1").origin == "link[0]"
    assert {boundary.link for boundary in plan.boundaries} == {"tcp_dma"}


def test_an_edge_of_a_parent_and_a_host_stream() -> None:
    network = chain(partition("p"), partition("q"))
    links = [{**LINK, "via": "n2"}, {"from": "q", "to": "host", "at": "n0"}]
    plan = plan_of(network, spec(nodes(*["u280"] * 3, partitions=([0], [1], [])), link=links))
    assert ways(plan)[1:] == [
        ("p_to_relay_1", "n0", "n2"),
        ("relay_1_to_q", "n2", "n1"),
        ("q_to_relay_0", "n1", "n0"),
        ("relay_0_to_host", "n0", None),
    ]


def test_copies_and_joins_pass_a_board() -> None:
    parts = [partition(name) for name in "abc"] + [partition("d", (("UINT5", 2, 16),))]
    links = [
        {"from": "a", "to": ["b", "c"], "via": "n3"},
        {"from": ["b", "c"], "to": "d", "join": "sum", "via": "n0"},
    ]
    network = chain(*parts, edges=False)
    plan = plan_of(network, spec(nodes(*["zedboard"] * 4), link=links))
    assert {name: pair for name, *pair in ways(plan) if "host" not in name} == {
        "a_to_relay_0": ["n0", "n3"],
        "a_to_relay_1": ["n0", "n3"],
        "relay_0_to_b": ["n3", "n1"],
        "relay_1_to_c": ["n3", "n2"],
        "b_to_relay_2": ["n1", "n0"],
        "c_to_relay_3": ["n2", "n0"],
        "relay_2_to_sum_0_s_axis_0": ["n0", "n3"],
        "relay_3_to_sum_0_s_axis_1": ["n0", "n3"],
        "sum_0_to_d": ["n3", "n3"],
    }


@pytest.mark.parametrize(("frames", "most"), [(1, 1), (8, 1), (12, 1), (13, 2), (24, 2), (25, 3)])
def test_every_hop_withholds_frames(frames: int, most: int) -> None:
    """A skip edge inside a board beside a branch of six links instead of two: 12 (f - 1) + 1 frames."""
    parts = [
        partition("stem", makes=(("UINT4", 2, 16),) * 2, takes=(("UINT4", 2, 16),) * 2),
        partition("branch"),
        partition("head", takes=(("UINT4", 2, 16),) * 2),
    ]
    links = [
        {"from": "stem.m_axis_0", "to": "head.s_axis_0", "depth": 8 * frames},
        {"from": "stem.m_axis_1", "to": "branch", "via": ["n2", "n3"]},
        {"from": "branch", "to": "head.s_axis_1", "via": ["n3", "n2"]},
    ]
    made = nodes(*["zedboard"] * 4, partitions=([0, 2], [1], [], []))
    plan = plan_of(chain(*parts, edges=False), spec(made, link=links))
    ends = [end for node in plan.nodes for one in node.attachments for end in one.ends]
    assert {end.most_frames for end in ends if "host" not in end.boundary} == {most}


def test_the_shortest_path_joins_boards_without_a_common_link(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two paths of four hops and two of three; of these, the one whose nodes come first in the file."""
    pairs = ("02", "23", "34", "41", "05", "56", "61", "07", "76")

    def linked(node: Any) -> dict[str, bool]:
        return {pair: False for pair in pairs if node.name[1] in pair}

    monkeypatch.setattr("shellgen.plan.transit._linked", linked)
    network = chain(*[partition(name) for name in "pqrstuvw"], edges=False)
    network.builds = tuple((part.name,) for part in network.partitions)
    plan = plan_of(network, spec(nodes(*["zedboard"] * 8), link=[LINK]))
    hops = [("p_to_relay_0", "n0", "n5"), ("relay_0_to_relay_1", "n5", "n6"), ("relay_1_to_q", "n6", "n1")]
    assert [way for way in ways(plan) if None not in way] == hops
    for field in ({"kind": "tcp_dma"}, {"via": "n5"}):
        with pytest.raises(PlanError) if "via" in field else nullcontext():
            direct = plan_of(network, spec(nodes(*["zedboard"] * 8), link=[{**LINK, **field}]))
            assert [way for way in ways(direct) if None not in way] == [("p_to_q", "n0", "n1")]


VIA = r"cluster.toml: link\[0\].via: "
REFUSED: dict[str, tuple[list[dict[str, Any]], str]] = {
    "unknown node": ([{**LINK, "via": ["n2", "m3"]}], VIA + "there is no node 'm3'. Name one of: n0, n1"),
    "end of the stream": ([{**LINK, "via": "n1"}], VIA + "the stream from .* would be on n1 twice"),
    "twice": ([{**LINK, "via": ["n2", "n2"]}], VIA + "the stream from .* would be on n2 twice"),
    "neither kind": (
        [{**LINK, "via": ["n2", "n3"]}],
        VIA + "no link kind joins n2 and n3: platform zynq offers dma; platform vitis offers udp, mover, tcp "
        r"\(by a program\). List",
    ),
    "stream of the host": (
        [{"from": "host", "to": "p", "via": "n2"}],
        VIA + "via is for streams between partitions. Name one node in at",
    ),
    "depth": ([{**LINK, "via": "n2", "depth": 9}], "a stream over tcp_dma has no FIFO whose depth"),
    "kind": (
        [{**LINK, "via": "n2", "kind": "vnx_udp"}],
        "'vnx_udp' is not carried by ultra96-v2: it needs dock",
    ),
    "no path": ([{"from": "p", "to": "s"}], "no link kind joins n0 and n3"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refuses(case: str) -> None:
    links, message = REFUSED[case]
    network = chain(*[partition(name) for name in "pqrs"], edges=False)
    network.builds = tuple((part.name,) for part in network.partitions)
    made = nodes(*["ultra96-v2"] * 3, "u280")  # no Ethernet, so that no program joins them
    with pytest.raises(PlanError, match=message):
        plan_of(network, spec(made, link=links))


def test_a_hop_of_several_kinds_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards that share two kinds of link: the stream says which, for all of its hops."""

    class Other(TcpDma):
        kind = "other"

    registry = {**link_registry(), "other": Other()}
    monkeypatch.setattr("shellgen.plan.choose.link_registry", lambda: registry)
    network = chain(partition("p"), partition("q"))
    made = nodes(*["zedboard"] * 3, partitions=([0], [1], []))
    with pytest.raises(PlanError, match=r'State via = \["n2"\] and kind = "tcp_dma" in the \[\[link\]\] of'):
        plan_of(network, spec(made, link=[{**LINK, "via": "n2"}]))
    assert plan_of(network, spec(made, link=[{**LINK, "via": "n2", "kind": "tcp_dma"}]))


def ring(board: str, platform: str = "") -> ClusterSpec:
    """Stem and head on one board; the skip edge and the branch pass a board without a partition."""
    links = [
        {"from": "stem", "to": "branch", "via": "n2"},
        {"from": ["stem", "branch"], "to": "head", "join": "sum"},
        {"from": "head", "to": "host", "at": "n2"},
    ]
    made = nodes(*[board] * 3, partitions=([0, 2], [1], []))
    return spec([{**node, **({"platform": platform} if platform else {})} for node in made], link=links)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("board", "platform", "simulator"),
    [
        ("zedboard", "", "icarus"),
        ("zedboard", "", "verilator"),
        ("u280", "", "verilator"),
        ("u55c", "coyote", "verilator"),
    ],
)
def test_frames_that_pass_a_board_are_bit_exact(
    tmp_path: Path, board: str, platform: str, simulator: str
) -> None:
    frame = ("UINT4", 2, 40)
    parts = [passing("stem", frame), passing("branch", frame), passing("head", ("UINT5", 2, 40))]
    out = generate_fake(chain(*parts, edges=False), ring(board, platform), tmp_path / "out")
    report = run(out, simulator, walk="none", idle_limit=100_000, frames=8, seconds=1200)
    assert report["passed"], report_text(report)
    # A relay that turns one bit is seen by the proof of its boundary.
    relay = out / "n2/partition/shellgen_relay_1.v"
    text = relay.read_text()
    assert "spare <= s_axis_0_tdata" in text
    relay.write_text(text.replace("full ? spare : s_axis_0_tdata", "full ? spare : s_axis_0_tdata ^ 1"))
    report = run(out, simulator, walk="none", idle_limit=100_000, frames=8, seconds=1200, stalled=False)
    assert not report["passed"]
