# SPDX-License-Identifier: BSD-3-Clause
"""The memory behind each AXI-Lite slave of a partition.

Interface ``s_axilite_<k>`` belongs to the k-th node, in graph order, that exposes one. That is all FINN
says about it; so if the numbers differ, nothing is claimed.

Source: FINN's CreateStitchedIP and its layers' ``make_weight_file``.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from math import prod

from shellgen.model import AxiLitePort, Memory
from shellgen.read.finn_onnx import FinnModel, Node
from shellgen.read.weights import counts_bits, has_dummy_in_front, is_threshold_tree

RtlParameters = Mapping[str, Mapping[str, int]]
_LOG = logging.getLogger("shellgen.read")
_CONTROLLED = {"IODMA", "CheckSum", "TLastMarker"}


def with_memories(
    ports: tuple[AxiLitePort, ...], model: FinnModel, rtl: RtlParameters | None = None
) -> tuple[AxiLitePort, ...]:
    """Return the ports (in index order) with the memories of the nodes that expose them.

    Args:
        ports: Of the partition.
        model: Its ONNX.
        rtl: Parameters of the RTL by threshold layer, as far as they are known.
    """
    nodes = [node for node in model.nodes if _exposes(node)]
    if len(nodes) != len(ports):
        if ports:
            _LOG.warning(
                "%s: %d AXI-Lite interfaces, but %d nodes that have one (%s); their memories stay unnamed",
                model.path,
                len(ports),
                len(nodes),
                ", ".join(node.name for node in nodes) or "none",
            )
        return ports
    return tuple(
        port.model_copy(update={"memory": memory_of(node, model, rtl) if _is_writeable(node) else None})
        for port, node in zip(ports, nodes, strict=True)
    )


def _exposes(node: Node) -> bool:
    if node.op in _CONTROLLED:
        return True
    if node.text("mem_mode") == "external":
        return False  # its weights are on a stream, whatever runtime_writeable_weights says
    return _is_writeable(node) or bool(node.integer("dynamic_mode", 0))


def _is_writeable(node: Node) -> bool:
    return bool(node.integer("runtime_writeable_weights", 0))


def memory_of(node: Node, model: FinnModel, rtl: RtlParameters | None = None) -> Memory | None:
    """Return what lies behind a node's slave, whether the node exposes one or not."""
    bits = _bits(node)
    if bits is None:
        return None
    if is_threshold_tree(node):
        return _threshold_slots(node, bits, model, (rtl or {}).get(node.name, {}))
    if node.op == "Thresholding":
        return _threshold_words(node, bits)
    matrix = _matrix(node)
    pe, simd = node.integer("PE", 1) or 1, node.integer("SIMD", 1) or 1
    if matrix is None or matrix % (pe * simd):
        return None
    return _make(node, "weights", (bits, pe, simd), matrix // (pe * simd))


def _bits(node: Node) -> int | None:
    element = node.element("weightDataType")
    return element.bits if element else None


def _matrix(node: Node) -> int | None:
    """Return the number of weights."""
    if node.op == "MVAU":
        sizes = (node.integer("MW"), node.integer("MH"))
    elif node.op == "VVAU":
        sizes = (node.integer("Channels"), prod(node.integers("Kernel") or (0,)))
    else:
        return None
    return sizes[0] * sizes[1] if sizes[0] and sizes[1] else None


def _threshold_slots(node: Node, bits: int, model: FinnModel, rtl: Mapping[str, int]) -> Memory | None:
    """One register per threshold; channels and steps are spaced by powers of two.

    One row of thresholds for all channels is built as PE channels. FINN of 2024 may have put one more in
    front, or made all a bit wider (`shellgen.read.weights.whole_tree`).
    """
    channels, pe, steps = node.integer("NumChannels"), node.integer("PE"), node.integer("numSteps")
    if not channels or not pe or not steps:
        return None
    if len(node.inputs) > 1 and _rows(model, node.inputs[1]) == 1:
        channels = pe
    if has_dummy_in_front(node, rtl):
        steps += 1
    bits = max(bits, rtl.get("WT", 0))
    rows = 1 << (pe - 1).bit_length()
    row = 1 << rtl["N"] if counts_bits(node, rtl) else 1 << (steps - 1).bit_length()
    memory = _make(node, "thresholds", (bits, 1, 1), -(-channels // pe) * rows * row)
    spacing = {"row_words": row, "row_used": steps, "group_rows": rows, "group_used": pe}
    return memory.model_copy(update=spacing)


def _threshold_words(node: Node, bits: int) -> Memory | None:
    """The HLS operator reads all thresholds of PE channels from one memstream word."""
    channels, pe, steps = node.integer("NumChannels"), node.integer("PE"), node.integer("numSteps")
    if not channels or not pe or not steps:
        return None
    return _make(node, "thresholds", (bits, pe, steps), channels // pe)


def _rows(model: FinnModel, tensor: str) -> int | None:
    if tensor in model.initialisers:
        return int(model.initialisers[tensor].dims[0])
    shape = model.tensor(tensor).shape
    return shape[0] if shape else None


def _make(node: Node, kind: str, word: tuple[int, int, int], words: int) -> Memory:
    bits, pe, simd = word
    word_bits = bits * pe * simd
    lanes = 1 << (-(-word_bits // 32) - 1).bit_length()
    assert kind in {"weights", "thresholds"}
    return Memory(
        layer=node.name,
        op_type=node.op_type,
        kind="weights" if kind == "weights" else "thresholds",
        word_bits=word_bits,
        element_bits=bits,
        pe=pe,
        simd=simd,
        words=words,
        lanes=lanes,
    )
