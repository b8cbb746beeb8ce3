# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: the kernel's description for XRT and ``v++`` (kernel.xml), and its wires (<kernel>.v)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from shellgen.model.attachment import Pin
from vivado_check.formats.xml import XmlError, parse_xml
from vivado_check.report import Message, Origin

from .base import Context, rule
from .planned import Planned, broken, number
from .planned_files import RENEW, Text, core_registers, texts

_MODES = {"in": "read_only", "out": "write_only"}
# Of a kernel without a protocol of its own: the host starts nothing. Source: UG1393, RTL kernel XML file.
_KERNEL = {"language": "ip_c", "interrupt": "false", "hwControlProtocol": "ap_ctrl_none"}
_MASTER = {"mode": "master", "portType": "addressable", "base": "0x0", "range": "0xffffffffffffffff"}
_POINTER = {"addressQualifier": "1", "size": "0x8", "hostOffset": "0x0", "hostSize": "0x8"}
_REGISTER = {"addressQualifier": "0", "size": "0x4", "hostOffset": "0x0", "hostSize": "0x4"}
_PAGE = 0x1000  # what XRT maps


@rule("plan-kernel", scope="session", source="docs/vitis.md; UG1393, RTL kernel XML file")
def kernel(context: Context) -> Iterator[Message]:
    """kernel.xml has the core's streams with their widths, and its registers where the map has them."""
    for wanted, text in texts(context, "*/kernel.xml"):
        try:
            root = parse_xml(text.text.encode())
        except XmlError as error:
            yield _said(Origin(text.name), text.name, str(error), "the description of a kernel")
            continue
        yield from _kernel(context, wanted, text, root)


def _kernel(context: Context, wanted: Planned, text: Text, root: Element) -> Iterator[Message]:
    found = root.find("kernel")
    name = (wanted.map.ip or "").partition(":")[0]
    if found is None:
        yield _said(Origin(text.name), "root", "there is no kernel", name)
        return
    expected = {**_KERNEL, "name": name}
    packages = [package.vlnv for package in context.recording.packages if package.vlnv]
    expected["vlnv"] = packages[0] if packages else f"shellgen:kernel:{name}:1.0"
    yield from _attributes(text, found, expected, "kernel")
    yield from _ports(wanted, text, found)
    yield from _arguments(wanted, text, found)


def _attributes(text: Text, found: Element, expected: dict[str, str], where: str) -> Iterator[Message]:
    for key, value in expected.items():
        has = found.get(key)
        same = has == value or (number(has or "") is not None and number(has or "") == number(value))
        if not same:
            origin = text.line_of(f'{key}="{has}"' if has is not None else where)
            line = text.line_of(f'name="{found.get("name")}"')
            yield _said(line if line.line else origin, f"{where} {key}", str(has), value)


def _ports(wanted: Planned, text: Text, kernel_: Element) -> Iterator[Message]:
    ports = {port.get("name", ""): port for port in kernel_.iter("port")}
    yield from _twice(text, kernel_, "port")
    masters = {port.name: port for port in wanted.node.memory_ports}
    control = [
        name for name, port in ports.items() if port.get("portType") == "addressable" and name not in masters
    ]
    if len(control) != 1:
        yield _said(text.line_of("<ports>"), "ports", f"{len(control)} for registers", "one")
    for name in control:
        yield from _attributes(text, ports[name], {"mode": "slave", "dataWidth": "32", "base": "0x0"}, name)
        span = number(ports[name].get("range", "")) or 0
        if span < max(_PAGE, wanted.map.span):
            expected = f"{max(_PAGE, wanted.map.span):#x}, the window of memory_map.json"
            yield _said(
                text.line_of(f'name="{name}"'), f"{name} range", ports[name].get("range", ""), expected
            )
    pins = {pin.name: pin for pin in _pins(wanted)}
    for name in sorted(set(ports) - set(control) - set(pins) - set(masters)):
        yield _said(text.line_of(f'name="{name}"'), name, "a port", f"no such stream: {', '.join(pins)}")
    for name, pin in pins.items():
        if name not in ports:
            yield _said(text.line_of("<ports>"), name, "it is missing", f"a port for the core's {name}")
            continue
        asked = {"mode": _MODES[pin.direction], "dataWidth": str(pin.tdata_bits), "portType": "stream"}
        yield from _attributes(text, ports[name], asked, name)
    for name, port in masters.items():
        if name in ports:
            yield from _attributes(text, ports[name], {**_MASTER, "dataWidth": str(port.data_bits)}, name)
        else:
            yield _said(text.line_of("<ports>"), name, "it is missing", f"a port for the core's {name}")


def _twice(text: Text, kernel_: Element, tag: str) -> Iterator[Message]:
    names = [one.get("name", "") for one in kernel_.iter(tag)]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield _said(text.line_of(f'{tag} name="{name}"'), name, "it is there twice", "it once")


def _pins(wanted: Planned) -> Iterator[Pin]:
    for attachment in wanted.node.attachments:
        yield from attachment.pins


def _arguments(wanted: Planned, text: Text, kernel_: Element) -> Iterator[Message]:
    arguments = list(kernel_.iter("arg"))
    ids = [argument.get("id") for argument in arguments]
    if ids != [str(index) for index in range(len(ids))]:
        wrong = next(index for index, id_ in enumerate(ids) if id_ != str(index))
        line = text.line_of(f'name="{arguments[wrong].get("name")}"')
        yield _said(line, f"argument {wrong}", f"id {ids[wrong]}", f"{wrong}: ids count from 0")
    named = {argument.get("name", ""): argument for argument in arguments}
    yield from _twice(text, kernel_, "arg")
    control = next(
        (p.get("name", "") for p in kernel_.iter("port") if p.get("portType") == "addressable"), ""
    )
    for register in core_registers(wanted):
        name, offset = f"{wanted.node.status.name}_{register.name}".lower(), register.offset
        asked = {**_REGISTER, "port": control, "offset": f"{offset:#x}"}
        yield from _argument(text, named, name, asked)
    for pin in _pins(wanted):
        sides = f"{pin.tdata_bits},{pin.tuser_bits},{pin.tid_bits},{pin.tdest_bits}"
        asked = {"port": pin.name, "addressQualifier": "4", "type": f"stream<ap_axiu<{sides}>>&"}
        yield from _argument(text, named, pin.name, asked)
    for ring in wanted.map.rings:
        asked = {**_POINTER, "port": ring.name, "offset": f"{ring.base_low:#x}"}
        yield from _argument(text, named, ring.name.removeprefix("m_axi_"), asked)


def _argument(text: Text, named: dict[str, Element], name: str, asked: dict[str, str]) -> Iterator[Message]:
    if name in named:
        yield from _attributes(text, named[name], asked, f"argument {name}")
    else:
        yield _said(text.line_of("<args>"), f"argument {name}", "it is missing", f"it, with {asked}")


@rule("plan-kernel-wires", scope="session", source="docs/vitis.md")
def wires(context: Context) -> Iterator[Message]:
    """The kernel's wrapper joins each port of the core to the port of its own name."""
    for wanted, text in texts(context, "*/*_kernel.v"):
        for match in re.finditer(r"\.(\w+)\s*\(\s*(\w+)\s*\)", text.text):
            port, net = match[1], match[2]
            known = _net(wanted, port)
            if known is not None and not re.fullmatch(known, net):
                line = text.text.count("\n", 0, match.start()) + 1
                yield broken(
                    "plan-kernel-wires",
                    Origin(text.name, line),
                    f"u_core.{port}",
                    f"it is joined to {net}",
                    f"the port of the same stream ({known})",
                    "join ports of one name",
                )


def _net(wanted: Planned, port: str) -> str | None:
    """Return a pattern of what a port of the core is joined to, None if the port is not known."""
    stem, _, signal = port.rpartition("_")
    names = [*(pin.name for pin in _pins(wanted)), *(one.name for one in wanted.node.memory_ports)]
    if stem in names:
        return re.escape(port)
    if stem.startswith("s_axil"):
        return rf"\w+_{re.escape(signal)}"
    for index, clock in enumerate(wanted.node.clocks):
        suffix = "" if index == 0 else f"_{index + 1}"
        if port in (clock.name, clock.reset):
            return f"ap_clk{suffix}" if port == clock.name else f"ap_rst_n{suffix}"
    return None


def _said(origin: Origin, where: str, found: str, expected: str) -> Message:
    return broken("plan-kernel", origin, where, found, expected, RENEW)
