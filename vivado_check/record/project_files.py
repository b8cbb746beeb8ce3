# SPDX-License-Identifier: BSD-3-Clause
"""Files of a project, and the sets that they are in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..design import Setting
from ..recording import File
from ..tcl.arguments import join_list
from ..tcl.sandbox import OutsideError
from ..tcl.wildcard import names_pattern
from .commands import Arguments, Command, ToolError
from .objects import Thing, select, words_of
from .project_session import current, nothing
from .session import Session

# File type by suffix (UG835, FILE_TYPE); others are "Unknown" until the script says what they are.
TYPES = {
    ".v": "Verilog",
    ".vh": "Verilog Header",
    ".svh": "Verilog Header",
    ".sv": "SystemVerilog",
    ".vhd": "VHDL",
    ".vhdl": "VHDL",
    ".xdc": "XDC",
    ".tcl": "TCL",
    ".bd": "Block Designs",
    ".xci": "IP",
    ".dcp": "Design Checkpoint",
    ".edn": "EDIF",
    ".edif": "EDIF",
    ".edf": "EDIF",
    ".ngc": "NGC",
    ".mem": "Memory File",
    ".mif": "Memory Initialization Files",
    ".coe": "Coefficient Files",
    ".elf": "ELF",
}
_CONSTRAINTS = {"XDC", "TCL"}
_WRAPPER = re.compile(r"(.+)\.srcs/(.+/hdl/\w+_wrapper\.vh?d?l?)")


def _expanded(session: Session, names: list[str]) -> Iterator[str]:
    """Yield the files that are named, those of folders too.

    Raises:
        ToolError: One is not there.
    """
    for name in names:
        path = session.path(name)
        try:
            found = session.sandbox.real(path)
            if found is None and (moved := _moved(session, path)):
                path, found = moved, session.sandbox.real(moved)
        except OutsideError as error:
            session.not_modelled(name, f"{error}: the file is taken to be there")
            yield path
            continue
        if found is None:
            raise ToolError(
                f"file {session.sandbox.shown(path)!r} does not exist",
                where=name,
                expected="a file",
                remedy="Correct the name, or put the file there",
            )
        if session.sandbox.is_dir(path):
            yield from (file for file in session.sandbox.walk(path) if Path(file).suffix in TYPES)
        else:
            yield path


def _moved(session: Session, path: str) -> str:
    """Return where a wrapper of a block design lies that is looked for beside the sources, empty if nowhere.

    Vivado itself looks in its tree of products: ``Could not find the wrapper file ...,
    checking in project .gen location instead`` (Xilinx/kria-vitis-platforms, issue 18).
    """
    there = _WRAPPER.fullmatch(path)
    moved = f"{there[1]}.gen/{there[2]}" if there else ""
    return moved if moved and session.sandbox.real(moved) is not None else ""


def _add(session: Session, path: str, fileset: str, kind: str) -> None:
    """Let the project have a file; adding it again changes nothing."""
    project = current(session)
    for file in project.files:
        if file.name == path and file.fileset == fileset:
            return
    found = session.sandbox.find(path) or Path(path)
    kind = kind or TYPES.get(Path(path).suffix.lower(), "Unknown")
    file = File(found, path, fileset, session.origin)
    file.properties["file_type"] = Setting(kind, session.origin)
    project.files.append(file)


def _fileset(session: Session, call: Arguments, default: str = "sources_1") -> str:
    wanted = words_of(call.options.get("-fileset", default))
    name = wanted[0] if wanted else default
    if name not in current(session).filesets:
        raise ToolError(
            f"there is no file set {name}",
            where=name,
            expected=f"one of {', '.join(current(session).filesets)}",
            remedy="Create it first",
        )
    return name


def add_files(session: Session, call: Arguments) -> str:
    """Let the project have files where they lie."""
    names = [name for word in call.rest for name in words_of(word)]
    if "-scan_for_includes" in call.options and not names:
        return ""
    fileset = _fileset(session, call)
    paths = list(_expanded(session, names))
    for path in paths:
        _add(session, path, fileset, "")
    return join_list(paths)


def import_files(session: Session, call: Arguments) -> str:
    """Copy files into the project; without a name, all that lie outside."""
    project = current(session)
    names = [name for word in call.rest for name in words_of(word)]
    fileset = _fileset(session, call)
    made = []
    for path in _expanded(session, names):
        below = "/".join(Path(path).parts[-2:])  # with the folder that it lay in
        target = f"{project.folder}/{project.name}.srcs/{fileset}/imports/{below}"
        session.sandbox.mkdir(Path(target).parent)
        if session.sandbox.find(path) is not None:
            session.sandbox.copy(path, target)
        _add(session, target, fileset, "")
        made.append(target)
    return join_list(made)


def _read(kind: str, fileset: str = "sources_1") -> Command:
    """Return the command that adds files of one kind."""

    def read(session: Session, call: Arguments) -> str:
        """Let the project have files of one kind."""
        if session.project is None:
            raise ToolError(f"{call.command}: no project is open")
        names = [name for word in call.rest for name in words_of(word)]
        if not names:
            raise ToolError(f"{call.command} has no file", where=call.command)
        found = "SystemVerilog" if call.has("-sv") else "VHDL 2008" if call.has("-vhdl2008") else kind
        paths = list(_expanded(session, names))
        for path in paths:
            _add(session, path, fileset, found)
        return join_list(paths)

    options = "-sv -library= -vhdl2008 -vhdl2019 -unmanaged -ref= -cells= -mode= -no_add -no_parse -netlist"
    return Command(read, options)


def remove_files(session: Session, call: Arguments) -> str:
    """Take files out of the project."""
    project = current(session)
    for name in [name for word in call.rest for name in words_of(word)]:
        gone = [file for file in project.files if file.name in (name, session.path(name))]
        if not gone:
            raise ToolError(f"{name} is in no file set", where=name, remedy="Correct the name")
        project.files = [file for file in project.files if file not in gone]
        if Path(name).suffix == ".xci":
            project.ips.pop(Path(name).stem, None)
        elif Path(name).suffix == ".bd":
            gone_design = session.recording.designs.pop(Path(name).stem, None)
            session.design = None if session.design is gone_design else session.design
    return ""


def get_files(session: Session, call: Arguments) -> str:
    """Answer with files: a pattern without a folder is of their names only."""
    project = current(session)
    kinds = words_of(call.options.get("-of_objects", ""))
    files = [file for file in project.files if not kinds or {file.fileset, Path(file.name).stem} & set(kinds)]
    patterns = [pattern for word in call.rest for pattern in words_of(word)] or ["*"]
    if call.has("-norecurse") and not files:
        return ""
    whole = [names_pattern(p if p.startswith(("/", "*")) else f"*/{p}") for p in patterns]
    names = [file.name for file in files if any(test.fullmatch(file.name) for test in whole)]
    names += [
        path
        for path in (session.path(pattern) for pattern in patterns if "*" not in pattern)
        if path in {file.name for file in files} and path not in names
    ]
    bare = Arguments(call.command, call.options, [], call.origin)
    return join_list(dict.fromkeys(select(session, bare, names, lambda name: find_file(session, name))))


def find_file(session: Session, name: str) -> Thing | None:
    """Return a file of the project."""
    for file in session.project.files if session.project else ():
        if name in (file.name, str(file.path)):
            known = {"NAME": file.name, "FILE_NAME": file.name, "CLASS": "file", "IS_ENABLED": "1"}
            known |= {"USED_IN_SYNTHESIS": "1", "USED_IN_IMPLEMENTATION": "1", "LIBRARY": "xil_defaultlib"}
            return Thing("a file", known, file.properties)
    return None


# ---- file sets -----------------------------------------------------------------------------------------
def create_fileset(session: Session, call: Arguments) -> str:
    """Make a file set."""
    name = call.first("name")
    current(session).filesets.setdefault(name, {})
    return name


def get_filesets(session: Session, call: Arguments) -> str:
    """Answer with file sets."""
    project = session.project
    names = list(project.filesets) if project else []
    return join_list(select(session, call, names, lambda name: find_fileset(session, name)))


def current_fileset(session: Session, call: Arguments) -> str:
    """Answer with the file set of the sources, or of another kind."""
    kind = next((name for name in ("-simset", "-constrset", "-srcset") if call.has(name)), "-srcset")
    current(session)
    return {"-simset": "sim_1", "-constrset": "constrs_1"}.get(kind, "sources_1")


def find_fileset(session: Session, name: str) -> Thing | None:
    """Return a file set of the project."""
    project = session.project
    if project is None or name not in project.filesets:
        return None
    start = name.rpartition("_")[0]
    kinds = {"sources": "DesignSrcs", "constrs": "Constrs", "sim": "SimulationSrcs", "utils": "Utils"}
    known = {"NAME": name, "CLASS": "fileset", "FILESET_TYPE": kinds.get(start, "")}
    names = ("TOP", "INCLUDE_DIRS", "GENERIC", "VERILOG_DEFINE", "IP_REPO_PATHS", "TARGET_CONSTRS_FILE")
    known |= dict.fromkeys(names, "")
    return Thing("a file set", known, project.filesets[name])


def update_compile_order(session: Session, call: Arguments) -> str:
    """Note nothing: which order that is, the rules on files find out."""
    _fileset(session, call)
    return ""


def find_top(session: Session, call: Arguments) -> str:
    """Answer with the top that was set."""
    found = current(session).filesets["sources_1"].get("top")
    return found.value if found else ""


FINDERS = (find_file, find_fileset)
_OF = "-regexp -nocase -filter= -of_objects="
COMMANDS = {
    "add_files": Command(
        add_files, "-fileset= -of_objects= -norecurse -copy_to= -force -scan_for_includes", complete=True
    ),
    "import_files": Command(import_files, "-fileset= -force -of_objects= -norecurse -flat -relative_to="),
    "remove_files": Command(remove_files, "-fileset= -of_objects="),
    "get_files": Command(get_files, f"{_OF} -compile_order= -used_in= -all -references -norecurse"),
    "create_fileset": Command(
        create_fileset,
        "-constrset -simset -blockset -srcset -define_from= -clone_properties=",
    ),
    "get_filesets": Command(get_filesets, _OF),
    "current_fileset": Command(current_fileset, "-simset -constrset -srcset"),
    "delete_fileset": Command(nothing, "-merge="),
    "update_compile_order": Command(update_compile_order, "-fileset= -force_gui", complete=True),
    "reorder_files": Command(nothing, "-fileset= -before= -after= -front -back"),
    "move_files": Command(nothing, "-fileset= -of_objects="),
    "find_top": Command(find_top, "-fileset= -files= -return_file_paths"),
    "export_ip_user_files": Command(
        nothing,
        "-of_objects= -no_script -ip_user_files_dir= -ipstatic_source_dir= -lib_map_path= -force -sync "
        "-reset",
    ),
    "read_verilog": _read("Verilog"),
    "read_vhdl": _read("VHDL"),
    "read_xdc": _read("XDC", "constrs_1"),
    "read_ip": _read("IP"),
    "read_bd": _read("Block Designs"),
    "read_mem": _read("Memory File"),
    "read_edif": _read("EDIF"),
    "read_checkpoint": _read("Design Checkpoint"),
}
