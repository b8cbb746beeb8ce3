# SPDX-License-Identifier: BSD-3-Clause
"""Draw, judge on as many processes as are asked for, and score."""

from __future__ import annotations

import os
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

COUNT, SEED = 600, 13


def score(
    count: int = COUNT,
    seed: int = SEED,
    workers: int = 1,
    clusters: Iterable[str] = tuple(CLUSTERS),
    heard: Callable[[Result], None] = lambda _: None,
) -> Score:
    """Return the score of mistakes in these clusters; ``heard`` is called with each result."""
    names = tuple(clusters)
    with TemporaryDirectory(prefix="shellgen_mutants_") as folder:
        mutants = draw(_written(Path(folder), names), count, seed)
        results = []
        if workers == 1:
            judge = Judge(_written(Path(folder) / "own", names))
            for mutant in mutants:
                results.append(judge.judge(mutant))
                heard(results[-1])
        else:
            with ProcessPoolExecutor(workers, initializer=_begin, initargs=(folder, names)) as pool:
                for result in pool.map(_judged, mutants, chunksize=5):
                    results.append(result)
                    heard(result)
    return Score(tuple(results), entries())


def _written(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    folder.mkdir(exist_ok=True)
    return {name: CLUSTERS[name](folder / name) for name in names}


def _begin(folder: str, names: tuple[str, ...]) -> None:
    """Give a process folders of its own."""
    _JUDGES.append(Judge(_written(Path(folder) / str(os.getpid()), names)))


_JUDGES: list[Judge] = []


def _judged(mutant: Mutant) -> Result:
    return _JUDGES[0].judge(mutant)
