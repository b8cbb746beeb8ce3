# SPDX-License-Identifier: BSD-3-Clause
"""Completeness of a package: interfaces of a kernel have clocks and resets, memory files are included."""

from __future__ import annotations

from collections.abc import Iterator

from ..recording import Package, Part
from ..report import Message, Origin, Verdict
from .base import Context, rule

_KERNEL = "UG1393, Requirements of an RTL Kernel"
_CLOCKS = ("ap_clk", "ap_clk_2")


def _signal(interface: Part) -> bool:
    vlnv = interface.properties.get("vlnv")
    return vlnv is not None and ":signal:" in vlnv.value


def _said(origin: Origin, where: str, found: str, expected: str, remedy: str) -> Message:
    return Message("kernel-interfaces", Verdict.ERROR, origin, where, found, expected, remedy)


@rule("kernel-interfaces", scope="session", source=_KERNEL)
def kernel_interfaces(context: Context) -> Iterator[Message]:
    """Every pin of a kernel is part of an interface, each interface has its clock, each clock its reset."""
    for package in context.recording.packages:
        kernel = [origin for origin, kernel in package.checked if kernel]
        if kernel and package.ports is not None:
            yield from _kernel(package, kernel[-1])
        if package.archives and package.saved is None:
            yield _said(
                package.origin,
                package.top,
                "it was changed after it was saved, or never saved",
                "ipx::save_core before package_xo",
                "Save the core last",
            )


def _kernel(package: Package, origin: Origin) -> Iterator[Message]:
    interfaces = package.of("bus_interface")
    mapped = {
        port.properties["physical_name"].value
        for interface in interfaces
        for port in interface.of("port_map")
        if "physical_name" in port.properties
    }
    for port in package.ports or ():
        if port not in mapped:
            yield _said(
                origin,
                port,
                "it is part of no interface",
                "an interface for every pin",
                "Give it X_INTERFACE_INFO, or infer an interface of it",
            )
    for interface in interfaces:
        clock = package.clocks.get(interface.name)
        if not _signal(interface) and clock != "ap_clk":
            yield _said(
                origin,
                interface.name,
                f"its clock is {clock}" if clock else "it has no clock",
                "ap_clk",
                f"ipx::associate_bus_interfaces -busif {interface.name} -clock ap_clk",
            )
    for clock in _CLOCKS:
        if clock in (package.ports or ()) and clock not in package.resets:
            yield _said(
                origin,
                clock,
                "it has no reset",
                "a reset in step with it",
                f"ipx::associate_bus_interfaces -clock {clock} -reset <reset>",
            )


@rule("package-memory", scope="session", source="UG1118, File Groups; UG901, $readmem")
def package_memory(context: Context) -> Iterator[Message]:
    """Initialisation files of memories are in the package as memory files for synthesis."""
    types = {
        file.name: file.properties["file_type"].value
        for project in context.recording.projects
        for file in project.files
        if "file_type" in file.properties
    }
    for package in context.recording.packages:
        group = package.part("file_group", "xilinx_anylanguagesynthesis")
        for name, kind in types.items():
            if kind != "Memory Initialization Files" or not name.startswith(package.root + "/") or not group:
                continue
            below = name.removeprefix(package.root + "/")
            part = group.part("file", below)
            typed = part.properties.get("type") if part else None
            if part is None or typed is None or typed.value != "mif":
                yield Message(
                    "package-memory",
                    Verdict.FINDING,
                    typed.origin if typed else package.origin,
                    below,
                    f"its type is {typed.value}" if typed else "it has no type" if part else "it is left out",
                    "a file of type mif in the synthesis group",
                    "Add it, and set its type to mif",
                )
