# SPDX-License-Identifier: BSD-3-Clause
"""Reference partitions on both simulators: whole chains against numpy, stalls, reload through AXI-Lite."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from simulators import mostly_on
from waiting import PATIENCE

from shellgen.model import ElementType
from shellgen.reference import (
    LayerFolding,
    ReferenceFolding,
    execute,
    load_layers,
    random_frames,
    reference_artifacts,
    synthetic_model,
)
from shellgen.reference.build import make_parts
from shellgen.reference.finn_onnx import Part
from shellgen.reference.hardware import Node, Words
from shellgen.reference.layers import Layer
from shellgen.simulate.tools import find_icarus, find_verilator

# Both simulators' builds are made once; another worker would make them again.
pytestmark = pytest.mark.xdist_group("reference_rtl")

BENCH = Path(__file__).with_name("reference_bench.sv")
FRAMES = 4  # with the first weights, and again with the second
STALL = 90  # of 256


@dataclass(frozen=True)
class Case:
    """A network, how it is folded as (pe, simd, threshold_pe) and cut, and whether its streams stall."""

    name: str
    widths: tuple[int, ...]
    weights: str
    activations: str
    folds: tuple[tuple[int, int, int], ...]
    cuts: tuple[int, ...]
    writeable: bool = True
    stall: int = STALL

    def model(self, seed: int) -> onnx.ModelProto:
        return synthetic_model(self.widths, self.weights, self.activations, seed)

    def folding(self) -> ReferenceFolding:
        return ReferenceFolding(
            layers=tuple(
                LayerFolding(pe=pe, simd=simd, threshold_pe=compare, runtime_writeable=self.writeable)
                for pe, simd, compare in self.folds
            )
        )

    def parts(self, seed: int) -> tuple[Part, ...]:
        return make_parts(load_layers(self.model(seed)), self.folding(), self.cuts)


CASES = (
    # Weight words of 96 bits (3 of 4 registers), adapters 3 to 4 and 4 to 3 elements, a cut of equal words.
    Case("nibbles", (16, 12, 8, 10), "INT4", "UINT4", ((3, 8, 4), (2, 3, 4), (5, 4, 1)), (0, 0, 1)),
    # Words of 9 bits in 16 of TDATA; a first layer that is one fold; thresholds in gaps (3 PE, 7 steps).
    Case("three_bits", (6, 9, 6, 4), "INT4", "UINT3", ((9, 6, 3), (2, 3, 3), (4, 3, 1)), (0, 1, 2)),
    # Signed activations with an output bias; nothing unrolled at one place, everything at another.
    Case("signed", (7, 5, 3), "INT5", "INT3", ((1, 7, 5), (3, 5, 1)), (0, 1)),
    Case("bipolar", (24, 8, 6, 4), "BIPOLAR", "BIPOLAR", ((4, 6, 8), (2, 8, 3), (4, 3, 1)), (0, 1, 1)),
    Case("ternary", (8, 6, 4), "TERNARY", "BINARY", ((2, 4, 6), (1, 2, 1)), (0, 0), writeable=False),
    # No stalls: shows the rate. The slowest layer takes 16 cycles a frame.
    Case("rate", (16, 16, 8), "INT4", "UINT4", ((4, 4, 4), (2, 4, 1)), (0, 0), writeable=False, stall=0),
)


def words(values: np.ndarray, side: Words) -> list[int]:
    """Frames of element values as stream words: element 0 lowest, two's complement, BIPOLAR -1 as 0."""
    stored = (values + 1) // 2 if side.kind.name == "BIPOLAR" else values % (1 << side.kind.bits)
    groups = stored.reshape(-1, side.elements)
    return [sum(int(v) << (i * side.kind.bits) for i, v in enumerate(group)) for group in groups]


def weight_lines(node: Node, start: int) -> list[str]:
    """Write every segment of every word, then read: segment 0 fetches, the others show what it brought."""
    used = -(-node.memory_bits // 32)
    lanes = 1 << (used - 1).bit_length()
    lines, reads = [], []
    for index, word in enumerate(node.memory):
        for lane in range(lanes):
            value = (word >> (32 * lane)) & 0xFFFFFFFF
            address = start + 4 * (index * lanes + lane)
            lines.append(f"01{address:08x}{value if lane < used else 0xDEAD:08x}")
            reads.append(f"02{address:08x}{value:08x}")
    if used > 1:  # word 0 was not fetched again: its segment 1 still shows the last word
        reads.append(f"02{start + 4:08x}{node.memory[-1] >> 32 & 0xFFFFFFFF:08x}")
    return lines + reads


def threshold_lines(layer: Layer, pe: int, kind: ElementType) -> list[str]:
    assert layer.thresholds is not None
    channels, steps = layer.thresholds.shape
    lines = []
    for channel in range(channels):
        row = (channel // pe << (pe - 1).bit_length()) + channel % pe
        for step in range(steps):
            index = (row << (steps - 1).bit_length()) + step
            value = int(layer.thresholds[channel, step]) % (1 << kind.bits)
            lines.append(f"{4 * index:08x}{value:08x}")
    return [f"01{line}" for line in lines] + [f"02{line}" for line in lines]


def lite_lines(case: Case, part: int, slave: int) -> list[str]:
    """Load the second network's contents into one slave."""
    name, node = case.parts(1)[part].writeable[slave]
    if node.op_type == "MVAU_rtl":
        return weight_lines(node, 0)
    place = [n for p in case.parts(1) for n, x in p.writeable if x.op_type == "Thresholding_rtl"].index(name)
    layers = load_layers(case.model(1))
    kind = ElementType.parse(str(node.attributes["weightDataType"]))
    return threshold_lines(layers[place], int(node.parameters["PE"]), kind)


def save(folder: Path, name: str, lines: list[str]) -> str:
    folder.joinpath(name).write_text("\n".join(lines) + "\n")
    return f'.FILE("{name}")'


def chain(case: Case, folder: Path) -> str:
    """Write one case's partitions and vectors; return the module that runs them in a row."""
    for artifact in reference_artifacts(case.model(0), case.folding(), case.cuts):
        path = Path(artifact.path)
        if path.parent.name == "src":
            text = artifact.content.decode().replace("StreamingDataflowPartition", case.name)
            folder.joinpath(path.name.replace("StreamingDataflowPartition", case.name)).write_text(text)
    parts = case.parts(0)
    seeds = (0, 1) if case.writeable else (0, 0)
    first = random_frames(case.activations, case.widths[0], FRAMES, 7)
    second = random_frames(case.activations, case.widths[0], FRAMES, 8)
    results = [execute(case.model(seed), x) for seed, x in zip(seeds, (first, second), strict=True)]
    source, result = parts[0].source, parts[-1].result
    sent, expected = words(np.concatenate([first, second]), source), words(np.concatenate(results), result)
    given = save(folder, f"{case.name}_in.hex", [f"{word:x}" for word in sent])
    wanted = save(folder, f"{case.name}_out.hex", [f"{word:x}" for word in expected])
    half = f"{len(expected) // 2}"
    body = [
        f"    bench_source #(.DATA_W({source.tdata_bits}), .WORDS({len(sent)}), .FIRST({len(sent) // 2}), "
        f".STALL({case.stall}), .SEED(11), {given}) u_source (.clk, .rst_n, .go(&loaded), .tdata(d0), "
        ".tvalid(v0), .tready(r0));",
        f"    bench_sink #(.DATA_W({result.tdata_bits}), .WORDS({len(expected)}), .STALL({case.stall}), "
        f".SEED(23), {wanted}) u_sink (.clk, .rst_n, .tdata(d{len(parts)}), .tvalid(v{len(parts)}), "
        f".tready(r{len(parts)}), .count, .errors(sink_errors), .cycles);",
        f"    assign done = count == {len(expected)} && &loaded;",
        f"    wire half = count == {half};",
    ]
    slaves = 0
    for index, part in enumerate(parts):
        assert index == 0 or parts[index - 1].result == part.source, "cut between equal words"
        body.append(f"    wire [{part.source.tdata_bits - 1}:0] d{index}; wire v{index}, r{index};")
        pins = [".ap_clk(clk)", ".ap_rst_n(rst_n)"]
        for port, net in (("s_axis_0", index), ("m_axis_0", index + 1)):
            pins += [f".{port}_t{s}({s[0]}{net})" for s in ("data", "valid", "ready")]
        for slave in range(len(part.writeable)):
            pins += lite_master(case, folder, body, (index, slave), slaves)
            slaves += 1
        top = part.top.replace("StreamingDataflowPartition", case.name)
        body.append(f"    {top} u_part_{index} ({', '.join(pins)});")
    body.append(f"    wire [{result.tdata_bits - 1}:0] d{len(parts)}; wire v{len(parts)}, r{len(parts)};")
    total = " + ".join(["sink_errors", *(f"lite_errors_{slave}" for slave in range(slaves))])
    head = [
        f"module {case.name}_chain (input wire clk, input wire rst_n, output wire done, "
        "output int count, output int errors, output int cycles);",
        f"    int sink_errors; wire [{max(slaves - 1, 0)}:0] loaded;",
        *(f"    int lite_errors_{slave};" for slave in range(slaves)),
        f"    assign errors = {total};",
    ]
    if not slaves:
        head.append("    assign loaded = 1'b1;")
    declarations = [line for line in body if line.startswith("    wire")]
    rest = [line for line in body if not line.startswith("    wire")]
    return "\n".join([*head, *declarations, *rest, "endmodule"]) + "\n"


def lite_master(case: Case, folder: Path, body: list[str], place: tuple[int, int], number: int) -> list[str]:
    """Add an AXI-Lite master to the body; return the pins of the partition that it drives."""
    part, slave = place
    addr_bits = case.parts(0)[part].writeable[slave][1].addr_bits
    lines = lite_lines(case, part, slave)
    file = save(folder, f"{case.name}_lite_{number}.hex", lines)
    widths = {"awaddr": addr_bits, "araddr": addr_bits, "wdata": 32, "rdata": 32, "bresp": 2, "rresp": 2}
    signals = [*widths, *(f"{c}{s}" for c in ("aw", "w", "b", "ar", "r") for s in ("valid", "ready"))]
    body += [f"    wire [{widths.get(signal, 1) - 1}:0] l{number}_{signal};" for signal in signals]
    pins = ", ".join(f".{signal}(l{number}_{signal})" for signal in signals)
    body.append(
        f"    bench_lite #(.ADDR_W({addr_bits}), .LINES({len(lines)}), .SEED({number + 5}), {file}) "
        f"u_lite_{number} (.clk, .rst_n, .go(half), .done(loaded[{number}]), "
        f".errors(lite_errors_{number}), {pins});"
    )
    port = f"s_axilite_{slave}"
    ties = [f".{port}_awprot(3'd0)", f".{port}_arprot(3'd0)", f".{port}_wstrb(4'hf)"]
    return [f".{port}_{signal}(l{number}_{signal})" for signal in signals] + ties


def bench_top() -> str:
    """All chains at once; after the last word it waits for words that should not come."""
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        "module bench;",
        "    logic clk, rst_n;",
        "    int cycle = 0;",
        f"    wire [{len(CASES) - 1}:0] done;",
        "    initial begin clk = 1'b0; forever #5 clk = !clk; end",
    ]
    for index, case in enumerate(CASES):
        lines.append(f"    int count_{index}, errors_{index}, cycles_{index};")
        lines.append(
            f"    {case.name}_chain u_{case.name} (.clk, .rst_n, .done(done[{index}]), "
            f".count(count_{index}), .errors(errors_{index}), .cycles(cycles_{index}));"
        )
    lines += [
        "    initial begin",
        "        rst_n = 1'b0;",
        "        repeat (5) @(negedge clk);",
        "        rst_n = 1'b1;",
    ]
    lines += ["        while (!(&done) && cycle < 40000) begin @(posedge clk); cycle++; end"]
    lines += ["        repeat (300) @(posedge clk);"]
    for index, case in enumerate(CASES):
        shown = f"count_{index}, errors_{index}, cycles_{index}"
        lines.append(f'        $display("{case.name} words=%0d errors=%0d cycles=%0d", {shown});')
    lines += [
        '        $display("done=%b after %0d cycles", done, cycle);',
        "        $finish;",
        "    end",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def make(simulator: str, folder: Path) -> list[str]:
    """Build the bench; return the command that runs it in the folder."""
    text = "".join(chain(case, folder) for case in CASES)
    folder.joinpath("chains.sv").write_text(text + bench_top())
    shutil.copy(BENCH, folder / BENCH.name)
    sources = sorted(path.name for path in folder.iterdir() if path.suffix in (".sv", ".v"))
    if simulator == "icarus":
        tool = find_icarus()
        command = [str(tool.compiler), "-g2012", "-s", "bench", "-o", "bench.vvp", *sources]
        run = [str(tool.runtime), "-n", "bench.vvp"]
        environment = dict(os.environ)
    else:
        verilator = find_verilator()
        command = [str(verilator.binary), "--binary", "--timing", "-Wall", "--top-module", "bench", "-j", "2"]
        # One C++ file without optimisation builds in half the time; the run takes 0.1 s.
        command += ["--output-split", "0", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME", *sources]
        environment = verilator.environment() | {
            "MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include CFG_CXXFLAGS_COROUTINES=-fcoroutines "
            "CFG_CXXFLAGS_STD_NEWEST=-std=gnu++20 OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0 "
            f"PYTHON3={sys.executable}"
        }
        run = ["obj_dir/Vbench"]
    built = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return run


def results(run: list[str], folder: Path) -> dict[str, dict[str, int]]:
    """Run in the folder; return words, errors and cycles of each chain."""
    ran = subprocess.run(run, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "readmem" not in ran.stdout + ran.stderr
    found = re.findall(r"^(\w+) words=(-?\d+) errors=(-?\d+) cycles=(-?\d+)$", ran.stdout, re.MULTILINE)
    assert len(found) == len(CASES), ran.stdout
    return {name: {"words": int(w), "errors": int(e), "cycles": int(c)} for name, w, e, c in found}


@dataclass(frozen=True)
class Bench:
    """A built bench and what it said."""

    run: list[str]
    folder: Path
    found: dict[str, dict[str, int]]


@pytest.fixture(scope="module", params=mostly_on("icarus"))
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp(request.param)
    run = make(request.param, folder)
    return Bench(run, folder, results(run, folder))


def test_chains_are_bit_exact(bench: Bench) -> None:
    """All words of all frames, before and after the reload, under stalls; no word too many; read back."""
    for case in CASES:
        result = case.parts(0)[-1].result
        expected = 2 * FRAMES * case.widths[-1] // result.elements
        assert bench.found[case.name]["words"] == expected, case.name
        assert bench.found[case.name]["errors"] == 0, case.name


def test_one_word_of_weights_per_cycle(bench: Bench) -> None:
    case = next(case for case in CASES if case.name == "rate")
    folds = max(
        node.parameters["MW"] // node.parameters["SIMD"] * node.parameters["MH"] // node.parameters["PE"]
        for _, node in case.parts(0)[0].nodes
        if node.op_type == "MVAU_rtl"
    )
    frames = 2 * FRAMES
    # From the first word to the last; a frame more than the bound from below for filling up.
    assert (frames - 1) * folds <= bench.found["rate"]["cycles"] <= (frames + 1) * folds


def test_a_flipped_bit_is_seen(bench: Bench, tmp_path: Path) -> None:
    """In what goes in, in what is expected, and in what is written to weights."""
    copy = tmp_path / "copy"
    shutil.copytree(bench.folder, copy)
    for file in ("three_bits_in.hex", "nibbles_out.hex", "signed_lite_0.hex"):
        first, _, rest = (copy / file).read_text().partition("\n")
        (copy / file).write_text(f"{int(first, 16) ^ 1:x}\n{rest}")
    found = results(bench.run, copy)
    wrong = {name for name, result in found.items() if result["errors"]}
    assert wrong == {"three_bits", "nibbles", "signed"}
