# SPDX-License-Identifier: BSD-3-Clause
"""memory_map.json against its schema, .h in C and C++ compilers, .rdl in PeakRDL; all three tell the same."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fake_network import chain, lite, partition
from map_blocks import block_of
from peakrdl_cheader.exporter import CHeaderExporter
from peakrdl_html import HTMLExporter
from rdl_text import check_plain
from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddressableNode, AddrmapNode, RegNode
from test_external_zynq import node_plan as external_plan
from wide_platform import use_wide, wide_plan

from shellgen.emit.maps import emit_memory_maps
from shellgen.emit.memory_map import memory_map
from shellgen.model import Plan
from shellgen.model.memory_map import MapNode, MemoryMap


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    use_wide(monkeypatch)


def plan(access: str, slot: int = 4) -> Plan:
    """Two boards: one as asked, one direct with 4 bytes a register."""
    sizes = (9, 14, 5, 9)
    first = partition("a", slaves=tuple(lite(i, addr_bits=bits) for i, bits in enumerate(sizes)))
    network = chain(first, partition("b", slaves=(lite(0, 12),)))
    nodes: list[dict[str, object]] = [
        {"name": "zed0", "board": "zedboard", "partitions": [0], "lite": {"access": access}},
        {"name": "zed1", "board": "zedboard", "partitions": [1]},
    ]
    with pytest.MonkeyPatch.context() as patch:
        return wide_plan(patch, network, nodes, {"zed0"} if slot == 8 else set())


@pytest.fixture(params=[("direct", 4), ("bridge", 4), ("direct", 8), ("bridge", 8)])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    for artifact in emit_memory_maps(plan(*request.param)):
        path = tmp_path / artifact.path
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(artifact.content)
    return tmp_path


def maps(folder: Path) -> list[Path]:
    found = [folder, folder / "zed0", folder / "zed1"]
    assert all((path / "memory_map.json").is_file() for path in found)
    return found


def test_json_follows_its_schema(folder: Path) -> None:
    schema = json.loads((folder / "memory_map.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for place in maps(folder):
        content = json.loads((place / "memory_map.json").read_text())
        jsonschema.validate(content, schema)
        assert MemoryMap.from_data(content, place)
    content["nodes"][0]["regions"][0]["base"] = "0x1000"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, schema)


def offset_of(node: dict[str, Any], name: str) -> int:
    """Return a register's offset, and see that it is where the host has it."""
    (found,) = [e["offset"] for e in block_of(node, "status")["registers"] if e["name"] == name]
    assert found % node["slot_bytes"] == 0
    return int(found)


def test_json_counts_the_hosts_bytes() -> None:
    """Twice as far from the node's base with 8 bytes a register, but what lies behind a bridge."""
    for access in ("direct", "bridge"):
        near, far = (memory_map(plan(access, slot)).nodes[0] for slot in (4, 8))
        assert (near.slot_bytes, far.slot_bytes) == (4, 8)
        assert far.span == 2 * near.span

        def places(node: MapNode, scale: int) -> list[int]:
            found = [x for block in node.blocks for x in (block.base - node.base, block.size)]
            registers = [register for block in node.blocks for register in block.registers]
            found += [offset for register in registers for _, offset in register.elements]
            found += [register.stride for register in registers if register.stride]
            if node.aperture:
                found.append(node.aperture.base - node.base)
            else:
                found += [x for region in node.regions for x in (region.base - node.base, region.size)]
            return [scale * number for number in found]

        assert places(far, 1) == places(near, 2)
        if near.aperture and far.aperture:
            assert near.aperture.bytes == far.aperture.bytes
            assert [region.base for region in near.regions] == [region.base for region in far.regions]


PROGRAM = """
#include "memory_map.h"
#include <inttypes.h>
#include <stdio.h>
int main(void) {
    for (int i = 0; i < SHELLGEN_ZED0_REGIONS; i++) {
        const struct shellgen_region *r = &shellgen_zed0_regions[i];
        printf("%s %s %d %" PRIu64 " %" PRIu64 " %u %u %u %u\\n",
               r->name, r->layer, r->access, r->base, r->size, r->words, r->word_bits, r->lanes, r->stride);
    }
#if SHELLGEN_ZED0_SLOT_BYTES == 8
    uint64_t build = SHELLGEN_ZED0_STATUS + SHELLGEN_SLOT8_SHELL_STATUS_BUILD_ID_LOW;
#else
    uint64_t build = SHELLGEN_ZED0_STATUS + SHELLGEN_SHELL_STATUS_BUILD_ID_LOW;
#endif
    uint64_t other = SHELLGEN_ZED1_STATUS + SHELLGEN_SHELL_STATUS_BUILD_ID_LOW;
    printf("%016" PRIx64 " %" PRIu64 " %" PRIu64 "\\n", SHELLGEN_ZED0_BUILD_ID, build, other);
    for (int i = 0; i < SHELLGEN_NODES; i++) {
        const struct shellgen_node *n = shellgen_nodes[i];
        printf("%s %016" PRIx64 " %" PRIu64 " %" PRIu64 "+%u*%u", n->name, n->build_id,
               n->status.build_id_low.at, n->status.frames.at, n->status.frames.stride,
               n->status.frames.count);
        printf(" %" PRIu64 " %" PRIu64 "\\n", n->bridge.address.at, n->bridge.error_address.at);
    }
    printf("%x %x %x %d\\n", SHELLGEN_SHELL_STATUS_MAGIC_VALUE, SHELLGEN_SHELL_STATUS_CONTROL_HOLD_MASK,
           SHELLGEN_AXIL_BRIDGE_LEVEL_POSTED_MASK, SHELLGEN_AXIL_BRIDGE_GEOMETRY_FAR_LOW);
    printf("%d %d\\n", SHELLGEN_ZED0_STREAM_1, SHELLGEN_ZED1_STREAM_1);
    printf("%" PRIx64 " %d %d\\n", SHELLGEN_ZED1_INTC_BASE, SHELLGEN_ZED1_INTC_GIC,
           SHELLGEN_ZED1_AXI_DMA_0_S2MM_INPUT);
    for (int i = 0; i < SHELLGEN_ZED1_DMAS; i++) {
        const struct shellgen_dma *d = &shellgen_zed1_dmas[i];
        printf("%s %" PRIx64 " %" PRIx64 " %u %u %d %d %d", d->name, d->base, d->size, d->max_bytes, d->align,
               d->address_bits, d->cyclic, d->coherent);
        printf(" %d %d %d %d\\n", d->mm2s_stream, d->mm2s_gic, d->s2mm_stream, d->s2mm_gic);
    }
    return 0;
}
"""


@pytest.mark.parametrize(("compiler", "suffix"), [(("gcc", "-std=c11"), "c"), (("g++", "-std=c++17"), "cpp")])
def test_header_compiles_and_says_what_the_json_says(
    folder: Path, compiler: tuple[str, ...], suffix: str, tmp_path: Path
) -> None:
    source = tmp_path / f"program.{suffix}"
    source.write_text(PROGRAM)
    command = [*compiler, "-Wall", "-Wextra", "-Werror", "-Wno-unused-const-variable", "-Wno-unused-variable"]
    command += [f"-I{folder}", str(source), "-o", str(tmp_path / "program")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    said = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True).stdout
    content = json.loads((folder / "memory_map.json").read_text())
    node = content["nodes"][0]
    lines = []
    for r in node["regions"]:
        memory = r["memory"]
        values = [r["name"], r["layer"], int(r["access"] == "bridge"), r["base"], r["size"]]
        values += [memory["words"], memory["word_bits"], memory["lanes"]]
        lines.append(" ".join(map(str, [*values, 4 if node["aperture"] else node["slot_bytes"]])))
    low = [offset_of(other, "BUILD_ID_LOW") + block_of(other, "status")["base"] for other in content["nodes"]]
    lines.append(f"{node['build_id']} {low[0]} {low[1]}")
    for other, where in zip(content["nodes"], low, strict=True):
        status, bridge = block_of(other, "status"), other["aperture"] and block_of(other, "bridge")
        (frames,) = [r for r in status["registers"] if r["name"] == "FRAMES"]
        text = f"{other['name']} {other['build_id']} {where} {status['base'] + frames['offset']}"
        text += f"+{frames['stride']}*{frames['count']}"
        for name in ("ADDRESS", "ERROR_ADDRESS"):
            found = [r["offset"] for r in bridge["registers"] if r["name"] == name] if bridge else []
            text += f" {bridge['base'] + found[0] if found else 0}"
        lines.append(text)
    lines.append("5348474e 4 ffff 8")
    lines.append(" ".join(str(other["slot_bytes"] * 8) for other in content["nodes"]))
    intc = content["nodes"][1]["interrupt_controller"]
    lines.append(f"{intc['base']:x} {intc['gic']} 1")
    for d in content["nodes"][1]["dma"]:
        values = [d["name"], f"{d['base']:x} {d['size']:x}", d["max_bytes"], d["align"], d["address_bits"]]
        values += [int(d["cyclic"]), int(d["coherent"])]
        for channel in (d["channels"]["mm2s"], d["channels"]["s2mm"]):
            interrupt = channel and channel["interrupt"]
            values += [channel["stream"] if channel else -1, interrupt["gic"] if interrupt else -1]
        lines.append(" ".join(map(str, values)))
    assert said.splitlines() == lines
    assert "axi_dma_0" in lines[-1]


@pytest.mark.parametrize(
    "change", [("_SIZE UINT64_C({:#x})", "_SIZE UINT64_C({:#x})"), ("_WORDS 4", "_WORDS 999")]
)
def test_header_refuses_a_map_that_cannot_be(folder: Path, change: tuple[str, str], tmp_path: Path) -> None:
    text = (folder / "memory_map.h").read_text()
    regions = json.loads((folder / "memory_map.json").read_text())["nodes"][0]["regions"]
    largest = max(region["size"] for region in regions)
    change = (change[0].format(largest), change[1].format(2 * largest))
    assert change[0] in text
    (tmp_path / "bad.c").write_text(text.replace(*change))
    command = ["gcc", "-std=c11", "-fsyntax-only", str(tmp_path / "bad.c")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "static assertion failed" in result.stderr


def compiled(path: Path, top: str) -> AddrmapNode:
    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    return compiler.elaborate(top_def_name=top).top


def at(top: AddrmapNode, path: str) -> AddressableNode:
    found = top.find_by_path(path)
    assert isinstance(found, AddressableNode), path
    return found


def registers_of(node: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any], int]]:
    for block in node["blocks"]:
        for register in block["registers"]:
            for k in range(register["count"] or 1):
                yield block, register, k


def test_rdl_compiles_and_says_what_the_json_says(folder: Path, tmp_path: Path) -> None:
    content = json.loads((folder / "memory_map.json").read_text())
    cluster = compiled(folder / "memory_map.rdl", "cluster_cluster")
    for index, node in enumerate(content["nodes"]):
        own = compiled(folder / node["name"] / "memory_map.rdl", f"{node['name']}_map")
        status = at(own, "status")
        assert status.absolute_address == block_of(node, "status")["base"] - node["base"]
        for block, register, k in registers_of(node):
            name = register["name"] + (f"_{k}" if register["count"] else "")
            found = at(own, f"{block['name']}.{name}")
            place = block["base"] - node["base"] + register["offset"] + k * (register["stride"] or 0)
            assert found.absolute_address == place
            assert isinstance(found, RegNode)
            parts = {f["name"]: (f["low"], f["width"]) for f in register["fields"]}
            told = {f.inst_name: (f.low, f.width) for f in found.fields()}
            assert told == (parts or {"value": (0, register["width"])})
        for region in node["regions"]:
            far = region["access"] == "bridge"
            path = f"{'far' if far else 'node'}_{node['name']}.{region['name']}"
            found = at(cluster, path)
            start = (index << 44) + ((1 << 43) if far else 0)
            assert found.get_property("memwidth") == 8 * (4 if far else node["slot_bytes"])
            assert (found.absolute_address, found.size) == (start + region["base"], region["size"])
        for dma in node["dma"]:
            place = at(cluster, f"dma_{node['name']}.{dma['name']}.S2MM_DMACR").absolute_address
            assert place == (index << 44) + dma["base"] + 0x30
        if intc := node["interrupt_controller"]:
            place = at(cluster, f"dma_{node['name']}.{intc['name']}.MER").absolute_address
            assert place == (index << 44) + intc["base"] + 0x1C
    assert check_plain(cluster) > 20
    HTMLExporter().export(cluster, str(tmp_path / "html"))
    assert any("a_s_axilite_1" in path.read_text() for path in (tmp_path / "html").rglob("*.js*"))


def test_rdl_makes_a_header_that_compiles(folder: Path, tmp_path: Path) -> None:
    node = compiled(folder / "zed0" / "memory_map.rdl", "zed0_map")
    CHeaderExporter().export(node, str(tmp_path / "zed0.h"))
    (tmp_path / "use.c").write_text('#include "zed0.h"\nint main(void) { return sizeof(zed0_map_t) == 0; }\n')
    command = ["gcc", "-std=c11", "-fsyntax-only", f"-I{tmp_path}", str(tmp_path / "use.c")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert re.search(r"BUILD_ID_LOW", (tmp_path / "zed0.h").read_text())


def test_rdl_has_the_registers_that_a_dma_is_built_with(tmp_path: Path) -> None:
    """Scatter-gather for weights, upper halves where the board has DDR above 4 GiB."""
    for board, wide in (("kv260_som", True), ("zedboard", False)):
        weighty, _ = external_plan(board)
        (text,) = [one for one in emit_memory_maps(weighty) if one.path == "n0/memory_map.rdl"]
        (tmp_path / "map.rdl").write_bytes(text.content)
        top = compiled(tmp_path / "map.rdl", "n0_dma_map")
        for dma in memory_map(weighty).nodes[0].dma:
            engine = at(top, dma.name)
            assert engine.absolute_address == dma.base - (0xA800_0000 if wide else 0x6000_0000)
            names = {register.inst_name for register in engine.registers()}
            assert ("MM2S_TAILDESC" in names) == dma.cyclic
            assert ("MM2S_CURDESC_MSB" in names) == (dma.cyclic and wide)
            assert ("S2MM_LENGTH" in names) == (dma.channels.s2mm is not None)
            assert ("S2MM_DA_MSB" in names) == (dma.channels.s2mm is not None and wide)
