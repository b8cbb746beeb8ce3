# SPDX-License-Identifier: BSD-3-Clause
"""IP-XACT: the ``component.xml`` of a partition in the form in which Vivado packages FINN's stitched IP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from shellgen.model import AxiLitePort, OtherPort, StreamPort
from shellgen.model.axilite import SLAVE_OUTPUTS
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
    streams, axilite, others = tuple(streams), tuple(axilite), tuple(others)
    clocks = (clock,) if clock2x is None else (clock, clock2x)
    ports = [_port(port, "in", 1) for port in (*clocks, reset)]
    for stream in streams:
        ports += _stream_ports(stream)
    for lite in axilite:
        ports += _lite_ports(lite)
    ports += [_port(port.name, port.direction, port.bits) for port in others]
    return render(
        "ipxact/component.xml.j2",
        name=xml_quote(name),
        top=xml_quote(top or name),
        streams=[_stream_interface(port) for port in streams],
        axilite=[_lite_interface(port) for port in axilite],
        clocks=[{"name": f"CLK.{port.upper()}", "port": port} for port in clocks],
        reset={"name": f"RST.{reset.upper()}", "port": reset},
        busifs=":".join([port.name for port in streams] + [port.name for port in axilite]),
        ports=ports,
        files=[_file(path) for path in files],
    )


def _port(name: str, direction: str, bits: int, vector: bool | None = None) -> dict[str, object]:
    as_vector = bits > 1 if vector is None else vector
    return {"name": name, "direction": direction, "bits": bits, "vector": as_vector}


def _stream_ports(stream: StreamPort) -> list[dict[str, object]]:
    forward, back = ("in", "out") if stream.direction == "in" else ("out", "in")
    widths = {"TDATA": stream.tdata_bits, "TKEEP": stream.tdata_bits // 8, "TSTRB": stream.tdata_bits // 8}
    return [
        _port(port, back if signal == "TREADY" else forward, widths.get(signal, 1), signal in widths)
        for signal, port in stream.ports.items()
    ]


def _lite_ports(lite: AxiLitePort) -> list[dict[str, object]]:
    widths = {
        "AWADDR": lite.addr_bits,
        "ARADDR": lite.addr_bits,
        "AWPROT": 3,
        "ARPROT": 3,
        "WDATA": lite.data_bits,
        "RDATA": lite.data_bits,
        "WSTRB": lite.data_bits // 8,
        "BRESP": 2,
        "RRESP": 2,
    }
    return [
        _port(port, "out" if signal in SLAVE_OUTPUTS else "in", widths.get(signal, 1), signal in widths)
        for signal, port in lite.ports.items()
    ]


def _stream_interface(stream: StreamPort) -> dict[str, object]:
    flag = {signal: int(signal in stream.ports) for signal in ("TREADY", "TSTRB", "TKEEP", "TLAST")}
    parameters = {"TDATA_NUM_BYTES": stream.tdata_bits // 8, "TDEST_WIDTH": 0, "TID_WIDTH": 0}
    parameters |= {"TUSER_WIDTH": 0} | {f"HAS_{signal}": value for signal, value in flag.items()}
    role = "slave" if stream.direction == "in" else "master"
    return _interface(stream.name, role, stream.ports, parameters)


def _lite_interface(lite: AxiLitePort) -> dict[str, object]:
    parameters: dict[str, int | str] = {"DATA_WIDTH": lite.data_bits, "PROTOCOL": "AXI4LITE"}
    parameters |= {"ADDR_WIDTH": lite.addr_bits, "READ_WRITE_MODE": "READ_WRITE"}
    return _interface(lite.name, "slave", lite.ports, parameters)


def _interface(
    name: str, role: str, ports: Mapping[str, str], parameters: Mapping[str, int | str]
) -> dict[str, object]:
    return {"name": name, "role": role, "ports": dict(ports), "parameters": dict(parameters)}


def _file(path: str) -> dict[str, str]:
    pure = PurePosixPath(path)
    return {
        "name": xml_quote(path),
        "type": _FILE_TYPES.get(pure.suffix, ""),
        "stem": pure.suffix.lstrip("."),
    }
