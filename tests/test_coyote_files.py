# SPDX-License-Identifier: BSD-3-Clause
"""CMakeLists.txt and Makefile of a card under Coyote v2, run with stubs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from coyote_project import vfpga, write_vfpga

from shellgen.platforms import platform_registry

pytestmark = pytest.mark.xdist_group("coyote")

STAND_IN = Path(__file__).with_name("coyote_stand_in")
CMAKE = Path(sysconfig.get_path("scripts")) / "cmake"


# ---- CMake --------------------------------------------------------------------------------------------
def configured(node: Path, build: Path, *more: str) -> tuple[int, str, dict[str, str]]:
    """Configure with a stub of Coyote; return exit code, complaints and Coyote's variables."""
    command = [str(CMAKE), "-S", str(node / "coyote" / "hw"), "-B", str(build)]
    quick = [f"-DCMAKE_{language}_COMPILER_FORCED=1" for language in ("C", "CXX")]
    command += [f"-DCYT_DIR={build.parent}/cyt", *quick, *more]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    told = build / "told.txt"
    lines = told.read_text().splitlines() if told.is_file() else []
    return ran.returncode, ran.stderr, dict(line.split("=", 1) for line in lines)


def coyote(tmp_path: Path) -> None:
    shutil.copytree(STAND_IN / "cmake", tmp_path / "cyt" / "cmake")


def test_what_coyote_is_told(tmp_path: Path) -> None:
    coyote(tmp_path)
    shape = {"regions": 2, "region": 1, "configs": 2, "config": 0, "rdma": True}
    node = write_vfpga(tmp_path / "out", "u280", rx=2, tx=3, clock_mhz=300, coyote=shape)
    code, said, told = configured(node, tmp_path / "a", "-DFPLAN_PATH=/x.xdc", "-DVFPGA_C1_0=../../mine")
    assert code == 0, said
    assert told == {
        "project": "card0",
        "FDEV_NAME": "u280",
        "EN_STRM": "1",
        "N_STRM_AXI": "3",
        "EN_MEM": "0",
        "EN_RDMA": "1",
        "N_REGIONS": "2",
        "N_CONFIG": "2",
        "EN_PR": "1",
        "EN_UCLK": "1",
        "UCLK_F": "300",
        "FPLAN_PATH": "/x.xdc",
        "COMP_CORES": "8",
        "apps": "VFPGA_C0_0;idle;VFPGA_C0_1;src;VFPGA_C1_0;../../mine;VFPGA_C1_1;idle",
    }
    code, said, _ = configured(node, tmp_path / "b")
    assert code != 0
    assert "Several configurations of a vFPGA need a floorplan: give" in said


def test_a_plain_card_and_no_coyote(tmp_path: Path) -> None:
    node = write_vfpga(tmp_path / "out")
    code, said, _ = configured(node, tmp_path / "a")
    assert code != 0
    assert "There is no cmake/FindCoyoteHW.cmake in CYT_DIR" in said
    coyote(tmp_path)
    code, said, told = configured(node, tmp_path / "b", "-DCOMP_CORES=3")
    assert code == 0, said
    assert (told["apps"], told["EN_UCLK"], told["EN_PR"]) == ("VFPGA_C0_0;src", "0", "0")
    assert (told["COMP_CORES"], told["N_STRM_AXI"]) == ("3", "1")


# ---- the Makefile -------------------------------------------------------------------------------------
TOOLS = {
    "vivado": """
mkdir -p build/ip
echo '<component/>' > build/ip/component.xml
""",
    "cmake": """
mkdir -p build/hw
printf 'project synth bitgen:\\n\\tcoyote $@\\n' > build/hw/Makefile
""",
    "coyote": """
case $1 in
project) mkdir -p card0_config_0/user_c0_0/card0.runs/synth_1 ;;
synth) printf '%s\\n' "$SAID" > card0_config_0/user_c0_0/card0.runs/synth_1/runme.log ;;
bitgen)
    mkdir -p bitstreams reports/config_1
    printf '%s\\n' "$TIMING" > reports/shell_timing_summary.rpt
    printf '%s\\n' "${SECOND:-$TIMING}" > reports/config_1/shell_timing_summary_c1.rpt
    mkdir -p bitstreams/config_0 reports/config_0
    printf '%s\\n' "$TIMING" > reports/config_0/shell_timing_summary_c0.rpt
    echo bits > bitstreams/$BIT ;;
esac
""",
}
MET = "All user specified timing constraints are met."


def made(folder: Path, tmp_path: Path, *words: str, **said: str) -> tuple[int, str, list[str]]:
    """Run make with stubs; return exit code, what it printed, and how it has called them."""
    tools, log = tmp_path / "bin", tmp_path / "log"
    if not tools.is_dir():
        tools.mkdir()
        coyote(tmp_path)
        (tmp_path / "cyt" / "hw" / "checkpoints").mkdir(parents=True)
        (tmp_path / "cyt" / "hw" / "checkpoints" / "static_routed_locked_u55c.dcp").touch()
        for name, text in TOOLS.items():
            (tools / name).write_text(f'#!/bin/sh\nset -e\necho "{name} $*" >> "$LOG"\n{text}')
            (tools / name).chmod(0o755)
    log.write_text("")
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    env |= {"LOG": str(log), "SAID": "fine", "TIMING": MET, "BIT": "cyt_top.bit", **said}
    env["PATH"] = f"{tools}{os.pathsep}{env['PATH']}"
    command = ["make", "-C", str(folder), *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    return ran.returncode, ran.stdout + ran.stderr, log.read_text().splitlines()


def steps(called: list[str]) -> list[str]:
    return [line.split()[-1] if line.startswith("coyote") else line.split()[0] for line in called]


def test_from_sources_to_the_bitstream(tmp_path: Path) -> None:
    folder = write_vfpga(tmp_path / "out") / "coyote"
    here = f"COYOTE={tmp_path / 'cyt'}"
    (call,) = made(folder, tmp_path, "ip")[2]
    assert call == "vivado -mode batch -notrace -nojournal -log build/package.log -source package.tcl"
    called = made(folder, tmp_path, here, "JOBS=3", "SETTINGS=-DBUILD_OPT=1", "synth")[2]
    assert called == [
        f"cmake -S hw -B build/hw -DCYT_DIR={tmp_path / 'cyt'} -DCOMP_CORES=3 -DBUILD_OPT=1",
        "coyote project",
        "coyote synth",
    ]
    code, printed, called = made(folder, tmp_path, here)
    assert (code, steps(called)) == (0, ["bitgen"]), printed
    assert made(folder, tmp_path, here)[2] == [], "all is there"
    node = vfpga()[0].nodes[0]
    products = [name for stage in platform_registry()["coyote"].stages(node) for name in stage.products]
    sizes = {name: (folder.parent / name).stat().st_size for name in products}
    assert all(sizes.values()), f"shellgen build takes an empty file for a missing one: {sizes}"
    (folder.parent / "rtl" / "axil_slot.sv").touch()
    called = made(folder, tmp_path, here)[2]
    assert steps(called) == ["vivado", "cmake", "project", "synth", "bitgen"]
    assert made(folder, tmp_path, "clean")[0] == 0
    assert not (folder / "build").exists()


@pytest.mark.parametrize(
    ("said", "told", "left"),
    [
        ({"SAID": "CRITICAL WARNING: [Synth 8-4445] could not open"}, "a memory would hold zeros", "synth"),
        (
            {"TIMING": "Timing constraints are not met."},
            "timing is not met, so the bitstreams are",
            "slow",
        ),
        ({"SECOND": "Timing constraints are not met."}, "see build/hw/reports/config_1/shell_timing", "slow"),
        ({"BIT": "other.bit"}, "Coyote has left no build/hw/bitstreams/cyt_top.bit", "bitstreams"),
    ],
    ids=["memory", "timing", "configuration", "none"],
)
def test_a_build_that_is_not_whole(said: dict[str, Any], told: str, left: str, tmp_path: Path) -> None:
    folder = write_vfpga(tmp_path / "out") / "coyote"
    code, printed, called = made(folder, tmp_path, f"COYOTE={tmp_path / 'cyt'}", **said)
    assert code != 0
    assert told in printed
    assert steps(called)[-1] == ("synth" if left == "synth" else "bitgen")
    assert (folder / "build" / "hw" / left).is_dir() == (left != "synth")
    again = made(folder, tmp_path, f"COYOTE={tmp_path / 'cyt'}")
    assert (again[0], steps(again[2])[-1]) == (0, "bitgen"), again


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "COYOTE is not set. Say where a clone of Coyote lies: make COYOTE=<folder>"),
        (("COYOTE=a b",), "make takes no folder with a space in its name"),
        (("COYOTE=nowhere",), "There is no cmake/FindCoyoteHW.cmake in"),
    ],
)
def test_where_coyote_is_not(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    code, printed, called = made(write_vfpga(tmp_path / "out") / "coyote", tmp_path, *words)
    assert (code, called) == (2, [])
    assert told in printed


def test_help_and_floorplan(tmp_path: Path) -> None:
    plain = write_vfpga(tmp_path / "plain") / "coyote"
    code, printed, _ = made(plain, tmp_path, "help")
    assert code == 0
    assert "make COYOTE=<folder>" in printed
    assert "FLOORPLAN" not in printed
    several = write_vfpga(tmp_path / "several", coyote={"configs": 2}) / "coyote"
    assert "FLOORPLAN constraints that place" in made(several, tmp_path, "help")[1]
    here = f"COYOTE={tmp_path / 'cyt'}"
    assert "FLOORPLAN is ''. Several configurations" in made(several, tmp_path, here)[1]
    (tmp_path / "plan.xdc").touch()
    code, printed, called = made(several, tmp_path, here, f"FLOORPLAN={tmp_path / 'plan.xdc'}", "project")
    assert code == 0, printed
    assert called[1].endswith(f" -DFPLAN_PATH={tmp_path / 'plan.xdc'}")


def test_a_clone_that_is_not_whole(tmp_path: Path) -> None:
    """Coyote would find out after hours."""
    here = f"COYOTE={tmp_path / 'cyt'}"
    other = write_vfpga(tmp_path / "other", "u280") / "coyote"
    code, printed, called = made(other, tmp_path, here)
    assert (code, called) == (2, [])
    assert "There is no hw/checkpoints/static_routed_locked_u280.dcp in" in printed
    for settings in ("-DSTATIC_PATH=/x", "-DBUILD_STATIC=1 -DBUILD_SHELL=0"):
        assert made(other, tmp_path, here, f"SETTINGS={settings}", "project")[0] == 0
        assert made(other, tmp_path, "clean")[0] == 0
    network = write_vfpga(tmp_path / "rdma", coyote={"rdma": True}) / "coyote"
    assert "The submodule of" in made(network, tmp_path, here)[1]
    (tmp_path / "cyt" / "hw" / "services" / "network" / "hw").mkdir(parents=True)
    assert made(network, tmp_path, here, "project")[0] == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-DEN_PR=1"], "EN_PR is 1, and the plan of card0 has 0"),
        (["-DN_STRM_AXI:STRING=4"], "N_STRM_AXI is 4, and the plan of card0 has 1"),
        (["-DN_STRM_AX=4"], "-DN_STRM_AX=4: this Coyote has no variable N_STRM_AX, so nothing comes of it"),
        (["-DSCLK_F=300"], "-DSCLK_F=300: Coyote's CMake has set it to '250' in its place"),
        (["-DBUILD_OPT=1", "-DN_STRM_AXI=1", "-DCMAKE_BUILD_TYPE=x"], ""),
        (["-DBUILD_APP=1", "-DBUILD_SHELL=0", "-DSHELL_PATH=/x", "-DEN_PR=1"], ""),
    ],
)
def test_what_is_asked_for_is_heard(more: list[str], said: str, tmp_path: Path) -> None:
    coyote(tmp_path)
    node = write_vfpga(tmp_path / "out")
    for _ in range(2):  # make runs CMake again when a file has changed
        code, printed, told = configured(node, tmp_path / "a", *more)
        assert (code == 0) == (not said), printed
        assert said in " ".join(printed.split())
    if not said:
        assert told["EN_PR"] == ("1" if "-DBUILD_APP=1" in more else "0")
        code, printed, _ = configured(node, tmp_path / "a")
        assert code == 0, printed


def test_a_shell_of_another_shape(tmp_path: Path) -> None:
    """An application for a shell takes that shell's values, whatever the plan has."""
    coyote(tmp_path)
    node, shell = write_vfpga(tmp_path / "out"), tmp_path / "shell"
    shell.mkdir()
    app = ("-DBUILD_APP=1", "-DBUILD_SHELL=0", f"-DSHELL_PATH={shell}")
    for text, code in (("set(EN_PR 1)\nset(N_REGIONS 1)\n", 0), ("set(N_REGIONS 2)\n", 1)):
        (shell / "export.cmake").write_text(text)
        found = configured(node, tmp_path / "a", *app)
        assert found[0] == code, found[1]
    assert "N_REGIONS is 2 in the shell of SHELL_PATH" in " ".join(found[1].split())


def test_settings_that_the_plan_has_fixed(tmp_path: Path) -> None:
    folder = write_vfpga(tmp_path / "out") / "coyote"
    here = f"COYOTE={tmp_path / 'cyt'}"
    for settings, said in (
        ("-DEN_PR=1", "SETTINGS has EN_PR=1, and the plan of card0 has EN_PR=0"),
        ("-D N_REGIONS=3", "SETTINGS has N_REGIONS=3, and the plan of card0 has N_REGIONS=1"),
    ):
        code, printed, called = made(folder, tmp_path, here, f"SETTINGS={settings}")
        assert (code, called) == (2, [])
        assert said in printed
    assert made(folder, tmp_path, here, "SETTINGS=-DEN_PR=0 -DBUILD_OPT=1", "project")[0] == 0


@pytest.mark.parametrize(
    "settings",
    ["-DBUILD_APP=ON", "-D BUILD_APP=1", "-DBUILD_APP:BOOL=1", "'-DBUILD_APP=1'", "-DBUILD_APP=10"],
)
def test_an_application_is_asked_for_in_one_spelling(settings: str, tmp_path: Path) -> None:
    """CMake takes all of them; the files that are waited for hours later depend on it."""
    folder = write_vfpga(tmp_path / "out") / "coyote"
    code, printed, called = made(folder, tmp_path, f"COYOTE={tmp_path / 'cyt'}", f"SETTINGS={settings}")
    assert (code, called) == (2, [])
    assert "write -DBUILD_APP=1, as one word without quotes" in printed


def test_an_application_for_a_shell_that_is_there(tmp_path: Path) -> None:
    folder = write_vfpga(tmp_path / "out") / "coyote"
    settings = "SETTINGS=-DBUILD_APP=1 -DBUILD_SHELL=0 -DSHELL_PATH=/x -DEN_PR=1"
    here, product = f"COYOTE={tmp_path / 'cyt'}", "config_0/vfpga_c0_0.bin"
    code, printed, _ = made(folder, tmp_path, here, settings, BIT=product)
    assert code == 0, printed
    assert (folder / "build/hw/bitstreams" / product).is_file()
    made(folder, tmp_path, "clean")
    code, printed, _ = made(folder, tmp_path, here, settings)
    assert code == 2
    assert "Coyote has left no build/hw/bitstreams/config_0/vfpga_c0_0.bin" in printed
    (stage,) = [
        one for one in platform_registry()["coyote"].stages(vfpga()[0].nodes[0]) if one.name == "bitstream"
    ]
    assert stage.for_values({"SETTINGS": settings.partition("=")[2]}).products == (
        f"coyote/build/hw/bitstreams/{product}",
    )
    assert stage.for_values({}).products == ("coyote/build/hw/bitstreams/cyt_top.bit",)


def test_what_a_clone_has(tmp_path: Path) -> None:
    """By what is found in it, whatever its name: variables, card, interfaces, U280's memory, commit."""
    folder = write_vfpga(tmp_path / "out", "u280", coyote={"rdma": True}) / "coyote"
    made(folder, tmp_path, "help")
    clone = tmp_path / "cyt"
    (clone / "hw/checkpoints/static_routed_locked_u280.dcp").touch()
    (clone / "hw/services/network/hw").mkdir(parents=True)
    code, printed, called = made(folder, tmp_path, f"COYOTE={clone}", "clone")
    assert (code, called) == (0, []), printed
    assert "not tried; tried are abede377 of harshanavkis/Coyote" in printed
    build = clone / "cmake/FindCoyoteHW.cmake"
    whole = build.read_text()
    build.write_text('set(DDR_DEV "u200" "u280")\n' + whole + 'set(DDR_DEV "u200")\n')
    code, printed, _ = made(folder, tmp_path, f"COYOTE={clone}", "clone")
    assert code == 0, printed
    for old, new, said in (
        (
            'set(HBM_DEV "u55c" "u280")',
            'set(HBM_DEV "u55c")',
            "u280 is not in HBM_DEV of cmake/FindCoyoteHW.cmake; with the network, its other memory ends in",
        ),
        # As in older versions; in between, the lists at the top were left and others below assigned.
        (
            'set(HBM_DEV "u55c" "u280")',
            'set(HBM_DEV "u55c" "u280")\nset(DDR_DEV "u280")',
            "u280 is in DDR_DEV of",
        ),
        (
            'set(HBM_DEV "u55c" "u280")',
            'set(HBM_DEV "u55c" "u280")\nset(HBM_DEV "u55c")',
            "u280 is not in HBM_DEV of",
        ),
        ("set(N_CONFIG", "set(N_CONFIGS", "its CMake has no variable N_CONFIG, which this node needs"),
        ('FDEV_NAME STREQUAL "u280"', "FALSE", "it does not build for u280"),
    ):
        build.write_text(whole.replace(old, new))
        code, printed, called = made(folder, tmp_path, f"COYOTE={clone}")
        assert (code, called) == (2, [])
        assert said in printed
    build.write_text(whole)
    logic = clone / "hw/templates/common/user_logic_tmplt.txt"
    logic.parent.mkdir(parents=True)
    logic.write_text("axi_ctrl, notify, sq_rd, sq_wr, cq_rd, cq_wr, axis_host_send [N_STRM_AXI]")
    code, printed, _ = made(folder, tmp_path, f"COYOTE={clone}", "clone")
    assert "user logic has no axis_host_recv there" in printed
    plain = write_vfpga(tmp_path / "plain", "u280") / "coyote"
    logic.unlink()
    build.write_text(whole.replace('"u55c" "u280")', '"u55c")'))
    code, printed, _ = made(plain, tmp_path, f"COYOTE={clone}", "clone")
    assert code == 0
    assert "u280 is not in HBM_DEV" in printed, "without a controller in the shell it makes no difference"


def test_the_same_again(tmp_path: Path) -> None:
    """Nothing that is written depends on where or when."""
    one, two = (write_vfpga(tmp_path / name / "out", coyote={"regions": 2}) for name in ("a", "b"))
    for path in sorted(one.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (two / path.relative_to(one)).read_bytes()
