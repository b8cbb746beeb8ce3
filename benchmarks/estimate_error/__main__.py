# SPDX-License-Identifier: BSD-3-Clause
"""Error of the estimate against the RTL at full rate: built-in examples, and clusters drawn by a seed."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from estimate_clusters import SEEDS, cluster, measured, missed, streamed

from shellgen.cli.prove import estimated
from shellgen.demo import Example, demo, demo_folder
from shellgen.estimate.bench import Compared

EXAMPLES: dict[str, tuple[Example, int, str]] = {
    "digits, 2 ZedBoards": ("digits", 2, ""),
    "digits, 6 ZedBoards": ("digits", 6, ""),
    "residual, 3 ZedBoards": ("residual", 3, ""),
    "out of order, 2 ZedBoards": ("out-of-order", 2, ""),
    "replicas, 3 ZedBoards": ("replicas", 3, ""),
    "branches, 3 boards": ("branches", 3, ""),
    "transformer, 2 ZCU104": ("transformer", 2, ""),
    "digits, 3 U280": ("digits", 3, "vitis"),
    "digits, 2 U55C": ("digits", 2, "coyote"),
    "digits, ZedBoard and U280": ("mixed", 2, ""),
}

FRAMES = 16


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help=f"some of: {'; '.join(EXAMPLES)}; or seeds of clusters")
    wanted = parser.parse_args().only or [*EXAMPLES, *map(str, SEEDS)]
    worse = 0
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            found = of_example(name, Path(folder)) if name in EXAMPLES else of_seed(int(name), Path(folder))
        if found is None:
            print(f"{name}: no rate, for the run did not pass")
            worse += 1
            continue
        wrong = missed(found)
        worse += bool(wrong)
        rate, frame = (
            f"{error:+.1%}" if error is not None else "-" for error in (found.rate_error, found.frame_error)
        )
        print(f"{name}: frames/s {rate}, last word of a frame {frame}{', '.join(['', *wrong])}")
        print(f"  {found.sentence()}", flush=True)
    return 1 if worse else 0


def of_example(name: str, folder: Path) -> Compared | None:
    example, boards, platform = EXAMPLES[name]
    report = demo(folder, boards, "verilator", reference=False, example=example, platform=platform)
    out = demo_folder(folder, boards, example, platform)
    # Demos of cards lose packets and let engines wait, by draws that no estimate knows.
    lossy = platform or example == "mixed"
    return streamed(out, "verilator", FRAMES) if lossy else estimated(out, report)


def of_seed(seed: int, folder: Path) -> Compared:
    return measured(cluster(seed, folder), "icarus")


if __name__ == "__main__":
    sys.exit(main())
