# SPDX-License-Identifier: BSD-3-Clause
"""Names and versions of the vendor's IP, and the releases in which public projects had them.

``names.json`` is mined (`tools.ip_facts --names`). It does not list every IP, so what it lacks may exist.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .unite import release_key

VENDOR = "xilinx.com"
# As long as this, in years, a version is seen before it is believed to be the only one of its time.
_SETTLED = 2

Release = tuple[int, ...]


@dataclass(frozen=True)
class Version:
    """A version of an IP, with the first and the last release in which it was seen."""

    vlnv: str
    first: Release
    last: Release

    @property
    def key(self) -> tuple[int, ...]:
        """Return the version as numbers."""
        return release_key(self.vlnv.rpartition(":")[2])


@cache
def _known() -> Mapping[str, tuple[Version, ...]]:
    table = json.loads(Path(__file__).with_name("names.json").read_text(encoding="utf-8"))
    return {
        name: tuple(
            Version(f"{VENDOR}:{name}:{version}", release_key(entry[0]), release_key(entry[1]))
            for version, entry in versions.items()
        )
        for name, versions in table.items()
    }


def versions(vlnv: str) -> tuple[Version, ...]:
    """Return the versions of an IP that were seen, oldest first; none if its name is not known."""
    vendor, _, rest = vlnv.partition(":")
    return _known().get(":".join(rest.split(":")[:2]), ()) if vendor == VENDOR else ()


def of_release(vlnv: str, release: str) -> tuple[Version, ...]:
    """Return the versions of an IP that were seen before and after a release, or in it."""
    key = release_key(release)[:2]
    return tuple(one for one in versions(vlnv) if one.first <= key <= one.last)


def settled(version: Version) -> bool:
    """Return whether a version was seen long enough that another beside it would have been seen, too."""
    return version.last[0] - version.first[0] >= _SETTLED


def misspelt(vlnv: str) -> str:
    """Return the known IP from which a VLNV differs by one typo, empty if there is none.

    A typo is a letter too many, too few, another one, or two swapped, in vendor, library or name. A
    version that is given must be one that this IP has: it distinguishes a typo from an IP of the user's own.
    """
    name, version = vlnv, ""
    if vlnv.count(":") == 3:
        name, _, version = vlnv.rpartition(":")
    for known, entries in _known().items():
        real = f"{VENDOR}:{known}"
        if slip(name, real) and (not version or any(one.vlnv == f"{real}:{version}" for one in entries)):
            return f"{real}:{version}" if version else real
    return ""


def slip(text: str, other: str) -> bool:
    """Return whether two texts differ by one typo that is no digit."""
    if text == other or abs(len(text) - len(other)) > 1:
        return False
    if text.lower() == other.lower():
        return True
    start = next((at for at, pair in enumerate(zip(text, other, strict=False)) if pair[0] != pair[1]), None)
    if start is None:
        start = min(len(text), len(other))
    one, two = text[start:], other[start:]
    if len(one) == len(two):
        swapped = len(one) > 1 and one[:2] == two[1::-1] and one[2:] == two[2:]
        changed, gone = one[:1] + two[:1], one[1:] == two[1:] or swapped
    else:
        longer, shorter = sorted((one, two), key=len, reverse=True)
        changed, gone = longer[:1], longer[1:] == shorter
    return gone and not any(letter.isdigit() for letter in changed)
