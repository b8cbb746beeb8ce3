# SPDX-License-Identifier: BSD-3-Clause
"""Latencies of blocks against what their benches have measured (``ip/*/costs.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from shellgen import latencies
from shellgen.links.accl.link import RECEIVED as ACCL_RECEIVED

IP = Path(__file__).parent.parent / "ip"
Parameters = Mapping[str, int]


def _width(told: Parameters) -> int | None:
    """A core's converters have a slice; the first word of a wide one waits for its beats."""
    if not told["SLICE"]:
        return None
    before = -(-told["OUT_W"] // told["IN_W"]) - 1
    return before + latencies.width(told["IN_W"], told["OUT_W"])


def _fifo(told: Parameters) -> int | None:
    return None if told.get("STORE") == 4 or told.get("OUT_REG") else latencies.FIFO


def _frame_fifo(told: Parameters) -> int | None:
    if told.get("ON_FULL") == 3 or told.get("STORE") == 4:
        return None
    return latencies.frame_fifo(told["DEPTH"]) - (told["DEPTH"] > 64 and not told.get("OUT_REG"))


def _width_fast(told: Parameters) -> int:
    return latencies.width(told["IN_W"], told["OUT_W"], fast=True)


KNOWN: dict[str, Callable[[Parameters], int | None]] = {
    "axis_width": _width,
    "axis_width_narrow_fast": _width_fast,
    "axis_fifo": _fifo,
    "axis_frame_fifo": _frame_fifo,
    "axis_frame_rx": lambda _: latencies.FRAMER,
    "axis_frame_tx": lambda _: latencies.FRAMER,
    "axis_run_rx": lambda _: latencies.FRAMER,
    "axis_run_tx": lambda _: latencies.FRAMER,
    "axis_broadcast": lambda told: latencies.REGISTER if told.get("REG_EN", 1) else None,
    "axis_add": lambda told: latencies.add(told["N"]),
    "axis_concat": lambda _: latencies.GATHER,
    "axis_gather": lambda told: latencies.GATHER if told.get("CUT", 4) == 4 else None,
    "links/ddr_ring/axis_ddr_fifo": lambda _: latencies.DDR_FIFO,
    "links/accl/accl_gate": lambda _: latencies.REGISTER,
}


@pytest.mark.parametrize("block", KNOWN)
def test_latencies_are_those_of_the_benches(block: str) -> None:
    sets = tomllib.loads((IP / block / "costs.toml").read_text())["set"]
    compared = {one["name"]: (KNOWN[block](one["parameters"]), one["latency"]) for one in sets}
    compared = {name: pair for name, pair in compared.items() if pair[0] is not None}
    assert compared
    assert {name: ours for name, (ours, _) in compared.items()} == {
        name: theirs for name, (_, theirs) in compared.items()
    }


def test_a_crossing_and_the_receiver_of_accl() -> None:
    sets = tomllib.loads((IP / "axis_fifo_cdc/costs.toml").read_text())["set"]
    plain = [one["latency"] for one in sets if one["parameters"].get("SYNC_STAGES", 2) == 2]
    # The bench counts cycles of the slower clock, rounded down.
    assert plain
    assert max(plain) <= latencies.CROSSING + 1
    found = [
        tomllib.loads((IP / f"links/accl/{block}/costs.toml").read_text())["set"][0]["latency"]
        for block in ("accl_demux", "accl_frames")
    ]
    assert sum(found) == ACCL_RECEIVED
