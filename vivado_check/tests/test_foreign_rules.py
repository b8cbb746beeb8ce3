# SPDX-License-Identifier: BSD-3-Clause
"""Rules of other packages, and the command, as a user runs it: in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import vivado_check

ROOT = Path(vivado_check.__file__).parent
README = Path(__file__).parents[1] / "README.md"
SCRIPT = "create_bd_design d\ncreate_bd_cell -type ip -vlnv xilinx.com:ip:ila:6.2 ila_0\n"


def run(folder: Path, *words: str, code: int) -> tuple[str, str]:
    """Run the command in a folder whose packages it sees; return what it printed and complained of."""
    paths = [str(folder), str(ROOT.parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "vivado_check", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    return ran.stdout, ran.stderr


def package(folder: Path, source: str) -> None:
    """Install a package of one module, as pip leaves it."""
    (folder / "our_rules.py").write_text(source)
    told = folder / "our_rules-1.0.dist-info"
    told.mkdir(exist_ok=True)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: our-rules\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[vivado_check.rules]\nour_rules = our_rules\n")


def example() -> str:
    """Return the rule that README.md shows."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    return next(str(block) for block in blocks if "@rule(" in block)


def test_the_sample_of_the_readme(tmp_path: Path) -> None:
    """A misspelt parameter, as the page prints it."""
    lines = (
        "create_bd_design d",
        "create_bd_cell -type ip -vlnv xilinx.com:ip:axi_dma:7.1 axi_dma_0",
        "set_property CONFIG.c_include_sgg 0 [get_bd_cells axi_dma_0]",
        "create_bd_port -dir I -type clk -freq_hz 100000000 clk",
        "connect_bd_net [get_bd_ports clk] [get_bd_pins axi_dma_0/*aclk]",
    )
    (tmp_path / "bd.tcl").write_text("\n".join(lines) + "\n")
    assert f"\n```\n{run(tmp_path, 'bd.tcl', code=1)[0]}```\n" in README.read_text()


def test_the_rule_of_the_readme(tmp_path: Path) -> None:
    """It takes part without being named, is listed with its package, and finds what it is for."""
    script = tmp_path / "bd.tcl"
    script.write_text(SCRIPT)
    text, _ = run(tmp_path, "bd.tcl", code=1)
    assert "0 findings" in text
    assert "debug-core" not in text
    package(tmp_path, example())
    text, _ = run(tmp_path, "bd.tcl", code=1)
    assert "bd.tcl:2: finding: /ila_0: it is an ILA [debug-core]" in text
    assert "1 finding" in text
    told = json.loads(run(tmp_path, "bd.tcl", "--json", code=1)[0])
    assert not told["ok"]
    assert "debug-core" in {one["rule"] for one in told["checked"]["bd.tcl"]}
    (listed,) = [line for line in run(tmp_path, "--rules", code=0)[0].splitlines() if "debug-core" in line]
    assert listed.endswith("[our-rules 1.0, our_rules]")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("from collections", "1 / 0\nfrom collections", "it cannot be loaded: ZeroDivisionError"),
        ("@rule(", "0 and rule(", "it registers no rule"),
        ('@rule("debug-core"', '@rule("unknown-ip"', "two rules are called unknown-ip"),
        ("    for cell in", "    None.name\n    for cell in", "rule debug-core raised AttributeError"),
        ('"debug-core",  # the', '"other",  # the', "is no message of its name"),
        ("            yield Message(", "            yield str(", "TypeError"),
    ],
)
def test_a_rule_that_cannot_be_run_ends_the_check(old: str, new: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "bd.tcl").write_text(SCRIPT)
    source = example()
    assert old in source
    package(tmp_path, source.replace(old, new, 1))
    _, complaint = run(tmp_path, "bd.tcl", code=2)
    assert said in complaint
    assert "our-rules 1.0" in complaint
    assert complaint.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.tcl",), "nowhere.tcl: there is no such file"),
        ((".",), "it is a folder"),
        ((), "script: none is named"),
        (("bd.tcl", "--release", "22"), "'22' is no release of Vivado"),
        (("bd.tcl", "--root", "nowhere"), "--root nowhere: it is no folder"),
        (("empty.tcl",), "the file is empty"),
        (("bd.tcl", "--env", "x"), "expected NAME=VALUE"),
        (("bd.tcl", "--learn", "nowhere"), "nowhere"),
    ],
)
def test_wrong_input(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "bd.tcl").write_text(SCRIPT)
    (tmp_path / "empty.tcl").write_text("")
    _, complaint = run(tmp_path, *words, code=2)
    assert complaint.startswith("vivado-check: error: ")
    assert said in complaint


def test_nothing_to_check_is_no_pass(tmp_path: Path) -> None:
    """A script that builds nothing, or stops early, is not right."""
    (tmp_path / "a.tcl").write_text("proc build {} { create_bd_design d }\nputs done\n")
    text, _ = run(tmp_path, "a.tcl", code=3)
    assert "a.tcl: not checked: no command that builds anything was modelled" in text
    (tmp_path / "b.tcl").write_text("create_bd_design d\nwhile 1 {puts [string repeat x 9999]}\n")
    assert "b.tcl: not checked: the script was not run to its end" in run(tmp_path, "b.tcl", code=3)[0]


def test_strict_arguments_and_environment(tmp_path: Path) -> None:
    script = tmp_path / "a.tcl"
    script.write_text("create_bd_design [lindex $argv 0]$env(SITE)\ncreate_bd_cell -vlnv a.b:user:c:1.0 c\n")
    words = ("a.tcl", "--env", "SITE=x", "--json")
    told = json.loads(run(tmp_path, *words, "--tclargs", "d", code=3)[0])
    assert told["results"]["a.tcl"]["result"] == "not checked"
    assert json.loads(run(tmp_path, *words, "--strict", "--tclargs", "d", code=1)[0])["release"] == "2022.2"
