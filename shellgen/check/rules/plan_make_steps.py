# SPDX-License-Identifier: BSD-3-Clause
"""Which commands a build takes by the plan, each as words that stand in one line in this order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .planned import Planned

Words = tuple[str, ...]
PACKAGE = ("vivado", "-mode", "batch", "-source", "package.tcl")
STOPS = ("||", "{", "exit", "1", ";", "}")
# A memory file that was not found. Source: public logs of Synth 8-4445.
NO_MEMORY_FILE = r"^\(CRITICAL WARNING\|ERROR\): \[Synth 8-4445\]"
MET = "All user specified timing constraints are met"
BITSTREAM = (
    "if",
    "[",
    "!",
    "-f",
    "build/hw/bitstreams/cyt_top.bit",
    "]",
    ";",
    "then",
    "exit",
    "1",
    ";",
    "fi",
)
_IP = re.compile(r"(\w+):\{\w+\}")


def required(wanted: Planned, folder: Path) -> Iterator[Words]:
    """Yield the commands in order."""
    if wanted.map.ip:
        yield from _kernel(wanted, folder)
    elif wanted.map.vfpga:
        yield from {"v1": _v1, "v2": _v2}[wanted.map.vfpga.version]()


def _target(wanted: Planned) -> str:
    asked = wanted.node.options.get("target")
    return str(asked or wanted.node.board.platform[wanted.node.platform].get("target"))


def _foreign(wanted: Planned) -> list[str]:
    ips = [*(one.ip or "" for one in wanted.map.units), *(one.ip for one in wanted.map.movers)]
    return sorted({match[1] for match in map(_IP.fullmatch, ips) if match})


def _made(wanted: Planned, kernel: str) -> Words:
    """Return how a kernel of VNx is made. Source: Xilinx/xup_vitis_network_example, Makefile."""
    target = _target(wanted)
    build = f"_x.{target}"
    head = ("make", "-C", "/vnx", f"DEVICE={target}")
    if kernel.startswith("cmac_"):
        return (*head, f"INTERFACE={kernel.removeprefix('cmac_')}", f"Ethernet/{build}/{kernel}.xo")
    counts = [dict(unit.counts).get("SOCKETS", 0) for unit in wanted.node.units if unit.block == kernel]
    if counts:
        sockets = (f"MAX_SOCKETS={max(counts)}",) if max(counts) else ()
        return (*head, *sockets, f"NetLayers/{build}/{kernel}.xo")
    return (*head, f"Basic_kernels/{build}/{kernel}.xo")


def _kernel(wanted: Planned, folder: Path) -> Iterator[Words]:
    name = (wanted.map.ip or "").partition(":")[0]
    node, target, foreign = wanted.node.name, _target(wanted), _foreign(wanted)
    made = {kernel: _made(wanted, kernel) for kernel in foreign}
    yield "rm", "-rf", "build/link", f"build/{node}_slow.xclbin"
    yield "mkdir", "-p", "build/link"
    network = wanted.node.board.platform[wanted.node.platform].get("udp_cores")
    stack: Words = ()
    if any(kernel.startswith("cmac_") for kernel in foreign):
        stack = (
            "--user_ip_repo_paths",
            f"/vnx/NetLayers/100G-fpga-network-stack-core/{network}",
            "--advanced.param",
            "compiler.userPostSysLinkOverlayTcl=/vnx/Ethernet/post_sys_link.tcl",
        )
    hook = "run.impl_1.STEPS.OPT_DESIGN.TCL.PRE=/out/before_opt.tcl"
    link: Words = ("cd", "build/link", "&&", "v++", "--link", "--target", "hw", "--platform", target)
    link += ("--config", "/out/link.cfg", *stack, "--vivado.prop", hook, "-o", "linked.xclbin")
    yield (*link, f"/out/build/{name}.xo")
    for words in made.values():
        yield ("v++", "-o", f"/vnx/{words[-1]}")
    marker = _marker(folder)
    if marker:
        yield ("grep", marker, "build/link", *STOPS)
    yield ("!", "grep", NO_MEMORY_FILE, "build/link", *STOPS)
    clocks = "CLOCK_FREQ_TOPOLOGY:JSON:build/link/clocks.json"
    yield "xclbinutil", "--dump-section", clocks, "--input", "build/link/linked.xclbin"
    for clock in wanted.node.clocks:
        slow = ("mv", "build/link/linked.xclbin", f"build/{node}_slow.xclbin", "exit", "1", "fi")
        yield ("build/link/clocks.json", "if", "[", "-lt", str(clock.hz // 1_000_000), "]", "then", *slow)
    yield "mv", "build/link/linked.xclbin", f"build/{node}.xclbin"


def anywhere(wanted: Planned) -> Iterator[Words]:
    """Yield commands whose order make finds by itself: the core is packaged, kernels of others are made."""
    yield "mkdir", "-p", "build"
    yield PACKAGE
    for kernel in _foreign(wanted) if wanted.map.ip else ():
        yield _made(wanted, kernel)


def _marker(folder: Path) -> str:
    """Return what the hook of the link prints at its end."""
    path = folder / "before_opt.tcl"
    text = path.read_text(errors="replace") if path.is_file() else ""
    found = re.findall(r"^puts \[join \{(.*)\} \" \"\]$", text, re.MULTILINE)
    return found[-1] if found else "shellgen: constraints are set"


def _v2() -> Iterator[Words]:
    """Source: fpgasystems/Coyote, cmake: targets project, synth, bitgen."""
    yield "rm", "-rf", "build/hw"
    yield "cmake", "-S", "hw", "-B", "build/hw", "-DCYT_DIR=/coyote"
    yield "make", "-C", "build/hw", "project"
    yield "echo", "done", ">", "build/hw/projected"
    yield "make", "-C", "build/hw", "synth"
    yield ("!", "grep", NO_MEMORY_FILE, "build/hw", *STOPS)
    yield "echo", "done", ">", "build/hw/synthesised"
    yield "rm", "-rf", "build/hw/bitstreams", "build/hw/slow"
    yield "make", "-C", "build/hw", "bitgen"
    yield BITSTREAM
    yield "grep", MET, "build/hw/reports"
    yield (
        "||",
        "[",
        "!",
        "-f",
        "build/hw/reports/shell_timing_summary.rpt",
        "]",
        ";",
        "then",
        "mv",
        "exit",
        "1",
    )
    yield "echo", "done", ">", "build/hw/built"


def _v1() -> Iterator[Words]:
    """Source: fpgasystems/Coyote v1, hw/CMakeLists.txt: targets shell, compile."""
    yield "rm", "-rf", "build/hw"
    yield "cmake", "-S", "/coyote/hw", "-B", "build/hw"
    yield "make", "-C", "build/hw", "shell"
    yield "if", "[", "!", "-f", "build/hw/lynx/lynx.xpr", "]", ";", "then", "exit", "1", ";", "fi"
    yield "echo", "done", ">", "build/hw/shelled"
    yield "vivado", "-mode", "batch", "-source", "hw/project.tcl", "-tclargs", "build/hw"
    yield "echo", "done", ">", "build/hw/projected"
    yield "rm", "-rf", "build/hw/bitstreams", "build/hw/slow"
    yield "make", "-C", "build/hw", "compile"
    yield BITSTREAM
    yield ("!", "grep", NO_MEMORY_FILE, "build/hw/lynx/lynx.runs", *STOPS)
    yield (
        "if",
        "!",
        "grep",
        MET,
        ";",
        "then",
        "mv",
        "build/hw/bitstreams",
        "build/hw/slow",
        "exit",
        "1",
        ";",
        "fi",
    )
    yield "echo", "done", ">", "build/hw/built"
