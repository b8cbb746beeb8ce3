# SPDX-License-Identifier: BSD-3-Clause
"""Same input, same bytes: in any folder, for any user, any number of times."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from cluster_bench import MIXED, write_cluster

from shellgen.api import generate
from shellgen.errors import ShellgenError
from shellgen.model import Plan

LONG_AGO = 1_000_000_000


def content(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with inputs and ``out``."""
    folder = tmp_path_factory.mktemp("first")
    MIXED.generate(folder)
    return folder


@pytest.fixture
def inputs(first: Path, tmp_path: Path) -> Path:
    """The same inputs elsewhere, nothing generated."""
    folder = tmp_path / "some where else"
    shutil.copytree(first, folder, ignore=shutil.ignore_patterns("out"))
    return folder


def test_two_folders_get_the_same_bytes(first: Path, inputs: Path) -> None:
    """Other absolute path, other working directory, relative arguments, another hash seed and locale."""
    code = "import pathlib, shellgen.api as a; a.generate(pathlib.Path('cluster.toml'), pathlib.Path('o'))"
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    subprocess.run([sys.executable, "-c", code], cwd=inputs, env=environment, check=True)
    made = content(inputs / "o")
    assert len(made) > 50
    assert made == content(first / "out")


def test_nothing_of_the_machine_is_in_the_output(first: Path) -> None:
    for name, data in content(first / "out").items():
        for mark in (str(first), str(Path.cwd()), str(Path.home()) + "/", socket.gethostname()):
            assert len(mark) < 4 or mark.encode() not in data, f"{name} holds {mark}"


def test_again_writes_nothing(first: Path, inputs: Path) -> None:
    out = inputs / "out"
    shutil.copytree(first / "out", out)
    for path in out.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    _, written = generate(inputs / "cluster.toml", out)
    assert (written.changed, written.removed) == (0, ())
    assert written.unchanged == len(content(out))
    assert {path.stat().st_mtime for path in out.rglob("*") if path.is_file()} == {LONG_AGO}


def test_plan_json_is_the_whole_plan(first: Path) -> None:
    text = (first / "out" / "plan.json").read_text()
    plan = Plan.model_validate_json(text)
    assert plan.to_json() == text
    assert [node.name for node in plan.nodes] == ["zed", "zcu"]


def test_a_node_that_is_gone_leaves_no_files(first: Path, inputs: Path) -> None:
    out = inputs / "out"
    shutil.copytree(first / "out", out)
    (out / "zcu" / "vivado.log").write_text("mine")
    before = content(out)
    write_cluster(inputs, [("zed", "zedboard", (0, 1, 2))])
    _, written = generate(inputs / "cluster.toml", out)
    assert "zcu/zcu_core.v" in written.removed
    assert set(written.removed) == set(before) - set(content(out))
    assert [path for path in content(out) if path.startswith("zcu/")] == ["zcu/vivado.log"]
    assert set(json.loads((out / "manifest.json").read_text())) == set(content(out)) - {
        "manifest.json",
        "zcu/vivado.log",
    }


@pytest.mark.parametrize(
    "break_it",
    [
        lambda folder: write_cluster(folder, [("zed", "zedboard", (0, 1))]),
        lambda folder: write_cluster(folder, [("zed", "no-such-board", (0, 1, 2))]),
        lambda folder: (folder / "cluster.toml").write_text("build = "),
        lambda folder: shutil.rmtree(folder / "build" / "partition_1"),
        lambda folder: (folder / "in.npy").unlink(),
        lambda folder: (folder / "build" / "partition_2.onnx").write_text("no model"),
    ],
    ids=["plan", "board", "toml", "partition", "vectors", "onnx"],
)
def test_a_failed_run_touches_nothing(first: Path, inputs: Path, break_it: object) -> None:
    out = inputs / "out"
    shutil.copytree(first / "out", out)
    assert callable(break_it)
    break_it(inputs)
    before = content(out)
    with pytest.raises(ShellgenError):
        generate(inputs / "cluster.toml", out)
    assert content(out) == before
    assert [p.name for p in inputs.iterdir() if p.name.startswith(".")] == []
