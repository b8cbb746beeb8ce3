# SPDX-License-Identifier: BSD-3-Clause
"""The two processing systems, PS7 and PSU: names of their pins, and how the shell wants them set."""

from __future__ import annotations

from dataclasses import dataclass

CELL = "zynq_ps"


@dataclass(frozen=True)
class ProcessingSystem:
    """Names in the block design.

    Attributes:
        ip: Catalogue name of the IP.
        automation: What its automation rule is told besides whether to apply the board preset.
        clock: Clock that the PL runs on.
        reset: Reset that goes with it, active low.
        lite: Master interface that reaches the registers.
        lite_clock: Its clock input.
        memory: Slave interface that reaches the DDR.
        memory_clock: Its clock input.
        memory_map: First part of the path of its segments.
        ddr: Segment of the DDR.
        clock_mhz: Parameter that asks for the frequency of ``clock``.
        config: Everything else the shell needs, whatever the board preset says: one master port, one
            memory port, nothing that would leave an unconnected clock behind.
    """

    ip: str
    automation: str
    clock: str
    reset: str
    lite: str
    lite_clock: str
    memory: str
    memory_clock: str
    memory_map: str
    ddr: str
    clock_mhz: str
    config: dict[str, str]

    def settings(self, clock_hz: int, board_config: dict[str, str]) -> dict[str, str]:
        """Return all parameters of the PS cell; what the board file states wins."""
        megahertz = f"{clock_hz / 1e6:.6f}".rstrip("0").rstrip(".")
        return {**self.config, self.clock_mhz: megahertz, **board_config}


# The port widths are those after hardware reset, so that a bitstream that is loaded under a running
# Linux works whatever first-stage boot loader has set up the board.
# Source: docs/zynq.md.
PROCESSING_SYSTEMS = {
    "zynq_7000": ProcessingSystem(
        ip="processing_system7",
        automation='make_external "FIXED_IO, DDR" Master Disable Slave Disable',
        clock="FCLK_CLK0",
        reset="FCLK_RESET0_N",
        lite="M_AXI_GP0",
        lite_clock="M_AXI_GP0_ACLK",
        memory="S_AXI_HP0",
        memory_clock="S_AXI_HP0_ACLK",
        memory_map="S_AXI_HP0",
        ddr="HP0_DDR_LOWOCM",
        clock_mhz="PCW_FPGA0_PERIPHERAL_FREQMHZ",
        config={
            "PCW_USE_M_AXI_GP0": "1",
            "PCW_USE_M_AXI_GP1": "0",
            "PCW_USE_S_AXI_GP0": "0",
            "PCW_USE_S_AXI_GP1": "0",
            "PCW_USE_S_AXI_ACP": "0",
            "PCW_USE_S_AXI_HP0": "1",
            "PCW_USE_S_AXI_HP1": "0",
            "PCW_USE_S_AXI_HP2": "0",
            "PCW_USE_S_AXI_HP3": "0",
            "PCW_S_AXI_HP0_DATA_WIDTH": "64",
            "PCW_USE_FABRIC_INTERRUPT": "0",
            "PCW_FPGA_FCLK0_ENABLE": "1",
            "PCW_EN_CLK0_PORT": "1",
            "PCW_EN_RST0_PORT": "1",
        },
    ),
    "zynq_us": ProcessingSystem(
        ip="zynq_ultra_ps_e",
        automation="",
        clock="pl_clk0",
        reset="pl_resetn0",
        lite="M_AXI_HPM0_FPD",
        lite_clock="maxihpm0_fpd_aclk",
        memory="S_AXI_HP0_FPD",
        memory_clock="saxihp0_fpd_aclk",
        memory_map="SAXIGP2",
        ddr="HP0_DDR_LOW",
        clock_mhz="PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ",
        config={
            "PSU__USE__M_AXI_GP0": "1",
            # Board presets leave this one on, with a clock nobody would drive.
            "PSU__USE__M_AXI_GP1": "0",
            "PSU__USE__M_AXI_GP2": "0",
            "PSU__USE__S_AXI_GP0": "0",
            "PSU__USE__S_AXI_GP1": "0",
            "PSU__USE__S_AXI_GP2": "1",
            "PSU__USE__S_AXI_GP3": "0",
            "PSU__USE__S_AXI_GP4": "0",
            "PSU__USE__S_AXI_GP5": "0",
            "PSU__USE__S_AXI_GP6": "0",
            "PSU__MAXIGP0__DATA_WIDTH": "128",
            "PSU__SAXIGP2__DATA_WIDTH": "128",
            "PSU__USE__IRQ0": "0",
            "PSU__USE__IRQ1": "0",
            "PSU__FPGA_PL0_ENABLE": "1",
            "PSU__USE__FABRIC__RST": "1",
            "PSU__NUM_FABRIC_RESETS": "1",
            # Otherwise the IP keeps the divisors of the preset and ignores the frequency asked for.
            "PSU__OVERRIDE__BASIC_CLOCK": "0",
        },
    ),
}
