# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of the blocks at a plan's ends over VNx, for the directed test and for programs."""

from __future__ import annotations

from collections.abc import Iterator

from shellgen.model import Attachment, End, NodePlan, Plan
from shellgen.model.plain import JsonObject


def ends_of(plan: Plan, node: NodePlan, kind: str) -> Iterator[JsonObject]:
    """Describe the ends of a node as sim/links/vnx_udp/vnx_end.py has them."""
    for attachment in node.attachments:
        if attachment.link != kind:
            continue
        for row, end in enumerate(attachment.ends):
            boundary = plan.boundary(end.boundary)
            found = built(attachment, end)
            terms = ("link", "frame_bytes", "packet_beats", "packing", "role", "element", "shape")
            yield {
                "node": node.name,
                "attachment": attachment.name,
                "rows": len(attachment.ends),
                "row": row,
                "block": f"{attachment.name}_{end.net}",
                "stream": end.stream,
                "boundary": plan.boundaries.index(boundary),
                "slots": found["slots"],
                "hello_cycles": found.get("hello_cycles", 0),
                "timeout_cycles": found.get("timeout_cycles", 0),
                "idle_cycles": found.get("idle_cycles", 0),
                "reorder": found.get("reorder", 0),
                "ack_every": found.get("ack_every", 0),
                "ack_cycles": found.get("ack_cycles", 0),
                "frame_cycles": _in_bench(plan, node, max(_period(plan, node), end.words_per_frame)),
                "first_cycles": _in_bench(plan, node, _summed(plan, node)),
                "numbered": boundary.numbered,
                "terms": {name: found[name] for name in terms}
                | {"contract": int(str(boundary.contract), 16), "slots": found["slots"].bit_length() - 1},
            }


def _period(plan: Plan, node: NodePlan) -> int:
    """Return the cycles between frames of a node's partitions, of which the slowest counts."""
    parts = [plan.partition(name) for name in node.partitions]
    return max((one.pace.period if one.pace else one.slowest_cycles or 0 for one in parts), default=0)


def _summed(plan: Plan, node: NodePlan) -> int:
    """Return the cycles of all layers of a node's partitions: a first frame takes no longer."""
    return sum(plan.partition(name).summed_cycles for name in node.partitions)


def _in_bench(plan: Plan, node: NodePlan, cycles: int) -> int:
    """Return cycles of a node's partitions in the clock of the slowest node."""
    bench_hz = min(one.clock_hz for one in plan.nodes)
    return -(-cycles * bench_hz // min(bench_hz, node.compute.hz))


def built(attachment: Attachment, end: End) -> dict[str, int]:
    """Return the parameters of an end's block by their names in small letters."""
    ends = attachment.detail["ends"]
    assert isinstance(ends, dict)
    return {name.lower(): _number(value) for name, value in ends[str(end.stream)]["parameters"].items()}


def _number(constant: str) -> int:
    """Return the value of a Verilog constant as `_parameters` writes them."""
    base, _, digits = constant.rpartition("'")
    return int(digits[1:], 16 if digits[0] == "h" else 10) if base else int(constant)
