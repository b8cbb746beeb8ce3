# SPDX-License-Identifier: BSD-3-Clause
"""Benches that must not pass: partitions with defects, wrong maps, missing files, nothing compared."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import Chain, bench_of, generate_fake, read_report, report_text, run, streams_only
from fake_network import chain, one_each, partition, spec

from shellgen.errors import InputError

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


@pytest.mark.xdist_group("defects")
def test_without_a_defect_it_passes(tmp_path: Path) -> None:
    out = fake(tmp_path, f"wire extra = 1'b0;{FORWARD}")
    assert streams_only(out, "icarus", frames=4)["problem"] == ""


@pytest.mark.xdist_group("defects")
def test_zero_tests_do_not_pass(tmp_path: Path) -> None:
    report = streams_only(fake(tmp_path), "icarus", stalled=False)
    assert not report["passed"]
    assert "test_cluster ran no test" in report["problem"]


@pytest.mark.xdist_group("defects")
def test_too_few_frames_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one frame does not show that frames follow each other"):
        run(fake(tmp_path), "icarus", frames=1)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two boards with weights: two memories of one size on the first."""
    boards = (("one", "zedboard", (0, 1)), ("two", "pynq-z1", (2,)))
    network = Chain((4, 4, 4, 4), "UINT2", ((2, 2, 2),) * 3, (0, 1, 2), boards, writeable=(0, 1, 2))
    return network.generate(tmp_path_factory.mktemp("small"))


@pytest.fixture
def copy(small: Path, tmp_path: Path) -> Path:
    return Path(
        shutil.copytree(
            small, tmp_path / "copy", ignore=shutil.ignore_patterns("run_verilator*", "run_icarus*")
        )
    )


def weights_only(out: Path) -> dict[str, Any]:
    return run(out, "icarus", control=False, stalled=False, full_rate=False)


def edit(path: Path, change: Callable[[Any], None]) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


@pytest.mark.sweep
@pytest.mark.xdist_group("defects")
def test_weights_are_restored(copy: Path) -> None:
    """The memory test comes first and the streams are exact after it."""
    report = run(copy, "icarus", full_rate=False)
    assert report["passed"], report["problem"]
    assert len(report["weights"]) == 5


@pytest.mark.sweep
@pytest.mark.xdist_group("defects")
def test_a_map_with_two_names_for_one_memory_is_seen(copy: Path) -> None:
    """The two hold equal words when read as well as inverted, if they are one."""

    def alias(maps: Any) -> None:
        same = [r for r in maps["nodes"][0]["regions"] if r["memory"]["kind"] == "weights"]
        assert same[0]["memory"]["words"] == same[1]["memory"]["words"]
        same[1]["base"] = same[0]["base"]

    edit(copy / "memory_map.json", alias)
    report = weights_only(copy)
    assert re.search(r"s_axilite_0: address 0x\w+: read 0x\w+, wrote 0x\w+", report["problem"])


@pytest.mark.xdist_group("defects")
def test_a_map_that_leads_nowhere_is_seen(copy: Path) -> None:
    def beyond(maps: Any) -> None:
        last = maps["nodes"][1]["regions"][-1]
        last["base"] += last["size"]

    edit(copy / "memory_map.json", beyond)
    said = r"two: read at 0x\w+ \(\w+_s_axilite_\d\): DECERR, and not OKAY"
    assert re.search(said, weights_only(copy)["problem"])


@pytest.mark.sweep
@pytest.mark.xdist_group("defects")
def test_a_map_with_too_many_words_is_seen(copy: Path) -> None:
    def longer(maps: Any) -> None:
        memory = next(r["memory"] for r in maps["nodes"][0]["regions"] if r["memory"]["kind"] == "weights")
        memory["words"] *= 2

    edit(copy / "memory_map.json", longer)
    assert not weights_only(copy)["passed"]


@pytest.mark.xdist_group("defects")
def test_a_core_of_another_build_is_seen(copy: Path) -> None:
    edit(copy / "memory_map.json", lambda maps: maps["nodes"][0].update(build_id="0123456789abcdef"))
    report = run(copy, "icarus", walk=False, stalled=False, full_rate=False)
    assert "map is for 0123456789abcdef" in report["problem"]


@pytest.mark.xdist_group("defects")
def test_wrong_golden_vectors_are_seen(copy: Path) -> None:
    """The lowest bit of the last expected value."""
    path = copy / "bench" / bench_of(copy)["boundaries"][-1]["golden"]
    values = np.load(path)
    values[-1, -1] ^= 1
    np.save(path, values)
    report = streams_only(copy, "icarus")
    bad = [v for v in report["stalled"]["verdicts"] if not v["passed"]]
    assert [v["name"] for v in bad] == ["golden"]
    first = bad[0]["difference"]
    assert (first["frame"], first["index"]) == (len(values) - 1, [values.shape[-1] - 1])
    assert first["expected"] == values[-1, -1] == first["got"] ^ 1
    assert report["line"].endswith("boundaries OK, monolith OK, golden FAIL")
    assert report["conclusion"] == (
        "boundaries and monolith agree: the partition or the vectors differ, not the shell"
    )


@pytest.mark.xdist_group("defects")
def test_unknown_bits_are_seen_and_told_whose_they_are(tmp_path: Path) -> None:
    """One bit of one word, which Verilator would not know."""
    said = FORWARD.replace("s_axis_0_tdata;", "count == 19 ? 8'b0000_x000 : s_axis_0_tdata;")
    report = streams_only(fake(tmp_path, f"wire extra = 1'b0;{said}"), "icarus", frames=4)
    first = report["differences"][0]
    assert (first["boundary"], first["proof"]) == ("a_to_b", "boundary")
    assert first["detail"] == "frame 2, element [6]: unknown bits (X) at both ends"
    assert (first["difference"]["tap"], first["difference"]["word"]) == ("taken_1", 19)
    assert report["conclusion"].startswith("a.m_axis_0 itself hands out unknown bits")


@pytest.mark.xdist_group("defects")
def test_weights_that_changed_are_seen(copy: Path) -> None:
    """Both the cluster and the monolith read the file: only the golden proof can tell."""
    memory = next((copy / "two" / "partition").glob("*MVAU*.dat"))
    lines = memory.read_text().split()
    memory.write_text("\n".join([f"{int(lines[0], 16) ^ 2:x}", *lines[1:]]) + "\n")
    report = streams_only(copy, "icarus")
    bad = [v["name"] for v in report["stalled"]["verdicts"] if not v["passed"]]
    assert bad == ["golden"]


@pytest.mark.xdist_group("defects")
def test_a_missing_memory_file_is_named(copy: Path) -> None:
    memory = next((copy / "one" / "partition").glob("*MVAU*.dat"))
    memory.unlink()
    with pytest.raises(InputError, match=rf"{re.escape(str(memory))}: the file is missing"):
        streams_only(copy, "icarus")


@pytest.mark.xdist_group("defects")
def test_a_memory_file_that_nobody_listed_is_missed(copy: Path) -> None:
    """The simulator itself only warns, and goes on with zeros or unknowns."""
    name = bench_of(copy)["data"][0]
    edit(copy / "bench" / "bench.json", lambda bench: bench["data"].remove(name))
    report = streams_only(copy, "icarus")
    assert not report["passed"]
    assert "a memory file is missing" in report["problem"]
    assert Path(name).name in report["problem"]


@pytest.mark.xdist_group("defects")
def test_missing_outputs_are_named(tmp_path: Path, copy: Path) -> None:
    with pytest.raises(InputError, match=r"bench\.json: the file is missing"):
        run(tmp_path / "nowhere", "icarus")
    (copy / "one" / "one_core.v").unlink()
    with pytest.raises(InputError, match=r"one_core\.v: the file is missing"):
        run(copy, "icarus")
