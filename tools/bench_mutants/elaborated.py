# SPDX-License-Identifier: BSD-3-Clause
"""Elaborated parts of the sources: a mutant in a branch that is never generated does not count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

import pyslang
from pyslang import ast, syntax

from tools.bench_mutants.verilog import Node

Span = tuple[int, int]


def compiled(texts: Mapping[str, str], top: str) -> tuple[Node, dict[Node, str]]:
    """Return a design as slang has it, and the name of each of its sources by slang's buffer.

    Args:
        texts: All sources, by name.
        top: Top module.
    """
    options = ast.CompilationOptions()
    options.topModules = {top}
    bag = pyslang.Bag()
    bag.compilationOptions = options
    compilation = ast.Compilation(bag)
    sources = pyslang.SourceManager()
    names = {}
    for name, text in texts.items():
        tree = syntax.SyntaxTree.fromText(text, sources, name, name)
        names[tree.root.getFirstToken().location.buffer] = name
        compilation.addSyntaxTree(tree)
    return compilation, names


def live(texts: Mapping[str, str], top: str) -> Callable[[str, int], bool]:
    """Elaborate a design.

    Args:
        texts: All sources, by name.
        top: Top module.

    Returns:
        Whether the character of this offset in this file is in a module and in generate blocks that exist.
    """
    compilation, names = compiled(texts, top)
    there: dict[str, set[Span]] = defaultdict(set)
    absent: dict[str, set[Span]] = defaultdict(set)

    def visit(symbol: Node) -> None:
        block = isinstance(symbol, ast.GenerateBlockSymbol)
        if not (block or isinstance(symbol, ast.InstanceBodySymbol)) or symbol.syntax is None:
            return
        span = symbol.syntax.sourceRange
        place = (span.start.offset, span.end.offset)
        missing = block and symbol.isUninstantiated
        (absent if missing else there)[names[span.start.buffer]].add(place)

    compilation.getRoot().visit(visit)

    def holds(name: str, offset: int) -> bool:
        inside = any(start <= offset < end for start, end in there[name])
        return inside and not any(start <= offset < end for start, end in absent[name] - there[name])

    return holds
