# SPDX-License-Identifier: BSD-3-Clause
"""Operators on images, (height, width, channels): windows, padding, pooling, resampling.

Source: `execute_node` of finn-plus 1.3.0; for layers removed since, the operators of FINN 0.5 to 0.9.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from shellgen.golden.layer import Integers, Layer


def windows(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """ConvolutionInputGenerator: the pixels under the kernel, for every kernel position.

    For a depthwise layer, a window is output in groups of SIMD channels of each pixel. Rows and columns that
    no window needs are dropped.
    """
    (height, width), channels = layer.pair("IFMDim"), layer.size("IFMChannels")
    kernel, stride = layer.pair("ConvKernelDim"), layer.pair("Stride", (1, 1))
    dilation = layer.pair("Dilation", (1, 1))
    spread = tuple(d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True))
    if spread[0] > height or spread[1] > width:
        raise layer.refuse("has a kernel larger than its image")
    x = layer.frames(inputs[0], height, width, channels)
    view = sliding_window_view(x, spread, axis=(1, 2))
    view = view[:, :: stride[0], :: stride[1], :, :: dilation[0], :: dilation[1]]
    found = view.transpose(0, 1, 2, 4, 5, 3)
    if layer.flag("depthwise"):
        simd = layer.size("SIMD")
        if channels % simd:
            raise layer.refuse(f"has {channels} channels and SIMD {simd}")
        found = found.reshape(*found.shape[:3], -1, channels // simd, simd).swapaxes(3, 4)
    return [found.reshape(*found.shape[:3], -1)]


def padding(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """FMPadding: zeros around the image; [top, left, bottom, right].

    Until FINN 0.5 this was one number for both ends, and style 2 put the larger half first.
    """
    (height, width), channels = layer.pair("ImgDim"), layer.size("NumChannels")
    around = layer.node.integers("Padding")
    total = layer.node.integer("Padding")
    if total is not None:
        first = total // 2 + (total % 2 if layer.node.integer("PaddingStyle", 2) == 2 else 0)
        around = (first, first, total - first, total - first)
    if around is None or len(around) != 4:
        raise layer.refuse("does not state its padding on each side")
    x = layer.frames(inputs[0], height, width, channels)
    return [np.pad(x, ((0, 0), (around[0], around[2]), (around[1], around[3]), (0, 0)))]


def pixel_padding(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """FMPadding_Pixel: stride - 1 zeros between the pixels, as for a transposed convolution."""
    (height, width), channels = layer.pair("ImgDim"), layer.size("NumChannels")
    down, across = layer.pair("Stride")
    x = layer.frames(inputs[0], height, width, channels)
    found = np.zeros((len(x), (height - 1) * down + 1, (width - 1) * across + 1, channels), x.dtype)
    found[:, ::down, ::across] = x
    return [found]


def max_pool(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """StreamingMaxPool: adjacent windows; the rest at the edge counts only with CeilMode."""
    (height, width), channels = layer.pair("ImgDim"), layer.size("NumChannels")
    down, across = layer.pair("PoolDim")
    x = layer.frames(inputs[0], height, width, channels)
    if layer.flag("CeilMode"):
        edge = ((0, 0), (0, -height % down), (0, -width % across), (0, 0))
        x = np.pad(x, edge, mode="constant", constant_values=x.min())
    rows, columns = x.shape[1] // down, x.shape[2] // across
    cut = x[:, : rows * down, : columns * across]
    return [cut.reshape(len(x), rows, down, columns, across, channels).max(axis=(2, 4))]


def pool(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """Pool: the largest value or the shifted sum of each channel of a window, (channels/PE, kernel, PE)."""
    channels, pe = layer.size("Channels"), layer.size("PE", 1)
    kernel = layer.node.integers("KernelSize")
    # Until FINN 0.8 the size of a square kernel was one number.
    single = layer.node.integer("KernelSize")
    places = single * single if single else int(np.prod(kernel or (0,)))
    if channels % pe or not places:
        raise layer.refuse(f"has {channels} channels, PE {pe} and a kernel of {places}")
    x = layer.frames(inputs[0], -1, channels // pe, places, pe)
    function = layer.node.text("Function")
    if function == "MaxPool":
        found = x.max(axis=3)
    elif function == "QuantAvgPool":
        found = x.sum(axis=3, dtype=np.int64) >> _shift(layer, places)
    else:
        raise layer.refuse(f"has the unknown function {function}")
    return [found.reshape(len(x), -1, channels)]


def _shift(layer: Layer, places: int) -> int:
    """Return the excess bits of the largest sum; FINN's HLS has them as an attribute."""
    size = layer.node.integer("Size")
    source, result = layer.node.element("InputDataType"), layer.node.element("OutputDataType")
    if size is not None and layer.by_hls:
        return size
    if source is None or result is None:
        raise layer.refuse("does not state by how much it shifts")
    return max(0, (((1 << source.bits) - 1) * places).bit_length() - result.bits)


def global_sum(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """GlobalAccPool: the sum of each channel."""
    x = layer.frames(inputs[0], -1, layer.size("NumChannels"))
    return [x.sum(axis=1, dtype=np.int64)]


def upsample(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """UpsampleNearestNeighbour: each pixel repeated."""
    channels = layer.size("NumChannels")
    if layer.node.integer("HI"):
        sizes = [(layer.size("HI"), layer.size("HO")), (layer.size("WI"), layer.size("WO"))]
    else:
        side = (layer.size("IFMDim"), layer.size("OFMDim"))
        sizes = [side, (1, 1) if layer.flag("DimMode") else side]
    if any(out % size for size, out in sizes):
        raise layer.refuse(f"computes {sizes[0][1]} x {sizes[1][1]} from {sizes[0][0]} x {sizes[1][0]}")
    x = layer.frames(inputs[0], sizes[0][0], sizes[1][0], channels)
    return [x.repeat(sizes[0][1] // sizes[0][0], axis=1).repeat(sizes[1][1] // sizes[1][0], axis=2)]


def downsample(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """DownSampler: every stride-th pixel; for one-dimensional data in one direction only."""
    size, stride, channels = layer.size("ImgDim"), layer.size("Stride"), layer.size("NumChannels")
    flat = layer.flag("is1D")
    x = layer.frames(inputs[0], *((size, 1) if flat else (size, size)), channels)
    return [x[:, ::stride, ::1] if flat else x[:, ::stride, ::stride]]
