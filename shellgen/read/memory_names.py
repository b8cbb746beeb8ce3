# SPDX-License-Identifier: BSD-3-Clause
"""The files that a ``$readmemh`` opens: the value of its file name expression.

FINN puts names together, ``{MEM_INIT, "memblock_synth_", idx + 8'd48, ".dat"}`` or
``$sformatf("%sthreshs_%0d_%0d.dat", THRESHOLDS_PATH, pe, stage)``, and the prefix comes from an instance,
through one or two wrappers. Numbers stay open: the existing files determine them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from shellgen.read.hierarchy import Words, default, instances, split
from shellgen.read.verilog import Verilog

READERS = frozenset({"$readmemh", "$readmemb"})
_MARKS = {"`ifdef", "`ifndef", "`elsif", "`else", "`endif"}
_MACROS = {"`define", "`undef"}
_FORMAT = re.compile(r"%-?\d*[a-zA-Z]")
_DEPTH = 8  # wrappers around wrappers, more than any build has
# A part of a name that only elaboration knows.
OPEN = None
Name = tuple[str | None, ...]


class Arm(NamedTuple):
    """One branch of a conditional: which conditional, which of its branches, and what it asks for."""

    block: int
    number: int
    needs: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Call:
    """A ``$readmemh``.

    Attributes:
        module: Module that contains it.
        at: Offset of its first character.
        name: Words of its first argument.
        target: The memory that it fills.
        arms: Conditionals around it, outermost first.
    """

    module: str
    at: int
    name: Words
    target: str
    arms: tuple[Arm, ...]

    def seen_with(self, macros: Mapping[str, bool]) -> bool:
        """Whether it can be compiled where these macros are defined or not; any other may be either."""
        needs = [need for arm in self.arms for need in arm.needs]
        return all(macros.get(macro, wanted) == wanted for macro, wanted in needs)


def calls(verilog: Verilog) -> Iterator[Call]:
    """Yield every ``$readmemh`` of a text with the enclosing conditionals.

    No tool reads what its own macros leave out: those that are defined outside of all conditionals before it.
    """
    if "$readmem" not in verilog.text:
        return
    words = verilog.words
    code, places = words.code, words.places
    owners = sorted((unit.start, unit.end, unit.name) for unit in verilog.units.values())
    stack: list[Arm] = []
    own: dict[str, bool] = {}
    told = [(at, word) for word in (_MARKS | _MACROS | READERS) & places.keys() for at in places[word]]
    for at, word in sorted(told):
        if word in _MARKS:
            _step(stack, at, word, code[at + 1 : at + 2])
        elif word in _MACROS:
            own.update({macro: word == "`define" for macro in code[at + 1 : at + 2] if not stack})
        elif word in READERS and code[at + 1 : at + 2] == ("(",):
            name, target = _arguments(code, at + 2)
            offset = words.starts[at]
            module = next((name for start, end, name in owners if start <= offset < end), "")
            call = Call(module, offset, name, target, tuple(stack))
            if call.seen_with(own):
                yield call


def _step(stack: list[Arm], at: int, word: str, macro: Words) -> None:
    if word in ("`ifdef", "`ifndef"):
        stack.append(Arm(at, 0, tuple((name, word == "`ifdef") for name in macro)))
    elif stack and word == "`endif":
        stack.pop()
    elif stack:
        last = stack.pop()
        before = (*last.needs[:-1], *((name, not wanted) for name, wanted in last.needs[-1:]))
        more = tuple((name, True) for name in macro) if word == "`elsif" else ()
        stack.append(Arm(last.block, last.number + 1, (*before, *more)))


def _arguments(code: Words, start: int) -> tuple[Words, str]:
    """Return the words of the first argument, and the second as a text."""
    found = [tuple(part) for part in split(code, start)]
    return found[0] if found else (), "".join(found[1]) if len(found) > 1 else ""


@dataclass
class Names:
    """Makes names of expressions.

    Attributes:
        texts: The sources, by module that they define.
        live: Modules below the top.
    """

    texts: Mapping[str, Verilog]
    live: frozenset[str]
    _known: dict[tuple[str, str], tuple[Name, ...]] = field(default_factory=dict)

    def of(self, call: Call) -> tuple[Name, ...]:
        """Return every name that a call makes, one for each value that instances give."""
        found = self._values(call.module, call.name, _DEPTH)
        return tuple(
            tuple(part for at, part in enumerate(name) if not at or (name[at - 1], part) != (OPEN, OPEN))
            for name in found
        )

    def _values(self, module: str, words: Words, depth: int) -> tuple[Name, ...]:
        if not depth or not words:
            return ((OPEN,),)
        if len(words) == 1 and words[0].startswith('"'):
            return ((words[0][1:-1],),)
        if len(words) == 1 and re.match(r"[A-Za-z_\\]", words[0]):
            return self._of_name(module, words[0], depth - 1)
        if words[0] == "{" and words[-1] == "}":
            parts = [tuple(part) for part in split(words, 1)]
            return self._joined([self._values(module, part, depth - 1) for part in parts])
        if words[:2] == ("$sformatf", "("):
            first, *rest = [tuple(part) for part in split(words, 2)]
            if len(first) == 1 and first[0].startswith('"'):
                return self._joined(list(self._formatted(module, first[0][1:-1], rest, depth - 1)))
        return ((OPEN,),)

    def _formatted(self, module: str, text: str, rest: list[Words], depth: int) -> Iterator[tuple[Name, ...]]:
        end = 0
        for match, argument in zip(_FORMAT.finditer(text), rest, strict=False):
            if match.start() > end:
                yield ((text[end : match.start()],),)
            yield self._values(module, argument, depth) if match[0].lower().endswith("s") else ((OPEN,),)
            end = match.end()
        yield ((text[end:],),)

    @staticmethod
    def _joined(parts: Iterable[tuple[Name, ...]]) -> tuple[Name, ...]:
        joined: list[Name] = [()]
        for choices in parts:
            joined = [(*before, *choice) for before in joined for choice in choices]
        return tuple(joined)

    def _of_name(self, module: str, name: str, depth: int) -> tuple[Name, ...]:
        """Return the values of a parameter: those of its instances, and its own where one gives none."""
        key = (module, name)
        if key not in self._known:
            self._known[key] = ((OPEN,),)  # a circle ends here
            found: dict[Name, None] = {}
            given, missed = self._given(module, name)
            for owner, words in given:
                found |= dict.fromkeys(self._values(owner, words, depth))
            if missed or not given:
                found |= dict.fromkeys(self._values(module, self._default(module, name), depth))
            self._known[key] = tuple(found)
        return self._known[key]

    def _default(self, module: str, name: str) -> Words:
        return default(self.texts[module], module, name) if module in self.texts else ()

    def _given(self, module: str, name: str) -> tuple[list[tuple[str, Words]], bool]:
        """Return what live instances of a module give a parameter, and whether one gives nothing."""
        given: list[tuple[str, Words]] = []
        missed = False
        for owner, verilog in self.texts.items():
            if owner not in self.live or owner == module or module not in verilog.text:
                continue
            for instance in instances(verilog, owner, {module}):
                if name in instance.settings:
                    given.append((owner, instance.settings[name]))
                else:
                    missed = True
        return given, missed
