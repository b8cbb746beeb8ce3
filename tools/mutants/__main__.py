# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tools.mutants``: how many mistakes in our scripts `shellgen check` sees."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .judge import Result
from .run import COUNT, SEED, score
from .score import unused

GOAL = 0.95


def _told(result: Result) -> None:
    """Show that there is progress, where somebody looks."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{result.outcome:9} {result.mutant.name}"[:110], end="\r", file=sys.stderr, flush=True)


def main() -> int:
    """Print the score; exit code 1 if it is below the goal."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT, help=f"mistakes (default {COUNT})")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--record", type=Path, help="write all results here, as JSON lines")
    args = parser.parse_args()
    found = score(args.count, args.seed, args.workers, heard=_told)
    print("\n".join([*found.survivors(), *found.legal(), "", *found.table()]))
    if args.record:
        lines = [
            json.dumps([one.mutant.name, found.of(one), one.named, one.mutant.told, one.said])
            for one in found.results
        ]
        args.record.write_text("\n".join(lines) + "\n")
    if (args.count, args.seed) == (COUNT, SEED):
        for entry in unused(found.entries, found.results):
            print(f"harmless.toml: nothing fits any more: {entry.file}: {entry.was} -> {entry.now}")
    print(f"{found.share:.1%} of the harmful ones caught; the goal is {GOAL:.0%}")
    return 0 if found.share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
