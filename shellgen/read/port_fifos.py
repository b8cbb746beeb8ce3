# SPDX-License-Identifier: BSD-3-Clause
"""Words that FINN's FIFOs at the ports of a partition hold for certain.

Such a FIFO is in series with that of the shell, so both together are one FIFO that holds as much as the two.
Width converters between FIFOs are passed, and nothing is counted for their registers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import prod

from shellgen.read.external import stream_inputs
from shellgen.read.finn_onnx import FinnModel, Node

_PASSED = ("StreamingFIFO", "StreamingDataWidthConverter")


def port_fifos(model: FinnModel, words: Mapping[str, int]) -> dict[str, int]:
    """Return the words of each input and output that the FIFOs next to it hold; none without FIFOs.

    A FIFO between an input and an output with no other layer is counted at the input.

    Args:
        model: A partition.
        words: Words of a frame at each input and output that carries data.
    """
    users = Counter(name for node in model.nodes for name in node.inputs)
    readers = {name: node for node in model.nodes for name in node.inputs}
    makers = {name: node for node in model.nodes for name in node.outputs}
    found: dict[str, int] = {}
    seen: set[str] = set()
    for name in stream_inputs(model):
        held, at = 0, name
        while name in words and users[at] == 1 and _passes(readers[at]):
            held += _held(readers[at], words[name])
            seen.add(readers[at].name)
            at = readers[at].outputs[0]
        found |= {name: held} if held else {}
    for name in model.outputs:
        held, at = 0, name
        while name in words and at in makers and _passes(makers[at]) and makers[at].name not in seen:
            held += _held(makers[at], words[name])
            at = makers[at].inputs[0]
            if users[at] > 1:
                break
        found |= {name: held} if held else {}
    return found


def _passes(node: Node) -> bool:
    return node.op in _PASSED and len(node.inputs) == len(node.outputs) == 1


def _held(node: Node, words: int) -> int:
    """Return the words of the port that a FIFO holds; 0 for a converter.

    FINN's FIFO holds ``depth`` words of its own width at least, whatever it is made of.
    """
    depth, folded = node.integer("depth"), node.integers("folded_shape")
    if node.op != "StreamingFIFO" or not depth or not folded or depth < 0:
        return 0
    own = prod(folded[:-1])
    return depth * words // own if own > 0 else 0
