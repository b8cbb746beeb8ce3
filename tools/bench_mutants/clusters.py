# SPDX-License-Identifier: BSD-3-Clause
"""Two boards of each kind of link, as small as they can be: what the mutants are mutants of."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from shellgen.api import generate
from shellgen.reference import (
    LayerFolding,
    ReferenceFolding,
    build_reference,
    execute,
    load_layers,
    random_frames,
    synthetic_model,
)

# Three bits an element; one stream stays on its board and one goes to the other; words of unlike size meet;
# on each board a layer has memories behind AXI-Lite.
WIDTHS = (24, 12, 24, 4)
FOLDS = ((3, 4, 3), (4, 4, 12), (2, 24, 1))
WRITEABLE = (0, 2)
PARTITIONS = ((0, 1), (2,))
FRAMES = 64


@dataclass(frozen=True)
class Cluster:
    """Two boards.

    Attributes:
        name: The kinds of link in it: between the boards, and to the host.
        board: Both.
        platform: Theirs; empty for the board's own.
        widths: Of the layers.
        folds: PE, SIMD and PE of the thresholds of each.
        options: Of links, lines of TOML.
    """

    name: str
    board: str
    platform: str = ""
    widths: tuple[int, ...] = WIDTHS
    folds: tuple[tuple[int, int, int], ...] = FOLDS
    options: tuple[str, ...] = ()


# A frame that goes to the other board is a full packet and a part of one.
VNX = Cluster(
    "vnx_udp+vitis_mover",
    "u280",
    widths=(24, 12, 288, 4),
    folds=((3, 4, 3), (24, 4, 12), (2, 24, 1)),
    options=("[links.vnx_udp]", "mtu = 156", "round_trip_ns = 300"),
)
CLUSTERS = (
    Cluster("tcp_dma", "zedboard"),
    VNX,
    Cluster("accl+coyote_stream", "u55c", "coyote"),
)


def generated(cluster: Cluster, folder: Path) -> Path:
    """Write the network, its build and the boards; return the output folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = synthetic_model(cluster.widths, "INT4", "UINT3")
    onnx.save(model, str(folder / "model.onnx"))
    folding = ReferenceFolding(
        layers=tuple(
            LayerFolding(pe=pe, simd=simd, threshold_pe=compare, runtime_writeable=index in WRITEABLE)
            for index, (pe, simd, compare) in enumerate(cluster.folds)
        )
    )
    build_reference(model, folding, tuple(range(len(cluster.folds))), folder / "build")
    frames = random_frames(load_layers(model)[0].input_type.name, cluster.widths[0], FRAMES)
    np.save(folder / "in.npy", frames)
    np.save(folder / "out.npy", execute(model, frames))
    lines = ['build = "build/parent.onnx"']
    for index, partitions in enumerate(PARTITIONS):
        lines += [
            "[[node]]",
            f'name = "n{index}"',
            f'board = "{cluster.board}"',
            f"partitions = {list(partitions)}",
        ]
        lines += [f'platform = "{cluster.platform}"'] if cluster.platform else []
    lines += [*cluster.options, "[verify]", 'input = "in.npy"', 'output = "out.npy"']
    (folder / "cluster.toml").write_text("\n".join(lines) + "\n")
    generate(folder / "cluster.toml", folder / "out")
    return folder / "out"


def description(out: Path) -> dict[str, Any]:
    """Return bench.json."""
    found: dict[str, Any] = json.loads((out / "bench" / "bench.json").read_text())
    return found


def describe(out: Path, bench: dict[str, Any]) -> None:
    """Write bench.json."""
    (out / "bench" / "bench.json").write_text(json.dumps(bench))
