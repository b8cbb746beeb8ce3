# SPDX-License-Identifier: BSD-3-Clause
"""Clusters that have every board, platform, version and option between them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from cluster_bench import generate_fake
from fake_network import chain, lite, partition, spec
from zynq_project import WIDE, WORD, with_files

from shellgen.model import Edge, Endpoint, Network, PackagedIp, Partition

Node = dict[str, Any]
Made = tuple[Partition, dict[str, bytes]]
VLNV = "xilinx_finn:finn:{}:1.0"


def part(
    name: str,
    takes: Any = (WORD,),
    makes: Any = (WORD,),
    *,
    double_clock: bool = False,
    packaged: bool = False,
) -> Made:
    """Return a partition with a slave, a weight file, a header and a SystemVerilog source."""
    made, files = with_files(partition(name, takes, makes, (lite(0),)), double_clock)
    if packaged:
        ip = PackagedIp(vlnv=VLNV.format(name), created="2024-05-17T09:15:30Z")
        made = made.model_copy(update={"packaged": ip})
    return made, files


def weights(name: str) -> Made:
    """Return a partition with two streams of external weights, each of which gets a cyclic DMA."""
    made, files = part(name, (WIDE, WORD, WORD), (WORD, WIDE))
    streams = tuple(
        port.model_copy(update={"role": "weights", "passes": 9})
        if port.direction == "in" and port.name != "s_axis_1"
        else port
        for port in made.streams
    )
    return made.model_copy(update={"streams": streams}), files


def network(*parts: Made, edges: tuple[Edge, ...] | None = None) -> Network:
    """Join partitions by these edges, or in a row through their first ports."""
    if edges is None:
        edges = chain(*((made, b"") for made, _ in parts)).edges
    files = {key: data for _, own in parts for key, data in own.items()}
    return Network(tuple(made for made, _ in parts), edges, files, "build")


def nodes(boards: tuple[str, ...], platform: str, options: dict[str, Node]) -> list[Node]:
    """Return a node for each board, which holds one partition; ``options`` go by board."""
    return [
        {
            "name": board.split("_")[0].replace("-", "_"),
            "board": board,
            "platform": platform,
            "partitions": [index],
            **options.get(board, {}),
        }
        for index, board in enumerate(boards)
    ]


def zynq(out: Path) -> Path:
    """Write all Zynq boards in a row, with an option or two each."""
    first = ("zedboard", "pynq-z1", "pynq-z2", "zcu104", "ultra96-v2", "kv260_som")
    boards = (*first, "arty-z7-20", "zybo-z7-20", "zc706")
    choices: dict[str, Node] = {
        "zedboard": {"options": {"zynq": {"strategy": "performance"}}},
        "pynq-z1": {"options": {"zynq": {"ila": 4096, "interrupts": "direct"}}},
        "pynq-z2": {"options": {"zynq": {"strategy": "area", "interrupts": "none", "compress": False}}},
        "zcu104": {"compute_mhz": 200.0, "options": {"zynq": {"memory_port": "HPC0"}}},
        "ultra96-v2": {"options": {"zynq": {"accept": ["BD 41-759"]}}},
        "kv260_som": {"options": {"zynq": {"ila": 1024, "memory_port": "HP1"}}},
    }
    double = {"ultra96-v2": True, "pynq-z1": True}
    parts = [
        part(f"zynq{index}", double_clock=double.get(board, False), packaged=board == "pynq-z2")
        for index, board in enumerate(boards)
    ]
    return generate_fake(network(*parts), spec(nodes(boards, "zynq", choices)), out)


def zynq_streams(out: Path) -> Path:
    """Write nodes of several streams in and out, one with external weights."""
    boards = ("zedboard", "zcu104", "kv260_som")
    choices: dict[str, Node] = {
        "kv260_som": {"options": {"zynq": {"strategy": "performance"}}},
        "zedboard": {"compute_mhz": 50.0},
    }
    parts = (part("two", (WORD, WIDE), (WORD,)), weights("held"), part("three", (WORD,), (WORD, WIDE, WORD)))
    edges = (edge("two.m_axis_0", "held.s_axis_1"), edge("held.m_axis_0", "three.s_axis_0"))
    return generate_fake(network(*parts, edges=edges), spec(nodes(boards, "zynq", choices)), out)


def edge(producer: str, consumer: str) -> Edge:
    """Return an edge between two ``<partition>.<port>``."""
    ends = [Endpoint(partition=end.split(".")[0], port=end.split(".")[1]) for end in (producer, consumer)]
    return Edge(producer=ends[0], consumer=ends[1])


def vitis(out: Path) -> Path:
    """Write all Alveo cards in a loop over VNx."""
    boards = ("u50", "u200", "u250", "u280", "u55c")
    choices: dict[str, Node] = {
        "u200": {"options": {"vitis": {"slr": 1}}},
        "u250": {"compute_mhz": 150.0},
        "u280": {"options": {"vitis": {"ila": True, "memory": ["HBM[0]", "HBM[1]"]}}},
        "u55c": {"options": {"vitis": {"strategy": "Performance_Explore", "slr": -1}}},
    }
    parts = [part(f"vitis{index}") for index in range(len(boards))]
    return generate_fake(network(*parts), spec(nodes(boards, "vitis", choices), host={"through": "u50"}), out)


def coyote(board: str, out: Path) -> Path:
    """Write a card under Coyote v2, fed by its host alone: v2 has no link between cards."""
    choices: dict[str, Node] = {
        "u250": {"options": {"coyote": {"regions": 2, "region": 1}}},
        "u280": {"options": {"coyote": {"configs": 2, "config": 1, "rdma": True}}},
    }
    streams = ((WORD, WIDE), (WORD,)) if board == "u250" else ((WORD,), (WORD,))
    made = part(f"v2_{board}", *streams)
    return generate_fake(network(made), spec(nodes((board,), "coyote", choices)), out)


def coyote_v1(out: Path) -> Path:
    """Write all cards that Coyote v1 knows, in a row over ACCL."""
    boards = ("u55c", "u250", "u280", "u50", "u200")
    options = {"version": "v1", "network": "tcp"}
    choices: dict[str, Node] = {board: {"options": {"coyote": options}} for board in boards}
    parts = [part(f"v1_{index}") for index in range(len(boards))]
    return generate_fake(network(*parts), spec(nodes(boards, "coyote", choices)), out)


def coyote_rdma(out: Path) -> Path:
    """Write two cards over RDMA and a frame at a time, and one alone."""
    parts = [part("rdma_0"), part("rdma_1")]
    cluster = spec(nodes(("u55c", "u250"), "coyote", {}), links={"accl": {"mode": "direct"}})
    return generate_fake(network(*parts), cluster, out)


def joins(out: Path) -> Path:
    """Write a fork to the host and to two boards, a concatenation behind it and a sum, on two boards."""
    four, eight, sums = ("UINT4", 1, 4), ("UINT4", 1, 8), ("UINT5", 1, 8)
    parts = (
        part("stem", (four,), (four,)),
        part("left", (four,), (four,)),
        part("right", (four,), (four,)),
        part("head", (eight,), (eight,)),
        part("tail", (sums,), (sums,)),
        part("other", (eight,), (eight,)),
    )
    links: list[Node] = [
        {"from": "stem", "to": ["left", "right"]},
        {"from": "stem", "to": "host", "at": "zcu104"},
        {"from": ["left", "right"], "to": "head", "join": "concat"},
        {"from": ["head", "other"], "to": "tail", "join": "sum"},
    ]
    made = nodes(("zedboard", "zcu104"), "zynq", {"zedboard": {"partitions": ["stem", "left", "tail"]}})
    made[1]["partitions"] = ["right", "head", "other"]
    return generate_fake(network(*parts, edges=()), spec(made, link=links), out)


CLUSTERS: dict[str, Callable[[Path], Path]] = {
    "zynq": zynq,
    "zynq_streams": zynq_streams,
    "vitis": vitis,
    **{f"coyote_{board}": partial(coyote, board) for board in ("u55c", "u250", "u280")},
    "coyote_v1": coyote_v1,
    "coyote_rdma": coyote_rdma,
    "joins": joins,
}
