# SPDX-License-Identifier: BSD-3-Clause
"""Resources of a partition from FINN's reports: synthesis first, then FINN's estimates and HLS.

FINN writes ``report/`` beside ``stitched_ip`` and, earlier, the attributes ``res_synth``, ``res_hls`` and
``res_estimate`` of each layer. Numbers come as numbers or as strings; BRAM as BRAM_18K, BRAM_36K or both. HLS
knows nothing of weight memories, FIFOs and RTL around its operator, and reports more LUTs than
synthesis finds (2.6 to 3.5 times as many in four public builds); FINN's estimates know no flip-flops. Where
both tell of a layer, each tells its part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import Any

from shellgen import costs
from shellgen.errors import InputError, one
from shellgen.model import Estimate, Usage
from shellgen.read.finn_onnx import FinnModel, Node
from shellgen.read.tree import node_of_folder
from vivado_check.formats.data import read_json
from vivado_check.formats.files import file_bytes
from vivado_check.formats.looks import is_dir
from vivado_check.formats.xml import XmlError, parse_xml

# Names and numbers; "LUT": 7, 'LUT': '7.0'.
_ENTRY = re.compile(
    r"""["'](\w{1,40})["']\s*:\s*["']?(-?\d{1,18}(?:\.\d{0,18})?(?:e[+-]?\d{1,2})?)["']?\s*[,}]"""
)
_WHOLE = "ooc_synth_and_timing.json"
_BUILT = ("post_synth_resources.json", "post_synth_resources.xml")
_HLS, _GUESS = "estimate_layer_resources_hls.json", "estimate_layer_resources.json"
_SYNTHESIS, _OOC = "FINN's synthesis", "FINN's out-of-context synthesis"
_FROM_HLS, _GUESSED, _BOTH = "FINN's HLS reports", "FINN's estimates", "FINN's estimates and HLS reports"
# Headings of Vivado's hierarchical report, and what FINN calls them.
_HEADINGS = {
    "Total LUTs": "LUT",
    "FFs": "FF",
    "RAMB36": "BRAM_36K",
    "RAMB18": "BRAM_18K",
    "URAM": "URAM",
    "DSP Blocks": "DSP",
    "DSPs": "DSP",
}
_URAM = (4096, 72)  # words and bits of an UltraRAM (UG573)
_WIDEST, _DEEPEST = 1 << 20, 1 << 24  # of a FIFO that is worth computing with
_MOST = 1e12  # more than any device has, and no number to compute with
Row = Mapping[str, Any]
Table = Mapping[str, Any]


def estimate(ip: Path, model: FinnModel | None) -> Estimate | None:
    """Return what a stitched IP takes, or None if nothing of FINN's tells.

    Reports lie beside the IP, or where FINN has put them: up to two folders above the child's model. A
    synthesis report is of the whole build, so that it counts for ``stitched_ip`` beside it only.
    """
    here = ip.resolve()
    near = [*here.parents[:2], *(model.path.resolve().parents[1:3] if model else ())]
    reports = [one for one in (folder / "report" for folder in dict.fromkeys(near)) if is_dir(one)]
    layers = list(model.nodes) if model else []
    beside, is_all = here.parent / "report", here.name == "stitched_ip"
    whole = _json(beside / _WHOLE) if is_all else {}
    if _number(whole.get("LUT")):
        return _total([whole], _OOC, len(layers), len(layers))
    tables = [_read(folder / name) for folder in reports for name in _BUILT]
    tables.append({node.name: _literal(node.text("res_synth")) for node in layers})
    for table in tables:
        rows = _rows(table, layers)
        if any(rows):
            return _total(rows, _SYNTHESIS, sum(bool(_number(row.get("LUT"))) for row in rows), len(layers))
    guessed = _first([_json(folder / _GUESS) for folder in reports], layers, "res_estimate")
    by_hls = _first([_json(folder / _HLS) for folder in reports], layers, "res_hls")
    if any(guessed) or any(by_hls):
        return _merged(layers, guessed, by_hls)
    for name, source in ((_GUESS, _GUESSED), (_HLS, _FROM_HLS)) if is_all and not layers else ():
        total = _json(beside / name).get("total")
        if isinstance(total, dict) and _number(total.get("LUT")):
            return _total([total], source, 0, 0)
    return None


def measured(path: Path, where: str) -> dict[str, Usage]:
    """Return what each layer of a build takes, by FINN's report of its synthesis or Vivado's of hierarchy.

    Raises:
        InputError: There is no such file, or no layer in it.
    """
    if path.suffix == ".xml":
        table: object = _vivado(path)
    else:
        table = read_json(path, where, "Name post_synth_resources.json of a build")
    rows = (
        {name: row for name, row in table.items() if isinstance(row, dict)} if isinstance(table, dict) else {}
    )
    found = {name: _usage([row]) for name, row in rows.items()}
    found = {name: usage for name, usage in found.items() if any(dict(usage).values())}
    if not found:
        remedy = "Name post_synth_resources.json, which FINN writes into report/ of a build"
        raise one(InputError, where, "it has no resources of any layer", remedy)
    return found


def _first(tables: Iterable[Table], layers: Sequence[Node], attribute: str) -> list[Row]:
    """Return a row for each layer of the first table that tells of any, else of the layers' attributes."""
    attributes = {node.name: _literal(node.text(attribute)) for node in layers}
    for table in (*tables, attributes):
        rows = _rows(table, layers)
        if any(rows):
            return rows
    return [{}] * len(layers)


def _rows(table: Table, layers: Sequence[Node]) -> list[Row]:
    """Return a row for each layer, empty for those of which the table does not tell."""
    if not table:
        return [{}] * len(layers)
    rows: list[Row] = []
    for node in layers:
        found = [table[name] for name in _names(node) if isinstance(table.get(name), Mapping)]
        rows.append(found[0] if found and found[0] and any(dict(_usage(found[:1])).values()) else {})
    return rows


def _names(node: Node) -> tuple[str, ...]:
    """Return the names of a layer: now, and before the network was cut, when its folder was named."""
    folder = PurePosixPath(node.text("code_gen_dir_ipgen") or "").name
    return (node.name, node_of_folder(folder)) if folder else (node.name,)


def _merged(layers: Sequence[Node], guessed: Sequence[Row], by_hls: Sequence[Row]) -> Estimate:
    """Add FINN's estimates and HLS reports; FINN estimates no LUTs for its RTL MVAU: unknown."""
    rows = []
    for node, guess, hls in zip(layers, guessed, by_hls, strict=True):
        one, two = _usage([guess]), _usage([hls])
        rows.append(
            _fifo(node)
            or Usage(
                lut=one.lut or two.lut,
                ff=two.ff,
                bram18=max(one.bram18, two.bram18),
                uram=max(one.uram if _is_ultra(node) else 0, two.uram),
                dsp=max(one.dsp, two.dsp),
            )
        )
    total = sum(rows, Usage())
    source = _BOTH if any(guessed) and any(by_hls) else _GUESSED if any(guessed) else _FROM_HLS
    told = sum(bool(row.lut) for row in rows)
    knows_ff = all(row.ff or not row.lut for row in rows)
    return Estimate(**dict(total), source=source, knows_ff=knows_ff, told=told, layers=len(rows))


def _is_ultra(node: Node) -> bool:
    """Whether a layer asks for UltraRAM: FINN estimates some for any MVAU with weights inside the operator.

    Those are ROMs, and an UltraRAM before Versal has no initial contents (UG573), so that HLS never takes one
    by itself; a device of the 7 series has none at all.
    """
    return "ultra" in (node.text("ram_style"), node.text("ram_style_thresholds"))


def _fifo(node: Node) -> Usage | None:
    """Return what a FIFO takes: FINN counts a block RAM and an UltraRAM for each, whatever it is made of."""
    shape, depth, element = node.integers("folded_shape"), node.integer("depth"), node.element("dataType")
    if not node.op.startswith("StreamingFIFO") or not shape or not depth or element is None:
        return None
    bits = shape[-1] * element.bits
    if not 0 < bits <= _WIDEST or not 0 < depth <= _DEEPEST:
        return None
    if node.text("ram_style") == "ultra":
        return Usage(lut=50, ff=100, uram=-(-bits // _URAM[1]) * -(-depth // _URAM[0]))
    return costs.fifo(bits, depth)


def _total(rows: Iterable[Row], source: str, told: int, layers: int) -> Estimate:
    listed = list(rows)
    knows_ff = any("FF" in row for row in listed)
    return Estimate(**dict(_usage(listed)), source=source, knows_ff=knows_ff, told=told, layers=layers)


def _usage(rows: Sequence[Row]) -> Usage:
    def add(*names: str) -> int:
        return round(sum(max(_number(row.get(name)) for name in names) for row in rows))

    bram18 = add("BRAM_18K") + 2 * add("BRAM_36K")
    return Usage(lut=add("LUT"), ff=add("FF"), bram18=bram18, uram=add("URAM"), dsp=add("DSP", "DSP48E"))


def _read(path: Path) -> Table:
    return _json(path) if path.suffix == ".json" else _vivado(path)


def _vivado(path: Path) -> Table:
    """Read Vivado's hierarchical utilisation; the first instance of a name counts, as for FINN."""
    try:
        root = parse_xml(file_bytes(path))
    except (OSError, XmlError):
        return {}
    headings: list[str] = []
    table: dict[str, dict[str, str]] = {}
    for element in root.iter("tablerow"):
        cells = [(cell.get("contents") or "").strip() for cell in element]
        if "Instance" in cells:
            headings = cells
        elif headings and len(cells) == len(headings):
            told = dict(zip(headings, cells, strict=True))
            row = {short: told[name] for name, short in _HEADINGS.items() if name in told}
            table.setdefault(told["Instance"], row)
    return table


def _json(path: Path) -> dict[str, Any]:
    try:
        data = read_json(path, str(path), "")
    except InputError:
        return {}
    return data if isinstance(data, dict) else {}


def _literal(text: str | None) -> dict[str, Any]:
    """Read an attribute: FINN saves the text of a Python dictionary of numbers, some of them as strings."""
    return dict(_ENTRY.findall(text or ""))


def _number(value: object) -> float:
    try:
        number = float(value) if isinstance(value, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return number if isfinite(number) and 0 <= number <= _MOST else 0.0
