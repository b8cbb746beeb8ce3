# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of a board as rows, from the document that memory_map.json holds."""

from __future__ import annotations

from typing import Any, NamedTuple


class Place(NamedTuple):
    """A range of addresses: first byte, bytes, name, and contents in words."""

    base: int
    size: int
    name: str
    contents: str


def places(node: dict[str, Any]) -> list[Place]:
    """Return all that the host reaches on a board, by address."""
    found = [_place(block, _block(node, block)) for block in node["blocks"]]
    found += [_place(unit, f"registers, {_found(unit)}") for unit in node["units"]]
    found += [_place(dma, _channels(dma)) for dma in node["dma"]]
    if intc := node["interrupt_controller"]:
        found.append(_place(intc, f"interrupts of the DMAs, on to ID {intc['gic']}"))
    for region in node["regions"]:
        memory = region["memory"]
        what = f"{memory['words']} x {memory['word_bits']} bits" if memory else "not known"
        # FINN prefixes the partition's name, which the name of the region has.
        layer = memory["layer"].removeprefix(f"{region['partition']}_") + ": " if memory else ""
        found.append(_place(region, f"{layer}{what}"))
    return sorted(found, key=lambda place: place.base)


def _place(window: dict[str, Any], contents: str) -> Place:
    return Place(window["base"], window["size"], window["name"], contents)


def _block(node: dict[str, Any], block: dict[str, Any]) -> str:
    """Describe a window of the core itself."""
    if block["block"] is None:
        return f"leaves the core by m_axil_{block['name']}"
    aperture = node["aperture"] or {"base": None}
    inside = (
        aperture["base"] is not None and block["base"] <= aperture["base"] < block["base"] + block["size"]
    )
    return "registers, aperture; the rest lies behind it" if inside else "registers"


def _found(unit: dict[str, Any]) -> str:
    """Describe the host's access to a unit beside the core."""
    return f"in XRT {unit['ip']}" if unit["ip"] else "beside the core"


def _channels(dma: dict[str, Any]) -> str:
    """Describe the streams of a DMA and its interrupts."""
    channels = [("to", dma["channels"]["mm2s"]), ("from", dma["channels"]["s2mm"])]
    streams = ", ".join(f"{way} stream {channel['stream']}" for way, channel in channels if channel)
    lines = [channel["interrupt"] for _, channel in channels if channel and channel["interrupt"]]
    told = ", ".join(str(line["input"] if line["controller"] else line["gic"]) for line in lines)
    at = f" of {lines[0]['controller']}" if lines and lines[0]["controller"] else ""
    kind = "cyclic DMA" if dma["cyclic"] else "DMA"
    return f"{kind} {streams}; {f'interrupts {told}{at}' if lines else 'no interrupts'}"
