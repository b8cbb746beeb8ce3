# SPDX-License-Identifier: BSD-3-Clause
"""The commands. Every option that a command is not known to take is refused."""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from .arguments import Arguments, join_list, parse
from .block_commands import BLOCK_COMMANDS, BlockCommands
from .catalogue import Ip
from .design import Design
from .ip_commands import IP_COMMANDS, IpCommands
from .messages import GET_MSG_CONFIG, SET_MSG_CONFIG, Messages
from .port_commands import PORT_COMMANDS, PortCommands
from .project import MEMORY, ModelError, Project
from .ps import BOARD_PARTS, BOARDS, CARRIERS
from .run_commands import RUN_COMMANDS, RunCommands

# Command -> options it takes, greatest number of other words.
PROJECT_COMMANDS = {
    "version": ("-short", 0),
    "create_project": ("-force -part=", 2),
    "open_project": ("", 1),
    "current_project": ("-quiet", 0),
    "get_projects": ("-quiet", 1),
    "current_fileset": ("", 0),
    "get_filesets": ("", 1),
    "set_param": ("", 2),
    "set_msg_config": SET_MSG_CONFIG,
    "get_msg_config": GET_MSG_CONFIG,
    "get_boards": ("-quiet", 1),
    "close_project": ("", 0),
    "remove_files": ("", 1),
    "get_board_parts": ("-quiet", 1),
    "get_property": ("-quiet", 2),
    "set_property": ("-dict=", 3),
    "add_files": ("-norecurse -fileset=", 1),
    "read_verilog": ("-sv", 1),
    "get_files": ("-quiet", 1),
    "update_compile_order": ("-fileset=", 0),
    "list_property": ("", 2),
}
COMMANDS = PROJECT_COMMANDS | RUN_COMMANDS | BLOCK_COMMANDS | PORT_COMMANDS | IP_COMMANDS


class Vivado(IpCommands, BlockCommands, PortCommands, RunCommands):
    """One Vivado session.

    Attributes:
        release: ``2020.1``, ``2022.2`` or ``2024.2``.
        board_parts: Board files that are installed.
        carriers: Carrier board files that are installed.
        lists_carriers: Whether get_boards shows them; if not, their connections may have a ``*``.
        messages: Rules and counters of this session.
        user_ip: IP in repositories, by VLNV, each with SUPPORTS_MODREF (None: a release without it).
        products: What has been generated of each IP.
        alone: IP with a synthesis run of its own.
        kernels: What those are that block designs may have, by VLNV.
        calls: How often each command was called.
        derives: Parameters that validation changes, whoever has set them.
        slack: Worst slacks that implementation reaches, in ns.
        failing_run: Run that fails, or empty.
    """

    def __init__(self, release: str, board_parts: tuple[str, ...] | None = None) -> None:
        self.release = release
        self.board_parts = BOARD_PARTS[release] if board_parts is None else board_parts
        self.carriers: tuple[str, ...] = CARRIERS[release]
        self.lists_carriers = True
        self.calls: Counter[str] = Counter()
        self.user_ip: dict[str, str | None] = {}
        self.catalogued: dict[str, str | None] = {}
        self.kernels: dict[str, Ip] = {}
        self.products: dict[str, str] = {}
        self.alone: set[str] = set()
        self.derives: dict[str, str] = {}
        self.slack = {"WNS": "0.312", "WHS": "0.021"}
        self.failing_run = ""
        self.folder = Path()
        self.project: Project | None = None
        self.design: Design | None = None
        self.messages = Messages()
        self.opened_run = ""
        self.on_disk: Project | None = None

    def call(self, command: str, words: list[str]) -> str:
        known = COMMANDS.get(command)
        if known is None:
            raise ModelError(f'invalid command name "{command}"')
        self.calls[command] += 1
        handler = getattr(self, f"do_{command}")
        return str(handler(parse(command, words, *known)))

    @property
    def current(self) -> Project:
        if self.project is None:
            raise ModelError("[Common 17-53] no open project")
        return self.project

    def path(self, text: str) -> str:
        return str(self.folder / text)

    def quit(self) -> None:
        """End the session; another one may open the project again."""
        self.on_disk, self.project, self.design, self.opened_run = self.project, None, None, ""

    # ---- project -----------------------------------------------------------------------------------
    def do_version(self, arguments: Arguments) -> str:  # noqa: ARG002
        return self.release

    def do_create_project(self, arguments: Arguments) -> str:
        name = arguments.rest[0]
        folder = Path(self.path(arguments.rest[1] if len(arguments.rest) > 1 else "."))
        folder.mkdir(parents=True, exist_ok=True)
        self.project = Project(
            name, folder, self.release, arguments.options.get("-part", "xc7vx485tffg1157-1")
        )
        return name

    def do_open_project(self, arguments: Arguments) -> str:
        known = self.on_disk
        wanted = Path(self.path(arguments.rest[0])).resolve()
        if known is None or wanted != (known.folder / f"{known.name}.xpr").resolve():
            raise ModelError(f"[Common 17-55] no project {arguments.rest[0]}")
        self.project = known
        return known.name

    def do_close_project(self, arguments: Arguments) -> str:  # noqa: ARG002
        self.quit()
        return ""

    def do_current_project(self, arguments: Arguments) -> str:  # noqa: ARG002
        return self.current.name

    def do_get_projects(self, arguments: Arguments) -> str:  # noqa: ARG002
        return self.project.name if self.project else ""

    def do_current_fileset(self, arguments: Arguments) -> str:  # noqa: ARG002
        return "sources_1" if self.current else ""

    def do_get_filesets(self, arguments: Arguments) -> str:
        return "sources_1" if arguments.rest[0] == "sources_1" and self.current else ""

    def do_set_param(self, arguments: Arguments) -> str:
        if arguments.rest[0] == "board.repoPaths" and self.project:
            raise ModelError("board.repoPaths has no effect once a project is open")
        if arguments.rest[0] not in ("board.repoPaths", "tcl.collectionResultDisplayLimit"):
            raise ModelError(f"[Common 17-69] no parameter {arguments.rest[0]}")
        return ""

    def do_set_msg_config(self, arguments: Arguments) -> str:
        return self.messages.configure(arguments)

    def do_get_msg_config(self, arguments: Arguments) -> str:
        return self.messages.count(arguments)

    def do_get_boards(self, arguments: Arguments) -> str:
        """List carriers too, if this release does: ``<vendor>:<board>:<version>``."""
        boards = [re.sub(r":\w+:([\d.]+)$", r":\1", name) for name in self.carriers if self.lists_carriers]
        return join_list([board for board in boards if fnmatchcase(board, arguments.rest[0])])

    def do_get_board_parts(self, arguments: Arguments) -> str:
        return join_list([part for part in self.board_parts if fnmatchcase(part, arguments.rest[0])])

    # ---- files -------------------------------------------------------------------------------------
    def do_add_files(self, arguments: Arguments) -> str:
        paths = [self.path(path) for path in self.split(arguments.rest[0])]
        for path in paths:
            self.current.add(path, "verilog" if path.endswith(".v") else "")
        return join_list([str(Path(path).resolve()) for path in paths])

    def do_read_verilog(self, arguments: Arguments) -> str:
        for path in self.split(arguments.rest[0]):
            self.current.add(self.path(path), "systemverilog" if arguments.has("-sv") else "verilog")
        return arguments.rest[0]

    def do_remove_files(self, arguments: Arguments) -> str:
        for path in self.split(arguments.rest[0]):
            if self.current.files.pop(path, None) is None:
                raise ModelError(f"[Common 17-55] {path} is in no file set")
            self.current.ips.pop(Path(path).stem, None)
        return ""

    def do_get_files(self, arguments: Arguments) -> str:
        return join_list(self.current.matching(arguments.rest[0]))

    def do_update_compile_order(self, arguments: Arguments) -> str:
        arguments.need("-fileset")
        return ""

    def do_list_property(self, arguments: Arguments) -> str:
        return arguments.rest[1]

    # ---- properties --------------------------------------------------------------------------------
    def do_get_property(self, arguments: Arguments) -> str:
        name, target = arguments.rest
        found = self.block_property(name, target)
        if found is not None:
            return found
        if name == "IP_FILE" and target in self.current.ips:
            return next(path for path in self.current.files if path.endswith(f"/{target}.xci"))
        if self.project and target in self.project.runs:
            return self._run_property(name.upper(), target)
        if target in (self.current.name, "sources_1"):
            known = {
                "PART": self.current.part,
                "DIRECTORY": str(self.current.folder),
                "NAME": self.current.name,
            }
            return known.get(name.upper(), self.current.properties.get(name.lower(), ""))
        raise ModelError(f"[Common 17-54] {target!r} has no property {name}")

    def do_set_property(self, arguments: Arguments) -> str:
        if arguments.has("-dict"):
            words = self.split(arguments.options["-dict"])
            if len(words) % 2:
                raise ModelError("[Common 17-152] -dict needs name and value pairs")
            pairs, targets = list(zip(words[::2], words[1::2], strict=True)), arguments.rest
        else:
            pairs, targets = [(arguments.rest[0], arguments.rest[1])], arguments.rest[2:]
        objects = [item for target in targets for item in self.split(target)]
        if not objects:
            raise ModelError("[Common 17-161] set_property: no object")
        for target in objects:
            for name, value in pairs:
                self._set(name, value, target)
        return ""

    def _set(self, name: str, value: str, target: str) -> None:
        if self.set_block_property(name, value, target) or self.set_port_property(name, value, target):
            return
        if target in self.current.runs:
            self.current.set_run(target, name, value)
        elif target in self.current.files:
            if name == "generate_synth_checkpoint" and target.endswith(".xci"):
                (self.alone.add if value == "true" else self.alone.discard)(Path(target).stem)
            elif name == "file_type":
                self.current.files[target] = MEMORY if value == MEMORY else value
            elif name in ("used_in_synthesis", "processing_order") and target.endswith((".xdc", ".tcl")):
                self.current.properties[f"{name}:{Path(target).name}"] = value
            elif name != "synth_checkpoint_mode" or value not in ("None", "Singular", "Hierarchical"):
                raise ModelError(f"[Common 17-54] a file has no property {name} {value}")
        elif target in (self.current.name, "sources_1"):
            self._set_project(name, value)
        else:
            raise ModelError(f"[Common 17-54] {target!r} is no object with a property {name}")

    def _set_project(self, name: str, value: str) -> None:
        project = self.current
        if name == "board_part":
            if value not in self.board_parts:
                raise ModelError(f"[Board 49-71] the board_part definition was not found for {value}")
            project.part = BOARDS[value.rpartition(":part0:")[0]][0]
        elif name == "board_connections":
            patterns = [] if self.lists_carriers else [re.sub("[^:]+$", "*", name) for name in self.carriers]
            if value.split()[1] not in (*self.carriers, *patterns):
                raise ModelError(f"[model] no connection {value}")
        elif name == "part":
            project.part = value
        elif name not in ("target_language", "top", "ip_repo_paths", "include_dirs", "source_mgmt_mode"):
            raise ModelError(f"[Common 17-54] the project has no property {name}")
        elif name == "top" and not re.fullmatch(r"\w+", value):
            raise ModelError(f"[Common 17-54] {value!r} is no module")
        project.properties[name] = value
