# SPDX-License-Identifier: BSD-3-Clause
"""Every command's ordinary use: what it prints, as text and as JSON, what it writes and how it exits."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from bad_input import PARTS, PROGRESS, System, copy_system, snapshot
from pydantic import Field

from shellgen import __version__
from shellgen.cli import entry, main
from shellgen.cli.command import Answer, ended
from shellgen.cli.entry import parser
from shellgen.cli.estimate import estimate_record
from shellgen.cli.fit import fit_records, fit_table
from shellgen.estimate import estimate
from shellgen.links import link_registry
from shellgen.model import Plan
from shellgen.model.base import Frozen
from shellgen.model.names import Word
from shellgen.platforms import platform_registry
from shellgen.resources import data_dir

COMMANDS = tuple(next(a.choices for a in parser()._actions if isinstance(a.choices, dict)))
DIGITS = data_dir("examples") / "digits"
ROOT = Path(__file__).parents[1]


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.chdir(tmp_path)
    return copy_system(tmp_path)


Said = pytest.CaptureFixture[str]


@pytest.mark.parametrize("command", COMMANDS)
def test_parser_of_one_command(command: str) -> None:
    """A command line that names a command needs no other module, and the help is the same."""
    words = ["--json", command]
    found, known = (
        next(a.choices for a in p._actions if isinstance(a.choices, dict)) for p in (parser(words), parser())
    )
    assert found[command].format_help() == known[command].format_help()
    assert tuple(found) in {*entry._MODULES.values(), COMMANDS}
    assert (tuple(found) == COMMANDS) == (command in {"completion", "help"})


@pytest.mark.parametrize("words", [["--", "plan"], ["-5", "plan"], ["--quiet", "plna"], []])
def test_parser_of_all_commands(words: list[str]) -> None:
    assert tuple(next(a.choices for a in parser(words)._actions if isinstance(a.choices, dict))) == COMMANDS


def text_of(capsys: Said, *argv: str) -> str:
    """Run a command that must succeed in silence on stderr; return stdout."""
    capsys.readouterr()
    assert main(argv) == 0
    said = capsys.readouterr()
    assert PROGRESS.sub("", said.err) == ""
    return said.out


def json_of(capsys: Said, *argv: str) -> dict[str, Any]:
    """Run a command with --json: one line, one record."""
    lines = text_of(capsys, *argv, "--json").splitlines()
    assert len(lines) == 1
    record = json.loads(lines[0])
    assert isinstance(record, dict)
    return record


def test_plan_writes_the_plan_and_the_manifest(at: System, capsys: Said) -> None:
    said = text_of(capsys, "plan", "cluster.toml", "-o", "fresh")
    assert sorted(snapshot(at.root / "fresh")) == ["manifest.json", "plan.json"]
    plan = Plan.model_validate_json((at.root / "fresh/plan.json").read_text())
    first, *table, last = said.splitlines()
    assert first == "fresh/plan.json: 2 nodes, 3 streams"
    assert table == ["", *fit_table(plan), "", *estimate(plan).sentences(), ""]
    assert last == "next: shellgen generate cluster.toml -o fresh"
    record = json_of(capsys, "plan", "cluster.toml", "-o", "fresh")
    assert record.pop("fit") == fit_records(plan)
    assert record.pop("estimate") == estimate_record(estimate(plan))
    assert record == {"ok": True, "cluster_id": plan.cluster_id, "nodes": ["zed0", "zed1"], "notes": []}


def test_plan_leaves_what_generate_wrote(at: System, capsys: Said) -> None:
    before = snapshot(at.root / "out")
    text_of(capsys, "plan", "cluster.toml", "-o", "out")
    assert snapshot(at.root / "out") == before
    at.cluster(('name = "pair"', 'name = "other"'))
    text_of(capsys, "plan", "cluster.toml", "-o", "out")
    after = snapshot(at.root / "out")
    assert {name for name in after if after[name] != before[name]} == {"plan.json", "manifest.json"}
    assert set(after) == set(before)


def test_generate(at: System, capsys: Said) -> None:
    first = text_of(capsys, "generate", "cluster.toml", "-o", "fresh")
    files = snapshot(at.root / "fresh")
    plan = Plan.model_validate_json(files["plan.json"][0])
    note = "golden: 4 frames of [verify], and the model's ONNX agrees"
    assert first.splitlines() == [
        f"fresh: {len(files)} files written, 0 unchanged, cluster {plan.cluster_id}",
        f"  {note}",
        "",
        "node  board     port      bytes/frame  other end  registers",
        "zed0  zedboard  s_axis_0            8  host       0x40000000, 8 KiB, 4 memories",
        "                m_axis_0            4  zed1",
        "zed1  zedboard  s_axis_0            4  zed0       0x40000000, 8 KiB, 1 memory",
        "                m_axis_0            8  host",
        "",
        *fit_table(plan),
        "",
        *estimate(plan).sentences(),
        "",
        "report: fresh/report.html",
        "next: shellgen simulate fresh",
    ]
    again = json_of(capsys, "generate", "cluster.toml", "-o", "fresh")
    nodes = again.pop("nodes")
    assert again.pop("fit") == fit_records(plan)
    assert again.pop("estimate") == estimate_record(estimate(plan))
    told = {
        "cluster_id": plan.cluster_id,
        "written": 0,
        "overwritten": [],
        "replaced": "",
        "golden": note,
        "notes": [],
    }
    told |= {"golden": note, "notes": [], "report": "fresh/report.html"}
    assert again == {"ok": True, **told, "next": "shellgen simulate fresh"}
    assert [(node["name"], len(node["ports"])) for node in nodes] == [("zed0", 2), ("zed1", 2)]
    assert snapshot(at.root / "fresh") == files
    manifest = json.loads(files["manifest.json"][0])
    assert {*manifest, "manifest.json"} == set(files)


def test_generate_twice_gives_equal_bytes(at: System, capsys: Said) -> None:
    text_of(capsys, "generate", "cluster.toml", "-o", "elsewhere/deep/fresh")
    fresh, good = snapshot(at.root / "elsewhere/deep/fresh"), snapshot(at.root / "out")
    assert {name: content for name, (content, _) in fresh.items()} == {
        name: content for name, (content, _) in good.items()
    }


def test_generate_reports_that_it_replaces_another_cluster(at: System, capsys: Said) -> None:
    at.cluster(('name = "pair"', 'name = "other"'))
    assert "  replaced the output of another cluster, pair\n" in text_of(
        capsys, "generate", "cluster.toml", "-o", "out"
    )
    assert "replaced" not in text_of(capsys, "generate", "cluster.toml", "-o", "out")
    at.cluster(('name = "zed0"', 'name = "left"'), ('name = "zed1"', 'name = "right"'))
    assert json_of(capsys, "generate", "cluster.toml", "-o", "out")["replaced"] == "other"


def test_generate_removes_what_is_produced_no_longer(at: System, capsys: Said) -> None:
    (at.root / "out/zed1/vivado/project").mkdir()
    (at.root / "out/zed1/vivado/project/mine.xpr").write_text("of Vivado\n")
    at.cluster(('name = "zed1"', 'name = "edge"'))
    said = text_of(capsys, "generate", "cluster.toml", "-o", "out")
    assert "  removed zed1/zed1_core.v, which is no longer produced\n" in said
    assert not (at.root / "out/zed1/zed1_core.v").exists()
    assert (at.root / "out/edge/edge_core.v").exists()
    assert (at.root / "out/zed1/vivado/project/mine.xpr").read_text() == "of Vivado\n"


def test_dry_run_lists_and_writes_nothing(at: System, capsys: Said) -> None:
    listed = text_of(capsys, "generate", "cluster.toml", "-o", "fresh", "--dry-run").splitlines()
    assert not (at.root / "fresh").exists()
    assert {*listed, "manifest.json"} == set(snapshot(at.root / "out"))
    record = json_of(capsys, "generate", "cluster.toml", "-o", "fresh", "--dry-run")
    assert (record["ok"], record["files"]) == (True, listed)


def test_map(at: System, capsys: Said) -> None:
    lines = text_of(capsys, "map", "out").splitlines()
    assert lines[0].split() == ["address", "bytes", "node", "region", "contents"]
    weights = next(line for line in lines if f"{PARTS[0]}_s_axilite_0" in line)
    assert "MVAU_rtl_0" in weights
    assert "x 128 bits" in weights
    assert "axi_intc_0" in "".join(lines)
    assert any("axi_dma_0" in line and "DMA to stream 0, from stream 1" in line for line in lines)
    places = [(line.split()[2], int(line.split()[0], 16)) for line in lines[1:] if line.startswith("0x")]
    assert places == sorted(places)
    record = json_of(capsys, "map", "out")
    assert record == {"ok": True, **json.loads((at.root / "out/memory_map.json").read_text())}


@pytest.mark.parametrize(
    ("what", "name", "told"),
    [
        ("boards", "zedboard", "xc7z020clg484-1 zynq Avnet Digilent ZedBoard"),
        ("links", "tcp_dma", "AXI DMA to DDR, TCP between the Arm cores"),
        ("platforms", "zynq", "Zynq-7000 and Zynq UltraScale+"),
    ],
)
def test_list(what: str, name: str, told: str, capsys: Said) -> None:
    table, *_ = text_of(capsys, "list", what).split("\n\n")
    names = [line.split()[0] for line in table.splitlines()[1:] if line[0] != " "]
    assert any(line.startswith(name) and told in " ".join(line.split()) for line in table.splitlines())
    record = json_of(capsys, "list", what)
    assert record[what] == names
    if what == "boards":
        files = {entry["name"]: Path(entry["file"]) for entry in record["files"]}
        assert set(files) == set(names)
        assert f'name = "{name}"' in files[name].read_text()


@pytest.mark.parametrize("registry", [link_registry(), platform_registry()])
def test_everything_that_can_be_chosen_explains_itself(registry: dict[str, Any]) -> None:
    for kind in registry.values():
        assert kind.about, kind.kind
        assert kind.needs, kind.kind


def test_options_and_parameters_are_listed(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text follows from the record that reads the options."""

    class Inner(Frozen):
        deep: int = 1

    class Tuned(Frozen):
        window: int = 4
        depth: int = Field(ge=2, lt=9)
        ratio: float | None = Field(default=None, gt=0)
        mode: Literal["a", "b"] = "b"
        fixed: Literal[3] = 3
        many: Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] = 0
        name: Word | None = None
        files: tuple[Inner, ...] = ()
        inner: Inner = Inner()
        either: Annotated[int, Field(ge=1)] | bool = True

    link = link_registry()["tcp_dma"]
    monkeypatch.setattr(type(link), "Options", Tuned)
    record = json_of(capsys, "list", "links")["about"]["tcp_dma"]
    assert record["options"] == (
        "window (number; default 4), depth (2 to 8; required), ratio (above 0), "
        'mode ("a", "b"; default "b"), fixed (3; default 3), '
        "many (0, 1, 2, 3, 4, 5, 6, 7, 8, 2 more; default 0), name (text), files (list), inner (table), "
        "either (from 1 or true or false; default true)"
    )
    assert record["parameters"] == [f"tcp_dma.{parameter}" for parameter in link.parameters]
    assert "tcp_dma.latency" in text_of(capsys, "list", "links")


def test_reference(at: System, capsys: Said) -> None:
    images = np.arange(4 * 64).reshape(4, 8, 8) % 16
    np.save(at.root / "images.npy", images)
    files = [str(DIGITS / "digits.onnx"), str(DIGITS / "folding_2.json")]
    argv = ["reference", *files, "-o", "made", "--vectors", "images.npy"]
    assert text_of(capsys, *argv) == (
        f"made: 2 partitions: {', '.join(PARTS)}\n"
        "vectors: made/input*.npy and output*.npy; name them in [verify] of cluster.toml\n"
        "next: shellgen init made -o cluster.toml\n"
    )
    assert json_of(capsys, *argv) == {"ok": True, "partitions": list(PARTS), "notes": []}
    assert np.array_equal(np.load(at.root / "made/input.npy"), images.reshape(4, 64))
    assert np.load(at.root / "made/output.npy").shape == (4, 10)
    at.cluster(
        ("build/parent.onnx", "made/parent.onnx"), ('"input', '"made/input'), ('"output', '"made/output')
    )
    text_of(capsys, "generate", "cluster.toml", "-o", "fresh")


def run(*argv: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "shellgen", *argv]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **more})


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version").stdout == f"shellgen {__version__}\n"
    done = run("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert re.search(rf"\n    {command}\s", done.stdout), command
    for command in COMMANDS:
        assert main([command, "--help"]) == 0
        assert f"shellgen {command}" in capsys.readouterr().out


@pytest.mark.usefixtures("at")
def test_a_pipe_gets_plain_lines() -> None:
    """No colour, no cursor movement, whatever the terminal claims."""
    done = run("generate", "cluster.toml", "-o", "fresh", TERM="xterm-256color", FORCE_COLOR="1")
    assert done.returncode == 0
    assert PROGRESS.sub("", done.stderr) == ""
    assert not {"\x1b", "\r", "\b"} & set(done.stdout)
    assert done.stdout.endswith("\n")


@pytest.mark.usefixtures("at")
def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = [sys.executable, "-u", "-m", "shellgen", "generate", "cluster.toml", "-o", "x", "--dry-run"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert PROGRESS.sub("", process.stderr.read()) == ""
    assert process.returncode == 141


@pytest.mark.parametrize(
    "closed",
    [*(pytest.param(one, marks=pytest.mark.sweep) for one in ("<&-", ">&-", "2>&-")), "<&- >&- 2>&-"],
)
def test_closed_streams_change_no_exit_code(closed: str) -> None:
    for words, code in (("list boards", 0), ("simulate nowhere", 2)):
        command = f"{shlex.quote(sys.executable)} -m shellgen {words} {closed}"
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr


@pytest.mark.usefixtures("at")
def test_python_without_docstrings_is_refused() -> None:
    """The schema of the memory map consists of them, so the output would differ."""
    done = run("generate", "cluster.toml", "-o", "fresh", PYTHONOPTIMIZE="2")
    assert done.returncode == 2
    assert "PYTHONOPTIMIZE: Python removes docstrings" in done.stderr


@pytest.mark.parametrize("entry", ["shellgen.cli", "vivado_check.__main__"])
def test_a_broken_module_of_the_caller_is_not_imported(entry: str, tmp_path: Path) -> None:
    """A numpy.py on PYTHONPATH or in the current folder ended in an internal error."""
    here, named = tmp_path / "here", tmp_path / "named"
    for folder in (here, named):
        folder.mkdir()
        for name in ("numpy", "json", "argparse", "pydantic", "jinja2"):
            (folder / f"{name}.py").write_text("raise RuntimeError\n")
    code = f"import {entry}, argparse, json, numpy, pydantic, jinja2"
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(named), str(ROOT)))}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=here, env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_heavy_is_imported_for_help() -> None:
    code = (
        "import sys, shellgen.cli; print(sorted({'numpy', 'onnx', 'pydantic', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n"


def test_a_second_ctrl_c_leaves_the_answer_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not heeded any more, and is again for a program that has called the command."""

    def twice(error: KeyboardInterrupt) -> Answer:
        os.kill(os.getpid(), signal.SIGINT)
        return ended(error)

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "parse", interrupted)
    monkeypatch.setattr(entry, "ended", twice)
    before = signal.getsignal(signal.SIGINT)
    assert main(["list"]) == 130
    assert signal.getsignal(signal.SIGINT) == before
    assert capsys.readouterr().err == "shellgen: interrupted\n"
