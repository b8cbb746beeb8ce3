# SPDX-License-Identifier: BSD-3-Clause
"""Whether a folder is what `shellgen generate` wrote: a verdict on edited files must say that it is one."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from importlib.machinery import all_suffixes
from pathlib import Path

from shellgen.disk.files import stamp
from shellgen.disk.manifest import MANIFEST, differing, read_manifest, sha256_of
from shellgen.errors import InputError, Problem
from shellgen.model.bench import Bench

_REMEDY = "Generate the folder again, or add --edited if that is on purpose: the verdict will say so"
_NAMED = 8  # files in a verdict


def differing_files(out: Path) -> dict[str, str]:
    """Return what is wrong with each file that is not as `shellgen generate` wrote it.

    Raises:
        InputError: There is a manifest, and it cannot be read.
    """
    if not (out / MANIFEST).is_file():
        return {MANIFEST: "the file is missing, so nobody knows what was generated"}
    entries = read_manifest(out)
    found = differing(out, entries)
    wrong = dict.fromkeys(found.edited, "it is not as it was generated")
    wrong |= dict.fromkeys(found.missing, "the file is missing")
    return wrong | _named(out, _importable(out / "bench", entries))


def added_files(out: Path, bench: Bench) -> dict[str, str]:
    """Return files that nobody has generated, and that simulators take, or look for there."""
    entries = read_manifest(out) if (out / MANIFEST).is_file() else {}
    found = [path for folder in bench.sources.include_dirs for path in _files(out / folder)]
    found += [out / name for name in (*bench.sources.ours, *bench.sources.partition, *bench.sources.vendor)]
    found += [out / name for name in ("plan.json", "memory_map.json", "bench/bench.json", *bench.data)]
    return _named(out, (path for path in found if path.relative_to(out).as_posix() not in entries))


def refuse_edited(out: Path, wrong: dict[str, str]) -> None:
    """Raise InputError with a problem for each file, if there is any."""
    if wrong:
        raise InputError(*(Problem(str(out / path), text, _REMEDY) for path, text in wrong.items()))


def refuse_unused(out: Path, bench: Bench, edited: Iterable[str]) -> None:
    """Refuse an edited block of a node whose place another node's copy takes in the bench.

    The bench compiles one copy of a block that several nodes have, so an edit of another would not be seen.

    Raises:
        InputError: There is such a file, and it differs from the copy that is compiled.
    """
    compiled = {Path(name).name: name for name in bench.sources.ours}
    problems = []
    for name in edited:
        taken = compiled.get(Path(name).name)
        if taken in (None, name) or Path(name).parent.name != "rtl" or not (out / name).is_file():
            continue
        if (out / name).read_bytes() != (out / taken).read_bytes():
            found = f"it was edited, and the bench compiles {taken} in its place, which differs"
            problems.append(Problem(str(out / name), found, "Edit all copies of the block alike"))
    if problems:
        raise InputError(*problems)


def fingerprint(out: Path) -> dict[str, str]:
    """Return digest and stamp of every file that a run may use, to find those that change meanwhile."""
    entries = read_manifest(out) if (out / MANIFEST).is_file() else {}
    bench = (path for path in _files(out / "bench") if path.name.endswith(tuple(all_suffixes())))
    added = [path.relative_to(out).as_posix() for path in bench]
    names = (MANIFEST, *entries, *added)
    return {name: f"{sha256_of(out / name)} {stamp(out / name)}" for name in names}


def changed_since(out: Path, before: Mapping[str, str]) -> list[str]:
    """Return the files that were written since, if only to restore them, or are new, or gone."""
    now = fingerprint(out)
    return sorted(name for name in {**before, **now} if now.get(name) != before.get(name))


def forget_bytecode(out: Path) -> None:
    """Remove compiled Python beside the bench, which Python takes for its sources without a look at them."""
    cached = out / "bench" / "__pycache__"
    if cached.is_symlink() or cached.is_file():
        cached.unlink()
    elif cached.exists():
        shutil.rmtree(cached)


def said_of_edited(edited: Sequence[str]) -> str:
    """Name edited files in a verdict; an empty text if there are none."""
    if not edited:
        return ""
    more = len(edited) - _NAMED
    return f"not as generated: {', '.join(edited[:_NAMED])}" + (f" and {more} more" if more > 0 else "")


def _named(out: Path, paths: Iterable[Path]) -> dict[str, str]:
    names = (path.relative_to(out).as_posix() for path in paths)
    return dict.fromkeys(names, "it was not generated, and the bench would take it")


def _importable(bench: Path, entries: dict[str, str]) -> list[Path]:
    """Return what Python would import from the folder of the bench and what nobody has generated."""
    folders = {name.split("/")[1] for name in entries if name.startswith("bench/") and name.count("/") > 1}
    found = []
    for path in _files(bench):
        if path.is_dir():
            known = path.name in folders or path.name.startswith("run_") or path.name == "__pycache__"
        else:
            known = f"bench/{path.name}" in entries or not path.name.endswith(tuple(all_suffixes()))
        found += [] if known else [path]
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
