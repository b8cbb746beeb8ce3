# SPDX-License-Identifier: BSD-3-Clause
"""Resource usage of a device."""

from __future__ import annotations

from pydantic import NonNegativeInt

from shellgen.model.base import Frozen
from shellgen.model.board import Resources
from shellgen.model.names import Line, Name


class Usage(Frozen):
    """Resources, as Vivado counts them.

    Attributes:
        lut: Look-up tables.
        ff: Flip-flops.
        bram18: Block RAMs of 18 kbit.
        uram: UltraRAMs.
        dsp: DSP slices.
    """

    lut: NonNegativeInt = 0
    ff: NonNegativeInt = 0
    bram18: NonNegativeInt = 0
    uram: NonNegativeInt = 0
    dsp: NonNegativeInt = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            lut=self.lut + other.lut,
            ff=self.ff + other.ff,
            bram18=self.bram18 + other.bram18,
            uram=self.uram + other.uram,
            dsp=self.dsp + other.dsp,
        )


class Estimate(Usage):
    """Resource usage of a partition, as far as FINN has reported it.

    Attributes:
        source: Source of the figures.
        knows_ff: Whether flip-flops are known: FINN does not estimate them, its synthesis and HLS count them.
        told: Layers with figures.
        layers: Layers of the partition.
    """

    source: Line
    knows_ff: bool = True
    told: NonNegativeInt = 0
    layers: NonNegativeInt = 0

    @property
    def is_whole(self) -> bool:
        """Whether the figures are of all layers."""
        return self.told >= self.layers


class NodeUsage(Frozen):
    """Resource usage of the shell around the partitions of a node.

    Attributes:
        core: Framing, widths, FIFOs, the AXI-Lite tree and the status registers.
        platform: DMAs and interconnect; None if the platform does not know.
    """

    core: Usage
    platform: Usage | None = None


class Region(Frozen):
    """A part of a device that is filled by itself.

    Attributes:
        name: As the vendor calls it, such as ``SLR1``.
        has: What it offers.
        takes: What is in it besides partitions.
        partitions: Those in it.
    """

    name: Line
    has: Resources
    takes: Usage
    partitions: tuple[Name, ...]


class BoardUsage(Frozen):
    """Resource usage of a board project, by the figures of its platform.

    Attributes:
        around: What surrounds the core; None if the platform does not know.
        regions: Parts of the device that are filled by themselves, as far as anything is placed there.
    """

    around: Usage | None = None
    regions: tuple[Region, ...] = ()
