# SPDX-License-Identifier: BSD-3-Clause
"""Cards under Coyote v1 that ACCL joins, each with shellgen-node: epochs, values, flags."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from accl_cluster import reference
from coyote_node import Card, cards, node_program
from test_coyote_host import HOOK

from shellgen_host import Cluster, HostError, Hosts

pytestmark = [pytest.mark.xdist_group("coyote_host"), pytest.mark.sweep]
GIVEN = ("--set", "communicator=0x1c8", "--set", "arithmetic=656")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("host_accl")
    reference(folder, [(0, 1), (2, 3)])
    node_program(folder, "v1")
    return folder


@contextmanager
def pair(made: Path, folder: Path, hook: bool = False) -> Iterator[tuple[Card, Card, Hosts]]:
    program = made / "node_v1"
    if hook:
        (folder / "user.cpp").write_text(HOOK)
        program = node_program(folder, "v1", folder / "user.cpp")
    with cards(made / "out", folder / "run", {"n0": program, "n1": made / "node_v1"}) as (found, hosts):
        yield found["n0"], found["n1"], hosts


def right(made: Path, cluster: Cluster, times: int = 3) -> None:
    x, y = np.load(made / "in.npy"), np.load(made / "out.npy")
    for _ in range(times):
        assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())


def test_values_that_the_map_only_names(made: Path, tmp_path: Path) -> None:
    """From the command line, or from the user's source, behind which the command line comes."""
    with pair(made, tmp_path, hook=True) as (plain, _, _):
        hooked, plain.program = plain.program, made / "node_v1"
        said = plain.refused(*GIVEN[2:])
        assert (
            "--set: node n0 needs a value for communicator (get_communicator_addr() of ACCL's driver)" in said
        )
        said = plain.refused(*GIVEN, "--set", "nix=1")
        assert "--set: the map asks for no value nix; it has arithmetic, communicator" in said
        for value in ("x", "0x", "0x123456789", "-1", "4294967296"):
            assert f"--set: '{value}' is no" in plain.refused("--set", f"communicator={value}")
        assert "--set: 'communicator' is not NAME=VALUE" in plain.refused("--set", "communicator")
    for words, communicator in (((), 0x1C8), (("--set", "communicator=7"), 7)):
        at = tmp_path / str(communicator)
        at.mkdir()
        with cards(made / "out", at, {"n0": hooked, "n1": made / "node_v1"}) as (found, hosts):
            with (
                found["n0"].serve(*words) as server,
                found["n1"].serve(*GIVEN),
                Cluster(made / "out", hosts) as cluster,
            ):
                right(made, cluster, 1)
            assert server.said().startswith("begin n0 0 0\n")
            assert server.said().endswith("\nend\n")
        puts = json.loads((at / "n0" / "puts.json").read_text())["commands"]
        assert len(puts) == len(np.load(made / "in.npy"))
        assert all(put == [3, 16, communicator, 1, 0, 0, 0x290, 0, 3, *[0] * 6] for put in puts)


def test_epochs(made: Path, tmp_path: Path) -> None:
    """Clients come and go, and a server, with frames between the cards: every result is right."""
    with pair(made, tmp_path) as (one, two, hosts), two.serve(*GIVEN):
        server = one.start(*GIVEN)
        server.wait()
        for _ in range(3):
            with Cluster(made / "out", hosts) as cluster:
                right(made, cluster)
        with Cluster(made / "out", hosts) as cluster:
            for how in (signal.SIGTERM, signal.SIGKILL):
                x, y = np.load(made / "in.npy"), np.load(made / "out.npy")
                with ThreadPoolExecutor(1) as pool:
                    under_way = pool.submit(cluster.predict, np.concatenate([x] * 20))
                    time.sleep(0.3)
                    server.process.send_signal(how)
                    server.process.wait()
                    server = one.start(*GIVEN)
                    found = np.asarray(under_way.result())
                assert np.array_equal(found.reshape(20, -1), y.reshape(1, -1).repeat(20, 0))
            assert cluster.epochs > 2


def test_a_put_that_the_engine_refuses(made: Path, tmp_path: Path) -> None:
    """The node tells which flag is set, and the frames are sent again in the next epoch."""
    notes: list[str] = []
    with (
        pair(made, tmp_path) as (one, two, hosts),
        one.serve(*GIVEN),
        two.serve(*GIVEN),
        Cluster(made / "out", hosts, note=notes.append) as cluster,
    ):
        right(made, cluster)
        (one.folder / "refuse").touch()
        threading.Timer(2, (one.folder / "refuse").unlink).start()
        right(made, cluster)
    assert "accl FLAGS.REFUSED is set" in " ".join(notes)


def test_an_engine_that_nobody_has_set_up(made: Path, tmp_path: Path) -> None:
    with pair(made, tmp_path) as (one, two, hosts):
        (two.folder / "not_ready").touch()
        with one.serve(*GIVEN), two.serve(*GIVEN):
            with pytest.raises(HostError, match=r"cclo\.CFGRDY: read 0+, wanted 0x00000001"):
                Cluster(made / "out", hosts, patience=1)
            (two.folder / "not_ready").unlink()
            with Cluster(made / "out", hosts) as cluster:
                right(made, cluster)
