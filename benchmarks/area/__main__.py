# SPDX-License-Identifier: BSD-3-Clause
"""Area of shellgen's blocks beside that of peers: python -m benchmarks.area [--only WORD ...].

shellgen's figures are measured now; the peers' figures are those of peers.toml.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.area.rows import ROWS, Comparison
from tools.blocks.cost import Cost, Subject, best

KNOWN = Path(__file__).with_name("peers.toml")
HEAD = f"{'':<48}{'LUT':>7}{'FF':>7}{'BRAM':>6}{'levels':>7}{'rate':>7}{'LUT x':>7}{'FF x':>7}  "


@dataclass(frozen=True)
class Line:
    """Figures of one block for a row; `origin` tells where they are from."""

    name: str
    lut: int
    ff: int
    bram: float
    levels: int
    rate: float
    correct: bool
    origin: str

    def size(self) -> int:
        """Return by what the smallest is chosen."""
        return self.lut + self.ff


def known() -> dict[str, list[Line]]:
    """Return the peers' lines by row, each with version and date."""
    content = tomllib.loads(KNOWN.read_text(encoding="ascii"))
    rows: dict[str, list[Line]] = {}
    for item in content["figure"]:
        version = content["version"][item["peer"].split()[0]]
        date = str(content["method"][item["method"]]["date"])
        origin = version.rpartition("/")[2] if date in version else f"{version.rpartition('/')[2]}, {date}"
        figures = {key: item[key] for key in ("lut", "ff", "bram", "levels", "rate", "correct")}
        rows.setdefault(item["row"], []).append(Line(name=item["peer"], **figures, origin=origin))
    return rows


def cost(subject: Subject) -> Cost | str:
    """Return the cost by the better front end, or why there is none."""
    try:
        return best(subject)
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as fault:
        return str(fault).strip().splitlines()[-1]


def measure_ours(row: Comparison) -> Iterator[Line | str]:
    """Yield our blocks for a row, measured."""
    for ours in row.ours:
        with tempfile.TemporaryDirectory() as scratch:
            subject = ours.subject(Path(scratch))
            found = cost(subject) if subject else "there is no such block yet"
        if isinstance(found, str):
            yield f"{ours.label}: {found}"
        else:
            figures = (found.lut, found.ff, found.bram, found.levels)
            yield Line(ours.label, *figures, ours.rate, True, "ours")


def smallest(ours: Line, peers: Iterable[Line]) -> Line | None:
    """Return the smallest correct peer that is as fast and uses block RAM if we do.

    When no correct peer is as fast, the smallest of the slower ones is compared with nevertheless.
    """
    correct = [peer for peer in peers if peer.correct and bool(peer.bram) == bool(ours.bram)]
    as_fast = [peer for peer in correct if not peer.rate < ours.rate * 0.995]
    return min(as_fast or correct, key=Line.size, default=None)


def verdict(ours: Line, other: Line | None) -> str:
    """Compare a block with the best peer."""
    deep = "; MORE THAN 5 LEVELS" * (ours.levels > 5)
    if other is None:
        return f"no peer{deep}"
    pairs = [("LUT", ours.lut - other.lut), ("FF", ours.ff - other.ff)]
    more = ", ".join(f"{difference:+} {what}" for what, difference in pairs if difference > 0)
    slower = f" (at rate {other.rate:.2f})" if other.rate < ours.rate * 0.995 else ""
    return (
        f"LARGER than {other.name}{slower}: {more}" if more else f"not larger than {other.name}{slower}"
    ) + deep


def goal_line(row: Comparison, ours: Iterable[Line]) -> list[str]:
    """Name the blocks that reach the goal of their row."""
    if not row.goal:
        return []
    lut, ff = row.goal
    met = [line.name for line in ours if line.lut <= lut and line.ff <= ff]
    return [f"  goal {lut} / {ff}: {'met by ' + ', '.join(met) if met else 'MISSED'}"]


def show(line: Line, other: Line | None, words: str) -> str:
    """Return a line of the table."""

    def ratio(ours: int, theirs: int) -> str:
        return f"{ours / theirs:.2f}" if theirs else "-"

    factors = (ratio(line.lut, other.lut), ratio(line.ff, other.ff)) if other else ("", "")
    figures = f"{line.lut:>7}{line.ff:>7}{line.bram:>6g}{line.levels:>7}{line.rate:>7.3f}"
    return f"  {line.name:<46}{figures}{factors[0]:>7}{factors[1]:>7}  {words}"


def table(row: Comparison, ours: list[Line | str], peers: list[Line]) -> list[str]:
    """Return the lines of a row: ours with ratio and verdict, then the peers."""
    text = [row.name]
    for line in ours:
        if isinstance(line, str):
            text.append(f"  {line}")
            continue
        other = smallest(line, peers)
        text.append(show(line, other, verdict(line, other)))
    text += goal_line(row, [line for line in ours if isinstance(line, Line)])
    for line in sorted(peers, key=Line.size):
        text.append(show(line, None, line.origin if line.correct else f"WRONG, corrupts data; {line.origin}"))
    return text


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="WORD", help="rows that contain all of these"
    )
    options = parser.parse_args()
    peers = known()
    rows = [row for row in ROWS if all(word in row.name.split() for word in options.only)]
    if not rows:
        parser.error(f"no row has {' '.join(options.only)}; rows: {', '.join(row.name for row in ROWS)}")

    def work(row: Comparison) -> list[str]:
        return table(row, list(measure_ours(row)), peers.get(row.name, []))

    print("Yosys synth_xilinx xc7, the better of two front ends for each; x: ours over the best correct peer")
    print(HEAD)
    with ThreadPoolExecutor(2) as pool:
        for text in pool.map(work, rows):
            print("\n".join(text), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
