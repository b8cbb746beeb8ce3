# SPDX-License-Identifier: BSD-3-Clause
"""Need curves of layers, composed over a partition, against closed forms and a count pixel by pixel."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from shellgen.model import Flow, StreamPort
from shellgen.read.finn_onnx import FinnModel, Node
from shellgen.read.flow import flows, need_curves
from shellgen.read.needs import need_of

CONVOLUTION: tuple[tuple[str, dict[str, Any]], ...] = (
    ("FMPadding_rtl", {"ImgDim": (8, 8), "Padding": (1, 1, 1, 1), "NumChannels": 8, "SIMD": 4}),
    (
        "ConvolutionInputGenerator_rtl",
        {
            "IFMDim": (10, 10),
            "OFMDim": (8, 8),
            "ConvKernelDim": (3, 3),
            "Stride": (1, 1),
            "Dilation": (1, 1),
            "IFMChannels": 8,
            "SIMD": 4,
        },
    ),
    ("StreamingDataWidthConverter_rtl", {"inWidth": 16, "outWidth": 32}),
    ("MVAU_rtl", {"MW": 72, "MH": 8, "SIMD": 8, "PE": 4, "numInputVectors": (1, 8, 8)}),
    ("Thresholding_rtl", {"NumChannels": 8, "PE": 4}),
)


def node(op: str, number: int, **attributes: Any) -> Node:
    return Node(op, f"{op}_{number}", "finn", (f"t{number}",), (f"t{number + 1}",), attributes)


def model(*layers: tuple[str, dict[str, Any]]) -> FinnModel:
    nodes = tuple(node(op, number, **attributes) for number, (op, attributes) in enumerate(layers))
    ends = (f"t{len(layers)}",)
    return FinnModel(Path("m.onnx"), nodes, ("t0",), ("t0",), ends, {}, {}, {})


def flow(found: FinnModel, into: int, out: int) -> Flow:
    def port(name: str, way: Literal["in", "out"], words: int) -> StreamPort:
        return StreamPort(name=name, direction=way, tdata_bits=32, ports={}, folded_shape=(1, words, 4))

    ports = [port("s_axis_0", "in", into), port("m_axis_0", "out", out)]
    (one,) = flows(found, ports)
    return one


def test_two_convolutions_as_simulated() -> None:
    """FINN's RTL of two padded 3x3 convolutions of 8x8x8: the first word out after 38 words in, 19 pixels."""
    found = model(*CONVOLUTION, *CONVOLUTION)
    (curve,) = need_curves(found, {"t0": 128, "t10": 128}).values()
    assert curve[0] == 38
    assert (curve - np.arange(len(curve))).max() == 38
    assert curve[-1] == 128
    one = flow(found, 128, 128)
    assert one.known
    assert one.need_first == 38
    # The last word of a frame after 1,400 cycles, and not FINN's sum of all layers, 5,356.
    assert one.last == pytest.approx(1_400, rel=0.05)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "dilation"), [*itertools.product((5, 8), (1, 2, 3), (1, 2), (1, 2))]
)
def test_a_window_is_in_before_it_is_out(size: int, kernel: int, stride: int, dilation: int) -> None:
    reach = (kernel - 1) * dilation
    out = (size - reach - 1) // stride + 1
    attributes = {
        "IFMDim": (size, size),
        "OFMDim": (out, out),
        "ConvKernelDim": (kernel, kernel),
        "Stride": (stride, stride),
        "Dilation": (dilation, dilation),
    }
    found = need_of(node("ConvolutionInputGenerator_rtl", 0, **attributes), [size * size * 2])
    assert found is not None
    expected = []
    for row, column in itertools.product(range(out), repeat=2):
        pixel = (row * stride + reach) * size + column * stride + reach
        expected += [(pixel + 1) * 2] * (kernel * kernel * 2)
    assert found.need.tolist() == expected


def test_layers_of_other_kinds() -> None:
    converter = need_of(node("StreamingDataWidthConverter_rtl", 0, inWidth=24, outWidth=16), [6])
    assert converter is not None
    assert converter.need.tolist() == [1, 2, 2, 3, 4, 4, 5, 6, 6]
    pool = need_of(node("Pool_hls", 0, KernelSize=(2, 2)), [16])
    assert pool is not None
    assert pool.need.tolist() == [4, 8, 12, 16]
    assert need_of(node("MVAU_rtl", 0, MW=6, MH=4, SIMD=4, PE=1), [6]) is None
    assert need_of(node("LayerOfTomorrow", 0), [6]) is None


def test_a_matrix_is_transposed_when_all_of_it_is_in() -> None:
    found = need_of(node("InnerShuffle_rtl", 0, transpose_in_shape=(2, 4, 6), SIMD=2), [24])
    assert found is not None
    assert found.need.tolist() == [12] * 12 + [24] * 12


def test_a_product_of_two_streams_needs_a_whole_second_matrix() -> None:
    """Two matrices of 4 x 6 in words of PE elements; three vectors for each."""
    product = node("MVAU_rtl", 0, MW=6, MH=4, SIMD=3, PE=2)
    found = need_of(product, [12, 24])
    assert found is not None
    assert found.need.tolist() == [2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12]
    assert found.at(1).tolist() == [12] * 6 + [24] * 6
    assert need_of(product, [12, 23]) is None
    assert need_of(node("Thresholding_rtl", 0), [12, 24]) is None


def test_a_layer_of_unknown_kind_needs_the_whole_frame() -> None:
    found = model(("LayerOfTomorrow", {}), ("Thresholding_rtl", {}))
    assert flows(found, []) == ()
    one = model(("Thresholding_rtl", {}), ("LayerOfTomorrow", {}))
    told = flow(one, 20, 7)
    assert not told.known
    assert told.need_first == 20
    assert (told.first, told.last, told.tail) == (26, 32, 12)


PIXELS: list[tuple[tuple[int, ...], list[int]]] = [
    ((1, 2, 2), [3, 2]),
    ((5,), [1, 4]),
    ((1,), [2, 2]),
    ((2, 3), [1, 4, 2]),
]


@pytest.mark.parametrize(("pixels", "own"), PIXELS)
def test_concat_reads_one_stream_after_the_other(pixels: tuple[int, ...], own: list[int]) -> None:
    count = int(np.prod(pixels))
    names = tuple("abc"[: len(own)])
    one = Node("StreamingConcat", "c", "finn", names, ("o",), {"numInputVectors": pixels})
    found = need_of(one, [count * each for each in own])
    assert found is not None
    taken = [0] * len(own)
    for place, stream in enumerate(_turns(own) * count):
        taken[stream] += 1
        assert [found.at(index)[place] for index in range(len(own))] == taken
    assert len(found.need) == count * sum(own)
    assert need_of(one, [count * own[0] + 1, *(count * each for each in own[1:])]) is None or count == 1


@pytest.mark.parametrize(("pixels", "own"), PIXELS)
@pytest.mark.parametrize("simd", [1, 2])
def test_split_gives_to_one_stream_after_the_other(
    pixels: tuple[int, ...], own: list[int], simd: int
) -> None:
    count = int(np.prod(pixels))
    names = tuple("abc"[: len(own)])
    channels: dict[str, Any] = {"ChannelsPerStream": tuple(each * simd for each in own), "SIMD": simd}
    one = Node("StreamingSplit", "s", "finn", ("i",), names, {"numInputVectors": pixels, **channels})
    found = need_of(one, [count * sum(own)])
    assert found is not None
    given = [0] * len(own)
    for place, stream in enumerate(_turns(own) * count):
        assert found.at(0, stream)[given[stream]] == place + 1
        given[stream] += 1
    assert given == [len(found.at(0, stream)) for stream in range(len(own))]
    assert need_of(one, [count * sum(own) + 1]) is None


def _turns(own: list[int]) -> list[int]:
    """Return the stream of each word of a pixel."""
    return [stream for stream, words in enumerate(own) for _ in range(words)]


def test_upsampling_keeps_rows_and_pixels() -> None:
    attributes = {"HI": 2, "WI": 3, "HO": 4, "WO": 9, "NumChannels": 4, "SIMD": 2}
    one = Node("UpsampleNearestNeighbour", "u", "finn", ("a",), ("o",), dict(attributes))
    found = need_of(one, [12])
    assert found is not None
    most = 0
    for place, (row, column, beat) in enumerate(itertools.product(range(4), range(9), range(2))):
        most = max(most, (row // 2 * 3 + column // 3) * 2 + beat + 1)
        assert found.need[place] == most
    assert need_of(Node("UpsampleNearestNeighbour", "u", "finn", ("a",), ("o",), {"HI": 2}), [12]) is None
