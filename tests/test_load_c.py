# SPDX-License-Identifier: BSD-3-Clause
"""The loader in C: the same accesses and the same refusals as the one in Python, on the same board."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fake_network import chain, partition
from host_c import CHECK, LOAD, PARTIAL, STRICT, c_load, compiled
from host_module import FOLDER
from load_board import MAGIC, Board, contents, host, memories, region, stride_of
from wide_platform import wide_plan

from shellgen.emit.maps import emit_memory_maps

KINDS = (("direct", 4), ("bridge", 4), ("direct", 8), ("bridge", 8))


class Made:
    """A map in all its forms, and the loader compiled for it."""

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
        self.library = compiled(folder, folder / "zed", FOLDER, LOAD, "load")

    def load(self, board: Any, weights: Path, flags: int = 0, node: str = "zed") -> tuple[str, int, int]:
        return c_load(self.library, node, board, weights, host.BusError, flags)


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
    assert made.load(boards[1], weights, CHECK) == ("", 2, 18)
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
    text = f"zed: the core is build 00000000000000aa, memory_map.h is for {found['nodes'][0]['build_id']}; "
    assert made.load(board, weights)[0].startswith(text)
    assert not board.log
    assert made.load(board, weights, node="zod")[0] == "there is no node zod; memory_map.h has zed"


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
    assert said.endswith("it has 1 of 2 files; a_s_axilite_0.dat is missing; --partial loads what is there")
    assert made.load(board, weights, PARTIAL) == ("", 1, 8)
    (weights / "a_s_axilite_1.dat").unlink()
    assert "it has 0 of 2 files" in made.load(board, weights, PARTIAL)[0]
    assert "none: No such file or directory" in made.load(board, weights / "none")[0]


@pytest.mark.parametrize("slot", [4, 8])
def test_command_line_on_a_plain_file(slot: int, weights: Path, tmp_path: Path) -> None:
    """As C and as C++; a file stands for /dev/mem."""
    (tmp_path / "made").mkdir()
    made = Made(tmp_path / "made", "direct", slot)
    header = (made.folder / "zed" / "memory_map.h").read_text()
    header = re.sub(r"UINT64_C\(0x4000([0-9a-f]{4})\)", r"UINT64_C(0x\1)", header)
    (made.folder / "zed" / "memory_map.h").write_text(header)
    programs = []
    for compiler in (["gcc", "-std=c11"], ["g++", "-std=c++11", "-x", "c++"]):
        programs.append(tmp_path / compiler[0])
        source = str(FOLDER / "shellgen_load.c")
        command = [*compiler, *STRICT, f"-I{made.folder / 'zed'}", source, "-o", str(programs[-1])]
        subprocess.run(command, check=True)
    node, build = made.found["nodes"][0], int(made.found["nodes"][0]["build_id"], 16)
    image = bytearray(node["span"])
    for index, value in ((0, MAGIC), (2, build & 0xFFFFFFFF), (3, build >> 32)):
        image[slot * index : slot * index + 4] = value.to_bytes(4, "little")

    def run(*arguments: Any, memory: bytes = bytes(image)) -> list[tuple[int, str]]:
        said = []
        for program in programs:
            (tmp_path / "mem").write_bytes(memory)
            command = [str(program), *map(str, arguments), "--device", str(tmp_path / "mem")]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            assert len((result.stdout + result.stderr).splitlines()) == 1
            said.append((result.returncode, result.stdout + result.stderr))
        return said

    assert run("zed", weights) == [(0, "zed: 2 memories, 18 registers written and read back\n")] * 2
    loaded = (tmp_path / "mem").read_bytes()
    base = region(made.found, 0)["base"] - 0x4000_0000
    wanted = b"".join(value.to_bytes(slot, "little") for value in contents()["a_s_axilite_0"])
    assert loaded[base : base + len(wanted)] == wanted
    checked = run("--check", "zed", weights, memory=loaded)
    assert checked == [(0, "zed: 2 memories, 18 registers read, and all as in the files\n")] * 2
    for code, text in (
        *run("zed", weights, memory=bytes(len(image))),
        *run("zed", weights, memory=bytes(16)),
        *run("other", weights),
        *run("zed"),
        *run("zed", weights, "--device"),
    ):
        assert code == 2, text
