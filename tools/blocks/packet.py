# SPDX-License-Identifier: BSD-3-Clause
"""Write what ``packet.json`` of vnx_udp says of a packet into all that reads packets: `make registers`.

- A Verilog source of ``ip/`` or ``tools/blocks/bench/`` gets, from its line
  ``// ---- packet, from packet.json`` to the next empty line, those of these constants that it names, and a
  package all of them: ``BIT_<FIELD>`` is the lowest bit of a field in the first beat,
  ``BITS_<FIELD>`` its size, ``IS_<FIELD>`` its fixed value, ``KIND_<KIND>`` a kind of packet,
  ``REFUSE_<FIELD>`` the bit of REFUSE for a field that differs; ``HEADER_BYTES`` are before the payload.
- A Python program of host or bench gets them all, from its line ``# ---- packet, from packet.json``.
- ``host/node/packet.h`` gets them all, as C++.
- ``docs/vnx.md`` gets its two tables.

So none of them has numbers of its own (tests/blocks/test_packet.py).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from shellgen.model.base import Frozen
from shellgen.resources import data_dir
from vivado_check.formats.data import read_json

BEAT_BYTES = 64
MARK = "---- packet, from packet.json "
ROOT = data_dir("ip").parent

__all__ = ["Field", "Kind", "Packet", "packet", "sources", "tables", "values", "written", "written_page"]


class Field(Frozen):
    """A field of the first beat.

    ``byte`` and ``low`` are its place, ``bits`` its size, ``value`` what it always is, ``refuse`` the bit of
    REFUSE that says that it differs.
    """

    name: str
    byte: int
    low: int = 0
    bits: int
    value: int | None = None
    refuse: int | None = None
    text: str = ""

    @property
    def bit(self) -> int:
        return 8 * self.byte + self.low

    @property
    def place(self) -> str:
        return f"{self.byte}.{self.low}" if self.low else f"{self.byte}"


class Kind(Frozen):
    """A kind of packet."""

    name: str
    value: int


class Packet(Frozen):
    """Format of a packet: header, and the second half of HELLO and REFUSE, and of ACK."""

    schema_version: str
    header_bytes: int
    header: tuple[Field, ...]
    kinds: tuple[Kind, ...]
    first_reply: int
    hello: tuple[Field, ...]
    ack: tuple[Field, ...]

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.header + self.hello + self.ack


def packet() -> Packet:
    """Return the packet as ``ip/links/vnx_udp/packet.json`` has it."""
    path = data_dir("ip") / "links" / "vnx_udp" / "packet.json"
    return Packet.from_data(read_json(path, path.name, "It is the packet's only definition"), path.name)


def values(made: Packet) -> dict[str, str]:
    """Return the Verilog constants, each with its declaration."""
    found = {"HEADER_BYTES": f"localparam int HEADER_BYTES = {made.header_bytes};"}
    for field in made.fields:
        name = field.name.upper()
        found[f"BIT_{name}"] = f"localparam int BIT_{name} = {field.bit};"
        found[f"BITS_{name}"] = f"localparam int BITS_{name} = {field.bits};"
        if field.value is not None:
            value = f"{field.bits}'h{field.value:0{field.bits // 4}X}"
            found[f"IS_{name}"] = f"localparam logic [{field.bits - 1}:0] IS_{name} = {value};"
        if field.refuse is not None:
            found[f"REFUSE_{name}"] = f"localparam int REFUSE_{name} = {field.refuse};"
    size = next(field.bits for field in made.header if field.name == "kind")
    for kind in made.kinds:
        name = f"KIND_{kind.name.upper()}"
        found[name] = f"localparam logic [{size - 1}:0] {name} = {size}'d{kind.value};"
    return found


def verilog(made: Packet, rest: str) -> list[str]:
    """Return the declarations that a source needs, of which this is all but the declarations."""
    code = re.sub(r"//.*", "", rest)
    package = re.search(r"^package ", code, re.MULTILINE)
    named = {name for name in values(made) if package or re.search(rf"\b{name}\b", code)}
    return [f"    {line}" for name, line in values(made).items() if name in named]


def python(made: Packet, _: str) -> list[str]:
    """Return the same for a Python program: all of it, as (lowest bit, bits) by name."""
    lines = [f"HEADER_BYTES = {made.header_bytes}"]
    lines += [
        f"{field.name.upper()} = 0x{field.value:0{field.bits // 4}X}"
        for field in made.fields
        if field.value is not None
    ]
    lines += [f"{kind.name.upper()} = {kind.value}" for kind in made.kinds]
    lines += ["FIELDS = {", *(f'    "{one.name}": ({one.bit}, {one.bits}),' for one in made.fields), "}"]
    differs = sorted((one for one in made.fields if one.refuse is not None), key=lambda one: one.refuse or 0)
    lines += ["REFUSALS = {", *(f'    "{one.name}": {one.refuse},' for one in differs), "}"]
    return lines


def cxx(made: Packet, _: str) -> list[str]:
    """Return the same for C++: all of it, a field as its name, lowest bit, bits, and bit of REFUSE or -1."""
    lines = [f"constexpr unsigned HEADER_BYTES = {made.header_bytes};"]
    lines += [
        f"constexpr std::uint32_t IS_{field.name.upper()} = 0x{field.value:0{field.bits // 4}X};"
        for field in made.fields
        if field.value is not None
    ]
    lines += [f"constexpr std::uint32_t {kind.name.upper()} = {kind.value};" for kind in made.kinds]
    lines += ["struct Field {", "    const char *name;", "    unsigned bit, bits;", "    int refuse;", "};"]
    for one in made.fields:
        name = one.name.upper() + "_" * (one.name == "eof")  # EOF is a macro
        refuse = -1 if one.refuse is None else one.refuse
        lines.append(f'constexpr Field {name}{{"{one.name}", {one.bit}, {one.bits}, {refuse}}};')
    return lines


def written(text: str, made: Packet, declare: Callable[[Packet, str], list[str]] = verilog) -> str:
    """Return a source with its constants as they are in the file.

    Raises:
        ValueError: The mark is not on exactly one line, or no empty line follows it.
    """
    lines = text.split("\n")
    marks = [index for index, line in enumerate(lines) if MARK in line + " "]
    if len(marks) != 1:
        raise ValueError(f"expected exactly one line {MARK}")
    start = marks[0] + 1
    end = lines.index("", start)
    rest = "\n".join(lines[:start] + lines[end:])
    return "\n".join([*lines[:start], *declare(made, rest), *lines[end:]])


def tables(made: Packet) -> dict[str, list[str]]:
    """Return the rows of the two tables of docs/vnx.md by their first line."""
    rows = []
    for field in made.header:
        said = [f"0x{field.value:X}" if field.value and field.text else str(field.value or "") or None]
        if field.name == "kind":
            said = [_kinds(made)]
        rows.append(_row(field.place, field.bits, field.name, ", ".join(filter(None, [*said, field.text]))))
    last = made.header[-1]
    rest = made.header_bytes - last.byte - last.bits // 8
    if rest:
        rows.append(_row(made.header_bytes - rest, 8 * rest, "", "zero; not looked at"))
    differ = [
        _row(f"({field.byte})" if field in made.header else field.byte, field.bits, field.name, field.refuse)
        for field in made.fields
        if field.refuse is not None
    ]
    last = made.hello[-1]
    rest = last.byte + last.bits // 8
    differ.append(_row(rest, 8 * (BEAT_BYTES - rest), "zero", ""))
    return {"| byte | bits | field | |": rows, "| byte | bits | field | bit of REFUSE |": differ}


def _kinds(made: Packet) -> str:
    said = {True: "", False: ""}
    for reply in said:
        chosen = (kind for kind in made.kinds if (kind.value >= made.first_reply) == reply)
        said[reply] = ", ".join(f"{kind.value} {kind.name.upper()}" for kind in chosen)
    return f"{said[False]}; replies: {said[True]}"


def _row(*cells: object) -> str:
    return "|" + "".join(f" {cell} |" if cell != "" else " |" for cell in cells)


def written_page(text: str, made: Packet) -> str:
    """Return docs/vnx.md with its tables as they are in the file.

    Raises:
        ValueError: A table is missing.
    """
    lines = text.split("\n")
    for first, rows in tables(made).items():
        start = lines.index(first) + 2
        lines[start : lines.index("", start)] = rows
    return "\n".join(lines)


def sources() -> dict[Path, Callable[[str, Packet], str]]:
    """Return every file that has something of the packet, with what writes it."""
    found: dict[Path, Callable[[str, Packet], str]] = {ROOT / "docs" / "vnx.md": written_page}
    benches = ROOT / "tools" / "blocks" / "bench"
    for path in sorted([*data_dir("ip").rglob("*.sv"), *benches.glob("*.sv")]):
        if MARK.strip() in path.read_text(encoding="ascii"):
            found[path] = written
    for path in sorted([*(data_dir("templates") / "host").glob("*.py"), *data_dir("sim").rglob("*.py")]):
        if MARK.strip() in path.read_text(encoding="ascii"):
            found[path] = lambda text, made: written(text, made, python)
    found[data_dir("host") / "node" / "packet.h"] = lambda text, made: written(text, made, cxx)
    return found


def main() -> int:
    """Rewrite what is not as in ``packet.json``; return the exit code."""
    made = packet()
    for path, write in sources().items():
        old = path.read_text(encoding="ascii")
        new = write(old, made)
        if new != old:
            path.write_text(new, encoding="ascii")
        print(f"{path.name}: {'written' if new != old else 'as it was'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
