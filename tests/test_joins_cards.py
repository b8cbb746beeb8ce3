# SPDX-License-Identifier: BSD-3-Clause
"""Forks and joins between cards: VNx with faults in the network, ACCL, and the scripts of such a cluster."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from accl_cluster import play as play_accl
from cluster_bench import generate_fake, run
from fake_network import chain, partition, plan_of, spec
from test_joins import LINKS, NODES, graph, passing
from test_vnx_cluster import FAULTS, SEEN, counts
from test_vnx_cluster import parameters as faults
from test_vnx_cluster import play as play_vnx

from shellgen import costs
from shellgen.check.run import Options, check
from shellgen.errors import PlanError
from shellgen.links.accl import Accl
from shellgen.model import Network, Plan, Usage
from shellgen.model.meets import reset_nodes
from shellgen.plan.fit import core_usage
from shellgen.plan.numbers import order_notes, tags_usage
from tools.mutants.clusters import CLUSTERS
from vivado_check.report import Verdict

# The stem's frames go to a branch, and past it to the sum in front of the head.
SKIP: list[dict[str, Any]] = [
    {"from": "stem", "to": "branch"},
    {"from": ["stem", "branch"], "to": "head", "join": "sum"},
    {"from": "head", "to": "host", "at": "n0"},
]
# Depth of a FIFO of tags in a core.
FIFO = r"DEPTH\((\d+)\)\s*\) u_\w+_tag_fifo "


def skip(bits: int, lanes: int, elements: int) -> Network:
    """A stem, a branch and a head behind the sum of both, with frames of many packets."""
    frame, total = (f"UINT{bits}", lanes, elements), (f"UINT{bits + 1}", lanes, elements)
    return chain(passing("stem", frame), passing("branch", frame), passing("head", total), edges=False)


def row(bits: int, lanes: int, elements: int) -> Network:
    """The same three without the way past the branch."""
    frame = (f"UINT{bits}", lanes, elements)
    return chain(*(passing(name, frame) for name in ("stem", "branch", "head")))


def coyote(*cards: list[int]) -> list[dict[str, Any]]:
    """Cards under Coyote with these partitions."""
    return [
        {"name": f"n{k}", "board": "u55c", "platform": "coyote", "partitions": own}
        for k, own in enumerate(cards)
    ]


def test_the_scripts_of_junctions_are_right(tmp_path: Path) -> None:
    found = check(CLUSTERS["joins"](tmp_path / "out"), Options())
    assert set(found.reports) == {"zedboard", "zcu104"}
    assert [one for one in found.messages if one.verdict is not Verdict.NOT_MODELLED] == []


def numbered(
    nodes: list[dict[str, Any]], link: list[dict[str, Any]] | None, host: dict[str, Any] | None = None
) -> set[str]:
    """Return the boundaries with numbered frames, of the row where no links are given."""
    more = {"link": link, "host": host or {}}
    plan = plan_of(skip(8, 4, 64), spec(nodes, **more)) if link else plan_of(row(8, 4, 64), spec(nodes))
    return {one.name for one in plan.boundaries if one.numbered}


def test_frames_have_numbers_where_streams_meet() -> None:
    """In all of that network, and where one link follows another; not over a link that carries none."""
    apart = [{"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(3)]
    assert len(numbered(apart, SKIP)) == 8
    around = [{**apart[0], "partitions": [0, 2]}, apart[1]]
    assert "broadcast_0_m_axis_1_to_sum_0_s_axis_0" in numbered(around, SKIP)
    alone = [{"name": "n0", "board": "u280", "partitions": [0, 1, 2]}]
    assert not numbered(alone, SKIP)
    assert not numbered([{**one, "board": "zedboard"} for one in apart], SKIP)
    two = [{"from": "host", "to": ["stem", "branch"], "name": "image"}, SKIP[1]]
    assert not numbered(apart, two)  # each origin would begin again without the other
    assert len(numbered(apart, two, {"through": "n0"})) == 8
    assert len(numbered(apart, None)) == 4
    assert not numbered([{**apart[0], "partitions": [0, 1]}, {**apart[1], "partitions": [2]}], None)
    assert len(numbered(coyote([0, 2], [1]), SKIP)) == 7
    assert len(numbered(coyote([0], [1], [2]), None)) == 4
    assert not numbered(coyote([0, 1], [2]), None)


def test_a_link_without_numbers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The note is there if streams meet or one link follows another, and only then."""
    monkeypatch.setattr(Accl, "numbers", False)
    found = plan_of(skip(8, 4, 64), spec(coyote([0, 2], [1]), link=SKIP))
    (note,) = order_notes(found)
    assert note.startswith("frames over accl have no numbers: if one card is reset alone, frames go")
    assert not [*order_notes(plan_of(row(8, 4, 64), spec(coyote([0, 1], [2]))))]
    assert [*order_notes(plan_of(row(8, 4, 64), spec(coyote([0], [1], [2]))))] == [note]


def test_a_branch_that_returns_into_the_queue_of_its_fork_is_refused() -> None:
    """Frames that enter over ACCL wait in front of what the branch returns: simulated, it stalled."""
    first = [{"from": "first", "to": "stem"}, *SKIP[:2]]
    frame, total = ("UINT8", 4, 64), ("UINT9", 4, 64)
    parts = [passing(name, frame) for name in ("first", "stem", "branch")]
    network = chain(*parts, passing("head", total), edges=False)
    with pytest.raises(PlanError, match=r"node n1: branch_to_.* rejoins a way from first_to_stem, and both"):
        plan_of(network, spec(coyote([0], [1, 3], [2]), link=first))
    assert plan_of(network, spec(coyote([0, 1, 3], [2]), link=first))


def test_fit_counts_the_blocks_of_numbers(tmp_path: Path) -> None:
    """As many of each kind as the core has."""
    nodes = [{"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(3)]
    out = generate_fake(skip(8, 4, 64), spec(nodes, link=SKIP), tmp_path / "out")
    plan = Plan.model_validate_json((out / "plan.json").read_text())
    found = tags_usage(plan)
    blocks = {
        r"axis_frame_tag #": costs.frame_tag(),
        r"axis_frame_label #": costs.frame_label() + costs.mark(),
        r"axis_frame_match #": costs.frame_match(2),
        r"u_broadcast_0_tags ": costs.broadcast(2, costs.TAG_BITS),
    }
    for node in plan.nodes:
        text = (out / node.name / f"{node.name}_core.v").read_text()
        there = [costs.fifo(costs.TAG_BITS, int(deep)) for deep in re.findall(FIFO, text)]
        there += [usage for name, usage in blocks.items() for _ in re.findall(name, text)]
        assert sum(there, Usage()) == found[node.name]
        assert node.takes
        assert node.takes.core == core_usage(node) + found[node.name]
        assert len(there) >= 4


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nodes = [{"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(5)]
    out = tmp_path_factory.mktemp("five") / "out"
    generate_fake(diamond(4, 128, 7424), spec(nodes, link=DIAMOND), out)
    bench = out / "bench" / "bench_node_reset.py"
    text = bench.read_text()
    for old, new in (("MORE, FEW = 5, 2", "MORE, FEW = 20, 20"), ('== "full" else 0', '== "none" else 0')):
        assert text.count(old) == 1
        text = text.replace(old, new)
    bench.write_text(text)
    return out


@pytest.mark.sweep
@pytest.mark.parametrize("node", ["n0", "n1", "n2"])
def test_a_card_is_reset_beside_a_skip_edge(tmp_path: Path, node: str) -> None:
    """The way past the branch has frames that the branch has lost, and later frames are right."""
    nodes = [{"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(3)]
    out = generate_fake(skip(4, 128, 7424), spec(nodes, link=SKIP), tmp_path / "out")
    report = play_vnx(out, reset_node=node, full_rate=False, stalled=False)
    for by in ("control", "pin"):
        found = report[f"reset_{by}"]
        assert "note" not in found
        assert all(verdict["passed"] for verdict in found["verdicts"])


def test_streams_of_the_host_that_never_join_go_by_their_order() -> None:
    """A reset finds them at different frames: by number one would wait for what the other lost."""
    frame = ("UINT4", 4, 64)
    network = chain(*(partition(name, (frame, frame), (frame, frame)) for name in "pqr"), streams=2)
    nodes = [{"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(3)]
    plan = plan_of(network, spec(nodes, host={"through": "n0"}))
    assert not any(one.numbered for one in plan.boundaries)
    (note,) = order_notes(plan)
    assert note.startswith("frames of the host's streams at n0 go by their order: the reset of one card may")


@pytest.mark.sweep
def test_cards_are_reset_beside_streams_of_the_host(tmp_path: Path) -> None:
    """Two streams that enter at one card begin an epoch together, and meet by their numbers."""
    nodes = [{"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(3)]
    cluster = spec(nodes, link=[SKIP[1]], host={"through": "n0"})
    out = generate_fake(skip(4, 128, 7424), cluster, tmp_path / "out")
    report = play_vnx(out, reset_node="n0", walk="sample", stalled=False)
    resets = {one["reset"]["node"]: one["reset"] for one in report["meets"]}
    assert set(resets) == {"n1", "n2"}
    resets |= {by: report[f"reset_{by}"] for by in ("control", "pin")}
    assert all(verdict["passed"] for found in resets.values() for verdict in found["verdicts"])


def diamond(bits: int, lanes: int, elements: int) -> Network:
    """A stem, two branches, one of which goes on over another card, and a head behind the sum of both."""
    frame, total = (f"UINT{bits}", lanes, elements), (f"UINT{bits + 1}", lanes, elements)
    arms = [passing(name, frame) for name in ("stem", "left", "right", "further")]
    return chain(*arms, passing("head", total), edges=False)


DIAMOND: list[dict[str, Any]] = [
    {"from": "stem", "to": ["left", "right"]},
    {"from": "right", "to": "further"},
    {"from": ["left", "further"], "to": "head", "join": "sum"},
    {"from": "head", "to": "host", "at": "n4"},
]


@pytest.mark.sweep
@pytest.mark.parametrize("node", ["n0", "n1", "n2", "n3", "n4"])
def test_any_of_five_cards_is_reset_at_twenty_moments(five: Path, node: str) -> None:
    """In mid-frame and at twenty random moments, by CONTROL and by pin: what follows is right, or marked."""
    report = play_vnx(five, reset_node=node, full_rate=False, stalled=False)
    for by in ("control", "pin"):
        found = report[f"reset_{by}"]
        assert "note" not in found
        assert all(verdict["passed"] for verdict in found["verdicts"])


@pytest.mark.sweep
@pytest.mark.parametrize("node", ["n0", "n1"])
def test_a_card_is_reset_in_a_chain(tmp_path: Path, node: str) -> None:
    """Frames that the next card fills with zeros arrive marked at the host, two links on."""
    nodes = [{"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(3)]
    out = generate_fake(row(4, 128, 29696), spec(nodes), tmp_path / "out")
    report = play_vnx(out, reset_node=node, full_rate=False, stalled=False)
    for by in ("control", "pin"):
        assert all(verdict["passed"] for verdict in report[f"reset_{by}"]["verdicts"])
    marks = out / "bench" / "bench_marks.py"
    marks.write_text(marks.read_text().replace("if flags & MARKED else", "if flags & 0 else"))
    words = {"frames": 12, "idle_limit": 100_000, "full_rate": False, "stalled": False, "edited": True}
    report = run(out, "verilator", reset_node=node, **words)
    assert any("is wrong and not marked" in one["text"] for one in report["failures"])


@pytest.mark.sweep
@pytest.mark.parametrize("where", ["apart", "around"])
def test_a_usual_run_where_frames_with_numbers_meet(tmp_path: Path, where: str) -> None:
    """On three cards in a row, and where streams meet on the card on which numbers begin.

    The directed test knows numbers. A card on each side is reset, and a result that is neither right nor
    marked ends the run: so it does if nobody looks at the marks.
    """
    at = [[0], [1], [2]] if where == "apart" else [[0, 2], [1]]
    nodes = [{"name": f"n{k}", "board": "u280", "partitions": held} for k, held in enumerate(at)]
    out = generate_fake(skip(4, 128, 7424), spec(nodes, link=SKIP), tmp_path / "out")
    report = play_vnx(out, walk="sample", stalled=False)
    assert all(found["packets"] > 0 for found in report["directed_tests"]["vnx_udp"].values())
    resets = {one["reset"]["node"]: one for one in report["meets"]}
    assert set(resets) == ({"n1", "n2"} if where == "apart" else {"n0", "n1"})
    assert {one["by"] for one in resets.values()} == {"control", "pin"}
    assert all(one["passed"] for found in resets.values() for one in found["reset"]["verdicts"])
    assert resets["n1"]["reset"]["damaged"] > 0
    marks = out / "bench" / "bench_marks.py"
    marks.write_text(marks.read_text().replace("if flags & MARKED else", "if flags & 0 else"))
    report = run(out, "verilator", frames=12, walk="sample", idle_limit=100_000, stalled=False, edited=True)
    (failure,) = report["failures"]
    assert failure["test"] == "meets"
    assert "is wrong and not marked" in failure["text"]


def test_boards_that_are_reset_where_frames_meet() -> None:
    """One behind the place, and before it one at which numbers do not begin, if there is one."""
    apart = [{"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(3)]
    around = [{**apart[0], "partitions": [0, 2]}, apart[1]]
    for nodes, found in ((apart, ("n1", "n2")), (around, ("n0", "n1"))):
        assert reset_nodes(plan_of(skip(8, 4, 64), spec(nodes, link=SKIP))) == found
    plan = plan_of(skip(8, 4, 64), spec([{**one, "board": "zedboard"} for one in apart], link=SKIP))
    assert reset_nodes(plan) == ()


@pytest.mark.sweep
@pytest.mark.parametrize("cards", [2, 3])
def test_a_graph_over_vnx(tmp_path: Path, cards: int) -> None:
    """Two forks and three joins, some of them of streams that share a cage."""
    nodes = [{**node, "board": "u280"} for node in NODES[:cards]]
    if cards == 2:
        nodes[0] = {**nodes[0], "partitions": ["wide", "thin", "head"]}
    out = generate_fake(graph(), spec(nodes, link=LINKS), tmp_path / "out")
    report = play_vnx(out, frames=20, settings=faults(**FAULTS))
    seen = {
        words: counts(report, words) + counts(report, words, "stalled") for words in ("lost", "reordered")
    }
    assert all(seen.values()), seen


@pytest.mark.sweep
def test_a_skip_edge_over_vnx(tmp_path: Path) -> None:
    """Frames of 12 packets on all three edges of the ring, and packets of each are lost."""
    nodes = [{"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(3)]
    out = generate_fake(skip(4, 128, 32 * 1024), spec(nodes, link=SKIP), tmp_path / "out")
    report = play_vnx(out, settings=faults(**FAULTS), stall=100)
    assert all(counts(report, words) > 0 for words in set(SEEN.values()))


@pytest.mark.sweep
@pytest.mark.parametrize("mode", ["buffered", "direct"])
def test_a_skip_edge_beside_a_card_over_accl(tmp_path: Path, mode: str) -> None:
    cluster = spec(coyote([0, 2], [1]), link=SKIP, links={"accl": {"mode": mode}})
    out = generate_fake(skip(8, 16, 16 * 1024), cluster, tmp_path / "out")
    play_accl(out, frames=6, idle_limit=100_000, walk="sample" if mode == "buffered" else "none")


# Frames of one beat, of some, and of some hundred.
OVER_ACCL = {"one": skip(4, 8, 128), "some": skip(8, 16, 400), "large": skip(8, 16, 16 * 1024)}


# A reset by pins cuts the host's transfer, which the first frame after it completes: docs/coyote.md, Numbers.
CUT = pytest.mark.xfail(strict=True, reason="Coyote counts the length of the host's transfer, which was cut")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("size", "mode"),
    [
        pytest.param(size, mode, marks=[CUT] if (size, mode) == ("large", "direct") else [])
        for size in OVER_ACCL
        for mode in ("buffered", "direct")
    ],
)
def test_a_usual_run_where_frames_with_numbers_meet_over_accl(tmp_path: Path, size: str, mode: str) -> None:
    """The way past the branch is on the first card; both cards are reset, and nothing is shifted.

    A result that is neither right nor marked ends the run: so it does if nobody looks at the marks.
    """
    cluster = spec(coyote([0, 2], [1]), link=SKIP, links={"accl": {"mode": mode}})
    out = generate_fake(OVER_ACCL[size], cluster, tmp_path / "out")
    words: dict[str, Any] = {"frames": 12, "idle_limit": 100_000, "stalled": False}
    report = play_accl(out, walk="sample", **words)
    assert report["directed_tests"]["accl"]["phases"] > 0
    resets = {one["reset"]["node"]: one for one in report["meets"]}
    assert set(resets) == {"n0", "n1"}
    assert {one["by"] for one in resets.values()} == {"control", "pin"}
    assert all(one["passed"] for found in resets.values() for one in found["reset"]["verdicts"])
    report = play_accl(out, walk="none", reset_node="n1", full_rate=False, **words)
    assert report["reset_control"]["damaged"] > 0  # what the branch has lost is made up, and marked
    marks = out / "bench" / "bench_marks.py"
    marks.write_text(marks.read_text().replace("if flags & MARKED else", "if flags & 0 else"))
    report = run(out, "verilator", walk="none", reset_node="n1", full_rate=False, edited=True, **words)
    assert any("is wrong and not marked" in one["text"] for one in report["failures"])


@pytest.mark.sweep
@pytest.mark.parametrize("node", ["n0", "n1"])
def test_a_card_is_reset_in_a_chain_over_accl(tmp_path: Path, node: str) -> None:
    """A frame that the second card fills with zeros arrives marked at the host, two links on."""
    out = generate_fake(row(8, 16, 16 * 1024), spec(coyote([0], [1], [2])), tmp_path / "out")
    report = play_accl(out, frames=12, idle_limit=100_000, reset_node=node, full_rate=False, stalled=False)
    for by in ("control", "pin"):
        found = report[f"reset_{by}"]
        assert "note" not in found
        assert all(verdict["passed"] for verdict in found["verdicts"])


@pytest.mark.sweep
def test_a_join_of_a_card_and_its_neighbour_over_accl(tmp_path: Path) -> None:
    links = [
        {"from": "host", "to": ["stem", "branch"], "name": "image"},
        {"from": ["stem", "branch"], "to": "head", "join": "sum"},
    ]
    cluster = spec(coyote([0], [1, 2]), link=links)
    play_accl(generate_fake(skip(3, 5, 500), cluster, tmp_path / "out"))
