# SPDX-License-Identifier: BSD-3-Clause
"""The words of FINN's weight and threshold memories, packed from the ONNX initialisers.

Two uses: the files that a build's memories are initialised from (`shellgen.read.initial`), and the 32-bit
registers that a host writes at run time.

Source: ``make_weight_file`` of FINN's layers, and their RTL.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt

from shellgen.errors import InputError, one
from shellgen.formats.onnx import tensor_values
from shellgen.model import ElementType, Memory
from shellgen.read.finn_onnx import FinnModel, Node
from shellgen.read.tree import node_of_folder

Integers = npt.NDArray[np.int64]
Packed = npt.NDArray[np.uint8]  # one row of bytes per memory word, lowest first
_BEYOND = 2.0**63  # what a 64-bit integer has no place for
_AGAIN = "Save the model again, with the weights that were trained"
Elements = tuple[Integers, int]  # one row of element values per memory word, and the bits of an element


def layer_of(model: FinnModel, layer: str) -> Node | None:
    """Return the node of a FINN folder, or None if it is unknown or ambiguous.

    Partitioning renames and renumbers the nodes after their folders were made, so the folder that a node
    itself records counts first. Where none does, names are compared; partitions put theirs in front.

    Args:
        model: Child model.
        layer: Node name in the folder's name, as `shellgen.read.tree.node_of_folder` returns it.
    """
    recorded = {node.name: PurePosixPath(node.text("code_gen_dir_ipgen") or "").name for node in model.nodes}
    if any(folder.startswith("code_gen_ipgen_") for folder in recorded.values()):
        found = [node for node in model.nodes if node_of_folder(recorded[node.name]) == layer]
    else:
        found = [node for node in model.nodes if node.name == layer]
        found = found or [node for node in model.nodes if node.name.endswith(f"_{layer}")]
    return found[0] if len(found) == 1 and layer else None


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

    Raises:
        InputError: The values lie in a file beside the model that is not there.
    """
    node = next((node for node in model.nodes if node.name == memory.layer), None)
    if node is None:
        return None
    if memory.kind == "weights":
        elements = weight_words(model, node)
    elif is_threshold_tree(node):
        elements = _threshold_slots(model, node, memory)
    else:
        elements = threshold_words(model, node)
    if elements is None or elements[0].shape != (memory.words, memory.pe * memory.simd):
        return None
    registers = np.zeros((memory.words, 4 * memory.lanes), np.uint8)
    found = packed(*elements)
    registers[:, : found.shape[1]] = found
    return [int(value) for value in registers.view("<u4").reshape(-1)]


def is_threshold_tree(node: Node) -> bool:
    """Whether the layer is FINN's RTL that searches its thresholds as a tree, one memory for each stage."""
    return node.op == "Thresholding_Binary_Search" or (
        node.op == "Thresholding" and node.op_type.endswith("_rtl")
    )


def weight_words(model: FinnModel, node: Node) -> Elements | None:
    """Return one row per memory word of an MVAU or VVAU, output channels outer, element 0 first."""
    pe, simd = node.integer("PE", 1), node.integer("SIMD", 1)
    found = _values(model, node) if node.op in {"MVAU", "VVAU"} else None
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
    if node.op == "VVAU" and not node.op_type.endswith("_rtl"):
        folded = folded[..., ::-1]  # FINN's HLS operator takes the elements of a channel the other way round
    return folded.reshape(-1, pe * simd), element.bits


def threshold_words(model: FinnModel, node: Node) -> Elements | None:
    """All thresholds of PE channels in one word, the last step of a channel lowest."""
    found, pe = threshold_table(model, node), node.integer("PE")
    channels = node.integer("NumChannels")
    if found is None or not pe or not channels or channels % pe:
        return None
    table = np.broadcast_to(found[0], (channels, found[0].shape[1]))
    return table[:, ::-1].reshape(channels // pe, -1), found[1].bits


def threshold_table(model: FinnModel, node: Node) -> tuple[Integers, ElementType] | None:
    """Thresholds as (channels, steps), or (1, steps) where the model has one row for all channels."""
    found, channels = _values(model, node), node.integer("NumChannels")
    steps = node.integer("numSteps")
    if found is None or not channels or not steps:
        return None
    table, element = found
    if table.ndim != 2 or table.shape[0] not in (1, channels) or table.shape[1] < steps:
        return None
    return table[:, :steps], element


def _threshold_slots(model: FinnModel, node: Node, memory: Memory) -> Elements | None:
    """One threshold per word; channels and steps are spaced by powers of two."""
    found, pe = threshold_table(model, node), node.integer("PE")
    if found is None or not pe:
        return None
    table, element = found
    if table.shape[1] + 1 == memory.row_used:
        table = np.insert(table, 0, element.low, axis=1)  # as in `whole_tree`
    if len(table) == 1:
        table = np.broadcast_to(table, (pe, table.shape[1]))  # FINN then builds it for PE channels
    slots = np.zeros((memory.words // memory.row_words, memory.row_words), np.int64)
    channel = np.arange(len(table))
    row = channel // memory.group_used * memory.group_rows + channel % memory.group_used
    if row[-1] >= len(slots) or table.shape[1] != memory.row_used:
        return None
    slots[row, : memory.row_used] = table
    return slots.reshape(-1, 1), memory.element_bits


def whole_tree(table: Integers, element: ElementType, node: Node, rtl: Mapping[str, int]) -> Integers:
    """Fill thresholds up to the ``2**n - 1`` of a tree, as this RTL expects it.

    FINN of 2024, whose N is the bits of the result, puts a threshold that every value passes in front of a
    narrow range and lowers the bias for it; or later, for unsigned results, appends one that none reaches, a
    bit wider if need be. Since N is the number of thresholds, what is missing is not looked at, and 0.
    """
    result = node.element("outputDataType")
    missing = (1 << result.bits) - 1 - table.shape[1] if result else 0
    if missing == 1 and has_dummy_in_front(node, rtl):
        return np.insert(table, 0, element.low, axis=1)
    if missing == 1 and counts_bits(node, rtl):
        wider = rtl.get("WT", element.bits) > element.bits
        return np.insert(table, table.shape[1], element.high + wider, axis=1)
    return np.pad(table, ((0, 0), (0, max(missing, 0))))


def has_dummy_in_front(node: Node, rtl: Mapping[str, int]) -> bool:
    """Whether this RTL has a threshold more than the model, the lowest."""
    return rtl.get("BIAS") == (node.integer("ActVal", 0) or 0) - 1


def counts_bits(node: Node, rtl: Mapping[str, int]) -> bool:
    """Whether this RTL's N is the bits of the result; later it is the number of thresholds."""
    result = node.element("outputDataType")
    return result is not None and rtl.get("N") == result.bits and "SETS" not in rtl


def _values(model: FinnModel, node: Node) -> tuple[Integers, ElementType] | None:
    """Second input of a node as integers of its data type; BIPOLAR as 0 and 1."""
    if len(node.inputs) < 2 or node.inputs[1] not in model.initialisers:
        return None
    element = node.element("weightDataType")
    if element is None:
        return None
    values = initialiser(model, node.inputs[1])
    if element.name != "BIPOLAR" and (values.min() < element.low or values.max() > element.high):
        return None
    return codes(values, element), element


def initialiser(model: FinnModel, name: str) -> Integers:
    """Return the values of an initialiser, which FINN keeps as floating point numbers.

    Raises:
        InputError: It lies in a file beside the model that is not there, or is not of the size or the type
            that the model says.
    """
    found = tensor_values(model.initialisers[name], model.path).astype(np.float64)
    if not (np.abs(found) < _BEYOND).all():
        raise one(InputError, f"{model.path}: tensor {name}", "it has values that are not integers", _AGAIN)
    values: Integers = np.rint(found).astype(np.int64)
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


def packed(values: Integers, bits: int) -> Packed:
    """Join the elements of each row to one bit string, element 0 in the least significant bits."""
    return np.packbits(spread(values, bits).reshape(len(values), -1), axis=1, bitorder="little")
