# SPDX-License-Identifier: BSD-3-Clause
"""The IP that our block designs use: parameters, interfaces and pins, as public IP-XACT has them.

An IP answers three questions from its configuration: which parameters it takes, which interfaces and
which pins it has. What a configuration switches off is not there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Config = Mapping[str, str]

AXIMM, AXIS = "aximm", "axis"


@dataclass(frozen=True)
class Segment:
    """An address block behind a slave interface; ``fixed`` ones sit at ``base`` and are no larger."""

    name: str
    size: int
    base: int = 0
    fixed: bool = False


@dataclass(frozen=True)
class Interface:
    """``protocol`` is AXI3, AXI4, AXI4LITE, or ANY where an interconnect converts; ``clock`` is a pin."""

    bus: str
    mode: str
    clock: str | None = None
    protocol: str = "ANY"
    bits: int = 0
    has_last: bool = True
    has_keep: bool = True
    has_strb: bool = False
    dest_bits: int = 0
    space: str | None = None
    window: tuple[int, int] | None = None
    segments: tuple[Segment, ...] = ()
    path: str | None = None
    external: bool = False


@dataclass(frozen=True)
class Pin:
    """``kind`` is clk, rst or data; a required input must be driven; 0 bits take any width.

    ``bus`` is the interface that a pin belongs to, and that a net may take it out of.
    """

    direction: str
    kind: str = "data"
    active_low: bool = True
    required: bool = False
    bits: int = 1
    bus: str = ""


@dataclass(frozen=True)
class Ip:
    """``derived`` are the parameters that are read-only as long as Vivado derives them."""

    name: str
    versions: Mapping[str, tuple[str, ...]]
    parameters: Mapping[str, tuple[str, str]]
    interfaces: Callable[[Config], dict[str, Interface]]
    pins: Callable[[Config], dict[str, Pin]]
    derived: frozenset[str] = frozenset()

    def legal(self, name: str, value: str) -> bool | None:
        """Return whether the value is legal, or None if there is no such parameter."""
        entry = self.parameters.get(name)
        return None if entry is None else re.fullmatch(entry[1], value) is not None


CLOCK = Pin("in", "clk", required=True)
RESET = Pin("in", "rst", required=True)
RELEASES = ("2020.1", "2022.2", "2024.2")
BIT = "[01]"
MHZ = r"\d+(\.\d+)?"


def every(*versions: str) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(RELEASES, versions)


# ---- AXI DMA 7.1 ------------------------------------------------------------------------------------
_TDATA = "8|16|32|64|128|256|512|1024"
_MEMORY = "32|64|128|256|512|1024"
_BURST = "2|4|8|16|32|64|128|256"
_DMA_PARAMETERS = {
    "c_include_sg": ("1", BIT),
    "c_sg_include_stscntrl_strm": ("1", BIT),
    "c_sg_length_width": ("14", "[89]|1[0-9]|2[0-6]"),
    "c_include_mm2s": ("1", BIT),
    "c_include_s2mm": ("1", BIT),
    "c_include_mm2s_dre": ("0", BIT),
    "c_include_s2mm_dre": ("0", BIT),
    "c_include_mm2s_sf": ("1", BIT),
    "c_include_s2mm_sf": ("1", BIT),
    "c_m_axi_mm2s_data_width": ("32", _MEMORY),
    "c_m_axi_s2mm_data_width": ("32", _MEMORY),
    "c_m_axis_mm2s_tdata_width": ("32", _TDATA),
    "c_s_axis_s2mm_tdata_width": ("32", _TDATA),
    "c_mm2s_burst_size": ("16", _BURST),
    "c_s2mm_burst_size": ("16", _BURST),
    "c_addr_width": ("32", "3[2-9]|[45][0-9]|6[0-4]"),
    "c_micro_dma": ("0", BIT),
    "c_prmry_is_aclk_async": ("0", BIT),
    "c_single_interface": ("0", BIT),
}


def _dma_interfaces(config: Config) -> dict[str, Interface]:
    found = {
        "S_AXI_LITE": Interface(
            AXIMM, "slave", "s_axi_lite_aclk", "AXI4LITE", 32, segments=(Segment("Reg", 0x1000),)
        )
    }
    if config["c_include_sg"] == "1":
        window = (0, 1 << int(config["c_addr_width"]))
        found["M_AXI_SG"] = Interface(
            AXIMM, "master", "m_axi_sg_aclk", "AXI4", 32, space="Data_SG", window=window
        )
        # Control and status streams, as an Ethernet core has them.
        sidebands = config["c_sg_include_stscntrl_strm"] == "1"
        if sidebands and config["c_include_mm2s"] == "1":
            found["M_AXIS_CNTRL"] = Interface(AXIS, "master", "m_axi_sg_aclk", bits=32)
        if sidebands and config["c_include_s2mm"] == "1":
            found["S_AXIS_STS"] = Interface(AXIS, "slave", "m_axi_sg_aclk", bits=32)
    for channel, on in (("mm2s", config["c_include_mm2s"]), ("s2mm", config["c_include_s2mm"])):
        if on == "1":
            memory = int(config[f"c_m_axi_{channel}_data_width"])
            clock, space = f"m_axi_{channel}_aclk", f"Data_{channel.upper()}"
            window = (0, 1 << int(config["c_addr_width"]))
            found[f"M_AXI_{channel.upper()}"] = Interface(
                AXIMM, "master", clock, "AXI4", memory, space=space, window=window
            )
    if config["c_include_mm2s"] == "1":
        bits = int(config["c_m_axis_mm2s_tdata_width"])
        found["M_AXIS_MM2S"] = Interface(AXIS, "master", "m_axi_mm2s_aclk", bits=bits)
    if config["c_include_s2mm"] == "1":
        bits = int(config["c_s_axis_s2mm_tdata_width"])
        found["S_AXIS_S2MM"] = Interface(AXIS, "slave", "m_axi_s2mm_aclk", bits=bits)
    return found


def _dma_pins(config: Config) -> dict[str, Pin]:
    found = {"s_axi_lite_aclk": CLOCK, "axi_resetn": RESET}
    if config["c_include_sg"] == "1":
        found["m_axi_sg_aclk"] = CLOCK
    for channel in ("mm2s", "s2mm"):
        if config[f"c_include_{channel}"] == "1":
            found[f"m_axi_{channel}_aclk"] = CLOCK
            found[f"{channel}_introut"] = Pin("out")
            found[f"{channel}_prmry_reset_out_n"] = Pin("out", "rst")
    return found


AXI_DMA = Ip(
    "axi_dma",
    every("7.1"),
    _DMA_PARAMETERS,
    _dma_interfaces,
    _dma_pins,
    frozenset({"c_prmry_is_aclk_async"}),
)


# ---- AXI Interconnect 2.1 ---------------------------------------------------------------------------
def _ports(config: Config) -> list[tuple[str, str]]:
    slaves = [(f"S{index:02}", "slave") for index in range(int(config["NUM_SI"]))]
    return slaves + [(f"M{index:02}", "master") for index in range(int(config["NUM_MI"]))]


def _interconnect_interfaces(config: Config) -> dict[str, Interface]:
    return {f"{name}_AXI": Interface(AXIMM, mode, f"{name}_ACLK") for name, mode in _ports(config)}


def _interconnect_pins(config: Config) -> dict[str, Pin]:
    names = ["", *(f"{name}_" for name, _ in _ports(config))]
    clocks = {f"{name}ACLK": CLOCK for name in names}
    return clocks | {f"{name}ARESETN": RESET for name in names}


AXI_INTERCONNECT = Ip(
    "axi_interconnect",
    every("2.1"),
    {"NUM_SI": ("1", "[1-9]|1[0-6]"), "NUM_MI": ("2", "[1-9]|[1-5][0-9]|6[0-4]"), "STRATEGY": ("0", "[012]")},
    _interconnect_interfaces,
    _interconnect_pins,
)

SMARTCONNECT = Ip(
    "smartconnect",
    every("1.0"),
    {"NUM_SI": ("1", "[1-9]|1[0-6]"), "NUM_MI": ("1", "[1-9]|1[0-6]"), "NUM_CLKS": ("1", "[1-9]")},
    lambda config: {f"{name}_AXI": Interface(AXIMM, mode, "aclk") for name, mode in _ports(config)},
    lambda config: {"aclk": CLOCK, "aresetn": RESET},  # noqa: ARG005
)

# ---- reset and clock --------------------------------------------------------------------------------
_RESET_PINS = {
    "slowest_sync_clk": CLOCK,
    "ext_reset_in": RESET,
    "aux_reset_in": Pin("in", "rst"),
    "mb_debug_sys_rst": Pin("in", "rst", active_low=False),
    "dcm_locked": Pin("in"),
    "mb_reset": Pin("out", "rst", active_low=False),
    "bus_struct_reset": Pin("out", "rst", active_low=False),
    "peripheral_reset": Pin("out", "rst", active_low=False),
    "interconnect_aresetn": Pin("out", "rst"),
    "peripheral_aresetn": Pin("out", "rst"),
}
PROC_SYS_RESET = Ip(
    "proc_sys_reset",
    every("5.0"),
    {"C_AUX_RESET_HIGH": ("1", BIT), "C_EXT_RESET_HIGH": ("1", BIT), "C_EXT_RST_WIDTH": ("4", "[0-9]+")},
    lambda config: {},  # noqa: ARG005
    lambda config: _RESET_PINS,  # noqa: ARG005
    frozenset({"C_EXT_RESET_HIGH"}),
)


def _wizard_pins(config: Config) -> dict[str, Pin]:
    found = {"clk_in1": CLOCK, "clk_out1": Pin("out", "clk")}
    if config["CLKOUT2_USED"] == "true":
        found["clk_out2"] = Pin("out", "clk")
    if config["USE_LOCKED"] == "true":
        found["locked"] = Pin("out")
    if config["USE_RESET"] == "true":
        low = config["RESET_TYPE"] == "ACTIVE_LOW"
        found["resetn" if low else "reset"] = Pin("in", "rst", active_low=low, required=True)
    return found


CLK_WIZ = Ip(
    "clk_wiz",
    every("5.4", "6.0"),
    {
        "PRIM_SOURCE": (
            "Single_ended_clock_capable_pin",
            "No_buffer|Global_buffer|Single_ended_clock_capable_pin",
        ),
        "PRIM_IN_FREQ": ("100.000", MHZ),
        "CLKOUT1_REQUESTED_OUT_FREQ": ("100.000", MHZ),
        "CLKOUT2_REQUESTED_OUT_FREQ": ("100.000", MHZ),
        "CLKOUT2_USED": ("false", "true|false"),
        "USE_LOCKED": ("true", "true|false"),
        "USE_RESET": ("true", "true|false"),
        "RESET_TYPE": ("ACTIVE_HIGH", "ACTIVE_HIGH|ACTIVE_LOW"),
    },
    lambda config: {},  # noqa: ARG005
    _wizard_pins,
    frozenset({"PRIM_IN_FREQ"}),
)

# ---- logic analyser ---------------------------------------------------------------------------------
_SLOTS = 16


def _ila_interfaces(config: Config) -> dict[str, Interface]:
    slots = range(int(config["C_NUM_MONITOR_SLOTS"])) if config["C_MON_TYPE"] != "NATIVE" else ()
    return {
        f"SLOT_{slot}_{'AXIS' if 'axis' in config[f'C_SLOT_{slot}_INTF_TYPE'] else 'AXI'}": Interface(
            AXIS if "axis" in config[f"C_SLOT_{slot}_INTF_TYPE"] else AXIMM, "monitor", "clk"
        )
        for slot in slots
    }


SYSTEM_ILA = Ip(
    "system_ila",
    every("1.1"),
    {
        "C_MON_TYPE": ("INTERFACE", "INTERFACE|NATIVE|MIX"),
        "C_NUM_MONITOR_SLOTS": ("1", "[1-9]|1[0-6]"),
        "C_DATA_DEPTH": ("1024", "1024|2048|4096|8192|16384|32768|65536|131072"),
        **{
            f"C_SLOT_{slot}_INTF_TYPE": (
                "xilinx.com:interface:aximm_rtl:1.0",
                r"xilinx\.com:interface:(aximm|axis)_rtl:1\.0",
            )
            for slot in range(_SLOTS)
        },
    },
    _ila_interfaces,
    lambda config: {"clk": CLOCK, "resetn": RESET},  # noqa: ARG005
)
