# SPDX-License-Identifier: BSD-3-Clause
"""Tells a script that waits from one that computes, even if it gets a small share of a core."""

from __future__ import annotations

_BUSY = 0.05  # share of a core below which nothing is computed: a script that waits wakes up once a second


class Patience:
    """Time without a call and without processor time.

    Args:
        seconds: After which a script counts as hung.
        now: Seconds of a clock that goes on steadily.
    """

    def __init__(self, seconds: float, now: float) -> None:
        self.seconds = seconds
        self.since = now
        self.used = 0.0

    def heard(self, now: float) -> None:
        """Note that the script has called something."""
        self.since = now

    def over(self, now: float, used: float) -> bool:
        """Tell whether the script has waited for too long.

        Args:
            now: Seconds of the same clock.
            used: Seconds of processor time that the script has used in all.
        """
        if used - self.used > _BUSY * self.seconds:
            self.since, self.used = now, used
        return now - self.since > self.seconds
