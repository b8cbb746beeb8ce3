# SPDX-License-Identifier: BSD-3-Clause
"""A model of a netlist for constraint scripts: one instance of each of shellgen's blocks with crossings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ..record.commands import ToolError
from ..record.filters import FilterError, parse
from ..report import Message, Origin
from ..tcl.arguments import ListError, join_list, split_list
from ..tcl.sandbox import Sandbox

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MODULE = re.compile(r"\bmodule\s+(\w+)")
_CLOCKED = re.compile(
    r"\balways(?:_ff)?\s*@\(posedge\s+(\w+)\)(.*?)(?=\balways|\bassign|\bend(?:module|generate)\b|\Z)", re.S
)
_ASSIGNED = re.compile(r"(\{[^{}<;]*\}|\b\w+)\s*((?:\[[^\]]*\]\s*)*)<=([^;]*);")
_SYNCHRONISER = re.compile(r"ASYNC_REG[^;]*?\*\)\s*logic\s*(?:\[[^\]]*\]\s*)?([^;]*);")
_WIRE = re.compile(r"\bwire\s*(?:\[[^\]]*\]\s*)?(\w+)\s*=([^;]*);")
_PORT = re.compile(r"\b(?:input|output)\s+(?:wire|logic)?\s*(?:\[[^\]]*\]\s*)?(\w+)")
# Of the clocks, in the order in which they are declared: any two that are not multiples.
_PERIODS = (10.0, 3.7, 7.3)
# A cell that is not one of shellgen's blocks, as a design has thousands: its path and the name of its module.
_FOREIGN = ("u_core/u_other", "not_of_ours")


@dataclass(frozen=True)
class Block:
    """A module with crossings.

    Attributes:
        registers: Clock of each register.
        ports: Names of its ports.
        clocks: Period of each clock, ns.
        crossings: Registers that take a value of another clock, each with the registers that it comes from;
            those are empty where it comes from outside.
    """

    name: str
    registers: dict[str, str]
    ports: frozenset[str]
    clocks: dict[str, float]
    crossings: dict[str, frozenset[str]]

    @property
    def cell(self) -> str:
        """Return the path of its instance."""
        return f"u_core/u_{self.name}"

    @property
    def periods(self) -> frozenset[float]:
        """Return the periods of its clocks."""
        return frozenset(self.clocks.values())


def blocks_of(texts: Iterable[str]) -> dict[str, Block]:
    """Return the modules with crossings in these texts, one module each, by their names."""
    found = (_block(_COMMENT.sub("", text)) for text in texts if "ASYNC_REG" in text)
    return {block.name: block for block in found if block and block.crossings}


def _read(value: str, wires: dict[str, str]) -> set[str]:
    """Return the names in an expression, through wires."""
    found: set[str] = set()
    left = [value]
    while left:
        for name in re.findall(r"[A-Za-z_]\w*", left.pop()):
            if name not in found:
                found.add(name)
                left += [wires[name]] if name in wires else []
    return found


def _block(text: str) -> Block | None:
    module = _MODULE.search(text)
    if module is None:
        return None
    reads: dict[str, set[str]] = {}
    registers: dict[str, str] = {}
    wires = dict(_WIRE.findall(text))
    for clock, body in _CLOCKED.findall(text):
        for target, _, value in _ASSIGNED.findall(body):
            for name in re.findall(r"[A-Za-z_]\w*", target):
                if name[0].islower():  # a parameter is compared
                    registers[name] = clock
                    reads.setdefault(name, set()).update(_read(value, wires))
    ports = frozenset(_PORT.findall(text))
    crossings = {}
    early = {name.strip() for names in _SYNCHRONISER.findall(text) for name in names.split(",")}
    for name, clock in registers.items():
        foreign = {one for one in reads[name] if registers.get(one, clock) != clock}
        if foreign or (name in early and reads[name] & ports and not reads[name] & registers.keys()):
            crossings[name] = frozenset(foreign)
    clocks = dict(zip(dict.fromkeys(registers.values()), _PERIODS, strict=False))
    return Block(module[1], registers, ports, clocks, crossings)


@dataclass(frozen=True)
class Delay:
    """A set_max_delay.

    Attributes:
        whole: Whether it begins at a clock, or at whatever feeds its ends.
    """

    origin: Origin
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    words: str
    datapath_only: bool
    whole: bool

    @property
    def nanoseconds(self) -> float | None:
        """Return the delay, None if it is no number."""
        try:
            return float(self.words)
        except ValueError:
            return None


@dataclass
class Netlist:
    """Answers the commands of a script of constraints.

    Attributes:
        missed: Patterns that found nothing and were expected to find something, each with its line.
        printed: What a script has printed.
    """

    sandbox: Sandbox
    blocks: dict[str, Block]
    folder: str = "/"
    delays: list[Delay] = field(default_factory=list)
    missed: list[tuple[Origin, str]] = field(default_factory=list)
    doubts: set[Origin] = field(default_factory=set)
    empty: bool = False
    printed: list[str] = field(default_factory=list)

    def names(self) -> Sequence[str]:
        """Return the commands that exist."""
        return sorted(_COMMANDS)

    def environment(self) -> dict[str, str]:
        """Return what the script finds in ``env``."""
        return {}

    def newer(self, command: str, words: list[str], origin: Origin) -> None:
        """A command of a later Tcl is no matter of timing."""

    def note(self, message: Message) -> None:
        """The outcome of the run has it."""

    def print(self, text: str) -> None:
        """Keep what the script prints."""
        self.printed.append(text)

    def call(self, command: str, words: list[str], origin: Origin) -> str:
        """Answer a command.

        Raises:
            ToolError: There is no such command or option.
        """
        if command not in _COMMANDS:
            raise ToolError(f'invalid command name "{command}"')
        options, rest = _parsed(command, words)
        if command == "set_max_delay":
            self._delay(options, rest, origin)
            return ""
        if command.startswith(("set_", "read_")):
            return ""
        if command == "get_property":
            return self._property(rest)
        found = self._found(command, options, rest)
        if not found and "-quiet" not in options:
            self.missed.append((origin, " ".join(rest) or command))
        return join_list(found)

    def _found(self, command: str, options: dict[str, str], rest: list[str]) -> list[str]:
        """Return what a getter finds."""
        if command == "all_fanin":
            return [f"fanin:{name}" for word in rest for name in _list(word)]
        if "-of_objects" in options:
            owners = _list(options["-of_objects"])
            if command == "get_clocks":
                return [f"clock:{owner}" for owner in owners if self._clock(owner)]
            wanted = (
                re.findall(r"\bREF_PIN_NAME\s*==\s*(\w+)", options["-filter"])
                if "-filter" in options
                else ["Q"]
            )
            return [f"{owner}/{name}" for owner in owners for name in wanted if name in ("C", "D", "Q")]
        if "-filter" in options:
            return self._filtered(options["-filter"])
        names = [name for block in self.blocks.values() for name in _named(block, command)]
        patterns = [pattern for word in rest for pattern in _list(word)]
        return [name for pattern in patterns for name in names if fnmatchcase(name, pattern)]

    def _filtered(self, expression: str) -> list[str]:
        """Return the cells that a filter lets pass, that of another module among them."""
        try:
            test = parse(expression)
        except FilterError as error:
            raise ToolError(str(error)) from None
        cells = [*((block.cell, block.name) for block in self.blocks.values()), _FOREIGN]

        def passes(cell: str, module: str) -> bool:
            known = {"NAME": cell, "REF_NAME": module, "ORIG_REF_NAME": module}
            return test(lambda name: known.get(name.upper(), ""))

        return [cell for cell, module in cells if passes(cell, module)]

    def _clock(self, pin: str) -> float | None:
        block = next((one for one in self.blocks.values() if pin.startswith(f"{one.cell}/")), None)
        return block.clocks.get(pin.rpartition("/")[2]) if block else None

    def _property(self, rest: list[str]) -> str:
        name, owner = (*rest, "", "")[:2]
        period = self._clock(owner.removeprefix("clock:"))
        if name.upper() != "PERIOD" or not owner.startswith("clock:") or period is None:
            raise ToolError(f"{owner or 'nothing'} has no property {name}")
        return f"{period:g}"

    def _delay(self, options: dict[str, str], rest: list[str], origin: Origin) -> None:
        begins, ends = (tuple(_list(options.get(name, ""))) for name in ("-from", "-to"))
        if not begins or not ends or len(rest) != 1:
            raise ToolError("set_max_delay needs a delay, and objects for -from and -to")
        whole = all(name.partition(":")[0] in ("clock", "fanin") for name in begins)
        self.delays.append(Delay(origin, begins, ends, rest[0], "-datapath_only" in options, whole))


def _named(block: Block, command: str) -> list[str]:
    if command == "get_cells":
        return [f"{block.cell}/{name}_reg" for name in block.registers]
    return [f"{block.cell}/{name}" for name in sorted(block.ports)] if command == "get_pins" else []


# Options of each command; with a sign of equality they take a value. Source: UG835.
_COMMANDS = {
    "get_cells": "-quiet -hierarchical -filter= -of_objects=",
    "get_pins": "-quiet -hierarchical -filter= -of_objects=",
    "get_clocks": "-quiet -of_objects=",
    "get_property": "-quiet -min -max",
    "all_fanin": "-quiet -flat -startpoints_only -only_cells",
    "set_max_delay": "-quiet -datapath_only -from= -to=",
    "set_bus_skew": "-quiet -from= -to=",
    "set_false_path": "-quiet -from= -to=",
    "set_property": "-quiet -dict",
    "read_xdc": "-quiet -verbose -unmanaged -cells= -ref= -mode=",
}


def _parsed(command: str, words: list[str]) -> tuple[dict[str, str], list[str]]:
    known = {name.rstrip("="): name.endswith("=") for name in _COMMANDS[command].split()}
    options: dict[str, str] = {}
    rest: list[str] = []
    left = iter(words)
    for word in left:
        full = [name for name in known if word.startswith("-") and name.startswith(word)]
        if word in known or len(full) == 1:
            name = word if word in known else full[0]
            options[name] = next(left, "") if known[name] else ""
        elif re.match(r"-[a-z]", word):
            raise ToolError(f"unknown option {word} of {command}")
        else:
            rest.append(word)
    return options, rest


def _list(text: str) -> list[str]:
    try:
        return split_list(text)
    except ListError:
        return [text]
