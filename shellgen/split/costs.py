# SPDX-License-Identifier: BSD-3-Clause
"""Cycles and resources of a folded layer: FINN's estimate, with what FINN's formulas leave out.

FINN's estimates count weight memories and DSP slices. They count no LUT of a matrix unit in RTL, no converter
and no FIFO, and they pack four products into each DSP slice whatever their width. The additions here count
adders, comparators, memories of LUTs and registers in FINN's RTL; where they differ from synthesis, they
should be above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
ULTRA = "ultra"
_ULTRA_BITS, _ULTRA_WORDS = 72, 4096  # of an UltraRAM (UG573)
_WORTH_ULTRA = 8  # block RAMs of 18 Kbit, half of what one has
_AXI_LITE = 150  # LUTs of FINN's access to a weight memory
_ADDITIONS = ("ElementwiseAdd", "ElementwiseSub", "ElementwiseAbsDiff")


MEASURED = "synthesis of a build"

Measured = Mapping[tuple[str, tuple[tuple[str, int | str], ...]], Usage]


def folded(folding: Folding) -> tuple[tuple[str, int | str], ...]:
    """Return the attributes of a folding in an order of their own."""
    return tuple(sorted(folding.attributes.items()))


def counted(network: SplitNetwork, measured: Measured | None = None, *, ultra: bool = False) -> SplitNetwork:
    """Return the network with corrected cycles and resources of each folding.

    ``measured`` has resources by layer and folding that replace those of the layer itself. With ``ultra``
    large weight memories may lie in UltraRAM, too.
    """
    known = measured or {}
    leaving: dict[str, list[SplitStream]] = {}
    for stream in network.streams:
        leaving.setdefault(stream.producer, []).append(stream)
    wide = _MULTIPLIER["7series" if network.part.startswith(("xc7", "xa7", "xq7")) else "ultrascale"]
    own = {name for name, _ in known}
    alike: dict[object, list[tuple[SplitLayer, tuple[Folding, ...]]]] = {}
    layers = []
    for layer in network.layers:
        behind = leaving.get(layer.name, [])
        same = alike.setdefault(_alike(layer, behind), []) if layer.name not in own else []
        # Networks repeat their layers, and to count the foldings of each takes longer than to compare them.
        found = next((counts for other, counts in same if other.foldings == layer.foldings), None)
        if found is None:
            found = tuple(
                _counted(layer, one, behind, wide, known)
                for one in (*layer.foldings, *(_in_ultra(layer) if ultra else ()))
            )
            same.append((layer, found))
        layers.append(layer.model_copy(update={"foldings": found, "source": COUNTED}))
    return network.model_copy(update={"layers": tuple(layers)})


def _alike(layer: SplitLayer, leaving: Sequence[SplitStream]) -> object:
    """Return all that counts for the figures of a layer besides its foldings."""
    streams = tuple((stream.output, stream.bits, stream.words) for stream in leaving)
    attributes = tuple(sorted(layer.attributes.items()))
    sizes = (layer.reads, layer.writes, layer.weights, layer.constants, tuple(sorted(layer.limits.items())))
    return (layer.kind, layer.rtl, attributes, sizes, streams)


def _in_ultra(layer: SplitLayer) -> list[Folding]:
    """Return the foldings with large weight memories in UltraRAM.

    It has no initial contents (UG573), so that the weights are loaded through AXI-Lite.
    """
    found = []
    for one in layer.foldings:
        block = one.attributes.get("ram_style") == "block" and one.takes.bram18 >= _WORTH_ULTRA
        if layer.kind == "MVAU" and layer.rtl and layer.constants and block:
            lanes = _lanes(one)
            rows = -(-layer.constants // (lanes * _ULTRA_WORDS))
            takes = Usage(
                lut=_AXI_LITE, uram=-(-lanes * layer.weights // _ULTRA_BITS) * rows, dsp=one.takes.dsp
            )
            attributes = {**one.attributes, "ram_style": ULTRA, "runtime_writeable_weights": 1}
            found.append(one.model_copy(update={"attributes": attributes, "takes": takes}))
    return found


def _counted(
    layer: SplitLayer, folding: Folding, leaving: list[SplitStream], wide: int, measured: Measured
) -> Folding:
    cycles = folded_cycles(node_of(layer, folding)) or folding.cycles
    found = measured.get((layer.name, folded(folding))) if measured else None
    takes = (found or _inside(layer, folding, wide)) + _around(layer, folding, leaving)
    source = MEASURED if found else ""
    return folding.model_copy(update={"cycles": cycles, "takes": takes, "source": source})


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
            Usage(bram18=told.bram18, uram=told.uram, dsp=-(-pe // packed) * simd, lut=adders + again)
            + Usage(lut=told.lut)
            + more
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


_fifo = lru_cache(costs.finn_fifo)
