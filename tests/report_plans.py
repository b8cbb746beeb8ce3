# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of every shape for pictures and reports: rows, loops, skip edges, long names, no estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fake_network import chain, lite, one_each, partition, plan_of, spec

from shellgen.model import Edge, Endpoint, Network, Pace, Partition, Plan

STREAM = ("UINT4", 2, 16)
HOSTILE = "</svg></style><script>document.title='pwned'</script>\"'&<b>"
Part = tuple[Partition, bytes]


def part(name: str, cycles: int | None, streams: tuple[int, int] = (1, 1), memories: int = 1) -> Part:
    """A partition with one layer."""
    slaves = tuple(lite(number) for number in range(memories))
    made, text = partition(name, (STREAM,) * streams[0], (STREAM,) * streams[1], slaves)
    update = {"layers": (f"{name}_MVAU_rtl_0",), "layer_cycles": (cycles,)}
    return made.model_copy(update=update), text


def row(boards: int, cycles: int | None = 100) -> Plan:
    """Boards in a row; the loads differ."""
    parts = [
        part(f"StreamingDataflowPartition_{k}", cycles and cycles + 37 * k % 53 * 5) for k in range(boards)
    ]
    network = chain(*parts)
    return plan_of(network, one_each(network))


def loop(between: int = 1) -> Plan:
    """The first and the last partition on one board, the others on a board each."""
    network = chain(*(part(f"p{k}", 100 + 50 * k) for k in range(between + 2)))
    nodes: list[Mapping[str, object]] = [
        {"name": "home", "board": "zedboard", "partitions": [0, between + 1]}
    ]
    nodes += [{"name": f"n{k}", "board": "zedboard", "partitions": [k]} for k in range(1, between + 1)]
    return plan_of(network, spec(nodes))


def joined(names: Sequence[str], edges: Sequence[tuple[int, int]], host: int | None = None) -> Plan:
    """Partitions on a board each with these edges; the host also sends to one of them."""
    into = [sum(b == k for _, b in edges) + (k == host) for k in range(len(names))]
    out = [sum(a == k for a, _ in edges) for k in range(len(names))]
    parts = [part(name, 100 * (k + 1), (max(1, into[k]), max(1, out[k]))) for k, name in enumerate(names)]
    used = {"m": [0] * len(names), "s": [0] * len(names)}

    def port(side: str, number: int) -> Endpoint:
        used[side][number] += 1
        return Endpoint(partition=names[number], port=f"{side}_axis_{used[side][number] - 1}")

    made = tuple(Edge(producer=port("m", a), consumer=port("s", b)) for a, b in edges)
    files = {one.sources[0].sha256: text for one, text in parts}
    network = Network(tuple(one for one, _ in parts), made, files, "build")
    return plan_of(network, one_each(network))


def replicas() -> Plan:
    """Three boards that take frames in turn, between two others; their layers wait for one another."""
    first, (middle, text), last = (part(f"p{k}", 100 + 200 * (k == 1)) for k in range(3))
    waits = middle.model_copy(update={"pace": Pace(period=40_000, last=50_000)})
    network = chain(first, (waits, text), last)
    nodes: list[Mapping[str, object]] = [
        {"name": f"n{k}", "board": "zedboard", "partitions": [k], "replicas": 3 if k == 1 else 1}
        for k in range(3)
    ]
    return plan_of(network, spec(nodes))


def hostile() -> Plan:
    """Long names, and text that would be markup."""
    network = chain(part("A" * 100 + "_end", 100), part("B" * 100, 7))
    nodes = [{"name": "z" * 24, "board": "zedboard", "partitions": [0]}]
    plan = plan_of(network, spec([*nodes, {"name": "n1", "board": "zedboard", "partitions": [1]}]))
    layers = (HOSTILE + "W" * 200,)
    parts = tuple(one.model_copy(update={"layers": layers}) for one in plan.partitions)
    changed = []
    for node in plan.nodes:
        board = node.board.model_copy(
            update={"title": HOSTILE + "\u4e2d" * 200, "sources": {"clock_hz": HOSTILE}}
        )
        changed.append(node.model_copy(update={"board": board}))
    return plan.model_copy(update={"partitions": parts, "nodes": tuple(changed)})


PLANS: dict[str, Callable[[], Plan]] = {
    "one board": lambda: row(1),
    "two boards": lambda: row(2),
    "six boards": lambda: row(6),
    "64 boards": lambda: row(64),
    "no cycles": lambda: row(2, None),
    "loop": loop,
    "loop over rows": lambda: loop(5),
    "residual": lambda: joined("abcd", [(0, 1), (1, 2), (2, 3), (0, 2), (0, 3), (1, 3)]),
    "branches": lambda: joined(
        ["stem", *(f"branch{k}" for k in range(8)), "head"],
        [*((0, k) for k in range(1, 9)), *((k, 9) for k in range(1, 9))],
    ),
    "host in the middle": lambda: joined("abcd", [(0, 1), (1, 2), (2, 3)], host=2),
    "no link": lambda: loop(0),
    "replicas": replicas,
    "hostile": hostile,
}
