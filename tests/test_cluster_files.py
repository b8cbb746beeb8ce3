# SPDX-License-Identifier: BSD-3-Clause
"""Folders that must not pass: wrong maps, golden vectors, weights and memory files; missing outputs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import Chain, bench_of, run, streams_only
from test_cluster_defects import FORWARD, edit, fake

from shellgen.errors import InputError

pytestmark = pytest.mark.recorded


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


@pytest.mark.sweep
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
