# SPDX-License-Identifier: BSD-3-Clause
"""apply_bd_automation: what it adds is written down where its configuration says it all, else noted."""

from __future__ import annotations

from ..design import Automation, InterfacePin
from ..tcl.arguments import split_list
from .block_clkrst import connect_clock
from .block_state import Sheet, absolute, sheet, words_of
from .block_wiring import join_path, name_of
from .commands import Arguments, Command
from .session import Session

# The interfaces that the rule of a processor brings out: port, mode, VLNV (UG1037, UG585's DDR and MIO).
_EXTERNAL = {
    "FIXED_IO": "xilinx.com:display_processing_system7:fixedio_rtl:1.0",
    "DDR": "xilinx.com:interface:ddrx_rtl:1.0",
}


def apply_bd_automation(session: Session, call: Arguments) -> str:
    """Note an automation, and add what its configuration names."""
    current = sheet(session)
    (rule,) = call.need("-rule")
    pairs: list[tuple[str, str]] = []
    if call.has("-dict"):
        words = split_list(call.options["-dict"])
        pairs = list(zip(words[::2], words[1::2], strict=False))
    else:
        pairs = [(word, call.options.get("-config", "")) for word in words_of(call.rest)]
    for target, text in pairs:
        words = split_list(text)
        config = dict(zip(words[::2], words[1::2], strict=False))
        path = absolute(current, target)
        name = rule.rpartition(":")[2]
        modelled = (name in _PROCESSORS and _processor(current, config, path, call)) or (
            name == "clkrst" and connect_clock(session, current, config, path, call)
        )
        current.design.automations.append(Automation(name, config, path, call.origin, modelled))
        if not modelled:
            current.automatic = True
            session.not_modelled(path, f"what the automation {rule} adds at {path} is not recorded")
    return ""


def _processor(current: Sheet, config: dict[str, str], path: str, call: Arguments) -> bool:
    """Bring out memory and fixed pins; a board's preset is left to what reads the automation."""
    top = current.design.cells["/"]
    for name in (part.strip() for part in config.get("make_external", "").split(",")):
        if name in _EXTERNAL and name not in top.interfaces:
            top.interfaces[name] = InterfacePin(name, "Master", _EXTERNAL[name], call.origin)
            members = (join_path(path, name), f"/{name}")
            current.wiring.connect(members, call.origin, interface=True, current="/")
    return all(config.get(side, "Disable") in ("Disable", "") for side in ("Master", "Slave"))


def apply_board_connection(session: Session, call: Arguments) -> str:
    """Note a connection to what is on the card."""
    current = sheet(session)
    interface = call.options.get("-board_interface", "")
    target = absolute(current, call.options.get("-ip_intf", ""))
    config = {"Board_Interface": interface}
    current.design.automations.append(Automation("board", config, target, call.origin))
    current.automatic = True
    session.not_modelled(
        target, f"what joining {name_of(target)} to the card's {interface} adds is not recorded"
    )
    return ""


# The rules whose additions the configuration tells.
_PROCESSORS = ("processing_system7", "zynq_ultra_ps_e")

COMMANDS = {
    "apply_bd_automation": Command(apply_bd_automation, "-rule= -config= -dict= -opts="),
    "apply_board_connection": Command(apply_board_connection, "-board_interface= -ip_intf= -diagram="),
}
