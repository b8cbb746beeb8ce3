# SPDX-License-Identifier: BSD-3-Clause
"""Zynq-7000 and Zynq UltraScale+: the core beside the PS, its streams on AXI DMAs."""

from __future__ import annotations

import json
from typing import ClassVar

from shellgen.errors import Problem
from shellgen.model import Artifact, Board, Dock, HostWindow, NodePlan, Plan, Usage
from shellgen.model.base import Frozen
from shellgen.model.memory_map import MapDma, MapInterruptController, MapRegister
from shellgen.platforms.base import Platform
from shellgen.platforms.block_design import Cell
from shellgen.platforms.devicetree import device_tree
from shellgen.platforms.interrupts import processing_system
from shellgen.platforms.messages import fatal_messages
from shellgen.platforms.packaged import packaged_partitions
from shellgen.platforms.ps import CELL as PS
from shellgen.platforms.strategy import STRATEGIES
from shellgen.platforms.zynq_check import zynq_problems
from shellgen.platforms.zynq_cost import zynq_usage
from shellgen.platforms.zynq_design import CLOCK_WIZARD, CORE, block_design
from shellgen.platforms.zynq_dma import dmas, memory_port, reaches_high, wiring
from shellgen.platforms.zynq_facts import (
    DMA_LENGTH_BITS,
    KIND,
    MAX_MEMORY_MASTERS,
    ZynqFacts,
    ZynqOptions,
    facts_of,
    options_of,
)
from shellgen.platforms.zynq_map import map_dmas
from shellgen.registers import map_block
from shellgen.render import render

# What Vivado and edalize call a source; the block-design script adds the data files.
EDAM_TYPES = {
    "v": "verilogSource",
    "sv": "systemVerilogSource",
    "vh": "verilogSource",
    "svh": "verilogSource",
}
HEADERS = ("vh", "svh")
SCRIPTS = ("build.tcl", "bd.tcl", "messages.tcl", "export.tcl")
NETLISTS = ("dcp", "edf", "edif", "edn", "ngc")  # of a partition that comes without RTL


class Zynq(Platform):
    """One Vivado project per node, made by Tcl or by edalize from the same block-design script."""

    kind: ClassVar[str] = KIND
    Facts: ClassVar[type[Frozen]] = ZynqFacts
    Options: ClassVar[type[Frozen]] = ZynqOptions
    host_link: ClassVar[str] = "tcp_dma"
    about: ClassVar[str] = (
        "Zynq-7000 and Zynq UltraScale+: a Vivado block design of the core, the processing system and a DMA "
        "for each stream, as Tcl and for edalize"
    )
    needs: ClassVar[str] = "a board file with [platform.zynq]; Vivado 2020.1 to 2024.2 for the bitstream"
    options: ClassVar[str] = (
        "clock_mhz, [node.lite] (window, reserved, access), "
        "[node.options.zynq] (strategy, ila, compress, accept, interrupts, memory_port; docs/zynq.md)"
    )

    def window(self, board: Board) -> HostWindow:
        """Return the part of the PS's general-purpose master window that the core may take."""
        facts = facts_of(board)
        return HostWindow(base=facts.lite_base, bytes=facts.lite_bytes, bus="devmem")

    def docks(self, board: Board) -> dict[str, Dock]:
        """Return AXI DMAs behind one memory port: a slot for each master of its interconnect."""
        bits = facts_of(board).hp_data_bits
        return {"dma": Dock(slots=MAX_MEMORY_MASTERS, bits=bits, transfer_bytes=(1 << DMA_LENGTH_BITS) - 1)}

    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:  # noqa: ARG002 - other platforms need it
        """Check that the PS, the DMAs and the windows can serve the core."""
        return zynq_problems(node)

    def usage(self, node: NodePlan) -> Usage | None:
        """Return what DMAs and interconnects take, as others have measured them."""
        return zynq_usage(node)

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return the block-design script, what runs it, and the EDAM file for edalize."""
        folder = f"{node.name}/vivado"
        system, options = processing_system(node), options_of(node)
        context: dict[str, object] = {
            "plan": plan,
            "node": node,
            "board": node.board,
            "zynq": facts_of(node.board),
            "options": options,
            "system": system,
            "ps": Cell(PS, system.ip, _ps_settings(node)),
            "core": CORE,
            "tolerance_hz": node.clock_hz // 10,  # what the PS may miss it by
            "design": block_design(plan, node),
            "dmas": dmas(node),
            "wizard": CLOCK_WIZARD,
            "strategy": STRATEGIES[options.strategy],
            "messages": fatal_messages(node),
            "packaged": packaged_partitions(plan, node),
            "registers": _named_registers(node),
            "lost": [layer for name in node.partitions for layer in plan.partition(name).lost_weights],
            "double_clock": any(plan.partition(name).clock2x for name in node.partitions),
            "verilog": [name for name in files if _extension(name) == "v"],
            "systemverilog": [name for name in files if _extension(name) == "sv"],
            "include_dirs": sorted(
                {name.rpartition("/")[0] for name in files if _extension(name) in HEADERS}
            ),
            "netlists": [name for name in files if _extension(name) in NETLISTS],
            "data": [name for name in files if _extension(name) not in {*EDAM_TYPES, *NETLISTS}],
        }
        scripts = tuple(
            Artifact.text(f"{folder}/{name}", render(f"tcl/zynq/{name}.j2", **context)) for name in SCRIPTS
        )
        names = Artifact.text(f"{folder}/registers.xml", render("tcl/zynq/registers.xml.j2", **context))
        settings = Artifact.text(f"{folder}/bitstream.xdc", render("tcl/zynq/bitstream.xdc.j2", **context))
        edam = Artifact.text(f"{folder}/{node.name}.eda.json", _edam(node, files))
        overlay = device_tree(plan, node)
        more = (*((settings,) if options.compress else ()), *((overlay,) if overlay else ()))
        return (*scripts, names, edam, *more)

    def dma(self, node: NodePlan) -> tuple[MapDma, ...]:
        """Return the AXI DMAs."""
        return map_dmas(node)

    def interrupt_controller(self, node: NodePlan) -> MapInterruptController | None:
        """Return the AXI interrupt controller, unless lines are direct or not connected."""
        return wiring(node).controller


def _ps_settings(node: NodePlan) -> dict[str, str]:
    """Return all parameters of the PS cell."""
    system, irq = processing_system(node), bool(wiring(node).pins)
    own = facts_of(node.board).ps_config
    return system.settings(node.clock_hz, memory_port(node), irq, reaches_high(node), own)


def _named_registers(node: NodePlan) -> tuple[tuple[str, int, MapRegister], ...]:
    """Return name, offset and meaning of the core's own registers; of several alike, k is ``<name>_<k>``."""
    status = map_block(node, node.status)
    return tuple(
        (name, status.base - node.lite_base + offset, register)
        for register in status.registers
        for name, offset in register.elements
    )


def _extension(name: str) -> str:
    return name.rpartition(".")[2]


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


def _edam(node: NodePlan, files: tuple[str, ...]) -> str:
    """Describe the node for edalize's Vivado flow, with a folder beside the scripts as work root.

    RTL comes before the script that makes the block design, which refers to the core by its module; the
    top is the wrapper that the script makes (docs/zynq.md).
    """
    entries: list[dict[str, object]] = []
    for name in files:
        entry: dict[str, object] = {"name": f"../../{name}"}
        entry["file_type"] = EDAM_TYPES.get(_extension(name), "user")
        if _extension(name) in HEADERS:
            entry["is_include_file"] = True
        entries.append(entry)
    entries.append({"name": "../bd.tcl", "file_type": "tclSource"})
    export = [
        "vivado",
        "-mode",
        "batch",
        "-notrace",
        "-source",
        "../export.tcl",
        "-tclargs",
        f"{node.name}.xpr",
    ]
    edam = {
        "name": node.name,
        "toplevel": "top_wrapper",
        "files": entries,
        # Otherwise edalize sets None after our script, and no module reference resolves any more.
        "flow_options": {"part": node.board.part, "source_mgmt_mode": "All"},
        "hooks": {"post_build": [{"name": "export", "cmd": export}]},
    }
    return json.dumps(edam, indent=1) + "\n"
