# SPDX-License-Identifier: BSD-3-Clause
"""Cores behind 64-bit hosts in the bench: control, memory test, loader, proofs, by bridge and direct."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster_bench import MIXED, run
from map_blocks import block_of
from wide_platform import use_wide

from shellgen.api import generate, weights
from shellgen.cli import main

pytestmark = pytest.mark.xdist_group("cluster_slot")
LITE = {
    "zed": 'access = "bridge", window = 32768, reserved = [{ offset = 0, bytes = 8192 }]',
    "zcu": "",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two boards, the first with a bridge; ``out`` and ``weights`` beside cluster.toml."""
    folder = tmp_path_factory.mktemp("slot")
    cluster = MIXED.write_inputs(folder)
    text = cluster.read_text()
    for name, lite in LITE.items():
        entry = f'name = "{name}"\n'
        assert entry in text
        text = text.replace(entry, f"{entry}lite = {{ {lite} }}\n")
    cluster.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        use_wide(patch)
        generate(cluster, folder / "out")
        weights(cluster, folder / "weights")
        yield folder


@pytest.mark.recorded
@pytest.mark.parametrize("simulator", [pytest.param("verilator", marks=pytest.mark.sweep), "icarus"])
def test_everything_is_reached_and_bit_exact(made: Path, simulator: str) -> None:
    walk, contents = simulator == "verilator", str(made / "weights")
    report = run(made / "out", simulator, control=True, walk=walk, full_rate=False, weights=contents)
    assert report["passed"], report["problem"]
    assert [(f["node"], f["memories"]) for f in report["loaded"]] == [("zed", 2), ("zcu", 1)]
    verdicts = {v["name"]: v for v in report["stalled"]["verdicts"]}
    assert {"monolith", "golden"} < set(verdicts)
    assert all(v["words"] > 0 and v["mismatches"] == 0 for v in verdicts.values())


def test_map_and_core_agree(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for node in json.loads((made / "out" / "memory_map.json").read_text())["nodes"]:
        core = (made / "out" / node["name"] / f"{node['name']}_core.v").read_text()
        assert node["slot_bytes"] == 8
        (top_bit,) = re.findall(r"\[(\d+):0\] +s_axil_awaddr", core)
        assert node["span"] == 1 << (int(top_bit) + 1)
        assert re.search(r"\[63:0\] +s_axil_wdata", core)
        assert re.search(r"\[63:0\] +s_axil_rdata", core)
        assert (made / "out" / node["name"] / "rtl" / "axil_slot.sv").is_file()
    zed = json.loads((made / "out" / "zed" / "memory_map.json").read_text())["nodes"][0]
    first = block_of(zed, "status")["base"] - zed["base"]
    assert first >= 8192, "reserved"
    assert zed["span"] <= 32768
    assert main(["map", str(made / "out")]) == 0
    printed = capsys.readouterr().out
    assert re.search(rf"{block_of(zed, 'status')['base']:#x} +8192  zed +status", printed)
    assert re.search(
        rf"{block_of(zed, 'bridge')['base']:#x} +{2 * 2 * zed['aperture']['bytes']}  zed +bridge", printed
    )


@pytest.mark.parametrize(
    ("old", "new", "options", "said"),
    [
        ("{32'd0, r_void_q", "{m_axil_rdata, r_void_q", {"control": True}, "more than a register holds"),
        ("{32'd0, r_void_q", "{m_axil_rdata, r_void_q", {"walk": True}, "unknown bits, and not OKAY"),
        pytest.param(
            "awaddr[2] || upper_only;",
            "awaddr[2] && upper_only;",
            {"control": True},
            "was answered OKAY",
            marks=pytest.mark.sweep,
        ),
    ],
)
def test_a_wrong_front_end_is_seen(
    made: Path, tmp_path: Path, old: str, new: str, options: dict[str, bool], said: str
) -> None:
    """By single accesses and by the masters' memory test, each alone."""
    out = tmp_path / "out"
    shutil.copytree(made / "out", out)
    paths = list(out.rglob("axil_slot.sv"))
    text = paths[0].read_text()
    assert text.count(old) == 1
    for path in paths:
        path.write_text(text.replace(old, new))
    report = run(out, "icarus", **{"control": False, "walk": False, "full_rate": False, **options})
    assert not report["passed"]
    log = (out / "bench" / "run_icarus" / "simulation.log").read_text()
    assert said in log, report["problem"]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("far", "old", "new", "options", "said"),
    [
        ("u_far_root", ".s_axil_wstrb(bridge_m_wstrb)", ".s_axil_wstrb(4'hF)", {"walk": True}, "hesitates"),
        (
            "u_far (",
            ".shut(shut)",
            ".shut(1'b0)",
            {"control": True, "full_rate": True},
            "refused after a reset by CONTROL",
        ),
    ],
)
def test_a_wrong_tree_behind_the_bridge_is_seen(
    made: Path, tmp_path: Path, far: str, old: str, new: str, options: dict[str, bool], said: str
) -> None:
    """Strobes get there, and a reset by CONTROL refuses what is there."""
    out = tmp_path / "out"
    shutil.copytree(made / "out", out)
    core = out / "zed" / "zed_core.v"
    before, found, after = core.read_text().partition(far)
    assert old in after
    core.write_text(before + found + after.replace(old, new, 1))
    report = run(out, "icarus", **{"control": False, "walk": False, "full_rate": False, **options})
    assert not report["passed"]
    assert said in report["problem"]
