# SPDX-License-Identifier: BSD-3-Clause
"""Generated scripts in `shellgen check`: recording, messages, and the files that Vivado would leave."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from shellgen.check.rules.base import Context
from shellgen.check.run import judged
from shellgen.emit.memory_map import memory_map
from shellgen.model import Plan
from vivado_check.design import Cell, Design, Segment
from vivado_check.graph import Graph
from vivado_check.ip.catalogue import catalogue_of
from vivado_check.ip.facts import Catalogue
from vivado_check.ip.modules import WithModules
from vivado_check.record.objects import find
from vivado_check.record.scenario import MessageRules, Scenario
from vivado_check.record.session import Session
from vivado_check.recording import Package, Project, Recording, Run
from vivado_check.report import Message, Origin, Verdict
from vivado_check.tcl.interpreter import Outcome
from vivado_check.tcl.interpreter import run_script as run_in
from vivado_check.tcl.sandbox import Sandbox

CATALOGUE = catalogue_of(())
# Board files as they are installed with these releases, or fetched for them.
_ALWAYS = (
    *("avnet.com:zedboard:part0:1.4", "digilentinc.com:zedboard:part0:1.0"),
    *("www.digilentinc.com:pynq-z1:part0:1.0", "tul.com.tw:pynq-z2:part0:1.0", "xilinx.com:zcu104:part0:1.1"),
    *("avnet.com:ultra96v2:part0:1.1", "avnet.com:ultra96v2:part0:1.2"),
)
_SOM = "xilinx.com:kv260_som:part0:{}"
BOARD_PARTS = {
    "2020.1": _ALWAYS,
    "2022.2": (*_ALWAYS, _SOM.format("1.3"), _SOM.format("1.4")),
    "2024.2": (*_ALWAYS, _SOM.format("1.4"), _SOM.format("1.10")),
}
CARRIERS = {"2020.1": ()} | dict.fromkeys(
    ("2022.2", "2024.2"), ("xilinx.com:kv260_carrier:som240_1_connector:1.3",)
)
BOARDS = {"2020.1": ()} | dict.fromkeys(("2022.2", "2024.2"), ("xilinx.com:kv260_carrier:1.3",))


@dataclass(frozen=True)
class Placed:
    """A segment in the space of a master; paths have no slash in front."""

    space: str
    segment: str
    offset: int | None
    size: int | None


class Block:
    """A block design; paths have no slash in front."""

    def __init__(self, design: Design, recording: Recording, catalogue: Catalogue) -> None:
        self.design = design
        self.graph = Graph(design, WithModules(catalogue, recording), recording.release)

    @cached_property
    def cells(self) -> dict[str, Cell]:
        return {path.lstrip("/"): cell for path, cell in self.design.cells.items() if path != "/"}

    def config(self, cell: str, name: str) -> str | None:
        found = self.cells[cell].config.get(name)
        return found.value if found else None

    def interfaces(self, cell: str) -> set[str]:
        resolved = self.graph.resolved(f"/{cell}")
        assert resolved, f"nothing is known of {cell}"
        signal = "xilinx.com:signal"
        return {name for name, one in resolved.interfaces.items() if not one.vlnv.startswith(signal)}

    def pins(self, cell: str) -> set[str]:
        resolved = self.graph.resolved(f"/{cell}")
        assert resolved, f"nothing is known of {cell}"
        return set(resolved.ports)

    def driver(self, pin: str) -> str | None:
        found = self.graph.driver(f"/{pin}")
        if found is None:  # where facts are missing: our scripts name the source of a net first
            nets = (list(net.members) for net in self.design.nets.values())
            found = next((members[0] for members in nets if f"/{pin}" in members[1:]), None)
        return found.lstrip("/") if found else None

    def peer(self, interface: str) -> str | None:
        found = self.graph.peer(f"/{interface}")
        if found is None:
            nets = (list(net.members) for net in self.design.interface_nets.values())
            ends = next((members for members in nets if f"/{interface}" in members), [])
            found = next((one for one in ends if one != f"/{interface}"), None)
        return found.lstrip("/") if found else None

    @property
    def connected(self) -> list[str]:
        """Interfaces that are on a net."""
        nets = self.design.interface_nets.values()
        return [member.lstrip("/") for net in nets for member in net.members]

    @property
    def placed(self) -> list[Placed]:
        return [_placed(one) for one in self.design.segments if not one.excluded]


def _placed(segment: Segment) -> Placed:
    return Placed(segment.space.lstrip("/"), segment.segment.lstrip("/"), segment.offset, segment.range)


class Vivado:
    """Sessions of one release on one folder, and what the rules say of them.

    Attributes:
        readable: Folders that may be read besides that of the node.
        catalogue: Facts of IP.
        scenario: Fields of a `Scenario`, for the next script.
        recording: Of all scripts so far.
    """

    def __init__(
        self,
        release: str,
        board_parts: tuple[str, ...] | None = None,
        readable: tuple[Path, ...] = (),
        **scenario: Any,
    ) -> None:
        self.release = release
        self.readable = readable
        self.catalogue: Catalogue = CATALOGUE
        parts = BOARD_PARTS[release] if board_parts is None else board_parts
        self.scenario: dict[str, Any] = {"board_parts": parts, "boards": BOARDS[release], **scenario}
        self.scenario.setdefault("connections", CARRIERS[release])
        self.recording = Recording(release, Path())
        self.sandbox: Sandbox | None = None
        self.session: Session | None = None

    def run(self, script: Path, *arguments: str, cwd: Path | None = None, opened: bool = False) -> Outcome:
        """Run a script; what it leaves in the folder of its node, or in its own, is there afterwards.

        With ``opened``, the project of the earlier ones is open, as if the command line had named it.
        """
        if self.sandbox is None:
            kinds = ("vivado", "vitis", "coyote")
            root = next((one for one in script.parents if one.name in kinds), script.parent / "here")
            self.recording.folder = root.parent
            self.sandbox = Sandbox(root.parent, self.readable)
        catalogue = WithModules(self.catalogue, self.recording)
        self.session = Session(self.recording, self.sandbox, catalogue, Scenario(**self.scenario))
        self.session.project = self.current if opened else None
        outcome = run_in(script, self.session, *arguments, cwd=cwd)
        self.recording.ended = outcome.code
        publish(self.sandbox)
        return outcome

    def leave_project(self, name: str, folder: Path, part: str) -> None:
        """Have a closed project that somebody else has made."""
        project = Project(name, folder, part, Origin(), closed=True)
        project.filesets = {"sources_1": {}, "constrs_1": {}, "sim_1": {}, "utils_1": {}}
        project.runs = {run: Run(run) for run in ("synth_1", "impl_1")}
        self.recording.projects.append(project)

    def remove(self, path: Path) -> None:
        """Remove what a script has left."""
        assert self.sandbox
        self.sandbox.delete(path)
        path.unlink()

    @property
    def calls(self) -> Counter[str]:
        return Counter(call.command for call in self.recording.calls)

    @property
    def reported(self) -> Counter[str]:
        """Number of reports of each critical warning in the last script's session."""
        assert self.session
        return self.session.state(MessageRules).counts

    @property
    def current(self) -> Project:
        return self.recording.projects[-1]

    @property
    def core(self) -> Package:
        return self.recording.packages[-1]

    @property
    def block(self) -> Block:
        (design,) = self.recording.designs.values()
        return Block(design, self.recording, self.catalogue)

    @property
    def files(self) -> dict[str, dict[str, str]]:
        """Properties of the files of the project, by their names."""
        return {
            Path(file.name).name: {name: setting.value for name, setting in file.properties.items()}
            for file in self.current.files
        }

    def property(self, name: str, target: str = "") -> str | None:
        """Return a property of an object of the project, or of the project itself."""
        assert self.session
        self.session.project = self.current
        thing = find(self.session, target or self.current.name)
        return thing.get(name) if thing else None

    def said(self, plan: Plan | None = None) -> list[Message]:
        """Return the errors and findings of recorder and rules, those against the plan only with one."""
        assert self.sandbox
        folder = self.recording.folder
        catalogue = WithModules(self.catalogue, self.recording)
        document = memory_map(plan) if plan else None
        node = plan.nodes[0].name if plan else ""
        root = folder.parent if plan else folder
        context = Context(self.recording, catalogue, root, None, node, plan, document)
        return [one for one in judged(context) if one.verdict is not Verdict.NOT_MODELLED]


__all__ = ["Block", "Outcome", "Vivado", "files_of", "run_script", "texts"]


def publish(sandbox: Sandbox) -> None:
    """Put what scripts wrote where they meant it."""
    root = str(sandbox.root)
    for gone in sorted(sandbox._gone):
        path = Path(gone)
        if root in (gone, *map(str, path.parents)) and not sandbox.exists(gone):
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True)
    for folder in sorted(sandbox.memory._folders):
        if folder.startswith(root):
            Path(folder).mkdir(parents=True, exist_ok=True)
    for name, laid in sandbox.written():
        path = sandbox.root / name
        if path.is_relative_to(root):
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(laid, path)


def run_script(
    vivado: Vivado, script: Path, *arguments: str, cwd: Path | None = None, opened: bool = False
) -> Outcome:
    """Run a script in a session."""
    return vivado.run(script, *arguments, cwd=cwd, opened=opened)


def files_of(core: Package) -> dict[str, str]:
    """Types of the files that go into synthesis, by their names below the root of the core."""
    group = core.part("file_group", "xilinx_anylanguagesynthesis")
    assert group
    types = {part.name: part.properties.get("type") for part in group.of("file")}
    return {name: kind.value if kind else "" for name, kind in types.items()}


def texts(said: list[Message]) -> str:
    """Return messages as lines: rule, Vivado's identity, where, found."""
    return "\n".join(f"{one.rule}: {one.vivado} {one.where}: {one.found}" for one in said)
