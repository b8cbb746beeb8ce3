# SPDX-License-Identifier: BSD-3-Clause
"""Lookups of qonnx by name without a scan of the graph for each, for this process only.

Most steps of FINN look up every tensor of every node, and a ResNet-50 has 600 nodes and a thousand tensors.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import qonnx.util.basic
from onnx import numpy_helper
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.transformation.general import GiveReadableTensorNames, GiveUniqueTensorNames

from .aside import put_aside

_FEW = 12  # entries that are scanned as fast as they are looked up
_KEPT = 12  # containers: those of a model and of its copies


@dataclass
class _Names:
    """Places of entries by name; the container is held, so that nothing else gets its identity."""

    container: Any
    count: int
    last: str
    places: dict[str, int]
    several: set[str]


_known: OrderedDict[int, _Names] = OrderedDict()


def fix_lookups() -> None:
    """Replace methods of qonnx by others with the same results."""
    plain_transform, plain_start = ModelWrapper.transform, ModelWrapper.__init__

    def transform(self: Any, *arguments: Any, **named: Any) -> Any:
        _known.clear()  # a caller may have renamed entries in place
        return plain_transform(self, *arguments, **named)

    def start(self: Any, *arguments: Any, **named: Any) -> None:
        _known.clear()
        plain_start(self, *arguments, **named)

    plain_get = qonnx.util.basic.get_by_name

    def get_by_name(container: Any, name: str, name_field: str = "name") -> Any:
        if len(container) <= _FEW:
            return plain_get(container, name, name_field)
        return find(container, name, name_field)

    qonnx.util.basic.get_by_name = get_by_name
    ModelWrapper.transform, ModelWrapper.__init__ = transform, start
    ModelWrapper.get_tensor_valueinfo = _value_info
    ModelWrapper.get_tensor_shape = _shape
    ModelWrapper.get_initializer = _initializer
    ModelWrapper.set_initializer = _set_initializer
    ModelWrapper.check_all_tensor_shapes_specified = _check_shapes
    ModelWrapper.rename_tensor = _rename_one
    GiveUniqueTensorNames.apply = _number
    GiveReadableTensorNames.apply = _name


def find(container: Any, name: str, field: str = "name") -> Any:
    """Return the entry of a name, or None.

    A change of the container between two calls is seen by its length or its last name, or by the name at the
    place: FINN and qonnx append and remove. `_rename` and the start of a step forget what is known.

    Raises:
        ValueError: Several entries have the name.
    """
    count = len(container)
    if not count:
        return None
    names = _known.get(id(container))
    if names is None or names.count != count or names.last != getattr(container[-1], field):
        names = _read(container, field)
    place = names.places.get(name)
    if place is not None and getattr(container[place], field) != name:
        names = _read(container, field)
        place = names.places.get(name)
    if name in names.several:
        raise ValueError(f"several entries of the model are called {name}")
    return None if place is None else container[place]


def _read(container: Any, field: str) -> _Names:
    order = [getattr(entry, field) for entry in container]
    places = {name: place for place, name in enumerate(order)}
    several = set()
    if len(places) < len(order):
        several = {name for name, count in Counter(order).items() if count > 1}
    names = _Names(container, len(order), order[-1], places, several)
    _known[id(container)] = names
    while len(_known) > _KEPT:
        _known.popitem(last=False)
    return names


def _value_info(self: Any, tensor_name: str) -> Any:
    graph = self.graph
    found = [find(values, tensor_name) for values in (graph.input, graph.output, graph.value_info)]
    found = [value for value in found if value is not None]
    if len(found) > 1:
        raise ValueError(f"several entries of the model are called {tensor_name}")
    return found[0] if found else None


def _shape(self: Any, tensor_name: str, fix_missing_init_shape: bool = False) -> Any:
    value = _value_info(self, tensor_name)
    if value is not None:
        return [size.dim_value for size in value.type.tensor_type.shape.dim]
    constant = find(self.graph.initializer, tensor_name)
    if constant is None:
        return None
    if fix_missing_init_shape:
        self.set_tensor_shape(tensor_name, list(constant.dims), dtype=constant.data_type)
    return list(constant.dims)


def _initializer(self: Any, tensor_name: str, return_dtype: bool = False) -> Any:
    constant = find(self.graph.initializer, tensor_name)
    values = None if constant is None else numpy_helper.to_array(constant)
    kind = None if constant is None else constant.data_type
    return (values, kind) if return_dtype else values


def _set_initializer(self: Any, tensor_name: str, tensor_value: Any) -> None:
    constants = self.graph.initializer
    constant = numpy_helper.from_array(tensor_value, tensor_name)
    put_aside([constant])
    known = find(constants, tensor_name)
    if known is not None:
        constants.remove(known)
    constants.append(constant)
    self.set_tensor_shape(tensor_name, list(tensor_value.shape), constant.data_type)


def _check_shapes(self: Any, fix_missing_init_shape: bool = False) -> bool:
    names = {name for node in self.graph.node for name in (*node.input, *node.output) if name}
    values = (self.graph.input, self.graph.output, self.graph.value_info)
    missing = dict.fromkeys(
        name for node in self.graph.node for name in (*node.input, *node.output) if name in names
    )
    for value in (value for container in values for value in container):
        missing.pop(value.name, None)
    shapes = [_shape(self, name, fix_missing_init_shape) for name in missing]
    return None not in shapes


def _rename_one(self: Any, old_name: str, new_name: str) -> None:
    _rename(self.graph, {old_name: new_name})


def _rename(graph: Any, names: Mapping[str, str]) -> None:
    """Give tensors other names, all at once."""
    containers = ("input", "output", "value_info", "initializer")
    for value in (value for container in containers for value in getattr(graph, container)):
        value.name = names.get(value.name, value.name)
    for note in graph.quantization_annotation:
        note.tensor_name = names.get(note.tensor_name, note.tensor_name)
    for node in graph.node:
        for ends in (node.input, node.output):
            for place, name in enumerate(ends):
                if name in names:
                    ends[place] = names[name]
    _known.clear()


def _number(self: Any, model: Any) -> Any:
    del self
    _rename(model.graph, {name: f"tensor_{place}" for place, name in enumerate(model.get_all_tensor_names())})
    return model, False


def _name(self: Any, model: Any) -> Any:
    """Name tensors after nodes, as qonnx does, in one pass."""
    del self
    model = model.transform(GiveUniqueTensorNames())
    graph = model.graph
    names = dict(_named_by_node(graph))
    for side, known in (("in", graph.input), ("out", graph.output)):
        names |= {
            value.name: f"global_{side}{f'_{place}' if place else ''}" for place, value in enumerate(known)
        }
    _rename(graph, names)
    return model, False


def _named_by_node(graph: Any) -> Iterator[tuple[str, str]]:
    constants = {constant.name for constant in graph.initializer}
    for node in graph.node:
        yield from ((name, f"{node.name}_out{place}") for place, name in enumerate(node.output) if name)
        yield from (
            (name, f"{node.name}_param{place}")
            for place, name in enumerate(name for name in node.input if name in constants)
        )
