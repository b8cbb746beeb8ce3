# SPDX-License-Identifier: BSD-3-Clause
"""Complete a description of partitions: layers without RTL of FINN's get theirs written into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shellgen.errors import InputError, Problem
from shellgen.stitch.own_layers.layer import from_description
from shellgen.stitch.own_layers.wrapper import make_rtl


def add_own_rtl(partitions: list[dict[str, Any]], folder: Path, where: str) -> None:
    """Give every instance that has ``own`` a module, sources and a remark, like those that FINN generated.

    Args:
        partitions: What `finn_worker.describe.describe_partition` returned.
        folder: For the files; made here.
        where: The user's model, for messages.

    Raises:
        InputError: Layers that our blocks do not compute, all of them.
    """
    folder.mkdir()
    problems: list[Problem] = []
    for instance in (entry for partition in partitions for entry in partition["instances"]):
        if "own" not in instance:
            continue
        try:
            rtl = make_rtl(from_description(instance["own"], where), where)
        except InputError as error:
            problems += error.problems
            continue
        files = {**rtl.blocks, f"{rtl.module}.v": rtl.wrapper}
        for name, text in files.items():
            (folder / name).write_text(text)
        instance |= {
            "module": rtl.module,
            "sources": [str(folder / name) for name in files],
            "folder": str(folder),
            "remark": rtl.remark,
        }
    if problems:
        raise InputError(*problems)
