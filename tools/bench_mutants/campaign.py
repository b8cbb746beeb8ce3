# SPDX-License-Identifier: BSD-3-Clause
"""Draw mutants of a cluster and run them all."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from shellgen.simulate.cluster import SimulateOptions
from tools.bench_mutants.clusters import Cluster, description, generated
from tools.bench_mutants.elaborated import live
from tools.bench_mutants.equivalence import Judgement, judge
from tools.bench_mutants.sites import Mutant, find
from tools.bench_mutants.trial import THOROUGH, Trial, Verdict
from tools.bench_mutants.verilog import Source, directions, read

CORE_SHARE = 0.5  # of the mutants are in the generated cores, the rest in the blocks


@dataclass(frozen=True)
class Draw:
    """Choice of mutants: how many selected at run time, and of constants; a seed; a text in their name.

    With ``names``, all of these names and no others; of those whose source has changed, whatever their lines.
    """

    count: int
    fixed: int
    seed: int
    only: str = ""
    names: frozenset[str] | None = None


def campaign(
    cluster: Cluster,
    scratch: Path,
    draw: Draw,
    more: Sequence[SimulateOptions] = THOROUGH,
    *,
    prove: bool = False,
) -> Iterator[Verdict]:
    """Yield what becomes of each mutant that is drawn.

    Args:
        cluster: Of whose cores and blocks.
        scratch: Folder for all that is made.
        draw: Which mutants.
        more: Runs of the bench for those that survive the first.
        prove: Ask provers about those that survive all; these come last.
    """
    folder = scratch / cluster.name
    out = generated(cluster, folder)
    sources, mutants = candidates(out)
    drawn = choose(mutants, draw)
    trial = Trial(cluster, out, folder / "trial", more)
    at_run_time = {number: mutant for number, mutant in enumerate(drawn, 1) if not mutant.fixed}
    built = (trial.built(sources[mutant.file].text, mutant) for mutant in drawn if mutant.fixed)
    survivors = []
    for verdict in chain(trial.chosen(sources, at_run_time), built):
        if prove and verdict.fate == "survived":
            survivors.append(verdict)
        else:
            yield verdict
    known = judge(out, sources, [verdict.mutant for verdict in survivors], folder)
    for verdict, (_, judgement) in zip(survivors, known, strict=True):
        yield replace(verdict, proved=judgement.proved, said=judgement.text)


def judged(cluster: Cluster, scratch: Path, names: frozenset[str]) -> Iterator[tuple[Mutant, Judgement]]:
    """Yield what can be proved of mutants of these names, lines left out, without running the bench."""
    folder = scratch / cluster.name
    out = generated(cluster, folder)
    sources, mutants = candidates(out)
    yield from judge(out, sources, choose(mutants, Draw(0, 0, 0, names=names)), folder)


def candidates(out: Path) -> tuple[dict[str, Source], list[Mutant]]:
    """Return the sources of cores and blocks by file, and all mutants of them that are in the design."""
    listed = description(out)["sources"]
    texts = {file: (out / file).read_text() for file in (*listed["partition"], *listed["ours"])}
    holds = live(texts, "bench_top")
    ports = {name: sides for text in texts.values() for name, sides in directions(read(text)).items()}
    sources = {file: read(texts[file]) for file in listed["ours"] if not file.startswith("bench/")}
    found = (
        mutant
        for file, source in sources.items()
        for mutant in find(file, source, ports)
        if all(holds(file, edit.start) for edit in mutant.edits)
    )
    alike: Counter[str] = Counter()
    counted = []
    for mutant in found:
        alike[mutant.name] += 1
        counted.append(replace(mutant, nth=alike[mutant.name]))
    return sources, counted


def placeless(name: str) -> str:
    """Return the name of a mutant without its line, which moves when the sources change."""
    return re.sub(r":\d+:", ":", name, count=1)


def choose(mutants: Sequence[Mutant], draw: Draw) -> list[Mutant]:
    """Draw mutants: half of them in the cores, where the generator may err, half in the blocks."""
    if draw.names is not None:
        there = {mutant.name for mutant in mutants}
        moved = {placeless(name) for name in draw.names if name not in there}
        return [one for one in mutants if one.name in draw.names or placeless(one.name) in moved]
    if draw.only:
        return [mutant for mutant in mutants if draw.only in mutant.name]
    chooser = random.Random(draw.seed)
    drawn: list[Mutant] = []
    for fixed, count in ((False, draw.count), (True, draw.fixed)):
        those = [mutant for mutant in mutants if mutant.fixed == fixed]
        core = [mutant for mutant in those if mutant.file.endswith("_core.v")]
        block = [mutant for mutant in those if not mutant.file.endswith("_core.v")]
        share = min(len(core), round(CORE_SHARE * count))
        drawn += chooser.sample(core, share)
        drawn += chooser.sample(block, min(len(block), count - share))
    return drawn
