# SPDX-License-Identifier: BSD-3-Clause
"""Folders of templates, RTL, models and boards: shellgen's own and those of plug-ins, with equal names."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# Groups of entry points by which other packages bring kinds of their own.
PLUGINS = ("shellgen.links", "shellgen.platforms", "shellgen.docks")
# Folders with boards of the user's, joined as those of PATH are.
BOARDS = "SHELLGEN_BOARDS"
# Blanks only: with line ends among them, each empty line would begin a search of its own.
# And a line end, which is found at once, where ^ is tried at each character.
_INSTANCE = re.compile(r"\n[ \t]*(\w+) (?:#\(|u_)")
_PACKAGE = Path(__file__).resolve().parent


@cache
def data_dir(name: str) -> Path:
    """Return the folder ``templates``, ``ip``, ``sim``, ``boards`` or ``host``."""
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        if (base / name).is_dir():
            return base / name
    raise AssertionError(f"shellgen is installed without its {name}/ folder")


@cache
def _all_installed(_path: tuple[str, ...]) -> Any:
    """Return all entry points on a search path: each scan reads the metadata of every package there is."""
    return entry_points()


def installed(group: str) -> list[EntryPoint]:
    """Return the entry points of a group, in an order that does not depend on the file system."""
    return sorted(
        _all_installed(tuple(sys.path)).select(group=group), key=lambda entry: (entry.name, entry.value)
    )


@cache
def homes() -> tuple[Path, ...]:
    """Return what holds ``templates``, ``ip``, ``sim`` and ``boards``: our folder, then those of plug-ins.

    A plug-in's is the folder of the module that its entry point names. What is not there is left out here;
    the registries tell of it.
    """
    found = [data_dir("templates").parent]
    for group in PLUGINS:
        for entry in installed(group):
            try:
                spec = find_spec(entry.module)
            except Exception:  # noqa: S112 - a third-party package may raise anything while it is imported
                continue
            if spec and spec.origin and Path(spec.origin).parent not in found:
                found.append(Path(spec.origin).parent)
    return tuple(found)


def clashes() -> list[tuple[str, Path]]:
    """Return each file of a plug-in that an earlier home has, too, with the plug-in's folder."""
    taken: set[str] = set()
    found: list[tuple[str, Path]] = []
    for home in homes() if len(homes()) > 1 else ():  # each listing takes as long as a small plan
        here = _named(home)
        found.extend((here[key], home) for key in sorted(here.keys() & taken))
        taken |= here.keys()
    return found


def _named(home: Path) -> dict[str, str]:
    """Return the files of a home that are found by name, by what they are found by."""
    blocks = {
        f"ip/{folder.name}": folder / f"{folder.name}.sv"
        for root in (home / "ip", *_of_links(home / "ip"))
        for folder in root.glob("*")
        if (folder / f"{folder.name}.sv").is_file()
    }
    bench = (
        (f"sim/{path.relative_to(root)}", path)
        for root in (home / "sim", *_of_links(home / "sim"))
        for pattern in ("*.sv", "*.py", "vendor/*/registers.json")
        for path in root.glob(pattern)
    )
    templates = (
        (f"{path.relative_to(home)}", path)
        for pattern in ("templates/*/*/*.j2", "templates/host/*")
        for path in home.glob(pattern)
        if path.is_file()
    )
    found = {**blocks, **dict(bench), **dict(templates)}
    return {key: path.relative_to(home).as_posix() for key, path in found.items()}


def _of_links(folder: Path) -> list[Path]:
    """Return the folders of the links in ``ip`` or ``sim``, by name."""
    return sorted(folder.glob("links/*/"))


def rtl_file(module: str) -> Path:
    """Return the source of a block, ours or a plug-in's.

    It is ``ip/<module>/<module>.sv``, or ``ip/links/<link>/<module>/<module>.sv`` where it is a link's own.
    """
    known = _files_of(homes())
    if module in known:
        return known[module]
    found = _rtl_file(module)
    if found.is_file():
        known[module] = found
    return found


@cache
def _files_of(_homes: tuple[Path, ...]) -> dict[str, Path]:
    """Return where blocks have been found; each node asks for the same ones."""
    return {}


def _rtl_file(module: str) -> Path:
    folders = (root / module for home in homes() for root in _block_folders(home / "ip"))
    empty = None
    for folder in folders:
        if (path := folder / f"{module}.sv").is_file():
            return path
        if empty is None and folder.is_dir():
            empty = path
    return empty or homes()[0] / "ip" / module / f"{module}.sv"


def _block_folders(folder: Path) -> Iterator[Path]:
    """Yield ``ip`` and the folders of its links; these are listed only if a block is not in ``ip`` itself."""
    yield folder
    yield from _of_links(folder)


def registers_file(block: str) -> Path:
    """Return what lists the registers of a block of a core, or of a unit beside it.

    It lies beside the block, or in ``vendor/<unit>/`` beside the models: a unit's source is not ours.
    """
    units = (folder / "vendor" / block / "registers.json" for folder in sim_folders())
    return next((path for path in units if path.is_file()), rtl_file(block).parent / "registers.json")


def rtl_closure(modules: Iterable[str]) -> tuple[str, ...]:
    """Return these blocks of ``ip/`` and all blocks that they instantiate, each once, users first."""
    return _rtl_closure(homes(), tuple(modules))


@cache
def _rtl_closure(_homes: tuple[Path, ...], modules: tuple[str, ...]) -> tuple[str, ...]:
    return _closure(modules, lambda name: rtl_instances(rtl_file(name).read_text()))


def sim_models() -> dict[str, Path]:
    """Return the simulation models of ``sim/`` by module, ours and those of plug-ins."""
    return _models_in(tuple(sim_folders()))


def sim_file(name: str) -> Path:
    """Return a file of ``sim/`` or of a link's folder there, ours or a plug-in's."""
    paths = [folder / name for folder in sim_folders()]
    return next((path for path in paths if path.is_file()), paths[0])


def host_file(name: str) -> Path:
    """Return a file of ``templates/host/``, ours or a plug-in's."""
    paths = [home / "templates" / "host" / name for home in homes()]
    return next((path for path in paths if path.is_file()), paths[0])


def sim_folders() -> list[Path]:
    """Return the folders of models and of Python files of the bench: all go into one folder of the bench."""
    return [root for home in homes() for root in (home / "sim", *_of_links(home / "sim"))]


@cache
def _models_in(folders: tuple[Path, ...]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.sv")):
            found.setdefault(path.stem, path)
    return found


def sim_closure(*texts: str) -> tuple[str, ...]:
    """Return the models that Verilog texts instantiate and what these are made of, sorted."""
    models = sim_models()

    def instances(text: str) -> frozenset[str]:
        return _instantiated(text) & models.keys()

    tops = frozenset[str]().union(*map(instances, texts))
    return tuple(sorted(_closure(tops, lambda name: instances(models[name].read_text()))))


def _closure(names: Iterable[str], uses: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    found: list[str] = []
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.append(name)
            pending.extend(uses(name))
    return tuple(found)


def known_blocks() -> tuple[str, ...]:
    """Return the names of all blocks, ours and those of plug-ins, sorted."""
    return _blocks_in(homes())


@cache
def _blocks_in(folders: tuple[Path, ...]) -> tuple[str, ...]:
    blocks = (home / "ip" for home in folders)
    return tuple(sorted({name for folder in blocks if folder.is_dir() for name in rtl_blocks(folder)}))


def rtl_blocks(root: Path | None = None) -> tuple[str, ...]:
    """Return the names of our own blocks, or of those in another folder than ``ip/``, sorted."""
    return _blocks_below(root) if root else _own_blocks()


@cache
def _own_blocks() -> tuple[str, ...]:
    return _blocks_below(data_dir("ip"))


def _blocks_below(top: Path) -> tuple[str, ...]:
    folders = (path for one in (top, *_of_links(top)) for path in one.iterdir())
    return tuple(sorted(path.name for path in folders if (path / f"{path.name}.sv").is_file()))


@cache
def vendor_models() -> dict[str, Path]:
    """Return our simulation models of Vivado's modules, by module."""
    return {path.stem: path for path in sorted((data_dir("sim") / "vendor").glob("*.sv"))}


def vendor_closure(modules: Iterable[str]) -> tuple[str, ...]:
    """Return those of these modules that we have models of, and what the models are made of, sorted."""
    models = vendor_models()

    def uses(name: str) -> set[str]:
        return set(re.findall(r"^\s*(\w+) #?\(?", models[name].read_text(), re.MULTILINE)) & set(models)

    return tuple(sorted(_closure([name for name in modules if name in models], uses)))


@cache
def rtl_instances(text: str) -> tuple[str, ...]:
    """Return the blocks that a Verilog text instantiates, each once, sorted.

    A block is a folder with a file of its name; an instance starts its line with the block's name and goes on
    with ``#(`` or ``u_`` (house rule for names of instances).
    """
    return tuple(sorted(_instantiated(text).intersection(known_blocks())))


@lru_cache(maxsize=4)  # a bench's top has megabytes, and is asked for blocks and for models
def _instantiated(text: str) -> frozenset[str]:
    return frozenset(_INSTANCE.findall(f"\n{text}"))


def unknown_instances(text: str) -> tuple[str, ...]:
    """Return the modules that a Verilog text instantiates, after the same rule, and nobody's ``ip/`` has."""
    found = set(re.findall(r"^\s*(\w+) (?:#\(|u_\w+ \()", text, re.MULTILINE))
    return tuple(sorted(found - set(known_blocks())))
