# SPDX-License-Identifier: BSD-3-Clause
"""Names that a platform gives the clocks of its cores; internal errors for refused files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
from cluster_bench import MIXED
from wide_platform import Wide, use_wide

from shellgen.api import generate
from shellgen.cli import main
from shellgen.errors import InternalError, PlanError, ShellgenError, SimulationError
from shellgen.model import Board, Clock, NodeSpec
from shellgen.platforms import platform_registry
from shellgen.simulate import cluster as room
from shellgen.simulate.cluster import simulate
from shellgen.simulate.description import read_generated
from shellgen.simulate.options import SimulateOptions


class Named(Wide):
    """Two clocks with names of their own."""

    NAMES: ClassVar[tuple[tuple[str, str], ...]] = (("bus_clk", "bus_rst_n"), ("dnn_clk", "dnn_rst_n"))

    def clocks(self, board: Board, node: NodeSpec) -> tuple[Clock, ...]:  # noqa: ARG002 - both are fixed
        return tuple(Clock(name=name, reset=reset, hz=10**8) for name, reset in self.NAMES)


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use_wide(monkeypatch)
    monkeypatch.setitem(platform_registry(), Wide.kind, Named())
    return MIXED.write_inputs(tmp_path)


def models(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Stop a run as soon as the simulator has taken the sources."""
    built: list[Any] = []

    def stop(model: Any, *_: object, **__: object) -> None:
        built.append(model)
        raise SimulationError

    monkeypatch.setattr(room, "run_model", stop)
    monkeypatch.setattr(room, "outcome", stop)
    return built


def test_ports_have_the_names_of_the_platform(cluster: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = cluster.parent / "out"
    generate(cluster, out)
    core = (out / "zed" / "zed_core.v").read_text()
    for clock, reset in Named.NAMES:
        assert f"clock:1.0 {clock} CLK" in core
        assert f"ASSOCIATED_RESET {reset}" in core
    assert "wire aclk = bus_clk;" in core
    top = (out / "bench" / "bench_top.sv").read_text()
    assert ".dnn_clk(compute_aclk_zed)" in top
    assert ".bus_clk(aclk_zed)" in top
    built = models(monkeypatch)
    with pytest.raises(SimulationError):
        simulate(out, "icarus")
    assert built, "Icarus has taken the sources"


@pytest.mark.parametrize("names", [("aclk", "dnn_rst_n"), ("aclk2x", "dnn_rst_n"), ("bus_clk", "drain")])
def test_names_that_a_core_has_already(
    names: tuple[str, str], cluster: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Named, "NAMES", (Named.NAMES[0], names))
    with pytest.raises(PlanError, match=r"has another (aclk|aclk2x|bus_clk|drain) already"):
        generate(cluster, cluster.parent / "out")


def test_a_refused_source_is_an_internal_error(
    cluster: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless the files were edited; both simulators, and never as advice to correct what we wrote."""
    out = cluster.parent / "out"
    generate(cluster, out)
    top = out / "bench" / "bench_top.sv"
    top.write_text(top.read_text().replace(".dnn_clk(", ".compute_aclk("))
    whole = read_generated
    with pytest.raises(SimulationError, match="Correct it, or generate the folder again"):
        simulate(out, "icarus", options=SimulateOptions(edited=True))
    monkeypatch.setattr(room, "read_generated", lambda out, _: (*whole(out, True)[:2], []))
    for simulator in ("icarus", "verilator"):
        assert main(["simulate", str(out), "--simulator", simulator]) == 70
        said = capsys.readouterr().err
        assert "shellgen: internal error: " in said
        assert "bench_top.sv" in said
        assert "Please report it" in said
        assert "orrect" not in said
    assert top.is_file()
    assert not issubclass(InternalError, ShellgenError)


def test_whatever_we_did_not_foresee_asks_for_a_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shellgen.cli.entry.parse", lambda *_: 1 / 0)
    for words in (["list", "boards"], ["list", "boards", "--json"]):
        assert main(words) == 70
        shown = capsys.readouterr()
        assert "Traceback" in shown.err
        assert "internal error: ZeroDivisionError" in shown.err + shown.out
