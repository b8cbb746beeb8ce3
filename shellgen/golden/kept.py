# SPDX-License-Identifier: BSD-3-Clause
"""The golden proof from the cache, if it was computed before: a convolutional network takes seconds.

An edit of cluster.toml rarely changes what the network computes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress

from shellgen.cache import digest
from shellgen.cache.loads import Kept, find, keep
from shellgen.golden.proof import make_golden
from shellgen.model import Endpoint, Golden, Plan
from shellgen.read.finn_onnx import FinnModel
from vivado_check.formats.looks import NOTHING_SEEN


def kept_golden(
    plan: Plan, models: Mapping[str, object], weights: Mapping[Endpoint, bytes], own: str
) -> tuple[Golden, dict[str, bytes]]:
    """Return the golden proof of frames at random, as of `make_golden`.

    Args:
        plan: The system.
        models: `Network.models`.
        weights: One pass of each weight port with known values.
        own: A digest of this shellgen; empty if nothing is to be kept.
    """
    key = _key(plan, models, weights, own) if own else None
    if key and (known := find(key)):
        with suppress(ValueError):
            return Golden.model_validate_json(known.told), dict(known.files)
    golden, files = make_golden(plan, models, weights, {})
    if key:
        keep(key, NOTHING_SEEN, Kept(b"", files, golden.model_dump_json()))
    return golden, files


def _key(plan: Plan, models: Mapping[str, object], weights: Mapping[Endpoint, bytes], own: str) -> str | None:
    """Return a digest of all that `make_golden` reads; None if a model has values in other files."""
    parts = ["golden", own, str(plan.epoch)]
    for one in plan.partitions:
        parts += [one.name, repr((one.junction, one.copy_of, one.lost_weights, len(one.streams)))]
        parts += [port.model_dump_json() for port in one.streams]
    parts += [boundary.model_dump_json() for boundary in plan.boundaries]
    for name, model in sorted(models.items()):
        told = model.digest() if isinstance(model, FinnModel) else str(model)
        if told is None:
            return None
        parts += [name, told]
    parts += [f"{end} {hashlib.sha256(content).hexdigest()}" for end, content in weights.items()]
    return digest(parts)
