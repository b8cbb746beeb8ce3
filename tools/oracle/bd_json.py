# SPDX-License-Identifier: BSD-3-Clause
"""Block designs as Vivado keeps them since 2018.3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .real import HIERARCHY, Mapped, Real, path_in, size


def read(path: Path) -> Real:
    """Read a .bd that is JSON; what an interconnect is expanded to is left out."""
    document = json.loads(path.read_text(encoding="utf-8-sig"))["design"]
    found = Real()
    _hierarchy(found, "/", document)
    _addresses(found, document.get("addressing", {}))
    return found


def _hierarchy(found: Real, hier: str, node: dict[str, Any]) -> None:
    for name, port in node.get("ports", {}).items():
        found.ports[path_in(hier, name)] = (
            port.get("direction", ""),
            str(port.get("left", "")),
            str(port.get("right", "")),
        )
    for name, port in node.get("interface_ports", {}).items():
        found.interfaces[path_in(hier, name)] = (port.get("mode", ""), port.get("vlnv", ""))
    for net in node.get("nets", {}).values():
        found.nets.add((hier, frozenset(path_in(hier, member) for member in net.get("ports", ()))))
    for net in node.get("interface_nets", {}).values():
        members = frozenset(path_in(hier, member) for member in net.get("interface_ports", ()))
        if members:
            found.interface_nets.add((hier, members))
    for name, cell in node.get("components", {}).items():
        path = path_in(hier, name)
        vlnv = cell.get("vlnv", "")
        if not vlnv:
            found.cells[path] = HIERARCHY
            _hierarchy(found, path, cell)
            continue
        found.cells[path] = vlnv
        found.config[path] = {
            key.upper(): "".join(value.get("value", "")) for key, value in cell.get("parameters", {}).items()
        }


def _addresses(found: Real, addressing: dict[str, Any]) -> None:
    for cell, entry in addressing.items():
        for space, content in entry.get("address_spaces", {}).items():
            for segment in content.get("segments", {}).values():
                found.segments.add(
                    Mapped(
                        path_in(cell, space),
                        segment["address_block"],
                        int(segment["offset"], 0),
                        size(segment["range"]),
                        segment.get("is_excluded", "").upper() == "TRUE",
                    )
                )
