# SPDX-License-Identifier: BSD-3-Clause
"""The words of FINN's weight and threshold memories, packed from the ONNX initialisers.

Two uses: ``memblock*.dat`` for builds that have lost it (FINN keeps those files in a folder outside the
stitched IP, so no moved build has them), and the 32-bit registers that a host writes at run time.

Source: facts/real_builds.md, relocation rule 5 and "Data packing"; facts/finn_artefacts.md 6.5.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, numpy_helper

from shellgen.model import ElementType, Memory
from shellgen.read.finn_onnx import FinnModel, Node

Integers = npt.NDArray[np.int64]
Elements = tuple[Integers, int]  # one row of element values per memory word, and the bits of an element


def memblock(model: FinnModel, layer: str) -> bytes | None:
    """Return the ``$readmemh`` text of a layer's weights, or None if the model does not tell them.

    Shapes: one line per memory word, ``MH/PE`` outer, ``MW/SIMD`` inner; a word is PE-major with element
    0 of the SIMD in the least significant bits; two's complement; BIPOLAR -1 is stored as 0.

    Args:
        model: Child model.
        layer: FINN node; kernel partitions prefix it with the name of their partition.
    """
    node = next((node for node in model.nodes if node.op == "MVAU" and _is(node, layer)), None)
    elements = weight_words(model, node) if node else None
    if elements is None:
        return None
    values, bits = elements
    digits = -(-values.shape[1] * bits // 4)
    return "".join(f"{word:0{digits}x}\n" for word in _pack(values, bits)).encode()


def runtime_registers(model: FinnModel, memory: Memory) -> list[int] | None:
    """Return what a host writes to load a memory with the weights or thresholds of a model.

    Shapes: ``memory.words * memory.lanes`` registers of 32 bits; word ``i`` occupies ``lanes`` of them from
    ``lanes * i``, least significant first; words without storage are 0. The same as FINN's own
    ``runtime_weights/*.dat``.

    Args:
        model: Child model; its layers have the folding that the memory was read with.
        memory: What lies behind the AXI-Lite slave.

    Returns:
        None if the model has no such layer, or does not tell its values.
    """
    node = next((node for node in model.nodes if node.name == memory.layer), None)
    if node is None:
        return None
    if memory.kind == "weights":
        elements = weight_words(model, node)
    elif node.op_type.endswith("_rtl"):
        elements = _threshold_slots(model, node, memory)
    else:
        elements = _threshold_words(model, node)
    if elements is None or elements[0].shape != (memory.words, memory.pe * memory.simd):
        return None
    registers: list[int] = []
    for word in _pack(*elements):
        registers.extend(word >> (32 * lane) & 0xFFFF_FFFF for lane in range(memory.lanes))
    return registers


def _is(node: Node, layer: str) -> bool:
    return node.name == layer or node.name.endswith(f"_{layer}")


def weight_words(model: FinnModel, node: Node) -> Elements | None:
    """Return one row per memory word of an MVAU or VVAU, output channels outer, element 0 first."""
    pe, simd = node.integer("PE", 1), node.integer("SIMD", 1)
    found = _values(model, node)
    if found is None or not pe or not simd:
        return None
    values, element = found
    if node.op == "VVAU":
        # (channels, 1, height, width): every channel has its own row of weights.
        values = values.reshape(values.shape[0], -1).T
        told = node.integer("Channels") == values.shape[1]
    else:
        told = (node.integer("MW"), node.integer("MH")) == values.shape
    if not told or values.shape[0] % simd or values.shape[1] % pe:
        return None
    inputs, outputs = values.shape
    # (MW, MH) -> (MH/PE, PE, MW/SIMD, SIMD) -> (word, element of the word)
    folded = values.T.reshape(outputs // pe, pe, inputs // simd, simd).transpose(0, 2, 1, 3)
    return folded.reshape(-1, pe * simd), element.bits


def _threshold_slots(model: FinnModel, node: Node, memory: Memory) -> Elements | None:
    """One threshold per word; channels and steps are spaced by powers of two."""
    found = _thresholds(model, node)
    if found is None:
        return None
    table, element = found
    slots = np.zeros((memory.words // memory.row_words, memory.row_words), np.int64)
    channel = np.arange(len(table))
    row = channel // memory.group_used * memory.group_rows + channel % memory.group_used
    if row[-1] >= len(slots) or table.shape[1] != memory.row_used:
        return None
    slots[row, : memory.row_used] = table
    return slots.reshape(-1, 1), element.bits


def _threshold_words(model: FinnModel, node: Node) -> Elements | None:
    """All thresholds of PE channels in one word, the last step of a channel lowest."""
    found, pe = _thresholds(model, node), node.integer("PE")
    if found is None or not pe or len(found[0]) % pe:
        return None
    table, element = found
    return table[:, ::-1].reshape(len(table) // pe, -1), element.bits


def _thresholds(model: FinnModel, node: Node) -> tuple[Integers, ElementType] | None:
    """Thresholds as (channels, steps); one row in the model stands for all channels."""
    found, channels = _values(model, node), node.integer("NumChannels")
    steps = node.integer("numSteps")
    if found is None or not channels or not steps:
        return None
    table, element = found
    if table.ndim != 2 or table.shape[0] not in (1, channels) or table.shape[1] < steps:
        return None
    return np.broadcast_to(table[:, :steps], (channels, steps)), element


def _values(model: FinnModel, node: Node) -> tuple[Integers, ElementType] | None:
    """Second input of a node as integers of its data type; BIPOLAR as 0 and 1."""
    if len(node.inputs) < 2 or node.inputs[1] not in model.initialisers:
        return None
    element = node.element("weightDataType")
    if element is None:
        return None
    values = integers(model.initialisers[node.inputs[1]])
    if element.name != "BIPOLAR" and (values.min() < element.low or values.max() > element.high):
        return None
    return codes(values, element), element


def integers(constant: TensorProto) -> Integers:
    """Return the values of an initialiser, which FINN keeps as floating point numbers."""
    values: Integers = np.rint(numpy_helper.to_array(constant).astype(np.float64)).astype(np.int64)
    return values


def codes(values: Integers, element: ElementType) -> Integers:
    """Return values as hardware has them: BIPOLAR as 0 and 1."""
    return (values + 1) // 2 if element.name == "BIPOLAR" else values


def spread(values: Integers, bits: int) -> npt.NDArray[np.uint8]:
    """Return the low bits of each element, lowest first, in one more dimension."""
    found = np.empty((*values.shape, bits), np.uint8)
    for bit in range(bits):  # not all at once: there may be millions of weights
        found[..., bit] = values >> bit & 1
    return found


def _pack(values: Integers, bits: int) -> list[int]:
    """Join the elements of each row to one number, element 0 in the least significant bits."""
    packed = np.packbits(spread(values, bits).reshape(len(values), -1), axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
