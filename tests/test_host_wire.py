# SPDX-License-Identifier: BSD-3-Clause
"""Parts of the runners besides the core: packing, sockets, boards."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from host_module import host_module
from sim_module import sim_module

from shellgen.model.element import ElementType

wire, link = host_module("shellgen_wire"), host_module("shellgen_link")
board, bus = host_module("shellgen_board"), host_module("shellgen_bus")
sim_module("bench_verdict")
sim_module("bench_held")
sim_module("bench_records")
bench = sim_module("bench_compare")

TYPES = ("UINT1", "UINT3", "UINT8", "UINT17", "INT2", "INT4", "INT9", "INT32", "INT33", "UINT63", "INT63")


def stream(name: str, elements: int = 12, per_word: int = 4, fill: int = 0) -> dict[str, Any]:
    kind = ElementType.parse(name)
    word = per_word * kind.bits + fill
    layout = {"datatype": name, "shape": [1, elements], "elements": elements, "bits": kind.bits}
    layout |= {"signed": kind.signed, "low": kind.low, "high": kind.high}
    layout |= {"per_word": per_word, "word_bits": word}
    return {
        "boundary": "b",
        "contract": "c0",
        "index": 0,
        "frame_bytes": -(-elements // per_word * word // 8),
        "layout": layout,
    }


@pytest.mark.parametrize("fill", [0, 5])
@pytest.mark.parametrize("name", [*TYPES, "BIPOLAR", "BINARY", "TERNARY"])
def test_packing_both_ways(name: str, fill: int) -> None:
    """As the bench packs, which is proved by what the layers take."""
    found, kind = stream(name, fill=fill), ElementType.parse(name)
    layout = wire.Layout(found)
    random = np.random.default_rng(1)
    values = random.integers(kind.low, kind.high, (3, 12), endpoint=True)
    values[0, :2] = kind.low, kind.high
    if name == "BIPOLAR":
        values[values == 0] = 1
    like = SimpleNamespace(
        element_bits=kind.bits,
        low=kind.low,
        signed=kind.signed,
        elements_per_word=4,
        wire_word_bits=4 * kind.bits + fill,
        elements=12,
    )
    wanted = bench.wire_bytes(bench.encode(values, like), like)
    packed = layout.encode(values, "x.npy")
    assert np.array_equal(packed[:, : wanted.shape[1]], wanted)
    assert packed.shape == (3, found["frame_bytes"])
    assert np.array_equal(layout.decode(packed), values)
    if kind.bits > 52:
        return  # more than a float holds
    assert np.array_equal(layout.decode(layout.encode(values.astype(np.float64), "x.npy")), values)
    for value in (kind.low - 1, kind.high + 1, 0.5, np.nan, np.inf):
        wrong = values.astype(np.float64)
        wrong[1, 7] = value
        with pytest.raises(bus.HostError, match=r"x.npy: frame 1, element 7 is .*; " + name):
            layout.encode(wrong, "x.npy")


def test_what_numpy_can_hold_and_python_could_run(tmp_path: Path) -> None:
    layout = wire.Layout(stream("UINT3"))
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    np.save(tmp_path / "words.npy", np.array(["a"]))
    np.save(tmp_path / "zero.npy", np.float32(1))
    np.save(tmp_path / "none.npy", np.zeros((0, 12)))
    np.savez(tmp_path / "many.npz", np.zeros(1))
    np.save(tmp_path / "good.npy", np.zeros((5, 12)))
    good = (tmp_path / "good.npy").read_bytes()
    for number, (old, new) in enumerate(((b"}", b"("), (b"'", b"\0"), (b"(5", b"(5e"), (b"<f8", b"<f9"))):
        (tmp_path / f"spoilt{number}.npy").write_bytes(good.replace(old, new, 1))
    (tmp_path / "good.npy").write_bytes(good[:-1])
    os.mkfifo(tmp_path / "pipe.npy")
    for path in tmp_path.iterdir():
        with pytest.raises(bus.HostError, match=path.name):
            layout.read(path)
    np.save(tmp_path / "flat.npy", np.zeros((5, 1, 12)))
    assert layout.read(tmp_path / "flat.npy").shape == (5, 12)
    with pytest.raises(bus.HostError, match="elements of 64 bits; 63 at most"):
        wire.Layout(stream("INT64"))


def test_nobody_at_the_other_end() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    with pytest.raises(
        bus.HostError, match=rf"127.0.0.1:{port}: .*refused; is its runner waiting with --listen"
    ):
        link.connect(("127.0.0.1", port), stream("UINT3"), 1, 0.1)
    for text in ("5", ":5", "host", "host:", "host:70000", "host:-1", "host:\u00b2", "host:" + "0" * 9999):
        with pytest.raises(bus.HostError, match="give it as HOST:PORT"):
            link.address_of(text)
    assert link.address_of("[::1]:5") == ("::1", 5)


def test_a_board_that_ends_too_soon_or_is_slow() -> None:
    ours, theirs = socket.socketpair()
    source = link.SocketSource(ours, "zed0", stream("UINT3"), 3)
    assert source.take(2) is None
    theirs.sendall(bytes(range(9)))
    assert source.take(2) is None
    theirs.sendall(b"\x09")
    assert source.take(2).tolist() == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    theirs.close()
    with pytest.raises(bus.HostError, match="zed0: it ended 5 bytes before the end of b"):
        source.take(1)
    source.close()
    ours, theirs = socket.socketpair()
    sink = link.SocketSink(ours, "zed1")
    many = np.zeros((1 << 16, 256), np.uint8)
    sink.put(many)
    assert not sink.room(), "nobody reads: it does not wait, and takes no more"
    theirs.close()
    with pytest.raises(bus.HostError, match=r"zed1: .*; look what it says there"):
        sink.room()
    sink.close()


ENTRY = {"base": 0, "span": 4096, "dma": [{"base": 4096, "size": 4096}]}


def test_pynq(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names and arguments as in PYNQ 2.5 to 3.1: Overlay, MMIO, allocate and what it returns."""
    log: list[Any] = []

    class Array(np.ndarray):
        physical_address = 64

        def flush(self) -> None:
            log.append("flush")

        def invalidate(self) -> None:
            log.append("invalidate")

        def freebuffer(self) -> None:
            log.append("free")

    class Mmio:
        def __init__(self, base_addr: int, length: int) -> None:
            self.base_addr, self.length = base_addr, length

        def read(self, offset: int) -> int:
            log.append(("read", self.base_addr, offset))
            return 7

        def write(self, offset: int, data: int) -> None:
            log.append(("write", self.base_addr, offset, data))

    def allocate(shape: tuple[int, ...], dtype: str) -> Array:
        return np.zeros(shape, dtype).view(Array)

    fake = SimpleNamespace(Overlay=log.append, MMIO=Mmio, allocate=allocate)
    monkeypatch.setitem(sys.modules, "pynq", fake)
    found = board.PynqBoard(ENTRY, Path("zed.bit"))
    assert found.bus.read(4100) == 7
    found.bus.write(8, 1)
    buffer = found.allocate(100)
    buffer.data[:] = 3
    buffer.flush()
    buffer.invalidate()
    buffer.free()
    assert (buffer.address, buffer.data.sum()) == (64, 300)
    assert log == ["zed.bit", ("read", 4096, 4), ("write", 0, 8, 1), "flush", "invalidate", "free"]
    with pytest.raises(bus.HostError, match="no window holds it"):
        found.bus.read(8192)
    monkeypatch.setitem(sys.modules, "pynq", None)
    with pytest.raises(bus.HostError, match="PYNQ is not there; without it, give --buffers"):
        board.PynqBoard(ENTRY, None)


def test_u_dma_buf(tmp_path: Path) -> None:
    """Files stand for the devices."""
    (tmp_path / "mem").write_bytes(bytes(8192))
    (tmp_path / "udmabuf0").write_bytes(bytes(4096))
    (tmp_path / "sys" / "udmabuf0").mkdir(parents=True)
    (tmp_path / "sys" / "udmabuf0" / "phys_addr").write_text("0x0000000010000020\n")

    def make() -> Any:
        return board.DeviceBoard(ENTRY, tmp_path / "mem", tmp_path / "udmabuf0", tmp_path / "sys")

    with pytest.raises(bus.HostError, match="udmabuf0 does not tell its address and size"):
        make()
    (tmp_path / "sys" / "udmabuf0" / "size").write_text("8192\n")
    with pytest.raises(bus.HostError, match="it is smaller than the 8192 bytes"):
        make()
    (tmp_path / "sys" / "udmabuf0" / "size").write_text("4096\n")
    found = make()
    first, second = found.allocate(10), found.allocate(64)
    assert (first.address, second.address) == (0x10000040, 0x10000080)
    second.data[:] = 9
    assert (tmp_path / "udmabuf0").read_bytes()[0x60:0xA0] == bytes([9]) * 64
    with pytest.raises(bus.HostError, match="4096 bytes are too few"):
        found.allocate(4096)
    found.bus.write(4100, 0x12345678)
    assert (tmp_path / "mem").read_bytes()[4100:4104].hex() == "78563412"
