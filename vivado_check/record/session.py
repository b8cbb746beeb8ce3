# SPDX-License-Identifier: BSD-3-Clause
"""One session of the tool: what a script calls is written down, and answered as far as that takes no IP."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, TypeVar

from ..recording import Call, Recording
from ..report import Message, Origin, Verdict
from ..tcl.reference import meant_command, meant_option
from ..tcl.sandbox import HOME
from .commands import Command, ToolError, parse
from .scenario import MessageRules, Scenario

if TYPE_CHECKING:
    from ..design import Design
    from ..ip.facts import Catalogue
    from ..recording import Project
    from ..tcl.sandbox import Sandbox

T = TypeVar("T")


@cache
def all_commands() -> dict[str, Command]:
    """Return every command that a module of this room has in its COMMANDS."""
    found: dict[str, Command] = {}
    for entry in iter_modules(import_module(__package__).__path__):
        table = getattr(import_module(f"{__package__}.{entry.name}"), "COMMANDS", {})
        twice = found.keys() & table.keys()
        if twice:
            raise ValueError(f"two modules have {', '.join(sorted(twice))}")
        found.update(table)
    return found


class Session:
    """A session, with what is open in it.

    Attributes:
        catalogue: Facts of IP, if there are any; everything works without.
        design: The current block design.
        instance: Path of the current hierarchy in it (current_bd_instance).
        project: The current project.
        folder: Where the script runs (``pwd``).
        origin: Line of the call under way.
        doubts: Lines at which an answer was not known.
        empty: Whether one of these answers was empty, or a name alone, where Vivado may have an object.
    """

    def __init__(
        self,
        recording: Recording,
        sandbox: Sandbox,
        catalogue: Catalogue | None = None,
        scenario: Scenario | None = None,
    ) -> None:
        self.recording = recording
        self.sandbox = sandbox
        self.catalogue = catalogue
        self.scenario = scenario or Scenario()
        self.design: Design | None = None
        self.instance = "/"
        self.project: Project | None = None
        self.folder = str(sandbox.root)
        self.origin = Origin()
        self.doubts: set[Origin] = set()
        self.empty = False
        self._states: dict[Callable[[], object], object] = {}

    @property
    def release(self) -> str:
        """Return the release that is stated."""
        return self.recording.release

    def names(self) -> list[str]:
        """Return every command that is known."""
        return sorted(all_commands())

    def environment(self) -> dict[str, str]:
        """Return what a script finds in ``env``."""
        return {"HOME": HOME, "USER": "user", "PATH": "", **self.scenario.environment}

    def newer(self, command: str, words: list[str], origin: Origin) -> None:
        """Write down that a script uses a command of a Tcl later than 8.5."""
        self.recording.calls.append(Call(command, tuple(words), origin))

    def note(self, message: Message) -> None:
        """Keep a message of the front end."""
        self.recording.messages.append(message)

    def print(self, text: str) -> None:
        """Keep what the script prints."""
        self.recording.printed.append(text)

    def path(self, name: str) -> str:
        """Return a path of the script, absolute."""
        return self.sandbox.absolute(name, self.folder)

    def state(self, kind: type[T]) -> T:
        """Return what a module keeps of this session, made when it is first asked for."""
        found = self._states.get(kind)
        if found is None:
            found = self._states[kind] = kind()
        assert isinstance(found, kind)
        return found

    def child(self, *states: object) -> Session:
        """Return the session of a run, which is a process of its own: no project is open in it.

        Args:
            states: What modules keep of it.
        """
        made = Session(self.recording, self.sandbox, self.catalogue, self.scenario)
        for state in states:
            made._states[type(state)] = state
        return made

    def call(self, command: str, words: list[str], origin: Origin) -> str:
        """Write a call down and answer it; a command that we do not know is answered with nothing.

        Raises:
            ToolError: Vivado is documented to refuse it.
        """
        self.origin = origin
        command = self._full(command)
        entry = all_commands().get(command)
        if entry is None:
            self.recording.calls.append(Call(command, tuple(words), origin))
            if meant := meant_command(command, frozenset(all_commands())):
                raise ToolError(
                    f'invalid command name "{command}"',
                    where=command,
                    expected=meant,
                    remedy="Correct the name",
                    rule="unknown-command",
                )
            self.not_modelled(command, f"the command {command} is not modelled")
            return ""
        quiet = "-quiet" in words
        try:
            arguments = parse(command, entry, words, origin)
            for option in arguments.unknown:
                self._unknown_option(command, entry, option)
        except ToolError:
            # UG835: -quiet traps errors inside a command, and none of the command line.
            self.recording.calls.append(Call(command, tuple(words), origin, failed=True))
            raise
        try:
            answer = entry.function(self, arguments)
            if self.scenario.reports:
                self._report(command)
        except ToolError:
            self.recording.calls.append(Call(command, tuple(words), origin, failed=True))
            if quiet:
                return ""
            raise
        self.recording.calls.append(Call(command, tuple(words), origin, answer))
        return answer

    def _unknown_option(self, command: str, entry: Command, option: str) -> None:
        if meant := meant_option(command, option, frozenset(entry.takes_value)):
            raise ToolError(
                f"unknown option {option} of {command}",
                where=command,
                expected=meant,
                remedy="Correct the option",
                rule="unknown-option",
            )
        self.not_modelled(command, f"the option {option} of {command} is not modelled")

    @staticmethod
    def _full(command: str) -> str:
        """Return the name that an abbreviation stands for, or what was called."""
        if command in all_commands():
            return command
        fitting = [name for name in all_commands() if name.startswith(command)]
        return fitting[0] if len(fitting) == 1 else command

    def _report(self, command: str) -> None:
        """Report what the scenario says that a command reports when it is first called.

        Raises:
            ToolError: A rule has made an error of it, and such a command fails.
        """
        rules = self.state(MessageRules)
        if command in rules.told:
            return
        rules.told.add(command)
        for identity in self.scenario.reports.get(command, ()):
            rules.counts[identity] += 1
            if rules.severity.get(identity) == "ERROR" and self.scenario.stops:
                raise ToolError(f"reported by {command}", where=command, vivado=identity)

    def not_modelled(self, where: str, found: str) -> None:
        """Note that what Vivado would do here is not known."""
        message = Message("not-modelled", Verdict.NOT_MODELLED, self.origin, where, found, "", "")
        self.doubts.add(self.origin)
        self.recording.messages.append(message)

    def unanswered(self, where: str, found: str) -> None:
        """Note that an answer is empty here, or a name alone, and may be an object in Vivado."""
        self.not_modelled(where, found)
        self.empty = True
