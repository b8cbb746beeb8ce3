# SPDX-License-Identifier: BSD-3-Clause
"""The weight memory of an MVAU from its ONNX initialiser, for builds whose ``memblock*.dat`` is lost.

FINN keeps those files in a folder outside the stitched IP, so no moved build has them; the same weights
are in the model.

Source: facts/real_builds.md, relocation rule 5 and "Data packing"; facts/finn_artefacts.md 6.5.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from onnx import numpy_helper

from shellgen.model import ElementType
from shellgen.read.finn_onnx import FinnModel, Node


def memblock(model: FinnModel, layer: str) -> bytes | None:
    """Return the ``$readmemh`` text of a layer's weights, or None if the model does not tell them.

    Shapes: one line per memory word, ``MH/PE`` outer, ``MW/SIMD`` inner; a word is PE-major with element
    0 of the SIMD in the least significant bits; two's complement; BIPOLAR -1 is stored as 0.

    Args:
        model: Child model.
        layer: FINN node; kernel partitions prefix it with the name of their partition.
    """
    node = next((node for node in model.nodes if node.op == "MVAU" and _is(node, layer)), None)
    if node is None or len(node.inputs) < 2 or node.inputs[1] not in model.initialisers:
        return None
    pe, simd = node.integer("PE"), node.integer("SIMD")
    matrix = numpy_helper.to_array(model.initialisers[node.inputs[1]])
    try:
        element = ElementType.parse(node.text("weightDataType") or "")
    except ValueError:
        return None
    size = (node.integer("MW"), node.integer("MH"))
    if not pe or not simd or matrix.shape != size or matrix.shape[0] % simd or matrix.shape[1] % pe:
        return None
    return _words(matrix, pe, simd, element)


def _is(node: Node, layer: str) -> bool:
    return node.name == layer or node.name.endswith(f"_{layer}")


def _words(matrix: npt.NDArray[np.generic], pe: int, simd: int, element: ElementType) -> bytes | None:
    values = np.rint(matrix.astype(np.float64)).astype(np.int64)
    if element.name == "BIPOLAR":
        values = (values + 1) // 2
    elif values.min() < element.low or values.max() > element.high:
        return None
    inputs, outputs = values.shape
    # (MW, MH) -> (MH/PE, PE, MW/SIMD, SIMD) -> (word, element of the word)
    folded = values.T.reshape(outputs // pe, pe, inputs // simd, simd).transpose(0, 2, 1, 3)
    words = folded.reshape(-1, pe * simd) & ((1 << element.bits) - 1)
    digits = -(-pe * simd * element.bits // 4)
    bits = (words[:, :, None] >> np.arange(element.bits)) & 1
    packed = np.packbits(bits.reshape(len(words), -1).astype(np.uint8), axis=1, bitorder="little")
    lines = [f"{int.from_bytes(row.tobytes(), 'little'):0{digits}x}\n" for row in packed]
    return "".join(lines).encode()
