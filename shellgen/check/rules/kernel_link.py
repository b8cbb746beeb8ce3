# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in the configuration of ``v++``: one name in all files, existing units, streams with two ends."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from vivado_check.formats.xml import XmlError, parse_xml
from vivado_check.link.config import read_config
from vivado_check.link.judge import SOURCE, Card, Link
from vivado_check.link.kernels import Kernel, kernel_of, known_kernels
from vivado_check.recording import Package
from vivado_check.report import Message, Origin, Verdict
from vivado_check.rules.board_facts import boards
from vivado_check.rules.flow import of

from .base import Context, rule
from .planned_files import Text, texts

_REMEDY = "write one name in all places, or generate the folder again"
_NETWORK = frozenset({"cmac_0", "cmac_1", "networklayer"})


def _kernel(text: Text) -> Element | None:
    try:
        return parse_xml(text.text.encode()).find("kernel")
    except XmlError:
        return None  # another rule reports it


@rule("kernel-name", scope="session", source=SOURCE, ours=True)
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
            made = [one.value.split(":")[0] for one in read_config(link.text, link.name) if one.key == "nk"]
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


@rule("kernel-link", scope="session", source=SOURCE, ours=True)
def kernel_link(context: Context) -> Iterator[Message]:
    """Each unit is created once and has a region of the card, and each stream joins a master to a slave."""
    own: dict[str, Kernel] = {}
    for _, xml in texts(context, "*/kernel.xml"):
        kernel = _kernel(xml)
        own |= {kernel.get("name", ""): kernel_of(kernel)} if kernel is not None else {}
    for _, text in texts(context, "*/link.cfg"):
        card = Card.of(boards().get(context.planned_node.board.name, {}))
        options = read_config(text.text, text.name)
        kernels = {**known_kernels(), **own}
        yield from Link(options, kernels, frozenset(own), card, _NETWORK, _REMEDY, ours=True).messages()


def _said(name: str, origin: Origin, where: str, found: str, expected: str) -> Message:
    return Message(name, Verdict.ERROR, origin, where, found, expected, _REMEDY)
