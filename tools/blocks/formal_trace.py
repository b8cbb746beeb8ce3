# SPDX-License-Identifier: BSD-3-Clause
"""Show a counterexample: the signals of the harness, one row a signal, one column a cycle."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["table"]


def table(vcd: Path, last: int = 16, widest: int = 24) -> str:
    """Return the top scope's signals in the last cycles of a VCD of yosys-smtbmc.

    Args:
        vcd: Trace; a cycle is ten units of time, in the second half of which only the clock changes.
        last: Cycles shown.
        widest: Characters of a value shown; of wider ones the low end.
    """
    names: dict[str, str] = {}
    steps: dict[int, dict[str, str]] = {}  # values at the rising edge of each cycle
    depth = 0
    now: dict[str, str] = {}
    for line in vcd.read_text().splitlines():
        if line.startswith("$scope"):
            depth += 1
        elif line.startswith("$upscope"):
            depth -= 1
        elif found := re.match(r"\$var \w+ \d+ (\S+) (\S+)", line):
            hidden = found[2] == "aclk" or found[2].endswith("_EN")  # the latter belong to assertions
            if depth == 1 and not hidden and not found[2].startswith(("smt_", "$", "\\", "_")):
                names[found[1]] = found[2]
        elif line.startswith("#"):
            cycle, half = divmod(int(line[1:]), 10)
            if half == 0:
                now = steps.setdefault(cycle, dict(now))
        elif found := re.match(r"b([01xz]+) (\S+)|([01xz])(\S+)", line):
            now[found[2] or found[4]] = _number(found[1] or found[3])[-widest:]
    shown = sorted(steps)[:-1][-last:]  # the last time stamp only ends the last cycle
    columns = [[name, *(steps[k].get(key, "") for k in shown)] for key, name in names.items()]
    rows = [["cycle", *map(str, shown)], *sorted(columns)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(v.rjust(w) for v, w in zip(row, widths, strict=True)) for row in rows)


def _number(bits: str) -> str:
    return f"{int(bits, 2):x}" if set(bits) <= {"0", "1"} else bits
