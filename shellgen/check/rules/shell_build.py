# SPDX-License-Identifier: BSD-3-Clause
"""CMakeLists.txt of a Coyote application: its macros in their order, with settings that Coyote takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from shellgen.platforms.commands import clone
from vivado_check.report import Message, Origin, Verdict

from ..cmake import Caller, Lists
from ..cmake_text import CMakeError, NotReadError
from .base import Context, rule
from .planned_files import CMAKE_SET, RENEW, Text, texts

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

# What FindCoyoteHW.cmake declares of what is set or asked for here, with its default.
_DEFAULTS = {
    **dict.fromkeys(_SWITCHES, "0"),
    **dict.fromkeys(_COUNTS, "1"),
    "FDEV_NAME": "0",
    "UCLK_F": "0",
    "ACLK_F": "250",
    "COMP_CORES": "4",
    "FPLAN_PATH": "0",
    "BUILD_APP": "0",
    "EN_STRM": "1",
}
_PLANNED = {"FDEV_NAME", "EN_STRM", "N_STRM_AXI", "EN_MEM", "EN_RDMA", "N_REGIONS", "N_CONFIG", "EN_PR"}
_FLOORPLAN = {"FPLAN_PATH": "floorplan.xdc"}
_ELSE = "77"
# What a caller may ask for, as far as the list does not set it itself.
_FREE = ("COMP_CORES", "ACLK_F", "UCLK_F")


@rule("coyote-cmake", scope="session", source=_SOURCE, ours=True)
def coyote_cmake(context: Context) -> Iterator[Message]:
    """Every macro is called once and in order, and each vFPGA of each configuration has its application."""
    for _, text in texts(context, "coyote/hw/CMakeLists.txt"):
        yield from _macros(text)
        yield from _callers(context, text)
        yield from _settings(text)
        yield from _places(context, text)


@dataclass(frozen=True)
class _Clone:
    """A clone of Coyote as a list finds it.

    Attributes:
        there: Whether it is where CYT_DIR says.
        brings: Variables that validation_checks_hw() sets from an existing shell.
        resets: Variables that find_package() sets, overriding the request.
    """

    there: bool = True
    brings: Mapping[str, str] = field(default_factory=dict)
    resets: Mapping[str, str] = field(default_factory=dict)

    def read(self, text: str, given: Mapping[str, str]) -> Lists:
        """Read a list with it."""

        module = f"{clone('COYOTE')}/cmake"

        def found(lists: Lists, words: list[str]) -> None:
            if words[:1] != ["CoyoteHW"]:
                raise CMakeError(0, f"there is no Find{''.join(words[:1])}.cmake in Coyote")
            if module not in (lists.value("CMAKE_MODULE_PATH") or "").split(";"):
                raise CMakeError(0, f"CMAKE_MODULE_PATH has no {module}, so there is no FindCoyoteHW.cmake")
            for name, value in _DEFAULTS.items():
                lists.declare(name, value)
            lists.variables.update(self.resets)

        def checked(lists: Lists, _: list[str]) -> None:
            lists.variables.update(self.brings)

        def nothing(_lists: Lists, _: list[str]) -> None:
            return

        macros = dict.fromkeys(_MACROS, nothing) | {"find_package": found, "validation_checks_hw": checked}
        whole = {"CYT_DIR": clone("COYOTE"), **given}
        return Lists(
            text, Caller(whole, lambda name: self.there and name == f"{module}/FindCoyoteHW.cmake", macros)
        )


def _callers(context: Context, text: Text) -> Iterator[Message]:
    """A build with the planned variables succeeds; CMake stops where it would ignore a caller's variable."""
    try:
        usual = _Clone().read(text.text, _FLOORPLAN)
        yield from _right(context, text, usual)
        yield from _stopping(text, usual)
    except NotReadError as error:
        yield Message(
            "coyote-cmake",
            Verdict.NOT_MODELLED,
            Origin(text.name, error.line),
            error.text,
            "what comes of it is not followed",
            "set(), list(APPEND), if(), foreach() and the cache",
            "Look whether the variables of plan.json are still what Coyote gets",
        )
    except CMakeError as error:
        found = f"CMake stops: {error.text}"
        origin = Origin(text.name, error.line)
        yield _said(origin, text.name, found, "CMake goes on for a caller who has everything")


def _right(context: Context, text: Text, usual: Lists) -> Iterator[Message]:
    """The plan's settings are variables and cache entries, because later stages read the cache."""
    if all(name != "create_hw" for _, name, _ in usual.called):
        yield _said(Origin(text.name), "create_hw", "it is not reached", "it with all that is checked before")
    planned = _planned_by(text)
    for name, wanted in _set_by(text).items():
        places = {"variable": usual.value(name)}
        if name in planned:  # a setting of the user's own is needed by this stage only
            places["cache"] = usual.cache.get(name, ("", ""))[1]
        for where, value in places.items():
            if value != wanted:
                found = f"it is {value!r} as {where} in the end"
                yield _said(text.line_of(name), name, found, f"{wanted}, which is set before")
    missing = sorted(_PLANNED - set(_set_by(text)))
    for name in missing:
        yield _said(Origin(text.name), name, "it is not set", "every variable that the plan depends on")
    for line, name, words in usual.called:
        if name == "project" and words[:1] != [context.node]:
            shown = words[0] if words else "nothing"
            yield Message(
                "coyote-cmake",
                Verdict.DIFFERS,
                Origin(text.name, line),
                "project",
                f"it is called {shown}",
                context.node,
                RENEW,
            )


def _stopping(text: Text, usual: Lists) -> Iterator[Message]:
    """CMake stops with a sentence for these callers, and only for these."""
    settings = _set_by(text)
    planned = _planned_by(text)
    free = next((name for name in _FREE if name not in settings), "")
    shell = {"BUILD_APP": "1"}
    cases: list[tuple[str, _Clone, dict[str, str], bool]] = [
        ("CYT_DIR without Coyote", _Clone(there=False), {}, True),
        ("-DTHERE_IS_NO_SUCH=1", _Clone(), {"THERE_IS_NO_SUCH": "1"}, True),
        ("-DCMAKE_BUILD_TYPE=Debug", _Clone(), {"CMAKE_BUILD_TYPE": "Debug"}, False),
        ("BUILD_APP", _Clone(brings={"EN_PR": "1"}), shell, False),
    ]
    if free:
        cases.append((f"-D{free}=3", _Clone(), {free: "3"}, False))
        cases.append(("a variable that Coyote overrides", _Clone(resets={free: "8"}), {free: "3"}, True))
    for name, value in planned.items():
        cases.append((f"-D{name}={_ELSE}", _Clone(), {name: _ELSE}, True))
        cases.append((f"-D{name}={value}", _Clone(), {name: value}, False))
        cases.append((f"a shell with another {name}", _Clone(brings={name: _ELSE}), shell, True))
    if usual.value("FPLAN_PATH") != _DEFAULTS["FPLAN_PATH"] and planned.get("N_CONFIG", "1") != "1":
        cases.append(
            ("several configurations without FPLAN_PATH", _Clone(), dict.fromkeys(_FLOORPLAN, "0"), True)
        )
    for what, clone_, given, stops in cases:
        try:
            clone_.read(text.text, {**_FLOORPLAN, **given})
            stopped, line = False, 0
        except CMakeError as error:
            if not error.meant:
                raise
            stopped, line = True, error.line
        if stopped != stops:
            found = "CMake stops" if stopped else "CMake goes on"
            expected = "it stops with a sentence" if stops else "it goes on"
            yield _said(Origin(text.name, line), what, found, expected)


def _planned_by(text: Text) -> dict[str, str]:
    """Return the settings of the plan: all but those that a user may add once Coyote's modules are found."""
    early = _set_by(Text(text.name, text.text.partition("find_package(")[0]))
    clock = {"EN_UCLK", "UCLK_F"} & early.keys()
    return {name: value for name, value in _set_by(text).items() if name in _PLANNED | clock}


def _set_by(text: Text) -> dict[str, str]:
    return {name: value for name, value in CMAKE_SET.findall(text.text) if name in _DEFAULTS}


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
