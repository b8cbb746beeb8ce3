# SPDX-License-Identifier: BSD-3-Clause
"""edalize's Vivado flow takes our EDAM file; what it writes runs in `shellgen check`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from edalize.flows.vivado import Vivado as EdalizeFlow
from vivado_session import Vivado, run_script, texts
from zynq_project import node_plan, write_project


def configure(
    folder: Path, board: str = "zedboard", turn_around: bool = False, mode: str | None = "All"
) -> Path:
    """Write a node and let edalize configure it; return edalize's work root."""
    node = write_project(*node_plan(board, "2rx_1tx"), folder)
    work = node / "vivado" / "edalize"
    work.mkdir()
    edam = json.loads((node / "vivado" / "n0.eda.json").read_text())
    assert edam["flow_options"].pop("source_mgmt_mode") == "All"
    if mode:
        edam["flow_options"]["source_mgmt_mode"] = mode
    if turn_around:
        edam["files"].reverse()
    EdalizeFlow(edam, str(work)).configure()
    return work


def test_files_are_where_the_edam_file_says(tmp_path: Path) -> None:
    work = configure(tmp_path)
    edam = json.loads((work.parent / "n0.eda.json").read_text())
    assert all((work / entry["name"]).is_file() for entry in edam["files"])
    kinds = [entry["file_type"] for entry in edam["files"]]
    assert kinds[-1] == "tclSource"
    assert {"verilogSource", "systemVerilogSource", "user"} <= set(kinds)


def test_make_has_the_targets(tmp_path: Path) -> None:
    work = configure(tmp_path)
    made = {path.name for path in work.iterdir()}
    assert made >= {"Makefile", "n0.tcl", "n0_synth.tcl", "n0_run.tcl", "n0_pgm.tcl"}
    makefile = (work / "Makefile").read_text()
    targets = set(re.findall(r"^([\w.\-]+)(?: [\w.]+)?:", makefile, re.M))
    assert targets >= {"all", "n0.xpr", "synth", "n0.bit", "build-gui", "pgm", "post_build", "export"}
    assert "-source ../export.tcl -tclargs n0.xpr" in makefile


@pytest.mark.parametrize("board", ["zedboard", "kv260_som"])
def test_project_bitstream_and_export(board: str, tmp_path: Path) -> None:
    """Three Vivado sessions, as make starts them."""
    work = configure(tmp_path, board)
    vivado = Vivado("2024.2")
    assert run_script(vivado, work / "n0.tcl", cwd=work).code == 0
    assert vivado.property("top", "sources_1") == "top_wrapper"
    for script in ("n0_synth.tcl", "n0_run.tcl"):
        outcome = run_script(vivado, work / script, cwd=work, opened=True)
        assert outcome.code == 0, outcome.error or outcome.printed
    assert (work / "n0.bit").is_file()
    outcome = run_script(vivado, work.parent / "export.tcl", "n0.xpr", cwd=work)
    assert outcome.code == 0, outcome.error or outcome.printed
    out = work.parent / "out"
    assert {str(path.relative_to(out)) for path in out.rglob("n0.*")} == {"n0.bit", "n0.hwh", "xsa/n0.xsa"}


def test_export_refuses_an_unfinished_project(tmp_path: Path) -> None:
    work = configure(tmp_path)
    vivado = Vivado("2024.2")
    assert run_script(vivado, work / "n0.tcl", cwd=work).code == 0
    assert run_script(vivado, work.parent / "export.tcl", "n0.xpr", cwd=work).code == 1


def test_the_order_of_files_matters(tmp_path: Path) -> None:
    """The block design before the RTL: there is no module to refer to yet."""
    work = configure(tmp_path, turn_around=True)
    vivado = Vivado("2024.2")
    run_script(vivado, work / "n0.tcl", cwd=work)
    assert "/core_0/" in texts(vivado.said())


def test_the_compile_order_must_be_vivados(tmp_path: Path) -> None:
    """edalize sets None by itself, after our script has made the block design."""
    work = configure(tmp_path, mode=None)
    vivado = Vivado("2024.2")
    assert run_script(vivado, work / "n0.tcl", cwd=work).code == 0
    run_script(vivado, work / "n0_synth.tcl", cwd=work, opened=True)
    assert "filemgmt 56-587" in texts(vivado.said())


def test_weights_that_are_not_in_the_project_stop_this_flow_too(tmp_path: Path) -> None:
    work = configure(tmp_path)
    lost = (("Synth 8-4445", "could not open $readmem data file 'memblock.dat'"),)
    vivado = Vivado("2024.2", log={"synth_1": lost})
    assert run_script(vivado, work / "n0.tcl", cwd=work).code == 0
    run_script(
        vivado, work / "n0_synth.tcl", cwd=work, opened=True
    )  # edalize does not look how the run ended
    assert "[Synth 8-4445]" in vivado.current.runs["synth_1"].status
    assert run_script(vivado, work / "n0_run.tcl", cwd=work, opened=True).code == 1
