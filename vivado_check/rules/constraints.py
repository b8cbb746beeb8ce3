# SPDX-License-Identifier: BSD-3-Clause
"""Constraint files: properties and objects that exist, and clocks with a place and a period."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from ..constraints import UNKNOWN, Constraints, Netlist
from ..ip.header import read_head
from ..recording import File, Project
from ..report import Message, Origin, Verdict
from ..tcl.interpreter import run_script
from ..tcl.sandbox import Sandbox
from .base import Context, rule

_SOURCE = "UG903, Using Constraints; UG912, properties; UG908, properties of the bitstream"
# Tcl that an XDC file may not hold (UG903, XDC and Tcl scripts).
_CONTROL = re.compile(r"^[ \t]*(foreach|for|while|if|proc|source|switch)\b", re.MULTILINE)
_PIN = re.compile(r"[A-Z]{1,3}[0-9]{1,3}")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")
_SWITCH = ("TRUE", "FALSE")
_ABLE = ("ENABLE", "DISABLE")
# Properties by name, with the values that they take; none: any. Sources: UG912; UG908, bitstream settings.
_BITSTREAM = {
    "GENERAL.COMPRESS": _SWITCH,
    "GENERAL.CRC": _ABLE,
    "GENERAL.PERFRAMECRC": ("YES", "NO"),
    "GENERAL.DEBUGBITSTREAM": ("YES", "NO"),
    "GENERAL.DISABLE_JTAG": ("YES", "NO"),
    "GENERAL.JTAG_XADC": (*_ABLE, "STATUSONLY"),
    "GENERAL.XADCENHANCEDLINEARITY": ("ON", "OFF"),
    "CONFIG.SPI_BUSWIDTH": ("1", "2", "4", "8", "NONE"),
    "CONFIG.SPI_32BIT_ADDR": ("YES", "NO"),
    "CONFIG.SPI_FALL_EDGE": ("YES", "NO"),
    "CONFIG.UNUSEDPIN": ("PULLDOWN", "PULLUP", "PULLNONE"),
    "CONFIG.OVERTEMPSHUTDOWN": _ABLE,
    "CONFIG.OVERTEMPPOWERDOWN": _ABLE,
    "CONFIG.CONFIGFALLBACK": _ABLE,
    **dict.fromkeys(
        ("CONFIG.CONFIGRATE", "CONFIG.EXTMASTERCCLK_EN", "CONFIG.USR_ACCESS", "CONFIG.USERID"), ()
    ),
    **dict.fromkeys(("CONFIG.BPI_SYNC_MODE", "CONFIG.BPI_PAGE_SIZE", "CONFIG.BPI_1ST_READ_CYCLE"), ()),
    **dict.fromkeys(("CONFIG.PERSIST", "CONFIG.M0PIN", "CONFIG.M1PIN", "CONFIG.M2PIN", "CONFIG.DONEPIN"), ()),
    **dict.fromkeys(("CONFIG.INITPIN", "CONFIG.PROGPIN", "CONFIG.CCLKPIN", "CONFIG.TIMER_CFG"), ()),
    **dict.fromkeys(("CONFIG.NEXT_CONFIG_ADDR", "CONFIG.NEXT_CONFIG_REBOOT", "CONFIG.REVISIONSELECT"), ()),
    **dict.fromkeys(
        ("STARTUP.STARTUPCLK", "STARTUP.DONE_CYCLE", "STARTUP.MATCH_CYCLE", "STARTUP.LCK_CYCLE"), ()
    ),
    **dict.fromkeys(("ENCRYPTION.ENCRYPT", "ENCRYPTION.ENCRYPTKEYSELECT", "READBACK.SECURITY"), ()),
}
_NAMES: dict[str, tuple[str, ...]] = {
    **{f"BITSTREAM.{name}": values for name, values in _BITSTREAM.items()},
    "SLEW": ("SLOW", "MEDIUM", "FAST"),
    "PULLTYPE": ("PULLUP", "PULLDOWN", "KEEPER", "NONE", ""),
    "CFGBVS": ("VCCO", "GND"),
    "CONFIG_VOLTAGE": ("1.5", "1.8", "2.5", "3.3"),
    "CONFIG_MODE": (),
    **dict.fromkeys(("PULLUP", "PULLDOWN", "DIFF_TERM"), (*_SWITCH, "YES", "NO", "1", "0")),
    **dict.fromkeys(
        ("IOSTANDARD", "PACKAGE_PIN", "LOC", "DRIVE", "IOB", "IN_TERM", "ODT", "DCI_CASCADE"), ()
    ),
    **dict.fromkeys(
        ("INTERNAL_VREF", "OFFCHIP_TERM", "OUTPUT_IMPEDANCE", "PIO_DIRECTION", "BEL", "KEEP"), ()
    ),
    **dict.fromkeys(("CLOCK_DEDICATED_ROUTE", "DIFF_TERM_ADV", "ASYNC_REG", "DONT_TOUCH", "KEEPER"), ()),
    **dict.fromkeys(("SEVERITY", "IS_LOC_FIXED", "IS_BEL_FIXED", "IBUF_LOW_PWR", "SRC_FILE_INFO"), ()),
}
# Standards of 7 series and UltraScale devices (UG471, UG571); a misspelt one is near to one of these.
_STANDARDS = (
    *(f"LVCMOS{volts}" for volts in ("10", "12", "15", "18", "25", "33")),
    *(
        "LVTTL",
        "LVDS",
        "LVDS_25",
        "LVPECL",
        "SUB_LVDS",
        "TMDS_33",
        "MINI_LVDS_25",
        "RSDS_25",
        "PPDS_25",
        "BLVDS_25",
    ),
    *(
        "PCI33_3",
        "SSTL12",
        "SSTL135",
        "SSTL15",
        "SSTL15_R",
        "SSTL18_I",
        "SSTL18_II",
        "HSTL_I",
        "HSTL_II",
        "HSTL_I_18",
    ),
    *(
        "DIFF_SSTL12",
        "DIFF_SSTL135",
        "DIFF_SSTL15",
        "DIFF_HSTL_I",
        "DIFF_HSTL_I_18",
        "DIFF_POD12_DCI",
        "POD12_DCI",
    ),
)


@rule("constraints", scope="session", source=_SOURCE)
def constraints(context: Context) -> Iterator[Message]:
    """Run every constraint file of a project for a design whose ports, and no other objects, are known."""
    for project in context.recording.projects:
        files = [file for file in project.files if file.fileset.startswith("constrs") and file.path.is_file()]
        netlist = _netlist(context, project)
        for file in files:
            if "scoped_to_ref" not in file.properties and (name := _name(context, file)):
                yield from _judged(context, file, name, netlist)


def _name(context: Context, file: File) -> str:
    """Return a file's name in the folder, also if the script has written it; empty if it is outside."""
    if file.path.is_relative_to(context.folder):
        return file.path.relative_to(context.folder).as_posix()
    return next((name for name, path in context.recording.written.items() if path == file.path), "")


def _netlist(context: Context, project: Project) -> Netlist:
    modules: dict[str, str] = {}
    for hdl in context.projects if context.ours else ():
        for source in hdl.sources:
            modules |= dict.fromkeys(
                re.findall(r"^\s*module\s+(\w+)", source.text, re.MULTILINE), source.text
            )
    top = project.filesets.get("sources_1", {}).get("top")
    return Netlist(_ports(context, top.value) if top else None, modules)


def _ports(context: Context, top: str) -> tuple[str, ...] | None:
    """Return the ports of a top; of a block design's wrapper, those of an interface begin with its name."""
    design = context.recording.designs.get(top.removesuffix("_wrapper"))
    if design and top.endswith("_wrapper") and not any(one.rule == "board" for one in design.automations):
        cell = design.cells["/"]
        return (*cell.pins, *(f"{name}_*" for name in cell.interfaces))
    source = next((found for hdl in context.projects if (found := hdl.defining(top))), None)
    head = read_head(source.text, top) if source else None
    return tuple(port.name for port in head.ports) if head and head.whole and head.ports else None


def _judged(context: Context, file: File, name: str, netlist: Netlist) -> Iterator[Message]:
    text = file.path.read_text(errors="replace")
    if file.path.suffix == ".xdc":
        for found in _CONTROL.finditer(text):
            line = Origin(name, text.count("\n", 0, found.start(1)) + 1)
            said = f"{found[1]} is no command of an XDC file, which leaves it out"
            yield _said(line, found[1], said, "constraints alone, or a .tcl file")
            return
    with Sandbox(context.folder) as sandbox:
        session = Constraints(sandbox, netlist)
        if not file.path.is_relative_to(context.folder):
            sandbox.write(context.folder / name, text)
        outcome = run_script(context.folder / name, session)
    yield from (one for one in session.messages if one.rule == "unknown-command")
    if outcome.code and outcome.message and outcome.message.rule != "unknown-command":
        unknown = any(word in outcome.message.found for word in (UNKNOWN, "invalid command name"))
        if context.ours or not unknown:
            yield replace(outcome.message, rule="constraints", verdict=Verdict.FINDING)
    yield from judged(session, ours=context.ours)


def judged(session: Constraints, *, ours: bool) -> Iterator[Message]:
    """Judge what was written down."""
    for asked in session.missing:
        kind = asked.command.removeprefix("get_")
        vivado = "Vivado 12-584" if kind == "ports" else ""
        yield _said(asked.origin, asked.what, f"there are no such {kind}", f"{kind} of the design", vivado)
    for clock in session.clocks:
        if clock.objects == ():
            found = "its object is not there, so there is no such clock"
            yield _said(clock.origin, clock.name or "create_clock", found, "a port or pin", "Vivado 12-4739")
        if not _NUMBER.fullmatch(clock.period) or float(clock.period) <= 0:
            found = f"its period is {clock.period or 'missing'}"
            yield _said(clock.origin, clock.name or "create_clock", found, "nanoseconds, more than 0")
    pins: dict[str, tuple[str, ...]] = {}
    for name, setting, objects in session.set:
        upper = name.upper()
        yield from _property(upper, setting.value, setting.origin, ours=ours)
        known = session.netlist.ports is not None and len(objects) == 1 and UNKNOWN not in objects
        if upper == "PACKAGE_PIN" and known:
            before = pins.setdefault(setting.value.upper(), objects)
            if before != objects:
                found = f"{setting.value} is the pin of {before[0]} already"
                yield _said(setting.origin, objects[0], found, "a pin for each port")


def _property(name: str, value: str, origin: Origin, *, ours: bool) -> Iterator[Message]:
    values = _NAMES.get(name)
    if values is None:
        near = get_close_matches(name, _NAMES, 1, 0.86)
        if ours or near:
            yield _said(origin, name, "there is no such property", near[0] if near else "one of UG912")
    elif values and value.upper() not in values:
        yield _said(origin, name, f"it is {value}", " or ".join(values))
    elif name == "PACKAGE_PIN" and not _PIN.fullmatch(value.upper()):
        yield _said(origin, name, f"it is {value}", "a pin, such as AB12")
    elif name == "IOSTANDARD" and value.upper() not in _STANDARDS:
        near = get_close_matches(value.upper(), _STANDARDS, 1, 0.86)
        if re.fullmatch(r"L[A-Z]{2}\w*", value.upper()) and near:
            yield _said(origin, name, f"it is {value}", near[0])


def _said(origin: Origin, where: str, found: str, expected: str, vivado: str = "") -> Message:
    remedy = "correct the name or the value"
    return Message("constraints", Verdict.FINDING, origin, where, found, expected, remedy, vivado)
