# SPDX-License-Identifier: BSD-3-Clause
"""User logic of a shell, elaborated in the module that the shell makes of it: every signal has a driver.

Synthesis tells after hours of a signal that nobody drives, and nothing tells of a READY that stays low.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from vivado_check.ip.bus_signals import SIGNALS as BUS_SIGNALS
from vivado_check.ip.header import read_head
from vivado_check.report import Message, Origin, Verdict
from vivado_check.shells import MODULE, TOP, Port, black_box, module_text, surroundings, v1_ports, v2_ports
from vivado_check.syntax import Finding, Joint, join

from .base import Context, rule
from .planned_files import CMAKE_SET, Text, texts
from .wires import bundles, drivers, parted

_SOURCE = "fpgasystems/Coyote, hw/hdl/pkg and hw/templates; IEEE 1800-2017, 25.5"
_DEFINED = re.compile(r"-D(\w+)=([\w.]+)")
_VALID = re.compile(r"\bassign\s+([\w.\[\]]*valid)\s*=\s*(\w+)\s*;")
_RESET = re.compile(r"\bif\s*\(\s*[!~]\s*aresetn(?:\[0\])?\s*\)\s*begin\b(.*?)\bend\b", re.DOTALL)
_ENGINE = "accl_bd"
# Signals that a bus of Vivado's wrapper never lacks if it has any.
_ALWAYS = ("valid", "ready", "data", "addr")
_REMEDY = "correct the connection, or generate the folder again"


@dataclass(frozen=True)
class Logic:
    """One text of user logic, elaborated.

    Attributes:
        text: It.
        ports: What the shell has.
        joints: What drives what.
        errors: Of the language.
        widths: Of ports that are not those of what they are joined to.
        tied: Whether the shell ties off what the text does not name.
    """

    text: Text
    ports: tuple[Port, ...]
    joints: tuple[Joint, ...]
    errors: tuple[Finding, ...]
    widths: tuple[Finding, ...]
    tied: bool

    def origin(self, joint: Joint) -> Origin:
        """Return the line of a driver."""
        return Origin(self.text.name, joint.line)

    @property
    def interfaces(self) -> dict[str, Port]:
        """Return the interfaces of the shell by their whole names."""
        return {f"{TOP}.{path}": port for port in self.ports for path in port.paths}


def logics(context: Context) -> Iterator[Logic]:
    """Yield the user logic of a node, with the interfaces that the variables of CMake bring."""
    for wanted, text in texts(context, "*/hw/user_logic.svh"):
        settings = dict(
            found for _, make in texts(context, "*/Makefile") for found in _DEFINED.findall(make.text)
        )
        yield _logic(context, f"{wanted.node.name}_core", text, v1_ports(settings), settings, tied=True)
    for pattern in ("*/hw/*/vfpga_top.svh",):
        for wanted, text in texts(context, pattern):
            told = [CMAKE_SET.findall(cmake.text) for _, cmake in texts(context, "*/hw/CMakeLists.txt")]
            settings = dict(one for found in told for one in found)
            yield _logic(context, f"{wanted.node.name}_core", text, v2_ports(settings), settings, tied=False)


def _logic(  # noqa: PLR0913 - what an elaboration needs
    context: Context,
    core: str,
    text: Text,
    ports: tuple[Port, ...],
    settings: Mapping[str, str],
    *,
    tied: bool,
) -> Logic:
    path = context.folder / context.node / f"{core}.v"
    head = read_head(path.read_text(errors="replace"), core) if path.is_file() else None
    # Under the name that scripts give the packaged core, or the one that they always do.
    made = [name for project in context.recording.projects for name in project.ips] or [f"{core}_ip"]
    boxes = [black_box(head, name) for name in dict.fromkeys(made)] if head else []
    return elaborated(context, text, ports, settings, boxes, tied=tied)


def elaborated(  # noqa: PLR0913 - likewise
    context: Context,
    text: Text,
    ports: tuple[Port, ...],
    settings: Mapping[str, str],
    boxes: list[str],
    *,
    tied: bool,
) -> Logic:
    """Elaborate user logic with these modules beside it; with ``tied``, what it does not name is tied off."""
    named = tuple(port for port in ports if not tied or re.search(rf"\b{port.name}\b", text.text))
    given = [("shell", surroundings(named)), ("boxes", "\n".join([*boxes, *_engine(context)]))]
    given.append((text.name, module_text(text.text, named, settings)))
    joints, found = join(given, {}, TOP, [])
    widths = tuple(one for one in found if one.code.startswith("PortWidth"))
    return Logic(text, named, joints, tuple(one for one in found if one not in widths), widths, tied)


def _engine(context: Context) -> Iterator[str]:
    """Yield the wrapper that Vivado makes of ACCL's block design: the ports of its interfaces."""
    design = context.recording.designs.get(_ENGINE)
    if design is None:
        return
    top, ports = design.cells["/"], []
    for pin in top.pins.values():
        ports.append(f"{'input' if pin.direction == 'I' else 'output'} wire [511:0] {pin.name}")
    for one in top.interfaces.values():
        bus = BUS_SIGNALS.get(one.vlnv.replace("_rtl:", ":"), {})
        for name, signal in bus.items():
            way = "output" if signal.master == (one.mode.lower() == "master") else "input"
            ports.append(f"{way} wire [511:0] {one.name}_{name.lower()}")
    yield f"module {_ENGINE}_wrapper ({', '.join(ports)});\nendmodule\n"


@rule("user-logic", scope="session", source=_SOURCE, ours=True)
def user_logic(context: Context) -> Iterator[Message]:
    """Every signal from user logic to the shell has one driver, and no stream stalls permanently."""
    for logic in logics(context):
        yield from judged(logic)


def judged(logic: Logic) -> Iterator[Message]:
    """Judge user logic by itself."""
    for error in logic.errors:
        inside = error.file == logic.text.name
        line = Origin(logic.text.name, error.line if inside else 0)
        yield _said(line, "user logic", error.text, "SystemVerilog that Vivado elaborates", Verdict.ERROR)
    if logic.errors:
        return
    ours = {f"{path}.{signal}" for path, port in logic.interfaces.items() for signal in port.driven}
    for found in (
        *drivers(logic.joints, ours | _read(logic), set(), is_port),
        *bundles(logic.joints, is_port),
    ):
        if not (found.found.endswith("open") and _optional(found.where, logic)):
            name = found.where.rpartition(".")[0].rpartition(".")[2].partition("[")[0]
            line = Origin(logic.text.name, found.line) if found.line else logic.text.line_of(name)
            yield _said(line, _short(found.where), found.found, found.expected)
    yield from _early(logic.text)
    for wide in _widths(logic):
        yield _said(
            Origin(logic.text.name, wide.line), "user logic", wide.text, "ports and nets of one width"
        )


def _early(text: Text) -> Iterator[Message]:
    """A VALID that a register gives is low in reset. Source: AMBA AXI, A3.1.2."""
    bodies = [(found.start(1), found[1]) for found in _RESET.finditer(text.text)]
    for name, register in _VALID.findall(text.text):
        high = re.compile(rf"\b{register}\s*<=\s*(1'b1|'1|1)\s*;")
        for start, body in bodies:
            if found := high.search(body):
                line = text.text.count("\n", 0, start + found.start()) + 1
                yield _said(
                    Origin(text.name, line), name, f"{register} is high in reset", "low until it is over"
                )


def _optional(where: str, logic: Logic) -> bool:
    """Tell whether an input may be open: which ACCL's wrapper has is Vivado's decision.

    An interface that nothing is joined to may be one that it lacks; of another, some are always there.
    """
    bundle, signal = parted(where)
    joined = {end for joint in logic.joints for end in (joint.target, *joint.sources) if joint.sources}
    used = any(one.startswith(f"{bundle}_") for one in joined)
    return ".u_accl." in where and not (used and signal.endswith(_ALWAYS))


def _widths(logic: Logic) -> Iterator[Finding]:
    """Yield wrong widths between the core and nets of user logic: no others are known to the bit."""
    lines = set()
    for joint in logic.joints:
        for source in joint.sources:
            ends = (joint.target, source)
            core = any(one.startswith(f"{TOP}.u_logic.u_core.") for one in ends)
            if core and any(one.startswith(f"{TOP}.u_logic.") and one.count(".") == 2 for one in ends):
                lines.add(joint.line)
    for found in logic.widths:
        if found.file == logic.text.name and found.line in lines:
            yield found


def _read(logic: Logic) -> set[str]:
    """Return what is read and must be driven in user logic: its own nets, and interfaces of its own."""
    given = {f"{TOP}.{name}" for name in ("aclk", "aresetn")}
    read = {path for joint in logic.joints for path in joint.sources if not is_port(path)} - given
    return {path for path in read if path.startswith(f"{TOP}.u_logic.") and path.count(".") < 4}


def is_port(path: str) -> bool:
    """Tell whether a name is that of a port of an instance in user logic."""
    return path.startswith(f"{TOP}.u_logic.u_") and path.count(".") == 3


def _short(path: str) -> str:
    return path.removeprefix(f"{TOP}.").removeprefix("u_logic.").replace(f"{MODULE}.", "")


def _said(
    origin: Origin, where: str, found: str, expected: str, verdict: Verdict = Verdict.FINDING
) -> Message:
    return Message("user-logic", verdict, origin, where, found, expected, _REMEDY)


def sources_of(joints: Iterable[Joint], target: str, *, forth: bool) -> set[str]:
    """Return the ends that a name comes from, or goes to, through all that only hands it on."""
    edges: dict[str, set[str]] = {}
    for joint in joints:
        for source in joint.sources:
            key, value = (source, joint.target) if forth else (joint.target, source)
            edges.setdefault(key, set()).add(value)
    seen, ends, open_ = {target}, set(), [target]
    while open_:
        here = open_.pop()
        further = edges.get(here, set()) - seen
        ends |= {here} if here != target and here not in edges else set()
        seen |= further
        open_ += further
    return ends
