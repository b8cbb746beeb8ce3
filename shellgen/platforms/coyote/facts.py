# SPDX-License-Identifier: BSD-3-Clause
"""Facts of a card in its board file, and options in cluster.toml, for the Coyote platform."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from shellgen.model import NodePlan
from shellgen.model.base import Frozen
from shellgen.model.hooks import HookOptions
from shellgen.model.names import Line, Word

KIND = "coyote"

# The user's window of a vFPGA. cThread maps it as 64-bit registers.
WINDOW_BYTES = 0x1_0000
SLOT_BYTES: Literal[8] = 8
# AXI4SR: TDATA and the number of a Coyote thread.
STREAM_BITS = 512
LINE_BPS = 100_000_000_000  # of a QSFP28 cage: 100GBASE (IEEE 802.3)
# Most that cThread takes for one invoke.
TRANSFER_BYTES = 128 << 20
# ACLK_F, and the frequency that the user logic has unless it is asked for another.
CLOCK_HZ = 250_000_000
# vFPGAs of a card.
MOST_REGIONS = 15

# Rings of a core: those of ip/links/ddr_ring/ddr_ring_port. A burst is what Coyote cuts requests into
# (PMTU_BYTES), so that each is one piece; the number of a thread is above the 48 bits of an address. A FIFO
# on the chip holds eight bursts, which covers 432 cycles of latency.
MOST_RINGS, RING_BURST, ADDRESS_BITS, RING_STAGE = 8, 64, 54, 512
BURST_BYTES = RING_BURST * STREAM_BITS // 8
# Cycles in the bench, whose model takes once to twice as many: a look into the TLB takes 9 of them
# (hw/hdl/mmu/tlb_fsm.sv), and a read over PCIe a microsecond.
CARD_LATENCY, HOST_LATENCY = 100, 220
# What a memory of the card moves at most: of HBM the port that a stream has to itself, of DDR the one channel
# that Coyote has by default (UG1393). PCIe in both directions at the rate of the slower one (coyote_stream).
MEMORY_BYTES_PER_S = {"HBM": 14_375_000_000, "DDR": 19_250_000_000}
HOST_BYTES_PER_S = 16_970_000_000

VersionName = Literal["v2", "v1"]


class CoyoteFacts(Frozen):
    """``[platform.coyote]``: an Alveo card as Coyote knows it.

    Attributes:
        device: What Coyote's build calls the card (FDEV_NAME).
        versions: Versions of Coyote that build for it, the newest first.
        memory: Which of the card's memories Coyote's stacks take.
        both: It has the other one too, on the same reference clock, so a shell with that one does not place.
        v1_rdma: What is reported of RDMA of Coyote v1 on this card, and where.
    """

    device: Word
    memory: Literal["HBM", "DDR"]
    versions: Annotated[tuple[VersionName, ...], Field(min_length=1)]
    both: bool = False
    v1_rdma: Line | None = None


class CoyoteOptions(HookOptions):
    """``[node.options.coyote]``: how Coyote builds a node. Nothing here changes what the core computes.

    Attributes:
        version: Of Coyote; if left out, v1 where an attachment of the node needs ACCL's engine, else the
            newest that the card has.
        regions: vFPGAs of the card (N_REGIONS).
        region: The vFPGA of the node's core; the others are idle by default (CMake).
        configs: Configurations of each vFPGA (N_CONFIG); more than one needs partial reconfiguration and a
            floorplan.
        config: The one that holds the core.
        rdma: Whether the shell has the RDMA stack although the core does not use it.
        network: Stack that ACCL sends through; v1 only.
    """

    version: VersionName | None = None
    regions: Annotated[PositiveInt, Field(le=MOST_REGIONS)] = 1
    region: Annotated[NonNegativeInt, Field(lt=MOST_REGIONS)] = 0
    configs: PositiveInt = 1
    config: NonNegativeInt = 0
    rdma: bool = False
    network: Literal["rdma", "tcp"] | None = None


def facts_of(node: NodePlan) -> CoyoteFacts:
    """Return the facts of a node's board, under the kind of the platform that builds it."""
    return node.board.facts(node.platform, CoyoteFacts)


def options_of(node: NodePlan) -> CoyoteOptions:
    """Return what cluster.toml asks for on a node of this platform."""
    where = f"node {node.name}", f"options.{node.platform}"
    return node.kept("coyote options", lambda: CoyoteOptions.from_data(node.options, *where))
