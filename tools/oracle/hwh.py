# SPDX-License-Identifier: BSD-3-Clause
"""Memory ranges of a hardware handoff: what software will find where."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import fromstring

Range = tuple[str, str, str, int, int]


def read(path: Path) -> set[Range]:
    """Return master cell, slave cell, address block, lowest and highest address of each range."""
    root = fromstring(path.read_text(encoding="utf-8-sig"))  # noqa: S314 - checkouts that the caller has chosen
    modules = list(root.iter("MODULE"))
    paths = {node.get("INSTANCE", ""): node.get("FULLNAME", "") for node in modules}
    found = set()
    for module in modules:
        for entry in module.iter("MEMRANGE"):
            slave = entry.get("INSTANCE", "")
            found.add(
                (
                    module.get("FULLNAME", ""),
                    paths.get(slave, f"/{slave}"),
                    entry.get("ADDRESSBLOCK", ""),
                    int(entry.get("BASEVALUE", "0"), 0),
                    int(entry.get("HIGHVALUE", "0"), 0),
                )
            )
    return found
