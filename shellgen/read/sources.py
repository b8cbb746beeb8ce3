# SPDX-License-Identifier: BSD-3-Clause
"""The source files of a partition: found after a move, each once, packages before their users.

tests/read/test_irregular_files.py shows what real builds have in store.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Literal

from shellgen.errors import InputError, Problem
from shellgen.read.component import shared_files
from shellgen.read.tree import Tree, node_of_folder, same_content
from shellgen.read.verilog import Verilog, read_text
from vivado_check.formats.files import file_text
from vivado_check.formats.looks import is_file

Kind = Literal["verilog", "systemverilog", "header"]
_KINDS: dict[str, Kind] = {".v": "verilog", ".sv": "systemverilog", ".vh": "header", ".svh": "header"}
_PROJECT = re.compile(r".*/(finn_vivado_stitch_proj\.(?:gen|srcs)/.*)", re.DOTALL)
LIST = "all_verilog_srcs.txt"
NETLISTS = frozenset({".dcp", ".edf", ".edif", ".edn", ".ngc"})  # what only Vivado reads
_FEW = 3  # lost files that are worth a line each
_STUB = re.compile(r"syn_black_box|\(\*[^*]*\bblack_box\b")


@dataclass(frozen=True)
class Source:
    """A source file of a partition.

    Attributes:
        path: Where it is now.
        kind: What a compiler does with it.
        verilog: Its text.
        folder: Folder that it was built in, for data files that stand beside it.
    """

    path: Path
    kind: Kind
    verilog: Verilog
    folder: str

    @property
    def is_stub(self) -> bool:
        """Whether it stands for a netlist: it has the ports of a module, and no logic."""
        return "black_box" in self.verilog.text and bool(_STUB.search(self.verilog.text))


def find_sources(
    root: Path, tree: Tree, listed: Iterable[str], problems: list[Problem]
) -> tuple[Source, ...]:
    """Return the sources of a stitched IP in compilation order; what fails goes to ``problems``.

    Args:
        root: Folder of the stitched IP.
        tree: Files below it.
        listed: Files of component.xml, for an IP without ``all_verilog_srcs.txt``.
        problems: Receives a file that the list names and nobody has, two files that define one module
            differently, a header name with two contents.
    """
    found: list[Source] = []
    lost: list[tuple[str, str]] = []
    names = _names(root, tree, listed)
    for where, name in names:
        path = _locate(root, tree, name)
        suffix = Path(name).suffix.lower()
        if suffix not in _KINDS:
            if where.startswith(LIST) and suffix not in NETLISTS:
                remedy = "Remove the line, or provide a Verilog version"
                problems.append(Problem(f"{root / where}", f"{name} is not Verilog", remedy))
        elif path is None:
            lost.append((where, name))
        else:
            try:
                found.append(_source(path, name))
            except InputError as error:
                problems.extend(error.problems)
    problems.extend(_lost(root, lost, len(names)))
    found = _one_of_each(found)
    found += _included(found, tree)
    texts = {source.path.name: source.verilog.text for source in reversed(found)}
    found = [
        replace(source, verilog=Verilog(source.verilog.text, str(source.path), texts)) for source in found
    ]
    return _in_order(_each_once(found, root, problems))


def _lost(root: Path, lost: list[tuple[str, str]], listed: int) -> Iterator[Problem]:
    """Report each lost file; of an incomplete copy, the number of them and the folders that it lacks."""
    if len(lost) <= _FEW:
        for where, name in lost:
            remedy = f"Copy {Path(name).name} into its folder ip/src, or copy the whole build again"
            yield Problem(f"{root / where}", f"{name} is nowhere in this build", remedy)
        return
    folders = Counter(_folder(name) for _, name in lost)
    several = ", ".join(f"{count} of {folder}" for folder, count in folders.most_common(_FEW))
    more = sum(count for _, count in folders.most_common()[_FEW:])
    several += f" and {more} elsewhere" if more > 0 else ""
    where, _, line = lost[0][0].partition(":")
    found = f"{len(lost)} of the {listed} files that it lists are missing: {several}"
    found += f"; the first is {Path(lost[0][1]).name}" + (f" in line {line}" if line else "")
    remedy = "Copy the whole build again; in a clone, the author did not commit these folders"
    yield Problem(f"{root / where}", found, remedy)


def _folder(name: str) -> str:
    """Return the part of a build that a file belongs to, as FINN and Vivado call it."""
    parts = PurePosixPath(name).parts[:-1]
    for part in parts:
        if part in ("ipshared", "finn-rtllib"):
            return f"{part}/"
        if part.startswith("code_gen_ipgen_"):
            return "code_gen_ipgen_*/"
    match = _PROJECT.match(name)
    return "/".join(PurePosixPath(match[1]).parts[:1]) + "/" if match else f"{parts[-1] if parts else '.'}/"


def _source(path: Path, name: str) -> Source:
    return Source(
        path, _KINDS[path.suffix.lower()], Verilog(read_text(path), str(path)), str(Path(name).parent)
    )


def _names(root: Path, tree: Tree, listed: Iterable[str]) -> list[tuple[str, str]]:
    """Return (place, path) of every source: from the list, else component.xml, else every file there is."""
    path = next((base / LIST for base in (root, root / "ip") if is_file(base / LIST)), None)
    if path:
        lines = file_text(path, errors="replace").splitlines()
        names = {line.strip(): number for number, line in reversed(list(enumerate(lines, 1))) if line.strip()}
        return sorted(
            ((f"{path.relative_to(root)}:{number}", name) for name, number in names.items()),
            key=lambda entry: int(entry[0].rsplit(":", 1)[1]),
        )
    packaged = [name for name in listed if Path(name).suffix.lower() in _KINDS]
    if packaged:
        base = "ip" if is_file(root / "ip" / "component.xml") else "."
        return [(f"{base}/component.xml", str(Path(base) / name)) for name in packaged]
    every = [path for paths in tree.files.values() for path in paths if path.suffix.lower() in _KINDS]
    inside = [path for path in sorted(every) if path.is_relative_to(root)]
    shared = [(path.name, str(path)) for path in shared_files(root)]
    return [*((str(path.relative_to(root)), str(path)) for path in inside), *shared]


def _locate(root: Path, tree: Tree, name: str) -> Path | None:
    for path in _candidates(root, name):
        if is_file(path):
            return path
    closest = tree.closest(name, partial(_of_another_run, name))
    return closest[0] if closest and same_content(closest) else None


def _candidates(root: Path, name: str) -> Iterator[Path]:
    path = Path(name)
    if not path.is_absolute():
        yield from (root / name, root.parent / name)
    if match := _PROJECT.match(name):
        yield root / match[1]
    yield from (root / "ip" / "src" / path.name, path)


def _of_another_run(name: str, path: Path) -> bool:
    """Whether a file lies in the folder that another run generated the same layer in."""
    own = [part for part in PurePosixPath(name).parts if part.startswith("code_gen_ipgen_")]
    there = [part for part in path.parts if part.startswith("code_gen_ipgen_")]
    return any(
        one != other and node_of_folder(one) == node_of_folder(other) for one in own for other in there
    )


def _one_of_each(sources: list[Source]) -> list[Source]:
    """Choose where Vivado writes one module several times: for synthesis, for simulation, as a stub.

    A stub yields to what it stands for, unless that is but a netlist for simulation, which needs Vivado's
    primitives; a file in ``sim/`` yields to the one of its name in ``synth/`` or ``src/`` beside it.
    """
    paths = {source.path for source in sources}
    full = {
        name
        for source in sources
        if not source.is_stub and not source.path.stem.endswith("_sim_netlist")
        for name in source.verilog.defined
    }
    stubs = {name for source in sources if source.is_stub for name in source.verilog.defined}

    def is_kept(source: Source) -> bool:
        if source.is_stub:
            return not source.verilog.defined <= full
        if source.path.stem.endswith("_sim_netlist"):
            return not (stubs | full) & source.verilog.defined
        if source.path.parent.name != "sim":
            return True
        beside = source.path.parent.parent
        return paths.isdisjoint(beside / name / source.path.name for name in ("synth", "src"))

    return [source for source in sources if is_kept(source)]


def _included(sources: list[Source], tree: Tree) -> list[Source]:
    """Find headers that are included but not listed: beside a source first, then anywhere."""
    known = {source.path.name for source in sources}
    folders = list(dict.fromkeys(source.path.parent for source in sources))
    found: list[Source] = []
    pending = list(sources)
    while pending:
        for name in pending.pop(0).verilog.included:
            if name in known or Path(name).suffix.lower() not in _KINDS:
                continue
            beside = [folder / name for folder in folders if is_file(folder / name)]
            paths = beside or list(tree.files.get(name, ()))
            if paths:
                known.add(name)
                found.append(_source(paths[0], str(paths[0])))
                pending.append(found[-1])
    return found


def _each_once(sources: list[Source], root: Path, problems: list[Problem]) -> list[Source]:
    """Drop repeated files and repeated definitions; report those that differ."""
    kept: list[Source] = []
    owner: dict[str, Source] = {}
    headers: dict[str, Source] = {}
    for source in sources:
        if source.kind == "header":
            first = headers.setdefault(source.path.name, source)
            if first is source:
                kept.append(source)
            elif first.verilog.words.code != source.verilog.words.code:
                problems.append(_conflict(root, f"header {source.path.name}", first, source))
            continue
        repeated = [name for name in source.verilog.units if name in owner]
        for name in repeated:
            if owner[name].verilog.words_in(name).code != source.verilog.words_in(name).code:
                problems.append(_conflict(root, f"module {name}", owner[name], source))
        new = source.verilog.defined - set(repeated)
        if repeated and not new:
            continue
        if repeated:
            names = ", ".join(sorted(repeated))
            found = f"it defines {names} again, which {owner[repeated[0]].path} defines, and others besides"
            problems.append(Problem(str(source.path), found, "Split the file, one module each"))
        owner.update(dict.fromkeys(new, source))
        kept.append(source)
    return kept


def _conflict(root: Path, what: str, one: Source, other: Source) -> Problem:
    found = f"{what} is defined differently in {_short(root, one)} and in {_short(root, other)}"
    return Problem(str(root), found, "Remove one of them from the build's file list")


def _short(root: Path, source: Source) -> str:
    return str(source.path.relative_to(root) if source.path.is_relative_to(root) else source.path)


def _in_order(sources: list[Source]) -> tuple[Source, ...]:
    """Move packages before their users and headers to the front; otherwise keep the list's order."""
    maker = {name: source for source in sources for name in source.verilog.packages}
    done: list[Source] = []
    active: set[int] = set()

    def place(source: Source) -> None:
        if id(source) in active:
            return
        active.add(id(source))
        for name in sorted(source.verilog.used & set(maker)):
            place(maker[name])
        done.append(source)

    for source in sorted(sources, key=lambda source: source.kind != "header"):
        place(source)
    return tuple(done)
