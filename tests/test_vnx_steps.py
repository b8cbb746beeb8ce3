# SPDX-License-Identifier: BSD-3-Clause
"""Two cards over VNx in the bench: the steps before the first frame are needed, and none may be missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import Chain, streams_only
from test_bench_bring_up import changed

pytestmark = [pytest.mark.sweep, pytest.mark.xdist_group("vnx_steps")]
PAIR = Chain(
    widths=(24, 12, 8),
    activations="UINT3",
    folds=((3, 4, 3), (4, 4, 4)),
    cuts=(0, 1),
    nodes=(("n0", "u280", (0,)), ("n1", "u280", (1,))),
)
Keep = Callable[[dict[str, Any]], bool]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return PAIR.generate(tmp_path_factory.mktemp("pair"))


def left(keep: Keep) -> Callable[[dict[str, Any]], None]:
    """Keep some steps only."""

    def change(found: dict[str, Any]) -> None:
        steps = found["bring_up"]["steps"]
        found["bring_up"]["steps"] = [step for step in steps if step["op"] == "barrier" or keep(step)]

    return change


def lacks(*names: str) -> Keep:
    return lambda step: not any(name in step["place"] for name in names)


def test_a_discovery_gets_through_a_bad_network(made: Path) -> None:
    """Every fifth packet is lost, those of ARP too; the host repeats a request without a reply."""
    report = streams_only(
        made, "verilator", idle_limit=100_000, settings=("vnx_udp.arp=1", "vnx_udp.loss=13000")
    )
    assert report["passed"], report["problem"]
    assert report["bring_up"]["nodes"] == ["n0", "n1"]


@pytest.mark.parametrize(
    ("keep", "said"),
    [
        (lambda _: False, "nothing moved for 30,000 cycles"),
        (lacks(".IP_ADDRESS"), "n0: networklayer_0.ARP_VALID_2 at 0x100001108"),
        (
            lacks(".MAC_LOW", ".MAC_HIGH"),
            "the MAC address is that of n1, 192.168.0.11: 02:53:c0:a8:00:0b, and",
        ),
        (lacks(".THEIR_IP"), "vnx0_tx_0.STATE at 0x"),
        (lacks(".THEIR_PORT"), "vnx0_tx_0.STATE at 0x"),
        (lacks(".MY_PORT"), "vnx0_tx_0.STATE at 0x"),
        (lacks("layer_0.VALID"), "vnx0_tx_0.STATE at 0x"),
        (lambda step: step["node"] == "n0", "192.168.0.11 has answered"),
    ],
    ids=["none", "address", "mac", "their ip", "their port", "my port", "valid", "one card"],
)
def test_nothing_passes_without(made: Path, tmp_path: Path, keep: Keep, said: str) -> None:
    report = streams_only(changed(made, tmp_path, left(keep)), "verilator", idle_limit=30_000)
    assert not report["passed"]
    assert said in report["problem"], report["problem"]
