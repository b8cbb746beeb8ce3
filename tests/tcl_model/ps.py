# SPDX-License-Identifier: BSD-3-Clause
"""The two processing systems of the catalogue, and what board files do to them."""

from __future__ import annotations

from .catalogue import AXIMM, BIT, CLOCK, MHZ, RELEASES, Config, Interface, Ip, Pin, Segment, every

MIB, GIB = 1 << 20, 1 << 30

# ---- PS7 --------------------------------------------------------------------------------------------
_PS7_PORTS = {
    "M_AXI_GP0": ("PCW_USE_M_AXI_GP0", (0x4000_0000, 0x8000_0000)),
    "M_AXI_GP1": ("PCW_USE_M_AXI_GP1", (0x8000_0000, 0xC000_0000)),
}
_PS7_PARAMETERS = {
    # On by default: a shell that forgets the other one has an undriven clock only if a preset turns it on.
    "PCW_USE_M_AXI_GP0": ("1", BIT),
    "PCW_USE_M_AXI_GP1": ("0", BIT),
    "PCW_USE_S_AXI_GP0": ("0", BIT),
    "PCW_USE_S_AXI_GP1": ("0", BIT),
    "PCW_USE_S_AXI_ACP": ("0", BIT),
    **{f"PCW_USE_S_AXI_HP{index}": ("0", BIT) for index in range(4)},
    **{f"PCW_S_AXI_HP{index}_DATA_WIDTH": ("64", "32|64") for index in range(4)},
    "PCW_USE_FABRIC_INTERRUPT": ("0", BIT),
    "PCW_IRQ_F2P_INTR": ("0", BIT),
    "PCW_IRQ_F2P_MODE": ("DIRECT", "DIRECT|REVERSE"),
    "PCW_FPGA_FCLK0_ENABLE": ("1", BIT),
    "PCW_EN_CLK0_PORT": ("1", BIT),
    "PCW_EN_RST0_PORT": ("1", BIT),
    "PCW_FPGA0_PERIPHERAL_FREQMHZ": ("50", MHZ),
    "PCW_FPGA_FCLK1_ENABLE": ("0", BIT),
    "PCW_EN_CLK1_PORT": ("0", BIT),
    "PCW_FPGA1_PERIPHERAL_FREQMHZ": ("50", MHZ),
    "PCW_DDR_RAM_HIGHADDR": ("0x3FFFFFFF", "0x[0-9A-Fa-f]+"),
    "preset": ("None", "None|ZedBoard|ZC702|ZC706|Microzed"),
}


def _ps7_interfaces(config: Config) -> dict[str, Interface]:
    found = {
        name: Interface(AXIMM, "master", f"{name}_ACLK", "AXI3", 32, space="Data", window=window)
        for name, (switch, window) in _PS7_PORTS.items()
        if config[switch] == "1"
    }
    ddr = int(config["PCW_DDR_RAM_HIGHADDR"], 16) + 1
    for index in range(4):
        if config[f"PCW_USE_S_AXI_HP{index}"] == "1":
            name = f"S_AXI_HP{index}"
            bits = int(config[f"PCW_S_AXI_HP{index}_DATA_WIDTH"])
            segments = (Segment(f"HP{index}_DDR_LOWOCM", ddr, fixed=True),)
            found[name] = Interface(AXIMM, "slave", f"{name}_ACLK", "AXI3", bits, segments=segments)
    found["DDR"] = Interface("ddrx", "master", external=True)
    found["FIXED_IO"] = Interface("fixedio", "master", external=True)
    return found


def _ps7_pins(config: Config) -> dict[str, Pin]:
    found = {f"{name}_ACLK": CLOCK for name in _ps7_interfaces(config) if "AXI" in name}
    if config["PCW_EN_CLK0_PORT"] == "1" and config["PCW_FPGA_FCLK0_ENABLE"] == "1":
        found["FCLK_CLK0"] = Pin("out", "clk")
    if config["PCW_EN_CLK1_PORT"] == config["PCW_FPGA_FCLK1_ENABLE"] == "1":
        found["FCLK_CLK1"] = Pin("out", "clk")
    if config["PCW_EN_RST0_PORT"] == "1":
        found["FCLK_RESET0_N"] = Pin("out", "rst")
    if config["PCW_USE_FABRIC_INTERRUPT"] == config["PCW_IRQ_F2P_INTR"] == "1":
        found["IRQ_F2P"] = Pin("in", bits=0)
    return found


PS7 = Ip("processing_system7", every("5.5"), _PS7_PARAMETERS, _ps7_interfaces, _ps7_pins)

# ---- PSU --------------------------------------------------------------------------------------------
_PSU_MASTERS = {
    "M_AXI_HPM0_FPD": ("0", "maxihpm0_fpd_aclk", (0xA000_0000, 0xB000_0000)),
    "M_AXI_HPM1_FPD": ("1", "maxihpm1_fpd_aclk", (0xB000_0000, 0xC000_0000)),
    "M_AXI_HPM0_LPD": ("2", "maxihpm0_lpd_aclk", (0x8000_0000, 0xA000_0000)),
}
_PSU_SLAVES = {
    0: ("S_AXI_HPC0_FPD", "HPC0"),
    1: ("S_AXI_HPC1_FPD", "HPC1"),
    2: ("S_AXI_HP0_FPD", "HP0"),
    3: ("S_AXI_HP1_FPD", "HP1"),
    4: ("S_AXI_HP2_FPD", "HP2"),
    5: ("S_AXI_HP3_FPD", "HP3"),
    6: ("S_AXI_LPD", "LPD"),
}
_WIDTHS = "32|64|128"
_PSU_PARAMETERS = {
    **{f"PSU__USE__M_AXI_GP{index}": ("1" if index < 2 else "0", BIT) for index in range(3)},
    **{f"PSU__USE__S_AXI_GP{index}": ("0", BIT) for index in range(7)},
    **{f"PSU__SAXIGP{index}__DATA_WIDTH": ("128", _WIDTHS) for index in range(7)},
    **{f"PSU__MAXIGP{index}__DATA_WIDTH": ("128", _WIDTHS) for index in range(3)},
    "PSU__USE__IRQ0": ("1", BIT),
    "PSU__USE__IRQ1": ("0", BIT),
    "PSU__FPGA_PL0_ENABLE": ("0", BIT),
    "PSU__USE__FABRIC__RST": ("0", BIT),
    "PSU__NUM_FABRIC_RESETS": ("1", "[1-4]"),
    "PSU__OVERRIDE__BASIC_CLOCK": ("1", BIT),
    "PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ": ("100", MHZ),
    "PSU__FPGA_PL1_ENABLE": ("0", BIT),
    "PSU__CRL_APB__PL1_REF_CTRL__FREQMHZ": ("100", MHZ),
    "PSU__DDR_HIGH_ADDRESS_GUI_ENABLE": ("0", BIT),
}


def _psu_interfaces(config: Config) -> dict[str, Interface]:
    found = {}
    for name, (number, clock, window) in _PSU_MASTERS.items():
        if config[f"PSU__USE__M_AXI_GP{number}"] == "1":
            bits = int(config[f"PSU__MAXIGP{number}__DATA_WIDTH"])
            found[name] = Interface(AXIMM, "master", clock, "AXI4", bits, space="Data", window=window)
    for index, (name, short) in _PSU_SLAVES.items():
        if config[f"PSU__USE__S_AXI_GP{index}"] != "1":
            continue
        segments = [
            Segment(f"{short}_DDR_LOW", 2 * GIB, fixed=True),
            Segment(f"{short}_QSPI", 512 * MIB, 0xC000_0000, fixed=True),
            Segment(f"{short}_LPS_OCM", 16 * MIB, 0xFF00_0000, fixed=True),
        ]
        if config["PSU__DDR_HIGH_ADDRESS_GUI_ENABLE"] == "1":
            segments.append(Segment(f"{short}_DDR_HIGH", 2 * GIB, 0x8_0000_0000, fixed=True))
        clock = f"saxi{name[6:].lower()}_aclk"
        bits = int(config[f"PSU__SAXIGP{index}__DATA_WIDTH"])
        found[name] = Interface(
            AXIMM, "slave", clock, "AXI4", bits, segments=tuple(segments), path=f"SAXIGP{index}"
        )
    return found


def _psu_pins(config: Config) -> dict[str, Pin]:
    found = {port.clock: CLOCK for port in _psu_interfaces(config).values() if port.clock}
    if config["PSU__FPGA_PL0_ENABLE"] == "1":
        found["pl_clk0"] = Pin("out", "clk")
    if config["PSU__FPGA_PL1_ENABLE"] == "1":
        found["pl_clk1"] = Pin("out", "clk")
    if config["PSU__USE__FABRIC__RST"] == "1":
        found["pl_resetn0"] = Pin("out", "rst")
    for index in range(2):
        if config[f"PSU__USE__IRQ{index}"] == "1":
            found[f"pl_ps_irq{index}"] = Pin("in", bits=0)
    # Members of an interface that a net may drive instead; those of the ports that have caches to look into.
    for index in range(2):
        if config[f"PSU__USE__S_AXI_GP{index}"] == "1":
            for letter in "wr":
                bus = f"S_AXI_HPC{index}_FPD"
                found[f"saxigp{index}_a{letter}cache"] = Pin("in", bits=4, bus=bus)
                found[f"saxigp{index}_a{letter}prot"] = Pin("in", bits=3, bus=bus)
    return found


PSU = Ip(
    "zynq_ultra_ps_e",
    dict(zip(RELEASES, (("3.3",), ("3.3", "3.4"), ("3.4", "3.5")), strict=True)),
    _PSU_PARAMETERS,
    _psu_interfaces,
    _psu_pins,
)


def actual_hz(ip: str, config: Config, pin: str) -> int:
    """Return what the PS gives at a clock pin: a whole division of its PLL (PS7 1000 MHz, PSU 999.99 MHz)."""
    pll, index = 1_000_000_000 if ip == "processing_system7" else 999_990_010, pin[-1]
    key = (
        f"PCW_FPGA{index}_PERIPHERAL_FREQMHZ"
        if ip == "processing_system7"
        else f"PSU__CRL_APB__PL{index}_REF_CTRL__FREQMHZ"
    )
    wanted = float(config[key]) * 1e6
    divisors = sorted({a * b for a in range(1, 64) for b in range(1, 64)})
    return min((pll // divisor for divisor in divisors), key=lambda hz: abs(hz - wanted))


# ---- board files ------------------------------------------------------------------------------------
_PSU_PRESET = {
    "PSU__USE__M_AXI_GP0": "1",
    "PSU__USE__M_AXI_GP1": "1",
    "PSU__USE__M_AXI_GP2": "0",
    "PSU__FPGA_PL0_ENABLE": "1",
    "PSU__USE__FABRIC__RST": "1",
    "PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ": "100",
}
_PS7_PRESET = {"PCW_DDR_RAM_HIGHADDR": "0x1FFFFFFF", "PCW_FPGA0_PERIPHERAL_FREQMHZ": "100"}
_KRIA = {**_PSU_PRESET, "PSU__DDR_HIGH_ADDRESS_GUI_ENABLE": "1", "PSU__USE__M_AXI_GP2": "1"}

PRESETS = {"ZedBoard": _PS7_PRESET}

# Vendor:name -> part, preset.
BOARDS = {
    "digilentinc.com:zedboard": ("xc7z020clg484-1", _PS7_PRESET),
    "avnet.com:zedboard": ("xc7z020clg484-1", {"preset": "ZedBoard", **_PS7_PRESET}),
    "www.digilentinc.com:pynq-z1": ("xc7z020clg400-1", _PS7_PRESET),
    "tul.com.tw:pynq-z2": ("xc7z020clg400-1", _PS7_PRESET),
    "xilinx.com:zcu104": ("xczu7ev-ffvc1156-2-e", _PSU_PRESET),
    "avnet.com:ultra96v2": ("xczu3eg-sbva484-1-i", _PSU_PRESET),
    "xilinx.com:kv260_som": ("xck26-sfvc784-2LV-c", _KRIA),
}
_ALWAYS = (
    "avnet.com:zedboard:part0:1.4",
    "digilentinc.com:zedboard:part0:1.0",
    "www.digilentinc.com:pynq-z1:part0:1.0",
    "tul.com.tw:pynq-z2:part0:1.0",
    "xilinx.com:zcu104:part0:1.1",
    "avnet.com:ultra96v2:part0:1.1",
    "avnet.com:ultra96v2:part0:1.2",
)
BOARD_PARTS = {
    "2020.1": _ALWAYS,
    "2022.2": (*_ALWAYS, "xilinx.com:kv260_som:part0:1.3", "xilinx.com:kv260_som:part0:1.4"),
    "2024.2": (*_ALWAYS, "xilinx.com:kv260_som:part0:1.4", "xilinx.com:kv260_som:part0:1.10"),
}
CARRIERS = {
    "2020.1": (),
    "2022.2": ("xilinx.com:kv260_carrier:som240_1_connector:1.3",),
    "2024.2": ("xilinx.com:kv260_carrier:som240_1_connector:1.3",),
}
