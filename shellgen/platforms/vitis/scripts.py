# SPDX-License-Identifier: BSD-3-Clause
"""Generated files of a node of the Vitis platform: the kernel, and the scripts that package and link it."""

from __future__ import annotations

from shellgen.model import Artifact, NodePlan, Plan
from shellgen.model.hooks import Moment, user_files
from shellgen.platforms.constraints import constraint_text, constraints
from shellgen.platforms.hooks import hook_script
from shellgen.platforms.messages import SYNTHESIS
from shellgen.platforms.sources import sort_sources
from shellgen.platforms.vitis.facts import HOST, RING_BURST, facts_of, options_of
from shellgen.platforms.vitis.kernel import (
    AXIS,
    CONTROL,
    INSTANCE,
    arguments,
    clocks,
    control_bytes,
    interfaces,
    kernel_name,
    pointers,
)
from shellgen.platforms.vitis.link import link_of, placed_partitions
from shellgen.render import render

VENDOR, LIBRARY = "shellgen", "kernel"
# The newest commit of Xilinx/xup_vitis_network_example that pins an existing commit of its submodule
# hpcn-uam/100G-fpga-network-stack-core, the head of vnx-vitis-hls. Later ones pin 50bec014.
VNX_COMMIT = "d5147d827de9cf6a16d743c1c376feccbb4075db"
CORES_COMMIT = "872d53d706c04dad50fc50faeb1bb96256060ffe"
# What before_opt.tcl prints at its end.
MARKER = "shellgen: constraints are set"
# Hooks that source scripts of the user, and what each prints at its end.
HOOKS: dict[Moment, str] = {"block_design": "after_link.tcl", "bitstream": "before_bitstream.tcl"}
# Beats of a FIFO on the chip, if a ring does not say it.
STAGE = 128
# The scalable clocks of a platform of an Alveo card, as an xclbin calls them.
SCALABLE = ("DATA_CLK", "KERNEL_CLK")


def vitis_artifacts(plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
    """Return wrapper, kernel.xml, scripts, configuration and Makefile, in ``<node>/vitis/``."""
    answers, wrapper = _answers(plan, node, files), {"kernel.v": f"{kernel_name(node)}.v"}
    folder, options = f"{node.name}/vitis", options_of(node)
    files_of_ours = (
        Artifact.text(f"{folder}/{wrapper.get(name, name)}", render(f"platforms/vitis/{name}.j2", **answers))
        for name in ("kernel.v", "kernel.xml", "package.tcl", "link.cfg", "before_opt.tcl", "Makefile")
    )
    hooks = (
        hook_script(plan, node, f"{folder}/{name}", moment, options, marker=hook_marker(moment))
        for moment, name in HOOKS.items()
        if options.at(moment)
    )
    return (*files_of_ours, *hooks)


def hook_marker(moment: Moment) -> str:
    """Return what the hook of a moment prints at its end, which the Makefile looks for."""
    return f"shellgen: scripts of tcl.{moment} are done"


def _outstanding(node: NodePlan) -> list[tuple[str, int]]:
    """Return the bursts of each master that are under way in each direction: what its FIFOs on the chip hold.

    Interconnects are sized by it (PG059, PG247).
    """
    rings = [inner.ring for inner in node.inner if inner.ring]
    return [(ring.port.name, (ring.stage or STAGE) // ring.burst) for ring in rings]


def _answers(plan: Plan, node: NodePlan, files: tuple[str, ...]) -> dict[str, object]:
    """Return the variables of the templates."""
    kernel, link, faces = kernel_name(node), link_of(plan, node), interfaces(node)
    registers, streams = arguments(node), [one for one in faces if one.vlnv == AXIS]
    masters = faces[1 + len(streams) :]
    sources = sort_sources((*files, f"vitis/{kernel}.v"))
    return {
        "plan": plan,
        "node": node,
        "kernel": kernel,
        "vendor": VENDOR,
        "library": LIBRARY,
        "vlnv": f"{VENDOR}:{LIBRARY}:{kernel}:1.0",
        "control": CONTROL,
        "control_bytes": control_bytes(node),
        "instance": INSTANCE,
        "clocks": clocks(node),
        "interfaces": faces,
        "streams": streams,
        "masters": masters,
        "outstanding": _outstanding(node),
        "host_memory": HOST if any(port.host for port in node.memory_ports) else "",
        "burst": RING_BURST,
        "arguments": registers,
        "numbered": tuple(enumerate(streams, len(registers))),
        "pointers": tuple(
            enumerate(zip(pointers(node), masters, strict=True), len(registers) + len(streams))
        ),
        "link": link,
        "target": options_of(node).target or facts_of(node).target,
        "udp_cores": facts_of(node).udp_cores,
        "unbuildable": () if options_of(node).target else facts_of(node).unbuildable,
        "vnx_commit": VNX_COMMIT,
        "cores_commit": CORES_COMMIT,
        "files": files,
        "top": kernel,
        "sources": sources,
        "constraints": [(name, constraint_text(name).decode()) for name in constraints(files)],
        "placed": tuple(placed_partitions(plan, node).items()),
        "options": options_of(node),
        "marker": MARKER,
        "hooked": tuple(user_files(node.options)),
        "heard": [(HOOKS[moment], hook_marker(moment)) for moment in HOOKS if options_of(node).at(moment)],
        "messages": tuple(SYNTHESIS.items()),
        "asked": tuple(zip(SCALABLE, link.frequencies, strict=False)),
    }
