# SPDX-License-Identifier: BSD-3-Clause
"""Write what host/protocol.toml defines as C++, Python, a dissector and a page: `make protocol`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.host.dissector import lua

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "host" / "protocol.toml"
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
LETTERS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
GENERATED = "From host/protocol.toml by `make protocol`. Do not edit."


class TableError(Exception):
    """The table contradicts itself."""


@dataclass(frozen=True)
class Field:
    """A field of the header or of a message: its name, type and meaning, and its byte offset there."""

    name: str
    kind: str
    text: str
    offset: int

    @property
    def size(self) -> int:
        """Bytes."""
        return SIZES.get(self.kind) or int(self.kind.removeprefix("bytes"))


@dataclass(frozen=True)
class Message:
    """A type of message."""

    name: str
    number: int
    sender: str
    frame: str
    text: str
    fields: tuple[Field, ...]

    @property
    def size(self) -> int:
        """Bytes of its fields."""
        return sum(field.size for field in self.fields)


@dataclass(frozen=True)
class Table:
    """The protocol; numbered names are (name, number, meaning)."""

    magic: bytes
    version: int
    header: tuple[Field, ...]
    messages: tuple[Message, ...]
    flags: tuple[tuple[str, int, str], ...]
    roles: tuple[tuple[str, int, str], ...]
    faults: tuple[tuple[str, int, str], ...]

    @property
    def header_bytes(self) -> int:
        """Bytes of the header."""
        return sum(field.size for field in self.header)


def read_table(text: str) -> Table:
    """Return the protocol of a text.

    Raises:
        TableError: A field is not aligned or of an unknown type, or two names or numbers are equal.
    """
    data = tomllib.loads(text)
    messages = tuple(
        Message(
            one["name"],
            one["type"],
            one["from"],
            one["frame"],
            one["text"],
            _fields(one["name"], one["fields"]),
        )
        for one in data["message"]
    )
    header = [(one["name"], one["type"], one["text"]) for one in data["header"]]
    found = Table(
        magic=data["magic"].encode("ascii"),
        version=data["version"],
        header=_fields("header", header),
        messages=messages,
        flags=_numbered("flags", data["flags"]),
        roles=_numbered("roles", data["roles"]),
        faults=_numbered("faults", data["faults"]),
    )
    _once("message", [one.name for one in messages])
    _once("type of message", [one.number for one in messages])
    return found


def _numbered(where: str, given: dict[str, Any]) -> tuple[tuple[str, int, str], ...]:
    _once(where, [number for number, _ in given.values()])
    return tuple((name, number, text) for name, (number, text) in given.items())


def _fields(where: str, given: Any) -> tuple[Field, ...]:
    found, offset = [], 0
    for name, kind, text in given:
        if kind not in SIZES and not re.fullmatch(r"bytes[1-9]\d*", kind):
            raise TableError(f"{where}.{name}: there is no type {kind}")
        field = Field(name, kind, text, offset)
        if offset % SIZES.get(kind, 1):
            raise TableError(f"{where}.{name}: it lies at byte {offset}, not at a multiple of {field.size}")
        found.append(field)
        offset += field.size
    _once(where, [field.name for field in found])
    return tuple(found)


def _once(where: str, values: list[Any]) -> None:
    if len(set(values)) != len(values):
        raise TableError(f"{where}: {values} has one of them twice")


def cpp(table: Table) -> str:
    """Return protocol.h."""
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        f"// {GENERATED}",
        "#pragma once",
        "",
        "#include <array>",
        "#include <cstdint>",
        "#include <cstring>",
        "",
        "namespace shellgen::protocol {",
        "",
        f"constexpr std::uint32_t kMagic = {int.from_bytes(table.magic, 'little'):#010x};",
        f"constexpr std::uint8_t kVersion = {table.version};",
        f"constexpr std::size_t kHeaderBytes = {table.header_bytes};",
        "// The most bytes behind the header of a message that is no FRAME.",
        f"constexpr std::size_t kMostBytes = {max(one.size for one in table.messages)};",
        "",
        "template <class T>",
        "T load(const std::uint8_t *at) {",
        "    T value = 0;",
        "    for (std::size_t i = 0; i < sizeof(T); ++i)",
        "        value |= static_cast<T>(static_cast<T>(at[i]) << (8 * i));",
        "    return value;",
        "}",
        "",
        "template <class T>",
        "void store(std::uint8_t *at, T value) {",
        "    for (std::size_t i = 0; i < sizeof(T); ++i)",
        "        at[i] = static_cast<std::uint8_t>(value >> (8 * i));",
        "}",
    ]
    numbered = {"Type": [(one.name, one.number, one.text) for one in table.messages]}
    numbered |= {"Flag": [(name, 1 << bit, text) for name, bit, text in table.flags]}
    numbered |= {"Role": list(table.roles), "Code": list(table.faults)}
    widths = {"Type": "uint8_t", "Flag": "uint16_t", "Role": "uint8_t", "Code": "uint32_t"}
    for name, values in numbered.items():
        lines += ["", f"enum class {name} : std::{widths[name]} {{"]
        lines += [f"    {one} = {number}," for one, number, _ in values]
        lines += ["};"]
    lines += _struct("Header", table.header, None)
    for one in table.messages:
        if one.fields:
            lines += _struct(one.name.capitalize(), one.fields, one.name)
    return "\n".join([*lines, "", "}  // namespace shellgen::protocol", ""])


def _struct(name: str, fields: tuple[Field, ...], kind: str | None) -> list[str]:
    size = sum(field.size for field in fields)
    lines = ["", f"struct {name} {{", f"    static constexpr std::size_t kBytes = {size};"]
    lines += [f"    static constexpr Type kType = Type::{kind};"] if kind else []
    for field in fields:
        given = {"magic": "kMagic", "version": "kVersion"}.get(field.name, "0") if kind is None else "0"
        if field.kind in SIZES:
            lines.append(f"    std::uint{8 * field.size}_t {field.name} = {given};")
        else:
            lines.append(f"    std::array<std::uint8_t, {field.size}> {field.name}{{}};")
    lines += ["", "    void write(std::uint8_t *to) const {"]
    for field in fields:
        lines.append(
            f"        store(to + {field.offset}, {field.name});"
            if field.kind in SIZES
            else f"        std::memcpy(to + {field.offset}, {field.name}.data(), {field.size});"
        )
    lines += ["    }", f"    static {name} read(const std::uint8_t *from) {{", f"        {name} found;"]
    for field in fields:
        lines.append(
            f"        found.{field.name} = load<std::uint{8 * field.size}_t>(from + {field.offset});"
            if field.kind in SIZES
            else f"        std::memcpy(found.{field.name}.data(), from + {field.offset}, {field.size});"
        )
    return [*lines, "        return found;", "    }", "};"]


def python(table: Table) -> str:
    """Return protocol.py."""
    lines = [
        "# SPDX-License-Identifier: BSD-3-Clause",
        f'"""Numbers and layouts of the protocol. {GENERATED}"""',
        "",
        "import struct",
        "",
        f"MAGIC = {int.from_bytes(table.magic, 'little'):#010x}",
        f"VERSION = {table.version}",
        f"HEADER_BYTES = {table.header_bytes}",
        f"MOST_BYTES = {max(one.size for one in table.messages)}  # of a message without frame",
        "",
        f'HEADER = struct.Struct("{_letters(table.header)}")',
        f"HEADER_FIELDS = {_names(table.header)}",
        "",
        *(f"{one.name} = {one.number}" for one in table.messages),
        "TYPES = {",
        *(f'    {one.name}: "{one.name}",' for one in table.messages),
        "}",
        "",
        "# Of each type: layout and names of what follows the header; a frame has its own size.",
        "FIELDS = {",
    ]
    for one in table.messages:
        if one.fields:
            lines += [
                f"    {one.name}: (",
                f'        struct.Struct("{_letters(one.fields)}"),',
                f"        {_names(one.fields)},",
                "    ),",
            ]
    lines += ["}", ""]
    lines += [f"FLAG_{name} = {1 << bit}" for name, bit, _ in table.flags]
    lines += ["", *(f"ROLE_{name} = {number}" for name, number, _ in table.roles), "", "FAULTS = {"]
    lines += [f'    {number}: "{name}",' for name, number, _ in table.faults]
    lines += ["}", *(f"FAULT_{name} = {number}" for name, number, _ in table.faults)]
    return "\n".join([*lines, ""])


def _letters(fields: tuple[Field, ...]) -> str:
    return "<" + "".join(LETTERS.get(field.kind) or f"{field.size}s" for field in fields)


def _names(fields: tuple[Field, ...]) -> str:
    return "(" + ", ".join(f'"{field.name}"' for field in fields) + ")"


HEAD = """# Protocol of the host programs

Clients and `shellgen-node` ([host-node.md](host-node.md)) exchange these messages over TCP: one connection
for each [boundary](glossary.md#boundary) between two programs, and one control connection from the client to
each node. This page and both readers, in C++ and in Python, are generated from `host/protocol.toml` by
`make protocol`.

All numbers are little-endian. A message is a header and as many bytes as its field `bytes` says; a reader
compares this number with the one that the type permits before it stores any of them. `crc` is CRC-32C
(RFC 3720) of the whole message with `crc` as 0.

A connection begins with HELLO, answered by WELCOME or by FAULT. Then [frames](glossary.md#frame) flow in one
direction, as FRAME, and ACK in the other. The sender of a frame keeps it until an ACK covers it. After a
broken connection it sends again from the frame that the next WELCOME names. A message with a wrong checksum,
number or length ends the connection with a FAULT; frames before it stay valid.

An [epoch](glossary.md#host-epoch) is a run of frames without the loss of a node. The numbers of frames go on
from one epoch to the next, and frames of an earlier epoch are never mixed with those of a later one.
"""


def page(table: Table) -> str:
    """Return docs/host-protocol.md."""
    lines = [HEAD, f"The version described here is {table.version}.", "", "## Header", ""]
    lines += _rows(table.header)
    for title, values in (("Flags", table.flags), ("Roles", table.roles), ("Faults", table.faults)):
        number = "bit" if title == "Flags" else "number"
        lines += ["", f"## {title}", "", f"| {number} | name | meaning |", "|---|---|---|"]
        lines += [f"| {at} | {name} | {text} |" for name, at, text in values]
    lines += ["", "## Messages"]
    for one in table.messages:
        lines += ["", f"### {one.name}", "", f"Type {one.number}, from {one.sender}. {one.text}", ""]
        lines += [f"`frame` in the header: {one.frame}."]
        if one.fields:
            lines += ["", *_rows(one.fields)]
    return "\n".join([*lines, ""])


def _rows(fields: tuple[Field, ...]) -> list[str]:
    rows = [f"| {field.offset} | {field.kind} | `{field.name}` | {field.text} |" for field in fields]
    return ["| byte | type | field | meaning |", "|---|---|---|---|", *rows]


def outputs(table: Table) -> dict[Path, str]:
    """Return all files."""
    return {
        ROOT / "host" / "node" / "protocol.h": cpp(table),
        ROOT / "host" / "shellgen_host" / "protocol.py": python(table),
        ROOT / "host" / "wireshark" / "shellgen.lua": lua(table, GENERATED),
        ROOT / "docs" / "host-protocol.md": page(table),
    }


if __name__ == "__main__":
    for path, text in outputs(read_table(TABLE.read_text())).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
