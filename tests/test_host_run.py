# SPDX-License-Identifier: BSD-3-Clause
"""The runners of two boards: from .npy through real cores to .npy, and all that may be wrong on the way."""

from __future__ import annotations

import json
import shutil
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cluster_bench import MIXED
from external_cluster import FRAMES, VECTORS, WIDTHS, write_build
from host_board import HostBoard
from host_library import library

from shellgen.api import generate, weights
from shellgen.reference import load_layers, synthetic_model
from shellgen.reference.execute import execute_layers

pytestmark = pytest.mark.xdist_group("host_run")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two boards; the second has two streams of external weights, and memory above 4 GiB."""
    folder = tmp_path_factory.mktemp("host")
    cluster = write_build(folder)
    cluster.write_text(cluster.read_text().replace('"zcu104"', '"kv260_som"'))
    generate(cluster, folder / "out")
    weights(cluster, folder / "weights")
    dmas = json.loads((folder / "out" / "memory_map.json").read_text())["nodes"][1]["dma"]
    assert {dma["address_bits"] for dma in dmas} == {40}
    return folder


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def test_two_boards_through_a_socket(made: Path, tmp_path: Path) -> None:
    """Twice, without a reset of the boards, with batches that do not divide the frames and differ."""
    first, second = HostBoard(made / "out", "zed"), HostBoard(made / "out", "zcu")
    ports = [free_port(), free_port()]
    sends = [
        ["--input", made / "in.npy", "--connect", f"127.0.0.1:{ports[0]}", "--batch", 3],
        ["--input", made / "in.npy", "--connect", f"127.0.0.1:{ports[1]}", "--frames", 3],
    ]
    takes = [
        ["--listen", f"127.0.0.1:{ports[0]}", "--output", tmp_path / "y.npy", "--golden", made / "out.npy"],
        ["--listen", ports[1], "--golden", made / "out.npy", "--batch", 1],
    ]
    with ThreadPoolExecutor(2) as pool:
        futures = [
            pool.submit(board.run, tmp_path / board.node, *runs)
            for board, runs in ((first, sends), (second, takes))
        ]
        said = [future.result() for future in futures]
    assert [one.code for one in (*said[0], *said[1])] == [0] * 4, said
    assert said[0][0].out.startswith(f"zed: {FRAMES} frames in ")
    assert [one.out.splitlines()[1:] for one in said[1]] == [["zcu: as in the golden frames"]] * 2
    found, wanted = np.load(tmp_path / "y.npy"), np.load(made / "out.npy")
    assert np.array_equal(found.reshape(FRAMES, -1), wanted.reshape(FRAMES, -1))


def values(made: Path) -> np.ndarray:
    read: np.ndarray = np.load(made / "in.npy").reshape(FRAMES, -1).astype(np.int64)
    return read


@pytest.mark.sweep
def test_what_is_wrong_is_told_and_the_next_run_is_right(made: Path, tmp_path: Path) -> None:
    """One board after another fault, without any reset but the runner's own."""
    given = ["--input", made / "in.npy"]
    told = [*given, "--output", tmp_path / "mid.npy"]
    board = HostBoard(made / "out", "zed")
    assert [one.code for one in board.run(tmp_path / "first", told)] == [0]
    mid = np.load(tmp_path / "mid.npy")
    assert mid.shape == (FRAMES, 3, 8)
    mid[2, 1, 3] ^= 1
    np.save(tmp_path / "wrong.npy", mid)
    beyond = values(made)
    beyond[1, 5] = 8
    np.save(tmp_path / "beyond.npy", beyond)
    np.save(tmp_path / "shape.npy", np.zeros((4, 35), np.uint8))
    np.save(tmp_path / "half.npy", values(made) + 0.5)
    (tmp_path / "text.npy").write_text("1 2 3")
    (tmp_path / "cut.npy").write_bytes((made / "in.npy").read_bytes()[:-1])
    cases = {
        ("--golden", tmp_path / "wrong.npy"): "1 of 96 values differ, the first at frame 2, element 11: got",
        ("--golden", tmp_path / "beyond.npy"): "its shape is (4, 36); frames are (number, 1, 3, 8)",
        ("--batch", 65536): "--batch 65536: node zed takes 1 to 65535 frames in a transfer",
        ("--frames", 5): "it has 4 frames, and 5 are asked for",
        ("--output", tmp_path / "no" / "y.npy"): "y.npy: there is no folder",
        ("--output", "m_axis_7=y"): "--output m_axis_7=y: give it as STREAM=VALUE; streams are m_axis_0",
        ("--connect", "nowhere"): "nowhere: give it as HOST:PORT",
        ("--map", tmp_path): "it is no file",
    }
    inputs = {
        "beyond.npy": "frame 1, element 5 is 8; UINT3 holds whole numbers from 0 to 7",
        "shape.npy": "its shape is (4, 35); frames are (number, 1, 3, 12)",
        "half.npy": "frame 0, element 0 is",
        "text.npy": "text.npy: it is no .npy of numbers",
        "cut.npy": "cut.npy: it is no .npy of numbers",
        "none.npy": "none.npy: No such file or directory",
    }
    runs = [[*given, *case] for case in cases]
    runs += [["--input", tmp_path / name] for name in inputs]
    runs += [["--output", tmp_path / "x.npy"], [*given, "--golden", tmp_path / "mid.npy"]]
    said = board.run(tmp_path / "second", *runs)
    texts = [*cases.values(), *inputs.values(), "nothing feeds s_axis_0 (host_to_"]
    for one, wanted in zip(said, texts, strict=False):
        assert wanted in one.err, one
        assert len(one.err.splitlines()) == 1, one
    assert [one.code for one in said] == [1] + [2] * (len(said) - 2) + [0], said


@pytest.mark.sweep
def test_a_beat_that_is_lost(made: Path, tmp_path: Path) -> None:
    """The one with TLAST, for which the core waits; the library loses one in the middle of a frame."""
    given = ["--input", made / "in.npy", "--batch", 1, "--timeout", 1.5]
    said = HostBoard(made / "out", "zed", lost={"s_axis_0": 3}).run(tmp_path, given, given)
    assert [one.code for one in said] == [2, 0], said
    assert "framing errors" in said[0].err or "nothing moved for 1.5 s" in said[0].err


@pytest.mark.sweep
def test_results_that_are_marked(made: Path, tmp_path: Path) -> None:
    """They are written, and runner and library say which frames are not what they should be."""
    board = HostBoard(made / "out", "zed", library=library(), marked=(1, 2))
    files = [tmp_path / "library.npy", tmp_path / "python.npy"]
    said = board.run(
        tmp_path / "run",
        ["--input", made / "in.npy", "--output", files[1]],
        moves=[([made / "in.npy", files[0], None], {})],
    )
    assert [one.code for one in said] == [1, 1], said
    for one in said:
        assert "some of the frames 1 to 2 are made of frames that a card has lost in a reset" in one.err
        assert len(one.err.splitlines()) == 1
    assert all(len(np.load(file)) == FRAMES for file in files)


@pytest.mark.sweep
def test_a_board_that_gets_back_what_it_has_sent(tmp_path: Path) -> None:
    """To the second board and back: no stream may wait for another, nor a board for the other one."""
    ring = replace(MIXED, nodes=(("zed", "zedboard", (0, 2)), ("zcu", "zcu104", (1,))))
    out = ring.generate(tmp_path)
    there, back = free_port(), free_port()
    ends = ["--input", f"s_axis_0={tmp_path / 'in.npy'}", "--golden", f"m_axis_1={tmp_path / 'out.npy'}"]
    ends += ["--listen", f"127.0.0.1:{back}", "--connect", f"m_axis_0=127.0.0.1:{there}", "--batch", "2"]
    middle = ["--listen", f"127.0.0.1:{there}", "--connect", f"127.0.0.1:{back}"]
    with ThreadPoolExecutor(2) as pool:
        futures = [
            pool.submit(HostBoard(out, node).run, tmp_path / node, arguments)
            for node, arguments in (("zed", ends), ("zcu", middle))
        ]
        said = [future.result()[0] for future in futures]
    assert [one.code for one in said] == [0, 0], said
    assert said[0].out.splitlines()[1:] == ["zed: as in the golden frames"]


@pytest.mark.sweep
def test_a_buffer_at_an_odd_place(made: Path, tmp_path: Path) -> None:
    board = HostBoard(made / "out", "zed", offset=4, library=library())
    said = board.run(tmp_path, ["--input", made / "in.npy"], moves=[([made / "in.npy", None, None], {})])
    assert [one.code for one in said] == [2, 2]
    assert "a buffer of 36 bytes was allocated at 0x4, which is not a multiple of 64" in said[0].err
    assert "a buffer was allocated at 0x44, which is not a multiple of 64" in said[1].err


def test_the_library_loads_a_real_core(made: Path, tmp_path: Path) -> None:
    """Right weights are found there, others change what comes out, and the right ones restore it."""
    right = made / "weights" / "zed"
    shutil.copytree(right, tmp_path / "other")
    path = next(path for path in sorted((tmp_path / "other").glob("*.dat")))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *(f"{int(line, 16) ^ 1:08x}" for line in lines[1:])]) + "\n")
    board = HostBoard(made / "out", "zed", library=library())
    check = {"check": True}
    loads = [(right, check), (tmp_path / "other", {}), (right, check), (right, {}), (right, check)]
    said = board.run(tmp_path / "run", loads=loads)
    assert [one.code for one in said] == [0, 0, 2, 0, 0], said
    assert "layer " in said[2].err
    assert " word 0 bit 0 is " in said[2].err


@pytest.mark.sweep
def test_weights_that_were_loaded_survive_a_reset(made: Path, tmp_path: Path) -> None:
    """Others than the bitstream holds; after both resets of CONTROL they are there, and frames are theirs."""
    shutil.copytree(made / "build", tmp_path / "build")
    for name in ("cluster.toml", "in.npy", "out.npy"):
        shutil.copy(made / name, tmp_path)
    path = tmp_path / "build" / "partition_0.onnx"
    child, layer = onnx.load(path), load_layers(synthetic_model(WIDTHS, "INT4", "UINT3", vectors=VECTORS))[0]
    assert layer.weights is not None
    rolled = np.roll(layer.weights, 1, axis=0)
    (held,) = [tensor for tensor in child.graph.initializer if tuple(tensor.dims) == WIDTHS[:2]]
    held.CopyFrom(onnx.numpy_helper.from_array(rolled.astype(np.float32), held.name))
    onnx.save(child, path)
    layer = replace(layer, weights=rolled)
    weights(tmp_path / "cluster.toml", tmp_path / "weights")
    new, old = (folder / "weights" / "zed" for folder in (tmp_path, made))
    given = np.load(made / "in.npy")
    np.save(tmp_path / "mid.npy", execute_layers((layer,), given).reshape(FRAMES, 1, 3, 8))
    check = {"check": True}
    said = HostBoard(made / "out", "zed", library=library()).run(
        tmp_path / "run",
        ["--input", made / "in.npy", "--golden", tmp_path / "mid.npy", "--batch", 3],
        loads=[(old, check), (new, {}), 2, (new, check), 4, (new, check), (old, check)],
    )
    assert [one.code for one in said] == [0, 0, 0, 0, 0, 0, 2, 0], said
    assert [said[2].out, said[4].out] == ["2", "6"], "no reset was under way"


def test_the_library_on_real_cores(made: Path, tmp_path: Path) -> None:
    """As the runner, from board to board by a file; faults, and runs that are right after them."""
    out, given = made / "out", made / "in.npy"
    mid, last = tmp_path / "mid.npy", tmp_path / "last.npy"
    beyond = values(made)
    beyond[1, 5] = 8
    np.save(tmp_path / "beyond.npy", beyond.astype(np.int16))
    np.save(tmp_path / "half.npy", (values(made) + 0.5).astype(np.float32))
    np.save(tmp_path / "shape.npy", np.zeros((4, 35), np.uint8))
    wrong = {
        "beyond": "frame 1, element 5 is 8; UINT3 holds whole numbers from 0 to 7",
        "half": "frame 0, element 0 is ",
        "shape": "its array is uint8 (4, 35); give numbers of shape (frames, 3, 12)",
    }
    moves: list[Any] = [([given, mid, None], {"batch": 3}), ([given, None, None], {"batch": 65536})]
    moves += [([tmp_path / f"{name}.npy", None, None], {}) for name in wrong]
    moves += [
        ([given, None, None], {"frames": 9}),
        ([given, None, None], {"absent": ["zod"]}),
        ([given, None, mid], {"frames": 3}),
    ]
    first = HostBoard(out, "zed", library=library(), lost={"s_axis_0": 9})
    said = first.run(tmp_path / "first", moves=[([given, None, None], {"batch": 4, "timeout": 2.0}), *moves])
    assert "framing errors, flags 0x" in said[0].err, said
    texts = ["", "batch 65536: node zed takes 1 to 65535", *wrong.values()]
    texts += ["it has 4 frames, and 9 are sent", "absent zod: node zed has no turns of it", ""]
    for one, text in zip(said[1:], texts, strict=True):
        assert text in one.err, one
        assert one.code == (2 if text else 0), one
    assert np.load(mid).shape == (FRAMES, 3, 8)
    bad = np.load(mid)
    bad[2, 0, 7] ^= 1
    np.save(tmp_path / "bad.npy", bad)
    second = HostBoard(out, "zcu", library=library())
    said = second.run(
        tmp_path / "second",
        moves=[([mid, last, made / "out.npy"], {}), ([tmp_path / "bad.npy", None, last], {"batch": 1})],
    )
    assert [one.code for one in said] == [0, 1], said
    assert "StreamingDataflowPartition_1_to_host differs at frame 2, " in said[1].err
    assert np.array_equal(np.load(last).reshape(FRAMES, -1), np.load(made / "out.npy").reshape(FRAMES, -1))
