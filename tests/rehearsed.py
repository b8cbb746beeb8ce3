# SPDX-License-Identifier: BSD-3-Clause
"""Rehearsals with faults whose every result must be right."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from shellgen.cli import main


def rehearsed(
    out: Path, frames: int, faults: Sequence[tuple[int, str]], capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    """Return the report of a rehearsal; each result was right, came once and in order.

    Args:
        out: The generated folder.
        frames: Frames to send.
        faults: After how many results each fault acts, and its fields as in faults.toml.
        capsys: Of the test.
    """
    script = out.parent / "faults.toml"
    script.write_text("".join(f"[[fault]]\nframe = {frame}\n{what}\n" for frame, what in faults))
    words = ["rehearse", str(out), "--frames", str(frames), "--script", str(script)]
    code = main([*words, "--json", "--quiet"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert code == 0, found
    assert (found["frames"], found["wrong"], found["missing"], found["disorder"]) == (frames, [], {}, [])
    return found


def recovered(out: Path, frames: int, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Rehearse with the faults of a seed; each result was right, came once and in order."""
    words = ["rehearse", str(out), "--frames", str(frames), "--seed", str(seed)]
    assert main([*words, "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["frames"], found["wrong"], found["missing"], found["disorder"]) == (frames, [], {}, [])
