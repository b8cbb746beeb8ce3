# SPDX-License-Identifier: BSD-3-Clause
"""What a partition takes of a device, as far as FINN has said: synthesis first, then HLS, then its estimates.

FINN writes ``report/*.json`` beside ``stitched_ip`` and, earlier, the attributes ``res_synth``, ``res_hls``
and ``res_estimate`` of each layer. Numbers come as numbers or as strings; BRAM as BRAM_18K, BRAM_36K or both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shellgen.errors import InputError
from shellgen.formats.data import read_json
from shellgen.read.finn_onnx import FinnModel

# Names and numbers; "LUT": 7, 'LUT': '7.0'.
_ENTRY = re.compile(
    r"""["'](\w{1,40})["']\s*:\s*["']?(-?\d{1,18}(?:\.\d{0,18})?(?:e[+-]?\d{1,2})?)["']?\s*[,}]"""
)
_SYNTHESIS = "ooc_synth_and_timing.json"
_LAYERS = (
    ("estimate_layer_resources_hls.json", "FINN's HLS reports"),
    ("estimate_layer_resources.json", "FINN's estimates"),
)
_ATTRIBUTES = (
    ("res_synth", "FINN's synthesis"),
    ("res_hls", "FINN's HLS reports"),
    ("res_estimate", "FINN's estimates"),
)


@dataclass(frozen=True)
class Estimate:
    """Resources of a partition; flip-flops are 0 where FINN does not estimate them.

    Attributes:
        lut: Look-up tables.
        ff: Flip-flops.
        bram18: Block RAMs of 18 kbit.
        uram: UltraRAMs.
        dsp: DSP slices.
        source: Who says so.
    """

    lut: int
    ff: int
    bram18: int
    uram: int
    dsp: int
    source: str


def estimate(ip: Path, model: FinnModel | None) -> Estimate | None:
    """Return what a stitched IP takes, or None if nothing of FINN's tells.

    A synthesis report is of the whole build, so that it counts for ``stitched_ip`` beside it only.
    """
    reports = [folder / "report" for folder in ip.resolve().parents[:2]]
    whole = _json(reports[0] / _SYNTHESIS)
    if ip.resolve().name == "stitched_ip" and _number(whole.get("LUT")):
        return _total([whole], "FINN's out-of-context synthesis")
    layers = [node.name for node in model.nodes] if model else []
    for name, source in _LAYERS:
        for folder in reports:
            told = _json(folder / name)
            if layers and any(layer in told for layer in layers):
                return _total([told[layer] for layer in layers if layer in told], source)
            if not layers and ip.resolve().name == "stitched_ip" and isinstance(told.get("total"), dict):
                return _total([told["total"]], source)
    for attribute, source in _ATTRIBUTES:
        values = [_literal(node.text(attribute)) for node in model.nodes] if model else []
        if any(values):
            return _total(values, source)
    return None


def _json(path: Path) -> dict[str, Any]:
    try:
        data = read_json(path, str(path), "")
    except InputError:
        return {}
    return data if isinstance(data, dict) else {}


def _literal(text: str | None) -> dict[str, Any]:
    """Read an attribute: FINN saves the text of a Python dictionary of numbers, some of them as strings."""
    return dict(_ENTRY.findall(text or ""))


def _total(entries: Iterable[Mapping[str, Any]], source: str) -> Estimate:
    def add(*names: str) -> int:
        return round(sum(max(_number(entry.get(name)) for name in names) for entry in rows))

    rows = [entry for entry in entries if isinstance(entry, Mapping)]
    return Estimate(
        lut=add("LUT"),
        ff=add("FF"),
        bram18=add("BRAM_18K") + 2 * add("BRAM_36K"),
        uram=add("URAM"),
        dsp=add("DSP", "DSP48E"),
        source=source,
    )


def _number(value: object) -> float:
    try:
        return float(value) if isinstance(value, int | float | str) else 0.0
    except ValueError:
        return 0.0
