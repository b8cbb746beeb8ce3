# SPDX-License-Identifier: BSD-3-Clause
"""Two drives of one model, run inside the simulator: ours, and Python at every beat."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import bench_files
import cocotb
import numpy as np
from bench_beats import open_beats
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamSink, AxiStreamSource

WIDTH = int(os.environ["SPEED_W"])
BEATS = int(os.environ["SPEED_BEATS"])
FRAMES = int(os.environ["SPEED_FRAMES"])
REPEATS = int(os.environ["SPEED_REPEATS"])
DRIVE = os.environ["SPEED_DRIVE"]
LOWEST_FIRST = cocotb.SIM_NAME == "Verilator"


def stimulus() -> Any:
    """Frames of random bytes, the same for every drive: (frames, bytes of a frame)."""
    size = BEATS * WIDTH // 8
    return np.random.default_rng(1).integers(0, 256, (FRAMES, size), np.uint8)


async def reset(dut: Any) -> None:
    dut.aresetn.value = 0
    dut.start.value = 0
    dut.dump.value = 0
    dut.by_ports.value = DRIVE == "python"
    dut.frames.value = FRAMES
    dut.s_axis_tvalid.value = 0
    dut.m_axis_tready.value = 0
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 4)


def note(seconds: list[float]) -> None:
    Path("speed.json").write_text(json.dumps({"beats": FRAMES * BEATS, "seconds": seconds}))


@cocotb.test(skip=DRIVE != "HDL")
async def hdl(dut: Any) -> None:
    """CPU time from the bytes in memory to every bit compared: files written and read included."""
    frames = stimulus()
    sent = frames.reshape(-1, WIDTH // 8)
    ends = np.arange(1, len(sent) + 1) % BEATS == 0
    seconds = []
    for _ in range(REPEATS):
        await reset(dut)
        began = time.process_time()
        bench_files.write_beats("in.bin", frames, WIDTH, lowest_first=LOWEST_FIRST)
        dut.start.value = 1
        await RisingEdge(dut.arrived)
        dut.dump.value = 1
        await RisingEdge(dut.dumped)
        seen = open_beats("out.bin", WIDTH)
        assert seen.count == seen.stored == len(sent)
        at = 0
        for lot in seen.lots():  # as the bench compares
            beats = slice(at, at := at + len(lot.data))
            assert lot.full
            assert np.array_equal(lot.data, sent[beats])
            assert np.array_equal(lot.last, ends[beats])
        seconds.append(time.process_time() - began)
    note(seconds)


@cocotb.test(skip=DRIVE != "python")
async def python(dut: Any) -> None:
    """cocotbext-axi's source and sink, as its documentation uses them."""
    await reset(dut)  # first, since they cannot start from the unknown values of Icarus
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.aclk)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.aclk)
    frames = stimulus()
    seconds = []
    for _ in range(REPEATS):
        began = time.process_time()
        for frame in frames:
            await source.send(frame.tobytes())
        for frame in frames:
            assert bytes((await sink.recv()).tdata) == frame.tobytes()
        seconds.append(time.process_time() - began)
    note(seconds)
