# SPDX-License-Identifier: BSD-3-Clause
"""Kind by kind: the chain of blocks that computes what FINN's layer of that name computes.

Attributes and the order of words are those of finn-plus 1.6.1 (finn/custom_op/fpgadataflow): channels are
innermost, PE or SIMD of them side by side, the first in the lowest bits.
"""

from __future__ import annotations

from collections.abc import Callable

from shellgen.stitch.own_layers.layer import Layer
from shellgen.stitch.own_layers.matrix import depthwise, matrix_vector
from shellgen.stitch.own_layers.stages import Chain, Stage, Unavailable, packed

_ADD, _SUB, _ABSDIFF, _MUL = range(4)
_SUM, _MAXIMUM = range(2)
_OPERATIONS = {"Add": _ADD, "Sub": _SUB, "AbsDiff": _ABSDIFF, "Mul": _MUL}
_MOST_PORTS = 32


def _parallel(layer: Layer) -> int:
    return layer.number("SIMD" if "SIMD" in layer.attributes else "PE")


def _numbers_only(layer: Layer) -> None:
    """BIPOLAR is stored as 0 for -1: arithmetic on the code would be wrong."""
    if any(port.element.name == "BIPOLAR" for port in layer.inputs):
        raise Unavailable(
            f"this {layer.kind} computes with BIPOLAR values", "Give it INT2, or keep it on the host"
        )


def _bits(layer: Layer, count: int, **inner: int) -> dict[str, int]:
    """Bits of a beat by stream: the layer's ports have `count` elements."""
    return {port.name: count * port.element.bits for port in (*layer.inputs, *layer.outputs)} | inner


def _elementwise(layer: Layer) -> Chain:
    """Two streams of one shape, or a stream and a constant: one number, or one for each channel."""
    _numbers_only(layer)
    if len(layer.inputs) == 1:
        return _channelwise(layer)
    shapes = [layer.attributes[f"{side}_shape"] for side in ("lhs", "rhs")]
    if shapes[0] != shapes[1]:
        found = f"this {layer.kind} has operands of shapes {shapes[0]} and {shapes[1]}"
        raise Unavailable(found, "Give both the same shape, or make one a constant")
    lanes = _parallel(layer)
    left, right = layer.inputs
    (out,) = layer.outputs
    parameters: dict[str, int | str] = {
        "N": lanes,
        "A_W": left.element.bits,
        "B_W": right.element.bits,
        "OUT_W": out.element.bits,
        "A_SIGNED": int(left.element.signed),
        "B_SIGNED": int(right.element.signed),
        "OP": _operation(layer),
    }
    stage = Stage("layer_eltwise", parameters, (left.name, right.name), (out.name,))
    return Chain((stage,), _bits(layer, lanes))


def _operation(layer: Layer) -> int:
    return _OPERATIONS[layer.kind.removeprefix("Elementwise")]


def _channelwise(layer: Layer) -> Chain:
    operation = _operation(layer)
    side = "lhs" if layer.attributes["lhs_style"] == "const" else "rhs"
    if side == "lhs" and operation == _SUB:
        raise Unavailable("it takes a stream from a constant", "Add the constant to the negated stream")
    channels, shape = layer.attributes["out_shape"][-1], layer.attributes[f"{side}_shape"]
    lanes, kind = _parallel(layer), layer.constant_type
    if len(layer.constants) not in (1, shape[-1]) or shape[-1] not in (1, channels):
        found = f"its constant has shape {shape}, and shellgen's RTL takes a number for each channel"
        raise Unavailable(found, "Make it one number for each channel")
    constants = layer.constants * (channels // len(layer.constants))
    assert kind is not None
    (data,), (out,) = layer.inputs, layer.outputs
    parameters: dict[str, int | str] = {
        "N": lanes,
        "A_W": data.element.bits,
        "B_W": kind.bits,
        "OUT_W": out.element.bits,
        "A_SIGNED": int(data.element.signed),
        "B_SIGNED": int(kind.signed),
        "OP": operation,
        "FOLDS": channels // lanes,
        "VALUES": packed(constants, kind.bits),
    }
    return Chain((Stage("layer_channelwise", parameters, (data.name,), (out.name,)),), _bits(layer, lanes))


def _duplicate(layer: Layer) -> Chain:
    lanes = _parallel(layer)
    (data,) = layer.inputs
    _few(layer, len(layer.outputs))
    parameters: dict[str, int | str] = {"N": len(layer.outputs), "DATA_W": lanes * data.element.bits}
    outputs = tuple(port.name for port in layer.outputs)
    return Chain((Stage("axis_broadcast", parameters, (data.name,), outputs),), _bits(layer, lanes))


def _few(layer: Layer, ports: int) -> None:
    if ports > _MOST_PORTS:
        raise Unavailable(f"this {layer.kind} has {ports} streams on a side", f"At most {_MOST_PORTS} go")


def _turns(layer: Layer) -> str:
    lanes = _parallel(layer)
    return packed(tuple(channels // lanes for channels in layer.attributes["ChannelsPerStream"]), 32)


def _concat(layer: Layer) -> Chain:
    lanes = _parallel(layer)
    (out,) = layer.outputs
    _few(layer, len(layer.inputs))
    stages, names, inner = [], [], {}
    for port in layer.inputs:
        name = port.name
        if port.element.bits != out.element.bits:
            if port.element.bits > out.element.bits:
                raise Unavailable(f"{port.element.name} does not fit {out.element.name}", "Annotate the type")
            name = f"{port.name}_wide"
            inner[name] = lanes * out.element.bits
            wider: dict[str, int | str] = {
                "N": lanes,
                "W": port.element.bits,
                "SLOT_W": out.element.bits,
                "SIGNED_EN": int(port.element.signed),
            }
            stages.append(Stage("axis_pad", wider, (port.name,), (name,)))
        names.append(name)
    parameters: dict[str, int | str] = {
        "N": len(names),
        "DATA_W": lanes * out.element.bits,
        "BEATS": _turns(layer),
    }
    stages.append(Stage("layer_concat", parameters, tuple(names), (out.name,)))
    return Chain(tuple(stages), _bits(layer, lanes, **inner))


def _split(layer: Layer) -> Chain:
    lanes = _parallel(layer)
    (data,) = layer.inputs
    _few(layer, len(layer.outputs))
    parameters: dict[str, int | str] = {
        "N": len(layer.outputs),
        "DATA_W": lanes * data.element.bits,
        "BEATS": _turns(layer),
    }
    outputs = tuple(port.name for port in layer.outputs)
    return Chain((Stage("layer_split", parameters, (data.name,), outputs),), _bits(layer, lanes))


def _reduce(layer: Layer, operation: int, folds: int, steps: int, shift: int) -> Chain:
    if operation == _SUM:
        _numbers_only(layer)
    lanes = _parallel(layer)
    (data,), (out,) = layer.inputs, layer.outputs
    parameters: dict[str, int | str] = {
        "N": lanes,
        "IN_W": data.element.bits,
        "OUT_W": out.element.bits,
        "SIGNED_EN": int(data.element.signed),
        "OP": operation,
        "FOLDS": folds,
        "STEPS": steps,
        "SHIFT": shift,
    }
    return Chain((Stage("layer_reduce", parameters, (data.name,), (out.name,)),), _bits(layer, lanes))


def _pool(layer: Layer) -> Chain:
    steps = layer.product("KernelSize")
    if layer.attributes["Function"] == "MaxPool":
        # The codes of BIPOLAR, 0 and 1, are in the order of its values.
        return _reduce(layer, _MAXIMUM, 1, steps, 0)
    # FINN's execution: the sum of `steps` largest unsigned values must fit the output after the shift.
    most = ((1 << layer.inputs[0].element.bits) - 1) * steps
    shift = max(0, most.bit_length() - layer.outputs[0].element.bits)
    return _reduce(layer, _SUM, 1, steps, shift)


def _global_sum(layer: Layer) -> Chain:
    folds = layer.number("NumChannels") // _parallel(layer)
    _, *pixels = layer.attributes["numInputVectors"]
    steps = 1
    for size in pixels:
        steps *= size
    return _reduce(layer, _SUM, folds, steps, 0)


def _label_select(layer: Layer) -> Chain:
    _numbers_only(layer)
    lanes = _parallel(layer)
    (data,), (out,) = layer.inputs, layer.outputs
    stages, source, inner = [], data.name, {}
    if lanes > 1:
        # The block takes one value a beat: Labels cycles for a vector, where FINN's takes Labels / PE.
        source, inner = "single", {"single": data.element.bits}
        stages.append(_width(lanes * data.element.bits, data.element.bits, data.name, source))
    parameters: dict[str, int | str] = {
        "IN_W": data.element.bits,
        "SIGNED_EN": int(data.element.signed),
        "LABELS": layer.number("Labels"),
        "K": layer.number("K"),
        "OUT_W": out.element.bits,
    }
    stages.append(Stage("layer_top", parameters, (source,), (out.name,)))
    bits = {data.name: lanes * data.element.bits, out.name: out.element.bits}
    return Chain(tuple(stages), bits | inner)


def _width(given: int, wanted: int, source: str, target: str) -> Stage:
    parameters: dict[str, int | str] = {"IN_W": given, "OUT_W": wanted, "IN_BEATS": 0, "OUT_BEATS": 0}
    return Stage("axis_width", parameters, (source,), (target,), (("m_axis_tlast", 1),))


def _upsample(layer: Layer) -> Chain:
    lanes = _parallel(layer)
    (data,), (out,) = layer.inputs, layer.outputs
    sizes = [layer.number(name) for name in ("HI", "WI", "HO", "WO")]
    if sizes[2] % sizes[0] or sizes[3] % sizes[1]:
        raise Unavailable("it scales by a fraction", "Scale by whole numbers")
    beats = layer.number("NumChannels") // lanes
    rows: dict[str, int | str] = {
        "DATA_W": lanes * data.element.bits,
        "BEATS": sizes[1] * beats,
        "TIMES": sizes[2] // sizes[0],
    }
    pixels = rows | {"BEATS": beats, "TIMES": sizes[3] // sizes[1]}
    stages = (
        Stage("layer_repeat", rows, (data.name,), ("rows",)),
        Stage("layer_repeat", pixels, ("rows",), (out.name,)),
    )
    return Chain(stages, _bits(layer, lanes, rows=lanes * data.element.bits))


KINDS: dict[str, Callable[[Layer], Chain]] = {
    "DuplicateStreams": _duplicate,
    "ElementwiseAbsDiff": _elementwise,
    "ElementwiseAdd": _elementwise,
    "ElementwiseMul": _elementwise,
    "ElementwiseSub": _elementwise,
    "GlobalAccPool": _global_sum,
    "LabelSelect": _label_select,
    "MVAU": matrix_vector,
    "Pool": _pool,
    "StreamingConcat": _concat,
    "StreamingSplit": _split,
    "UpsampleNearestNeighbour": _upsample,
    "VVAU": depthwise,
}


def refusal(kind: str) -> tuple[str, str]:
    """Return what is found and what can be done where neither FINN nor we have RTL of a layer."""
    found = f"FINN has {kind} as Vitis HLS only, and shellgen has no RTL for it"
    return found, "Keep it on the host, or build this partition with Vivado"
