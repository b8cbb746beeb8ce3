# SPDX-License-Identifier: BSD-3-Clause
"""Error of the estimate for each built-in example, against the RTL at full rate, and for its first frame."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from shellgen.cli.prove import estimated
from shellgen.demo import Example, demo, demo_folder

EXAMPLES: dict[str, tuple[Example, int, str]] = {
    "digits, 2 ZedBoards": ("digits", 2, ""),
    "digits, 6 ZedBoards": ("digits", 6, ""),
    "residual, 3 ZedBoards": ("residual", 3, ""),
    "digits, 3 U280": ("digits", 3, "vitis"),
    "digits, 2 U55C": ("digits", 2, "coyote"),
}
RATE, FIRST = 0.03, 0.05  # goals


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help=f"some of: {'; '.join(EXAMPLES)}")
    wanted = parser.parse_args().only or list(EXAMPLES)
    worse = 0
    for name in wanted:
        example, boards, platform = EXAMPLES[name]
        with tempfile.TemporaryDirectory() as folder:
            report = demo(folder, boards, "verilator", reference=False, example=example, platform=platform)
            found = estimated(demo_folder(Path(folder), boards, example, platform), report)
        if found is None:
            print(f"{name}: no rate, for the run did not pass")
            worse += 1
            continue
        first = found.first / found.first_measured - 1
        missed = abs(found.error) > RATE or abs(first) > FIRST
        worse += missed
        print(f"{name}: {found.error:+.1%}, first frame {first:+.1%}{', above the goal' if missed else ''}")
        print(f"  {found.sentence()}", flush=True)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
