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
    "axis_register": [{"DATA_W": 1}, {"DATA_W": 513}],
    "axis_fifo": [{"DATA_W": 1, "DEPTH": 2}, {"DATA_W": 8, "DEPTH": 3}, {"DATA_W": 64, "DEPTH": 32}],
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
    ],
    "axis_frame_rx": [
        {"DATA_W": 8, "BEATS": 1, "LAST_BYTES": 1},
        {"DATA_W": 64, "BEATS": 5, "LAST_BYTES": 3},
        {"DATA_W": 512, "BEATS": 4096, "LAST_BYTES": 64},
    ],
    "axis_frame_tx": [{"DATA_W": 8, "LAST_BYTES": 1}, {"DATA_W": 512, "LAST_BYTES": 63}],
    "axil_register": [{"ADDR_W": 1, "DATA_W": 32}, {"ADDR_W": 40, "DATA_W": 64}],
    "axil_crossbar": [
        windows(12, (0, 12)),
        {**windows(64, (1 << 63, 20), (0, 63)), "DATA_W": 64},
        {**windows(16, (0x8000, 15), (0x40, 2), (0x1000, 12)), "TIMEOUT": 2},
        windows(20, *((k << 12, 12) for k in range(16))),
    ],
    "shell_status": [{"N_RX": 1, "N_TX": 1}, {"N_RX": 0, "N_TX": 1}, {"N_RX": 32, "N_TX": 5}],
    "axis_checker": [{"DATA_W": 8}],
}

# (block, parameters, the rule that the message must name)
ILLEGAL: list[tuple[str, Parameters, str]] = [
    ("axis_register", {"DATA_W": 0}, "DATA_W_must_be_at_least_1"),
    ("axis_fifo", {"DEPTH": 1}, "DEPTH_must_be_at_least_2"),
    ("axis_fifo", {"DATA_W": 0}, "DATA_W_must_be_at_least_1"),
    ("axis_width", width(2049, 8, 1, 257), "IN_W_must_be_1_to_2048"),
    ("axis_width", width(8, 4096, 512, 1), "OUT_W_must_be_1_to_2048"),
    ("axis_width", width(8, 8, 0, 0), "IN_BEATS_and_OUT_BEATS_must_be_at_least_1"),
    ("axis_width", width(8, 8, 2, 3), "the_larger_side_of_a_frame"),
    ("axis_width", width(8, 3, 4, 12), "the_larger_side_of_a_frame"),
    ("axis_width", width(8, 3, 4, 7), "the_larger_side_of_a_frame"),
    ("axis_width", width(24, 32, 4, 2), "the_larger_side_of_a_frame"),
    ("axis_width", width(24, 32, 4, 5), "the_larger_side_of_a_frame"),
    ("axis_frame_rx", {"DATA_W": 12}, "DATA_W_must_be_a_positive_multiple_of_8"),
    ("axis_frame_rx", {"BEATS": 0}, "BEATS_must_be_at_least_1"),
    ("axis_frame_rx", {"DATA_W": 16, "LAST_BYTES": 3}, "LAST_BYTES_must_be_1_to_DATA_W_over_8"),
    ("axis_frame_tx", {"DATA_W": 4}, "DATA_W_must_be_a_positive_multiple_of_8"),
    ("axis_frame_tx", {"DATA_W": 16, "LAST_BYTES": 0}, "LAST_BYTES_must_be_1_to_DATA_W_over_8"),
    ("axil_register", {"ADDR_W": 0}, "ADDR_W_must_be_at_least_1"),
    ("axil_register", {"DATA_W": 16}, "DATA_W_must_be_32_or_64"),
    ("axil_crossbar", {"N": 17, "BASES": "204'h0", "SIZES_LOG2": "136'h0"}, "N_must_be_1_to_16"),
    ("axil_crossbar", {**windows(12, (0, 12)), "DATA_W": 8}, "DATA_W_must_be_32_or_64"),
    ("axil_crossbar", {**windows(12, (0, 12)), "TIMEOUT": 1}, "TIMEOUT_must_be_at_least_2"),
    ("axil_crossbar", windows(12, (0, 13)), "SIZES_LOG2_must_be_at_most_ADDR_W"),
    ("axil_crossbar", windows(12, (0x80, 8)), "BASES_must_be_multiples_of_the_window_size"),
    ("axil_crossbar", windows(12, (0, 10), (0x800, 11), (0x200, 9)), "windows_must_not_overlap"),
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
