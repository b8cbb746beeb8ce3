# SPDX-License-Identifier: BSD-3-Clause
"""Matrix units that FINN's RTL does not take: in LUTs, for numbers of any width, one bit among them.

Words and folding are those of FINN's HLS: weight word ``nf * SF + sf`` holds rows ``nf * PE`` and up, columns
``sf * SIMD`` and up. The weights come from FINN's memory of streamed weights, which the host may write.
"""

from __future__ import annotations

from shellgen.model.element import ElementType
from shellgen.stitch.own_layers.layer import Layer
from shellgen.stitch.own_layers.stages import Chain, Stage, Unavailable

_UNSIGNED, _SIGNED, _BIPOLAR = range(3)
_WIDEST = 32


def matrix_vector(layer: Layer) -> Chain:
    """MVAU: every vector is handed to the rows of the matrix, PE at a time."""
    simd, pe = layer.number("SIMD"), layer.number("PE")
    data, weights = layer.inputs
    (out,) = layer.outputs
    folds, steps = layer.number("MH") // pe, layer.number("MW") // simd
    bits = {
        data.name: simd * data.element.bits,
        weights.name: simd * pe * weights.element.bits,
        out.name: pe * out.element.bits,
    }
    stages, source = [], data.name
    if folds > 1:
        source = "again"
        bits[source] = bits[data.name]
        repeat: dict[str, int | str] = {"DATA_W": bits[data.name], "BEATS": steps, "TIMES": folds}
        stages.append(Stage("layer_repeat", repeat, (data.name,), (source,)))
    stages.append(_dot(layer, source, simd, steps, own=False))
    return Chain(tuple(stages), bits)


def depthwise(layer: Layer) -> Chain:
    """VVAU: the window generator hands out PE channels of each pixel of a window, then the next PE."""
    pe = layer.number("PE")
    if layer.number("SIMD") > 1:
        found = f"shellgen's RTL takes one pixel of a window at a time, and SIMD is {layer.number('SIMD')}"
        raise Unavailable(found, "Set SIMD to 1 and choose a larger PE")
    data, weights = layer.inputs
    (out,) = layer.outputs
    bits = {port.name: pe * port.element.bits for port in (data, weights, out)}
    return Chain((_dot(layer, data.name, 1, layer.product("Kernel"), own=True),), bits)


def _dot(layer: Layer, source: str, simd: int, steps: int, *, own: bool) -> Stage:
    data, weights = layer.inputs
    (out,) = layer.outputs
    if not layer.number("noActivation"):
        remedy = "Make a Thresholding layer of its thresholds"
        raise Unavailable("it has thresholds of its own, and shellgen's RTL has none inside", remedy)
    for one in (data.element, weights.element):
        if one.bits > _WIDEST:
            found = f"shellgen's RTL takes numbers of up to {_WIDEST} bits, these are {one.name}"
            raise Unavailable(found, "Quantise them to fewer bits")
    xnor = bool(layer.number("binaryXnorMode"))
    parameters: dict[str, int | str] = {
        "PE": layer.number("PE"),
        "SIMD": simd,
        "A_W": data.element.bits,
        "W_W": weights.element.bits,
        "OUT_W": out.element.bits,
        "A_KIND": _BIPOLAR if xnor else _kind(data.element),
        "W_KIND": _BIPOLAR if xnor else _kind(weights.element),
        "OWN": int(own),
        "STEPS": steps,
    }
    return Stage("layer_dot", parameters, (source, weights.name), (out.name,))


def _kind(element: ElementType) -> int:
    """BINARY in XNOR mode is BIPOLAR under another name: 0 is -1."""
    if element.name == "BIPOLAR":
        return _BIPOLAR
    return _SIGNED if element.signed else _UNSIGNED
