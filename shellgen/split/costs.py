# SPDX-License-Identifier: BSD-3-Clause
"""Cycles and resources of a folded layer: FINN's estimate, with what FINN's formulas leave out.

FINN's estimates count weight memories and DSP slices. They count no LUT of a matrix unit in RTL, no converter
and no FIFO, and they pack four products into each DSP slice whatever their width. The additions here count
adders, comparators, memories of LUTs and registers in FINN's RTL; where they differ from synthesis, they
should be above it.
"""

from __future__ import annotations

from functools import lru_cache

from shellgen import costs
from shellgen.model import Usage
from shellgen.model.folding import Folding, SplitLayer, SplitNetwork, SplitStream
from shellgen.read.cycles import folded_cycles
from shellgen.split.pace import depth_of, node_of

COUNTED = "FINN's estimate, with LUTs and DSP slices counted in the RTL"
_LUTRAM_WORDS = 64  # of a LUT as a memory of one bit (UG474, UG574)
# Bits of a DSP slice's wider operand (UG479, UG579), one less where the most negative weight may occur.
_MULTIPLIER = {"7series": 25, "ultrascale": 26}
_ADDITIONS = ("ElementwiseAdd", "ElementwiseSub", "ElementwiseAbsDiff")


def counted(network: SplitNetwork) -> SplitNetwork:
    """Return the network with corrected cycles and resources of each folding."""
    leaving: dict[str, list[SplitStream]] = {}
    for stream in network.streams:
        leaving.setdefault(stream.producer, []).append(stream)
    wide = _MULTIPLIER["7series" if network.part.startswith(("xc7", "xa7", "xq7")) else "ultrascale"]
    layers = [
        layer.model_copy(
            update={
                "foldings": tuple(
                    _counted(layer, one, leaving.get(layer.name, []), wide) for one in layer.foldings
                ),
                "source": COUNTED,
            }
        )
        for layer in network.layers
    ]
    return network.model_copy(update={"layers": tuple(layers)})


def _counted(layer: SplitLayer, folding: Folding, leaving: list[SplitStream], wide: int) -> Folding:
    cycles = folded_cycles(node_of(layer, folding)) or folding.cycles
    takes = _inside(layer, folding, wide) + _around(layer, folding, leaving)
    return folding.model_copy(update={"cycles": cycles, "takes": takes})


def _inside(layer: SplitLayer, folding: Folding, wide: int) -> Usage:
    """Return the cost of the layer itself."""
    told = folding.takes
    more = Usage(lut=100)  # counters and handshake
    if layer.kind in ("MVAU", "VVAU"):
        lanes = _lanes(folding)
        data, weights, out = layer.reads[0], max(layer.weights, layer.reads[-1], 1), layer.writes[0]
        pe = int(folding.attributes.get("PE", 1))
        more += _weight_memory(layer, folding)
        if not layer.rtl:
            return (
                Usage(bram18=told.bram18, uram=told.uram)
                + more
                + costs.layer_dot(lanes, pe, data, weights, out)
            )
        packed = _products(data, weights, wide)
        simd = lanes // pe
        # An adder tree for each row behind the slices, and the corrections between rows that share a slice.
        adders = pe * max(simd - 1, 0) * (data + weights + 1) + 2 * pe * simd + pe * out
        again = data * simd * -(-_folds(layer, folding) // _LUTRAM_WORDS)
        return (
            Usage(bram18=told.bram18, uram=told.uram, dsp=-(-pe // packed) * simd, lut=adders + again) + more
        )
    if layer.kind == "Thresholding":
        compare = int(folding.attributes.get("PE", 1)) * layer.writes[0] * layer.reads[0]
        more += Usage(lut=compare)
    elif layer.kind in _ADDITIONS:
        more += Usage(lut=folding.writes[0] * layer.writes[0])
    elif layer.kind == "ElementwiseMul":
        more += Usage(lut=folding.writes[0] * (sum(layer.reads) + layer.weights) ** 2 // 4)
    elif not told.lut:
        more += Usage(lut=sum(_stream_bits(layer, folding)))
    return Usage(lut=told.lut, bram18=told.bram18, uram=told.uram, dsp=told.dsp) + more


def _products(data: int, weights: int, wide: int) -> int:
    """Return how many rows share a DSP slice: their partial products lie side by side in its operand."""
    return 1 if weights >= wide else 1 + (wide - weights) // (weights + data - 1)


def _lanes(folding: Folding) -> int:
    return int(folding.attributes.get("PE", 1)) * int(folding.attributes.get("SIMD", 1))


def _folds(layer: SplitLayer, folding: Folding) -> int:
    """Words of a vector that a matrix unit keeps to read them once for each group of rows."""
    if layer.limits.get("PE", 1) == folding.attributes.get("PE", 1):
        return 0
    return layer.limits.get("SIMD", 1) // int(folding.attributes.get("SIMD", 1))


def _weight_memory(layer: SplitLayer, folding: Folding) -> Usage:
    """Return LUTs for weights that lie in LUTs; FINN counts them in block RAM only."""
    if folding.attributes.get("ram_style") != "distributed" or not layer.constants:
        return Usage()
    lanes = _lanes(folding)
    return Usage(lut=lanes * layer.weights * -(-layer.constants // (lanes * _LUTRAM_WORDS)))


def _stream_bits(layer: SplitLayer, folding: Folding) -> list[int]:
    pairs = [*zip(folding.reads, layer.reads, strict=False), *zip(folding.writes, layer.writes, strict=False)]
    return [elements * bits for elements, bits in pairs]


def _around(layer: SplitLayer, folding: Folding, leaving: list[SplitStream]) -> Usage:
    """Return the FIFOs behind a layer, and its share of the converters to its neighbours' words."""
    fifos = [
        _fifo(folding.writes[stream.output] * stream.bits, depth_of(layer, folding, stream))
        for stream in leaving
    ]
    return Usage(
        lut=sum(_stream_bits(layer, folding)) // 2 + sum(one.lut for one in fifos),
        bram18=sum(one.bram18 for one in fifos),
        uram=sum(one.uram for one in fifos),
    )


_fifo = lru_cache(costs.fifo)
