# SPDX-License-Identifier: BSD-3-Clause
"""Wire the layers of one partition into a module with the ports of FINN's stitched IP."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from shellgen.model import AxiLitePort, StreamPort
from shellgen.model.axilite import CHANNELS
from shellgen.model.module_port import ModulePort, lite_ports, stream_ports
from shellgen.render import render
from shellgen.stitch.headers import port_directions

_STREAM = ("TDATA", "TVALID", "TREADY")
_LITE_BITS = {signal.upper(): bits for signal, bits, _ in CHANNELS if bits}
_CLOCKS = {"ap_clk": "ap_clk", "ap_clk2x": "ap_clk", "ap_rst_n": "ap_rst_n"}
# The stream that selects a set of thresholds is ignored where there is one set, and 8 bits wide.
_SET_STREAM = "in1_V_TDATA"


@dataclass(frozen=True)
class Block:
    """A stitched partition.

    Attributes:
        name: Module name, the name of the partition.
        streams: Stream ports, inputs first.
        axilite: AXI-Lite slaves in the order of the layers that they reach.
        netlist: Verilog of the module that instantiates the layers.
        wrapper: Verilog of ``<name>_wrapper``, which FINN builds simulate.
    """

    name: str
    streams: tuple[StreamPort, ...]
    axilite: tuple[AxiLitePort, ...]
    netlist: str
    wrapper: str


@dataclass(frozen=True)
class _Net:
    """A stream in the netlist: the pins at its ends as (instance, interface), one where it is a port."""

    name: str
    bits: int
    ends: tuple[tuple[str, str], ...]

    @property
    def inner(self) -> bool:
        """Whether it joins two layers."""
        return len(self.ends) > 1


@dataclass(frozen=True)
class _Instance:
    """A layer in the netlist; ``pins`` are (port, net), and a port without net stays open."""

    module: str
    name: str
    pins: tuple[tuple[str, str], ...]


def make_block(description: dict[str, Any]) -> Block:
    """Make the netlist of a partition.

    Args:
        description: What `finn_worker.describe.describe_partition` returned; its files must still exist.
    """
    name = description["name"]
    directions = {entry["name"]: _directions(entry) for entry in description["instances"]}
    streams = _stream_ports(description["streams"])
    axilite = _lite_ports(description["axilite"], directions)
    nets = _nets(description["streams"], name + "_")
    pins: dict[str, dict[str, str]] = {instance: {} for instance in directions}
    for net in nets:
        for instance, port in net.ends:
            for signal in _STREAM:
                pins[instance][_find(directions[instance], f"{port}_{signal}")] = (
                    f"{net.name}_{signal.lower()}"
                )
    for lite, slave in zip(
        axilite, [entry for entry in description["axilite"] if entry["exposed"]], strict=True
    ):
        for signal, port in lite.ports.items():
            pins[slave["instance"]][f"s_axilite_{signal}"] = port
    widths = {entry["instance"]: entry["addr_bits"] for entry in description["axilite"]}
    instances = [
        _Instance(
            entry["module"],
            entry["name"].removeprefix(name + "_"),
            _all_pins(directions[entry["name"]], pins[entry["name"]], widths.get(entry["name"], 0)),
        )
        for entry in description["instances"]
    ]
    ports = _port_list(streams, axilite)
    inner = [net for net in nets if net.inner]
    netlist = render("stitch/block.v.j2", name=name, ports=ports, nets=inner, instances=instances)
    wrapper = render("stitch/wrapper.v.j2", name=name, ports=ports)
    return Block(name, streams, axilite, netlist, wrapper)


def _directions(instance: dict[str, Any]) -> dict[str, str]:
    for path in reversed(instance["sources"]):
        with contextlib.suppress(KeyError):
            return port_directions(Path(path).read_text(), instance["module"])
    raise AssertionError(f"FINN generated no module {instance['module']}")


def _stream_ports(streams: list[dict[str, Any]]) -> tuple[StreamPort, ...]:
    found = []
    sides: tuple[tuple[str, Literal["in", "out"], str], ...] = (("driver", "in", "s"), ("sink", "out", "m"))
    for end, direction, letter in sides:
        outer = sorted(
            (stream for stream in streams if not stream[end][0]), key=lambda stream: stream[end][1]
        )
        for stream in outer:
            name = f"{letter}_axis_{stream[end][1]}"
            ports = {signal: f"{name}_{signal.lower()}" for signal in _STREAM}
            found.append(StreamPort(name=name, direction=direction, tdata_bits=stream["bits"], ports=ports))
    return tuple(found)


def _lite_ports(
    slaves: list[dict[str, Any]], directions: dict[str, dict[str, str]]
) -> tuple[AxiLitePort, ...]:
    found: list[AxiLitePort] = []
    for slave in slaves:
        if slave["exposed"]:
            name = f"s_axilite_{len(found)}"
            pins = [pin for pin in directions[slave["instance"]] if pin.startswith("s_axilite_")]
            signals = [pin.removeprefix("s_axilite_") for pin in pins]
            ports = {signal: f"{name}_{signal.lower()}" for signal in signals}
            found.append(AxiLitePort(name=name, addr_bits=slave["addr_bits"], data_bits=32, ports=ports))
    return tuple(found)


def _nets(streams: list[dict[str, Any]], prefix: str) -> list[_Net]:
    """Name every stream: after the port of the partition, or after the layer that drives it."""
    nets = []
    for stream in streams:
        (driver, port), (sink, index) = stream["driver"], stream["sink"]
        if not driver:
            net = _Net(f"s_axis_{port}", stream["bits"], ((sink, index),))
        elif not sink:
            net = _Net(f"m_axis_{index}", stream["bits"], ((driver, port),))
        else:
            inner = f"{driver.removeprefix(prefix)}_{port}"
            net = _Net(inner, stream["bits"], ((driver, port), (sink, index)))
        nets.append(net)
    return nets


def _find(directions: dict[str, str], wanted: str) -> str:
    """FINN's own IP writes stream signals in upper case, its memstream in lower case."""
    return next(port for port in directions if port.lower() == wanted.lower())


def _all_pins(
    directions: dict[str, str], connected: dict[str, str], addr_bits: int
) -> tuple[tuple[str, str], ...]:
    """Connect every port: what nothing drives is zero, what nothing reads stays open."""
    pins = []
    for port, direction in directions.items():
        net = connected.get(port) or _CLOCKS.get(port, "")
        if not net and direction == "input":
            signal = port.removeprefix("s_axilite_")
            bits = addr_bits if signal in ("AWADDR", "ARADDR") else _LITE_BITS.get(signal, 1)
            bits = 8 if port == _SET_STREAM else bits
            net = f"{{{bits}{{1'b0}}}}"
        pins.append((port, net))
    return tuple(pins)


def _port_list(streams: tuple[StreamPort, ...], axilite: tuple[AxiLitePort, ...]) -> list[ModulePort]:
    ports = [ModulePort("ap_clk", "in"), ModulePort("ap_rst_n", "in")]
    for stream in streams:
        ports += stream_ports(stream)
    for lite in axilite:
        ports += lite_ports(lite)
    return ports
