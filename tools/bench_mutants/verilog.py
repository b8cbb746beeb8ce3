# SPDX-License-Identifier: BSD-3-Clause
"""A source as slang's tree, and what its declarations say of widths and directions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pyslang import syntax

Node: TypeAlias = Any  # what a node has follows from its kind, which no type tells
Kind = syntax.SyntaxKind
_RANGE = re.compile(r"\[\s*(\d+)\s*:\s*0\s*\]")
_BIT = re.compile(r"\w+\[\s*(\d+)\s*\]")
_SLICE = re.compile(r"\w+\[\s*(\d+)\s*:\s*(\d+)\s*\]")


@dataclass(frozen=True)
class Source:
    """A text, the root of its tree, and the ranges of what it declares, by name."""

    text: str
    root: Node
    ranges: dict[str, str] = field(default_factory=dict)

    def of(self, node: Node) -> str:
        """Return the text of a node, without the blanks and comments before it."""
        span = node.sourceRange
        return self.text[span.start.offset : span.end.offset]

    def width(self, text: str) -> str:
        """Return the width of a net or of a part of it as declared; empty if the text does not say."""
        if bit := _SLICE.fullmatch(text):
            return str(int(bit[1]) - int(bit[2]) + 1)
        if _BIT.fullmatch(text):
            return "1"
        found = self.ranges.get(text)
        if found is None:
            return ""
        number = _RANGE.fullmatch(found)
        return "1" if not found else str(int(number[1]) + 1) if number else found


def read(text: str) -> Source:
    """Parse a source; only what it says itself is known, no header and no macro."""
    root = syntax.SyntaxTree.fromText(text).root
    source = Source(text, root)
    for node in walk(root):
        if node.kind in (Kind.NetDeclaration, Kind.DataDeclaration):
            _note(source, source.of(node.type), [one.name.valueText for one in nodes(node.declarators)])
        elif node.kind == Kind.ImplicitAnsiPort:
            _note(source, source.of(node.header), [node.declarator.name.valueText])
    return source


def _note(source: Source, kind: str, names: list[str]) -> None:
    spans = re.findall(r"\[[^\]]*\]", kind)
    for name in names:
        if name in source.ranges and source.ranges[name] != "".join(spans):
            source.ranges[name] = "?"  # declared twice, in two generate blocks
        else:
            source.ranges[name] = "".join(spans)


def directions(source: Source) -> dict[str, dict[str, str]]:
    """Return ``input`` or ``output`` of each port of each module."""
    found: dict[str, dict[str, str]] = {}
    for module in walk(source.root):
        if module.kind == Kind.ModuleDeclaration:
            ports = (node for node in walk(module.header) if node.kind == Kind.ImplicitAnsiPort)
            found[module.header.name.valueText] = {
                port.declarator.name.valueText: source.of(port.header).split()[0] for port in ports
            }
    return found


def nodes(node: Node) -> Iterator[Node]:
    """Yield the children that are nodes and not tokens."""
    for child in node:
        if isinstance(child, syntax.SyntaxNode):
            yield child


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, parents first."""
    yield node
    for child in nodes(node):
        yield from walk(child)
