# SPDX-License-Identifier: BSD-3-Clause
"""Planning: what is decided, that plan.json holds all of it, and every way in which it refuses."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from fake_network import chain, lite, one_each, partition, plan_of, spec

from shellgen.errors import PlanError
from shellgen.golden import check_weights, make_golden
from shellgen.links.tcp_dma import TcpDma
from shellgen.model import DspLayer, Edge, Endpoint, Network, Plan, Step
from shellgen.plan.advice import advice


def two(**more: Any) -> Plan:
    network = chain(partition("a", slaves=(lite(0),)), partition("b"))
    return plan_of(network, one_each(network, **more))


def test_two_boards() -> None:
    plan = two()
    assert [b.name for b in plan.boundaries] == ["host_to_a", "a_to_b", "b_to_host"]
    assert [b.link for b in plan.boundaries] == ["tcp_dma"] * 3
    boundary = plan.boundary("a_to_b")
    assert (boundary.wire_word_bits, boundary.frame_bits, boundary.frame_bytes) == (8, 64, 8)
    path = plan.node("n0").tx[0]
    assert (path.link_bits, path.beats_per_frame, path.last_bytes) == (32, 2, 4)


def test_streams_of_the_host_are_named() -> None:
    """`host` is the end that no partition has; such a [[link]] says how the stream is carried."""
    plan = two(
        link=[{"from": "host", "to": "a", "packing": "finn", "kind": "tcp_dma"}, {"from": "b", "to": "host"}]
    )
    assert [(b.name, b.packing) for b in plan.boundaries] == [
        ("host_to_a", "finn"),
        ("a_to_b", "dense"),
        ("b_to_host", "dense"),
    ]


def test_plan_json_round_trips() -> None:
    plan = two()
    assert Plan.model_validate_json(plan.to_json()) == plan
    assert two() == plan
    assert two(packing="finn").cluster_id == two(packing="finn").cluster_id


def test_build_id_follows_every_decision() -> None:
    network = chain(partition("a"), partition("b"))
    fast = one_each(network).model_dump(by_alias=True, mode="json")
    fast["node"][1]["clock_mhz"] = 50.0
    cluster = spec(fast["node"])
    assert plan_of(network, cluster).cluster_id != plan_of(network, one_each(network)).cluster_id


def test_build_id_is_that_of_the_bitstream() -> None:
    """It stays where a build is moved to, and whatever the bench compares."""
    (part, text), other = partition("a"), partition("b")
    moved = part.model_copy(update={"origin": "elsewhere/a"})
    network, again = chain((part, text), other), chain((moved, text), other)
    cluster = one_each(network)
    assert plan_of(network, cluster).cluster_id == plan_of(again, cluster).cluster_id
    verified = one_each(network, verify={"input": "x.npy"})
    assert plan_of(network, cluster).cluster_id == plan_of(network, verified).cluster_id
    renamed = part.model_copy(update={"layers": ("other",)})
    assert plan_of(network, cluster).cluster_id != plan_of(chain((renamed, text), other), cluster).cluster_id


def test_lost_weights_leave_two_proofs() -> None:
    network = chain(partition("a"), partition("b"))
    lost = network.partitions[1].model_copy(update={"lost_weights": ("MVAU_1",)})
    network = Network((network.partitions[0], lost), network.edges, network.files, "build")
    plan = plan_of(network, one_each(network))
    golden, _ = make_golden(plan, {}, {}, {})
    assert golden.note == ("golden not run: the weights of MVAU_1 are lost; boundaries and monolith only")
    with pytest.raises(PlanError, match=r"depends on the weights of MVAU_1, which are lost.*into the build"):
        check_weights(plan, {}, "cluster.toml")


def test_three_bit_elements_straddle_bytes() -> None:
    ends = (("UINT3", 1, 10),)
    network = chain(partition("a", ends, ends), partition("b", ends, ends))
    dense = plan_of(network, one_each(network)).boundary("a_to_b")
    assert (dense.wire_word_bits, dense.frame_bits, dense.frame_bytes) == (3, 30, 4)
    padded = plan_of(network, one_each(network, packing="finn")).boundary("a_to_b")
    assert (padded.wire_word_bits, padded.frame_bytes) == (8, 10)


def test_ends_of_different_folding_meet_when_dense() -> None:
    network = chain(partition("a", makes=(("INT13", 4, 16),)), partition("b", takes=(("INT13", 2, 16),)))
    plan = plan_of(network, one_each(network))
    assert plan.node("n0").tx[0].word_bits == 52
    assert plan.node("n1").rx[0].word_bits == 26
    assert plan.boundary("a_to_b").frame_bits == 208


def test_partitions_on_one_node_join_directly() -> None:
    network = chain(partition("a"), partition("b"))
    plan = plan_of(network, spec([{"name": "n", "board": "zedboard", "partitions": [1, "a"]}]))
    assert plan.boundary("a_to_b").link is None
    assert plan.nodes[0].partitions == ("a", "b")
    assert plan.nodes[0].inner[0].boundary == "a_to_b"


def test_links_replace_missing_edges() -> None:
    network = chain(partition("a"), partition("b"), edges=False)
    cluster = one_each(network, link=[{"from": "a", "to": "1.s_axis_0", "kind": "tcp_dma"}])
    assert plan_of(network, cluster).boundary("a_to_b").producer_node == "n0"


def test_residual_graph_of_several_streams() -> None:
    """Two streams between the same two partitions: two DMAs a side."""
    ends = (("UINT4", 2, 16), ("INT8", 1, 4))
    network = chain(partition("a", makes=ends), partition("b", takes=ends))
    links = [{"from": f"a.m_axis_{i}", "to": f"b.s_axis_{i}"} for i in (0, 1)]
    network.edges = ()
    plan = plan_of(network, one_each(network, link=links))
    assert [p.index for p in plan.node("n1").rx] == [0, 1]


def ring(nodes: list[tuple[str, list[int]]], **more: object) -> Plan:
    """A fork to one partition and to the next but one, where both ways meet."""
    wide = ("UINT4", 2, 128)
    network = chain(
        partition("fork", makes=(wide, ("INT8", 1, 256))),
        partition("long", takes=(wide,), makes=(wide,)),
        partition("join", takes=(wide, ("INT8", 1, 256))),
        partition("tail"),
    )
    skip = Edge(
        producer=Endpoint(partition="fork", port="m_axis_1"),
        consumer=Endpoint(partition="join", port="s_axis_1"),
    )
    network.edges = (*network.edges, skip)
    placed = [{"name": name, "board": "zedboard", "partitions": indices} for name, indices in nodes]
    return plan_of(network, spec(placed, **more))


def test_a_stream_beside_a_longer_way_holds_a_frame() -> None:
    plan = ring([("n", [0, 2, 3]), ("m", [1])])
    assert {path.boundary: path.depth for path in plan.nodes[0].inner} == {
        "fork_m_axis_1_to_join_s_axis_1": 256,
        "join_to_tail": 32,
    }
    assert {path.depth for path in ring([("n", [0, 1, 2, 3])]).nodes[0].inner} == {32, 64, 256}


def test_the_depth_of_a_stream_can_be_stated() -> None:
    skip = {"from": "fork.m_axis_1", "to": "join.s_axis_1", "depth": 5000}
    plan = ring([("n", [0, 2, 3]), ("m", [1])], link=[skip])
    assert max(path.depth for path in plan.nodes[0].inner) == 5000
    assert advice(plan) == []
    (note,) = advice(ring([("n", [0, 2, 3]), ("m", [1])], link=[skip | {"depth": 50000}]))
    assert "a FIFO of 50,000 words of 8 bits, 49 KiB on n, as depth in its [[link]] states" in note
    (note,) = advice(ring([("n", [0, 2, 3]), ("m", [1])], link=[skip | {"depth": 255}]))
    assert "depth 255 of its [[link]] is less than 256 words: the cluster locks up if" in note
    tail = {"from": "join", "to": "tail", "depth": 50000}
    (note,) = advice(ring([("n", [0, 2, 3]), ("m", [1])], link=[tail]))
    assert "join_to_tail: a FIFO of 50,000 words of 8 bits, 49 KiB on n, as depth in its" in note
    with pytest.raises(
        PlanError, match=r"BRAM18 .* 280 that zedboard has, 512 of them for the FIFO of fork_m_ax"
    ):
        ring([("n", [0, 2, 3]), ("m", [1])], link=[skip | {"depth": 1 << 20, "buffer": "chip"}])
    with pytest.raises(PlanError, match=r"link\[0\].depth: a stream over tcp_dma has no FIFO"):
        ring([("n", [0, 2, 3]), ("m", [1])], link=[{"from": "fork.m_axis_0", "to": "long", "depth": 64}])
    with pytest.raises(PlanError, match=r"link\[0\].depth: it is 2000000, and a FIFO holds at most 1048576"):
        ring([("n", [0, 1, 2, 3])], link=[skip | {"depth": 2_000_000, "buffer": "chip"}])


def test_streams_that_meet_again_need_a_link_that_keeps_them_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one queue without credits, what is first may wait for what lies behind it."""
    nodes = [("n", [0, 1]), ("m", [2, 3])]
    both = ring(nodes).node("m").rx
    assert len(both) == 2
    monkeypatch.setattr(TcpDma, "isolates", False)
    with pytest.raises(PlanError, match=r"node m: long_to_join_.* share one tcp_dma link, fork and rejoin"):
        ring(nodes)
    chain_of_two = [("n", [0, 1, 2]), ("m", [3])]
    assert len(ring(chain_of_two).node("m").rx) == 1


def test_a_board_without_a_wired_port() -> None:
    network = chain(partition("p"), partition("q"))
    nodes = [{"name": f"n{k}", "board": "ultra96-v2", "partitions": [k]} for k in range(2)]
    (note, _) = advice(plan_of(network, spec(nodes)))
    assert note == (
        "node n0: 1 stream from and to other boards, and as Ethernet ultra96-v2 has none wired: WiFi or USB "
        "Ethernet; its rate is not known"
    )
    assert advice(plan_of(network, spec([{"name": "n0", "board": "ultra96-v2", "partitions": [0, 1]}]))) == []


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown partition": (
        {"node": [{"name": "n", "board": "zedboard", "partitions": [0, 7]}]},
        "no partition 7",
    ),
    "placed twice": (
        {
            "node": [
                {"name": "n", "board": "zedboard", "partitions": [0, 1]},
                {"name": "m", "board": "zedboard", "partitions": ["b"]},
            ]
        },
        "placed twice",
    ),
    "not placed": ({"node": [{"name": "n", "board": "zedboard", "partitions": [0]}]}, "b is on no node"),
    "empty node": (
        {
            "node": [
                {"name": "n", "board": "zedboard", "partitions": [0, 1]},
                {"name": "m", "board": "zedboard", "partitions": []},
            ]
        },
        "has no partition",
    ),
    "unknown kind": ({"link": [{"from": "a", "to": "b", "kind": "pigeon"}]}, "'pigeon' is not known"),
    "from host to host": ({"link": [{"from": "host", "to": "host"}]}, "both ends are the host"),
    "host within the network": ({"link": [{"from": "host", "to": "b"}]}, "no stream from host to b"),
    "host twice": ({"link": [{"from": "host", "to": "a"}] * 2}, "a.s_axis_0 is connected 2 times"),
    "depth beyond a link": ({"link": [{"from": "host", "to": "a", "depth": 4}]}, "no FIFO whose depth"),
    "link against the network": ({"link": [{"from": "b", "to": "a"}]}, "no stream from b.m_axis_0 to a"),
    "unknown port": ({"link": [{"from": "a.m_axis_5", "to": "b"}]}, "no output stream 'm_axis_5'"),
    "unknown end": ({"link": [{"from": "a", "to": "c"}]}, "no partition 'c'"),
    "clock": (
        {"node": [{"name": "n", "board": "zedboard", "partitions": [0, 1], "clock_mhz": 5000.0}]},
        "5000 MHz",
    ),
}


def test_a_clock_that_the_device_does_not_carry_is_refused() -> None:
    """Twice the clock of double-pumped layers counts; a board without the figure has no limit."""
    made, text = partition("a")
    network = chain((made.model_copy(update={"clock2x": "ap_clk2x"}), text))
    node = {"name": "n", "board": "zedboard", "partitions": [0]}
    assert plan_of(network, spec([{**node, "compute_mhz": 232}])).nodes[0].compute.hz == 232_000_000
    wanted = "250 MHz, and twice that for double-pumped layers: 500 MHz; boards/zedboard.toml: most_clock_hz"
    with pytest.raises(PlanError, match=wanted) as refused:
        plan_of(network, spec([{**node, "compute_mhz": 250}]))
    (problem,) = refused.value.problems
    assert problem.where.endswith("node[0].compute_mhz")
    assert problem.remedy == "Choose at most 232 MHz"
    assert plan_of(network, spec([{**node, "board": "zc706", "compute_mhz": 250}]))


@pytest.mark.parametrize("case", REFUSED)
def test_refuses(case: str) -> None:
    change, message = REFUSED[case]
    network = chain(partition("a"), partition("b"))
    data = one_each(network).model_dump(by_alias=True, mode="json", exclude_none=True) | change
    with pytest.raises(PlanError, match=message) as error:
        plan_of(network, spec(data.pop("node"), **data | {"build": "build"}))
    for problem in error.value.problems:
        assert "cluster.toml" in problem.where or "build" in problem.where
        assert problem.remedy


@pytest.mark.parametrize(
    ("made", "taken", "message"),
    [
        (("UINT4", 2, 16), ("INT4", 2, 16), "sends UINT4, b.s_axis_0 takes INT4"),
        (("UINT4", 2, 16), ("UINT8", 1, 16), "sends UINT4, b.s_axis_0 takes UINT8"),
        (("UINT4", 2, 16), ("UINT4", 2, 32), "sends 16 elements a frame, b.s_axis_0 takes 32"),
    ],
)
def test_refuses_ends_that_differ(
    made: tuple[str, int, int], taken: tuple[str, int, int], message: str
) -> None:
    network = chain(partition("a", makes=(made,)), partition("b", takes=(taken,)))
    with pytest.raises(PlanError, match=message):
        plan_of(network, one_each(network))


def test_refuses_padded_words_between_foldings() -> None:
    network = chain(partition("a", makes=(("INT13", 4, 16),)), partition("b", takes=(("INT13", 2, 16),)))
    with pytest.raises(PlanError, match="fold differently"):
        plan_of(network, one_each(network, packing="finn"))


def test_refuses_cycles() -> None:
    network = chain(partition("a"), partition("b"), edges=False)
    links = [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]
    with pytest.raises(PlanError, match="form a cycle through a, b"):
        plan_of(network, one_each(network, link=links))


def test_refuses_a_port_joined_twice() -> None:
    network = chain(partition("a"), partition("b"), partition("c"), edges=False)
    links = [{"from": "a", "to": "c"}, {"from": "b", "to": "c"}]
    with pytest.raises(PlanError, match=r"c\.s_axis_0 is connected 2 times"):
        plan_of(network, one_each(network, link=links))


def test_refuses_partitions_that_nothing_joins() -> None:
    network = chain(partition("a"), partition("b"), edges=False)
    with pytest.raises(PlanError, match="neither the build nor a \\[\\[link\\]\\] joins them"):
        plan_of(network, one_each(network))


def test_refuses_a_frame_beyond_the_dma() -> None:
    ends = (("UINT8", 1, 1 << 26),)
    network = chain(partition("a", ends, ends))
    with pytest.raises(PlanError, match="67108864 bytes; the DMA length register holds 67108863"):
        plan_of(network, one_each(network))


def test_reports_all_problems_of_a_stage() -> None:
    network = chain(partition("a"), partition("b"))
    cluster = spec([{"name": "n", "board": "zedboard", "partitions": [4, 5]}])
    with pytest.raises(PlanError) as error:
        plan_of(network, cluster)
    assert len(error.value.problems) == 4


def on_zedboard(**update: object) -> Network:
    (part, text), other = partition("a"), partition("b")
    return chain((part.model_copy(update=update), text), other)


@pytest.mark.parametrize("dsp", ["DSP48E2", "DSP58"])
def test_a_layer_of_a_newer_device(dsp: str) -> None:
    network = on_zedboard(dsp_layers=(DspLayer(layer="MVAU_rtl_0", dsp=dsp),))
    with pytest.raises(PlanError) as caught:
        plan_of(network, one_each(network))
    (problem,) = caught.value.problems
    assert problem.found == (f"MVAU_rtl_0 of a is made of {dsp}, and xc7z020clg484-1 of zedboard has DSP48E1")
    assert problem.remedy == f"Build a for xc7z020clg484-1, or place it on a board with {dsp}"


@pytest.mark.parametrize(
    ("board", "update", "said"),
    [
        ("zedboard", {"dsp_layers": (DspLayer(layer="MVAU_rtl_0", dsp="DSP48E1"),)}, ""),
        ("zedboard", {"part": "xc7z020clg400-1"}, ""),
        (
            "zedboard",
            {"part": "xczu3eg-sbva484-1-i"},
            "a was built for xczu3eg-sbva484-1-i (DSP48E2), and zedboard",
        ),
        (
            "zcu104",
            {"dsp_layers": (DspLayer(layer="M_0", dsp="DSP48E1"),)},
            "a was built for M_0 (DSP48E1), and zcu",
        ),
        ("zcu104", {"part": "weird"}, ""),
    ],
)
def test_a_partition_of_another_device(
    board: str, update: dict[str, object], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    network = on_zedboard(**update)
    with caplog.at_level(logging.WARNING):
        plan_of(network, one_each(network, board))
    assert (said in caplog.text) if said else not caplog.records


def test_links_bring_a_cluster_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their steps are in the plan and in no build id; one for a register that is not there is refused."""
    before = two()
    steps = (
        Step(op="write", node="n0", unit="status", offset=0x18, value=1, about="counters to 0"),
        Step(op="barrier"),
        Step(op="until", node="n1", unit="status", value="magic", mask=0xFF),
    )
    monkeypatch.setattr(TcpDma, "bring_up", lambda *_: steps)
    plan = two()
    assert plan.bring_up == steps
    assert plan.cluster_id == before.cluster_id
    assert [node.build_id for node in plan.nodes] == [node.build_id for node in before.nodes]
    assert Plan.model_validate_json(plan.to_json()) == plan
    for change, message in (
        ({"node": "n7"}, "no node n7"),
        ({"unit": "mac"}, "node n0 has no window mac; it has status"),
        ({"offset": 1 << 20}, "offset 0x100000 lies beyond"),
    ):
        bad = (steps[0].model_copy(update=change),)
        monkeypatch.setattr(TcpDma, "bring_up", lambda *_, bad=bad: bad)
        with pytest.raises(PlanError, match=message):
            two()
