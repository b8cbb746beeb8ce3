# SPDX-License-Identifier: BSD-3-Clause
"""Combinational paths of a block from its input ports to its output ports, read off the netlist."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tools.blocks.formal_engines import run_yosys

# Flops of Yosys's gate library with synchronous controls only: nothing passes through one without an edge.
FLOPS = ("$_DFF_P_", "$_DFF_N_", "$_DFFE_P", "$_DFFE_N", "$_SDFF_", "$_SDFFE_", "$_SDFFCE_")

__all__ = ["compare_paths", "find_paths"]


def find_paths(
    sources: Sequence[Path], top: str, parameters: Mapping[str, int | str], timeout: float = 120
) -> set[tuple[str, str]]:
    """Return (input port, output port) of every path that no flop cuts.

    Args:
        sources: Verilog files.
        top: Block.
        parameters: Value by name.
        timeout: Seconds for Yosys.
    """
    changes = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    with tempfile.TemporaryDirectory() as scratch:
        netlist = Path(scratch) / "netlist.json"
        run_yosys(
            f"read_verilog -sv {' '.join(map(str, sources))}; "
            + (f"chparam {changes} {top}; " if changes else "")
            + f"hierarchy -check -top {top}; rename -top {top}; prep -flatten -top {top}; "
            # Single-bit gates: through a wide cell, unrelated bits would seem connected.
            f"memory -nomap; opt_clean; techmap; opt -fast; clean; write_json {netlist}",
            timeout,
        )
        module = json.loads(netlist.read_text())["modules"][top]
    sinks: dict[int, set[int]] = {}
    for cell in module["cells"].values():
        for source, target in _through(cell):
            sinks.setdefault(source, set()).add(target)
    outputs = _ports(module, "output")
    found = set()
    for name in {port for port, detail in module["ports"].items() if detail["direction"] == "input"}:
        reached: set[int] = set()
        pending = [bit for bit in module["ports"][name]["bits"] if isinstance(bit, int)]
        while pending:
            bit = pending.pop()
            if bit not in reached:
                reached.add(bit)
                pending += sinks.get(bit, ())
        found |= {(name, port) for bit in reached for port in outputs.get(bit, ())}
    return found


def compare_paths(found: set[tuple[str, str]], patterns: Sequence[str]) -> list[str]:
    """Return what is wrong: a path that no pattern allows, a pattern that matches no path.

    Args:
        found: Result of `find_paths`.
        patterns: ``input -> output``, with ``*`` for any characters.
    """
    names = {f"{source} -> {target}" for source, target in found}
    wrong = [f"{n}: not listed" for n in sorted(names) if not any(fnmatchcase(n, p) for p in patterns)]
    return wrong + [f"{p}: no such path" for p in patterns if not any(fnmatchcase(n, p) for n in names)]


def _ports(module: dict[str, Any], direction: str) -> dict[int, list[str]]:
    ports: dict[int, list[str]] = {}
    for name, detail in module["ports"].items():
        if detail["direction"] == direction:
            for bit in detail["bits"]:
                if isinstance(bit, int):
                    ports.setdefault(bit, []).append(name)
    return ports


def _through(cell: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the (input bit, output bit) pairs of a cell that are connected without a clock edge."""
    kind, pins = cell["type"], cell["connections"]
    if kind.startswith(FLOPS) or kind in ("$scopeinfo", "$print", "$check", "$assert"):
        return []
    if kind == "$mem_v2":
        width, ports = len(pins["RD_DATA"]), len(pins["RD_CLK"])
        clocked = cell["parameters"]["RD_CLK_ENABLE"][::-1]
        pairs = []
        for k in range(ports):
            if clocked[k] == "0":
                size, depth = width // ports, len(pins["RD_ADDR"]) // ports
                address = pins["RD_ADDR"][k * depth : (k + 1) * depth]
                pairs += [(a, d) for a in address for d in pins["RD_DATA"][k * size : (k + 1) * size]]
        return [(a, d) for a, d in pairs if isinstance(a, int)]
    if not kind.startswith("$_") or kind.startswith(("$_DFF", "$_DLATCH", "$_SR", "$_ALDFF", "$_FF")):
        raise RuntimeError(f"do not know how {kind} connects")
    directions = cell["port_directions"]
    ins = [bit for pin, bits in pins.items() if directions[pin] == "input" for bit in bits]
    outs = [bit for pin, bits in pins.items() if directions[pin] == "output" for bit in bits]
    return [(a, b) for a in ins for b in outs if isinstance(a, int)]
