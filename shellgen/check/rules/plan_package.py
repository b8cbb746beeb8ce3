# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: the packaged kernel as the packager was asked for it, and every file of the core."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vivado_check.recording import Package
from vivado_check.report import Message, Origin

from .base import Context, rule
from .planned import Planned, broken, number, planned
from .planned_files import RENEW, texts

# Of a kernel that the host does not start. Source: UG1393, Packaging RTL Code as a Vitis XO.
_KERNEL = {"sdx_kernel": "true", "sdx_kernel_type": "rtl", "vitis_drc": "ctrl_protocol ap_ctrl_none"}
_PAGE = 0x1000
_HEADERS = {".vh", ".svh"}


def _said(origin: Origin, where: str, found: str, expected: str) -> Message:
    return broken("plan-package", origin, where, found, expected, RENEW)


@rule("plan-package", scope="session", source="docs/vitis.md; UG1393, Packaging RTL Code as a Vitis XO")
def package(context: Context) -> Iterator[Message]:
    """The kernel has a clock at every interface, a reset at every clock, and all registers of the map."""
    wanted = planned(context)
    if wanted is None or wanted.map.ip is None or context.recording.ended != 0:
        return
    kernel = wanted.map.ip.partition(":")[0]
    made = [one for one in context.recording.packages if one.archives]
    if not made:
        yield _said(_first(context), kernel, "nothing is packaged as a kernel", f"build/{kernel}.xo")
    for one in made:
        yield from _archive(context, one, kernel)
        for name, value in _KERNEL.items():
            found = one.properties.get(name)
            if found is None or found.value.strip("{}").split() != value.split():
                line = found.origin if found else one.origin
                yield _said(line, f"{kernel} {name}", found.value if found else "it is not set", value)
        yield from _clocks(wanted, one)
        yield from _registers(wanted, one)


def _first(context: Context) -> Origin:
    return next((project.origin for project in context.recording.projects), Origin())


def _archive(context: Context, one: Package, kernel: str) -> Iterator[Message]:
    if one.name != kernel:
        expected = f"{kernel}, as XRT calls it in memory_map.json"
        yield _said(one.origin, one.name, "the packaged module", expected)
    for path, description in one.archives.items():
        if Path(path).parts[-2:] != ("build", f"{kernel}.xo"):
            yield _said(one.origin, path, "the kernel", f"build/{kernel}.xo, which the Makefile links")
        for _, text in texts(context, "*/kernel.xml"):
            if description != text.text:
                yield _said(one.origin, path, "another description", f"{text.name}")


def _clocks(wanted: Planned, one: Package) -> Iterator[Message]:
    pins = [pin.name for attachment in wanted.node.attachments for pin in attachment.pins]
    pins += [port.name for port in wanted.node.memory_ports if port.dest is None]
    control = [bus.name for bus in one.of("bus_interface") if bus.properties.get("slave_memory_map_ref")]
    for name in (*control, *pins):
        bus = one.part("bus_interface", name)
        if bus is None:
            yield _said(one.origin, name, "the packager has no such interface", "a stream of the core")
        elif one.clocks.get(name) != "ap_clk":
            found = one.clocks.get(name, "it has no clock")
            yield _said(bus.origin, name, found, "ap_clk: the core's ports have the first clock")
    for index in range(len(wanted.node.clocks)):
        suffix = f"_{index + 1}" if index else ""
        found = one.resets.get(f"ap_clk{suffix}", "no reset goes with it")
        if found != f"ap_rst_n{suffix}":
            yield _said(one.origin, f"ap_clk{suffix}", found, f"ap_rst_n{suffix}")


def _registers(wanted: Planned, one: Package) -> Iterator[Message]:
    least = max(_PAGE, wanted.map.span)
    blocks = [block for map_ in one.of("memory_map") for block in map_.of("address_block")]
    if not blocks:
        yield _said(one.origin, "address blocks", "there is none", f"registers of {least:#x} bytes")
    for block in blocks:
        for name, expected in (("range", least), ("width", 32)):
            found = block.properties.get(name)
            if found is None or number(found.value) != expected:
                line = found.origin if found else block.origin
                shown = f"{expected:#x}" if name == "range" else str(expected)
                yield _said(line, f"{block.name} {name}", found.value if found else "not set", shown)


@rule("plan-files", scope="session", source="docs/design.md, One source of truth")
def files(context: Context) -> Iterator[Message]:
    """Simulated and built files are the same: every file of the core is in the project, or in the package."""
    wanted = planned(context)
    if wanted is None or context.recording.ended != 0 or not context.recording.projects:
        return
    node = context.folder / wanted.node.name
    if not node.is_dir():
        return  # a recording without a folder
    found = [path for sub in ("rtl", "partition") for path in (node / sub).glob("*")]
    found += node.glob("vitis/*_kernel.v")
    there = {path.relative_to(node).as_posix() for path in found} | {f"{wanted.node.name}_core.v"}
    packaged = [one for one in context.recording.packages if one.of("file_group")]
    taken = {part.name for one in packaged for group in one.of("file_group") for part in group.of("file")}
    if not packaged:
        taken = {file.path.as_posix() for project in context.recording.projects for file in project.files}
        there = {name for name in there if Path(name).suffix not in _HEADERS}  # found in include folders
    for name in sorted(there):
        if not any(one == name or one.endswith(f"/{name}") for one in taken):
            yield broken(
                "plan-files",
                packaged[0].origin if packaged else _first(context),
                name,
                "it is in no project",
                "every file of the core, as it was simulated",
                "add it where the others are added",
            )
