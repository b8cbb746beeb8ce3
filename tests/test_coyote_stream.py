# SPDX-License-Identifier: BSD-3-Clause
"""Frames between a region of Coyote and its host, whose writes count beats and whose reads end with TLAST."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cluster_bench import Chain, bench_of, generate_fake, run, streams_only
from fake_network import chain, partition, plan_of, spec
from sim_module import sim_module
from waiting import PATIENCE

from shellgen.api import generate
from shellgen.errors import PlanError
from shellgen.links.coyote_stream import CoyoteStream
from shellgen.model import Dock, Network, Plan
from shellgen.simulate.options import Injection
from shellgen.simulate.tools import find_icarus

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("coyote_stream")]
CARD = (("card", "u55c", (0, 1)),)
# 75 bytes from the host, 120 to it: two beats each, in words of 75 and 60 bits.
UNEVEN = Chain(
    widths=(200, 6, 60), activations="UINT3", folds=((3, 25, 3), (10, 6, 20)), cuts=(0, 1), nodes=CARD
)
# 32 and 64 bytes: one beat each, in words that divide it; a whole beat fills nothing up.
EVEN = Chain(widths=(64, 8, 16), activations="UINT4", folds=((4, 32, 4), (4, 8, 4)), cuts=(0, 1), nodes=CARD)
# 3750 bytes from the host: 59 beats, so that a piece of 4096 bytes ends within a frame.
LARGE = Chain(
    widths=(7500, 4, 16), activations="UINT4", folds=((4, 250, 4), (4, 4, 4)), cuts=(0, 1), nodes=CARD
)
HOLD = Path(__file__).with_name("coyote_hold.sv")
FROM, TO = 0, 2  # boundaries of the host
BEATS = 2
NODE = {"name": "card", "board": "u55c", "platform": "coyote", "partitions": [0]}
DROP, DUPLICATE, STUCK, MISCOUNT = 2, 3, 5, 6
SHORT, LONG = 1, 2


def generated(made: Chain, folder: Path) -> Path:
    cluster = made.write_inputs(folder)
    cluster.write_text(
        cluster.read_text().replace('board = "u55c"\n', 'board = "u55c"\nplatform = "coyote"\n')
    )
    generate(cluster, folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = generated(UNEVEN, tmp_path_factory.mktemp("coyote_stream"))
    assert [bench_of(made)["boundaries"][at]["frame_bytes"] for at in (FROM, TO)] == [75, 120]
    return made


def flags(report: dict[str, Any]) -> set[int]:
    """Return the error flags that the core has shown."""
    told = [v["detail"] for v in report["stalled"]["verdicts"] if v["proof"] == "status" and v["words"] > 1]
    return {int(text.rpartition(" ")[2], 16) for text in told} - {0}


def says(report: dict[str, Any], text: str) -> bool:
    """Return whether the run reported this text."""
    return any(text in v["detail"] for v in report["stalled"]["verdicts"])


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.sweep)])
def test_three_proofs(out: Path, simulator: str) -> None:
    """Back-pressure, several frames a transfer, reads and pieces that end anywhere; reset in mid-frame."""
    parameters = ("pause=40", "request=3", "pmtu=2")
    settings = tuple(f"coyote_stream.{parameter}" for parameter in parameters)
    report = run(out, simulator, reset_node="card", settings=settings)
    assert report["passed"], report["problem"]
    assert sorted(report["stalled"]["per_transfer"]) == [2, 3]
    for by in ("control", "pin"):
        assert report[f"reset_{by}"]["lost"], "a frame was under way"


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
@pytest.mark.parametrize("made", [EVEN, LARGE], ids=["one beat", "many beats"])
def test_frames_of_other_sizes(made: Chain, simulator: str, tmp_path: Path) -> None:
    out = generated(made, tmp_path)
    report = run(out, simulator, reset_node="card", full_rate=made is EVEN or simulator == "verilator")
    assert report["passed"], report["problem"]
    beats = -(-bench_of(out)["boundaries"][FROM]["frame_bytes"] // 64)
    assert beats == 1 or max(report["stalled"]["per_transfer"]) * beats > 64


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
def test_several_streams(simulator: str, tmp_path: Path) -> None:
    """Three each way: frames of a beat and of several, odd words, and words that are wider than a beat."""
    ways = (("UINT4", 2, 16), ("INT13", 4, 400), ("UINT3", 300, 600))
    network = chain(partition("p0", ways, ways))
    assert len(planned(network).node("card").attachments[0].pins) == 6
    generate_fake(network, spec([NODE]), tmp_path / "out")
    report = run(tmp_path / "out", simulator, reset_node="card", settings=("coyote_stream.request=5",))
    assert report["passed"], report["problem"]


@pytest.mark.sweep
@pytest.mark.parametrize(("more", "flag"), [(1, LONG), (-1, SHORT)])
def test_a_transfer_of_a_wrong_length_is_told(out: Path, more: int, flag: int) -> None:
    report = streams_only(out, "icarus", inject=Injection(kind=MISCOUNT, beat=more))
    assert not report["passed"]
    assert flags(report) == {flag}


@pytest.mark.sweep
def test_reads_that_all_say_last_are_told(out: Path) -> None:
    """As if the host asked for one transfer in several reads and marked each of them as the last."""
    report = streams_only(out, "icarus", settings=("coyote_stream.request=3", "coyote_stream.mark=1"))
    assert not report["passed"]
    assert SHORT in flags(report)


@pytest.mark.sweep
@pytest.mark.parametrize(("kind", "flag"), [(DROP, SHORT), (DUPLICATE, LONG)])
def test_a_wrong_length_costs_its_own_frame(out: Path, kind: int, flag: int) -> None:
    """No shift: the core counts as many frames as were sent, and all frames are as long as they should be."""
    fault = Injection(boundary=FROM, kind=kind, beat=2 * BEATS)
    report = streams_only(out, "icarus", inject=fault)
    assert not report["passed"]
    assert flags(report) == {flag}
    assert report["stalled"]["arrived"]
    assert says(report, "counted 7 frames of 7")
    wrong = [v for v in report["stalled"]["verdicts"] if not v["passed"]]
    assert all("instead of" not in v["detail"] for v in wrong), wrong
    assert "frame 2" in wrong[0]["detail"]


@pytest.mark.sweep
@pytest.mark.parametrize("parameter", ["more", "less"])
def test_a_write_of_a_wrong_length_is_told(out: Path, parameter: str) -> None:
    """Coyote would complete it, with a beat of the next transfer or without its own last one."""
    report = streams_only(out, "icarus", settings=(f"coyote_stream.{parameter}=1",))
    assert not report["passed"]
    assert says(report, CoyoteStream.fault)


@pytest.mark.sweep
def test_a_beat_that_is_lost_on_its_way_to_memory_is_seen(out: Path) -> None:
    report = streams_only(out, "icarus", inject=Injection(boundary=TO, kind=DROP, beat=3))
    assert not report["passed"]
    assert says(report, CoyoteStream.fault)


@pytest.mark.sweep
@pytest.mark.parametrize("frames", [6, 8])  # with 8, the program stops within a transfer of 3
@pytest.mark.parametrize(("boundary", "simulator"), [(FROM, "icarus"), (TO, "icarus"), (TO, "verilator")])
def test_a_host_resets_what_stands_still(out: Path, boundary: int, simulator: str, frames: int) -> None:
    """Begun accesses are completed, so that a write that cannot be withdrawn completes."""
    stuck = Injection(boundary=boundary, kind=STUCK, beat=2 * BEATS + 1)
    report = streams_only(out, simulator, frames=frames, inject=stuck)
    assert report["passed"], report["problem"]
    assert report["stuck"]["forced"]


def test_a_transfer_goes_on_while_the_core_is_held(tmp_path: Path) -> None:
    """CONTROL = 4 in the middle of it: the rest is discarded, the next transfer waits and is right."""
    ways = (("INT13", 4, 96),)
    out = generate_fake(chain(partition("p0", ways, ways)), spec([NODE]), tmp_path / "out")
    sources = [p for part in ("partition/*.v", "rtl/*.sv", "card_core.v") for p in (out / "card").glob(part)]
    icarus, model = find_icarus(), tmp_path / "model.vvp"
    build = [icarus.compiler, "-g2012", "-s", HOLD.stem, "-o", model, HOLD, *sorted(sources)]
    subprocess.run([str(each) for each in build], capture_output=True, check=True)
    ran = subprocess.run([str(icarus.runtime), str(model)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert "held and went on" in ran.stdout


def planned(network: Network | None = None) -> Plan:
    """Plan one card, with one partition that forwards its input by default."""
    return plan_of(network or chain(partition("p0")), spec([NODE]))


def test_pins_are_those_of_coyote() -> None:
    (attachment,) = planned().node("card").attachments
    assert (attachment.name, attachment.dock) == ("host", "coyote_stream")
    assert [(pin.name, pin.role, pin.direction) for pin in attachment.pins] == [
        ("s_host_0", "recv", "in"),
        ("m_host_0", "send", "out"),
    ]
    for pin in attachment.pins:
        widths = {name: bits for name, bits, _ in pin.signals}
        assert widths == {"tdata": 512, "tkeep": 64, "tlast": 1, "tid": 6, "tvalid": 1, "tready": 1}


def test_frames_of_a_transfer_fit_a_request() -> None:
    link, boundary = CoyoteStream(), planned().boundaries[0]
    room = link.memory_bytes(boundary)
    assert room % 64 == 0
    assert 0 <= room - boundary.frame_bytes < 64
    assert link.most_frames(boundary, Dock(bits=512)) == 65535
    assert link.most_frames(boundary, Dock(bits=512, transfer_bytes=10 * room + 63)) == 10
    (problem,) = link.check(boundary, (Dock(bits=512, transfer_bytes=room - 1),))
    assert f"one frame is {room} bytes in memory" in problem.found


def test_weights_cannot_be_repeated() -> None:
    boundary = planned().boundaries[0].model_copy(update={"role": "weights"})
    (problem,) = CoyoteStream().check(boundary, (Dock(bits=512),))
    assert "again and again" in problem.found
    assert "internal_decoupled" in problem.remedy


def test_it_joins_no_cards() -> None:
    nodes = [NODE | {"name": f"n{k}", "partitions": [k]} for k in range(2)]
    links = [{"from": "0", "to": "1", "kind": "coyote_stream"}]
    with pytest.raises(PlanError, match="'coyote_stream' cannot connect nodes with each other"):
        plan_of(chain(partition("p0"), partition("p1")), spec(nodes, link=links))


class Held:
    """A bench whose links are busy for so many looks."""

    def __init__(self, looks: int) -> None:
        self.aclk, self.left, self.cycles = None, looks, 0

    @property
    def link_busy(self) -> SimpleNamespace:
        self.left -= 1
        return SimpleNamespace(value=2 if self.left >= 0 else 0)


@pytest.mark.parametrize(("looks", "ends"), [(0, True), (500, True), (1 << 30, False)])
def test_cores_are_held_as_long_as_links_are_busy(
    looks: int, ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bench_records", "bench_budget"):
        sim_module(name)
    hold = sim_module("bench_hold")
    dut = Held(looks)

    async def cycles(_clock: object, count: int) -> None:
        dut.cycles += count

    monkeypatch.setattr(hold, "ClockCycles", cycles)
    links = [SimpleNamespace(kind="accl"), SimpleNamespace(kind="coyote_stream")]
    bench = SimpleNamespace(links=links)
    monkeypatch.setattr(hold, "reset_cycles", lambda _: 128)
    if ends:
        asyncio.run(hold.end_of_transfers(dut, bench, 10_000))
        assert dut.cycles == looks * hold.LOOK_CYCLES + 128
        return
    with pytest.raises(AssertionError, match=r"^coyote_stream: what a held core has begun does not end"):
        asyncio.run(hold.end_of_transfers(dut, bench, 10_000))


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
def test_a_transfer_that_is_longer_than_a_reset(simulator: str, tmp_path: Path) -> None:
    """129 beats a frame: resets in mid-flight cut transfers that go on for longer than a reset takes."""
    ways = (("UINT8", 1, 8190),)
    generate_fake(chain(partition("p0", ways, ways)), spec([NODE]), tmp_path / "out")
    for seed in (1, 2, 3):
        report = run(tmp_path / "out", simulator, frames=None, idle_limit=None, seed=seed)
        assert report["passed"], report["problem"]


@pytest.mark.sweep
def test_eight_cards_in_a_loop(tmp_path: Path) -> None:
    """Their hosts reset one after another, so neighbours go on to send into the first."""
    nodes = [{**NODE, "name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(8)]
    cluster = spec(nodes, host={"through": "n0"})
    generate_fake(chain(*(partition(f"p{k}") for k in range(8))), cluster, tmp_path / "out")
    report = run(
        tmp_path / "out", "verilator", frames=None, idle_limit=None, walk="none", seconds=2 * int(PATIENCE)
    )
    assert report["passed"], report["problem"]
