# SPDX-License-Identifier: BSD-3-Clause
"""Coyote v1: project.tcl again, on another Coyote, or without its files; the Makefile; what is refused."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from coyote_project import vfpga
from coyote_v1_project import IN, OUT, Site, beats, card, elaborate, engine, forgotten, site, words

from shellgen.errors import PlanError
from shellgen.model import Claim
from shellgen.platforms import platform_registry

pytestmark = pytest.mark.xdist_group("coyote")


@pytest.fixture
def both(tmp_path: Path) -> Site:
    """A card whose core sends and receives, over RDMA, and has a host."""
    return site(tmp_path, (*OUT, *IN))


# ---- project.tcl ----------------------------------------------------------------------------------------
def test_again_is_the_same(both: Site) -> None:
    """Also after the core has changed: no line is left of what was there."""
    untouched = both.logic.read_text()
    assert both.project().code == 0
    first = both.logic.read_text()
    body = (both.folder / "hw/user_logic.svh").read_text()
    assert body in first
    assert first.startswith(untouched[: untouched.index("\n\n\n\nendmodule")])
    (both.folder / "hw/user_logic.svh").write_text(body + "wire another;\n")
    assert both.project().code == 0
    assert both.logic.read_text() == first.replace(body, body + "wire another;\n")
    (both.folder / "hw/user_logic.svh").write_text(body)
    assert both.project().code == 0
    assert both.logic.read_text() == first
    made = both.vivado.on_disk
    assert made
    names = sorted(Path(path).name for path in made.files)
    assert names == ["accl_bd.bd", "accl_bd_wrapper.v", "card0_core_ip.xci"]
    assert both.vivado.products == {"card0_core_ip": "all"}
    assert both.vivado.alone == {"card0_core_ip"}
    assert "card0_core_ip_synth_1" in made.runs
    folders = made.properties["ip_repo_paths"].split()
    assert folders == [str(both.folder / "build" / name) for name in ("ip", "kernels")]


def test_interfaces_of_another_coyote_are_tied_off(both: Site, tmp_path: Path) -> None:
    """More host streams than the core needs, and what other commits of v1 have."""
    both.shell(
        *("metaIntf.s rdma_0_rq", "metaIntf.m tcp_0_listen_req", "AXI4SR.s axis_tcp_0_sink"),
        *("AXI4SR.m axis_tcp_0_src", "metaIntf.s rdma_0_rd_req_2"),
        N_STRM_AXI="6",
    )
    assert both.project().code == 0
    text = both.logic.read_text()
    assert elaborate(both, tmp_path) == []
    assert forgotten(text) == []
    idle = text[text.index("// What this Coyote has besides.") :]
    assert "assign axis_host_5_sink.tready = 1'b1;\n" in idle
    assert "always_comb tcp_0_listen_req.tie_off_m();\n" in idle
    assert "assign rdma_0_rq.ready = 1'b1;\n" in idle
    assert "axis_host_3" not in idle
    assert re.search(r"rdma_0_rd_req\.", idle) is None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("RDMA_REQ_BITS = 512", "RDMA_REQ_BITS = 544", "msg 448 rsrvd 49} and not {opcode 5"),
        ("RDMA_MSG_BITS = 448", "RDMA_MSG_BITS = 192", "rdma_req_t is {opcode 5 qpn 10"),
        (
            "        logic done;\n        logic host;",
            "        logic host;\n        logic done;",
            "dma_rsp_t is {host",
        ),
        ("PID_BITS = 6", "PID_BITS = 8", "req_t is {vaddr 48"),
        ("} rdma_req_t;", "} rdma_request_t;", "rdma_req_t is {} and not"),
    ],
)
def test_requests_that_accl_would_lay_out_otherwise(both: Site, old: str, new: str, told: str) -> None:
    text, before = both.package.read_text(), both.logic.read_text()
    assert old in text
    both.package.write_text(text.replace(old, new))
    ran = both.project()
    assert ran.code == 1
    (said,) = ran.printed
    assert said.startswith("project.tcl: this Coyote is not the one that ACCL was written for: ")
    assert told in said
    assert both.logic.read_text() == before
    ran = both.project(str(both.build), "-any_layout")
    assert ran.code == 0
    assert ran.printed[0].startswith("project.tcl: WARNING: this Coyote")


def _none(found: Site) -> None:
    (found.build / "lynx/lynx.xpr").unlink()


def _fewer(found: Site) -> None:
    found.shell(N_STRM_AXI="3")


def _plain(found: Site) -> None:
    found.shell(EN_RDMA_0="0", EN_RPC="0")


def _other(found: Site) -> None:
    found.logic.write_text(found.logic.read_text().replace("\n\n\n\nendmodule", "\nassign a = b;\nendmodule"))


def _unmarked(found: Site) -> None:
    found.logic.write_text(found.logic.read_text().replace("USER LOGIC", "LOGIC"))


def _kernels(found: Site) -> None:
    (found.folder / "build/kernels").rmdir()


def _arbiter(found: Site) -> None:
    del found.vivado.user_ip["xilinx.com:ACCL:client_arbiter:1.0"]


def _revision(found: Site) -> None:
    (found.folder / "build/ip/component.xml").write_text("<xilinx:coreRevision>1</xilinx:coreRevision>")


@pytest.mark.parametrize(
    ("damage", "code", "told"),
    [
        (_none, 2, "there is no lynx/lynx.xpr in"),
        (_fewer, 1, "has no axis_host_3_sink, axis_host_3_src; configure Coyote with -DFDEV_NAME=u55c"),
        (_plain, 1, "axis_rdma_0_sink"),
        (_other, 1, "user_logic_c0_0.sv holds other user logic; run target shell of Coyote anew"),
        (_unmarked, 1, "user_logic_c0_0.sv has 0 lines that say USER LOGIC"),
        (_kernels, 1, "build/kernels; run make in"),
        (_arbiter, 1, "has no IP xilinx.com:ACCL:client_arbiter for block designs, nor have"),
        (_revision, 1, "build/ip is of another core than this project; run make with target ip again"),
    ],
)
def test_what_is_not_there(both: Site, damage: Any, code: int, told: str) -> None:
    damage(both)
    ran = both.project()
    assert (ran.code, ran.error) == (code, "")
    (said,) = ran.printed
    assert said.startswith("project.tcl: ")
    assert told in said


def test_half_a_block_design_does_not_stay(both: Site) -> None:
    arbiter = "xilinx.com:ACCL:client_arbiter:1.0"
    del both.vivado.user_ip[arbiter]
    assert both.project().code == 1
    assert list(both.build.rglob("accl_bd*")) == []
    both.vivado.user_ip[arbiter] = None
    both.vivado.quit()
    assert both.project().code == 0
    assert both.wrapper.is_file()
    assert (both.vivado.calls["create_ip"], both.vivado.calls["create_ip_run"]) == (1, 1)


@pytest.mark.parametrize("arguments", [(), ("a", "b"), ("a", "-any_layout", "b"), ("-any_layout", "a")])
def test_arguments(both: Site, arguments: tuple[str, ...]) -> None:
    both.vivado.on_disk = None
    ran = both.project(*(arguments or ("", "", "")))
    assert ran.code == 2


def test_without_accl_nothing_of_it_is_needed(tmp_path: Path) -> None:
    found = site(tmp_path)
    found.package.unlink()
    assert found.project().code == 0
    assert sorted(path.name for path in (found.folder / "hw").iterdir()) == ["project.tcl", "user_logic.svh"]
    wanted = {"FDEV_NAME": "u55c", "EN_HLS": "0", "EN_STRM": "1", "N_STRM_AXI": "1", "ACLK_F": "250"}
    assert found.settings == wanted


# ---- Makefile -------------------------------------------------------------------------------------------
CMAKE = """
while [ "$1" != -B ]; do shift; done
mkdir -p "$2"
cp "$SHELL_MAKE" "$2/Makefile"
"""
COYOTE = """
shell:
\techo coyote shell >> $(LOG)
\tmkdir -p lynx/lynx.runs/impl_1
\t[ -n "$(NOTHING)" ] || echo xpr > lynx/lynx.xpr
compile:
\techo coyote compile >> $(LOG)
\tmkdir bitstreams
\t[ -n "$(NOTHING)" ] || echo bit > bitstreams/cyt_top.bit
\techo '$(SAID)' > lynx/lynx.runs/impl_1/runme.log
\techo 'All user specified timing constraints are $(TIMING).' > lynx/lynx.runs/impl_1/timing_summary.rpt
"""
ACCL = """
all:
\techo "accl $(notdir $(CURDIR)) $(PLATFORM) $(STACK_TYPE) $(DEVICE)" >> $(LOG)
"""
TOOLS = {
    "cmake": CMAKE,
    "vivado": 'case "$*" in *package.tcl) mkdir -p build/ip; echo xml > build/ip/component.xml;; esac',
    "unzip": "",
}


@dataclass
class Place:
    """A card's folder, clones of ACCL and Coyote, and tools in PATH."""

    folder: Path
    accl: Path
    log: Path
    tools: Path

    def make(self, *words: str, **said: str) -> subprocess.CompletedProcess[str]:
        env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
        told = {"LOG": str(self.log), "TIMING": "met", "SHELL_MAKE": str(self.log.with_name("shell.mk"))}
        path = f"{self.tools}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["make", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env={**env, **told, **said, "PATH": path},
        )

    def whole(self, **said: str) -> subprocess.CompletedProcess[str]:
        return self.make(f"ACCL={self.accl}", **said)

    @property
    def called(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


def place(tmp_path: Path, pins: tuple[Any, ...] = (*OUT, *IN), **more: Any) -> Place:
    found = site(tmp_path, pins, **more)
    shutil.rmtree(found.folder / "build")
    for name in ("rtl", "n0_core.v"):
        (found.folder.parent / name).touch()
    tools, accl = tmp_path / "bin", tmp_path / "accl"
    tools.mkdir()
    for name, text in TOOLS.items():
        (tools / name).write_text(f'#!/bin/sh\nset -e\necho "{name} $*" >> "$LOG"\n{text}\n')
        (tools / name).chmod(0o755)
    plugins = [f"plugins/{name}" for name in ("hostctrl", "client_arbiter", "reduce_ops", "cyt_adapter")]
    for name in (*plugins, "cclo"):
        (accl / "kernels" / name).mkdir(parents=True)
        (accl / "kernels" / name / "Makefile").write_text(ACCL)
    for name in ("hlslib/include", "test/refdesigns/Coyote/hw/scripts/shell.tcl.in"):
        (accl / name).parent.mkdir(parents=True, exist_ok=True)
        (accl / name).touch()
    (tmp_path / "shell.mk").write_text(COYOTE)
    return Place(found.folder, accl, tmp_path / "calls", tools)


def test_from_sources_to_the_bitstream(tmp_path: Path) -> None:
    found = place(tmp_path, board="u250")
    ran = found.whole()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    part = "xcu250-figd2104-2L-e"
    kernels = [line for line in found.called if line.startswith("accl")]
    assert kernels == [
        "accl cclo u250 RDMA ",
        *(f"accl {name}   {part}" for name in ("hostctrl", "client_arbiter", "reduce_ops", "cyt_adapter")),
    ]
    unpacked = [line for line in found.called if line.startswith("unzip")]
    engine_xo = f"{found.accl}/kernels/cclo/RDMA_11110_{part}/ccl_offload.xo"
    assert unpacked[0] == f"unzip -qn {engine_xo} -d build/kernels"
    assert len(unpacked) == 7
    (configured,) = [line for line in found.called if line.startswith("cmake")]
    assert f"-S {found.accl}/test/refdesigns/Coyote/hw -B build/hw " in configured
    for setting in (
        *("FDEV_NAME=u250", "EN_STRM=1", "N_STRM_AXI=4", "EN_MEM=1", "N_CARD_AXI=3", "N_DDR_CHAN=2"),
        *("EN_BPSS=1", "EN_RDMA_0=1", "EN_RPC=1", "EN_HLS=0", "ACLK_F=250", "TLBL_A=12"),
    ):
        assert f" -D{setting} " in configured
    steps = [line.split()[0] for line in found.called if line.split()[0] not in ("accl", "unzip")]
    assert sorted(steps) == ["cmake", "coyote", "coyote", "vivado", "vivado"]
    assert found.called[-2].endswith("-source hw/project.tcl -tclargs build/hw")
    assert found.called[-1] == "coyote compile"
    before = len(found.called)
    assert found.whole().returncode == 0
    assert len(found.called) == before
    _, node = card((*OUT, *IN))
    made = [
        found.folder.parent / name
        for one in platform_registry()["coyote"].stages(node)
        for name in one.products
    ]
    assert all(path.stat().st_size for path in made), "shellgen build takes an empty file for none"


def test_over_tcp(tmp_path: Path) -> None:
    found = place(tmp_path, coyote={"network": "tcp"})
    assert found.whole().returncode == 0
    (configured,) = [line for line in found.called if line.startswith("cmake")]
    for setting in ("EN_TCP_0=1", "N_STRM_AXI=3", "N_CARD_AXI=2", "N_DDR_CHAN=0"):
        assert f" -D{setting} " in configured
    assert "RDMA" not in configured
    assert "accl cclo u55c TCP " in found.called
    assert len([line for line in found.called if line.startswith("unzip")]) == 5


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"TIMING": "NOT met"}, "Makefile: timing is not met, so the bitstreams are in build/hw/slow"),
        ({"NOTHING": "1"}, "Makefile: Coyote has left no build/hw/lynx/lynx.xpr"),
        ({"SAID": "CRITICAL WARNING: [Synth 8-4445] no file"}, "Makefile: a memory file was not found"),
    ],
)
def test_what_goes_wrong_in_coyote(said: dict[str, str], told: str, tmp_path: Path) -> None:
    found = place(tmp_path)
    ran = found.whole(**said)
    assert ran.returncode == 2
    assert told in ran.stdout
    assert not (found.folder / "build/hw/built").exists()


@pytest.mark.parametrize(
    ("words", "removed", "told"),
    [
        ((), "", "ACCL is not set. Say where a clone of ACCL lies: make ACCL=<folder>"),
        (("ACCL=a b",), "", "ACCL is 'a b'; make takes no folder with a space"),
        (("ACCL=bin",), "", "There is no kernels/cclo/Makefile in"),
        (("ACCL=accl",), "hlslib", "The submodules of"),
        (("ACCL=accl",), "test", "There is no hw/scripts/shell.tcl.in in"),
        (("ACCL=accl", "COYOTE=a b"), "", "COYOTE is 'a b'"),
    ],
)
def test_what_the_makefile_needs(words: tuple[str, ...], removed: str, told: str, tmp_path: Path) -> None:
    found = place(tmp_path)
    if removed:
        shutil.rmtree(found.accl / removed)
    ran = found.make(*(word.replace("=accl", f"={found.accl}") for word in words))
    assert ran.returncode == 2
    assert told in ran.stderr
    assert found.called == []


def test_help_and_what_needs_no_coyote(tmp_path: Path) -> None:
    found = place(tmp_path)
    ran = found.make("help")
    assert (ran.returncode, ran.stderr) == (0, "")
    for word in ("make ACCL=<folder>", "make kernels", "make project", "COYOTE", "LAYOUT"):
        assert word in ran.stdout
    assert found.make("ip").returncode == 0
    assert found.make("kernels", f"ACCL={found.accl}").returncode == 0
    assert not (found.folder / "build/hw").exists()
    plain = place(tmp_path / "plain", pins=())
    assert "ACCL" not in plain.make("help").stdout
    assert "COYOTE is not set" in plain.make().stderr
    assert plain.make(f"COYOTE={found.accl}/test/refdesigns/Coyote").returncode == 0
    assert not any(line.startswith(("accl", "unzip")) for line in plain.called)


# ---- what is refused ------------------------------------------------------------------------------------
LEAVES = Claim(name="more", addr_bits=10, leaves=True)
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "network": (
        {"coyote": {"network": "tcp"}, "pins": ()},
        'options.coyote.network: "tcp" is what ACCL is to',
    ),
    "rdma": (
        {"coyote": {"rdma": True}, "pins": ()},
        "options.coyote.rdma: Coyote v1 gets a network with ACCL",
    ),
    "regions": ({"coyote": {"regions": 2}}, "options.coyote.regions: 2; for Coyote v1 a single vFPGA"),
    "configs": ({"coyote": {"configs": 2}}, "options.coyote.configs: 2; for Coyote v1 a single vFPGA"),
    "clock": (
        {"clock_mhz": 200},
        "clock_mhz: 200 MHz; beside ACCL, whose kernels are packaged for it, the core",
    ),
    "window": (
        {"attached": (engine(OUT, (LEAVES, LEAVES)),)},
        "its window more leaves the core as m_axil_more",
    ),
    "wide": (
        {"attached": (engine(OUT, (LEAVES.model_copy(update={"addr_bits": 17}),)),)},
        "its window more has 17 address bits, and ACCL 16",
    ),
    "role": (
        {"attached": (engine((beats("x", "other", "in"),)),)},
        "dock cclo has one each of command, status",
    ),
    "twice": ({"attached": (engine((*IN, beats("y", "from_cclo", "in"))),)}, "this is another from_cclo"),
    "way": (
        {"attached": (engine((words("x", "status", "out"),)),)},
        "the role status is a stream in of the core",
    ),
    "bits": (
        {"attached": (engine((words("x", "to_cclo", "out"),)),)},
        "it has 32 bits, and the role to_cclo 512",
    ),
    "streams": ({"rx": 14}, "the host sends to the core over 14 streams, and Coyote v1 has 13."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    more, told = REFUSED[case]
    given = {"pins": (*OUT, *IN), **more}
    try:
        plan, node = card(**given)
    except PlanError as error:
        found = [str(problem) for problem in error.problems]
    else:
        found = [str(problem) for problem in platform_registry()["coyote"].check(plan, node)]
    assert len(found) == 1, found
    assert told in found[0]
    assert found[0].endswith(".")


def test_thirteen_streams_of_the_host_are_fine() -> None:
    plan, node = card((*OUT, *IN), rx=13)
    assert platform_registry()["coyote"].check(plan, node) == []


def test_a_clock_of_ones_own_without_accl(tmp_path: Path) -> None:
    found = site(tmp_path, clock_mhz=200)
    assert (found.settings["EN_UCLK"], found.settings["UCLK_F"]) == ("1", "200")


def test_stages_of_a_build() -> None:
    platform = platform_registry()["coyote"]
    _, node = card(OUT)
    stages = platform.stages(node)
    assert [stage.name for stage in stages] == ["core", "kernels", "shell", "project", "bitstream"]
    assert stages[1].alone == "ACCL"
    assert [setting.required for setting in stages[-1].settings] == [True, False, False]
    _, plain = card()
    assert [stage.name for stage in platform.stages(plain)] == ["core", "shell", "project", "bitstream"]
    assert platform.stages(plain)[-1].settings[0].required


def test_the_version_where_nothing_is_said() -> None:
    plan, _ = vfpga()
    (node,) = plan.nodes
    joined = node.model_copy(update={"attachments": (*node.attachments, engine((*OUT, *IN)))})
    platform = platform_registry()["coyote"]
    assert {a.path.rpartition("/")[2] for a in platform.artifacts(plan, joined, ())} >= {
        "accl_bd.tcl",
        "project.tcl",
    }
    assert {a.path.rpartition("/")[2] for a in platform.artifacts(plan, node, ())} >= {"vfpga_top.svh"}
    assert [channel.dest for channel in platform.channels(joined)] == [3, 3]
