# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tools.example``: rewrite docs/example and its picture (`make example`)."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tools.example.make import EXAMPLE, make_example, write_example

with tempfile.TemporaryDirectory() as scratch:
    changed = write_example(make_example(Path(scratch)))
sys.stdout.write(f"{EXAMPLE}: {', '.join(changed) or 'nothing'} changed\n")
