# SPDX-License-Identifier: BSD-3-Clause
"""What automation adds to a block design: presets, and connections that no record shows.

A preset sets parameters that the script does not name. Which ones differ between boards, or from the IP's own
default, was counted in the 264 presets of [XilinxBoardStore](https://github.com/Xilinx/XilinxBoardStore):
what hangs on one of those is doubtful unless the script sets it. No preset there switches any other port on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .design import Design
from .ip.facts import Ip, Resolved

_PROCESSORS = ("processing_system7", "zynq_ultra_ps_e")
_NAMES = {"preset", "PCW_IMPORT_BOARD_PRESET", "PSU_IMPORT_BOARD_PRESET"}
# Parameters of the two processing systems, by the beginning of their names.
_VARYING = {
    "PCW_": (
        *("PCW_USE_M_AXI_GP0", "PCW_EN_CLK0_PORT", "PCW_EN_CLK1_PORT", "PCW_FPGA_FCLK0_ENABLE"),
        *("PCW_FPGA_FCLK1_ENABLE", "PCW_EN_RST0_PORT", "PCW_IRQ_F2P_INTR", "PCW_USE_FABRIC_INTERRUPT"),
        *("PCW_EN_EMIO_GPIO", "PCW_EN_EMIO_I2C0", "PCW_EN_EMIO_UART0", "PCW_EN_EMIO_SDIO0"),
        *("PCW_EN_EMIO_MODEM_UART0", "PCW_EN_EMIO_CD_SDIO0", "PCW_EN_EMIO_WP_SDIO0", "PCW_EN_EMIO_ENET0"),
    ),
    "PSU__": (
        *(f"PSU__FPGA_PL{index}_ENABLE" for index in range(4)),
        *("PSU__USE__FABRIC__RST", "PSU__USE__IRQ0", "PSU__USE__M_AXI_GP0", "PSU__USE__M_AXI_GP1"),
        *("PSU__USE__M_AXI_GP2", "PSU__USE__S_AXI_GP0", "PSU__USE__AUDIO", "PSU__USE__VIDEO"),
    ),
}


def is_open(design: Design) -> bool:
    """Return whether automation connected more than the record holds: nothing then is missing."""
    return any(
        not automation.modelled and automation.rule != "assign_bd_address"
        for automation in design.automations
    )


def preset_cells(design: Design) -> frozenset[str]:
    """Return the cells whose parameters a board or a preset sets, besides the script."""
    named = {path for path, cell in design.cells.items() if _NAMES & set(cell.config)}
    applied = {
        automation.target
        for automation in design.automations
        if automation.rule in _PROCESSORS and automation.config.get("apply_board_preset") == "1"
    }
    return frozenset(named | applied)


def doubt_preset(ip: Ip, config: Mapping[str, str], resolved: Resolved) -> Resolved:
    """Return an IP with all pins and interfaces doubtful that a preset may switch on or off.

    What a preset may add is there, and doubtful, too.
    """
    names = next((names for start, names in _VARYING.items() if any(n.startswith(start) for n in config)), ())
    interfaces, ports = dict(resolved.interfaces), dict(resolved.ports)
    doubtful = set(resolved.doubtful)
    for name in names or (name for names in _VARYING.values() for name in names):
        if name in config or ip.parameter(name, config) is None:
            continue
        for value in "01":
            other = ip.resolve({**config, name: value})
            doubtful |= set(other.ports) ^ set(resolved.ports)
            doubtful |= set(other.interfaces) ^ set(resolved.interfaces)
            interfaces = {**other.interfaces, **interfaces}
            ports = {**other.ports, **ports}
    return replace(resolved, interfaces=interfaces, ports=ports, doubtful=frozenset(doubtful))
