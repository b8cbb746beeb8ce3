# SPDX-License-Identifier: BSD-3-Clause
"""IP-XACT (IEEE 1685-2009 with Vivado's extensions) to a `Component`. Texts for people are left out."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from vivado_check.formats.xml import parse_xml

from .component import (
    BlockFact,
    Component,
    Condition,
    InterfaceFact,
    ParameterFact,
    PortFact,
    SpaceFact,
    Value,
)
from .expression import compact

_MODES = ("master", "slave", "system", "mirroredMaster", "mirroredSlave", "mirroredSystem", "monitor")
_INSTANCES = "customized_ip"
# Interfaces of simulation models (SystemC), which no block design shows.
_SOCKETS = ("_tlm", "_tlm_axis", "_rd_socket", "_wr_socket")


def read_ipxact(content: bytes, origin: str) -> Component:
    """Return what a component.xml, or the ``<instance>.xml`` beside an .xci, says.

    Raises:
        XmlError: It is not XML, or may not be read (`parse_xml`).
        ValueError: It is XML, but no component.
    """
    root = parse_xml(content)
    if _tag(root) != "component":
        raise ValueError("it is no IP-XACT component")
    library = _text(root, "library")
    instance = library == _INSTANCES
    vlnv = ":".join([_text(root, "vendor"), library, _text(root, "name"), _text(root, "version")])
    infos = {
        _attribute(info, "referenceId"): info for info in _under(root, "coreExtensions", "configElementInfo")
    }
    found = Component("" if instance else vlnv, origin, _release(root), instance)
    reader = _Reader(found, _choices(root), infos)
    reader.parameters(root)
    model = _child(root, "model")
    reader.model(model)
    for interface in _list(root, "busInterfaces"):
        reader.interface(interface)
    for memory in _list(root, "memoryMaps"):
        reader.memory(memory)
    for space in _list(root, "addressSpaces"):
        reader.space(space)
    return found


class _Reader:
    """Fills a component from its elements."""

    def __init__(
        self, found: Component, choices: dict[str, tuple[str, ...]], infos: dict[str, Element]
    ) -> None:
        self.found = found
        self.choices = choices
        self.infos = infos

    def value(self, element: Element | None) -> Value | None:
        if element is None:
            return None
        info = self.infos.get(_attribute(element, "id"))
        return Value(
            (element.text or "").strip(),
            compact(_attribute(element, "dependency")),
            _attribute(element, "resolve"),
            _attribute(info, "valueSource"),
            _attribute(info, "valuePermission"),
        )

    def parameters(self, root: Element) -> None:
        for element in _list(root, "parameters"):
            name, slot = _text(element, "name"), _child(element, "value")
            value = self.value(slot)
            if not name or slot is None or value is None:
                continue
            self.found.parameters[name] = ParameterFact(
                name,
                value,
                _attribute(slot, "format"),
                self.choices.get(_attribute(slot, "choiceRef")),
                _attribute(slot, "minimum"),
                _attribute(slot, "maximum"),
                _condition(element),
            )

    def model(self, model: Element | None) -> None:
        for element in _list(model, "modelParameters"):
            value = self.value(_child(element, "value"))
            if value is not None:
                self.found.model[_text(element, "name")] = value
        for element in _list(model, "ports"):
            name, wire = _text(element, "name"), _child(element, "wire")
            if wire is None:  # a socket of a simulation model
                continue
            vector = _child(wire, "vector")
            self.found.ports[name] = PortFact(
                name,
                _text(wire, "direction"),
                self.value(_child(vector, "left")),
                self.value(_child(vector, "right")),
                _driven(wire),
                _condition(element),
            )

    def interface(self, element: Element) -> None:
        name, bus = _text(element, "name"), _child(element, "busType")
        if name.lower().endswith(_SOCKETS):
            return
        mode = next((_child(element, mode) for mode in _MODES if _child(element, mode) is not None), None)
        ports = {}
        for port_map in _list(element, "portMaps"):
            logical = _text(_child(port_map, "logicalPort"), "name")
            ports[logical] = _text(_child(port_map, "physicalPort"), "name")
        params = {}
        for parameter in _list(element, "parameters"):
            value = self.value(_child(parameter, "value"))
            if value is not None:
                params[_text(parameter, "name")] = value
        self.found.interfaces[name] = InterfaceFact(
            name,
            "" if mode is None else _tag(mode),
            ":".join(_attribute(bus, part) for part in ("vendor", "library", "name", "version")),
            params,
            ports,
            _attribute(_child(mode, "addressSpaceRef"), "addressSpaceRef"),
            _attribute(_child(mode, "memoryMapRef"), "memoryMapRef"),
            _condition(element),
        )

    def memory(self, memory: Element) -> None:
        whole = _condition(memory)
        for block in memory:
            base = self.value(_child(block, "baseAddress"))
            size = self.value(_child(block, "range"))
            if _tag(block) != "addressBlock" or base is None or size is None:
                continue
            own = _condition(block)
            self.found.blocks.append(
                BlockFact(
                    _text(memory, "name"),
                    _text(block, "name"),
                    base,
                    size,
                    _text(block, "usage"),
                    _text(block, "access"),
                    both(whole, own),
                )
            )

    def space(self, element: Element) -> None:
        size = self.value(_child(element, "range"))
        if size is not None:
            name = _text(element, "name")
            segments = {
                _text(segment, "name").replace(":", "/"): (
                    _text(segment, "addressOffset"),
                    _text(segment, "range"),
                )
                for segment in _list(element, "segments")
            }
            self.found.spaces[name] = SpaceFact(name, size, segments, _condition(element))


def both(one: Condition, other: Condition) -> Condition:
    """Return the condition that both hold."""
    rule = None
    if one.rule is not None and other.rule is not None:
        rule = f"({one.rule}) and ({other.rule})" if one.rule and other.rule else one.rule or other.rule
    return Condition(one.now and other.now, rule)


def _driven(wire: Element | None) -> str | None:
    value = _child(_child(wire, "driver"), "defaultValue")
    return None if value is None else (value.text or "").strip()


def _condition(element: Element) -> Condition:
    extensions = _child(element, "vendorExtensions")
    for info in extensions if extensions is not None else ():
        enabled = _child(_child(info, "enablement"), "isEnabled")
        if enabled is not None:
            now = (enabled.text or "").strip() != "false"
            rule = compact(_attribute(enabled, "dependency"))
            if rule in ("true", "false"):  # stands for nothing: files of both kinds have either value
                rule = ""
            if rule:
                return Condition(now, rule)
            return Condition(now, None if _attribute(enabled, "resolve") == "generated" or not now else "")
    return Condition()


def _choices(root: Element) -> dict[str, tuple[str, ...]]:
    return {
        _text(choice, "name"): tuple(
            (item.text or "").strip() for item in choice if _tag(item) == "enumeration"
        )
        for choice in _list(root, "choices")
    }


def _release(root: Element) -> str:
    return next(((item.text or "").strip() for item in _under(root, "packagingInfo", "xilinxVersion")), "")


def _under(root: Element, group: str, tag: str) -> Iterator[Element]:
    extensions = _child(root, "vendorExtensions")
    for part in _child(extensions, group).iter() if _child(extensions, group) is not None else ():  # type: ignore[union-attr]
        if _tag(part) == tag:
            yield part


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _child(element: Element | None, tag: str) -> Element | None:
    for child in element if element is not None else ():
        if _tag(child) == tag:
            return child
    return None


def _list(element: Element | None, tag: str) -> tuple[Element, ...]:
    found = _child(element, tag)
    return () if found is None else tuple(found)


def _text(element: Element | None, tag: str) -> str:
    found = _child(element, tag)
    return "" if found is None else (found.text or "").strip()


def _attribute(element: Element | None, name: str) -> str:
    """Attributes carry the prefix of the standard or of Vivado."""
    if element is None:
        return ""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return value
    return ""
