# SPDX-License-Identifier: BSD-3-Clause
"""Constraints, which are Tcl: a session that answers for the netlist and writes down what is asked of it.

There is no netlist before synthesis. Ports of the top are known, modules by their source; whatever else is
asked for is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from .design import Setting
from .record.commands import ToolError
from .report import Message, Origin
from .tcl.arguments import split_list
from .tcl.reference import meant_command, reference
from .tcl.sandbox import Sandbox

# What stands for all instances of a module, and for objects of which nothing is known.
_INSTANCE, UNKNOWN = "instances_of:", "unknown_object"
_MODULE = re.compile(r"\b(?:ORIG_)?REF_NAME\s*==\s*\{?(\w+)\}?")
# Vivado takes the index of a bus, written without braces, for a command that gives itself back.
_INDEX = re.compile(r"[0-9]+(:[0-9]+)?|\*")
_GETTERS = ("get_ports", "get_pins", "get_cells", "get_nets", "get_clocks")
_VALUED = {"-of_objects", "-of", "-filter", "-match_style", "-hsc", "-name", "-period", "-waveform"}
_PERIOD = "10.000"


@dataclass(frozen=True)
class Asked:
    """A getter that finds nothing, or a clock without a place."""

    command: str
    what: str
    origin: Origin


@dataclass(frozen=True)
class Clock:
    """A create_clock: its period as written, and its objects; None if no object was given."""

    name: str
    period: str
    waveform: str
    objects: tuple[str, ...] | None
    origin: Origin


@dataclass
class Netlist:
    """Known parts of the design under constraint.

    Attributes:
        ports: Ports of the top, None if they are not known; those that end in ``*`` begin so.
        modules: Sources of modules by name, whose ports and registers may be asked for.
    """

    ports: tuple[str, ...] | None = None
    modules: Mapping[str, str] = field(default_factory=dict)

    def finds(self, pattern: str) -> list[str] | None:
        """Return the ports of a pattern, None if unknown."""
        if self.ports is None:
            return None
        bare = re.sub(r"\[[^\]]*\]$", "", pattern)
        if bare in ("*", ""):
            return [pattern]
        known = [one for one in self.ports if _meets(one, bare)]
        return [pattern] if known else []

    def holds(self, cell: str) -> bool:
        """Return whether a register or pin of a module is in its source; others may be."""
        module, _, name = cell.removeprefix(_INSTANCE).partition("/")
        text = self.modules.get(module)
        word = re.sub(r"(_reg)?(\[[^\]]*\])?\**$", "", name)
        return text is None or not re.fullmatch(r"\w+", word) or bool(re.search(rf"\b{word}\b", text))


def _meets(port: str, pattern: str) -> bool:
    if port.endswith("*"):
        return fnmatchcase(pattern, port) or fnmatchcase(port, pattern)
    return fnmatchcase(port, pattern)


@dataclass
class Constraints:
    """A session of constraint files (`vivado_check.tcl.interpreter.Answering`).

    Attributes:
        missing: What getters did not find.
        set: Properties, in order: name, value with its line, objects; None if they are not known.
        clocks: Clocks that are made.
    """

    sandbox: Sandbox
    netlist: Netlist
    folder: str = ""
    doubts: set[Origin] = field(default_factory=set)
    empty: bool = False
    missing: list[Asked] = field(default_factory=list)
    set: list[tuple[str, Setting, tuple[str, ...]]] = field(default_factory=list)
    clocks: list[Clock] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    def names(self) -> list[str]:
        """Return every command of Vivado."""
        return sorted(reference())

    def environment(self) -> dict[str, str]:
        """Return nothing: constraints have no environment."""
        return {"PATH": ""}

    def newer(self, command: str, words: list[str], origin: Origin) -> None:
        """Ignore the release of Tcl."""

    def note(self, message: Message) -> None:
        """Keep what the front end has to say."""
        self.messages.append(message)

    def print(self, text: str) -> None:
        """Ignore what is printed."""

    def call(self, command: str, words: list[str], origin: Origin) -> str:
        """Answer a command.

        Raises:
            ToolError: It is a misspelling of one.
        """
        if _INDEX.fullmatch(command):
            return f"[{command}]"
        if command in _GETTERS:
            return self._found(command, words, origin)
        if command == "set_property":
            self._set(words, origin)
        elif command == "create_clock":
            self._clock(words, origin)
        elif command == "get_property":
            return _PERIOD if "PERIOD" in words else UNKNOWN
        elif command not in reference():
            meant = meant_command(command, frozenset())
            raise ToolError(f"there is no command {command}", where=command, expected=meant or "")
        return "" if command.startswith(("set_", "create_", "add_", "group_")) else UNKNOWN

    def _found(self, command: str, words: list[str], origin: Origin) -> str:
        options, rest = _parted(words)
        module = _MODULE.search(options.get("-filter", ""))
        if command == "get_cells" and module:
            return f"{_INSTANCE}{module[1]}" if module[1] in self.netlist.modules else ""
        if {"-of_objects", "-of", "-filter", "-regexp"} & set(options):
            return UNKNOWN
        found: list[str] = []
        for pattern in (one for word in rest or ["*"] for one in split_list(word)):
            there = self._one(command, pattern)
            if not there and "-quiet" not in options:
                self.missing.append(Asked(command, pattern, origin))
            found += there
        return " ".join(f"{{{one}}}" if " " in one else one for one in found)

    def _one(self, command: str, pattern: str) -> list[str]:
        if pattern.startswith(_INSTANCE):
            return [pattern] if self.netlist.holds(pattern) else []
        if command == "get_ports":
            found = self.netlist.finds(pattern)
            return [pattern] if found is None else found
        if command == "get_clocks":
            known = {clock.name for clock in self.clocks}
            return [pattern] if pattern in known else [UNKNOWN]
        return [pattern]

    def _set(self, words: list[str], origin: Origin) -> None:
        _, rest = _parted([word for word in words if word != "-dict"])
        pairs, objects = (
            (split_list(rest[0]), rest[1:]) if "-dict" in words and rest else (rest[:2], rest[2:])
        )
        whom = tuple(one for word in objects for one in split_list(word))
        for name, value in zip(pairs[::2], pairs[1::2], strict=False):
            self.set.append((name, Setting(value, origin), whom))

    def _clock(self, words: list[str], origin: Origin) -> None:
        options, rest = _parted(words)
        objects = tuple(one for word in rest for one in split_list(word)) if rest else None
        name = options.get("-name", objects[0] if objects else "")
        period, waveform = options.get("-period", ""), options.get("-waveform", "")
        self.clocks.append(Clock(name, period, waveform, objects, origin))


def _parted(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return options with their values, and the rest; an abbreviated option is not recognised."""
    options: dict[str, str] = {}
    rest = []
    queue = iter(words)
    for word in queue:
        if re.fullmatch(r"-[a-z_]+", word):
            options[word] = next(queue, "") if word in _VALUED else ""
        else:
            rest.append(word)
    return options, rest
