# SPDX-License-Identifier: BSD-3-Clause
"""``<node>_core.v``: the vendor-independent core. This very file is simulated and built."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.emit.lite import (
    TREE_BLOCKS,
    Instance,
    SlaveNets,
    lite_instances,
    reset_instance,
    status_instance,
)
from shellgen.links import link_registry
from shellgen.model import Artifact, DirectPath, Endpoint, LinkPath, NodePlan, Partition, Plan, StreamPort
from shellgen.model.axilite import host_channels
from shellgen.render import render
from shellgen.resources import rtl_closure

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


def core_name(node: NodePlan) -> str:
    """Return the module name of a node's core."""
    return f"{node.name}_core"


def core_blocks(node: NodePlan, plan: Plan) -> tuple[str, ...]:
    """Return the modules of ``ip/`` that a node's core needs, sorted."""
    kinds = {plan.boundary(path.boundary).link for path in (*node.rx, *node.tx)}
    kinds |= {plan.boundary(path.boundary).link for path in node.direct}
    blocks = {block for kind in kinds for block in link_registry()[kind].blocks}
    lite = {*TREE_BLOCKS, "shell_reset", "shell_status"} | ({"axil_bridge"} if node.bridge else set())
    lite |= {"axil_slot"} if node.lite_scale > 1 else set()
    return tuple(sorted(rtl_closure(blocks | lite)))


def emit_core(plan: Plan, node: NodePlan) -> Artifact:
    """Return the core of one node.

    Shapes: link port ``s_axis_<k>``/``m_axis_<k>`` has ``node.rx[k].link_bits`` / ``node.tx[k].link_bits``
        of TDATA; ``s_axil`` has ``node.lite_port_bits`` address bits and ``8 * node.lite_slot`` data bits.
    """
    groups = _port_groups(node)
    partitions = [plan.partition(name) for name in node.partitions]
    nets = SlaveNets(node)
    text = render(
        "verilog/core.v.j2",
        generator=plan.generator,
        build_id=plan.build_id,
        node=node,
        module=core_name(node),
        summary=_summary(plan, node),
        bus_interfaces=[group.name for group in groups],
        double_clock=any(partition.clock2x for partition in partitions),
        port_groups=groups,
        links=len(node.rx) + len(node.tx),
        partition_streams=_streams(partitions),
        link_blocks=_link_blocks(plan, node),
        instances=[
            *(_partition_instance(partition, nets) for partition in partitions),
            reset_instance(node),
            *lite_instances(node, nets),
            status_instance(plan, node, nets),
        ],
    )
    return Artifact.text(f"{node.name}/{core_name(node)}.v", text)


def _summary(plan: Plan, node: NodePlan) -> list[str]:
    lines = [f"Partition {name}: {len(plan.partition(name).layers)} layers." for name in node.partitions]
    for path in node.rx:
        lines.append(
            f"s_axis_{path.index}: {path.boundary}, {plan.boundary(path.boundary).frame_bytes} bytes a frame."
        )
    for path in node.tx:
        lines.append(
            f"m_axis_{path.index}: {path.boundary}, {plan.boundary(path.boundary).frame_bytes} bytes a frame."
        )
    return lines


def _declare(direction: str, bits: int, name: str, vector: bool = False) -> str:
    span = f"[{bits - 1}:0]" if bits > 1 or vector else ""
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
    for path in node.rx:
        groups.append(_stream_group(f"s_axis_{path.index}", path, ("input ", "output")))
    for path in node.tx:
        groups.append(_stream_group(f"m_axis_{path.index}", path, ("output", "input ")))
    last = groups.pop()
    return [*groups, PortGroup(last.name, last.vlnv, last.comment, last.ports, last=True)]


def _stream_group(name: str, path: LinkPath, directions: tuple[str, str]) -> PortGroup:
    forward, backward = directions
    keep_bits = path.link_bits // 8
    ports = (
        Port("TDATA", _declare(forward, path.link_bits, f"{name}_tdata")),
        Port("TKEEP", _declare(forward, keep_bits, f"{name}_tkeep", vector=True)),
        Port("TLAST", _declare(forward, 1, f"{name}_tlast")),
        Port("TVALID", _declare(forward, 1, f"{name}_tvalid")),
        Port("TREADY", _declare(backward, 1, f"{name}_tready")),
    )
    return PortGroup(name, AXIS, path.boundary, ports)


def stream_net(end: Endpoint) -> str:
    """Return the prefix of the nets at a partition's stream pins; the bench watches them by this name."""
    return f"{end.partition}_{end.port}"


def _streams(partitions: list[Partition]) -> list[dict[str, object]]:
    return [
        {
            "net": stream_net(Endpoint(partition=partition.name, port=port.name)),
            "range": f"[{port.tdata_bits - 1}:0] ",
            "marked": port.marked,
            "comment": (
                f"pins of {partition.name}.{port.name}: {port.elements_per_word} x {port.datatype}, "
                f"{port.payload_bits} of {port.tdata_bits} bits"
            ),
        }
        for partition in partitions
        for port in partition.streams
    ]


def _link_blocks(plan: Plan, node: NodePlan) -> list[str]:
    texts = []
    for side, paths, first in (("rx", node.rx, 0), ("tx", node.tx, len(node.rx))):
        for path in paths:
            kind = plan.boundary(path.boundary).link
            texts.append(
                render(
                    f"links/{kind}/{side}.v.j2",
                    path=path,
                    number=first + path.index,
                    net=f"{side}_{path.index}",
                    port=f"{'s' if side == 'rx' else 'm'}_axis_{path.index}",
                    stream=stream_net(path.port),
                    last=_mark(plan, path.port),
                    padding=path.tdata_bits - path.word_bits,
                )
            )
    texts.extend(_direct_block(plan, index, path) for index, path in enumerate(node.direct))
    return texts


def _mark(plan: Plan, end: Endpoint) -> str:
    """Return the net that marks the last word of a frame, if the partition takes that mark, else nothing."""
    port = plan.partition(end.partition).stream(end.port)
    return f"{stream_net(end)}_tlast" if port and port.marked else ""


def _direct_block(plan: Plan, index: int, path: DirectPath) -> str:
    return render(
        "links/direct/inner.v.j2",
        path=path,
        level_bits=(path.depth + 1).bit_length(),
        net=f"direct_{index}",
        producer=stream_net(path.producer),
        consumer=stream_net(path.consumer),
        last=_mark(plan, path.consumer),
        padding=path.consumer_tdata_bits - path.consumer_word_bits,
        unused=path.producer_tdata_bits - path.producer_word_bits,
    )


def _partition_instance(partition: Partition, nets: SlaveNets) -> Instance:
    wires: list[str] = []
    connections = [(partition.clock, "aclk"), (partition.reset, "inner_aresetn")]
    if partition.clock2x:
        connections.insert(1, (partition.clock2x, "aclk2x"))
    for port in partition.streams:
        net = stream_net(Endpoint(partition=partition.name, port=port.name))
        connections.extend((port.ports[s], f"{net}_{s.lower()}") for s in ("TDATA", "TVALID", "TREADY"))
        connections.extend(sidebands(wires, partition.name, port, f"{net}_tlast"))
    for lite in partition.axilite:
        connections.extend(nets.connections(f"{partition.name}_{lite.name}", lite))
    for other in partition.others:
        tied = f"{other.bits}'d0" if other.direction == "in" else None
        connections.append((other.name, tied or open_net(wires, partition.name, other.name, other.bits)))
    return Instance(
        module=partition.top,
        name=f"u_{partition.name}",
        comment=f"the partition: {', '.join(partition.layers) or 'no layer names known'}",
        connections=tuple(connections),
        wires=tuple(wires),
    )


def sidebands(wires: list[str], owner: str, port: StreamPort, last: str) -> list[tuple[str, str]]:
    """Connect what a stream has beside data and handshake: every word is whole, and FINN counts its frames.

    Args:
        wires: Receives the nets of outputs that nobody reads.
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
    """Declare a net for an output that nobody reads, so that lint sees it was meant, and return it."""
    net = f"{owner}_{port}_unused"
    wires.append(f"wire {f'[{bits - 1}:0] ' if bits > 1 else ''}{net};")
    return net
