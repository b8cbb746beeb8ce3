# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: registers for PYNQ (registers.xml), and the project description for edalize (EDAM)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element

from vivado_check.formats.xml import XmlError, parse_xml
from vivado_check.report import Message, Origin

from .base import Context, rule
from .planned import Planned, broken, number
from .planned_files import RENEW, Text, core_registers, texts

_QUIET = ("-notrace", "-nojournal", "-nolog")
_ACCESS = {"r": "read-only", "rc": "read-only", "w": "write-only", "w1": "write-only"}
# By the ending of a file. Source: edalize, EDAM API, file types.
_TYPES = {
    ".sv": "systemVerilogSource",
    ".v": "verilogSource",
    ".vh": "verilogSource",
    ".svh": "systemVerilogSource",
    ".tcl": "tclSource",
}


@rule("plan-registers-xml", scope="session", source="docs/zynq.md; PYNQ, hwh_parser.py")
def names(context: Context) -> Iterator[Message]:
    """PYNQ finds each register of the core under the name and at the place of memory_map.json."""
    for wanted, text in texts(context, "*/registers.xml"):
        try:
            root = parse_xml(text.text.encode())
        except XmlError as error:
            yield broken("plan-registers-xml", Origin(text.name), text.name, str(error), "XML", RENEW)
            continue
        yield from _registers(wanted, text, root)


def _registers(wanted: Planned, text: Text, root: Element) -> Iterator[Message]:
    if root.tag != "REGISTERS":
        yield _said(text.line_of(root.tag), "root", root.tag, "REGISTERS")
    found: dict[str, dict[str, str]] = {}
    for register in root.iter("REGISTER"):
        name = register.get("NAME", "")
        names_ = [one.get("NAME", "") for one in register.iter("PROPERTY")]
        if name in found or len(names_) != len(set(names_)):
            yield _said(text.line_of(f'REGISTER NAME="{name}"'), name, "it is there twice", "it once")
        found[name] = {one.get("NAME", ""): one.get("VALUE", "") for one in register.iter("PROPERTY")}
    expected = {register.name: register for register in core_registers(wanted)}
    for name in [*found, *expected]:
        line = text.line_of(f'REGISTER NAME="{name}"')
        if name not in expected:
            yield _said(line, name, "a register", "none of that name in memory_map.json")
        elif name not in found:
            yield _said(Origin(text.name), name, "it is missing", f"it, at {expected[name].offset:#x}")
    for name in [name for name in expected if name in found]:
        wants = expected[name]
        asked = {"ADDRESS_OFFSET": f"{wants.offset:#x}", "SIZE": "32", "IS_ENABLED": "true"}
        asked["ACCESS"] = _ACCESS.get(wants.access, "read-write")
        for key, value in asked.items():
            has = found[name].get(key)
            if has != value and (has is None or number(has) is None or number(has) != number(value)):
                yield _said(text.line_of(f'REGISTER NAME="{name}"'), f"{name} {key}", str(has), value)


def _said(origin: Origin, where: str, found: str, expected: str) -> Message:
    return broken("plan-registers-xml", origin, where, found, f"{expected}, as in memory_map.json", RENEW)


@rule("plan-edam", scope="session", source="docs/zynq.md; edalize, EDAM API")
def edam(context: Context) -> Iterator[Message]:
    """Edalize makes the same project: every file with its type, the device, the scripts."""
    for wanted, text in texts(context, "*/*.eda.json"):
        try:
            document = json.loads(text.text)
        except (ValueError, RecursionError) as error:
            yield _wrong(Origin(text.name), text.name, str(error), "JSON")
            continue
        if not isinstance(document, dict):
            yield _wrong(Origin(text.name), text.name, "it is no table", "an EDAM document")
            continue
        folder = PurePosixPath(text.name).parent / "work"  # edalize's work root, beside the scripts
        yield from _project(context, wanted, text, document)
        yield from _files(context, wanted, text, document, folder)


def _wrong(origin: Origin, where: str, found: str, expected: str) -> Message:
    return broken("plan-edam", origin, where, found, expected, RENEW)


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _project(context: Context, wanted: Planned, text: Text, document: dict[str, Any]) -> Iterator[Message]:
    options = _table(document.get("flow_options"))
    design = next(iter(context.recording.designs), "top")
    asked = (
        ("name", document.get("name"), wanted.node.name),
        ("toplevel", document.get("toplevel"), f"{design}_wrapper"),
        ("part", options.get("part"), wanted.node.board.part),
        ("source_mgmt_mode", options.get("source_mgmt_mode"), "All"),
    )
    for key, found, expected in asked:
        if found != expected:
            yield _wrong(text.line_of(f'"{key}"'), key, str(found), expected)
    hooks = _table(document.get("hooks")).get("post_build")
    commands = [_table(hook).get("cmd") for hook in (hooks if isinstance(hooks, list) else [])]
    export = ["vivado", "-mode", "batch", "-source", "../export.tcl", "-tclargs", f"{wanted.node.name}.xpr"]
    if export not in [
        [word for word in command if word not in _QUIET] for command in commands if isinstance(command, list)
    ]:
        yield _wrong(text.line_of('"hooks"'), "post_build", str(commands), " ".join(export))


def _files(
    context: Context, wanted: Planned, text: Text, document: dict[str, Any], folder: PurePosixPath
) -> Iterator[Message]:
    named: dict[str, dict[str, Any]] = {}
    entries = document.get("files")
    for entry in map(_table, entries if isinstance(entries, list) else []):
        path = _plain(folder / str(entry.get("name", "")))
        line = text.line_of(str(entry.get("name", "")))
        if path in named:
            yield _wrong(line, path, "it is there twice", "it once")
        named[path] = entry
        if not (context.folder / path).is_file():
            yield _wrong(line, path, "there is no such file", "a file of the node")
        kind = _TYPES.get(PurePosixPath(path).suffix)
        if kind and entry.get("file_type") != kind:
            yield _wrong(line, path, str(entry.get("file_type")), kind)
        header = PurePosixPath(path).suffix in (".vh", ".svh")
        if header and entry.get("is_include_file") is not True:
            yield _wrong(line, path, "no include file", "is_include_file")
    node = wanted.node.name
    needed = [f"{node}/{node}_core.v", f"{folder.parent}/bd.tcl"]
    for sub in ("rtl", "partition"):
        needed += sorted(
            p.relative_to(context.folder).as_posix() for p in (context.folder / node / sub).glob("*")
        )
    for path in needed:
        if path not in named:
            yield _wrong(text.line_of('"files"'), path, "it is missing", "every file of the core")


def _plain(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
