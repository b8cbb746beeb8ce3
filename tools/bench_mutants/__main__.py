# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tools.bench_mutants``: mutants of each kind of link, the bench on each of them, the score."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.bench_mutants.campaign import Draw, campaign, judged
from tools.bench_mutants.clusters import CLUSTERS, Cluster
from tools.bench_mutants.known import read_known
from tools.bench_mutants.score import format_score, passed
from tools.bench_mutants.trial import Verdict


def main() -> int:
    """Run; return 0 if every kind of link reaches the goal and nothing survives without a reason."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench_mutants", description=__doc__)
    kinds = [cluster.name for cluster in CLUSTERS]
    parser.add_argument("--links", choices=kinds, action="append", help="kinds of link (default: all)")
    parser.add_argument("--count", type=int, default=240, help="mutants of each, chosen at run time")
    parser.add_argument(
        "--fixed", type=int, default=24, help="mutants of constants of each, built one by one"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--only", default="", help="mutants whose name has this text; then all of them")
    parser.add_argument("--again", type=Path, metavar="LOG", help="only what survived or hung there")
    parser.add_argument("--log", type=Path, help="file for one line a mutant")
    parser.add_argument("--no-proof", action="store_true", help="do not ask provers about survivors")
    parser.add_argument(
        "--judge", type=Path, metavar="LOG", help="ask provers about what survived there; no bench is run"
    )
    args = parser.parse_args()
    chosen = [cluster for cluster in CLUSTERS if not args.links or cluster.name in args.links]
    if args.judge:
        return _judge(chosen, _left(args.judge))
    again = _left(args.again) if args.again else None
    known = read_known()
    verdicts: dict[str, list[Verdict]] = {}
    with TemporaryDirectory() as scratch:
        for cluster in chosen:
            names = None if again is None else again.get(cluster.name, frozenset())
            draw = Draw(args.count, args.fixed, args.seed, args.only, names)
            verdicts[cluster.name] = []
            for verdict in campaign(cluster, Path(scratch), draw, prove=not args.no_proof):
                verdicts[cluster.name].append(verdict)
                fate = "proved" if verdict.proved else verdict.fate
                how = "at once" if verdict.plain else "more"
                line = f"{cluster.name}\t{fate}\t{how}\t{verdict.seconds:.1f} s\t{verdict.mutant.name}"
                if args.log:
                    with args.log.open("a") as log:
                        log.write(f"{line}\t{verdict.said[:300]!r}\n")
                elif sys.stderr.isatty():
                    print(line, file=sys.stderr)
    print(format_score(verdicts, known))
    return 0 if passed(verdicts, known) else 1


def _judge(clusters: list[Cluster], names: dict[str, frozenset[str]]) -> int:
    """Print what can be proved of mutants; return 0 if all are equivalent."""
    left = 0
    with TemporaryDirectory() as scratch:
        for cluster in clusters:
            for mutant, judgement in judged(cluster, Path(scratch), names.get(cluster.name, frozenset())):
                left += not judgement.proved
                print(f"{cluster.name}\t{mutant.name}\t{judgement.text}", flush=True)
    return 1 if left else 0


def _left(log: Path) -> dict[str, frozenset[str]]:
    """Return the mutants of an earlier run that were not found, by kind of link."""
    found: dict[str, set[str]] = {}
    for line in log.read_text().splitlines():
        links, fate, _, _, name, _ = line.split("\t", 5)
        if fate in ("survived", "hung"):
            found.setdefault(links, set()).add(name)
    return {links: frozenset(names) for links, names in found.items()}


if __name__ == "__main__":
    sys.exit(main())
