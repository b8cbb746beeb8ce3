# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside the simulator on simulate_bench: what the blocks of sim/ promise, at three pairs of widths."""

from __future__ import annotations

import os
from typing import Any

import bench_files
import cocotb
import numpy as np
import pytest
from axil import LiteMaster
from bench_beats import read_beats
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotb_bus.drivers.amba import AXIProtocolError

HOPS = ((64, 128), (32, 64), (128, 64))
FRAME_BYTES = 53
LOWEST_FIRST = cocotb.SIM_NAME == "Verilator"
DEPTH = int(os.environ["SINK_DEPTH"])


def frames_of(count: int) -> Any:
    return np.random.default_rng(1).integers(0, 256, (count, FRAME_BYTES), np.uint8)


def per_hop(handle: Any) -> list[int]:
    value = int(handle.value)
    return [value >> (32 * i) & 0xFFFF_FFFF for i in range(len(HOPS))]


async def reset(dut: Any) -> None:
    dut.aresetn.value = 0
    dut.strict.value = 0
    for name in ("start", "dump", "frames", "stall", "mask_tlast", "inject_kind", "inject_beat", "walk"):
        getattr(dut, name).value = 0
    for name in ("awaddr", "awprot", "awvalid", "wdata", "wstrb", "wvalid", "bready"):
        getattr(dut, f"s_axil_{name}").value = 0
    for name in ("araddr", "arprot", "arvalid", "rready"):
        getattr(dut, f"s_axil_{name}").value = 0
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 2)


async def play(dut: Any, frames: Any, *, cycles: int = 0, **inputs: int) -> None:
    """Send the frames over every hop and record what arrives; for a time, or until all has left."""
    await reset(dut)
    for index, (width, _) in enumerate(HOPS):
        bench_files.write_beats(f"in_{index}", frames, width, lowest_first=LOWEST_FIRST)
    dut.frames.value = len(frames)
    for name, value in inputs.items():
        getattr(dut, name).value = value
    dut.start.value = 1
    if cycles:
        await ClockCycles(dut.aclk, cycles)
    else:
        await with_timeout(RisingEdge(dut.done), 1, "ms")
        await ClockCycles(dut.aclk, 400)
    dut.dump.value = 1
    await with_timeout(RisingEdge(dut.dumped), 1, "us")


def received(index: int) -> list[bytes]:
    seen = read_beats(f"out_{index}", HOPS[index][1])
    assert seen.count == len(seen.data)
    assert not seen.unknown.any()
    ends = np.flatnonzero(seen.last) + 1
    parts = zip(np.split(seen.data, ends), np.split(seen.keep, ends), strict=True)
    return [part[kept].tobytes() for part, kept in parts if len(part)]


def watched(index: int) -> bytes:
    seen = read_beats(f"watched_{index}", HOPS[index][0])
    assert seen.keep.all()
    assert not seen.last.any()
    assert not seen.unknown.any()
    assert seen.count == len(seen.data)
    return seen.data.tobytes()


def sent_beats(frames: Any, width: int) -> bytes:
    size = -(-FRAME_BYTES // (width // 8)) * (width // 8)
    return b"".join(frame.tobytes().ljust(size, b"\0") for frame in frames)


@cocotb.test()
async def frames_cross_unchanged(dut: Any) -> None:
    frames = frames_of(16)
    for stall in (0, 120):
        await play(dut, frames, stall=stall)
        for index, (width, _) in enumerate(HOPS):
            assert received(index) == [frame.tobytes() for frame in frames]
            assert watched(index) == sent_beats(frames, width)
        assert per_hop(dut.frames_in) == per_hop(dut.frames_out) == [16] * 3
        assert per_hop(dut.bytes) == [16 * FRAME_BYTES] * 3
        assert int(dut.dma_int_err.value) == 0
        assert int(dut.noisy.value) == (0b111 if stall else 0)


@cocotb.test()
async def stalls_cost_cycles(dut: Any) -> None:
    """Without stalls a frame takes its beats and the time to arm S2MM; with stalls of 1/2 at least double."""
    took = {}
    for stall in (0, 128):
        await play(dut, frames_of(8), stall=stall, cycles=60)
        took[stall] = per_hop(dut.sent)
    # 7, 14 and 4 beats a frame, 4 cycles to arm; the narrow one is limited by nothing else.
    assert took[0][1] >= 40
    assert all(slow < 0.7 * fast for slow, fast in zip(took[128], took[0], strict=True))


@cocotb.test()
async def without_tlast_nothing_is_forwarded(dut: Any) -> None:
    await play(dut, frames_of(1), mask_tlast=1)
    assert per_hop(dut.bytes) == [FRAME_BYTES] * 3
    assert per_hop(dut.frames_in) == per_hop(dut.count) == [0] * 3
    assert int(dut.dma_int_err.value) == 0


@cocotb.test()
async def too_long_a_packet_is_an_error(dut: Any) -> None:
    await play(dut, frames_of(2), cycles=200, mask_tlast=1)
    assert int(dut.dma_int_err.value) == 0b111
    assert per_hop(dut.count) == [0] * 3


@cocotb.test()
async def every_fault_is_seen(dut: Any) -> None:
    frames = frames_of(3)
    good = [frame.tobytes() for frame in frames]
    for index, (width, _) in enumerate(HOPS):
        size = width // 8
        beats = -(-FRAME_BYTES // size)
        for kind in (1, 2, 3, 4):
            await play(dut, frames, cycles=250, inject_kind=kind, inject_beat=beats + 1)
            middle = bytearray(good[1])
            one, two = middle[size : 2 * size], middle[2 * size : 3 * size]
            if kind == 1:
                middle[size] ^= 1
            elif kind == 2:
                del middle[size : 2 * size]
            elif kind == 4:
                middle[size : 3 * size] = two + one
            wanted = [good[0]] if kind == 3 else [good[0], bytes(middle), good[2]]
            assert received(index) == wanted, f"kind {kind}"
            # Sending a beat twice makes the packet too long for S2MM.
            assert (int(dut.dma_int_err.value) >> index & 1) == (kind == 3)


@cocotb.test()
async def a_damaged_tlast_joins_or_splits(dut: Any) -> None:
    """The sidebands go with the data: dropping a last beat joins two frames, which S2MM refuses."""
    frames = frames_of(3)
    await play(dut, frames, cycles=200, inject_kind=2, inject_beat=6)  # last beat of frame 0 at 64 bits
    assert int(dut.dma_int_err.value) & 1
    assert received(0) == []


@cocotb.test()
async def more_beats_than_room_are_counted(dut: Any) -> None:
    count = DEPTH  # frames of 4 beats at 128 bits
    await play(dut, frames_of(count))
    seen = read_beats("out_0", 128)
    assert (len(seen.data), seen.count) == (DEPTH, 4 * count)


@cocotb.test()
async def walks_and_single_accesses_agree(dut: Any) -> None:
    """axil_master in bulk, and cocotb-bus (sim/axil.py) for single accesses."""
    await reset(dut)
    values = np.random.default_rng(2).integers(0, 1 << 32, 16)
    writes = [("write", 4 * i, int(value)) for i, value in enumerate(values)]
    reads = [("read", 4 * i, 0) for i in range(16)]
    assert bench_files.write_ops("ops.bin", [*writes, *reads, ("read", 0x40, 0), ("write", 0x44, 1)]) == 34
    dut.walk.value = 1
    await with_timeout(RisingEdge(dut.walk_done), 10, "us")
    resp, data = bench_files.read_results("results.bin")
    assert resp.tolist() == [0] * 32 + [2, 2]
    assert data[16:32].tolist() == values.tolist()
    dut.walk.value = 0
    await ClockCycles(dut.aclk, 2)
    bus = LiteMaster(dut, "s_axil", dut.aclk)
    assert int(await with_timeout(bus.read(0x08), 1, "us")) == values[2]
    await with_timeout(bus.write(0x08, 0x1234_5678), 1, "us")
    assert int(await with_timeout(bus.read(0x08), 1, "us")) == 0x1234_5678
    with pytest.raises(AXIProtocolError):
        await with_timeout(bus.read(0x40), 1, "us")


async def walk(dut: Any, ops: list[bench_files.Op], *, strict: bool = False) -> tuple[list[int], list[int]]:
    """Play a list; return answers and data."""
    await reset(dut)
    dut.strict.value = int(strict)
    bench_files.write_ops("ops.bin", ops)
    dut.walk.value = 1
    await with_timeout(RisingEdge(dut.walk_done), 100, "us")
    resp, data = bench_files.read_results("results.bin")
    return resp.tolist(), data.tolist()


@cocotb.test()
async def a_strict_list_ends_at_the_first_error(dut: Any) -> None:
    """After a reset the error is forgotten."""
    reads: list[bench_files.Op] = [("read", 4 * k, 0) for k in range(8)]
    resp, _ = await walk(dut, [*reads, ("read", 0x40, 0), *reads])
    assert resp == [0] * 8 + [2] + [0] * 8
    resp, _ = await walk(dut, [*reads, ("read", 0x40, 0), *reads], strict=True)
    assert resp == [0] * 8 + [2]
    resp, _ = await walk(dut, [*reads[:2], ("write", 0x44, 1), *reads], strict=True)
    assert resp == [0, 0, 2]
    resp, _ = await walk(dut, reads, strict=True)
    assert resp == [0] * 8


def mode(value: int) -> list[bench_files.Op]:
    """Let the gate behave so, of sim/axil_gate.sv."""
    return [("fault", 0, value), ("wait", 0, 8)]


HESITATES, DECOY = 16, 32


@cocotb.test()
async def a_gate_hesitates_in_all_modes(dut: Any) -> None:
    """Forwarded accesses are right, also after an access that a reset of the core cuts short."""
    random = np.random.default_rng(3)
    ops: list[bench_files.Op] = mode(HESITATES)
    wanted: list[int | None] = [None] * len(ops)
    for k in range(48):
        value, gaps = int(random.integers(0, 1 << 32)), [int(gap) for gap in random.integers(0, 8, 5)]
        how = bench_files.manner(aw=gaps[0], w=gaps[1], b=gaps[2], ar=gaps[3], r=gaps[4])
        ops += [("write", 4 * (k % 16), value, how), ("read", 4 * (k % 16), 0, how)]
        wanted += [None, value]
    for cycles in range(1, 40, 3):
        at = 4 * (cycles % 16)
        early = bench_files.manner(early=True)
        ops += [("write", at, cycles), ("read", at, 0, early), ("wait", 0, cycles, early)]
        ops += [("reset", 0, 2, early), ("write", at, 2 * cycles), ("read", at, 0)]
        wanted += [None] * 5 + [2 * cycles]
    resp, data = await walk(dut, ops)
    assert set(resp) <= {0, bench_files.CUT}
    assert bench_files.CUT in resp
    assert all(want in (None, got) for want, got in zip(wanted, data, strict=True))
    assert int(dut.gate_seen.value) == 0b1_1111_1111


@cocotb.test()
async def a_gate_is_a_decoy(dut: Any) -> None:
    """It keeps a word with its address, by strobes; the slave behind it sees nothing."""
    part = bench_files.manner(off=0b0110)
    before: list[bench_files.Op] = [("write", 0x10, 0x1234_5678), *mode(HESITATES | DECOY)]
    kept: list[bench_files.Op] = [("write", 0x10, 0xAABB_CCDD), ("write", 0x10, 0x1122_3344, part)]
    kept += [("read", 0x10, 0), ("read", 0x94, 0)]  # where the slave would not answer
    failing = [*mode(HESITATES | DECOY | 2), ("write", 0x10, 1), ("read", 0x10, 0)]
    after: list[bench_files.Op] = [*mode(0), ("read", 0x10, 0)]
    resp, data = await walk(dut, [*before, *kept, *failing, *after])
    assert resp == [0] * 9 + [2, 2, 0, 0, 0]
    assert [f"{value:08x}" for value in (*data[5:7], data[-1])] == ["11bbcc44", "11bbccc0", "12345678"]


@cocotb.test()
async def a_gate_fails_as_it_is_told(dut: Any) -> None:
    """Errors have data of the slave; who is silent, mute or takes a half leaves the master waiting."""
    write, read = ("write", 0x10, 5), ("read", 0x10, 0)
    for fault, op, last in (
        (1, write, bench_files.TIMEOUT),
        (2, read, 2),
        (3, write, 3),
        (4, read, bench_files.TIMEOUT),
        (5, write, bench_files.BROKEN),  # it answers a read that nobody has sent
        (6, read, bench_files.BROKEN),
        (7, write, bench_files.TIMEOUT),
        (8, write, bench_files.TIMEOUT),
    ):
        resp, _ = await walk(dut, [write, *mode(fault), op])
        assert resp[-1] == last, f"mode {fault}"
        halves = {7: 0b01, 8: 0b10}.get(fault, 0)
        taken = int(dut.gate_seen.value) & 0b11
        assert taken == halves, f"mode {fault} has taken {taken:b}"


@cocotb.test()
async def a_dead_slave_ends_the_walk(dut: Any) -> None:
    await reset(dut)
    bench_files.write_ops("ops.bin", [("write", 0, 1), ("read", 0x80, 0), ("read", 0, 0)])
    dut.walk.value = 1
    await with_timeout(RisingEdge(dut.walk_done), 10, "us")
    resp, _ = bench_files.read_results("results.bin")
    assert resp.tolist() == [0, bench_files.TIMEOUT]
