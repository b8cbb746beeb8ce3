# SPDX-License-Identifier: BSD-3-Clause
"""PYNQ loads what the scripts export: pynqmetadata is what PYNQ reads a bitstream's metadata with."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from pynqmetadata.frontends import Metadata
from pynqmetadata.frontends.metadata import UnknownInputFileExtension
from pynqmetadata.views.runtime.runtime_metadata_parser import RuntimeMetadataParser
from vivado_session import Vivado, run_script
from zynq_project import node_plan, write_project

from shellgen.emit.memory_map import memory_map
from shellgen.platforms.zynq.dma import dmas


def load(bitstream: Path) -> Any:
    """Choose and read the metadata of a bitstream as PYNQ does (pl_server/embedded_device.py, get_parser)."""
    beside = bitstream.with_suffix(".xsa").exists()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RuntimeMetadataParser(Metadata(str(bitstream if beside else bitstream.with_suffix(".hwh"))))


@pytest.mark.parametrize("board", ["zedboard", "zcu104"])
def test_dma_core_and_registers_by_name(board: str, tmp_path: Path) -> None:
    plan, network = node_plan(board, "2rx_1tx")
    node = write_project(plan, network, tmp_path)
    assert run_script(Vivado("2024.2"), node / "vivado" / "build.tcl").code == 0
    out = node / "vivado" / "out"
    found = load(out / "n0.bit").ip_dict
    for dma in dmas(plan.nodes[0]):
        assert found[dma.name]["phys_addr"] == dma.address
        assert found[dma.name]["type"] == "xilinx.com:ip:axi_dma:7.1"
        assert found[dma.name]["parameters"]["c_sg_length_width"] == "26"
    core, (told,) = found["core_0"], memory_map(plan).nodes
    assert (core["phys_addr"], core["addr_range"]) == (told.base, told.span)
    offsets = {name: entry["address_offset"] for name, entry in core["registers"].items()}
    status = told.block("status")
    expected = {
        name: status.base - told.base + offset
        for register in status.registers
        for name, offset in register.elements
    }
    assert {"ERRORS_0", f"FRAMES_{len(told.streams) - 1}"} <= expected.keys()
    assert offsets == expected
    assert core["registers"]["MAGIC"]["access"] == "read-only"
    assert core["registers"]["MAGIC"]["description"] == '"SHGN"'

    # Beside the .bit, the same file would be taken first.
    (out / "xsa" / "n0.xsa").rename(out / "n0.xsa")
    with pytest.raises(UnknownInputFileExtension):
        load(out / "n0.bit")


def test_a_handoff_without_a_place_for_the_names_is_copied_as_it_is(tmp_path: Path) -> None:
    node = write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path)
    script = node / "vivado" / "export.tcl"
    script.write_text(script.read_text().replace('INTERFACE="s_axil"', 'INTERFACE="other"'))
    outcome = run_script(Vivado("2022.2"), node / "vivado" / "build.tcl")
    assert outcome.code == 0
    assert any("memory_map.json has them" in line for line in outcome.printed)
    assert load(node / "vivado" / "out" / "n0.bit").ip_dict["core_0"]["registers"] == {}


def test_what_an_earlier_build_left_is_gone(tmp_path: Path) -> None:
    """An .xsa of an older shellgen beside the .bit, or the bitstream of a build that met its timing."""
    node = write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path)
    out = node / "vivado" / "out"
    out.mkdir()
    (out / "n0.xsa").write_text("old")
    (out / "n0.bit").write_text("old")
    (out / "mine.bit").write_text("the user's")
    vivado = Vivado("2022.2", slack={"WNS": "-0.1", "WHS": "0"})
    assert run_script(vivado, node / "vivado" / "build.tcl").code == 1
    made = {str(path.relative_to(out)) for path in out.rglob("*") if path.suffix != ".rpt" and path.is_file()}
    late = "n0_timing_failed"
    assert made == {f"{late}.bit", f"{late}.hwh", f"xsa/{late}.xsa", "mine.bit"}
