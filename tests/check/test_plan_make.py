# SPDX-License-Identifier: BSD-3-Clause
"""Makefiles as make reads them, and ours against the plan."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coyote_project import vfpga, write_vfpga
from small_design import SmallCatalogue
from vitis_project import cards, write_cards

from shellgen.check.makefile import MakeError, Makefile, Scenario
from shellgen.check.rules.base import RULES, Context, all_rules
from shellgen.emit.memory_map import memory_map
from shellgen.model import Plan
from vivado_check.recording import Recording
from vivado_check.report import Message

TEXT = """\
A ?= one two
B := $(A:%o=%0) $(words $(A)) $(notdir a/b c/d.x)
C = $(or $(NONE),$(filter-out one,$(A)),never)
ifeq ($(GIVEN),)
C += none
else
ifneq ($(words $(GIVEN)),1)
$(error GIVEN is '$(GIVEN)')
endif
C += $(abspath $(GIVEN))
endif

all: made \\
    b
made: Makefile
\techo $(B) $(C) $$x > $@
b:
\techo $< \\
\t    b
"""


def read(text: str, goals: tuple[str, ...] = (), **given: str) -> Makefile:
    return Makefile(text, Scenario({"CURDIR": "/here", **given}, goals, lambda name: name == "there"))


@pytest.mark.parametrize("given", ["", "way", "/way"])
def test_it_expands_as_make_does(given: str, tmp_path: Path) -> None:
    """The same commands as GNU make's own."""
    (tmp_path / "Makefile").write_text(TEXT)
    more = [f"GIVEN={given}"] if given else []
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    ran = subprocess.run(
        ["make", "-n", *more], cwd=tmp_path, env=mine, capture_output=True, text=True, check=True
    )
    make = Makefile(TEXT, Scenario({"CURDIR": str(tmp_path), "GIVEN": given}, (), lambda _: False))
    found = [command for step in make.order(make.default()) for _, command in make.commands(step)]
    assert [" ".join(one.split()) for one in found] == [
        " ".join(line.split()) for line in ran.stdout.replace("\\\n", " ").splitlines()
    ]
    assert make.undefined == [(16, "NONE")]


def test_what_is_needed_comes_first() -> None:
    make = read("all: c b\nc: b\nb: d all\nd:\n")
    assert [step.target for step in make.order("all")] == ["d", "b", "c", "all"]


DOUBLED = "x0 = {}\n" + "".join(f"x{k} = $(x{k - 1})$(x{k - 1})\n" for k in range(1, 45)) + "y := $(x44)\n"


def test_errors_of_make() -> None:
    for text, said in (
        ("ifeq (a,b)\nx = 1\n", "missing endif"),
        ("endif\n", "extraneous endif"),
        ("ifeq a,b)\nendif\n", "invalid syntax"),
        ("x\n", "missing separator"),
        ("x := $(y\n", "unterminated"),
        ("x = $(x)\ny := $(x)\n", "refers to itself"),
        ("x := $(filter-out a)\n", "number of arguments"),
        (DOUBLED.format(""), "too often"),
        (DOUBLED.format("long " * 9), "MiB"),
    ):
        with pytest.raises(MakeError, match=said):
            read(text)
    with pytest.raises(MakeError, match="GIVEN is 'a b'") as error:
        read(TEXT, GIVEN="a b")
    assert error.value.line == 8


def judge(out: Path, plan: Plan) -> list[Message]:
    all_rules()
    map_ = memory_map(plan)
    context = Context(Recording("2022.2", out), SmallCatalogue(), out, None, plan.nodes[0].name, plan, map_)
    return list(RULES["plan-make"].judge(context))


def card(out: Path) -> tuple[Path, Plan]:
    return write_cards(out, "u280", "u50") / "vitis/Makefile", cards("u280", "u50")[0]


def coyote(out: Path, version: str = "v2", **more: Any) -> tuple[Path, Plan]:
    options = {"version": version, **more}
    return write_vfpga(out, coyote=options) / "coyote/Makefile", vfpga(coyote=options)[0]


KINDS: dict[str, Callable[[Path], tuple[Path, Plan]]] = {
    "vitis": card,
    "v2": coyote,
    "v1": lambda out: coyote(out, "v1"),
    "several": lambda out: coyote(out, configs=2),
}


@pytest.mark.parametrize("kind", KINDS)
def test_right_ones(kind: str, tmp_path: Path) -> None:
    _, plan = KINDS[kind](tmp_path)
    assert judge(tmp_path, plan) == []


def test_a_makefile_waits_for_what_its_script_prints(tmp_path: Path) -> None:
    makefile, plan = card(tmp_path)
    script = makefile.with_name("before_opt.tcl")
    script.write_text(script.read_text().replace("constraints are set", "constraints were set"))
    (message,) = judge(tmp_path, plan)
    assert message.where == "vitis/before_opt.tcl"
    assert message.expected == "shellgen: constraints are set"


# Kind, what is there, what somebody writes instead.
MISTAKES = [
    ("vitis", "PLATFORM ?= xilinx_u280_gen3x16", "PLATFORM ?= xilinx_u250_gen3x16"),
    ("vitis", "MAX_SOCKETS ?= 16", "MAX_SOCKETS ?= 15"),
    ("vitis", "VIVADO ?= vivado", "VIVADO ?= vivdo"),
    ("vitis", "VPP ?= v++\n", ""),
    ("vitis", "ifeq ($(VNX),)", "ifneq ($(VNX),)"),
    ("vitis", "ifneq ($(words $(VNX)),1)", "ifneq ($(words $(VNX)),0)"),
    ("vitis", "    ../rtl/axis_width.sv \\\n", ""),
    ("vitis", "../rtl/axil_root.sv", "../rtl/axil_roox.sv"),
    ("vitis", "--jobs $(JOBS) -o", "--jobs $(JBS) -o"),
    ("vitis", "kernels := build", "kerenls := build"),
    ("vitis", "--config $(CURDIR)/link.cfg", "--config link.cfg"),
    ("vitis", "TCL.PRE=$(CURDIR)/before_opt.tcl", "TCL.PRE=before_opt.tcl"),
    ("vitis", "mkdir -p build/link", "mkir -p build/link"),
    (
        "vitis",
        "'shellgen: constraints are set' build/link ||",
        "'shellgen: constraints are set' build/link &&",
    ),
    ("vitis", "Synth 8-4445", "Synth 8-4446"),
    ("vitis", "-lt 210", "-lt 21"),
    ("vitis", "\tmv build/link/linked.xclbin $@\n", ""),
    ("vitis", "/cmac_0.xo \\", "/cmac_1.xo \\"),
    ("vitis", "INTERFACE=0", "INTERFACE=1"),
    ("vitis", "all: fits build/card0.xclbin", "all: fits build/card1.xclbin"),
    ("vitis", ".DELETE_ON_ERROR:\n", ""),
    ("v2", "-DCYT_DIR=$(COYOTE)", "-DCYT_DIR=COYOTE"),
    ("v2", "$(step) synth\n", "$(step) project\n"),
    ("v2", "echo done > $@", "echo done > x"),
    ("v2", "; then \\\n\t    mv $(hw)/bitstreams", "; tehn \\\n\t    mv $(hw)/bitstreams"),
    ("v2", "ifeq ($(COYOTE),)\n", ""),
    ("v2", "$(hw)/built: $(hw)/synthesised", "$(hw)/built: $(hw)/projected"),
    ("v2", ".PHONY: all ip", ".PHONY: all"),
    ("v1", "-tclargs $(hw)", "-tclargs hw"),
    ("v1", "-S $(COYOTE)/hw", "-S $(COYOTE)"),
    ("v1", "-C $(hw) compile", "-C $(hw) shell"),
    ("v1", "if ! grep -qs 'All user", "if grep -qs 'All user"),
    ("v2", "config_0/vfpga_c0_0.bin\nreport", "config_0/vfpga_c0_1.bin\nreport"),
    ("v2", "shell_timing_summary_c0", "shell_timing_summary_c1"),
    ("v2", "$(filter-out -DBUILD_APP=0 -DBUILD_APP=1,$(SETTINGS))", "none"),
    ("v2", "-DBUILD_APP=0 -DBUILD_APP=1", "-DBUILD_APP=0"),
    ("several", "ifeq ($(wildcard $(FLOORPLAN)),)", "ifneq ($(wildcard $(FLOORPLAN)),)"),
]


@pytest.mark.parametrize(("kind", "old", "new"), MISTAKES)
def test_mistakes(kind: str, old: str, new: str, tmp_path: Path) -> None:
    path, plan = KINDS[kind](tmp_path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    found = judge(tmp_path, plan)
    assert found
    assert all(message.origin.file.endswith("Makefile") for message in found)


BOTH = "../rtl/axis_width.sv ../rtl/axil_node.sv"


def test_another_order_and_more_options_are_right(tmp_path: Path) -> None:
    path, plan = card(tmp_path)
    text = path.read_text().replace("--save-temps", "--save-temps --log_dir build", 1)
    text = text.replace("JOBS ?= 4", "JOBS ?= 8").replace("    ../rtl/axil_node.sv \\\n", "", 1)
    text = text.replace(
        "    ../rtl/axis_width.sv \\\n", "    ../rtl/axis_width.sv ../rtl/axil_node.sv \\\n", 1
    )
    path.write_text(text)
    assert judge(tmp_path, plan) == []
