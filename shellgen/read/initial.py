# SPDX-License-Identifier: BSD-3-Clause
"""The initialisation files of FINN's memories, regenerated from the ONNX as FINN writes them.

FINN keeps them in a folder outside the stitched IP, so no moved build has them. Their words are the same in
every FINN release; only the names under which the memory reads them differ (`shellgen.read.datafiles`).

Source: ``make_weight_file`` and ``generate_params`` of FINN's layers.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from shellgen.read.finn_onnx import FinnModel
from shellgen.read.weights import (
    Integers,
    Packed,
    is_threshold_tree,
    layer_of,
    packed,
    threshold_table,
    threshold_words,
    weight_words,
    whole_tree,
)

_COMMENT = re.compile(rb"//[^\n]*")
_WORD = re.compile(rb"@?[0-9a-fA-FxXzZ_]+")
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)
# Of the memories that FINN has for URAM, these are for synthesis too.
_SYNTHESISED = ("memblock_synth_0.dat", "memblock_0.dat")


def memblock(model: FinnModel, layer: str, name: str = "memblock.dat") -> bytes | None:
    """Return the ``$readmemh`` text of a weight memory, or None if the model does not tell its words.

    Shapes: one line per memory word, ``MH/PE`` outer, ``MW/SIMD`` inner; a word is PE-major with element
    0 of the SIMD in the least significant bits; two's complement; BIPOLAR -1 is stored as 0. A memory that is
    clocked twice as fast has two lines per word, the lower half first.

    Args:
        model: Child model.
        layer: FINN node; kernel partitions prefix it with the name of their partition.
        name: Name of the file: URAM is synthesised from zeros.

    Raises:
        InputError: The values lie in a file beside the model that is not there.
    """
    node = layer_of(model, layer)
    if node is None or is_threshold_tree(node):
        return None
    thresholds = node.op == "Thresholding"
    elements = threshold_words(model, node) if thresholds else weight_words(model, node)
    if elements is None:
        return None
    values, bits = elements
    if node.text("ram_style") == "ultra" and name in _SYNTHESISED:
        values = np.zeros_like(values)
    lines = _lines(packed(values, bits), -(-values.shape[1] * bits // 4))
    if node.integer("pumpedMemory", 0):
        lower = lines.shape[1] // 2
        halves = [lines[:, lower:], lines[:, :lower]]
        if halves[0].shape == halves[1].shape:
            return _text(np.stack(halves, axis=1).reshape(-1, lower))
        pairs = zip(*(half.tolist() for half in halves), strict=True)
        return b"".join(bytes(half) + b"\n" for pair in pairs for half in pair)
    return _text(lines)


def threshold_files(
    model: FinnModel, layer: str, rtl: Mapping[str, int] | None = None
) -> dict[str, bytes] | None:
    """Return the ``$readmemh`` texts of a threshold tree by name, or None if the model does not tell them.

    Shapes: ``threshs_<pe>_<stage>.dat`` has ``2**stage`` lines for each fold of the channels: the thresholds
    in the middle of what the earlier stages have left. One row of thresholds for all channels is built as PE
    channels.

    Args:
        model: Child model.
        layer: FINN node.
        rtl: Its parameters: they tell what FINN has put in the place of thresholds that a narrow range lacks.

    Raises:
        InputError: The values lie in a file beside the model that is not there.
    """
    node = layer_of(model, layer)
    if node is None or not is_threshold_tree(node):
        return None
    found, pe, result = threshold_table(model, node), node.integer("PE"), node.element("outputDataType")
    if found is None or not pe or result is None:
        return None
    bits = (rtl or {}).get("WT", found[1].bits)
    table = whole_tree(found[0], found[1], node, rtl or {})
    if len(table) == 1:
        table = np.broadcast_to(table, (pe, table.shape[1]))
    if table.shape[1] != (1 << result.bits) - 1 or len(table) % pe or bits < found[1].bits:
        return None
    files = {}
    for stage in range(result.bits):
        span = 1 << (result.bits - stage)
        middle = np.arange(1 << stage) * span + span // 2 - 1
        for channel in range(pe):
            column: Integers = table[channel::pe, middle].reshape(-1, 1)
            text = _text(_lines(packed(column, bits), -(-bits // 4)))
            files[f"threshs_{channel}_{stage}.dat"] = text
    return files


def words_of(text: bytes) -> list[bytes]:
    """Return the words of a ``$readmemh`` text without leading zeros: equal for files that load equally."""
    return [word.lower().lstrip(b"0") or b"0" for word in _COMMENT.sub(b"", text).split()]


def is_zero(text: bytes) -> bool:
    """Whether all words of a ``$readmemh`` text are zero."""
    return set(words_of(text)) == {b"0"}


def is_readable(content: bytes) -> bool:
    """Whether ``$readmemh`` finds words in a text, and nothing but words."""
    words = _COMMENT.sub(b"", content).split()
    return bool(words) and all(_WORD.fullmatch(word) for word in words)


def noise(name: str, words: int, bits: int) -> bytes:
    """Return the text of a memory with unknown contents, for simulation: the same noise for the same name."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    return _text(_lines(packed(random.integers(0, 2, (words, bits)), 1), -(-bits // 4)))


def _lines(words: Packed, digits: int) -> npt.NDArray[np.uint8]:
    """Return hexadecimal digits, most significant first: (words, digits)."""
    highest_first = words[:, ::-1]
    both = np.stack([_HEX[highest_first >> 4], _HEX[highest_first & 15]], axis=2)
    return both.reshape(len(words), -1)[:, -digits:]


def _text(lines: npt.NDArray[np.uint8]) -> bytes:
    return np.pad(lines, ((0, 0), (0, 1)), constant_values=ord("\n")).tobytes()
