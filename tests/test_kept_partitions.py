# SPDX-License-Identifier: BSD-3-Clause
"""Partitions that are kept one by one: equal to those that are read again, and only while nothing changes."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_loaded import CLUSTER, EDITS, LINK, built, old

from shellgen import loaded, system
from shellgen.cache import clear, loads, reads
from shellgen.errors import ShellgenError
from shellgen.read import kept, network
from shellgen.read.builds import locate_build
from shellgen.read.outline import Outline
from shellgen.read.partition import read_partition

REAL_KEY = loaded.partitions_key
STREAM = """\
[[stream]]
port = "StreamingDataflowPartition_{}.s_axis_0"
datatype = "INT4"
shape = [8]
elements_per_word = 8
"""


class Counted:
    """Names the partitions that are read."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, found: Any, *args: Any) -> Any:
        self.names.append(found.name.rpartition("_")[2])
        return REAL_READ(found, *args)

    def since(self) -> str:
        """Return the numbers of those that were read since the last call."""
        names, self.names = self.names, []
        return " ".join(names)


REAL_READ = read_partition


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("made"))


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work" / "it"
    shutil.copytree(made, folder)
    monkeypatch.setattr(loaded, "partitions_key", REAL_KEY)
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return folder / "cluster.toml"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted()
    monkeypatch.setattr(network, "read_partition", counted)
    return counted


def answer(work: Callable[[], Any]) -> Any:
    """Return what a load says: plan, files and advice, or its problems."""
    try:
        found = work()
    except ShellgenError as error:
        return [str(problem) for problem in error.problems]
    if isinstance(found, loaded.Loaded):
        return found.plan.to_json(), found.files, found.advice
    plan, read_network, files = found
    return plan.to_json(), files, system.advice(plan, read_network)


READ_AGAIN = {
    "cluster.toml": "",
    "its spaces": "",
    "a source": "0",
    "weights": "0",
    "component": "1",
    "a board": "",
    "a hook": "",
    "another board": "",
    "another partition": "",
    "a new file": "0",
    "a model less": "0 1",
    "a report": "0 1",
    "resources": "0 1",
    "a report outside": "0 1",
    "a link": "0 1",  # the name of its folder is in the plan
}


@pytest.mark.parametrize(
    ("edit", "stamps"), [*((edit, True) for edit in EDITS), ("weights", False), ("component", False)]
)
def test_only_what_changed_is_read(
    here: Path, read: Counted, monkeypatch: pytest.MonkeyPatch, edit: str, stamps: bool
) -> None:
    if stamps:
        old(monkeypatch)
    first = answer(lambda: loaded.loaded(here))
    assert read.since() == "0 1"
    assert answer(lambda: loaded.loaded(here)) == first
    assert read.since() == ""
    EDITS[edit](here.parent)
    again = answer(lambda: loaded.loaded(here))
    assert read.since() == READ_AGAIN[edit]
    assert again == answer(lambda: system.load(here))
    read.since()
    assert answer(lambda: loaded.loaded(here)) == again
    assert read.since() == ""


def test_a_plan_is_kept_as_well(here: Path, read: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of the cache itself are none that a plan depends on."""
    monkeypatch.setattr(loaded, "find", loads.find)
    monkeypatch.setattr(loaded, "keep", loads.keep)
    first = answer(lambda: loaded.loaded(here))
    monkeypatch.setattr(system, "load", lambda *_, **__: pytest.fail("planned again"))
    shutil.rmtree(here.parents[2] / "cache" / reads.FOLDER)
    assert answer(lambda: loaded.loaded(here)) == first
    assert read.since() == "0 1"


def test_a_described_stream_is_read_again(here: Path, read: Counted) -> None:
    loaded.loaded(here)
    here.write_text(CLUSTER + LINK + STREAM.format(1))
    read.since()
    again = answer(lambda: loaded.loaded(here))
    assert read.since() == "1"
    assert again == answer(lambda: system.load(here))


def test_an_error_is_not_kept(here: Path, read: Counted) -> None:
    """Nor what was read after it; and what was kept before it still counts."""
    first = answer(lambda: loaded.loaded(here))
    (source,) = (here.parent / "build/partition_0").rglob("*wrapper.v")
    text = source.read_text()
    source.write_text(text + "`ifdef MORE\n")
    read.since()
    told = [answer(lambda: loaded.loaded(here)) for _ in range(2)]
    assert "missing `endif" in told[0][0]
    assert told[0] == told[1] == answer(lambda: system.load(here))
    assert read.since() == "0 0 0"  # an error ends it
    source.write_text(text)
    assert answer(lambda: loaded.loaded(here)) == first


def test_a_place_and_a_shellgen_have_their_own(
    here: Path, read: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded.loaded(here)
    monkeypatch.chdir(here.parent)
    loaded.loaded(here)
    assert read.since() == "0 1 0 1"
    monkeypatch.setattr(loaded, "partitions_key", lambda: "another shellgen")
    loaded.loaded(here)
    loaded.loaded(here)
    assert read.since() == "0 1"


def test_a_change_while_it_is_read_is_not_kept(
    here: Path, read: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(found: Any, *args: Any) -> Any:
        made = read(found, *args)
        if found.name.endswith("_0"):
            EDITS["weights"](here.parent)
        return made

    monkeypatch.setattr(network, "read_partition", changed)
    loaded.loaded(here)
    monkeypatch.setattr(network, "read_partition", read)
    read.since()
    again = answer(lambda: loaded.loaded(here))
    assert read.since() == "0"
    assert again == answer(lambda: system.load(here))


def test_a_model_that_changes_before_it_is_read(
    here: Path, read: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is opened when the build is located, before all else of its partition."""
    real = locate_build

    def located(*args: Any) -> Any:
        build = real(*args)
        model = build.found[0].model
        assert model
        content = model.path.read_bytes()
        model.path.write_bytes(content.replace(b"INT4", b"INT3", 1))
        return build

    monkeypatch.setattr(network, "locate_build", located)
    loaded.loaded(here)
    monkeypatch.setattr(network, "locate_build", real)
    read.since()
    again = answer(lambda: loaded.loaded(here))
    assert read.since().startswith("0")
    assert again == answer(lambda: system.load(here))


def entries(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / "cache" / reads.FOLDER).glob("*/*")


def test_a_damaged_entry_is_none(here: Path, read: Counted, tmp_path: Path) -> None:
    first = answer(lambda: loaded.loaded(here))
    for damage in (lambda text: text.replace(b"1", b"2", 1), lambda text: text[:-1], lambda _: b""):
        for entry in entries(tmp_path):
            entry.write_bytes(damage(entry.read_bytes()))
        read.since()
        assert answer(lambda: loaded.loaded(here)) == first
        assert read.since() == "0 1"


def test_clearing_no_place_and_bounds(
    here: Path, read: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded.loaded(here)
    assert len(list(entries(tmp_path))) == 2
    monkeypatch.setattr(reads, "MOST_BUILDS", 1)
    shutil.copytree(here.parent, tmp_path / "other")
    loaded.loaded(tmp_path / "other" / "cluster.toml")
    assert len(list((tmp_path / "cache" / reads.FOLDER).iterdir())) == 1
    clear(tmp_path / "cache", ("plans",))
    assert not list(entries(tmp_path))
    monkeypatch.setattr(reads, "MOST_BYTES", 10)
    loaded.loaded(here)
    assert not list(entries(tmp_path))
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("no folder")
    read.since()
    loaded.loaded(here)
    assert read.since() == "0 1"


def test_partitions_that_are_gone_are_removed(here: Path, tmp_path: Path) -> None:
    loaded.loaded(here)
    before = set(entries(tmp_path))
    found = reads.Reads("build", "own")
    found.find("a", "")
    found.keep("a", "", "{}", "", {})
    found.find("b", "")
    found.keep("b", "", "{}", "", {})
    assert len(set(entries(tmp_path)) - before) == 2
    less = reads.Reads("build", "own")
    less.find("a", "")
    less.close()
    assert len(set(entries(tmp_path)) - before) == 1


def test_warnings_are_said_again(
    here: Path, read: Counted, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warned(found: Any, *args: Any) -> Any:
        logging.getLogger("shellgen.read").warning("%s is odd", found.name)
        return read(found, *args)

    monkeypatch.setattr(network, "read_partition", warned)
    loaded.loaded(here)
    said = [record.getMessage() for record in caplog.records]
    caplog.clear()
    loaded.loaded(here)
    assert read.since() == "0 1"
    assert [record.getMessage() for record in caplog.records] == said
    assert len(said) == 2


def test_what_is_renamed_is_parsed_again(here: Path, read: Counted) -> None:
    """Two builds have modules of equal names; the later ones get others, and so do their users."""
    other = here.parent / "other"
    shutil.copytree(here.parent / "build", other)
    for source in other.rglob("ref_dot.sv"):
        source.write_text(source.read_text() + "// another one\n")
    nodes = [
        f'[[node]]\nname = "n{number}"\nboard = "zedboard"\npartitions = [{number}]\n' for number in range(4)
    ]
    here.write_text('build = ["build", "other"]\n' + "".join(nodes))
    first = answer(lambda: loaded.loaded(here))
    assert b"module ref_dot__" in b"".join(first[1].values())
    assert read.since() == "0 1 b1 b1"
    assert answer(lambda: loaded.loaded(here)) == first
    assert read.since() == ""
    assert first == answer(lambda: system.load(here))


def test_a_text_that_nothing_renames_is_not_parsed_again(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded.loaded(here)
    monkeypatch.setattr("shellgen.read.verilog._definitions", lambda *_: pytest.fail("parsed again"))
    loaded.loaded(here)


def test_names_that_are_no_utf8_are_not_kept(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = answer(lambda: loaded.loaded(here))
    monkeypatch.setattr(kept, "outlines", lambda *_: {"\udcff": Outline(defined=(), needs=(), inside={})})
    monkeypatch.setattr(loaded, "partitions_key", lambda: "other")
    assert answer(lambda: loaded.loaded(here)) == first
