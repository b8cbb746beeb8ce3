# SPDX-License-Identifier: BSD-3-Clause
"""Cycles of a frame, and the warning of window generators that slip from frame to frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from shellgen.read.finn_onnx import FinnModel, load_model
from shellgen.read.timing import frame_cycles, warn_of_drift


def model(folder: Path, *nodes: tuple[str, dict[str, Any]]) -> FinnModel:
    made = [
        helper.make_node(
            op, [f"t{i}"], [f"t{i + 1}"], f"{op}_{i}", domain="finn.custom_op.fpgadataflow", **told
        )
        for i, (op, told) in enumerate(nodes)
    ]
    ends = [helper.make_tensor_value_info(f"t{i}", TensorProto.FLOAT, [1]) for i in (0, len(nodes))]
    onnx.save(helper.make_model(helper.make_graph(made, "g", ends[:1], ends[1:])), folder / "m.onnx")
    return load_model(folder / "m.onnx")


def test_cycles_are_finns_own_or_follow_from_folding(tmp_path: Path) -> None:
    folded = {"MH": 6, "MW": 8, "PE": 3, "SIMD": 2, "numInputVectors": [1, 5, 5]}
    nodes: tuple[tuple[str, dict[str, Any]], ...] = (
        ("MVAU_hls", {"cycles_estimate": 100, **folded}),
        ("MVAU_rtl", folded),
        ("StreamingFIFO_rtl", {}),
    )
    assert frame_cycles(model(tmp_path, *nodes)) == 100 + 25 * 8
    assert frame_cycles(model(tmp_path, ("StreamingFIFO_rtl", {}))) is None


@pytest.mark.parametrize(
    ("op", "told", "unread"),
    [
        ("ConvolutionInputGenerator", {"IFMDim": [7, 7], "ConvKernelDim": [2, 2], "Stride": [2, 2]}, 1),
        ("ConvolutionInputGenerator", {"IFMDim": 9, "ConvKernelDim": 2, "Stride": 4}, 3),
        ("ConvolutionInputGenerator_hls", {"IFMDim": [8, 8], "ConvKernelDim": [3, 3], "Stride": [2, 2]}, 1),
        ("ConvolutionInputGenerator", {"IFMDim": [8, 8], "ConvKernelDim": [2, 2], "Stride": [2, 2]}, 0),
        ("ConvolutionInputGenerator", {"IFMDim": [7, 7], "ConvKernelDim": [7, 7], "Stride": [2, 2]}, 0),
        ("ConvolutionInputGenerator_rtl", {"IFMDim": [7, 7], "ConvKernelDim": [2, 2], "Stride": [2, 2]}, 0),
        ("ConvolutionInputGenerator", {}, 0),
    ],
)
def test_rows_that_nobody_reads_are_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, op: str, told: dict[str, object], unread: int
) -> None:
    warn_of_drift(model(tmp_path, (op, told)), "part_0")
    said = [record.getMessage() for record in caplog.records]
    assert [f"part_0: layer {op}_0 leaves {unread} of its" in text for text in said] == [True] * bool(unread)
