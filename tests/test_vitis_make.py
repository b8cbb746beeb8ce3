# SPDX-License-Identifier: BSD-3-Clause
"""The Makefile of an Alveo card, with stubs of Vivado, v++, xclbinutil and VNx."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from vitis_project import ALVEO, write_cards

from shellgen.platforms.vitis.scripts import CORES_COMMIT, VNX_COMMIT

pytestmark = pytest.mark.xdist_group("vitis")  # which share what is written once

HERE = "shellgen: constraints are set"
# Commands of each stub; $LOG collects how it was called.
TOOLS = {
    "vivado": "cp package.tcl \"build/$(sed -n 's/^set xo .*build \\(.*\\)\\]$/\\1/p' package.tcl)\"",
    "v++": """
[ "$1" != --version ] || { echo "****** v++ v${RELEASE:-2022.1} (64-bit)"; exit; }
mkdir -p _x/link/vivado/vpl/prj/prj.runs/impl_1
printf '%s\\n' "$SAID" > _x/link/vivado/vpl/prj/prj.runs/impl_1/runme.log
while [ "$1" != -o ]; do shift; done
touch "$2"
""",
    "xclbinutil": """
while [ "$1" != --dump-section ]; do shift; done
cat > "${2##*:JSON:}" <<END
{ "clock_freq_topology": { "m_count": "3", "m_clock_freq": [
  { "m_freq_Mhz": "$MHZ", "m_type": "DATA", "m_name": "DATA_CLK" },
  { "m_freq_Mhz": "$MHZ2", "m_type": "KERNEL", "m_name": "KERNEL_CLK" },
  { "m_freq_Mhz": "450", "m_type": "SYSTEM", "m_name": "hbm_aclk" } ] } }
END
""",
}
# Commits of the clone and of its submodule; not in the log.
GIT = """
case "$2" in *stack-core) echo "${CORES-%s}" ;; *) echo "${CLONE-%s}" ;; esac
"""
# The targets of VNx's own Makefile, as far as ours names them.
VNX = """
Ethernet/_x.%/cmac_$(INTERFACE).xo NetLayers/_x.%/networklayer.xo Basic_kernels/_x.%/krnl_mm2s.xo:
\techo "vnx $@ $(DEVICE) $(MAX_SOCKETS)" >> $(LOG)
\tmkdir -p $(@D)
\ttouch $@
"""


@dataclass
class Site:
    """A card's folder, a stub of VNx, and tools in PATH."""

    folder: Path
    vnx: Path
    log: Path
    tools: Path

    def make(self, *words: str, **said: str) -> subprocess.CompletedProcess[str]:
        told = {"SAID": HERE, "MHZ": "210", "MHZ2": "150", "LOG": str(self.log)} | said
        path = f"{self.tools}{os.pathsep}{os.environ['PATH']}"
        env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
        return subprocess.run(
            ["make", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env={**env, **told, "PATH": path},
        )

    def whole(self, **said: str) -> subprocess.CompletedProcess[str]:
        return self.make(f"VNX={self.vnx}", **said)

    @property
    def called(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


def site(tmp_path: Path, board: str = "u280", out: str = "out", **more: Any) -> Site:
    folder = write_cards(tmp_path / out, board, board, board, **{"compute_mhz": 150, **more}) / "vitis"
    tools, vnx = tmp_path / "bin", tmp_path / "vnx"
    tools.mkdir()
    for name, text in TOOLS.items():
        (tools / name).write_text(f'#!/bin/sh\nset -e\necho "{name} $*" >> "$LOG"\n{text}\n')
        (tools / name).chmod(0o755)
    (tools / "git").write_text("#!/bin/sh\n" + GIT % (CORES_COMMIT, VNX_COMMIT))
    (tools / "git").chmod(0o755)
    for name in ("Ethernet/post_sys_link.tcl", "NetLayers/100G-fpga-network-stack-core/Makefile"):
        (vnx / name).parent.mkdir(parents=True)
        (vnx / name).touch()
    (vnx / "Makefile").write_text(VNX)
    return Site(folder, vnx, tmp_path / "calls", tools)


@pytest.mark.parametrize("board", ALVEO)
def test_a_dry_run_on_every_card(board: str, tmp_path: Path) -> None:
    found = site(tmp_path, board)
    ran = found.make("-n", f"VNX={found.vnx}")
    assert ran.returncode == 0, ran.stderr
    kind = "noHBM" if board in ("u200", "u250") else "HBM"
    for text in (
        "vivado -mode batch -notrace -nojournal -log build/package.log -source package.tcl",
        f"Ethernet/_x.xilinx_{board}_",
        "INTERFACE=0",
        "MAX_SOCKETS=16",
        f"--user_ip_repo_paths {found.vnx}/NetLayers/100G-fpga-network-stack-core/synthesis_results_{kind}",
        f"compiler.userPostSysLinkOverlayTcl={found.vnx}/Ethernet/post_sys_link.tcl",
        f"run.impl_1.STEPS.OPT_DESIGN.TCL.PRE={found.folder}/before_opt.tcl",
        f"--config {found.folder}/link.cfg",
    ):
        assert text in ran.stdout, text
    assert not (found.folder / "build").exists()


def test_from_sources_to_the_bitstream(tmp_path: Path) -> None:
    found = site(tmp_path)
    ran = found.whole()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (found.folder / "build" / "card0.xclbin").is_file()
    order = [line.split()[0] for line in found.called]
    assert order == ["vivado", "vnx", "vnx", "vnx", "v++", "xclbinutil"]
    linked = found.called[-2]
    for name in ("cmac_0", "networklayer", "krnl_mm2s", "card0_kernel"):
        assert f"/{name}.xo" in linked
    assert "krnl_s2mm" not in linked, "no stream of this card goes to the host"
    found.log.unlink()
    assert found.whole().returncode == 0
    assert found.called == [], "nothing has changed"
    (found.folder.parent / "card0_core.v").touch()
    assert found.whole().returncode == 0
    assert [line.split()[0] for line in found.called] == ["vivado", "v++", "xclbinutil"]


def test_the_kernels_of_vnx_alone(tmp_path: Path) -> None:
    """Cards that share a clone of VNx build it one after the other, and link at the same time."""
    found = site(tmp_path)
    assert found.make("vnx").returncode != 0, "it needs to know where VNx lies"
    assert found.make("vnx", f"VNX={found.vnx}").returncode == 0
    assert [line.split()[0] for line in found.called] == ["vnx", "vnx", "vnx"]
    found.log.unlink()
    assert found.whole().returncode == 0
    assert [line.split()[0] for line in found.called] == ["vivado", "v++", "xclbinutil"]


def test_scripts_of_the_user(tmp_path: Path) -> None:
    """v++ gets them behind VNx's script; a hook that it passes over and an edited script are noticed."""
    scripts = {name: [{"file": f"{name}.tcl", "sha256": "0" * 64}] for name in ("block_design", "bitstream")}
    found = site(tmp_path, vitis={"tcl": scripts})
    user = found.folder.parent / "user"
    user.mkdir()
    for name in scripts:
        (user / f"{name}.tcl").touch()
    heard = [HERE, *(f"shellgen: scripts of tcl.{name} are done" for name in scripts)]
    for silent, file in ((1, "after_link.tcl"), (2, "before_bitstream.tcl")):
        ran = found.whole(SAID="\n".join(one for one in heard if one != heard[silent]))
        assert ran.returncode == 2
        assert f"Makefile: {file} has not run to its end" in ran.stdout
    said = "\n".join(heard)
    assert found.whole(SAID=said).returncode == 0
    both = found.folder / "build" / "link" / "post_sys_link.tcl"
    assert both.read_text() == (
        f"source {found.vnx}/Ethernet/post_sys_link.tcl\nsource {found.folder}/after_link.tcl\n"
    )
    assert f"compiler.userPostSysLinkOverlayTcl={both}" in found.called[-2]
    found.log.unlink()
    (user / "bitstream.tcl").touch()
    assert found.whole(SAID=said).returncode == 0
    assert [line.split()[0] for line in found.called] == ["v++", "xclbinutil"]


@pytest.mark.parametrize(
    ("said", "told", "left"),
    [
        ({"SAID": "no hook"}, "before_opt.tcl has not run to its end", []),
        ({"SAID": f'puts "{HERE}"'}, "before_opt.tcl has not run to its end", []),
        (
            {"SAID": f"CRITICAL WARNING: [Synth 8-4445] could not open w.dat\n{HERE}"},
            "a memory file was not found",
            [],
        ),
        ({"MHZ": "205"}, "DATA_CLK is 205 MHz, and 210 was asked for", ["card0_slow.xclbin"]),
        ({"MHZ2": "145"}, "KERNEL_CLK is 145 MHz, and 150 was asked for", ["card0_slow.xclbin"]),
        ({"MHZ": ""}, "DATA_CLK is unknown MHz", ["card0_slow.xclbin"]),
    ],
    ids=["hook", "echo of the hook", "memory file", "clock", "second clock", "no clock"],
)
def test_what_v_plus_plus_passes_over(
    said: dict[str, str], told: str, left: list[str], tmp_path: Path
) -> None:
    found = site(tmp_path)
    ran = found.whole(**said)
    assert ran.returncode == 2
    assert f"Makefile: {told}" in ran.stdout
    assert sorted(path.name for path in (found.folder / "build").glob("*.xclbin")) == left
    assert found.whole().returncode == 0
    assert [path.name for path in (found.folder / "build").glob("*.xclbin")] == ["card0.xclbin"]


def test_vnx_is_built_with_the_rows_that_the_host_expects(tmp_path: Path) -> None:
    found = site(tmp_path, links={"vnx_udp": {"sockets": 32}})
    assert found.whole().returncode == 0
    assert any("networklayer.xo" in line and line.endswith(" 32") for line in found.called), found.called
    found.log.unlink()
    assert found.make(f"VNX={found.vnx}", "MAX_SOCKETS=16").returncode == 0
    assert [line.split()[0] for line in found.called] == ["vnx", "v++", "xclbinutil"]
    assert found.called[0].endswith(" 16"), "it was kept, with another number of rows"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"CLONE": "0d594e64"}, f"is at commit 0d594e64, and {VNX_COMMIT} was tried. Take it: git -C "),
        ({"CLONE": "fatal: not a git repository"}, "is at commit fatal: not a git repository"),
        ({"CORES": "50bec014"}, f"submodule of VNx is at commit 50bec014, and VNx pins {CORES_COMMIT}"),
    ],
    ids=["clone", "no clone", "submodule"],
)
def test_another_commit_of_vnx_is_refused_before_anything_is_built(
    said: dict[str, str], told: str, tmp_path: Path
) -> None:
    found = site(tmp_path)
    ran = found.whole(**said)
    assert ran.returncode == 2
    assert re.search(told, ran.stdout), ran.stdout
    assert found.called == []
    assert found.make("xo", **said).returncode == 0, "the kernel alone needs no VNx"
    assert found.make(f"VNX={found.vnx}", "VNX_COMMIT=", **said).returncode == 0


def test_an_empty_submodule_says_how_it_is_filled(tmp_path: Path) -> None:
    found = site(tmp_path)
    (found.vnx / "NetLayers" / "100G-fpga-network-stack-core" / "Makefile").unlink()
    ran = found.whole()
    assert ran.returncode == 2
    advice = f"git -C {found.vnx} checkout {VNX_COMMIT} && git -C {found.vnx} submodule update --init"
    assert f"is empty. Fill it: {advice}" in ran.stderr


@pytest.mark.parametrize(
    ("board", "release", "fine"),
    [("u250", "2022.2", False), ("u250", "2022.1", True), ("u280", "2022.2", True)],
)
def test_a_release_that_fails_after_hours_is_refused(
    board: str, release: str, fine: bool, tmp_path: Path
) -> None:
    found = site(tmp_path, board)
    ran = found.whole(RELEASE=release)
    assert (ran.returncode == 0) == fine, ran.stdout
    if not fine:
        target = "xilinx_u250_gen3x16_xdma_4_1_202210_1"
        assert f"Makefile: this release of v++ does not finish {target} with VNx" in ran.stdout
        assert found.called == ["v++ --version"], "nothing is built before"


def test_what_is_missing_is_told_before_anything_runs(tmp_path: Path) -> None:
    found = site(tmp_path)
    stack = found.vnx / "NetLayers/100G-fpga-network-stack-core/Makefile"
    spaced = tmp_path / "my vnx"
    for words, told in (
        ((), "VNX is not set. Say where a clone of xup_vitis_network_example lies: make VNX=<folder>"),
        (("VNX=/nowhere",), "There is no Ethernet/post_sys_link.tcl in /nowhere."),
        ((f"VNX={spaced}",), "make takes no folder with a space in its name"),
    ):
        ran = found.make(*words)
        assert (ran.returncode, told in ran.stderr) == (2, True), ran.stderr
    stack.unlink()
    ran = found.whole()
    assert (ran.returncode, "submodule update --init" in ran.stderr) == (2, True), ran.stderr
    assert found.called == []
    for words in (("xo",), ("help",), ("clean",)):
        assert found.make(*words).returncode == 0, "without VNx"
    assert "make VNX=<folder>" in found.make("help").stdout


def test_a_folder_with_a_space_in_its_name(tmp_path: Path) -> None:
    found = site(tmp_path, out="my out")
    ran = found.whole()
    assert (ran.returncode, "v++ takes no folder with a space in its name" in ran.stderr) == (2, True)


def test_a_tool_that_fails_leaves_nothing(tmp_path: Path) -> None:
    found = site(tmp_path)
    (found.tools / "v++").write_text("#!/bin/sh\ntouch linked.xclbin\nexit 1\n")
    assert found.whole().returncode == 2
    assert not (found.folder / "build" / "card0.xclbin").exists()
    shutil.rmtree(found.folder / "build")
    (found.tools / "vivado").write_text("#!/bin/sh\ntouch build/card0_kernel.xo\nexit 1\n")
    assert found.make("xo").returncode == 2
    assert not (found.folder / "build" / "card0_kernel.xo").exists()
