# SPDX-License-Identifier: BSD-3-Clause
"""Networks for `split` as FINN would tell of them: matrix units and thresholds, without FINN."""

from __future__ import annotations

from itertools import product

from shellgen.model import Usage
from shellgen.model.folding import Folding, SplitLayer, SplitNetwork, SplitStream

PART = "xc7z020clg484-1"


def divisors(number: int) -> list[int]:
    return [one for one in range(1, number + 1) if number % one == 0]


def matrix(name: str, width: int, height: int, vectors: int = 1, bits: int = 4) -> SplitLayer:
    foldings = [
        Folding(
            attributes={"SIMD": simd, "PE": pe, "ram_style": style},
            cycles=vectors * width * height // (simd * pe),
            takes=Usage(
                bram18=blocks(width * height, simd * pe * bits) if style == "block" else 0, dsp=pe * simd
            ),
            reads=(simd,),
            writes=(pe,),
            avoid=simd == width > 1,
        )
        for simd, pe in product(divisors(width), divisors(height))
        for style in ("block", "distributed")
        if simd * pe * bits <= 8192
    ]
    return SplitLayer(
        name=name,
        kind="MVAU",
        rtl=True,
        attributes={"MW": width, "MH": height, "numInputVectors": (1, vectors)},
        reads=(bits,),
        writes=(16,),
        weights=bits,
        constants=width * height,
        limits={"SIMD": width, "PE": height},
        foldings=tuple(foldings),
        source="FINN's estimate",
    )


def blocks(weights: int, bits: int) -> int:
    words = -(-weights * 4 // bits)
    return min(
        -(-bits // wide) * -(-words // deep) for deep, wide in ((512, 36), (1024, 18), (2048, 9), (4096, 4))
    )


def thresholds(name: str, channels: int, vectors: int = 1, bits: int = 4) -> SplitLayer:
    foldings = [
        Folding(
            attributes={"PE": pe},
            cycles=vectors * channels // pe,
            takes=Usage(lut=16 * pe),
            reads=(pe,),
            writes=(pe,),
        )
        for pe in divisors(channels)
    ]
    return SplitLayer(
        name=name,
        kind="Thresholding",
        rtl=True,
        attributes={"NumChannels": channels, "numInputVectors": (1, vectors)},
        reads=(16,),
        writes=(bits,),
        weights=16,
        constants=15 * channels,
        limits={"PE": channels},
        foldings=tuple(foldings),
        source="FINN's estimate",
    )


def network(*widths: int, vectors: int = 1, bits: int = 4, part: str = PART) -> SplitNetwork:
    """A chain of matrix units, each but the last with thresholds behind it."""
    layers: list[SplitLayer] = []
    last = len(widths) - 2
    for number in range(len(widths) - 1):
        layers.append(matrix(f"MVAU_{number}", widths[number], widths[number + 1], vectors, bits))
        if number < last:
            layers.append(thresholds(f"Thresholding_{number}", widths[number + 1], vectors, bits))
    return joined(layers, widths[0], vectors, bits, part)


def joined(layers: list[SplitLayer], first: int, vectors: int, bits: int, part: str) -> SplitNetwork:
    names = ["", *(layer.name for layer in layers), ""]
    widths = [first, *(int(layer.limits["PE"]) for layer in layers)]
    kinds = [bits, *(layer.writes[0] for layer in layers)]
    streams = [
        SplitStream(
            producer=before,
            output=0,
            consumer=after,
            input=0,
            datatype=f"INT{kind}" if kind == 16 else f"UINT{kind}",
            bits=kind,
            shape=(1, vectors, width),
        )
        for before, after, width, kind in zip(names, names[1:], widths, kinds, strict=False)
    ]
    return SplitNetwork(part=part, layers=tuple(layers), streams=tuple(streams))


# 800k weights of 4 bits: 178 block RAMs, more than half of what a ZedBoard has.
LARGE = network(256, 1024, 512, 64)
