# SPDX-License-Identifier: BSD-3-Clause
"""`estimate --scale`: layers of a build on boards in a row, folded and cut again for each number of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import onnx
import pytest
from bad_input import copy_system
from fake_network import chain, one_each, partition, plan_of

from shellgen.cli import main
from shellgen.errors import InputError
from shellgen.estimate import estimate
from shellgen.estimate.scale import changes
from shellgen.model import Network, Plan
from shellgen.read.finn_onnx import FinnModel, Node, Tensor
from shellgen.split.curve import Curve, curves

WIDE = 256
PER_PARTITION = 4
DSP = 220


def model(name: str, layers: int = PER_PARTITION, *, skip: bool = False) -> FinnModel:
    """Matrix layers in a row; with ``skip`` a stream goes past those between the first and the last."""
    numbers = range(layers)
    tensors = {f"t{at}": Tensor(f"t{at}", (1, WIDE), "INT4") for at in range(layers + 1)}
    weights, nodes = {}, []
    for at in numbers:
        weights[f"w{at}"] = onnx.TensorProto(name=f"w{at}", dims=[WIDE, WIDE], data_type=1)
        tensors[f"w{at}"] = Tensor(f"w{at}", (WIDE, WIDE), "INT4")
        attributes = {"MW": WIDE, "MH": WIDE, "PE": 4, "SIMD": 4}
        ins = (f"t{at}", f"w{at}") if not skip or at < layers - 1 else (f"t{at}", "past", f"w{at}")
        outs = (f"t{at + 1}", "past") if skip and not at else (f"t{at + 1}",)
        nodes.append(Node("MVAU_rtl", f"{name}_MVAU_rtl_{at}", "finn", ins, outs, dict(attributes)))
    tensors["past"] = Tensor("past", (1, WIDE), "INT4")
    ends = (("t0",), (f"t{layers}",))
    return FinnModel(Path(f"{name}.onnx"), tuple(nodes), ends[0], *ends, tensors, weights, {})


def built(
    board: str = "zedboard",
    more: Mapping[str, object] = {},
    *,
    skip: bool = False,
    cycles: int | None = WIDE * WIDE // 16,
    word: int = 4,
) -> tuple[Plan, Network]:
    """Two partitions on a board each, with a model."""
    models = {name: model(name, skip=skip) for name in ("p0", "p1")}
    parts = []
    for name, own in models.items():
        made, text = partition(name, (("INT4", word, WIDE),), (("INT4", word, WIDE),))
        layers = tuple(node.name for node in own.nodes)
        told = (cycles,) * len(layers)
        update = {"layers": layers, "layer_cycles": told, "layer_sources": ("formula",) * len(layers)}
        parts.append((made.model_copy(update=update), text))
    network = chain(*parts)
    network.models = dict(models)
    nodes = one_each(network, board)
    changed = tuple(node.model_copy(update=more) for node in nodes.node)
    return plan_of(network, nodes.model_copy(update={"node": changed})), network


def whole(found: tuple[Curve, ...]) -> Curve:
    return next(one for one in found if one.of == "all layers")


@pytest.mark.parametrize(
    ("board", "link", "more"),
    [
        ("zedboard", "tcp_dma", {}),
        ("u55c", "vnx_udp", {"platform": "vitis"}),
        ("u55c", "accl", {"platform": "coyote"}),
    ],
)
def test_more_boards_bring_more_on_each_kind_of_link(board: str, link: str, more: dict[str, str]) -> None:
    """The links are those that such boards have; each point has all layers, and none is worse."""
    plan, network = built(board, more)
    found = curves(plan, network, 16, "cluster.toml")
    assert {one.link for one in found} == {link}
    points = whole(found).points
    rates = [one.frames_per_second or 0.0 for one in points]
    assert rates == sorted(rates)
    assert all(sum(one.layers) == 2 * PER_PARTITION for one in points)
    assert all(len(one.layers) == one.boards <= 16 for one in points)


def test_a_board_more_has_the_slices_for_a_higher_folding() -> None:
    """A ZedBoard does not hold these layers unfolded, so the rate grows with the boards."""
    plan, network = built()
    points = whole(curves(plan, network, 64, "cluster.toml")).points
    one, two = (point.frames_per_second or 0.0 for point in points[:2])
    assert two == pytest.approx(2 * one, rel=0.1)
    # Three products of these widths share a slice at the most: a bound that needs no search.
    products = 2 * PER_PARTITION * WIDE * WIDE
    for point in points:
        most = 3 * DSP * point.boards * plan.nodes[0].compute.hz / products
        assert (point.frames_per_second or 0.0) <= most
    assert points[0].limit.startswith("layer ")
    assert points[-1].boards <= 2 * PER_PARTITION


def test_branches_have_curves_of_their_own() -> None:
    """The layers that a stream goes past, without the fork and the join."""
    plan, network = built(skip=True)
    found = [one.of for one in curves(plan, network, 4, "cluster.toml")]
    first, second = (f"branch {p}_MVAU_rtl_1 to {p}_MVAU_rtl_2" for p in ("p0", "p1"))
    assert found == ["all layers", first, second]


def test_a_build_without_figures_of_layers_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, network = built(cycles=None)
    with pytest.raises(InputError, match="cycles of layer MVAU_rtl_0 are not known"):
        curves(plan, network, 4, "cluster.toml")
    network.models = {"p0": "its model is of another build"}
    with pytest.raises(InputError, match="p0 has no model of its layers"):
        curves(plan, network, 4, "cluster.toml")
    monkeypatch.chdir(tmp_path)
    copy_system(tmp_path)
    assert main(["estimate", "cluster.toml", "--scale", "4", "-o", "told"]) == 0
    said = capsys.readouterr().out
    assert "all layers, zedboard, tcp_dma:" in said
    page, document = (Path("told", name).read_text() for name in ("report.html", "estimate.json"))
    (curve,) = json.loads(document)["chains"]
    assert '<h2 id="row-0">All layers in a row: zedboard, tcp_dma</h2>' in page.replace("<wbr>", "")
    for point in curve["points"]:
        assert f"{point['frames_per_second']:,.0f} frames/s" in page
    assert main(["generate", "cluster.toml", "-o", "out"]) == 0
    assert main(["estimate", "out", "--scale", "4"]) == 0
    assert "no rates of boards in a row: only cluster.toml names" in capsys.readouterr().out


def test_a_deeper_ring_helps_where_its_places_limit() -> None:
    """Over 100G with a long round trip, and only there: the wait for credits is the limit."""
    ring = "credits of p0_to_p1 with a ring twice as deep"
    plan, _ = built("u55c", {"platform": "vitis"}, cycles=16)
    assert ring not in [one.text for one in changes(plan)]
    far = {"platform": "vitis", "options": {"vnx_udp": {"round_trip_ns": 10_000}}}
    plan, _ = built("u55c", far, cycles=4, word=64)
    before = estimate(plan)
    assert before.limit.name == "credits of p0_to_p1"
    (found,) = [one for one in changes(plan) if "credits" in one.text]
    assert found.text == ring
    assert found.frames_per_second == pytest.approx(2 * before.frames_per_second)
