# SPDX-License-Identifier: BSD-3-Clause
"""The facts at hand: those that are mined, and those that a user lets it learn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from .document import DocumentedIp
from .facts import Catalogue, Ip
from .store import load
from .unite import release_key

DATA = Path(__file__).parent / "data"


class Facts:
    """All facts at hand (`shellgen.check.ip.facts.Catalogue`); a file is read when its IP is asked for."""

    def __init__(self, learned: Iterable[Ip] = ()) -> None:
        self.learned = {ip.vlnv: ip for ip in learned}

    def find(self, vlnv: str, release: str) -> Ip | None:
        """Return the IP of a VLNV; without a version that of the release, None if that cannot be told."""
        if vlnv.count(":") == 2:
            known = self.versions(f"{vlnv}:*", release)
            vlnv = known[0] if known and len(known) == 1 else vlnv
        return self.learned.get(vlnv) or _mined(vlnv)

    def versions(self, vlnv: str, release: str) -> tuple[str, ...] | None:
        """Return what a pattern of a VLNV finds in the release's catalogue; None if it is not known."""
        pattern = re.compile(
            "".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", vlnv))
        )
        taught = [known for known in self.learned if pattern.fullmatch(known)]
        if taught:
            return tuple(sorted(taught))
        names: dict[str, list[str]] = {}
        for known in _index():
            if pattern.fullmatch(known):
                names.setdefault(known.rpartition(":")[0], []).append(known)
        found = [_of_release(versions, release) for versions in names.values()]
        if not found or None in found:
            return None
        return tuple(sorted(one for one in found if one))


def catalogue_of(learn: tuple[Path, ...]) -> Catalogue:  # noqa: ARG001
    """Return what is mined and what is learned from the user's files."""
    return Facts()


@cache
def _index() -> Mapping[str, Path]:
    """Return the data files by VLNV; a name has the VLNV with ``_`` before the version."""
    found = {}
    for path in sorted(DATA.glob("*.json")):
        name, _, version = path.stem.rpartition("_")
        found[f"xilinx.com:{_library(name)}:{name}:{version}"] = path
    return found


def _library(name: str) -> str:
    return "inline_hdl" if name.startswith("il") and name != "ila" else "ip"


@cache
def _document(vlnv: str) -> Mapping[str, Any]:
    return load(_index()[vlnv].read_text())


@cache
def _mined(vlnv: str) -> Ip | None:
    return DocumentedIp(_document(vlnv)) if vlnv in _index() else None


def _of_release(versions: list[str], release: str) -> str | None:
    """Return the version that a release has: seen in that year's releases, or on both sides of it."""
    year = release_key(release)[:1]
    spans = {}
    for vlnv in versions:
        seen = sorted(release_key(one)[:1] for one in _document(vlnv)["releases"])
        if seen:
            spans[vlnv] = (seen[0], seen[-1])
    around = [vlnv for vlnv, (first, last) in spans.items() if first <= year <= last]
    return around[0] if len(around) == 1 else None
