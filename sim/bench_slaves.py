# SPDX-License-Identifier: BSD-3-Clause
"""Accesses that the slaves of a core have seen from the tree before them, by ``sim/axil_watch.sv``."""

from __future__ import annotations

from typing import Any

from bench_records import Bench

WRONG = (
    "it was asked twice for one access",
    "payload changed while VALID waited for READY",
    "it got another address, data, WSTRB or PROT than the host had sent",
    "it was asked for what the host was not waiting for",
    "the host got another answer than it gave",
)


def check_slaves(dut: Any, bench: Bench) -> None:
    """Raise AssertionError if a slave was asked against the rules since the reset of the bench."""
    seen = int(dut.slaves_bad.value) >> 1
    for node in bench.nodes:
        for name in (*node.slaves, *node.own):
            wrong = [text for bit, text in enumerate(WRONG) if seen >> bit & 1]
            assert not wrong, f"{node.name}: the core and {name}: {' and '.join(wrong)}"
            seen >>= len(WRONG)
