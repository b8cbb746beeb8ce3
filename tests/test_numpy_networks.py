# SPDX-License-Identifier: BSD-3-Clause
"""Networks of every kind of layer give the integers that numpy computes, also as RTL on simulated boards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from export_evaluator import evaluate
from numpy_networks import NETWORKS, Network

from shellgen.api import generate
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.stitch import stitch_model

TOGETHER = 8  # networks of one simulation, half of them on each board
GROUPS = [NETWORKS[at : at + TOGETHER] for at in range(0, len(NETWORKS), TOGETHER)]
PART, BOARD = "xczu7ev-ffvc1156-2-e", "zcu104"


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_numpy_agrees_with_the_export(network: Network) -> None:
    """Guards the golden itself: two independent computations of one network."""
    net, _, end = network.make(network.seed)
    found = evaluate(net.model_of(end), net.inputs[:, None])[:, 0]
    np.testing.assert_allclose(found, end.data, rtol=0, atol=1e-6 * np.abs(end.data).max())
    assert np.ptp(end.codes, axis=0).any(), "the output is the same for all frames"


def build(network: Network, folder: Path) -> dict[str, list[str]]:
    """Stitch a network below ``folder``, and write numpy's integers beside it.

    Returns:
        Names of the files of numpy's inputs and outputs, in the order of the ports.
    """
    net, first, end = network.make(network.seed)
    onnx.save(net.model_of(end), folder / f"{network.name}.onnx")
    np.save(folder / "frames.npy", net.inputs[:, None])
    made = folder / network.name
    stitch_model(folder / f"{network.name}.onnx", None, made, folder / "frames.npy", given={"part": PART})
    files: dict[str, list[str]] = {"input": [], "output": []}
    for kind, value in (("input", first), ("output", end)):
        for path in sorted(made.glob(f"{kind}*.npy")):
            stitched = np.load(path)
            golden = value.codes.reshape(stitched.shape)
            np.testing.assert_array_equal(stitched, golden, f"{network.name}: {path.name}")
            files[kind].append(f"{network.name}_{path.name}")
            np.save(folder / files[kind][-1], golden.astype(np.float32))
    return files


@pytest.mark.finn
@pytest.mark.xdist_group("numpy_networks")
@pytest.mark.parametrize(
    "name", ["truncated_average", pytest.param("pixels_of_channels", marks=pytest.mark.sweep)]
)
def test_layers_agree_with_numpy(name: str, tmp_path: Path) -> None:
    (network,) = [network for network in NETWORKS if network.name == name]
    assert build(network, tmp_path) == {kind: [f"{name}_{kind}.npy"] for kind in ("input", "output")}


@pytest.mark.sweep
@pytest.mark.finn
@pytest.mark.xdist_group("numpy_networks")
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: f"{group[0].name}-{group[-1].name}")
def test_rtl_agrees_with_numpy(group: list[Network], tmp_path: Path) -> None:
    files: dict[str, list[str]] = {"input": [], "output": []}
    for network in group:
        for kind, names in build(network, tmp_path).items():
            files[kind] += names
    lines = [f"build = {[network.name for network in group]}"]
    for first, node in enumerate(("a", "b")):
        lines += ["", "[[node]]", f'name = "{node}"', f'board = "{BOARD}"']
        lines += [f"partitions = {list(range(first, len(group), 2))}"]
    lines += ["", "[verify]", *(f"{kind} = {names}" for kind, names in files.items())]
    (tmp_path / "cluster.toml").write_text("\n".join(lines) + "\n")
    plan, _ = generate(tmp_path / "cluster.toml", tmp_path / "out")
    assert plan.golden
    report = simulate(tmp_path / "out", "verilator", SimulateOptions(walk=False))
    assert report.passed, report.problem
