# SPDX-License-Identifier: BSD-3-Clause
"""Check each rewriting: as a script of its own, and in our output folder where it fits the plan."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from shellgen.check.run import Options, check
from tools.mutants.clusters import zynq
from vivado_check.report import Message, Verdict

from . import builds, designs, nets, values
from .variant import VARIANTS, Texts, Variant

# Their import is what fills VARIANTS.
MODULES = (values, nets, designs, builds)
ENDINGS = {".tcl", ".xdc", ".v"}


@dataclass(frozen=True)
class Result:
    """Messages about a rewriting.

    Attributes:
        place: ``script`` by itself, or our ``folder``.
        refused: Errors and findings: there should be none.
        unknown: How many are counted as not modelled.
    """

    variant: Variant
    place: str
    refused: tuple[Message, ...]
    unknown: int


def rewritten(variant: Variant, node: Path) -> dict[str, str]:
    """Return the files of a node that a rewriting changes, by their names."""
    files = [path for path in sorted(node.rglob("*")) if path.suffix in ENDINGS]
    before = {path.relative_to(node).as_posix(): path.read_text() for path in files}
    texts = Texts(dict(before))
    variant.rewrite(texts)
    return {name: text for name, text in texts.texts.items() if text != before[name]}


def judge(names: Iterable[str] = tuple(VARIANTS)) -> Iterator[Result]:
    """Yield what is said of rewritings, each in both places that it is meant for."""
    with TemporaryDirectory(prefix="shellgen_variants_") as folder:
        whole = zynq(Path(folder) / "out")
        alone = Path(folder) / "alone"
        shutil.copytree(whole, alone)
        for name in ("plan.json", "manifest.json", "memory_map.json"):
            (alone / name).unlink()
        for name in names:
            variant = VARIANTS[name]
            yield _judged(variant, alone, "script")
            if variant.ours:
                yield _judged(variant, whole, "folder")


def _judged(variant: Variant, out: Path, place: str) -> Result:
    node = out / variant.node
    texts = rewritten(variant, node)
    kept = {name: (node / name).read_text() for name in texts}
    try:
        for name, text in texts.items():
            (node / name).write_text(text)
        if place == "script":
            checked = check(node / "vivado" / "build.tcl", Options(release=variant.release))
        else:
            checked = check(out, Options(release=variant.release, nodes=(variant.node,)))
    finally:
        for name, text in kept.items():
            (node / name).write_text(text)
    unknown = [one for one in checked.messages if one.verdict is Verdict.NOT_MODELLED]
    refused = tuple(one for one in checked.messages if one.verdict is not Verdict.NOT_MODELLED)
    return Result(variant, place, refused, len(unknown))
