# SPDX-License-Identifier: BSD-3-Clause
"""A core as the host sees it, with two memories of awkward shapes, for the tests of both loaders."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fake_network import chain, lite, partition
from host_module import host_module
from map_blocks import block_of
from wide_platform import wide_plan

from shellgen.emit.memory_map import memory_map
from shellgen.model import AxiLitePort

HOLES = {"row_words": 4, "row_used": 3, "group_rows": 2, "group_used": 1}


host = host_module("shellgen_load")
MAGIC = 0x5348474E


def memories() -> tuple[AxiLitePort, ...]:
    """One of 5 words of 40 bits in two registers, and one with holes."""
    slaves = [lite(0, 6), lite(1, 5)]
    first, second = (slave.memory for slave in slaves)
    assert first
    assert second
    layouts = [
        first.model_copy(update={"word_bits": 40, "words": 5, "lanes": 2}),
        second.model_copy(update={"words": 8, "word_bits": 7, **HOLES}),
    ]
    return tuple(s.model_copy(update={"memory": m}) for s, m in zip(slaves, layouts, strict=True))


def map_of(access: str, slot: int = 4) -> dict[str, Any]:
    """The map of these memories."""
    entry: dict[str, object] = {
        "name": "zed",
        "board": "zedboard",
        "partitions": [0],
        "lite": {"access": access},
    }
    wide = {"zed"} if slot == 8 else set()
    with pytest.MonkeyPatch.context() as patch:
        found = memory_map(wide_plan(patch, chain(partition("a", slaves=memories())), [entry], wide))
    read: dict[str, Any] = json.loads(found.to_json())
    return read


def stride_of(found: dict[str, Any]) -> int:
    """Return the bytes from a register of a memory to the next."""
    node = found["nodes"][0]
    return 4 if node["aperture"] else int(node["slot_bytes"])


class Board:
    """A core as the host sees it, direct or through a bridge, after the headers of the RTL blocks."""

    def __init__(self, found: dict[str, Any], build_id: str | None = None) -> None:
        self.node = found["nodes"][0]
        self.words: dict[int, int] = {}
        self.build = int(build_id or self.node["build_id"], 16)
        self.log: list[tuple[str, int]] = []
        self.broken: int | None = None  # a memory address that answers SLVERR
        self.stuck: tuple[int, int] | None = None  # address and bit that never becomes 1
        self.address = 0
        self.error: int | None = None

    def _memory(self, address: int, value: int | None) -> int:
        inside = any(r["base"] <= address < r["base"] + r["size"] for r in self.node["regions"])
        assert inside, f"{address:#x} is no memory"
        assert address % (4 if self.node["aperture"] else self.node["slot_bytes"]) == 0
        if address == self.broken:
            raise host.BusError(address, "SLVERR")
        if value is not None:
            keep = ~(1 << self.stuck[1]) if self.stuck and self.stuck[0] == address else -1
            self.words[address] = value & keep
            self.log.append(("write", address))
        else:
            self.log.append(("read", address))
        return self.words.get(address, 0xDEADBEEF)

    def _bridge(self, offset: int, value: int | None) -> int:
        bridge = block_of(self.node, "bridge")
        name = next(r["name"] for r in bridge["registers"] if r["offset"] == offset)
        if name == "ADDRESS" and value is not None:
            self.address = value
        elif name == "DATA":
            at, self.address = self.address, self.address + 4
            try:
                return self._memory(at, value)
            except host.BusError:
                self.error = at if self.error is None else self.error
                if value is None:
                    raise host.BusError(bridge["base"] + offset, "SLVERR") from None
        elif name == "ERROR" and value is not None:
            self.error = None
        elif name == "ERROR":
            return int(self.error is not None)
        elif name == "ERROR_ADDRESS":
            assert self.error is not None
            return self.error
        elif name != "LEVEL":
            raise AssertionError(name)
        return 0

    def _access(self, address: int, value: int | None) -> int:
        status = block_of(self.node, "status")
        if status["base"] <= address < status["base"] + status["size"]:
            assert value is None, "the loader writes to the status registers"
            values = {0: MAGIC, 2: self.build & 0xFFFFFFFF, 3: self.build >> 32}
            index, rest = divmod(address - status["base"], self.node["slot_bytes"])
            assert not rest
            return int(values[index])
        if self.node["aperture"]:
            bridge = block_of(self.node, "bridge")
            assert bridge["base"] <= address < bridge["base"] + bridge["size"]
            return self._bridge(address - bridge["base"], value)
        return self._memory(address, value)

    def read(self, address: int) -> int:
        return self._access(address, None)

    def write(self, address: int, value: int) -> None:
        self._access(address, value)


def contents() -> dict[str, list[int]]:
    wide = [value for word in range(5) for value in (0x80000001 + word, 0xA0 + word)]
    return {"a_s_axilite_0": wide, "a_s_axilite_1": [0x40 + i for i in range(8)]}


def region(found: dict[str, Any], index: int) -> dict[str, Any]:
    name = f"a_s_axilite_{index}"
    return next(r for r in found["nodes"][0]["regions"] if r["name"] == name)
