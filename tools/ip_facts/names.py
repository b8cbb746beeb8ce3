# SPDX-License-Identifier: BSD-3-Clause
"""Names and versions of the vendor's IP, and the releases in which they were seen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vivado_check.ip.unite import release_key

_NAME = re.compile(rb"xilinx\.com:(ip|inline_hdl):(\w+):(\d+\.\d+)(?![.\w])")
# A .bd as JSON and as XML, an .xci as JSON and as XML, a script that write_bd_tcl wrote.
_RELEASES = (
    re.compile(rb'"tool_version"\s*:\s*"(20\d\d\.\d)'),
    re.compile(rb'"SWVERSION"\s*:\s*\[\s*\{\s*"value"\s*:\s*"(20\d\d\.\d)'),
    re.compile(rb'RUNTIME_PARAM\.SWVERSION">(20\d\d\.\d)'),
    re.compile(rb"^\s*set scripts_vivado_version (20\d\d\.\d)", re.MULTILINE),
)
_KINDS = (".bd", ".xci", ".tcl")


@dataclass(frozen=True, order=True)
class Seen:
    """A version in a file of a release."""

    release: tuple[int, ...]
    source: str
    library: str
    name: str
    version: str


def seen(checkouts: Iterable[Path]) -> Iterator[Seen]:
    """Yield what every file that a release wrote names, without IP that a repository packages itself."""
    for root in sorted(checkouts):
        repository = root.name.replace("+", "/", 1)
        own = {match for path in root.rglob("component.xml") for match in _packaged(path)}
        for path in sorted(root.rglob("*")):
            if path.suffix not in _KINDS or not path.is_file():
                continue
            content = path.read_bytes()
            release = next((match[1] for one in _RELEASES if (match := one.search(content))), b"")
            source = f"{repository}: {path.relative_to(root).as_posix()}"
            for parts in sorted(set(_NAME.findall(content))) if release and source.isascii() else ():
                library, name, version = (part.decode() for part in parts)
                if name not in own:
                    yield Seen(release_key(release.decode()), source, library, name, version)


def _packaged(path: Path) -> list[str]:
    head = path.read_text(errors="replace")[:2000]
    return re.findall(r"<(?:spirit|ipxact):name>([^<]+)<", head)[:1]


def table(found: Iterable[Seen]) -> dict[str, dict[str, list[str]]]:
    """Return first and last release of each version, and a file of each, by ``library:name``."""
    spans: dict[tuple[str, str], list[Seen]] = {}
    for one in sorted(found):
        spans.setdefault((f"{one.library}:{one.name}", one.version), []).append(one)
    listed: dict[str, dict[str, list[str]]] = {}
    for (name, version), ones in sorted(
        spans.items(), key=lambda item: (item[0][0], release_key(item[0][1]))
    ):
        first, last = ones[0], next(one for one in ones if one.release == ones[-1].release)
        entry = [".".join(map(str, one.release)) for one in (first, last)]
        listed.setdefault(name, {})[version] = [*entry, *dict.fromkeys((first.source, last.source))]
    return listed


def text(listed: Mapping[str, Mapping[str, list[str]]]) -> str:
    """Return the table as JSON, one line for each version."""
    lines = []
    for name, versions in listed.items():
        inner = ",\n".join(
            f"  {json.dumps(version)}: {json.dumps(entry)}" for version, entry in versions.items()
        )
        lines.append(f"{json.dumps(name)}: {{\n{inner}\n}}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
