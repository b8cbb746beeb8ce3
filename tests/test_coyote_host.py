# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node and a card that runs Coyote: weights and frames through a real core, and what goes wrong."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import Chain, generate_fake
from coyote_host import generate_coyote
from coyote_node import NODE, Card, cards, node_program, verilated
from coyote_sim import STAND_IN
from fake_network import chain, partition, spec
from memory_partition import WORDS, memories
from waiting import PATIENCE

from shellgen.api import weights
from shellgen.rehearse.processes import PORT, loopback
from shellgen_host import Cluster, HostError, Hosts, Operator
from shellgen_host.keys import make_keys
from shellgen_host.security import load

pytestmark = pytest.mark.xdist_group("coyote_host")
SWEEP = pytest.mark.sweep

# 75 bytes from the host, 120 to it.
CARD = Chain(
    widths=(200, 6, 60),
    activations="UINT3",
    folds=((3, 25, 3), (10, 6, 10)),
    cuts=(0, 1),
    nodes=(("card", "u55c", (0, 1)),),
    writeable=(1,),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coyote_host")
    generate_coyote(CARD, folder)
    weights(folder / "cluster.toml", folder / "weights")
    make_keys(folder / "keys", "one", ["card"])
    node_program(folder)
    return folder


@contextmanager
def one(made: Path, folder: Path, program: Path | None = None, **lost: int) -> Iterator[tuple[Card, Hosts]]:
    with cards(made / "out", folder, {"card": program or made / "node_v2"}, lost) as (found, hosts):
        yield found["card"], hosts


def keyed(made: Path, folder: Path, hosts: Hosts) -> tuple[str, ...]:
    """Give a client the operator's keys; return the options of a node with keys and a store."""
    (folder / "store").mkdir(exist_ok=True)
    hosts.tls = load(made / "keys" / "operator", False)
    return ("--keys", str(made / "keys" / "card"), "--store", str(folder / "store"))


def right(made: Path, out: Path, hosts: Hosts, times: int = 1, **options: Any) -> int:
    """Run the golden frames so many times; return the number of epochs that took."""
    x, y = np.load(made / "in.npy"), np.load(made / "out.npy")
    with Cluster(out, hosts, **options) as cluster:
        for _ in range(times):
            assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())
        return cluster.epochs


def test_the_map_tells_of_host_streams(made: Path) -> None:
    (node,) = json.loads((made / "out" / "memory_map.json").read_text())["nodes"]
    assert (node["bus"], node["vfpga"]) == ("coyote", {"version": "v2", "region": 0})
    assert node["channels"] == [
        {"stream": 0, "direction": "in", "dest": 0, "max_bytes": 1 << 27},
        {"stream": 1, "direction": "out", "dest": 0, "max_bytes": 1 << 27},
    ]
    assert [(one["frame_bytes"], one["memory_bytes"]) for one in node["streams"]] == [(75, 128), (120, 128)]


def test_weights_and_frames(made: Path, tmp_path: Path) -> None:
    """One server after the other on one card, which nobody resets; one is stopped with frames under way."""
    with one(made, tmp_path / "run") as (card, hosts):
        words = keyed(made, tmp_path, hosts)
        with card.serve(*words):
            assert Operator(made / "out", hosts).program(None, made / "weights") == ["card"]
            right(made, made / "out", hosts)
        with card.serve(*words, COYOTE_NO_HUGE_PAGES="1") as server:
            right(made, made / "out", hosts, 3)
            assert "no huge pages, so ordinary ones are used; set vm.nr_hugepages" in server.said()
        server = card.start(*words)
        server.wait()
        threading.Timer(0.5, server.process.terminate).start()
        with pytest.raises(HostError):
            right(made, made / "out", hosts, 1000, patience=1)
        assert server.process.wait(PATIENCE) == 0
        with card.serve(*words):
            right(made, made / "out", hosts)
        with card.serve(*words) as server:
            Operator(made / "out", hosts).stop()
            assert server.process.wait(PATIENCE) == 0


@SWEEP
def test_what_coyote_refuses(made: Path, tmp_path: Path) -> None:
    """Missing memory and driver, a card of another number, a core of another build."""
    other = tmp_path / "other.json"
    text = (made / "out" / "memory_map.json").read_text()
    other.write_text(re.sub(r'("build_id": ")[0-9a-f]{4}', r"\g<1>0123", text))
    v1 = tmp_path / "v1.json"
    v1.write_text(text.replace('"version": "v2"', '"version": "v1"'))
    with one(made, tmp_path / "run") as (card, hosts):
        assert "host stream 0: ERROR: IOCTL_MAP_USER_MEM failed" in card.refused(lines=2, COYOTE_NO_PAGES="1")
        said = card.refused(COYOTE_NO_DRIVER="1")
        assert (
            "--device 0, vFPGA 0: ERROR: cThread instance could not be obtained, vfid: 0; is Coyote's" in said
        )
        assert "--device 1, vFPGA 0: ERROR: cThread" in card.refused("--device", "1")
        assert ", the map is for 0123" in card.refused("--map", other)
        said = card.refused("--map", v1)
        assert (
            "node card is for Coyote v1, and this shellgen-node was compiled for v2; compile another" in said
        )
        with card.serve():
            right(made, made / "out", hosts)
    accesses = json.loads((tmp_path / "run" / "card" / "accesses.json").read_text())
    assert {"r": 3, "w": 0} in accesses, "nothing is written before the core has shown the right build id"


@SWEEP
def test_a_completion_that_coyote_withholds(made: Path, tmp_path: Path) -> None:
    """The client says that no result came."""
    with one(made, tmp_path / "run") as (card, hosts):
        server = card.start(COYOTE_WITHHOLD="1")
        server.wait()
        with pytest.raises(HostError, match="card"):
            right(made, made / "out", hosts, patience=2)


@SWEEP
@pytest.mark.parametrize("lost", [1, 4, 11], ids=["of the zeros", "of a frame", "of the last frame"])
def test_a_beat_that_is_lost(made: Path, tmp_path: Path, lost: int) -> None:
    """The core makes up what lacks, and tells; a wrong frame may be out by then. The next epoch is right."""
    x, y = np.load(made / "in.npy"), np.load(made / "out.npy")
    notes: list[str] = []
    with (
        one(made, tmp_path / "run", s_host_0=lost) as (card, hosts),
        card.serve(),
        Cluster(made / "out", hosts, patience=4, note=notes.append) as cluster,
    ):
        for _ in range(4):  # the core is looked at twice a second
            cluster.predict(x)
            time.sleep(0.5)
        assert np.array_equal(np.asarray(cluster.predict(x)).reshape(y.shape), y)
        assert cluster.epochs == (1 if lost == 1 else 2)
    said = {1: "", 4: "framing error at host_to_StreamingDataflowPartition_0, FLAGS is 1"}
    assert said.get(lost, "no result came for 4 s") in " ".join(notes)


@SWEEP
def test_a_server_that_is_killed(made: Path, tmp_path: Path) -> None:
    """A transfer of it stays in Coyote and takes a frame: one of zeros, that nobody misses."""
    with one(made, tmp_path / "run") as (card, hosts):
        for _ in range(3):
            server = card.start()
            server.wait()
            right(made, made / "out", hosts)
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
        with card.serve():
            assert right(made, made / "out", hosts) == 1


def two_streams(folder: Path, version: str) -> None:
    """Generate a card that forwards two streams."""
    word = ("UINT4", 2, 16)
    node = {"name": "card", "board": "u55c", "platform": "coyote", "partitions": [0]}
    cluster = spec([{**node, "options": {"coyote": {"version": version}}}])
    generate_fake(chain(partition("pair", (word, word), (word, word))), cluster, folder / "out")


def forwards(out: Path, hosts: Hosts) -> None:
    with Cluster(out, hosts) as cluster:
        inputs = [stream.name for stream in cluster.map.inputs]
        x = {name: np.random.default_rng(k).integers(0, 16, (7, 16)) for k, name in enumerate(inputs)}
        y = cluster.predict(x)
        assert isinstance(y, dict)
        for given, found in zip(x.values(), y.values(), strict=True):
            assert np.array_equal(found.reshape(given.shape), given)


@SWEEP
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_each_stream_has_a_number_of_its_own(version: str, tmp_path: Path) -> None:
    """Also of a transfer to the host in Coyote v1, whose own function forgets the number."""
    two_streams(tmp_path, version)
    program = node_program(tmp_path, version)
    told = {"v1": "--device 1, vFPGA 0: Coyote v1 knows one card, number 0", "v2": "ERROR: cThread instance"}
    with one(tmp_path, tmp_path / "run", program) as (card, hosts):
        for environment in ({}, {"COYOTE_AVX": "1", "COYOTE_STALE": "3"}, {"COYOTE_NO_HUGE_PAGES": "1"}):
            with card.serve(**environment):
                forwards(tmp_path / "out", hosts)
        assert told[version] in card.refused("--device", "1")


HOOK = r"""
#include "shellgen_hook.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

int shellgen_hook_begin(struct shellgen_hook *hook, char *text, size_t size)
{
    if (std::getenv("HOOK_THROWS"))
        throw std::runtime_error("nobody is there");
    if (std::getenv("HOOK_FAILS")) {
        std::snprintf(text, size, "the other cards do not answer");
        return -1;
    }
    std::fprintf(stderr, "begin %s %u %u\n", hook->node, hook->device, hook->vfpga);
    hook->give(hook, "communicator", 0x1c8);
    hook->give(hook, "arithmetic", 0x290);
    hook->give(hook, "what nobody asks for", 1);
    return 0;
}

void shellgen_hook_end(struct shellgen_hook *)
{
    std::fprintf(stderr, "end\n");
}
"""


@SWEEP
def test_a_file_of_the_user_in_the_program(made: Path, tmp_path: Path) -> None:
    """This node asks for no value, so what it gives is ignored."""
    (tmp_path / "user.cpp").write_text(HOOK)
    program = node_program(tmp_path, "v2", tmp_path / "user.cpp")
    with one(made, tmp_path / "run", program) as (card, hosts):
        with card.serve() as server:
            right(made, made / "out", hosts)
        assert server.said().startswith("begin card 0 0\n")
        assert server.said().endswith("\nend\n")
        for name, said in (("FAILS", "the other cards do not answer"), ("THROWS", "nobody is there")):
            wrong = card.start(**{f"HOOK_{name}": "1"})
            assert wrong.process.wait(PATIENCE) == 2
            assert wrong.said() == f"end\nshellgen-node: error: SHELLGEN_HOOK: {said}\n"


@SWEEP
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_cmake_takes_checkout_and_file_of_the_user(version: str, tmp_path: Path) -> None:
    """It knows the version by the checkout, and compiles without a warning."""
    (tmp_path / "user.cpp").write_text(HOOK)
    checkout = STAND_IN / "v1" if version == "v1" else STAND_IN
    options = [
        f"-DCYT_DIR={checkout}",
        f"-DSHELLGEN_HOOK={tmp_path / 'user.cpp'}",
        "-DCMAKE_BUILD_TYPE=Debug",
    ]
    build = tmp_path / "build"
    library = "Coyote" if version == "v2" else "coyote_v1"
    own = [f"{name}.cpp.o" for name in ("coyote_board", f"coyote_{version}", "hook")]
    for command in (
        ["-S", NODE, "-B", build, *options],
        ["--build", build, "--target", library],
        ["--build", build, "--", *own],
    ):
        ran = subprocess.run(["cmake", *map(str, command)], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert "warning" not in ran.stderr


@SWEEP
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-DCYT_DIR=/none"], "neither coyote/cThread.hpp of Coyote v2 nor cProcess.hpp of v1"),
        (["-DSHELLGEN_HOOK=user.cpp"], "SHELLGEN_HOOK is for cards that run Coyote; give CYT_DIR"),
    ],
)
def test_what_cmake_refuses(options: list[str], said: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        ["cmake", "-S", str(NODE), "-B", str(tmp_path), *options], capture_output=True, text=True, check=False
    )
    assert ran.returncode != 0
    assert said in " ".join(ran.stderr.split())


@SWEEP
def test_300_memories_behind_the_bridge(tmp_path: Path) -> None:
    """Written through it without waiting for each word, and read back."""
    count = 300
    part, text = memories("many", count)
    network = chain((part, text))
    node = {"name": "card", "board": "u55c", "platform": "coyote", "partitions": [0]}
    out = generate_fake(network, spec([{**node, "lite": {"access": "bridge"}}]), tmp_path / "out")
    (entry,) = json.loads((out / "memory_map.json").read_text())["nodes"]
    assert [region["access"] for region in entry["regions"]] == ["bridge"] * count
    values = np.random.default_rng(0).integers(0, 1 << 32, (count, WORDS))
    (tmp_path / "weights").mkdir()
    for region in entry["regions"]:
        at = int(region["interface"].removeprefix("s_axilite_"))
        lines = "".join(f"{value:08x}\n" for value in values[at])
        (tmp_path / "weights" / region["dat"]).write_text(lines)
    make_keys(tmp_path / "keys", "one", ["card"])
    program = node_program(tmp_path)
    with (
        cards(out, tmp_path / "run", {"card": program}, simulator="verilator") as (found, hosts),
        found["card"].serve(*keyed(tmp_path, tmp_path, hosts)),
    ):
        Operator(out, hosts).program(None, tmp_path / "weights")
    made = json.loads((tmp_path / "run" / "card" / "accesses.json").read_text())[0]
    words = count * WORDS
    assert words + 2 * count <= made["w"] < words + 2 * count + 40, (
        "ADDRESS for each memory and way, and DATA"
    )
    assert words < made["r"] < words + 200, "DATA, build id, and LEVEL until all is done"


@SWEEP
def test_the_whole_user_logic(tmp_path: Path) -> None:
    """Through Coyote's control crossbar and host streams as they are modelled, into vfpga_top.svh."""
    two_streams(tmp_path, "v2")
    card = Card(
        tmp_path / "out",
        "card",
        tmp_path,
        verilated(tmp_path / "out", "card", tmp_path),
        (f"{loopback()}.1", PORT),
    )
    hosts = Hosts()
    hosts["card"] = card.address
    with card.serve():
        forwards(tmp_path / "out", hosts)
