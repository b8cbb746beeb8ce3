# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tools.notice`` rewrites NOTICE from the sources that data files name."""

from __future__ import annotations

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECK = ROOT / "vivado_check"
_REPOSITORY = re.compile(r"([A-Za-z0-9-]+/[\w.-]+?)(?:[:,] |$)")
_QUOTED = re.compile(r"that ([A-Za-z0-9-]+/[\w.-]+) quotes")
_COMMENT = re.compile(r"Sources?: ([A-Za-z0-9-]+/[\w.-]+)[,:]")


def sources() -> dict[str, set[str]]:
    """Return the data files that name each repository."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(CHECK.rglob("*.json")):
        for text in _texts(json.loads(path.read_text())):
            if ((match := _REPOSITORY.match(text)) and ":" in text) or (match := _QUOTED.search(text)):
                found[match[1]].add(_name(path))
    for path in sorted(CHECK.rglob("*.toml")):
        text = path.read_text()
        named = [str(one["source"]) for one in _tables(tomllib.loads(text)) if "source" in one]
        for source in [*named, *_COMMENT.findall(text.replace("\n# ", " "))]:
            if match := _REPOSITORY.match(source):
                found[match[1]].add(_name(path))
    return found


def notice(frame: str = "frame.txt") -> str:
    """Return the text of NOTICE.

    Args:
        frame: File of what stands around the repositories: facts.txt for vivado_check by itself.
    """
    licences = tomllib.loads(Path(__file__).with_name("licences.toml").read_text())
    lines = []
    for repository, files in sorted(sources().items(), key=lambda entry: entry[0].lower()):
        lines.append(f"https://github.com/{repository}")
        lines.append(f"    licence: {licences.get(repository, '-')}; in {', '.join(sorted(files))}")
    text = Path(__file__).with_name(frame).read_text()
    return text.format(repositories="\n".join(lines))


def _name(path: Path) -> str:
    """Name a data file; those of single IP together."""
    inside = path.relative_to(ROOT)
    return f"{inside.parent}/" if inside.parent.name == "data" else str(inside)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _tables(value: object) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _tables(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _tables(inner)


if __name__ == "__main__":
    (ROOT / "NOTICE").write_text(notice())
    (CHECK / "NOTICE").write_text(notice("facts.txt"))
