# SPDX-License-Identifier: BSD-3-Clause
"""A folder for scripts beside files that they must neither read nor change, and the attempts of a script."""

from __future__ import annotations

import os
from pathlib import Path

from vivado_check.record.session import Session
from vivado_check.recording import Recording
from vivado_check.tcl.interpreter import Outcome, run_script
from vivado_check.tcl.lines import Limits
from vivado_check.tcl.sandbox import Sandbox

MARK = "what-nobody-may-read"
SMALL = Limits(seconds=1, whole=60, silence=2, memory=256 << 20, calls=2000, printed=1 << 20, said=4 << 20)


def scene(folder: Path) -> Path:
    """Make the folder of a script, with links that lead out of it, and return it."""
    (folder / "home").mkdir()
    (folder / "home" / ".bashrc").write_text(f"# {MARK}\n")
    (folder / "secret.tcl").write_text(f"puts {MARK}\n")
    (folder / "secret.enc").write_text(f"# {MARK}\n")
    made = folder / "mine"
    (made / "sub").mkdir(parents=True)
    (made / "own.txt").write_text("own\n")
    (made / "link").symlink_to(folder / "secret.tcl")
    (made / "linked").symlink_to(folder / "home")
    (made / "far").symlink_to("/etc/passwd")
    (made / "loop").symlink_to("loop")
    (made / "fd").symlink_to("/proc/self/fd")
    os.mkfifo(made / "pipe")
    return made


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return what everything below a folder is: mode, time, content."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            told = path.lstat()
            plain = path.is_file() and not path.is_symlink()
            content = path.read_bytes() if plain else b""
            found[str(path)] = told.st_mode, told.st_mtime_ns if plain else 0, content
    return found


def attempt(made: Path, text: str) -> tuple[Session, Outcome]:
    """Run a script and hold what it did against what it may do.

    Raises:
        AssertionError: Something outside of memory has changed, or something outside the folder was read.
    """
    script = made / "script.tcl"
    script.write_bytes(text.encode(errors="surrogateescape"))
    before = state(made.parent)
    with Sandbox(made) as box:
        session = Session(Recording("2022.2", made), box)
        outcome = run_script(script, session, limits=SMALL)
        written = b"".join(path.read_bytes() for _, path in box.written())
    assert state(made.parent) == before, text
    heard = [*outcome.printed, outcome.error, outcome.trace, *map(str, session.recording.calls)]
    heard += map(str, session.recording.messages)
    assert not [one for one in heard if MARK in one or "root:x:0" in one], text
    assert MARK.encode() not in written, text
    assert b"root:x:0" not in written, text
    return session, outcome


def escapes() -> dict[str, str]:
    """Return the attempts of escapes.tcl by their names."""
    _, *parts = Path(__file__).with_name("escapes.tcl").read_text().split("\n#### ")
    return dict(part.split("\n", 1) for part in parts)
