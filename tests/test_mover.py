# SPDX-License-Identifier: BSD-3-Clause
"""Frames between an Alveo card and its host by VNx's data movers, which count beats and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster_bench import Chain, bench_of, run
from fake_network import chain, partition, plan_of, spec

from shellgen.errors import PlanError
from shellgen.links.vitis_mover import VitisMover
from shellgen.model import Dock, Plan
from shellgen.simulate.options import Injection

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("mover")]

# 75 bytes from the host, 120 to it: two beats each.
CARD = Chain(
    widths=(200, 6, 60),
    activations="UINT3",
    folds=((3, 25, 3), (10, 6, 10)),
    cuts=(0, 1),
    nodes=(("card", "u280", (0, 1)),),
)
# 900 bytes from the host: 15 beats, so that the mover's TLAST falls into the middle of frames.
LARGE = Chain(
    widths=(2400, 6, 60),
    activations="UINT3",
    folds=((3, 100, 3), (10, 6, 10)),
    cuts=(0, 1),
    nodes=(("card", "u280", (0, 1)),),
)
FROM, TO = 0, 2  # boundaries of the host
BEATS = 2
DROP, DUPLICATE, STUCK, MISCOUNT = 2, 3, 5, 6
SHORT, LONG = 1, 2


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = CARD.generate(tmp_path_factory.mktemp("mover"))
    sizes = [b["frame_bytes"] for b in bench_of(made)["boundaries"]]
    assert (sizes[FROM], sizes[TO]) == (75, 120)
    return made


def flags(report: dict[str, Any]) -> set[int]:
    """Return the error flags that the core has shown."""
    told = [v["detail"] for v in report["stalled"]["verdicts"] if v["proof"] == "status"]
    return {int(text.rpartition(" ")[2], 16) for text in told} - {0}


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.sweep)])
def test_three_proofs(out: Path, simulator: str) -> None:
    """Back-pressure, runs of several frames, another number each way; and the card reset in mid-frame."""
    report = run(out, simulator, reset_node="card", settings=("vitis_mover.restart=40",))
    assert report["passed"], report["problem"]
    assert sorted(report["stalled"]["per_transfer"]) == [2, 3]
    for by in ("control", "pin"):
        assert report[f"reset_{by}"]["lost"], "a frame was under way"


@pytest.mark.sweep
def test_frames_in_which_the_mover_sets_tlast(tmp_path: Path) -> None:
    report = run(LARGE.generate(tmp_path), "verilator", reset_node="card")
    assert report["passed"], report["problem"]
    assert max(report["stalled"]["per_transfer"]) * 15 > 22


@pytest.mark.parametrize(("more", "flag"), [pytest.param(1, LONG, marks=pytest.mark.sweep), (-1, SHORT)])
def test_a_run_of_a_wrong_length_is_told(out: Path, more: int, flag: int) -> None:
    report = run(out, "icarus", walk=False, full_rate=False, inject=Injection(kind=MISCOUNT, beat=more))
    assert not report["passed"]
    assert flags(report) == {flag}


@pytest.mark.parametrize(
    ("kind", "flag"), [pytest.param(DROP, SHORT, marks=pytest.mark.sweep), (DUPLICATE, LONG)]
)
def test_a_run_of_a_wrong_length_costs_its_own_frame(out: Path, kind: int, flag: int) -> None:
    """No shift: the core counts as many frames as were sent, and all frames are as long as they should be."""
    fault = Injection(boundary=FROM, kind=kind, beat=2 * BEATS)
    report = run(out, "icarus", walk=False, full_rate=False, inject=fault)
    assert not report["passed"]
    assert flags(report) == {flag}
    assert report["stalled"]["arrived"]
    status = [v["detail"] for v in report["stalled"]["verdicts"] if v["proof"] == "status"]
    assert [text.partition(",")[0] for text in status] == ["counted 7 frames of 7"]
    wrong = [v for v in report["stalled"]["verdicts"] if not v["passed"]]
    assert all("instead of" not in v["detail"] for v in wrong), wrong
    assert "frame 2" in wrong[0]["detail"]


@pytest.mark.sweep
@pytest.mark.parametrize(("boundary", "simulator"), [(FROM, "icarus"), (TO, "icarus"), (TO, "verilator")])
def test_a_host_resets_what_stands_still(out: Path, boundary: int, simulator: str) -> None:
    """A run that was begun is brought to its end, so a mover that cannot be reset is ready for the next."""
    stuck = Injection(boundary=boundary, kind=STUCK, beat=2 * BEATS + 1)
    report = run(out, simulator, walk=False, full_rate=False, inject=stuck)
    assert report["passed"], report["problem"]
    assert report["stuck"]["forced"]


@pytest.mark.sweep
def test_a_beat_that_is_lost_on_its_way_to_memory_is_seen(out: Path) -> None:
    """The padding of a frame is then not where it should be."""
    fault = Injection(boundary=TO, kind=DROP, beat=3)
    report = run(out, "icarus", walk=False, full_rate=False, inject=fault)
    assert VitisMover.fault in report["problem"] or any(
        VitisMover.fault in v["detail"] for v in report["stalled"]["verdicts"]
    )


def planned(**sizes: Any) -> Plan:
    card = {"name": "card", "board": "u280", "partitions": [0]}
    return plan_of(chain(partition("p0", **sizes)), spec([card]))


def test_pins_are_those_of_the_movers() -> None:
    (attachment,) = planned().node("card").attachments
    assert attachment.dock == "mover"
    assert [(pin.name, pin.role, pin.direction) for pin in attachment.pins] == [
        ("s_axis_0", "mm2s", "in"),
        ("m_axis_0", "s2mm", "out"),
    ]
    for pin in attachment.pins:
        widths = {name: bits for name, bits, _ in pin.signals}
        assert widths == {
            "tdata": 512, "tkeep": 64, "tlast": 1, "tid": 1, "tdest": 16, "tuser": 1, "tvalid": 1, "tready": 1
        }  # fmt: skip


def test_frames_of_a_run_fit_its_size() -> None:
    link, boundary = VitisMover(), planned().boundaries[0]
    room = link.memory_bytes(boundary)
    assert room % 64 == 0
    assert 0 <= room - boundary.frame_bytes < 64
    assert link.most_frames(boundary, Dock(bits=512)) == 65535
    assert link.most_frames(boundary, Dock(bits=512, transfer_bytes=10 * room + 63)) == 10
    (problem,) = link.check(boundary, (Dock(bits=512, transfer_bytes=room - 1),))
    assert f"{room} bytes in memory" in problem.found


def test_weights_cannot_be_repeated() -> None:
    boundary = planned().boundaries[0].model_copy(update={"role": "weights"})
    (problem,) = VitisMover().check(boundary, (Dock(bits=512),))
    assert "again and again" in problem.found
    assert "internal_decoupled" in problem.remedy


def test_it_joins_no_cards() -> None:
    nodes = [{"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(2)]
    links = [{"from": "0", "to": "1", "kind": "vitis_mover"}]
    with pytest.raises(PlanError, match="'vitis_mover' cannot connect nodes with each other"):
        plan_of(chain(partition("p0"), partition("p1")), spec(nodes, link=links))
