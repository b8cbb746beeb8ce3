# SPDX-License-Identifier: BSD-3-Clause
"""``[node.options.zynq]``: strategies, the logic analyser, compression. None of them changes the core."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from vivado_session import Vivado, run_script
from zynq_project import SHAPES, node_plan, write_project

from shellgen.emit.core import emit_core
from shellgen.errors import PlanError


def build(folder: Path, board: str = "zedboard", shape: str = "1rx_1tx", **options: object) -> Vivado:
    double = bool(options.pop("double_clock", False))
    plan, network = node_plan(board, shape, double, vivado=options)
    vivado = Vivado("2022.2")
    outcome = run_script(vivado, write_project(plan, network, folder) / "vivado" / "build.tcl")
    assert outcome.code == 0, outcome.error or outcome.printed
    return vivado


def settings(vivado: Vivado, run: str) -> dict[str, str]:
    found = vivado.current.runs[run].properties
    return {name: setting.value for name, setting in found.items() if "TCL.PRE" not in name}


def watched(vivado: Vivado) -> list[str]:
    """Return what the slots of the analyser look at, in order."""
    nets = vivado.block.design.interface_nets.values()
    found = {}
    for members in (list(net.members) for net in nets):
        for slot in (one for one in members if one.startswith("/system_ila_0/")):
            found[slot] = next(one.lstrip("/") for one in members if one.startswith("/core_0/"))
    return [found[slot] for slot in sorted(found, key=lambda name: int(name.split("_")[3]))]


def test_default_leaves_the_runs_alone(tmp_path: Path) -> None:
    vivado = build(tmp_path)
    assert settings(vivado, "synth_1") == settings(vivado, "impl_1") == {}


def test_performance_is_what_finn_sets(tmp_path: Path) -> None:
    """A strategy clears what was set before it, so the order counts; the hook comes last."""
    vivado = build(tmp_path, strategy="performance")
    assert settings(vivado, "synth_1") == {
        "strategy": "Flow_PerfOptimized_high",
        "STEPS.SYNTH_DESIGN.ARGS.DIRECTIVE": "AlternateRoutability",
        "STEPS.SYNTH_DESIGN.ARGS.RETIMING": "true",
    }
    assert settings(vivado, "impl_1") == {
        "strategy": "Performance_ExtraTimingOpt",
        "STEPS.OPT_DESIGN.ARGS.DIRECTIVE": "Explore",
        "STEPS.PHYS_OPT_DESIGN.ARGS.DIRECTIVE": "AggressiveExplore",
        "STEPS.POST_ROUTE_PHYS_OPT_DESIGN.IS_ENABLED": "true",
        "STEPS.POST_ROUTE_PHYS_OPT_DESIGN.ARGS.DIRECTIVE": "AggressiveExplore",
    }
    assert "STEPS.SYNTH_DESIGN.TCL.PRE" in vivado.current.runs["synth_1"].properties


def test_area(tmp_path: Path) -> None:
    vivado = build(tmp_path, strategy="area")
    assert settings(vivado, "synth_1") == {"strategy": "Flow_AreaOptimized_high"}
    assert settings(vivado, "impl_1") == {"strategy": "Area_Explore"}


def test_the_remedy_for_timing_fits_the_strategy(tmp_path: Path) -> None:
    node = write_project(*node_plan("zedboard", "1rx_1tx", vivado={"strategy": "performance"}), tmp_path)
    vivado = Vivado("2022.2", slack={"WNS": "-1", "WHS": "0"})
    assert run_script(vivado, node / "vivado" / "build.tcl").printed[-1].endswith("lower clock_mhz")


@pytest.mark.parametrize("compress", [True, False])
def test_compression(compress: bool, tmp_path: Path) -> None:
    vivado = build(tmp_path, compress=compress)
    constraints = [file.path for file in vivado.current.files if file.name.endswith(".xdc")]
    assert len(constraints) == compress
    for path in constraints:
        assert "BITSTREAM.GENERAL.COMPRESS TRUE [current_design]" in path.read_text()
        assert vivado.files["bitstream.xdc"]["used_in_synthesis"] == "false"


@pytest.mark.parametrize("double_clock", [False, True])
@pytest.mark.parametrize("shape", ["2rx_1tx", "tx_only"])
@pytest.mark.parametrize("board", ["zedboard", "zcu104"])
def test_every_stream_is_looked_at(board: str, shape: str, double_clock: bool, tmp_path: Path) -> None:
    vivado = build(tmp_path, board, shape, ila=4096, double_clock=double_clock)
    takes, makes = SHAPES[shape]
    streams = [f"core_0/s_axis_{k}" for k in range(len(takes))]
    streams += [f"core_0/m_axis_{k}" for k in range(len(makes))]
    assert watched(vivado) == streams
    assert vivado.block.config("system_ila_0", "C_DATA_DEPTH") == "4096"
    assert vivado.block.driver("system_ila_0/clk") == vivado.block.driver("core_0/aclk")
    assert (tmp_path / "n0" / "vivado" / "out" / "n0.ltx").exists()


def test_no_analyser_unless_asked_for(tmp_path: Path) -> None:
    vivado = build(tmp_path)
    assert not watched(vivado)
    assert "system_ila_0" not in vivado.block.cells
    assert not (tmp_path / "n0" / "vivado" / "out" / "n0.ltx").exists()


def test_an_analyser_that_does_not_fit_is_refused() -> None:
    said = (
        r"node\[0\].options.zynq.ila: node n0: 131072 samples of 2 streams take \d+ RAMB18; zedboard has 280"
    )
    with pytest.raises(PlanError, match=said):
        node_plan("zedboard", "1rx_1tx", vivado={"ila": 131072})
    assert node_plan("zedboard", "1rx_1tx", vivado={"ila": 8192})


def test_the_core_and_its_build_id_stay_the_same() -> None:
    plain, _ = node_plan("zedboard", "1rx_1tx")
    other, _ = node_plan("zedboard", "1rx_1tx", vivado={"strategy": "area", "ila": 1024, "compress": False})
    assert other.nodes[0].options != plain.nodes[0].options
    assert other.cluster_id == plain.cluster_id
    assert emit_core(other, other.nodes[0]) == emit_core(plain, plain.nodes[0])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('strategy = "fast"', "strategy: got 'fast'"),
        ("ila = 1000", "ila: got 1000"),
        ("ila = true", "ila: got True"),
        ('compress = "yes"', "compress: got 'yes'"),
        ('accept = ["Synth 8-4445"]', "accept[0]: got 'Synth 8-4445'"),
        (
            "strategie = 1",
            "strategie: this field is not known. Did you mean strategy? zynq takes: tcl, constraints,",
        ),
    ],
)
def test_what_cluster_toml_may_say(line: str, said: str) -> None:
    with pytest.raises(PlanError) as caught:
        node_plan("zedboard", "1rx_1tx", vivado=tomllib.loads(line))
    (problem,) = caught.value.problems
    assert f"cluster.toml: node[0].options.zynq.{said}" in str(problem)
