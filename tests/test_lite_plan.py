# SPDX-License-Identifier: BSD-3-Clause
"""``[node.lite]``: windows smaller than the board's, reserved ranges, the bridge, and what is refused."""

from __future__ import annotations

import pytest
from fake_network import chain, lite, partition, plan_of, spec
from wide_platform import wide_plan

from shellgen.errors import PlanError
from shellgen.model import NodePlan

FAR = 1 << 32


def node(slaves: list[int], **options: object) -> NodePlan:
    """Plan one board with slaves of these address bits."""
    ports = tuple(lite(i, addr_bits=bits) for i, bits in enumerate(slaves))
    entry: dict[str, object] = {"name": "n0", "board": "zedboard", "partitions": [0], "lite": options}
    return plan_of(chain(partition("a", slaves=ports)), spec([entry])).nodes[0]


def refusal(slaves: list[int], **options: object) -> str:
    with pytest.raises(PlanError) as error:
        node(slaves, **options)
    (problem,) = error.value.problems
    return str(problem)


def places(plan: NodePlan) -> dict[str, tuple[int, int]]:
    return {window.name: (window.offset, window.size) for window in (*plan.windows, *plan.far_windows)}


def test_the_whole_board_by_default() -> None:
    plan = node([8, 12])
    assert places(plan) == {
        "status": (0, 4096),
        "a_s_axilite_1": (0x1000, 4096),
        "a_s_axilite_0": (0x2000, 256),
    }
    assert plan.bridge is None
    assert not plan.far_crossbars


def test_reserved_ranges_are_kept_free() -> None:
    """Free ranges of a Coyote window when ACCL has its lower half."""
    reserved = [{"offset": 0, "bytes": 0x8000}, {"offset": 0xA000, "bytes": 4}]
    plan = node([12, 13, 4], window=0x1_0000, reserved=reserved)
    assert places(plan) == {
        "status": (0x8000, 4096),
        "a_s_axilite_1": (0xC000, 0x2000),
        "a_s_axilite_0": (0x9000, 4096),
        "a_s_axilite_2": (0xA010, 16),
    }
    assert plan.status.offset == 0x8000
    assert plan.lite_addr_bits == 16


def test_a_bridge_takes_the_memories_out_of_the_window() -> None:
    plan = node([20, 8, 19], window=0x1_0000, access="bridge")
    assert places(plan) == {
        "status": (0, 4096),
        "bridge": (0x8000, 0x8000),
        "a_s_axilite_0": (0, 1 << 20),
        "a_s_axilite_2": (1 << 20, 1 << 19),
        "a_s_axilite_1": (3 << 19, 256),
    }
    assert [window.name for window in plan.memories] == ["a_s_axilite_0", "a_s_axilite_2", "a_s_axilite_1"]
    assert [port.target for port in plan.crossbars[0].ports] == ["status", "bridge"]
    assert [crossbar.name for crossbar in plan.far_crossbars] == ["far"]


def test_the_bridge_takes_what_the_window_leaves() -> None:
    reserved = [{"offset": 0x1800, "bytes": 0x700}]
    plan = node([20], window=0x2000, reserved=reserved, access="bridge")
    assert places(plan)["bridge"] == (0x1000, 2048)
    assert "bridge" not in places(node([], access="bridge"))


def test_a_map_that_does_not_fit() -> None:
    said = refusal([29, 29, 20])
    assert "node[0].lite: the AXI-Lite map of node n0 is 1610612736 bytes, 1073741824 too many" in said
    assert "the host reaches 536870912 bytes" in said
    assert "largest slaves are a_s_axilite_0 (536870912 bytes), a_s_axilite_1" in said
    assert 'lite.access = "bridge"' in said
    said = refusal([12, 17], window=0x1_0000)
    assert "a_s_axilite_1 of node n0 takes 131072 bytes; the host reaches 65536 bytes" in said
    said = refusal([14], window=4096 + 128, access="bridge")
    assert "status registers and the smallest bridge of node n0 take 4352 bytes" in said
    said = refusal([31, 31, 8], access="bridge")
    assert f"more than the {FAR} bytes behind a bridge" in said


def test_a_window_that_cannot_be() -> None:
    assert "node[0].lite.window: 1073741824 bytes, and board zedboard" in refusal([8], window=1 << 30)
    said = refusal([8], reserved=[{"offset": 0x100, "bytes": 0x80}, {"offset": 0x17C, "bytes": 8}])
    assert "node[0].lite.reserved[1]: bytes 0x17c to 0x183 overlap reserved[0], 0x100 to 0x17f" in said
    said = refusal([8], window=0x4000, reserved=[{"offset": 0x3FFC, "bytes": 8}])
    assert "node[0].lite.reserved[0]: bytes 0x3ffc to 0x4003 end beyond the window of 0x4000 bytes" in said


def wide(slaves: list[int], **options: object) -> NodePlan:
    """Plan one board whose host sees a register in each 64-bit slot."""
    ports = tuple(lite(i, addr_bits=bits) for i, bits in enumerate(slaves))
    entry: dict[str, object] = {"name": "n0", "board": "zedboard", "partitions": [0], "lite": options}
    with pytest.MonkeyPatch.context() as patch:
        return wide_plan(patch, chain(partition("a", slaves=ports)), [entry], {"n0"}).nodes[0]


def test_a_slot_of_8_bytes_halves_the_window() -> None:
    """A Coyote window, of which ACCL has the lower half: 32 KiB of the host are 16 KiB of registers."""
    reserved = [{"offset": 0, "bytes": 0x8000}, {"offset": 0xA004, "bytes": 4}]
    plan = wide([12, 4], window=0x1_0000, reserved=reserved)
    assert places(plan) == {
        "status": (0x4000, 4096),
        "a_s_axilite_0": (0x6000, 4096),
        "a_s_axilite_1": (0x5010, 16),  # half a reserved slot is one
    }
    assert (plan.lite_addr_bits, plan.lite_port_bits, plan.lite_slot) == (15, 16, 8)
    plan = wide([20], window=0x1_0000, access="bridge")
    assert places(plan)["bridge"] == (0x4000, 0x4000)
    assert plan.lite_port_bits == 16


def test_what_does_not_fit_is_told_in_bytes_of_the_host() -> None:
    with pytest.raises(PlanError) as error:
        wide([12, 14], window=0x8000)
    said = str(error.value)
    assert "the AXI-Lite map of node n0 is 65536 bytes, 32768 too many" in said
    assert "the host reaches 32768 bytes, 8 for each register" in said
    assert "a_s_axilite_1 (32768 bytes), status (8192 bytes), a_s_axilite_0 (8192 bytes)" in said
    with pytest.raises(
        PlanError, match=r"a_s_axilite_0 of node n0 takes 65536 bytes; the host reaches 32768"
    ):
        wide([15], window=0x8000)
    with pytest.raises(PlanError, match=r"reserved\[0\]: bytes 0x7ffc to 0x8003 end beyond .* 0x8000 bytes"):
        wide([8], window=0x8000, reserved=[{"offset": 0x7FFC, "bytes": 8}])
