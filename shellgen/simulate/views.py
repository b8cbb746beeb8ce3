# SPDX-License-Identifier: BSD-3-Clause
"""Save files for GTKWave and Surfer: streams by boundary, and a cursor at the first difference."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from shellgen.model.bench import Bench, BenchWaveGroup

SHOWN_BEFORE = 40  # cycles left of the cursor
SCOPE = "bench_top.u_waves"
COMMON = (("aclk", 1), ("aresetn", 1), ("start", 1), ("stall", 8), ("cycles", 32), ("idle_cycles", 32))
# GTKWave's flags of a line: hexadecimal or decimal or binary, flush right; the begin and end of a group.
_HEX, _DEC, _BIT, _BLANK = 0x22, 0x24, 0x28, 0x200
_BEGIN, _END, _CLOSED = 0x800000, 0x1000000, 0x400000


def write_views(bench: Bench, waves: Path, at_ps: int | None, boundary: str) -> tuple[Path, Path]:
    """Write a view for GTKWave and one for Surfer beside the waves.

    Args:
        bench: ``bench.json``.
        waves: The dump.
        at_ps: Where the cursor goes.
        boundary: Title of the group that comes first and is open.

    Returns:
        ``.gtkw`` and ``.sucl``.
    """
    groups = sorted(bench.waves.groups, key=lambda group: group.title != boundary)
    gtkwave, surfer = waves.with_suffix(".gtkw"), waves.with_suffix(".sucl")
    head = _gtkwave_head(waves.name, at_ps, bench.cycle_ps)
    gtkwave.write_text(_lines([*head, *_gtkwave(groups, boundary)]))
    surfer.write_text(_lines(_surfer(groups, at_ps)))
    return gtkwave, surfer


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _gtkwave_head(dump: str, at_ps: int | None, cycle_ps: int) -> Iterable[str]:
    yield f'[dumpfile] "{dump}"'
    if at_ps is not None:
        yield f"[timestart] {max(0, at_ps - SHOWN_BEFORE * cycle_ps)}"
    yield from ("[size] 1600 900", "[pos] -1 -1", "[sst_width] 160", "[signals_width] 480")
    # Zoom: two hundred pixels are 2 to this power in ps; ten for a cycle show its edges. Then the cursor.
    yield f"*-{math.log2(20 * cycle_ps):.2f} {at_ps if at_ps is not None else -1}"


def _gtkwave(groups: list[BenchWaveGroup], boundary: str) -> Iterable[str]:
    for name, bits in COMMON:
        yield from _signal(f"bench_top.{name}", bits)
    for group in groups:
        closed = 0 if group.title == boundary else _CLOSED
        yield f"@{_BEGIN | closed | _BLANK:x}"
        yield f"-{group.title}"
        for name, bits in group.signals:
            yield from _signal(f"{SCOPE}.{group.scope}.{name}", bits)
        yield f"@{_END | closed | _BLANK:x}"
        yield f"-{group.title}"


def _signal(path: str, bits: int) -> Iterable[str]:
    counts = path.endswith(("_frame", "_word", "cycles"))
    yield f"@{_BIT if bits == 1 else _DEC if counts else _HEX:x}"
    yield f"{path}[{bits - 1}:0]" if bits > 1 else path


def _surfer(groups: list[BenchWaveGroup], at_ps: int | None) -> Iterable[str]:
    for name, _ in COMMON:
        yield f"variable_add bench_top.{name}"
    for group in groups:
        yield f"scope_add_as_group {SCOPE}.{group.scope}"
    yield "zoom_fit"
    if at_ps is not None:
        yield f"cursor_set {at_ps}"
