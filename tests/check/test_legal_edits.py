# SPDX-License-Identifier: BSD-3-Clause
"""Legal edits of generated folders: correct, or "differs from the plan", and never a finding.

Each edit is legal in Vivado, v++ or CMake and leaves what the host's programs count on as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from shellgen.check.run import Options, check
from tools.mutants.clusters import CLUSTERS
from vivado_check.report import Verdict

BD, BUILD, LINK, CMAKE = "vivado/bd.tcl", "vivado/build.tcl", "vitis/link.cfg", "coyote/hw/CMakeLists.txt"
FIND = "find_package(CoyoteHW REQUIRED)"
RIGHT, DIFFERS = "right", "differs"
CLOCK, RESET = "clk_wiz_0/clk_out1", "proc_sys_reset_0/peripheral_aresetn"


@dataclass(frozen=True)
class Edit:
    """A text that takes the place of another in a file of a node; ``told``: what the check calls it."""

    told: str
    old: str
    new: str
    file: str = BD
    node: str = "pynq_z1"


def before_finish(told: str, *lines: str, **more: str) -> Edit:
    """Return lines that are added at the end of the block design."""
    return Edit(told, "\nvalidate_bd_design\n", "\n" + "\n".join(lines) + "\nvalidate_bd_design\n", **more)


def after_cells(told: str, *lines: str) -> Edit:
    """Return lines that are added when all cells are there."""
    mark = "\n# The PS seldom gives"
    return Edit(told, mark, "\n" + "\n".join(lines) + mark)


GPIO = (
    "create_bd_cell -type ip -vlnv xilinx.com:ip:axi_gpio:2.0 leds",
    "set_property -dict {CONFIG.C_GPIO_WIDTH 4 CONFIG.C_ALL_OUTPUTS 1} [get_bd_cells leds]",
    "set_property CONFIG.NUM_MI 3 [get_bd_cells lite_interconnect]",
    "connect_bd_intf_net [get_bd_intf_pins lite_interconnect/M02_AXI] [get_bd_intf_pins leds/S_AXI]",
    f"connect_bd_net [get_bd_pins {CLOCK}] [get_bd_pins leds/s_axi_aclk]",
    f"connect_bd_net [get_bd_pins {CLOCK}] [get_bd_pins lite_interconnect/M02_ACLK]",
    f"connect_bd_net [get_bd_pins {RESET}] [get_bd_pins leds/s_axi_aresetn]",
    "connect_bd_net [get_bd_pins proc_sys_reset_0/interconnect_aresetn]"
    " [get_bd_pins lite_interconnect/M02_ARESETN]",
    "assign_bd_address -offset 0x60100000 -range 0x10000 -target_address_space"
    " [get_bd_addr_spaces zynq_ps/Data] [get_bd_addr_segs leds/S_AXI/Reg]",
)
PORTS = (
    "create_bd_port -dir O -from 3 -to 0 leds_o",
    "connect_bd_net [get_bd_pins leds/gpio_io_o] [get_bd_ports leds_o]",
)
ILA = (
    "create_bd_cell -type ip -vlnv xilinx.com:ip:ila:6.2 look",
    "set_property -dict {CONFIG.C_MONITOR_TYPE Native CONFIG.C_NUM_OF_PROBES 1} [get_bd_cells look]",
    f"connect_bd_net [get_bd_pins {CLOCK}] [get_bd_pins look/clk]",
    "connect_bd_net [get_bd_pins axi_dma_0/mm2s_introut] [get_bd_pins look/probe0]",
)
VIO = (
    "create_bd_cell -type ip -vlnv xilinx.com:ip:vio:3.0 see",
    "set_property -dict {CONFIG.C_NUM_PROBE_OUT 0} [get_bd_cells see]",
    f"connect_bd_net [get_bd_pins {CLOCK}] [get_bd_pins see/clk]",
    "connect_bd_net [get_bd_pins axi_dma_0/s2mm_introut] [get_bd_pins see/probe_in0]",
)
HP1 = (
    "set_property CONFIG.PCW_USE_S_AXI_HP1 1 [get_bd_cells zynq_ps]",
    f"connect_bd_net [get_bd_pins {CLOCK}] [get_bd_pins zynq_ps/S_AXI_HP1_ACLK]",
)
SYSTEM_ILA = (
    "create_bd_cell -type ip -vlnv xilinx.com:ip:system_ila:1.1 more",
    "set_property -dict {CONFIG.C_MON_TYPE INTERFACE"
    " CONFIG.C_SLOT_0_INTF_TYPE xilinx.com:interface:axis_rtl:1.0} [get_bd_cells more]",
    f"connect_bd_net [get_bd_pins {CLOCK}] [get_bd_pins more/clk]",
    f"connect_bd_net [get_bd_pins {RESET}] [get_bd_pins more/resetn]",
    "connect_bd_intf_net [get_bd_intf_pins more/SLOT_0_AXIS] [get_bd_intf_pins core_0/s_axis_0]",
)
COUNTER = (
    "create_bd_cell -type ip -vlnv xilinx.com:ip:c_counter_binary:12.0 beat",
    f"connect_bd_net [get_bd_pins {CLOCK}] [get_bd_pins beat/CLK]",
)
CONSTANT = (
    "create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant:1.1 one",
    "create_bd_port -dir O ready_led",
    "connect_bd_net [get_bd_pins one/dout] [get_bd_ports ready_led]",
)
LOCKED = (
    "create_bd_port -dir O locked_led",
    "connect_bd_net [get_bd_pins clk_wiz_0/locked] [get_bd_ports locked_led]",
)
SLICE = (
    "create_bd_cell -type ip -vlnv xilinx.com:ip:xlslice:1.0 bit",
    "set_property -dict {CONFIG.DIN_WIDTH 2 CONFIG.DIN_FROM 0 CONFIG.DIN_TO 0} [get_bd_cells bit]",
    "connect_bd_net [get_bd_pins xlconcat_0/dout] [get_bd_pins bit/Din]",
)
FCLK1 = (
    "set_property -dict {CONFIG.PCW_FPGA_FCLK1_ENABLE 1 CONFIG.PCW_EN_CLK1_PORT 1} [get_bd_cells zynq_ps]",
)
HALF = (
    "create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset:5.0 resets",
    f"connect_bd_net [get_bd_pins {CLOCK}] [get_bd_pins resets/slowest_sync_clk]",
    "connect_bd_net [get_bd_pins zynq_ps/FCLK_RESET0_N] [get_bd_pins resets/ext_reset_in]",
    "connect_bd_net [get_bd_pins clk_wiz_0/locked] [get_bd_pins resets/dcm_locked]",
)
SETTING = partial("set_property CONFIG.{} {} [get_bd_cells {}]".format)
ZYNQ = {
    "an ILA on an interrupt": before_finish(DIFFERS, *ILA),
    "a GPIO for LEDs": before_finish(DIFFERS, *GPIO, *PORTS),
    "a VIO": before_finish(DIFFERS, *VIO),
    "a second analyser on a stream": before_finish(DIFFERS, *SYSTEM_ILA),
    "a counter": before_finish(DIFFERS, *COUNTER),
    "a constant at a pin of the board": before_finish(DIFFERS, *CONSTANT),
    "a port for the lock": before_finish(RIGHT, *LOCKED),
    "a slice of the interrupts": before_finish(DIFFERS, *SLICE),
    "a second reset block": before_finish(DIFFERS, *HALF),
    "an HP port that nobody uses": before_finish(DIFFERS, *HP1),
    "a clock that nobody uses": before_finish(RIGHT, *FCLK1),
    "ILA and GPIO": before_finish(DIFFERS, *ILA, *GPIO, *PORTS),
    "an ILA and an HP port": before_finish(DIFFERS, *ILA, *HP1),
    "bursts of 32 beats, reading": Edit(DIFFERS, "c_mm2s_burst_size 16", "c_mm2s_burst_size 32"),
    "bursts of 32 beats, writing": Edit(DIFFERS, "c_s2mm_burst_size 16", "c_s2mm_burst_size 32"),
    "bursts of 8 beats": Edit(DIFFERS, "c_mm2s_burst_size 16", "c_mm2s_burst_size 8"),
    "bursts of 64, set later": after_cells(DIFFERS, SETTING("c_mm2s_burst_size", 64, "axi_dma_0")),
    "more samples": Edit(DIFFERS, "C_DATA_DEPTH 4096", "C_DATA_DEPTH 8192"),
    "fewer samples": Edit(DIFFERS, "C_DATA_DEPTH 4096", "C_DATA_DEPTH 1024"),
    "an interconnect for speed": after_cells(RIGHT, SETTING("STRATEGY", 2, "memory_interconnect")),
    "an interconnect for area": after_cells(RIGHT, SETTING("STRATEGY", 1, "lite_interconnect")),
    "register slices": after_cells(RIGHT, SETTING("S00_HAS_REGSLICE", 4, "memory_interconnect")),
    "a FIFO in the interconnect": after_cells(RIGHT, SETTING("S00_HAS_DATA_FIFO", 2, "memory_interconnect")),
    "pipeline of the analyser": after_cells(RIGHT, SETTING("C_INPUT_PIPE_STAGES", 2, "system_ila_0")),
    "unaligned transfers": after_cells(RIGHT, SETTING("c_include_mm2s_dre", 1, "axi_dma_0")),
    "interconnects in a group": before_finish(
        DIFFERS, "group_bd_cells fabric [get_bd_cells lite_interconnect] [get_bd_cells memory_interconnect]"
    ),
    "the reset in a group": before_finish(DIFFERS, "group_bd_cells start [get_bd_cells proc_sys_reset_0]"),
    "the analyser in a group": before_finish(DIFFERS, "group_bd_cells debug [get_bd_cells system_ila_0]"),
    "resets in a group": before_finish(
        DIFFERS, "group_bd_cells clocking [get_bd_cells proc_sys_reset_0] [get_bd_cells clk_wiz_0]"
    ),
    "interrupts in a group": before_finish(DIFFERS, "group_bd_cells lines [get_bd_cells xlconcat_0]"),
    "another order of parameters": Edit(
        RIGHT,
        "    CONFIG.c_include_mm2s 1\n    CONFIG.c_include_s2mm 1\n",
        "    CONFIG.c_include_s2mm 1\n    CONFIG.c_include_mm2s 1\n",
    ),
    "hexadecimal values": Edit(RIGHT, "c_sg_length_width 26", "c_sg_length_width 0x1a"),
    "upper case": Edit(RIGHT, "CONFIG.c_include_mm2s 1", "CONFIG.C_INCLUDE_MM2S 1"),
    "a comment": Edit(RIGHT, "\nvalidate_bd_design\n", "\n# checked by hand\nvalidate_bd_design\n"),
    "a regenerated layout": before_finish(RIGHT, "regenerate_bd_layout"),
    "validated twice": before_finish(RIGHT, "validate_bd_design"),
    "a line that is printed": before_finish(RIGHT, "puts {cells are there}"),
    "more jobs": Edit(RIGHT, "set jobs 2", "set jobs 8", BUILD),
}
VITIS = {
    "short stream_connect": Edit(RIGHT, "stream_connect=", "sc=", LINK, "u280"),
    "short, once": Edit(RIGHT, "stream_connect=core_0.m_vnx0", "sc=core_0.m_vnx0", LINK, "u280"),
    "a clock of the core": Edit(
        DIFFERS, "[connectivity]", "[clock]\nfreqHz=210000000:core_0.ap_clk\n\n[connectivity]", LINK, "u280"
    ),
    "a default clock": Edit(
        DIFFERS, "[connectivity]", "[clock]\ndefaultFreqHz=210000000\n\n[connectivity]", LINK, "u280"
    ),
    "profiling": Edit(DIFFERS, "[debug]", "[profile]\ndata=all:all:all\n\n[debug]", LINK, "u280"),
    "profiling of stalls": Edit(DIFFERS, "[debug]", "[profile]\nstall=all:all\n\n[debug]", LINK, "u280"),
    "a parameter of the compiler": Edit(
        DIFFERS, "[debug]", "[advanced]\nparam=compiler.errorOnHoldViolation=0\n\n[debug]", LINK, "u280"
    ),
    "a hook": Edit(DIFFERS, "[debug]", "[hls]\npre_tcl=my.tcl\n\n[debug]", LINK, "u280"),
    "a depth of a stream": Edit(
        RIGHT,
        "core_0.m_vnx0:networklayer_0.S_AXIS_sk2nl",
        "core_0.m_vnx0:networklayer_0.S_AXIS_sk2nl:64",
        LINK,
        "u280",
    ),
    "spaces and a comment": Edit(RIGHT, "slr=cmac_0:SLR2", "slr = cmac_0:SLR2  # beside it", LINK, "u280"),
    "another property": Edit(
        RIGHT, "[vivado]\n", "[vivado]\nprop=run.impl_1.steps.phys_opt_design.is_enabled=1\n", LINK, "u280"
    ),
}
COYOTE = {
    "quoted values": Edit(RIGHT, "set(N_REGIONS 1)", 'set(N_REGIONS "1")', CMAKE, "u280"),
    "a quoted device": Edit(RIGHT, "set(FDEV_NAME u280)", 'set(FDEV_NAME "u280")', CMAKE, "u280"),
    "spaces": Edit(RIGHT, "set(EN_STRM 1)", "set( EN_STRM  1 )", CMAKE, "u280"),
    "capitals": Edit(RIGHT, "set(N_CONFIG 2)", "SET(N_CONFIG 2)", CMAKE, "u280"),
    "an indented line": Edit(RIGHT, "set(EN_RDMA 1)", "    set(EN_RDMA 1)", CMAKE, "u280"),
    "a comment behind": Edit(RIGHT, "set(EN_PR 1)", "set(EN_PR 1)  # as N_CONFIG needs", CMAKE, "u280"),
    "another setting": Edit(RIGHT, FIND, f"{FIND}\nset(COMP_CORES 8)", CMAKE, "u280"),
}  # fmt: skip
EDITS = {
    **{f"zynq: {name}": ("zynq", edit) for name, edit in ZYNQ.items()},
    **{f"vitis: {name}": ("vitis", edit) for name, edit in VITIS.items()},
    **{f"coyote: {name}": ("coyote_u280", edit) for name, edit in COYOTE.items()},
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = tmp_path_factory.mktemp("legal")
    return {name: CLUSTERS[name](made / name) for name in ("zynq", "vitis", "coyote_u280")}


@contextmanager
def edited(path: Path, old: str, new: str) -> Iterator[None]:
    before = path.read_text()
    assert old in before, old
    path.write_text(before.replace(old, new))
    try:
        yield
    finally:
        path.write_text(before)


# One of three in the default run.
CASES = [
    name if place % 3 == 0 else pytest.param(name, marks=pytest.mark.sweep)
    for place, name in enumerate(EDITS)
]


@pytest.mark.parametrize("name", CASES)
def test_a_legal_edit_is_no_finding(name: str, folders: dict[str, Path]) -> None:
    cluster, edit = EDITS[name]
    out = folders[cluster]
    with edited(out / edit.node / edit.file, edit.old, edit.new):
        checked = check(out, Options(nodes=(edit.node,)))
    told = [one for one in checked.messages if one.verdict in (Verdict.ERROR, Verdict.FINDING)]
    assert told == []
    differs = [one for one in checked.messages if one.verdict is Verdict.DIFFERS]
    assert bool(differs) == (edit.told == DIFFERS), differs
    assert checked.worst().value == "right"
    assert checked.worst(strict=True).value == ("wrong" if checked.messages else "right")


def test_a_setting_that_cmake_takes_away(folders: dict[str, Path]) -> None:
    out = folders["coyote_u280"]
    with edited(out / "u280" / CMAKE, FIND, f"set(COMP_CORES 8)\n{FIND}"):
        checked = check(out, Options(nodes=("u280",)))
    told = {(one.rule, one.where, one.found) for one in checked.messages if one.verdict is Verdict.ERROR}
    assert told == {("coyote-cmake", "COMP_CORES", "it is '4' as variable in the end")}


def test_there_are_enough() -> None:
    assert len(EDITS) >= 50
