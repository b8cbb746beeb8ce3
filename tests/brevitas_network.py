# SPDX-License-Identifier: BSD-3-Clause
"""Runs where Brevitas is installed: exports networks of its layers, and what they answer.

    python brevitas_network.py <folder>

writes ``<kind>.onnx``, ``<kind>_in.npy`` and ``<kind>_out.npy`` for each kind.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import brevitas.nn as qnn
import numpy as np
import torch
from brevitas.export import export_qonnx
from torch import nn

FRAMES = 4


class Residual(nn.Module):  # type: ignore[misc]
    """A convolution beside an identity, quantised by one quantiser."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.branch = nn.Sequential(*unit(channels, channels), *convolution(channels, channels))
        self.common = qnn.QuantIdentity(bit_width=4)
        self.relu = qnn.QuantReLU(bit_width=4)

    def forward(self, x: Any) -> Any:
        return self.relu(self.common(self.branch(x)) + self.common(x))


def convolution(inputs: int, outputs: int, kernel: int = 3, **changes: Any) -> tuple[Any, ...]:
    how = {"padding": kernel // 2, "bias": False, "weight_bit_width": 4} | changes
    return qnn.QuantConv2d(inputs, outputs, kernel, **how), nn.BatchNorm2d(outputs)


def unit(inputs: int, outputs: int, kernel: int = 3, **changes: Any) -> tuple[Any, ...]:
    return *convolution(inputs, outputs, kernel, **changes), qnn.QuantReLU(bit_width=4)


def networks() -> dict[str, tuple[tuple[int, ...], Any]]:
    """Return shape of a frame and layers, by kind."""
    perceptron = (
        *(qnn.QuantIdentity(bit_width=4), qnn.QuantLinear(12, 8, True, weight_bit_width=3)),
        *(nn.BatchNorm1d(8), qnn.QuantReLU(bit_width=3), qnn.QuantLinear(8, 5, True, weight_bit_width=4)),
    )
    images = (
        *(qnn.QuantIdentity(bit_width=8), *unit(3, 8, stride=2), nn.MaxPool2d(2), Residual(8)),
        *(*unit(8, 8, groups=8), *unit(8, 6, 1)),
        *(nn.Flatten(), qnn.QuantLinear(24, 4, True, weight_bit_width=4)),
    )
    return {"perceptron": ((12,), perceptron), "images": ((3, 8, 8), images)}


def settle(net: Any, shape: tuple[int, ...]) -> None:
    """Let quantisers and normalisations see values, as training does."""
    net.train()
    for _ in range(20):
        net(torch.randn(16, *shape))
    net.eval()


def main(folder: Path) -> None:
    torch.manual_seed(1)
    for kind, (shape, layers) in networks().items():
        net = nn.Sequential(*layers)
        settle(net, shape)
        frames = torch.randn(FRAMES, 1, *shape)
        with torch.no_grad():
            answers = torch.stack([net(frame) for frame in frames])
        export_qonnx(net, args=frames[0], export_path=str(folder / f"{kind}.onnx"))
        np.save(folder / f"{kind}_in.npy", frames.numpy())
        np.save(folder / f"{kind}_out.npy", np.asarray(answers.detach().numpy(), np.float32))


main(Path(sys.argv[1]))
