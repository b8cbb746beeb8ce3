# SPDX-License-Identifier: BSD-3-Clause
"""Scripts and constraints of the user in a Zynq project: hashed, copied, sourced at their moment, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cluster_bench import Chain
from vivado_session import Vivado, run_script

from shellgen.api import generate
from shellgen.cli import main
from shellgen.errors import ShellgenError

CHAIN = Chain(
    widths=(4, 2),
    activations="UINT3",
    folds=((1, 1, 1),),
    cuts=(0,),
    nodes=(("zed0", "zedboard", (0,)),),
)
TABLE = """
[node.options.zynq]
constraints = ["hooks/pins.xdc"]
tcl.block_design = ["hooks/design.tcl"]
tcl.synthesis = ["hooks/synthesis.tcl"]
tcl.bitstream = ["hooks/bitstream.tcl"]
"""
FILES = {
    "pins.xdc": "set_false_path -from [get_clocks clk_fpga_0] -to [get_clocks clk_fpga_0]\n",
    "design.tcl": "create_bd_port -dir O heartbeat\n",
    "synthesis.tcl": "set_param synth.elaboration.rodinMoreOptions {}\n",
    "bitstream.tcl": "set_property BITSTREAM.CONFIG.USERID 0x12345678 [current_design]\n",
}


def inputs(folder: Path, table: str = TABLE) -> Path:
    cluster = CHAIN.write_inputs(folder)
    (folder / "hooks").mkdir()
    for name, text in FILES.items():
        (folder / "hooks" / name).write_text(text)
    assert "[verify]" in cluster.read_text()
    cluster.write_text(cluster.read_text().replace("[verify]", f"{table}\n[verify]", 1))
    return cluster


def test_files_are_copied_hashed_and_sourced(tmp_path: Path) -> None:
    generate(inputs(tmp_path), tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    for name, text in FILES.items():
        assert (tmp_path / "out" / "zed0" / "user" / name).read_text() == text
        assert f"zed0/user/{name}" in manifest
    folder = tmp_path / "out" / "zed0" / "vivado"
    script = (folder / "bd.tcl").read_text()
    assert script.index("user/design.tcl") < script.index("\nvalidate_bd_design")
    vivado = Vivado("2022.2")
    outcome = run_script(vivado, folder / "build.tcl")
    assert outcome.code == 0, outcome.error or outcome.printed
    runs = vivado.current.runs
    assert runs["synth_1"].properties["STEPS.SYNTH_DESIGN.TCL.PRE"].value.endswith("before_synthesis.tcl")
    assert runs["impl_1"].properties["STEPS.WRITE_BITSTREAM.TCL.PRE"].value.endswith("before_bitstream.tcl")
    hook = (folder / "before_synthesis.tcl").read_text()
    assert hook.index("messages.tcl]") < hook.index("user/synthesis.tcl")


def test_check_judges_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = inputs(tmp_path)
    hooks = tmp_path / "hooks"
    (hooks / "pins.xdc").write_text("set_property PACKAGE_PIN Y11 [get_ports heartbeat]\n")
    generate(cluster, tmp_path / "right")
    assert main(["check", str(tmp_path / "right")]) == 0, capsys.readouterr().out
    (hooks / "pins.xdc").write_text("set_property PACKAGE_PIN Y11 [get_ports heartbeet]\n")
    (hooks / "bitstream.tcl").write_text("set_property BITSTREAM.CONFIG.USERID 1 [current_desing]\n")
    generate(cluster, tmp_path / "wrong")
    assert main(["check", str(tmp_path / "wrong")]) == 1
    said = capsys.readouterr().out
    assert "zed0/user/bitstream.tcl:1: error: current_desing" in said
    assert "zed0/user/pins.xdc:1: finding: heartbeet: there are no such ports" in said


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ('constraints = ["none.xdc"]', "options.zynq.constraints[0]: none.xdc: there is no such file"),
        ('constraints = ["hooks/design.tcl"]', "options.zynq.constraints[0]: design.tcl is not a .xdc file"),
        ("tcl.bitstream = [7]", "options.zynq.tcl.bitstream[0]: got 7. Name a .tcl file"),
        ('tcl.never = ["hooks/design.tcl"]', "options.zynq.tcl.never: this field is not known"),
        ('tcl.synthesis = "hooks/design.tcl"', "options.zynq.tcl.synthesis: got 'hooks/design.tcl'"),
        (
            'tcl.synthesis = ["hooks/design.tcl", "design.tcl"]',
            "options.zynq.tcl.synthesis[1]: ",
        ),
    ],
)
def test_wrong_names_are_refused(tmp_path: Path, table: str, expected: str) -> None:
    cluster = inputs(tmp_path, f"\n[node.options.zynq]\n{table}\n")
    with pytest.raises(ShellgenError) as error:
        generate(cluster, tmp_path / "out")
    assert f"node[0].{expected}" in str(error.value)
    assert not (tmp_path / "out").exists()
