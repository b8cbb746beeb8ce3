# SPDX-License-Identifier: BSD-3-Clause
"""Ports of a module with the widths that its own parameters give them, as slang elaborates it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyslang

from vivado_check.syntax.prepare import prepare
from vivado_check.syntax.records import Fault, Port
from vivado_check.syntax.trees import Kind, Node, Tree, options

_PLAIN = re.compile(r"[A-Za-z_][\w$]*")
_DIRECTIONS = {"In": "in", "Out": "out"}


def ports_of(
    text: str, module: str, headers: Mapping[str, str], others: Sequence[str]
) -> tuple[tuple[Port, ...] | None, tuple[Fault, ...]]:
    """Return the ports, None if the text has no such module, and the syntax errors of the text.

    Args:
        text: Defines the module.
        module: Its name.
        headers: What the texts may include, by base name.
        others: Texts of packages and interfaces.

    Returns:
        No ports if the text does not define the module; syntax errors as far as ports can depend on them.
    """
    included = {name: prepare(header, headers).text for name, header in headers.items()}
    tree = Tree(prepare(text, headers).text, included)
    compilation = pyslang.ast.Compilation(options(top=module))
    compilation.addSyntaxTree(tree.tree)
    for number, other in enumerate(others):
        if other != text:
            compilation.addSyntaxTree(tree.beside(prepare(other, headers).text, number))
    for top in compilation.getRoot().topInstances:
        if top.name == module:
            return tuple(port for symbol in top.body.portList for port in _ports(symbol)), _before(
                tree, module
            )
    declared = _header(tree, module)
    if declared is None or tree.faults:
        return None, tree.faults
    return (), (Fault(max(declared[0], 0), "one of its parameters has no value"),)


def _before(tree: Tree, module: str) -> tuple[Fault, ...]:
    """Return the faults that ports can depend on: down to the end of the header that declares them."""
    end = (_header(tree, module) or (-1, -1))[1]
    return tuple(fault for fault in tree.faults if end < 0 or fault.start < end)


def _header(tree: Tree, module: str) -> tuple[int, int] | None:
    """Return where a module begins and where the last of its ports is declared, at most."""
    found: list[tuple[int, int]] = []

    def look(node: Node) -> None:
        header = node.header
        if header.name.valueText == module:
            plain = header.ports is not None and header.ports.kind == Kind.AnsiPortList
            last = (header.ports if plain else node).getLastToken()
            found.append((tree.place(header.name)[0], tree.place(last)[1]))

    tree.visit({Kind.ModuleDeclaration: look})
    return found[0] if found else None


def _ports(symbol: Any) -> list[Port]:
    if symbol.kind.name == "MultiPort":
        bits = sum(port.bits for part in symbol.ports for port in _ports(part))
        return [Port(_written(symbol.name), _DIRECTIONS.get(symbol.direction.name, "inout"), bits)]
    if symbol.kind.name != "Port":
        return [Port(symbol.name, "inout", 0)]
    type_ = symbol.type
    bits = 0 if type_.isError else type_.bitWidth
    return [Port(_written(symbol.name), _DIRECTIONS.get(symbol.direction.name, "inout"), bits)]


def _written(name: str) -> str:
    """Return a name as it is written: escaped, with the blank that ends it, if it is no plain one."""
    return name if _PLAIN.fullmatch(name) else f"\\{name} "
