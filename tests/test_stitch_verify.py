# SPDX-License-Identifier: BSD-3-Clause
"""`stitch` compares an export with what it becomes: a wrong step is found, and quantisers are right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shellgen import stitch
from shellgen.errors import InputError
from shellgen.stitch import stitch_model
from shellgen.stitch.environment import ensure_finn_env

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "residual"))
from qonnx_export import Export

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]
PART = {"part": "xc7z020clg484-1"}


def rounded(net: Export, tensor: str, mode: str, bits: int = 4, *, signed: bool = False) -> str:
    inputs = [tensor, *(net.constant(value) for value in (0.5, 0, bits))]
    how: dict[str, Any] = {"signed": int(signed), "narrow": 0, "rounding_mode": mode}
    return net.op("Quant", *inputs, domain="onnx.brevitas", **how)


def test_a_step_that_changes_values_is_named(tmp_path: Path) -> None:
    """Thresholds of one layer are moved by two steps, in the middle of streamlining."""
    net = Export((1, 12))
    hidden = net.relu(net.batch_norm(net.gemm(net.quant("global_in", 1 / 16, 5, signed=True), 12, 8), 8))
    model = net.save(net.gemm(hidden, 8, 4), (1, 4), tmp_path / "model.onnx")
    script = Path(__file__).parent / "finn_wrong.py"
    environment = os.environ | {"PYTHONPATH": str(Path(stitch.__file__).parent)}
    command = [str(ensure_finn_env()), str(script), str(model)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    ((where, found, _),) = json.loads(ran.stdout.splitlines()[-1])
    quantiser = hidden.removesuffix("_out0")
    assert where == f"model.onnx: node {quantiser}"
    assert found.startswith("the step MoveThresholds changes what it computes: ")
    assert found.endswith(" of 8 values differ, by up to 2 steps")


def test_quantisers_of_other_kinds(tmp_path: Path) -> None:
    """A Relu with two quantisers, one of them rounds down; a signed one behind a Relu; a bias behind a Quant.

    Both branches get scales that differ, so that a mistake in either is seen.
    """
    net = Export((1, 2, 6, 6))
    image = net.quant("global_in", 1 / 8, 4, signed=True)
    bias = net.quant(net.constant(net.rng.normal(size=4)), 1 / 64, 8, signed=True)
    both = net.op("Relu", net.op("Conv", image, net.weights(4, 2, 1, 1), bias, kernel_shape=[1, 1]))
    near = net.quant(net.conv(net.quant(both, 0.25, 4, signed=False), (4, 4)), 0.5, 4, signed=True)
    far = net.quant(net.conv(rounded(net, both, "FLOOR"), (4, 4)), 0.5, 4, signed=True)
    last = rounded(net, net.op("Relu", net.op("Add", near, far)), "ROUND", signed=True)
    model = net.save(net.conv(last, (4, 2), 1), (1, 2, 6, 6), tmp_path / "model.onnx")
    np.save(tmp_path / "frames.npy", np.random.default_rng(0).normal(size=(3, 1, 2, 6, 6)))
    said: list[str] = []
    stitch_model(model, None, tmp_path / "out", tmp_path / "frames.npy", given=PART, say=said.append)
    assert not [line for line in said if "differ" in line or "compared" in line]
    assert len(np.unique(np.load(tmp_path / "out" / "output.npy"))) > 5


def test_rounding_that_thresholds_do_not_do(tmp_path: Path) -> None:
    net = Export((1, 12))
    up = rounded(net, net.gemm(net.quant("global_in", 1 / 16, 5, signed=True), 12, 8), "CEIL")
    model = net.save(net.gemm(up, 8, 4), (1, 4), tmp_path / "model.onnx")
    with pytest.raises(
        InputError, match=r"node Quant_\d+: it rounds by CEIL, and thresholds .* ROUND or FLOOR"
    ):
        stitch_model(model, None, tmp_path / "out", given=PART)
