# SPDX-License-Identifier: BSD-3-Clause
"""Generate a cluster with a combination of options and check it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster_bench import generate_fake
from fake_network import plan_of, spec
from zynq_project import WIDE, WORD

from shellgen.check.run import Options, check
from shellgen.errors import ShellgenError
from shellgen.links import link_registry
from shellgen.model import Edge
from shellgen.platforms import platform_registry
from shellgen.read.board import read_board
from tools.mutants.clusters import edge, network, part
from vivado_check.coverage import Result
from vivado_check.report import Verdict

from .cover import Choice
from .space import link_options, platform_options

# Streams in and out of the first node; several of one width and of two.
STREAMS = ((1, 1), (2, 1), (1, 3), (4, 4), (8, 8))
REFUSED = "refused"
# Options of a link that are said of a node, since each of its nodes has another value.
_OF_NODE = ("ip", "mac")


@dataclass(frozen=True)
class Tried:
    """A combination and what came of it: a `Result`, or ``refused`` by `generate`."""

    kind: str
    board: str
    choice: Choice
    outcome: str
    lines: tuple[str, ...] = ()


def factors(kind: str, board_name: str) -> dict[str, tuple[Any, ...]]:
    """Return all that is varied on a board, its streams, its neighbour and its clocks among them."""
    board = read_board(board_name)
    found: dict[str, tuple[Any, ...]] = {"streams": STREAMS, "double": (False, True)}
    found |= {f"{kind}.{name}": values for name, values in platform_options(kind, board).items()}
    links = [link for link in _links(kind, board_name) if link]
    found["link"] = (None, *links)
    for link in links:
        found |= {f"{link}.{name}": values for name, values in link_options(link).items()}
    found["compute_mhz"] = (None, 50.0)
    return found


def _links(kind: str, board_name: str) -> tuple[str, ...]:
    """Return the links between two nodes of a board; two programs are not joined."""
    platform = platform_registry()[kind]
    docks = {name for name, one in platform.docks(read_board(board_name)).items() if not one.software}
    fitting = [name for name, link in link_registry().items() if link.dock in docks]
    return tuple(name for name in fitting if name != platform.host_link) or tuple(fitting)


def legal(kind: str, board: str, out: Path) -> tuple[dict[str, tuple[Any, ...]], list[Tried]]:
    """Return the factors with those values that `generate` takes beside defaults, and what it refused."""
    given = factors(kind, board)
    link = next((value for value in given["link"] if value), None)
    kept: dict[str, tuple[Any, ...]] = {}
    refused: list[Tried] = []
    for name, values in given.items():
        usual = {other: theirs[0] for other, theirs in given.items()}
        if name.startswith(f"{link}."):
            usual["link"] = link
        fine: list[Tried] = []
        for value in values:
            found = tried(kind, board, usual | {name: value}, out, checking=False)
            (refused if found.outcome == REFUSED else fine).append(found)
        kept[name] = tuple(one.choice[name] for one in fine) or values[:1]
    return kept, refused


def tried(kind: str, board: str, choice: Choice, out: Path, *, checking: bool = True) -> Tried:
    """Generate into a folder and check what was written, or find out whether it can be planned."""
    try:
        if not checking:
            plan_of(*_cluster(kind, board, choice))
            return Tried(kind, board, choice, Result.UNCHECKED.value)
        generate_fake(*_cluster(kind, board, choice), out)
    except ShellgenError as error:
        return Tried(kind, board, choice, REFUSED, (str(error),))
    checked = check(out, Options())
    told = [one for one in checked.messages if one.verdict is not Verdict.NOT_MODELLED]
    worst = checked.worst()
    lines = [f"{one.origin}: {one.rule}: {one.where}: {one.found}" for one in told]
    lines += [coverage.gap for coverage in checked.coverages.values() if coverage.gap]
    outcome = Result.WRONG.value if told else worst.value
    return Tried(kind, board, choice, outcome, tuple(lines))


def _cluster(kind: str, board: str, choice: Choice) -> tuple[Any, Any]:
    takes, makes = choice["streams"]
    streams = [tuple((WORD, WIDE)[index % 2] for index in range(count)) for count in (takes, makes)]
    double = bool(choice["double"])
    parts = [part("first", streams[0], streams[1], double_clock=double)]
    link = choice["link"]
    edges: tuple[Edge, ...] = ()
    if link:
        parts.append(part("second"))
        edges = (edge("first.m_axis_0", "second.s_axis_0"),)
    nodes: list[dict[str, Any]] = []
    for index in range(len(parts)):
        options = {kind: _given(choice, f"{kind}.")} if index == 0 else {}
        if link and index == 0:
            options[link] = {
                name: value for name, value in _given(choice, f"{link}.").items() if name in _OF_NODE
            }
        node = {
            "name": f"n{index}",
            "board": board,
            "platform": kind,
            "partitions": [index],
            "options": options,
        }
        if index == 0 and choice.get("compute_mhz"):
            node["compute_mhz"] = choice["compute_mhz"]
        nodes.append({**node, "fit": "warn"})
    of_link = {name: value for name, value in _given(choice, f"{link}.").items() if name not in _OF_NODE}
    more = {"links": {link: of_link}} if link and of_link else {}
    return network(*parts, edges=edges), spec(nodes, **more)


def _given(choice: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return options as cluster.toml has them: nothing is None, and lists are lists."""
    found = {name.removeprefix(prefix): value for name, value in choice.items() if name.startswith(prefix)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in found.items()
        if value is not None
    }
