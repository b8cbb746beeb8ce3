# SPDX-License-Identifier: BSD-3-Clause
"""The mutants of a file: every place where one thing can be wrong, found by the tree alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tools.bench_mutants.operators import LITERALS, Change, literal, whole, within
from tools.bench_mutants.verilog import Kind, Node, Source, nodes, walk

Directions = Mapping[str, Mapping[str, str]]
_ASSIGNMENTS = {Kind.AssignmentExpression, Kind.NonblockingAssignmentExpression}
# Of these only one part is computed at run time.
_BODY = {
    Kind.StandardCaseItem: "clause",
    Kind.LoopGenerate: "block",
    Kind.ForLoopStatement: "statement",
    Kind.TimingControlStatement: "statement",
}


@dataclass(frozen=True)
class Edit:
    """A text in the place of an expression.

    Attributes:
        start: Offset of the expression.
        end: Offset behind it.
        text: What the mutant has there. In the place of an output's net, a value made of ``mut_<offset>``,
            the outputs of the same instance.
        output: It is connected to an output.
    """

    start: int
    end: int
    text: str
    output: bool = False


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    Attributes:
        file: Where.
        line: Counted from 1.
        kind: What is wrong, in two or three words.
        before: The text there.
        after: The text of the mutant.
        edits: Where it differs.
        fixed: It is in a constant, and cannot be chosen at run time.
        nth: Of those of its line that are written alike, from 1.
    """

    file: str
    line: int
    kind: str
    before: str
    after: str
    edits: tuple[Edit, ...]
    fixed: bool = False
    nth: int = 1

    @property
    def name(self) -> str:
        """Say which one, without blanks that do not count."""
        before, after = (" ".join(text.split()) for text in (self.before, self.after))
        which = f" ({self.nth})" if self.nth > 1 else ""
        return f"{self.file}:{self.line}: {self.kind}: {before} -> {after}{which}"


def find(file: str, source: Source, directions: Directions) -> list[Mutant]:
    """Return the mutants of a file, in the order of its text.

    Args:
        file: Name for people.
        source: What is in it.
        directions: Of the ports of all modules.
    """
    found: dict[str, Mutant] = {}
    for mutant in _find(file, source, directions):
        found.setdefault(f"{mutant.name} {mutant.edits}", mutant)
    return list(found.values())


def _find(file: str, source: Source, directions: Directions) -> Iterator[Mutant]:
    for change in _values(source, source.root):
        yield _mutant(file, source, change)
    for node in walk(source.root):
        if node.kind == Kind.HierarchyInstantiation:
            yield from _instance(file, source, node, directions.get(node.type.valueText, {}))
        elif node.kind in (Kind.ParameterDeclarationStatement, Kind.FunctionDeclaration):
            for change in _constants(source, node):
                yield _mutant(file, source, change, fixed=True)


def _mutant(file: str, source: Source, change: Change, *, fixed: bool = False) -> Mutant:
    node, kind, text = change
    edit = Edit(node.sourceRange.start.offset, node.sourceRange.end.offset, text)
    return Mutant(file, _line(source, edit.start), kind, source.of(node), text, (edit,), fixed)


def _line(source: Source, offset: int) -> int:
    return source.text.count("\n", 0, offset) + 1


def _values(source: Source, node: Node) -> Iterator[Change]:
    """Go to every value that is computed at run time."""
    kind = node.kind
    if kind in (
        Kind.FunctionDeclaration,
        Kind.InitialBlock,
        Kind.HierarchyInstantiation,
        Kind.DataDeclaration,
    ):
        return
    if kind in _ASSIGNMENTS:
        yield from whole(source, node.right)
        yield from within(source, node.right)
        if kind == Kind.NonblockingAssignmentExpression:
            yield node.right, "state stuck", source.of(node.left)
    elif kind == Kind.NetDeclaration:
        for one in nodes(node.declarators):
            if one.initializer and "unused" not in one.name.valueText:
                yield from whole(source, one.initializer.expr)
                yield from within(source, one.initializer.expr)
    elif kind in (Kind.ConditionalStatement, Kind.CaseStatement):
        yield from _choice(source, node)
    else:
        body = _BODY.get(kind)
        for child in [getattr(node, body)] if body else nodes(node):
            yield from _values(source, child)


def _choice(source: Source, node: Node) -> Iterator[Change]:
    if node.kind == Kind.CaseStatement:
        yield from within(source, node.expr)
        yield node.expr, "inverted bit", f"({source.of(node.expr)}) ^ 1'b1"
        for item in nodes(node.items):
            yield from _values(source, item)
        return
    for one in nodes(node.predicate.conditions):
        text = source.of(one.expr)
        yield one.expr, "condition negated", f"!({text})"
        yield one.expr, "always", "1'b1"
        yield one.expr, "never", "1'b0"
        yield from within(source, one.expr)
    yield from _values(source, node.statement)
    if node.elseClause:
        yield from _values(source, node.elseClause)


def _constants(source: Source, node: Node) -> Iterator[Change]:
    """Yield other numbers in what is computed before the time begins."""
    for one in walk(node):
        if one.kind in LITERALS:
            yield from literal(source, one)


def _instance(file: str, source: Source, node: Node, ports: Mapping[str, str]) -> Iterator[Mutant]:
    if node.type.valueText == "parameter_error" or not ports:
        return
    if node.parameters:
        for change in _constants(source, node.parameters):
            yield _mutant(file, source, change, fixed=True)
    for instance in nodes(node.instances):
        links = [one for one in nodes(instance.connections) if getattr(one, "expr", None) is not None]
        sides = {"input": [], "output": []}  # type: dict[str, list[Node]]
        for link in links:
            name = link.name.valueText
            if name in ports and "unused" not in source.of(link.expr):
                sides[ports[name]].append(link)
        for link in sides["input"]:
            for change in _input(source, link.expr):
                yield _mutant(file, source, change)
        for link in sides["output"]:
            yield from _output(file, source, link)
        for direction, there in sides.items():
            yield from _crossed(file, source, there, output=direction == "output")


def _inner(node: Node) -> Node:
    """Return the expression of a connection, which slang keeps as one of a sequence."""
    while node.kind in (Kind.SimplePropertyExpr, Kind.SimpleSequenceExpr):
        node = node.expr
    return node


def _input(source: Source, node: Node) -> Iterator[Change]:
    expression = _inner(node)
    yield from whole(source, expression)
    yield from within(source, expression)


def _output(file: str, source: Source, link: Node) -> Iterator[Mutant]:
    expression = _inner(link.expr)
    width = source.width(source.of(expression))
    if not width or "?" in width:
        return
    wire = f"mut_{expression.sourceRange.start.offset}"
    changes = [("inverted bit", f"{wire} ^ 1'b1"), ("tied to '0", "'0"), ("tied to '1", "'1")]
    if width.isdecimal() and int(width) > 1:
        changes.append(("inverted top bit", f"{wire} ^ ({width}'d1 << {int(width) - 1})"))
        changes.append(("rotated", f"{{{wire}[0], {wire}[{int(width) - 1}:1]}}"))
    for kind, text in changes:
        edit = Edit(expression.sourceRange.start.offset, expression.sourceRange.end.offset, text, output=True)
        before = f".{link.name.valueText}({source.of(expression)})"
        yield Mutant(file, _line(source, edit.start), kind, before, text.replace(wire, "it"), (edit,))


def _crossed(file: str, source: Source, links: list[Node], *, output: bool) -> Iterator[Mutant]:
    """Yield what becomes of two connections of the same width that are swapped; neighbours, and one apart."""
    for apart in (1, 2):
        for one, two in zip(links, links[apart:], strict=False):
            first, second = _inner(one.expr), _inner(two.expr)
            texts = source.of(first), source.of(second)
            widths = [source.width(text) for text in texts]
            if not widths[0] or "?" in widths[0] or widths[0] != widths[1] or texts[0] == texts[1]:
                continue
            starts = [node.sourceRange.start.offset for node in (first, second)]
            ends = [node.sourceRange.end.offset for node in (first, second)]
            values = [f"mut_{start}" for start in starts] if output else list(texts)
            edits = tuple(
                Edit(start, end, value, output)
                for start, end, value in zip(starts, ends, reversed(values), strict=True)
            )
            before = f".{one.name.valueText}({texts[0]}), .{two.name.valueText}({texts[1]})"
            yield Mutant(
                file, _line(source, starts[0]), "crossed", before, "each in the other's place", edits
            )
