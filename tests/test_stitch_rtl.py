# SPDX-License-Identifier: BSD-3-Clause
"""FINN's own RTL, stitched by us: every partition on Verilator, word by word against numpy."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from digit_images import DIGITS, held_out
from onnx import numpy_helper

from shellgen.simulate.tools import find_verilator
from shellgen.stitch import stitch_model

HERE = Path(__file__).parent
FRAMES = 6
CYCLES = 12_000  # four times what the slowest partition takes, so that words too many are seen
# Elements per word at each boundary, and bits of an element, as the folding files decide.
BOUNDARIES = {
    2: ((4, 4), (3, 4, 4), (1, 16)),
    6: ((8, 4), (1, 2, 4), (3, 4, 4), (2, 1, 4), (3, 3, 4), (6, 8, 4), (2, 16)),
}
CUTS = {2: (0, 3, 6), 6: (0, 1, 2, 3, 4, 5, 6)}


@dataclass(frozen=True)
class Side:
    """One stream: its words, and the width of TDATA."""

    words: list[str]
    width: int


def values_at_cuts(model: Path, images: np.ndarray) -> list[np.ndarray]:
    """The integer network in numpy: what goes into stage 0 to 5, and what comes out at last."""
    initialisers = {
        tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(model).graph.initializer
    }
    found = [images.astype(np.int64)]
    for stage in range(6):
        sums = found[-1] @ initialisers[f"weights_{stage}"].astype(np.int64)
        if f"thresholds_{stage}" in initialisers:
            sums = (sums[:, :, None] >= initialisers[f"thresholds_{stage}"].astype(np.int64)).sum(axis=2)
        found.append(sums)
    return found


def words(values: np.ndarray, per_word: int, bits: int) -> Side:
    """Values as hexadecimal stream words, element 0 lowest, and the width of TDATA."""
    width = -(-per_word * bits // 8) * 8
    mask = (1 << bits) - 1
    lines = []
    for group in values.reshape(-1, per_word).tolist():
        word = sum((value & mask) << (bits * index) for index, value in enumerate(group))
        lines.append(f"{word:0{width // 4}x}")
    return Side(lines, width)


@dataclass(frozen=True)
class Case:
    """A partition with what goes in and what must come out."""

    name: str
    folder: Path
    given: Side
    wanted: Side

    @property
    def sources(self) -> list[str]:
        listed = (self.folder / "stitched_ip" / "all_verilog_srcs.txt").read_text().splitlines()
        return [str(self.folder / line) for line in listed]

    def verilog(self) -> str:
        """Source, partition and sink; AXI-Lite inputs stay open, which Verilator takes for zero."""
        name, given, wanted = self.name, self.given, self.wanted
        return f"""
    wire [{given.width - 1}:0] {name}_in; wire {name}_iv, {name}_ir;
    wire [{wanted.width - 1}:0] {name}_out; wire {name}_ov, {name}_or;
    int {name}_got, {name}_wrong;
    stitch_source #(.W({given.width}), .WORDS({len(given.words)}), .FILE("{name}_in.mem"))
        {name}_source (clk, resetn, {name}_in, {name}_iv, {name}_ir);
    {name}_wrapper {name}_dut (.ap_clk(clk), .ap_rst_n(resetn),
        .s_axis_0_tdata({name}_in), .s_axis_0_tvalid({name}_iv), .s_axis_0_tready({name}_ir),
        .m_axis_0_tdata({name}_out), .m_axis_0_tvalid({name}_ov), .m_axis_0_tready({name}_or));
    stitch_sink #(.W({wanted.width}), .WORDS({len(wanted.words)}), .FILE("{name}_out.mem"))
        {name}_sink (clk, resetn, {name}_out, {name}_ov, {name}_or, {name}_got, {name}_wrong);
    final $display("{name} got %0d wrong %0d", {name}_got, {name}_wrong);
"""


def build_bench(cases: list[Case], folder: Path) -> None:
    """Compile all partitions into one model, in a folder that also gets their data files."""
    verilator = find_verilator()
    folder.mkdir()
    for case in cases:
        for path in (case.folder / "stitched_ip" / "ip" / "src").glob("*.dat"):
            (folder / path.name).write_bytes(path.read_bytes())
    body = "".join(case.verilog() for case in cases)
    (folder / "bench.sv").write_text(f"module bench(input wire clk, input wire resetn);{body}endmodule\n")
    by_name = {Path(source).name: source for case in cases for source in case.sources}
    command = [str(verilator.binary), "--cc", "--exe", "--build", "-j", "1", "-Mdir", "obj"]
    command += ["--top-module", "bench", "-Wno-fatal", "-Wno-lint", "-Wno-style", *by_name.values()]
    command += [str(HERE / "stitch_bench.sv"), "bench.sv", str(HERE / "stitch_bench.cpp")]
    # A run of a few thousand cycles: compiling without optimisation is what saves time.
    flags = "CFG_CXXFLAGS_PCH_I=-include CFG_CXXFLAGS_STD_NEWEST=-std=gnu++20 OPT_FAST=-O0 OPT_GLOBAL=-O0"
    environment = verilator.environment() | {"MAKEFLAGS": flags}
    built = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-3000:]


def run_bench(cases: list[Case], folder: Path) -> dict[str, tuple[int, int]]:
    """Return words received and words that were wrong, by partition."""
    for case in cases:
        (folder / f"{case.name}_in.mem").write_text("\n".join(case.given.words) + "\n")
        (folder / f"{case.name}_out.mem").write_text("\n".join(case.wanted.words) + "\n")
    run = subprocess.run(["obj/Vbench", str(CYCLES)], cwd=folder, capture_output=True, text=True, check=True)
    assert "readmem file not found" not in run.stdout + run.stderr
    found = re.findall(r"(\w+) got (\d+) wrong (\d+)", run.stdout)
    return {name: (int(got), int(wrong)) for name, got, wrong in found}


def lint(case: Case) -> None:
    """Everything that is ours passes -Wall without a waiver; the library's own style is the library's."""
    verilator = find_verilator()
    command = [str(verilator.binary), "--lint-only", "-Wall", "--top-module", f"{case.name}_wrapper"]
    run = subprocess.run(
        [*command, *case.sources], env=verilator.environment(), capture_output=True, text=True, check=False
    )
    own = (f"/{case.name}.v:", f"/{case.name}_wrapper.v:")
    assert not [line for line in run.stderr.splitlines() if any(name in line for name in own)]
    assert not re.findall(r"%Error(?!: Exiting due to \d+ warning)[^\n]*", run.stderr)


@pytest.mark.finn
@pytest.mark.xdist_group("stitch_finn")
def test_what_is_ours_has_no_warnings(tmp_path: Path) -> None:
    np.save(tmp_path / "images.npy", held_out()[:1])
    config = DIGITS / "folding_2.json"
    names = stitch_model(DIGITS / "digits.onnx", config, tmp_path / "build", tmp_path / "images.npy")
    assert len(names) == 2
    for name in names:
        lint(Case(name, tmp_path / "build" / name, Side([], 0), Side([], 0)))


@pytest.mark.sweep
@pytest.mark.finn
@pytest.mark.xdist_group("stitch_finn")
@pytest.mark.parametrize("boards", [2, 6])
def test_partitions_are_bit_exact(boards: int, tmp_path: Path) -> None:
    images = held_out()[:FRAMES]
    np.save(tmp_path / "images.npy", images)
    config = DIGITS / f"folding_{boards}.json"
    names = stitch_model(DIGITS / "digits.onnx", config, tmp_path / "build", tmp_path / "images.npy")
    assert len(names) == boards
    values = values_at_cuts(DIGITS / "digits.onnx", images)
    assert np.array_equal(np.load(tmp_path / "build" / "output.npy").reshape(FRAMES, -1), values[-1])
    cases = []
    for index, name in enumerate(names):
        given, wanted = (values[CUTS[boards][index + side]] for side in (0, 1))
        taken, made = BOUNDARIES[boards][index], BOUNDARIES[boards][index + 1]
        inner = words(given, taken[-2], taken[-1]), words(wanted, made[0], made[-1])
        cases.append(Case(name, tmp_path / "build" / name, *inner))
        lint(cases[-1])
    build_bench(cases, tmp_path / "bench")
    assert run_bench(cases, tmp_path / "bench") == {case.name: (len(case.wanted.words), 0) for case in cases}
    last = cases[-1].wanted.words
    last[-1] = f"{int(last[-1], 16) ^ 1:x}"
    assert run_bench(cases, tmp_path / "bench")[names[-1]] == (len(last), 1), "the bench sees a flipped bit"
