# SPDX-License-Identifier: BSD-3-Clause
"""The AXI-Lite tree over N equal slaves as the emitter makes it, in a module of its own."""

from __future__ import annotations

from shellgen.emit.instance import Instance
from shellgen.emit.lite import PAYLOAD, lite_net, tree_instances
from shellgen.model import Crossbar, Window
from shellgen.model.axilite import CHANNELS
from shellgen.plan.tree import crossbar_tree
from tools.blocks.block_bench import closure

BLOCKS = tuple(dict.fromkeys((*closure("axil_root"), *closure("axil_node"))))  # what a tree is made of
SIZE_LOG2 = 12
ADDR_W = 32


def tree(count: int) -> tuple[Crossbar, ...]:
    """Return the tree over ``count`` windows of 4 KiB from 0 on, named ``leaf_<k>``."""
    windows = [
        Window(name=f"leaf_{k}", kind="partition", offset=k << SIZE_LOG2, size=1 << SIZE_LOG2, addr_bits=12)
        for k in range(count)
    ]
    return crossbar_tree(windows)


def registers(crossbars: tuple[Crossbar, ...]) -> int:
    """Return how many registers an answer goes through at most: a cycle each."""
    instances = tree_instances(crossbars, ADDR_W, "s_axil")
    late = {instance.name for instance in instances if ("REG_EN", "1") in instance.parameters}
    below = {crossbar.name: crossbar for crossbar in crossbars}

    def most(crossbar: Crossbar) -> int:
        own = int(f"u_{crossbar.name}" in late)
        return own + max((most(below[p.target]) for p in crossbar.ports if p.target in below), default=0)

    return most(crossbars[0])


def module(count: int, name: str = "axil_tree") -> str:
    """Return the Verilog of a module with the tree between ``s_axil`` and vectors of ``count`` slaves.

    Shapes: ``m_axil_<signal>`` has the bits of all slaves, slave 0 lowest; the payload, which is the same
        for all, only once.
    """
    crossbars = tree(count)
    ports = ["input wire aclk", "input wire aresetn"]
    for signal, bits, driven in CHANNELS:
        ports.append(f"{'input' if driven else 'output'} wire [{(bits or ADDR_W) - 1}:0] s_axil_{signal}")
    lines = []
    for signal, bits, driven in CHANNELS:
        width = bits or ADDR_W
        many = 1 if signal in PAYLOAD else count
        ports.append(f"{'output' if driven else 'input'} wire [{many * width - 1}:0] m_axil_{signal}")
        if signal in PAYLOAD:
            lines.append(f"assign m_axil_{signal} = {crossbars[0].name}_{signal};")
            continue
        for crossbar in crossbars:
            for index, port in enumerate(crossbar.ports):
                if port.target.startswith("leaf_"):
                    low = int(port.target.removeprefix("leaf_")) * width
                    ours = f"m_axil_{signal}[{low + width - 1}:{low}]"
                    net = lite_net(crossbar, index, signal, width)
                    lines.append(f"assign {ours} = {net};" if driven else f"assign {net} = {ours};")
    body = [line for instance in tree_instances(crossbars, ADDR_W, "s_axil") for line in _text(instance)]
    return "\n".join([f"module {name} (", ",\n".join(ports), ");", *body, *lines, "endmodule", ""])


def _text(instance: Instance) -> list[str]:
    parameters = ", ".join(f".{name}({value})" for name, value in instance.parameters)
    connections = ", ".join(f".{name}({net})" for name, net in instance.connections)
    return [*instance.wires, f"{instance.module} #({parameters}) {instance.name} ({connections});"]
