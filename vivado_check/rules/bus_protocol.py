# SPDX-License-Identifier: BSD-3-Clause
"""Agreement of both ends of a bus: protocol, widths, and the end of a packet."""

from __future__ import annotations

from collections.abc import Iterator

from ..graph import Graph, pin_path, split_path
from ..ip.facts import AXIMM, AXIS, IpInterface
from ..report import Message
from .base import Context, rule
from .walk import Wrong, cells_of, count_of, error, finding, ip_name, links

_WIDTH = "Xenon-000/Radio_periph_lab_cw: what BD 41-237 says of widths"

# Infrastructure whose protocol is a result of validation (PG059, RedPitaya/RedPitaya-FPGA: v0.94_ll).
_FOLLOWING = (
    *("axi_register_slice", "axi_clock_converter", "axi_data_fifo", "axi_dwidth_converter"),
    *("axi_protocol_converter", "axi_crossbar", "axi_mmu"),
)
_BUFFERS = ("axis_data_fifo", "axis_register_slice", "axis_clock_converter")
# IP that forwards its input, by the parameter that validation propagates (PG085).
_PASSING = {"TDATA_NUM_BYTES": _BUFFERS, "HAS_TLAST": (*_BUFFERS, "axis_dwidth_converter")}
# What sends another width than it takes, and the parameter that says which (PG085).
_RESIZING = {"axis_dwidth_converter": "M_TDATA_NUM_BYTES"}
# What converts protocols and widths by itself (PG059, PG247).
_CONVERTING = ("axi_interconnect", "smartconnect")


def _memory_links(graph: Graph) -> Iterator[tuple[str, IpInterface, str, IpInterface]]:
    """Yield the links of which both ends are what they are."""
    for link in links(graph, AXIMM):
        cells = [graph.design.cells[split_path(end)[0]] for end in (link[0], link[2])]
        if not any(ip_name(cell) in _CONVERTING for cell in cells):
            yield link


def _number(interface: IpInterface, name: str) -> int | None:
    return count_of(interface.params.get(name, ""))


def _protocol(graph: Graph, path: str, interface: IpInterface) -> str:
    """Return a protocol as its signals show, else as it is said; empty if neither tells it.

    AXI3 has a WID and bursts of 4 bits, AXI4 has bursts of 8 (Arm IHI 0022). Some IP name a WID that they
    have in other configurations only; others take the protocol of their neighbours at validation.
    """
    cell = split_path(path)[0]
    design_cell = graph.design.cells[cell]
    if ip_name(design_cell) in _FOLLOWING and not any("PROTOCOL" in name for name in design_cell.config):
        return ""
    ports = [
        graph.port(pin_path(cell, interface.ports[name])) if name in interface.ports else None
        for name in ("WID", "AWLEN", "ARLEN")
    ]
    bits = next((port.bits for port in ports[1:] if port), None)
    shown = "AXI3" if ports[0] else {4: "AXI3", 8: "AXI4"}.get(bits or 0, "")
    return shown or interface.params.get("PROTOCOL", "")


@rule("axi-protocol", scope="design", source="PG059, AXI Interconnect: protocol conversion")
def axi_protocol(context: Context) -> Iterator[Message]:
    """Find AXI3, AXI4 and AXI4-Lite joined without a converter."""
    for path, master, other, slave in _memory_links(context.graph):
        protocols = _protocol(context.graph, path, master), _protocol(context.graph, other, slave)
        if all(protocols) and protocols[0] != protocols[1]:
            yield error(
                context,
                "axi-protocol",
                other,
                Wrong(
                    f"it is {protocols[1]}, and its master {path} {protocols[0]}",
                    "one protocol at both ends",
                    "put an AXI Interconnect, a SmartConnect or a protocol converter between them",
                    "BD 41-1285",
                ),
            )


@rule("axi-width", scope="design", source=_WIDTH)
def axi_width(context: Context) -> Iterator[Message]:
    """Find AXI ports of different data widths joined without a converter."""
    for path, master, other, slave in _memory_links(context.graph):
        widths = _number(master, "DATA_WIDTH"), _number(slave, "DATA_WIDTH")
        if None not in widths and widths[0] != widths[1]:
            yield finding(
                context,
                "axi-width",
                other,
                Wrong(
                    f"it has {widths[1]} bits of data, and its master {path} {widths[0]}",
                    "one width at both ends",
                    "give both one width, or put an interconnect between them",
                    "BD 41-237",
                ),
            )


@rule("stream-width", scope="design", source=_WIDTH)
def stream_width(context: Context) -> Iterator[Message]:
    """Find streams whose ends carry different numbers of bytes."""
    graph = context.graph
    for path, _, other, slave in links(graph, AXIS):
        width, wanted = _shape(graph, path, "TDATA_NUM_BYTES"), _taken(graph, other, slave)
        if width and wanted is not None and count_of(width) != wanted:
            yield finding(
                context,
                "stream-width",
                other,
                Wrong(
                    f"it takes {wanted} bytes per beat, and its master {path} sends {width}",
                    "one width at both ends",
                    "give both one width, or put a width converter between them",
                    "BD 41-237",
                ),
            )


def _taken(graph: Graph, path: str, slave: IpInterface) -> int | None:
    """Return the bytes that a slave takes in each beat, None if that is not known or follows its master."""
    cell = split_path(path)[0]
    given = graph.config(cell).get("TDATA_NUM_BYTES", "")
    buffered = ip_name(graph.design.cells[cell]) in _BUFFERS
    return count_of(slave.params.get("TDATA_NUM_BYTES", given if buffered else ""))


def _shape(graph: Graph, master: str, name: str, depth: int = 32) -> str:
    """Return a parameter of a stream, upstream of what hands it on unchanged; empty if it is not known."""
    interface = graph.interface(master)
    cell, _ = split_path(master)
    if interface is None or depth == 0:
        return ""
    own = _RESIZING.get(ip_name(graph.design.cells[cell]), name) if name == "TDATA_NUM_BYTES" else name
    said = interface.params.get(name, graph.config(cell).get(own, ""))
    if said or ip_name(graph.design.cells[cell]) not in _PASSING[name]:
        return said if count_of(said) is not None else ""
    before = graph.peer(f"{cell}/S_AXIS")
    return _shape(graph, before, name, depth - 1) if before else ""


@rule("stream-last", scope="design", source="PG021, AXI DMA: S2MM ends a transfer at TLAST")
def stream_last(context: Context) -> Iterator[Message]:
    """Find DMAs to memory whose stream has no TLAST: their transfers never end.

    In a generated design, every sink that takes a TLAST needs one.
    """
    graph = context.graph
    sinks = [f"{cell}/S_AXIS_S2MM" for cell, _ in cells_of(graph, "axi_dma", "axi_mcdma")]
    if context.ours:
        sinks += [other for _, _, other, slave in links(graph, AXIS) if slave.params.get("HAS_TLAST") == "1"]
    for sink in dict.fromkeys(sinks):
        source = graph.peer(sink)
        if source and _shape(graph, source, "HAS_TLAST") == "0":
            wrong = Wrong(
                f"{source} has no TLAST, so that nothing ends a transfer",
                "a stream with TLAST",
                "let a frame's last beat raise TLAST",
            )
            yield finding(context, "stream-last", sink, wrong)


@rule("dma-width", scope="design", source="PG021, AXI DMA: stream data width")
def dma_width(context: Context) -> Iterator[Message]:
    """Find DMAs whose stream is wider than the memory port that a script gave them.

    A memory port of which it says nothing may follow the stream.
    """
    for path, cell in cells_of(context.graph, "axi_dma"):
        config = {name.lower(): setting for name, setting in cell.config.items()}
        for stream, memory, on in (
            ("c_m_axis_mm2s_tdata_width", "c_m_axi_mm2s_data_width", "c_include_mm2s"),
            ("c_s_axis_s2mm_tdata_width", "c_m_axi_s2mm_data_width", "c_include_s2mm"),
        ):
            given = [config.get(name) for name in (stream, memory)]
            used = config[on].value != "0" if on in config else True
            if given[0] is None or given[1] is None or not used:
                continue
            widths = count_of(given[0].value), count_of(given[1].value)
            if widths[0] is not None and widths[1] is not None and widths[0] > widths[1]:
                found = f"{stream} is {widths[0]}, and {memory} {widths[1]}"
                wrong = Wrong(found, "a stream no wider than the memory port", "widen the memory port")
                yield finding(context, "dma-width", path, wrong, given[0].origin)
