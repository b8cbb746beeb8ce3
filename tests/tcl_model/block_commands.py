# SPDX-License-Identifier: BSD-3-Clause
"""The commands of block designs."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import Arguments, join_list, split_list
from .catalogue import AXI_DMA, AXI_INTERCONNECT, CLK_WIZ, PROC_SYS_RESET, SMARTCONNECT, SYSTEM_ILA, Ip
from .design import CellInstance, Design, NotSetError
from .glue import AXI_INTC, AXIS_SWITCH, XLCONCAT, XLCONSTANT
from .hwh import hwh_text
from .messages import CRITICAL, Messages
from .port_commands import wrapper_text
from .project import ModelError, Project
from .ps import BOARDS, PRESETS, PS7, PSU, actual_hz
from .rules import violations
from .verilog import module_ip, module_text

BLOCK_COMMANDS = {
    "get_ipdefs": ("-all -quiet -filter=", 1),
    "create_bd_design": ("", 1),
    "get_bd_designs": ("-quiet", 1),
    "close_bd_design": ("", 1),
    "create_bd_cell": ("-type= -vlnv= -reference=", 1),
    "apply_bd_automation": ("-rule= -config=", 1),
    "get_bd_cells": ("-quiet", 1),
    "get_bd_pins": ("-quiet", 1),
    "get_bd_intf_pins": ("-quiet", 1),
    "get_bd_addr_spaces": ("-quiet", 1),
    "get_bd_addr_segs": ("-quiet -of_objects=", 1),
    "connect_bd_net": ("", 9),
    "connect_bd_intf_net": ("", 2),
    "assign_bd_address": ("-offset= -range= -target_address_space= -force", 1),
    "exclude_bd_addr_seg": ("-target_address_space=", 1),
    "validate_bd_design": ("", 0),
    "save_bd_design": ("", 0),
    "make_wrapper": ("-files= -top", 0),
}
CATALOGUE = {
    ip.name: ip
    for ip in (
        *(AXI_DMA, AXI_INTERCONNECT, PROC_SYS_RESET, CLK_WIZ, SYSTEM_ILA),
        *(AXI_INTC, XLCONCAT, XLCONSTANT, SMARTCONNECT, AXIS_SWITCH, PS7, PSU),
    )
}
# An axi_interconnect of old that no block design may use: scripts must filter.
DECOYS = {"xilinx.com:ip:axi_interconnect:9.9": "HDL"}


class BlockCommands:
    """Mixed into the session; works on its project and its open design."""

    if TYPE_CHECKING:
        release: str
        project: Project | None
        design: Design | None
        messages: Messages
        catalogued: dict[str, str | None]
        kernels: dict[str, Ip]

        @property
        def current(self) -> Project: ...

        derives: dict[str, str]

    split = staticmethod(split_list)

    @property
    def block(self) -> Design:
        if self.design is None:
            raise ModelError("[model] A block design must be open to run this command")
        return self.design

    # ---- catalogue ---------------------------------------------------------------------------------
    def do_get_ipdefs(self, arguments: Arguments) -> str:
        contexts = {
            f"xilinx.com:ip:{ip.name}:{version}": "HDL IPI"
            for ip in CATALOGUE.values()
            for version in ip.versions[self.release]
        } | DECOYS
        contexts |= dict.fromkeys(self.catalogued, "HDL IPI")
        wanted = re.fullmatch(r"design_tool_contexts\s*=~\s*(\S+)", arguments.options.get("-filter", ""))
        return join_list(
            [
                vlnv
                for vlnv, context in contexts.items()
                if fnmatchcase(vlnv, arguments.rest[0]) and (not wanted or fnmatchcase(context, wanted[1]))
            ]
        )

    # ---- cells -------------------------------------------------------------------------------------
    def do_create_bd_design(self, arguments: Arguments) -> str:
        if self.design or self.current.matching(f"{arguments.rest[0]}.bd"):
            raise ModelError("[model] the design exists already")
        self.design = Design(arguments.rest[0])
        path = self.current.folder / f"{self.current.name}.srcs/sources_1/bd/{arguments.rest[0]}"
        path.mkdir(parents=True, exist_ok=True)
        (path / f"{arguments.rest[0]}.bd").write_text("{}\n")
        self.current.add(str(path / f"{arguments.rest[0]}.bd"), "bd")
        return arguments.rest[0]

    def do_get_bd_designs(self, arguments: Arguments) -> str:
        return self.design.name if self.design and self.design.name == arguments.rest[0] else ""

    def do_close_bd_design(self, arguments: Arguments) -> str:
        if self.block.name != arguments.rest[0]:
            raise ModelError(f"[BD 5-104] no open design {arguments.rest[0]}")
        self.design = None
        return ""

    def do_create_bd_cell(self, arguments: Arguments) -> str:
        (kind,) = arguments.need("-type")
        name = arguments.rest[0]
        if kind == "module":
            (module,) = arguments.need("-reference")
            self.current.references.add(module)
            self.current.resolve_references()
            self.block.create(name, self._module(module), f"xilinx.com:module_ref:{module}:1.0")
            return f"/{name}"
        (vlnv,) = arguments.need("-vlnv")
        if kind == "ip" and vlnv in self.catalogued and vlnv in self.kernels:
            self.block.create(name, self.kernels[vlnv], vlnv)
            return f"/{name}"
        match = re.fullmatch(r"xilinx\.com:ip:(\w+):([\d.]+)", vlnv)
        if kind != "ip" or not match or match[2] not in self._versions(match[1]):
            raise ModelError(f"[model] IP definition not found for VLNV: {vlnv}")
        self.block.create(name, CATALOGUE[match[1]], vlnv)
        return f"/{name}"

    def _versions(self, name: str) -> tuple[str, ...]:
        return CATALOGUE[name].versions[self.release] if name in CATALOGUE else ()

    def _module(self, module: str) -> Ip:
        for path, kind in self.current.files.items():
            text = module_text(Path(path).read_text(), module) if "verilog" in kind else None
            if text is None:
                continue
            if kind == "systemverilog":
                raise ModelError(
                    f"[filemgmt 56-195] {module} is SystemVerilog, which cannot be a module reference"
                )
            try:
                return module_ip(text, module)
            except ValueError as error:
                raise ModelError(f"[model] {module}: {error}") from None
        raise ModelError(f"[model] no module {module} in the project")

    def do_apply_bd_automation(self, arguments: Arguments) -> str:
        rule, config = arguments.need("-rule", "-config")
        cell = self._cell(arguments.rest[0])
        words = split_list(config)
        options = dict(zip(words[::2], words[1::2], strict=True))
        allowed = {"apply_board_preset"}
        if cell.ip is PS7:
            allowed |= {"make_external", "Master", "Slave"}
        if rule != f"xilinx.com:bd_rule:{cell.ip.name}" or options.keys() - allowed:
            raise ModelError(f"[model] rule {rule} does not apply to {cell.name} with {sorted(options)}")
        if options.get("apply_board_preset") == "1":
            board = self.current.properties.get("board_part", "")
            if not board:
                raise ModelError("[model] no board preset: the project has no board_part")
            cell.config.update(BOARDS[board.rpartition(":part0:")[0]][1])
        for name in options.get("make_external", "").split(", "):
            self.block.externals.add(f"{cell.name}/{name}")
        self.block.automated.add(cell.name)
        return ""

    def _cell(self, name: str) -> CellInstance:
        cell = self.block.cells.get(name.lstrip("/"))
        if cell is None:
            raise ModelError(f"[model] no cell {name}")
        return cell

    # ---- lookup ------------------------------------------------------------------------------------
    def _matching(self, names: list[str], pattern: str) -> str:
        return join_list([f"/{name}" for name in names if fnmatchcase(name, pattern.lstrip("/"))])

    def do_get_bd_cells(self, arguments: Arguments) -> str:
        return self._matching(list(self.block.cells), arguments.rest[0])

    def do_get_bd_pins(self, arguments: Arguments) -> str:
        return self._matching([name for name in self.block.pins() if "/" in name], arguments.rest[0])

    def do_get_bd_intf_pins(self, arguments: Arguments) -> str:
        return self._matching([name for name in self.block.interfaces() if "/" in name], arguments.rest[0])

    def do_get_bd_addr_spaces(self, arguments: Arguments) -> str:
        return self._matching(list(self.block.spaces()), arguments.rest[0])

    def do_get_bd_addr_segs(self, arguments: Arguments) -> str:
        if not arguments.has("-of_objects"):
            return self._matching(list(self.block.segments()), arguments.rest[0])
        space = arguments.options["-of_objects"].lstrip("/")
        return join_list(
            [self._placed_name(entry.segment, space) for entry in self.block.placed if entry.space == space]
        )

    @staticmethod
    def _placed_name(segment: str, space: str) -> str:
        cell, _, block = segment.partition("/")
        return f"/{space}/SEG_{cell}_{block.rpartition('/')[2]}"

    # ---- connections and addresses -------------------------------------------------------------------
    def do_connect_bd_net(self, arguments: Arguments) -> str:
        self.block.connect([name.lstrip("/") for word in arguments.rest for name in split_list(word)])
        return ""

    def do_connect_bd_intf_net(self, arguments: Arguments) -> str:
        first, second = (name.lstrip("/") for name in arguments.rest)
        self.block.connect_interfaces(first, second)
        return ""

    def do_assign_bd_address(self, arguments: Arguments) -> str:
        offset, size, space = arguments.need("-offset", "-range", "-target_address_space")
        self.block.assign(space.lstrip("/"), arguments.rest[0].lstrip("/"), int(offset, 16), int(size, 16))
        return ""

    def do_exclude_bd_addr_seg(self, arguments: Arguments) -> str:
        (space,) = arguments.need("-target_address_space")
        self.block.exclude(space.lstrip("/"), arguments.rest[0].lstrip("/"))
        return ""

    # ---- finish --------------------------------------------------------------------------------------
    def do_validate_bd_design(self, arguments: Arguments) -> str:  # noqa: ARG002
        errors = []
        for text in violations(self.block):
            identity = text[1 : text.index("]")]
            if identity not in CRITICAL:
                errors.append(text)
                continue
            try:
                self.messages.critical(identity, text.partition("] ")[2])
            except ModelError as error:
                errors.append(str(error))
        if errors:
            raise ModelError("\n".join(errors))
        for cell in self.block.cells.values():
            cell.config.update({key: value for key, value in self.derives.items() if key in cell.config})
        self.block.validated = True
        return ""

    def do_save_bd_design(self, arguments: Arguments) -> str:  # noqa: ARG002
        self.block.saved = self.block.validated
        return ""

    def _saved(self, command: str) -> None:
        if not self.block.saved:
            raise ModelError(f"[model] {command}: the design is not validated and saved")

    def do_generate_target(self, arguments: Arguments) -> str:  # noqa: ARG002
        self._saved("generate_target")
        folder = self.current.generated / self.block.name / "hw_handoff"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.block.name}.hwh").write_text(hwh_text(self.block))
        return ""

    def do_make_wrapper(self, arguments: Arguments) -> str:
        self._saved("make_wrapper")
        if [Path(path).name for path in split_list(arguments.need("-files")[0])] != [f"{self.block.name}.bd"]:
            raise ModelError("[model] make_wrapper: no such design")
        path = self.current.generated / self.block.name / "hdl" / f"{self.block.name}_wrapper.v"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wrapper_text(self.block))
        return str(path)

    # ---- properties ----------------------------------------------------------------------------------
    def block_property(self, name: str, target: str) -> str | None:
        """Return a property of a catalogue entry, a pin or a placed segment; None if it is none of them."""
        if name == "VLNV" and (target.startswith("xilinx.com:") or target in self.catalogued):
            return target
        if name == "SUPPORTS_MODREF" and self.catalogued.get(target) is not None:
            return self.catalogued[target]
        path = target.lstrip("/")
        if self.design and name == "CONFIG.FREQ_HZ" and path in self.design.pins():
            cell = self.design.cells[path.partition("/")[0]]
            return str(actual_hz(cell.ip.name, cell.config, path))
        if self.design and path in self.design.cells and name.startswith("CONFIG."):
            try:
                return self.design.cells[path].config[name.removeprefix("CONFIG.")]
            except KeyError:
                raise ModelError(f"[Common 17-54] {target} has no property {name}") from None
        for entry in self.design.placed if self.design else ():
            if self._placed_name(entry.segment, entry.space) == target and name == "OFFSET":
                return f"{entry.offset:#018x}"
        return None

    def set_block_property(self, name: str, value: str, target: str) -> bool:
        """Set a parameter of a cell; return False if the target is none."""
        cell = self.design.cells.get(target.lstrip("/")) if self.design else None
        if cell is None:
            return False
        if not name.startswith("CONFIG."):
            raise ModelError(f"[Common 17-54] cell {target} has no property {name}")
        if name == "CONFIG.preset":
            cell.config.update(PRESETS[value])
        try:
            cell.set(name.removeprefix("CONFIG."), value)
        except NotSetError as error:
            self.messages.critical(error.identity, str(error))
        return True
