# SPDX-License-Identifier: BSD-3-Clause
"""A Verilog text with what its syntax trees tell, and exact edits of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from shellgen.errors import InputError, Problem
from shellgen.read.moved import moved
from shellgen.read.words import Words
from vivado_check.formats.files import file_bytes
from vivado_check.formats.looks import size_of
from vivado_check.syntax import Facts, Given, Literal, Unit, Use, read_facts, read_includes, read_lists

MadeT = TypeVar("MadeT")
# Ten times what the largest netlists of public builds have, and what `vivado_check.syntax` allows.
_MOST_BYTES = 32 << 20
# Characters of a text whose words are kept for the next partition: modules of FINN's library are in each.
_SHORT = 1 << 13
_MOST_KNOWN = 4096  # texts whose definitions are kept
# Faults of a text that a tool carries into the next one, in slang's words.
_LEFT_OPEN = ("missing `endif", "unexpected conditional directive", "block comment unclosed")


class Spot(NamedTuple):
    """A place in a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last.
    """

    start: int
    end: int


def read_text(path: Path) -> str:
    """Return the text of a Verilog file; `encoded` makes the very bytes of it again, whatever they are.

    Raises:
        InputError: It is too large for any source, or no text.
    """
    remedy = "Copy the file of the build again"
    if (size := size_of(path)) > _MOST_BYTES:
        found = f"it has {size >> 20} MiB, and no source of a build more than {_MOST_BYTES >> 20}"
        raise InputError(Problem(str(path), found, remedy))
    content = file_bytes(path)
    if (zero := content.find(b"\0")) >= 0:
        line = content.count(b"\n", 0, zero) + 1
        raise InputError(Problem(f"{path}:{line}", "it contains a zero byte, so it is not Verilog", remedy))
    return decoded(content)


def decoded(content: bytes) -> str:
    """Return bytes as a text; those that are not UTF-8 survive."""
    return content.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes of a text that `decoded` made."""
    return text.encode("utf-8", "surrogateescape")


class Definitions:
    """Names that files with one text define and use.

    Attributes:
        facts: From syntax trees.
        made: What others have made of the facts, by name.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.made: dict[str, Any] = {}
        self.units = {unit.name: unit for unit in facts.units}
        self.defined = frozenset(self.units)
        self.packages = frozenset(name for name, unit in self.units.items() if unit.kind == "package")
        uses = [use for use in facts.uses if use.role != "definition"]
        self.used = frozenset(use.name for use in uses)
        by_unit: dict[str, set[str]] = {}
        for use in uses:
            by_unit.setdefault(use.unit, set()).add(use.name)
        self.used_by = {unit: frozenset(names) for unit, names in by_unit.items()}


class Verilog:
    """One Verilog or SystemVerilog text.

    Attributes:
        text: The whole text.
        where: File that errors name.
        headers: Texts that may be included, by base name.
    """

    def __init__(self, text: str, where: str = "Verilog", headers: Mapping[str, str] | None = None) -> None:
        self.text = text
        self.where = where
        self._headers = headers or {}

    @cached_property
    def _definitions(self) -> Definitions:
        try:
            found = _definitions(self.text, tuple(sorted(self.headers.items())))
        except InputError as error:
            raise InputError(*(replace(problem, where=self.where) for problem in error.problems)) from None
        facts = found.facts
        first = next((fault for fault in facts.faults if fault.found.startswith(_LEFT_OPEN)), None)
        said = f"{first.found}, so that the files after it would be read wrongly" if first else ""
        if facts.lost and facts.faults:
            first = facts.faults[0]
            said = f"{first.found}, so that module {facts.lost[0]} cannot be read"
        if first:
            where = f"{self.where}:{self.line(first.start)}"
            raise InputError(Problem(where, said, "Copy the file of the build again"))
        return found

    @property
    def facts(self) -> Facts:
        """Facts from its syntax trees.

        Raises:
            InputError: It cannot be read within bounds of time, memory and nesting, or has an error because
                of which nobody can tell what it defines.
        """
        return self._definitions.facts

    def kept(self, name: str, make: Callable[[], MadeT]) -> MadeT:
        """Return what follows from its facts alone: one object for all files with this text.

        Args:
            name: Of what follows; always made alike.
            make: Makes it.
        """
        known = self._definitions.made
        if name not in known:
            known[name] = make()
        found: MadeT = known[name]
        return found

    @cached_property
    def headers(self) -> dict[str, str]:
        """Texts of the headers that it includes, and that those include."""
        found: dict[str, str] = {}
        pending = list(self.included)
        while pending:
            name = pending.pop()
            if name in self._headers and name not in found:
                found[name] = self._headers[name]
                pending += Verilog(found[name], name).included
        return found

    @cached_property
    def _includes(self) -> tuple[Spot, ...]:
        if "`include" not in self.text:
            return ()
        return tuple(Spot(*place) for place in _include_places(self.text, self.where))

    @property
    def included(self) -> tuple[str, ...]:
        """Base names of the files that it includes, itself."""
        return tuple(base_name(self.text[start + 1 : end - 1]) for start, end in self._includes)

    @property
    def protected(self) -> bool:
        """Whether a part of it is encrypted."""
        return "protected" in self.text and self.facts.protected

    @property
    def units(self) -> dict[str, Unit]:
        """Modules, packages, interfaces, programs and primitives that it defines, by name."""
        return self._definitions.units

    @property
    def defined(self) -> frozenset[str]:
        """Names that this text defines."""
        return self._definitions.defined

    @property
    def packages(self) -> frozenset[str]:
        """Names of the packages that this text defines."""
        return self._definitions.packages

    @property
    def used(self) -> frozenset[str]:
        """Names of modules, packages and interfaces that it uses, wherever they are defined."""
        return self._definitions.used

    def used_by(self, unit: str) -> frozenset[str]:
        """Return the names that one of its definitions uses."""
        return self._definitions.used_by.get(unit, frozenset())

    def instances(self, unit: str) -> tuple[Use, ...]:
        """Return what one of its definitions instantiates, in order."""
        inner = {use.name for use in self.facts.uses if use.unit == unit and use.role == "definition"}
        return tuple(
            use
            for use in self.facts.uses
            if use.unit == unit and use.role == "instance" and use.name not in inner - {unit}
        )

    @property
    def literals(self) -> tuple[Literal, ...]:
        """Its strings, in order."""
        return self.facts.literals if '"' in self.text else ()

    def literal(self, literal: Literal) -> str:
        """Return what stands between the quotes."""
        return self.text[literal.start + 1 : literal.end - 1]

    @cached_property
    def lists(self) -> tuple[Given, ...]:
        """The lists of parameters that its units have and its instances get."""
        return read_lists(self.text, self.headers, self.where)

    @cached_property
    def words(self) -> Words:
        """Words of code in all branches of its ``ifdef``, in order."""
        return _words_of(self.text)

    def words_in(self, name: str) -> Words:
        """Return the words of one definition."""
        unit = self.units[name]
        return _words_of(self.text[unit.start : unit.end])

    def renamed(self, names: Mapping[str, str], headers: Mapping[str, str]) -> str:
        """Return the text with definitions, uses and included headers renamed; all else is untouched.

        Raises:
            InputError: A macro puts such a name together.
        """
        edits: list[tuple[Spot, str]] = []
        for use in self.facts.uses:
            if use.name not in names or use.start == -1:
                continue
            if use.start < 0:
                found = (
                    f"a macro assembles the name {use.name}, and another partition has a different {use.name}"
                )
                raise InputError(Problem(self.where, found, "Write the name out where it is used"))
            escape = "\\" if self.text[use.start] == "\\" else ""
            edits.append((Spot(use.start, use.end), f"{escape}{names[use.name]}"))
        for place in self._includes:
            name = base_name(self.text[place.start + 1 : place.end - 1])
            if name in headers:
                edits.append((place, f'"{headers[name]}"'))
        return self.edited(edits)

    def edited(self, edits: Sequence[tuple[Spot, str]]) -> str:
        """Return the text with each of these places replaced, once."""
        pieces: list[str] = []
        done = 0
        for (start, end), new in sorted(set(edits)):
            pieces += (self.text[done:start], new)
            done = end
        return "".join((*pieces, self.text[done:]))

    def with_strings(self, edits: Sequence[tuple[Literal, str]]) -> str:
        """Return the text with other words between the quotes of some of its strings."""
        text = self.edited([(Spot(one.start, one.end), f'"{new}"') for one, new in edits])
        if not self.headers and (facts := moved(self.facts, edits)):
            _remember((text, ()), Definitions(facts))
        return text

    def line(self, start: int) -> int:
        """Return the line number of an offset, from 1."""
        return self.text.count("\n", 0, max(start, 0)) + 1


def base_name(path: str) -> str:
    """Return the name of a file without its folders, whichever slash divides them."""
    return re.split(r"[/\\]", path)[-1]


def _words_of(text: str) -> Words:
    return _short_words(text) if len(text) <= _SHORT else Words(text)


@lru_cache(maxsize=64)
def _short_words(text: str) -> Words:
    return Words(text)


_Key = tuple[str, tuple[tuple[str, str], ...]]  # a text, and the headers that it includes
_known: dict[_Key, Definitions] = {}


def _definitions(text: str, headers: tuple[tuple[str, str], ...]) -> Definitions:
    key = text, headers
    if key not in _known:
        _remember(key, Definitions(read_facts(text, dict(headers), "")))
    return _known[key]


def _remember(key: _Key, found: Definitions) -> None:
    _known[key] = found
    if len(_known) > _MOST_KNOWN:
        _known.pop(next(iter(_known)))


@lru_cache(maxsize=4096)
def _include_places(text: str, where: str) -> tuple[tuple[int, int], ...]:
    return read_includes(text, where)
