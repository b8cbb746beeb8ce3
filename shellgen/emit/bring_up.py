# SPDX-License-Identifier: BSD-3-Clause
"""The host's bring-up steps in the memory map, with absolute addresses and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shellgen.model import Plan, Step
from shellgen.model.map_bring_up import MapBits, MapBringUp, MapReason, MapStep
from shellgen.model.memory_map import MapBlock, MapNode, MapUnit
from shellgen.registers import register_at


def map_bring_up(plan: Plan, nodes: Sequence[MapNode]) -> MapBringUp | None:
    """Return the steps of a plan, None if there are none.

    Args:
        plan: The plan.
        nodes: Their entries in the map.
    """
    entries = {node.name: (node, plan.node(node.name).lite_scale) for node in nodes}
    steps = tuple(
        _step(step, *entries[step.node]) if step.node is not None else _barrier(step)
        for step in plan.bring_up
    )
    having = tuple(node.name for node in nodes if any(step.node == node.name for step in steps))
    return MapBringUp(nodes=having, values=_values(steps), steps=steps) if having else None


def of_node(whole: MapBringUp, node: str) -> MapBringUp:
    """Return the part for one node: its own steps, and all barriers, so that phase numbers agree."""
    steps = tuple(step for step in whole.steps if step.node in (node, None))
    return whole.model_copy(update={"steps": steps, "values": _values(steps)})


def _values(steps: Iterable[MapStep]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(step.value for step in steps if isinstance(step.value, str)))


def _step(step: Step, node: MapNode, scale: int) -> MapStep:
    block = node.block(step.unit)
    slot = 1 if isinstance(block, MapUnit) else scale
    return MapStep(
        op=step.op,
        node=node.name,
        unit=block.name,
        place=_place(block, step.offset * slot),
        address=block.base + step.offset * slot,
        value=step.value,
        mask=step.mask,
        again=step.again,
        reason=None if step.reason is None else _reason(block, step.reason * slot),
        text=step.about,
    )


def _place(block: MapBlock, offset: int) -> str:
    found = register_at(block, offset)
    return f"{block.name}.{found[0]}" if found else f"{block.name}+{offset:#x}"


def _reason(block: MapBlock, offset: int) -> MapReason:
    found = register_at(block, offset)
    fields = found[1].fields if found else ()
    return MapReason(
        place=_place(block, offset),
        address=block.base + offset,
        bits=tuple(MapBits(mask=field.mask, text=field.text) for field in fields),
    )


def _barrier(step: Step) -> MapStep:
    return MapStep(
        op="barrier", node=None, unit=None, place=None, address=None, value=None, mask=0, text=step.about
    )
