# SPDX-License-Identifier: BSD-3-Clause
"""Run the host's own loader, ``host/shellgen_load.py``, against the simulated cores."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from bench_lite import NodeLite, UnitLite
from bench_run import Watch
from cocotb.task import bridge, resume
from cocotb.triggers import Trigger
from cocotb_bus.drivers.amba import AXIProtocolError

HOST = Path(__file__).parents[1] / "host"


def host_loader() -> Any:
    """Import the emitted loader, the very file that runs on the board."""
    if str(HOST) not in sys.path:
        sys.path.insert(0, str(HOST))
    return importlib.import_module("shellgen_load")


class SimulatedBus:
    """32-bit accesses of a blocking program to the AXI-Lite port of one core, or of a unit beside it."""

    def __init__(self, host: Any, lite: NodeLite | UnitLite, watch: Watch) -> None:
        self._host = host
        self._watch = watch
        self._read = resume(lite.read_at)
        self._write = resume(lite.write_at)

    def read(self, address: int) -> int:
        """Read a register of the host's address space."""
        self._watch.access()
        try:
            return int(self._read(address))
        except AXIProtocolError as error:
            raise self._host.BusError(address, error) from None

    def write(self, address: int, value: int) -> None:
        """Write a register of the host's address space."""
        self._watch.access()
        try:
            self._write(address, value)
        except AXIProtocolError as error:
            raise self._host.BusError(address, error) from None


def read_contents(maps: dict[str, Any], folder: Path) -> dict[str, dict[str, Any]]:
    """Read what there is to load, by node and region, as the loader reads it.

    Args:
        maps: ``memory_map.json``.
        folder: ``<node>/<region>.dat``, or FINN's ``runtime_weights``.
    """
    host = host_loader()
    nodes = [host.Node(maps, entry["name"], None) for entry in maps["nodes"]]
    return {node.name: host.read_weights(node, folder, partial=True) for node in nodes if node.regions}


async def load_weights(
    dut: Any,
    maps: dict[str, Any],
    contents: dict[str, dict[str, Any]],
    run_frame: Callable[[], Coroutine[Trigger, None, None]],
    watch: Watch,
) -> list[dict[str, Any]]:
    """Load memories of all nodes as a host does, the frame that FINN needs included.

    Args:
        dut: The bench top.
        maps: ``memory_map.json``.
        contents: From `read_contents`.
        run_frame: Sends one frame through the cluster.
        watch: Shows how far it has come.

    Returns:
        One finding per node: node, memories, registers.
    """
    host = host_loader()
    blocking_frame: Callable[[], None] = resume(run_frame)

    def program() -> None:
        nodes = []
        for entry in maps["nodes"]:
            if entry["name"] in contents:
                bus = SimulatedBus(host, NodeLite(dut, entry), watch)
                nodes.append(host.Node(maps, entry["name"], bus))
        host.load(nodes, contents, blocking_frame)

    await bridge(program)()
    return [
        {"node": name, "memories": len(found), "registers": sum(len(values) for values in found.values())}
        for name, found in contents.items()
    ]
