# SPDX-License-Identifier: BSD-3-Clause
"""Random layers that FINN has in RTL since 1.6: requantisation, crops, padding, transposes, choices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from layer_network import FINN, GENERAL, Network
from onnx import TensorProto, helper


def _size(rng: np.random.Generator, most: int, least: int = 1) -> int:
    return int(rng.integers(least, most + 1))


def _lanes(rng: np.random.Generator, channels: int) -> int:
    return int(rng.choice([lanes for lanes in range(1, channels + 1) if channels % lanes == 0]))


def requant(net: Network, name: str, rng: np.random.Generator) -> None:
    channels, bits, out_bits = _size(rng, 8), _size(rng, 18, 2), _size(rng, 8, 2)
    given, made = f"INT{bits}", f"{rng.choice(['INT', 'UINT'])}{out_bits}"
    shape = (1, _size(rng, 4), channels)
    scales = rng.choice([-1, 1], channels) * rng.uniform(0.4, 3, channels) * 2.0 ** (out_bits - bits)
    biases = rng.uniform(-1, 1, channels) * 2.0 ** min(out_bits - 1, bits - out_bits)
    biases[rng.random(channels) < 0.2] = 0
    parameters = [
        net.constant(f"{name}_scale", scales, "FLOAT32"),
        net.constant(f"{name}_bias", biases, "FLOAT32"),
    ]
    how: dict[str, Any] = {"NumChannels": channels, "PE": _lanes(rng, channels)}
    how |= {"inputDataType": given, "outputDataType": made, "numInputVectors": list(shape[:-1])}
    _add(net, "Requant", name, [(shape, given)], (shape, made), how, parameters)


def crop(net: Network, name: str, rng: np.random.Generator) -> None:
    height, width, channels = _size(rng, 6), _size(rng, 7), _size(rng, 8)
    north, west = _size(rng, height) - 1, _size(rng, width) - 1
    south, east = _size(rng, height - north) - 1, _size(rng, width - west) - 1
    how: dict[str, Any] = {"CropNorth": north, "CropSouth": south, "CropWest": west, "CropEast": east}
    how |= {"ImgDim": [height, width], "NumChannels": channels, "DataType": "INT5", "numInputVectors": [1]}
    how["SIMD"] = _lanes(rng, channels)
    shapes = (1, height, width, channels), (1, height - north - south, width - west - east, channels)
    _add(net, "Crop", name, [(shapes[0], "INT5")], (shapes[1], "INT5"), how)


def select_token(net: Network, name: str, rng: np.random.Generator) -> None:
    tokens, channels = _size(rng, 9), _size(rng, 8)
    how: dict[str, Any] = {"NumTokens": tokens, "NumChannels": channels, "SIMD": _lanes(rng, channels)}
    how |= {"TokenIndex": int(rng.integers(-tokens, tokens)), "inputDataType": "UINT7"}
    shapes = (1, tokens, channels), (1, channels)
    _add(net, "SelectToken", name, [(shapes[0], "UINT7")], (shapes[1], "UINT7"), how)


def pad(net: Network, name: str, rng: np.random.Generator) -> None:
    tokens, channels = _size(rng, 8), _size(rng, 8)
    counts = _size(rng, 4) - 1, _size(rng, 4) - 1
    how: dict[str, Any] = {"NumTokens": tokens, "NumChannels": channels, "SIMD": _lanes(rng, channels)}
    how |= {"PadLeft": counts[0], "PadRight": counts[1], "inputDataType": "INT4"}
    parameters = []
    for side, count in zip(("left", "right"), counts, strict=True):
        rows = int(rng.choice([1, max(1, count)]))
        parameters.append(net.constant(f"{name}_{side}", rng.integers(-8, 8, (1, rows, channels)), "INT4"))
    shapes = (1, tokens, channels), (1, tokens + sum(counts), channels)
    _add(net, "Pad1D", name, [(shapes[0], "INT4")], (shapes[1], "INT4"), how, parameters)


def shuffle(net: Network, name: str, rng: np.random.Generator) -> None:
    lanes = _size(rng, 4)
    shape = (1, _size(rng, 2), lanes * _size(rng, 4), _size(rng, 8))
    how: dict[str, Any] = {"data_type": "INT6", "in_shape": list(shape), "SIMD": lanes}
    how["transpose_in_shape"] = list(shape)
    turned = (*shape[:2], shape[3], shape[2])
    _add(net, "InnerShuffle", name, [(shape, "INT6")], (turned, "INT6"), how)


def where(net: Network, name: str, rng: np.random.Generator) -> None:
    shape = tuple(_size(rng, 5) for _ in range(_size(rng, 3)))
    shapes = []
    for _ in range(3):
        kept = tuple(size if rng.random() < 0.7 else 1 for size in shape)
        shapes.append(kept[int(rng.integers(0, len(kept))) :])
    full = np.broadcast_shapes(*shapes)
    how: dict[str, Any] = {"Shape": list(full), "conditionDataType": "BINARY", "inputDataType": "INT5"}
    for side, part in zip(("Cond", "X", "Y"), shapes, strict=True):
        how |= {f"{side}Shape": list(part), f"{side}Rank": len(part)}
    how["PE"] = _lanes(rng, full[-1])
    ends = list(zip(shapes, ("BINARY", "INT5", "INT5"), strict=True))
    _add(net, "HWWhere", name, ends, (full, "INT5"), how)


KINDS = {
    "Requant": requant,
    "Crop": crop,
    "SelectToken": select_token,
    "Pad1D": pad,
    "InnerShuffle": shuffle,
    "HWWhere": where,
}
End = tuple[tuple[int, ...], str]


def _add(
    net: Network,
    kind: str,
    name: str,
    given: list[End],
    made: End,
    how: dict[str, Any],
    parameters: list[str] | None = None,
) -> None:
    inputs = [net.tensor(f"{name}_in{index}", *end) for index, end in enumerate(given)]
    out = net.tensor(f"{name}_out", *made)
    inputs += parameters or []
    net.node(kind, inputs, [out], FINN, name=f"{kind}_0", backend="fpgadataflow", **how)


def write_layers(path: Path, kinds: list[str], count: int, seed: int) -> list[str]:
    """Write a model of single layers side by side; returns the names that stitch gives them."""
    net, rng, names = Network(), np.random.default_rng(seed), []
    for kind in kinds:
        for index in range(count):
            KINDS[kind](net, f"{kind.lower()}_{index}", rng)
            names.append(f"{kind}_{index}")
    values = {
        name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in net.shapes.items()
    }
    made = {tensor for node in net.nodes for tensor in node.output}
    inputs = [value for name, value in values.items() if name not in made]
    outputs = [value for name, value in values.items() if name in made]
    graph = helper.make_graph(net.nodes, "layers", inputs, outputs, net.initialisers)
    for name, kind in net.types.items():
        note = graph.quantization_annotation.add(tensor_name=name)
        note.quant_parameter_tensor_names.add(key="finn_datatype", value=kind)
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid(GENERAL, 1), helper.make_opsetid(FINN, 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return names
