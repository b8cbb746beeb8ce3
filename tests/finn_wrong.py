# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside FINN's environment: streamlines an export with a step that changes what it computes.

    PYTHONPATH=<folder of finn_worker> python finn_wrong.py <model.onnx>

prints the problems as a JSON list.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from finn_worker.stand_ins import stand_in

stand_in()
os.environ["SANITIZE_QUANT_TENSORS"] = "0"
from finn_worker import streamline  # noqa: E402 - it imports FINN
from finn_worker.lower import load, prepare  # noqa: E402
from finn_worker.problems import FoundProblems  # noqa: E402
from finn_worker.verify import check_export, draw  # noqa: E402
from qonnx.transformation.base import Transformation  # noqa: E402


class MoveThresholds(Transformation):  # type: ignore[misc]
    """Raises the thresholds of the second layer by two steps, once."""

    def apply(self, model: Any) -> tuple[Any, bool]:
        layer = [node for node in model.graph.node if node.op_type == "MultiThreshold"][1]
        values = model.get_initializer(layer.input[1])
        if not model.model.doc_string:
            model.model.doc_string = "moved"
            model.set_initializer(layer.input[1], values + 2 * (values[:, 1:2] - values[:, :1]))
        return model, False


def main(path: str) -> None:
    streamline._LINEAR = (*streamline._LINEAR[:9], MoveThresholds, *streamline._LINEAR[9:])
    job = {"model": path, "name": "model.onnx", "unsupported": {}}
    ends, origin = prepare(load(job), job)
    try:
        found = [check_export(ends, draw(origin))]
    except FoundProblems as error:
        found = error.problems
    print(json.dumps(found))


main(*sys.argv[1:])
