# SPDX-License-Identifier: BSD-3-Clause
"""Generated scripts in a Vivado without the board's files: their result is right as well, or they say so.

A Vivado brings few board files along, so the other branch is what many users run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..ip.modules import WithModules
from ..plugins import judge
from ..record.scenario import Scenario
from ..recording import Recording
from ..report import Message, Origin, Verdict
from ..sessions import node_recorded
from .alike import alike
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
    name = context.expectation.home
    key = alike(context, designs=True)
    if key not in _SEEN:
        if len(_SEEN) > _MOST:
            _SEEN.clear()
        _SEEN[key] = (name, tuple(_found(context)))
    tried, found = _SEEN[key]
    seen = {(one.rule, one.where) for one in context.recording.messages}
    for message in found:
        here = _of_node(message, tried, name)
        if (here.rule, here.where) not in seen:
            yield replace(here, rule=RULE, found=f"without board files: {here.found}")


# What was found for scripts that are alike, and for which node.
_SEEN: dict[str, tuple[str, tuple[Message, ...]]] = {}
_MOST = 500


def _of_node(message: Message, tried: str, name: str) -> Message:
    """Return a message as it is of another node, whose name stands where that of the other does."""

    def here(text: str) -> str:
        return text.replace(tried, name) if tried else text

    return replace(
        message,
        origin=Origin(here(message.origin.file), message.origin.line),
        where=here(message.where),
        found=here(message.found),
        expected=here(message.expected),
        remedy=here(message.remedy),
    )


def _found(context: Context) -> Iterator[Message]:
    expected = context.expectation
    known = context.catalogue
    inner = known.base if isinstance(known, WithModules) else known
    with node_recorded(context.folder, expected.home, expected.scripts, context.release, inner, BARE) as bare:
        whole = replace(context, recording=bare, catalogue=WithModules(inner, bare))
        yield from (one for one in _judged(whole, bare) if one.verdict is not Verdict.NOT_MODELLED)


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
            yield from judge(RULES[name], context)


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
