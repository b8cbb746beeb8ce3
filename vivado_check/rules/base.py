# SPDX-License-Identifier: BSD-3-Clause
"""Declaration and registry of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, wraps
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from ..addresses import AddressMap
from ..design import Design
from ..expectation import Expectation
from ..graph import Graph
from ..hdl import Hdl, projects
from ..ip.facts import Catalogue
from ..recording import Recording
from ..report import Message


@dataclass(frozen=True)
class Context:
    """Facts that a rule may use.

    Attributes:
        recording: The whole session.
        catalogue: Facts of IP.
        folder: What is checked: the script's folder, or one that holds those of several.
        design: The block design that is judged, None for rules of a session.
        expected: What the caller knows of the scripts; None for a third-party script.
    """

    recording: Recording
    catalogue: Catalogue
    folder: Path
    design: Design | None = None
    expected: Expectation | None = field(default=None, kw_only=True)

    @property
    def ours(self) -> bool:
        """Return whether the caller has generated the scripts, and vouches for them."""
        return self.expected is not None

    @property
    def expectation(self) -> Expectation:
        """Return what is expected; only of scripts that the caller has written."""
        assert self.expected is not None
        return self.expected

    @property
    def home(self) -> Path:
        """Return the folder of the scripts."""
        return self.folder / self.expected.home if self.expected else self.folder

    @property
    def release(self) -> str:
        """Return the release of Vivado that is stated."""
        return self.recording.release

    @cached_property
    def graph(self) -> Graph:
        """Return the connections of the design down to the pins of IP."""
        assert self.design is not None
        finished = bool(self.design.validated) or self.recording.ended == 0
        settings = [one.properties.get("board_part") for one in self.recording.projects]
        board = next((setting.value for setting in reversed(settings) if setting), "")
        return Graph(self.design, self.catalogue, self.release, finished=finished, board=board)

    @cached_property
    def projects(self) -> tuple[Hdl, ...]:
        """Return the HDL of each project of the session, in their order."""
        return tuple(projects(self.recording, self.folder))

    @cached_property
    def addresses(self) -> AddressMap:
        """Return the address map of the design."""
        return AddressMap(self.graph)


Judge = Callable[[Context], Iterable[Message]]


@dataclass(frozen=True)
class Rule:
    """A rule.

    Attributes:
        name: In kebab case; the one of its messages.
        scope: ``design``: once per block design; ``session``: once per run of scripts.
        source: The public document that says so, as in docs/references.md.
    """

    name: str
    scope: str
    source: str
    judge: Judge


RULES: dict[str, Rule] = {}


def rule(name: str, *, scope: str, source: str, ours: bool = False) -> Callable[[Judge], Judge]:
    """Register a rule; its judge yields messages of that name.

    Args:
        ours: Whether it judges only what the caller has written: what others mean nobody can say.
    """

    def register(judge: Judge) -> Judge:
        if name in RULES:
            raise ValueError(f"two rules are called {name}")
        RULES[name] = Rule(name, scope, source, _of_ours(judge) if ours else judge)
        return judge

    return register


def _of_ours(judge: Judge) -> Judge:
    @wraps(judge)
    def judged(context: Context) -> Iterable[Message]:
        return judge(context) if context.ours else ()

    return judged


def all_rules() -> tuple[Rule, ...]:
    """Return every rule of this room and those that others have registered, by name."""
    load(__package__)
    return tuple(RULES[name] for name in sorted(RULES))


def load(package: str) -> None:
    """Import every module of a package, so that its rules are registered."""
    for module in iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")
