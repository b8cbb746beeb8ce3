# SPDX-License-Identifier: BSD-3-Clause
"""Layers of our own under FINN's port names, bit by bit against numpy, on both simulators and in three lints.

They are run as they go into a build: the wrapper, and the blocks by their names in it. Each case is cut off
by reset first; then all run in the time that their headers claim, and once more with stalls.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

import shellgen.stitch
from shellgen.errors import InputError
from shellgen.model.element import ElementType
from shellgen.simulate.tools import find_icarus, find_verilator
from shellgen.stitch.environment import ensure_finn_env
from shellgen.stitch.own_layers import KINDS, Layer, Port, make_rtl
from tools.blocks.block_bench import IP, SIMULATORS, TOOLS, closure, run_sources, run_tool
from tools.blocks.layers.cases import Case, every_case
from tools.blocks.layers.matrix_cases import matrices

WORKSHOP = TOOLS / "layers"
TOP = "tb_layers"
CASES = [*every_case(), *matrices()]
COMPARED = sum(len(stream) for case in CASES for stream in case.outputs)
BLOCKS = sorted(path.stem for path in IP.glob("layer*/layer_*.sv"))


def one(number: int, case: Case, module: str, vectors: list[int]) -> list[str]:
    """Return the lines of a case: sources, the layer, sinks; its words go to `vectors`."""
    source, sink = number % 3 in (0, 2), number % 3 in (1, 2)
    pins, lines, began = [], [], []
    streams = [(port, words, True) for port, words in zip(case.layer.inputs, case.inputs, strict=True)]
    streams += [(port, words, False) for port, words in zip(case.layer.outputs, case.outputs, strict=True)]
    for port, words, plays in streams:
        net = f"{case.layer.name}_{number}_{port.name}"
        wires = f".aclk(aclk), .aresetn(aresetn), .first({len(vectors)}), .beats({len(words)})"
        vectors += words
        data = f"{net}_d" if plays else f"64'({net}_d)"
        wires += f", .tdata({data}), .tvalid({net}_v), .tready({net}_r)"
        lines.append(
            f"    wire [{63 if plays else port.bits - 1}:0] {net}_d; wire {net}_v, {net}_r, {net}_e;"
        )
        if plays:
            lines.append(f"    bench_play u_{net} ({wires}, .stall(stalls && {source:d}), .began({net}_e));")
            began.append(f"{net}_e")
        else:
            wires += f", .limit(stalls ? 0 : {case.limit}), .began(|{{{', '.join(began)}}}), .done({net}_e)"
            lines.append(f"    bench_record u_{net} ({wires}, .stall(stalls && {sink:d}));")
        pins += [f".{port.name}_TDATA({net}_d[{port.bits - 1}:0])"]
        pins += [f".{port.name}_TVALID({net}_v)", f".{port.name}_TREADY({net}_r)"]
    lines.append(f"    {module} u_{number} (.ap_clk(aclk), .ap_rst_n(aresetn), {', '.join(pins)});")
    return lines


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], Path]:
    """Sources of the bench with all cases, and the file of its words."""
    folder = tmp_path_factory.mktemp("layers")
    files: dict[str, str] = {}
    body: list[str] = []
    vectors: list[int] = []
    done = []
    for number, case in enumerate(CASES):
        named = Layer(**{**vars(case.layer), "name": f"{case.layer.name}_{number}"})
        rtl = make_rtl(named, "cases.py")
        files |= rtl.blocks | {f"{rtl.module}.v": rtl.wrapper}
        body += one(number, case, rtl.module, vectors)
        done += [f"{named.name}_{port.name}_e" for port in case.layer.outputs]
    lines = [
        "`default_nettype none",
        f"module {TOP};",
        "    logic aclk, aresetn, stalls; int cycle; string file;",
        "    logic [63:0] vectors [0:65535];",
        "    initial begin",
        '        if (!$value$plusargs("vectors=%s", file)) $fatal(1, "no vectors");',
        '        stalls = $test$plusargs("stalls");',
        f"        $readmemh(file, vectors, 0, {len(vectors) - 1});",
        "        aclk = 1'b0; cycle = 0; aresetn = 1'b0; forever #5 aclk = !aclk;",
        "    end",
        *body,
        "    always @(negedge aclk) begin",
        "        cycle = cycle + 1;",
        "        aresetn = cycle > 4 && cycle != 61;",
        f"        if (cycle > 100 && &{{{', '.join(done)}}}) begin",
        f'            $display("PASS {COMPARED}"); $finish;',
        "        end",
        "    end",
        "endmodule",
    ]
    files[f"{TOP}.sv"] = "\n".join(lines) + "\n"
    for name, text in files.items():
        (folder / name).write_text(text)
    words = folder / "vectors.hex"
    words.write_text("".join(f"{word:x}\n" for word in vectors))
    paths = [folder / name for name in sorted(files)]
    return [*paths, *sorted(WORKSHOP.glob("bench_*.sv")), *closure("axis_checker")], words


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_layers(simulator: str, bench: tuple[list[Path], Path]) -> None:
    sources, words = bench
    for more in ([], ["stalls"]):
        result = run_sources(TOP, sources, simulator, [f"vectors={words}", *more])
        assert result.comparisons == COMPARED, result.text


@pytest.mark.parametrize(
    ("block", "old", "new"),
    [
        ("layer_reduce", "fold_q <= '0;", "fold_q <= fold_q;"),  # reset
        (
            "layer_top",
            "$signed(s_axis_tdata) > $signed(v_q)",
            "$signed(s_axis_tdata) >= $signed(v_q)",
        ),  # ties
        (
            "layer_repeat",
            "first ? s_axis_tdata : kept),\n                .s_axis_tvalid",
            "kept), .s_axis_tvalid",
        ),
        ("layer_turns", "count_q == LAST[COUNT_W-1:0]", "count_q >= 0"),
        ("layer_dot", "w[0] ? wide : -wide", "w[0] ? wide : ~wide"),
        ("layer_dot", "OWN ? s * PE + p : s;", "s;"),
    ],
)
def test_a_wrong_block_is_seen(
    block: str, old: str, new: str, bench: tuple[list[Path], Path], tmp_path: Path
) -> None:
    sources, words = bench
    broken = tmp_path / "broken.sv"
    file = next(path for path in sources if path.name == f"shellgen_{block}.sv")
    assert file.read_text().count(old) == 1
    broken.write_text(file.read_text().replace(old, new))
    files = [broken if path == file else path for path in sources]
    result = run_sources(TOP, files, "icarus", [f"vectors={words}", "stalls"])
    assert result.code, result.text


def test_every_kind_and_every_block_has_a_case() -> None:
    assert {case.layer.kind for case in CASES} == set(KINDS)
    used = {name for case in CASES for name in make_rtl(case.layer, "").blocks}
    assert {f"shellgen_{block}.sv" for block in BLOCKS} <= used


def test_three_tools_have_nothing_to_say(bench: tuple[list[Path], Path]) -> None:
    sources = [path for path in bench[0] if path.name.startswith("shellgen_")]
    wrappers = [path.stem for path in sources if path.suffix == ".v"]
    code, text = run_tool(find_verilator().binary, "--lint-only", "-Wall", "-Wno-MULTITOP", *sources)
    assert code == 0, text
    assert "%Warning" not in text
    tops = [word for name in wrappers for word in ("-s", name)]
    code, text = run_tool(find_icarus().compiler, "-g2012", "-Wall", "-t", "null", *tops, *sources)
    assert code == 0, text
    # Verilog files without a timescale beside SystemVerilog ones, and Icarus' known modesty about always_*.
    assert not [line for line in text.splitlines() if "warning" in line and "constant selects" not in line], (
        text
    )
    script = (
        f"read_verilog -sv {' '.join(map(str, sources))}; hierarchy -check; proc; check -assert; "
        "select -assert-none t:$dlatch t:$adlatch t:$sr"
    )
    program = "import sys; from pyosys import libyosys as y; y.run_pass(sys.argv[1], y.Design())"
    code, text = run_tool(sys.executable, "-c", program, script, sources=sources)
    assert code == 0, text[-2000:]
    assert "Warning" not in text, text[text.index("Warning") :][:2000]


# (block, parameters, the rule that the message must name)
ILLEGAL: list[tuple[str, dict[str, int], str]] = [
    ("layer_lanes", {"N": 0}, "N_A_W_B_W_and_OUT_W_must_be_at_least_1"),
    ("layer_lanes", {"OP": 4}, "OP_must_be_0_to_3"),
    ("layer_channelwise", {"FOLDS": 0}, "FOLDS_must_be_at_least_1"),
    ("layer_reduce", {"OUT_W": 0}, "N_IN_W_and_OUT_W_must_be_at_least_1"),
    ("layer_reduce", {"OP": 2}, "OP_must_be_0_or_1"),
    ("layer_reduce", {"FOLDS": 0}, "FOLDS_and_STEPS_must_be_at_least_1"),
    ("layer_reduce", {"SHIFT": 12}, "SHIFT_must_be_less_than_the_bits_of_a_sum"),
    ("layer_turns", {"N": 33}, "N_must_be_1_to_32"),
    ("layer_turns", {"BEATS": 1}, "BEATS_must_be_at_least_1"),
    ("layer_repeat", {"DATA_W": 0}, "DATA_W_must_be_at_least_1"),
    ("layer_repeat", {"TIMES": 0}, "BEATS_and_TIMES_must_be_at_least_1"),
    ("layer_top", {"IN_W": 0}, "IN_W_must_be_at_least_1"),
    ("layer_top", {"K": 11}, "K_must_be_1_to_LABELS"),
    ("layer_top", {"OUT_W": 3}, "OUT_W_must_hold_LABELS_minus_1"),
]


@pytest.mark.parametrize(("block", "parameters", "rule"), ILLEGAL)
def test_illegal_parameters_are_refused(block: str, parameters: dict[str, int], rule: str) -> None:
    files = [*sorted(IP.glob("layer*/layer_*.sv")), *closure("axis_fifo"), *closure("axis_register")]
    options = [f"-P{block}.{name}={value}" for name, value in parameters.items()]
    code, text = run_tool(find_icarus().compiler, "-g2012", "-t", "null", "-s", block, *options, *files)
    assert code != 0
    assert rule in text
    options = [f"-G{name}={value}" for name, value in parameters.items()]
    verilator = find_verilator().binary
    code, text = run_tool(verilator, "--lint-only", "-Wno-fatal", "--top-module", block, *options, *files)
    assert code != 0
    assert rule in text


# ---- what cannot be had is said ---------------------------------------------------------------------------
def simple(kind: str, element: str = "INT4", **attributes: object) -> Layer:
    one = ElementType.parse(element)
    ports = Port("in0_V", 8, one), Port("out0_V", 8, one)
    return Layer("node", kind, {"PE": 1, "SIMD": 1, **attributes}, ports[:1], ports[1:])


def matrix(kind: str, element: str = "INT4", **attributes: object) -> Layer:
    ports = [Port(f"in{index}_V", 8, ElementType.parse(element)) for index in range(2)]
    given = {"PE": 1, "SIMD": 1, "noActivation": 1, "binaryXnorMode": 0, **attributes}
    return Layer("node", kind, given, tuple(ports), (Port("out0_V", 8, ElementType.parse("INT8")),))


def constant(**side: list[int]) -> Layer:
    """A difference with a constant of this shape on one side."""
    ((name, shape),) = side.items()
    attributes: dict[str, Any] = {f"{part}_style": "input" for part in ("lhs", "rhs")}
    attributes |= {f"{name}_style": "const", f"{name}_shape": shape, "out_shape": [1, 4]}
    layer = simple("ElementwiseSub", **attributes)
    values = tuple(range(prod(shape)))
    return replace(layer, constants=values, constant_type=ElementType.parse("INT5"))


def streams(*shapes: list[int]) -> Layer:
    layer = simple("ElementwiseAdd", lhs_shape=shapes[0], rhs_shape=shapes[1])
    return replace(layer, inputs=layer.inputs * 2)


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        (simple("Lookup"), "FINN has Lookup as Vitis HLS only, and shellgen has no RTL for it"),
        (
            simple("Pool", "BIPOLAR", Function="QuantAvgPool", KernelSize=[2, 2]),
            "computes with BIPOLAR values",
        ),
        (matrix("MVAU", MW=1, MH=1, noActivation=0), "it has thresholds of its own"),
        (matrix("MVAU", "INT40", MW=1, MH=1), "up to 32 bits, these are INT40"),
        (matrix("VVAU", Kernel=[2, 2], SIMD=4), "one pixel of a window at a time, and SIMD is 4"),
        (constant(lhs=[1, 4]), "it takes a stream from a constant"),
        (constant(rhs=[3, 1]), r"its constant has shape \[3, 1\]"),
        (streams([1, 4], [2, 4]), r"has operands of shapes \[1, 4\] and \[2, 4\]"),
        (simple("UpsampleNearestNeighbour", HI=2, WI=2, HO=3, WO=4, NumChannels=1), "by a fraction"),
    ],
)
def test_refusals(layer: Layer, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make_rtl(layer, "model.onnx")


# ---- the statements themselves ----------------------------------------------------------------------------
@pytest.mark.finn
@pytest.mark.sweep
@pytest.mark.xdist_group("stitch_finn")
def test_finn_computes_the_same(tmp_path: Path) -> None:
    """Port names, widths, data types and every word of all cases are those of FINN's own classes."""
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps([described(case) for case in CASES]))
    worker = Path(shellgen.stitch.__file__).parent
    command = [str(ensure_finn_env()), str(WORKSHOP / "finn_layers.py"), str(worker), str(cases)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    lines = result.stdout.splitlines()
    assert lines[lines.index("compared") :] == ["compared"]


def described(case: Case) -> dict[str, object]:
    def stream(port: Port, words: tuple[int, ...]) -> dict[str, object]:
        return {
            "name": port.name,
            "bits": port.bits,
            "type": port.element.name,
            "element_bits": port.element.bits,
            "words": words,
        }

    layer = case.layer
    return {
        "name": layer.name,
        "kind": layer.kind,
        "attributes": layer.attributes,
        "inputs": [stream(port, words) for port, words in zip(layer.inputs, case.inputs, strict=True)],
        "outputs": [stream(port, words) for port, words in zip(layer.outputs, case.outputs, strict=True)],
        "constants": layer.constants,
        "constant_type": layer.constant_type.name if layer.constant_type else "",
    }
