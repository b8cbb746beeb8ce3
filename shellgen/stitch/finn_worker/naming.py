# SPDX-License-Identifier: BSD-3-Clause
"""Names of the export for the inputs and outputs of what is made of it; FINN and qonnx number them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .ends import Ends


def end_names(model: Any) -> dict[str, list[str]]:
    """Return the names of a model's inputs and outputs, by side, in their order."""
    return {side: [value.name for value in getattr(model.graph, side)] for side in ("input", "output")}


def restore_names(parent: Any, ends: Ends, origin: Any, exported: Mapping[str, list[str]]) -> None:
    """Rename the ends of the parent and of the host's parts, in place.

    An end of the parent that the host computes or reads gets its name in the host's part.

    Args:
        parent: The partitioned core.
        ends: The parts of the model.
        origin: The model before it was cut, with the ends of the export in order; None if it is the core.
        exported: `end_names` of the export.
    """
    numbered = end_names(origin) if origin is not None else exported
    core = end_names(ends.core)
    for side, inner in (("input", ends.inputs), ("output", ends.outputs)):
        names = dict(zip(numbered[side], exported[side], strict=True))
        _rename(parent, {inner[name]: names.get(name, name) for name in core[side]})
        for part in (ends.before, ends.after):
            if part is not None:
                _rename(part, {old: new for old, new in names.items() if old in end_names(part)[side]})


def _rename(model: Any, names: Mapping[str, str]) -> None:
    """Rename by way of names that nobody has: a new name may be the old one of another tensor."""
    for index, old in enumerate(names):
        model.rename_tensor(old, f"shellgen_end_{index}")
    for index, new in enumerate(names.values()):
        if new in model.get_all_tensor_names():
            model.rename_tensor(new, model.make_new_valueinfo_name())
        model.rename_tensor(f"shellgen_end_{index}", new)
