# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen waves`: which dump is opened, by which viewer, with which arguments; and without a viewer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shellgen.cli import main
from shellgen.simulate.viewer import VIEWERS


def viewer(folder: Path, name: str, code: int = 0) -> None:
    """Write a program that prints its name and arguments, one a line."""
    path = folder / name
    path.write_text(f'#!/bin/sh\nprintf "%s\\n" {name} "$@" > "{folder}/started"\necho noise\nexit {code}\n')
    path.chmod(0o755)


def run_of(out: Path, simulator: str, kind: str, *, passed: bool | None = True) -> Path:
    folder = out / "bench" / f"run_{simulator}"
    folder.mkdir(parents=True)
    for suffix in (kind, "gtkw", "sucl"):
        (folder / f"waves.{suffix}").touch()
    (folder / "report.json").write_text("[" if passed is None else json.dumps({"passed": passed}))
    return folder / f"waves.{kind}"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as PATH, for viewers; the shell of their first line has a path of its own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_the_dump_and_its_view_are_opened(
    tmp_path: Path, programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a folder"
    dump = run_of(out, "verilator", "fst")
    viewer(programs, "gtkwave")
    assert main(["waves", str(out)]) == 0
    started = (programs / "started").read_text().splitlines()
    assert started == ["gtkwave", str(dump), str(dump.with_suffix(".gtkw"))]
    assert capsys.readouterr().out == f"gtkwave '{dump}' '{dump.with_suffix('.gtkw')}'\n"
    viewer(programs, "surfer")
    assert main(["waves", str(out), "--json"]) == 0
    started = (programs / "started").read_text().splitlines()
    assert started == ["surfer", "-c", str(dump.with_suffix(".sucl")), str(dump)]
    assert json.loads(capsys.readouterr().out)["file"] == str(dump), "a viewer's own output is not ours"
    for name in VIEWERS:
        assert main(["waves", str(out), "--viewer", name]) == 0
        assert (programs / "started").read_text().splitlines()[0] == name
    for view in ("sucl", "gtkw"):
        dump.with_suffix(f".{view}").unlink()
    assert main(["waves", str(out)]) == 0
    assert (programs / "started").read_text().splitlines() == ["surfer", str(dump)]


def test_the_run_that_failed_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dumps = {
        "verilator": run_of(tmp_path, "verilator", "vcd"),
        "icarus": run_of(tmp_path, "icarus", "fst", passed=False),
    }

    def opened(*options: str) -> str:
        assert main(["waves", str(tmp_path), "--print", "--viewer", "surfer", *options]) == 0
        return capsys.readouterr().out.split()[-1]

    assert opened() == str(dumps["icarus"])
    assert opened("--simulator", "verilator") == str(dumps["verilator"])
    for report in ('{"passed": true}', "[", "[]"):  # a report that cannot be read says nothing
        (dumps["icarus"].parent / "report.json").write_text(report)
        assert opened() == str(dumps["verilator"])


def test_without_a_viewer_the_command_is_printed(
    tmp_path: Path, programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = run_of(tmp_path, "icarus", "fst")
    assert main(["waves", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert [line.split()[0] for line in said.out.splitlines()] == list(VIEWERS)
    assert "shellgen: error: PATH: neither Surfer nor GTKWave is there. Install " in said.err
    viewer(programs, "surfer", code=3)
    assert main(["waves", str(tmp_path), "--viewer", "gtkwave"]) == 2
    assert "gtkwave is not there" in capsys.readouterr().err
    assert main(["waves", str(tmp_path)]) == 1
    assert "shellgen: surfer ended with 3: surfer -c " in capsys.readouterr().err
    dump.unlink()
    assert main(["waves", str(tmp_path), "--simulator", "icarus"]) == 2
    assert "run_icarus: there are no waves. Run `shellgen simulate" in capsys.readouterr().err
    assert main(["waves", str(tmp_path / "nowhere")]) == 2
    assert "the folder is missing" in capsys.readouterr().err
