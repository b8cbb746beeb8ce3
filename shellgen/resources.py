# SPDX-License-Identifier: BSD-3-Clause
"""Where the four data folders are: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """Return the folder ``templates``, ``ip``, ``sim`` or ``boards``."""
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        if (base / name).is_dir():
            return base / name
    raise AssertionError(f"shellgen is installed without its {name}/ folder")


def rtl_file(module: str) -> Path:
    """Return the source of one of our own blocks: ``ip/<module>/<module>.sv``."""
    return data_dir("ip") / module / f"{module}.sv"


def rtl_closure(modules: Iterable[str]) -> tuple[str, ...]:
    """Return these blocks of ``ip/`` and all blocks that they instantiate, each once, users first."""
    found: list[str] = []
    pending = list(modules)
    while pending:
        name = pending.pop()
        if name not in found:
            found.append(name)
            pending.extend(rtl_instances(rtl_file(name).read_text()))
    return tuple(found)


def rtl_blocks(root: Path | None = None) -> tuple[str, ...]:
    """Return the names of all our blocks, or of those in another folder than ``ip/``, sorted."""
    folders = sorted((root or data_dir("ip")).iterdir())
    return tuple(path.name for path in folders if (path / f"{path.name}.sv").is_file())


@cache
def vendor_models() -> dict[str, Path]:
    """Return our simulation models of Vivado's modules, by module."""
    return {path.stem: path for path in sorted((data_dir("sim") / "vendor").glob("*.sv"))}


def vendor_closure(modules: Iterable[str]) -> tuple[str, ...]:
    """Return those of these modules that we have models of, and what the models are made of, sorted."""
    models = vendor_models()
    found: set[str] = set()
    pending = [name for name in modules if name in models]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            words = set(re.findall(r"^\s*(\w+) #?\(?", models[name].read_text(), re.MULTILINE))
            pending.extend(words & set(models))
    return tuple(sorted(found))


@cache
def rtl_instances(text: str) -> tuple[str, ...]:
    """Return our blocks that a Verilog text instantiates, each once, sorted.

    A block is a folder with a file of its name; an instance starts its line with the block's name and goes on
    with ``#(`` or ``u_`` (house rule for names of instances).
    """
    names = "|".join(map(re.escape, rtl_blocks()))
    return tuple(sorted(set(re.findall(rf"^\s*({names}) (?:#\(|u_)", text, re.MULTILINE))))
