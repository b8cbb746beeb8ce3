# SPDX-License-Identifier: BSD-3-Clause
"""Findings of Verilator, from its machine-readable report (SARIF 2.1.0, ``--diagnostics-sarif``)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

# Verilator writes a byte beyond ASCII as three octal digits, which JSON does not know.
_OCTAL = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\[0-7]{3})+)")
# Without any rule in the report it leaves out a comma (5.048).
_NO_COMMA = re.compile(r'\}(\s*"invocations")')
_PRINTED = re.compile(
    r"^%(?P<kind>Warning|Error)(?:-(?P<rule>\w+))?: (?P<path>/.+?):(?P<line>\d+):\d+: .*$", re.MULTILINE
)


@dataclass(frozen=True)
class Finding:
    """One error or warning.

    Attributes:
        rule: ``COMBDLY`` and the like; ``ERROR`` or empty for an error without a rule.
        is_error: Verilator gives no model for it.
        path: File it was found in; None for one about the whole run.
        line: Line in it.
        text: What Verilator printed, with the source line.
    """

    rule: str
    is_error: bool
    path: Path | None
    line: int
    text: str

    @property
    def place(self) -> tuple[str, Path | None, int]:
        """Identity of a finding, to compare two runs."""
        return self.rule, self.path, self.line


def read_findings(report: Path, said: str) -> tuple[Finding, ...]:
    """Return what Verilator found.

    Args:
        report: Its report, which is missing if it ended early.
        said: What it printed, for a report that is no JSON.
    """
    text = report.read_text(errors="replace") if report.is_file() else ""
    text = _NO_COMMA.sub(r"},\1", _OCTAL.sub(_bytes, text))
    try:
        runs = json.loads(text, strict=False)["runs"]
    except (ValueError, KeyError):
        return tuple(_printed(match) for match in _PRINTED.finditer(said))
    return tuple(_finding(result) for run in runs for result in run.get("results", ()))


def _printed(match: re.Match[str]) -> Finding:
    return Finding(
        match["rule"] or "", match["kind"] == "Error", Path(match["path"]), int(match["line"]), match[0]
    )


def _bytes(match: re.Match[str]) -> str:
    codes = bytes(int(code, 8) for code in match[2].split("\\")[1:])
    return match[1] + codes.decode("utf-8", "replace")


def _finding(result: dict[str, object]) -> Finding:
    message = result.get("message")
    text = str(message.get("markdown") or message.get("text")) if isinstance(message, dict) else ""
    path, line = None, 0
    places = result.get("locations")
    if isinstance(places, list) and places:
        physical = places[0].get("physicalLocation", {})
        uri = physical.get("artifactLocation", {}).get("uri", "")
        path = Path(uri.removeprefix("file://")) if uri else None
        line = physical.get("region", {}).get("startLine", 0)
    return Finding(
        rule=str(result.get("ruleId", "")),
        is_error=result.get("level") == "error",
        path=path,
        line=line,
        text=text.strip("`\n"),
    )
