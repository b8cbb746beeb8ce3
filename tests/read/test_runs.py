# SPDX-License-Identifier: BSD-3-Clause
"""A FINN_BUILD_DIR: several runs of one network, of which one is final."""

from __future__ import annotations

from pathlib import Path

import pytest
from read.build_fixture import Build, child, put, save, write_stitched

from shellgen.cli import main
from shellgen.model import OtherPort
from shellgen.read import read_network

COUNT = OtherPort(name="maxcount", direction="out", bits=32)


def run(folder: Path, name: str, date: str, *, sizing: bool = False, block: str = "finn_design") -> Path:
    """Write a stitched design as FINN_BUILD_DIR keeps it, with the date in Vivado's header."""
    build = Build(project=name, block=block, others=(COUNT,) if sizing else ())
    ip = write_stitched(folder / name, build)
    wrapper = next(ip.rglob(f"{block}_wrapper.v"))
    put(wrapper, f"//Tool Version: Vivado v.2022.2 (lin64)\n//Date        : {date}\n{wrapper.read_text()}")
    save(child(build), ip / "model.onnx")
    return ip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a sizing run, which is the newest, two others, and a synthesis of its own."""
    run(tmp_path, "vivado_stitch_proj_a1b2c3d4", "Wed Jan 27 05:51:56 2021")
    final = run(tmp_path, "vivado_stitch_proj__w_hvqmd", "Wed Feb  3 05:51:55 2021")
    run(tmp_path, "vivado_stitch_proj_zzzzzzzz", "Thu Feb  4 01:00:00 2021", sizing=True)
    for path in final.rglob("*.v"):
        put(tmp_path / "synth_out_of_context_4mza9pi4" / path.name, path.read_bytes())
    return tmp_path


def test_the_newest_run_that_measures_no_fifos_is_taken(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (part,) = read_network(folder).partitions
    assert part.name == "vivado_stitch_proj__w_hvqmd"
    assert not part.others
    (said,) = [text for text in caplog.messages if "runs of" in text]
    assert "it holds 3 runs of finn_design, and vivado_stitch_proj__w_hvqmd is taken" in said
    assert "vivado_stitch_proj_zzzzzzzz (measures FIFOs)" in said


def test_a_run_that_a_model_records_comes_before_a_newer_one(folder: Path) -> None:
    (older,) = folder.glob("*_a1b2c3d4")
    put(folder / "dataflow_partition_ab12cd34/partition_0.onnx", (older / "model.onnx").read_bytes())
    for path in folder.glob("vivado_stitch_proj_*/model.onnx"):
        path.unlink()
    (part,) = read_network(folder).partitions
    assert part.name == older.name


def test_only_sizing_runs_say_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("aaaaaaaa", "bbbbbbbb"):
        run(tmp_path, f"vivado_stitch_proj_{name}", "no date", sizing=True)
    (part,) = read_network(tmp_path).partitions
    assert part.name == "vivado_stitch_proj_bbbbbbbb"
    assert "is taken, although it measures the depths of FIFOs" in caplog.text


def test_partitions_of_one_network_are_no_runs(tmp_path: Path) -> None:
    for index in range(2):
        name = f"vivado_stitch_proj_a1b2c3d{index}"
        run(tmp_path, name, "Wed Jan 27 05:51:56 2021", block=f"StreamingDataflowPartition_{index}")
    assert len(read_network(tmp_path).partitions) == 2


def test_a_user_names_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "cluster.toml"
    name = "vivado_stitch_proj_a1b2c3d4"
    assert main(["init", str(folder), "--run", name, "-o", str(out)]) == 0
    assert f'build = "{name}"' in out.read_text()
    capsys.readouterr()
    assert main(["init", str(folder), "--run", "synth_out_of_context_4mza9pi4"]) == 2
    told = capsys.readouterr().err
    assert "holds no run synth_out_of_context_4mza9pi4. Name one of vivado_stitch_proj__w_hvqmd, " in told
