# SPDX-License-Identifier: BSD-3-Clause
"""Modules that a block design refers to: what Vivado takes as one (UG994, Referencing RTL Modules)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..design import Cell
from ..hdl import SYSTEM_VERILOG, VERILOG, VHDL, Hdl, Source
from ..recording import Project
from ..report import Message, Verdict
from .base import Context, rule

UG994 = "UG994, Referencing RTL Modules"
_INFO = re.compile(r'X_INTERFACE_INFO\s*=\s*"([^"]*)"')
# A VLNV, the name of an interface, the name of a signal in it.
_MEANT = re.compile(r"\s*[\w.-]+(:[\w.-]+){3}\s+\S+\s+\S+\s*")
_FAMILY = {"xpm_cdc": "XPM_CDC", "xpm_fifo": "XPM_FIFO", "xpm_memory": "XPM_MEMORY"}


def references(context: Context) -> Iterator[tuple[Cell, Project, Hdl]]:
    """Yield the module references of a design, each with the project that its sources are in."""
    assert context.design is not None
    cells = [cell for cell in context.design.cells.values() if cell.kind == "module"]
    if cells and context.recording.projects:
        project = context.recording.projects[-1]
        hdl = context.projects[-1]
        for cell in cells:
            yield cell, project, hdl


@rule("module-reference", scope="design", source=UG994)
def module_reference(context: Context) -> Iterator[Message]:
    """A referenced module is in a file of the project, and that is plain Verilog or VHDL."""
    for cell, project, hdl in references(context):
        source = hdl.defining(cell.reference)
        if source is None:
            if not hdl.closed:
                yield _unknown(cell, ours=context.ours)
        elif source.kind not in (VERILOG, VHDL):
            yield _refused(cell, source)
        mode = project.properties.get("source_mgmt_mode")
        if mode is not None and mode.value == "None":
            yield Message(
                rule="module-reference",
                verdict=Verdict.ERROR,
                origin=mode.origin,
                where=cell.path,
                found="source_mgmt_mode is None, so Vivado does not look for modules",
                expected="source_mgmt_mode All",
                remedy="leave it as it is",
                vivado="filemgmt 56-587",
            )


def _unknown(cell: Cell, *, ours: bool) -> Message:
    """Report a missing module; of third-party scripts some files may be missing."""
    return Message(
        rule="module-reference",
        verdict=Verdict.ERROR if ours else Verdict.NOT_MODELLED,
        origin=cell.origin,
        where=cell.path,
        found=f"no file of the project that can be read defines the module {cell.reference}",
        expected="a file that defines it, added before the cell is made",
        remedy="add the file",
        vivado="filemgmt 56-587" if ours else "",
    )


def _refused(cell: Cell, source: Source) -> Message:
    return Message(
        rule="module-reference",
        verdict=Verdict.ERROR,
        origin=cell.origin,
        where=cell.path,
        found=f"{source.name}, which defines {cell.reference}, is {source.kind}",
        expected="Verilog or VHDL at the top of a reference; what is below it may be anything",
        remedy=f"put a Verilog wrapper around it{_typed(source)}",
        vivado="filemgmt 56-195",
    )


def _typed(source: Source) -> str:
    plain = source.kind == SYSTEM_VERILOG and source.name.endswith(".v")
    return ", or read it as Verilog" if plain else ""


@rule("module-attributes", scope="design", source=UG994)
def module_attributes(context: Context) -> Iterator[Message]:
    """Attributes of a referenced module's ports are attributes that Vivado understands."""
    for cell, _, hdl in references(context):
        source = hdl.defining(cell.reference)
        for info in _INFO.findall(_header(source.text, cell.reference)) if source else ():
            if not _MEANT.fullmatch(info):
                yield Message(
                    rule="module-attributes",
                    verdict=Verdict.FINDING,
                    origin=cell.origin,
                    where=cell.path,
                    found=f'X_INTERFACE_INFO of {cell.reference} is "{info}", which Vivado leaves out',
                    expected="<vendor>:<library>:<name>:<version> <interface> <signal>",
                    remedy="correct the attribute",
                    vivado="IP_Flow 19-5234",
                )


def _header(text: str, module: str) -> str:
    """Return the ports of a module, without comments."""
    begun = re.search(
        rf"^\s*(?:macro)?module\s+{re.escape(module)}\b(.*?)\);", text, re.MULTILINE | re.DOTALL
    )
    return re.sub(r"//[^\n]*", "", begun[1]) if begun else ""


@rule("xpm-libraries", scope="session", source="UG974; UG1118, property xpm_libraries of an IP")
def xpm_libraries(context: Context) -> Iterator[Message]:
    """An IP that is packaged of sources with XPM macros says which of their libraries it needs."""
    for package in context.recording.packages:
        hdls = [hdl for hdl in context.projects if hdl.defining(package.top)]
        if not package.top or not hdls:
            continue
        said = package.properties.get("xpm_libraries")
        named = set(said.value.split()) if said else set()
        for family in sorted(_families(hdls[-1], package.top) - named):
            yield Message(
                rule="xpm-libraries",
                verdict=Verdict.FINDING,
                origin=said.origin if said else package.origin,
                where=package.top,
                found=f"it has macros of {family}, which its xpm_libraries do not name",
                expected=f"{family} among them: an IP is synthesised without the project's own libraries",
                remedy=f"add {family} to xpm_libraries of the core",
            )


def _families(hdl: Hdl, top: str) -> set[str]:
    lost = [found.text for found in hdl.below(top).findings if found.code == "UnknownModule"]
    return {family for text in lost for start, family in _FAMILY.items() if f"'{start}_" in text}
