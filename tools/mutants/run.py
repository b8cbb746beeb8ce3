# SPDX-License-Identifier: BSD-3-Clause
"""Draw, judge on as many processes as are asked for, and score."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from .clusters import CLUSTERS
from .draw import draw
from .harmless import entries
from .judge import Judge, Result
from .mutant import Mutant
from .score import Score

COUNT, SEED = 700, 13


def score(
    count: int = COUNT,
    seed: int = SEED,
    workers: int = 1,
    clusters: Iterable[str] = tuple(CLUSTERS),
    heard: Callable[[Result], None] = lambda _: None,
) -> Score:
    """Return the score of mistakes in these clusters."""
    with TemporaryDirectory(prefix="shellgen_mutants_") as folder:
        outs = {name: CLUSTERS[name](Path(folder) / name) for name in clusters}
        mutants = draw(outs, count, seed)
        results: list[Result] = []
        with ProcessPoolExecutor(workers) as pool:
            shares = [mutants[k::workers] for k in range(workers)]
            for part in pool.map(_judged, shares, [tuple(clusters)] * workers):
                results += part
        for result in results:
            heard(result)
    places = {mutant.name: k for k, mutant in enumerate(mutants)}
    return Score(tuple(sorted(results, key=lambda one: places[one.mutant.name])), entries())


def _judged(mutants: tuple[Mutant, ...], clusters: tuple[str, ...]) -> list[Result]:
    """Judge some, node by node, in folders of this process alone."""
    with TemporaryDirectory(prefix="shellgen_mutants_") as folder:
        judge = Judge({name: CLUSTERS[name](Path(folder) / name) for name in clusters})
        return [judge.judge(mutant) for mutant in mutants]
