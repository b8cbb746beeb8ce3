# SPDX-License-Identifier: BSD-3-Clause
"""What our blocks cost beside the peers: python -m benchmarks.area [--peers FOLDER] [--only WORD ...].

FOLDER holds checkouts by name, as many as there are: verilog-axis, verilog-axi, finn, finn-plus, taxi.
Without a checkout the known figures of peers.toml stand.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.area.live import FOLDERS, LIVE
from benchmarks.area.rows import ROWS, Comparison
from tools.blocks.cost import FRONTENDS, Cost, Subject, measure

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


def known() -> tuple[dict[str, list[Line]], dict[str, str]]:
    """Return the committed lines by row, and the words for their sources."""
    content = tomllib.loads(KNOWN.read_text(encoding="ascii"))
    rows: dict[str, list[Line]] = {}
    for item in content["figure"]:
        line = Line(
            item["peer"],
            *(item[key] for key in ("lut", "ff", "bram", "levels", "rate", "correct")),
            origin=item["source"],
        )
        rows.setdefault(item["row"], []).append(line)
    return rows, content["source"]


def cost(subject: Subject, either: bool) -> Cost | str:
    """Return the cost by the better front end, or why there is none."""
    costs, faults = [], []
    for frontend in FRONTENDS if either else (subject.frontend,):
        try:
            costs.append(measure(replace(subject, frontend=frontend)))
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as fault:
            faults.append(str(fault).strip().splitlines()[-1])
    if not costs:
        return "; ".join(faults)
    return min(costs, key=lambda found: (found.lut + found.ff, found.levels))


def measure_peers(row: Comparison, lines: list[Line], peers: Path | None) -> Iterator[Line | str]:
    """Yield a row's peers, measured where there is a checkout and known otherwise."""
    word, *numbers = row.name.rsplit(" ", sum(part.isdigit() for part in row.name.split()))
    key = (word, *map(int, numbers))
    left = {line.name: line for line in lines}
    for name, (folder, build) in LIVE.items() if peers else ():
        if not (peers / folder).is_dir():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            try:
                subject = build(peers / folder, key, Path(scratch))
            except OSError as fault:
                yield f"{name}: {fault}"
                continue
            if subject is None:
                continue
            old = left.pop(name, None)
            found = cost(subject, subject.frontend == FRONTENDS[0])
        if isinstance(found, str):
            yield f"{name}: {found}"
            if old:
                yield old
            continue
        figures = (found.lut, found.ff, found.bram, found.levels)
        # Whether a peer is correct and how fast it is was simulated once; that is not measured here.
        rate, correct = (old.rate, old.correct) if old else (float("nan"), True)
        yield Line(name, *figures, rate, correct, "measured now")
    yield from left.values()


def measure_ours(row: Comparison) -> Iterator[Line | str]:
    """Yield our blocks for a row, measured."""
    for ours in row.ours:
        with tempfile.TemporaryDirectory() as scratch:
            subject = ours.subject(Path(scratch))
            found = cost(subject, True) if subject else "there is no such block yet"
        if isinstance(found, str):
            yield f"{ours.label}: {found}"
        else:
            figures = (found.lut, found.ff, found.bram, found.levels)
            yield Line(ours.label, *figures, ours.rate, True, "ours")


def bar(ours: Line, peers: Iterable[Line]) -> Line | None:
    """Return the smallest correct peer that is as fast and uses block RAM if we do.

    When no correct peer is as fast, the smallest of the slower ones is a bar still.
    """
    correct = [peer for peer in peers if peer.correct and bool(peer.bram) == bool(ours.bram)]
    as_fast = [peer for peer in correct if not peer.rate < ours.rate * 0.995]
    return min(as_fast or correct, key=Line.size, default=None)


def verdict(ours: Line, best: Line | None) -> str:
    """Say how a block of ours stands beside the best peer."""
    deep = "; MORE THAN 5 LEVELS" * (ours.levels > 5)
    if best is None:
        return f"no peer{deep}"
    pairs = [("LUT", ours.lut - best.lut), ("FF", ours.ff - best.ff)]
    more = ", ".join(f"{difference:+} {what}" for what, difference in pairs if difference > 0)
    slower = f" (at rate {best.rate:.2f})" if best.rate < ours.rate * 0.995 else ""
    return (
        f"LARGER than {best.name}{slower}: {more}" if more else f"not larger than {best.name}{slower}"
    ) + deep


def goal_line(row: Comparison, ours: Iterable[Line]) -> list[str]:
    """Say which of ours reaches what issue 3 calls possible."""
    if not row.goal:
        return []
    lut, ff = row.goal
    met = [line.name for line in ours if line.lut <= lut and line.ff <= ff]
    return [f"  goal {lut} / {ff}: {'met by ' + ', '.join(met) if met else 'MISSED'}"]


def show(line: Line, best: Line | None, words: str) -> str:
    """Return a line of the table."""

    def ratio(ours: int, theirs: int) -> str:
        return f"{ours / theirs:.2f}" if theirs else "-"

    factors = (ratio(line.lut, best.lut), ratio(line.ff, best.ff)) if best else ("", "")
    rate = "?" if line.rate != line.rate else f"{line.rate:.3f}"
    figures = f"{line.lut:>7}{line.ff:>7}{line.bram:>6g}{line.levels:>7}{rate:>7}"
    return f"  {line.name:<46}{figures}{factors[0]:>7}{factors[1]:>7}  {words}"


def table(
    row: Comparison, ours: list[Line | str], peers: list[Line | str], sources: dict[str, str]
) -> list[str]:
    """Return the lines of a row: ours with ratio and verdict, then the peers."""
    text = [row.name]
    lines = [peer for peer in peers if isinstance(peer, Line)]
    for line in ours:
        if isinstance(line, str):
            text.append(f"  {line}")
            continue
        best = bar(line, lines)
        text.append(show(line, best, verdict(line, best)))
    text += goal_line(row, [line for line in ours if isinstance(line, Line)])
    for line in sorted(lines, key=Line.size):
        words = sources.get(line.origin, line.origin)
        text.append(show(line, None, words if line.correct else f"WRONG, corrupts data; {words}"))
    return text + [f"  {line}" for line in peers if isinstance(line, str)]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--peers", type=Path, help="folder with checkouts")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="WORD", help="rows that contain all of these"
    )
    options = parser.parse_args()
    peers = options.peers.resolve() if options.peers else None
    if peers and not any((peers / folder).is_dir() for folder in FOLDERS):
        parser.error(f"{peers} holds none of {', '.join(FOLDERS)}")
    lines, sources = known()
    rows = [row for row in ROWS if all(word in row.name.split() for word in options.only)]

    def work(row: Comparison) -> list[str]:
        theirs = list(measure_peers(row, lines.get(row.name, []), peers))
        return table(row, list(measure_ours(row)), theirs, sources)

    print("Yosys synth_xilinx xc7, the better of two front ends for each; x: ours over the best correct peer")
    print(HEAD)
    with ThreadPoolExecutor(2) as pool:
        for text in pool.map(work, rows):
            print("\n".join(text), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
