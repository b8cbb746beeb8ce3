# SPDX-License-Identifier: BSD-3-Clause
"""Commands that only show: ``map``, ``list``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from shellgen.cli.command import AddCommand, tell
from shellgen.table import Column, table, terminal_width


def add_commands(add: AddCommand) -> None:
    """Add the commands of this file."""
    sub = add("map", _map, "Print where the host finds every register and weight.")
    sub.add_argument("out", type=Path, help="folder that `shellgen generate` wrote")
    sub = add("list", _list, "List what there is to choose from.")
    sub.add_argument("what", choices=("boards", "links", "platforms"))


def _map(args: argparse.Namespace) -> int:
    from shellgen.read.output import read_memory_map

    memory_map = read_memory_map(args.out)
    rows: list[tuple[object, ...]] = []
    for node in memory_map["nodes"]:
        rows.append(_place(node, node["status"], "status", "registers"))
        if bridge := node["bridge"]:
            rows.append(_place(node, bridge, "bridge", "registers, aperture; the rest lies behind it"))
        for region in node["regions"]:
            memory = region["memory"]
            what = f"{memory['words']} x {memory['word_bits']} bits" if memory else "not known"
            layer = f"{memory['layer']}: " if memory else ""
            rows.append(_place(node, region, region["name"], f"{layer}{what}"))
    columns = (
        Column("address", right=True),
        Column("bytes", right=True),
        Column("node"),
        Column("region", wrap=True),
        Column("contents", wrap=True),
    )
    lines = table(columns, rows, terminal_width())
    tell(args, "\n".join(lines), memory_map)
    return 0


def _place(node: dict[str, Any], window: dict[str, Any], name: str, contents: str) -> tuple[object, ...]:
    return f"{window['base']:#x}", window["size"], node["name"], name, contents


def _list(args: argparse.Namespace) -> int:
    from shellgen.links import link_registry
    from shellgen.platforms import platform_registry
    from shellgen.read import board_folders, find_boards

    if args.what == "boards":
        found, folders = find_boards(), board_folders()
        lines = [f"{one.board.name:<14} {one.board.part:<24} {one.board.title}" for one in found]
        lines += ["", "looked for in, besides a path in cluster.toml such as ./my.toml:"]
        lines += [f"  {folder.path} ({folder.origin})" for folder in folders]
        own = [one for one in found if one.path.parent != folders[-1].path]
        lines += [f"  {one.board.name} is {one.path}" for one in own]
        files = [{"name": one.board.name, "file": str(one.path), "from": one.origin} for one in found]
        tell(args, "\n".join(lines), {"boards": [one.board.name for one in found], "files": files})
    else:
        names = sorted(link_registry() if args.what == "links" else platform_registry())
        tell(args, "\n".join(names), {args.what: names})
    return 0
