# SPDX-License-Identifier: BSD-3-Clause
"""The stitcher with FINN in its environment: what it accepts, what it refuses and how it says so."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from layer_network import write_two_blocks
from onnx import helper, numpy_helper

from shellgen.errors import InputError
from shellgen.read import read_network
from shellgen.stitch import PARENT, stitch_model

DIGITS = Path(__file__).parents[1] / "examples" / "digits"
MODEL = DIGITS / "digits.onnx"
pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]


def digest(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two-board build, with four frames of golden vectors."""
    out = tmp_path_factory.mktemp("stitch") / "build"
    np.save(out.parent / "input.npy", np.arange(256).reshape(4, 64) % 16)
    stitch_model(MODEL, DIGITS / "folding_2.json", out, out.parent / "input.npy")
    return out


def config(folder: Path, **changes: Any) -> Path:
    """The two-board configuration with changes; ``None`` removes a field."""
    data = json.loads((DIGITS / "folding_2.json").read_text())
    data |= changes
    path = folder / "folding.json"
    path.write_text(json.dumps({key: value for key, value in data.items() if value is not None}))
    return path


def folding(**layers: dict[str, int]) -> dict[str, dict[str, int]]:
    data: dict[str, dict[str, int]] = json.loads((DIGITS / "folding_2.json").read_text())["folding"]
    return data | layers


def refused(model: Path, settings: Path, folder: Path, vectors: Path | None = None) -> list[str]:
    with pytest.raises(InputError) as error:
        stitch_model(model, settings, folder / "out", vectors)
    assert not (folder / "out").exists()
    assert "Traceback" not in str(error.value)
    return [str(problem) for problem in error.value.problems]


def test_the_build_is_read_as_a_network(build: Path) -> None:
    network = read_network(build / PARENT, ())
    assert [part.name for part in network.partitions] == [f"StreamingDataflowPartition_{i}" for i in (0, 1)]
    first, second = network.partitions
    (edge,) = network.edges
    assert (str(edge.producer), str(edge.consumer)) == (f"{first.name}.m_axis_0", f"{second.name}.s_axis_0")
    assert [port.folded_shape for port in first.streams] == [(1, 16, 4), (1, 8, 3)]
    assert [port.folded_shape for port in second.streams] == [(1, 6, 4), (1, 10, 1)]
    assert [port.memory and port.memory.kind for port in first.axilite] == ["weights", "thresholds"] * 3
    assert np.load(build / "output.npy").shape == (4, 1, 10)


@pytest.mark.sweep
def test_a_second_build_has_the_same_bytes(build: Path, tmp_path: Path) -> None:
    stitch_model(MODEL, DIGITS / "folding_2.json", tmp_path / "deep" / "out", build / "input.npy")
    assert digest(tmp_path / "deep" / "out") == digest(build)
    for name, content in digest(build).items():
        assert os.fsencode(tempfile.gettempdir()) not in content, name


def test_children_that_finn_made_are_stitched_as_they_are(build: Path, tmp_path: Path) -> None:
    names = stitch_model(build / PARENT, DIGITS / "folding_6.json", tmp_path / "out", build / "input.npy")
    assert len(names) == 2
    again, once = digest(tmp_path / "out"), digest(build)
    assert {name for name in once if again[name] != once[name]} <= {
        name for name in once if name.endswith(".onnx")
    }


@pytest.mark.sweep
def test_a_parent_is_one_network_if_asked_for(build: Path, tmp_path: Path) -> None:
    """As `split` asks: its own folding, cuts and depths are gone, and frames give the same."""
    layers = folding(MVAU_0={"SIMD": 2, "PE": 1})
    settings = config(tmp_path, whole=True, cut_before=["MVAU_1", "MVAU_4"], folding=layers)
    assert len(stitch_model(build / PARENT, settings, tmp_path / "out", build / "input.npy")) == 3
    network = read_network(tmp_path / "out" / PARENT, ())
    assert (network.partitions[0].streams[0].folded_shape or ())[-1] == 2
    assert np.array_equal(np.load(tmp_path / "out/output.npy"), np.load(build / "output.npy"))


def test_a_new_build_replaces_the_old_and_leaves_the_rest(tmp_path: Path) -> None:
    stitch_model(MODEL, DIGITS / "folding_6.json", tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    layers = folding(MVAU_3={"SIMD": 3, "PE": 1})
    stitch_model(MODEL, config(tmp_path, cut_before=None, folding=layers), tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "StreamingDataflowPartition_0",
        PARENT,
        "notes.txt",
    ]


def test_an_error_leaves_the_old_build(build: Path, tmp_path: Path) -> None:
    before = digest(build)
    with pytest.raises(InputError):
        stitch_model(MODEL, config(tmp_path, cut_before=["MVAU_9"]), build)
    assert digest(build) == before


def test_layers_that_do_not_exist_are_all_named(tmp_path: Path) -> None:
    settings = config(tmp_path, cut_before=["MVAU_3"], slr=[0, 1, 2])
    said = "there are 3 SLRs and 2 partitions. Give one for each partition, -1 for any, or none."
    assert refused(MODEL, settings, tmp_path) == [f"{settings}: slr: {said}"]
    settings = config(tmp_path, cut_before=["MVAU_3", "MVAU_9"], folding=folding(Pool_0={"PE": 1}))
    found = refused(MODEL, settings, tmp_path)
    assert [problem.partition(" Name one of")[0] for problem in found] == [
        f"{settings}: folding: the network has no layer Pool_0.",
        f"{settings}: cut_before: the network has no layer MVAU_9. Did you mean MVAU_5?",
    ]


def test_a_folding_file_of_finns_own(tmp_path: Path) -> None:
    ours = json.loads((DIGITS / "folding_2.json").read_text())
    theirs: dict[str, Any] = {
        name.replace("MVAU", "MatrixVectorActivation").replace("Thresholding", "Thresholding_rtl"): entry
        for name, entry in ours["folding"].items()
        if name != "Defaults"
    }
    theirs["Defaults"] = {"mem_mode": ["decoupled", ["MVAU_rtl"]], "ram_style": ["auto", "all"]}
    theirs["Thresholding_rtl_0"] |= {"depth_trigger_bram": 64, "mem_mode": "internal_decoupled"}
    theirs["MatrixVectorActivation_1"] |= {"inFIFODepths": [40, 2], "outFIFODepths": [8], "pumpedMemory": 0}
    theirs["StreamingFIFO_rtl_0"] = {"depth": 32, "impl_style": "rtl", "ram_style": "auto"}
    path = tmp_path / "final_hw_config.json"
    path.write_text(json.dumps(theirs))
    said: list[str] = []
    given = {"part": [ours["part"], "xczu3eg-sbva484-1-e"], "cut_before": ["MVAU_3"], "slr": [2, -1]}
    stitch_model(MODEL, path, tmp_path / "out", given=given, say=said.append)
    assert said == [
        f"{path}: not used, because it is inserted again: StreamingFIFO_rtl_0",
        f"{path}: not used, because its RTL has no such attribute: Thresholding_0.mem_mode",
    ]
    network = read_network(tmp_path / "out" / PARENT, ())
    assert [part.part for part in network.partitions] == given["part"]
    assert [part.slr for part in network.partitions] == [2, None]
    texts = [
        (
            tmp_path / "out" / part.name / "stitched_ip/ip/src" / f"{part.name}_MVAU_rtl_0_wrapper.v"
        ).read_text()
        for part in network.partitions
    ]
    assert [re.search(r"VERSION = (\d)", text)[1] for text in texts] == ["1", "2"]  # type: ignore[index]
    child = onnx.load(tmp_path / "out" / network.partitions[0].name / f"{network.partitions[0].name}.onnx")
    depths = [
        attribute.i
        for node in child.graph.node
        if node.op_type == "StreamingFIFO_rtl"
        for attribute in node.attribute
        if attribute.name == "depth"
    ]
    assert sorted(depths)[-2:] == [8, 40]


def test_a_folding_file_that_names_a_layer_twice(tmp_path: Path) -> None:
    path = tmp_path / "hw.json"
    path.write_text(
        json.dumps({"MVAU_rtl_0": {"PE": 1}, "MVAU_hls_0": {"PE": 2}, "MVAU_1": {"mem_mode": "x"}})
    )
    given = {"part": ["xc7z020clg484-1"] * 3}
    with pytest.raises(InputError) as error:
        stitch_model(MODEL, path, tmp_path / "out", given=given)
    found = [str(problem) for problem in error.value.problems]
    assert len(found) == 2
    assert "MVAU_hls_0 and MVAU_rtl_0 are both the layer MVAU_0 here" in found[0]
    assert "folding.MVAU_1.mem_mode: got 'x'. Choose from" in found[1]


def test_folding_that_does_not_fit(tmp_path: Path) -> None:
    layers = folding(MVAU_0={"PE": 5, "SIMD": 4}, MVAU_1={"PE": 1, "WIDTH": 2}, Thresholding_1={"PE": 0})
    found = refused(MODEL, config(tmp_path, folding=layers), tmp_path)
    assert len(found) == 3
    assert "folding.MVAU_0.PE: 5 does not divide MH = 24" in found[0]
    assert "folding.MVAU_1.WIDTH: MVAU has no attribute WIDTH. Choose from" in found[1]
    assert "folding.Thresholding_1.PE: 0 does not divide NumChannels = 24" in found[2]


@pytest.mark.sweep
def test_a_width_converter_of_any_ratio(tmp_path: Path) -> None:
    """FINN's RTL has every ratio, here 3 to 4 elements."""
    layers = folding(Thresholding_0={"PE": 3}, MVAU_0={"SIMD": 4, "PE": 3}, MVAU_1={"SIMD": 4, "PE": 1})
    (first, *_) = stitch_model(MODEL, config(tmp_path, folding=layers), tmp_path / "out")
    child = onnx.load(tmp_path / "out" / first / f"{first}.onnx")
    (converter,) = [node for node in child.graph.node if node.op_type.startswith("StreamingDataWidth")]
    assert converter.op_type == "StreamingDataWidthConverter_rtl"
    sources = tmp_path / "out" / first / "stitched_ip" / "ip" / "src"
    text = (sources / f"{converter.name}.v").read_text()
    assert "12" in text
    assert "16" in text
    assert (sources / "vpc.sv").is_file()


@pytest.mark.sweep
def test_weights_that_the_dsp_cannot_take(tmp_path: Path) -> None:
    model = onnx.load(MODEL)
    weights = next(tensor for tensor in model.graph.initializer if tensor.name == "weights_2")
    values = numpy_helper.to_array(weights).copy()
    values[0, 0] = -8
    weights.CopyFrom(numpy_helper.from_array(values, "weights_2"))
    onnx.save(model, tmp_path / "wide.onnx")
    names = stitch_model(tmp_path / "wide.onnx", DIGITS / "folding_2.json", tmp_path / "out")
    nodes = [
        node for name in names for node in onnx.load(tmp_path / "out" / name / f"{name}.onnx").graph.node
    ]
    (ours,) = [node for node in nodes if node.op_type == "MVAU"]
    assert "layer_dot" in ours.doc_string
    assert [node.op_type for node in nodes].count("MVAU_rtl") == 5


@pytest.mark.sweep
def test_an_operator_between_two_layers(tmp_path: Path) -> None:
    model = onnx.load(MODEL)
    inner = next(node for node in model.graph.node if node.op_type == "MultiThreshold")
    inner.output[0], after = "hard", inner.output[0]
    model.graph.node.insert(2, helper.make_node("Sigmoid", ["hard"], [after], "Sigmoid_0"))
    onnx.save(model, tmp_path / "soft.onnx")
    (found,) = refused(tmp_path / "soft.onnx", DIGITS / "folding_2.json", tmp_path)
    assert "node Sigmoid_0: FINN makes no hardware layer of this Sigmoid" in found


def test_a_matrix_without_data_types(tmp_path: Path) -> None:
    model = onnx.load(MODEL)
    kept = [entry for entry in model.graph.quantization_annotation if entry.tensor_name != "weights_0"]
    del model.graph.quantization_annotation[:]
    model.graph.quantization_annotation.extend(kept)
    onnx.save(model, tmp_path / "float.onnx")
    (found,) = refused(tmp_path / "float.onnx", DIGITS / "folding_2.json", tmp_path)
    assert "node MatMul_0: the weights of this MatMul (weights_0) are FLOAT32" in found
    assert "Put a Quant node there" in found


def test_a_second_clock_is_refused(tmp_path: Path) -> None:
    layers = folding(MVAU_5={"SIMD": 2, "PE": 1, "pumpedMemory": 1})
    (found,) = refused(MODEL, config(tmp_path, folding=layers), tmp_path)
    assert "it needs a clock of twice the frequency. Set pumpedMemory to 0" in found


def test_a_loop_of_finn_is_refused(tmp_path: Path) -> None:
    model = onnx.load(MODEL)
    node = onnx.helper.make_node(
        "FINNLoop", ["global_in"], ["looped"], name="loop", domain="finn.custom_op.fpgadataflow.rtl"
    )
    model.graph.node.insert(0, node)
    onnx.save(model, tmp_path / "loop.onnx")
    (found,) = refused(tmp_path / "loop.onnx", DIGITS / "folding_2.json", tmp_path)
    assert (
        "node loop: it is a loop of FINN's (multi-layer offload): one body runs for several layers" in found
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.zeros((2, 63)), "the shape is (2, 63). Give (frames, 64) numbers"),
        (np.full((2, 64), 16), "values of 16 to 16. Give whole numbers that fit UINT4"),
        (None, "it is not a .npy file"),
        (np.full((2, 64), 0.5), "values of 0.5 to 0.5. Give whole numbers that fit UINT4"),
    ],
)
def test_vectors_that_do_not_fit(tmp_path: Path, values: np.ndarray | None, expected: str) -> None:
    if values is None:
        (tmp_path / "bad.npy").write_text("1 2 3")
    else:
        np.save(tmp_path / "bad.npy", values)
    (found,) = refused(MODEL, DIGITS / "folding_2.json", tmp_path, tmp_path / "bad.npy")
    assert expected in found


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    (found,) = refused(tmp_path / "bad.onnx", DIGITS / "folding_2.json", tmp_path)
    assert "bad.onnx: is not an ONNX model" in found


def test_children_that_are_gone(build: Path, tmp_path: Path) -> None:
    (tmp_path / PARENT).write_bytes((build / PARENT).read_bytes())
    found = refused(tmp_path / PARENT, DIGITS / "folding_2.json", tmp_path)
    assert len(found) == 2
    assert "node StreamingDataflowPartition_0: model: there is no file" in found[0]


@pytest.mark.sweep
def test_forks_hold_what_the_longer_branch_reads_ahead(tmp_path: Path) -> None:
    """Two rows and a little of 16, in each of two blocks, and no more for the block behind it."""
    write_two_blocks(tmp_path / "model.onnx", 16)
    data = {"part": "xc7z020clg484-1", "clk_ns": 10}
    (tmp_path / "folding.json").write_text(json.dumps(data))
    (name,) = stitch_model(tmp_path / "model.onnx", tmp_path / "folding.json", tmp_path / "out")
    child = onnx.load(tmp_path / "out" / name / f"{name}.onnx")
    reader = {tensor: node for node in child.graph.node for tensor in node.input}
    forks = [node for node in child.graph.node if node.op_type == "DuplicateStreams"]
    assert len(forks) == 2
    for fork in forks:
        depths = [
            next(attribute.i for attribute in reader[tensor].attribute if attribute.name == "depth")
            for tensor in fork.output
        ]
        assert min(depths) < 80
        assert 2 * 18 + 3 < max(depths) < 16 * 16


def test_layers_carry_finns_estimate(build: Path) -> None:
    """Without it nobody could say whether the partitions fit; FINN counts an UltraRAM for each FIFO."""
    for partition in read_network(build / PARENT).partitions:
        assert partition.takes
        assert partition.takes.source == "FINN's estimates"
        assert partition.takes.lut > 100
        assert partition.takes.dsp > 0
        assert partition.takes.uram == 0
        assert not partition.takes.is_whole, "FINN has no LUTs for its RTL MVAU"
