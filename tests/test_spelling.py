# SPDX-License-Identifier: BSD-3-Clause
"""Names that are nearly right: boards in anybody's spelling, and what was probably meant of all else."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest
from bad_input import copy_system
from killed import tree

from shellgen.api import generate, load
from shellgen.cli import main
from shellgen.errors import nearest, offer
from shellgen.init import start_cluster
from shellgen.read import read_board, read_boards

ROOT = Path(__file__).parents[1]


# FINN's spellings (finn.util.basic: part_map), and some of people.
@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Pynq-Z1", "pynq-z1"),
        ("Pynq-Z2", "pynq-z2"),
        ("PYNQ-Z2", "pynq-z2"),
        ("pynqZ2", "pynq-z2"),
        ("pynq_z2", "pynq-z2"),
        ("ZCU104", "zcu104"),
        ("KV260_SOM", "kv260_som"),
        ("Ultra96-V2", "ultra96-v2"),
        ("U280", "u280"),
        ("U55C", "u55c"),
        ("ZedBoard", "zedboard"),
    ],
)
def test_boards_in_the_spelling_of_others(written: str, name: str) -> None:
    assert read_board(written) == read_board(name)


def test_a_board_in_another_spelling_changes_nothing(tmp_path: Path) -> None:
    copy_system(tmp_path)
    plan = load(tmp_path / "cluster.toml")[0]
    path = tmp_path / "cluster.toml"
    path.write_text(path.read_text().replace('"zedboard"', '"ZedBoard"', 1))
    other = load(path)[0]
    assert other.cluster_id == plan.cluster_id
    assert [node.board.name for node in other.nodes] == ["zedboard"] * 2


def test_a_file_of_the_users_wins(tmp_path: Path) -> None:
    """Exactly that name is that board; a spelling that could be two is neither."""
    (tmp_path / "boards").mkdir()
    text = (ROOT / "boards" / "zcu104.toml").read_text()
    (tmp_path / "boards" / "ZCU104.toml").write_text(text.replace('name = "zcu104"', 'name = "ZCU104"'))
    assert read_board("ZCU104", tmp_path).name == "ZCU104"
    assert read_board("zcu104", tmp_path).name == "zcu104"
    with pytest.raises(Exception, match=r"no board 'Zcu104'\. Did you mean zcu104\?|Did you mean ZCU104\?"):
        read_board("Zcu104", tmp_path)


LINK = '\n[[link]]\nfrom = "0"\nto = "1"\nkind = "tcp-dmaa"\n'


@pytest.mark.parametrize(
    ("edit", "meant"),
    [
        (("zedboard", "zed-bord"), "Did you mean zedboard? Choose one of: "),
        (('name = "zed0"', 'nmae = "zed0"'), "Did you mean name? Correct its spelling"),
        (("partitions = [0]", "partitions = [0]\nclock_mzh = 50.0"), "Did you mean clock_mhz?"),
        (("partitions = [0]", "partitions = [0]\n[node.lite]\nwindw = 65536"), "Did you mean window?"),
        (("partitions = [0]", "partitions = [0]\n[node.options.zynq]\nili = 1024"), "Did you mean ila?"),
        (("partitions = [0]", 'partitions = [0]\nplatform = "zync"'), "Did you mean zynq?"),
        (("[verify]\ninput", "[verify]\ninputs"), "Did you mean input?"),
        (("[verify]", f"{LINK}\n[verify]"), "Did you mean tcp_dma?"),
        (("[verify]", '[host]\nthrough = "zed9"\n\n[verify]'), "Did you mean zed1? Name one of: zed0, zed1"),
    ],
)
def test_what_was_meant(
    edit: tuple[str, str], meant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy_system(tmp_path)
    path = tmp_path / "cluster.toml"
    text = path.read_text()
    assert edit[0] in text
    path.write_text(text.replace(*edit, 1))
    assert main(["plan", str(path), "-o", str(tmp_path / "new")]) == 2
    assert meant in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["init", "build", "--platform", "zinq"], "Did you mean zynq?"),
        (["simulate", "out", "--set", "zed0.ppn=3"], "Did you mean zed0.ppm?"),
        (["simulate", "out", "--value", "a=1"], "--value is now --set. Write --set."),
        (["simulate", "out", "--reset-node", "zde0"], "Did you mean zed0?"),
        (["check", "out", "--node", "zed9"], "Did you mean zed1?"),
        (["build", "out", "--node", "zed9"], "Did you mean zed1?"),
        (["list", "bords"], "Did you mean boards?"),
        (["generate", "cluster.toml", "-o", "out", "--forc"], "Did you mean --force?"),
    ],
)
def test_what_was_meant_on_the_command_line(
    words: list[str],
    meant: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    copy_system(tmp_path)
    generate(tmp_path / "cluster.toml", tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    before = tree(tmp_path)
    assert main(words) == 2
    assert meant in capsys.readouterr().err
    assert tree(tmp_path) == before


def test_names_that_are_near() -> None:
    assert nearest("PYNQ-Z2", ["pynq-z1", "pynq-z2"]) == "pynq-z2"
    assert nearest("", ["a"]) == nearest("entirely else", ["a", "b"]) == ""
    assert offer("x", []) == "Choose from: none"


@pytest.mark.parametrize(
    ("folder", "board"), [("pynqZ2", "pynq-z2"), ("Pynq-Z1", "pynq-z1"), ("mine", "arty-z7-20")]
)
def test_init_looks_at_the_name_of_the_folder(folder: str, board: str, tmp_path: Path) -> None:
    """Arty Z7, PYNQ-Z1 and PYNQ-Z2 have the same part, so only the user's words tell them apart."""
    copy_system(tmp_path)
    shutil.move(tmp_path / "build", tmp_path / folder / "build")
    parts = {one.name: one.part for one in read_boards() if one.name.startswith("pynq")}
    assert len(set(parts.values())) == 1
    text = start_cluster(tmp_path / folder / "build", tmp_path).text
    assert f'board = "{board}"' in text


def test_an_old_python_is_named() -> None:
    """pip would blame a package that has nothing for it, unless that package is asked for later ones only."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11"
    assert [
        one for one in project["dependencies"] if one.startswith("pyslang") and "python_version >=" in one
    ]
    first = (ROOT / "shellgen/cli/__init__.py").read_text().partition("try:")[0]
    code = first.replace("sys.version_info", "(3, 10, 4)")
    with pytest.raises(SystemExit) as ended:
        exec(compile(code, "cli", "exec"), {})  # noqa: S102 - our own source, with another version in it
    assert ended.value.code == 2
