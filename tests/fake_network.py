# SPDX-License-Identifier: BSD-3-Clause
"""Small networks for tests of planning and emission: each partition hands its words on unchanged."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from math import prod
from typing import Literal

from shellgen.model import (
    AxiLitePort,
    Board,
    ClusterSpec,
    Edge,
    ElementType,
    Endpoint,
    Memory,
    Network,
    Partition,
    Plan,
    SourceFile,
    StreamPort,
)
from shellgen.model.axilite import CHANNELS
from shellgen.plan import make_plan
from shellgen.read import read_board


def stream(
    name: str, direction: Literal["in", "out"], datatype: str, per_word: int, elements: int
) -> StreamPort:
    bits = ElementType.parse(datatype).bits * per_word
    return StreamPort(
        name=name,
        direction=direction,
        tdata_bits=(bits + 7) // 8 * 8,
        ports={s: f"{name}_{s.lower()}" for s in ("TDATA", "TVALID", "TREADY")},
        datatype=datatype,
        normal_shape=(1, elements),
        folded_shape=(1, elements // per_word, per_word),
    )


def lite(index: int, addr_bits: int = 8, words: int = 4) -> AxiLitePort:
    name = f"s_axilite_{index}"
    memory = Memory(
        layer=f"MVAU_rtl_{index}",
        op_type="MVAU_rtl",
        kind="weights",
        word_bits=32,
        element_bits=4,
        pe=2,
        simd=4,
        words=words,
        lanes=1,
    )
    ports = {signal.upper(): f"{name}_{signal}" for signal, _, _ in CHANNELS}
    return AxiLitePort(name=name, addr_bits=addr_bits, data_bits=32, ports=ports, memory=memory)


def partition(
    name: str,
    takes: tuple[tuple[str, int, int], ...] = (("UINT4", 2, 16),),
    makes: tuple[tuple[str, int, int], ...] = (("UINT4", 2, 16),),
    slaves: tuple[AxiLitePort, ...] = (),
    *,
    sidebands: bool = False,
    lead: int = 0,
) -> tuple[Partition, bytes]:
    """One partition; ``takes`` and ``makes`` are (data type, elements per word, elements per frame).

    With ``sidebands`` every stream has TLAST and TKEEP, and an input stops for good where they are not right.
    The first stream out begins each frame with ``lead`` words of zeros, before any input, as padding does.
    """
    inputs = [stream(f"s_axis_{i}", "in", *spec) for i, spec in enumerate(takes)]
    outputs = [stream(f"m_axis_{i}", "out", *spec) for i, spec in enumerate(makes)]
    if sidebands:
        inputs, outputs = ([_with_sidebands(port) for port in side] for side in (inputs, outputs))
    text = verilog(name, inputs, outputs, slaves, lead).encode()
    source = SourceFile(name=f"{name}.v", kind="verilog", sha256=hashlib.sha256(text).hexdigest())
    made = Partition(
        name=name,
        top=f"{name}_wrapper",
        clock="ap_clk",
        reset="ap_rst_n",
        streams=(*inputs, *outputs),
        axilite=slaves,
        sources=(source,),
        layers=(f"{name}_layer",),
        origin=f"build/{name}",
    )
    return made, text


def _with_sidebands(port: StreamPort) -> StreamPort:
    more = {s: f"{port.name}_{s.lower()}" for s in ("TLAST", "TKEEP")}
    return port.model_copy(update={"ports": port.ports | more})


def _checked(port: StreamPort) -> list[str]:
    """Say in Verilog whether an input's word is whole, and marked if and only if it ends a frame."""
    name = port.name
    return [
        f"integer {name}_count = 0;",
        f"wire {name}_end = {name}_count == {port.words_per_frame - 1};",
        f"wire {name}_fine = ({name}_tlast == {name}_end) && &{name}_tkeep;",
        f"always @(posedge ap_clk) if (!ap_rst_n) {name}_count <= 0;",
        f"  else if ({name}_tvalid && {name}_tready) {name}_count <= {name}_end ? 0 : {name}_count + 1;",
    ]


def _leading(given: StreamPort, made: StreamPort, lead: int, fine: str) -> list[str]:
    """Let words of zeros go before the words of each frame."""
    a, b, most = given.name, made.name, made.words_per_frame - 1
    return [
        f"integer {b}_at = 0;",
        f"wire {b}_lead = {b}_at < {lead};",
        f"always @(posedge ap_clk) if (!ap_rst_n) {b}_at <= 0;",
        f"  else if ({b}_tvalid && {b}_tready) {b}_at <= {b}_at == {most} ? 0 : {b}_at + 1;",
        f"assign {b}_tdata = {b}_lead ? 0 : {a}_tdata;",
        f"assign {b}_tvalid = ap_rst_n && ({b}_lead || {a}_tvalid{fine});",
        f"assign {a}_tready = {b}_tready && !{b}_lead{fine};",
    ]


def verilog(
    name: str,
    inputs: list[StreamPort],
    outputs: list[StreamPort],
    slaves: tuple[AxiLitePort, ...],
    lead: int = 0,
) -> str:
    """Pass-through of stream k to stream k; slaves never answer (they are there to be wired)."""
    ports = ["input wire ap_clk", "input wire ap_rst_n"]
    body = ["wire unused = &{1'b0, ap_clk, ap_rst_n};"]
    for port, (data, other) in [(p, ("input", "output")) for p in inputs] + [
        (p, ("output", "input")) for p in outputs
    ]:
        ports.append(f"{data} wire [{port.tdata_bits - 1}:0] {port.name}_tdata")
        ports.append(f"{data} wire {port.name}_tvalid")
        ports.append(f"{other} wire {port.name}_tready")
        if "TLAST" in port.ports:
            ports.append(f"{data} wire {port.name}_tlast")
            ports.append(f"{data} wire [{port.tdata_bits // 8 - 1}:0] {port.name}_tkeep")
    for given, made in zip(inputs, outputs, strict=False):
        fine = f" && {given.name}_fine" if "TLAST" in given.ports else ""
        if fine:
            body += _checked(given)
            body.append(f"assign {{{made.name}_tlast, {made.name}_tkeep}} = 0;")
        if lead and made is outputs[0]:
            body += _leading(given, made, lead, fine)
            continue
        above = made.tdata_bits - made.payload_bits if made.payload_bits == given.payload_bits else 0
        # Padding is not payload: FINN's MVAU extends a sign into it.
        ones = f"{{{above}{{1'b1}}}}, " if above else ""
        word = f"{{{ones}{given.name}_tdata[{made.payload_bits - 1}:0]}}" if above else f"{given.name}_tdata"
        body.append(f"assign {made.name}_tdata = {word};")
        body.append(f"assign {made.name}_tvalid = {given.name}_tvalid{fine};")
        body.append(f"assign {given.name}_tready = {made.name}_tready{fine};")
    # A stream without a partner stalls.
    body += [f"assign {given.name}_tready = 0;" for given in inputs[len(outputs) :]]
    for made in outputs[len(inputs) :]:
        signals = ("tdata", "tvalid", *(s for s in ("tlast", "tkeep") if s.upper() in made.ports))
        body.append(f"assign {{{', '.join(f'{made.name}_{signal}' for signal in signals)}}} = 0;")
    for slave in slaves:
        for signal, width, master in CHANNELS:
            pin, bits = slave.ports[signal.upper()], width or slave.addr_bits
            ports.append(f"{'input' if master else 'output'} wire [{bits - 1}:0] {pin}")
            use = f"wire {pin}_unused = &{{1'b0, {pin}}};" if master else f"assign {pin} = {bits}'d0;"
            body.append(use)
    return f"module {name}_wrapper (\n  " + ",\n  ".join(ports) + "\n);\n" + "\n".join(body) + "\nendmodule\n"


def chain(*parts: tuple[Partition, bytes], edges: bool = True, streams: int = 1) -> Network:
    """Join partitions in a row through so many of their ports, from the first on."""
    partitions = tuple(part for part, _ in parts)
    joined = tuple(
        Edge(
            producer=Endpoint(partition=a.name, port=f"m_axis_{k}"),
            consumer=Endpoint(partition=b.name, port=f"s_axis_{k}"),
        )
        for a, b in itertools.pairwise(partitions)
        for k in range(streams)
    )
    files = {part.sources[0].sha256: text for part, text in parts}
    return Network(partitions, joined if edges else (), files, "build")


def spec(nodes: Sequence[Mapping[str, object]], **more: object) -> ClusterSpec:
    return ClusterSpec.from_data({"build": "build", "node": nodes, **more}, "cluster.toml")


def one_each(network: Network, board: str = "zedboard", **more: object) -> ClusterSpec:
    """One node per partition."""
    nodes = [{"name": f"n{i}", "board": board, "partitions": [i]} for i in range(len(network.partitions))]
    return spec(nodes, **more)


def plan_of(network: Network, cluster: ClusterSpec) -> Plan:
    boards: dict[str, Board] = {node.name: read_board(node.board) for node in cluster.node}
    return make_plan(cluster, network, boards)


def frame_bits(port: StreamPort) -> int:
    return prod(port.shape) * port.element.bits
