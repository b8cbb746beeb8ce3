# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node through its sockets: what it refuses, by name, and what nobody else notices."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cluster_bench import Chain
from host_model_files import scale_model, threshold_model

from shellgen.cache import default_cache_dir
from shellgen.cli import main
from shellgen.read.host_models import host_models
from shellgen.rehearse.core_library import core_library, core_sources
from shellgen.rehearse.node_program import NETWORK, node_program
from shellgen.rehearse.processes import PORT, Node, NodeFiles, Nodes, loopback
from shellgen.resources import data_dir
from shellgen.simulate.description import read_bench
from shellgen.simulate.tools import find_verilator
from shellgen.simulate.vendor import vendor_sources
from shellgen_host import Cluster, Hosts, RefusedError, protocol
from shellgen_host import InputError as HostInputError
from shellgen_host.cluster_map import ClusterMap, Edge, read_map
from shellgen_host.edges import hello
from shellgen_host.wire import Connection, Message, connect, read, seal, sealed_frame

pytestmark = pytest.mark.xdist_group("rehearse")

# Two boards, with another width of the data path each.
PAIR = Chain(
    widths=(4, 4, 3),
    activations="UINT3",
    folds=((2, 2, 2), (3, 2, 1)),
    cuts=(0, 1),
    nodes=(("one", "zedboard", (0,)), ("two", "zcu104", (1,))),
)


@dataclass
class Running:
    """Two running nodes; the second is where a test knocks."""

    out: Path
    hosts: Hosts
    map: ClusterMap
    nodes: dict[str, Node]

    @property
    def cut(self) -> Edge:
        """The boundary between the boards, as a client that pretends to be the first board sees it."""
        whole = json.loads((self.out / "memory_map.json").read_text())
        second = whole["nodes"][1]
        for stream in second["streams"]:
            stream["host"] = True
        copy = self.out.parent / "pretended"
        copy.mkdir(exist_ok=True)
        (copy / "memory_map.json").write_text(json.dumps({**whole, "nodes": [second]}))
        return read_map(copy).inputs[0]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return PAIR.generate(tmp_path_factory.mktemp("pair"))


@pytest.fixture(scope="module")
def files(out: Path) -> dict[str, NodeFiles]:
    tool, cache, bench = find_verilator(), default_cache_dir(), read_bench(out)
    vendor, data = vendor_sources(out, bench, ""), [out / name for name in bench.data]
    program = node_program(tool, cache)
    return {
        node.name: NodeFiles(
            program,
            core_library(tool, core_sources(out, bench, node.name, vendor), cache),
            out / "memory_map.json",
            data,
            {},
        )
        for node in bench.nodes
    }


@pytest.fixture
def running(out: Path, files: dict[str, NodeFiles], tmp_path: Path) -> Iterator[Running]:
    network, hosts = loopback(), Hosts()
    hosts.update({name: (f"{network}.{index}", PORT) for index, name in enumerate(files, 1)})
    found = read_map(out)
    nodes = {}
    for name, given in files.items():
        connect_to = {edge: hosts[ends[1]] for edge, ends in found.between.items() if ends[0] == name}
        nodes[name] = Node(name, hosts[name], replace(given, connect=connect_to), tmp_path)
    with Nodes(nodes):
        yield Running(out, hosts, found, nodes)


def golden(out: Path) -> tuple[Any, Any]:
    first, last = sorted((out / "bench").glob("golden_*.npy"))
    return np.load(first), np.load(last)


def test_every_source_is_compiled_once() -> None:
    """The unit of what uses asio names its files; CMakeLists.txt names all."""
    folder = data_dir("host") / "node"
    present = {path.stem for path in folder.glob("*.cpp")}
    assert set(NETWORK) < present
    listed = (folder / "CMakeLists.txt").read_text()
    assert all(f" {name}.cpp" in listed for name in present)
    with_asio = {path.stem for path in folder.glob("*.cpp") if "asio" in path.read_text()}
    assert with_asio <= set(NETWORK)


def test_frames_through_two_boards(running: Running) -> None:
    """As in the golden vectors, in order, however they are given in; and a second client after the first."""
    x, y = golden(running.out)
    for window in (1, 100):
        with Cluster(running.out, running.hosts, window=window) as cluster:
            got = np.asarray(cluster.predict(np.concatenate([x] * 30)))
            assert np.array_equal(got.reshape(30, -1), y.reshape(1, -1).repeat(30, 0))
            streamed = list(cluster.stream(iter(x)))
            assert np.array_equal(np.array(streamed).reshape(y.shape[0], -1), y.reshape(y.shape[0], -1))
            assert cluster.throughput_test(0.1).frames > 0
            latency = cluster.latency()
            assert 0 < latency.median <= latency.percentile_99
            assert cluster.epochs == 1
    with (
        Cluster(running.out, running.hosts) as cluster,
        pytest.raises(RefusedError, match=r"node (one|two) at .* refuses: role: .* already controls node"),
    ):
        Cluster(running.out, running.hosts, patience=0.1)
    del cluster


def test_the_model_has_x_and_y(running: Running, tmp_path: Path) -> None:
    """Floats in, floats out, classes by name; also in the caller's event loop, and at the boundaries."""
    x, y = golden(running.out)
    out = tmp_path / "model"
    out.mkdir()
    (out / "memory_map.json").write_bytes((running.out / "memory_map.json").read_bytes())
    limits = np.arange(-7, 8)[None]
    before = threshold_model((1, 4), limits, out_bias=-8.0, data_layout="NC")
    onnx.save(before, str(out / "host_before.onnx"))
    (out / "host_before.onnx").write_bytes(host_models(out)["host_before.onnx"])
    onnx.save(scale_model(3), str(out / "host_after.onnx"))
    floats, wanted = x.reshape(len(x), 4) + 0.25, y.reshape(len(y), 3) / 2
    with Cluster(out, running.hosts, window=2) as cluster:
        assert np.array_equal(np.asarray(cluster.predict(floats)), wanted)
        assert np.array_equal(np.asarray(cluster.predict(x, raw=True)).reshape(y.shape), y)
        names = ["a", "b", "c"]
        for row, classes in zip(wanted, cluster.classify(floats, top=3, labels=names), strict=True):
            assert [value for _, value in classes] == sorted(row.tolist(), reverse=True)
            assert classes[0][0] == names[int(row.argmax())]
        with pytest.raises(HostInputError, match="there are 2 labels and 3 classes; correct the labels"):
            cluster.classify(floats, labels=names[:2])

        async def streamed() -> list[Any]:
            return [row async for row in cluster.stream_async(floats)]

        assert np.array_equal(np.array(asyncio.run(streamed())), wanted)


def test_run(running: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`shellgen run`: results, accuracy, what differs from the golden frames, and files that do not fit."""
    x, y = golden(running.out)
    hosts = tmp_path / "hosts.toml"
    nodes = (
        f'[[node]]\nname = "{name}"\naddress = "{at}:{port}"\n' for name, (at, port) in running.hosts.items()
    )
    hosts.write_text("".join(nodes))
    names = ("x", "y", "few", "labels", "wrong")
    made = {name: tmp_path / f"{name}.npy" for name in names}
    wrong = y.copy()
    wrong[2].flat[1] += 1
    labels = y.reshape(len(y), -1).argmax(1)
    labels[0] += 1
    for name, values in zip(names, (x, y, y[:2], labels, wrong), strict=True):
        np.save(made[name], values)
    files = {name: str(path) for name, path in made.items()}
    command = ["run", str(running.out), "--quiet", "--hosts", str(hosts), "--input", files["x"]]
    output = tmp_path / "out.npy"
    more = ["--output", str(output), "--golden", f"global_out={files['y']}", "--labels", files["labels"]]
    assert main([*command, *more, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["frames"], found["wrong"], found["missing"]) == (len(x), [], {})
    assert found["accuracy"] == (len(x) - 1) / len(x)
    assert np.array_equal(np.load(output).reshape(y.shape), y)
    assert main([*command, "--golden", files["wrong"]]) == 1
    assert "wrong: 1 frames, the first is 2" in capsys.readouterr().out
    cases = {
        ("--golden", files["few"]): f"run: --golden: it has 2 frames, and {len(x)} are sent. Give one",
        ("--golden", f"score={files['y']}"): "run: --golden: there is no 'score'. Choose from: global_out",
        ("--input", files["x"]): "names the same stream again",
        ("--input", f"more={files['x']}"): "run: --input: there is no 'more'. Choose from: global_in",
        ("--labels", str(hosts)): "hosts.toml",
        ("--patience", "0"): "--patience: got '0'; give seconds up to 86400",
    }
    for words, said in cases.items():
        assert main([*command, *words]) == 2
        assert said in capsys.readouterr().err
    hosts.write_text(hosts.read_text().replace('"two"', '"tow"'))
    assert main(command) == 2
    said = "hosts.toml:4: node[1].name: 'tow' is no node of the cluster, which has one, two"
    assert said in capsys.readouterr().err


def knock(running: Running, message: Message) -> Message:
    """Return the answer of the second node to the first message of a connection."""
    return raw(running, seal(message))


def raw(running: Running, data: bytes) -> Message:
    async def ask() -> Message:
        reader, writer = await asyncio.open_connection(*running.hosts["two"])
        writer.write(data)
        try:
            return await asyncio.wait_for(read(reader), 20)
        finally:
            writer.transport.abort()

    return asyncio.run(ask())


CONTROL = {"low": protocol.VERSION, "high": protocol.VERSION, "role": protocol.ROLE_CONTROL}


def test_a_hello_is_refused_by_the_name_of_the_field(running: Running) -> None:
    edge = running.cut
    good = hello(edge, protocol.ROLE_SOURCE, 1, 0, bytes(32))

    def other(**values: Any) -> Message:
        return replace(good, values={**good.values, **values})

    cases = {
        protocol.FAULT_CONTRACT: (other(contract=1), "contract: 0000000000000001 instead of"),
        protocol.FAULT_FRAME_BYTES: (other(frame_bytes=0xFFFFFFFF), "frame_bytes: 4294967295 instead of"),
        protocol.FAULT_TOKEN: (other(token=b"\1" * 32), "token: it is not the token"),
        protocol.FAULT_BUILD_ID: (other(build_id=1), "build_id: node two has another build"),
        protocol.FAULT_VERSION: (other(low=2, high=9), "low, high: this node speaks version 1"),
        protocol.FAULT_EDGE: (replace(good, edge=1), "edge: no such boundary enters node two"),
        protocol.FAULT_EPOCH: (good, "epoch: 1 instead of 0"),
        protocol.FAULT_MALFORMED: (Message(protocol.BYE), "the first message of a connection is HELLO"),
    }
    for code, (message, said) in cases.items():
        answer = knock(running, message)
        assert (answer.type, answer.values["code"]) == (protocol.FAULT, code), said
        assert said in answer.fault
    assert "role: 7 is not known" in knock(running, other(role=7)).fault
    assert "leaves node two" in knock(running, other(role=protocol.ROLE_SINK)).fault


def test_what_is_no_message_is_refused(running: Running) -> None:
    """A length of 4 GiB, a wrong checksum, another version, another protocol; each at once."""
    head = (protocol.MAGIC, protocol.VERSION, protocol.HELLO, 0, 0, 0, 0)
    altered = bytearray(seal(Message(protocol.HELLO, values=CONTROL)))
    altered[40] ^= 1
    cases = {
        protocol.HEADER.pack(*head, 0xFFFFFFFF, 0): (
            protocol.FAULT_MALFORMED,
            "type 1 with 4294967295 bytes",
        ),
        bytes(altered): (protocol.FAULT_CHECKSUM, "the checksum of a message is wrong"),
        b"GET / HTTP/1.1\r\nHost: two\r\n\r\n    ": (
            protocol.FAULT_MALFORMED,
            "not the protocol of shellgen",
        ),
        protocol.HEADER.pack(protocol.MAGIC, 9, protocol.PING, 0, 0, 0, 0, 0, 0): (
            protocol.FAULT_VERSION,
            "version is 9",
        ),
    }
    for data, (code, said) in cases.items():
        answer = raw(running, data)
        assert answer.values["code"] == code
        assert said in answer.fault


Story = Callable[[Connection, Connection], Awaitable[None]]


def with_source(running: Running, story: Story) -> None:
    """Run a story with the second node's control connection and its connection for frames, in epoch 5."""

    async def run() -> None:
        address = running.hosts["two"]
        control = await connect(address, Message(protocol.HELLO, values=CONTROL))
        assert control.welcome.values["build_id"] == running.map.nodes["two"]
        control.send(Message(protocol.EPOCH, epoch=5, frame=100))
        answer = await read(control.reader)
        assert (answer.type, answer.flags, answer.epoch) == (protocol.EPOCH, protocol.FLAG_ANSWER, 5)
        # The first node keeps asking to connect; it has no epoch, so it does not.
        source = await connect(address, hello(running.cut, protocol.ROLE_SOURCE, 5, 0, bytes(32)))
        assert (source.welcome.frame, source.welcome.values["credits"]) == (100, 32)
        try:
            await asyncio.wait_for(story(control, source), 60)
        finally:
            source.close()
            control.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("make", "code", "said"),
    [
        (lambda e: sealed_frame(e.number, 5, 101, b"\0" * 2), "ORDER", "frame 101 instead of 100"),
        (lambda e: sealed_frame(e.number, 5, 0, b"\0" * 2), "ORDER", "frame 0 instead of 100"),
        (lambda e: sealed_frame(e.number, 5, (1 << 64) - 1, b"\0" * 2), "ORDER", "instead of 100"),
        (lambda e: sealed_frame(e.number, 4, 100, b"\0" * 2), "EPOCH", "another boundary or epoch"),
        (lambda e: sealed_frame(e.number + 1, 5, 100, b"\0" * 2), "EPOCH", "another boundary or epoch"),
        (lambda e: sealed_frame(e.number, 5, 100, b"\0" * 3), "MALFORMED", "3 bytes, where only frames of 2"),
        (
            lambda e: sealed_frame(e.number, 5, 100, b"\0" * 2)[:-1] + b"\1",
            "CHECKSUM",
            "of frame 100 is wrong",
        ),
        (lambda _: seal(Message(protocol.PING)), "MALFORMED", "where only frames of 2 are permitted"),
        (lambda _: b"\0" * 32, "MALFORMED", "not the header of a message"),
    ],
)
def test_a_frame_that_is_refused(
    running: Running, make: Callable[[Edge], bytes], code: str, said: str
) -> None:
    """By name; frames before it stay, and the next connection goes on behind them."""

    async def story(_: Connection, source: Connection) -> None:
        source.writer.write(make(running.cut))
        while (answer := await read(source.reader)).type != protocol.FAULT:
            assert answer.type == protocol.ACK
        assert protocol.FAULTS[answer.values["code"]] == code
        assert said in answer.fault
        again = await connect(running.hosts["two"], hello(running.cut, protocol.ROLE_SOURCE, 5, 0, bytes(32)))
        assert again.welcome.frame == 100
        again.send(Message(protocol.FRAME, running.cut.number, 5, 100, payload=b"\0" * 2))
        told = await read(again.reader)
        assert (told.type, told.frame) == (protocol.ACK, 101)
        again.close()

    with_source(running, story)


def test_a_full_ring_stops_reading(running: Running) -> None:
    """Without anybody who takes results, credits end: memory does not grow."""

    async def story(control: Connection, source: Connection) -> None:
        limit = 100 + source.welcome.values["credits"]
        number = 100
        while number < limit:
            source.writer.write(sealed_frame(running.cut.number, 5, number, b"\0" * 2))
            number += 1
            if number == limit:
                try:
                    told = await asyncio.wait_for(read(source.reader), 2)
                except TimeoutError:
                    break
                limit = max(limit, told.frame + told.values["credits"])
        # One ring before the core, one behind it, and what is inside the core.
        assert 64 <= number - 100 <= 72
        control.send(Message(protocol.PING))
        state = await read(control.reader)
        assert (state.type, state.values["unsent"], state.values["copied"]) == (protocol.PING, 32, 0)
        assert state.values["waiting"] in (31, 32)

    with_source(running, story)


def test_strangers_do_not_disturb(running: Running) -> None:
    """Half of a HELLO, a byte a second, and a hundred that say nothing, while frames go on."""
    x, y = golden(running.out)

    async def disturb() -> list[asyncio.StreamWriter]:
        found = []
        for index in range(100):
            _, writer = await asyncio.open_connection(*running.hosts["two"])
            writer.write(seal(Message(protocol.HELLO, values=CONTROL))[: index % 50])
            found.append(writer)
        return found

    with Cluster(running.out, running.hosts) as cluster:
        loop = asyncio.new_event_loop()
        strangers = loop.run_until_complete(disturb())
        got = np.asarray(cluster.predict(np.concatenate([x] * 20)))
        assert np.array_equal(got.reshape(20, -1), y.reshape(1, -1).repeat(20, 0))
        assert cluster.epochs == 1
        for writer in strangers:
            writer.transport.abort()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--map: it is missing; see --help"),
        (["--map", "{map}", "--node", "two"], "--listen: it is missing"),
        (["--map", "{map}", "--node", "six", "{rest}"], "there is no node six; it has one, two"),
        (["--map", "nowhere", "--node", "two", "{rest}"], "nowhere: it cannot be opened"),
        (["--map", "{junk}", "--node", "two", "{rest}"], "it is no memory map"),
        (["--map", "{map}", "--node", "one", "{rest}"], "goes to another node: give its address"),
        (
            ["--map", "{map}", "--node", "two", "{rest}", "--connect", "a=b:1"],
            "no boundary a leaves node two",
        ),
        (
            ["--map", "{map}", "--node", "two", "{rest}", "--slots", "1"],
            "--slots: a ring has at least 2 frames",
        ),
        (["--map", "{map}", "--node", "two", "{rest}", "--slots", "1e999"], "'1e999' is not a whole number"),
        (
            ["--map", "{map}", "--node", "two", "{rest}", "--token", "12"],
            "--token: it must have 64 hex digits",
        ),
        (["--map", "{map}", "--node", "two", "{rest}", "--tokn", "12"], "--tokn: there is no such option"),
        (
            ["--map", "{map}", "--node", "two", "{rest}", "--buffers", "/dev/no"],
            "--model, --buffers: give one",
        ),
        (
            ["--map", "{map}", "--node", "two", "--listen", "127.0.0.1:0", "--buffers", "/dev/udmabuf9"],
            "load the module",
        ),
        (
            ["--map", "{map}", "--node", "two", "--listen", "1.2.3.4:9", "--model", "{core}"],
            "--listen 1.2.3.4:9:",
        ),
        (
            ["--map", "{map}", "--node", "two", "--listen", "127.0.0.1", "--model", "{core}"],
            "has no port: write",
        ),
        (
            ["--map", "{map}", "--node", "two", "--listen", "127.0.0.1:0", "--model", "{junk}"],
            "cannot be loaded",
        ),
        (
            ["--map", "{map}", "--node", "two", "--listen", "127.0.0.1:0", "--model", "{other}"],
            "the core is build",
        ),
    ],
)
def test_a_command_line_that_is_wrong(
    out: Path, files: dict[str, NodeFiles], tmp_path: Path, words: list[str], said: str
) -> None:
    """One sentence on stderr, exit code 2."""
    (tmp_path / "junk").write_text('{"schema_version": 1e999}')
    core = str(files["two"].library)
    rest = ["--listen", "127.0.0.1:0", "--model", core]
    given = {"{map}": str(out / "memory_map.json"), "{junk}": str(tmp_path / "junk"), "{core}": core}
    given["{other}"] = str(files["one"].library)
    command = [each for word in words for each in (rest if word == "{rest}" else [given.get(word, word)])]
    for path in files["two"].data:
        (tmp_path / path.name).symlink_to(path.resolve())
    ran = subprocess.run(
        [str(files["two"].program), *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 2, ran.stderr
    assert said in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert ran.stderr.startswith("shellgen-node: error: ")


def test_a_port_that_is_taken(running: Running, files: dict[str, NodeFiles], tmp_path: Path) -> None:
    host, port = running.hosts["two"]
    command = [str(files["two"].program), "--map", str(running.out / "memory_map.json"), "--node", "two"]
    command += ["--listen", f"{host}:{port}", "--model", str(files["two"].library)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 2
    assert "Address already in use; choose another port" in ran.stderr


def test_a_node_ends_with_what_started_it(running: Running) -> None:
    """However that ended: its standard input is closed then."""
    process = running.nodes["two"]._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    end = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    assert process.returncode == 0
