# SPDX-License-Identifier: BSD-3-Clause
"""Write what ``registers.json`` says into the source of its block: `make registers`.

Two places are written by this, and by nobody else:

- the table in the header comment of ``<block>.sv``, from its line ``offset  name  access`` to the next empty
  line;
- the constants, from the line ``// ---- registers, from registers.json`` to the next empty line, in the same
  file or in that of a part of the block: ``AT_<REGISTER>`` is an offset, ``IS_<REGISTER>`` a fixed value,
  ``<REGISTER>_<FIELD>`` the lowest bit of a field, ``RESET_<REGISTER>`` a reset value that is not 0.

So any tool reads the sources as they are, and they have no numbers of their own
(tests/blocks/test_registers.py).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

from shellgen.model.registers import Register, RegisterBlock, RegisterField
from shellgen.registers import block_registers
from shellgen.resources import rtl_blocks, rtl_closure, rtl_file

WIDTH = 118
MARK = "    // ---- registers, from registers.json "

__all__ = ["bits", "blocks", "constants", "rows", "sources", "table", "where", "written"]


def blocks() -> tuple[str, ...]:
    """Return our blocks that have registers."""
    return tuple(name for name in rtl_blocks() if (rtl_file(name).parent / "registers.json").is_file())


def sources(block: str) -> tuple[Path, ...]:
    """Return the sources that hold registers of a block: its own, and that of the part with the constants."""
    own = rtl_file(block)
    parts = (rtl_file(name) for name in rtl_closure([block])[1:])
    rest = (path for path in parts if not (path.parent / "registers.json").is_file())
    return (own, *(path for path in rest if MARK in path.read_text(encoding="ascii")))


def where(register: Register, digits: int) -> str:
    """Return the offset, of one of several alike with its stride: ``0x100 + 0x20*k``."""
    start = f"0x{register.offset:0{digits}X}"
    letter = "j" if register.repeat and register.repeat.per > 1 else "k"
    return f"{start} + {register.repeat.stride:#x}*{letter}" if register.repeat else start


def bits(field: RegisterField) -> str:
    """Return the place of a field, ``[3]`` or ``[7:0]``."""
    high = field.low + field.width - 1
    return f"[{field.low}]" if field.width == 1 else f"[{high}:{field.low}]"


def table(block: RegisterBlock) -> list[str]:
    """Return the lines of the header comment, without their slashes."""
    end = ("others", "", "r", "", "0; writes are ignored")
    made = [("offset", "name", "access", "", ""), *rows(block), end]
    wide = [max(len(row[column]) for row in made) for column in range(3)]
    lines = []
    for row in made:
        start = "  " + "".join(f"{cell:<{size + 2}}" for cell, size in zip(row, wide, strict=False))
        text = wrap(row[4], WIDTH - 3 - len(start)) or [""]
        lines += [(start + text[0]).rstrip(), *(" " * len(start) + more for more in text[1:])]
    return lines


def rows(block: RegisterBlock) -> list[tuple[str, str, str, str, str]]:
    """Return offset, name, access, reset value and meaning of each register and, under it, of its fields."""
    digits = (_address_bits(block) + 3) // 4
    made: list[tuple[str, str, str, str, str]] = []
    for register in block.registers:
        value = "" if register.value is None else f"0x{register.value:08X}, "
        first = (where(register, digits), register.name, register.access)
        made.append((*first, _reset(register.reset), value + register.text))
        for field in register.fields:
            named = ("", f"{bits(field)} {field.name}", field.access)
            made.append((*named, _reset(field.reset), field.text))
    return made


def _reset(value: int | None) -> str:
    return "" if value is None else str(value)


def constants(block: RegisterBlock) -> list[str]:
    """Return the declarations, without indentation."""
    size = _address_bits(block)
    digits = (size + 3) // 4
    lines = []
    for register in block.registers:
        lines.append(
            f"localparam logic [{size - 1}:0] AT_{register.name} = {size}'h{register.offset:0{digits}X};"
        )
        if register.value is not None:
            lines.append(f"localparam logic [31:0] IS_{register.name} = 32'h{register.value:08X};")
        if register.reset:
            low = f"{register.width}'d{register.reset}"
            lines.append(f"localparam logic [{register.width - 1}:0] RESET_{register.name} = {low};")
        lines += [f"localparam int {register.name}_{field.name} = {field.low};" for field in register.fields]
    return lines


def written(texts: Sequence[str], block: RegisterBlock) -> list[str]:
    """Return the sources that hold registers of a block with these as they are in the file.

    Raises:
        ValueError: One of the two places is not there, or is there twice.
    """
    split = [text.split("\n") for text in texts]
    for first, made in (
        (r"//   offset +name +access", [f"// {line}" for line in table(block)]),
        (re.escape(MARK) + "-*", None),
    ):
        found = [
            (lines, index)
            for lines in split
            for index, line in enumerate(lines)
            if re.fullmatch(first, line.rstrip())
        ]
        if len(found) != 1:
            raise ValueError(f"{block.block}.sv: expected exactly one line {first}")
        ((lines, start),) = found
        end = next(index for index in range(start, len(lines)) if lines[index] in {"", "//"})
        own = [lines[start], *(f"    {line}" for line in constants(block))]
        lines[start:end] = own if made is None else made
    return ["\n".join(lines) for lines in split]


def _address_bits(block: RegisterBlock) -> int:
    last = max(register.offset for register in block.registers)
    return block.address_bits or (last + 3).bit_length()


def main(arguments: list[str] | None = None) -> int:
    """Rewrite what is not as in ``registers.json``; return the exit code."""
    parser = argparse.ArgumentParser(description="Write registers.json into the sources of the blocks.")
    parser.add_argument("block", nargs="*", help="all that have registers, if left out")
    chosen = parser.parse_args(arguments).block or blocks()
    for name in chosen:
        paths = sources(name)
        old = [path.read_text(encoding="ascii") for path in paths]
        for path, before, after in zip(paths, old, written(old, block_registers(name)), strict=True):
            if after != before:
                path.write_text(after, encoding="ascii")
            print(f"{path.name}: {'written' if after != before else 'as it was'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
