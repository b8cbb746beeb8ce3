# SPDX-License-Identifier: BSD-3-Clause
"""Bitstreams and weights by order, while frames are under way; drain, go on and stop."""

from __future__ import annotations

import asyncio
import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_attacks import little_memory
from host_pair import PAIR, Running, files, golden, started  # noqa: F401 - fixtures

from shellgen.api import weights
from shellgen.cli import main
from shellgen.rehearse.processes import NodeFiles
from shellgen_host import Cluster, HostError, Hosts, InputError, Operator, protocol
from shellgen_host.keys import make_keys
from shellgen_host.orders import NodeState, Order
from shellgen_host.security import load
from shellgen_host.signing import BITSTREAM, Signer
from shellgen_host.wire import Message, read

pytestmark = pytest.mark.xdist_group("rehearse")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The second board has weights that the host writes."""
    return replace(PAIR, writeable=(1,)).generate(tmp_path_factory.mktemp("programmed"))


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    make_keys(folder, "pair", ["one", "two"])
    return folder


@pytest.fixture(scope="module")
def bitstreams(files: dict[str, NodeFiles], tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    """Libraries of the cores, in place of bitstreams."""
    folder = tmp_path_factory.mktemp("bitstreams")
    for name, given in files.items():
        shutil.copy(given.core[1], folder / f"{name}.so")
    return folder


@pytest.fixture
def keyed(
    out: Path,
    files: dict[str, NodeFiles],  # noqa: F811
    keys: Path,
    tmp_path: Path,
) -> Iterator[Running]:
    """Nodes with keys and stores, whose boards have no bitstream."""

    def options(name: str) -> tuple[str, ...]:
        (tmp_path / f"store_{name}").mkdir()
        return ("--keys", str(keys / name), "--store", str(tmp_path / f"store_{name}"))

    bare = {name: replace(given, core=("--model", Path("none"))) for name, given in files.items()}
    with started(out, bare, tmp_path, options) as running:
        found = Hosts(running.hosts)
        found.tls = load(keys / "operator", False)
        running.hosts = found
        yield running


def test_from_bare_boards(keyed: Running, bitstreams: Path) -> None:
    """No frame before a bitstream; then frames, while both boards are programmed again and again."""
    x, y = golden(keyed.out)
    with pytest.raises(HostError, match=r"no bitstream is loaded; order one by shellgen program"):
        Cluster(keyed.out, keyed.hosts, patience=0.2)
    assert Operator(keyed.out, keyed.hosts).program(bitstreams) == ["one", "two"]
    notes: list[str] = []
    with Cluster(keyed.out, keyed.hosts, note=notes.append) as cluster:
        failed: list[BaseException] = []

        def again() -> None:
            try:
                for nodes in (["two"], ["one"], []):
                    cluster.program(bitstreams, nodes=nodes)
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=again)
        thread.start()
        count = 0
        while thread.is_alive() or count < 3:
            got = np.asarray(cluster.predict(np.concatenate([x] * 20)))
            assert np.array_equal(got.reshape(20, -1), y.reshape(1, -1).repeat(20, 0))
            count += 1
        thread.join()
        assert not failed
        assert cluster.epochs >= 4
    assert notes.count("two: loaded") == notes.count("one: loaded") == 2
    assert any("are there already" in note for note in notes)
    assert any("reports: files were loaded" in note for note in notes)


def hosts_file(running: Running, keys: Path, folder: Path) -> Path:
    path = folder / "hosts.toml"
    tables = (
        f'[[node]]\nname = "{name}"\naddress = "{at}:{port}"\n' for name, (at, port) in running.hosts.items()
    )
    path.write_text(f'keys = "{keys / "operator"}"\n' + "".join(tables))
    return path


def test_from_a_shell(
    keyed: Running,
    bitstreams: Path,
    keys: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`run` programs bare boards; drained ones take nothing and lose nothing; `stop` ends them in order."""
    x, y = golden(keyed.out)
    for name, values in (("x", x), ("y", y)):
        np.save(tmp_path / f"{name}.npy", values)
    hosts = str(hosts_file(keyed, keys, tmp_path))
    common = [str(keyed.out), "--hosts", hosts]
    run = ["run", *common, "--quiet", "--input", str(tmp_path / "x.npy"), "--golden", str(tmp_path / "y.npy")]
    assert main([*run, "--bitstreams", str(bitstreams)]) == 0
    assert "all results are as in the golden vectors" in capsys.readouterr().out
    notes: list[str] = []
    with Cluster(keyed.out, keyed.hosts, patience=1, note=notes.append) as cluster:
        assert main(["drain", *common, "--node", "two"]) == 0
        assert re.fullmatch(r"two  is empty; epoch 2: \d+ received, \d+ put out\n", capsys.readouterr().out)
        results: list[Any] = []
        thread = threading.Thread(target=lambda: results.append(cluster.predict(x)))
        thread.start()
        thread.join(2.5)  # more than the patience
        assert thread.is_alive()
        assert notes == ["two may take no frames, drained or loading a file; see `status`"]
        assert main(["status", *common]) == 0
        assert "two  takes no frames, by order; runs frames; role: " in capsys.readouterr().out
        with monkeypatch.context() as patch:
            patch.setattr(
                Operator, "drain", lambda *_: {"two": NodeState(1, True, False, {"received": 9, "made": 8})}
            )
            assert main(["stop", *common]) == 1
        said = capsys.readouterr().out
        assert (
            "two  still has frames; epoch 1: 9 received, 8 put out\nnothing was ended; --now ends them"
            in said
        )
        assert main(["drain", *common, "--end"]) == 0
        thread.join(60)
        assert np.array_equal(np.asarray(results[0]).ravel(), y.ravel())
        assert cluster.epochs == 1
    cases = {
        ("drain", "--node", "six"): "--node: 'six' is no node of the cluster; it has one, two",
        ("program",): "program: there is nothing to load. Give --bitstreams, --weights or both",
        (
            "program",
            "--bitstreams",
            str(tmp_path),
        ): "there is no bitstream of node one; it needs one of one.bit",
        ("program", "--weights", str(tmp_path)): "dat: No such file or directory; pack the weights",
        ("drain", "--wait", "1e999"): "--wait: got '1e999'",
    }
    for (command, *words), text in cases.items():
        assert main([command, *common, *words]) == 2, text
        assert text.partition(";")[0] in capsys.readouterr().err
    assert main(["stop", *common]) == 0
    for node in keyed.nodes.values():
        assert node.ended() == 0


def test_weights(keyed: Running, bitstreams: Path, tmp_path: Path) -> None:
    """Others, while frames are under way: from then on all results are theirs, after a restart as well."""
    x, y = golden(keyed.out)
    folder = tmp_path / "weights"
    weights(keyed.out.parent / "cluster.toml", folder)
    operator = Operator(keyed.out, keyed.hosts)
    operator.program(bitstreams, folder)
    other = shutil.copytree(folder, tmp_path / "other")
    path = sorted((other / "two").glob("*.dat"))[0]
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *(f"{int(line, 16) ^ 1:x}" for line in lines[1:])]))
    with Cluster(keyed.out, keyed.hosts) as cluster:
        assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())
        with pytest.raises(InputError, match=r"dat: it was changed after shellgen had written it; pack the"):
            cluster.load_weights(other)
        (other / "manifest.json").unlink()  # as of another program
        assert cluster.load_weights(other) == ["two"]
        changed = np.asarray(cluster.predict(x))
        assert not np.array_equal(changed.ravel(), y.ravel())
        keyed.nodes["two"].kill()
        keyed.nodes["two"].start()
        assert np.array_equal(np.asarray(cluster.predict(x)), changed)
        assert cluster.load_weights(folder, ["two"]) == ["two"]
        assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())
        path.write_text("\n".join(lines[:-1]))
        with pytest.raises(InputError, match=r"dat: \d+ registers, and layer \S+ has \d+; pack the weights"):
            cluster.load_weights(other)
        path.write_text(lines[0] + "\n" + "\n".join(["1ffffffff"] * len(lines[1:])))
        with pytest.raises(InputError, match=r"dat:2: this line is no hexadecimal number of 32 bits"):
            cluster.load_weights(other)
        path.write_text(lines[0] + "\n" + "\n".join([*lines[1:-1], "12345678"]))
        with pytest.raises(
            InputError, match=r"dat: register \d+ is 12345678, and a word of layer \S+ has \d+ bits"
        ):
            cluster.load_weights(other)
        path.write_text(lines[0].replace('"pe": ', '"pe": 9') + "\n" + "\n".join(lines[1:]))
        with pytest.raises(InputError, match=r"packed for pe 9\d, and layer"):
            cluster.load_weights(other)


def test_what_is_not_loaded(keyed: Running, bitstreams: Path, keys: Path, tmp_path: Path) -> None:
    """Another operator's file, another core, an altered file: refused; frames go on, or wait."""
    x, y = golden(keyed.out)
    operator = Operator(keyed.out, keyed.hosts)
    operator.program(bitstreams)
    make_keys(tmp_path / "others", "pair", ["one", "two"])
    strange = shutil.copytree(keys / "operator", tmp_path / "strange")
    shutil.copy(tmp_path / "others" / "operator" / "sign.key", strange)
    stranger = Hosts(keyed.hosts)
    stranger.tls = load(strange, False)
    swapped = tmp_path / "swapped"
    swapped.mkdir()
    shutil.copy(bitstreams / "one.so", swapped / "two.so")
    with Cluster(keyed.out, keyed.hosts) as cluster:
        with pytest.raises(HostError, match="refuses: signature: it is not of the operator's key"):
            Operator(keyed.out, stranger).program(bitstreams)
        store = tmp_path / "store_two"
        (file,) = (path for path in store.iterdir() if path.name != "last")
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.unlink()  # the core that runs is mapped from it
        file.write_bytes(data)
        with pytest.raises(
            HostError, match="hash: the stored file was altered, and is removed; send it again"
        ):
            operator.program(bitstreams, nodes=["two"])
        assert not file.exists()
        assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())
        with pytest.raises(HostError, match=r"the core is build \w+, the map is for|its core has no pin"):
            operator.program(swapped, nodes=["two"])
        operator.program(bitstreams, nodes=["two"])
        assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())


def test_hostile_files(keyed: Running, keys: Path, tmp_path: Path) -> None:
    """Pieces and announcements that do not fit: each refused by name, and nothing is left in the store."""
    content = bytes(range(256)) * 40
    signer = Signer(keys / "operator")
    build_id = keyed.map.nodes["two"]
    good = signer.sign(BITSTREAM, build_id, content)
    store = tmp_path / "store_two"
    fields = good.fields()

    def piece(at: int, data: bytes, length: int | None = None) -> Message:
        values = {"length": len(data) if length is None else length, "data": data}
        return Message(protocol.PIECE, frame=at, values=values)

    whole = piece(0, content[:4096])
    announce = Message(protocol.STORE, values=fields)
    other = signer.sign(BITSTREAM, build_id + 1, content)
    huge = {**fields, "size": 1 << 63}
    stories = {
        "signature: it is not": [Message(protocol.STORE, values=huge)],
        "build_id: the file is for another": [Message(protocol.STORE, values=other.fields())],
        "kind: 3 is neither": [Message(protocol.STORE, values=signer.sign(3, build_id, b"x").fields())],
        "size: 0 bytes are not from 1": [
            Message(protocol.STORE, values=signer.sign(1, build_id, b"").fields())
        ],
        "no file was announced here": [whole],
        "does not follow the last": [announce, piece(4096, content[:4096])],
        "does not follow": [announce, piece(0, content[:100])],
        "or a piece has not 1 to 4096": [announce, piece(0, b"x", 0xFFFFFFFF)],
        "a piece has not 1": [announce, piece(0, b"")],
        "the bytes that came have another": [
            announce,
            *(piece(at, b"\1" * min(4096, 10240 - at)) for at in (0, 4096, 8192)),
        ],
        "no such bitstream was announced": [Message(protocol.LOAD, values={"bitstream": b"\7" * 32})],
        "the order names no file": [Message(protocol.LOAD)],
        "there is no order 9": [Message(protocol.ORDER, values={"what": 9})],
        "of type 8 is no order": [Message(protocol.EPOCH, epoch=9)],
    }

    async def tell(said: str, messages: list[Message]) -> None:
        async with Order(keyed.map, keyed.hosts, "two") as order:
            assert order.connection
            for message in messages:
                order.connection.send(message)
            while (answer := await read(order.connection.reader)).type != protocol.FAULT:
                pass
            assert said in answer.fault
        for _ in range(200):  # the node sees the end of the connection
            if not list(store.iterdir()):
                break
            await asyncio.sleep(0.05)
        assert not list(store.iterdir()), said

    async def crowd() -> None:
        """Four may give orders; whose file is under way, sends it alone; silence ends a connection."""
        orders = [Order(keyed.map, keyed.hosts, "two") for _ in range(5)]
        for order in orders[:4]:
            await order.__aenter__()
        await orders[4].__aenter__()
        with pytest.raises(HostError, match="others give orders to node two already"):
            await orders[4].state()
        first = orders[0].connection
        assert first
        first.send(announce)
        while (await read(first.reader)).type != protocol.STORE:
            pass
        with pytest.raises(HostError, match="somebody else is sending a file to node two"):
            await orders[1].store(good)
        await asyncio.sleep(0)
        assert [path.suffix for path in store.iterdir()] == [".part"]
        first.close()
        for order in orders[1:4]:
            assert not (await order.state()).holds
            await order.__aexit__(None, None, None)

    with little_memory(*(node.pid for node in keyed.nodes.values())):
        for said, messages in stories.items():
            asyncio.run(tell(said, messages))
        asyncio.run(crowd())
