# SPDX-License-Identifier: BSD-3-Clause
"""Layers as FINN-like hardware nodes: module, parameters, memory contents and ONNX attributes of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from shellgen.errors import InputError, Problem
from shellgen.model import ElementType
from shellgen.reference.folding import LayerFolding
from shellgen.reference.layers import Integers, Layer

Attribute = int | str | list[int]


@dataclass(frozen=True)
class Words:
    """One side of a node: ``elements`` of ``kind`` in a word, ``features`` in each vector of a frame."""

    kind: ElementType
    elements: int
    features: int
    vectors: int = 1

    @property
    def tdata_bits(self) -> int:
        """Width of TDATA: the payload in whole bytes."""
        return (self.kind.bits * self.elements + 7) // 8 * 8

    @property
    def folded_shape(self) -> tuple[int, ...]:
        """Shape of one frame as a stream."""
        return (*self.normal_shape[:-1], self.features // self.elements, self.elements)

    @property
    def normal_shape(self) -> tuple[int, ...]:
        """Shape of one frame as a tensor."""
        return (1, self.vectors, self.features) if self.vectors > 1 else (1, self.features)


@dataclass(frozen=True, eq=False)
class Node:
    """One hardware node of a partition.

    Attributes:
        op_type: FINN operator.
        module: Our module in ``sim/reference``.
        parameters: Of the module, without ``INIT_FILE``.
        source: What comes in.
        result: What goes out.
        attributes: ONNX attributes of this operator.
        memory: Lines of the initial memory contents, each an integer of ``memory_bits`` bits.
        memory_bits: Bits of a line; 0 when the node has no memory.
        addr_bits: Address bits of its AXI-Lite slave.
        writeable: The slave is a port of the partition.
        constant: Weights or thresholds as FINN keeps them in the child model, with their type.
        weights: One pass of the stream that brings the weights, when they are external.
    """

    op_type: str
    module: str
    parameters: dict[str, int]
    source: Words
    result: Words
    attributes: dict[str, Attribute]
    memory: tuple[int, ...] = ()
    memory_bits: int = 0
    addr_bits: int = 0
    writeable: bool = False
    constant: tuple[Integers, str] | None = field(default=None)
    weights: Words | None = None


def clog2(value: int) -> int:
    """Return the bits that count to ``value`` states, as ``$clog2``."""
    return (value - 1).bit_length()


def code(kind: ElementType) -> int:
    """Return the modules' code of an element type: 0 unsigned, 1 two's complement, 2 bipolar."""
    return 2 if kind.name == "BIPOLAR" else int(kind.signed)


def layer_nodes(layer: Layer, fold: LayerFolding, previous: Words | None, *, final: bool) -> list[Node]:
    """Return the nodes of one layer, with width adapters where the words of two nodes differ.

    Args:
        layer: The layer.
        fold: Its folding, already checked.
        previous: What the node before it in the same partition puts out, if there is one.
        final: It is the last of the network (FINN rounds that accumulator up to whole bytes).
    """
    nodes: list[Node] = []
    if layer.weights is not None:
        nodes.append(_mvau(layer, fold, final=final))
    if layer.thresholds is not None:
        nodes.append(_thresholding(layer, fold, nodes[-1].result.kind if nodes else layer.input_type))
    result: list[Node] = []
    for node in nodes:
        if previous is not None and previous.elements != node.source.elements:
            result.append(_width(previous, node.source))
        result.append(node)
        previous = node.result
    return result


def covering(values: Iterable[int], *, signed: bool = False) -> ElementType:
    """Return the narrowest integer type that holds all values (UINT where none is negative)."""
    low, high = min(values := list(values)), max(values)
    bits = max(high.bit_length(), (~low).bit_length() if low < 0 else 0)
    if low < 0 or signed:
        return ElementType.parse(f"INT{bits + 1}")
    return ElementType.parse(f"UINT{max(bits, 1)}")


def accumulator(layer: Layer, *, writeable: bool, final: bool) -> ElementType:
    """Return the type of the layer's sums, as FINN's MinimizeAccumulatorWidth would choose it.

    With weights that can be rewritten it holds the sums of any weights of their type.
    """
    assert layer.weights is not None
    assert layer.weight_type is not None
    weights = layer.weights
    if writeable:
        rows = layer.features_in
        lowest, highest = (
            np.full((rows, 1), layer.weight_type.low),
            np.full((rows, 1), layer.weight_type.high),
        )
        weights = np.concatenate([lowest, highest], axis=1)
    low, high = layer.input_type.low, layer.input_type.high
    sums = np.stack([np.minimum(weights * low, weights * high).sum(axis=0)])
    tops = np.stack([np.maximum(weights * low, weights * high).sum(axis=0)])
    kind = covering([int(sums.min()), int(tops.max())])
    if not final:
        return kind
    return ElementType.parse(f"{'INT' if kind.signed else 'UINT'}{(kind.bits + 7) // 8 * 8}")


def _mvau(layer: Layer, fold: LayerFolding, *, final: bool) -> Node:
    assert layer.weights is not None
    assert layer.weight_type is not None
    kind = layer.weight_type
    last = final and layer.thresholds is None
    sums = accumulator(layer, writeable=fold.runtime_writeable or fold.external, final=last)
    columns, rows = layer.weights.shape
    word_bits = fold.pe * fold.simd * kind.bits
    words = columns // fold.simd * (rows // fold.pe)
    # (nf, sf, pe, simd): a word holds PE rows of SIMD columns, simd fastest.
    folded = layer.weights.T.reshape(rows // fold.pe, fold.pe, columns // fold.simd, fold.simd)
    tiles = folded.transpose(0, 2, 1, 3).reshape(words, fold.pe * fold.simd)
    parameters = {"MW": columns, "MH": rows, "PE": fold.pe, "SIMD": fold.simd}
    attributes: dict[str, Attribute] = dict(parameters)
    parameters |= {"INPUT_W": layer.input_type.bits, "INPUT_CODE": code(layer.input_type)}
    parameters |= {"WEIGHT_W": kind.bits, "WEIGHT_CODE": code(kind), "OUTPUT_W": sums.bits}
    attributes |= {"resType": "dsp", "ActVal": 0, "noActivation": 1, "binaryXnorMode": 0}
    attributes |= {"inputDataType": layer.input_type.name, "weightDataType": kind.name}
    attributes |= {"outputDataType": sums.name, "accDataType": sums.name}
    attributes |= {"mem_mode": "external" if fold.external else "internal_decoupled"}
    attributes |= {"numInputVectors": _vectors(layer), "ram_style": "auto"}
    attributes["runtime_writeable_weights"] = int(fold.runtime_writeable and not fold.external)
    source = Words(layer.input_type, fold.simd, columns, layer.vectors)
    result = Words(sums, fold.pe, rows, layer.vectors)
    constant = (layer.weights, kind.name)
    if fold.external:
        pass_words = Words(kind, fold.pe * fold.simd, columns * rows)
        name = "ref_mvau_external"
        return Node(
            "MVAU_rtl", name, parameters, source, result, attributes, constant=constant, weights=pass_words
        )
    return Node(
        "MVAU_rtl",
        "ref_mvau",
        parameters,
        source,
        result,
        attributes,
        tuple(pack(tile, kind) for tile in tiles),
        word_bits,
        clog2(words) + clog2((word_bits + 31) // 32) + 2,
        fold.runtime_writeable,
        constant,
    )


def _vectors(layer: Layer) -> list[int]:
    return [1, layer.vectors] if layer.vectors > 1 else [1]


def _thresholding(layer: Layer, fold: LayerFolding, source: ElementType) -> Node:
    assert layer.thresholds is not None
    assert layer.activation_type is not None
    result = layer.activation_type
    channels, steps = layer.thresholds.shape
    pe, folds = fold.threshold_pe, channels // fold.threshold_pe
    held = [int(layer.thresholds.min()), int(layer.thresholds.max()), source.low, source.high]
    kind = covering(held, signed=True)
    if kind.bits > 32:
        found = f"its thresholds need {kind.bits} bits, more than an AXI-Lite register has"
        raise InputError(Problem(f"model: {layer.name}", found, "Scale the layer down"))
    bias = 0 if result.name == "BIPOLAR" else layer.bias
    attributes: dict[str, Attribute] = {"NumChannels": channels, "PE": pe, "numSteps": steps, "ActVal": bias}
    attributes |= {"inputDataType": source.name, "weightDataType": kind.name, "outputDataType": result.name}
    attributes |= {"numInputVectors": _vectors(layer)}
    attributes["runtime_writeable_weights"] = int(fold.runtime_writeable)
    parameters = {"CHANNELS": channels, "PE": pe, "INPUT_W": source.bits, "INPUT_CODE": code(source)}
    parameters |= {"THRESHOLD_W": kind.bits, "STEPS": steps, "OUTPUT_W": result.bits, "BIAS": bias}
    return Node(
        "Thresholding_rtl",
        "ref_thresholding",
        parameters,
        Words(source, pe, channels, layer.vectors),
        Words(result, pe, channels, layer.vectors),
        attributes,
        tuple(pack(line, kind) for line in layer.thresholds.reshape(folds, pe * steps)),
        pe * steps * kind.bits,
        clog2(folds) + clog2(pe) + clog2(steps) + 2,
        fold.runtime_writeable,
        (layer.thresholds, kind.name),
    )


def _width(source: Words, wanted: Words) -> Node:
    result = Words(source.kind, wanted.elements, source.features, source.vectors)
    bits = source.kind.bits
    return Node(
        "StreamingDataWidthConverter_rtl",
        "ref_width",
        {"ELEM_W": bits, "S_ELEMS": source.elements, "M_ELEMS": result.elements},
        source,
        result,
        {
            "shape": list(source.normal_shape),
            "inWidth": source.elements * bits,
            "outWidth": result.elements * bits,
            "dataType": source.kind.name,
        },
    )


def pack(values: Iterable[int], kind: ElementType) -> int:
    """Return the word of these elements: element 0 in the least significant bits, BIPOLAR -1 as 0."""
    word = 0
    for index, value in enumerate(values):
        stored = (int(value) + 1) // 2 if kind.name == "BIPOLAR" else int(value)
        word |= (stored & ((1 << kind.bits) - 1)) << (index * kind.bits)
    return word
