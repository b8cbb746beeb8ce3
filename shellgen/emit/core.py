# SPDX-License-Identifier: BSD-3-Clause
"""``<node>_core.v``: the vendor-independent core, the same file for simulation and synthesis."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten

from shellgen.counted import counted
from shellgen.emit.claims import claimed
from shellgen.emit.crossing import sync_instances
from shellgen.emit.ends import FRAMES_BITS, end_texts, inner_text, stream_net
from shellgen.emit.instance import SHELL, Instance, compute_domain
from shellgen.emit.lite import (
    SlaveNets,
    lite_instances,
    reset_instance,
    status_instance,
)
from shellgen.emit.tags import pin_net, tags_text
from shellgen.emit.turns import absent_net, turns_instances, turns_nets
from shellgen.model import Artifact, Endpoint, MemoryPort, NodePlan, Partition, Pin, Plan, StreamPort, Window
from shellgen.model.axilite import CHANNELS, host_channels
from shellgen.model.partition import ABSENT
from shellgen.render import bit_range, render
from shellgen.resources import rtl_closure, rtl_instances

AXIS = "xilinx.com:interface:axis:1.0"
AXIMM = "xilinx.com:interface:aximm:1.0"


@dataclass(frozen=True)
class Port:
    """One port of the core: AXI signal name and declaration."""

    signal: str
    declaration: str


@dataclass(frozen=True)
class PortGroup:
    """One interface of the core."""

    name: str
    vlnv: str
    comment: str
    ports: tuple[Port, ...]
    last: bool = False


@dataclass(frozen=True)
class StreamNets:
    """The nets at a stream port of a partition: their prefix, bits of TDATA, and whether there is a TLAST."""

    net: str
    bits: int
    marked: bool
    comment: str


def core_name(node: NodePlan) -> str:
    """Return the module name of a node's core."""
    return f"{node.name}_core"


def core_blocks(core: Artifact) -> tuple[str, ...]:
    """Return the modules of ``ip/`` that a core instantiates, directly or indirectly, sorted."""
    return tuple(sorted(rtl_closure(rtl_instances(core.content.decode()))))


def emit_core(plan: Plan, node: NodePlan) -> Artifact:
    """Return the core of one node.

    Shapes: the pins of the node's attachments have their declared widths; ``s_axil`` has
        ``node.lite_port_bits`` address bits and ``8 * node.lite_slot`` data bits.
    """
    groups = _port_groups(node)
    partitions = [plan.partition(name) for name in node.partitions]
    nets = SlaveNets(node)
    text = render(
        "verilog/core.v.j2",
        generator=plan.generator,
        build_id=node.build_id,
        node=node,
        module=core_name(node),
        summary=_summary(plan, node),
        bus_interfaces=[group.name for group in groups],
        double_clock=any(partition.clock2x for partition in partitions),
        port_groups=groups,
        links=len(node.ends),
        frames_bits=FRAMES_BITS * len(node.ends),
        partition_streams=_streams(partitions),
        claims=claimed(node, nets),
        link_blocks=_blocks(plan, node),
        shell=node.clocks[0],
        aliases=_aliases(node),
        compute=compute_domain(node),
        # Partitions last: a net is declared before it is used (IEEE 1800-2017, 6.5), and they use the trees'.
        instances=[
            reset_instance(node),
            *sync_instances(node),
            *lite_instances(node, nets),
            status_instance(node, nets, plan.kept("numbered", lambda: _numbered(plan))),
            *turns_instances(node, nets),
            *(_partition_instance(plan, node, partition, nets) for partition in partitions),
        ],
    )
    return Artifact.text(f"{node.name}/{core_name(node)}.v", text)


def _numbered(plan: Plan) -> frozenset[str]:
    return frozenset(one.name for one in plan.boundaries if one.numbered)


def _aliases(node: NodePlan) -> list[tuple[str, str]]:
    """Return the nets of the shell's clock and reset that are not ports of these names themselves."""
    port = node.clocks[0]
    pairs = ((SHELL.clock, port.name), (SHELL.reset, port.reset))
    return [(net, name) for net, name in pairs if net != name]


def _summary(plan: Plan, node: NodePlan) -> list[str]:
    parts = [plan.partition(name) for name in node.partitions]
    lines = [
        f"Partition {one.name}: {counted(len(one.layers), 'layer')}." for one in parts if one.junction is None
    ]
    lines += [f"Partition {one.name}: {one.junction}." for one in parts if one.junction is not None]
    for end in node.ends:
        frame = plan.boundary(end.boundary).frame_bytes
        lines.append(f"{node.pin(end).name}: {end.boundary}, {frame} bytes a frame.")
    return lines


def _declare(direction: str, bits: int, name: str, vector: bool = False) -> str:
    span = bit_range(bits) if bits > 1 or vector else ""
    return f"{direction} wire {span:<16} {name}"


def _port_groups(node: NodePlan) -> list[PortGroup]:
    lite = tuple(
        Port(
            signal.upper(),
            _declare("input " if driven else "output", bits, f"s_axil_{signal}"),
        )
        for signal, bits, driven in host_channels(node.lite_port_bits, node.lite_slot)
    )
    groups = [PortGroup("s_axil", AXIMM, "host: status registers and the memories of the partitions", lite)]
    for window in node.windows:
        if window.kind == "master":
            groups.append(_master_group(window))
    for attachment in node.attachments:
        names = {end.stream: end.boundary for end in attachment.ends}
        for pin in attachment.pins:
            about = f"{attachment.name}: {pin.role}" if pin.stream is None else names[pin.stream]
            groups.append(_stream_group(pin, about))
        groups += [_memory_group(one) for one in attachment.memories if one.dest is None]
    last = groups.pop()
    return [*groups, PortGroup(last.name, last.vlnv, last.comment, last.ports, last=True)]


def _master_group(window: Window) -> PortGroup:
    ports = tuple(
        Port(
            signal.upper(),
            _declare(
                "output" if driven else "input ", bits or window.addr_bits, f"m_axil_{window.name}_{signal}"
            ),
        )
        for signal, bits, driven in CHANNELS
    )
    return PortGroup(f"m_axil_{window.name}", AXIMM, f"{window.name}: registers outside the core", ports)


def _memory_group(memory: MemoryPort) -> PortGroup:
    ports = tuple(
        Port(
            signal.upper(),
            _declare("input " if driven else "output", bits, f"{memory.name}_{signal}"),
        )
        for signal, bits, driven in memory.signals
    )
    return PortGroup(memory.name, AXIMM, f"{memory.bytes} bytes of the board's memory", ports)


def _stream_group(pin: Pin, about: str) -> PortGroup:
    ways = ("input ", "output") if pin.direction == "in" else ("output", "input ")
    vectors = ("tkeep", "tid", "tdest", "tuser")
    ports = tuple(
        Port(signal.upper(), _declare(ways[back], bits, f"{pin.name}_{signal}", vector=signal in vectors))
        for signal, bits, back in pin.signals
    )
    return PortGroup(pin.name, AXIS, about, ports)


def _streams(partitions: list[Partition]) -> list[StreamNets]:
    return [
        StreamNets(
            stream_net(Endpoint(partition=partition.name, port=port.name)),
            port.tdata_bits,
            port.marked,
            f"pins of {partition.name}.{port.name}: {port.elements_per_word} x {port.datatype}, "
            f"{port.payload_bits} of {port.tdata_bits} bits",
        )
        for partition in partitions
        for port in partition.streams
    ]


def _blocks(plan: Plan, node: NodePlan) -> list[str]:
    """Return the logic between the pins of the core and those of the partitions."""
    attached = [text for attachment in node.attachments for text in end_texts(plan, node, attachment)]
    inner = (inner_text(plan, node, index, inner) for index, inner in enumerate(node.inner))
    return [*attached, *inner, *turns_nets(node), *tags_text(plan, node)]


def _partition_instance(plan: Plan, node: NodePlan, partition: Partition, nets: SlaveNets) -> Instance:
    wires: list[str] = []
    domain = compute_domain(node)
    connections = [(partition.clock, domain.clock), (partition.reset, domain.inner)]
    if partition.clock2x:
        connections.insert(1, (partition.clock2x, "aclk2x"))
    for port in partition.streams:
        net = pin_net(plan, partition, port)
        connections.extend((port.ports[s], f"{net}_{s.lower()}") for s in ("TDATA", "TVALID", "TREADY"))
        connections.extend(sidebands(wires, partition.name, port, f"{net}_tlast"))
    for lite in partition.axilite:
        connections.extend(nets.connections(f"{partition.name}_{lite.name}", lite))
    for other in partition.others:
        tied = f"{other.bits}'d0" if other.direction == "in" else None
        if partition.takes_turns and other.name == ABSENT:
            tied = absent_net(plan, node, partition, other.bits)
        connections.append((other.name, tied or open_net(wires, partition.name, other.name, other.bits)))
    return Instance(
        module=partition.top,
        name=f"u_{partition.name}",
        comment=_comment(partition),
        connections=tuple(connections),
        wires=tuple(wires),
    )


def _comment(partition: Partition) -> str:
    if partition.junction is not None:
        return f"{partition.junction}, for {partition.origin}"
    return f"the partition: {_named(partition.layers) or 'no layer names known'}"


def _named(layers: tuple[str, ...]) -> str:
    """Return the first layers: Icarus refuses lines of 16 KiB, and there may be hundreds of layers."""
    return shorten(", ".join(layers), 1000, placeholder=f" ... {layers[-1]}") if layers else ""


def sidebands(wires: list[str], owner: str, port: StreamPort, last: str) -> list[tuple[str, str]]:
    """Connect the sidebands of a stream: every word is complete, and FINN counts its frames.

    Args:
        wires: List for the nets of unused outputs.
        owner: Prefix of those nets.
        port: The stream.
        last: Net that marks the last word of a frame.
    """
    connections = []
    for signal, bits in (("TLAST", 1), ("TKEEP", port.tdata_bits // 8), ("TSTRB", port.tdata_bits // 8)):
        pin = port.ports.get(signal)
        if pin and port.direction == "out":
            connections.append((pin, open_net(wires, owner, pin, bits)))
        elif pin:
            connections.append((pin, last if signal == "TLAST" else f"{{{bits}{{1'b1}}}}"))
    return connections


def open_net(wires: list[str], owner: str, port: str, bits: int) -> str:
    """Declare a net for an unused output, so that lint accepts it, and return it."""
    net = f"{owner}_{port}_unused"
    wires.append(f"wire {f'{bit_range(bits)} ' if bits > 1 else ''}{net};")
    return net
