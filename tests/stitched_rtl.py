# SPDX-License-Identifier: BSD-3-Clause
"""Stitched partitions in one Verilator model: a source for each input, a sink that compares the output."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shellgen.simulate.tools import find_verilator

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Side:
    """One stream: its words, and the width of TDATA."""

    words: list[str]
    width: int


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
    given: tuple[Side, ...]
    wanted: Side

    @property
    def sources(self) -> list[str]:
        listed = (self.folder / "stitched_ip" / "all_verilog_srcs.txt").read_text().splitlines()
        return [str(self.folder / line) for line in listed]

    def verilog(self) -> str:
        """Sources, partition and sink; AXI-Lite inputs stay open, which Verilator takes for zero."""
        name, wanted = self.name, self.wanted
        sources = pins = ""
        for index, side in enumerate(self.given):
            net = f"{name}_{index}"
            sources += f"""
    wire [{side.width - 1}:0] {net}_in; wire {net}_iv, {net}_ir;
    stitch_source #(.W({side.width}), .WORDS({len(side.words)}), .FILE("{net}_in.mem"), .SEED({index}))
        {net}_source (clk, resetn, {net}_in, {net}_iv, {net}_ir);"""
            axis = f".s_axis_{index}_t"
            pins += f"""
        {axis}data({net}_in), {axis}valid({net}_iv), {axis}ready({net}_ir),"""
        return f"""{sources}
    wire [{wanted.width - 1}:0] {name}_out; wire {name}_ov, {name}_or;
    int {name}_got, {name}_wrong;
    {name}_wrapper {name}_dut (.ap_clk(clk), .ap_rst_n(resetn),{pins}
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


def run_bench(cases: list[Case], folder: Path, cycles: int) -> dict[str, tuple[int, int]]:
    """Return words received and words that were wrong, by partition."""
    for case in cases:
        for index, side in enumerate(case.given):
            (folder / f"{case.name}_{index}_in.mem").write_text("\n".join(side.words) + "\n")
        (folder / f"{case.name}_out.mem").write_text("\n".join(case.wanted.words) + "\n")
    run = subprocess.run(["obj/Vbench", str(cycles)], cwd=folder, capture_output=True, text=True, check=True)
    assert "readmem file not found" not in run.stdout + run.stderr
    found = re.findall(r"(\w+) got (\d+) wrong (\d+)", run.stdout)
    return {name: (int(got), int(wrong)) for name, got, wrong in found}
