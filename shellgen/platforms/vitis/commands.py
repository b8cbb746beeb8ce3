# SPDX-License-Identifier: BSD-3-Clause
"""Commands in the Makefile of an Alveo card: VNx's builds, the link step, and a check of its result."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shellgen.model import NodePlan
from shellgen.platforms.commands import HERE, NO_MEMORY_FILE, PACKAGE, STOPS, Commands, Words, clone
from shellgen.platforms.vitis.facts import HOST, facts_of, options_of
from shellgen.platforms.vitis.kernel import kernel_name
from shellgen.platforms.vitis.map import map_movers
from shellgen.platforms.vitis.scripts import HOOKS, MARKER, hook_marker

_VNX = clone("VNX")
_IP = re.compile(r"(\w+):\{\w+\}")


def vitis_commands(node: NodePlan) -> Commands:
    """Return the commands of a node."""
    made = {kernel: _made(node, kernel) for kernel in _foreign(node)}
    options = options_of(node)
    hooks = {f"vitis/{name}": hook_marker(one) for one, name in HOOKS.items() if options.at(one)}
    asked = ("platforminfo", "--platform", _target(node), "grep", HOST, *STOPS)
    return Commands(
        tuple(_ordered(node, made)),
        (
            *(("mkdir", "-p", "build"), PACKAGE, *made.values()),
            *((asked,) if any(port.host for port in node.memory_ports) else ()),
        ),
        printed={"vitis/before_opt.tcl": MARKER, **hooks},
    )


def _target(node: NodePlan) -> str:
    return options_of(node).target or facts_of(node).target


def _foreign(node: NodePlan) -> list[str]:
    """Return the kernels of VNx."""
    ips = [*(unit.ip or "" for unit in node.units), *(mover.ip for mover in map_movers(node))]
    return sorted({match[1] for match in map(_IP.fullmatch, ips) if match})


def _made(node: NodePlan, kernel: str) -> Words:
    """Return how a kernel of VNx is made. Source: Xilinx/xup_vitis_network_example, Makefile."""
    target = _target(node)
    build = f"_x.{target}"
    head = ("make", "-C", _VNX, f"DEVICE={target}")
    if kernel.startswith("cmac_"):
        return (*head, f"INTERFACE={kernel.removeprefix('cmac_')}", f"Ethernet/{build}/{kernel}.xo")
    counts = [dict(unit.counts).get("SOCKETS", 0) for unit in node.units if unit.block == kernel]
    if counts:
        sockets = (f"MAX_SOCKETS={max(counts)}",) if max(counts) else ()
        return (*head, *sockets, f"NetLayers/{build}/{kernel}.xo")
    return (*head, f"Basic_kernels/{build}/{kernel}.xo")


def _ordered(node: NodePlan, made: dict[str, Words]) -> Iterator[Words]:
    yield "rm", "-rf", "build/link", f"build/{node.name}_slow.xclbin"
    yield "mkdir", "-p", "build/link"
    stack: Words = ()
    after, options = "", options_of(node)
    if any(kernel.startswith("cmac_") for kernel in made):
        cores, after = facts_of(node).udp_cores, f"{_VNX}/Ethernet/post_sys_link.tcl"
        stack = ("--user_ip_repo_paths", f"{_VNX}/NetLayers/100G-fpga-network-stack-core/{cores}")
    if options.at("block_design"):
        own = f"{HERE}/{HOOKS['block_design']}"
        if after:
            yield "echo", "source", after, ">", "build/link/post_sys_link.tcl"
            yield "echo", "source", own, ">>", "build/link/post_sys_link.tcl"
        after = f"{HERE}/build/link/post_sys_link.tcl" if after else own
    if after:
        stack += ("--advanced.param", f"compiler.userPostSysLinkOverlayTcl={after}")
    hook = f"run.impl_1.STEPS.OPT_DESIGN.TCL.PRE={HERE}/before_opt.tcl"
    link: Words = ("cd", "build/link", "&&", "v++", "--link", "--target", "hw", "--platform", _target(node))
    link += ("--config", f"{HERE}/link.cfg", *stack, "--vivado.prop", hook)
    if options.at("bitstream"):
        last = f"run.impl_1.STEPS.WRITE_BITSTREAM.TCL.PRE={HERE}/{HOOKS['bitstream']}"
        link += ("--vivado.prop", last)
    link += ("-o", "linked.xclbin")
    yield (*link, f"{HERE}/build/{kernel_name(node)}.xo")
    for words in made.values():
        yield ("v++", "-o", f"{_VNX}/{words[-1]}")
    for heard in (MARKER, *(hook_marker(one) for one in HOOKS if options.at(one))):
        yield ("grep", heard, "build/link", *STOPS)
    yield ("!", "grep", NO_MEMORY_FILE, "build/link", *STOPS)
    clocks = "CLOCK_FREQ_TOPOLOGY:JSON:build/link/clocks.json"
    yield "xclbinutil", "--dump-section", clocks, "--input", "build/link/linked.xclbin"
    slow = ("mv", "build/link/linked.xclbin", f"build/{node.name}_slow.xclbin", "exit", "1", "fi")
    for clock in node.clocks:
        yield ("build/link/clocks.json", "if", "[", "-lt", str(clock.hz // 1_000_000), "]", "then", *slow)
    yield "mv", "build/link/linked.xclbin", f"build/{node.name}.xclbin"
