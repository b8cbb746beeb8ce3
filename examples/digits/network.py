# SPDX-License-Identifier: BSD-3-Clause
"""The quantised digit classifier as numbers: the data split, forward pass and folding to integers.

Every hidden stage is ``q = clip(floor(bn(x @ w) / STEP + 1/2), 0, 15)`` with 4-bit weights ``w``. Since a
batch norm is monotonic, the stage equals counting how many of 15 integer thresholds ``x @ w`` reaches.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

SIZES = (64, 24, 24, 24, 24, 24, 10)
WEIGHT_MAX = 7  # narrow INT4: FINN's RTL matrix unit on DSP48E1 needs a symmetric range
LEVELS = 15  # thresholds of a UINT4 activation
STEP = 0.25  # of an activation, in units of the normalised pre-activation
EPSILON = 1e-5

Array = np.ndarray


@dataclass
class Stage:
    """One MatMul, and its thresholds unless it is the last.

    Attributes:
        weights: (inputs, outputs), whole numbers from -7 to 7.
        thresholds: (outputs, 15), whole numbers, ascending; None for the stage that gives the logits.
    """

    weights: Array
    thresholds: Array | None


def load_digits() -> tuple[Array, Array]:
    """Return all images (n, 64), 0 to 16, and what they show (n,); `images.txt` names the source."""
    lines = (Path(__file__).parent / "images.txt").read_text(encoding="ascii").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    images = [[int(pixel, 17) for pixel in pixels] for _, pixels in rows]
    return np.array(images, np.int64), np.array([int(label) for label, _ in rows])


def load_split() -> tuple[Array, Array, Array, Array]:
    """Return train images, train labels, test images and test labels; images are (n, 64) of 0 to 15.

    Every fifth image is held out. The one brightness that needs five bits (16) becomes 15.
    """
    images, labels = load_digits()
    images = np.minimum(images, LEVELS)
    held_out = np.arange(len(images)) % 5 == 4
    return images[~held_out], labels[~held_out], images[held_out], labels[held_out]


def quantise_weights(latent: Array) -> tuple[Array, float]:
    """Round latent weights to whole numbers of -7 to 7; the second value is the size of one."""
    scale = float(np.abs(latent).max()) / WEIGHT_MAX
    return np.clip(np.floor(latent / scale + 0.5), -WEIGHT_MAX, WEIGHT_MAX), scale


def fold(latent: Array, gamma: Array, beta: Array, mean: Array, variance: Array) -> Stage:
    """Fold scale and batch norm into thresholds on the integer sum.

    ``mean`` and ``variance`` are those of ``x @ weights * scale`` with x in whole steps. A channel with
    negative gamma falls as its sum rises, so its weights change sign.
    """
    weights, scale = quantise_weights(latent)
    sign = np.where(gamma < 0, -1.0, 1.0)
    slope = np.abs(gamma) / np.sqrt(variance + EPSILON) * scale
    offset = beta - gamma * mean / np.sqrt(variance + EPSILON)
    edges = (np.arange(1, LEVELS + 1) - 0.5) * STEP
    thresholds = np.ceil((edges[None, :] - offset[:, None]) / np.maximum(slope, 1e-9)[:, None])
    bound = len(weights) * LEVELS * WEIGHT_MAX + 1  # one beyond what a sum can reach
    return Stage(weights * sign, np.clip(thresholds, -bound, bound))


def run(stages: list[Stage], images: Array) -> Array:
    """Execute the integer network: (n, 64) to logits (n, 10)."""
    values = images.astype(np.int64)
    for stage in stages:
        values = values @ stage.weights.astype(np.int64)
        if stage.thresholds is not None:
            reached = values[:, :, None] >= stage.thresholds.astype(np.int64)[None]
            values = reached.sum(axis=2)
    return values


def accuracy(stages: list[Stage], images: Array, labels: Array) -> float:
    """Share of images whose largest logit (the first, if several) is that of their label."""
    return float((run(stages, images).argmax(axis=1) == labels).mean())
