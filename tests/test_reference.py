# SPDX-License-Identifier: BSD-3-Clause
"""The generator of reference partitions: golden execution, file formats, what it refuses, lint, synthesis."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from pyosys import libyosys

from shellgen.errors import InputError
from shellgen.read import read_network
from shellgen.reference import (
    LayerFolding,
    ReferenceFolding,
    build_reference,
    default_folding,
    even_cuts,
    execute,
    load_layers,
    random_frames,
    reference_artifacts,
    reference_chain,
    synthetic_model,
)
from shellgen.reference.annotate import annotate
from shellgen.reference.build import make_parts
from shellgen.simulate.tools import find_icarus, find_verilator

DIGITS = Path(__file__).parents[1] / "examples" / "digits" / "digits.onnx"
FOLDING = ReferenceFolding(
    layers=(
        LayerFolding(pe=3, simd=4, threshold_pe=3, runtime_writeable=True),
        LayerFolding(pe=2, simd=3, threshold_pe=3),
        LayerFolding(pe=1, simd=2, runtime_writeable=True),
    )
)
CUTS = (0, 0, 1)


def network(seed: int = 0) -> onnx.ModelProto:
    return synthetic_model((12, 9, 6, 4), "INT4", "UINT3", seed)


def small(
    weights: object = ((1.0, -2.0), (3.0, 0.0)),
    thresholds: object = ((-1.5, 4.0), (0.0, 0.5)),
    operator: str = "MultiThreshold",
    out: str = "UINT2",
    weight_type: str = "INT3",
    **attributes: Any,
) -> onnx.ModelProto:
    """Two inputs, two outputs, one layer with thresholds."""
    constants = [
        numpy_helper.from_array(np.array(weights, np.float32), "w"),
        numpy_helper.from_array(np.array(thresholds, np.float32), "t"),
    ]
    domain = "qonnx.custom_op.general"
    compare = helper.make_node(
        operator, ["m", "t"], ["y"], name="compare", domain=domain, out_dtype=out, **attributes
    )
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"], name="multiply"), compare]
    source, result = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 2]) for name in "xy")
    graph = helper.make_graph(nodes, "small", [source], [result], initializer=constants)
    annotate(graph, {"x": "UINT2", "w": weight_type})
    return helper.make_model(graph)


def test_execution_counts_thresholds_that_are_not_above() -> None:
    x = np.array([[1, 1], [0, 0], [3, 0], [0, 3]])
    # Sums: (4, -2), (0, 0), (3, -6), (9, 0); thresholds (-1.5, 4) and (0, 0.5).
    assert execute(small(), x).tolist() == [[2, 0], [1, 1], [1, 0], [2, 1]]
    assert execute(small(out="INT2", out_bias=-2.0), x).tolist() == [[0, -2], [-1, -1], [-1, -2], [0, -1]]
    bipolar = small(thresholds=((4.0,), (0.0,)), out="BIPOLAR", out_bias=-1.0, out_scale=2.0)
    assert execute(bipolar, x).tolist() == [[1, -1], [-1, 1], [-1, -1], [1, 1]]


def test_one_row_of_thresholds_serves_all_channels() -> None:
    x = np.array([[1, 1], [0, 0]])
    assert execute(small(thresholds=((0.0, 4.0),)), x).tolist() == [[2, 0], [1, 1]]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (small(weights=((1.5, 0.0), (0.0, 0.0))), r"multiply: its weights are not integers"),
        (small(weights=((4.0, 0.0), (0.0, 0.0))), r"multiply: its weights reach from 0 to 4, beyond INT3"),
        (small(weights=((1.0, 0.0),)), r"multiply: its weights have 1 rows for 2 inputs"),
        (small(weight_type="FLOAT32"), r"weights w: data type 'FLOAT32' is not an integer type"),
        (small(operator="Quant"), r"compare: operator qonnx\.custom_op\.general\.Quant is not known here"),
        (small(out="UINT1"), r"compare: it makes values from 0 to 2, beyond UINT1"),
        (small(out=""), r"compare: out_dtype: data type '' is not"),
        (small(out_bias=0.5), r"compare: out_scale 1 and out_bias 0\.5 do not make UINT2"),
        (small(thresholds=((1.0,), (1.0,), (1.0,))), r"compare: its thresholds are not a constant of shape"),
    ],
)
def test_a_model_that_does_not_fit_is_refused(model: onnx.ModelProto, expected: str) -> None:
    with pytest.raises(InputError, match=f"^model: .*{expected}.*\\. [A-Z].*\\.$"):
        load_layers(model)


@pytest.mark.parametrize(("at", "name"), [(0, "multiply"), (1, "compare")])
def test_a_node_without_outputs_is_refused(at: int, name: str) -> None:
    model = small()
    del model.graph.node[at].output[:]
    with pytest.raises(InputError, match=f"{name}: it has 2 inputs and 0 outputs, and takes 2 to make 1"):
        load_layers(model)


def test_folding_and_cuts_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    bad = ReferenceFolding(layers=(LayerFolding(pe=2, simd=5), LayerFolding(threshold_pe=4), LayerFolding()))
    with pytest.raises(InputError) as error:
        build_reference(network(), bad, CUTS, tmp_path)
    found = [problem.found for problem in error.value.problems]
    assert found == [
        "pe 2 does not divide 9",
        "simd 5 does not divide 12",
        "threshold_pe 4 does not divide 6",
    ]
    assert "such as 3" not in error.value.problems[0].remedy
    for cuts in ((0, 1), (0, 2, 2), (1, 1, 1), (0, 1, 0)):
        with pytest.raises(InputError, match="cuts"):
            build_reference(network(), FOLDING, cuts, tmp_path)
    assert not list(tmp_path.iterdir())


def test_frames_that_do_not_fit_are_refused() -> None:
    for x in ([[4, 0]], [[-1, 0]], [[0.5, 0]], [[1, 2, 3]], [1, 2]):
        with pytest.raises(InputError, match="input frames"):
            execute(small(), np.array(x))


def test_files_are_missing_or_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.onnx: cannot be read"):
        load_layers(tmp_path / "none.onnx")
    (tmp_path / "text.onnx").write_text("no protobuf")
    with pytest.raises(InputError, match=r"text\.onnx: is not an ONNX model"):
        load_layers(tmp_path / "text.onnx")


def test_same_input_same_bytes_and_no_machine_in_them() -> None:
    first, second = (reference_artifacts(network(), FOLDING, CUTS) for _ in range(2))
    assert first == second
    assert first != reference_artifacts(network(seed=1), FOLDING, CUTS)
    for artifact in first:
        for place in (str(Path.cwd()), str(Path.home()) + "/", "/tmp/"):  # noqa: S108 - looked for, not used
            assert place.encode() not in artifact.content, artifact.path
    assert synthetic_model((4, 4)).SerializeToString() == synthetic_model((4, 4)).SerializeToString()


def test_only_a_build_of_ours_is_replaced(tmp_path: Path) -> None:
    reference_chain(network(), tmp_path / "build", 3)
    parent = reference_chain(network(), tmp_path / "build", 2)
    assert not (tmp_path / "build" / "partition_2").exists()
    assert not (tmp_path / "build" / "partition_2.onnx").exists()
    assert len(onnx.load(str(parent)).graph.node) == 2
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "partition_0.txt").write_text("keep")
    with pytest.raises(InputError, match=r"not empty and has no parent\.onnx"):
        reference_chain(network(), tmp_path / "mine", 2)
    assert (tmp_path / "mine" / "partition_0.txt").read_text() == "keep"


def test_weight_words_are_laid_out_as_by_finn() -> None:
    """Line nf * SF + sf, bits [(pe * SIMD + simd) * WB +: WB] = W[sf * SIMD + simd, nf * PE + pe]."""
    layer = load_layers(network())[0]
    _, node = make_parts(load_layers(network()), FOLDING, CUTS)[0].nodes[0]
    assert layer.weights is not None
    assert (node.memory_bits, len(node.memory), node.addr_bits) == (48, 9, 7)
    for row in range(9):
        for column in range(12):
            word = node.memory[row // 3 * 3 + column // 4]
            stored = word >> ((row % 3 * 4 + column % 4) * 4) & 15
            assert stored == layer.weights[column, row] % 16


def test_accumulators_hold_every_sum() -> None:
    """The narrowest type for these weights, any weights of the type when they can be rewritten."""
    parts = make_parts(load_layers(network()), FOLDING, CUTS)
    nodes = dict(parts[0].nodes) | dict(parts[1].nodes)
    kinds = {name: node.result.kind.name for name, node in nodes.items() if node.op_type == "MVAU_rtl"}
    # 12 inputs up to 7 with weights from -8: -672. The last is rounded up to bytes.
    assert kinds["StreamingDataflowPartition_0_MVAU_rtl_0"] == "INT11"
    assert kinds["StreamingDataflowPartition_1_MVAU_rtl_0"] == "INT16"
    weights = load_layers(network())[1].weights
    assert weights is not None
    low, high = 7 * np.minimum(weights, 0).sum(axis=0).min(), 7 * np.maximum(weights, 0).sum(axis=0).max()
    bits = next(bits for bits in range(1, 32) if -(1 << (bits - 1)) <= low and high < 1 << (bits - 1))
    assert kinds["StreamingDataflowPartition_0_MVAU_rtl_1"] == f"INT{bits}"


def test_the_reader_takes_it_for_a_finn_build(tmp_path: Path) -> None:
    build_reference(network(), FOLDING, CUTS, tmp_path)
    for build in (tmp_path / "parent.onnx", tmp_path):
        read = read_network(build)
        first, second = read.partitions
        assert first.top == "StreamingDataflowPartition_0_wrapper"
        assert (first.clock, first.reset, first.others) == ("ap_clk", "ap_rst_n", ())
        shapes = [(port.name, port.tdata_bits, port.datatype, port.folded_shape) for port in first.streams]
        assert shapes == [("s_axis_0", 16, "UINT3", (1, 3, 4)), ("m_axis_0", 16, "UINT3", (1, 2, 3))]
        assert second.outputs[0].folded_shape == (1, 4, 1)
        memories = [port.memory for port in (*first.axilite, *second.axilite)]
        assert [m and (m.kind, m.word_bits, m.words, m.lanes) for m in memories] == [
            ("weights", 48, 9, 2),
            ("thresholds", 11, 96, 1),
            ("weights", 8, 12, 1),
        ]
        assert [port.addr_bits for port in first.axilite] == [7, 9]
        assert [(str(edge.producer), str(edge.consumer)) for edge in read.edges] == [
            (f"{first.name}.m_axis_0", f"{second.name}.s_axis_0")
        ]
        assert sum(source.kind == "data" for source in first.sources) == 4


def test_the_demo_network_becomes_partitions(tmp_path: Path) -> None:
    read = read_network(reference_chain(DIGITS, tmp_path / "build", 2))
    layers = load_layers(DIGITS)
    assert len(read.partitions) == 2
    assert read.partitions[0].inputs[0].elements_per_frame == layers[0].features_in
    assert read.partitions[1].outputs[0].elements_per_frame == layers[-1].features_out
    frames = random_frames(layers[0].input_type.name, layers[0].features_in, 5)
    assert execute(DIGITS, frames).shape == (5, layers[-1].features_out)


def test_even_cuts() -> None:
    assert even_cuts(6, 2) == (0, 0, 0, 1, 1, 1)
    assert even_cuts(3, 2) == (0, 0, 1)
    assert default_folding(network()).layers[0] == LayerFolding(
        pe=3, simd=6, threshold_pe=3, runtime_writeable=True
    )
    with pytest.raises(InputError, match="7 partitions for 3 layers"):
        even_cuts(3, 7)


def sources(tmp_path: Path, index: int) -> tuple[str, list[str]]:
    build_reference(network(), FOLDING, CUTS, tmp_path)
    folder = tmp_path / f"partition_{index}" / "ip" / "src"
    return f"StreamingDataflowPartition_{index}_wrapper", sorted(
        str(path) for path in folder.iterdir() if path.suffix in (".sv", ".v")
    )


@pytest.mark.parametrize("index", [0, 1])
def test_lint_is_silent(tmp_path: Path, index: int) -> None:
    top, files = sources(tmp_path, index)
    tool = find_verilator()
    command = [str(tool.binary), "--lint-only", "-Wall", "--top-module", top, *files]
    ran = subprocess.run(command, capture_output=True, text=True, env=tool.environment(), check=False)
    assert (ran.returncode, "%Warning" in ran.stdout + ran.stderr) == (0, False), ran.stdout + ran.stderr
    command = [str(find_icarus().compiler), "-g2012", "-Wall", "-t", "null", "-s", top, *files]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout + ran.stderr) == (0, "")


@pytest.mark.parametrize("index", [0, 1])
def test_yosys_synthesises_it(tmp_path: Path, index: int, monkeypatch: pytest.MonkeyPatch) -> None:
    top, files = sources(tmp_path, index)
    monkeypatch.chdir(Path(files[0]).parent)  # where the memory files are
    design = libyosys.Design()
    names = " ".join(Path(file).name for file in files)
    for command in (f"read_verilog -sv -defer {names}", f"hierarchy -check -top {top}", "proc", "opt"):
        libyosys.run_pass(command, design)
    libyosys.run_pass("memory -nomap", design)
    libyosys.run_pass("check -assert", design)
    libyosys.run_pass("select -assert-none t:$dlatch t:$dffsr", design)
    libyosys.run_pass("select -assert-min 2 t:$mem_v2", design)
