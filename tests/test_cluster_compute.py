# SPDX-License-Identifier: BSD-3-Clause
"""Partitions on a clock of their own: planned, refused where there is none, simulated on unrelated clocks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import MIXED, generate_fake, run
from fake_network import chain, lite, partition, plan_of, spec
from wide_platform import wide_plan

from shellgen import costs
from shellgen.api import generate
from shellgen.emit.crossing import near_timeout
from shellgen.errors import PlanError
from shellgen.model import NodePlan
from shellgen.plan.fit import core_usage

pytestmark = pytest.mark.xdist_group("cluster_compute")
WIDE = ("INT8", 12, 24)  # words of 96 bits, beats of 64


def planned(slaves: list[int], clock: float = 100.0, compute: float | None = 150.0, **lites: Any) -> NodePlan:
    """Plan one board with slaves of these address bits."""
    ports = tuple(lite(i, addr_bits=bits) for i, bits in enumerate(slaves))
    node: dict[str, object] = {"name": "n0", "board": "zedboard", "partitions": [0], "lite": lites}
    node |= {"clock_mhz": clock} | ({"compute_mhz": compute} if compute else {})
    return plan_of(chain(partition("a", slaves=ports)), spec([node])).nodes[0]


def test_slaves_lie_in_one_range_behind_the_crossing() -> None:
    node = planned([8, 13, 12], reserved=[{"offset": 0x8000, "bytes": 4}])
    assert node.apart
    assert [clock.hz for clock in node.clocks] == [100_000_000, 150_000_000]
    assert node.crossing
    assert (node.crossing.offset, node.crossing.size) == (0x4000, 0x4000)
    inside = range(node.crossing.offset, node.crossing.offset + node.crossing.size)
    assert all(one.offset in inside and one.offset + one.size - 1 in inside for one in node.memories)
    assert [port.target for port in node.crossbars[0].ports] == ["status", "crossing"]
    assert [port.offset for port in node.far_crossbars[0].ports] == [
        one.offset - node.crossing.offset for one in node.memories
    ]
    assert node.lite_addr_bits == planned([8, 13, 12], compute=None).lite_addr_bits == 15


def test_a_bridge_and_the_crossing_share_one_tree() -> None:
    node = planned([8, 12], access="bridge")
    assert node.crossing is None
    assert node.bridge
    assert [one.name for one in node.far_windows] == ["a_s_axilite_1", "a_s_axilite_0"]


def test_without_slaves_nothing_of_the_control_plane_crosses() -> None:
    node = planned([])
    assert node.crossing is None
    assert not node.far_crossbars
    assert core_usage(node).ff - core_usage(planned([], compute=None)).ff == 2 * costs.fifo_cdc(9, 32).ff


@pytest.mark.parametrize("compute", [10.0, 99.0, 250.0])
def test_the_host_waits_longer_than_what_lies_behind(compute: float) -> None:
    """In cycles of its own clock, also if both are as far off as the project's script lets them be."""
    node = planned([8], compute=compute)
    far_ns = (1024 + 64) / (compute * 0.9) * 1e3
    assert near_timeout(node) / 110.0 * 1e3 > far_ns
    assert near_timeout(planned([8], compute=compute, access="bridge")) > 16 * near_timeout(node)


@pytest.mark.parametrize(
    ("mhz", "message"),
    [
        (0.5, r"compute_mhz: node n0: clock of 0\.5 MHz"),
        (2000.0, r"compute_mhz: node n0: clock of 2000 MHz"),
        (260.0, r"compute_mhz: node n0: 260 MHz; the PS of zedboard gives 250 MHz at most"),
    ],
)
def test_a_clock_out_of_range_is_refused(mhz: float, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        planned([8], compute=mhz)


def test_a_platform_with_one_clock_refuses_a_second() -> None:
    node: dict[str, object] = {"name": "n0", "board": "zedboard", "partitions": [0], "compute_mhz": 50.0}
    said = r"node\[0\]\.compute_mhz: platform wide gives a core of zedboard one clock.*Leave it out"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(PlanError, match=said):
        wide_plan(patch, chain(partition("a")), [node], {"n0"})


# ---- simulation ---------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two boards: slower partitions behind a crossing, and faster ones behind bridge and crossing."""
    folder = tmp_path_factory.mktemp("compute")
    cluster = MIXED.write_inputs(folder)
    text = cluster.read_text()
    clocks = {"zed": "compute_mhz = 61.8", "zcu": 'compute_mhz = 141.4\nlite = {access = "bridge"}'}
    for name, more in clocks.items():
        entry = f'name = "{name}"\n'
        assert entry in text
        text = text.replace(entry, f"{entry}{more}\n")
    cluster.write_text(text)
    generate(cluster, folder / "out")
    return folder / "out"


@pytest.mark.recorded
@pytest.mark.parametrize("simulator", [pytest.param("verilator", marks=pytest.mark.sweep), "icarus"])
def test_every_proof_holds_on_unrelated_clocks(made: Path, simulator: str) -> None:
    """The resets of CONTROL and back-pressure among them; on Verilator the memory test, too."""
    fast = simulator == "verilator"
    report = run(made, simulator, walk=fast, full_rate=fast)
    assert report["passed"], report["problem"]
    verdicts = {verdict["name"]: verdict for verdict in report["stalled"]["verdicts"]}
    assert {"monolith", "golden"} < set(verdicts)
    assert all(one["words"] > 0 and one["mismatches"] == 0 for one in verdicts.values())


def test_the_map_tells_no_more_than_without(made: Path) -> None:
    """A host need not know: addresses are those that its bus sees."""
    (zed,) = json.loads((made / "zed" / "memory_map.json").read_text())["nodes"]
    assert {region["access"] for region in zed["regions"]} == {"direct"}
    core = (made / "zed" / "zed_core.v").read_text()
    assert len(re.findall(r"axis_fifo_cdc #", core)) == 2
    assert len(re.findall(r"axil_cdc #", core)) == 1


@pytest.mark.sweep
def test_every_side_crosses_where_it_is_narrow(tmp_path: Path) -> None:
    """Words wider than beats and narrower ones, in and out; partitions stop at a TLAST out of place."""
    thin = ("INT8", 2, 24)
    parts = [
        partition("a", takes=(WIDE,), makes=(WIDE,), sidebands=True),
        partition("b", takes=(thin,), makes=(thin,), sidebands=True),
        partition("c", takes=(thin,), makes=(thin,), sidebands=True),
        partition("d", takes=(WIDE,), makes=(WIDE,), sidebands=True),
    ]
    nodes: list[dict[str, object]] = [
        {"name": "n0", "board": "zedboard", "partitions": [0, 1], "compute_mhz": 37.1},
        {"name": "n1", "board": "zedboard", "partitions": [2, 3], "compute_mhz": 161.8},
    ]
    out = generate_fake(chain(*parts), spec(nodes), tmp_path / "out")
    report = run(out, "icarus", walk=False, control=False, full_rate=False)
    assert report["passed"], report["problem"]
    crossed = [
        re.findall(r"axis_fifo_cdc #\(\s*\.DATA_W\((\d+)\)", (out / node / f"{node}_core.v").read_text())
        for node in ("n0", "n1")
    ]
    assert crossed == [["64", "16"], ["17", "65"]]
