# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of cards under Coyote for the bench tests, with ACCL between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cluster_bench import Chain, generate_fake, report_text, run
from fake_network import partition, spec

from shellgen.api import generate
from shellgen.links.accl import Accl
from shellgen.model import Edge, Endpoint, Network

KIND = Accl.kind
# Frames of 64 bytes and less, of several beats with a rest, and of some hundred beats.
SMALL, ODD, LARGE = ("UINT4", 2, 40), ("UINT3", 5, 500), ("UINT8", 16, 16 * 1024)
# Three layers whose words differ at both sides of a cut; the first and the last can be written.
LAYERS = Chain(
    widths=(24, 12, 24, 12, 4),
    activations="UINT3",
    folds=((3, 4, 3), (4, 4, 12), (2, 24, 1), (2, 3, 2)),
    cuts=(0, 1, 2, 3),
    nodes=(),
    writeable=(0, 2),
)


def reference(folder: Path, cards: Sequence[Sequence[int]], mode: str = "buffered") -> Path:
    """Put the layers on cards, by their partitions; the values of every frame are known."""
    cluster = LAYERS.write_inputs(folder)
    nodes = [
        f'[[node]]\nname = "n{k}"\nboard = "u55c"\nplatform = "coyote"\npartitions = {list(partitions)}\n'
        for k, partitions in enumerate(cards)
    ]
    links = f'[links.{KIND}]\nmode = "{mode}"\n' if len(cards) > 1 else ""
    text = cluster.read_text()
    at = text.index("[verify]")
    cluster.write_text(text[:at] + "\n".join(nodes) + links + text[at:])
    generate(cluster, folder / "out")
    return folder / "out"


def joined(
    out: Path,
    streams: Mapping[str, tuple[tuple[str, int, int], ...]],
    edges: Sequence[str],
    **more: Any,
) -> Path:
    """Join partitions that forward their words, one per card: ``a.0>b.1`` is an edge."""
    parts = {name: partition(name, taken, taken) for name, taken in streams.items()}
    found = []
    for edge in edges:
        (maker, m), (taker, s) = (end.split(".") for end in edge.split(">"))
        producer = Endpoint(partition=maker, port=f"m_axis_{m}")
        found.append(Edge(producer=producer, consumer=Endpoint(partition=taker, port=f"s_axis_{s}")))
    files = {part.sources[0].sha256: text for part, text in parts.values()}
    network = Network(tuple(part for part, _ in parts.values()), tuple(found), files, "build")
    nodes = [
        {"name": f"n{k}", "board": "u55c", "platform": "coyote", "partitions": [k]} for k in range(len(parts))
    ]
    return generate_fake(network, spec(nodes, **more), out)


def play(out: Path, simulator: str = "verilator", frames: int = 8, **more: Any) -> dict[str, Any]:
    """Simulate; all proofs must hold."""
    options = {"frames": frames, "walk": "none", "idle_limit": 60_000, "seconds": 1200, **more}
    report = run(out, simulator, **options)
    assert report["passed"], report_text(report)
    return report


def parameters(**values: int) -> tuple[str, ...]:
    """Settings of the model of the engines."""
    return tuple(f"{KIND}.{name}={value}" for name, value in values.items())
