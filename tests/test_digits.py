# SPDX-License-Identifier: BSD-3-Clause
"""The digit classifier: what its README claims is recomputed from the committed model."""

from __future__ import annotations

import importlib
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from shellgen.model import ClusterSpec
from shellgen.reference import execute
from shellgen.stitch import load_config

DIGITS = Path(__file__).parents[1] / "examples" / "digits"
MODEL = DIGITS / "digits.onnx"
FACTS = json.loads((DIGITS / "digits.json").read_text())


@pytest.fixture(scope="module")
def digits() -> Iterator[dict[str, ModuleType]]:
    """The example's modules, by name."""
    names = ("network", "export", "train", "vectors")
    sys.path.insert(0, str(DIGITS))
    yield {name: importlib.import_module(name) for name in names}
    sys.path.remove(str(DIGITS))
    for name in names:
        sys.modules.pop(name)


def stages(network: ModuleType) -> list[Any]:
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(MODEL).graph.initializer}
    count = sum(name.startswith("weights_") for name in tensors)
    return [network.Stage(tensors[f"weights_{i}"], tensors.get(f"thresholds_{i}")) for i in range(count)]


def test_the_stated_accuracy_is_that_of_the_committed_model(digits: dict[str, ModuleType]) -> None:
    _, _, images, labels = digits["network"].load_split()
    logits = np.asarray(execute(MODEL, images))
    correct = int((logits.argmax(axis=1) == labels).sum())
    assert (correct, len(labels)) == (FACTS["test_correct"], FACTS["test_images"])
    assert correct / len(labels) >= 0.95
    assert (
        f"{correct} of {len(labels)} held-out images, {correct / len(labels):.2%}"
        in (DIGITS / "README.md").read_text()
    )
    assert np.array_equal(logits, digits["network"].run(stages(digits["network"]), images))


def test_held_out_images_are_not_trained_on(digits: dict[str, ModuleType]) -> None:
    train, _, test, _ = digits["network"].load_split()
    assert len(train) + len(test) == 1797
    seen = {image.tobytes() for image in train}
    assert not any(image.tobytes() in seen for image in test)
    assert train.min() == 0
    assert max(train.max(), test.max()) == 15


def test_the_model_is_small_narrow_and_cut_in_six(digits: dict[str, ModuleType]) -> None:
    assert MODEL.stat().st_size < 200_000
    found = stages(digits["network"])
    assert [list(stage.weights.shape) for stage in found] == [layer["matmul"] for layer in FACTS["layers"]]
    assert len(found) == 6
    for stage in found[:-1]:
        assert (np.diff(stage.thresholds, axis=1) >= 0).all()
        assert np.array_equal(stage.thresholds, np.rint(stage.thresholds))
    for stage in found:
        assert set(np.unique(stage.weights)) <= set(range(-7, 8))


def test_the_exporter_gives_the_committed_bytes(digits: dict[str, ModuleType], tmp_path: Path) -> None:
    digits["export"].save_onnx(stages(digits["network"]), tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == MODEL.read_bytes()


def test_thresholds_equal_the_batch_norm_they_replace(digits: dict[str, ModuleType]) -> None:
    network = digits["network"]
    rng = np.random.default_rng(5)
    latent = rng.normal(size=(20, 30))
    gamma, beta = rng.normal(size=30), rng.normal(size=30)
    mean, variance = rng.normal(size=30) * 5, rng.uniform(1, 50, 30)
    values = rng.integers(0, 16, (200, 20))
    weights, scale = network.quantise_weights(latent)
    normal = (values @ weights * scale - mean) / np.sqrt(variance + network.EPSILON)
    wanted = np.clip(np.floor((gamma * normal + beta) / network.STEP + 0.5), 0, 15)
    stage = network.fold(latent, gamma, beta, mean, variance)
    assert (gamma < 0).any()
    assert np.array_equal(network.run([stage], values), wanted)


@pytest.mark.sweep
def test_training_again_gives_a_classifier_as_good(digits: dict[str, ModuleType]) -> None:
    """Not the same bytes on every machine: matrix products of another BLAS differ in the last bit."""
    train, train_labels, test, test_labels = digits["network"].load_split()
    found = digits["train"].train(train, train_labels)
    assert digits["network"].accuracy(found, test, test_labels) >= 0.95


def test_vectors_are_held_out_images_and_their_labels(digits: dict[str, ModuleType], tmp_path: Path) -> None:
    _, _, images, labels = digits["network"].load_split()
    given, wanted = digits["vectors"].write_vectors(tmp_path / "new", 7)
    assert np.array_equal(np.load(given), images[:7])
    assert np.array_equal(np.load(wanted), labels[:7])


@pytest.mark.parametrize("boards", [2, 6])
def test_cluster_and_folding_belong_together(boards: int) -> None:
    config = load_config(DIGITS / f"folding_{boards}.json")
    assert len(config.cut_before) == boards - 1
    path = DIGITS / f"cluster_{boards}.toml"
    cluster = ClusterSpec.from_data(tomllib.loads(path.read_text()), path)
    assert [node.partitions for node in cluster.node] == [(index,) for index in range(boards)]
    assert {node.board for node in cluster.node} == {"zedboard"}
    for name, attributes in config.folding.items():
        kind, _, number = name.partition("_")
        if kind == "Defaults":
            continue
        inputs, outputs = FACTS["layers"][int(number)]["matmul"]
        assert outputs % attributes["PE"] == 0
        assert kind == "Thresholding" or inputs % attributes["SIMD"] == 0
