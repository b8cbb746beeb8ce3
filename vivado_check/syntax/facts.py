# SPDX-License-Identifier: BSD-3-Clause
"""Facts from the trees of a text: definitions, uses of global names, strings and their context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vivado_check.syntax.choices import inside, passes
from vivado_check.syntax.prepare import Prepared, only_bodies, prepare, promised
from vivado_check.syntax.records import Facts, Given, Literal, Role, Unit, Use
from vivado_check.syntax.trees import Kind, Node, Token, TokenKind, Tree
from vivado_check.syntax.values import beside, string

_UNITS = {
    Kind.ModuleDeclaration,
    Kind.PackageDeclaration,
    Kind.InterfaceDeclaration,
    Kind.ProgramDeclaration,
    Kind.UdpDeclaration,
}
_NAME = TokenKind.Identifier
_CHOICES = {Kind.IfGenerate, Kind.CaseGenerate, Kind.LoopGenerate}


def facts_of(text: str, headers: Mapping[str, str]) -> Facts:
    """Return what a text tells, in whatever branch of an ``ifdef`` and body of a macro it stands.

    Args:
        text: As it was read.
        headers: Texts of what it may include, by base name.
    """
    prepared = prepare(text, headers)
    around = {name: prepare(header, headers) for name, header in headers.items()}
    included = {name: header.text for name, header in around.items()}
    outside = frozenset(
        step.name for header in around.values() for step in header.steps if step.what == "define"
    )
    trees = [Tree(prepared.text, included, macros) for macros in passes(prepared.steps, outside)]
    bodies = only_bodies(prepared)
    finders = [_Finder(tree, prepared) for tree in trees]
    if bodies:
        finders.append(_Finder(Tree(bodies, {}), prepared))
    faults = [tree.faults for tree in trees]
    uses = {use for finder in finders for use in finder.uses}
    lost = promised(prepared) - {use.name for use in uses} if any(faults) else ()
    return Facts(
        _units(finder.units for finder in finders),
        tuple(sorted(uses, key=lambda use: use.start)),
        _literals(finders),
        max(faults, key=len) if lost or all(faults) else (),
        tuple(sorted(lost)),
        prepared.protected,
    )


def lists_of(text: str, headers: Mapping[str, str]) -> tuple[Given, ...]:
    """Return the lists of parameters of a text, of units and of instances, as tools see it without macros."""
    included = {name: prepare(header, headers).text for name, header in headers.items()}
    tree = Tree(prepare(text, headers).text, included)
    found: list[Given] = []

    def take(node: Node) -> None:
        numbers, texts = beside(node)
        if numbers or texts:
            found.append(Given(_unit(node), numbers, texts))

    tree.visit(dict.fromkeys((Kind.ParameterValueAssignment, Kind.ParameterPortList, *_UNITS), take))
    return tuple(found)


def _units(found: Iterator[list[Unit]]) -> tuple[Unit, ...]:
    """Make one of the same unit in several passes: all of its heads, and its end."""
    units: dict[str, Unit] = {}
    for unit in (unit for units in found for unit in units):
        known = units.get(unit.name, unit)
        units[unit.name] = known._replace(start=min(known.start, unit.start), end=max(known.end, unit.end))
    return tuple(sorted(units.values(), key=lambda unit: unit.start))


def _literals(finders: list[_Finder]) -> tuple[Literal, ...]:
    """Make one of the same string in several passes; where it is a path once, it is one."""
    found: dict[int, Literal] = {}
    for literal in (literal for finder in finders for literal in finder.literals):
        known = found.get(literal.start)
        if known is None or (literal.whole and not known.whole):
            found[literal.start] = literal
    return tuple(found[start] for start in sorted(found))


class _Finder:
    """Goes through one tree."""

    def __init__(self, tree: Tree, prepared: Prepared) -> None:
        self.units: list[Unit] = []
        self.uses: list[Use] = []
        self.literals: list[Literal] = []
        self._tree = tree
        self._prepared = prepared
        self._unsure: dict[str, list[tuple[int, int]]] = {}
        handlers = dict.fromkeys(_UNITS, self._define)
        handlers |= {
            Kind.ExternModuleDecl: self._extern,
            Kind.HierarchyInstantiation: self._instance,
            Kind.PrimitiveInstantiation: self._instance,
            Kind.PackageImportItem: self._import,
            Kind.ScopedName: self._scope,
            Kind.InterfacePortHeader: self._interface,
            Kind.VirtualInterfaceType: self._interface,
            Kind.VariablePortHeader: self._interface,
            Kind.BindDirective: self._bind,
            Kind.StringLiteralExpression: self._string,
        }
        tree.visit(handlers)

    def _define(self, node: Node) -> None:
        head = _head(node)
        label = node.endBlockName if node.kind == Kind.UdpDeclaration else node.blockName
        outer = _unit(node.parent)
        name = head.name
        if not name.valueText:
            return
        if outer:  # a nested module is known inside only
            self._use(name, outer, "definition")
            return
        word = head.primitive if node.kind == Kind.UdpDeclaration else head.moduleKeyword
        begin, last = self._tree.place(word), self._tree.place(node.getLastToken())
        start = max(begin[0], 0)
        end = last[1] if last[1] > 0 else len(self._tree.text)
        self.units.append(Unit(word.rawText, name.valueText, start, end))
        self._unsure[name.valueText] = inside(self._prepared.steps, start)
        self._use(name, name.valueText, "definition")
        if label is not None:
            self._use(label.name, name.valueText, "definition")

    def _extern(self, node: Node) -> None:
        self._use(node.header.name, "", "definition")

    def _instance(self, node: Node) -> None:
        self._use(node.type, _unit(node), "instance", _is_chosen(node))

    def _import(self, node: Node) -> None:
        self._use(node.package, _unit(node), "package")

    def _scope(self, node: Node) -> None:
        if node.separator.rawText == "::" and node.left.kind == Kind.IdentifierName:
            self._use(node.left.identifier, _unit(node), "package")

    def _interface(self, node: Node) -> None:
        if node.kind == Kind.VirtualInterfaceType:
            self._use(node.name, _unit(node), "interface")
        elif node.kind == Kind.InterfacePortHeader:
            self._use(node.nameOrKeyword, _unit(node), "interface")
        elif node.dataType.kind == Kind.NamedType and node.dataType.name.kind == Kind.IdentifierName:
            self._use(node.dataType.name.identifier, _unit(node), "interface")  # or a type; only names tell

    def _bind(self, node: Node) -> None:
        if node.target.kind == Kind.IdentifierName:
            self._use(node.target.identifier, _unit(node), "instance", True)

    def _use(self, token: Token, unit: str, role: Role, chosen: bool = False) -> None:
        name = token.valueText
        if token.kind != _NAME or not name:
            return
        start, end = self._tree.place(token)
        sure = not chosen and not any(a <= start < b for a, b in self._unsure.get(unit, ()))
        self.uses.append(Use(name, start, end, unit, role, sure))

    def _string(self, node: Node) -> None:
        start, end = self._tree.place(node.literal)
        if start >= 0:
            parameter, whole, around = string(node)
            numbers, texts = beside(around) if around is not None else ({}, {})
            self.literals.append(Literal(start, end, whole, parameter, numbers, texts))


def _is_chosen(node: Node) -> bool:
    """Whether a generate construct decides about it, or repeats it."""
    while node is not None and node.kind not in _UNITS:
        if node.kind in _CHOICES:
            return True
        node = node.parent
    return False


def _head(unit: Node) -> Node:
    """Return the node that has the name of a unit."""
    return unit if unit.kind == Kind.UdpDeclaration else unit.header


def _unit(node: Node | None) -> str:
    """Return the global unit around a node, or an empty string."""
    name = ""
    while node is not None:
        if node.kind in _UNITS:
            name = _head(node).name.valueText
        node = node.parent
    return name
