# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the comparison: what is compared, ours for it, and what was held possible.

A row is named by its function and its numbers:

    width data IN OUT     dense converter of an endless stream; the peers with tkeep and tlast tied off
    width full IN OUT     converter with tkeep and tlast
    register KIND W       register slice of W data bits and tlast without combinational path; light: half
                          rate, full: full rate, srl: full rate, a cycle later, in shift registers
    fifo W DEPTH          FIFO of W data bits and tlast, without a level output
    frames W DEPTH        FIFO of whole frames that drops what does not fit or is marked bad; W data bits,
                          tkeep, tlast and a bit of tuser, without status outputs
    frames-status W DEPTH the same with fill levels and pulses
    broadcast N W         one stream to N, W data bits and tlast, registered
    arbiter N W           N streams to one by packets, round-robin, with the number of the input
    demux N W             one stream to N by packets, by tdest
    switch N M W          N streams to M by packets, by tdest
    axil-register KIND A  AXI4-Lite register slice, A address and 32 data bits; light and full as above
    axil N                AXI4-Lite, 1 master and N slaves of 4 KiB, 32 data and address bits
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.blocks.axil_tree import BLOCKS, module
from tools.blocks.block_bench import block_file
from tools.blocks.cost import Subject, block

__all__ = ["ROWS", "Comparison", "Ours"]


@dataclass(frozen=True)
class Ours:
    """One of our blocks for a row; rate as in peers.toml, by design, measured by the traffic benches."""

    block: str
    parameters: Mapping[str, int | str]
    ties: Mapping[str, int] = field(default_factory=dict)
    opens: tuple[str, ...] = ()
    rate: float = 1.0
    note: str = ""

    @property
    def label(self) -> str:
        """Return what the table shows."""
        return f"{self.block} {self.note}".strip()

    def subject(self, scratch: Path) -> Subject | None:
        """Return what is measured; None while there is no such block."""
        if self.block == "axil_tree":
            # Emitted, not a block of ip/: nodes and a root, wired as in a core.
            file = scratch / "axil_tree.v"
            file.write_text(module(int(self.parameters["N"])))
            return Subject("axil_tree", (file, *BLOCKS))
        if not block_file(self.block).is_file():
            return None
        return block(self.block, self.parameters, self.ties, self.opens)


@dataclass(frozen=True)
class Comparison:
    """A row: name, ours, and the LUT and FF that were held possible before there was a block."""

    name: str
    ours: tuple[Ours, ...]
    goal: tuple[int, int] | None = None


def _width(wide_in: int, wide_out: int, goal: tuple[int, int] | None = None) -> Comparison:
    sizes = {"IN_W": wide_in, "OUT_W": wide_out}
    endless = {**sizes, "IN_BEATS": 0, "OUT_BEATS": 0}
    ours = [Ours("axis_width", {**endless, "SLICE": 0}, {}, ("m_axis_tlast",), note="SLICE=0")]
    ours.append(Ours("axis_width", {**endless, "SLICE": 1}, {}, ("m_axis_tlast",), note="SLICE=1"))
    if wide_in > wide_out and wide_in % wide_out == 0:
        ours.append(Ours("axis_width_narrow", sizes))
    return Comparison(f"width data {wide_in} {wide_out}", tuple(ours), goal)


def _width_full(wide_in: int, wide_out: int) -> Comparison:
    sizes = {"IN_W": wide_in, "OUT_W": wide_out}
    ties, opens = {"s_axis_tuser": 0}, ("m_axis_tuser",)
    ours = [Ours("axis_width_framed", {**sizes, "SLICE": k}, ties, opens, note=f"SLICE={k}") for k in (0, 1)]
    return Comparison(f"width full {wide_in} {wide_out}", tuple(ours))


def _register(width: int) -> list[Comparison]:
    light = Ours("axis_register", {"DATA_W": width + 1, "CUT": 3}, rate=0.5, note="light")
    full = Ours("axis_register", {"DATA_W": width + 1, "CUT": 0}, note="full")
    srl = Ours("axis_register", {"DATA_W": width + 1, "CUT": 4}, note="srl")
    return [
        Comparison(f"register light {width}", (light,)),
        Comparison(f"register full {width}", (full,)),
        Comparison(f"register srl {width}", (srl,)),
    ]


def _fifo(width: int, depth: int) -> Comparison:
    ours = Ours("axis_fifo", {"DATA_W": width + 1, "DEPTH": depth}, opens=("level",))
    return Comparison(f"fifo {width} {depth}", (ours,))


def _frames(width: int, depth: int) -> list[Comparison]:
    parameters = {"DATA_W": width, "DEPTH": depth, "ON_FULL": 2, "DROP_BAD": 1}
    status = ("good_frame", "bad_frame", "overflow", "level", "level_whole")
    return [
        Comparison(f"frames {width} {depth}", (Ours("axis_frame_fifo", parameters, opens=status),)),
        Comparison(f"frames-status {width} {depth}", (Ours("axis_frame_fifo", parameters),)),
    ]


def _crossings() -> list[Comparison]:
    select = {"DEST_W": 2}
    broadcast = Ours("axis_broadcast", {"N": 4, "DATA_W": 513})
    demux = Ours("axis_demux", {"N": 4, "DATA_W": 512, **select}, opens=("error_dest",))
    switch = Ours("axis_switch", {"N": 4, "M": 4, "DATA_W": 64, **select}, opens=("error_dest",))
    return [
        Comparison("broadcast 4 512", (broadcast,)),
        Comparison("arbiter 4 512", (Ours("axis_arbiter", {"N": 4, "DATA_W": 512}),)),
        Comparison("demux 4 512", (demux,)),
        Comparison("switch 4 4 64", (switch,)),
    ]


def _lite(count: int, goal: tuple[int, int] | None = None) -> Comparison:
    ours = Ours("axil_tree", {"N": count}, rate=0.25 if count <= 16**2 else 0.2)
    return Comparison(f"axil {count}", (ours,), goal)


ROWS: list[Comparison] = [
    _width(40, 512, (241, 694)),
    _width(512, 40, (1076, 636)),
    _width(24, 32, (98, 105)),
    _width(32, 24),
    _width(512, 8, (276, 24)),
    _width(8, 512, (13, 528)),
    _width(512, 64, (326, 133)),
    _width(64, 512, (70, 581)),
    _width(4, 8, (8, 15)),
    _width(8, 4, (9, 11)),
    *(_width_full(*widths) for widths in ((8, 512), (512, 8), (64, 512), (512, 64))),
    *(row for width in (8, 64, 512) for row in _register(width)),
    _fifo(512, 32),
    _fifo(32, 512),
    _fifo(512, 512),
    *_frames(512, 32),
    *_frames(64, 512),
    *_crossings(),
    Comparison("axil-register full 32", (Ours("axil_register", {"ADDR_W": 32}),)),
    _lite(4),
    _lite(16),
    _lite(64, (1519, 340)),
    _lite(256, (6402, 916)),
]
