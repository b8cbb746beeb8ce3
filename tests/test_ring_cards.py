# SPDX-License-Identifier: BSD-3-Clause
"""Streams that are kept in the memory of Alveo cards: plan, kernel, link, bench and host programs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from changed_card import Card, card, replaced
from cluster_bench import generate_fake, report_text, run
from fake_network import plan_of, spec
from host_board import HostBoard
from host_module import emitted_module
from load_board import MAGIC
from test_depths import beside_a_late_one
from test_ring_memory import SKIP, rings
from xrt_library import build_library

from shellgen.cli import main
from shellgen.errors import PlanError
from shellgen.estimate import estimate
from shellgen.model import ClusterSpec, Network
from shellgen.plan.advice import advice
from shellgen.plan.fit import fit_rows
from shellgen.plan.junction import junction_files

WIDE = 120  # elements of 4 bits: a word of 480 bits, a beat of 512
RULES = (
    "kernel-name",
    "kernel-link",
    "kernel-ports",
    "wrapper-wires",
    "plan-kernel",
    "plan-kernel-wires",
    "plan-link",
)
LEAD, WORDS = 400, 448  # more than the FIFOs on the chip hold: 256 beats

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("ring_cards")]


def on_a_card(
    board: str = "u280", lead: int = LEAD, words: int = WORDS, **more: Any
) -> tuple[Network, ClusterSpec]:
    """The graph of test_depths on a card, with wide words."""
    options = more.pop("options", {})
    network, cluster = beside_a_late_one(lead, words=words, wide=more.pop("wide", WIDE), **more)
    node = cluster.node[0].model_copy(update={"board": board, "options": options})
    return network, cluster.model_copy(update={"node": (node,)})


@pytest.mark.parametrize(("wide", "bits"), [(2, 64), (20, 128), (WIDE, 512)])
def test_a_port_is_as_wide_as_a_word_can_use(wide: int, bits: int) -> None:
    plan = plan_of(*on_a_card(wide=wide, buffer="ddr"))
    found = [(one.data_bits, one.addr_bits) for one in plan.node("n").memory_ports]
    assert found == [(bits, 64), (bits, 64)]


@pytest.mark.parametrize(
    ("board", "words", "expected"), [("u280", 4096, False), ("u280", 16384, True), ("u250", 20480, True)]
)
def test_a_fifo_that_takes_a_tenth_of_a_card_goes_into_memory(board: str, words: int, expected: bool) -> None:
    """Block RAM of a U280 is 4,032 x 18 kbit; sixteen thousand words of 480 bits take 448 of them."""
    plan = plan_of(*on_a_card(board, words - 100, words))
    assert (SKIP in rings(plan)["n"]) == expected
    assert any(SKIP in note and "is kept in the memory of n" in note for note in advice(plan)) == expected
    assert rings(plan_of(*on_a_card(board, words - 100, words, buffer="chip"))) == {"n": []}


def test_fit_counts_rings_and_their_controllers() -> None:
    """DDR is nobody's before; HBM has movers anyway."""

    def around(board: str, where: str, **options: Any) -> Any:
        plan = plan_of(*on_a_card(board, buffer=where, options=options))
        takes = plan.node("n").takes
        assert takes is not None
        assert fit_rows(plan)
        return takes

    banks = {"vitis": {"memory": ["HBM[0]", "HBM[1]", "DDR[1]"]}}
    assert around("u280", "ddr").platform == around("u280", "chip").platform
    more = around("u280", "ddr", **banks).platform.lut - around("u280", "chip", **banks).platform.lut
    assert more == 33_256  # a controller of DDR, by FINN's figures
    assert around("u280", "ddr").core.lut > around("u280", "chip").core.lut


@pytest.mark.parametrize(
    ("banks", "names", "rings_each"),
    [((), ("HBM[1] of n", "HBM[2] of n"), 1), (("HBM[5]",), ("HBM[5] of n",), 2)],
    ids=["own", "one"],
)
def test_the_estimate_knows_the_bank(banks: tuple[str, ...], names: tuple[str, ...], rings_each: int) -> None:
    """A bank of HBM moves 14.375 GB/s, and a frame passes it twice; two rings, which may share one."""
    options = {"vitis": {"memory": list(banks)}} if banks else {}
    found = estimate(plan_of(*on_a_card(buffer="ddr", options=options))).servers
    times = {one.name: one.seconds for one in found if "HBM" in one.name}
    beats = -(-WORDS * WIDE * 4 // 512)
    assert times == pytest.approx(dict.fromkeys(names, rings_each * 2 * beats * 64 / 14.375e9))


@pytest.mark.parametrize(
    ("board", "more", "said"),
    [
        (
            "u280",
            {"depth": 1 << 23},
            "node[0].options.vitis.memory: node n: streams in memory need 503,361,536 bytes of HBM[1], which",
        ),
        (
            "u250",
            {"options": {"vitis": {"memory": ["DDR[4]"]}}},
            "node[0].options.vitis.memory: node n: DDR[4]; u250 has DDR[0] to DDR[3]",
        ),
    ],
)
def test_what_no_card_can_do_is_refused(board: str, more: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=re.escape(said)):
        plan_of(*on_a_card(board, buffer="ddr", **more))


@pytest.mark.parametrize(
    "board",
    ["u280", *(pytest.param(board, marks=pytest.mark.sweep) for board in ("u50", "u55c", "u200", "u250"))],
)
def test_a_card_runs_and_its_kernel_is_right(board: str, tmp_path: Path) -> None:
    """Beats of 512 bits through memory, with a clock of the partitions' own."""
    network, cluster = on_a_card(board, buffer="ddr")
    node = cluster.node[0].model_copy(update={"compute_mhz": 150.0})
    out = generate_fake(network, cluster.model_copy(update={"node": (node,)}), tmp_path / "out")
    report = run(out, "verilator", frames=3)
    assert report["passed"], report_text(report)
    for pace in ("full_rate", "stalled"):
        assert report[pace]["links"]["ddr_ring"]["bursts to memory"] > 20
    assert main(["check", str(out)]) == 0
    kernel, link = ((out / "n/vitis" / name).read_text() for name in ("kernel.xml", "link.cfg"))
    assert '<port name="m_axi_ring_0" mode="master" range="0xFFFFFFFFFFFFFFFF" dataWidth="512"' in kernel
    ddr = {"u200": "DDR[1]", "u250": "DDR[0]"}
    banks = (ddr[board], ddr[board]) if board in ddr else ("HBM[1]", "HBM[2]")
    assert all(f"sp=core_0.m_axi_ring_{at}:{bank}\n" in link for at, bank in enumerate(banks))


def test_a_refusal_says_that_numbers_of_frames_are_on_the_chip() -> None:
    """A million frames of one word: the ring takes the words, and block RAM two numbers for each."""
    network, cluster = in_the_middle(lead=0, words=1, depth=1_000_000)
    with pytest.raises(
        PlanError, match="for the numbers of up to 1,000,000 frames in the FIFO of q_to_sum_0"
    ) as caught:
        plan_of(network, cluster)
    assert "in block RAM wherever the words are; depth in its [[link]] sets it" in str(caught.value)


@pytest.mark.sweep
def test_programs_of_a_card_give_memory_and_take_it_back(tmp_path: Path) -> None:
    """One run after another, with movers; the model of the card refuses memory that nobody holds."""
    out = generate_fake(*on_a_card(wide=20, lead=1100, words=1152, buffer="ddr"), tmp_path / "out")
    x = np.random.default_rng(1).integers(0, 16, (1, 20 * 1152), np.uint8)
    for name, content in (("x", x), ("y", 2 * x)):
        np.save(tmp_path / f"{name}.npy", content)
    (tmp_path / "n.xclbin").write_bytes(b"")
    given = ["--input", tmp_path / "x.npy", "--golden", tmp_path / "y.npy", "--xclbin", tmp_path / "n.xclbin"]
    board = HostBoard(out, "n", simulator="verilator", program="mover_program")
    said = board.run(tmp_path / "runs", given, given)
    assert [one.code for one in said] == [0, 0], said


class Stop:
    """Stops `keep` after two looks; what it sees at each."""

    def __init__(self, look: Any) -> None:
        self.look, self.seen = look, list[Any]()

    def wait(self, _seconds: float) -> bool:
        """Tell whether to stop."""
        self.seen.append(self.look())
        return len(self.seen) == 2


def in_the_middle(lead: int = 1100, words: int = 1152, **more: Any) -> tuple[Network, ClusterSpec]:
    """The same graph on a card between two that hold no part of the network."""
    network, cluster = on_a_card(wide=20, lead=lead, words=words, buffer="ddr", **more)
    nodes: list[dict[str, object]] = [
        {"name": "first", "board": "u280", "partitions": []},
        {"name": "n", "board": "u280", "partitions": [0, 1, 2]},
        {"name": "last", "board": "u55c", "partitions": []},
    ]
    links = [one.model_dump(by_alias=True, exclude_unset=True) for one in cluster.link]
    ends = [{"from": "host", "to": "p", "at": "first"}, {"from": "r", "to": "host", "at": "last"}]
    return network, spec(nodes, link=[*links, *ends])


@pytest.fixture(scope="module")
def middle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("middle")
    generate_fake(*in_the_middle(), folder / "out")
    return folder


def test_a_card_in_the_middle_is_right(middle: Path) -> None:
    assert main(["check", str(middle / "out")]) == 0
    assert (middle / "out/host/run_n.py").exists()
    assert (middle / "out/host/shellgen_keep.py").exists()


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Card]:
    network, cluster = in_the_middle()
    plan = plan_of(network, spec_of_one(cluster))
    yield from card(
        plan, {**network.files, **junction_files(plan.partitions)}, tmp_path_factory.mktemp("kernel"), RULES
    )


def spec_of_one(cluster: ClusterSpec) -> ClusterSpec:
    """Return the card in the middle alone."""
    nodes = tuple(node for node in cluster.node if node.partitions)
    links = tuple(link.model_copy(update={"at": None}) for link in cluster.link)
    return cluster.model_copy(update={"node": nodes, "link": links})


XML, LINK, WRAPPER = "vitis/kernel.xml", "vitis/link.cfg", "vitis/n_kernel.v"
RING, POINTER = (
    'name="m_axi_ring_0" mode="master" range="0xFFFFFFFFFFFFFFFF" ',
    'port="m_axi_ring_0" size="0x8"',
)
WIRED = ".m_axi_ring_0_awvalid(m_axi_ring_0_"
# File, what is there, what somebody writes instead, and the rule that tells.
MISTAKES = {
    "a slave": (XML, RING, RING.replace("master", "slave"), "kernel-ports"),
    "a width": (XML, f'{RING}dataWidth="128"', f'{RING}dataWidth="512"', "kernel-ports"),
    "no pointer": (
        XML,
        'name="ring_0" addressQualifier="1"',
        'name="ring_0" addressQualifier="0"',
        "plan-kernel",
    ),
    "half a pointer": (XML, POINTER, POINTER.replace("0x8", "0x4"), "kernel-ports"),
    "a pointer elsewhere": (XML, f'{POINTER} offset="0x', f'{POINTER} offset="0x1', "plan-kernel"),
    "one port for two": (XML, 'port="m_axi_ring_1"', 'port="m_axi_ring_0"', "plan-kernel"),
    "left out": (LINK, "sp=core_0.m_axi_ring_0:HBM[1]\n", "", "plan-link"),
    "another bank": (LINK, "sp=core_0.m_axi_ring_0:HBM[1]", "sp=core_0.m_axi_ring_0:HBM[2]", "plan-link"),
    "a bank that is not there": (LINK, "m_axi_ring_0:HBM[1]", "m_axi_ring_0:HBM[40]", "kernel-link"),
    "a port that is not there": (LINK, "core_0.m_axi_ring_0", "core_0.m_axi_ring_7", "kernel-link"),
    "crossed": (WRAPPER, f"{WIRED}awvalid)", f"{WIRED}arvalid)", "plan-kernel-wires"),
}


def test_a_kernel_with_masters_is_right(kernel: Card) -> None:
    assert kernel.judged() == []


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_at_a_master_is_found(case: str, kernel: Card) -> None:
    file, old, new, rule = MISTAKES[case]
    with kernel.changed(file, replaced(old, new)) as found:
        assert rule in {one.rule for one in found}, found


@pytest.mark.sweep
def test_a_card_in_the_middle_runs(middle: Path) -> None:
    report = run(middle / "out", "verilator", frames=3, walk=False)
    assert report["passed"], report_text(report)
    assert report["full_rate"]["links"]["ddr_ring"]["bursts to memory"] > 20


def test_a_card_in_the_middle_has_a_program_that_holds_its_memory(
    middle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over the library, compiled for headers that stand for XRT's; registers are a file."""
    host = middle / "out/host"
    (entry,) = (
        one for one in json.loads((middle / "out/memory_map.json").read_text())["nodes"] if one["name"] == "n"
    )
    assert [entry["movers"], [one["bank"] for one in entry["rings"]]] == [[], ["HBM[1]", "HBM[2]"]]
    registers = place(tmp_path, entry)
    library = build_library(host, tmp_path)
    for name, value in surroundings(tmp_path, entry).items():
        monkeypatch.setenv(name, value)
    xrt, keep = (emitted_module(middle / "out", f"shellgen_{name}") for name in ("xrt", "keep"))
    image = tmp_path / "n.xclbin"
    image.write_text("xclbin2 of n\nHBM[0]+\nHBM[1]+\nHBM[2]+\nHBM[3]\n")
    bus = xrt.XrtBus(entry, "0", image, xrt.library(library))
    first, second = entry["rings"]

    def look() -> list[int]:
        return [
            bus.read(at) for at in (first["arm"], first["base_high"], second["base_high"], second["base_low"])
        ]

    stop = Stop(look)
    keep.keep(entry, bus, stop)
    assert stop.seen == [[3, 1, 2, 0]] * 2
    assert bus.read(first["arm"]) == 0
    assert "n: streams have memory until this program ends: broadcast_0" in capsys.readouterr().out
    # It was given back, and there is a limit: 64 KiB of each bank.
    taken = bus.take("HBM[2]", 1 << 16)
    with pytest.raises(xrt.HostError, match=r"^n: no 4096 bytes of HBM\[2\]: failed to allocate bo"):
        bus.take("HBM[2]", 4096)
    taken.free()
    bus.take("HBM[2]", 4096).free()
    with pytest.raises(xrt.HostError, match=r"it uses no bank HBM\[3\], but HBM\[0\], HBM\[1\], HBM\[2\]$"):
        bus.take("HBM[3]", 4096)

    def fault() -> None:
        with registers.open("r+b") as file:
            file.seek(first["read_faults"])
            file.write(b"\x02")

    with pytest.raises(
        xrt.HostError, match=rf"^n: the memory has answered a read of stream {second['boundary']}"
    ):
        keep.keep(entry, bus, Stop(fault))
    assert bus.read(first["arm"]) == 0
    bus.close()


def surroundings(folder: Path, entry: dict[str, Any]) -> dict[str, str]:
    """Return what the headers must know: where the card is, and which registers are flags."""
    flags = {ring[name] for ring in entry["rings"] for name in ("write_faults", "read_faults")}
    return {"STAND_IN": str(folder), "STAND_IN_FLAGS": " ".join(map(str, sorted(flags)))}


def place(folder: Path, entry: dict[str, Any]) -> Path:
    """Put the core of a card where the headers look for it; rings are at rest. Return its registers."""
    card = folder / "0"
    card.mkdir()
    (card / "loaded").write_text("")
    core = bytearray(entry["span"])
    (status,) = (block for block in entry["blocks"] if block["name"] == "status")
    build = int(entry["build_id"], 16)
    told = {"MAGIC": MAGIC, "BUILD_ID_LOW": build & 0xFFFFFFFF, "BUILD_ID_HIGH": build >> 32}
    places = {status["base"] + one["offset"]: told.get(one["name"], 0) for one in status["registers"]}
    for at, value in (places | {entry["rings"][0]["idle"]: 3}).items():
        core[at : at + 4] = value.to_bytes(4, "little")
    registers = card / "n_kernel:core_0"
    registers.write_bytes(core)
    return registers


def test_the_program_takes_what_the_card_needs_and_ends_on_a_signal(middle: Path, tmp_path: Path) -> None:
    """As it is started, with the compiled library beside it."""
    out = tmp_path / "out"
    shutil.copytree(middle / "out", out)
    build_library(out / "host", out / "host")
    (entry,) = (
        one for one in json.loads((out / "memory_map.json").read_text())["nodes"] if one["name"] == "n"
    )
    place(tmp_path, entry)
    image = tmp_path / "n.xclbin"
    image.write_text("xclbin2 of n\nHBM[0]\nHBM[1]+\nHBM[2]+\n")
    environment = {**os.environ, **surroundings(tmp_path, entry)}
    command = [sys.executable, str(out / "host/run_n.py"), "--xclbin", str(image)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        assert "n: streams have memory until" in program.stdout.readline()
        program.terminate()
        assert program.wait(timeout=60) == 0
    for more, said in (
        (["--input", "x.npy"], "--input: no stream of node n goes through the host's memory; only its rings"),
        (["--buffers", "x"], "--buffers: node n is on bus xrt, which has none"),
    ):
        done = subprocess.run([*command, *more], env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert said in done.stderr
