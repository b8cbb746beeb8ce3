# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside FINN's environment: what replaces functions of FINN and qonnx gives the same results.

    PYTHONPATH=<folder of finn_worker> python finn_same.py <model.onnx> <work>

prints the differences as a JSON list.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from finn_worker.stand_ins import stand_in

stand_in()
import numpy as np  # noqa: E402 - behind the modules that are replaced
from finn.transformation.streamline.round_thresholds import RoundAndClipThresholds  # noqa: E402
from finn_worker import packing  # noqa: E402 - it imports FINN
from finn_worker.aside import fix_weights  # noqa: E402
from finn_worker.lookups import fix_lookups  # noqa: E402
from finn_worker.rounding import fix_rounding  # noqa: E402
from qonnx.core.datatype import DataType  # noqa: E402
from qonnx.core.modelwrapper import ModelWrapper  # noqa: E402
from qonnx.transformation import general  # noqa: E402
from qonnx.transformation.infer_datatypes import InferDataTypes  # noqa: E402
from qonnx.transformation.infer_shapes import InferShapes  # noqa: E402
from qonnx.util.cleanup import cleanup_model  # noqa: E402

_TYPES = ("BIPOLAR", "BINARY", "TERNARY", "INT2", "INT4", "UINT5", "INT8", "INT13", "UINT17", "INT24")


def different_words(rng: Any) -> list[Any]:
    found = []
    for name in _TYPES:
        kind = DataType[name]
        for shape in ((4,), (1, 7, 3), (2, 3, 8), (1, 1, 1)):
            values = rng.integers(int(kind.min()), int(kind.max()) + 1, shape).astype(np.float32)
            values = np.where(values > 0, 1, -1).astype(np.float32) if name == "BIPOLAR" else values
            for more, backwards, prefix in ((0, False, ""), (1, True, "0x"), (9, False, "0x")):
                width = -(-(shape[-1] * kind.bitwidth() + more) // 4) * 4
                given = (values, kind, width, backwards, prefix)
                theirs, ours = packing.finns(*given), packing.pack(*given)
                if ours.shape != theirs.shape or ours.dtype.kind != "U" or (ours != theirs).any():
                    found.append([name, shape, width, backwards, prefix])
    return found


def tour(path: str, out: Path) -> bytes:
    """Look everything up, change a little, and save."""
    model = cleanup_model(ModelWrapper(path))
    model.set_initializer("extra", np.arange(600, dtype=np.float32))
    model.set_initializer("extra", np.arange(700, dtype=np.float32))
    for step in (RoundAndClipThresholds(), general.GiveUniqueNodeNames(), general.GiveReadableTensorNames()):
        model = model.transform(step, cleanup=False)
    for step in (InferShapes(), InferDataTypes()):
        model = model.transform(step)
    said = []
    for name in ["nobody", *model.get_all_tensor_names()]:
        value = model.get_initializer(name)
        kind = model.get_tensor_datatype(name).name if name != "nobody" else ""
        info = model.get_tensor_valueinfo(name)
        said.append(
            [
                name,
                model.get_tensor_shape(name),
                kind,
                info and info.name,
                value is not None and value.tolist(),
            ]
        )
    model.save(str(out))
    return json.dumps(said).encode() + out.read_bytes()


def main(path: str, work: Path) -> None:
    found: list[Any] = different_words(np.random.default_rng(1))
    plain = tour(path, work / "plain.onnx")
    for fix in (fix_weights, fix_lookups, fix_rounding):
        fix()
    if tour(path, work / "fixed.onnx") != plain:
        found.append("models differ")
    print(json.dumps(found))


main(sys.argv[1], Path(sys.argv[2]))
