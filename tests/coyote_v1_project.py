# SPDX-License-Identifier: BSD-3-Clause
"""A card under Coyote v1: its files on disk, and models of Coyote's project and of the core."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyslang
from accl_kernels import WithKernels, kernels
from coyote_project import WORD, vfpga
from fake_network import chain, partition, plan_of, spec
from vivado_session import CATALOGUE, Outcome, Vivado, run_script

from shellgen.model import Attachment, Claim, Network, NodePlan, Pin, Plan
from shellgen.model.axilite import CHANNELS, host_channels
from shellgen.platforms import platform_registry
from shellgen.platforms.coyote.v1_shell import shell_interfaces, shell_user_logic
from shellgen.simulate.tools import find_verilator

STAND_IN = Path(__file__).with_name("coyote_stand_in") / "v1"
RELEASE, PART = "2022.2", "xcu55c-fsvh2892-2L-e"
TYPES = {
    **dict.fromkeys(("bpss_rd_req", "bpss_wr_req", "rdma_0_rd_req", "rdma_0_wr_req"), "req_t"),
    **dict.fromkeys(("bpss_rd_done", "bpss_wr_done"), "dma_rsp_t"),
    **dict.fromkeys(("tcp_0_rd_pkg", "tcp_0_tx_meta"), "tcp_pkg_t"),
    "rdma_0_sq": "rdma_req_t",
    "rdma_0_rq": "rdma_req_t",
    "rdma_0_ack": "rdma_ack_t",
    **{f"tcp_0_{name}": f"tcp_{name}_t" for name in ("notify", "rx_meta", "tx_stat")},
}
# What user logic must drive of an interface.
DRIVEN = {
    "AXI4L.s": ("arready", "awready", "wready", "bresp", "bvalid", "rdata", "rresp", "rvalid"),
    "AXI4SR.s": ("tready",),
    "AXI4SR.m": ("tdata", "tkeep", "tid", "tlast", "tvalid"),
    "metaIntf.s": ("ready",),
    "metaIntf.m": ("valid", "data"),
}
NOT_OURS = ("UNUSEDSIGNAL", "UNUSEDPARAM", "UNDRIVEN", "DECLFILENAME", "IMPORTSTAR", "PINCONNECTEMPTY")


def beats(name: str, role: str, direction: str) -> Pin:
    return Pin(name=name, role=role, direction=direction, tdata_bits=512, tdest_bits=8)  # type: ignore[arg-type]


def words(name: str, role: str, direction: str) -> Pin:
    return Pin(name=name, role=role, direction=direction, tdata_bits=32)  # type: ignore[arg-type]


OUT = (
    words("m_accl_command", "command", "out"),
    words("s_accl_status", "status", "in"),
    beats("m_accl_data", "to_cclo", "out"),
)
IN = (beats("s_accl_data", "from_cclo", "in"),)


def engine(pins: tuple[Pin, ...], claims: tuple[Claim, ...] | None = None) -> Attachment:
    """Return an attachment to ACCL's engine."""
    own = (Claim(name="cclo", addr_bits=14, offset=0, leaves=True),)
    return Attachment(
        name="accl", link="accl", dock="cclo", pins=pins, ends=(), claims=own if claims is None else claims
    )


def card(
    pins: tuple[Pin, ...] = (),
    attached: tuple[Attachment, ...] | None = None,
    **more: Any,
) -> tuple[Plan, NodePlan]:
    """Plan a card with v1; ``pins`` join its core to ACCL, and ``attached`` replaces all its attachments."""
    options = {"version": "v1", **more.pop("coyote", {})}
    early = {name: options.pop(name) for name in ("network",) if name in options}
    plan, _ = vfpga(more.pop("board", "u55c"), coyote=options, **more)
    (node,) = plan.nodes
    found = attached if attached is not None else (*node.attachments, *((engine(pins),) if pins else ()))
    coyote = {**node.options, **early}
    node = node.model_copy(update={"attachments": found, "options": coyote})
    return plan.model_copy(update={"nodes": (node,)}), node


@dataclass
class Site:
    """The files of a node, the build folder of Coyote's model, and a session of Vivado.

    Attributes:
        plan: The plan.
        node: Its node.
        folder: ``<node>/coyote``.
        vivado: The session.
    """

    plan: Plan
    node: NodePlan
    folder: Path
    vivado: Vivado

    @property
    def build(self) -> Path:
        return self.folder / "build" / "hw"

    @property
    def logic(self) -> Path:
        return self.build / "lynx/hdl/config_0/user_logic_c0_0.sv"

    @property
    def package(self) -> Path:
        return self.build / "lynx/hdl/wrappers/common/lynx_pkg.sv"

    @property
    def wrapper(self) -> Path:
        return self.build / "lynx/lynx.gen/sources_1/bd/accl_bd/hdl/accl_bd_wrapper.v"

    @property
    def settings(self) -> dict[str, str]:
        """Variables of CMake."""
        text = (self.folder / "Makefile").read_text()
        return dict(re.findall(r" -D(\w+)=(\w+)", text[text.index("$(CMAKE) -S") :]))

    def project(self, *words: str, script: str = "project.tcl", opened: bool = False) -> Outcome:
        """Run project.tcl as the Makefile does."""
        return run_script(
            self.vivado, self.folder / "hw" / script, *(words or (str(self.build),)), opened=opened
        )

    def shell(self, *more: str, **settings: str) -> None:
        """Leave what target shell of Coyote leaves, with more interfaces if asked for."""
        told = {**self.settings, **settings}
        for path, text in {
            self.logic: shell_user_logic(shell_interfaces(told, more)),
            self.package: (STAND_IN / "lynx_pkg.sv").read_text(),
            self.build / "lynx/lynx.xpr": "",
        }.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def cards(count: int, word: tuple[str, int, int] = WORD) -> tuple[Plan, Network]:
    """Plan a chain of cards, with the link that there is between them."""
    network = chain(*(partition(f"p{k}", (word,), (word,)) for k in range(count)))
    node = {"board": "u55c", "platform": "coyote"}
    nodes = [{**node, "name": f"card{k}", "partitions": [k]} for k in range(count)]
    return plan_of(network, spec(nodes)), network


def site(folder: Path, pins: tuple[Pin, ...] = (), **more: Any) -> Site:
    """Write the files of a card, and leave Coyote's project and the packaged IP beside them."""
    return site_of(*card(pins, **more), folder)


def site_of(plan: Plan, node: NodePlan, folder: Path) -> Site:
    """Do so for a node of a plan."""
    platform = platform_registry()[node.platform]
    assert platform.check(plan, node) == []
    for artifact in platform.artifacts(plan, node, ("n0_core.v",)):
        path = folder / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    found = Site(plan, node, folder / node.name / "coyote", Vivado(RELEASE))
    found.shell()
    script = (found.folder / "hw/project.tcl").read_text()
    revision = re.findall(r">(\d+)</xilinx:coreRevision>", script)[0]
    (found.folder / "build/ip").mkdir()
    (found.folder / "build/ip/component.xml").write_text(
        f"<xilinx:coreRevision>{revision}</xilinx:coreRevision>"
    )
    ip: dict[str, str | None] = {f"shellgen:core:{node.name}_core:1.0": None}
    if any(one.dock == "cclo" for one in node.attachments):
        (found.folder / "build/kernels").mkdir()
        known = kernels("tcp" if "EN_TCP_0" in found.settings else "rdma")
        found.vivado.catalogue = WithKernels(CATALOGUE, known)
        ip |= dict.fromkeys(known)
    found.vivado.scenario["user_ip"] = ip
    found.vivado.leave_project("lynx", found.build / "lynx", PART)
    return found


# ---- elaboration ----------------------------------------------------------------------------------------
def stand_in_core(node: NodePlan) -> str:
    """Return a module with the ports of the core, as the plan has them."""
    ports = ["input aclk", "input aresetn"]
    channels = [("s_axil", True, host_channels(node.lite_port_bits, node.lite_slot))]
    for one in node.attachments:
        for claim in one.claims:
            if claim.leaves:
                lite = tuple((signal, bits or claim.addr_bits, driven) for signal, bits, driven in CHANNELS)
                channels.append((f"m_axil_{claim.name}", False, lite))
    for name, slave, signals in channels:
        ports += [_port(driven == slave, bits, f"{name}_{signal}") for signal, bits, driven in signals]
    for pin in (pin for one in node.attachments for pin in one.pins):
        taken = pin.direction == "in"
        ports += [_port(taken != back, bits, f"{pin.name}_{signal}") for signal, bits, back in pin.signals]
    return f"module {node.name}_core (\n  " + ",\n  ".join(ports) + "\n);\nendmodule\n"


def _port(taken: bool, bits: int, name: str) -> str:
    return f"{'input' if taken else 'output'} {f'[{bits - 1}:0] ' if bits > 1 else ''}{name}"


def shell_around(ports: list[tuple[str, str]]) -> str:
    """Return a module around user logic, as Coyote's wrapper is."""
    made = []
    for kind, name in ports:
        bus = kind.split(".")[0]
        typed = f" #(.STYPE({TYPES.get(name, 'logic [63:0]')}))" if bus == "metaIntf" else ""
        made.append(f"  {bus}{typed} {name} (.*);\n")
    joined = "".join(f"    .{name}({name}),\n" for _, name in ports)
    return (
        "import lynxTypes::*;\nmodule around (input aclk, input aresetn);\n"
        + "".join(made)
        + f"  design_user_logic_c0_0 u_logic (\n{joined}    .aclk(aclk),\n    .aresetn(aresetn)\n  );\n"
        + "endmodule\n"
    )


def header(text: str) -> list[tuple[str, str]]:
    """Return the interfaces in the ports of user logic: kind and name."""
    return re.findall(r"((?:AXI4L|AXI4SR|metaIntf)\.[sm]) (\w+)", text[: text.index(");")])


def forgotten(text: str) -> list[str]:
    """Return what user logic must drive and does not, at which no compiler takes offence."""
    body = re.sub(r"//.*", "", text[text.index(");") :])
    inner = [
        (kind, name) for name in re.findall(r"^AXI4SR (\w+) \(", body, re.M) for kind in _side(body, name)
    ]
    found = []
    for kind, name in (*header(text), *inner):
        sliced = re.search(rf"\.{'s' if kind == 'AXI4SR.s' else 'm'}_axis\({name}\)", body)
        tied = re.search(rf"\b{name}\.tie_off_m\(\)", body)
        if not sliced and not tied:
            found += [f"{name}.{one}" for one in DRIVEN[kind] if not re.search(rf"\b{name}\.{one}\b", body)]
    return found


def _side(body: str, name: str) -> list[str]:
    """An interface behind slices is driven on its other side by whatever takes or gives there."""
    return ["AXI4SR.s" if re.search(rf"\.m_axis\({name}\)", body) else "AXI4SR.m"]


def sources(found: Site, folder: Path) -> list[str]:
    """Write core and surroundings of an elaboration; return all its files."""
    (folder / "core.sv").write_text(stand_in_core(found.node))
    (folder / "around.sv").write_text(shell_around(header(found.logic.read_text())))
    wrappers = [found.wrapper] if found.wrapper.is_file() else []
    files = (found.package, STAND_IN / "interfaces.sv", *wrappers, folder / "core.sv", found.logic)
    return [str(path) for path in (*files, folder / "around.sv")]


def elaborate(found: Site, folder: Path) -> list[str]:
    """Return what Verilator says of user logic; outputs that it leaves open are no fault."""
    verilator = find_verilator()
    quiet = [f"-Wno-{name}" for name in NOT_OURS]
    command = [str(verilator.binary), "--lint-only", "-Wall", "-Wno-fatal", *quiet, "--top-module", "around"]
    command += [f"+define+SHELLGEN_CORE={found.node.name}_core", *sources(found, folder)]
    said = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"VERILATOR_ROOT": str(verilator.root)}
    ).stderr
    wrapper = found.wrapper.read_text() if found.wrapper.is_file() else ""
    faults = []
    for line in said.splitlines():
        missing = re.search(r"PINMISSING.*missing pin: '(\w+)'", line)
        if missing and re.search(rf"^  output (\[.*\] )?{missing[1]},?$", wrapper, re.M):
            continue
        if line.startswith("%") and (found.logic.name in line or line.startswith("%Error")):
            faults.append(line)
    return faults


def slang(found: Site, folder: Path) -> list[str]:
    """Return the errors that slang finds."""
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    words = ["slang", "--single-unit", "--top", "around", f"-DSHELLGEN_CORE={found.node.name}_core"]
    command = " ".join([*words, *sources(found, folder)])
    assert driver.parseCommandLine(command, pyslang.driver.CommandLineOptions())
    assert driver.processOptions()
    assert driver.parseAllSources()
    return [str(one.code) for one in driver.createCompilation().getAllDiagnostics() if one.isError()]
