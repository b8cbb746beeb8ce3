# SPDX-License-Identifier: BSD-3-Clause
"""``findings.json``: each test adds what it found, so a failing run still tells all it has seen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb
from typing import Any

from bench_stand import Ended

FINDINGS = Path("findings.json")


class Failed(Exception):  # noqa: N818 - what has happened
    """A test failed, and its findings are in the report."""


def read() -> dict[str, Any]:
    """Return what was found so far."""
    return json.loads(FINDINGS.read_text()) if FINDINGS.exists() else {}


def note(section: str, content: Any) -> None:
    """Add a section to the findings."""
    scratch = FINDINGS.with_suffix(".new")  # a simulator may be killed at any time
    scratch.write_text(json.dumps(read() | {section: content}, indent=1))
    scratch.replace(FINDINGS)


def _place(error: Exception) -> str:
    """Return file and line of what raised an error."""
    last = extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


@contextmanager
def told(test: str) -> Iterator[None]:
    """Keep why a test fails: a limit that ended it, or a sentence under ``failures``.

    What follows in other tests follows from the first limit, so that one stays.
    """
    try:
        yield
    except Failed:
        raise
    except Ended as ended:
        if "limit" not in read():
            note("limit", ended.record | {"test": test})
        raise
    except Exception as error:
        text = str(error) or f"{type(error).__name__} at {_place(error)}"
        note("failures", [*read().get("failures", ()), {"test": test, "text": text}])
        raise
