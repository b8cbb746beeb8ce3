# SPDX-License-Identifier: BSD-3-Clause
"""Facts from public board files: the part of a board, its memory, and its carrier."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..design import Segment, Setting
from ..graph import split_path
from ..recording import Project
from ..report import Message, Verdict
from ..tcl.arguments import split_list
from .base import Context, rule

_SOURCE = "Xilinx/XilinxBoardStore, board.xml and preset.xml"
# Sets that are sold as one: the module of one on the carrier of another has other pins and other MIO.
_MODULE = re.compile(r"(kv260|kr260|kd240)_som")
_CARRIER = re.compile(r"(kv260|kr260|kd240)_carrier")
_DDR = re.compile(r"\w*_DDR_(LOW|HIGH)\w*")


@cache
def boards() -> Mapping[str, Mapping[str, Any]]:
    """Return part, memory and regions by vendor:name, or by the name of a card; in small letters."""
    text = Path(__file__).parent.with_name("boards.toml").read_text(encoding="utf-8")
    return {name.lower(): entry for name, entry in tomllib.loads(text).items()}


def _board_part(project: Project) -> Setting | None:
    return project.properties.get("board_part")


def _named(setting: Setting) -> str:
    return ":".join(setting.value.split(":")[:2]).lower()


@rule("board-part", scope="session", source=_SOURCE, ours=True)
def board_part(context: Context) -> Iterator[Message]:
    """The project is for the part that is on the board; Vivado takes the board's without a word."""
    for project in context.recording.projects:
        board = _board_part(project)
        part = boards().get(_named(board), {}).get("part") if board else None
        if board and part and project.part.lower() != part:
            found = f"the project is for {project.part}, and {board.value} has {part}"
            yield _said("board-part", board, project.name, found, part, "correct the part")


@rule("board-memory", scope="design", source=_SOURCE, ours=True)
def board_memory(context: Context) -> Iterator[Message]:
    """A generated master reaches all DDR of the board and no byte beyond it."""
    assert context.design is not None
    named = [board for project in context.recording.projects if (board := _board_part(project))]
    size = (boards().get(_named(named[-1]), {}).get("ddr", 0) if named else 0) << 20
    spaces: dict[str, dict[str, Segment]] = {}
    for segment in context.design.segments:
        name = split_path(segment.segment)[1].rpartition("/")[2] or segment.segment.rpartition("/")[2]
        kind = _DDR.fullmatch(name)
        if kind and not segment.excluded and segment.range is not None:
            spaces.setdefault(segment.space, {})[kind[1]] = segment
    for space, found in sorted(spaces.items()) if size else ():
        reached = sum(one.range or 0 for one in found.values())
        if reached != size:
            last = list(found.values())[-1]
            said = f"it reaches {reached >> 20} MiB of DDR, and {named[-1].value} has {size >> 20}"
            setting = Setting("", last.origin)
            yield _said("board-memory", setting, space, said, f"{size >> 20} MiB", "correct the ranges")


@rule("board-carrier", scope="session", source=f"{_SOURCE}; Xilinx/kria-vitis-platforms, main.tcl")
def board_carrier(context: Context) -> Iterator[Message]:
    """A module that is sold on a carrier is joined to that carrier, by all its connectors."""
    for project in context.recording.projects:
        board, joined = _board_part(project), project.properties.get("board_connections")
        module = (
            _MODULE.fullmatch(board.value.split(":")[1]) if board and board.value.count(":") > 1 else None
        )
        for word in split_list(joined.value) if joined and module else ():
            parts = word.split(":")
            carrier = _CARRIER.fullmatch(parts[1]) if len(parts) > 2 else None
            if joined and module and carrier and carrier[1] != module[1]:
                found = f"{module[0]} is joined to {carrier[0]}"
                expected = f"{module[1]}_carrier"
                yield _said(
                    "board-carrier", joined, project.name, found, expected, "name the board's carrier"
                )


@rule(
    "card-part",
    scope="session",
    source="Xilinx/ACCL, test/refdesigns/Makefile; the cards' platforms",
    ours=True,
)
def card_part(context: Context) -> Iterator[Message]:
    """Packaging and synthesis for a card are for the part on it."""
    part = boards().get(context.expectation.board, {}).get("part")
    for project in context.recording.projects:
        if part and project.part and project.part.lower() != part.lower():
            setting = Setting("", project.origin)
            found = f"it is for {project.part}"
            yield _said(
                "card-part", setting, project.name, found, f"{part}, which is on the card", "correct it"
            )


def _said(name: str, setting: Setting, where: str, *says: str) -> Message:
    found, expected, remedy = says
    return Message(name, Verdict.FINDING, setting.origin, where, found, expected, remedy)
