# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside FINN's environment: single operators on random tensors, executed by finn-plus 1.6.1.

    PYTHONPATH=<folder of finn_worker> python finn_operators.py <folder>

writes for each case a model of one node, ``<case>.onnx``, and ``<case>.npz`` with its inputs and outputs, one
array of shape (frames, *shape) for each.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from finn_worker.stand_ins import stand_in
from onnx import TensorProto, helper, numpy_helper
from qonnx.core.datatype import DataType

stand_in()
from qonnx.custom_op.registry import getCustomOp  # noqa: E402 - it imports FINN

FRAMES = 3
DOMAIN = "finn.custom_op.fpgadataflow"
End = tuple[tuple[int, ...], str]  # shape and type of a tensor


@dataclass
class Case:
    op: str
    attributes: dict[str, Any]
    inputs: Sequence[End]
    outputs: Sequence[End]
    constants: list[Any] = field(default_factory=list)


def random(rng: Any, shape: tuple[int, ...], kind: str) -> Any:
    low, high = int(DataType[kind].min()), int(DataType[kind].max())
    if kind == "BIPOLAR":
        return 2 * rng.integers(0, 2, shape) - 1
    return rng.integers(low, high, shape, endpoint=True)


def steps(rng: Any, rows: int, count: int, span: int, fraction: float = 0.0) -> Any:
    return np.sort(rng.integers(-span, span, (rows, count)) + fraction, axis=1)


def matrices(rng: Any) -> Iterator[Case]:
    for x, w, xnor in (
        *(("UINT4", "INT3", 0), ("INT8", "TERNARY", 0), ("BIPOLAR", "INT2", 0), ("UINT2", "BIPOLAR", 0)),
        *(("BIPOLAR", "BIPOLAR", 0), ("BINARY", "BINARY", 1)),
    ):
        for out, vectors in itertools.product(("", "UINT2", "BIPOLAR", "INT3"), ((1,), (1, 3, 2))):
            signs = x in ("BIPOLAR", "BINARY") and w in ("BIPOLAR", "BINARY")
            table = steps(rng, 6, {"": 0, "UINT2": 3, "BIPOLAR": 1, "INT3": 7}[out], 20)
            attributes = {
                "MW": 12,
                "MH": 6,
                "SIMD": 4,
                "PE": 3,
                "inputDataType": x,
                "weightDataType": w,
                "outputDataType": out or ("UINT32" if signs else "INT32"),
                "numInputVectors": list(vectors),
                "noActivation": int(not out),
                "binaryXnorMode": xnor,
                "ActVal": -4 if out == "INT3" else 0,
            }
            constants = [random(rng, (12, 6), w), *([np.abs(table) if signs else table] if out else [])]
            ends = [((*vectors, 12), x)], [((*vectors, 6), str(attributes["outputDataType"]))]
            yield Case("MVAU", attributes, *ends, constants)


def flattened(rng: Any) -> Iterator[Case]:
    """An image straight into a matrix, and thresholds that one row tells for all channels."""
    attributes = {
        "MW": 24,
        "MH": 5,
        "SIMD": 4,
        "PE": 5,
        "inputDataType": "INT4",
        "weightDataType": "INT4",
        "outputDataType": "UINT6",
        "numInputVectors": [1],
    }
    constants = [random(rng, (24, 5), "INT4"), steps(rng, 1, 63, 200)]
    yield Case("MVAU", attributes, [((1, 2, 3, 4), "INT4")], [((1, 5), "UINT6")], constants)


def depthwise(rng: Any) -> Iterator[Case]:
    for (x, w, out), pe in itertools.product(
        (("UINT4", "INT4", ""), ("INT5", "INT3", "UINT2"), ("BIPOLAR", "BIPOLAR", "")), (1, 2, 6)
    ):
        attributes = {
            "PE": pe,
            "Dim": [2, 3],
            "Channels": 6,
            "Kernel": [3, 2],
            "inputDataType": x,
            "weightDataType": w,
            "outputDataType": out or "INT32",
            "noActivation": int(not out),
        }
        constants = [random(rng, (6, 1, 3, 2), w), *([steps(rng, 6, 3, 30)] if out else [])]
        ends = [((1, 2, 3, 36), x)], [((1, 2, 3, 6), str(attributes["outputDataType"]))]
        yield Case("VVAU_rtl", attributes, *ends, constants)


def thresholds(rng: Any) -> Iterator[Case]:
    for x, out, rows, vectors, fraction in (
        *(
            ("INT8", "UINT3", 4, (1, 3, 2), 0.0),
            ("INT4", "UINT3", 1, (1, 5, 6), 0.5),
            ("UINT4", "INT4", 4, (2, 9), 0.25),
        ),
        *(
            ("INT6", "BIPOLAR", 4, (1, 2, 2), 0.0),
            ("INT12", "UINT8", 4, (1, 5), 0.0),
            ("INT4", "INT2", 1, (1,), 0.0),
        ),
    ):
        count = {"UINT3": 7, "INT4": 15, "BIPOLAR": 1, "UINT8": 255, "INT2": 3}[out]
        attributes = {
            "NumChannels": 4,
            "PE": 2,
            "numSteps": count,
            "inputDataType": x,
            "weightDataType": "INT13",
            "outputDataType": out,
            "ActVal": {"INT4": -8, "INT2": -2}.get(out, 0),
            "numInputVectors": list(vectors),
        }
        table = steps(rng, rows, count, int(DataType[x].max()), fraction)
        ends = [((*vectors, 4), x)], [((*vectors, 4), out)]
        yield Case("Thresholding_rtl", attributes, *ends, [table])


def images(rng: Any) -> Iterator[Case]:  # noqa: ARG001 - one signature for all
    for kernel, stride, dilation, dim in (
        *(
            ((3, 3), (1, 1), (1, 1), (6, 5)),
            ((2, 2), (2, 2), (1, 1), (7, 7)),
            ((1, 3), (1, 2), (1, 1), (1, 9)),
        ),
        *(
            ((3, 2), (2, 1), (2, 3), (8, 7)),
            ((1, 1), (2, 2), (1, 1), (5, 4)),
            ((5, 1), (1, 1), (2, 1), (12, 1)),
        ),
    ):
        spread = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
        out = [(size - s) // step + 1 for size, s, step in zip(dim, spread, stride, strict=True)]
        for depth in (0, 1):
            attributes = {
                "ConvKernelDim": list(kernel),
                "IFMChannels": 4,
                "IFMDim": list(dim),
                "OFMDim": out,
                "SIMD": 2,
                "Stride": list(stride),
                "Dilation": list(dilation),
                "depthwise": depth,
                "inputDataType": "INT5",
                "outputDataType": "INT5",
            }
            ends = [((1, *dim, 4), "INT5")], [((1, *out, 4 * kernel[0] * kernel[1]), "INT5")]
            yield Case("ConvolutionInputGenerator_rtl", attributes, *ends)
    pad = {"ImgDim": [3, 4], "Padding": [1, 0, 2, 3], "NumChannels": 2, "SIMD": 1, "inputDataType": "INT4"}
    yield Case("FMPadding_rtl", pad, [((1, 3, 4, 2), "INT4")], [((1, 6, 7, 2), "INT4")])
    pixel = {"ImgDim": [3, 4], "Stride": [2, 3], "NumChannels": 2, "SIMD": 1, "inputDataType": "INT4"}
    yield Case("FMPadding_Pixel", pixel, [((1, 3, 4, 2), "INT4")], [((1, 5, 10, 2), "INT4")])
    up = {"SIMD": 1, "HO": 6, "WO": 4, "HI": 3, "WI": 4, "NumChannels": 2, "inputDataType": "UINT4"}
    yield Case("UpsampleNearestNeighbour", up, [((1, 3, 4, 2), "UINT4")], [((1, 6, 4, 2), "UINT4")])


def pools(rng: Any) -> Iterator[Case]:  # noqa: ARG001
    for function, x, out, shift in (
        *(
            ("MaxPool", "INT4", "INT4", 0),
            ("QuantAvgPool", "UINT4", "UINT4", 3),
            ("QuantAvgPool", "INT4", "INT6", 1),
        ),
    ):
        attributes = {
            "Channels": 4,
            "PE": 4,
            "KernelSize": [3, 2],
            "Function": function,
            "OutImgDims": [2, 3],
            "InputDataType": x,
            "OutputDataType": out,
            "Size": shift,
        }
        yield Case("Pool", attributes, [((1, 2, 3, 24), x)], [((1, 2, 3, 4), out)])
    total = {"NumChannels": 3, "PE": 1, "inputDataType": "INT5", "numInputVectors": [1, 4, 5]}
    yield Case("GlobalAccPool", total, [((1, 4, 5, 3), "INT5")], [((1, 1, 1, 3), "INT10")])
    for labels, k in ((10, 1), (7, 3)):
        attributes = {"Labels": labels, "PE": 1, "K": k, "inputDataType": "UINT3", "outputDataType": "UINT8"}
        yield Case("LabelSelect", attributes, [((1, labels), "UINT3")], [((1, k), "UINT8")])


def elements(rng: Any) -> Iterator[Case]:
    common = {"NumChannels": 4, "PE": 2, "numInputVectors": [1, 2, 3]}
    shape = (1, 2, 3, 4)
    duplicate = common | {"NumOutputStreams": 3, "inputDataType": "INT4"}
    yield Case("DuplicateStreams", duplicate, [(shape, "INT4")], [(shape, "INT4")] * 3)
    join = {
        "SIMD": 1,
        "ChannelsPerStream": [3, 1, 2],
        "inputDataTypes": ["INT4"] * 3,
        "numInputVectors": [1, 2],
    }
    parts = [((1, 2, size), "INT4") for size in (3, 1, 2)]
    yield Case("StreamingConcat", join, parts, [((1, 2, 6), "INT4")])
    part = {"SIMD": 1, "ChannelsPerStream": [3, 1, 2], "inputDataType": "INT4", "numInputVectors": [1, 2]}
    yield Case("StreamingSplit", part, [((1, 2, 6), "INT4")], parts)
    fifo = {"depth": 4, "folded_shape": [1, 2, 3, 2, 2], "normal_shape": list(shape), "dataType": "INT4"}
    yield Case("StreamingFIFO_rtl", fifo, [(shape, "INT4")], [(shape, "INT4")])
    dwc = {"inShape": list(shape), "outShape": list(shape), "inWidth": 8, "outWidth": 16, "dataType": "INT4"}
    yield Case("StreamingDataWidthConverter_rtl", dwc, [(shape, "INT4")], [(shape, "INT4")])
    flat = {"inp_shape": list(shape), "out_shape": [1, 24], "dtype": "INT4"}
    yield Case("Reshape_rtl", flat, [(shape, "INT4")], [((1, 24), "INT4")])
    table = {
        "NumEmbeddings": 8,
        "EmbeddingDim": 3,
        "EmbeddingType": "INT6",
        "InputType": "UINT3",
        "InputShape": [1, 5],
    }
    yield Case("Lookup", table, [((1, 5), "UINT3")], [((1, 5, 3), "INT6")], [random(rng, (8, 3), "INT6")])


def sequences(rng: Any) -> Iterator[Case]:
    tokens = {"NumTokens": 5, "NumChannels": 4, "SIMD": 2, "inputDataType": "INT4"}
    for index in (0, -2):
        pick = tokens | {"TokenIndex": index}
        yield Case("SelectToken_rtl", pick, [((1, 5, 4), "INT4")], [((1, 4), "INT4")])
    for left, right, rows in ((2, 0, 1), (0, 3, 3), (1, 2, 2)):
        pad = tokens | {"PadLeft": left, "PadRight": right}
        around = [random(rng, (1, max(1, min(count, rows)), 4), "INT4") for count in (left, right)]
        out = ((1, 5 + left + right, 4), "INT4")
        yield Case("Pad1D_rtl", pad, [((1, 5, 4), "INT4")], [out], around)
    cut: dict[str, Any] = {
        "ImgDim": [4, 6],
        "NumChannels": 3,
        "SIMD": 1,
        "DataType": "INT4",
        "numInputVectors": [1],
    }
    cut |= {"CropNorth": 1, "CropSouth": 2, "CropWest": 0, "CropEast": 3}
    yield Case("Crop_rtl", cut, [((1, 4, 6, 3), "INT4")], [((1, 1, 3, 3), "INT4")])
    for shape in ((1, 2, 6, 5), (4, 3)):
        turn = {"in_shape": list(shape), "transpose_in_shape": list(shape), "SIMD": 2, "data_type": "INT4"}
        turned = (*shape[:-2], shape[-1], shape[-2])
        yield Case("InnerShuffle_rtl", turn, [(shape, "INT4")], [(turned, "INT4")])
    full, column, row = (2, 3, 4), (3, 1), (4,)
    choose: dict[str, Any] = {
        "Shape": list(full),
        "CondShape": list(column),
        "XShape": list(full),
        "YShape": list(row),
    }
    choose |= {"CondRank": 2, "XRank": 3, "YRank": 1, "PE": 2, "inputDataType": "INT4"}
    ends = [(column, "BINARY"), (full, "INT4"), (row, "INT4")]
    yield Case("HWWhere_rtl", choose, ends, [(full, "INT4")])


def operands(rng: Any) -> Iterator[Case]:
    numbers = ("Add", "Sub", "AbsDiff", "Max", "Mul", "BitwiseXor", "BitwiseAnd")
    for name in (*numbers, "Less", "GreaterOrEqual", "Equal", "And"):
        for right, style in (((1, 2, 3), "input"), ((3,), "const")):
            kinds = {"lhs_dtype": "INT4", "rhs_dtype": "INT4", "out_dtype": "INT9", "rhs_style": style}
            shapes = {"lhs_shape": [1, 2, 3], "rhs_shape": list(right), "out_shape": [1, 2, 3]}
            given = [((1, 2, 3), "INT4")] + ([(right, "INT4")] if style == "input" else [])
            constants = [random(rng, right, "INT4")] if style == "const" else []
            yield Case(f"Elementwise{name}", kinds | shapes, given, [((1, 2, 3), "INT9")], constants)


def run(case: Case, name: str, rng: Any, folder: Path) -> None:
    suffix = next((f".{end}" for end in ("rtl", "hls") if case.op.endswith(f"_{end}")), "")
    inputs = [f"in{index}" for index in range(len(case.inputs))]
    outputs = [f"out{index}" for index in range(len(case.outputs))]
    constants = {f"param{index}": value for index, value in enumerate(case.constants)}
    attributes = {"backend": "fpgadataflow", **case.attributes}
    names = [*inputs, *constants]
    node = helper.make_node(
        case.op, names, outputs, name=f"{case.op}_0", domain=DOMAIN + suffix, **attributes
    )
    held = [numpy_helper.from_array(v.astype(np.float32), key) for key, v in constants.items()]
    ends = [
        [
            helper.make_tensor_value_info(key, TensorProto.FLOAT, shape)
            for key, (shape, _) in zip(keys, given, strict=True)
        ]
        for keys, given in ((inputs, case.inputs), (outputs, case.outputs))
    ]
    graph = helper.make_graph([node], name, ends[0], ends[1], held)
    for key, (_, kind) in zip(inputs + outputs, [*case.inputs, *case.outputs], strict=True):
        note = graph.quantization_annotation.add(tensor_name=key)
        note.quant_parameter_tensor_names.add(key="finn_datatype", value=kind)
    arrays: dict[str, list[Any]] = {key: [] for key in inputs + outputs}
    layer = getCustomOp(node)
    if "exec_mode" in layer.get_nodeattr_types() and suffix:
        layer.set_nodeattr("exec_mode", "cppsim")
    for _ in range(FRAMES):
        context = {key: value.astype(np.float32) for key, value in constants.items()}
        for key, (shape, kind) in zip(inputs, case.inputs, strict=True):
            context[key] = random(rng, shape, kind).astype(np.float32)
            arrays[key].append(context[key])
        if case.op == "Lookup":
            context["in0"] = context["in0"].astype(np.int64)
        for key, (shape, _) in zip(outputs, case.outputs, strict=True):
            context[key] = np.zeros(shape, np.float32)
        layer.execute_node(context, graph)
        for key in outputs:
            arrays[key].append(context[key])
    onnx.save(helper.make_model(graph), str(folder / f"{name}.onnx"))
    stacked: dict[str, Any] = {key: np.stack(values) for key, values in arrays.items()}
    np.savez(folder / f"{name}.npz", **stacked)


def main() -> None:
    rng = np.random.default_rng(7)
    kinds = (matrices, flattened, depthwise, thresholds, images, pools, elements, sequences, operands)
    cases = [case for kind in kinds for case in kind(rng)]
    for index, case in enumerate(cases):
        run(case, f"{index:03d}_{case.op}", rng, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
