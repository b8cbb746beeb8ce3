# SPDX-License-Identifier: BSD-3-Clause
"""Test cases as a JUnit file: what GitHub's, GitLab's and Jenkins's readers take."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from shellgen.disk.files import write_whole
from shellgen.errors import InputError, Problem
from shellgen.simulate.cases import Case

# What XML 1.0 cannot hold, not even as an entity.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {"failed": "failure", "error": "error", "skipped": "skipped"}


@dataclass(frozen=True)
class Suite:
    """The cases of one run.

    Attributes:
        name: Of the simulator.
        cases: In order.
        properties: Figures of the run by name.
        text: Report of the run; empty if there is none.
    """

    name: str
    cases: tuple[Case, ...]
    properties: Mapping[str, str] = field(default_factory=dict)
    text: str = ""


def write_junit(path: Path, suites: Sequence[Suite]) -> None:
    """Write the file, all of it or nothing.

    Raises:
        InputError: It cannot be written there.
    """
    root = ElementTree.Element("testsuites", {"name": "shellgen", **_sums(suites)})
    for suite in suites:
        root.append(_suite(suite))
    ElementTree.indent(root)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, ElementTree.tostring(root, "utf-8", xml_declaration=True) + b"\n")
    except OSError as error:
        found = f"the file cannot be written: {error.strerror or error}"
        raise InputError(Problem(f"{path}: --junit", found, "Name a file in a folder of yours")) from None


def _sums(suites: Sequence[Suite]) -> dict[str, str]:
    states = Counter(case.state for suite in suites for case in suite.cases)
    return {
        "tests": str(sum(states.values())),
        "failures": str(states["failed"]),
        "errors": str(states["error"]),
        "skipped": str(states["skipped"]),
        "time": f"{sum(case.seconds for suite in suites for case in suite.cases):.3f}",
    }


def _suite(suite: Suite) -> ElementTree.Element:
    element = ElementTree.Element("testsuite", {"name": f"shellgen.{suite.name}", **_sums([suite])})
    if suite.properties:
        table = ElementTree.SubElement(element, "properties")
        for name, value in suite.properties.items():
            ElementTree.SubElement(table, "property", {"name": name, "value": _legal(value)})
    for case in suite.cases:
        names = {"classname": f"shellgen.{suite.name}.{case.group}", "name": _legal(case.name)}
        child = ElementTree.SubElement(element, "testcase", names | {"time": f"{case.seconds:.3f}"})
        if case.state == "passed" and case.text:
            ElementTree.SubElement(child, "system-out").text = _legal(case.text)
        if case.state != "passed":
            first = _legal(case.text).partition("\n")[0]
            told = {"message": first} | ({"type": case.group} if case.state != "skipped" else {})
            ElementTree.SubElement(child, _ELEMENTS[case.state], told).text = _legal(case.text)
    if suite.text:
        ElementTree.SubElement(element, "system-out").text = _legal(suite.text)
    return element


def _legal(text: str) -> str:
    r"""Write what XML cannot hold as ``\x1b``."""
    return _FORBIDDEN.sub(lambda match: match[0].encode("unicode_escape", "surrogatepass").decode(), text)
