# SPDX-License-Identifier: BSD-3-Clause
"""The plan of a split whose partitions are not built yet: ports and cycles are known, their RTL is not.

It gives what only a plan tells: links between the boards and their rates, the cost of shell and platform, and
the rate of the whole, by the passes that later plan the built partitions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from shellgen.errors import PlanError
from shellgen.links import link_registry
from shellgen.model import (
    Board,
    ClusterSpec,
    Edge,
    Endpoint,
    Network,
    NodePlan,
    Partition,
    Plan,
    StreamPort,
)
from shellgen.model.folding import SplitNetwork, SplitStream
from shellgen.plan import make_plan
from shellgen.platforms.places import media_of
from shellgen.split.placed import Placed, add_port, crossing, partition_name
from shellgen.split.spaces import Space, spaces_of

ELEMENTS = 1 << 16  # of the frame by which the rate of a link is found
WORD = 8  # bytes of a word between these boards
_BYTES = ("UINT8", 8)
BUILD = "build"
_ASKED = re.compile(r"node\[(?P<node>\d+)\]\.options\.(?P<kind>\w+)\.(?P<field>\w+)$")

_Node = dict[str, object]  # a [[node]]


@dataclass(frozen=True)
class Around:
    """Shell, platform and rates around the layers on a kind of board.

    Attributes:
        spaces: Those that are filled by themselves: the board, or its regions.
        hz: Clock of the layers.
        into: Bytes a second that the board can receive.
        out_of: Bytes a second that it can send.
    """

    spaces: tuple[Space, ...]
    hz: float
    into: float
    out_of: float


def node_names(boards: Sequence[Board]) -> list[str]:
    """Return a name for each node, a Verilog identifier."""
    found = []
    for index, board in enumerate(boards):
        stem = re.sub(r"[^A-Za-z0-9_]", "_", board.name)[:20]
        stem = stem if stem[:1].isalpha() else f"n_{stem}"
        # u2800 would read as another card.
        found.append(f"{stem}_{index}" if stem[-1].isdigit() else f"{stem}{index}")
    return found


def vector_files(network: SplitNetwork) -> list[tuple[str, list[str]]]:
    """Return ``input`` and ``output`` with the files of the vectors, as `stitch` writes them."""
    ends = {
        "input": len({stream.output for stream in network.streams if not stream.producer}),
        "output": len({(one.producer, one.output) for one in network.streams if not one.consumer}),
    }
    return [
        (name, [f"{BUILD}/{name}{f'_{at}' if count > 1 else ''}.npy" for at in range(count)])
        for name, count in ends.items()
    ]


def cluster_text(
    plan: Plan, placed: Sequence[Placed], names: Sequence[str], name: str, vectors: SplitNetwork | None
) -> str:
    """Return cluster.toml.

    Args:
        plan: Of the partitions.
        placed: The partitions.
        names: The boards as the user named them.
        name: Of the cluster.
        vectors: The network, if `stitch` is to write golden vectors.
    """
    homes = nodes_with(placed)
    nodes = node_names([placed[own[0]].board for own in homes])
    lines = [
        "# Written by `shellgen split`; `shellgen generate` reads it.",
        f'name = "{name}"',
        f'build = "{BUILD}"',
    ]
    for node, board, own in zip(nodes, names, homes, strict=True):
        numbers, replicas = ", ".join(map(str, own)), placed[own[0]].replicas
        lines += ["", "[[node]]", f'name = "{node}"', f'board = "{board}"', f"partitions = [{numbers}]"]
        lines += [f"replicas = {replicas}"] if replicas > 1 else []
        lines += [
            f"options.{option} = {json.dumps(value)}  # stands for what only you know: write your own"
            for option, value in stand_ins(plan, own[0])
        ]
    if vectors:
        lines += ["", "[verify]"]
        for end, files in vector_files(vectors):
            lines.append(f"{end} = {json.dumps(files if len(files) > 1 else files[0])}")
    return "\n".join([*lines, ""])


def stand_ins(plan: Plan, number: int) -> list[tuple[str, object]]:
    """Return the options, with their values, that stand for the user's at the board of a partition."""
    given = nodes_of(plan, number)[0].link_options
    return [(f"{kind}.{field}", value) for kind, table in given.items() for field, value in table.items()]


def mock_plan(network: SplitNetwork, placed: Sequence[Placed], where: str) -> Plan:
    """Plan the partitions of a split.

    Raises:
        PlanError: No link joins two of the boards, a board has too few ports, and the like.
    """
    ports, edges = crossing(network, placed)
    partitions = [_partition(number, ports[number], part, part.region) for number, part in enumerate(placed)]
    return _plan(partitions, edges, placed, where)


def nodes_with(placed: Sequence[Placed]) -> list[list[int]]:
    """Return for each board the numbers of its partitions."""
    found: dict[int, list[int]] = {}
    for number, part in enumerate(placed):
        found.setdefault(part.node, []).append(number)
    return list(found.values())


def around(
    boards: Sequence[Board],
    where: str,
    about: Mapping[str, object] | None = None,
    link: str | None = None,
    elements: int = ELEMENTS,
) -> list[Around]:
    """Return for each board what surrounds its layers: one partition on each, joined in a row.

    Args:
        boards: In network order.
        where: For messages.
        about: Further fields of all nodes.
        link: Kind of the links between them, where the boards have several.
        elements: Bytes of a frame.

    Raises:
        PlanError: As `mock_plan`.
    """
    partitions, edges = [], []
    for number in range(len(boards)):
        ports: list[StreamPort] = []
        for way in ("in", "out"):
            stream = SplitStream(
                producer="",
                output=0,
                consumer="",
                input=0,
                datatype=_BYTES[0],
                bits=_BYTES[1],
                shape=(1, elements),
            )
            add_port(ports, number, way, stream, WORD)
        partitions.append(_partition(number, ports, None, 0))
        if number:
            ends = [(number - 1, "m_axis_0"), (number, "s_axis_0")]
            producer, consumer = (Endpoint(partition=partition_name(at), port=port) for at, port in ends)
            edges.append(Edge(producer=producer, consumer=consumer))
    alone = [Placed(board, (), node=number, region=0) for number, board in enumerate(boards)]
    links: list[dict[str, object]] = [
        {"from": str(one.producer), "to": str(one.consumer), "kind": link} for one in edges if link
    ]
    plan = _plan(partitions, edges, alone, where, (about or {}, links))
    return [_around(plan, node, elements) for node in plan.nodes]


def _around(plan: Plan, node: NodePlan, elements: int) -> Around:
    rates = {"in": inf, "out": inf}
    for place, media in media_of(node, None):
        end = place.end
        times = [end.beats_per_frame / node.clock_hz, *(one.seconds for one in media)]
        rates[end.direction] = min(rates[end.direction], elements / max(times))
    spaces = spaces_of(plan, node, spread=True)
    return Around(spaces, node.compute.hz, rates["in"], rates["out"])


def nodes_of(plan: Plan, number: int) -> list[NodePlan]:
    """Return the boards of a partition: one, or its replicas."""
    name = partition_name(number)
    copies = {part.name for part in plan.partitions if name in (part.name, part.copy_of)}
    return [node for node in plan.nodes if copies.intersection(node.partitions)]


def _plan(
    partitions: list[Partition],
    edges: list[Edge],
    placed: Sequence[Placed],
    where: str,
    asked: tuple[Mapping[str, object], Sequence[Mapping[str, object]]] = ({}, ()),
) -> Plan:
    more, links = asked  # fields of all nodes, and [[link]]
    homes = nodes_with(placed)
    boards = [placed[own[0]].board for own in homes]
    names = node_names(boards)
    nodes: list[_Node] = []
    for name, board, own in zip(names, boards, homes, strict=True):
        about = {"name": name, "board": board.name, "partitions": own, "fit": "warn"}
        nodes.append({**about, "replicas": placed[own[0]].replicas, **more})
    network = Network(tuple(partitions), tuple(edges), {}, where)
    files = dict(zip(names, boards, strict=True))

    def planned(nodes: Sequence[_Node]) -> Plan:
        spec = ClusterSpec.from_data({"build": BUILD, "node": nodes, "link": list(links)}, where)
        return make_plan(spec, network, files, where)

    try:
        return planned(nodes)
    except PlanError as error:
        told = _with_stand_ins(nodes, error)
        if told is None:
            raise
    return planned(told)


def _with_stand_ins(nodes: Sequence[Mapping[str, object]], error: PlanError) -> list[_Node] | None:
    """Return nodes with options that were asked for; None if no link has values for them."""
    found: list[_Node] = [dict(node) for node in nodes]
    for problem in error.problems:
        asked = _ASKED.search(problem.where)
        link = link_registry().get(asked["kind"]) if asked else None
        if asked is None or link is None or asked["field"] not in link.stand_ins:
            return None
        counts = [int(str(node["replicas"])) for node in nodes]
        at = int(asked["node"])
        first = sum(counts[:at])
        values = link.stand_ins[asked["field"]][first : first + counts[at]]
        options = found[at].setdefault("options", {})
        assert isinstance(options, dict)
        options.setdefault(asked["kind"], {})[asked["field"]] = list(values)
    return found


def _partition(
    number: int, ports: Sequence[StreamPort], part: Placed | None, region: int | None
) -> Partition:
    layers = part.layers if part else ()
    return Partition(
        name=partition_name(number),
        top=partition_name(number),
        clock="ap_clk",
        reset="ap_rst_n",
        streams=tuple(ports),
        sources=(),
        layers=tuple(layer.name for layer, _ in layers),
        layer_cycles=tuple(folding.cycles for _, folding in layers),
        layer_sources=tuple("formula" for _ in layers),
        flows=part.flows if part else (),
        pace=part.pace if part else None,
        slr=region,
        origin="shellgen split",
    )
