# SPDX-License-Identifier: BSD-3-Clause
"""A module reference as an IP: what Vivado infers from the ports of its Verilog (UG994, UG1118)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from .constant import value_of
from .facts import (
    AXIMM,
    AXIS,
    CLOCK,
    INTERRUPT,
    RESET,
    AddressBlock,
    IpInterface,
    IpPort,
    Parameter,
    Resolved,
)
from .header import Head, Port

_DIRECTIONS = {"input": "in", "output": "out", "inout": "inout"}
_SIGNALS = {CLOCK: "CLK", RESET: "RST", INTERRUPT: "INTERRUPT"}
# The signals of the two buses (Arm IHI 0051, IHI 0022), by which unattributed ports are known, too:
# what makes a bus where no attribute names it, by the ends of the ports' names.
_STREAM = {"tdata", "tvalid", "tready", "tlast", "tkeep", "tstrb", "tuser", "tid", "tdest"}
_MEMORY = {
    *(f"{way}{name}" for way in ("aw", "ar") for name in ("addr", "prot", "valid", "ready", "len", "size")),
    *(f"{way}{name}" for way in ("aw", "ar") for name in ("burst", "lock", "cache", "qos", "id", "region")),
    *("wdata", "wstrb", "wvalid", "wready", "wlast", "wid", "bresp", "bvalid", "bready", "bid"),
    *("rdata", "rresp", "rvalid", "rready", "rlast", "rid"),
    *("awuser", "aruser", "wuser", "ruser", "buser"),
}
LOGICAL = {AXIS: frozenset(map(str.upper, _STREAM)), AXIMM: frozenset(map(str.upper, _MEMORY))}
_NEEDED = {AXIS: {"TVALID"}, AXIMM: {"WVALID", "RVALID"}}
_CLOCK = re.compile(r"(\w*_)?(a?clk|clock|aclkin|clkin)", re.IGNORECASE)
_RESET = re.compile(r"(\w*_)?(a?rst|a?reset)(_?n)?", re.IGNORECASE)
_LEAST = 4096  # bytes of a slave's segment


@dataclass(frozen=True)
class ModuleIp:
    """The facts of a module (`vivado_check.ip.facts.Ip`)."""

    vlnv: str
    head: Head

    @property
    def complete(self) -> bool:
        """Return whether all parameters are known."""
        return self.head.whole

    @property
    def closed(self) -> bool:
        """Return whether there are no others: its own source lists them."""
        return self.head.whole

    def parameter_names(self) -> Iterable[str]:
        """Return the names of all parameters."""
        return self.head.parameters

    def parameter(self, name: str, config: Mapping[str, str]) -> Parameter | None:  # noqa: ARG002
        """Return a parameter, upper and lower case alike."""
        known = next((one for one in self.head.parameters if one.lower() == name.lower()), None)
        return Parameter(known, default=self.head.parameters[known]) if known else None

    def resolve(self, config: Mapping[str, str]) -> Resolved:
        """Return ports and the interfaces that Vivado makes of them.

        Where interfaces are inferred from names there may be others, so that they are not complete.
        """
        given = {name.lower(): text for name, text in config.items()}
        values: dict[str, int] = {}
        for name, text in self.head.parameters.items():
            number = value_of(given.get(name.lower(), text), values)
            if number is not None:
                values[name] = number
        ports = {port.name: _port(port, values) for port in self.head.ports}
        grouped, guessed = _grouped(self.head.ports)
        interfaces = {}
        for (vlnv, name), members in grouped.items():
            if _NEEDED.get(vlnv, set()) <= set(members) or not guessed:
                interfaces[name] = _interface(vlnv, name, members, ports)
        clocks = [one for one in interfaces.values() if one.vlnv == CLOCK and one.mode == "slave"]
        if guessed and len(clocks) == 1:
            interfaces[clocks[0].name] = _associated(clocks[0], interfaces)
        blocks = tuple(_block(one) for one in interfaces.values() if one.memory)
        spaces = {one.space: _bytes(one) for one in interfaces.values() if one.space}
        whole = self.head.whole and not guessed
        return Resolved(interfaces, ports, blocks, spaces, whole, closed=whole)


def _port(port: Port, values: Mapping[str, int]) -> IpPort:
    direction = _DIRECTIONS[port.direction]
    if not port.range:
        return IpPort(port.name, direction)  # type: ignore[arg-type]
    left, _, right = port.range.partition(":")
    high, low = value_of(left, values), value_of(right, values)
    sized = high is not None and low is not None
    return IpPort(port.name, direction, high, low, sized)  # type: ignore[arg-type]


_Members = dict[str, Port]


def _grouped(ports: tuple[Port, ...]) -> tuple[dict[tuple[str, str], _Members], bool]:
    """Return ports by bus and interface, under their logical names, and whether one was inferred by names."""
    found: dict[tuple[str, str], _Members] = {}
    guessed = False
    for port in ports:
        words = port.attributes.get("X_INTERFACE_INFO", "").split()
        if port.attributes.get("X_INTERFACE_IGNORE", "").lower() == "true":
            continue
        if len(words) == 3:
            found.setdefault((words[0], words[1]), {})[words[2].upper()] = port
            continue
        stem, _, last = port.name.rpartition("_")
        bus = AXIS if last.lower() in _STREAM else AXIMM if last.lower() in _MEMORY else ""
        if bus and stem:
            found.setdefault((bus, stem), {})[last.upper()] = port
            guessed = True
        elif _CLOCK.fullmatch(port.name) and not port.range:
            found[CLOCK, port.name] = {"CLK": port}
        elif _RESET.fullmatch(port.name) and not port.range:
            found[RESET, port.name] = {"RST": port}
    return found, guessed


def _interface(vlnv: str, name: str, members: _Members, ports: Mapping[str, IpPort]) -> IpInterface:
    texts = [port.attributes.get("X_INTERFACE_PARAMETER", "") for port in members.values()]
    params = dict(found for text in texts for found in re.findall(r"(\w+)\s+([^,\s]+)", text))
    params.pop("XIL_INTERFACENAME", None)
    names = {logical: port.name for logical, port in members.items()}
    modes = [port.attributes.get("X_INTERFACE_MODE", "").split(" ")[0] for port in members.values()]
    mode = next((mode.lower() for mode in modes if mode), "") or _mode(vlnv, members)
    bits = {logical: ports[port].bits for logical, port in names.items()}
    if vlnv == AXIS:
        params = _stream(bits) | params
    elif vlnv == AXIMM:
        params = _memory(bits) | params
    elif vlnv == RESET and "POLARITY" not in params:
        low = names["RST"].lower().endswith("n")
        params["POLARITY"] = "ACTIVE_LOW" if low else "ACTIVE_HIGH"
    slave = vlnv == AXIMM and mode == "slave"
    master = vlnv == AXIMM and mode == "master"
    return IpInterface(name, mode, vlnv, params, names, name if master else "", name if slave else "")


def _mode(vlnv: str, members: _Members) -> str:
    """Return master or slave by who drives the signal that a master drives; empty for other buses."""
    driven = {AXIS: ("TVALID",), AXIMM: ("AWVALID", "ARVALID")}.get(vlnv, (_SIGNALS.get(vlnv, ""),))
    port = next((members[name] for name in driven if name in members), None)
    return "" if port is None else "master" if port.direction == "output" else "slave"


def _stream(bits: Mapping[str, int | None]) -> dict[str, str]:
    flags = {f"HAS_{name}": str(int(name in bits)) for name in ("TREADY", "TLAST", "TKEEP", "TSTRB")}
    width = bits.get("TDATA", 0)
    return flags if width is None else flags | {"TDATA_NUM_BYTES": str(-(-width // 8))}


def _memory(bits: Mapping[str, int | None]) -> dict[str, str]:
    full = bool({"AWLEN", "ARLEN"} & set(bits))
    found = {"PROTOCOL": ("AXI3" if "WID" in bits else "AXI4") if full else "AXI4LITE"}
    for name, signals in (("DATA_WIDTH", ("WDATA", "RDATA")), ("ADDR_WIDTH", ("AWADDR", "ARADDR"))):
        width = next((bits[signal] for signal in signals if signal in bits), None)
        if width is not None:
            found[name] = str(width)
    return found


def _associated(clock: IpInterface, interfaces: Mapping[str, IpInterface]) -> IpInterface:
    """Return the only clock of a module, to which Vivado gives the buses and the resets that name none."""
    buses = [one.name for one in interfaces.values() if one.vlnv in (AXIS, AXIMM)]
    resets = [one.name for one in interfaces.values() if one.vlnv == RESET and one.mode == "slave"]
    given = {"ASSOCIATED_BUSIF": ":".join(buses), "ASSOCIATED_RESET": ":".join(resets)}
    return replace(clock, params={name: text for name, text in given.items() if text} | dict(clock.params))


def _bytes(interface: IpInterface) -> int | None:
    text = interface.params.get("ADDR_WIDTH", "")
    return 1 << int(text) if re.fullmatch(r"[0-9]{1,2}", text) else None


def _block(interface: IpInterface) -> AddressBlock:
    size = _bytes(interface)
    return AddressBlock(interface.memory, "reg0", 0, None if size is None else max(_LEAST, size), "register")
