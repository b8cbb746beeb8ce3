# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the comparison of clock rates: names as in benchmarks/area/rows.py, and ours for each.

Further names:

    cdc W DEPTH           FIFO of W data bits between two clocks, without a level output
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.blocks.axil_tree import BLOCKS, module
from tools.blocks.cost import Subject, block
from tools.blocks.placed import SEEDS

TEN = tuple(range(1, 11))  # where seeds differ by more than the peers do

__all__ = ["ROWS", "Row"]


@dataclass(frozen=True)
class Row:
    """One of our blocks.

    Attributes:
        name: Of the row; several of our blocks may share one.
        block: In ``ip/``, or ``axil_tree``.
        parameters: Of the block; of a tree ``N``, its slaves.
        opens: Outputs that nobody reads.
        seeds: Of the placer.
    """

    name: str
    block: str
    parameters: Mapping[str, int | str]
    opens: tuple[str, ...] = ()
    seeds: tuple[int, ...] = SEEDS

    def subject(self, scratch: Path) -> Subject:
        """Return what is placed; the text of a tree is written to the folder."""
        if self.block != "axil_tree":
            return block(self.block, self.parameters, {}, self.opens)
        file = scratch / f"{self.name.replace(' ', '_')}.v"
        file.write_text(module(int(self.parameters["N"])))
        return Subject("axil_tree", (file, *BLOCKS))


@dataclass(frozen=True)
class _Width:
    bits_in: int
    bits_out: int
    fast: bool = False

    def row(self) -> Row:
        sizes = {"IN_W": self.bits_in, "OUT_W": self.bits_out, "IN_BEATS": 0, "OUT_BEATS": 0}
        name = f"width data {self.bits_in} {self.bits_out}"
        if self.fast:
            return Row(name, "axis_width_narrow_fast", sizes, ("m_axis_tlast",))
        return Row(name, "axis_width", {**sizes, "SLICE": 1}, ("m_axis_tlast",))


ROWS: tuple[Row, ...] = (
    _Width(40, 512).row(),
    _Width(24, 32).row(),
    _Width(8, 512).row(),
    _Width(512, 8, fast=True).row(),
    _Width(512, 8).row(),
    _Width(512, 40).row(),
    Row("cdc 512 32", "axis_fifo_cdc", {"DATA_W": 512, "DEPTH": 32}, ("s_level", "m_level")),
    Row("fifo 512 32", "axis_fifo", {"DATA_W": 513, "DEPTH": 32}, ("level",)),
    Row("register full 512", "axis_register", {"DATA_W": 513, "CUT": 5}, seeds=TEN),
    Row("arbiter 4 512", "axis_arbiter", {"N": 4, "DATA_W": 512}),
    Row("broadcast 4 512", "axis_broadcast", {"N": 4, "DATA_W": 513}),
    Row("demux 4 512", "axis_demux", {"N": 4, "DATA_W": 512, "DEST_W": 2}, ("error_dest",)),
    Row("axil 16", "axil_tree", {"N": 16}),
    Row("axil 64", "axil_tree", {"N": 64}),
    Row("axil 256", "axil_tree", {"N": 256}, seeds=SEEDS[:1]),
)
