# SPDX-License-Identifier: BSD-3-Clause
"""Plans that are kept: equal to new ones, and never for an input that was edited since."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from killed import tree

from shellgen import loaded, system
from shellgen.api import generate
from shellgen.api import plan as plan_of
from shellgen.cache import clear, loads
from shellgen.cli import ending, main
from shellgen.errors import ShellgenError
from shellgen.model import Plan
from shellgen.read.board import VARIABLE
from shellgen.reference import reference_chain, synthetic_model
from shellgen.resources import data_dir
from vivado_check.formats import looks
from vivado_check.formats.files import file_bytes
from vivado_check.formats.looks import children, hold, recording

CLUSTER = """
build = "build"
[[node]]
name = "a"
board = "mine"
partitions = [0]
[node.options.zynq]
constraints = ["own.xdc"]
[[node]]
name = "b"
board = "zedboard"
partitions = [1]
"""
LINK = '[[link]]\nfrom = "0"\nto = "1"\n'


class Counted:
    """Counts the plans that are made."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.count += 1
        return REAL_LOAD(*args, **options)


REAL_LOAD = system.load


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("made"))


def built(folder: Path) -> Path:
    """Fill a folder with cluster.toml, a build, a board and a hook."""
    reference_chain(synthetic_model([8, 8, 8]), folder / "build", 2)
    (folder / "cluster.toml").write_text(CLUSTER + LINK)
    (folder / "boards").mkdir()
    ours = (data_dir("boards") / "zedboard.toml").read_text()
    (folder / "boards" / "mine.toml").write_text(ours.replace('"zedboard"', '"mine"', 1))
    (folder / "own.xdc").write_text("# mine\n")
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work" / "it"
    shutil.copytree(made, folder)
    monkeypatch.setattr(loaded, "find", loads.find)
    monkeypatch.setattr(loaded, "keep", loads.keep)
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return folder / "cluster.toml"


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted()
    monkeypatch.setattr(system, "load", counted)
    return counted


def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let time stamps decide, as of files that are older than the steps of a clock."""
    monkeypatch.setattr("vivado_check.formats.looks._COARSE_NS", -(10**18))


def test_it_is_the_same(here: Path, plans: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = loaded.loaded(here)
    again = loaded.loaded(here)
    assert plans.count == 1
    assert again.plan == first.plan
    assert again.plan.to_json() == first.plan.to_json()
    assert (again.files, again.advice, again.host_models) == (first.files, first.advice, first.host_models)
    assert [node.board.where for node in again.plan.nodes] == [node.board.where for node in first.plan.nodes]
    generate(here, tmp_path / "kept")
    assert plans.count == 1
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "other"))
    generate(here, tmp_path / "plans")
    assert plans.count == 2
    assert tree(tmp_path / "kept") == tree(tmp_path / "plans")
    monkeypatch.setattr("shellgen.api.artifacts", lambda *_: pytest.fail("emitted again"))
    shutil.rmtree(tmp_path / "plans")
    generate(here, tmp_path / "plans")
    assert tree(tmp_path / "kept") == tree(tmp_path / "plans")
    old(monkeypatch)
    assert plan_of(here) == first.plan
    assert plans.count == 2


def _same_size(path: Path) -> None:
    """Change a byte, and give the file the time of its last change back, as some editors and tools do."""
    times, content = path.stat(), path.read_bytes()
    path.write_bytes(
        content.replace(b" ", b"\t", 1) if b" " in content else bytes([content[0] ^ 1]) + content[1:]
    )
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _edit(name: str) -> Callable[[Path], None]:
    return lambda folder: _same_size(folder / name)


def _new(name: str, text: str = "") -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)

    return write


def _linked(folder: Path) -> None:
    """Put a link to another build in the place of the build."""
    shutil.copytree(folder / "build", folder / "other")
    _same_size(next((folder / "other/partition_0").rglob("*.dat")))
    (folder / "build").rename(folder / "was")
    (folder / "build").symlink_to("other")


EDITS: dict[str, Callable[[Path], object]] = {
    "cluster.toml": lambda folder: (folder / "cluster.toml").write_text(CLUSTER + LINK + "depth = 64\n"),
    "its spaces": _edit("cluster.toml"),
    "a source": lambda folder: _same_size(next((folder / "build/partition_0").rglob("*.v"))),
    "weights": lambda folder: _same_size(next((folder / "build").rglob("*.dat"))),
    "component": lambda folder: _same_size(folder / "build/partition_1/ip/component.xml"),
    "a board": _edit("boards/mine.toml"),
    "a hook": _edit("own.xdc"),
    "another board": lambda folder: shutil.copy(
        data_dir("boards") / "pynq-z2.toml", folder / "boards/pynq-z2.toml"
    ),
    "another partition": lambda folder: shutil.copytree(
        folder / "build/partition_1", folder / "build/partition_2"
    ),
    "a new file": _new("build/partition_0/more.v", "module more; endmodule\n"),
    "a model less": lambda folder: (folder / "build/parent.onnx").rename(folder / "parent"),
    "a report": _new("build/report/rtlsim_performance.json", "{}"),
    "resources": _new("report/estimate_layer_resources.json", "{}"),
    "a report outside": _new("report/estimate_layer_cycles.json", "{}"),
    "a link": _linked,
}


@pytest.mark.parametrize("stamps", [True, False], ids=["stamps", "content"])
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_seen(
    here: Path, plans: Counted, monkeypatch: pytest.MonkeyPatch, edit: str, stamps: bool
) -> None:
    if stamps:
        old(monkeypatch)
    loaded.loaded(here)
    loaded.loaded(here)
    assert plans.count == 1
    EDITS[edit](here.parent)
    with suppress(ShellgenError):
        loaded.loaded(here)
    assert plans.count == 2


def test_what_is_in_no_file_counts(here: Path, plans: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded.loaded(here)
    loaded.loaded(here, overfull=True)
    assert plans.count == 2
    monkeypatch.setenv(VARIABLE, str(here.parent / "boards"))
    loaded.loaded(here)
    assert plans.count == 3
    monkeypatch.chdir(here.parent)
    loaded.loaded(Path(here.name))
    assert plans.count == 4


def test_every_look_is_recorded(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each path below the folder that the system is asked about is in the record, or in a listed folder."""
    asked: dict[str, set[str]] = {"stat": set(), "scandir": set(), "listdir": set(), "open": set()}
    with recording() as looks, monkeypatch.context() as patch:
        for name, found in asked.items():
            real = getattr(os, name)

            def call(path: Any, *args: Any, real: Any = real, found: set[str] = found, **options: Any) -> Any:
                found.add(str(path))
                return real(path, *args, **options)

            patch.setattr(os, name, call)
        system.load(here)
    inside = {
        name: {one for one in found if one.startswith(str(here.parent))} for name, found in asked.items()
    }
    assert min(len(inside[name]) for name in ("stat", "scandir", "open")) > 5
    assert inside["open"] <= looks.files.keys() | looks.kinds.keys()
    assert inside["scandir"] | inside["listdir"] <= looks.folders.keys()
    known = looks.files.keys() | looks.kinds.keys() | looks.folders.keys()
    lost = {one for one in inside["stat"] - known if str(Path(one).parent) not in looks.folders}
    assert not lost


def test_a_file_is_read_once_for_all_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its digest is that of what was read, and an inner record spares the outer one a second look."""
    files = [tmp_path / "outer", tmp_path / "inner"]
    for path in files:
        path.write_text(path.name)
    with recording() as outer:
        file_bytes(files[0])
        with recording() as inner:
            file_bytes(files[1])
            assert children(tmp_path) == sorted(files)
        assert inner.record()
    monkeypatch.setattr(looks, "_content", lambda path: pytest.fail(f"{path} is read again"))
    monkeypatch.setattr(looks, "_names", lambda path: pytest.fail(f"{path} is listed again"))
    record = outer.record()
    monkeypatch.undo()
    assert record
    assert hold(record)
    for path in files:
        _same_size(path)
        assert not hold(record)
        path.write_text(path.name)
        assert hold(record)


def test_an_inner_record_does_not_hide_a_change(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one")
    with recording() as outer:
        file_bytes(path)
        path.write_text("other")
        with recording() as inner:
            file_bytes(path)
        assert inner.record()
    assert outer.record() is None


def test_a_change_while_it_is_read_is_not_kept(
    here: Path, plans: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(*args: Any, **options: Any) -> Any:
        found = plans(*args, **options)
        (here.parent / "own.xdc").write_text("# other\n")
        return found

    monkeypatch.setattr(system, "load", changed)
    loaded.loaded(here)
    monkeypatch.setattr(system, "load", plans)
    loaded.loaded(here)
    assert plans.count == 2


@pytest.mark.parametrize("name", ["index.json", "plan.json", "files"])
def test_a_damaged_entry_is_none(here: Path, plans: Counted, tmp_path: Path, name: str) -> None:
    before = loaded.loaded(here)
    (entry,) = (tmp_path / "cache" / loads.FOLDER).glob("*-*")
    content = (entry / name).read_bytes()
    for wrong in (content.replace(b"1", b"2", 1), content[:-1], b"", b"[]"):
        (entry / name).write_bytes(wrong)
        assert loaded.loaded(here) == before
        (entry,) = (tmp_path / "cache" / loads.FOLDER).glob("*-*")
    assert plans.count == 5
    (entry / name).unlink()
    assert loaded.loaded(here) == before
    assert plans.count == 6


def test_clearing_and_no_place(here: Path, plans: Counted, tmp_path: Path) -> None:
    loaded.loaded(here)
    assert clear(tmp_path / "cache", ("plans",))[0] == 1
    loaded.loaded(here)
    assert plans.count == 2
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("no folder")
    loaded.loaded(here)
    loaded.loaded(here)
    assert plans.count == 4


def test_there_are_bounds(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loads, "MOST_ENTRIES", 2)
    places = [tmp_path / f"work{number}" for number in range(3)]
    for number, place in enumerate(places):
        shutil.copytree(here.parent, place)
        loaded.loaded(place / "cluster.toml")
        for entry in (tmp_path / "cache" / loads.FOLDER).glob("*-*"):
            if entry.stat().st_mtime > len(places):
                os.utime(entry, (number, number))
    entries = list((tmp_path / "cache" / loads.FOLDER).glob("*-*"))
    assert len(entries) == 2
    monkeypatch.setattr(loads, "MOST_BYTES", 10)
    shutil.copytree(here.parent, tmp_path / "work9")
    loaded.loaded(tmp_path / "work9" / "cluster.toml")
    assert set((tmp_path / "cache" / loads.FOLDER).glob("*-*")) == set(entries)


def test_warnings_are_said_again(
    here: Path, plans: Counted, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warned(*args: Any, **options: Any) -> Any:
        logging.getLogger("shellgen.read").warning("%s is odd", "this")
        return plans(*args, **options)

    monkeypatch.setattr(system, "load", warned)
    loaded.loaded(here)
    caplog.clear()
    loaded.loaded(here)
    assert plans.count == 1
    assert [record.getMessage() for record in caplog.records] == ["this is odd"]


def test_what_follows_from_a_plan_is_kept_with_it(
    here: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same text and record from the cache, and a new one for another plan."""
    calls = []

    real = ending._ending

    def counted(plan: Plan, width: int | None) -> ending.Ending:
        calls.append(plan)
        return real(plan, width)

    monkeypatch.setattr(ending, "_ending", counted)
    words = ["plan", str(here), "-o", str(tmp_path / "out"), "--json"]
    texts = []
    for _ in range(2):
        assert main(words) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert len(calls) == 1
    here.write_text(CLUSTER.replace('"b"', '"c"') + LINK)
    assert main(words) == 0
    assert len(calls) == 2
