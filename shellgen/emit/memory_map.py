# SPDX-License-Identifier: BSD-3-Clause
"""Where the host finds every register and weight: ``memory_map.json``, ``.h``, ``.rdl`` and their schema."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Literal

from shellgen.emit.external import weights_file
from shellgen.model import Artifact, LinkPath, NodePlan, Plan, Window
from shellgen.model.memory_map import (
    MapBridge,
    MapNode,
    MapRegion,
    MapRegister,
    MapStatus,
    MapStream,
    MemoryMap,
)
from shellgen.render import render
from shellgen.resources import data_dir


def emit_memory_maps(plan: Plan) -> tuple[Artifact, ...]:
    """Return the maps of the cluster and, of the same form, one set per node: a board needs only its own.

    Addresses are absolute as the node's host sees them, or lie behind the node's bridge; sizes are in bytes.
    Word ``i`` of a memory occupies ``lanes`` 32-bit registers from byte ``base + 4 * lanes * i``, least
    significant first.

    Source: design section 6; facts/finn_artefacts.md 6.5; ``registers.json`` of the blocks.
    """
    whole = memory_map(plan)
    schema = json.dumps(MemoryMap.model_json_schema(), indent=1, sort_keys=True) + "\n"
    artifacts = [Artifact.text("memory_map.schema.json", schema), *_forms("", plan, whole)]
    for node in whole.nodes:
        own = whole.model_copy(update={"nodes": (node,)})
        artifacts.extend(_forms(f"{node.name}/", plan, own))
    return tuple(artifacts)


def memory_map(plan: Plan) -> MemoryMap:
    """Return the map of the whole cluster."""
    nodes = tuple(_node(plan, node) for node in plan.nodes)
    return MemoryMap(cluster=plan.name, build_id=plan.build_id, nodes=nodes)


def _forms(folder: str, plan: Plan, found: MemoryMap) -> list[Artifact]:
    texts = {
        "json": found.to_json(),
        "h": render("host/memory_map.h.j2", generator=plan.generator, map=found, blocks=_blocks(found)),
        "rdl": render("host/memory_map.rdl.j2", generator=plan.generator, map=found),
    }
    return [Artifact.text(f"{folder}memory_map.{form}", text) for form, text in texts.items()]


def _blocks(found: MemoryMap) -> list[tuple[str, tuple[MapRegister, ...]]]:
    """Register sets by the prefix of their names in C; those that no node has are left out."""
    status = found.nodes[0].status
    bridges = [node.bridge for node in found.nodes if node.bridge]
    blocks = [("STATUS", status.registers), ("STREAM", status.stream_registers)]
    return [*blocks, ("BRIDGE", bridges[0].registers)] if bridges else blocks


@cache
def _registers(block: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data_dir("ip") / block / "registers.json").read_text())
    for field in ("registers", "stream_registers"):
        found[field] = tuple(MapRegister(**entry) for entry in found.get(field, ()))
    return found


def _node(plan: Plan, node: NodePlan) -> MapNode:
    block, bridge = _registers("shell_status"), node.bridge
    paths = [*(("rx", path) for path in node.rx), *(("tx", path) for path in node.tx)]
    return MapNode(
        name=node.name,
        board=node.board.name,
        base=node.lite_base,
        span=1 << node.lite_addr_bits,
        status=MapStatus(
            base=node.lite_base + node.status.offset,
            size=node.status.size,
            registers=block["registers"],
            stream_stride=block["stream_stride"],
            stream_registers=block["stream_registers"],
        ),
        bridge=_bridge(node.lite_base, bridge),
        streams=tuple(
            _stream(plan, index, "rx" if side == "rx" else "tx", path)
            for index, (side, path) in enumerate(paths)
        ),
        regions=tuple(_region(plan, node, window, bridge) for window in node.memories),
    )


def _stream(plan: Plan, index: int, direction: Literal["rx", "tx"], path: LinkPath) -> MapStream:
    boundary = plan.boundary(path.boundary)
    return MapStream(
        index=index,
        direction=direction,
        boundary=path.boundary,
        frame_bytes=boundary.frame_bytes,
        role=boundary.role,
        passes=boundary.passes,
        weights=weights_file(plan, boundary),
    )


def _bridge(base: int, window: Window | None) -> MapBridge | None:
    if window is None:
        return None
    return MapBridge(
        base=base + window.offset,
        size=window.size,
        aperture=base + window.offset + window.size // 2,
        aperture_bytes=window.size // 2,
        registers=_registers("axil_bridge")["registers"],
    )


def _region(plan: Plan, node: NodePlan, window: Window, bridge: Window | None) -> MapRegion:
    assert window.partition
    assert window.interface
    return MapRegion(
        name=window.name,
        node=node.name,
        partition=window.partition,
        layer=window.memory.layer if window.memory else None,
        interface=window.interface,
        access="bridge" if bridge else "direct",
        base=window.offset if bridge else node.lite_base + window.offset,
        size=window.size,
        dat=f"{window.name}.dat",
        build_id=plan.build_id,
        memory=window.memory,
    )
