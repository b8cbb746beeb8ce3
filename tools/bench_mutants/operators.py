# SPDX-License-Identifier: BSD-3-Clause
"""Mutations of an expression: each a text that takes its place, of the same width."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.bench_mutants.verilog import Kind, Node, Source, nodes

Change = tuple[Node, str, str]  # in whose place, what kind of mistake, which text

_OTHER = {
    Kind.LogicalAndExpression: "||",
    Kind.LogicalOrExpression: "&&",
    Kind.BinaryAndExpression: "|",
    Kind.BinaryOrExpression: "&",
    Kind.BinaryXorExpression: "|",
    Kind.AddExpression: "-",
    Kind.SubtractExpression: "+",
    Kind.EqualityExpression: "!=",
    Kind.InequalityExpression: "==",
    Kind.LessThanExpression: "<=",
    Kind.LessThanEqualExpression: "<",
    Kind.GreaterThanExpression: ">=",
    Kind.GreaterThanEqualExpression: ">",
    Kind.LogicalShiftLeftExpression: ">>",
    Kind.LogicalShiftRightExpression: "<<",
}
# Either operand alone has the width and the meaning of both.
_DROP = {
    Kind.LogicalAndExpression,
    Kind.LogicalOrExpression,
    Kind.BinaryAndExpression,
    Kind.BinaryOrExpression,
    Kind.BinaryXorExpression,
    Kind.AddExpression,
    Kind.SubtractExpression,
}
_REDUCE = {
    Kind.UnaryBitwiseAndExpression: "|",
    Kind.UnaryBitwiseOrExpression: "&",
    Kind.UnaryBitwiseXorExpression: "|",
}
_NEGATE = {Kind.UnaryLogicalNotExpression, Kind.UnaryBitwiseNotExpression}
LITERALS = {Kind.IntegerLiteralExpression, Kind.IntegerVectorExpression, Kind.UnbasedUnsizedLiteralExpression}
_SIZED = re.compile(r"(\d+)'([bdh])([0-9a-fA-F_]+)")
_BASE = {"b": 2, "d": 10, "h": 16}
_BIT = re.compile(r"(\w+)\[(\d+)\]")


def whole(source: Source, node: Node) -> Iterator[Change]:
    """Yield what can be wrong with all that is assigned or connected."""
    text = source.of(node)
    yield node, "inverted bit", f"({text}) ^ 1'b1"
    for value in ("'0", "'1"):
        if node.kind not in LITERALS:
            yield node, f"tied to {value}", value
    width = source.width(text)
    if width.isdecimal() and int(width) > 1:
        yield node, "inverted top bit", f"{text} ^ ({width}'d1 << {int(width) - 1})"
        if int(width) > 2:
            yield node, "inverted middle bit", f"{text} ^ ({width}'d1 << {int(width) // 2})"
        if re.fullmatch(r"\w+", text) and int(width) <= 16:
            yield node, "rotated", f"{{{text}[0], {text}[{int(width) - 1}:1]}}"


def within(source: Source, node: Node) -> Iterator[Change]:
    """Yield what can be wrong inside of an expression whose value counts at run time."""
    kind = node.kind
    if kind in _OTHER:
        left, right = source.of(node.left), source.of(node.right)
        yield node, "other operator", f"({left}) {_OTHER[kind]} ({right})"
        if kind in _DROP:
            yield node, "operand dropped", left
            yield node, "operand dropped", right
    elif kind in _NEGATE:
        yield node, "negation dropped", source.of(node.operand)
    elif kind in _REDUCE:
        yield node, "other reduction", f"{_REDUCE[kind]}({source.of(node.operand)})"
    elif kind == Kind.ConditionalExpression:
        condition = source.of(node.predicate)
        left, right = source.of(node.left), source.of(node.right)
        yield node, "arms swapped", f"({condition}) ? ({right}) : ({left})"
    elif kind in LITERALS:
        yield from literal(source, node)
    elif kind == Kind.IdentifierSelectName and (bit := _BIT.fullmatch(source.of(node))):
        width = source.width(bit[1])
        for other in (int(bit[2]) - 1, int(bit[2]) + 1):
            if width.isdecimal() and 0 <= other < int(width):
                yield node, "other bit", f"{bit[1]}[{other}]"
    yield from _below(source, node)


def _below(source: Source, node: Node) -> Iterator[Change]:
    """Go down to operands; what a select or a cast has in brackets must stay constant."""
    kind = node.kind
    if kind == Kind.MultipleConcatenationExpression:
        yield from _below(source, node.concatenation)
    elif kind == Kind.ConditionalExpression:
        for part in nodes(node.predicate.conditions):
            yield from within(source, part.expr)
        yield from within(source, node.left)
        yield from within(source, node.right)
    elif kind in (Kind.ConcatenationExpression, Kind.ParenthesizedExpression):
        for part in nodes(node.expressions) if kind == Kind.ConcatenationExpression else [node.expression]:
            yield from within(source, part)
    elif kind in _OTHER:
        yield from within(source, node.left)
        yield from within(source, node.right)
    elif kind in _NEGATE or kind in _REDUCE:
        yield from within(source, node.operand)


def literal(source: Source, node: Node) -> Iterator[Change]:
    """Yield other numbers of the same size."""
    text = source.of(node)
    if text in ("'0", "'1"):
        yield node, "other constant", "'1" if text == "'0" else "'0"
    elif sized := _SIZED.fullmatch(text):
        bits, value = int(sized[1]), int(sized[3].replace("_", ""), _BASE[sized[2]])
        for other in sorted({value ^ 1, value ^ 1 << bits - 1}):
            yield node, "other constant", f"{bits}'h{other:x}"
    elif text.isdecimal():
        for other in sorted(
            {int(text) + 1, max(0, int(text) - 1), int(text) // 2, int(text) * 2} - {int(text)}
        ):
            yield node, "other constant", str(other)
