# SPDX-License-Identifier: BSD-3-Clause
"""Cards that their own network joins: shellgen-node over headers of XRT, simulated cores, UDP on loopback."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from cluster_bench import Chain
from host_pair import golden
from rehearsed import recovered, rehearsed

from shellgen.api import generate
from shellgen.rehearse.kept import kept
from shellgen_host import Cluster, protocol
from shellgen_host.wire import Message, connect, greeting, read

pytestmark = pytest.mark.xdist_group("rehearse")

# A frame takes two packets of the smallest size.
CARDS = Chain(
    widths=(40, 300, 10),
    activations="UINT3",
    folds=((3, 5, 3), (5, 3, 5)),
    cuts=(0, 1),
    nodes=(("near", "u280", (0,)), ("far", "u280", (1,))),
)


BETWEEN = "StreamingDataflowPartition_0_to_StreamingDataflowPartition_1"


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = CARDS.write_inputs(tmp_path_factory.mktemp("cards"))
    path.write_text(path.read_text() + "[links.vnx_udp]\nmtu = 156\n")
    generate(path, path.parent / "out")
    return path.parent / "out"


@pytest.mark.sweep
def test_every_kind_of_fault(cards: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cards, client and packets between cards break: every frame once, right, in order."""
    faults = [
        (20, 'kill = "far"'),
        (40, 'kill = "near"'),
        (60, 'restart = "far"\naway = 0.3'),
        (80, 'kill = "client"'),
        (100, 'restart = "near"'),
        (120, f'cut = "{BETWEEN}"'),
        (140, f'delay = "{BETWEEN}"\nseconds = 0.5'),
        (160, f'corrupt = "{BETWEEN}"'),
        (180, f'reorder = "{BETWEEN}"'),
        (190, 'kill = "far"'),
    ]
    found = rehearsed(cards, 300, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(5))
def test_recovery(cards: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    recovered(cards, 300, seed, capsys)


@pytest.mark.sweep
def test_a_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The result returns through the first card; one between has no stream of the host at all."""
    chain = Chain(
        widths=(40, 6, 10, 12),
        activations="UINT3",
        folds=((3, 5, 3), (5, 3, 5), (4, 5, 4)),
        cuts=(0, 1, 2),
        nodes=(("a", "u280", (0,)), ("b", "u280", (1,)), ("c", "u55c", (2,))),
    )
    path = chain.write_inputs(tmp_path)
    path.write_text(path.read_text() + '[host]\nthrough = "a"\n')
    generate(path, tmp_path / "out")
    faults = [
        (20, 'kill = "b"'),
        (40, 'restart = "a"'),
        (60, 'kill = "c"\naway = 0.3'),
        (80, 'restart = "b"'),
    ]
    found = rehearsed(tmp_path / "out", 200, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)


@pytest.mark.sweep
def test_beside_a_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the cards are held: the board and the host of the first one have a connection."""
    chain = Chain(
        widths=(40, 6, 10, 12),
        activations="UINT3",
        folds=((3, 5, 3), (5, 3, 5), (4, 5, 4)),
        cuts=(0, 1, 2),
        nodes=(("zed", "zedboard", (0,)), ("near", "u280", (1,)), ("far", "u280", (2,))),
    )
    path = chain.write_inputs(tmp_path)
    path.write_text(path.read_text() + '[[link]]\nfrom = "0"\nto = "1"\nkind = "tcp_xrt"\n')
    generate(path, tmp_path / "out")
    faults = [(20, 'kill = "zed"'), (40, 'kill = "near"'), (60, f'cut = "{BETWEEN}"'), (80, 'kill = "far"')]
    found = rehearsed(tmp_path / "out", 200, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)


@pytest.mark.sweep
def test_a_core_that_was_not_held(cards: Path) -> None:
    """It is not released, and not for another epoch than it was held for."""

    async def answers(address: tuple[str, int], orders: list[tuple[int, int]]) -> list[Message]:
        control = await connect(address, greeting(protocol.ROLE_CONTROL, 0, bytes(32)))
        found = []
        for epoch, flags in orders:
            control.send(Message(protocol.EPOCH, epoch=epoch, flags=flags))
            found.append(await read(control.reader))
        control.close()
        return found

    with kept(cards) as running:
        hold = protocol.FLAG_HOLD
        orders = [(7, 0), (7, hold), (8, 0), (6, hold)]
        refused, held, other, back = asyncio.run(answers(running.hosts["far"], orders))
        said = "hardware joins this node to others, and so it must be held for epoch {} before that begins"
        assert said.format(7) in refused.fault
        assert (held.type, held.flags) == (protocol.EPOCH, protocol.FLAG_ANSWER | hold)
        assert said.format(8) in other.fault
        assert back.type == protocol.EPOCH  # the one before has not begun
        # The other card is away, as far as the network knows.
        (late,) = asyncio.run(answers(running.hosts["far"], [(6, 0)]))
        assert "near, 192.168.0.10 has answered" in late.fault
        with Cluster(cards, running.hosts) as cluster:
            x, y = golden(cards)
            assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())
