# SPDX-License-Identifier: BSD-3-Clause
"""Random networks, foldings and cuts come out bit-exact: numpy, FINN, the parts alone and the cluster."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from estimate_clusters import missed
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from random_networks import (
    FRAMES,
    Networks,
    cluster_text,
    cuts_of,
    folding_of,
    image_network,
    vector_network,
)

from shellgen.api import generate
from shellgen.estimate.bench import compared
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.stitch import list_layers, stitch_model

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("random_networks")]


def prove(seed: int, folder: Path, images: int, cuts: int) -> None:
    """Make ``images`` image networks and a vector network, cut them, and prove them together."""
    net = Networks(seed)
    for _ in range(images):
        image_network(net)
    vector_network(net)
    model = net.save(folder)
    layers = list_layers(model)
    config = {
        "part": "xc7z020clg484-1",
        "folding": folding_of(layers, net.rng),
        "cut_before": cuts_of(layers, net.rng, cuts),
    }
    (folder / "folding.json").write_text(json.dumps(config, indent=1))
    names = stitch_model(model, folder / "folding.json", folder / "build", folder / "frames.npz")
    # The build numbers its ends by partitions, the model as they were made.
    wanted = sorted(net.values[name].tobytes() for name in net.outputs)
    files = sorted((folder / "build").glob("output*.npy"))
    assert sorted(np.load(path).astype(np.int64).tobytes() for path in files) == wanted
    ends = len(net.inputs), len(net.outputs)
    (folder / "cluster.toml").write_text(cluster_text(len(names), net.rng, ends))
    plan, _ = generate(folder / "cluster.toml", folder / "out")
    assert plan.golden
    assert plan.golden.note.endswith("and the model's ONNX agrees"), plan.golden.note
    report = simulate(folder / "out", "verilator", SimulateOptions(frames=FRAMES, walk=False))
    assert report.passed, report.problem
    assert report.stalled
    run = report.full_rate
    assert run
    assert run.timed
    assert 0 < run.first < run.cycles
    found = compared(plan, report)
    assert not missed(found), found.sentence()
    proofs = [verdict.name for verdict in report.stalled.verdicts]
    assert sum(name.startswith("golden") for name in proofs) == len(net.outputs)


@pytest.mark.sweep
@settings(deadline=None, database=None, phases=[Phase.explicit])
@given(seed=st.integers(1, 1 << 16))
@example(seed=6)  # without images, whose convolutions take long to compile: those are the sweep's
def test_random_networks(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        prove(seed, Path(folder), images=0, cuts=2)


@pytest.mark.sweep
@settings(
    max_examples=25,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
@example(seed=6, images=1, cuts=3)  # a residual block, bipolar at the end
@given(seed=st.integers(1, 1 << 30), images=st.integers(1, 3), cuts=st.integers(0, 6))
def test_many_random_networks(seed: int, images: int, cuts: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        prove(seed, Path(folder), images, cuts)
