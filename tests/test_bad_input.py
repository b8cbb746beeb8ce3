# SPDX-License-Identifier: BSD-3-Clause
"""cluster.toml and what it decides: every mistake is refused with file, field and remedy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from bad_input import LINK, PARTS, Cases, System, copy_system, expect, refusal

case: Cases[object] = Cases()


@pytest.mark.parametrize("name", case.made)
def test_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    damage, wanted = case.made[name]
    damage(copy_system(tmp_path))
    expect(refusal(["generate", "cluster.toml", "-o", "out"], capsys), *wanted)


def stream(end: str, datatype: str = "UINT4", shape: str = "[1, 8]", words: int = 2) -> str:
    return (
        f'[[stream]]\nport = "{end}"\ndatatype = "{datatype}"\nshape = {shape}\nelements_per_word = {words}\n'
    )


def undescribed(at: System, partition: int) -> str:
    """Remove what describes the streams of a partition, and return its output as [[stream]]."""
    (at.root / f"build/partition_{partition}.onnx").unlink()
    return stream(f"partition_{partition}.m_axis_0")


MAKES, TAKES = f"{PARTS[0]}.m_axis_0", f"{PARTS[1]}.s_axis_0"


@case(("cluster.toml", "no such file", "Check the path"))
def cluster_is_missing(at: System) -> None:
    (at.root / "cluster.toml").unlink()


@case(("cluster.toml", "it is a folder, and a cluster.toml is needed", "`shellgen init cluster.toml"))
def cluster_is_a_folder(at: System) -> None:
    (at.root / "cluster.toml").unlink()
    (at.root / "cluster.toml").mkdir()


@case(("cluster.toml: node[0].partitions[0]", "got True", "expected the number or the name of a partition"))
def partition_is_a_boolean(at: System) -> None:
    at.cluster(("partitions = [0]", "partitions = [true]"))


@case(("cluster.toml", "build", "got ''", "expected a name, or a list of names"))
def build_has_no_name(at: System) -> None:
    at.cluster(('"build/parent.onnx"', '""'))


@case(("cluster.toml", "is not TOML", "line 1", "Correct that line"))
def cluster_is_not_toml(at: System) -> None:
    at.cluster(('name = "pair"', "name: pair"))


@case(("cluster.toml", "UTF-8", "Save it as UTF-8"))
def cluster_is_not_text(at: System) -> None:
    (at.root / "cluster.toml").write_bytes(b"name = '\xff\xfe'")


@case(
    ("cluster.toml: node[0].bord", "not known", "spelling"), ("cluster.toml: node[0].board", "missing", "Add")
)
def field_is_misspelt(at: System) -> None:
    at.cluster(('board = "zedboard"', 'bord = "zedboard"'))


@case(
    ("cluster.toml: node[1].partitions", "got 'one'", "Correct this field"),
    ("cluster.toml: node[0].clock_mhz", "got 'fast'", "Correct this field"),
)
def fields_have_wrong_types(at: System) -> None:
    at.cluster(
        ("partitions = [1]", 'partitions = "one"'),
        ("partitions = [0]", 'partitions = [0]\nclock_mhz = "fast"'),
    )


@case(("cluster.toml: build", "missing", "Add it"))
def build_is_not_named(at: System) -> None:
    at.cluster(('build = "build/parent.onnx"', ""))


@case(("cluster.toml: node[0].name", "got 'zed-0'", "Verilog identifier of at most 24 characters", "Correct"))
def node_name_is_no_identifier(at: System) -> None:
    at.cluster(('"zed0"', '"zed-0"'))


@case(
    ("cluster.toml: node[0].name", "'bench'", "Choose another name"),
    ("cluster.toml: node[1].name", "'a_bulk'", "Choose another name"),
)
def node_names_are_those_of_the_bench(at: System) -> None:
    at.cluster(('"zed0"', '"bench"'), ('"zed1"', '"a_bulk"'))


@case(
    (
        "cluster.toml: node[0].name",
        "'host', the name of the folder of the host's files",
        "Choose another name",
    )
)
def node_name_is_that_of_a_folder(at: System) -> None:
    at.cluster(('"zed0"', '"host"'))


@case(("cluster.toml: node", "no node", "Add a [[node]]"))
def there_is_no_node(at: System) -> None:
    (at.root / "cluster.toml").write_text('build = "build/parent.onnx"\nnode = []\n')


@case(("cluster.toml: node[1].name", "two nodes are named 'zed0'", "a name of its own"))
def two_nodes_of_one_name(at: System) -> None:
    at.cluster(('"zed1"', '"zed0"'))


@case(("cluster.toml: node[1].name", "'ZED0' and 'zed0' differ only by case", "Choose another name"))
def two_nodes_of_one_folder(at: System) -> None:
    at.cluster(('"zed1"', '"ZED0"'))


@case(
    ("cluster.toml: node[0].board", "no board 'zedbord'", "Choose one of: arty-z7-20, kv260_som"),
    ("cluster.toml: node[1].board", "no board 'vcu118'", "Choose one of: arty-z7-20, kv260_som"),
)
def boards_are_unknown(at: System) -> None:
    at.cluster(('"zedboard"', '"zedbord"'), ('"zedboard"', '"vcu118"'))


@case(("cluster.toml: node[1].partitions", f"{PARTS[0]} is placed twice, on zed0 and on zed1", "Keep one"))
def partition_is_placed_twice(at: System) -> None:
    at.cluster(("partitions = [1]", "partitions = [0, 1]"))


@case(
    ("cluster.toml: node[1].partitions", "no partition 7", f"The build has 0 ({PARTS[0]}), 1 ({PARTS[1]})"),
    ("cluster.toml: node", f"partition {PARTS[1]} is on no node", "Add it"),
)
def partition_is_unknown(at: System) -> None:
    at.cluster(("partitions = [1]", "partitions = [7]"))


@case(("cluster.toml: node[1].partitions", "node zed1 has no partition", "Give it one or remove it"))
def node_is_empty(at: System) -> None:
    at.cluster(("partitions = [0]", "partitions = [0, 1]"), ("partitions = [1]", "partitions = []"))


@case(("cluster.toml: build", "has a name of 264 characters, and at most 230 go", "shorter names"))
def partition_names_are_long(at: System) -> None:
    """Their stream has both names, in nets and in files."""

    def rename(model: onnx.ModelProto) -> None:
        for index, node in enumerate(model.graph.node):
            node.name = f"P{index}_".ljust(130, "x")

    at.model("parent.onnx", rename)


@case(("cluster.toml: node[0].clock_mhz", "node zed0: clock of 5000 MHz", "Choose 1 to 1000 MHz"))
def clock_is_out_of_range(at: System) -> None:
    at.cluster(("partitions = [0]", "partitions = [0]\nclock_mhz = 5000.0"))


@case(
    (
        "cluster.toml: node[0].clock_mhz",
        "node zed0: 500 MHz; boards/zedboard.toml: most_clock_hz says that the device carries 464 MHz",
        "Choose at most 464 MHz",
    )
)
def clock_is_more_than_the_device_carries(at: System) -> None:
    at.cluster(("partitions = [0]", "partitions = [0]\nclock_mhz = 500.0"))


@case(("cluster.toml: node[0].clock_mhz", "above 0", "Correct this field"))
def clock_is_negative(at: System) -> None:
    at.cluster(("partitions = [0]", "partitions = [0]\nclock_mhz = -1"))


@case(("cluster.toml: link[0].to", "no partition '5'", "The build has 0"))
def link_end_is_unknown(at: System) -> None:
    at.cluster(add=LINK.replace('"1"', '"5"'))


@case(("cluster.toml: link[0].to", "'zed1' is a node", "Name one of the partitions of that node: 1"))
def link_end_is_a_node(at: System) -> None:
    at.cluster(add=LINK.replace('"1"', '"zed1"'))


@case(("cluster.toml: link[0]", "no stream from", f"Its streams are: {MAKES} -> {TAKES}"))
def link_ends_are_mixed_up(at: System) -> None:
    at.cluster(add='[[link]]\nfrom = "1"\nto = "0"\n')


@case(("cluster.toml: link[0].from", "no output stream 's_axis_0'", "are: m_axis_0"))
def link_begins_at_an_input(at: System) -> None:
    at.cluster(add='[[link]]\nfrom = "0.s_axis_0"\nto = "1"\n')


@case(("cluster.toml: link[0].kind", "'pigeon' is not known", "kinds are: "))
def link_kind_is_unknown(at: System) -> None:
    at.cluster(add=LINK + 'kind = "pigeon"\n')


@case(("cluster.toml: link[0].packing", "got 'loose'", "'dense' or 'finn'", "Correct this field"))
def packing_is_unknown(at: System) -> None:
    at.cluster(add=LINK + 'packing = "loose"\n')


@case(("cluster.toml: link[0]", "cycle through partition_0, partition_1", "remove one of the links"))
def links_are_cyclic(at: System) -> None:
    at.folders_only()
    at.cluster(("partitions = [0]", "partitions = [0]"), add='[[link]]\nfrom = "1"\nto = "0"\n')


@case(
    ("cluster.toml: link[1]", "is connected 2 times", "Keep one of the two", "one [[link]] with a join"),
)
def port_is_joined_twice(at: System) -> None:
    at.folders_only()
    at.cluster(add=LINK)


@case(("cluster.toml: link", "2 partitions", "Add [[link]] entries"))
def nothing_joins_the_partitions(at: System) -> None:
    at.folders_only()
    at.cluster((LINK, ""))


@case(("cluster.toml: link[0]", "sends UINT4", "takes UINT2", "same element type"))
def ends_differ_in_element_width(at: System) -> None:
    at.folders_only()
    at.cluster(add=undescribed(at, 1) + stream("partition_1.s_axis_0", "UINT2", words=4))


@case(("cluster.toml: link[0]", "sends UINT4", "takes INT4", "same element type"))
def ends_differ_in_data_type(at: System) -> None:
    at.folders_only()
    at.cluster(add=undescribed(at, 1) + stream("partition_1.s_axis_0", "INT4"))


@case(("cluster.toml: link[0]", "elements a frame", "takes 4", "carry the same elements"))
def ends_differ_in_element_count(at: System) -> None:
    at.folders_only()
    at.cluster(add=undescribed(at, 1) + stream("partition_1.s_axis_0", shape="[1, 4]"))


@case(("cluster.toml: stream", "67108864 bytes", "holds 67108863", "Cut the network where less crosses"))
def frame_exceeds_the_dma_length(at: System) -> None:
    at.folders_only()
    shape = f"[{1 << 24}, 8]"
    (at.root / "build/partition_0.onnx").unlink()
    ends = stream("partition_0.m_axis_0", shape=shape) + stream("partition_1.s_axis_0", shape=shape)
    at.cluster(add=undescribed(at, 1) + stream("partition_0.s_axis_0") + ends)


@case(
    (
        "cluster.toml: [[stream]] StreamingDataflowPartition_",
        ": datatype",
        "'FLOAT32' is not an integer type",
        "e.g. UINT4",
    )
)
def stream_type_is_a_float(at: System) -> None:
    at.cluster(add=stream(TAKES, "FLOAT32"))


@case(
    (
        "cluster.toml: [[stream]] StreamingDataflowPartition_1.s_axis_0: datatype",
        "it says INT4, and ",
        "says UINT4",
    ),
    (
        "cluster.toml: [[stream]] StreamingDataflowPartition_0.m_axis_0: shape",
        "it says 4 elements",
        "correct it",
    ),
)
def stream_contradicts_the_onnx(at: System) -> None:
    at.cluster(add=stream(TAKES, "INT4") + stream(MAKES, shape="[1, 4]"))


@case(
    (
        "cluster.toml: [[stream]] StreamingDataflowPartition_",
        ": elements_per_word",
        "3 does not divide",
        "PE or SIMD",
    )
)
def stream_folding_does_not_divide(at: System) -> None:
    at.cluster(add=stream(TAKES, words=3))


@case(
    (
        "cluster.toml: [[stream]] StreamingDataflowPartition_",
        ": elements_per_word",
        "are 64 bits, TDATA has",
        "Correct it",
    )
)
def stream_word_is_wider_than_tdata(at: System) -> None:
    at.cluster(add=stream(TAKES, "UINT8", words=8))


@case(
    (
        "cluster.toml: [[stream]] StreamingDataflowPartition_",
        ": port",
        "no such stream port",
        f"Did you mean {PARTS[0]}.s_axis_0? Choose from: {PARTS[0]}.s_axis_0",
    )
)
def stream_port_is_unknown(at: System) -> None:
    at.cluster(add=stream(f"{PARTS[0]}.s_axis_7"))


@case(("cluster.toml: stream[1].port", "two entries describe", "a port of its own"))
def stream_is_described_twice(at: System) -> None:
    at.cluster(add=stream(TAKES) + stream(TAKES))


@case(
    ("input.npy: verify.input", "the file is missing", "Correct the path"),
    ("output.npy: verify.output", "the file is missing", "Correct the path"),
)
def vectors_are_missing(at: System) -> None:
    (at.root / "input.npy").unlink()
    (at.root / "output.npy").unlink()


@case(("input.npy: verify.input", "not a .npy file", "numpy.save"))
def vectors_are_not_npy(at: System) -> None:
    (at.root / "input.npy").write_text("1 2 3\n")


@case(("input.npy: verify.input", "not a .npy file", "numpy.save"))
def vectors_are_an_archive(at: System) -> None:
    with (at.root / "input.npy").open("wb") as file:
        np.savez(file, a=np.zeros((4, 16)))


@case(("input.npy: verify.input", "float64", "Give whole numbers of shape"))
def vectors_are_not_integers(at: System) -> None:
    np.save(at.root / "input.npy", np.full((4, 16), 0.5))


@case(("input.npy: verify.input", "<U1", "Save an array of numbers"))
def vectors_are_text(at: System) -> None:
    np.save(at.root / "input.npy", np.full((4, 16), "a"))


@case(("output.npy: verify.output", "4 input frames and 3 output frames", "Give as many"))
def vectors_have_different_frame_counts(at: System) -> None:
    np.save(at.root / "output.npy", np.load(at.root / "output.npy")[:3])


@case(
    ("cluster.toml: verify.input", "a frame has 15 elements, the stream carries 16", "Give vectors of shape")
)
def vectors_have_another_shape(at: System) -> None:
    np.save(at.root / "input.npy", np.load(at.root / "input.npy")[:, :15])


@case(("cluster.toml: verify.input", "16 to 16", "UINT4", "0 to 15"))
def vectors_exceed_the_data_type(at: System) -> None:
    np.save(at.root / "input.npy", np.full((4, 16), 16))
