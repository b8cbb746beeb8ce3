# SPDX-License-Identifier: BSD-3-Clause
"""Every file of a system: a pure function of the plan and the partitions' files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from shellgen.emit.bench import emit_bench
from shellgen.emit.bench_slaves import register_blocks
from shellgen.emit.core import core_blocks, core_name, emit_core
from shellgen.emit.external import emit_weights
from shellgen.emit.host import emit_host
from shellgen.emit.junctions import junction_blocks
from shellgen.emit.maps import emit_memory_maps
from shellgen.model import Artifact, NodePlan, Plan
from shellgen.model.hooks import user_files
from shellgen.platforms import platform_registry
from shellgen.progress import each
from shellgen.resources import rtl_file

__all__ = ["emit", "emit_simulated"]


def emit(plan: Plan, files: Mapping[str, bytes]) -> tuple[Artifact, ...]:
    """Return every file of the system.

    Args:
        plan: The plan.
        files: Content of the partitions' sources, of external weights and golden vectors, by sha256.
    """
    rtl = {node.name: _rtl(plan, node, files) for node in each("emitting board", plan.cores)}
    artifacts = [Artifact.text("plan.json", plan.to_json()), *_simulated(plan, files, rtl)]
    for node in plan.cores:
        paths = tuple(artifact.path.removeprefix(f"{node.name}/") for artifact in rtl[node.name])
        assert paths[-1] == f"{core_name(node)}.v"
        hooks = user_files(node.options)
        artifacts.extend(Artifact(f"{node.name}/{one.path}", files[one.sha256]) for one in hooks)
        artifacts.extend(platform_registry()[node.platform].artifacts(plan, node, paths))
    artifacts.extend(emit_weights(plan, files))
    return tuple(artifacts)


def emit_simulated(plan: Plan, files: Mapping[str, bytes]) -> list[Artifact]:
    """Return the files that a simulation uses; all of them are also in the result of `emit`.

    Args:
        plan: The plan.
        files: Content of the partitions' sources and of golden vectors, by sha256.
    """
    return _simulated(plan, files, {node.name: _rtl(plan, node, files) for node in plan.cores})


def _simulated(
    plan: Plan, files: Mapping[str, bytes], rtl: Mapping[str, Sequence[Artifact]]
) -> list[Artifact]:
    artifacts = [*emit_memory_maps(plan), *emit_host(plan)]
    artifacts += [artifact for node in plan.cores for artifact in rtl[node.name]]
    cores = {node.name: rtl[node.core][-1] for node in plan.nodes}
    blocks = {node.name: _blocks(plan, node, cores[node.name]) for node in plan.nodes}
    registers = {name: register_blocks(core) for name, core in cores.items()}
    return [*artifacts, *emit_bench(plan, files, blocks, registers)]


def _rtl(plan: Plan, node: NodePlan, files: Mapping[str, bytes]) -> list[Artifact]:
    """Return partitions' sources, blocks, and last the core of a node."""
    core = emit_core(plan, node)
    blocks = [Artifact(f"{node.name}/rtl/{name}.sv", _block(name)) for name in _blocks(plan, node, core)]
    sources: dict[str, Artifact] = {}
    for name in node.partitions:
        for source in plan.partition(name).sources:
            path = f"{node.name}/partition/{source.name}"
            sources.setdefault(path, Artifact(path, files[source.sha256], source.fixes))
    return [*sources.values(), *blocks, core]


def _blocks(plan: Plan, node: NodePlan, core: Artifact) -> tuple[str, ...]:
    """Return the modules of ``ip/`` of a node: those of its core, and those inside its junctions."""
    inside = (name for part in node.partitions for name in junction_blocks(plan.partition(part)))
    return tuple(sorted({*core_blocks(core), *inside}))


@lru_cache(maxsize=64)
def _block(name: str) -> bytes:
    return rtl_file(name).read_bytes()
