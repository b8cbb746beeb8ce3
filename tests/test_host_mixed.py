# SPDX-License-Identifier: BSD-3-Clause
"""Zynq boards before and behind a card: shellgen-node is the end of their streams, in packets."""

from __future__ import annotations

import socket
from pathlib import Path

import numpy as np
import pytest
from cluster_bench import Chain
from rehearsed import recovered, rehearsed

from shellgen.api import generate
from shellgen.cache import default_cache_dir
from shellgen.read.output import read_map
from shellgen.rehearse.kept import compiled
from shellgen.rehearse.network import Network
from shellgen.rehearse.processes import Nodes
from shellgen.rehearse.script import Script
from shellgen.simulate.description import read_generated
from shellgen_host import Cluster, LostError

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
    recovered(mixed, 300, seed, capsys)


@pytest.mark.parametrize("how", ["Cannot assign requested address", "Address already in use"])
def test_an_address_that_cannot_be_had(mixed: Path, how: str, tmp_path: Path) -> None:
    """This machine has another one, or another program has the port: the client says so."""
    bench, plan, _ = read_generated(mixed, False)
    found = read_map(mixed)
    files = compiled(mixed, bench, plan, found, default_cache_dir(), tmp_path)
    program, core, data = files["first"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        if how.startswith("Address"):
            other.bind((f"{core[-1]}.20", 50000))
        else:
            files["first"] = (program, core[:2], data)  # the addresses of the map
        net = Network(found, Script(fault=()))
        said = rf"192\.168\.0\.20:50000: {how}; this machine must have this address, and no other program"
        with (
            Nodes(net.nodes(files, tmp_path)),
            pytest.raises(LostError, match=said),
            Cluster(mixed, net.hosts, patience=4) as cluster,
        ):
            cluster.predict(np.load(mixed.parent / "in.npy").reshape(-1, 1, 40)[:2])
