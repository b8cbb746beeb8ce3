# SPDX-License-Identifier: BSD-3-Clause
"""Data files that sources read with ``$readmemh``: found after a move, renamed, the literals rewritten.

Three ways in which FINN and HLS name them, and all three may be absolute and dead, ``./x`` or bare:
a file (``.../memblock.dat``), a folder to which the module adds names (MEM_INIT, ``.../code_gen_x/``), and
a prefix (THRESHOLDS_PATH, ``.../Thresholding_rtl_0_``). The contents of a layer's memory are settled by
`shellgen.read.contents`.

Source: public builds of FINN 0.5 to 0.10; ``finn-rtllib/memstream`` and ``finn-rtllib/thresholding``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from shellgen.errors import Problem
from shellgen.read.contents import Asked, Contents
from shellgen.read.finn_onnx import FinnModel
from shellgen.read.initial import is_zero, words_of
from shellgen.read.instance import Beside, beside
from shellgen.read.memory_proof import check_memories
from shellgen.read.refusal import Refusal, check_readable
from shellgen.read.sources import Source
from shellgen.read.tree import Tree, node_of_folder, same_content
from vivado_check.formats.files import file_bytes
from vivado_check.formats.looks import is_file
from vivado_check.syntax import Literal

_SUFFIXES = {".dat", ".mem", ".hex"}
# A name that every layer uses: only the folder tells whose file it is; `stitch` puts the node in front.
_COMMON = "memblock"
_WHOLE = re.compile(r"(?:(\w+)_)?memblock(?:_sim_0|_synth_0|_0)?\.dat")
_GENERATED = "code_gen_ipgen_"
_FOLDER = re.compile(rf"\b{_GENERATED}\w+")
_BRANCHES, _SINGLE = ("memblock_sim_0.dat", "memblock_synth_0.dat"), ("memblock_0.dat",)
# Words and bits of a ROM of HLS, by the names that its versions use.
_ROM_WORDS, _ROM_BITS = ("AddressRange", "MEM_SIZE"), ("DataWidth", "DWIDTH")


@dataclass
class DataFiles:
    """Collects the data files of one partition.

    Attributes:
        partition: Prefix of the new names, so that partitions can share a node.
        tree: Where to look.
        model: Where lost weights are taken from, if there is one.
        problems: Receives a file that a source reads and nobody has.
        sources: All of the partition: they tell under which names the memories read their files.
        top: Module that is instantiated; a list may name more than stands below it.
        files: Content by new name.
        rtl: Parameters of the RTL of each threshold layer.
        said: Literals that already have a problem: a module and its instance both name the same files.
    """

    partition: str
    tree: Tree
    model: FinnModel | None
    problems: list[Problem]
    sources: tuple[Source, ...] = ()
    top: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    rtl: dict[str, dict[str, int]] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)

    @cached_property
    def _contents(self) -> Contents:
        told = [source.verilog.text for source in self.sources] + [source.folder for source in self.sources]
        told += [node.text("code_gen_dir_ipgen") or "" for node in (self.model.nodes if self.model else ())]
        named = (text for text in told if _GENERATED in text)  # found far faster than by the expression
        return Contents(
            self.tree, self.model, frozenset(name for text in named for name in _FOLDER.findall(text))
        )

    @property
    def lost(self) -> tuple[str, ...]:
        """Layers whose memories are filled with noise, because their contents are unknown."""
        return tuple(sorted(self._contents.lost))

    @property
    def uram(self) -> tuple[str, ...]:
        """Layers whose memories are URAM, which the host has to fill."""
        return tuple(sorted(self._contents.uram))

    def check(self, texts: Iterable[tuple[Source, str]]) -> None:
        """Prove that what Vivado opens is there, and what is simulated (`shellgen.read.memory_proof`)."""
        self._contents.warn()
        named = {self._named(f"{layer}__{_BRANCHES[1]}") for layer in self._contents.uram}
        zeros = frozenset(name for name in named if is_zero(self.files.get(name, b"")))
        files = [(source.path, text) for source, text in texts]
        self.problems.extend(check_memories(files, self.files, self._instantiated, zeros))

    @cached_property
    def _instantiated(self) -> frozenset[str]:
        """Modules below the top; all of them if it is not known."""
        makers = {name: source for source in self.sources for name in source.verilog.defined}
        found: set[str] = set()
        pending = [self.top] if self.top in makers else list(makers)
        while pending:
            name = pending.pop()
            if name in makers and name not in found:
                found.add(name)
                # What stands outside of all units, as a `bind` does, can mean this one.
                pending.extend(makers[name].verilog.used_by(name) | makers[name].verilog.used_by(""))
        return frozenset(found)

    def rewrite(self, source: Source) -> str:
        """Return the source's text with every data literal replaced by the file's new name.

        What nothing instantiates stays as it is: no tool will ever open its files.
        """
        defined = source.verilog.defined
        if not source.verilog.literals or (defined and not defined & self._instantiated):
            return source.verilog.text
        edits = []
        for literal in source.verilog.literals:
            if literal.whole:
                try:
                    new = self._replacement(source, literal)
                except Refusal as refusal:
                    self._problem(source, literal, refusal)
                    continue
                if new is not None:
                    edits.append((literal, new))
        return source.verilog.with_strings(edits) if edits else source.verilog.text

    def _replacement(self, source: Source, literal: Literal) -> str | None:
        text = source.verilog.literal(literal)
        parts = PurePosixPath(text).parts
        if not parts or not parts[-1].strip("./") or any(char.isspace() or char == "%" for char in text):
            return None
        if PurePosixPath(text).suffix.lower() in _SUFFIXES and parts[-1] not in _SUFFIXES:
            if _WHOLE.fullmatch(parts[-1]):
                return self._memory(source, text, self._around(source, literal))
            return self._file(source, text)
        if text.endswith("/"):
            return self._folder(source, text, self._around(source, literal))
        return self._prefix(source, text, literal) if "/" in text else None

    def _around(self, source: Source, literal: Literal) -> Beside:
        """Return the parameters beside a literal, or beside the same one elsewhere if they tell no size."""
        here = beside(literal)
        if here.tells_size:
            return here
        text = source.verilog.literal(literal)
        elsewhere = (
            beside(same)
            for other in self.sources
            if text in other.verilog.text
            for same in other.verilog.literals
            if other.verilog.literal(same) == text
        )
        return next((found for found in elsewhere if found.tells_size), here)

    def _file(self, source: Source, text: str) -> str:
        """A file whose name is its own: a ROM of HLS. A lost one is noise, as lost weights are."""
        paths = self.tree.closest(text, self._contents.is_foreign)
        paths = paths or tuple(path for path in [Path(text)] if _is_absolute_file(path))
        if not same_content(paths):  # what Vivado has copied into the IP is newer than what HLS wrote
            paths = tuple(path for path in paths if path.is_relative_to(self.tree.roots[0])) or paths
        if not paths:
            asked = Asked(text, self._layer_of(text), _remedy(text, source), Beside({}, {}))
            return self._take("", PurePosixPath(text).name, self._contents.rom(asked, _rom_shape(source)))
        if not same_content(paths):
            found = f"it reads the data file {text}, of which there are {len(paths)} that differ"
            raise Refusal(found, _remedy(text, source))
        content = file_bytes(paths[0])
        check_readable(paths[0], content)
        wanted = _rom_number(source, _ROM_WORDS)
        if wanted and b"@" not in content and len(words_of(content)) < wanted:
            found = f"the data file {paths[0]} has {len(words_of(content))} words of the {wanted} it reads"
            raise Refusal(found, "Copy the whole file again")
        return self._take("", paths[0].name, content)

    def _layer_of(self, text: str) -> str:
        """Return the layer that a ROM belongs to: by HLS's folder, else by the name that HLS begins with."""
        for part in PurePosixPath(text).parts:
            if _FOLDER.fullmatch(part):
                return node_of_folder(part)
        stem = PurePosixPath(text).stem
        names = [node.name for node in (self.model.nodes if self.model else ())]
        return max((name for name in names if stem.startswith(f"{name}_")), key=len, default=stem)

    def _memory(self, source: Source, text: str, around: Beside) -> str:
        """One file of a layer's memory, named in full."""
        name = PurePosixPath(text).name
        match = _WHOLE.fullmatch(name)
        owner = (match and match[1]) or _owner_of(text, source)
        asked = Asked(text, owner, _remedy(text, source, owner), around, plain=name.startswith(_COMMON))
        names = _BRANCHES if name in _BRANCHES else (name,)
        content = self._contents.memory(asked, names)[name]
        return self._take(owner if asked.plain else "", name, content)

    def _folder(self, source: Source, text: str, around: Beside) -> str | None:
        """A folder to which memstream adds names, by its revision and by whether it is synthesised."""
        owner = node_of_folder(PurePosixPath(text).name)
        names = self._read_names
        asked = Asked(text, owner, _remedy(text, source, owner), around)
        if not text.startswith("/") and not self._contents.knows(asked):
            return None
        for name, content in self._contents.memory(asked, names).items():
            self._take_exactly(owner, name, content)
        return self._named(f"{owner}__")

    @cached_property
    def _read_names(self) -> tuple[str, ...]:
        parts = {
            source.verilog.literal(literal)
            for source in self.sources
            if "memblock_" in source.verilog.text
            for literal in source.verilog.literals
        }
        if any(part.startswith(("memblock_sim_", "memblock_synth_")) for part in parts):
            return _BRANCHES
        return _SINGLE if any(part.startswith("memblock_") for part in parts) else _BRANCHES + _SINGLE

    def _prefix(self, source: Source, text: str, literal: Literal) -> str | None:
        """The beginning of the names of a threshold tree's files, one for each stage and PE."""
        prefix = PurePosixPath(text).name
        named = literal.parameter == "THRESHOLDS_PATH"
        if not named and not (text.startswith("/") and prefix.endswith("_")):
            names = [name for name in self.tree.files if name.startswith(prefix)]
            if not any(PurePosixPath(name).suffix.lower() in _SUFFIXES for name in names):
                return None
        around, layer = self._around(source, literal), prefix.removesuffix("_")
        if "BIAS" in around.numbers:
            self.rtl[layer] = around.numbers
        asked = Asked(text, layer, _remedy(text, source, layer), around)
        for name, content in self._contents.thresholds(asked, prefix).items():
            self._take_exactly("", name, content)
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

    def _take_exactly(self, owner: str, name: str, content: bytes) -> None:
        """Register a file whose name the module puts together, so that it cannot be numbered."""
        plain = name if not owner else f"{owner}__{name}"
        if self._take(owner, name, content) != self._named(plain):
            found = f"two layers read different data files named {name}"
            raise Refusal(found, "Give the layers different names (GiveUniqueNodeNames)")

    def _named(self, plain: str) -> str:
        """Put the partition in front, once: the shared name space of a node's data files."""
        return f"{self.partition}__{plain.removeprefix(f'{self.partition}_')}"

    def _problem(self, source: Source, literal: Literal, refusal: Refusal) -> None:
        if refusal.found not in self.said:
            self.said.add(refusal.found)
            where = f"{source.path}:{source.verilog.line(literal.start)}"
            self.problems.append(Problem(where, refusal.found, refusal.remedy))


def _rom_shape(source: Source) -> tuple[int, int] | None:
    """Return words and bits of the one ROM of a source, if it tells."""
    words, bits = _rom_number(source, _ROM_WORDS), _rom_number(source, _ROM_BITS)
    return (words, bits) if words and bits else None


def _rom_number(source: Source, names: tuple[str, ...]) -> int:
    """Return a parameter of the one ROM of a source by any of its names, or 0 if it does not tell."""
    if not any(name in source.verilog.text for name in names):
        return 0
    told = (given.numbers.get(name, 0) for given in source.verilog.lists for name in names)
    return next((number for number in told if number), 0)


def _is_absolute_file(path: Path) -> bool:
    return path.is_absolute() and is_file(path)


def _owner_of(text: str, source: Source) -> str:
    """Return the FINN node whose data a literal means: its own folder, else the source's."""
    folder = PurePosixPath(text if text.endswith("/") else PurePosixPath(text).parent).name
    return node_of_folder(folder or PurePosixPath(source.folder).name)


def _remedy(text: str, source: Source, owner: str | None = None) -> str:
    if "/" not in text:
        return "Copy it beside that source"
    folder = PurePosixPath(text if text.endswith("/") else PurePosixPath(text).parent).name
    folder = folder if folder.startswith("code_gen_") else owner or _owner_of(text, source)
    return f"Copy it into the folder of the partition, below a folder named {folder}"
