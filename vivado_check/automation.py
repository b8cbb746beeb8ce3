# SPDX-License-Identifier: BSD-3-Clause
"""Effects of automation on a block design: presets, and connections that no record shows.

A preset sets parameters that the script does not name. presets.toml has those of the boards of
[XilinxBoardStore](https://github.com/Xilinx/XilinxBoardStore), as far as they switch pins on or off. For any
other board, what hangs on one of these parameters is doubtful unless the script sets it; no preset in that
store switches another port on.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from .design import Design
from .ip.facts import Ip, Resolved

_PROCESSORS = ("processing_system7", "zynq_ultra_ps_e")
_NAMES = {"preset", "PCW_IMPORT_BOARD_PRESET", "PSU_IMPORT_BOARD_PRESET"}
# Parameters by IP.
_VARYING = {
    "processing_system7": (
        *("PCW_USE_M_AXI_GP0", "PCW_EN_CLK0_PORT", "PCW_EN_CLK1_PORT", "PCW_FPGA_FCLK0_ENABLE"),
        *("PCW_FPGA_FCLK1_ENABLE", "PCW_EN_RST0_PORT", "PCW_IRQ_F2P_INTR", "PCW_USE_FABRIC_INTERRUPT"),
        *("PCW_EN_EMIO_GPIO", "PCW_EN_EMIO_I2C0", "PCW_EN_EMIO_UART0", "PCW_EN_EMIO_SDIO0"),
        *("PCW_EN_EMIO_MODEM_UART0", "PCW_EN_EMIO_CD_SDIO0", "PCW_EN_EMIO_WP_SDIO0", "PCW_EN_EMIO_ENET0"),
    ),
    "zynq_ultra_ps_e": (
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


def preset_cells(design: Design) -> dict[str, bool]:
    """Return cells that a preset sets parameters of, and whether it is only that of the board."""
    named = {path: False for path, cell in design.cells.items() if _NAMES & set(cell.config)}
    applied = {
        automation.target: automation.target not in named
        for automation in design.automations
        if automation.rule in _PROCESSORS and automation.config.get("apply_board_preset") == "1"
    }
    return named | applied


@cache
def _presets() -> dict[str, Mapping[str, str]]:
    text = (Path(__file__).parent / "presets.toml").read_text()
    return {board.lower(): one["values"] for one in tomllib.loads(text)["preset"] for board in one["boards"]}


def board_preset(board_part: str) -> Mapping[str, str] | None:
    """Return what a board's preset sets of these parameters, None if the board is not known.

    Args:
        board_part: As in ``vendor:name:part0:version``.
    """
    return _presets().get(":".join(board_part.split(":")[:2]).lower())


def doubt_preset(ip: Ip, config: Mapping[str, str], resolved: Resolved) -> Resolved:
    """Return an IP with all pins and interfaces doubtful that a preset may switch on or off.

    What a preset may add is there, and doubtful, too.
    """
    interfaces, ports = dict(resolved.interfaces), dict(resolved.ports)
    doubtful = set(resolved.doubtful)
    for name in _VARYING.get(ip.vlnv.split(":")[2], ()):
        if name in config or (known := ip.parameter(name, config)) is None:
            continue
        for value in sorted({*"01"} - {known.default}):  # with its default there is what there is anyway
            other = ip.resolve({**config, name: value})
            doubtful |= set(other.ports) ^ set(resolved.ports)
            doubtful |= set(other.interfaces) ^ set(resolved.interfaces)
            interfaces = {**other.interfaces, **interfaces}
            ports = {**other.ports, **ports}
    return replace(resolved, interfaces=interfaces, ports=ports, doubtful=frozenset(doubtful))
