# SPDX-License-Identifier: BSD-3-Clause
"""The commands of ports of block designs, and the wrapper that shows them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from .arguments import Arguments, join_list
from .catalogue import AXIMM, AXIS, Interface
from .design import Design, Port
from .project import ModelError

PORT_COMMANDS = {
    "create_bd_port": ("-dir= -type= -freq_hz=", 1),
    "create_bd_intf_port": ("-mode= -vlnv=", 1),
    "get_bd_ports": ("-quiet", 1),
}
# Kind of port -> properties, all under CONFIG.
PROPERTIES = {
    "clk": {"FREQ_HZ", "ASSOCIATED_BUSIF", "ASSOCIATED_RESET"},
    "rst": {"POLARITY"},
    AXIS: {
        *("FREQ_HZ", "TDATA_NUM_BYTES", "HAS_TREADY", "HAS_TKEEP", "HAS_TLAST", "HAS_TSTRB"),
        *("TDEST_WIDTH", "TID_WIDTH", "TUSER_WIDTH", "LAYERED_METADATA"),
    },
    AXIMM: {
        *("FREQ_HZ", "PROTOCOL", "ADDR_WIDTH", "DATA_WIDTH"),
        *("HAS_BURST", "HAS_CACHE", "HAS_LOCK", "HAS_QOS", "HAS_REGION", "HAS_PROT", "HAS_WSTRB"),
    },
}
# Signal, bits (None: the address), True when the slave drives it.
_LITE = (
    *(("awaddr", None, False), ("awprot", 3, False), ("awvalid", 1, False), ("awready", 1, True)),
    *(("wdata", 32, False), ("wstrb", 4, False), ("wvalid", 1, False), ("wready", 1, True)),
    *(("bresp", 2, True), ("bvalid", 1, True), ("bready", 1, False)),
    *(("araddr", None, False), ("arprot", 3, False), ("arvalid", 1, False), ("arready", 1, True)),
    *(("rdata", 32, True), ("rresp", 2, True), ("rvalid", 1, True), ("rready", 1, False)),
)


class PortCommands:
    """Mixed into the session; works on its open design."""

    if TYPE_CHECKING:
        design: Design | None

        @property
        def block(self) -> Design: ...

    def do_create_bd_port(self, arguments: Arguments) -> str:
        direction, kind = arguments.need("-dir", "-type")
        if direction not in ("I", "O") or kind not in ("clk", "rst"):
            raise ModelError(f"[model] create_bd_port -dir {direction} -type {kind}")
        frequency = {"FREQ_HZ": arguments.options["-freq_hz"]} if arguments.has("-freq_hz") else {}
        return self._new(Port(arguments.rest[0], kind, direction == "I", frequency))

    def do_create_bd_intf_port(self, arguments: Arguments) -> str:
        mode, vlnv = arguments.need("-mode", "-vlnv")
        buses = {f"xilinx.com:interface:{bus}_rtl:1.0": bus for bus in (AXIS, AXIMM)}
        if mode not in ("Master", "Slave") or vlnv not in buses or (buses[vlnv], mode) == (AXIMM, "Master"):
            raise ModelError(f"[model] create_bd_intf_port -mode {mode} -vlnv {vlnv}")
        return self._new(Port(arguments.rest[0], buses[vlnv], mode == "Slave"))

    def _new(self, port: Port) -> str:
        if port.name in self.block.ports:
            raise ModelError(f"[BD 5-230] a port of the name {port.name} is in the design already")
        self.block.ports[port.name] = port
        return f"/{port.name}"

    def do_get_bd_ports(self, arguments: Arguments) -> str:
        plain = [port.name for port in self.block.ports.values() if port.kind not in (AXIS, AXIMM)]
        return join_list([f"/{name}" for name in plain if fnmatchcase(name, arguments.rest[0].lstrip("/"))])

    def set_port_property(self, name: str, value: str, target: str) -> bool:
        """Set a property of a port; return False if the target is none."""
        port = self.design.ports.get(target.lstrip("/")) if self.design else None
        if port is None:
            return False
        known = name.removeprefix("CONFIG.")
        if known == name or known not in PROPERTIES[port.kind]:
            raise ModelError(f"[Common 17-54] port {port.name} has no property {name}")
        port.config[known] = value
        return True


def wrapper_text(design: Design) -> str:
    """Return the wrapper of a design: an empty module with its ports, as Vivado makes them of interfaces."""
    ports = [text for port in design.ports.values() for text in _declared(port, design.interfaces())]
    body = " (\n  " + ",\n  ".join(ports) + "\n)" if ports else ""
    return f"module {design.name}_wrapper{body};\nendmodule\n"


def _declared(port: Port, interfaces: dict[str, Interface]) -> list[str]:
    if port.kind not in (AXIS, AXIMM):
        return [_port(port.given, 1, port.name)]
    if port.kind == AXIMM:
        bits = int(port.config["ADDR_WIDTH"])
        return [_port(not back, width or bits, f"{port.name}_{name}") for name, width, back in _LITE]
    shape = interfaces[port.name]
    signals = (
        ("tdata", shape.bits),
        ("tdest", shape.dest_bits),
        ("tkeep", shape.bits // 8 * shape.has_keep),
        ("tlast", int(shape.has_last)),
        ("tstrb", shape.bits // 8 * shape.has_strb),
        ("tvalid", 1),
    )
    found = [_port(port.given, bits, f"{port.name}_{name}") for name, bits in signals if bits]
    return [*found, _port(not port.given, 1, f"{port.name}_tready")]


def _port(given: bool, bits: int, name: str) -> str:
    return f"{'input' if given else 'output'} {f'[{bits - 1}:0] ' if bits > 1 else ''}{name}"
