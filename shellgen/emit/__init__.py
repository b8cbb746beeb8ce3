# SPDX-License-Identifier: BSD-3-Clause
"""Plan to artifacts: pure functions of the plan and the partitions' files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from shellgen.emit.bench import emit_bench
from shellgen.emit.bench_slaves import register_blocks
from shellgen.emit.core import core_blocks, core_name, emit_core
from shellgen.emit.external import emit_weights
from shellgen.emit.host import emit_host
from shellgen.emit.memory_map import emit_memory_maps
from shellgen.model import Artifact, NodePlan, Plan
from shellgen.model.hooks import user_files
from shellgen.platforms import platform_registry
from shellgen.progress import each
from shellgen.resources import rtl_file

__all__ = ["emit"]


def emit(plan: Plan, files: Mapping[str, bytes]) -> tuple[Artifact, ...]:
    """Return every file of the system.

    Args:
        plan: The plan.
        files: Content of the partitions' sources, of external weights and golden vectors, by sha256.
    """
    artifacts = [Artifact.text("plan.json", plan.to_json()), *emit_memory_maps(plan)]
    artifacts.extend(emit_host(plan))
    blocks: dict[str, tuple[str, ...]] = {}
    registers: dict[str, dict[str, str]] = {}
    for node in each("emitting board", plan.nodes):
        core = emit_core(plan, node)
        blocks[node.name] = core_blocks(core)
        registers[node.name] = register_blocks(core)
        artifacts.extend(_emit_node(plan, node, files, core, blocks[node.name]))
    artifacts.extend(emit_weights(plan, files))
    artifacts.extend(emit_bench(plan, files, blocks, registers))
    return tuple(artifacts)


def _emit_node(
    plan: Plan, node: NodePlan, files: Mapping[str, bytes], core: Artifact, names: tuple[str, ...]
) -> list[Artifact]:
    blocks = [Artifact(f"{node.name}/rtl/{name}.sv", _block(name)) for name in names]
    sources: dict[str, Artifact] = {}
    for name in node.partitions:
        for source in plan.partition(name).sources:
            path = f"{node.name}/partition/{source.name}"
            sources.setdefault(path, Artifact(path, files[source.sha256], source.fixes))
    rtl = [*sources.values(), *blocks, core]
    paths = tuple(artifact.path.removeprefix(f"{node.name}/") for artifact in rtl)
    assert paths[-1] == f"{core_name(node)}.v"
    hooks = [Artifact(f"{node.name}/{one.path}", files[one.sha256]) for one in user_files(node.options)]
    return [*rtl, *hooks, *platform_registry()[node.platform].artifacts(plan, node, paths)]


@lru_cache(maxsize=64)
def _block(name: str) -> bytes:
    return rtl_file(name).read_bytes()
