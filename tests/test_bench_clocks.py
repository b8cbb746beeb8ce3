# SPDX-License-Identifier: BSD-3-Clause
"""Clocks of the bench: those that C++ makes for Verilator have each edge on the picosecond of the HDL."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from shellgen.resources import data_dir
from shellgen.simulate import Model, ModelSpec, Simulator, build_model, run_model
from shellgen.simulate.runtime import CPP
from shellgen.simulate.tools import find_verilator

MODULES = Path(__file__).with_name("simulate_modules")
CLOCKS = [data_dir("sim") / f"{name}.sv" for name in ("bench_clock", "node_clock")]
# Time in ps, then run, ppm, drift, phase from there on. An offset changes within 256 periods, so each lasts.
STEPS = (
    (1_111, 1, 0, 0, 0),
    (5_000_013, 0, 0, 0, 0),
    (5_300_017, 1, 100, 0, 3),
    (11_000_001, 1, -37, 0, 3),
    (17_000_003, 0, -37, 0, 255),
    (17_040_031, 1, 3_000, 0, 255),
    (23_000_017, 1, -3_000, 5, 0),
    (40_000_019, 0, 12, 3, 9),
    (40_004_021, 1, 12, 3, 9),  # before the end of a period, so it does not rest
    (60_000_011, 0, 0, 0, 17),
    (60_100_003, 1, 0, 0, 17),
    (62_000_009, 1, 0, 0, 0),
)
# The clocks of clock_edges.sv by number: period, doubled, what stands for ppm, drift and phase.
PROGRAM = """
#include <cstdio>
#include "bench_clocks.h"
int main() {
    struct { unsigned long at; int run, ppm, drift, phase; } steps[32];
    int count = 0;
    while (std::scanf("%lu %d %d %d %d", &steps[count].at, &steps[count].run, &steps[count].ppm,
                      &steps[count].drift, &steps[count].phase) == 5) ++count;
    const struct { long period; bool doubled; int ppm; bool phase; } kinds[] = {
        {10000000, false, 1, true}, {10000000, true, 1, true},
        {3333333, false, 1, false}, {7407407, true, -1, true}};
    for (int kind = 0; kind < 4; ++kind) {
        uint8_t clk = 0, clk2x = 0;
        uint16_t inputs[ClockPins::INPUTS] = {};
        NodeClock clock{{&clk, &clk2x, inputs}, kinds[kind].period, kinds[kind].doubled};
        uint64_t due = 0;
        for (int i = 0; i < count; ++i) {
            while (!clock.rests() && due < steps[i].at) {
                const uint64_t now = due;
                const uint8_t was = clk, was2x = clk2x;
                due = clock.edge(now);
                if (clk != was) std::printf("%lu clk %d %d\\n", now, kind, clk);
                if (clk2x != was2x) std::printf("%lu clk2x %d %d\\n", now, kind, clk2x);
            }
            inputs[ClockPins::RUN] = steps[i].run;
            inputs[ClockPins::PPM] = kinds[kind].ppm * steps[i].ppm;
            inputs[ClockPins::DRIFT] = steps[i].drift;
            inputs[ClockPins::PHASE] = kinds[kind].phase ? steps[i].phase : 0;
            if (clock.rests() && clock.may_start()) due = clock.start(steps[i].at);
        }
    }
}
"""
MUTANTS = (
    ("m_age = AGE - 1", "m_age = 0"),
    ("++m_age < AGE", "++m_age <= AGE"),
    ("m_off >= reach", "m_off > reach"),
    ("m_off <= -reach", "m_off < -reach"),
    ("m_rising ? 1 : -1", "m_rising ? -1 : 1"),
    ("m_rest_fs >= 1000;", "m_rest_fs > 1000;"),
    ("m_rest_fs < 0;", "m_rest_fs < -999;"),
    ("m_period_fs / 256000", "m_period_fs / 255000"),
    ("(doubled() ? m_step_ps : 0)", "0"),
    ("        m_rest_fs = 0;\n", ""),
    ("        m_off = 0;\n", ""),
    ("            tune();\n", ""),
    ("*m_pins.clk2x = 1", "*m_pins.clk2x = 0"),
    ("static_cast<int16_t>(m_pins", "(m_pins"),
    ("m_started = m_pins.inputs[ClockPins::RUN]", "m_started = true"),
    ("fast / 1000000", "fast / 1000001"),
)


def written(folder: Path) -> list[str]:
    """Return the edges, in the order of time; edges of one instant may be written in any order."""
    return in_order((folder / "edges.txt").read_text())


def in_order(text: str) -> list[str]:
    return sorted(text.splitlines(), key=lambda line: (int(line.split()[0]), line))


def simulated(simulator: Simulator, folder: Path, *flags: str) -> list[str]:
    sources = [*CLOCKS, MODULES / "clock_edges.sv"]
    model = build_model(ModelSpec(sources, "clock_edges", extra_flags=flags), simulator)
    return edges_of(model, folder)


def edges_of(model: Model, folder: Path) -> list[str]:
    folder.mkdir()
    (folder / "steps.txt").write_text("".join(" ".join(map(str, step)) + "\n" for step in STEPS))
    run_model(model, "clock_edges_done", [MODULES], folder)
    return written(folder)


@pytest.fixture(scope="module")
def hdl(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what Icarus makes of the HDL."""
    edges = simulated("icarus", tmp_path_factory.mktemp("hdl") / "run")
    times = {int(line.split()[0]) for line in edges if line.split()[2] in "0123"}
    assert not times & {step[0] for step in STEPS}, "what changes at an edge may be seen by it or not"
    return edges


def from_cpp(folder: Path, header: str) -> list[str]:
    folder.mkdir(exist_ok=True)
    (folder / "bench_clocks.h").write_text(header)
    source, program = folder / "edges.cpp", folder / "edges"
    source.write_text(PROGRAM)
    compiler = str(find_verilator().compiler)
    subprocess.run([compiler, "-std=gnu++20", "-w", str(source), "-o", str(program)], check=True)
    steps = "".join(" ".join(map(str, step)) + "\n" for step in STEPS)
    run = subprocess.run([str(program)], input=steps, capture_output=True, text=True, check=True, timeout=60)
    return in_order(run.stdout)


def of_nodes(edges: list[str]) -> list[str]:
    """Return the edges of the first four clocks, those of the C++ program."""
    return [line for line in edges if line.split()[1] != "seen" and line.split()[2] in "0123"]


def test_cpp_makes_the_edges_of_the_hdl(hdl: list[str], tmp_path: Path) -> None:
    header = (CPP / "bench_clocks.h").read_text()
    assert len(of_nodes(hdl)) > 70_000
    assert from_cpp(tmp_path, header) == of_nodes(hdl)


@pytest.mark.sweep
@pytest.mark.parametrize(("old", "new"), MUTANTS)
def test_a_mutant_does_not(hdl: list[str], tmp_path: Path, old: str, new: str) -> None:
    header = (CPP / "bench_clocks.h").read_text()
    assert header.count(old) == 1
    assert from_cpp(tmp_path, header.replace(old, new)) != of_nodes(hdl)


@pytest.mark.sweep
@pytest.mark.parametrize("flags", [(), ("-UBENCH_CLOCKS_IN_CPP",)], ids=["cpp", "hdl"])
def test_a_model_of_verilator_has_the_same_edges(
    hdl: list[str], tmp_path: Path, flags: tuple[str, ...]
) -> None:
    edges = simulated("verilator", tmp_path / "run", "-Wno-UNUSEDSIGNAL", "-Wno-ZERODLY", *flags)
    assert sum("seen" in line for line in hdl) > 1_000
    assert edges == hdl
