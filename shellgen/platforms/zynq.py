# SPDX-License-Identifier: BSD-3-Clause
"""Zynq-7000 and Zynq UltraScale+: the core beside the PS, its streams on AXI DMAs."""

from __future__ import annotations

import json
from typing import ClassVar

from shellgen.errors import Problem
from shellgen.model import Artifact, Board, NodePlan, Plan, Usage
from shellgen.model import Zynq as ZynqBoard
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
from shellgen.platforms.zynq_map import map_dmas
from shellgen.registers import block_registers
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


def zynq_of(board: Board) -> ZynqBoard:
    """Return the PS facts, which a board of this platform must have."""
    assert board.zynq is not None
    return board.zynq


class Zynq(Platform):
    """One Vivado project per node, made by Tcl or by edalize from the same block-design script."""

    kind: ClassVar[str] = "zynq"
    about: ClassVar[str] = (
        "Zynq-7000 and Zynq UltraScale+: a Vivado block design of the core, the processing system and a DMA "
        "for each stream, as Tcl and for edalize"
    )
    needs: ClassVar[str] = "a board file with [zynq]; Vivado 2020.1 to 2024.2 for the bitstream"
    options: ClassVar[str] = (
        "clock_mhz, [node.lite] (window, reserved, access, slot), "
        "[node.vivado] (strategy, ila, compress, accept, interrupts, memory_port; docs/zynq.md)"
    )

    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:  # noqa: ARG002 - other platforms need it
        """Check that the PS, the DMAs and the windows can serve the core."""
        board = node.board
        if board.zynq is None:
            found = f"platform {self.kind} needs a [zynq] section"
            return [Problem(f"{board.where}: zynq", found, "Add it, or correct the platform")]
        return zynq_problems(node)

    def usage(self, node: NodePlan) -> Usage | None:
        """Return what DMAs and interconnects take, as others have measured them."""
        return zynq_usage(node)

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return the block-design script, what runs it, and the EDAM file for edalize."""
        folder = f"{node.name}/vivado"
        system = processing_system(node)
        context: dict[str, object] = {
            "plan": plan,
            "node": node,
            "board": node.board,
            "zynq": node.board.zynq,
            "system": system,
            "ps": Cell(PS, system.ip, _ps_settings(node)),
            "core": CORE,
            "design": block_design(plan, node),
            "dmas": dmas(node),
            "wizard": CLOCK_WIZARD,
            "strategy": STRATEGIES[node.vivado.strategy],
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
        more = (*((settings,) if node.vivado.compress else ()), *((overlay,) if overlay else ()))
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
    own = zynq_of(node.board).ps_config
    return system.settings(node.clock_hz, memory_port(node), irq, reaches_high(node), own)


def _named_registers(node: NodePlan) -> tuple[MapRegister, ...]:
    """Return the core's own registers as the host sees them; names of those of stream k end in ``_<k>``."""
    block, base = block_registers("shell_status"), node.status.offset
    streams = range(len(node.rx) + len(node.tx))
    return tuple(
        entry.model_copy(update={"name": entry.name + suffix, "offset": entry.offset + at})
        for entries, suffix, at in (
            (block["registers"], "", base),
            *((block["stream_registers"], f"_{k}", base + k * block["stream_stride"]) for k in streams),
        )
        for entry in entries
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
