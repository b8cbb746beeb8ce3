# SPDX-License-Identifier: BSD-3-Clause
"""Legal parameter sets of every block, which three tools accept without a warning."""

from __future__ import annotations

from collections.abc import Mapping

Parameters = Mapping[str, int | str]


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
        *({"DATA_W": bits, "CUT": kind} for kind in range(6) for bits in (1, 513)),
    ],
    "axis_fifo": [
        {"DATA_W": 1, "DEPTH": 2},
        {"DATA_W": 8, "DEPTH": 3},
        {"DATA_W": 64, "DEPTH": 32},
        {"DATA_W": 36, "DEPTH": 1000},
        {"DATA_W": 32, "DEPTH": 16384, "OUT_REG": 1},
        *({"DATA_W": 9, "DEPTH": depth, "STORE": kind} for kind in range(1, 5) for depth in (3, 40, 128)),
        {"DATA_W": 8, "DEPTH": 2, "STORE": 1},
        {"DATA_W": 8, "DEPTH": 2, "STORE": 3},
        {"DATA_W": 8, "DEPTH": 1024, "STORE": 2},
        {"DATA_W": 72, "DEPTH": 4096, "STORE": 4},
    ],
    "axis_frame_fifo": [
        {},
        *(
            {"DATA_W": 64, "DEPTH": 32, "STORE": k, "ON_FULL": full}
            for k in (0, 2, 3, 4)
            for full in range(4)
        ),
        *({"DATA_W": 8, "DEPTH": 4, "ON_FULL": full, "DROP_BAD": 1} for full in (1, 2)),
        {"DATA_W": 8, "USER_W": 3, "DEPTH": 4, "ON_FULL": 3, "BAD_VALUE": "3'd2", "BAD_MASK": "3'd6"},
        {"DATA_W": 512, "USER_W": 80, "DEPTH": 4096, "STORE": 4, "DROP_BAD": 1},
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
    "axis_width_up_rational": [
        {},
        {"UNIT_W": 9, "IN_UNITS": 3, "OUT_UNITS": 4, "FRAME_END": 2, "KEEP_BIT": 8, "USER_W": 3},
        {"UNIT_W": 5, "IN_UNITS": 4, "OUT_UNITS": 11, "FRAME_END": 1, "ZERO": 1},
        {"UNIT_W": 5, "IN_UNITS": 4, "OUT_UNITS": 11, "FRAME_END": 1, "ZERO": 1, "FLUSH": 1},
        {"UNIT_W": 1, "IN_UNITS": 257, "OUT_UNITS": 300},
    ],
    "axis_width_up_integer": [
        {},
        {"BEAT_W": 9, "RATIO": 64, "FRAME_END": 2, "KEEP_BIT": 8, "USER_W": 2},
        {"BEAT_W": 1, "RATIO": 3, "FRAME_END": 1, "ZERO": 1},
        {"BEAT_W": 5, "RATIO": 5, "FRAME_END": 1},
    ],
    "axis_width_down": [
        {},
        {"UNIT_W": 8, "IN_UNITS": 64, "OUT_UNITS": 5, "FRAME_END": 2, "USER_W": 3},
        {"UNIT_W": 16, "IN_UNITS": 7, "OUT_UNITS": 1, "FRAME_END": 2, "SLICE": 0},
        {"UNIT_W": 5, "IN_UNITS": 11, "OUT_UNITS": 4, "FRAME_END": 1, "END": 12},
        {"UNIT_W": 1, "IN_UNITS": 300, "OUT_UNITS": 257},
    ],
    "axis_width_down_keep": [
        {},
        {"KEEP_W": 3, "IN_UNITS": 7, "OUT_UNITS": 5, "EARLY": 0},
        {"KEEP_W": 4, "IN_UNITS": 64, "OUT_UNITS": 1},
    ],
    "axis_width_framed": [
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
    "axis_width_narrow": [
        {},
        {"IN_W": 2, "OUT_W": 1, "SLICE": 0},
        {"IN_W": 15, "OUT_W": 5},
        {"IN_W": 512, "OUT_W": 8},
        {"IN_W": 2048, "OUT_W": 8},
        {"IN_W": 2048, "OUT_W": 1, "SLICE": 0},
    ],
    "axis_width_narrow_fast": [
        {},
        {"IN_W": 2, "OUT_W": 1},
        {"IN_W": 15, "OUT_W": 5, "GROUP": 2},
        {"IN_W": 64, "OUT_W": 4, "IN_BEATS": 1, "OUT_BEATS": 1},
        {"IN_W": 64, "OUT_W": 4, "IN_BEATS": 2, "OUT_BEATS": 17, "GROUP": 4},
        {"IN_W": 512, "OUT_W": 8},
        {"IN_W": 512, "OUT_W": 16, "IN_BEATS": 40_000_000, "OUT_BEATS": 1_280_000_000},
        {"IN_W": 512, "OUT_W": 256},
        {"IN_W": 2048, "OUT_W": 8},
        {"IN_W": 2048, "OUT_W": 1},
    ],
    "axis_frame_rx": [
        {"DATA_W": 8, "BEATS": 1, "LAST_BYTES": 1},
        {"DATA_W": 64, "BEATS": 5, "LAST_BYTES": 3},
        {"DATA_W": 64, "BEATS": 5, "LAST_BYTES": 3, "MANY_EN": 0},
        {"DATA_W": 128, "BEATS": 1, "LAST_BYTES": 12},
        {"DATA_W": 512, "BEATS": 4096, "LAST_BYTES": 64},
    ],
    "axis_frame_tx": [
        {"DATA_W": 8, "LAST_BYTES": 1},
        {"DATA_W": 64, "LAST_BYTES": 8},
        {"DATA_W": 128, "LAST_BYTES": 12},
        {"DATA_W": 512, "LAST_BYTES": 63},
    ],
    "axis_run_rx": [
        {},
        {"DATA_W": 1, "DEST_W": 2, "BEATS": 2},
        {"DATA_W": 512, "DEST_W": 4, "BEATS": 4096},
    ],
    "axis_run_tx": [{}, {"DATA_W": 1, "BEATS": 2}, {"DATA_W": 512, "BEATS": 4096}],
    "axil_register": [{"ADDR_W": 1, "DATA_W": 32}, {"ADDR_W": 40, "DATA_W": 64}],
    "axil_slot": [{}, {"ADDR_W": 4}, {"ADDR_W": 64}],
    "axil_cdc": [{}, {"ADDR_W": 1, "SYNC_STAGES": 3}, {"ADDR_W": 64, "DATA_W": 64, "SYNC_STAGES": 4}],
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
    "shell_sync": [{}, {"W": 3, "INIT": "3'd5", "SYNC_STAGES": 4}],
    "shell_turns": [{}, {"N": 0}, {"N": 30}],
    "shell_reset": [{}, {"N": 64, "CYCLES": 2, "OPEN": 5}],
    "shell_status": [
        {"N_RX": 1, "N_TX": 1},
        {"N_RX": 0, "N_TX": 1},
        {"N_RX": 2, "N_TX": 1, "SINGLE": "3'd2"},
        {"N_RX": 2, "N_TX": 1, "SINGLE": "3'd7"},
        {"N_RX": 32, "N_TX": 5},
        {"N_RX": 120, "N_TX": 0},
    ],
    "vnx_unpack": [
        {},
        {"DATA_W": 2, "PACKET_BEATS": 2, "SLOTS": 4, "LAST_BITS": 1},
        *({"DATA_W": 16, "PACKET_BEATS": 3, "SLOTS": 8, "FRAME_HALVES": halves} for halves in (4, 11)),
        {"PACKET_BEATS": 256, "SLOTS": 256, "FRAME_HALVES": 2147483647, "LAST_BITS": 8},
    ],
    "vnx_match": [
        {},
        {"FRAME_BYTES": 1, "PACKET_BEATS": 2},
        *({"FRAME_BYTES": bytes_, "PACKET_BEATS": 3} for bytes_ in (32, 63, 161)),
        {"FRAME_BYTES": 2147483647, "PACKET_BEATS": 256, "LINK": "16'hFFFF", "CONTRACT": "64'd1"},
    ],
    "vnx_session": [
        {},
        {"SLOTS": 4, "ACK_EVERY": 1, "ACK_CYCLES": 2},
        {"SLOTS": 256, "ACK_EVERY": 256, "ACK_CYCLES": 65536},
    ],
    "vnx_receiver_status": [{}],
    "vnx_receiver": [
        {},
        {"FRAME_BYTES": 1, "PACKET_BEATS": 2, "SLOTS": 4, "ACK_EVERY": 1, "ACK_CYCLES": 2},
        *({"FRAME_BYTES": bytes_, "PACKET_BEATS": 3, "SLOTS": 8} for bytes_ in (63, 161)),
        {"FRAME_BYTES": 150528, "PACKET_BEATS": 256, "SLOTS": 256, "LINK": "16'hFFFF", "CONTRACT": "64'd1"},
        {"FRAME_BYTES": 2147483647},
    ],
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
    "axis_swallow": [{}],
    "axis_tid": [{}, {"ID_W": 1}],
    "layer_dot": [
        {},
        {"PE": 3, "SIMD": 5, "A_W": 9, "W_W": 1, "A_KIND": 1, "W_KIND": 2, "OUT_W": 14, "STEPS": 7},
        {"PE": 2, "SIMD": 64, "A_W": 1, "W_W": 1, "A_KIND": 2, "W_KIND": 2, "OUT_W": 8, "STEPS": 3},
        {"PE": 8, "SIMD": 1, "A_W": 4, "W_W": 4, "OWN": 1, "OUT_W": 12, "STEPS": 9},
        {"PE": 2, "SIMD": 3, "A_W": 1, "W_W": 4, "A_KIND": 2, "OWN": 1, "OUT_W": 3, "STEPS": 9},
        {"A_W": 16, "W_W": 8, "W_KIND": 0, "OUT_W": 64},
        {"A_W": 1, "W_W": 1, "A_KIND": 2, "W_KIND": 2, "OUT_W": 1},
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
    "axis_concat": [
        {},
        {"N": 2, "DATA_W": 1, "WORDS": "64'h0000000700000001", "PIXELS": 1},
        {"N": 3, "WORDS": "96'h000000030000000100000005", "PIXELS": 2, "CUT": 0},
        {"N": 16, "DATA_W": 128, "PIXELS": 3136, "CUT": 1},
    ],
    "axis_add": [
        {},
        {"ELEMENTS": 3, "IN_W": "16'h0101", "SIGNED": "2'b01", "ALL_W": 6, "OUT_W": 3},
        {"N": 3, "ELEMENTS": 4, "IN_W": "24'h080508", "SIGNED": "3'b010", "ALL_W": 84, "OUT_W": 40},
        {"N": 16, "IN_W": "128'h40404040404040404040404040404040", "ALL_W": 1024, "OUT_W": 68},
    ],
    "axis_frame_tag": [{}, {"BEATS": 7}, {"ORIGIN": 1}, {"BEATS": 2147483647, "ORIGIN": 1}],
    "axis_frame_label": [{}, {"BEATS": 7, "DROP": 1}, {"BEATS": 2147483647}],
    "axis_frame_match": [
        {},
        {"N": 3, "WORDS": "96'h000000030000000100000005"},
        {"N": 16, "WORDS": f"512'h{'7FFFFFFF' * 16}"},
        {"N": 3, "WORDS": "96'h000000050000000500000005", "ANY": 1},
    ],
    "axis_tag_deal": [{}, {"N": 16}, {"N": 3, "LENGTH": 5, "PATTERN": "20'h01020"}],
    "axis_turn": [{}, {"N": 16}, {"N": 3, "LENGTH": 5, "PATTERN": "20'h01020"}, {"N": 2, "LENGTH": 1}],
    "axis_deal": [
        {},
        {"N": 16, "DATA_W": 64, "REG_EN": 0},
        {"N": 3, "LENGTH": 5, "PATTERN": "20'h01020"},
        {"N": 2, "DATA_W": 1, "REG_EN": 0},
    ],
    "axis_gather": [
        {},
        {"N": 16, "DATA_W": 64, "CUT": 0},
        {"N": 3, "LENGTH": 5, "PATTERN": "20'h01020"},
        {"N": 2, "DATA_W": 1, "CUT": 1},
    ],
    "axis_arbiter": [
        {"N": 1, "DATA_W": 1},
        {"N": 2, "DATA_W": 8},
        {"N": 3, "DATA_W": 8, "CUT": 4},
        {"N": 5, "DATA_W": 64, "CUT": 1},
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
        {"N": 4, "M": 4, "DATA_W": 64, "DEST_W": 2, "CUT": 4},
        {"N": 16, "M": 5, "DATA_W": 8, "DEST_W": 3},
    ],
    "split_counter": [
        {"COUNT_W": 1, "PART_W": 2},
        {"COUNT_W": 17, "PART_W": 16},
        {"COUNT_W": 64, "PART_W": 16, "STOP_EN": 1},
        {"COUNT_W": 64, "PART_W": 64},
    ],
    "axil_counters": [
        {"ADDR_W": 4},
        {"ADDR_W": 5, "WORDS": 4, "COUNTERS": 3},
        {"ADDR_W": 7, "WORDS": 16, "COUNTERS": 16},
    ],
    "vnx_pack": [
        {"FRAME_BYTES": 1, "PACKET_BEATS": 2},
        {"FRAME_BYTES": 33},
        {"FRAME_BYTES": 100_000, "PACKET_BEATS": 256},
    ],
    "vnx_emit": [
        {},
        {"FRAME_BYTES": 1, "PACKET_BEATS": 2, "SLOTS": 4},
        *({"FRAME_BYTES": bytes_, "PACKET_BEATS": 3} for bytes_ in (32, 33, 100_000)),
        {"PACKET_BEATS": 256, "SLOTS": 256},
    ],
    "vnx_sender_status": [{}],
    "vnx_window": [{"SLOTS": 4, "HELLO_CYCLES": 2, "TIMEOUT_CYCLES": 2}, {"SLOTS": 256}],
    "vnx_sender": [{"FRAME_BYTES": 5000}],
    "vnx_port": [{}],
    "accl_command": [{}, {"N": 2}, {"N": 3}, {"N": 16}],
    "accl_gate": [{}, {"DATA_W": 1, "BEATS": 2}, {"BEATS": 131071}],
    "accl_port": [{}, {"N_OUT": 0, "N_IN": 2}, {"N_OUT": 3, "N_IN": 0}, {"N_OUT": 16, "N_IN": 32}],
    "accl_demux": [{}, {"N": 3, "DATA_W": 1}, {"N": 32, "DATA_W": 8}],
    "accl_frames": [{}, {"BEATS": 2, "DATA_W": 1}, {"BEATS": 131071, "DATA_W": 8}],
    "accl_number": [{}, {"BEATS": 2, "DATA_W": 34}, {"BEATS": 131069}],
    "accl_told": [{}, {"BEATS": 2, "DATA_W": 34}, {"BEATS": 131069}],
    "axis_ddr_fifo": [
        {},
        {"DATA_W": 8, "BURST": 2, "RING_BYTES": 6, "STAGE": 4},
        {"DATA_W": 128, "ADDR_W": 40, "BURST": 256, "RING_BYTES": 12288, "STORE": 3},
        {"DATA_W": 512, "ADDR_W": 64, "BURST": 64, "RING_BYTES": 1 << 30, "STAGE": 256},
    ],
    "ddr_ring_port": [{}, {"N": 3}, {"N": 8}],
    "ring_requests": [{}, {"N": 3, "BURST": 2, "OPEN": 1}, {"N": 8, "ADDR_W": 64}],
    "axis_checker": [{"DATA_W": 8}],
    "crc32c": [{"DATA_W": 32}, {"DATA_W": 128}],
    "vnx_check": [{"DATA_W": 64, "DEST_W": 1, "MOST_BEATS": 1}, {"DATA_W": 128}],
    "vnx_seal": [{}, {"DATA_W": 64, "DEST_W": 1, "PACKET_BEATS": 1}, {"DATA_W": 64, "PACKET_BEATS": 256}],
}

# (block, parameters, the rule that the message must name)
