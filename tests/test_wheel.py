# SPDX-License-Identifier: BSD-3-Clause
"""The wheel works on its own: installed elsewhere, run from elsewhere, nothing taken from the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from cluster_bench import Chain
from foreign_package import UV
from hatchling.builders.wheel import WheelBuilder
from waiting import PATIENCE

ROOT = Path(__file__).parents[1]
PARTS = (
    "shellgen",
    "vivado_check",
    "templates",
    "ip",
    "sim",
    "boards",
    "host",
    "examples",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "NOTICE",
)
SMALL = Chain(
    widths=(4, 4, 3),
    activations="UINT3",
    folds=((2, 2, 2), (3, 2, 1)),
    cuts=(0, 1),
    nodes=(("one", "zedboard", (0,)), ("two", "zcu104", (1,))),
    writeable=(0,),
)
# Runs in the installed environment: the library, from model to report.
SCRIPT = """
import json, pathlib, sys
import numpy as np
import shellgen.api, shellgen.reference as r
from shellgen.resources import data_dir
folding = r.ReferenceFolding.model_validate_json(pathlib.Path("folding.json").read_text())
model = pathlib.Path("model.onnx")
r.build_reference(model, folding, (0, 1), pathlib.Path("build"))
np.save("out.npy", r.execute(model, np.load("in.npy")))
shellgen.api.generate(pathlib.Path("cluster.toml"), pathlib.Path("out"))
names = ("templates", "ip", "sim", "boards")
print(json.dumps({"path": sys.path, "data": [str(data_dir(name)) for name in names]}))
"""
# A user's own test file. What cannot be planned is a case that fails, and says why.
CASES = """
from shellgen.testing import cluster_cases

TestShells = cluster_cases("cluster.toml", simulator="icarus", frames=2, full_rate=False)
TestWrong = cluster_cases("wrong.toml", simulator="icarus")
"""


@dataclass(frozen=True)
class Installed:
    """A virtual environment with the wheel in it, and a working folder outside the checkout."""

    folder: Path
    bin: Path
    work: Path

    def run(self, *command: str, code: int = 0) -> str:
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        ran = subprocess.run(
            [str(self.bin / command[0]), *command[1:]],
            cwd=self.work,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build from a copy, without what other runs may have left in the checkout."""
    copy = tmp_path_factory.mktemp("source")
    skip = shutil.ignore_patterns("__pycache__", "out", "run_verilator*", "run_icarus*")
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=skip)
        else:
            shutil.copy(source, copy / name)
    return Path(next(WheelBuilder(str(copy)).build(directory=str(tmp_path_factory.mktemp("wheel")))))


def venv_with(folder: Path, wheel: Path) -> Installed:
    """Only the wheel is new; what it needs is taken from the present environment, last in the path."""
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    bin_dir = folder / "venv" / "bin"
    uv = [str(UV), "pip", "install", "--python", str(bin_dir / "python")]
    install = [*uv, "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, cwd=folder, timeout=PATIENCE)
    site = next((folder / "venv" / "lib").glob("python*/site-packages"))
    # A folder named in a .pth file is not searched for further .pth files: no editable install is seen.
    (site / "present.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    work = folder / "work"
    work.mkdir()
    return Installed(folder, bin_dir, work)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install shellgen itself, elsewhere."""
    return venv_with(tmp_path_factory.mktemp("elsewhere"), wheel)


def test_vivado_check_stands_alone(tmp_path: Path) -> None:
    """Its own wheel, where no shellgen is to be found: the command runs."""
    source = tmp_path / "vivado_check"
    shutil.copytree(ROOT / "vivado_check", source, ignore=shutil.ignore_patterns("__pycache__", "dist"))
    built = next(WheelBuilder(str(source)).build(directory=str(tmp_path)))
    names = zipfile.ZipFile(built).namelist()
    data = [path for path in (ROOT / "vivado_check").rglob("*.json") if "tests" not in path.parts]
    assert {path.relative_to(ROOT).as_posix() for path in data} <= set(names)
    assert not [name for name in names if "/tests/" in name or "pyproject" in name or "__pycache__" in name]
    alone = venv_with(tmp_path, Path(built))
    (alone.work / "a.tcl").write_text("create_bd_design d\ncreate_bd_cell -vlnv xilinx.com:ip:ila:6.2 i\n")
    assert "a.tcl: 1 error" in alone.run("vivado-check", "a.tcl", code=1)
    alone.run("python", "-c", "import shellgen.errors", code=1)


def test_everything_needed_is_in_the_wheel(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    for folder, pattern in (("templates", "*.j2"), ("sim", "*.sv"), ("boards", "*.toml")):
        files = [path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob(pattern)]
        assert files
        assert {f"shellgen/_data/{name}" for name in files} <= packed
    sources = ROOT / "host" / "node"
    node = [path.relative_to(sources).as_posix() for path in sources.rglob("*") if path.is_file()]
    client = [path.name for path in (ROOT / "host" / "shellgen_host").glob("*.py")]
    assert len(node) > 10
    assert {f"shellgen/_data/host/node/{name}" for name in node} <= packed
    assert {f"shellgen_host/{name}" for name in client} <= packed
    assert not [name for name in packed if name.startswith("host/")]
    beside = {f"vivado_check/{name}" for name in ("pyproject.toml", "README.md", "CHANGELOG.md")}
    for path in (*(ROOT / "shellgen").rglob("*"), *(ROOT / "vivado_check").rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if name in beside or name.startswith(
            ("vivado_check/tests/", "vivado_check/.")
        ):  # of the package by itself
            assert name not in packed
        elif path.is_file() and "__pycache__" not in path.parts:
            assert name in packed
    assert not [name for name in packed if "__pycache__" in name]


def test_of_the_blocks_only_the_goods_are_in_the_wheel(wheel: Path) -> None:
    """RTL, registers and constraints; no bench, proof, price or picture. What is new here must be chosen."""
    archive = zipfile.ZipFile(wheel)
    inside = "shellgen/_data/ip/"
    packed = {
        info.filename.removeprefix(inside): info for info in archive.infolist() if inside in info.filename
    }
    blocks = [file for file in (ROOT / "ip").rglob("*.sv") if file.stem == file.parent.name]
    goods = [*blocks, *(ROOT / "ip" / "layers").glob("layer_*.sv")]
    goods += [file for name in ("registers.json", "*.tcl") for file in (ROOT / "ip").rglob(name)]
    assert len(blocks) > 30
    assert set(packed) == {file.relative_to(ROOT / "ip").as_posix() for file in goods}
    assert sum(info.compress_size for info in packed.values()) < 220_000
    assert wheel.stat().st_size < 3_200_000  # a third of it are facts of IP


def test_registers_beside_cores_are_in_the_wheel(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    units = [file.relative_to(ROOT).as_posix() for file in (ROOT / "sim").rglob("vendor/*/registers.json")]
    assert len(units) >= 2
    assert {f"shellgen/_data/{name}" for name in units} <= packed


def test_lists_boards(installed: Installed) -> None:
    listed = json.loads(installed.run("shellgen", "list", "boards", "--json"))["boards"]
    assert listed == sorted(path.stem for path in (ROOT / "boards").glob("*.toml"))


@pytest.mark.sweep  # half a minute; what the wheel lacks is seen by the tests above
@pytest.mark.xdist_group("wheel")
def test_from_model_to_report(installed: Installed) -> None:
    """Reference build, plan, generate and simulate, all from the installed copy."""
    SMALL.write_model(installed.work)
    ran = json.loads(installed.run("python", "-c", SCRIPT))
    inside = str(installed.folder)
    assert all(data.startswith(inside) for data in ran["data"])
    assert not [path for path in ran["path"] if path and Path(path).resolve() == ROOT]
    report = json.loads(
        installed.run("shellgen", "simulate", "out", "--simulator", "icarus", "--no-walk", "--json")
    )
    assert report["passed"]
    assert {v["mismatches"] for v in report["stalled"]["verdicts"]} == {0}
    assert "golden" in {v["name"] for v in report["stalled"]["verdicts"]}
    (installed.work / "test_shells.py").write_text(CASES)
    (installed.work / "wrong.toml").write_text('build = "nowhere"\n')
    command = ("python", "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rsf", "--rootdir", ".")
    said = installed.run(*command, code=1)
    assert "1 failed, 10 passed, 6 skipped" in said, said
    assert "FAILED test_shells.py::TestWrong::test[run: build]" in said
    assert "wrong.toml: node: " in said
    assert "Traceback" not in said
    again = installed.run("shellgen", "generate", "cluster.toml", "-o", "out")
    assert " 0 files written" in again
    golden = sorted((installed.work / "out" / "bench").glob("golden_*.npy"))
    assert [np.load(path).shape for path in golden] == [(5, 4), (5, 3)]
