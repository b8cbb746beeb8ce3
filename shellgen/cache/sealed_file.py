# SPDX-License-Identifier: BSD-3-Clause
"""One file of the cache: a digest of its name and content, and the content, replaced as a whole."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from shellgen.cache.loads import own_bytes

PART = ".part-"  # in the name of a file that is being written


def sealed_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: It cannot be read.
        ValueError: It was damaged, or is that of another name.
    """
    told, _, content = own_bytes(path).partition(b"\n")
    if told != _seal(path, content):
        raise ValueError(path.name)
    return content


def write_sealed(path: Path, content: bytes) -> None:
    """Write a file.

    Raises:
        OSError: It cannot be written; the former one is as it was.
    """
    descriptor, scratch = tempfile.mkstemp(prefix=f"{path.name}{PART}", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines((_seal(path, content), b"\n", content))
        Path(scratch).rename(path)
    finally:
        Path(scratch).unlink(missing_ok=True)


def _seal(path: Path, content: bytes) -> bytes:
    found = hashlib.sha256(f"{path.name}\n".encode())
    found.update(content)
    return found.hexdigest().encode()
