# SPDX-License-Identifier: BSD-3-Clause
"""Where the host finds every register, weight and DMA: ``memory_map.json``, ``.h``, ``.rdl``, a schema."""

from __future__ import annotations

import json
import re

from shellgen.emit.external import weights_file
from shellgen.model import Artifact, Boundary, End, NodePlan, Plan, Window
from shellgen.model.axilite import REGISTER_BYTES
from shellgen.model.memory_map import (
    MapBridge,
    MapLayout,
    MapNode,
    MapRegion,
    MapRegister,
    MapStatus,
    MapStream,
    MemoryMap,
)
from shellgen.platforms import platform_registry
from shellgen.registers import block_registers
from shellgen.render import render


def emit_memory_maps(plan: Plan) -> tuple[Artifact, ...]:
    """Return the maps of the cluster and, of the same form, one set per node: a board needs only its own.

    Addresses are absolute as the node's host sees them, or lie behind the node's bridge; sizes are in bytes.
    Word ``i`` of a memory occupies ``lanes`` 32-bit registers, least significant first, from byte
    ``base + slot_bytes * lanes * i``, or behind a bridge ``base + 4 * lanes * i``.

    Source: docs/design.md, control plane; docs/finn-builds.md; ``registers.json`` of the blocks.
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
        "h": render(
            "host/memory_map.h.j2",
            generator=plan.generator,
            map=found,
            blocks=_blocks(found),
            slot_prefix=slot_prefix,
            macro=_macro,
            c_int=_c_int,
            addresses=_addresses,
            magic=next(r.value for r in block_registers("shell_status")["registers"] if r.name == "MAGIC"),
            most_windows=max((len(d.memory) for node in found.nodes for d in node.dma), default=1),
        ),
        "rdl": render("host/memory_map.rdl.j2", generator=plan.generator, map=found),
    }
    return [Artifact.text(f"{folder}memory_map.{form}", text) for form, text in texts.items()]


def _blocks(found: MemoryMap) -> list[tuple[str, int, list[tuple[str, tuple[MapRegister, ...]]]]]:
    """Register sets by the prefix of their names in C, with the stride of streams.

    Those of nodes whose registers are 8 bytes apart have a prefix of their own, so that a name means the
    same in the header of the cluster and in that of a node. What no node has is left out.
    """
    blocks = []
    for slot in sorted({node.slot_bytes for node in found.nodes}):
        nodes = [node for node in found.nodes if node.slot_bytes == slot]
        status = nodes[0].status
        sets = [("STATUS", status.registers), ("STREAM", status.stream_registers)]
        sets += [("BRIDGE", node.bridge.registers) for node in nodes if node.bridge][:1]
        blocks.append((slot_prefix(slot), status.stream_stride, sets))
    return blocks


def _macro(prefix: str, region: MapRegion) -> str:
    """Return the start of a region's names in C: with its layer, if that is known."""
    return re.sub(r"[^0-9A-Z]+", "_", f"{prefix}_{region.name}_{region.layer or ''}".upper()).rstrip("_")


def _c_int(value: int) -> str:
    """Return a 64-bit constant of C; the smallest is no literal there. What does not fit is 0 (see bits)."""
    if not -(1 << 63) <= value < 1 << 63:
        return "0"
    return "INT64_MIN" if value == -(1 << 63) else f"INT64_C({value})"


def _addresses(node: MapNode) -> list[int]:
    """Return the addresses in ``struct shellgen_registers``, in its order."""
    status, bridge = node.status, node.bridge
    own = {register.name: register.offset for register in status.registers}
    each = {register.name: register.offset for register in status.stream_registers}
    far = {register.name: bridge.base + register.offset for register in bridge.registers} if bridge else {}
    return [
        *(
            status.base + own[name]
            for name in ("MAGIC", "BUILD_ID_LOW", "BUILD_ID_HIGH", "ERRORS", "CONTROL")
        ),
        *(status.base + each[name] for name in ("FRAMES", "FLAGS", "FRAMES_PER_TRANSFER")),
        status.stream_stride,
        *(far.get(name, 0) for name in ("ADDRESS", "DATA", "LEVEL", "ERROR", "ERROR_ADDRESS")),
    ]


def slot_prefix(slot: int) -> str:
    """Return the start of C names of register offsets where registers are this far apart."""
    return "SHELLGEN_" if slot == REGISTER_BYTES else f"SHELLGEN_SLOT{slot}_"


def _node(plan: Plan, node: NodePlan) -> MapNode:
    platform = platform_registry()[node.platform]
    block, bridge, scale = block_registers("shell_status"), node.bridge, node.lite_scale
    return MapNode(
        name=node.name,
        board=node.board.name,
        base=node.lite_base,
        slot_bytes=node.lite_slot,
        span=1 << node.lite_port_bits,
        status=MapStatus(
            base=node.lite_base + node.status.offset * scale,
            size=node.status.size * scale,
            registers=_spread(block["registers"], scale),
            stream_stride=block["stream_stride"] * scale,
            stream_registers=_spread(block["stream_registers"], scale),
        ),
        bridge=_bridge(node.lite_base, bridge, scale),
        streams=tuple(_stream(plan, node, end) for end in node.ends),
        dma=platform.dma(node),
        interrupt_controller=platform.interrupt_controller(node),
        regions=tuple(_region(plan, node, window, bridge) for window in node.memories),
    )


def _spread(registers: tuple[MapRegister, ...], scale: int) -> tuple[MapRegister, ...]:
    """Return the registers as far apart as the host sees them."""
    return tuple(entry.model_copy(update={"offset": entry.offset * scale}) for entry in registers)


def _stream(plan: Plan, node: NodePlan, end: End) -> MapStream:
    boundary, incoming = plan.boundary(end.boundary), end.direction == "in"
    return MapStream(
        index=end.stream,
        direction="rx" if incoming else "tx",
        boundary=end.boundary,
        frame_bytes=boundary.frame_bytes,
        most_frames=end.most_frames,
        port=node.pin(end).name,
        peer=boundary.producer_node if incoming else boundary.consumer_node,
        layout=_layout(plan, boundary),
        role=boundary.role,
        passes=boundary.passes,
        weights=weights_file(plan, boundary),
    )


def _layout(plan: Plan, boundary: Boundary) -> MapLayout:
    port = plan.port(boundary)
    return MapLayout(
        datatype=boundary.datatype,
        shape=boundary.normal_shape,
        elements=boundary.elements_per_frame,
        bits=port.element.bits,
        signed=port.element.signed,
        low=port.element.low,
        high=port.element.high,
        per_word=port.elements_per_word,
        word_bits=boundary.wire_word_bits,
    )


def _bridge(base: int, window: Window | None, scale: int) -> MapBridge | None:
    if window is None:
        return None
    return MapBridge(
        base=base + window.offset * scale,
        size=window.size * scale,
        aperture=base + (window.offset + window.size // 2) * scale,
        aperture_bytes=window.size // 2,
        registers=_spread(block_registers("axil_bridge")["registers"], scale),
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
        base=window.offset if bridge else node.lite_base + window.offset * node.lite_scale,
        size=window.size * (1 if bridge else node.lite_scale),
        dat=f"{window.name}.dat",
        build_id=plan.build_id,
        memory=window.memory,
    )
