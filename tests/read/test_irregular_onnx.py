# SPDX-License-Identifier: BSD-3-Clause
"""Models of real builds: of several runs in one folder, of half the network, of any age, or none at all."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from read.build_fixture import (
    DEAD,
    WEIGHTS,
    Build,
    child,
    make_model,
    node,
    put,
    save,
    sdp,
    write_network,
    write_stitched,
)

from shellgen.errors import InputError
from shellgen.read import read_network
from shellgen.read.finn_onnx import Node, load_model
from shellgen.read.memory import with_memories

OTHER = "vivado_stitch_proj_0ther_1x"


def typed(build: Build, datatype: str) -> onnx.ModelProto:
    """The model of a build with another input type of the same width, so that one can tell which was read."""
    model = child(build)
    fifo = model.graph.node[0]
    next(entry for entry in fifo.attribute if entry.name == "dataType").s = datatype.encode()
    return model


def input_type(build: Path) -> str | None:
    return read_network(build).partitions[0].streams[0].datatype


# ---- several runs in one folder ----------------------------------------------------------------
@pytest.mark.parametrize("number", ["", "10_"])
@pytest.mark.parametrize("way", ["", "stitched_ip", "intermediate_models/dataflow_parent.onnx"])
def test_of_all_steps_only_that_of_stitching_is_read(tmp_path: Path, number: str, way: str) -> None:
    """FINN 0.5 to 0.7 number their steps; the models of earlier steps may be of another network."""
    build = Build()
    write_stitched(tmp_path / "stitched_ip", build)
    models = tmp_path / "intermediate_models"
    save(typed(build, "INT4"), models / f"{number}step_create_stitched_ip.onnx")
    for index, name in enumerate(("tidy_up", "streamline", "convert_to_hls")):
        save(typed(Build(project=OTHER), "UINT4"), models / f"{index}_step_{name}.onnx")
    parent = make_model([sdp("", "i", "o", f"{DEAD}/gone/df_model.onnx")], {"i": (1, 600)}, {"o": (1, 4)})
    save(parent, models / "dataflow_parent.onnx")
    assert input_type(tmp_path / way) == "INT4"


def test_a_model_that_was_stitched_in_another_run_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ip = write_stitched(tmp_path / "stitched_ip", Build())
    path = save(child(Build(project=OTHER)), tmp_path / "intermediate_models/step_create_stitched_ip.onnx")
    with caplog.at_level(logging.WARNING, "shellgen.read"):
        assert input_type(ip) is None
    assert f"{path} is not used: it was stitched in {OTHER}" in caplog.text


def test_the_model_of_this_run_lies_in_a_folder_beside_the_ip(tmp_path: Path) -> None:
    """FINN_BUILD_DIR: dataflow_partition2_<8 characters>/df_model.onnx names the project that is its own."""
    build = Build()
    ip = write_stitched(tmp_path / build.project, build)
    save(typed(build, "INT4"), tmp_path / "dataflow_partition2_bevm3h5w/df_model.onnx")
    save(typed(Build(project=OTHER), "UINT4"), tmp_path / "dataflow_partition0_abcdefgh/df_model.onnx")
    assert input_type(ip) == "INT4"


def test_later_steps_of_the_same_run_are_one_model(tmp_path: Path) -> None:
    build = Build()
    ip = write_stitched(tmp_path / build.project, build)
    for name in ("step_out_of_context_synthesis", "step_measure_rtlsim_performance"):
        save(child(build), tmp_path / "models" / f"{name}.onnx")
    assert input_type(ip) == "UINT4"
    changed = child(build)
    changed.graph.node[0].name = "StreamingFIFO_9"
    save(changed, tmp_path / "models/verify.onnx")
    with pytest.raises(InputError, match="it holds several models"):
        read_network(ip)


def test_a_child_and_an_ip_of_different_runs(tmp_path: Path) -> None:
    parent = write_network(tmp_path, 2)
    project = "vivado_stitch_proj_1a_b3c_d"
    path = tmp_path / project / "all_verilog_srcs.txt"
    path.write_text(path.read_text().replace(project, OTHER))
    with pytest.raises(InputError) as caught:
        read_network(parent)
    (problem,) = caught.value.problems
    assert f"it was stitched in {project}, and " in problem.found
    assert problem.found.endswith(f" in {OTHER}")


def test_a_word_of_another_width_betrays_a_model_of_another_run(tmp_path: Path) -> None:
    build = Build()
    ip = write_stitched(tmp_path / "conv", build)
    save(typed(build, "UINT8"), ip / "conv.onnx")
    with pytest.raises(InputError) as caught:
        read_network(tmp_path)
    (problem,) = caught.value.problems
    assert "conv.onnx: s_axis_0" in problem.where
    assert "4 UINT8, 32 bits, but TDATA has 16" in problem.found
    assert "[[stream]]" in problem.remedy


def test_no_onnx_at_all_and_the_component_has_to_do(tmp_path: Path) -> None:
    (part,) = read_network(write_stitched(tmp_path / "conv", Build())).partitions
    assert [(port.name, port.tdata_bits, port.datatype) for port in part.streams] == [
        ("s_axis_0", 16, None),
        ("m_axis_0", 32, None),
    ]
    assert part.layers == ()
    assert part.axilite[0].memory is None


def test_without_onnx_streams_are_asked_for_together_with_all_else(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    next(ip.rglob("memstream.v")).unlink()
    with pytest.raises(InputError) as caught:
        read_network(ip)
    lost, *asked = caught.value.problems
    assert "nowhere in this build" in lost.found
    assert [problem.where for problem in asked] == [
        "cluster.toml: stream conv.s_axis_0",
        "cluster.toml: stream conv.m_axis_0",
    ]
    assert asked[0].found.endswith("TDATA has 16 bits")
    assert asked[0].paste.startswith('[[stream]]\nport = "conv.s_axis_0"')


def test_the_partition_is_not_the_whole_network_and_the_host_keeps_its_ends(tmp_path: Path) -> None:
    """Transpose, Reshape, MultiThreshold, Mul, Add, MaxPool and Sigmoid stay in the parent."""
    parent = write_network(tmp_path, 2, host=True)
    model = onnx.load(str(parent))
    tensor = model.graph.output[0].name
    for op in ("Reshape", "MultiThreshold", "Mul", "Add", "MaxPool", "Sigmoid"):
        model.graph.node.append(onnx.helper.make_node(op, [tensor], [f"{tensor}_"], name=op))
        tensor = f"{tensor}_"
    save(model, parent)
    network = read_network(parent)
    assert (len(network.partitions), len(network.edges)) == (2, 1)


def test_a_matrix_takes_a_tensor_that_nobody_flattened(tmp_path: Path) -> None:
    """[1, 2, 2, 2] goes into an MVAU with MW = 8 as it is."""
    build = Build()
    ip = write_stitched(tmp_path / "conv", build)
    model = child(build)
    model.graph.node.pop(0)
    model.graph.node[0].input[0] = "global_in"
    model.graph.input[0].CopyFrom(
        onnx.helper.make_tensor_value_info("global_in", onnx.TensorProto.FLOAT, (1, 2, 2, 2))
    )
    save(model, ip / "conv.onnx")
    port = read_network(ip).partitions[0].streams[0]
    assert (port.normal_shape, port.folded_shape) == ((1, 8), (1, 2, 4))


@pytest.mark.parametrize("domain", ["finn", "finn.custom_op.fpgadataflow", "finn.custom_op.fpgadataflow.hls"])
def test_domains_of_every_age(domain: str) -> None:
    made = Node("MVAU_hls", "MVAU_hls_0", domain, (), (), {"backend": "fpgadataflow"})
    assert made.is_hardware


@pytest.mark.parametrize("kind", ["BIPOLAR", "BINARY"])
def test_mem_mode_may_be_absent_and_weights_of_one_bit_have_two_names(tmp_path: Path, kind: str) -> None:
    build = Build()
    ip = write_stitched(tmp_path / "conv", build)
    model = child(build)
    matrix = model.graph.node[1]
    assert not any(entry.name == "mem_mode" for entry in matrix.attribute)
    next(entry for entry in matrix.attribute if entry.name == "weightDataType").s = kind.encode()
    part = read_network(ip).partitions[0]
    (lite,) = with_memories(part.axilite, load_model(save(model, tmp_path / "m.onnx")))
    assert lite.memory is not None
    assert (lite.memory.element_bits, lite.memory.word_bits) == (1, 8)


def test_weights_are_those_of_the_stitched_graph(tmp_path: Path) -> None:
    """Absorbing a negative scale inverts the weights of a row, so that an earlier step's are others."""
    build = Build(data=False)
    ip = write_stitched(tmp_path / "stitched_ip", build)
    models = tmp_path / "intermediate_models"
    save(child(build), models / "step_create_stitched_ip.onnx")
    before = child(build, metadata={})
    before.graph.initializer[0].CopyFrom(numpy_helper.from_array(-WEIGHTS.astype(np.float32), "w"))
    save(before, models / "step_streamline.onnx")
    save(before, tmp_path / "stitched.onnx")
    network = read_network(ip)
    found = {entry.name: entry.sha256 for entry in network.partitions[0].sources}
    (name,) = [name for name in found if name.endswith("memblock.dat")]
    first = network.files[found[name]].decode().split()[0]
    nibbles = [int(WEIGHTS[simd, pe]) & 15 for pe in range(2) for simd in range(4)]
    assert int(first, 16) == sum(value << (4 * at) for at, value in enumerate(nibbles))


def test_results_of_finns_own_verification_are_no_vectors(tmp_path: Path) -> None:
    """The same step may have left _SUCCESS and _FAIL, of two runs; neither is believed, nor in the way."""
    build = Build()
    ip = write_stitched(tmp_path / "stitched_ip", build)
    save(child(build), tmp_path / "intermediate_models/step_create_stitched_ip.onnx")
    before = read_network(ip)
    for mark in ("SUCCESS", "FAIL"):
        put(tmp_path / f"verification_output/verify_stitched_ip_rtlsim_0_{mark}.npy", b"\x93NUMPY")
    after = read_network(ip)
    assert (after.partitions, after.files) == (before.partitions, before.files)


def test_operators_that_no_finn_has_are_named(tmp_path: Path) -> None:
    build = Build()
    ip = write_stitched(tmp_path / "conv", build)
    model = child(build)
    model.graph.node.insert(0, onnx.helper.make_node("Transpose", ["x"], ["y"], name="Transpose_0"))
    model.graph.node.append(node("MVAU_rtl", ["y"], ["z"]))
    save(model, ip / "conv.onnx")
    with pytest.raises(InputError, match=r"Transpose_0 \(Transpose\) is not a FINN hardware operator"):
        read_network(tmp_path)
