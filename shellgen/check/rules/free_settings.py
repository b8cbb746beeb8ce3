# SPDX-License-Identifier: BSD-3-Clause
"""Parameters that a user may change in a generated design: they affect speed and size, not the host's view.

Only planned parameters are listed; a script may set others as well. Those that host programs depend on
(widths, lengths, registers, clocks, interrupts) are not in this list; rules of the plan judge them.
"""

from __future__ import annotations

import re

from .planned import number

# By IP. Sources: PG021 (bursts), PG261 (samples).
_FREE = {"axi_dma": r"c_(mm2s|s2mm)_burst_size", "system_ila": r"c_data_depth"}
# More of these make room for what is added: slots, ports of an interconnect, lines of interrupts.
_MORE = {
    "axi_interconnect": r"num_[sm]i",
    "smartconnect": r"num_([sm]i|clks)",
    "xlconcat": r"num_ports",
    "system_ila": r"c_num_monitor_slots",
}
# What a processing system may have besides: ports, clocks, peripherals, pins.
_BESIDES = re.compile(
    r"pcw_use_[sm]_axi_\w+|pcw_(fpga_fclk|en_clk|en_rst)\d\w*|pcw_use_fabric_interrupt|pcw_\w+_enable"
    r"|psu__use__\w+|psu__fpga_pl\d_enable|psu__\w+__enable",
    re.IGNORECASE,
)
_SYSTEMS = ("processing_system7", "zynq_ultra_ps_e")


def may_be(ip: str, parameter: str, found: str, wanted: str) -> bool:
    """Tell whether a planned parameter may have another value.

    Args:
        ip: Its name, with or without vendor, library and version.
        parameter: Without ``CONFIG.``.
        found: The value.
        wanted: What was planned.
    """
    name = [*ip.split(":"), "", ""][2] or ip.partition(":")[0]
    if re.fullmatch(_FREE.get(name, "-"), parameter, re.IGNORECASE):
        return True
    has, asked = number(found), number(wanted)
    if has is None or asked is None:
        return False
    if re.fullmatch(_MORE.get(name, "-"), parameter, re.IGNORECASE):
        return has > asked
    return name in _SYSTEMS and (has, asked) == (1, 0) and bool(_BESIDES.fullmatch(parameter))
