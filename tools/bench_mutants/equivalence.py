# SPDX-License-Identifier: BSD-3-Clause
"""Is a survivor a mistake at all? A proof that no core can tell it from the original, or an execution.

A core is taken whole, so what its parameters and its connections exclude is excluded; the pins of its
partitions count as pins of the core. What is compared at the pins, and what their neighbours are taken to
keep to, is said in `axi_pins`; `miter` has core and mutant in one graph, and ABC judges it. What is neither
proved nor refuted within a limit may be equivalent all the same.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from tools.bench_mutants.abc import Answer, Query, prove, search
from tools.bench_mutants.aig import Netlist
from tools.bench_mutants.block_alone import block_tops
from tools.bench_mutants.first_reset import unsettled
from tools.bench_mutants.miter import Miter, Ring
from tools.bench_mutants.netlists import block_cells, chosen_texts, core_graph, is_choice, users
from tools.bench_mutants.pin_trace import pin_trace
from tools.bench_mutants.schema import alone
from tools.bench_mutants.sites import Mutant
from tools.bench_mutants.verilog import Source

SECONDS = 150.0
_CLOCK = re.compile(r"clk")  # no part of a graph
_NEAR = 4  # rings in which a proof is tried: farther ones hold most of the core twice
_DEPTHS = (2, 5, None)  # cycles of the core's past that a proof looks at first; all of it is slow
_SHORT, _LONG = 16, 64  # cycles of a counterexample: looked for before proofs, and after them


@dataclass(frozen=True)
class Judgement:
    """Verdict on a mutant.

    Attributes:
        proved: It changes nothing.
        refuted: There is an execution in which it does.
        text: How that was found, and in how many seconds; an execution with the pins that tell.
    """

    proved: bool
    refuted: bool
    text: str


def judge(
    out: Path,
    sources: Mapping[str, Source],
    mutants: Sequence[Mutant],
    folder: Path,
    seconds: float = SECONDS,
) -> Iterator[tuple[Mutant, Judgement]]:
    """Yield what is known of each mutant.

    Args:
        out: Generated folder.
        sources: Cores and blocks, by file.
        mutants: In them.
        folder: For what is made.
        seconds: Limit for a mutant in a core, in seconds of a processor, about, besides its netlist.
    """
    cores = _Cores(out, sources, mutants, folder)
    for mutant in mutants:
        found: list[Judgement] = []
        for core in users(out, sources, mutant):
            began = time.monotonic()
            try:
                judged = _alone(cores, core, mutant, folder, seconds)
                judged = judged or _judge(cores.miter(core, mutant), folder, seconds)
            except RuntimeError as error:
                judged = Judgement(False, False, f"not proved: {error}")
            took = f"{time.monotonic() - began:.1f} s"
            text = f"{Path(core).stem}: {judged.text.replace('SECONDS', took)}"
            found.append(replace(judged, text=text))
            if not judged.proved:
                break
        bad = next((one for one in found if not one.proved), None)
        yield mutant, bad or Judgement(bool(found), False, "; ".join(one.text for one in found))


class _Cores:
    """The graphs of all cores, each with all mutants that can be chosen in it."""

    def __init__(
        self, out: Path, sources: Mapping[str, Source], mutants: Sequence[Mutant], folder: Path
    ) -> None:
        self._out, self._folder = out, folder
        self._plain = {file: source.text for file, source in sources.items()}
        self._numbers = {
            mutant: number
            for number, mutant in enumerate(mutants, 1)
            if not mutant.fixed and not _CLOCK.search(mutant.before)
        }
        self._texts = chosen_texts(sources, {number: mutant for mutant, number in self._numbers.items()})
        self._made: dict[tuple[str, str | None], Netlist] = {}

    def blocks(self, core: str, mutant: Mutant) -> list[str]:
        """Return a top module of the mutant's block for each set of parameters that a core gives it."""
        return [] if mutant.file == core else block_tops(self._plain, mutant.file, Path(core).stem)

    def alike(self, mutant: Mutant, block: str) -> bool:
        """Return whether a block has the same cells with a mutant of a constant in it."""
        gold, other = (
            block_cells(texts, mutant.file, block, self._folder / "cells")
            for texts in (self._plain, self._mutated(mutant))
        )
        return gold == other

    def miter(self, core: str, mutant: Mutant, block: str | None = None) -> Miter:
        """Return a core, or a block of it, and its mutant; RuntimeError if one of them cannot be had."""
        place, lawless = (core, block), block is not None
        if place not in self._made:
            folder = self._folder / (f"block_{len(self._made)}" if block else Path(core).stem)
            self._made[place] = core_graph(self._out, self._texts, core, folder, block)
        gold = self._made[place]
        choices = {name for name in gold.inputs if is_choice(name)}
        if (number := self._numbers.get(mutant)) is not None:
            high = {name for name in choices if is_choice(name, number)}
            return Miter(gold, gold, choices - high, high, lawless=lawless)
        other = core_graph(self._out, self._mutated(mutant), core, self._folder / "mutant", block)
        return Miter(gold, other, choices, (), lawless=lawless)

    def _mutated(self, mutant: Mutant) -> dict[str, str]:
        """Return all sources, with a mutant in one of them."""
        return self._plain | {mutant.file: alone(self._plain[mutant.file], mutant)}


def _alone(cores: _Cores, core: str, mutant: Mutant, folder: Path, seconds: float) -> Judgement | None:
    """Return that a block shows no difference whatever its pins do; None if it does, or in a core itself.

    What is shown so holds in every core, and is shown in seconds.
    """
    blocks = cores.blocks(core, mutant)
    if mutant.fixed and blocks and all(cores.alike(mutant, block) for block in blocks):
        return Judgement(True, False, "proved by the same cells, the block alone, in SECONDS")
    engines = set()
    for block in blocks:
        miter = cores.miter(core, mutant, block)
        *_, ring = miter.rings()
        engines.add(prove(_query(miter, ring), seconds / 6, folder).engine)
    if not engines or "" in engines:
        return None
    return Judgement(True, False, f"proved by {' and '.join(sorted(engines))}, the block alone, in SECONDS")


def _judge(miter: Miter, folder: Path, seconds: float) -> Judgement:
    """Judge a mutant, quick ways first: they settle most, and the others take all of their time."""
    *_, all_twins = miter.rings()
    if not all_twins.bad:
        return Judgement(True, False, "proved by the same gates in SECONDS")
    differ = unsettled(miter, all_twins, folder, seconds / 12)
    rings = [] if differ is None else list(islice(miter.rings(differ), _NEAR))
    if said := _near(miter, rings, _DEPTHS[:1], folder, seconds / 24):
        return Judgement(True, False, said)
    answer = search(_query(miter, all_twins), _SHORT, seconds / 12, folder)
    if not answer.cycles:
        if said := _near(miter, rings, _DEPTHS[1:], folder, seconds / 16):
            return Judgement(True, False, said)
        answer = search(_query(miter, all_twins), _LONG, seconds / 4, folder)
    if not answer.cycles:
        answer = prove(_query(miter, all_twins), seconds / 6, folder)
    if answer.cycles:
        return _refuted(miter, all_twins, answer)
    how = f"proved by {answer.engine}, all rings," if answer.engine else "not proved"
    return Judgement(bool(answer.engine), False, f"{how} in SECONDS")


def _near(
    miter: Miter, rings: Sequence[Ring], depths: Sequence[int | None], folder: Path, seconds: float
) -> str:
    """Return how it was proved that no difference leaves a near ring; empty if it was not."""
    for ring in rings:
        for depth in depths:
            answer = prove(_query(miter, ring, depth), seconds, folder)
            if answer.engine:
                deep = "" if depth is None else f", {depth} cycles deep"
                return f"proved by {answer.engine}, ring {ring.number}{deep}, in SECONDS"
            if not answer.cycles:
                break  # deeper is harder
    return ""


def _query(miter: Miter, ring: Ring, depth: int | None = None) -> Query:
    kept = miter.clockwork | ring.follows.keys()
    return Query(miter.graph, ring.follows, ring.bad, miter.laws, kept, depth)


def _refuted(miter: Miter, ring: Ring, answer: Answer) -> Judgement:
    return Judgement(False, True, f"refuted in SECONDS: {pin_trace(miter, ring, answer.cycles)}")
