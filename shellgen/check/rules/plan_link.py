# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: what ``v++`` links, clocks and connects for a card (link.cfg)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from vivado_check.link.config import Option, read_config
from vivado_check.report import Message, Origin

from .base import Context, rule
from .planned import RETURN, Planned, broken, differs
from .planned_files import RENEW, Text, texts

# Options in a generated configuration file, by section. Source: UG1393, v++ linking options.
_KEYS = {
    "kernel_frequency": "",
    "nk": "connectivity",
    "slr": "connectivity",
    "sp": "connectivity",
    "stream_connect": "connectivity",
    "chipscope": "debug",
    "prop": "vivado",
}
# Others that v++ has, by their section. Source: UG1393, configuration file; Xilinx/Vitis_Accel_Examples.
_OTHERS = {
    "connectivity": {"connect"},
    "clock": {"freqHz", "defaultFreqHz"},
    "advanced": {"param", "misc"},
    "hls": {"pre_tcl"},
    "profile": {"data", "exec", "stall"},
}
# Interfaces by the role of the core's pin. Source: Xilinx/xup_vitis_network_example, README and kernels.
_ROLES = {"nl2sk": "M_AXIS_nl2sk", "sk2nl": "S_AXIS_sk2nl", "mm2s": "k2n", "s2mm": "n2k"}
_MEMORY = "m_axi_gmem"
_IP = re.compile(r"(\w+):\{(\w+)\}")


@dataclass(frozen=True)
class Config:
    """A configuration file of ``v++``, and what it is held against."""

    wanted: Planned
    file: Text
    options: tuple[Option, ...]

    def of(self, key: str) -> list[Option]:
        """Return the lines of an option."""
        return [one for one in self.options if one.key == key]


def _configs(context: Context) -> Iterator[Config]:
    for wanted, text in texts(context, "*/link.cfg"):
        yield Config(wanted, text, read_config(text.text, text.name))


@rule("plan-link", scope="session", source="docs/vitis.md; UG1393, v++ linking options")
def link(context: Context) -> Iterator[Message]:
    """Units, clocks, placement and memory of the linked card are those of the plan and the memory map."""
    for config in _configs(context):
        yield from _sections(config)
        expected = {f"nk={kernel}:{len(names)}:{'.'.join(names)}" for kernel, names in _units(config.wanted)}
        yield from _compare(config, "nk", expected, _nk)
        yield from _compare(config, "sp", _banks(config.wanted), _plain)
        yield from _compare(config, "kernel_frequency", {_frequency(config.wanted)}, _plain)
        yield from _regions(config)
        yield from _strategy(config)


@rule("plan-link-streams", scope="session", source="docs/vitis.md; UG1393, stream_connect")
def streams(context: Context) -> Iterator[Message]:
    """Every stream of the core meets the kernel that memory_map.json has for it."""
    for config in _configs(context):
        expected = {f"stream_connect={a}:{b}" for a, b in (*_core(config.wanted), *_macs(config.wanted))}
        yield from _compare(config, "stream_connect", expected, _ends)


def _compare(config: Config, key: str, expected: set[str], form: Callable[[str], str]) -> Iterator[Message]:
    """Hold all lines of an option against those that the plan asks for."""
    rule_name = "plan-link-streams" if key == "stream_connect" else "plan-link"
    found: dict[str, Option] = {}
    for option in config.of(key):
        shape = f"{key}={form(option.value)}"
        if shape in found:
            yield _said(rule_name, option.origin, shape, "it is there twice", "it once")
        elif shape not in expected:
            near = _nearest(shape, expected - set(found))
            yield _said(rule_name, option.origin, f"{key}={option.value}", "the plan has no such line", near)
        found[shape] = option
    for shape in sorted(expected - set(found)):
        yield _said(rule_name, Origin(config.file.name), shape, "it is missing", shape)


def _said(rule_name: str, origin: Origin, where: str, found: str, expected: str) -> Message:
    return broken(rule_name, origin, where, found, expected, RENEW)


def _nearest(shape: str, others: Iterable[str]) -> str:
    words = set(re.split(r"\W+", shape))
    ranked = sorted(others, key=lambda one: (-len(words & set(re.split(r"\W+", one))), one))
    return ranked[0] if ranked else "nothing more"


def _plain(value: str) -> str:
    return value.replace(" ", "")


def _ends(value: str) -> str:
    return ":".join(_plain(value).split(":")[:2])  # a depth may follow


def _nk(value: str) -> str:
    kernel, _, rest = _plain(value).partition(":")
    count, _, names = rest.partition(":")
    return f"{kernel}:{count}:{names.replace(',', '.')}"


def _sections(config: Config) -> Iterator[Message]:
    for option in config.options:
        section = _KEYS.get(option.key)
        if section != option.section and option.key in _OTHERS.get(option.section, ()):
            where = f"[{option.section}] {option.key}={option.value}"
            yield differs("plan-link", option.origin, where, "shellgen does not write it", "nothing", RETURN)
        elif section != option.section:
            where = f"[{option.section}]" if option.section else "the head of the file"
            expected = (
                f"[{section}]" if section else ", ".join(sorted(_KEYS)) if section is None else "the head"
            )
            yield _said("plan-link", option.origin, option.key, f"it is in {where}", expected)


def _units(wanted: Planned) -> list[tuple[str, list[str]]]:
    """Return every kernel with the names of its units, by what the map says XRT calls them."""
    ips = [wanted.map.ip, *(one.ip for one in wanted.map.units), *(one.ip for one in wanted.map.movers)]
    found: dict[str, list[str]] = {}
    for ip in ips:
        match = _IP.fullmatch(ip or "")
        if match:
            found.setdefault(match[1], []).append(match[2])
    return list(found.items())


def _instance(ip: str | None) -> str:
    match = _IP.fullmatch(ip or "")
    return match[2] if match else ""


def _core(wanted: Planned) -> Iterator[tuple[str, str]]:
    """Yield the connections of the core, master first."""
    core = _instance(wanted.map.ip)
    movers = {one.stream: one.name for one in wanted.map.movers}
    for attachment in wanted.node.attachments:
        stacks = [unit for unit in attachment.units if any(pin.role in _ROLES for pin in attachment.pins)]
        for pin in attachment.pins:
            unit = (
                movers.get(pin.stream)
                if pin.stream in movers
                else _instance(stacks[0].ip if stacks else None)
            )
            own, its = f"{core}.{pin.name}", f"{unit}.{_ROLES.get(pin.role, pin.role)}"
            yield (its, own) if pin.direction == "in" else (own, its)


def _macs(wanted: Planned) -> Iterator[tuple[str, str]]:
    """Yield the connections between the units of an attachment: the stack, and the MAC below it."""
    for attachment in wanted.node.attachments:
        names = [_instance(unit.ip) for unit in attachment.units]
        if len(names) == 2:
            stack, mac = names
            yield f"{mac}.M_AXIS", f"{stack}.S_AXIS_eth2nl"
            yield f"{stack}.M_AXIS_nl2eth", f"{mac}.S_AXIS"


def _facts(wanted: Planned, name: str) -> object:
    """Return what cluster.toml asks for, else what the board has."""
    asked = wanted.node.options.get(name)
    return asked if asked is not None else wanted.node.board.platform[wanted.node.platform].get(name)


def _banks(wanted: Planned) -> set[str]:
    found = _facts(wanted, "memory")
    banks = [found] if isinstance(found, str) else list(found) if isinstance(found, list | tuple) else []
    movers, core = wanted.map.movers, _instance(wanted.map.ip)
    own = {f"sp={core}.{ring.name}:{ring.bank}" for ring in wanted.map.rings if ring.bank}
    return own | {f"sp={one.name}.{_MEMORY}:{banks[k % len(banks)]}" for k, one in enumerate(movers) if banks}


def _frequency(wanted: Planned) -> str:
    rates = "|".join(f"{index}:{clock.hz // 1_000_000}" for index, clock in enumerate(wanted.node.clocks))
    return f"kernel_frequency={rates}"


def _regions(config: Config) -> Iterator[Message]:
    """VNx's kernels are where the card's transceivers are, the core where it is asked to be."""
    wanted = config.wanted
    near = wanted.node.board.platform[wanted.node.platform].get("network_slr")
    expected = {_instance(unit.ip): near for unit in wanted.map.units if near is not None}
    asked = wanted.node.options.get("slr")
    if isinstance(asked, int) and asked >= 0:
        expected[_instance(wanted.map.ip)] = asked
    found: dict[str, str] = {}
    for option in config.of("slr"):
        unit, _, region = _plain(option.value).partition(":")
        found[unit] = region
        known = {name for _, names in _units(wanted) for name in names}
        if unit not in known or (unit in expected and region != f"SLR{expected[unit]}"):
            shown = (
                f"{unit}:SLR{expected[unit]}" if unit in expected else f"one of {', '.join(sorted(known))}"
            )
            yield _said("plan-link", option.origin, f"slr={option.value}", "the plan has another", shown)
    for unit in sorted(set(expected) - set(found)):
        line = f"slr={unit}:SLR{expected[unit]}"
        yield _said("plan-link", Origin(config.file.name), line, "it is missing", line)


def _strategy(config: Config) -> Iterator[Message]:
    asked = config.wanted.node.options.get("strategy")
    line = f"run.impl_1.strategy={asked}"
    props = config.of("prop")
    strategies = [one for one in props if one.value.partition("=")[0].strip() == "run.impl_1.strategy"]
    for option in strategies:
        if asked and asked != "default" and _plain(option.value) != line:
            yield _said("plan-link", option.origin, f"prop={option.value}", "the plan has another", line)
    if asked and asked != "default" and not strategies:
        yield _said("plan-link", Origin(config.file.name), f"prop={line}", "it is missing", line)
