# SPDX-License-Identifier: BSD-3-Clause
"""Alveo cards with Vitis: the core as an RTL kernel beside VNx's UDP stack and data movers."""

from __future__ import annotations

from typing import Any, ClassVar

from shellgen.errors import Problem
from shellgen.model import (
    Artifact,
    Board,
    BoardUsage,
    Clock,
    Dock,
    HostWindow,
    MemoryPort,
    NodePlan,
    NodeSpec,
    Plan,
    RingPort,
    Script,
    Stage,
)
from shellgen.model.base import Frozen
from shellgen.platforms.base import Platform
from shellgen.platforms.commands import Commands
from shellgen.platforms.host_side import HostSide
from shellgen.platforms.rings import map_rings
from shellgen.platforms.vitis.build import vitis_stages
from shellgen.platforms.vitis.check import vitis_advice, vitis_problems
from shellgen.platforms.vitis.commands import vitis_commands
from shellgen.platforms.vitis.cost import core_slr, vitis_regions, vitis_usage
from shellgen.platforms.vitis.facts import (
    ADDRESS_BITS,
    BANK_INTERFACES,
    DIRECT_BYTES,
    HOST_LATENCY,
    HOST_STAGE,
    KIND,
    LEAST_RING_BITS,
    LINE_BPS,
    MOST_RINGS,
    MOVER_BYTES,
    RING_BURST,
    SOCKETS,
    STREAM_BITS,
    WINDOW_BYTES,
    VitisFacts,
    VitisOptions,
    options_of,
)
from shellgen.platforms.vitis.kernel import INSTANCE, kernel_name
from shellgen.platforms.vitis.map import map_movers
from shellgen.platforms.vitis.scripts import HOOKS, vitis_artifacts
from shellgen.platforms.vitis.streams import kept

# Each is an AXI4 master of the kernel.
_RING: dict[str, Any] = {
    "bits": STREAM_BITS,
    "least": LEAST_RING_BITS,
    "addr_bits": ADDRESS_BITS,
    "burst": RING_BURST,
    "ports": MOST_RINGS,
}


class Vitis(Platform):
    """One kernel per node, which v++ links with the kernels of VNx that its streams need."""

    kind: ClassVar[str] = KIND
    Facts: ClassVar[type[Frozen]] = VitisFacts
    Options: ClassVar[type[Frozen]] = VitisOptions
    host_link: ClassVar[str] = "vitis_mover"
    direct_bytes: ClassVar[int | None] = DIRECT_BYTES
    around: ClassVar[str] = "target platform, network, memory"
    about: ClassVar[str] = (
        "Alveo cards: the core as a Vitis RTL kernel, linked with VNx's 100G UDP stack and data movers"
    )
    needs: ClassVar[str] = "a board file with [platform.vitis]; Vitis 2021.1 to 2022.2, XRT and VNx"

    def window(self, board: Board) -> HostWindow:  # noqa: ARG002 - the same on every card
        """Return what XRT opens of a kernel's registers; its addresses begin at 0 for every kernel."""
        return HostWindow(base=0, bytes=WINDOW_BYTES, bus="xrt")

    def clocks(self, board: Board, node: NodeSpec) -> tuple[Clock, ...]:
        """Return ap_clk and, if asked for, ap_clk_2 for the partitions (UG1393)."""
        clocks = super().clocks(board, node)
        if node.compute_mhz is None:
            return clocks
        hz = round(node.compute_mhz * 1e6)
        return (*clocks, Clock(name="compute_aclk", reset="compute_aresetn", hz=hz))

    def clock_near(self, hz: int) -> int:
        """Return whole MHz, in which v++ counts."""
        return hz // 1_000_000 * 1_000_000

    def docks(self, board: Board) -> dict[str, Dock]:
        """Return the sockets of VNx at each QSFP, and movers behind one bank of memory."""
        qsfps = board.facts(self.kind, VitisFacts).qsfps
        return {
            "udp": Dock(slots=SOCKETS * qsfps, ports=qsfps, bits=STREAM_BITS, line_bps=LINE_BPS),
            "mover": Dock(slots=BANK_INTERFACES, bits=STREAM_BITS, transfer_bytes=MOVER_BYTES),
            "tcp": Dock(bits=STREAM_BITS, software=True),
        }

    def ring_port(self, board: Board) -> RingPort | None:
        """Return a master of the kernel, which v++ joins to a bank of DDR or HBM of known size."""
        facts = board.facts(self.kind, VitisFacts)
        if not (facts.bank_bytes and facts.bank_bytes_per_s):
            return None
        kind = facts.memory.partition("[")[0]
        rate = next(value for name, value in facts.bank_bytes_per_s.items() if name == kind)
        return RingPort(**_RING, bytes_per_s=rate)

    def host_ring_port(self, board: Board) -> RingPort | None:
        """Return a master of the kernel, which v++ joins to the bridge of PCIe."""
        facts = board.facts(self.kind, VitisFacts)
        if facts.host_bytes_per_s is None:
            return None
        behind: dict[str, Any] = {"stage": HOST_STAGE, "latency": HOST_LATENCY}
        return RingPort(**_RING, **behind, bytes_per_s=facts.host_bytes_per_s, host=True)

    def memory_at(self, node: NodePlan, port: MemoryPort) -> str:
        """Return the bank of DDR, the pseudo channel of HBM, or the host's, that v++ joins to a port."""
        return next(bank for one, bank in kept(node) if one.name == port.name)

    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:
        """Check that a kernel can be made of the core, and what surrounds it exists on the card."""
        return vitis_problems(plan, node)

    def advice(self, plan: Plan, node: NodePlan) -> list[str]:  # noqa: ARG002 - other platforms need it
        """Return what will run slower than the user may think."""
        return vitis_advice(node)

    def usage(self, plan: Plan, node: NodePlan) -> BoardUsage:
        """Return the resources of target platform, VNx and memory controller by FINN's figures, and the SLRs.

        SLRs are known if FINN's floorplan or cluster.toml says what is where.
        """
        return BoardUsage(around=vitis_usage(node), regions=vitis_regions(plan, node))

    def core_region(self, node: NodePlan) -> int:
        """Return the SLR of what the core's streams end at."""
        return core_slr(node)

    def stages(self, node: NodePlan) -> tuple[Stage, ...]:
        """Return the targets of the Makefile: the kernel, VNx's kernels, the bitstream."""
        return vitis_stages(node)

    def scripts(self, node: NodePlan) -> tuple[Script, ...]:
        """Return the script of the kernel, and those that v++ gives to its project and its run."""
        options = options_of(node)
        hooks = (
            Script(
                file=f"vitis/{name}",
                opened=node.board.part,
                design="linked" if moment == "block_design" else "",
            )
            for moment, name in HOOKS.items()
            if options.at(moment)
        )
        opened = node.board.part if options.constraints else ""
        before = Script(file="vitis/before_opt.tcl", opened=opened, inside="run")
        return (Script(file="vitis/package.tcl"), before, *hooks)

    def commands(self, node: NodePlan) -> Commands:
        """Return what the Makefile runs."""
        return vitis_commands(node)

    def host_side(self, node: NodePlan) -> HostSide:
        """Return XRT's name of the core, and VNx's data movers."""
        banks = tuple(bank for _, bank in kept(node))
        return HostSide(
            ip=f"{kernel_name(node)}:{{{INSTANCE}}}",
            movers=map_movers(node),
            rings=map_rings(node, (), banks),
        )

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return the kernel's wrapper and description, the scripts, and the Makefile that runs them."""
        return vitis_artifacts(plan, node, files)
