# SPDX-License-Identifier: BSD-3-Clause
"""The runner of a Zynq between two cards: frames by UDP into its core and out of it, over a bad network."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake
from host_board import HostBoard, Said
from host_module import host_module
from lossy_socket import Lossy, Served
from mixed_cluster import CARD, ZYNQ, cluster, network
from waiting import PATIENCE

from shellgen.rehearse.processes import loopback

pytestmark = pytest.mark.xdist_group("mixed_program")
FRAMES = 7
vnx = host_module("shellgen_vnx")
FRAME_BYTES = 4000  # two full packets and a part
STREAM = (("UINT8", 8, FRAME_BYTES),)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Card, Zynq, card, in a network of loopback addresses."""
    net = loopback()
    asked = cluster([CARD, ZYNQ, CARD], {"subnet": f"{net}.0/24"}, net=net)
    folder: Path = generate_fake(network(3, STREAM), asked, tmp_path_factory.mktemp("mixed") / "out")
    return folder


def streams(out: Path) -> list[dict[str, Any]]:
    """Return the two streams of the Zynq in its map."""
    whole = json.loads((out / "memory_map.json").read_text())
    found: list[dict[str, Any]] = whole["nodes"][1]["streams"]
    return found


class Cards(Served):
    """Ends in Python in place of both cards: the one sends frames, the other one takes them."""

    def __init__(self, out: Path, loss: float, **changes: int) -> None:
        into, away = streams(out)
        self.sender = vnx.Sender(self._terms(into, **changes), hello=0.01, timeout=0.01)
        self.receiver = vnx.Receiver(self._terms(away))
        self.ports = [
            vnx.Port(end, *self._ends(one)) for end, one in ((self.sender, into), (self.receiver, away))
        ]
        for port in self.ports:
            port._socket = Lossy(port._socket, loss)
        self.frames = [random.Random(number).randbytes(FRAME_BYTES) for number in range(FRAMES)]
        self.got: list[bytes] = []
        super().__init__()

    @staticmethod
    def _terms(stream: dict[str, Any], **changes: int) -> Any:
        told = {"frame_bytes": FRAME_BYTES, "contract": int(stream["contract"], 16)}
        return vnx.Terms(**{**told, **stream["program"]["terms"], **changes})

    @staticmethod
    def _ends(stream: dict[str, Any]) -> tuple[tuple[str, int], tuple[str, int]]:
        told = stream["program"]
        return (told["peer"], told["peer_port"]), (told["address"], told["port"])

    def _serve(self) -> None:
        for frame in self.frames:
            self.sender.offer(frame)
        vnx.serve(self.ports, self._look, PATIENCE)

    def _look(self) -> bool:
        while self.receiver.frames:
            frame = self.receiver.frames.popleft()
            assert frame.whole
            self.got.append(frame.data)
        return self._end.is_set()


def run(out: Path, folder: Path, *arguments: object) -> Said:
    (said,) = HostBoard(out, "n1").run(folder, list(arguments))
    return said


def test_every_frame_passes_the_board(out: Path, tmp_path: Path) -> None:
    """The last transfer is not full, so its last frame repeats inside the board and not beyond."""
    with Cards(out, loss=0.1) as cards:
        said = run(out, tmp_path, "--frames", FRAMES, "--batch", 3)
        assert said.code == 0, said
        end = time.monotonic() + PATIENCE
        while len(cards.got) < FRAMES and time.monotonic() < end:
            time.sleep(0.01)
    assert said.out.startswith(f"n1: {FRAMES} frames in ")
    assert cards.got == cards.frames
    assert all(port._socket.lost for port in cards.ports)
    assert cards.sender.counts["resent"] > 0


def test_what_the_command_line_lacks_is_told(out: Path, tmp_path: Path) -> None:
    board = HostBoard(out, "n1")
    known, away = (stream["boundary"] for stream in streams(out))
    runs = [[], ["--frames", 2, "--connect", "127.0.0.1:5000"]]
    first, second = board.run(tmp_path, *runs)
    assert (first.code, second.code) == (2, 2)
    assert first.err == f"run_n1: a card sends {known}, and tells no number: give --frames, how many come\n"
    said = f"run_n1: stream {away}: --connect: it goes to a card by UDP, at the address in the map; "
    said += "leave it out\n"
    assert second.err == said


def test_a_card_that_does_not_answer_is_named(out: Path, tmp_path: Path) -> None:
    said = run(out, tmp_path, "--frames", 2, "--wait", 0.1)
    assert said.code == 2
    addresses = {"{peer}:{peer_port}".format(**one["program"]) for one in streams(out)}
    endings = [f"run_n1: {one}: no answer in 0.1 s; set the card up" for one in addresses]
    assert any(said.err.startswith(one) for one in endings), said


def test_a_card_of_another_build_is_refused_by_name(out: Path, tmp_path: Path) -> None:
    with Cards(out, loss=0.0, element=1):
        said = run(out, tmp_path, "--frames", 2)
    assert said.code == 2
    into = streams(out)[0]
    peer = "{peer}:{peer_port}".format(**into["program"])
    assert said.err == (
        f"run_n1: {peer}: stream {into['boundary']}: the card has another element; load what was generated "
        "together\n"
    )
