# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node as on a board: its devices are files, behind which a thread does what DMAs and kernel do."""

from __future__ import annotations

import json
import mmap
import os
import struct
import subprocess
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shellgen.cache import default_cache_dir
from shellgen.rehearse.node_program import node_program
from shellgen.rehearse.processes import PORT, loopback
from shellgen.simulate.tools import find_verilator
from shellgen_host import Cluster, Hosts
from shellgen_host.cluster_map import read_map

EXAMPLE = Path(__file__).parents[1] / "docs" / "example" / "out" / "memory_map.json"
PHYSICAL = 0x10000000
HALTED, IDLE, DONE = 1 << 0, 1 << 1, 1 << 12
CONTROL, STATUS, ADDRESS, LENGTH = 0x00, 0x04, 0x18, 0x28
MM2S, S2MM = 0x00, 0x30


@dataclass
class Devices:
    """The devices of node zed1, whose input and output are the client's.

    Attributes:
        folder: Of all files.
        node: Its part of the memory map.
        size: Bytes of u-dma-buf.
        silent: The interrupt of the kernel never comes.
    """

    folder: Path
    size: int = 1 << 16
    silent: bool = False
    node: dict[str, Any] = field(default_factory=dict)
    interrupts: int = 0

    def __post_init__(self) -> None:
        whole = json.loads(EXAMPLE.read_text())
        self.node = whole["nodes"][1]
        for stream in self.node["streams"]:
            stream["host"] = True
        (self.folder / "memory_map.json").write_text(json.dumps({**whole, "nodes": [self.node]}))
        self.dma, self.intc = (
            self.node["dma"][0]["base"],
            self.node["interrupt_controller"]["base"],
        )
        for name, text in (("phys_addr", f"{PHYSICAL:#x}"), ("size", str(self.size))):
            path = self.folder / "sys/class/u-dma-buf/udmabuf0" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
        self.memory = self._file("udmabuf0", self.size)
        self.registers = self._file("mem", self.intc + 0x10000)
        self.kernel, line = os.openpty()  # a device that both can write to
        tty.setraw(line)
        os.set_blocking(self.kernel, False)
        (self.folder / "uio0").symlink_to(os.ttyname(line))
        uio = self.folder / "sys/class/uio/uio0/name"
        uio.parent.mkdir(parents=True)
        uio.write_text("dmas\n")
        self._line = line
        (magic,) = (one for one in self._registers() if one["name"] == "MAGIC")
        self.put(self.node["base"] + magic["offset"], magic["value"])
        build = int(self.node["build_id"], 16)
        self.put(self.node["base"] + self._status()["BUILD_ID_LOW"], build & 0xFFFFFFFF)
        self.put(self.node["base"] + self._status()["BUILD_ID_HIGH"], build >> 32)

    def _registers(self) -> list[dict[str, Any]]:
        (status,) = (block for block in self.node["blocks"] if block["name"] == "status")
        return list(status["registers"])

    def _status(self) -> dict[str, int]:
        return {one["name"]: one["offset"] for one in self._registers()}

    def _file(self, name: str, size: int) -> mmap.mmap:
        with (self.folder / name).open("wb+") as file:
            file.truncate(size)
            return mmap.mmap(file.fileno(), size)

    def get(self, address: int) -> int:
        return int(struct.unpack_from("<I", self.registers, address)[0])

    def put(self, address: int, value: int) -> None:
        struct.pack_into("<I", self.registers, address, value)

    def options(self, *interrupts: str, registers: str = "mem", buffers: str = "udmabuf0") -> list[str]:
        """The command line of the node on these devices."""
        found = ["--map", str(self.folder / "memory_map.json"), "--node", "zed1"]
        places = ",".join(str(self.folder / name) for name in registers.split(","))
        found += ["--buffers", str(self.folder / buffers), "--registers", places]
        found += ["--sysfs", str(self.folder / "sys"), "--slots", "8"]
        return found + [word for name in interrupts for word in ("--interrupt", str(self.folder / name))]

    def uio(self, name: str, *maps: tuple[int, int, int]) -> None:
        """Let a device of UIO have ranges of the registers: address, size and offset of each."""
        (self.folder / name).symlink_to(self.folder / "mem")
        about = self.folder / "sys/class/uio" / name
        (about / "maps").mkdir(parents=True)
        (about / "name").write_text("registers\n")
        for number, map_of in enumerate(maps):
            (about / "maps" / f"map{number}").mkdir()
            for file, value in zip(("addr", "size", "offset"), map_of, strict=True):
                (about / "maps" / f"map{number}" / file).write_text(f"{value:#x}\n")

    def run(self, stop: threading.Event, answers: dict[bytes, bytes]) -> None:
        """Do what DMA, core, interrupt controller and kernel do, until they are to stop."""
        frames: list[bytes] = []
        enabled = False
        moved = [0, 0]
        for channel in (MM2S, S2MM):
            self.put(self.dma + channel + STATUS, HALTED)
        while not stop.is_set():
            if self.get(self.dma + CONTROL) & 4:  # a reset, of both channels
                frames.clear()
                self._count(moved, reset=True)
                for channel in (MM2S, S2MM):
                    for offset, value in ((STATUS, HALTED), (ADDRESS, 0), (LENGTH, 0), (CONTROL, 0)):
                        self.put(self.dma + channel + offset, value)
            for channel in (MM2S, S2MM):
                if (
                    self.get(self.dma + channel + CONTROL) & 1
                    and self.get(self.dma + channel + STATUS) & HALTED
                ):
                    self.put(self.dma + channel + STATUS, 0)
                if self._transfer(channel, frames, answers, moved):
                    self._count(moved)
            with suppress(BlockingIOError):
                enabled |= os.read(self.kernel, 4) == struct.pack("<i", 1)
            if enabled and self._level() and not self.silent:
                enabled = False
                self.interrupts += 1
                os.write(self.kernel, struct.pack("<i", self.interrupts))
            time.sleep(0.0002)

    def _level(self) -> bool:
        # A node clears DONE by writing it, which leaves DONE alone in this memory.
        done = any(self.get(self.dma + channel + STATUS) == DONE | IDLE for channel in (MM2S, S2MM))
        return done and self.get(self.intc + 0x1C) == 3 and self.get(self.intc + 0x08) == 3

    def _count(self, moved: list[int], *, reset: bool = False) -> None:
        """Let the core tell how many frames have come and gone."""
        (frames,) = (one for one in self._registers() if one["name"] == "FRAMES")
        for stream in range(2):
            moved[stream] *= not reset
            self.put(self.node["base"] + frames["offset"] + stream * frames["stride"], moved[stream])

    def _transfer(
        self, channel: int, frames: list[bytes], answers: dict[bytes, bytes], moved: list[int]
    ) -> bool:
        """Move frames whose address and length are there; an address of zero is one that was used.

        A frame without an answer stays in the core.
        """
        base, stream = self.dma + channel, int(channel == S2MM)
        address, length = self.get(base + ADDRESS), self.get(base + LENGTH)
        size = self.node["streams"][stream]["frame_bytes"]
        there = [answers[frame] for frame in frames[: length // size] if frame in answers]
        if not address or not length or (channel == S2MM and len(there) < length // size):
            return False
        at = address - PHYSICAL
        if channel == MM2S:
            frames += [bytes(self.memory[k : k + size]) for k in range(at, at + length, size)]
            self.put(base + LENGTH, 0)
        else:
            self.memory[at : at + length] = b"".join(there)
            del frames[: len(there)]
        moved[stream] += length // size
        self.put(base + ADDRESS, 0)
        self.put(base + STATUS, DONE | IDLE)
        return True

    def close(self) -> None:
        for one in (self.kernel, self._line):
            os.close(one)


@pytest.fixture(scope="module")
def program() -> Path:
    return node_program(find_verilator(), default_cache_dir())


@contextmanager
def running(devices: Devices, answers: dict[bytes, bytes]) -> Iterator[None]:
    """The devices do what they do on a board."""
    stop = threading.Event()
    thread = threading.Thread(target=devices.run, args=(stop, answers))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def served(
    program: Path,
    devices: Devices,
    *interrupts: str,
    environment: dict[str, str] | None = None,
    **places: str,
) -> Iterator[Hosts]:
    """A node that runs on the devices."""
    address = f"{loopback()}.1"
    command = [str(program), *devices.options(*interrupts, **places), "--listen", f"{address}:{PORT}"]
    ready, errors = devices.folder / "ready", devices.folder / "stderr"
    with errors.open("w") as file:
        process = subprocess.Popen(
            [*command, "--ready", str(ready), "--tied", "yes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=file,
            env={**os.environ, **(environment or {})},
        )
    try:
        end = time.monotonic() + 30
        while not ready.exists():
            assert process.poll() is None, errors.read_text()
            assert time.monotonic() < end
            time.sleep(0.005)
        hosts = Hosts()
        hosts.update({"zed1": (address, PORT)})
        yield hosts
    finally:
        process.terminate()
        process.communicate(timeout=30)


def frames_of(folder: Path, count: int) -> tuple[Any, Any, dict[bytes, bytes]]:
    """Random frames, an answer to each, and both as bytes."""
    found = read_map(folder)
    rng = np.random.default_rng(1)
    layouts = [found.inputs[0].layout, found.outputs[0].layout]
    values = [rng.integers(0, 2, (count, *layout.shape)) for layout in layouts]
    packed = [
        [layout.pack(frame[None])[0].tobytes() for frame in each]
        for layout, each in zip(layouts, values, strict=True)
    ]
    return values[0], values[1], dict(zip(*packed, strict=True))


@pytest.mark.parametrize(
    ("interrupts", "silent", "said"),
    [
        (("uio0",), False, ""),
        ((), False, ""),
        (("uio0",), True, "transfers end without an interrupt, so they are polled"),
    ],
    ids=["interrupts", "polled", "an interrupt that never comes"],
)
def test_frames(program: Path, tmp_path: Path, interrupts: tuple[str, ...], silent: bool, said: str) -> None:
    """Every frame comes back right; with interrupts, they are what the node waits for."""
    devices = Devices(tmp_path, silent=silent)
    x, y, answers = frames_of(tmp_path, 64)
    try:
        with (
            running(devices, answers),
            served(program, devices, *interrupts) as hosts,
            Cluster(tmp_path, hosts, patience=10) as cluster,
        ):
            for part in (slice(0, 64), *(slice(k, k + 1) for k in range(40))):
                got = np.asarray(cluster.predict(x[part], raw=True))
                assert np.array_equal(got.reshape(y[part].shape), y[part])
                time.sleep(0.005)  # until nothing but the next frame makes the node look at its DMAs
            assert cluster.epochs == 1
    finally:
        devices.close()
    text = (tmp_path / "stderr").read_text()
    assert said in text if said else not text
    if interrupts and not silent:
        # One for each transfer, unless two end together: no storm, although they are level-sensitive.
        assert 40 <= devices.interrupts <= 2 * 104 + 8
    else:
        assert devices.interrupts == 0


def refused(program: Path, *words: str, environment: dict[str, str] | None = None) -> str:
    ran = subprocess.run(
        [str(program), *words, "--listen", "127.0.0.1:0"],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 2, ran.stderr
    assert ran.stderr.count("\n") == 1
    return ran.stderr.removeprefix("shellgen-node: error: ").rstrip("\n")


def test_too_little_memory(program: Path, tmp_path: Path) -> None:
    """The sentence gives the bytes with which it starts: with one less it does not."""
    devices = Devices(tmp_path, 512)
    size = devices.folder / "sys/class/u-dma-buf/udmabuf0/size"
    said = refused(program, *devices.options())
    assert "its 512 bytes are too few by 512; load u-dma-buf with udmabuf0=1024 or more" in said
    size.write_text("1023\n")
    assert "are too few by 1;" in refused(program, *devices.options())
    size.write_text("1024\n")
    assert "its 1024 bytes" not in refused(program, *devices.options("uio0", "uio0"))
    devices.close()


def test_interrupts_that_are_wrong(program: Path, tmp_path: Path) -> None:
    devices = Devices(tmp_path)
    remedy = "or leave --interrupt out: they are polled then"
    for name in ("uio9", "mem"):
        said = refused(program, *devices.options(name))
        assert said.startswith(f"--interrupt {tmp_path / name}: ")
        assert said.endswith(remedy)
    assert "No such file or directory" in refused(program, *devices.options("uio9"))
    assert "it is no device of UIO" in refused(program, *devices.options("mem"))
    said = refused(program, *devices.options("uio0", "uio0"))
    assert "it is given 2 times, and the DMAs of node zed1 have 1 interrupts at the processor: ID 61" in said
    words = [
        "--map",
        str(tmp_path / "memory_map.json"),
        "--node",
        "zed1",
        "--model",
        "none",
        "--interrupt",
        "x",
    ]
    assert "--interrupt: it is for a board; give its --buffers, too" in refused(program, *words)
    none = tmp_path / "sys/class/uio/mem/name"  # a device without an interrupt cannot be written
    none.parent.mkdir(parents=True)
    none.write_text("mem\n")
    (tmp_path / "mem").chmod(0o400)
    if os.geteuid():
        assert "Permission denied" in refused(program, *devices.options("mem"))
    devices.close()


# ---- registers by UIO ------------------------------------------------------------------------------------
PAGE = 4096


def exchange(
    program: Path, devices: Devices, environment: dict[str, str] | None = None, **places: str
) -> None:
    """Let frames pass the node; every one comes back right."""
    x, y, answers = frames_of(devices.folder, 32)
    with (
        running(devices, answers),
        served(program, devices, environment=environment, **places) as hosts,
        Cluster(devices.folder, hosts, patience=10) as cluster,
    ):
        got = np.asarray(cluster.predict(x, raw=True))
    assert np.array_equal(got.reshape(y.shape), y)


def test_frames_by_uio(program: Path, tmp_path: Path) -> None:
    """By two devices; the second has two maps, of which one begins within a page."""
    devices = Devices(tmp_path)
    core, dma = devices.node["base"], devices.dma
    devices.uio("uio1", (0, core + devices.node["span"], 0))
    devices.uio("uio2", (0, PAGE, 0x100), (PAGE, dma + devices.node["dma"][0]["size"] - PAGE, 0))
    exchange(program, devices, registers="uio1,uio2")
    devices.close()


def test_registers_by_uio_that_are_wrong(program: Path, tmp_path: Path) -> None:
    devices = Devices(tmp_path)
    core, span = devices.node["base"], devices.node["span"]
    devices.uio("uio1", (core, span, 0))
    devices.uio("uio2")
    devices.uio("uio3", (core, span, span))
    devices.uio("uio4", (core, span, 4))
    devices.uio("uio5", (core, span, 0), (devices.dma, 0x60 - 4, 0))
    (tmp_path / "uio6").symlink_to(tmp_path / "mem")
    remedy = "; let the field reg in the device tree have it, or give a further device, behind a comma"
    for name, said in (
        ("uio1", f"axi_dma_0 has {devices.dma:#x} to {devices.dma + 0xFFFF:#x}, and there is "),
        ("uio2", "it has no registers; give its node in the device tree the field reg"),
        ("uio3", "map0 does not describe a range of addresses"),
        ("uio4", f"node zed1 has {core:#x} to {core + span - 1:#x}, and there is "),
        ("uio5", f"uio5 {devices.dma:#x} to {devices.dma + 0x5B:#x}{remedy}"),
        ("uio6", "uio6: it is no device of UIO: there is no "),
        ("uio1,uio9", "uio9: it is no device of UIO: there is no "),
        ("uio1,", "it is no device of UIO: there is no "),
    ):
        text = refused(program, *devices.options(registers=name))
        assert text.startswith("--registers"), text
        assert said in text
    devices.close()


# ---- memory of zocl --------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def zocl(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment in which a file renderD128 is a device of zocl."""
    made = tmp_path_factory.mktemp("zocl") / "zocl.so"
    source = Path(__file__).with_name("zocl_stand_in.c")
    strict = ("-Wall", "-Wextra", "-Werror")
    subprocess.run(["gcc", "-shared", "-fPIC", *strict, str(source), "-o", str(made), "-ldl"], check=True)
    return {"LD_PRELOAD": str(made), "ZOCL_BASE": f"{PHYSICAL:#x}", "ZOCL_DRIVER": "zocl"}


def test_frames_in_memory_of_zocl(program: Path, tmp_path: Path, zocl: dict[str, str]) -> None:
    """The driver alone writes its caches back."""
    devices = Devices(tmp_path, 4 << 20)
    (tmp_path / "udmabuf0").rename(tmp_path / "renderD128")
    exchange(program, devices, zocl, buffers="renderD128")
    devices.close()


def test_memory_of_zocl_that_is_wrong(program: Path, tmp_path: Path, zocl: dict[str, str]) -> None:
    """The sentence on CMA gives the bytes that are missing; two pages are enough."""
    devices = Devices(tmp_path, PAGE)
    (tmp_path / "udmabuf0").rename(tmp_path / "renderD128")

    def said(buffers: str = "renderD128", slots: str = "64", **changes: str) -> str:
        words = devices.options(buffers=buffers)
        words[words.index("--slots") + 1] = slots
        return refused(program, *words, environment={**zocl, **changes})

    wanted = 64 * sum(-(-one["frame_bytes"] // 64) * 64 for one in devices.node["streams"])
    assert wanted > PAGE
    text = f"the kernel's CMA has {wanted - PAGE} of {wanted} bytes too few; give it more, such as cma=32M "
    assert text in said()
    assert "its driver is i915; it is for boards with XRT's driver zocl" in said(ZOCL_DRIVER="i915")
    assert "its driver is unknown; it is for boards" in said(LD_PRELOAD="")
    assert "axi_dma_0 does not reach its memory; let it lie elsewhere" in said(ZOCL_BASE="0xfffff0000000")
    assert "renderD129: No such file or directory; it is for boards" in said("renderD129")
    words = devices.options()
    words[words.index("--buffers") + 1] = "zocl"
    assert "--buffers zocl: no device in /dev/dri that you may open is its; " in refused(program, *words)
    devices.close()
