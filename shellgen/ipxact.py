# SPDX-License-Identifier: BSD-3-Clause
"""IP-XACT: the ``component.xml`` of a partition in the form in which Vivado packages FINN's stitched IP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from shellgen.model import AxiLitePort, OtherPort, StreamPort
from shellgen.model.module_port import ModulePort, lite_ports, other_ports, stream_ports
from shellgen.quote import xml_quote
from shellgen.render import render

_FILE_TYPES = {".v": "verilogSource", ".vh": "verilogSource", ".sv": "systemVerilogSource"}


def component_xml(  # noqa: PLR0913 - one argument per group of facts in the file
    name: str,
    streams: Iterable[StreamPort],
    axilite: Iterable[AxiLitePort],
    *,
    clock: str,
    reset: str,
    others: Iterable[OtherPort],
    files: Iterable[str],
    top: str | None = None,
    clock2x: str | None = None,
) -> str:
    """Describe one partition in IP-XACT (IEEE 1685-2009, the SPIRIT namespace that Vivado writes).

    Interfaces are named as given (``s_axis_0``), clock and reset ``CLK.AP_CLK`` and ``RST.AP_RST_N``.
    Physical ports are exactly those of the records. There is no memory map, as in FINN's files: the
    window of an AXI-Lite slave is ``2**ADDR_WIDTH`` bytes.

    Args:
        name: Block name, in the VLNV ``xilinx_finn:finn:<name>:1.0``.
        streams: AXI4-Stream ports.
        axilite: AXI-Lite slaves.
        clock: Clock port.
        reset: Reset port, active low.
        others: Ports outside any interface.
        files: Sources, relative to component.xml, in the order in which a compiler must read them.
        top: Module to instantiate; the block name if left out.
        clock2x: Clock port of twice the frequency, if there is one.

    Source: component.xml of FINN's own stitched IPs, as docs/finn-builds.md lists them.
    """
    streams, axilite = tuple(streams), tuple(axilite)
    clocks = (clock,) if clock2x is None else (clock, clock2x)
    busifs = ":".join([port.name for port in streams] + [port.name for port in axilite])
    ports = [ModulePort(port, "in") for port in (*clocks, reset)]
    for stream in streams:
        ports += stream_ports(stream)
    for lite in axilite:
        ports += lite_ports(lite)
    return render(
        "ipxact/component.xml.j2",
        name=xml_quote(name),
        top=xml_quote(top or name),
        streams=[_stream_interface(port) for port in streams],
        axilite=[_lite_interface(port) for port in axilite],
        clocks=[
            _clock_interface(port, reset, busifs if place == 0 else "") for place, port in enumerate(clocks)
        ],
        reset=_Interface(f"RST.{reset.upper()}", "slave", {"RST": reset}, {"POLARITY": "ACTIVE_LOW"}),
        ports=[*ports, *other_ports(others)],
        files=[_file(path) for path in files],
    )


@dataclass(frozen=True)
class _Interface:
    """A bus interface: its physical ports by signal, and its parameters for Vivado."""

    name: str
    role: str
    ports: Mapping[str, str]
    parameters: Mapping[str, int | str]


@dataclass(frozen=True)
class _File:
    """A source, quoted; Vivado takes a file without a ``type`` of IP-XACT by its extension."""

    name: str
    type: str
    extension: str


def _stream_interface(stream: StreamPort) -> _Interface:
    flag = {signal: int(signal in stream.ports) for signal in ("TREADY", "TSTRB", "TKEEP", "TLAST")}
    parameters = {"TDATA_NUM_BYTES": stream.tdata_bits // 8, "TDEST_WIDTH": 0, "TID_WIDTH": 0}
    parameters |= {"TUSER_WIDTH": 0} | {f"HAS_{signal}": value for signal, value in flag.items()}
    role = "slave" if stream.direction == "in" else "master"
    return _Interface(stream.name, role, stream.ports, parameters)


def _lite_interface(lite: AxiLitePort) -> _Interface:
    parameters: dict[str, int | str] = {"DATA_WIDTH": lite.data_bits, "PROTOCOL": "AXI4LITE"}
    parameters |= {"ADDR_WIDTH": lite.addr_bits, "READ_WRITE_MODE": "READ_WRITE"}
    return _Interface(lite.name, "slave", lite.ports, parameters)


def _clock_interface(clock: str, reset: str, busifs: str) -> _Interface:
    parameters = {"ASSOCIATED_RESET": reset, "ASSOCIATED_BUSIF": busifs}
    return _Interface(f"CLK.{clock.upper()}", "slave", {"CLK": clock}, parameters)


def _file(path: str) -> _File:
    suffix = PurePosixPath(path).suffix
    return _File(xml_quote(path), _FILE_TYPES.get(suffix, ""), suffix.lstrip("."))
