# SPDX-License-Identifier: BSD-3-Clause
"""The library loads weights: the same accesses and refusals as the loader in Python, on the same board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_network import chain, partition
from host_library import lib_load, library, use_library
from load_board import MAGIC, Board, contents, host, memories, region, stride_of
from wide_platform import wide_plan

from shellgen.emit.maps import emit_memory_maps
from shellgen_host.errors import HostError, InputError
from shellgen_host.native import NativeNode

KINDS = (("direct", 4), ("bridge", 4), ("direct", 8), ("bridge", 8))


class Made:
    """A map of a kind of access, and the library."""

    def __init__(self, folder: Path, access: str, slot: int) -> None:
        lite, wide = {"access": access}, {"zed"} if slot == 8 else set()
        node: dict[str, object] = {"name": "zed", "board": "zedboard", "partitions": [0], "lite": lite}
        with pytest.MonkeyPatch.context() as patch:
            for artifact in emit_memory_maps(
                wide_plan(patch, chain(partition("a", slaves=memories())), [node], wide)
            ):
                (folder / artifact.path).parent.mkdir(exist_ok=True)
                (folder / artifact.path).write_bytes(artifact.content)
        self.folder = folder
        self.found = json.loads((folder / "memory_map.json").read_text())
        use_library(library())

    def load(self, board: Any, weights: Path, node: str = "zed", **how: Any) -> tuple[str, int, int]:
        return lib_load(self.folder / "memory_map.json", node, board, weights, host.BusError, **how)


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: f"{kind[0]}{kind[1]}")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("c"), *request.param)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    for name, registers in contents().items():
        (tmp_path / f"{name}.dat").write_text("".join(f"{value:08x}\n" for value in registers))
    return tmp_path


def test_it_does_what_the_one_in_python_does(made: Made, weights: Path) -> None:
    boards = Board(made.found), Board(made.found)
    host.Node(made.found, "zed", boards[0]).load(contents())
    assert made.load(boards[1], weights) == ("", 2, 18)
    assert boards[1].log == boards[0].log
    assert boards[1].words == boards[0].words
    written = len(boards[1].log)
    assert made.load(boards[1], weights, check=True) == ("", 2, 18)
    assert {what for what, _ in boards[1].log[written:]} == {"read"}


def test_what_stops_it(made: Made, weights: Path) -> None:
    found, board = made.found, Board(made.found)
    step, first = stride_of(found), region(found, 0)["base"]
    board.stuck = (first + step * 7, 5)
    assert made.load(board, weights)[0] == "zed: layer MVAU_rtl_0: word 3 bit 37 is 0, not 1"
    board = Board(found)
    board.broken = first + step * 5
    said = made.load(board, weights)[0]
    assert said == f"zed: layer MVAU_rtl_0: word 2 at {board.broken:#x}: answered with an error"
    assert not any(what == "read" for what, _ in board.log)
    board = Board(found, "00000000000000aa")
    text = f"zed: the core is build 00000000000000aa, the map is for {found['nodes'][0]['build_id']}; "
    assert made.load(board, weights)[0].startswith(text)
    assert not board.log
    assert made.load(board, weights, node="zod")[0].endswith("there is no node zod; it has zed")


def test_files(made: Made, weights: Path) -> None:
    board = Board(made.found)
    path = weights / "a_s_axilite_0.dat"
    good = path.read_text()
    packing = {"pe": 2, "simd": 4, "words": 5, "lanes": 2}
    for text, message in (
        ("1\n" * 9, "9 registers, and layer MVAU_rtl_0 has 10"),
        ("1\n" * 11, "11 registers, and layer MVAU_rtl_0 has 10"),
        ("1\n" * 9 + "x\n", "not a hexadecimal number"),
        ("1\n" * 9 + "-1\n", "not a hexadecimal number"),
        ("1\n" * 9 + "100000000\n", "more than 32 bits"),
        ("1\n" * 9 + "100\n", "register 9 is 00000100, and a word of layer MVAU_rtl_0 has 40 bits"),
        (
            f"// MVAU_rtl_0 {json.dumps(packing | {'pe': 4})}\n{good}",
            "packed for pe 4, and layer MVAU_rtl_0 has pe 2",
        ),
    ):
        path.write_text(text)
        assert message in made.load(board, weights)[0]
    assert not board.log, "files are read first"
    path.write_text(f"// MVAU_rtl_0 {json.dumps(packing)}\n{good}")
    assert made.load(board, weights) == ("", 2, 18)
    path.write_text("1\nffffff80\n" * 5)  # the sign of a number
    assert made.load(board, weights) == ("", 2, 18)
    path.write_text(good)
    path.rename(weights / "7_0_MVAU_rtl_0.dat")
    assert made.load(board, weights) == ("", 2, 18), "FINN's name"
    (weights / "8_0_MVAU_rtl_0.dat").write_text(good)
    assert (
        "several files may be layer MVAU_rtl_0; rename one to a_s_axilite_0.dat"
        in made.load(board, weights)[0]
    )
    for name in ("7_0_MVAU_rtl_0.dat", "8_0_MVAU_rtl_0.dat"):
        (weights / name).unlink()
    said = made.load(board, weights)[0]
    assert said.endswith("it has 1 of 2 files; a_s_axilite_0.dat is missing; load what is there as partial")
    assert made.load(board, weights, partial=True) == ("", 1, 8)
    (weights / "a_s_axilite_1.dat").unlink()
    assert "it has 0 of 2 files" in made.load(board, weights, partial=True)[0]
    assert "none: No such file or directory" in made.load(board, weights / "none")[0]


@pytest.mark.parametrize("slot", [4, 8])
def test_a_plain_file_that_stands_for_registers(
    slot: int, weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the library's own accesses, of 64 bits where a register has a slot of 8 bytes; and by the loader."""
    (tmp_path / "made").mkdir()
    made = Made(tmp_path / "made", "direct", slot)
    moved = json.loads((made.folder / "zed" / "memory_map.json").read_text())
    (node,) = moved["nodes"]
    for entry in (node, *node["blocks"], *node["regions"], *node["dma"]):
        entry["base"] -= 0x4000_0000
    (tmp_path / "map.json").write_text(json.dumps(moved))
    build = int(node["build_id"], 16)
    image = bytearray(node["span"])
    for index, value in ((0, MAGIC), (2, build & 0xFFFFFFFF), (3, build >> 32)):
        image[slot * index : slot * index + 4] = value.to_bytes(4, "little")
    node["dma"] = []
    (tmp_path / "map.json").write_text(json.dumps(moved))

    def run(name: str = "zed", memory: bytes = bytes(image), **how: Any) -> tuple[str, int, int]:
        (tmp_path / "mem").write_bytes(memory)
        try:
            with NativeNode(tmp_path / "map.json", name, registers=tmp_path / "mem") as opened:
                done = opened.load(weights, **how)
        except HostError as error:
            return str(error), 0, 0
        return "", done.memories, done.registers

    assert run() == ("", 2, 18)
    loaded = (tmp_path / "mem").read_bytes()
    base = region(made.found, 0)["base"] - 0x4000_0000
    wanted = b"".join(value.to_bytes(slot, "little") for value in contents()["a_s_axilite_0"])
    assert loaded[base : base + len(wanted)] == wanted
    assert run(memory=loaded, check=True) == ("", 2, 18)
    command = [str(tmp_path / "map.json"), "--node", "zed", "--weights", str(weights)]
    command += ["--device", str(tmp_path / "mem")]
    for more, code, said in (
        ([], 0, "zed: 2 memories, 18 registers written and read back\n"),
        (["--check"], 0, "zed: 2 memories, 18 registers read, and all as in the files\n"),
    ):
        for way in ([], ["--library", str(library())]):
            (tmp_path / "mem").write_bytes(loaded if more else bytes(image))
            assert host.main([*command, *more, *way]) == code
            assert said in capsys.readouterr().out
            assert (tmp_path / "mem").read_bytes() == loaded
    wrong = [("--library", "none.so"), ("--library", str(tmp_path / "map.json")), ("--weights", "nowhere")]
    for option, given in wrong:
        assert host.main([*command, "--library", str(library()), option, given]) == 2
        assert (tmp_path / "mem").read_bytes() == loaded
        printed = capsys.readouterr().err
        assert printed.startswith("shellgen_load: ")
        assert given in printed
        assert printed.count("\n") == 1
    assert (tmp_path / "mem").read_bytes() == loaded
    assert (
        "zed: no shellgen core at 0: read 0000000000; load the bitstream" in run(memory=bytes(len(image)))[0]
    )
    assert f"mem: it ends before {node['span']:#x}" in run(memory=bytes(16))[0]
    assert "there is no node other; it has zed" in run("other")[0]
    (tmp_path / "mem").unlink()
    with pytest.raises(InputError, match="mem: No such file or directory; "):
        NativeNode(tmp_path / "map.json", "zed", registers=tmp_path / "mem")
    with pytest.raises(InputError, match=r"^xclbin: node zed is no card; give registers and buffers$"):
        NativeNode(tmp_path / "map.json", "zed", xclbin="x")
