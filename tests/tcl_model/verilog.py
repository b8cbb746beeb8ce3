# SPDX-License-Identifier: BSD-3-Clause
"""Interfaces of a module reference, from the X_INTERFACE attributes of its Verilog ports."""

from __future__ import annotations

import re
from dataclasses import replace

from .catalogue import AXIMM, AXIS, Interface, Ip, Pin, Segment

_ATTRIBUTE = re.compile(r'X_INTERFACE_(INFO|PARAMETER)\s*=\s*"([^"]*)"')
_PORT = re.compile(
    r"((?:\(\*.*?\*\)\s*)*)\b(input|output|inout)\s+(?:wire|reg)?\s*(\[[^\]]*\])?\s*(\w+)", re.S
)
# What makes a bus of each kind; without all of them Vivado does not infer it.
_NEEDED = {
    AXIMM: {"AWADDR", "AWVALID", "AWREADY", "WDATA", "WVALID", "WREADY", "BVALID", "BREADY"}
    | {"ARADDR", "ARVALID", "ARREADY", "RDATA", "RVALID", "RREADY"},
    AXIS: {"TDATA", "TVALID", "TREADY"},
}
# Signals that the slave side drives: an output of this name makes the port a slave.
_FROM_SLAVE = {AXIMM: "AWREADY", AXIS: "TREADY"}


def module_text(source: str, module: str) -> str | None:
    """Return the header and body of a module, or None if the source has no such module."""
    match = re.search(rf"^\s*module\s+{re.escape(module)}\b.*?^\s*endmodule", source, re.S | re.M)
    return match[0] if match else None


def module_ip(text: str, module: str) -> Ip:
    """Return the module as an IP without parameters.

    Raises:
        ValueError: Attributes that Vivado would not make an interface of.
    """
    header = text[: text.index(");")]
    header = re.sub(r"//[^\n]*", "", header)
    signals: dict[tuple[str, str], dict[str, tuple[str, int]]] = {}
    pins: dict[str, Pin] = {}
    clock_of: dict[str, str] = {}
    for attributes, direction, span, name in _PORT.findall(header):
        bits = _bits(span)
        found = dict(_ATTRIBUTE.findall(attributes))
        if "INFO" not in found:
            pins[name] = Pin(direction_of(direction))
            continue
        vlnv, interface, signal = found["INFO"].split()
        kind = vlnv.split(":")[2]
        if kind in _NEEDED:
            signals.setdefault((kind, interface), {})[signal] = (direction_of(direction), bits)
            continue
        pins[name] = _control_pin(kind, direction, found.get("PARAMETER", ""))
        for bus in re.findall(r"ASSOCIATED_BUSIF\s+([\w:]+)", found.get("PARAMETER", "")):
            clock_of |= dict.fromkeys(bus.split(":"), name)
    interfaces = {
        name: replace(_interface(kind, name, ports), clock=clock_of.get(name))
        for (kind, name), ports in signals.items()
    }
    return Ip(module, {}, {}, lambda config: interfaces, lambda config: pins)  # noqa: ARG005


def direction_of(keyword: str) -> str:
    return {"input": "in", "output": "out", "inout": "inout"}[keyword]


def _control_pin(kind: str, direction: str, parameter: str) -> Pin:
    if kind == "clock":
        return Pin(direction_of(direction), "clk", required=True)
    if kind == "reset":
        return Pin(direction_of(direction), "rst", "ACTIVE_LOW" in parameter, required=True)
    raise ValueError(f"unknown interface kind {kind}")


def _bits(span: str) -> int:
    match = re.fullmatch(r"\[\s*(\d+)\s*:\s*0\s*\]", span.strip()) if span else None
    return int(match[1]) + 1 if match else 1


def _interface(kind: str, name: str, ports: dict[str, tuple[str, int]]) -> Interface:
    missing = _NEEDED[kind] - ports.keys()
    if missing:
        raise ValueError(f"interface {name} is not inferred: it has no {', '.join(sorted(missing))}")
    mode = "slave" if ports[_FROM_SLAVE[kind]][0] == "out" else "master"
    if kind == AXIS:
        bits = ports["TDATA"][1]
        return Interface(AXIS, mode, bits=bits, has_last="TLAST" in ports, has_keep="TKEEP" in ports)
    protocol = "AXI4" if "AWLEN" in ports else "AXI4LITE"
    segment = Segment("reg0", max(4096, 1 << ports["AWADDR"][1]))
    return Interface(AXIMM, mode, None, protocol, ports["WDATA"][1], segments=(segment,))
