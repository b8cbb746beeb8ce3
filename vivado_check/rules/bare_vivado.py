# SPDX-License-Identifier: BSD-3-Clause
"""Scripts of ours in a Vivado without the board's files: what they do then is right as well, or they say so.

A Vivado brings few board files along, so the other branch is what many users run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..ip.modules import WithModules
from ..record.scenario import Scenario
from ..recording import Recording
from ..report import Message, Verdict
from ..sessions import node_recorded
from .base import RULES, Context, rule
from .flow import of

BARE = Scenario(board_parts=(), boards=(), connections=())
RULE = "without-board-files"
_SAYS = re.compile(r"board files", re.IGNORECASE)
# They try scenarios of their own, or read no script.
_ELSEWHERE = (RULE, "unnoticed-failure", "hdl", "memory-files", "device-tree")


@rule(
    RULE,
    scope="session",
    source="UG895, board files; PG082 and PG201: what a processing system knows without them",
    ours=True,
)
def without_board_files(context: Context) -> Iterator[Message]:
    """Run the scripts again where no board files are installed, and judge what they do there."""
    if context.recording.ended != 0 or not of(context.recording, "get_board_parts"):
        return
    expected = context.expectation
    known = context.catalogue
    inner = known.base if isinstance(known, WithModules) else known
    with node_recorded(context.folder, expected.home, expected.scripts, context.release, inner, BARE) as bare:
        whole = replace(context, recording=bare, catalogue=WithModules(inner, bare))
        seen = {(one.rule, one.where) for one in context.recording.messages}
        for message in _judged(whole, bare):
            if message.verdict is not Verdict.NOT_MODELLED and (message.rule, message.where) not in seen:
                found = f"without board files: {message.found}"
                yield replace(message, rule=RULE, found=found)


def _judged(whole: Context, bare: Recording) -> Iterable[Message]:
    """Return what is wrong; a script that gives up because of board files has said all there is to say."""
    if any(_SAYS.search(message.found) for message in bare.messages):
        return
    yield from bare.messages
    yield from _presets(bare)
    designs = [replace(whole, design=design) for design in bare.designs.values()]
    for name in sorted(RULES):
        if name in _ELSEWHERE or name.startswith(("plan-", "board-")):
            continue
        for context in designs if RULES[name].scope == "design" else [whole]:
            yield from RULES[name].judge(context)


def _presets(bare: Recording) -> Iterator[Message]:
    """Find a preset that is of none of the boards that were asked for."""
    asked = " ".join(word for _, call in of(bare, "get_board_parts") for word in call.words).lower()
    for design in bare.designs.values():
        for cell in design.cells.values():
            preset = next((one for name, one in cell.config.items() if name.lower() == "preset"), None)
            if preset and asked and preset.value.lower() not in (*asked.split(":"), "none", "default"):
                yield Message(
                    RULE,
                    Verdict.FINDING,
                    preset.origin,
                    f"{cell.path}: CONFIG.preset",
                    f"it is {preset.value}, and the board files that were asked for are {asked}",
                    "the preset of the same board",
                    "name the board's preset, or configure DDR and clocks",
                )
