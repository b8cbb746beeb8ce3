# SPDX-License-Identifier: BSD-3-Clause
"""The registers of blocks, from the ``registers.json`` beside each, and where a host finds them."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.model import NodePlan, Unit, Window
from shellgen.model.memory_map import MapBlock, MapRegister, MapUnit
from shellgen.model.registers import Register, RegisterBlock
from shellgen.resources import registers_file
from vivado_check.formats.data import read_json

__all__ = ["UNIT_BYTES", "block_registers", "map_block", "map_unit", "read_registers", "register_at"]

# From one unit that has no address of its own to the next; windows of cores and of XRT are far smaller.
UNIT_BYTES = 1 << 32


def read_registers(path: Path) -> RegisterBlock:
    """Read a ``registers.json``.

    Args:
        path: The file; the folder that it lies in has the name of the block.

    Raises:
        InputError: It is missing or no JSON, a field does not fit, registers overlap, or it is about another
            block; with file and field.
    """
    where = f"{path.parent.name}/{path.name}"
    data = read_json(path, where, "Write it beside the block (docs/links.md)")
    block = RegisterBlock.from_data(data, where)
    if block.block != path.parent.name:
        found = f"got {block.block}, in the folder of block {path.parent.name}"
        raise InputError(Problem(f"{where}: block", found, "Name the block that it is about"))
    return block


@cache
def block_registers(block: str) -> RegisterBlock:
    """Return the registers of a block that cores are made of, or of a unit beside them."""
    return read_registers(registers_file(block))


def map_block(node: NodePlan, window: Window) -> MapBlock:
    """Return a window of a node's own space as the host sees it, with the registers of its block.

    Source: ``registers.json`` of the block.
    """
    scale, counts = node.lite_scale, _counts(node, window)
    registers = _placed(window.block, scale, tuple(counts.items())) if window.block else ()
    return MapBlock(
        name=window.name,
        block=window.block,
        base=node.lite_base + window.offset * scale,
        size=window.size * scale,
        registers=registers,
    )


def map_unit(node: NodePlan, unit: Unit) -> MapUnit:
    """Return a unit beside the core as the host sees it; registers lie 4 bytes apart there.

    Where it goes by its name at the runtime, it gets addresses that nothing else of the node has, so that
    one address tells which unit is meant, and where in it.
    """
    place = [one.name for one in node.units].index(unit.name) + 1
    return MapUnit(
        name=unit.name,
        block=unit.block,
        ip=unit.ip,
        base=place * UNIT_BYTES if unit.base is None else unit.base,
        size=1 << unit.addr_bits,
        registers=_placed(unit.block, 1, tuple(unit.counts)),
    )


def register_at(block: MapBlock, offset: int) -> tuple[str, MapRegister] | None:
    """Return name and description of the register at an offset of the host, if there is one."""
    found = ((register.name_at(offset), register) for register in block.registers)
    return next(((name, register) for name, register in found if name is not None), None)


def _counts(node: NodePlan, window: Window) -> dict[str, int]:
    """Return the parameters of a block that say how many registers it has."""
    if window.kind == "status":
        return {"N_RX": len(node.rx), "N_TX": len(node.tx)}
    return dict(window.counts)


@lru_cache(maxsize=1024)
def _placed(block: str, scale: int, counts: tuple[tuple[str, int], ...]) -> tuple[MapRegister, ...]:
    """Return the registers of a block; boards with equal blocks share them."""
    return tuple(_register(one, scale, dict(counts)) for one in block_registers(block).registers)


def _register(register: Register, scale: int, counts: dict[str, int]) -> MapRegister:
    repeat = register.repeat
    return MapRegister(
        name=register.name,
        offset=(register.offset + (repeat.skipped(counts) if repeat else 0)) * scale,
        stride=repeat.stride * scale if repeat else None,
        count=repeat.registers(counts) if repeat else None,
        width=register.width,
        access=register.access,
        hw=register.hardware,
        value=register.value,
        reset=register.reset,
        sticky=register.sticky,
        fields=tuple(field.model_copy(update={"hw": field.hardware}) for field in register.fields),
        text=register.text,
    )
