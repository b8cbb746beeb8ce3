# SPDX-License-Identifier: BSD-3-Clause
"""External weights from the build to both simulators: repeated for every vector, and every fault is seen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import FRAMES, bench_of, run, streams_only
from external_cluster import PARTITION, VECTORS, WEIGHTS, add_dma, in_words, move_out, write_build

from shellgen.api import generate, load
from shellgen.errors import InputError, PlanError
from shellgen.simulate.cluster import Injection, simulate

SENT = FRAMES + 1
# The last beat of the second port, whose pass of 8 words of 12 bits is 3 beats of 32.
LAST = SENT * VECTORS * 3 - 1
FOLDS = {"s_axis_1": (3, 4), "s_axis_2": (1, 3)}  # PE, SIMD
STREAMS = [f"host_to_{PARTITION}_{port}" for port in WEIGHTS]

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("external")]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("external")
    generate(write_build(folder), folder / "out")
    return folder / "out"


@pytest.fixture
def moved(tmp_path: Path) -> tuple[Path, dict[str, np.ndarray]]:
    """cluster.toml of a build whose external weights are in no model, and what they were."""
    cluster = write_build(tmp_path)
    return cluster, move_out(tmp_path / "build")


def add_weights(cluster: Path, arrays: dict[str, Any]) -> None:
    """Name a file of values for each port."""
    lines = [cluster.read_text()]
    for port, array in arrays.items():
        np.save(cluster.parent / f"{port}.npy", array)
        lines += ["[[weights]]", f'port = "{PARTITION}.{port}"', f'file = "{port}.npy"']
    cluster.write_text("\n".join(lines) + "\n")


def drop_verify(cluster: Path) -> None:
    cluster.write_text(cluster.read_text().partition("[verify]")[0])


def refused(cluster: Path) -> list[str]:
    with pytest.raises((InputError, PlanError)) as error:
        load(cluster)
    return [str(problem) for problem in error.value.problems]


def words_of(report: dict[str, Any]) -> dict[str, int]:
    return {verdict["name"]: verdict["words"] for verdict in report["stalled"]["verdicts"]}


def failing(report: dict[str, Any]) -> set[str]:
    verdicts = report["stalled"]["verdicts"]
    return {re.sub("^(framing of|frames of) ", "", v["name"]) for v in verdicts if not v["passed"]}


@pytest.mark.parametrize("simulator", ["verilator", pytest.param("icarus", marks=pytest.mark.sweep)])
def test_bit_exact_with_stalls_and_without(out: Path, simulator: str) -> None:
    """Golden as well; the status registers have counted every pass, or the run would have failed."""
    report = run(out, simulator)
    assert report["passed"], report["problem"]
    assert report["tests"] == 8
    words = words_of(report)
    assert [words[name] for name in STREAMS] == [SENT * VECTORS * 4, SENT * VECTORS * 8]
    assert {"monolith", "golden"} <= set(words)


@pytest.mark.sweep
def test_padded_words(tmp_path: Path) -> None:
    """With packing finn a word of 12 bits has two bytes in memory, too."""
    generate(write_build(tmp_path, packing="finn"), tmp_path / "out")
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "out/zcu/weights").iterdir()}
    assert sizes == {f"{STREAMS[0]}.bin": 4 * 6, f"{STREAMS[1]}.bin": 8 * 2}
    report = streams_only(tmp_path / "out", "icarus")
    assert report["passed"], report["problem"]


def test_a_file_of_weights_that_is_gone(tmp_path: Path) -> None:
    generate(write_build(tmp_path), tmp_path / "out")
    (tmp_path / "out/zcu/weights" / f"{STREAMS[0]}.bin").unlink()
    with pytest.raises(InputError, match=r"s_axis_1\.bin: the file is missing\. Generate"):
        simulate(tmp_path / "out", "icarus")


def test_the_map_tells_the_host(out: Path) -> None:
    maps = json.loads((out / "memory_map.json").read_text())
    streams = {entry["boundary"]: entry for node in maps["nodes"] for entry in node["streams"]}
    for name, size in zip(STREAMS, (24, 12), strict=True):
        entry = streams[name]
        assert (entry["role"], entry["passes"], entry["frame_bytes"]) == ("weights", VECTORS, size)
        assert (out / entry["weights"]).stat().st_size == size
    others = [entry for name, entry in streams.items() if name not in STREAMS]
    assert {(entry["role"], entry["passes"], entry["weights"]) for entry in others} == {("data", 1, None)}
    # Data streams come first, so that axi_dma_<k> goes on serving s_axis_<k>.
    node = next(node for node in maps["nodes"] if node["name"] == "zcu")
    assert [entry["role"] for entry in node["streams"]] == ["data", "weights", "weights", "data"]


@pytest.mark.parametrize(
    ("kind", "beat"),
    [
        pytest.param("flip", 1, marks=pytest.mark.sweep),
        pytest.param("drop", 1, marks=pytest.mark.sweep),
        ("duplicate", 5),
        ("swap", 6),
        ("drop", LAST),
        ("duplicate", LAST),
    ],
)
def test_a_fault_in_a_weights_stream_is_seen(out: Path, kind: str, beat: int) -> None:
    """Beats in the middle, and the last of all."""
    at = [boundary["name"] for boundary in bench_of(out)["boundaries"]].index(STREAMS[1])
    assert bench_of(out)["boundaries"][at]["sent"]["bits"] == 32
    code = {"flip": 1, "drop": 2, "duplicate": 3, "swap": 4}[kind]
    fault = Injection(boundary=at, kind=code, beat=beat)
    report = streams_only(out, "verilator", idle_limit=5_000, inject=fault)
    assert not report["passed"]
    assert re.search(rf"\b{STREAMS[1]}[:,] ", report["problem"])
    if (kind, beat) != ("duplicate", LAST):
        # After the last vector the layer takes nothing; what comes then only the status registers see.
        assert STREAMS[1] in failing(report), report["problem"]


def test_wrong_weights_are_seen(tmp_path: Path, out: Path) -> None:
    """One weight is another: every stream still crosses bit-exactly, and the golden proof fails."""
    cluster = write_build(tmp_path)
    right = np.fromfile(out / "zcu/weights" / f"{STREAMS[0]}.bin", np.uint8)
    codes = np.stack([right & 15, right >> 4], axis=1).reshape(4, 12).astype(int)
    values = np.where(codes > 7, codes - 16, codes)
    values[2, 5] += 1 if values[2, 5] < 7 else -1
    add_weights(cluster, {"s_axis_1": values})
    plan, _ = generate(cluster, tmp_path / "out")
    assert plan.cluster_id == load_cluster_id(out)  # the bitstream is the same
    assert plan.golden
    assert "elements differ" in plan.golden.note
    report = streams_only(tmp_path / "out", "verilator")
    assert not report["passed"]
    assert failing(report) == {"golden"}


def load_cluster_id(out: Path) -> str:
    return str(json.loads((out / "plan.json").read_text())["cluster_id"])


@pytest.mark.sweep
def test_without_values_the_streams_are_proven_with_noise(
    moved: tuple[Path, dict[str, np.ndarray]], tmp_path: Path
) -> None:
    cluster, _ = moved
    (problem, second) = refused(cluster)
    assert "cluster.toml: verify: the result depends on the weights of" in problem
    assert f'[[weights]] with port = "{PARTITION}.s_axis_1"' in problem
    assert "s_axis_2" in second
    drop_verify(cluster)
    generate(cluster, tmp_path / "out")
    assert not (tmp_path / "out/zcu/weights").exists()
    report = streams_only(tmp_path / "out", "icarus")
    assert report["passed"], report["problem"]
    assert "golden" not in words_of(report)
    assert words_of(report)[STREAMS[0]] == SENT * VECTORS * 4


@pytest.mark.parametrize("form", ["values", "decoupled_npy", "idma"])
def test_values_from_files_are_those_of_the_model(
    moved: tuple[Path, dict[str, np.ndarray]], tmp_path: Path, out: Path, form: str
) -> None:
    """As numbers in any shape, and in both forms that FINN writes."""
    cluster, matrices = moved
    arrays: dict[str, Any] = {}
    for port, matrix in matrices.items():
        words = in_words(matrix, *FOLDS[port])
        if form == "idma":
            numbers = [sum((int(v) & 15) << (4 * i) for i, v in enumerate(word)) for word in words]
            size = (4 * words.shape[1] + 7) // 8
            raw = b"".join(number.to_bytes(size, "little") for number in numbers)
            arrays[port] = np.frombuffer(raw, np.uint8)
        else:
            arrays[port] = words[np.newaxis].astype(np.float32) if form == "decoupled_npy" else words
    add_weights(cluster, arrays)
    generate(cluster, tmp_path / "out")
    for name in STREAMS:
        file = f"zcu/weights/{name}.bin"
        assert (tmp_path / "out" / file).read_bytes() == (out / file).read_bytes()


@pytest.mark.parametrize("whole", [True, False])
def test_values_that_finns_own_dma_holds(
    moved: tuple[Path, dict[str, np.ndarray]], out: Path, whole: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """The DMA's partition is left out, its buffer is not; a buffer of another size is no pass."""
    cluster, matrices = moved
    words = in_words(matrices["s_axis_1"], *FOLDS["s_axis_1"])
    add_dma(cluster.parent / "build", words if whole else words[:-1])
    drop_verify(cluster)
    plan, network, files = load(cluster)
    assert [part.name for part in network.partitions] == ["StreamingDataflowPartition_0", PARTITION]
    assert [str(entry.port) for entry in plan.weights] == ([f"{PARTITION}.s_axis_1"] if whole else [])
    assert ("not one pass" in caplog.text) != whole
    if whole:
        wanted = (out / "zcu/weights" / f"{STREAMS[0]}.bin").read_bytes()
        assert files[plan.weights[0].sha256] == wanted


def test_values_that_do_not_fit(moved: tuple[Path, dict[str, np.ndarray]]) -> None:
    cluster, _ = moved
    good = np.zeros((4, 12))
    high, fraction = good.copy(), good.copy()
    high[2, 3], fraction[0, 1] = 8, 0.5
    padding = np.zeros(16, np.uint8)
    padding[3] = 0x10
    cases: list[tuple[str, Any, str]] = [
        ("s_axis_1", np.zeros((4, 11)), r"shape \(4, 11\) of float64.*Give 4 words of 12 whole numbers"),
        ("s_axis_1", high, r"8\.0 at word 2, element 3 is no INT4.*from -8 to 7"),
        ("s_axis_1", fraction, r"0\.5 at word 0, element 1 is no INT4"),
        ("s_axis_1", np.full((4, 12), np.nan), r"nan at word 0, element 0 is no INT4"),
        ("s_axis_1", np.zeros((4, 12), complex), r"it holds shape \(4, 12\) of '<c16'"),
        ("s_axis_1", np.zeros(23, np.uint8), r"23 bytes.*Give 4 words of 6 bytes"),
        ("s_axis_2", padding, r"word 1 has bits above its 12"),
    ]
    plain = cluster.read_text()
    for port, array, found in cases:
        cluster.write_text(plain)
        add_weights(cluster, {port: array})
        (problem,) = refused(cluster)
        assert re.search(rf"^{port}\.npy: weights\[0\]\.file: {found}", problem), problem


def test_files_and_ports_that_are_none(moved: tuple[Path, dict[str, np.ndarray]]) -> None:
    cluster, _ = moved
    plain = cluster.read_text()
    (cluster.parent / "text.npy").write_text("no array")
    cases = [
        (f"{PARTITION}.s_axis_1", "gone.npy", r"gone\.npy: weights\[0\]\.file: the file is missing"),
        (f"{PARTITION}.s_axis_1", "text.npy", r"text\.npy: weights\[0\]\.file: it is not a \.npy file"),
        (f"{PARTITION}.s_axis_0", "in.npy", r"weights\[0\]\.port: .*s_axis_0 takes no weights.*s_axis_1, "),
        (f"{PARTITION}.s_axis_9", "in.npy", r"weights\[0\]\.port: the build has no stream port .*s_axis_9"),
    ]
    for port, file, found in cases:
        cluster.write_text(f'{plain}[[weights]]\nport = "{port}"\nfile = "{file}"\n')
        (problem,) = refused(cluster)
        assert re.search(found, problem), problem
    add_weights(cluster, {"s_axis_1": np.zeros((4, 12))})
    add_weights(cluster, {"s_axis_1": np.zeros((4, 12))})
    assert any("is named twice" in problem for problem in refused(cluster))


def test_nothing_else_may_feed_a_weights_port(tmp_path: Path) -> None:
    cluster = write_build(tmp_path, verify=False)
    link = f'[[link]]\nfrom = "StreamingDataflowPartition_0"\nto = "{PARTITION}.s_axis_1"\n'
    (tmp_path / "build/parent.onnx").unlink()
    text = cluster.read_text().replace('"build/parent.onnx"', '"build"')
    names = [path.name for path in sorted((tmp_path / "build").glob("partition_*")) if path.is_dir()]
    assert names == ["partition_0", "partition_1"]
    link = link.replace("StreamingDataflowPartition", "partition")
    cluster.write_text(text + link)
    (problem,) = refused(cluster)
    assert "partition_1.s_axis_1 is a weight port, but partition_0.m_axis_0 drives it" in problem
