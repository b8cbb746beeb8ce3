# SPDX-License-Identifier: BSD-3-Clause
"""Data files that sources read with ``$readmemh``: found after a move, renamed, the literals rewritten.

Three ways in which FINN and HLS name them, and all three may be absolute and dead, ``./x`` or bare:
a file (``.../memblock.dat``), a folder to which the module adds names (MEM_INIT, ``.../code_gen_x/``), and
a prefix (THRESHOLDS_PATH, ``.../Thresholding_rtl_0_``).

Source: facts/real_builds.md, relocation rules 4 and 5, irregularity 11; facts/finn_artefacts.md 6.5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from shellgen.errors import Problem
from shellgen.read.finn_onnx import FinnModel
from shellgen.read.sources import Source
from shellgen.read.tree import Tree, common_end, node_of_folder, same_content
from shellgen.read.verilog import Token, Verilog
from shellgen.read.weights import memblock

_SUFFIXES = {".dat", ".mem", ".hex"}
_READERS = {"$readmemh", "$readmemb"}
# Names that every layer uses, so that only the folder tells whose file it is.
_COMMON = "memblock"
# Those that hold all weights of a layer; older FINN split large memories over several.
_WHOLE = ("memblock.dat", "memblock_sim_0.dat", "memblock_synth_0.dat", "memblock_0.dat")


@dataclass
class DataFiles:
    """Collects the data files of one partition.

    Attributes:
        partition: Prefix of the new names, so that partitions can share a node.
        tree: Where to look.
        model: Where lost weights are taken from, if there is one.
        problems: Receives a file that a source reads and nobody has.
        files: Content by new name.
    """

    partition: str
    tree: Tree
    model: FinnModel | None
    problems: list[Problem]
    files: dict[str, bytes] = field(default_factory=dict)

    def rewrite(self, source: Source) -> str:
        """Return the source's text with every data literal replaced by the file's new name."""
        edits = []
        for index in source.verilog.strings:
            token = source.verilog.tokens[index]
            if _is_path(source.verilog, index):
                new = self._replacement(source, token)
                if new is not None:
                    edits.append((token, f'"{new}"'))
        return source.verilog.edited(edits) if edits else source.verilog.text

    def _replacement(self, source: Source, token: Token) -> str | None:
        text = token.text[1:-1]
        parts = PurePosixPath(text).parts
        if not parts or not parts[-1].strip("./") or any(char.isspace() or char == "%" for char in text):
            return None
        if PurePosixPath(text).suffix in _SUFFIXES and parts[-1] not in _SUFFIXES:
            return self._file(source, token, text)
        if text.endswith("/"):
            return self._folder(source, token, text)
        return self._prefix(source, token, text) if "/" in text else None

    def _file(self, source: Source, token: Token, text: str) -> str | None:
        paths = self._owned(text, source) or ([Path(text)] if Path(text).is_absolute() else [])
        paths = [path for path in paths if path.is_file()]
        owner = _owner_of(text, source)
        if not paths and PurePosixPath(text).name in _WHOLE:
            content = self._regenerated(owner)
            if content is not None:
                return self._take(owner, PurePosixPath(text).name, content)
        if not paths or not same_content(paths):
            self._missing(source, token, text, "file", len(paths))
            return None
        return self._take(owner, paths[0].name, paths[0].read_bytes())

    def _regenerated(self, owner: str) -> bytes | None:
        return memblock(self.model, owner) if self.model else None

    def _owned(self, text: str, source: Source) -> list[Path]:
        """Return the files of that name, only of that node if every node has one of that name."""
        dead = PurePosixPath(text)
        paths = list(self.tree.closest(text))
        if not dead.name.startswith(_COMMON) and len(paths) == 1:
            return paths
        owner = _owner_of(text, source)
        same_node = [path for path in self.tree.files.get(dead.name, ()) if _is_of(path, owner)]
        return same_node or [path for path in paths if common_end(path.parts, dead.parts) > 1]

    def _folder(self, source: Source, token: Token, text: str) -> str | None:
        owner = node_of_folder(PurePosixPath(text).name)
        paths = [
            path
            for name, candidates in self.tree.files.items()
            if PurePosixPath(name).suffix in _SUFFIXES and name.startswith(_COMMON)
            for path in candidates
            if _is_of(path, owner)
        ]
        if not paths and Path(text).is_absolute():
            paths = sorted(path for path in Path(text).glob(f"{_COMMON}*") if path.suffix in _SUFFIXES)
        content = None if paths else self._regenerated(owner)
        if content is not None:
            # memstream opens one of the three, by its revision and by whether it is synthesised.
            for name in _WHOLE[1:]:
                self._take_exactly(source, token, owner, name, content)
        elif not paths:
            if text.startswith("/"):
                self._missing(source, token, text, "folder", 0)
            return None
        for path in paths:
            self._take_exactly(source, token, owner, path.name, path.read_bytes())
        return self._named(f"{owner}__")

    def _prefix(self, source: Source, token: Token, text: str) -> str | None:
        prefix = PurePosixPath(text).name
        names = [
            name
            for name in sorted(self.tree.files)
            if name.startswith(prefix) and PurePosixPath(name).suffix in _SUFFIXES
        ]
        if not names:
            if text.startswith("/") and prefix.endswith("_"):
                self._missing(source, token, text, "prefix", 0)
            return None
        owner = _owner_of(text, source)
        for name in names:
            paths = [path for path in self.tree.files[name] if _is_of(path, owner)] or list(
                self.tree.files[name]
            )
            if not same_content(paths):
                self._missing(source, token, str(PurePosixPath(text).parent / name), "file", len(paths))
            self._take_exactly(source, token, "", name, paths[0].read_bytes())
        return self._named(prefix)

    def _take(self, owner: str, name: str, content: bytes) -> str:
        """Register a file; names that every node uses carry the node's name."""
        plain = name if not owner or not name.startswith(_COMMON) else f"{owner}__{name}"
        new, number = self._named(plain), 1
        while self.files.get(new, content) != content:
            number += 1
            new = self._named(f"{number}__{plain}")
        self.files[new] = content
        return new

    def _take_exactly(self, source: Source, token: Token, owner: str, name: str, content: bytes) -> None:
        """Register a file whose name the module puts together, so that it cannot be numbered."""
        plain = name if not owner else f"{owner}__{name}"
        if self._take(owner, name, content) != self._named(plain):
            found = f"two layers read different data files named {name}"
            where = f"{source.path}:{source.verilog.line(token)}"
            self.problems.append(
                Problem(where, found, "Give the layers different names (GiveUniqueNodeNames)")
            )

    def _named(self, plain: str) -> str:
        """Put the partition in front, once: the shared name space of a node's data files."""
        return f"{self.partition}__{plain.removeprefix(f'{self.partition}_')}"

    def _missing(self, source: Source, token: Token, text: str, what: str, count: int) -> None:
        found = f"it reads the data {what} {text}, which nobody has"
        if count:
            found = f"it reads the data file {text}, of which there are {count} that differ"
        remedy = "Copy it beside that source"
        if "/" in text:
            owner = _owner_of(text, source)
            remedy = f"Copy it into the folder of the partition, below a folder named {owner}"
        self.problems.append(Problem(f"{source.path}:{source.verilog.line(token)}", found, remedy))


def _owner_of(text: str, source: Source) -> str:
    """Return the FINN node whose data a literal means: its own folder, else the source's."""
    folder = PurePosixPath(text if text.endswith("/") else PurePosixPath(text).parent).name
    return node_of_folder(folder or PurePosixPath(source.folder).name)


def _is_of(path: Path, owner: str) -> bool:
    return any(node_of_folder(part) == owner for part in path.parent.parts)


def _is_path(verilog: Verilog, index: int) -> bool:
    """Whether a literal can be a whole path: no part of a name, no argument of ``$display`` or ``$fopen``.

    memstream glues names, ``{MEM_INIT, "memblock_0.dat"}``; HLS writes ``$fopen("deadlock_db.dat")``.
    """
    if index and verilog.code[index - 1] == "`include":
        return False
    depth = 0
    for at in range(index - 1, -1, -1):
        word = verilog.code[at]
        if word == ";":
            return True
        depth += {")": 1, "}": 1, "(": -1, "{": -1}.get(word, 0)
        if depth < 0:
            caller = verilog.code[at - 1] if at else ""
            return word == "(" and (not caller.startswith("$") or caller in _READERS)
    return True
