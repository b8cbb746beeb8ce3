# SPDX-License-Identifier: BSD-3-Clause
"""Vivado's files of configured IP beside IP-XACT: .xci (JSON since 2020.2, XML before) and .bd (JSON)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from vivado_check.formats.data import parse_json

from .component import (
    BlockFact,
    Component,
    Condition,
    InterfaceFact,
    ParameterFact,
    PortFact,
    SpaceFact,
    Value,
)

_REFERENCE = re.compile(rb"<spirit:componentRef\s([^>]*)>")
_NAMED = re.compile(rb'(vendor|library|name|version)="([^"]*)"')
_DIRECTIONS = {"I": "in", "O": "out", "IO": "inout"}


def vlnv_of_xci(content: bytes, origin: str) -> str:
    """Return the VLNV that an .xci configures, empty if it names none."""
    match = _REFERENCE.search(content)
    if match:
        named = {key.decode(): value.decode(errors="replace") for key, value in _NAMED.findall(match[1])}
        return ":".join(named.get(part, "") for part in ("vendor", "library", "name", "version"))
    instance = _json(content, origin).get("ip_inst", {})
    reference = instance.get("component_reference", "") if isinstance(instance, dict) else ""
    return reference if isinstance(reference, str) else ""


def read_xci(content: bytes, origin: str) -> Component | None:
    """Return the configuration in a JSON .xci: all parameters, and the pins that there are; else None."""
    instance = _json(content, origin).get("ip_inst")
    if not isinstance(instance, dict) or "boundary" not in instance:
        return None
    found = Component(str(instance.get("component_reference", "")), origin, _release(instance), True, False)
    groups = _table(instance, "parameters")
    for name, entry in _entries(groups, "component_parameters"):
        enabled = Condition(entry.get("enabled") is not False, None)
        found.parameters[name] = ParameterFact(
            name, _value(entry), str(entry.get("format", "")), enabled=enabled
        )
    for name, entry in _entries(groups, "model_parameters"):
        found.model[name] = _value(entry)
    boundary = _table(instance, "boundary")
    for name, entry in _entries(boundary, "ports"):
        found.ports[name] = PortFact(
            name,
            str(entry.get("direction", "")),
            _size(entry, "size_left"),
            _size(entry, "size_right"),
            str(entry["driver_value"]) if "driver_value" in entry else None,
            Condition(True, None),
        )
    for name, entry in _table(boundary, "interfaces").items():
        if isinstance(entry, dict):
            found.interfaces[name] = _interface(name, entry)
    _addresses(found, boundary)
    return found


def read_bd(content: bytes, origin: str) -> list[Component]:
    """Return the hierarchical IP in a .bd (axi_interconnect): parameters that are set, and pins."""
    design = _json(content, origin).get("design")
    if not isinstance(design, dict):
        return []
    release = str(_table(design, "design_info").get("tool_version", ""))
    found = []
    for path, cell in _cells(design, 0):
        vlnv, ports = str(cell.get("vlnv", "")), _table(cell, "ports")
        if not vlnv or not ports or "components" not in cell or vlnv.split(":")[1:2] == ["module_ref"]:
            continue
        one = Component(vlnv, f"{origin}#{path}", release, True, False, True)
        for name, entry in _table(cell, "parameters").items():
            if isinstance(entry, dict):
                one.parameters[name] = ParameterFact(name, Value(str(entry.get("value", "")), source="user"))
        for name, entry in ports.items():
            if isinstance(entry, dict):
                _bd_port(one, name, entry)
        for name, entry in _table(cell, "interface_ports").items():
            if isinstance(entry, dict):
                mode = str(entry.get("mode", ""))
                vlnv_of = str(entry.get("vlnv", "")).replace("_rtl:", ":")
                one.interfaces[name] = InterfaceFact(
                    name,
                    mode[:1].lower() + mode[1:],
                    vlnv_of,
                    present=Condition(True, None),
                )
        found.append(one)
    return found


def _bd_port(one: Component, name: str, entry: Mapping[str, Any]) -> None:
    """A port of a hierarchy; one with a type is an interface of its own, as in IP-XACT."""
    direction = _DIRECTIONS.get(str(entry.get("direction", "")), "in")
    left = _size(entry, "left")
    one.ports[name] = PortFact(name, direction, left, _size(entry, "right"), present=Condition(True, None))
    kind, logical = {
        "clk": ("clock", "CLK"),
        "rst": ("reset", "RST"),
        "intr": ("interrupt", "INTERRUPT"),
    }.get(str(entry.get("type", "")), ("", ""))
    if not kind:
        return
    params = {
        key: Value(str(value.get("value", "")), resolve="generated")
        for key, value in _table(entry, "parameters").items()
        if isinstance(value, dict)
    }
    one.interfaces[f"{logical}.{name}"] = InterfaceFact(
        f"{logical}.{name}",
        "slave" if direction == "in" else "master",
        f"xilinx.com:signal:{kind}:1.0",
        params,
        {logical: name},
        present=Condition(True, None),
    )


def _cells(design: Mapping[str, Any], depth: int, above: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, cell in _table(design, "components").items():
        if isinstance(cell, dict) and depth < 20:
            yield f"{above}/{name}", cell
            if "vlnv" not in cell:
                yield from _cells(cell, depth + 1, f"{above}/{name}")


def _interface(name: str, entry: Mapping[str, Any]) -> InterfaceFact:
    ports = {}
    for logical, maps in _table(entry, "port_maps").items():
        first = maps[0] if isinstance(maps, list) and maps and isinstance(maps[0], dict) else {}
        ports[logical] = str(first.get("physical_name", ""))
    return InterfaceFact(
        name,
        str(entry.get("mode", "")),
        str(entry.get("vlnv", "")),
        {key: _value(value) for key, value in _entries(entry, "parameters")},
        ports,
        str(entry.get("address_space_ref", "")),
        str(entry.get("memory_map_ref", "")),
        Condition(True, None),
    )


def _addresses(found: Component, boundary: Mapping[str, Any]) -> None:
    there = Condition(True, None)
    for name, space in _table(boundary, "address_spaces").items():
        if isinstance(space, dict):
            segments = {
                str(one.get("display_name", key)).replace(":", "/"): (
                    str(one.get("offset", "")),
                    str(one.get("range", "")),
                )
                for key, one in _entries(space, "apertures")
            }
            found.spaces[name] = SpaceFact(name, Value(str(space.get("range", ""))), segments, there)
    for memory, entry in _table(boundary, "memory_maps").items():
        for name, block in _table(entry, "address_blocks").items() if isinstance(entry, dict) else ():
            if isinstance(block, dict):
                base, size = str(block.get("base_address", "")), str(block.get("range", ""))
                usage, access = str(block.get("usage", "")), str(block.get("access", ""))
                found.blocks.append(BlockFact(memory, name, Value(base), Value(size), usage, access, there))


def _value(entry: Mapping[str, Any]) -> Value:
    return Value(
        _text(entry.get("value", "")),
        "",
        str(entry.get("resolve_type", "")),
        str(entry.get("value_src", "")),
        str(entry.get("value_permission", "")),
    )


def _size(entry: Mapping[str, Any], key: str) -> Value | None:
    return Value(str(entry[key]), resolve="generated") if key in entry else None


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else json.dumps(value)


def _release(instance: Mapping[str, Any]) -> str:
    project = _table(_table(instance, "parameters"), "runtime_parameters")
    first = project.get("SWVERSION")
    entry = first[0] if isinstance(first, list) and first and isinstance(first[0], dict) else {}
    return str(entry.get("value", ""))


def _entries(table: Mapping[str, Any], key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, entries in _table(table, key).items():
        if isinstance(entries, list) and entries and isinstance(entries[0], dict):
            yield name, entries[0]


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = table.get(key)
    return found if isinstance(found, dict) else {}


def _json(content: bytes, origin: str) -> Mapping[str, Any]:
    """Return the document, empty if it is not JSON."""
    if content.lstrip()[:1] != b"{":
        return {}
    found = parse_json(content.decode("utf-8", "replace"), origin, "Remove it")
    return found if isinstance(found, dict) else {}
