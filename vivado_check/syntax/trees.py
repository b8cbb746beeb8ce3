# SPDX-License-Identifier: BSD-3-Clause
"""One parse of a text by slang: a tree, and the place that each of its tokens has in the text.

No file is opened: what a text includes is handed over, and lies in a folder that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

import pyslang
from pyslang import parsing, syntax

from vivado_check.syntax.records import Fault

Kind = syntax.SyntaxKind
Node: TypeAlias = Any  # a `syntax.SyntaxNode`; what it has follows from its kind, which no type tells
Token = parsing.Token
TokenKind = parsing.TokenKind
_FOLDER = "/shellgen has no folder of this name"
_NAME = f"{_FOLDER}/the source"
# Ten times slang's own limit, since HLS nests deeply; the stack of `syntax/worker.py` is made for it.
_DEPTH = 10_000
_TOO_DEEP = "DiagCode(ParseTreeTooDeep)"
_INCLUDES = 8  # of each other; a header that includes itself would be read without end
_FAULTS = 5
# A token of a header has its place there; what a macro puts together has none.
ELSEWHERE, NOWHERE = (-1, -1), (-2, -2)


class NestingError(Exception):
    """The text is nested more deeply than a tree may be."""


class Tree:
    """A text under some macros.

    Attributes:
        text: As `prepare` makes it.
        root: Top of the tree.
        tree: For a compilation.
    """

    def __init__(self, text: str, headers: Mapping[str, str], macros: frozenset[str] = frozenset()) -> None:
        self.text = text
        self._sources = pyslang.SourceManager()
        for name, content in sorted(headers.items()):
            self._sources.assignText(f"{_FOLDER}/{name}", content)
        self._options = options(macros)
        self.tree = syntax.SyntaxTree.fromText(text, self._sources, "source", _NAME, self._options)
        self.root = self.tree.root
        self._buffer = self.root.getLastToken().location.buffer

    def beside(self, text: str, number: int) -> syntax.SyntaxTree:
        """Return the tree of another text of the same compilation, which is known by a number."""
        return syntax.SyntaxTree.fromText(text, self._sources, "other", f"{_NAME} {number}", self._options)

    def visit(self, handlers: Mapping[syntax.SyntaxKind, Callable[[Node], None]]) -> None:
        """Call a function for each node of its kind, parents first."""
        self.root.visit(lookup_table=dict(handlers))

    def place(self, token: Token) -> tuple[int, int]:
        """Return the place of a token in the text, if only in a macro; else `ELSEWHERE` or `NOWHERE`."""
        location = token.location
        if self._sources.isMacroLoc(location):
            location = self._sources.getFullyOriginalLoc(location)
        raw = token.rawText
        start = location.offset
        end = start + len(raw)
        if location.buffer == self._buffer:
            return (start, end) if raw and self.text[start:end] == raw else NOWHERE
        return ELSEWHERE if self._sources.getSourceText(location.buffer)[start:end] == raw else NOWHERE

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """The first syntax errors.

        Raises:
            NestingError: What is nested too deeply is not in the tree.
        """
        engine = pyslang.DiagnosticEngine(self._sources)
        found: list[Fault] = []
        for diagnostic in self.tree.diagnostics:
            if str(diagnostic.code) == _TOO_DEEP:
                raise NestingError
            if diagnostic.isError() and len(found) < _FAULTS:
                location = self._sources.getFullyExpandedLoc(diagnostic.location)
                start = location.offset if location.buffer == self._buffer else 0
                found.append(Fault(start, engine.formatMessage(diagnostic)))
        return tuple(found)


def options(macros: frozenset[str] = frozenset(), top: str | None = None) -> pyslang.Bag:
    """Return slang's options: macros that are defined beforehand, and the module that is looked into."""
    bag = pyslang.Bag()
    preprocessor = parsing.PreprocessorOptions()
    preprocessor.predefines = sorted(macros)
    preprocessor.maxIncludeDepth = _INCLUDES
    lexer, parser = parsing.LexerOptions(), parsing.ParserOptions()
    for part in (lexer, preprocessor, parser):
        part.languageVersion = pyslang.LanguageVersion.v1800_2023
    parser.maxRecursionDepth = _DEPTH
    bag.lexerOptions, bag.preprocessorOptions, bag.parserOptions = lexer, preprocessor, parser
    if top is not None:
        compilation = pyslang.ast.CompilationOptions()
        compilation.topModules = {top}
        bag.compilationOptions = compilation
    return bag
