# SPDX-License-Identifier: BSD-3-Clause
"""``host/``: the programs on the boards, for bring-up, loading weights and moving frames."""

from __future__ import annotations

from shellgen.emit.host_end import host_programs
from shellgen.errors import PluginError, Problem
from shellgen.links import link_registry
from shellgen.model import Artifact, NodePlan, Plan
from shellgen.platforms import platform_registry
from shellgen.render import render
from shellgen.resources import data_dir, host_file

REMEDY = "Add it to the package, or tell the authors of the platform"

# The loader, which only needs the standard library; and the runner, which needs numpy.
LOADER = (
    "shellgen_bus",
    "shellgen_core",
    "shellgen_fields",
    "shellgen_files",
    "shellgen_library",
    "shellgen_load",
    "shellgen_map",
    "shellgen_map_rules",
    "shellgen_memory",
    "shellgen_open",
)
RUNNER = (
    "shellgen_board",
    "shellgen_dma",
    "shellgen_link",
    "shellgen_listen",
    "shellgen_mover",
    "shellgen_pump",
    "shellgen_ring",
    "shellgen_run",
    "shellgen_runner",
    "shellgen_turns",
    "shellgen_wire",
)


# Cards behind XRT, if there are any.
XRT = ("shellgen_xrt.py", "shellgen_xrt.cpp", "shellgen_xrt.h")

# What holds the memory of a card that frames only pass.
KEEP = ("shellgen_keep.py",)

# The program of the host as an end of streams, with what it shares with runners.
HOST_END = ("run_host.py", "shellgen_pump.py", "shellgen_wire.py")

# The program for all cards of a host, if there are units beside the cores.
CARDS = ("shellgen_cards.py",)

# The bring-up program, if a link has steps.
BRING_UP = ("shellgen_bring_up.py",)


def emit_host(plan: Plan) -> tuple[Artifact, ...]:
    """Return the programs of the host.

    These are the loader, the library for cards behind XRT if there are any, drivers of platforms with a bus
    of their own, the bring-up program if a link has steps, and for each node with DMAs, data movers, streams
    in memory or a driver a runner. A node under Coyote has none: shellgen-node serves it. ``run_host`` is the
    program of the host where a link of its streams has it as an end.

    Raises:
        PluginError: A driver lacks a file, or the module that opens the bus.
    """
    registry = platform_registry()
    sides = [(node, registry[node.platform].host_side(node)) for node in plan.nodes]
    others = [(node, side) for node, side in sides if not side.vfpga]
    keepers = [node for node, side in others if side.rings and not (side.dma or side.movers or side.driver)]
    nodes = [node for node, side in sides if side.dma or side.movers or side.driver or node in keepers]
    names = [f"{name}.py" for name in (*LOADER, *(RUNNER if nodes else ()))]
    folder = data_dir("templates") / "host"
    drivers = dict.fromkeys(name for node, side in sides for name in _driver(node, side.driver))
    files = [Artifact(f"host/{name}", host_file(name).read_bytes()) for name in drivers]
    files += [
        Artifact(f"host/{name}", (folder / name).read_bytes())
        for name in (
            *names,
            *(XRT if any(node.host.bus == "xrt" for node in plan.nodes) else ()),
            *(KEEP if keepers else ()),
            *_of_programs(plan),
            *(name for name in (HOST_END if host_programs(plan) else ()) if name not in names),
            *(CARDS if any(node.units for node in plan.nodes) else ()),
            *(BRING_UP if any(step.node for step in plan.bring_up) else ()),
        )
    ]
    python = (_runner(plan, node, "py") for node in nodes)
    return (*files, *python)


def _of_programs(plan: Plan) -> tuple[str, ...]:
    """Return the files by which runners are ends of streams between boards."""
    links = (link_registry()[str(one.link)] for one in plan.boundaries if one.link)
    ends = (*plan.nodes, None)
    spoken = (one for one in dict.fromkeys(links) if any(one.programs(plan, node) for node in ends))
    return tuple(dict.fromkeys(name for one in spoken for name in one.program_files))


def _driver(node: NodePlan, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files of a driver, which must be complete."""
    bus, said = node.host.bus, f"the driver of platform {node.platform}"
    if names and (names[0] != f"shellgen_bus_{bus}.py" or not bus.isidentifier()):
        found = f"{said} begins with {names[0]}, but the programs import shellgen_bus_{bus} for bus {bus}"
        remedy = (
            "The bus must be a Python name, and the module named after it; tell the authors of the platform"
        )
        raise PluginError(Problem(f"node {node.name}", found, remedy))
    absent = [name for name in names if not host_file(name).is_file()]
    missing = [Problem(f"templates/host/{name}", f"{said} lists it", REMEDY) for name in absent]
    if missing:
        raise PluginError(*missing)
    return names


def _runner(plan: Plan, node: NodePlan, kind: str) -> Artifact:
    text = render(
        f"host/node_run.{kind}.j2",
        generator=plan.generator,
        build_id=node.build_id,
        node=node.name,
        steps=any(step.node for step in plan.bring_up),
    )
    return Artifact.text(f"host/run_{node.name}.{kind}", text)
