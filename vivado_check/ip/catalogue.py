# SPDX-License-Identifier: BSD-3-Clause
"""The facts at hand: those that are mined, and those that a user lets it learn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from .between import between
from .component import Component
from .document import DocumentedIp
from .facts import Catalogue, Ip
from .kin import with_kin
from .learn import learn
from .names import versions
from .store import load
from .unite import release_key, unite

DATA = Path(__file__).parent / "data"


class Facts:
    """All facts at hand (`vivado_check.ip.facts.Catalogue`); a file is read when its IP is asked for."""

    def __init__(self, learned: Mapping[str, Sequence[Component]] | None = None) -> None:
        self.learned = learned or {}
        self._united: dict[str, Ip] = {}

    def find(self, vlnv: str, release: str) -> Ip | None:
        """Return the IP of a VLNV; without a version that of the release, None if unknown.

        Of a version between two that are known, there is what those have in common (`between`).
        """
        if vlnv.count(":") == 2:  # without a version
            known = self.versions(f"{vlnv}:*", release)
            if not known:
                return _around(vlnv, None, release_key(release)[:1])
            vlnv = known[0]
        name, _, version = vlnv.rpartition(":")
        return _mined(vlnv) or self._learned(vlnv) or _around(name, release_key(version), ())

    def _learned(self, vlnv: str) -> Ip | None:
        """Return what was learned; a design has many IP, and a script asks for few of them."""
        if vlnv in self.learned and vlnv not in self._united:
            self._united[vlnv] = DocumentedIp(unite(self.learned[vlnv]))
        return self._united.get(vlnv)

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


def catalogue_of(paths: tuple[Path, ...]) -> Catalogue:
    """Return what is mined, and what these files tell of other IP.

    Raises:
        InputError: As of `learn`.
    """
    return Facts(learn(paths))


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
    return with_kin(load(_index()[vlnv].read_text()))


@cache
def _mined(vlnv: str) -> Ip | None:
    return DocumentedIp(_document(vlnv)) if vlnv in _index() else None


def _of_release(versions: list[str], release: str) -> str | None:
    """Return the version that a release has: seen in that year's releases, or on both sides of it."""
    year = release_key(release)[:1]
    around = [vlnv for vlnv in versions if (span := _span(vlnv)) and span[0] <= year <= span[1]]
    return around[0] if len(around) == 1 else None


@cache
def _span(vlnv: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the first and the last year in whose releases a version was seen, or named by a script."""
    seen = [release_key(one)[:1] for one in _document(vlnv)["releases"]]
    named = [year[:1] for one in versions(vlnv) if one.vlnv == vlnv for year in (one.first, one.last)]
    return (min(seen), max(seen + named)) if seen else None


@cache
def _around(name: str, version: tuple[int, ...] | None, year: tuple[int, ...]) -> Ip | None:
    """Return what the versions before and after have in common, by version or else by year."""
    before, after = [], []
    for vlnv in sorted(_index(), key=lambda one: release_key(one.rpartition(":")[2])):
        if vlnv.rpartition(":")[0] != name:
            continue
        own, span = release_key(vlnv.rpartition(":")[2]), _span(vlnv)
        if own < version if version is not None else span is not None and span[1] < year:
            before.append(vlnv)
        elif own > version if version is not None else span is not None and span[0] > year:
            after.append(vlnv)
    if not before or not after:
        return None
    shown = ".".join(str(part) for part in version) if version else f"{before[-1]}-{after[0]}"
    return DocumentedIp(between(f"{name}:{shown}", _document(before[-1]), _document(after[0])))
