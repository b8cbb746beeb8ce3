# SPDX-License-Identifier: BSD-3-Clause
"""Every board file: complete, consistent with itself and with the registries, and sourced."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from bad_input import LINE, copy_system, expect, refusal

from shellgen.cli import main
from shellgen.errors import InputError
from shellgen.links import link_registry
from shellgen.model import Plan
from shellgen.platforms import platform_registry
from shellgen.platforms.zynq.facts import KIND, ZynqFacts
from shellgen.platforms.zynq.ps import PROCESSING_SYSTEMS
from shellgen.read.board import read_board, read_boards
from shellgen.resources import data_dir

NAMES = sorted(path.stem for path in data_dir("boards").glob("*.toml"))
NEEDED = {"zedboard", "pynq-z1", "pynq-z2", "zcu104", "ultra96-v2", "kv260_som"}
ALVEO = {"u50", "u55c", "u200", "u250", "u280"}
# Each group of facts names the document it comes from.
SOURCES = {
    "zynq": {"part", "board_parts", "resources", "memory", "window", "hp", "ethernet"},
    "vitis": {
        "part",
        "board_parts",
        "resources",
        "target",
        "network",
        "udp_cores",
        "banks",
        "memory",
        "slrs",
    },
    "coyote": {"part", "resources", "coyote"},
}
WINDOWS = {"zynq_7000": (0x4000_0000, 0x8000_0000), "zynq_us": (0xA000_0000, 0xB000_0000)}


def test_the_boards_of_the_issue_are_there() -> None:
    assert set(NAMES) >= NEEDED | ALVEO
    assert {board.name for board in read_boards()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_board_fits_the_registries(name: str) -> None:
    board = read_board(name)
    docks = {link.dock for link in link_registry().values()}
    for kind in board.platform:
        platform = platform_registry()[kind]
        assert platform.window(board).bytes >= 1 << 16
        assert docks & platform.docks(board).keys()
        assert link_registry()[platform.host_link].dock in platform.docks(board)
        assert board.sources.keys() >= SOURCES[kind]
    assert all(len(source) > 10 for source in board.sources.values())


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_windows_are_disjoint_and_aligned(name: str) -> None:
    board = read_board(name)
    zynq = board.facts(KIND, ZynqFacts)
    low, high = WINDOWS[zynq.family]
    assert zynq.lite_base == low
    assert zynq.lite_bytes & (zynq.lite_bytes - 1) == 0
    assert zynq.lite_base + zynq.lite_bytes <= zynq.dma_base < high
    assert zynq.dma_base % 0x1_0000 == 0
    assert zynq.ddr_bytes & (zynq.ddr_bytes - 1) == 0
    assert zynq.ddr_high_bytes & (zynq.ddr_high_bytes - 1) == 0
    system = PROCESSING_SYSTEMS[zynq.family]
    assert system.settings((board.clock_hz,), system.ports["HP0"], True, False, zynq.ps_config)
    assert zynq.hp_data_bits == (64 if zynq.family == "zynq_7000" else 128)
    assert all(pattern.count(":") == 3 and pattern.endswith(":*") for pattern in board.board_parts)


@pytest.mark.parametrize(
    ("bits", "zedboard", "zcu104"), [(1, 32, 32), (33, 64, 64), (64, 64, 64), (96, 64, 128)]
)
def test_stream_width_is_a_power_of_two_within_the_port(bits: int, zedboard: int, zcu104: int) -> None:
    link = link_registry()["tcp_dma"]
    for name, wanted in (("zedboard", zedboard), ("zcu104", zcu104)):
        dock = platform_registry()["zynq"].docks(read_board(name))["dma"]
        assert link.shape(dock, bits, bits).bits == wanted


def own_board(path: Path, *edits: tuple[str, str]) -> Path:
    """Write a board of the user's own, named like its file."""
    text = (data_dir("boards") / "zedboard.toml").read_text()
    for old, new in (('name = "zedboard"', f'name = "{path.stem}"'), *edits):
        assert old in text
        text = text.replace(old, new)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def planned(root: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Plan a system from another folder and return its plan.json."""
    code = main(["plan", str(root / "cluster.toml"), "-o", str(root / "out")])
    assert code == 0, capsys.readouterr().err
    return (root / "out/plan.json").read_text()


def test_a_board_of_ones_own_lies_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By path, beside cluster.toml or through the variable: the same board is the same plan."""
    plans = []
    for folder, named, file, variable in (
        ("path", "./mine.toml", "mine.toml", ""),
        ("below", "cards/mine.toml", "cards/mine.toml", ""),
        ("absolute", str(tmp_path / "other/mine.toml"), "../other/mine.toml", ""),
        ("beside", "mine", "boards/mine.toml", ""),
        ("shared", "mine", "lent/mine.toml", f"{tmp_path}{os.pathsep}{tmp_path / 'shared/lent'}"),
    ):
        root = tmp_path / folder
        copy_system(root).cluster(('"zedboard"', f'"{named}"'))
        own_board(root / file, ("lut = 53_200", "lut = 53_199"))
        monkeypatch.setenv("SHELLGEN_BOARDS", variable)
        plans.append(planned(root, capsys))
    assert "53199" in plans[0]
    assert set(plans) == {plans[0]}
    assert str(tmp_path) not in plans[0]
    copy_system(tmp_path / "path").cluster(('"zedboard"', '"./mine.toml"'))
    own_board(tmp_path / "path/mine.toml", ("lut = 53_200", "lut = 53_198"))
    other = Plan.model_validate_json(planned(tmp_path / "path", capsys))
    assert other.cluster_id != Plan.model_validate_json(plans[0]).cluster_id, (
        "what the file says is in the id"
    )


def test_messages_name_the_users_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    copy_system(tmp_path).cluster(('"zedboard"', '"cards/mine.toml"'), ('"zedboard"', '"boards/mine.toml"'))
    for edit, found in (
        (("lut =", "luts ="), "cards/mine.toml: resources.luts: this field is not known"),
        (("[platform.zynq]", "[platform.versal]"), "cards/mine.toml: platform: 'versal' is not known"),
        (("lite_base", "lite"), "cards/mine.toml: platform.zynq.lite_base: this field is missing"),
    ):
        own_board(tmp_path / "cards/mine.toml", edit)
        own_board(tmp_path / "boards/mine.toml", edit)
        problems = [LINE.sub(".toml", one) for one in refusal(["plan", "cluster.toml", "-o", "out"], capsys)]
        assert any(found in problem for problem in problems), problems
        assert any(found.replace("cards", "boards") in problem for problem in problems), problems
    (tmp_path / "cards/mine.toml").unlink()
    shutil.rmtree(tmp_path / "boards")
    problems = refusal(["plan", "cluster.toml", "-o", "out"], capsys)
    assert "cluster.toml:6: node[0].board: there is no file cards/mine.toml" in problems[0]


def test_a_name_never_means_two_boards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A board's name must mean the same on every machine: a copy is the same board, a change is another."""
    monkeypatch.chdir(tmp_path)
    copy_system(tmp_path)
    own_board(tmp_path / "boards/zedboard.toml")
    before = planned(tmp_path, capsys)
    own_board(tmp_path / "boards/zedboard.toml", ("dsp = 220", "dsp = 221"))
    problems = refusal(["plan", "cluster.toml", "-o", "out"], capsys)
    said = ("'zedboard' names boards that differ: boards/zedboard.toml and", "Rename yours")
    expect(problems, ("cluster.toml: node[0].board", *said), ("cluster.toml: node[1].board", *said))
    with pytest.raises(InputError, match="names boards that differ"):
        read_boards()
    assert main(["list", "boards"]) == 0
    assert capsys.readouterr().out.count("\nzedboard ") == 2, "both are shown, to find the one too many"
    copy_system(tmp_path).cluster(
        ('"zedboard"', '"boards/zedboard.toml"'), ('"zedboard"', '"./z/zedboard.toml"')
    )
    own_board(tmp_path / "z/zedboard.toml")
    assert planned(tmp_path, capsys) != before, "by path both can be used in one cluster"


def test_list_shows_where_boards_are_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    own_board(tmp_path / "boards/mine.toml")
    own_board(tmp_path / "lent/yours.toml")
    monkeypatch.setenv("SHELLGEN_BOARDS", "lent")
    assert main(["list", "boards", "--json"]) == 0
    files = {one["name"]: one for one in json.loads(capsys.readouterr().out)["files"]}
    assert (files["mine"]["file"], files["yours"]["file"]) == ("boards/mine.toml", "lent/yours.toml")
    assert files["yours"]["from"] == "$SHELLGEN_BOARDS"
    assert files["zedboard"]["from"] == "shellgen"
    monkeypatch.setenv("SHELLGEN_BOARDS", "gone")
    problems = refusal(["list", "boards"], capsys)
    assert "$SHELLGEN_BOARDS: there is no folder gone. Correct the variable" in problems[0]
