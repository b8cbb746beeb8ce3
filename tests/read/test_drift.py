# SPDX-License-Identifier: BSD-3-Clause
"""The warning of window generators that lose alignment from frame to frame."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from shellgen.read.drift import warn_of_drift
from shellgen.read.finn_onnx import FinnModel, load_model


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


def counted(rows: int, kernel: int, stride: int, folds: int) -> int:
    """Count the words of a frame that the generator's loop leaves, one turn at a time."""
    made, row = (rows - kernel) // stride + 1, rows * folds
    single = kernel % stride != 0
    out, taken = made * kernel * kernel * folds, stride * row
    longest = max(out, taken)
    turns = kernel * row + ((made - 1) * longest + max(out, made) if single else made * longest)
    block, blocks = (row, rows) if single else (taken, rows // stride)
    read = line = done = counter = 0
    for _ in range(turns):
        first = read < kernel * row
        if first or (counter < taken - 1 and done < blocks):
            read, line = read + 1, line + 1
            if line == block:
                line, done = 0, done + 1
        counter = 0 if first or counter + 1 == longest - 1 else counter + 1
    return rows * row - read


SIZES = list(itertools.product(range(2, 15), range(1, 6), range(1, 5), (1, 3)))


def test_words_left_are_those_of_the_loop(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    wrong, drifting = [], 0
    for rows, kernel, stride, folds in (size for size in SIZES if size[1] <= size[0]):
        told = {"IFMDim": rows, "ConvKernelDim": kernel, "Stride": stride, "IFMChannels": folds, "SIMD": 1}
        caplog.clear()
        warn_of_drift(model(tmp_path, ("ConvolutionInputGenerator", told)), "p")
        said, left = caplog.text, counted(rows, kernel, stride, folds)
        drifting += bool(left)
        amount = f"leaves {left // rows // folds} of the {rows} rows" if left % (rows * folds) == 0 else ""
        amount = amount or f"leaves {left} of the {rows * rows * folds} words"
        if (amount in said) != bool(left) or bool(said) != bool(left):
            wrong.append((rows, kernel, stride, folds, left, said))
    assert not wrong
    assert drifting > 50


@pytest.mark.parametrize(
    ("op", "told", "unread"),
    [
        ("ConvolutionInputGenerator", {"IFMDim": [7, 7], "ConvKernelDim": [2, 2], "Stride": [2, 2]}, 1),
        ("ConvolutionInputGenerator", {"IFMDim": 9, "ConvKernelDim": 4, "Stride": 4}, 1),
        ("ConvolutionInputGenerator_hls", {"IFMDim": [8, 8], "ConvKernelDim": [3, 3], "Stride": [2, 2]}, 0),
        ("ConvolutionInputGenerator", {"IFMDim": [34, 34], "ConvKernelDim": [3, 3], "Stride": [2, 2]}, 0),
        ("ConvolutionInputGenerator", {"IFMDim": [8, 8], "ConvKernelDim": [2, 2], "Stride": [2, 2]}, 0),
        ("ConvolutionInputGenerator", {"IFMDim": [7, 9], "ConvKernelDim": [2, 2], "Stride": [2, 2]}, 0),
        ("ConvolutionInputGenerator_rtl", {"IFMDim": [7, 7], "ConvKernelDim": [2, 2], "Stride": [2, 2]}, 0),
        ("ConvolutionInputGenerator", {}, 0),
    ],
)
def test_rows_that_nobody_reads_are_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, op: str, told: dict[str, object], unread: int
) -> None:
    warn_of_drift(model(tmp_path, (op, told)), "part_0")
    said = [record.getMessage() for record in caplog.records]
    assert [f"part_0: layer {op}_0 leaves {unread} of the" in text for text in said] == [True] * bool(unread)
