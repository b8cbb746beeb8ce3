# SPDX-License-Identifier: BSD-3-Clause
"""Labels of the device trees that Linux has for the two processing systems; a board's own tree adds to them.

Source: Linux, zynq-7000.dtsi and zynqmp.dtsi, those of Xilinx among them.
"""

from __future__ import annotations

_BOTH = """
    adc amba amba_pl can0 can1 cpu0 cpu1 efuse fpga_full gem0 gem1 gpio gpio0 i2c0 i2c1 mc ocm pinctrl0
    qspi sdhci0 sdhci1 spi0 spi1 ttc0 ttc1 uart0 uart1 usb0 usb1 watchdog0
"""
_ZYNQ = """
    L2 clkc devcfg dmac_s etb etm0 etm1 global_timer intc nand0 nfc0 nor0 ptm regulator_vccpint
    replicator rstc scutimer scuwdt slcr smcc tpiu
"""
_ZYNQMP = """
    aes amba_apu cci cpu2 cpu3 cpu_opp_table dcc dwc3_0 dwc3_1 dpdma fpd_dma_chan1 fpd_dma_chan2
    fpd_dma_chan3 fpd_dma_chan4 fpd_dma_chan5 fpd_dma_chan6 fpd_dma_chan7 fpd_dma_chan8 gem2 gem3 gic
    gpu ipi_mailbox_pmu1 lpd_dma_chan1 lpd_dma_chan2 lpd_dma_chan3 lpd_dma_chan4 lpd_dma_chan5
    lpd_dma_chan6 lpd_dma_chan7 lpd_dma_chan8 lpd_watchdog modepin_gpio nand0 nvmem_firmware pcie
    pcie_intc perf_monitor_cci perf_monitor_ddr perf_monitor_lpd perf_monitor_ocm pmu psgtr rtc sata
    serdes smmu soc_revision ttc2 ttc3 xilinx_ams ams_pl ams_ps xlnx_aes zynqmp_aes zynqmp_clk
    zynqmp_dpsub zynqmp_dpdma zynqmp_dp_snd_card0 zynqmp_dp_snd_codec0 zynqmp_dp_snd_pcm0
    zynqmp_dp_snd_pcm1 zynqmp_firmware zynqmp_ipi1 zynqmp_pcap zynqmp_power zynqmp_reset zynqmp_rsa
    zynqmp_sha384
"""


def labels_of(clock: str) -> frozenset[str]:
    """Return the labels of a system, by the one of its clocks: ``&clkc`` or ``&zynqmp_clk``."""
    own = _ZYNQ if clock == "&clkc" else _ZYNQMP
    return frozenset((*_BOTH.split(), *own.split()))
