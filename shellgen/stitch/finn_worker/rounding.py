# SPDX-License-Identifier: BSD-3-Clause
"""Thresholds of all layers rounded in one pass; FINN rounds those of one and starts again from the first."""

from __future__ import annotations

from typing import Any

import numpy as np
from finn.transformation.streamline.round_thresholds import RoundAndClipThresholds


def fix_rounding() -> None:
    """Let FINN's step find nothing but types to do."""
    plain = RoundAndClipThresholds.apply

    def apply(self: Any, model: Any) -> Any:
        _round(model)
        return plain(self, model)

    RoundAndClipThresholds.apply = apply


def _round(model: Any) -> None:
    for node in model.graph.node:
        if node.op_type != "MultiThreshold" and not node.op_type.startswith("Thresholding"):
            continue
        thresholds, kind = model.get_initializer(node.input[1]), model.get_tensor_datatype(node.input[0])
        if thresholds is None or not kind.is_integer():
            continue
        rounded = np.clip(np.ceil(thresholds), kind.min(), kind.max() + 1).astype(np.float32)
        if (rounded != thresholds).any():
            model.set_initializer(node.input[1], rounded)
