# SPDX-License-Identifier: BSD-3-Clause
"""Links and platforms of other packages: found, left out, or reported in one sentence; never a traceback."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bad_input import copy_system, refusal

import shellgen.links
import shellgen.platforms
from shellgen import resources
from shellgen.cli import main
from shellgen.links import link_registry
from shellgen.platforms import platform_registry
from shellgen.resources import data_dir

LINK = """
from shellgen.links.tcp_dma import TcpDma

class Mine(TcpDma):
    kind = "mine"

    def attach(self, site):
        return tuple(one.model_copy(update={"name": "mine"}) for one in super().attach(site))
"""
PLATFORM = """
from shellgen.model import Dock, HostWindow
from shellgen.model.base import Frozen
from shellgen.platforms import Platform

class MyFacts(Frozen):
    base: int

class Mine(Platform):
    kind = "mine"
    Facts = MyFacts
    host_link = "tcp_dma"

    def window(self, board):
        return HostWindow(base=board.facts(self.kind, MyFacts).base, bytes=65536, bus="mine")

    def docks(self, board):
        return {"dma": Dock(bits=64)}

    def check(self, plan, node):
        return []

    def artifacts(self, plan, node, files):
        return ()
"""
Install = Callable[..., None]


def _forget() -> None:
    caches = (shellgen.links._found, shellgen.platforms._found, resources.homes, resources._all_installed)
    for cached in caches:
        cached.cache_clear()
    importlib.invalidate_caches()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a package that brings one class: its module, and the group it is for."""
    site = tmp_path / "site"
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # nothing but what a command writes may appear
    modules = set(sys.modules)

    def add(group: str, text: str, name: str = "acme") -> None:
        info = site / f"{name}-2.1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.1\n")
        (info / "entry_points.txt").write_text(f"[shellgen.{group}]\nmine = {name}.it:Mine\n")
        (site / name).mkdir()
        (site / name / "__init__.py").touch()
        (site / name / "it.py").write_text(text)
        _forget()

    yield add
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(site)):
            del sys.modules[name]
    monkeypatch.undo()
    _forget()


def on_mine(root: Path, *edits: tuple[str, str]) -> None:
    """Put both nodes on a board of the platform above."""
    copy_system(root).cluster(('"zedboard"', '"mine"'), ('"zedboard"', '"mine"'))
    text = (data_dir("boards") / "zedboard.toml").read_text().replace('name = "zedboard"', 'name = "mine"')
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    (root / "boards").mkdir(exist_ok=True)
    (root / "boards/mine.toml").write_text(text + "\n[platform.mine]\nbase = 4096\n")


def test_a_link_and_a_platform_are_found(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    on_mine(tmp_path)  # before there are two links to choose from
    install("links", LINK, "ours_too")
    install("platforms", PLATFORM)
    assert {"tcp_dma", "mine"} < link_registry().keys()
    problems = refusal(["plan", "cluster.toml", "-o", "out"], capsys)
    assert "mine share 2 link kinds (tcp_dma, mine): platform zynq offers dma" in problems[0]
    text = (tmp_path / "cluster.toml").read_text()
    (tmp_path / "cluster.toml").write_text(
        text.replace('board = "mine"', 'board = "mine"\nplatform = "mine"')
    )
    problems = refusal(["plan", "cluster.toml", "-o", "out"], capsys)
    at = (
        "cluster.toml: link: StreamingDataflowPartition_0.m_axis_0 -> StreamingDataflowPartition_1.s_axis_0: "
    )
    assert f"{at}mine share 2 link kinds (tcp_dma, mine): platform mine offers dma" in problems[0]
    for kind in ("tcp_dma", "mine"):
        (tmp_path / "cluster.toml").write_text(
            text.replace('board = "mine"', 'board = "mine"\nplatform = "mine"')
            + f'\n[[link]]\nfrom = "0"\nto = "1"\nkind = "{kind}"\n'
        )
        assert main(["plan", "cluster.toml", "-o", "out"]) == 0, capsys.readouterr().err
        plan = json.loads((tmp_path / "out/plan.json").read_text())
        assert [node["platform"] for node in plan["nodes"]] == ["mine", "mine"]
        assert plan["nodes"][0]["host"] == {"base": 4096, "bytes": 65536, "slot": 4, "bus": "mine"}
        assert plan["nodes"][0]["board"]["platform"] == {"mine": {"base": 4096}}
        capsys.readouterr()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "import nothing_of_this_name",
            "ModuleNotFoundError: No module named 'nothing_of_this_name' (it.py,",
        ),
        ("import sys\nsys.exit(3)", "SystemExit: 3 (it.py, line 2)"),
        ("class Mine: pass", "acme.it:Mine is not a class derived from shellgen.platforms.base.Platform"),
        ("Other = 1", "has no attribute 'Mine'"),
        (PLATFORM.replace("host_link", "other"), "Mine has no host_link"),
        (PLATFORM.replace("Facts = MyFacts", "Facts = dict"), "Mine.Facts is not a subclass of"),
        (PLATFORM.replace('kind = "mine"', 'kind = "zynq"'), "there is a platform of kind 'zynq' already"),
        (PLATFORM.replace('kind = "mine"', 'kind = "a/b"'), "Mine.kind is 'a/b'"),
        (PLATFORM.replace('kind = "mine"', 'kind = "my-card"'), "Mine.kind is 'my-card'; expected a letter"),
        (PLATFORM.replace("def window", "def widow"), "instantiate abstract class Mine w"),
    ],
)
def test_what_cannot_be_loaded_is_left_out(
    text: str,
    said: str,
    install: Install,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Lists and clusters that do not use it work; a user of it gets the reason."""
    monkeypatch.chdir(tmp_path)
    install("platforms", text)
    assert main(["list", "platforms"]) == 0
    shown = capsys.readouterr()
    assert "zynq" in shown.out
    assert "left out: plug-in mine of acme 2.1: it cannot be loaded: " in shown.err
    assert said in shown.err
    on_mine(tmp_path)  # a board that another platform can build, too
    assert main(["plan", "cluster.toml", "-o", "out"]) == 0
    capsys.readouterr()
    on_mine(tmp_path, ("[platform.zynq]", "[platform.other]"))
    (problem, *_) = refusal(["plan", "cluster.toml", "-o", "out"], capsys)
    choice = ", ".join(sorted(kind for kind in platform_registry() if kind != "mine"))
    said_of_all = f"platform: 'other', 'mine' are not known. Choose from: {choice} (plug-in mine of"
    assert f"boards/mine.toml:16: {said_of_all}" in problem
    assert said in problem


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'return {"dma": Dock(bits=64)}',
            "return board.nothing",
            "mine.docks raised AttributeError: 'Board' object",
        ),
        (
            'return {"dma": Dock(bits=64)}',
            'return ["dma"]',
            "mine.docks returned list ['dma']; expected dict[str, Dock]",
        ),
        ("bytes=65536", "bytes=0", "mine.window raised ValidationError: 1 validation error for HostWindow"),
        ("return []", "return None", "mine.check returned NoneType None; expected list[Problem]"),
        (
            "        return ()",
            "        return 1 / 0",
            "mine.artifacts raised ZeroDivisionError: division by zero (it.py",
        ),
        (
            "        return ()",
            "        return (1,)",
            "mine.artifacts returned tuple (1,); expected tuple[Artifact, ...]",
        ),
    ],
)
def test_what_a_method_does_wrong_is_told_as_its_own(
    old: str,
    new: str,
    said: str,
    install: Install,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert PLATFORM.count(old) == 1
    install("platforms", PLATFORM.replace(old, new))
    on_mine(tmp_path, ("[platform.zynq]", "[platform.other]"))
    (problem,) = refusal(["generate", "cluster.toml", "-o", "out"], capsys)
    assert f"plug-in mine of acme 2.1: {said}" in problem
