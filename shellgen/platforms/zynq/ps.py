# SPDX-License-Identifier: BSD-3-Clause
"""The two processing systems, PS7 and PSU: names of their pins, and how the shell wants them set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CELL = "zynq_ps"


# DDR beyond the first 2 GiB of a Zynq UltraScale+ begins here (UG1085, system addresses).
HIGH_DDR = 0x8_0000_0000
# Of an address in PSU; what AXI DMA is built for when there is DDR to reach up there.
WIDE_ADDRESS_BITS = 40


@dataclass(frozen=True)
class MemoryPort:
    """One way from the FPGA to the DDR.

    Attributes:
        interface: Slave interface of the PS.
        clock: Its clock input.
        segments: First part of the path of its segments.
        low: Segment of the DDR from address 0.
        high: Segment of the DDR from `HIGH_DDR`, or empty.
        config: Parameters that switch it on.
        cache: Pins that say whether an access looks into the caches; empty if the port cannot.
        prot: Pins that say whether an access is secure.
    """

    interface: str
    clock: str
    segments: str
    low: str
    high: str
    config: dict[str, str]
    cache: tuple[str, ...] = ()
    prot: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProcessingSystem:
    """Names in the block design.

    Attributes:
        ip: Catalogue name of the IP.
        automation: Parameters of its automation rule besides the board preset.
        clock: Clock that the PL runs on.
        reset: Reset that goes with it, active low.
        lite: Master interface that reaches the registers.
        lite_clock: Its clock input.
        window: Where it reaches: first address, and the first beyond.
        low_ddr: Most bytes of DDR from address 0.
        high_ddr: Most bytes of DDR from `HIGH_DDR`.
        ports: Ways to the DDR, by what cluster.toml calls them.
        irq: Input for interrupts, a vector.
        gic: Interrupt IDs at the GIC of its bits.
        irq_config: Parameters that switch it on.
        high_config: Parameters that show the DDR from `HIGH_DDR`.
        dt_gic: Label of the GIC in Linux's device tree.
        dt_clock: Phandle and number of ``clock`` there.
        dt_compute: The same of ``compute_clock``.
        dt_cells: Cells of an address, and of a size, there.
        clock_mhz: Parameter that asks for the frequency of ``clock``.
        compute_clock: Clock that partitions may run on by themselves.
        compute_mhz: Parameter that asks for its frequency.
        compute_config: Parameters that switch it on.
        most_hz: What neither clock can exceed.
        config: Everything else the shell needs, whatever the board preset says: one master port, nothing that
            would leave an unconnected clock behind.
    """

    ip: str
    automation: str
    clock: str
    reset: str
    lite: str
    lite_clock: str
    window: tuple[int, int]
    low_ddr: int
    high_ddr: int
    ports: dict[str, MemoryPort]
    irq: str
    gic: tuple[int, ...]
    irq_config: dict[str, str]
    high_config: dict[str, str]
    dt_gic: str
    dt_clock: str
    dt_compute: str
    dt_cells: int
    clock_mhz: str
    compute_clock: str
    compute_mhz: str
    compute_config: dict[str, str]
    most_hz: int
    config: dict[str, str]

    def settings(
        self,
        clocks: Sequence[int],
        port: MemoryPort | None,
        irq: bool,
        high: bool,
        board_config: dict[str, str],
    ) -> dict[str, str]:
        """Return all parameters of the PS cell; what the board file states wins.

        Args:
            clocks: Frequencies to ask for: of the first clock, and of the second if it is wanted.
            port: The one memory port; None where nothing reaches memory.
            irq: Whether interrupts come from the FPGA.
            high: Whether the DMAs reach the DDR from `HIGH_DDR`.
            board_config: Of the board file.
        """
        asked = dict(zip((self.clock_mhz, self.compute_mhz), map(_megahertz, clocks), strict=False))
        return {
            **self.config,
            **(port.config if port else {}),
            **(self.irq_config if irq else {}),
            **(self.high_config if high else {}),
            **(self.compute_config if len(clocks) > 1 else {}),
            **asked,
            **board_config,
        }


def _megahertz(hz: int) -> str:
    return f"{hz / 1e6:.6f}".rstrip("0").rstrip(".")


def _ps7_port(index: int) -> MemoryPort:
    return MemoryPort(
        interface=f"S_AXI_HP{index}",
        clock=f"S_AXI_HP{index}_ACLK",
        segments=f"S_AXI_HP{index}",
        low=f"HP{index}_DDR_LOWOCM",
        high="",
        config={f"PCW_USE_S_AXI_HP{index}": "1", f"PCW_S_AXI_HP{index}_DATA_WIDTH": "64"},
    )


def _psu_port(name: str, number: int) -> MemoryPort:
    """Return a port of the PSU by its name and the number of its parameters and pins."""
    coherent = name.startswith("HPC")
    return MemoryPort(
        interface=f"S_AXI_{name}_FPD",
        clock=f"saxi{name.lower()}_fpd_aclk",
        segments=f"SAXIGP{number}",
        low=f"{name}_DDR_LOW",
        high=f"{name}_DDR_HIGH",
        config={f"PSU__USE__S_AXI_GP{number}": "1", f"PSU__SAXIGP{number}__DATA_WIDTH": "128"},
        cache=(f"saxigp{number}_awcache", f"saxigp{number}_arcache") if coherent else (),
        prot=(f"saxigp{number}_awprot", f"saxigp{number}_arprot") if coherent else (),
    )


# The port widths are those after hardware reset, so that a bitstream that is loaded under a running
# Linux works whatever first-stage boot loader has set up the board.
# Source: docs/zynq.md; interrupt IDs as in PYNQ, pynq/pl_server/hwh_parser.py; for the device tree Linux,
# zynq-7000.dtsi and zynqmp.dtsi.
PROCESSING_SYSTEMS = {
    "zynq_7000": ProcessingSystem(
        ip="processing_system7",
        automation='make_external "FIXED_IO, DDR" Master Disable Slave Disable',
        clock="FCLK_CLK0",
        reset="FCLK_RESET0_N",
        lite="M_AXI_GP0",
        lite_clock="M_AXI_GP0_ACLK",
        window=(0x4000_0000, 0x8000_0000),
        low_ddr=1 << 30,
        high_ddr=0,
        ports={f"HP{index}": _ps7_port(index) for index in range(4)},
        irq="IRQ_F2P",
        gic=(*range(61, 69), *range(84, 92)),
        irq_config={
            "PCW_USE_FABRIC_INTERRUPT": "1",
            "PCW_IRQ_F2P_INTR": "1",
            # Bit 0 is the first interrupt ID, not the last.
            "PCW_IRQ_F2P_MODE": "DIRECT",
        },
        high_config={},
        dt_gic="intc",
        dt_clock="&clkc 15",
        dt_compute="&clkc 16",
        dt_cells=1,
        clock_mhz="PCW_FPGA0_PERIPHERAL_FREQMHZ",
        compute_clock="FCLK_CLK1",
        compute_mhz="PCW_FPGA1_PERIPHERAL_FREQMHZ",
        compute_config={"PCW_FPGA_FCLK1_ENABLE": "1", "PCW_EN_CLK1_PORT": "1"},
        most_hz=250_000_000,
        config={
            "PCW_USE_M_AXI_GP0": "1",
            "PCW_USE_M_AXI_GP1": "0",
            "PCW_USE_S_AXI_GP0": "0",
            "PCW_USE_S_AXI_GP1": "0",
            "PCW_USE_S_AXI_ACP": "0",
            **{f"PCW_USE_S_AXI_HP{index}": "0" for index in range(4)},
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
        window=(0xA000_0000, 0xB000_0000),
        low_ddr=2 << 30,
        high_ddr=32 << 30,
        ports={
            **{f"HP{index}": _psu_port(f"HP{index}", index + 2) for index in range(4)},
            **{f"HPC{index}": _psu_port(f"HPC{index}", index) for index in range(2)},
        },
        irq="pl_ps_irq0",
        gic=tuple(range(121, 129)),
        irq_config={"PSU__USE__IRQ0": "1"},
        high_config={"PSU__DDR_HIGH_ADDRESS_GUI_ENABLE": "1"},
        dt_gic="gic",
        dt_clock="&zynqmp_clk 71",
        dt_compute="&zynqmp_clk 72",
        dt_cells=2,
        clock_mhz="PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ",
        compute_clock="pl_clk1",
        compute_mhz="PSU__CRL_APB__PL1_REF_CTRL__FREQMHZ",
        compute_config={"PSU__FPGA_PL1_ENABLE": "1"},
        most_hz=400_000_000,
        config={
            "PSU__USE__M_AXI_GP0": "1",
            # Board presets leave this one on, with a clock nobody would drive.
            "PSU__USE__M_AXI_GP1": "0",
            "PSU__USE__M_AXI_GP2": "0",
            **{f"PSU__USE__S_AXI_GP{number}": "0" for number in range(7)},
            "PSU__MAXIGP0__DATA_WIDTH": "128",
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
