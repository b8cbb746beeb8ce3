# SPDX-License-Identifier: BSD-3-Clause
"""A makefile as GNU make reads it, as far as ours go: nothing is run, and nothing outside is looked at.

Conditionals, variables and functions are expanded for a scenario: which variables are given, which goals are
asked for, and which files there are.

Source: the GNU make manual, chapters 4 to 8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_ASSIGNED = re.compile(r"(override\s+)?([A-Za-z_]\w*)\s*(\?=|:=|\+=|=)\s*(.*)", re.DOTALL)
_DIRECTIVE = re.compile(r"(ifeq|ifneq|else|endif)\b\s*(.*)", re.DOTALL)
_SUBSTITUTED = re.compile(r"(\w+):([^=]*)=(.*)", re.DOTALL)
# Beyond these, somebody wants to keep us busy.
DEEPEST = 50
MOST = 200_000
LONGEST = 1 << 20


class MakeError(Exception):
    """Make stops at a line with a text."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line
        self.text = text


@dataclass(frozen=True)
class Scenario:
    """The command line of make and the files that it sees.

    Attributes:
        given: Variables of the command line, CURDIR among them.
        goals: On the command line.
        exists: Whether there is a file or a folder of that name.
    """

    given: Mapping[str, str]
    goals: tuple[str, ...]
    exists: Callable[[str], bool]


@dataclass
class Step:
    """A rule: its target, what it needs, and the lines of its recipe, not expanded, each with its number."""

    target: str
    needs: list[str]
    line: int
    recipe: list[tuple[int, str]] = field(default_factory=list)


class Makefile:
    """A makefile as evaluated for one scenario.

    Attributes:
        steps: By target, in order.
        undefined: Variables and functions that nobody defines, each with its line.
    """

    def __init__(self, text: str, scenario: Scenario) -> None:
        """Read a text.

        Raises:
            MakeError: Make would stop while it reads.
        """
        self.scenario = scenario
        self.variables: dict[str, str] = {**scenario.given, "MAKE": "make"}
        self.variables["MAKECMDGOALS"] = " ".join(scenario.goals)
        self.steps: dict[str, Step] = {}
        self.undefined: list[tuple[int, str]] = []
        self._work = 0
        self._read(text)

    # ---- reading ----------------------------------------------------------------------------------------
    def _read(self, text: str) -> None:
        taken = [True]
        steps: list[Step] = []
        for line, logical in _logical(text):
            if logical.startswith("\t"):
                for step in steps if all(taken) else ():
                    step.recipe.append((line, logical[1:]))
                continue
            bare = logical.strip()
            if not bare or bare.startswith("#"):
                continue
            directive = _DIRECTIVE.fullmatch(bare)
            if directive:
                self._condition(line, directive[1], directive[2], taken)
            elif all(taken):
                steps = self._statement(line, bare)
        if len(taken) > 1:
            raise MakeError(0, "missing endif")

    def _condition(self, line: int, word: str, rest: str, taken: list[bool]) -> None:
        if word in ("ifeq", "ifneq"):
            here = all(taken) and self._equal(line, rest) == (word == "ifeq")
            taken.append(here if all(taken) else False)
        elif len(taken) == 1:
            raise MakeError(line, f"extraneous {word}")
        elif word == "endif":
            taken.pop()
        else:
            taken[-1] = not taken[-1]

    def _equal(self, line: int, rest: str) -> bool:
        inside = rest.strip()
        parts = split_arguments(inside[1:-1]) if inside.startswith("(") and inside.endswith(")") else []
        if len(parts) != 2:
            raise MakeError(line, f"invalid syntax in conditional: {rest}")
        return self.expand(parts[0], line).strip() == self.expand(parts[1], line).strip()

    def _statement(self, line: int, bare: str) -> list[Step]:
        assigned = _ASSIGNED.fullmatch(bare)
        if assigned:
            self._assign(line, assigned)
            return []
        if ":" not in _outside(bare):
            if self.expand(bare, line).strip():
                raise MakeError(line, "missing separator")
            return []
        head, _, tail = _parted(bare, ":")
        needs = self.expand(tail, line).split()
        made = [Step(target, needs, line) for target in self.expand(head, line).split()]
        for step in made:
            before = self.steps.setdefault(step.target, step)
            if before is not step:
                before.needs += step.needs
        return [self.steps[step.target] for step in made]

    def _assign(self, line: int, assigned: re.Match[str]) -> None:
        override, name, operator, value = assigned.groups()
        if name in self.scenario.given and not override:
            return
        if operator == "?=" and name in self.variables:
            return
        plain = self.expand(value, line) if operator == ":=" else value
        self.variables[name] = f"{self.variables[name]} {plain}" if operator == "+=" else plain

    # ---- expansion --------------------------------------------------------------------------------------
    def expand(self, text: str, line: int, automatic: Mapping[str, str] | None = None, depth: int = 0) -> str:
        """Return a text with its variables and functions replaced; what is not defined is nothing."""
        self._work += 1
        if depth > DEEPEST or self._work > MOST:
            raise MakeError(line, "a variable refers to itself, or too often to others")
        found, at = [], 0
        while (dollar := text.find("$", at)) >= 0:
            found.append(text[at:dollar])
            inside, at = _reference(text, dollar, line)
            if inside == "$":
                found.append("$")
            else:
                found.append(self._value(inside, line, automatic or {}, depth + 1))
            if sum(map(len, found)) > LONGEST:
                raise MakeError(line, f"a text of more than {LONGEST >> 20} MiB")
        return "".join(found) + text[at:]

    def _value(self, inside: str, line: int, automatic: Mapping[str, str], depth: int) -> str:
        if inside in automatic:
            return automatic[inside]
        name, _, rest = inside.partition(" ")
        if name in _FUNCTIONS:
            words = [self.expand(one, line, automatic, depth) for one in split_arguments(rest)]
            return _FUNCTIONS[name](self, line, words)
        substituted = _SUBSTITUTED.fullmatch(inside)
        if substituted and "%" in substituted[2]:
            value = self._value(substituted[1], line, automatic, depth)
            head, _, tail = substituted[2].partition("%")
            return " ".join(_substituted(word, head, tail, substituted[3]) for word in value.split())
        if inside not in self.variables:
            self.undefined.append((line, inside))
            return ""
        return self.expand(self.variables[inside], line, automatic, depth)

    # ---- what make would do -----------------------------------------------------------------------------
    def default(self) -> str:
        """Return the goal if none is asked for."""
        return next((name for name in self.steps if not name.startswith(".")), "")

    def order(self, goal: str) -> Iterator[Step]:
        """Yield the rules that a goal takes when nothing is there yet, in order."""
        seen: set[str] = set()
        todo = [(goal, False)]
        while todo:
            name, done = todo.pop()
            if done:
                yield self.steps[name]
            elif name in self.steps and name not in seen:
                seen.add(name)
                todo.append((name, True))
                todo += [(need, False) for need in reversed(self.steps[name].needs)]

    def commands(self, step: Step) -> Iterator[tuple[int, str]]:
        """Yield the lines of a recipe as the shell gets them."""
        automatic = {"@": step.target, "<": (step.needs or [""])[0], "^": " ".join(step.needs)}
        for line, text in step.recipe:
            yield line, self.expand(text, line, automatic)


def _logical(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with those that continue them, each with the number of its first."""
    lines, index = text.splitlines(), 0
    while index < len(lines):
        first, joined = index, lines[index]
        while joined.endswith("\\") and index + 1 < len(lines):
            index += 1
            joined = joined[:-1].rstrip() + " " + lines[index].strip()
        yield first + 1, joined
        index += 1


def _reference(text: str, dollar: int, line: int) -> tuple[str, int]:
    """Return what stands behind a dollar, and where the text goes on."""
    opener = text[dollar + 1 : dollar + 2]
    if opener not in ("(", "{"):
        return opener, dollar + 2
    closer, level = {"(": ")", "{": "}"}[opener], 0
    for index in range(dollar + 1, len(text)):
        level += (text[index] == opener) - (text[index] == closer)
        if level == 0:
            return text[dollar + 2 : index], index + 1
    raise MakeError(line, "unterminated variable reference")


def split_arguments(text: str) -> list[str]:
    """Return the arguments of a function, which commas part."""
    found, level, start = [], 0, 0
    for index, letter in enumerate(text):
        level += (letter in "({") - (letter in ")}")
        if letter == "," and level == 0:
            found.append(text[start:index])
            start = index + 1
    return [*found, text[start:]]


def _outside(text: str) -> str:
    """Return what of a text is in no reference."""
    level, kept = 0, []
    for letter in text:
        level += letter in "({"
        if level == 0:
            kept.append(letter)
        level -= letter in ")}"
    return "".join(kept)


def _parted(text: str, mark: str) -> tuple[str, str, str]:
    level = 0
    for index, letter in enumerate(text):
        level += (letter in "({") - (letter in ")}")
        if letter == mark and level == 0:
            return text[:index], mark, text[index + 1 :]
    return text, "", ""


def _substituted(word: str, head: str, tail: str, new: str) -> str:
    if word.startswith(head) and word.endswith(tail) and len(word) >= len(head) + len(tail):
        return new.replace("%", word[len(head) : len(word) - len(tail)])
    return word


def _error(_: Makefile, line: int, words: Sequence[str]) -> str:
    raise MakeError(line, ",".join(words))


def _abspath(make: Makefile, _: int, words: Sequence[str]) -> str:
    here = make.variables.get("CURDIR", "")
    return " ".join(one if one.startswith("/") else f"{here}/{one}" for one in words[0].split())


def _filter_out(_: Makefile, line: int, words: Sequence[str]) -> str:
    if len(words) != 2:
        raise MakeError(line, "insufficient number of arguments to function 'filter-out'")
    return " ".join(one for one in words[1].split() if one not in words[0].split())


_FUNCTIONS: dict[str, Callable[[Makefile, int, Sequence[str]], str]] = {
    "error": _error,
    "abspath": _abspath,
    "filter-out": _filter_out,
    "words": lambda _make, _line, words: str(len(words[0].split())),
    "or": lambda _make, _line, words: next((one for one in words if one.strip()), ""),
    "wildcard": lambda make, _line, words: " ".join(w for w in words[0].split() if make.scenario.exists(w)),
    "notdir": lambda _make, _line, words: " ".join(one.rpartition("/")[2] for one in words[0].split()),
    "findstring": lambda _make, _line, words: words[0] if len(words) > 1 and words[0] in words[1] else "",
}
