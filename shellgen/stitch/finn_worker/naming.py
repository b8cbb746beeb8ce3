# SPDX-License-Identifier: BSD-3-Clause
"""Names and shapes of the export for the inputs and outputs of what is made of it.

FINN and qonnx number them, and give signals a second dimension of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import helper

from .ends import Ends


def end_names(model: Any) -> dict[str, list[str]]:
    """Return the names of a model's inputs and outputs, by side, in their order."""
    return {side: [value.name for value in getattr(model.graph, side)] for side in ("input", "output")}


def end_shapes(model: Any) -> dict[str, list[int]]:
    """Return the shapes of a model's inputs and outputs by name, without the dimension of frames."""
    return {name: model.get_tensor_shape(name)[1:] for names in end_names(model).values() for name in names}


def restore_shapes(ends: Ends, exported: Mapping[str, list[int]]) -> None:
    """Give the ends of the host's parts the shapes of the export, in place, by a Reshape each.

    Args:
        ends: The parts of the model, with the names of the export.
        exported: `end_shapes` of the export.
    """
    for part in (ends.before, ends.after):
        for side in ("input", "output") if part is not None else ():
            for value in getattr(part.graph, side):
                inner = part.get_tensor_shape(value.name)
                outer = [inner[0], *exported.get(value.name, inner[1:])]
                if outer != inner and np.prod(outer) == np.prod(inner):
                    _reshaped(part, value.name, inner, outer, entering=side == "input")


def _reshaped(part: Any, name: str, inner: list[int], outer: list[int], *, entering: bool) -> None:
    """Put a Reshape between an end and the nodes that make or read it."""
    within, graph = part.make_new_valueinfo_name(), part.graph
    for node in graph.node:
        for names in (node.input, node.output):
            names[:] = [within if one == name else one for one in names]
    target = f"{within}_shape"
    part.set_initializer(target, np.array(inner if entering else outer, np.int64))
    names = (name, within) if entering else (within, name)
    node = helper.make_node("Reshape", [names[0], target], [names[1]], f"Reshape_{within}")
    graph.node.insert(0 if entering else len(graph.node), node)
    part.set_tensor_shape(within, inner)
    part.set_tensor_shape(name, outer)


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
