# SPDX-License-Identifier: BSD-3-Clause
"""The result of a check as a JUnit file, one test case for each script or node."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from .coverage import Result
from .errors import InputError, Problem, UserError
from .report import Message, Origin, Verdict
from .text import message_lines

# What XML 1.0 cannot hold, not even as an entity.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNENDED = "the check did not come to its end"


@dataclass(frozen=True)
class _Case:
    """A test case: its element (``failure``, ``error``, ``skipped``), empty if it passed, and a text."""

    name: str
    element: str = ""
    kind: str = ""
    text: str = ""


@contextmanager
def junit_file(
    path: Path | None, program: str, checked: str, *, strict: bool
) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Write a file that is complete at any time: an error until the record of a check is handed over.

    Args:
        path: The file; None: none is written.
        program: Name of the suite.
        checked: Name of the case if the check comes to nothing.
        strict: Whether all messages count as failures.

    Raises:
        InputError: It cannot be written there.
    """
    if path is None:
        yield lambda _: None
        return
    _write(path, program, [_Case(checked, "error", "check", _UNENDED)])
    try:
        yield lambda record: _write(path, program, _cases(record, checked, strict=strict))
    except UserError as error:
        _write(path, program, [_Case(checked, "error", "input", str(error))])
        raise


def _cases(record: Mapping[str, Any], checked: str, *, strict: bool) -> Sequence[_Case]:
    """Return the cases of a record of `text.record_of`, or of a check that was stopped."""
    if "stopped" in record:
        return [_Case(checked, "skipped", text=f"the check was stopped: {record['stopped']}")]
    return [
        _case(name, result, [_message(one) for one in record["checked"][name]], strict=strict)
        for name, result in record["results"].items()
    ]


def _case(name: str, result: Mapping[str, Any], messages: Sequence[Message], *, strict: bool) -> _Case:
    if result["result"] == Result.WRONG.value:
        wrong = [one for one in messages if one.verdict.stops(strict=strict)]
        return _Case(name, "failure", wrong[0].verdict.value, _text(wrong))
    if result["result"] == Result.UNCHECKED.value:
        return _Case(name, "skipped", text="\n".join((f"not checked: {result['gap']}", _text(messages))))
    return _Case(name, text=_text(messages))


def _message(record: Mapping[str, Any]) -> Message:
    texts = {key: record[key] for key in ("rule", "where", "found", "expected", "remedy", "vivado")}
    origin = Origin(record["file"], record["line"])
    return Message(verdict=Verdict(record["verdict"]), origin=origin, **texts)


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(line for message in messages for line in message_lines(message, None))


def _write(path: Path, program: str, cases: Sequence[_Case]) -> None:
    """Write the file, all of it or nothing."""
    root = ElementTree.Element("testsuites", {"name": program, **_sums(cases)})
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"{program}.check", **_sums(cases)})
    for case in cases:
        suite.append(_element(program, case))
    ElementTree.indent(root)
    whole = ElementTree.tostring(root, "utf-8", xml_declaration=True) + b"\n"
    try:
        part = path.with_name(f".{path.name}.{os.getpid()}")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_bytes(whole)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        found = f"the file cannot be written: {getattr(error, 'strerror', None) or error}"
        raise InputError(Problem(f"{path}: --junit", found, "Name a file in a folder of yours")) from None


def _element(program: str, case: _Case) -> ElementTree.Element:
    names = {"classname": f"{program}.check", "name": _legal(case.name)}
    element = ElementTree.Element("testcase", names)
    if case.element:
        told = {"message": _legal(case.text).partition("\n")[0]} | ({"type": case.kind} if case.kind else {})
        ElementTree.SubElement(element, case.element, told).text = _legal(case.text)
    elif case.text:
        ElementTree.SubElement(element, "system-out").text = _legal(case.text)
    return element


def _sums(cases: Sequence[_Case]) -> dict[str, str]:
    elements = [case.element for case in cases]
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    return {"tests": str(len(cases)), **{key: str(elements.count(one)) for key, one in counts.items()}}


def _legal(text: str) -> str:
    r"""Write what XML cannot hold as ``\x1b``."""
    return _FORBIDDEN.sub(lambda match: match[0].encode("unicode_escape", "surrogatepass").decode(), text)
