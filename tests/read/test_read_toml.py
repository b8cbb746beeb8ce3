# SPDX-License-Identifier: BSD-3-Clause
"""cluster.toml and boards/*.toml."""

from __future__ import annotations

from pathlib import Path

import pytest
from read.build_fixture import put

from shellgen.errors import InputError
from shellgen.read import read_board, read_boards, read_cluster

CLUSTER = """
build = "build/dataflow_parent.onnx"
[[node]]
name = "a"
board = "zedboard"
partitions = [0]
[[node]]
name = "b"
board = "zedboard"
partitions = ["StreamingDataflowPartition_1"]
clock_mhz = 100.0
[[link]]
from = "StreamingDataflowPartition_0"
to = "StreamingDataflowPartition_1.s_axis_0"
kind = "tcp_dma"
"""
BOARD = """
name = "card"
title = "Card"
part = "xc7z020clg484-1"
board_parts = ["v:card:part0:*"]
clock_hz = 100000000
[platform.some]
fact = 1
[resources]
lut = 53200
ff = 106400
bram18 = 280
uram = 0
dsp = 220
[sources]
part = "data sheet"
"""


def messages(error: pytest.ExceptionInfo[InputError]) -> list[str]:
    return [str(problem) for problem in error.value.problems]


def test_a_cluster(tmp_path: Path) -> None:
    spec = read_cluster(put(tmp_path / "cluster.toml", CLUSTER))
    assert [(node.name, node.partitions) for node in spec.node] == [
        ("a", (0,)),
        ("b", ("StreamingDataflowPartition_1",)),
    ]
    assert spec.link[0].from_ == ("StreamingDataflowPartition_0",)
    assert spec.packing == "dense"


@pytest.mark.parametrize(
    ("old", "new", "where", "found"),
    [
        ('name = "b"', 'name = "a"', "node[1].name", "two nodes are named 'a'"),
        ('name = "b"', 'nane = "b"', "node[1].nane", "not known"),
        ('board = "zedboard"\npartitions = [0]', "partitions = [0]", "node[0].board", "missing"),
        ("partitions = [0]", 'partitions = "0"', "node[0].partitions", "got '0'"),
        ('name = "b"', 'name = "1b"', "node[1].name", "Verilog identifier"),
        ("clock_mhz = 100.0", "clock_mhz = -1.0", "node[1].clock_mhz", "above 0"),
        ("[[link]]", "[[lnk]]", "lnk", "not known"),
        ("build =", "bild =", "build", "missing"),
        ('name = "b"', "name = b", "cluster.toml", "is not TOML"),
        ("[[node]]", "[node]\n[node]", "cluster.toml", "Write [[node]] for each table of a list"),
    ],
)  # fmt: skip
def test_a_cluster_that_does_not_fit(tmp_path: Path, old: str, new: str, where: str, found: str) -> None:
    assert old in CLUSTER
    path = put(tmp_path / "cluster.toml", CLUSTER.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        read_cluster(path)
    hits = [message for message in messages(error) if where in message]
    assert hits, messages(error)
    assert found in hits[0]
    assert "cluster.toml" in hits[0]


def test_a_stream_described_twice(tmp_path: Path) -> None:
    entry = '[[stream]]\nport = "p.s_axis_0"\ndatatype = "UINT4"\nshape = [8]\nelements_per_word = 4\n'
    with pytest.raises(InputError, match=r"stream\[1\].port: two entries describe 'p.s_axis_0'"):
        read_cluster(put(tmp_path / "cluster.toml", CLUSTER + entry + entry))


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert read_cluster(put(tmp_path / "cluster.toml", "\ufeff" + CLUSTER)).node


def test_a_cluster_without_nodes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the cluster has no node"):
        read_cluster(put(tmp_path / "cluster.toml", 'build = "x"\nnode = []\n'))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_cluster(tmp_path / "cluster.toml")
    with pytest.raises(InputError, match=r"it is a folder, .* `shellgen init .* writes one"):
        read_cluster(tmp_path)
    with pytest.raises(
        InputError, match=r"it is a model, .* for a network, `shellgen make .* does all steps"
    ):
        read_cluster(put(tmp_path / "model.onnx", b"\xff"))
    with pytest.raises(InputError, match="not a text in UTF-8"):
        read_cluster(put(tmp_path / "latin.toml", b'name = "\xe4"'))


def test_a_board(tmp_path: Path) -> None:
    put(tmp_path / "boards/card.toml", BOARD)
    assert read_board("card", tmp_path).resources.lut == 53200
    assert "card" in [board.name for board in read_boards(tmp_path)]


def test_an_unknown_board_lists_the_known_ones(tmp_path: Path) -> None:
    put(tmp_path / "boards/card.toml", BOARD)
    with pytest.raises(
        InputError,
        match=r"no board 'crd'\. Did you mean card\? Choose one of: arty-z7-20, card, .*\./my\.toml",
    ):
        read_board("crd", tmp_path)


def test_all_bad_boards_are_reported(tmp_path: Path) -> None:
    put(tmp_path / "boards/a.toml", BOARD)
    put(tmp_path / "boards/b.toml", BOARD.replace('name = "card"', 'name = "b"').replace("lut", "luts"))
    with pytest.raises(InputError) as error:
        read_boards(tmp_path)
    found = messages(error)
    assert any("boards/a.toml: name" in message and "'card'" in message for message in found)
    assert any("boards/b.toml: resources.luts" in message for message in found)
    assert any("boards/b.toml: resources.lut:" in message for message in found)


def test_the_boards_that_come_with_shellgen() -> None:
    assert {board.name for board in read_boards()} >= {"zedboard", "pynq-z2"}


def test_fields_of_earlier_releases_say_where_they_are_now(tmp_path: Path) -> None:
    text = 'build = "b"\n[[node]]\nname = "a"\nboard = "zedboard"\npartitions = [0]\n'
    text += "[node.lite]\nslot = 8\n[node.vivado]\nila = 1024\n"
    with pytest.raises(InputError) as error:
        read_cluster(put(tmp_path / "cluster.toml", text))
    slot, vivado = sorted(messages(error))
    assert "node[0].lite.slot: this field is not known. Remove it: the platform of the board says it." in slot
    assert "node[0].vivado: this field is not known. Call the table [node.options.zynq]." in vivado
