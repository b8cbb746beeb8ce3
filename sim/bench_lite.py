# SPDX-License-Identifier: BSD-3-Clause
"""The bench's way to AXI-Lite: single accesses by cocotb-bus, bulk walks by the player in HDL."""

from __future__ import annotations

from typing import Any

import bench_files
import numpy as np
from axil import LiteMaster
from cocotb.triggers import ClockCycles, RisingEdge
from cocotb_bus.drivers.amba import AXIProtocolError

OKAY = 0


class NodeLite:
    """The registers of one core, by the names in the memory map.

    Those of stream k are ``<name>_<k>``, those of the bridge ``bridge_<name>``.
    """

    def __init__(self, dut: Any, node: dict[str, Any]) -> None:
        self._bus = LiteMaster(dut, f"s_axil_{node['name']}", dut.aclk)
        # The core decodes offsets; the host's base is the interconnect's business.
        self._base = node["base"]
        # A register is the lower part of a slot; nothing is above.
        self._above = (1 << 8 * node["slot_bytes"]) - (1 << 32)
        status = node["status"]
        self._at = {r["name"].lower(): status["base"] + r["offset"] for r in status["registers"]}
        for stream in node["streams"]:
            start = status["base"] + status["stream_stride"] * stream["index"]
            for register in status["stream_registers"]:
                self._at[f"{register['name'].lower()}_{stream['index']}"] = start + register["offset"]
        bridge = node["bridge"] or {"base": 0, "registers": ()}
        for register in bridge["registers"]:
            self._at[f"bridge_{register['name'].lower()}"] = bridge["base"] + register["offset"]

    async def read(self, register: str) -> int:
        """Read a register; the driver raises on any answer but OKAY."""
        return int(await self.read_at(self._at[register]))

    async def write(self, register: str, value: int) -> None:
        """Write a register; the driver raises on any answer but OKAY."""
        await self.write_at(self._at[register], value)

    async def read_at(self, address: int) -> int:
        """Read an address of the host."""
        found = int(await self._bus.read(address - self._base))
        assert not found & self._above, f"address {address:#x}: {found:#x} is more than a register holds"
        return found

    async def refuses(self, register: str, offset: int) -> bool:
        """Write all ones beside a register; return whether the answer was an error."""
        try:
            await self.write_at(self._at[register] + offset, 0xFFFFFFFF)
        except AXIProtocolError:
            return True
        return False

    async def write_at(self, address: int, value: int) -> None:
        """Write an address of the host."""
        await self._bus.write(address - self._base, value)


async def walk_memories(dut: Any, maps: dict[str, Any], bench: dict[str, Any]) -> list[dict[str, Any]]:
    """Invert, mark and restore every word of every memory of all nodes, reading back each time.

    The inversion sees every bit in both states. The marks differ from place to place, so they show two
    addresses that reach the same word, which hold equal values before and inverted.

    Registers are written and read ascending within a word and all lanes of it, which is right for every
    FINN version (facts/finn_artefacts.md 6.5).

    Returns:
        One finding per region: region, words, passed, detail.
    """
    walks = [_Walk(node) for node in maps["nodes"]]
    findings = [finding for walk in walks for finding in walk.unknown()]
    walks = [walk for walk in walks if len(walk.addresses)]
    if not walks:
        return findings
    before = await _run(dut, walks, [walk.reads() for walk in walks], bench)
    inverted = [data ^ walk.masks for data, walk in zip(before, walks, strict=True)]
    marks = [walk.marks(seed) for seed, walk in enumerate(walks)]
    for wanted in (inverted, marks, before):
        both = [walk.writes(data) + walk.reads() for walk, data in zip(walks, wanted, strict=True)]
        after = await _run(dut, walks, both, bench)
        for walk, got, want in zip(walks, after, wanted, strict=True):
            walk.compare(got, want)
    return findings + [finding for walk in walks for finding in walk.findings()]


async def mark_memories(dut: Any, maps: dict[str, Any], bench: dict[str, Any]) -> None:
    """Write noise to every word of every memory of all nodes: whatever was there is gone."""
    walks = [walk for walk in (_Walk(node) for node in maps["nodes"]) if len(walk.addresses)]
    noise = [walk.marks(seed) for seed, walk in enumerate(walks)]
    await _run(dut, walks, [walk.writes(data) for walk, data in zip(walks, noise, strict=True)], bench)


async def _run(
    dut: Any, walks: list[_Walk], operations: list[list[tuple[str, int, int]]], bench: dict[str, Any]
) -> list[Any]:
    """Let the players of all nodes work at once; return the data of each node's reads."""
    listed = dict(zip((walk.name for walk in walks), operations, strict=True))
    for node in bench["nodes"]:
        bench_files.write_ops(f"{node['name']}_ops.bin", listed.get(node["name"], []))
    dut.bulk.value = 1
    dut.bulk_start.value = 1
    await RisingEdge(dut.bulk_done)
    dut.bulk_start.value = 0
    await ClockCycles(dut.aclk, 2)
    dut.bulk.value = 0
    data = []
    for walk, ops in zip(walks, operations, strict=True):
        resp, rdata = bench_files.read_results(f"{walk.name}_results.bin")
        assert len(resp) == len(ops), (
            f"{walk.name}: {len(resp)} of {len(ops)} AXI-Lite accesses were answered"
        )
        bad = np.flatnonzero(resp != OKAY)
        assert not len(bad), f"{walk.name}: {ops[int(bad[0])]} was answered with {int(resp[bad[0]])}"
        data.append(rdata[[op[0] == "read" for op in ops]])
    return data


class _Walk:
    """All registers of one node's known memories, in address order."""

    def __init__(self, node: dict[str, Any]) -> None:
        self.name: str = node["name"]
        bridge = node["bridge"]
        stride = 4 if bridge else node["slot_bytes"]
        # Offsets of ADDRESS and DATA, where the memories lie behind a bridge.
        self._bridge = bridge and {
            register["name"]: bridge["base"] - node["base"] + register["offset"]
            for register in bridge["registers"]
        }
        self._regions = [r for r in node["regions"] if r["memory"]]
        self._unknown = [r["name"] for r in node["regions"] if not r["memory"]]
        addresses, masks, owners = [], [], []
        for index, region in enumerate(self._regions):
            memory = region["memory"]
            words = np.arange(memory["words"])
            row = words // memory["row_words"]
            stored = words % memory["row_words"] < memory["row_used"]
            stored &= row % memory["group_rows"] < memory["group_used"]
            lane = np.tile(np.arange(memory["lanes"]), int(stored.sum()))
            registers = np.repeat(words[stored] * memory["lanes"], memory["lanes"]) + lane
            bits = np.clip(memory["word_bits"] - 32 * lane, 0, 32)
            start = region["base"] - (0 if self._bridge else node["base"])
            addresses.append(start + stride * registers)
            masks.append(((1 << bits.astype(np.int64)) - 1).astype(np.uint32))
            owners.append(np.full(len(registers), index))
        self.addresses = np.concatenate(addresses) if addresses else np.zeros(0, int)
        self.masks = np.concatenate(masks) if masks else np.zeros(0, np.uint32)
        self._owners = np.concatenate(owners) if owners else np.zeros(0, int)
        self._bad: dict[int, str] = {}

    def marks(self, seed: int) -> Any:
        random = np.random.default_rng(seed)
        return random.integers(0, 1 << 32, len(self.addresses), dtype=np.uint32) & self.masks

    def reads(self) -> list[tuple[str, int, int]]:
        return self._ops("read", np.zeros(len(self.addresses), np.uint32))

    def writes(self, data: Any) -> list[tuple[str, int, int]]:
        return self._ops("write", data)

    def _ops(self, kind: str, data: Any) -> list[tuple[str, int, int]]:
        if not self._bridge:
            return [(kind, int(a), int(d)) for a, d in zip(self.addresses, data, strict=True)]
        ops: list[tuple[str, int, int]] = []
        following = -1
        for address, value in zip(self.addresses, data, strict=True):
            if address != following:
                ops.append(("write", self._bridge["ADDRESS"], int(address)))
            ops.append((kind, self._bridge["DATA"], int(value)))
            following = address + 4
        return ops

    def compare(self, got: Any, want: Any) -> None:
        differ = np.flatnonzero((got ^ want) & self.masks)
        for at in differ[::-1]:
            detail = f"address {self.addresses[at]:#x}: read {int(got[at]):#x}, wrote {int(want[at]):#x}"
            self._bad[int(self._owners[at])] = detail

    def findings(self) -> list[dict[str, Any]]:
        return [
            {
                "region": region["name"],
                "words": int((self._owners == index).sum()) // region["memory"]["lanes"],
                "passed": index not in self._bad,
                "detail": self._bad.get(index, ""),
            }
            for index, region in enumerate(self._regions)
        ]

    def unknown(self) -> list[dict[str, Any]]:
        detail = "not walked: the build does not say what lies behind it"
        return [{"region": name, "words": 0, "passed": True, "detail": detail} for name in self._unknown]
