# SPDX-License-Identifier: BSD-3-Clause
"""1 to 1024 AXI-Lite leaves: generated from a build, all tested in the emitted core by the emitted map.

The status registers are a leaf of the tree too: 16 leaves are they and 15 slaves.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fake_network import chain, lite, partition, plan_of, spec
from map_blocks import block_of
from scale_partition import FIRST, LAST, NAME, write_build
from sim_module import sim_module
from waiting import PATIENCE

from shellgen.api import generate
from shellgen.plan.tree import depth as planned_depth
from shellgen.resources import data_dir
from shellgen.simulate import SIMULATORS, ModelSpec, Simulator, build_model, run_model

pytestmark = pytest.mark.xdist_group("scale")

MODULES = Path(__file__).with_name("simulate_modules")
DEPTHS = {1: 1, 16: 1, 64: 2, 256: 2, 1024: 3}
DEFAULT: dict[str, tuple[int, ...]] = {"icarus": (1, 16, 64), "verilator": (16,)}  # leaves of the default run
OKAY, DECERR = 0, 3
HOLES = 32  # tried at most
SIZES = range(5, 21)
# With the status registers 32 windows of each size. 256 leaves take every port of two levels, which works out
# only where windows of a size come in sixteens; of other sizes they lie three levels deep.
FULL_SIZES = range(5, 13)


def slaves(leaves: int) -> list[int]:
    """Address bits of the slaves beside the status registers; one at least."""
    sizes = FULL_SIZES if leaves == 256 else SIZES
    mixed = [sizes[(7 * k) % len(sizes)] for k in range(leaves)]
    if leaves > 1:
        mixed.remove(12)
    return mixed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scale")


@lru_cache
def made(folder: Path, leaves: int) -> Path:
    """Generate once; return the output folder."""
    place = folder / str(leaves)
    generate(write_build(place, slaves(leaves)), place / "out")
    return place / "out"


def map_of(out: Path) -> dict[str, Any]:
    node: dict[str, Any] = json.loads((out / "memory_map.json").read_text())["nodes"][0]
    return node


@dataclass(frozen=True)
class Access:
    """One access and what must come back; ``what`` names it in a finding."""

    kind: str
    address: int
    data: int
    resp: int
    what: str


def accesses(node: dict[str, Any]) -> list[Access]:
    """Ask every leaf who it is, write all, disturb the holes, and only then read all back.

    Who answers under the wrong name is seen at once, two addresses of one word when both are read back, since
    every word gets a value of its own.
    """
    words = []
    for region in node["regions"]:
        index = int(region["interface"].removeprefix("s_axilite_"))
        for at, name, after_reset in ((0, "first", FIRST), (region["size"] - 4, "last", LAST)):
            words.append((region["base"] + at, after_reset + index, f"{name} word of {region['name']}"))
    values = [((k + 1) * 0x9E37_79B1) % (1 << 32) for k in range(len(words))]
    listed = [Access("read", address, who, OKAY, what) for address, who, what in words]
    for register in block_of(node, "status")["registers"]:
        if register["value"] is not None:
            address = block_of(node, "status")["base"] + register["offset"]
            listed.append(Access("read", address, register["value"], OKAY, register["name"]))
    for (address, _, what), value in zip(words, values, strict=True):
        listed.append(Access("write", address, value, OKAY, what))
    for address in holes(node):
        listed.append(Access("write", address, 0xBAD_0BAD, DECERR, f"hole at {address:#x}"))
        listed.append(Access("read", address, 0, DECERR, f"hole at {address:#x}"))
    for (address, _, what), value in zip(words, values, strict=True):
        listed.append(Access("read", address, value, OKAY, what))
    return listed


def holes(node: dict[str, Any]) -> list[int]:
    """First and last word of what lies between the windows and behind them; a sample, with the last ones."""
    windows = sorted((w["base"], w["base"] + w["size"]) for w in (*node["blocks"], *node["regions"]))
    end = node["base"] + node["span"]
    gaps = [(low_end, high) for (_, low_end), (high, _) in pairwise([*windows, (end, end)]) if low_end < high]
    found = [address for first, end in gaps for address in (first, end - 4)]
    return found[:: max(1, len(found) // HOLES)][-HOLES:]


def simulate(out: Path, simulator: Simulator, run_dir: Path, listed: list[Access]) -> list[str]:
    """Let the master make the accesses at the emitted core; return what came back wrong."""
    node = map_of(out)
    sources = json.loads((out / "bench" / "bench.json").read_text())["sources"]
    ours = [name for name in sources["ours"] if not name.startswith("bench/")]
    models = [data_dir("sim") / f"{model}.sv" for model in ("axil_master", "bench_clock")]
    model = build_model(
        ModelSpec(
            [*(out / name for name in ours), *models, MODULES / "scale_bench.sv"],
            "scale_bench",
            third_party=[out / name for name in sources["partition"]],
            cxx_flags=["-O0"],
            defines=[f"LITE_ADDR_W={(node['span'] - 1).bit_length()}", f"OPERATIONS={len(listed)}"],
        ),
        simulator,
    )
    files = sim_module("bench_files")
    run_dir.mkdir(exist_ok=True)
    # The core sees offsets; the base is the host's business.
    ops = [(access.kind, access.address - node["base"], access.data) for access in listed]
    files.write_ops(run_dir / "ops.bin", ops)
    run_model(model, "scale", [MODULES], run_dir, timeout_s=PATIENCE)
    resp, data = files.read_results(run_dir / "results.bin")
    got = list(zip((int(r) for r in resp), (int(d) for d in data), strict=True))
    assert len(got) == len(listed), f"{len(got)} of {len(listed)} accesses were answered"
    return [
        f"{access.what}: {access.kind} gave {resp} {data:#x}, not {access.resp} {access.data:#x}"
        for access, (resp, data) in zip(listed, got, strict=True)
        if resp != access.resp or (access.kind == "read" and data != access.data)
    ]


def parents(core: str) -> dict[str, str]:
    """Parent of every node of the emitted tree, ``tree`` for the root's: where its answers go."""
    nodes = re.findall(
        r"\n    axil_node #\(.*?\n    \) u_(\w+) \(.*?\.up_wait\((\w+?)_(up_wait|awready)\b", core, re.S
    )
    return {name: "tree" if net == "up_wait" else parent for name, parent, net in nodes}


def depth(core: str) -> int:
    """Levels of the emitted tree."""
    above = parents(core)

    def level(name: str) -> int:
        return 0 if name == "tree" else 1 + level(above[name])

    return max(level(name) for name in above)


@pytest.mark.parametrize(
    ("leaves", "simulator"),
    [
        # 1024 take a minute to compile, 256 ten seconds. The depth of their plan is checked below.
        pytest.param(leaves, simulator, marks=[pytest.mark.sweep] if leaves not in DEFAULT[simulator] else [])
        for simulator in SIMULATORS
        for leaves in DEPTHS
        if simulator == "verilator" or leaves <= 64
    ],
)
def test_every_leaf_is_where_the_map_says(
    leaves: int, simulator: Simulator, folder: Path, tmp_path: Path
) -> None:
    out = made(folder, leaves)
    node = map_of(out)
    core = (out / "n0" / "n0_core.v").read_text()
    assert len(node["regions"]) == max(leaves - 1, 1)
    assert depth(core) == DEPTHS[leaves]
    listed = accesses(node)
    assert sum(access.resp == DECERR for access in listed) >= 2
    assert simulate(out, simulator, tmp_path, listed) == []


@pytest.mark.parametrize("leaves", DEPTHS)
def test_depth_behind_a_bridge(leaves: int) -> None:
    """There the slaves are all leaves of the tree, of all sizes."""
    ports = tuple(lite(k, addr_bits=SIZES[(7 * k) % len(SIZES)]) for k in range(leaves))
    node = {"name": "n0", "board": "zedboard", "partitions": [0], "lite": {"access": "bridge"}}
    crossbars = plan_of(chain(partition("a", slaves=ports)), spec([node])).nodes[0].far_crossbars
    inner = {crossbar.name for crossbar in crossbars}
    assert planned_depth(crossbars) == DEPTHS[leaves]
    assert sum(port.target not in inner for crossbar in crossbars for port in crossbar.ports) == leaves


def spoil(out: Path, to: Path, name: str, *edits: tuple[str, str]) -> Path:
    """Copy an output and replace pieces of one of its files, each of which is there once."""
    shutil.copytree(out, to)
    path = to / name
    text = path.read_text()
    for old, new in edits:
        assert text.count(old) == 1, f"{old}: {text.count(old)} times in {name}"
        text = text.replace(old, new)
    path.write_text(text)
    return to


def findings(out: Path, run_dir: Path) -> list[str]:
    return simulate(out, "icarus", run_dir, accesses(map_of(out)))


CORE, PARTITION = "n0/n0_core.v", f"n0/partition/{NAME}_wrapper.v"
HEARD = ("awvalid", "wvalid", "bready", "arvalid", "rready")


def neighbours(core: str) -> tuple[str, str, str]:
    """Two windows of one size at one crossbar, and one of that size at another: their bases as written."""
    lists = re.findall(r"\.BASES\(\{(.*?)\}\),\n +\.SIZES_LOG2\(\{(.*?)\}\),\n +\.BRANCHES\(\d+'b0+\)", core)
    nodes = [list(zip(*(part.split(", ") for part in pair), strict=True)) for pair in lists]
    for index, node in enumerate(nodes):
        for (one, size), (two, other) in pairwise(node):
            if size == other:
                far = [base for k, node in enumerate(nodes) if k != index for base, s in node if s == size]
                if far:
                    return one, two, far[0]
    raise AssertionError("no such windows")


def test_two_leaves_swapped_are_seen(folder: Path, tmp_path: Path) -> None:
    """Writes and reads agree then; only the leaf's own name tells."""
    good = made(folder, 64)
    one, two, _ = neighbours((good / CORE).read_text())
    seen = findings(spoil(good, tmp_path / "out", CORE, (f"{one}, {two}", f"{two}, {one}")), tmp_path / "run")
    assert len(seen) == 4
    assert all("read gave 0" in finding for finding in seen)


def test_a_leaf_on_anothers_window_is_seen(folder: Path, tmp_path: Path) -> None:
    """As in a chain of crossbars whose windows are too small: a weight lands silently in another layer."""
    good = made(folder, 64)
    one, _, far = neighbours((good / CORE).read_text())
    seen = findings(spoil(good, tmp_path / "out", CORE, (f"{one}, ", f"{far}, ")), tmp_path / "run")
    assert len(seen) == 6
    assert all(f"gave {DECERR}" in finding for finding in seen)


@pytest.mark.sweep
def test_a_leaf_that_hears_another_is_seen(folder: Path, tmp_path: Path) -> None:
    good = made(folder, 16)
    core = (good / CORE).read_text()
    net = {
        (k, signal): match[0]
        for k in (2, 3)
        for signal in HEARD
        if (match := re.search(rf"\.s_axilite_{k}_{signal}\(.*?\)", core))
    }
    edits = [(net[3, signal], net[2, signal].replace("axilite_2", "axilite_3")) for signal in HEARD]
    seen = findings(spoil(good, tmp_path / "out", CORE, *edits), tmp_path / "run")
    assert {finding.partition(":")[0] for finding in seen} == {
        f"{end} word of {NAME}_s_axilite_3" for end in ("first", "last")
    }


@pytest.mark.sweep
def test_two_addresses_of_one_word_are_seen(folder: Path, tmp_path: Path) -> None:
    """Each reads back what was written to it just now; after all have been written, one of them does not."""
    edit = ("first_q[k] <= wdata[k];", "first_q[k == 3 ? 2 : k] <= wdata[k];")
    seen = findings(spoil(made(folder, 16), tmp_path / "out", PARTITION, edit), tmp_path / "run")
    assert len(seen) == 2
    assert all(finding.startswith("first word of") for finding in seen)


@pytest.mark.sweep
def test_a_window_that_is_too_large_is_seen(folder: Path, tmp_path: Path) -> None:
    edit = ("8'd5, 8'd6, ", "8'd6, 8'd6, ")
    seen = findings(spoil(made(folder, 16), tmp_path / "out", CORE, edit), tmp_path / "run")
    assert seen
    assert any(finding.startswith("hole at") for finding in seen)


def test_a_map_that_is_off_by_one_window_is_seen(folder: Path, tmp_path: Path) -> None:
    good = made(folder, 16)
    region = map_of(good)["regions"][3]
    content = json.loads((good / "memory_map.json").read_text())
    content["nodes"][0]["regions"][3]["base"] += region["size"]
    shutil.copytree(good, tmp_path / "out")
    (tmp_path / "out" / "memory_map.json").write_text(json.dumps(content))
    seen = findings(tmp_path / "out", tmp_path / "run")
    assert any(finding.startswith(f"first word of {region['name']}: read") for finding in seen)
