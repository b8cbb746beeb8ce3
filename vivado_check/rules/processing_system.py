# SPDX-License-Identifier: BSD-3-Clause
"""The processing system: its memory and pins leave the design, and a coherent port is one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..graph import Graph, split_path
from ..ip.constant import value_of
from ..report import Message
from .base import Context, rule
from .walk import Wrong, cells_of, error, finding, ip_name

_SIDE = re.compile(r"(saxigp[01])_a([wr])(cache|prot)")
# What makes an access coherent: modifiable and allocating in AxCACHE, not secure in AxPROT.
_WANTED = {"cache": 0b1100, "prot": 0b010}
_REQUESTED = re.compile(r"PCW_FPGA[0-3]_PERIPHERAL_FREQMHZ")
_NUMBER = re.compile(r"\d{1,9}(\.\d*)?")
_SLOWEST, _FASTEST = 0.1, 250.0


@rule("ps-external", scope="design", source="PG082, Processing System 7: DDR and FIXED_IO")
def ps_external(context: Context) -> Iterator[Message]:
    """Find a Zynq-7000 whose DDR or FIXED_IO stays inside."""
    graph = context.graph
    for path, cell in cells_of(graph, "processing_system7"):
        for name in ("DDR", "FIXED_IO"):
            bus = f"{path}/{name}"
            if not graph.open and not graph.bus_ends(bus)[1:]:
                yield finding(
                    context,
                    "ps-external",
                    bus,
                    Wrong(
                        "it is not external, so the PS has no pins for it",
                        "a port of the design",
                        "make it external",
                    ),
                    cell.origin,
                )


@rule("ps-preset", scope="design", source="PG082 and PG201: the PS is configured for its board", ours=True)
def ps_preset(context: Context) -> Iterator[Message]:
    """Find a PS in a generated design without a board preset: DDR and clocks would be wrong."""
    graph = context.graph
    for path, cell in cells_of(graph, "processing_system7", "zynq_ultra_ps_e"):
        told = any(name.startswith(("PCW_UIPARAM_DDR", "PSU__DDRC")) for name in cell.config)
        if not graph.has_preset(path) and not told:
            yield finding(
                context,
                "ps-preset",
                path,
                Wrong(
                    "no board preset was applied to it, and no DDR configured",
                    "the preset of its board",
                    "apply block automation with apply_board_preset, or set CONFIG.preset",
                ),
                cell.origin,
            )


@rule("coherent-port", scope="design", source="AR 69446; UG1085")
def coherent_port(context: Context) -> Iterator[Message]:
    """Find an HPC port without cache coherence, or only half configured: a slower HP port."""
    graph = context.graph
    for path, cell in cells_of(graph, "zynq_ultra_ps_e"):
        driven: dict[str, set[str]] = {}
        for pin in graph.pins.origins:
            found = _SIDE.fullmatch(split_path(pin)[1]) if split_path(pin)[0] == path else None
            if not found:
                continue
            driven.setdefault(found[1], set()).add(f"a{found[2]}{found[3]}")
            value = _constant(graph, pin)
            wanted = _WANTED[found[3]]
            if value is not None and not value & wanted:
                yield _incoherent(context, pin, f"it is {value}", f"at least one bit of {wanted:#06b} set")
        for port, names in driven.items():
            for missing in sorted({"awcache", "arcache", "awprot", "arprot"} - names):
                where = f"{path}/{port}_{missing}"
                yield _incoherent(context, where, f"others of {cell.path} are set, and it is not", "a value")


def _incoherent(context: Context, pin: str, found: str, expected: str) -> Message:
    return finding(
        context,
        "coherent-port",
        pin,
        Wrong(
            f"{found}: accesses are not coherent",
            expected,
            "drive all four AxCACHE and AxPROT with coherent values",
        ),
    )


def _constant(graph: Graph, pin: str) -> int | None:
    driver = graph.driver(pin) or next((end for end in graph.loads(pin)), None)
    cell = graph.design.cells.get(split_path(driver)[0]) if driver else None
    if cell is None or ip_name(cell) not in ("xlconstant", "ilconstant"):
        return None
    return value_of(graph.config(cell.path).get("CONST_VAL", "1"), {})


@rule(
    "ps-clock-range",
    scope="design",
    source="cholla.mmto.org/ebaz4205/fabric.html: the dialog ends at 250 MHz",
)
def ps_clock_range(context: Context) -> Iterator[Message]:
    """Find clocks that a Zynq-7000 is asked for and cannot be: its dialog takes 0.1 to 250 MHz."""
    for path, cell in cells_of(context.graph, "processing_system7"):
        for name, setting in cell.config.items():
            if not _REQUESTED.fullmatch(name) or not _NUMBER.fullmatch(setting.value.strip()):
                continue
            if not _SLOWEST <= float(setting.value) <= _FASTEST:
                wrong = Wrong(
                    f"it is {setting.value} MHz",
                    f"{_SLOWEST} to {_FASTEST:g} MHz",
                    "ask for a lower frequency, and multiply it by a Clocking Wizard",
                )
                where = f"{path}: CONFIG.{name}"
                yield error(context, "ps-clock-range", where, wrong, setting.origin)
