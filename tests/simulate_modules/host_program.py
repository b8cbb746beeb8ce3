# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program of the host inside the simulator, on a board whose core is the model's top.

``program.json`` in the run folder says which; what it printed and its exit code come back in ``said.json``.
"""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import cocotb
from board_model import SimulatedBoard
from cocotb.clock import Clock
from cocotb.task import bridge
from cocotb.triggers import ClockCycles
from cocotb_bus.drivers.amba import AXIProtocolError
from host_library import lib_load, lib_run, use_library
from host_module import emitted_module

ASKED: dict[str, Any] = json.loads(Path("program.json").read_text())
OUT = Path(ASKED["out"])


def mark(board: Any, node: dict[str, Any], first: int, last: int) -> None:
    """Let the core say of its last stream that some frames are marked, as one with numbers does."""
    (block,) = (one for one in node["blocks"] if one["name"] == "status")
    told = {"FLAGS": 1 << 3, "FIRST_MARKED": first, "LAST_MARKED": last}
    at = {one["name"]: one for one in block["registers"]}
    index, read = len(node["streams"]) - 1, board.read
    wrong = {block["base"] + at[name]["offset"] + index * at[name]["stride"]: told[name] for name in told}
    board.read = lambda address: wrong[address] if address in wrong else read(address)


def script(name: str) -> Any:
    """Import the very file that runs on the board."""
    return emitted_module(OUT, name)


@cocotb.test()
async def program(dut: Any) -> None:
    maps = json.loads((OUT / "memory_map.json").read_text())
    node = next(entry for entry in maps["nodes"] if entry["name"] == ASKED["node"])
    Clock(dut.aclk, 10, "ns").start()
    dut.aresetn.value = 0
    for name in ("awvalid", "wvalid", "bready", "arvalid", "rready"):
        getattr(dut, f"s_axil_{name}").value = 0
    await ClockCycles(dut.aclk, 16)
    board = SimulatedBoard(dut, node, ASKED["lost"], ASKED["offset"])
    if ASKED["marked"]:
        mark(board, node, *ASKED["marked"])
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 16)
    main = script(f"run_{node['name']}").main
    told = []

    def reset(value: int) -> str:
        core = script("shellgen_core").Core(node, board.bus)
        core.write("CONTROL", value)
        found = core.read("CONTROL")
        core.release()
        return str(found)

    def by_library() -> None:
        if ASKED["library"]:
            use_library(Path(ASKED["library"]))
        where, name = OUT / "memory_map.json", node["name"]
        for load in ASKED["loads"]:
            if isinstance(load, int):
                told.append({"code": 0, "out": reset(load), "err": ""})
                continue
            text, count, registers = lib_load(where, name, board, load[0], AXIProtocolError, **load[1])
            told.append({"code": 2 if text else 0, "out": f"{count} {registers}", "err": text})

        for paths, more in ASKED["moves"]:
            code, text = lib_run(OUT, name, board, paths, AXIProtocolError, **more)
            told.append({"code": code, "out": "", "err": text})

    def runs() -> None:
        by_library()
        for arguments in ASKED["runs"]:
            printed, complained = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
                code = main(node["name"], node["build_id"], arguments, board)
            told.append({"code": code, "out": printed.getvalue(), "err": complained.getvalue()})

    await bridge(runs)()
    Path("said.json").write_text(json.dumps(told))
