# SPDX-License-Identifier: BSD-3-Clause
"""IP of a project, the repositories that it comes from, and what is generated of it (UG835, UG896)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ..design import Setting
from ..graph import Graph
from ..hwh import hwh_text
from ..ip.catalogue import catalogue_of
from ..recording import Run
from ..tcl.arguments import join_list
from ..tcl.wildcard import names_pattern
from .block_facts import components
from .block_wrapper import wrapper_text
from .commands import Arguments, Command, ToolError
from .objects import Thing, select, words_of
from .project_files import _add
from .project_session import current, nothing
from .session import Session

_NAMED = re.compile(r"<(?:spirit|ipxact):(vendor|library|name|version)>([^<]+)<")

# What a filter asks of the catalogue, and the operator does not matter: what is looked for is the name.
_ASKED = re.compile(r"\b(VLNV|NAME)\s*[=~]=?~?\s*\"?([\w.:*-]+)", re.IGNORECASE)


@dataclass
class Repositories:
    """IP of the user's own.

    Attributes:
        found: By VLNV: the folder of its component.xml, empty if only the scenario knows it.
        generated: What was generated, by IP or file.
        alone: IP with a synthesis run of their own.
    """

    found: dict[str, str] = field(default_factory=dict)
    generated: dict[str, str] = field(default_factory=dict)
    alone: set[str] = field(default_factory=set)


def update_ip_catalog(session: Session, call: Arguments) -> str:
    """Find the IP of all repositories; a folder without any is a warning in Vivado."""
    project = current(session)
    kept = session.state(Repositories)
    kept.found.clear()
    values = [project.properties.get("ip_repo_paths"), project.filesets["sources_1"].get("ip_repo_paths")]
    folders = [name for value in values if value is not None for name in words_of(value.value)]
    for name in folders:
        folder = session.path(name)
        if not session.sandbox.inside(folder):
            session.not_modelled(name, "an IP repository outside the folder that is checked is not read")
            continue
        for path in session.sandbox.walk(folder) if session.sandbox.is_dir(folder) else ():
            if Path(path).name == "component.xml":
                words = dict(reversed(_NAMED.findall(session.sandbox.read_text(path))))
                vlnv = ":".join(words.get(key, "") for key in ("vendor", "library", "name", "version"))
                kept.found[vlnv] = str(Path(path).parent)
                real = session.sandbox.real(path)
                if real is not None:
                    session.recording.repositories[vlnv] = real
    if folders:
        kept.found |= dict.fromkeys(session.scenario.user_ip, "")
    return ""


def get_ipdefs(session: Session, call: Arguments) -> str:
    """Answer with VLNVs of the catalogue.

    Without facts of it, a full VLNV is taken to be there, and a pattern of versions stands for one without. A
    pattern that names an IP is answered with itself: an IP of which only the name is known.
    """
    patterns = [pattern for word in call.rest for pattern in words_of(word)]
    made = [thing.known["IPDEF"] for name in _ip_names(session) if (thing := find_ip(session, name))]
    if "-of_objects" in call.options:
        objects = [find_ip(session, name) for name in words_of(call.options["-of_objects"])]
        patterns += [thing.known["IPDEF"] for thing in objects if thing]
    if "-filter" in call.options and not patterns:
        named = _ASKED.search(call.options["-filter"])
        patterns = [named[2] if named[1].upper() == "VLNV" else f"*:*:{named[2]}:*"] if named else []
    if not patterns and "-of_objects" not in call.options:
        session.unanswered("get_ipdefs", "which IP the catalogue has is not known")
    own = session.state(Repositories).found
    found: list[str] = []
    for pattern in patterns:
        here = [vlnv for vlnv in own if names_pattern(pattern).fullmatch(vlnv)]
        listed = session.catalogue.versions(pattern, session.release) if session.catalogue else None
        if listed is not None:
            here += listed
        elif session.scenario.user_ip and ":ip:" not in pattern:
            pass  # the scenario says what there is of the user's own
        elif not here and pattern.count(":") == 3 and not set(pattern.rpartition(":")[0]) & {"*", "?"}:
            here = [pattern.removesuffix(":*")]
        elif pattern in made:  # it would not be there without
            here = [pattern]
        elif not here:
            session.unanswered(pattern, "which IP the catalogue has is not known")
            here = _some(pattern)
        found += here
    return join_list(dict.fromkeys(found))


def _some(pattern: str) -> list[str]:
    """Return the VLNV of an IP of which a pattern tells the name alone; none if it does not."""
    names = [part for part in pattern.strip("*").strip(":").split(":") if part]
    name = pattern.split(":")[2] if pattern.count(":") == 3 else names[0] if len(names) == 1 else ""
    return [f"*:*:{name}:*"] if re.fullmatch(r"\w+", name) else []


def find_definition(session: Session, name: str) -> Thing | None:
    """Return an IP of the catalogue."""
    parts = name.split(":")
    if len(parts) not in (3, 4) or not all(parts) or "/" in name:
        return None
    known = dict(zip(("VENDOR", "LIBRARY", "NAME", "VERSION"), parts, strict=False))
    folder = session.state(Repositories).found.get(name, "")
    known |= {"VLNV": name, "CLASS": "ipdef", "REPOSITORY": folder}
    if folder:
        known["XML_FILE_NAME"] = f"{folder}/component.xml"
    supported = session.scenario.user_ip.get(name)
    if supported is not None:
        known["SUPPORTS_MODREF"] = supported
    return Thing("an IP of the catalogue", known)


def create_ip(session: Session, call: Arguments) -> str:
    """Make an IP of the project."""
    project = current(session)
    vlnv = call.options.get("-vlnv", "")
    if not vlnv:
        parts = call.need("-name")[0], call.options.get("-version", "")
        vendor = call.options.get("-vendor", "xilinx.com"), call.options.get("-library", "ip")
        vlnv = ":".join(part for part in (*vendor, *parts) if part)
    (module,) = call.need("-module_name")
    if module in project.ips:
        raise ToolError(
            f"an IP called {module} is in the project already",
            where=module,
            expected="a name that is free",
            remedy="Choose another name",
        )
    kept = session.state(Repositories).found
    known = session.catalogue.find(vlnv, session.release) if session.catalogue else None
    if vlnv not in kept and known is None and not vlnv.startswith("xilinx.com:"):
        raise ToolError(
            f"no repository has {vlnv}",
            where=module,
            expected="an IP of the catalogue",
            remedy="Set ip_repo_paths to its folder and call update_ip_catalog",
        )
    folder = session.path(call.options["-dir"]) if call.has("-dir") else ""
    folder = folder or f"{project.folder}/{project.name}.srcs/sources_1/ip"
    path = f"{folder}/{module}/{module}.xci"
    session.sandbox.write(path, "{}\n")
    _add(session, path, "sources_1", "IP")
    project.ips[module] = (vlnv, {})
    return module


def get_ips(session: Session, call: Arguments) -> str:
    """Answer with the IP of the project."""
    return join_list(select(session, call, _ip_names(session), lambda name: find_ip(session, name)))


def _ip_names(session: Session) -> list[str]:
    return [*session.project.ips, *components(session)] if session.project else []


def find_ip(session: Session, name: str) -> Thing | None:
    """Return an IP of the project."""
    project = session.project
    if project is None:
        return None
    if name not in project.ips:
        return _component(session, name)
    vlnv, config = project.ips[name]
    file = next((file.name for file in project.files if file.name.endswith(f"/{name}.xci")), "")
    known = {"NAME": name, "IPDEF": vlnv, "VLNV": vlnv, "IP_FILE": file, "CLASS": "ip"}
    known |= {
        "IP_DIR": str(Path(file).parent) if file else "",
        "CONFIG.COMPONENT_NAME": name,
        "IS_LOCKED": "0",
    }
    return Thing("an IP", known, config, folded=False)


def _component(session: Session, name: str) -> Thing | None:
    """Return an IP of a block design, whose folder lies beside the design's file."""
    found = components(session).get(name)
    project = session.project
    if found is None or project is None:
        return None
    design, cell = found
    file = next((file.name for file in project.files if file.name.endswith(f"/{design.name}.bd")), "")
    folder = str(Path(file).parent / "ip" / name) if file else ""
    if folder:
        session.sandbox.mkdir(folder)
    known = {"NAME": name, "IPDEF": cell.vlnv, "VLNV": cell.vlnv, "IP_DIR": folder, "IS_LOCKED": "0"}
    known |= {"IP_FILE": f"{folder}/{name}.xci", "CONFIG.COMPONENT_NAME": name, "CLASS": "ip"}
    return Thing("an IP", known, cell.config, folded=False)


def _subjects(session: Session, call: Arguments, skip: int = 0) -> list[str]:
    return [Path(name).stem for word in call.rest[skip:] for name in words_of(word)]


def generate_target(session: Session, call: Arguments) -> str:
    """Note output products; of a block design there is the hardware description."""
    project = current(session)
    for name in _subjects(session, call, 1):
        session.state(Repositories).generated[name] = call.first("target")
        if name in session.recording.designs:
            folder = f"{generated(session)}/{name}/hw_handoff"
            session.sandbox.write(f"{folder}/{name}.hwh", hardware(session, name))
    project.properties.setdefault("generated", Setting("1", call.origin))
    return ""


def generated(session: Session) -> str:
    """Return where products of block designs go: a tree of their own from 2020.2 on."""
    project = current(session)
    tree = "srcs" if session.release in ("2020.1",) or session.release < "2020.1" else "gen"
    return f"{project.folder}/{project.name}.{tree}/sources_1/bd"


def hardware(session: Session, name: str) -> str:
    """Return the hardware description of a block design."""
    catalogue = session.catalogue or catalogue_of(())
    return hwh_text(Graph(session.recording.designs[name], catalogue, session.release))


def reset_target(session: Session, call: Arguments) -> str:
    """Forget output products."""
    for name in _subjects(session, call, 1):
        session.state(Repositories).generated.pop(name, None)
    return ""


def make_wrapper(session: Session, call: Arguments) -> str:
    """Write the HDL wrapper of a block design, and answer with its path."""
    made = []
    files = words_of(call.options.get("-files", " ".join(call.rest)))
    if not files:
        raise ToolError("make_wrapper: there is no file", where="make_wrapper", expected="a .bd file")
    for file in files:
        name = Path(file).stem
        design = session.recording.designs.get(name)
        if design is None:
            raise ToolError(f"make_wrapper: {file} is no block design", where=file, expected="a .bd file")
        path = f"{generated(session)}/{name}/hdl/{name}_wrapper.v"
        session.sandbox.write(path, wrapper_text(session, name))
        if call.has("-import"):
            project = current(session)
            target = f"{project.folder}/{project.name}.srcs/sources_1/imports/hdl/{name}_wrapper.v"
            session.sandbox.mkdir(Path(target).parent)
            session.sandbox.copy(path, target)
            _add(session, target, "sources_1", "Verilog")
        made.append(path)
    return made[0] if len(made) == 1 else join_list(made)  # a path may hold spaces


def create_ip_run(session: Session, call: Arguments) -> str:
    """Make a synthesis run of an IP or of a block design."""
    project = current(session)
    made = []
    for name in _subjects(session, call):
        run = f"{name}_synth_1"
        if run in project.runs and not call.has("-force"):
            raise ToolError(f"{name} has a run {run} already", where=run, remedy="Reset that run instead")
        project.runs[run] = Run(run)
        made.append(run)
    return join_list(made)


def config_ip_cache(session: Session, call: Arguments) -> str:
    """Note a cache of synthesised IP."""
    folder = call.options.get("-use_cache_location")
    if folder is None:
        return ""
    path = session.path(folder)
    if session.sandbox.inside(path) and not session.sandbox.is_dir(path):
        raise ToolError(f"config_ip_cache: there is no folder {folder}", where=folder)
    return ""


def upgrade_ip(session: Session, call: Arguments) -> str:
    """Note an upgrade."""
    return join_list(_subjects(session, call))


FINDERS = (find_ip, find_definition)
COMMANDS = {
    "update_ip_catalog": Command(
        update_ip_catalog,
        "-rebuild -add_ip= -delete_ip= -disable_ip= -repo_path= -scan_changes -update_module_ref",
    ),
    "get_ipdefs": Command(get_ipdefs, "-all -regexp -nocase -filter= -of_objects="),
    "create_ip": Command(
        create_ip,
        "-vlnv= -module_name= -dir= -force -vendor= -library= -name= -version= -revision=",
    ),
    "get_ips": Command(get_ips, "-regexp -nocase -filter= -of_objects= -exclude_bd_ips -all"),
    "generate_target": Command(generate_target, "-force"),
    "reset_target": Command(reset_target),
    "make_wrapper": Command(
        make_wrapper, "-top -testbench -inst_template -fileset= -import -force -files=", complete=True
    ),
    "create_ip_run": Command(create_ip_run, "-force -use_out_of_context"),
    "config_ip_cache": Command(
        config_ip_cache,
        "-import_from_project -clear_output_repo -clear_local_cache -disable_cache "
        "-use_cache_location= -use_project_cache -export -no_bom -dir= -new_name= -ip= -get_id -rule=",
    ),
    "upgrade_ip": Command(upgrade_ip, "-srcset= -vlnv= -log="),
    "report_ip_status": Command(
        nothing,
        "-file= -append -return_string -name= -license_status -resource_data",
    ),
    "import_ip": Command(nothing, "-srcset= -name="),
    "add_peripheral_interface": Command(nothing),
    "apply_preset": Command(nothing),
}
