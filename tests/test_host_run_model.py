# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen run` on a model whose first and last operators are the host's."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from host_model_files import scale_model, threshold_model
from host_pair import Running, files, golden, out, running  # noqa: F401 - fixtures

from shellgen.cli import main
from shellgen.read.host_models import host_models

pytestmark = pytest.mark.xdist_group("rehearse")


def hosts_file(running: Running, folder: Path) -> Path:  # noqa: F811
    path = folder / "hosts.toml"
    tables = (
        f'[[node]]\nname = "{name}"\naddress = "{at}:{port}"\n' for name, (at, port) in running.hosts.items()
    )
    path.write_text("".join(tables))
    return path


def with_models(out: Path, folder: Path) -> Path:  # noqa: F811
    """Thresholds before the boards, so that x + 0.25 becomes x; half of the results behind them."""
    folder.mkdir()
    shutil.copy(out / "memory_map.json", folder)
    before = threshold_model((1, 4), np.arange(-7, 8)[None], out_bias=-8.0, data_layout="NC")
    onnx.save(before, str(folder / "host_before.onnx"))
    (folder / "host_before.onnx").write_bytes(host_models(folder)["host_before.onnx"])
    onnx.save(scale_model(3), str(folder / "host_after.onnx"))
    return folder


def test_images_in_classes_out(
    running: Running,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Files are the model's; accuracy, throughput, latency; a wrong frame by its number; raw on request."""
    x, y = golden(running.out)
    model = with_models(running.out, tmp_path / "model")
    hosts = hosts_file(running, tmp_path)
    scores = y.reshape(len(y), 3) / 2
    labels = scores.argmax(1)
    labels[1] += 1
    off = scores + 1e-7  # another runtime's rounding
    wrong = scores.copy()
    wrong[2, 1] += 0.5
    arrays = {"x": x.reshape(len(x), 4) + 0.25, "scores": off, "wrong": wrong, "labels": labels}
    arrays |= {"square": arrays["x"].reshape(-1, 2, 2), "first": arrays["x"][:, None]}
    arrays |= {"raw_x": x, "raw_y": y, "flat": np.zeros((3, 5)), "text": np.array(["a"] * 3)}
    made = {name: str(tmp_path / f"{name}.npy") for name in arrays}
    for name, values in arrays.items():
        np.save(made[name], values)
    command = ["run", str(model), "--quiet", "--hosts", str(hosts)]
    ends = ["--input", made["x"], "--golden", f"z={made['scores']}", "--labels", made["labels"]]
    output = tmp_path / "out.npy"
    assert main([*command, *ends, "--output", str(output)]) == 0
    said = capsys.readouterr().out
    share = 100 * (len(y) - 1) / len(y)
    assert f"accuracy: {share:.2f} %" in said
    assert f"{len(x)} frames in " in said
    assert " ms median, " in said
    assert "  two: " in said
    assert np.array_equal(np.load(output), scores)
    assert main([*command, "--input", f"x={made['x']}", "--golden", made["wrong"], "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["wrong"] == [2]
    assert main([*command, "--raw", "--input", made["raw_x"], "--golden", made["raw_y"]]) == 0
    assert "all results are as in the golden vectors" in capsys.readouterr().out
    kept = Path(made["x"]).read_bytes()
    cases = {
        ("--input", made["x"], "--output", f"z={made['x']}"): "--output: "
        + made["x"]
        + ": the run reads this",
        (
            "--input",
            made["x"],
            "--output",
            str(output),
        ): f"{output}: it already exists. Choose another file, or",
        (
            "--input",
            made["x"],
            "--output",
            f"z={output}",
            "--output",
            f"y={output}",
            "--force",
        ): "two outputs",
        ("--input", made["flat"]): "x: its array is float64 (3, 5). Give numbers of shape (frames, 4)",
        ("--input", made["square"]): f"x: its array is float64 ({len(x)}, 2, 2). Give numbers of shape",
        ("--input", made["first"]): f"x: its array is float64 ({len(x)}, 1, 4). Give numbers of shape",
        ("--raw", "--input", made["square"]): f"({len(x)}, 2, 2). Give numbers of shape (frames, 4)",
        ("--input", made["text"]): "text.npy",
        ("--input", f"global_in={made['x']}"): "run: --input: there is no 'global_in'. Choose from: x",
        ("--raw", "--input", made["x"]): "frame 0, element 0 is",
        ("--input", made["x"], "--output", str(tmp_path)): f"{tmp_path}: it is a folder",
        ("--input", made["x"], "--golden", made["labels"]): "--golden: z has 1 values in a frame, and there",
    }
    for words, text in cases.items():
        assert main([*command, *words]) == 2, text
        assert text in capsys.readouterr().err
    assert Path(made["x"]).read_bytes() == kept
