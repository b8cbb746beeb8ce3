# SPDX-License-Identifier: BSD-3-Clause
"""Parameters in a tree: their names, plain values, and which one a string is given to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyslang.syntax import SyntaxNode

from vivado_check.syntax.trees import Kind, Node

_READERS = {"$readmemh", "$readmemb"}
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
_PARTS = {
    Kind.ConcatenationExpression,
    Kind.MultipleConcatenationExpression,
    Kind.StreamingConcatenationExpression,
    Kind.AssignmentPatternExpression,
    Kind.ElabSystemTask,
}


def string(node: Node) -> tuple[str, bool, Node | None]:
    """Return what a string is given to, whether it can be a whole path, and the list of parameters around it.

    memstream glues names, ``{MEM_INIT, "memblock_0.dat"}``; HLS writes
    ``$fopen("deadlock_db.dat")``: neither string is a path of a data file.
    """
    inner, outer = node, node.parent
    parameter, around, whole = "", None, True
    while outer is not None:
        kind = outer.kind
        if kind in _PARTS:
            whole = False
        elif kind == Kind.InvocationExpression:
            called = outer.left
            if inner != called and called.kind == Kind.SystemName:
                whole = whole and called.systemIdentifier.rawText in _READERS
            break
        elif kind == Kind.NamedParamAssignment:
            parameter, around = outer.name.valueText, outer.parent
            break
        elif kind == Kind.Declarator:
            parameter = outer.name.valueText
            around = _list_of(outer)
            break
        elif kind.name.endswith(("Statement", "Block", "Declaration", "Instantiation", "Connection")):
            break
        inner, outer = outer, outer.parent
    return parameter, whole, around


def _list_of(declarator: Node) -> Node | None:
    declaration = declarator.parent
    if declaration is None or declaration.kind != Kind.ParameterDeclaration:
        return None
    outer = declaration.parent
    return outer.parent if outer is not None and outer.kind == Kind.ParameterDeclarationStatement else outer


def beside(node: Node) -> tuple[dict[str, int], dict[str, str]]:
    """Return the plain numbers and the strings of a list of parameters."""
    numbers: dict[str, int] = {}
    texts: dict[str, str] = {}
    for name, value in parameters(node):
        if value.kind == Kind.StringLiteralExpression:
            texts[name] = value.literal.valueText
        elif (found := number(value)) is not None:
            numbers[name] = found
    return numbers, texts


def parameters(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield names and values: of an instance, of a header, or of the body of a unit."""
    if node.kind == Kind.ParameterValueAssignment:
        for entry in _nodes(node.parameters):
            if entry.kind == Kind.NamedParamAssignment and entry.expr is not None:
                yield entry.name.valueText, entry.expr
        return
    entries = node.declarations if node.kind == Kind.ParameterPortList else getattr(node, "members", ())
    for entry in _nodes(entries):
        declared = entry.parameter if entry.kind == Kind.ParameterDeclarationStatement else entry
        if declared.kind == Kind.ParameterDeclaration:
            for declarator in _nodes(declared.declarators):
                if declarator.initializer is not None:
                    yield declarator.name.valueText, declarator.initializer.expr


def _nodes(entries: Iterable[Any]) -> Iterator[Node]:
    """Leave out the commas of a list."""
    return (entry for entry in entries if isinstance(entry, SyntaxNode))


def number(node: Node) -> int | None:
    """Return the value of a plain number, or None if it is anything else."""
    if node.kind == Kind.ParenthesizedExpression:
        return number(node.expression)
    if node.kind == Kind.UnaryMinusExpression:
        value = number(node.operand)
        return None if value is None else -value
    try:
        if node.kind == Kind.IntegerLiteralExpression:
            return int(node.literal.rawText.replace("_", ""))
        if node.kind == Kind.IntegerVectorExpression:
            return int(node.value.rawText.replace("_", ""), _BASES[node.base.rawText[-1].lower()])
    except ValueError:  # it has digits that are unknown, or thousands
        return None
    return None
