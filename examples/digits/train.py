# SPDX-License-Identifier: BSD-3-Clause
"""Train the digit classifier and write ``digits.onnx`` and ``digits.json`` beside this file.

Quantisation-aware training in numpy: the forward pass uses the rounded weights and activations, the
backward pass takes rounding for the identity (straight-through). ``python examples/digits/train.py``.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
from export import save_onnx
from network import EPSILON, LEVELS, SIZES, STEP, Array, Stage, accuracy, fold, load_split, quantise_weights

EPOCHS = 120
BATCH = 64
RATE = 0.004
SEED = 3
SHIFTS = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))


class Adam:
    """Adam over a dictionary of arrays, changed in place."""

    def __init__(self, parameters: dict[str, Array]) -> None:
        self.parameters = parameters
        self.first = {key: np.zeros_like(value) for key, value in parameters.items()}
        self.second = {key: np.zeros_like(value) for key, value in parameters.items()}
        self.count = 0

    def step(self, gradients: dict[str, Array], rate: float) -> None:
        self.count += 1
        for key, gradient in gradients.items():
            self.first[key] += 0.1 * (gradient - self.first[key])
            self.second[key] += 0.001 * (gradient**2 - self.second[key])
            mean = self.first[key] / (1 - 0.9**self.count)
            spread = np.sqrt(self.second[key] / (1 - 0.999**self.count))
            self.parameters[key] -= rate * mean / (spread + 1e-8)


class Trainer:
    """Latent weights, batch norm parameters and running statistics of all stages.

    ``masks`` holds, by stage, a 0 for each weight that does not exist, as between two branches.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        sizes: tuple[int, ...] = SIZES,
        masks: dict[int, Array] | None = None,
    ) -> None:
        self.depth = len(sizes) - 1
        self.masks = masks or {}
        self.parameters: dict[str, Array] = {}
        self.mean = [np.zeros(size) for size in sizes[1:-1]]
        self.variance = [np.ones(size) for size in sizes[1:-1]]
        for index, (inputs, outputs) in enumerate(pairwise(sizes)):
            self.parameters[f"w{index}"] = rng.normal(0, np.sqrt(2 / inputs), (inputs, outputs))
            if index < self.depth - 1:
                self.parameters[f"gamma{index}"] = np.ones(outputs)
                self.parameters[f"beta{index}"] = np.full(outputs, 0.5)
            if index in self.masks:
                self.parameters[f"w{index}"] *= self.masks[index]
        self.adam = Adam(self.parameters)

    def step(self, images: Array, labels: Array, rate: float) -> None:
        """Do one step on a batch; the loss is the cross entropy of the scaled logits."""
        tape = []
        values = images.astype(float)
        for index in range(self.depth - 1):
            values, record = self._forward(index, values)
            tape.append(record)
        last = f"w{self.depth - 1}"
        weights, scale = quantise_weights(self.parameters[last])
        logits = values @ weights * scale * STEP
        share = np.exp(logits - logits.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        share[np.arange(len(labels)), labels] -= 1
        slope = share / len(labels) * STEP
        gradients = {last: values.T @ slope}
        slope = slope @ (weights * scale).T
        for index in reversed(range(self.depth - 1)):
            slope = self._backward(index, slope, tape[index], gradients)
        for index, mask in self.masks.items():
            gradients[f"w{index}"] *= mask
        self.adam.step(gradients, rate)

    def _forward(self, index: int, values: Array) -> tuple[Array, tuple[Array, ...]]:
        weights, scale = quantise_weights(self.parameters[f"w{index}"])
        sums = values @ (weights * scale)
        mean, variance = sums.mean(axis=0), sums.var(axis=0)
        self.mean[index] += 0.05 * (mean - self.mean[index])
        self.variance[index] += 0.05 * (variance - self.variance[index])
        deviation = np.sqrt(variance + EPSILON)
        normal = (sums - mean) / deviation
        steps = (self.parameters[f"gamma{index}"] * normal + self.parameters[f"beta{index}"]) / STEP
        inside = (steps > -0.5) & (steps < LEVELS + 0.5)
        result = np.clip(np.floor(steps + 0.5), 0, LEVELS)
        return result, (values, weights * scale, normal, deviation, inside)

    def _backward(
        self, index: int, slope: Array, record: tuple[Array, ...], gradients: dict[str, Array]
    ) -> Array:
        values, weights, normal, deviation, inside = record
        slope = slope * inside / STEP
        gradients[f"gamma{index}"] = (slope * normal).sum(axis=0)
        gradients[f"beta{index}"] = slope.sum(axis=0)
        slope = slope * self.parameters[f"gamma{index}"]
        slope = slope - slope.mean(axis=0) - normal * (slope * normal).mean(axis=0)
        slope = slope / deviation
        gradients[f"w{index}"] = values.T @ slope
        return np.asarray(slope @ weights.T)

    def stages(self) -> list[Stage]:
        """Fold what was learned into integers."""
        hidden = [
            fold(
                self.parameters[f"w{index}"],
                self.parameters[f"gamma{index}"],
                self.parameters[f"beta{index}"],
                self.mean[index],
                self.variance[index],
            )
            for index in range(self.depth - 1)
        ]
        return [*hidden, Stage(quantise_weights(self.parameters[f"w{self.depth - 1}"])[0], None)]


def shifted(images: Array, shift: tuple[int, int]) -> Array:
    """Move 8x8 images by whole pixels, filling with background."""
    down, right = shift
    padded = np.pad(images.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
    return padded[:, 1 - down : 9 - down, 1 - right : 9 - right].reshape(-1, 64)


def train(
    images: Array, labels: Array, sizes: tuple[int, ...] = SIZES, masks: dict[int, Array] | None = None
) -> list[Stage]:
    """Train on images and their copies moved by one pixel, with a rate that falls to zero."""
    rng = np.random.default_rng(SEED)
    trainer = Trainer(rng, sizes, masks)
    copies = [shifted(images, shift) for shift in SHIFTS]
    for epoch in range(EPOCHS):
        choice = rng.integers(0, len(SHIFTS), len(images)) * (rng.random(len(images)) < 0.5)
        chosen = np.stack([copies[copy][row] for row, copy in enumerate(choice)])
        order = rng.permutation(len(images))
        rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[start : start + BATCH]
            trainer.step(chosen[batch], labels[batch], rate)
    return trainer.stages()


def main() -> None:
    folder = Path(__file__).resolve().parent
    train_images, train_labels, test_images, test_labels = load_split()
    stages = train(train_images, train_labels)
    save_onnx(stages, folder / "digits.onnx")
    correct = round(accuracy(stages, test_images, test_labels) * len(test_labels))
    facts = {
        "data": "UCI Optical Recognition of Handwritten Digits, test set, 8x8, brightness 16 clipped to 15",
        "held_out": "every fifth image (index % 5 == 4)",
        "test_images": len(test_labels),
        "test_correct": correct,
        "test_accuracy": round(correct / len(test_labels), 4),
        "train_accuracy": round(accuracy(stages, train_images, train_labels), 4),
        "layers": [
            {
                "matmul": list(stage.weights.shape),
                "weights": "INT4 (-7 to 7)",
                "input": "UINT4",
                "output": "sums" if stage.thresholds is None else "UINT4",
                "thresholds": 0 if stage.thresholds is None else stage.thresholds.shape[1],
            }
            for stage in stages
        ],
    }
    (folder / "digits.json").write_text(json.dumps(facts, indent=1) + "\n")
    print(f"{correct} of {len(test_labels)} held-out images: {facts['test_accuracy']:.2%}")


if __name__ == "__main__":
    main()
