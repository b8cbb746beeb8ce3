# SPDX-License-Identifier: BSD-3-Clause
"""Networks as graphs: copies of a stream, joins, several builds, streams of the host at other boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from branch_cluster import made_type, write_build, write_cluster, write_parent
from cluster_bench import generate_fake, run
from fake_network import chain, one_each, partition, plan_of, spec

from shellgen.api import generate, load
from shellgen.errors import PlanError, ShellgenError
from shellgen.golden import given_frames
from shellgen.golden.walk import Inside, walk
from shellgen.model import Endpoint, Network, Partition, Plan
from shellgen.plan.junction import junction_files
from shellgen.read.vectors import Vectors

pytestmark = pytest.mark.recorded

Part = tuple[Partition, bytes]
Shapes = Mapping[str, tuple[int, ...]]


def shaped(made: Part, shapes: Shapes) -> Part:
    """Give ports of a partition rows and columns: shape of a frame by port."""
    part, text = made
    streams = [
        port.model_copy(
            update={
                "normal_shape": shapes[port.name],
                "folded_shape": (*shapes[port.name][:-1], -1, port.elements_per_word),
            }
        )
        if port.name in shapes
        else port
        for port in part.streams
    ]
    whole = [
        port.model_copy(
            update={
                "folded_shape": (*port.shape[:-2], port.normal_shape[-1] // port.shape[-1], port.shape[-1])
            }
        )
        if port.normal_shape and -1 in port.shape
        else port
        for port in streams
    ]
    return part.model_copy(update={"streams": tuple(whole)}), text


def state(report: Mapping[str, Any], name: str) -> str:
    """Return the state of a proof."""
    return next(str(proof["state"]) for proof in report["proofs"] if proof["name"] == name)


def passing(name: str, stream: tuple[str, int, int]) -> Part:
    """A partition with the same stream in and out."""
    return partition(name, (stream,), (stream,))


def graph() -> Network:
    """Branches of 3 pixels: ``wide`` has 4 channels, ``thin`` 2, ``sums`` takes 4, ``head`` takes 6."""
    four, two = (1, 3, 4), (1, 3, 2)
    parts = [
        shaped(passing("wide", ("UINT4", 2, 12)), {"s_axis_0": four, "m_axis_0": four}),
        shaped(
            partition("other", (("UINT4", 4, 12),), (("INT4", 4, 12),)), {"s_axis_0": four, "m_axis_0": four}
        ),
        shaped(passing("thin", ("INT6", 1, 6)), {"s_axis_0": two, "m_axis_0": two}),
        shaped(passing("sums", ("INT6", 1, 12)), {"s_axis_0": four, "m_axis_0": four}),
        shaped(passing("head", ("INT6", 3, 18)), {"s_axis_0": (1, 3, 6), "m_axis_0": (1, 3, 6)}),
    ]
    return chain(*parts, edges=False)


LINKS: list[dict[str, Any]] = [
    {"from": "host", "to": ["wide", "other"], "name": "image"},
    {"from": "wide", "to": "host", "name": "middle", "at": "n1"},
    {"from": ["wide", "other"], "to": "sums", "join": "sum"},
    {"from": ["thin", "sums"], "to": "head", "join": "concat"},
    {"from": "head", "to": "host", "at": "n0"},
]
NODES = [
    {"name": "n0", "board": "zedboard", "partitions": ["wide", "thin"]},
    {"name": "n1", "board": "zcu104", "partitions": ["other", "sums"]},
    {"name": "n2", "board": "zedboard", "partitions": ["head"]},
]


def planned(links: Sequence[Mapping[str, Any]] = LINKS, **more: Any) -> Plan:
    return plan_of(graph(), spec(NODES, link=links, **more))


def test_the_plan_of_a_graph() -> None:
    plan = planned()
    ways = {b.name: (b.producer_node, b.consumer_node, b.tensor) for b in plan.boundaries}
    assert ways == {
        "host_to_wide": (None, "n0", "image"),
        "host_to_other": (None, "n1", "image"),
        "host_to_thin": (None, "n0", None),
        "wide_to_relay_0": ("n0", "n1", None),
        "wide_to_sum_0_s_axis_0": ("n0", "n1", None),
        "other_to_sum_0_s_axis_1": ("n1", "n1", None),
        "sum_0_to_sums": ("n1", "n1", None),
        "thin_to_concat_0_s_axis_0": ("n0", "n2", None),
        "sums_to_concat_0_s_axis_1": ("n1", "n2", None),
        "concat_0_to_head": ("n2", "n2", None),
        "head_to_relay_1": ("n2", "n0", None),
        "relay_0_to_host": ("n1", None, "middle"),
        "relay_1_to_host": ("n0", None, None),
    }
    total = plan.partition("sum_0")
    assert [(port.datatype, port.shape) for port in total.streams] == [
        ("UINT4", (1, 3, 1, 4)),
        ("INT4", (1, 3, 1, 4)),
        ("INT6", (1, 3, 1, 4)),
    ]
    assert [port.shape for port in plan.partition("concat_0").streams] == [
        (1, 3, 1, 2),
        (1, 3, 2, 2),
        (1, 3, 3, 2),
    ]
    digests = {source.sha256 for part in plan.partitions if part.junction for source in part.sources}
    assert digests == set(junction_files(plan.partitions))
    assert planned([{**link, "kind": "tcp_dma"} if link["to"] == "head" else link for link in LINKS])


def test_golden_frames_of_a_graph() -> None:
    """Partitions hand their frames on here, so only joins and copies change them."""
    plan = planned()
    numbers = np.random.default_rng(1)
    image, thin = numbers.integers(0, 8, (2, 12)), numbers.integers(-32, 32, (2, 6))
    relays = {part.name: part.model_copy(update={"junction": "relay"}) for part in graph().partitions}
    parts = tuple(relays.get(part.name, part) for part in plan.partitions)
    sent = {"host_to_wide": image, "host_to_other": image, "host_to_thin": thin}
    found, _ = walk(plan.model_copy(update={"partitions": parts}), Inside({}, {}), sent)
    wanted = np.concatenate([thin.reshape(2, 3, 2), 2 * image.reshape(2, 3, 4)], axis=2)
    assert np.array_equal(found["relay_1_to_host"], wanted.reshape(2, 18))
    assert np.array_equal(found["relay_0_to_host"], image)


def test_one_file_is_for_all_copies() -> None:
    frames = np.ones((2, 3, 4), np.int64)
    vectors = [
        Vectors("input", 0, "verify.input[0]", "x.npy", frames),
        Vectors("input", 1, "verify.input[1]", "y.npy", frames[:, :, :2]),
    ]
    assert set(given_frames(planned(), vectors, "cluster.toml")) == {
        "host_to_wide",
        "host_to_other",
        "host_to_thin",
    }


@pytest.mark.parametrize(
    ("stall", "simulator"), [(40, "verilator"), pytest.param(70, "icarus", marks=pytest.mark.sweep)]
)
def test_a_graph_on_three_boards(tmp_path: Path, stall: int, simulator: str) -> None:
    out = generate_fake(graph(), spec(NODES, link=LINKS), tmp_path / "out")
    report = run(out, simulator, walk=False, stall=stall)
    assert report["passed"], report
    wrong = (out / "n1/partition/shellgen_sum_0.v").read_text().replace("1'b1, 1'b0", "1'b0, 1'b0")
    (out / "n1/partition/shellgen_sum_0.v").write_text(wrong)
    report = run(out, simulator, walk=False, control=False, full_rate=False)
    assert not report["passed"]
    assert state(report, "boundaries") == "OK"
    assert state(report, "monolith") == "FAIL"


def test_what_the_host_sends_to_one_board_is_copied_there() -> None:
    links = [{"from": "host", "to": ["a", "b"], "at": "n2"}, {"from": "c", "to": "host"}]
    network = chain(partition("a"), partition("b"), partition("c"), edges=False)
    network.builds = (("a",), ("b",), ("c",))
    plan = plan_of(network, one_each(network, link=links))
    ways = [(b.name, b.producer_node, b.consumer_node, b.tensor) for b in plan.boundaries]
    assert ways[:4] == [
        ("host_to_broadcast_0", None, "n2", "a.s_axis_0"),
        ("host_to_c", None, "n2", None),
        ("broadcast_0_to_a", "n2", "n0", None),
        ("broadcast_0_to_b", "n2", "n1", None),
    ]
    (relay,) = [part for part in plan.partitions if part.junction]
    assert (relay.name, relay.junction) == ("broadcast_0", "relay")
    assert plan.node("n2").tx[0].carries == ("broadcast_0_to_a", "broadcast_0_to_b")


FIELD = r"cluster.toml: link\[0\]"
REFUSED: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no join": (
        [{"from": ["wide", "other"], "to": "sums"}],
        rf"{FIELD}.from: 2 streams, and join does not say",
    ),
    "join of one": ([{"from": "wide", "to": "sums", "join": "sum"}], rf"{FIELD}.join: 1 stream to join"),
    "too many": (
        [{"from": ["wide"] * 17, "to": "sums", "join": "sum"}],
        rf"{FIELD}.join: 17 streams to join",
    ),
    "host in a join": (
        [{"from": ["wide", "host"], "to": "sums", "join": "sum"}],
        "a join of a stream of the host",
    ),
    "both lists": (
        [{"from": ["wide", "other"], "to": ["sums", "head"], "join": "sum"}],
        "a join with 2 consumers",
    ),
    "many copies": ([{"from": "wide", "to": ["sums"] * 33}], "33 consumers of one stream"),
    "one consumer twice": ([{"from": "wide", "to": ["other", "other"]}], "it names other.s_axis_0 2 times"),
    "name inside": (
        [{"from": "wide", "to": "other", "name": "x"}],
        r"\.name: name is for streams of the host",
    ),
    "at inside": ([{"from": "wide", "to": "other", "at": "n0"}], r"\.at: at is for streams of the host"),
    "unknown at": ([{"from": "host", "to": "wide", "at": "n7"}], r"\.at: there is no node 'n7'"),
    "one name for two": (
        [{"from": "host", "to": "wide", "name": "x"}, {"from": "host", "to": "thin", "name": "x"}],
        r"wide.s_axis_0 and thin.s_axis_0 are both called 'x', and their frames are not the same",
    ),
    "one name for results": (
        [{"from": "wide", "to": "host", "name": "x"}, {"from": "thin", "to": "host", "name": "x"}],
        "both called 'x'",
    ),
    "fed twice": (
        [{"from": "wide", "to": "sums"}, {"from": "other", "to": "sums"}],
        r"link\[1\]: stream port sums.s_axis_0 is connected 2 times. Keep one of the two; several",
    ),
    "shapes of a sum": (
        [{"from": ["wide", "thin"], "to": "sums", "join": "sum"}],
        r"thin.m_axis_0 of \(1, 3, 2\)",
    ),
    "rows": ([{"from": ["thin", "flat"], "to": "head", "join": "concat"}], "rows and columns differ"),
    "types": (
        [{"from": ["wide", "other"], "to": "head", "join": "concat"}],
        "wide.m_axis_0 sends UINT4, other",
    ),
    "type of the sum": (
        [{"from": ["wide", "wide"], "to": "sums", "join": "sum"}],
        "the sum of UINT4, UINT4 needs UINT5, and sums.s_axis_0 takes INT6. Build sums with inputs of UINT5",
    ),
    "type of the concat": (
        [{"from": ["wide", "wide"], "to": "head", "join": "concat"}],
        "the concat of UINT4, UINT4 is UINT4, and head.s_axis_0 takes INT6",
    ),
    "elements": (
        [{"from": ["thin", "thin"], "to": "head", "join": "concat"}],
        "has 12 elements a frame, and head",
    ),
    "signs": (
        [{"from": ["signs", "signs"], "to": "sums", "join": "sum"}],
        "signs.m_axis_0 .BIPOLAR.*cannot be summed",
    ),
    "cycle": (
        [{"from": ["wide", "sums"], "to": "sums", "join": "sum"}],
        "the links form a cycle through sums",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refuses(case: str) -> None:
    links, message = REFUSED[case]
    network = graph()
    more = chain(passing("flat", ("INT6", 1, 12)), passing("signs", ("BIPOLAR", 1, 12)))
    network.partitions += more.partitions
    network.builds = tuple((part.name,) for part in network.partitions)
    with pytest.raises(PlanError, match=message):
        plan_of(network, one_each(network, link=links))


@pytest.mark.parametrize(("op", "join"), [("Add", "sum"), ("Concat", "concat")])
def test_a_fork_and_a_join_in_a_parent(tmp_path: Path, op: str, join: str) -> None:
    """FINN's parent shows them: cluster.toml has nodes only."""
    branches(tmp_path, join, outputs=(6, 6))
    write_parent(tmp_path, op, ["b0", "b1"], "head")
    nodes = [(f"n{k}", "zedboard", f"[{k}]") for k in range(3)]
    cluster = write_cluster(tmp_path, ["net"], nodes, "")
    plan, network, _ = load(cluster)
    assert [edge.join for edge in network.edges] == [join, join]
    assert [b.tensor for b in plan.boundaries if b.producer is None] == ["image", "image"]
    assert plan.partition(f"{join}_0").streams[2].datatype == plan.partition("head").inputs[0].datatype
    assert plan.golden
    assert "different outputs" in plan.golden.note
    if op == "Concat":
        parent = tmp_path / "net/parent.onnx"
        model = onnx.load(str(parent))
        (node,) = [node for node in model.graph.node if node.op_type == op]
        node.attribute[0].i = 1
        onnx.save(model, str(parent))
        with pytest.raises(ShellgenError, match="neither the build nor a"):
            load(cluster)


def branches(folder: Path, join: str, outputs: tuple[int, ...] = (6, 4), vectors: int = 3) -> None:
    """Write some branches and the head behind their join."""
    for index, count in enumerate(outputs):
        fold = (1, 8) if index % 2 else (2, 4)
        write_build(folder / f"b{index}", (8, count), "UINT4", [fold], vectors=vectors, seed=index + 1)
    kind, more = made_type(folder / "b0"), (len(outputs) - 1).bit_length()
    taken, width = (kind, sum(outputs)) if join == "concat" else (f"INT{int(kind[3:]) + more}", outputs[0])
    write_build(folder / "head", (width, 4), taken, [(2, width)], vectors=vectors, seed=len(outputs) + 1)


@pytest.mark.sweep
@pytest.mark.parametrize("join", ["concat", "sum"])
@pytest.mark.parametrize("spread", ["three", "two", "one"])
def test_branches_are_bit_exact(tmp_path: Path, join: str, spread: str) -> None:
    branches(tmp_path, join, (6, 4) if join == "concat" else (6, 6))
    places = {"three": ["[0]", "[1]", "[2]"], "two": ["[0, 2]", "[1]"], "one": ["[0, 1, 2]"]}[spread]
    nodes = [(f"n{k}", "zedboard", place) for k, place in enumerate(places)]
    links = '[[link]]\nfrom = "host"\nto = ["0", "1"]\n'
    links += f'[[link]]\nfrom = ["0", "1"]\nto = "2"\njoin = "{join}"\n'
    generate(write_cluster(tmp_path, ["b0", "b1", "head"], nodes, links), tmp_path / "out")
    report = run(tmp_path / "out", "verilator", own_frames=True, frames=None)
    assert report["passed"]
    assert state(report, "golden") == "OK"


@pytest.mark.sweep
@pytest.mark.parametrize("join", ["concat", "sum"])
def test_four_branches_are_bit_exact(tmp_path: Path, join: str) -> None:
    """One board forks the image to itself and two others, one of which copies it, and joins what returns."""
    branches(tmp_path, join, (6, 4, 2, 6) if join == "concat" else (6,) * 4)
    nodes = [("n0", "zedboard", "[0, 4]"), ("n1", "zedboard", "[1, 2]"), ("n2", "zcu104", "[3]")]
    links = '[[link]]\nfrom = "host"\nto = ["0", "1", "2", "3"]\nat = "n0"\n'
    links += f'[[link]]\nfrom = ["0", "1", "2", "3"]\nto = "4"\njoin = "{join}"\n'
    builds = ["b0", "b1", "b2", "b3", "head"]
    plan, _ = generate(write_cluster(tmp_path, builds, nodes, links), tmp_path / "out")
    assert [len(part.outputs) for part in plan.partitions if part.junction == "broadcast"] == [2, 2]
    report = run(tmp_path / "out", "verilator", own_frames=True, frames=None)
    assert report["passed"]
    assert state(report, "golden") == "OK"


@pytest.mark.sweep
def test_unrelated_builds_and_copies(tmp_path: Path) -> None:
    """Two copies of one build share its modules; another one of the same names keeps weights of its own."""
    write_build(tmp_path / "a", (8, 6), "UINT4", [(2, 4)], seed=1)
    write_build(tmp_path / "b", (8, 6), "UINT4", [(2, 4)], seed=2)
    nodes = [("n0", "zedboard", "[0, 2]"), ("n1", "zedboard", "[1]")]
    cluster = write_cluster(tmp_path, ["a", "a", "b"], nodes, "")
    plan, _ = generate(cluster, tmp_path / "out")
    first, copy, other = plan.partitions
    assert copy == first.model_copy(update={"name": f"{first.name}_b1"})
    assert other.name == f"{first.name}_b2"
    assert not {source.sha256 for source in other.sources if source.kind == "data"} & {
        source.sha256 for source in first.sources
    }
    assert [b.tensor for b in plan.boundaries] == [
        name + end for name in ("global_in", "global_out") for end in ("", "_b1", "_b2")
    ]
    report = run(tmp_path / "out", "icarus", walk=False, own_frames=True)
    assert report["passed"], report
    assert state(report, "golden") == "OK"
    other_folder = 'build = ["a", "none"]'
    cluster.write_text(cluster.read_text().replace('build = ["a", "a", "b"]', other_folder))
    with pytest.raises(ShellgenError, match=r"no such FINN build: .*none"):
        load(cluster)
    cluster.write_text(cluster.read_text().replace(other_folder, "build = []"))
    with pytest.raises(ShellgenError, match=r"build: got \[\]; expected a name, or a list of names"):
        load(cluster)


def test_a_described_stream_of_one_of_several_builds(tmp_path: Path) -> None:
    write_build(tmp_path / "a", (8, 6), "UINT4", [(2, 4)], seed=1)
    nodes = [("n0", "zedboard", "[0, 1]")]
    described = (
        '[[stream]]\nport = "nowhere.s_axis_0"\ndatatype = "UINT4"\nshape = [1, 8]\nelements_per_word = 4\n'
    )
    with pytest.raises(ShellgenError, match=r"nowhere.s_axis_0: port: the build has no such stream port"):
        load(write_cluster(tmp_path, ["a", "a"], nodes, described))


def test_branches_that_share_a_queue_are_refused() -> None:
    """The host forks, too: the queue of ACCL may hold a frame of one branch in front of the other's."""
    links = [{"from": ["a", "b"], "to": "c", "join": "sum", "kind": "accl"}]
    parts = [partition("a"), partition("b"), partition("c", takes=(("UINT5", 2, 16),))]
    network = chain(*parts, edges=False)
    nodes = [{"name": f"n{k}", "board": "u55c", "platform": "coyote", "partitions": [k]} for k in range(3)]
    with pytest.raises(PlanError, match="share one accl link, fork and rejoin"):
        plan_of(network, spec(nodes, link=links))


def test_weights_enter_where_they_are_used() -> None:
    part, text = partition("a", takes=(("UINT4", 2, 16), ("INT4", 2, 16)))
    streams = [
        port.model_copy(update={"role": "weights"}) if port.name == "s_axis_1" else port
        for port in part.streams
    ]
    network = chain((part.model_copy(update={"streams": tuple(streams)}), text), partition("b"))
    links = [{"from": "host", "to": "a.s_axis_1", "at": "n1"}]
    with pytest.raises(PlanError, match=r"link\[0\].at: a.s_axis_1 is a weight port"):
        plan_of(network, one_each(network, link=links))
    assert Endpoint(partition="a", port="s_axis_1") in {
        b.consumer for b in plan_of(network, one_each(network)).boundaries
    }
