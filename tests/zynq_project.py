# SPDX-License-Identifier: BSD-3-Clause
"""Small Zynq nodes, written to disk as `shellgen generate` would, without the cluster around them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from fake_network import chain, lite, partition, plan_of, spec

from shellgen.emit.core import core_blocks, emit_core
from shellgen.model import Board, Network, Partition, Plan, SourceFile
from shellgen.model.source import FileKind
from shellgen.platforms import platform_registry
from shellgen.resources import rtl_file

BOARDS = ("zedboard", "pynq-z1", "pynq-z2", "zcu104", "ultra96-v2", "kv260_som")
WORD = ("UINT4", 2, 16)
WIDE = ("INT8", 12, 24)  # 96 bits: wider than an HP port of PS7
SHAPES = {
    "1rx_1tx": ((WORD,), (WORD,)),
    "2rx_1tx": ((WORD, WIDE), (WORD,)),
    "1rx_3tx": ((WORD,), (WORD, WIDE, WORD)),
    "rx_only": ((WORD,), ()),
    "tx_only": ((), (WIDE,)),
}
DATA = b"0000001f\n"


def with_files(made: tuple[Partition, bytes], double_clock: bool) -> tuple[Partition, dict[str, bytes]]:
    """Add to a partition what FINN's have: a weight file, a header, a SystemVerilog source."""
    part, text = made
    if double_clock:
        text = text.replace(b"input wire ap_clk,", b"input wire ap_clk,\n  input wire ap_clk2x,")
    text = text.replace(
        b"endmodule\n",
        b'reg [31:0] weights [0:0];\ninitial $readmemh("memblock.dat", weights);\nendmodule\n',
    )
    contents: dict[str, tuple[FileKind, bytes]] = {
        "defs.vh": ("header", b"`define WIDTH 4\n"),
        "helper.sv": ("systemverilog", b"module helper (input wire a);\nendmodule\n"),
        f"{part.name}.v": ("verilog", text),
        "memblock.dat": ("data", DATA),
    }
    hashes = {name: hashlib.sha256(data).hexdigest() for name, (_, data) in contents.items()}
    sources = tuple(
        SourceFile(name=name, kind=kind, sha256=hashes[name]) for name, (kind, _) in contents.items()
    )
    update = {"sources": sources, "clock2x": "ap_clk2x" if double_clock else None}
    return part.model_copy(update=update), {hashes[name]: data for name, (_, data) in contents.items()}


def node_plan(
    board: str,
    shape: str,
    double_clock: bool = False,
    clock_mhz: float = 100.0,
    vivado: dict[str, object] | None = None,
    compute_mhz: float | None = None,
) -> tuple[Plan, Network]:
    takes, makes = SHAPES[shape]
    part, files = with_files(partition("part", takes, makes, (lite(0),)), double_clock)
    network = Network((part,), (), files, "build")
    node = {
        "name": "n0",
        "board": board,
        "partitions": [0],
        "clock_mhz": clock_mhz,
        "options": {"zynq": vivado or {}},
    }
    if compute_mhz:
        node["compute_mhz"] = compute_mhz
    return plan_of(network, spec([node])), network


def with_facts(board: Board, **changes: object) -> Board:
    """Return a board of which the platform knows something else."""
    ((kind, table),) = board.platform.items()
    return board.model_copy(update={"platform": {kind: {**table, **changes}}})


def write_project(plan: Plan, network: Network, out: Path) -> Path:
    """Write all nodes; return the folder of the first."""
    for node in plan.nodes:
        contents = {
            f"rtl/{name}.sv": rtl_file(name).read_bytes() for name in core_blocks(emit_core(plan, node))
        }
        for name in node.partitions:
            for source in plan.partition(name).sources:
                contents[f"partition/{source.name}"] = network.files[source.sha256]
        contents[f"{node.name}_core.v"] = emit_core(plan, node).content
        files = [(f"{node.name}/{name}", data) for name, data in contents.items()]
        platform = platform_registry()[node.platform]
        assert platform.check(plan, node) == []
        made = platform.artifacts(plan, node, tuple(contents))
        for name, data in [*files, *((artifact.path, artifact.content) for artifact in made)]:
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return out / plan.nodes[0].name


__all__ = ["BOARDS", "SHAPES", "chain", "node_plan", "with_facts", "write_project"]
