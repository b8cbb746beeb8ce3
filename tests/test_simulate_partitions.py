# SPDX-License-Identifier: BSD-3-Clause
"""Partitions compiled by themselves: shared by instances and by later benches, and the same to the cycle."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from warm_cache import warm_cache

from shellgen.cache import default_cache_dir
from shellgen.errors import SimulationError
from shellgen.progress import Tally
from shellgen.simulate import blocks
from shellgen.simulate.blocks import Block, compile_blocks
from shellgen.simulate.build import ModelSpec, build_model
from shellgen.simulate.compile import compile_model
from shellgen.simulate.frontend import Design, translate
from shellgen.simulate.run import run_model
from shellgen.simulate.runtime import run_compiler, runtime
from shellgen.simulate.tools import find_cocotb, find_verilator
from shellgen.simulate.wrapper import Pin, read_pins

# A register, a path from input to output without one, and every width that C++ has a type for.
PARTITION = """
module part (
    input wire ap_clk, input wire a__b, input wire [6:0] in7, input wire [15:0] in16, input wire [31:0] in32,
    input wire [63:0] in64, input wire [69:0] in70,
    output reg q, output wire through, output reg [6:0] out7, output reg [15:0] out16,
    output reg [31:0] out32, output reg [63:0] out64, output wire [69:0] out70
);
    initial begin #0 q = 1'b1; end
    assign through = a__b;
    assign out70 = ~in70;
    always @(posedge ap_clk) begin
        q <= a__b; out7 <= in7; out16 <= in16; out32 <= in32; out64 <= in64;
    end
endmodule
"""
# Two instances, the through path of one into the other, beside the same written out.
TOP = """
module top (output reg [15:0] errors, output reg [15:0] cycles, output wire aclk);
    bench_clock #(.HALF_PS(500)) u_clock (.clk(aclk));
    reg [69:0] noise;
    wire q0, q1, t0, t1;
    wire [6:0] b7, unused7; wire [15:0] b16, unused16; wire [31:0] b32, unused32;
    wire [63:0] b64, unused64; wire [69:0] b70, unused70;
    part u_0 (.ap_clk(aclk), .a__b(noise[0]), .in7(noise[6:0]), .in16(noise[15:0]), .in32(noise[31:0]),
        .in64(noise[63:0]), .in70(noise), .q(q0), .through(t0), .out7(b7), .out16(b16), .out32(b32),
        .out64(b64), .out70(b70));
    part u_1 (.ap_clk(aclk), .a__b(t0), .in7(b7), .in16(b16), .in32(b32), .in64(b64), .in70(b70), .q(q1),
        .through(t1), .out7(unused7), .out16(unused16), .out32(unused32), .out64(unused64), .out70(unused70));
    reg wanted_q;
    reg [63:0] last;
    initial begin noise = 70'h3A5A5_1234_5678_9ABC; wanted_q = 1'b1; last = 64'd0; end
    initial begin errors = 16'd0; cycles = 16'd0; end
    always @(posedge aclk) begin
        noise <= {noise[68:0], noise[69] ^ noise[66]};
        wanted_q <= noise[0];
        last <= noise[63:0];
        cycles <= cycles + 16'd1;
        if (q0 != wanted_q || q1 != wanted_q || t1 != noise[0] || b70 != ~noise || unused70 != noise ||
            cycles != 16'd0 && (b7 != last[6:0] || b16 != last[15:0] || b32 != last[31:0] || b64 != last))
            errors <= errors + 16'd1;
    end
    wire _unused_ok = &{1'b0, unused7, unused16, unused32, unused64, 1'b0};
endmodule
"""
BENCH = """
import cocotb
from cocotb.triggers import ClockCycles

@cocotb.test()
async def same(dut):
    await ClockCycles(dut.aclk, 200)
    assert int(dut.cycles.value) > 190 and int(dut.errors.value) == 0, int(dut.errors.value)
"""
COUNTS = """
#include "Vmodel.h"
int main() {
    Vmodel model;
    for (int value = 0; value < 256; ++value) {
        model.in = value;
        for (int half = 0; half < 8; ++half) {
            model.clk = half & 1;
            model.eval();
        }
        if (model.level != (value < 32 ? value : 32)) return 1;
    }
}
"""
CLOCK = Path(__file__).parents[1] / "sim" / "bench_clock.sv"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the objects that the C++ compiler made."""
    made: list[str] = []

    def count(*arguments: Any) -> None:
        made.append(Path(str(arguments[-1])).name)
        run_compiler(*arguments)

    monkeypatch.setattr("shellgen.simulate.compile.run_compiler", count)
    monkeypatch.setattr(blocks, "WORTH_BYTES", 1)
    return made


def block(path: Path, text: str = PARTITION) -> Block:
    path.write_text(text)
    return Block("part", ("ap_clk",), (path,))


@pytest.mark.sweep
def test_partitions_are_compiled_once_and_run_as_ever(tmp_path: Path, compiled: list[str]) -> None:
    part = block(tmp_path / "part.v")
    top = tmp_path / "top.sv"
    top.write_text(TOP)
    (tmp_path / "same_bench.py").write_text(BENCH)
    cache = warm_cache(tmp_path / "cache")
    model = build_model(
        ModelSpec([CLOCK, top], "top", third_party=part.sources, blocks=[part]), "verilator", cache
    )
    assert sum(name.startswith("Vblock_part") for name in compiled) == 2  # fast and slow, for both instances
    run_model(model, "same_bench", [tmp_path], tmp_path / "run")
    compiled.clear()
    top.write_text(TOP.replace("500", "600"))
    (tmp_path / "moved").mkdir()
    moved = block(tmp_path / "moved" / "part.v")
    again = build_model(
        ModelSpec([CLOCK, top], "top", third_party=moved.sources, blocks=[moved]), "verilator", cache
    )
    assert not again.was_cached
    assert compiled
    assert not any(name.startswith("Vblock") for name in compiled)


def test_a_partition_that_takes_time_stays_in_the_whole(tmp_path: Path, compiled: list[str]) -> None:
    waits = block(tmp_path / "waits.v", PARTITION.replace("#0 q", "#3 q"))
    (found,) = compile_blocks(find_verilator(), tmp_path / "cache", "key", [waits], (), Tally("C++"))
    assert found.module is None
    assert not found.objects
    assert not compiled


def test_a_small_partition_stays_in_the_whole(tmp_path: Path) -> None:
    (found,) = compile_blocks(
        find_verilator(), tmp_path / "cache", "key", [block(tmp_path / "part.v")], (), Tally("C++")
    )
    assert found.module is None


def test_a_partition_in_error_is_refused_as_part_of_the_whole(tmp_path: Path) -> None:
    wrong = block(tmp_path / "wrong.v", PARTITION.replace("initial", "unknown_module u ();\ninitial"))
    top = tmp_path / "top.sv"
    top.write_text(TOP)
    with pytest.raises(SimulationError, match="unknown_module"):
        build_model(
            ModelSpec([CLOCK, top], "top", third_party=wrong.sources, blocks=[wrong]),
            "verilator",
            tmp_path / "cache",
        )


def test_pins(tmp_path: Path) -> None:
    header = tmp_path / "V.h"
    header.write_text("VL_IN8(&a___05Fb,0,0);\nVL_OUTW(&r,0,69,3);\n")
    assert read_pins(header) == (Pin("a___05Fb", True, 1), Pin("r", False, 70))
    assert [pin.name for pin in read_pins(header) or ()] == ["a__b", "r"]
    header.write_text("VL_INOUT8(&both,0,0);\n")
    assert read_pins(header) is None


def thresholds() -> str:
    """A layer as HLS writes it: 32 comparisons, added in pairs, with registers on the way."""
    lines = [f"wire [0:0] s0_{k} = held > 8'd{k};" for k in range(32)]
    for row in range(1, 6):
        for k in range(32 >> row):
            total = f"{{1'b0, s{row - 1}_{2 * k}}} + {{1'b0, s{row - 1}_{2 * k + 1}}}"
            register = f"reg [{row}:0] s{row}_{k}; always @(posedge clk) s{row}_{k} <= {total};"
            lines.append(register if row == 3 else f"wire [{row}:0] s{row}_{k} = {total};")
    header = "module thresholds (input wire clk, input wire [7:0] in, output reg [5:0] level);"
    held = "reg [7:0] held; always @(posedge clk) held <= in;"
    return "\n".join([header, held, *lines, "always @(posedge clk) level <= s5_0;", "endmodule"])


@pytest.mark.parametrize("has_class", [False, True])
def test_objects_of_classes_are_freed_where_there_are_any(tmp_path: Path, has_class: bool) -> None:
    source = tmp_path / "held.sv"
    declared, made = "", "always_ff @(posedge clk) b <= a;"
    if has_class:
        declared = "class Held; byte v; function new(byte a); v = a; endfunction endclass"
        made = "Held held; always_ff @(posedge clk) begin held = new(a); b <= held.v; end"
    ports = "input logic clk, input byte a, output byte b"
    source.write_text(f"{declared}\nmodule top ({ports});\n{made}\nendmodule\n")
    design = Design("top", (source,), frozenset({source}), (), (), separate=True)
    translate(find_verilator(), design, tmp_path)
    compile_model(find_verilator(), default_cache_dir(), tmp_path, "Vmodel", tmp_path, "", (), Tally("C++"))
    assert ("deleteAll" in (tmp_path / "Vmodel.cpp").read_text()) is has_class


@pytest.mark.sweep
def test_the_compiler_adds_up_what_a_layer_compares(tmp_path: Path) -> None:
    """GCC 12 does not, at -O2 with its default of vectorising."""
    tool, source, objects = find_verilator(), tmp_path / "thresholds.v", tmp_path / "objects"
    source.write_text(thresholds())
    objects.mkdir()
    translate(tool, Design("thresholds", (source,), frozenset({source}), (), (), separate=True), tmp_path)
    compile_model(tool, default_cache_dir(), tmp_path, "Vmodel", objects, COUNTS, (), Tally("C++"))
    cocotb = find_cocotb()
    fixed = [o for o in runtime(tool, cocotb, default_cache_dir()).glob("*.o") if o.name != "main.o"]
    libraries = [
        f"-L{cocotb.libraries}",
        f"-Wl,-rpath,{cocotb.libraries}",
        "-lcocotbvpi_verilator",
        "-pthread",
    ]
    run_compiler(tool, *objects.glob("*.o"), *fixed, *libraries, "-o", tmp_path / "model")
    assert subprocess.run([tmp_path / "model"], check=False).returncode == 0
