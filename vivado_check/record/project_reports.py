# SPDX-License-Identifier: BSD-3-Clause
"""End of the scripts of write_project_tcl: reports of a run, and gadgets that show them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..tcl.arguments import join_list
from .commands import Arguments, Command
from .objects import Thing, select
from .session import Session


@dataclass
class Reports:
    """Report configurations and gadgets of a session, by name."""

    configs: dict[str, Thing] = field(default_factory=dict)
    gadgets: dict[str, Thing] = field(default_factory=dict)


def _find(session: Session, name: str) -> Thing | None:
    reports = session.state(Reports)
    return reports.configs.get(name) or reports.gadgets.get(name)


def create_report_config(session: Session, call: Arguments) -> str:
    """Let a run make a report."""
    (name,) = call.need("-report_name")
    session.state(Reports).configs[name] = Thing("a report of a run", {"NAME": name})
    return name


def get_report_configs(session: Session, call: Arguments) -> str:
    """Answer with the reports that the script has asked for."""
    configs = session.state(Reports).configs
    return join_list(select(session, call, configs, configs.get))


def create_dashboard_gadget(session: Session, call: Arguments) -> str:
    """Show a report."""
    (name,) = call.need("-name")
    session.state(Reports).gadgets[name] = Thing("a gadget", {"NAME": name})
    return name


def get_dashboard_gadgets(session: Session, call: Arguments) -> str:
    """Answer with the gadgets that the script has made."""
    gadgets = session.state(Reports).gadgets
    return join_list(select(session, call, gadgets, gadgets.get))


def delete_dashboard_gadgets(session: Session, call: Arguments) -> str:
    """Show a report no more."""
    gadgets = session.state(Reports).gadgets
    for name in select(session, call, gadgets, gadgets.get):
        del gadgets[name]
    return ""


def delete_report_configs(session: Session, call: Arguments) -> str:
    """Make a report no more."""
    configs = session.state(Reports).configs
    for name in select(session, call, configs, configs.get):
        del configs[name]
    return ""


FINDERS = (_find,)
COMMANDS = {
    "create_report_config": Command(
        create_report_config, "-report_name= -report_type= -steps= -runs= -options= -copy_of="
    ),
    "get_report_configs": Command(get_report_configs, "-of_objects= -filter= -regexp -nocase"),
    "delete_report_configs": Command(delete_report_configs),
    "create_dashboard_gadget": Command(create_dashboard_gadget, "-name= -type="),
    "get_dashboard_gadgets": Command(get_dashboard_gadgets),
    "delete_dashboard_gadgets": Command(delete_dashboard_gadgets),
    "move_dashboard_gadget": Command(get_dashboard_gadgets, "-col= -dashboard= -name= -row="),
}
