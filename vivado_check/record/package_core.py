# SPDX-License-Identifier: BSD-3-Clause
"""The packager: a core and its parts, each with properties (UG835 and UG1118, ipx::).

A script names a part by a handle: ``ipx:<root>`` of the core, and ``/<kind>:<name>`` for each step below it.
A handle is one word of Tcl whatever folders and files are called: what could part it is percent-encoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from ..design import Setting
from ..recording import Package, Part
from ..tcl.arguments import join_list
from ..tcl.sandbox import OutsideError
from ..tcl.wildcard import Wildcard, names_pattern
from .commands import Arguments, Command, ToolError
from .objects import Thing, select, words_of
from .project_session import current, nothing
from .session import Session

_PORT = re.compile(
    r"(?:\(\*(?P<attributes>.*?)\*\)\s*)?\b(?P<way>input|output|inout)\s+(?:wire\s+|reg\s+|logic\s+)?(?:signed\s+)?"
    r"(?:\[[^\]]*\]\s*)?(?P<name>\w+)",
    re.DOTALL,
)
_INFO = re.compile(r'X_INTERFACE_INFO\s*=\s*"(\S+)\s+(\w+)\s+(\w+)"')
# Clocks and resets that the packager knows by their names (UG1118, inference of signals).
_SIGNALS = {
    **dict.fromkeys(("clk", "aclk", "ap_clk"), "xilinx.com:signal:clock:1.0"),
    **dict.fromkeys(
        ("aresetn", "resetn", "ap_rst_n", "ap_rst", "reset", "rst"), "xilinx.com:signal:reset:1.0"
    ),
}
KINDS = (
    *(
        "bus_interface",
        "bus_parameter",
        "port_map",
        "port",
        "file_group",
        "file",
        "memory_map",
        "address_block",
    ),
    *("address_space", "segment", "register", "field", "user_parameter", "hdl_parameter", "subcore", "core"),
    *("bus_definition", "bus_abstraction", "xgui_file", "component_generator", "driver_parameter"),
)


class Cores:
    """The cores of a session: all of them by root, and the current one."""

    def __init__(self) -> None:
        self.found: dict[str, Package] = {}
        self.current: Package | None = None


def core_of(session: Session) -> Package:
    """Return the current core.

    Raises:
        ToolError: None is open.
    """
    found = session.state(Cores).current
    if found is None:
        raise ToolError("no core is open", remedy="Package a project, or open a core first")
    return found


# ---- handles -------------------------------------------------------------------------------------------
def handle_of(package: Package, steps: list[Part]) -> str:
    """Return how a script names a part."""
    return f"ipx:{_word(package.root)}" + "".join(_step(part) for part in steps)


def _step(part: Part) -> str:
    return f"/{part.kind}:{_word(part.name)}"


def _word(text: str) -> str:
    return quote(text, safe="/:.+")


def steps_of(session: Session, handle: str) -> tuple[Package, list[Part]] | None:
    """Return the core of a handle and the parts down to it, None if it is none."""
    for root, package in session.state(Cores).found.items():
        start = f"ipx:{_word(root)}"
        if handle != start and not handle.startswith(start + "/"):
            continue
        steps: list[Part] = []
        here: Part = package
        rest = handle[len(start) :]
        while rest:
            part = next((p for p in here.parts if rest == _step(p)), None)
            part = part or next((p for p in here.parts if rest.startswith(f"{_step(p)}/")), None)
            if part is None:
                return None
            rest = rest[len(_step(part)) :]
            steps.append(part)
            here = part
        return package, steps
    return None


def _target(session: Session, handle: str) -> tuple[Package, list[Part]]:
    words = words_of(handle)
    found = steps_of(session, words[0]) if words else None
    if found is None:
        raise ToolError(
            f"there is no part {handle!r} of a core",
            where=handle,
            expected="a core, or a part of one",
            remedy="Look why its getter finds nothing",
        )
    return found


def find_part(session: Session, name: str) -> Thing | None:
    """Return a core, or a part of one."""
    found = steps_of(session, name) if name.startswith("ipx:") else None
    if found is None:
        return None
    package, steps = found
    part: Part = steps[-1] if steps else package
    known = {"NAME": part.name, "CLASS": f"ipx_{part.kind}"}
    if not steps:
        vendor, library, ip, version = (*package.vlnv.split(":"), "", "", "", "")[:4]
        known |= {"VLNV": package.vlnv, "VENDOR": vendor, "LIBRARY": library, "VERSION": version}
        known |= {
            "NAME": ip,
            "ROOT_DIRECTORY": package.root,
            "XML_FILE_NAME": f"{package.root}/component.xml",
        }

    def changed(key: str, value: str) -> None:
        package.saved = None
        if not steps and key.lower() in ("vendor", "library", "name", "version"):
            parts = (package.vlnv.split(":") + [""] * 4)[:4]
            parts[("vendor", "library", "name", "version").index(key.lower())] = value
            package.vlnv = ":".join(parts)

    return Thing(f"a {part.kind.replace('_', ' ')}", known, part.properties, changed=changed)


# ---- cores ---------------------------------------------------------------------------------------------
def package_project(session: Session, call: Arguments) -> str:
    """Make a core of the open project: files, and the interfaces that the top says it has."""
    project = current(session)
    root = session.path(call.options.get("-root_dir", str(project.folder)))
    top = project.filesets["sources_1"].get("top")
    name = call.options.get("-module") or (top.value if top else "")  # a block design by its name
    vendor, library = call.options.get("-vendor", ""), call.options.get("-library", "user")
    package = Package("core", name, call.origin, root=root, top=name)
    version = call.options.get("-version", "1.0")
    package.vlnv = f"{vendor}:{library}:{call.options.get('-name', name)}:{version}"
    outside = [file.name for file in project.files if not file.name.startswith(root + "/")]
    if outside and not call.has("-import_files") and not call.has("-module"):
        shown = session.sandbox.shown(outside[0])
        session.not_modelled(shown, f"{shown} is outside the root folder of the IP, which refers to it")
    group = Part("file_group", "xilinx_anylanguagesynthesis", call.origin, inferred=True)
    simulation = Part("file_group", "xilinx_anylanguagebehavioralsimulation", call.origin, True)
    package.parts += [group, simulation]
    for file in project.files:
        kind = file.properties["file_type"].value if "file_type" in file.properties else ""
        if kind not in session.scenario.packager.leaves_out:
            below = file.name.removeprefix(root + "/")
            part = Part("file", below, call.origin, inferred=True)
            group.parts.append(part)
    _infer(session, package)
    _adopt(session, package)
    return handle_of(package, [])


def _adopt(session: Session, package: Package) -> None:
    cores = session.state(Cores)
    cores.found[package.root] = cores.current = package
    session.recording.packages.append(package)


def _infer(session: Session, package: Package) -> None:
    """Find interfaces by the attributes of the top's ports, clocks and resets by their names."""
    text = _top_text(session, package.top)
    if text is None:
        return
    package.ports = []
    blind = session.scenario.packager.blind_to
    slaves: dict[str, Part] = {}  # on a memory bus; a master has an address space, and no map
    for match in _PORT.finditer(text):
        port, attributes = match["name"], match["attributes"] or ""
        package.ports.append(port)
        package.parts.append(Part("port", port, package.origin, inferred=True))
        info = _INFO.search(attributes)
        if info is None and port.lower() not in _SIGNALS:
            continue
        vlnv, bus, signal = info.groups() if info else (_SIGNALS[port.lower()], port, port)
        if bus in blind:
            continue
        interface = package.part("bus_interface", bus)
        if interface is None:
            interface = Part("bus_interface", bus, package.origin, inferred=True)
            interface.properties["vlnv"] = _setting(vlnv, package)
            package.parts.append(interface)
        physical = {"physical_name": _setting(port, package)}
        interface.parts.append(Part("port_map", signal, package.origin, True, physical))
        if match["way"] == "input" and ":aximm:" in vlnv and signal in ("AWADDR", "ARADDR"):
            slaves[bus] = interface
    if session.scenario.packager.infers_maps:
        for interface in slaves.values():
            _infer_map(package, interface)


def _infer_map(package: Package, interface: Part) -> None:
    made = Part("memory_map", interface.name, package.origin, inferred=True)
    made.parts.append(Part("address_block", "reg0", package.origin, inferred=True))
    package.parts.append(made)
    interface.properties["slave_memory_map_ref"] = _setting(interface.name, package)


def _setting(value: str, package: Package) -> Setting:
    return Setting(value, package.origin)


def _top_text(session: Session, top: str) -> str | None:
    """Return the ports of the top, as its source has them."""
    for file in current(session).files:
        if Path(file.name).suffix not in (".v", ".sv"):
            continue
        try:
            text = session.sandbox.read_text(file.name)
        except (OSError, OutsideError):
            continue
        found = re.search(rf"^[ \t]*module\s+{re.escape(top)}\b(.*?)\)\s*;", text, re.DOTALL | re.MULTILINE)
        if found:
            return re.sub(r"//[^\n]*", "", found[1])
    return None


def open_core(session: Session, call: Arguments) -> str:
    """Open a core that is on disk, or one of this session."""
    named = call.options.get("-set_current", "")
    folder = session.path(call.rest[-1] if call.rest else named)
    root = str(Path(folder).parent) if folder.endswith(".xml") else folder
    known = session.state(Cores).found.get(root)
    if known is None:
        if not session.sandbox.is_file(f"{root}/component.xml"):
            raise ToolError(f"there is no core in {session.sandbox.shown(root)}", where=root)
        known = Package("core", Path(root).name, call.origin, root=root)
        _adopt(session, known)
    session.state(Cores).current = known
    return handle_of(known, [])


def current_core(session: Session, call: Arguments) -> str:
    """Answer with the current core, or make one current."""
    for word in call.rest:
        session.state(Cores).current = _target(session, word)[0]
    return handle_of(core_of(session), [])


def get_cores(session: Session, call: Arguments) -> str:
    """Answer with cores of this session by VLNV or name, and with those of the project's repositories."""
    patterns = [names_pattern(word) for part in call.rest for word in words_of(part)] or [names_pattern("*")]
    own = [one for one in session.state(Cores).found.values() if _named(one.vlnv, patterns)]
    found = [handle_of(package, []) for package in own]
    found += [vlnv for vlnv in session.recording.repositories if _named(vlnv, patterns)]
    if not found:
        session.not_modelled(" ".join(call.rest), "which cores the catalogue has is not known")
    return join_list(found)


def _named(vlnv: str, patterns: list[Wildcard]) -> bool:
    return any(one.fullmatch(vlnv) or one.fullmatch(vlnv.split(":")[-2]) for one in patterns)


def find_open_core(session: Session, call: Arguments) -> str:
    """Answer with the open core of a VLNV."""
    for package in session.state(Cores).found.values():
        if package.vlnv == call.first("VLNV"):
            return handle_of(package, [])
    return ""


def unload_core(session: Session, call: Arguments) -> str:
    """Close the current core."""
    session.state(Cores).current = None
    return ""


# ---- parts ---------------------------------------------------------------------------------------------
def _parent(session: Session, handle: str | None) -> tuple[Package, list[Part]]:
    return _target(session, handle) if handle else (core_of(session), [])


def _adder(kind: str) -> Callable[[Session, Arguments], str]:
    def add(session: Session, call: Arguments) -> str:
        """Add a part; one that is there already is that one."""
        name = call.first("name")
        package, steps = _parent(session, call.rest[1] if len(call.rest) > 1 else None)
        owner: Part = steps[-1] if steps else package
        path = name if name.startswith("/") else f"{package.root}/{name}"
        if kind == "file" and session.sandbox.inside(path) and not session.sandbox.exists(path):
            raise ToolError(
                f"there is no file {name} below the root folder of the core",
                where=name,
                remedy="Copy it there first",
            )
        part = owner.part(kind, name)
        if part is None:
            part = Part(kind, name, call.origin)
            owner.parts.append(part)
        package.saved = None
        return handle_of(package, [*steps, part])

    return add


def _getter(kind: str) -> Callable[[Session, Arguments], str]:
    def get(session: Session, call: Arguments) -> str:
        """Answer with parts; one that is named, where nobody knows what there is, is taken to be there."""
        package, steps = _parent(session, call.options.get("-of_objects"))
        owner: Part = steps[-1] if steps else package
        names = {handle_of(package, [*steps, part]): part.name for part in owner.of(kind)}
        by_name = {name: handle for handle, name in names.items()}
        wanted = [pattern for word in call.rest for pattern in words_of(word)]
        for name in wanted:
            unsure = not set(name) & {"*", "?"} and name not in by_name and _unsure(package, owner, kind)
            if unsure:
                part = Part(kind, name, call.origin, inferred=True)
                owner.parts.append(part)
                by_name[name] = handle_of(package, [*steps, part])
        found = select(session, call, by_name, lambda name: find_part(session, by_name[name]))
        if not found and _unsure(package, owner, kind):
            session.not_modelled(
                package.top, f"which of {kind.replace('_', ' ')}s {package.top} has is not known"
            )
        if not found and package.ports is None:
            kinds = f"{kind.replace('_', ' ')}s"
            session.not_modelled(call.command, f"which {kinds} {package.top} has is not known")
        return join_list(by_name[name] for name in found)

    return get


def _unsure(package: Package, owner: Part, kind: str) -> bool:
    """Tell whether there may be parts of this kind that nobody has named: the top was not read."""
    if package.ports is not None and kind in ("bus_interface", "memory_map", "port", "port_map"):
        return False
    if kind in ("file", "file_group", "address_block", "bus_parameter"):
        return package.ports is None or kind == "file_group"
    return owner.inferred or owner is package


def _remover(kind: str) -> Callable[[Session, Arguments], str]:
    def remove(session: Session, call: Arguments) -> str:
        """Take a part away."""
        names = [name for word in call.rest[:1] for name in words_of(word)]
        package, steps = _parent(session, call.rest[1] if len(call.rest) > 1 else None)
        owner: Part = steps[-1] if steps else package
        tails = {name.rpartition(f"{kind}:")[2] for name in names}
        owner.parts = [part for part in owner.parts if part.kind != kind or part.name not in tails]
        package.saved = None
        return ""

    return remove


FINDERS = (find_part,)
COMMANDS = {
    "ipx::package_project": Command(
        package_project,
        "-root_dir= -vendor= -library= -taxonomy= -name= -version= -module= -import_files -generated_files "
        "-set_current= -force -quiet -archive_source_project= -force_update_compile_order -library_name= "
        "-ui_name= -component_revision=",
    ),
    "ipx::open_core": Command(open_core, "-set_current="),
    "ipx::open_ipxact_file": Command(open_core, "-set_current="),
    "ipx::edit_ip_in_project": Command(nothing, "-upgrade= -name= -directory= -force="),
    "ipx::current_core": Command(current_core),
    "ipx::get_cores": Command(get_cores, "-regexp -nocase -filter= -from="),
    "ipx::find_open_core": Command(find_open_core),
    "ipx::unload_core": Command(unload_core),
    **{f"ipx::add_{kind}": Command(_adder(kind), "-set_current=") for kind in KINDS if kind != "core"},
    **{
        f"ipx::get_{kind}s": Command(_getter(kind), "-regexp -nocase -filter= -of_objects= -prop_value=")
        for kind in KINDS
        if kind != "core"
    },
    **{f"ipx::remove_{kind}": Command(_remover(kind), "-all") for kind in KINDS if kind != "core"},
}
