# SPDX-License-Identifier: BSD-3-Clause
"""Whole builds: every layout in, the same network out; every way to be wrong, one message each."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import onnx
import pytest
from read.build_fixture import (
    WEIGHTS,
    Build,
    Layout,
    child,
    make_model,
    node,
    put,
    save,
    sdp,
    stitch_metadata,
    write_network,
    write_stitched,
)
from read.network_fixture import problems_of

from shellgen.model import Network, OtherPort, StreamSpec
from shellgen.read import read_network


def text_of(network: Network, name: str, partition: int = 0) -> str:
    entry = next(entry for entry in network.partitions[partition].sources if entry.name == name)
    return network.files[entry.sha256].decode()


def names(network: Network, partition: int = 0) -> list[str]:
    return [entry.name for entry in network.partitions[partition].sources]


def one_problem(build: Path, *parts: str) -> None:
    problems = problems_of(build)
    assert len(problems) == 1, problems
    for part in parts:
        assert part in problems[0], problems[0]


@pytest.mark.parametrize("layout", ["gen", "srcs", "flat"])
@pytest.mark.parametrize("component", [True, False])
@pytest.mark.parametrize("upper", [False, True])
def test_every_layout_gives_the_same_partition(
    tmp_path: Path, layout: Layout, component: bool, upper: bool
) -> None:
    build = Build(layout=layout, component=component, upper=upper)
    ip = write_stitched(tmp_path / "net" / "conv", build)
    save(child(build), ip / "conv.onnx")
    network = read_network(tmp_path / "net")
    (part,) = network.partitions
    assert (part.name, part.top, part.clock, part.reset) == (
        "conv",
        "finn_design_wrapper",
        "ap_clk",
        "ap_rst_n",
    )
    assert part.origin == "net/conv"
    assert part.layers == ("f0", "MVAU_rtl_0", "global_out")
    source, result = part.streams
    assert (source.name, source.direction, source.tdata_bits, source.datatype) == (
        "s_axis_0",
        "in",
        16,
        "UINT4",
    )
    assert (source.normal_shape, source.folded_shape) == ((1, 8), (1, 2, 4))
    assert (result.name, result.direction, result.tdata_bits, result.datatype) == (
        "m_axis_0",
        "out",
        32,
        "INT13",
    )
    assert (result.normal_shape, result.folded_shape) == ((1, 4), (1, 2, 2))
    tdata = "s_axis_0_TDATA" if upper else "s_axis_0_tdata"
    assert source.ports["TDATA"] == tdata
    (lite,) = part.axilite
    assert (lite.name, lite.addr_bits, lite.data_bits) == ("s_axilite_0", 5, 32)
    assert lite.ports["AWADDR"] == ("s_axilite_0_AWADDR" if upper else "s_axilite_0_awaddr")
    assert lite.memory is not None
    assert (lite.memory.layer, lite.memory.word_bits, lite.memory.words, lite.memory.lanes) == (
        "MVAU_rtl_0",
        32,
        4,
        1,
    )
    assert sorted(names(network)) == sorted(
        [
            "infra.vh",
            "unlisted.vh",
            "Q_srl.v",
            "memstream.v",
            "finn_design_MVAU_rtl_0_0.v",
            "finn_design.v",
            "finn_design_wrapper.v",
            "conv__MVAU_rtl_0__memblock.dat",
        ]
    )


def test_files_are_kept_under_their_hash(tmp_path: Path) -> None:
    network = read_network(write_network(tmp_path))
    for partition in network.partitions:
        for entry in partition.sources:
            assert hashlib.sha256(network.files[entry.sha256]).hexdigest() == entry.sha256


def test_a_parent_gives_edges_by_tensor(tmp_path: Path) -> None:
    network = read_network(write_network(tmp_path / "moved+here", 3))
    assert [partition.name for partition in network.partitions] == [
        f"StreamingDataflowPartition_{index}" for index in range(3)
    ]
    assert [f"{edge.producer} {edge.consumer}" for edge in network.edges] == [
        f"StreamingDataflowPartition_{index}.m_axis_0 StreamingDataflowPartition_{index + 1}.s_axis_0"
        for index in range(2)
    ]
    assert [partition.origin.rsplit("/", 1)[1] for partition in network.partitions] == [
        f"vivado_stitch_proj_{index}a_b3c_d" for index in range(3)
    ]


def test_the_result_does_not_depend_on_where_the_build_lies(tmp_path: Path) -> None:
    write_network(tmp_path / "a" / "build")
    shutil.copytree(tmp_path / "a" / "build", tmp_path / "b" / "build")
    one, other = (read_network(tmp_path / side / "build") for side in "ab")
    assert one.partitions == other.partitions
    assert one.files == other.files


def test_dma_partitions_are_skipped_and_edges_end_at_the_host(tmp_path: Path) -> None:
    network = read_network(write_network(tmp_path, 2, dma=True))
    assert [partition.name[-2:] for partition in network.partitions] == ["_0", "_1"]
    assert len(network.edges) == 1


def test_the_output_folder_of_finn_with_one_partition(tmp_path: Path) -> None:
    """The child in supported_op_partitions is not stitched; the model of that step is."""
    build = Build()
    bare = child(build, metadata={})
    parent = make_model(
        [
            sdp(
                "GenericPartition_0",
                "i",
                "o",
                "./out/intermediate_models/supported_op_partitions/partition_0.onnx",
            )
        ],
        {"i": (1, 8)},
        {"o": (1, 4)},
    )
    models = tmp_path / "intermediate_models"
    save(parent, models / "dataflow_parent.onnx")
    save(bare, models / "supported_op_partitions" / "partition_0.onnx")
    save(child(build), models / "step_create_stitched_ip.onnx")
    write_stitched(tmp_path / "stitched_ip", build)
    for way in (tmp_path, models / "dataflow_parent.onnx"):
        (part,) = read_network(way).partitions
        assert (part.name, part.streams[0].datatype) == ("GenericPartition_0", "UINT4")


def test_partitions_of_one_name_by_folder(tmp_path: Path) -> None:
    """Two builds with the same top and module names, in natural order of their folders."""
    for name, depth in (("part_10", "a"), ("part_9", "b")):
        extra = {"note.v": f"module finn_note(input clock); // {depth}\n  wire {depth};\nendmodule\n"}
        write_stitched(tmp_path / name / "stitched_ip", Build(extra=extra))
    network = read_network(tmp_path)
    assert [partition.name for partition in network.partitions] == ["part_9", "part_10"]
    assert [partition.top for partition in network.partitions] == [
        "finn_design_wrapper",
        "finn_design_wrapper__part_10",
    ]
    assert network.edges == ()
    assert all(port.datatype is None for partition in network.partitions for port in partition.streams)


def test_toml_describes_what_a_build_without_onnx_does_not_tell(tmp_path: Path) -> None:
    write_stitched(tmp_path / "conv", Build())
    spec = StreamSpec(port="conv.s_axis_0", datatype="UINT3", shape=(1, 2, 10), elements_per_word=5)
    source = read_network(tmp_path, (spec,)).partitions[0].streams[0]
    assert (source.datatype, source.normal_shape, source.folded_shape) == ("UINT3", (1, 2, 10), (1, 2, 2, 5))


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        (("conv.s_axis_1", "UINT4", (8,), 4), "no such stream port"),
        (("conv.s_axis_0", "FLOAT32", (8,), 4), "not an integer type"),
        (("conv.s_axis_0", "UINT4", (9,), 4), "does not divide"),
        (("conv.s_axis_0", "UINT8", (8,), 4), "32 bits, TDATA has 16"),
    ],
)
def test_toml_that_does_not_fit(
    tmp_path: Path, spec: tuple[str, str, tuple[int, ...], int], found: str
) -> None:
    write_stitched(tmp_path / "conv", Build())
    port, datatype, shape, words = spec
    entry = StreamSpec(port=port, datatype=datatype, shape=shape, elements_per_word=words)
    (problem,) = problems_of(tmp_path, (entry,))
    assert found in problem
    assert f"[[stream]] {port}" in problem


def test_clock2x_and_loose_ports(tmp_path: Path) -> None:
    others = (
        OtherPort(name="sim_finish", direction="in", bits=1),
        OtherPort(name="fill", direction="out", bits=9),
    )
    for name, component in (("packaged", True), ("bare", False)):
        build = Build(clock2x=True, others=others, component=component)
        ip = write_stitched(tmp_path / name, build)
        save(child(build), ip / f"{name}.onnx")
    for part in read_network(tmp_path).partitions:
        assert (part.clock, part.clock2x) == ("ap_clk", "ap_clk2x")
        assert {port.name: (port.direction, port.bits) for port in part.others} == {
            "sim_finish": ("in", 1),
            "fill": ("out", 9),
        }


def test_without_wrapper_the_component_names_the_top(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build(wrapper=False))
    assert read_network(ip).partitions[0].top == "finn_design"


def test_a_stitched_ip_alone_is_a_network_of_one(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "my-net" / "stitched_ip", Build())
    assert read_network(ip).partitions[0].name == "my_net"


def test_lost_weights_come_from_the_onnx(tmp_path: Path) -> None:
    """FINN's packing: output channels PE-major, element 0 of SIMD lowest."""
    build = Build(data=False, layout="srcs")
    ip = write_stitched(tmp_path / "conv", build)
    put(ip / "unlisted.vh", "")
    save(child(build), ip / "conv.onnx")
    network = read_network(ip)
    lines = text_of(network, "conv__MVAU_rtl_0__memblock.dat").split()
    expected = []
    for fold_out in range(2):
        for fold_in in range(2):
            word = 0
            for pe in range(2):
                for simd in range(4):
                    value = int(WEIGHTS[fold_in * 4 + simd, fold_out * 2 + pe]) & 15
                    word |= value << ((pe * 4 + simd) * 4)
            expected.append(f"{word:08x}")
    assert lines == expected


def test_a_missing_build(tmp_path: Path) -> None:
    one_problem(tmp_path / "nowhere", "nowhere", "no such FINN build", "cluster.toml")


def test_a_model_without_partitions_and_without_hardware(tmp_path: Path) -> None:
    host = [onnx.helper.make_node("MatMul", ["x", "w"], ["y"], name="MatMul_0")]
    path = save(make_model(host, {"x": (1, 8)}, {"y": (1, 4)}), tmp_path / "net.onnx")
    one_problem(path, "net.onnx", "no StreamingDataflowPartition nodes", "`shellgen stitch`")


def test_the_model_of_a_stitched_partition_is_a_build_by_itself(tmp_path: Path) -> None:
    build = Build()
    write_stitched(tmp_path / build.project, build)
    (part,) = read_network(save(child(build), tmp_path / "conv.onnx")).partitions
    assert (part.name, part.streams[0].datatype) == ("conv", "UINT4")


def test_children_that_were_never_stitched(tmp_path: Path) -> None:
    parent = write_network(tmp_path, 2)
    for index in range(2):
        shutil.rmtree(tmp_path / f"vivado_stitch_proj_{index}a_b3c_d")
        save(child(Build(), metadata={}), tmp_path / f"partition_{index}.onnx")
    one_problem(parent, "none of its 2 partitions was stitched", f"`shellgen stitch {parent} -o <build>`")


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe not a model", b"version https://git-lfs.github.com/spec/v1\n"]
)
def test_an_onnx_that_is_none(tmp_path: Path, content: bytes) -> None:
    one_problem(put(tmp_path / "net.onnx", content), "net.onnx", "is not an ONNX model")


def test_a_folder_with_nothing_in_it(tmp_path: Path) -> None:
    one_problem(tmp_path, "neither a parent ONNX nor a folder with a stitched IP")


def test_a_child_model_that_is_missing(tmp_path: Path) -> None:
    parent = write_network(tmp_path)
    (tmp_path / "partition_1.onnx").unlink()
    one_problem(
        parent, "StreamingDataflowPartition_1.model", "partition_1.onnx is not there", "beside the parent"
    )


def test_a_child_model_that_is_ambiguous(tmp_path: Path) -> None:
    parent = write_network(tmp_path)
    for folder, shape in (("x", (1, 8)), ("y", (1, 9))):
        save(
            make_model([node("MVAU_rtl", ["a"], ["b"])], {"a": shape}, {"b": (1, 1)}),
            tmp_path / folder / "p.onnx",
        )
    model = onnx.load(str(parent))
    next(entry for entry in model.graph.node[0].attribute if entry.name == "model").s = b"/gone/p.onnx"
    save(model, parent)
    one_problem(parent, "several could be it", "x/p.onnx", "y/p.onnx")


def test_a_stitched_ip_that_is_missing(tmp_path: Path) -> None:
    parent = write_network(tmp_path)
    shutil.rmtree(tmp_path / "vivado_stitch_proj_0a_b3c_d")
    one_problem(parent, "partition_0.onnx: metadata vivado_stitch_proj", "vivado_stitch_proj_0a_b3c_d")


def test_parent_and_ip_with_other_streams(tmp_path: Path) -> None:
    parent = write_network(tmp_path)
    model = onnx.load(str(parent))
    model.graph.node[1].input.append("skip")
    save(model, parent)
    one_problem(parent, "node StreamingDataflowPartition_1", "2 inputs, but its IP has 1 stream on that side")

    model.graph.node[1].name = ""
    save(model, parent)
    one_problem(parent, "node partition_1: ", "2 inputs, but its IP has 1 stream on that side")


def test_all_problems_come_together(tmp_path: Path) -> None:
    parent = write_network(tmp_path, 3)
    put(tmp_path / "vivado_stitch_proj_0a_b3c_d/ip/component.xml", "<not xml")
    (tmp_path / "partition_1.onnx").unlink()
    shutil.rmtree(tmp_path / "vivado_stitch_proj_2a_b3c_d")
    assert len(problems_of(parent)) == 3


@pytest.mark.parametrize(
    ("ifnames", "found"),
    [
        ("{'clk': ['ap_clk']}", "is not JSON"),
        ("[1]", "is not a JSON object"),
        ('{"clk": ["ap_clk"], "chiplets": ["c2c_0"]}', "the key 'chiplets' is not known"),
        ('{"s_axis": [["s_axis_7", 8]]}', "no port of interface s_axis_7"),
    ],
)
def test_interface_names_that_do_not_fit(tmp_path: Path, ifnames: str, found: str) -> None:
    build = Build(component=False)
    ip = write_stitched(tmp_path / "conv", build)
    save(child(build, metadata=stitch_metadata(build) | {"vivado_stitch_ifnames": ifnames}), ip / "conv.onnx")
    one_problem(tmp_path, "conv", found)


def test_ap_none_is_allowed(tmp_path: Path) -> None:
    build = Build(component=False, others=(OtherPort(name="base_address", direction="in", bits=64),))
    ip = write_stitched(tmp_path / "conv", build)
    names_with = stitch_metadata(build)["vivado_stitch_ifnames"][:-1] + ', "ap_none": ["base_address"]}'
    metadata = stitch_metadata(build) | {"vivado_stitch_ifnames": names_with}
    save(child(build, metadata=metadata), ip / "conv.onnx")
    assert [port.name for port in read_network(tmp_path).partitions[0].others] == ["base_address"]
