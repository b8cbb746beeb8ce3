# SPDX-License-Identifier: BSD-3-Clause
"""The memory map of registers, weights and DMAs, as a document."""

from __future__ import annotations

from collections.abc import Mapping

from shellgen.emit.bring_up import map_bring_up
from shellgen.emit.external import weights_file
from shellgen.emit.host_end import host_programs
from shellgen.emit.turns import taking_turns
from shellgen.links import link_registry
from shellgen.model import Boundary, End, Endpoint, NodePlan, Partition, Plan, Window
from shellgen.model.memory_map import (
    MapAperture,
    MapCopy,
    MapDeal,
    MapLayout,
    MapNode,
    MapProgram,
    MapRegion,
    MapStream,
    MapTurns,
    MemoryMap,
)
from shellgen.model.plain import JsonObject
from shellgen.model.replicas import alike
from shellgen.platforms import platform_registry
from shellgen.registers import map_block, map_unit


def memory_map(plan: Plan) -> MemoryMap:
    """Return the map of the whole cluster."""
    return plan.kept("memory map", lambda: _memory_map(plan))


def _memory_map(plan: Plan) -> MemoryMap:
    spoken = host_programs(plan)
    nodes = tuple(_node(plan, node, spoken) for node in plan.nodes)
    return MemoryMap(cluster=plan.name, nodes=nodes, bring_up=map_bring_up(plan, nodes))


def _node(plan: Plan, node: NodePlan, spoken: Mapping[str, JsonObject]) -> MapNode:
    bridge, scale = node.bridge, node.lite_scale
    programs = {**_programs(plan, node), **_of_host(spoken, node)}
    return MapNode(
        name=node.name,
        board=node.board.name,
        build_id=node.build_id,
        bus=node.host.bus,
        base=node.lite_base,
        slot_bytes=node.lite_slot,
        span=1 << node.lite_port_bits,
        blocks=tuple(map_block(node, window) for window in node.windows if window.kind != "partition"),
        units=tuple(map_unit(node, unit) for unit in node.units),
        aperture=_aperture(node.lite_base, bridge, scale),
        streams=tuple(_stream(plan, node, end, programs.get(end.boundary)) for end in node.ends),
        turns=tuple(_turns(plan, node, plan.partition(name)) for name in taking_turns(plan, node)),
        places=_places(plan, node),
        period=plan.epoch,
        **platform_registry()[node.platform].host_side(node).in_map(),
        regions=tuple(_region(node, window, bridge) for window in node.memories),
    )


def _programs(plan: Plan, node: NodePlan) -> dict[str, MapProgram]:
    """Return what the program of a node's host must know of streams that it is the end of, by boundary."""
    kinds = dict.fromkeys(
        str(kind)
        for end in node.ends
        if (kind := plan.boundary(end.boundary).link) != node.attachment(end).link
    )
    return {
        name: MapProgram.model_validate(told)
        for kind in kinds
        for name, told in link_registry()[kind].programs(plan, node).items()
    }


def _of_host(spoken: Mapping[str, JsonObject], node: NodePlan) -> dict[str, MapProgram]:
    """Return what the program of the host must know of the streams of a node that end there, by boundary."""
    names = (end.boundary for end in node.ends)
    return {name: MapProgram.model_validate(spoken[name]) for name in names if name in spoken}


def _stream(plan: Plan, node: NodePlan, end: End, program: MapProgram | None) -> MapStream:
    boundary, incoming = plan.boundary(end.boundary), end.direction == "in"
    return MapStream(
        index=end.stream,
        direction="rx" if incoming else "tx",
        boundary=end.boundary,
        frame_bytes=boundary.frame_bytes,
        memory_bytes=link_registry()[node.attachment(end).link].memory_bytes(boundary),
        most_frames=end.most_frames,
        port=node.pin(end).name,
        host=(boundary.producer_node if incoming else boundary.consumer_node) is None,
        contract=boundary.contract,
        layout=_layout(plan, boundary, end),
        tensor=boundary.tensor,
        role=boundary.role,
        passes=boundary.passes,
        weights=weights_file(plan, boundary),
        deal=_deal(plan, boundary),
        copies=tuple(_copy(plan, plan.boundary(name)) for name in end.copies),
        program=program,
    )


def _places(plan: Plan, node: NodePlan) -> tuple[int, ...]:
    """Return the frames of an epoch that a node has."""
    names = {one.boundary for end in node.ends for one in end.each}
    places = {place for name in names for place in plan.boundary(name).places}
    return tuple(sorted(places)) or (0,)


def _turns(plan: Plan, node: NodePlan, part: Partition) -> MapTurns:
    numbers = {end.port: end.stream for end in node.ends}
    deals = part.junction == "deal"
    far = {
        (one.producer if deals else one.consumer): one.consumer_node if deals else one.producer_node
        for one in plan.boundaries
    }
    ports = part.outputs if deals else part.inputs
    ends = [Endpoint(partition=part.name, port=port.name) for port in ports]
    return MapTurns(
        kind="deal" if deals else "gather",
        nodes=tuple(str(far[end]) for end in ends),
        streams=tuple(numbers[end] for end in ends),
        pattern=part.pattern,
    )


def _copy(plan: Plan, boundary: Boundary) -> MapCopy:
    host = boundary.consumer_node is None
    return MapCopy(boundary=boundary.name, host=host, tensor=boundary.tensor, deal=_deal(plan, boundary))


def _deal(plan: Plan, boundary: Boundary) -> MapDeal | None:
    inner = None not in (boundary.producer, boundary.consumer)
    if inner or boundary.role != "data" or len(boundary.places) == plan.epoch:
        return None
    firsts = plan.kept("firsts", lambda: _firsts(plan))
    return MapDeal(stream=firsts[boundary.name], places=boundary.places, period=plan.epoch)


def _firsts(plan: Plan) -> dict[str, str]:
    """Return, for each boundary, that of the first replica beside it."""
    pairs = zip(plan.boundaries, alike(plan), strict=True)
    return {boundary.name: plan.boundaries[one.first].name for boundary, one in pairs}


def _layout(plan: Plan, boundary: Boundary, end: End) -> MapLayout:
    # A dense frame has no words: the words of this end are given, regardless of the other end.
    dense = boundary.packing == "dense"
    port = plan.partition(end.port.partition).stream(end.port.port) if dense else plan.port(boundary)
    assert port is not None
    return MapLayout(
        datatype=boundary.datatype,
        shape=boundary.normal_shape,
        elements=boundary.elements_per_frame,
        bits=port.element.bits,
        signed=port.element.signed,
        low=port.element.low,
        high=port.element.high,
        per_word=port.elements_per_word,
        word_bits=end.word_bits if dense else boundary.wire_word_bits,
    )


def _aperture(base: int, window: Window | None, scale: int) -> MapAperture | None:
    if window is None:
        return None
    half = window.size // 2
    return MapAperture(base=base + (window.offset + half) * scale, bytes=half)


def _region(node: NodePlan, window: Window, bridge: Window | None) -> MapRegion:
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
        memory=window.memory,
    )
