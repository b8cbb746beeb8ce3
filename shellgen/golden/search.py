# SPDX-License-Identifier: BSD-3-Clause
"""Frames with different outputs, because a trained classifier answers random data with one class.

The search has no gradients, since integers have none: it draws frames of several kinds and keeps those with
new outputs. A network always gets the same frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from shellgen.golden.layer import LIMIT, Integers
from shellgen.model import Boundary, ElementType

Shares = NDArray[np.float64]

FRAMES = 8  # number of frames kept, and drawn per batch
_BLOCK = 16  # maximum number of parts of a frame with one value each


def drawn(boundary: Boundary, batch: int) -> Integers:
    """Draw frames (FRAMES, elements) of a stream; batches differ, and the first is purely random."""
    kind = ElementType.parse(boundary.datatype)
    random = np.random.default_rng(
        [crc32(boundary.name.encode()), batch] if batch else crc32(boundary.name.encode())
    )
    if batch % 2 or not batch:
        return _noise(kind, boundary.elements_per_frame, random)
    shapes = (_sparse, _blocks, _steps, _ramp)
    rows = [shapes[frame % len(shapes)](boundary.elements_per_frame, random) for frame in range(FRAMES)]
    return _scaled(kind, np.stack(rows))


def different(outputs: Sequence[Integers]) -> list[int]:
    """Return the first frame with each distinct output, in order; a frame has an output in each array."""
    seen: dict[bytes, int] = {}
    for frame in range(len(outputs[0])):
        answer = b"".join(np.ascontiguousarray(values[frame], np.int64).tobytes() for values in outputs)
        seen.setdefault(answer, frame)
    return sorted(seen.values())


def search(
    inputs: Sequence[Sequence[Boundary]],
    compute: Callable[[Mapping[str, Integers]], Mapping[str, Integers]],
    sent: Mapping[str, Integers],
    computed: Mapping[str, Integers],
    most: int,
) -> tuple[dict[str, Integers], dict[str, Integers], int]:
    """Search for frames with new outputs, and replace frames with equal outputs.

    Args:
        inputs: Streams from the host, those that carry the same frames together.
        compute: Function that returns the outputs of frames.
        sent: The first batch.
        computed: Its outputs.
        most: Maximum number of frames to compute.

    Returns:
        The same number of frames, their outputs, and the number of frames tried.
    """
    count = len(next(iter(computed.values())))
    all_sent = {name: values[:count] for name, values in sent.items()}
    all_computed = dict(computed)
    tried, batch = count, 1
    while len(different(list(all_computed.values()))) < count and tried + count <= most:
        more = {one.name: f for same in inputs for f in [drawn(same[0], batch)[:count]] for one in same}
        answers = compute(more)
        all_sent = {name: np.concatenate([all_sent[name], more[name]]) for name in all_sent}
        all_computed = {name: np.concatenate([all_computed[name], answers[name]]) for name in all_computed}
        tried, batch = tried + count, batch + 1
    new = different(list(all_computed.values()))[:count]
    rest = [frame for frame in range(tried) if frame not in new]
    kept = sorted([*new, *rest[: count - len(new)]])
    chosen = ({name: values[kept] for name, values in part.items()} for part in (all_sent, all_computed))
    return next(chosen), next(chosen), tried


def _limits(kind: ElementType) -> tuple[int, int]:
    return max(kind.low, -LIMIT), min(kind.high, LIMIT)


def _noise(kind: ElementType, elements: int, random: np.random.Generator) -> Integers:
    """Restrict every other frame to part of the range: trained layers answer random data with one value."""
    if kind.name == "BIPOLAR":
        chances = [(0.5, random.random())[frame % 2] for frame in range(FRAMES)]
        return np.stack([np.where(random.random(elements) < chance, 1, -1) for chance in chances])
    whole = _limits(kind)
    parts = [np.sort(random.integers(*whole, 2, endpoint=True)) for _ in range(FRAMES)]
    ranges = [parts[frame] if frame % 2 else whole for frame in range(FRAMES)]
    return np.stack([random.integers(low, high, elements, endpoint=True) for low, high in ranges])


def _scaled(kind: ElementType, shares: Shares) -> Integers:
    """Convert fractions of the range, 0 to 1, into values."""
    if kind.name == "BIPOLAR":
        return np.where(shares < 0.5, -1, 1)
    low, high = _limits(kind)
    if high - low < 1 << 52:
        return low + np.rint(shares * (high - low)).astype(np.int64)
    return np.where(shares < 0.5, low, high)


def _sparse(elements: int, random: np.random.Generator) -> Shares:
    rest, some = random.random(2)
    found: Shares = np.where(random.random(elements) < 0.3 * random.random(), some, np.rint(rest))
    return found


def _blocks(elements: int, random: np.random.Generator) -> Shares:
    parts = min(elements, int(random.integers(2, _BLOCK + 1)))
    whole: Shares = np.repeat(random.random(parts), -(-elements // parts))
    cut: Shares = whole[:elements]
    return cut


def _steps(elements: int, random: np.random.Generator) -> Shares:
    begin, end = np.sort(random.integers(0, elements, 2, endpoint=True))
    inside = (np.arange(elements) >= begin) & (np.arange(elements) < end)
    values: Shares = np.rint(random.random(2) + np.array([0.25, -0.25]))
    found: Shares = np.where(inside, values[0], values[1])
    return found


def _ramp(elements: int, random: np.random.Generator) -> Shares:
    values: Shares = np.interp(np.arange(elements), [0, max(1, elements - 1)], random.random(2))
    return values
