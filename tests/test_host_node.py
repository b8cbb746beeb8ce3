# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node serves honest clients: frames, results of a model, `shellgen status` and `shellgen run`."""
# ruff: noqa: F811 - fixtures of host_pair are parameters here

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from host_model_files import scale_model, threshold_model
from host_pair import Running, files, golden, out, running  # noqa: F401 - fixtures

from shellgen.cli import main
from shellgen.read.host_models import host_models
from shellgen.rehearse.node_program import NETWORK
from shellgen.resources import data_dir
from shellgen_host import Cluster, RefusedError
from shellgen_host import InputError as HostInputError

pytestmark = pytest.mark.xdist_group("rehearse")


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


def test_status(running: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nodes that wait, nodes that a client controls, and one that is not there."""
    tables = (
        f'[[node]]\nname = "{name}"\naddress = "{at[0]}:{at[1]}"\n' for name, at in running.hosts.items()
    )
    hosts = tmp_path / "hosts.toml"
    hosts.write_text("\n".join(tables))
    words = ["status", str(running.out), "--hosts", str(hosts)]
    assert main(words) == 0
    assert capsys.readouterr().out == "one  waits for its first client\ntwo  waits for its first client\n"
    x, _ = golden(running.out)
    with Cluster(running.out, running.hosts) as cluster:
        cluster.predict(x)
        assert main(words) == 0
        said = capsys.readouterr().out
        assert (
            len(re.findall(r"^(one|two)  runs frames; role: 127\.\S+ already controls node", said, re.M)) == 2
        )
        assert np.array_equal(np.asarray(cluster.predict(x)), np.asarray(cluster.predict(x)))
        assert cluster.epochs == 1
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["two"]["epoch"], found["two"]["counters"]["made"]) == (1, 3 * len(x))
    running.nodes["two"].kill()
    assert main(words) == 1
    assert "two  127." in capsys.readouterr().out
    assert main(["status", str(running.out), "--hosts", str(tmp_path / "none.toml")]) == 2
    assert "No such file or directory. Write one: for each board a [[node]]" in capsys.readouterr().err


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
    assert "wrong: frames 2\n" in capsys.readouterr().out
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
