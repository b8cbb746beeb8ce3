# SPDX-License-Identifier: BSD-3-Clause
"""Zynq boards before and behind a card: shellgen-node is the end of their streams, in packets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cluster_bench import Chain
from rehearsed import rehearsed

from shellgen.api import generate
from shellgen.cli import main

pytestmark = [pytest.mark.xdist_group("rehearse"), pytest.mark.sweep]

CUT = "StreamingDataflowPartition_{}_to_StreamingDataflowPartition_{}"


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chain = Chain(
        widths=(40, 300, 10, 12),
        activations="UINT3",
        folds=((3, 5, 3), (5, 3, 5), (4, 5, 4)),
        cuts=(0, 1, 2),
        nodes=(("first", "zedboard", (0,)), ("mid", "u280", (1,)), ("last", "zedboard", (2,))),
    )
    path = chain.write_inputs(tmp_path_factory.mktemp("mixed"))
    text = path.read_text() + "[links.vnx_udp]\nmtu = 156\n"  # a frame takes two packets
    for name, last in (("first", 20), ("last", 21)):
        address = f'options.vnx_udp.ip = ["192.168.0.{last}"]'
        text = text.replace(f'name = "{name}"\n', f'name = "{name}"\n{address}\n')
    path.write_text(text)
    generate(path, path.parent / "out")
    return path.parent / "out"


def test_every_kind_of_fault(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Boards, card, client and packets both ways break: every frame once, right, in order."""
    into, out = CUT.format(0, 1), CUT.format(1, 2)
    faults = [
        (20, 'kill = "first"'),
        (40, 'kill = "mid"'),
        (60, 'kill = "last"\naway = 0.3'),
        (80, 'kill = "client"'),
        (100, f'cut = "{into}"'),
        (120, f'delay = "{into}"\nseconds = 0.4'),
        (140, f'corrupt = "{into}"'),
        (160, f'reorder = "{into}"'),
        (180, f'cut = "{out}"'),
        (200, f'corrupt = "{out}"'),
        (220, f'reorder = "{out}"'),
        (240, 'restart = "mid"'),
        (260, 'restart = "first"'),
    ]
    found = rehearsed(mixed, 400, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)


@pytest.mark.parametrize("seed", range(5))
def test_recovery(mixed: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rehearse", str(mixed), "--frames", "300", "--seed", str(seed), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["frames"], found["wrong"], found["missing"], found["disorder"]) == (300, [], {}, [])
