# SPDX-License-Identifier: BSD-3-Clause
"""Streams of external weights, in the models that FINN's transformations leave behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from read.build_fixture import make_model, node, save

from shellgen.model import StreamPort
from shellgen.read.external import dma_weights, model_weights, stream_inputs
from shellgen.read.finn_onnx import FinnModel, load_model
from shellgen.read.memory import with_memories
from shellgen.read.shapes import Shape, ShapeMismatchError, stream_shape

MATRIX = np.arange(48).reshape(8, 6) % 15 - 7
MVAU = {"MW": 8, "MH": 6, "SIMD": 4, "PE": 3, "inputDataType": "UINT4", "outputDataType": "INT13"}
EXTERNAL = MVAU | {"weightDataType": "INT4", "mem_mode": "external", "numInputVectors": [1, 5, 3]}
PASS = Shape("INT4", (4, 12), (4, 1, 12), "weights", 15, layer="b")


def port(bits: int) -> StreamPort:
    return StreamPort(name="s", direction="in", tdata_bits=bits, ports={})


def saved(folder: Path, model: onnx.ModelProto) -> FinnModel:
    return load_model(save(model, folder / "m.onnx"))


def expected_words(matrix: np.ndarray, pe: int, simd: int, bits: int) -> int:
    """All words of FINN's loops, written out, the first lowest."""
    rows, columns = matrix.shape
    order = [
        matrix[sf * simd + s, nf * pe + p]
        for nf in range(columns // pe)
        for sf in range(rows // simd)
        for p in range(pe)
        for s in range(simd)
    ]
    return sum((int(value) % (1 << bits)) << (bits * index) for index, value in enumerate(order))


def test_after_externalize_params(tmp_path: Path) -> None:
    """A graph input without values, and the FIFO that InsertFIFO has put behind the port."""
    fifo = {"depth": 8, "dataType": "INT4", "folded_shape": [1, 4, 12]}
    nodes = [
        node("StreamingFIFO_rtl", ["w"], ["f"], **fifo),
        node("MVAU_rtl", ["a", "f"], ["b"], **EXTERNAL),
    ]
    model = saved(tmp_path, make_model(nodes, {"a": (1, 5, 3, 8), "w": (8, 6)}, {"b": (1, 5, 3, 6)}))
    assert stream_inputs(model) == ("a", "w")
    assert stream_shape(model, port(48), 1) == PASS
    first = stream_shape(model, port(16), 0)
    assert first == Shape("UINT4", (1, 5, 3, 8), (1, 5, 3, 2, 4), layer="b")
    assert model_weights(model, "w") is None
    with pytest.raises(ShapeMismatchError, match="words of 12 INT4, 48 bits, but TDATA has 40"):
        stream_shape(model, port(40), 1)


def test_a_width_converter_before_the_layer(tmp_path: Path) -> None:
    """The pass has the same elements in the same order, in words as they come in."""
    converter = {"inWidth": 16, "outWidth": 48, "dataType": "INT4", "shape": [1, 4, 12]}
    nodes = [
        node("StreamingDataWidthConverter_rtl", ["w"], ["d"], **converter),
        node("StreamingFIFO_rtl", ["d"], ["f"], depth=2),
        node("MVAU_hls", ["a", "f"], ["b"], **EXTERNAL),
    ]
    model = saved(tmp_path, make_model(nodes, {"w": (8, 6), "a": (1, 5, 3, 8)}, {"b": (1, 5, 3, 6)}))
    assert stream_inputs(model) == ("w", "a")  # the order of the graph's inputs is that of the ports
    assert stream_shape(model, port(16), 0) == Shape("INT4", (12, 4), (12, 1, 4), "weights", 15, layer="b")


@pytest.mark.parametrize("declared", [False, True])
def test_weights_that_the_child_holds(tmp_path: Path, declared: bool) -> None:
    """As a graph input with an initialiser, or as an initialiser alone, which comes after all inputs."""
    nodes = [
        node("MVAU_rtl", ["a", "w0"], ["m"], name="first", **EXTERNAL),
        node("Thresholding_rtl", ["m", "t"], ["n"], PE=3, NumChannels=6, numSteps=1, inputDataType="INT13"),
        node(
            "MVAU_rtl",
            ["n", "w1"],
            ["b"],
            name="second",
            **(EXTERNAL | {"MW": 6, "MH": 4, "SIMD": 2, "PE": 2}),
        ),
    ]
    small = MATRIX.reshape(-1)[:24].reshape(6, 4)
    values = {"w0": MATRIX, "w1": small, "t": np.zeros((6, 1))}
    made = make_model(nodes, {"a": (1, 8)}, {"b": (1, 4)}, initialisers=values)
    if declared:
        made.graph.input.insert(0, helper.make_tensor_value_info("w1", TensorProto.FLOAT, (6, 4)))
    model = saved(tmp_path, made)
    assert stream_inputs(model) == (("w1", "a", "w0") if declared else ("a", "w0", "w1"))
    assert stream_shape(model, port(48), stream_inputs(model).index("w0")) == replace(PASS, layer="first")
    for name, matrix, pe, simd in (("w0", MATRIX, 3, 4), ("w1", small, 2, 2)):
        found = model_weights(model, name)
        assert found is not None
        assert int.from_bytes(found, "little") == expected_words(matrix, pe, simd, 4)
    assert model_weights(model, "a") is None
    # They have no AXI-Lite slave either, whatever runtime_writeable_weights says.
    assert with_memories((), model) == ()


def test_bipolar_weights_are_bits(tmp_path: Path) -> None:
    matrix = np.where(MATRIX % 2 == 0, 1, -1)
    attributes = EXTERNAL | {"weightDataType": "BIPOLAR"}
    nodes = [node("MVAU_hls", ["a", "w"], ["b"], **attributes)]
    model = saved(tmp_path, make_model(nodes, {"a": (1, 8)}, {"b": (1, 6)}, initialisers={"w": matrix}))
    found = model_weights(model, "w")
    assert found is not None
    assert int.from_bytes(found, "little") == expected_words((matrix + 1) // 2, 3, 4, 1)


def test_the_dma_of_a_zynq_build_holds_the_values(tmp_path: Path) -> None:
    """InsertIODMA's buffer: words by elements, the last element first."""
    words = np.array(
        [
            [MATRIX[sf * 4 + s, nf * 3 + p] for p in range(3) for s in range(4)]
            for nf in (0, 1)
            for sf in (0, 1)
        ]
    )
    attributes = {"dataType": "INT4", "burstMode": "wrap", "direction": "in", "NumChannels": 12}
    nodes = [node("IODMA_hls", ["w"], ["out"], **attributes)]
    made = make_model(nodes, {"w": (4, 12)}, {"out": (4, 12)}, initialisers={"w": words[:, ::-1]})
    found = dma_weights(saved(tmp_path, made))
    assert found is not None
    assert int.from_bytes(found, "little") == expected_words(MATRIX, 3, 4, 4)
    plain = [node("IODMA_hls", ["global_in"], ["out"], dataType="INT4", burstMode="increment")]
    assert dma_weights(saved(tmp_path, make_model(plain, {"global_in": (1, 8)}, {"out": (1, 8)}))) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"mem_mode": "internal_decoupled"},
        {"weightDataType": "FLOAT32"},
        {"PE": 4},
        {"op_type": "VVAU_rtl"},
    ],
)
def test_what_is_not_known_is_not_guessed(tmp_path: Path, changes: dict[str, object]) -> None:
    attributes = EXTERNAL | changes
    op_type = str(attributes.pop("op_type", "MVAU_rtl"))
    made = make_model(
        [node(op_type, ["a", "w"], ["b"], **attributes)], {"a": (1, 8), "w": (8, 6)}, {"b": (1, 6)}
    )
    assert stream_shape(saved(tmp_path, made), port(48), 1) is None


def test_activations_that_come_in_second_are_data(tmp_path: Path) -> None:
    nodes = [node("MVAU_rtl", ["a", "w"], ["b"], **EXTERNAL)]
    made = make_model(nodes, {"w": (8, 6), "a": (1, 5, 3, 8)}, {"b": (1, 5, 3, 6)})
    shape = stream_shape(saved(tmp_path, made), port(16), 1)
    assert shape is not None
    assert (shape.role, shape.passes) == ("data", 1)
