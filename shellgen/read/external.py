# SPDX-License-Identifier: BSD-3-Clause
"""External weights (FINN: mem_mode external): which ports take them, what one pass is, and its values.

Source: FINN's MVAU and InsertIODMA; order of the ports as CreateStitchedIP makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
import numpy.typing as npt

from shellgen.counted import counted
from shellgen.errors import InputError, Problem
from shellgen.formats.npy import read_npy
from shellgen.model import Endpoint, Network, StreamPort, WeightsSpec
from shellgen.read.finn_onnx import FinnModel, Node
from shellgen.read.weights import Integers, codes, initialiser, spread, weight_words

PASSES_ON = {"StreamingFIFO", "StreamingDataWidthConverter"}


@dataclass(frozen=True)
class WeightStream:
    """One pass as it crosses a port.

    Attributes:
        datatype: QONNX type of a weight.
        words: Words of one pass.
        per_word: Weights of a word.
        passes: Passes for one inference.
    """

    datatype: str
    words: int
    per_word: int
    passes: int


def stream_inputs(model: FinnModel) -> tuple[str, ...]:
    """Return the tensors that come in at ``s_axis_0``, ``s_axis_1``..., in this order.

    CreateStitchedIP goes through the graph's inputs; weights that are external and have an initialiser are
    among them or not, depending on who saved the model, and follow in node order where they are not.
    """
    external = {node.inputs[1]: None for node in model.nodes if _is_external(node)}
    kept = [name for name in model.declared if name not in model.initialisers or name in external]
    return (*kept, *(name for name in external if name in model.initialisers and name not in kept))


def weight_stream(model: FinnModel, tensor: str) -> WeightStream | None:
    """Return what a pass is at the port of a stream input, or None if no weights come in there.

    A FIFO passes words on as they are; a width converter before the layer has words of another size in it.
    """
    found = _layer_behind(model, tensor)
    if found is None:
        return None
    node, bits_at_port = found
    rows, columns = node.integer("MW"), node.integer("MH")
    pe, simd = node.integer("PE", 1), node.integer("SIMD", 1)
    element = node.element("weightDataType")
    if element is None:
        return None
    if not rows or not columns or not pe or not simd or rows % simd or columns % pe:
        return None
    per_word = bits_at_port // element.bits if bits_at_port else pe * simd
    if not per_word or (rows * columns) % per_word or (bits_at_port or 0) % element.bits:
        return None
    passes = prod(node.integers("numInputVectors") or (1,))
    return WeightStream(element.name, rows * columns // per_word, per_word, passes)


def model_weights(model: FinnModel, tensor: str) -> bytes | None:
    """Return one pass of the weights that the model itself holds for a stream input."""
    found = _layer_behind(model, tensor)
    words = weight_words(model, found[0]) if found and tensor in model.initialisers else None
    return None if words is None else pack(*words)


def dma_weights(model: FinnModel) -> bytes | None:
    """Return one pass of the weights that FINN's own DMA partition (burstMode wrap) holds.

    InsertIODMA keeps them as (words, elements of a word), the last element of a word first.
    """
    for node in model.nodes:
        if node.op == "IODMA" and node.text("burstMode") == "wrap" and node.inputs[0] in model.initialisers:
            element = node.element("dataType")
            if element is None:
                return None
            values = initialiser(model, node.inputs[0])
            return pack(codes(values[..., ::-1].reshape(len(values), -1), element), element.bits)
    return None


def read_weights(
    folder: Path, specs: Sequence[WeightsSpec], network: Network, where: str
) -> dict[Endpoint, bytes]:
    """Read the values that cluster.toml names.

    Args:
        folder: Folder of cluster.toml; the files are relative to it.
        specs: The ``[[weights]]`` tables.
        network: Has the ports.
        where: Name of cluster.toml, for messages.

    Returns:
        One pass by port, a dense little-endian bit string filled up to bytes.

    Raises:
        InputError: A port that is not there, is named twice or takes no weights; a file that is missing, not
            ``.npy``, of another size, or with values that its data type has not.
    """
    ports = {f"{p.name}.{port.name}": (p.name, port) for p in network.partitions for port in p.streams}
    takers = [name for name, (_, port) in ports.items() if port.carries_weights]
    remedy = f"The weights ports are: {', '.join(takers) or 'none; the build keeps its weights inside'}"
    problems: list[Problem] = []
    found: dict[Endpoint, bytes] = {}
    for index, spec in enumerate(specs):
        at = f"{where}: weights[{index}].port"
        if spec.port not in ports:
            problems.append(Problem(at, f"the build has no stream port {spec.port}", remedy))
        elif spec.port not in takers:
            problems.append(Problem(at, f"{spec.port} takes no weights", remedy))
        else:
            name, port = ports[spec.port]
            end = Endpoint(partition=name, port=port.name)
            if end in found:
                problems.append(Problem(at, f"{spec.port} is named twice", "Give each port one file"))
                continue
            try:
                found[end] = _load(folder / spec.file, f"{spec.file}: weights[{index}].file", port)
            except InputError as error:
                problems.extend(error.problems)
    if problems:
        raise InputError(*problems)
    return found


def pack(values: Integers, bits: int) -> bytes:
    """Join elements, of any shape, to one bit string, the first element in the least significant bits."""
    return np.packbits(spread(values, bits).reshape(-1), bitorder="little").tobytes()


def _is_external(node: Node) -> bool:
    return node.op == "MVAU" and node.text("mem_mode") == "external" and len(node.inputs) > 1


def _layer_behind(model: FinnModel, tensor: str) -> tuple[Node, int | None] | None:
    """Return the layer whose weights a tensor brings, and the bits of a word where they differ there."""
    bits: int | None = None
    for _ in range(len(model.nodes) + 1):
        node = next((node for node in model.nodes if tensor in node.inputs), None)
        if node is None or (_is_external(node) and tensor == node.inputs[0]):
            return None
        if _is_external(node):
            return node, bits
        if node.op not in PASSES_ON or not node.outputs:
            return None
        if node.op == "StreamingDataWidthConverter" and bits is None:
            bits = node.integer("inWidth")
        tensor = node.outputs[0]
    return None


def _load(path: Path, where: str, port: StreamPort) -> bytes:
    array = read_npy(path, where, missing="Correct the path in cluster.toml")
    if array.dtype == np.uint8 and array.ndim == 1:
        return _unpadded(array, where, port)
    kind, number = port.element, np.issubdtype(array.dtype, np.number)
    if not number or np.iscomplexobj(array) or array.size != port.elements_per_frame:
        found = f"shape {array.shape} of {array.dtype}"
        remedy = f"Give {counted(port.words_per_frame, 'word')} of {port.elements_per_word} whole numbers"
        raise InputError(Problem(where, found, remedy))
    values = array.astype(np.float64).reshape(-1)
    if kind.name == "BIPOLAR" and not (values < 0).any():
        values = 2 * values - 1  # FINN writes the bits, 0 for -1
    legal = np.abs(values) == 1 if kind.name == "BIPOLAR" else (kind.low <= values) & (values <= kind.high)
    legal &= values == np.rint(values)
    if not legal.all():
        at = int(np.argmin(legal))
        word, element = divmod(at, port.elements_per_word)
        found = f"{array.reshape(-1)[at]} at word {word}, element {element} is no {kind.name}"
        raise InputError(Problem(where, found, f"Give whole numbers from {kind.low} to {kind.high}"))
    return pack(codes(values.astype(np.int64), kind), kind.bits)


def _unpadded(array: npt.NDArray[np.uint8], where: str, port: StreamPort) -> bytes:
    """FINN's file for its own DMA: every word in whole bytes, the lowest first."""
    size = port.words_per_frame * port.tdata_bits // 8
    if array.size != size:
        found = f"{array.size} bytes"
        words = f"{counted(port.words_per_frame, 'word')} of {counted(port.tdata_bits // 8, 'byte')}"
        remedy = f"Give {words}, or values as integers"
        raise InputError(Problem(where, found, remedy))
    bits = np.unpackbits(array.reshape(port.words_per_frame, -1), axis=1, bitorder="little")
    if bits[:, port.payload_bits :].any():
        word = int(np.argmax(bits[:, port.payload_bits :].any(axis=1)))
        found = f"word {word} has bits above its {port.payload_bits}"
        raise InputError(Problem(where, found, "Give the file of this very layer and folding"))
    return np.packbits(bits[:, : port.payload_bits].reshape(-1), bitorder="little").tobytes()
