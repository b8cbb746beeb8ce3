# SPDX-License-Identifier: BSD-3-Clause
"""Docks that other packages add to a platform: cells, external ports and constraints around a core.

A package names a class by an entry point of group ``shellgen.docks``. A board has the dock where its file has
the table ``[platform.<platform>.docks.<dock>]``, whose fields the class declares as `DockProvider.Facts`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from shellgen.errors import PluginError, Problem
from shellgen.model import Attachment, Board, Dock, NodePlan
from shellgen.model.base import Frozen
from shellgen.platforms.base import Platform
from shellgen.platforms.block_design import Bus, Cell, ExternalInterface, ExternalPort, Wire
from shellgen.platforms.block_design import Mapping as Segment
from shellgen.platforms.contract import Contract
from shellgen.plugins import Found, find_plugins

GROUP = "shellgen.docks"


@dataclass(frozen=True)
class DesignNets:
    """Nets and cells of a platform's block design that a dock may connect to.

    Attributes:
        core: Cell of the core; its interfaces are ``<core>/<pin>``.
        clock: Pin that drives the clock of the core's ports.
        free: Pin of a clock of the same frequency that runs whenever the FPGA is configured.
        hz: Their frequency.
        resetn: Pin that drives the reset of that clock, active low.
        reset: The same, active high.
    """

    core: str
    clock: str
    free: str
    hz: int
    resetn: str
    reset: str


@dataclass(frozen=True)
class Source:
    """A text that goes beside the scripts and into the project.

    Attributes:
        name: Bare file name: a Verilog module for ``modules``, or constraints.
        text: Content.
    """

    name: str
    text: str


@dataclass(frozen=True)
class DesignPart:
    """The part of a block design that one dock adds.

    Attributes:
        cells: IP instances.
        modules: Cells that refer to a module of ``sources``: name, and module.
        sources: Verilog of these modules; Vivado takes no SystemVerilog there.
        wires: Nets.
        buses: Interface connections, those to the pins of the core among them.
        ports: External ports.
        interfaces: External interfaces.
        mappings: Address segments.
    """

    cells: tuple[Cell, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    sources: tuple[Source, ...] = ()
    wires: tuple[Wire, ...] = ()
    buses: tuple[Bus, ...] = ()
    ports: tuple[ExternalPort, ...] = ()
    interfaces: tuple[ExternalInterface, ...] = ()
    mappings: tuple[Segment, ...] = ()


class DockProvider(ABC):
    """A dock of a platform, by a package of its own.

    Attributes:
        kind: Unique among docks of packages; for messages.
        platform: The platform that gets it, and those derived from it.
        dock: Name of the contract, which links ask for.
        Facts: The table ``[platform.<platform>.docks.<dock>]`` of a board file.
        contract: The pins that a core may have there.
        about: What it is, in a sentence.
    """

    kind: ClassVar[str]
    platform: ClassVar[str]
    dock: ClassVar[str]
    Facts: ClassVar[type[Frozen]]
    contract: ClassVar[Contract]
    about: ClassVar[str] = ""

    @abstractmethod
    def offer(self, board: Board, facts: Frozen) -> Dock:
        """Return what a board with these facts offers to links."""

    def check(self, node: NodePlan, attachment: Attachment, facts: Frozen) -> list[Problem]:  # noqa: ARG002 - most need nothing more
        """Return every reason why an attachment that keeps the contract cannot be built."""
        return []

    @abstractmethod
    def design(self, node: NodePlan, attachment: Attachment, facts: Frozen, nets: DesignNets) -> DesignPart:
        """Return what goes into the block design for an attachment."""

    def constraints(self, node: NodePlan, attachment: Attachment, facts: Frozen) -> tuple[Source, ...]:  # noqa: ARG002 - a dock may have none
        """Return XDC files: pins and locations of what is external, and timing."""
        return ()


@lru_cache(maxsize=1)
def _found() -> Found[DockProvider]:
    return find_plugins(GROUP, DockProvider, ())  # type: ignore[type-abstract]


def dock_registry() -> dict[str, DockProvider]:
    """Return the docks that packages bring, by kind."""
    return _found().kinds


def broken_docks() -> tuple[Problem, ...]:
    """Return why docks of that group are left out."""
    return _found().broken


def providers(platform: Platform) -> dict[str, DockProvider]:
    """Return the docks of packages for a platform, by name.

    Raises:
        PluginError: Two packages bring one of the same name.
    """
    kinds = {getattr(one, "kind", None) for one in type(platform).__mro__}
    found: dict[str, DockProvider] = {}
    for provider in dock_registry().values():
        if provider.platform in kinds and found.setdefault(provider.dock, provider) is not provider:
            both = f"{found[provider.dock].kind} and {provider.kind}"
            said = f"dock {provider.dock!r} of platform {platform.kind} is brought twice, by {both}"
            raise PluginError(Problem(GROUP, said, "Remove one of the two packages"))
    return found


def facts_of_docks(platform: Platform, board: Board) -> dict[str, tuple[DockProvider, Frozen]]:
    """Return the docks of packages that a board has, each with its facts.

    Raises:
        InputError: A table of the board file that its dock does not take.
        PluginError: A name that the platform itself has.
    """
    tables = board.platform[platform.kind].get("docks", {})
    found = {}
    for name, provider in providers(platform).items():
        if not isinstance(tables, Mapping) or name not in tables:
            continue
        if name in platform.docks(board):
            said = f"dock {name!r} is one of platform {platform.kind} itself"
            raise PluginError(
                Problem(f"dock {provider.kind}", said, "Tell its authors, or remove the package")
            )
        at = f"platform.{platform.kind}.docks.{name}"
        found[name] = (provider, provider.Facts.from_data(tables[name], board.where, at))
    return found


def offered(platform: Platform, board: Board) -> dict[str, Dock]:
    """Return all docks of a board: the platform's own, then those of packages."""
    own = platform.docks(board)
    more = {name: one.offer(board, facts) for name, (one, facts) in facts_of_docks(platform, board).items()}
    return own | more


def dock_problems(platform: Platform, node: NodePlan) -> list[Problem]:
    """Return tables of docks that nobody brings, and attachments that break a contract of a package."""
    tables, known = node.board.platform[platform.kind].get("docks", {}), providers(platform)
    problems = [
        Problem(
            f"{node.board.where}: platform.{platform.kind}.docks.{name}",
            "no package that is installed brings this dock",
            f"Install it, or remove the table; known are: {', '.join(known) or 'none'}",
        )
        for name in (tables if isinstance(tables, Mapping) else ())
        if name not in known
    ]
    for name, (provider, facts) in facts_of_docks(platform, node.board).items():
        broken = provider.contract.problems(name, node)
        problems += broken
        if not broken:
            for one in attached(node, name):
                problems += provider.check(node, one, facts)
    return problems


def attached(node: NodePlan, dock: str) -> Iterator[Attachment]:
    """Yield the attachments of a node at a dock."""
    return (one for one in node.attachments if one.dock == dock)


def design_parts(platform: Platform, node: NodePlan, nets: DesignNets) -> tuple[DesignPart, ...]:
    """Return what docks of packages add to a node's block design."""
    return tuple(
        provider.design(node, one, facts, nets)
        for name, (provider, facts) in facts_of_docks(platform, node.board).items()
        for one in attached(node, name)
    )


def dock_constraints(platform: Platform, node: NodePlan) -> tuple[Source, ...]:
    """Return the XDC files of docks of packages."""
    return tuple(
        source
        for name, (provider, facts) in facts_of_docks(platform, node.board).items()
        for one in attached(node, name)
        for source in provider.constraints(node, one, facts)
    )
