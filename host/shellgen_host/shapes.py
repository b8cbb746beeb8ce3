# SPDX-License-Identifier: BSD-3-Clause
"""Frames as a caller gives them: one or many, arrays or dictionaries of arrays."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen_host.cluster_map import Edge
from shellgen_host.errors import InputError
from shellgen_host.packing import Layout
from shellgen_host.tensors import DTYPES, Spec

Values = npt.NDArray[Any]
Frames = Values | Mapping[str, Values]
Shapes = Mapping[str, Sequence[tuple[int, ...]]]  # those that a frame may have, by input


def fit(x: Frames, shapes: Shapes, *, single: bool = False) -> None:
    """Refuse arrays of another shape: the same values in another order would be other frames.

    Args:
        x: Arrays of frames, or one frame. An input that `shapes` has not is for others to judge.
        shapes: By name of an input; the first one is what a message asks for.
        single: ``x`` is one frame.

    Raises:
        InputError: No array of numbers, or one of another shape.
    """
    for key, given in x.items() if isinstance(x, Mapping) else [(next(iter(shapes)), x)]:
        if key not in shapes:
            continue
        wanted = ", ".join(map(str, shapes[key][0]))
        remedy = (
            f"give a frame of shape ({wanted})" if single else f"give numbers of shape (frames, {wanted})"
        )
        try:
            array = np.asarray(given)
        except ValueError:  # lists of different lengths
            raise InputError(f"{key}: its rows have different lengths; {remedy}") from None
        if array.dtype.kind not in "biuf" or not (single or array.ndim):
            kind = type(given).__name__ if array.dtype.kind in "OU" else str(array.dtype)
            raise InputError(f"{key}: it is no array of numbers, but {kind} {array.shape}; {remedy}")
        if (array.shape if single else array.shape[1:]) not in shapes[key]:
            raise InputError(f"{key}: its array is {array.dtype} {array.shape}; {remedy}")


def by_edge(x: Frames, edges: Sequence[Edge]) -> dict[str, Values]:
    """Return arrays by boundary.

    Raises:
        InputError: A name is missing or unknown.
    """
    if not isinstance(x, Mapping):
        if len(edges) > 1:
            raise InputError(f"there are {len(edges)} inputs; give a dictionary with {names_of(edges)}")
        return {edges[0].name: x}
    found = {edge.name: x[key] for edge in edges for key in (edge.tensor, edge.name) if key in x}
    if missing := [edge for edge in edges if edge.name not in found]:
        raise InputError(f"the inputs lack {names_of(missing)}")
    known = {name for edge in edges for name in (edge.tensor, edge.name)}
    if unknown := [key for key in x if key not in known]:
        raise InputError(f"there is no input {unknown[0]!r}; there are {names_of(edges)}")
    return found


def split(x: Frames) -> Iterator[Frames]:
    """Yield the frames of arrays of frames.

    Raises:
        InputError: Something is no array of frames, or one has another number of frames.
    """
    arrays = x if isinstance(x, Mapping) else {"": x}
    values = {name: np.asarray(one) for name, one in arrays.items()}
    for name, one in values.items():
        if not one.ndim:
            found = f"{name or 'the input'} is one value of type {type(arrays[name]).__name__}"
            raise InputError(f"{found}; give an array of shape (frames, *shape)")
    counts = {len(one) for one in values.values()}
    if len(counts) != 1:
        raise InputError(f"the inputs have different numbers of frames: {sorted(counts)}")
    for at in range(counts.pop()):
        yield {name: one[at] for name, one in values.items()} if isinstance(x, Mapping) else values[""][at]


async def each(frames: Iterable[Frames] | AsyncIterable[Frames]) -> AsyncIterator[Frames]:
    """Yield the frames of either kind of iterable.

    Raises:
        InputError: It is none.
    """
    if isinstance(frames, AsyncIterable):
        async for frame in frames:
            yield frame
        return
    if not isinstance(frames, Iterable):
        raise InputError("frames: give a list, an array or a generator of frames")
    for frame in frames:
        yield frame


def alone(frame: Frames) -> Frames:
    """Return one frame as an array of frames."""
    if isinstance(frame, Mapping):
        return {name: np.asarray(values)[None] for name, values in frame.items()}
    return np.asarray(frame)[None]


def empty(specs: Iterable[Spec]) -> dict[str, Values]:
    """Return the results of no frames, by output."""
    return {spec.name: np.empty((0, *spec.shape), DTYPES[spec.datatype]) for spec in specs}


def only(found: dict[str, Values]) -> Values | dict[str, Values]:
    """Return the only one of some results, or all of several."""
    return next(iter(found.values())) if len(found) == 1 else found


def unpacked(layout: Layout, rows: list[bytes]) -> Values:
    """Return the values (frames, *shape) of the bytes of frames."""
    return layout.unpack(np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), layout.frame_bytes))


def names_of(edges: Iterable[Edge]) -> str:
    """Return the tensors of boundaries, for messages."""
    return ", ".join(edge.tensor for edge in edges)
