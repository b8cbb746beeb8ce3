# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program of the host inside the simulator, on a card whose core is the model's top.

``program.json`` in the run folder says which; what it printed and its exit code come back in ``said.json``.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import cocotb
from axi_dma import Memory
from axi_slave import AxiSlave
from bench_lite import NodeLite
from cocotb.clock import Clock
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles
from host_module import emitted_module
from mover_xrt import Card

ASKED: dict[str, Any] = json.loads(Path("program.json").read_text())
OUT = Path(ASKED["out"])
FIRST, MEMORY_BYTES = 3 << 32, 1 << 22


class Banks:
    """Memory of the card behind the core's own ports: what a program has taken of a bank, above 4 GiB."""

    def __init__(self, dut: Any, node: dict[str, Any]) -> None:
        self._memory, self._next, self._live = Memory(FIRST, MEMORY_BYTES), FIRST, list[SimpleNamespace]()
        self._banks = {ring["bank"] for ring in node["rings"]}
        for ring in node["rings"]:
            AxiSlave(dut, ring["name"], self._memory, self._holds)

    def take(self, bank: str, size: int) -> SimpleNamespace:
        """Return bytes that nobody else has."""
        assert bank in self._banks
        made = SimpleNamespace(address=self._next, size=size)
        made.free = lambda: self._live.remove(made)
        self._live.append(made)
        self._next += size
        return made

    def _holds(self, address: int, size: int) -> bool:
        return any(one.address <= address and address + size <= one.address + one.size for one in self._live)


def xrt_bus(lite: NodeLite, banks: Banks) -> ModuleType:
    """Return what stands for shellgen_xrt: the core's registers, whatever the card and the bitstream."""
    read, write = resume(lite.read_at), resume(lite.write_at)

    class XrtBus:
        take = staticmethod(banks.take)

        def __init__(self, _entry: Any, _card: str, _xclbin: Any) -> None:
            pass

        def read(self, address: int) -> int:
            return int(read(address))

        def write(self, address: int, value: int) -> None:
            write(address, int(value))

    found = ModuleType("shellgen_xrt")
    found.XrtBus = XrtBus  # type: ignore[attr-defined]
    return found


@cocotb.test()
async def program(dut: Any) -> None:
    maps = json.loads((OUT / "memory_map.json").read_text())
    node = next(entry for entry in maps["nodes"] if entry["name"] == ASKED["node"])
    Clock(dut.aclk, 10, "ns").start()
    dut.aresetn.value = 0
    for name in ("awvalid", "wvalid", "bready", "arvalid", "rready"):
        getattr(dut, f"s_axil_{name}").value = 0
    card, banks = Card(dut, node, ASKED["lost"]), Banks(dut, node)
    await ClockCycles(dut.aclk, 16)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 16)
    card.earlier()
    await ClockCycles(dut.aclk, 3000)
    sys.modules["pyxrt"] = card.module()
    sys.modules["shellgen_xrt"] = xrt_bus(NodeLite(dut, node, "s_axil"), banks)
    main = emitted_module(OUT, f"run_{node['name']}").main
    told: list[dict[str, Any]] = []

    def runs() -> None:
        for arguments in ASKED["runs"]:
            printed, complained = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
                code = main(node["name"], node["build_id"], arguments)
            told.append({"code": code, "out": printed.getvalue(), "err": complained.getvalue()})

    await bridge(runs)()
    Path("said.json").write_text(json.dumps(told))
