# SPDX-License-Identifier: BSD-3-Clause
"""Frames as a caller gives them: one or many, arrays or dictionaries of arrays."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen_host.cluster_map import Edge
from shellgen_host.errors import InputError
from shellgen_host.packing import Layout

Values = npt.NDArray[Any]
Frames = Values | Mapping[str, Values]


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
    """Yield the frames of either kind of iterable."""
    if isinstance(frames, AsyncIterable):
        async for frame in frames:
            yield frame
        return
    for frame in frames:
        yield frame


def alone(frame: Frames) -> Frames:
    """Return one frame as an array of frames."""
    if isinstance(frame, Mapping):
        return {name: np.asarray(values)[None] for name, values in frame.items()}
    return np.asarray(frame)[None]


def unpacked(layout: Layout, rows: list[bytes]) -> Values:
    """Return the values (frames, *shape) of the bytes of frames."""
    return layout.unpack(np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1))


def names_of(edges: Iterable[Edge]) -> str:
    """Return the tensors of boundaries, for messages."""
    return ", ".join(edge.tensor for edge in edges)
