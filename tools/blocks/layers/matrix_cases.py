# SPDX-License-Identifier: BSD-3-Clause
"""Reference models of the matrix units in numpy: every pair of kinds of numbers, random folding."""

from __future__ import annotations

import numpy as np

from shellgen.model.element import ElementType
from shellgen.stitch.own_layers import Layer
from tools.blocks.layers.cases import Case, draw, port, smallest, words

_LATENCY = 16  # of the longest chain


def matrix_vector(
    rng: np.random.Generator,
    types: tuple[str, str],
    size: tuple[int, int],
    fold: tuple[int, int],
    vectors: int,
    *,
    xnor: bool = False,
) -> Case:
    """MVAU of (rows, columns) with (SIMD, PE); `xnor` with BINARY types is how FINN writes bipolar ones."""
    (mw, mh), (simd, pe) = size, fold
    data, kind = (ElementType.parse(name) for name in types)
    x, w = draw(rng, (vectors, mw), data), draw(rng, (mw, mh), kind)
    made = (x[:, :, None] == w).sum(axis=1) if xnor or types == ("BIPOLAR",) * 2 else x @ w
    output = port("out0_V", smallest(int(made.min()), int(made.max())), pe)
    attributes = {"SIMD": simd, "PE": pe, "MW": mw, "MH": mh, "noActivation": 1, "binaryXnorMode": int(xnor)}
    layer = Layer(
        f"MVAU_{'_'.join(types)}_{simd}_{pe}",
        "MVAU",
        {**attributes, "mem_mode": "external", "numInputVectors": [vectors]},
        (port("in0_V", types[0], simd), port("in1_V", types[1], simd * pe)),
        (output,),
        tuple(int(v) for v in w.flatten()),
        kind,
    )
    folded = w.T.reshape(mh // pe, pe, mw // simd, simd).transpose(0, 2, 1, 3)
    streams = words(x, simd, data), words(folded, simd * pe, kind) * vectors
    return Case(layer, streams, (words(made, pe, output.element),), len(streams[1]) + _LATENCY)


def depthwise(
    rng: np.random.Generator,
    types: tuple[str, str],
    kernel: tuple[int, int],
    channels: int,
    pe: int,
    pixels: int,
) -> Case:
    """VVAU behind a depthwise window generator: (pixel, channel group, window, channel of the group)."""
    data, kind = (ElementType.parse(name) for name in types)
    size = kernel[0] * kernel[1]
    x = draw(rng, (pixels, channels // pe, size, pe), data)
    w = draw(rng, (channels // pe, size, pe), kind)
    made = (x == w).sum(axis=2) if types == ("BIPOLAR",) * 2 else (x * w).sum(axis=2)
    output = port("out0_V", smallest(int(made.min()), int(made.max())), pe)
    layer = Layer(
        f"VVAU_{'_'.join(types)}_{pe}",
        "VVAU",
        {
            "SIMD": 1,
            "PE": pe,
            "Channels": channels,
            "Kernel": list(kernel),
            "Dim": [1, pixels],
            "noActivation": 1,
            "binaryXnorMode": 0,
            "mem_mode": "external",
        },
        (port("in0_V", types[0], pe), port("in1_V", types[1], pe)),
        (output,),
        tuple(int(v) for v in w.transpose(0, 2, 1).flatten()),
        kind,
    )
    streams = words(x, pe, data), words(w, pe, kind) * pixels
    return Case(layer, streams, (words(made, pe, output.element),), len(streams[1]) + _LATENCY)


def matrices() -> list[Case]:
    """Return cases of every pair of kinds of numbers, with random sizes and folding."""
    rng = np.random.default_rng(26)
    cases = [
        matrix_vector(rng, ("UINT1", "INT4"), (12, 6), (4, 3), 5),
        matrix_vector(rng, ("UINT10", "INT8"), (10, 10), (5, 1), 4),
        matrix_vector(rng, ("INT16", "INT8"), (6, 4), (3, 2), 5),
        matrix_vector(rng, ("UINT4", "UINT3"), (9, 4), (9, 1), 6),
        matrix_vector(rng, ("BIPOLAR", "BIPOLAR"), (64, 8), (32, 2), 5),
        matrix_vector(rng, ("BINARY", "BINARY"), (34, 6), (17, 3), 5, xnor=True),
        matrix_vector(rng, ("TERNARY", "BIPOLAR"), (18, 4), (6, 4), 6),
        matrix_vector(rng, ("UINT8", "BIPOLAR"), (27, 4), (3, 4), 6),
        matrix_vector(rng, ("BIPOLAR", "INT2"), (16, 4), (16, 2), 6),
        matrix_vector(
            rng, ("UINT2", "BIPOLAR"), (132, 2), (1, 1), 3
        ),  # more words of a vector than LUTRAM is for
        depthwise(rng, ("UINT4", "INT4"), (3, 3), 6, 2, 5),
        depthwise(rng, ("INT9", "INT3"), (1, 5), 4, 4, 5),
        depthwise(rng, ("UINT3", "BIPOLAR"), (2, 2), 6, 3, 5),
        depthwise(rng, ("BIPOLAR", "BIPOLAR"), (5, 5), 4, 1, 3),
    ]
    names = ["UINT1", "UINT3", "UINT9", "INT2", "INT5", "INT11", "BIPOLAR", "TERNARY"]
    for _ in range(8):
        types = (names[rng.integers(8)], names[rng.integers(8)])
        bits = ElementType.parse(types[1]).bits
        simd, pe = (int(rng.integers(1, most)) for most in (max(2, min(9, 60 // bits)), 4))
        pe = min(pe, max(1, 64 // (bits * simd)))
        folds = [int(rng.integers(1, 4)) for _ in range(2)]
        cases.append(matrix_vector(rng, types, (simd * folds[0], pe * folds[1]), (simd, pe), 6))
    return cases
