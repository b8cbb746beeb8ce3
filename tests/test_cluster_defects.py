# SPDX-License-Identifier: BSD-3-Clause
"""Benches that must not pass: partitions with defects, and nothing compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake, read_report, report_text, run, streams_only
from fake_network import chain, one_each, partition, spec

from shellgen.errors import InputError

pytestmark = pytest.mark.recorded

WORDS = 8  # of a frame of fake_network: 16 elements of 4 bits, two a word
HEAD = """module a_wrapper (
  input wire ap_clk, input wire ap_rst_n,
  input wire [7:0] s_axis_0_tdata, input wire s_axis_0_tvalid, output wire s_axis_0_tready,
  output wire [7:0] m_axis_0_tdata, output wire m_axis_0_tvalid, input wire m_axis_0_tready
);
  wire fire = m_axis_0_tvalid && m_axis_0_tready;
  reg [31:0] count;
  always @(posedge ap_clk) count <= !ap_rst_n ? 32'd0 : fire ? count + 32'd1 : count;
"""
FORWARD = """
  assign m_axis_0_tdata = extra ? 8'hA5 : s_axis_0_tdata;
  assign m_axis_0_tvalid = extra || s_axis_0_tvalid;
  assign s_axis_0_tready = !extra && m_axis_0_tready;
"""
# Each keeps the ports of partition a and does one thing wrong.
DEFECTS = {
    # Facts/real_builds.md: 8 frames in, 11 out. Here 9 words out for 8 in.
    "a word too many in each frame": f"wire extra = count % {WORDS + 1} == {WORDS};{FORWARD}",
    "one word after the last frame": f"""
  reg [9:0] late;
  wire extra = late == 10'd300 && count == 4 * {WORDS};
  always @(posedge ap_clk)
    late <= count != 4 * {WORDS} ? 10'd0 : late == 10'd300 ? late : late + 10'd1;{FORWARD}""",
    "a word lost in each frame": f"""
  reg [31:0] taken;
  wire lost = taken % {WORDS} == 5;
  always @(posedge ap_clk) taken <= !ap_rst_n ? 0 : taken + (s_axis_0_tvalid && s_axis_0_tready);
  assign m_axis_0_tdata = s_axis_0_tdata;
  assign m_axis_0_tvalid = s_axis_0_tvalid && !lost;
  assign s_axis_0_tready = m_axis_0_tready || lost;
""",
    "no word at all": """
  assign m_axis_0_tdata = 8'd0;
  assign m_axis_0_tvalid = 1'b0;
  assign s_axis_0_tready = 1'b1;
""",
    "words without end": """
  assign m_axis_0_tdata = count[7:0];
  assign m_axis_0_tvalid = 1'b1;
  assign s_axis_0_tready = 1'b0;
""",
    "stuck from the start": """
  assign m_axis_0_tdata = 8'd0;
  assign m_axis_0_tvalid = 1'b0;
  assign s_axis_0_tready = 1'b0;
""",
}
SHOWN = ("a word too many in each frame", "no word at all")  # by default; the others in the sweep
DRIFT = "drift at a_to_b, pins of a.m_axis_0: 9 words crossed for one more frame of 8"
STUCK = "--idle-limit ended the run, so there is no result: nothing moved for 3,000 cycles. "
SAYS = {
    "a word too many in each frame": (
        "drift at a_to_b, pins of a.m_axis_0: 9 words crossed for one more frame of 8",
    ),
    "one word after the last frame": (
        "ahead of a_to_b: 2 elements follow the last frame and belong to none: ",
    ),
    "a word lost in each frame": (f"{STUCK}0 of 4 frames had", "a_to_b, pins of a.m_axis_0: 28 of 32 words"),
    "no word at all": (f"{STUCK}0 of 4 frames", "Last moved: host_to_a, pins of a.s_axis_0, at cycle "),
    "words without end": ("a whole frame more than was sent has crossed: a_to_b, pins of a.m_axis_0: ",),
    "stuck from the start": (
        f"{STUCK}0 of 4 frames",
        "Nothing has moved at all",
        "0 of 32 words, valid 1, ready 0",
    ),
}
# Faults that stalls drawn independently in every cycle never show: a store that only a long pause fills, and
# a layer that forgets its frame when its input rests for longer than a FIFO hides.
HIDDEN = {
    "a store that overflows": """
  reg [7:0] store[0:31];
  reg [31:0] taken;
  wire [31:0] held = taken - count;
  always @(posedge ap_clk) begin
    if (s_axis_0_tvalid) store[taken % 32] <= s_axis_0_tdata;
    taken <= !ap_rst_n ? 32'd0 : s_axis_0_tvalid ? taken + 32'd1 : taken;
  end
  assign s_axis_0_tready = 1'b1;
  assign m_axis_0_tvalid = held != 32'd0;
  assign m_axis_0_tdata = store[count % 32];
""",
    "a layer that forgets": f"""
  reg [7:0] silent;
  wire take = s_axis_0_tvalid && s_axis_0_tready;
  wire extra = 1'b0;
  wire forget = count % {WORDS} != 0 && silent == 8'd48;
  always @(posedge ap_clk) silent <= take || !ap_rst_n ? 8'd0 : silent == 8'd48 ? silent : silent + 8'd1;
  {FORWARD.replace("s_axis_0_tdata;", "forget ? 8'd0 : s_axis_0_tdata;")}""",
}
BLAME = "a waits for nobody and "
NO_FRAME = "a.m_axis_0 does not hand out one frame for each that it takes, without shells either"
FOLLOWS = {
    "a word too many in each frame": NO_FRAME,
    "one word after the last frame": NO_FRAME,
    "a word lost in each frame": f"{BLAME}hands out no word after 28 of 32 at a.m_axis_0",
    "no word at all": f"{BLAME}hands out no word at a.m_axis_0",
    "words without end": "a.m_axis_0 hands out words that nothing asks for: the partition differs",
    "stuck from the start": f"{BLAME}does not take the word that is offered at a.s_axis_0",
}
# Half of what comes out of a frame is padding, which needs no input: it is there before the next frame.
# What the file says is added to that: nothing, one word more in each frame, or one that belongs to none.
EAGER = """
  reg [7:0] mode[0:0];
  initial $readmemh("mode.dat", mode);
  reg [3:0] made, taken;
  reg [9:0] late;
  wire padding = made < 4;
  wire drops = taken >= 4;
  wire drifts = mode[0] == 1 && made == 8;
  wire stray = mode[0] == 2 && late == 10'd300 && count == 3 * 8 + 4;
  assign m_axis_0_tdata = stray ? 8'hA5 : padding || drifts ? 8'h00 : s_axis_0_tdata;
  assign m_axis_0_tvalid = stray || padding || drifts || (s_axis_0_tvalid && !drops);
  assign s_axis_0_tready = drops || (m_axis_0_tready && !stray && !padding && !drifts);
  always @(posedge ap_clk) begin
    late <= count != 3 * 8 + 4 ? 10'd0 : late == 10'd300 ? late : late + 10'd1;
    if (fire && !stray) made <= made == (mode[0] == 1 ? 4'd8 : 4'd7) ? 4'd0 : made + 4'd1;
    if (s_axis_0_tvalid && s_axis_0_tready) taken <= taken == 4'd7 ? 4'd0 : taken + 4'd1;
    if (!ap_rst_n) {made, taken} <= 8'd0;
  end
"""


def fake(folder: Path, defect: str = "", boards: int = 2) -> Path:
    """Two pass-through partitions on a board each, or on one; the first with a defect."""
    network = chain(partition("a"), partition("b"))
    nodes = [{"name": "n0", "board": "zedboard", "partitions": [0, 1]}]
    out = generate_fake(network, one_each(network) if boards == 2 else spec(nodes), folder / "out")
    if defect:
        (out / "n0" / "partition" / "a.v").write_text(f"{HEAD}{defect}\nendmodule\n")
    return out


@pytest.mark.xdist_group("defects")
@pytest.mark.parametrize(
    "name",
    [name if name in SHOWN else pytest.param(name, marks=pytest.mark.sweep) for name in DEFECTS],
)
def test_a_defect_of_a_partition_is_seen(tmp_path: Path, name: str) -> None:
    report = streams_only(fake(tmp_path, DEFECTS[name]), "icarus", frames=4)
    assert not report["passed"]
    for said in SAYS[name]:
        assert said in report["problem"]
    assert (report["tests"], report["failed_tests"]) == (1, 1)
    shown = report_text(report, 80)
    assert FOLLOWS[name] in " ".join(shown.split())
    # The folder of a test may be longer than a user's.
    assert max(map(len, shown.replace(str(tmp_path), "out").splitlines())) <= 80
    assert read_report(report).frames_per_second is None
    assert "frames/s" not in shown


def starved(tmp_path: Path, name: str, simulator: str, seed: int = 1) -> dict[str, Any]:
    out = tmp_path / "out"
    out = out if out.exists() else fake(tmp_path, HIDDEN[name])
    return streams_only(out, simulator, frames=60, full_rate=True, seed=seed)


@pytest.mark.xdist_group("defects")
@pytest.mark.parametrize(
    "name", ["a layer that forgets", pytest.param("a store that overflows", marks=pytest.mark.sweep)]
)
def test_a_defect_that_fifos_hide_is_seen(tmp_path: Path, name: str) -> None:
    report = starved(tmp_path, name, "icarus")
    assert [one["runs"] for one in report["differences"]] == [["stalled"]]
    assert report["line"].endswith(
        "boundaries OK, monolith FAIL, golden not run: the plan has no vectors (not required)"
    )
    assert "only under back-pressure, so something loses" in report["conclusion"]
    run = report["stalled"]
    assert run["turns"] >= run["of"] == 4 * run["ports"], "each port has had its turn"
    assert run["hold"] > 32


@pytest.mark.sweep
@pytest.mark.xdist_group("defects")
def test_stalls_are_the_same_everywhere_and_others_with_another_seed(tmp_path: Path) -> None:
    name = "a store that overflows"
    runs = [starved(tmp_path, name, simulator) for simulator in ("icarus", "verilator")]
    first, same = ([run["stalled"]["cycles"], run["differences"]] for run in runs)
    assert first == same
    assert starved(tmp_path, name, "icarus", seed=2)["stalled"]["cycles"] != first[0]


def eager(out: Path, simulator: str, mode: int, frames: int = 3) -> dict[str, Any]:
    """Run with what the partition is to do beside being eager."""
    (out / "n0" / "partition" / "mode.dat").write_text(f"{mode}\n")
    edit(out / "bench" / "bench.json", lambda bench: bench.update(data=["n0/partition/mode.dat"]))
    return streams_only(out, simulator, frames=frames)


@pytest.mark.xdist_group("defects")
@pytest.mark.parametrize(
    ("simulator", "boards"),
    [
        ("icarus", 2),
        pytest.param("icarus", 1, marks=pytest.mark.sweep),
        pytest.param("verilator", 2, marks=pytest.mark.sweep),
    ],
)
def test_words_of_the_next_frame_pass_and_words_of_none_fail(
    tmp_path: Path, simulator: str, boards: int
) -> None:
    """A partition that runs ahead waits in the framer of the board, or for the next partition there."""
    out = fake(tmp_path, EAGER, boards)
    report = eager(out, simulator, 0)
    assert report["problem"] == ""
    ahead = {v["name"]: v["detail"] for v in report["stalled"]["verdicts"] if v["name"].startswith("ahead")}
    assert ahead["ahead of a_to_b"] == "8 elements of the next frame are there already"
    assert ("ahead of b_to_host" in ahead) == (boards == 1)
    drifting = eager(out, simulator, 1, frames=2)["problem"]
    assert DRIFT in drifting
    stray = eager(out, simulator, 2)["problem"]
    assert "ahead of a_to_b: 10 elements follow the last frame and belong to none: " in stray


# Collects a frame before it hands it out; no reset clears the number of words that it has.
COLLECTS = f"""
  reg [7:0] store[0:{WORDS - 1}];
  reg [2:0] taken = 0;
  reg full;
  assign s_axis_0_tready = !full;
  assign m_axis_0_tvalid = full;
  assign m_axis_0_tdata = store[count % {WORDS}];
  always @(posedge ap_clk) begin
    if (fire && count % {WORDS} == {WORDS - 1}) full <= 1'b0;
    if (s_axis_0_tvalid && s_axis_0_tready) begin
      store[taken] <= s_axis_0_tdata;
      taken <= taken + 3'd1;
      full <= taken == {WORDS - 1};
    end
    if (!ap_rst_n) full <= 1'b0;
  end
"""


@pytest.mark.xdist_group("defects")
def test_a_reset_while_a_frame_is_taken(tmp_path: Path) -> None:
    quick: dict[str, Any] = {"walk": False, "stalled": False, "frames": 8, "reset_node": "n0"}
    report = run(fake(tmp_path, COLLECTS), "icarus", **quick)
    said = "after the reset of n0 by its pin in the middle of a frame that it takes, "
    assert said in report["problem"]
    right = COLLECTS.replace("full <= 1'b0;\n  end", "{full, taken} <= 4'd0;\n  end")
    report = run(fake(tmp_path / "right", right), "icarus", **quick)
    assert report["problem"] == ""
    assert report["reset_control"]["taking"]
    assert report["reset_pin"]["taking"]


@pytest.mark.xdist_group("defects")
def test_each_port_has_its_turn_and_a_broken_handshake_is_told(tmp_path: Path) -> None:
    """Without --frames, so many are sent under back-pressure that each port starves and is flooded."""
    takes_back = """
  reg even;
  always @(posedge ap_clk) even <= ap_rst_n && !even;
  assign m_axis_0_tdata = s_axis_0_tdata;
  assign m_axis_0_tvalid = s_axis_0_tvalid && even;
  assign s_axis_0_tready = m_axis_0_tready && even;
"""
    report = run(fake(tmp_path, takes_back), "icarus", frames=None, walk=False, control=False)
    assert report["problem"] == ""
    assert report["stalled"]["turns"] >= report["stalled"]["of"]
    assert report["stalled"]["frames"] > 4 * report["full_rate"]["frames"]
    found = {(one["place"], one["signal"]) for one in report["stalled"]["handshakes"]}
    assert found == {("a_to_b, pins of a.m_axis_0", "tvalid")}
    assert "a_to_b, pins of a.m_axis_0: tvalid falls before tready comes, " in report_text(report)


def edit(path: Path, change: Callable[[Any], None]) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


@pytest.mark.xdist_group("defects")
def test_zero_tests_do_not_pass(tmp_path: Path) -> None:
    report = streams_only(fake(tmp_path), "icarus", stalled=False)
    assert not report["passed"]
    assert "test_cluster ran no test" in report["problem"]


@pytest.mark.xdist_group("defects")
def test_too_few_frames_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one frame does not show that frames follow each other"):
        run(fake(tmp_path), "icarus", frames=1)


@pytest.mark.xdist_group("defects")
def test_weights_without_a_memory_are_refused(tmp_path: Path) -> None:
    (tmp_path / "layer.dat").touch()
    with pytest.raises(InputError, match="no board has a memory to load"):
        run(fake(tmp_path), "icarus", weights=str(tmp_path))
