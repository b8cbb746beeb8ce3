# SPDX-License-Identifier: BSD-3-Clause
"""ip/component.xml (IP-XACT 2009 as Vivado writes it, or 2014) to a `Boundary` and its file list.

Stitched IP of FINN has no memoryMap even with AXI-Lite, the clock
interface is called CLK.AP_CLK, physical names are lower case, portMaps come in any order.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import Element

from shellgen.errors import InputError, Problem
from shellgen.model import PackagedIp
from shellgen.read.pins import Boundary, Interface, Kind, Pin
from vivado_check.formats.files import file_bytes
from vivado_check.formats.looks import is_file
from vivado_check.formats.xml import XmlError, parse_xml

_STREAM, _AXI = "axis", "aximm"
_SIGNALS: dict[str, Kind] = {"clock": "clock", "reset": "reset"}


@dataclass(frozen=True)
class Component:
    """A packaged IP.

    Attributes:
        boundary: Pins and interfaces; its module is the model name of the simulation view.
        files: Paths of all file sets in order, relative to component.xml.
        folder: Where component.xml lies.
        packaged: Its name in a catalogue, if it tells when it was packaged.
    """

    boundary: Boundary
    files: tuple[str, ...]
    folder: Path
    packaged: PackagedIp | None = None


def read_component(path: Path) -> Component:
    """Read component.xml.

    Raises:
        InputError: It is not XML, not an IP-XACT component, or a port has no constant width.
    """
    try:
        root = parse_xml(file_bytes(path))
    except OSError as error:
        raise InputError(Problem(str(path), f"cannot be read: {error.strerror}", "Check the path")) from None
    except XmlError as error:
        remedy = "Package the IP again, or restore the file from the FINN build"
        raise InputError(Problem(str(path), f"is not XML: {error}", remedy)) from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    if root.tag != "component":
        found = f"is not an IP-XACT component (its root is <{root.tag}>)"
        raise InputError(Problem(str(path), found, "Name the component.xml of a stitched IP"))
    problems: list[Problem] = []
    pins = tuple(pin for port in root.findall("model/ports/port") if (pin := _pin(path, port, problems)))
    if problems:
        raise InputError(*problems)
    interfaces = tuple(_interface(bus) for bus in root.findall("busInterfaces/busInterface"))
    boundary = Boundary(_module(root), pins, interfaces, str(path))
    files = [name.text.strip() for name in root.findall("fileSets/fileSet/file/name") if name.text]
    return Component(boundary, tuple(dict.fromkeys(files)), path.parent, _packaged(root))


def shared_files(folder: Path) -> list[Path]:
    """Return the files of an IP inside a Vivado project that lie outside its folder.

    Vivado keeps what IPs of a block design may share in its ``ipshared/<digest>/``, the module of a packaged
    IP itself among it, and lists the files in ``<ip>.xml`` beside them. An IP that was moved alone has lost
    them, and a list that cannot be read names none: then the modules are missing, and are named as such.

    Args:
        folder: Of the IP; ``.xml`` has its name.
    """
    own = folder.resolve()
    try:
        listed = read_component(own / f"{own.name}.xml").files
    except InputError:
        return []
    shared = own.parent.parent / "ipshared"
    paths = [Path(os.path.normpath(own / name)) for name in listed]
    return [path for path in paths if path.resolve().is_relative_to(shared) and is_file(path)]


def _inside(element: Element, *names: str) -> list[Element]:
    """Return what `findall` does of a path; that of a single name is compiled code."""
    found = [element]
    for name in names:
        found = [inner for outer in found for inner in outer.findall(name)]
    return found


def _text(element: Element, *names: str) -> str:
    *outer, name = names
    for inner in _inside(element, *outer) if outer else (element,):
        if (text := inner.findtext(name)) is not None:
            return text.strip()
    return ""


def _packaged(root: Element) -> PackagedIp | None:
    """Both go into scripts, so what is no plain name or date is taken for missing."""
    vlnv = ":".join(_text(root, name) for name in ("vendor", "library", "name", "version"))
    created = next((element.text or "" for element in root.iter("coreCreationDateTime")), "").strip()
    if not re.fullmatch(r"[\w.-]+(:[\w.-]+){3}", vlnv, re.ASCII):
        return None
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", created, re.ASCII):
        return None
    return PackagedIp(vlnv=vlnv, created=created)


def _module(root: Element) -> str:
    """The model name of a simulation view, else of any view, else the name of the component."""
    views = [
        (_text(view, "envIdentifier") or _text(view, "name"), name)
        for view in (*root.findall("model/views/view"), *root.findall("model/instantiations/*"))
        if (name := _text(view, "modelName") or _text(view, "moduleName"))
    ]
    simulation = [
        name for kind, name in views if "simulation" in kind.lower() and "wrapper" not in kind.lower()
    ]
    return (simulation or [name for _, name in views] or [_text(root, "name")])[0]


def _pin(path: Path, port: Element, problems: list[Problem]) -> Pin | None:
    name = _text(port, "name")
    direction: Literal["in", "out"] = "in" if _text(port, "wire", "direction") == "in" else "out"
    wires = port.findall("wire")
    vectors = [one for wire in wires for one in wire.findall("vector")]
    vectors += [one for wire in wires for one in _inside(wire, "vectors", "vector")]
    bounds = [(element.findtext("left"), element.findtext("right")) for element in vectors]
    if not bounds:
        return Pin(name, direction, 1)
    try:
        left, right = (int(str(bound).strip(), 0) for bound in bounds[0])
    except ValueError:
        found = f"its bounds {bounds[0][0]}:{bounds[0][1]} are not numbers"
        problems.append(Problem(f"{path}: port {name}", found, "Package the IP again with constant widths"))
        return None
    return Pin(name, direction, abs(left - right) + 1)


def _interface(bus: Element) -> Interface:
    name = _text(bus, "name")
    ports = {
        _text(entry, "logicalPort", "name").upper(): _text(entry, "physicalPort", "name")
        for entry in bus.iter("portMap")
    }
    bus_type = bus.find("busType")
    attributes = bus_type.attrib if bus_type is not None else {}
    kind_name = next((value for key, value in attributes.items() if re.search(r"(^|})name$", key)), "")
    master = bus.find("master") is not None or bus.find("initiator") is not None
    kind: Kind = _SIGNALS.get(kind_name, "other")
    if kind_name == _STREAM:
        kind = "stream"
    elif kind_name == _AXI:
        kind = "memory" if master or {"AWLEN", "ARLEN"} & set(ports) else "lite"
    return Interface(name, kind, master, ports)
