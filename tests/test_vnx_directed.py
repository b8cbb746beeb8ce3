# SPDX-License-Identifier: BSD-3-Clause
"""Directed test of links over VNx: its packets are those of the blocks, and cores of any shape pass it."""

from __future__ import annotations

import json
from contextlib import nullcontext
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cluster_bench import report_text, run
from host_module import host_module
from sim_module import sim_module
from test_vnx_cluster import LARGE, SMALL, cluster

packets: Any = sim_module("vnx_packets")
for needed in ("bench_records", "bench_stand", "bench_report", "vnx_script", "vnx_end"):
    sim_module(needed)
far_end: Any = sim_module("vnx_far_end")
PACKET = Path(__file__).parents[1] / "ip" / "links" / "vnx_udp" / "packet.json"


def test_fields_are_those_of_the_blocks() -> None:
    told = json.loads(PACKET.read_text())
    for part, fields in (("header", packets.HEAD), ("hello", packets.TERMS)):
        listed = {one["name"]: (8 * one["byte"] + one.get("low", 0), one["bits"]) for one in told[part]}
        assert listed == fields, part
    kinds = {one["name"]: one["value"] for one in told["kinds"]}
    assert kinds == {name: getattr(packets, name.upper()) for name in kinds}
    refusals = {one["name"]: one["refuse"] for one in (*told["header"], *told["hello"]) if "refuse" in one}
    assert refusals == {name: bit for bit, name in enumerate(packets.REFUSALS)}
    values = {one["name"]: one["value"] for one in told["header"] if "value" in one}
    assert values == {"magic": packets.MAGIC, "version": packets.VERSION}
    assert told["header_bytes"] == packets.HEADER_BYTES


@pytest.mark.parametrize("size", [33, 64, 65, 1472])
def test_a_datagram_is_what_the_host_program_takes(size: int) -> None:
    data = np.random.default_rng(size).bytes(size - packets.HEADER_BYTES)
    made = packets.packet(packets.DATA, data, seq=5, frame=1 << 31, sof=1, link=0x1234, rx_epoch=9)
    assert len(made) == size
    opened = host_module("shellgen_packet").Packet.opened(made)
    assert opened is not None
    assert (opened.kind, opened.seq, opened.frame, opened.data) == (packets.DATA, 5, 1 << 31, data)
    assert host_module("shellgen_packet").Packet.opened(packets.flipped(made, 8 * size - 1)) is None


@pytest.mark.parametrize("rows", [1, 5])
def test_a_packet_comes_too_soon_only_where_another_row_held_up_the_one_before(rows: int) -> None:
    period, late = 4096, 64
    soonest, latest = period - late * (rows - 1), period + late * rows
    for apart in (soonest, period, latest):
        assert not far_end.off_period([7, 7 + apart], period, rows, late)
    for apart in (soonest - 1, latest + 1):
        assert far_end.off_period([7, 7 + period, 7 + period + apart], period, rows, late) == [apart]


class WrongError(Exception):
    """A mistake of the end."""


@pytest.mark.parametrize(
    ("apart", "waiting", "right"),
    [
        ((1000, 2003, 3998, 8000, 8000), False, True),
        ((2000, 2000, 8000), False, True),  # the timer began before the time was doubled
        ((1000, 4000, 8000), False, True),
        ((1000, 1000, 1000), False, False),
        ((1000, 8000), False, False),
        ((4000, 2000), False, False),
        ((500, 1000), False, False),
        ((1000, 2000, 3000), False, False),
        ((1000, 2000, 2000, 2000, 2000), True, True),  # packets that wait for leave stop it
        ((1000, 2000, 5000), True, False),
    ],
)
def test_probes_of_a_silent_session_back_off(apart: tuple[int, ...], waiting: bool, right: bool) -> None:
    """Each comes after twice the time; the shortest is 1,000 cycles here, the longest 8,000."""
    one = object.__new__(far_end.FarEnd)
    one.end = SimpleNamespace(late=64, rows=2, idle_cycles=8000, timeout_cycles=1000, wrong=WrongError)
    one._waits = set()
    with nullcontext() if right else pytest.raises(WrongError, match="cycles after the one before"):
        one._backs_off([*accumulate(apart, initial=27)], waiting)


def test_an_ack_names_the_probes_that_came_while_registers_were_read() -> None:
    """With as many of them under way as may be, nothing is sent again. Those behind DATA make it lost."""
    kinds = (packets.PROBE, packets.PROBE, packets.DATA, packets.PROBE)
    said = [SimpleNamespace(fields={"kind": kind}) for kind in kinds]
    assert [far_end.probes_first(said[:count]) for count in (0, 1, 2, 3, 4)] == [0, 1, 2, 2, 2]


# Streams, cards in a row, cards in a loop, options of the link.
SHAPES = {
    "frames of many packets, and small ones, on one cage": ((LARGE, SMALL), 2, False, {}),
    "three cards in a loop": ((("UINT3", 5, 40), SMALL), 3, True, {}),
    "jumbo frames": ((LARGE, SMALL), 2, False, {"mtu": 9000}),
    "a round trip so short that PROBEs come while registers are read": (
        (("UINT8", 8, 56),),
        2,
        True,
        {"mtu": 1500, "round_trip_ns": 300},
    ),
    "packets of two beats": ((SMALL, ("UINT8", 8, 8 * 97)), 2, False, {"mtu": 156}),
    "a frame of exactly two packets": ((("UINT8", 32, 2880), ("UINT1", 1, 1)), 2, False, {}),
}


@pytest.mark.sweep
@pytest.mark.xdist_group("vnx")
@pytest.mark.parametrize("shape", SHAPES)
def test_cores_pass_it(shape: str, tmp_path: Path) -> None:
    streams, cards, loop, options = SHAPES[shape]
    out = cluster(tmp_path / "out", cards, loop=loop, streams=streams, options=options)
    report = run(out, "verilator", frames=6, walk="sample", idle_limit=10_000)
    assert report["passed"], report_text(report)
    found = report["directed_tests"]["vnx_udp"]
    assert len(found) == 2 * len(streams) * (cards if loop else cards - 1)
    assert all(one["packets"] for one in found.values()), found
