# SPDX-License-Identifier: BSD-3-Clause
"""The DSP slice that each layer of a partition instantiates by name, which fixes the device family.

FINN's RTL takes the slice as a parameter, VERSION, which may be given by the layer's wrapper, by Vivado's
instance of it, or by nobody: then the library's own default counts. HLS leaves the choice to synthesis,
unless its RTL names a slice itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from shellgen.model import DspLayer
from shellgen.model.device import DSP_PRIMITIVES, DSP_SLICES
from shellgen.read.hierarchy import Words, default, instances
from shellgen.read.sources import Source
from shellgen.read.verilog import Verilog

# FINN 0.10 names the core, later ones number the slice.
_CORE = re.compile(r"_(dsp48e1|dsp48e2|dsp58)\b")
_NUMBER = re.compile(r"(?:\d*\s*'[sS]?[bBdDhH]\s*)?0*(\d+)")
_ASKED = ("VERSION", "COMPUTE_CORE", "FORCE_BEHAVIORAL")
_CHOICE = {"if", "case", "`ifdef", "`ifndef", "for"}
Values = Mapping[str, str]


def dsp_layers(sources: Iterable[Source], layers: Sequence[str], top: str = "") -> tuple[DspLayer, ...]:
    """Return the layers that instantiate a DSP slice, by name.

    Args:
        sources: Of the partition.
        layers: FINN nodes; a module that is none is named itself.
        top: Module that is instantiated; without it, every module is looked at.
    """
    texts = {name: source.verilog for source in sources for name in source.verilog.defined}
    roots = [top] if top in texts else sorted(texts)
    found: dict[str, str] = {}
    for path, slice_ in _Walk(texts).of(roots):
        named = [layer for layer in layers if any(layer in name for name in path)]
        layer = max(named, key=len, default=path[-1])
        found[layer] = max(slice_, found.get(layer, slice_), key=DSP_SLICES.index)
    return tuple(DspLayer(layer=layer, dsp=slice_) for layer, slice_ in sorted(found.items()))


class _Walk:
    """Traverses the hierarchy below a module with the parameters of each instance."""

    def __init__(self, texts: Mapping[str, Verilog]) -> None:
        self.texts = texts
        self.deciding = {name for name in texts if self._decides(name)}
        self.relevant = self._above(self.deciding)

    def _decides(self, module: str) -> bool:
        return _chooses(self.texts[module].text)

    def _above(self, modules: set[str]) -> set[str]:
        """Return the modules and all that use them."""
        found, before = set(modules), set[str]()
        while found != before:
            before = set(found)
            found |= {name for name, verilog in self.texts.items() if verilog.used & before}
        return found

    def of(self, roots: Iterable[str]) -> Iterator[tuple[Words, str]]:
        """Yield the path of modules to each slice, and the slice."""
        seen: set[tuple[Words, tuple[tuple[str, str], ...]]] = set()
        pending: list[tuple[Words, Values]] = [((root,), {}) for root in roots if root in self.relevant]
        while pending:
            path, given = pending.pop()
            module = path[-1]
            values = {name: given[name] if name in given else self._own(module, name) for name in _ASKED}
            key = (path[-2:], tuple(sorted(values.items())))
            if key in seen or len(path) > 32:
                continue
            seen.add(key)
            slice_, settled = self._slice(module, values)
            if slice_:
                yield path, slice_
            if not settled:
                for child, settings in self._children(module, values):
                    pending.append(((*path, child), settings))

    def _own(self, module: str, name: str) -> str:
        return _plain(default(self.texts[module], module, name), {})

    def _children(self, module: str, values: Values) -> Iterator[tuple[str, Values]]:
        for one in instances(self.texts[module], module, self.relevant - {module}):
            settings = {name: _plain(words, values) for name, words in one.settings.items() if name in _ASKED}
            yield one.module, settings

    def _slice(self, module: str, values: Values) -> tuple[str | None, bool]:
        """Return the slice that a module decides for, and whether nothing below it can change that."""
        verilog = self.texts[module]
        if "FORCE_BEHAVIORAL" in verilog.words_in(module).code:
            if _number(values["FORCE_BEHAVIORAL"]):
                return None, True
            version, core = _number(values["VERSION"]), _CORE.search(values["COMPUTE_CORE"])
            if version and version <= len(DSP_SLICES):
                return DSP_SLICES[version - 1], True
            if core:
                return core[1].upper(), True
            return None, False
        return _named(verilog, module), False


@lru_cache(maxsize=64)  # the library's modules are in each partition
def _chooses(text: str) -> bool:
    return "FORCE_BEHAVIORAL" in text or any(name in text for name in DSP_PRIMITIVES)


def _named(verilog: Verilog, module: str) -> str | None:
    """Return the newest slice that a module instantiates whatever its parameters are."""
    body, found = verilog.words_in(module).code, set()
    if not _CHOICE.isdisjoint(body):
        return None  # which branch is taken, only elaboration tells
    for word, after in pairwise(body):
        if word in DSP_PRIMITIVES and (after == "#" or after.isidentifier()):
            found.add(DSP_PRIMITIVES[word])
    return max(found, key=DSP_SLICES.index, default=None)


def _plain(words: Words, values: Values) -> str:
    """Return a literal value, or the value of the forwarded parameter; else nothing."""
    if len(words) != 1:
        return ""
    return values.get(words[0], words[0].strip('"'))


def _number(text: str) -> int | None:
    match = _NUMBER.fullmatch(text)
    return int(match[1]) if match else None
