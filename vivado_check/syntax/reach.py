# SPDX-License-Identifier: BSD-3-Clause
"""Signals of an elaborated design that can change one of its outputs; the others need no driver."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from pyslang import ast

_Kind = ast.SymbolKind
_Way = ast.ArgumentDirection
_VALUES = (_Kind.Net, _Kind.Variable)
_REST = (_Kind.PrimitiveInstance, _Kind.Subroutine)  # whatever they look at counts as read
Place = tuple[str, str, int]


def idle(tops: Iterable[Any], place: Callable[[Any], tuple[str, int]]) -> set[Place]:
    """Return the signals from which no output of a top module can be reached, by name, file and line.

    Inputs that an instance leaves open are among them, at the place of the instance.
    Of several instances none may reach one. Whole signals are followed, not bits, and every signal of an
    ``always`` block reaches all that the block assigns: so too few are returned rather than too many.
    """
    found = _Feeds()
    for top in tops:
        for port in top.body.portList:
            inner = getattr(port, "internalSymbol", None)
            if inner is not None and port.direction != _Way.In:
                found.read.add(_key(inner))
        found.scope(top.body)
    reached, all_of_them = found.reached(), found.all()
    return {(name, *place(at)) for name, at in all_of_them} - {(name, *place(at)) for name, at in reached}


def _key(symbol: Any) -> str:
    return str(symbol.hierarchicalPath)


class _Feeds:
    """Dependencies between signals.

    Attributes:
        before: Signals that a signal is computed from.
        read: Signals that are read by what is not followed.
        open: Inputs that an instance leaves open, by name and place of the instance.
    """

    def __init__(self) -> None:
        self.before: dict[str, set[str]] = defaultdict(set)
        self.read: set[str] = set()
        self.open: list[tuple[str, str, Any]] = []
        self.symbols: dict[str, tuple[str, Any]] = {}

    def reached(self) -> list[tuple[str, Any]]:
        """Return name and location of all that reaches what is read."""
        seen, queue = set(self.read), list(self.read)
        while queue:
            more = self.before.get(queue.pop(), set()) - seen
            seen |= more
            queue += more
        found = [self.symbols[key] for key in seen if key in self.symbols]
        return found + [(name, location) for key, name, location in self.open if key in seen]

    def all(self) -> list[tuple[str, Any]]:
        """Return name and location of all signals."""
        return [*self.symbols.values(), *((name, location) for _, name, location in self.open)]

    def scope(self, members: Iterable[Any]) -> None:
        for member in members:
            kind = member.kind
            if kind in _VALUES:
                self._seen(member)
                if member.initializer is not None:
                    self.before[_key(member)] |= self._within(member.initializer)
            elif kind == _Kind.Instance:
                self._instance(member)
            elif kind == _Kind.GenerateBlock and not member.isUninstantiated:
                self.scope(member)
            elif kind in (_Kind.GenerateBlockArray, _Kind.InstanceArray):
                self.scope(member.entries if kind == _Kind.GenerateBlockArray else member.elements)
            else:
                self._logic(member)

    def _logic(self, member: Any) -> None:
        kind = member.kind
        if kind == _Kind.ContinuousAssign:
            self._assigned(member.assignment)
        elif kind == _Kind.ProceduralBlock and member.procedureKind != ast.ProceduralBlockKind.Initial:
            self._assigned(member.body)
        elif kind == _Kind.UninstantiatedDef:
            for connection in member.portConnections:
                if isinstance(connection, ast.SimpleAssertionExpr):
                    self.read |= self._within(connection.expr)
        elif kind in _REST:
            self.read |= self._within(member)

    def _instance(self, instance: Any) -> None:
        for connection in instance.portConnections:
            inner = getattr(connection.port, "internalSymbol", None)
            outer = self._within(connection.expression) if connection.expression is not None else set()
            way = getattr(connection.port, "direction", None)
            if inner is None or way not in (_Way.In, _Way.Out):
                self.read |= outer
                if inner is not None:
                    self.read.add(self._seen(inner))
            elif way == _Way.In:
                if not outer:
                    self.open.append((self._seen(inner), str(connection.port.name), instance.location))
                self.before[self._seen(inner)] |= outer
            else:
                for name in outer:
                    self.before[name].add(self._seen(inner))
        self.scope(instance.body)

    def _assigned(self, node: Any) -> None:
        """Note that all signals in a statement feed those that it assigns."""
        targets: set[str] = set()

        def look(found: Any) -> ast.VisitAction:
            if isinstance(found, ast.AssignmentExpression):
                targets.update(self._within(found.left))
            return ast.VisitAction.Advance

        node.visit(look)
        sources = self._within(node)
        for name in targets:
            self.before[name] |= sources

    def _within(self, node: Any) -> set[str]:
        found: set[str] = set()

        def look(one: Any) -> ast.VisitAction:
            symbol = getattr(one, "symbol", None)
            if symbol is not None and getattr(symbol, "kind", None) in _VALUES:
                found.add(self._seen(symbol))
            return ast.VisitAction.Advance

        node.visit(look)
        return found

    def _seen(self, symbol: Any) -> str:
        key = _key(symbol)
        self.symbols.setdefault(key, (str(symbol.name), symbol.location))
        return key
