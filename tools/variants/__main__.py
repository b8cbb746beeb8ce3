# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tools.variants [NAME ...]``: which legal rewritings of our scripts `shellgen check` refuses."""

from __future__ import annotations

import sys

from .run import judge
from .variant import VARIANTS


def main() -> int:
    """Print a line for each; exit code 1 if one is refused."""
    names = sys.argv[1:] or list(VARIANTS)
    if unknown := [name for name in names if name not in VARIANTS]:
        print(f"there is no variant {unknown[0]!r}; there are:", *VARIANTS, sep="\n    ")
        return 2
    results = list(judge(names))
    for result in results:
        told = "REFUSED" if result.refused else "accepted"
        print(f"{told:8} {result.place:6} {result.variant.name} ({result.unknown} not modelled)")
        for message in result.refused:
            print(
                f"    {message.origin}: {message.rule}: {message.where}: {message.found}; {message.expected}"
            )
    refused = {result.variant.name for result in results if result.refused}
    print(f"{len(names) - len(refused)} of {len(names)} legal variants accepted, {len(refused)} refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
