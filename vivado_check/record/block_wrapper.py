# SPDX-License-Identifier: BSD-3-Clause
"""The HDL wrapper of a block design: ports of interfaces are those of the pins that they bring out."""

from __future__ import annotations

import re

from ..design import InterfacePin, Pin
from ..graph import Graph, bus_type
from ..ip.facts import AXIMM, AXIS
from .session import Session

# Signals of AXI4-Lite, bits (None: the address), and whether the slave drives it (ARM IHI 0022).
_LITE = (
    *(("awaddr", None, False), ("awprot", 3, False), ("awvalid", 1, False), ("awready", 1, True)),
    *(("wdata", 32, False), ("wstrb", 4, False), ("wvalid", 1, False), ("wready", 1, True)),
    *(("bresp", 2, True), ("bvalid", 1, True), ("bready", 1, False)),
    *(("araddr", None, False), ("arprot", 3, False), ("arvalid", 1, False), ("arready", 1, True)),
    *(("rdata", 32, True), ("rresp", 2, True), ("rvalid", 1, True), ("rready", 1, False)),
)
_SPAN = re.compile(r"\[(-?\d+):(-?\d+)\]")
# Signals of a stream, the setting that tells of them, and bits per byte of data where that is a switch.
_STREAM = (("tkeep", "HAS_TKEEP"), ("tlast", "HAS_TLAST"), ("tstrb", "HAS_TSTRB"))
_WIDTHS = (("tdest", "TDEST_WIDTH"), ("tid", "TID_WIDTH"), ("tuser", "TUSER_WIDTH"))


def wrapper_text(session: Session, name: str) -> str:
    """Return the wrapper of a design; what is not known of an interface is left out."""
    design = session.recording.designs[name]
    graph = Graph(design, session.catalogue, session.release) if session.catalogue else None
    top = design.cells["/"]
    ports = [_scalar(pin) for pin in top.pins.values()]
    for one in top.interfaces.values():
        ports += _interface(one, graph)
    body = " (\n  " + ",\n  ".join(ports) + "\n)" if ports else ""
    # What is inside drives every output; an empty module would seem to leave them open.
    inside = [_driver(port) for port in ports if not port.startswith("input ")]
    return f"module {name}_wrapper{body};\n{''.join(inside)}endmodule\n"


def _driver(port: str) -> str:
    """Return an assignment of as many bits as a port has: Verilator warns about others."""
    span = _SPAN.search(port)
    bits = abs(int(span[1]) - int(span[2])) + 1 if span else 1
    return f"  assign {port.rsplit(maxsplit=1)[-1]} = {{{bits}{{1'bz}}}};\n"


def _scalar(pin: Pin) -> str:
    kind = {"I": "input", "O": "output"}.get(pin.direction, "inout")
    span = f" [{pin.left}:{pin.right or 0}]" if pin.left is not None else ""
    return f"{kind}{span} {pin.name}"


def _port(given: bool, bits: int, name: str) -> str:
    return f"{'input' if given else 'output'} {f'[{bits - 1}:0] ' if bits > 1 else ''}{name}"


def _interface(one: InterfacePin, graph: Graph | None) -> list[str]:
    config = {name: setting.value for name, setting in one.config.items()}
    slave = one.mode.lower() == "slave"
    kind = bus_type(one.vlnv)
    if kind == AXIMM and config.get("PROTOCOL") == "AXI4LITE":
        address = int(config.get("ADDR_WIDTH", "32"))
        return [_port(slave != back, bits or address, f"{one.name}_{name}") for name, bits, back in _LITE]
    known = _peer_bits(one.name, graph)
    if kind == AXIS:
        known |= _stream(config)
        known.setdefault("tvalid", 1)
        known.setdefault("tready", 1)
        order = sorted(name for name, bits in known.items() if bits and name != "tready")
        return [*(_port(slave, known[name], f"{one.name}_{name}") for name in order)] + (
            [_port(not slave, 1, f"{one.name}_tready")] if known["tready"] else []
        )
    return _as_peer(one.name, graph)


def _stream(config: dict[str, str]) -> dict[str, int]:
    """Return bits of the signals that the settings of a port tell of."""
    found: dict[str, int] = {}
    data = int(config.get("TDATA_NUM_BYTES", "0"))
    if data:
        found["tdata"] = 8 * data
    for name, setting in _STREAM:
        if setting in config:
            found[name] = 0 if config[setting] == "0" else 1 if name == "tlast" else data
    for name, setting in _WIDTHS:
        if setting in config:
            found[name] = int(config[setting])
    if config.get("HAS_TREADY") == "0":
        found["tready"] = 0
    return found


def _peer_bits(name: str, graph: Graph | None) -> dict[str, int]:
    """Return bits of the signals of the interface of an IP that a port brings out."""
    return {signal: bits for signal, bits, _ in _signals(name, graph)}


def _as_peer(name: str, graph: Graph | None) -> list[str]:
    found = _signals(name, graph)
    return [_port(direction == "in", bits, f"{name}_{signal}") for signal, bits, direction in found]


def _signals(name: str, graph: Graph | None) -> list[tuple[str, int, str]]:
    """Return signal, bits and direction at the IP."""
    peer = graph.peer(f"/{name}") if graph else None
    if graph is None or peer is None or peer.count("/") < 2:
        return []
    found = _pins(peer, graph)
    if not any(signal == "tdata" for signal, _, _ in found):  # an IP that takes its width from its neighbours
        start = peer.rpartition("/")[0] + "/"
        for net in graph.design.interface_nets.values():
            if any(member.startswith(start) for member in net.members):
                for member in net.members:
                    through = _pins(member, graph) if not member.startswith(start) else []
                    if any(signal == "tdata" for signal, _, _ in through):
                        return through
    return found


def _pins(path: str, graph: Graph) -> list[tuple[str, int, str]]:
    """Return signal, bits and direction of an interface whose widths are known, else nothing."""
    found = graph.interface(path)
    resolved = graph.resolved(path.rpartition("/")[0])
    if found is None or resolved is None:
        return []
    ports = {logical.lower(): resolved.ports.get(port) for logical, port in found.ports.items()}
    if not all(port is not None and port.sized for port in ports.values()):
        return []
    return [(signal, port.bits or 1, port.direction) for signal, port in ports.items() if port is not None]
