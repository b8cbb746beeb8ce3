# SPDX-License-Identifier: BSD-3-Clause
"""A generated card whose files are changed and judged; its scripts are run once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from shellgen.check.rules.base import RULES, Context, all_rules
from shellgen.check.run import scripts_of
from shellgen.disk.output import write
from shellgen.emit.memory_map import memory_map
from shellgen.emit.whole import emit
from shellgen.model import Plan
from vivado_check.ip.catalogue import catalogue_of
from vivado_check.ip.modules import WithModules
from vivado_check.recording import Recording
from vivado_check.report import Message
from vivado_check.sessions import node_recorded


class Card:
    """The card; ``rules`` judge it."""

    def __init__(self, plan: Plan, out: Path, recording: Recording, rules: tuple[str, ...]) -> None:
        all_rules()
        self.rules = rules
        self.node = plan.nodes[0].name
        self.folder = out / self.node
        catalogue = WithModules(catalogue_of(()), recording)
        given = (self.node, plan, memory_map(plan))
        self.context = Context(recording, catalogue, out, None, *given)
        designs = [Context(recording, catalogue, out, one, *given) for one in recording.designs.values()]
        self.designs = designs

    def judged(self) -> list[Message]:
        found: list[Message] = []
        for name in self.rules:
            for context in self.designs if RULES[name].scope == "design" else [self.context]:
                found += RULES[name].judge(context)
        return found

    @contextmanager
    def changed(self, file: str, change: Callable[[str], str]) -> Iterator[list[Message]]:
        path = self.folder / file
        text = path.read_text()
        new = change(text)
        assert new != text
        path.write_text(new)
        try:
            yield self.judged()
        finally:
            path.write_text(text)


def card(plan: Plan, files: object, folder: Path, rules: tuple[str, ...]) -> Iterator[Card]:
    write(emit(plan, files), folder)  # type: ignore[arg-type]
    node = plan.nodes[0]
    with node_recorded(folder, node.name, scripts_of(node), "2022.2", catalogue_of(())) as recording:
        yield Card(plan, folder, recording, rules)


def replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


def swapped(one: str, other: str) -> Callable[[str], str]:
    there = {one: other, other: one}
    pattern = "|".join(map(re.escape, there))
    return lambda text: re.sub(pattern, lambda found: there[found[0]], text)
