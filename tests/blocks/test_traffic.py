# SPDX-License-Identifier: BSD-3-Clause
"""Every block under four shapes of traffic, 10^5 beats in each, on both simulators; figures of costs.toml.

In the default run Icarus gets a fifth of them; all of them in the sweep.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tools.blocks.block_bench import block_file, block_folder, closure
from tools.blocks.budgets import Budget, hardware, load
from tools.blocks.traffic import Measured, TrafficSet, run_traffic, traffic_file

BEATS = 100_000
# Enough for exact figures: buffers fill in fewer beats than one part in 200 of these.
FIGURE_BEATS = 1_000
FAULT_BEATS = 1_000
FAULTS = {
    1: "a beat is lost",
    2: "a beat comes twice",
    3: "two beats change places",
    4: "a bit is wrong",
    5: "a bit changes while the beat waits",
    6: "tvalid falls while the beat waits",
    7: "tlast is wrong",
    9: "a beat more at the end",
}

# What runs 10^5 beats: narrow, for Icarus' sake, and with all of a block's machinery at work.
MAIN: dict[str, list[dict[str, int | str]]] = {
    "accl_gate": [{"DATA_W": 32, "BEATS": 5}],
    "accl_demux": [{"N": 3, "DATA_W": 24}],
    "accl_frames": [{"DATA_W": 32, "BEATS": 5}],
    "axil_bridge": [{"WINDOW_W": 10, "FAR_W": 20, "DEPTH": 4, "FAR": 1}],
    "axil_crossbar": [
        {
            "N": 4,
            "ADDR_W": 16,
            "BASES": "64'hc000_8000_4000_0000",
            "SIZES_LOG2": "32'h0c_0d_0e_0a",
            "HOLES": 1,
        }
    ],
    "axil_register": [{"ADDR_W": 12, "DATA_W": 32}],
    "axil_cdc": [{"ADDR_W": 12, "DATA_W": 32, "HALF_S": 50, "HALF_M": 34}],
    "axil_slot": [{"ADDR_W": 16, "HOLES": 1}],
    "axis_arbiter": [{"N": 3, "DATA_W": 24}],
    "axis_broadcast": [{"N": 3, "DATA_W": 24}],
    "axis_ddr_fifo": [{"DATA_W": 32, "BURST": 2, "RING_BYTES": 24, "STAGE": 4}],
    "axis_demux": [{"N": 3, "DATA_W": 24, "DEST_W": 2}],
    "axis_fifo": [{"DATA_W": 32, "DEPTH": 32}],
    "axis_fifo_cdc": [{"DATA_W": 32, "DEPTH": 16, "HALF_S": 50, "HALF_M": 34}],
    "axis_frame_fifo": [{"DATA_W": 32, "DEPTH": 32, "ON_FULL": 2, "VARIED": 1, "LONGEST": 16}],
    "axis_frame_rx": [{"DATA_W": 32, "BEATS": 5, "LAST_BYTES": 3, "FAULTS": 1}],
    "axis_frame_tx": [{"DATA_W": 32, "LAST_BYTES": 3}],
    "axis_join": [{"N": 3, "SUM_W": 48}],
    "axis_pad": [{"N": 4, "W": 5, "SLOT_W": 8, "SIGNED_EN": 1}],
    "axis_register": [{"DATA_W": 32}],
    "axis_run_rx": [{"DATA_W": 32, "DEST_W": 4, "BEATS": 5}],
    "axis_run_tx": [{"DATA_W": 32, "BEATS": 5}],
    "axis_strip": [{"N": 4, "W": 5, "SLOT_W": 8, "SIGNED_EN": 1}],
    "axis_switch": [{"N": 2, "M": 2, "DATA_W": 24, "DEST_W": 1}],
    "axis_tlast": [{"DATA_W": 32, "BEATS": 5}],
    "axis_width": [{"IN_W": 24, "OUT_W": 32, "IN_BEATS": 4, "OUT_BEATS": 3}],
    "axis_width_narrow": [{"IN_W": 64, "OUT_W": 16}],
    "axis_width_narrow_fast": [{"IN_W": 64, "OUT_W": 8, "IN_BEATS": 3, "OUT_BEATS": 18, "GROUP": 4}],
    "axis_width_framed": [{"IN_W": 24, "OUT_W": 32, "USER_W": 5}],
    "shell_status": [{"N_RX": 2, "N_TX": 1}],
    "vnx_check": [{"DATA_W": 64, "DEST_W": 4}],
    "vnx_seal": [{"DATA_W": 64, "DEST_W": 4, "PACKET_BEATS": 9, "VARIED": 1}],
}
# AXI-Lite on Icarus: beats of each of five channels; reads, and as many writes, of several cycles each.
ICARUS_LITE = {
    "axil_bridge": 12_500,
    "axil_crossbar": 12_500,
    "axil_register": 25_000,
    "axil_cdc": 5_000,
    "axil_slot": 12_500,
    "shell_status": 12_500,
    **dict.fromkeys(("vnx_check", "vnx_seal"), 10_000),  # a checksum is parities of many bits
}
# A crossing takes nine cycles for an access, of two clocks.
VERILATOR_LITE = {"axil_cdc": 10_000, "vnx_check": 20_000, "vnx_seal": 20_000}
# The other way round, and what else Icarus would take too long for.
VERILATOR_MAIN: dict[str, list[dict[str, int | str]]] = {
    "accl_gate": [{"DATA_W": 32, "BEATS": 5}],
    "axis_fifo_cdc": [{"DATA_W": 32, "DEPTH": 16, "HALF_S": 50, "HALF_M": 82}],
    "axis_frame_fifo": [
        {"DATA_W": 32, "DEPTH": 16, "ON_FULL": 0, "VARIED": 1, "LONGEST": 40},
        {"DATA_W": 32, "DEPTH": 16, "STORE": 4, "ON_FULL": 1, "VARIED": 1, "LONGEST": 16},
        {"DATA_W": 32, "DEPTH": 16, "STORE": 3, "ON_FULL": 3, "VARIED": 1, "LONGEST": 40},
    ],
    "axis_switch": [{"N": 3, "M": 3, "DATA_W": 24, "DEST_W": 2}],
    "axis_width": [
        {"IN_W": 40, "OUT_W": 64, "IN_BEATS": 13, "OUT_BEATS": 9},
        {"IN_W": 32, "OUT_W": 24, "IN_BEATS": 7, "OUT_BEATS": 9},
        {"IN_W": 24, "OUT_W": 32, "IN_BEATS": 0, "OUT_BEATS": 0},
    ],
    "axis_width_framed": [{"IN_W": 64, "OUT_W": 40, "USER_W": 5}, {"IN_W": 128, "OUT_W": 8, "USER_W": 1}],
}
# Blocks that exist only inside another one, whose traffic goes through them.
PARTS = {
    "axil_counters": "vnx_sender",
    "axil_node": "axil_crossbar",
    "axil_root": "axil_crossbar",
    "axis_width_down": "axis_width",
    "axis_width_up_integer": "axis_width",
    "axis_width_down_keep": "axis_width_framed",
    "axis_width_up_rational": "axis_width",
    "split_counter": "shell_status",
    **dict.fromkeys(("vnx_emit", "vnx_pack", "vnx_sender_status", "vnx_window"), "vnx_sender"),
    **dict.fromkeys(("vnx_match", "vnx_receiver_status", "vnx_session", "vnx_unpack"), "vnx_receiver"),
    "crc32c": "vnx_seal",
    "axis_turn": "axis_deal",
}
# Blocks through which no traffic goes: no stream, no bus; or what leaves is not what enters; or TDATA goes
# past them.
SILENT = {
    *("accl_command", "accl_port", "axis_swallow", "axis_tid", "layer_dot", "shell_reset", "shell_sync"),
    "shell_turns",
    *("ddr_ring_port", "ring_requests", "vnx_port", "vnx_receiver", "vnx_sender"),
    # Their benches know the order of the words, and check the rate.
    *("axis_add", "axis_concat", "axis_deal", "axis_gather"),
    *("axis_frame_tag", "axis_frame_label", "axis_frame_match", "axis_tag_deal"),
    *("accl_number", "accl_told"),
}

# What takes long, for its many bits or their parities: only in the sweep.
LONG = ("accl_demux", "accl_frames", "accl_gate", "axis_run_rx", "axis_run_tx", "vnx_check", "vnx_seal")


# The sources, sinks and masters that the benches share: one block shows that they see a fault of a kind.
ONE_OF_EACH = frozenset({"axil_slot", "axis_register", "axis_tlast"})


# Whose latency and rate the default run measures: what is quick to build.
FIGURED = frozenset({"axis_register", "axis_tlast", "axis_frame_tx"})


def late(blocks: Iterable[str], but: frozenset[str] | None = None) -> list[Any]:
    """Return blocks as parameters, for the sweep the long ones, or all but some."""

    def marks(block: str) -> list[Any]:
        return [pytest.mark.sweep] * (block in LONG if but is None else block not in but)

    return [pytest.param(block, marks=marks(block)) for block in sorted(blocks)]


def budgets(block: str) -> list[Budget]:
    file = block_folder(block) / "costs.toml"
    return load(file) if file.is_file() else []


def stated(block: str, parameters: dict[str, int | str]) -> list[Budget]:
    return [budget for budget in budgets(block) if budget.parameters == parameters and not budget.tie]


@pytest.mark.parametrize(
    "simulator",
    [
        # The bench of each block runs on both.
        pytest.param("icarus", marks=pytest.mark.sweep),
        "verilator",
    ],
)
@pytest.mark.parametrize("block", late(MAIN))
def test_traffic(block: str, simulator: str) -> None:
    main = MAIN[block] + (VERILATOR_MAIN.get(block, []) if simulator == "verilator" else [])
    sets = [TrafficSet(parameters, {}) for parameters in main]
    most = ICARUS_LITE if simulator == "icarus" else VERILATOR_LITE
    beats = most.get(block, BEATS)
    result, measured = run_traffic(block, simulator, sets, beats)
    assert result.code == 0, result.text
    print(result.text)
    for number, parameters in enumerate(main):
        assert number in measured, f"set {number} did not end: {result.text}"
        assert measured[number].beats >= beats
        for budget in stated(block, parameters):
            assert not measured[number].differences(budget)


@pytest.mark.parametrize("block", late(set(hardware()) - set(PARTS) - SILENT, but=FIGURED))
def test_figures(block: str) -> None:
    """Latency and rate of every set of costs.toml; one that no simulation verified is a failure too."""
    sets = budgets(block)
    assert sets, "no costs.toml: nothing states what was to be measured"
    result, measured = run_traffic(
        block, "verilator", [TrafficSet(budget.parameters, budget.tie) for budget in sets], FIGURE_BEATS
    )
    assert result.code == 0, result.text
    wrong = []
    for number, budget in enumerate(sets):
        found = measured[number].differences(budget) if number in measured else ["not measured"]
        wrong += [f"{budget.name}: {words}" for words in found]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("block", late(MAIN, but=ONE_OF_EACH))
def test_faults_are_seen(block: str) -> None:
    """A bench whose outputs are spoilt on the way to the sinks must fail, or measure a lower rate."""
    sets = [TrafficSet(MAIN[block][0], {})]

    def run(fault: int) -> tuple[int, str, dict[int, Measured]]:
        result, measured = run_traffic(block, "icarus", sets, FAULT_BEATS, fault)
        return result.code, result.text, measured

    code, text, clean = run(0)
    assert code == 0, text
    for fault, words in FAULTS.items():
        if fault == 7 and "m_axis_tlast" not in block_file(block).read_text():
            continue
        code, text, _ = run(fault)
        assert code != 0, f"{words}, and the bench passes: {text}"
    code, text, slow = run(8)
    assert code != 0 or slow[0].rate < 0.99 * clean[0].rate, f"fifteen cycles of sixteen are idle: {text}"


def test_every_block_has_traffic() -> None:
    """So that no block of hardware is forgotten."""
    assert set(hardware()) == set(MAIN) | set(PARTS) | SILENT
    assert not [block for block in MAIN if not traffic_file(block).is_file()]
    for part, whole in PARTS.items():
        assert block_file(part) in closure(whole), f"{part} is not in {whole}"
