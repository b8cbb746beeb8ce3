# SPDX-License-Identifier: BSD-3-Clause
"""``python -m fuzz``: mutants of everything that shellgen reads; exit code 1 if one is not refused well."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz.campaign import Campaign


def main() -> int:
    """Run a campaign from the command line."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="mutants (default 10000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("-o", "--out", type=Path, default=Path("out/fuzz"), help="where reproducers go")
    args = parser.parse_args()
    with TemporaryDirectory(prefix="shellgen_fuzz_") as folder:
        campaign = Campaign(Path(folder), args.seed)
        campaign.go(args.count, lambda line: print(line, flush=True), args.first)
        campaign.save(args.out)
    for name, count in sorted(campaign.counts.items()):
        print(f"{count:>7}  {name}")
    for (what, place), count in campaign.repeated.most_common():
        print(f"{count:>7}  {what}: {place}")
    print(f"{args.count} mutants of seed {args.seed}: {len(campaign.findings)} causes", end="")
    print(f"; reproducers in {args.out}" if campaign.findings else "")
    return 1 if campaign.findings else 0


if __name__ == "__main__":
    sys.exit(main())
