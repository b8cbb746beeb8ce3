# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: how a shell is configured around the core, and which packaged core it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vivado_check.report import Message

from .base import Context, rule
from .plan_vfpga import LOGIC, first_ring
from .planned import Planned, broken, number
from .planned_files import CMAKE_SET, RENEW, Text, texts

_SHELL_MHZ = 250  # by default
_DEFINED = re.compile(r"-D(\w+)=([\w.]+)")


@rule("plan-shell", scope="session", source="docs/coyote.md; fpgasystems/Coyote, cmake")
def settings(context: Context) -> Iterator[Message]:
    """The shell is made for the card, with as many vFPGAs, streams and clocks as the plan has."""
    for wanted, text in texts(context, "*/hw/CMakeLists.txt"):
        if wanted.map.vfpga:
            yield from _hold(wanted, text, dict(CMAKE_SET.findall(text.text)), whole=True)
            yield from _applications(wanted, text)
    for wanted, text in texts(context, "*/Makefile"):
        lines = [line for line in text.text.splitlines() if "$(CMAKE)" in line and "-B $(hw)" in line]
        for line in lines if wanted.map.vfpga and wanted.map.vfpga.version == "v1" else ():
            yield from _hold(wanted, text, dict(_DEFINED.findall(line)), whole=False)
            yield from _told(context, text, dict(_DEFINED.findall(line)))


def _told(context: Context, text: Text, has: dict[str, str]) -> Iterator[Message]:
    """The script that looks for the shell's interfaces says which settings bring them: they are the same."""
    for _, script in texts(context, "*/hw/project.tcl"):
        line = next((one for one in script.text.splitlines() if "configure Coyote with" in one), "")
        for name, value in _DEFINED.findall(line):
            if has.get(name) != value:
                found = has.get(name, "it is not set")
                expected = f"{value}, as {script.name} says"
                yield broken("plan-shell", text.line_of(f"-D{name}"), name, found, expected, RENEW)


def _asked(wanted: Planned, whole: bool) -> dict[str, str]:
    """Return the parameters that the shell needs; all of them if the text is generated as a whole."""
    node = wanted.node
    streams, cards = first_ring(wanted), sum(port.dest is not None for port in node.memory_ports)
    rings = sum(port.host for port in node.memory_ports)
    streams, cards = streams + rings, cards - rings
    found = {"FDEV_NAME": str(node.board.platform[node.platform].get("device"))}
    if streams:
        found |= {"EN_STRM": "1", "N_STRM_AXI": str(streams)}
    if whole:
        found |= {"EN_MEM": "1", "N_CARD_AXI": str(cards)} if cards else {"EN_MEM": "0"}
    if whole:
        regions, configs = node.options.get("regions", 1), node.options.get("configs", 1)
        found |= {"N_REGIONS": str(regions), "N_CONFIG": str(configs), "EN_PR": str(int(configs != 1))}
        found |= {"EN_RDMA": "1"} if node.options.get("rdma") else {}
    return found


def _hold(wanted: Planned, text: Text, has: dict[str, str], whole: bool) -> Iterator[Message]:
    for name, value in _asked(wanted, whole).items():
        if has.get(name) != value:
            origin = text.line_of(f"{name} {has[name]}" if whole and name in has else name)
            found, expected = has.get(name, "it is not set"), f"{value}, as in plan.json"
            yield broken("plan-shell", origin, name, found, expected, RENEW)
    # User logic has the shell's clock, or one of its own. Source: Coyote, cmake/FindCoyoteHW.cmake.
    name = "UCLK_F" if has.get("EN_UCLK") == "1" else "ACLK_F"
    rate, mhz = number(has.get(name, str(_SHELL_MHZ))), wanted.node.clocks[0].hz / 1e6
    if rate != round(mhz):
        found, expected = f"user logic runs at {rate} MHz", f"{mhz:g} MHz, as in plan.json"
        yield broken("plan-shell", text.line_of(name), name, found, expected, RENEW)


def _applications(wanted: Planned, text: Text) -> Iterator[Message]:
    """The core is in the vFPGA through which the host's program opens it."""
    assert wanted.map.vfpga is not None
    place = f"VFPGA_C{wanted.node.options.get('config', 0)}_{wanted.map.vfpga.region}"
    held = dict(re.findall(r"^\s+(VFPGA_C\d+_\d+)\s+\"([^\"]*)\"", text.text, re.MULTILINE))
    if held.get(place) != "src":
        shown = ", ".join(f"{name} {folder}" for name, folder in held.items()) or "nothing is loaded"
        line = text.line_of(place if place in held else "load_apps")
        yield broken("plan-shell", line, place, shown, f'{place} "src", which holds the core', RENEW)


@rule("plan-packaged", scope="session", source="docs/coyote.md; UG1118, Creating and Packaging Custom IP")
def packaged(context: Context) -> Iterator[Message]:
    """The project instantiates the IP of package.tcl: same name, revision, and module in user logic."""
    for wanted, text in texts(context, "*/package.tcl"):
        if not wanted.map.vfpga:
            continue
        revision = re.search(r"core_revision\s+(\d+)", text.text)
        rate = re.search(r"set_property\s+value\s+(\d+)\s+\$frequency", text.text)
        hz = wanted.node.clocks[0].hz
        if rate and int(rate[1]) != hz:
            line = text.line_of(rate[0])
            yield broken("plan-packaged", line, "FREQ_HZ", rate[1], f"{hz}, the clock of plan.json", RENEW)
        for pattern in ("*/hw/src/init_ip.tcl", "*/hw/project.tcl"):
            for _, taker in texts(context, pattern):
                yield from _taken(context, wanted, taker, revision[1] if revision else "")


def _taken(context: Context, wanted: Planned, taker: Text, revision: str) -> Iterator[Message]:
    asked = re.search(r">(\d+)</xilinx:coreRevision>", taker.text)
    if asked and asked[1] != revision:
        shown = f"{revision or 'none'}, which package.tcl gives it"
        yield broken("plan-packaged", taker.line_of(asked[0]), "core revision", asked[1], shown, RENEW)
    name = f"{wanted.node.name}_core"
    made = [line for line in taker.text.splitlines() if re.search(rf"create_ip .*-name {name} ", line)]
    if not made:
        line = taker.line_of("create_ip")
        yield broken("plan-packaged", line, "create_ip", "it makes another IP", name, RENEW)
    for found in made:
        yield from _module(context, taker, found)


def _module(context: Context, taker: Text, line: str) -> Iterator[Message]:
    given = re.search(r"-module_name\s+(\S+)", line)
    for pattern in LOGIC:
        for _, text in texts(context, pattern):
            used = re.search(r"`define\s+SHELLGEN_CORE\s+(\w+)", text.text)
            if used and (given is None or given[1] != used[1]):
                shown = f"{used[1]}, which {text.name} instantiates"
                found = given[1] if given else "no module name"
                yield broken("plan-packaged", taker.line_of(line), "create_ip", found, shown, RENEW)
