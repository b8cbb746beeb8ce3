# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside FINN's environment: cycles of random layers, by FINN's own ``get_exp_cycles``.

    PYTHONPATH=<folder of finn_worker> python finn_cycles.py <count>

prints a JSON list of operator, attributes and cycles.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from finn_worker.stand_ins import stand_in
from onnx import helper

stand_in()
from qonnx.custom_op.registry import getCustomOp  # noqa: E402 - it imports FINN

DOMAIN = "finn.custom_op.fpgadataflow"
INT = {"inputDataType": "INT4", "outputDataType": "INT4"}


def divisor(rng: random.Random, number: int) -> int:
    return rng.choice([one for one in range(1, number + 1) if number % one == 0])


def matrix(rng: random.Random) -> tuple[str, dict[str, Any]]:
    height, width = rng.randint(1, 96), rng.randint(1, 96)
    vectors = rng.choice(([1], [1, rng.randint(1, 9)], [1, rng.randint(1, 9), rng.randint(1, 9)]))
    folding = {"PE": divisor(rng, height), "SIMD": divisor(rng, width)}
    return "MVAU_rtl", folding | {"MH": height, "MW": width, "numInputVectors": vectors, **INT}


def depthwise(rng: random.Random) -> tuple[str, dict[str, Any]]:
    channels, kernel = rng.randint(1, 48), [rng.randint(1, 5), rng.randint(1, 5)]
    folding = {"PE": divisor(rng, channels), "SIMD": divisor(rng, kernel[0] * kernel[1])}
    shape = {"Channels": channels, "Kernel": kernel, "Dim": [rng.randint(1, 20), rng.randint(1, 20)]}
    return "VVAU_rtl", folding | shape | INT


def channelwise(rng: random.Random) -> tuple[str, dict[str, Any]]:
    channels = rng.randint(1, 64)
    vectors = [1, rng.randint(1, 20), rng.randint(1, 20)]
    common = {"NumChannels": channels, "PE": divisor(rng, channels), "numInputVectors": vectors}
    if rng.random() < 0.5:
        return "Thresholding_rtl", common | INT | {"numSteps": 7, "weightDataType": "INT8"}
    return "DuplicateStreams_hls", common | {"inputDataType": "INT4", "NumOutputStreams": 2}


def elementwise(rng: random.Random) -> tuple[str, dict[str, Any]]:
    shape = [1, rng.randint(1, 20), rng.randint(1, 20), rng.randint(1, 64)]
    constant = rng.random() < 0.5
    attributes: dict[str, Any] = {"lhs_shape": shape, "out_shape": shape, "PE": divisor(rng, shape[-1])}
    attributes |= {"rhs_shape": shape[-1:] if constant else shape, "lhs_style": "input"}
    attributes |= {"rhs_style": "const" if constant else "input"}
    attributes |= {"lhs_dtype": "INT4", "rhs_dtype": "INT4", "out_dtype": "INT8"}
    return rng.choice(("ElementwiseAdd_hls", "ElementwiseSub_hls", "ElementwiseMul_hls")), attributes


def padding(rng: random.Random) -> tuple[str, dict[str, Any]]:
    channels = rng.randint(1, 64)
    pad = [rng.randint(0, 3) for _ in range(4)]
    size = [rng.randint(1, 30), rng.randint(1, 30)]
    attributes = {"ImgDim": size, "Padding": pad, "NumChannels": channels, "SIMD": divisor(rng, channels)}
    return "FMPadding_rtl", attributes | {"inputDataType": "INT4"}


def pool(rng: random.Random) -> tuple[str, dict[str, Any]]:
    channels = rng.randint(1, 64)
    attributes = {"Channels": channels, "PE": divisor(rng, channels), "KernelSize": [2, rng.randint(1, 3)]}
    attributes |= {"OutImgDims": [rng.randint(1, 20), rng.randint(1, 20)], "Function": "MaxPool"}
    return "Pool_hls", attributes | {"InputDataType": "INT4", "OutputDataType": "INT4"}


def window(rng: random.Random) -> tuple[str, dict[str, Any]]:
    channels, flat = rng.randint(1, 32), rng.random() < 0.3
    kernel = [1 if flat else rng.randint(1, 5), rng.randint(2, 5)]
    stride = [1 if flat else rng.randint(1, 3), rng.randint(1, 3)]
    dilation = [1 if flat else rng.randint(1, 2), rng.randint(1, 2)]
    size = [1 if flat else rng.randint(11, 30), rng.randint(11, 30)]
    if flat and rng.random() < 0.5:
        kernel, stride, dilation, size = (one[::-1] for one in (kernel, stride, dilation, size))
    out = [(size[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in (0, 1)]
    attributes = {
        "ConvKernelDim": kernel,
        "IFMChannels": channels,
        "IFMDim": size,
        "OFMDim": out,
        "SIMD": divisor(rng, channels),
        "Stride": stride,
        "Dilation": dilation,
        "depthwise": rng.randint(0, 1),
        "is1D": int(flat),
    }
    if rng.random() < 0.2:
        attributes |= {"parallel_window": 1, "SIMD": channels, "depthwise": 0}
    return "ConvolutionInputGenerator_rtl", attributes | INT


def sequence(rng: random.Random) -> tuple[str, dict[str, Any]]:
    channels, tokens = rng.randint(1, 64), rng.randint(1, 30)
    common: dict[str, Any] = {"NumChannels": channels, "SIMD": divisor(rng, channels)}
    kind = rng.choice(("SelectToken_rtl", "Pad1D_rtl", "Crop_rtl"))
    if kind == "Crop_rtl":
        common |= {"ImgDim": [rng.randint(1, 20), tokens], "DataType": "INT4", "numInputVectors": [1]}
        return kind, common | dict.fromkeys(("CropNorth", "CropSouth", "CropWest", "CropEast"), 0)
    more = {"TokenIndex": 0} if kind == "SelectToken_rtl" else {"PadLeft": rng.randint(0, 4), "PadRight": 2}
    return kind, common | {"NumTokens": tokens, "inputDataType": "INT4"} | more


def joined(rng: random.Random) -> tuple[str, dict[str, Any]]:
    simd, parts = rng.randint(1, 4), rng.randint(2, 4)
    channels = [simd * rng.randint(1, 9) for _ in range(parts)]
    vectors = [1, rng.randint(1, 20), rng.randint(1, 20)]
    common: dict[str, Any] = {"ChannelsPerStream": channels, "SIMD": simd, "numInputVectors": vectors}
    if rng.random() < 0.5:
        return "StreamingConcat_hls", common | {"inputDataTypes": ["INT4"] * parts}
    return "StreamingSplit_hls", common | {"inputDataType": "INT4"}


def resized(rng: random.Random) -> tuple[str, dict[str, Any]]:
    channels, size, times = rng.randint(1, 64), [rng.randint(1, 20), rng.randint(1, 20)], rng.randint(1, 4)
    common: dict[str, Any] = {
        "NumChannels": channels,
        "SIMD": divisor(rng, channels),
        "inputDataType": "INT4",
    }
    if rng.random() < 0.5:
        return "FMPadding_Pixel_hls", common | {"ImgDim": size, "Stride": [rng.randint(1, 3), times]}
    common |= {"HI": size[0], "WI": size[1], "HO": size[0] * times, "WO": size[1] * times, "batchSize": 1}
    return "UpsampleNearestNeighbour_hls", common


def counted(rng: random.Random) -> tuple[str, dict[str, Any]]:
    channels, vectors = rng.randint(1, 64), [1, rng.randint(1, 20), rng.randint(1, 20)]
    fold = divisor(rng, channels)
    if rng.random() < 0.5:
        common: dict[str, Any] = {"NumChannels": channels, "PE": fold, "inputDataType": "INT4"}
        return "GlobalAccPool_hls", common | {"numInputVectors": vectors}
    replicas = {"num": 3, "dtype": "INT4", "num_elems": channels, "PE": fold, "num_inputs": vectors}
    return "ReplicateStream_hls", replicas


KINDS = (
    *(matrix, depthwise, channelwise, elementwise, padding, pool, window, window, sequence),
    *(joined, resized, counted),
)


def layers(rng: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    while True:
        for kind in KINDS:
            yield kind(rng)


def main() -> None:
    rng, found = random.Random(1), []
    for _, (op, attributes) in zip(range(int(sys.argv[1])), layers(rng), strict=False):
        back_end = op.rsplit("_", 1)[1]
        node = helper.make_node(
            op, ["in"], ["out"], domain=f"{DOMAIN}.{back_end}", backend="fpgadataflow", **attributes
        )
        found.append([op, attributes, int(getCustomOp(node).get_exp_cycles())])
    print(json.dumps(found))


main()
