# SPDX-License-Identifier: BSD-3-Clause
"""Interrupts of the DMAs: from their pins to the processor, in the design, in the map and in PYNQ."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_zynq_pynq import load
from vivado_session import Block, Vivado, run_script
from zynq_project import SHAPES, node_plan, write_project

from shellgen.emit.memory_map import memory_map
from shellgen.errors import PlanError
from shellgen.model.memory_map import MapNode

# Interrupt IDs of the first line and the tenth: the second eight of PS7 are elsewhere.
LINES = {"zedboard": ("IRQ_F2P", (61, 85)), "zcu104": ("pl_ps_irq0", (121, None))}


def build(
    folder: Path, board: str, shape: str, interrupts: str, release: str = "2020.1"
) -> tuple[Block, MapNode]:
    plan, network = node_plan(board, shape, vivado={"interrupts": interrupts})
    vivado = Vivado(release)
    outcome = run_script(vivado, write_project(plan, network, folder) / "vivado" / "build.tcl")
    assert outcome.code == 0, outcome.error
    return vivado.block, memory_map(plan).nodes[0]


def introuts(design: Block) -> list[str]:
    """Return the interrupt pins of all DMAs."""
    engines = [cell for cell in design.cells if cell.startswith("axi_dma")]
    return [f"{cell}/{pin}" for cell in engines for pin in design.pins(cell) if "_introut" in pin]


def told(node: MapNode) -> dict[str, tuple[str | None, int, int]]:
    """Return where the map says that each pin arrives."""
    found = {}
    for dma in node.dma:
        for name, channel in (("mm2s", dma.channels.mm2s), ("s2mm", dma.channels.s2mm)):
            if channel and (entry := channel.interrupt):
                found[f"{dma.name}/{name}_introut"] = (entry.controller, entry.input, entry.gic)
    return found


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("board", LINES)
def test_every_pin_reaches_the_processor(board: str, shape: str, tmp_path: Path) -> None:
    pin, (first, _) = LINES[board]
    pins = {}
    for mode in ("intc", "direct"):
        design, node = build(tmp_path / mode, board, shape, mode)
        at = "axi_intc_0/intr" if mode == "intc" else f"zynq_ps/{pin}"
        assert design.driver(at) == "xlconcat_0/dout"
        count = int(design.config("xlconcat_0", "NUM_PORTS") or 0)
        lines = [design.driver(f"xlconcat_0/In{line}") for line in range(count)]
        assert sorted(filter(None, lines)) == sorted(introuts(design))
        pins[mode] = told(node)
        assert {name: line for name, (_, line, _) in pins[mode].items()} == {
            name: line for line, name in enumerate(lines)
        }
    assert {entry[0] for entry in pins["intc"].values()} == {"axi_intc_0"}
    assert {entry[2] for entry in pins["intc"].values()} == {first}
    assert [entry[2] for entry in pins["direct"].values()] == [first + line for line in range(count)]
    assert {entry[0] for entry in pins["direct"].values()} == {None}


def test_the_controller_is_on_the_bus_and_answers_the_processor(tmp_path: Path) -> None:
    design, node = build(tmp_path, "zedboard", "2rx_1tx", "intc")
    assert design.driver("zynq_ps/IRQ_F2P") == "axi_intc_0/irq"
    assert design.config("zynq_ps", "PCW_IRQ_F2P_MODE") == "DIRECT"
    found = node.interrupt_controller
    assert found
    assert (found.base, found.inputs, found.gic) == (0x6002_0000, 3, 61)


def test_none_leaves_nothing_behind(tmp_path: Path) -> None:
    design, node = build(tmp_path, "zcu104", "1rx_1tx", "none")
    assert not {"axi_intc_0", "xlconcat_0"} & set(design.cells)
    assert design.driver("zynq_ps/pl_ps_irq0") is None
    assert told(node) == {}
    assert node.interrupt_controller is None


@pytest.mark.parametrize("board", LINES)
def test_pynq_finds_every_pin_at_the_controller(board: str, tmp_path: Path) -> None:
    _, node = build(tmp_path, board, "1rx_3tx", "intc")
    found = load(tmp_path / "n0" / "vivado" / "out" / "n0.bit")
    (name, controller), *others = found.interrupt_controllers.items()
    assert not others
    assert (name, controller["parent"], controller["index"]) == ("axi_intc_0", "", 0)
    assert controller["raw_irq"] == LINES[board][1][0]
    pins = {pin: (entry["controller"], entry["index"]) for pin, entry in found.interrupt_pins.items()}
    assert {pin: entry[:2] for pin, entry in told(node).items()}.items() <= pins.items()
    for pin in told(node):
        dma, _, local = pin.partition("/")
        assert found.ip_dict[dma]["interrupts"][local]["fullpath"] == pin
    assert node.interrupt_controller
    assert found.ip_dict["axi_intc_0"]["phys_addr"] == node.interrupt_controller.base


def test_pynq_does_not_see_direct_lines(tmp_path: Path) -> None:
    """Why a controller is the default."""
    build(tmp_path, "zedboard", "1rx_1tx", "direct")
    assert not load(tmp_path / "n0" / "vivado" / "out" / "n0.bit").interrupt_pins


def test_more_lines_than_the_processor_has(monkeypatch: pytest.MonkeyPatch) -> None:
    many = (("UINT4", 2, 16),) * 5
    monkeypatch.setitem(SHAPES, "many", (many, many))
    with pytest.raises(
        PlanError, match=r'options.zynq.interrupts: node n0: 10 interrupts; zcu104 has 8 lines.*Say "intc"'
    ):
        node_plan("zcu104", "many", vivado={"interrupts": "direct"})
    plan, _ = node_plan("zedboard", "many", vivado={"interrupts": "direct"})
    assert max(entry[2] for entry in told(memory_map(plan).nodes[0]).values()) == LINES["zedboard"][1][1]
    assert node_plan("zcu104", "many")
