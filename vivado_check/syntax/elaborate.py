# SPDX-License-Identifier: BSD-3-Clause
"""A design below its top module, as slang elaborates it: what is wrong with it, what fills its memories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyslang
from pyslang import analysis, ast, syntax

from vivado_check.syntax.prepare import prepare
from vivado_check.syntax.reach import idle
from vivado_check.syntax.records import Finding, Memory
from vivado_check.syntax.trees import options

_FOLDER = "/shellgen has no folder of this name"
_SOURCE = re.compile(r"/(\d+)/source\Z")
# What stands between these is no part of the design for synthesis (UG901).
_OFF = re.compile(
    r"//\s*(?:synthesis|synopsys|pragma)\s+translate_off\b.*?"
    r"(?://\s*(?:synthesis|synopsys|pragma)\s+translate_on\b|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_NO_BREAK = re.compile(r"[^\r\n]")
_QUOTED = re.compile(r"'(\S+)'")
_READERS = {"$readmemh", "$readmemb"}
# Off by default, and wanted all the same: they tell of something that is lost.
_WANTED = {
    *("UndrivenNet", "UndrivenPort", "UnassignedVariable", "UnusedNet", "UnusedButSetNet", "UnusedVariable"),
    *("UnconnectedInputPort", "UnconnectedUnnamedPort", "PortWidthTruncate", "PortWidthExpand"),
}
_UNDRIVEN = ("UndrivenNet", "UndrivenPort", "UnassignedVariable", "PartlyDrivenNet", "UnconnectedInputPort")
_FLAGS = analysis.AnalysisFlags.CheckUnused | analysis.AnalysisFlags.AllowDupInitialDrivers
_MOST = 500  # findings; a broken source repeats its fault in every instance
_Kind = ast.SymbolKind


def elaborated(
    sources: Sequence[Sequence[str]],
    headers: Mapping[str, str],
    top: str,
    macros: Sequence[str],
    judge: bool = True,
) -> tuple[tuple[Finding, ...], tuple[Memory, ...], tuple[str, ...]]:
    """Elaborate a design.

    Args:
        sources: Name and text of each file, in the order in which they are compiled.
        headers: Texts that may be included, by base name.
        top: Module at the top.
        macros: Those that are defined beforehand.
        judge: Whether to look for what is wrong, which takes most of the time.

    Returns:
        What slang found, in order of files and lines; calls that fill memories, once for each instance;
        modules that have instances, the top among them: none if there is no such module.
    """
    design = Design(sources, headers, top, macros)
    tops = [instance for instance in design.compilation.getRoot().topInstances if instance.name == top]
    walk = _Walk(design)
    if not judge:
        walk.scope(tops)
        return (), tuple(walk.memories), tuple(sorted(walk.modules))
    design.judge()
    walk.scope(tops)
    findings = [found for found in design.findings() if not walk.is_loose(found)]
    found = _told_idle([*findings, *walk.crowded()], tops, design)
    unique = dict.fromkeys(sorted(found))
    return tuple(unique)[:_MOST], tuple(walk.memories), tuple(sorted(walk.modules))


def _told_idle(findings: Sequence[Finding], tops: Sequence[Any], design: Design) -> list[Finding]:
    """Return findings; an undriven signal has a note whether an output of the design depends on it."""
    undriven = [found for found in findings if found.code in _UNDRIVEN]
    nowhere = idle(tops, design.place) if undriven else set()
    told = {found for found in undriven if (_named(found), found.file, found.line) in nowhere}
    return [found._replace(idle=True) if found in told else found for found in findings]


def _named(finding: Finding) -> str:
    quoted = _QUOTED.search(finding.text)
    return quoted[1] if quoted else ""


class Design:
    """Sources as one compilation, looked through."""

    def __init__(
        self, sources: Sequence[Sequence[str]], headers: Mapping[str, str], top: str, macros: Sequence[str]
    ) -> None:
        self.names = [name for name, _ in sources]
        self.manager = pyslang.SourceManager()
        for name, text in sorted(headers.items()):
            self.manager.assignText(f"{_FOLDER}/{name}", prepare(text, headers).text)
        bag = options(frozenset(macros), top)
        self.compilation = ast.Compilation(bag)
        for number, (_, text) in enumerate(sources):
            seen = _OFF.sub(_blank, text) if "SYNTHESIS" in macros else text
            path = f"{_FOLDER}/{number}/source"
            tree = syntax.SyntaxTree.fromText(prepare(seen, headers).text, self.manager, path, path, bag)
            self.compilation.addSyntaxTree(tree)
        self.diagnostics: list[Any] = []

    def judge(self) -> None:
        """Look for what is wrong."""
        self.diagnostics = list(self.compilation.getAllDiagnostics())
        settings = analysis.AnalysisOptions()
        settings.flags = _FLAGS
        self.analysis = analysis.AnalysisManager(settings)
        self.analysis.analyze(self.compilation)
        self.diagnostics += self.analysis.getDiagnostics()

    def findings(self) -> Iterator[Finding]:
        """Yield what was found, but for matters of taste."""
        engine = pyslang.DiagnosticEngine(self.manager)
        engine.setWarningOptions(["default", "extra"])
        ignored = pyslang.DiagnosticSeverity.Ignored
        for entry in self.diagnostics:
            code = str(entry.code).removeprefix("DiagCode(").removesuffix(")")
            if code in _WANTED or engine.getSeverity(entry.code, entry.location) != ignored:
                file, line = self.place(entry.location)
                yield Finding(file, line, code, engine.formatMessage(entry), entry.isError())

    def place(self, location: Any) -> tuple[str, int]:
        """Return file and line; the header's name if it is in one."""
        if self.manager.isMacroLoc(location):
            location = self.manager.getFullyOriginalLoc(location)
        path, line = str(self.manager.getFileName(location)), self.manager.getLineNumber(location)
        source = _SOURCE.search(path)
        return self.names[int(source[1])] if source else path.rpartition("/")[2], line


@dataclass
class _Walk:
    """Everything below one instance.

    Attributes:
        loose: Names, with their places, that are connected to a module whose ports are not known: they may be
            driven from there.
    """

    design: Design
    memories: list[Memory] = field(default_factory=list)
    nets: list[Any] = field(default_factory=list)
    loose: set[tuple[str, str, int]] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)

    def scope(self, members: Iterable[Any]) -> None:
        for member in members:
            kind = member.kind
            if kind in (_Kind.Instance, _Kind.GenerateBlock):
                self._below(member)
            elif kind in (_Kind.GenerateBlockArray, _Kind.InstanceArray):
                for one in member.entries if kind == _Kind.GenerateBlockArray else member.elements:
                    self._below(one)
            elif kind == _Kind.Net:
                self.nets.append(member)
            elif kind == _Kind.ProceduralBlock and member.procedureKind == ast.ProceduralBlockKind.Initial:
                self._initial(member)
            elif kind == _Kind.UninstantiatedDef:
                for connection in member.portConnections:
                    if isinstance(connection, ast.SimpleAssertionExpr):
                        connection.expr.visit(self._loosen)

    def crowded(self) -> Iterator[Finding]:
        """Yield nets with bits of two drivers, which the language allows and no FPGA has, and of none."""
        for net in self.nets:
            drivers = self.design.analysis.getDrivers(net)
            if not drivers or net.netType.netKind != ast.NetType.NetKind.Wire:
                continue
            last, double, open_ = -1, None, None
            for start, end in sorted(driver.bounds for driver in drivers):
                double = start if double is None and start <= last else double
                open_ = last + 1 if open_ is None and start > last + 1 else open_
                last = max(last, end)
            if last + 1 < net.type.bitWidth:
                open_ = last + 1 if open_ is None else open_
            if double is None and open_ is None:
                continue
            here = (net.name, *self.design.place(net.location))
            if double is not None:
                text = f"net '{net.name}' has two drivers at bit {double}"
                yield Finding(*here[1:], "MultipleNetDrivers", text, False)
            if open_ is not None and here not in self.loose:
                yield Finding(
                    *here[1:], "PartlyDrivenNet", f"net '{net.name}' has no driver at bit {open_}", False
                )

    def is_loose(self, finding: Finding) -> bool:
        """Tell whether something that seems to have no driver may have one."""
        place = (_named(finding), finding.file, finding.line)
        return finding.code in ("UndrivenNet", "UnassignedVariable") and place in self.loose

    def _below(self, member: Any) -> None:
        if member.kind == _Kind.Instance:
            self.modules.add(member.definition.name)
            self.scope(member.body)
        elif member.kind == _Kind.GenerateBlock and not member.isUninstantiated:
            self.scope(member)

    def _loosen(self, node: Any) -> None:
        symbol = getattr(node, "symbol", None)
        if symbol is not None:
            self.loose.add((symbol.name, *self.design.place(symbol.location)))

    def _initial(self, block: Any) -> None:
        def look(node: Any) -> ast.VisitAction:
            if isinstance(node, ast.ConditionalStatement):
                taken = self._taken(node, block)
                if taken is not node:
                    if taken is not None:
                        taken.visit(look)
                    return ast.VisitAction.Skip
            if isinstance(node, ast.CallExpression) and node.subroutineName in _READERS:
                self.memories.append(self._memory(node, block))
            return ast.VisitAction.Advance

        block.body.visit(look)

    def _taken(self, choice: Any, block: Any) -> Any:
        """Return the branch that is taken, None for none; the statement itself if that is not constant."""
        if len(choice.conditions) != 1 or choice.conditions[0].pattern is not None:
            return choice
        value = choice.conditions[0].expr.eval(_evaluation(block))
        if not value:
            return choice
        return choice.ifTrue if value.isTrue() else choice.ifFalse

    def _memory(self, call: Any, block: Any) -> Memory:
        name, target = call.arguments[:2]
        target = getattr(target, "left", target)
        value = name.eval(_evaluation(block)).convertToStr().value
        type_ = target.type.canonicalType
        words = bits = 0
        # With an address to begin or end at, the file is not as long as the memory.
        if type_.kind == _Kind.FixedSizeUnpackedArrayType and len(call.arguments) == 2:
            words, bits = type_.fixedRange.width, type_.elementType.bitWidth
        file, line = self.design.place(call.sourceRange.start)
        symbol = getattr(target, "symbol", None)
        where = symbol.hierarchicalPath if symbol is not None else block.hierarchicalPath.rstrip(".")
        base = 16 if call.subroutineName == "$readmemh" else 2
        return Memory(file, line, where, value if isinstance(value, str) else "", words, bits, base)


def _blank(match: re.Match[str]) -> str:
    return _NO_BREAK.sub(" ", match[0])


def _evaluation(block: Any) -> Any:
    return ast.EvalContext(ast.ASTContext(block.parentScope, ast.LookupLocation.max))
