# SPDX-License-Identifier: BSD-3-Clause
"""Frames of any length: all that is sent, seen and compared is in files, read part by part."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cluster_bench import within
from waiting import PATIENCE

from shellgen.api import generate
from shellgen.reference import LayerFolding, ReferenceFolding, build_reference, synthetic_model
from shellgen.simulate.cluster import SimulateOptions, simulate

WIDTH = 32  # elements of 4 bits in a word
FRAME_BYTES = 1 << 20
MOST_BYTES = 12 << 20  # above what the same cluster takes with short frames, 57 MiB
MODEL = "model"  # what a compiled simulation is called


def cluster(folder: Path, frame_bytes: int) -> Path:
    """Generate two layers on two boards, whose cut and input have frames of this size."""
    folder.mkdir()
    vectors = frame_bytes * 2 // WIDTH
    model = synthetic_model([WIDTH] * 3, activation_type="UINT4", vectors=vectors)
    folding = LayerFolding(pe=WIDTH, simd=WIDTH, threshold_pe=WIDTH)
    build_reference(model, ReferenceFolding(layers=(folding, folding)), (0, 1), folder / "build")
    nodes = [f'[[node]]\nname = "zed{at}"\nboard = "zedboard"\npartitions = [{at}]\n' for at in (0, 1)]
    (folder / "cluster.toml").write_text('build = "build/parent.onnx"\n' + "".join(nodes))
    generate(folder / "cluster.toml", folder / "out")
    return folder / "out"


def field(pid: int, name: str) -> str:
    """Return a field of a process, empty if there is none, or no such process."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(f"{name}:")), "")


def is_ours(pid: int) -> bool:
    """Return whether a process descends from this one."""
    while pid > 1:
        pid = int(field(pid, "PPid") or 0)
        if pid == os.getpid():
            return True
    return False


@contextmanager
def watching() -> Iterator[dict[int, int]]:
    """Yield the most memory of each simulation of this process, in bytes; it grows while they run."""
    most: dict[int, int] = {}
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            for pid in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()):
                if field(pid, "Name") == MODEL and (pid in most or is_ours(pid)):
                    kib = field(pid, "VmHWM").partition(" ")[0]  # the kernel keeps the most there ever was
                    most[pid] = max(most.get(pid, 0), 1024 * int(kib or 0))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()


def memory(out: Path) -> int:
    """Return the most memory of a simulation that passes."""
    with watching() as most, within(int(3 * PATIENCE)):
        report = simulate(out, "verilator", SimulateOptions(frames=2, walk="none"))
    assert report.passed
    return max(most.values())


@pytest.mark.sweep
def test_memory_does_not_grow_with_frames(tmp_path: Path) -> None:
    short = memory(cluster(tmp_path / "short", 64))
    long = memory(cluster(tmp_path / "long", FRAME_BYTES))
    assert 0 < long - short < MOST_BYTES, (
        f"{short >> 20} MiB with short frames, {long >> 20} MiB with long ones"
    )
