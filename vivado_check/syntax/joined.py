# SPDX-License-Identifier: BSD-3-Clause
"""Drivers in a design: assignments and the ports of instances, as slang resolves them.

Members of interfaces have the path of the interface that they belong to, however they are called there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pyslang import ast

from vivado_check.syntax.elaborate import Design
from vivado_check.syntax.records import Finding, Joint

_Kind = ast.SymbolKind
_In, _Out = ast.ArgumentDirection.In, ast.ArgumentDirection.Out


def joined(
    sources: Sequence[Sequence[str]], headers: Mapping[str, str], top: str, macros: Sequence[str]
) -> tuple[tuple[Joint, ...], tuple[Finding, ...]]:
    """Return what drives what below a module, and what is wrong with the text: errors, names, widths.

    Args:
        sources: Name and text of each file.
        headers: Texts that may be included, by base name.
        top: Module at the top.
        macros: Those that are defined beforehand.
    """
    design = Design(sources, headers, top, macros)
    design.diagnostics = list(design.compilation.getAllDiagnostics())
    found = tuple(one for one in design.findings() if one.error or one.code in _WRONG)
    if any(one.error for one in found):  # expressions may be invalid
        return (), found
    reader = _Reader(design)
    tops = [one for one in design.compilation.getRoot().topInstances if one.name == top]
    return tuple(dict.fromkeys(joint for one in tops for joint in reader.scope(one.body))), found


# What slang only warns of: Vivado stops at the first two, and bits are lost or made up by the others.
_WRONG = ("Redefinition", "IndexOOB", "PortWidthTruncate", "PortWidthExpand")


class _Reader:
    """Everything below one instance."""

    def __init__(self, design: Design) -> None:
        self.design = design
        root: Any = design.compilation.getRoot()
        self.context = ast.EvalContext(ast.ASTContext(root, ast.LookupLocation.max))

    def scope(self, members: Iterable[Any]) -> Iterator[Joint]:
        for member in members:
            kind = member.kind
            if kind == _Kind.ContinuousAssign:
                yield from self.assigned(member.assignment)
            elif kind == _Kind.ProceduralBlock:
                yield from self.procedure(member)
            elif kind == _Kind.GenerateBlockArray:
                for one in member.entries:
                    yield from self.scope(one)
            elif kind == _Kind.InstanceArray:
                yield from self.scope(member.elements)
            elif kind == _Kind.GenerateBlock and not member.isUninstantiated:
                yield from self.scope(member)
            elif kind == _Kind.Instance:
                yield from self.instance(member)
            elif kind == _Kind.Net and member.initializer is not None:
                place = self.design.place(member.location)
                yield self.joint(str(member.hierarchicalPath), member.initializer, place)

    def instance(self, member: Any) -> Iterator[Joint]:
        if member.isInterface:
            return
        for connection in member.portConnections:
            port, expression = connection.port, connection.expression
            direction = getattr(port, "direction", None)
            path = f"{member.hierarchicalPath}.{port.name}"
            place = self.design.place(expression.sourceRange.start if expression else member.location)
            if direction == _In and expression is None:
                yield Joint(path, (), "", False, False, *place)
            elif direction == _In:
                yield self.joint(path, expression, place)
            elif direction == _Out and expression is not None:
                left = expression.left if isinstance(expression, ast.AssignmentExpression) else expression
                for target in _paths(left):
                    yield Joint(target, (path,), "", False, _is_part(left), *place)
        yield from self.scope(member.body)

    def procedure(self, block: Any) -> Iterator[Joint]:
        found: list[Any] = []
        block.visit(lambda one: found.append(one) if isinstance(one, ast.AssignmentExpression) else None)
        seen = set()
        for one in found:
            for joint in self.assigned(one):
                # A block may assign a thing in many places, and drives it once.
                if joint.target not in seen:
                    seen.add(joint.target)
                    yield joint._replace(constant="")

    def assigned(self, assignment: Any) -> Iterator[Joint]:
        place = self.design.place(assignment.sourceRange.start)
        for target in _paths(assignment.left):
            part = _is_part(assignment.left)
            yield self.joint(target, assignment.right, place)._replace(part=part)

    def joint(self, target: str, expression: Any, place: tuple[str, int]) -> Joint:
        paths, constant = tuple(_paths(expression)), ""
        if not paths:
            value = expression.eval(self.context)
            constant = str(value.value) if value else ""
        inverted: list[bool] = []
        expression.visit(lambda one: inverted.append(True) if _inverts(one) else None)
        return Joint(target, paths, constant, bool(inverted), False, *place)


def _is_part(left: Any) -> bool:
    return not isinstance(left, ast.NamedValueExpression | ast.HierarchicalValueExpression)


def _inverts(one: Any) -> bool:
    wanted = (ast.UnaryOperator.BitwiseNot, ast.UnaryOperator.LogicalNot)
    return isinstance(one, ast.UnaryExpression) and one.op in wanted


def _paths(expression: Any) -> Iterator[str]:
    """Yield the whole names of nets, variables and members of interfaces, without parts of them."""
    found: list[str] = []

    def look(one: Any) -> None:
        if isinstance(one, ast.NamedValueExpression | ast.HierarchicalValueExpression):
            symbol: Any = one.symbol
            if symbol.kind == _Kind.ModportPort and symbol.internalSymbol is not None:
                symbol = symbol.internalSymbol
            if symbol.kind in (_Kind.Net, _Kind.Variable):
                found.append(str(symbol.hierarchicalPath))

    expression.visit(look)
    yield from dict.fromkeys(found)
