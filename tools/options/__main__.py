# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tools.options``: pairs of options of all platforms and boards, generated and checked."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from shellgen.platforms import platform_registry
from vivado_check.coverage import Result

from .cover import Choice, each_pair, each_value
from .run import REFUSED, Tried, legal, tried
from .space import boards_of


def _shown(one: Tried) -> str:
    asked = ", ".join(f"{name}={value}" for name, value in one.choice.items() if value not in (None, ()))
    return "\n  ".join((f"{one.outcome}: {one.kind} on {one.board}: {asked}", *one.lines[:6]))


def _fits(plan: Callable[[Choice], Tried], choice: Choice) -> bool:
    return plan(choice).outcome != REFUSED


def main() -> int:
    """Print what is not right and a sum for each board; exit code 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.options", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--values", action="store_true", help="each value once in place of each pair")
    parser.add_argument("--platform", default="", help="this one only")
    parser.add_argument("--board", default="", help="this one only")
    args = parser.parse_args()
    bad = 0
    with TemporaryDirectory(prefix="shellgen_options_") as folder:
        for kind in platform_registry():
            for board in boards_of(kind):
                if (args.platform or kind) != kind or (args.board or board) != board:
                    continue
                given, refused = legal(kind, board, Path(folder) / "plan")
                plan = partial(tried, kind, board, out=Path(folder) / "plan", checking=False)
                rows = each_value(given) if args.values else each_pair(given, args.seed, partial(_fits, plan))
                counts: Counter[str] = Counter()
                for number, choice in enumerate(rows):
                    one = tried(kind, board, choice, Path(folder) / f"{kind}_{board}_{number % 2}")
                    counts[one.outcome] += 1
                    if one.outcome != Result.RIGHT.value:
                        print(_shown(one), flush=True)
                bad += counts[Result.WRONG.value] + counts[Result.UNCHECKED.value]
                sums = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
                print(f"{kind} on {board}: {sums}; {len(refused)} values refused", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
