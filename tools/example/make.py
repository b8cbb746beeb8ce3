# SPDX-License-Identifier: BSD-3-Clause
"""The committed example: the digits on two boards, as `shellgen generate` writes them.

The partitions are our own (`shellgen reference`). Kept are map and report of the cluster, and the first board
but for ``rtl/`` and ``partition/``, copies of ``ip/`` and of the build; ``tree.txt`` lists every file.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from shellgen.api import generate
from shellgen.model import Plan
from shellgen.reference import reference_model
from shellgen.report.draw import Theme, draw
from shellgen.resources import data_dir

ROOT = Path(__file__).parents[2]
EXAMPLE = "docs/example"
# Written by hand, as its README.md is; all other files follow from it.
CLUSTER = ROOT / EXAMPLE / "cluster.toml"
KEPT = ("memory_map.json", "report.html", "zed0/")
THEMES: tuple[Theme, ...] = ("light", "dark")
# GitHub shows a README in a column of about 830 pixels: two boards beside each other.
COLUMNS = 2
LEFT_OUT = ("zed0/rtl/", "zed0/partition/")

Files = dict[str, bytes]


def make_example(scratch: Path) -> Files:
    """Return every file of the example, by its path in the repository.

    Args:
        scratch: Empty folder.
    """
    digits = data_dir("examples") / "digits"
    reference_model(digits / "digits.onnx", digits / "folding_2.json", scratch / "build")
    shutil.copy(CLUSTER, scratch)
    generate(scratch / CLUSTER.name, scratch / "out")
    tree = sorted([*json.loads((scratch / "out/manifest.json").read_text()), "manifest.json"])
    files = {f"{EXAMPLE}/tree.txt": ("\n".join(tree) + "\n").encode()}
    for name in tree:
        if name.startswith(KEPT) and not name.startswith(LEFT_OUT):
            files[f"{EXAMPLE}/out/{name}"] = (scratch / "out" / name).read_bytes()
    plan = Plan.model_validate_json((scratch / "out/plan.json").read_text())
    for theme in THEMES:
        files[f"{EXAMPLE}/cluster-{theme}.svg"] = draw(plan, theme, COLUMNS).encode()
    return files


def committed() -> Files:
    """Return what the repository holds of it."""
    patterns = ("out/**/*", "tree.txt", "*.svg")
    found = (path for pattern in patterns for path in (ROOT / EXAMPLE).glob(pattern) if path.is_file())
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in found}


def write_example(files: Files) -> list[str]:
    """Write what has changed, remove what is produced no longer; return both, by path."""
    before = committed()
    changed = [name for name in sorted({*before, *files}) if before.get(name) != files.get(name)]
    for name in changed:
        path = ROOT / name
        if name in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[name])
        else:
            path.unlink()
    return changed
