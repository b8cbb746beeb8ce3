# SPDX-License-Identifier: BSD-3-Clause
"""Lay a stitched partition out like FINN's own: ``<partition>/stitched_ip`` and the ONNX beside it.

Nothing in it depends on where or when it was made: paths are relative to the partition's folder, data
files are called by bare names that are unique in the network. Source: docs/finn-builds.md.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import onnx
from onnx import helper

from shellgen.formats.onnx import PRODUCER
from shellgen.hdl_fixes import fixed
from shellgen.ipxact import component_xml
from shellgen.model.device import PART
from shellgen.stitch.block import Block, make_block

PROJECT = "stitched_ip"
_LITERAL = re.compile(r'"([^"\n]*/)([^"/\n]*)"')
# Attributes in which FINN keeps the temporary folder of a layer.
_FOLDERS = ("code_gen_dir_ipgen", "ipgen_path", "ip_path")


def package_partition(description: dict[str, Any], folder: Path) -> None:
    """Write one partition.

    Args:
        description: What `finn_worker.describe.describe_partition` returned, and ``part``, what it is for.
        folder: ``<build>/<partition>``; made here.
    """
    block = make_block(description)
    sources = folder / PROJECT / "ip" / "src"
    sources.mkdir(parents=True)
    names = _write_layers(description["instances"], sources)
    (sources / f"{block.name}.v").write_text(block.netlist)
    names.append(f"{block.name}.v")
    wrapper = f"finn_vivado_stitch_proj.srcs/sources_1/bd/{block.name}/hdl/{block.name}_wrapper.v"
    (folder / PROJECT / wrapper).parent.mkdir(parents=True)
    (folder / PROJECT / wrapper).write_text(block.wrapper)
    listed = [f"{PROJECT}/ip/src/{name}" for name in names] + [f"{PROJECT}/{wrapper}"]
    (folder / PROJECT / "all_verilog_srcs.txt").write_text("\n".join(listed) + "\n")
    data = sorted(path.name for path in sources.glob("*.dat"))
    xml = component_xml(
        block.name,
        block.streams,
        block.axilite,
        clock="ap_clk",
        reset="ap_rst_n",
        others=(),
        files=[f"src/{name}" for name in names + data],
    )
    (folder / PROJECT / "ip" / "component.xml").write_text(xml)
    remarks = {entry["name"]: entry["remark"] for entry in description["instances"] if "remark" in entry}
    model = Path(description["model"])
    metadata = {"wrapper_filename": f"{PROJECT}/{wrapper}", PART: description["part"]}
    _write_model(block, model, folder / f"{block.name}.onnx", metadata, remarks)


def _write_layers(instances: list[dict[str, Any]], sources: Path) -> list[str]:
    """Copy the RTL of all layers and the data they load; returns the names of sources, packages first."""
    names: list[str] = []
    for instance in instances:
        renamed = {}
        for path in map(Path, instance["data"]):
            name = path.name
            if path.name == "memblock.dat":
                name = f"{instance['name'].removesuffix('_wstrm')}_memblock.dat"
            renamed[path.name] = name
            (sources / name).write_bytes(path.read_bytes())
        for path in map(Path, instance["sources"]):
            text = path.read_text()
            if path.is_relative_to(instance["folder"]):
                text = _relocated(text, renamed)
            text = fixed(path.name, text)[0]
            target = sources / path.name
            assert not target.exists() or target.read_text() == text, f"two different {path.name}"
            target.write_text(text)
            if path.name not in names:
                names.append(path.name)
    return sorted(names, key=lambda name: (not name.endswith("_pkg.sv"), name))


def _relocated(text: str, renamed: dict[str, str]) -> str:
    """Make literals that name a data file, or the beginning of its name, relative to the simulation."""

    def plain(match: re.Match[str]) -> str:
        name = match[2]
        if name in renamed:
            return f'"{renamed[name]}"'
        if name and any(data.startswith(name) for data in renamed):
            return f'"./{name}"'
        return match[0]

    return _LITERAL.sub(plain, text)


def _write_model(
    block: Block, source: Path, target: Path, metadata: dict[str, str], remarks: dict[str, str]
) -> None:
    model = onnx.load(str(source))
    ifnames = {
        "clk": ["ap_clk"],
        "rst": ["ap_rst_n"],
        "s_axis": [[port.name, port.tdata_bits] for port in block.streams if port.direction == "in"],
        "m_axis": [[port.name, port.tdata_bits] for port in block.streams if port.direction == "out"],
        "aximm": [],
        "axilite": [port.name for port in block.axilite],
    }
    metadata |= {
        "vivado_stitch_proj": PROJECT,
        "vivado_stitch_vlnv": f"xilinx_finn:finn:{block.name}:1.0",
        "vivado_stitch_ifnames": json.dumps(ifnames),
    }
    if remarks:
        metadata["shellgen_layers"] = json.dumps(remarks, sort_keys=True)
    helper.set_model_props(model, metadata)
    for node in model.graph.node:
        node.doc_string = remarks.get(node.name, node.doc_string)
        for attribute in node.attribute:
            if attribute.name in _FOLDERS:
                attribute.s = f"{PROJECT}/ip/src".encode()
    target.write_bytes(model.SerializeToString(deterministic=True))


def write_parent(source: Path, target: Path) -> None:
    """Write the parent so that each partition node names ``<partition>/<partition>.onnx`` beside it."""
    model = onnx.load(str(source))
    model.producer_name = PRODUCER
    for node in model.graph.node:
        for attribute in node.attribute:
            if node.op_type == "StreamingDataflowPartition" and attribute.name == "model":
                attribute.s = f"{node.name}/{node.name}.onnx".encode()
    target.write_bytes(model.SerializeToString(deterministic=True))
