# SPDX-License-Identifier: BSD-3-Clause
"""Turn a drawing into inline SVG: drawn by WaveDrom, coloured by the style sheet of the page."""

from __future__ import annotations

import copy
import json
import re
from xml.etree import ElementTree

import wavedrom

from tools.blocks.pages_wave import Drawing, WaveError, lanes

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
# What WaveDrom colours in the element itself: a class instead, so that a page may be dark.
CLASSES = (
    (re.compile(r"stroke-dasharray"), "tick"),
    (re.compile(r"marker-(end|start)"), "arc"),
    (re.compile(r"font-size:8px"), "note"),
    (re.compile(r"fill:#FFF"), "paper"),
    (re.compile(r"fill:#0041c4"), "head"),
    (re.compile(r"stroke:#0041c4"), "bracket"),
)

__all__ = ["svg"]


def svg(drawing: Drawing, prefix: str) -> str:
    """Draw; every id starts with the prefix, so that several drawings can stand on one page.

    Raises:
        WaveError: An output was not filled in.
    """
    source = copy.deepcopy(drawing)
    source["head"] = {"tick": 0}
    undrawn = [lane.name for lane in lanes(source) if not lane.raw.get("wave")]
    if undrawn:
        raise WaveError(f"{drawing['title']} {undrawn[0]} is not drawn: python -m tools.blocks.pages --draw")
    text = wavedrom.render(json.dumps(source)).tostring()
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    # S314: the text is our own drawing.
    root = ElementTree.fromstring(text)  # noqa: S314
    _clean(root)
    _restyle(root)
    _rename(root, prefix)
    root.attrib = {"viewBox": root.attrib["viewBox"].replace(",", " ")} | {
        key: root.attrib[key] for key in ("width", "height")
    }
    root.set("class", "wave")
    root.set("role", "img")
    root.set("aria-label", str(drawing["title"]))
    return ElementTree.tostring(root, encoding="unicode")


def _clean(root: ElementTree.Element) -> None:
    """Drop WaveDrom's style sheet, empty groups, and the pieces that this drawing does not use."""
    for style in root.findall(f"{{{SVG}}}style"):
        root.remove(style)
    used = {use.get(f"{{{XLINK}}}href", "")[1:] for use in root.iter(f"{{{SVG}}}use")}
    used |= set(re.findall(r"url\(#(\w+)\)", " ".join(item.get("style", "") for item in root.iter())))
    for defs in root.findall(f"{{{SVG}}}defs"):
        for piece in list(defs):
            if piece.get("id") not in used:
                defs.remove(piece)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == f"{{{SVG}}}g" and not len(child) and not child.text:
                parent.remove(child)


def _restyle(root: ElementTree.Element) -> None:
    for item in root.iter():
        style = item.attrib.pop("style", "")
        if not style:
            continue
        item.set("class", next(name for pattern, name in CLASSES if pattern.search(style)))
        for place, target in re.findall(r"(marker-\w+):url\(#(\w+)\)", style):
            item.set(place, f"url(#{target})")


def _rename(root: ElementTree.Element, prefix: str) -> None:
    href = f"{{{XLINK}}}href"
    defined = {item.get("id") for defs in root.findall(f"{{{SVG}}}defs") for item in defs}
    for item in root.iter():
        if item.get("id") in defined:
            item.set("id", f"{prefix}-{item.get('id')}")
        else:
            item.attrib.pop("id", None)
        if href in item.attrib:
            item.set("href", f"#{prefix}-{item.attrib.pop(href)[1:]}")
        for place in ("marker-end", "marker-start"):
            if place in item.attrib:
                item.set(place, item.attrib[place].replace("url(#", f"url(#{prefix}-"))
