# SPDX-License-Identifier: BSD-3-Clause
"""The library in the eyes of a program of somebody else: paths as text, types, names."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from bad_input import copy_system

import shellgen
from shellgen import api
from shellgen.api import generate, load, weights
from shellgen.build.run import BuildOptions, build
from shellgen.check.run import Options, check
from shellgen.disk.manifest import read_manifest
from shellgen.errors import InputError, ShellgenError
from shellgen.init import import_floorplan, start_cluster
from shellgen.read.output import read_map, read_memory_map, read_plan
from shellgen.reference import reference_model
from shellgen.simulate.cluster import simulate
from shellgen.stitch import list_layers, stitch_model

PROGRAM = """
from pathlib import Path

from shellgen.api import generate, load, weights
from shellgen.errors import ShellgenError
from shellgen.simulate.cluster import SimulateOptions, simulate


def prove(cluster: str, out: Path) -> bool:
    plan, network, files = load(cluster)
    names: list[str] = [node.name for node in plan.nodes]
    plan, written = generate(cluster, out, print, force=True)
    count: int = written.changed + len(names) + weights(Path(cluster), "w")[0]
    try:
        report = simulate(str(out), "verilator", SimulateOptions(frames=4))
    except ShellgenError as error:
        return not error.problems
    return report.passed and count > 0
"""
WRONG = 'from shellgen.api import generate\n\ngenerate(7, "out")\n'


class OnPath(os.PathLike[str]):
    """A path of a kind that nobody here knows."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __fspath__(self) -> str:
        return self.path


@pytest.mark.parametrize("kind", [str, Path, OnPath])
def test_paths_of_any_kind(tmp_path: Path, kind: type) -> None:
    copy_system(tmp_path)
    cluster, out = kind(tmp_path / "cluster.toml"), kind(tmp_path / "out")
    plan = load(cluster)[0]
    assert generate(cluster, out)[0] == plan == read_plan(out)
    assert weights(cluster, kind(tmp_path / "w"))
    assert read_map(out).cluster == read_memory_map(out)["cluster"]
    assert start_cluster(kind(tmp_path / "build"), kind(tmp_path)).partitions
    assert "manifest.json" not in read_manifest(out)
    missing = kind(tmp_path / "missing")
    for call in (
        lambda: simulate(missing, "icarus", labels=missing, cache_dir=missing),
        lambda: build(missing, BuildOptions()),
        lambda: check(missing, Options()),
        lambda: reference_model(missing, missing, missing, missing),
        lambda: stitch_model(missing, missing, missing, missing, finn_env=missing),
        lambda: list_layers(missing, finn_env=missing),
        lambda: import_floorplan(missing, "zedboard"),
    ):
        with pytest.raises((InputError, ShellgenError)):
            call()


def test_examples_of_the_docstrings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The docstrings of `shellgen.api` are run, on a pair of boards, and every function has an example."""
    copy_system(tmp_path)
    given = {"cluster": tmp_path / "cluster.toml", "out": tmp_path / "out"}
    found = doctest.testmod(api, extraglobs=given, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0, capsys.readouterr().out
    for name in ("plan", "generate", "estimate", "simulate", "check"):
        assert re.search(rf">>> .*\b{name}\(", str(getattr(api, name).__doc__)), name


def test_names() -> None:
    for name in ("shellgen", "shellgen.api", "shellgen.stitch", "shellgen.reference", "shellgen.init"):
        module = import_module(name)
        assert all(hasattr(module, one) for one in module.__all__), name
    assert (Path(shellgen.__file__).parent / "py.typed").is_file()


@pytest.mark.sweep
def test_mypy_on_a_program_of_somebody_else(tmp_path: Path) -> None:
    """With no settings, in a folder of its own: `py.typed` is all that mypy goes by."""
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]

    def mypy(name: str) -> str:
        return subprocess.run(
            [*command, name], cwd=tmp_path, capture_output=True, text=True, check=False
        ).stdout

    assert mypy("right.py") == "Success: no issues found in 1 source file\n"
    assert 'Argument 1 to "generate" has incompatible type "int"' in mypy("wrong.py")
