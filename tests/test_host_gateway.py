# SPDX-License-Identifier: BSD-3-Clause
"""The host as an end of streams in the network of cards: shellgen-node without a core is their server."""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster_bench import Chain
from rehearsed import recovered, rehearsed

from shellgen.api import generate

pytestmark = pytest.mark.xdist_group("rehearse")

CARDS = Chain(
    widths=(40, 300, 10),
    activations="UINT3",
    folds=((3, 5, 3), (5, 3, 5)),
    cuts=(0, 1),
    nodes=(("near", "u280", (0,)), ("far", "u280", (1,))),
)
ONE_CARD = Chain(
    widths=(40, 10), activations="UINT3", folds=((5, 5, 5),), cuts=(0,), nodes=(("card", "u280", (0,)),)
)
HOSTED = """
[links.vnx_udp]
mtu = 156
host = "192.168.0.9"

[[link]]
from = "host"
to = "StreamingDataflowPartition_0"
kind = "vnx_udp"

[[link]]
from = "StreamingDataflowPartition_1"
to = "host"
kind = "vnx_udp"
"""
BOTH_WAYS = HOSTED.replace("StreamingDataflowPartition_1", "StreamingDataflowPartition_0")  # of one card
IN, OUT = "host_to_StreamingDataflowPartition_0", "StreamingDataflowPartition_1_to_host"


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = CARDS.write_inputs(tmp_path_factory.mktemp("cards"))
    path.write_text(path.read_text() + HOSTED)
    generate(path, path.parent / "out")
    return path.parent / "out"


def test_one_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The server of the host, the card and packets break."""
    path = ONE_CARD.write_inputs(tmp_path)
    path.write_text(path.read_text() + BOTH_WAYS)
    generate(path, tmp_path / "out")
    cut = f'cut = "{IN}"'
    found = rehearsed(
        tmp_path / "out", 200, [(20, 'kill = "host"'), (40, 'kill = "card"'), (60, cut)], capsys
    )
    assert [fault["seen"] for fault in found["faults"]] == [True] * 3


@pytest.mark.sweep
def test_every_kind_of_fault(cards: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cards, the server of the host, client and packets break: every frame once, right, in order."""
    faults = [
        (20, 'kill = "host"'),
        (40, 'kill = "near"'),
        (60, 'restart = "host"\naway = 0.3'),
        (80, 'kill = "client"'),
        (100, f'cut = "{IN}"'),
        (120, f'corrupt = "{OUT}"'),
        (140, f'reorder = "{IN}"'),
        (160, 'kill = "far"'),
    ]
    found = rehearsed(cards, 200, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(4))
def test_recovery(cards: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    recovered(cards, 300, seed, capsys)


@pytest.mark.sweep
def test_replicas_at_the_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each replica has streams of its own to and from the host, none of which waits for another."""
    path = ONE_CARD.write_inputs(tmp_path)
    path.write_text(path.read_text().replace('name = "card"', 'name = "card"\nreplicas = 3') + BOTH_WAYS)
    generate(path, tmp_path / "out")
    faults = [(20, 'kill = "host"'), (40, 'kill = "card_1"\naway = 2'), (60, 'kill = "card_0"')]
    found = rehearsed(tmp_path / "out", 240, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)


@pytest.mark.sweep
def test_one_way_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Inputs come from the host by UDP; results leave the last card by its data mover."""
    path = CARDS.write_inputs(tmp_path)
    path.write_text(path.read_text() + HOSTED[: HOSTED.rindex("[[link]]")])
    generate(path, tmp_path / "out")
    found = rehearsed(tmp_path / "out", 100, [(20, 'kill = "host"'), (50, 'kill = "far"')], capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True, True]
