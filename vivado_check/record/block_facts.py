# SPDX-License-Identifier: BSD-3-Clause
"""Facts of a cell, if there are any: for wildcards, defaults, directions of ports."""

from __future__ import annotations

from ..clocking import given_hertz
from ..design import Cell, Design
from ..graph import MODULE_REFERENCE, Graph
from ..ip.catalogue import catalogue_of
from ..ip.facts import Ip, Resolved
from .session import Session


def config_of(cell: Cell) -> dict[str, str]:
    """Return the parameters that a script has set, without their VALUE_SRC."""
    return {name: setting.value for name, setting in cell.config.items()}


def component_name(design: Design, cell: Cell) -> str:
    """Return the module name that Vivado gives to a cell of an IP: ``design_1_axi_dma_0_0``."""
    return f"{design.name}{cell.path.replace('/', '_')}_0"


def components(session: Session) -> dict[str, tuple[Design, Cell]]:
    """Return the cells of IP by their module names; Vivado lists them among the IP of the project."""
    return {
        component_name(design, cell): (design, cell)
        for design in session.recording.designs.values()
        for cell in design.cells.values()
        if cell.kind == "ip"
    }


def ip_of(session: Session, cell: Cell | None) -> Ip | None:
    """Return the facts of a cell's IP, None if there are none."""
    if session.catalogue is None or cell is None or cell.kind in ("hier", "container"):
        return None
    vlnv = cell.vlnv or MODULE_REFERENCE.format(cell.reference)
    return session.catalogue.find(vlnv, session.release)


def resolved(session: Session, cell: Cell | None) -> Resolved | None:
    """Return the pins and interfaces of a cell in its configuration, None if they are not known."""
    ip = ip_of(session, cell)
    return ip.resolve(config_of(cell)) if ip is not None and cell is not None else None


def frequency(session: Session, path: str) -> str | None:
    """Return the FREQ_HZ of a clock output of an IP, None if that is not known."""
    if session.design is None:
        return None
    graph = Graph(session.design, session.catalogue or catalogue_of(()), session.release)
    hertz = given_hertz(graph, path)
    return None if hertz is None else str(hertz)
