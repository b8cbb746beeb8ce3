# SPDX-License-Identifier: BSD-3-Clause
"""The Makefile of a card under Coyote v1, with stubs of Vivado, CMake, unzip, ACCL and Coyote."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from coyote_v1_project import IN, OUT, card, site

from shellgen.platforms import platform_registry

pytestmark = pytest.mark.xdist_group("coyote")

CMAKE = """
while [ "$1" != -B ]; do shift; done
mkdir -p "$2"
cp "$SHELL_MAKE" "$2/Makefile"
printf '%s\\n' "$CACHE" > "$2/CMakeCache.txt"
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
    variables: tuple[str, ...] = (
        "EN_HLS",
        "EN_STRM",
        "N_STRM_AXI",
        "ACLK_F",
        "EN_BPSS",
        "EN_MEM",
        "N_CARD_AXI",
        "N_DDR_CHAN",
    )
    variables += ("EN_RDMA_0", "EN_RPC", "TLBL_A", "TLBL_S", "EN_TCP_0", "EN_UCLK", "UCLK_F")
    text = "".join(f'set({name} 0 CACHE STRING "")\n' for name in variables) + 'set(HBM_DEV "u280" "u55c")\n'
    text += "".join(f'if(FDEV_NAME STREQUAL "{one}")\nendif()\n' for one in ("u55c", "u250", "u280"))
    (accl / "test/refdesigns/Coyote/hw/CMakeLists.txt").write_text(text)
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


@pytest.mark.parametrize("pins", [(), (*OUT, *IN)], ids=["alone", "accl"])
def test_a_build_can_be_told_all_that_the_makefile_asks_for(tmp_path: Path, pins: tuple[Any, ...]) -> None:
    asked = re.findall(r"^([A-Z]+) +\S", place(tmp_path, pins).make("help").stdout, re.MULTILINE)
    stages = platform_registry()["coyote"].stages(card(pins)[1])
    assert set(asked) == {setting.name for stage in stages for setting in stage.settings}
    assert "SETTINGS" in asked


@pytest.mark.parametrize(
    ("settings", "cache", "said"),
    [
        ("-DN_STRM_AXI=5", "", "SETTINGS has N_STRM_AXI=5, and the plan of card0 has N_STRM_AXI=4"),
        ("-D EN_MEM:BOOL=0", "", "SETTINGS has EN_MEM=0, and the plan of card0 has EN_MEM=1"),
        ("-DEN_MEM=1 -DTLBL_S=10", "TLBL_S:STRING=10", ""),
        ("-DTLB_S=10", "TLB_S:UNINITIALIZED=10", "this Coyote has no variable TLB_S, so nothing comes of it"),
    ],
)
def test_settings_that_nobody_would_hear(settings: str, cache: str, said: str, tmp_path: Path) -> None:
    found = place(tmp_path)
    ran = found.make(f"ACCL={found.accl}", f"SETTINGS={settings}", CACHE=cache)
    assert (ran.returncode, said in ran.stdout + ran.stderr) == (2 if said else 0, True), ran.stderr


def test_clones_that_lack_something(tmp_path: Path) -> None:
    found = place(tmp_path, board="u280")
    ran = found.make("clone", f"ACCL={found.accl}")
    assert ran.returncode == 0, ran.stderr
    assert "not tried together; tried are 46298860 and 723d8ec3" in ran.stdout
    assert "issues/120" in ran.stdout
    build = found.accl / "test/refdesigns/Coyote/hw/CMakeLists.txt"
    whole = build.read_text()
    for old, said in (
        ("set(TLBL_A 0", "its CMake has no variable TLBL_A, which this node needs"),
        ('STREQUAL "u280"', "it does not build for u280"),
        ('HBM_DEV "u280"', "u280 is not in HBM_DEV, and the plan counts on its HBM"),
        ("", "u280 is in DDR_DEV, and the plan counts on its HBM"),
    ):
        build.write_text(whole.replace(old, "#") if old else f'{whole}set(DDR_DEV "u280")\n')
        ran = found.make("clone", f"ACCL={found.accl}")
        assert (ran.returncode, said in ran.stderr) == (2, True), ran.stderr
    assert not found.called, "before anything is begun"
