# SPDX-License-Identifier: BSD-3-Clause
"""The overlay for Linux beside the block design: its addresses, interrupts, clocks and DMAs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

from vivado_check.design import Cell, Segment
from vivado_check.graph import split_path
from vivado_check.report import Message, Origin, Verdict
from vivado_check.rules.walk import cells_of

from ..base_labels import labels_of
from ..device_tree import DeviceTreeError, Property, TreeNode, read_tree
from .base import Context, rule
from .plan_interrupts import GIC, arrivals
from .planned import asked, number
from .planned_design import planned_cells
from .planned_files import Text, texts

_SOURCE = "Linux, Documentation/devicetree/bindings: xilinx_dma, xlnx,intc; Devicetree Specification 2.3"
_REMEDY = "write it as the block design has it, or generate the folder again"
_FIRST_SPI = 32  # of the interrupts of the GIC, shared ones begin here
# Cells of an address; clocks of the fabric: label, number of the first. Sources: zynq-7000.dtsi and the
# binding of clkc, zynqmp.dtsi and xlnx-zynqmp-clk.h of Linux.
_SYSTEMS = {"processing_system7": (1, "&clkc", 15), "zynq_ultra_ps_e": (2, "&zynqmp_clk", 71)}
# Properties of a DMA by the parameter that they repeat, with its default (PG021).
_DMA = {"xlnx,sg-length-width": ("c_sg_length_width", 14), "xlnx,addrwidth": ("c_addr_width", 32)}
_CLOCKS = ("s_axi_lite_aclk", "m_axi_mm2s_aclk", "m_axi_s2mm_aclk", "m_axi_sg_aclk")
# What a driver looks for, by IP. Sources: bindings xilinx_dma and xlnx,intc.
_COMPATIBLE = {"axi_dma": "xlnx,axi-dma-1.00.a", "axi_intc": "xlnx,xps-intc-1.00.a"}
_CHANNELS = {
    "mm2s": ("c_include_mm2s", "c_m_axis_mm2s_tdata_width"),
    "s2mm": ("c_include_s2mm", "c_s_axis_s2mm_tdata_width"),
}


@dataclass(frozen=True)
class _Overlay:
    """An overlay, and the design that it is of."""

    context: Context
    text: Text
    cells: int
    clock: tuple[str, int]
    segments: dict[str, Segment]

    def cell(self, name: str) -> Cell | None:
        """Return a cell of the design by the last part of its path."""
        cells = self.context.graph.design.cells.items()
        return next((cell for path, cell in cells if name and path.endswith(f"/{name}")), None)

    def said(self, line: int, where: str, found: str, expected: str) -> Message:
        """Return a message about a line."""
        return Message(
            "device-tree", Verdict.FINDING, Origin(self.text.name, line), where, found, expected, _REMEDY
        )


@rule("device-tree", scope="design", source=_SOURCE, ours=True)
def device_tree(context: Context) -> Iterator[Message]:
    """Hold every overlay of the node against the design that was recorded."""
    systems = [(path, facts) for name, facts in _SYSTEMS.items() for path, _ in cells_of(context.graph, name)]
    for _, text in texts(context, "linux/*.dtso") if systems and not context.graph.open else ():
        path, (cells, clock, first) = systems[0]
        segments = {
            split_path(split_path(one.segment)[0])[0].rpartition("/")[2]: one  # cells may have been grouped
            for one in context.graph.design.segments
            if one.space.startswith(f"{path}/") and not one.excluded
        }
        overlay = _Overlay(context, text, cells, (clock, first), segments)
        try:
            root = read_tree(text.text)
        except DeviceTreeError as error:
            yield overlay.said(error.line, text.name, str(error), "a device tree that dtc takes")
            continue
        yield from _judged(overlay, root)
        yield from _labels(overlay, root)


def _judged(overlay: _Overlay, root: TreeNode) -> Iterator[Message]:
    seen = set()
    for parent, node in root.below():
        if "reg" in node.properties:
            seen.add(node.label)
            yield from _address(overlay, parent, node)
            yield from _clocks(overlay, node)
        cell = overlay.cell(node.label)
        if cell:
            yield from _driven(overlay, node, cell)
        if cell and ":axi_dma:" in cell.vlnv:
            yield from _dma(overlay, node, cell)
            yield from _named_clocks(overlay, node, cell)
        if cell and ":axi_intc:" in cell.vlnv:
            yield from _controls(overlay, node)
            yield from _interrupts(overlay, node, f"{cell.path}/irq", node)
    planned = planned_cells(overlay.context)
    for name in sorted(set(overlay.segments) - seen):
        where = root.nodes[-1].line if root.nodes else 1
        said = overlay.said(
            where, name, "the overlay does not have it", "a node for each segment of the design"
        )
        yield said if name in planned else replace(said, verdict=Verdict.DIFFERS)


def _labels(overlay: _Overlay, root: TreeNode) -> Iterator[Message]:
    """Every label in use is defined in the overlay or in the board's tree, which may define more."""
    nodes = [node for _, node in root.below()]
    own, base = {node.label for node in nodes}, labels_of(overlay.clock[0])
    for node in nodes:
        used = [(node.name, node.line)]
        used += [(word, one.line) for one in node.properties.values() for word in one.cells]
        for word, line in dict.fromkeys(used):
            name = word.removeprefix("&")
            if name == word or name in own or name in base:
                continue
            alike = [one for one in sorted(base | own) if re.sub(r"\D", "", one) == re.sub(r"\D", "", name)]
            near = next(iter(get_close_matches(name, alike, 1, 0.75)), "")
            expected = f"&{near}" if near else "a label of the board's device tree"
            said = overlay.said(line, word, "no such label is known", expected)
            yield said if near else replace(said, verdict=Verdict.NOT_MODELLED)


def _address(overlay: _Overlay, parent: TreeNode, node: TreeNode) -> Iterator[Message]:
    reg = node.properties["reg"]
    for name in ("#address-cells", "#size-cells"):
        told = parent.properties.get(name)
        if told is None or told.numbers != (overlay.cells,):
            found = " ".join(told.cells) if told else "it is missing"
            yield overlay.said(told.line if told else parent.line, name, found, str(overlay.cells))
    numbers = reg.numbers or ()
    if len(numbers) != 2 * overlay.cells:
        yield overlay.said(reg.line, f"{node.name}: reg", f"{len(numbers)} cells", f"{2 * overlay.cells}")
        return
    base, size = (_joined(numbers[: overlay.cells]), _joined(numbers[overlay.cells :]))
    if node.unit != f"{base:x}":
        yield overlay.said(node.line, node.name, f"its unit address is {node.unit}", f"{base:x}, as in reg")
    segment = overlay.segments.get(node.label)
    if segment is None:
        expected = f"the name of a cell: {', '.join(sorted(overlay.segments))}"
        yield overlay.said(node.line, node.name, f"its label is {node.label or 'missing'}", expected)
    elif segment.offset is not None and (base, size) != (segment.offset, segment.range):
        expected = f"{segment.offset:#x}, {segment.range:#x} bytes, as in the block design"
        yield overlay.said(reg.line, f"{node.name}: reg", f"{base:#x}, {size:#x} bytes", expected)


def _joined(cells: tuple[int, ...]) -> int:
    value = 0
    for cell in cells:
        value = value << 32 | cell
    return value


def _clocks(overlay: _Overlay, node: TreeNode) -> Iterator[Message]:
    clocks, names = node.properties.get("clocks"), node.properties.get("clock-names")
    label, first = overlay.clock
    if clocks and names and len(clocks.values) != len(names.values):
        found = f"{len(clocks.values)} clocks and {len(names.values)} names"
        yield overlay.said(clocks.line, f"{node.name}: clocks", found, "a name for each clock")
    for name in names.values if names else ():
        if name not in _CLOCKS:
            yield overlay.said(
                names.line if names else 0, f"{node.name}: clock-names", name, ", ".join(_CLOCKS)
            )
    for value in clocks.values if clocks else ():
        words = value.split()
        known = words[:1] == [label] and len(words) == 2 and words[1].isdigit()
        if clocks and not (known and first <= int(words[1]) < first + 4):
            expected = f"<{label} {first}> to <{label} {first + 3}>, the clocks of the fabric"
            yield overlay.said(clocks.line, f"{node.name}: clocks", f"<{value}>", expected)


def _driven(overlay: _Overlay, node: TreeNode, cell: Cell) -> Iterator[Message]:
    """A node has what its driver is found by, and the clocks that must run for it."""
    told = node.properties.get("compatible")
    wanted = next((name for ip, name in _COMPATIBLE.items() if f":{ip}:" in cell.vlnv), "")
    if told is None or (wanted and wanted not in told.values):
        found = ", ".join(told.values) if told else "it is missing"
        line = told.line if told else node.line
        yield overlay.said(line, f"{node.name}: compatible", found, wanted or "the name of a driver")
    if "reg" in node.properties and "clocks" not in node.properties:
        yield overlay.said(
            node.line, f"{node.name}: clocks", "it is missing", "the clocks of the fabric that it needs"
        )


def _controls(overlay: _Overlay, node: TreeNode) -> Iterator[Message]:
    """Every node used as interrupt parent is declared an interrupt controller."""
    for name in ("interrupt-controller", "#interrupt-cells"):
        if name not in node.properties:
            yield overlay.said(node.line, f"{node.name}: {name}", "it is missing", "it, in a controller")


def _named_clocks(overlay: _Overlay, node: TreeNode, cell: Cell) -> Iterator[Message]:
    """A DMA has the clock of its registers, of each channel, and of its descriptors, each by its name."""
    wanted = {"s_axi_lite_aclk"}
    for way, (there, _) in _CHANNELS.items():
        wanted |= {f"m_axi_{way}_aclk"} if _number_of(cell, there, 1) == 1 else set()
    wanted |= {"m_axi_sg_aclk"} if _number_of(cell, "c_include_sg", 1) == 1 else set()
    told = node.properties.get("clock-names")
    names = told.values if told else ()
    if sorted(names) != sorted(wanted):
        line = told.line if told else node.line
        found = ", ".join(names) or "it is missing"
        yield overlay.said(line, f"{node.name}: clock-names", found, ", ".join(sorted(wanted)))


def _number_of(cell: Cell, name: str, default: int) -> int | None:
    setting = asked(cell, name)
    return number(setting.value) if setting else default


def _dma(overlay: _Overlay, node: TreeNode, cell: Cell) -> Iterator[Message]:
    for name, (parameter, default) in _DMA.items():
        yield from _repeats(
            overlay, node.properties.get(name), f"{node.name}: {name}", cell, parameter, default
        )
    scattered = _number_of(cell, "c_include_sg", 1) == 1
    if ("xlnx,include-sg" in node.properties) != scattered:
        found = f"xlnx,include-sg is {'there' if not scattered else 'missing'}"
        yield overlay.said(node.line, node.name, found, f"c_include_sg is {int(scattered)}")
    children = {one.name: one for one in node.nodes}
    for way, (there, width) in _CHANNELS.items():
        on = _number_of(cell, there, 1) == 1
        child = children.pop(f"dma-channel-{way}", None)
        if (child is not None) != on:
            found = f"dma-channel-{way} is {'there' if child else 'missing'}"
            yield overlay.said(child.line if child else node.line, node.name, found, f"{there} is {int(on)}")
        if child is None:
            continue
        where = f"{node.name}/{child.name}"
        kind = child.properties.get("compatible")
        if kind is None or kind.values != (f"xlnx,axi-dma-{way}-channel",):
            found = ", ".join(kind.values) if kind else "it is missing"
            yield overlay.said(child.line, f"{where}: compatible", found, f"xlnx,axi-dma-{way}-channel")
        wide = child.properties.get("xlnx,datawidth")
        yield from _repeats(overlay, wide, f"{where}: xlnx,datawidth", cell, width, 32)
        yield from _interrupts(overlay, child, f"{cell.path}/{way}_introut", node)
    for name, child in children.items():
        yield overlay.said(
            child.line, name, "a DMA has no such channel", "dma-channel-mm2s, dma-channel-s2mm"
        )


def _repeats(  # noqa: PLR0913 - what is compared with what
    overlay: _Overlay, told: Property | None, where: str, cell: Cell, parameter: str, default: int
) -> Iterator[Message]:
    setting = asked(cell, parameter)
    wanted = number(setting.value) if setting else default
    if wanted is not None and (told is None or told.numbers != (wanted,)):
        found = " ".join(told.cells) if told else "it is missing"
        line = told.line if told else 0
        yield overlay.said(line, where, found, f"{wanted}, {parameter} of {cell.path}")


def _interrupts(overlay: _Overlay, node: TreeNode, pin: str, parent: TreeNode) -> Iterator[Message]:
    """Follow a line to where it arrives: a controller counts its inputs, the GIC its shared interrupts."""
    told = node.properties.get("interrupts")
    arrived = list(arrivals(overlay.context, pin))
    if not arrived:
        return
    one = arrived[0]
    cell = overlay.context.graph.design.cells[one.cell]
    wanted: tuple[int, ...]
    if ":axi_intc:" in cell.vlnv:
        wanted, owner = (one.bit, 4), f"&{one.cell.rpartition('/')[2]}"
    elif one.bit < len(GIC.get(one.pin, ())):
        wanted, owner = (0, GIC[one.pin][one.bit] - _FIRST_SPI, 4), ""
    else:
        return
    if told is None or told.numbers != wanted:
        found = " ".join(told.cells) if told else "it is missing"
        expected = f"<{' '.join(map(str, wanted))}>: {pin} arrives at bit {one.bit} of {one.cell}/{one.pin}"
        yield overlay.said(told.line if told else node.line, f"{node.name}: interrupts", found, expected)
    by = parent.properties.get("interrupt-parent")
    if owner and (by is None or by.cells != (owner,)):
        found = " ".join(by.cells) if by else "it is missing"
        yield overlay.said(by.line if by else parent.line, f"{parent.name}: interrupt-parent", found, owner)
