# SPDX-License-Identifier: BSD-3-Clause
"""Whole clusters for the bench tests: small networks generated into a folder, and runs that cannot hang."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import onnx
from fake_network import plan_of
from waiting import PATIENCE

from shellgen.api import generate
from shellgen.disk.output import write
from shellgen.emit.whole import emit
from shellgen.model import ClusterSpec, Network
from shellgen.model.bench_report import RunReport
from shellgen.plan.junction import junction_files
from shellgen.reference import (
    LayerFolding,
    ReferenceFolding,
    build_reference,
    execute,
    load_layers,
    random_frames,
    synthetic_model,
)
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.simulate.report import format_report

FRAMES = 6
GOLDEN_FRAMES = 5  # fewer than are sent, so that they repeat


@dataclass(frozen=True)
class Chain:
    """A network of reference partitions on boards.

    Attributes:
        widths: Features of the input, of each hidden layer and of the output.
        activations: QONNX type of what crosses the cuts.
        folds: (pe, simd, threshold_pe) of each layer.
        cuts: Partition of each layer.
        nodes: (name, board, partitions).
        packing: As in cluster.toml.
        writeable: Layers with weights and thresholds behind AXI-Lite.
    """

    widths: tuple[int, ...]
    activations: str
    folds: tuple[tuple[int, int, int], ...]
    cuts: tuple[int, ...]
    nodes: tuple[tuple[str, str, tuple[int, ...]], ...]
    packing: str = "dense"
    writeable: tuple[int, ...] = ()

    @property
    def folding(self) -> ReferenceFolding:
        """Folding of all layers."""
        return ReferenceFolding(
            layers=tuple(
                LayerFolding(
                    pe=pe, simd=simd, threshold_pe=compare, runtime_writeable=index in self.writeable
                )
                for index, (pe, simd, compare) in enumerate(self.folds)
            )
        )

    def write_model(self, folder: Path) -> onnx.ModelProto:
        """Write model.onnx, folding.json, in.npy and cluster.toml: what a user starts from."""
        model = synthetic_model(self.widths, "INT4", self.activations)
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(model, str(folder / "model.onnx"))
        (folder / "folding.json").write_text(self.folding.to_json())
        kind = load_layers(model)[0].input_type.name
        np.save(folder / "in.npy", random_frames(kind, self.widths[0], GOLDEN_FRAMES))
        write_cluster(folder, self.nodes, self.packing)
        return model

    def write_inputs(self, folder: Path) -> Path:
        """Write the build and out.npy as well; return cluster.toml."""
        model = self.write_model(folder)
        build_reference(model, self.folding, self.cuts, folder / "build")
        np.save(folder / "out.npy", execute(model, np.load(folder / "in.npy")))
        return folder / "cluster.toml"

    def generate(self, folder: Path) -> Path:
        """Write the inputs and generate; return the output folder."""
        generate(self.write_inputs(folder), folder / "out")
        return folder / "out"


# Three bits an element; a direct stream and a hop; 64-bit links on one board, 128-bit ones on the other;
# words of 12 elements meet words of 24 at the hop, words of 3 meet words of 4 inside the first board.
MIXED = Chain(
    widths=(24, 12, 24, 4),
    activations="UINT3",
    folds=((3, 4, 3), (4, 4, 12), (2, 24, 1)),
    cuts=(0, 1, 2),
    nodes=(("zed", "zedboard", (0, 1)), ("zcu", "zcu104", (2,))),
    writeable=(0, 2),
)


def write_cluster(
    folder: Path, nodes: Sequence[tuple[str, str, tuple[int, ...]]], packing: str = "dense"
) -> Path:
    """Write cluster.toml beside ``build`` and the vectors; return its path."""
    lines = ['build = "build/parent.onnx"', f'packing = "{packing}"']
    for name, board, partitions in nodes:
        lines += ["[[node]]", f'name = "{name}"', f'board = "{board}"', f"partitions = {list(partitions)}"]
    lines += ["[verify]", 'input = "in.npy"', 'output = "out.npy"']
    path = folder / "cluster.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def generate_fake(network: Network, cluster: ClusterSpec, out: Path) -> Path:
    """Generate a cluster of pass-through partitions (`fake_network`)."""
    plan = plan_of(network, cluster)
    write(emit(plan, {**network.files, **junction_files(plan.partitions)}), out)
    return out


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise TimeoutError after so long: a simulation that hangs must not stop the test run."""

    def stop(_signum: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(out: Path, simulator: Any, *, seconds: int = int(PATIENCE), **options: Any) -> dict[str, Any]:
    """Simulate with few frames and a short patience; return the report.

    Most of these tests edit what was generated, and count the beats of their own frames.
    """
    common: dict[str, Any] = {"frames": FRAMES, "idle_limit": 3000, "own_frames": False, "edited": True}
    chosen = SimulateOptions(**{**common, **options})
    with within(seconds):
        return simulate(out, simulator, chosen).document()


def read_report(document: dict[str, Any]) -> RunReport:
    """Return a report as the record that it was, checked field by field."""
    return RunReport.from_data(document, "report.json")


def report_text(document: dict[str, Any], width: int | None = None) -> str:
    """Return a report as text."""
    return format_report(read_report(document), width)


def streams_only(out: Path, simulator: Any, **options: Any) -> dict[str, Any]:
    """Run the stalled streams and nothing else."""
    return run(out, simulator, **{"control": False, "walk": False, "full_rate": False, **options})


def bench_of(out: Path) -> dict[str, Any]:
    """Return bench.json."""
    bench: dict[str, Any] = json.loads((out / "bench" / "bench.json").read_text())
    return bench
