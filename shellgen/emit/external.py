# SPDX-License-Identifier: BSD-3-Clause
"""The stream from a board's memory to a weight port, as the bytes of the DMA's buffer."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shellgen.model import Artifact, Boundary, Plan


def weights_file(plan: Plan, boundary: Boundary) -> str | None:
    """Return the path of one pass, or None if its values are unknown or it has no weights."""
    known = any(entry.port == boundary.consumer for entry in plan.weights)
    return f"{boundary.consumer_node}/weights/{boundary.name}.bin" if known else None


def emit_weights(plan: Plan, files: Mapping[str, bytes]) -> list[Artifact]:
    """Return one file of ``frame_bytes`` for each weight port with known values.

    Args:
        plan: The plan.
        files: Content by sha256; one pass as a dense bit string.
    """
    content = {entry.port: files[entry.sha256] for entry in plan.weights}
    artifacts = []
    for boundary in plan.boundaries:
        path = weights_file(plan, boundary)
        if path and boundary.consumer:
            port = plan.partition(boundary.consumer.partition).stream(boundary.consumer.port)
            assert port is not None
            frame = content[boundary.consumer]
            if boundary.wire_word_bits != port.payload_bits:
                frame = _padded(frame, port.words_per_frame, port.payload_bits, boundary.wire_word_bits)
            assert len(frame) == boundary.frame_bytes
            artifacts.append(Artifact(path, frame))
    return artifacts


def _padded(dense: bytes, words: int, payload_bits: int, wire_bits: int) -> bytes:
    """Pad every word to its width on the link."""
    bits = np.unpackbits(np.frombuffer(dense, np.uint8), bitorder="little", count=words * payload_bits)
    padded = np.zeros((words, wire_bits), np.uint8)
    padded[:, :payload_bits] = bits.reshape(words, payload_bits)
    return np.packbits(padded.reshape(-1), bitorder="little").tobytes()
