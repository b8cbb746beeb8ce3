# SPDX-License-Identifier: BSD-3-Clause
"""Streams that are kept in the memory of the host: plan, kernel, bench and host programs of cards."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from changed_card import Card, card, replaced
from cluster_bench import generate_fake, report_text, run
from fake_network import plan_of
from host_module import emitted_module
from test_depths import beside_a_late_one
from test_ring_cards import LINK, RULES, WIDE, WORDS, Stop, in_the_middle, on_a_card, place, surroundings
from test_ring_memory import SKIP, rings
from test_vitis_make import site
from xrt_library import build_library

from shellgen.cli import main
from shellgen.errors import PlanError
from shellgen.estimate import estimate
from shellgen.model import ClusterSpec, Network, Plan
from shellgen.plan import make_plan
from shellgen.plan.advice import advice
from shellgen.plan.junction import junction_files
from shellgen.read.board import read_board
from shellgen.report.page import report_file

CARDS = ("u200", "u250", "u280", "u50", "u55c")
MOST = 23.3553e9  # bytes/s, both ways: measured on a U250 (Vitis_Accel_Examples, host_memory_bandwidth)

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("ring_host")]


def mixed(first: str, second: str, **options: Any) -> Plan:
    """The graph of test_depths on a U280: what goes to the late partition in one memory, the sum in one."""
    network, cluster = on_a_card(buffer=second, options=options)
    links = list(cluster.link)
    links[0] = links[0].model_copy(update={"buffer": first})
    return plan_of(network, cluster.model_copy(update={"link": tuple(links)}))


def banks(plan: Plan) -> list[str]:
    """Return where the rings of the node are, in their order."""
    from shellgen.platforms import platform_registry  # noqa: PLC0415 - beside what uses it

    node = plan.node("n")
    platform = platform_registry()[node.platform]
    return [platform.memory_at(node, port) for port in node.memory_ports]


@pytest.mark.parametrize("board", CARDS)
def test_a_ring_at_the_host_is_that_of_the_card_but_for_its_place(board: str) -> None:
    there, here = (plan_of(*on_a_card(board, buffer=where)) for where in ("host", "ddr"))
    assert rings(there) == rings(here) != {"n": []}
    assert banks(there) == ["HOST[0]"] * 2
    for one, other in zip(there.node("n").memory_ports, here.node("n").memory_ports, strict=True):
        assert (one.name, one.data_bits, one.addr_bits, one.bytes) == (
            other.name,
            other.data_bits,
            other.addr_bits,
            other.bytes,
        )
    skip = next(one for one in there.fifos if one.boundary == SKIP)
    same = next(one for one in here.fifos if one.boundary == SKIP)
    assert (skip.memory, same.memory) == ("host", "ddr")
    assert skip.model_copy(update={"memory": "ddr"}) == same


def test_rings_of_the_card_take_banks_in_turn_without_those_of_the_host() -> None:
    assert banks(mixed("host", "ddr")) == ["HOST[0]", "HBM[1]", "HBM[2]"]
    assert banks(mixed("ddr", "host")) == ["HBM[1]", "HOST[0]", "HOST[0]"]
    named = {"memory": ["HBM[4]", "HBM[5]", "HBM[6]"]}  # two movers come first
    assert banks(mixed("host", "ddr", vitis=named)) == ["HOST[0]", "HBM[6]", "HBM[4]"]


def test_fit_counts_deeper_fifos_and_no_controller() -> None:
    """512 beats of 512 bits are as many block RAMs as 128 of them: 15 x 18 kbit hold 512 words of 36 bits."""

    def takes(where: str, **options: Any) -> Any:
        found = plan_of(*on_a_card("u250", buffer=where, options=options)).node("n").takes
        assert found is not None
        return found

    assert takes("host").platform == takes("chip").platform
    assert takes("host").core == takes("ddr").core


def test_the_estimate_knows_the_bridge() -> None:
    """Two rings share it, and a frame passes it twice."""
    found = estimate(plan_of(*on_a_card(buffer="host"))).servers
    times = {one.name: one.seconds for one in found if "HOST" in one.name or "HBM" in one.name}
    beats = -(-WORDS * WIDE * 4 // 512)
    assert times == pytest.approx({"HOST[0] of n": 2 * 2 * beats * 64 / MOST})


def test_the_report_and_notes_say_whose_memory_it_is() -> None:
    page = report_file(plan_of(*on_a_card(buffer="host"))).content.decode()
    assert "in the memory of the host of n: " in page
    assert "in the memory of n: " not in page
    plan = plan_of(*on_a_card(buffer="host", words=8192, lead=900, depth=2))
    (said,) = [note for note in advice(plan) if SKIP in note and "is larger than its ring" in note]
    assert "is larger than its ring in the memory of the host of n, " in said


def test_what_kernels_cannot_reach_is_refused() -> None:
    board = read_board("u280")
    facts = {key: value for key, value in board.platform["vitis"].items() if key != "host_bytes_per_s"}
    without = board.model_copy(update={"platform": {"vitis": facts}})
    network, cluster = on_a_card(buffer="host")
    said = "link[1].buffer: platform vitis of n has no memory of its host that a core could reach by AXI4. "
    said += 'Remove it, or say "chip" or "ddr"; the file of the board may lack the figures of its memory'
    with pytest.raises(PlanError, match=re.escape(said)):
        make_plan(cluster, network, {"n": without})
    node = cluster.node[0].model_copy(update={"board": "u200", "platform": "coyote"})
    said = (
        "platform coyote of n has no memory of its host that a core could reach by AXI4. Remove it, or say "
    )
    with pytest.raises(PlanError, match=re.escape(said + '"chip"; the file')):
        plan_of(network, cluster.model_copy(update={"node": (node,)}))


def test_a_bank_that_is_too_small_has_the_host_as_a_remedy() -> None:
    """A bank of HBM has 256 MiB; the host sets aside up to 16 GiB."""
    with pytest.raises(PlanError, match=r'u280 has HBM\[0\] to HBM\[31\] and .*, or say buffer = "host"'):
        plan_of(*on_a_card(buffer="ddr", depth=1 << 23))
    assert banks(plan_of(*on_a_card(buffer="host", depth=1 << 23))) == ["HOST[0]"] * 2


def test_the_host_of_a_zynq_is_the_board_itself() -> None:
    """Its server runs on the PS: the same core, bitstream and programs, and a note."""
    there, here = (plan_of(*beside_a_late_one(300, words=400, buffer=where)) for where in ("host", "ddr"))
    assert there.node("n") == here.node("n")
    notes = [note for note in advice(there) if 'buffer = "host" is the memory of n itself' in note]
    assert len(notes) == len(rings(there)["n"]) > 0
    assert not any("itself" in note for note in advice(here))


def test_a_ring_of_the_host_ends_on_the_producers_card() -> None:
    """Behind it a relay sends the stream on; the next card has no ring."""
    network, cluster = on_a_card(buffer="host")
    nodes = tuple(
        cluster.node[0].model_copy(update={"name": name, "partitions": parts})
        for name, parts in (("n", (0, 1)), ("m", (2,)))
    )
    plan = plan_of(network, cluster.model_copy(update={"node": nodes}))
    assert {name: len(found) for name, found in rings(plan).items()} == {"n": 2, "m": 0}
    assert banks(plan) == ["HOST[0]"] * 2


# ---- files --------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Card]:
    network, cluster = on_a_card(wide=20, lead=1100, words=1152, buffer="host")
    plan = plan_of(network, cluster)
    files = {**network.files, **junction_files(plan.partitions)}
    yield from card(plan, files, tmp_path_factory.mktemp("kernel"), RULES)


def test_a_kernel_with_masters_to_the_host_is_right(kernel: Card) -> None:
    assert kernel.judged() == []
    link, package, make = (kernel.folder / "vitis" / one for one in ("link.cfg", "package.tcl", "Makefile"))
    assert [line for line in link.read_text().splitlines() if "m_axi_ring" in line] == [
        "sp=core_0.m_axi_ring_0:HOST[0]",
        "sp=core_0.m_axi_ring_1:HOST[0]",
    ]
    assert "    m_axi_ring_0 32\n    m_axi_ring_1 32\n" in package.read_text()
    assert "$(PLATFORMINFO) --platform $(PLATFORM) | grep -qF 'HOST[0]'" in make.read_text()
    assert ".STAGE(512)" in (kernel.folder / "n_core.v").read_text()


@pytest.mark.parametrize(
    ("new", "rule"),
    [("", "plan-link"), ("HBM[1]", "plan-link"), ("HOST[1]", "kernel-link"), ("HOST[0:1]", "kernel-link")],
)
def test_a_master_that_leads_elsewhere_is_found(new: str, rule: str, kernel: Card) -> None:
    old = "sp=core_0.m_axi_ring_0:HOST[0]\n"
    with kernel.changed(LINK, replaced(old, f"sp=core_0.m_axi_ring_0:{new}\n" if new else "")) as found:
        assert rule in {one.rule for one in found}, found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate_fake(*on_a_card(wide=20, buffer="host"), tmp_path_factory.mktemp("made") / "out")


def test_the_makefile_asks_whether_the_platform_has_the_bridge(made: Path, tmp_path: Path) -> None:
    """Before anything is built; what `platforminfo` prints is of UG1393."""
    found = site(tmp_path)
    found.folder = made / "n" / "vitis"
    tool = found.tools / "platforminfo"
    said = "Makefile: platforminfo shows no HOST[0] of xilinx_u280_gen3x16_xdma_1_202211_1, and streams"
    for told, code in ((None, 2), ("Name: HOST[0]\\n   Index: 8", 0), ("Name: DDR[0]", 2), ("HOST_0", 2)):
        if told:
            tool.write_text(f"#!/bin/sh\n[ $1 = --platform ] && printf '{told}\\n'\n")
            tool.chmod(0o755)
        ran = found.make("fits", f"VNX={found.vnx}")
        assert ran.returncode == code, ran.stdout + ran.stderr
        assert (said in ran.stdout) == bool(code)


# ---- programs -----------------------------------------------------------------------------------------
def between_cards() -> tuple[Network, ClusterSpec]:
    """A card that frames only pass, with its rings at the host."""
    network, cluster = in_the_middle()
    links = tuple(
        link.model_copy(update={"buffer": "host"}) if link.buffer else link for link in cluster.link
    )
    return network, cluster.model_copy(update={"link": links})


def test_a_program_holds_memory_of_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the library, compiled for headers that stand for XRT's."""
    out = tmp_path / "out"
    generate_fake(*between_cards(), out)
    (entry,) = (
        one for one in json.loads((out / "memory_map.json").read_text())["nodes"] if one["name"] == "n"
    )
    assert [one["bank"] for one in entry["rings"]] == ["HOST[0]"] * 2
    place(tmp_path, entry)
    library = build_library(out / "host", tmp_path)
    for name, value in surroundings(tmp_path, entry).items():
        monkeypatch.setenv(name, value)
    xrt, keep = (emitted_module(out, f"shellgen_{name}") for name in ("xrt", "keep"))
    image = tmp_path / "n.xclbin"
    image.write_text("xclbin2 of n\nHBM[0]+\nHBM[1]\nHOST[0]+\n")
    bus = xrt.XrtBus(entry, "0", image, xrt.library(library))
    first, second = entry["rings"]

    def look() -> list[int]:
        return [bus.read(at) for at in (first["arm"], first["base_high"], second["base_high"])]

    said = r"no \d+ bytes of HOST\[0\]: failed to allocate .*; before it is loaded: sudo xbutil configure "
    with pytest.raises(xrt.HostError, match=said + r"--host-mem -d <bdf> --size 4M enable$"):
        keep.keep(entry, bus, Stop(look))  # nothing was set aside
    assert bus.read(first["arm"]) == 0
    (tmp_path / "0" / "host_mem").write_text(f"2 {1 << 22}")
    stop = Stop(look)
    keep.keep(entry, bus, stop)
    assert stop.seen == [[3, 2, 2]] * 2
    assert bus.read(first["arm"]) == 0
    bus.take("HOST[0]", 1 << 22).free()  # all of it was given back
    bus.close()


# ---- RTL ----------------------------------------------------------------------------------------------
def test_the_commands_of_a_build_are_as_the_plan_has_them(made: Path, tmp_path: Path) -> None:
    """`check` knows the question to platforminfo, and misses it where somebody takes it out."""
    out = shutil.copytree(made, tmp_path / "out")
    assert main(["check", str(out)]) == 0
    make = out / "n/vitis/Makefile"
    make.write_text(make.read_text().replace("$(PLATFORMINFO) --platform", "true --platform"))
    assert main(["check", str(out)]) == 1


@pytest.mark.sweep
def test_a_card_runs_with_the_latency_of_its_host(tmp_path: Path) -> None:
    network, cluster = on_a_card(buffer="host", lead=1600, words=1700)
    out = generate_fake(network, cluster, tmp_path / "out")
    report = run(out, "verilator", frames=3, walk=False)
    assert report["passed"], report_text(report)
    for pace in ("full_rate", "stalled"):
        assert report[pace]["links"]["ddr_ring"]["bursts to memory"] > 20
    assert main(["check", str(out)]) == 0
    assert any(".LATENCY(220)" in one.read_text() for one in (out / "bench").glob("*.sv"))
