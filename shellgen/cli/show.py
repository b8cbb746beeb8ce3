# SPDX-License-Identifier: BSD-3-Clause
"""Commands that only show: ``map``, ``list``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shellgen.cli.command import AddCommand, Answer
from shellgen.errors import Problem
from shellgen.table import Column, table, terminal_width

if TYPE_CHECKING:
    from shellgen.links import Link
    from shellgen.model.base import Json
    from shellgen.platforms import Platform


def add_commands(add: AddCommand) -> None:
    """Add the commands of this file."""
    sub = add("map", _map, "Print where the host finds every register, weight and DMA.")
    sub.add_argument("out", type=Path, help="folder that `shellgen generate` wrote")
    sub = add("list", _list, "List the boards, links or platforms to choose from.")
    kinds = ("boards", "links", "platforms")
    sub.add_argument("what", choices=kinds, metavar="{" + ",".join(kinds) + "}")


def _map(args: argparse.Namespace) -> Answer:
    from shellgen.disk.changes import settle
    from shellgen.model.memory_map import MemoryMap
    from shellgen.read.output import read_memory_map
    from shellgen.report.addresses import places

    settle(args.out)
    memory_map = read_memory_map(args.out)
    rows = [
        (f"{place.base:#x}", place.size, node.name, place.name, place.contents)
        for node in MemoryMap.from_data(memory_map, "memory_map.json").nodes
        for place in places(node)
    ]
    columns = (
        Column("address", right=True),
        Column("bytes", right=True),
        Column("node"),
        Column("region", wrap=True),
        Column("contents", wrap=True),
    )
    lines = table(columns, rows, terminal_width())
    if bring_up := memory_map.get("bring_up"):
        count = sum(step["op"] != "barrier" for step in bring_up["steps"])
        what = f"{count} {'step' if count == 1 else 'steps'} on {', '.join(bring_up['nodes'])}"
        brought = [node for node in memory_map["nodes"] if node["name"] in bring_up["nodes"]]
        programs = dict.fromkeys(map(_bring_up, brought))
        lines += ["", f"Before the first frame: {what} ({', '.join(programs)})"]
    return Answer("\n".join(lines), memory_map)


def _bring_up(node: dict[str, Any]) -> str:
    """Return the program that brings up the links of a node."""
    return "shellgen-node, in each epoch" if node["vfpga"] else "host/shellgen_bring_up.py"


def _list(args: argparse.Namespace) -> Answer:
    from shellgen.cli.once import Made, once

    lists = {"boards": _list_boards, "links": _list_links, "platforms": _list_platforms}
    told = once("list", [args.what], lambda: Made(asdict(lists[args.what]()))).told
    return Answer(**told | {"asides": tuple(told["asides"])})


def _list_boards() -> Answer:
    from shellgen.read import board_folders, find_boards

    found, folders = find_boards(), board_folders()
    records = [
        {
            "name": one.board.name,
            "part": one.board.part,
            "platforms": list(one.board.platform),
            "title": one.board.title,
            "file": str(one.path),
            "from": one.origin,
        }
        for one in found
    ]
    columns = (Column("board"), Column("part"), Column("platforms", wrap=True), Column("title", wrap=True))
    rows = [(one.board.name, one.board.part, ", ".join(one.board.platform), one.board.title) for one in found]
    lines = table(columns, rows, terminal_width())
    lines += ["", "searched, besides a path in cluster.toml such as ./my.toml:"]
    lines += [f"  {folder.path} ({folder.origin})" for folder in folders]
    own = [one for one in found if one.path.parent != folders[-1].path]
    lines += [f"  {one.board.name} is {one.path}" for one in own]
    return Answer("\n".join(lines), {"boards": [one.board.name for one in found], "files": records})


def _list_links() -> Answer:
    """Explain the links: parameters for `simulate --set`, dock, boards."""
    from shellgen.links import broken_links, link_registry
    from shellgen.platforms import platform_registry
    from shellgen.platforms.docks import offered
    from shellgen.read import find_boards

    platforms, boards = platform_registry(), [one.board for one in find_boards()]
    offers = {
        board.name: {
            dock for kind in board.platform if kind in platforms for dock in offered(platforms[kind], board)
        }
        for board in boards
    }
    about = {
        name: _told(link)
        | {"parameters": [f"{name}.{parameter}" for parameter in link.parameters], "dock": link.dock}
        | {"boards": [board.name for board in boards if link.dock in offers[board.name]]}
        for name, link in sorted(link_registry().items())
    }
    return _kinds("links", about, broken_links())


def _list_platforms() -> Answer:
    """Explain the platforms: docks and boards."""
    from shellgen.platforms import broken_platforms, platform_registry
    from shellgen.platforms.docks import broken_docks, offered
    from shellgen.read import find_boards

    about, known = {}, [one.board for one in find_boards()]
    for name, platform in sorted(platform_registry().items()):
        boards = [board for board in known if name in board.platform]
        docks = {dock for board in boards for dock in offered(platform, board)}
        about[name] = _told(platform) | {"docks": sorted(docks), "boards": [board.name for board in boards]}
    return _kinds("platforms", about, (*broken_platforms(), *broken_docks()))


def _told(kind: Link | Platform) -> dict[str, str | list[str]]:
    """Return the description of a kind; its options are the fields of the record that reads them."""
    from shellgen.model.options_text import options_text

    return {"about": kind.about, "needs": kind.needs, "options": options_text(kind.Options)}


def _kinds(
    what: str, about: Mapping[str, Mapping[str, str | list[str]]], broken: Sequence[Problem]
) -> Answer:
    """Return a table of kinds: name, description and further columns; then those not loaded."""
    rows = []
    for name, told in about.items():
        rows.append((name, "", told["about"]))
        shown = {title: value for title, value in told.items() if value and title != "about"}
        rows += [
            ("", title, value if isinstance(value, str) else ", ".join(value))
            for title, value in shown.items()
        ]
    columns = (Column(what.removesuffix("s")), Column(""), Column("what it is", wrap=True))
    record: dict[str, Json] = {
        what: list(about),
        "about": about,
        "left_out": [str(problem) for problem in broken],
    }
    asides = tuple(f"left out: {problem}" for problem in broken)
    return Answer("\n".join(table(columns, rows, terminal_width())), record, asides=asides)
