# SPDX-License-Identifier: BSD-3-Clause
"""The model's operators before the first board and behind the last one: as ONNX that a runtime executes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from host_model_files import scale_model, threshold_model
from host_pair import PAIR

from shellgen.api import generate
from shellgen.errors import InputError
from shellgen.read.host_models import host_models
from shellgen_host import InputError as HostInputError
from shellgen_host.ends import Ends, HostModel
from shellgen_host.shapes import split


@pytest.mark.parametrize(
    ("shape", "channels", "count", "layout"),
    [
        ((1, 3, 4, 2), 3, 7, "NCHW"),
        ((1, 4, 2, 3), 3, 255, "NHWC"),
        ((1, 5), 5, 1, "NC"),
        ((1, 2, 3, 3), 1, 10, "NCHW"),
    ],
)
def test_thresholds_are_searched(
    tmp_path: Path, shape: tuple[int, ...], channels: int, count: int, layout: str
) -> None:
    """As many as a value reaches, in any order, with values on them, beside them and beyond all."""
    draw = np.random.default_rng(count)
    limits = draw.normal(size=(channels, count)).astype(np.float32)
    given = threshold_model(shape, limits, out_scale=2.0, out_bias=-3.0, data_layout=layout)
    onnx.save(given, str(tmp_path / "host_before.onnx"))
    (content,) = host_models(tmp_path).values()
    assert content == host_models(tmp_path / "parent.onnx")["host_before.onnx"]
    (tmp_path / "made.onnx").write_bytes(content)
    model = HostModel(tmp_path / "made.onnx")
    axis = 1 if layout.startswith("NC") else len(shape) - 1
    for x in (
        draw.normal(size=shape),
        draw.choice(limits.reshape(-1), shape),
        np.full(shape, np.inf),
        np.full(shape, -np.inf),
    ):
        values = np.asarray(x, np.float32)
        along = np.moveaxis(values, axis, -1)
        rows = np.broadcast_to(limits, (shape[axis], count))
        wanted = np.moveaxis((along[..., None] >= rows).sum(axis=-1), -1, axis) * 2.0 - 3.0
        assert np.array_equal(model.run({"x": values[0]})["y"], wanted[0])


def test_they_are_emitted(tmp_path: Path) -> None:
    """`generate` writes what the build left to the host; a file that is no model is refused."""
    spec = PAIR.write_inputs(tmp_path)
    build = tmp_path / "build"
    onnx.save(threshold_model((1, 4), np.arange(15)[None], data_layout="NC"), str(build / "host_before.onnx"))
    onnx.save(scale_model(3), str(build / "host_after.onnx"))
    generate(spec, tmp_path / "out")
    for name in ("host_before.onnx", "host_after.onnx"):
        assert (tmp_path / "out" / name).read_bytes() == host_models(build)[name]
    (build / "host_after.onnx").write_bytes(b"\xff\xff")
    with pytest.raises(InputError, match=r"host_after\.onnx: is not an ONNX model .*Stitch the model again"):
        generate(spec, tmp_path / "out")


def test_ends_that_cannot_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence each, only when the model's values are asked for."""
    onnx.save(threshold_model((1, 4), [[0, 1]], data_layout="NC"), str(tmp_path / "host_before.onnx"))
    with pytest.raises(
        HostInputError, match=r"host_before\.onnx: onnxruntime refuses it: .*; give integers of"
    ):
        Ends(tmp_path, ["a"], ["b"]).enter(np.zeros(4))
    (tmp_path / "host_before.onnx").write_bytes(host_models(tmp_path)["host_before.onnx"])
    ends = Ends(tmp_path, ["a"], ["b"])
    with pytest.raises(
        HostInputError, match=r"x: its array is int64 \(1, 3\); give numbers of shape \(frames, 4\)"
    ):
        ends.enter(np.zeros(3, int))
    with pytest.raises(HostInputError, match=r"x: it has values that are no numbers \(NaN\); give numbers"):
        ends.enter(np.array([0, 1, np.nan, 0]))
    for wrong in (None, 3, {"x": "abc"}):
        with pytest.raises(HostInputError, match=r"is one value of type .*; give an array of shape"):
            list(split(wrong))  # type: ignore[arg-type]
    with pytest.raises(HostInputError, match=r"there is no 'x'; give x"):
        ends.enter({"y": np.zeros(4)})
    assert ends.leave({"b": np.ones(2)})["b"].tolist() == [1, 1]  # there is no host_after.onnx
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(
        HostInputError, match=r"onnxruntime is not installed; run pip install onnxruntime, or give"
    ):
        Ends(tmp_path, ["a"], ["b"]).enter(np.zeros(4))
