# SPDX-License-Identifier: BSD-3-Clause
"""Facts read from the child models: metadata, shapes and folding of every operator, memories."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from fake_network import chain, partition
from read.build_fixture import Build, child, make_model, node, save

from shellgen.model import AxiLitePort, Network, StreamPort
from shellgen.read.finn_onnx import FinnModel, load_model
from shellgen.read.hazards import hazards
from shellgen.read.initial import memblock
from shellgen.read.memory import with_memories
from shellgen.read.shapes import NotIntegerError, ShapeMismatchError, stream_shape

Side = Literal["in", "out"]


def model_of(
    tmp_path: Path, op_type: str, shapes: tuple[tuple[int, ...], ...], **attributes: object
) -> FinnModel:
    """One node from ``a`` to ``b``, annotated INT3 and INT5 where the node does not say."""
    made = make_model(
        [node(op_type, ["a", "w"], ["b"], **attributes)],
        {"a": shapes[0]},
        {"b": shapes[1]},
        {"a": "INT3", "b": "INT5"},
    )
    return load_model(save(made, tmp_path / "m.onnx"))


def port(direction: Side, bits: int) -> StreamPort:
    return StreamPort(name="s", direction=direction, tdata_bits=bits, ports={})


@pytest.mark.parametrize("in_graph", [False, True])
def test_metadata_from_wherever_it_is(tmp_path: Path, in_graph: bool) -> None:
    made = child(Build(), in_graph=in_graph)
    assert bool(made.metadata_props) is not in_graph
    model = load_model(save(made, tmp_path / "m.onnx"))
    assert model.metadata["vivado_stitch_vlnv"] == "xilinx_finn:finn:finn_design:1.0"


# (operator, tensor shapes, attributes, in: type and folded shape, out: type and folded shape)
V = {"numInputVectors": [1, 3, 3]}
ONE = {"numInputVectors": [1]}
TYPES = {"inputDataType": "UINT4", "outputDataType": "INT9"}
OPERATORS = [
    ("MVAU_rtl", ((1, 3, 3, 8), (1, 3, 3, 6)), {"MW": 8, "MH": 6, "SIMD": 4, "PE": 3, **V, **TYPES},
     ("UINT4", (1, 3, 3, 2, 4)), ("INT9", (1, 3, 3, 2, 3))),
    # FINN flattens between a convolution and a dense layer.
    ("MVAU_hls", ((1, 2, 2, 4), (1, 6)), {"MW": 16, "MH": 6, "SIMD": 8, "PE": 1, **ONE, **TYPES},
     ("UINT4", (1, 2, 8)), ("INT9", (1, 6, 1))),
    ("StreamingFCLayer_Batch", ((1, 8), (1, 6)), {"MW": 8, "MH": 6, "SIMD": 2, "PE": 6, **ONE, **TYPES},
     ("UINT4", (1, 4, 2)), ("INT9", (1, 1, 6))),
    ("MatrixVectorActivation", ((1, 8), (1, 6)), {"MW": 8, "MH": 6, "SIMD": 2, "PE": 6, **ONE, **TYPES},
     ("UINT4", (1, 4, 2)), ("INT9", (1, 1, 6))),
    ("VVAU_rtl", ((1, 3, 3, 36), (1, 3, 3, 4)),
     {"Channels": 4, "Kernel": [3, 3], "Dim": [3, 3], "PE": 2, "SIMD": 3, **TYPES},
     ("UINT4", (1, 3, 3, 6, 6)), ("INT9", (1, 3, 3, 2, 2))),
    ("Thresholding_rtl", ((1, 3, 3, 8), (1, 3, 3, 8)), {"NumChannels": 8, "PE": 4, **V, **TYPES},
     ("UINT4", (1, 3, 3, 2, 4)), ("INT9", (1, 3, 3, 2, 4))),
    ("ConvolutionInputGenerator_rtl", ((1, 5, 5, 4), (1, 3, 3, 36)),
     {"IFMChannels": 4, "SIMD": 2, "ConvKernelDim": [3, 3], "parallel_window": 0, **TYPES},
     ("UINT4", (1, 5, 5, 2, 2)), ("INT9", (1, 3, 3, 18, 2))),
    ("ConvolutionInputGenerator_rtl", ((1, 5, 5, 4), (1, 3, 3, 36)),
     {"IFMChannels": 4, "SIMD": 2, "ConvKernelDim": [3, 3], "parallel_window": 1, **TYPES},
     ("UINT4", (1, 5, 5, 2, 2)), ("INT9", (1, 3, 3, 2, 18))),
    ("FMPadding_rtl", ((1, 3, 3, 8), (1, 5, 5, 8)), {"NumChannels": 8, "SIMD": 4, "inputDataType": "UINT4"},
     ("UINT4", (1, 3, 3, 2, 4)), ("INT5", (1, 5, 5, 2, 4))),
    ("StreamingFIFO_rtl", ((1, 3, 8), (1, 3, 8)), {"folded_shape": [1, 3, 4, 2], "dataType": "UINT7"},
     ("UINT7", (1, 3, 4, 2)), ("UINT7", (1, 3, 4, 2))),
    ("StreamingDataWidthConverter_rtl", ((1, 12), (1, 12)),
     {"shape": [1, 12], "inWidth": 4, "outWidth": 24, "dataType": "INT4"},
     ("INT4", (1, 12, 1)), ("INT4", (1, 2, 6))),
    ("AddStreams_hls", ((1, 3, 3, 8), (1, 3, 3, 8)),
     {"NumChannels": 8, "PE": 2, **V, "inputDataType": "INT4"},
     ("INT4", (1, 3, 3, 4, 2)), ("INT5", (1, 3, 3, 4, 2))),
    ("LabelSelect_hls", ((1, 10), (1, 1)), {"Labels": 10, "PE": 2, **TYPES},
     ("UINT4", (1, 5, 2)), ("INT9", (1, 1, 1))),
    # Two-dimensional pooling has all channels in one word, whatever its PE says.
    ("StreamingMaxPool_Batch", ((1, 4, 4, 6), (1, 2, 2, 6)),
     {"ImgDim": [4, 4], "NumChannels": 6, "PE": 1, "dataType": "BINARY"},
     ("BINARY", (1, 4, 4, 1, 6)), ("BINARY", (1, 2, 2, 1, 6))),
    ("StreamingMaxPool_Batch", ((1, 4, 1, 6), (1, 2, 1, 6)),
     {"ImgDim": [4, 1], "NumChannels": 6, "PE": 2, "dataType": "INT8"},
     ("INT8", (1, 4, 1, 3, 2)), ("INT8", (1, 2, 1, 3, 2))),
]  # fmt: skip


@pytest.mark.parametrize(("op", "shapes", "attributes", "source", "result"), OPERATORS)
def test_folding_of_every_operator(
    tmp_path: Path,
    op: str,
    shapes: tuple[tuple[int, ...], ...],
    attributes: dict[str, object],
    source: tuple[str, tuple[int, ...]],
    result: tuple[str, tuple[int, ...]],
) -> None:
    model = model_of(tmp_path, op, shapes, **attributes)
    sides: tuple[tuple[Side, tuple[str, tuple[int, ...]]], ...] = (("in", source), ("out", result))
    for direction, (datatype, folded) in sides:
        bits = {"BINARY": 1}.get(datatype) or int(datatype.lstrip("UINT"))
        shape = stream_shape(model, port(direction, (bits * folded[-1] + 7) // 8 * 8), 0)
        assert shape is not None
        assert (shape.datatype, shape.folded) == (datatype, folded)
        assert shape.normal == (*folded[:-2], folded[-2] * folded[-1])


def test_duplicated_outputs_are_told_apart_by_index(tmp_path: Path) -> None:
    nodes = [
        node("DuplicateStreams_hls", ["a"], ["b", "c"], inputDataType="UINT4", NumChannels=8, PE=2),
        node("StreamingFIFO_rtl", ["c"], ["d"], dataType="UINT4", folded_shape=[1, 2, 4]),
    ]
    made = make_model(nodes, {"a": (1, 8)}, {"b": (1, 8), "d": (1, 8)})
    model = load_model(save(made, tmp_path / "m.onnx"))
    first, second = stream_shape(model, port("out", 8), 0), stream_shape(model, port("out", 16), 1)
    assert first is not None
    assert first.folded == (1, 4, 2)
    assert second is not None
    assert second.folded == (1, 2, 4)
    assert stream_shape(model, port("out", 8), 2) is None


@pytest.mark.parametrize(("bits", "folded"), [(64, (1, 2, 20)), (16, None), (8, None)])
def test_an_unknown_operator_only_if_there_is_one_way(
    tmp_path: Path, bits: int, folded: tuple[int, ...] | None
) -> None:
    """40 elements of INT3: 64 bits are 20 of them; 16 bits are 4 or 5, 8 bits are 1 or 2."""
    shape = stream_shape(model_of(tmp_path, "Softmax_hls", ((1, 40), (1, 40))), port("in", bits), 0)
    assert (shape.folded if shape else None) == folded


def test_floating_point_is_told_and_external_weights_are_not_guessed(tmp_path: Path) -> None:
    model = model_of(tmp_path, "Thresholding_rtl", ((1, 8), (1, 8)), inputDataType="FLOAT32", PE=1)
    with pytest.raises(NotIntegerError, match="b takes FLOAT32, and links carry integers"):
        stream_shape(model, port("in", 32), 0)
    nodes = [
        node(
            "MVAU_hls",
            ["a", "w"],
            ["b"],
            MW=8,
            MH=6,
            SIMD=4,
            PE=3,
            inputDataType="UINT4",
            numInputVectors=[1],
        )
    ]
    external = load_model(
        save(make_model(nodes, {"a": (1, 8), "w": (8, 6)}, {"b": (1, 6)}), tmp_path / "x.onnx")
    )
    assert stream_shape(external, port("in", 16), 0) is not None
    assert stream_shape(external, port("in", 48), 1) is None


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"SIMD": 2, "weightDataType": "INT3"}, None),
        (
            {"SIMD": 2, "weightDataType": "UINT2"},
            "weights are UINT2, and FINN's RTL takes all weights for signed",
        ),
        ({"SIMD": 8, "weightDataType": "INT3"}, "SIMD is MW"),
    ],
)
def test_matrix_units_that_go_wrong_in_hardware(
    tmp_path: Path, attributes: dict[str, object], expected: str | None
) -> None:
    model = model_of(tmp_path, "MVAU_rtl", ((1, 8), (1, 4)), MW=8, MH=4, PE=1, **attributes)
    network = chain(partition("p"))
    unit = network.partitions[0].sources[0].model_copy(update={"name": "rtl_mvu_vvu_axi.sv"})
    made = network.partitions[0].model_copy(update={"sources": (unit,)})
    found = hazards(Network((made,), (), network.files, "build", models={"p": model}))
    assert [expected in text for text in found if expected] == ([True] if expected else [])
    assert len(found) == (1 if expected else 0)


def test_a_word_that_is_not_as_wide_as_tdata(tmp_path: Path) -> None:
    model = model_of(
        tmp_path, "MVAU_rtl", ((1, 8), (1, 6)), MW=8, MH=6, SIMD=4, PE=3, numInputVectors=[1], **TYPES
    )
    with pytest.raises(ShapeMismatchError, match="words of 4 UINT4, 16 bits, but TDATA has 24"):
        stream_shape(model, port("in", 24), 0)


def lite(count: int) -> tuple[AxiLitePort, ...]:
    return tuple(
        AxiLitePort(name=f"s_axilite_{k}", addr_bits=9, data_bits=32, ports={}) for k in range(count)
    )


def memories_model(tmp_path: Path) -> FinnModel:
    runtime = {"runtime_writeable_weights": 1}
    nodes = [
        node("MVAU_rtl", ["a", "w0"], ["b"], MW=12, MH=8, SIMD=3, PE=7 + 1, weightDataType="INT4", **runtime),
        node("MVAU_rtl", ["b", "w1"], ["c"], MW=12, MH=8, SIMD=3, PE=1, weightDataType="INT4"),
        node(
            "Thresholding_rtl",
            ["c", "t0"],
            ["d"],
            NumChannels=12,
            PE=3,
            numSteps=15,
            weightDataType="INT13",
            **runtime,
        ),
        node("FMPadding_rtl", ["d"], ["e"], dynamic_mode=1),
        node(
            "Thresholding_hls",
            ["e", "t1"],
            ["f"],
            NumChannels=12,
            PE=3,
            numSteps=15,
            weightDataType="INT13",
            **runtime,
        ),
        node(
            "VVAU_hls",
            ["f", "w2"],
            ["g"],
            Channels=8,
            Kernel=[3, 3],
            PE=2,
            SIMD=9,
            weightDataType="BIPOLAR",
            **runtime,
        ),
    ]
    return load_model(save(make_model(nodes, {"a": (1, 12)}, {"g": (1, 8)}), tmp_path / "m.onnx"))


def test_memories_belong_to_nodes_in_graph_order(tmp_path: Path) -> None:
    found = [entry.memory for entry in with_memories(lite(5), memories_model(tmp_path))]
    rows = [(m.layer, m.kind, m.word_bits, m.words, m.lanes) if m else None for m in found]
    assert rows == [
        ("b", "weights", 96, 4, 4),  # 3 registers, rounded up to 4
        ("d", "thresholds", 13, 4 * 4 * 16, 1),  # 4 folds, PE 3 spaced as 4, 15 steps as 16
        None,  # a control interface: no memory
        ("f", "thresholds", 3 * 15 * 13, 4, 32),
        ("g", "weights", 18, 4, 1),
    ]


def test_memories_are_not_guessed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = with_memories(lite(4), memories_model(tmp_path))
    assert [entry.memory for entry in found] == [None] * 4
    assert "4 AXI-Lite interfaces, but 5 nodes" in caplog.text


def weights_model(tmp_path: Path, array: np.ndarray, datatype: str, **changes: int) -> FinnModel:
    sizes = {"MW": 4, "MH": 2, "SIMD": 2, "PE": 2} | changes
    mvau = node(
        "MVAU_hls",
        ["a", "w"],
        ["b"],
        name="StreamingDataflowPartition_1_MVAU_0",
        weightDataType=datatype,
        **sizes,
    )
    made = make_model([mvau], {"a": (1, 4)}, {"b": (1, 2)}, initialisers={"w": array})
    return load_model(save(made, tmp_path / "m.onnx"))


def test_bipolar_weights_are_bits(tmp_path: Path) -> None:
    """Word 0 holds inputs 0 and 1: PE 0 sees +1 -1, PE 1 sees -1 -1, so bits 0001; word 1: 10 and 11."""
    array = np.array([[1, -1], [-1, -1], [-1, 1], [1, 1]])
    assert memblock(weights_model(tmp_path, array, "BIPOLAR"), "MVAU_0") == b"1\ne\n"


@pytest.mark.parametrize(
    ("datatype", "layer", "changes"),
    [("INT2", "MVAU_0", {}), ("FLOAT32", "MVAU_0", {}), ("INT4", "MVAU_1", {}), ("INT4", "MVAU_0", {"MW": 5}),
     ("INT4", "MVAU_0", {"SIMD": 3})],
)  # fmt: skip
def test_weights_that_cannot_be_told(
    tmp_path: Path, datatype: str, layer: str, changes: dict[str, int]
) -> None:
    array = np.full((4, 2), 5)
    assert memblock(weights_model(tmp_path, array, "INT4"), "MVAU_0") is not None
    assert memblock(weights_model(tmp_path, array, datatype, **changes), layer) is None
