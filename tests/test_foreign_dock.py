# SPDX-License-Identifier: BSD-3-Clause
"""A dock that a package adds to a built-in platform: Aurora 64B/66B on ZCU102 and ZCU104."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from cluster_bench import Chain
from foreign_package import Foreign, install
from sweep_cases import some

from shellgen.resources import data_dir

pytestmark = pytest.mark.xdist_group("foreign_dock")

# The one in the middle has neither DMA nor memory interconnect.
CHAIN = Chain(
    widths=(24, 12, 8, 6),
    activations="UINT3",
    folds=((3, 4, 3), (4, 4, 4), (2, 8, 1)),
    cuts=(0, 1, 2),
    nodes=(("zcu0", "zcu102", (0,)), ("zcu1", "./fmc.toml", (1,)), ("zcu2", "zcu102", (2,))),
)
# A ZCU104 has no cage: which transceiver of its FMC connector a card uses, the user says. Made up for this.
FMC = """
[platform.zynq.docks.aurora]
lane = "X0Y4"
quad = "Quad_X0Y1"
refclk = "MGTREFCLK0_of_Quad_X0Y1"
refclk_p = "Y8"
refclk_mhz = 125
line_gbps = 10
"""


def fmc_board(text: str = FMC) -> str:
    board = (data_dir("boards") / "zcu104.toml").read_text().replace('"zcu104"', '"fmc"', 1)
    return board.replace("\n[sources]", f"{text}\n[sources]")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Foreign:
    source = Path(__file__).parent / "foreign_aurora"
    found = install(tmp_path_factory.mktemp("foreign_dock"), source)
    (found.work / "fmc.toml").write_text(fmc_board())
    cluster = CHAIN.write_inputs(found.work)
    links = "".join(f'[[link]]\nfrom = "{row}"\nto = "{row + 1}"\nkind = "aurora"\n' for row in range(2))
    cluster.write_text(cluster.read_text().replace("[verify]", f"{links}[verify]"))
    found.run("generate", cluster.name, "-o", "out")
    return found


def test_the_scripts_have_the_dock(foreign: Foreign) -> None:
    out = foreign.work / "out"
    script = (out / "zcu0" / "vivado" / "bd.tcl").read_text()
    for line in (
        "shellgen::cell aurora_0 aurora_64b66b {",
        "CONFIG.C_START_QUAD Quad_X1Y3",
        "create_bd_cell -type module -reference aurora_support aurora_support_0",
        "create_bd_intf_port -mode Slave -vlnv xilinx.com:interface:diff_clock_rtl:1.0 aurora_refclk",
        "set_property CONFIG.FREQ_HZ 156250000 [get_bd_intf_ports aurora_refclk]",
        "create_bd_port -dir O aurora_enable",
        "shellgen::bus core_0/m_aurora aurora_tx_fifo/S_AXIS",
    ):
        assert line in re.sub(r"[{]?([\w.]+)[}]? *\n", r"\1\n", script) or line in script, line
    assert "[file join $shellgen_here aurora.xdc]" in script
    assert "aurora_rx_fifo" not in script, "zcu0 receives nothing over the lane"
    constraints = (out / "zcu0" / "vivado" / "aurora.xdc").read_text()
    assert "set_property PACKAGE_PIN C8 [get_ports aurora_refclk_clk_p]" in constraints
    assert "aurora_enable" not in (out / "zcu1" / "vivado" / "aurora.xdc").read_text()
    middle = (out / "zcu1" / "vivado" / "bd.tcl").read_text()
    assert "memory_interconnect" not in middle
    assert "axi_dma" not in middle


@pytest.mark.sweep
def test_check_is_clean(foreign: Foreign) -> None:
    """The Aurora core, of which there are no facts, is not modelled; everything else is judged, and right."""
    found = json.loads(foreign.run("check", "out", "--json"))
    assert found["ok"], found
    told = json.dumps(found)
    assert "not modelled" in told or "unknown" in told
    assert "aurora_64b66b" in told


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_all_proofs(foreign: Foreign, simulator: str) -> None:
    report = json.loads(foreign.run("simulate", "out", "--simulator", simulator, "--frames", "5", "--json"))
    assert report["ok"], report
    states = {proof["name"]: proof["state"] for proof in report["proofs"]}
    assert {states[name] for name in ("control", "boundaries", "monolith", "golden")} == {"OK"}, states


LACKS = {
    "no table": ("", "platform zynq offers dma"),
    "a field is missing": (FMC.replace('lane = "X0Y4"\n', ""), "platform.zynq.docks.aurora.lane"),
    "Tcl in a pin": (FMC.replace('"Y8"', '"[exit]"'), "platform.zynq.docks.aurora.refclk_p"),
    "another dock": (FMC.replace("docks.aurora", "docks.other"), "platform zynq offers dma"),
    "one more dock": (
        f"{FMC}\n[platform.zynq.docks.other]\n",
        "no package that is installed brings this dock",
    ),
}


@pytest.mark.parametrize(("table", "told"), some(LACKS, ["Tcl in a pin", "one more dock"]))
def test_what_a_board_lacks_is_told(foreign: Foreign, tmp_path: Path, table: str, told: str) -> None:
    work = tmp_path / "work"
    shutil.copytree(foreign.work, work, ignore=shutil.ignore_patterns("out"))
    (work / "fmc.toml").write_text(fmc_board(table))
    said = Foreign(foreign.site, work).run("plan", "cluster.toml", "-o", "plan", code=2)
    assert told in " ".join(said.split())
