# SPDX-License-Identifier: BSD-3-Clause
"""``findings.json``: each test adds what it found, so a failing run still tells all it has seen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
        # After the bench's own sentence, a rewritten assertion repeats the compared values, even whole lists.
        text = str(error).split("\nassert ", 1)[0] or type(error).__name__
        note("failures", [*read().get("failures", ()), {"test": test, "text": text}])
        raise
