# SPDX-License-Identifier: BSD-3-Clause
"""The user's scripts and constraints in vendor projects: copied, hashed, sourced at their moment, refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
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


def card_inputs(
    folder: Path, platform: str, table: str, cards: int = 1, more: Mapping[str, str] = {}
) -> Path:
    """Write a cluster of cards with a script or constraints of the user in each file of a table."""
    if cards == 2:
        pair = (("card0", "u280", (0,)), ("card1", "u280", (1,)))
        chain = replace(CHAIN, widths=(4, 4, 2), folds=((1, 1, 1), (1, 1, 1)), cuts=(0, 1), nodes=pair)
    else:
        chain = replace(CHAIN, nodes=(("card0", "u280", (0,)),))
    cluster = chain.write_inputs(folder)
    (folder / "hooks").mkdir()
    for name, text in {**FILES, **more}.items():
        (folder / "hooks" / name).write_text(text)
    text = cluster.read_text().replace('board = "u280"', f'board = "u280"\nplatform = "{platform}"')
    end = "[[node]]" if cards == 2 else "[verify]"
    head, _, rest = text.rpartition(end)
    cluster.write_text(f"{head}[node.options.{platform}]\n{table}\n{end}{rest}")
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


VITIS = """constraints = ["hooks/pins.xdc"]
tcl.block_design = ["hooks/design.tcl"]
tcl.bitstream = ["hooks/bitstream.tcl"]"""
COYOTE = """constraints = ["hooks/pins.xdc"]
tcl.synthesis = ["hooks/synthesis.tcl"]"""


def test_a_card_under_vitis(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = card_inputs(tmp_path, "vitis", VITIS)
    generate(cluster, tmp_path / "out")
    folder = tmp_path / "out" / "card0"
    assert (folder / "user" / "pins.xdc").read_text() == FILES["pins.xdc"]
    assert "user/pins.xdc" in (folder / "vitis" / "before_opt.tcl").read_text()
    make = (folder / "vitis" / "Makefile").read_text()
    assert "compiler.userPostSysLinkOverlayTcl=$(CURDIR)/after_link.tcl" in make
    assert "run.impl_1.STEPS.WRITE_BITSTREAM.TCL.PRE=$(CURDIR)/before_bitstream.tcl" in make
    assert main(["check", str(tmp_path / "out")]) == 0, capsys.readouterr().out
    for name, old, new in (
        ("after_link.tcl", "puts [join {", "puts [join {no "),
        ("Makefile", "WRITE_BITSTREAM.TCL.PRE", "ROUTE_DESIGN.TCL.PRE"),
        ("Makefile", "userPostSysLinkOverlayTcl=", "userPreSysLinkOverlayTcl="),
    ):
        file = folder / "vitis" / name
        right = file.read_text()
        file.write_text(right.replace(old, new))
        assert file.read_text() != right
        assert main(["check", str(tmp_path / "out")]) == 1, (name, new)
        file.write_text(right)
    assert main(["check", str(tmp_path / "out")]) == 0


def test_scripts_follow_those_of_the_stacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """VNx has a script for the moment that v++ names, and ACCL has the block design of Coyote v1."""
    generate(card_inputs(tmp_path / "vitis", "vitis", VITIS, cards=2), tmp_path / "vnx")
    make = (tmp_path / "vnx" / "card0" / "vitis" / "Makefile").read_text()
    assert make.index("echo source $(VNX)/Ethernet/post_sys_link.tcl >") < make.index(
        "echo source $(CURDIR)/after"
    )
    assert "userPostSysLinkOverlayTcl=$(CURDIR)/build/link/post_sys_link.tcl" in make
    assert main(["check", str(tmp_path / "vnx")]) == 0, capsys.readouterr().out
    design = f'{COYOTE}\ntcl.block_design = ["hooks/design.tcl"]'
    generate(card_inputs(tmp_path / "coyote", "coyote", design, cards=2), tmp_path / "accl")
    script = (tmp_path / "accl" / "card0" / "coyote" / "hw" / "accl_bd.tcl").read_text()
    assert script.index("user/design.tcl") < script.index("\nvalidate_bd_design")
    assert main(["check", str(tmp_path / "accl")]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("version", ["v2", "v1"])
def test_a_card_under_coyote(version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = '\ntcl.bitstream = ["hooks/bitstream.tcl"]' if version == "v1" else ""
    cluster = card_inputs(tmp_path, "coyote", f'version = "{version}"\n{COYOTE}{more}')
    generate(cluster, tmp_path / "out")
    folder = tmp_path / "out" / "card0"
    script = (
        folder / "coyote" / "hw" / ("src/init_ip.tcl" if version == "v2" else "project.tcl")
    ).read_text()
    assert (
        "STEPS.SYNTH_DESIGN.TCL.PRE [file join $node coyote before_synthesis.tcl] [get_runs synth_1]"
        in script
    )
    assert ("STEPS.WRITE_BITSTREAM.TCL.PRE" in script) == (version == "v1")
    assert "user/synthesis.tcl" in (folder / "coyote" / "before_synthesis.tcl").read_text()
    assert main(["check", str(tmp_path / "out")]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("platform", "wrong", "file"),
    [
        ("vitis", "create_bd_prot -dir O heartbeat\n", "design.tcl"),
        ("vitis", "set_property BITSTREAM.CONFIG.USERID 1 [current_desing]\n", "bitstream.tcl"),
        ("coyote", "set_parma synth.elaboration.rodinMoreOptions {}\n", "synthesis.tcl"),
        ("coyote", "set_property IOSTANDRAD LVCMOS18 [get_ports x]\n", "pins.xdc"),
        ("vitis", "set_property IOSTANDRAD LVCMOS18 [get_ports x]\n", "pins.xdc"),
    ],
)
def test_check_judges_those_of_cards(
    platform: str, wrong: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = VITIS if platform == "vitis" else COYOTE
    generate(card_inputs(tmp_path, platform, table, more={file: wrong}), tmp_path / "out")
    assert main(["check", str(tmp_path / "out")]) == 1
    assert f"card0/user/{file}:1: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("platform", "table", "expected"),
    [
        (
            "vitis",
            'tcl.synthesis = ["hooks/synthesis.tcl"]',
            "v++ synthesises each kernel in a run of its own",
        ),
        (
            "coyote",
            'tcl.bitstream = ["hooks/bitstream.tcl"]',
            "Coyote v2 writes its bitstreams from checkpoints",
        ),
        ("coyote", 'tcl.block_design = ["hooks/design.tcl"]', "user logic of a vFPGA is no block design"),
        (
            "coyote",
            'version = "v1"\ntcl.block_design = ["hooks/design.tcl"]',
            "user logic of a vFPGA is no block design",
        ),
    ],
)
def test_moments_that_a_platform_does_not_have(
    platform: str, table: str, expected: str, tmp_path: Path
) -> None:
    with pytest.raises(ShellgenError) as error:
        generate(card_inputs(tmp_path, platform, table), tmp_path / "out")
    assert f"node[0].options.{platform}.tcl." in str(error.value)
    assert expected in str(error.value)
