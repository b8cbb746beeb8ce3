# SPDX-License-Identifier: BSD-3-Clause
"""memory_map.json against its schema, .h in C and C++ compilers, .rdl in PeakRDL; all three tell the same."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
from fake_network import chain, lite, partition, plan_of, spec
from peakrdl_cheader.exporter import CHeaderExporter
from peakrdl_html import HTMLExporter
from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode

from shellgen.emit.memory_map import emit_memory_maps
from shellgen.model import Plan
from shellgen.model.memory_map import MemoryMap


def plan(access: str) -> Plan:
    """Two boards: one as asked, one direct."""
    sizes = (9, 14, 5, 9)
    first = partition("a", slaves=tuple(lite(i, addr_bits=bits) for i, bits in enumerate(sizes)))
    network = chain(first, partition("b", slaves=(lite(0, 12),)))
    nodes = [
        {"name": "zed0", "board": "zedboard", "partitions": [0], "lite": {"access": access}},
        {"name": "zed1", "board": "zedboard", "partitions": [1]},
    ]
    return plan_of(network, spec(nodes))


@pytest.fixture(params=["direct", "bridge"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    for artifact in emit_memory_maps(plan(request.param)):
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


PROGRAM = """
#include "memory_map.h"
#include <inttypes.h>
#include <stdio.h>
int main(void) {
    for (int i = 0; i < SHELLGEN_ZED0_REGIONS; i++) {
        const struct shellgen_region *r = &shellgen_zed0_regions[i];
        printf("%s %s %d %" PRIu64 " %" PRIu64 " %u %u %u\\n",
               r->name, r->layer, r->access, r->base, r->size, r->words, r->word_bits, r->lanes);
    }
    uint64_t build = SHELLGEN_ZED0_STATUS + SHELLGEN_STATUS_BUILD_ID_LOW;
    printf("%016" PRIx64 " %" PRIu64 "\\n", SHELLGEN_BUILD_ID, build);
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
        lines.append(" ".join(map(str, [*values, memory["words"], memory["word_bits"], memory["lanes"]])))
    lines.append(f"{content['build_id']} {node['status']['base'] + 8}")
    assert said.splitlines() == lines


@pytest.mark.parametrize(
    "change", [("_SIZE UINT64_C(0x4000)", "_SIZE UINT64_C(0x8000)"), ("_WORDS 4", "_WORDS 999")]
)
def test_header_refuses_a_map_that_cannot_be(folder: Path, change: tuple[str, str], tmp_path: Path) -> None:
    text = (folder / "memory_map.h").read_text()
    assert change[0] in text
    (tmp_path / "bad.c").write_text(text.replace(*change))
    command = ["gcc", "-std=c11", "-fsyntax-only", str(tmp_path / "bad.c")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "static assertion failed" in result.stderr


def compiled(path: Path, top: str) -> AddrmapNode:
    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    return compiler.elaborate(top_def_name=top).top


def test_rdl_compiles_and_says_what_the_json_says(folder: Path, tmp_path: Path) -> None:
    content = json.loads((folder / "memory_map.json").read_text())
    cluster = compiled(folder / "memory_map.rdl", "cluster_cluster")
    for index, node in enumerate(content["nodes"]):
        own = compiled(folder / node["name"] / "memory_map.rdl", f"{node['name']}_map")
        status = own.find_by_path("status")
        assert status.absolute_address == node["status"]["base"] - node["base"]
        for register in node["status"]["registers"]:
            at = own.find_by_path(f"status.{register['name']}").absolute_address
            assert at == status.absolute_address + register["offset"]
        for region in node["regions"]:
            far = region["access"] == "bridge"
            path = f"{'far' if far else 'node'}_{node['name']}.{region['name']}"
            found = cluster.find_by_path(path)
            start = (index << 40) + ((1 << 39) if far else -node["base"])
            assert (found.absolute_address, found.size) == (start + region["base"], region["size"])
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
