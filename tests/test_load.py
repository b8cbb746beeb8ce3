# SPDX-License-Identifier: BSD-3-Clause
"""The loader that runs on the board: what it writes, what it finds wrong, and that it stops in time."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from host_module import FOLDER
from load_board import MAGIC, Board, contents, host, map_of, region, stride_of
from map_blocks import block_of

from shellgen.emit.host import BRING_UP, CARDS, KEEP, LOADER, RUNNER, XRT


@pytest.fixture(params=[("direct", 4), ("bridge", 4), ("direct", 8), ("bridge", 8)])
def found(request: pytest.FixtureRequest) -> dict[str, Any]:
    return map_of(*request.param)


def refusal(board: Board, found: dict[str, Any], registers: dict[str, list[int]] | None = None) -> str:
    with pytest.raises(host.HostError) as error:
        host.Node(found, "zed", board).load(registers or contents())
    return str(error.value)


def test_every_stored_word_ascending_and_read_back(found: dict[str, Any]) -> None:
    board = Board(found)
    frames = []
    node = host.Node(found, "zed", board)
    host.load([node], {"zed": contents()}, lambda: frames.append(len(board.log)))
    wide, holes = region(found, 0)["base"], region(found, 1)["base"]
    step = stride_of(found)
    stored = [wide + step * i for i in range(10)] + [holes + step * i for i in range(3)]
    for name in ("write", "read"):
        assert [at for what, at in board.log if what == name] == stored
    assert [board.words[wide + step * i] for i in range(10)] == contents()["a_s_axilite_0"]
    assert frames == [26], "the dummy frame comes last, and once"


def test_a_bit_that_does_not_hold(found: dict[str, Any]) -> None:
    board = Board(found)
    board.stuck = (region(found, 0)["base"] + stride_of(found) * 7, 5)  # word 3, second register
    assert "zed: layer MVAU_rtl_0: word 3 bit 37 is 0, not 1" in refusal(board, found)
    board.stuck = (region(found, 0)["base"] + stride_of(found) * 7, 9)
    wide = contents()
    wide["a_s_axilite_0"][7] |= 1 << 9  # above bit 39: padding, which no memory need keep
    host.Node(found, "zed", board).load(wide)


def test_an_access_that_is_answered_with_an_error(found: dict[str, Any]) -> None:
    board = Board(found)
    board.broken = region(found, 0)["base"] + stride_of(found) * 5
    said = refusal(board, found)
    assert f"zed: layer MVAU_rtl_0: word 2 at {board.broken:#x}" in said
    assert all(at != board.broken for _, at in board.log)
    if not found["nodes"][0]["aperture"]:
        assert board.log[-1] == ("write", board.broken - stride_of(found)), "it stops at once"
    assert not any(what == "read" for what, _ in board.log)


def test_another_build_is_refused_before_the_first_write(found: dict[str, Any]) -> None:
    board = Board(found, "00000000000000aa")
    said = refusal(board, found)
    assert f"the core is build 00000000000000aa, the map is for {found['nodes'][0]['build_id']}" in said
    assert not board.log
    board.build = int(found["nodes"][0]["build_id"], 16)
    other = Board(found, "00000000000000aa")
    nodes = [host.Node(found, "zed", board), host.Node(found, "zed", other)]
    with pytest.raises(host.HostError):
        host.load(nodes, {"zed": contents()}, lambda: None)
    assert not board.log, "no node is written before all have been checked"


class Mmio:
    """PYNQ's: it counts from its own base."""

    def __init__(self, board: Board) -> None:
        self._board, self.base_addr = board, board.node["base"]

    def read(self, offset: int = 0) -> int:
        return self._board.read(self.base_addr + offset)

    def write(self, offset: int, data: int) -> None:
        self._board.write(self.base_addr + offset, data)


def test_the_mmio_of_pynq_is_a_bus(found: dict[str, Any]) -> None:
    """Comparing alone writes to no memory."""
    board = Board(found)
    host.Node(found, "zed", Mmio(board)).load(contents())
    written = len(board.log)
    driver = type("Driver", (), {"mmio": Mmio(board)})()
    host.Node(found, "zed", driver).compare(contents())
    assert {what for what, _ in board.log[written:]} == {"read"}


class Nothing:
    """A bus where all bits float high."""

    def read(self, address: int) -> int:
        assert address % 4 == 0
        return 0xFFFFFFFF

    def write(self, address: int, value: int) -> None:
        raise AssertionError(f"{value:#x} was written to {address:#x}")


def test_no_core_at_all(found: dict[str, Any]) -> None:
    with pytest.raises(host.HostError, match="no shellgen core at 0x40000000: read 0xffffffff"):
        host.Node(found, "zed", Nothing()).load(contents())


def test_files(found: dict[str, Any], tmp_path: Path) -> None:
    node = host.Node(found, "zed", Board(found))
    with pytest.raises(host.HostError, match="it has none of a_s_axilite_"):
        host.read_weights(node, tmp_path)
    good = contents()
    for name, registers in good.items():
        (tmp_path / f"{name}.dat").write_text("".join(f"{value:08x}\n" for value in registers))
    assert host.read_weights(node, tmp_path) == good
    # FINN's own names: <partition>_<interface>_<layer>.dat.
    (tmp_path / "a_s_axilite_1.dat").rename(tmp_path / "3_1_MVAU_rtl_1.dat")
    assert host.read_weights(node, tmp_path) == good
    (tmp_path / "4_1_MVAU_rtl_1.dat").write_text("0\n" * 8)
    with pytest.raises(host.HostError, match=r"3_1_MVAU_rtl_1.dat, 4_1_.*; rename one to a_s_axilite_1.dat"):
        host.read_weights(node, tmp_path)
    (tmp_path / "4_1_MVAU_rtl_1.dat").unlink()
    for text, message in (
        ("1\n" * 9, r"9 registers, and layer MVAU_rtl_0 has 10 \(5 words of 2 registers\)"),
        ("1\n" * 9 + "x\n", "not a hexadecimal number"),
        ("1\n" * 9 + "100000000\n", "more than 32 bits"),
        ("1\n" * 9 + "100\n", r"register 9 is 00000100, and a word of layer MVAU_rtl_0 has 40 bits"),
    ):
        (tmp_path / "a_s_axilite_0.dat").write_text(text)
        with pytest.raises(host.HostError, match=message):
            host.read_weights(node, tmp_path)


def named(prefix: str, layers: list[tuple[int, str]]) -> dict[str, Any]:
    """The map of a build whose memories all have 8 words; a layer has its partition's number in front."""
    found = map_of("direct")
    entry = found["nodes"][0]
    first = region(found, 1) | {"memory": region(found, 1)["memory"] | {"lanes": 1, "words": 8}}
    entry["regions"] = [
        first
        | {
            "name": f"{prefix}{part}_s_axilite_{index}",
            "dat": f"{prefix}{part}_s_axilite_{index}.dat",
            "partition": f"{prefix}{part}",
            "interface": f"s_axilite_{index}",
            "layer": layer,
        }
        for index, (part, layer) in zip(counted([part for part, _ in layers]), layers, strict=True)
    ]
    return found


def counted(parts: list[int]) -> list[int]:
    return [parts[:at].count(part) for at, part in enumerate(parts)]


def finn_folder(folder: Path, names: list[str]) -> Path:
    """FINN's runtime_weights: the n-th file is full of n."""
    for number, name in enumerate(names, 1):
        (folder / name).write_text(f"{number:08x}\n" * 8)
    return folder


def loaded(found: dict[str, Any], folder: Path, partial: bool = False) -> dict[str, int]:
    """First register of each region."""
    node = host.Node(found, "zed", Nothing())
    return {name: values[0] for name, values in host.read_weights(node, folder, partial).items()}


SDP = "StreamingDataflowPartition_"


def test_the_runtime_weights_of_finn_by_name(tmp_path: Path) -> None:
    """All partitions are counted, the DMA's too; each counts its interfaces and its layers from 0."""
    parts = [2, 2, 10]
    names = [f"{part}_{at}_{SDP}{part}_MVAU_{at}.dat" for part, at in zip(parts, counted(parts), strict=True)]
    found = named(SDP, [(2, f"{SDP}2_MVAU_0"), (2, f"{SDP}2_MVAU_1"), (10, "MVAU_0")])
    folder = finn_folder(tmp_path, names)
    wanted = {f"{SDP}2_s_axilite_0": 1, f"{SDP}2_s_axilite_1": 2, f"{SDP}10_s_axilite_0": 3}
    assert loaded(found, folder) == wanted
    (folder / names[1]).unlink()  # only what was retrained
    del wanted[f"{SDP}2_s_axilite_1"]
    assert loaded(found, folder, partial=True) == wanted


def test_the_runtime_weights_of_finn_by_order(tmp_path: Path) -> None:
    """One stitched IP has all layers that FINN's driver has in partitions of their own."""
    names = [f"{part}_0_{SDP}{part}_MVAU_0.dat" for part in (1, 2, 10)]
    found = named("net", [(0, "MVAU_0"), (0, "MVAU_1"), (0, "MVAU_2")])
    folder = finn_folder(tmp_path, names)
    assert loaded(found, folder) == {f"net0_s_axilite_{at}": at + 1 for at in range(3)}
    (folder / names[2]).write_text("0\n" * 4)
    with pytest.raises(host.HostError, match=r"none of net0_s.*names of 10_0_Str.* do not tell their layers"):
        loaded(found, folder)
    (folder / names[2]).unlink()
    with pytest.raises(host.HostError, match="it has none of"):
        loaded(found, folder)


def test_the_runtime_weights_of_finn_that_may_be_several(tmp_path: Path) -> None:
    folder = finn_folder(tmp_path, ["1_0_MVAU_0.dat", "2_0_MVAU_0.dat", "3_0_MVAU_0.dat"])
    with pytest.raises(host.HostError, match=r"1_0_MVAU_0.dat, 2_0_.* may all be layer MVAU_0; rename one"):
        loaded(named("net", [(0, "MVAU_0"), (0, "MVAU_1")]), folder)


def test_a_folder_of_all_nodes(found: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "zed").mkdir()
    for name, registers in contents().items():
        (tmp_path / "zed" / f"{name}.dat").write_text("".join(f"{value:08x}\n" for value in registers))
    node = host.Node(found, "zed", Board(found))
    assert host.read_weights(node, tmp_path) == host.read_weights(node, tmp_path / "zed") == contents()


def test_weights_packed_for_another_folding(found: dict[str, Any], tmp_path: Path) -> None:
    """Another folding may take as many registers."""
    node = host.Node(found, "zed", Board(found))
    registers = "".join(f"{value:08x}\n" for value in contents()["a_s_axilite_0"])
    packing = {"pe": 2, "simd": 4, "words": 5}
    path = tmp_path / "a_s_axilite_0.dat"
    path.write_text(f"// MVAU_rtl_0 {json.dumps(packing)}\n{registers}")
    assert host.read_weights(node, tmp_path, partial=True) == {"a_s_axilite_0": contents()["a_s_axilite_0"]}
    path.write_text(f"// MVAU_rtl_0 {json.dumps(packing | {'pe': 4, 'simd': 2})}\n{registers}")
    with pytest.raises(
        host.HostError, match="packed for pe 4, simd 2, and layer MVAU_rtl_0 has pe 2, simd 4"
    ):
        host.read_weights(node, tmp_path, partial=True)


def test_maps(tmp_path: Path) -> None:
    path = tmp_path / "memory_map.json"
    for text, message in (
        (None, "No such file"),
        ("{", "not JSON"),
        ('{"schema_version": "shellgen-memory-map-1"}', "schema_version is 'shellgen-memory-map-1'"),
    ):
        if text is not None:
            path.write_text(text)
        with pytest.raises(host.HostError, match=message):
            host.read_map(path)


@pytest.mark.parametrize("slot", [4, 8])
def test_command_line_on_a_plain_file(slot: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file stands for /dev/mem: everything but the hardware."""
    found = map_of("direct", slot)
    node = found["nodes"][0]
    for entry in (node, block_of(node, "status"), *node["regions"]):
        entry["base"] -= 0x4000_0000
    (tmp_path / "memory_map.json").write_text(json.dumps(found))
    build = int(found["nodes"][0]["build_id"], 16)
    image = bytearray(node["span"])
    for index, value in ((0, MAGIC), (2, build & 0xFFFFFFFF), (3, build >> 32)):
        image[slot * index : slot * index + 4] = value.to_bytes(4, "little")
    base = region(found, 0)["base"]
    image[base : base + 4 * slot] = bytes([0xEE]) * (4 * slot)
    (tmp_path / "mem").write_bytes(image)
    for name, registers in contents().items():
        (tmp_path / f"{name}.dat").write_text("".join(f"{value:08x}\n" for value in registers))
    arguments = [str(tmp_path / "memory_map.json"), "--node", "zed", "--weights", str(tmp_path)]
    assert host.main([*arguments, "--device", str(tmp_path / "mem")]) == 0
    assert "zed: 2 memories, 18 registers written and read back" in capsys.readouterr().out
    wanted = b"".join(value.to_bytes(slot, "little") for value in contents()["a_s_axilite_0"])
    assert (tmp_path / "mem").read_bytes()[base : base + len(wanted)] == wanted
    whole = (tmp_path / "mem").read_bytes()
    checked = [*arguments, "--check", "--device", str(tmp_path / "mem")]
    assert host.main(checked) == 0
    assert "18 registers read, and all as in the files" in capsys.readouterr().out
    (tmp_path / "mem").write_bytes(
        whole[: base + slot] + bytes([whole[base + slot] ^ 4]) + whole[base + slot + 1 :]
    )
    spoilt = (tmp_path / "mem").read_bytes()
    assert host.main(checked) == 2
    assert "layer MVAU_rtl_0: word 0 bit 34 is 1, not 0" in capsys.readouterr().err
    assert (tmp_path / "mem").read_bytes() == spoilt, "--check writes nothing"
    (tmp_path / "mem").write_bytes(bytes(len(image)))
    assert host.main([*arguments, "--device", str(tmp_path / "mem")]) == 2
    assert "no shellgen core" in capsys.readouterr().err
    assert not any((tmp_path / "mem").read_bytes())
    for arguments_, said in (
        ([*arguments[:2], "other", *arguments[3:]], "there is no node other; it has zed"),
        ([*arguments, "--run-frame", "nowhere:f"], "--run-frame nowhere:f: No module named 'nowhere'"),
        ([*arguments[:4], str(tmp_path / "none")], "it has none of"),
    ):
        assert host.main([*arguments_, "--device", str(tmp_path / "not there")]) == 2
        assert said in capsys.readouterr().err, "before the device is opened"
    assert host.main([*arguments, "--device", str(tmp_path / "not there")]) == 2
    assert "not there: No such file or directory" in capsys.readouterr().err
    (tmp_path / "short").write_bytes(bytes(4096))
    assert host.main([*arguments, "--device", str(tmp_path / "short")]) == 2
    assert "short: it ends before" in capsys.readouterr().err
    (tmp_path / "a_s_axilite_1.dat").unlink()
    assert host.main([*arguments, "--device", str(tmp_path / "mem")]) == 2
    assert "it has 1 of 2 files; a_s_axilite_1.dat is missing; --partial" in capsys.readouterr().err
    (tmp_path / "mem").write_bytes(image)
    assert host.main([*arguments, "--partial", "--device", str(tmp_path / "mem")]) == 0
    assert "1 memory, 10 registers" in capsys.readouterr().out
    del found["nodes"][0]["regions"][0]["base"]
    (tmp_path / "memory_map.json").write_text(json.dumps(found))
    assert host.main([*arguments, "--device", str(tmp_path / "mem")]) == 2
    assert "memory_map.json: it is not a whole map" in capsys.readouterr().err


@pytest.mark.parametrize("program", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_an_old_python_and_little_else_will_do(program: Path) -> None:
    """Nothing but its neighbours and the standard library; numpy and PYNQ only where frames move."""
    tree = ast.parse(program.read_text(), feature_version=(3, 8))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    # Some files are there only where they are needed.
    known = {*LOADER, "shellgen_xrt", "shellgen_bring_up"}
    if program.stem in RUNNER:
        known |= {*RUNNER, *(Path(name).stem for name in KEEP), "numpy", "pynq", "pyxrt"}
    elif program.stem not in LOADER and program.name not in (*BRING_UP, *XRT, *CARDS):
        known = {path.stem for path in FOLDER.glob("*.py")}
        known |= {"numpy"} if program.stem in ("run_host", "shellgen_packet", "shellgen_udp") else set()
    assert imported <= known | set(sys.stdlib_module_names)
