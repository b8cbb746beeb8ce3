# SPDX-License-Identifier: BSD-3-Clause
"""The bench against single mistakes in cores and blocks: it finds them, and it always comes to a verdict."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tools.bench_mutants.campaign import Draw, campaign, candidates, choose, placeless
from tools.bench_mutants.clusters import CLUSTERS, generated
from tools.bench_mutants.equivalence import judge
from tools.bench_mutants.known import read_known, reason
from tools.bench_mutants.schema import CHOICE, PACKAGE, alone, together
from tools.bench_mutants.score import format_score, passed, share
from tools.bench_mutants.sites import Edit, Mutant, find
from tools.bench_mutants.trial import Fate, Trial, Verdict
from tools.bench_mutants.verilog import directions, read

pytestmark = pytest.mark.xdist_group("bench_mutants")
# Small, and yet it has every kind of place.
SMALL = """
module leaf(input wire clk, input wire [3:0] a, input wire [3:0] b, output wire [3:0] x, output wire [3:0] y);
    reg [3:0] sum;
    wire odd = a[0] ^ b[0];
    always @(posedge clk)
        if (odd && a != 4'd3) sum <= a + b;
        else case (b)
            4'd2: sum <= {a[1:0], b[1:0]};
            default: sum <= odd ? a : ~b;
        endcase
    assign x = sum & a;
    assign y = |b ? sum : 4'd9;
endmodule
module top(input wire clk, input wire [3:0] a, input wire [3:0] b, output wire [3:0] x, output wire [3:0] y);
    wire [3:0] p, q;
    leaf u_one(.clk(clk), .a(a), .b(b), .x(p), .y(q));
    leaf u_two(.clk(clk), .a(q), .b({p[1:0], 2'b01}), .x(x), .y(y));
endmodule
"""
DRIVER = """
module driver;
    reg clk = 0;
    reg [7:0] n = 0;
    wire [3:0] x, y;
    top u_top(.clk(clk), .a(n[3:0]), .b(n[7:4] ^ {n[1:0], 2'b10}), .x(x), .y(y));
    initial repeat (300) begin
        #1 clk = 1;
        #1 clk = 0;
        n = n * 5 + 7;
        #1 $display("%h%h", x, y);
    end
endmodule
"""


def play(folder: Path, text: str, number: int | None = None) -> str:
    """Simulate a design that has all mutants, or one."""
    sources = [text, DRIVER] if number is None else [PACKAGE, text, DRIVER]
    (folder / "all.sv").write_text("\n".join(sources))
    (folder / CHOICE).write_text(str(number))
    command = ["iverilog", "-g2012", "-s", "driver", "-o", "all.vvp", "all.sv"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    done = subprocess.run(["vvp", "-n", "all.vvp"], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def test_a_model_of_all_mutants_has_each_of_them(tmp_path: Path) -> None:
    """Each that is chosen at run time does what a source with it alone does."""
    source = read(SMALL)
    mutants = [mutant for mutant in find("small.v", source, directions(source)) if not mutant.fixed]
    kinds = {mutant.kind for mutant in mutants}
    assert {"crossed", "state stuck", "operand dropped", "other constant", "arms swapped", "rotated"} <= kinds
    numbered = dict(enumerate(mutants, 1))
    everything = together(source, numbered)
    original = play(tmp_path, SMALL)
    assert play(tmp_path, everything, 0) == original
    seen = Counter[bool]()
    for number, mutant in list(numbered.items())[::9]:
        got = play(tmp_path, everything, number)
        if not any(edit.output for edit in mutant.edits):
            assert got == play(tmp_path, alone(SMALL, mutant)), mutant.name
        seen[got != original] += 1
    assert seen[True] > 5 * seen[False]


def test_what_nobody_generates_has_no_mutants(tmp_path: Path) -> None:
    """The draw is the same for the same seed, half of it in the cores."""
    out = generated(CLUSTERS[0], tmp_path)
    sources, mutants = candidates(out)
    text = sources["n0/rtl/axis_fifo.sv"].text
    checks = [number for number, line in enumerate(text.splitlines(), 1) if "_must_be_" in line]
    assert checks
    lines = {mutant.line for mutant in mutants if mutant.file == "n0/rtl/axis_fifo.sv"}
    assert lines.isdisjoint(checks)
    drawn = choose(mutants, Draw(60, 10, 5))
    assert drawn == choose(mutants, Draw(60, 10, 5))
    assert sum(mutant.file.endswith("_core.v") for mutant in drawn) == 35
    assert sum(mutant.fixed for mutant in drawn) == 10
    assert len({mutant.name for mutant in mutants if not mutant.fixed}) > 5000
    again = choose(mutants, Draw(1, 1, 1, names=frozenset(placeless(mutant.name) for mutant in drawn)))
    assert set(drawn) <= set(again)
    assert len(again) < 4 * len(drawn)  # lines that read the same


# A register between a stream and a partition; `kept` counts only where a source takes back what it offered.
CORE = """
module n0_core(
    input wire aclk, input wire aresetn,
    input wire [3:0] s_axis_tdata, input wire s_axis_tvalid, output wire s_axis_tready,
    output wire [1:0] seen
);
    reg [3:0] data_q;
    reg       full_q, kept_q;
    reg [1:0] seen_q;
    wire      ready;
    wire      offered = s_axis_tvalid;
    wire      load = s_axis_tready;
    wire      more = seen_q != 2'd2;
    wire      clear = !aresetn;
    wire [3:0] come = s_axis_tdata;
    assign s_axis_tready = !full_q || ready;
    assign seen = seen_q;
    always @(posedge aclk) begin
        if (load) data_q <= come;
        if (s_axis_tready) full_q <= offered;
        kept_q <= s_axis_tvalid && !s_axis_tready && aresetn;
        if (full_q && ready && more) seen_q <= seen_q + 2'd1;
        if (!aresetn) full_q <= 1'b0;
        if (clear) seen_q <= 2'd0;
    end
    part u_part(
        .ap_clk(aclk), .ap_rst_n(aresetn), .in_tdata(data_q), .in_tvalid(full_q), .in_tready(ready),
        .kept(kept_q)
    );
endmodule
"""
PART = """
module part(
    input wire ap_clk, input wire ap_rst_n, input wire kept,
    input wire [3:0] in_tdata, input wire in_tvalid, output wire in_tready
);
endmodule
"""
# Where, what is there, what is in its place, and what the provers say.
JUDGED = (
    ("load = ", "s_axis_tready", "s_axis_tready && s_axis_tvalid", "proved"),  # data without VALID
    ("offered = ", "s_axis_tvalid", "s_axis_tvalid || (kept_q && aresetn)", "proved"),  # VALID stays
    ("more = ", "seen_q != 2'd2", "seen_q < 2'd2", "proved"),  # 3 is never reached
    ("clear = ", "!aresetn", "1'b0", "refuted"),
    ("assign s_axis_tready = ", "!full_q || ready", "!full_q", "refuted"),
    ("come = ", "s_axis_tdata", "s_axis_tdata ^ 4'd8", "u_part.in_tdata[3] is 0, of the mutant 1"),
    ("@", "(posedge aclk)", "(negedge aclk)", "another clock"),
)


def lay_out(folder: Path, texts: dict[str, str], partition: list[str]) -> None:
    """Write sources, and which of them are of partitions."""
    for file, text in texts.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text)
    (folder / "bench").mkdir()
    (folder / "bench" / "bench.json").write_text(json.dumps({"sources": {"partition": partition}}))


def test_provers_know_what_counts_at_pins(tmp_path: Path) -> None:
    """Data without VALID, sources that break AXI's rules and states that are never reached do not count."""
    lay_out(tmp_path, {"n0/n0_core.v": CORE, "part.sv": PART}, ["part.sv"])
    mutants = []
    for where, before, after, _ in JUDGED:
        start = CORE.index(where + before) + len(where)
        edits = (Edit(start, start + len(before), after),)
        mutants.append(Mutant("n0/n0_core.v", 1, "other", before, after, edits, fixed="clk" in before))
    found = list(judge(tmp_path, {"n0/n0_core.v": read(CORE)}, mutants, tmp_path, 8))
    for (mutant, judgement), (*_, said) in zip(found, JUDGED, strict=True):
        assert said in judgement.text, (mutant.name, judgement.text)
        assert judgement.proved == (said == "proved")
    ((_, alone_in_file),) = judge(tmp_path, {"n0/n0_core.v": read(CORE)}, mutants[3:4], tmp_path, 8)
    assert alone_in_file.refuted


# A core with one block; what its parameter or its other pins exclude is excluded.
HOST = """
module n0_core(input wire aclk, input wire aresetn, input wire up, output wire [3:0] seen);
    count #(.STEP(1)) u_count(.aclk(aclk), .aresetn(aresetn), .up(up), .hold(1'b0), .count(seen));
endmodule
"""
COUNT = """
module count #(parameter int STEP = 2) (
    input wire aclk, input wire aresetn, input wire up, input wire hold, output reg [3:0] count
);
    localparam logic [3:0] MOST = 4'd9;
    always_ff @(posedge aclk) begin
        if (up && !hold && count != MOST) count <= count + 4'(STEP);
        if (!aresetn) count <= '0;
    end
endmodule
"""
ALONE = (
    ("localparam logic [", "3", "6", "by the same cells, the block alone"),
    ("localparam logic [3:0] MOST = ", "4'd9", "4'd8", "refuted"),
    ("!hold && ", "count != MOST", "count < MOST", "the block alone"),
    ("if (", "up && !hold", "up", "proved by the same gates in"),
    ("if (", "up", "1'b1", "refuted"),
)


def test_provers_ask_a_block_alone_first(tmp_path: Path) -> None:
    """With the core's parameters, and pins that may do anything; the core is asked about the others."""
    texts = {"n0/n0_core.v": HOST, "n0/rtl/count.sv": COUNT}
    lay_out(tmp_path, texts, [])
    mutants = []
    for where, before, after, _ in ALONE:
        start = COUNT.index(where + before) + len(where)
        edits = (Edit(start, start + len(before), after),)
        mutants.append(Mutant("n0/rtl/count.sv", 1, "", before, after, edits, fixed="localparam" in where))
    found = list(judge(tmp_path, {file: read(text) for file, text in texts.items()}, mutants, tmp_path, 8))
    for (mutant, judgement), (*_, said) in zip(found, ALONE, strict=True):
        assert said in judgement.text, (mutant.name, judgement.text)
        assert judgement.refuted == (said == "refuted")


@pytest.mark.sweep
def test_provers_judge_a_cluster(tmp_path: Path) -> None:
    """In a core with all its blocks: chosen at run time or not, in one core or in both."""
    out = generated(CLUSTERS[0], tmp_path)
    sources, mutants = candidates(out)
    expected = {
        r"axis_width_down.sv:\d+: state stuck: flush -> flush_q": "proved",
        r"axil_root.sv:\d+: never: start_q & write_q": "proved",
        r"axis_frame_tx.sv:\d+: operand dropped: last && !spare -> last$": "proved",
        r"n0_core.v:\d+: tied to '0: xbar_awprot": "proved",  # status looks at no PROT
        r"n0_core.v:\d+: tied to '0: \.m_axil_arprot": "refuted",
        r"axis_fifo.sv:\d+: condition negated": "refuted",
        r"n0_core.v:\d+: inverted bit: aclk": "another clock",
    }
    those = [next(one for one in mutants if re.search(pattern, one.name)) for pattern in expected]
    found = list(judge(out, sources, those, tmp_path))
    for (mutant, judgement), said in zip(found, expected.values(), strict=True):
        assert said in judgement.text, (mutant.name, judgement.text)


# One of each kind that the AXI-Lite side, the streams, the counters and the patience of the bench must find.
SAMPLE = (
    r"axil_root.sv:\d+: inverted bit: start_q & !far ->",  # an access that is never answered
    r"n0_core.v:\d+: tied to '0: .m_axis_tvalid\(direct_0_fifo_tvalid\)",  # nothing moves any more
    r"shell_reset.sv:\d+: other operator: start && !shut",  # a reset that never ends
    r"n0_core.v:\d+: operand dropped: s_axis_0_tvalid && s_axis_0_tready ->",
    r"n1_core.v:\d+: rotated: .m_axil_araddr",
    r"n0_core.v:\d+: inverted bit: s_axil_wstrb ->",
    r"n0_core.v:\d+: tied to '1: .s_axilite_1_wready",  # right as long as a slave never waits
    r"n0_core.v:\d+: crossed: .s_axilite_1_awready\(.*, .s_axilite_1_wready",
    r"n0_core.v:\d+: tied to '0: .m_axil_arprot",
)


@pytest.mark.sweep
def test_a_sample(tmp_path: Path) -> None:
    """Some that are named, and some that the seed draws; every one comes to a verdict."""
    cluster, known = CLUSTERS[0], read_known()
    out = generated(cluster, tmp_path / "cluster")
    sources, mutants = candidates(out)
    named = [next(m for m in mutants if re.search(pattern, m.name)) for pattern in SAMPLE]
    drawn = [mutant for mutant in choose(mutants, Draw(6, 0, 11)) if mutant not in named]
    trial = Trial(cluster, out, tmp_path / "trial", ())
    verdicts = list(trial.chosen(sources, dict(enumerate([*named, *drawn], 1))))
    fates = {verdict.mutant.name: verdict.fate for verdict in verdicts}
    assert all(fates[mutant.name] in ("caught", "ended") for mutant in named), fates
    assert "hung" not in fates.values()
    for mutant, judgement in judge(out, sources, named, tmp_path, 24):
        assert not judgement.proved, (mutant.name, judgement.text)
    assert "was not answered within" in verdicts[0].said
    assert "nothing moved for 50,000 cycles, and without shells all was through" in verdicts[1].said
    lost = [v.mutant.name for v in verdicts if v.fate == "survived" and not reason(v.mutant, known)]
    assert len(lost) <= len(drawn) // 2, lost


# Cases of ACCL that no frame exercises: directed test, register test and the counts of the bench find these.
ACCL = (
    r"accl_command.sv:\d+: tied to '0: came && !wait_q ->",
    r"accl_port.sv:\d+: other operator: unknown \|\| \(unknown_q",
    r"accl_port.sv:\d+: inverted bit: in_valid && !in_ready ->",
    r"accl_port.sv:\d+: always: read_in_q\[k\]",
    r"axil_counters.sv:\d+: tied to '1: clear \?",
    r"axil_counters.sv:\d+: operand dropped: \(sum_blank_q",
    r"n0_core.v:\d+: inverted middle bit: s_accl_status_tdata ->",
    r"n0_core.v:\d+: inverted bit: .stage\(accl_stage\)",
    r"n0_core.v:\d+: tied to '0: m_accl_data_tready ->",
    r"n0_core.v:\d+: inverted top bit: .m_axis_tdata\(accl_tx_0_tdata\)",
    r"accl_port.sv:\d+: other operator: word == AT_CONTROL",
    r"accl_port.sv:\d+: state stuck: '0 -> refusal_q",
    r"accl_frames.sv:\d+: operand dropped: skip \|\| out_ready -> out_ready",
    r"shell_reset.sv:87: state stuck: 1'b0 -> shut",
    r"n1_core.v:\d+: inverted middle bit: xbar_bvalid ->",
)


@pytest.mark.sweep
def test_what_directed_test_walk_and_meters_find(tmp_path: Path) -> None:
    """In the run with which a user begins."""
    cluster = next(one for one in CLUSTERS if one.name.startswith("accl"))
    out = generated(cluster, tmp_path / "cluster")
    sources, mutants = candidates(out)
    named = [next(m for m in mutants if re.search(pattern, m.name)) for pattern in ACCL]
    trial = Trial(cluster, out, tmp_path / "trial", ())
    fates = {one.mutant.name: one.fate for one in trial.chosen(sources, dict(enumerate(named, 1)))}
    assert set(fates.values()) <= {"caught", "ended"}, fates


def test_the_score() -> None:
    """Equivalents count neither way; a run without a verdict is a loss, whatever the share."""
    edits = ()
    mutants = [Mutant("a_core.v", k, "crossed", "x", f"y{k}", edits) for k in range(4)]
    fates: tuple[Fate, ...] = ("caught", "ended", "survived", "refused")
    verdicts = [Verdict(m, fate, "", 0.1) for m, fate in zip(mutants, fates, strict=True)]
    known = read_known()
    assert share(verdicts, known) == pytest.approx(2 / 3)
    assert not passed({"a": verdicts}, known)
    assert passed({"a": [v for v in verdicts if v.fate != "survived"]}, known)
    assert not passed(
        {"a": [Verdict(mutants[0], "caught", "", 0.1)] * 99 + [Verdict(mutants[1], "hung", "", 60)]}, known
    )
    text = format_score({"a": verdicts}, known)
    assert "66.7%" in text
    assert "a: survived: a_core.v:2: crossed: x -> y2" in text


# What was reached: to be raised, never lowered.
REACHED = {"tcp_dma": 0.95, "accl+coyote_stream": 0.95, "vnx_udp+vitis_mover": 0.95}


@pytest.mark.sweep
@pytest.mark.parametrize("cluster", CLUSTERS, ids=[cluster.name for cluster in CLUSTERS])
def test_each_kind_of_link(cluster: object, tmp_path: Path) -> None:
    """The score of the documentation, on the way to the goal of tools/bench_mutants/score.py."""
    chosen = next(one for one in CLUSTERS if one == cluster)
    verdicts = list(campaign(chosen, tmp_path, Draw(200, 12, 1), prove=True))
    known = read_known()
    assert len(verdicts) > 200
    assert share(verdicts, known) >= REACHED.get(chosen.name, 0), format_score({chosen.name: verdicts}, known)
    assert "hung" not in {verdict.fate for verdict in verdicts}
