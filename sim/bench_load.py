# SPDX-License-Identifier: BSD-3-Clause
"""Run the host's own loader, ``host/shellgen_load.py``, against the simulated cores."""

from __future__ import annotations

import importlib.util
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bench_lite import NodeLite
from cocotb.task import bridge, resume
from cocotb_bus.drivers.amba import AXIProtocolError

LOADER = Path(__file__).parents[1] / "host" / "shellgen_load.py"


def host_loader() -> Any:
    """Import the emitted loader, the very file that runs on the board."""
    spec = importlib.util.spec_from_file_location("shellgen_load", LOADER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class SimulatedBus:
    """32-bit accesses of a blocking program to the AXI-Lite port of one core."""

    def __init__(self, host: Any, lite: NodeLite) -> None:
        self._host = host
        self._read = resume(lite.read_at)
        self._write = resume(lite.write_at)

    def read(self, address: int) -> int:
        """Read a register of the host's address space."""
        try:
            return int(self._read(address))
        except AXIProtocolError as error:
            raise self._host.BusError(address, error) from None

    def write(self, address: int, value: int) -> None:
        """Write a register of the host's address space."""
        try:
            self._write(address, value)
        except AXIProtocolError as error:
            raise self._host.BusError(address, error) from None


async def load_weights(
    dut: Any, maps: dict[str, Any], folder: Path, run_frame: Callable[[], Awaitable[None]]
) -> list[dict[str, Any]]:
    """Load every memory of every node as a host does, the frame that FINN needs included.

    Args:
        dut: The bench top.
        maps: ``memory_map.json``.
        folder: ``<node>/<region>.dat``, or FINN's ``runtime_weights``.
        run_frame: Sends one frame through the cluster.

    Returns:
        One finding per node: node, memories, registers.
    """
    host = host_loader()
    blocking_frame = resume(run_frame)

    def program() -> list[dict[str, Any]]:
        nodes, contents = [], {}
        for entry in maps["nodes"]:
            bus = SimulatedBus(host, NodeLite(dut, entry))
            node = host.Node(maps, entry["name"], bus)
            if node.regions:
                nodes.append(node)
                contents[node.name] = host.read_weights(node, folder)
        host.load(nodes, contents, blocking_frame)
        return [
            {"node": name, "memories": len(found), "registers": sum(len(values) for values in found.values())}
            for name, found in contents.items()
        ]

    findings: list[dict[str, Any]] = await bridge(program)()
    return findings
