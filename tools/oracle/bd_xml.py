# SPDX-License-Identifier: BSD-3-Clause
"""Block designs as Vivado kept them before 2018.3: one IP-XACT design for each hierarchy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

from .real import HIERARCHY, Mapped, Real, path_in, size

_S = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"
_BD = "{http://www.xilinx.com/bd}"
_DIRECTIONS = {"in": "I", "out": "O", "inout": "IO"}


def read(path: Path) -> Real:
    """Read a .bd that is XML; what an interconnect is expanded to is left out."""
    # ruff: noqa: S314 - checkouts that the caller has chosen
    root = fromstring(path.read_text(encoding="utf-8-sig"))
    found = Real()
    designs = {_library(node): node for node in root.iter(f"{_S}design")}
    components = {_library(node): node for node in root if node.tag == f"{_S}component"}
    top = next(key for key in components if "/" not in key[0] and key[0] == "BlockDiagram")
    _hierarchy(found, "/", top, designs, components)
    _addresses(found, "/", components[top])
    for (library, _), node in components.items():
        if library.startswith("Addressing"):
            _addresses(found, library.removeprefix("Addressing"), node)
    return found


Key = tuple[str, str]


def _library(node: Element) -> Key:
    return node.findtext(f"{_S}library", ""), node.findtext(f"{_S}name", "")


def _all(node: Element, path: str) -> Iterator[Element]:
    return iter(node.findall("/".join(_S + part for part in path.split("/"))))


def _hierarchy(
    found: Real, hier: str, key: Key, designs: dict[Key, Element], components: dict[Key, Element]
) -> None:
    _boundary(found, hier, components[key])
    design = designs.get((key[0], f"{key[1]}_imp"))
    if design is None:
        return
    _nets(found, hier, design)
    for instance in _all(design, "componentInstances/componentInstance"):
        path = path_in(hier, instance.findtext(f"{_S}instanceName", ""))
        reference = next(_all(instance, "componentRef"))
        vendor, library, name, version = (
            reference.get(_S + part, "") for part in ("vendor", "library", "name", "version")
        )
        values = {
            value.get(f"{_S}referenceId", ""): value.text or ""
            for value in _all(instance, "configurableElementValues/configurableElementValue")
        }
        inner = library.startswith("BlockDiagram")
        if inner and "bd:xciName" not in values:
            found.cells[path] = HIERARCHY
            _hierarchy(found, path, (library, name), designs, components)
            continue
        found.cells[path] = "" if inner else f"{vendor}:{library}:{name}:{version}"
        found.config[path] = {k.upper(): v for k, v in values.items() if not k.startswith("bd:")}


def _boundary(found: Real, hier: str, component: Element) -> None:
    for port in _all(component, "model/ports/port"):
        wire = next(_all(port, "wire"))
        found.ports[path_in(hier, port.findtext(f"{_S}name", ""))] = (
            _DIRECTIONS[wire.findtext(f"{_S}direction", "in")],
            wire.findtext(f"{_S}vector/{_S}left", ""),
            wire.findtext(f"{_S}vector/{_S}right", ""),
        )
    for bus in _all(component, "busInterfaces/busInterface"):
        kind = next(_all(bus, "abstractionType"))
        if kind.get(f"{_S}library") == "signal":
            continue
        vlnv = ":".join(kind.get(_S + part, "") for part in ("vendor", "library", "name", "version"))
        modes = ("master", "slave", "system", "monitor", "mirroredMaster", "mirroredSlave")
        mode = next((name for name in modes if bus.find(_S + name) is not None), "")
        found.interfaces[path_in(hier, bus.findtext(f"{_S}name", ""))] = (mode, vlnv)


def _nets(found: Real, hier: str, design: Element) -> None:
    for net in _all(design, "adHocConnections/adHocConnection"):
        members = [
            path_in(hier, f"{pin.get(f'{_S}componentRef')}/{pin.get(f'{_S}portRef')}")
            for pin in _all(net, "internalPortReference")
        ]
        members += [path_in(hier, pin.get(f"{_S}portRef", "")) for pin in _all(net, "externalPortReference")]
        found.nets.add((hier, frozenset(members)))
    for net in _all(design, "interconnections/interconnection"):
        ends = (*_all(net, "activeInterface"), *_all(net, "monitorInterface"))
        found.interface_nets.add((hier, frozenset(path_in(hier, _end(pin)) for pin in ends)))
    for net in _all(design, "hierConnections/hierConnection"):
        port = net.get(f"{_S}interfaceRef", "").partition("/")[0]
        ends = tuple(_all(net, "activeInterface"))
        members = [path_in(hier, port), *(path_in(hier, _end(pin)) for pin in ends)]
        found.interface_nets.add((hier, frozenset(members)))


def _end(pin: Element) -> str:
    return f"{pin.get(f'{_S}componentRef')}/{pin.get(f'{_S}busRef')}"


def _addresses(found: Real, cell: str, component: Element) -> None:
    for space in _all(component, "addressSpaces/addressSpace"):
        path = path_in(cell or "/", space.findtext(f"{_S}name", ""))
        for segment in _all(space, "segments/segment"):
            found.segments.add(
                Mapped(
                    path,
                    segment.findtext(f"{_S}displayName", ""),
                    int(segment.findtext(f"{_S}addressOffset", "0"), 0),
                    size(segment.findtext(f"{_S}range", "0")),
                    segment.get(f"{_BD}isExcluded") == "true",
                )
            )
