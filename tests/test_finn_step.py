# SPDX-License-Identifier: BSD-3-Clause
"""In FINN's own flow: the step behind FINN's steps, and a parent that FINN partitioned and never stitched."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import onnx
import pytest

from shellgen import finn_step
from shellgen.init import import_floorplan
from shellgen.reference import execute
from shellgen.stitch import ensure_finn_env, stitch_model

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "examples" / "digits" / "digits.onnx"
CLUSTER = 'build = "build/dataflow_parent.onnx"\n' + "".join(
    f'[[node]]\nname = "{name}"\nboard = "zedboard"\npartitions = [{index}]\n'
    for index, name in enumerate(("one", "two"))
)


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flow")
    (folder / "cluster.toml").write_text(CLUSTER)
    command = shlex.join(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(ROOT)!r}); from shellgen.cli import main; sys.exit(main())",
        ]
    )
    environment = os.environ | {"SHELLGEN": command, "SHELLGEN_CLUSTER": str(folder / "cluster.toml")}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, (ROOT, ROOT / "shellgen" / "stitch")))
    driver = [str(ensure_finn_env()), str(ROOT / "tests" / "finn_flow_driver.py"), str(MODEL), str(folder)]
    run = subprocess.run(driver, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    return folder


@pytest.mark.finn
@pytest.mark.xdist_group("finn_step")
def test_the_step_makes_the_shells_of_both_boards(flow: Path) -> None:
    given = onnx.load(flow / "out" / "shells" / "model.onnx")
    assert {node.op_type for node in given.graph.node} == {"MVAU_hls", "MVAU_rtl"}, "FINN chose HLS"
    written = flow / "out" / "shells" / "generated"
    assert (written / "one" / "one_core.v").is_file()
    assert (written / "two" / "vivado" / "build.tcl").is_file()
    child = onnx.load(flow / "build/StreamingDataflowPartition_1/StreamingDataflowPartition_1.onnx")
    kinds = [node.op_type for node in child.graph.node]
    assert kinds.count("MVAU_rtl") == 3
    assert kinds.count("Thresholding_rtl") == 2, "the thresholds were inside of MVAU_hls"


@pytest.mark.finn
@pytest.mark.xdist_group("finn_step")
def test_children_that_were_never_stitched(flow: Path, tmp_path: Path) -> None:
    images = np.arange(5 * 64).reshape(5, 64) * 7 % 16
    np.save(tmp_path / "input.npy", images)
    said: list[str] = []
    names = stitch_model(
        flow / "parent.onnx", None, tmp_path / "build", tmp_path / "input.npy", say=said.append
    )
    assert names == ["StreamingDataflowPartition_0", "StreamingDataflowPartition_1"]
    assert said == [
        "built for xc7z020clg484-1 at 10.0 ns, since no part is named",
        "no folding is given: PE and SIMD of all matrix layers are 1, and a frame takes 1,536 cycles in "
        "StreamingDataflowPartition_0_MVAU_rtl_0, which is 65,104 frames/s at 100 MHz",
    ]
    wanted = np.asarray(execute(MODEL, images))
    assert np.array_equal(np.load(tmp_path / "build" / "output.npy").reshape(5, -1), wanted)


@pytest.mark.finn
@pytest.mark.xdist_group("finn_step")
def test_the_floorplan_of_finn_is_a_placement(flow: Path) -> None:
    text = import_floorplan(flow / "floorplan.json", "zedboard")
    assert tomllib.loads(text)["node"][0]["partitions"] == [0, 1]
    assert "# 0: MVAU_hls_0, MVAU_hls_1, MVAU_hls_2\n" in text


class Model:
    """As much of qonnx's ModelWrapper as the step needs."""

    def __init__(self, name: str = "", stitched: str = "") -> None:
        self.name, self.stitched = name, stitched
        self.graph = onnx.GraphProto()

    def get_metadata_prop(self, key: str) -> str | None:
        return self.stitched if key == "vivado_stitch_proj" else None

    def save(self, path: str) -> None:
        Path(path).write_text("model")


class Config:
    def __init__(self, folder: Path) -> None:
        self.output_dir = str(folder / "out")
        self.synth_clk_period_ns = 5.0

    def _resolve_fpga_part(self) -> str:
        return "xc7z020clg484-1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no such file"),
        ("name = 'x'\n", "build names no ONNX file"),
        ('build = "b/other.onnx"\n', "writes dataflow_parent.onnx"),
        ('build = "b/dataflow_parent.onnx"\n', "shellgen stitch: error: no."),
    ],
)
def test_what_the_step_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHELLGEN", "sh -c 'echo error: no. >&2; exit 2'")
    monkeypatch.delenv("SHELLGEN_CLUSTER", raising=False)
    if text:
        (tmp_path / "cluster.toml").write_text(text)
    with pytest.raises(RuntimeError, match=message):
        finn_step.step_generate_shells(Model(), Config(tmp_path))


def test_what_vivado_has_stitched_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELLGEN_CLUSTER", str(tmp_path / "cluster.toml"))
    monkeypatch.setenv("SHELLGEN", f"sh -c 'echo $0 $@ > {tmp_path}/ran'")
    (tmp_path / "cluster.toml").write_text('build = "b/stitched.onnx"\n')
    model = Model(stitched="vivado_stitch_proj_x")
    assert finn_step.step_generate_shells(model, Config(tmp_path)) is model
    assert (tmp_path / "b" / "stitched.onnx").read_text() == "model"
    assert (tmp_path / "ran").read_text().split()[0] == "generate"
