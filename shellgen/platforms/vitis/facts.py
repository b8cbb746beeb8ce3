# SPDX-License-Identifier: BSD-3-Clause
"""Facts of a card in its board file, and options in cluster.toml, for the Vitis platform."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt, model_validator

from shellgen.model import NodePlan, Resources
from shellgen.model.base import Frozen
from shellgen.model.hooks import HookOptions
from shellgen.model.names import Word

KIND = "vitis"

# What XRT opens of a kernel's registers, and how the address map of a kernel is laid out (docs/vitis.md).
WINDOW_BYTES = 0x1_0000
# From here on FINN's own driver warns that an Alveo card's memories cannot be written directly.
DIRECT_BYTES = 0x4000
# AXI-Stream interfaces of VNx, whose movers and UDP stack are as wide.
STREAM_BITS = 512
LINE_BPS = 100_000_000_000  # of a QSFP28 cage: 100GBASE (IEEE 802.3)
# MAX_SOCKETS of VNx; its README warns that more may not meet timing.
SOCKETS = 16
# Kernel interfaces that one bank of memory takes (UG1393, Mapping Kernel Ports to Memory).
BANK_INTERFACES = 15
# Rings of a core: those of ip/links/ddr_ring/ddr_ring_port; beats of a burst, of which the FIFOs on the chip
# hold eight, so that they cover 96 cycles of latency; an address as every master of a kernel has it (UG1393).
MOST_RINGS, RING_BURST, ADDRESS_BITS, LEAST_RING_BITS = 8, 16, 64, 64
# For the memory of the host, behind PCIe, whose bridge takes 32 reads and 32 writes at once (PG194): as many
# as the FIFOs on the chip hold, which cover 480 cycles; and the bench's, a microsecond at the default clock.
# A read takes about that (R. Neugebauer, Understanding PCIe Performance for End Host Networking, SIGCOMM).
HOST, HOST_STAGE, HOST_LATENCY = "HOST[0]", 512, 220
# `size` of VNx's movers is 32 bits, of which XRT's Python passes a signed number; and they carry whole beats.
MOVER_BYTES = (1 << 31) - STREAM_BITS // 8

# Vivado's own (UG904), by name; "default" is not one of them.
Strategy = Literal[
    "default",
    "Performance_Explore",
    "Performance_ExplorePostRoutePhysOpt",
    "Performance_ExploreWithRemap",
    "Performance_WLBlockPlacement",
    "Performance_WLBlockPlacementFanoutOpt",
    "Performance_EarlyBlockPlacement",
    "Performance_NetDelay_high",
    "Performance_NetDelay_low",
    "Performance_Retiming",
    "Performance_ExtraTimingOpt",
    "Performance_RefinePlacement",
    "Performance_SpreadSLLs",
    "Performance_BalanceSLLs",
    "Performance_BalanceSLRs",
    "Performance_HighUtilSLRs",
    "Congestion_SpreadLogic_high",
    "Congestion_SpreadLogic_medium",
    "Congestion_SpreadLogic_low",
    "Congestion_SSI_SpreadLogic_high",
    "Congestion_SSI_SpreadLogic_low",
    "Area_Explore",
]
MemoryKind = Literal["HBM", "DDR"]


def _bank(value: str) -> str:
    if not re.fullmatch(r"(HBM|DDR)\[\d{1,2}\]", value):
        raise ValueError("expected a bank such as HBM[0] or DDR[1]")
    return value


Release = Annotated[str, Field(pattern=r"^20\d\d\.[1-9]$")]
Bank = Annotated[str, AfterValidator(_bank)]


class VitisFacts(Frozen):
    """``[platform.vitis]``: an Alveo card and the target platform that runs on it.

    Attributes:
        target: Target platform, by its name, for which VNx builds.
        qsfps: QSFP cages that VNx can use.
        network_slr: SLR into which VNx puts its kernels.
        unbuildable: Releases of Vitis with which a design with VNx fails for this target after hours.
        udp_cores: Folder of VNx's HLS cores for this card.
        banks: Banks of each kind of memory.
        bank_bytes: Bytes of a bank of each kind; without them and the next no stream is kept in memory.
        bank_bytes_per_s: What a bank of each kind moves at most, in both directions together.
        host_bytes_per_s: What kernels move to and from the memory of the host at most, likewise; without it
            no stream is kept there.
        memory: Bank that movers and streams in memory use unless cluster.toml says another.
        memory_slr: SLR in which that bank is reached.
        slrs: What the kernels can have of each SLR, in order.
    """

    target: Word
    qsfps: Literal[1, 2]
    unbuildable: tuple[Release, ...] = ()
    network_slr: NonNegativeInt
    udp_cores: Literal["synthesis_results_HBM", "synthesis_results_noHBM"]
    banks: dict[MemoryKind, PositiveInt]
    bank_bytes: dict[MemoryKind, PositiveInt] = Field(default_factory=dict)
    bank_bytes_per_s: dict[MemoryKind, PositiveInt] = Field(default_factory=dict)
    host_bytes_per_s: PositiveInt | None = None
    memory: Bank
    memory_slr: NonNegativeInt
    slrs: Annotated[tuple[Resources, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _regions_exist(self) -> Self:
        for field in ("network_slr", "memory_slr"):
            if getattr(self, field) >= len(self.slrs):
                raise ValueError(f"{field} is {getattr(self, field)}, and slrs has {len(self.slrs)} entries")
        if not self.has_bank(self.memory):
            raise ValueError(f"memory is {self.memory}, and banks has {self.bank_names}")
        for field in ("bank_bytes", "bank_bytes_per_s"):
            if getattr(self, field) and getattr(self, field).keys() != self.banks.keys():
                raise ValueError(f"{field} must have the kinds of memory of banks, {', '.join(self.banks)}")
        return self

    def has_bank(self, bank: str) -> bool:
        """Tell whether the card has a bank of this name."""
        kind, number = bank.rstrip("]").split("[")
        return any(name == kind and int(number) < count for name, count in self.banks.items())

    def size_of(self, bank: str) -> int:
        """Return the bytes of a bank that the card has."""
        return next(size for kind, size in self.bank_bytes.items() if bank.startswith(f"{kind}["))

    @property
    def bank_names(self) -> str:
        """All banks, for messages."""
        return " and ".join(f"{name}[0] to {name}[{count - 1}]" for name, count in self.banks.items())


class VitisOptions(HookOptions):
    """``[node.options.vitis]``: how Vitis builds a node. Nothing here changes what the core computes.

    Attributes:
        target: Target platform in place of the card's own: its name, without ``.xpfm``.
        strategy: Vivado's implementation strategy; what is left out is VNx's, since its clocks miss timing by
            little with the defaults.
        slr: SLR of the whole kernel; -1 leaves it to Vivado. FINN's floorplan decides, if left out.
        ila: Whether a logic analyser watches every stream of the kernel.
        memory: Banks that movers, then streams in memory of the card, take in turn, such as ``HBM[0]`` or
            ``DDR[1]``. If left out, movers take the card's, and so do these, of HBM each one of its own.
    """

    target: Word | None = None
    strategy: Strategy = "Performance_NetDelay_low"
    slr: Annotated[int, Field(ge=-1)] | None = None
    ila: bool = False
    memory: Annotated[tuple[Bank, ...], Field(min_length=1)] | None = None


def facts_of(node: NodePlan) -> VitisFacts:
    """Return the facts of a node's board, under the kind of the platform that builds it."""
    return node.board.facts(node.platform, VitisFacts)


def options_of(node: NodePlan) -> VitisOptions:
    """Return what cluster.toml asks for on a node of this platform."""
    where = f"node {node.name}", f"options.{node.platform}"
    return node.kept("vitis options", lambda: VitisOptions.from_data(node.options, *where))
