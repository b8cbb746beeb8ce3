# SPDX-License-Identifier: BSD-3-Clause
"""Generated files that were changed since: with them results would be wrong without a word."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from shellgen_host.errors import InputError

_MANIFEST = "manifest.json"


def refuse_changed(folder: Path, paths: Iterable[str], remedy: str) -> None:
    """Compare files with their digests in ``manifest.json``; a copy of a folder without it is not compared.

    Args:
        folder: That ``shellgen generate`` or ``shellgen weights`` wrote.
        paths: Of files, relative to it; those that shellgen did not write there are ignored.
        remedy: What restores them.

    Raises:
        InputError: A file was changed or removed.
    """
    try:
        written = json.loads((folder / _MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return
    for path in paths:
        if not isinstance(written, dict) or path not in written:
            continue
        try:
            digest = hashlib.sha256((folder / path).read_bytes()).hexdigest()
        except OSError as error:
            raise InputError(f"{folder / path}: {error.strerror}; {remedy}") from None
        if digest != written[path]:
            raise InputError(f"{folder / path}: it was changed after shellgen had written it; {remedy}")
