# SPDX-License-Identifier: BSD-3-Clause
"""The ports of a Verilog module, for builds without component.xml, and their grouping by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from shellgen.errors import InputError, Problem
from shellgen.model.axilite import SIGNALS
from shellgen.read.pins import Boundary, Interface, Kind, Pin
from shellgen.read.verilog import Verilog
from vivado_check.formats.data import parse_json
from vivado_check.syntax import Port, read_ports

_FULL = ("AWLEN", "ARLEN")
_STREAM = ("TDATA", "TVALID", "TREADY", "TLAST", "TKEEP", "TSTRB", "TUSER", "TID", "TDEST")
_SIGNAL = re.compile(rf"^(.+)_({'|'.join((*_STREAM, *SIGNALS, *_FULL))})$", re.IGNORECASE)
_KINDS: dict[str, Kind] = {"s_axis": "stream", "m_axis": "stream", "axilite": "lite", "aximm": "memory"}
_KINDS |= {"clk": "clock", "clk2x": "clock", "rst": "reset", "ap_none": "other"}


def ports_of_module(verilog: Verilog, module: str, others: Sequence[str] = ()) -> tuple[Pin, ...]:
    """Return the ports of one module.

    Args:
        verilog: Text that defines it.
        module: Its name.
        others: Texts of the packages that its header uses.

    Raises:
        InputError: The text is wrong where it says so, or a width depends on more than the module's own
            parameters and these packages.
    """
    ports, faults = read_ports(verilog.text, module, verilog.headers, others, verilog.where)
    remedy = "Give the partition an ip/component.xml, or a wrapper with plain Verilog ports"
    place = f"{verilog.where}: module {module}"
    if faults:
        where = f"{verilog.where}:{verilog.line(faults[0].start)}: module {module}"
        raise InputError(Problem(where, faults[0].found, remedy))
    if not ports:
        found = "it has no ports, or is not there"
        raise InputError(Problem(place, found, "Name the wrapper of a stitched IP"))
    problems = [
        Problem(place, f"the width of its port {port.name} is not constant", remedy)
        for port in ports
        if not port.bits
    ]
    if problems:
        raise InputError(*problems)
    return tuple(_pin(port) for port in ports)


def _pin(port: Port) -> Pin:
    direction: Literal["in", "out"] = "in" if port.direction == "in" else "out"
    return Pin(port.name, direction, port.bits)


def group_ports(pins: tuple[Pin, ...]) -> tuple[Interface, ...]:
    """Group pins by ``<interface>_<signal>``, in any case; who drives TVALID or AWVALID is the master."""
    groups: dict[str, dict[str, str]] = {}
    directions = {pin.name: pin.direction for pin in pins}
    for pin in pins:
        match = _SIGNAL.match(pin.name)
        if match:
            groups.setdefault(match[1], {})[match[2].upper()] = pin.name
    found = []
    for name, ports in groups.items():
        valid = ports.get("TVALID") or ports.get("AWVALID") or ports.get("ARVALID")
        if valid is None:
            continue
        master = directions[valid] == "out"
        lite: Kind = "memory" if master or set(_FULL) & set(ports) else "lite"
        found.append(Interface(name, "stream" if "TVALID" in ports else lite, master, ports))
    return tuple(found)


def read_ifnames(text: str, where: str) -> dict[str, Kind]:
    """Return the kind of every interface that FINN's ``vivado_stitch_ifnames`` names.

    Raises:
        InputError: It is not JSON, or has a key that no FINN we know writes.

    Source: CreateStitchedIP of FINN 0.5 to 0.10 and finn-plus; ``ap_none`` and ``clk2x`` are optional.
    """
    field = f"{where}: metadata vivado_stitch_ifnames"
    data = parse_json(text, field, "Save the model again with FINN's CreateStitchedIP")
    if not isinstance(data, dict):
        raise InputError(Problem(field, "is not a JSON object", "Save the model again with FINN"))
    kinds: dict[str, Kind] = {}
    problems = []
    for key, entries in data.items():
        if key not in _KINDS or not isinstance(entries, list):
            remedy = "This FINN is newer than this shellgen; delete the metadata to use the wrapper's ports"
            problems.append(Problem(field, f"the key {key!r} is not known", remedy))
            continue
        for entry in entries:
            kinds[str(entry[0] if isinstance(entry, list) and entry else entry)] = _KINDS[key]
    if problems:
        raise InputError(*problems)
    return kinds


def wrapper_boundary(
    verilog: Verilog, module: str, ifnames: dict[str, Kind], others: Sequence[str] = ()
) -> Boundary:
    """Return the boundary of a wrapper: interfaces as FINN's metadata names them, else by port names.

    Args:
        verilog: Text that defines it.
        module: Its name.
        ifnames: What `read_ifnames` returned; may be empty.
        others: Texts of the packages that its header uses.

    Raises:
        InputError: The header cannot be read, or has not an interface that the metadata names.
    """
    pins = ports_of_module(verilog, module, others)
    path = verilog.where
    groups = {interface.name.lower(): interface for interface in group_ports(pins)}
    if not ifnames:
        return Boundary(module, pins, tuple(groups.values()), path)
    problems, interfaces = [], []
    names = {pin.name.lower(): pin.name for pin in pins}
    for name, kind in ifnames.items():
        if kind in {"clock", "reset"} and name.lower() in names:
            signal = {"clock": "CLK", "reset": "RST"}[kind]
            interfaces.append(Interface(name, kind, False, {signal: names[name.lower()]}))
        elif name.lower() in groups:
            group = groups[name.lower()]
            interfaces.append(Interface(name, kind, group.master, group.ports))
        elif kind != "other":
            found = f"the wrapper has no port of interface {name}, which the ONNX names"
            problems.append(Problem(f"{path}: module {module}", found, "Use wrapper and ONNX of one build"))
    if problems:
        raise InputError(*problems)
    return Boundary(module, pins, tuple(interfaces), path)
