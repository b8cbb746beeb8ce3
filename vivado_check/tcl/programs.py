# SPDX-License-Identifier: BSD-3-Clause
"""Programs that only make, copy and remove files: done in the sandbox, where no program is run.

Scripts of many flows begin with ``exec rm -rf project``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# Options of each, as POSIX and GNU have them; the letters that change what is done are read below.
_LETTERS = {"rm": "rfRv", "mkdir": "pv", "cp": "rRafpv"}
# What `exec` takes for a pipe, another channel or the background, and what a shell would have to expand.
_SPECIAL = re.compile(r"[|<>&*?]")


def as_file_command(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return the subcommand of Tcl's ``file`` that does what ``exec`` is asked for, and its words, else None.

    Args:
        words: Of ``exec``: a program and its arguments.
    """
    program, *rest = words or ("",)
    name = program.removeprefix("/bin/").removeprefix("/usr/bin/")
    letters = "".join(word[1:] for word in rest if word.startswith("-"))
    names = [word for word in rest if not word.startswith("-")]
    known = set(letters) <= set(_LETTERS.get(name, "")) and "-" not in letters
    if name not in _LETTERS or not names or not known or any(_SPECIAL.search(word) for word in rest):
        return None
    if name == "rm":
        # Without -f a file that is missing is an error, which only the program can word.
        return ("delete", ["-force", "--", *names]) if "f" in letters else None
    if name == "mkdir":
        return ("mkdir", names) if "p" in letters else None
    return ("copy", ["-force", "--", *names]) if len(names) > 1 else None
