# SPDX-License-Identifier: BSD-3-Clause
"""A good system to be damaged, and the one judgement on every refusal: tests/test_bad_input*.py."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar

import numpy as np
import onnx
import pytest

from shellgen.api import generate
from shellgen.cli import main
from shellgen.reference import execute, random_frames, reference_chain, synthetic_model

PARTS = ("StreamingDataflowPartition_0", "StreamingDataflowPartition_1")
CLUSTER = """name = "pair"
build = "build/parent.onnx"

[[node]]
name = "zed0"
board = "zedboard"
partitions = [0]

[[node]]
name = "zed1"
board = "zedboard"
partitions = [1]

[verify]
input = "input.npy"
output = "output.npy"
"""
LINK = '[[link]]\nfrom = "0"\nto = "1"\n'
LINE = re.compile(r"\.toml:\d+(?=: )")
_KEPT = TemporaryDirectory(prefix="shellgen_good_")  # removed at exit


@lru_cache(maxsize=1)
def good_system() -> Path:
    """Make the system once: build, cluster.toml, vectors and the output of a successful run."""
    folder = Path(_KEPT.name)
    model = synthetic_model([16, 12, 8, 4])
    reference_chain(model, folder / "build", 2)
    frames = random_frames("UINT4", 16, 4)
    np.save(folder / "input.npy", frames)
    np.save(folder / "output.npy", execute(model, frames))
    (folder / "cluster.toml").write_text(CLUSTER)
    generate(folder / "cluster.toml", folder / "out")
    return folder


Snapshot = dict[str, tuple[bytes, int]]


def snapshot(folder: Path) -> Snapshot:
    """Return content and time stamp of every file below a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@dataclass
class System:
    """A copy of the good system in the current folder; damage goes through its methods."""

    root: Path

    def cluster(self, *edits: tuple[str, str], add: str = "") -> None:
        """Replace pieces of cluster.toml, each of which must be there, and append to it."""
        self.text("cluster.toml", *edits)
        path = self.root / "cluster.toml"
        path.write_text(path.read_text() + "\n" + add)

    def text(self, name: str, *edits: tuple[str, str]) -> None:
        """Replace pieces of a text file."""
        path = self.root / name
        content = path.read_text()
        for old, new in edits:
            assert old in content, f"{name} has no {old!r}"
            content = content.replace(old, new, 1)
        path.write_text(content)

    def folders_only(self) -> None:
        """Make a build without a parent of it: one folder per partition, joined by a [[link]]."""
        (self.root / "build/parent.onnx").unlink()
        self.cluster(('"build/parent.onnx"', '"build"'), add=LINK)

    def model(self, name: str, change: Callable[[onnx.ModelProto], object]) -> None:
        """Change an ONNX file of the build."""
        path = self.root / "build" / name
        model = onnx.load(str(path))
        change(model)
        onnx.save(model, str(path))


Made = TypeVar("Made")


class Cases(Generic[Made]):
    """Faulty inputs by name: a function that makes each, and for each problem the pieces of its message.

    An instance is the decorator of what makes it; given a system, that damages it or returns a command.
    """

    def __init__(self) -> None:
        self.made: dict[str, tuple[Callable[[System], Made], tuple[tuple[str, ...], ...]]] = {}

    def __call__(
        self, *wanted: tuple[str, ...]
    ) -> Callable[[Callable[[System], Made]], Callable[[System], Made]]:
        def register(make: Callable[[System], Made]) -> Callable[[System], Made]:
            self.made[make.__name__] = (make, wanted)
            return make

        return register


def copy_system(to: Path) -> System:
    """Copy the good system by `cp`, which takes half of the time of `shutil.copytree`."""
    to.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", f"{good_system()}/.", to], check=True)
    return System(to)


MESSAGE = re.compile(r"^shellgen: error: (?P<where>.+?): (?P<found>.+)\. (?P<remedy>[A-Z`].+)\.$")


# What a slow machine gets to read besides: how far a command of more than a second is.
PROGRESS = re.compile(r"^\[ *[\d.]+ s\] .*\n", re.MULTILINE)
WARNING = re.compile(r"^shellgen: note: .*\n", re.MULTILINE)


def refusal(argv: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Run a command that must refuse, as text and as JSON; return its problems.

    Exit code 2, one line per problem, each with a place, a finding and a remedy; nothing on stdout but the
    JSON record; an earlier output is byte for byte and second for second what it was.
    """
    before, around = snapshot(Path("out")), sorted(Path().rglob("*"))
    capsys.readouterr()
    assert main(argv) == 2
    said = capsys.readouterr()
    assert said.out == ""
    err = WARNING.sub("", PROGRESS.sub("", said.err))
    text, _, paste = err.partition("\n\n")  # after the problems, what the user can paste
    lines = text.splitlines()
    assert lines
    for line in lines:
        assert MESSAGE.match(line), f"not a message of place, finding and remedy: {line}"
    problems = [line.removeprefix("shellgen: error: ") for line in lines]
    assert main([*argv, "--json"]) == 2
    records = capsys.readouterr().out.splitlines()
    assert len(records) == 1
    record = json.loads(records[0])
    assert {"ok": record["ok"], "problems": record["problems"]} == {"ok": False, "problems": problems}
    assert paste.endswith(record.get("paste", ""))
    assert bool(paste) == ("paste" in record)
    assert snapshot(Path("out")) == before
    assert sorted(Path().rglob("*")) == around
    return problems


def expect(problems: list[str], *wanted: tuple[str, ...]) -> None:
    """As many problems as wanted, and each has all its pieces: file, field, finding, remedy.

    Lines of a TOML file are left out: tests/test_toml_line.py is about them.
    """
    problems = [LINE.sub(".toml", problem) for problem in problems]
    shown = "\n".join(problems)
    assert len(problems) == len(wanted), shown
    for pieces in wanted:
        assert any(all(piece in problem for piece in pieces) for problem in problems), (
            f"{pieces} not in:\n{shown}"
        )
