# SPDX-License-Identifier: BSD-3-Clause
"""Coyote v1: the body of its user logic, ACCL's block design, and what brings both into its project."""

from __future__ import annotations

from typing import ClassVar

from shellgen.errors import Problem
from shellgen.model import Artifact, NodePlan, Plan, Script, Stage
from shellgen.model.hooks import Moment, user_files
from shellgen.platforms.block_design import PlannedDesign
from shellgen.platforms.commands import Commands
from shellgen.platforms.coyote.commands import v1_commands
from shellgen.platforms.coyote.core import LIBRARY, VENDOR, core_ip, core_module, core_revision
from shellgen.platforms.coyote.facts import CLOCK_HZ, VersionName, facts_of, options_of
from shellgen.platforms.coyote.hooks import NO_DESIGN, run_hooks, run_scripts
from shellgen.platforms.coyote.v1_build import v1_stages
from shellgen.platforms.coyote.v1_check import v1_problems
from shellgen.platforms.coyote.v1_design import (
    CONTROL,
    CONTROL_CONFIG,
    CROSSBAR,
    KERNEL_CLOCK_HZ,
    NO_SUPPRESS,
    Network,
    accl_design,
    engine_streams,
    plugins,
)
from shellgen.platforms.coyote.v1_engine import has_engine
from shellgen.platforms.coyote.v1_shell import shell_interfaces, shell_package, shell_user_logic
from shellgen.platforms.coyote.v1_wiring import first_stream, stream_count, wiring
from shellgen.platforms.coyote.version import Version
from shellgen.platforms.hooks import hook_problems
from shellgen.platforms.messages import DESIGN, SYNTHESIS, DesignMessage
from shellgen.platforms.settings import Choice, ToolSettings
from shellgen.render import render

MEGA = 1_000_000
MODULE = "design_user_logic_c0_0"
# Register slices that ACCL's own design has in each stream of memory.
STAGES = 4
# How ACCL's adapters for Coyote read and write requests: members and their bits, the highest first (cyt.h).
REQUEST = "vaddr 48 len 28 stream 1 sync 1 ctl 1 host 1 dest 4 pid 6 vfid 1 rsrvd 5"
RESPONSE = "done 1 host 1 stream 1 dest 4 pid 6"
REMOTE = "opcode 5 qpn 10 host 1 mode 1 last 1 cmplt 1 ssn 24 offs 4 msg 448 rsrvd 17"
LAYOUTS: dict[Network, dict[str, str]] = {
    "rdma": {"req_t": REQUEST, "dma_rsp_t": RESPONSE, "rdma_req_t": REMOTE},
    "tcp": {"req_t": REQUEST, "dma_rsp_t": RESPONSE},
}
# Vivado goes on after these, with a design that is not the one asked for.
FATAL: tuple[DesignMessage, ...] = ("BD 41-1276", "BD 41-1356")
# Clones that the files of this version were tried with: Coyote, ACCL, and what came of it (docs/coyote.md).
TRIED = (("46298860", "723d8ec3", "both elaborate, and project.tcl refuses the pair: its requests differ"),)


class V1(Version):
    """User logic of Coyote's former version, for which ACCL has been written."""

    name: ClassVar[VersionName] = "v1"
    streams: ClassVar[int] = 16  # what the 4 bits of `dest` in a request can tell apart

    def first(self, node: NodePlan) -> int:
        """Return the first host stream behind those of ACCL's own DMA."""
        return first_stream(network_of(node))

    def problems(self, plan: Plan, node: NodePlan) -> list[Problem]:  # noqa: ARG002 - the version's interface
        """Return what this version and ACCL cannot do for a node."""
        absent: dict[Moment, str] = (
            {} if network_of(node) else {"block_design": f"{NO_DESIGN}, and no ACCL is here"}
        )
        return [*v1_problems(node), *hook_problems(node, options_of(node), absent)]

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return the user logic, the scripts, and the Makefile that runs them, in ``<node>/coyote/``."""
        answers, network = _answers(plan, node, files), network_of(node)
        names = ("user_logic.svh", "project.tcl", *(("accl_bd.tcl",) if network else ()))
        places = {name: f"hw/{name}" for name in names} | {
            "clone.sh": "hw/clone.sh",
            "heard.sh": "hw/heard.sh",
            "Makefile": "Makefile",
        }
        files_of_ours = (
            Artifact.text(f"{node.name}/coyote/{place}", render(f"platforms/coyote/v1/{name}.j2", **answers))
            for name, place in places.items()
        )
        return (*files_of_ours, *run_hooks(plan, node))

    def scripts(self, node: NodePlan) -> tuple[Script, ...]:
        """Return what brings the core, its user logic and ACCL's block design into Coyote's project."""
        build, network = "coyote/build/hw", network_of(node)
        settings = {name: str(value) for name, value in variables(node)}
        logic = f"{build}/lynx/hdl/config_0/{MODULE.removeprefix('design_')}.sv"
        given = {
            logic: shell_user_logic(shell_interfaces(settings)),
            f"{build}/lynx/hdl/wrappers/common/lynx_pkg.sv": shell_package(
                LAYOUTS[network] if network else {}
            ),
            "coyote/build/kernels/README.md": "ACCL's kernels\n",
        }
        return (
            Script(
                file="coyote/hw/project.tcl",
                arguments=("../build/hw",),
                opened=node.board.part,
                left=f"{build}/lynx/lynx.xpr",
                given=tuple(given.items()),
            ),
            *run_scripts(node),
        )

    def advice(self, node: NodePlan) -> list[str]:
        """Return what is reported of RDMA on the card."""
        reported = facts_of(node).v1_rdma
        if network_of(node) != "rdma" or not reported:
            return []
        return [
            f"node {node.name}: RDMA of Coyote v1, which ACCL sends through, {reported} on "
            f"{node.board.name}; "
            f'if it does, try [node.options.{node.platform}] network = "tcp", or another card'
        ]

    def designs(self, node: NodePlan) -> tuple[PlannedDesign, ...]:
        """Return ACCL's block design."""
        network = network_of(node)
        return (accl_design(network).planned(),) if network else ()

    def commands(self, node: NodePlan) -> Commands:
        """Return what the Makefile runs; with ACCL, it unpacks its kernels as well."""
        network, part = network_of(node), node.board.part
        if network is None:
            return v1_commands()
        beside = (f"plugins/{folder}/{name}_{part}.xo" for folder, name in plugins(network))
        return v1_commands((f"cclo/{network.upper()}_11110_{part}/ccl_offload.xo", *beside))

    def settings(self, node: NodePlan) -> ToolSettings:
        """Return the register slices in streams of memory, which any number of stages does."""
        sliced = Choice("coyote/hw/user_logic.svh", r"\bN_STAGES\((\w+)\)", str(STAGES))
        return ToolSettings(choices=(sliced,) if network_of(node) else ())

    def stages(self, node: NodePlan) -> tuple[Stage, ...]:
        """Return the targets of the Makefile that follow the packaged core."""
        return v1_stages(node, bool(network_of(node)))


def network_of(node: NodePlan) -> Network | None:
    """Return what ACCL sends through: as cluster.toml says, else RDMA; None without ACCL."""
    return (options_of(node).network or "rdma") if has_engine(node) else None


def variables(node: NodePlan) -> tuple[tuple[str, object], ...]:
    """Return Coyote's variables, by their names there.

    Source: Coyote 46298860, hw/CMakeLists.txt; with ACCL: ACCL 723d8ec, test/refdesigns/Makefile.
    """
    network = network_of(node)
    found: list[tuple[str, object]] = [
        ("FDEV_NAME", facts_of(node).device),
        ("EN_HLS", 0),
        ("EN_STRM", 1),
        ("N_STRM_AXI", stream_count(node, network)),
        ("ACLK_F", CLOCK_HZ // MEGA),
    ]
    if network:
        channels = 2 if facts_of(node).memory == "DDR" else 0
        found += [
            ("EN_BPSS", 1),
            ("EN_MEM", 1),
            ("N_CARD_AXI", engine_streams(network)),
            ("N_DDR_CHAN", channels),
        ]
    if network == "rdma":
        found += [("EN_RDMA_0", 1), ("EN_RPC", 1), ("TLBL_A", 12)]
    elif network == "tcp":
        found += [("EN_TCP_0", 1)]
    elif node.clock_hz != CLOCK_HZ:
        found += [("EN_UCLK", 1), ("UCLK_F", node.clock_hz // MEGA)]
    return tuple(found)


def _answers(plan: Plan, node: NodePlan, files: tuple[str, ...]) -> dict[str, object]:
    """Return the variables of the templates."""
    network = network_of(node)
    wires = wiring(node, network)
    return {
        "plan": plan,
        "node": node,
        "module": MODULE,
        "file": f"{MODULE.removeprefix('design_')}.sv",
        "config": 0,
        "network": network,
        "options": options_of(node),
        "hooked": tuple(user_files(node.options)),
        "stages": STAGES,
        "sliced": wires.sliced,
        "nets": wires.nets,
        "core": wires.core,
        "engine": wires.engine,
        "assigns": wires.assigns,
        "interfaces": wires.interfaces,
        "core_module": core_module(node),
        "core_ip": core_ip(node),
        "vendor": VENDOR,
        "library": LIBRARY,
        "revision": core_revision(node),
        "files": files,
        "settings": tuple(f"-D{name}={value}" for name, value in variables(node)),
        "planned": variables(node),
        "names": [name for name, _ in variables(node) if name != "FDEV_NAME"],
        "tried": TRIED,
        "facts": facts_of(node),
        "version": "v1",
        "device": facts_of(node).device,
        "part": node.board.part,
        "plugins": plugins(network) if network else (),
        "repositories": ("ip", *(("kernels",) if network else ())),
        "layouts": LAYOUTS[network] if network else {},
        "design": accl_design(network) if network else None,
        "hz": KERNEL_CLOCK_HZ,
        "control": CONTROL,
        "control_config": CONTROL_CONFIG,
        "crossbar": CROSSBAR,
        "constant": NO_SUPPRESS,
        "fatal": tuple((name, DESIGN[name]) for name in FATAL),
        "messages": tuple(SYNTHESIS.items()),
    }
