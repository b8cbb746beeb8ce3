# SPDX-License-Identifier: BSD-3-Clause
"""Chains of any length to generate: reference partitions, or copies of one real FINN partition."""

from __future__ import annotations

from pathlib import Path

import onnx

from shellgen.reference import reference_chain, synthetic_model

WIDTH = 64  # features of every layer of a reference chain


def write_cluster(folder: Path, build: str, boards: int, *, links: bool) -> Path:
    """Write cluster.toml: one partition on each of so many ZedBoards."""
    nodes = [f'[[node]]\nname = "zed{i}"\nboard = "zedboard"\npartitions = [{i}]\n' for i in range(boards)]
    joins = [f'[[link]]\nfrom = "{i}"\nto = "{i + 1}"\n' for i in range(boards - 1)] if links else []
    path = folder / "cluster.toml"
    path.write_text(f'build = "{build}"\n' + "".join(nodes + joins))
    return path


def reference_system(folder: Path, boards: int, width: int = WIDTH) -> Path:
    """Make a chain of reference partitions, one matrix product of so many features with thresholds each."""
    folder.mkdir(parents=True)
    reference_chain(synthetic_model([width] * (boards + 1)), folder / "build", boards)
    return write_cluster(folder, "build/parent.onnx", boards, links=False)


def finn_system(folder: Path, boards: int, partition: Path) -> Path:
    """Copy a stitched FINN partition, whose input and output carry the same elements, so many times.

    Every name of the partition, in files and of files, becomes that of the copy, as FINN would have made
    them; library files stay equal, as FINN's are.
    """
    for index in range(boards):
        target = folder / "build" / f"Copy_{index}"
        for path in sorted(partition.rglob("*")):
            if not path.is_file():
                continue
            relative = str(path.relative_to(partition)).replace(partition.name, target.name)
            copy = target / relative
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(_renamed(path, partition.name, target.name))
    return write_cluster(folder, "build", boards, links=True)


def _renamed(path: Path, old: str, new: str) -> bytes:
    if path.suffix != ".onnx":
        return path.read_bytes().replace(old.encode(), new.encode())
    model = onnx.load(str(path))
    for node in model.graph.node:
        node.name = node.name.replace(old, new)
    for entry in (*model.metadata_props, *model.graph.metadata_props):
        entry.value = entry.value.replace(old, new)
    content = model.SerializeToString(deterministic=True)
    assert isinstance(content, bytes)
    return content
