# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: a core in a shell whose user logic is a text (vFPGAs of Coyote)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vivado_check.report import Message, Origin

from .base import Context, rule
from .planned import Planned, broken
from .planned_files import RENEW, Text, texts

LOGIC = ("*/hw/*.svh", "*/hw/src/*.svh")
_CORE = re.compile(r"`SHELLGEN_CORE\s+u_core\s*\((.*?)\n\);", re.DOTALL)
_JOINED = re.compile(r"\.(\w+)\s*\(\s*([^()]*?)\s*\)")
# Streams of the host by version of the shell and direction. Source: Coyote, hw/templates of user logic.
_STREAMS = {
    ("v2", "in"): "axis_host_recv[{}]",
    ("v2", "out"): "axis_host_send[{}]",
    ("v1", "in"): "axis_host_{}_sink",
    ("v1", "out"): "axis_host_{}_src",
}
# What only delays a stream. Source: Coyote v1, hw/hdl/common/regs.
_SLICE = re.compile(r"\.s_axis\((\w+)\),\s*\.m_axis\((\w+)\)")
_ADDRESS = re.compile(r"axi_ctrl\.(\w+?)(?:\[(\d+):0\])?")


@dataclass(frozen=True)
class _Port:
    """A port of the core, and what it is joined to."""

    name: str
    net: str
    origin: Origin


def _ports(text: Text) -> dict[str, _Port] | None:
    found = _CORE.search(text.text)
    if found is None:
        return None
    start = found.start(1)
    ports = {}
    for match in _JOINED.finditer(found[1]):
        line = text.text.count("\n", 0, start + match.start()) + 1
        ports[match[1]] = _Port(match[1], match[2], Origin(text.name, line))
    return ports


def _said(origin: Origin, where: str, found: str, expected: str) -> Message:
    return broken("plan-vfpga", origin, where, found, expected, RENEW)


@rule("plan-vfpga", scope="session", source="docs/coyote.md; fpgasystems/Coyote, hw/templates")
def logic(context: Context) -> Iterator[Message]:
    """The core's streams are those of the shell that the host's program uses, its registers the shell's."""
    for pattern in LOGIC:
        for wanted, text in texts(context, pattern):
            ports = _ports(text) if wanted.map.vfpga else None
            if ports is not None:
                yield from _streams(wanted, text, ports)
                yield from _rings(wanted, text, ports)
                yield from _registers(wanted, text, ports)


def _streams(wanted: Planned, text: Text, ports: dict[str, _Port]) -> Iterator[Message]:
    assert wanted.map.vfpga is not None
    for channel in wanted.map.channels:
        found = wanted.end(channel.stream)
        if found is None:
            continue
        net = _STREAMS[wanted.map.vfpga.version, channel.direction].format(channel.dest)
        slices = _SLICE.findall(text.text)
        beyond = dict(slices if channel.direction == "in" else [(back, front) for front, back in slices])
        net = beyond.get(net, net)
        for signal, _, _ in found[1].signals:
            name, expected = f"{found[1].name}_{signal}", f"{net}.{signal}"
            port = ports.get(name)
            if port is None:
                yield _said(text.line_of("u_core"), f"u_core.{name}", "it is not joined", expected)
            elif port.net != expected:
                why = f"{expected}: memory_map.json has stream {channel.stream} as dest {channel.dest}"
                yield _said(port.origin, f"u_core.{name}", port.net, why)


def first_ring(wanted: Planned) -> int:
    """Return the host stream behind those of frames, which the first ring of the host has."""
    return max((one.dest + 1 for one in wanted.map.channels), default=0)


def _rings(wanted: Planned, text: Text, ports: dict[str, _Port]) -> Iterator[Message]:
    """Both ways of a ring in memory are those of one stream, which its requests name."""
    pins = {pin.name: pin for attachment in wanted.node.attachments for pin in attachment.pins}
    for number, port in enumerate(wanted.node.memory_ports):
        if port.dest is None:
            continue
        kind, dest = ("host", port.dest + first_ring(wanted)) if port.host else ("card", port.dest)
        for name, way in ((f"m_axis_ring_{number}", "send"), (f"s_axis_ring_{number}", "recv")):
            for signal, _, _ in pins[name].signals:
                expected, joined = f"axis_{kind}_{way}[{dest}].{signal}", ports.get(f"{name}_{signal}")
                if joined is None or joined.net != expected:
                    origin = joined.origin if joined else text.line_of("u_core")
                    found = joined.net if joined else "it is not joined"
                    why = f"{expected}: plan.json has ring {number} at this stream"
                    yield _said(origin, f"u_core.{name}_{signal}", found, why)


def _registers(wanted: Planned, text: Text, ports: dict[str, _Port]) -> Iterator[Message]:
    clocks = {"aclk": "aclk", "aresetn": "aresetn[0]"}
    for name, expected in clocks.items():
        port = ports.get(name)
        if port is None or port.net not in (expected, expected.removesuffix("[0]")):
            origin = port.origin if port else text.line_of("u_core")
            yield _said(origin, f"u_core.{name}", port.net if port else "it is not joined", expected)
    bits = (wanted.map.span - 1).bit_length()
    for name, port in ports.items():
        if not name.startswith("s_axil_"):
            continue
        signal = name.removeprefix("s_axil_")
        match = _ADDRESS.fullmatch(port.net)
        address = signal in ("awaddr", "araddr")
        if match is None or match[1] != signal:
            yield _said(port.origin, f"u_core.{name}", port.net, f"axi_ctrl.{signal}")
        elif match[2] and (not address or int(match[2]) + 1 != bits):
            whole = f"axi_ctrl.{signal}"
            part = f"{whole}[{bits - 1}:0]: memory_map.json has {wanted.map.span:#x} bytes"
            yield _said(port.origin, f"u_core.{name}", port.net, part if address else whole)
