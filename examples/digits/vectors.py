# SPDX-License-Identifier: BSD-3-Clause
"""Write held-out images as ``input.npy`` (frames, 64) and ``labels.npy`` (frames,).

``python examples/digits/vectors.py <folder> [frames]``; all 359 held-out images if no number is given.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from network import load_split


def write_vectors(folder: Path, frames: int | None = None) -> tuple[Path, Path]:
    """Write the first ``frames`` held-out images and labels; returns the two paths."""
    _, _, images, labels = load_split()
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "input.npy", images[:frames].astype(np.int32))
    np.save(folder / "labels.npy", labels[:frames].astype(np.int32))
    return folder / "input.npy", folder / "labels.npy"


if __name__ == "__main__":
    write_vectors(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
