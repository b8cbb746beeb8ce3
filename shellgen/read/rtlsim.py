# SPDX-License-Identifier: BSD-3-Clause
"""``rtlsim_performance.json`` of a build: the cycles from frame to frame that FINN's simulation has shown.

Newer releases write a list with the intervals of each network, older ones a table with the rate at which
frames followed one another, and the clock of that rate. Only the report beside the stitched IP counts: one
for several partitions does not say which of them is slow.

Source: step_measure_rtlsim_performance of FINN 0.8 to 0.10 and finn-plus 1.3.0 to 1.6.1.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from pathlib import Path

from shellgen.errors import InputError
from vivado_check.formats.data import read_json
from vivado_check.formats.looks import is_file

_LOG = logging.getLogger("shellgen.read")
NAME = "rtlsim_performance.json"
_STABLE, _CLOCK = "stable_throughput[images/s]", "fclk[mhz]"
_MOST = 1 << 40  # of cycles; more is a damaged file
_CONFLICT = 2  # times


def simulated_period(ip: Path, layers: Sequence[int | None]) -> int | None:
    """Return the cycles from frame to frame, if a report beside the IP has them.

    Args:
        ip: Folder of the stitched IP.
        layers: Cycles of the layers of the partition, which are compared.
    """
    path = ip.resolve().parent / "report" / NAME
    if not is_file(path):
        return None
    try:
        content = read_json(path, str(path), "")
    except InputError as error:
        _LOG.warning("%s; it is not used", error)
        return None
    found = _period(content)
    if found is None:
        _LOG.warning(
            "%s: it has no interval between frames (intervals, or %s and %s; one frame has none), so it is "
            "not used; simulate the build with more frames, or give [estimate.layers] in cluster.toml",
            *(path, _STABLE, _CLOCK),
        )
        return None
    slowest = max((cycles for cycles in layers if cycles), default=found)
    if max(found, slowest) > _CONFLICT * min(found, slowest):
        _LOG.warning(
            "%s: a frame takes %d cycles by this simulation, but the slowest layer %d; the first is taken, "
            "unless [estimate.layers] of cluster.toml says another",
            *(path, found, slowest),
        )
    return found


def _period(content: object) -> int | None:
    if isinstance(content, list):
        every = [one.get("intervals") for one in content if isinstance(one, dict)]
        first = [_number(some[0]) for some in every if isinstance(some, list) and some]
        return max((one for one in first if one), default=None)
    if isinstance(content, dict):
        rate, clock = (content.get(name) for name in (_STABLE, _CLOCK))
        if isinstance(rate, int | float) and isinstance(clock, int | float) and rate > 0:
            return _number(clock * 1e6 / rate)
    return None


def _number(value: object) -> int | None:
    """Return whole cycles; None for what no simulation can have shown."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return round(value) if 1 <= value <= _MOST else None
