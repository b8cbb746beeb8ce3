# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in the configuration of ``v++``: one name in all files, existing units, streams with two ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from xml.etree.ElementTree import Element

from vivado_check.formats.xml import XmlError, parse_xml
from vivado_check.recording import Package
from vivado_check.report import Message, Origin, Verdict
from vivado_check.rules.board_facts import boards
from vivado_check.rules.flow import of

from .base import Context, rule
from .plan_link import Option, read_config
from .planned_files import Text, texts

_SOURCE = (
    "UG1393, v++ linking options and RTL kernel XML file; Xilinx/xup_vitis_network_example, config_files"
)
_REMEDY = "write one name in all places, or generate the folder again"
# Streams of the kernels of VNx: whether beats leave them.
KERNELS: Mapping[str, Mapping[str, bool]] = {
    "cmac_0": {"M_AXIS": True, "S_AXIS": False},
    "cmac_1": {"M_AXIS": True, "S_AXIS": False},
    "networklayer": {
        "M_AXIS_nl2eth": True,
        "M_AXIS_nl2sk": True,
        "S_AXIS_eth2nl": False,
        "S_AXIS_sk2nl": False,
    },
    "krnl_mm2s": {"k2n": True},
    "krnl_s2mm": {"n2k": False},
}
# Sections of options. Source: UG1393, v++ linking options.
_SECTIONS = {**dict.fromkeys(("nk", "sp", "slr", "stream_connect", "sc"), "connectivity"), "prop": "vivado"}
_NETWORK = ("cmac_0", "cmac_1", "networklayer")


def _kernel(text: Text) -> Element | None:
    try:
        return parse_xml(text.text.encode()).find("kernel")
    except XmlError:
        return None  # another rule reports it


@rule("kernel-name", scope="session", source=_SOURCE, ours=True)
def kernel_name(context: Context) -> Iterator[Message]:
    """The packaged module, package_xo, kernel.xml and link.cfg have one name for the kernel."""
    for _, xml in texts(context, "*/kernel.xml"):
        kernel = _kernel(xml)
        name = kernel.get("name", "") if kernel is not None else ""
        for _, call in of(context.recording, "package_xo"):
            words = call.words
            told = words[words.index("-kernel_name") + 1] if "-kernel_name" in words[:-1] else ""
            if told != name:
                yield _said(
                    "kernel-name",
                    call.origin,
                    "-kernel_name",
                    told or "it is not given",
                    f"{name}, as {xml.name} has",
                )
        for package in context.recording.packages:
            if package.top and package.top != name:
                yield _said(
                    "kernel-name",
                    package.origin,
                    package.name,
                    f"its top is {package.top}",
                    f"{name}, as {xml.name} has",
                )
            if kernel is not None:
                yield from _ports(xml, kernel, package)
        for _, link in texts(context, "*/link.cfg"):
            made = [one.value.split(":")[0] for one in read_config(link) if one.key == "nk"]
            if name not in made:
                found = f"it makes {', '.join(made)}"
                yield _said("kernel-name", link.line_of("nk="), "nk", found, f"{name}, as {xml.name} has")


def _ports(xml: Text, kernel: Element, package: Package) -> Iterator[Message]:
    """Every port of the description is an interface of the package, and the other way round."""
    there = {part.name for part in package.of("bus_interface")}
    told = {port.get("name", "") for port in kernel.iter("port")}
    for port in sorted(told - there if there else ()):
        yield _said(
            "kernel-name",
            xml.line_of(f'name="{port}"'),
            port,
            "the package has no such interface",
            "one that it has",
        )
    clocks = {*package.clocks.values(), *package.resets, *package.resets.values()}
    buses = {part.name for part in package.of("bus_interface") if part.name in package.clocks}
    for port in sorted(buses - told - clocks):
        yield _said(
            "kernel-name",
            xml.line_of("<ports>"),
            port,
            f"{xml.name} does not have it",
            "a port for each interface",
        )


@rule("kernel-link", scope="session", source=_SOURCE, ours=True)
def kernel_link(context: Context) -> Iterator[Message]:
    """Each unit is created once and has a region of the card, and each stream joins a master to a slave."""
    own: dict[str, Mapping[str, bool]] = {}
    for _, xml in texts(context, "*/kernel.xml"):
        kernel = _kernel(xml)
        streams = (
            [one for one in kernel.iter("port") if one.get("portType") == "stream"]
            if kernel is not None
            else []
        )
        ways = {one.get("name", ""): one.get("mode") == "write_only" for one in streams}
        own |= {kernel.get("name", ""): ways} if kernel is not None else {}
    for _, link in texts(context, "*/link.cfg"):
        card = boards().get(context.planned_node.board.name, {})
        yield from linked(read_config(link), {**KERNELS, **own}, card, whole=frozenset(own))


def linked(
    options: Sequence[Option],
    kernels: Mapping[str, Mapping[str, bool]],
    card: Mapping[str, int],
    whole: frozenset[str],
) -> Iterator[Message]:
    """Judge a configuration file; of kernels in ``whole`` every stream must be connected."""
    units: dict[str, str] = {}
    for option in options:
        wanted = _SECTIONS.get(option.key)
        if wanted is not None and option.section != wanted:
            yield _wrong(option, option.key, f"it is in [{option.section}]", f"section [{wanted}]")
    for option in (one for one in options if one.key == "nk"):
        kernel, _, rest = option.value.partition(":")
        count, _, names = rest.partition(":")
        listed = [name for name in re.split(r"[.,]", names) if name]
        if not count.isdigit() or len(listed) not in (0, int(count or 0)):
            yield _wrong(option, kernel, f"{count} units, and {len(listed)} names", "a name for each unit")
        for name in listed or [f"{kernel}_{k}" for k in range(1, int(count or 0) + 1) if count.isdigit()]:
            if name in units:
                yield _wrong(option, name, "two units have this name", "one")
            units[name] = kernel
    yield from _regions(options, units, card)
    yield from _streams(options, units, kernels, whole)


def _regions(
    options: Sequence[Option], units: Mapping[str, str], card: Mapping[str, int]
) -> Iterator[Message]:
    placed = {one.value.partition(":")[0] for one in options if one.key == "slr"}
    for option in (one for one in options if one.key == "nk" and card):
        for unit in (name for name, kernel in units.items() if kernel == option.value.partition(":")[0]):
            if units[unit] in _NETWORK and unit not in placed:
                yield _wrong(
                    option, unit, "no slr places it", f"SLR{card['network']}, beside the transceivers"
                )
    for option in (one for one in options if one.key in ("slr", "sp")):
        unit = option.value.split(":")[0].split(".")[0]
        if unit not in units:
            yield _wrong(option, unit, "no nk makes such a unit", f"one of {', '.join(units)}")
        region = re.fullmatch(r"\w+:SLR(\d+)", option.value)
        if option.key != "slr" or not card:
            continue
        if region is None or int(region[1]) >= card["slrs"]:
            yield _wrong(
                option, unit, f"it is in {option.value.partition(':')[2]}", f"SLR0 to SLR{card['slrs'] - 1}"
            )
        elif units.get(unit) in _NETWORK and int(region[1]) != card["network"]:
            expected = f"SLR{card['network']}, beside the transceivers"
            yield _wrong(option, unit, f"it is in SLR{region[1]}", expected)


def _streams(
    options: Sequence[Option],
    units: Mapping[str, str],
    kernels: Mapping[str, Mapping[str, bool]],
    whole: frozenset[str],
) -> Iterator[Message]:
    used: Counter[str] = Counter()
    for option in (one for one in options if one.key in ("stream_connect", "sc", "chipscope")):
        ends = [
            end.replace(":", ".")
            for end in ([option.value] if option.key == "chipscope" else option.value.split(":"))
        ]
        for place, end in enumerate(ends[:2]):
            unit, _, port = end.partition(".")
            ways = kernels.get(units.get(unit, ""))
            if unit not in units:
                yield _wrong(option, end, "no nk makes such a unit", f"one of {', '.join(units)}")
            elif ways is not None and port not in ways and option.key != "chipscope":
                yield _wrong(option, end, f"{units[unit]} has no stream {port}", f"one of {', '.join(ways)}")
            elif (
                ways is not None and port in ways and option.key != "chipscope" and ways[port] == bool(place)
            ):
                side = "comes to it" if place == 0 else "leaves it"
                yield _wrong(
                    option, end, f"what is on this stream {side}", "a master first, and a slave behind it"
                )
            used[end] += option.key != "chipscope"
            if used[end] == 2:
                yield _wrong(option, end, "it is connected twice", "once: a stream has two ends")
    for unit, kernel in units.items():
        for port in kernels[kernel] if kernel in whole else ():
            if not used[f"{unit}.{port}"]:
                made = next(one for one in options if one.key == "nk" and one.value.startswith(f"{kernel}:"))
                yield _wrong(
                    made, f"{unit}.{port}", "it is not connected", "a stream_connect for each stream"
                )


def _wrong(option: Option, where: str, found: str, expected: str) -> Message:
    return _said("kernel-link", option.origin, where, found, expected)


def _said(name: str, origin: Origin, where: str, found: str, expected: str) -> Message:
    return Message(name, Verdict.ERROR, origin, where, found, expected, _REMEDY)
