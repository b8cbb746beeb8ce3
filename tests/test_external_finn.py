# SPDX-License-Identifier: BSD-3-Clause
"""FINN's own RTL with external weights (mem_mode external), three vectors a frame, bit-exact on Verilator."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from cluster_bench import streams_only
from onnx import helper, numpy_helper

from shellgen.api import generate, load
from shellgen.stitch import PARENT, stitch_model

DIGITS = Path(__file__).parents[1] / "examples" / "digits"
SHAPE = (1, 3, 1)  # vectors of a frame, as FINN's NHWC layers have them
EXTERNAL = "StreamingDataflowPartition_1.s_axis_1"
NODES = '[[node]]\nname = "zed{0}"\nboard = "zedboard"\npartitions = [{0}]\n'

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("external_finn")]


def two_layers(folder: Path) -> Path:
    """The classifier's first layer and its last, for a frame of three vectors."""
    whole = onnx.load(DIGITS / "digits.onnx")
    values = {item.name: numpy_helper.to_array(item) for item in whole.graph.initializer}
    nodes = {node.op_type: node for node in reversed(whole.graph.node)}
    first, compare = nodes["MatMul"], nodes["MultiThreshold"]
    last = whole.graph.node[-1]
    compare.attribute.append(helper.make_attribute("data_layout", "NHWC"))
    last.input[0] = compare.output[0]
    kept = [first, compare, last]
    constants = [numpy_helper.from_array(values[node.input[1]], node.input[1]) for node in kept]
    ends = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [*SHAPE, size])
        for name, size in ((whole.graph.input[0].name, 64), (whole.graph.output[0].name, 10))
    ]
    inner = [
        helper.make_tensor_value_info(node.output[0], onnx.TensorProto.FLOAT, [*SHAPE, 24])
        for node in kept[:2]
    ]
    graph = helper.make_graph(kept, "two_layers", ends[:1], ends[1:], constants, value_info=inner)
    graph.quantization_annotation.extend(whole.graph.quantization_annotation)
    made = helper.make_model(graph, opset_imports=whole.opset_import, ir_version=whole.ir_version)
    onnx.save(made, folder / "model.onnx")
    return folder / "model.onnx"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("external_finn")
    layers = {
        "MVAU_0": {"SIMD": 8, "PE": 2},
        "Thresholding_0": {"PE": 2},
        "MVAU_1": {"SIMD": 3, "PE": 2, "mem_mode": "external"},
    }
    config = {"part": "xc7z020clg484-1", "clk_ns": 10.0, "cut_before": ["MVAU_1"], "folding": layers}
    (folder / "folding.json").write_text(json.dumps(config))
    np.save(folder / "input.npy", np.arange(4 * 3 * 64).reshape(4, *SHAPE[1:], 64) * 7 % 16)
    stitch_model(two_layers(folder), folder / "folding.json", folder / "build", folder / "input.npy")
    verify = '[verify]\ninput = "build/input.npy"\noutput = "build/output.npy"\n'
    text = f'build = "build/{PARENT}"\n' + NODES.format(0) + NODES.format(1) + verify
    (folder / "cluster.toml").write_text(text)
    return folder / "cluster.toml"


def test_the_port_is_read(cluster: Path) -> None:
    plan, _, _ = load(cluster)
    port = plan.partitions[1].stream("s_axis_1")
    assert port is not None
    assert (port.role, port.passes, port.folded_shape, port.tdata_bits) == ("weights", 3, (40, 1, 6), 24)
    assert [str(entry.port) for entry in plan.weights] == [EXTERNAL]
    assert all(entry.memory is None for entry in plan.partitions[1].axilite)
    assert plan.golden
    assert plan.golden.note == "golden: 4 frames of [verify], and the model's ONNX agrees"


@pytest.mark.sweep
def test_bit_exact_and_wrong_weights_are_seen(cluster: Path, tmp_path: Path) -> None:
    plan, _ = generate(cluster, tmp_path / "out")
    report = streams_only(tmp_path / "out", "verilator")
    assert report["passed"], report["problem"]
    words = {verdict["name"]: verdict["words"] for verdict in report["stalled"]["verdicts"]}
    assert words["host_to_StreamingDataflowPartition_1_s_axis_1"] == 7 * 3 * 40
    assert words["golden"] == 7 * 3 * 5
    # The same stream from a file, and with two outputs negated: no other build, and the result is another.
    matrix = numpy_helper.to_array(onnx.load(cluster.parent / "model.onnx").graph.initializer[2])
    tiles = [matrix[3 * sf : 3 * sf + 3, 2 * nf : 2 * nf + 2].T for nf in range(5) for sf in range(8)]
    stream = np.stack(tiles).reshape(40, 6)
    named = f'[[weights]]\nport = "{EXTERNAL}"\nfile = "weights.npy"\n'
    for sign, failing in ((1, set()), (-1, {"golden"})):
        given = stream.copy()
        given[16:24] *= sign
        np.save(cluster.parent / "weights.npy", given)
        again = cluster.with_name("cluster_again.toml")
        again.write_text(cluster.read_text() + named)
        other = generate(again, tmp_path / str(sign))[0]
        assert other.cluster_id == plan.cluster_id
        assert other.golden
        assert ("elements differ" in other.golden.note) == bool(failing), "our execution has the weights too"
        report = streams_only(tmp_path / str(sign), "verilator")
        verdicts = report["stalled"]["verdicts"]
        assert {verdict["name"] for verdict in verdicts if not verdict["passed"]} == failing
