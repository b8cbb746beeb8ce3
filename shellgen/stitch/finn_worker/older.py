# SPDX-License-Identifier: BSD-3-Clause
"""Layers of models that earlier FINN releases wrote, in the form that finn-plus 1.6 knows."""

from __future__ import annotations

from typing import Any

from onnx import TensorProto, helper
from qonnx.core.datatype import DataType

from .ends import DOMAIN
from .own import ELEMENTWISE

_CHANNELWISE = {"add": "ElementwiseAdd", "mul": "ElementwiseMul"}


def modernise(model: Any) -> Any:
    """Rewrite layers that have another name or other attributes by now; the rest stays."""
    for node in list(model.graph.node):
        if node.domain.startswith(DOMAIN):
            kind = node.op_type.removesuffix("_hls").removesuffix("_rtl").removesuffix("_Batch")
            if kind in _CHANGES:
                _CHANGES[kind](model, node)
    return model


def _attributes(node: Any) -> dict[str, Any]:
    return {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _replace(node: Any, attributes: dict[str, Any], *gone: str) -> None:
    kept = [entry for entry in node.attribute if entry.name not in {*attributes, *gone}]
    del node.attribute[:]
    node.attribute.extend(kept)
    node.attribute.extend(helper.make_attribute(key, value) for key, value in attributes.items())


def _sum(model: Any, node: Any) -> None:
    _elementwise(model, node, "ElementwiseAdd")


def _eltwise(model: Any, node: Any) -> None:
    _elementwise(model, node, f"Elementwise{_text(_attributes(node)['eltwiseOp'])}")


def _channelwise(model: Any, node: Any) -> None:
    function = _text(_attributes(node).get("Func", "cmp_le"))
    if function in _CHANNELWISE:
        _elementwise(model, node, _CHANNELWISE[function])


def _elementwise(model: Any, node: Any, kind: str) -> None:
    """Name the operator by its node; a sum of several streams stays, and is refused by its old name."""
    if len(node.input) != 2 or kind not in ELEMENTWISE:
        return
    constants = [model.get_initializer(tensor) is not None for tensor in node.input]
    types = [model.get_tensor_datatype(tensor).name for tensor in node.input]
    shapes = [list(model.get_tensor_shape(tensor)) or [1] for tensor in node.input]
    out = node.output[0]
    attributes = {
        "lhs_dtype": types[0],
        "rhs_dtype": types[1],
        "out_dtype": model.get_tensor_datatype(out).name,
        "lhs_shape": shapes[0],
        "rhs_shape": shapes[1],
        "out_shape": list(model.get_tensor_shape(out)),
        "lhs_style": "const" if constants[0] else "input",
        "rhs_style": "const" if constants[1] else "input",
    }
    _replace(node, attributes, "eltwiseOp", "Func", "NumChannels", "inputDataType", "outputDataType")
    node.op_type = f"{kind}_hls" if node.op_type.endswith("_hls") else kind


def _fifo(model: Any, node: Any) -> None:
    """Vivado's FIFO was the deep one; FINN's own has any depth by now."""
    del model
    if _text(_attributes(node).get("impl_style", "")) == "vivado":
        _replace(node, {"impl_style": "rtl", "ram_style": "auto"})


def _converter(model: Any, node: Any) -> None:
    shape = _attributes(node).get("shape")
    if shape is not None:
        ends = [list(model.get_tensor_shape(tensor) or shape) for tensor in (node.input[0], node.output[0])]
        _replace(node, {"inShape": ends[0], "outShape": ends[1]}, "shape")


def _dynamic(model: Any, node: Any) -> None:
    del model
    if _attributes(node).get("dynamic_input"):
        _replace(node, {"mem_mode": "dynamic"}, "dynamic_input")


def _max_pool(model: Any, node: Any) -> None:
    """Make a window generator and a Pool of it, as FINN infers them by now; windows lie side by side."""
    given = _attributes(node)
    if given.get("CeilMode"):
        return  # refused by its name
    image, window = list(given["ImgDim"]), list(given["PoolDim"])
    channels, pe, kind = given["NumChannels"], given.get("PE", 1), _text(given["dataType"])
    pooled = [size // step for size, step in zip(image, window, strict=True)]
    shape = [1, *pooled, channels * window[0] * window[1]]
    inner = model.make_new_valueinfo_name()
    model.graph.value_info.append(helper.make_tensor_value_info(inner, TensorProto.FLOAT, shape))
    model.set_tensor_datatype(inner, DataType[kind])
    places = {key: given[key] for key in ("partition_id", "device_id", "slr") if key in given}
    windows = helper.make_node(
        "ConvolutionInputGenerator",
        [node.input[0]],
        [inner],
        f"{node.name}_window",
        domain=DOMAIN,
        backend="fpgadataflow",
        ConvKernelDim=window,
        IFMChannels=channels,
        IFMDim=image,
        OFMDim=pooled,
        SIMD=pe,
        Stride=window,
        Dilation=[1, 1],
        inputDataType=kind,
        outputDataType=kind,
        depthwise=1,
        is1D=int(1 in image),
        **places,
    )
    pool = helper.make_node(
        "Pool",
        [inner],
        [node.output[0]],
        node.name,
        domain=DOMAIN,
        backend="fpgadataflow",
        Channels=channels,
        PE=pe,
        KernelSize=window,
        Function="MaxPool",
        OutImgDims=pooled,
        InputDataType=kind,
        OutputDataType=kind,
        **places,
    )
    at = list(model.graph.node).index(node)
    model.graph.node.remove(node)
    for offset, new in enumerate((windows, pool)):
        model.graph.node.insert(at + offset, new)


_CHANGES = {
    "AddStreams": _sum,
    "StreamingEltwise": _eltwise,
    "ChannelwiseOp": _channelwise,
    "StreamingFIFO": _fifo,
    "StreamingDataWidthConverter": _converter,
    "StreamingMaxPool": _max_pool,
    "MVAU": _dynamic,
}
