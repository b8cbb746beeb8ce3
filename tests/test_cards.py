# SPDX-License-Identifier: BSD-3-Clause
"""The program that sets up all cards of a host and shows them: three cards in a loop, made of words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_network import plan_of, spec
from host_module import host_module
from load_board import MAGIC
from mixed_cluster import CARD, ZYNQ, plan
from test_file_format import ROOT
from test_vnx_plan import cards as nodes
from test_vnx_plan import loop, network

from shellgen.emit.maps import emit_memory_maps
from shellgen.model import Plan

cards = host_module("shellgen_cards")
NAMES = ("n0", "n1", "n2")


class Card:
    """A card on which every step of the map has come true."""

    def __init__(self, told: dict[str, Any], name: str) -> None:
        self.entry = next(node for node in told["nodes"] if node["name"] == name)
        build = int(self.entry["build_id"], 16)
        self.words: dict[int, int] = {}
        for register, value in (
            ("MAGIC", MAGIC),
            ("BUILD_ID_HIGH", build >> 32),
            ("BUILD_ID_LOW", build & 0xFFFFFFFF),
        ):
            self.put("status", register, value)
        self.awaited = [
            step for step in told["bring_up"]["steps"] if step["node"] == name and step["op"] == "until"
        ]
        self.log: list[int] = []
        self.closed = False
        self.come_true()
        for block in self.entry["blocks"]:
            if block["block"] == "vnx_receiver":
                self.put(block["name"], "STATE", 1)

    def come_true(self) -> None:
        for step in self.awaited:
            kept = self.words.get(step["address"], 0) & ~step["mask"]
            self.words[step["address"]] = kept | step["value"] & step["mask"]

    def put(self, block: str, name: str, value: int) -> None:
        found = next(one for one in (*self.entry["blocks"], *self.entry["units"]) if one["name"] == block)
        register = next(one for one in found["registers"] if one["name"] == name)
        self.words[found["base"] + register["offset"]] = value

    def read(self, address: int) -> int:
        return self.words.get(address, 0)

    def write(self, address: int, value: int) -> None:
        self.log.append(address)
        self.words[address] = value
        if address % (1 << 32) == 0x1010 and value == 1:  # a discovery finds all
            arp = [step for step in self.awaited if ".ARP_" in step["place"]]
            self.awaited, every = arp, self.awaited
            self.come_true()
            self.awaited = every

    def close(self) -> None:
        self.closed = True


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_map(loop(), tmp_path_factory.mktemp("cards"))


def write_map(plan: Plan, folder: Path) -> Path:
    """Write the map of a cluster; return its path."""
    path = folder / "memory_map.json"
    (artifact,) = (one for one in emit_memory_maps(plan) if one.path == path.name)
    path.write_bytes(artifact.content)
    return path


@pytest.fixture
def hosts(told: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Card]:
    """All cards; the program gets those that it opens."""
    found = {name: Card(json.loads(told.read_text()), name) for name in NAMES}
    monkeypatch.setattr(
        cards, "open_buses", lambda entries, _: {one["name"]: found[one["name"]] for one in entries}
    )
    return found


DEVICES = [text for name in NAMES for text in ("--device", f"{name}={name[1]}", "--xclbin", f"{name}=x")]


def run(told: Path, *arguments: str) -> int:
    return int(cards.main([str(told), *(arguments or DEVICES)]))


def test_all_are_set_up_and_shown(
    told: Path, hosts: dict[str, Card], capsys: pytest.CaptureFixture[str]
) -> None:
    hosts["n1"].put("vnx0_tx_0", "FRAMES", 70_000)
    hosts["n1"].put("vnx0_tx_0", "RESENT", 12)
    assert run(told) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].split() == ["card", "port", "address", "MAC", "address", "link", "RS-FEC"]
    assert said[2].split() == ["n1", "0", "192.168.0.11", "02:53:c0:a8:00:0b", "up", "off"]
    (line,) = (one.split() for one in said if one.startswith("p1_to_p2") and " n1 " in one)
    assert line == ["p1_to_p2", "n1", "sends", "open", "70000", "0", "12", "0"]
    assert len([one for one in said if " sends " in one or " receives " in one]) == 6
    assert said[-1] == "all is well"
    assert max(map(len, said)) <= 80
    assert all(card.closed and card.log for card in hosts.values())


def test_the_sample_on_the_page_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two cards of a chain, after twelve frames of two packets, one of which was sent again."""
    path = write_map(plan_of(network(2), spec(nodes(2))), tmp_path)
    hosts = {name: Card(json.loads(path.read_text()), name) for name in NAMES[:2]}
    monkeypatch.setattr(
        cards, "open_buses", lambda entries, _: {one["name"]: hosts[one["name"]] for one in entries}
    )
    for name, block, again in (("n0", "vnx0_tx_0", "RESENT"), ("n1", "vnx0_rx_0", "DUPLICATES")):
        values = {"FRAMES": 12, "PACKETS": 24, again: int(name == "n0")}
        for register, value in values.items():
            hosts[name].put(block, register, value)
    assert run(path, *DEVICES[:8]) == 0
    page = (ROOT / "docs" / "host.md").read_text()
    assert f"```\n{capsys.readouterr().out}```\n" in page


def test_a_program_of_a_board_need_not_run_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the card is set up, and its streams to and from the board have no session."""
    path = write_map(plan([ZYNQ, CARD, ZYNQ]), tmp_path)
    card = Card(json.loads(path.read_text()), "n1")
    for block in ("vnx0_tx_0", "vnx0_rx_0"):
        card.put(block, "STATE", 0)
    monkeypatch.setattr(
        cards, "open_buses", lambda entries, _: {one["name"]: {"n1": card}[one["name"]] for one in entries}
    )
    assert run(path, "--device", "n1=1", "--xclbin", "n1=x") == 0
    said = capsys.readouterr().out.splitlines()
    assert [one.split()[2:4] for one in said if one.startswith("p")] == [
        ["receives", "none"],
        ["sends", "none"],
    ]
    assert said[-1] == "all is well"
    card.put("vnx0_tx_0", "LOST_FRAMES", 1)
    assert run(path, "--device", "n1=1", "--xclbin", "n1=x") == 1


def test_show_writes_nothing(told: Path, hosts: dict[str, Card]) -> None:
    assert run(told, "--show", *DEVICES) == 0
    assert not any(card.log for card in hosts.values())


def test_phases_of_several_hosts(
    told: Path, hosts: dict[str, Card], capsys: pytest.CaptureFixture[str]
) -> None:
    own = ["--node", "n0", "--xclbin", "n0=x"]
    assert run(told, *own) == 2
    assert "there are 3 phases, and other nodes must keep up: n1, n2" in capsys.readouterr().err
    assert run(told, *own, "--phase", "1") == 0
    assert capsys.readouterr().out == "n0: phase 1 of 3 done; the next when all hosts have come so far\n"
    assert run(told, *own, "--phase", "3") == 0
    assert "all is well" in capsys.readouterr().out
    assert not hosts["n1"].log


@pytest.mark.parametrize(
    ("name", "block", "register", "value", "said"),
    [
        ("n2", "cmac_0", "STAT_RX_STATUS", 0x40, "n2    0     192.168.0.12  02:53:c0:a8:00:0c  down  off"),
        ("n0", "vnx0_tx_0", "STATE", 0, "none"),
        ("n0", "vnx0_rx_1", "CUT_FRAMES", 3, " 3\n"),
        ("n1", "vnx0_tx_0", "LOST_FRAMES", 2, " 2\n"),
    ],
)
def test_what_is_wrong_is_shown(
    told: Path,
    hosts: dict[str, Card],
    capsys: pytest.CaptureFixture[str],
    name: str,
    block: str,
    register: str,
    value: int,
    said: str,
) -> None:
    assert run(told) == 0
    capsys.readouterr()
    hosts[name].put(block, register, value)
    assert run(told, "--show", *DEVICES) == 1
    shown = capsys.readouterr().out
    assert said in shown
    assert shown.endswith("see above: a link is down, a session is missing, or frames were lost\n")


def test_what_a_session_lacks_is_named(
    told: Path, hosts: dict[str, Card], capsys: pytest.CaptureFixture[str]
) -> None:
    """Two cards that were built for different frames."""
    hosts["n1"].put("vnx0_tx_0", "STATE", 2)
    hosts["n1"].put("vnx0_tx_0", "REFUSED", 0b110)
    assert run(told, "--timeout", "0.02", *DEVICES) == 2
    said = capsys.readouterr().err
    found = "p1_to_p2 has found its receiver, both agree, and 1500 bytes pass"
    assert f"{found}; vnx0_tx_0.REFUSED reads 0x00000006: " in said
    assert "ontract" in said
    assert "ytes of a frame" in said


def test_another_bitstream_is_refused(
    told: Path, hosts: dict[str, Card], capsys: pytest.CaptureFixture[str]
) -> None:
    hosts["n2"].put("status", "BUILD_ID_LOW", 1)
    assert run(told) == 2
    assert "n2: the core is build" in capsys.readouterr().err
    assert not any(card.log for card in hosts.values())
