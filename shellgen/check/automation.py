# SPDX-License-Identifier: BSD-3-Clause
"""What automation adds to a block design: externals, presets, connections that no record shows.

A preset sets parameters that the script does not name. Which ones differ between boards, or from the IP's own
default, was counted in the 264 presets of [XilinxBoardStore](https://github.com/Xilinx/XilinxBoardStore):
what hangs on one of those is doubtful unless the script sets it. No preset there switches any other port on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .design import Automation, Design
from .ip.facts import Ip, Resolved

_CELL_RULES = ("processing_system7", "zynq_ultra_ps_e")
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
_PATH = re.compile(r"/[\w./-]*\w")


@dataclass(frozen=True)
class Added:
    """What the automations of a design add.

    Attributes:
        preset: Cells whose parameters a board or a preset sets.
        external: Interfaces that were made external, by cell.
        touched: Cells to which automation connects what the record does not show.
    """

    preset: frozenset[str] = frozenset()
    external: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    touched: frozenset[str] = frozenset()


def added(design: Design) -> Added:
    """Return what the automations of a design add to its record."""
    preset = {path for path, cell in design.cells.items() if _has_preset(cell.config)}
    external: dict[str, tuple[str, ...]] = {}
    touched: set[str] = set()
    for automation in design.automations:
        rule = automation.rule.rpartition(":")[2]
        if rule in _CELL_RULES:
            target = "/" + automation.target.strip("/")
            if automation.config.get("apply_board_preset") == "1":
                preset.add(target)
            names = re.split(r"[,\s]+", automation.config.get("make_external", ""))
            external[target] = tuple(name for name in names if name)
        elif automation.rule:
            touched |= _named(automation, design)
    return Added(frozenset(preset), external, frozenset(touched))


def _has_preset(config: Mapping[str, object]) -> bool:
    return any(name in config for name in ("preset", "PCW_IMPORT_BOARD_PRESET", "PSU_IMPORT_BOARD_PRESET"))


def _named(automation: Automation, design: Design) -> set[str]:
    """Return the cells that an automation names in its target or its options."""
    found = set()
    for text in ("/" + automation.target.strip("/"), *automation.config.values()):
        for named in _PATH.findall(text):
            path = named
            while path and path not in design.cells:
                path = path.rpartition("/")[0]
            found.add(path)
    return found - {""}


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
