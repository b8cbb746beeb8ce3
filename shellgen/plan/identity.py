# SPDX-License-Identifier: BSD-3-Clause
"""Identity of cores: the build id of each node, the contract of each boundary.

A bitstream depends only on its own node and on the boundaries at its ports. A change of clock, board or name
elsewhere in the cluster does not change a node's id and files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from shellgen.links import link_registry
from shellgen.model import Boundary, NodePlan, Plan
from shellgen.model.plain import JsonObject

DIGITS = 16  # 64 bits, which the core shows in two registers


def with_identity(plan: Plan) -> Plan:
    """Return the plan with the contracts of its boundaries, the build ids of its nodes and its own id."""
    plan = plan.model_copy(
        update={
            "boundaries": tuple(
                boundary.model_copy(update={"contract": _contract(plan, boundary)})
                for boundary in plan.boundaries
            )
        }
    )
    nodes = tuple(_identified(plan, node) for node in plan.nodes)
    boundaries = [
        boundary.model_dump(mode="json", exclude={"tensor", "numbered"}) for boundary in plan.boundaries
    ]
    cluster = [plan.name, [(node.name, node.build_id) for node in nodes], boundaries]
    return plan.model_copy(update={"nodes": nodes, "cluster_id": _digest(cluster)})


def _identified(plan: Plan, node: NodePlan) -> NodePlan:
    """Return a node with its build id; a replica whose core differs in names only has that of the first."""
    parts = [plan.partition(name) for name in node.partitions]
    if parts and all(part.copy_of for part in parts):
        first = plan.kept("homes", lambda: _homes(plan))[str(parts[0].copy_of)]
        wanted = _build_id(plan, first)
        if _build_id(plan, node, _renamed(plan, node, first)) == wanted:
            return node.model_copy(update={"build_id": wanted, "copy_of": first.name})
    return node.model_copy(update={"build_id": _build_id(plan, node)})


def _homes(plan: Plan) -> dict[str, NodePlan]:
    return {name: node for node in plan.nodes for name in node.partitions}


def _renamed(plan: Plan, node: NodePlan, first: NodePlan) -> dict[str, str]:
    """Return the name at the first replica of each part of another one: those at the same place."""
    names = {node.name: first.name}
    names |= {name: plan.partition(name).copy_of or name for name in node.partitions}
    for ends in zip(node.ends, first.ends, strict=False):
        names[ends[0].boundary] = ends[1].boundary
    for inner in zip(node.inner, first.inner, strict=False):
        names[inner[0].boundary] = inner[1].boundary
    windows = zip((*node.windows, *node.far_windows), (*first.windows, *first.far_windows), strict=False)
    return names | {one.name: like.name for one, like in windows}


def _with_names(data: object, names: Mapping[str, str]) -> object:
    """Return plain data with other names in it."""
    if isinstance(data, str):
        return names.get(data, data)
    if isinstance(data, list):
        return [_with_names(one, names) for one in data]
    if isinstance(data, dict):
        return {key: _with_names(one, names) for key, one in data.items()}
    return data


def _contract(plan: Plan, boundary: Boundary) -> str:
    """Return the hash of the properties that both ends share: elements, packing, kind of link."""
    port = plan.port(boundary)
    words = [boundary.wire_word_bits, port.elements_per_word] if boundary.packing == "finn" else []
    element = [boundary.datatype, list(boundary.normal_shape), boundary.elements_per_frame]
    return _digest(
        [
            *element,
            boundary.packing,
            *words,
            boundary.frame_bytes,
            boundary.link,
            _in_hardware(boundary.link, boundary.options),
            boundary.role,
            *(["numbered"] if boundary.numbered else []),
        ]
    )


def _build_id(plan: Plan, node: NodePlan, names: Mapping[str, str] | None = None) -> str:
    """Return the hash of all inputs of a node's core and address map, with other names if these are given.

    Location of the build, its reports and the options of the platform are not included.
    """
    links = {attachment.link for attachment in node.attachments}
    asked = {kind: _in_hardware(kind, table) for kind, table in node.link_options.items() if kind in links}
    asked = {kind: table for kind, table in asked.items() if table}
    core = node.model_copy(update={"build_id": "", "options": {}, "link_options": asked})
    partitions = [
        plan.partition(name).model_copy(update={"origin": "", "takes": None, "slr": None})
        for name in node.partitions
    ]
    ends = [end.boundary for end in node.ends] + [inner.boundary for inner in node.inner]
    contracts = [plan.boundary(name).contract for name in ends]
    records = [record.model_dump(mode="json") for record in (core, *partitions)]
    # Estimates, on which no core depends; a pattern is in its source, and copies are the same core.
    for record in records[1:]:
        for name in ("layer_cycles", "layer_sources", "flows", "course", "pace", "pattern", "copy_of"):
            del record[name]
    del records[0]["copy_of"]
    for attachment in records[0]["attachments"]:
        del attachment["units"]  # they are beside the core
        if not attachment["memories"]:
            del attachment["memories"]
        for memory in attachment.get("memories", ()):
            _without_place(memory)
        for end in attachment["ends"]:
            del end["copies"]  # the host's programs make them
            if not end["fast"]:
                del end["fast"]
    for inner in records[0]["inner"]:
        if not inner["fast"]:
            del inner["fast"]
        if (ring := inner["ring"]) is None:
            del inner["ring"]
            continue
        _without_place(ring["port"])
        if ring["stage"] is None:
            del ring["stage"]
    return _digest([plan.generator, _with_names(records, names) if names else records, contracts])


def _without_place(memory: dict[str, object]) -> None:
    """Leave out whose memory it is and when it answers, which is beside the core."""
    del memory["host"], memory["latency"]


def _in_hardware(kind: str | None, options: JsonObject) -> JsonObject:
    """Return the options of a link that affect a bitstream."""
    aside = link_registry()[kind].host_options if kind is not None else frozenset()
    return {name: value for name, value in options.items() if name not in aside}


def _digest(data: object) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:DIGITS]
