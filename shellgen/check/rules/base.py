# SPDX-License-Identifier: BSD-3-Clause
"""How a rule is written and found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, wraps
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from shellgen.model import NodePlan, Plan
from shellgen.model.memory_map import MemoryMap

from ..addresses import AddressMap
from ..design import Design
from ..graph import Graph
from ..hdl import Hdl, projects
from ..ip.facts import Catalogue
from ..recording import Recording
from ..report import Message


@dataclass(frozen=True)
class Context:
    """What a rule may look at.

    Attributes:
        recording: The whole session.
        design: The block design that is judged, None for rules of a session or of a folder.
        folder: What is checked: an output folder of ours, or the script's folder.
        node: Name of the node in plan.json that the scripts belong to; empty for a foreign script.
        plan: plan.json, or None for a foreign script; likewise memory_map.json, of the whole cluster.
        hdl: Whether what takes seconds was asked for.
    """

    recording: Recording
    catalogue: Catalogue
    folder: Path
    design: Design | None = None
    node: str = ""
    plan: Plan | None = None
    memory_map: MemoryMap | None = None
    hdl: bool = False
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def ours(self) -> bool:
        """Return whether what is judged is a folder of ours, and not a script of anyone's."""
        return self.plan is not None

    @property
    def planned_node(self) -> NodePlan:
        """Return the node that is judged as the plan has it; only in a folder of ours."""
        assert self.plan is not None
        return next(node for node in self.plan.nodes if node.name == self.node)

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
        ours: Whether it judges folders of ours only: what others mean nobody can say.
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
    """Return every rule of this room, by name."""
    package = import_module(__package__)
    for module in iter_modules(package.__path__):
        import_module(f"{__package__}.{module.name}")
    return tuple(RULES[name] for name in sorted(RULES))
