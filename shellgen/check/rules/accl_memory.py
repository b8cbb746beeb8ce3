# SPDX-License-Identifier: BSD-3-Clause
"""ACCL's block design: each memory of the engine has streams, adapter and switches of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vivado_check.graph import Graph, split_path
from vivado_check.report import Message
from vivado_check.rules.walk import Wrong, finding

from .base import Context, rule

_MEMORY = re.compile(r"[sm]_axis_(host|card)_(\d+)")
_NAMED = re.compile(r"(dma|compression|arith_op|in)(\d)(?:_(mm2s|s2mm))?(?:_(cmd|sts))?")
# A switch sends a beat to the port of its TDEST, which is 0 for the card's memory and 1 for the host's.
_SENT = {"card": "M00_AXIS", "host": "M01_AXIS"}
_REMEDY = "connect what belongs together"


@rule("accl-memory", scope="design", source="Xilinx/ACCL, test/refdesigns/tcl/coyote.tcl", ours=True)
def accl_memory(context: Context) -> Iterator[Message]:
    """Find streams of the engine that meet those of another memory, direction or kind."""
    graph = context.graph
    for group in graph.buses.groups():
        for path in (one for one in group if "/ccl_offload" in one):
            mine = _numbers(path)
            for other in (one for one in group if one != path and _numbers(one) not in ((), mine)):
                if mine:
                    yield _met(context, path, other, "the one of the same number and direction")
    for port in graph.design.cells["/"].interfaces:
        if memory := _MEMORY.fullmatch(port):
            yield from _behind(context, port, memory[1], memory[2])


def _behind(context: Context, port: str, kind: str, number: str) -> Iterator[Message]:
    """Judge what is behind the switch of a port."""
    graph = context.graph
    for end in graph.bus_ends(f"/{port}"):
        cell, pin = split_path(end)
        if pin.startswith("M0") and pin != _SENT[kind]:
            yield _met(context, f"/{port}", end, f"{cell}/{_SENT[kind]}, to which TDEST of the {kind} leads")
        for other in _engine(graph, cell) if cell != "/" else ():
            found = re.search(r"_dma(\d)_", other)
            if found and found[1] != number:
                yield _met(context, f"/{port}", other, f"memory {number} of the engine")


def _engine(graph: Graph, switch: str) -> Iterator[str]:
    """Yield the engine's interfaces at the side of a switch that has but one."""
    ends = [one for pin in ("S00_AXIS", "M00_AXIS") for one in graph.bus_ends(f"{switch}/{pin}")]
    yield from (one for one in ends if "/ccl_offload" in one)


def _numbers(path: str) -> tuple[str, ...]:
    """Return kind, number and direction that the name of an interface of the engine has."""
    found = _NAMED.search(path.rpartition("/")[2])
    if found is None:
        return ()
    kind = "arith" if found[1] in ("arith_op", "in") else found[1]
    return (kind, *(one or "" for one in found.groups()[1:]))


def _met(context: Context, where: str, other: str, expected: str) -> Message:
    return finding(context, "accl-memory", where, Wrong(f"it leads to {other}", expected, _REMEDY))
