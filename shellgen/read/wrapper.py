# SPDX-License-Identifier: BSD-3-Clause
"""The ports of a Verilog module, for builds without component.xml, and their grouping by name.

`ansi.read_header` reads what Vivado and FINN write. pyverilog, which reads no SystemVerilog (`bit`, `int
unsigned`, `import`), and Verilog with its attributes blanked only, is asked where that is not enough.
"""

from __future__ import annotations

import re
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from shellgen.errors import InputError, Problem
from shellgen.formats.data import parse_json
from shellgen.model.axilite import SIGNALS
from shellgen.read.ansi import constant, read_header
from shellgen.read.pins import Boundary, Interface, Kind, Pin
from shellgen.read.verilog import without_attributes

_FULL = ("AWLEN", "ARLEN")
_STREAM = ("TDATA", "TVALID", "TREADY", "TLAST", "TKEEP", "TSTRB", "TUSER", "TID", "TDEST")
_SIGNAL = re.compile(rf"^(.+)_({'|'.join((*_STREAM, *SIGNALS, *_FULL))})$", re.IGNORECASE)
_KINDS: dict[str, Kind] = {"s_axis": "stream", "m_axis": "stream", "axilite": "lite", "aximm": "memory"}
_KINDS |= {"clk": "clock", "clk2x": "clock", "rst": "reset", "ap_none": "other"}


def read_ports(text: str, module: str, where: str) -> tuple[Pin, ...]:
    """Return the ports of one module of a Verilog text.

    Raises:
        InputError: The header cannot be read, or a width depends on more than default parameters.
    """
    clean = without_attributes(text)
    try:
        pins = _read(clean, module)
    except ValueError as error:
        remedy = "Give the partition an ip/component.xml, or a wrapper with plain Verilog ports"
        raise InputError(Problem(f"{where}: module {module}", str(error), remedy)) from None
    if not pins:
        found_text = "it has no ports, or is not there"
        raise InputError(
            Problem(f"{where}: module {module}", found_text, "Name the wrapper of a stitched IP")
        )
    return pins


def _read(text: str, module: str) -> tuple[Pin, ...]:
    try:
        return read_header(text, module)
    except ValueError:
        found = _by_pyverilog(text, module)
        if found is None:
            raise
        return found


@lru_cache(maxsize=1)
def _parser() -> Any:
    """Return pyverilog's parser; making its tables takes a second, so only when needed, and once."""
    from pyverilog.vparser.parser import VerilogParser  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:  # PLY leaves its tables somewhere
        return VerilogParser(outputdir=folder, debug=False)


def _by_pyverilog(text: str, module: str) -> tuple[Pin, ...] | None:
    """Return the ports, or None if pyverilog does not understand the text."""
    from pyverilog.ast_code_generator.codegen import ASTCodeGenerator  # noqa: PLC0415 - slow to import
    from pyverilog.vparser import ast  # noqa: PLC0415
    from pyverilog.vparser.parser import ParseError  # noqa: PLC0415

    code: Any = ASTCodeGenerator()
    try:
        tree = _parser().parse(text, debug=False)
    except ParseError:
        return None
    for definition in tree.description.definitions:
        if isinstance(definition, ast.ModuleDef) and definition.name == module:
            return _pins_of(definition, ast, code)
    return ()


def _pins_of(definition: Any, ast: Any, code: Any) -> tuple[Pin, ...]:
    parameters: dict[str, int] = {}
    for declaration in _declarations(definition.paramlist.params if definition.paramlist else ()):
        if isinstance(declaration, ast.Parameter):
            try:
                parameters[declaration.name] = constant(code.visit(declaration.value.var), parameters)
            except ValueError:
                continue  # a string or a real; no width can depend on it
    ports = [port.first if isinstance(port, ast.Ioport) else port for port in definition.portlist.ports]
    declared = [port for port in ports if isinstance(port, ast.Input | ast.Output)]
    declared += [item for item in _declarations(definition.items) if isinstance(item, ast.Input | ast.Output)]
    by_name = {item.name: item for item in declared}
    names = [port.name for port in ports]
    return tuple(_pin(by_name[name], ast, code, parameters) for name in names if name in by_name)


def _declarations(items: Any) -> list[Any]:
    return [entry for item in items for entry in getattr(item, "list", (item,))]


def _pin(port: Any, ast: Any, code: Any, parameters: dict[str, int]) -> Pin:
    bits = 1
    if port.width is not None:
        left, right = (constant(code.visit(end), parameters) for end in (port.width.msb, port.width.lsb))
        bits = abs(left - right) + 1
    direction: Literal["in", "out"] = "in" if isinstance(port, ast.Input) else "out"
    return Pin(port.name, direction, bits)


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


def wrapper_boundary(path: Path, module: str, ifnames: dict[str, Kind]) -> Boundary:
    """Return the boundary of a wrapper: interfaces as FINN's metadata names them, else by port names.

    Raises:
        InputError: The header cannot be read, or has not an interface that the metadata names.
    """
    pins = read_ports(path.read_text(encoding="utf-8", errors="replace"), module, str(path))
    groups = {interface.name.lower(): interface for interface in group_ports(pins)}
    if not ifnames:
        return Boundary(module, pins, tuple(groups.values()), str(path))
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
    return Boundary(module, pins, tuple(interfaces), str(path))
