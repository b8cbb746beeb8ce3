# SPDX-License-Identifier: BSD-3-Clause
"""Everything that one session of a tool was asked for, as plain records."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .design import Design, Setting
from .report import Message, Origin


@dataclass(frozen=True)
class Call:
    """One command of the tool, with its answer; failed if it raised."""

    command: str
    words: tuple[str, ...]
    origin: Origin
    answer: str = ""
    failed: bool = False


@dataclass
class File:
    """A file of the project.

    Attributes:
        path: Where it is read from on this machine.
        name: As the script wrote it.
        fileset: ``sources_1``, ``constrs_1``...
    """

    path: Path
    name: str
    fileset: str
    origin: Origin
    properties: dict[str, Setting] = field(default_factory=dict)


@dataclass
class Run:
    """A run of the project, and the lines that launched and waited for it.

    Attributes:
        progress: ``0%``, or ``100%`` once it has been waited for.
        status: As Vivado shows it.
        to_step: Last step of the launch that is meant, empty for all but the bitstream.
        hooked: Errors of its hook scripts, each in a process of its own.
    """

    name: str
    progress: str = "0%"
    status: str = "Not started"
    to_step: str = ""
    hooked: list[Message] = field(default_factory=list)
    properties: dict[str, Setting] = field(default_factory=dict)
    launched: list[Origin] = field(default_factory=list)
    waited: list[Origin] = field(default_factory=list)


@dataclass
class Part:
    """A part of a package: a bus interface, a port map, a memory map, a file...

    Attributes:
        inferred: The packager has it by itself; no script has made it.
    """

    kind: str
    name: str
    origin: Origin
    inferred: bool = False
    properties: dict[str, Setting] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    def of(self, kind: str) -> list[Part]:
        """Return the parts of a kind (``bus_interface``)."""
        return [part for part in self.parts if part.kind == kind]

    def part(self, kind: str, name: str) -> Part | None:
        """Return a part by its name."""
        return next((part for part in self.of(kind) if part.name == name), None)


@dataclass
class Package(Part):
    """An IP that ipx:: packages.

    Attributes:
        root: Folder, as the script knows it.
        vlnv: As far as the script says.
        top: Module.
        ports: Of the top, None if its source could not be read.
        clocks: Clock by interface (associate_bus_interfaces); resets by clock.
        checked: Lines of check_integrity, each with whether it was asked of a kernel.
        saved: Line of save_core, if nothing was changed after it.
        archives: Kernels (``.xo``) made of it, by path, with their kernel.xml.
    """

    root: str = ""
    vlnv: str = ""
    top: str = ""
    ports: list[str] | None = None
    clocks: dict[str, str] = field(default_factory=dict)
    resets: dict[str, str] = field(default_factory=dict)
    checked: list[tuple[Origin, bool]] = field(default_factory=list)
    saved: Origin | None = None
    archives: dict[str, str] = field(default_factory=dict)


@dataclass
class Project:
    """A project.

    Attributes:
        folder: As the script knows it.
        properties: Of the project, lower-case names.
        filesets: Properties by file set.
        ips: IP made by create_ip, by module name: (VLNV, CONFIG).
        closed: Whether it is not open any more; open_project opens it again.
    """

    name: str
    folder: Path
    part: str
    origin: Origin
    properties: dict[str, Setting] = field(default_factory=dict)
    filesets: dict[str, dict[str, Setting]] = field(default_factory=dict)
    files: list[File] = field(default_factory=list)
    runs: dict[str, Run] = field(default_factory=dict)
    ips: dict[str, tuple[str, dict[str, Setting]]] = field(default_factory=dict)
    closed: bool = False


@dataclass
class Recording:
    """Requests of a session.

    Attributes:
        release: Of Vivado, as stated (``2022.2``).
        projects: In the order in which they were made.
        designs: Block designs by name.
        settings: set_param by name; set_msg_config by message identity.
        messages: What the recorder itself has to say: a command that fails, or that we do not know.
        repositories: component.xml of the IP in the projects' repositories, by VLNV.
        written: Files that the scripts left, by path as the user knows it, and where they lie for now.
        ended: Exit code, or None if the script was stopped.
        stated: Whether user or script stated the release; else it is only the default.
    """

    release: str
    folder: Path
    calls: list[Call] = field(default_factory=list)
    projects: list[Project] = field(default_factory=list)
    designs: dict[str, Design] = field(default_factory=dict)
    packages: list[Package] = field(default_factory=list)
    params: dict[str, Setting] = field(default_factory=dict)
    message_rules: dict[str, Setting] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    repositories: dict[str, Path] = field(default_factory=dict)
    written: dict[str, Path] = field(default_factory=dict)
    ended: int | None = None
    stated: bool = True

    @property
    def doubts(self) -> set[Origin]:
        """Return the lines at which an answer was not known."""
        return {message.origin for message in self.messages if message.rule == "not-modelled"}
