# SPDX-License-Identifier: BSD-3-Clause
"""The ``[[stream]]`` block of cluster.toml for a port, to be filled in where the build does not tell."""

from __future__ import annotations

from shellgen.errors import Problem
from shellgen.model.port import StreamPort


def is_described(port: StreamPort) -> bool:
    """Whether element type, shape and folding of a port are known."""
    return None not in (port.datatype, port.normal_shape, port.folded_shape)


def stream_block(
    partition: str, port: StreamPort, datatype: str = "", shape: tuple[int, ...] = (), words: int = 0
) -> str:
    """Return a block with every field; what is not known is empty, which cluster.toml does not accept.

    Args:
        partition: Whose port it is.
        port: The port.
        datatype: What may be its type.
        shape: What may be the shape of a frame.
        words: What may be the number of elements in a word.
    """
    bits = port.tdata_bits
    return (
        "[[stream]]\n"
        f'port = "{partition}.{port.name}"  # TDATA has {bits} bits\n'
        f'datatype = "{datatype}"  # QONNX type of an element, e.g. UINT4 or BIPOLAR\n'
        f"shape = {list(shape)}  # of one frame, channels last, e.g. [1, 28, 28, 1]\n"
        f"elements_per_word = {words}  # FINN's SIMD or PE here; padded to bytes they make {bits} bits\n"
    )


def unknown_stream(where: str, partition: str, port: StreamPort) -> Problem:
    """Return the problem of a port that neither the build nor cluster.toml describes."""
    end = f"{partition}.{port.name}"
    found = "its data type and shape are not known (no ONNX of this build gives them); "
    found += f"TDATA has {port.tdata_bits} bits"
    remedy = f'Add [[stream]] with port = "{end}", datatype, shape and elements_per_word'
    return Problem(f"{where}: stream {end}", found, remedy, stream_block(partition, port))
