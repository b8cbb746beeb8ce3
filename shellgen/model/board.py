# SPDX-License-Identifier: BSD-3-Clause
"""A board as data: one TOML file each in ``boards/``."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, NonNegativeInt, PositiveInt, PrivateAttr

from shellgen.model.base import Frozen
from shellgen.model.names import Line, Parameter, Pattern, Word


class Resources(Frozen):
    """What the whole device offers."""

    lut: PositiveInt
    ff: PositiveInt
    bram18: PositiveInt
    uram: NonNegativeInt
    dsp: PositiveInt


# c_sg_length_width of AXI DMA 7.1 is 8..26 bits; the widest costs a few flops and limits a transfer to
# 2**26 - 1 bytes (PG021).
DMA_LENGTH_BITS = 26
# Vivado gives the registers of an AXI DMA 64 KiB (docs/zynq.md).
DMA_STRIDE = 0x1_0000


MemoryPortName = Literal["HP0", "HP1", "HP2", "HP3", "HPC0", "HPC1"]


class Zynq(Frozen):
    """The processing system of a Zynq-7000 or Zynq UltraScale+ board.

    Attributes:
        family: ``zynq_7000`` (PS7) or ``zynq_us`` (PSU).
        hp_data_bits: Width of an HP port: 64 on PS7, 128 on PSU.
        ddr_bytes: PS DDR that the DMA can reach (low region), a power of two.
        ddr_high_bytes: PS DDR from 0x8_0000_0000 on, a power of two; 0 if there is none.
        memory_port: Port of the PS through which the DMAs reach it, unless cluster.toml says another.
        lite_base: First address, in the general-purpose master window, of the core.
        lite_bytes: Size of the part of that window that the core may take.
        dma_base: Address of the registers of ``axi_dma_0``; the others follow, `DMA_STRIDE` bytes each.
        ps_config: Settings of the PS cell beyond the board preset, without the ``CONFIG.`` prefix.
        ip_preset: Preset that the PS IP itself knows, for a Vivado without this board's files; or empty.
        ethernet: What the TCP link runs over, for the reader.
    """

    family: Literal["zynq_7000", "zynq_us"]
    hp_data_bits: Literal[64, 128]
    ddr_bytes: PositiveInt
    ddr_high_bytes: NonNegativeInt = 0
    memory_port: MemoryPortName = "HP0"
    lite_base: int
    lite_bytes: PositiveInt
    dma_base: int
    ps_config: dict[Parameter, Line] = Field(default_factory=dict)
    ip_preset: Line = ""
    ethernet: Line


class Board(Frozen):
    """A card that a node can be.

    Attributes:
        name: The word used in cluster.toml and the file's stem.
        title: As the vendor writes it.
        platform: Key in the platform registry.
        part: Xilinx part.
        board_parts: Vivado board_part patterns, best first; ``*`` stands for the file version.
        board_connections: Vivado board_connections property (carrier of a SOM) as patterns, best first:
            ``<connector> <vendor>:<carrier>:<connector>:*``, once for each connector; ``*`` stands for the
            newest version that is installed.
        clock_hz: Default clock of the core.
        links: Link kinds the board can carry, by registry key.
        resources: Of the device.
        zynq: Present on Zynq boards.
        sources: Where each group of facts comes from.
    """

    name: Word
    title: Line
    platform: Word
    part: Word
    board_parts: tuple[Pattern, ...]
    board_connections: tuple[Line, ...] = ()
    clock_hz: PositiveInt
    links: tuple[Word, ...]
    resources: Resources
    zynq: Zynq | None = None
    sources: dict[Line, Line]

    # No field: the same board is the same plan wherever its file lies.
    _origin: str = PrivateAttr("")

    @property
    def where(self) -> str:
        """Its file, for messages."""
        return self._origin or f"boards/{self.name}.toml"

    def read_from(self, where: str) -> Self:
        """Return the same board with the name that messages give its file."""
        board = self.model_copy()
        board._origin = where
        return board

    def __eq__(self, other: object) -> bool:
        """Compare what the files say, not where they lie."""
        return isinstance(other, Board) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        """Agree with the comparison."""
        return hash(self.name)
