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
from cluster_bench import Chain, bench_of, generate_fake, run, streams_only
from fake_network import chain, one_each, partition

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
SAYS = {
    "a word too many in each frame": "frames of a_to_b: 72 elements instead of 4 frames of 16",
    "one word after the last frame": "frames of a_to_b: 66 elements instead of 4 frames of 16",
    "a word lost in each frame": "frames of a_to_b: 56 elements instead of 4 frames of 16",
    "no word at all": "a_to_b: nothing crossed",
    "words without end": "host_to_a: 0 elements instead of 64",
    "stuck from the start": "host_to_a: 0 elements instead of 64",
}


def fake(folder: Path, defect: str = "") -> Path:
    """Two boards with a pass-through partition each; the first with a defect."""
    network = chain(partition("a"), partition("b"))
    out = generate_fake(network, one_each(network), folder / "out")
    if defect:
        (out / "n0" / "partition" / "a.v").write_text(f"{HEAD}{defect}\nendmodule\n")
    return out


@pytest.mark.xdist_group("defects")
@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_of_a_partition_is_seen(tmp_path: Path, name: str) -> None:
    report = streams_only(fake(tmp_path, DEFECTS[name]), "icarus", frames=4)
    assert not report["passed"]
    assert SAYS[name] in report["problem"]


@pytest.mark.xdist_group("two_streams")
def test_words_too_many_are_seen_on_verilator(tmp_path: Path) -> None:
    name = "one word after the last frame"
    report = streams_only(fake(tmp_path, DEFECTS[name]), "verilator", frames=4)
    assert SAYS[name] in report["problem"]


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
    with pytest.raises(InputError, match="3 frames do not show that frames follow each other"):
        run(fake(tmp_path), "icarus", frames=3)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two boards with weights: two memories of one size on the first."""
    boards = (("one", "zedboard", (0, 1)), ("two", "pynq-z1", (2,)))
    network = Chain((4, 4, 4, 4), "UINT2", ((2, 2, 2),) * 3, (0, 1, 2), boards, writeable=(0, 1, 2))
    return network.generate(tmp_path_factory.mktemp("small"))


@pytest.fixture
def copy(small: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small, tmp_path / "copy", ignore=shutil.ignore_patterns("run_*")))


def weights_only(out: Path) -> dict[str, Any]:
    return run(out, "icarus", control=False, stalled=False, full_rate=False)


def edit(path: Path, change: Callable[[Any], None]) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


@pytest.mark.xdist_group("defects")
def test_weights_are_restored(copy: Path) -> None:
    """The walk comes first and the streams are exact after it."""
    report = run(copy, "icarus", full_rate=False)
    assert report["passed"], report["problem"]
    assert len(report["weights"]) == 5


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
    assert "was answered with 3" in weights_only(copy)["problem"]


@pytest.mark.xdist_group("defects")
def test_a_map_with_too_many_words_is_seen(copy: Path) -> None:
    def longer(maps: Any) -> None:
        memory = next(r["memory"] for r in maps["nodes"][0]["regions"] if r["memory"]["kind"] == "weights")
        memory["words"] *= 2

    edit(copy / "memory_map.json", longer)
    assert not weights_only(copy)["passed"]


@pytest.mark.xdist_group("defects")
def test_a_core_of_another_build_is_seen(copy: Path) -> None:
    edit(copy / "memory_map.json", lambda maps: maps.update(build_id="0123456789abcdef"))
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
    bad = [v["name"] for v in report["stalled"]["verdicts"] if not v["passed"]]
    assert bad == ["golden"]


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
