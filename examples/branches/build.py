# SPDX-License-Identifier: BSD-3-Clause
"""Train a digit classifier of two narrow branches and write its three parts beside this file.

``python examples/branches/build.py``: ``branch_0.onnx`` and ``branch_1.onnx`` see the whole image and never
each other, as in LCP (docs/references.md); ``head.onnx`` classifies what both put out. They are trained as
one network, whose weights from one branch to the other are held at zero.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "digits"))
from export import save_onnx
from network import Array, Stage, accuracy, load_split
from train import train

HERE = Path(__file__).parent
BRANCHES = 2
WIDTH = 16  # channels of a branch
SIZES = (64, BRANCHES * WIDTH, BRANCHES * WIDTH, 10)


def parted() -> Array:
    """Return the mask of a stage inside the branches: no weight leads from one to the other."""
    return np.kron(np.eye(BRANCHES), np.ones((WIDTH, WIDTH)))


def branch(stages: list[Stage], index: int) -> list[Stage]:
    """Cut one branch out of the stages before the head."""
    own = slice(index * WIDTH, (index + 1) * WIDTH)
    parts = []
    for number, stage in enumerate(stages):
        assert stage.thresholds is not None
        rows = stage.weights if number == 0 else stage.weights[own]
        parts.append(Stage(rows[:, own], stage.thresholds[own]))
    return parts


def main() -> None:
    train_images, train_labels, images, labels = load_split()
    *hidden, head = train(train_images, train_labels, SIZES, {1: parted()})
    for index in range(BRANCHES):
        save_onnx(branch(hidden, index), HERE / f"branch_{index}.onnx")
    save_onnx([head], HERE / "head.onnx")
    correct = round(accuracy([*hidden, head], images, labels) * len(labels))
    facts = {"test_images": len(labels), "test_correct": correct}
    (HERE / "branches.json").write_text(json.dumps(facts, indent=1) + "\n")
    print(f"{correct} of {len(labels)} held-out images: {correct / len(labels):.2%}")


if __name__ == "__main__":
    main()
