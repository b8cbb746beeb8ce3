# SPDX-License-Identifier: BSD-3-Clause
"""``host/``: what runs on the boards, to load weights and to move frames."""

from __future__ import annotations

from shellgen.model import Artifact, NodePlan, Plan
from shellgen.platforms import platform_registry
from shellgen.render import render
from shellgen.resources import data_dir

# The loader, which needs only the standard library; and what moves frames, which needs numpy.
LOADER = ("shellgen_bus", "shellgen_core", "shellgen_files", "shellgen_load", "shellgen_memory")
RUNNER = (
    "shellgen_board",
    "shellgen_dma",
    "shellgen_link",
    "shellgen_pump",
    "shellgen_run",
    "shellgen_runner",
    "shellgen_wire",
)


# The loader in C, beside memory_map.h.
PROGRAMS = ("shellgen_device.h", "shellgen_host.h", "shellgen_load.c")


def emit_host(plan: Plan) -> tuple[Artifact, ...]:
    """Return the loader, and for each node whose board has DMAs a program that runs frames through it."""
    nodes = [node for node in plan.nodes if platform_registry()[node.board.platform].dma(node)]
    names = [f"{name}.py" for name in (*LOADER, *(RUNNER if nodes else ()))]
    folder = data_dir("templates") / "host"
    files = [Artifact(f"host/{name}", (folder / name).read_bytes()) for name in (*names, *PROGRAMS)]
    return (*files, *(_runner(plan, node) for node in nodes))


def _runner(plan: Plan, node: NodePlan) -> Artifact:
    text = render("host/run_node.py.j2", generator=plan.generator, build_id=plan.build_id, node=node.name)
    return Artifact.text(f"host/run_{node.name}.py", text)
