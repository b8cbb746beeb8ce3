# SPDX-License-Identifier: BSD-3-Clause
"""Models, configurations and folders that `stitch`, `reference` and `demo` cannot use."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from bad_input import Cases, System, copy_system, expect, refusal

from shellgen.reference import synthetic_model

CONFIG = {"part": "xc7z020clg484-1", "clk_ns": 10.0, "folding": {"MVAU_0": {"PE": 4, "SIMD": 8}}}
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


# --- stitch and reference ---------------------------------------------------------------------------------
def builder(at: System, command: str, *edits: Callable[[dict[str, object]], object]) -> list[str]:
    """Write a model and an edited configuration; return the command that takes them."""
    onnx.save(synthetic_model([16, 12, 4]), str(at.root / "net.onnx"))
    config = json.loads(json.dumps(CONFIG))
    for edit in edits:
        edit(config)
    (at.root / "folding.json").write_text(json.dumps(config))
    return [command, "net.onnx", "folding.json", "-o", "made"]


@case(("net.onnx", "no such model file", "Check the path"))
def stitch_model_is_missing(at: System) -> list[str]:
    argv = builder(at, "stitch")
    (at.root / "net.onnx").unlink()
    return argv


@case(("folding.json", "no such file", "Name the folding configuration"))
def stitch_configuration_is_missing(at: System) -> list[str]:
    argv = builder(at, "stitch")
    (at.root / "folding.json").unlink()
    return argv


@case(("folding.json", "is not JSON", "Correct the file"))
def stitch_configuration_is_not_json(at: System) -> list[str]:
    argv = builder(at, "stitch")
    (at.root / "folding.json").write_text("part: xc7z020\n")
    return argv


@case(
    ("folding.json: clk_ns", "got 'fast'", "Correct this field"),
    ("folding.json: prt", "not known", "Did you mean part?"),
)
def stitch_configuration_has_bad_fields(at: System) -> list[str]:
    return builder(at, "stitch", lambda config: config.update(clk_ns="fast", prt="x"))


@case(("build", "something else in it", "Name an empty folder"))
def stitch_output_holds_foreign_files(at: System) -> list[str]:
    return [*builder(at, "stitch")[:-1], "build"]


@case(("cluster.toml", "it is not an environment with FINN", "SHELLGEN_FINN_ENV"))
def finn_environment_is_something_else(at: System) -> list[str]:
    return builder(at, "stitch")


@case(("net.onnx", "cannot be read", "Check the path"))
def reference_model_is_missing(at: System) -> list[str]:
    argv = builder(at, "reference")
    (at.root / "net.onnx").unlink()
    return argv


@case(("net.onnx", "is not an ONNX model", "Export it again"))
def reference_model_is_garbage(at: System) -> list[str]:
    argv = builder(at, "reference")
    (at.root / "net.onnx").write_bytes(b"\xff\xff\xff garbage")
    return argv


@case(("net.onnx: node", "operator Softmax is not known here", "Lower the model"))
def reference_model_has_another_operator(at: System) -> list[str]:
    argv = builder(at, "reference")
    model = onnx.load(str(at.root / "net.onnx"))
    model.graph.node[1].op_type, model.graph.node[1].domain = "Softmax", ""
    onnx.save(model, str(at.root / "net.onnx"))
    return argv


@case(
    ("folding.json: folding.MVAU_0.PE", "5 does not divide 12", "4, 6"),
    ("folding.json: folding.MVAU_0.SIMD", "7 does not divide 16", "2, 4, 8"),
    ("folding.json: folding.Thresholding_0.PE", "0 does not divide 12", "4, 6"),
)
def reference_folding_does_not_divide(at: System) -> list[str]:
    folding = {"MVAU_0": {"PE": 5, "SIMD": 7}, "Thresholding_0": {"PE": 0}}
    return builder(at, "reference", lambda config: config.update(folding=folding))


@case(
    (
        "folding.json: folding",
        "no layer MVAU_9",
        "Did you mean MVAU_1? Name one of: MVAU_0, Thresholding_0, MVAU_1",
    ),
    ("folding.json: folding.MVAU_0.SMID", "no such attribute", "Did you mean SIMD? Choose from: PE, SIMD"),
    ("folding.json: folding.MVAU_1.PE", "got 'two'", "Give a whole number"),
    ("folding.json: cut_before", "MVAU_7", "MVAU_1"),
)
def reference_folding_names_what_is_not_there(at: System) -> list[str]:
    folding = {"MVAU_9": {"PE": 1}, "MVAU_0": {"SMID": 2}, "MVAU_1": {"PE": "two"}}
    return builder(at, "reference", lambda config: config.update(folding=folding, cut_before=["MVAU_7"]))


@case(("none.npy: vectors", "missing", "Correct the path"))
def reference_vectors_are_missing(at: System) -> list[str]:
    return [*builder(at, "reference"), "--vectors", "none.npy"]


@case(("few.npy: vectors", "shape (4, 15)", "(frames, 16)"))
def reference_vectors_have_another_shape(at: System) -> list[str]:
    np.save(at.root / "few.npy", np.zeros((4, 15), dtype=np.int64))
    return [*builder(at, "reference"), "--vectors", "few.npy"]


@case(("large.npy: vectors", "not UINT4", "Give whole numbers"))
def reference_vectors_exceed_the_data_type(at: System) -> list[str]:
    np.save(at.root / "large.npy", np.full((4, 16), 99))
    return [*builder(at, "reference"), "--vectors", "large.npy"]


@case(("build", "not empty and has no parent.onnx of shellgen", "Choose a new folder"))
def reference_output_holds_foreign_files(at: System) -> list[str]:
    (at.root / "build/parent.onnx").unlink()
    return [*builder(at, "reference")[:-1], "build"]


def of_finn(at: System, name: str) -> None:
    """Make the build one of FINN's, with a parent of this name: Vivado may have worked on it for hours."""
    model = onnx.load(at.root / "build/parent.onnx")
    model.producer_name = "finn"
    (at.root / "build" / name).write_bytes(model.SerializeToString())


@case(("build", "not empty and has no parent.onnx of shellgen", "Choose a new folder"))
def reference_output_is_a_build_of_finn(at: System) -> list[str]:
    of_finn(at, "parent.onnx")
    return [*builder(at, "reference")[:-1], "build"]


@case(("build", "perhaps a build of FINN", "Name an empty folder"))
def stitch_output_is_a_build_of_finn(at: System) -> list[str]:
    of_finn(at, "dataflow_parent.onnx")
    return [*builder(at, "stitch")[:-1], "build"]


@case(
    ("command line: part[0]", "'xc7'; expected a Xilinx part such as", "Correct this field"),
    ("command line: clk_ns", "-5.0", "Correct this field"),
)
def stitch_options_are_wrong(at: System) -> list[str]:
    return [*builder(at, "stitch"), "--clk-ns", "-5", "--part", "xc7"]


@case(("cluster.toml", "may be yours", "Choose another folder with -o"))
def demo_in_a_folder_of_the_user(at: System) -> list[str]:
    del at
    return ["demo", "--reference", "-o", "."]


@case(("demo: --boards", "the example residual is on 3 boards, not 6", "Leave it out"))
def demo_on_other_boards(at: System) -> list[str]:
    del at
    return ["demo", "--example", "residual", "--boards", "6", "-o", "new"]


@case(("demo: --simulator icarus", "Icarus cannot parse the RTL that FINN writes", "add --reference"))
def demo_of_finn_on_icarus(at: System) -> list[str]:
    del at
    return ["demo", "--example", "branches", "--simulator", "icarus", "-o", "new"]


@case(("out", "what `shellgen generate` wrote, and a cluster.toml is needed", "Name the cluster.toml"))
def weights_of_a_generated_folder(at: System) -> list[str]:
    del at
    return ["weights", "out", "-o", "packed"]


@case(("out", "what `shellgen generate` wrote, and no build of FINN", "Name the folder of the FINN build"))
def init_of_a_generated_folder(at: System) -> list[str]:
    del at
    return ["init", "out"]
