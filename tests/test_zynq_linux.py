# SPDX-License-Identifier: BSD-3-Clause
"""The device-tree overlay, compiled and laid over a tree with a board's labels: tells what the map does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from test_external_zynq import node_plan as external_plan
from zynq_project import node_plan

from shellgen.emit.memory_map import memory_map
from shellgen.model import Plan
from shellgen.model.map_movers import MapChannel
from shellgen.model.memory_map import MapNode
from shellgen.platforms import platform_registry

# What an overlay needs of the trees of Linux: zynq-7000.dtsi and zynqmp.dtsi have these labels.
BASES = {
    "zedboard": (1, "intc", "clkc"),
    "kv260_som": (2, "gic", "zynqmp_clk"),
}
BASE = """
/dts-v1/;
/ {{
    #address-cells = <{cells}>;
    #size-cells = <{cells}>;
    {clock}: clock {{ #clock-cells = <1>; }};
    fpga_full: fpga-full {{ compatible = "fpga-region"; }};
    amba: axi {{
        compatible = "simple-bus";
        #address-cells = <{cells}>;
        #size-cells = <{cells}>;
        ranges;
        {gic}: gic {{ interrupt-controller; #interrupt-cells = <3>; phandle = <77>; }};
    }};
}};
"""


def overlay(plan: Plan) -> str | None:
    node = plan.nodes[0]
    made = platform_registry()[node.platform].artifacts(plan, node, ())
    found = [artifact.content.decode() for artifact in made if artifact.path == "n0/linux/n0.dtso"]
    return found[0] if found else None


def tool(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    return done.stdout


def merged(text: str, board: str, folder: Path) -> str:
    """Return the tree of a board with the overlay in it, as dtc writes it."""
    cells, gic, clock = BASES[board]
    (folder / "base.dts").write_text(BASE.format(cells=cells, gic=gic, clock=clock))
    (folder / "n0.dtso").write_text(text)
    tool(folder, "dtc", "-@", "-q", "-I", "dts", "-O", "dtb", "-o", "base.dtb", "base.dts")
    tool(folder, "dtc", "-@", "-I", "dts", "-O", "dtb", "-o", "n0.dtbo", "n0.dtso")
    tool(folder, "fdtoverlay", "-i", "base.dtb", "-o", "all.dtb", "n0.dtbo")
    return tool(folder, "dtc", "-q", "-I", "dtb", "-O", "dts", "all.dtb")


def node_of(tree: str, name: str) -> str:
    """Return what stands between the braces of a node."""
    start = tree.index(f"{name} {{") + len(name) + 2
    depth, at = 1, start
    while depth:
        depth += {"{": 1, "}": -1}.get(tree[at], 0)
        at += 1
    return tree[start:at]


def numbers(text: str, name: str) -> list[int]:
    found = re.search(rf"\s{re.escape(name)} = <([^>]*)>;", text)
    assert found, f"no {name} in {text}"
    return [int(cell, 16) for cell in found[1].split()]


def told(found: list[int]) -> int:
    """Return what the cells of one number say."""
    return sum(cell << (32 * at) for at, cell in enumerate(reversed(found)))


def check(tree: str, node: MapNode, cells: int) -> None:
    controller = node.interrupt_controller
    parents = {77}
    if controller:
        found = node_of(tree, f"interrupt-controller@{controller.base:x}")
        assert told(numbers(found, "reg")[:cells]) == controller.base
        assert numbers(found, "interrupts") == [0, controller.gic - 32, 4]
        assert numbers(found, "xlnx,num-intr-inputs") == [controller.inputs]
        assert numbers(found, "interrupt-parent") == [77]
        parents = set(numbers(found, "phandle"))

    def interrupt(channel: MapChannel) -> list[int]:
        assert channel.interrupt
        return [channel.interrupt.input, 4] if controller else [0, channel.interrupt.gic - 32, 4]

    for dma in node.dma:
        found = node_of(tree, f"dma-controller@{dma.base:x}")
        assert told(numbers(found, "reg")[:cells]) == dma.base
        assert told(numbers(found, "reg")[cells:]) == dma.size
        assert set(numbers(found, "interrupt-parent")) == parents
        assert numbers(found, "xlnx,addrwidth") == [dma.address_bits]
        assert (1 << numbers(found, "xlnx,sg-length-width")[0]) - 1 == dma.max_bytes
        assert ("xlnx,include-sg;" in found) == dma.cyclic
        assert ("dma-coherent;" in found) == dma.coherent
        for name, channel in (("mm2s", dma.channels.mm2s), ("s2mm", dma.channels.s2mm)):
            assert (f"xlnx,axi-dma-{name}-channel" in found) == (channel is not None)
            if channel:
                assert numbers(node_of(found, f"dma-channel-{name}"), "interrupts") == interrupt(channel)
        assert len(numbers(found, "clocks")) == 2 * found[found.index("clock-names") :].split(";")[0].count(
            "aclk"
        )
    core = node_of(tree, f"core@{node.base:x}")
    assert told(numbers(core, "reg")[:cells]) == node.base


@pytest.mark.parametrize("interrupts", ["intc", "direct"])
@pytest.mark.parametrize(
    ("board", "port"), [("zedboard", "HP2"), ("kv260_som", "HP0"), ("kv260_som", "HPC0")]
)
def test_overlay_says_what_the_map_says(board: str, port: str, interrupts: str, tmp_path: Path) -> None:
    plan, _ = node_plan(board, "2rx_1tx", vivado={"interrupts": interrupts, "memory_port": port})
    text = overlay(plan)
    assert text
    tree = merged(text, board, tmp_path)
    check(tree, memory_map(plan).nodes[0], BASES[board][0])
    assert ('firmware-name = "n0.bit.bin"' in tree) == (interrupts == "direct")


def test_overlay_of_external_weights(tmp_path: Path) -> None:
    plan, _ = external_plan("zedboard")
    text = overlay(plan)
    assert text
    check(merged(text, "zedboard", tmp_path), memory_map(plan).nodes[0], 1)


def test_without_interrupts_there_is_none() -> None:
    plan, _ = node_plan("zedboard", "1rx_1tx", vivado={"interrupts": "none"})
    assert overlay(plan) is None
