# SPDX-License-Identifier: BSD-3-Clause
"""For which device and clock a stitched IP was built, and with which Vivado: from what Vivado left there.

The block design (.bd) is JSON since 2018.3. An .xci is XML up to Vivado 2022.1 and JSON from 2022.2 on, so
the first character decides. A frequency is written ``100000000``, ``100000000.000000`` or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shellgen.errors import InputError
from vivado_check.formats.data import parse_json
from vivado_check.formats.files import file_bytes, file_text
from vivado_check.formats.looks import glob
from vivado_check.formats.xml import XmlError, parse_xml

_PROJECT = "PROJECT_PARAM."
_CLOCK = "CLK.AP_CLK.FREQ_HZ"


@dataclass(frozen=True)
class BuiltFor:
    """Facts from Vivado's files; None for missing ones.

    Attributes:
        part: Full part, e.g. ``xc7z020clg400-1``.
        vivado: Version, e.g. ``2022.2.2``.
        clock_hz: Clock of the stitched IP.
    """

    part: str | None = None
    vivado: str | None = None
    clock_hz: int | None = None


def built_for(ip: Path) -> BuiltFor:
    """Read a stitched IP folder: its block design and component first, then .xci files as needed."""
    part, vivado, clock = _of_design(ip)
    clock = _of_component(ip / "ip" / "component.xml") or clock
    if part is None or clock is None:
        for path in _xci(ip):
            told = read_xci(path)
            part = part or told.part
            clock = clock or told.clock_hz
            if part and clock:
                break
    return BuiltFor(part, vivado, clock)


def part_of(ip: Path) -> str | None:
    """Return the part alone, for which the component, which may be large, need not be read."""
    told = (read_xci(path).part for path in _xci(ip))
    return _of_design(ip)[0] or next(filter(None, told), None)


def _xci(ip: Path) -> list[Path]:
    return glob(ip, "finn_vivado_stitch_proj.*/sources_1/bd/*/ip/*/*.xci")


def _of_design(ip: Path) -> tuple[str | None, str | None, int | None]:
    for path in glob(ip, "finn_vivado_stitch_proj.*/sources_1/bd/*/*.bd"):
        try:
            design = parse_json(file_text(path, errors="replace"), str(path), "")["design"]
            info = design["design_info"]
            clock = design.get("ports", {}).get("ap_clk", {}).get("parameters", {}).get("FREQ_HZ", {})
            return (
                _word(info.get("device")),
                _word(info.get("tool_version")),
                frequency(str(clock.get("value"))),
            )
        except (InputError, KeyError, TypeError, AttributeError):
            continue  # XML of an older Vivado, or cut off; the .xci tell the same
    return None, None, None


def _word(value: object) -> str | None:
    """Return a part, a version or a piece of them, if it can be one."""
    return value if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", value) else None


def _of_component(path: Path) -> int | None:
    """Return the frequency of the clock interface, which the packager copies from the block design."""
    try:
        root = parse_xml(file_bytes(path))
    except (OSError, XmlError):
        return None
    for value in root.iter():
        names = [text for key, text in value.attrib.items() if key.endswith("id")]
        if any(name.endswith(_CLOCK) for name in names):
            return frequency(value.text or "")
    return None


def read_xci(path: Path) -> BuiltFor:
    """Return what one .xci tells, XML or JSON; nothing if it is neither."""
    text = file_text(path, errors="replace").lstrip("\ufeff \t\r\n")
    try:
        values = dict(_json(parse_json(text, str(path), "")) if text.startswith("{") else _xml(text))
    except (InputError, AttributeError, KeyError, TypeError, IndexError, XmlError):
        return BuiltFor()  # neither, or of another shape
    names = ("DEVICE", "PACKAGE", "SPEEDGRADE", "TEMPERATURE_GRADE")
    device, package, speed, grade = ((_word(values.get(name)) or "").lower() for name in names)
    part = None
    if device and package:
        # A 7-series part is written in one word, xc7z020clg400-1; later ones with hyphens.
        joint = "" if device.startswith(("xc7", "xa7", "xq7")) else "-"
        part = f"{device}{joint}{package}{speed}" + (f"-{grade}" if grade and joint else "")
    clocks = (frequency(value) for name, value in values.items() if name.endswith("AP_CLK.FREQ_HZ"))
    return BuiltFor(part, None, next((clock for clock in clocks if clock), None))


def _xml(text: str) -> Iterator[tuple[str, str]]:
    for element in parse_xml(text.encode()).iter():
        for key, name in element.attrib.items():
            if key.endswith("referenceId"):
                yield name.removeprefix(_PROJECT), (element.text or "").strip()


def _json(data: Any) -> Iterator[tuple[str, str]]:
    parameters = data.get("ip_inst", {}).get("parameters", {}) if isinstance(data, dict) else {}
    for name, entries in parameters.get("project_parameters", {}).items():
        yield name, _first(entries)
    interfaces = data["ip_inst"].get("boundary", {}).get("interfaces", {}) if parameters else {}
    for name, interface in interfaces.items():
        entries = interface.get("parameters", {}).get("FREQ_HZ")
        if entries:
            yield f"{name.upper()}.FREQ_HZ", _first(entries)


def _first(entries: Any) -> str:
    return str(entries[0].get("value", "")) if isinstance(entries, list) and entries else ""


def frequency(text: str) -> int | None:
    """Return a FREQ_HZ in hertz, None if it is not stated."""
    try:
        hertz = round(float(text[:40]))
    except (ValueError, OverflowError):
        return None
    return hertz if hertz > 0 else None
