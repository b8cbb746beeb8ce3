# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen split` as a command: its files, reports of a build, and its refusals; only one test asks FINN."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from split_networks import LARGE

from shellgen.cli import main
from shellgen.model.folding import SplitNetwork
from shellgen.resources import data_dir
from shellgen.stitch import load_config

sys.path.insert(0, str(data_dir("examples") / "residual"))
from qonnx_export import Export


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model whose layers are those of LARGE, whatever its file holds."""

    def survey(model: Path, part: str, **_: object) -> SplitNetwork:
        assert model.is_file()
        return LARGE.model_copy(update={"part": part})

    monkeypatch.setattr("shellgen.splitting.survey_layers", survey)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.onnx").write_bytes(b"")
    return tmp_path


def run(*words: str) -> int:
    return main(["split", "net.onnx", *words, "--quiet"])


def test_the_files_are_read_by_the_next_commands(at: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--boards", "zedboard*2", "-o", "out") == 0
    text = capsys.readouterr().out
    assert "zedboard1" in text
    assert "next: shellgen stitch net.onnx out/split.json -o out/build" in text
    told = json.loads((at / "out/split.json").read_text())
    config = load_config(at / "out/split.json")
    assert config.cut_before == (told["boards"][1]["first_layer"],)
    assert config.parts == ("xc7z020clg484-1",) * 2
    assert load_config(at / "out/folding.json", {"part": config.parts[0]}).folding == config.folding
    assert {entry["layer"] for entry in told["layers"]} == {layer.name for layer in LARGE.layers}
    cluster = tomllib.loads((at / "out/cluster.toml").read_text())
    assert [(node["board"], node["partitions"]) for node in cluster["node"]] == [
        ("zedboard", [0]),
        ("zedboard", [1]),
    ]
    before = {path.name: path.read_bytes() for path in (at / "out").iterdir()}
    assert run("--boards", "zedboard", "zedboard", "-o", "out") == 0
    assert {path.name: path.read_bytes() for path in (at / "out").iterdir()} == before
    capsys.readouterr()
    assert run("--boards", "zedboard*2", "-o", "out", "--json") == 0
    assert json.loads(capsys.readouterr().out)["boards"] == told["boards"]


def test_synthesis_of_a_build_replaces_estimates(at: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Layers that it names have its figures, with the folding that they had; BRAM_36K counts twice."""
    build = at / "build"
    (build / "report").mkdir(parents=True)
    report = build / "report/post_synth_resources.json"
    row = {"LUT": 1234, "SRL": 1, "FF": 99, "BRAM_36K": 7, "BRAM_18K": 1, "DSP": 3}
    report.write_text(json.dumps({"(top)": row, "MVAU_rtl_0": row, "StreamingFIFO_rtl_0": row}))
    folding = {"Defaults": {}, "MVAU_rtl_0": {"SIMD": 8, "PE": 8}, "StreamingFIFO_rtl_0": {"depth": 2}}
    words = ["--boards", "zedboard*2", "-o", "out", "--json", "--measured", str(report)]
    assert run(*words) == 2
    assert "Name the folding of the build with --folding" in capsys.readouterr().err
    (build / "final_hw_config.json").write_text(json.dumps(folding))
    assert run(*words) == 0
    capsys.readouterr()
    assert run(*words, "--folding", str(build / "final_hw_config.json")) == 0
    layers = {entry["layer"]: entry for entry in json.loads(capsys.readouterr().out)["layers"]}
    takes, source = layers["MVAU_0"]["takes"], layers["MVAU_0"]["source"]
    assert (takes["bram18"], takes["dsp"], source) == (15, 3, "synthesis of a build")
    assert 1234 < takes["lut"] < 1500  # with the FIFO behind it
    assert "FINN's estimate" in layers["MVAU_1"]["source"]
    for text, said in (("{}", "no resources of any layer"), ('{"A": {"LUT": 3}}', "no layer of the network")):
        report.write_text(text)
        assert run(*words) == 2
        assert said in capsys.readouterr().err


BAD = {
    "no board": (["-o", "x"], "--boards: there is no board. Name one, as in --boards 'zedboard*2'"),
    "no number": (
        ["--boards", "zedboard*0"],
        "--boards: got 'zedboard*0'. Give a board and how many there are",
    ),
    "a comma": (
        ["--boards", "zedboard*2,zc706"],
        "with a comma. Give each board as an argument of its own: --boards 'zedboard*2' 'zc706'",
    ),
    "too many": (["--boards", "zedboard*60", "zc706*60"], "these are 120 boards. Name 64 boards at most"),
    "unknown board": (["--boards", "zedbord*2"], "zedboard"),
    "no link": (["--boards", "ultra96-v2", "u280"], "no link kind joins"),
    "limit": (
        ["--boards", "zedboard", "--reserve", "lut=1.5"],
        "lut=1.5 is no share of a device. Give a number from",
    ),
    "a limit twice": (
        ["--boards", "zedboard", "--reserve", "lut=0.1,lut=0.5"],
        "--reserve: lut is given twice. Give one share for each resource",
    ),
    "no resource": (
        ["--boards", "zedboard", "--reserve", "luts=0.1"],
        "there is no resource 'luts'. Choose from lut",
    ),
    "other board": (["--boards", "zedboard", "--reserve", "u50:lut=0"], "Name one of --boards (zedboard)"),
    "rate": (["--boards", "zedboard", "--fps", "-3"], "--fps: got -3. Give a number above 0"),
    "not a number": (["--boards", "zedboard", "--fps", "nan"], "--fps: got nan. Give a number above 0"),
    "two goals": (
        ["--boards", "zedboard", "--fps", "3", "--goal", "occupancy"],
        "--goal occupancy looks for no rate",
    ),
    "nothing to fill with": (["--boards", "zedboard", "--goal", "occupancy"], "Name it with --folding"),
    "too fast": (["--boards", "zedboard*2", "--fps", "1e9"], "frames/s is the nearest"),
    "too small": (
        ["--boards", "zedboard", "--reserve", "bram=0.95", "lut=0.9", "dsp=0.9"],
        "fits no board at any folding: it needs",
    ),
    "no room beside the shell": (
        ["--boards", "zedboard", "--reserve", "lut=0.97"],
        "LUT, and the limits allow 1,596 in all. Reserve less, or take a larger board",
    ),
    "too few": (["--boards", "zybo-z7-20", "--reserve", "bram=0.5", "lut=0.7"], "Take 2 zybo-z7-20"),
    "no number is enough": (
        ["--boards", "u50*2", "--reserve", "bram=0.999"],
        "Take larger boards, or reserve less",
    ),
    "illegal folding": (
        ["--boards", "zedboard", "--folding", "bad.json"],
        "bad.json: folding.MVAU_0.SIMD: 7 does not divide 256, as FINN wants for this MVAU. Choose a divisor",
    ),
    "text for a number": (
        ["--boards", "zedboard", "--folding", "text.json"],
        "text.json: folding.MVAU_0.SIMD: got '8'. Give a divisor of 256, without quotes",
    ),
    "a fraction": (
        ["--boards", "zedboard", "--folding", "fraction.json"],
        "folding.MVAU_0.SIMD: got 2.5; expected a whole number, text, or a list of them",
    ),
    "no such memory": (
        ["--boards", "zedboard", "--folding", "memory.json"],
        "got 'holographic', which FINN does not know. Choose from auto, block, distributed, ultra",
    ),
    "two boards in a share": (
        ["--boards", "zedboard", "--reserve", "zedboard:lut=0.5,zedboard:dsp=0.2"],
        "Give shares as in lut=0.3,bram=0.2; with zedboard: before them, once",
    ),
    "no such layer": (
        ["--boards", "zedboard", "--folding", "strange.json"],
        "the network has no layer Conv_0",
    ),
    "no such folding": (["--boards", "zedboard", "--folding", "absent.json"], "absent.json"),
    "no such model": (["--boards", "zedboard"], "there is no such model file"),
}


# Numbers of boards are tried here until it is clear that none is enough.
SLOW = "no number is enough"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.sweep) if name == SLOW else name for name in BAD]
)
def test_bad_input(
    name: str, at: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words, wanted = BAD[name]
    (at / "bad.json").write_text('{"MVAU_0": {"SIMD": 7}}')
    (at / "fraction.json").write_text('{"MVAU_0": {"SIMD": 2.5}}')
    (at / "text.json").write_text('{"MVAU_0": {"SIMD": "8"}}')
    (at / "memory.json").write_text('{"MVAU_0": {"SIMD": 8, "ram_style": "holographic"}}')
    (at / "strange.json").write_text('{"Conv_0": {"PE": 1}}')
    if name == "no such model":
        monkeypatch.undo()
        monkeypatch.chdir(at)
        (at / "net.onnx").unlink()
    assert run(*words, "-o", "out") == 2
    said = capsys.readouterr().err
    assert wanted in said
    assert "Traceback" not in said
    assert not (at / "out").exists()


@pytest.mark.finn
def test_an_island_of_the_host_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Softmax may stand at the ends of the network, where the host computes it, and not between layers."""
    net = Export((1, 16))
    first = net.op("MatMul", net.quant("global_in", np.float32(1 / 16), 4, signed=True), net.weights(16, 12))
    island = net.op("Softmax", net.relu(first), axis=-1)
    last = net.op("MatMul", net.quant(island, np.float32(1 / 16), 4, signed=True), net.weights(12, 8))
    net.save(last, (1, 8), tmp_path / "net.onnx")
    out = tmp_path / "out"
    assert main(["split", str(tmp_path / "net.onnx"), "--boards", "zedboard*2", "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert "net.onnx: node Softmax_" in said
    assert "FINN makes no hardware layer of this Softmax" in said
    assert "Move it before the first or behind the last layer, where the host can compute it" in said
    assert not out.exists()
