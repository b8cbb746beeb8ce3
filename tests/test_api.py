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
from shellgen.api import Cluster, SplitOptions, generate, load, weights
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

import shellgen
from shellgen import Cluster, ShellgenError, SimulateOptions, generate, simulate, weights
from shellgen.api import load


def prove(cluster: str, out: Path) -> bool:
    plan, network, files = load(Cluster(cluster, out))
    assert shellgen.plan(cluster) == plan
    names: list[str] = [node.name for node in plan.nodes]
    plan, written = generate(cluster, out, print, force=True)
    count: int = written.changed + len(names) + weights(Path(cluster), "w")[0]
    try:
        report = simulate(str(out), "verilator", SimulateOptions(frames=4))
    except ShellgenError as error:
        return not error.problems
    return report.passed and count > 0
"""
DIGITS = Path(__file__).parents[1] / "examples" / "digits"
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


@pytest.mark.recorded
def test_examples_of_the_docstrings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The docstrings of `shellgen.api` are run, on a pair of boards, and every function has an example."""
    copy_system(tmp_path)
    cluster = tmp_path / "cluster.toml"
    given = {"cluster": cluster, "out": tmp_path / "out", "text": cluster.read_text(), "folder": tmp_path}
    names = ("plan", "generate", "estimate", "simulate", "check", "weights", "Cluster")
    for where in (api, shellgen, *(getattr(api, name) for name in names)):
        assert ran(where, given) > 0, capsys.readouterr().out
    assert not capsys.readouterr().out


@pytest.mark.finn
def test_the_example_of_split(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(api.split, {"model": DIGITS / "digits.onnx"}) == 2
    assert not capsys.readouterr().out


def ran(where: object, given: dict[str, object]) -> int:
    """Run the examples of one docstring; return how many there are."""
    name = getattr(where, "__qualname__", None) or getattr(where, "__name__", "")
    space = {**vars(api), "shellgen": shellgen, **given}
    (found,) = doctest.DocTestFinder(recurse=False).find(where, name, globs=space)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    return runner.run(found).attempted


@pytest.mark.parametrize("before", ["", "import shellgen.simulate.cluster, shellgen.plan, shellgen.check"])
def test_names_of_the_package(before: str) -> None:
    """All names are there, whether or not the packages of the same names are imported before."""
    program = f"""
import inspect, sys
import shellgen
assert {{"numpy", "pydantic", "onnx"}}.isdisjoint(sys.modules), "import shellgen takes long"
{before}
assert set(shellgen.__all__) <= set(dir(shellgen))
from shellgen import *
from shellgen import api
assert shellgen.simulate is simulate and callable(simulate) and callable(shellgen.check)
assert list(inspect.signature(plan).parameters) == ["cluster", "overfull"]
assert shellgen.generate is api.generate and SimulateOptions(frames=3).frames == 3
import shellgen.simulate.cluster as inner
assert shellgen.simulate.cluster is inner
try:
    plan("none.toml")
except ShellgenError as error:
    print(error)
try:
    shellgen.plam
except AttributeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    assert len(said) == 2, done.stderr
    assert said[0].startswith("none.toml: there is no such file")
    assert said[1] == "module 'shellgen' has no attribute 'plam'"


def test_a_text_is_what_its_file_is(tmp_path: Path) -> None:
    copy_system(tmp_path)
    text = (tmp_path / "cluster.toml").read_text()
    cluster = Cluster(text, tmp_path)
    assert shellgen.plan(cluster) == shellgen.plan(tmp_path / "cluster.toml")
    assert generate(cluster, tmp_path / "out")[1].changed == 0
    assert shellgen.estimate(cluster).frames_per_second > 0
    for old, new, said in (
        ("[[node]]", "[node", "the text of the cluster: is not TOML: "),
        ('"zedboard"', '"zedbord"', "the text of the cluster: node[0].board: "),
    ):
        with pytest.raises(ShellgenError, match=re.escape(said)):
            shellgen.plan(Cluster(text.replace(old, new, 1), tmp_path))
    with pytest.raises(InputError, match="--goal: got 'most'"):
        shellgen.split("model.onnx", ["zedboard"], SplitOptions(goal="most"))  # type: ignore[arg-type]


def test_the_samples_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python in docs/commands.md runs as it stands, but for what belongs to FINN's own flow."""
    copy_system(tmp_path)
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[1] / "docs" / "commands.md").read_text()
    samples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    ran = [sample for sample in samples if "DataflowBuildConfig" not in sample]
    assert (len(samples), len(ran)) == (4, 3)
    for sample in ran[1:]:  # the first one simulates, as an example of a docstring does
        exec(compile(sample, "commands.md", "exec"), {})  # noqa: S102 - our own page
    assert (tmp_path / "build_core" / "sim.vvp").is_file()
    exec(compile(ran[0].partition("report =")[0], "commands.md", "exec"), {})  # noqa: S102


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
