# SPDX-License-Identifier: BSD-3-Clause
"""Which DSP slice each layer of a partition instantiates by name, so that no other device can have it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from shellgen.model import DspLayer
from shellgen.model.device import DSP_SLICES
from shellgen.read.instance import beside
from shellgen.read.sources import Source

# FINN 0.10 names the core, later ones number the slice.
_CORE = re.compile(r"_(dsp48e1|dsp48e2|dsp58)\b")


def dsp_layers(sources: Iterable[Source], layers: Sequence[str]) -> tuple[DspLayer, ...]:
    """Return the RTL layers (MVAU, VVAU) that instantiate a DSP slice, by name.

    Args:
        sources: Of the partition.
        layers: FINN nodes; a module that is none is named itself.
    """
    found: dict[str, str] = {}
    for source in sources:
        if "IS_MVU" not in source.verilog.text or "FORCE_BEHAVIORAL" not in source.verilog.text:
            continue
        for name, (start, end) in source.verilog.spans.items():
            slice_ = _slice(source, start, end)
            if slice_:
                named = [layer for layer in layers if layer in name]
                found.setdefault(max(named, key=len, default=name), slice_)
    return tuple(DspLayer(layer=layer, dsp=slice_) for layer, slice_ in sorted(found.items()))


def _slice(source: Source, start: int, end: int) -> str | None:
    code = source.verilog.code
    for index in range(start, end):
        # The core itself uses it in expressions, with all its choices around; a layer gives it a value.
        if code[index] != "IS_MVU" or (code[index - 1] != "." and code[index + 1] != "="):
            continue
        around = beside(source.verilog, index)
        version = around.numbers.get("VERSION", 0)
        core = _CORE.search(around.texts.get("COMPUTE_CORE", ""))
        if around.numbers.get("FORCE_BEHAVIORAL"):
            return None
        if 1 <= version <= len(DSP_SLICES):
            return DSP_SLICES[version - 1]
        if core:
            return core[1].upper()
    return None
