# SPDX-License-Identifier: BSD-3-Clause
"""The model's order and names of the host's streams, whichever partition and port has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_network import chain, one_each, partition, plan_of
from onnx import helper
from read.build_fixture import make_model, save, sdp, write_network

from shellgen.cli.ports import tensor_lines
from shellgen.golden import given_frames
from shellgen.model import Endpoint, Network
from shellgen.read import read_network
from shellgen.read.finn_onnx import load_model
from shellgen.read.tensors import host_tensors
from shellgen.read.vectors import Vectors

PAIR = (("UINT4", 4, 8), ("UINT4", 4, 8))


def end(part: str, port: str) -> Endpoint:
    return Endpoint(partition=part, port=port)


def network(order: list[tuple[str, str, str]]) -> Network:
    """Two partitions of two inputs and outputs each, joined by the first of them; the tensors as given."""
    joined = chain(partition("a", PAIR, PAIR), partition("b", PAIR, PAIR))
    tensors = {end(part, port): tensor for part, port, tensor in order}
    return Network(joined.partitions, joined.edges, joined.files, "build", tensors=tensors)


ORDER = [
    ("b", "s_axis_1", "age"),
    ("a", "s_axis_1", "pixels"),
    ("a", "s_axis_0", "age"),
    ("b", "m_axis_1", "late"),
    ("a", "m_axis_1", "early"),
    ("b", "m_axis_0", "last"),
]


def test_streams_come_in_the_order_of_the_model() -> None:
    net = network(ORDER)
    plan = plan_of(net, one_each(net))
    ends = [
        (str(b.consumer or b.producer), b.tensor) for b in plan.boundaries if not (b.producer and b.consumer)
    ]
    assert ends == [(f"{part}.{port}", tensor) for part, port, tensor in ORDER]
    assert tensor_lines(plan) == [
        "inputs in the model's order: age (b.s_axis_1), pixels (a.s_axis_1), age (a.s_axis_0)",
        "outputs in the model's order: late (b.m_axis_1), early (a.m_axis_1), last (b.m_axis_0)",
    ]
    plain = plan_of(network([]), one_each(net))
    assert [str(b.consumer) for b in plain.boundaries[:3]] == ["a.s_axis_0", "a.s_axis_1", "b.s_axis_1"]
    some = plan_of(network(ORDER[1:3]), one_each(net))
    assert [str(b.consumer) for b in some.boundaries[:3]] == ["a.s_axis_1", "a.s_axis_0", "b.s_axis_1"]
    named = [(part, port, f"{tensor}_x") for part, port, tensor in ORDER]
    assert plan_of(network(named), one_each(net)).cluster_id == plan.cluster_id, "a name is in no core"


def test_vectors_by_tensor_and_by_place() -> None:
    """Outputs of one shape: by the place of their ports, two would be swapped without a word."""
    net = network(ORDER)
    plan = plan_of(net, one_each(net))
    frames = {name: np.full((2, 8), at) for at, name in enumerate(("pixels", "age", "early", "late", "last"))}

    def vectors(side: str, keys: list[str], *, named: bool) -> list[Vectors]:
        return [
            Vectors(side, key if named else at, f"verify.{side}", f"{key}.npy", frames[key])
            for at, key in enumerate(keys)
        ]

    by_name = [
        *vectors("input", ["pixels", "age"], named=True),
        *vectors("output", ["last", "late"], named=True),
    ]
    found = given_frames(plan, by_name, "cluster.toml")
    tensors = {b.name: b.tensor for b in plan.boundaries}
    assert {tensors[name]: int(values[0, 0]) for name, values in found.items()} == {
        "pixels": 0,
        "age": 1,
        "last": 4,
        "late": 3,
    }
    assert len(found) == 5, "what enters at two ports goes to both"
    by_place = [
        *vectors("input", ["age", "pixels", "age"], named=False),
        *vectors("output", ["late", "early", "last"], named=False),
    ]
    found = given_frames(plan, by_place, "cluster.toml")
    assert all(np.array_equal(values, frames[str(tensors[name])]) for name, values in found.items())


@pytest.mark.parametrize(
    ("more", "sent"), [({}, "global_in"), ({"dma": True}, "global_in"), ({"host": True}, "flat")]
)
def test_a_chain_has_the_names_of_its_parent(tmp_path: Path, more: dict[str, Any], sent: str) -> None:
    parent = write_network(tmp_path, 2, **more)
    (result,) = load_model(parent).outputs
    found = read_network(parent).tensors
    assert list(found.items()) == [
        (end("StreamingDataflowPartition_0", "s_axis_0"), sent),
        (end("StreamingDataflowPartition_1", "m_axis_0"), result),
    ]


def test_ends_in_any_order_behind_nodes_of_the_host(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Transpose", ["y"], ["flat"], name="t"),
        sdp("a", "x", "p", "a.onnx"),
        sdp("b", "flat", "q", "b.onnx"),
        sdp("odma", "q", "second", "c.onnx"),
        helper.make_node("Softmax", ["p"], ["first\n"], name="s"),
    ]
    model = make_model(nodes, {"y": (1, 8), "x": (1, 8)}, {"second": (1, 8), "first\n": (1, 8)})
    takers = [("x", end("a", "in")), ("flat", end("b", "in"))]
    makers = {"p": end("a", "out"), "q": end("b", "out")}
    found = host_tensors(load_model(save(model, tmp_path / "parent.onnx")), {"a", "b"}, takers, makers)
    assert list(found.items()) == [
        (end("b", "in"), "flat"),
        (end("a", "in"), "x"),
        (end("b", "out"), "second"),
        (end("a", "out"), "p"),
    ]
