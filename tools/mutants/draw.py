# SPDX-License-Identifier: BSD-3-Clause
"""Selection of mistakes: equally many of every class and every script, by a seed."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .mutant import Mutant
from .operators import OPERATORS
from .text import Script

# What is written for the vendors' tools and Linux, with the HDL that no bench runs: a kernel's wrapper, user
# logic. Other HDL is judged by the bench (tools/blocks).
PATTERNS = ("vivado/*", "linux/*", "vitis/*", "coyote/*", "coyote/hw/*", "coyote/hw/*/*")
ENDINGS = {"tcl", "xdc", "cfg", "xml", "json", "txt", "Makefile", "dtso", "svh", "v"}


@cache
def scripts(out: Path) -> tuple[Script, ...]:
    """Return the scripts of all nodes of an output folder."""
    found = sorted({path for pattern in PATTERNS for path in out.glob(f"*/{pattern}") if path.is_file()})
    made = (Script(path.relative_to(out).as_posix(), path.read_text()) for path in found)
    return tuple(script for script in made if script.suffix in ENDINGS)


def draw(outs: dict[str, Path], count: int, seed: int) -> tuple[Mutant, ...]:
    """Draw single mistakes, no two of them alike; the same for the same scripts and seed."""
    source = random.Random(seed)
    queues = {kind: _queue(kind, outs, source) for kind in OPERATORS}
    seen: set[tuple[str, str, str]] = set()
    found: list[Mutant] = []
    for kind in itertools.cycle(OPERATORS):
        if len(found) == count or not queues:
            return tuple(found)
        if kind not in queues:
            continue
        for mutant in queues[kind]:
            key = (mutant.script.suffix, mutant.was, mutant.now)
            if key not in seen and mutant.was != mutant.now:
                seen.add(key)
                found.append(mutant)
                break
        else:
            del queues[kind]
    return tuple(found)


def _queue(kind: str, outs: dict[str, Path], source: random.Random) -> Iterator[Mutant]:
    """Yield the mistakes of a class; what is written once gets a larger share than what is on every node."""
    sorts: dict[str, list[tuple[str, Script]]] = defaultdict(list)
    for cluster, out in outs.items():
        for script in scripts(out):
            node, rest = script.name.split("/", 1)
            sorts[rest.replace(node, "*")].append((cluster, script))
    made: dict[str, list[Mutant]] = {}
    names = sorted(sorts)
    while names:
        name = source.choices(names, [sum(len(one.live) for _, one in sorts[name]) ** 0.5 for name in names])[
            0
        ]
        cluster, script = source.choice(sorts[name])
        key = f"{cluster}/{script.name}"
        if key not in made:
            made[key] = [Mutant(cluster, script, kind, *change) for change in OPERATORS[kind](script)]
            source.shuffle(made[key])
        if made[key]:
            yield made[key].pop()
            continue
        sorts[name].remove((cluster, script))
        if not sorts[name]:
            names.remove(name)
