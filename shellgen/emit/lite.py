# SPDX-License-Identifier: BSD-3-Clause
"""The AXI-Lite tree of a core as Verilog instances: its root, its nodes, the status registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shellgen.emit.crossing import POSTED, TIMEOUT, lite_crossing, near_timeout, reset_parameters
from shellgen.emit.instance import SHELL, Domain, Instance, compute_domain, wire
from shellgen.model import AxiLitePort, Crossbar, NodePlan, Window
from shellgen.model.axilite import CHANNELS

DATA_BITS = 32
# Signals that the root broadcasts to the slaves; the others come from a port of a node.
PAYLOAD = ("awaddr", "awprot", "wdata", "wstrb", "araddr", "arprot")
# Signals that the root broadcasts to the nodes: (signal, bits or None for the address).
BROADCAST: tuple[tuple[str, int | None], ...] = (("start", 1), ("write", 1), ("expired", 1), ("addr", None))
# Signals from a node to its parent: (signal, bits, position in a slave's response at the parent's port).
ANSWERS = (
    ("wait", 1, "awready"),
    ("last", 1, "wready"),
    ("hole", 1, "arready"),
    ("bresp", 2, "bresp"),
    ("bvalid", 1, "bvalid"),
    ("rdata", DATA_BITS, "rdata"),
    ("rresp", 2, "rresp"),
    ("rvalid", 1, "rvalid"),
)

STATUS = "shell_status"  # the block with the core's own registers


@dataclass(frozen=True)
class Slaves:
    """Properties of a tree's slaves.

    Attributes:
        timeout: Time limit in cycles; above that of a tree behind a slave.
        kept: Windows that stay open while the partitions are in reset.
    """

    timeout: int = TIMEOUT
    kept: frozenset[str] = frozenset()


ALIKE = Slaves()


def tree_instances(
    crossbars: Sequence[Crossbar],
    addr_bits: int,
    upstream: str,
    slaves: Slaves = ALIKE,
    domain: Domain = SHELL,
) -> list[Instance]:
    """Return the instances of one tree.

    Args:
        crossbars: Root first; the root's name starts the names of the tree's own nets.
        addr_bits: Address bits of the tree's slave port.
        upstream: Prefix of the nets at that port.
        slaves: Slaves of the tree.
        domain: Its clock.
    """
    tree = crossbars[0].name
    end = max(port.offset + (1 << port.size_log2) for port in crossbars[0].ports)
    # The root checks the bits above the tree's range once for all nodes; a single node can do it itself.
    span = (end - 1).bit_length() if len(crossbars) > 1 else addr_bits
    parents = {
        port.target: (parent, index) for parent in crossbars for index, port in enumerate(parent.ports)
    }
    whole = _Tree(tree, crossbars, span, slaves.kept, domain)
    nodes = [_node(whole, crossbar, parents.get(crossbar.name)) for crossbar in crossbars]
    return [_root(whole, addr_bits, upstream, slaves.timeout), *nodes]


def lite_instances(node: NodePlan, nets: SlaveNets) -> list[Instance]:
    """Return the trees of a core, and the bridge between them if there is one."""
    slotted = node.lite_scale > 1
    upstream = "slot_m" if slotted else "s_axil"
    own = {window.name for window in node.windows if window.kind != "partition"}
    kept = frozenset(own | ({node.crossing.name} if node.crossing else set()))
    slaves = Slaves(near_timeout(node), kept)
    near = tree_instances(node.crossbars, node.lite_addr_bits, upstream, slaves)
    if slotted:
        near.insert(0, _slot(node))
    if not node.far_crossbars:
        return near
    bits, between, upstream = far_addr_bits(node), [], "bridge_m"
    if node.bridge:
        between.append(_bridge(node, nets))
    if node.apart:
        from_bridge = [(f"s_axil_{signal}", f"bridge_m_{signal}") for signal, _, _ in CHANNELS]
        there = nets.own(node.crossing) if node.crossing else from_bridge
        between.append(lite_crossing(node, there, bits, "crossing_m"))
        upstream = "crossing_m"
    far = tree_instances(node.far_crossbars, bits, upstream, domain=compute_domain(node))
    return [*near, *between, *far]


def _slot(node: NodePlan) -> Instance:
    return Instance(
        module="axil_slot",
        name="u_slot",
        comment="from the host: one 32-bit register in each 64-bit slot",
        wires=tuple(wire(bits or node.lite_addr_bits, f"slot_m_{signal}") for signal, bits, _ in CHANNELS),
        parameters=(("ADDR_W", str(node.lite_port_bits)),),
        connections=(
            *SHELL.clocked,
            *((f"s_axil_{signal}", f"s_axil_{signal}") for signal, _, _ in CHANNELS),
            *((f"m_axil_{signal}", f"slot_m_{signal}") for signal, _, _ in CHANNELS),
        ),
    )


def far_addr_bits(node: NodePlan) -> int:
    """Return the address bits of the far tree: behind a bridge, at least those of its window."""
    if node.crossing:
        return node.crossing.addr_bits
    last, bridge = node.far_windows[-1], node.bridge
    assert bridge is not None
    return max((last.offset + last.size - 1).bit_length(), bridge.addr_bits)


def _bridge(node: NodePlan, nets: SlaveNets) -> Instance:
    bridge, bits_far = node.bridge, far_addr_bits(node)
    assert bridge is not None
    return Instance(
        module="axil_bridge",
        name="u_bridge",
        comment="to the memories: page and aperture, address and data",
        wires=tuple(wire(bits or bits_far, f"bridge_m_{signal}") for signal, bits, _ in CHANNELS),
        parameters=(("WINDOW_W", str(bridge.addr_bits)), ("FAR_W", str(bits_far)), ("DEPTH", str(POSTED))),
        connections=(
            *SHELL.clocked,
            *nets.own(bridge),
            *((f"m_axil_{signal}", f"bridge_m_{signal}") for signal, _, _ in CHANNELS),
        ),
    )


@dataclass(frozen=True)
class _Tree:
    """Common properties of all nodes of a tree.

    Attributes:
        name: Prefix of the names of its own nets.
        crossbars: Root first.
        span: Address bits that its nodes decode.
        kept: Windows that stay open while the partitions are in reset.
        domain: Its clock.
    """

    name: str
    crossbars: Sequence[Crossbar]
    span: int
    kept: frozenset[str]
    domain: Domain


def _root(tree: _Tree, addr_bits: int, upstream: str, timeout: int) -> Instance:
    payload = [(signal, bits or addr_bits) for signal, bits, _ in CHANNELS if signal in PAYLOAD]
    # A slave only gets the address bits that it decodes, and may ignore PROT.
    unused = [f"{tree.name}_{signal}" for signal in ("awaddr", "araddr", "awprot", "arprot")]
    return Instance(
        module="axil_root",
        name=f"u_{tree.name}_root",
        comment="AXI-Lite: one access at a time, to the nodes that follow",
        wires=(
            *(wire(bits or tree.span, f"{tree.name}_{signal}") for signal, bits in BROADCAST),
            *(wire(bits, f"{tree.name}_{signal}") for signal, bits in payload),
            *(wire(bits, f"{tree.name}_up_{signal}") for signal, bits, _ in ANSWERS),
            f"wire {tree.name}_unused = &{{1'b0, {', '.join(unused)}}};",
        ),
        parameters=(
            ("ADDR_W", str(addr_bits)),
            ("DATA_W", str(DATA_BITS)),
            ("SPAN_LOG2", str(tree.span)),
            ("TIMEOUT", str(timeout)),
        ),
        connections=(
            *tree.domain.clocked,
            *((f"s_axil_{signal}", f"{upstream}_{signal}") for signal, _, _ in CHANNELS),
            *((f"tree_{signal}", f"{tree.name}_{signal}") for signal, _ in BROADCAST),
            *((f"m_axil_{signal}", f"{tree.name}_{signal}") for signal, _ in payload),
            *((f"up_{signal}", f"{tree.name}_up_{signal}") for signal, _, _ in ANSWERS),
        ),
    )


def _node(tree: _Tree, crossbar: Crossbar, parent: tuple[Crossbar, int] | None) -> Instance:
    count = len(crossbar.ports)
    names = {other.name for other in tree.crossbars}
    branches = sum(1 << index for index, port in enumerate(crossbar.ports) if port.target in names)
    bases = ", ".join(f"{tree.span}'h{port.offset:x}" for port in reversed(crossbar.ports))
    sizes = ", ".join(f"8'd{port.size_log2}" for port in reversed(crossbar.ports))
    signals = [
        (signal, bits or tree.span, driven) for signal, bits, driven in CHANNELS if signal not in PAYLOAD
    ]
    wires = [wire(count * bits, f"{crossbar.name}_{signal}") for signal, bits, _ in signals]
    if branches:
        # A branch gets no requests from its parent.
        unused = ", ".join(f"{crossbar.name}_{signal}" for signal, _, driven in signals if driven)
        wires.append(f"wire {crossbar.name}_unused_requests = &{{1'b0, {unused}}};")
    keeps = sum(1 << index for index, port in enumerate(crossbar.ports) if port.target in tree.kept)
    return Instance(
        module="axil_node",
        name=f"u_{crossbar.name}",
        comment="AXI-Lite to: " + ", ".join(f"{port.target} at {port.offset:#x}" for port in crossbar.ports),
        wires=tuple(wires),
        parameters=(
            ("N", str(count)),
            ("ADDR_W", str(tree.span)),
            ("DATA_W", str(DATA_BITS)),
            ("BASES", f"{{{bases}}}"),
            ("SIZES_LOG2", f"{{{sizes}}}"),
            ("BRANCHES", f"{count}'b{branches:0{count}b}"),
            ("KEEPS", f"{count}'b{keeps:0{count}b}"),
            ("REG_EN", str(int(_levels(crossbar, tree.crossbars)[1]))),
        ),
        connections=(
            *tree.domain.clocked,
            *((f"tree_{signal}", f"{tree.name}_{signal}") for signal, _ in BROADCAST),
            ("shut", tree.domain.shut),
            *(
                (f"up_{signal}", lite_net(*parent, place, bits) if parent else f"{tree.name}_up_{signal}")
                for signal, bits, place in ANSWERS
            ),
            *((f"m_axil_{signal}", f"{crossbar.name}_{signal}") for signal, _, _ in signals),
        ),
    )


def _levels(crossbar: Crossbar, crossbars: Sequence[Crossbar]) -> tuple[int, bool]:
    """Return the LUT levels of a response behind this node, and whether the node registers it.

    A 4:1 multiplexer is one LUT, a 16:1 multiplexer two; registers are behind the first of a node's two. A
    path from a slave to these or to the root's registers may have three LUTs: one more is for the decision at
    its end, and one because Yosys uses five where four would be enough.
    """
    targets = {port.target for port in crossbar.ports}
    below = max((_levels(child, crossbars)[0] for child in crossbars if child.name in targets), default=0)
    own = 2 if len(crossbar.ports) > 4 else 1
    return (own - 1, True) if below + own > 3 else (below + own, False)


def lite_net(crossbar: Crossbar, index: int, signal: str, bits: int) -> str:
    """Return the slice of a node's vector that belongs to one of its ports."""
    low = index * bits
    if bits == 1:
        return f"{crossbar.name}_{signal}" if len(crossbar.ports) == 1 else f"{crossbar.name}_{signal}[{low}]"
    return f"{crossbar.name}_{signal}[{low + bits - 1}:{low}]"


class SlaveNets:
    """Connections of a core's slaves. Each is looked up once, because there may be a thousand."""

    def __init__(self, node: NodePlan) -> None:
        trees = [(node.crossbars, node.lite_addr_bits)]
        if node.far_crossbars:
            trees.append((node.far_crossbars, far_addr_bits(node)))
        # By window: name and address bits of its tree, its crossbar, and the port there.
        self._places = {
            port.target: (crossbars[0].name, addr_bits, crossbar, index)
            for crossbars, addr_bits in trees
            for crossbar in crossbars
            for index, port in enumerate(crossbar.ports)
        }

    def _net(self, window: str, signal: str, bits: int) -> str:
        """Return the expression for one signal of a slave, with width ``bits``."""
        tree, addr_bits, crossbar, index = self._places[window]
        if signal in PAYLOAD:
            name = f"{tree}_{signal}"
            return f"{name}[{bits - 1}:0]" if signal.endswith("addr") and bits < addr_bits else name
        return lite_net(crossbar, index, signal, bits)

    def own(self, window: Window) -> list[tuple[str, str]]:
        """Connect a slave that is a block of shellgen."""
        return [
            (f"s_axil_{signal}", self._net(window.name, signal, bits or window.addr_bits))
            for signal, bits, _ in CHANNELS
        ]

    def connections(self, window: str, port: AxiLitePort) -> list[tuple[str, str]]:
        """Connect a partition's slave; it gets the low address bits that it decodes."""
        return [
            (port.ports[signal.upper()], self._net(window, signal, bits or port.addr_bits))
            for signal, bits, _ in CHANNELS
            if signal.upper() in port.ports
        ]


def reset_instance(node: NodePlan) -> Instance:
    """Return the reset block of partitions and links, which does not reset the control plane."""
    count = len(node.ends)
    return Instance(
        module="shell_reset",
        name="u_reset",
        comment="reset of partitions and links, for the host",
        wires=("wire reset_start, reset_hold, reset_busy, shut;",),
        parameters=(("N", str(count)), *reset_parameters(node)),
        connections=(
            *SHELL.clocked,
            ("start", "reset_start"),
            ("hold", "reset_hold"),
            ("busy", "reset_busy"),
            ("drain", "drain"),
            ("drained", "drained"),
            ("inner_aresetn", "inner_aresetn"),
            ("shut", "shut"),
        ),
    )


def status_instance(node: NodePlan, nets: SlaveNets, marked: frozenset[str] = frozenset()) -> Instance:
    """Return the status registers with the event inputs of every link port, receivers first.

    Args:
        node: Of the core.
        nets: Of its registers.
        marked: Boundaries that leave it with frames that may be marked.
    """
    marks = [end.direction == "out" and end.boundary in marked for end in node.ends]
    rx, ends = [end.net for end in node.rx], node.ends
    beats = [f"{end.counted}_tvalid && {end.counted}_tready" for end in ends]
    stalls = [f"{end.counted}_tvalid && !{end.counted}_tready" for end in ends]
    errors = [("error_short", 0), ("error_long", 1), ("error_keep", 2)]
    return Instance(
        module=STATUS,
        name="u_status",
        comment="build id, frame and beat counters, stalls, sticky framing errors, frames of a transfer",
        parameters=(
            ("BUILD_ID", f"64'h{node.build_id}"),
            ("N_RX", str(len(node.rx))),
            ("N_TX", str(len(node.tx))),
            ("SINGLE", f"{len(ends)}'b" + "".join(str(int(end.most_frames == 1)) for end in reversed(ends))),
            *(
                [("MARKS", f"{len(ends)}'b" + "".join(str(int(one)) for one in reversed(marks)))]
                if any(marks)
                else []
            ),
        ),
        connections=(
            *SHELL.clocked,
            *nets.own(node.status),
            ("beat", _concat(beats)),
            ("stall", _concat(stalls)),
            ("frame_done", _concat([f"{end.net}_frame_done" for end in ends])),
            *(
                (name, _concat([f"{net}_error[{bit}]" for net in rx]) if rx else "1'b0")
                for name, bit in errors
            ),
            *(
                (
                    net,
                    _concat(
                        [f"{end.net}_{net}" if one else "1'b0" for end, one in zip(ends, marks, strict=True)]
                    ),
                )
                for net in ("passed", "marked")
            ),
            ("frames_per_transfer", "frames_per_transfer"),
            ("reset_start", "reset_start"),
            ("reset_hold", "reset_hold"),
            ("reset_busy", "reset_busy"),
            ("restart", "shut"),
        ),
    )


def _concat(parts: list[str]) -> str:
    return "{" + ", ".join(reversed(parts)) + "}"
