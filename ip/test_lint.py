# SPDX-License-Identifier: BSD-3-Clause
"""Every block is clean in three tools at many parameter sets, and each refuses illegal parameters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ip.block_bench import IP, closure
from shellgen.simulate.tools import find_icarus, find_verilator

Parameters = dict[str, int | str]


def width(in_w: int, out_w: int, in_beats: int, out_beats: int) -> Parameters:
    return {"IN_W": in_w, "OUT_W": out_w, "IN_BEATS": in_beats, "OUT_BEATS": out_beats}


def windows(bits: int, *bases_and_sizes: tuple[int, int]) -> Parameters:
    """Return the parameters of a crossbar with these windows."""
    bases = sum(base << (bits * k) for k, (base, _) in enumerate(bases_and_sizes))
    sizes = sum(size << (8 * k) for k, (_, size) in enumerate(bases_and_sizes))
    count = len(bases_and_sizes)
    return {
        "N": count,
        "ADDR_W": bits,
        "BASES": f"{count * bits}'h{bases:x}",
        "SIZES_LOG2": f"{count * 8}'h{sizes:x}",
    }


LEGAL: dict[str, list[Parameters]] = {
    "axis_register": [
        {"DATA_W": 1},
        *({"DATA_W": bits, "KIND": kind} for kind in range(5) for bits in (1, 513)),
    ],
    "axis_fifo": [
        {"DATA_W": 1, "DEPTH": 2},
        {"DATA_W": 8, "DEPTH": 3},
        {"DATA_W": 64, "DEPTH": 32},
        {"DATA_W": 36, "DEPTH": 1000},
        {"DATA_W": 32, "DEPTH": 16384, "OUT_REG": 1},
        *({"DATA_W": 9, "DEPTH": depth, "KIND": kind} for kind in range(1, 5) for depth in (3, 40, 128)),
        {"DATA_W": 8, "DEPTH": 2, "KIND": 1},
        {"DATA_W": 8, "DEPTH": 2, "KIND": 3},
        {"DATA_W": 8, "DEPTH": 1024, "KIND": 2},
        {"DATA_W": 72, "DEPTH": 4096, "KIND": 4},
    ],
    "axis_frame_fifo": [
        {},
        *({"DATA_W": 64, "DEPTH": 32, "KIND": k, "ON_FULL": full} for k in (0, 2, 3, 4) for full in range(4)),
        *({"DATA_W": 8, "DEPTH": 4, "ON_FULL": full, "DROP_BAD": 1} for full in (1, 2)),
        {"DATA_W": 8, "USER_W": 3, "DEPTH": 4, "ON_FULL": 3, "BAD_VALUE": "3'd2", "BAD_MASK": "3'd6"},
        {"DATA_W": 512, "USER_W": 80, "DEPTH": 4096, "KIND": 4, "DROP_BAD": 1},
        {"DATA_W": 2048, "DEPTH": 128, "OUT_REG": 1},
    ],
    "axis_fifo_cdc": [
        {"DATA_W": 1, "DEPTH": 4},
        {"DATA_W": 8, "DEPTH": 64, "SYNC_STAGES": 3},
        {"DATA_W": 513, "DEPTH": 4096, "SYNC_STAGES": 4},
    ],
    "axis_width": [
        width(8, 8, 1, 1),
        width(33, 33, 7, 7),
        width(1, 8, 9, 2),
        width(1, 8, 16, 2),
        width(16, 24, 2, 2),
        width(12, 16, 4, 3),
        width(3, 8, 10, 4),
        width(3, 8, 6, 2),
        width(24, 32, 3, 3),
        width(40, 512, 13, 2),
        width(5, 7, 9, 7),
        width(4, 64, 1, 1),
        width(8, 1, 1, 8),
        width(8, 3, 4, 10),
        width(64, 4, 2, 17),
        width(512, 40, 5, 64),
        width(7, 5, 2, 2),
        width(2048, 2032, 2, 2),
        width(2032, 2048, 2, 2),
        width(64, 63, 2, 2),
        width(2048, 1, 1, 5),
        width(512, 16, 40_000_000, 1_280_000_000),
        *(
            {**width(*widths, *beats), "SLICE": 0}
            for widths, beats in (
                ((8, 8), (3, 3)),
                ((24, 32), (3, 3)),
                ((32, 24), (3, 4)),
                ((8, 64), (9, 2)),
                ((64, 8), (2, 9)),
                ((511, 512), (2, 2)),
            )
        ),
        *(
            {**width(*widths, 0, 0), "SLICE": k % 2}
            for k, widths in enumerate(
                ((8, 8), (9, 9), (3, 8), (40, 512), (512, 40), (8, 3), (512, 37), (1, 64))
            )
        ),
    ],
    "axis_width_up": [
        {},
        {"UNIT_W": 9, "IU": 3, "OU": 4, "KIND": 2, "KEEP_BIT": 8, "USER_W": 3},
        {"UNIT_W": 5, "IU": 4, "OU": 11, "KIND": 1, "ZERO": 1},
        {"UNIT_W": 5, "IU": 4, "OU": 11, "KIND": 1, "ZERO": 1, "FLUSH": 1},
        {"UNIT_W": 1, "IU": 257, "OU": 300},
    ],
    "axis_width_stack": [
        {},
        {"BEAT_W": 9, "RATIO": 64, "KIND": 2, "KEEP_BIT": 8, "USER_W": 2},
        {"BEAT_W": 1, "RATIO": 3, "KIND": 1, "ZERO": 1},
        {"BEAT_W": 5, "RATIO": 5, "KIND": 1},
    ],
    "axis_width_down": [
        {},
        {"UNIT_W": 8, "IU": 64, "OU": 5, "KIND": 2, "USER_W": 3},
        {"UNIT_W": 16, "IU": 7, "OU": 1, "KIND": 2, "SLICE": 0},
        {"UNIT_W": 5, "IU": 11, "OU": 4, "KIND": 1, "END": 12},
        {"UNIT_W": 1, "IU": 300, "OU": 257},
    ],
    "axis_width_tail": [
        {},
        {"KEEP_W": 3, "IU": 7, "OU": 5, "EARLY": 0},
        {"KEEP_W": 4, "IU": 64, "OU": 1},
    ],
    "axis_width_last": [
        {"IN_W": i, "OUT_W": o, "USER_W": u, "SLICE": s}
        for i, o, u, s in (
            (8, 8, 1, 1),
            (16, 16, 2, 0),
            (8, 32, 1, 1),
            (32, 8, 1, 1),
            (24, 32, 1, 0),
            (32, 24, 5, 1),
            (40, 512, 1, 1),
            (512, 40, 1, 0),
            (2048, 8, 1, 1),
            (8, 2048, 1, 0),
        )
    ],
    "axis_width_hold": [
        {},
        {"IN_W": 2, "OUT_W": 1, "SLICE": 0},
        {"IN_W": 15, "OUT_W": 5},
        {"IN_W": 512, "OUT_W": 8},
        {"IN_W": 2048, "OUT_W": 8},
        {"IN_W": 2048, "OUT_W": 1, "SLICE": 0},
    ],
    "axis_frame_rx": [
        {"DATA_W": 8, "BEATS": 1, "LAST_BYTES": 1},
        {"DATA_W": 64, "BEATS": 5, "LAST_BYTES": 3},
        {"DATA_W": 512, "BEATS": 4096, "LAST_BYTES": 64},
    ],
    "axis_frame_tx": [{"DATA_W": 8, "LAST_BYTES": 1}, {"DATA_W": 512, "LAST_BYTES": 63}],
    "axil_register": [{"ADDR_W": 1, "DATA_W": 32}, {"ADDR_W": 40, "DATA_W": 64}],
    "axil_slot": [{}, {"ADDR_W": 4}, {"ADDR_W": 64}],
    "axil_bridge": [
        {},
        {"WINDOW_W": 6, "FAR_W": 6, "DEPTH": 2},
        {"WINDOW_W": 12, "FAR_W": 20, "DEPTH": 7},
        {"WINDOW_W": 16, "FAR_W": 16, "DEPTH": 16},
    ],
    "axil_crossbar": [
        windows(12, (0, 12)),
        {**windows(64, (1 << 63, 20), (0, 63)), "DATA_W": 64},
        {**windows(16, (0x8000, 15), (0x40, 2), (0x1000, 12)), "TIMEOUT": 8},
        windows(20, *((k << 12, 12) for k in range(16))),
    ],
    "axil_root": [{"ADDR_W": 1, "DATA_W": 32, "TIMEOUT": 8}, {"ADDR_W": 64, "DATA_W": 64, "TIMEOUT": 1025}],
    "axil_node": [
        windows(12, (0, 12)),
        {**windows(12, (0, 11)), "BRANCHES": "1'b1"},
        {**windows(16, (0x8000, 15), (0x40, 2), (0x1000, 12)), "BRANCHES": "3'b100"},
        {**windows(16, (0x8000, 15), (0, 15)), "BRANCHES": "2'b11", "REG_EN": 1, "DATA_W": 64},
        {**windows(64, *((k << 60, 60) for k in range(16))), "BRANCHES": "16'h8001", "REG_EN": 1},
    ],
    "shell_status": [{"N_RX": 1, "N_TX": 1}, {"N_RX": 0, "N_TX": 1}, {"N_RX": 32, "N_TX": 5}],
    "axis_pad": [
        {"N": 1, "W": 8, "SLOT_W": 8},
        {"N": 1, "W": 21, "SLOT_W": 24, "SIGNED_EN": 1},
        {"N": 16, "W": 4, "SLOT_W": 8},
        {"N": 256, "W": 1, "SLOT_W": 8, "SIGNED_EN": 1},
    ],
    "axis_strip": [
        {"N": 1, "W": 8, "SLOT_W": 8},
        {"N": 1, "W": 21, "SLOT_W": 24, "SIGNED_EN": 1},
        {"N": 16, "W": 4, "SLOT_W": 8},
        {"N": 256, "W": 1, "SLOT_W": 8, "SIGNED_EN": 1},
    ],
    "axis_tlast": [
        {"DATA_W": 1, "BEATS": 1},
        {"DATA_W": 8, "BEATS": 2, "REG_EN": 1},
        {"DATA_W": 64, "BEATS": 3},
        {"DATA_W": 512, "BEATS": 2147483647, "REG_EN": 1},
    ],
    "axis_broadcast": [
        {"N": 1, "DATA_W": 1},
        {"N": 2, "DATA_W": 64},
        {"N": 32, "DATA_W": 9},
        {"N": 1, "DATA_W": 8, "REG_EN": 0},
        {"N": 32, "DATA_W": 512, "REG_EN": 0},
    ],
    "axis_join": [
        {"N": 1, "SUM_W": 1},
        {"N": 2, "SUM_W": 512, "REG_EN": 1},
        {"N": 32, "SUM_W": 33},
    ],
    "axis_arbiter": [
        {"N": 1, "DATA_W": 1},
        {"N": 2, "DATA_W": 8},
        {"N": 3, "DATA_W": 8, "KIND": 4},
        {"N": 5, "DATA_W": 64, "KIND": 1},
        {"N": 16, "DATA_W": 512},
    ],
    "axis_demux": [
        {"N": 1, "DATA_W": 1, "DEST_W": 1},
        {"N": 2, "DATA_W": 8, "DEST_W": 1},
        {"N": 3, "DATA_W": 8, "DEST_W": 2, "REG_EN": 0},
        {"N": 4, "DATA_W": 8, "DEST_W": 2, "REG_EN": 0},
        {"N": 32, "DATA_W": 64, "DEST_W": 8},
    ],
    "axis_switch": [
        {"N": 1, "M": 1, "DATA_W": 1, "DEST_W": 1},
        {"N": 1, "M": 3, "DATA_W": 8, "DEST_W": 2},
        {"N": 4, "M": 4, "DATA_W": 64, "DEST_W": 2, "KIND": 4},
        {"N": 16, "M": 5, "DATA_W": 8, "DEST_W": 3},
    ],
    "split_counter": [
        {"COUNT_W": 1, "PART_W": 2},
        {"COUNT_W": 17, "PART_W": 16},
        {"COUNT_W": 64, "PART_W": 16, "STOP_EN": 1},
        {"COUNT_W": 64, "PART_W": 64},
    ],
    "axis_counters": [{"COUNT_W": 1}, {"COUNT_W": 33, "PART_W": 8}, {"COUNT_W": 64}],
    "axis_checker": [{"DATA_W": 8}],
}

# (block, parameters, the rule that the message must name)
ILLEGAL: list[tuple[str, Parameters, str]] = [
    ("axis_register", {"DATA_W": 0}, "DATA_W_must_be_at_least_1"),
    ("axis_register", {"KIND": 5}, "KIND_must_be_0_to_4"),
    ("axis_fifo", {"DEPTH": 1}, "DEPTH_must_be_at_least_2"),
    ("axis_fifo", {"KIND": 5}, "KIND_must_be_0_to_4"),
    ("axis_fifo", {"KIND": 1, "DEPTH": 129}, "DEPTH_must_be_at_most_128_with_KIND_1"),
    ("axis_fifo", {"KIND": 2, "DEPTH": 1025}, "DEPTH_must_be_at_most_1024_with_KIND_2"),
    ("axis_fifo", {"KIND": 4, "DEPTH": 2}, "DEPTH_must_be_at_least_3_with_two_output_registers"),
    ("axis_fifo", {"DEPTH": 2, "KIND": 3, "OUT_REG": 1}, "DEPTH_must_be_at_least_3_with_two_output"),
    ("axis_fifo", {"DATA_W": 0}, "DATA_W_must_be_at_least_1"),
    ("axis_frame_fifo", {"DATA_W": 12}, "DATA_W_must_be_a_positive_multiple_of_8"),
    ("axis_frame_fifo", {"USER_W": 0}, "USER_W_must_be_at_least_1"),
    ("axis_frame_fifo", {"DEPTH": 2}, "DEPTH_must_be_a_power_of_two_and_at_least_4"),
    ("axis_frame_fifo", {"DEPTH": 24}, "DEPTH_must_be_a_power_of_two_and_at_least_4"),
    ("axis_frame_fifo", {"KIND": 1}, "KIND_must_be_0_or_2_to_4"),
    ("axis_frame_fifo", {"KIND": 2, "DEPTH": 2048}, "DEPTH_must_be_at_most_1024_with_KIND_2"),
    ("axis_frame_fifo", {"ON_FULL": 4}, "ON_FULL_must_be_0_to_3"),
    ("axis_frame_fifo", {"ON_FULL": 3, "DROP_BAD": 1}, "DROP_BAD_needs_ON_FULL_1_or_2"),
    ("axis_fifo_cdc", {"DATA_W": 0}, "DATA_W_must_be_at_least_1"),
    ("axis_fifo_cdc", {"DEPTH": 2}, "DEPTH_must_be_a_power_of_two_and_at_least_4"),
    ("axis_fifo_cdc", {"DEPTH": 24}, "DEPTH_must_be_a_power_of_two_and_at_least_4"),
    ("axis_fifo_cdc", {"SYNC_STAGES": 1}, "SYNC_STAGES_must_be_2_to_4"),
    ("axis_fifo_cdc", {"SYNC_STAGES": 5}, "SYNC_STAGES_must_be_2_to_4"),
    ("axis_width", width(2049, 8, 1, 257), "IN_W_must_be_1_to_2048"),
    ("axis_width", width(8, 4096, 512, 1), "OUT_W_must_be_1_to_2048"),
    ("axis_width", width(8, 8, 1, 0), "IN_BEATS_and_OUT_BEATS_must_be_at_least_1_or_both_0"),
    ("axis_width", width(8, 8, 2, 3), "the_larger_side_of_a_frame"),
    ("axis_width", width(8, 3, 4, 12), "the_larger_side_of_a_frame"),
    ("axis_width", width(8, 3, 4, 7), "the_larger_side_of_a_frame"),
    ("axis_width", width(24, 32, 4, 2), "the_larger_side_of_a_frame"),
    ("axis_width", width(24, 32, 4, 5), "the_larger_side_of_a_frame"),
    ("axis_width", width(24, 32, 0, 1), "IN_BEATS_and_OUT_BEATS_must_be_at_least_1_or_both_0"),
    ("axis_width_up", {"IU": 1, "OU": 2}, "IU_must_be_at_least_2_and_less_than_OU"),
    ("axis_width_up", {"IU": 3, "OU": 2}, "IU_must_be_at_least_2_and_less_than_OU"),
    ("axis_width_up", {"KIND": 3}, "KIND_must_be_0_to_2"),
    ("axis_width_up", {"USER_W": 0}, "UNIT_W_and_USER_W_must_be_at_least_1"),
    ("axis_width_up", {"KEEP_BIT": 8}, "KEEP_BIT_must_be_a_bit_of_a_unit"),
    ("axis_width_stack", {"BEAT_W": 0}, "BEAT_W_and_USER_W_must_be_at_least_1"),
    ("axis_width_stack", {"RATIO": 1}, "RATIO_must_be_at_least_2"),
    ("axis_width_stack", {"KIND": 3}, "KIND_must_be_0_to_2"),
    ("axis_width_stack", {"KEEP_BIT": 8}, "KEEP_BIT_must_be_a_bit_of_a_beat"),
    ("axis_width_down", {"IU": 2, "OU": 3}, "OU_must_be_at_least_1_and_less_than_IU"),
    ("axis_width_down", {"KIND": 3}, "KIND_must_be_0_to_2"),
    ("axis_width_down", {"KIND": 2, "UNIT_W": 12}, "UNIT_W_must_be_whole_bytes_with_KIND_2"),
    ("axis_width_down", {"USER_W": 0}, "UNIT_W_and_USER_W_must_be_at_least_1"),
    ("axis_width_tail", {"KEEP_W": 0}, "KEEP_W_must_be_at_least_1"),
    ("axis_width_tail", {"IU": 2, "OU": 2}, "OU_must_be_at_least_1_and_less_than_IU"),
    ("axis_width_tail", {"IU": 3, "OU": 2, "EARLY": 1}, "EARLY_needs_OU_1"),
    ("axis_width_last", {"IN_W": 12}, "IN_W_must_be_a_multiple_of_8_from_8_to_2048"),
    ("axis_width_last", {"OUT_W": 2056}, "OUT_W_must_be_a_multiple_of_8_from_8_to_2048"),
    ("axis_width_last", {"USER_W": 0}, "USER_W_must_be_at_least_1"),
    ("axis_width_hold", {"IN_W": 4096}, "IN_W_must_be_1_to_2048"),
    ("axis_width_hold", {"IN_W": 24, "OUT_W": 16}, "IN_W_must_be_a_multiple_of_OUT_W_and_at_least_twice"),
    ("axis_width_hold", {"IN_W": 8}, "IN_W_must_be_a_multiple_of_OUT_W_and_at_least_twice"),
    ("axis_frame_rx", {"DATA_W": 12}, "DATA_W_must_be_a_positive_multiple_of_8"),
    ("axis_frame_rx", {"BEATS": 0}, "BEATS_must_be_at_least_1"),
    ("axis_frame_rx", {"DATA_W": 16, "LAST_BYTES": 3}, "LAST_BYTES_must_be_1_to_DATA_W_over_8"),
    ("axis_frame_tx", {"DATA_W": 4}, "DATA_W_must_be_a_positive_multiple_of_8"),
    ("axis_frame_tx", {"DATA_W": 16, "LAST_BYTES": 0}, "LAST_BYTES_must_be_1_to_DATA_W_over_8"),
    ("axil_slot", {"ADDR_W": 3}, "ADDR_W_must_be_4_to_64"),
    ("axil_slot", {"ADDR_W": 65}, "ADDR_W_must_be_4_to_64"),
    ("axil_bridge", {"FAR_W": 33}, "FAR_W_must_be_6_to_32"),
    ("axil_bridge", {"WINDOW_W": 5}, "WINDOW_W_must_be_6_to_FAR_W"),
    ("axil_bridge", {"DEPTH": 1}, "DEPTH_must_be_2_to_32768"),
    ("axil_register", {"ADDR_W": 0}, "ADDR_W_must_be_at_least_1"),
    ("axil_register", {"DATA_W": 16}, "DATA_W_must_be_32_or_64"),
    ("axil_crossbar", windows(20, *((k << 12, 12) for k in range(17))), "N_must_be_1_to_16"),
    ("axil_node", windows(20, *((k << 12, 12) for k in range(17))), "N_must_be_1_to_16"),
    ("axil_crossbar", {**windows(12, (0, 12)), "DATA_W": 8}, "DATA_W_must_be_32_or_64"),
    ("axil_crossbar", {**windows(12, (0, 12)), "TIMEOUT": 7}, "TIMEOUT_must_be_at_least_8"),
    ("axil_root", {"ADDR_W": 65}, "ADDR_W_must_be_1_to_64"),
    ("axil_root", {"DATA_W": 16}, "DATA_W_must_be_32_or_64"),
    ("axil_root", {"ADDR_W": 16, "SPAN_LOG2": 17}, "SPAN_LOG2_must_be_1_to_ADDR_W"),
    ("axil_root", {"ADDR_W": 16, "SPAN_LOG2": 12, "BASE": "16'h800"}, "BASE_must_be_a_multiple_of_the_span"),
    ("axil_root", {"TIMEOUT": 7}, "TIMEOUT_must_be_at_least_8"),
    ("axil_node", {**windows(12, (0, 12)), "DATA_W": 8}, "DATA_W_must_be_32_or_64"),
    ("axil_crossbar", windows(12, (0, 13)), "SIZES_LOG2_must_be_at_most_ADDR_W"),
    ("axil_node", windows(12, (0, 13)), "SIZES_LOG2_must_be_at_most_ADDR_W"),
    ("axil_crossbar", windows(12, (0x80, 8)), "BASES_must_be_multiples_of_the_window_size"),
    ("axil_node", windows(12, (0x80, 8)), "BASES_must_be_multiples_of_the_window_size"),
    ("axil_crossbar", windows(12, (0, 10), (0x800, 11), (0x200, 9)), "windows_must_not_overlap"),
    ("axil_node", windows(12, (0, 10), (0x800, 11), (0x200, 9)), "windows_must_not_overlap"),
    ("axis_pad", {"N": 0}, "N_must_be_at_least_1"),
    ("axis_pad", {"W": 0}, "W_must_be_at_least_1"),
    ("axis_pad", {"W": 9}, "SLOT_W_must_be_at_least_W"),
    ("axis_strip", {"N": 0}, "N_must_be_at_least_1"),
    ("axis_strip", {"W": 0}, "W_must_be_at_least_1"),
    ("axis_strip", {"W": 9}, "SLOT_W_must_be_at_least_W"),
    ("axis_tlast", {"DATA_W": 0}, "DATA_W_must_be_at_least_1"),
    ("axis_tlast", {"BEATS": 0}, "BEATS_must_be_at_least_1"),
    ("axis_broadcast", {"N": 33}, "N_must_be_1_to_32"),
    ("axis_broadcast", {"DATA_W": 0}, "DATA_W_must_be_at_least_1"),
    ("axis_join", {"N": 33, "SUM_W": 64}, "N_must_be_1_to_32"),
    ("axis_join", {"N": 4, "SUM_W": 3}, "SUM_W_must_be_at_least_N"),
    ("axis_arbiter", {"N": 17}, "N_must_be_1_to_16"),
    ("axis_arbiter", {"N": 0}, "N_must_be_1_to_16"),
    ("axis_arbiter", {"DATA_W": 0}, "DATA_W_must_be_at_least_1"),
    ("axis_arbiter", {"KIND": 5}, "KIND_must_be_0_to_4"),
    ("axis_demux", {"N": 33, "DEST_W": 6}, "N_must_be_1_to_32"),
    ("axis_demux", {"DATA_W": 0}, "DATA_W_must_be_at_least_1"),
    ("axis_demux", {"N": 5, "DEST_W": 2}, "DEST_W_must_be_1_to_8_and_reach_every_output"),
    ("axis_demux", {"DEST_W": 9}, "DEST_W_must_be_1_to_8_and_reach_every_output"),
    ("axis_switch", {"N": 17}, "N_must_be_1_to_16"),
    ("axis_switch", {"M": 33, "DEST_W": 6}, "M_must_be_1_to_32"),
    ("axis_switch", {"M": 3, "DEST_W": 1}, "DEST_W_must_be_1_to_8_and_reach_every_output"),
    ("split_counter", {"COUNT_W": 0}, "COUNT_W_must_be_1_to_64"),
    ("split_counter", {"COUNT_W": 65}, "COUNT_W_must_be_1_to_64"),
    ("split_counter", {"PART_W": 1}, "PART_W_must_be_2_to_64"),
    ("axis_counters", {"COUNT_W": 65}, "COUNT_W_must_be_1_to_64"),
    ("shell_status", {"N_RX": 33}, "N_RX_must_be_0_to_32"),
    ("shell_status", {"N_RX": 0, "N_TX": 0}, "N_RX_plus_N_TX_must_be_1_to_120"),
]

SETS = [(block, parameters) for block, sets in LEGAL.items() for parameters in sets]


def run(*command: str | Path) -> tuple[int, str]:
    environment = find_verilator().environment() if "verilator" in str(command[0]) else None
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    return result.returncode, result.stdout + result.stderr


def verilator(block: str, parameters: Parameters) -> tuple[int, str]:
    """Lint with every warning an error."""
    options = [f"-G{name}={value}" for name, value in parameters.items()]
    tool = find_verilator().binary
    return run(tool, "--lint-only", "-Wall", "--timing", "--top-module", block, *options, *closure(block))


def icarus(block: str, parameters: Parameters) -> tuple[int, str]:
    """Elaborate."""
    options = [f"-P{block}.{name}={value}" for name, value in parameters.items()]
    tool = find_icarus().compiler
    return run(tool, "-g2012", "-Wall", "-t", "null", "-s", block, *options, *closure(block))


def yosys(block: str, parameters: Parameters) -> tuple[int, str]:
    """Synthesise to gates of Yosys's own: no latch, no undriven or doubly driven net, no missing module."""
    changes = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
    script = (
        f"read_verilog -sv {' '.join(map(str, closure(block)))}; hierarchy -check -top {block} {changes}; "
        "proc; check -assert; select -assert-none t:$dlatch t:$adlatch t:$sr"
    )
    # In a process of its own: Yosys ends the process on an error.
    program = "import sys; from pyosys import libyosys as y; y.run_pass(sys.argv[1], y.Design())"
    return run(sys.executable, "-c", program, script)


@pytest.mark.parametrize("tool", [verilator, icarus])
def test_no_warnings(tool: object) -> None:
    bad = {}
    for block, parameters in SETS:
        code, text = tool(block, parameters)  # type: ignore[operator]
        # Icarus 11 tells that it is not as lazy as the standard allows; the result is the same.
        said = [line for line in text.splitlines() if "constant selects in always_*" not in line]
        said = [line for line in said if not line.startswith("- V")]
        if code or said:
            bad[f"{block} {parameters}"] = said[:3]
    assert not bad


def test_yosys_accepts() -> None:
    bad = {}
    for block, parameters in SETS:
        if (
            block == "axis_checker" or parameters.get("IN_W", 0) == 2047
        ):  # not hardware; as 2048 to 2047, slow
            continue
        code, text = yosys(block, parameters)
        if code or "Warning" in text:
            bad[f"{block} {parameters}"] = text[-600:]
    assert not bad


@pytest.mark.parametrize("tool", [verilator, icarus, yosys])
def test_illegal_parameters_are_refused(tool: object) -> None:
    for block, parameters, rule in ILLEGAL:
        code, text = tool(block, parameters)  # type: ignore[operator]
        assert code != 0, (block, parameters)
        assert rule in text, (block, parameters, text[:600])


def test_every_block_is_here() -> None:
    blocks = {path.parent.name for path in IP.glob("*/*.sv") if path.stem == path.parent.name}
    assert blocks == set(LEGAL)
    refused = {block for block, _, _ in ILLEGAL}
    assert refused == blocks - {"axis_checker"}
