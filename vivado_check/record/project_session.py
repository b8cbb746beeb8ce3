# SPDX-License-Identifier: BSD-3-Clause
"""Projects: made, opened, closed; parameters and message settings of a session."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ..design import Setting
from ..ip.names import slip
from ..recording import Project, Run
from ..report import Verdict
from ..tcl.arguments import join_list
from ..tcl.wildcard import names_pattern
from .commands import Arguments, Command, ToolError
from .objects import Thing, select, words_of
from .scenario import MessageRules
from .session import Session

SEVERITIES = ("ERROR", "CRITICAL WARNING", "WARNING", "INFO", "STATUS")
# Parameters of a session that are documented (UG835, UG895, UG904); there are others.
_PARAMETERS = (
    *("board.repoPaths", "general.maxThreads", "messaging.defaultLimit"),
    "tcl.collectionResultDisplayLimit",
)
# Of a project that says nothing (UG835, UG912).
_DEFAULTS = {
    "TARGET_LANGUAGE": "Verilog",
    "DEFAULT_LIB": "xil_defaultlib",
    "BOARD_PART": "",
    "CLASS": "project",
}
_DEFAULTS |= {"IP_REPO_PATHS": "", "BOARD_PART_REPO_PATHS": "", "SIMULATOR_LANGUAGE": "Mixed"}


# ---- projects ------------------------------------------------------------------------------------------
def current(session: Session) -> Project:
    """Return the open project.

    Raises:
        ToolError: There is none.
    """
    if session.project is None:
        raise ToolError("no project is open", remedy="Create or open one first")
    return session.project


def open_here(session: Session, name: str, folder: str, part: str) -> Project:
    """Make a project and open it."""
    project = Project(name, Path(folder), part, session.origin)
    project.filesets = {"sources_1": {}, "constrs_1": {}, "sim_1": {}, "utils_1": {}}
    project.runs = {run: Run(run) for run in ("synth_1", "impl_1")}
    session.recording.projects.append(project)
    session.project = project
    return project


def create_project(session: Session, call: Arguments) -> str:
    """Make a project and open it."""
    names = call.rest
    name = names[0] if names else "project_1"
    folder = session.path(names[1] if len(names) > 1 else ".")
    if session.project is not None and not call.has("-in_memory"):
        session.project.closed = True
    made = f"{folder}/{name}.xpr"
    if not call.has("-in_memory"):
        before = any(one.folder == Path(folder) and one.name == name for one in session.recording.projects)
        if session.sandbox.exists(made) and not before and not call.has("-force"):
            shown = session.sandbox.shown(made)
            session.not_modelled(
                name, f"an earlier run has left {shown}, at which Vivado stops without -force"
            )
        elif before and not call.has("-force"):
            raise ToolError(
                f"there is a project {session.sandbox.shown(made)} already",
                where=name,
                expected="a name that is free, or -force",
                remedy="Add -force",
            )
        for tree in ("srcs", "gen", "runs", "cache", "sim", "hw", "ip_user_files"):
            session.sandbox.delete(f"{folder}/{name}.{tree}")
        session.sandbox.write(made, "")
    open_here(session, name, folder, call.options.get("-part", ""))
    session.design = None
    return name


def open_project(session: Session, call: Arguments) -> str:
    """Open a project that a script has made and closed, or one of somebody else's."""
    wanted = session.path(call.first("project"))
    for project in reversed(session.recording.projects):
        if wanted in (f"{project.folder}/{project.name}.xpr", f"{project.folder}/{project.name}"):
            project.closed = False
            session.project = project
            return project.name
    if not session.sandbox.is_file(wanted):
        raise ToolError(f"there is no project {session.sandbox.shown(wanted)}", where=wanted)
    session.not_modelled(wanted, "a project that no script has made is opened as an empty one")
    return open_here(session, Path(wanted).stem, str(Path(wanted).parent), "").name


def close_project(session: Session, call: Arguments) -> str:
    """Close the project."""
    current(session).closed = True
    session.project, session.design = None, None
    return ""


def current_project(session: Session, call: Arguments) -> str:
    """Answer with the name of the open project."""
    return current(session).name


def get_projects(session: Session, call: Arguments) -> str:
    """Answer with the open projects."""
    names = [session.project.name] if session.project else []
    return join_list(select(session, call, names, lambda name: find_project(session, name)))


def find_project(session: Session, name: str) -> Thing | None:
    """Return the open project, if it is called so."""
    project = session.project
    if project is None or name != project.name:
        return None
    known = _DEFAULTS | {"NAME": name, "DIRECTORY": str(project.folder), "PART": project.part}
    return Thing(
        "the project", known, project.properties, changed=lambda key, value: _changed(session, key, value)
    )


def _changed(session: Session, name: str, value: str) -> None:
    project = current(session)
    if name.lower() == "part":
        project.part = value
    elif name.lower() == "board_part":
        _board(session, value)
    elif name.lower() == "board_connections" and session.scenario.connections is not None:
        named = names_pattern(" ".join(words_of(value)[1:2]))
        if not any(named.fullmatch(one) for one in session.scenario.connections):
            project.properties.pop(name.lower())
            raise ToolError(f"no board is installed for the connection {value!r}", where=value)


def _board(session: Session, value: str) -> None:
    installed = session.scenario.board_parts
    if installed is not None and value and value not in installed:
        raise ToolError(
            f"the board_part definition was not found for {value}",
            where=value,
            expected=f"one of {', '.join(installed)}",
            remedy="Install the board's files, or name another version",
            vivado="Board 49-71",
        )


# ---- what a release has --------------------------------------------------------------------------------
def version(session: Session, call: Arguments) -> str:
    """Answer with the release."""
    return session.release if call.has("-short") else f"Vivado v{session.release} (64-bit)"


def get_board_parts(session: Session, call: Arguments) -> str:
    """Answer with board files: those that are installed, or the very one that is asked for."""
    return _installed(session, session.scenario.board_parts, call)


def get_boards(session: Session, call: Arguments) -> str:
    """Answer with boards, carriers among them."""
    return _installed(session, session.scenario.boards, call)


def _installed(session: Session, installed: tuple[str, ...] | None, call: Arguments) -> str:
    patterns = [name for word in call.rest for name in words_of(word)]
    if installed is None:
        known = [re.sub(r":\*$", ":1.0", name) for name in patterns if "*" not in name[:-1]]
        if not known:
            session.unanswered(call.command, "which boards this Vivado has is not known")
        return join_list(known)
    found = [name for name in installed if any(names_pattern(p).fullmatch(name) for p in patterns or ["*"])]
    return join_list(found)


def get_parts(session: Session, call: Arguments) -> str:
    """Answer with the part that is asked for: a list of all is not at hand."""
    if not call.rest or any("*" in name for name in call.rest):
        session.unanswered("get_parts", "which parts this Vivado has is not known")
    return join_list(name for name in call.rest if "*" not in name)


def current_board_part(session: Session, call: Arguments) -> str:
    """Answer with the board of the project, or set it; without one Vivado answers with nothing."""
    project = current(session)
    if call.rest:
        _board(session, call.rest[0])
        project.properties["board_part"] = Setting(call.rest[0], call.origin)
    found = project.properties.get("board_part")
    if found is None:
        session.unanswered(call.command, "no board is set by a script; that of the project is not known")
    return found.value if found else ""


# ---- parameters and messages ---------------------------------------------------------------------------
def set_param(session: Session, call: Arguments) -> str:
    """Note a parameter of the session."""
    if len(call.rest) < 2:
        raise ToolError("set_param has no value", where=call.first("parameter"))
    name, value = call.rest[:2]
    if meant := next((known for known in _PARAMETERS if slip(name, known)), ""):
        raise ToolError(
            f"there is no parameter {name}", where=name, expected=meant, remedy="Correct the name"
        )
    session.recording.params[name] = Setting(value, call.origin)
    return value


def get_param(session: Session, call: Arguments) -> str:
    """Answer with a parameter that was set."""
    found = session.recording.params.get(call.first("parameter"))
    return found.value if found else ""


def set_msg_config(session: Session, call: Arguments) -> str:
    """Note a rule on messages."""
    severity = call.options.get("-new_severity", "")
    if severity and severity.upper() not in SEVERITIES:
        raise ToolError(
            f"set_msg_config: {severity} is no severity",
            where=severity,
            expected=f"one of {', '.join(SEVERITIES)}",
            remedy="Correct it",
        )
    identity = call.options.get("-id", call.options.get("-string", "*"))
    rule = severity or ("suppress" if call.has("-suppress") else call.options.get("-limit", ""))
    session.recording.message_rules[identity] = Setting(rule, call.origin)
    session.state(MessageRules).severity[identity.strip("{}")] = severity.upper()
    return ""


def get_msg_config(session: Session, call: Arguments) -> str:
    """Answer how often a message was reported."""
    identity = call.options.get("-id", "")
    return str(session.state(MessageRules).counts[identity]) if call.has("-count") else ""


def reset_msg_config(session: Session, call: Arguments) -> str:
    """Drop rules on messages."""
    session.state(MessageRules).severity.pop(call.options.get("-id", ""), None)
    return ""


def send_message(session: Session, call: Arguments) -> str:
    """Print a message of the script's own; one of severity ERROR fails, and is reported even if caught."""
    words = [word.strip('"') for word in call.rest]
    text = " ".join((words[-1] if words else "").split())
    severity = call.options.get(
        "-severity", next((word for word in words[:-1] if word in SEVERITIES), "INFO")
    )
    session.print(f"{severity}: {text}")
    if severity.strip('"') == "ERROR":
        error = ToolError(text, rule="script", remedy="See what the script looks for")
        session.note(replace(error.message(call.origin), verdict=Verdict.FINDING))
        raise error
    return ""


def nothing(session: Session, call: Arguments) -> str:
    """Change nothing that is recorded."""
    return ""


FINDERS = (find_project,)
COMMANDS = {
    "version": Command(version, "-short"),
    "create_project": Command(create_project, "-part= -force -in_memory -ip -rtl_kernel"),
    "open_project": Command(open_project, "-read_only -quiet -part="),
    "close_project": Command(close_project, "-delete"),
    "current_project": Command(current_project),
    "get_projects": Command(get_projects, "-regexp -nocase -filter="),
    "save_project_as": Command(
        nothing,
        "-scan_for_includes -exclude_run_results -include_local_ip_cache -force",
    ),
    "get_board_parts": Command(
        get_board_parts,
        "-regexp -nocase -filter= -latest_file_version -latest_hw_revision",
    ),
    "get_boards": Command(get_boards, "-regexp -nocase -filter= -of_objects="),
    "get_board_part_interfaces": Command(get_parts, "-regexp -nocase -filter= -of_objects="),
    "get_parts": Command(get_parts, "-regexp -nocase -filter= -of_objects="),
    "current_board_part": Command(current_board_part),
    "set_param": Command(set_param),
    "get_param": Command(get_param),
    "reset_param": Command(nothing),
    "list_param": Command(nothing),
    "set_msg_config": Command(
        set_msg_config,
        "-id= -severity= -new_severity= -limit= -suppress -string= -regexp",
    ),
    "get_msg_config": Command(get_msg_config, "-id= -severity= -rules -limit -count"),
    "reset_msg_config": Command(
        reset_msg_config,
        "-id= -severity= -string= -regexp -limit -suppress -count -default_severity",
    ),
    "reset_msg_count": Command(nothing),
    "common::send_gid_msg": Command(send_message, "-ssname= -id= -severity="),
    "common::send_msg_id": Command(send_message),
    "send_msg_id": Command(send_message),
    "start_gui": Command(nothing),
    "stop_gui": Command(nothing),
    "save_constraints": Command(nothing, "-force"),
}
