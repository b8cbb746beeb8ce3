# SPDX-License-Identifier: BSD-3-Clause
"""What is written for a node of the Vitis platform: the kernel, and what packages and links it."""

from __future__ import annotations

from shellgen.model import Artifact, NodePlan, Plan
from shellgen.platforms.constraints import constraint_text, constraints
from shellgen.platforms.messages import SYNTHESIS
from shellgen.platforms.sources import sort_sources
from shellgen.platforms.vitis.facts import STREAM_BITS, facts_of, options_of
from shellgen.platforms.vitis.kernel import (
    CONTROL,
    INSTANCE,
    arguments,
    clocks,
    control_bytes,
    interfaces,
    kernel_name,
)
from shellgen.platforms.vitis.link import link_of, placed_partitions
from shellgen.render import render

VENDOR, LIBRARY = "shellgen", "kernel"
# What before_opt.tcl prints at its end.
MARKER = "shellgen: constraints are set"
# The scalable clocks of a platform of an Alveo card, as an xclbin calls them.
SCALABLE = ("DATA_CLK", "KERNEL_CLK")


def vitis_artifacts(plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
    """Return wrapper, kernel.xml, scripts, configuration and Makefile, in ``<node>/vitis/``."""
    answers, wrapper = _answers(plan, node, files), {"kernel.v": f"{kernel_name(node)}.v"}
    return tuple(
        Artifact.text(
            f"{node.name}/vitis/{wrapper.get(name, name)}", render(f"platforms/vitis/{name}.j2", **answers)
        )
        for name in ("kernel.v", "kernel.xml", "package.tcl", "link.cfg", "before_opt.tcl", "Makefile")
    )


def _answers(plan: Plan, node: NodePlan, files: tuple[str, ...]) -> dict[str, object]:
    """Return what the templates are told."""
    kernel, link, faces = kernel_name(node), link_of(plan, node), interfaces(node)
    registers, streams = arguments(node), faces[1:]
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
        "stream_bits": STREAM_BITS,
        "arguments": registers,
        "numbered": tuple(enumerate(streams, len(registers))),
        "link": link,
        "target": options_of(node).target or facts_of(node).target,
        "udp_cores": facts_of(node).udp_cores,
        "files": files,
        "top": kernel,
        "sources": sources,
        "constraints": [(name, constraint_text(name).decode()) for name in constraints(files)],
        "placed": tuple(placed_partitions(plan, node).items()),
        "marker": MARKER,
        "messages": tuple(SYNTHESIS.items()),
        "asked": tuple(zip(SCALABLE, link.frequencies, strict=False)),
    }
