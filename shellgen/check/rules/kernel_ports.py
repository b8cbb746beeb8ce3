# SPDX-License-Identifier: BSD-3-Clause
"""kernel.xml beside the module that it describes: widths, registers in the window, the platform."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from vivado_check.formats.xml import XmlError, parse_xml
from vivado_check.ip.header import read_head
from vivado_check.ip.module import ModuleIp
from vivado_check.report import Message, Verdict

from .base import Context, rule
from .planned import number
from .planned_files import Text, texts

_SOURCE = "UG1393, RTL kernel XML file"
_REMEDY = "write it as the module has it, or generate the folder again"
_PLATFORM = re.compile(r"^PLATFORM\s*\?=\s*(\S+)", re.MULTILINE)


@rule("kernel-ports", scope="session", source=_SOURCE, ours=True)
def kernel_ports(context: Context) -> Iterator[Message]:
    """Streams are as wide as the ports, and no two registers share an address."""
    for _, text in texts(context, "*/kernel.xml"):
        try:
            kernel = parse_xml(text.text.encode()).find("kernel")
        except XmlError:
            continue  # another rule reports it
        if kernel is not None:
            yield from _widths(context, text, kernel)
            yield from _registers(text, kernel)


def _widths(context: Context, text: Text, kernel: Element) -> Iterator[Message]:
    name = kernel.get("name", "")
    for _, wrapper in texts(context, f"*/{name}.v"):
        head = read_head(wrapper.text, name)
        ports = ModuleIp(name, head).resolve({}).ports if head else {}
        for port in kernel.iter("port"):
            called, told = port.get("name", ""), number(port.get("dataWidth", ""))
            for signal in ("tdata", "wdata"):
                pin = ports.get(f"{called}_{signal}")
                if pin and pin.bits is not None and told is not None and pin.bits != told:
                    yield _said(text, called, f"dataWidth is {told}", f"{pin.bits}, as {called}_{signal} has")
            stream, valid = port.get("portType") == "stream", ports.get(f"{called}_tvalid")
            way = {"read_only": "in", "write_only": "out"}.get(port.get("mode", ""))
            if stream and valid and way != valid.direction:
                found, expected = (
                    f"mode is {port.get('mode')}",
                    "read_only for what comes in, write_only for what leaves",
                )
                yield _said(text, called, found, expected)


def _masters(text: Text, kernel: Element) -> Iterator[Message]:
    """Registers are behind a slave; each master has an argument, a pointer, which says what it reaches."""
    registers = {one.get("port", "") for one in kernel.iter("arg") if one.get("addressQualifier") == "0"}
    pointers = [one.get("port", "") for one in kernel.iter("arg") if one.get("addressQualifier") == "1"]
    for one in kernel.iter("port"):
        name, mode = one.get("name", ""), one.get("mode")
        if one.get("portType") != "addressable":
            continue
        if mode == "master" and name not in pointers:
            found = "it is a master, and no argument points to its memory"
            yield _said(text, name, found, "an argument with addressQualifier 1")
        if mode != ("slave" if name in registers else "master"):
            yield _said(
                text, name, f"mode is {mode}", "slave: the host asks" if name in registers else "master"
            )
    for one in kernel.iter("arg"):
        if one.get("addressQualifier") == "1" and number(one.get("size", "")) != 8:
            found = f"size is {one.get('size')}"
            yield _said(text, one.get("name", ""), found, "0x8: masters have 64 bits of address")


def _registers(text: Text, kernel: Element) -> Iterator[Message]:
    yield from _masters(text, kernel)
    ids = [argument.get("id", "") for argument in kernel.iter("arg")]
    for argument in kernel.iter("arg"):
        if ids.count(argument.get("id", "")) > 1:
            yield _said(
                text, argument.get("name", ""), f"id {argument.get('id')} is there twice", "an id of its own"
            )
    ranges = {port.get("name", ""): number(port.get("range", "")) for port in kernel.iter("port")}
    modes = {port.get("name", ""): port.get("mode", "") for port in kernel.iter("port")}
    seen: dict[tuple[str, int], str] = {}
    for argument in kernel.iter("arg"):
        name, port = argument.get("name", ""), argument.get("port", "")
        if port not in ranges:
            yield _said(text, name, f"its port is {port}", f"one of {', '.join(ranges)}")
        if argument.get("addressQualifier") not in ("0", "1"):
            continue
        if argument.get("addressQualifier") == "1":
            port = next((one for one in ranges if modes[one] == "slave"), "")  # which holds the address
        offset, size = number(argument.get("offset", "")), number(argument.get("size", ""))
        if offset is None or size is None:
            yield _said(text, name, "offset or size is no number", "both as numbers")
        elif ranges.get(port) is not None and offset + size > (ranges[port] or 0):
            yield _said(
                text, name, f"it ends at {offset + size:#x}", f"the window of {port}, {ranges[port]:#x} bytes"
            )
        elif offset % 4 or (port, offset) in seen:
            other = seen.get((port, offset))
            yield _said(
                text, name, f"{offset:#x} is {'of ' + other if other else 'no word'}", "a word of its own"
            )
        else:
            seen[port, offset] = name


def _said(text: Text, where: str, found: str, expected: str) -> Message:
    line = text.line_of(f'name="{where}"')
    return Message("kernel-ports", Verdict.FINDING, line, where, found, expected, _REMEDY)


@rule("card-platform", scope="session", source="UG1120, names of platforms", ours=True)
def card_platform(context: Context) -> Iterator[Message]:
    """The platform that is linked for is that of the card whose part the kernel is packaged for."""
    parts = [project.part.lower() for project in context.recording.projects if project.part]
    for _, text in texts(context, "*/Makefile"):
        found = _PLATFORM.search(text.text)
        card = re.match(r"xilinx_(u\d+\w?)_", found[1]) if found else None
        if found and card and parts and not parts[0].startswith(f"xc{card[1]}-"):
            yield Message(
                "card-platform",
                Verdict.FINDING,
                text.line_of(found[0]),
                "PLATFORM",
                f"it is {found[1]}, and the kernel is packaged for {parts[0]}",
                "platform and part of one card",
                "name the platform of the card",
            )
