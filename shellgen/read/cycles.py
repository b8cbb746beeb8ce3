# SPDX-License-Identifier: BSD-3-Clause
"""Cycles that each layer takes for a frame: FINN's own figures, or its formula for the layer's folding.

The formulas are those of ``get_exp_cycles`` in finn-plus 1.6.1, except where they say otherwise. FINN counts
no cycles for FIFOs and width converters; here they take one for each word. A layer of another kind is
unknown, never 0.
"""

from __future__ import annotations

import json
import logging
from math import prod
from pathlib import Path

from shellgen.errors import InputError
from shellgen.model.partition import LayerSource
from shellgen.read.finn_onnx import FinnModel, Node
from vivado_check.formats.data import read_json
from vivado_check.formats.looks import is_file

_LOG = logging.getLogger("shellgen.read")
_REPORT = "estimate_layer_cycles.json"
_CONFLICT = 2  # times
_SHOWN = 40  # characters of a damaged figure
_BY: dict[LayerSource, str] = {
    "measured": "FINN's RTL simulation",
    "report": f"FINN's {_REPORT}",
    "estimate": "FINN's estimate in the model",
    "formula": "the formula for its folding",
}

_MOST = 1 << 40  # of cycles; more is a damaged attribute


Told = tuple[int | None, LayerSource]


def layer_cycles(model: FinnModel, ip: Path | None = None) -> tuple[Told, ...]:
    """Return the cycles of a frame for each layer in graph order, and the source; None if they are unknown.

    FINN's simulation of a layer counts before its report, that before its estimate in the model, and that
    before the formula. Two figures that differ by more than a factor of two are both named in a warning.
    """
    report = _report(model, ip) if ip else {}
    unknown: Told = (None, "unknown")
    found: list[Told] = []
    for node in model.nodes:
        figures: list[tuple[int | None, LayerSource]] = [
            (_bounded(node.integer("rtlsim_cycles")), "measured"),
            (_bounded(report.get(node.name)), "report"),
            (_bounded(node.integer("cycles_estimate")), "estimate"),
            (_bounded(_formula(node)), "formula"),
        ]
        known = [(cycles, source) for cycles, source in figures if cycles]
        _warn_of_conflict(model, node, known)
        found.append(next(iter(known), unknown))
    return tuple(found)


def _warn_of_conflict(model: FinnModel, node: Node, known: list[tuple[int, LayerSource]]) -> None:
    """Warn where the source that is taken differs from another by more than a factor of two."""
    for cycles, source in known[1:]:
        first, by = known[0]
        if max(first, cycles) > _CONFLICT * min(first, cycles):
            _LOG.warning(
                "%s: layer %s takes %d cycles by %s, but %d by %s; the first is taken, unless "
                "[estimate.layers] of cluster.toml says another",
                *(model.path.name, node.name, first, _BY[by], cycles, _BY[source]),
            )
            return


def _report(model: FinnModel, ip: Path) -> dict[str, int]:
    """Read ``report/estimate_layer_cycles.json`` beside the IP, or up to two folders above the model."""
    near = [*ip.resolve().parents[:2], *model.path.resolve().parents[1:3]]
    for folder in dict.fromkeys(near):
        path = folder / "report" / _REPORT
        if not is_file(path):
            continue
        try:
            table = read_json(path, str(path), "")
        except InputError:
            table = None
        if not isinstance(table, dict):
            continue
        found = {name: table[name] for name in (node.name for node in model.nodes) if name in table}
        if found:
            good = {name: cycles for name, cycles in found.items() if type(cycles) is int and cycles > 0}
            for name in sorted(found.keys() - good.keys()):
                _LOG.warning(
                    "%s: %s has %s cycles, and a layer takes a whole number of at least one, so this is not "
                    "used; build again, or give estimate.layers.%s in cluster.toml",
                    *(path, name, json.dumps(found[name])[:_SHOWN], name),
                )
            return good
        if table and model.nodes:
            _LOG.warning(
                "%s: none of the layers of %s is in it, so it is of another build, or was made before the "
                "network was cut; it is not used",
                *(path, model.path.name),
            )
    return {}


def _bounded(cycles: int | None) -> int | None:
    return cycles if cycles and 0 < cycles <= _MOST else None


def folded_cycles(node: Node) -> int | None:
    """Return the cycles by the formula for a layer's folding; None without a formula."""
    return _bounded(_formula(node))


def _formula(node: Node) -> int | None:
    known = _elementwise if node.op.startswith("Elementwise") else _FORMULAS.get(node.op)
    return known(node) if known else None


def _matrix(node: Node) -> int | None:
    height, width = node.integer("MH"), node.integer("MW")
    if not height or not width:
        return None
    return _vectors(node) * height * width // _lanes(node)


def _depthwise(node: Node) -> int | None:
    channels, kernel, dim = node.integer("Channels"), node.integers("Kernel"), node.integers("Dim")
    if not channels or not kernel or not dim:
        return None
    return channels * prod(kernel) * prod(dim) // _lanes(node)


def _channels(node: Node) -> int | None:
    """One fold of the channels in each cycle, for each vector."""
    channels = node.integer("NumChannels")
    return _vectors(node) * channels // _pe(node) if channels else None


def _elementwise(node: Node) -> int | None:
    shape = node.integers("out_shape")
    return prod(shape) // _pe(node) if shape else None


def _padding(node: Node) -> int | None:
    channels, dim, pad = node.integer("NumChannels"), node.integers("ImgDim"), node.integers("Padding")
    if not channels or dim is None or pad is None or len(dim) != 2 or len(pad) != 4:
        return None
    rows, columns = dim[0] + pad[0] + pad[2], dim[1] + pad[1] + pad[3]
    return channels // _simd(node) * (node.integer("numInputVectors") or 1) * rows * columns


def _pool(node: Node) -> int | None:
    channels, kernel = node.integer("Channels"), node.integers("KernelSize")
    out = node.integers("OutImgDims")
    if not channels or not kernel or not out:
        return None
    return channels * prod(kernel) // _pe(node) * prod(out) * (node.integer("BatchSize") or 1)


def _labels(node: Node) -> int | None:
    labels = node.integer("Labels")
    return labels // _pe(node) if labels else None


def _crop(node: Node) -> int | None:
    channels, dim = node.integer("NumChannels"), node.integers("ImgDim")
    if not channels or dim is None or len(dim) != 2:
        return None
    return max(1, dim[0]) * dim[1] * channels // _simd(node) * (_vectors(node) or 1)


def _tokens(node: Node) -> int | None:
    """The longer side of SelectToken and Pad1D."""
    channels, tokens = node.integer("NumChannels"), node.integer("NumTokens")
    if not channels or not tokens:
        return None
    around = (node.integer("PadLeft") or 0) + (node.integer("PadRight") or 0)
    return (tokens + around) * channels // _simd(node)


def _transpose(node: Node) -> int | None:
    """A word in each cycle: one matrix is written while the one before is read, which FINN adds up."""
    shape = node.integers("transpose_in_shape")
    return prod(shape) // _simd(node) if shape else None


def _joined(node: Node) -> int | None:
    """Concat and Split: all channels once for each vector, in FINN before SIMD existed as one word."""
    if channels := node.integers("ChannelsPerStream"):
        return _vectors(node) * (sum(channels) // _simd(node))
    return _vectors(node) if node.integers("ElemsPerStream") else None


def _larger(node: Node) -> int | None:
    """A word out in each cycle; a whole pixel in FINN before SIMD existed."""
    size, channels = [node.integer("HO"), node.integer("WO")], node.integer("NumChannels")
    if all(size) and channels:
        return (node.integer("batchSize") or 1) * prod(one or 1 for one in size) * (channels // _simd(node))
    out = node.integer("OFMDim")
    return (node.integer("numInputVectors") or 1) * out**2 if out else None


def _spread(node: Node) -> int | None:
    """FMPadding_Pixel: zeros between the pixels."""
    channels, dim, stride = node.integer("NumChannels"), node.integers("ImgDim"), node.integers("Stride")
    if not channels or not dim or not stride or len(dim) != len(stride):
        return None
    out = prod(size + (size - 1) * (step - 1) for size, step in zip(dim, stride, strict=True))
    return channels // _simd(node) * (node.integer("numInputVectors") or 1) * out


def _accumulated(node: Node) -> int | None:
    """All pixels in, then the sums out."""
    channels = node.integer("NumChannels")
    return (_vectors(node) + 1) * (channels // _pe(node)) if channels else None


def _replicated(node: Node) -> int | None:
    elements, vectors = node.integer("num_elems"), node.integers("num_inputs")
    return prod(vectors or (1,)) * (elements // _pe(node)) if elements else None


def _sampled(node: Node) -> int | None:
    """DownSampler of FINN before 0.9: every pixel comes in."""
    channels, size = node.integer("NumChannels"), node.integer("ImgDim")
    if not channels or not size:
        return None
    pixels = size if node.integer("is1D") else size**2
    return channels // _simd(node) * (node.integer("numInputVectors") or 1) * pixels


def _largest(node: Node) -> int | None:
    """StreamingMaxPool, as FINN 0.8 to 0.10 estimate it: less than it takes where images are not square."""
    size, pool = node.integers("ImgDim"), node.integers("PoolDim")
    if not size or not pool or len(size) != 2 or len(pool) != 2:
        return None
    if 1 not in size:
        return int(size[1] ** 2 * (1 + 1 / pool[1] ** 2))
    along = 1 if size[0] == 1 else 0
    more = pool[along] - 1 if node.integer("CeilMode") else 0
    return (
        (size[along] + more)
        // pool[along]
        * ((node.integer("NumChannels") or 1) // _pe(node))
        * (pool[along] + 1)
    )


def _vectors(node: Node) -> int:
    return prod(node.integers("numInputVectors") or (1,))


def _pe(node: Node) -> int:
    return max(1, node.integer("PE") or 1)


def _simd(node: Node) -> int:
    return max(1, node.integer("SIMD") or 1)


def _lanes(node: Node) -> int:
    return _pe(node) * _simd(node)


def _window(node: Node) -> int | None:
    """Window generator in RTL: reads and writes overlap row by row, behind the first window's rows."""
    names = ("IFMDim", "OFMDim", "ConvKernelDim", "Stride", "Dilation")
    pairs = [node.integers(name) for name in names]
    channels = node.integer("IFMChannels")
    if not node.op_type.endswith("_rtl") or not channels or any(len(one or ()) != 2 for one in pairs):
        return None
    size, out, kernel, stride, dilation = (one for one in pairs if one)
    folds = channels // _simd(node)
    if node.integer("parallel_window"):
        return folds * prod(size) + 2
    depthwise = bool(node.integer("depthwise"))
    if 1 in size:
        along = 1 if size[0] == 1 else 0
        words = out[along] * kernel[along] * folds
        if depthwise:  # a window is sent again for each fold, and the next frame waits for the last of them
            taken = size[along] * folds + folds * (kernel[along] - 1) * (stride[along] - 1)
            words = max(words + (folds - 1) * kernel[along], taken)
        return words + 2
    first = (kernel[0] - 1) * dilation[0] * size[1] + (kernel[1] - 1) * dilation[1] + 1
    row = max(out[1] * prod(kernel), stride[1] * size[1]) * folds
    if depthwise:
        row += out[1] * (stride[1] - 1) * (folds - 1)
    skipped = (stride[0] - 1) * size[1] * folds if depthwise else 0
    return first * folds + out[0] * row + skipped


def _fifo(node: Node) -> int | None:
    shape = node.integers("folded_shape")
    return prod(shape[:-1]) if shape else None


def _converter(node: Node) -> int | None:
    """A word in each cycle on the side that has more of them."""
    shape, element = node.integers("inShape") or node.integers("shape"), node.element("dataType")
    widths = [node.integer("inWidth"), node.integer("outWidth")]
    if not shape or element is None or not all(widths):
        return None
    return prod(shape) * element.bits // min(width for width in widths if width)


_BY_CHANNEL = (
    "Thresholding",
    "Requant",
    "AddStreams",
    "DuplicateStreams",
    "ChannelwiseOp",
    "StreamingEltwise",
)
_FORMULAS = {
    "ConvolutionInputGenerator": _window,
    "StreamingFIFO": _fifo,
    "StreamingDataWidthConverter": _converter,
    "MVAU": _matrix,
    "VVAU": _depthwise,
    "FMPadding": _padding,
    "Pool": _pool,
    "LabelSelect": _labels,
    "Crop": _crop,
    "SelectToken": _tokens,
    "Pad1D": _tokens,
    "InnerShuffle": _transpose,
    "Concat": _joined,
    "Split": _joined,
    "UpsampleNearestNeighbour": _larger,
    "FMPadding_Pixel": _spread,
    "GlobalAccPool": _accumulated,
    "ReplicateStream": _replicated,
    "DownSampler": _sampled,
    "StreamingMaxPool": _largest,
    **dict.fromkeys(_BY_CHANNEL, _channels),
}
