# SPDX-License-Identifier: BSD-3-Clause
"""Test of the weight memories, played by HDL: Python would have to drive each word.

The test takes some seven accesses for each register, so large memories are sampled by default.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import bench_files
import numpy as np
from bench_records import Bench, Node
from bench_run import Watch
from bench_traffic import ANSWERS, OKAY
from cocotb.triggers import ClockCycles

# A node with more registers than this is sampled: its ends, each address bit, and about so many by chance.
FULL_WALK, SAMPLE = 4096, 2048
# All slaves behind a core hesitate, and no more: sim/axil_gate.sv.
HESITATE: list[tuple[str, int, int]] = [("fault", 0, 0xFFFFFF << 8 | 16), ("wait", 0, 64)]
GO_ON: list[tuple[str, int, int]] = [("fault", 0, 0), ("wait", 0, 64)]


async def walk_memories(
    dut: Any, maps: dict[str, Any], bench: Bench, extent: str, watch: Watch
) -> list[dict[str, Any]]:
    """Invert, mark and restore the words of every memory of all nodes, reading back each time.

    The inversion sees every bit in both states. The marks differ from place to place, so they show two
    addresses that reach the same word, which hold equal values before and inverted.

    Registers are written and read ascending within a word and all lanes of it, which is right for every
    version of FINN: some take a word over with its last register, some shift.

    Args:
        dut: The bench top.
        maps: ``memory_map.json``.
        bench: ``bench.json``.
        extent: ``full``, or ``sample`` for some words of large memories.
        watch: Waits.

    Returns:
        One finding per region: region, words, of (words that there are), passed, detail.
    """
    walks = [_Walk(node, extent) for node in maps["nodes"]]
    findings = [finding for walk in walks for finding in walk.unknown()]
    walks = [walk for walk in walks if len(walk.addresses)]
    if not walks:
        return findings
    watch.begin(1, 4)
    before = await _run(dut, walks, [walk.reads() for walk in walks], bench, watch)
    inverted = [data ^ walk.masks for data, walk in zip(before, walks, strict=True)]
    marks = [walk.marks(seed) for seed, walk in enumerate(walks)]
    for number, wanted in enumerate((inverted, marks, before), 2):
        watch.begin(number, 4)
        both = [walk.writes(data) + walk.reads() for walk, data in zip(walks, wanted, strict=True)]
        if extent == "full" and wanted is marks:
            both = [[*HESITATE, *ops, *GO_ON] for ops in both]
        after = await _run(dut, walks, both, bench, watch)
        for walk, got, want in zip(walks, after, wanted, strict=True):
            walk.compare(got, want)
    return findings + [finding for walk in walks for finding in walk.findings()]


async def replace_by_noise(
    dut: Any, maps: dict[str, Any], bench: Bench, contents: dict[str, Any], watch: Watch
) -> list[str]:
    """Write noise to every word of every memory that is to be loaded: whatever was there is gone.

    Args:
        dut: The bench top.
        maps: ``memory_map.json``.
        bench: ``bench.json``.
        contents: Registers that will be loaded, by node and region.
        watch: Waits.

    Returns:
        Regions that held anything else than what will be loaded.
    """
    walks = [_Walk(node, "full", contents.get(node["name"], {})) for node in maps["nodes"]]
    walks = [walk for walk in walks if len(walk.addresses)]
    noise = [walk.marks(seed) for seed, walk in enumerate(walks)]
    both = [walk.reads() + walk.writes(data) for walk, data in zip(walks, noise, strict=True)]
    before = await _run(dut, walks, both, bench, watch)
    pairs = zip(walks, before, strict=True)
    return [region for walk, data in pairs for region in walk.others(data, contents[walk.name])]


async def load_monolith(
    dut: Any, maps: dict[str, Any], bench: Bench, contents: dict[str, Any], watch: Watch
) -> None:
    """Bring to the monolith's own slaves what the cluster's have got, so that the two are comparable."""
    wanted = {name: registers for found in contents.values() for name, registers in found.items()}
    for node in maps["nodes"]:
        for region in node["regions"]:
            if region["name"] in bench.monolith.lites:
                ops = []
                if (registers := wanted.get(region["name"])) is not None:
                    chosen = _registers(region["memory"], _stored(region["memory"]))
                    ops = [("write", 4 * int(at), int(registers[at])) for at in chosen]
                bench_files.write_ops(bench.monolith.lites[region["name"]], ops)
    dut.mono_load.value = 1
    await watch.load()
    dut.mono_load.value = 0
    for name, file in bench.monolith.lites.items():
        resp, _ = bench_files.read_results(file.replace("mono_ops", "mono_results"))
        assert not resp.any(), f"{name}: the monolith's memory answered a write with {int(resp[resp > 0][0])}"


async def play(
    dut: Any,
    nodes: tuple[Node, ...],
    lists: Mapping[str, Sequence[bench_files.Op]],
    watch: Watch,
    *,
    strict: bool = False,
) -> dict[str, Any]:
    """Let the masters of all nodes play their lists at once; return resp and rdata of each list.

    With ``strict`` a list ends at the first answer that is not OKAY: where every access to a slave times
    out, the rest would only take its time.
    """
    for node in nodes:
        bench_files.write_ops(f"{node.name}_ops.bin", lists.get(node.name, []))
    dut.bulk.value = 1
    dut.bulk_strict.value = int(strict)
    dut.bulk_start.value = 1
    await watch.bulk()
    dut.bulk_start.value = 0
    await ClockCycles(dut.aclk, 4)  # until `bulk_done` has fallen
    dut.bulk.value = 0
    return {name: bench_files.read_results(f"{name}_results.bin") for name in lists}


async def _run(
    dut: Any,
    walks: list[_Walk],
    operations: list[list[tuple[str, int, int]]],
    bench: Bench,
    watch: Watch,
) -> list[Any]:
    """Let the masters of all nodes work at once; return the data of each node's reads."""
    listed = dict(zip((walk.name for walk in walks), operations, strict=True))
    results = await play(dut, bench.nodes, listed, watch, strict=True)
    data = []
    for walk, ops in zip(walks, operations, strict=True):
        resp, rdata = results[walk.name]
        bad = np.flatnonzero(resp != OKAY)
        if len(bad):
            code = int(resp[bad[0]])
            told = walk.told(ops, int(bad[0]))
            raise AssertionError(f"{told}: {ANSWERS.get(code, str(code))}, and not OKAY")
        assert len(resp) == len(ops), f"{walk.told(ops, len(resp))}: no answer; {len(ops)} were to be made"
        data.append(rdata[[op[0] == "read" for op in ops]])
    return data


class _Walk:
    """Registers of one node's known memories, in address order: all, or those of sampled words."""

    def __init__(self, node: dict[str, Any], extent: str, only: Container[str] | None = None) -> None:
        self.name: str = node["name"]
        bridge = next((block for block in node["blocks"] if block["name"] == "bridge"), None)
        stride = 4 if bridge else node["slot_bytes"]
        # Offsets of ADDRESS and DATA, where the memories lie behind a bridge.
        self._bridge = bridge and {
            register["name"]: bridge["base"] - node["base"] + register["offset"]
            for register in bridge["registers"]
        }
        known = [region for region in node["regions"] if region["memory"]]
        self._regions = [region for region in known if only is None or region["name"] in only]
        self._unknown = [r["name"] for r in node["regions"] if not r["memory"]]
        addresses, masks, owners, inside = [], [], [], []
        stored = [_stored(region["memory"]) for region in self._regions]
        self._stored = [len(words) for words in stored]
        lanes = [region["memory"]["lanes"] for region in self._regions]
        if extent == "sample" and np.dot(self._stored, lanes) > FULL_WALK:
            share = SAMPLE // len(lanes)
            stored = [_sample(words, share // n) for words, n in zip(stored, lanes, strict=True)]
        self._taken = [len(words) for words in stored]
        for index, region in enumerate(self._regions):
            memory, words = region["memory"], stored[index]
            registers = _registers(memory, words)
            lane = registers % memory["lanes"]
            bits = np.clip(memory["word_bits"] - 32 * lane, 0, 32)
            start = region["base"] - (0 if self._bridge else node["base"])
            addresses.append(start + stride * registers)
            inside.append(registers)
            masks.append(((1 << bits.astype(np.int64)) - 1).astype(np.uint32))
            owners.append(np.full(len(registers), index))
        self.addresses = np.concatenate(addresses) if addresses else np.zeros(0, int)
        self.masks = np.concatenate(masks) if masks else np.zeros(0, np.uint32)
        self._inside = np.concatenate(inside) if inside else np.zeros(0, int)
        self._owners = np.concatenate(owners) if owners else np.zeros(0, int)
        self._bad: dict[int, str] = {}

    def marks(self, seed: int) -> Any:
        random = np.random.default_rng(seed)
        return random.integers(0, 1 << 32, len(self.addresses), dtype=np.uint32) & self.masks

    def others(self, data: Any, contents: dict[str, Any]) -> list[str]:
        """Return the regions whose registers are not those of contents, by name."""
        differ = []
        for index, region in enumerate(self._regions):
            mine = self._owners == index
            wanted = np.asarray(contents[region["name"]], np.uint32)[self._inside[mine]]
            if ((data[mine] ^ wanted) & self.masks[mine]).any():
                differ.append(region["name"])
        return differ

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

    def told(self, ops: Sequence[bench_files.Op], at: int) -> str:
        """Name an access: the host's offset, and the memory that it is for."""
        kind, offset = ops[at][:2]
        place, beyond = offset, ""
        if self._bridge:
            if offset == self._bridge["ADDRESS"]:
                return f"{self.name}: {kind} at {offset:#x} (the bridge's ADDRESS)"
            last = max(k for k in range(at) if ops[k][1] == self._bridge["ADDRESS"])
            place = ops[last][2] + 4 * (at - last - 1)
            beyond = f", {place:#x} behind the bridge"
        owner = self._owners[np.flatnonzero(self.addresses == place)[0]]
        return f"{self.name}: {kind} at {offset:#x} ({self._regions[owner]['name']}{beyond})"

    def compare(self, got: Any, want: Any) -> None:
        differ = np.flatnonzero((got ^ want) & self.masks)
        for at in differ[::-1]:
            detail = f"address {self.addresses[at]:#x}: read {int(got[at]):#x}, wrote {int(want[at]):#x}"
            self._bad[int(self._owners[at])] = detail

    def findings(self) -> list[dict[str, Any]]:
        return [
            {
                "region": region["name"],
                "words": self._taken[index],
                "of": self._stored[index],
                "passed": index not in self._bad,
                "detail": self._bad.get(index, ""),
            }
            for index, region in enumerate(self._regions)
        ]

    def unknown(self) -> list[dict[str, Any]]:
        detail = "not tested: the build does not say which memory is behind it"
        return [
            {"region": name, "words": 0, "of": 0, "passed": True, "detail": detail} for name in self._unknown
        ]


def _stored(memory: dict[str, Any]) -> Any:
    """Return the words of a memory with storage behind them, ascending."""
    words = np.arange(memory["words"])
    row = words // memory["row_words"]
    stored = words % memory["row_words"] < memory["row_used"]
    return words[stored & (row % memory["group_rows"] < memory["group_used"])]


def _registers(memory: dict[str, Any], words: Any) -> Any:
    """Return the registers of these words, counted from the first of the memory."""
    lane = np.tile(np.arange(memory["lanes"]), len(words))
    return np.repeat(words * memory["lanes"], memory["lanes"]) + lane


def _sample(words: Any, chance: int) -> Any:
    """Return both ends, the first word with each address bit, and some by chance; ascending."""
    bits = [words[words >> k & 1 == 1][0] for k in range(int(words[-1]).bit_length())]
    random = np.random.default_rng(0).choice(words, min(len(words), max(chance, 16)), replace=False)
    return np.unique([*words[[0, -1]], *bits, *random])
