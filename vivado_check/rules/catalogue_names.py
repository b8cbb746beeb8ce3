# SPDX-License-Identifier: BSD-3-Clause
"""IP that the catalogue of a release does not have: in that version, or under that name."""

from __future__ import annotations

from collections.abc import Iterator

from ..design import Cell
from ..ip.names import Version, misspelt, of_release, settled, versions
from ..ip.unite import release_key
from ..report import Message
from .base import Context, rule
from .walk import Wrong, error, finding, not_modelled

_SOURCE = "d953i/Custom_Part_Data_Files, issue 4"
# An IP is no longer in the catalogue, in years after its successor came.
_GONE = 3
_REMEDY = "leave the version out, or take the newest by get_ipdefs"


def _named(context: Context) -> Iterator[tuple[str, Cell]]:
    """Yield the cells that name an IP of the catalogue, but for IP of the project's repositories."""
    for path, cell in context.graph.design.cells.items():
        if cell.kind in ("ip", "inline_hdl") and cell.vlnv not in context.recording.repositories:
            yield path, cell


@rule("unknown-vlnv", scope="design", source=_SOURCE)
def unknown_vlnv(context: Context) -> Iterator[Message]:
    """Find IP in a version that the stated release does not have, as far as public projects tell.

    An older one may still be there, beside its successor; a generated design uses none.
    """
    for path, cell in _named(context):
        parts = cell.vlnv.split(":")
        if len(parts) != 4 or not parts[3][:1].isdigit():
            continue  # what is left out, the catalogue fills in
        there = context.catalogue.versions(":".join((*parts[:3], "*")), context.release)
        known = context.graph.ip(path)
        newer = known and all(_version(one) < _version(cell.vlnv) for one in there or ())
        if there and cell.vlnv not in there and context.recording.stated and (newer or context.ours):
            found = f"Vivado {context.release} has no {cell.vlnv}"
            wrong = Wrong(found, f"{' or '.join(there)}", _REMEDY, "BD 5-390")
            yield error(context, "unknown-vlnv", path, wrong, cell.origin)
        elif not (there and cell.vlnv in there):
            yield from _unseen(context, path, cell)


def _unseen(context: Context, path: str, cell: Cell) -> Iterator[Message]:
    """Judge a version by the releases in which public projects had it and its neighbours."""
    seen, key, release = versions(cell.vlnv), _version(cell.vlnv), release_key(context.release)[:2]
    here = list(of_release(cell.vlnv, context.release))
    own = next((one for one in seen if one.vlnv == cell.vlnv), None)
    if not here or own in here:
        return
    never = own is None and key > seen[-1].key and seen[-1].last > release and settled(seen[-1])
    later = own is not None and own.first > release and all(one.key < key for one in here)
    if never or (later and context.recording.stated):
        found = f"{'no release has' if never else f'Vivado {context.release} has no'} {cell.vlnv}"
        yield error(context, "unknown-vlnv", path, _wrong(found, here, "BD 5-390"), cell.origin)
    elif key < here[0].key and context.recording.stated and _gone(context, path, here[0]):
        found = f"{cell.vlnv} is past: public projects of {_GONE} years before this release have a later one"
        yield finding(context, "unknown-vlnv", path, _wrong(found, here), cell.origin)


def _gone(context: Context, path: str, newest: Version) -> bool:
    """Return whether all before a version are long past, and no facts of the cell's IP say otherwise."""
    years = release_key(context.release)[0] - newest.first[0]
    return years >= _GONE and settled(newest) and context.graph.ip(path) is None


def _wrong(found: str, here: list[Version], vivado: str = "") -> Wrong:
    return Wrong(found, " or ".join(one.vlnv for one in here), _REMEDY, vivado)


def _version(vlnv: str) -> tuple[int, ...]:
    return release_key(vlnv.rpartition(":")[2])


@rule("misspelt-ip", scope="design", source=_SOURCE)
def misspelt_ip(context: Context) -> Iterator[Message]:
    """Find unknown IP whose name differs from a known one by a typo.

    The names come from public projects, and no document lists all that a release has: axi_mcdma is not a
    misspelt axi_cdma. So it is a finding only in a generated design, which uses known IP only.
    """
    for path, cell in _named(context):
        if context.graph.ip(path) is None and not versions(cell.vlnv) and (meant := misspelt(cell.vlnv)):
            wrong = Wrong(f"no IP {cell.vlnv} is known", f"{meant}, which is", "correct the name")
            say = finding if context.ours else not_modelled
            yield say(context, "misspelt-ip", path, wrong, cell.origin)
