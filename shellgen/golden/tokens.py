# SPDX-License-Identifier: BSD-3-Clause
"""Operators on sequences of tokens, (tokens, channels): cut, pad, pick, transpose, choose.

Source: the RTL of finn-plus 1.6.1 (crop, pad1d, inner_shuffle, where); FINN executes them alike.
"""

from __future__ import annotations

import numpy as np

from shellgen.golden.layer import Integers, Layer


def crop(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """Crop: an image without some rows and columns at its edges. A height of 0 stands for one row."""
    dims = layer.node.integers("ImgDim")
    if dims is None or len(dims) != 2:
        raise layer.refuse("does not state the size of its image")
    height, width = max(1, dims[0]), dims[1]
    north, south, west, east = (
        layer.node.integer(f"Crop{side}", 0) or 0 for side in ("North", "South", "West", "East")
    )
    if min(north, south, west, east) < 0 or north + south >= height or west + east >= width:
        raise layer.refuse("leaves nothing of its image")
    x = layer.frames(inputs[0], -1, height, width, layer.size("NumChannels"))
    return [x[:, :, north : height - south, west : width - east]]


def select_token(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """SelectToken: one token; a negative index counts from the end."""
    tokens, index = layer.size("NumTokens"), layer.node.integer("TokenIndex", 0) or 0
    if not -tokens <= index < tokens:
        raise layer.refuse(f"selects token {index} of {tokens}")
    return [layer.frames(inputs[0], tokens, layer.size("NumChannels"))[:, index]]


def pad_tokens(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """Pad1D: constant tokens before and behind the sequence; a single one is repeated."""
    channels = layer.size("NumChannels")
    x = layer.frames(inputs[0], layer.size("NumTokens"), channels)
    parts = []
    for index, side in ((1, "PadLeft"), (2, "PadRight")):
        count = layer.node.integer(side, 0) or 0
        values = layer.whole(index).reshape(-1, channels) if count else np.zeros((0, channels), np.int64)
        if len(values) not in (1, count):
            raise layer.refuse(f"has {len(values)} tokens for {side} {count}")
        parts.append(np.broadcast_to(values, (len(x), count, channels)))
    return [np.concatenate([parts[0], x, parts[1]], axis=1)]


def inner_shuffle(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """InnerShuffle: the last two dimensions change places."""
    shape = layer.node.integers("transpose_in_shape")
    if shape is None or len(shape) < 2:
        raise layer.refuse("does not state its shape")
    return [layer.frames(inputs[0], -1, shape[-2], shape[-1]).swapaxes(-2, -1)]


def where(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """HWWhere: X where the condition holds, else Y; all three are broadcast to each other."""
    rank = len(layer.node.integers("Shape") or ())
    operands = []
    for values, side in zip(inputs, ("Cond", "X", "Y"), strict=True):
        shape = layer.node.integers(f"{side}Shape") or (1,)
        operands.append(layer.frames(values, *(1,) * (rank - len(shape)), *shape))
    return [np.where(operands[0] != 0, operands[1], operands[2])]
