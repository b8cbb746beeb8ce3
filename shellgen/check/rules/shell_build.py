# SPDX-License-Identifier: BSD-3-Clause
"""CMakeLists.txt of a Coyote application: its macros in their order, with settings that Coyote takes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vivado_check.report import Message, Origin, Verdict

from .base import Context, rule
from .planned_files import CMAKE_SET, Text, texts

_SOURCE = "fpgasystems/Coyote, cmake/FindCoyoteHW.cmake and the examples' CMakeLists.txt"
_MACROS = ("find_package", "project", "validation_checks_hw", "load_apps", "create_hw")
_CALL = re.compile(r"^[ \t]*(\w+)\s*\(\s*(\w*)", re.MULTILINE)
_PLACE = re.compile(r"^\s+VFPGA_C(\d+)_(\d+)\s+\"([^\"]*)\"", re.MULTILINE)
_CACHED = re.compile(r'^\s*set\(\s*(\w+)\s+"([^"]*)"\s+CACHE', re.MULTILINE)
_SWITCHES = (
    *("EN_STRM", "EN_MEM", "EN_RDMA", "EN_TCP", "EN_NET_0", "EN_NET_1", "EN_SNIFFER", "EN_PR", "EN_UCLK"),
    *("EN_NCLK", "EN_AVX", "EN_WB"),
)
_COUNTS = {"N_REGIONS": 15, "N_CONFIG": None, "N_STRM_AXI": 16, "N_CARD_AXI": None, "N_RDMA_AXI": None}


@rule("coyote-cmake", scope="session", source=_SOURCE, ours=True)
def coyote_cmake(context: Context) -> Iterator[Message]:
    """Every macro is called once and in order, and each vFPGA of each configuration has its application."""
    for _, text in texts(context, "coyote/hw/CMakeLists.txt"):
        yield from _macros(text)
        yield from _settings(text)
        yield from _places(context, text)


def _macros(text: Text) -> Iterator[Message]:
    body = re.sub(r"#[^\n]*", lambda found: " " * len(found[0]), text.text)
    calls = [(found[1], found.start()) for found in _CALL.finditer(body)]
    last = -1
    for name in _MACROS:
        places = [start for called, start in calls if called == name]
        if len(places) != 1:
            said = f"{name}() is called {len(places)} times" if places else f"{name}() is not called"
            yield _said(_at(text, places[-1]) if places else Origin(text.name), name, said, "it once")
        elif places[0] < last:
            yield _said(
                _at(text, places[0]), name, "it is called too early", f"the order {', '.join(_MACROS)}"
            )
        last = max([last, *places])
    checked = next((start for called, start in calls if called == "validation_checks_hw"), len(body))
    for found in CMAKE_SET.finditer(body):
        if found.start() > checked and (found[1] in _SWITCHES or found[1] in _COUNTS):
            expected = "it before validation_checks_hw(), which checks it"
            yield _said(_at(text, found.start()), found[1], "it is set too late", expected)


def _settings(text: Text) -> Iterator[Message]:
    settings = dict(CMAKE_SET.findall(text.text))
    for name, value in settings.items():
        whole = re.fullmatch(r"[0-9]{1,3}", value)
        most = _COUNTS.get(name)
        if name in _SWITCHES and value not in ("0", "1"):
            yield _said(text.line_of(f"{name} {value}"), name, f"it is {value}", "0 or 1")
        elif name in _COUNTS and not (whole and 1 <= int(value) <= (most or 999)):
            yield _said(text.line_of(f"{name} {value}"), name, f"it is {value}", f"1 to {most or 999}")
    if settings.get("N_CONFIG", "1") != "1" and settings.get("EN_PR") != "1":
        found = f"N_CONFIG is {settings['N_CONFIG']}, and EN_PR is {settings.get('EN_PR', 'not set')}"
        yield _said(text.line_of("N_CONFIG"), "EN_PR", found, "EN_PR 1: only reconfiguration has several")


def _places(context: Context, text: Text) -> Iterator[Message]:
    settings, cached = dict(CMAKE_SET.findall(text.text)), dict(_CACHED.findall(text.text))
    counts = [settings.get(name, "1") for name in ("N_CONFIG", "N_REGIONS")]
    held = {(int(one), int(two)): folder for one, two, folder in _PLACE.findall(text.text)}
    if all(re.fullmatch(r"[0-9]{1,2}", count) for count in counts):
        wanted = {(config, region) for config in range(int(counts[0])) for region in range(int(counts[1]))}
        for config, region in sorted(wanted ^ set(held)):
            name = f"VFPGA_C{config}_{region}"
            found = "no application is loaded" if (config, region) in wanted else "there is no such vFPGA"
            expected = f"an application for each of {counts[0]} x {counts[1]} (N_CONFIG x N_REGIONS)"
            yield _said(
                text.line_of(name if (config, region) in held else "load_apps"), name, found, expected
            )
    for (config, region), folder in held.items():
        real = cached.get(folder[2:-1], folder) if folder.startswith("${") else folder
        path = (context.folder / text.name).parent / real / "vfpga_top.svh"
        if not path.is_file():
            name = f"VFPGA_C{config}_{region}"
            yield _said(
                text.line_of(f"{name} "), name, f"{real} has no vfpga_top.svh", "a folder that has one"
            )


def _at(text: Text, start: int) -> Origin:
    return Origin(text.name, text.text.count("\n", 0, start) + 1)


def _said(origin: Origin, where: str, found: str, expected: str) -> Message:
    return Message(
        "coyote-cmake",
        Verdict.ERROR,
        origin,
        where,
        found,
        expected,
        "correct it, or generate the folder again",
    )
